"""A frame's headers as parts of a bar, each layer in its own role; what was not captured as such."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rxviz.view.cell import Role, frame_role
from rxviz.view.glyphs import Glyphs
from rxviz.view.scale import Part
from rxviz.wire.dissect import Layer, layers

if TYPE_CHECKING:
    from rxviz.model.frame import Frame

_ROLES = {
    "eth": Role.HEADER_ETH, "vlan": Role.HEADER_ETH, "pppoe": Role.HEADER_ETH, "ipv4": Role.HEADER_IP,
    "ipv6": Role.HEADER_IP, "ext": Role.HEADER_IP, "arp": Role.HEADER_IP, "vxlan": Role.HEADER_TUNNEL,
    "gre": Role.HEADER_TUNNEL,
}  # fmt: skip


def header_role(name: str, frame_id: int) -> str:
    """Return the role of a layer by its name."""
    return frame_role(frame_id, solid=False) if name == "payload" else _ROLES.get(name, Role.HEADER_L4)


@lru_cache(maxsize=64)
def _layers(data: bytes) -> tuple[Layer, ...]:
    return tuple(layers(data))


def layers_of(frame: Frame) -> tuple[Layer, ...]:
    """Return the layers of the bytes that are known; a captured frame may end in the middle of one."""
    return _layers(frame.data if frame.known >= frame.wire_len else frame.data[: frame.known])


def header_parts(frame: Frame, first: int, size: int, glyphs: Glyphs) -> list[Part]:
    """Return the parts of bytes `first` … `first + size` of a frame: headers, payload, and what was not captured."""
    end = first + size
    parts: list[Part] = []
    at = first
    for layer in layers_of(frame):
        low, high = max(layer.offset, first), min(layer.offset + layer.length, end)
        if low >= high:
            continue
        role = header_role(layer.name, frame.id)
        if layer.name == "payload":
            parts.append(Part("", high - low, glyphs.stack, role))
        else:
            parts.append(
                Part(
                    layer.name,
                    high - low,
                    " ",
                    role,
                    role,
                    padded=False,
                    least=max(4, len(layer.name) + 1),
                    closing="│",
                )
            )
        at = high
    known = min(frame.known, end)
    if at < known:
        parts.append(Part("", known - at, glyphs.stack, header_role("payload", frame.id)))
        at = known
    if at < end:
        parts.append(Part(f"{end - at:,} not captured", end - at, glyphs.unknown, Role.UNKNOWN))
    return parts
