"""The NIC's side of the ring, as far as all NICs are alike: it takes frames in, waits for descriptors, and interrupts.

How a buffer is found, filled and given back is each NIC's own: rxviz.model.nics.
Real hardware fetches and writes back descriptors in batches and streams a frame while it arrives; here each frame is
written at the instant that it has arrived whole (badge M).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rxviz.model import steps
from rxviz.model.frame import TAG_LEN
from rxviz.model.geometry import ETH_FCS_LEN

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page

VLAN_TPIDS = (b"\x81\x00", b"\x88\xa8")


class BadFrame(NamedTuple):
    """What the MAC does with one kind of bad frame: error bits of the write-back, their name, the counter that moves.

    `counter` is the name that `ethtool -S` has for it.
    """

    bits: int
    flag: str
    counter: str


class Nic:
    """Where it is in the ring, the packet buffer on the chip, and one interrupt vector.

    `REGISTERS` are those of its registers that name a slot, each (attribute, the register's name): first that of the
    descriptor which it fills next. `ERRORS` says what it makes of each kind of bad frame, `MISSED` and `NO_DESCRIPTOR`
    which counters the frames end in that find no room or no descriptor.
    """

    ERRORS: ClassVar[Mapping[str, BadFrame]] = {"oversize": BadFrame(0, "", "rx_length_errors")}
    MISSED: ClassVar[str] = "rx_missed_errors"
    NO_DESCRIPTOR: ClassVar[str] = "rx_no_dma_resources"

    __slots__ = (
        "bad",
        "dma_size",
        "drop_en",
        "fifo",
        "fifo_bytes",
        "irq_armed",
        "irq_masked",
        "last_irq",
        "m",
        "packet_buffer",
        "rdh",
        "rdt",
        "received",
        "refused",
        "rx_missed_errors",
        "rx_no_buffer_count",
        "rx_no_dma_resources",
        "seen",
        "sent",
        "stores_bad",
        "strips",
        "untagged",
    )
    REGISTERS: ClassVar[tuple[tuple[str, str], ...]] = ()
    WRITES: ClassVar[int] = steps.NIC_WRITEBACK
    """The kind of step with which it calls for the driver: a descriptor or a completion is written."""
    TOLD_BY: ClassVar[str] = ""
    """What moves when the driver hands slots over, by the name under which it can be seen."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.dma_size = m.config.geometry.dma_size
        self.untagged = self.longest_frame(b"")
        """The longest frame that needs no look at its tags, in bytes without FCS."""
        self.packet_buffer = m.config.fifo or m.config.rules.packet_buffer
        """How many bytes wait on the chip at most."""
        self.drop_en = m.config.drop_en
        """Whether a frame that finds too few descriptors posted is dropped at once (`SRRCTL.DROP_EN`)."""
        self.strips = m.config.rxvlan
        self.stores_bad = m.config.stores_bad
        """Whether bad frames are written to memory all the same, as no driver asks for by itself (`FCTRL.SBP`)."""
        self.rdh = 0
        """The next descriptor that will be filled."""
        self.rdt = 0
        """Descriptors from RDH up to but not including this one may be used."""
        self.fifo: deque[Frame] = deque()
        """Frames in the packet buffer; the first may be partly written."""
        self.fifo_bytes = 0
        self.sent = 0
        """Bytes of the first frame that are written already."""
        self.irq_masked = False
        self.irq_armed = False
        self.last_irq = -(1 << 60)
        self.seen = 0
        """How many descriptors were written back when the vector fired last: they call for no interrupt again."""
        self.received = 0
        """Frames written to the last byte."""
        self.rx_missed_errors = 0
        """Frames for which the packet buffer had no room."""
        self.rx_no_dma_resources = 0
        """Frames that were dropped at once because too few descriptors were posted."""
        self.rx_no_buffer_count = 0
        """Frames that came while no descriptor was posted; most of them only wait."""
        self.bad = dict.fromkeys(self.ERRORS, 0)
        """Bad frames that came, by kind."""
        self.refused = dict.fromkeys(self.ERRORS, 0)
        """Those of them that got no further than the MAC."""

    def receive(self, frame: Frame) -> None:
        """Take a frame from the wire."""
        m, length = self.m, frame.wire_len
        if length > self.untagged:
            limit = self.longest_frame(frame.data)
            if length > limit:
                self.refuse("oversize")
                counter = self.ERRORS["oversize"].counter
                m.note(steps.NIC_OVERSIZE, frame, -1, None, None, (length, limit, counter))
                return
        if frame.error:
            bad = self.ERRORS[frame.error]
            if not self.stores_bad:
                self.refuse(frame.error)
                m.note(steps.NIC_BAD_FRAME, frame, -1, None, None, (frame.error, bad.counter))
                return
            self.bad[frame.error] += 1
            frame = frame.stored(bad.bits)
        stored = frame.without_tag() if frame.tag and self.strips else frame
        is_dry = self.rdh == self.rdt
        if is_dry:
            self.rx_no_buffer_count += 1
        if self.drop_en and not self.has_descriptors(stored.wire_len):
            self.rx_no_dma_resources += 1
            m.note(steps.NIC_NO_DESCRIPTOR, frame, -1, None, None, (length, self.NO_DESCRIPTOR))
            return
        if self.fifo_bytes + stored.wire_len > self.packet_buffer:
            self.rx_missed_errors += 1
            m.note(steps.NIC_MISSED, frame, -1, None, None, (length, self.MISSED))
            return
        self.fifo.append(stored)
        self.fifo_bytes += stored.wire_len
        m.note(steps.WIRE_ARRIVE, frame, -1, None, None, (length,))
        if stored is not frame:
            m.note(steps.NIC_STRIP, stored, -1, None, None, (stored.vlan, stored.wire_len))
        self.take(stored, is_dry)

    def take(self, frame: Frame, is_dry: bool) -> None:
        """Write a frame that has just come; where no descriptor `is_dry` is posted, let it wait."""
        if is_dry:
            self.m.note(steps.NIC_WAIT, frame, -1, None, None, (self.fifo_bytes,))
        else:
            self.drain()

    def longest_frame(self, data: bytes) -> int:
        """Return the longest frame, without FCS, that the MAC lets in; each of up to two VLAN tags may add 4 bytes."""
        tags = 0
        while tags < 2 and data[12 + 4 * tags : 14 + 4 * tags] in VLAN_TPIDS:
            tags += 1
        return self.m.config.geometry.max_frame - ETH_FCS_LEN + TAG_LEN * tags

    def as_stored(self, frame: Frame) -> Frame:
        """Return a frame as `receive` has it lie in memory: without its tag, where the NIC takes tags out."""
        return frame.without_tag() if frame.tag and self.strips else frame

    def refuse(self, kind: str) -> None:
        """Count a bad frame that gets no further."""
        self.bad[kind] += 1
        self.refused[kind] += 1

    def has_descriptors(self, length: int) -> bool:
        """Whether as many descriptors are posted as a frame takes."""
        posted = (self.rdt - self.rdh) % self.m.ring.count
        return posted * self.dma_size >= length

    def drain(self) -> None:
        """Write waiting frames for as long as descriptors are posted."""
        fifo = self.fifo
        while fifo and self.rdh != self.rdt:
            self.write_part(fifo[0])

    def write_part(self, frame: Frame) -> None:
        """Fill one buffer with the next part of a frame, and write its descriptor back."""
        raise NotImplementedError

    @property
    def given(self) -> int:
        """How many slots, from the driver's place on, the NIC may use or has used."""
        raise NotImplementedError

    @property
    def written(self) -> int:
        """How many of these are done."""
        raise NotImplementedError

    def whole_frames(self) -> int:
        """Frames that are written whole and that the driver has not come to yet."""
        raise NotImplementedError

    def merging(self) -> list[list[int]]:
        """Return the frames, by number, of each packet that the NIC goes on merging; most merge none."""
        return []

    def counters(self) -> dict[str, int]:
        """Return the NIC's own counters, by the names that `ethtool -S` has for them."""
        raise NotImplementedError

    def drops(self) -> dict[str, int]:
        """Return the frames that were lost here, each once, by the name of the counter that tells of it."""
        drops = {self.MISSED: self.rx_missed_errors, self.NO_DESCRIPTOR: self.rx_no_dma_resources}
        for kind, count in self.refused.items():
            counter = self.ERRORS[kind].counter
            drops[counter] = drops.get(counter, 0) + count
        return drops

    @property
    def dropped_ring(self) -> int:
        """Frames that were lost because no descriptor was posted in time."""
        return self.rx_missed_errors + self.rx_no_dma_resources

    @property
    def dropped_error(self) -> int:
        """Frames that the NIC refused."""
        return sum(self.refused.values())

    def bad_by_counter(self) -> dict[str, int]:
        """Return how many bad frames came, by the counters of the MAC."""
        counts = dict.fromkeys((bad.counter for bad in self.ERRORS.values()), 0)
        for kind, count in self.bad.items():
            counts[self.ERRORS[kind].counter] += count
        return counts

    def finish_part(self, frame: Frame, slot: int, size: int, eop: bool) -> None:
        """Count a part that is written; the last one makes room in the packet buffer."""
        if eop:
            self.fifo.popleft()
            self.fifo_bytes -= frame.wire_len
            self.sent = 0
            self.received += 1
        else:
            self.sent += size
        self.m.ring.frames[slot] = frame

    def write_buffer(self, page: Page, offset: int, data: bytes, frame: Frame, slot: int) -> None:
        """DMA: put bytes into the buffer. An address outside the page reaches memory that the model does not have."""
        if 0 <= offset <= page.size - len(data):
            page.write(offset, data)

    def written_back(self, slot: int, frame: Frame) -> None:
        """The descriptor is written back; the NIC has no more to do with it."""

    def write_tail(self, tail: int) -> None:
        """The driver's doorbell: more descriptors may be used."""
        self.rdt = tail
        if self.fifo:
            self.m.at(self.m.now, self._drain_later)

    def _drain_later(self, _: None) -> None:
        self.drain()

    # --------------------------------------------------------------------------------------------------- interrupt
    def arm(self) -> None:
        """Have the interrupt fire as soon as moderation permits."""
        m = self.m
        fixed = m.config.itr_ns
        t = max(m.now, self.last_irq + (m.itr.ns if fixed is None else fixed))
        self.irq_armed = True
        m.note(steps.IRQ_RAISE, None, -1, None, None, (t - m.now,))
        m.at(t, self._fire)

    def _fire(self, _: None) -> None:
        """The vector masks itself as it fires (auto-mask); the CPU takes it as soon as it is free to."""
        m = self.m
        self.irq_armed = False
        self.irq_masked = True
        self.last_irq = m.now
        self.seen = m.counts[self.WRITES]
        m.napi.irq_pending = True
        m.called = m.softirq.in_poll

    def rearm(self) -> None:
        """After the unmask: interrupt again when a descriptor that nobody has seen is done already.

        Had the driver to leave one for later, there is no cause to interrupt for it until another one is done.
        """
        m = self.m
        if self.irq_masked or self.irq_armed or m.counts[self.WRITES] == self.seen:
            return
        if m.driver.pending():
            self.arm()
