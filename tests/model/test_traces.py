"""The four worked traces: one page, nine events, on every kernel and path, value by value.

The page comes round because the ring is small: with three pages on it, each frame of the trace is followed by two
frames with errors, which the driver throws away at once, so that the other two pages are always free again.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.model.skb import SkBuff
from rxviz.model.steps import KINDS
from tests.model.harness import APART, NEWER, frame, machine, rx_ring, settle

TRACE_SIZES = (1514, 1514, 1514, 1514, 90, 1514)
EVERY = 3
"""Frames for each one of the trace: itself, and one for each other page."""
Seen = tuple[int, int | None]
"""page_count, and pagecnt_bias where the page is on the ring."""


def frames() -> list[Frame]:
    found: list[Frame] = []
    for size in TRACE_SIZES:
        i = len(found)
        found.append(frame(i, APART * (i + 1), size))
        found += [frame(i + n, APART * (i + n + 1), 60, "crc") for n in (1, 2)]
    return found


@dataclass
class Bench:
    """One page and the skbs of the trace's frames, by the trace's numbers (from 1)."""

    m: Machine
    skbs: dict[int, SkBuff]
    page: int = 0

    def rx(self, number: int) -> Seen:
        """Let the trace's next frame come in, and look at its page before the other pages have their turn."""
        before = len(self.m.socket.queue)
        settle(self.m, (number - 1) * EVERY + 1)
        assert len(self.m.socket.queue) == before + 1
        self.skbs[number] = self.m.socket.queue[-1]
        seen = self.seen()
        settle(self.m, number * EVERY)
        return seen

    def free(self, number: int) -> Seen | None:
        skb = self.skbs[number]
        self.m.socket.queue.remove(skb)
        self.m.driver.free_skb(skb)
        return self.seen() if self.page in self.m.memory.pages else None

    def seen(self) -> Seen:
        page = self.m.memory.pages[self.page]
        return page.refcount, rx_ring(self.m).rx_buffer_info[page.slot].pagecnt_bias if page.slot >= 0 else None

    def next_half(self) -> int:
        """Which half the page offers next."""
        page = self.m.memory.pages[self.page]
        return rx_ring(self.m).rx_buffer_info[page.slot].page_offset // 2048


def bench(kernel: str, path: str) -> Bench:
    return Bench(
        machine(f"ixgbe kernel={kernel} path={path} ring=4 refill=1 reader=off itr=0 bad_frames=stored", frames()), {}
    )


def first_page(kernel: str, path: str, b: Bench, counts: dict[str, Seen]) -> None:
    """The part that all columns have in common: two frames, a third while the second lives, and both freed."""
    assert b.rx(1) == counts["rx1"]
    assert b.next_half() == 1
    assert b.free(1) == counts["free1"]
    assert b.rx(2) == counts["rx2"]
    assert b.next_half() == 0
    assert b.rx(3) == (2, None)
    assert b.m.memory.pages[0].slot == -1
    assert sorted(b.m.memory.pages[0].users) == [0, 2048]
    assert b.free(2) == (1, None)
    assert b.free(3) is None
    # Page 1 of the trace is gone; whatever page has come in its place is page 2.
    b.page = max(page.id for page in b.m.memory.pages.values() if page.kind == "rx")


def test_4_9() -> None:
    b = bench("4.9", "legacy")
    first_page("4.9", "legacy", b, {"rx1": (2, 0), "free1": (1, 0), "rx2": (2, 0)})
    assert b.rx(4) == (2, 0)
    assert b.next_half() == 1
    # Copied: the page is kept although skb 4 lives, and does not flip.
    assert b.rx(5) == (2, 0)
    assert b.next_half() == 1
    assert b.rx(6) == (2, None)
    assert b.m.ledger.pages_given_up == 2


@pytest.mark.parametrize("kernel", ["4.11", "4.12"])
def test_4_11_build_skb(kernel: str) -> None:
    b = bench(kernel, "build_skb")
    first_page(kernel, "build_skb", b, {"rx1": (65536, 65535), "free1": (65535, 65535), "rx2": (65535, 65534)})
    build_after_the_new_page(b, (65536, 65535))


@pytest.mark.parametrize("kernel", ["4.19", "6.18"])
def test_6_18_build_skb(kernel: str) -> None:
    b = bench(kernel, "build_skb")
    first_page(kernel, "build_skb", b, {"rx1": (65535, 65534), "free1": (65534, 65534), "rx2": (65534, 65533)})
    build_after_the_new_page(b, (65535, 65534))


def build_after_the_new_page(b: Bench, fresh: Seen) -> None:
    assert b.rx(4) == fresh
    assert b.next_half() == 1
    # 90 bytes, and skb 4 alive: the whole page goes for them.
    assert b.rx(5) == (2, None)
    assert b.m.ledger.pages_given_up == 2
    assert b.skbs[5].truesize == 2304
    old, b.page = b.page, max(page.id for page in b.m.memory.pages.values())
    assert b.page > old
    assert b.rx(6) == fresh
    assert b.m.ledger.pages_given_up == 2


@pytest.mark.parametrize("kernel", ["4.19", "6.18"])
def test_6_18_legacy(kernel: str) -> None:
    b = bench(kernel, "legacy")
    first_page(kernel, "legacy", b, {"rx1": (65535, 65534), "free1": (65534, 65534), "rx2": (65534, 65533)})
    legacy_after_the_new_page(b, (65535, 65534))


@pytest.mark.parametrize("kernel", ["4.11", "4.12"])
def test_4_11_legacy(kernel: str) -> None:
    """Not a column of the table; follows from its rules with the start value and top-up of 4.11."""
    b = bench(kernel, "legacy")
    first_page(kernel, "legacy", b, {"rx1": (65536, 65535), "free1": (65535, 65535), "rx2": (65535, 65534)})
    legacy_after_the_new_page(b, (65536, 65535))


def legacy_after_the_new_page(b: Bench, fresh: Seen) -> None:
    assert b.rx(4) == fresh
    assert b.next_half() == 1
    # Copied: its reference is given back, the page kept, the half not flipped.
    assert b.rx(5) == fresh
    assert b.next_half() == 1
    assert b.skbs[5].truesize == 896
    assert b.rx(6) == (2, None)
    assert b.m.ledger.pages_given_up == 2


@pytest.mark.parametrize(
    ("kernel", "path", "outcomes"),
    [
        ("4.9", "legacy", ["flip reuse", "flip reuse", "give_up", "flip reuse", "copy reuse", "give_up"]),
        *((k, "legacy", ["flip reuse", "flip reuse", "flip give_up", "flip reuse", "copy reuse", "flip give_up"])
          for k in NEWER),
        *((k, "build_skb", ["flip reuse", "flip reuse", "flip give_up", "flip reuse", "flip give_up", "flip reuse"])
          for k in NEWER),
    ],
)  # fmt: skip
def test_outcomes_and_when_the_page_flips(kernel: str, path: str, outcomes: list[str]) -> None:
    """4.9 flips only once the page is found free; later kernels flip first and then ask."""
    b = bench(kernel, path)
    seen: list[tuple[str, int]] = []

    def watch(kind: int, frame: Frame | None, *_: object) -> None:
        if frame is not None:
            seen.append((KINDS[kind].name, frame.id))

    b.m.watch = watch
    for number in range(1, 7):
        b.rx(number)
        for each in {1: [1], 3: [2, 3]}.get(number, []):
            b.free(each)
        if number == 3:
            b.page = max(page.id for page in b.m.memory.pages.values() if page.kind == "rx")
        if number == 5 and path == "build_skb":
            b.page = max(b.m.memory.pages)
    names = {"page.flip": "flip", "page.reuse": "reuse", "page.give_up": "give_up", "skb.copy": "copy"}
    of_frame = [" ".join(names[name] for name, id in seen if id == EVERY * n and name in names) for n in range(6)]
    assert of_frame == outcomes


@pytest.mark.parametrize(
    ("kernel", "low", "paid_in"), [("4.11", 0, 65535), ("4.12", 0, 65535), ("4.19", 1, 65534), ("6.18", 1, 65534)]
)
@pytest.mark.parametrize("path", ["legacy", "build_skb"])
def test_prepaid_references_are_topped_up_at_the_last_moment(kernel: str, path: str, low: int, paid_in: int) -> None:
    """65 thousand frames on one page would take long: two references are left here instead of all."""
    b = bench(kernel, path)
    page = b.m.memory.pages[0]
    b.rx(1)
    b.free(1)
    page.refcount = rx_ring(b.m).rx_buffer_info[page.slot].pagecnt_bias = low + 2
    assert b.rx(2) == (low + 2, low + 1)
    b.free(2)
    b.page, atomic = 0, b.m.ledger.refs_atomic
    assert b.rx(3) == (low + 1 + paid_in, 65535)
    # One addition here, and a drop for each of the two skbs that were thrown away meanwhile.
    assert b.m.ledger.refs_atomic - atomic == 1 + 2
    assert b.free(3) == (low + paid_in, 65535)
