"""The socket that every frame ends at, and the program that reads it.

One UDP socket stands for all that the stack does (badge M): what it charges, admits and releases is the kernel's rule
for UDP (`__udp_enqueue_schedule_skb`, `udp_rmem_release`); other traffic is treated alike. The program runs beside
the CPU that polls, or on it, as the scenario says.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.cpu import Who
from rxviz.wire.locate import locate
from rxviz.wire.numbers import PROTO_TCP, PROTO_UDP

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.model.skb import SkBuff


EARLY_ON_QUEUE = "batch, early when the queue is empty"
EARLY_ON_BATCH = "batch, early when the reader's is empty"


class Socket:
    """A receive queue with a limit on what its skbs may be charged (`sk_rmem_alloc`, `sk_rcvbuf`), in bytes."""

    __slots__ = (
        "admission",
        "batch",
        "charged",
        "deferred",
        "delivered",
        "frames_delivered",
        "frames_dropped",
        "here",
        "left",
        "limit",
        "m",
        "queue",
        "rcvbuf_errors",
        "read",
        "reader_ns",
        "reading",
        "release",
        "stalled_until",
        "took",
    )

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.limit = m.config.rcvbuf
        self.admission, self.release = m.config.core.udp_admission, m.config.core.udp_release
        self.queue: deque[SkBuff] = deque()
        self.charged = 0
        self.deferred = 0
        """Bytes that were read but are still charged."""
        self.delivered = 0
        """Skbs that were admitted; with GRO an skb may be many frames."""
        self.frames_delivered = 0
        self.frames_dropped = 0
        self.batch = 0
        """Skbs left of those that the reader took over from the queue at once (`reader_queue`)."""
        self.read = 0
        self.rcvbuf_errors = 0
        self.reading = False
        self.here = False
        """Whether the present read takes place on CPU 0."""
        self.left = 0
        """ns of CPU 0 that it still takes there."""
        self.reader_ns = 0
        """ns that reads have taken so far."""
        self.stalled_until = 0
        self.took = 0
        """What the last read took on a CPU beside CPU 0, in ns; 0 for one that CPU 0 was shared for."""

    def enqueue(self, skb: SkBuff) -> None:
        """Take an skb, or drop it when what is charged is past the limit."""
        m, truesize = self.m, self.charge_of(skb)
        if self.is_full(truesize):
            self.rcvbuf_errors += 1
            self.frames_dropped += skb.segs
            m.step(steps.SOCKET_DROP, skb.frame, -1, skb.head_page, skb, (self.charged, self.limit))
            m.driver.free_skb(skb)
            return
        if not m.config.rxcsum and not skb.summed:
            self._add_up(skb)
        self.charged += truesize
        skb.move("socket")
        self.queue.append(skb)
        self.delivered += 1
        self.frames_delivered += skb.segs
        m.step(steps.SOCKET_QUEUE, skb.frame, -1, skb.head_page, skb, (self.charged, self.limit))
        if not self.reading:
            self.wake()

    def charge_of(self, skb: SkBuff) -> int:
        """What an skb is charged, in bytes: all the memory that it keeps busy."""
        return skb.truesize

    def _add_up(self, skb: SkBuff) -> None:
        """Verify a checksum that nobody has verified yet (`tcp_checksum_complete`).

        Of UDP the reader adds it up while he copies (`skb_copy_and_csum_datagram_msg`): not on this CPU's time.
        """
        m, place = self.m, locate(skb.frame.data)
        if place is None or place.proto not in (PROTO_TCP, PROTO_UDP) or place.fragment >= 0:
            return
        size = place.end - place.transport
        m.ledger.csum_bytes += size
        if place.proto == PROTO_TCP:
            m.spend_csum(int(size * m.config.cost.csum_byte))

    def is_full(self, truesize: int) -> bool:
        """Whether the socket has no room for an skb that it would charge so much for, in bytes."""
        rule = self.admission
        if rule == "charged > limit":
            return self.charged > self.limit
        if rule == "charged >= limit":
            return self.charged >= self.limit
        return self.charged > 0 and self.charged + truesize > self.limit

    def drops(self) -> dict[str, int]:
        """Return the frames that were lost here, each once, by the name of the counter that tells of it."""
        return {"RcvbufErrors": self.frames_dropped}

    def wake(self) -> None:
        """Let the program read, if it reads at all and has something to read."""
        m, reader_ns = self.m, self.m.config.reader_ns
        if not self.queue or reader_ns is None or self.reading:
            return
        self.reading = True
        if m.now < self.stalled_until:
            m.at(self.stalled_until, self._recover)
            return
        if m.config.reader_cpu:
            m.at(m.now + reader_ns, self.finish_read, reader_ns)
        else:
            self.here, self.left = True, reader_ns
            m.cpu.wake(Who.READER)

    def stall(self, ns: int) -> None:
        """Have the program read nothing for a time; the read in which it is comes to its end."""
        m = self.m
        self.stalled_until = max(m.now, self.stalled_until) + ns
        m.note(steps.READER_STALL, None, -1, None, None, (ns,))

    def _recover(self, _: None) -> None:
        """A stall may be over."""
        self.reading = False
        self.wake()

    def spend(self, ns: int) -> None:
        """The program has had CPU 0 for a time."""
        self.left -= ns
        self.reader_ns += ns

    def finish_read(self, ns: int = 0) -> None:
        """The program has read one skb, in `ns` not counted yet: its bytes are copied out and the skb is freed."""
        m = self.m
        self.took = ns
        self.reader_ns += ns
        self.batch = self.batch or len(self.queue)
        self.batch -= 1
        skb = self.queue.popleft()
        self.reading = self.here = False
        self.release_charge(self.charge_of(skb))
        self.read += 1
        skb.move("reader")
        m.lamps.read(skb)
        m.note(steps.READER_READ, skb.frame, -1, skb.head_page, skb, (skb.len,))
        m.driver.free_skb(skb)
        self.wake()

    def release_charge(self, truesize: int) -> None:
        """Stop charging what was read, in batches where the kernel does so (`udp_rmem_release`)."""
        self.deferred += truesize
        rule = self.release
        early = (rule == EARLY_ON_QUEUE and not self.queue) or (rule == EARLY_ON_BATCH and not self.batch)
        if rule != "at once" and self.deferred < self.limit // 4 and not early:
            return
        self.charged -= self.deferred
        self.deferred = 0
