"""Lint conditions, options and statements that never make a difference. Unused names are in another lint.

The lints find constant conditions, options that are never legal, and choices with one option. They also find loops that
the end of the game cuts short, state checks that never settle, and unreachable code. Bounds of values come from
:mod:`lusory_dsl.core.constant_analysis`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .. import core
from ..checker.check import CheckedRuleset
from ..checker.choices import ALL_ITEMS
from ..checker.context import LocalFacts
from ..core.constant_analysis import Facts, ProgramBounds, collect_reads, collect_writes
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics
from ..source.source import Span
from ..types.types import ComponentType, ListType, PlayerType


def bounds_at(facts: Facts, known: LocalFacts) -> ProgramBounds:
    """Return the bounds of values at a place in a routine where ``known`` describes the locals."""
    facts.budget.start_question()
    return ProgramBounds(facts, known.sources, known.values)


def conditions_of(alternative: core.Alternative) -> list[core.Expr]:
    """Return the conditions that an option must meet: its own and those of its variables."""
    return [*alternative.conditions, *(var.condition for var in alternative.vars if var.condition is not None)]


def within(condition: core.Expr) -> Iterator[core.Expr]:
    """Yield a condition and, if it is a conjunction, all its parts."""
    yield condition
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from within(condition.left)
        yield from within(condition.right)


class Constant(NamedTuple):
    """A condition with a constant value, and the text of its diagnostic."""

    condition: core.Expr
    message: str
    hint: str
    notes: list[tuple[Span, str]]


def constant_condition(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about conditions in the ruleset that always or never hold."""
    for found in constants(checked):
        report.add(diagnostic_codes.CONSTANT_CONDITION, found.message, found.condition.span, found.hint, found.notes)


@lru_cache(maxsize=1)
def constants(checked: CheckedRuleset) -> tuple[Constant, ...]:
    """Return the conditions that always or never hold. The result for the last ruleset is cached."""
    return tuple(_constants(checked))


def _constants(checked: CheckedRuleset) -> Iterator[Constant]:
    for written in checked.notes.conditions:
        condition = written.condition
        if isinstance(condition, core.Const) and condition.value is True:
            continue  # the author wrote a literal: `while true: …`
        # The value of a query does not count: it may be a switch, and a pack may replace it.
        bounds = bounds_at(checked.constant_facts, written.facts).without_calls()
        holds = bounds.evaluate_condition(condition)
        if holds is not None:
            message = "this is always true" if holds else "this is never true"
            hint = "remove the condition, or correct it" if holds else "remove what depends on it, or correct it"
            sides = (condition.left, condition.right) if isinstance(condition, core.Binary) else ()
            notes = [(side.span, known) for side in sides if (known := bounds.describe_range(side)) is not None]
            yield Constant(condition, message, hint, notes)
        elif written.earlier_conditions and bounds.is_impossible_after(written.earlier_conditions, condition):
            message = "this is never true here: the conditions above already cover it"
            notes = [(before.span, "tested before") for before in written.earlier_conditions]
            yield Constant(condition, message, "remove the branch, or correct its condition", notes)


Block = tuple[core.Stmt, ...]


class EarlyEndings:
    """Searches blocks, and the effects that they call, for loops that the end of the game cuts short."""

    def __init__(self, effects: Mapping[str, core.Effect], diagnostics: Diagnostics) -> None:
        self.effects = effects
        self.diagnostics = diagnostics

    def block(self, block: Block) -> None:
        """Report each loop over a list in which the game can end before other items are processed."""
        for stmt in core.walk_statements(block):
            if isinstance(stmt, core.ForEach) and stmt.name != "me" and not isinstance(stmt.source, core.Range):
                self._loop(stmt)

    def _loop(self, loop: core.ForEach) -> None:
        blocks = list(self._done_in(loop.body, set()))
        statements = [stmt for block in blocks for stmt in block]
        if any(
            core.get_control_flow(stmt) & core.ControlFlow.ASKS or isinstance(stmt, core.Random) for stmt in statements
        ):
            return
        end = next((stmt for stmt in statements if core.get_control_flow(stmt) & core.ControlFlow.ENDS), None)
        if end is None or not any(_changes(block) for block in blocks):
            return
        message = "the game can end here before this loop has reached every item"
        hint = "end the game after the loop, or in a `whenever` that waits for it"
        self.diagnostics.add(diagnostic_codes.EARLY_END, message, loop.span, hint, [(end.span, "the game ends here")])

    def _done_in(self, block: Block, seen: set[str]) -> Iterator[Block]:
        """Yield a block, its nested blocks, and the blocks of the effects that it calls.

        ``seen`` holds the visited effects.
        """
        yield block
        for stmt in block:
            for inner in core.get_blocks(stmt):
                yield from self._done_in(inner, seen)
            if isinstance(stmt, core.CallEffect) and stmt.effect in self.effects and stmt.effect not in seen:
                seen.add(stmt.effect)
                yield from self._done_in(self.effects[stmt.effect].body, seen)


def _changes(block: Block) -> bool:
    """Return whether a block changes the state, apart from the changes just before the end of the game."""
    if any(core.get_control_flow(stmt) & core.ControlFlow.ENDS for stmt in block):
        return False
    return any(set(core.get_writes(stmt)) - {core.ENDING_VARIABLE, core.CAN_WIN_VARIABLE} for stmt in block)


def early_endings(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about loops that the end of the game can cut short."""
    early = EarlyEndings(checked.effects, report)
    for phase in core.walk_phases(checked.phases):
        early.block(phase.body)
    for effect in (*checked.effects.values(), *checked.state_checks.values()):
        for block in core.get_bodies(effect):
            early.block(block)


def endless_check(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about state checks that change nothing that their condition reads, so that they never settle."""
    queries, zones, effects = checked.program.queries, checked.program.zones, checked.effects
    for name, check in checked.state_checks.items():
        read = collect_reads(queries[name].value, queries, zones)
        done = list(_done_by(check.body, effects))
        if any(
            core.get_control_flow(stmt) & core.ControlFlow.ENDS or collect_writes(stmt, zones) & read for stmt in done
        ):
            continue
        message = "this state check would repeat forever: it changes nothing that its condition reads"
        hint = "change something that the condition reads, or write a rule with `when`"
        report.add(diagnostic_codes.ENDLESS_CHECK, message, check.body[0].span, hint)


def _done_by(block: Sequence[core.Stmt], effects: Mapping[str, core.Effect]) -> Iterator[core.Stmt]:
    """Yield the statements of a block, of the effects that it calls, and of the rules that react to these effects."""
    seen: set[str] = set()
    todo: list[Sequence[core.Stmt]] = [block]
    while todo:
        for stmt in core.walk_statements(tuple(todo.pop())):
            yield stmt
            if isinstance(stmt, core.CallEffect) and stmt.effect not in seen and stmt.effect in effects:
                seen.add(stmt.effect)
                todo += core.get_bodies(effects[stmt.effect])


def never_legal(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about options that are never legal. Skips options with a condition that has a warning of its own."""
    reported = {id(constant.condition) for constant in constants(checked)}
    for known, made in checked.notes.choices:
        for alternative in made.alternatives if isinstance(made, core.Ask) else ():
            parts = (part for condition in conditions_of(alternative) for part in within(condition))
            if alternative.name is not None and not any(id(part) in reported for part in parts):
                _option(checked, known, alternative, report)


def _option(checked: CheckedRuleset, known: LocalFacts, alternative: core.Alternative, report: Diagnostics) -> None:
    conditions, bounds = conditions_of(alternative), bounds_at(checked.constant_facts, known)
    empty = next((var for var in alternative.vars if bounds.bound_size(var.domain)[1] == 0), None)
    if alternative.original is not None:
        bounds = bounds.assume_cards({alternative.vars[0].slot: alternative.original})
    reasons = [c for c in conditions for part in within(c) if bounds.evaluate_condition(part) is False]
    if empty is None and not reasons and not bounds.are_exclusive(conditions):
        return
    name = alternative.name
    if alternative.original is not None:
        name = f"{name}` of `{checked.program.entities[alternative.original].card}"
    if empty is not None:
        notes = [(empty.domain.span, f"there is never a `{empty.name}` to choose")]
    else:
        notes = [(c.span, "this is never true") for c in reasons[:1]]
    hint = "correct its condition, or remove it"
    report.add(diagnostic_codes.NEVER_LEGAL, f"`{name}` can never be chosen", alternative.span, hint, notes)


Price = tuple[int, core.ChoiceVar, bool]
"""A card, its variable in the choice where it is paid for, and whether the game has enough counters to pay."""


def never_payable(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about cards that nobody can ever pay for."""
    limited = {pool for (pool, _), most in checked.constant_facts.max_counters.items() if most is not None}
    alike = _alike(checked.program.entities)
    paid: dict[int, list[Price]] = {}
    for known, made in checked.notes.choices:
        for alternative in made.alternatives if isinstance(made, core.Ask) else ():
            if alternative.original is None and _counts(checked, alternative, limited):
                for price in _prices(checked, known, alternative, alike):
                    paid.setdefault(price[0], []).append(price)
    for card, prices in paid.items():
        if not any(enough for _, _, enough in prices):
            _unpayable(checked, checked.program.entities[card], prices[0][1], report)


def _counts(checked: CheckedRuleset, alternative: core.Alternative, limited: set[str]) -> bool:
    """Return whether a condition reads one of the pools in ``limited``. The maximum content of these pools is known."""
    program = checked.program
    conditions = conditions_of(alternative) if limited else ()
    return any(limited & collect_reads(condition, program.queries, program.zones) for condition in conditions)


def _prices(
    checked: CheckedRuleset, known: LocalFacts, alternative: core.Alternative, alike: dict[str, list[list[int]]]
) -> Iterator[Price]:
    """Yield a price for each card that costs counters when it is chosen."""
    conditions, bounds = conditions_of(alternative), bounds_at(checked.constant_facts, known)
    for var in alternative.vars:
        kind = var.domain.type.item if isinstance(var.domain.type, ListType) else None
        for cards in alike.get(str(kind), ()) if isinstance(kind, ComponentType) else ():
            of_card = bounds.assume_cards({var.slot: cards[0]})
            enough = not of_card.are_exclusive(conditions)
            if enough or not of_card.with_unlimited_counters().are_exclusive(conditions):
                yield from ((card, var, enough) for card in cards)


def _unpayable(checked: CheckedRuleset, card: core.Entity, var: core.ChoiceVar, report: Diagnostics) -> None:
    span = next((decl.id.span for decl in checked.ruleset.cards if decl.id.text == card.card), None)
    if span is not None:
        message = f"nobody can ever pay for the card `{card.card}`: the game has too few counters"
        notes = [(var.span, f"needed to choose it as `{var.name}`")]
        report.add(diagnostic_codes.NEVER_PAYABLE, message, span, "make it cheaper, or add counters", notes)


def _alike(entities: Sequence[core.Entity]) -> dict[str, list[list[int]]]:
    """Return the first copies of the cards of each kind, in groups with the same printed numbers."""
    found: dict[str, dict[object, list[int]]] = {}
    for entity in entities:
        if entity.fields["original"] == entity.number:
            own = tuple((n, v) for n, v in entity.fields.items() if type(v) is int and n != "original")
            found.setdefault(entity.kind, {}).setdefault(own, []).append(entity.number)
    return {kind: list(groups.values()) for kind, groups in found.items()}


_HINT = "add an option, or remove the choice"


def one_option(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about choices and random draws that never have more than one outcome."""
    for known, made in checked.notes.choices:
        bounds = bounds_at(checked.constant_facts, known)
        if isinstance(made, core.Random):
            if bounds.bound_size(made.domain)[1] <= 1:
                hint = "add outcomes, or write the result without chance"
                message = "this has at most one outcome"
                report.add(diagnostic_codes.ONE_OPTION, message, made.span, hint)
        elif (what := _only(made, bounds)) is not None:
            report.add(diagnostic_codes.ONE_OPTION, f"players never have a choice: {what}", made.span, _HINT)


def _only(made: core.Ask | core.AskMany, bounds: ProgramBounds) -> str | None:
    """Return a phrase for the choice that is none, or None if there can be several options."""
    match made:
        case core.AskMany(source=source, low=low, high=high, is_ordered=ordered):
            most, fewest = bounds.bound_size(source)[1], bounds.bound_number(low)[0]
            none = bounds.bound_number(high)[1] <= 0
            if none or most <= (1 if ordered or fewest >= ALL_ITEMS else fewest):
                return f"there is at most one way to choose `{made.name}`"
        case core.Ask(alternatives=(only,)) if all(bounds.bound_size(var.domain)[1] <= 1 for var in only.vars):
            return f"{f'`{only.name}` is the only option' if only.name else 'there is at most one option'}"
    return None


def unreachable(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about statements and phases that are never reached because the game has ended."""
    effects = checked.effects
    ending = {name for name, effect in effects.items() if not effect.instead and _ends(effect.body, ())}
    while more := {n for n, e in effects.items() if n not in ending and not e.instead and _ends(e.body, ending)}:
        ending |= more

    def blocks(block: Sequence[core.Stmt]) -> tuple[core.Stmt, ...]:
        for stmt, after in pairwise(block):
            core.map_blocks(stmt, blocks)
            if isinstance(stmt, core.CallEffect) and stmt.effect in ending and after.span != stmt.span:
                message = f"nothing after `{stmt.effect}` ever runs, because it ends the game"
                report.add(diagnostic_codes.UNREACHABLE, message, after.span, "remove it, or move it up")
        for stmt in block[-1:]:
            core.map_blocks(stmt, blocks)
        return tuple(block)

    def ends(phase: core.Phase) -> bool:
        """Report what is unreachable inside of a phase. Returns whether the game always ends in the phase."""
        blocks(phase.body)
        before: core.Phase | None = None
        for child in phase.children:
            before = (child if ends(child) else None) if before is None else reported(before, child)
        certain = phase.condition is None and phase.repeat is None
        return certain and (before is not None or _ends(phase.body, ending))

    def reported(before: core.Phase, phase: core.Phase) -> core.Phase:
        message = f"the phase `{phase.id}` never starts, because `{before.id}` always ends the game"
        report.add(diagnostic_codes.UNREACHABLE, message, phase.span, "remove it, or move it up")
        return before

    for effect in effects.values():
        for block in core.get_bodies(effect):
            blocks(block)
    before: core.Phase | None = None
    for phase in checked.program.phases:
        before = (phase if ends(phase) else None) if before is None else reported(before, phase)


def _ends(block: Sequence[core.Stmt], ending: Container[str]) -> bool:
    """Return whether a block always ends the game. ``ending`` holds the effects that always do."""
    for stmt in block:
        match stmt:
            case core.EndGame():
                return True
            case core.Stop():
                return False
            case core.CallEffect(effect=effect) if effect in ending:
                return True
            case core.If(branches=branches, otherwise=otherwise):
                if all(_ends(inner, ending) for inner in (*(body for _, body in branches), otherwise)):
                    return True
    return False


RANK_CALL_LIMIT = 10
"""Maximum depth of nested queries in which the terms of a sum are searched."""


def same_rank(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each summand of a rank that is the same for every player.

    Such a summand reads a place without a Player index and doesn't refer to the player. The lint also looks into
    queries
    about the player. It is silent for games of one player, and if the first value of the rank is selective.
    """
    program = checked.program
    if program.max_players < 2 or program.scoring.is_selective:
        return
    for rank in program.scoring.rank:
        for term, me in _terms(rank, 0, program.queries, RANK_CALL_LIMIT):
            places = collect_reads(term, program.queries, program.zones)
            shared = [name for name in sorted(places) if not _has_player(program.get_place(name))]
            if not shared or me in core.collect_locals(term):
                continue
            place = program.get_place(shared[0])
            message = "this part of the rank is the same for every player"
            hint = f"declare `{place.name}` with `per: [Player]` if each player has their own, or remove this part"
            notes = [(checked.get_declaration_span(place), f"`{place.name}` belongs to no player")]
            report.add(diagnostic_codes.SAME_RANK, message, term.span, hint, notes)


def _terms(expr: core.Expr, me: int, queries: dict[str, core.Query], calls: int) -> Iterator[tuple[core.Expr, int]]:
    """Yield the terms of a sum, each with the slot of the player in its routine. Follows queries about the player."""
    match expr:
        case core.Binary(op="+" | "-", left=left, right=right):
            yield from _terms(left, me, queries, calls)
            yield from _terms(right, me, queries, calls)
        case core.CallQuery(query=name, args=(core.Local(slot=slot),)) if slot == me and calls:
            query = queries[name]
            if query.is_per_player and not query.modifiers:
                yield from _terms(query.value, query.params[0].slot, queries, calls - 1)
        case _:
            yield expr, me


def _has_player(place: core.Variable | core.Pool | core.CardZone) -> bool:
    return any(isinstance(dim.type, PlayerType) for dim in place.dims)
