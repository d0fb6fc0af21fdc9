"""A run of bytes as a bar: parts to scale, each as wide as its name needs, with offsets under their starts."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.view.cell import Canvas, Role


@dataclass(frozen=True, slots=True)
class Part:
    """`size` bytes drawn with the letter `fill` in `role`, and `name` in the middle in `name_role`."""

    name: str
    size: int
    fill: str
    role: str
    name_role: str = Role.PLAIN
    padded: bool = True
    """Whether a blank stands on either side of the name where there is room."""
    least: int = 0
    """Cells that the part should have where there is room, for the offset under it."""
    closing: str = ""
    """The letter of its last cell, where it is wider than its name."""


def widths(parts: list[Part], width: int) -> list[int]:
    """Return the cells of each part, `width` in all: in proportion, but wide enough for its name where all fit."""
    names = [len(part.name) for part in parts]
    padded = [len(part.name) + 2 * part.padded for part in parts]
    roomy = [max(need, part.least) for need, part in zip(padded, parts, strict=True)]
    for least in (roomy, padded, names, None):
        needs = [max(need, 1) for need in least] if least is not None else [1] * len(parts)
        if sum(needs) <= width:
            break
    else:
        return [1] * max(width, 0) + [0] * (len(parts) - max(width, 0))
    total = sum(part.size for part in parts) or 1
    cells = list(needs)
    over = [max(part.size * width / total - need, 0) for part, need in zip(parts, needs, strict=True)]
    left, all_over = width - sum(needs), sum(over)
    if all_over == 0:
        cells[-1] += left
        return cells
    shares = [left * each / all_over for each in over]
    cells = [cell + int(share) for cell, share in zip(cells, shares, strict=True)]
    by_rest = sorted(range(len(parts)), key=lambda i: int(shares[i]) - shares[i])
    for i in by_rest[: width - sum(cells)]:
        cells[i] += 1
    return cells


def draw_scale(
    canvas: Canvas, x: int, y: int, width: int, parts: list[Part], start: int, *, offsets: bool, last: bool = True
) -> None:
    """Draw the bar into line `y`, and with `offsets` the first byte of each part into the line below; `start` is the
    offset of the first part. Without `last` the offset behind the bar is left out: another bar begins there.
    """
    parts = [part for part in parts if part.size > 0]
    cells = widths(parts, width)
    at, offset = x, start
    marks: list[tuple[int, int]] = []
    for part, cell in zip(parts, cells, strict=True):
        _draw_part(canvas, at, y, cell, part)
        marks.append((at, offset))
        at += cell
        offset += part.size
    if offsets and parts:
        _offsets(canvas, y + 1, marks, at, offset if last else None)


def _draw_part(canvas: Canvas, x: int, y: int, width: int, part: Part) -> None:
    canvas.fill(x, y, width, part.fill, part.role)
    if len(part.name) > width:
        return
    shown = f" {part.name} " if part.padded and width >= len(part.name) + 2 and part.name else part.name
    canvas.put(x + (width - len(shown)) // 2, y, shown, part.name_role)
    if part.closing and width > len(part.name):
        canvas.put(x + width - 1, y, part.closing, part.role)


def _offsets(canvas: Canvas, y: int, marks: list[tuple[int, int]], end: int, last: int | None) -> None:
    """Write offsets under the starts of parts, leaving out what would touch the one before or the last."""
    stop = canvas.put_right(end, y, f"{last:,}", Role.REST) if last is not None else end + 1
    free = 0
    for x, offset in marks:
        text = f"{offset:,}"
        if x >= free and x + len(text) < stop:
            free = canvas.put(x, y, text, Role.REST) + 1
