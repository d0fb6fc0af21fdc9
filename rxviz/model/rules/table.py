"""Every rule that can be switched off, in one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import rxviz.model.drivers.table  # noqa: F401  every driver is known by its name, also in a process that made none
from rxviz.model.bridge import Bridge
from rxviz.model.drivers.driver import Driver
from rxviz.model.napi_gro import NapiGro
from rxviz.model.napi_lro import NapiLro
from rxviz.model.nic import Nic
from rxviz.model.rules import above, driver, forwarding, gro, irq, look, nic, owner, pages, qede, recycle, ring, tpa
from rxviz.model.rules.at import At, at_in_gro
from rxviz.model.socket import Socket

SIDES = ("driver", "nic", "gro", "lro", "bridge", "socket")
"""Whose classes a rule may live in."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what it says, what the model does instead when it is off, and the mixins that make it do so.

    A rule that several families of drivers (or NICs) have has a mixin for each; see `fitting`. `at` is the part of the
    receive path that lists of rules show it at. `told` has the two sentences by driver, where one has its own words.
    """

    name: str
    says: str
    instead: str
    driver: type | tuple[type, ...] = ()
    nic: type | tuple[type, ...] = ()
    gro: type | tuple[type, ...] = ()
    lro: type | tuple[type, ...] = ()
    bridge: type | tuple[type, ...] = ()
    socket: type | tuple[type, ...] = ()
    at: At = field(kw_only=True)
    told: Mapping[str, tuple[str, str]] = field(default_factory=dict, kw_only=True, hash=False)

    def sentences(self, driver: str) -> tuple[str, str]:
        """Return what the rule says, and what happens without it, in the words of a driver."""
        return self.told.get(driver, (self.says, self.instead))

    def mixins(self, side: str) -> tuple[type, ...]:
        """Return the mixins of the driver's (side "driver"), the NIC's ("nic"), GRO's ("gro"), LRO's ("lro"), the
        bridge's ("bridge") or the socket's ("socket") classes.
        """
        found: type | tuple[type, ...] = getattr(self, side)
        return found if isinstance(found, tuple) else (found,)

    def fitting(self, base: type[Any], side: str) -> type | None:
        """Return the mixin for a class: one that is made for it, or for what it derives from; None where none is."""
        return next((mixin for mixin in self.mixins(side) if issubclass(base, _made_for(mixin))), None)


def _table(*rules: Rule) -> dict[str, Rule]:
    return {rule.name: rule for rule in rules}


RULES = _table(
    Rule("dma_target", "The NIC writes a frame to the buffer whose address the descriptor holds.",
         "The NIC puts the frame into the descriptor itself.", nic=nic.FrameIntoDescriptor, at=At.NIC),
    Rule("clean_by_driver", "Only the driver moves next_to_clean.",
         "The NIC moves next_to_clean on as it writes back.", nic=nic.NicMovesNextToClean, at=At.RING),
    Rule("dma", "The NIC moves the bytes of a frame by itself.",
         "The CPU copies each frame into its buffer.",
         driver=(driver.CpuMovesData, driver.CpuMovesDataIgb), nic=nic.NoDma, at=At.NIC),
    Rule("whole_frame", "The NIC writes every byte of a frame.",
         "The NIC writes the first 256 bytes only.", nic=nic.HeadersOnly, at=At.NIC),
    Rule("flip", "A half that was handed on is not offered again; the other half is.",
         "The same half is offered again at once.", driver=driver.NoFlip, at=At.PAGES),
    Rule("reuse", "A page that nobody else holds stays on the ring.",
         "Every frame takes its page away with it.", driver=driver.NoReuse, at=At.PAGES),
    Rule("reuse_check", "A page stays on the ring only if nobody but the frame in hand holds it.",
         "Pages always stay on the ring, held or not.", driver=driver.NoReuseCheck, at=At.PAGES),
    Rule("never_waits", "A page whose other half is held leaves the ring, and its slot gets another one.",
         "The page stays, and nothing is posted until that half is free.", driver=pages.WaitsForHalf, at=At.PAGES),
    Rule("next_slot", "A page that stays moves to the next slot without one.",
         "It goes back to the slot that it came from.", driver=pages.BackToItsSlot, at=At.PAGES),
    Rule("half_boundary", "A buffer begins where a half begins.",
         "The next buffer begins right behind the last frame.", driver=driver.PackedLikeALog, at=At.PAGES),
    Rule("one_frame_per_half", "A half holds one frame.",
         "A half is cut in two, and holds two frames.", driver=driver.TwoFramesPerHalf, at=At.PAGES),
    Rule("copybreak", "On the legacy path a frame of up to 256 bytes is copied whole.",
         "A short frame is attached as a fragment, and only its headers are copied.",
         driver=(driver.NoCopybreak, qede.NothingCopied), at=At.RECEIVE,
         told={"qede": ("A frame of up to 256 bytes is copied whole; the headroom counts.",
                        "A short frame goes up in its segment like a long one.")}),
    Rule("header_only", "On the legacy path only the headers of a longer frame are copied.",
         "Every frame is copied whole.", driver=(driver.CopyEverything, qede.WholeFrameCopied), at=At.RECEIVE,
         told={"qede": ("Before build_skb only the headers of a longer frame are copied.",
                        "Every frame is copied whole.")}),
    Rule("headers_linear", "The headers of a frame lie in the skb's head when it goes up.",
         "A long frame goes up as a fragment only, with an empty head.",
         driver=(driver.NoHeaders, driver.NoHeadersIgb, qede.HeadersStay), at=At.RECEIVE),
    Rule("header_length", "As many bytes are copied as the headers are long.",
         "256 bytes are copied of every frame.",
         driver=(driver.CopyFixedLength, driver.CopyFixedLengthIgb, qede.FixedLengthPulled), at=At.RECEIVE),
    Rule("shinfo_in_half", "build_skb puts the shared info into the half that the frame lies in.",
         "A piece of memory is allocated for the shared info.", driver=driver.SharedInfoAllocated, at=At.SKB),
    Rule("shinfo_behind", "build_skb puts the shared info behind the frame, at the end of the half.",
         "The shared info is put at the start of the half.",
         driver=(driver.SharedInfoInFront, qede.SharedInfoAtStart), at=At.SKB,
         told={"qede": ("build_skb puts the shared info behind the frame, at the end of the segment.",
                        "The shared info is put at the start of the segment.")}),
    Rule("shinfo_memory", "The shared info lies in memory of the skb, never in the ring.",
         "The shared info is put where the descriptor is.", driver=driver.SharedInfoInDescriptor, at=At.SKB),
    Rule("build_in_place", "build_skb leaves the headers where the NIC wrote them.",
         "A head is allocated and the headers are copied, as on the legacy path.",
         driver=driver.BuildCopiesHeaders, at=At.SKB),
    Rule("empty_slot", "One slot of the ring always stays empty, so that a full ring can be told from an empty one.",
         "Every slot is posted.", driver=driver.NoEmptySlot, at=At.RING),
    Rule("charge_half", "An skb is charged the whole half that it keeps busy.",
         "An skb is charged what its frame takes.",
         driver=(driver.ChargeByLength, qede.SegmentChargedByLength), at=At.SOCKET,
         told={"qede": ("An skb is charged the whole segment that it keeps busy.",
                        "An skb is charged what its frame takes.")}),
    Rule("lro_off_in_bridge", "LRO is switched off on a device that joins a bridge.",
         "LRO stays on, and the bridge gets what it has merged.", lro=forwarding.LroStaysOn, at=At.LRO),
    Rule("lro_not_forwarded", "What LRO has merged is not sent on: LRO is off in a bridge, else the kernel drops it.",
         "LRO stays on, and the bridge cuts what it merged into frames, and sends these on.",
         lro=forwarding.LroStaysOn, bridge=forwarding.LroSentOn, at=At.LRO),
    Rule("owner_bit", "The NIC uses a descriptor only if its owner bit says that it may.",
         "The NIC uses the next descriptor, whoever has it.", nic=owner.OwnerIgnored, at=At.RING),
    Rule("owner_last", "A descriptor is given to the NIC when all of it is written.",
         "The owner bit is set first, and the address is written after it.", driver=owner.OwnerFirst, at=At.RING),
    Rule("head_once", "A head holds one frame; the slot gets another one.",
         "Each slot has the same head again and again.", driver=owner.HeadPostedAgain, at=At.SKB),
    Rule("one_buffer", "A frame that lies in several buffers is thrown away.",
         "Each part of it goes up as a frame.", driver=owner.PartsTaken, at=At.RECEIVE),
    Rule("frame_ends_skb", "The end of a frame ends its skb.",
         "Two frames that follow each other share one skb.", driver=driver.TwoFramesPerSkb, at=At.RECEIVE),
    Rule("rewrite_address", "Refill writes the buffer's address into the descriptor each time.",
         "A descriptor that was used before is not written again.", driver=ring.AddressKept, at=At.RING),
    Rule("zero_is_no_frame", "A descriptor whose length is zero is not done.",
         "It is taken for an empty frame, and the driver goes on to the next.", driver=ring.EmptyFrames, at=At.RING),
    Rule("slots_in_order", "The first descriptor that is not done ends the look at the ring.",
         "The driver looks at all that are posted behind it, too.", driver=ring.LooksEverywhere, at=At.RING),
    Rule("clear_next", "Refill clears the descriptor behind the last one that it posts.",
         "That descriptor keeps what the NIC wrote into it a lap ago.", driver=ring.NextNotCleared, at=At.RING),
    Rule("tail_barrier", "The NIC is told of descriptors only once they are written.",
         "The tail is written first, and the descriptors after it.",
         driver=(ring.TailFirst, qede.ProducerFirst), at=At.RING,
         told={"qede": ("The card is told of BDs only once they are written.",
                        "The card may see its producer before it sees the addresses in the BDs.")}),
    Rule("frame_waits", "Where no skb can be had, the frame waits in its buffer for the next poll.",
         "The frame is lost.", driver=ring.FrameGoesWithoutSkb, at=At.RECEIVE),
    Rule("service_task", "The driver's service task looks after a ring that has got stuck.",
         "Nobody looks after it.", driver=ring.NobodyComesBy, at=At.RING),
    Rule("tail_batch", "One tail write hands over a batch of buffers.",
         "The tail is written for each buffer.", driver=ring.TailForEach, at=At.RING),
    Rule("tail_limit", "The NIC stops where the tail is.",
         "The NIC goes on past the tail.", nic=(nic.PastTheTail, nic.PastTheProducer), at=At.RING,
         told={"qede": ("The card stops where bd_prod is, and drops what does not fit.",
                        "The card goes on past bd_prod.")}),
    Rule("frame_parts", "A frame goes on in the next descriptor until one says that it ends.",
         "Each descriptor is taken for a whole frame.", driver=ring.PartsAlone, at=At.RING),
    Rule("length_before_payload", "Whoever sees a descriptor's length also sees the bytes of the frame.",
         "The bytes of a frame are seen some time after its length.", nic=nic.PayloadLate, at=At.NIC,
         told={"qede": ("Whoever sees a completion also sees the bytes of its frame.",
                        "The bytes of a frame are seen some time after its completion.")}),
    Rule("sync_cpu", "The driver syncs a buffer before the CPU reads it.",
         "The CPU reads what its cache has of the buffer, on a machine without coherent DMA.",
         driver=(pages.NotSynced, owner.NotUnmapped), nic=nic.HiddenFromCache, at=At.SYNC,
         told={"qede": ("The CPU sees what the card has written. The driver syncs nothing: it relies on that.",
                        "The CPU reads what its cache has of the buffer, on a machine without coherent DMA.")}),
    Rule("sync_length", "A sync for the CPU covers no more than what the NIC may have written.",
         "The whole half is synced for each frame.", driver=pages.HalfSynced, at=At.SYNC),
    Rule("sync_half", "A sync for the CPU leaves the other half of the page alone.",
         "The whole page is synced for each frame.", driver=pages.PageSynced, at=At.SYNC),
    Rule("sync_late", "The first of a frame's buffers is synced once the frame is whole.",
         "Each buffer is synced as it is taken in hand.", driver=pages.NeverLate, at=At.SYNC),
    Rule("frame_limit", "The MAC refuses frames that are longer than the MTU allows.",
         "Frames of any length are written.", nic=nic.NoFrameLimit, at=At.NIC),
    Rule("bias_topup", "The driver pays references in again before the prepaid ones run out.",
         "References are prepaid once, and never again.", driver=pages.NoTopUp, at=At.PAGES),
    Rule("bias_decrement", "Each frame gets one of the prepaid references.",
         "Nothing is counted down, so a frame has no reference of its own.",
         driver=pages.NothingGivenAway, at=At.PAGES),
    Rule("copy_returns_reference", "A frame that was copied gives its reference back.",
         "A copied frame keeps a reference that nobody will ever drop.", driver=pages.CopyKeepsReference, at=At.PAGES),
    Rule("last_user_frees", "A page that the driver gives up lives until its last user is done.",
         "The driver frees a page as it gives it up.", driver=(pages.GivenUpIsFreed, qede.UsedUpIsFreed), at=At.PAGES,
         told={"qede": ("A page that is used to its end lives until its last user is done.",
                        "The driver frees a page as soon as its last segment is used.")}),
    Rule("one_half_posted", "Only one half of a page is on the ring at a time.",
         "Both halves of a page are posted, in two slots.", driver=pages.BothHalvesPosted, at=At.PAGES),
    Rule("walk_once", "A large page is walked once from start to end.",
         "At the end of a large page the walk begins again.",
         driver=(pages.WalksInCircles, qede.SegmentsInCircles), at=At.PAGES,
         told={"qede": ("A page is walked once, from its first segment to its last.",
                        "Behind the last segment of a page comes its first again.")}),
    Rule("map_once", "A page is mapped once for its life on the ring.",
         "A page is mapped and unmapped for each frame.",
         driver=(pages.MappedForEach, qede.MappedForEachSegment), at=At.SYNC,
         told={"qede": ("A page is mapped once for all its segments.",
                        "A page is unmapped and mapped again for each frame.")}),
    Rule("completion_first", "Whoever sees hw_comp_cons go up also sees the completion that it counts.",
         "The index is seen before the completion.", nic=nic.IndexFirst, at=At.RING),
    Rule("next_segment", "A segment that was handed on is not offered again; the next one of its page is.",
         "The same segment is offered again at once.", driver=qede.SameSegmentAgain, at=At.PAGES),
    Rule("segment_ref", "An skb that gets a segment of a page on the ring gets a reference to the page.",
         "No reference is taken: the page is on the ring anyway.", driver=qede.NoReferenceTaken, at=At.PAGES),
    Rule("page_to_its_end", "A page stays on the ring until its last segment is used.",
         "Every frame takes its page away with it.", driver=qede.FrameTakesPage, at=At.PAGES),
    Rule("copy_keeps_segment", "The segment of a frame that was copied is offered again as it is.",
         "A segment is used once, even where nobody has kept it.", driver=qede.CopyUsesSegment, at=At.PAGES),
    Rule("lazy_alloc", "While enough buffers are posted, a page that is due is allocated at the end of the poll.",
         "It is allocated at once; where that fails, the frame is lost.",
         driver=qede.AllocatedAtOnce, at=At.RECEIVE),
    Rule("replace_first", "A buffer goes up only where another takes its place; else its frame is dropped.",
         "The buffer goes up, and nothing takes its place.", driver=qede.GivenAwayAnyhow, at=At.RECEIVE),
    Rule("skb_before_bd", "Where build_skb gives no skb, the BD is left as it was, and posted again.",
         "The BD is used up, and the next one is posted again as well: so did qede up to 6.18.39.",
         driver=qede.BdUsedWithoutSkb, at=At.RECEIVE),
    Rule("tpa_end", "The skb of an aggregation waits until the card says that it has ended.",
         "The first frame goes up at once, and what joins it finds no skb.", driver=tpa.UpBeforeTheEnd, at=At.TPA),
    Rule("tpa_parts", "What joins an aggregation stays in its segment until the skb is freed.",
         "The segment is posted again at once.", driver=tpa.PartsPostedAgain, at=At.TPA),
    Rule("tpa_mapped", "A page that an aggregation begins in stays mapped until it ends: the card rewrites headers.",
         "A page is unmapped as soon as it is used to its end.", driver=tpa.UnmappedAtOnce, at=At.TPA),
    Rule("tpa_reserve", "A page in reserve takes the place of the buffer that an aggregation begins in.",
         "That buffer is posted again itself, before it has been read.", driver=tpa.ReserveNotUsed, at=At.TPA),
    Rule("tpa_copy_last", "The first frame of an aggregation is copied at its end: only then are the headers right.",
         "It is copied at the start.", driver=tpa.CopiedAtTheStart, at=At.TPA),
    Rule("irq_enable", "The driver unmasks the vector once its queue is empty.",
         "The vector stays masked.", driver=irq.NeverUnmasked, at=At.IRQ),
    Rule("irq_again", "What came while the vector was masked interrupts as soon as it is unmasked.",
         "It is forgotten until the next frame comes.", nic=irq.NotRaisedAgain, at=At.IRQ),
    Rule("dma_at_once", "The NIC writes a frame as it comes, however long its interrupt is held back.",
         "The frame stays in the NIC until the interrupt comes.", nic=irq.FramesWaitForIrq, at=At.IRQ),
    Rule("writeback_calls", "The NIC interrupts for what it has written, not for a frame that waits inside it.",
         "A frame that waits in the NIC interrupts, too.", nic=irq.WaitingFrameCalls, at=At.IRQ),
    Rule("auto_mask", "The vector masks itself as it fires.",
         "The vector stays open while the driver polls.", nic=irq.NotAutoMasked, at=At.IRQ),
    Rule("stay_scheduled", "A poll that used its budget is followed by another, with the vector masked.",
         "The driver completes and lets interrupts in, as after any poll.", driver=irq.CompletesAnyway, at=At.IRQ),
    Rule("flip_attached", "Only a frame that is attached flips its page; one that was copied leaves it as it is.",
         "Every frame flips its page, copied or not.", driver=recycle.CopyFlips, at=At.PAGES),
    Rule("flip_first", "A buffer flips as it is attached, before anybody asks whether its page may stay (4.11 on).",
         "A page is looked at first, and flips only if it stays.", driver=recycle.FlipsLast, at=At.PAGES),
    Rule("use_behind_alloc", "A recycled page waits behind next_to_use until its descriptor is written.",
         "The driver moves next_to_use along with next_to_alloc, as if the page were posted.",
         driver=recycle.UseFollowsAlloc, at=At.RING),
    Rule("page_for_many", "A page holds one frame after the other, for as long as it is found free.",
         "It is given up when each of its halves has held a frame.", driver=recycle.TwoFramesPerPage, at=At.PAGES),
    Rule("count_less_bias", "A page has as many holders as its count is larger than what is prepaid.",
         "The count alone is taken for the number of users.", driver=recycle.CountsUsers, at=At.PAGES),
    Rule("ref_prepaid", "A frame's reference comes out of those that are prepaid, without an atomic act.",
         "The page's count is raised for each frame.", driver=recycle.GetsEachTime, at=At.PAGES),
    Rule("no_return", "A page that was given up does not come back when its skbs are freed.",
         "The last skb that is freed brings its page back to the ring.", driver=recycle.PagesComeBack, at=At.PAGES),
    Rule("reserved_leaves", "A page of another memory node, or from the emergency reserve, never stays on the ring.",
         "It stays like any other.", driver=recycle.ReservedStays, at=At.PAGES),
    Rule("copy_keeps_page", "A frame that was copied leaves its page on the ring, whoever has the other half.",
         "Its page goes when somebody has the other half.", driver=recycle.CopyCountsAsUser, at=At.PAGES),
    Rule("large_walk", "A large page is walked region by region, and has no halves.",
         "A large page flips between two halves.", driver=recycle.LargePagesFlip, at=At.PAGES),
    Rule("heads_apart", "Heads of skbs are cut from chunks of their own, never from the ring's pages.",
         "A head is cut from the other half of the page that the frame lies in.",
         driver=recycle.HeadsInTheRing, at=At.SKB),
    Rule("done_in_memory", "The driver finds what is done in the descriptor itself, in memory.",
         "It reads RDH, a register of the NIC.", driver=look.AsksRdh, at=At.RECEIVE),
    Rule("done_by_length", "A descriptor is done when its length is not zero (4.11 on).",
         "It is done when its status is not zero, and the length is read after that.",
         driver=look.TestsStatus, at=At.RECEIVE),
    Rule("budget_frames", "The budget of a poll counts frames.",
         "It counts descriptors.", driver=look.CountsDescriptors, at=At.IRQ),
    Rule("part_waits", "A frame of which a poll found only a part waits for the next poll.",
         "What a poll has of it is freed at its end.",
         driver=(look.PartForgotten, look.PartForgottenIgb), at=At.RECEIVE),
    Rule("sync_device_buffer", "For the device the whole buffer is synced.",
         "Only as many bytes are synced for the device as a frame may be long.",
         driver=look.SyncsFrameForDevice, at=At.SYNC),
    Rule("build_all", "The build_skb path of ixgbe and igb copies no frame, however short.",
         "Frames of up to 256 bytes are copied, and only longer ones are built in place.",
         driver=driver.BuildCopiesShort, at=At.SKB),
    Rule("rsc_3k", "With RSC build_skb gets pages of 8 KB and buffers of 3 KB.",
         "The buffers stay as they are without RSC.", driver=look.RscKeepsBuffers, at=At.PAGES),
    Rule("gro_called", "GRO does nothing unless the driver calls it.",
         "GRO gets what the driver hands to netif_receive_skb.", driver=look.GroAnyway, at=At.RECEIVE),
    Rule("charge_truesize", "A socket's limit counts truesize.",
         "It counts the bytes of the packet.", socket=above.ChargesLength, at=At.SOCKET),
    Rule("release_batch", "What was read is released in batches of a quarter of the limit.",
         "It is released as it is read.", socket=above.ReleasesAtOnce, at=At.SOCKET),
    Rule("drop_above", "A full socket drops a frame when all the work below is done; the NIC does not know of it.",
         "The NIC drops what the socket has no room for.", nic=above.NicFeelsSocket, at=At.SOCKET),
    *(Rule(name, says, instead, gro=mixin, at=at_in_gro(name)) for name, says, instead, mixin in gro.ROWS),
)  # fmt: skip


def with_rules_off(base: type[Any], side: str, off: tuple[str, ...]) -> type[Any]:
    """Return the class of a side ("driver", "nic", "gro", "lro", "bridge", "socket") with rules switched off."""
    found = dict.fromkeys(mixin for name in off if (mixin := RULES[name].fitting(base, side)) is not None)
    # Rules may share a mixin, and one that derives from another does what that one does.
    mixins = [mixin for mixin in found if not any(mixin is not other and issubclass(other, mixin) for other in found)]
    return _mixed(base, mixins) if mixins else base


def _made_for(mixin: type[Any]) -> type[Any]:
    """Return the class of the model whose methods a mixin replaces."""
    return next(cls for cls in mixin.__mro__ if not cls.__module__.startswith(__package__ or ""))


def rules_for(driver: type[Driver], nic: type[Nic], *, lro: bool = False) -> list[str]:
    """Return the names of the rules that a driver, its NIC and GRO follow, and that can be switched off there; with
    `lro` those of LRO too, and of a bridge that gets what it merged.
    """
    classes: list[tuple[str, type[Any]]] = [("driver", driver), ("nic", nic), ("gro", NapiGro)]
    classes.append(("socket", Socket))
    if lro:
        classes += [("lro", NapiLro), ("bridge", Bridge)]
    return [name for name, rule in RULES.items() if any(rule.fitting(base, side) for side, base in classes)]


def _mixed(base: type[Any], mixins: list[type[Any]]) -> type[Any]:
    """Return the class, made once and kept in this module under a name that says what it is made of."""
    name = "_".join([base.__name__, *(mixin.__name__ for mixin in mixins)])
    made: type[Any] | None = globals().get(name)
    if made is None:
        made = type(name, (*mixins, base), {"__slots__": (), "__module__": __name__})
        globals()[name] = made
    return made


def __getattr__(name: str) -> type[Any]:
    """Make the class of a checkpoint that comes from another process, from its name."""
    base, *parts = name.split("_")
    mixins = [_MIXINS[part] for part in parts if part in _MIXINS]
    bases = {cls.__name__: cls for family in (Driver, Nic, NapiGro, NapiLro, Socket) for cls in _family(family)}
    if base not in bases or not parts or len(mixins) != len(parts):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _mixed(bases[base], mixins)


def _family(cls: type[Any]) -> Iterator[type[Any]]:
    """Give a class of the model and all that derive from it, without those of this package."""
    if not cls.__module__.startswith(__package__ or ""):
        yield cls
        for derived in cls.__subclasses__():
            yield from _family(derived)


_MIXINS = {mixin.__name__: mixin for rule in RULES.values() for side in SIDES for mixin in rule.mixins(side)}
