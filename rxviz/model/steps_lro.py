"""The kinds of step that LRO takes, and those of a bridge that sends on what it gets."""

from __future__ import annotations

from rxviz.model.step_kind import kind

LRO_RECEIVE = kind(
    "lro.receive",
    "cpu",
    "held",
    "The driver hands the skb of frame {F} to LRO, {held_words}.",
    "Only frames whose checksum the NIC vouches for come here; all others go past LRO.",
    "lro_receive_skb",
)
LRO_START = kind(
    "lro.start",
    "cpu",
    "desc size",
    "LRO begins a packet with frame {F}, in descriptor {desc} of 8.",
    "It notes sequence number, ACK number, window and timestamps. {size:,} bytes of payload are its gso_size so far.",
    "lro_init_desc",
    "K",
    "h",
)
LRO_MERGE = kind(
    "lro.merge",
    "cpu",
    "into segs length truesize ack window",
    "Frame {F} joins frame {into_name}: {segs} frames in one skb, {length:,} bytes.",
    "Only the sequence number had to follow. ACK number {ack} and window {window} are noted, and asked nothing. The "
    "whole skb is chained to the fragment list: {truesize:,} bytes are charged now.",
    "lro_add_packet",
    "K",
    "m",
)
LRO_ALONE = kind(
    "lro.alone",
    "cpu",
    "left",
    "LRO does not take frame {F}: {reason}.",
    "It goes to the stack as it came. What was in the making of its connection, if it was of one, left before it.",
    "lro_receive_skb",
)
LRO_FLUSH = kind(
    "lro.flush",
    "cpu",
    "segs length gso_size left",
    "LRO lets go of frame {F}: {reason}.",
    "{header_words}",
    "lro_flush",
    "K",
    "l",
)
# ------------------------------------------------------------------------------------------------------------- a bridge
BRIDGE_FORWARD = kind(
    "bridge.forward",
    "cpu",
    "segs length",
    "The bridge sends frame {F} on: {skb_words}.",
    "It looks the destination up once for the skb, however many frames it is made of.",
    "__br_forward",
    "K",
    "s",
)
BRIDGE_REFUSE = kind(
    "bridge.refuse",
    "cpu",
    "segs gso_size",
    "The bridge drops frame {F}: LRO has merged {segs} frames here, and they cannot be had back.",
    "gso_size {gso_size:,} without a type is LRO's mark. The kernel warns, for LRO should have been off.",
    "skb_warn_if_lro",
    "K",
    "d",
)
BRIDGE_CUT = kind(
    "bridge.cut",
    "cpu",
    "count gso_size",
    "The skb is cut into {count} frames again, {gso_size:,} bytes of payload each.",
    "All get the one header that is left, with sequence number and IPv4 ID counted on.",
    "tcp_tso_segment",
)
BRIDGE_SEND = kind(
    "bridge.send",
    "cpu",
    "length changes",
    "Frame {F} goes out of the other port{as_words}.",
    "{why_words}",
    "dev_queue_xmit",
    "M",
)
