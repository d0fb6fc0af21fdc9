"""The kinds of step that are taken where something goes wrong, or a frame is not as it should be; see steps."""

from __future__ import annotations

from rxviz.model.step_kind import DRIVER, kind

# ----------------------------------------------------------------------------------------------------- the NIC's side
NIC_BAD_FRAME = kind(
    "nic.bad_frame",
    "nic",
    "error counter",
    "The NIC refuses frame {F}: {error_words}.",
    "{refusal} No software runs; only {counter} tells of it.",
    "FCTRL.SBP",
    "K",
    "d",
)
NIC_NO_DESCRIPTOR = kind(
    "nic.no_descriptor",
    "nic",
    "length counter",
    "The NIC drops frame {F} at once: too few descriptors are posted for it.",
    "Drop enable is on, so that a dry queue holds up no other. No software runs; only {counter} tells of it.",
    "SRRCTL.DROP_EN",
    "K",
    "d",
)
NIC_STRIP = kind(
    "nic.strip",
    "nic",
    "tci length",
    "The NIC takes the VLAN tag out of frame {F}: VLAN {vid}; {length:,} bytes are left.",
    "The tag will stand in the descriptor's vlan field, with the bit VP set. The driver hands it on beside the frame.",
    "RXDCTL.VME",
)
# ------------------------------------------------------------------------------------------------------------- memory
PAGE_ALLOC_FAILED = kind(
    "page.alloc_failed",
    "cpu",
    "counter",
    "Slot {slot} needs a page, and none is to be had: the refill ends here.",
    "{counter} goes up. Slots that are filled already go to the NIC; the others wait for a later refill. No frame is "
    "lost by that alone.",
    DRIVER,
    "K",
    "j",
)
PAGE_MAP_FAILED = kind(
    "page.map_failed",
    "cpu",
    "counter",
    "Page {page} cannot be mapped for the NIC: slot {slot} stays empty, and the refill ends here.",
    "A page that the NIC cannot reach is of no use: it goes back. {counter} goes up, as if there had been no page.",
    DRIVER,
    "K",
    "j",
)
SKB_ALLOC_FAILED = kind(
    "skb.alloc_failed",
    "cpu",
    "counter bias",
    "There is no memory for an skb: frame {F} stays in slot {slot}, and the poll stops looking.",
    "{counter} goes up{bias_words}. next_to_clean does not move, so a later poll finds the frame: it is not lost.",
    DRIVER,
    "K",
    "j",
)
SOCKET_PFMEMALLOC = kind(
    "socket.pfmemalloc",
    "cpu",
    "",
    "The socket may not take frame {F}: it lies in memory from the emergency reserve.",
    "That memory is for sockets that help to free memory (SOCK_MEMALLOC), as swapping over a network does. "
    "PFMemallocDrop counts the frame.",
    "sk_filter_trim_cap",
    "K",
    "d",
)
SERVICE_TASK = kind(
    "service.task",
    "any",
    "dry",
    "The service task comes by, every {period_words}, and raises the queue's interrupt by software.",
    "{dry_words} The next poll tries again.",
    DRIVER,
    "K",
    "y",
)
SKB_PAD = kind(
    "skb.pad",
    "cpu",
    "padding",
    "Frame {F} is shorter than 60 bytes: the driver puts {padding} zero bytes behind it.",
    "The NIC has taken its tag out. Code further up counts on the length that the shortest frame on a wire has.",
    "eth_skb_pad",
)
