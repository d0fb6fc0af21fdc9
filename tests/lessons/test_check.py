"""A broken lesson for each thing that the checker promises to find, made from lesson 5 by one change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rxviz.lessons.check import check, check_folders
from rxviz.lessons.load import LoadedLesson, load
from tests.lessons.course import copy, lesson, sentences

OPTION = '\n[[predict.option]]\nvalue = "behind"\ntext = "option.behind"\nmisconception = "M15"\n'
LONG = "word " * 41

BROKEN = {
    # words
    "a text is missing": [('text = "example.dma"', 'text = "example.dmaa"')],
    "a text is not used": [("## keep", "## spare\nNobody asks for this.\n\n## keep")],
    "a key stands twice": [("## keep", "## hook\nOnce more.\n\n## keep")],
    "too many words on a screen": [("So the driver flips:", f"{LONG}So the driver flips:")],
    "too many words in an option": [("half A again: the frame has been received", "half A again, " + "and so on " * 6)],
    "too many words in the title": [("Two halves of a page", "Two halves of one and the same page")],
    "a name has no value": [("{pages} pages", "{sheets} pages")],
    "an explanation without a badge": [("At 2 it would give the page up. [K]", "At 2 it would give the page up.")],
    "two options read the same": [("## option.other\nhalf B", "## option.other\nhalf A again: the frame has been received.")],
    "an option reads as the one for all else": [("## option.other\nhalf B", "## option.other\nSomething else")],
    "two hints only": [('hints = ["hint.1", "hint.2", "hint.3"]', 'hints = ["hint.1", "hint.2"]')],
    "a screen is too high": [("Where does the NIC put", "\n\n".join(["One."] * 9) + "\n\nWhere does the NIC put")],
    "text before the first key": [("## title", "Hello.\n\n## title")],
    "a heading that is none": [("## keep", "## Keep It")],
    # counts
    "too few stops": [('    { at = "first(\'page.flip\', page=0).n + 1", text = "example.flip" },\n', ""),
                      ('    { at = "first(\'buf.take\', page=0).n + 1", text = "example.take" },\n', "")],
    "too many options": [(OPTION, OPTION + "".join(OPTION.replace("behind", f"behind{i}", 1) for i in range(3)))],
    "no pause": [("pause = [\"first('page.flip', page=0).n\"]", "pause = []")],
    # references
    "a misconception that is not in the registry": [('misconception = "M13"', 'misconception = "M99"')],
    "a wrong option without a misconception": [('misconception = "M13"\n', "")],
    "no right option": [('value = "B"\ntext = "option.other"\n', 'value = "B"\ntext = "option.other"\nmisconception = "M15"\n')],
    "a seed that is not in the table": [('seeds = ["S3"]', 'seeds = ["S9"]')],
    "a lesson that is needed is not there": [('needs = ["ring-of-promises"]', 'needs = ["ring-of-gold"]')],
    "a lesson that needs itself": [('needs = ["ring-of-promises"]', 'needs = ["two-halves"]')],
    "too many minutes": [("minutes = 7", "minutes = 13")],
    "a name of the language is taken": [('paid = "first', 'end = "first'), ("of {paid} the", "of {end} the")],
    "a figure's name is taken": [('paid = "first', 'year = "first'), ("of {paid} the", "of {year} the")],
    "two values are the same": [('value = "behind"', 'value = "new"')],
    "a target without a press": [('ask = "press"', 'ask = "choice"')],
    "a knob's value is there twice": [('["off", "slow", "3000", "fast"]', '["off", "slow", "fast", "fast"]')],
    "the solution takes a value that nobody can choose": [('{ reader = "fast" }', '{ reader = "500" }')],
    "the solution answers what was not asked": [('at = "end"\n', 'at = "end"\nanswer = "1"\n')],
    # expressions
    "an expression that cannot be read": [("answer = \"first('nic.dma'", "answer = \"first('nic.dma'(")],
    "a name that nothing has": [('frame=f).n + 1"\nask', 'frame=g).n + 1"\nask')],
    "an answer that is typed in": [("answer = \"first('nic.dma', page=p, after=here).half\"", "answer = \"'B'\"")],
    "a kind of step that there is not": [("first('page.flip', page=0).n + 1", "first('page.flop', page=0).n + 1")],
    "a step that never comes": [("first('page.flip', page=0).n + 1", "first('page.flip', page=77).n + 1")],
    "a position past the end": [("first('skb.build', frame=f).n + 1", "end + 1")],
    "stops that go back": [("first('page.flip', page=0).n + 1", "first('buf.take', page=0).n")],
    "a pause that is no position": [("pause = [\"first('page.flip', page=0).n\"]", 'pause = ["0 - 1"]')],
    "an observation that ends before it begins": [("until = \"first('nic.dma', page=p, after=here).n + 1\"", 'until = "0"')],
    # scenarios
    "a scenario with a word that there is not": [("reader=1000 seed=1", "raeder=1000 seed=1")],
    "a knob's value that is no word of a scenario": [('"slow", "3000"', '"slowly", "3000"')],
    "a scenario that is too long": [("tcp:1514x24 reader=off", "tcp:1514x99999 reader=off")],
    "a ring that is too large": [("ring=8 traffic=tcp:1514x24 reader=off", "ring=4096 traffic=tcp:1514x24 reader=off")],
    "a rule off in the real world": [("reader=3000 seed=1", "reader=3000 off=flip seed=1")],
    # play
    "doing nothing is enough": [("position == end and total('frames.delivered') == 24", "position >= 0"),
                                ("position == end and count('page.alloc') == 0", "position >= 0")],
    "jumping to the end is enough": [("tcp:1514x24 reader=off", "tcp:1514x24 reader=fast")],
    "the solution does not reach a goal": [('knobs = { reader = "fast" }', 'knobs = { reader = "slow" }')],
    "a goal that can never be reached": [("count('page.alloc') == 0", "count('page.alloc') < 0")],
    "a goal that asks for nothing there is": [("count('page.alloc') == 0", "value('page.alloc') == 0")],
    "a world that cannot be told from the real one": [('misconception = "M13"', 'misconception = "M22"')],
    "a world that does not light its lamp": [("tcp:1514x24 reader=3000", "tcp:1514x24 reader=fast")],
    "an answer that is not among the options": [("page=p, after=here).half\"\nuntil", "page=p, after=here).page\"\nuntil")],
    "a wrong option is right": [('value = "A"\ntext', 'value = "C"\ntext'), ('value = "B"\ntext', 'value = "A"\ntext'),
                                ('value = "C"\ntext', 'value = "B"\ntext')],
    "another seed asks the very same": [("pick(2, 5)", "3")],
}  # fmt: skip

SAYS = {
    "a text is missing": 'there is no text "example.dmaa"',
    "a text is not used": "spare: nothing in lesson.toml uses this text",
    "a key stands twice": "stands twice",
    "too many words on a screen": "at most 40",
    "too many words in an option": "at most 16",
    "too many words in the title": "at most 6",
    "a name has no value": "{sheets} has no value",
    "an explanation without a badge": "on what it rests",
    "two options read the same": "reads the same as",
    "an option reads as the one for all else": "something else",
    "two hints only": "there are 3 of them",
    "a screen is too high": "in a terminal of 80 by 24",
    "text before the first key": "belongs to no key",
    "a heading that is none": "a heading is",
    "too few stops": "there are 5; 6 to 12",
    "too many options": "there are 7",
    "no pause": "there are 0",
    "a misconception that is not in the registry": 'no misconception "M99"',
    "a wrong option without a misconception": "2 options name no misconception",
    "no right option": "0 options name no misconception",
    "a seed that is not in the table": 'no seed "S9"',
    "a lesson that is needed is not there": 'no lesson "ring-of-gold"',
    "a lesson that needs itself": "needs itself",
    "too many minutes": "13 is not between",
    "a name of the language is taken": "taken already",
    "a figure's name is taken": "taken already",
    "two values are the same": 'the value "new" stands there 2 times',
    "a target without a press": "what is pressed",
    "a knob's value is there twice": 'the value "fast"',
    "the solution takes a value that nobody can choose": "a learner can choose",
    "the solution answers what was not asked": "answers what the task asks for",
    "an expression that cannot be read": "is not an expression",
    "a name that nothing has": '"g" is not known',
    "an answer that is typed in": "typed in",
    "a kind of step that there is not": "not a kind of step",
    "a step that never comes": "no such step",
    "a position past the end": "is not a position",
    "stops that go back": "does not come after",
    "a pause that is no position": "is not a position",
    "an observation that ends before it begins": "lies before",
    "a scenario with a word that there is not": "raeder",
    "a knob's value that is no word of a scenario": "slowly",
    "a scenario that is too long": "at most 2,000 frames",
    "a ring that is too large": "a ring of 1,024",
    "a rule off in the real world": "though no rule is off",
    "doing nothing is enough": "by doing nothing",
    "jumping to the end is enough": "by jumping to the end",
    "the solution does not reach a goal": "the solution does not reach it",
    "a goal that can never be reached": "the solution does not reach it",
    "a goal that asks for nothing there is": 'no value "page.alloc"',
    "a world that cannot be told from the real one": "cannot be told from the real one",
    "a world that does not light its lamp": "does not light bytes_intact",
    "an answer that is not among the options": 'the right option is "B"',
    "a wrong option is right": "the right option is",
    "another seed asks the very same": "the very same",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_the_checker_finds(fault: str, tmp_path: Path) -> None:
    found = sentences(copy(tmp_path, *BROKEN[fault]))
    assert any(SAYS[fault] in sentence for sentence in found), found
    for sentence in found:
        # file:line, then the key, then words.
        assert re.match(r"lesson/[a-z.]+:\d+: ", sentence), sentence
        assert sentence.isprintable()


def test_every_fault_has_its_sentence() -> None:
    assert set(BROKEN) == set(SAYS)


@pytest.mark.parametrize(("fault", "file", "has"), [
    ("a misconception that is not in the registry", "lesson.toml", 'misconception = "M99"'),
    ("a goal that can never be reached", "lesson.toml", "count('page.alloc') < 0"),
    ("a seed that is not in the table", "lesson.toml", "seeds ="),
    ("too many words on a screen", "text.en.md", "## example.flip"),
    ("a text is not used", "text.en.md", "## spare"),
])  # fmt: skip
def test_a_finding_names_the_very_line(fault: str, file: str, has: str, tmp_path: Path) -> None:
    folder = copy(tmp_path, *BROKEN[fault])
    lines = (folder / file).read_text(encoding="utf-8").splitlines()
    named = [
        int(found[1]) for sentence in sentences(folder) if (found := re.match(rf"lesson/{file}:(\d+): ", sentence))
    ]
    assert any(has in lines[number - 1] for number in named), named


def test_an_untouched_copy_is_clean(tmp_path: Path) -> None:
    assert sentences(copy(tmp_path)) == []


def test_one_id_for_two_lessons(tmp_path: Path) -> None:
    found = [str(finding) for finding in check([lesson(1), lesson(5), load(copy(tmp_path))])]
    for key in ("id", "number", "order"):
        assert sum(f"{key}: " in sentence and "another lesson's" in sentence for sentence in found) == 2


def test_lessons_that_need_each_other(tmp_path: Path) -> None:
    one = copy(tmp_path / "1", ('needs = ["ring-of-promises"]', 'needs = ["b"]'), ('id = "two-halves"', 'id = "a"'),
               ("number = 5", "number = 31"), ("order = 50", "order = 310"))  # fmt: skip
    two = copy(tmp_path / "2", ('needs = ["ring-of-promises"]', 'needs = ["a"]'), ('id = "two-halves"', 'id = "b"'),
               ("number = 5", "number = 32"), ("order = 50", "order = 320"))  # fmt: skip
    found = [finding.sentence for finding in check([load(one), load(two)])]
    assert found == ["needs: in the end this lesson needs itself"] * 2


def test_the_course_takes_no_more_time_than_it_says(tmp_path: Path) -> None:
    lessons: list[LoadedLesson] = []
    for i in range(22):
        edits = [
            ('id = "two-halves"', f'id = "x{i}"'),
            ("number = 5", f"number = {50 + i}"),
            ("order = 50", f"order = {500 + i}"),
        ]
        # A knob with a bad value keeps the checker from playing all of them.
        lessons.append(load(copy(tmp_path / str(i), *edits, ('"slow", "3000"', '"slowly", "3000"'))))
    found = [finding.sentence for finding in check(lessons)]
    assert sum("154 in all are more than 150" in sentence for sentence in found) == 1


def test_an_order_that_is_given_away(tmp_path: Path) -> None:
    flip = '[[predict.option]]\nvalue = "page.flip"\ntext = "option.flip"\n\n'
    sync = '\n[[predict.option]]\nvalue = "buf.sync"\ntext = "option.sync"\n'
    deliver = '[[predict.option]]\nvalue = "skb.deliver"\ntext = "option.deliver"\n'
    folder = copy(tmp_path, (flip, ""), (sync, ""), ('\n[[predict.option]]\nvalue = "skb.build"', f'{sync}\n[[predict.option]]\nvalue = "skb.build"'),
                  (deliver, flip + deliver), name="09-build-in-place")  # fmt: skip
    assert any("in the right order already" in sentence for sentence in sentences(folder))


def test_a_world_that_is_no_scenario(tmp_path: Path) -> None:
    folder = copy(tmp_path, ('misconception = "M13"', 'misconception = "X1"'))
    registry = '[misconception.X1]\nbelief = "b."\nworld = "off=gravity"\nshows = "s."\nlamp = "lava"\n'
    (folder / "misconceptions.toml").write_text(registry, encoding="utf-8")
    found = sentences(folder)
    assert any("off=gravity is not a rule" in sentence for sentence in found)
    assert any('"lava"' in sentence for sentence in found)


def test_a_misconception_of_its_own_is_run_and_one_of_ours_is_not_replaced(tmp_path: Path) -> None:
    folder = copy(tmp_path, ('misconception = "M13"', 'misconception = "X1"'))
    own = '[misconception.{name}]\nbelief = "b."\nworld = "off=flip"\nshows = "{name} shows this."\nlamp = "bytes_intact"\n'
    (folder / "misconceptions.toml").write_text(own.format(name="X1"), encoding="utf-8")
    assert sentences(folder) == []
    (folder / "misconceptions.toml").write_text(own.format(name="X1") + own.format(name="M14"), encoding="utf-8")
    assert any("M14 is one of the course's" in sentence for sentence in sentences(folder))
    assert load(folder).misconceptions["M14"].shows != "M14 shows this."


def test_a_folder_that_is_no_lesson_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = check_folders([tmp_path / "empty", copy(tmp_path)])
    assert [str(finding) for finding in found] == ["empty/lesson.toml: there is no such file (links are not followed)"]
