"""Every driver's table: what its kernels do differently is explained, sourced and whole; steps have functions."""

from __future__ import annotations

import re

import pytest

from rxviz.model.drivers.table import DRIVERS
from rxviz.model.steps import BY_NAME
from rxviz.run.kernels import core_rules, driver_kernels, driver_rules, rules_table, version
from tests.model.harness import ROUTINES, geometry


@pytest.mark.parametrize("name", [*DRIVERS, "core"])
def test_each_difference_says_what_it_is_and_where_it_is_from(name: str) -> None:
    for key, part in rules_table(name).items():
        if key in ("kernels", "about", "functions", "constants"):
            continue
        assert set(part) == {"meaning", "source", "by"}, key
        assert part["meaning"][0].islower() or part["meaning"][:3].isupper() or part["meaning"][0].isdigit()
        known = [version(kernel) for kernel in part["by"]]
        assert known == sorted(set(known)), key


@pytest.mark.parametrize("name", [*DRIVERS, "core"])
def test_each_constant_has_a_value_a_unit_and_a_source(name: str) -> None:
    for key, entry in rules_table(name)["constants"].items():
        assert set(entry) == {"value", "unit", "source"}, key


@pytest.mark.parametrize("driver", DRIVERS)
def test_kernels_are_in_order_and_each_has_rules(driver: str) -> None:
    kernels = [version(kernel) for kernel in driver_kernels(driver)]
    assert kernels == sorted(set(kernels))
    for kernel in driver_kernels(driver):
        rules = driver_rules(driver, kernel)
        assert rules.kernel == kernel
        assert rules.min_ring % rules.ring_multiple == 0
        assert rules.min_ring <= rules.default_ring <= rules.max_ring
        assert core_rules(kernel).cache_line == 64


@pytest.mark.parametrize("driver", DRIVERS)
def test_functions_stand_behind_steps_that_there_are(driver: str) -> None:
    for step, named in rules_table(driver)["functions"].items():
        assert step in BY_NAME, step
        for function in [named] if isinstance(named, str) else named.values():
            others = [name for name in DRIVERS if name != driver]
            assert not any(re.match(rf"{other}(?![a-z0-9])", function, re.I) for other in others), function


@pytest.mark.parametrize(("driver", "kernel", "path"), ROUTINES)
@pytest.mark.parametrize("page_size", [4096, 8192, 65536])
def test_a_buffer_fits_its_half_with_all_that_must_stay_free(
    driver: str, kernel: str, path: str, page_size: int
) -> None:
    """What the NIC may write in one descriptor, headroom in front and shared info behind, in every layout."""
    rules, core = driver_rules(driver, kernel), core_rules(kernel)
    for mtu in (68, 1500, 1510, 1511, 1626, 1627, 4000, 9000, rules.max_mtu):
        if mtu > rules.max_mtu:
            continue
        layout = geometry(kernel, path, page_size, mtu, driver)
        written = min(layout.dma_size, layout.max_frame)
        behind = core.shinfo_size if layout.build_skb else 0
        room = layout.half or layout.page - (layout.last_offset - layout.pad)
        assert layout.pad + written + behind <= room, (mtu, layout)
        assert layout.build_skb == (path == "build_skb")
