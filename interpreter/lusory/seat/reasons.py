"""What stands against a condition or a value: the part that fails, where it stands, and what it read.

Read through a :class:`~lusory.reading.reader.Reader`; with that of a seat, what the seat may not know is never told.
Used by the answers to "why not" and by the trace.
"""

from __future__ import annotations

from collections.abc import Iterator

from lusory_dsl import core
from lusory_dsl.language.types import BoolType, Type, is_whole
from lusory_dsl.text.spelling import humanised

from ..reading.reader import Reader, Slots, excerpt
from ..table.choices import Reason, RulesetFault
from ..table.events import counted, place_label
from ..table.setting import Value, item_type, name_of
from .nothing import Nothing
from .plain_words import plain_words
from .sight import Hidden, Unknown

LONGEST = 90  # characters of the author's words in a reason
FEW = 4  # items of which it is said why they stand against a condition

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
"""What no decision changes."""
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


class Explainer:
    """Finds out about conditions and lists on one position. ``slots`` are the locals that an expression reads.
    ``plainly``: in words for players, without the author's."""

    def __init__(self, reader: Reader, plainly: bool = False) -> None:
        self.reader = reader
        self.plainly = plainly
        self.setting = reader.setting
        self.program = reader.program
        self.nothing = Nothing(reader, self.inside)

    def quoted(self, expr: core.Expr, slots: Slots) -> str:
        """An expression in the author's words, or in a player's."""
        return plain_words(self.reader, expr, slots) or "that" if self.plainly else f"`{words_of(expr)}`"

    def has_words(self, expr: core.Expr, slots: Slots) -> bool:
        """Whether an expression can be told to whoever is told: anything to authors."""
        return not self.plainly or plain_words(self.reader, expr, slots) is not None

    def code(self, name: str) -> str:
        """A name in the rules, or as players read it."""
        return humanised(name) if self.plainly else f"`{name}`"

    def one(self, value: Value, type: Type) -> str:
        """A value by the name that authors write, or by its label."""
        return self.label(value, type) if self.plainly else f"`{self.name(value, type)}`"

    def hidden(self, expr: core.Expr) -> Reason:
        """That a seat may not know why."""
        what = "that" if self.plainly else f"`{words_of(expr)}`"
        return Reason(f"{what} depends on what you can't see", expr.span)

    def truth(self, condition: core.Expr, slots: Slots) -> bool | None:
        """Whether a condition holds; None: that is hidden, or can't be asked here."""
        try:
            return self.reader.holds(condition, slots)
        except (Hidden, RulesetFault):
            return None

    def broken(self, condition: core.Expr, slots: Slots) -> list[Reason]:
        """The part of a condition that does not hold: of a chain of ``and`` the first one that is known to be false; of
        a query its own part, or the rule that changes it."""
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
        """The rule that made a query false which would hold without it."""
        query = self.program.queries[call.query]
        against, held = None, False
        for rule, _, value in self.reader.stages(query, [self.reader.value(arg, slots) for arg in call.args]):
            against = rule if held and not value else against
            held = bool(value)
        return against

    def inside(self, call: core.CallQuery, slots: Slots) -> tuple[core.Expr, Slots] | None:
        """The expression of a query and its locals; None where rules change its value."""
        query = self.program.queries[call.query]
        if query.modifiers:
            return None
        args = [self.reader.value(arg, slots) for arg in call.args]
        return query.value, args + [None] * (query.n_slots - len(args))

    # ------------------------------------------------------------ what was read

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
        """What a condition read, each with what it would have to be so that the condition comes out as ``wanted``."""
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
        """Of a condition about all or some items: those that stand against it."""
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
        """One side of a comparison as it is, the other as what it needs to be."""
        if isinstance(left, FIXED) and not isinstance(right, FIXED):  # what may change is told of
            left, right, op = right, left, MIRRORED[op]
        is_size = isinstance(left, core.PoolTotal) or (isinstance(left, core.CallBuiltin) and left.name == "count")
        if is_size and isinstance(right, core.Const) and right.value == 0:
            size = "is empty" if op in ("!=", ">") else f"holds {self._said(left, slots)}"
            yield f"{self.quoted(left, slots)} {size}"
            return
        edges = [why for side in (left, right) for why in self.nothing.reasons(side, slots)]
        if edges and op == "!=":  # that it is none, and needs to be something, is said by why it is none
            yield from edges
            return
        is_shown = not isinstance(right, core.Const) and self.has_words(right, slots)
        source = f" ({self.quoted(right, slots)})" if is_shown else ""
        yield f"{self._named(left, slots)}, needs {NEEDED[op].format(self._said(right, slots))}{source}"
        yield from edges

    def _switched(self, read: core.ReadCell, slots: Slots, wanted: bool) -> str:
        """A variable that is yes or no as it is, and that it needs to be the other; to players, what it stands for."""
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
        """A value as a person reads it, if the seat may know it."""
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
        """Why a value is not in a list, as far as the list's own making tells."""
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


# ---------------------------------------------------------------- help


def _conjuncts(condition: core.Expr) -> Iterator[core.Expr]:
    """The parts of a chain of ``and``, from left to right."""
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _is_cost(part: core.Binary) -> bool:
    """Whether a condition is what a cost demands: it stands where the statement of the cost does."""
    return part.op == ">=" and part.left.span == part.span


def words_of(expr: core.Expr) -> str:
    """The author's words for an expression."""
    words = excerpt(expr.span)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"
