"""The kinds of step of a driver whose skbs wait in the ring, and of a NIC that shares descriptors by an owner bit."""

from __future__ import annotations

from rxviz.model.step_kind import kind

NIC_GIVE_BACK = kind(
    "nic.give_back",
    "nic",
    "byte_cnt status last",
    "The NIC gives descriptor {slot} back to the driver: {byte_cnt:,} bytes{last_words}.",
    "It writes byte_cnt and cmd_sts and leaves address and size alone; the owner bit is now 0. {count_words}",
    "struct rx_desc",
)
RXQ_OOM = kind(
    "rxq.oom",
    "cpu",
    "what",
    "There is no memory for {what_words}: slot {slot} stays empty, and the refill ends here.",
    "The driver notes it in mp->oom and does not try again in this poll. Slots that have an skb go on as before.",
    "rxq_refill",
    "K",
    "j",
)
RXQ_OOM_TIMER = kind(
    "rxq.oom_timer",
    "any",
    "",
    "The timer rx_oom goes off and schedules NAPI.",
    "The end of the last poll had set it, to a tenth of a second, as slots were without an skb. This poll tries again.",
    "oom_timer_wrapper",
    "K",
    "y",
)
NIC_DISCARD = kind(
    "nic.discard",
    "nic",
    "length",
    "The NIC discards frame {F}: descriptor {slot} is not its own.",
    "Every descriptor is with the driver until it refills. No software runs for this frame; only rx_discard tells.",
    "RX_DISCARD_FRAME_CNT",
    "M",
    "d",
)
RXQ_REFILL = kind(
    "rxq.refill",
    "cpu",
    "count budget",
    "{count_words} without an skb: the driver refills {most_words}.",
    "A refill counts against the budget like a frame. It comes only when no frame is waiting.",
    "rxq_refill",
)
CHUNK_ALLOC = kind(
    "chunk.alloc",
    "cpu",
    "size",
    "The next heads are cut from page {page}, {size:,} bytes.",
    "The last chunk is used to its end. Heads that are still in use keep it; a chunk that is free is taken again.",
    "__netdev_alloc_frag",
    "K",
    "a",
)
SKB_AHEAD = kind(
    "skb.ahead",
    "cpu",
    "head truesize",
    "Skb {skb} is allocated for slot {slot}, with a head of {head:,} bytes; no frame has come yet.",
    "The head is as long as the longest frame may be, whatever comes. {charge_words}",
    "netdev_alloc_skb",
    "K",
    "k",
)
BUF_MAP = kind(
    "buf.map",
    "cpu",
    "offset size",
    "{size:,} bytes of {place} are mapped for the NIC.",
    "This is done for each frame anew, for the whole buffer: the driver does not know yet how long the frame will be.",
    "dma_map_single",
)
DESC_GIVE = kind(
    "desc.give",
    "cpu",
    "offset address size",
    "The driver gives descriptor {slot} to the NIC, with the address of {place}.",
    "Address and size come first, then a barrier, then the owner bit: that hands it over. No register is written.",
    "rxq_refill",
)
RXQ_TAKE = kind(
    "rxq.take",
    "cpu",
    "",
    "The driver takes skb {skb} with frame {F} out of slot {slot}, and moves on to slot {next_slot}.",
    "The slot is empty now, until rxq_refill gives it another skb. This one will never come back.",
    "rxq_process",
)
BUF_UNMAP = kind(
    "buf.unmap",
    "cpu",
    "offset size",
    "{size:,} bytes of {place} are unmapped: the NIC can no longer reach them.",
    "Once for each frame. Where DMA passes caches by, what the CPU's cache has of the whole buffer is given up.",
    "dma_unmap_single",
)
SKB_LENGTH = kind(
    "skb.length",
    "cpu",
    "byte_cnt status",
    "The skb gets frame {F}'s length: {byte_cnt:,} bytes, less 2 in front and 4 of FCS.",
    "{csum_words} Its data now begins behind the Ethernet header.",
    "rxq_process",
)
RXQ_DROP = kind(
    "rxq.drop",
    "cpu",
    "byte_cnt status error",
    "The driver throws away what descriptor {slot} brought of frame {F}: {error_words}.",
    "{why_words} It counts against the budget all the same.",
    "rxq_process",
    "K",
    "d",
)
