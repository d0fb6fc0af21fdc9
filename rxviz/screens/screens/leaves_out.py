"""What the model leaves out, said where everybody can find it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view.cell import Role

ABOUT = (
    "This is a teaching model. It follows the driver's receive routine in the driver's own order, and cannot reproduce "
    "the hardware round it. Where a sentence is the model's own, it carries the badge M."
)
LEFT_OUT: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "The hardware",
        (
            (
                "Batching",
                "A real NIC fetches and writes back descriptors several at a time. Here each is written as "
                "soon as its frame is there, and is seen at once.",
            ),
            (
                "The bus",
                "No PCIe, no caches, no IOMMU, no NUMA: a write by DMA is there when it is done.",
            ),
            (
                "One queue",
                "One receive queue. RSS gives a hash, but never another queue or another CPU.",
            ),
            (
                "Time stamps",
                "No frame is stamped by hardware: the 16 bytes that igb keeps free for a stamp stay free.",
            ),
            (
                "qede",
                "VLAN tag and tunnel flags of its completions stay 0. XDP, for which the driver would leave 256 "
                "bytes of headroom, is never on.",
            ),
            (
                "mv643xx_eth",
                "What its NIC does is read from the driver; no data sheet was at hand. A frame that finds no "
                "descriptor is lost at once; the MIB counters have counted it by then.",
            ),
            (
                "RSC, XDP",
                "Neither hardware coalescing, nor XDP, nor AF_XDP, nor header split, nor SR-IOV. rsc=on gives a ring "
                "the buffers that the driver chooses for RSC, and no more.",
            ),
        ),
    ),
    (
        "The CPU",
        (
            (
                "Who runs",
                "CPU 0 takes the interrupt and polls. The program takes a fixed time for each skb. Which task has "
                "the CPU, it or ksoftirqd, is much simpler than in the kernel: they take turns at timer ticks.",
            ),
            (
                "The softirq",
                "Only NET_RX. Other queues (busy=) use their whole weight in every pass, take a fixed time, "
                "and rest where nothing is to come for 20 ms; no transmit side, no busy polling, no NAPI threads.",
            ),
        ),
    ),
    (
        "Failures",
        (
            (
                "Memory",
                "What fails is what fail= names, and nothing by chance; the first fill of a ring always succeeds. A "
                "page is remote or from the reserve because its number is named.",
            ),
            (
                "Service task",
                "It comes by every 2 seconds from time 0, but is shown only where a ring has got stuck; elsewhere its "
                "interrupt would find nothing to do.",
            ),
            (
                "Bad frames",
                "A frame is bad because errors= names it; its bytes are as they were sent. No link is lost, and no "
                "sender is paused (flow control).",
            ),
        ),
    ),
    (
        "The stack",
        (
            (
                "Sockets",
                "Every frame ends at one UDP-like socket, TCP too: what is charged, admitted and released "
                "follows the kernel's rule for UDP. No acknowledgement goes back, so no sender ever slows "
                "down.",
            ),
            (
                "Between",
                "IP, netfilter, routing and taps take no step of their own.",
            ),
            (
                "A bridge",
                "Nothing is looked up, and the other port is never busy. What is many frames in one is cut in "
                "software, byte by byte as the kernel does it.",
            ),
            (
                "GRO",
                "Off unless gro=on asks for it, though the kernel has it on: one frame is one skb then, which is "
                "easier to follow. A timer holds packets beyond a poll only with gro_flush_timeout=, the program asks "
                "for UDP to be merged only with udp_gro=on, and a tunnel ends here only with vxlan=.",
            ),
        ),
    ),
    (
        "Numbers",
        (
            (
                "Timing",
                "Times are there so that things happen in a believable order. They are fitted to nothing, and "
                "no measurement should be read off them.",
            ),
            (
                "Structs",
                "Sizes are those of x86_64 with 64-byte cache lines, also where pages are larger.",
            ),
            (
                "Small rings",
                "A ring of 8 is for looking at; the driver's smallest is 64 or 80. Its refill batch shrinks with it.",
            ),
            (
                "Captures",
                "Bytes that a capture did not keep are drawn as unknown. Its times are those of the machine "
                "that captured, not of the wire.",
            ),
        ),
    ),
)


class LeavesOutScreen(PageScreen):
    """The model's honesty page."""

    HEADING: ClassVar[str] = "what the model leaves out"

    def __init__(self, remarks: Sequence[str] = ()) -> None:
        super().__init__()
        self._remarks = remarks

    def write(self, page: Prose) -> None:
        """Say it in groups."""
        page.text(ABOUT, Role.STRONG)
        if self._remarks:
            page.heading("This run")
            for remark in self._remarks:
                page.text(remark)
        for title, lines in LEFT_OUT:
            page.heading(title)
            for word, sentence in lines:
                page.entry(word, sentence, 16, Role.STRONG)
