"""Every step kind there is: its fields, its plain sentence, the kernel function it stands for, its badge.

This table is the only place where a step is put into words. `text` and `why` are formatted with the step's own
fields (see rxviz.run.trace.words), the names in braces. `who` says which actor takes the step: "nic", "cpu" (time
passes on the CPU's clock) or "reader". Badges: K kernel source, M the model's own simplification.
"""

from __future__ import annotations

from rxviz.model.step_kind import DRIVER
from rxviz.model.step_kind import KINDS as KINDS
from rxviz.model.step_kind import StepKind as StepKind
from rxviz.model.step_kind import kind as _kind
from rxviz.model.steps_fail import FRAME_NO_MEMORY as FRAME_NO_MEMORY
from rxviz.model.steps_fail import NIC_BAD_FRAME as NIC_BAD_FRAME
from rxviz.model.steps_fail import NIC_NO_DESCRIPTOR as NIC_NO_DESCRIPTOR
from rxviz.model.steps_fail import NIC_STRIP as NIC_STRIP
from rxviz.model.steps_fail import PAGE_ALLOC_FAILED as PAGE_ALLOC_FAILED
from rxviz.model.steps_fail import PAGE_MAP_FAILED as PAGE_MAP_FAILED
from rxviz.model.steps_fail import SERVICE_TASK as SERVICE_TASK
from rxviz.model.steps_fail import SKB_ALLOC_FAILED as SKB_ALLOC_FAILED
from rxviz.model.steps_fail import SKB_PAD as SKB_PAD
from rxviz.model.steps_fail import SOCKET_PFMEMALLOC as SOCKET_PFMEMALLOC
from rxviz.model.steps_gro import GRO_EVICT as GRO_EVICT
from rxviz.model.steps_gro import GRO_FLUSH as GRO_FLUSH
from rxviz.model.steps_gro import GRO_HELD as GRO_HELD
from rxviz.model.steps_gro import GRO_MERGE as GRO_MERGE
from rxviz.model.steps_gro import GRO_NORMAL as GRO_NORMAL
from rxviz.model.steps_gro import GRO_RECEIVE as GRO_RECEIVE
from rxviz.model.steps_gro import GRO_UP as GRO_UP
from rxviz.model.steps_gro import STACK_RECEIVE as STACK_RECEIVE
from rxviz.model.steps_lro import BRIDGE_CUT as BRIDGE_CUT
from rxviz.model.steps_lro import BRIDGE_FORWARD as BRIDGE_FORWARD
from rxviz.model.steps_lro import BRIDGE_REFUSE as BRIDGE_REFUSE
from rxviz.model.steps_lro import BRIDGE_SEND as BRIDGE_SEND
from rxviz.model.steps_lro import LRO_ALONE as LRO_ALONE
from rxviz.model.steps_lro import LRO_FLUSH as LRO_FLUSH
from rxviz.model.steps_lro import LRO_MERGE as LRO_MERGE
from rxviz.model.steps_lro import LRO_RECEIVE as LRO_RECEIVE
from rxviz.model.steps_lro import LRO_START as LRO_START
from rxviz.model.steps_mv643xx import BUF_MAP as BUF_MAP
from rxviz.model.steps_mv643xx import BUF_UNMAP as BUF_UNMAP
from rxviz.model.steps_mv643xx import CHUNK_ALLOC as CHUNK_ALLOC
from rxviz.model.steps_mv643xx import DESC_GIVE as DESC_GIVE
from rxviz.model.steps_mv643xx import NIC_DISCARD as NIC_DISCARD
from rxviz.model.steps_mv643xx import NIC_GIVE_BACK as NIC_GIVE_BACK
from rxviz.model.steps_mv643xx import RXQ_DROP as RXQ_DROP
from rxviz.model.steps_mv643xx import RXQ_OOM as RXQ_OOM
from rxviz.model.steps_mv643xx import RXQ_OOM_TIMER as RXQ_OOM_TIMER
from rxviz.model.steps_mv643xx import RXQ_REFILL as RXQ_REFILL
from rxviz.model.steps_mv643xx import RXQ_TAKE as RXQ_TAKE
from rxviz.model.steps_mv643xx import SKB_AHEAD as SKB_AHEAD
from rxviz.model.steps_mv643xx import SKB_LENGTH as SKB_LENGTH
from rxviz.model.steps_napi import CPU_STALL as CPU_STALL
from rxviz.model.steps_napi import ITR_UPDATE as ITR_UPDATE
from rxviz.model.steps_napi import KSOFTIRQD_RUN as KSOFTIRQD_RUN
from rxviz.model.steps_napi import KSOFTIRQD_WAKE as KSOFTIRQD_WAKE
from rxviz.model.steps_napi import NAPI_AGAIN as NAPI_AGAIN
from rxviz.model.steps_napi import NAPI_MISSED as NAPI_MISSED
from rxviz.model.steps_napi import NAPI_TIMER as NAPI_TIMER
from rxviz.model.steps_napi import NAPI_TIMER_START as NAPI_TIMER_START
from rxviz.model.steps_napi import OTHER_POLL as OTHER_POLL
from rxviz.model.steps_napi import READER_RUN as READER_RUN
from rxviz.model.steps_napi import READER_STALL as READER_STALL
from rxviz.model.steps_napi import SOFTIRQ_PASS as SOFTIRQ_PASS
from rxviz.model.steps_napi import SOFTIRQ_SQUEEZE as SOFTIRQ_SQUEEZE
from rxviz.model.steps_qede import CQE_TAKE as CQE_TAKE
from rxviz.model.steps_qede import NIC_NO_BD as NIC_NO_BD
from rxviz.model.steps_qede import TPA_DROP as TPA_DROP
from rxviz.model.steps_qede import TPA_FRAG as TPA_FRAG
from rxviz.model.steps_qede import TPA_NO_SKB as TPA_NO_SKB
from rxviz.model.steps_qede import TPA_SKIP as TPA_SKIP
from rxviz.model.steps_world import WORLD_ACT as WORLD_ACT
from rxviz.model.steps_world import WORLD_ASTRAY as WORLD_ASTRAY
from rxviz.model.steps_world import WORLD_REGISTER as WORLD_REGISTER
from rxviz.model.steps_world import WORLD_STOP as WORLD_STOP

# ---------------------------------------------------------------------------------------------------------------- NIC
WIRE_ARRIVE = _kind(
    "wire.arrive",
    "nic",
    "length",
    "Frame {F} arrives at the NIC: {length:,} bytes without FCS.",
    "It waits in the NIC's packet buffer until a posted descriptor takes it.",
    "NIC",
    "M",
)
NIC_OVERSIZE = _kind(
    "nic.oversize",
    "nic",
    "length limit counter",
    "The NIC refuses frame {F}: {length:,} bytes, the limit is {limit:,}.",
    "The MAC's frame limit follows the MTU; past it a frame could run over the space behind its buffer. Only {counter} tells of it.",
    DRIVER,
    "K",
    "d",
)
NIC_WAIT = _kind(
    "nic.wait",
    "nic",
    "waiting",
    "Frame {F} waits in the NIC: no descriptor is posted. {waiting:,} bytes wait.",
    "RDH has caught up with RDT. The NIC may not write until the driver posts buffers.",
    "NIC",
    "M",
)
NIC_MISSED = _kind(
    "nic.missed",
    "nic",
    "length counter",
    "The NIC drops frame {F}: its packet buffer is full.",
    "No software runs for this frame; only the NIC's own counter {counter} tells of it.",
    DRIVER,
    "M",
    "d",
)
NIC_DMA = _kind(
    "nic.dma",
    "nic",
    "offset size",
    "The NIC writes {size:,} bytes of frame {F} into {place}.",
    "Descriptor {slot} held that address. No CPU takes part.",
    "NIC",
    "K",
)
NIC_WRITEBACK = _kind(
    "nic.writeback",
    "nic",
    "length eop",
    "The NIC overwrites descriptor {slot}: length {length:,}, done{eop_words}.",
    "The write-back takes the place of the address, so the driver must know by itself which buffer slot {slot} had.",
    DRIVER,
    "K",
)
IRQ_RAISE = _kind(
    "irq.raise",
    "nic",
    "itr",
    "The NIC calls for the CPU: its interrupt {itr_words}.",
    "{moderation_words}",
    DRIVER,
    "M",
)
# ---------------------------------------------------------------------------------------------------------- interrupt
IRQ_ENTER = _kind(
    "irq.enter",
    "cpu",
    "found",
    "The interrupt handler {enter_words}; the vector stays masked.",
    "From here on the driver polls. {mask_words}",
    DRIVER,
    "K",
    "i",
)
POLL_START = _kind(
    "poll.start",
    "cpu",
    "budget",
    "Poll {poll} begins: at most {budget} {units}.",
    "The softirq gives each NAPI instance a weight, so that one busy queue cannot keep the CPU.",
    DRIVER,
    "K",
    "p",
)
# ------------------------------------------------------------------------------------------------------------- refill
RING_REFILL = _kind(
    "ring.refill",
    "cpu",
    "count leaving",
    "{count_words} for a buffer: the driver refills {them} now.",
    "{refill_words}",
    DRIVER,
)
PAGE_ALLOC = _kind(
    "page.alloc",
    "cpu",
    "size bias",
    "Slot {slot} has no page: the driver takes page {page} ({size:,} bytes) and maps it.",
    "A page is mapped for DMA once for its whole life on the ring. {bias_words}",
    DRIVER,
    "K",
    "a",
)
DESC_POST = _kind(
    "desc.post",
    "cpu",
    "offset address synced",
    "The driver writes the address of {place} into descriptor {slot}.",
    "The write-back destroyed the old address, so it is written even if it did not change. {sync_words}"
    "The next descriptor is cleared, so that it reads as not done.",
    DRIVER,
)
RING_TAIL = _kind(
    "ring.tail",
    "cpu",
    "tail",
    "The driver writes {tail} to RDT: the NIC may use every slot up to there.",
    "One register write hands over the whole batch; a barrier before it makes the descriptors visible first.",
    DRIVER,
    "K",
    "t",
)
# -------------------------------------------------------------------------------------------------------------- clean
DESC_DONE = _kind(
    "desc.done",
    "cpu",
    "length",
    "Descriptor {slot} is done: its {done_field} is {length_words}.",
    "{done_why} Only now may the other fields be read.",
    DRIVER,
)
DESC_EMPTY = _kind(
    "desc.empty",
    "cpu",
    "",
    "Descriptor {slot} is not done: the poll has caught up with the NIC.",
    "{empty_why} The driver never asks the NIC; it only looks into memory.",
    DRIVER,
)
BUF_SYNC = _kind(
    "buf.sync",
    "cpu",
    "offset size",
    "{size:,} bytes of {place} are synced for the CPU.",
    "Who may touch the buffer is settled by syncs; the mapping itself stays. {cpu_sync_words}",
    DRIVER,
)
BUF_TAKE = _kind(
    "buf.take",
    "cpu",
    "offset bias count",
    "{take_words}: prepaid references go from {bias_before:,} to {bias:,}.",
    "One prepaid reference will go with the frame. Nothing atomic happens: page count stays {count:,}.",
    DRIVER,
)
SKB_ALLOC = _kind(
    "skb.alloc",
    "cpu",
    "head truesize",
    "An skb with a new head of {head:,} bytes is allocated for frame {F}.",
    "The legacy path needs a head of its own, cut from a chunk of 32 KB. {charge_words}",
    DRIVER,
    "K",
    "k",
)
SKB_COPY = _kind(
    "skb.copy",
    "cpu",
    "offset size copied",
    "Frame {F} is short: {copied:,} bytes are copied into the skb's head.",
    "Up to {hdr_size} bytes are copied whole, rounded up to 8. The half stays with the driver, and does not flip.",
    DRIVER,
    "K",
    "c",
)
SKB_FRAG = _kind(
    "skb.frag",
    "cpu",
    "offset size truesize",
    "{size:,} bytes of {place} are attached to the skb as fragment {frag}.",
    "Nothing is copied: the fragment points to where the NIC wrote. {charge_words}",
    DRIVER,
)
SKB_HEADERS = _kind(
    "skb.headers",
    "cpu",
    "size copied",
    "The headers of frame {F} are found ({size} bytes) and copied into the head.",
    "The stack wants headers in linear memory. Copies are rounded up to 8, so {copied} bytes move; the fragment starts behind the headers.",
    DRIVER,
    "K",
    "c",
)
SKB_BUILD = _kind(
    "skb.build",
    "cpu",
    "offset size truesize",
    "An skb is built round frame {F} where it lies, in {place}.",
    "No byte moves and no head is allocated: headroom was left in front and shared info goes behind. {charge_words}",
    DRIVER,
    "K",
    "b",
)
PAGE_FLIP = _kind(
    "page.flip",
    "cpu",
    "offset",
    "The driver flips page {page}: half {half} is its next.",
    "{flip_words}",
    DRIVER,
    "K",
    "f",
)
PAGE_WALK = _kind(
    "page.walk",
    "cpu",
    "offset",
    "The driver moves on in page {page}: its next frame goes to offset {offset:,}.",
    "Pages this large are walked once from start to end; no region is used twice.",
    DRIVER,
    "K",
    "f",
)
PAGE_TOPUP = _kind(
    "page.topup",
    "cpu",
    "bias count",
    "Prepaid references of page {page} run out: the driver pays in again, to {bias:,}.",
    "One atomic addition for about 65 thousand frames, instead of one for each.",
    DRIVER,
    "K",
    "u",
)
PAGE_REUSE = _kind(
    "page.reuse",
    "cpu",
    "offset count bias to_slot",
    "Page {page} stays on the ring: it goes to slot {to_slot}.",
    "{reuse_words} It goes to next_to_alloc, not back to slot {slot}.",
    DRIVER,
    "K",
    "r",
)
PAGE_GIVE_UP = _kind(
    "page.give_up",
    "cpu",
    "offset count bias reserved",
    "The driver gives page {page} up{reason_words}.",
    "{give_up_words} {free_words}",
    DRIVER,
    "K",
    "g",
)
PAGE_UNMAP = _kind(
    "page.unmap",
    "cpu",
    "size",
    "Page {page} is unmapped: the NIC can no longer reach it.",
    "A page is unmapped only when it leaves the ring.",
    DRIVER,
)
RING_CLEAN = _kind(
    "ring.clean",
    "cpu",
    "",
    "next_to_clean moves on to slot {next_slot}: frame {F} is whole.",
    "Descriptor {slot} carried EOP.",
    DRIVER,
)
RING_NON_EOP = _kind(
    "ring.non_eop",
    "cpu",
    "",
    "Frame {F} goes on in the next descriptor: its skb {parked_words}.",
    "Descriptor {slot} carried no EOP. {kept_words}",
    DRIVER,
)
FRAME_DISCARD = _kind(
    "frame.discard",
    "cpu",
    "error counter",
    "Frame {F} is bad ({flags}: {error_words}): the driver throws it away.",
    "The NIC set error bits in its last descriptor, and counted it in {counter} as it came. Such a frame does not count against the budget.",
    DRIVER,
    "K",
    "d",
)
SKB_FIELDS = _kind(
    "skb.fields",
    "cpu",
    "csum hash vlan",
    "Hash and checksum verdict go from descriptor {slot} into the skb{vlan_words}; its data now begins behind the Ethernet header.",
    "{csum_words} The hash is 0x{hash:08x}. All is taken from the descriptor that carried EOP.",
    DRIVER,
)
SKB_DELIVER = _kind(
    "skb.deliver",
    "cpu",
    "length truesize lent",
    "The skb of frame {F} goes up the stack: {length:,} bytes, truesize {truesize:,}.",
    "The driver is done with it. {lent_words}",
    DRIVER,
    "K",
    "s",
)
POLL_END = _kind(
    "poll.end",
    "cpu",
    "work budget short_of",
    "The poll ends after {work_words} of {budget}.",
    "{poll_end_words}",
    DRIVER,
)
NAPI_COMPLETE = _kind(
    "napi.complete",
    "cpu",
    "",
    "NAPI is complete: the queue is off the poll list.",
    "The poll did less than its budget, so nothing is left to do for now.",
    "napi_complete_done",
    "K",
    "e",
)
IRQ_ENABLE = _kind(
    "irq.enable",
    "cpu",
    "",
    "The driver unmasks the vector.",
    "From here on the NIC has to call again; until now it did not need to.",
    DRIVER,
)
# ------------------------------------------------------------------------------------------------------------- socket
SOCKET_QUEUE = _kind(
    "socket.queue",
    "cpu",
    "charged limit",
    "The socket takes frame {F}: {charged:,} of {limit:,} bytes are charged now.",
    "What is charged is truesize, the memory that the skb keeps busy, and not its payload.",
    "the socket, by UDP's rule",
    "M",
)
SOCKET_DROP = _kind(
    "socket.drop",
    "cpu",
    "charged limit",
    "The socket drops frame {F}: {charged:,} of {limit:,} bytes are charged.",
    "All the driver's work was done by then. The NIC's counters show no loss; RcvbufErrors does.",
    "the socket, by UDP's rule",
    "M",
    "d",
)
READER_READ = _kind(
    "reader.read",
    "reader",
    "length",
    "The program reads frame {F}: its skb is taken off the queue.",
    "It gets what lies in the skb's memory at this moment, without the headers.",
    "recvmsg",
    "M",
)
SKB_FREE = _kind(
    "skb.free",
    "reader",
    "",
    "The skb of frame {F} is freed, and with it {refs_words}.",
    "{freed_words}",
    "consume_skb",
    "K",
    "x",
)
PAGE_FREE = _kind(
    "page.free",
    "any",
    "",
    "Page {page} has no reference left: it goes back to the system.",
    "Whoever drops the last reference frees the page, be it the driver or an skb.",
    "__page_frag_cache_drain, put_page",
)

# ---------------------------------------------------------------------------------------------------- sorts of kinds
NIC_DROPS = frozenset({NIC_OVERSIZE, NIC_MISSED, NIC_BAD_FRAME, NIC_NO_DESCRIPTOR, NIC_NO_BD, NIC_DISCARD})
"""Kinds at which a frame is lost before it is written to memory."""
LOSSES = NIC_DROPS | {
    FRAME_DISCARD, FRAME_NO_MEMORY, TPA_NO_SKB, TPA_SKIP, TPA_DROP, RXQ_DROP, SOCKET_DROP, SOCKET_PFMEMALLOC,
    BRIDGE_REFUSE,
}  # fmt: skip
"""Kinds at which a frame is lost."""
BY_NAME = {kind.name: kind.number for kind in KINDS}
