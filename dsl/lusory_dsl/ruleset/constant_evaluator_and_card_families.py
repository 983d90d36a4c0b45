"""Generate the cards of card families, by evaluating constant expressions before play.

Example: the family ``"{colour}_{rank}": {for: "colour in Colour, rank in 1..9", kind: Card}`` makes one card for each
pair of values, such as ``red_1``. Fields of the kind that are called ``colour`` and ``rank`` get these values. Last,
fields that a card leaves out get the default of its kind.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import ValueRecord, dataclass, field, replace
from ..source.diagnostics import Code, Diagnostics
from ..source.source import EmbeddedText, Span, humanise
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..syntax.parser import parse_choice_vars, parse_expression, parse_template
from ..types.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, is_integer_text
from . import model
from .model import Value, Word


def list_named_spaces(decl: model.BoardDecl) -> list[str]:
    """Return the names of a board's spaces in order, each once, if the ruleset lists them.

    Returns [] for boards of squares and hexagons, whose spaces have coordinates. A ``track`` of size 3 has the spaces
    ``s1``, ``s2`` and ``s3``, or with ``letters: ab`` the spaces ``ab1``, ``ab2`` and ``ab3``. It has none if its size
    is missing or isn't a number of up to four digits. All others are in the order of first mention. A ``ring`` has its
    ``spaces``. A ``links`` board with a ``map`` has the words of the map except ``.``, and without one each space of
    ``links``, followed by its neighbours. A board with no other shape than ``lines`` has the spaces written in them.
    """
    shape = next((word.text for word in decl.shapes if word.text != "lines"), "lines")
    if shape == "track" and decl.size is not None:
        letters = decl.letters.text if decl.letters is not None else "s"
        size = int(decl.size.text) if re.fullmatch("[0-9]{1,4}", decl.size.text) else 0
        return [f"{letters}{number}" for number in range(1, size + 1)]
    if shape == "links" and decl.map is not None:
        names = [name for name in decl.map.text.split() if name != "."]
    else:
        names = [word.text for word in _iterate_listed_spaces(decl, shape)]
    return list(dict.fromkeys(names))


def split_line(line: EmbeddedText) -> Iterator[model.Word]:
    """Yield the space names in a line such as ``a1 b1 c1`` as words with their positions."""
    for match in re.finditer(r"\S+", line.text):
        yield model.Word(match[0], line.make_span(match.start(), match.end()))


def _iterate_listed_spaces(decl: model.BoardDecl, shape: str) -> Iterator[model.Word]:
    """Yield the names of the spaces in a ``ring``, ``links`` or ``lines`` as often as they are written.

    Others have none.
    """
    if shape == "ring":
        yield from decl.spaces
    elif shape == "links":
        yield from (word for space, neighbours in decl.links for word in (space, *neighbours))
    elif shape == "lines":
        yield from (
            word
            for _, lines in decl.lines
            if not isinstance(lines, model.Word)
            for line in lines
            for word in split_line(line)
        )


MAX_STEPS = 500_000
"""Maximum number of nodes to evaluate for all families of a ruleset."""

T = TypeVar("T")


class EnumConstant(ValueRecord):
    """Hold a value of an enum, or a space of a board: its enum, name, label and short label."""

    enum: str
    name: str
    label: str
    short: str


class NotConstant(Exception):
    """Raised if an expression can't be evaluated. Holds the code, message, span and hint of the diagnostic."""

    def __init__(self, message: str, span: Span, hint: str | None = None, code: Code = codes.NOT_BEFORE_PLAY) -> None:
        super().__init__(message)
        self.code, self.message, self.span, self.hint = code, message, span, hint


def _check_range(number: int, span: Span) -> int:
    """Return a number in the range of Int. Raises NotConstant for any other."""
    if not INT_MIN <= number <= INT_MAX:
        raise NotConstant("this number is beyond 64 bits", span, None, codes.NUMBER_TOO_LARGE)
    return number


class ConstantEvaluator:
    """Evaluate expressions that need no game: numbers, texts, lists, enums, spaces and constant tables.

    Attributes:
        names: The values of the names of the family that are bound now.
        reads: The names of the tables, enums and boards that were read.
    """

    def __init__(self, ruleset: model.Ruleset, max_steps: int) -> None:
        """Collect the tables without a formula, the enums, and the named spaces of boards, which are values as well.

        All evaluations together may take ``max_steps`` steps.
        """
        self.names: dict[str, object] = {}
        self.reads: set[str] = set()
        self._max_steps = self._steps_left = max_steps
        self._tables = {table.name.text: table for table in ruleset.tables if table.value is None}
        self._enums: dict[str, dict[str, EnumConstant]] = {}
        self._constants_by_bare_name: dict[str, list[EnumConstant]] = {}
        for enum in ruleset.enums:
            self._enums.setdefault(enum.name.text, {})
            for value in enum.values:
                name = value.name.text
                label = value.label if value.label is not None else humanise(name)
                constant = EnumConstant(enum.name.text, name, label, value.short if value.short is not None else label)
                self._add_constant({name, value.plural.text if value.plural is not None else name}, constant)
        for board in ruleset.boards:
            labels = {word.text: label for word, label in board.labels}
            for name in list_named_spaces(board):
                label = labels.get(name, humanise(name))
                self._add_constant({name}, EnumConstant(board.name.text, name, label, label))
        self._board_type_names = {board.name.text for board in ruleset.boards} - self._enums.keys()

    def _add_constant(self, words: Iterable[str], value: EnumConstant) -> None:
        for word in words:
            self._enums.setdefault(value.enum, {})[word] = value
            self._constants_by_bare_name.setdefault(word, []).append(value)

    @contextmanager
    def _bind_name(self, name: str, value: object) -> Iterator[None]:
        """Bind a name to a value for the duration of a ``with`` block."""
        outer_names = dict(self.names)
        self.names[name] = value
        try:
            yield
        finally:
            self.names = outer_names

    # ------------------------------------------------------------ kinds of values

    def evaluate(self, node: ast.Expr) -> object:
        """Return the value of an expression: int, str, bool, None, an :class:`EnumConstant`, or a tuple of these.

        Example: ``rank * 2`` with ``rank`` bound to 3 gives 6. ``div`` rounds down: ``-7 div 2`` gives -4. Adds the
        names of the tables, enums and boards that it reads to ``reads``. Raises NotConstant if only a game could tell
        the value. Also raises it for a name that is unknown or that several enums have, a missing table entry, a
        division by zero, a number beyond 64 bits, and a range or text that is too long. An operand of the wrong type
        raises it, such as a list beside ``+``, but ``1 = true`` gives False. It is raised, too, for ``for``,
        ``is empty``, ``while``, ``with`` and ``sorted by``, and for calls except ``larger``, ``smaller``, ``count`` and
        ``abs``. It also raises NotConstant once all evaluations together have taken more than ``max_steps`` steps.
        """
        self._count(1, node.span)
        match node:
            case ast.IntLit(value=value) | ast.BoolLit(value=value):
                return value
            case ast.NoneLit():
                return None
            case ast.TextLit():
                return self.fill_template(node)
            case ast.ListLit(items=items):
                return tuple(self.evaluate(item) for item in items)
            case ast.Name():
                return self._evaluate_name(node)
            case ast.Member():
                return self._evaluate_member(node)
            case ast.Index():
                return self._evaluate_index(node)
            case ast.Unary(op="not", operand=operand):
                return not self.evaluate_condition(operand)
            case ast.Unary(operand=operand):
                return _check_range(-self.evaluate_number(operand), node.span)
            case ast.Binary():
                return self._evaluate_binary(node)
            case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
                return self.evaluate(then if self.evaluate_condition(condition) else otherwise)
            case ast.Where(source=source, condition=condition, item=item_name):
                name = "it" if item_name is None else item_name.name
                return tuple(item for item in self._evaluate_list(source) if self._is_satisfied(condition, name, item))
            case ast.LetExpr(name=name, value=bound, body=body):
                with self._bind_name(name, self.evaluate(bound)):
                    return self.evaluate(body)
            case ast.Call():
                return self._evaluate_call(node)
        raise NotConstant("a family of cards can't use this", node.span, _HINT)

    def _count(self, steps: int, span: Span) -> None:
        self._steps_left -= steps
        if self._steps_left < 0:
            message = f"all families together need more than {self._max_steps:,} steps"
            raise NotConstant(message, span, "shorten the lists after `for`", codes.TOO_MANY)

    def _evaluate_list(self, node: ast.Expr) -> tuple[object, ...]:
        """Return the value of an expression as a tuple, and count its items as steps.

        Raises NotConstant if it is no list, or after too many steps.
        """
        elements = self._evaluate_as(node, tuple, "a list")
        self._count(len(elements), node.span)
        return elements

    def evaluate_number(self, node: ast.Expr) -> int:
        """Return the value of an expression as an int. Raises NotConstant if it is no number."""
        return self._evaluate_as(node, int, "a number")

    def evaluate_condition(self, node: ast.Expr) -> bool:
        """Return the value of an expression as a bool. Raises NotConstant if it is no condition."""
        return self._evaluate_as(node, bool, "a condition")

    def fill_template(self, node: ast.TextLit, as_names: bool = False) -> str:
        """Return a text with its values filled in.

        Enum values appear as labels, or as names if ``as_names`` is True, and truth values as ``true`` and ``false``.
        Raises NotConstant if a value can't be evaluated, or is a list or ``none``. Also raises it if the text has more
        than ``TEXT_LIMIT`` characters.
        """
        parts = [part if isinstance(part, str) else self._format_part(part, as_names) for part in node.parts]
        text = "".join(parts)
        if len(text) > TEXT_LIMIT:
            raise NotConstant(f"this text has more than {TEXT_LIMIT:,} characters", node.span, None, codes.TOO_LARGE)
        return text

    def _format_part(self, node: ast.Expr, as_names: bool) -> str:
        value = self.evaluate(node)
        if isinstance(value, EnumConstant):
            return value.name if as_names else value.label
        if isinstance(value, tuple) or value is None:
            description = "nothing" if value is None else "a list"
            raise NotConstant(f"this is {description}, so a text can't contain it", node.span, "write one value")
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _evaluate_as(self, node: ast.Expr, kind: type[T], expected: str) -> T:
        """Return the value of an expression. Raises NotConstant if it is not of this kind."""
        value = self.evaluate(node)
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        message = f"this must be {expected}, but it is {_describe_value(value)}"
        raise NotConstant(message, node.span, None, codes.WRONG_TYPE)

    # ------------------------------------------------------------ expressions

    def _evaluate_name(self, node: ast.Name) -> object:
        """Return a local name's value, all values of an enum as a tuple, or the one value that has this name.

        Records the enum as used. Raises NotConstant if several enums have the value, or the name is unknown before the
        game.
        """
        name = node.name
        if name in self.names:
            return self.names[name]
        if name in self._enums:
            self.reads.add(name)
            return tuple(dict.fromkeys(self._enums[name].values()))
        candidates = self._constants_by_bare_name.get(name, [])
        if len(candidates) == 1:
            self.reads.add(candidates[0].enum)
            return candidates[0]
        if candidates:
            choices = " or ".join(f"`{value.enum}.{value.name}`" for value in candidates)
            raise NotConstant(f"`{name}` is a value of several enums", node.span, choices, codes.AMBIGUOUS_VALUE)
        known_names = [*self._enums, *self._constants_by_bare_name, *self._tables]
        hint = suggest_name(name, self.names) or suggest_name(name, known_names) or _HINT
        message = f"`{name}` is not known before the game"
        if name in self._board_type_names:
            hint = "use only boards whose spaces the ruleset names: `ring`, `track`, `links`, `lines`"
        raise NotConstant(message, node.span, hint, codes.UNKNOWN_NAME)

    def _evaluate_member(self, node: ast.Member) -> object:
        """Return a value of an enum (``Side.left``), or the ``label`` or ``short`` text of a value.

        Raises NotConstant.
        """
        if isinstance(node.subject, ast.Name) and node.subject.name in self._enums:
            values = self._enums[node.subject.name]
            if node.name in values:
                self.reads.add(node.subject.name)
                return values[node.name]
        value = self.evaluate(node.subject)
        if isinstance(value, EnumConstant) and node.name in ("label", "short"):
            return value.label if node.name == "label" else value.short
        message = f"{_describe_value(value)} has no member `{node.name}`"
        hint = suggest_name(node.name, ["label", "short"]) or "write `label` or `short`"
        raise NotConstant(message, node.name_span, hint, codes.UNKNOWN_MEMBER)

    def _evaluate_index(self, node: ast.Index) -> object:
        """Return an entry of a table, which is recorded as used.

        Raises NotConstant for other values, a wrong number of indices, and an entry that doesn't exist.
        """
        name = node.subject.name if isinstance(node.subject, ast.Name) else ""
        table = self._tables.get(name)
        if table is None:
            hint = suggest_name(name, self._tables)
            raise NotConstant("only a table can have indices here", node.subject.span, hint)
        self.reads.add(table.name.text)
        if len(node.indices) != len(table.per):
            indices = "1 index" if len(table.per) == 1 else f"{len(table.per)} indices"
            message = f"`{table.name.text}` needs {indices}, not {len(node.indices)}"
            raise NotConstant(message, node.span, None, codes.WRONG_INDICES)
        entry = table.values
        for index, per in zip(node.indices, table.per, strict=True):
            entry = self._get_entry(table, entry, self.evaluate(index), per, index.span)
        return self._convert_data(entry, table.type.text)

    def _get_entry(
        self, table: model.TableDecl, entry: model.Value, index: object, per: model.Word, span: Span
    ) -> model.Value:
        """Return the entry of a mapping under an index, or of a list whose first index is the low end of ``per``.

        Raises NotConstant if there is none.
        """
        key = index.name if isinstance(index, EnumConstant) else str(index)
        next_entry: model.Value | None = None
        if entry.is_map and isinstance(entry.data, tuple):
            next_entry = next((value for word, value in entry.data if word.text == key), None)
        elif isinstance(entry.data, tuple) and is_integer_text(key) and (low := re.match(r"-?[0-9]{1,18}", per.text)):
            number = int(key) - int(low[0])
            next_entry = entry.data[number] if 0 <= number < len(entry.data) else None
        if next_entry is None:
            raise NotConstant(f"`{table.name.text}` has no entry `{key}`", span, None, codes.OUT_OF_RANGE)
        return next_entry

    def _convert_data(self, value: model.Value, type: str) -> object:
        """Return the data of a table entry, converted according to the declared type."""
        data, type = value.data, type.strip().rstrip("?").strip()
        if type.startswith("List") and isinstance(data, tuple) and not value.is_map:
            return tuple(self._convert_data(item, type.removeprefix("List").strip()[1:-1]) for item in data)
        if type in self._enums and isinstance(data, str):
            return self._enums[type].get(data)
        if isinstance(data, tuple):
            raise NotConstant("a family of cards can't read a list with numbers of copies", value.span)
        return None if data == "none" else data

    def _evaluate_binary(self, node: ast.Binary) -> object:
        """Return the value of an operator on constants. ``a..b`` gives a tuple of numbers, empty if b < a.

        The right side of ``and`` and ``or`` is only evaluated if it matters. Raises NotConstant for a division by zero,
        a range that is too long, and numbers beyond 64 bits.
        """
        match node.op:
            case "and":
                return self.evaluate_condition(node.left) and self.evaluate_condition(node.right)
            case "or":
                return self.evaluate_condition(node.left) or self.evaluate_condition(node.right)
            case "=" | "!=":
                return _is_same(self.evaluate(node.left), self.evaluate(node.right)) is (node.op == "=")
            case "in" | "not in":
                item = self.evaluate(node.left)
                return any(_is_same(item, element) for element in self._evaluate_list(node.right)) is (node.op == "in")
            case "union" | "except" | "intersect":
                return _combine_lists(node.op, self._evaluate_list(node.left), self._evaluate_list(node.right))
        left, right = self.evaluate_number(node.left), self.evaluate_number(node.right)
        if node.op == "..":
            if right - left >= LIST_LIMIT:
                message = f"{left}..{right} is longer than {LIST_LIMIT:,} numbers"
                raise NotConstant(message, node.span, "make it shorter", codes.TOO_MANY)
            self._count(max(right - left, 0), node.span)
            return tuple(range(left, right + 1))
        if node.op in ("div", "mod") and right == 0:
            raise NotConstant("division by zero", node.span)
        return _check_range(_OPERATORS[node.op](left, right), node.span)

    def _is_satisfied(self, condition: ast.Expr, name: str, item: object) -> bool:
        with self._bind_name(name, item):
            return self.evaluate_condition(condition)

    def _evaluate_call(self, node: ast.Call) -> object:
        """Return the value of ``larger(a, b)``, ``smaller(a, b)``, ``count(list)`` or ``abs(n)``.

        Raises NotConstant for other calls.
        """
        name = node.callee.name if isinstance(node.callee, ast.Name) else ""
        match name, [argument.value for argument in node.args]:
            case "larger", [first, second]:
                return max(self.evaluate_number(first), self.evaluate_number(second))
            case "smaller", [first, second]:
                return min(self.evaluate_number(first), self.evaluate_number(second))
            case "count", [items]:
                return len(self._evaluate_list(items))
            case "abs", [number]:
                return _check_range(abs(self.evaluate_number(number)), node.span)
        hint = "call only `larger`, `smaller`, `count` and `abs` here"
        raise NotConstant("a family of cards can't call this", node.span, hint)


_HINT = "use only the names of the family, numbers, texts, enums, tables and boards with named spaces"
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


def _describe_value(value: object) -> str:
    """Return a value as a noun for a message: ``a list``, ``nothing`` for None, or the value in backticks.

    Examples: True gives `` `true` ``, 3 gives `` `3` ``, and an enum value gives its name.
    """
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, EnumConstant):
        return f"`{value.name}`"
    return "nothing" if value is None else f"`{value}`"


def _is_same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def _combine_lists(op: str, left: tuple[object, ...], right: tuple[object, ...]) -> tuple[object, ...]:
    item_keys = {(type(item), item) for item in (left if op == "union" else right)}
    if op == "union":
        return left + tuple(item for item in right if (type(item), item) not in item_keys)
    return tuple(item for item in left if ((type(item), item) in item_keys) is (op == "intersect"))


MAX_CARDS = 10_000
"""Maximum number of cards that all families of a ruleset may generate."""
MAX_COPIES = 1000
_ID = re.compile(r"[a-z0-9_]{1,200}")


def expand_families(ruleset: model.Ruleset, diagnostics: Diagnostics) -> model.Ruleset:
    """Return the ruleset with each family replaced by its cards, and with default fields filled in.

    Example: the family ``"{suit}_{rank}"`` with ``for: suit in Suit, rank in 1..2`` gives the cards ``suns_1``,
    ``suns_2``, ``moons_1`` and ``moons_2`` in its place. A family with an error yields the cards before the error, and
    none if a text doesn't parse. Reports each text that doesn't parse, or else the first error in the values of a
    family. If there is any family, reports each card whose id an earlier card has. Both cards stay. The fields of a
    card that is from a family, or receives a default, are in the order of its kind, and unknown ones last. Other cards
    keep their order. If there is any family, ``read_by_families`` of the result is the set of the names of the tables,
    enums and boards that were read. Returns the ruleset itself if it has neither families nor defaults.
    """
    kinds = {kind.name.text: kind for kind in ruleset.components}
    if not any(card.family for card in ruleset.cards):
        has_defaults = any(kind.defaults for kind in ruleset.components)
        return replace(ruleset, cards=_fill_in_defaults(ruleset.cards, kinds)) if has_defaults else ruleset
    expander = _FamilyExpander(ConstantEvaluator(ruleset, MAX_STEPS), kinds, diagnostics)
    cards = tuple(
        expanded_card
        for card in ruleset.cards
        for expanded_card in (expander._expand_family(card) if card.family else (card,))
    )
    _report_duplicates(cards, diagnostics)
    return replace(ruleset, cards=_fill_in_defaults(cards, kinds), read_by_families=frozenset(expander.constants.reads))


def _report_duplicates(cards: Sequence[model.CardDecl], diagnostics: Diagnostics) -> None:
    """Report each card whose id an earlier card has, with a note at the first one."""
    first: dict[str, model.CardDecl] = {}
    for card in cards:
        first_card = first.setdefault(card.id.text, card)
        if first_card is card:
            continue
        message = f"the card {card.quoted_name} is declared twice"
        hint = "rename one, or exclude it from the family with `where`"
        if first_card.family is card.family:
            values = f"with {_format_values(first_card)} and with {_format_values(card)}"
            message = f"the family makes the card `{card.id.text}` twice: {values}"
            hint = "add to the id what differs between the cards"
        diagnostics.add(codes.CARD_TWICE, message, card.id.span, hint, [(first_card.id.span, "first declared here")])


def _format_values(card: model.CardDecl) -> str:
    return ", ".join(f"{name} = {value}" for name, value in card.values)


def _fill_in_defaults(
    cards: Sequence[model.CardDecl], kinds: Mapping[str, model.ComponentDecl]
) -> tuple[model.CardDecl, ...]:
    """Return the cards with the default fields of their kind filled in."""
    full_cards = []
    for card in cards:
        kind = kinds.get(card.kind.text)
        own_fields = {name.text for name, _ in card.fields}
        defaults = [] if kind is None else [entry for entry in kind.defaults if entry[0].text not in own_fields]
        if kind is not None and (defaults or card.family is not None):
            ranks = {name.text: rank for rank, (name, _) in enumerate(kind.fields)}
            fields = sorted((*card.fields, *defaults), key=lambda entry: ranks.get(entry[0].text, len(kind.fields)))
            card = replace(card, fields=tuple(fields))
        full_cards.append(card)
    return tuple(full_cards)


@dataclass(eq=False)
class _FamilyExpander:
    """Generate the cards of families. ``card_count`` counts them."""

    constants: ConstantEvaluator
    kinds: Mapping[str, model.ComponentDecl]
    diagnostics: Diagnostics
    card_count: int = 0
    _trees: dict[EmbeddedText, ast.Expr] = field(default_factory=dict)

    def _expand_family(self, card: model.CardDecl) -> Iterator[model.CardDecl]:
        """Yield the cards of a family, one for each combination of values that meets the conditions of its names.

        The last name varies fastest. A name that is also a field of the kind gives the field its value, unless the
        family sets it. ``card`` must have a family. Yields nothing after reporting each text that doesn't parse. Stops
        after reporting the first error of a value; a card beyond the ``MAX_CARDS`` of all families is one, too. The
        report names the values of the faulty card; it names none if the error is in ``for`` itself.
        """
        family = card.family
        assert family is not None
        id = parse_template(family.id, self.diagnostics)
        label = None if family.label is None else parse_template(family.label, self.diagnostics)
        vars = parse_choice_vars(family.for_each, self.diagnostics)
        texts = [text for _, text in family.fields] + ([] if family.copies is None else [family.copies])
        trees = [(text, parse_expression(text, self.diagnostics)) for text in texts]
        self._trees = {text: tree for text, tree in trees if tree is not None}
        is_faulty = len(self._trees) < len(texts) or (family.label is not None and label is None)
        if id is None or vars is None or is_faulty:
            return
        values: tuple[tuple[str, str], ...] = ()
        try:
            for values in self._iterate_combinations(vars):
                self._count(card.id.span)
                yield self._make_card(card, family, values, id, label)
                values = ()  # what fails from here on is in ``for``, and in no card
        except NotConstant as problem:
            context = f" (of the card with {', '.join(f'{name} = {text}' for name, text in values)})" if values else ""
            self.diagnostics.add(problem.code, f"{problem.message}{context}", problem.span, problem.hint)

    def _count(self, span: Span) -> None:
        self.card_count += 1
        if self.card_count > MAX_CARDS:
            message = f"this family brings the game to more than {MAX_CARDS:,} cards in families"
            raise NotConstant(message, span, "shorten its lists, or use copies", codes.TOO_MANY)

    def _iterate_combinations(self, vars: Sequence[ast.ChoiceVar]) -> Iterator[tuple[tuple[str, str], ...]]:
        """Yield each combination of values as (name, text) pairs. The names are bound while the caller uses it."""
        if not vars:
            yield ()
            return
        var, *remaining = vars
        for item in self.constants._evaluate_list(var.domain):
            with self.constants._bind_name(var.name, item):
                if var.condition is not None and not self.constants._is_satisfied(var.condition, "it", item):
                    continue
                for combination in self._iterate_combinations(remaining):
                    yield ((var.name, _describe_value(item).strip("`")), *combination)

    def _make_card(
        self,
        card: model.CardDecl,
        family: model.FamilyDecl,
        values: tuple[tuple[str, str], ...],
        id: ast.TextLit,
        label: ast.TextLit | None,
    ) -> model.CardDecl:
        """Return one card of a family, for the current values of its names.

        A name of the family that is also a field of the kind gives the field its value, unless the family sets it.
        """
        card_id = self.constants.fill_template(id, as_names=True)
        if _ID.fullmatch(card_id) is None:
            hint = "use only small letters, digits and underscores in the id"
            raise NotConstant(f"the family makes a card with the id `{card_id}`", card.id.span, hint, codes.BAD_NAME)
        kind = self.kinds.get(card.kind.text)
        own_fields = {name.text for name, _ in family.fields}
        fields = [
            (name, _convert_constant(self.constants.evaluate(self._trees[text]), text.whole_span))
            for name, text in family.fields
        ]
        span = family.for_each.whole_span
        for name, _ in kind.fields if kind is not None else ():
            if name.text not in own_fields and name.text in self.constants.names:
                fields.append((Word(name.text, span), _convert_constant(self.constants.names[name.text], span)))
        return replace(
            card,
            id=Word(card_id, card.id.span),
            label=None if label is None else self.constants.fill_template(label),
            copies=1 if family.copies is None else self._evaluate_copies(family.copies),
            fields=tuple(fields),
            values=values,
        )

    def _evaluate_copies(self, text: EmbeddedText) -> int:
        copies = self.constants.evaluate_number(self._trees[text])
        if not 1 <= copies <= MAX_COPIES:
            message = f"a card has {copies} copies, but 1 to {MAX_COPIES} are allowed"
            raise NotConstant(message, text.whole_span, "exclude it with `where`", codes.VALUE_NOT_ALLOWED)
        return copies


def _convert_constant(value: object, span: Span) -> Value:
    """Convert a constant to data of the model."""
    if isinstance(value, tuple):
        return Value(tuple(_convert_constant(item, span) for item in value), False, span)
    return Value(value.name if isinstance(value, EnumConstant) else value, False, span)
