"""Explain why an input of a player is not among the options of a decision.

The input is matched with an alternative first, then with values. The explanation says what the first part that fails
lacks, with its place in the ruleset. Everything is read as a seat sees the table. If a reason would reveal something
hidden, the explanation says only that it is hidden. :mod:`lusory.explain.reasons_for_failed_conditions` explains the
conditions themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import dropwhile, islice

from lusory_dsl import core
from lusory_dsl.source.source import humanise
from lusory_dsl.source.spelling_suggestions import find_nearest
from lusory_dsl.types.types import ComponentType, EnumType, IntType, OptionalType, Type, is_integer_text

from ..evaluator.expressions import Reader, Slots
from ..state.decisions_outcomes_and_faults import Reason, RulesetFault
from ..state.flattened_phases import iterate_reachable_asks
from ..state.setting_value_limits_builtins_and_names import (
    Setting,
    Value,
    format_name,
    format_value_label,
    get_constant_text,
    unwrap_list_type,
)
from ..view.redacted_state import UNKNOWN, HiddenValue, Unknown
from ..view.seat_view import SeatReader
from ..view.table_and_option_text import list_all_values
from .declaration_names_and_lookup import PREPOSITIONS
from .reasons_for_failed_conditions import MAX_SENTENCES, Explainer, make_hidden_reason

MAX_NAMES = 12
"""The largest number of possible values that a reason lists."""


def explain_illegal_input(
    reader: Reader, ask: core.Ask | core.AskMany, slots: Slots, input: str, phase: str | None = None
) -> list[Reason]:
    """Explain why a player's input is not among the options. The list has at least one reason.

    If it depends on hidden values, or the rules fail in it, the only reason says that it depends on what the seat can't
    see.

    Args:
        reader: Reads the table as the seat sees it.
        ask: The choice.
        slots: The local values of the routine that asks.
        input: What the player typed.
        phase: The id of the running phase.
    """
    try:
        return _InputExplainer(reader, ask, slots, input, phase)._list_reasons()
    except (HiddenValue, RulesetFault):
        return [Reason(f"the reason against `{input}` depends on what you can't see", ask.span)]


class _InputExplainer(Explainer):
    """Explain one input for one decision."""

    def __init__(
        self, reader: Reader, ask: core.Ask | core.AskMany, slots: Slots, input: str, phase: str | None
    ) -> None:
        super().__init__(reader)
        self.phase = phase
        self.ask = ask
        self.slots = slots
        self.input = input.strip()
        self.words = _normalize(self.input.partition("#")[0])

    def _list_reasons(self) -> list[Reason]:
        """Return the reasons against the input. There is at least one.

        They are those against each alternative that the input names, or against the pick in a choice of several. If it
        names none, the first reason says why it is no option. Raise HiddenValue or RulesetFault if the values to choose
        from are hidden or can't be found.
        """
        if isinstance(self.ask, core.AskMany):
            return self._explain_pick(self.ask)
        matches = [
            (alternative, tail)
            for alternative in self.ask.alternatives
            for tail in self._match_alternative(alternative)
        ]
        candidates = [match for match in matches if self._is_action_of_card(*match)]
        if all(not tail and alternative.original is not None for alternative, tail in candidates):
            candidates = [match for match in candidates if self._has_offered_copies(match[0])]
        reasons = [
            reason
            for match in candidates
            if self._can_be_intended(*match)
            for reason in self._explain_alternative(*match)
        ]
        return (
            reasons
            or self._explain_missing_action([match for match, _ in matches])
            or self._find_other_choice()
            or self._find_choice_of_component()
            or [self._explain_unknown_input()]
        )

    # ------------------------------------------------------------ matching alternatives

    def _match_alternative(self, alternative: core.Alternative) -> list[str]:
        """Return the words after the name or label of an alternative, as a list of one text.

        The list is empty if the input doesn't begin with either. An alternative without a name matches every input.
        """
        if alternative.name is None:
            return [self.words]
        label = _get_label_head(alternative) if alternative.original is None else ""
        for name in (_normalize(alternative.name), label):
            tail = _strip_prefix(name, self.words) if name else None
            if tail is not None:
                return [tail]
        return []

    def _is_called(self, alternative: core.Alternative) -> bool:
        """Return whether the input begins with the name or label of an alternative, or begins its name."""
        is_short = _strip_prefix(self.words, _normalize(str(alternative.name))) is not None
        return is_short or bool(self._match_alternative(alternative))

    def _can_be_intended(self, alternative: core.Alternative, tail: str) -> bool:
        """Return whether the input can mean an alternative: one without a name needs a value named in it."""
        if alternative.name is not None or not tail:
            return True
        return any(self._find_values(var.domain, self.slots, tail) for var in alternative.vars)

    def _is_action_of_card(self, alternative: core.Alternative, tail: str) -> bool:
        """Return whether an alternative is not the action of a card other than the one that the input names."""
        if alternative.original is None or not tail:
            return True
        values = self._match_names(tail, unwrap_list_type(alternative.vars[0].domain.type))
        entities = self.program.entities
        return any(entities[value].fields["original"] == alternative.original for value, _ in values)

    def _has_offered_copies(self, alternative: core.Alternative) -> bool:
        """Return whether a copy of the alternative's card is among those whose actions are offered."""
        try:
            return bool(self.reader.evaluate(alternative.vars[0].domain, list(self.slots)))
        except (HiddenValue, RulesetFault):
            return False

    def _explain_missing_action(self, alternatives: Sequence[core.Alternative]) -> list[Reason]:
        """Return the reason that a card lacks an action that others have."""
        for alternative in alternatives:
            if alternative.original is not None:
                kind = self.program.entities[alternative.original].kind
                values = self._match_names(self._match_alternative(alternative)[0], ComponentType(kind))
                action = humanise(str(alternative.name))
                if values:
                    return [Reason(f"{self.program.entities[values[0][0]].label} has no ability “{action}”")]
                return [Reason(f"none of these cards has the action {action}", alternative.span)]
        return []

    def _find_other_choice(self) -> list[Reason]:
        """Return the reason that another choice offers the input.

        It comes later in this phase, in another phase, or for another seat.
        """
        current_ids = {id(alternative) for alternative in getattr(self.ask, "alternatives", ())}
        choices = [
            (ask, alternative, self.setting.ask_contexts.get(site, (None, ()))[1])
            for site, ask in self.setting.sites.items()
            for alternative in (ask.alternatives if isinstance(ask, core.Ask) else ())
            if alternative.name is not None and id(alternative) not in current_ids and self._is_called(alternative)
        ]
        if not choices:
            return []
        for ask, alternative, phases in choices:
            if self.phase in phases and self._leads_to_current(ask):
                return [Reason("answer this question first, or undo the decision before it", alternative.span)]
        _, alternative, phases = choices[0]
        if self.phase in phases:
            return [Reason("you can't do this now; another option leads to it", alternative.span)]
        titles = " or ".join(dict.fromkeys(map(self._get_phase_title, phases))) or "another part of the game"
        return [Reason(f"you can't do this now; it belongs to {titles}", alternative.span)]

    def _find_choice_of_component(self) -> list[Reason]:
        """Return the reason that another phase has actions for a thing that the input names without an action.

        The reasons follow why the first such action would not take the thing now. Return [] if no action takes it.
        """
        seat = self.reader.redacted_state.seat if isinstance(self.reader, SeatReader) else None
        if seat is None:
            return []
        ways_by_phases: dict[tuple[str, ...], list[tuple[str, str, list[Reason]]]] = {}
        for site, ask in self.setting.sites.items():
            effect, phases = self.setting.ask_contexts.get(site, (None, ()))
            if effect is None or not phases or self.phase in phases or not isinstance(ask, core.Ask):
                continue
            n_slots = self.program.effects[effect].n_slots
            for alternative in ask.alternatives:
                if (head := _get_label_head(alternative)) and alternative.name is not None and alternative.vars:
                    label, reasons = self._try_component(alternative, n_slots, seat)
                    if label:
                        ways_by_phases.setdefault(phases, []).append((head, label, reasons))
        for phases, ways in ways_by_phases.items():
            heads = " or ".join(dict.fromkeys(head for head, _, _ in ways))
            titles = " or ".join(dict.fromkeys(map(self._get_phase_title, phases)))
            head, label, reasons = ways[0]
            reasons = [replace(reason, message=f"{head}: {reason.message}") for reason in reasons]
            return [Reason(f"you can {heads} {label} only in {titles}", self.ask.span, cause="phase"), *reasons]
        return []

    def _try_component(self, alternative: core.Alternative, n_slots: int, seat: int) -> tuple[str, list[Reason]]:
        """Return the label of the component that the whole input names, and the reasons why an action doesn't take it.

        The label is "" if the action takes no such component, or if the player can't know that.
        """
        variable = alternative.vars[0]
        type = unwrap_list_type(variable.domain.type)
        if not isinstance(type, ComponentType) or alternative.original is not None:
            return "", []
        slots: Slots = [UNKNOWN] * n_slots
        for node in core.walk(variable.domain):
            if isinstance(node, core.Local) and node.name == "me":
                slots[node.slot] = seat
        if not any(not tail for _, tail in self._find_values(variable.domain, slots, self.words)):
            return "", []
        match = self._match_variable(variable.domain, variable.slot, variable.condition, slots, self.words)
        # A value that is not in the domain leaves its slot unknown.
        value = slots[variable.slot]
        if isinstance(value, Unknown):
            return "", []
        return self.reader.label(value, type), [
            reason for reason in match if isinstance(reason, Reason) and reason.cause == "condition"
        ]

    def _leads_to_current(self, ask: core.Ask | core.AskMany) -> bool:
        """Return whether the current choice can be part of an option of another choice."""
        return any(part is self.ask for part, _ in iterate_reachable_asks(self.program, core.get_blocks(ask)))

    def _get_phase_title(self, phase: str) -> str:
        label = get_constant_text(self.setting.phases[phase][-1].label)
        return f"“{label}”" if label else f"the phase {humanise(phase)}"

    def _explain_unknown_input(self) -> Reason:
        nearest_label = find_nearest(self.input, self._list_labels())
        suggestion = f"; did you mean “{nearest_label}”?" if nearest_label not in (None, self.input) else ""
        return Reason(f"there is no option “{self.input}” now{suggestion}")

    # ------------------------------------------------------------ reasons against an alternative

    def _explain_alternative(self, alternative: core.Alternative, tail: str) -> list[Reason]:
        """Explain why an alternative with the further words ``tail`` is not offered.

        The reasons are those of all its conditions that fail, or else those against the first value that fails. The
        list is empty if nothing fails.
        """
        slots = list(self.slots)
        failures = [reason for condition in alternative.conditions for reason in self.explain_failure(condition, slots)]
        if failures:
            return failures
        for index, var in enumerate(alternative.vars):
            if not tail:
                return self._explain_no_values(alternative, index, slots)
            match = self._match_variable(var.domain, var.slot, var.condition, slots, tail)
            if isinstance(match, list):
                if label := self._find_impossible_value(alternative.vars[index:], slots, tail):
                    return [Reason(f"no option has “{label}” now", var.domain.span)]
                is_card = index == 0 and alternative.original is not None
                return [self._name_missing_card(alternative, reason) if is_card else reason for reason in match]
            slots[var.slot], tail = match
        if tail and alternative.name is not None:
            return [_suggest_form(alternative)]
        return []

    def _find_impossible_value(self, variables: Sequence[core.ChoiceVar], slots: Slots, tail: str) -> str:
        """Return the label of a value of the second variable that no value of the first allows.

        The words ``tail`` must name it, and nothing of the first variable. Otherwise the result is "". So it is if the
        player may not know which values are allowed.
        """
        if len(variables) < 2 or self._find_values(variables[0].domain, slots, tail):
            return ""
        first, second, slots = *variables[:2], list(slots)
        type = unwrap_list_type(second.domain.type)
        values = [value for value, _ in self._match_names(tail, type)]
        with suppress(HiddenValue, RulesetFault):
            for value in self.reader.filter(first.slot, first.domain, first.condition, slots):
                slots[first.slot] = value
                possible_values = self.reader.filter(second.slot, second.domain, second.condition, slots)
                if any(value in values for value in possible_values):
                    return ""
            return self.reader.label(values[0], type) if values else ""
        return ""

    def _name_missing_card(self, alternative: core.Alternative, reason: Reason) -> Reason:
        """Return a reason against a card.

        If the card is not among those whose actions are offered, the reason says so plainly.
        """
        if reason.span != alternative.vars[0].domain.span or reason.cause:
            return reason
        label = self.program.entities[alternative.original or 0].label
        return Reason(f"{label} is not one of the cards that you can use here", alternative.span, cause="absence")

    def _explain_no_values(self, alternative: core.Alternative, index: int, slots: Slots) -> list[Reason]:
        """Explain why no value can be chosen for a variable, at the place of the first condition that fails.

        If there are values for all variables, show how to write the option.
        """
        var = alternative.vars[index]
        values = self.reader.evaluate(var.domain, slots)
        valid = next(iter(self.reader.filter(var.slot, var.domain, var.condition, slots)), None)
        if valid is not None and index + 1 < len(alternative.vars):
            slots[var.slot] = valid
            return self._explain_no_values(alternative, index + 1, slots)
        if valid is not None:
            return [_suggest_form(alternative)] if alternative.name is not None else []
        attempts = [(value, var.condition, var.slot, slots) for value in values] or self._list_filtered_out(
            var.domain, slots
        )
        type = unwrap_list_type(var.domain.type)
        failures: list[tuple[str, Reason]] = []
        for value, condition, slot, locals_ in attempts[:MAX_SENTENCES]:
            locals_[slot] = value
            reasons = [] if condition is None else self.explain_failure(condition, locals_)
            failures += [(self.reader.label(value, type), reason) for reason in reasons]
        known_causes = [(label, reason) for label, reason in failures if reason.cause]
        messages = ((label, reason.message) for label, reason in known_causes)
        facts = [text if label in text else f"{label}: {text}" for label, text in messages]
        facts = facts or [self._describe_empty(alternative, index, slots)]
        span = next((reason.span for _, reason in known_causes or failures), var.domain.span)
        return [Reason(f"there is no {_name_kind(type)} to choose", span, tuple(dict.fromkeys(facts)))]

    def _describe_empty(self, alternative: core.Alternative, index: int, slots: Slots) -> str:
        """Return why there is nothing to choose for a variable: ``there is no unit for Blade now``."""
        var = alternative.vars[index]
        domain = var.domain
        is_empty = not self.reader.evaluate(domain, slots)
        if isinstance(domain, core.Range) and is_empty and (reason := self.say_empty_range(domain, slots)):
            return reason
        type = unwrap_list_type(var.domain.type)
        noun = humanise(var.name) if len(var.name) > 2 else _name_kind(type)
        first = alternative.vars[0]
        target = f" for {self.reader.label(slots[first.slot], unwrap_list_type(first.domain.type))}" if index else ""
        return f"there is no {noun.lower()}{target} now"

    def _list_filtered_out(self, domain: core.Expr, slots: Slots) -> list[tuple[Value, core.Expr, int, Slots]]:
        """Return the values that a filter leaves out.

        Each comes with the failed condition, the slot of the item, and the locals.
        """
        domain, slots = self.resolve(domain, slots)
        if not isinstance(domain, core.Filter):
            return []
        return [(value, domain.condition, domain.slot, slots) for value in self.reader.evaluate(domain.source, slots)]

    def _explain_pick(self, ask: core.AskMany) -> list[Reason]:
        """Explain why an item can't be picked, or why the picking can't end yet."""
        slots = list(self.slots)
        if self.words == "done":
            try:
                candidates = sum(1 for _ in self.reader.filter(ask.item_slot, ask.source, ask.condition, slots))
                minimum = min(self.reader.require(ask.low, slots), candidates)
            except (HiddenValue, RulesetFault):
                return [make_hidden_reason(ask.source)]
            return [Reason(f"you must pick at least {minimum}", ask.low.span)]
        match = self._match_variable(ask.source, ask.item_slot, ask.condition, slots, self.words)
        if isinstance(match, list):
            return match
        message = "choose one thing at a time" if match[1] else f"“{self.input}” is not available any more"
        return [Reason(message, ask.span)]

    # ------------------------------------------------------------ values

    def _match_variable(
        self, domain: core.Expr, slot: int, condition: core.Expr | None, slots: Slots, tail: str
    ) -> tuple[Value, str] | list[Reason]:
        """Return the value that the words name, and the remaining words. If it can't be chosen, return the reasons.

        The value is written into ``slot``, unless it is not in ``domain``. If several values have the same name, one
        that can be chosen takes precedence. The list of reasons is never empty.
        """
        type = unwrap_list_type(domain.type)
        matches = self._find_values(domain, slots, tail)
        if not matches:
            words = tail.split(" ")
            word = next((word for word in words if word not in PREPOSITIONS), words[0])
            return [self._explain_unknown_value(word, domain, type, self._name_choices(domain, slot, condition, slots))]
        try:
            values = self.reader.evaluate(domain, slots)
            selectable = (*values, *self._list_unfiltered_values(domain, slots))
            match = next((candidate for candidate in matches if candidate[0] in values), None)
            match = match or next((candidate for candidate in matches if candidate[0] in selectable), matches[0])
            value = match[0]
            is_in_domain = value in values
        except (HiddenValue, RulesetFault):
            return [make_hidden_reason(domain)]
        if not is_in_domain:
            reasons = self.explain_absence(domain, value, slots)
            group, label = self.describe(domain, slots), self.reader.label(value, type)
            choices = "" if group is not None else self._name_choices(domain, slot, condition, slots)
            message = f"{label} can't be chosen here; {choices}" if choices else f"{label} is not among {group}"
            return reasons or [Reason(message, domain.span)]
        slots[slot] = value
        if condition is None or self.is_true(condition, slots):
            return match
        return self.explain_failure(condition, slots, self.reader.label(value, type))

    def _explain_unknown_value(self, word: str, domain: core.Expr, type: Type, choices: str) -> Reason:
        """Return the reason that a word names no value, with a similar value, or else the sentence ``choices``."""
        nearest_label = find_nearest(
            word, (format_value_label(self.setting, value, type) for value in list_all_values(self.setting, type))
        )
        hint = f"did you mean “{nearest_label}”?" if nearest_label else choices
        input_word = next((input_word for input_word in self.input.split() if input_word.casefold() == word), word)
        return Reason(f"“{input_word}” can't be chosen here; {hint}", domain.span)

    def _find_values(self, domain: core.Expr, slots: Slots, words: str) -> list[tuple[Value, str]]:
        """Return the values that the words begin with, each with the other words.

        The words may have any order, so that a value may also begin at a later word.
        """
        type, input_words = unwrap_list_type(domain.type), words.split(" ")
        for i in range(len(input_words)):
            words_left = " ".join(input_words[i:])
            if matches := self._match_names(words_left, type) or self._match_abbreviations(words_left, domain, slots):
                return [(value, " ".join([*input_words[:i], tail]).strip()) for value, tail in matches]
        return []

    def _list_labels(self) -> list[str]:
        """Return the labels of the values that alternatives without a name offer, or [] if they are secret."""
        alternatives = self.ask.alternatives if isinstance(self.ask, core.Ask) else ()
        unnamed = (alternative for alternative in alternatives if alternative.name is None and alternative.vars)
        domains = [alternative.vars[0].domain for alternative in unnamed]
        try:
            return [
                self.reader.label(value, unwrap_list_type(domain.type))
                for domain in domains
                for value in self.reader.evaluate(domain, list(self.slots))
            ]
        except (HiddenValue, RulesetFault):
            return []

    def _name_choices(self, domain: core.Expr, slot: int, condition: core.Expr | None, slots: Slots) -> str:
        """Return a sentence with the labels of the values that can be chosen, or that they are hidden."""
        type = unwrap_list_type(domain.type)
        try:
            values = self.reader.filter(slot, domain, condition, list(slots))
            labels = list(dict.fromkeys(self.reader.label(value, type) for value in values))
        except (HiddenValue, RulesetFault):
            return "you can't see what there is to choose"
        if len(labels) > MAX_NAMES:
            labels[MAX_NAMES - 1 :] = [f"and {len(labels) - MAX_NAMES + 1} more"]
        if not labels:
            return "there is nothing to choose"
        return f"you can choose: {', '.join(labels)}"

    def _list_unfiltered_values(self, domain: core.Expr, slots: Slots) -> tuple[Value, ...]:
        """Return the lists from which a domain filters its values, or () if it is no filter."""
        domain, slots = self.resolve(domain, slots)
        if not isinstance(domain, core.Filter):
            return ()
        return (*self.reader.evaluate(domain.source, slots), *self._list_unfiltered_values(domain.source, slots))

    def _match_names(self, words: str, type: Type) -> list[tuple[Value, str]]:
        """Return the values of a type whose name or label the words begin with, each with the words after it.

        Only the longest matches count. Copies of a card have the same label, and the first copy is meant.
        """
        base = type.item if isinstance(type, OptionalType) else type
        first, _, words_after = words.partition(" ")
        if isinstance(base, IntType) and is_integer_text(first):
            return [(int(first), words_after)]
        matches: list[tuple[Value, str]] = []
        for namer in (format_name, format_value_label, _get_plural):
            for value in list_all_values(self.setting, type):
                tail = _strip_prefix(_normalize(namer(self.setting, value, type)), words)
                if tail is not None:
                    matches.append((value, tail))
        shortest = min((len(tail) for _, tail in matches), default=0)
        return [match for match in matches if len(match[1]) == shortest]

    def _match_abbreviations(self, words: str, domain: core.Expr, slots: Slots) -> list[tuple[Value, str]]:
        """Return the values that a word abbreviates, if all have the same label. Otherwise the list is empty.

        Values that can be chosen, or that a filter leaves out, take precedence over other values of the type.
        """
        type = unwrap_list_type(domain.type)
        try:
            selectable = [*self.reader.evaluate(domain, slots), *self._list_unfiltered_values(domain, slots)]
        except (HiddenValue, RulesetFault):
            selectable = []
        known_values = [value for value in selectable if not isinstance(value, Unknown)]
        for values in (known_values, list_all_values(self.setting, type)):
            matches = [
                (value, tail) for value in values if (tail := self._strip_abbreviation(value, type, words)) is not None
            ]
            if len({format_value_label(self.setting, value, type) for value, _ in matches}) == 1:
                return matches
        return []

    def _strip_abbreviation(self, value: Value, type: Type, words: str) -> str | None:
        """Return the words after those that abbreviate words of a value's label, or None without any."""
        label_words = _normalize(format_value_label(self.setting, value, type)).split(" ")
        input_words = words.split(" ")
        tail = list(
            dropwhile(lambda word: len(word) > 1 and any(part.startswith(word) for part in label_words), input_words)
        )
        return None if len(tail) == len(input_words) else " ".join(tail)


# ---------------------------------------------------------------- helpers


def _name_kind(type: Type) -> str:
    return "number" if isinstance(type, IntType) else str(type)


def _get_plural(setting: Setting, value: Value, type: Type) -> str:
    """Return the plural of an enum value, or its label if it has no plural."""
    base = type.item if isinstance(type, OptionalType) else type
    plural = None
    if isinstance(base, EnumType) and value is not None:
        plural = setting.program.enums[base.name].values[value].plural
    return plural or format_value_label(setting, value, type)


def _normalize(text: str) -> str:
    """Return words in the form in which they are compared: lower case, single spaces, no underscores."""
    return " ".join(text.replace("_", " ").casefold().split())


def _strip_prefix(prefix: str, words: str) -> str | None:
    """Return the words after ``prefix``, which may be empty. Return None if the words begin differently."""
    if words == prefix:
        return ""
    return words[len(prefix) + 1 :] if words.startswith(f"{prefix} ") else None


def _suggest_form(alternative: core.Alternative) -> Reason:
    """Return the reason that shows how to write an alternative: ``write it as `give <card> <player>```."""
    form = " ".join([str(alternative.name), *(f"<{var.name}>" for var in alternative.vars)])
    return Reason(f"write it as `{form}`", alternative.span)


def _get_label_head(alternative: core.Alternative) -> str:
    """Return the fixed words at the start of an alternative's label."""
    first = next(islice(alternative.label.parts, 1), "") if alternative.label is not None else ""
    return _normalize(first) if isinstance(first, str) else ""
