from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.run.expression import MAX_NODES, MAX_NUMBER, MAX_TEXT, ExpressionError, Record, parse

STEP = Record({"n": 7, "half": "B", "inner": Record({"n": 8})})
SCOPE: dict[str, Any] = {
    "f": 3, "name": "x", "nothing": None, "step": STEP, "double": lambda n: 2 * n, "named": lambda a, b=1: a * 10 + b,
    "first": lambda: STEP,
}  # fmt: skip


def value(text: str) -> Any:
    return parse(text).evaluate(SCOPE)


@pytest.mark.parametrize(("text", "wanted"), [
    ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("-f + 1", -2), ("7 // 2", 3), ("-7 // 2", -4), ("7 % 3", 1), ("f", 3),
    ("'a'", "a"), ("f == 3", True), ("f != 3", False), ("1 < f < 4", True), ("1 < f < 3", False), ("f >= 3 > 2", True),
    ("f == 3 and name == 'x'", True), ("f == 4 or name", "x"), ("not f", False), ("not nothing", True),
    ("'yes' if f else 'no'", "yes"), ("'yes' if nothing else 'no'", "no"), ("step.n", 7), ("step.inner.n", 8),
    ("first().half", "B"), ("double(f)", 6), ("double(double(2))", 8), ("named(1)", 11), ("named(1, b=5)", 15),
    ("named(b=2, a=3)", 32), ("True", True), ("None", None), ("  f  ", 3), ("f == 1 or f == 2 or f == 3", True),
    ("nothing == None", True),
])  # fmt: skip
def test_the_language(text: str, wanted: Any) -> None:
    assert value(text) == wanted


def test_and_and_or_look_no_further_than_they_must() -> None:
    asked: list[int] = []

    def say(n: int) -> int:
        asked.append(n)
        return n

    scope = {"say": say}
    assert parse("say(0) and say(1)").evaluate(scope) == 0
    assert parse("say(2) or say(3)").evaluate(scope) == 2
    assert parse("say(4) if 1 else say(5)").evaluate(scope) == 4
    assert asked == [0, 2, 4]


def test_names_are_known_before_anything_is_worked_out() -> None:
    assert parse("count('x', after=b.n) + a if c else first(d).e").names() == {"count", "b", "a", "c", "first", "d"}


@pytest.mark.parametrize("text", [
    "", " ", "1 +", "f f", "import os", "f = 1", "(f := 1)", "lambda: 1", "[1]", "(1, 2)", "{1}", "{}", "f[0]",
    "f'{f}'", "[x for x in f]", "1 ** 2", "1 / 2", "1 << 2", "1 | 2", "~1", "+1", "1 @ 2", "f is f", "1 in f", "1.0",
    "1j", "b'x'", "...", "double(*f)", "double(**f)", "step._n", "step.__class__", "().__class__",
    "await f", "yield f", "f; f", "\0", "f\n+1\n", "f'", "'" + "a" * MAX_TEXT + "'", "1" + "+1" * MAX_NODES, "9" * 400,
    str(MAX_NUMBER + 1), "-" * 200 + "1", "not " * 100 + "f",
])  # fmt: skip
def test_what_is_not_in_the_language(text: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse(text)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < MAX_TEXT + 120


@pytest.mark.parametrize("text", [
    "g", "g.n", "f.n", "name.n", "nothing.n", "step.m", "step.parts", "step.inner.half", "double.n", "f()", "step()",
    "'a' + 'b'", "'a' * 3", "-'a'", "1 + nothing", "1 + step", "1 // 0", "1 % 0", "'a' < 1", "step < step",
    "double()",
    "double(1, 2)", "double(m=1)", "named(1, a=2)", "double('a') + 1 if 0 else double(nothing)",
    "9223372036854775808 + 1", "9223372036854775807 * 9223372036854775807",
    "0 - 9223372036854775808 - 9223372036854775808",
])  # fmt: skip
def test_what_cannot_be_worked_out(text: str) -> None:
    with pytest.raises(ExpressionError) as error:
        value(text)
    assert str(error.value).isprintable()


def test_a_doubtful_text_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value("'\\d'") == "\\d"
        assert value("1if f else 2") == 1


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ExpressionError):
        value(text)


PIECES = ["f", "name", "step", "nothing", "double", "(", ")", ".n", ".half", "+", "-", "*", "//", "==", "<", "1", "'a'",
          "and", "or", "not", "if", "else", ",", "a=", "__class__", "."]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_any_pieces_of_the_language_are_worked_out_or_refused(pieces: list[str]) -> None:
    with suppress(ExpressionError):
        value(" ".join(pieces))


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.sampled_from(["+", "-", "*", "//", "%", "<", "<=", "=="]))
def test_arithmetic_is_that_of_whole_numbers(a: int, b: int, operator: str) -> None:
    text = f"({a}) {operator} ({b})"
    if b == 0 and operator in ("//", "%"):
        with pytest.raises(ExpressionError):
            value(text)
    else:
        assert value(text) == eval(text)
