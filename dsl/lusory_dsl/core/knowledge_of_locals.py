"""Find out who knows the values of the locals of a routine.

The analysis runs once for a program. Lints use it, and so does the code that shows events and choices to a seat.

A local has no visibility of its own. Its value was read, chosen or drawn somewhere, and knowing it may require several
things. One is to be the player in another local, such as ``me``, who looked at a hand. Another is to see the component
in the local. The analysis reads statements and follows calls of effects. It looks at no position, and counts a doubtful
value as unknown. Its results decide which options, prompts and announcements a seat may see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import NamedTuple

from .. import core
from ..source.dataclass_with_lazy_methods import dataclass, field
from ..source.in_memory_cache_of_parsed_and_checked_texts import find_cached, get_cached, store_cached
from ..types.types import IntType, ListType, OptionalType, PlayerType, is_component
from .generated_part_origins import LETS, UNSEEN_PICK
from .knowledge_levels_and_knowledge_results import (
    ALL,
    LOCATED,
    NOBODY,
    SEEING,
    Knowledge,
    Level,
    Levels,
    Requirement,
    TextStatement,
    combine_levels,
    convert_zone_requirement,
    is_implied_by,
    merge_levels,
    sets_true,
    shows_owner,
    store_level,
)
from .program_reads_and_value_bounds import collect_writes, collect_writes_of_effects, make_key
from .zone_phase_and_value_triggers import find_zones

Block = tuple[core.Stmt, ...]
CACHE_KEY = "knowledge"
VALUE, NUMBER = "?", "0"
"""In place of the name of an alternative that has none: its options are shown by values, or by numbers.

No alternative has such a name.
"""


def get_knowledge(program: core.Program) -> Knowledge:
    """Return who knows what in the routines of a program.

    The Knowledge is computed at the first call and kept in the program itself: later calls return the same object.
    """
    cache = program.__dict__
    if CACHE_KEY not in cache:
        cache[CACHE_KEY] = _KnowledgeAnalysis(program).knowledge
    knowledge: Knowledge = cache[CACHE_KEY]
    return knowledge


def find_informed_players(slots: set[int], levels: Levels) -> set[int]:
    """Return the slots of the locals that the requirements ``levels`` name for any of ``slots``, except zones.

    A slot without an entry in ``levels`` is known to all. Example: slots {1, 2} and the level {player 3, nobody} for
    slot 1 give {3}.
    """
    parts = (part for slot in slots for part in levels.get(slot, ALL))
    return {part.slot for part in parts if part.slot is not None and part.kind != "zone"}


@dataclass(eq=False)
class _Findings:
    """The results of analysing one effect, or all phases.

    Attributes:
        calls: Calls of effects, with the requirements for knowing that the call runs, and those for its arguments, by
            the slot of the parameter. They are in slots of the called effect.
        hidden_choices: Choices in hidden branches.
    """

    knowledge: Knowledge
    calls: list[tuple[core.CallEffect, Level, Levels]] = field(default_factory=list)
    hidden_choices: list[core.Ask | core.AskMany] = field(default_factory=list)


class _KnowledgeAnalysis:
    """Run the analysis. Effects are analysed again until the requirements for their parameters are stable.

    An effect whose nodes and surroundings are those of an earlier check has the findings of that check.
    """

    def __init__(self, program: core.Program) -> None:
        self.program = program
        cells: tuple[core.Variable | core.Pool, ...] = (*program.variables.values(), *program.pools.values())
        hidden_cells = (cell for cell in cells if cell.visible.constant != "all")  # others require nothing
        described_places = tuple(map(_describe_place, (*hidden_cells, *program.zones.values())))
        self.knowledge = Knowledge()
        self.query_zones: dict[str, frozenset[str] | None] = {}  # zones that the value of a query may come from
        zones = tuple(map(self._find_query_zones, program.queries))
        self.places = get_cached(("identity of places", described_places, zones), object)
        self.queries: dict[tuple[str, bool], Level] = {}  # by query, and whether it is for the components it selects
        self.demands: set[tuple[str, bool]] = set()  # the keys of ``queries`` that the current query has used
        self.summaries: dict[core.Expr, tuple[frozenset[int], bool]] = {}
        self.written_places = collect_writes_of_effects(program)
        self.own_writes: dict[core.Stmt, set[str]] = {}
        self.nested_writes: dict[core.Stmt, set[str]] = {}
        self.true_variables: set[str] = set()  # variables that are certainly True at the current statement
        self.hidden_zones = {name for name, zone in program.zones.items() if zone.visible.constant != "all"}
        self.hidden_kinds = {program.zones[name].holds for name in self.hidden_zones}
        self.params: dict[str, Levels] = {name: {} for name in program.effects}
        self.changed_effects: set[str] = set()  # effects with new requirements for their parameters in this iteration
        self.branch: Level = ALL  # requirements for knowing that the current statement runs
        self.branch_levels: list[Level] = []  # the same for each enclosing branch of the routine, outermost first
        self.let_depths: dict[str, int] = {}  # number of branches around the `let` of each name that the author wrote
        self.stop_level: Level = ALL  # requirements for knowing whether the enclosing loop was left early
        # the same as ``branch`` for the calls of each effect
        self.call_branches: dict[str, Level] = dict.fromkeys(program.effects, ALL)
        self.calls: dict[str, set[core.CallEffect]] = {name: set() for name in program.effects}
        self.mixed_effects: set[str] = set()  # effects whose arguments depend on which of several calls runs
        self.findings = _Findings(Knowledge())  # of the current effect, or of the phases
        self.hidden_choices: dict[core.Ask | core.AskMany, str | None] = {}  # in hidden branches, with their effect
        self.value_names = {"none", "true", "false", *(entity.name for entity in program.entities)}
        self.value_names |= {value.name for enum in program.enums.values() for value in enum.values}
        self.value_names |= {f"P{number}" for number in range(1, program.max_players + 1)}
        key = ("query levels", self.places, *program.queries.values())
        self.queries = get_cached(key, self._compute_query_levels)
        levels = tuple((name, self.queries[name, False], self.queries[name, True]) for name in program.queries)
        effects = tuple(
            (name, tuple(param.slot for param in effect.params), frozenset(self.written_places[name]))
            for name, effect in program.effects.items()
        )
        self.surroundings = get_cached(("knowledge", self.places, effects, levels, program.private_sites), object)
        for phase in (program.setup, *program.phases):
            self._analyse_phase(phase)
        self._add_findings(self.findings, None)
        pending = set(program.effects)
        while pending:
            self.changed_effects = set()
            for name, effect in program.effects.items():
                if name in pending:
                    self._analyse_effect(effect)
            pending = self.changed_effects
        self._find_unclear_choices()

    def _analyse_phase(self, phase: core.Phase) -> None:
        with self._enter_branch(
            *(self._compute_branch_level(condition, {}) for condition in (phase.condition, phase.repeat))
        ):
            self._analyse_body(phase.body, {})
            for child in phase.children:
                self._analyse_phase(child)

    def _analyse_effect(self, effect: core.Effect) -> None:
        """Analyse an effect, and note the requirements that it has for the effects that it calls."""
        rules = (tuple((rule.condition, rule.body) for rule in group) for group in (effect.instead, effect.when))
        incoming_levels = frozenset(self.params[effect.name].items()), self.call_branches[effect.name]
        key = ("knowledge", self.surroundings, effect.body, *rules, *incoming_levels)
        self._add_findings(get_cached(key, partial(self._find_in_effect, effect)), effect.name)

    def _find_in_effect(self, effect: core.Effect) -> _Findings:
        self.findings = _Findings(Knowledge())
        params = self.params[effect.name]
        instead = [self._compute_branch_level(rule.condition, params) for rule in effect.instead]
        with self._enter_branch(self.call_branches[effect.name]):
            for rule in effect.when:
                with self._enter_branch(self._compute_branch_level(rule.condition, params)):
                    self._analyse_body(rule.body, params)
            with self._enter_branch(*instead):
                for body in (effect.body, *(rule.body for rule in effect.instead)):
                    self._analyse_body(body, params)
        return self.findings

    def _add_findings(self, findings: _Findings, effect: str | None) -> None:
        """Add what was found in an effect, or in the phases if ``effect`` is None."""
        self.knowledge.add(findings.knowledge)
        self.hidden_choices.update(dict.fromkeys(findings.hidden_choices, effect))
        for call, branch, levels in findings.calls:
            self._add_call(effect, call, branch, levels)

    def _analyse_body(self, body: Block, params: Levels) -> None:
        levels = dict(params)
        lets = Counter(stmt.slot for stmt in core.walk_statements(body) if isinstance(stmt, core.Let))
        self.slots_bound_once = {slot for slot, times in lets.items() if times == 1}
        self.true_variables = set()
        self._analyse_block(body, levels)
        if any(isinstance(stmt, core.ForEach | core.Repeat) for stmt in core.walk_statements(body)):
            self.true_variables = set()
            self._analyse_block(body, levels)  # Run again, to cover what one pass of a loop leaves for the next.

    def _get_written_places(self, stmt: core.Stmt) -> set[str]:
        """Return the places that a statement may change, without its nested blocks. Results are cached."""
        if isinstance(stmt, core.CallEffect):
            return self.written_places[stmt.effect]
        if stmt not in self.own_writes:
            self.own_writes[stmt] = collect_writes(stmt, self.program.zones)
        return self.own_writes[stmt]

    def _get_nested_writes(self, stmt: core.Stmt) -> set[str]:
        """Return the places that the blocks of a statement may change. Results are cached."""
        if stmt not in self.nested_writes:
            inner_statements = [inner_stmt for block in core.get_blocks(stmt) for inner_stmt in block]
            own_writes = map(self._get_written_places, inner_statements)
            self.nested_writes[stmt] = set[str]().union(*own_writes, *map(self._get_nested_writes, inner_statements))
        return self.nested_writes[stmt]

    # ------------------------------------------------------------ branches

    @contextmanager
    def _enter_branch(self, *conditions: Level) -> Iterator[None]:
        """Analyse the statements of a ``with`` block as running only under some conditions."""
        outer_branch = self.branch
        self.branch = combine_levels(outer_branch, *conditions)
        self.branch_levels.append(combine_levels(*conditions))
        try:
            yield
        finally:
            self.branch = outer_branch
            self.branch_levels.pop()

    def _compute_branch_level(self, condition: core.Expr | None, levels: Levels) -> Level:
        """Return the requirements for knowing whether a condition holds, or another value that selects a branch."""
        level = ALL if condition is None else self._compute_level(condition, levels)
        return combine_levels(store_level(level), NOBODY if level >= LOCATED else ALL)

    def _record_hidden_choice(self, ask: core.Ask | core.AskMany) -> None:
        """Record a choice if the chooser may not know that its branch was taken."""
        chooser = ask.chooser.slot if isinstance(ask.chooser, core.Local) else None
        if any(chooser is None or part.kind == "zone" or part.slot != chooser for part in self.branch):
            self.findings.hidden_choices.append(ask)

    def _find_unclear_choices(self) -> None:
        """Find the choices in possibly hidden branches, and all choices that may look the same.

        A hidden choice that looks like no other is clear, unless the chooser may not know its effect's arguments.
        """
        program = self.program
        bodies = core.iterate_bodies((program.setup, *program.phases), program.effects.values())
        stmts = [stmt for body in bodies for stmt in core.walk_statements(body)]
        appearances = {
            stmt: get_appearance(stmt, self.value_names) for stmt in stmts if isinstance(stmt, core.Ask | core.AskMany)
        }
        for ask, effect in self.hidden_choices.items():
            params = program.effects[effect].params if effect in self.mixed_effects else ()
            knows_arguments = all(
                isinstance(ask.chooser, core.Local) and param.slot == ask.chooser.slot for param in params
            )
            similar_sites = {
                choice.site
                for choice, appearance in appearances.items()
                if choice is not ask and appearance.can_equal(appearances[ask])
            }
            if not knows_arguments or similar_sites:
                self.knowledge.unclear_sites.update(similar_sites, [ask.site])

    # ------------------------------------------------------------ statements

    def _analyse_block(self, block: Block, levels: Levels) -> None:
        for stmt in block:
            self._analyse_statement(stmt, levels)
            self._apply_changes(self._get_written_places(stmt), levels)
            if isinstance(stmt, core.SetCell) and sets_true(stmt):
                self.true_variables.add(stmt.place)

    def _set_level(self, slot: int, level: Level, levels: Levels) -> None:
        level = self._drop_open_places(level)
        levels[slot] = level if slot in self.slots_bound_once else combine_levels(levels.get(slot, ALL), level)

    def _drop_open_places(self, level: Level) -> Level:
        """Remove from a level the places that are certainly visible to everyone at this statement."""
        return frozenset(part for part in level if part.kind != "place" or not self._is_place_open(part.place))

    def _is_place_open(self, place: str) -> bool:
        return is_implied_by(self.program.get_place(place).visible.condition, self.true_variables)

    def _apply_changes(self, places: set[str], levels: Levels) -> None:
        """Update the levels after a change of some places.

        If a place may have been hidden when it was read, only its owner knows the value from here on.
        """

        def update(part: Requirement) -> Requirement:
            if part.kind not in ("place", "location") or part.place not in places:
                return part
            return Requirement("nobody") if part.slot is None else Requirement("player", part.slot)

        for slot, level in levels.items():
            if level:
                levels[slot] = frozenset(map(update, self._drop_open_places(level)))
        self.true_variables -= places

    def _analyse_statement(self, stmt: core.Stmt, levels: Levels) -> None:
        match stmt:
            case core.Let(slot=slot, value=value):
                self._set_level(slot, self._compute_stored_level(value, levels), levels)
            case core.ForEach(slot=slot, source=source, condition=condition):
                level = self._compute_stored_level(source, levels)
                if condition is not None and is_component(source.type):  # for others, as if the block began with `if`
                    level = combine_levels(level, self._compute_selector_level(condition, levels))
                self._set_level(slot, level, levels)
            case core.Random(slot=slot, is_secret=is_secret, actor=actor):
                level = SEEING if stmt.origin.part == UNSEEN_PICK else self._restrict_to_player(actor, levels)
                self._set_level(slot, level if is_secret else ALL, levels)
            case core.AskMany():
                self._analyse_ask_many(stmt, levels)
            case core.Ask():
                self._analyse_ask(stmt, levels)
            case core.CallEffect():
                self._analyse_call(stmt, levels)
            case core.Announce() | core.EndGame():
                self._analyse_text(stmt, levels)
            case core.SetCell(place=place, value=value):
                if stmt.origin.generator == LETS:
                    self.let_depths[place] = len(self.branch_levels)
                branches = self.branch_levels[self.let_depths.get(place, len(self.branch_levels)) :]
                if self._drop_open_places(combine_levels(self._compute_level(value, levels), *branches)):
                    self.findings.knowledge.secret_variables.add(place)
            case _:
                levels |= dict.fromkeys(core.get_bound_slots(stmt), NOBODY)
        nested_writes = self._get_nested_writes(stmt)
        if isinstance(stmt, core.ForEach | core.Repeat):
            self._apply_changes(nested_writes, levels)  # an earlier pass may have changed them
        outer_true_variables = set(self.true_variables)
        self._analyse_blocks(stmt, levels)
        self.true_variables = outer_true_variables - nested_writes

    def _analyse_blocks(self, stmt: core.Stmt, levels: Levels) -> None:
        """Analyse the blocks of a statement."""
        block_levels = self._compute_block_levels(stmt, levels)
        outer_stop_level, outer_true_variables = self.stop_level, set(self.true_variables)
        if isinstance(stmt, core.Stop):
            self.stop_level = combine_levels(outer_stop_level, self.branch)
        elif isinstance(stmt, core.ForEach | core.Repeat):
            self.stop_level = ALL
            with self._enter_branch(*block_levels):
                self._analyse_block(stmt.body, levels)
            if self.stop_level - self.branch:
                self.true_variables = set(outer_true_variables)
                with self._enter_branch(*block_levels, self.stop_level):
                    self._analyse_block(stmt.body, levels)
            self.stop_level = outer_stop_level
        else:
            for block, block_level in zip(core.get_blocks(stmt), block_levels, strict=False):
                self.true_variables = set(outer_true_variables)
                with self._enter_branch(block_level):
                    self._analyse_block(block, levels)

    def _compute_block_levels(self, stmt: core.Stmt, levels: Levels) -> Sequence[Level]:
        """Return the requirements for knowing whether each block of a statement, or a pass of a loop, runs."""
        match stmt:
            case core.If(branches=branches):
                exprs: list[core.Expr | None] = [condition for condition, _ in branches]
            case core.DoByCard(card=card):
                exprs = [card]
            case core.ForEach(source=source, condition=condition) | core.Random(domain=source, condition=condition):
                exprs = [source, condition]
            case core.Repeat(times=times, condition=condition):
                exprs = [times, condition]
            case core.Ask():
                return self._compute_alternative_levels(stmt, levels)
            case _:
                exprs = []
        level = combine_levels(*(self._compute_branch_level(expr, levels) for expr in exprs))
        return [level] * len(core.get_blocks(stmt))

    def _compute_alternative_levels(self, ask: core.Ask, levels: Levels) -> Sequence[Level]:
        """Return the requirements for knowing that each alternative was chosen, then that there was none."""
        offer_exprs = chain.from_iterable(map(core.iterate_offer_expressions, ask.alternatives))
        offer_level = combine_levels(*(self._compute_branch_level(expr, levels) for expr in offer_exprs))
        is_open = len(ask.alternatives) == 1 and not offer_level
        levels_chosen = []
        for alternative in ask.alternatives:
            is_secret = ask.site in self.program.private_sites or any(
                variable.is_secret for variable in alternative.vars
            )
            is_announced = is_open or not (is_secret or alternative.is_pass)
            levels_chosen.append(ALL if is_announced else self._restrict_to_player(ask.chooser, levels))
        return [*levels_chosen, offer_level]

    def _analyse_ask(self, ask: core.Ask, levels: Levels) -> None:
        self._record_hidden_choice(ask)
        unseen_numbers = set()
        for number, alternative in enumerate(ask.alternatives):
            for variable_number, var in enumerate(alternative.vars):
                is_unseen = self._can_offer_unseen(ask, var.domain, var.condition, levels)
                if is_unseen:
                    unseen_numbers.add((number, variable_number))
                self._set_level(var.slot, self._compute_pick_level(ask, var.is_secret, is_unseen, levels), levels)
            if any(self._compute_level(expr, levels) for expr in core.iterate_offer_expressions(alternative)):
                self.findings.knowledge.revealing_sites.add(ask.site)
        self.findings.knowledge.unseen_variables[ask.site] = frozenset(unseen_numbers)
        merge_levels(self.findings.knowledge.site_levels, ask.site, levels)

    def _analyse_ask_many(self, ask: core.AskMany, levels: Levels) -> None:
        self._record_hidden_choice(ask)
        is_unseen = self._can_offer_unseen(ask, ask.source, ask.condition, levels)
        self.findings.knowledge.unseen_variables[ask.site] = frozenset({(0, 0)} if is_unseen else ())
        if self._compute_items_level(ask.source, ask.condition, levels):
            self.findings.knowledge.revealing_sites.add(ask.site)
        self._set_level(ask.slot, self._compute_pick_level(ask, ask.is_secret, is_unseen, levels), levels)
        merge_levels(self.findings.knowledge.site_levels, ask.site, levels)

    def _compute_pick_level(
        self, ask: core.Ask | core.AskMany, is_secret: bool, is_unseen: bool, levels: Levels
    ) -> Level:
        """Return the requirements for a chosen value.

        Everyone sees it, unless it is secret, or a component that is out of sight.
        """
        is_announced = not is_secret and ask.site not in self.program.private_sites
        return combine_levels(
            ALL if is_announced else self._restrict_to_player(ask.chooser, levels), SEEING if is_unseen else ALL
        )

    def _can_offer_unseen(
        self, ask: core.Ask | core.AskMany, domain: core.Expr, condition: core.Expr | None, levels: Levels
    ) -> bool:
        """Return whether a choice may offer components that the chooser can't see."""
        if not (is_component(domain.type) and self._can_be_hidden(domain)):
            return False
        (chooser,) = self._restrict_to_player(ask.chooser, levels)
        for part in self._compute_items_level(domain, condition, levels):
            # The location of other components doesn't hide these. Nothing is met by a chooser who is unknown.
            if part.kind != "location" and (chooser.kind == "nobody" or part.slot != chooser.slot):
                return True
        return False

    def _analyse_text(self, stmt: TextStatement, levels: Levels) -> None:
        """Record a text with values that not everyone knows."""
        text = stmt.text if isinstance(stmt, core.Announce) else stmt.reason
        parts = [part for part in (() if text is None else text.parts) if not isinstance(part, str)]
        part_levels = {part.span: self._drop_open_places(self._compute_level(part, levels)) for part in parts}
        if not any(part_levels.values()):
            return
        merge_levels(self.findings.knowledge.text_levels, stmt, levels)
        is_for_all = isinstance(stmt, core.EndGame) or stmt.to is None
        for span, level in part_levels.items():
            if level >= NOBODY:
                self.findings.knowledge.unreadable_parts[span] = True
            elif is_for_all and any(part.kind in ("player", "zone") for part in level):
                self.findings.knowledge.unreadable_parts.setdefault(span, False)

    @staticmethod
    def _restrict_to_player(player: core.Expr | None, levels: Levels) -> Level:
        """Return the level of a value that only ``player`` knows."""
        if isinstance(player, core.Local) and not levels.get(player.slot, ALL):
            return frozenset({Requirement("player", player.slot)})
        return NOBODY

    def _analyse_call(self, call: core.CallEffect, levels: Levels) -> None:
        """Record a call with the requirements for its arguments, and for the branches around it."""
        params = self.program.effects[call.effect].params
        slot_map = {
            arg.slot: param.slot
            for arg, param in zip(call.args, params, strict=True)
            if isinstance(arg, core.Local) and (isinstance(arg.type, PlayerType) or is_component(arg.type))
        }
        param_levels = {
            param.slot: self._rename_slots(self._drop_open_places(self._compute_stored_level(arg, levels)), slot_map)
            for arg, param in zip(call.args, params, strict=True)
        }
        self.findings.calls.append((call, self._rename_slots(self.branch, slot_map), param_levels))

    def _add_call(self, caller: str | None, call: core.CallEffect, branch: Level, levels: Levels) -> None:
        """Add the requirements of a call to those of the effect.

        An effect for which this changes anything is added to ``changed_effects``, to be analysed again.
        """
        param_levels = self.params[call.effect]
        branch = combine_levels(self.call_branches[call.effect], branch)
        if branch != self.call_branches[call.effect]:
            self.call_branches[call.effect] = branch
            self.changed_effects.add(call.effect)
        calls = self.calls[call.effect]
        calls.add(call)
        if call.effect not in self.mixed_effects and branch and (len(calls) > 1 or caller in self.mixed_effects):
            self.mixed_effects.add(call.effect)
            self.changed_effects.add(call.effect)
        for slot, level in levels.items():
            new_level = combine_levels(param_levels.get(slot, ALL), level)
            if new_level != param_levels.get(slot, ALL):
                param_levels[slot] = new_level
                self.changed_effects.add(call.effect)

    @staticmethod
    def _rename_slots(level: Level, slot_map: Mapping[int, int]) -> Level:
        """Return a level with the slots of one routine replaced by those of another. Unmapped slots become unknown."""

        def rename(part: Requirement) -> Requirement:
            if part.kind == "zone":
                return part
            slot = None if part.slot is None else slot_map.get(part.slot)
            is_unknown = slot is None and part.kind in ("player", "component")
            return Requirement("nobody") if is_unknown else part._replace(slot=slot)

        return frozenset(map(rename, level))

    # ------------------------------------------------------------ values

    def _compute_items_level(self, source: core.Expr, condition: core.Expr | None, levels: Levels) -> Level:
        """Return the requirements for the items of a list that satisfy a condition."""
        level = self._compute_level(source, levels)
        return level if condition is None else combine_levels(level, self._compute_level(condition, levels))

    def _compute_stored_level(self, expr: core.Expr, levels: Levels) -> Level:
        """Return the requirements for a local that is given a value.

        A component from a zone is known to everyone who sees it and knows all values that selected it.
        """
        if is_component(expr.type):
            return self._compute_component_level(expr, levels)
        return store_level(self._drop_open_places(self._compute_level(expr, levels)))

    def _compute_selector_level(self, expr: core.Expr, levels: Levels) -> Level:
        """Return what a value that selects a component adds to the requirements for that component."""
        level = self._drop_open_places(self._compute_level(expr, levels))
        return combine_levels(store_level(level), SEEING if level >= LOCATED else ALL)

    def _compute_component_level(self, expr: core.Expr, levels: Levels) -> Level:
        """Return the requirements for a component, or a list of components.

        The seat must see the components that it may be, and know the values that select it.
        """
        slots, reads_hidden = self._summarize(expr)
        if not reads_hidden and not any(map(levels.get, slots)):
            return ALL
        match expr:
            case core.Local(slot=slot):
                return levels.get(slot, ALL)
            case core.Named(slot=slot, value=value, body=body):
                inner = self._compute_component_level(body, {**levels, slot: self._compute_stored_level(value, levels)})
                return self._leave_component_scope(inner, slot, self._compute_selector_level(value, levels))
            case core.CallQuery(query=name, args=args):
                return combine_levels(
                    self._translate_query_level(self._compute_query_level(name, selects_components=True), args, levels),
                    *(self._compute_stored_level(arg, levels) for arg in args),
                )
            case core.ReadZone(zone=name, indices=indices):
                level = self._drop_open_places(self._compute_place_level(self.program.get_place(name), indices, levels))
                return combine_levels(
                    SEEING if level else ALL, *(self._compute_selector_level(index, levels) for index in indices)
                )
            case core.CallBuiltin() if (end := self._compute_end_level(expr, levels)) is not None:
                return combine_levels(store_level(end - SEEING), end & SEEING)
        sources = self._get_component_sources(expr)
        inner = ALL
        for child in core.get_children(expr):
            compute_level = self._compute_component_level if child in sources else self._compute_selector_level
            inner |= compute_level(child, levels)
        if isinstance(expr, core.ReadCell):
            inner |= self._compute_place_level(self.program.get_place(expr.place), expr.indices, levels)
        inner = inner if self._can_be_hidden(expr) else inner - SEEING
        return self._leave_component_scope(inner, expr.slot, NOBODY) if isinstance(expr, core.ListLoop) else inner

    @staticmethod
    def _get_component_sources(expr: core.Expr) -> tuple[core.Expr, ...]:
        """Return the operands that a component may come from. The other operands only select it."""
        match expr:
            case core.MapList(body=core.Local(slot=slot), source=source) if slot == expr.slot:
                return (source, expr.body)
            case core.MapList(body=body) | core.Concat(body=body):
                return (body,)
            case core.Filter(source=source) | core.Leading(source=source):
                return (source,)
            case core.Extreme(source=source) | core.Distinct(source=source) | core.Sorted(source=source):
                return (source,)
            case core.IfExpr(then=then, otherwise=otherwise):
                return (then, otherwise)
            case core.ByCard(cases=cases, otherwise=otherwise):
                return (otherwise, *(value for _, value in cases))
            case core.Binary(op="except" | "intersect", left=left):
                return (left,)
            case core.Binary(left=left, right=right):
                return (left, right)
            case core.ListLit(items=items):
                return items
            case core.CallBuiltin(args=(first_arg, *_)):
                return (first_arg,)
        return ()

    def _leave_component_scope(self, level: Level, slot: int, bound_level: Level) -> Level:
        """Return a level as seen outside an expression that binds ``slot``.

        ``bound_level`` is the level of the bound value.
        """
        outer_level = ALL
        for part in level:
            match part.kind:
                case "player" if part.slot == slot:
                    outer_level |= NOBODY
                case "component" if part.slot == slot:
                    outer_level |= bound_level
                case "place" if part.slot == slot:
                    outer_level |= {part._replace(slot=None)}
                case "location" if part.slot == slot:
                    pass  # a player who sees a component sees its location
                case _:
                    outer_level |= {part}
        return outer_level

    def _compute_level(self, expr: core.Expr, levels: Levels) -> Level:
        """Return the requirements for knowing a value: those of all operands and places that it reads, combined.

        ``levels`` has those of the locals by slot; a slot without an entry is known to all. An entry for ``~slot`` says
        that everyone knows where the component in that slot is. :data:`ALL` if nothing hidden is read. The number of
        cards in a zone, and whether a card is in an open zone, require only the operands. A loop over what is private
        to several players gives :data:`NOBODY`.
        """
        slots, reads_hidden = self._summarize(expr)
        if not reads_hidden and not any(map(levels.get, slots)):
            return ALL
        if isinstance(expr, core.Named):
            body = self._compute_level(expr.body, {**levels, expr.slot: self._compute_stored_level(expr.value, levels)})
            return self._leave_scope(body, expr.slot, expr.value, SEEING)
        if isinstance(expr, core.Binary) and expr.op == "and":
            # The right operand counts only if the left one holds, which may put a component in an open zone.
            open_levels = self._list_openly_placed(expr.left)
            return self._compute_level(expr.left, levels) | self._compute_level(expr.right, {**levels, **open_levels})
        inner = combine_levels(*(self._compute_level(child, levels) for child in core.get_children(expr)))
        if isinstance(expr, core.ListLoop):
            if any(part.kind in ("player", "zone") and part.slot == expr.slot for part in inner):
                return NOBODY  # it combines private knowledge of several players
            inner = self._leave_scope(inner, expr.slot, expr.source, None)
        program = self.program
        match expr:
            case core.Local(slot=slot):
                level = levels.get(slot, ALL)
                if is_component(expr.type) and level >= SEEING:
                    return level - SEEING | {Requirement("component", slot)}
                return level
            case core.CallBuiltin() if (end := self._compute_end_level(expr, levels)) is not None:
                return end
            case core.CallBuiltin(name="count", args=(core.ReadZone(indices=indices),)):
                return combine_levels(*(self._compute_level(index, levels) for index in indices))
            case core.ReadZone(zone=name, indices=indices):
                zone = program.get_place(name)
                if zone.visible.constant == "all":
                    return inner
                place_level = self._compute_place_level(zone, indices, levels)
                return combine_levels(inner, frozenset(map(convert_zone_requirement, place_level)))
            case core.ReadCell() | core.PoolKinds() | core.PoolTotal():
                (name,) = core.get_reads(expr)
                return combine_levels(inner, self._compute_place_level(program.get_place(name), expr.indices, levels))
            case core.LiesIn(zone=name) if program.zones[name].visible.constant == "all":
                return inner  # the zone is open, so everyone sees what it holds and what it doesn't
            case core.LiesIn(component=component) | core.IndexOfPlace(component=component):
                if isinstance(component, core.Local) and ~component.slot in levels:
                    return inner
                location_level = self._compute_location_level(component)
                return inner if location_level is None else combine_levels(inner, LOCATED, location_level)
            case core.CallQuery(query=name, args=args):
                return combine_levels(inner, self._translate_query_level(self._compute_query_level(name), args, levels))
        return inner

    def _list_openly_placed(self, condition: core.Expr) -> Levels:
        """Return an entry ``~slot`` for each component that is in an open zone if a condition holds."""
        tests = [operand for operand in core.flatten_chain(condition, "and") if isinstance(operand, core.LiesIn)]
        open_places = [test.component for test in tests if test.zone not in self.hidden_zones]
        return {~component.slot: ALL for component in open_places if isinstance(component, core.Local)}

    def _leave_scope(self, level: Level, slot: int, value: core.Expr, replacement: Level | None) -> Level:
        """Return a level as seen outside an expression that binds ``slot`` to a value or to each of its items.

        ``replacement`` replaces a requirement of a place or component that depends on the slot. None: the part of the
        place that belongs to no player."""
        outer_level = ALL
        for part in level:
            if part.slot != slot or part.kind in ("player", "zone"):
                outer_level |= {part}
            elif part.kind == "location":
                outer_level |= self._compute_location_level(value) or ALL
            else:
                outer_level |= {part._replace(slot=None)} if replacement is None else replacement
        return outer_level

    def _compute_location_level(self, component: core.Expr) -> Level | None:
        """Return the requirements for the location of a known component. None: everyone knows it."""
        if not self._can_be_hidden(component):
            return None
        if find_zones(component) is not None:
            return ALL
        match component:
            case core.Local(slot=slot):
                return frozenset({Requirement("location", slot)})
            case core.Const(value=int(number)):
                return frozenset({Requirement("location", place=str(number))})
            case core.ReadCell(place=place, indices=()):
                return frozenset({Requirement("location", place=place)})
            case core.Const():
                return frozenset({Requirement("location")})
        return ALL

    def _can_be_hidden(self, component: core.Expr) -> bool:
        """Return whether a component, or one of a list, may be in a zone that is not open."""
        zones = find_zones(component, self._find_query_zones)
        if zones is not None:
            return not zones.isdisjoint(self.hidden_zones)
        kind = component.type.item if isinstance(component.type, ListType | OptionalType) else component.type
        return kind in self.hidden_kinds

    def _find_query_zones(self, name: str) -> frozenset[str] | None:
        """Return the zones that hold the cards of a query's value. None if that is unknown, or if rules modify it."""
        if name not in self.query_zones:
            query = self.program.queries[name]
            self.query_zones[name] = None if query.modifiers else find_zones(query.value, self._find_query_zones)
        return self.query_zones[name]

    def _summarize(self, expr: core.Expr) -> tuple[frozenset[int], bool]:
        """Return the slots that an expression reads, and whether it may read hidden information. Results are cached."""
        summary = self.summaries.get(expr)
        if summary is None:
            summaries = [self._summarize(child) for child in core.get_children(expr)]
            slots = frozenset({expr.slot} if isinstance(expr, core.Local) else ())
            reads_hidden = any(is_hidden for _, is_hidden in summaries) or self._can_read_hidden(expr)
            summary = self.summaries[expr] = slots.union(*(child_slots for child_slots, _ in summaries)), reads_hidden
        return summary

    def _can_read_hidden(self, expr: core.Expr) -> bool:
        """Return whether an expression may read hidden information, apart from its operands."""
        match expr:
            case core.ReadZone(zone=name) if name in self.program.zones:
                return any(visibility.constant != "all" for visibility in self.program.zones[name].visibilities)
            case core.ReadZone() | core.ReadCell() | core.PoolKinds() | core.PoolTotal():
                (name,) = core.get_reads(expr)
                return self.program.get_place(name).visible.constant != "all"
            case core.LiesIn(component=component) | core.IndexOfPlace(component=component):
                return self._can_be_hidden(component)
            case core.CallQuery(query=name):
                return bool(self._compute_query_level(name))
        return False

    def _compute_end_level(self, expr: core.Expr, levels: Levels) -> Level | None:
        """Return the requirements for the component at an end of a zone. None: the end has no visibility of its own."""
        end_read = core.match_end_read(expr)
        if end_read is None or len(self.program.zones[end_read[0].zone].visibilities) == 1:
            return None
        zone, indices = self.program.zones[end_read[0].zone], end_read[0].indices
        index_level = combine_levels(*(self._compute_level(index, levels) for index in indices))
        if zone.get_end_visibility(end_read[1]).constant == "all":
            return index_level
        return combine_levels(index_level, SEEING)

    def _translate_query_level(self, level: Level, args: tuple[core.Expr, ...], levels: Levels) -> Level:
        """Translate the requirements of a query's body into the slots of its caller.

        A parameter becomes what the argument requires. A secret of a local of the body itself becomes known to nobody.
        """
        caller_level = ALL
        for part in level:
            arg = args[part.slot] if part.slot is not None and part.slot < len(args) else None
            player_level = self._restrict_to_player(arg, levels)
            (player,) = player_level
            match part.kind:
                case "player":
                    caller_level |= player_level
                case "zone":
                    caller_level |= SEEING if player_level == NOBODY else {Requirement("zone", player.slot)}
                case "component":
                    caller_level |= NOBODY if arg is None else self._compute_selector_level(arg, levels)
                case "location" if part.slot is not None:
                    # a slot beyond the parameters holds a card whose own rule modifies the query: it is in play
                    caller_level |= (None if arg is None else self._compute_location_level(arg)) or ALL
                case "place" | "location":
                    caller_level |= {part._replace(slot=player.slot)}
                case _:
                    caller_level |= {part}
        return caller_level

    def _compute_query_levels(self) -> dict[tuple[str, bool], Level]:
        for name in self.program.queries:
            self._compute_query_level(name)
            self._compute_query_level(name, selects_components=True)
        return self.queries

    def _compute_query_level(self, name: str, selects_components: bool = False) -> Level:
        """Return the requirements for the places that a query reads, or for the components that it selects.

        They are in the slots of the query. Results are cached. That of an earlier check is reused if the nodes, the
        places and the results for the queries that it used are the same."""
        demand, query = (name, selects_components), self.program.queries[name]
        self.demands.add(demand)
        if demand in self.queries:
            return self.queries[demand]
        modifiers = tuple((modifier.condition, modifier.value) for modifier in query.modifiers)
        params = ((param.slot, param.type) for param in query.params)
        key = ("query level", self.places, selects_components, query.value, modifiers, *params)
        entry: tuple[Level, dict[tuple[str, bool], Level]] | None = find_cached(key)
        outer_demands, self.demands = self.demands, set()
        if entry is None or any(self._compute_query_level(*callee) != level for callee, level in entry[1].items()):
            self.demands.clear()
            read_levels = (self._compute_level(part, {}) for part in (query.value, *chain(*modifiers)))
            level = self._find_selected_level(query) if selects_components else combine_levels(*read_levels)
            entry = level, {callee: self.queries[callee] for callee in self.demands}
            store_cached(key, entry)
        self.demands, self.queries[demand] = outer_demands, entry[0]
        return entry[0]

    def _find_selected_level(self, query: core.Query) -> Level:
        params: Levels = {param.slot: SEEING for param in query.params if is_component(param.type)}
        conditions = [self._compute_selector_level(modifier.condition, params) for modifier in query.modifiers]
        values = [query.value, *(modifier.value for modifier in query.modifiers)]
        return combine_levels(*conditions, *(self._compute_component_level(value, params) for value in values))

    def _compute_place_level(self, place: core.Place, indices: tuple[core.Expr, ...], levels: Levels) -> Level:
        """Return the requirements for seeing the content of a place."""
        visible, dims = place.visible, place.dims
        if visible.constant == "all":
            return ALL
        pairs = zip(indices, dims, strict=False)
        owner = next((index for index, dim in pairs if isinstance(dim.type, PlayerType)), None)
        if visible.constant is not None:
            return self._restrict_to_player(owner, levels) if visible.constant == "owner" else NOBODY
        (player,) = self._restrict_to_player(owner, levels) if shows_owner(visible.condition) else NOBODY
        return frozenset({Requirement("place", player.slot, place.name)})


def _describe_place(place: core.Variable | core.Pool | core.CardZone) -> tuple[object, ...]:
    """Return a value that is equal for places of the same name with the same content and visibility."""
    visibilities = place.visibilities if isinstance(place, core.CardZone) else (place.visible,)
    held_type = place.type if isinstance(place, core.Variable) else place.holds
    conditions = tuple((visibility.constant, make_key(visibility.condition)) for visibility in visibilities)
    return (place.name, held_type, tuple(dim.type for dim in place.dims), conditions)


# ------------------------------------------------------------ choices that look the same


class Appearance(NamedTuple):
    """The fixed parts of a choice: the beginning and the end of its prompt, and the names of its alternatives.

    A prompt without inserted values begins and ends with a sentinel, so that it equals only the same prompt.
    """

    start: str
    end: str
    names: frozenset[str]

    def can_equal(self, other: Appearance) -> bool:
        """Return whether two choices may look the same: one could be shown where the player expects the other.

        One of the two ``start`` texts must begin with the other, and one of the two ``end`` texts must end with the
        other. The two sets of ``names`` must have a member in common. The relation is symmetric.
        """
        has_common_start = self.start.startswith(other.start) or other.start.startswith(self.start)
        has_common_end = self.end.endswith(other.end) or other.end.endswith(self.end)
        return has_common_start and has_common_end and not self.names.isdisjoint(other.names)


def get_appearance(choice: core.Ask | core.AskMany, value_names: Set[str]) -> Appearance:
    r"""Return the appearance of a choice. ``value_names`` holds the names of all values of the program.

    ``start`` is the prompt before its first inserted value, ``end`` the prompt behind its last one. The sentinel
    ``"\1"`` stands at the outer end of each: “Pay {x} now” has the start ``"\1Pay "`` and the end ``" now\1"``. Without
    an inserted value, both are the whole prompt between two sentinels. ``names`` is the set of the alternatives' names.
    An alternative without a name has the name ``NUMBER`` if its first variable is a number, else ``VALUE``. A choice of
    several items has the names ``VALUE`` and ``done``. If any name is that of a value, ``VALUE`` is among them, too.
    """
    text = "".join(part if isinstance(part, str) else "\0" for part in ("\1", *choice.prompt.parts, "\1"))
    if isinstance(choice, core.AskMany):
        names = {VALUE, "done"}
    else:
        names = {
            alternative.name or (NUMBER if _starts_with_number(alternative) else VALUE)
            for alternative in choice.alternatives
        }
    if not names.isdisjoint(value_names):
        names.add(VALUE)
    return Appearance(text.partition("\0")[0], text.rpartition("\0")[2], frozenset(names))


def _starts_with_number(alternative: core.Alternative) -> bool:
    """Return whether the options of an alternative begin with a number."""
    domain = alternative.vars[0].domain.type
    return isinstance(domain.item if isinstance(domain, ListType) else domain, IntType)
