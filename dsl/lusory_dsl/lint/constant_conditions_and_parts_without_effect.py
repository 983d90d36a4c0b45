"""Lint rules that never make a difference. Unused names are in another lint.

- conditions that are always or never true
- options that are never legal, and cards that nobody can ever pay for
- choices and random draws with one possible outcome
- state checks that never settle, and loops that the end of the game cuts short
- statements and phases behind the end of the game
- terms of a rank that are the same for every player

Bounds of values come from :mod:`lusory_dsl.core.program_reads_and_value_bounds`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from .. import core
from ..checker.check import CheckedRuleset
from ..checker.choices_and_simultaneous_choices import ALL_ITEMS
from ..checker.context import CheckedCondition, LocalFacts
from ..core.program_reads_and_value_bounds import Facts, ProgramBounds, collect_reads, collect_writes
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics
from ..source.source import Span
from ..types.types import PLAYER, ComponentType, ListType


def _make_bounds(facts: Facts, local_facts: LocalFacts) -> ProgramBounds:
    """Return the bounds of values at a place in a routine, where ``local_facts`` describes the locals.

    Starts a new question of the budget that limits the work of the analysis.
    """
    facts.budget.start_question()
    return ProgramBounds(facts, local_facts.sources, local_facts.values)


def _list_conditions(alternative: core.Alternative) -> list[core.Expr]:
    """Return the conditions that an option must meet: its own, then those of its variables."""
    return [*alternative.conditions, *(var.condition for var in alternative.vars if var.condition is not None)]


def _iterate_conjuncts(condition: core.Expr) -> Iterator[core.Expr]:
    """Yield a condition, and the parts of a conjunction in preorder: ``a and b`` yields ``a and b``, ``a``, ``b``."""
    yield condition
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from _iterate_conjuncts(condition.left)
        yield from _iterate_conjuncts(condition.right)


class ConstantCondition(NamedTuple):
    """A condition with a constant value, and the text of its diagnostic."""

    condition: core.Expr
    message: str
    hint: str
    notes: list[tuple[Span, str]]


def report_constant_conditions(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about conditions in the ruleset that are always or never true, except the literal ``true``.

    Example: ``if count(players) = 0`` is never true.
    """
    for finding in _find_constant_conditions(checked_ruleset):
        report.add(codes.CONSTANT_CONDITION, finding.message, finding.condition.span, finding.hint, finding.notes)


@lru_cache(maxsize=1)
def _find_constant_conditions(checked_ruleset: CheckedRuleset) -> tuple[ConstantCondition, ...]:
    """Return the conditions that are always or never true.

    The literal ``true`` is left out. Queries that a condition calls count as unknown. The result for the last ruleset
    is cached.
    """
    facts = checked_ruleset.constant_facts
    conditions = checked_ruleset.notes.conditions
    constants = (_find_constant(facts, condition) for condition in conditions)
    return tuple(finding for finding in constants if finding is not None)


def _find_constant(facts: Facts, checked_condition: CheckedCondition) -> ConstantCondition | None:
    condition = checked_condition.condition
    if isinstance(condition, core.Const) and condition.value is True:
        return None  # the author wrote a literal: `while true: …`
    # The value of a query does not count: it may be a switch, and a pack may replace it.
    bounds = _make_bounds(facts, checked_condition.facts).ignore_calls()
    truth = bounds.evaluate_condition(condition)
    if truth is None:
        return None
    message = "this is always true" if truth else "this is never true"
    hint = "remove the condition, or correct it" if truth else "remove what depends on it, or correct it"
    sides = (condition.left, condition.right) if isinstance(condition, core.Binary) else ()
    notes = [(side.span, range_text) for side in sides if (range_text := bounds.describe_range(side)) is not None]
    return ConstantCondition(condition, message, hint, notes)


Block = tuple[core.Stmt, ...]


def _find_early_end(loop: core.ForEach, effects: Mapping[str, core.Effect]) -> core.Stmt | None:
    """Return the statement that may end the game in a loop that changes the state.

    None if there is no such statement, or if something in the loop asks or is random.
    """
    blocks = list(_iterate_blocks(loop.body, effects, set()))
    statements = [stmt for block in blocks for stmt in block]
    if any(core.get_control_flow(stmt) & core.ControlFlow.ASKS or isinstance(stmt, core.Random) for stmt in statements):
        return None
    if not any(_changes_state(block) for block in blocks):
        return None
    return next((stmt for stmt in statements if core.get_control_flow(stmt) & core.ControlFlow.ENDS), None)


def _iterate_blocks(block: Block, effects: Mapping[str, core.Effect], visited_effects: set[str]) -> Iterator[Block]:
    """Yield a block, its nested blocks, and the blocks of the effects that it calls, except ``visited_effects``."""
    yield block
    for stmt in block:
        for inner_block in core.get_blocks(stmt):
            yield from _iterate_blocks(inner_block, effects, visited_effects)
        if isinstance(stmt, core.CallEffect) and stmt.effect in effects and stmt.effect not in visited_effects:
            visited_effects.add(stmt.effect)
            yield from _iterate_blocks(effects[stmt.effect].body, effects, visited_effects)


def _changes_state(block: Block) -> bool:
    """Return whether a block changes the state, apart from the changes just before the end of the game."""
    if any(core.get_control_flow(stmt) & core.ControlFlow.ENDS for stmt in block):
        return False
    return any(set(core.get_writes(stmt)) - {core.ENDING_VARIABLE, core.CAN_WIN_VARIABLE} for stmt in block)


def report_early_endings(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about loops over lists that the end of the game can cut short.

    The loops are those in the setup, phases, effects, ``when`` and ``instead`` rules, and state checks. A phase
    includes the actions that it offers. Effects that a loop calls count as parts of it, but not the rules that react to
    them. The warning is at the loop, with a note at the first place where the game ends. ``each player`` and loops over
    a range such as ``1..3`` are exempt; ``for each n in [1, 2]`` is not. Also exempt are loops that ask, loops with
    ``roll`` or ``pick … at random`` (a shuffle doesn't count), and loops that change nothing except just before the end
    of the game. Example: if the block of ``for each c in hand`` increases a score and ends the game at 10, later cards
    don't score.
    """
    message = "the game can end here before this loop has reached every item"
    hint = "end the game after the loop, or in a `whenever` that waits for it"
    effects = (*checked_ruleset.effects.values(), *checked_ruleset.state_checks.values())
    for block in core.iterate_bodies(checked_ruleset.phases, effects):
        for stmt in core.walk_statements(block):
            if isinstance(stmt, core.ForEach) and stmt.name != "me" and not isinstance(stmt.source, core.Range):
                end = _find_early_end(stmt, checked_ruleset.effects)
                if end is not None:
                    notes = [(end.span, "the game ends here")]
                    report.add(codes.EARLY_END, message, stmt.span, hint, notes)


def report_endless_checks(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about state checks that change nothing that their condition reads, so that they would repeat forever.

    Effects that a check calls count as well. Example: ``whenever score > 10: announce "Enough."``. A check that ends
    the game is exempt.
    """
    queries, zones, effects = checked_ruleset.program.queries, checked_ruleset.program.zones, checked_ruleset.effects
    for name, check in checked_ruleset.state_checks.items():
        read_places = collect_reads(queries[name].value, queries, zones)
        statements = list(_iterate_statements(check.body, effects))
        if any(
            core.get_control_flow(stmt) & core.ControlFlow.ENDS or collect_writes(stmt, zones) & read_places
            for stmt in statements
        ):
            continue
        message = "this state check would repeat forever: it changes nothing that its condition reads"
        hint = "change something that the condition reads, or write a rule with `when`"
        report.add(codes.ENDLESS_CHECK, message, check.body[0].span, hint)


def _iterate_statements(block: Sequence[core.Stmt], effects: Mapping[str, core.Effect]) -> Iterator[core.Stmt]:
    """Yield the statements of a block, of the effects that it calls, and of the rules that react to these effects."""
    visited_effects: set[str] = set()
    stack: list[Sequence[core.Stmt]] = [block]
    while stack:
        for stmt in core.walk_statements(tuple(stack.pop())):
            yield stmt
            if isinstance(stmt, core.CallEffect) and stmt.effect not in visited_effects and stmt.effect in effects:
                visited_effects.add(stmt.effect)
                stack += core.get_bodies(effects[stmt.effect])


def report_illegal_options(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about named options that are never legal.

    Their conditions can't all hold, or a variable has no value. Skips options with a condition, or a part of one, that
    has a warning of its own.
    """
    reported_ids = {id(constant.condition) for constant in _find_constant_conditions(checked_ruleset)}
    for local_facts, choice in checked_ruleset.notes.choices:
        for alternative in choice.alternatives if isinstance(choice, core.Ask) else ():
            conjuncts = chain.from_iterable(map(_iterate_conjuncts, _list_conditions(alternative)))
            if alternative.name is not None and not any(id(conjunct) in reported_ids for conjunct in conjuncts):
                _check_option(checked_ruleset, local_facts, alternative, report)


def _check_option(
    checked_ruleset: CheckedRuleset, local_facts: LocalFacts, alternative: core.Alternative, report: Diagnostics
) -> None:
    """Warn about an option of a choice whose conditions can't all hold, or that has nothing to choose."""
    problem = _find_illegal(checked_ruleset.constant_facts, local_facts, alternative)
    if problem is None:
        return
    empty_var, reasons = problem
    name = alternative.name
    if alternative.original is not None:
        name = f"{name}` of `{checked_ruleset.program.entities[alternative.original].card}"
    if empty_var is not None:
        notes = [(empty_var.domain.span, f"there is never a `{empty_var.name}` to choose")]
    else:
        notes = [(reason.span, "this is never true") for reason in reasons[:1]]
    hint = "correct its condition, or remove it"
    report.add(codes.NEVER_LEGAL, f"`{name}` can never be chosen", alternative.span, hint, notes)


def _find_illegal(
    facts: Facts, local_facts: LocalFacts, alternative: core.Alternative
) -> tuple[core.ChoiceVar | None, list[core.Expr]] | None:
    """Return why an option is never legal: a variable without values, or None, and the conditions that never hold.

    Returns None if the option may be legal.
    """
    conditions, bounds = _list_conditions(alternative), _make_bounds(facts, local_facts)
    empty_var = next((var for var in alternative.vars if bounds.bound_size(var.domain)[1] == 0), None)
    if alternative.original is not None:
        bounds = bounds.assume_cards({alternative.vars[0].slot: alternative.original})
    if empty_var is None and bounds.can_all_hold(conditions):
        return None
    return empty_var, [condition for condition in conditions if bounds.evaluate_condition(condition) is False]


Price = tuple[int, core.ChoiceVar, bool]
"""A card, its variable in the choice where it is paid for, and whether the game has enough counters to pay."""


def report_unpayable_cards(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each card that costs more counters than the game has, wherever it can be chosen.

    The warning, NEVER_PAYABLE, stands at the card's declaration: “nobody can ever pay for the card `dragon`: the game
    has too few counters”. It looks only at options with a condition that reads the content of a pool, such as
    ``c in hand where c.cost <= purse.gold``, and not at choices of several or actions of cards. A card is not reported
    if any of these options lets players pay for it, such as from a pool without a limit. A card whose price is unknown
    isn't either.
    """
    program, max_counters = checked_ruleset.program, checked_ruleset.constant_facts.max_counters
    pools = {pool for pool, _ in max_counters}
    if all(limit is None for limit in max_counters.values()):
        return
    card_groups = _group_cards(program.entities)
    prices_by_card: dict[int, list[Price]] = {}
    for local_facts, choice in checked_ruleset.notes.choices:
        for alternative in choice.alternatives if isinstance(choice, core.Ask) else ():
            conditions = _list_conditions(alternative)
            reads_pool = any(
                pools & collect_reads(condition, program.queries, program.zones) for condition in conditions
            )
            if alternative.original is None and reads_pool:
                for price in _iterate_prices(checked_ruleset, local_facts, alternative, card_groups):
                    prices_by_card.setdefault(price[0], []).append(price)
    for number, prices in prices_by_card.items():
        if not any(is_affordable for _, _, is_affordable in prices):
            card, var = program.entities[number], prices[0][1]
            message = f"nobody can ever pay for the card `{card.card}`: the game has too few counters"
            notes = [(var.span, f"needed to choose it as `{var.name}`")]
            report.add(codes.NEVER_PAYABLE, message, card.span, "make it cheaper, or add counters", notes)


def _iterate_prices(
    checked_ruleset: CheckedRuleset,
    local_facts: LocalFacts,
    alternative: core.Alternative,
    card_groups: dict[str, list[list[int]]],
) -> Iterator[Price]:
    """Yield a price for each card that costs counters when it is chosen."""
    conditions, bounds = _list_conditions(alternative), _make_bounds(checked_ruleset.constant_facts, local_facts)
    for var in alternative.vars:
        kind = var.domain.type.item if isinstance(var.domain.type, ListType) else None
        for cards in card_groups.get(str(kind), ()) if isinstance(kind, ComponentType) else ():
            card_bounds = bounds.assume_cards({var.slot: cards[0]})
            is_affordable = card_bounds.can_all_hold(conditions)
            if is_affordable or card_bounds.ignore_supply().can_all_hold(conditions):
                yield from ((card, var, is_affordable) for card in cards)


def _group_cards(entities: Sequence[core.Entity]) -> dict[str, list[list[int]]]:
    """Return the first copies of the cards of each kind, in groups with the same printed numbers."""
    groups_by_kind: dict[str, dict[object, list[int]]] = {}
    for entity in entities:
        if entity.fields["original"] == entity.number:
            numbers = tuple((name, n) for name, n in entity.fields.items() if type(n) is int and name != "original")
            groups_by_kind.setdefault(entity.kind, {}).setdefault(numbers, []).append(entity.number)
    return {kind: list(groups.values()) for kind, groups in groups_by_kind.items()}


def report_single_options(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about choices and random draws that never have more than one outcome, also about those that never have any.

    Example: ``choose n in 1..1`` and ``roll d in 6..6``.
    """
    for local_facts, choice in checked_ruleset.notes.choices:
        bounds = _make_bounds(checked_ruleset.constant_facts, local_facts)
        if isinstance(choice, core.Random):
            if bounds.bound_size(choice.domain)[1] <= 1:
                hint = "add outcomes, or write the result without chance"
                report.add(codes.ONE_OPTION, "this has at most one outcome", choice.span, hint)
        elif (phrase := _describe_single_option(choice, bounds)) is not None:
            hint = "add an option, or remove the choice"
            report.add(codes.ONE_OPTION, f"players never have a choice: {phrase}", choice.span, hint)


def _describe_single_option(choice: core.Ask | core.AskMany, bounds: ProgramBounds) -> str | None:
    """Return a phrase for the choice that is none, or None if there can be several options."""
    match choice:
        case core.AskMany(source=source, low=low, high=high, is_ordered=is_ordered):
            max_size, min_count = bounds.bound_size(source)[1], bounds.bound_number(low)[0]
            chooses_none = bounds.bound_number(high)[1] <= 0
            if chooses_none or max_size <= (1 if is_ordered or min_count >= ALL_ITEMS else min_count):
                return f"there is at most one way to choose `{choice.name}`"
        case core.Ask(alternatives=(alternative,)) if all(
            bounds.bound_size(var.domain)[1] <= 1 for var in alternative.vars
        ):
            return f"`{alternative.name}` is the only option" if alternative.name else "there is at most one option"
    return None


def report_unreachable(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about statements that never run, and about phases that never start, because the game has ended before.

    The statements stand behind a call of an effect that always ends the game. The phases stand behind a phase, or the
    setup, that always ends it: by such a call, by ``end game`` itself, by one of these in each branch of an ``if``, or
    by such a phase inside it. Only the first statement behind each call is reported, but every later
    phase at the same level. A phase that has a condition or a repeat doesn't count as ending the game, nor does an
    effect that a rule can replace. Statements behind ``end game`` are not reported here.
    """
    effects = checked_ruleset.effects
    bodies = {name: effect.body for name, effect in effects.items() if not effect.instead}
    ending_effects: set[str] = set()
    while new_effects := {name for name in bodies if _ends_game(bodies[name], ending_effects)} - ending_effects:
        ending_effects |= new_effects

    def _check_body(body: Block) -> None:
        """Warn about the statement behind each call of an effect that ends the game, in a body and its blocks."""
        for block in _iterate_blocks(body, {}, set()):
            for stmt, next_stmt in pairwise(block):
                if isinstance(stmt, core.CallEffect) and stmt.effect in ending_effects and next_stmt.span != stmt.span:
                    message = f"nothing after `{stmt.effect}` ever runs, because it ends the game"
                    report.add(codes.UNREACHABLE, message, next_stmt.span, "remove it, or move it up")

    def _check_phases(phases: Sequence[core.Phase]) -> bool:
        """Report what is unreachable in phases, and those behind one in which the game always ends.

        Returns whether there is such a phase; one with a condition or a repeat doesn't count.
        """
        ending_phase: core.Phase | None = None
        for phase in phases:
            if ending_phase is not None:
                message = f"the phase `{phase.id}` never starts, because `{ending_phase.id}` always ends the game"
                report.add(codes.UNREACHABLE, message, phase.span, "remove it, or move it up")
                continue
            _check_body(phase.body)
            ends = _check_phases(phase.children) or _ends_game(phase.body, ending_effects)
            if ends and phase.condition is None and phase.repeat is None:
                ending_phase = phase
        return ending_phase is not None

    for effect in (*effects.values(), *checked_ruleset.state_checks.values()):
        for body in core.get_bodies(effect):
            _check_body(body)
    _check_phases(checked_ruleset.phases)


def _ends_game(block: Sequence[core.Stmt], ending_effects: Container[str]) -> bool:
    """Return whether a block always ends the game. ``ending_effects`` holds the effects that always do."""
    for stmt in block:
        match stmt:
            case core.EndGame():
                return True
            case core.Stop():
                return False
            case core.CallEffect(effect=effect) if effect in ending_effects:
                return True
            case core.If(branches=branches, otherwise=otherwise):
                if all(_ends_game(body, ending_effects) for body in (*(body for _, body in branches), otherwise)):
                    return True
    return False


RANK_CALL_LIMIT = 10
"""Maximum depth of nested queries in which the terms of a sum are searched."""


def report_equal_rank_terms(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each term of a rank in ``scoring`` that is the same for every player.

    A term is added or subtracted, or is the whole rank. It reads at least one place without a Player index, perhaps
    among others, and doesn't refer to the player. A query about the player (``per: Player``) counts as the terms of its
    value, and a term there is reported there, once. That leaves out queries with ``params`` and queries that rules
    modify: no part of ``me.worth(3)`` is reported. Nothing is reported if only one player can play, if ``scoring``
    declares a chart, or if an ``end game`` names who can win. Example: in ``rank: ["score + round"]`` with one
    ``round`` for all, ``round`` is reported.
    """
    program = checked_ruleset.program
    if program.max_players < 2 or program.scoring.is_selective:
        return
    for rank in program.scoring.rank:
        for term, me in _iterate_terms(rank, 0, program.queries, RANK_CALL_LIMIT):
            places = map(program.get_place, sorted(collect_reads(term, program.queries, program.zones)))
            place = next((place for place in places if PLAYER not in {dim.type for dim in place.dims}), None)
            if place is None or me in core.collect_locals(term):
                continue
            message = "this part of the rank is the same for every player"
            hint = f"declare `{place.name}` with `per: [Player]` if each player has their own, or remove this part"
            notes = [(checked_ruleset.get_declaration_span(place), f"`{place.name}` belongs to no player")]
            report.add(codes.SAME_RANK, message, term.span, hint, notes)


def _iterate_terms(
    expr: core.Expr, me: int, queries: dict[str, core.Query], calls_left: int
) -> Iterator[tuple[core.Expr, int]]:
    """Yield the terms of a sum, each with the slot of the player in its routine. Follows queries about the player."""
    match expr:
        case core.Binary(op="+" | "-", left=left, right=right):
            yield from _iterate_terms(left, me, queries, calls_left)
            yield from _iterate_terms(right, me, queries, calls_left)
        case core.CallQuery(query=name, args=(core.Local(slot=slot),)) if slot == me and calls_left:
            query = queries[name]
            if query.is_per_player and not query.modifiers:
                yield from _iterate_terms(query.value, query.params[0].slot, queries, calls_left - 1)
        case _:
            yield expr, me
