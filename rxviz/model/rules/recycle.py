"""What would happen to pages if a rule about when they stay, and where they go, did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.rules.doubt import DoubtingIntel
from rxviz.model.skb import SkBuff

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer


class CopyFlips(DoubtingIntel):
    """Every frame turns its page, also one that was copied and holds no half."""

    __slots__ = ()

    def fill_skb(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Flip after a copy, too."""
        super().fill_skb(buffer, page, skb, slot, size)
        if not skb.holds_buffer:
            self.say("The frame was copied, and the driver flips all the same.", skb.frame, slot, page, skb)
            self.flip(buffer, page, skb, slot, self.frag_truesize(size))


class FlipsLast(DoubtingIntel):
    """The page is looked at first, and flips only if it stays."""

    __slots__ = ()

    def flip(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """Leave a half as it is for now; on large pages there is nothing to flip."""
        if not self.geometry.half:
            super().flip(buffer, page, skb, slot, truesize)

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Decide, and flip only then."""
        stays = super().can_reuse_rx_page(buffer, page, skb, slot)
        if self.geometry.half and skb.holds_buffer:
            if stays:
                super().flip(buffer, page, skb, slot, self.geometry.half)
            else:
                self.say("The page does not stay, so the driver does not flip it.", skb.frame, slot, page, skb)
        return stays


class UseFollowsAlloc(DoubtingIntel):
    """A recycled page counts as posted: the two cursors are one."""

    __slots__ = ()

    def reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Move next_to_use along, though no descriptor was written."""
        super().reuse_rx_page(buffer, page, skb, slot)
        ring = self.ring
        ring.next_to_use = ring.next_to_alloc
        self.say(f"next_to_use moves on to slot {ring.next_to_use}, too.", skb.frame, slot, page, skb)

    def alloc_rx_buffers(self, cleaned_count: int) -> None:
        """Post what is free by the driver's cursors."""
        super().alloc_rx_buffers(min(cleaned_count, self.ring.desc_unused()))


class TwoFramesPerPage(DoubtingIntel):
    """A page backs two frames and is replaced, as qede's pages are."""

    __slots__ = ()

    def only_user(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Let a page go whose second half has just been used, whoever else uses it; a copied frame used none."""
        if not super().only_user(buffer, page, skb, slot):
            return False
        at_start = buffer.page_offset == self.geometry.pad
        has_flipped = self.rules.page_management != "fetch"
        if self.geometry.half and skb.holds_buffer and at_start == has_flipped:
            self.say("Each half has held a frame, so the driver lets the page go.", skb.frame, slot, page, skb)
            return False
        return True


class CountsUsers(DoubtingIntel):
    """A page has as many users as its count says."""

    __slots__ = ()

    def only_user(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Look at the count alone, without taking off what is prepaid."""
        if not self.geometry.half or not self.rules.bias_start:
            return super().only_user(buffer, page, skb, slot)
        sentence = f"The driver takes a count of {page.refcount:,} for so many users."
        self.say(sentence, skb.frame, slot, page, skb)
        return False


class GetsEachTime(DoubtingIntel):
    """Each frame's reference is taken as it comes (`get_page`), and nothing of what is prepaid is used."""

    __slots__ = ()

    def take_reference(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, count: int) -> None:
        """Raise the count: one atomic act."""
        super().take_reference(buffer, page, frame, slot, count)
        buffer.pagecnt_bias += 1
        self.change(page, 1)
        self.say("The driver raises the page's count for this frame: one atomic act.", frame, slot, page)

    def keep_half(self, buffer: RxBuffer) -> None:
        """Put the reference of a copied frame back into the page."""
        super().keep_half(buffer)
        if self.rules.page_management != "fetch":
            self.put_back(buffer)

    def take_back_reference(self, buffer: RxBuffer) -> None:
        """Put the reference of a frame without an skb back into the page."""
        super().take_back_reference(buffer)
        if self.rules.page_management != "fetch":
            self.put_back(buffer)

    def put_back(self, buffer: RxBuffer) -> None:
        """Lower the count again, and not the bias, which the driver's own code has just raised."""
        buffer.pagecnt_bias -= 1
        if buffer.page is not None:
            self.change(buffer.page, -1)

    def change(self, page: Page, by: int) -> None:
        """Change a page's count: one atomic act, that the driver's last look at the count knows of."""
        page.refcount += by
        self.pagecnt += by
        self.ledger.refs_atomic += 1


class PagesComeBack(DoubtingIntel):
    """Freeing an skb returns its page to the ring: a page that is given up is only lent.

    The driver keeps one reference to it, and takes it again once no skb points into it.
    """

    __slots__ = ()

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Give all references but one back, and leave the page mapped."""
        before = page.refcount
        page.refcount = before - (buffer.pagecnt_bias or 1) + 1 if self.rules.bias_start else before + 1
        if not self.rules.bias_start and not skb.holds_buffer:
            page.refcount = before
        self.ledger.refs_atomic += 1
        self.ledger.pages_given_up += 1
        buffer.page = None
        page.slot = -1
        self.say(
            "The driver lends the page, and will have it back once the skbs are freed.", skb.frame, slot, page, skb
        )

    def alloc_mapped_page(self, buffer: RxBuffer, slot: int) -> Page | None:
        """Take a page that has come back, if there is one."""
        page = next((page for page in self.lent() if page.refcount == 1), None)
        if page is None:
            return super().alloc_mapped_page(buffer, slot)
        page.slot = slot
        buffer.page, buffer.page_offset = page, self.geometry.pad
        buffer.pagecnt_bias = self.rules.bias_start
        if self.rules.bias_start > 1:
            page.refcount += self.rules.bias_start - 1
            self.ledger.refs_atomic += 1
        self.say(f"Page {page.id} has come back: its last skb was freed.", None, slot, page)
        return page

    def lent(self) -> list[Page]:
        """Return the pages that are off the ring and that the driver still has a reference to."""
        return [page for page in self.m.memory.pages.values() if page.kind == "rx" and page.slot < 0]

    def references(self) -> list[tuple[Page, int]]:
        """Return the driver's references to what it has lent."""
        return [*super().references(), *((page, 1) for page in self.lent())]


class ReservedStays(DoubtingIntel):
    """A page is a page, wherever it comes from."""

    __slots__ = ()

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Do not ask where the page comes from."""
        reserved, page.reserved = page.reserved, ""
        stays = super().can_reuse_rx_page(buffer, page, skb, slot)
        page.reserved = reserved
        if reserved and stays:
            self.say(f"The page stays on the ring, though it is a {WORDS[reserved]}.", skb.frame, slot, page, skb)
        return stays


WORDS = {"remote_page": "page of another memory node", "pfmemalloc": "page from the reserve for emergencies"}
"""What a page is that should not stay, by why it should not."""


class CopyCountsAsUser(DoubtingIntel):
    """A page whose other half is held must go, whatever became of the frame in hand."""

    __slots__ = ()

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Let a copied frame's page go where anybody else has the other half."""
        stays = super().can_reuse_rx_page(buffer, page, skb, slot)
        if stays and not skb.holds_buffer and page.users:
            sentence = "The frame was copied, but somebody has the other half: the driver lets the page go."
            self.say(sentence, skb.frame, slot, page, skb)
            return False
        return stays


class LargePagesFlip(DoubtingIntel):
    """A large page has two halves, as a small one has."""

    __slots__ = ()

    def flip(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """Turn to the other half of a large page."""
        if self.geometry.half:
            super().flip(buffer, page, skb, slot, truesize)
            return
        buffer.page_offset ^= page.size // 2
        self.ledger.flips += 1
        sentence = f"The driver flips the large page: the next frame goes to offset {buffer.page_offset:,}."
        self.say(sentence, skb.frame, slot, page, skb)

    def only_user(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Ask for other users, as on a page of two halves."""
        if self.geometry.half:
            return super().only_user(buffer, page, skb, slot)
        return (self.pagecnt if self.rules.count_snapshot else page.refcount) - buffer.pagecnt_bias <= 1


class HeadsInTheRing(DoubtingIntel):
    """The legacy path's heads come from the ring's pages: from the other half of the page that the frame lies in."""

    __slots__ = ()

    def napi_alloc_skb(self, frame: Frame, slot: int, length: int) -> SkBuff | None:
        """Cut the head from the other half, which takes a reference to the page."""
        m, core, half = self.m, self.core, self.geometry.half
        buffer = self.ring.rx_buffer_info[slot]
        page = buffer.page
        if not half or page is None:
            return super().napi_alloc_skb(frame, slot, length)
        skb_id = m.new_skb_id()
        if skb_id < 0:
            return None
        size = core.napi_head(length)
        head = (buffer.page_offset - self.geometry.pad) ^ half
        page.refcount += 1
        self.pagecnt += 1
        self.ledger.refs_atomic += 1
        self.ledger.skb_heads += 1
        end = head + size - core.shinfo_size
        headroom = core.net_skb_pad + core.net_ip_align
        m.skbs[skb_id] = skb = SkBuff(skb_id, frame, page, head, headroom, end, size + core.sk_buff_size)
        skb.synced = not self.sync_is_late
        self.say("The head is cut from the other half of the frame's page, which it holds now.", frame, slot, page, skb)
        m.step(steps.SKB_ALLOC, frame, slot, None, skb, (size, skb.truesize))
        return skb
