"""Why something is not among the options of a decision. Used by the game, which shows its players the answer.

Whatever was typed is taken for an option that might have been: the alternative that it names, then the values. The
first part that stands against it is named with its place in the ruleset and with what it read. All of it is read as a
seat sees the table: what a reason would have to give away is said to be hidden instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from lusory_dsl import core
from lusory_dsl.diagnostics import did_you_mean
from lusory_dsl.types import BoolType, ComponentType, EnumType, IntType, OptionalType, Type

from .choices import Reason, RulesetFault
from .events import counted, place_label
from .expressions import Reader, Slots, excerpt
from .knowledge import ALL
from .option_words import all_values
from .runtime import Setting, Value, item_type, label_of, name_of
from .view import Hidden, Unknown

LONGEST = 90  # characters of the author's words in a reason
CANDIDATES = 4  # values of which it is said why they can't be chosen, where none can

NEEDED = {"<": "less than {}", "<=": "at most {}", ">": "more than {}", ">=": "at least {}", "=": "{}", "!=": "not {}"}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


def known_to(seat: int, slots: Sequence[Value], levels: Mapping[int, int]) -> Slots:
    """The locals of a routine as a seat knows them: see :func:`lusory.knowledge.known_locals`."""

    def knows(slot: int) -> bool:
        level = levels.get(slot, ALL)
        return level == ALL or (0 <= level < len(slots) and slots[level] == seat)

    return [value if value is None or knows(slot) else Unknown() for slot, value in enumerate(slots)]


def reasons_against(
    reader: Reader, ask: core.Ask | core.AskMany, slots: Slots, wanted: str, ids: Sequence[str]
) -> list[Reason]:
    """Why ``wanted`` is not among the options ``ids``. ``slots``: the locals of the routine that asks."""
    return _Doubt(reader, ask, slots, wanted, ids).reasons()


class _Doubt:
    """One question about one decision."""

    def __init__(
        self, reader: Reader, ask: core.Ask | core.AskMany, slots: Slots, wanted: str, ids: Sequence[str]
    ) -> None:
        self.reader = reader
        self.setting = reader.setting
        self.program = reader.program
        self.ask = ask
        self.slots = slots
        self.wanted = wanted.strip()
        self.ids = ids
        self.words = _folded(self.wanted.partition("#")[0])

    def reasons(self) -> list[Reason]:
        if isinstance(self.ask, core.AskMany):
            return self._against_pick(self.ask)
        named = [(alternative, rest) for alternative in self.ask.alternatives for rest in self._meant(alternative)]
        of_card = [found for found in named if self._is_of_the_card(*found)]
        if all(not rest and alternative.original is not None for alternative, rest in of_card):
            of_card = [one for one in of_card if self._has_copies(*one)]
        found = [reason for one in of_card for reason in self._against_alternative(*one)]
        return found or self._against_card([one for one, _ in named]) or self._elsewhere() or [self._unknown()]

    # ------------------------------------------------------------ which alternative

    def _meant(self, alternative: core.Alternative) -> list[str]:
        """The words behind the name of an alternative, where what was typed begins with it, or with its label."""
        if alternative.name is None:
            return [self.words]
        label = _label_head(alternative) if alternative.original is None else ""
        for name in (_folded(alternative.name), label):
            rest = _behind(name, self.words) if name else None
            if rest is not None:
                return [rest]
        return []

    def _is_of_the_card(self, alternative: core.Alternative, rest: str) -> bool:
        """Whether an alternative is not the action of another card than the one that is named."""
        if alternative.original is None or not rest:
            return True
        found = self._values_in(rest, item_type(alternative.vars[0].domain.type))
        entities = self.program.entities
        return any(entities[value].fields["original"] == alternative.original for value, _ in found)

    def _has_copies(self, alternative: core.Alternative, rest: str) -> bool:
        """Whether a copy of its card is among those whose actions are offered."""
        try:
            return bool(self.reader.value(alternative.vars[0].domain, list(self.slots)))
        except (Hidden, RulesetFault):
            return False

    def _against_card(self, named: Sequence[core.Alternative]) -> list[Reason]:
        """That a card does not have an action which others have."""
        for alternative in named:
            if alternative.original is not None:
                kind = self.program.entities[alternative.original].kind
                found = self._values_in(self._meant(alternative)[0], ComponentType(kind))
                if found:
                    name = self.program.entities[found[0][0]].name
                    return [Reason(f"`{name}` has no action `{alternative.name}`")]
                return [Reason(f"none of these cards has the action `{alternative.name}`", alternative.span)]
        return []

    def _elsewhere(self) -> list[Reason]:
        """That another choice offers what was typed, in another phase or to others."""
        now = {id(alternative) for alternative in getattr(self.ask, "alternatives", ())}
        for site, ask in self.setting.sites.items():
            for alternative in ask.alternatives if isinstance(ask, core.Ask) else ():
                if alternative.name is not None and id(alternative) not in now and self._meant(alternative):
                    phases = [self._phase_title(phase) for phase in self.setting.phases_of.get(site, ())]
                    where = f"; it is a choice of {' or '.join(dict.fromkeys(phases))}" if phases else ""
                    return [Reason(f"`{alternative.name}` is not offered here{where}", alternative.span)]
        return []

    def _phase_title(self, phase: str) -> str:
        label = self.setting.phases[phase][-1].label
        plain = label is not None and all(isinstance(part, str) for part in label.parts)
        return f"“{''.join(map(str, label.parts))}”" if label is not None and plain else f"the phase `{phase}`"

    def _unknown(self) -> Reason:
        hint = did_you_mean(self.wanted, self.ids)
        more = hint or f"there are: {', '.join(self.ids)}"
        return Reason(f"there is no option `{self.wanted}`{': ' if hint else '; '}{more}")

    # ------------------------------------------------------------ against what is meant

    def _against_alternative(self, alternative: core.Alternative, rest: str) -> list[Reason]:
        slots = list(self.slots)
        broken = [reason for condition in alternative.conditions for reason in self._broken(condition, slots)]
        if broken:
            return broken
        for number, var in enumerate(alternative.vars):
            if not rest:
                return self._none_of(alternative, number, slots)
            found = self._find(var.domain, var.slot, var.condition, slots, rest, var.name)
            if isinstance(found, list):
                is_card = number == 0 and alternative.original is not None
                return [self._not_at_hand(alternative, reason) if is_card else reason for reason in found]
            slots[var.slot], rest = found
        if rest and alternative.name is not None:
            return [self._write_it_as(alternative)]
        return []

    def _not_at_hand(self, alternative: core.Alternative, reason: Reason) -> Reason:
        """A reason against a card; in plain words where the card is not among those whose actions are offered."""
        if reason.span != alternative.vars[0].domain.span:
            return reason
        name = self.program.entities[alternative.original or 0].card
        message = f"no `{name}` is among the cards whose `{alternative.name}` is offered here"
        return Reason(message, alternative.span, reason.facts)

    def _write_it_as(self, alternative: core.Alternative) -> Reason:
        names = " ".join([alternative.name or "", *(f"<{var.name}>" for var in alternative.vars)])
        return Reason(f"write it as `{names.strip()}`", alternative.span)

    def _none_of(self, alternative: core.Alternative, number: int, slots: Slots) -> list[Reason]:
        """That there is nothing to choose for a variable, and why; else how an option is written."""
        var = alternative.vars[number]
        try:
            values = list(self.reader.value(var.domain, slots))
            fits = [value for value in values if self._fits(var, value, slots)]
        except (Hidden, RulesetFault):
            return []
        if fits:
            return [self._write_it_as(alternative)] if alternative.name is not None else []
        listed = [(value, var.condition, var.slot) for value in values]
        if not values:
            listed = list(self._left_out(var.domain, slots))
        told = []
        for value, condition, slot in listed[:CANDIDATES]:
            slots[slot] = value
            reasons = [] if condition is None else self._broken(condition, slots)
            said = [reason.message if not reason.facts else "; ".join(reason.facts) for reason in reasons]
            if said:
                told.append(f"{self._label(value, item_type(var.domain.type))}: {'; '.join(said)}")
        message = f"there is nothing to choose for `{var.name}`"
        return [Reason(message, var.domain.span, tuple(told or [f"`{_words(var.domain)}` is empty"]))]

    def _fits(self, var: core.ChoiceVar, value: Value, slots: Slots) -> bool:
        slots[var.slot] = value
        return self.reader.holds(var.condition, slots)

    def _left_out(self, domain: core.Expr, slots: Slots) -> Iterator[tuple[Value, core.Expr | None, int]]:
        """The values that a selection leaves out, each with the condition that it does not meet."""
        if isinstance(domain, core.Filter) and isinstance(domain.source, core.ReadZone | core.Const | core.Players):
            for value in self.reader.value(domain.source, slots):
                yield value, domain.condition, domain.slot
        elif isinstance(domain, core.CallQuery):
            inner = self._inside(domain, slots)
            if inner is not None and isinstance(inner[0], core.Filter) and inner[0].slot < len(slots):
                self_slots = list(inner[1])
                for value, condition, slot in self._left_out(inner[0], self_slots):
                    slots[:] = self_slots
                    yield value, condition, slot

    def _against_pick(self, ask: core.AskMany) -> list[Reason]:
        slots = list(self.slots)
        if self.words == "done":
            return [Reason(f"at least {self.reader.value(ask.low, slots)} are to be picked", ask.low.span)]
        found = self._find(ask.source, ask.item_slot, ask.condition, slots, self.words, ask.name)
        if isinstance(found, list):
            return found
        return [Reason(f"`{self.wanted}` cannot be picked any more; there are: {', '.join(self.ids)}", ask.span)]

    # ------------------------------------------------------------ values

    def _find(
        self, domain: core.Expr, slot: int, condition: core.Expr | None, slots: Slots, rest: str, name: str
    ) -> tuple[Value, str] | list[Reason]:
        """The value that words begin with, and what stands behind it; or why it is not to be had."""
        type = item_type(domain.type)
        meant = self._values_in(rest, type)
        if not meant:
            word = rest.split(" ")[0]
            every = [name_of(self.setting, value, type) for value in all_values(self.setting, type)]
            hint = did_you_mean(word, every) or self._among(domain, type, slots)
            return [Reason(f"`{word}` is no {name}: {hint}", domain.span)]
        try:
            values = self.reader.value(domain, slots)
            base = (*values, *self._base(domain, slots))
            found = next((one for one in meant if one[0] in values), None)
            found = found or next((one for one in meant if one[0] in base), meant[0])
            value = found[0]
            is_there = value in values
        except (Hidden, RulesetFault):
            return [_hidden(domain)]
        if not is_there:
            why = self._absence(domain, value, slots)
            return why or [Reason(f"`{self._name(value, type)}` is not in `{_words(domain)}`", domain.span)]
        slots[slot] = value
        return self._broken(condition, slots) if condition is not None and self._fails(condition, slots) else found

    def _fails(self, condition: core.Expr, slots: Slots) -> bool:
        return self._truth(condition, slots) is not True

    def _among(self, domain: core.Expr, type: Type, slots: Slots) -> str:
        try:
            names = [self._name(value, type) for value in self.reader.value(domain, slots)]
        except (Hidden, RulesetFault):
            return "it is hidden what can be chosen"
        return f"it is one of: {', '.join(names)}"

    def _base(self, domain: core.Expr, slots: Slots) -> tuple[Value, ...]:
        """The list of which a domain selects some, where that is what it does."""
        match domain:
            case core.Filter(source=source):
                values: tuple[Value, ...] = self.reader.value(source, slots)
                return (*values, *self._base(source, slots))
            case core.CallQuery():
                inner = self._inside(domain, slots)
                return () if inner is None else self._base(*inner)
        return ()

    def _values_in(self, words: str, type: Type) -> list[tuple[Value, str]]:
        """The values of a type that words begin with, by name or label, the longest; each with the words behind.

        Copies of a card go by the same label: the one that is named is the first."""
        base = type.item if isinstance(type, OptionalType) else type
        first, _, rest = words.partition(" ")
        if isinstance(base, IntType) and first.lstrip("-").isdecimal():
            return [(int(first), rest)]
        found: list[tuple[Value, str]] = []
        for said in (name_of, label_of, _plural_of):
            for value in all_values(self.setting, type):
                behind = _behind(_folded(said(self.setting, value, type)), words)
                if behind is not None:
                    found.append((value, behind))
        shortest = min((len(behind) for _, behind in found), default=0)
        return [one for one in found if len(one[1]) == shortest]

    def _name(self, value: Value, type: Type) -> str:
        return "?" if isinstance(value, Unknown) else name_of(self.setting, value, type)

    # ------------------------------------------------------------ conditions

    def _truth(self, condition: core.Expr, slots: Slots) -> bool | None:
        """Whether a condition holds; None: that is hidden, or can't be asked here."""
        try:
            return self.reader.holds(condition, slots)
        except (Hidden, RulesetFault):
            return None

    def _broken(self, condition: core.Expr, slots: Slots) -> list[Reason]:
        """The part of a condition that does not hold: of a chain of ``and`` the first one that is known to be false; of
        a query its own part, or the rule that changes it."""
        parts = list(_conjuncts(condition))
        for part in parts:
            if self._truth(part, slots) is False:
                return self._broken_part(part, slots)
        return [_hidden(part) for part in parts if self._truth(part, slots) is None][:1]

    def _broken_part(self, part: core.Expr, slots: Slots) -> list[Reason]:
        if isinstance(part, core.CallQuery):
            rule = self._rule_against(part, slots)
            if rule is not None:
                message = f"`{_words(part)}` does not hold: the rule `{rule.rule}` says so"
                return [Reason(message, rule.span)]
            inner = self._inside(part, slots)
            if inner is not None and isinstance(inner[0], core.Binary) and inner[0].op == "and":
                return self._broken(*inner)
        if isinstance(part, core.Binary) and _is_cost(part):
            return [Reason(f"the cost `{_words(part)}` can't be paid", part.span, tuple(self._cost_facts(part, slots)))]
        facts = tuple(dict.fromkeys(self._facts(part, slots, True)))
        return [Reason(f"`{_words(part)}` does not hold", part.span, facts)]

    def _rule_against(self, call: core.CallQuery, slots: Slots) -> core.Modifier | None:
        """The rule that made a query false which would hold without it."""
        query = self.program.queries[call.query]
        args = [self.reader.value(arg, slots) for arg in call.args]
        value = self.reader.value(query.value, args + [None] * (query.n_slots - len(args)))
        against = None
        for modifier in query.modifiers:
            inner = args + [None] * (modifier.n_slots - len(args))
            for this in modifier.copies or (None,):
                inner[modifier.it_slot] = value
                if this is not None:
                    inner[modifier.this_slot] = this
                if self.reader.holds(modifier.condition, inner):
                    before, value = value, self.reader.value(modifier.value, inner)
                    against = (modifier if before else against) if not value else None
        return against

    def _inside(self, call: core.CallQuery, slots: Slots) -> tuple[core.Expr, Slots] | None:
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
                if place in self.program.pools and held.lstrip("-").isdecimal():
                    held = f"{held} {counted(self.setting, place, at[-1], int(held))}"
                yield f"{place_label(self.setting, place, at)}: {held}, needs at least {needed}"
            case _:
                yield f"there are {self._said(part.left, slots)}, needs at least {needed}"

    def _facts(self, expr: core.Expr, slots: Slots, wanted: bool) -> Iterator[str]:
        """What a condition read, each with what it would have to be so that the condition comes out as ``wanted``."""
        match expr:
            case core.Unary(op="not", operand=operand):
                yield from self._facts(operand, slots, not wanted)
            case core.Binary(op="and" | "or", left=left, right=right):
                for part in (left, right):
                    if self._truth(part, slots) is not wanted:
                        yield from self._facts(part, slots, wanted)
            case core.Binary(op=op, left=left, right=right) if op in NEEDED:
                yield from self._compared(op if wanted else OPPOSITE[op], left, right, slots)
            case core.Binary(op="in", left=left, right=right):
                one = "one of" if wanted else "none of"
                yield f"{self._named(left, slots)}, needs {one}: {self._said(right, slots)}"
            case core.Fold(kind="any" | "all" as kind):
                yield from self._folded_facts(expr, kind, slots, wanted)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                truth = self._truth(condition, slots)
                if truth is not None:
                    yield f"`{_words(condition)}` {'holds' if truth else 'does not hold'}"
                    yield from self._facts(then if truth else otherwise, slots, wanted)
            case core.CallQuery():
                try:
                    inner = self._inside(expr, slots)
                except (Hidden, RulesetFault):
                    inner = None
                if inner is not None:
                    yield from self._facts(*inner, wanted)
            case core.LiesIn(component=component):
                yield from self._whereabouts(component, slots)
            case core.ReadCell() if isinstance(expr.type, BoolType):
                yield f"{self._named(expr, slots)}, needs to be {'yes' if wanted else 'no'}"

    def _folded_facts(self, fold: core.Fold, kind: str, slots: Slots, wanted: bool) -> Iterator[str]:
        """Of a condition about all or some items: those that stand against it."""
        try:
            items = list(self.reader.items(fold.slot, fold.source, fold.condition, slots))
        except (Hidden, RulesetFault):
            return
        if not items:
            yield f"`{_words(fold.source)}` is empty"
        told = 0
        for item in items:
            slots[fold.slot] = item
            if self._truth(fold.body, slots) is not wanted and told < CANDIDATES:
                told += 1
                said = "; ".join(self._facts(fold.body, slots, wanted)) or f"`{_words(fold.body)}`"
                yield f"{self._label(item, item_type(fold.source.type))}: {said}"

    def _compared(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> Iterator[str]:
        """One side of a comparison as it is, the other as what it needs to be."""
        if isinstance(left, core.Const | core.OptionValue) and not isinstance(right, core.Const | core.OptionValue):
            left, right, op = right, left, MIRRORED[op]
        is_size = isinstance(left, core.PoolTotal) or (isinstance(left, core.CallBuiltin) and left.name == "count")
        if is_size and isinstance(right, core.Const) and right.value == 0:
            yield f"`{_words(left)}` {'is empty' if op in ('!=', '>') else f'holds {self._said(left, slots)}'}"
            return
        source = "" if isinstance(right, core.Const) else f" (`{_words(right)}`)"
        yield f"{self._named(left, slots)}, needs {NEEDED[op].format(self._said(right, slots))}{source}"

    def _whereabouts(self, component: core.Expr, slots: Slots) -> Iterator[str]:
        try:
            found = self.reader.lies_at(component, slots)
            said = self.reader.shown(component, slots)
        except (Hidden, RulesetFault):
            return
        where = "nowhere" if found is None else f"in {place_label(self.setting, *found)}"
        yield f"{said} lies {where}"

    def _named(self, expr: core.Expr, slots: Slots) -> str:
        return f"`{_words(expr)}` is {self._said(expr, slots)}"

    def _said(self, expr: core.Expr, slots: Slots) -> str:
        """A value as a person reads it, if the seat may know it."""
        try:
            value = self.reader.value(expr, slots)
            return "empty" if value == () else self._label(value, expr.type)
        except Hidden:
            return "hidden from you"
        except RulesetFault:
            return "none"

    def _label(self, value: Value, type: Type) -> str:
        return self.reader.label(value, type)

    # ------------------------------------------------------------ absence

    def _absence(self, domain: core.Expr, value: Value, slots: Slots) -> list[Reason]:
        """Why a value is not in a list, as far as the list's own making tells."""
        type = item_type(domain.type)
        try:
            match domain:
                case core.CallQuery():
                    inner = self._inside(domain, slots)
                    return [] if inner is None else self._absence(inner[0], value, inner[1])
                case core.Filter(source=source, condition=condition, slot=slot):
                    if value not in self.reader.value(source, slots):
                        return self._absence(source, value, slots)
                    slots[slot] = value
                    return self._broken(condition, slots)
                case core.Binary(op="except", left=left, right=right):
                    if value in self.reader.value(left, slots):
                        return [Reason(f"it is excepted by `{_words(right)}`", right.span)]
                    return self._absence(left, value, slots)
                case core.Range(low=low, high=high):
                    bound, needs = (low, "at least") if value < self.reader.value(low, slots) else (high, "at most")
                    fact = "" if isinstance(bound, core.Const) else f" (`{_words(bound)}`)"
                    facts = (f"{needs} {self._said(bound, slots)}{fact} can be chosen",)
                    return [Reason(f"`{value}` is not in `{_words(domain)}`", domain.span, facts)]
                case core.PoolKinds(zone=name, indices=indices):
                    at = tuple(self.reader.present(index, slots) for index in indices)
                    fact = f"{place_label(self.setting, name, at)}: no {self._label(value, type)} is there"
                    return [Reason(f"`{self._name(value, type)}` is not in `{_words(domain)}`", domain.span, (fact,))]
                case core.ReadZone():
                    message = f"`{self._name(value, type)}` is not in `{_words(domain)}`"
                    card = core.Const(type, domain.span, value)
                    return [Reason(message, domain.span, tuple(self._whereabouts(card, slots)))]
                case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                    return self._absence(then if self.reader.holds(condition, slots) else otherwise, value, slots)
        except (Hidden, RulesetFault):
            return [_hidden(domain)]
        return []


# ---------------------------------------------------------------- help


def _plural_of(setting: Setting, value: Value, type: Type) -> str:
    """What several of an enum's value are called; the label where there is no other word."""
    base = type.item if isinstance(type, OptionalType) else type
    plural = None
    if isinstance(base, EnumType) and value is not None:
        plural = setting.program.enums[base.name].values[value].plural
    return plural or label_of(setting, value, type)


def _hidden(expr: core.Expr) -> Reason:
    return Reason(f"`{_words(expr)}` depends on what you can't see", expr.span)


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


def _words(expr: core.Expr) -> str:
    """The author's words for an expression."""
    words = excerpt(expr.span)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"


def _folded(text: str) -> str:
    """Words as they are compared."""
    return " ".join(text.replace("_", " ").casefold().split())


def _behind(head: str, words: str) -> str | None:
    """What stands behind the words that a text begins with; None where it begins with others."""
    if words == head:
        return ""
    return words[len(head) + 1 :] if words.startswith(f"{head} ") else None


def _label_head(alternative: core.Alternative) -> str:
    """The plain words that the label of an alternative begins with."""
    first = next(islice(alternative.label.parts, 1), "") if alternative.label is not None else ""
    return _folded(first) if isinstance(first, str) else ""
