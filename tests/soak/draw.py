"""Random scenario lines for any driver there is, from a seed; what a driver cannot have is not asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rxviz.errors import ScenarioError
from rxviz.model.drivers.table import DRIVERS
from rxviz.run.kernels import driver_kernels, driver_rules
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.traffic_spec import HEADERS

SIZES = (60, 64, 66, 192, 193, 255, 256, 257, 1472, 1513, 1514, 1515, 1536, 2048, 2049, 3072, 3073, 6144, 9014)
MAYBE = {
    "gro": ("on", "off"), "rxcsum": ("on", "off"), "lro": ("on", "off"), "hw_gro": ("on", "off"),
    "deliver": ("netif_receive_skb", "napi_gro_receive", "conditional"), "drop_en": ("on", "off"),
    "itr": ("0", "1", "10", "50", "200", "adaptive"), "cpus": ("1", "2"), "busy": ("0", "1", "5"),
    "netdev_budget": ("64", "300"), "vlan": ("0", "100"), "rxvlan": ("on", "off"), "hz": ("100", "250", "1000"),
    "budget": ("1", "3", "8", "64"),
    "rcvbuf": ("1152", "4000", "32768", "106496"), "page_size": ("4096", "8192", "65536"),
    "mtu": ("68", "1500", "1500", "1501", "4000", "9000"), "fifo": ("4000", "32768"),
    "fail": ("alloc_page@5", "alloc_page@3-9", "alloc_skb@4", "alloc_skb@2-6", "remote_page@2", "pfmemalloc@3", "map@2",
             "alloc_page@2-4,alloc_skb@9", "alloc_page@1-", "alloc_skb@3-", "map@1-7,alloc_skb@2-20", "remote_page@0-",
             "stall_cpu@9000+80000", "stall_reader@20000+400000,alloc_page@2",
             "pfmemalloc@0-9,remote_page@10-12,alloc_page@1-3"),
    "gro_flush_timeout": ("0", "20000"), "errors": ("crc@3", "length@1,undersize@4-9", "oversize@2-"),
    "bad_frames": ("refused", "stored"), "rsc": ("on", "off"), "forward": ("off", "bridge"), "udp_gro": ("on", "off"),
    "vxlan": ("0", "4789"),
}  # fmt: skip
"""Words that a scenario may have, each with values to draw from."""
READERS = ("off", "slow", "fast", "0", "2000", "70000", "slow@0", "500@1")
OFTEN = 0.25
"""How often a word is drawn that may be left out."""


def scenario(random: Random, frames: int, drivers: Sequence[str] = (*DRIVERS,)) -> Scenario:
    """Return a random scenario of at most so many frames; words that do not go together are drawn again."""
    while True:
        driver = random.choice(drivers)
        kernel = random.choice(driver_kernels(driver))
        path = random.choice(driver_rules(driver, kernel).paths)
        words = [driver, f"kernel={kernel}", f"path={path}", *_traffic(random, frames)]
        words.append(f"ring={random.choice((4, 5, 8, 12, 30, 64, 128, 256))}")
        words.append(f"seed={random.randrange(1 << 30)}")
        found = _parsed(words)
        if found is None:
            continue
        for key, values in MAYBE.items():
            if random.random() < OFTEN:
                found = _parsed([*words, f"{key}={random.choice(values)}"], words) or found
        return _parsed([*words, f"reader={random.choice(READERS)}"], words) or found


def _parsed(words: list[str], keep: list[str] | None = None) -> Scenario | None:
    """Return the scenario of the words, None where they make none; words that do are put into `keep`."""
    try:
        found = parse_line(words)
    except ScenarioError:
        return None
    if keep is not None:
        keep[:] = words
    return found


def _traffic(random: Random, frames: int) -> list[str]:
    kind = random.choice(sorted(HEADERS))
    size = max(random.choice((*SIZES, random.randrange(60, 9_100))), HEADERS[kind], 60)
    words = [f"traffic={kind}:{size}x{random.randint(1, frames)}"]
    words.append(f"rate={random.choice(('line', 'line', '590kpps', '50kpps', '100mbit'))}")
    if random.random() < OFTEN:
        words.append(f"flows={random.randint(1, 9)}")
    if random.random() < OFTEN:
        words += [f"burst={random.randint(1, 90)}", f"gap={random.choice((500, 5_000, 90_000))}"]
    if random.random() < OFTEN:
        words.append(f"order={random.choice(('swap:2', 'swap:5', 'shuffle:4', 'shuffle:16'))}")
    if random.random() < OFTEN:
        words.append(f"loss={random.choice(('10%', '50%', '0', '3,7'))}")
    return words
