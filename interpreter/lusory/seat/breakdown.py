"""Why a value is what it is: what a query says of its own, and each rule that changes it now. As a seat may know it.

Used by the console for a card on the table; a bot or an editor can ask the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lusory_dsl import core
from lusory_dsl.core.origin import BLANK_CARDS, Origin
from lusory_dsl.language.types import ComponentType, IntType, ListType, TextType

from ..reading.reader import Reader
from ..table.choices import RulesetFault
from ..table.setting import Indices, Value
from .sight import Hidden
from .view import SeatReader, View


class Adjustment(NamedTuple):
    """A rule, or a change for a time, that makes ``before`` to ``after``. ``card``: whose rule it is."""

    rule: core.Modifier
    card: int | None
    before: Value
    after: Value


class Breakdown(NamedTuple):
    """A query with its value on a position. ``base``: of its own, before ``changes``. ``hidden``: what follows depends
    on something that the seat may not see, so that neither the value is known nor what else changes it. ``is_printed``:
    the base is printed on the card and not worked out."""

    query: core.Query
    base: Value
    changes: tuple[Adjustment, ...]
    hidden: bool
    is_printed: bool

    @property
    def value(self) -> Value:
        return self.changes[-1].after if self.changes else self.base


class OnTheTable(NamedTuple):
    """A component that a seat sees. ``kept``: what the game remembers of it alone. ``asked``: each query about it
    alone that its kind declares or that rules change; others are means of the author. Without what says nothing."""

    card: core.Entity
    zone: str
    indices: Indices
    kept: tuple[tuple[core.Variable, Value], ...]
    asked: tuple[Breakdown, ...]


def breakdown(reader: Reader, query: core.Query, args: list[Value]) -> Breakdown | None:
    """A query with what changes it, as far as ``reader`` may know; None where nothing is known, or the rules fail."""
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
    """The query that rules change: where cards can be blank, that of a keyword is asked of those that are not."""
    match query.value:
        case core.IfExpr(condition=blank, otherwise=core.CallQuery(query=name)):
            given = reader.program.queries[name]
            if given.origin == Origin(BLANK_CARDS, query.name, "given") and not reader.holds(blank, args):
                return given
    return query


def seen_components(view: View) -> Iterator[tuple[core.Entity, str, Indices]]:
    """Every component that a seat sees, zone by zone in their order, with where it lies."""
    setting = view.setting
    for zone in setting.program.zones:
        for at in setting.indices(zone):
            if view.sees(zone, at):
                for card in view.seen.zones[setting.layout.zones[zone].at(at)]:
                    yield setting.program.entities[card], zone, at


def on_the_table(view: View, card: core.Entity, zone: str, indices: Indices) -> OnTheTable:
    """What a seat may know of a component that it sees."""
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
    """The arguments that ask a query about one card alone; None where it is no such query, or nobody asks."""
    types = [param.type for param in query.params]
    if query.per_player and types[1:] == [kind] and seat is not None:
        args: list[Value] | None = [seat, card]
    else:
        args = [card] if types == [kind] and not query.per_player else None
    is_plain = query.origin.is_written and not isinstance(query.type, ListType | TextType)  # words repeat what is shown
    return args if is_plain and ("." in query.name or query.modifiers) else None


def _is_remarkable(variable: core.Variable, value: Value) -> bool:
    """Whether what is kept is worth a line: a number that is not 0, and what is not as it was at the start."""
    if value is None or value is False or value == ():
        return False
    if isinstance(variable.type, IntType):
        return bool(value != 0)
    return not (isinstance(variable.start, core.Const) and variable.start.value == value)


def _says_something(program: core.Program, found: Breakdown) -> bool:
    """Whether a value is worth a line: a keyword only where the card has it, a number always."""
    is_number = isinstance(found.query.type, IntType) and found.query.name not in program.keywords
    return bool(found.value) or is_number
