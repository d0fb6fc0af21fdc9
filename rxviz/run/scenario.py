"""A scenario: one line of text, or a TOML file, that says everything a run needs.

    ixgbe kernel=6.18 path=build_skb ring=8 mtu=1500 traffic=tcp:1514x12@line seed=7

Unknown words are errors that name the nearest known one. `Scenario.line()` is the canonical form: it names every
key that is not at its default, and gives the same run again everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from rxviz.errors import ScenarioError, quoted, shown
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failures import Spot
from rxviz.model.geometry import LARGE_PAGE, Geometry
from rxviz.model.kernel import DriverRules
from rxviz.model.rules import RULES, rules_for
from rxviz.run import kernels, patches, scenario_napi
from rxviz.run.capture_word import quote, unquote
from rxviz.run.fail_words import Fails, check_fails, parse_fail
from rxviz.run.ranges import within
from rxviz.run.spots import parse_spots
from rxviz.run.traffic_spec import TrafficSpec, parse_traffic

PATHS = ("legacy", "build_skb")
PAGE_SIZES = (4096, 8192, 65536)
MIN_RING, MIN_MTU = 4, 68
MAX_RCVBUF = 1 << 24
MIN_FIFO, MAX_FIFO = 64, 1 << 24
TICKS = (100, 250, 300, 1000)
"""The values that a kernel's HZ can have."""
MAX_MEMORY = 256 << 20
"""Bytes of pages on a ring at most: what drivers' largest rings take with pages of 4,096 bytes."""
CAPTURE_RING = 8
"""Descriptors for a capture where nobody asks for a number: so few that the ring comes round while one watches."""
ALWAYS_SHOWN = ("kernel", "path", "ring", "mtu", "traffic")
NOT_WORDS = ("title", "about", "place")
"""Keys of a scenario file that are for people, and for the order in which files are shown."""
DELIVERS = ("netif_receive_skb", "napi_gro_receive", "conditional")
"""How a driver that offers a choice hands its skbs up; the first is its own way. Others call GRO always."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """The words of a scenario, checked. Sizes in bytes; `itr` in µs, or a word; `reader` in ns for each skb, or a word,
    with `@` and its CPU where it is not the usual one; `gro_flush_timeout` in ns.

    `patches` names the patches of a series that the driver has, "kernel" those that its kernel has. `refill` 0 stands
    for the driver's own number, or a quarter of a ring too small for it; `deliver` "" for the driver's own way.
    `rcvbuf` is what a program would give to SO_RCVBUF: the kernel doubles it. `fifo` 0 stands for the NIC's own packet
    buffer.
    """

    driver: str = "ixgbe"
    kernel: str = "6.18"
    patches: str = patches.KERNEL
    path: str = "build_skb"
    ring: int = 512
    refill: int = 0
    page_size: int = 4096
    mtu: int = 1500
    traffic: str = "tcp:1514x12"
    rate: str = "line"
    flows: int = 1
    burst: int = 0
    gap: int = 0
    order: str = "sent"
    loss: str = "none"
    itr: str = "10"
    budget: int = 64
    netdev_budget: int = 300
    busy: int = 0
    gro: str = "off"
    hw_gro: str = "off"
    gro_flush_timeout: int = 0
    napi_defer_hard_irqs: int = 0
    lro: str = "off"
    deliver: str = ""
    rxcsum: str = "on"
    forward: str = "off"
    rxvlan: str = "off"
    udp_gro: str = "off"
    vxlan: int = 0
    hz: int = 250
    cpus: int = 2
    reader: str = "fast"
    rcvbuf: int = 106_496
    vlan: int = 0
    errors: str = "none"
    bad_frames: str = "refused"
    fifo: int = 0
    drop_en: str = "off"
    rsc: str = "off"
    fail: str = "none"
    cost: str = "teaching"
    off: str = "none"
    seed: int = 1

    def line(self) -> str:
        """Return the canonical line."""
        words = [self.driver]
        own = _own_defaults(self.rules)
        for key in fields(self):
            value = getattr(self, key.name)
            if key.name != "driver" and (key.name in ALWAYS_SHOWN or value != own.get(key.name, key.default)):
                words.append(f"{key.name}={value}")
        return " ".join(words)

    def with_words(self, words: list[str]) -> Scenario:
        """Return the scenario changed by `key=value` words; raise ScenarioError."""
        values = _convert(_split(words))
        _offered(self.driver, values)
        return _check(replace(self, **_followed(self, values)))

    @property
    def rules(self) -> DriverRules:
        """The rules of its driver in its kernel, or in that state of the series."""
        return patches.rules(self.driver, self.kernel, self.patches)

    @property
    def spec(self) -> TrafficSpec:
        """What arrives, taken apart."""
        return parse_traffic(self)

    @property
    def reader_ns(self) -> int | None:
        """What the program takes for each skb, in ns; None when it never reads."""
        return scenario_napi.reader_ns(self.reader)

    @property
    def reader_cpu(self) -> int:
        """The CPU that the program runs on; the queue is that of CPU 0."""
        return scenario_napi.reader_cpu(self.reader, self.cpus)

    @property
    def itr_ns(self) -> int | None:
        """The least time between two interrupts, in ns; None where the driver adapts it."""
        return scenario_napi.itr_ns(self.itr)

    @property
    def geometry(self) -> Geometry:
        """How the driver lays its buffers out."""
        kind = DRIVERS[self.driver]
        extra = {"rsc": True} if self.rsc == "on" and "rsc_3k" not in self.off_rules else {}
        core = kernels.core_rules(self.kernel)
        return kind.geometry(self.rules, core, self.page_size, self.mtu, self.path, **extra)

    @property
    def error_spots(self) -> tuple[Spot, ...]:
        """Which frames come bad, and how, by their numbers."""
        return parse_spots("errors", self.errors, [*DRIVERS[self.driver].nic.ERRORS], "crc@3")

    @property
    def fails(self) -> Fails:
        """What fails, and when."""
        return parse_fail(self.fail, self.driver)

    @property
    def rule_names(self) -> list[str]:
        """The rules that can be switched off in its driver and NIC."""
        return _rule_names(self.driver, self.rules)

    @property
    def deliver_as(self) -> str:
        """How the driver hands its skbs up."""
        offered = "deliver" in DRIVERS[self.driver].offers
        return self.deliver or (DELIVERS[0] if offered else "napi_gro_receive")

    @property
    def calls_gro(self) -> bool:
        """Whether GRO is on and anybody calls it."""
        return self.gro == "on" and (self.deliver_as != DELIVERS[0] or "gro_called" in self.off_rules)

    @property
    def off_rules(self) -> tuple[str, ...]:
        """The rules that are switched off."""
        return () if self.off == "none" else tuple(self.off.split(","))

    @property
    def refill_at(self) -> int:
        """How many free slots make the driver refill (`IXGBE_RX_BUFFER_WRITE`)."""
        if self.refill:
            return self.refill
        rules = self.rules
        return rules.rx_buffer_write if self.ring >= rules.min_ring else max(1, self.ring // 4)

    def remarks(self) -> list[str]:
        """Return what a person should know about the scenario: where it is not as the driver would have it."""
        from rxviz.run.scenario_remarks import remarks

        return remarks(self)


def parse_line(text: str | list[str]) -> Scenario:
    """Read a scenario line (or its words); raise ScenarioError with one sentence."""
    words = text.split() if isinstance(text, str) else [word for part in text for word in part.split()]
    if not words:
        raise ScenarioError("an empty scenario: start with a driver, e.g. ixgbe ring=8")
    if words[0] not in DRIVERS:
        raise ScenarioError(
            f"{quoted(words[0])} is not a driver{_nearest(words[0], [*DRIVERS])}; known: {', '.join(DRIVERS)}"
        )
    values = _convert(_split(words[1:]))
    _offered(words[0], values)
    return _check(Scenario(**_defaults_for({"driver": words[0], **values})))


def from_mapping(table: Mapping[str, Any], where: str) -> Scenario:
    """Read the keys of a scenario file, `where` being its name; raise ScenarioError."""
    words = words_of(table, where)
    try:
        return parse_line(words)
    except ScenarioError as error:
        raise ScenarioError(f"{where}: {error}") from None


def words_of(table: Mapping[str, Any], where: str) -> list[str]:
    """Return the driver and the `key=value` words of a scenario file, not checked; raise ScenarioError."""
    flat: dict[str, str] = {}
    for key, value in table.items():
        parts = value.items() if isinstance(value, Mapping) else [(key, value)]
        for name, part in parts:
            if isinstance(part, bool | Mapping | list):
                raise ScenarioError(f"{where}: {quoted(str(name))} must be a text or a number")
            word = "traffic" if isinstance(value, Mapping) and name == "kind" else str(name)
            if word in flat:
                raise ScenarioError(f"{where}: {quoted(word)} is given twice")
            flat[word] = str(part)
    for key in NOT_WORDS:
        flat.pop(key, None)
    if "capture" in flat:
        flat["capture"] = "".join(quote(letter) if letter.isspace() else letter for letter in flat["capture"])
    for key, value in flat.items():
        if not value or any(letter.isspace() for letter in key + value):
            raise ScenarioError(f"{where}: {quoted(key)} must be one word without blanks")
    driver = flat.pop("driver", "ixgbe")
    return [driver, *(f"{key}={value}" for key, value in flat.items())]


def rules_of_driver(driver: str) -> list[str]:
    """Return the rules that can be switched off in any kernel of a driver, in the order of their table."""
    known = {name for kernel in kernels.driver_kernels(driver) for name in _rules_in(driver, kernel)}
    return [name for name in RULES if name in known]


def _rules_in(driver: str, kernel: str) -> list[str]:
    return _rule_names(driver, kernels.driver_rules(driver, kernel))


def _rule_names(driver: str, rules: DriverRules) -> list[str]:
    kind = DRIVERS[driver]
    return rules_for(kind.driver(rules), kind.nic, lro="lro" in kind.offers)


# ------------------------------------------------------------------------------------------------------------ checking
def _shown(text: str) -> str:
    return shown(text, 40)


def _nearest(word: str, known: tuple[str, ...] | list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1, cutoff=0.5)
    return f', did you mean "{near[0]}"?' if near else ""


def _split(words: list[str]) -> dict[str, str]:
    keys = (*(field.name for field in fields(Scenario) if field.name != "driver"), "capture")
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise ScenarioError(f"{quoted(word)} is not key=value{_nearest(key, keys)}")
        if key not in keys:
            raise ScenarioError(f"unknown key {quoted(key)}{_nearest(key, keys)}")
        if key in values:
            raise ScenarioError(f"{key}= is given twice")
        values[key] = value
    if "capture" in values:
        if "traffic" in values:
            raise ScenarioError("traffic= and capture= are both given; one of them says what arrives")
        values["traffic"] = "capture:" + values.pop("capture")
    if values.get("traffic", "").startswith("capture:"):
        values["traffic"] = "capture:" + quote(unquote(values["traffic"].removeprefix("capture:")))
    traffic, at, rate = values.get("traffic", "").rpartition("@")
    if at and not rate.startswith("/") and not traffic.startswith("capture:"):
        if "rate" in values:
            raise ScenarioError(f'the rate is given twice: "@{_shown(rate)}" and rate={_shown(values["rate"])}')
        values["traffic"], values["rate"] = traffic, rate
    return values


_NUMBERED = ("traffic", "rate", "order", "loss", "reader", "itr", "errors", "fail")
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
"""Zeros in front of a number: a run has one canonical line, however its numbers were written."""


def _convert(values: dict[str, str]) -> dict[str, Any]:
    numbers = {field.name for field in fields(Scenario) if field.type == "int"}
    converted: dict[str, Any] = {}
    for key, value in values.items():
        if key not in numbers:
            converted[key] = _ZEROS.sub("", value) if key in _NUMBERED and not value.startswith("capture:") else value
            if key == "patches":
                converted[key] = patches.canonical(value)
            continue
        if not value.isascii() or not value.isdigit() or len(value) > 18:
            raise ScenarioError(f"{key}= takes a whole number, not {quoted(value)}")
        converted[key] = int(value)
    return converted


def _defaults_for(values: dict[str, Any]) -> dict[str, Any]:
    """Fill in the defaults that follow from other words: the kernel, path and ring that the driver has by itself."""
    driver = values["driver"]
    known, state, part = kernels.driver_kernels(driver), values.get("patches", patches.KERNEL), patches.series(driver)
    kernel = values.setdefault("kernel", part.before if part and state != patches.KERNEL else known[-1])
    if kernel in known:
        rules = patches.rules(driver, kernel, state)
        values.setdefault("path", rules.paths[-1])
        for key, value in _own_defaults(rules).items():
            values.setdefault(key, value)
        if str(values.get("traffic", "")).startswith("capture:"):
            values.setdefault("ring", CAPTURE_RING)
        large = values.get("page_size", 4096) >= LARGE_PAGE
        values.setdefault("ring", (rules.large_page_ring if large else 0) or rules.default_ring)
    return values


def _own_defaults(rules: DriverRules) -> dict[str, Any]:
    """Return the defaults that each driver has of its own."""
    return {"itr": str(rules.default_itr), "budget": rules.default_budget}


def _offered(driver: str, values: dict[str, Any]) -> None:
    """Refuse a key that only other drivers have."""
    for key in values:
        have = [name for name, kind in DRIVERS.items() if key in kind.offers]
        if have and driver not in have:
            word = f"{key}={_shown(str(values[key]))}"
            raise ScenarioError(f"{word}: {driver} does not have this word, {' and '.join(have)} have it; leave it out")


def _followed(s: Scenario, values: dict[str, Any]) -> dict[str, Any]:
    """Add what follows from a change: kernel= and patches= both say what the driver is, and the path goes with it."""
    part = patches.series(s.driver)
    if "patches" not in values:
        return values | {"patches": patches.KERNEL} if "kernel" in values else values
    if values["patches"] != patches.KERNEL and part is not None:
        values = {"kernel": part.before, **values}
    changed = replace(s, **values)
    known = changed.kernel in kernels.driver_kernels(s.driver)
    if "path" not in values and known and changed.rules.paths != s.rules.paths:
        values = values | {"path": changed.rules.paths[-1]}
    return values


def _one_of(s: Scenario, key: str, known: tuple[str | int, ...] | list[str]) -> None:
    value = getattr(s, key)
    if value not in known:
        names = [str(name) for name in known]
        raise ScenarioError(
            f"{key}={_shown(str(value))} is not known{_nearest(str(value), names)}; known: {', '.join(names)}"
        )


def _no_such_path(s: Scenario) -> str:
    """Say that a kernel's driver does not have a path, and which kernels do."""
    if s.patches != patches.KERNEL:
        return (
            f"{s.driver} with patches={s.patches} has no {s.path} path; use path={s.rules.paths[-1]}, or other patches"
        )
    have = [kernel for kernel in kernels.driver_kernels(s.driver) if s.path in _paths(s.driver, kernel)]
    instead = f", or kernel={have[0]}" + (" or later" if len(have) > 1 else "") if have else ""
    return f"{s.driver} {s.kernel} has no {s.path} path; use path={s.rules.paths[-1]}{instead}"


def _paths(driver: str, kernel: str) -> tuple[str, ...]:
    return kernels.driver_rules(driver, kernel).paths


def _check_patches(s: Scenario) -> None:
    part = patches.series(s.driver)
    if s.patches == patches.KERNEL:
        return
    if part is None:
        have = [name for name in DRIVERS if patches.series(name)]
        raise ScenarioError(
            f"patches= is a series for {' and '.join(have)}; {s.driver} has no part in it, leave it out"
        )
    if s.kernel != part.before:
        raise ScenarioError(
            f"patches= starts from {s.driver} in kernel {part.before}, before the series; leave kernel={s.kernel} out"
        )


def _check_hw_gro(s: Scenario) -> None:
    """See whether the card may merge frames: its driver switches that off where it cannot use it."""
    if s.hw_gro == "off":
        return
    if s.gro == "off":
        raise ScenarioError("hw_gro=on needs gro=on: the driver switches the card's GRO off with the kernel's")
    if s.mtu > s.page_size:
        raise ScenarioError(
            f"hw_gro=on works up to an MTU of {s.page_size:,}, a page: the driver switches it off at mtu={s.mtu}"
        )


def _check(s: Scenario) -> Scenario:
    from rxviz.run.cost import profiles

    _one_of(s, "kernel", kernels.driver_kernels(s.driver))
    _check_patches(s)
    rules = s.rules
    _one_of(s, "path", PATHS)
    if s.path not in rules.paths:
        raise ScenarioError(_no_such_path(s))
    within(s, "ring", MIN_RING, rules.max_ring)
    if s.ring >= rules.min_ring and s.ring % rules.ring_multiple:
        raise ScenarioError(
            f"ring={s.ring}: from {rules.min_ring} on the driver takes multiples of {rules.ring_multiple}"
        )
    if s.refill:
        within(s, "refill", 1, s.ring - 1)
    _one_of(s, "page_size", PAGE_SIZES)
    within(s, "mtu", MIN_MTU, rules.max_mtu)
    s = scenario_napi.check(s)
    _one_of(s, "gro", ("on", "off"))
    for key in ("lro", "rxcsum", "hw_gro", "rxvlan", "udp_gro", "drop_en", "rsc"):
        _one_of(s, key, ("on", "off"))
    within(s, "vxlan", 0, 65_535)
    _one_of(s, "forward", ("off", "bridge"))
    if s.deliver:
        _one_of(s, "deliver", DELIVERS)
        s = replace(s, deliver="" if s.deliver == DELIVERS[0] else s.deliver)
    _check_hw_gro(s)
    _one_of(s, "hz", TICKS)
    within(s, "rcvbuf", 1_152, MAX_RCVBUF)
    _one_of(s, "cost", profiles())
    _one_of(s, "bad_frames", ("refused", "stored"))
    if s.fifo:
        within(s, "fifo", MIN_FIFO, MAX_FIFO)
    memory = s.ring * s.geometry.page
    if memory > MAX_MEMORY:
        raise ScenarioError(
            f"ring={s.ring} with pages of {s.page_size:,} bytes takes {memory >> 20:,} MiB; "
            f"up to {MAX_MEMORY >> 20} MiB are modelled"
        )
    for name in s.off_rules:
        if name not in RULES:
            near = _nearest(name, list(RULES))
            raise ScenarioError(f"off={_shown(name)} is not a rule{near or '; some are: ' + ', '.join([*RULES][:8])}")
        if name not in s.rule_names:
            others = [kernel for kernel in kernels.driver_kernels(s.driver) if name in _rules_in(s.driver, kernel)]
            if others:
                raise ScenarioError(f"off={name} is no rule of {s.driver} {s.kernel}; it is one in kernel={others[0]}")
            raise ScenarioError(f"off={name} is a rule of other drivers, not of {s.driver}; leave it out")
    if len(set(s.off_rules)) != len(s.off_rules):
        raise ScenarioError("off= names a rule twice")
    parse_traffic(s)
    _ = s.error_spots
    check_fails(s)
    return s
