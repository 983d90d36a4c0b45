"""Say in plain sentences why a condition does not hold, for players.

The words come from the author's phrases of queries and variables where there are any, and else from labels. Everything
is read as a seat sees the table; what it can't see gives no sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lusory_dsl import core
from lusory_dsl.source.source import humanise
from lusory_dsl.types.types import BoolType, ListType, PlayerType, is_integer_text

from ..evaluator.expressions import Reader, Slots
from ..explain.phrase_filling_and_negation import deny
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.events_and_redaction import format_counter_label, format_place_label
from ..state.setting_limits_forced_chance_and_names import Value, unwrap_list_type
from .redacted_state import HiddenValue
from .table_and_option_text import describe_expression, fill_phrase_of_query, fill_phrase_of_variable

NEEDS = "needs "
"""First word of a sentence about counters that are missing."""
MAX_SENTENCES = 4
"""Maximum number of sentences about one condition."""
LIMITS = {
    "<": "less than {}",
    "<=": "at most {}",
    ">": "more than {}",
    ">=": "at least {}",
}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
UNCHANGEABLE = (core.Const, core.OptionValue, core.Field, core.TableRead)
"""The expressions that no decision can change."""

QueryBody = Callable[[core.CallQuery, Slots], tuple[core.Expr, Slots] | None]
"""Returns the expression of a called query with its local slots, or None."""


class ConditionSentences:
    """Say why conditions fail on one position, which ``reader`` reads as a seat sees it."""

    def __init__(self, reader: Reader, query_body: QueryBody) -> None:
        self.reader = reader
        self.setting = reader.setting
        self.program = reader.program
        self.get_query_body = query_body

    def say_failure(self, condition: core.Expr, slots: Slots) -> list[str]:
        """Return why a condition does not hold, each reason a clause without a full stop.

        There are at most :data:`MAX_SENTENCES`, without duplicates. The list is empty if there are no words for the
        condition, or if the seat can't see what it reads.
        """
        try:
            return list(dict.fromkeys(self._say(condition, slots, True)))[:MAX_SENTENCES]
        except (HiddenValue, RulesetFault):
            return []

    def _say(self, expr: core.Expr, slots: Slots, is_wanted: bool) -> Iterator[str]:
        match expr:
            case core.Unary(op="not", operand=operand):
                yield from self._say(operand, slots, not is_wanted)
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                parts = [part for part in (left, right) if self.reader.holds(part, slots) is not is_wanted]
                told = [list(self._say(part, slots, is_wanted)) for part in parts]
                if (op == "and") is is_wanted:
                    yield from (sentence for sentences in told for sentence in sentences)
                    return
                # All ways are closed. Those that only an option of the game opens are of no use to a player.
                told = [one for one, part in zip(told, parts, strict=True) if not isinstance(part, core.OptionValue)]
                if all(told):
                    yield " and ".join(sentences[0] for sentences in told)
            case core.Binary(op=op, left=left, right=right) if op in OPPOSITE:
                yield from self._say_comparison(op if is_wanted else OPPOSITE[op], left, right, slots)
            case core.Binary(op="in", left=left, right=right):
                yield from self._say_membership(left, right, slots, is_wanted)
            case core.Fold(kind="any" | "all"):
                yield from self._say_fold(expr, slots, is_wanted)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                yield from self._say(then if self.reader.holds(condition, slots) else otherwise, slots, is_wanted)
            case core.CallQuery():
                yield from self._say_query(expr, slots, is_wanted)
            case core.LiesIn(component=component, zone=zone):
                yield from self._say_location(component, zone, slots, is_wanted)
            case core.ReadCell() if isinstance(expr.type, BoolType):
                yield from self._say_flag(expr, slots, is_wanted)

    def _say_query(self, call: core.CallQuery, slots: Slots, is_wanted: bool) -> Iterator[str]:
        """Say a query that is true or false: what it lacks if that can be counted, and else the author's phrase."""
        body = self.get_query_body(call, slots)
        inside = [] if body is None else list(self._say(*body, is_wanted))
        phrase = fill_phrase_of_query(self.reader, call, slots, not is_wanted)
        if phrase is None or (inside and all(sentence.startswith(NEEDS) for sentence in inside)):
            yield from inside
        else:
            yield phrase

    def _say_flag(self, read: core.ReadCell, slots: Slots, is_wanted: bool) -> Iterator[str]:
        """Say a variable that is true or false, by its phrase or by its description: ``Whether …``."""
        phrase = fill_phrase_of_variable(self.reader, read, slots, not is_wanted)
        place = self.program.get_place(read.place)
        doc = place.doc if isinstance(place, core.Variable) else ""
        if phrase is not None:
            yield phrase
        elif place.label != humanise(place.name) and place.label:
            label = format_place_label(self.setting, read.place, self._indices(read, slots))
            yield f"{label} is {self.shown(read, slots)}"
        elif doc.startswith("Whether "):
            clause = doc.removeprefix("Whether ").partition(". ")[0].rstrip(".")
            if (sentence := deny(clause) if is_wanted else clause) is not None:
                yield sentence

    def _say_membership(self, left: core.Expr, right: core.Expr, slots: Slots, is_wanted: bool) -> Iterator[str]:
        subject = self.words(left, slots)
        if subject is None or self.reader.value(left, slots) is None:
            return
        named = self.shown(left, slots)
        group = self.words(right, slots) if not isinstance(right, core.ListLit | core.Const) else None
        if group is not None:
            yield f"{named} is {'not ' if is_wanted else ''}among {group}"
        elif not is_wanted:
            if named != subject:
                yield f"{subject} is {named}"
        else:
            values = self.reader.value(right, slots)
            listed = " or ".join(self.reader.label(value, unwrap_list_type(right.type)) for value in values)
            is_told = listed and len(values) <= MAX_SENTENCES
            yield f"{subject} is {named}, not {listed}" if is_told else f"{subject} is {named}"

    def _say_fold(self, fold: core.Fold, slots: Slots, is_wanted: bool) -> Iterator[str]:
        """Say which items contradict a condition about all or some items of a list."""
        items = list(self.reader.items(fold.slot, fold.source, fold.condition, slots))
        group = self.words(fold.source, slots)
        if not items and group is not None:
            yield f"there are no {group.removeprefix('the ')}"
        found: list[list[str]] = []
        for item in items:
            slots[fold.slot] = item
            if self.reader.holds(fold.body, slots) is not is_wanted:
                label = self.reader.label(item, unwrap_list_type(fold.source.type))
                told = list(self._say(fold.body, slots, is_wanted))
                found.append([one if label in one or one.startswith(NEEDS) else f"{label}: {one}" for one in told])
        # “any” fails on every item, so that one item alone says nothing.
        if (fold.kind == "all") is is_wanted or len(found) == 1:
            yield from (one for told in found for one in told)

    def _say_location(self, component: core.Expr, zone: str, slots: Slots, is_wanted: bool) -> Iterator[str]:
        label = self.reader.shown(component, slots)
        if not is_wanted:
            address = self.reader.find_zone(component, slots)
            if address is not None:
                yield f"{label} is in {format_place_label(self.setting, *address)}"
        else:
            yield f"{label} is not in {self.program.get_place(zone).label or humanise(zone)}"

    def _say_comparison(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> Iterator[str]:
        """Say what one side of a comparison is, and what it has to be. The side that a decision can change is first."""
        if isinstance(left, UNCHANGEABLE) and not isinstance(right, UNCHANGEABLE):
            left, right, op = right, left, MIRRORED[op]
        if (sentence := self._say_number(op, left, right, slots)) is not None:
            yield sentence
            return
        subject, value, needed = self.words(left, slots), self.shown(left, slots), self.shown(right, slots)
        if subject is None or subject == value:
            return
        if op in LIMITS:
            yield f"{subject} is {value}, but must be {LIMITS[op].format(needed)}"
        elif self.reader.value(left, slots) is None or (op == "!=" and self.reader.value(right, slots) is None):
            yield f"there is no {subject.removeprefix('the ')}"
        elif op == "=":
            yield f"{subject} is {value}, not {needed}"
        else:
            yield f"{subject} is {value}"

    def _say_number(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> str | None:
        """Return how many things are needed and how many there are: ``needs 4 gold, and P1 has 0``.

        None if the left side counts nothing that has a plural, or if another number is needed than a least or most.
        """
        needed, current = self.shown(right, slots), self.shown(left, slots)
        counted = self._countable(left, slots) if is_integer_text(needed) and is_integer_text(current) else None
        if counted is None:
            return None
        one, several, owner = counted
        least = {">": int(needed) + 1, ">=": int(needed), "!=": 1 if needed == "0" else 0}.get(op, 0)
        have = f"{owner} has" if owner else "there is" if current == "1" else "there are"
        if least > 1 or (least and one):
            return f"{NEEDS}{least} {several if least > 1 else one}, and {have} {current}"
        if least and current == "0":
            return f"{have} no {several}"
        if op == "=" and needed == "0":
            return f"{have} {several}" if current != "1" else None
        return None

    def _countable(self, expr: core.Expr, slots: Slots) -> tuple[str, str, str] | None:
        """Return what an expression counts: the singular, which may be "", the plural, and the player who has it or "".

        Counters of one kind in pools, the size of a list, a variable with a label in the plural, and a variable or
        query with the phrase ``the number of …`` or one that begins with a plural count something.
        """
        match expr:
            case core.ReadCell(place=name) if name in self.program.pools:
                indices = self._indices(expr, slots)
                one, several = (format_counter_label(self.setting, name, int(indices[-1]), n) for n in (1, 2))
                pool = format_place_label(self.setting, name, indices)
                owner, _, own_name = pool.partition("'s ")
                return one, several, owner if own_name.casefold() == several.casefold() else pool
            case core.ReadCell(place=name):
                phrase = fill_phrase_of_variable(self.reader, expr, slots)
                variable = self.program.get_place(name)
                players = [index for index in expr.indices if isinstance(index.type, PlayerType)]
                if phrase is None and variable.label.endswith("s") and len(variable.dims) == len(players):
                    owner = self.shown(players[0], slots) if players else ""
                    return variable.label.removesuffix("s"), variable.label, owner
                return _counted_by_phrase(phrase)
            case core.CallQuery():
                counted = _counted_by_phrase(fill_phrase_of_query(self.reader, expr, slots))
                query = self.program.queries[expr.query]
                if counted is not None and query.is_per_player and "{me}" not in query.phrase:
                    return *counted[:2], self.shown(expr.args[0], slots)
                body = self.get_query_body(expr, slots) if counted is None else None
                return counted if body is None else self._countable(*body)
            case core.Fold(kind="sum", source=source, condition=condition, slot=slot, body=core.ReadCell() as body):
                for item in self.reader.items(slot, source, condition, slots):
                    slots[slot] = item
                    counted = self._countable(body, slots) if body.place in self.program.pools else None
                    return None if counted is None else (*counted[:2], "")
            case core.PoolTotal():
                return "", f"counters in {format_place_label(self.setting, expr.zone, self._indices(expr, slots))}", ""
            case core.CallBuiltin(name="count", args=(core.CallQuery(query=query, args=args) as counted_list,)):
                owner = self.shown(args[0], slots) if args and isinstance(args[0].type, PlayerType) else ""
                if (phrase := fill_phrase_of_query(self.reader, counted_list, slots)) is not None:
                    return _with_owner(phrase.removeprefix("the "))
                if len(args) == bool(owner):
                    return "", humanise(query.rpartition(".")[2]).lower(), owner
                return _counted_by_phrase(self.words(expr, slots))
            case core.CallBuiltin(name="count", args=(core.Filter(source=source),)):
                words = self.words(source, slots)
                _, several, owner = _with_owner((words or "").removeprefix("the "))
                return ("", f"matching {several}", owner) if words else None
            case core.CallBuiltin(name="count"):
                return _counted_by_phrase(self.words(expr, slots))
        return None

    def _indices(self, expr: core.ReadCell | core.ReadZone | core.PoolTotal, slots: Slots) -> tuple[Value, ...]:
        return tuple(self.reader.require(index, slots) for index in expr.indices)

    def words(self, expr: core.Expr, slots: Slots) -> str | None:
        """Return an expression as a noun in the words of players, or None if there are none."""
        if isinstance(expr.type, ListType) and isinstance(expr, core.CallQuery) and _selected(expr) is None:
            return fill_phrase_of_query(self.reader, expr, slots)
        return describe_expression(self.reader, expr, slots)

    def shown(self, expr: core.Expr, slots: Slots) -> str:
        """Return a value as players read it. An empty list is ``empty``. Raise HiddenValue if the seat can't see it."""
        value = self.reader.value(expr, slots)
        return "empty" if value == () else "none" if value is None else self.reader.label(value, expr.type)


def _selected(call: core.CallQuery) -> core.Expr | None:
    """Return the list from which a query selects, or None."""
    return next((argument for argument in call.args if isinstance(argument.type, ListType)), None)


def _counted_by_phrase(phrase: str | None) -> tuple[str, str, str] | None:
    """Return the singular, the plural and the owner of what a phrase counts. None if it counts nothing."""
    if phrase is None:
        return None
    head = "the number of "
    if phrase.startswith(head):
        return _with_owner(phrase.removeprefix(head))
    first, blank, rest = phrase.partition(" ")
    if first.endswith("'s"):
        _, several, owner = _with_owner(phrase)
        counted = _counted_by_phrase(several)
        return None if counted is None else (counted[0], several, owner)
    return (f"{first.removesuffix('s')}{blank}{rest}", phrase, "") if first.endswith("s") else None


def _with_owner(several: str) -> tuple[str, str, str]:
    """Return no singular, a plural and its owner: ``P1's cards`` gives ``("", "cards", "P1")``."""
    owner, mark, rest = several.partition("'s ")
    return ("", rest, owner) if mark and " " not in owner else ("", several, "")
