"""GRO: how frames of one flow become one packet before the stack sees them (net/core/gro.c and the protocols' parts).

Pure: it knows no ring, no file and no clock but the `jiffies` it is told. `engine.Gro` is the door; `packet.GroPacket`
goes in, `trace.Decision` and `complete.Delivered` come out. Every test has a name in `rules`.
"""
