"""`rxviz learn` where there is no terminal, and with lessons that are none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rxviz.lessons.load import find
from tests.cli.command import rxviz


def test_a_lesson_is_printed_in_words_where_there_is_no_terminal() -> None:
    ended = rxviz("learn", "5")
    assert ended.status == 0
    assert "Lesson 5: Two halves of a page" in ended.out
    assert "[the example, step by step]" in ended.out
    assert "The driver flips page 0: half B is its next." in ended.out
    assert "here is the lesson in words" in ended.err
    assert "\x1b" not in ended.out
    # What gives the answer away is not printed.
    assert find("5").text("explain.next-half").split(".")[0] not in ended.out


def test_without_a_lesson_the_course_is_listed() -> None:
    ended = rxviz("learn")
    assert ended.status == 0
    assert "Side by side" in ended.out


def test_a_lesson_that_is_not_there_is_said_in_one_sentence() -> None:
    ended = rxviz("learn", "77")
    assert (ended.status, ended.out) == (2, "")
    assert 'there is no lesson "77"' in ended.err


def test_a_sound_lesson_from_elsewhere_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(find("5").folder, folder)
    ended = rxviz("learn", str(folder))
    assert ended.status == 0
    assert "Two halves of a page" in ended.out


@pytest.mark.parametrize(("old", "new"), [("[[goal]]", "[[goal]]"), ("{page}", "{page}\x1b[2J"), ("{n}", "{nothing}")])
def test_a_faulty_lesson_from_elsewhere_is_refused_with_what_is_wrong(tmp_path: Path, old: str, new: str) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(find("5").folder, folder)
    words = folder / "text.en.md"
    source = words.read_text(encoding="utf-8")
    words.write_text(source.replace(old, new) if old in source else source + "\n## unused\n\nText.\n", encoding="utf-8")
    ended = rxviz("learn", str(folder))
    assert (ended.status, ended.out) == (2, "")
    assert "text.en.md:" in ended.err
    assert "this lesson is not opened" in ended.err
    assert "\x1b" not in ended.err
