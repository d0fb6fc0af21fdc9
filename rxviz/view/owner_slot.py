"""A slot whose descriptor says by one bit whose it is, in words: the line in the ring's border, and its 16 bytes."""

from __future__ import annotations

from rxviz.model.mv643xx_desc import (
    BUFFER_OWNED_BY_DMA,
    DESC,
    ERROR_SUMMARY,
    LAYER_4_CHECKSUM_OK,
    RX_PKT_IS_IPV4,
    RX_PKT_LAYER4_TYPE_MASK,
    RX_PKT_LAYER4_TYPE_TCP_IPV4,
    RX_PKT_LAYER4_TYPE_UDP_IPV4,
    WHOLE,
    flag_names,
)
from rxviz.model.names import frame_name
from rxviz.run.timeline import Moment
from rxviz.view.cell import Role
from rxviz.view.slots import Slot, SlotState, being_written, slot_of_frame

Spans = list[tuple[str, str]]
_SHORT = {"BUFFER_OWNED_BY_DMA": "OWNED_BY_DMA", "LAYER_4_CHECKSUM_OK": "L4_OK", "RX_ENABLE_INTERRUPT": "INT"}


def owner_words(moment: Moment, slot: Slot) -> Spans:
    """Return what is in a slot, behind its number."""
    desc = moment.machine.ring.desc
    cmd_sts, _, byte_cnt, buf_ptr, _ = DESC.unpack_from(desc, slot.number * DESC.size)
    if slot.state is SlotState.DONE:
        return _done(cmd_sts, byte_cnt, slot)
    if slot.skb is None:
        step, words = moment.step, "no skb until the next refill"
        if step is not None and step.frame is not None and slot_of_frame(moment, step.frame) == slot.number:
            words = f"no skb now; frame {frame_name(step.frame)} came through it"
        return [(words, Role.REST)]
    step = moment.step
    if step is not None and step.frame is not None and being_written(step) == slot.number:
        return [(f"DMA of frame {frame_name(step.frame)} into the head of skb {slot.skb}", Role.PLAIN)]
    if not cmd_sts & BUFFER_OWNED_BY_DMA:
        return [(f"skb {slot.skb}: not the NIC's yet", Role.PLAIN)]
    return [(f"the NIC's: head of skb {slot.skb}", Role.PLAIN), (f"  0x{buf_ptr:x}", Role.REST)]


def _done(cmd_sts: int, byte_cnt: int, slot: Slot) -> Spans:
    spans: Spans = [(f"byte_cnt {byte_cnt:,}  ", Role.PLAIN)]
    if cmd_sts & ERROR_SUMMARY:
        return [*spans, ("ERROR_SUMMARY", Role.BAD)]
    if cmd_sts & WHOLE != WHOLE:
        return [*spans, ("the frame ends here" if slot.eop else "goes on in the next slot", Role.BAD)]
    return [*spans, ("FIRST LAST  ", Role.PLAIN), (f"{packet_kind(cmd_sts)}  ", Role.PLAIN), csum_verdict(cmd_sts)]


def packet_kind(cmd_sts: int) -> str:
    """Return what the NIC takes a frame for: "tcp4", "udp4", "ipv4", "other"."""
    if not cmd_sts & RX_PKT_IS_IPV4:
        return "other"
    kind = cmd_sts & RX_PKT_LAYER4_TYPE_MASK
    return {RX_PKT_LAYER4_TYPE_TCP_IPV4: "tcp4", RX_PKT_LAYER4_TYPE_UDP_IPV4: "udp4"}.get(kind, "ipv4")


def csum_verdict(cmd_sts: int) -> tuple[str, str]:
    """Return what the NIC says of the checksum."""
    return ("csum ok", Role.GOOD) if cmd_sts & LAYER_4_CHECKSUM_OK else ("csum not vouched for", Role.REST)


def fields(desc: bytearray, number: int) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return (offset, name, value in words from long to short) of a descriptor's fields."""
    cmd_sts, buf_size, byte_cnt, buf_ptr, following = DESC.unpack_from(desc, number * DESC.size)
    names = flag_names(cmd_sts)
    short = [_SHORT.get(name, name.removeprefix("RX_")) for name in names]
    forms = (f"0x{cmd_sts:08x} {' '.join(names)}", f"0x{cmd_sts:08x} {' '.join(short)}", " ".join(short[:3]))
    return [
        (0, "cmd_sts", (*forms, f"0x{cmd_sts:08x}")),
        (4, "buf_size", (f"{buf_size:,}",)),
        (6, "byte_cnt", (f"{byte_cnt:,}",)),
        (8, "buf_ptr", (f"0x{buf_ptr:08x}",)),
        (12, "next_desc", (f"0x{following:08x}",)),
    ]
