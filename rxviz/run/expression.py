"""A small, safe language for questions about a run: `count('page.alloc', after=120) == 0 and lamps() == 0`.

Lessons use it for answers, goals and pauses, and the workbench for its search. It has numbers, texts, comparisons,
and/or/not, + - * // %, and the functions and names that its user hands in; nothing of Python can be reached. Texts
are parsed by Python's own parser and walked here; every node counts against a limit, so that no text takes long.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rxviz.errors import RxvizError

MAX_TEXT, MAX_NODES, MAX_NUMBER = 500, 150, 1 << 63


class ExpressionError(RxvizError):
    """An expression that is not in the language, or that cannot be worked out."""


_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
_NODES = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Compare, ast.Call,
    ast.keyword, ast.Constant, ast.Name, ast.Load, ast.Attribute, ast.IfExp, *_OPERATORS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expression:
    """A text of the language that has been found sound; `evaluate` works it out."""

    text: str
    tree: ast.expr

    def names(self) -> set[str]:
        """Return the names and functions that the text uses, to be checked before it ever runs."""
        return {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}

    def evaluate(self, scope: Mapping[str, Any]) -> Any:
        """Work the expression out; `scope` holds its names, functions being plain callables. Raises ExpressionError."""
        try:
            return _value(self.tree, scope)
        except ExpressionError:
            raise
        except (TypeError, ValueError, ZeroDivisionError, AttributeError, KeyError) as error:
            raise ExpressionError(f"`{self.text}` cannot be worked out: {error}") from None


def parse(text: str) -> Expression:
    """Read an expression; raise ExpressionError with one sentence when it is not in the language."""
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"an expression of {len(text)} letters is too long; {MAX_TEXT} are allowed")
    try:
        with warnings.catch_warnings():
            # What Python finds doubtful in a text (an escape, say) is nothing to tell a learner.
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"`{_printable(text)}` is not an expression") from None
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise ExpressionError(f"`{_printable(text)[:40]}…` has too many parts: {len(nodes)}, {MAX_NODES} are allowed")
    for node in nodes:
        _check(node, text)
    return Expression(text.strip(), tree.body)


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _check(node: ast.AST, text: str) -> None:
    shown = _printable(text)
    if not isinstance(node, _NODES):
        raise ExpressionError(f"`{shown}`: {type(node).__name__} is not in the language")
    if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
        raise ExpressionError(f"`{shown}`: names that begin with _ cannot be reached")
    if isinstance(node, ast.Call) and (any(word.arg is None for word in node.keywords)):
        raise ExpressionError(f"`{shown}`: ** is not in the language")
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | str | None):
        raise ExpressionError(f"`{shown}`: only whole numbers and texts are known")
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        _bounded(node.value)


def _value(node: ast.expr, scope: Mapping[str, Any]) -> Any:
    return _WORK[type(node)](node, scope)


def _name(node: ast.Name, scope: Mapping[str, Any]) -> Any:
    if node.id not in scope:
        raise ExpressionError(f'"{node.id}" is not known here')
    return scope[node.id]


def _one(node: ast.UnaryOp, scope: Mapping[str, Any]) -> Any:
    if isinstance(node.op, ast.Not):
        return not _value(node.operand, scope)
    return _bounded(-_number(node.operand, scope))


def _two(node: ast.BinOp, scope: Mapping[str, Any]) -> int:
    return _bounded(_OPERATORS[type(node.op)](_number(node.left, scope), _number(node.right, scope)))


def _both(node: ast.BoolOp, scope: Mapping[str, Any]) -> Any:
    wanted = isinstance(node.op, ast.Or)
    value: Any = not wanted
    for part in node.values:
        value = _value(part, scope)
        if bool(value) == wanted:
            break
    return value


def _number(node: ast.expr, scope: Mapping[str, Any]) -> int:
    value = _value(node, scope)
    if not isinstance(value, int):
        raise ExpressionError(f"arithmetic needs whole numbers, not {value!r:.40}")
    return value


def _bounded(value: int) -> int:
    if abs(value) > MAX_NUMBER:
        raise ExpressionError("a number has become too large")
    return value


def _compare(node: ast.Compare, scope: Mapping[str, Any]) -> bool:
    left = _value(node.left, scope)
    for operator, part in zip(node.ops, node.comparators, strict=True):
        right = _value(part, scope)
        if not _OPERATORS[type(operator)](left, right):
            return False
        left = right
    return True


class Record:
    """A value with named parts that expressions may read, such as a step or a lane. Only `parts` can be reached."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.parts = parts


def _part(node: ast.Attribute, scope: Mapping[str, Any]) -> Any:
    value, name = _value(node.value, scope), node.attr
    if value is None:
        raise ExpressionError(f"there is nothing of which .{name} could be asked: no such step")
    if not isinstance(value, Record) or name not in value.parts:
        raise ExpressionError(f".{name} is not known here")
    return value.parts[name]


def _call(node: ast.Call, scope: Mapping[str, Any]) -> Any:
    function = _value(node.func, scope)
    if not callable(function):
        raise ExpressionError("only functions can be called")
    words = {word.arg: _value(word.value, scope) for word in node.keywords if word.arg}
    return function(*[_value(part, scope) for part in node.args], **words)


_WORK: dict[type[ast.expr], Callable[[Any, Mapping[str, Any]], Any]] = {
    ast.Constant: lambda node, scope: node.value,
    ast.Name: _name,
    ast.BoolOp: _both,
    ast.UnaryOp: _one,
    ast.BinOp: _two,
    ast.Compare: _compare,
    ast.IfExp: lambda node, scope: _value(node.body if _value(node.test, scope) else node.orelse, scope),
    ast.Attribute: _part,
    ast.Call: _call,
}
"""How each kind of node is worked out; _NODES lets no other one through."""
