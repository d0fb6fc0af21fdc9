"""Read the rules of GRO in each kernel from assets/kernels/gro.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from rxviz import paths
from rxviz.errors import ScenarioError
from rxviz.model.gro.kernel import GroRules
from rxviz.run.kernels import core_rules


@cache
def _table() -> dict[str, Any]:
    with (paths.assets() / "kernels" / "gro.toml").open("rb") as file:
        return tomllib.load(file)


def _version(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split("."))
    except ValueError:
        raise ScenarioError(f"{text!r} is not a kernel version; write it as in 6.18") from None


def gro_kernels() -> list[str]:
    """Return the kernels at which something in GRO changed or was read, oldest first."""
    return list(_table()["kernels"])


@cache
def gro_rules(kernel: str) -> GroRules:
    """Return GRO's rules in any kernel from 3.9 on; ScenarioError for what is older, or no version."""
    table, version = _table(), _version(kernel)
    if version < _version(gro_kernels()[0]):
        raise ScenarioError(f"GRO is modelled from kernel {gro_kernels()[0]} on, not {kernel}")
    picked = {}
    for name, part in table.items():
        if isinstance(part, dict) and "by" in part:
            newest = max((known for known in part["by"] if _version(known) <= version), key=_version)
            picked[name] = part["by"][newest]
    constants = {name: entry["value"] for name, entry in table["constants"].items()}
    core = core_rules(kernel if version >= (4, 9) else "4.9")
    return GroRules(
        max_held=constants["MAX_GRO_SKBS"],
        udp_count_max=constants["UDP_GRO_CNT_MAX"],
        legacy_max_size=constants["GRO_LEGACY_MAX_SIZE"],
        recursion_limit=constants["GRO_RECURSION_LIMIT"],
        jumbo_header=constants["HOP_JUMBO_LEN"],
        max_skb_frags=core.max_skb_frags,
        sk_buff_size=core.sk_buff_size,
        shinfo_size=core.shinfo_size,
        **picked,
    )
