"""The kinds of step that GRO takes, and those that there are only where it is on; a part of the table in steps."""

from __future__ import annotations

from rxviz.model.step_kind import kind

GRO_RECEIVE = kind(
    "gro.receive",
    "cpu",
    "bucket held",
    "The driver hands the skb of frame {F} to GRO: bucket {bucket}, {held_words}.",
    "The receive hash picks the bucket. {compare_words}",
    "dev_gro_receive",
)
GRO_HELD = kind(
    "gro.held",
    "cpu",
    "bucket held gso_size decision",
    "GRO holds frame {F} in bucket {bucket}: {reason}.",
    "Its {gso_size:,} bytes of payload are the gso_size from now on: no longer frame may join. Its memory stays taken "
    "as long as it is held.",
    "dev_gro_receive",
    "K",
    "h",
)
GRO_MERGE = kind(
    "gro.merge",
    "cpu",
    "into how segs length truesize",
    "Frame {F} joins frame {into_name}: {segs} frames in one skb, {length:,} bytes.",
    "{how_words} It is charged {truesize:,} bytes now.",
    "skb_gro_receive",
    "K",
    "m",
)
GRO_NORMAL = kind(
    "gro.normal",
    "cpu",
    "decision",
    "GRO lets frame {F} pass: {reason}.",
    "It goes up as it came, with no frame added. {after_words}",
    "gro_normal_one",
)
GRO_FLUSH = kind(
    "gro.flush",
    "cpu",
    "segs length gso_size left",
    "GRO lets go of frame {F}: {reason}.",
    "{complete_words}",
    "gro_complete",
    "K",
    "l",
)
GRO_EVICT = kind(
    "gro.evict",
    "cpu",
    "segs length gso_size left",
    "GRO gives the place of frame {F} away: {reason}.",
    "A bucket holds 8 packets at most; the one that came first must go, however well it was merging. {complete_words}",
    "gro_flush_oldest",
    "K",
    "l",
)
GRO_UP = kind(
    "gro.up",
    "cpu",
    "count segs",
    "{count_words} up to the stack{together}: {segs_words}.",
    "{batch_words}",
    "gro_normal_list",
)
STACK_RECEIVE = kind(
    "stack.receive",
    "cpu",
    "length truesize segs",
    "The stack gets frame {F}: one skb of {length:,} bytes, truesize {truesize:,}.",
    "It is looked at once, however many frames it is made of: this is what GRO saves.",
    "__netif_receive_skb_core",
    "K",
    "s",
)
