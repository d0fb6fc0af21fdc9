"""The model beside the kernel of this machine, as tables that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rxviz.cli.gro_sums import NARROW
from rxviz.cli.gro_table import ranges
from rxviz.model.gro.complete import Delivered
from rxviz.wire.summary import summarise

if TYPE_CHECKING:
    from rxviz.kernel.compare import Comparison, Row
    from rxviz.kernel.differential import Compared
    from rxviz.kernel.rcvbuf import Taken
    from rxviz.kernel.sizes import Sizes

_SIDE = 28
_DIFFERS = "<"


# ----------------------------------------------------------------------------------------------------------------- GRO
def session(compared: Compared) -> Iterator[str]:
    """Yield one session's lines: delivered packets on both sides, the verdicts, what differs, and an empty line."""
    outcome = compared.comparison
    count = len(compared.frames)
    yield f"{compared.label}: a poll of {count} frame{'s' if count > 1 else ''}, counted from 0 here"
    yield f"{'':14}{'model':<{_SIDE + 3}}kernel"
    columns = f"{'length':>7} {'gso':>5} {'truesize':>8} {'flags':<5}"
    yield f"{'frames':<13} {columns}   {columns}".rstrip()
    for row in _packets(outcome):
        yield row.line()
    yield from _verdicts(outcome)
    heading = "  differs: " if outcome.kernel.certified else "  not compared: "
    for sentence in outcome.differences:
        yield from wrap(sentence, NARROW, initial_indent=heading, subsequent_indent="    ")
    yield ""


@dataclass(slots=True)
class _Pair:
    """A delivered packet on both sides, or several that follow one another and show the same."""

    frames: list[int]
    shown: tuple[str, str]
    differs: bool

    def line(self) -> str:
        """Return the row; a mark stands behind it where the sides differ in anything, shown here or not."""
        text = ranges(self.frames)
        text = text if len(text) <= 13 else text[:12] + "…"
        mark = _DIFFERS if self.differs else ""
        return f"{text:<13} {self.shown[0]:<{_SIDE}}   {self.shown[1]:<{_SIDE}} {mark}".rstrip()


def _packets(outcome: Comparison) -> Iterator[_Pair]:
    from rxviz.kernel.compare import kernel_row, model_row

    waiting: _Pair | None = None
    for mine, its in zip_longest(outcome.delivered, outcome.kernel.delivered):
        ours = None if mine is None else model_row(mine)
        theirs = None if its is None else kernel_row(its)
        pair = _Pair(list(mine.frames) if mine else [], (_side(ours), _side(theirs)), ours != theirs)
        if waiting is not None and _alike(waiting, pair, mine):
            waiting.frames += pair.frames
            continue
        if waiting is not None:
            yield waiting
        waiting = pair
    if waiting is not None:
        yield waiting


def _alike(waiting: _Pair, pair: _Pair, mine: Delivered | None) -> bool:
    """Say whether a packet of a single frame goes on with the row of those before it."""
    single = mine is not None and mine.segs == 1 and waiting.frames and waiting.frames[-1] + 1 == mine.frames[0]
    return bool(single) and " 0 " in pair.shown[0] and waiting.shown == pair.shown and not pair.differs


def _side(row: Row | None) -> str:
    if row is None:
        return "-"
    return f"{len(row.frame):>7,} {row.gso_size:>5,} {row.truesize:>8,} {summarise(row.frame).flags:<5}"


def _verdicts(outcome: Comparison) -> Iterator[str]:
    theirs = outcome.kernel.verdicts
    if theirs is None or len(theirs) != len(outcome.decisions):
        return
    same: dict[str, list[int]] = {}
    for decision, verdict in zip(outcome.decisions, theirs, strict=True):
        if decision.verdict is verdict:
            same.setdefault(verdict.name, []).append(decision.frame)
    heading = "both say"
    for name, frames in same.items():
        yield from wrap(f"{heading:<13} {name:<12} {ranges(frames)}", NARROW, subsequent_indent=" " * 27)
        heading = ""


def totals(
    kernel: str, sessions: int, frames: int, differing: int, *, verdicts: bool = True, remarks: Iterable[str] = ()
) -> Iterator[str]:
    """Yield what all sessions came to, whether `verdicts` were compared too, and what could not be."""
    many = f"{sessions:,} poll{'' if sessions == 1 else 's'}, {frames:,} frame{'' if frames == 1 else 's'}"
    outcome = "no difference" if not differing else f"{differing:,} differ{'s' if differing == 1 else ''}"
    if not sessions:
        outcome = "nothing compared"
    yield f"Linux {kernel}: {many}: {outcome}"
    compared = "every byte delivered, gso_size, gso_type, checksum state, truesize and tag of each packet"
    if sessions:
        yield from wrap(f"Compared: {compared}{', and the verdict of each frame' if verdicts else ''}.", NARROW)
    for remark in remarks:
        yield from wrap(f"Not compared: {remark}", NARROW)


def drawn(seed: int) -> str:
    """Say where the frames of random sessions came from."""
    return f"Frames drawn with seed {seed}: a few flows, any field changed now and then."


# ----------------------------------------------------------------------------------------------------- sizes and rcvbuf
def sizes(found: Sizes) -> Iterator[str]:
    """Yield the constants beside each other."""
    yield f"Linux {found.release}, by its type information"
    yield ""
    yield f"{'constant':<32}{'model':>8}{'kernel':>10}"
    for size in found.sizes:
        kernel = "-" if size.kernel is None else f"{size.kernel:,}"
        mark = "" if size.ok else f" {_DIFFERS}"
        yield f"{size.name:<32}{size.model:>8,}{kernel:>10}{mark:<2} {size.meaning}".rstrip()
    yield ""
    yield "no difference" if found.ok else "the model calculates with other sizes than this kernel"
    if missing := [size.name for size in found.sizes if size.kernel is None]:
        yield f"Not compared: {', '.join(missing)}, which this kernel does not have"


def rcvbuf(release: str, taken: list[Taken]) -> Iterator[str]:
    """Yield how many datagrams a socket took, and how many the model says."""
    first = taken[0]
    yield f"Linux {release}: SO_RCVBUF {first.rcvbuf:,} became a limit of {first.limit:,} bytes"
    yield "Nobody reads; datagrams come in until one is dropped."
    yield ""
    yield f"{'':20}{'payload':>8}{'truesize':>10}   {'datagrams taken':>22}"
    yield f"{'skb':<20}{'':>18}   {'model':>11}{'kernel':>11}"
    for one in taken:
        mark = "" if one.ok else f" {_DIFFERS}"
        yield f"{one.layout:<20}{one.payload:>8,}{one.truesize:>10,}   {one.model:>11,}{one.kernel:>11,}{mark}"
    yield ""
    yield "no difference" if all(one.ok for one in taken) else "the model's socket takes another number"


def sizes_json(found: Sizes) -> dict[str, Any]:
    """Return the object of `rxviz kernel sizes --json`."""
    return {
        "ok": found.ok,
        "kernel": found.release,
        "sizes": [
            {"name": one.name, "meaning": one.meaning, "model": one.model, "kernel": one.kernel} for one in found.sizes
        ],
        "not_compared": [f"{one.name}: this kernel has no such thing" for one in found.sizes if one.kernel is None],
        "findings": [_finding(one.name, one.model, one.kernel) for one in found.sizes if not one.ok],
    }


def rcvbuf_json(release: str, taken: list[Taken]) -> dict[str, Any]:
    """Return the object of `rxviz kernel rcvbuf --json`."""
    fields = ("rcvbuf", "limit", "layout", "payload", "truesize", "model", "kernel")
    return {
        "ok": all(one.ok for one in taken),
        "kernel": release,
        "taken": [{name: getattr(one, name) for name in fields} for one in taken],
        "not_compared": [],
        "findings": [_finding(f"{o.layout} payload {o.payload}", o.model, o.kernel) for o in taken if not o.ok],
    }


def _finding(place: str, model: int, kernel: int | None) -> dict[str, str]:
    return {"place": place, "sentence": f"model {model}, kernel {kernel}"}
