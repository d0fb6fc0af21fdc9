"""Read the rules of GRO in each kernel from assets/kernels/gro.toml."""

from __future__ import annotations

from functools import cache

from rxviz.errors import ScenarioError, quoted
from rxviz.model.gro.kernel import GroRules
from rxviz.run.kernels import core_rules, differences, rules_table, version


def _version(text: str) -> tuple[int, ...]:
    try:
        return version(text)
    except ValueError:
        raise ScenarioError(f"{quoted(text)} is not a kernel version; write it as in 6.18") from None


def gro_kernels() -> list[str]:
    """Return the kernels at which something in GRO changed or was read, oldest first."""
    return list(rules_table("gro")["kernels"])


@cache
def gro_rules(kernel: str) -> GroRules:
    """Return GRO's rules in any kernel from 3.9 on; ScenarioError for what is older, or no version."""
    table, number = rules_table("gro"), _version(kernel)
    if number < _version(gro_kernels()[0]):
        raise ScenarioError(f"GRO is modelled from kernel {gro_kernels()[0]} on, not {kernel}")
    constants = {name: entry["value"] for name, entry in table["constants"].items()}
    core = core_rules(kernel)
    return GroRules(
        max_held=constants["MAX_GRO_SKBS"],
        udp_count_max=constants["UDP_GRO_CNT_MAX"],
        legacy_max_size=constants["GRO_LEGACY_MAX_SIZE"],
        recursion_limit=constants["GRO_RECURSION_LIMIT"],
        jumbo_header=constants["HOP_JUMBO_LEN"],
        max_skb_frags=core.max_skb_frags,
        sk_buff_size=core.sk_buff_size,
        shinfo_size=core.shinfo_size,
        **differences(table, kernel),
    )
