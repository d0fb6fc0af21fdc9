from __future__ import annotations

import pytest

from rxviz.lessons.load import LessonError, LoadedLesson, content_hash, course, find, load, misconceptions_of_course
from rxviz.lessons.screens import SIZES, screens
from rxviz.lessons.session import PARTS, Opening, Question, Task
from rxviz.model.lamps import LAMPS
from rxviz.model.rules import RULES
from tests.lessons.course import NUMBERS as COURSE
from tests.lessons.course import copy, lesson

LESSONS = course()
NUMBERS = [loaded.lesson.number for loaded in LESSONS]
SETTINGS = ({"gro": "off"}, {"budget": "1024"}, {"itr": "0"}, {"fifo": "16777216"}, {"drop_en": "on"})
"""Beliefs that a machine can be set to, with every rule in force."""
each_lesson = pytest.mark.parametrize("loaded", LESSONS, ids=[loaded.lesson.id for loaded in LESSONS])


def test_the_lessons_come_in_order() -> None:
    assert list(COURSE) == NUMBERS
    assert [loaded.lesson.order for loaded in LESSONS] == sorted(loaded.lesson.order for loaded in LESSONS)


@pytest.mark.parametrize("name", ["5", "L5", "l5", "two-halves", "05-two-halves"])
def test_a_lesson_is_found_by_number_id_or_folder(name: str) -> None:
    assert find(name).lesson.number == 5


def test_a_lesson_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(LessonError, match="5 two-halves"):
        find("no\x1bsuch")


def test_every_misconception_has_a_world_made_of_rules_or_settings_and_a_known_lamp() -> None:
    for name, belief in misconceptions_of_course().items():
        words = dict(word.split("=") for word in belief.world.split())
        assert words.keys() == {"off"} or words in SETTINGS, name
        assert set(words.get("off", "flip").split(",")) <= set(RULES), name
        assert belief.lamp in ("", *LAMPS), name
        assert belief.belief.endswith("."), name
        assert belief.shows.endswith("."), name


def test_every_misconception_of_the_registry_is_an_option_somewhere() -> None:
    used = {
        option.misconception for loaded in LESSONS for predict in loaded.lesson.predict for option in predict.option
    }
    assert used - {""} == set(misconceptions_of_course())


@each_lesson
def test_a_lesson_has_all_its_parts_in_six_screens(loaded: LoadedLesson) -> None:
    shown = screens(loaded)
    assert len(shown) <= 6
    parts = [state.part for screen in shown for state in screen.states]
    assert list(dict.fromkeys(parts)) == list(PARTS)
    for screen in shown:
        for state in screen.states:
            for _, _, width, height in SIZES:
                lines = state.lines(width)
                assert 0 < len(lines) <= height
                assert max(map(len, lines)) <= width
                assert "{" not in "".join(lines)


@each_lesson
def test_a_retry_asks_something_else(loaded: LoadedLesson) -> None:
    changed = False
    for predict in loaded.lesson.predict:
        asked = {Question(loaded, predict, seed).text(predict.text) for seed in range(1, 6)}
        changed = changed or len(asked) > 1
    assert changed


@each_lesson
def test_the_same_seed_asks_the_same(loaded: LoadedLesson) -> None:
    for predict in loaded.lesson.predict:
        once, again = Question(loaded, predict, 2), Question(loaded, predict, 2)
        assert (once.names, once.position, once.answer) == (again.names, again.position, again.answer)


@each_lesson
def test_the_solution_is_one_route_and_the_goals_say_when_they_are_reached(loaded: LoadedLesson) -> None:
    task = Task(loaded, 1)
    assert not task.done()
    task.solve()
    assert [reached for _, reached in task.goals()] == [True] * len(task.do.goal)


def test_the_goals_of_the_first_lesson_are_reached_by_any_route() -> None:
    """Every moment with three done slots and five skbs delivered will do, not only that of the solution."""
    task = Task(lesson(1), 1)
    reached = []
    for position in range(len(task.lane().trace) + 1):
        task.position = position
        if task.done():
            reached.append(position)
    solved = Task(lesson(1), 1)
    solved.solve()
    assert solved.position in reached
    assert len(reached) > 10
    assert len(task.lane().trace) not in reached


@pytest.mark.parametrize(
    ("typed", "right"), [("256", True), (" 256 ", True), ("2,56", True), ("257", False), ("x", False)]
)
def test_the_number_of_the_legacy_task_is_what_the_profile_says(typed: str, right: bool) -> None:
    task = Task(lesson(8), 1)
    task.answer = typed
    assert task.goals()[0][1] is right


@pytest.mark.parametrize(("traffic", "answer", "done"), [
    ("tcp:1514x700", "skbs.truesize_total", False),
    ("udp:64px100", "skbs.truesize_total", False),
    ("udp:64px500", "skbs.truesize_total", True),
    ("udp:64px500", "ledger.sk_buffs", False),
    ("udp:64px500", "ledger.header_parses", False),
    ("udp:64px500", "pages.allocated", False),
])  # fmt: skip
def test_only_short_frames_make_build_skb_the_worse_one(traffic: str, answer: str, done: bool) -> None:
    task = Task(lesson(10), 1)
    task.turn("traffic", traffic)
    task.answer = answer
    assert task.done() is done


def test_one_byte_more_than_fits_the_mtu_takes_halves_of_4096() -> None:
    task = Task(lesson(9), 1)
    task.answer = 1536
    assert [reached for _, reached in task.goals()] == [True, False, False]
    for mtu, reached in (("1500", [True, False, False]), ("1501", [True, True, True]), ("1518", [True, True, False])):
        task.turn("mtu", mtu)
        task.position = len(task.lane().trace)
        assert [got for _, got in task.goals()] == reached
    task.turn("mtu", "1501")
    assert task.lane().look(0)["layout.half"] == 4096
    assert task.lane().result["skbs"]["truesize_max"] == 4352


def test_the_figures_in_the_texts_are_those_of_the_facts() -> None:
    """What the facts derive for x86_64 and pages of 4,096 bytes, found again by the lessons' own expressions."""
    build = Opening(lesson(9)).names
    assert (build["pad"], build["shinfo"], build["half"], build["charged"]) == (192, 320, 2048, 2304)
    legacy = Opening(lesson(8)).names
    assert (legacy["head"], legacy["h"], legacy["c"], legacy["charged"]) == (640, 66, 72, 2944)
    both = Opening(lesson(10)).names
    assert (both["legacy_charge"], both["build_charge"]) == (2944, 2304)
    charge = Question(lesson(10), lesson(10).lesson.predict[1], 1).names
    assert (charge["t"], charge["legacy_t"]) == (2304, 896)


def test_the_half_of_a_copied_frame_is_posted_again_without_a_flip() -> None:
    loaded = lesson(8)
    for seed in (1, 2, 3):
        question = Question(loaded, loaded.lesson.predict[1], seed)
        assert question.answer == "A"
        assert question.lane.result["pages"]["flips"] == 0


def test_a_wrong_answer_runs_its_world_and_shows_the_damage() -> None:
    loaded = lesson(5)
    outcome = Question(loaded, loaded.lesson.predict[0], 1).give("A")
    assert not outcome.right
    assert outcome.lanes is not None
    assert outcome.parting is not None
    assert outcome.damage is not None
    position, lamp = outcome.damage
    assert lamp == "bytes_intact"
    real, yours = outcome.parting
    assert outcome.lanes.left.trace[: real - 1] == outcome.lanes.right.trace[: yours - 1]
    assert outcome.lanes.right.look(position)["lamps.bytes_intact"] == 1
    assert outcome.lanes.right.look(position - 1)["lamps.bytes_intact"] == 0
    assert outcome.shows


def test_something_else_is_wrong_and_has_no_world() -> None:
    for loaded in LESSONS:
        for predict in loaded.lesson.predict:
            outcome = Question(loaded, predict, 1).give("something else")
            assert (outcome.right, outcome.option, outcome.lanes) == (False, None, None)


def test_a_step_that_does_not_belong_is_found_in_an_order() -> None:
    loaded = lesson(9)
    question = Question(loaded, loaded.lesson.predict[1], 1)
    assert question.is_right("buf.sync skb.build page.flip skb.deliver")
    assert question.is_right("  buf.sync skb.build  page.flip skb.deliver ")
    assert question.give("skb.build buf.sync page.flip skb.deliver").lanes is None
    outcome = question.give("buf.sync skb.alloc skb.headers skb.build page.flip skb.deliver")
    assert outcome.option is not None
    assert outcome.option.value == "skb.alloc"
    assert outcome.parting is not None


def test_a_rounded_number_of_copied_bytes_is_right_too() -> None:
    loaded = lesson(8)
    question = Question(loaded, loaded.lesson.predict[0], 1)
    assert question.answer == 72
    assert question.is_right("66")
    assert question.is_right("72")
    assert not question.is_right("1,514")
    assert question.give("1,514").parting is not None


def test_a_changed_question_has_another_hash_and_a_changed_hint_has_not(tmp_path) -> None:  # type: ignore[no-untyped-def]
    same = content_hash(load(copy(tmp_path / "a")))
    assert same == content_hash(lesson(5))
    words = copy(tmp_path / "b", ("Halves come back when the program reads.", "Halves come back as the program reads."))
    assert content_hash(load(words)) == same
    for i, (old, new) in enumerate(
        [
            ("pick(2, 5)", "pick(2, 4)"),
            ("Where does the NIC put", "Where will the NIC put"),
            ("tcp:1514x24 reader=off", "tcp:1514x25 reader=off"),
            ('misconception = "M14"', 'misconception = "M22"'),
        ]
    ):
        changed = copy(tmp_path / f"c{i}", (old, new))
        assert content_hash(load(changed)) != same
