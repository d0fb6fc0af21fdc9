"""A frame on the wire: the one thing that keeps its identity from the NIC to the reader."""

from __future__ import annotations

from rxviz.model.descriptor import VP

TPID_8021Q = 0x8100
"""The type of the tag that NICs take out of a frame (`ETH_P_8021Q`); a tag of another type stays in it."""
TAG_LEN, TAG_AT = 4, 12
"""How long a VLAN tag is, and how far from the start of the frame it begins, in bytes (`VLAN_HLEN`)."""

VLAN_ID = 0xFFF
"""The bits of a TCI that are the VLAN's number."""


class Frame:
    """A frame as it arrives, without FCS.

    `data` holds the bytes that are known; `wire_len` is how long the frame was on the wire, and decides descriptors,
    pages and truesize. A capture cut by its snap length has fewer bytes than that: the rest is `unknown`.
    """

    __slots__ = (
        "data",
        "error",
        "flow",
        "hash",
        "id",
        "known",
        "pkt_info",
        "remark",
        "status",
        "t_ns",
        "tag",
        "vlan",
        "wire_len",
    )

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
        error: str = "",
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
        """An 802.1Q tag in the data, as TPID << 16 | TCI; 0 where there is none."""
        self.vlan = 0
        """The TCI of a tag that the NIC took out, for the write-back."""
        self.error = error
        """What the MAC finds wrong with the frame, by a name of `rxviz.model.nic.Nic.ERRORS`; "" where nothing is."""

    @property
    def stripped_tag(self) -> int:
        """The tag that the NIC took out, as TPID << 16 | TCI; 0 where it took none."""
        return TPID_8021Q << 16 | self.vlan if self.status & VP else 0

    def stored(self, status: int) -> Frame:
        """Return the frame with more status bits: what a NIC writes back that takes a bad frame all the same."""
        return self._changed(self.data[: self.known], self.wire_len, status, self.tag)

    def without_tag(self) -> Frame:
        """Return the frame as it is once the NIC has taken its tag out: 4 bytes shorter, with VP and the tag's TCI."""
        known = self.data[: self.known]
        frame = self._changed(known[:TAG_AT] + known[TAG_AT + TAG_LEN :], self.wire_len - TAG_LEN, VP, 0)
        frame.vlan = self.tag & 0xFFFF
        return frame

    def _changed(self, data: bytes, wire_len: int, status: int, tag: int) -> Frame:
        """Return a copy with other bytes and more status bits; the source may hand this one out again."""
        return Frame(
            self.id, self.t_ns, data, wire_len, self.flow, self.pkt_info, self.hash, self.status | status,
            self.remark, tag, self.error,
        )  # fmt: skip


def tag_of(data: bytes) -> int:
    """Return the 802.1Q tag that a frame begins with, as TPID << 16 | TCI; 0 where it has none."""
    found = int.from_bytes(data[TAG_AT : TAG_AT + TAG_LEN], "big")
    return found if found >> 16 == TPID_8021Q and len(data) >= TAG_AT + TAG_LEN else 0
