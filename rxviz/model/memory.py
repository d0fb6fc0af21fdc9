"""Pages and fragments of pages, as real bytes with real reference counts.

Sources of the rules: mm/page_alloc.c and mm/page_frag_cache.c (`page_frag_alloc`, `__page_frag_cache_drain`),
include/linux/mm.h (`page_ref_*`, `put_page`).
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import TYPE_CHECKING

from rxviz.model import steps

if TYPE_CHECKING:
    from rxviz.model.kernel import CoreRules
    from rxviz.model.machine import Machine

DMA_BASE = 0x1_0000_0000
"""Where bus addresses start in the model; a page's address follows from its number and is never used again."""


class _Copiers(dict[int, Callable[[bytearray, int, bytes | bytearray], None]]):
    """How to put so many bytes at an offset: packing them there copies once, assigning to a slice twice."""

    def __missing__(self, length: int) -> Callable[[bytearray, int, bytes | bytearray], None]:
        made = self[length] = Struct(f"{length}s").pack_into
        return made


_COPY = _Copiers()


class Page:
    """A page (or compound page) of `size` bytes.

    `users` maps the start of a region of the page to the number of the skb that holds it: who would read the bytes
    there. The kernel keeps only the count; the model keeps both, so that the two can be held against each other.
    """

    __slots__ = ("data", "dma", "id", "kind", "refcount", "reserved", "size", "slot", "users")

    def __init__(self, id: int, size: int, kind: str) -> None:
        self.id = id
        self.size = size
        self.dma = DMA_BASE + id * size
        """The bus address of the page's first byte."""
        self.kind = kind
        """"rx" for a page that the NIC writes into, "frag" for a chunk that skb heads are cut from."""
        self.data = bytearray()
        """Empty until something is first written: a page fresh from the allocator has no meaningful bytes."""
        self.refcount = 1
        self.slot = -1
        """The slot of the ring whose shadow entry holds the page; -1 when the page is not on the ring."""
        self.users: dict[int, int] = {}
        self.reserved = ""
        """Why it must not stay on a ring: "remote_page" (another node's), "pfmemalloc" (from the emergency reserve)."""

    def release(self, region: int, skb: int) -> None:
        """Forget that an skb holds a region, unless a later one has taken it over."""
        if self.users.get(region) == skb:
            del self.users[region]

    def write(self, offset: int, data: bytes | bytearray) -> None:
        """Write bytes at `offset`; what would lie behind the page's end is cut off."""
        if not self.data:
            self.data = bytearray(self.size)
        length = len(data)
        if offset + length > self.size:
            if offset >= self.size:
                return
            data = data[: self.size - offset]
            length = len(data)
        _COPY[length](self.data, offset, data)


class PageAllocator:
    """Hands out pages and takes them back; knows every page that is alive."""

    __slots__ = ("allocated", "freed", "m", "next_id", "pages")

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.pages: dict[int, Page] = {}
        self.next_id = 0
        self.allocated = 0
        """Pages that the ring was given."""
        self.freed = 0
        """Pages of the ring that went back to the system."""

    def alloc(self, size: int, kind: str) -> Page:
        """Return a fresh page of `size` bytes with one reference."""
        page = Page(self.next_id, size, kind)
        self.pages[page.id] = page
        self.next_id += 1
        return page

    def dev_alloc_pages(self, size: int) -> Page | None:
        """Return a page for the ring, None where none is to be had (`dev_alloc_pages`)."""
        self.allocated += 1
        return self.alloc(size, "rx")

    def dma_map(self, page: Page) -> bool:
        """Map a page for the NIC; return whether that went well (`dma_map_page`, `dma_mapping_error`)."""
        return True

    def put(self, page: Page, references: int = 1) -> bool:
        """Drop references at once; return whether that freed the page (`put_page`, `__page_frag_cache_drain`)."""
        page.refcount -= references
        if page.refcount > 0:
            return False
        self.m.lamps.page_freed(page)
        self.pages.pop(page.id, None)
        if page.kind == "rx":
            self.freed += 1
        self.m.note(steps.PAGE_FREE, None, -1, page)
        return True


class PageFragCache:
    """Cuts heads for skbs from a chunk of 32 KB: the per-CPU `page_frag_cache` of NAPI, in 3.9 `netdev_alloc_cache`.

    Not the driver's half-page scheme; the two share only the idea of prepaid references.
    """

    __slots__ = ("allocator", "bias", "offset", "page", "rules")

    def __init__(self, allocator: PageAllocator, rules: CoreRules) -> None:
        self.allocator = allocator
        self.rules = rules
        self.page: Page | None = None
        self.offset = 0
        self.bias = 0

    def alloc(self, size: int) -> tuple[Page, int]:
        """Return the chunk, and the offset of `size` bytes in it, with one of the prepaid references."""
        page = self.page
        if page is None or not self.fits(size):
            page = self._next_chunk()
        self.bias -= 1
        if self.rules.frag_direction == "down":
            self.offset -= size
            return page, self.offset
        start = self.offset
        self.offset += size
        return page, start

    def fits(self, size: int) -> bool:
        """Whether the chunk has room for `size` bytes more."""
        if self.rules.frag_direction == "down":
            return self.offset >= size
        return self.offset + size <= self.rules.frag_chunk

    def _next_chunk(self) -> Page:
        """Use the chunk again when every fragment of it is free, else leave it to its last user and take a new one."""
        page = self.page
        if page is None or not self.is_free(page):
            page = self.allocator.alloc(self.rules.frag_chunk, "frag")
        return self._start(page)

    def is_free(self, page: Page) -> bool:
        """Give the prepaid references of a chunk back that are left; return whether no fragment of it is in use."""
        page.refcount -= self.bias
        return page.refcount == 0

    def _start(self, page: Page) -> Page:
        size = self.rules.frag_chunk
        self.bias = size if self.rules.frag_refs == "size" else self.rules.frag_refs_fixed
        page.refcount = self.bias
        self.page = page
        self.offset = size if self.rules.frag_direction == "down" else 0
        return page


class RingFragCache(PageFragCache):
    """Cuts heads that the NIC writes into: the per-CPU `netdev_alloc_cache` of 3.9. Its chunks count as the ring's."""

    __slots__ = ()

    def prepare(self, size: int) -> bool:
        """Take a chunk with room for `size` bytes where this one has none; return whether there is one."""
        page = self.page
        if page is not None and self.fits(size):
            return True
        if page is None or not self.is_free(page):
            self.page = page = self.allocator.dev_alloc_pages(self.rules.frag_chunk)
            if page is None:
                return False
        self._start(page)
        return True
