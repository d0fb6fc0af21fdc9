"""A hundred thousand random frames through every driver, kernel and path, with failures, readers and offloads."""

from __future__ import annotations

from random import Random

import pytest

from rxviz.model.drivers.table import DRIVERS
from rxviz.run.kernels import driver_kernels, driver_rules
from rxviz.run.scenario import parse_line
from tests.soak.check import faults
from tests.soak.draw import scenario

FRAMES, PARTS = 100_000, 10
EACH = 400
"""Frames of a run at most: many short runs meet more than few long ones."""


@pytest.mark.parametrize("part", range(PARTS))
def test_every_lamp_stays_dark_and_every_frame_and_page_is_accounted_for(part: int) -> None:
    random, came = Random(part), 0
    while came < FRAMES // PARTS:
        drawn = scenario(random, EACH)
        offered, found = faults(drawn)
        assert found == [], drawn.line()
        came += offered


def test_a_frame_whose_end_waits_for_a_descriptor_is_counted_once() -> None:
    line = "igb kernel=6.18 ring=12 page_size=8192 traffic=vxlan:6476x20 fail=alloc_page@1-"
    assert faults(parse_line(line)) == (20, [])


def test_every_driver_kernel_and_path_is_drawn() -> None:
    random = Random(0)
    drawn = {(s.driver, s.kernel, s.path) for s in (scenario(random, EACH) for _ in range(600))}
    every = {
        (driver, kernel, path)
        for driver in DRIVERS
        for kernel in driver_kernels(driver)
        for path in driver_rules(driver, kernel).paths
    }
    assert drawn == every
