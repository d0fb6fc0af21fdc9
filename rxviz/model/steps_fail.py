"""The kinds of step that are taken where something goes wrong, or a frame is not as it should be; see steps."""

from __future__ import annotations

from rxviz.model.step_kind import kind

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
SKB_PAD = kind(
    "skb.pad",
    "cpu",
    "padding",
    "Frame {F} is shorter than 60 bytes: the driver puts {padding} zero bytes behind it.",
    "The NIC has taken its tag out. Code further up counts on the length that the shortest frame on a wire has.",
    "eth_skb_pad",
)
