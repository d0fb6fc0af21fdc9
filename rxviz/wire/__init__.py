"""Bytes to headers and back: checked views, builders, checksums. No I/O.

`rxviz.wire.dissect` takes frames apart, `rxviz.wire.build` makes them, `rxviz.wire.checksum` adds them up.
Offsets and lengths are in bytes; a frame starts at its Ethernet header and has no FCS.
"""
