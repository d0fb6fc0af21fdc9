"""Lessons that mean harm: each is refused or found fault with, in sentences that can be shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rxviz.lessons.check import check_folders
from rxviz.lessons.load import MAX_FILE, LessonError, load
from tests.lessons.course import copy


def findings(folder: Path) -> list[str]:
    found = [str(finding) for finding in check_folders([folder])]
    assert found
    for sentence in found:
        assert sentence.isprintable(), repr(sentence)
        assert len(sentence) < 700
    return found


ANSWER = "first('nic.dma', page=p, after=here).half"


@pytest.mark.parametrize("text", [
    "first('nic.dma').__class__", "().__class__.__bases__", "__import__('os').system('id')", "lambda: 1",
    "[x for x in (1,)]", "{1: 2}", "f'{1}'", "2 ** 9999999", "9 * 9 * 9 << 9", "1 if 2", "count.__self__", "first.im_func",
    "'a' * 99999999", "999999999999 * 999999999999 * 999999999999", "first(**p)", "first(*p)", "(p := 1)", "p[0]",
    "not " * 100 + "1", "(" * 90 + "1" + ")" * 90, "-" * 300 + "1", "1.5", "b'x'", "...", "await p", "yield",
    "count('nic.dma', nonsense=1)", "count(1)", "count()", "first('nic.dma', after='x').n", "value('ring')",
    "value('a*b')", "value('*', 1, 2)", "value('nic.RDH', at=0 - 1)", "value('nic.RDH', at=99999999)", "total('ledger')",
    "total('')", "lamps('none')", "max()", "min('a', 1)", "abs('x')", "pick('a', 'b')", "pick(2, 1)", "letter('x')",
    "lane('x')", "lane(1)", "count", "first", "lane", "here.x", "'\\x1b[2J'", "sequence(1, 2)", "previous()",
    "first('nic.dma', kind='x')", "p.n", "-'a'", "'a' < 1", "first('nic.dma') < first('nic.dma')", "",
])  # fmt: skip
def test_an_expression_reaches_nothing(text: str, tmp_path: Path) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    findings(copy(tmp_path, (f'answer = "{ANSWER}"', f'answer = "{quoted}"')))


@pytest.mark.parametrize("text", [
    "1 // 0", "1 % 0", "total('frames.delivered') // 0", "first('nic.dma', page=99).n", "max(1)", "lamps(1)",
    " and ".join(["count('nic.dma', page=99) == 0"] * 9) + " and 0",
])  # fmt: skip
def test_a_goal_that_cannot_be_worked_out_is_not_reached(text: str, tmp_path: Path) -> None:
    findings(copy(tmp_path, ("position == end and count('page.alloc') == 0", text)))


@pytest.mark.parametrize(("name", "content"), [
    ("binary", os.urandom(2000)),
    ("nothing", b""),
    ("zeroes", bytes(4000)),
    ("deep arrays", b"a = " + b"[" * 20_000),
    ("deep tables", b"a = " + b"{a=" * 9_000),
    ("deep keys", b".".join([b"a"] * 9_000) + b" = 1"),
    ("a deep header", b"[" + b".".join([b"a"] * 9_000) + b"]"),
    ("many tables", b"".join(b"[t%d]\n" % i for i in range(1_900))),
    ("too many lines", b"\n" * 5_000),
    ("too many bytes", b"#" * (MAX_FILE + 1)),
    ("a huge number", b"format = " + b"9" * 9_000),
    ("a large number", b"format = 99999999999999999999999999"),
    ("a huge date", b"format = 99999-99-99"),
    ("infinite minutes", b"minutes = inf"),
    ("billions of laughs", b'a = "' + b"{a}" * 10_000 + b'"'),
    ("a wrong kind", b"format = []"),
    ("a wrong version", b"format = 2"),
    ("control in a key", b'"\\u001b[2J" = 1'),
])  # fmt: skip
def test_a_file_that_is_no_lesson(name: str, content: bytes, tmp_path: Path) -> None:
    folder = copy(tmp_path)
    (folder / "lesson.toml").write_bytes(content)
    assert len(findings(folder)) == 1
    with pytest.raises(LessonError):
        load(folder)


@pytest.mark.parametrize("content", [
    os.urandom(2000), b"", bytes(4000), b"#" * (MAX_FILE + 1), b"## a\n" * 1_000, b"## " + b"x" * 60_000,
    b"## title\n" + b"{n}" * 15_000, b"## title\n\x1b]0;gone\x07\n", "## title\n\u202egnol\n".encode(),
])  # fmt: skip
def test_texts_that_are_none(content: bytes, tmp_path: Path) -> None:
    folder = copy(tmp_path)
    (folder / "text.en.md").write_bytes(content)
    findings(folder)


def test_no_control_sequence_comes_out_of_a_lesson(tmp_path: Path) -> None:
    folder = copy(tmp_path, ("Two halves of a page", "Two \x1b[31mred\x1b[0m halves\x9b"))
    loaded = load(folder)
    assert all(text.replace("\n", "").isprintable() for text in loaded.texts.values())
    assert any("text.en.md:4: a character that no screen shows" in sentence for sentence in findings(folder))


@pytest.mark.parametrize("escape", ["\\u001b[2J", "\\u202e", "\\u0007", "\\u0000", "\\n"])
@pytest.mark.parametrize("key", ['id = "two-halves', 'text = "predict.next-half', 'value = "behind'])
def test_no_control_sequence_in_the_logic(key: str, escape: str, tmp_path: Path) -> None:
    folder = copy(tmp_path, (key, key + escape))
    (sentence,) = findings(folder)
    assert "a character that no screen shows" in sentence


def test_links_are_not_followed(tmp_path: Path) -> None:
    for name in ("lesson.toml", "text.en.md"):
        folder = copy(tmp_path / name)
        elsewhere = tmp_path / name / "elsewhere"
        (folder / name).rename(elsewhere)
        (folder / name).symlink_to(elsewhere)
        assert "links are not followed" in findings(folder)[0]
    folder = copy(tmp_path / "registry")
    (folder / "misconceptions.toml").symlink_to("/etc/hostname")
    assert "links are not followed" in findings(folder)[0]


def test_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    (folder / "lesson.toml").unlink()
    os.mkfifo(folder / "lesson.toml")
    findings(folder)
    (folder / "lesson.toml").unlink()
    (folder / "lesson.toml").mkdir()
    findings(folder)


@pytest.mark.parametrize("word", [
    "capture=/etc/passwd", "capture=../outside.pcap", "traffic=capture:/etc/passwd", "traffic=capture:..%2Foutside.pcap",
    "capture=%2Fetc%2Fpasswd", "capture=link.pcap", "capture=.", "capture=..", "capture=%00", "capture=folder",
    "capture=nothing.pcap",
])  # fmt: skip
def test_a_capture_lies_in_the_lessons_own_folder(word: str, tmp_path: Path) -> None:
    (tmp_path / "outside.pcap").write_bytes(b"\xd4\xc3\xb2\xa1")
    for old, new in [
        ("traffic=tcp:1514x24 reader=1000", f"{word} reader=1000"),
        ('values = ["off", "slow", "3000", "fast"]', 'values = ["off", "fast"]'),
    ]:
        folder = copy(tmp_path / str(len(old)), (old, new))
        (folder / "link.pcap").symlink_to(tmp_path / "outside.pcap")
        (folder / "folder").mkdir()
        if word in new:
            assert any("in its own folder" in sentence for sentence in findings(folder)), word


@pytest.mark.parametrize(
    "world", ["capture=/etc/passwd", "traffic=capture:../x.pcap", "ring=32768", "traffic=tcp:1514x999999"]
)
def test_a_world_has_the_same_bounds(world: str, tmp_path: Path) -> None:
    folder = copy(tmp_path, ('misconception = "M13"', 'misconception = "X1"'))
    registry = f'[misconception.X1]\nbelief = "b."\nworld = "{world}"\nshows = "s."\n'
    (folder / "misconceptions.toml").write_text(registry, encoding="utf-8")
    assert any("option[1].misconception" in sentence for sentence in findings(folder))


def test_a_lesson_that_plays_too_much_is_stopped(tmp_path: Path) -> None:
    folder = copy(tmp_path, ("traffic=tcp:1514x24 reader=3000", "traffic=tcp:1514x2000 rate=300kpps reader=3000"))
    assert any("steps" in sentence for sentence in findings(folder))


def test_an_expression_that_looks_at_too_much_is_stopped(tmp_path: Path) -> None:
    many = " + ".join(["count('nic.dma', page=0)"] * 15)
    folder = copy(
        tmp_path,
        ("traffic=tcp:1514x24 reader=1000", "traffic=tcp:1514x1500 reader=1000"),
        ("paid = \"first('buf.take', page=0).count\"", f'paid = "{many} + {many}"'[:480] + '"'),
    )
    findings(folder)


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\nb", "\u202eabc"])
def test_the_name_of_the_folder_is_shown_safely(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    findings(folder)
