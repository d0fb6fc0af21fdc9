"""What the NIC would do if a rule did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import cqe, steps
from rxviz.model.descriptor import SIZE
from rxviz.model.nic import Nic
from rxviz.model.nics.intel import IntelNic
from rxviz.model.nics.qlogic import QlogicNic

if TYPE_CHECKING:
    from rxviz.model.cqe import Type
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page

HEADERS = 256


class FrameIntoDescriptor(IntelNic):
    """The descriptor holds the frame: 16 bytes of it, and there is no room for more."""

    __slots__ = ()

    def write_buffer(self, page: Page, offset: int, data: bytes, frame: Frame, slot: int) -> None:
        """Write to the descriptor what fits; the buffer stays as it was."""
        self.m.ring.desc[slot * SIZE : (slot + 1) * SIZE] = data[:SIZE]
        lost = len(data) - SIZE
        sentence = f"The NIC puts {SIZE} bytes of the frame into descriptor {slot}; the other {lost:,} find no room."
        self.m.note(steps.WORLD_ACT, frame, slot, page, None, (sentence,))


class NicMovesNextToClean(IntelNic):
    """The NIC counts the driver's cursor on, so the driver believes that the frame is dealt with."""

    __slots__ = ()

    def written_back(self, slot: int, frame: Frame) -> None:
        """Move the driver's cursor behind the descriptor that was just written back."""
        self.ring.next_to_clean = self.rdh
        self.m.note(steps.WORLD_ACT, frame, slot, None, None, (f"The NIC moves next_to_clean on to slot {self.rdh}.",))


class NoDma(IntelNic):
    """The NIC keeps the frame until a CPU comes for it."""

    __slots__ = ()

    def write_buffer(self, page: Page, offset: int, data: bytes, frame: Frame, slot: int) -> None:
        """Write nothing."""
        self.m.note(
            steps.WORLD_ACT,
            frame,
            slot,
            page,
            None,
            ("The NIC writes nothing: it waits for the CPU to fetch the frame.",),
        )


class HeadersOnly(Nic):
    """Only the beginning of a frame crosses the bus."""

    __slots__ = ()

    def write_buffer(self, page: Page, offset: int, data: bytes, frame: Frame, slot: int) -> None:
        """Write the first bytes; what lay behind them in the half stays."""
        super().write_buffer(page, offset, data[:HEADERS], frame, slot)
        if len(data) > HEADERS:
            sentence = f"The other {len(data) - HEADERS:,} bytes of the frame are not written."
            self.m.note(steps.WORLD_ACT, frame, slot, page, None, (sentence,))


LATE_NS = 20_000
"""How much later than its descriptor a frame's bytes are seen, where nothing orders the two."""
NO_LIMIT = 1 << 20


class PayloadLate(Nic):
    """The length is seen before the bytes that it is the length of."""

    __slots__ = ()

    def write_buffer(self, page: Page, offset: int, data: bytes, frame: Frame, slot: int) -> None:
        """Let the bytes be seen some time after the descriptor."""
        m = self.m
        m.note(steps.WORLD_ACT, frame, slot, page, None, ("The CPU may see the descriptor before these bytes.",))
        m.at(m.now + LATE_NS, self._seen, (page, offset, data, frame, slot))

    def _seen(self, late: tuple[Page, int, bytes, Frame, int]) -> None:
        super().write_buffer(*late)


class HiddenFromCache(Nic):
    """Memory has the frame, but the CPU's cache has older lines, and nobody drops them (badge M: no coherent DMA)."""

    __slots__ = ()

    def write_buffer(self, page: Page, offset: int, data: bytes, frame: Frame, slot: int) -> None:
        """Leave the bytes as the CPU sees them."""
        if not page.data:
            page.write(0, b"")
        sentence = "Memory has the bytes; the CPU's cache still has what lay there before."
        self.m.note(steps.WORLD_ACT, frame, slot, page, None, (sentence,))


class NoFrameLimit(IntelNic):
    """The MAC lets in frames of any length."""

    __slots__ = ()

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.untagged = NO_LIMIT


class PastTheTail(IntelNic):
    """The NIC goes on past RDT."""

    __slots__ = ()

    def receive(self, frame: Frame) -> None:
        """Use the next descriptor, posted or not."""
        super().receive(frame)
        while self.fifo:
            sentence = f"The NIC uses descriptor {self.rdh}, though it is not posted."
            self.m.note(steps.WORLD_ACT, frame, self.rdh, None, None, (sentence,))
            self.write_part(self.fifo[0])


class PastTheProducer(QlogicNic):
    """The card goes on past bd_prod."""

    __slots__ = ()

    def take(self, frame: Frame, is_dry: bool) -> None:
        """Use the next BD, posted or not."""
        if (self.rdt - self.rdh) % self.ring.count < -(-frame.wire_len // self.dma_size):
            sentence = f"The card uses BD {self.rdh}, though it is not posted."
            self.m.note(steps.WORLD_ACT, frame, self.rdh, None, None, (sentence,))
        self.drain()


class IndexFirst(QlogicNic):
    """The index goes up before the completion that it counts can be seen."""

    __slots__ = ()

    def completed(self, frame: Frame, slot: int, type: Type, length: int, bds: int, agg: int) -> None:
        """Let the completion be seen some time after its index."""
        ring, m, number = self.ring, self.m, self.ring.hw_comp_cons
        entry = ring.entry(number)
        ring.cqes[number * cqe.SIZE : (number + 1) * cqe.SIZE] = bytes(cqe.SIZE)
        sentence = f"The CPU may see the index go up before it sees completion {number}."
        m.note(steps.WORLD_ACT, frame, -1, None, None, (sentence,))
        super().completed(frame, slot, type, length, bds, agg)
        m.at(m.now + LATE_NS, self._written, (number, entry))

    def _written(self, late: tuple[int, bytes]) -> None:
        number, entry = late
        self.ring.cqes[number * cqe.SIZE : (number + 1) * cqe.SIZE] = entry
