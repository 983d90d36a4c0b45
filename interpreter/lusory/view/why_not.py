"""Explain why an input is not among the options of a decision.

The input is matched with an alternative first, then with values. The explanation names the first part that fails, with
its place in the ruleset and the values that it read. Everything is read as a seat sees the table. If a reason would
reveal something hidden, the explanation says only that it is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, islice

from lusory_dsl import core
from lusory_dsl.source.diagnostics import did_you_mean, nearest
from lusory_dsl.types.types import ComponentType, EnumType, IntType, OptionalType, Type, is_whole

from ..evaluator.expressions import Reader, Slots
from ..state.decision import Reason, RulesetFault
from ..state.setting import Setting, Value, fixed_text, item_type, label_of, name_of
from .reasons import FEW, Explainer, beside_board
from .text import all_values, plain_words
from .visibility import Hidden, Unknown

MOST_NAMES = 12
"""The largest number of possible values that a reason lists for players."""


def reasons_against(
    reader: Reader,
    ask: core.Ask | core.AskMany,
    slots: Slots,
    wanted: str,
    ids: Sequence[str],
    plainly: bool = False,
    phase: str | None = None,
) -> list[Reason]:
    """Explain why ``wanted`` is not among the options.

    Args:
        reader: Reads the table as the seat sees it.
        ask: The choice.
        slots: The local values of the routine that asks.
        wanted: The input.
        ids: The ids of the options.
        plainly: Whether to use words for players instead of rule code.
        phase: The id of the running phase.
    """
    try:
        return _WhyNot(reader, ask, slots, wanted, ids, plainly, phase).reasons()
    except (Hidden, RulesetFault):
        return [Reason(f"what speaks against `{wanted}` can't be told from what you see", ask.span)]


class _WhyNot(Explainer):
    """Explain one input for one decision."""

    def __init__(
        self,
        reader: Reader,
        ask: core.Ask | core.AskMany,
        slots: Slots,
        wanted: str,
        ids: Sequence[str],
        plainly: bool,
        phase: str | None,
    ) -> None:
        super().__init__(reader, plainly)
        self.phase = phase
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
            of_card = [one for one in of_card if self._has_copies(one[0])]
        found = [reason for one in of_card if self._can_be_meant(*one) for reason in self._against_alternative(*one)]
        return found or self._against_card([one for one, _ in named]) or self._elsewhere() or [self._unknown()]

    # ------------------------------------------------------------ matching alternatives

    def _meant(self, alternative: core.Alternative) -> list[str]:
        """Return the words after the name or label of an alternative.

        The list is empty if the input doesn't begin with either.
        """
        if alternative.name is None:
            return [self.words]
        label = _label_head(alternative) if alternative.original is None else ""
        for name in (_folded(alternative.name), label):
            rest = _behind(name, self.words) if name else None
            if rest is not None:
                return [rest]
        return []

    def _can_be_meant(self, alternative: core.Alternative, rest: str) -> bool:
        """Return whether a player's input can mean an alternative: one without a name needs a value named in it."""
        if alternative.name is not None or not self.plainly or not rest:
            return True
        return any(self._meant_values(var.domain, self.slots, rest) for var in alternative.vars)

    def _is_of_the_card(self, alternative: core.Alternative, rest: str) -> bool:
        """Return whether an alternative is not the action of a card other than the one that the input names."""
        if alternative.original is None or not rest:
            return True
        found = self._values_in(rest, item_type(alternative.vars[0].domain.type))
        entities = self.program.entities
        return any(entities[value].fields["original"] == alternative.original for value, _ in found)

    def _has_copies(self, alternative: core.Alternative) -> bool:
        """Return whether a copy of the alternative's card is among those whose actions are offered."""
        try:
            return bool(self.reader.value(alternative.vars[0].domain, list(self.slots)))
        except (Hidden, RulesetFault):
            return False

    def _against_card(self, named: Sequence[core.Alternative]) -> list[Reason]:
        """Return the reason that a card lacks an action that others have."""
        for alternative in named:
            if alternative.original is not None:
                kind = self.program.entities[alternative.original].kind
                found = self._values_in(self._meant(alternative)[0], ComponentType(kind))
                if found:
                    name = self.program.entities[found[0][0]].name
                    return [Reason(f"{self.code(name)} has no action {self.code(str(alternative.name))}")]
                return [
                    Reason(f"none of these cards has the action {self.code(str(alternative.name))}", alternative.span)
                ]
        return []

    def _elsewhere(self) -> list[Reason]:
        """Return the reason that another choice offers the input.

        It comes later in this phase, in another phase, or for another seat.
        """
        now = {id(alternative) for alternative in getattr(self.ask, "alternatives", ())}
        found = [
            (ask, alternative, *self.setting.asked_in.get(site, (None, ())))
            for site, ask in self.setting.sites.items()
            for alternative in (ask.alternatives if isinstance(ask, core.Ask) else ())
            if alternative.name is not None and id(alternative) not in now and self._meant(alternative)
        ]
        if not found:
            return []
        around = [one for one in found if self.phase in one[3] and self._leads_here(one[0])]
        _, alternative, effect, phases = around[0] if around else found[0]
        if self.plainly and around:
            return [Reason("this question comes first: answer it, or take back what led to it", alternative.span)]
        titles = " or ".join(dict.fromkeys(map(self._phase_title, phases)))
        if self.plainly:
            return [Reason(f"that is not for now, but for {titles or 'another moment'}", alternative.span)]
        where = f"{self.code(effect)}, in {titles}" if effect is not None else titles
        said = f"{self.code(str(alternative.name))} is not offered here"
        return [Reason(f"{said}; it is a choice of {where}" if where else said, alternative.span)]

    def _leads_here(self, ask: core.Ask | core.AskMany) -> bool:
        """Return whether the current choice can be part of an option of another choice."""
        seen: set[str] = set()
        todo: list[tuple[core.Stmt, ...]] = list(core.blocks(ask))
        while todo:
            for stmt in core.statements_in(todo.pop()):
                if stmt is self.ask:
                    return True
                if isinstance(stmt, core.CallEffect) and stmt.effect not in seen:
                    seen.add(stmt.effect)
                    todo += core.bodies_of(self.program.effects[stmt.effect])
        return False

    def _phase_title(self, phase: str) -> str:
        label = fixed_text(self.setting.phases[phase][-1].label)
        return f"“{label}”" if label else f"the phase {self.code(phase)}"

    def _unknown(self) -> Reason:
        if self.plainly:
            near = nearest(self.wanted, self._labels())
            suggested = f"; did you mean “{near}”?" if near else ""
            return Reason(f"there is no option “{self.wanted}” now{suggested}", self.ask.span)
        hint = did_you_mean(self.wanted, self.ids)
        more = hint or f"there are: {', '.join(self.ids)}"
        return Reason(f"there is no option `{self.wanted}`{': ' if hint else '; '}{more}")

    # ------------------------------------------------------------ reasons against an alternative

    def _against_alternative(self, alternative: core.Alternative, rest: str) -> list[Reason]:
        slots = list(self.slots)
        broken = [reason for condition in alternative.conditions for reason in self.broken(condition, slots)]
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
        """Return a reason against a card.

        If the card is not among those whose actions are offered, the reason says so plainly.
        """
        if reason.span != alternative.vars[0].domain.span:
            return reason
        name = self.program.entities[alternative.original or 0].card
        message = f"no {self.code(name)} is among the cards whose {self.code(str(alternative.name))} is offered here"
        return Reason(message, alternative.span, reason.facts)

    def _write_it_as(self, alternative: core.Alternative) -> Reason:
        names = " ".join([alternative.name or "", *(f"<{var.name}>" for var in alternative.vars)])
        if self.plainly:
            return Reason("say all of it: which option with which values", alternative.span)
        return Reason(f"write it as `{names.strip()}`", alternative.span)

    def _none_of(self, alternative: core.Alternative, number: int, slots: Slots) -> list[Reason]:
        """Explain why no value can be chosen for a variable. If there are some, show how to write the option."""
        var = alternative.vars[number]
        values = self.reader.value(var.domain, slots)
        if any(self._fits(var, value, slots) for value in values):
            return [self._write_it_as(alternative)] if alternative.name is not None else []
        told = []
        tried = [(value, var.condition, var.slot, slots) for value in values] or self._left_out(var.domain, slots)
        for value, condition, slot, inner in tried[:FEW]:
            inner[slot] = value
            reasons = [] if condition is None else self.broken(condition, inner)
            said = "; ".join("; ".join(reason.facts) or reason.message for reason in reasons)
            if said:
                told.append(f"{self.label(value, item_type(var.domain.type))}: {said}")
        message = f"there is nothing to choose for {self.code(var.name)}"
        if self.plainly:
            type = item_type(var.domain.type)
            message = f"there is no {type if isinstance(type, ComponentType | EnumType) else 'number'} to choose"
        return [Reason(message, var.domain.span, tuple(told or [f"{self.quoted(var.domain, slots)} is empty"]))]

    def _fits(self, var: core.ChoiceVar, value: Value, slots: Slots) -> bool:
        slots[var.slot] = value
        return self.reader.holds(var.condition, slots)

    def _left_out(self, domain: core.Expr, slots: Slots) -> list[tuple[Value, core.Expr, int, Slots]]:
        """Return the values that a filter leaves out.

        Each comes with the failed condition, the slot of the item, and the locals.
        """
        match domain:
            case core.Filter(source=source, condition=condition, slot=slot):
                return [(value, condition, slot, slots) for value in self.reader.value(source, slots)]
            case core.CallQuery():
                inner = self.inside(domain, slots)
                return [] if inner is None else self._left_out(*inner)
        return []

    def _against_pick(self, ask: core.AskMany) -> list[Reason]:
        slots = list(self.slots)
        if self.words == "done":
            try:
                candidates = sum(1 for _ in self.reader.items(ask.item_slot, ask.source, ask.condition, slots))
                least = min(self.reader.present(ask.low, slots), candidates)
            except (Hidden, RulesetFault):
                return [self.hidden(ask.source)]
            return [Reason(f"at least {least} are to be picked", ask.low.span)]
        found = self._find(ask.source, ask.item_slot, ask.condition, slots, self.words, ask.name)
        if isinstance(found, list):
            return found
        if self.plainly:
            return [Reason(f"“{self.wanted}” can't be picked any more", ask.span)]
        return [
            Reason(f"{self.code(self.wanted)} cannot be picked any more; there are: {', '.join(self.ids)}", ask.span)
        ]

    # ------------------------------------------------------------ values

    def _find(
        self, domain: core.Expr, slot: int, condition: core.Expr | None, slots: Slots, rest: str, name: str
    ) -> tuple[Value, str] | list[Reason]:
        """Return the value that the words name, and the remaining words. If it can't be chosen, return the reasons."""
        type = item_type(domain.type)
        meant = self._meant_values(domain, slots, rest)
        if not meant:
            return [self._none_called(rest.split(" ")[0], domain, type, slots, name)]
        try:
            values = self.reader.value(domain, slots)
            base = (*values, *self._base(domain, slots))
            found = next((one for one in meant if one[0] in values), None)
            found = found or next((one for one in meant if one[0] in base), meant[0])
            value = found[0]
            is_there = value in values
        except (Hidden, RulesetFault):
            return [self.hidden(domain)]
        if not is_there:
            why = self.absence(domain, value, slots)
            message = f"{self.one(value, type)} is not in {self.quoted(domain, slots)}"
            if self.plainly and plain_words(self.reader, domain, slots) is None:
                message = f"{self.one(value, type)} can't be chosen here: {self._among(domain, type, slots)}"
            return why or [Reason(message, domain.span)]
        slots[slot] = value
        return self.broken(condition, slots) if condition is not None and self._fails(condition, slots) else found

    def _none_called(self, word: str, domain: core.Expr, type: Type, slots: Slots, name: str) -> Reason:
        """Return the reason that a word names no value. It lists similar or possible values."""
        outside = beside_board(self.program.boards, word, type)
        if self.plainly:
            base = type.item if isinstance(type, OptionalType) else type
            kind = str(base) if isinstance(base, ComponentType | EnumType) else "option here"
            near = nearest(word, (label_of(self.setting, value, type) for value in all_values(self.setting, type)))
            hint = f"did you mean “{near}”?" if near else self._among(domain, type, slots)
            return Reason(f"{outside or f'“{word}” is no {kind}'}: {hint}", domain.span)
        every = [name_of(self.setting, value, type) for value in all_values(self.setting, type)]
        hint = did_you_mean(word, every) or self._among(domain, type, slots)
        return Reason(f"{outside or f'{self.code(word)} is no {name}'}: {hint}", domain.span)

    def _meant_values(self, domain: core.Expr, slots: Slots, words: str) -> list[tuple[Value, str]]:
        """Return the values that the words begin with, each with the other words.

        For players, whose words may have any order, a value may also begin at a later word.
        """
        type, split = item_type(domain.type), words.split(" ")
        for at in range(len(split) if self.plainly else 1):
            here = " ".join(split[at:])
            if found := self._values_in(here, type) or self._shortened(here, domain, slots):
                return [(value, " ".join([*split[:at], behind]).strip()) for value, behind in found]
        return []

    def _labels(self) -> list[str]:
        """Return the labels of the values that alternatives without a name offer. Empty if they are secret."""
        asked = self.ask.alternatives if isinstance(self.ask, core.Ask) else ()
        domains = [one.vars[0].domain for one in asked if one.name is None and one.vars]
        try:
            return [
                self._called(value, item_type(one.type))
                for one in domains
                for value in self.reader.value(one, list(self.slots))
            ]
        except (Hidden, RulesetFault):
            return []

    def _called(self, value: Value, type: Type) -> str:
        """Return the name of a value for authors, or its label for players."""
        return self.label(value, type) if self.plainly and not isinstance(value, Unknown) else self.name(value, type)

    def _fails(self, condition: core.Expr, slots: Slots) -> bool:
        return self.truth(condition, slots) is not True

    def _among(self, domain: core.Expr, type: Type, slots: Slots) -> str:
        try:
            names = list(dict.fromkeys(self._called(value, type) for value in self.reader.value(domain, slots)))
        except (Hidden, RulesetFault):
            return "it is hidden what can be chosen"
        if self.plainly and len(names) > MOST_NAMES:
            names[MOST_NAMES - 1 :] = [f"and {len(names) - MOST_NAMES + 1} more"]
        return f"it is one of: {', '.join(names)}"

    def _base(self, domain: core.Expr, slots: Slots) -> tuple[Value, ...]:
        """Return the lists from which a domain filters its values. Empty if it is no filter."""
        match domain:
            case core.Filter(source=source):
                values: tuple[Value, ...] = self.reader.value(source, slots)
                return (*values, *self._base(source, slots))
            case core.CallQuery():
                inner = self.inside(domain, slots)
                return () if inner is None else self._base(*inner)
        return ()

    def _values_in(self, words: str, type: Type) -> list[tuple[Value, str]]:
        """Return the values of a type whose name or label the words begin with, each with the words after it.

        Only the longest matches count. Copies of a card have the same label, and the first copy is meant.
        """
        base = type.item if isinstance(type, OptionalType) else type
        first, _, rest = words.partition(" ")
        if isinstance(base, IntType) and is_whole(first):
            return [(int(first), rest)]
        found: list[tuple[Value, str]] = []
        for said in (name_of, label_of, _plural_of):
            for value in all_values(self.setting, type):
                behind = _behind(_folded(said(self.setting, value, type)), words)
                if behind is not None:
                    found.append((value, behind))
        shortest = min((len(behind) for _, behind in found), default=0)
        return [one for one in found if len(one[1]) == shortest]

    def _shortened(self, words: str, domain: core.Expr, slots: Slots) -> list[tuple[Value, str]]:
        """Return the values that a word abbreviates, if all have the same label. Otherwise the list is empty.

        Values that can be chosen, or that a filter leaves out, take precedence over other values of the type.
        """
        type = item_type(domain.type)
        try:
            at_hand = [*self.reader.value(domain, slots), *self._base(domain, slots)]
        except (Hidden, RulesetFault):
            at_hand = []
        for values in ([v for v in at_hand if not isinstance(v, Unknown)], all_values(self.setting, type)):
            found = [
                (value, behind) for value in values if (behind := self._behind_short(value, type, words)) is not None
            ]
            if len({label_of(self.setting, value, type) for value, _ in found}) == 1:
                return found
        return []

    def _behind_short(self, value: Value, type: Type, words: str) -> str | None:
        """Return the words after those that abbreviate words of a value's label. None if the first word doesn't."""
        known = _folded(label_of(self.setting, value, type)).split(" ")
        typed = words.split(" ")
        rest = list(dropwhile(lambda word: any(part.startswith(word) for part in known), typed))
        return None if len(rest) == len(typed) else " ".join(rest)


# ---------------------------------------------------------------- helpers


def _plural_of(setting: Setting, value: Value, type: Type) -> str:
    """Return the plural of an enum value, or its label if it has no plural."""
    base = type.item if isinstance(type, OptionalType) else type
    plural = None
    if isinstance(base, EnumType) and value is not None:
        plural = setting.program.enums[base.name].values[value].plural
    return plural or label_of(setting, value, type)


def _folded(text: str) -> str:
    """Return words in the form in which they are compared: lower case, with single spaces."""
    return " ".join(text.replace("_", " ").casefold().split())


def _behind(head: str, words: str) -> str | None:
    """Return the words after ``head``, or None if the words begin differently."""
    if words == head:
        return ""
    return words[len(head) + 1 :] if words.startswith(f"{head} ") else None


def _label_head(alternative: core.Alternative) -> str:
    """Return the fixed words at the start of an alternative's label."""
    first = next(islice(alternative.label.parts, 1), "") if alternative.label is not None else ""
    return _folded(first) if isinstance(first, str) else ""
