from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rxviz.lessons.load import content_hash, find
from rxviz.lessons.progress import log_path, save
from tests.cli.command import Ended, assert_clean, assert_one_sentence, rxviz


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RXVIZ_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def progress(*words: str) -> Ended:
    return rxviz("progress", *words, env={"RXVIZ_DATA": os.environ["RXVIZ_DATA"]})


def begin() -> None:
    content = content_hash(find("5"))
    save("at", "two-halves", content, part="do", screen=3, seed=2)
    save("answer", "two-halves", content, question="next-half", given="A", right=False, reason="it was read")
    save("answer", "two-halves", content, question="next-half", given="B", right=True, reason="A is held")
    save("goal", "two-halves", content, goal="goal.delivered")


@pytest.mark.parametrize("words", [(), ("show",)])
def test_progress_is_shown(words: tuple[str, ...]) -> None:
    assert all("not begun" in line for line in progress(*words).out.splitlines())
    begin()
    ended = progress(*words)
    assert (ended.status, ended.err) == (0, "")
    (line,) = [line for line in ended.out.splitlines() if "Two halves" in line]
    assert "at do, 1 of 1 questions right" in line
    save("finished", "two-halves", content_hash(find("5")))
    assert "finished, 1 of 1" in progress().out


def test_progress_as_json() -> None:
    begin()
    table = json.loads(progress("show", "--json").out)
    assert table["log"] == str(log_path())
    assert next(lesson for lesson in table["lessons"] if lesson["id"] == "two-halves") == {
        "id": "two-halves", "number": 5, "finished": False, "part": "do", "questions": 1, "right": 1, "tries": 2,
        "goals": 1,
    }  # fmt: skip


def test_a_changed_lesson_is_not_begun() -> None:
    save("finished", "two-halves", "another hash")
    assert "finished" not in progress().out


def test_damage_is_said_and_the_rest_is_shown(data: Path) -> None:
    begin()
    with log_path().open("ab") as file:
        file.write(b"\x1b[2J\xff\n" + b'{"v": 9, "do": "x", "lesson": "y"}\n')
    ended = progress()
    assert ended.status == 0
    assert "1 of 1 questions right" in ended.out
    assert "1 damaged lines" in ended.err
    assert "1 lines were written by a newer version" in ended.err
    assert_clean(ended.out + ended.err)


def test_export_import_and_reset(tmp_path: Path) -> None:
    begin()
    shown = progress().out
    out = tmp_path / "out.jsonl"
    assert progress("export", str(out)).err == "rxviz: 4 lines written\n"
    assert "there already" in assert_one_sentence(progress("export", str(out)))
    ended = progress("reset")
    assert ended.status == 0
    assert "progress.1.old.jsonl" in ended.err
    assert progress("reset").err == "rxviz: there is no progress yet\n"
    assert "1 of 1" not in progress().out
    assert progress("import", str(out)).err == "rxviz: 4 lines added\n"
    assert progress("import", str(out)).err == "rxviz: 0 lines added\n"
    assert progress().out == shown


@pytest.mark.parametrize(("words", "says"), [
    (("export",), "Missing argument"),
    (("import", "/no/such"), "is not a file"),
    (("import", "/dev/zero"), "is not a file"),
    (("export", "/no/such/folder/x"), "cannot be written"),
    (("shw",), 'did you mean "show"?'),
])  # fmt: skip
def test_wrong_words_are_one_sentence(words: tuple[str, ...], says: str) -> None:
    assert says in assert_one_sentence(progress(*words))


def test_a_log_that_cannot_be_read_is_one_sentence(data: Path) -> None:
    log_path().mkdir(parents=True)
    assert "cannot be read" in assert_one_sentence(progress())
