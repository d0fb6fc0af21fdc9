"""Steps as data: what each was, what it changed, and its sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rxviz.model import steps
from rxviz.model.names import half_name
from rxviz.run import words
from rxviz.run.observe import Change, Observer

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


@dataclass(frozen=True, slots=True)
class Step:
    """One step. Numbers stand for frame, page and skb; `slot` is -1 where none is meant; times in ns."""

    n: int
    t_ns: int
    kind: int
    frame: int | None
    slot: int
    page: int | None
    skb: int | None
    fields: tuple[Any, ...]
    changes: tuple[Change, ...]
    poll: int
    frag: int
    """Which fragment of the skb was added, for `skb.frag`."""
    segs: int = 1
    """How many frames the skb is made of."""
    cpu: int | None = None
    """The CPU that took the step; None for the NIC's."""

    @property
    def name(self) -> str:
        """The kind's name."""
        return steps.KINDS[self.kind].name

    def field(self, name: str) -> Any:
        """Return one of the kind's own fields, None when it has none of that name."""
        names = steps.KINDS[self.kind].fields
        return self.fields[names.index(name)] if name in names else None


def make_step(
    m: Machine, observer: Observer, kind: int, frame: Frame | None, slot: int, page: Page | None, skb: SkBuff | None,
    fields: tuple[Any, ...],
) -> Step:  # fmt: skip
    """Describe the step that the machine has just taken."""
    return Step(
        n=m.n - 1,
        t_ns=m.now,
        kind=kind,
        frame=frame.id if frame is not None else None,
        slot=slot,
        page=page.id if page is not None else None,
        skb=skb.id if skb is not None else None,
        fields=fields,
        changes=tuple(observer.changes(slot, page, skb)),
        poll=m.napi.polls,
        frag=len(skb.frags) - 1 if skb is not None else -1,
        segs=skb.segs if skb is not None else 1,
        cpu=_cpu(m, kind),
    )


def _cpu(m: Machine, kind: int) -> int | None:
    """Return the CPU that has just taken a step: pages and skbs are freed by the driver, or by who reads beside it."""
    who = steps.KINDS[kind].who
    if who == "cpu":
        return 0
    beside = m.in_world or not m.softirq.in_poll
    if who == "reader" or kind == steps.PAGE_FREE:
        return m.config.reader_cpu if beside else 0
    return None if who == "nic" or beside else 0


def record(m: Machine, observer: Observer | None = None) -> Iterator[Step]:
    """Play a machine to its end and give each step as it comes; the observer tells what each changed."""
    observer = observer or Observer(m)
    ready: list[Step] = []

    def watch(
        kind: int,
        frame: Frame | None,
        slot: int,
        page: Page | None,
        skb: SkBuff | None,
        fields: tuple[Any, ...],
    ) -> None:
        ready.append(make_step(m, observer, kind, frame, slot, page, skb, fields))

    m.watch = watch
    while m.tick():
        yield from ready
        ready.clear()
    m.watch = None
    m.lamps.at_end()


def as_json(step: Step, config: Config) -> dict[str, Any]:
    """Return the step as the contract has it; steps are numbered from 1, as on the screen."""
    kind = steps.KINDS[step.kind]
    offset, part = step.field("offset"), config.geometry.named
    return {
        "n": step.n + 1,
        "t_ns": step.t_ns,
        "kind": kind.name,
        "cpu": step.cpu,
        "frame": step.frame,
        "slot": step.slot if step.slot >= 0 else None,
        "page": step.page,
        "half": half_name(offset, part) if offset is not None and part and step.page is not None else None,
        "skb": step.skb,
        "changes": [list(change) for change in step.changes],
        "text": words.text(step, config),
        "why": words.why(step, config),
        "where": words.where(step, config),
        "badge": kind.badge,
    }
