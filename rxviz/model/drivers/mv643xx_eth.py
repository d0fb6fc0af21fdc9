"""mv643xx_eth's receive routine as it was in Linux 3.9, in the driver's order and with its names.

Source: drivers/net/ethernet/marvell/mv643xx_eth.c. Lay the two side by side: `rxq_process`, `rxq_refill` and
`mv643xx_eth_poll` are the functions there. Each slot has an skb of its own before the frame comes; its head is mapped
for that one frame, unmapped when it has come, and goes up with it. Nothing of it is ever used again by the ring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rxviz.model import steps
from rxviz.model.drivers.driver import ETH_HLEN, Driver
from rxviz.model.failures import ALLOC_PAGE, ALLOC_SKB
from rxviz.model.mv643xx_desc import (
    BUFFER_OWNED_BY_DMA,
    DESC,
    ERROR_SUMMARY,
    ETH_FCS_LEN,
    ETH_HW_IP_ALIGN,
    LAYER_4_CHECKSUM_OK,
    RX_ENABLE_INTERRUPT,
    RX_LAST_DESC,
    STATUS,
    STATUS_BYTES,
    WHOLE,
)
from rxviz.model.nics.marvell import verdict
from rxviz.model.skb import NO_FRAME, SkBuff

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page, RingFragCache
    from rxviz.model.mv643xx_ring import RxQueue
    from rxviz.model.nics.marvell import MarvellNic

CONDITIONAL = "conditional"
_status_bytes, _status = STATUS_BYTES.unpack_from, STATUS.unpack_from


class Mv643xxEth(Driver):
    """The driver's half of one receive queue (`struct rx_queue`, and what `struct mv643xx_eth_private` has for it)."""

    __slots__ = (
        "at_most",
        "error_frames",
        "oom",
        "ring",
        "rx_dropped",
        "rx_packets",
        "stat_bytes",
        "work_rx",
        "work_rx_refill",
    )

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.ring = cast("RxQueue", m.ring)
        self.at_most = m.config.refill
        """Frames or refills in one go (`work_tbd`)."""
        self.work_rx = False
        """An interrupt has told of frames, and the ring was not found empty of them since."""
        self.oom = False
        """There was no memory for an skb in this poll, or in the last one."""
        self.work_rx_refill = False
        """Some slot has no skb."""
        self.rx_packets = 0
        self.stat_bytes = 0
        self.rx_dropped = 0
        """Buffers thrown away; a frame over several of them counts once for each."""
        self.error_frames = 0

    # ---------------------------------------------------------------------------------------------------------- poll
    def configure_rx_ring(self) -> None:
        """Give every slot an skb and every descriptor to the NIC (`mv643xx_eth_open`: `rxq_refill(rxq, INT_MAX)`)."""
        self.rxq_refill(self.ring.count + 1)

    def pending(self) -> bool:
        """Whether the next descriptor is the driver's again."""
        ring = self.ring
        owner = _status(ring.desc, ring.rx_curr_desc * DESC.size)[0] & BUFFER_OWNED_BY_DMA
        return ring.rx_desc_count > 0 and not owner

    def clean_rx_irq(self, budget: int) -> int:
        """Take frames and refill, some of each in turn, until there is neither; return both (`mv643xx_eth_poll`)."""
        self.oom = False
        work_done = 0
        while work_done < budget:
            if not self.work_rx and (self.oom or not self.work_rx_refill):
                if self.collect_events():
                    continue
                break
            work_tbd = min(budget - work_done, self.at_most)
            work_done += self.rxq_process(work_tbd) if self.work_rx else self.rxq_refill(work_tbd)
        return work_done

    @staticmethod
    def vouches_for(frame: Frame) -> bool:
        """Whether the NIC says LAYER_4_CHECKSUM_OK of a frame: the skb then goes up as CHECKSUM_UNNECESSARY."""
        return verdict(frame) & LAYER_4_CHECKSUM_OK != 0

    def collect_events(self) -> bool:
        """Ask the NIC what has happened since the last time, and tell it that this is known."""
        nic = cast("MarvellNic", self.m.nic)
        self.work_rx, nic.int_rx = nic.int_rx, False
        return self.work_rx

    # ------------------------------------------------------------------------------------------------------- receive
    def rxq_process(self, budget: int) -> int:
        """Take done descriptors from the ring until it has none, or `budget` frames are done; return the frames."""
        m, ring, ledger, desc = self.m, self.ring, self.ledger, self.ring.desc
        lro = m.lro
        lro_flush_needed = False
        rx = 0
        while rx < budget and ring.rx_desc_count:
            slot = ring.rx_curr_desc
            ledger.descriptor_reads += 1
            ledger.cache_lines += 1
            cmd_sts, byte_cnt = _status_bytes(desc, slot * DESC.size)
            if cmd_sts & BUFFER_OWNED_BY_DMA:
                m.step(steps.DESC_EMPTY, None, slot, None, None, ())
                break
            frame, skb = ring.frames[slot], ring.rx_skb[slot]
            assert frame is not None
            assert skb is not None
            m.step(steps.DESC_DONE, frame, slot, skb.head_page, skb, (byte_cnt,))
            self.take_skb(skb, frame, slot)
            rx += 1
            self.rx_packets += 1
            self.stat_bytes += byte_cnt - ETH_HW_IP_ALIGN
            if not self.is_whole(cmd_sts):
                self.drop(skb, slot, cmd_sts, byte_cnt)
                continue
            self.skb_put(skb, slot, cmd_sts, byte_cnt)
            if lro is not None and cmd_sts & LAYER_4_CHECKSUM_OK:
                lro.lro_receive_skb(skb, cmd_sts)
                lro_flush_needed = True
            else:
                self.deliver_skb(skb, slot, cmd_sts)
        if lro is not None and lro_flush_needed:
            lro.lro_flush_all()
        if rx < budget:
            self.work_rx = False
        return rx

    def is_whole(self, cmd_sts: int) -> bool:
        """Whether the buffer holds a whole frame, without an error."""
        return cmd_sts & (WHOLE | ERROR_SUMMARY) == WHOLE

    def take_skb(self, skb: SkBuff, frame: Frame, slot: int) -> None:
        """Take the slot's skb, move on to the next slot, and unmap the head: it is the CPU's from now on."""
        m, ring = self.m, self.ring
        ring.rx_skb[slot] = None
        ring.rx_curr_desc = slot + 1 if slot + 1 < ring.count else 0
        skb.frame, skb.state = frame, "driver"
        m.skbs[skb.id] = skb
        m.step(steps.RXQ_TAKE, frame, slot, skb.head_page, skb, ())
        self.unmap_head(skb, frame, slot)
        ring.rx_desc_count -= 1
        self.work_rx_refill = True

    def unmap_head(self, skb: SkBuff, frame: Frame, slot: int) -> None:
        """End the NIC's way to the buffer, and see to it that the CPU reads what the NIC wrote (`dma_unmap_single`)."""
        size = self.geometry.bufsz
        self.ledger.dma_unmaps += 1
        self.ledger.sync_cpu_bytes += size
        self.m.step(steps.BUF_UNMAP, frame, slot, skb.head_page, skb, (skb.head, size))

    def skb_put(self, skb: SkBuff, slot: int, cmd_sts: int, byte_cnt: int) -> None:
        """Give the skb the frame's length, take over the verdict, and step over the Ethernet header."""
        skb.put(byte_cnt - ETH_HW_IP_ALIGN - ETH_FCS_LEN)
        self.ledger.cache_lines += self.core.lines(skb.data, ETH_HLEN)
        skb.pull(ETH_HLEN)
        self.m.step(steps.SKB_LENGTH, skb.frame, slot, skb.head_page, skb, (byte_cnt, cmd_sts))

    def drop(self, skb: SkBuff, slot: int, cmd_sts: int, byte_cnt: int) -> None:
        """Throw away what came in pieces or with an error."""
        self.rx_dropped += 1
        error = skb.frame.error
        if cmd_sts & ERROR_SUMMARY:
            self.error_frames += 1
        if cmd_sts & RX_LAST_DESC:
            counter = self.m.nic.ERRORS[error].counter if error else "rx_dropped"
            self.discarded[counter] = self.discarded.get(counter, 0) + 1
        self.m.step(steps.RXQ_DROP, skb.frame, slot, skb.head_page, skb, (byte_cnt, cmd_sts, error))
        self.free_skb(skb)

    def deliver_skb(self, skb: SkBuff, slot: int, cmd_sts: int) -> None:
        """Hand the skb up: to the stack at once, to GRO, or to GRO only with the NIC's verdict (`deliver`)."""
        m = self.m
        if m.lro is not None:
            m.lro.note_passed(skb)
        if m.gro is not None and m.config.deliver == CONDITIONAL and not cmd_sts & LAYER_4_CHECKSUM_OK:
            m.gro.note_passed(skb)
            self.netif_receive_skb(skb, slot)
            return
        self.rx_skb(skb, slot)

    # -------------------------------------------------------------------------------------------------------- refill
    def rxq_refill(self, budget: int) -> int:
        """Give slots without an skb a new one, and their descriptors to the NIC; return how many."""
        m, ring = self.m, self.ring
        refilled = 0
        if ring.rx_desc_count < ring.count:
            m.step(steps.RXQ_REFILL, None, -1, None, None, (ring.count - ring.rx_desc_count, budget))
        while refilled < budget and ring.rx_desc_count < ring.count:
            slot = ring.rx_used_desc
            skb = self.netdev_alloc_skb(slot)
            if skb is None:
                return refilled
            refilled += 1
            ring.rx_desc_count += 1
            ring.rx_used_desc = slot + 1 if slot + 1 < ring.count else 0
            self.post(skb, slot)
        if refilled < budget:
            self.work_rx_refill = False
        return refilled

    def netdev_alloc_skb(self, slot: int) -> SkBuff | None:
        """Allocate an skb with a head as long as a frame may need, no frame in it yet; None without memory for it."""
        m, core, geometry = self.m, self.core, self.geometry
        found = self.alloc_head(slot)
        if found is None:
            self.out_of_memory(slot, "page")
            return None
        page, head = found
        skb_id = m.new_skb_id()
        if skb_id < 0:
            m.memory.put(page)
            self.out_of_memory(slot, "skb")
            return None
        self.ledger.skb_heads += 1
        end = head + geometry.head - core.shinfo_size
        truesize = geometry.head + core.sk_buff_size
        skb = SkBuff(skb_id, NO_FRAME, page, head, core.net_skb_pad, end, truesize)
        skb.head_region, skb.state = head, "ring"
        page.write(end, core.zeroes)
        page.users[head] = skb.id
        self.ring.rx_skb[slot] = skb
        m.step(steps.SKB_AHEAD, None, slot, page, skb, (geometry.head, truesize))
        return skb

    def alloc_head(self, slot: int) -> tuple[Page, int] | None:
        """Return a piece of the chunk for a head; a page of its own for one that is too long (`__alloc_skb`)."""
        m, geometry = self.m, self.geometry
        if geometry.head >= geometry.page:
            page = m.memory.dev_alloc_pages(geometry.page)
            return None if page is None else (page, 0)
        chunks = cast("RingFragCache", m.napi_frags)
        known = chunks.page
        if not chunks.prepare(geometry.head):
            return None
        page, head = chunks.alloc(geometry.head)
        if page is not known or not head:
            m.step(steps.CHUNK_ALLOC, None, slot, page, None, (page.size,))
        return page, head

    def out_of_memory(self, slot: int, what: str) -> None:
        """Leave the slot empty, and refill no more in this poll; a timer will try again (`mp->oom`)."""
        self.oom = True
        self.short_of = what
        self.m.step(steps.RXQ_OOM, None, slot, None, None, (what,))

    def falls_short(self) -> bool:
        """Whether slots are left without an skb for want of memory."""
        return self.oom

    def needs(self) -> tuple[str, ...]:
        """What a refill takes: a page now and then, and an skb for each slot."""
        return ALLOC_PAGE, ALLOC_SKB

    def next_service(self, now: int) -> int:
        """When the timer goes off that the end of the poll has set (`mod_timer(&mp->rx_oom, jiffies + HZ / 10)`)."""
        return now + self.driver_rules.service_ns

    def revive(self) -> None:
        """The timer schedules NAPI (`oom_timer_wrapper`)."""
        m = self.m
        m.napi.schedule()
        m.note(steps.RXQ_OOM_TIMER)
        m.softirq.irq_exit()

    def post(self, skb: SkBuff, slot: int) -> None:
        """Map the head, write the descriptor, and give it to the NIC with its owner bit: that is all it needs."""
        m, ledger, desc = self.m, self.ledger, self.ring.desc
        size = self.geometry.bufsz
        ledger.dma_maps += 1
        ledger.sync_device_bytes += size
        m.step(steps.BUF_MAP, None, slot, skb.head_page, skb, (skb.head, size))
        address = skb.head_page.dma + skb.data
        _, _, _, _, following = DESC.unpack_from(desc, slot * DESC.size)
        cmd_sts = BUFFER_OWNED_BY_DMA | RX_ENABLE_INTERRUPT
        DESC.pack_into(desc, slot * DESC.size, cmd_sts, size, 0, address & 0xFFFF_FFFF, following)
        ledger.descriptor_writes += 1
        ledger.cache_lines += 1
        skb.data += ETH_HW_IP_ALIGN
        m.step(steps.DESC_GIVE, None, slot, skb.head_page, skb, (skb.head, address, size))

    def counters(self) -> dict[str, int]:
        """Return the driver's own counters, by the names that `ethtool -S` has for them."""
        lro = self.m.lro
        return {
            "rx_packets": self.rx_packets,
            "rx_bytes": self.stat_bytes,
            "rx_errors": self.error_frames,
            "rx_dropped": self.rx_dropped,
            "lro_aggregated": lro.stat_aggregated if lro is not None else 0,
            "lro_flushed": lro.stat_flushed if lro is not None else 0,
            "lro_no_desc": lro.stat_no_desc if lro is not None else 0,
        }
