"""What every reader hands out, and how it says that a file is broken."""

from __future__ import annotations

from typing import NamedTuple

# The most bytes a record may hold: the largest snaplen that capture tools ask for (256 KiB). A longer claim
# is not believed.
MAX_CAPTURED = 262_144


class Record(NamedTuple):
    """One packet as the file has it.

    `index` counts all packets of the file from 0. `t_ns` is in ns since 1970, None where the block has no
    time. `data` are all bytes that were kept, even when `wire_len` says that the packet was shorter. `offset`
    and `data_offset` are bytes from the start of the (unpacked) file: of the record's header and of its data.
    """

    index: int  # type: ignore[assignment]  # the word of all readers; tuple.index is not used
    t_ns: int | None
    data: bytes
    wire_len: int
    link_type: int
    offset: int
    remark: str
    data_offset: int


class Problem(NamedTuple):
    """Where a file breaks off, in bytes from the start of the (unpacked) file, and how."""

    offset: int
    sentence: str


class BrokenError(Exception):
    """Raised inside the readers where a file cannot be read on; callers of the package never see it."""

    def __init__(self, offset: int, sentence: str) -> None:
        super().__init__(sentence)
        self.problem = Problem(offset, sentence)


def overlong_remark(captured: int, wire_len: int) -> str:
    """Return what is odd about the two lengths of a record, or an empty string."""
    if captured <= wire_len:
        return ""
    return f"says {captured:,} bytes were captured of a packet {wire_len:,} long; {wire_len:,} are used"


def without_fcs(data: bytes, wire_len: int, fcs: int) -> tuple[bytes, int]:
    """Return data and wire length without the `fcs` bytes of check sequence that end it.

    A NIC strips them before the frame reaches memory, and no length elsewhere in the program counts them.
    """
    bare = max(wire_len - fcs, 0)
    return (data[:bare] if len(data) <= wire_len else data), bare
