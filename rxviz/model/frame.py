"""A frame on the wire: the one thing that keeps its identity from the NIC to the reader."""

from __future__ import annotations


class Frame:
    """A frame as it arrives, without FCS.

    `data` holds the bytes that are known; `wire_len` is how long the frame was on the wire, and decides descriptors,
    pages and truesize. A capture cut by its snap length has fewer bytes than that: the rest is `unknown`.
    """

    __slots__ = ("data", "flow", "hash", "id", "known", "pkt_info", "remark", "status", "t_ns", "tag", "wire_len")

    def __init__(
        self,
        id: int,
        t_ns: int,
        data: bytes,
        wire_len: int,
        flow: int = 0,
        pkt_info: int = 0,
        hash: int = 0,
        status: int = 0,
        remark: str = "",
        tag: int = 0,
    ) -> None:
        self.id = id
        self.t_ns = t_ns
        self.known = len(data)
        """Bytes of the frame that are really known."""
        self.data = data if len(data) >= wire_len else data + bytes(wire_len - len(data))
        """The bytes that DMA writes: `known` real ones, then filler for what was not captured."""
        self.wire_len = wire_len
        self.flow = flow
        """Number of the flow, for the order within it."""
        self.pkt_info = pkt_info
        """RSS type (bits 3:0) and packet type (bits 15:4), as the write-back reports them."""
        self.hash = hash
        self.status = status
        """Checksum and error bits that the write-back adds to DD and EOP."""
        self.remark = remark
        self.tag = tag
        """The VLAN tag that the NIC took out, as TPID << 16 | TCI; 0 for none."""
