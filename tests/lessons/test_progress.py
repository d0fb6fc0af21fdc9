"""What was saved stays saved: two windows, killed processes, full disks, strange and damaged logs."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rxviz.lessons.progress import (
    MAX_LINE,
    VERSION,
    Progress,
    ProgressError,
    bring_in,
    export,
    log_path,
    read,
    reset,
    save,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RXVIZ_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def answer(n: int, lesson: str = "two-halves", **more: Any) -> None:
    save("answer", lesson, question="q", given=str(n), right=False, reason="", **more)


def given_answers(lesson: str = "two-halves", question: str = "q") -> list[Any]:
    return [entry["given"] for entry in read().of(lesson).answers.get(question, [])]


def raw(*entries: Any) -> None:
    log_path().parent.mkdir(parents=True, exist_ok=True)
    with log_path().open("ab") as file:
        for entry in entries:
            file.write(entry if isinstance(entry, bytes) else json.dumps(entry).encode() + b"\n")


# ---------------------------------------------------------------------------------------------------------- saving
def test_no_log_is_no_progress() -> None:
    got = read()
    assert got == Progress()
    assert got.of("two-halves").part == "hook"
    assert got.remark() == ""


def test_what_is_saved_is_read_back() -> None:
    save("at", "two-halves", "c1", part="predict", screen=3, seed=2)
    save("answer", "two-halves", "c1", question="next-half", given="A", right=False, reason="it was read")
    save("answer", "two-halves", "c1", question="next-half", given="B", right=True, reason="half A is held")
    save("goal", "two-halves", "c1", goal="goal.delivered")
    save("finished", "legacy-copy", "c2")
    got = read()
    mine = got.of("two-halves", "c1")
    assert (mine.part, mine.screen, mine.seed, mine.finished) == ("predict", 3, 2, False)
    assert [entry["right"] for entry in mine.answers["next-half"]] == [False, True]
    assert mine.answers["next-half"][1]["reason"] == "half A is held"
    assert mine.goals == {"goal.delivered"}
    assert got.of("legacy-copy", "c2").finished


def test_each_action_is_one_line_appended() -> None:
    seen = b""
    for n in range(5):
        answer(n)
        now = log_path().read_bytes()
        assert now.startswith(seen)
        assert now.count(b"\n") == n + 1
        seen = now


def test_the_log_is_nobody_elses() -> None:
    answer(1)
    assert log_path().stat().st_mode & 0o077 == 0


def test_a_lesson_begun_again_is_fresh_and_still_finished() -> None:
    save("at", "two-halves", part="do", screen=4, seed=1)
    save("finished", "two-halves")
    save("again", "two-halves")
    mine = read().of("two-halves")
    assert (mine.part, mine.answers, mine.finished) == ("hook", {}, True)


def test_an_answer_that_is_too_long_is_refused_and_nothing_is_written() -> None:
    answer(1)
    before = log_path().read_bytes()
    with pytest.raises(ProgressError, match="too long"):
        save("answer", "x", question="q", given="g", right=True, reason="w" * MAX_LINE)
    assert log_path().read_bytes() == before


# --------------------------------------------------------------------------------------------- two windows, killed ones
WRITER = """
import sys
from rxviz.lessons.progress import save
for n in range(int(sys.argv[2])):
    save("answer", "two-halves", question=sys.argv[1], given=str(n), right=True, reason="r" * (n % 300))
"""


def writer(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, *words], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def test_two_windows_write_at_once() -> None:
    windows = [writer(name, "150") for name in ("one", "two", "three")]
    assert [window.wait() for window in windows] == [0, 0, 0]
    got = read()
    assert (got.unreadable, got.newer) == (0, 0)
    for name in ("one", "two", "three"):
        assert given_answers(question=name) == [str(n) for n in range(150)]


def test_a_killed_process_loses_at_most_the_line_it_was_writing() -> None:
    window = writer("one", "100000")
    while not log_path().exists() or log_path().stat().st_size < 20_000:
        assert window.poll() is None
    window.send_signal(signal.SIGKILL)
    window.wait()
    answer(7)
    got = read()
    assert got.unreadable <= 1
    numbers = [int(entry["given"]) for entry in got.of("two-halves").answers["one"]]
    assert numbers == list(range(len(numbers)))
    assert given_answers() == ["7"]


@pytest.mark.parametrize("kept", [1, 20, 60])
def test_a_torn_line_is_passed_over_and_the_next_begins_anew(kept: int) -> None:
    answer(1)
    whole = log_path().read_bytes()
    log_path().write_bytes(whole + whole[:kept])
    answer(2)
    answer(3)
    got = read()
    assert given_answers() == ["1", "2", "3"]
    assert got.unreadable == 1
    assert "1 damaged lines" in got.remark()
    assert "still in the file" in got.remark()


def test_two_windows_that_both_end_a_torn_line_do_no_harm() -> None:
    answer(1)
    raw(b'{"v": 1, "at', b"\n\n", {"v": 1, "do": "finished", "lesson": "two-halves"}, b"  \n")
    got = read()
    assert got.unreadable == 1
    assert got.of("two-halves").finished


# ------------------------------------------------------------------------------------------------------- the disk
def test_a_full_disk_is_said_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(1)
    before = log_path().read_bytes()

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(ProgressError, match=r"No space left.*saved before is safe"):
            answer(2)
    assert log_path().read_bytes() == before
    answer(3)
    assert given_answers() == ["1", "3"]


def test_a_disk_that_fills_up_in_the_middle_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(1)
    real = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda descriptor, data: real(descriptor, data[: len(data) // 2]))
        with pytest.raises(ProgressError, match="saved whole"):
            answer(2)
    answer(3)
    assert given_answers() == ["1", "3"]
    assert read().unreadable == 1


def test_a_disk_that_fails_as_it_is_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ProgressError, match="could not be saved"):
        answer(1)


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RXVIZ_DATA", str(tmp_path / "file" / "data"))
    with pytest.raises(ProgressError, match="could not be saved"):
        answer(1)


def test_a_folder_that_is_read_only(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: Any) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    answer(1)
    with monkeypatch.context() as patched:
        # Not by chmod: whoever runs the tests as root may write anyway.
        patched.setattr(os, "open", refuse)
        with pytest.raises(ProgressError, match="Permission denied"):
            answer(2)
    assert given_answers() == ["1"]


def test_a_log_that_is_a_folder(data: Path) -> None:
    log_path().mkdir(parents=True)
    with pytest.raises(ProgressError, match="cannot be read"):
        read()
    with pytest.raises(ProgressError, match="could not be saved"):
        answer(1)


def test_a_log_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(1)
    monkeypatch.setattr("rxviz.lessons.progress.MAX_LOG", 10)
    with pytest.raises(ProgressError, match="move it away"):
        read()


# ---------------------------------------------------------------------------------------------- strange logs
def test_lines_of_a_newer_version_are_left_alone() -> None:
    answer(1)
    raw({"v": VERSION + 1, "do": "dance", "lesson": "two-halves", "steps": []})
    answer(2)
    got = read()
    assert (got.unreadable, got.newer) == (0, 1)
    assert "newer version" in got.remark()
    assert given_answers() == ["1", "2"]


def test_lines_of_an_older_version_are_read_as_far_as_they_say_anything() -> None:
    raw({"v": 0, "do": "finished", "lesson": "two-halves"})
    raw({"v": 0, "do": "answer", "lesson": "two-halves", "question": "q", "given": "1", "right": True})
    assert read().of("two-halves").finished
    assert given_answers() == ["1"]


def test_an_action_that_is_not_known_is_passed_over() -> None:
    raw({"v": 1, "do": "dance", "lesson": "two-halves"})
    assert read().unreadable == 0


@pytest.mark.parametrize("line", [
    b"\xff\xfe\n", b"\0\0\0\n", b"[]\n", b"1\n", b"null\n", b'"x"\n', b"{}\n", b'{"v": 1}\n', b"[" * 9_000 + b"\n",
    b'{"v": 1, "do": 2, "lesson": "x"}\n', b'{"v": "1", "do": "at", "lesson": "x"}\n', b'{"v": true, "do": "at", "lesson": "x"}\n',
    b'{"v": 1, "do": "at", "lesson": "x"}\n', b'{"v": 1, "do": "at", "lesson": "x", "part": "do", "screen": Infinity, "seed": 1}\n',
    b'{"v": 1, "do": "at", "lesson": "x", "part": "do", "screen": 1e999, "seed": 1}\n',
    b'{"v": 1, "do": "at", "lesson": "x", "part": "nowhere", "screen": 1, "seed": 1}\n',
    b'{"v": 1, "do": "at", "lesson": "x", "part": "do", "screen": -1, "seed": 1}\n',
    b'{"v": 1, "do": "at", "lesson": "x", "part": ["do"], "screen": 1, "seed": 1}\n',
    b'{"v": 1, "do": "answer", "lesson": "x", "question": "q", "given": {}, "right": 1}\n',
    b'{"v": 1, "do": "answer", "lesson": "x", "question": [], "given": 1, "right": 1}\n',
    b'{"v": 1, "do": "goal", "lesson": "x", "goal": {}}\n', b'{"v": 1, "do": "goal", "lesson": "x", "content": 5, "goal": "g"}\n',
    b'{"v": 1, "do": "at", "lesson": "x", "part": "do", "screen": ' + b"9" * 5_000 + b', "seed": 1}\n', b"x" * 100_000 + b"\n",
])  # fmt: skip
def test_a_damaged_line_is_counted_and_kept(line: bytes) -> None:
    answer(1)
    raw(line)
    answer(2)
    got = read()
    assert got.unreadable == 1
    assert given_answers() == ["1", "2"]
    assert line in log_path().read_bytes()


def test_a_log_from_a_stranger_sends_nothing_to_the_screen() -> None:
    raw(
        {
            "v": 1,
            "do": "answer",
            "lesson": "x\x1b[2J",
            "question": "q\x07",
            "given": "g\x9b",
            "right": True,
            "reason": "r\n\x1b",
        }
    )
    raw({"v": 1, "do": "goal", "lesson": "x\x1b[2J", "goal": "g\u202e" + "g" * 900})
    ((name, mine),) = read().lessons.items()
    texts = [name, *mine.answers, *mine.goals, *(str(part) for entry in mine.answers["q?"] for part in entry.values())]
    assert all(text.isprintable() and len(text) <= 400 for text in texts)


@given(st.lists(st.binary(max_size=80), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_without_harm(data: Path, lines: list[bytes]) -> None:
    data.mkdir(exist_ok=True)
    log_path().write_bytes(b"\n".join(lines))
    answer(1)
    assert given_answers() == ["1"]


KEYS = st.sampled_from(
    ["v", "do", "lesson", "part", "screen", "seed", "question", "given", "right", "reason", "goal", "content"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats()
    | st.sampled_from(["at", "answer", "goal", "again", "do", ""]),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=12), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_is_read_without_harm(data: Path, entries: list[dict[str, Any]]) -> None:
    data.mkdir(exist_ok=True)
    log_path().write_bytes(b"")
    raw(*({"v": 1, "do": "at", "lesson": "x"} | entry for entry in entries))
    read()


# --------------------------------------------------------------------------------------------- a lesson that was changed
def test_a_changed_lesson_is_asked_anew() -> None:
    save("answer", "two-halves", "before", question="q", given="B", right=True, reason="")
    save("goal", "two-halves", "before", goal="g")
    save("finished", "two-halves", "before")
    assert read().of("two-halves", "before").finished
    changed = read().of("two-halves", "after")
    assert (changed.answers, changed.goals, changed.finished, changed.part) == ({}, set(), False, "hook")
    save("answer", "two-halves", "after", question="q", given="A", right=False, reason="")
    now = read().of("two-halves", "after")
    assert [entry["given"] for entry in now.answers["q"]] == ["A"]
    assert b"before" in log_path().read_bytes()


def test_other_lessons_keep_theirs() -> None:
    save("finished", "a", "1")
    save("finished", "b", "1")
    got = read()
    assert not got.of("a", "2").finished
    assert got.of("b", "1").finished


def test_progress_from_before_contents_were_kept_still_counts() -> None:
    save("finished", "two-halves")
    assert read().of("two-halves", "now").finished


# ------------------------------------------------------------------------------------------- export, import, reset
def test_export_and_import_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(3):
        answer(n)
    answer(2)
    raw({"v": VERSION + 1, "do": "dance", "lesson": "x"})
    assert export(tmp_path / "out.jsonl") == 5
    assert (tmp_path / "out.jsonl").read_bytes() == log_path().read_bytes()
    monkeypatch.setenv("RXVIZ_DATA", str(tmp_path / "other"))
    answer(9)
    assert bring_in(tmp_path / "out.jsonl") == 4
    assert given_answers() == ["9", "0", "1", "2", "2"]
    assert bring_in(tmp_path / "out.jsonl") == 0
    assert given_answers() == ["9", "0", "1", "2", "2"]


def test_export_overwrites_nothing(tmp_path: Path) -> None:
    answer(1)
    (tmp_path / "out.jsonl").write_text("mine")
    with pytest.raises(ProgressError, match="there already"):
        export(tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "mine"
    with pytest.raises(ProgressError, match="cannot be written"):
        export(tmp_path / "no" / "out.jsonl")


def test_export_of_nothing_is_an_empty_file(tmp_path: Path) -> None:
    assert export(tmp_path / "out.jsonl") == 0
    assert (tmp_path / "out.jsonl").read_bytes() == b""


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"not a log\n", b"[]\n" * 5])
def test_import_of_what_is_no_log(content: bytes, tmp_path: Path) -> None:
    answer(1)
    before = log_path().read_bytes()
    (tmp_path / "in").write_bytes(content)
    with pytest.raises(ProgressError, match="no progress that can be read"):
        bring_in(tmp_path / "in")
    with pytest.raises(ProgressError, match="is not a file"):
        bring_in(tmp_path)
    assert log_path().read_bytes() == before


def test_import_takes_the_sound_lines_of_a_damaged_log(tmp_path: Path) -> None:
    sound = json.dumps({"v": 1, "do": "finished", "lesson": "a", "content": ""})
    (tmp_path / "in").write_bytes(b"\xff\n" + sound.encode() + b"\n" + sound.encode()[:20])
    assert bring_in(tmp_path / "in") == 1
    assert read().of("a").finished
    assert read().unreadable == 0


def test_reset_moves_the_log_aside(tmp_path: Path) -> None:
    assert reset() is None
    kept = []
    for n in range(3):
        answer(n)
        before = log_path().read_bytes()
        aside = reset()
        assert aside is not None
        kept.append((aside, before))
        assert not log_path().exists()
        assert given_answers() == []
    for aside, before in kept:
        assert aside.read_bytes() == before
    assert len({aside for aside, _ in kept}) == 3
    assert bring_in(kept[0][0]) == 1
    assert given_answers() == ["0"]
