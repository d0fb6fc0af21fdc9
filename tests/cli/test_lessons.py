from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import assert_clean, assert_one_sentence, rxviz
from tests.lessons.course import NUMBERS, copy


@pytest.mark.parametrize("words", [("lessons",), ("lessons", "list")])
def test_the_lessons_are_listed_in_order(words: tuple[str, ...]) -> None:
    ended = rxviz(*words)
    assert (ended.status, ended.err) == (0, "")
    assert [line.split()[0] for line in ended.out.splitlines()] == list(map(str, NUMBERS))
    assert "two-halves" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


def test_the_list_as_json() -> None:
    table = json.loads(rxviz("lessons", "list", "--json").out)
    assert [entry["number"] for entry in table["lessons"]] == list(NUMBERS)
    halves = table["lessons"][NUMBERS.index(5)]
    assert halves["needs"] == ["ring-of-promises"]
    assert halves["questions"] == ["next-half"]


@pytest.mark.parametrize("name", ["5", "two-halves", "L5"])
def test_a_lesson_is_shown_in_words_and_its_answers_are_not(name: str) -> None:
    ended = rxviz("lessons", "show", name)
    assert (ended.status, ended.err) == (0, "")
    for text in ("Two halves of a page", "[hook]", "[predict.next-half]", "half A again", "something else", "[keep]"):
        assert text in ended.out
    for text in ("The flip is one XOR", "Set the reader to fast", "The skb still points into the half", "{", "}"):
        assert text not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    assert_clean(ended.out)


def test_a_lesson_from_elsewhere_is_shown(tmp_path: Path) -> None:
    folder = copy(tmp_path, ("Two halves of a page", "Two halves of \x1b[31mmy page"))
    ended = rxviz("lessons", "show", str(folder))
    assert ended.status == 0
    assert "?[31mmy page" in ended.out
    assert_clean(ended.out)
    assert json.loads(rxviz("lessons", "show", str(folder), "--json").out)["number"] == 5


def test_the_course_passes() -> None:
    ended = rxviz("lessons", "check")
    assert (ended.status, ended.out) == (0, "")
    assert ended.err == f"rxviz: {len(NUMBERS)} lessons checked, nothing found\n"


def test_a_sound_lesson_from_elsewhere_passes(tmp_path: Path) -> None:
    ended = rxviz("lessons", "check", str(copy(tmp_path)), "--json")
    assert (ended.status, ended.err) == (0, "")
    assert json.loads(ended.out) == {"ok": True, "lessons": 1, "findings": []}


def test_an_unsound_lesson_ends_with_1_and_its_findings(tmp_path: Path) -> None:
    folder = copy(tmp_path, ('misconception = "M13"', 'misconception = "M99"'))
    ended = rxviz("lessons", "check", str(folder))
    assert ended.status == 1
    assert ended.err == "rxviz: 1 lesson checked, 1 finding\n"
    place, key, sentence = ended.out.rstrip("\n").split(": ", 2)
    assert place.startswith("lesson/lesson.toml:")
    assert key == "predict[0].option[1].misconception"
    assert sentence == 'there is no misconception "M99"'
    table = json.loads(rxviz("lessons", "check", str(folder), "--json").out)
    assert table == {"ok": False, "lessons": 1, "findings": [{"place": place, "sentence": f"{key}: {sentence}"}]}


def test_one_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    broken, sound = copy(tmp_path / "1"), copy(tmp_path / "2", ("minutes = 7", "minutes = 99"))
    (broken / "lesson.toml").write_text("format = [", encoding="utf-8")
    ended = rxviz("lessons", "check", str(broken), str(sound))
    assert ended.status == 1
    assert len(ended.out.splitlines()) == 2
    assert "99 is not between" in ended.out


@pytest.mark.parametrize(("words", "says"), [
    (("lessons", "show"), "Missing argument"),
    (("lessons", "show", "77"), 'no lesson "77"'),
    (("lessons", "show", "\x1b[2J"), "there is no lesson"),
    (("lessons", "chek"), 'did you mean "check"?'),
    (("lessons", "dance"), "known: list, show, check"),
    (("lessons", "check", "/no/such/folder"), "is no folder"),
    (("lessons", "check", "--jsn"), "--json"),
    (("lessons", "show", "/"), "lesson.toml"),
])  # fmt: skip
def test_wrong_words_are_one_sentence(words: tuple[str, ...], says: str) -> None:
    assert says in assert_one_sentence(rxviz(*words))


def test_neither_screens_nor_numbers_are_loaded() -> None:
    import subprocess
    import sys

    from tests.cli.command import ROOT, environment

    code = (
        "import sys; from rxviz.cli.main import status; status(['lessons', 'show', '5']);"
        "sys.exit(bool({'textual', 'rich', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, check=False)
    assert done.returncode == 0
