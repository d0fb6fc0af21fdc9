"""What a merged skb has lost, frame by frame: what each said in its header, and the skb does not."""

from __future__ import annotations

from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.model.names import frame_name
from rxviz.model.skb import SkBuff
from rxviz.wire.summary import Summary, summarise

NAMED = 2
"""Frames that are named in one line."""


def lost(m: Machine) -> str:
    """Return in words what the first skb that has lost something does not say any more; "" where none has."""
    waiting = m.gro.queue if m.gro is not None else []
    for skb in [*m.socket.queue, *waiting]:
        said = _differences(skb)
        if said:
            return f"{_letters(skb.frames)} in one skb: {', '.join(said[:NAMED])}"
    return ""


def _letters(frames: list[Frame]) -> str:
    names = [frame_name(frame.id) for frame in frames]
    return " ".join(names) if len(names) < 9 else f"{names[0]} to {names[-1]}"


def _differences(skb: SkBuff) -> list[str]:
    first, found = summarise(skb.frame.data), []
    expected = (first.seq or 0) + first.payload_length
    last = skb.frames[-1]
    for frame in skb.frames[1:]:
        said = summarise(frame.data)
        if difference := _difference(first, said, expected, frame is last):
            found.append(f"{frame_name(frame.id)} {difference}")
        expected += said.payload_length
    return found


def _difference(first: Summary, said: Summary, expected: int, last: bool) -> str:
    """Return what a frame said that the first one's header does not say for it."""
    told = (
        ((said.src, said.dst, said.sport) != (first.src, first.dst, first.sport), "is of another connection"),
        (said.l4 == "udp", "was a datagram of its own"),
        (not said.payload_length, f"was an ACK of its own, for byte {said.ack}"),
        (said.l4 == "tcp" and said.seq != expected, f"began at byte {said.seq}, not at {expected}"),
        (said.ack != first.ack, f"said ACK {said.ack}, not {first.ack}"),
        (said.window != first.window, f"said window {said.window}, not {first.window}"),
        ("P" in said.flags and not last, "carried PSH"),
    )
    return next((words for differs, words in told if differs), "")
