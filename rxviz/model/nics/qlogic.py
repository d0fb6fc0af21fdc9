"""qede's card: it writes frames where BDs point to and says so in completions; with hardware GRO it merges them first.

What the firmware decides is not published: that it drops a frame at once where too few BDs are posted, where in a
buffer it begins, what it merges and when it ends an aggregation (badge M). The formats and limits are the driver's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, cast

from rxviz.model import cqe, steps, steps_qede
from rxviz.model.cqe import Type
from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.model.drivers.qede_rules import QedeRules
from rxviz.model.geometry import ETH_FCS_LEN, ETH_HLEN
from rxviz.model.gro.card import Act, Card, Event, card_packet, tcp_payload
from rxviz.model.nic import BadFrame, Nic

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page

_TCP_CHECK = 16


class Aggregation:
    """What the card keeps of an aggregation: the first frame and where it lies, and how long its headers are.

    `mapped` is whether the card may still write there; the driver sees to it that it may.
    """

    __slots__ = ("frame", "header", "mapped", "offset", "page", "slot")

    def __init__(self, frame: Frame, page: Page | None, slot: int, offset: int, header: int) -> None:
        self.frame = frame
        self.page = page
        self.slot = slot
        self.offset = offset
        self.header = header
        self.mapped = True


class QlogicNic(Nic):
    """A card that uses BDs up to the producer that it was told, and writes a completion for each frame or part."""

    __slots__ = (
        "card",
        "coalesced_bytes",
        "coalesced_events",
        "coalesced_pkts",
        "min_payload",
        "non_coalesced_pkts",
        "open",
        "placement",
        "ring",
        "rules",
    )
    REGISTERS = (("rdh", "bd_cons"), ("rdt", "bd_prod"))
    TOLD_BY = "nic.bd_prod"
    WRITES = steps_qede.NIC_CQE
    ERRORS: ClassVar[Mapping[str, BadFrame]] = {"oversize": BadFrame(0, "", "packet_too_big_discard")}
    MISSED, NO_DESCRIPTOR = "brb_discards", "no_buff_discards"

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        config = m.config
        self.ring = cast(QedeRing, m.ring)
        self.rules = rules = cast(QedeRules, config.rules)
        self.placement = rules.placement_offset
        self.card: Card | None = None
        if config.hw_gro and config.gro is not None:
            mtu = config.geometry.max_frame - ETH_HLEN - ETH_FCS_LEN
            # tpa_min_size_to_start and tpa_min_size_to_cont: half the MTU.
            self.card = Card(config.gro, slots=rules.tpa_max_aggs, buffers=rules.tpa_max_buffers, least=mtu // 2)
        self.open: dict[int, Aggregation] = {}
        """Aggregations by their entry in the driver's table."""
        self.coalesced_pkts = self.coalesced_events = self.coalesced_bytes = self.non_coalesced_pkts = 0

    # --------------------------------------------------------------------------------------------------- where it is
    @property
    def given(self) -> int:
        """How many BDs, from the driver's place on, the card was told of."""
        return (self.rdt - self.ring.sw_rx_cons) % self.ring.count

    @property
    def written(self) -> int:
        """How many of these it has used."""
        return (self.rdh - self.ring.sw_rx_cons) % self.ring.count

    def whole_frames(self) -> int:
        """Frames that the driver has not come to yet, or keeps because their aggregation goes on."""
        count = 0
        for _, completion in self.ring.unread():
            count += len(completion.lens) + (completion.type in (Type.REGULAR, Type.TPA_START))
        return count + sum(skb.segs for skb in self.m.skbs.values() if skb.state == "driver")

    def merging(self) -> list[list[int]]:
        """Return the frames of each aggregation that goes on, the oldest first."""
        return [list(p.segments) for p in reversed(self.card.buckets[0])] if self.card is not None else []

    def counters(self) -> dict[str, int]:
        """Return the card's own counters, by the names that `ethtool -S` has for them."""
        found = {
            self.MISSED: self.rx_missed_errors,
            self.NO_DESCRIPTOR: self.rx_no_dma_resources,
            **self.bad_by_counter(),
        }
        if self.card is not None:
            found |= {
                "coalesced_pkts": self.coalesced_pkts,
                "coalesced_events": self.coalesced_events,
                "non_coalesced_pkts": self.non_coalesced_pkts,
                "coalesced_bytes": self.coalesced_bytes,
            }
        return found

    # ------------------------------------------------------------------------------------------------------- a frame
    def take(self, frame: Frame, is_dry: bool) -> None:
        """Write a frame at once, or drop it where too few BDs are posted: none waits for the driver."""
        needed = -(-frame.wire_len // self.dma_size)
        posted = (self.rdt - self.rdh) % self.ring.count
        if posted >= needed:
            self.drain()
            return
        self.fifo.pop()
        self.fifo_bytes -= frame.wire_len
        self.rx_no_dma_resources += 1
        self.m.note(steps_qede.NIC_NO_BD, frame, -1, None, None, (needed, posted))

    def drain(self) -> None:
        """Write the frames that have come."""
        while self.fifo:
            self.write_part(self.fifo[0])

    def write_part(self, frame: Frame) -> None:
        """Write a frame whole; what is merged goes where its aggregation goes on."""
        if self.card is None:
            self.write_frame(frame)
            return
        # What does not fit into one buffer cannot be merged, nor can what the card has not verified.
        able = frame.wire_len <= self.dma_size and self.m.driver.vouches_for(frame)
        self.act(self.card.offer(card_packet(frame), able=able), frame)

    def act(self, events: list[Event], frame: Frame) -> None:
        """Do what the card makes of a frame."""
        for event in events:
            if event.act is Act.PASS:
                self.pass_frame(frame)
            elif event.act is Act.START:
                self.start(event.slot, frame)
            elif event.act is Act.CONTINUE:
                self.go_on(event.slot, frame)
            else:
                self.end(event, frame)

    def pass_frame(self, frame: Frame) -> None:
        """Write a frame that is not merged."""
        self.non_coalesced_pkts += 1
        self.write_frame(frame)

    def write_frame(self, frame: Frame) -> None:
        """Write a frame into as many buffers as it takes, and one completion."""
        ring, sent, bds, first = self.ring, 0, 0, 0
        slot = self.rdh
        placement = self.placement
        while True:
            size = min(frame.wire_len - sent, self.dma_size)
            last = sent + size == frame.wire_len
            data = frame.data if last and not sent else frame.data[sent : sent + size]
            self.write_bd(frame, data, size, placement, last)
            bds, sent, first, placement = bds + 1, sent + size, first or size, 0
            if last:
                break
        flags = cqe.parsing_flags(frame.pkt_info, frame.status, frame.data)
        kind = cqe.hash_type(frame.pkt_info)
        at = ring.hw_comp_cons
        cqe.pack_regular(ring.cqes, at, flags, kind, frame.hash, frame.wire_len, first, self.placement, bds)
        self.completed(frame, slot, Type.REGULAR, frame.wire_len, bds, -1)

    def write_bd(self, frame: Frame, data: bytes, size: int, placement: int, last: bool) -> tuple[Page | None, int]:
        """Write bytes where the next BD points to; return where that was, None for where no page is."""
        m, ring, slot = self.m, self.ring, self.rdh
        address = cqe.BD.unpack_from(ring.desc, slot * cqe.BD_SIZE)[0]
        page = ring.page_at(slot)
        if page is None or not 0 <= address - page.dma < page.size:
            page = self.page_behind(address)
        if page is None:
            m.lamps.light("dma_inside_buffer")
            m.note(steps.WORLD_ASTRAY, frame, slot, None, None, (size,))
            self.rdh = ring.following(slot)
            self.finish_part(frame, slot, size, last)
            return None, 0
        offset = address - page.dma + placement
        m.lamps.dma(page, offset - placement, size + placement, frame)
        self.write_buffer(page, offset, data, frame, slot)
        m.note(steps.NIC_DMA, frame, slot, page, None, (offset, size))
        self.rdh = ring.following(slot)
        self.finish_part(frame, slot, size, last)
        return page, offset

    def page_behind(self, address: int) -> Page | None:
        """The page that an address leads into; nobody asks as long as every BD that the card uses has a page."""
        pages = self.m.memory.pages.values()
        return next((page for page in pages if 0 <= address - page.dma < page.size and page.kind == "rx"), None)

    def completed(self, frame: Frame, slot: int, type: Type, length: int, bds: int, agg: int) -> None:
        """The completion is written: move the index in the status block on, and interrupt."""
        ring, number = self.ring, self.ring.hw_comp_cons
        ring.hw_comp_cons = number + 1 if number + 1 < ring.comp_count else 0
        fields = (number, cqe.TYPE_NAMES[type], length, bds, agg)
        self.m.note(steps_qede.NIC_CQE, frame, slot if bds else -1, ring.page_at(slot), None, fields)
        self.written_back(slot, frame)
        if not self.irq_masked and not self.irq_armed:
            self.arm()

    # -------------------------------------------------------------------------------------------------- aggregations
    def start(self, agg: int, frame: Frame) -> None:
        """Begin an aggregation: the frame goes into a buffer whole."""
        m, ring, slot = self.m, self.ring, self.rdh
        header = (tcp_payload(frame.data) or (0, 0))[0]
        page, offset = self.write_bd(frame, frame.data, frame.wire_len, self.placement, True)
        self.open[agg] = Aggregation(frame, page, slot, offset, header)
        flags = cqe.parsing_flags(frame.pkt_info, frame.status, frame.data)
        cqe.pack_start(
            ring.cqes, ring.hw_comp_cons, agg, flags, cqe.hash_type(frame.pkt_info), frame.hash, frame.wire_len,
            self.placement, header,
        )  # fmt: skip
        self.completed(frame, slot, Type.TPA_START, frame.wire_len, 1, agg)
        m.at(m.now + self.rules.tpa_timeout, self._time_out, frame)

    def go_on(self, agg: int, frame: Frame) -> None:
        """Add a frame: its payload goes into a buffer of its own."""
        ring, slot = self.ring, self.rdh
        size = self._write_payload(self.open[agg], frame)
        cqe.pack_cont(ring.cqes, ring.hw_comp_cons, agg, size)
        self.completed(frame, slot, Type.TPA_CONT, size, 1, agg)

    def _write_payload(self, aggregation: Aggregation, frame: Frame) -> int:
        self.sent = aggregation.header
        size = frame.wire_len - aggregation.header
        self.write_bd(frame, frame.data[aggregation.header :], size, 0, True)
        return size

    def end(self, event: Event, frame: Frame) -> None:
        """End an aggregation, with one more frame or without: what it came to stands in its last completion."""
        delivered, agg = event.delivered, event.slot
        assert delivered is not None
        aggregation = self.open.pop(agg)
        ring, slot = self.ring, self.rdh
        size = self._write_payload(aggregation, frame) if event.last is not None else 0
        total, segments = len(delivered.head) + delivered.payload, delivered.segs
        if segments > 1:
            self._put_headers_right(aggregation, delivered.head, delivered.transport, segments)
            self.coalesced_events += 1
            self.coalesced_pkts += segments
            self.coalesced_bytes += delivered.payload
        else:
            self.non_coalesced_pkts += 1
        cqe.pack_end(ring.cqes, ring.hw_comp_cons, agg, total, segments, segments, size)
        whose = frame if event.last is not None else aggregation.frame
        self.completed(whose, slot, Type.TPA_END, total, 1 if size else 0, agg)

    def _put_headers_right(self, aggregation: Aggregation, head: bytes, transport: int, segments: int) -> None:
        """Let the headers in the first buffer speak of the whole; the TCP checksum is left to the driver."""
        frame, check = aggregation.frame, transport + _TCP_CHECK
        right = head[:check] + frame.data[check : check + 2] + head[check + 2 :]
        self.ring.put_right[frame.id] = right
        if aggregation.page is None or not aggregation.mapped:
            self.m.lamps.light("dma_inside_buffer")
            self.m.note(steps.WORLD_ASTRAY, frame, aggregation.slot, None, None, (len(right),))
            return
        self.write_buffer(aggregation.page, aggregation.offset, right, frame, aggregation.slot)
        fields = (aggregation.offset, len(right), segments)
        self.m.note(steps_qede.NIC_TPA_HEADER, frame, -1, aggregation.page, None, fields)

    def _time_out(self, frame: Frame) -> None:
        if self.card is not None:
            self.act(self.card.time_out(frame.id), frame)
