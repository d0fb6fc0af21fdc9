"""The kinds of step that only qede and its card take; a part of the table in steps."""

from __future__ import annotations

from rxviz.model.step_kind import kind, said

# --------------------------------------------------------------------------------------------------------------- card
NIC_NO_BD = kind(
    "nic.no_bd",
    "nic",
    "needed posted",
    "The card drops frame {F}: it needs {needed_words}, and {posted_words} posted.",
    "The firmware does not wait for the driver. Only its counter no_buff_discards tells of the frame.",
    "no_buff_discards",
    "M",
    "d",
)
NIC_CQE = kind(
    "nic.cqe",
    "nic",
    "cqe type length bds agg",
    "The card writes completion {cqe}: {cqe_words}.",
    "The BD stays as it is; all that there is to say of the frame stands in these 32 bytes. Then hw_comp_cons goes up "
    "by one in the status block, where the driver will look.",
    "union eth_rx_cqe",
    "K",
)
NIC_TPA_HEADER = kind(
    "nic.tpa_header",
    "nic",
    "offset size segs",
    "The card puts the headers of frame {F} right, in {place}: they stand for {segs} frames now.",
    "Length, checksum and flags become those of the whole. This is why nobody may look at them before the end.",
    "firmware",
    "M",
)
# --------------------------------------------------------------------------------------------------------- completions
CQ_LOOK = kind(
    "cq.look",
    "cpu",
    "hw sw ready",
    "The driver reads hw_comp_cons from the status block: {hw}; its own place is {sw}, so {ready_words}.",
    "It reads the index once and works up to there; what comes meanwhile is for the next round.",
    "qede_rx_int",
)
CQ_MORE = kind(
    "cq.more",
    "cpu",
    "ready",
    "{more_words} meanwhile: the driver reports its whole budget as used.",
    "So NAPI stays scheduled and polls again, with the interrupt off, instead of waiting for a new one.",
    "qede_poll_is_more_work",
)
CQE_TAKE = kind(
    "cqe.take",
    "cpu",
    "cqe type length bds agg",
    "The driver takes completion {cqe}: {cqe_words}.",
    "{take_words}",
    "qede_rx_process_cqe",
)
CQE_FIELDS = kind(
    "cqe.fields",
    "cpu",
    "csum",
    "Hash and checksum verdict go from the completion into the skb; its data now begins behind the Ethernet header.",
    "{csum_words}",
    "qede_set_skb_csum",
)
# ----------------------------------------------------------------------------------------------------- pages and BDs
SEG_NEXT = kind(
    "seg.next",
    "cpu",
    "offset count",
    "The driver moves on in page {page}: {next_words}.",
    "{ref_words} Segments are used one after the other; none is used again, however soon its skb is freed.",
    "qede_realloc_rx_buffer",
    "K",
    "S",
)
SEG_REPOST = kind(
    "seg.repost",
    "cpu",
    "offset address to_slot again",
    "The driver writes the address of {place} into BD {to_slot}.",
    "{repost_words} The page moves from BD {slot} to sw_rx_prod; the card does not know yet.",
    "qede_reuse_page",
    "K",
    "r",
)
PAGE_DONE = kind(
    "page.done",
    "cpu",
    "count",
    "Page {page} is used to its end: the driver unmaps it and lets it go.",
    "Its own reference goes with the skb, so the count stays {count}. Whoever drops the last one frees the page.",
    "qede_realloc_rx_buffer",
    "K",
    "O",
)
PAGE_LATER = kind(
    "page.later",
    "cpu",
    "filled",
    "A new page is due, but not now: {filled} buffers stay posted.",
    "As long as more than {batch} are, the driver puts the allocation off to the end of the poll.",
    "qede_alloc_rx_buffer",
)
BD_FILL = kind(
    "bd.fill",
    "cpu",
    "offset address",
    "The driver writes the address of {place} into BD {slot}.",
    "A BD is 8 bytes: an address{headroom_words}, and nothing else.",
    "qede_alloc_rx_buffer",
)
BD_CONSUME = kind(
    "bd.consume",
    "cpu",
    "",
    "BD {slot} is done with: sw_rx_cons moves on to {next_slot}.",
    "What the BD pointed to is the skb's, or posted again elsewhere.",
    "qede_rx_bd_ring_consume",
)
BD_REFILL = kind(
    "bd.refill",
    "cpu",
    "count",
    "The loop is over, and {missing_words}: the driver fills the ring up.",
    "The ring is filled up at the end of each poll, however little is missing.",
    "qede_rx_int",
)
RING_PROD = kind(
    "ring.prod",
    "cpu",
    "bd cqes",
    "The driver tells the card its producers: BDs up to {bd}, completions up to {cqes}.",
    "One write into the card's memory at the end of the poll, behind a barrier. Only now may the card use what was "
    "posted in it.",
    "qede_update_rx_prod",
    "K",
    "t",
)
JUMBO_FRAG = kind(
    "jumbo.frag",
    "cpu",
    "offset size truesize",
    "{size:,} bytes of {place} are attached to the skb as fragment {frag}.",
    "The frame goes on in this BD; one completion told of all of them. The whole page is unmapped and charged: "
    "{truesize:,} bytes more.",
    "qede_rx_build_jumbo",
)
# ---------------------------------------------------------------------------------------------------------------- TPA
TPA_REPLACE = kind(
    "tpa.replace",
    "cpu",
    "offset address to_slot agg",
    "Page {page}, kept for aggregation {agg}, is posted in BD {to_slot} instead.",
    "The buffer of the first frame cannot go back: the card may still write to its headers. With a page in reserve no "
    "allocation can fail here.",
    "qede_tpa_start",
    "K",
    "r",
)
TPA_PARK = kind(
    "tpa.park",
    "cpu",
    "offset agg",
    "Frame {F} stays where it is: {place} goes into tpa_info[{agg}] until the aggregation ends.",
    "Not a byte of it is looked at before that.",
    "qede_tpa_start",
)
TPA_MAPPED = kind(
    "tpa.mapped",
    "cpu",
    "agg",
    "Page {page} is used to its end, but it stays mapped until aggregation {agg} ends.",
    "The card may still write to the headers of frame {F}, which lie in it.",
    "qede_tpa_rx_build_skb",
    "K",
    "O",
)
TPA_START = kind(
    "tpa.start",
    "cpu",
    "agg gso_size",
    "Aggregation {agg} begins with frame {F}: its skb waits with the driver.",
    "What the first frame carries, {gso_size:,} bytes, is gso_size: the length by which the whole can be cut again.",
    "qede_tpa_start",
    "K",
    "h",
)
TPA_FRAG = kind(
    "tpa.frag",
    "cpu",
    "offset size truesize agg",
    "Frame {F} joins aggregation {agg}: its {size:,} bytes of payload are fragment {frag}.",
    "The card wrote no headers a second time. The skb is charged for the whole segment: {truesize:,} bytes more.",
    "qede_fill_frag_skb",
    "K",
    "m",
)
TPA_COPY = kind(
    "tpa.copy",
    "cpu",
    "offset copied agg",
    "The first buffer of the aggregation, {copied:,} bytes, is copied from {place} into the skb's head.",
    "Its headers are right only now. The page stays in tpa_info[{agg}], in reserve for the next aggregation.",
    "qede_tpa_end",
    "K",
    "c",
)
TPA_END = kind(
    "tpa.end",
    "cpu",
    "agg segs length gso_size",
    "Aggregation {agg} ends: {segs_words} in one skb of {length:,} bytes.",
    "{end_words}",
    "qede_tpa_end",
    "K",
    "l",
)
TPA_NO_SKB = kind(
    "tpa.no_skb",
    "cpu",
    "agg",
    "There is no memory for an skb: aggregation {agg} fails, and frame {F} is lost.",
    "QEDE_AGG_STATE_ERROR: what joins it is posted again unread. The page stays in tpa_info[{agg}], in reserve.",
    "qede_tpa_start",
    "K",
    "d",
)
TPA_ERROR = kind(
    "tpa.error",
    "cpu",
    "agg",
    "There is no page to take the place of page {page}: aggregation {agg} fails at frame {F}.",
    "QEDE_AGG_STATE_ERROR: what joins it is posted again unread, as this segment is, and the skb goes when it ends.",
    "qede_fill_frag_skb",
    "K",
    "j",
)
TPA_SKIP = kind(
    "tpa.skip",
    "cpu",
    "agg",
    "Frame {F} is lost: aggregation {agg}, which it belongs to, has failed.",
    "Its buffer is posted again as it is. No counter tells of it.",
    "qede_fill_frag_skb",
    "K",
    "d",
)
TPA_DROP = kind(
    "tpa.drop",
    "cpu",
    "agg segs",
    "Aggregation {agg} ends, and is dropped: {segs_words} lost with its skb.",
    "It had failed. The driver frees the skb and says nothing: no counter tells of it.",
    "qede_tpa_end",
    "K",
    "d",
)

# ------------------------------------------------------------------------------------- what others have said of others
said("qede", "wire.arrive", why="The card parses it, hashes it and verifies its checksums; then it looks for a buffer.")
said("qede", "nic.dma", why="BD {slot} held that address. No CPU takes part.")
said("qede", "irq.enter", why="From here on the driver polls. The handler masks the vector by a write to the card.")
said("qede", "poll.start", "Poll {poll} begins: at most {budget} completions.")
said(
    "qede",
    "page.alloc",
    "The driver takes page {page} ({size:,} bytes) {for_words}, and maps it whole.",
    "One mapping serves all its segments, until the last has been used. Its one reference is the driver's.",
)
said("qede", "skb.alloc", why="{head_words} {charge_words}")
said(
    "qede",
    "skb.copy",
    why="Up to {hdr_size} bytes are copied whole{pad_words}. The segment is the card's again, as it is.",
)
said("qede", "page.unmap", why="It was used to its end long ago, but until now the card might write to its headers.")
said(
    "qede",
    "frame.discard",
    "Frame {F} is bad: {error_words}. The driver throws it away.",
    "{counter} counts it, and the completion counts against the budget as any other. Its BDs are posted again.",
)
said("qede", "poll.end", "The poll ends, and reports {work} of {budget}.")
said(
    "qede",
    "world.astray",
    "The card follows the address that BD {slot} gave it: {size:,} bytes of frame {F} go where no buffer is any more.",
    "On a real machine this overwrites whatever lies there by now, unless an IOMMU stops it.",
)
