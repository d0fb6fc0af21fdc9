"""The constants that the model calculates with, beside what this machine's kernel says of its own types."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rxviz.kernel.btf import VMLINUX, Btf
from rxviz.kernel.compare import version_of
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.kernels import core_rules


@dataclass(frozen=True, slots=True)
class Size:
    """One constant: its name, what it says, the model's value and this kernel's (None where it has no such thing)."""

    name: str
    meaning: str
    model: int
    kernel: int | None

    @property
    def ok(self) -> bool:
        """Whether they agree, or there is nothing to compare with."""
        return self.kernel is None or self.model == self.kernel


@dataclass(frozen=True, slots=True)
class Sizes:
    """All of them, and the kernel that was asked."""

    release: str
    sizes: list[Size]

    @property
    def ok(self) -> bool:
        """Whether the model calculates with this kernel's sizes."""
        return all(size.ok for size in self.sizes)


def _buckets(btf: Btf) -> int | None:
    for struct, member in (("gro_node", "hash"), ("napi_struct", "gro_hash")):
        if btf.has(struct, member):
            return btf.array_length(struct, member)
    return None


def compare_sizes(path: Path = VMLINUX) -> Sizes:
    """Read the kernel's types and lay the model's constants beside them. Raises KernelError without BTF."""
    btf, release = Btf(path), platform.release()
    core, gro = core_rules(version_of(release)), gro_rules(version_of(release))
    rows: list[tuple[str, str, int, Callable[[], int | None]]] = [
        ("sizeof(struct sk_buff)", "bytes", core.sizeof_sk_buff, lambda: btf.size("sk_buff")),
        ("sizeof(struct skb_shared_info)", "bytes", core.sizeof_shinfo, lambda: btf.size("skb_shared_info")),
        ("offsetof(dataref)", "bytes that an skb zeroes", core.shinfo_zeroed, lambda: _dataref(btf)),
        ("MAX_SKB_FRAGS", "fragments of an skb", core.max_skb_frags, lambda: _frags(btf)),
        ("GRO_HASH_BUCKETS", "lists of held packets", gro.buckets, lambda: _buckets(btf)),
    ]
    return Sizes(release, [Size(name, meaning, model, ask()) for name, meaning, model, ask in rows])


def _dataref(btf: Btf) -> int | None:
    return btf.offset("skb_shared_info", "dataref") if btf.has("skb_shared_info", "dataref") else None


def _frags(btf: Btf) -> int | None:
    return btf.array_length("skb_shared_info", "frags") if btf.has("skb_shared_info", "frags") else None
