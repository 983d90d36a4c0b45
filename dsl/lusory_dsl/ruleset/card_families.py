"""Expand families of cards: evaluate constant expressions, generate the cards, and fill in default fields."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from ..source import diagnostic_codes
from ..source.diagnostics import Code, Diagnostics, suggest_name
from ..source.lazy_dataclass import dataclass, field, replace
from ..source.source import EmbeddedText, Span, humanise
from ..syntax import ast
from ..syntax.parser import parse_choice_vars, parse_expression, parse_template
from ..types.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, is_integer_text
from . import model
from .model import Value, Word


def named_spaces(decl: model.BoardDecl) -> list[str]:
    """Return the names of a board's spaces in order, if the ruleset lists them.

    Boards of squares and hexagons have none.
    """
    shape = next((word.text for word in decl.shapes if word.text != "lines"), "lines")
    if shape == "track" and decl.size is not None:
        letters = decl.letters.text if decl.letters is not None else "s"
        size = int(decl.size.text) if re.fullmatch("[0-9]{1,4}", decl.size.text) else 0
        return [f"{letters}{number}" for number in range(1, size + 1)]
    if shape == "links" and decl.map is not None:
        return [name for name in decl.map.text.split() if name != "."]
    return list(dict.fromkeys(word.text for word in _written(decl, shape)))


def words_of_line(line: EmbeddedText) -> Iterator[model.Word]:
    """Yield the spaces of a line that the author wrote."""
    for found in re.finditer(r"\S+", line.text):
        yield model.Word(found[0], line.span(found.start(), found.end()))


def _written(decl: model.BoardDecl, shape: str) -> Iterator[model.Word]:
    if shape == "ring":
        yield from decl.spaces
    elif shape == "links":
        yield from (word for space, others in decl.links for word in (space, *others))
    elif shape == "lines":
        yield from (
            word
            for _, lines in decl.lines
            if not isinstance(lines, model.Word)
            for line in lines
            for word in words_of_line(line)
        )


MOST_STEPS = 500_000
"""Maximum number of nodes to evaluate for all families of a ruleset."""

T = TypeVar("T")


@dataclass(frozen=True)
class EnumConstant:
    """A value of an enum."""

    enum: str
    name: str
    label: str
    short: str


class NotConstant(Exception):
    """Raised if an expression can't be evaluated. Holds the code, message, span and hint of the diagnostic."""

    def __init__(
        self, message: str, span: Span, hint: str | None = None, code: Code = diagnostic_codes.NOT_BEFORE_PLAY
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.span, self.hint = code, message, span, hint


class Constants:
    """Evaluate constant expressions.

    ``names`` maps names to their current values. ``used`` collects the tables and enums that were read.
    """

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
                label = value.label if value.label is not None else humanise(name)
                found = EnumConstant(enum.name.text, name, label, value.short if value.short is not None else label)
                self._named({name, value.plural.text if value.plural is not None else name}, found)
        for board in ruleset.boards:
            labels = {word.text: label for word, label in board.labels}
            for name in named_spaces(board):
                label = labels.get(name, humanise(name))
                self._named({name}, EnumConstant(board.name.text, name, label, label))
        self._squares = {board.name.text for board in ruleset.boards} - self._enums.keys()

    def _named(self, words: Iterable[str], value: EnumConstant) -> None:
        for word in words:
            self._enums.setdefault(value.enum, {})[word] = value
            self._bare.setdefault(word, []).append(value)

    @contextmanager
    def named(self, name: str, value: object) -> Iterator[None]:
        """Bind a name to a value for the duration of a ``with`` block."""
        before = dict(self.names)
        self.names[name] = value
        yield
        self.names = before

    # ------------------------------------------------------------ kinds of values

    def value(self, node: ast.Expr) -> object:
        """Return the value of an expression: int, str, bool, None, an :class:`EnumConstant`, or a tuple of these.

        Raises NotConstant if only a game could tell the value, or if all families together take too many steps.
        """
        self._count(1, node.span)
        method = _METHODS.get(type(node))
        if method is None:
            raise NotConstant("a family of cards can't use this", node.span, _HINT)
        return method(self, node)

    def _count(self, steps: int, span: Span) -> None:
        self._steps -= steps
        if self._steps < 0:
            message = f"all families together need more than {MOST_STEPS:,} steps"
            raise NotConstant(message, span, "shorten the lists after `for`", diagnostic_codes.TOO_MANY)

    def items(self, node: ast.Expr) -> tuple[object, ...]:
        """Return the value of an expression that must be a list. Raises NotConstant if it is none."""
        found = self._checked(node, self.value(node), tuple, "a list")
        self._count(len(found), node.span)
        return found

    def number(self, node: ast.Expr) -> int:
        """Return the value of an expression that must be a number. Raises NotConstant if it is none."""
        return self._checked(node, self.value(node), int, "a number")

    def truth(self, node: ast.Expr) -> bool:
        """Return the value of an expression that must be a condition. Raises NotConstant if it is none."""
        return self._checked(node, self.value(node), bool, "a condition")

    def words(self, node: ast.TextLit, as_names: bool = False) -> str:
        """Return a text with its values filled in.

        Enum values appear as labels, or as names if ``as_names`` is True. Raises NotConstant if a value is a list or
        none, or if the text is too long.
        """
        parts = [part if isinstance(part, str) else self._shown(part, as_names) for part in node.parts]
        text = "".join(parts)
        if len(text) > TEXT_LIMIT:
            raise NotConstant(
                f"this text has more than {TEXT_LIMIT:,} characters", node.span, None, diagnostic_codes.TOO_LARGE
            )
        return text

    def _shown(self, node: ast.Expr, as_names: bool) -> str:
        value = self.value(node)
        if isinstance(value, EnumConstant):
            return value.name if as_names else value.label
        if isinstance(value, tuple) or value is None:
            what = "nothing" if value is None else "a list"
            raise NotConstant(f"this is {what}, so a text can't contain it", node.span, "write one value")
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _checked(self, node: ast.Expr, value: object, kind: type[T], what: str) -> T:
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        raise NotConstant(f"this must be {what}, but it is {told(value)}", node.span, None, diagnostic_codes.WRONG_TYPE)

    # ------------------------------------------------------------ expressions

    def _literal(self, node: ast.IntLit | ast.BoolLit) -> object:
        return node.value

    def _none(self, node: ast.NoneLit) -> object:
        return None

    def _text(self, node: ast.TextLit) -> object:
        return self.words(node)

    def _list(self, node: ast.ListLit) -> object:
        return tuple(self.value(item) for item in node.items)

    def _name(self, node: ast.Name) -> object:
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
            raise NotConstant(
                f"`{name}` is a value of several enums", node.span, choices, diagnostic_codes.AMBIGUOUS_VALUE
            )
        hint = suggest_name(name, [*self.names, *self._enums, *self._bare, *self._tables]) or _HINT
        message = f"`{name}` is not known before the game"
        if name in self._squares:
            hint = "use only boards whose spaces the ruleset names: `ring`, `track`, `links`, `lines`"
        raise NotConstant(message, node.span, hint, diagnostic_codes.UNKNOWN_NAME)

    def _member(self, node: ast.Member) -> object:
        if isinstance(node.subject, ast.Name) and node.subject.name in self._enums:
            values = self._enums[node.subject.name]
            if node.name in values:
                self.used.add(node.subject.name)
                return values[node.name]
        value = self.value(node.subject)
        if isinstance(value, EnumConstant) and node.name in ("label", "short"):
            return value.label if node.name == "label" else value.short
        message = f"{told(value)} has no member `{node.name}`"
        raise NotConstant(message, node.name_span, "write `label` or `short`", diagnostic_codes.UNKNOWN_MEMBER)

    def _index(self, node: ast.Index) -> object:
        table = self._tables.get(node.subject.name) if isinstance(node.subject, ast.Name) else None
        if table is None:
            raise NotConstant("only a table can have indices here", node.subject.span, _near_table(node, self._tables))
        self.used.add(table.name.text)
        if len(node.indices) != len(table.per):
            indices = "1 index" if len(table.per) == 1 else f"{len(table.per)} indices"
            message = f"`{table.name.text}` needs {indices}, not {len(node.indices)}"
            raise NotConstant(message, node.span, None, diagnostic_codes.WRONG_INDICES)
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
        elif isinstance(entry.data, tuple) and is_integer_text(key):
            number = int(key) - int(per.text.split("..")[0])
            found = entry.data[number] if 0 <= number < len(entry.data) else None
        if found is None:
            raise NotConstant(f"`{table.name.text}` has no entry `{key}`", span, None, diagnostic_codes.OUT_OF_RANGE)
        return found

    def _data(self, value: model.Value, type: str) -> object:
        """Return the data of a table entry, converted according to the declared type."""
        data, type = value.data, type.strip().rstrip("?").strip()
        if type.startswith("List") and isinstance(data, tuple) and not value.is_map:
            return tuple(self._data(item, type.removeprefix("List").strip()[1:-1]) for item in data)
        if type in self._enums and isinstance(data, str):
            return self._enums[type].get(data)
        if isinstance(data, tuple):
            raise NotConstant("a family of cards can't read a list with numbers of copies", value.span)
        return None if data == "none" else data

    def _unary(self, node: ast.Unary) -> object:
        return not self.truth(node.operand) if node.op == "not" else -self.number(node.operand)

    def _binary(self, node: ast.Binary) -> object:
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
                raise NotConstant(message, node.span, "make it shorter", diagnostic_codes.TOO_MANY)
            self._count(max(right - left, 0), node.span)
            return tuple(range(left, right + 1))
        if node.op in ("div", "mod") and right == 0:
            raise NotConstant("division by zero", node.span)
        found = _OPERATORS[node.op](left, right)
        if not INT_MIN <= found <= INT_MAX:
            raise NotConstant("this number is beyond 64 bits", node.span, None, diagnostic_codes.NUMBER_TOO_LARGE)
        return found

    def _if(self, node: ast.IfExpr) -> object:
        return self.value(node.then if self.truth(node.condition) else node.otherwise)

    def _where(self, node: ast.Where) -> object:
        name = "it" if node.item is None else node.item.name
        return tuple(item for item in self.items(node.source) if self._holds(node.condition, name, item))

    def _holds(self, condition: ast.Expr, name: str, item: object) -> bool:
        with self.named(name, item):
            return self.truth(condition)

    def _let(self, node: ast.LetExpr) -> object:
        with self.named(node.name, self.value(node.value)):
            return self.value(node.body)

    def _call(self, node: ast.Call) -> object:
        name = node.callee.name if isinstance(node.callee, ast.Name) else ""
        arguments = [argument.value for argument in node.args]
        if name in ("larger", "smaller") and len(arguments) == 2:
            return (max if name == "larger" else min)(self.number(arguments[0]), self.number(arguments[1]))
        if name == "count" and len(arguments) == 1:
            return len(self.items(arguments[0]))
        hint = "call only `larger`, `smaller` and `count` here"
        raise NotConstant("a family of cards can't call this", node.span, hint)


_HINT = "use only the names of the family, numbers, texts, enums, tables and boards with named spaces"
_METHODS: Mapping[type, Callable[..., object]] = {
    ast.IntLit: Constants._literal,
    ast.BoolLit: Constants._literal,
    ast.NoneLit: Constants._none,
    ast.TextLit: Constants._text,
    ast.ListLit: Constants._list,
    ast.Name: Constants._name,
    ast.Member: Constants._member,
    ast.Index: Constants._index,
    ast.Unary: Constants._unary,
    ast.Binary: Constants._binary,
    ast.IfExpr: Constants._if,
    ast.Where: Constants._where,
    ast.LetExpr: Constants._let,
    ast.Call: Constants._call,
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
    """Describe a value for a message."""
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, EnumConstant):
        return f"`{value.name}`"
    return "nothing" if value is None else f"`{value}`"


def _near_table(node: ast.Index, tables: Mapping[str, model.TableDecl]) -> str | None:
    """Suggest a table for a misspelt name before indices."""
    return suggest_name(node.subject.name, tables) if isinstance(node.subject, ast.Name) else None


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def _joined(op: str, left: tuple[object, ...], right: tuple[object, ...]) -> tuple[object, ...]:
    known = {(type(item), item) for item in (left if op == "union" else right)}
    if op == "union":
        return left + tuple(item for item in right if (type(item), item) not in known)
    return tuple(item for item in left if ((type(item), item) in known) is (op == "intersect"))


MOST_CARDS = 10_000
"""Maximum number of cards that all families of a ruleset may generate."""
MOST_COPIES = 1000
_ID = re.compile(r"[a-z0-9_]{1,200}")


def with_families(ruleset: model.Ruleset, diagnostics: Diagnostics) -> model.Ruleset:
    """Return the ruleset with its families expanded and default fields filled in."""
    kinds = {kind.name.text: kind for kind in ruleset.components}
    if not any(card.family for card in ruleset.cards):
        return replace(ruleset, cards=_with_defaults(ruleset.cards, kinds)) if _defaults(kinds) else ruleset
    maker = _Maker(Constants(ruleset), kinds, diagnostics)
    cards = tuple(made for card in ruleset.cards for made in (maker.cards(card) if card.family else (card,)))
    report_twice(cards, diagnostics)
    return replace(ruleset, cards=_with_defaults(cards, kinds), read_by_families=frozenset(maker.constants.used))


def report_twice(cards: Sequence[model.CardDecl], diagnostics: Diagnostics) -> None:
    """Report each card that is declared twice."""
    first: dict[str, model.CardDecl] = {}
    for card in cards:
        other = first.setdefault(card.id.text, card)
        if other is card:
            continue
        message = f"the card {card.called} is declared twice"
        hint = "rename one, or exclude it from the family with `where`"
        if other.family is card.family:
            message = f"the family makes the card `{card.id.text}` twice: with {_said(other)} and with {_said(card)}"
            hint = "add to the id what differs between the cards"
        diagnostics.add(
            diagnostic_codes.CARD_TWICE, message, card.id.span, hint, [(other.id.span, "first declared here")]
        )


def _said(card: model.CardDecl) -> str:
    return ", ".join(f"{name} = {value}" for name, value in card.values)


def _defaults(kinds: Mapping[str, model.ComponentDecl]) -> bool:
    return any(kind.defaults for kind in kinds.values())


def _with_defaults(
    cards: Sequence[model.CardDecl], kinds: Mapping[str, model.ComponentDecl]
) -> tuple[model.CardDecl, ...]:
    """Return the cards with the default fields of their kind filled in."""
    found = []
    for card in cards:
        kind = kinds.get(card.kind.text)
        said = {name.text for name, _ in card.fields}
        more = [] if kind is None else [entry for entry in kind.defaults if entry[0].text not in said]
        if kind is not None and (more or card.family is not None):
            card = replace(card, fields=_in_order((*card.fields, *more), kind))
        found.append(card)
    return tuple(found)


def _in_order(fields: Sequence[tuple[Word, Value]], kind: model.ComponentDecl) -> tuple[tuple[Word, Value], ...]:
    """Sort the fields of a card in the order of its kind."""
    order = {name.text: number for number, (name, _) in enumerate(kind.fields)}
    return tuple(sorted(fields, key=lambda entry: order.get(entry[0].text, len(order))))


@dataclass(eq=False)
class _Maker:
    """Generate the cards of families. ``made`` counts them."""

    constants: Constants
    kinds: Mapping[str, model.ComponentDecl]
    diagnostics: Diagnostics
    made: int = 0
    _parsed: dict[EmbeddedText, ast.Expr | None] = field(default_factory=dict)

    def cards(self, card: model.CardDecl) -> Iterator[model.CardDecl]:
        """Yield the cards of a family. Stop early after an error."""
        family = card.family
        assert family is not None
        id = parse_template(family.id, self.diagnostics)
        label = None if family.label is None else parse_template(family.label, self.diagnostics)
        each = parse_choice_vars(family.each, self.diagnostics)
        texts = [text for _, text in family.fields] + ([] if family.copies is None else [family.copies])
        self._parsed = {text: parse_expression(text, self.diagnostics) for text in texts}
        if id is None or each is None or None in self._parsed.values() or (family.label is not None and label is None):
            return
        self.constants.names = {}
        values: tuple[tuple[str, str], ...] = ()
        try:
            for values in self._values(each):
                self._count(card.id.span)
                yield self._card(card, family, values, self._id(id, card), label)
        except NotConstant as problem:
            where = f" (of the card with {', '.join(f'{n} = {v}' for n, v in values)})" if values else ""
            self.diagnostics.add(problem.code, f"{problem.message}{where}", problem.span, problem.hint)

    def _count(self, span: Span) -> None:
        self.made += 1
        if self.made > MOST_CARDS:
            message = f"this family brings the game to more than {MOST_CARDS:,} cards in families"
            raise NotConstant(message, span, "shorten its lists, or use copies", diagnostic_codes.TOO_MANY)

    def _values(self, each: Sequence[ast.ChoiceVar]) -> Iterator[tuple[tuple[str, str], ...]]:
        """Yield each combination of values as (name, text) pairs. The names are bound while the caller uses it."""
        if not each:
            yield ()
            return
        var, *rest = each
        for item in self.constants.items(var.domain):
            with self.constants.named(var.name, item):
                if var.condition is not None:
                    with self.constants.named("it", item):
                        if not self.constants.truth(var.condition):
                            continue
                for more in self._values(rest):
                    yield ((var.name, told(item).strip("`")), *more)

    def _id(self, id: ast.TextLit, card: model.CardDecl) -> str:
        name = self.constants.words(id, as_names=True)
        if _ID.fullmatch(name) is None:
            hint = "use only small letters, digits and underscores in the id"
            raise NotConstant(
                f"the family makes a card with the id `{name}`", card.id.span, hint, diagnostic_codes.BAD_NAME
            )
        return name

    def _card(
        self,
        card: model.CardDecl,
        family: model.FamilyDecl,
        values: tuple[tuple[str, str], ...],
        id: str,
        label: ast.TextLit | None,
    ) -> model.CardDecl:
        kind = self.kinds.get(card.kind.text)
        said = {name.text for name, _ in family.fields}
        fields = [(name, self._data(text)) for name, text in family.fields]
        for name, _ in kind.fields if kind is not None else ():
            if name.text not in said and name.text in self.constants.names:
                value = Value(
                    _plain(self.constants.names[name.text], family.each.whole_span), False, family.each.whole_span
                )
                fields.append((Word(name.text, family.each.whole_span), value))
        return replace(
            card,
            id=Word(id, card.id.span),
            label=None if label is None else self.constants.words(label),
            copies=1 if family.copies is None else self._copies(family.copies),
            fields=tuple(fields),
            values=values,
        )

    def _data(self, text: EmbeddedText) -> Value:
        node = self._parsed[text]
        assert node is not None
        return Value(_plain(self.constants.value(node), text.whole_span), False, text.whole_span)

    def _copies(self, text: EmbeddedText) -> int:
        node = self._parsed[text]
        assert node is not None
        copies = self.constants.number(node)
        if not 1 <= copies <= MOST_COPIES:
            message = f"a card has {copies} copies, but 1 to {MOST_COPIES} are allowed"
            raise NotConstant(message, text.whole_span, "exclude it with `where`", diagnostic_codes.VALUE_NOT_ALLOWED)
        return copies


def _plain(value: object, span: Span) -> object:
    """Convert a value to the form of data in the model."""
    if isinstance(value, tuple):
        return tuple(Value(_plain(item, span), False, span) for item in value)
    return value.name if isinstance(value, EnumConstant) else value
