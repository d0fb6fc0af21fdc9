"""A lesson as a picture of any size: for each part its drawing from the live model, and its words below."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.lessons.format import Panel
from rxviz.run.timeline import Moment, Timeline
from rxviz.screens.screens import lesson_words as says
from rxviz.screens.screens.lesson_asking import Asking
from rxviz.screens.screens.lesson_play import Play
from rxviz.view import lesson_bills, lesson_cpu, lesson_owner, poll, strip
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, Target
from rxviz.view.glyphs import Glyphs
from rxviz.view.lesson_place import Marks, draw_half, draw_page
from rxviz.view.lesson_sheet import DrawAt, Sheet, Words, beside, paste, sheet
from rxviz.view.panels import PANELS

TALL = {"ring": 15, "pages": 20, "skb": 14, "bill": 15, "bytes": 24, "strip": 5, "gro": 12, "poll": 9,
        "cpu": 9, "counters": 9, "owner": 9}  # fmt: skip
"""Lines of which each panel can make use in a lesson."""
STRIP_FROM = 30
"""Lines of the body from which the whole path stands above the picture."""
LEAST = {"ring": 14}
"""Lines that are worth giving up blank lines for: from there on a ring is drawn as a ring."""
ROWS = 7
"""Lines of a ring that is drawn in rows, with a title."""
STORY, STORY_FROM = 7, 36
"""Lines of the step's story under the picture, and lines of the body from which there is room for it."""
PAIR_WIDE = 100
COUNTING = ("cpu", "counters")
"""Panels that tell by themselves what two runs came to: no bill takes their place."""
Titles = Sequence[Sequence[tuple[str, str]]]


def body(play: Play, width: int, height: int, glyphs: Glyphs, following: str = "") -> Sheet:
    """Return the part of the lesson at hand."""
    words = Words(min(width, 132), glyphs)
    worlds_told = height >= STORY_FROM and _is_wide(play, width) and _shows_panels(play)
    draw, tall = _picture(play, glyphs, width, worlds_told)
    story = height >= STORY_FROM and play.worlds is None and play.part not in ("predict", "keep")
    match play.part:
        case "hook":
            says.hook(words, play)
        case "example":
            says.example(words, play, story)
        case "predict":
            says.question(words, play.asking)
        case "observe" if play.worlds is not None:
            says.observe_worlds(words, play, _is_wide(play, width), worlds_told)
        case "observe":
            says.observe_right(words, play)
        case "explain":
            says.explain(words, play)
        case "do":
            says.task(words, play.doing, story)
        case _:
            says.keep(words, play, following)
    if play.part != "keep" and play.worlds is None:
        if story:
            draw, tall = _over_story(draw, play.moment, glyphs), tall + STORY
        if height >= STRIP_FROM:
            draw, tall = _with_strip(play, draw, glyphs), tall + 4
    return sheet(width, height, glyphs, draw, tall, words, least=LEAST.get(_panel(play), 0))


def _panel(play: Play) -> str:
    """Return the panel that stands alone above the words, nothing where two do, or none."""
    if play.worlds is not None or play.part == "keep":
        return ""
    if play.part == "do":
        return play.doing.do.panel
    if play.part in ("hook", "example"):
        return play.panel
    return play.asking.question.predict.panel


def _picture(play: Play, glyphs: Glyphs, width: int, told: bool) -> tuple[DrawAt, int]:
    """Return the drawing of the part at hand, and how many lines it can use."""
    if play.part == "keep":
        return _cheat(play, glyphs), 7
    if play.part == "do":
        return _task(play, glyphs)
    if play.part in ("hook", "example"):
        return _run(play, play.panel, glyphs)
    panel = play.asking.question.predict.panel
    if play.part == "predict":
        return _asked(play, panel, glyphs)
    if play.part == "observe" and play.worlds is not None:
        return _worlds(play, panel, glyphs, width, told)
    return _run(play, panel, glyphs)


def panel_at(panel: str, moment: Moment, run: Timeline, glyphs: Glyphs, *, active: bool = False) -> DrawAt:
    """Return the drawing of a panel at a moment of a run."""
    if panel == "strip":

        def path(canvas: Canvas) -> None:
            paste(canvas, 0, 0, strip.draw(moment, canvas.width, 3, kinds=run.kinds, glyphs=glyphs))

        return lambda width, height: frame(width, height, "The path", "", path, active=active, glyphs=glyphs)
    if panel == "poll":
        return lambda width, height: poll.draw(moment, width, height, active=active, glyphs=glyphs)
    if panel == "cpu":
        return lambda width, height: lesson_cpu.draw(run.activity, moment, width, height, active=active, glyphs=glyphs)
    if panel == "owner":
        return lambda width, height: lesson_owner.draw(run, moment, width, height, active=active, glyphs=glyphs)
    return lambda width, height: PANELS[panel].draw(moment, width, height, active=active, glyphs=glyphs)


def _with_strip(play: Play, draw: DrawAt, glyphs: Glyphs) -> DrawAt:
    moment, kinds = play.moment, play.lane.timeline.kinds

    def both(width: int, height: int) -> Picture:
        canvas = Canvas(width, height, glyphs)
        paste(canvas, 0, 0, strip.draw(moment, width, 3, kinds=kinds, glyphs=glyphs))
        paste(canvas, 0, 4, draw(width, height - 4))
        return canvas.picture()

    return both


def _over_story(draw: DrawAt, moment: Moment, glyphs: Glyphs) -> DrawAt:
    """A drawing with the story of its step under it."""

    def both(width: int, height: int) -> Picture:
        canvas = Canvas(width, height, glyphs)
        paste(canvas, 0, 0, draw(width, height - STORY))
        paste(canvas, 0, height - STORY, PANELS["story"].draw(moment, width, STORY, glyphs=glyphs))
        return canvas.picture()

    return both


def _run(play: Play, panel: Panel, glyphs: Glyphs) -> tuple[DrawAt, int]:
    """A run of the lesson, and beside it the one that the lesson compares it with; or the loads that it asks about."""
    other = play.other_lane()
    if other is not None and panel == "poll":
        loads = play.loads()
        return lambda width, height: poll.loads(loads, width, height, glyphs=glyphs), 2 * len(loads) + 2
    if other is None:
        return panel_at(panel, play.moment, play.lane.timeline, glyphs), TALL[panel]
    name, lane, position = other
    own = play.own_name
    moments = play.moment, lane.timeline.at(position)
    if panel == "bill":
        columns = [(own, Role.BUILD, moments[0]), (name, Role.LEGACY, moments[1])]
        return lambda width, height: lesson_bills.draw(columns, width, height, glyphs=glyphs), TALL[panel]
    draws = [
        panel_at(panel, moments[0], play.lane.timeline, glyphs),
        panel_at(panel, moments[1], lane.timeline, glyphs),
    ]
    return _pair(draws, [[(own, Role.BUILD)], [(name, Role.LEGACY)]], glyphs), TALL[panel] * 2


def _pair(draws: Sequence[DrawAt], titles: Titles, glyphs: Glyphs) -> DrawAt:
    return lambda width, height: beside(width, height, glyphs, draws, titles, wide=PAIR_WIDE)


def _is_wide(play: Play, width: int) -> bool:
    """Whether two worlds stand side by side; a poll takes the whole width."""
    return width >= PAIR_WIDE and play.panel_in_sight != "poll"


def _shows_panels(play: Play) -> bool:
    """Whether two worlds are in sight as panels, not as bills."""
    worlds = play.worlds
    panel = play.asking.question.predict.panel
    if worlds is None or panel == "bill":
        return False
    return panel in COUNTING or worlds.damage is not None or not worlds.at_last_stop


def _worlds(play: Play, panel: Panel, glyphs: Glyphs, width: int, told: bool) -> tuple[DrawAt, int]:
    """The real world and the learner's; at the end, where nothing broke, what each has cost."""
    worlds = play.worlds
    assert worlds is not None
    real, yours = worlds.moments()
    if not _shows_panels(play):
        columns = [("real", Role.GOOD, real), ("yours", Role.BAD, yours)]
        return lambda wide, high: lesson_bills.draw(columns, wide, high, glyphs=glyphs, active=True), TALL["bill"]
    draws = [
        panel_at(panel, real, worlds.real.timeline, glyphs),
        panel_at(panel, yours, worlds.yours.timeline, glyphs, active=True),
    ]
    titles: Titles = [
        [("real   ", Role.GOOD), (f"step {worlds.real_position:,}", Role.REST)],
        [("yours  ", Role.BAD), (f"step {worlds.position:,} · {play.belief()}", Role.REST)],
    ]
    if not _is_wide(play, width):
        titles = [
            [("real   ", Role.GOOD), (says.sentence(real), Role.PLAIN)],
            [("yours  ", Role.BAD), (says.sentence(yours), Role.PLAIN)],
        ]
        tall = 2 * (ROWS if panel == "ring" else TALL[panel] + 1)
        return lambda wide, high: beside(wide, high, glyphs, draws, titles, wide=wide + 1), tall
    if told:
        draws = [_over_story(draw, moment, glyphs) for draw, moment in zip(draws, (real, yours), strict=True)]
        return _pair(draws, titles, glyphs), TALL[panel] + 1 + STORY
    return _pair(draws, titles, glyphs), TALL[panel] + 1


# ------------------------------------------------------------------------------------------------------------ questions
def _asked(play: Play, panel: Panel, glyphs: Glyphs) -> tuple[DrawAt, int]:
    asking = play.asking
    if play.is_covered:
        return _covered(play, panel, glyphs)
    if asking.ask != "press":
        return _run(play, panel, glyphs)
    marks = Marks(asking.digits, asking.focused, asking.given or "")
    moment = play.moment
    if asking.target == "counter":
        columns = [(moment.scenario.path, Role.STRONG, moment)]
        focus, digits = asking.given or asking.focused, asking.digits
        return (
            lambda width, height: lesson_bills.draw(
                columns, width, height, glyphs=glyphs, focus=focus, digits=digits, active=True
            ),
            TALL["bill"],
        )
    plain = panel_at(panel, moment, play.lane.timeline, glyphs, active=True)
    if asking.target == "slot":
        return lambda width, height: _pressable(plain(width, height), "slot", asking, glyphs), TALL[panel]
    own = draw_page if asking.target == "half" else draw_half
    return lambda width, height: own(moment, width, height, marks, glyphs) or plain(width, height), 14


def _covered(play: Play, panel: Panel, glyphs: Glyphs) -> tuple[DrawAt, int]:
    """What is asked for with a question mark: how many skbs the poll gives, or the bill beside one that is known."""
    moment = play.moment
    other = play.other_lane()
    if panel == "poll" and other is not None:
        return _run(play, panel, glyphs)
    if other is None:
        return lambda wide, high: poll.draw(moment, wide, high, active=True, glyphs=glyphs, covered=True), TALL["poll"]
    name, lane, _ = other
    columns = [(play.own_name, Role.BUILD, moment), (name, Role.LEGACY, lane.timeline.at(len(lane.trace)))]
    return (
        lambda wide, high: lesson_bills.draw(columns, wide, high, glyphs=glyphs, active=True, covered=True),
        TALL["bill"],
    )


def _pressable(picture: Picture, kind: str, asking: Asking, glyphs: Glyphs) -> Picture:
    """Make places of a panel those of the answer, and mark the one that has the focus."""
    canvas = Canvas(picture.width, len(picture.lines), glyphs)
    paste(canvas, 0, 0, Picture(picture.width, picture.lines))
    wanted = asking.given or asking.focused
    for place in picture.targets:
        if place.kind == kind:
            canvas.target(place.x, place.y, place.width, place.height, "place", str(place.value))
            if str(place.value) == wanted:
                for y in range(place.y, place.y + place.height):
                    canvas.paint(place.x, y, place.width, Role.CHANGED)
                canvas.put(place.x, place.y, glyphs.right, Role.ACCENT)
    return canvas.picture()


# ----------------------------------------------------------------------------------------------------------------- task
def _task(play: Play, glyphs: Glyphs) -> tuple[DrawAt, int]:
    doing = play.doing
    moment = doing.moment
    panel = doing.do.panel
    banner = "solution: Esc returns to your own try" if doing.shown is not None else ""
    if doing.do.lanes and panel == "bill":
        lanes = {name: doing.now.lane(words) for name, words in doing.do.lanes.items()}
        columns = [
            (name, Role.LEGACY if lane.scenario.path == "legacy" else Role.BUILD, lane.timeline.at(len(lane.trace)))
            for name, lane in lanes.items()
        ]
        draw: DrawAt = lambda width, height: lesson_bills.draw(columns, width, height, glyphs=glyphs, active=True)  # noqa: E731
    elif panel == "poll":
        carried = doing.carried
        draw = lambda wide, high: poll.draw(moment, wide, high, active=True, glyphs=glyphs, chosen=carried)  # noqa: E731
    else:
        draw = panel_at(panel, moment, doing.now.lane().timeline, glyphs, active=True)
    return (_bannered(draw, banner, glyphs) if banner else draw), TALL[panel]


def _bannered(draw: DrawAt, banner: str, glyphs: Glyphs) -> DrawAt:
    def drawn(width: int, height: int) -> Picture:
        canvas = Canvas(width, height, glyphs)
        canvas.put(1, 0, f" {banner} ", Role.CHANGED)
        paste(canvas, 0, 1, draw(width, height - 1))
        return canvas.picture()

    return drawn


def _cheat(play: Play, glyphs: Glyphs) -> DrawAt:
    text = play.opening.text("keep")

    def inside(canvas: Canvas) -> None:
        words = Words(canvas.width, glyphs)
        words.text(text, Role.STRONG)
        for y, line in enumerate(words.lines, 1):
            canvas.write_spans(1, y, line)

    title = f"Keep this: {play.loaded.title}"
    return lambda width, height: frame(width, height, title, "on your cheat sheet", inside, active=True, glyphs=glyphs)


def place_of(target: Target | None) -> str | None:
    """Return the value that pressing a place of the picture or an option picks, None where it picks nothing."""
    return str(target.value) if target is not None and target.kind in ("place", "pick") else None


def trouble(sentence: str, width: int, height: int, glyphs: Glyphs) -> Sheet:
    """Return the one sentence that stands for a part that cannot be shown."""
    words = Words(width, glyphs)
    words.text(sentence, Role.BAD)
    return sheet(width, height, glyphs, None, 0, words)
