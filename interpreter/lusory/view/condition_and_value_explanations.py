"""Explain why a condition fails, why a value is missing, and how the value of a query comes about.

:class:`Explainer` walks over an expression and reads it as a seat sees the table. It finds the part that fails, and
describes it as a :class:`~lusory.state.decisions_outcomes_and_faults.Reason`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.board_geometry import COMPASS, DIRECTIONS, format_column, parse_space_name
from lusory_dsl.core.generated_part_origins import BLANK_CARDS, Origin
from lusory_dsl.core.program_reads_and_value_bounds import collect_reads
from lusory_dsl.source.source import humanise
from lusory_dsl.types.types import (
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    OptionalType,
    TextType,
    Type,
    is_integer_text,
)

from ..evaluator.expressions import Reader, Slots, make_excerpt, pad_slots
from ..state.decisions_outcomes_and_faults import Reason, RulesetFault
from ..state.events_and_redaction import format_counter_label, format_place_label
from ..state.setting_limits_forced_chance_and_names import Indices, Value, format_name, unwrap_list_type
from .redacted_state import HiddenValue, Unknown
from .seat_view import SeatReader, View
from .sentences_for_failed_conditions import LIMITS, MIRRORED, OPPOSITE, UNCHANGEABLE, ConditionSentences, QueryBody
from .table_and_option_text import describe_expression


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
        is_hidden: Whether the rest depends on something that the seat may not see. Then the value and further changes
            are unknown.
        is_printed: Whether the base is printed on the card, not computed.
    """

    query: core.Query
    base: Value
    changes: tuple[Adjustment, ...]
    is_hidden: bool
    is_printed: bool

    @property
    def value(self) -> Value:
        """Return the value after the last known change, or the base without changes."""
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
    """Return how the value of a query for ``args`` comes about, as far as ``reader`` may know it.

    The result has the base value, and in order of application each modifier that changes the value, with its component
    and the value before and after. If only the rest is hidden, return the known part with ``is_hidden``. Return None if
    not even the base value is known, or if the rules fail. ``is_printed`` says that the base is a field or a constant.
    """
    base: list[Value] = []
    changes: list[Adjustment] = []
    try:
        modified = _modified_query(reader, query, args)
        is_printed = isinstance(modified.value, core.Field | core.Const)
        for modifier, card, value in reader.iterate_modifier_stages(modified, args):
            if modifier is None:
                base.append(value)
            elif value != (before := changes[-1].after if changes else base[0]):
                changes.append(Adjustment(modifier, card, before, value))
    except HiddenValue:
        return Breakdown(query, base[0], tuple(changes), True, is_printed) if base else None
    except RulesetFault:
        return None
    return Breakdown(query, base[0], tuple(changes), False, is_printed)


def _modified_query(reader: Reader, query: core.Query, args: list[Value]) -> core.Query:
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
        for at in setting.indices(zone):
            if view.can_see(zone, at):
                for card in view.redacted.zones[setting.layout.zones[zone].at(at)]:
                    yield setting.program.entities[card], zone, at


def summarize_component(view: View, card: core.Entity, zone: str, indices: Indices) -> ComponentSummary:
    """Return what is worth telling a seat about a component that it sees in this zone at these indices.

    ``variables`` has pairs of a variable with one index, the card, and its value, ``queries`` breakdowns of values,
    both in declared order. Left out are variables that the seat may not see, the values 0, ``no``, ``none`` and the
    empty list, and values other than numbers that are still those of the start. Queries are those that its kind
    declares or that rules modify. Left out are queries for lists and texts, those that fail or are wholly hidden, and
    unmodified ones whose value is false, empty, the default of most cards, the 0 of a keyword, or a number that is
    computed without a phrase of the author.
    """
    setting, kind = view.setting, ComponentType(card.kind)
    reader = SeatReader(view.redacted)
    variables = []
    for variable in setting.program.variables.values():
        is_about_component = len(variable.dims) == 1 and variable.dims[0].type == kind and variable.origin.is_authored
        if is_about_component and view.can_see(variable.name, (card.number,)):
            value = view.redacted.cells[setting.layout.places[variable.name].at((card.number,))]
            if _is_remarkable(variable, value):
                variables.append((variable, value))
    queries = []
    for query in setting.program.queries.values():
        args = _component_arguments(query, kind, card.number, view.seat)
        breakdown = None if args is None else _break_down_query(reader, query, args)
        if breakdown is not None and (
            breakdown.is_hidden or breakdown.changes or _is_informative(setting.program, breakdown)
        ):
            queries.append(breakdown)
    return ComponentSummary(card, zone, indices, tuple(variables), tuple(queries))


def _component_arguments(query: core.Query, kind: ComponentType, card: int, seat: int | None) -> list[Value] | None:
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
    has no phrase for them. Other values and keywords are only if they are true.
    """
    value = breakdown.query.value
    default = value.otherwise if isinstance(value, core.ByCard) else None
    if isinstance(default, core.Const) and default.value == breakdown.value:
        return False
    is_number = isinstance(breakdown.query.type, IntType) and breakdown.query.name not in program.keywords
    if not is_number:
        return bool(breakdown.value)
    return breakdown.is_printed or isinstance(value, core.ByCard) or bool(breakdown.query.phrase)


class NoneExplainer:
    """Explain why the read of a place or table gives ``none``.

    ``query_body`` returns the expression of a called query with its locals, or None if rules modify it.
    """

    def __init__(self, reader: Reader, query_body: QueryBody) -> None:
        self.reader = reader
        self.get_query_body = query_body

    def reasons(self, expr: core.Expr, slots: Slots) -> Iterator[str]:
        """Yield reasons why an expression is ``none``, if a board is the cause. Hidden values give no reasons."""
        try:
            yield from self._explain(expr, slots)
        except (HiddenValue, RulesetFault):
            return

    def _explain(self, expr: core.Expr, slots: Slots) -> Iterator[str]:
        """Yield reasons why an expression is ``none``, if a board is the cause.

        It follows the indices of a read, the body of a query and the branch of a condition to the read of a space that
        is not there, or to a target that cannot be reached. Raise HiddenValue or RulesetFault as the reader does.
        """
        match expr:
            case core.TableRead(table=table, indices=indices) if table.partition(".")[0] in self.reader.program.boards:
                absent = self._first_none(indices, slots)
                if absent is not None:
                    yield from self._explain(absent, slots)
                    return
                missing_space = self._describe_missing_space(table, indices, slots)
                if missing_space is not None and self.reader.value(expr, slots) is None:
                    yield missing_space
            case core.ReadCell(indices=indices) | core.TableRead(indices=indices):
                absent = self._first_none(indices, slots)
                if absent is not None:
                    yield from self._explain(absent, slots)
            case core.CallQuery():
                body = self.get_query_body(expr, slots)
                if body is not None:
                    yield from self._explain(*body)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                yield from self._explain(then if self.reader.holds(condition, slots) else otherwise, slots)
            case core.Reach(start=start, target=target) if target is not None:
                if self.reader.value(expr, slots) is None:
                    yield f"no path leads from {self.reader.shown(start, slots)} to `{self._label(target, slots)}`"

    def _first_none(self, indices: Sequence[core.Expr], slots: Slots) -> core.Expr | None:
        """Return the first index that is ``none``, or None if all are present."""
        return next((index for index in indices if self.reader.value(index, slots) is None), None)

    def _describe_missing_space(self, table: str, indices: Sequence[core.Expr], slots: Slots) -> str | None:
        """Return a sentence that no space is there, for a table that looks up a space. None for any other table.

        Examples: ```z9` is beside the board``, ``there is nothing 2 steps north of `a8```.
        """
        name, _, part = table.partition(".")
        operation, _, direction = part.partition(".")
        if operation == "at":
            column, row = (self.reader.require(index, slots) for index in indices)
            return f"`{format_column(column)}{row}` is not on the board" if column > 0 and row > 0 else None
        if operation not in ("away", "away_by"):
            return None
        direction_name = direction or DIRECTIONS[self._directions(name)][self.reader.require(indices[1], slots)]
        steps = self.reader.require(indices[2], slots) if operation == "away_by" else 1
        distance = f"{steps} steps " if steps != 1 else ""
        preposition = (
            f"{humanise(direction_name)} of"
            if self._directions(name) == COMPASS
            else f"{humanise(direction_name)} from"
        )
        return f"there is nothing {distance}{preposition} `{self._label(indices[0], slots)}`"

    def _directions(self, board: str) -> str:
        return self.reader.program.boards[board].directions or COMPASS

    def _label(self, expr: core.Expr, slots: Slots) -> str:
        return self.reader.shown(expr, slots)


def describe_space_off_board(boards: dict[str, core.Board], word: str, type: Type) -> str | None:
    """Return the sentence that a space is not on the board. For the word ``z9`` it is "`z9` is not on the board".

    None if the type, which may be optional, is no board with coordinates, or if the word is no coordinate. Whether the
    board has such a space is not checked.
    """
    item = type.item if isinstance(type, OptionalType) else type
    board = boards.get(item.name) if isinstance(item, EnumType) else None
    if board is None or not board.column or parse_space_name(word) is None or parse_space_name(board.names[0]) is None:
        return None
    return f"`{word}` is not on the board"


MAX_CODE_LENGTH = 90  # characters of rule code that a reason quotes
MAX_EXPLAINED_ITEMS = 4  # number of items that a reason explains

REQUIREMENTS = {**LIMITS, "=": "{}", "!=": "anything but {}"}


class Explainer:
    """Explain conditions and lists on one position, which ``reader`` reads as a seat sees it.

    ``slots`` hold the local values that an expression reads. If ``is_for_players`` is set, explanations use words for
    players instead of rule code.
    """

    def __init__(self, reader: Reader, is_for_players: bool = False) -> None:
        self.reader = reader
        self.is_for_players = is_for_players
        self.setting = reader.setting
        self.program = reader.program
        self.none_explainer = NoneExplainer(reader, self.get_query_body)
        self.sentences = ConditionSentences(reader, self.get_query_body)

    def quote(self, expr: core.Expr, slots: Slots) -> str:
        """Return an expression as rule code in backticks.

        For players, return it in words, or ``that`` if it has none.
        """
        return (
            describe_expression(self.reader, expr, slots) or "that" if self.is_for_players else f"`{_quote_code(expr)}`"
        )

    def quote_name(self, name: str) -> str:
        """Return a name in backticks, or in words for players: ``ready_pile`` gives ``ready pile``."""
        return humanise(name) if self.is_for_players else f"`{name}`"

    def quote_value(self, value: Value, type: Type) -> str:
        """Return a value as authors write it, in backticks, or its label for players."""
        return self.label(value, type) if self.is_for_players else f"`{self.name(value, type)}`"

    def make_hidden_reason(self, expr: core.Expr) -> Reason:
        """Return the reason "`EXPR` depends on what you can't see", for players with ``that`` as the subject."""
        subject = "that" if self.is_for_players else f"`{_quote_code(expr)}`"
        return Reason(f"{subject} depends on what you can't see", expr.span)

    def is_true(self, condition: core.Expr, slots: Slots) -> bool | None:
        """Return whether a condition holds. None if that is hidden, or if the rules fail in it."""
        try:
            return self.reader.holds(condition, slots)
        except (HiddenValue, RulesetFault):
            return None

    def explain_failure(self, condition: core.Expr, slots: Slots) -> list[Reason]:
        """Explain the part of a condition that fails, by one reason. Empty if all parts are known to be true.

        In a chain of ``and``, this is the first part that is known to be false, even after hidden ones. In a query, it
        is its failing part, or the rule that modifies it. If no part is known to be false, the reason is that the first
        hidden part depends on what the seat can't see. ``slots`` holds the locals of the condition.
        """
        parts = list(_conjuncts(condition))
        for part in parts:
            if self.is_true(part, slots) is False:
                explain = self._tell_failed_part if self.is_for_players else self._explain_failed_part
                return explain(part, slots)
        return [self.make_hidden_reason(part) for part in parts if self.is_true(part, slots) is None][:1]

    def _tell_failed_part(self, part: core.Expr, slots: Slots) -> list[Reason]:
        """Return the only reason that a part of a condition is false, for players."""
        rule = self._find_blocking_rule(part, slots) if isinstance(part, core.CallQuery) else None
        if rule is not None:
            name = self.program.entities[rule.copies[0]].label if rule.copies else humanise(rule.rule)
            return [Reason(f"{name} prevents this", rule.span, cause="condition")]
        told = self.sentences.say_failure(part, slots)
        message = "; ".join(told) or ("you can't pay this" if _is_cost(part) else "you can't do this now")
        if isinstance(part, core.LiesIn):
            return [Reason(message, part.span, cause="absence")]
        can_change = bool(collect_reads(part, self.program.queries, self.program.zones))
        cause: Literal["condition", "nature"] = "condition" if can_change else "nature"
        return [Reason(message, part.span, cause=cause if told else "")]

    def _explain_failed_part(self, part: core.Expr, slots: Slots) -> list[Reason]:
        """Return the only reason that a part of a condition is false.

        It is a rule that modifies a query, the failing part of a query, a cost that can't be paid, or the facts that
        the part read.
        """
        if isinstance(part, core.CallQuery):
            rule = self._find_blocking_rule(part, slots)
            if rule is not None:
                message = f"the rule {self.quote_name(rule.rule)} makes {self.quote(part, slots)} false"
                return [Reason(message, rule.span)]
            body = self.get_query_body(part, slots)
            if body is not None and isinstance(body[0], core.Binary) and body[0].op == "and":
                return self.explain_failure(*body)
        if _is_cost(part) and isinstance(part, core.Binary):
            message = f"the cost {self.quote(part, slots)} can't be paid"
            return [Reason(message, part.span, tuple(self._cost_facts(part, slots)))]
        facts = tuple(dict.fromkeys(self.facts(part, slots, True)))
        return [Reason(f"{self.quote(part, slots)} is false", part.span, facts)]

    def _find_blocking_rule(self, call: core.CallQuery, slots: Slots) -> core.Modifier | None:
        """Return the rule that makes a query false, if it would hold without it. None otherwise."""
        query = self.program.queries[call.query]
        blocking, has_held = None, False
        for rule, _, value in self.reader.iterate_modifier_stages(
            query, [self.reader.value(arg, slots) for arg in call.args]
        ):
            blocking = rule if has_held and not value else blocking
            has_held = bool(value)
        return blocking

    def get_query_body(self, call: core.CallQuery, slots: Slots) -> tuple[core.Expr, Slots] | None:
        """Return the expression of a query and its local slots, the arguments first. None if rules modify its value.

        Raise HiddenValue or RulesetFault if an argument has no known value.
        """
        query = self.program.queries[call.query]
        if query.modifiers:
            return None
        args = [self.reader.value(arg, slots) for arg in call.args]
        return query.value, pad_slots(args, query.n_slots)

    # ------------------------------------------------------------ facts

    def _cost_facts(self, part: core.Binary, slots: Slots) -> Iterator[str]:
        """Yield what a cost needs, and what its pool holds. Yield nothing if the pool's index is hidden."""
        needed = self._known_value(part.right, slots)
        match part.left:
            case core.ReadCell(place=place, indices=indices):
                try:
                    indices_values = tuple(self.reader.require(index, slots) for index in indices)
                except (HiddenValue, RulesetFault):
                    return
                current = self._known_value(part.left, slots)
                if place in self.program.pools and is_integer_text(current):
                    current = f"{current} {format_counter_label(self.setting, place, indices_values[-1], int(current))}"
                yield f"{format_place_label(self.setting, place, indices_values)}: {current}, needs at least {needed}"
            case _:
                yield f"there are {self._known_value(part.left, slots)}, needs at least {needed}"

    def facts(self, expr: core.Expr, slots: Slots, should_hold: bool) -> Iterator[str]:
        """Yield sentences with the values that a condition read, each with the value that it needs to have.

        ``should_hold`` is the truth value that the condition should have. Parts of ``and`` and ``or`` that have it
        already are left out. Nothing is yielded for other kinds of expressions, and for queries that rules modify.
        """
        match expr:
            case core.Unary(op="not", operand=operand):
                yield from self.facts(operand, slots, not should_hold)
            case core.Binary(op="and" | "or", left=left, right=right):
                for part in (left, right):
                    if self.is_true(part, slots) is not should_hold:
                        yield from self.facts(part, slots, should_hold)
            case core.Binary(op=op, left=left, right=right) if op in REQUIREMENTS:
                yield from self._comparison_facts(op if should_hold else OPPOSITE[op], left, right, slots)
            case core.Binary(op="in", left=left, right=right):
                quantifier = "one of" if should_hold else "none of"
                yield f"{self._quote_with_value(left, slots)}, needs {quantifier}: {self._known_value(right, slots)}"
                yield from self.none_explainer.reasons(left, slots)
            case core.Fold(kind="any" | "all"):
                yield from self._fold_facts(expr, slots, should_hold)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                truth = self.is_true(condition, slots)
                if truth is not None:
                    yield f"{self.quote(condition, slots)} is {'true' if truth else 'false'}"
                    yield from self.facts(then if truth else otherwise, slots, should_hold)
            case core.CallQuery():
                try:
                    body = self.get_query_body(expr, slots)
                except (HiddenValue, RulesetFault):
                    body = None
                if body is not None:
                    yield from self.facts(*body, should_hold)
            case core.LiesIn(component=component):
                yield from self._location_facts(component, slots)
            case core.ReadCell() if isinstance(expr.type, BoolType):
                yield self._flag_fact(expr, slots, should_hold)
                yield from self.none_explainer.reasons(expr, slots)

    def _fold_facts(self, fold: core.Fold, slots: Slots, should_hold: bool) -> Iterator[str]:
        """Explain a condition about all or some items of a list: yield the items that contradict it."""
        try:
            items = list(self.reader.items(fold.slot, fold.source, fold.condition, slots))
        except (HiddenValue, RulesetFault):
            return
        if not items:
            yield f"{self.quote(fold.source, slots)} is empty"
        count = 0
        for item in items:
            slots[fold.slot] = item
            if self.is_true(fold.body, slots) is not should_hold and count < MAX_EXPLAINED_ITEMS:
                count += 1
                explanation = "; ".join(self.facts(fold.body, slots, should_hold)) or f"{self.quote(fold.body, slots)}"
                yield f"{self.label(item, unwrap_list_type(fold.source.type))}: {explanation}"

    def _comparison_facts(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> Iterator[str]:
        """Yield the current value of one side of a comparison, and the value that it needs.

        The side that a decision can change comes first. If a side is ``none`` because of a board, the reasons for that
        follow; for ``!=`` they stand alone.

        Example: "`gold` is 1, needs at least 3".
        """
        # Explain the side that can change.
        if isinstance(left, UNCHANGEABLE) and not isinstance(right, UNCHANGEABLE):
            left, right, op = right, left, MIRRORED[op]
        is_size = isinstance(left, core.PoolTotal) or (isinstance(left, core.CallBuiltin) and left.name == "count")
        if is_size and isinstance(right, core.Const) and right.value == 0:
            size = "is empty" if op in ("!=", ">") else f"holds {self._known_value(left, slots)}"
            yield f"{self.quote(left, slots)} {size}"
            return
        none_reasons = [reason for side in (left, right) for reason in self.none_explainer.reasons(side, slots)]
        # Skip "is none, needs to be something": the reasons for none say more.
        if none_reasons and op == "!=":
            yield from none_reasons
            return
        source = "" if isinstance(right, core.Const) else f" ({self.quote(right, slots)})"
        needed = REQUIREMENTS[op].format(self._known_value(right, slots))
        yield f"{self._quote_with_value(left, slots)}, needs {needed}{source}"
        yield from none_reasons

    def _flag_fact(self, read: core.ReadCell, slots: Slots, should_hold: bool) -> str:
        """Describe a yes/no variable that needs the other value."""
        return f"{self._quote_with_value(read, slots)}, needs to be {'yes' if should_hold else 'no'}"

    def _location_facts(self, component: core.Expr, slots: Slots) -> Iterator[str]:
        try:
            address = self.reader.find_zone(component, slots)
            label = self.reader.shown(component, slots)
        except (HiddenValue, RulesetFault):
            return
        location = "in no zone" if address is None else f"in {format_place_label(self.setting, *address)}"
        yield f"{label} is {location}"

    def _quote_with_value(self, expr: core.Expr, slots: Slots) -> str:
        return f"{self.quote(expr, slots)} is {self._known_value(expr, slots)}"

    def _known_value(self, expr: core.Expr, slots: Slots) -> str:
        """Return a value as players read it, if the seat may know it."""
        try:
            value = self.reader.value(expr, slots)
            return "empty" if value == () else self.label(value, expr.type)
        except HiddenValue:
            return "hidden from you"
        except RulesetFault:
            return "none"

    def label(self, value: Value, type: Type) -> str:
        """Return the label of a value as this seat may read it."""
        return self.reader.label(value, type)

    # ------------------------------------------------------------ absence

    def explain_absence(self, domain: core.Expr, value: Value, slots: Slots) -> list[Reason]:
        """Explain why a value is not in a list, as far as the expression of the list shows.

        A reason for players is, for example, ``you can choose 1 to 3, not 5``. The list of reasons is empty if the
        expression is of another kind, or a query that rules modify. If the reason is hidden, or the rules fail, the
        only reason says that it is hidden. ``slots`` may change: a filter writes the value into its slot.
        """
        type = unwrap_list_type(domain.type)
        try:
            match domain:
                case core.CallQuery():
                    body = self.get_query_body(domain, slots)
                    return [] if body is None else self.explain_absence(body[0], value, body[1])
                case core.Filter(source=source, condition=condition, slot=slot):
                    if value not in self.reader.value(source, slots):
                        return self.explain_absence(source, value, slots)
                    slots[slot] = value
                    return self.explain_failure(condition, slots)
                case core.Binary(op="except", left=left, right=right):
                    if value in self.reader.value(left, slots):
                        return [Reason(f"{self.quote(right, slots)} excludes it", right.span)]
                    return self.explain_absence(left, value, slots)
                case core.Binary(op="union", left=left, right=right):
                    return self.explain_absence(left, value, slots) or self.explain_absence(right, value, slots)
                case core.Range(low=low, high=high) if self.is_for_players:
                    within = f"{self._known_value(low, slots)} to {self._known_value(high, slots)}"
                    return [Reason(f"you can choose {within}, not {value}", domain.span)]
                case core.Range(low=low, high=high):
                    bound, needs = (low, "at least") if value < self.reader.value(low, slots) else (high, "at most")
                    fact = "" if isinstance(bound, core.Const) else f" ({self.quote(bound, slots)})"
                    facts = (f"{needs} {self._known_value(bound, slots)}{fact} can be chosen",)
                    message = f"{self.quote_name(str(value))} is not in {self.quote(domain, slots)}"
                    return [Reason(message, domain.span, facts)]
                case core.PoolKinds(zone=name, indices=indices):
                    at = tuple(self.reader.require(index, slots) for index in indices)
                    if self.is_for_players:
                        place = format_place_label(self.setting, name, at)
                        message = f"there is no {self.label(value, type)} in {place}"
                        return [Reason(message, domain.span, cause="absence")]
                    fact = f"{format_place_label(self.setting, name, at)}: no {self.label(value, type)} is there"
                    return [
                        Reason(
                            f"{self.quote_value(value, type)} is not in {self.quote(domain, slots)}",
                            domain.span,
                            (fact,),
                        )
                    ]
                case core.ReadZone() if self.is_for_players:
                    return [Reason(self._tell_absence(domain, value, slots), domain.span, cause="absence")]
                case core.ReadZone():
                    message = f"{self.quote_value(value, type)} is not in {self.quote(domain, slots)}"
                    card = core.Const(type, domain.span, value)
                    return [Reason(message, domain.span, tuple(self._location_facts(card, slots)))]
                case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                    return self.explain_absence(
                        then if self.reader.holds(condition, slots) else otherwise, value, slots
                    )
        except (HiddenValue, RulesetFault):
            return [self.make_hidden_reason(domain)]
        return []

    def _tell_absence(self, zone: core.ReadZone, value: Value, slots: Slots) -> str:
        """Return the sentence that a card is not in a zone, with the place where it is if the seat sees that."""
        card = core.Const(unwrap_list_type(zone.type), zone.span, value)
        elsewhere = next(self._location_facts(card, slots), "")
        place = self.quote(zone, slots)
        label = self.label(value, unwrap_list_type(zone.type))
        is_known = elsewhere and not elsewhere.endswith((" in no zone", f" in {place}"))
        return f"{elsewhere}, not in {place}" if is_known else f"{label} is not in {place}"

    def name(self, value: Value, type: Type) -> str:
        """Return the name of a value as authors write it, or ``?`` if it is hidden."""
        return "?" if isinstance(value, Unknown) else format_name(self.setting, value, type)


# ---------------------------------------------------------------- helpers


def _conjuncts(condition: core.Expr) -> Iterator[core.Expr]:
    """Yield the parts of a chain of ``and``, from left to right."""
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _is_cost(part: core.Expr) -> bool:
    """Return whether a condition is the requirement of a cost. It then has the span of the cost statement."""
    return isinstance(part, core.Binary) and part.op == ">=" and part.left.span == part.span


def _quote_code(expr: core.Expr) -> str:
    """Return the rule code of an expression on one line, shortened to :data:`MAX_CODE_LENGTH` characters."""
    code = make_excerpt(expr.span)
    return code if len(code) <= MAX_CODE_LENGTH else f"{code[: MAX_CODE_LENGTH - 1].rstrip()}…"
