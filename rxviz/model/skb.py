"""sk_buffs: a head of real bytes, fragments of pages, and what a socket is charged for them.

Sources: include/linux/skbuff.h, net/core/skbuff.c (`napi_alloc_skb`, `build_skb`, `skb_add_rx_frag`,
`skb_release_data`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page


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
        "frags",
        "frame",
        "head",
        "head_page",
        "head_region",
        "id",
        "len",
        "page_released",
        "pulled",
        "state",
        "synced",
        "truesize",
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
        """Where it is: driver, socket, reader."""

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
    def is_built(self) -> bool:
        """Whether the head is the NIC's own buffer (build_skb)."""
        return self.head_region >= 0

    @property
    def first_page(self) -> Page:
        """The page that the NIC wrote the frame's first buffer into."""
        return self.head_page if self.is_built or not self.frags else self.frags[0].page

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

    def payload(self) -> bytes:
        """Return every byte of the frame, pulled headers included, from the memory that it really lies in."""
        parts = [bytes(self.head_page.data[self.mac_header : self.tail])]
        parts += [bytes(frag.page.data[frag.offset : frag.offset + frag.size]) for frag in self.frags]
        return b"".join(parts)

    def matches(self, data: bytes) -> bool:
        """Whether the frame's bytes, where they lie now, are `data`; makes no copy of them."""
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
