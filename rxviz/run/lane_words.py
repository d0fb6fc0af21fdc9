"""From the words of `rxviz compare` to two lanes: what each is told, that both get the same frames, their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from rxviz.errors import RxvizError, ScenarioError, quoted
from rxviz.model.drivers.table import DRIVERS
from rxviz.run import kernels, patches
from rxviz.run.lanes import MAX_STEPS, Lane, Lanes
from rxviz.run.other_driver import Other, with_driver
from rxviz.run.scenario import PATHS, Scenario
from rxviz.run.timeline import Timeline

SHUFFLED = ("shuffle", "loss_percent")
"""What of the traffic a seed decides on."""
STEPS_A_FRAME = 10
"""Fewer than any frame takes that reaches the socket; enough to know beforehand that a run is far too long."""


def make_lanes(scenario: Scenario, words: Sequence[str] = ()) -> Lanes:
    """Return the lanes for a scenario: two texts of `key=value` words, one (against the scenario as it is), or none
    (legacy left, build_skb right). Raises ScenarioError where they cannot stand side by side, CaptureError.
    """
    left, right = _both(scenario, words)
    refuse_other_frames(left, right)
    for each in (left, right):
        if each.spec.count * STEPS_A_FRAME > MAX_STEPS:
            most = MAX_STEPS // STEPS_A_FRAME
            raise ScenarioError(
                f"{each.spec.count:,} frames are too many for two lanes, which keep every step: at most {most:,}"
            )
    names = lane_names(left, right)
    one = Lane(left, names[0])
    try:
        return Lanes(one, Lane(right, names[1]))
    except RxvizError:
        one.close()
        raise


def _both(scenario: Scenario, words: Sequence[str]) -> tuple[Scenario, Scenario]:
    if len(words) > 2:
        raise ScenarioError(f"--lane is given {len(words)} times; there are two lanes")
    if len(words) == 2:
        return _changed(scenario, words[0]), _changed(scenario, words[1])
    if len(words) == 1:
        return scenario, _changed(scenario, words[0])
    if reason := why_no_paths(scenario):
        raise ScenarioError(reason)
    left, right = (_on_path(scenario, path) for path in PATHS)
    return left, right


def _apart(driver: str) -> dict[str, list[str]]:
    """Return the kernels of each path, where a driver has both paths but no kernel that has both; else nothing."""
    by_path = {path: [k for k in kernels.driver_kernels(driver) if path in _paths(driver, k)] for path in PATHS}
    return by_path if all(by_path.values()) and not {*by_path[PATHS[0]]} & {*by_path[PATHS[1]]} else {}


def _paths(driver: str, kernel: str) -> tuple[str, ...]:
    return kernels.driver_rules(driver, kernel).paths


def _on_path(scenario: Scenario, path: str) -> Scenario:
    """Return the scenario on a path; where its kernel does not have it, in the next one that does."""
    apart = _apart(scenario.driver)
    if not apart or path in scenario.rules.paths:
        return replace(scenario, path=path)
    return scenario.with_words([f"kernel={apart[path][-1 if path == PATHS[0] else 0]}", f"path={path}"])


def why_no_paths(scenario: Scenario) -> str:
    """Return why a scenario cannot go both ways, legacy and build_skb; "" where it can."""
    driver = scenario.driver
    if set(PATHS) <= {*scenario.rules.paths} or _apart(driver):
        return ""
    both = [name for name in kernels.driver_kernels(driver) if {*PATHS} <= {*_paths(driver, name)}]
    if not both:
        only = scenario.rules.paths[0]
        return f"{driver} {scenario.kernel} has only the {only} path: nothing to compare; give two --lane"
    newer = both[0]
    return f"{driver} {scenario.kernel} has only the legacy path: take kernel={newer} or newer, or give two --lane"


def _changed(scenario: Scenario, text: str) -> Scenario:
    words = text.split()
    if not words:
        raise ScenarioError('--lane is empty: give key=value words, e.g. --lane "path=legacy"')
    if words[0] in DRIVERS:
        scenario = _other_driver(scenario, words.pop(0), text)
    kernel = next((word.partition("=")[2] for word in words if word.startswith("kernel=")), "")
    path = next((word.partition("=")[2] for word in words if word.startswith("path=")), "")
    if path in PATHS and not kernel and _apart(scenario.driver):
        scenario = _on_path(scenario, path)
    if kernel in kernels.driver_kernels(scenario.driver) and not path:
        paths = kernels.driver_rules(scenario.driver, kernel).paths
        if scenario.path not in paths:
            words.append(f"path={paths[-1]}")
    try:
        return scenario.with_words(words)
    except ScenarioError as error:
        raise ScenarioError(f"--lane {quoted(' '.join(words), 80)}: {error}") from None


def _other_driver(scenario: Scenario, driver: str, text: str) -> Scenario:
    """Return the scenario with another driver, in the same kernel and on the same path where it has them."""
    known = kernels.driver_kernels(driver)
    kernel = scenario.kernel if scenario.kernel in known else known[-1]
    paths = kernels.driver_rules(driver, kernel).paths
    path = scenario.path if scenario.path in paths else paths[-1]
    found, lost = with_driver(scenario, Other(driver, kernel, path))
    if lost:
        raise ScenarioError(f"--lane {quoted(text, 80)}: {driver} cannot have {' '.join(lost)}; leave it out")
    return found


def refuse_other_frames(left: Scenario, right: Scenario) -> None:
    """Raise ScenarioError unless the same frames arrive at the same times in both."""
    one, other = left.spec, right.spec
    seeded = any(getattr(one, name) for name in SHUFFLED)
    # How a capture's frames that are longer than the MTU are cut apart depends on the MTU.
    cut = one.kind == "capture" and left.mtu != right.mtu
    if one != other or (seeded and left.seed != right.seed) or cut:
        keys = ("traffic", "rate", "flows", "burst", "gap", "order", "loss", "seed", "mtu")
        key = next((key for key in keys if getattr(left, key) != getattr(right, key)), "")
        if not key:
            raise ScenarioError(
                f"two lanes get the same frames, but the wires of {left.driver} and {right.driver} are not alike;"
                " give a rate that both can take, e.g. rate=100kpps"
            )
        raise ScenarioError(
            f"two lanes get the same frames, but {key}= would not be the same; lanes may differ in all that does not"
            " change what arrives"
        )


def lane_names(left: Scenario, right: Scenario) -> tuple[str, str]:
    """Return a short name for each lane: what is not the same in both; "left" and "right" where all is."""
    keys = [key.name for key in fields(Scenario) if getattr(left, key.name) != getattr(right, key.name)]
    if not keys:
        return "left", "right"
    if "path" in keys and left.driver == right.driver and _apart(left.driver):
        return _path_and_kernel(left, keys), _path_and_kernel(right, keys)
    if {"kernel", "patches"} & {*keys} and "path" in keys and all(s.path == s.rules.paths[-1] for s in (left, right)):
        # The path follows from the kernel, or from the patches.
        keys.remove("path")
    one, other = (" · ".join(_name(key, _value(s, key)) for key in keys) for s in (left, right))
    return one, other


def _path_and_kernel(s: Scenario, keys: list[str]) -> str:
    """Return the name of a lane whose path its kernel alone has: both belong together."""
    rest = [_name(key, _value(s, key)) for key in keys if key not in ("path", "kernel")]
    return " · ".join([f"{s.path} {s.kernel}", *rest])


def _value(s: Scenario, key: str) -> str:
    """Return a key's value as it is; "" of a key means the driver's own way."""
    return s.deliver_as if key == "deliver" else str(getattr(s, key))


def _name(key: str, value: str) -> str:
    if key in ("driver", "path", "deliver"):
        return value
    if key == "patches":
        return "the kernel's patches" if value == patches.KERNEL else f"patches {value}"
    if key == "off":
        return "all rules on" if value == "none" else f"{value} off"
    return f"{key} {value}"


def as_timeline(lane: Lane) -> Timeline:
    """Return the run of a lane by itself, with a capture of its own: closing one leaves the other open."""
    return Timeline(lane.scenario)
