"""What every driver's receive side has: its place in the machine, its counters, and how skbs leave it and die."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rxviz.model import steps
from rxviz.model.descriptor import IPE, L4CS, TCPE
from rxviz.model.failures import ALLOC_PAGE, ALLOC_SKB, MAP

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.kernel import DriverRules
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff

ETH_HLEN = 14
LONG = 8
"""Copies are rounded up to this many bytes (`ALIGN(size, sizeof(long))`)."""


class Driver:
    """The driver's half of one receive queue. `m` is the machine round it.

    A driver of its own says what it does in `configure_rx_ring`, `clean_rx_irq`, `pending` and `counters`; the rest
    here is the same for all, `poll` as far as its rules tell. `PAGE_FAILED` and `SKB_FAILED` are the counters that tell
    of memory that was not to be had, by the names that `ethtool -S` has for them.
    """

    PAGE_FAILED: ClassVar[str] = "alloc_rx_page_failed"
    SKB_FAILED: ClassVar[str] = "alloc_rx_buff_failed"
    PART_WORK: ClassVar[int] = 0
    """What a buffer takes of the budget in which a frame does not end: the budget counts frames."""

    __slots__ = ("core", "discarded", "geometry", "ledger", "m", "rx_bytes", "short_of")

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.core = m.config.core
        self.geometry = m.config.geometry
        self.ledger = m.ledger
        self.discarded: dict[str, int] = {}
        """Frames that the driver itself threw away, by the counter that tells of them."""
        self.short_of = ""
        """What the present poll found no memory for: "skb" or "page"; "" where there was enough."""
        self.rx_bytes = 0
        """Bytes of the frames that went up, without FCS."""

    @property
    def driver_rules(self) -> DriverRules:
        """The rules of the driver's kernel."""
        return self.m.config.rules

    # ------------------------------------------------------------------------------------------ what a driver must do
    def configure_rx_ring(self) -> None:
        """Give the NIC an empty ring and post all it can hold."""
        raise NotImplementedError

    def clean_rx_irq(self, budget: int) -> int:
        """Take done descriptors from the ring until it has none, or `budget` frames are done; return the frames."""
        raise NotImplementedError

    def pending(self) -> bool:
        """Whether the next descriptor is done."""
        raise NotImplementedError

    def falls_short(self) -> bool:
        """Whether fewer buffers are posted than the driver leaves by itself when a poll is over: some failed."""
        return False

    @property
    def waits_for_card(self) -> bool:
        """Whether what the driver has in hand belongs to a packet that the card goes on merging."""
        return False

    def is_cut_off(self) -> bool:
        """Whether the driver has seen to it that no frame can ever come in again."""
        return False

    def needs(self) -> tuple[str, ...]:
        """What it takes to go on where the ring has got stuck, by the kinds of attempts (rxviz.model.failures)."""
        return (ALLOC_SKB,) if self.pending() else (ALLOC_PAGE, MAP)

    def next_service(self, now: int) -> int:
        """When somebody looks after a ring that has got stuck, in ns; 0 for never. Here it is the service task."""
        period = self.driver_rules.service_ns
        return (now // period + 1) * period if period else 0

    def revive(self) -> None:
        """The service task raises the vector's interrupt by software (`ixgbe_irq_rearm_queues`)."""
        nic = self.m.nic
        self.m.note(steps.SERVICE_TASK, None, -1, None, None, (nic.rdh == nic.rdt,))
        nic.arm()

    def counters(self) -> dict[str, int]:
        """Return the driver's own counters, by the names that `ethtool -S` has for them."""
        raise NotImplementedError

    def references(self) -> list[tuple[Page, int]]:
        """Return the references to pages that the driver holds beside the ring; most hold none."""
        return []

    def kept(self, page: Page) -> tuple[int, Frame | None] | None:
        """Return where a page that the driver keeps beside the ring goes on, and a frame that lies there."""
        return None

    def drops(self) -> dict[str, int]:
        """Return the frames that were lost here, each once, by the name of the counter that tells of it."""
        return dict(self.discarded)

    # --------------------------------------------------------------------------------------------------------- a poll
    def poll(self, budget: int) -> int:
        """Clean the ring; where that found it empty, complete and let interrupts in again. Return the work done.

        A driver that used the whole budget stays scheduled, and its vector masked (`ixgbe_poll`, `igb_poll`).
        """
        m, rules = self.m, self.m.config.rules
        m.napi.polls += 1
        m.step(steps.POLL_START, None, -1, None, None, (budget,))
        self.short_of = ""
        work = self.clean_rx_irq(budget)
        m.itr.packets += work
        m.step(steps.POLL_END, None, -1, None, None, (work, budget, self.short_of))
        if work >= budget:
            return budget
        if m.napi.complete_done(work) or rules.irq_enable == "always":
            if m.config.itr_ns is None:
                m.itr.update()
            self.irq_enable()
        return work if rules.poll_returns == "work" else 0

    def irq_enable(self) -> None:
        """Let the queue's vector interrupt again."""
        m = self.m
        m.nic.irq_masked = False
        m.step(steps.IRQ_ENABLE)
        m.nic.rearm()
        if m.next_t <= m.now:
            # The vector may fire this very instant, in the midst of the softirq.
            m.catch_up()

    def follow_null(self, slot: int) -> None:
        """Stop the world: the slot that reads as done has no page, and the kernel would follow a NULL pointer."""
        self.m.lamps.light("no_null_page")
        self.m.note(steps.WORLD_STOP, None, slot)
        self.m.halt()

    # ---------------------------------------------------------------------------------------------------- skbs go, die
    def discard(self, skb: SkBuff, slot: int) -> None:
        """Throw a frame away that the NIC found faulty; the NIC has counted it already."""
        kind = skb.frame.error
        counter = self.m.nic.ERRORS[kind].counter
        self.discarded[counter] = self.discarded.get(counter, 0) + 1
        self.m.step(steps.FRAME_DISCARD, skb.frame, slot, None, skb, (kind, counter))
        self.free_skb(skb)

    def eth_skb_pad(self, skb: SkBuff, slot: int) -> None:
        """Bring a frame that lost its tag back to the length of the shortest frame, with zeros (`eth_skb_pad`)."""
        skb.padding = padding = self.core.eth_zlen - skb.len
        skb.head_page.write(skb.tail, bytes(padding))
        skb.put(padding)
        self.m.step(steps.SKB_PAD, skb.frame, slot, None, skb, (padding,))

    def charge_copy(self, size: int, source: int = 0, target: int = 0) -> None:
        """Put copied bytes on the bill, the lines that they lie in, from and to these offsets, and their time."""
        core, ledger = self.core, self.ledger
        ledger.bytes_copied += size
        ledger.cache_lines += core.lines(source, size) + core.lines(target, size)
        self.m.spend_copy(int(size * self.m.config.cost.copy_byte))

    @staticmethod
    def vouches_for(frame: Frame) -> bool:
        """Whether an skb of the frame goes up as CHECKSUM_UNNECESSARY: the NIC has found its checksums good."""
        return frame.status & (L4CS | TCPE | IPE) == L4CS

    def rx_skb(self, skb: SkBuff, slot: int) -> None:
        """Hand the skb up: to GRO, or where nobody calls it to the stack."""
        self.rx_bytes += skb.len + ETH_HLEN
        gro = self.m.gro
        if gro is not None:
            gro.napi_gro_receive(skb)
        else:
            self.netif_receive_skb(skb, slot)

    def netif_receive_skb(self, skb: SkBuff, slot: int) -> None:
        """Hand the skb of one frame to the stack."""
        m, truesize = self.m, skb.truesize
        self.charge(truesize)
        m.step(steps.SKB_DELIVER, skb.frame, slot, skb.head_page, skb, (skb.len, truesize, skb.holds_buffer))
        m.socket.enqueue(skb)

    def to_stack(self, skb: SkBuff) -> None:
        """The stack gets an skb that GRO or LRO has let go of, made of one frame or of many."""
        m, truesize = self.m, skb.truesize
        self.charge(truesize)
        skb.move("stack")
        m.step(steps.STACK_RECEIVE, skb.frame, -1, skb.head_page, skb, (skb.len, truesize, skb.segs))
        m.socket.enqueue(skb)

    def charge(self, truesize: int) -> None:
        """Put what an skb is charged on the bill."""
        ledger = self.ledger
        ledger.truesize_total += truesize
        if truesize > ledger.truesize_max:
            ledger.truesize_max = truesize

    def free_skb(self, skb: SkBuff) -> None:
        """Drop an skb and the references that it holds (`skb_release_data`)."""
        m, head, frags, region = self.m, skb.head_page, skb.frags, skb.head_region
        pages = self.let_go(skb)
        for member in skb.frag_list:
            pages += self.let_go(member)
        unused = []
        for page in pages:
            page.refcount = count = page.refcount - 1
            if not count:
                unused.append(page)
        self.ledger.refs_atomic += len(pages)
        shown = head if region >= 0 else frags[0].page if frags else None
        m.note(steps.SKB_FREE, skb.frame, -1, shown, skb, ())
        for page in unused:
            m.memory.put(page, 0)

    def let_go(self, skb: SkBuff) -> list[Page]:
        """Take an skb out of the world; return the pages that it still has a reference to."""
        head, frags, region = skb.head_page, skb.frags, skb.head_region
        del self.m.skbs[skb.id]
        skb.state = "freed"
        if region >= 0:
            head.release(region, skb.id)
        for frag in frags:
            frag.page.release(frag.region, skb.id)
        return [head, *(frag.page for frag in frags)]
