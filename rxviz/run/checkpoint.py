"""A machine put by: what it is made of as a pickle, and the bytes of its pages beside it.

The pickle alone is small. The bytes of the pages are most of a checkpoint; they are taken out, since copying them in
one piece is quicker than pickling each, and packed where that pays.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import compress, decompress

if TYPE_CHECKING:
    from rxviz.model.machine import Machine

_SAMPLE = 16_384
_WORTH = 0.8
"""Encrypted payload does not pack, and trying takes long: a sample must shrink to this part."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A machine between two events. `sizes` says how many bytes of `memory` each page has, in the allocator's order."""

    structure: bytes
    memory: bytes
    sizes: tuple[int, ...]
    packed: bool = False

    @property
    def size(self) -> int:
        """How many bytes the checkpoint takes."""
        return len(self.structure) + len(self.memory) + 8 * len(self.sizes)

    def pack(self) -> Checkpoint:
        """Return the checkpoint in less room."""
        structure, memory = compress(self.structure, 1), self.memory
        sample = memory[:_SAMPLE]
        if len(compress(sample, 1)) < _WORTH * len(sample):
            memory = compress(memory, 1)
        return Checkpoint(structure, memory, self.sizes, packed=True)

    def restore(self) -> Machine:
        """Return a machine that is as the one was; it needs a source before it is played on."""
        structure, memory = self.structure, self.memory
        if self.packed:
            structure = decompress(structure)
            memory = decompress(memory) if len(memory) < sum(self.sizes) else memory
        with _no_collection():
            machine: Machine = pickle.loads(structure)
        at = 0
        for page, size in zip(machine.memory.pages.values(), self.sizes, strict=True):
            page.data = bytearray(memory[at : at + size])
            at += size
        return machine


@contextmanager
def _no_collection() -> Iterator[None]:
    """Thousands of new objects would have the garbage collector look at all of them, several times, and find none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def take(machine: Machine) -> Checkpoint:
    """Put a machine by; it is not changed."""
    pages = list(machine.memory.pages.values())
    held = [page.data for page in pages]
    nothing = bytearray()
    try:
        for page in pages:
            page.data = nothing
        structure = pickle.dumps(machine, pickle.HIGHEST_PROTOCOL)
    finally:
        for page, data in zip(pages, held, strict=True):
            page.data = data
    return Checkpoint(structure, b"".join(held), tuple(map(len, held)))
