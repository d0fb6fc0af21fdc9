"""Random scenarios for hypothesis: small enough to play hundreds of them, wide enough to meet every rule."""

from __future__ import annotations

from hypothesis import strategies as st

from rxviz.model.drivers.table import DRIVERS
from rxviz.run import kernels
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.traffic_spec import HEADERS
from tests.model.harness import ROUTINES

SIZES = st.one_of(
    st.sampled_from([60, 64, 66, 255, 256, 257, 1472, 1513, 1514, 1515, 1536, 2048, 2049, 3072, 3073, 6144, 9014]),
    st.integers(60, 9_100),
)


@st.composite
def traffic(draw: st.DrawFn, most: int) -> list[str]:
    """The words that say what arrives."""
    kind = draw(st.sampled_from(sorted(HEADERS)))
    size = max(draw(SIZES), HEADERS[kind], 60)
    count = draw(st.integers(1, most))
    words = [f"traffic={kind}:{size}x{count}"]
    words.append("rate=" + draw(st.sampled_from(["line", "line", "590kpps", "50kpps", "1gbit", "100mbit"])))
    if draw(st.booleans()):
        words.append(f"flows={draw(st.integers(1, 5))}")
    if draw(st.booleans()):
        words += [f"burst={draw(st.integers(1, 9))}", f"gap={draw(st.sampled_from([500, 5_000, 90_000]))}"]
    words.append("order=" + draw(st.sampled_from(["sent", "swap:2", "swap:5", "shuffle:4", "shuffle:16"])))
    words.append("loss=" + draw(st.sampled_from(["none", "none", "10%", "50%", "0", "3,7"])))
    return words


@st.composite
def cpus(draw: st.DrawFn) -> list[str]:
    """The words that say who reads, where, and what else the softirq's CPU has to do."""
    count = draw(st.integers(1, 4))
    pace = draw(st.sampled_from(["off", "slow", "fast", "0", "1", "2000", "70000"]))
    words = [f"cpus={count}", f"reader={pace}@{draw(st.integers(0, count - 1))}"]
    if draw(st.booleans()):
        words.append(f"netdev_budget={draw(st.sampled_from([1, 7, 64, 300]))}")
    if draw(st.integers(0, 3)) == 3:
        words.append(f"busy={draw(st.integers(1, 6))}")
    return words


@st.composite
def lines(draw: st.DrawFn, most: int = 40, drivers: tuple[str, ...] = (*DRIVERS,)) -> str:
    """A scenario line of at most so many frames."""
    driver, kernel, path = draw(st.sampled_from([each for each in ROUTINES if each[0] in drivers]))
    ring = draw(st.one_of(st.integers(4, 12), st.integers(4, 63), st.sampled_from([64, 72, 96])))
    words = [f"{driver} kernel={kernel} path={path} ring={ring}"]
    if draw(st.booleans()):
        words.append(f"refill={draw(st.integers(1, min(ring - 1, 20)))}")
    rules = kernels.driver_rules(driver, kernel)
    mtus = [mtu for mtu in (68, 1500, 1500, 1501, 1640, 4000, 9000, 9000) if mtu < rules.max_mtu]
    mtu, page = draw(st.sampled_from([*mtus, rules.max_mtu])), draw(st.sampled_from([4096, 4096, 4096, 8192, 65536]))
    words += [f"mtu={mtu}", f"page_size={page}"]
    words += draw(traffic(most))
    words += draw(cpus())
    words.append(f"budget={draw(st.one_of(st.integers(1, 8), st.integers(1, 64)))}")
    words.append(f"rcvbuf={draw(st.sampled_from([1_152, 4_000, 32_768, 106_496, 1_000_000]))}")
    adaptive = ["adaptive"] if rules.itr_algorithm else []
    words.append(f"itr={draw(st.sampled_from(['0', '1', '10', '50', '200', *adaptive]))}")
    words.append(f"hz={draw(st.sampled_from([100, 250, 1000]))}")
    if draw(st.booleans()):
        words.append("gro=on")
        if "hw_gro" in DRIVERS[driver].offers and mtu <= page and draw(st.booleans()):
            words.append("hw_gro=on")
    core = kernels.core_rules(kernel)
    if core.gro_flush_timeout and draw(st.booleans()):
        words.append(f"gro_flush_timeout={draw(st.sampled_from([1, 900, 20_000, 5_000_000]))}")
        if core.napi_defer_hard_irqs:
            words.append(f"napi_defer_hard_irqs={draw(st.integers(0, 3))}")
    words.append(f"seed={draw(st.integers(0, 1 << 30))}")
    return " ".join(words)


def scenarios(most: int = 40, drivers: tuple[str, ...] = (*DRIVERS,)) -> st.SearchStrategy[Scenario]:
    return lines(most, drivers).map(parse_line)
