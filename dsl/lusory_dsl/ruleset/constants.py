"""Expressions over data alone, worked out before anything is declared: what families of cards are made with.

Knows enums with their values, boards whose spaces are named, and tables as they are written. Whatever reads a game, a
card or a query is refused with its place. Bounded: one :class:`Constants` does no more than ``MOST_STEPS`` steps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from ..effect import nodes
from ..language.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, is_whole
from ..text import codes
from ..text.diagnostics import Code, did_you_mean
from ..text.records import dataclass
from ..text.source import Span
from ..text.spelling import humanised
from . import model
from .spaces import named_spaces

MOST_STEPS = 500_000
"""So many nodes are looked at for all families of a ruleset."""

T = TypeVar("T")


@dataclass(frozen=True)
class EnumConstant:
    """A value of an enum."""

    enum: str
    name: str
    label: str
    short: str


class NotConstant(Exception):
    """An expression can't be worked out. What to report: code, message, place, hint."""

    def __init__(self, message: str, span: Span, hint: str | None = None, code: Code = codes.NOT_BEFORE_PLAY) -> None:
        super().__init__(message)
        self.code, self.message, self.span, self.hint = code, message, span, hint


class Constants:
    """Works out expressions. ``names`` are those that have values now; ``used``: what of the ruleset was read."""

    def __init__(self, ruleset: model.Ruleset) -> None:
        self.names: dict[str, object] = {}
        self.used: set[str] = set()
        self._steps = MOST_STEPS
        self._tables = {table.name.text: table for table in ruleset.tables if table.value is None}
        self._enums: dict[str, dict[str, EnumConstant]] = {}
        self._bare: dict[str, list[EnumConstant]] = {}
        for enum in ruleset.enums:
            self._enums.setdefault(enum.name.text, {})
            for value in enum.values:
                name = value.name.text
                label = value.label if value.label is not None else humanised(name)
                found = EnumConstant(enum.name.text, name, label, value.short if value.short is not None else label)
                self._named({name, value.plural.text if value.plural is not None else name}, found)
        for board in ruleset.boards:
            labels = {word.text: label for word, label in board.labels}
            for name in named_spaces(board):
                label = labels.get(name, humanised(name))
                self._named({name}, EnumConstant(board.name.text, name, label, label))
        self._squares = {board.name.text for board in ruleset.boards} - self._enums.keys()

    def _named(self, words: Iterable[str], value: EnumConstant) -> None:
        for word in words:
            self._enums.setdefault(value.enum, {})[word] = value
            self._bare.setdefault(word, []).append(value)

    @contextmanager
    def named(self, name: str, value: object) -> Iterator[None]:
        """With a name for a value."""
        before = dict(self.names)
        self.names[name] = value
        yield
        self.names = before

    # ------------------------------------------------------------ kinds of values

    def value(self, node: nodes.Expr) -> object:
        """The value of an expression: a number, text, truth, None, an :class:`EnumConstant`, or a tuple of such."""
        self._count(1, node.span)
        method = _METHODS.get(type(node))
        if method is None:
            raise NotConstant("a family of cards can't be made with this", node.span, _HINT)
        return method(self, node)

    def _count(self, steps: int, span: Span) -> None:
        self._steps -= steps
        if self._steps < 0:
            message = f"all families together take more than {MOST_STEPS:,} steps to work out"
            raise NotConstant(message, span, "shorten the lists behind `for`", codes.TOO_MANY)

    def items(self, node: nodes.Expr) -> tuple[object, ...]:
        """The value of an expression that is a list."""
        found = self._checked(node, self.value(node), tuple, "a list")
        self._count(len(found), node.span)
        return found

    def number(self, node: nodes.Expr) -> int:
        """The value of an expression that is a number."""
        return self._checked(node, self.value(node), int, "a number")

    def truth(self, node: nodes.Expr) -> bool:
        """The value of a condition."""
        return self._checked(node, self.value(node), bool, "a condition")

    def words(self, node: nodes.TextLit, as_names: bool = False) -> str:
        """A text with its values in it: as people read them, or, for ids, by their names."""
        parts = [part if isinstance(part, str) else self._shown(part, as_names) for part in node.parts]
        text = "".join(parts)
        if len(text) > TEXT_LIMIT:
            raise NotConstant(f"this text has more than {TEXT_LIMIT:,} characters", node.span, None, codes.TOO_LARGE)
        return text

    def _shown(self, node: nodes.Expr, as_names: bool) -> str:
        value = self.value(node)
        if isinstance(value, EnumConstant):
            return value.name if as_names else value.label
        if isinstance(value, tuple) or value is None:
            what = "nothing" if value is None else "a list"
            raise NotConstant(f"this is {what}, and can't stand in a text here", node.span, "name one value")
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _checked(self, node: nodes.Expr, value: object, kind: type[T], what: str) -> T:
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        raise NotConstant(f"{what} is wanted here, this is {told(value)}", node.span, None, codes.WRONG_TYPE)

    # ------------------------------------------------------------ expressions

    def _literal(self, node: nodes.IntLit | nodes.BoolLit) -> object:
        return node.value

    def _none(self, node: nodes.NoneLit) -> object:
        return None

    def _text(self, node: nodes.TextLit) -> object:
        return self.words(node)

    def _list(self, node: nodes.ListLit) -> object:
        return tuple(self.value(item) for item in node.items)

    def _name(self, node: nodes.Name) -> object:
        name = node.name
        if name in self.names:
            return self.names[name]
        if name in self._enums:
            self.used.add(name)
            return tuple(dict.fromkeys(self._enums[name].values()))
        found = self._bare.get(name, [])
        if len(found) == 1:
            self.used.add(found[0].enum)
            return found[0]
        if found:
            choices = " or ".join(f"`{value.enum}.{value.name}`" for value in found)
            raise NotConstant(f"`{name}` is a value of several enums", node.span, choices, codes.AMBIGUOUS_VALUE)
        hint = did_you_mean(name, [*self.names, *self._enums, *self._bare, *self._tables]) or _HINT
        message = f"`{name}` is no name of the family, and no data that is known before a game"
        if name in self._squares:
            hint = "of boards it knows those whose spaces are named in the ruleset: `ring`, `track`, `links`, `lines`"
        raise NotConstant(message, node.span, hint, codes.UNKNOWN_NAME)

    def _member(self, node: nodes.Member) -> object:
        if isinstance(node.subject, nodes.Name) and node.subject.name in self._enums:
            values = self._enums[node.subject.name]
            if node.name in values:
                self.used.add(node.subject.name)
                return values[node.name]
        value = self.value(node.subject)
        if isinstance(value, EnumConstant) and node.name in ("label", "short"):
            return value.label if node.name == "label" else value.short
        message = f"{told(value)} has no member `{node.name}`"
        raise NotConstant(message, node.name_span, "a value of an enum has `label` and `short`", codes.UNKNOWN_MEMBER)

    def _index(self, node: nodes.Index) -> object:
        table = self._tables.get(node.subject.name) if isinstance(node.subject, nodes.Name) else None
        if table is None:
            raise NotConstant("only a table has indices here", node.subject.span, _near_table(node, self._tables))
        self.used.add(table.name.text)
        if len(node.indices) != len(table.per):
            message = f"`{table.name.text}` has {len(table.per)} indices, here are {len(node.indices)}"
            raise NotConstant(message, node.span, None, codes.WRONG_INDICES)
        entry = table.values
        for index, per in zip(node.indices, table.per, strict=True):
            entry = self._entry(table, entry, self.value(index), per, index.span)
        return self._data(entry, table.type.text)

    def _entry(
        self, table: model.TableDecl, entry: model.Value, index: object, per: model.Word, span: Span
    ) -> model.Value:
        key = index.name if isinstance(index, EnumConstant) else str(index)
        found: model.Value | None = None
        if entry.is_map and isinstance(entry.data, tuple):
            found = next((value for word, value in entry.data if word.text == key), None)
        elif isinstance(entry.data, tuple) and is_whole(key):
            number = int(key) - int(per.text.split("..")[0])
            found = entry.data[number] if 0 <= number < len(entry.data) else None
        if found is None:
            raise NotConstant(f"`{table.name.text}` has no entry `{key}`", span, None, codes.OUT_OF_RANGE)
        return found

    def _data(self, value: model.Value, type: str) -> object:
        """What stands in a table, of a type as it is written."""
        data, type = value.data, type.strip().rstrip("?").strip()
        if type.startswith("List") and isinstance(data, tuple) and not value.is_map:
            return tuple(self._data(item, type.removeprefix("List").strip()[1:-1]) for item in data)
        if type in self._enums and isinstance(data, str):
            return self._enums[type].get(data)
        if isinstance(data, tuple):
            raise NotConstant("lists that say how many there are of each can't be read here", value.span)
        return None if data == "none" else data

    def _unary(self, node: nodes.Unary) -> object:
        return not self.truth(node.operand) if node.op == "not" else -self.number(node.operand)

    def _binary(self, node: nodes.Binary) -> object:
        match node.op:
            case "and":
                return self.truth(node.left) and self.truth(node.right)
            case "or":
                return self.truth(node.left) or self.truth(node.right)
            case "=" | "!=":
                return _same(self.value(node.left), self.value(node.right)) is (node.op == "=")
            case "in" | "not in":
                item = self.value(node.left)
                return any(_same(item, other) for other in self.items(node.right)) is (node.op == "in")
            case "union" | "except" | "intersect":
                return _joined(node.op, self.items(node.left), self.items(node.right))
        left, right = self.number(node.left), self.number(node.right)
        if node.op == "..":
            if right - left >= LIST_LIMIT:
                message = f"{left}..{right} is longer than {LIST_LIMIT:,} numbers"
                raise NotConstant(message, node.span, "make it shorter", codes.TOO_MANY)
            self._count(max(right - left, 0), node.span)
            return tuple(range(left, right + 1))
        if node.op in ("div", "mod") and right == 0:
            raise NotConstant("division by zero", node.span)
        found = _OPERATORS[node.op](left, right)
        if not INT_MIN <= found <= INT_MAX:
            raise NotConstant("this number is beyond 64 bits", node.span, None, codes.NUMBER_TOO_LARGE)
        return found

    def _if(self, node: nodes.IfExpr) -> object:
        return self.value(node.then if self.truth(node.condition) else node.otherwise)

    def _where(self, node: nodes.Where) -> object:
        name = "it" if node.item is None else node.item.name
        return tuple(item for item in self.items(node.source) if self._holds(node.condition, name, item))

    def _holds(self, condition: nodes.Expr, name: str, item: object) -> bool:
        with self.named(name, item):
            return self.truth(condition)

    def _let(self, node: nodes.LetExpr) -> object:
        with self.named(node.name, self.value(node.value)):
            return self.value(node.body)

    def _call(self, node: nodes.Call) -> object:
        name = node.callee.name if isinstance(node.callee, nodes.Name) else ""
        arguments = [argument.value for argument in node.args]
        if name in ("larger", "smaller") and len(arguments) == 2:
            return (max if name == "larger" else min)(self.number(arguments[0]), self.number(arguments[1]))
        if name == "count" and len(arguments) == 1:
            return len(self.items(arguments[0]))
        hint = "`larger`, `smaller` and `count` can be called here"
        raise NotConstant("a family of cards can't be made with this call", node.span, hint)


_HINT = "it is made with its own names, numbers, texts, enums, boards of named spaces and tables"
_METHODS: Mapping[type, Callable[..., object]] = {
    nodes.IntLit: Constants._literal,
    nodes.BoolLit: Constants._literal,
    nodes.NoneLit: Constants._none,
    nodes.TextLit: Constants._text,
    nodes.ListLit: Constants._list,
    nodes.Name: Constants._name,
    nodes.Member: Constants._member,
    nodes.Index: Constants._index,
    nodes.Unary: Constants._unary,
    nodes.Binary: Constants._binary,
    nodes.IfExpr: Constants._if,
    nodes.Where: Constants._where,
    nodes.LetExpr: Constants._let,
    nodes.Call: Constants._call,
}
_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def told(value: object) -> str:
    """A value in a message."""
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, EnumConstant):
        return f"`{value.name}`"
    return "nothing" if value is None else f"`{value}`"


def _near_table(node: nodes.Index, tables: Mapping[str, model.TableDecl]) -> str | None:
    """Which table may be meant before indices."""
    return did_you_mean(node.subject.name, tables) if isinstance(node.subject, nodes.Name) else None


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def _joined(op: str, left: tuple[object, ...], right: tuple[object, ...]) -> tuple[object, ...]:
    known = {(type(item), item) for item in (left if op == "union" else right)}
    if op == "union":
        return left + tuple(item for item in right if (type(item), item) not in known)
    return tuple(item for item in left if ((type(item), item) in known) is (op == "intersect"))
