"""sk_buffs: a head of real bytes, fragments of pages, and what a socket is charged for them.

Sources: include/linux/skbuff.h, net/core/skbuff.c (`napi_alloc_skb`, `build_skb`, `skb_add_rx_frag`,
`skb_release_data`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rxviz.model.frame import Frame

if TYPE_CHECKING:
    from rxviz.model.memory import Page


class _NoFrame(Frame):
    """The frame of an skb that has none yet: there is one of it, also behind a checkpoint."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return "NO_FRAME"


NO_FRAME = _NoFrame(-1, 0, b"", 0)
"""Stands in an skb that is allocated before its frame has come."""


class Frag(NamedTuple):
    """A part of an skb that stays in a page: where it lies, how long it is, and which region of the page it holds."""

    page: Page
    offset: int
    size: int
    region: int


class SkBuff:
    """An skb. `head`, `data`, `tail` and `end` are offsets in `head_page`, as the kernel's are pointers.

    `len` counts all bytes, `data_len` those in frags; `truesize` is what a socket is charged, in bytes.
    """

    __slots__ = (
        "data",
        "data_len",
        "end",
        "frag_frames",
        "frag_list",
        "frags",
        "frame",
        "gso_size",
        "gso_type",
        "head",
        "head_page",
        "head_region",
        "headers",
        "id",
        "len",
        "merged",
        "padding",
        "page_released",
        "pulled",
        "state",
        "summed",
        "synced",
        "truesize",
        "vlan_tag",
    )

    def __init__(
        self, id: int, frame: Frame, head_page: Page, head: int, headroom: int, end: int, truesize: int
    ) -> None:
        """Make an skb with room in front of its data (`skb_reserve`), and nothing in it yet."""
        self.id = id
        self.frame = frame
        self.head_page = head_page
        self.head = head
        self.data = head + headroom
        self.end = end
        self.len = 0
        self.data_len = 0
        self.pulled = 0
        """Bytes in front of `data` that belong to the frame: the Ethernet header, once it has been stepped over."""
        self.truesize = truesize
        self.frags: list[Frag] = []
        self.head_region = -1
        """The region of a ring's page that the head holds; -1 when the head is a fragment of its own."""
        self.page_released = False
        """The first buffer's page left the ring before the frame was whole; its unmap was put off."""
        self.synced = True
        """False while the first buffer of a frame over several descriptors has not been synced for the CPU yet."""
        self.state = "driver"
        """Where it is: ring (before its frame), driver, lro or gro (held), list (waiting for a batch), stack, socket,
        reader.
        """
        self.merged: Sequence[tuple[Frame, int]] = ()
        """Frames that GRO merged into this one, and how many bytes of headers each lost by that."""
        self.frag_list: Sequence[SkBuff] = ()
        """Skbs chained whole behind the fragments (`skb_shinfo(skb)->frag_list`)."""
        self.frag_frames: list[Frame] = []
        """Whose bytes each fragment holds; empty as long as all are the skb's own frame's."""
        self.headers = b""
        """What GRO made of the headers of a merged frame; empty where they are as they came."""
        self.gso_size = 0
        self.gso_type: tuple[str, ...] = ()
        """How a merged one is to be cut again; GRO says it, LRO does not."""
        self.padding = 0
        """Zero bytes that the driver put behind a frame that was too short."""
        self.vlan_tag = 0
        """A tag that the NIC took out of the frame, as TPID << 16 | TCI (`__vlan_hwaccel_put_tag`)."""
        self.summed = False
        """GRO has verified its checksum by adding it up (`CHECKSUM_UNNECESSARY` since then)."""

    @property
    def waits_for_frame(self) -> bool:
        """Whether it lies in the ring, and no frame has come yet."""
        return self.frame.id < 0

    @property
    def head_len(self) -> int:
        """Bytes in the linear part (`skb_headlen`)."""
        return self.len - self.data_len

    @property
    def tail(self) -> int:
        """The offset in `head_page` at which the linear part ends."""
        return self.data + self.len - self.data_len

    @property
    def mac_header(self) -> int:
        """The offset in `head_page` at which the frame begins."""
        return self.data - self.pulled

    @property
    def segs(self) -> int:
        """How many frames it is made of (`gso_segs`, 1 where nothing was merged)."""
        return len(self.merged) + 1

    @property
    def frames(self) -> list[Frame]:
        """The frames it is made of, in order."""
        return [self.frame, *(frame for frame, _ in self.merged)]

    @property
    def is_built(self) -> bool:
        """Whether the head is the NIC's own buffer (build_skb)."""
        return self.head_region >= 0

    @property
    def holds_buffer(self) -> bool:
        """Whether it holds a buffer of the ring; a frame that was copied whole holds none."""
        return self.is_built or bool(self.frags)

    @property
    def first_page(self) -> Page:
        """The page that the NIC wrote the frame's first buffer into."""
        return self.head_page if self.is_built or not self.frags else self.frags[0].page

    def reserve(self, size: int) -> None:
        """Leave more room in front of the data, while there is none yet (`skb_reserve`)."""
        self.data += size

    def put(self, size: int) -> None:
        """Lengthen the linear part (`__skb_put`)."""
        self.len += size

    def pull(self, size: int) -> None:
        """Step over a header (`__skb_pull`): its bytes stay where they are, in front of the data."""
        self.pulled += size
        self.data += size
        self.len -= size

    def add_frag(self, page: Page, offset: int, size: int, region: int, truesize: int) -> None:
        """Attach a part of a page (`skb_add_rx_frag`)."""
        self.frags.append(Frag(page, offset, size, region))
        self.len += size
        self.data_len += size
        self.truesize += truesize

    def join(self, page: Page, offset: int, size: int, region: int, truesize: int, frame: Frame) -> None:
        """Attach the payload of another frame, whose headers the card left out."""
        if not self.frag_frames:
            self.frag_frames = [self.frame] * len(self.frags)
        self.add_frag(page, offset, size, region, truesize)
        self.frag_frames.append(frame)
        self.merged = [*self.merged, (frame, frame.wire_len - size)]

    # --------------------------------------------------------------------------------------------------------- merging
    def move(self, state: str) -> None:
        """Note where it is now, and with it what is chained to it."""
        self.state = state
        for member in self.frag_list:
            member.state = state

    def pull_tail(self, size: int) -> int:
        """Copy bytes from the first fragment into the head, as far as it has room (`__pskb_pull_tail`); return them."""
        page, offset, left, region = self.frags[0]
        size = min(size, self.end - self.tail, left - 1)
        self.head_page.write(self.tail, page.data[offset : offset + size])
        self.frags[0] = Frag(page, offset + size, left - size, region)
        self.data_len -= size
        return size

    def payload_frags(self, offset: int, stolen: bool) -> list[Frag]:
        """Return what lies behind `offset` as fragments, the head's part in front where the head may be one."""
        if stolen:
            own = Frag(self.head_page, self.data + offset, self.head_len - offset, self.head_region)
            return [own, *self.frags]
        if not self.frags:
            return []  # No payload at all: only a wrong world merges such a frame.
        (page, start, size, region), *others = self.frags
        behind = offset - self.head_len
        return [Frag(page, start + behind, size - behind, region), *others]

    def take(self, frags: list[Frag], skb: SkBuff) -> None:
        """Take over fragments of another skb; where its head became the first, that holds its own frame's bytes."""
        if not self.frag_frames:
            self.frag_frames = [self.frame] * len(self.frags)
        self.frags += frags
        owners = skb.frag_frames or [skb.frame] * len(skb.frags)
        self.frag_frames += [skb.frame] * (len(frags) - len(owners)) + owners

    def grow(self, size: int, truesize: int) -> None:
        """Count bytes that were added outside the head."""
        self.len += size
        self.data_len += size
        self.truesize += truesize

    def frame_at(self, page: Page, region: int) -> Frame:
        """Return the frame whose bytes lie in a region of a page that this skb holds."""
        for frag, frame in zip(self.frags, self.frag_frames, strict=False):
            if frag.page is page and frag.region == region:
                return frame
        return self.frame

    def rewrite_headers(self, headers: bytes) -> None:
        """Put the headers of a merged frame right where they lie (`gro_complete`): lengths and checksums."""
        self.headers = headers
        linear = min(len(headers), self.tail - self.mac_header)
        self.head_page.write(self.mac_header, headers[:linear])
        if linear < len(headers):
            self.frags[0].page.write(self.frags[0].offset, headers[linear:])

    # ---------------------------------------------------------------------------------------------------------- bytes
    def payload(self) -> bytes:
        """Return every byte of it, pulled headers included, from the memory that it really lies in."""
        parts = [bytes(self.head_page.data[self.mac_header : self.tail])]
        parts += [bytes(frag.page.data[frag.offset : frag.offset + frag.size]) for frag in self.frags]
        for member in self.frag_list:
            parts.append(member.payload()[member.pulled :])
        return b"".join(parts)

    def expected(self) -> bytes:
        """Return the bytes that it should have: its frame's, padded where that is short, and what was merged."""
        data = self.frame.data
        if not self.merged:
            return data + bytes(self.padding) if self.padding else data
        rest = [frame.data[skipped:] for frame, skipped in self.merged]
        return b"".join([self.headers, data[len(self.headers) :], *rest])

    def is_intact(self) -> bool:
        """Whether it has the bytes of its frames."""
        return self.payload() == self.expected() if self.frag_list else self.matches(self.expected())

    def matches(self, data: bytes) -> bool:
        """Whether its bytes, where they lie now, are `data`; makes no copy of them, and looks at no chained skb."""
        start = self.data - self.pulled
        if self.len + self.pulled != len(data):
            return False
        if not self.frags:
            return self.head_page.data.startswith(data, start)
        at = self.tail - start
        if not data.startswith(self.head_page.data[start : self.tail]):
            return False
        for frag in self.frags:
            if not frag.page.data.startswith(data[at : at + frag.size], frag.offset):
                return False
            at += frag.size
        return True
