"""The kinds of step that only a world takes in which a rule is switched off; see steps."""

from __future__ import annotations

from rxviz.model.step_kind import kind

WORLD_ACT = kind(
    "world.act",
    "any",
    "sentence",
    "{sentence}",
    "This does not happen in the kernel: a rule is switched off here.",
    "-",
    "M",
    "!",
)

WORLD_REGISTER = kind(
    "world.register",
    "cpu",
    "rdh",
    "The driver reads RDH from the NIC: it is {rdh}. The CPU waits for the answer.",
    "A register is read across the bus and back; the descriptor in memory had told the same. A rule is switched off "
    "here.",
    "-",
    "M",
    "!",
)
WORLD_ASTRAY = kind(
    "world.astray",
    "nic",
    "size",
    "The NIC follows the old content of descriptor {slot}: {size:,} bytes of frame {F} go where no buffer is.",
    "Nobody had posted that descriptor. On a real machine this overwrites whatever lies at that address.",
    "-",
    "M",
    "!",
)
WORLD_STOP = kind(
    "world.stop",
    "any",
    "",
    "Slot {slot} reads as done but has no page: the kernel would follow a NULL pointer, and stop.",
    "Nothing more happens here. A rule that is switched off has led the driver to a slot that nobody filled.",
    "-",
    "M",
    "!",
)
