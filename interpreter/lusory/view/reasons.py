"""Explain why a condition fails, why a value is missing, and how the value of a query comes about.

:class:`Explainer` walks over an expression and reads it as a seat sees the table. It finds the part that fails, and
describes it as a :class:`~lusory.state.decision.Reason`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from lusory_dsl import core
from lusory_dsl.core.boards import COMPASS, DIRECTIONS, column_name, place_of
from lusory_dsl.core.provenance import BLANK_CARDS, Origin
from lusory_dsl.source.source import humanised
from lusory_dsl.types.types import (
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    OptionalType,
    TextType,
    Type,
    is_whole,
)

from ..evaluator.expressions import Reader, Slots, excerpt
from ..state.decision import Reason, RulesetFault
from ..state.event_log import counted, place_label
from ..state.setting import Indices, Value, item_type, name_of
from .text import plain_words
from .view import SeatReader, View
from .visibility import Hidden, Unknown


class Adjustment(NamedTuple):
    """Describe one modifier of a query: it changes the value from ``before`` to ``after``.

    ``card`` is the component whose rule it is, or None.
    """

    rule: core.Modifier
    card: int | None
    before: Value
    after: Value


class Breakdown(NamedTuple):
    """Show how the value of a query comes about.

    Attributes:
        query: The query.
        base: Its value without modifiers.
        changes: The modifiers that change it, in order.
        hidden: Whether the rest depends on something that the seat may not see. Then the value and further changes are
            unknown.
        is_printed: Whether the base is printed on the card, not computed.
    """

    query: core.Query
    base: Value
    changes: tuple[Adjustment, ...]
    hidden: bool
    is_printed: bool

    @property
    def value(self) -> Value:
        return self.changes[-1].after if self.changes else self.base


class OnTheTable(NamedTuple):
    """Describe a component that a seat sees.

    Attributes:
        card: The component.
        zone: The zone that holds it.
        indices: The indices of the zone.
        kept: The variables about this component alone, with their values. Unremarkable values are left out.
        asked: The queries about this component alone that its kind declares or that rules modify.
    """

    card: core.Entity
    zone: str
    indices: Indices
    kept: tuple[tuple[core.Variable, Value], ...]
    asked: tuple[Breakdown, ...]


def breakdown(reader: Reader, query: core.Query, args: list[Value]) -> Breakdown | None:
    """Return how the value of a query comes about, as far as ``reader`` may know it.

    Return None if nothing is known, or if the rules fail.
    """
    base: list[Value] = []
    changes: list[Adjustment] = []
    try:
        ruled = _ruled(reader, query, args)
        is_printed = isinstance(ruled.value, core.Field | core.Const)
        for modifier, card, value in reader.stages(ruled, args):
            if modifier is None:
                base.append(value)
            elif value != (before := changes[-1].after if changes else base[0]):
                changes.append(Adjustment(modifier, card, before, value))
    except Hidden:
        return Breakdown(query, base[0], tuple(changes), True, is_printed) if base else None
    except RulesetFault:
        return None
    return Breakdown(query, base[0], tuple(changes), False, is_printed)


def _ruled(reader: Reader, query: core.Query, args: list[Value]) -> core.Query:
    """Return the query that rules modify: for a keyword of a card that is not blank, the inner query."""
    match query.value:
        case core.IfExpr(condition=blank, otherwise=core.CallQuery(query=name)):
            given = reader.program.queries[name]
            if given.origin == Origin(BLANK_CARDS, query.name, "given") and not reader.holds(blank, args):
                return given
    return query


def seen_components(view: View) -> Iterator[tuple[core.Entity, str, Indices]]:
    """Yield every component that a seat sees, with its zone and the zone's indices. Zones come in declared order."""
    setting = view.setting
    for zone in setting.program.zones:
        for at in setting.indices(zone):
            if view.sees(zone, at):
                for card in view.seen.zones[setting.layout.zones[zone].at(at)]:
                    yield setting.program.entities[card], zone, at


def on_the_table(view: View, card: core.Entity, zone: str, indices: Indices) -> OnTheTable:
    """Return everything that a seat may know of a component that it sees."""
    setting, kind = view.setting, ComponentType(card.kind)
    reader = SeatReader(view.seen)
    kept = []
    for variable in setting.program.variables.values():
        about = len(variable.dims) == 1 and variable.dims[0].type == kind and variable.origin.is_written
        if about and view.sees(variable.name, (card.number,)):
            value = view.seen.cells[setting.layout.places[variable.name].at((card.number,))]
            if _is_remarkable(variable, value):
                kept.append((variable, value))
    asked = []
    for query in setting.program.queries.values():
        args = _about(query, kind, card.number, view.seat)
        found = None if args is None else breakdown(reader, query, args)
        if found is not None and (found.hidden or found.changes or _says_something(setting.program, found)):
            asked.append(found)
    return OnTheTable(card, zone, indices, tuple(kept), tuple(asked))


def _about(query: core.Query, kind: ComponentType, card: int, seat: int | None) -> list[Value] | None:
    """Return the arguments that ask a query about one card, or None if it isn't a query about one card to be shown."""
    types = [param.type for param in query.params]
    if query.per_player and types[1:] == [kind] and seat is not None:
        args: list[Value] | None = [seat, card]
    else:
        args = [card] if types == [kind] and not query.per_player else None
    # Lists and texts are left out, because they repeat what is shown elsewhere.
    is_plain = query.origin.is_written and not isinstance(query.type, ListType | TextType)
    return args if is_plain and ("." in query.name or query.modifiers) else None


def _is_remarkable(variable: core.Variable, value: Value) -> bool:
    """Return whether the value of a variable is worth a line. Numbers must not be 0, other values must have changed."""
    if value is None or value is False or value == ():
        return False
    if isinstance(variable.type, IntType):
        return bool(value != 0)
    return not (isinstance(variable.start, core.Const) and variable.start.value == value)


def _says_something(program: core.Program, found: Breakdown) -> bool:
    """Return whether the value of a query is worth a line. Numbers are, others and keywords only if they are true."""
    is_number = isinstance(found.query.type, IntType) and found.query.name not in program.keywords
    return bool(found.value) or is_number


Inside = Callable[[core.CallQuery, Slots], tuple[core.Expr, Slots] | None]
"""Returns the expression of a called query with its local slots, or None."""


class Nothing:
    """Explain why the read of a place or table gives ``none``. ``inside`` returns the expression of a query."""

    def __init__(self, reader: Reader, inside: Inside) -> None:
        self.reader = reader
        self.inside = inside

    def reasons(self, expr: core.Expr, slots: Slots) -> Iterator[str]:
        """Yield reasons why an expression is ``none``, if a board is the cause. Hidden values give no reasons."""
        try:
            yield from self._why(expr, slots)
        except (Hidden, RulesetFault):
            return

    def _why(self, expr: core.Expr, slots: Slots) -> Iterator[str]:
        match expr:
            case core.TableRead(table=table, indices=indices) if table.partition(".")[0] in self.reader.program.boards:
                absent = self._absent(indices, slots)
                if absent is not None:
                    yield from self._why(absent, slots)
                    return
                said = self._beside_board(table, indices, slots)
                if said is not None and self.reader.value(expr, slots) is None:
                    yield said
            case core.ReadCell(indices=indices) | core.TableRead(indices=indices):
                absent = self._absent(indices, slots)
                if absent is not None:
                    yield from self._why(absent, slots)
            case core.CallQuery():
                inner = self.inside(expr, slots)
                if inner is not None:
                    yield from self._why(*inner)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                yield from self._why(then if self.reader.holds(condition, slots) else otherwise, slots)
            case core.Reach(start=start, target=target) if target is not None:
                if self.reader.value(expr, slots) is None:
                    yield f"`{self._shown(target, slots)}` is not reached from {self.reader.shown(start, slots)}"

    def _absent(self, indices: Sequence[core.Expr], slots: Slots) -> core.Expr | None:
        """Return the first index that is ``none``, or None if all are present."""
        return next((index for index in indices if self.reader.value(index, slots) is None), None)

    def _beside_board(self, table: str, indices: Sequence[core.Expr], slots: Slots) -> str | None:
        """Return a sentence that no space is there, for a table that looks up a space. None for any other table."""
        name, _, part = table.partition(".")
        asked, _, towards = part.partition(".")
        if asked == "at":
            column, row = (self.reader.present(index, slots) for index in indices)
            return f"`{column_name(column)}{row}` is beside the board" if column > 0 and row > 0 else None
        if asked not in ("away", "away_by"):
            return None
        words = towards or DIRECTIONS[self._directions(name)][self.reader.present(indices[1], slots)]
        steps = self.reader.present(indices[2], slots) if asked == "away_by" else 1
        far = f"{steps} steps " if steps != 1 else ""
        way = f"{humanised(words)} of" if self._directions(name) == COMPASS else f"{humanised(words)} from"
        return f"there is nothing {far}{way} `{self._shown(indices[0], slots)}`"

    def _directions(self, board: str) -> str:
        return self.reader.program.boards[board].directions or COMPASS

    def _shown(self, expr: core.Expr, slots: Slots) -> str:
        return self.reader.shown(expr, slots)


def beside_board(boards: dict[str, core.Board], word: str, type: Type) -> str | None:
    """Return a sentence that a word names a space outside the board. None if it doesn't."""
    item = type.item if isinstance(type, OptionalType) else type
    board = boards.get(item.name) if isinstance(item, EnumType) else None
    if board is None or not board.column or place_of(word) is None or place_of(board.names[0]) is None:
        return None
    return f"`{word}` is beside the board"


LONGEST = 90  # characters of rule code that a reason quotes
FEW = 4  # number of items that a reason explains

NEEDED = {
    "<": "less than {}",
    "<=": "at most {}",
    ">": "more than {}",
    ">=": "at least {}",
    "=": "{}",
    "!=": "anything but {}",
}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
FIXED = (core.Const, core.OptionValue, core.Field, core.TableRead)
"""The expressions that no decision can change."""
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


class Explainer:
    """Explain conditions and lists on one position.

    ``slots`` hold the local values that an expression reads. If ``plainly`` is set, explanations use words for players
    instead of rule code.
    """

    def __init__(self, reader: Reader, plainly: bool = False) -> None:
        self.reader = reader
        self.plainly = plainly
        self.setting = reader.setting
        self.program = reader.program
        self.nothing = Nothing(reader, self.inside)

    def quoted(self, expr: core.Expr, slots: Slots) -> str:
        """Return an expression as rule code, or in words for players."""
        return plain_words(self.reader, expr, slots) or "that" if self.plainly else f"`{words_of(expr)}`"

    def has_words(self, expr: core.Expr, slots: Slots) -> bool:
        """Return whether the reader of the explanation can understand the expression. Authors understand all."""
        return not self.plainly or plain_words(self.reader, expr, slots) is not None

    def code(self, name: str) -> str:
        """Return a name as code, or as players read it."""
        return humanised(name) if self.plainly else f"`{name}`"

    def one(self, value: Value, type: Type) -> str:
        """Return a value as authors write it, or its label."""
        return self.label(value, type) if self.plainly else f"`{self.name(value, type)}`"

    def hidden(self, expr: core.Expr) -> Reason:
        """Return the reason that the seat may not know why."""
        what = "that" if self.plainly else f"`{words_of(expr)}`"
        return Reason(f"{what} depends on what you can't see", expr.span)

    def truth(self, condition: core.Expr, slots: Slots) -> bool | None:
        """Return whether a condition holds. None if that is hidden, or can't be evaluated here."""
        try:
            return self.reader.holds(condition, slots)
        except (Hidden, RulesetFault):
            return None

    def broken(self, condition: core.Expr, slots: Slots) -> list[Reason]:
        """Explain the part of a condition that fails.

        In a chain of ``and``, this is the first part that is known to be false. In a query, it is its failing part, or
        the rule that modifies it.
        """
        parts = list(_conjuncts(condition))
        for part in parts:
            if self.truth(part, slots) is False:
                return self._broken_part(part, slots)
        return [self.hidden(part) for part in parts if self.truth(part, slots) is None][:1]

    def _broken_part(self, part: core.Expr, slots: Slots) -> list[Reason]:
        if isinstance(part, core.CallQuery):
            rule = self._rule_against(part, slots)
            if rule is not None:
                message = f"{self.quoted(part, slots)} does not hold: the rule {self.code(rule.rule)} says so"
                return [Reason(message, rule.span)]
            inner = self.inside(part, slots)
            if inner is not None and isinstance(inner[0], core.Binary) and inner[0].op == "and":
                return self.broken(*inner)
        if isinstance(part, core.Binary) and _is_cost(part):
            cost = "it" if self.plainly else f"the cost {self.quoted(part, slots)}"
            return [Reason(f"{cost} can't be paid", part.span, tuple(self._cost_facts(part, slots)))]
        facts = tuple(dict.fromkeys(self.facts(part, slots, True)))
        needs = f"{self.quoted(part, slots)} does not hold"
        if self.plainly:
            has_words = self.has_words(part, slots)
            needs = f"it needs that {self.quoted(part, slots)}" if has_words else "it can't be done now"
        return [Reason(needs, part.span, facts)]

    def _rule_against(self, call: core.CallQuery, slots: Slots) -> core.Modifier | None:
        """Return the rule that makes a query false, if it would hold without it. None otherwise."""
        query = self.program.queries[call.query]
        against, held = None, False
        for rule, _, value in self.reader.stages(query, [self.reader.value(arg, slots) for arg in call.args]):
            against = rule if held and not value else against
            held = bool(value)
        return against

    def inside(self, call: core.CallQuery, slots: Slots) -> tuple[core.Expr, Slots] | None:
        """Return the expression of a query and its local slots. None if rules modify its value."""
        query = self.program.queries[call.query]
        if query.modifiers:
            return None
        args = [self.reader.value(arg, slots) for arg in call.args]
        return query.value, args + [None] * (query.n_slots - len(args))

    # ------------------------------------------------------------ facts

    def _cost_facts(self, part: core.Binary, slots: Slots) -> Iterator[str]:
        needed = self._said(part.right, slots)
        match part.left:
            case core.ReadCell(place=place, indices=indices):
                try:
                    at = tuple(self.reader.present(index, slots) for index in indices)
                except (Hidden, RulesetFault):
                    return
                held = self._said(part.left, slots)
                if place in self.program.pools and is_whole(held) and self.plainly and is_whole(needed):
                    wanted = f"{needed} {counted(self.setting, place, at[-1], int(needed))}"
                    yield f"needs {wanted}, and {place_label(self.setting, place, at)} has {held}"
                    return
                if place in self.program.pools and is_whole(held):
                    held = f"{held} {counted(self.setting, place, at[-1], int(held))}"
                yield f"{place_label(self.setting, place, at)}: {held}, needs at least {needed}"
            case _:
                yield f"there are {self._said(part.left, slots)}, needs at least {needed}"

    def facts(self, expr: core.Expr, slots: Slots, wanted: bool) -> Iterator[str]:
        """Yield the values that a condition read, each with the value that it needs to have.

        ``wanted`` is the truth value that the condition should have.
        """
        match expr:
            case core.Unary(op="not", operand=operand):
                yield from self.facts(operand, slots, not wanted)
            case core.Binary(op="and" | "or", left=left, right=right):
                for part in (left, right):
                    if self.truth(part, slots) is not wanted:
                        yield from self.facts(part, slots, wanted)
            case core.Binary(op=op, left=left, right=right) if op in NEEDED:
                yield from self._compared(op if wanted else OPPOSITE[op], left, right, slots)
            case core.Binary(op="in", left=left, right=right):
                one = "one of" if wanted else "none of"
                yield f"{self._named(left, slots)}, needs {one}: {self._said(right, slots)}"
                yield from self.nothing.reasons(left, slots)
            case core.Fold(kind="any" | "all"):
                yield from self._folded_facts(expr, slots, wanted)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                truth = self.truth(condition, slots)
                if truth is not None and self.has_words(condition, slots):
                    yield f"{self.quoted(condition, slots)} {'holds' if truth else 'does not hold'}"
                if truth is not None:
                    yield from self.facts(then if truth else otherwise, slots, wanted)
            case core.CallQuery():
                try:
                    inner = self.inside(expr, slots)
                except (Hidden, RulesetFault):
                    inner = None
                if inner is not None:
                    yield from self.facts(*inner, wanted)
            case core.LiesIn(component=component):
                yield from self._whereabouts(component, slots)
            case core.ReadCell() if isinstance(expr.type, BoolType):
                yield self._switched(expr, slots, wanted)
                yield from self.nothing.reasons(expr, slots)

    def _folded_facts(self, fold: core.Fold, slots: Slots, wanted: bool) -> Iterator[str]:
        """Explain a condition about all or some items of a list: yield the items that contradict it."""
        try:
            items = list(self.reader.items(fold.slot, fold.source, fold.condition, slots))
        except (Hidden, RulesetFault):
            return
        if not items and self.has_words(fold.source, slots):
            yield f"{self.quoted(fold.source, slots)} is empty"
        told = 0
        for item in items:
            slots[fold.slot] = item
            if self.truth(fold.body, slots) is not wanted and told < FEW:
                told += 1
                said = "; ".join(self.facts(fold.body, slots, wanted)) or f"{self.quoted(fold.body, slots)}"
                yield f"{self.label(item, item_type(fold.source.type))}: {said}"

    def _compared(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> Iterator[str]:
        """Yield the current value of one side of a comparison, and the value that it needs."""
        # Explain the side that can change.
        if isinstance(left, FIXED) and not isinstance(right, FIXED):
            left, right, op = right, left, MIRRORED[op]
        is_size = isinstance(left, core.PoolTotal) or (isinstance(left, core.CallBuiltin) and left.name == "count")
        if is_size and isinstance(right, core.Const) and right.value == 0:
            size = "is empty" if op in ("!=", ">") else f"holds {self._said(left, slots)}"
            yield f"{self.quoted(left, slots)} {size}"
            return
        edges = [why for side in (left, right) for why in self.nothing.reasons(side, slots)]
        # Skip "is none, needs to be something": the reasons for none say more.
        if edges and op == "!=":
            yield from edges
            return
        is_shown = not isinstance(right, core.Const) and self.has_words(right, slots)
        source = f" ({self.quoted(right, slots)})" if is_shown else ""
        yield f"{self._named(left, slots)}, needs {NEEDED[op].format(self._said(right, slots))}{source}"
        yield from edges

    def _switched(self, read: core.ReadCell, slots: Slots, wanted: bool) -> str:
        """Describe a yes/no variable that needs the other value. For players, describe what the variable stands for."""
        place = self.program.place(read.place)
        doc = place.doc if isinstance(place, core.Variable) else ""
        stands_for = doc.removeprefix("Whether ").rstrip(".")
        if self.plainly and place.label == humanised(place.name) and stands_for != doc.rstrip("."):
            return f"{stands_for}; that must {'be so first' if wanted else 'not be so'}"
        return f"{self._named(read, slots)}, needs to be {'yes' if wanted else 'no'}"

    def _whereabouts(self, component: core.Expr, slots: Slots) -> Iterator[str]:
        try:
            found = self.reader.lies_at(component, slots)
            said = self.reader.shown(component, slots)
        except (Hidden, RulesetFault):
            return
        where = "nowhere" if found is None else f"in {place_label(self.setting, *found)}"
        yield f"{said} lies {where}"

    def _named(self, expr: core.Expr, slots: Slots) -> str:
        return f"{self.quoted(expr, slots)} is {self._said(expr, slots)}"

    def _said(self, expr: core.Expr, slots: Slots) -> str:
        """Return a value as players read it, if the seat may know it."""
        try:
            value = self.reader.value(expr, slots)
            return "empty" if value == () else self.label(value, expr.type)
        except Hidden:
            return "hidden from you"
        except RulesetFault:
            return "none"

    def label(self, value: Value, type: Type) -> str:
        return self.reader.label(value, type)

    # ------------------------------------------------------------ absence

    def absence(self, domain: core.Expr, value: Value, slots: Slots) -> list[Reason]:
        """Explain why a value is not in a list, as far as the expression of the list shows."""
        type = item_type(domain.type)
        try:
            match domain:
                case core.CallQuery():
                    inner = self.inside(domain, slots)
                    return [] if inner is None else self.absence(inner[0], value, inner[1])
                case core.Filter(source=source, condition=condition, slot=slot):
                    if value not in self.reader.value(source, slots):
                        return self.absence(source, value, slots)
                    slots[slot] = value
                    return self.broken(condition, slots)
                case core.Binary(op="except", left=left, right=right):
                    if value in self.reader.value(left, slots):
                        return [Reason(f"it is excepted by {self.quoted(right, slots)}", right.span)]
                    return self.absence(left, value, slots)
                case core.Range(low=low, high=high):
                    bound, needs = (low, "at least") if value < self.reader.value(low, slots) else (high, "at most")
                    fact = "" if self.plainly or isinstance(bound, core.Const) else f" ({self.quoted(bound, slots)})"
                    facts = (f"{needs} {self._said(bound, slots)}{fact} can be chosen",)
                    plain = f"{self._said(low, slots)} to {self._said(high, slots)}"
                    within = plain if self.plainly else self.quoted(domain, slots)
                    return [Reason(f"{self.code(str(value))} is not in {within}", domain.span, facts)]
                case core.PoolKinds(zone=name, indices=indices):
                    at = tuple(self.reader.present(index, slots) for index in indices)
                    fact = f"{place_label(self.setting, name, at)}: no {self.label(value, type)} is there"
                    return [
                        Reason(f"{self.one(value, type)} is not in {self.quoted(domain, slots)}", domain.span, (fact,))
                    ]
                case core.ReadZone():
                    message = f"{self.one(value, type)} is not in {self.quoted(domain, slots)}"
                    card = core.Const(type, domain.span, value)
                    return [Reason(message, domain.span, tuple(self._whereabouts(card, slots)))]
                case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                    return self.absence(then if self.reader.holds(condition, slots) else otherwise, value, slots)
        except (Hidden, RulesetFault):
            return [self.hidden(domain)]
        return []

    def name(self, value: Value, type: Type) -> str:
        return "?" if isinstance(value, Unknown) else name_of(self.setting, value, type)


# ---------------------------------------------------------------- helpers


def _conjuncts(condition: core.Expr) -> Iterator[core.Expr]:
    """Yield the parts of a chain of ``and``, from left to right."""
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _is_cost(part: core.Binary) -> bool:
    """Return whether a condition is the requirement of a cost. It then has the span of the cost statement."""
    return part.op == ">=" and part.left.span == part.span


def words_of(expr: core.Expr) -> str:
    """Return the rule code of an expression, shortened to :data:`LONGEST` characters."""
    words = excerpt(expr.span)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"
