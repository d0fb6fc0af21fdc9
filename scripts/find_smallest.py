"""Write assets/rules.toml: for each rule the smallest scene in which a lamp goes on without it, found by search."""

from __future__ import annotations

from rxviz import paths
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.rules import RULES
from rxviz.run.smallest import Found, smallest

HEAD = """\
# The smallest scene for each rule in which a lamp goes on without it. Written by scripts/find_smallest.py, which plays
# honest and broken runs, shortest first; tests find each scene again. A rule that is not here breaks nothing.
"""


def found(rule: str) -> Found | None:
    """Return the smallest scene among all drivers, the first driver's where several are alike."""
    scenes = [scene for driver in DRIVERS if (scene := smallest(rule, driver)) is not None]
    return scenes[0] if scenes else None


def main() -> None:
    """Search for every rule, and write what was found."""
    parts = [HEAD]
    for name, rule in RULES.items():
        # Frames that show a rule of GRO are none that a scenario's words make: they are tests of their own.
        scene = found(name) if not rule.gro else None
        if scene is not None:
            parts.append(f'[{name}]\nscenario = "{scene.line}"\nlamp = "{scene.lamp}"\nstep = {scene.step}\n')
    (paths.assets() / "rules.toml").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
