"""What differs between kernels in qede, and what its code has as constants; see assets/kernels/qede.toml."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.model.kernel import DriverRules


@dataclass(frozen=True, slots=True, kw_only=True)
class QedeRules(DriverRules):
    """A kernel's qede makes skbs in one way only: before its build_skb commit the legacy one, after it the new one.

    `rx_buffer_write` is how many buffers must stay posted for an allocation to be put off to the end of the poll.
    Sizes in bytes; `tpa_*` are the limits that the card is given for its aggregations, `tpa_timeout` in ns.
    """

    bad_checksum: str
    eth_overhead: int
    placement_offset: int
    tpa_max_aggs: int
    tpa_max_buffers: int
    tpa_timeout: int

    @property
    def paths(self) -> tuple[str, ...]:
        """The one way that this kernel's driver makes an skb."""
        return ("build_skb",) if self.build_skb else ("legacy",)
