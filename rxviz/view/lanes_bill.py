"""The bill of two lanes after so many frames: what each has cost so far, bars beside each other."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.model.machine import Machine
from rxviz.view.bill import softirq_ns
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import plural

NAME = 18
"""Columns of a line's name."""
LEAST_BAR, MOST_BAR = 4, 28


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the bill: a figure of each lane."""

    name: str
    left: int
    right: int
    badge: str = ""

    @property
    def differs(self) -> bool:
        """Whether the lanes have not cost the same here."""
        return self.left != self.right


@dataclass(frozen=True, slots=True)
class Side:
    """The name of a lane and the role of its colour."""

    name: str
    role: str


LEDGER = (
    ("bytes copied", "bytes_copied"),
    ("skb heads", "skb_heads"),
    ("headers parsed", "header_parses"),
    ("sk_buffs", "sk_buffs"),
    ("pages mapped", "dma_maps"),
    ("bytes synced", "sync_cpu_bytes"),
    ("truesize charged", "truesize_total"),
    ("synced for device", "sync_device_bytes"),
    ("atomic refs", "refs_atomic"),
    ("cache lines", "cache_lines"),
    ("pages given up", "pages_given_up"),
    ("page flips", "flips"),
    ("tail writes", "tail_writes"),
    ("read before fetch", "descriptor_reads_before_fetch"),
    ("descriptor reads", "descriptor_reads"),
    ("descriptor writes", "descriptor_writes"),
    ("pages unmapped", "dma_unmaps"),
    ("bytes checksummed", "csum_bytes"),
)
"""The lines in order, and what the ledger calls them."""
FOR_DMA = {"dma_maps": "mapped for DMA", "dma_unmaps": "unmapped"}
"""What these are called where a lane has heads of skbs in its ring, and not pages."""
MODELS_OWN = frozenset({"cache_lines"})
"""Lines that follow a rule of the model's own."""


def lines(left: Machine, right: Machine) -> list[Line]:
    """Return the bill of two machines; the last line is the CPU's time in softirqs, the model's own figure."""
    names = FOR_DMA if left.config.geometry.head or right.config.geometry.head else {}
    one, other = left.ledger, right.ledger
    found = [
        Line(names.get(key, name), getattr(one, key), getattr(other, key), "M" if key in MODELS_OWN else "")
        for name, key in LEDGER
    ]
    return [*found, Line("softirq ns", softirq_ns(left), softirq_ns(right), "M")]


def draw(
    bill: list[Line],
    frames: int,
    sides: tuple[Side, Side],
    width: int,
    height: int,
    *,
    step: str = "",
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the bill after `frames` frames, as many lines as fit and time always; what differs is bright.

    `step` says where one is in the midst of a frame: then time is not shared among frames.
    """
    title = f"Bill at {step}" if step else f"Bill after {plural(frames, 'frame')}"

    def body(canvas: Canvas) -> None:
        _body(canvas, bill, 0 if step else frames, sides)

    return frame(width, height, title, "what differs is bright", body, glyphs=glyphs)


def _body(canvas: Canvas, bill: list[Line], frames: int, sides: tuple[Side, Side]) -> None:
    columns = _Columns(canvas, max(len(f"{value:,}") for line in bill for value in (line.left, line.right)))
    y = 0
    roomy = canvas.height >= len(bill) + 2
    if canvas.height >= 5:
        columns.heads(y, sides)
        y += 1
    for line in _in_sight(bill[:-1], max(canvas.height - y - 1, 0)):
        columns.line(y, line, sides)
        y += 1
    if y < canvas.height:
        columns.line(min(y + roomy, canvas.height - 1), _per_frame(bill[-1], frames), sides)


def _in_sight(bill: list[Line], rows: int) -> list[Line]:
    """Return as many lines as fit, in their order: what differs goes before what does not."""
    wanted = {line.name for line in sorted(bill, key=lambda line: not line.differs)[:rows]}
    return [line for line in bill if line.name in wanted]


def _per_frame(line: Line, frames: int) -> Line:
    """Return the time shared among frames in whole ns, in all where there are none to share it."""
    if not frames:
        return line
    return Line("softirq ns each", line.left // frames, line.right // frames, line.badge)


class _Columns:
    """Where name, bars and figures stand."""

    def __init__(self, canvas: Canvas, digits: int) -> None:
        self.canvas = canvas
        self.name = min(NAME + 2, max(canvas.width - 2 * (digits + 1), 0))
        each = max((canvas.width - self.name - 2) // 2, 0)
        self.digits = digits
        self.bar = min(each - digits - 3, MOST_BAR)
        if self.bar < LEAST_BAR:
            self.bar = 0
        self.starts = (self.name, self.name + each)
        self.width = min(each - 1, self.bar + digits + 2)

    def heads(self, y: int, sides: tuple[Side, Side]) -> None:
        """Write whose figures stand below."""
        for x, side in zip(self.starts, sides, strict=True):
            self.canvas.write(x, y, side.name, side.role, self.width)

    def line(self, y: int, line: Line, sides: tuple[Side, Side]) -> None:
        """Write a line; its bars share one scale."""
        canvas, glyphs = self.canvas, self.canvas.glyphs
        name = f"{line.name} {line.badge}".rstrip()
        mark = (glyphs.changed, Role.ACCENT) if line.differs else (glyphs.spare, Role.REST)
        canvas.put(0, y, *mark)
        canvas.write(2, y, name, Role.PLAIN if line.differs else Role.REST, self.name - 2)
        most = max(line.left, line.right)
        for x, value, side in zip(self.starts, (line.left, line.right), sides, strict=True):
            if self.bar and value:
                length = max(self.bar * value // most, 1)
                canvas.fill(x, y, length, glyphs.bar, side.role if line.differs else Role.BORDER)
            canvas.put_right(x + self.width, y, f"{value:,}", side.role if line.differs else Role.REST)
