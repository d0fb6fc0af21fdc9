"""A packet as GRO sees it: header bytes, how it lies in memory, and GRO's notes on it (`struct napi_gro_cb`)."""

from __future__ import annotations

from enum import IntEnum

ETH_HLEN = 14
_FIRST_ETHERTYPE = 0x0600


class Checksum(IntEnum):
    """`skb->ip_summed`: what the card or the stack knows of the checksums."""

    NONE = 0
    UNNECESSARY = 1
    COMPLETE = 2
    PARTIAL = 3


class GroPacket:
    """An skb on its way through GRO; offsets count from the network header, as the kernel's do after eth_type_trans.

    `frame` are the bytes that are known from the MAC header on, `length` how many there were. `headlen` is what lies in
    the head behind the MAC header, `head_frag` whether the head is part of a page, `head_size` its bytes up to the
    shared info (`skb_end_offset`), `nr_frags` and `truesize` as in the skb. `tag` is the stripped VLAN tag as
    TPID << 16 | TCI, 0 for none. `csum` (for COMPLETE) is the sum of all bytes from the network header on.
    """

    __slots__ = (
        "age",
        "count",
        "csum",
        "csum_cnt",
        "csum_level",
        "csum_offset",
        "csum_start",
        "csum_valid",
        "data",
        "data_offset",
        "dev",
        "encap_mark",
        "fixed_id",
        "flush",
        "frag_list",
        "free",
        "gso_segs",
        "gso_size",
        "gso_trusted",
        "gso_type",
        "hash",
        "head_frag",
        "head_size",
        "headlen",
        "id",
        "ip_summed",
        "is_flist",
        "known",
        "last",
        "len",
        "link",
        "mac",
        "merged",
        "more_flags",
        "network",
        "nr_frags",
        "pp_recycle",
        "proto",
        "protocol",
        "recursion",
        "same_flow",
        "segments",
        "tag",
        "transport",
        "truesize",
    )

    def __init__(
        self,
        id: int,
        frame: bytes,
        length: int = -1,
        *,
        truesize: int = 0,
        headlen: int = -1,
        head_frag: bool = True,
        head_size: int = 0,
        nr_frags: int = 0,
        ip_summed: Checksum = Checksum.NONE,
        csum_level: int = 0,
        csum: int = 0,
        csum_start: int = 0,
        csum_offset: int = 16,
        hash: int = 0,
        dev: int = 0,
        tag: int = 0,
        pp_recycle: bool = False,
        gso_size: int = 0,
        gso_segs: int = 0,
        gso_type: tuple[str, ...] = (),
        gso_trusted: bool = True,
    ) -> None:
        self.id = id
        self.mac = frame[:ETH_HLEN]
        self.data = frame[ETH_HLEN:]
        self.len = (len(frame) if length < 0 else length) - ETH_HLEN
        self.known = min(len(self.data), self.len)
        """Bytes that can be read: fewer than `len` of a frame that a capture cut."""
        self.protocol = eth_type(frame)
        self.truesize = truesize
        self.headlen = self.len if headlen < 0 else headlen
        self.head_frag = head_frag
        self.head_size = head_size
        self.nr_frags = nr_frags
        self.ip_summed = ip_summed
        self.csum_level = csum_level
        self.csum = csum
        self.csum_start = csum_start
        """Where PARTIAL says that the checksum begins, from the network header."""
        self.csum_offset = csum_offset
        """And how far behind that the field stands."""
        self.hash = hash
        self.dev = dev
        self.tag = tag
        self.link = (hash, tag, self.mac, dev)
        """All that the link tells of a flow, for one comparison."""
        self.pp_recycle = pp_recycle
        self.gso_size = gso_size
        self.gso_segs = gso_segs
        self.gso_type = gso_type
        self.gso_trusted = gso_trusted
        # GRO's own notes start here.
        self.data_offset = 0
        self.flush = False
        self.count = 1
        self.same_flow = self.csum_valid = self.is_flist = False
        self.free = self.csum_cnt = self.encap_mark = self.fixed_id = self.recursion = 0
        self.network = [0, 0]
        """Offsets of the outer (or only) and of the inner network header."""
        self.transport = 0
        self.proto = -1
        self.age = 0
        self.more_flags = 0
        """FIN and PSH that later segments brought in."""
        self.segments = [id]
        """Frames merged, in order."""
        self.merged: list[GroPacket] = []
        self.frag_list: list[GroPacket] = []
        self.last: GroPacket | None = None
        """The newest skb on the fragment list, whose slots are filled next; None while they are its own."""

    @property
    def gro_len(self) -> int:
        """Bytes from where GRO has parsed to on; once all headers are parsed, the payload."""
        return self.len - self.data_offset


def eth_type(frame: bytes) -> int:
    """Return what `eth_type_trans` makes of the type field: 0 where it is a length or missing."""
    value = int.from_bytes(frame[12:ETH_HLEN], "big")
    return value if value >= _FIRST_ETHERTYPE and len(frame) >= ETH_HLEN else 0
