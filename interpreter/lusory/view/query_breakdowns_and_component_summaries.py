"""Show how the value of a query comes about, and summarize a component that a seat sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import BLANK_CARDS, Origin
from lusory_dsl.types.types import BoolType, ComponentType, IntType, ListType, TextType

from ..evaluator.expressions import Reader
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.setting_value_limits_builtins_and_names import Indices, Value
from .redacted_state import HiddenValue
from .seat_view import SeatReader, View


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
        is_printed: Whether the base is printed on the card, not computed.
    """

    query: core.Query
    base: Value
    changes: tuple[Adjustment, ...]
    is_printed: bool

    @property
    def value(self) -> Value:
        """The value after the last change, or the base without changes."""
        return self.changes[-1].after if self.changes else self.base


class ComponentSummary(NamedTuple):
    """Describe a component that a seat sees.

    Attributes:
        card: The component.
        zone: The zone that holds it.
        indices: The indices of the zone.
        variables: The variables about this component alone, with their values. Unremarkable values are left out.
        queries: The queries about this component alone that its kind declares or that rules modify.
    """

    card: core.Entity
    zone: str
    indices: Indices
    variables: tuple[tuple[core.Variable, Value], ...]
    queries: tuple[Breakdown, ...]


def _break_down_query(reader: Reader, query: core.Query, args: list[Value]) -> Breakdown | None:
    """Return how the value of a query for ``args`` comes about, or None if it is hidden, or if the rules fail.

    The result has the base value, and in order each modifier that changes it, with the value before and after.
    ``is_printed`` says that the base is a field or a constant.
    """
    try:
        modified_query = _find_modified_query(reader, query, args)
        (_, _, base), *stages = reader.iterate_modifier_stages(modified_query, args)
    except (HiddenValue, RulesetFault):
        return None
    changes: list[Adjustment] = []
    previous = base
    for modifier, card, value in stages:
        if modifier is not None and value != previous:
            changes.append(Adjustment(modifier, card, previous, value))
            previous = value
    return Breakdown(query, base, tuple(changes), isinstance(modified_query.value, core.Field | core.Const))


def _find_modified_query(reader: Reader, query: core.Query, args: list[Value]) -> core.Query:
    """Return the query that rules modify: for a keyword of a card that is not blank, the inner query."""
    match query.value:
        case core.IfExpr(condition=blank, otherwise=core.CallQuery(query=name)):
            inner = reader.program.queries[name]
            if inner.origin == Origin(BLANK_CARDS, query.name, "given") and not reader.holds(blank, args):
                return inner
    return query


def list_visible_components(view: View) -> Iterator[tuple[core.Entity, str, Indices]]:
    """Yield every component that a seat sees, with its zone and the zone's indices. Zones come in declared order.

    Only zones whose whole content the seat sees count. Components come in the order of their zone, the top one first.
    """
    setting = view.setting
    for zone in setting.program.zones:
        for indices in setting.list_indices(zone):
            if view.can_see(zone, indices):
                for card in view.redacted_state.zones[setting.layout.zones[zone].at(indices)]:
                    yield setting.program.entities[card], zone, indices


def summarize_component(view: View, card: core.Entity, zone: str, indices: Indices) -> ComponentSummary:
    """Return what is worth telling a seat about a component that it sees in this zone at these indices.

    The result repeats ``card``, ``zone`` and ``indices``. The tuple ``variables`` has pairs of a core.Variable and its
    value, for variables that the author declares and whose only index is the component. The tuple ``queries`` has
    breakdowns. Both are in declared order, but a query comes after those that it needs. Variables are left out if the
    seat may not see them, and if their value is ``no``, ``none``, the empty list, or 0 in an Int. A variable of another
    type than Int, such as ``Int?``, is also left out while its value is the constant that it starts with.

    Queries, too, are the author's. They have no other argument than the component, or the seat and the component. Its
    kind declares them, or rules modify them. They are left out if they give lists or texts, fail, or are hidden. A
    query whose value no rule changes for this component is left out, too, if its value is false, none or the default
    of most cards. The same holds for the 0 of a keyword, and for a number that is computed without a phrase of the
    author.
    """
    setting, kind = view.setting, ComponentType(card.kind)
    reader = SeatReader(view.redacted_state)
    variables = []
    for variable in setting.program.variables.values():
        is_about_component = len(variable.dims) == 1 and variable.dims[0].type == kind and variable.origin.is_authored
        if is_about_component and view.can_see(variable.name, (card.number,)):
            value = view.redacted_state.cells[setting.layout.places[variable.name].at((card.number,))]
            if _is_remarkable(variable, value):
                variables.append((variable, value))
    queries = []
    for query in setting.program.queries.values():
        args = _build_arguments(query, kind, card.number, view.seat)
        breakdown = None if args is None else _break_down_query(reader, query, args)
        if breakdown is not None and (breakdown.changes or _is_informative(setting.program, breakdown)):
            queries.append(breakdown)
    return ComponentSummary(card, zone, indices, tuple(variables), tuple(queries))


def _build_arguments(query: core.Query, kind: ComponentType, card: int, seat: int | None) -> list[Value] | None:
    """Return the arguments that ask a query about one card, or None if it isn't a query about one card to be shown."""
    types = [param.type for param in query.params]
    if query.is_per_player and types[1:] == [kind] and seat is not None:
        args: list[Value] | None = [seat, card]
    else:
        args = [card] if types == [kind] and not query.is_per_player else None
    # Lists and texts are left out, because they repeat what is shown elsewhere.
    is_plain = query.origin.is_authored and not isinstance(query.type, ListType | TextType)
    return args if is_plain and ("." in query.name or query.modifiers) else None


def _is_remarkable(variable: core.Variable, value: Value) -> bool:
    """Return whether the value of a variable is worth a line. Numbers must not be 0, other values must have changed."""
    if value is None or value is False or value == ():
        return False
    if isinstance(variable.type, IntType):
        return bool(value != 0)
    return not (isinstance(variable.start, core.Const) and variable.start.value == value)


def _is_informative(program: core.Program, breakdown: Breakdown) -> bool:
    """Return whether the value of a query is worth a line.

    Numbers are, unless most cards of the kind have this number by default, or they follow from others and the author
    has no phrase for them. Truth values and keywords are only if they are true, other values unless they are ``none``.
    """
    value = breakdown.query.value
    default = value.otherwise if isinstance(value, core.ByCard) else None
    if isinstance(default, core.Const) and default.value == breakdown.value:
        return False
    if isinstance(breakdown.query.type, BoolType) or breakdown.query.name in program.keywords:
        return bool(breakdown.value)
    if not isinstance(breakdown.query.type, IntType):
        return breakdown.value is not None
    return breakdown.is_printed or isinstance(value, core.ByCard) or bool(breakdown.query.phrase)
