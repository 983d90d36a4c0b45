"""Desugar triggers on moving cards, phases and changing values into explicit calls.

A statement that may trigger a rule becomes a call of a generated effect, which does the same and then calls the rule.
Engines therefore need no events. Nothing triggers during setup, which calls copies of the effects without triggers.

Example: with the rule ``when card enters hand: draw()``, the statement ``move c to hand`` becomes ``call "move to
hand"(c)``. That generated effect moves the card, and then calls the rule's effect with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import core
from ..core.generated_part_origins import EVENTS, Origin
from ..core.internal_names_and_internal_variables import ENTERING_SUFFIX, make_hidden_variable, make_internal_name
from ..core.program_reads_and_value_bounds import Block
from ..core.zone_phase_and_value_triggers import ChangeTrigger, Triggers, ZoneTrigger
from ..source.dataclass_with_lazy_methods import replace
from ..types.types import BOOL, INT, PLAYER, ListType, OptionalType, Type
from .pass_helpers import EffectBuilder, EffectCopies, map_phase_blocks, map_program_blocks


def desugar_triggers(program: core.Program, triggers: Triggers) -> core.Program:
    """Return a program in which each statement that may trigger a rule is a call of an effect that also calls the rule.

    Example: with the rule ``when card enters hand: draw()``, ``move c to hand`` becomes a call of a generated effect.
    The effect notes which cards are not in the hand yet, and moves all. A loop then calls the rule for each card that
    it noted. A rule that triggers on a phase is called at the start or end of the phase's body. A phase ``turn`` with
    children gets a first child ``turn begins`` or a last child ``turn ends`` instead. The setup triggers nothing: its
    own statements stay, and in place of an effect that can trigger a rule, it calls a copy without the calls of rules.
    Returns the program itself if ``triggers`` is empty.
    """
    if not triggers:
        return program
    weaver = _Weaver(program, triggers)
    result = map_program_blocks(program, weaver.weave_block, weaver.weave_block)
    phases = tuple(_add_phase_triggers(phase, triggers) for phase in result.phases)
    setup = map_phase_blocks(program.setup, weaver.setup_copies.map_block)
    copies = weaver.setup_copies.copies
    effects = {**result.effects, **weaver._make_entry_records(result.effects), **weaver.move_effects, **copies}
    return replace(result, phases=phases, setup=setup, effects=effects, variables=program.variables | weaver.variables)


# ---------------------------------------------------------------- phases


def _add_phase_triggers(phase: core.Phase, answers: Triggers) -> core.Phase:
    """Return a phase that calls the rules that trigger on its beginning and its end, also in its descendants."""
    children = tuple(_add_phase_triggers(child, answers) for child in phase.children)
    begins, ends = (
        tuple(
            core.CallEffect(phase.span, answer.effect, (), origin=Origin(EVENTS, phase.id))
            for answer in answers.phases
            if (answer.phase, answer.verb) == (phase.id, verb)
        )
        for verb in ("begins", "ends")
    )
    if not children:
        return replace(phase, body=(*begins, *phase.body, *ends))
    return replace(
        phase, children=(*_make_phase_part(phase, "begins", begins), *children, *_make_phase_part(phase, "ends", ends))
    )


def _make_phase_part(phase: core.Phase, verb: str, calls: Block) -> tuple[core.Phase, ...]:
    """Return a phase, in a tuple, that makes some calls. Return an empty tuple if there are none."""
    origin = Origin(EVENTS, phase.id, verb)
    trigger_phase = core.Phase(f"{phase.id} {verb}", None, 0, None, None, 1, calls, (), phase.span, origin)
    return (trigger_phase,) if calls else ()


# ---------------------------------------------------------------- statements


class _Weaver:
    """Replace statements that trigger rules by calls of generated effects.

    Each statement has an effect of its own, so that faults and knowledge of cards stay separate.

    Attributes:
        move_effects: The generated effects by name.
        variables: The hidden variables that they need.
        setup_copies: The effects that the setup calls, which trigger nothing.
    """

    def __init__(self, program: core.Program, answers: Triggers) -> None:
        self.program = program
        self.triggers = answers
        self.move_effects: dict[str, core.Effect] = {}
        self.variables: dict[str, core.Variable] = {}
        self.setup_copies = EffectCopies(program.effects, EVENTS, "the setup", self._can_trigger)
        self._triggers_by_effect: dict[str, bool] = {}

    def weave_block(self, block: Block) -> Block:
        """Return a block with calls of the rules that its statements trigger."""
        return tuple(self._weave(stmt) for stmt in block)

    def _weave(self, stmt: core.Stmt) -> core.Stmt:
        if not self._has_triggers(stmt):
            return core.map_blocks(stmt, self.weave_block)
        if type(stmt) not in WEAVE_METHODS:
            raise TypeError(f"{type(stmt).__name__}: rules answer to it, and nothing attaches them")
        return WEAVE_METHODS[type(stmt)](self, stmt)

    def _weave_card_move(self, stmt: core.MoveCards) -> core.Stmt:
        """Return a CallEffect of a new effect, which moves the cards and runs the rules that the move triggers.

        The arguments are the list of the cards and the indices of the target.
        """
        (move,) = core.get_moves(stmt)
        answers, replacements = self.triggers.find_for_move(move, self.program.zones)
        args = (_make_list(stmt.cards, self.program.zones[stmt.target].holds), *stmt.target_indices)
        builder = _make_builder(f"move to {stmt.target}", stmt, [arg.type for arg in args])
        body = _CardMoveBuilder(self, builder, stmt, answers, replacements).build_body()
        return self._register_effect(builder, stmt, body, args)

    def _weave_counter_move(self, stmt: core.MoveCount) -> core.Stmt:
        """Return a call of a new effect, which moves the counters and runs the rules that the move triggers.

        The arguments are the kind and the amount, as far as the statement has them, and the indices of both pools.
        """
        kind_and_amount = [expr for expr in (stmt.kind, stmt.amount) if expr is not None]
        args = (*kind_and_amount, *stmt.source_indices, *stmt.target_indices)
        builder = _make_builder(f"move from {stmt.source} to {stmt.target}", stmt, [arg.type for arg in args])
        return self._register_effect(builder, stmt, self._build_counter_move(builder, stmt), args)

    def _weave_assignment(self, stmt: core.SetCell) -> core.Stmt:
        """Return a call of a new effect, which changes a variable or count and runs the rules that the change triggers.

        The arguments are the indices and the new value, or the number to add or subtract.
        """
        place = self.program.get_place(stmt.place)
        place_type = place.type if isinstance(place, core.Variable) else INT
        value_type = place_type if stmt.op == "set" else INT
        builder = _make_builder(stmt.place, stmt, [*(index.type for index in stmt.indices), value_type])
        *indices, value = builder.params
        body: list[core.Stmt] = []
        old = builder.add_let("old", core.ReadCell(place_type, builder.span, stmt.place, tuple(indices)), body)
        body.append(core.SetCell(builder.span, stmt.place, tuple(indices), stmt.op, value, origin=builder.origin))
        due_triggers = self.triggers.find_for_change(stmt.place, None)
        body.append(_make_change_calls(builder, stmt.place, indices, old, due_triggers))
        return self._register_effect(builder, stmt, tuple(body), (*stmt.indices, stmt.value))

    def _has_triggers(self, stmt: core.Stmt) -> bool:
        return any(True for _ in self.triggers.find_triggered_rules(stmt, self.program.zones))

    def _register_effect(
        self, builder: EffectBuilder, stmt: core.Stmt, body: Block, args: Sequence[core.Expr]
    ) -> core.Stmt:
        """Register the generated effect of a statement, and return a call of it."""
        name = f"{builder.origin.declaration}: {len(self.move_effects) + 1}"
        self.move_effects[name] = builder.build_effect(name, body)
        return core.CallEffect(stmt.span, name, tuple(args), origin=stmt.origin)

    def _can_trigger(self, name: str) -> bool:
        """Return whether an effect triggers a rule, directly or through calls."""
        if name not in self._triggers_by_effect:
            self._triggers_by_effect[name] = any(
                self._can_trigger(stmt.effect) if isinstance(stmt, core.CallEffect) else self._has_triggers(stmt)
                for body in core.get_bodies(self.program.effects[name])
                for stmt in core.walk_statements(body)
            )
        return self._triggers_by_effect[name]

    # ------------------------------------------------------------ variables and pools

    def _build_counter_move(self, builder: EffectBuilder, stmt: core.MoveCount) -> Block:
        """Return a move of counters, followed by the rules that its source triggers, then its target, kind by kind."""
        params = list(builder.params)
        kind = None if stmt.kind is None else params.pop(0)
        amount = None if stmt.amount is None else params.pop(0)
        split = len(stmt.source_indices)
        statements_before: list[core.Stmt] = []
        statements_after: list[core.Stmt] = []
        for pool, indices in ((stmt.source, params[:split]), (stmt.target, params[split:])):
            due_triggers = self.triggers.find_for_change(pool, stmt.kind)
            if due_triggers:
                self._watch_pool(builder, (pool, indices), kind, due_triggers, (statements_before, statements_after))
        places = (stmt.source, tuple(params[:split]), stmt.target, tuple(params[split:]))
        move = core.MoveCount(builder.span, kind, amount, *places, origin=builder.origin)
        return (*statements_before, move, *statements_after)

    def _watch_pool(
        self,
        builder: EffectBuilder,
        place: tuple[str, Sequence[core.Expr]],
        kind: core.Expr | None,
        due_triggers: Sequence[ChangeTrigger],
        surrounding: tuple[list[core.Stmt], list[core.Stmt]],
    ) -> None:
        """Store the counts of a pool before a move, and call the triggered rules after it."""
        pool, indices = place
        statements_before, statements_after = surrounding
        decl = self.program.pools[pool]
        kinds: core.Expr = core.Const(ListType(decl.holds), builder.span, decl.kinds)
        if kind is not None:
            kinds = core.ListLit(ListType(decl.holds), builder.span, (kind,))
        kind_item, number = builder.make_local("kind", decl.holds), builder.make_local("number", INT)
        count = core.ReadCell(INT, builder.span, pool, (*indices, kind_item))
        old_counts = builder.add_let("before", builder.make_map(kinds, kind_item, count), statements_before)
        loop_body: list[core.Stmt] = []
        current_kind = builder.add_let("kind", builder.make_builtin_call("at", decl.holds, kinds, number), loop_body)
        old = builder.add_let("old", builder.make_builtin_call("at", INT, old_counts, number), loop_body)
        loop_body.append(_make_change_calls(builder, pool, (*indices, current_kind), old, due_triggers))
        statements_after.append(builder.make_index_loop(number, kinds, loop_body))

    # ------------------------------------------------------------ cards that come to lie somewhere

    def _make_entry_records(self, effects: Mapping[str, core.Effect]) -> dict[str, core.Effect]:
        """Return, by name, the effects of cards that enter a zone, with a new body that records the card.

        The new body only appends the card to the zone's list of entering cards. Like any body, it doesn't run if a
        rule replaces the effect. Effects of zones without such a list are left out.
        """
        recorded_effects: dict[str, core.Effect] = {}
        for replacement in self.triggers.replacements:
            effect, name = effects[replacement.effect], make_internal_name(replacement.zone, ENTERING_SUFFIX)
            if name not in self.variables:
                continue
            card = effect.params[-2]
            list_type, span = ListType(card.type), effect.instead[0].span
            entering_card = core.ListLit(list_type, span, (core.Local(card.type, span, card.slot, card.name),))
            cards = core.Binary(list_type, span, "join", core.ReadCell(list_type, span, name, ()), entering_card)
            record = core.SetCell(span, name, (), "set", cards, origin=Origin(EVENTS, replacement.zone))
            recorded_effects[effect.name] = replace(effect, body=(record,))
        return recorded_effects


WEAVE_METHODS: dict[type[core.Stmt], Callable[[_Weaver, Any], core.Stmt]] = {
    core.MoveCards: _Weaver._weave_card_move,
    core.MoveCount: _Weaver._weave_counter_move,
    core.SetCell: _Weaver._weave_assignment,
}
"""Statement class -> the method that attaches triggered rules. Every class that moves components needs an entry."""


class _CardMoveBuilder:
    """A builder for a move of cards and the rules that it triggers.

    ``sources`` lists the zones that matter as a card's former location.
    """

    def __init__(
        self,
        weaver: _Weaver,
        builder: EffectBuilder,
        stmt: core.MoveCards,
        answers: Sequence[ZoneTrigger],
        replacements: Sequence[ZoneTrigger],
    ) -> None:
        """Prepare the effect that takes the place of a move of cards.

        The first parameter of ``builder`` is the list of cards.

        ``sources`` are the names, sorted, of the zones that the triggers and replacements ask about.
        """
        self.weaver = weaver
        self.builder = builder
        self.stmt = stmt
        self.triggers = answers
        self.replacements = replacements
        self.kind = weaver.program.zones[stmt.target].holds
        self.cards, *self.indices = builder.params
        zones = {trigger.zone if trigger.verb == "leaves" else trigger.other_zone for trigger in answers}
        zones |= {trigger.other_zone for trigger in replacements}
        self.sources = sorted({zone for zone in zones if zone is not None})
        self.statements: list[core.Stmt] = []

    def build_body(self) -> Block:
        """Return all statements that replace the move, in the order of these steps. Append them to ``statements``.

        1. A Let binds the new cards, which are not in the target yet, without duplicates. Two Lets bind a list for
           them: the numbers of their zones in ``sources``, from 1 (0 for any other zone), and their zones' owners.
        2. A loop over the new cards calls the effect whose rules replace an entering. A let binds the cards that still
           move.
        3. An assignment clears the hidden list of recorded cards, which is added to ``weaver.variables``.
        4. The move follows, also of cards that are in the target already.
        5. A loop over all new cards calls, for each that moved, the rules about leaving, then those about entering.

        The let of the new cards and the move are always there. Other parts are left out if no rule needs them.
        """
        builder, stmt, statements = self.builder, self.stmt, self.statements
        item = builder.make_local("card", self.kind)
        target_cards = core.ReadZone(ListType(self.kind), builder.span, stmt.target, tuple(self.indices))
        cards_elsewhere = builder.make_filter(
            self.cards, item, builder.make_not(builder.make_test("in", item, target_cards))
        )
        entering_cards = builder.add_let(
            "coming", builder.make_builtin_call("unique", cards_elsewhere.type, cards_elsewhere), statements
        )
        source_numbers = owners = None
        if self.sources:
            source_numbers = builder.add_let("places", self._make_source_numbers(entering_cards), statements)
        if any(trigger.verb == "leaves" and trigger.passes_owner for trigger in self.triggers):
            owners = builder.add_let("owners", self._make_owners(entering_cards), statements)
        remaining_cards = self._build_replacement_tests(entering_cards, source_numbers) if self.replacements else None
        moved_cards, indices = remaining_cards or self.cards, tuple(self.indices)
        move = core.MoveCards(builder.span, moved_cards, stmt.target, indices, stmt.position, origin=builder.origin)
        statements.append(move)
        if self.triggers:
            number = builder.make_local("number", INT)
            loop_body: list[core.Stmt] = []
            card = builder.add_let(
                "card", builder.make_builtin_call("at", self.kind, entering_cards, number), loop_body
            )
            calls = [
                self._make_call(answer, card, None if answer.verb == "enters" else owners, source_numbers, number)
                for verb in ("leaves", "enters")
                for answer in self.triggers
                if answer.verb == verb
            ]
            if remaining_cards is not None:
                calls = [builder.make_if(builder.make_test("in", card, remaining_cards), calls)]
            statements.append(builder.make_index_loop(number, entering_cards, [*loop_body, *calls]))
        return tuple(statements)

    def _make_call(
        self,
        answer: ZoneTrigger,
        card: core.Expr,
        owners: core.Expr | None,
        places: core.Expr | None,
        number: core.Expr,
    ) -> core.Stmt:
        """Return the call of a rule for a card that has moved, on condition that it came from the right zone."""
        builder = self.builder
        me: tuple[core.Expr, ...] = ()
        if answer.passes_owner:
            me = (self.indices[0],) if owners is None else (builder.make_builtin_call("at", PLAYER, owners, number),)
        call = builder.make_effect_call(answer.effect, *me, card)
        source = answer.zone if answer.verb == "leaves" else answer.other_zone
        if source is None or places is None:
            return call
        return builder.make_if(self._make_source_test(source, places, number), (call,))

    def _build_replacement_tests(self, arrivals: core.Expr, places: core.Expr | None) -> core.Expr:
        """Append a loop that calls the replacement rules for each card that enters, and return a local with the cards
        that still move.

        These are the moved cards that don't enter anew, and those that the effect recorded in a hidden variable, which
        is cleared afterwards.
        """
        builder, weaver, (replacement, *_) = self.builder, self.weaver, self.replacements
        list_type, name = ListType(self.kind), make_internal_name(self.stmt.target, ENTERING_SUFFIX)
        weaver.variables[name] = make_hidden_variable(
            name, list_type, (), builder.span, Origin(EVENTS, self.stmt.target, ENTERING_SUFFIX), visibility="nobody"
        )
        number, item = builder.make_local("number", INT), builder.make_local("card", self.kind)
        place = builder.make_number(0)
        for source, source_number in weaver.triggers.source_numbers.items():
            if source in self.sources and places is not None:
                was_in_source = self._make_source_test(source, places, number)
                place = core.IfExpr(INT, builder.span, was_in_source, builder.make_number(source_number), place)
        owner = (self.indices[0],) if replacement.passes_owner else ()
        card = builder.make_builtin_call("at", self.kind, arrivals, number)
        call = builder.make_effect_call(replacement.effect, *owner, card, place)
        self.statements.append(builder.make_index_loop(number, arrivals, (call,)))
        recorded_cards = core.ReadCell(list_type, builder.span, name, ())
        is_arrival, is_recorded = (builder.make_test("in", item, cards) for cards in (arrivals, recorded_cards))
        is_moving = builder.make_test("or", builder.make_not(is_arrival), is_recorded)
        moved_cards = builder.add_let("moved", builder.make_filter(self.cards, item, is_moving), self.statements)
        self.statements.append(builder.make_assignment(name, core.Const(list_type, builder.span, ())))
        return moved_cards

    def _make_source_number(self, source: str) -> core.Expr:
        return self.builder.make_number(1 + self.sources.index(source))

    def _make_source_test(self, source: str, places: core.Expr, number: core.Expr) -> core.Expr:
        """Return the test that the card at a position came from ``source``."""
        place = self.builder.make_builtin_call("at", INT, places, number)
        return self.builder.make_test("=", place, self._make_source_number(source))

    def _make_source_numbers(self, cards: core.Expr) -> core.Expr:
        """Return, for each card, the number of its zone in ``sources`` from 1, or 0 for any other zone."""
        builder = self.builder
        card, number = builder.make_local("card", self.kind), builder.make_number(0)
        for source in self.sources:
            is_in_source = core.LiesIn(BOOL, builder.span, card, source)
            number = core.IfExpr(INT, builder.span, is_in_source, self._make_source_number(source), number)
        return builder.make_map(cards, card, number)

    def _make_owners(self, cards: core.Expr) -> core.Expr:
        """Return, for each card, the owner of its zone. If the zone has no owner, this is the first player."""
        builder = self.builder
        card = builder.make_local("card", self.kind)
        optional_owner = core.IndexOfPlace(OptionalType(PLAYER), builder.span, card)
        has_no_owner = builder.make_test("=", optional_owner, core.Const(OptionalType(PLAYER), builder.span, None))
        first = builder.make_builtin_call("first", PLAYER, core.Players(ListType(PLAYER), builder.span))
        owner = core.IfExpr(PLAYER, builder.span, has_no_owner, first, core.IndexOfPlace(PLAYER, builder.span, card))
        return builder.make_map(cards, card, owner)


def _make_builder(declaration: str, stmt: core.Stmt, param_types: Sequence[Type]) -> EffectBuilder:
    """Return a builder for the effect that takes the place of a statement."""
    return EffectBuilder(stmt.span, Origin(EVENTS, declaration, "made"), param_types)


def _make_change_calls(
    builder: EffectBuilder, place: str, indices: Sequence[core.Expr], old: core.Expr, triggers: Sequence[ChangeTrigger]
) -> core.Stmt:
    """Return the calls of the rules that trigger on a change, on condition that the value did change."""
    calls: list[core.Stmt] = []
    for trigger in triggers:
        call = builder.make_effect_call(trigger.effect, *indices, old)
        if trigger.kind is not None:
            kind = core.Const(indices[-1].type, builder.span, trigger.kind)
            call = builder.make_if(builder.make_test("=", indices[-1], kind), (call,))
        calls.append(call)
    current_value = core.ReadCell(old.type, builder.span, place, tuple(indices))
    return builder.make_if(builder.make_test("!=", current_value, old), calls)


def _make_list(cards: core.Expr, kind: Type) -> core.Expr:
    """Convert one card, an optional card or a list of cards to a list."""
    list_type = ListType(kind)
    match cards.type:
        case ListType():
            return cards
        case OptionalType(item=item):
            empty_list = core.Const(list_type, cards.span, ())
            is_none = core.Binary(BOOL, cards.span, "=", cards, core.Const(cards.type, cards.span, None))
            single_list = core.ListLit(list_type, cards.span, (replace(cards, type=item),))
            return core.IfExpr(list_type, cards.span, is_none, empty_list, single_list)
    return core.ListLit(list_type, cards.span, (cards,))
