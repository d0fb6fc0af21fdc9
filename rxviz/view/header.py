"""The first line: which scenario, which step of how many, what time, and whether it plays."""

from __future__ import annotations

from rxviz.run.patches import KERNEL, in_words
from rxviz.run.scenario import Scenario
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import size_text, time_text

RIGHT = 24
"""Columns of what stands on the right, besides the number of steps, twice, and the caller's word."""


def scenario_words(moment: Moment) -> list[str]:
    """Return the scenario in short words, the most telling first."""
    scenario: Scenario = moment.scenario
    geometry = moment.machine.config.geometry
    buffers = f"{size_text(geometry.page)} pages walked"
    if geometry.half or geometry.segment:
        buffers = f"{size_text(geometry.half)} halves" if geometry.half else f"{size_text(geometry.segment)} segments"
    head = geometry.head
    words = [
        f"{scenario.driver} {scenario.kernel}",
        *([in_words(scenario.patches)] if scenario.patches != KERNEL else []),
        *([] if head else [scenario.path]),
        *traffic_words(scenario),
        *([f"fail {scenario.fail}"] if scenario.fail != "none" else []),
        *_merging_words(scenario),
        *([f"{head:,}-byte heads"] if head else []),
        f"ring {scenario.ring}",
        *((buffers,) if not head else ()),
        f"MTU {scenario.mtu}",
    ]
    if scenario.reader != "fast":
        words.append(f"reader {reader_words(scenario)}")
    return words


def _merging_words(scenario: Scenario) -> list[str]:
    """Return what merges frames, and what becomes of them."""
    words = ["the card merges"] if scenario.hw_gro == "on" else []
    if scenario.lro == "on":
        words.append("LRO on")
    if scenario.gro == "on":
        verified = " if verified" if scenario.deliver == "conditional" else ""
        words.append(f"GRO on{verified}" if scenario.calls_gro else "GRO on, not called")
    if scenario.forward != "off":
        words.append(scenario.forward)
    return words


def reader_words(scenario: Scenario) -> str:
    """Return how slow the program is: "off", "slow", or what it takes for each skb, "150 µs/skb"."""
    if not scenario.reader.isdigit():
        return scenario.reader
    ns = int(scenario.reader)
    return f"{ns // 1000:,} µs/skb" if ns % 1000 == 0 and ns else f"{time_text(ns)}/skb"


def traffic_words(scenario: Scenario) -> list[str]:
    """Return what is replayed, where it is a capture: the file's name without its folder."""
    spec = scenario.spec
    return [spec.capture.replace("\\", "/").rpartition("/")[2]] if spec.kind == "capture" else []


def draw(
    moment: Moment,
    width: int,
    height: int = 1,
    *,
    total: int = 0,
    complete: bool = True,
    play: str = "",
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the header; `total` steps are known, more will come unless `complete`; `play` is the caller's word."""
    canvas = Canvas(width, height, glyphs)
    place = f"step {moment.position:,} / {max(total, moment.position):,}{'' if complete else '+'}"
    time = time_text(moment.machine.now if moment.step is None else moment.step.t_ns)
    right = [(place, Role.STRONG), (f"  {time}", Role.REST), (f"  {play}" if play else "", Role.GOOD), (" ", Role.REST)]
    length = sum(len(text) for text, _ in right)
    if length > width:
        canvas.write(0, 0, place, Role.STRONG)
        return canvas.picture()
    canvas.spans(width - length, 0, *right)
    # As long as the run goes on, what stands on the right grows; what stands on the left must not come and go with it.
    words, room = scenario_words(moment), width - max(length, RIGHT + 2 * len(f"{total:,}") + len(play))
    if room - 10 < len(words[0]):
        room = width - length
    if room >= 10:
        canvas.put(1, 0, "rxviz", Role.STRONG)
        canvas.put(8, 0, _as_many_as_fit(words, room - 10), Role.PLAIN)
    return canvas.picture()


def _as_many_as_fit(words: list[str], width: int) -> str:
    """Return the words that fit, joined: one that is too long makes room for those behind it, but for the first."""
    told = words[0]
    if len(told) > width:
        return ""
    for word in words[1:]:
        if len(told) + 3 + len(word) <= width:
            told += f" · {word}"
    return told
