"""Read the rules of each kernel from assets/kernels."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from rxviz import paths
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.kernel import CoreRules, DriverRules


@cache
def rules_table(name: str) -> dict[str, Any]:
    """Return a table of assets/kernels: `constants`, and differences by kernel."""
    with (paths.assets() / "kernels" / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def version(text: str) -> tuple[int, ...]:
    """Return a kernel version as numbers that compare; raise ValueError for what is none."""
    return tuple(int(part) for part in text.split("."))


def _pick(by: dict[str, Any], kernel: str) -> Any:
    """Return the value of the newest version that is not newer than `kernel`; None when all are newer."""
    known = [each for each in by if version(each) <= version(kernel)]
    return by[max(known, key=version)] if known else None


def differences(table: dict[str, Any], kernel: str) -> dict[str, Any]:
    """Return what each difference of a table comes to in `kernel`."""
    return {name: _pick(part["by"], kernel) for name, part in table.items() if isinstance(part, dict) and "by" in part}


def first_with(table: str, name: str) -> str:
    """Return the first kernel in which a difference of a table is true."""
    by: dict[str, Any] = rules_table(table)[name]["by"]
    return min((kernel for kernel, there in by.items() if there is True), key=version)


def driver_kernels(driver: str) -> list[str]:
    """Return the kernels in which a driver's receive routine is modelled, oldest first."""
    return list(rules_table(driver)["kernels"])


@cache
def core_rules(kernel: str) -> CoreRules:
    """Return what the rest of `kernel` contributes to the receive path."""
    table = rules_table("core")
    c = {name: entry["value"] for name, entry in table["constants"].items()}
    return CoreRules(
        cache_line=c["SMP_CACHE_BYTES"],
        net_skb_pad=c["NET_SKB_PAD"],
        net_ip_align=c["NET_IP_ALIGN"],
        sizeof_sk_buff=c["SIZEOF_SK_BUFF"],
        sizeof_shinfo=c["SIZEOF_SKB_SHARED_INFO"],
        shinfo_zeroed=c["SHINFO_ZEROED"],
        max_skb_frags=c["MAX_SKB_FRAGS"],
        frag_chunk=c["PAGE_FRAG_CACHE_MAX_SIZE"],
        napi_weight=c["NAPI_POLL_WEIGHT"],
        rmem_default=c["RMEM_DEFAULT"],
        eth_zlen=c["ETH_ZLEN"],
        netdev_budget=c["NETDEV_BUDGET"],
        max_softirq_restart=c["MAX_SOFTIRQ_RESTART"],
        max_softirq_ms=c["MAX_SOFTIRQ_TIME"],
        **differences(table, kernel),
    )


@cache
def driver_rules(driver: str, kernel: str) -> DriverRules:
    """Return the rules of a driver in `kernel`, which must be one of `driver_kernels(driver)`."""
    kind, table = DRIVERS[driver], rules_table(driver)
    known = {name: entry["value"] for name, entry in table["constants"].items()}
    values = {field: known[constant] for field, constant in kind.constants.items()} | differences(table, kernel)
    functions = {**_functions("core", kernel), **_functions(driver, kernel)}
    return kind.rules(kernel=kernel, functions=functions, **values)


def _functions(name: str, kernel: str) -> dict[str, str]:
    """Return the functions that a table has behind steps: one for all kernels, or by kernel."""
    named = rules_table(name)["functions"].items()
    found = {step: each if isinstance(each, str) else _pick(each, kernel) for step, each in named}
    return {step: function for step, function in found.items() if function}
