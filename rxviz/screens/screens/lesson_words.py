"""The words of each part of a lesson, line by line, as they stand under the picture."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.lessons.screens import YOU_FOUND, YOUR_CHOICE, YOUR_NUMBER
from rxviz.model.lamps import LAMPS
from rxviz.model.names import frame_name
from rxviz.run import words as step_words
from rxviz.run.timeline import Moment
from rxviz.screens.screens.lesson_asking import ELSE, Asking
from rxviz.screens.screens.lesson_doing import Doing
from rxviz.screens.screens.lesson_play import TOLD, Play
from rxviz.view import lesson_memory, lesson_merged
from rxviz.view.cell import Role
from rxviz.view.glyphs import Glyphs
from rxviz.view.lesson_header import signs
from rxviz.view.lesson_sheet import Words
from rxviz.view.text import fit

BADGES = {"[S]": "a published measurement", "[K]": "read from kernel source", "[M]": "the model's own",
          "[H]": "a hypothesis"}  # fmt: skip
WHY = "Why? One line, for yourself; Enter alone leaves it out."
Spans = Sequence[tuple[str, str]]


def sentence(moment: Moment) -> str:
    """Return what the step to this moment did, in one sentence."""
    if moment.step is None:
        return "Nothing has happened yet."
    return step_words.text(moment.step, moment.machine.config)


def _badges(text: str) -> list[tuple[str, str]]:
    """Return what the badges in a text mean."""
    used = [(badge, meaning) for badge, meaning in BADGES.items() if badge in text]
    return [span for badge, meaning in used for span in ((f"{badge} ", Role.BADGE), (f"{meaning}  ", Role.REST))]


def hook(words: Words, play: Play) -> None:
    """Say what should not be so, and what one will be able to do."""
    words.text(play.opening.text("hook"), last=Role.STRONG)
    words.gap()
    words.hanging([("Afterwards you can: ", Role.REST)], play.loaded.text("objective"), Role.REST)
    needed = f"{play.lesson.minutes} minutes"
    words.spans((f"{needed}   ", Role.REST), *_badges(play.opening.text("hook")))


def example(words: Words, play: Play, told: bool) -> None:
    """Say what this stop of the example is about, and which step it is where the story is not told beside it."""
    stops = play.opening.stops
    glyphs = words.glyphs
    dots = [(glyphs.full if i <= play.stop else glyphs.empty) for i in range(len(stops))]
    told_by = _badges(stops[play.stop][1])
    watched = f"Watch one  {play.stop + 1} of {len(stops)}  {''.join(dots)}   "
    words.spans((watched, Role.ACCENT), *told_by)
    words.gap()
    words.text(stops[play.stop][1], Role.STRONG)
    if not told:
        words.gap()
        words.hanging([("The step: ", Role.REST)], sentence(play.moment), Role.REST)


def question(words: Words, asking: Asking) -> None:
    """Ask, and list what can be picked."""
    words.text(asking.question.text(asking.question.predict.text), last=Role.STRONG)
    words.gap()
    if asking.ask == "number":
        shown = asking.typed + ("" if asking.is_picked else "_")
        words.spans((f"{YOUR_NUMBER} ", Role.PLAIN), (shown, Role.CHANGED))
    for pick in asking.picks:
        if pick.digit and pick.words:
            _option(words, asking, pick.digit, pick.value, pick.words)
    if asking.is_picked:
        words.gap()
        words.text(WHY, Role.ACCENT)


def _option(words: Words, asking: Asking, digit: str, value: str, text: str) -> None:
    glyphs = words.glyphs
    chosen = asking.given == value
    if asking.ask == "order":
        rank = f"{asking.order.index(value) + 1}." if value in asking.order else "  "
        head = [(f"{digit} ", Role.KEY), (f"{rank:<3}", Role.CHANGED if value in asking.order else Role.PLAIN)]
    else:
        head = [(f"{digit} ", Role.KEY)]
    focus = glyphs.right if chosen or asking.focused == value else " "
    role = Role.CHANGED if chosen else Role.STRONG if asking.focused == value else Role.PLAIN
    before = len(words.lines)
    words.hanging([*head, (f"{focus} ", Role.ACCENT)], text, Role.REST if value == ELSE and not chosen else role)
    words.press("pick", value, len(words.lines) - before)


def chosen(words: Words, asking: Asking) -> None:
    """Say what was answered and why."""
    given = asking.given or ""
    digit = asking.digits.get(given, "")
    head = f"You chose {digit}: " if digit else "You said: "
    answer, reason = asking.words_of(given), f'  "{asking.reason}"' if asking.reason else ""
    if len(head) + len(answer) + len(reason) <= words.measure:
        words.spans((head, Role.ACCENT), (answer, Role.PLAIN), (reason, Role.REST))
        return
    words.hanging([(head, Role.ACCENT)], answer)
    if reason:
        words.spans((" " * len(head), Role.PLAIN), (fit(reason.strip(), words.measure - len(head)), Role.REST))


def observe_right(words: Words, play: Play) -> None:
    """Say whether the answer was right, and tell the run step by step."""
    asking = play.asking
    right = asking.outcome is not None and asking.outcome.right
    good, bad = signs(words.glyphs)
    at_end = play.position >= asking.question.until
    chosen(words, asking)
    words.gap()
    if right:
        words.spans((f"{good} Right. ", Role.GOOD), ("Watch it happen." if not at_end else "So it was.", Role.PLAIN))
    else:
        words.spans((f"{bad} Not what the run does. ", Role.BAD), ("Watch what it does instead.", Role.PLAIN))
    words.gap()
    _told(words, play)


def _told(words: Words, play: Play) -> None:
    """Tell the last few steps, the newest in bright letters."""
    lane, position, start = play.lane, play.position, play.asking.question.position
    first = max(start, position - 4)
    config = play.moment.machine.config
    for n in range(first, position):
        newest = n == position - 1
        text = step_words.text(lane.trace[n], config)
        words.hanging([(f"{n + 1:>5}  ", Role.REST)], text, Role.STRONG if newest else Role.REST)
    left = play.asking.question.until - position
    if left > 0:
        one = "the last step" if left == 1 else f"the next of {left} steps"
        more = one if left <= TOLD else f"the {left:,} steps until then"
        words.gap()
        words.spans(("Enter", Role.KEY), (f" {more}", Role.REST))


def observe_worlds(words: Words, play: Play, wide: bool, told: bool) -> None:
    """Say where the two worlds part, and at the damage what is wrong, with the bytes that show it."""
    worlds = play.worlds
    assert worlds is not None
    glyphs = words.glyphs
    good, bad = signs(glyphs)
    chosen(words, play.asking)
    moments = worlds.moments()
    longest = max(len(sentence(moment)) for moment in moments)
    if not told and (wide or (worlds.at_parting and longest > words.width - 8)):
        for name, role, moment in (("real ", Role.GOOD, moments[0]), ("yours", Role.BAD, moments[1])):
            words.hanging([(f"{name}  ", role)], sentence(moment), Role.PLAIN)
    words.gap()
    if worlds.at_parting and not worlds.at_last_stop:
        words.hanging([("Your world: ", Role.BAD)], play.belief(), Role.STRONG)
        words.text("Here it parts from the real one.", Role.ACCENT)
        what = (
            "Enter goes on to what comes of it" if worlds.damage else "Enter goes on to the end, and to what it costs"
        )
        words.spans((what, Role.REST))
        return
    if worlds.at_last_stop:
        if lost := lesson_merged.lost(moments[1].machine):
            words.hanging([("yours  ", Role.BAD)], f"{lost}.", Role.PLAIN)
        if worlds.damage is not None:
            _damage(words, play, moments, glyphs, (good, bad))
            lamp = worlds.damage[1]
            broken = f"Broken, {lamp.replace('_', ' ')}: {LAMPS[lamp]}"
            words.hanging([(f"{glyphs.changed} ", Role.BAD)], broken, Role.BAD)
        words.text(worlds.shows, Role.STRONG)


def _damage(words: Words, play: Play, moments: tuple[Moment, Moment], glyphs: Glyphs, marks: tuple[str, str]) -> None:
    """Show for both worlds whose bytes a program reads of the frame that was damaged."""
    yours = moments[1].machine
    skb = lesson_memory.damaged(yours)
    if skb is None:
        return
    page = skb.first_page.id
    for name, role, moment in (("real ", Role.GOOD, moments[0]), ("yours", Role.BAD, moments[1])):
        m = moment.machine
        mine = next((each for each in m.skbs.values() if each.frame.id == skb.frame.id), None)
        spans: list[tuple[str, str]] = [(f"{name}  ", role)]
        if words.measure >= 70 and page in m.memory.pages:
            spans += lesson_memory.halves_line(moment, page, 5, glyphs)
            spans.append((" ", Role.PLAIN))
        if mine is not None:
            spans += lesson_memory.reader_line(mine, m, 6, glyphs, *marks)
        else:
            spans.append(("read and freed", Role.REST))
        words.spans(*spans)


def explain(words: Words, play: Play) -> None:
    """Show their answer and reason beside ours."""
    asking = play.asking
    outcome = asking.outcome
    good, bad = signs(words.glyphs)
    right = outcome is not None and outcome.right
    given = asking.given or ""
    words.hanging(
        [(f"{good if right else bad} ", Role.GOOD if right else Role.BAD), ("You: ", Role.ACCENT)],
        asking.words_of(given),
        Role.PLAIN,
    )
    words.hanging(
        [("  Because: ", Role.REST)], asking.reason or "you gave no reason", Role.PLAIN if asking.reason else Role.REST
    )
    if not right:
        words.hanging([("  The run: ", Role.REST)], asking.words_of(str(asking.question.answer)), Role.PLAIN)
    words.gap()
    text = asking.question.text(asking.question.predict.explain)
    words.text(text, Role.STRONG)
    words.gap()
    words.spans(*_badges(text))


def task(words: Words, doing: Doing, told: bool) -> None:
    """Say what is to be done, the knobs, the answer so far, and the goals with their ticks."""
    glyphs = words.glyphs
    now = doing.now
    if doing.hint_open:
        _hint(words, doing)
    else:
        words.text(now.text(doing.do.text))
    words.gap()
    for number, knob in enumerate(doing.do.knob):
        turning = number == doing.turning
        value = _arranged(doing) if knob.arrange else doing.value_of(knob)
        head = [(f"{number + 1} ", Role.KEY), (f"{knob.key} ", Role.PLAIN)]
        arrows = (f"{glyphs.left} {value} {glyphs.right}", Role.CHANGED) if turning else (value, Role.STRONG)
        words.spans(*head, arrows, (f"  {now.text(knob.text)}", Role.REST))
        words.press("knob", str(number))
    _answer(words, doing)
    words.gap()
    for goal, reached in doing.goals():
        tick = signs(glyphs)[0] if reached else glyphs.empty
        text = now.text(goal.text)
        words.hanging([(f"{tick} ", Role.GOOD if reached else Role.REST)], text, Role.GOOD if reached else Role.PLAIN)
    if doing.do.collect is not None:
        words.hanging([(f"  {YOU_FOUND} ", Role.REST)], ", ".join(doing.collected()) or "nothing yet", Role.ACCENT)
    words.gap()
    where = f"Step {now.position:,} of {doing.length:,}"
    if doing.done():
        good = signs(glyphs)[0]
        words.spans((f"{good} Every goal is reached. ", Role.GOOD), ("Enter", Role.KEY), (" goes on.", Role.PLAIN))
    elif told:
        words.spans((where, Role.REST))
    else:
        words.hanging([(f"{where}: ", Role.REST)], sentence(doing.moment), Role.REST)


def _hint(words: Words, doing: Doing) -> None:
    """The hint that was asked for, in the place of the task's text: the picture stays in sight."""
    count = len(doing.do.hints)
    words.spans(
        (f"Hint {doing.hint_open} of {count}  ", Role.ACCENT),
        ("h", Role.KEY),
        (" the next one  " if doing.hint_open < count else " the first  ", Role.REST),
        ("Esc", Role.KEY),
        (" back to the task", Role.REST),
    )
    words.text(doing.task.text(doing.do.hints[doing.hint_open - 1]), Role.STRONG)


def _arranged(doing: Doing) -> str:
    """What stands for an order: the frame in hand, and how it is moved."""
    return frame_name(doing.carried) if doing.carried >= 0 else "as above"


def _answer(words: Words, doing: Doing) -> None:
    answer = doing.now.answer
    if doing.do.number:
        typed = doing.typing if doing.typing is not None else "" if answer is None else str(answer)
        cursor = "_" if doing.typing is not None else ""
        words.spans(("a ", Role.KEY), (f"{YOUR_NUMBER} ", Role.PLAIN), (f"{typed}{cursor}" or "–", Role.STRONG))
        words.press("key", "a")
    if doing.do.choices:
        named = dict(doing.choices()).get(str(answer), "–")
        words.spans(("a ", Role.KEY), (f"{YOUR_CHOICE} ", Role.PLAIN), (named, Role.STRONG))
        words.press("key", "a")


def keep(words: Words, play: Play, following: str) -> None:
    """End well: what was done, what is still open, and what comes next."""
    good = signs(words.glyphs)[0]
    asked = len(play.lesson.predict)
    right = sum(play.is_right(number) for number in range(asked))
    missing = play.open_parts()
    if play.keeper.mine.finished:
        words.spans((f"{good} Lesson {play.lesson.number} is done. ", Role.GOOD), (_praise(right, asked), Role.STRONG))
    else:
        words.text(f"Not done yet. Still open: {', '.join(missing)}. PgUp leads back.", Role.ACCENT)
    words.gap()
    words.spans((f"Questions right: {right} of {asked}", Role.PLAIN))
    if right < asked and not missing:
        words.spans(("PgUp leads back; r asks anew, with other numbers.", Role.REST))
    words.gap()
    if not play.keeper.mine.finished:
        words.spans(("Enter", Role.KEY), (" leads to the map; all that you did is kept", Role.REST))
    elif following:
        words.hanging([("Next: ", Role.ACCENT)], following, Role.PLAIN)
        words.spans(("Enter", Role.KEY), (" begins it   ", Role.REST), ("Esc", Role.KEY), (" to the map", Role.REST))
    else:
        words.text("That was the last one. The workbench is yours: Esc, then Esc again, leads home.", Role.STRONG)


def _praise(right: int, asked: int) -> str:
    if right == asked:
        return "Every prediction came true. You can say it, and you have made it happen."
    return "You saw your own world break, and made the real one work: that stays."
