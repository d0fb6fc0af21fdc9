"""Reading frames: the one import for everything that takes bytes apart."""

from __future__ import annotations

from rxviz.wire.flow import Flow, checksum_verdicts, flow_key
from rxviz.wire.headlen import header_length
from rxviz.wire.layers import Layer, layers
from rxviz.wire.summary import Summary, summarise

__all__ = [
    "Flow",
    "Layer",
    "Summary",
    "checksum_verdicts",
    "flow_key",
    "header_length",
    "layers",
    "summarise",
]
