"""Write assets/rules.toml: for each rule the smallest scene in which a lamp goes on without it, found by search.

python scripts/find_smallest.py [RULE or DRIVER ...]      for these only; the others stay as they are
"""

from __future__ import annotations

import sys

from rxviz import paths
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.rules import RULES
from rxviz.run.break_rule import smallest_scenes
from rxviz.run.scenario import rules_of_driver
from rxviz.run.smallest import Found, smallest

HEAD = """\
# The smallest scene for each rule of each driver in which a lamp goes on without it. Written by
# scripts/find_smallest.py, which plays honest and broken runs, shortest first; tests find scenes again. A rule that is
# not here breaks nothing in that driver.
"""


def _entry(driver: str, rule: str, scene: Found) -> str:
    return f'[{driver}.{rule}]\nscenario = "{scene.line}"\nlamp = "{scene.lamp}"\nstep = {scene.step}\n'


def main(asked: list[str]) -> None:
    """Search for the rules, or the rules of the drivers, that are asked for (none: all), and write what was found."""
    parts = [HEAD]
    for driver in DRIVERS:
        known = smallest_scenes(driver)
        # Frames that show a rule of GRO are none that a scenario's words make: they are tests of their own.
        for rule in (rule for rule in rules_of_driver(driver) if not RULES[rule].gro):
            scene = smallest(rule, driver) if not {rule, driver}.isdisjoint(asked or [rule]) else known.get(rule)
            if scene is not None:
                parts.append(_entry(driver, rule, scene))
    (paths.assets() / "rules.toml").write_text("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])
