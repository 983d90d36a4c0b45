"""Play games by walking the checked syntax tree. This engine is slow and simple, and serves as the test oracle.

A run that reaches a choice ends. Its state holds only the position at the start of the current operation (the *base*)
and the answers since then. To continue, the engine runs the operation again with one more answer. ``State.frame`` of a
waiting game is::

    [operation, base cells, base zones, answers, tape, site, slots, picks]

- ``operation`` is the number of the ``Run`` operation of the flow.
- The base cells and zones hold the position at its start.
- ``answers`` holds one entry for each choice since: ``(alternative, values, whether a seat decided)``. For a choice of
  several items, the value is the number of the candidate. The entry is None if there was no option.
- ``tape`` holds one entry for each use of chance since: None if a random stream was used, else the dictated value.
- ``site`` is the choice that waits, and ``slots`` are the locals of the routine that asks.
- ``picks`` holds the numbers of the candidates picked so far in a choice of several items.

All entries are tuples and plain values. The frame of a finished game is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from lusory_dsl import core
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.source.source import Span

from ..state import events_redaction_and_text as events, random_streams
from ..state.decisions_outcomes_and_faults import Decision, NoSuchOption, Option, Outcome, list_open_picks, rank_outcome
from ..state.events_redaction_and_text import Event, Log
from ..state.flattened_phases import BeginPass, Block, Enter, Flow, Jump, Operation, Reset, Test, flatten
from ..state.setting_value_limits_builtins_and_names import (
    CARDS_NOT_IN_ZONE,
    IMPOSSIBLE_DRAW,
    NONE_AS_NUMBER,
    Draw,
    ForcedChance,
    Setting,
    Value,
    check_int,
    describe_exceeded_bound,
    describe_exceeded_limit,
    describe_wrong_pool,
    unwrap_list_type,
)
from ..state.state import State
from ..state.static_work_charges_and_list_bounds import Charge
from ..view.seat_view import format_public_end_reason, redact_announcement
from . import expressions
from .expressions import Reader, Slots, find_initial_position, pad_slots, seed_state

Answer = tuple[int, tuple[Value, ...], bool]
Answers = tuple[Answer | None, ...]
Tape = tuple[Any, ...]


class Evaluator:
    """Play the games of one setting. An evaluator is immutable, because the state holds everything about a game."""

    def __init__(self, setting: Setting, execution_class: type[Execution] | None = None) -> None:
        """Prepare the operations. ``execution_class`` executes a run; the default is :class:`Execution`."""
        self.setting = setting
        self.layout = setting.layout
        self.flow = flatten(setting.program)
        self.execution_class = execution_class or Execution

    @cached_property
    def initial(self) -> State:
        """The position before the setup, without seeded random streams. Treat it as a constant: copy it before a
        change.
        """
        return find_initial_position(self.setting)

    def start(self, seed: random_streams.Seed, log: Log | None = None, forced: ForcedChance | None = None) -> State:
        """Start a new game, and return its state at the first decision or at its end.

        Raise RulesetFault if the rules fail.

        Args:
            seed: A number, taken modulo 2**64, or a secure seed as text.
            log: A list to which the events of the setup are appended, or None.
            forced: Results of chance that replace random ones, or None. Used results are removed.
        """
        state = seed_state(self.layout, self.initial, seed)
        return self.execution_class(self.setting, self.flow, state, log, forced).run_from(0)

    def enter(self, phase: str, state: State, log: Log | None = None, forced: ForcedChance | None = None) -> State:
        """Continue from the start of the phase with this id, and return the state at the next decision or at the end.

        ``state`` stays unchanged; a decision that it waits for is dropped. ``log`` and ``forced`` are as for
        :meth:`start`. Raise KeyError for an unknown phase, and RulesetFault if the rules fail.
        """
        return self.execution_class(self.setting, self.flow, state.copy(), log, forced).run_from(
            self.flow.starts[phase]
        )

    def decision(self, state: State) -> Decision | None:
        """Return the pending decision, or None if the game is over. ``state`` stays unchanged.

        Each call makes a new Decision, but its options are cached in a state that this engine made. For other states
        they are computed at each call, which may raise RulesetFault.
        """
        if not state.frame:
            return None
        if state.cached_decision is not None:
            return Decision(*state.cached_decision)
        site, slots, picks = state.frame[5:8]
        reader = Reader(self.setting, state.cells, state.zones)
        ask = self.setting.sites[site]
        seat = reader.require(ask.chooser, list(slots))
        return Decision(site, seat, offer(reader, ask, list(slots), picks))

    def apply(self, state: State, option: int, log: Log | None = None, forced: ForcedChance | None = None) -> State:
        """Return the state at the next decision, or at the end, after ``option`` was taken. ``state`` stays unchanged.

        ``option`` is an index of the decision's options, from 0. Raise NoSuchOption if there is none with this number
        or the game is over, and RulesetFault if the rules fail. ``log`` receives the events of the step.
        """
        operation, base, answers, tape = self.prepare_resume(state, option)
        return self.execution_class(self.setting, self.flow, base, log, forced, answers, tape).run_from(operation)

    def prepare_resume(self, state: State, option: int) -> tuple[int, State, Answers, Tape]:
        """Return what a run needs to continue with this option.

        It is the operation's number, a copy of the position before the operation, the answers since then, and the tape
        of chance. The last answer is the one that ``option`` gives: the alternative, its values, True. At a choice of
        several items, it is ``(0, (n,), True)`` for a pick and ``(1, (), True)`` for "done". There ``n`` is the number,
        from 0, of the item among all candidates, of which some may be picked already.
        Raise NoSuchOption for an option that the decision does not have, and if the game is over.
        """
        decision = self.decision(state)
        if decision is None or not 0 <= option < len(decision.options):
            raise NoSuchOption(option)
        operation, cells, zones, answers, tape, site, slots, picks = state.frame
        base = State(list(cells), [list(zone) for zone in zones], [])
        taken_option = decision.options[option]
        values, ask = taken_option.values, self.setting.sites[site]
        if isinstance(ask, core.AskMany) and values:
            reader = Reader(self.setting, state.cells, state.zones)
            candidates, _, _ = find_candidates(reader, ask, list(slots))
            values = (_find_pick(ask, taken_option, decision.options, picks, len(candidates)),)
        return operation, base, (*answers, (taken_option.alternative, values, True)), tape

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome of the game, or None while it runs.

        ``ranks`` has a tuple of rank values for each seat, such as ``((3,), (1,))``. Each shown score is a title and a
        value for each seat: ``score_columns`` is like ``(("Gold", (3, 1)),)``. ``winners`` and ``places`` follow from
        ``ranks``, see :func:`rank_outcome`: higher is better. Nobody wins if ``scoring.is_selective`` and all first
        values are 0. Without an expression for ``payoffs``, the winners share 1, and the others get 0. In a zero-sum
        game the others share -1 instead, but if all or none win, all get 0. Raise RulesetFault if a rank, score or
        payoff fails or is none, or if ``charges.scoring_work`` exceeds ``limits.decision``.
        """
        if not state.cells[self.layout.over]:
            return None
        scoring = self.setting.program.scoring
        reader = Reader(self.setting, state.cells, state.zones)
        if self.setting.charges.scoring_work > self.setting.limits.decision:
            reader.fail(describe_exceeded_limit(self.setting, "decision", state), scoring.rank[0].span)
        seats = range(self.setting.players)

        def compute_column(expr: core.Expr) -> tuple[int, ...]:
            return tuple(reader.require(expr, pad_slots((seat,), scoring.n_slots)) for seat in seats)

        columns = [compute_column(expr) for expr in scoring.rank]
        ranks = tuple(tuple(values[seat] for values in columns) for seat in seats)
        payoffs = None if scoring.payoff is None else compute_column(scoring.payoff)
        scores = tuple((title, compute_column(expr)) for title, expr in scoring.columns)
        return rank_outcome(
            state.cells[self.layout.reason], ranks, payoffs, scores, scoring.is_selective, scoring.is_zero_sum
        )

    def get_locals(self, state: State) -> Sequence[Value]:
        """Return a list of the local slots of the routine that asks, or an empty list if the game is over."""
        return list(state.frame[6]) if state.frame else []

    def get_picks(self, state: State) -> Sequence[int]:
        """Return the indices of the items that a choice of several has picked so far, in the order of the picks."""
        return tuple(state.frame[7]) if state.frame else ()

    def get_phase(self, state: State) -> str | None:
        """Return the id of the running leaf phase, ``setup`` during the setup, or None if the game is over."""
        operation = self.flow.operations[state.frame[0]] if state.frame else None
        return None if operation is None or isinstance(operation, Jump) else operation.phase.id


# ---------------------------------------------------------------- options


def offer(reader: Reader, ask: core.Ask | core.AskMany, slots: Slots, picks: Sequence[int] = ()) -> tuple[Option, ...]:
    """Return the options of a choice, numbered from 0.

    A false condition leaves out an alternative, a value of a variable, or a candidate. The options of an Ask have the
    order of the alternatives; in each, the last variable varies fastest. For an AskMany, ``picks`` holds the indices
    picked so far among the candidates. A pick of the card 7 is like ``Option(1, 0, (7,))``. Once the minimum is
    reached, "done" comes before all picks: ``Option(0, 1, ())``. An ordered choice offers each candidate not picked
    yet. An unordered one offers those after the last pick that leave enough for the minimum: at first the first two of
    three, if it is 2. A minimum above the number of candidates counts as that number. The result is empty at the
    maximum, and when no candidate is left. Raise RulesetFault if there are more options, or candidates, than
    ``limits.options``. ``slots`` may change.
    """
    if isinstance(ask, core.AskMany):
        return _offer_picks(reader, ask, slots, picks)
    valid: list[tuple[int, tuple[Value, ...]]] = []
    for number, alternative in enumerate(ask.alternatives):
        if all(reader.holds(condition, slots) for condition in alternative.conditions):
            valid += [(number, values) for values in iterate_combinations(reader, alternative.vars, slots)]
    _limit_options(reader, ask, len(valid))
    return tuple(Option(i, number, values) for i, (number, values) in enumerate(valid))


def _limit_options(reader: Reader, ask: core.Ask | core.AskMany, count: int) -> None:
    """Raise RulesetFault at the place of ``ask`` if ``count``, its number of options, is above the limit."""
    if count > reader.setting.limits.options:
        reader.fail(describe_exceeded_limit(reader.setting, "options", reader.state), ask.span)


def iterate_combinations(
    reader: Reader, variables: tuple[core.ChoiceVar, ...], slots: Slots
) -> Iterator[tuple[Value, ...]]:
    """Yield every combination of the variables' values, in the order of ``variables``. The last variable varies
    fastest.

    Only values for which a variable's condition holds are used. Without variables, yield ``()`` once. Earlier values
    for which a later variable has no value yield nothing. A value that a domain repeats is used again. ``slots``
    holds each value while its condition and the later variables are read, and all values of a combination when it is
    yielded. The values read last stay there, even if they were rejected.
    """
    if not variables:
        yield ()
        return
    variable, *later_variables = variables
    for value in reader.filter(variable.slot, variable.domain, variable.condition, slots):
        for later_values in iterate_combinations(reader, tuple(later_variables), slots):
            yield (value, *later_values)


def find_candidates(reader: Reader, ask: core.AskMany, slots: Slots) -> tuple[tuple[Value, ...], int, int]:
    """Return the candidates of a choice of several items, and the smallest and largest number of picks.

    Candidates are the items of ``ask.source``, in its order, for which the condition holds. Both numbers are at most
    the number of candidates, and may be negative. The slot ``ask.item_slot`` of ``slots`` then holds the last item of
    the source, and an empty source leaves it unchanged. Raise RulesetFault if there are more candidates than
    ``limits.options``, or if a number is ``none``.
    """
    items = tuple(reader.filter(ask.item_slot, ask.source, ask.condition, slots))
    _limit_options(reader, ask, len(items))
    low = min(reader.require(ask.low, slots), len(items))
    high = min(reader.require(ask.high, slots), len(items))
    return items, low, high


def _offer_picks(reader: Reader, ask: core.AskMany, slots: Slots, picks: Sequence[int]) -> tuple[Option, ...]:
    """Return the options for the next pick of a choice of several items, numbered from 0.

    ``picks`` holds the numbers of the candidates picked so far. "Done" (alternative 1) comes first once the minimum is
    reached; each other option is alternative 0 with an item. In an unordered choice, only candidates after the last
    pick that leave enough for the minimum are offered. The result is empty at the maximum, and when no candidate is
    left.
    """
    items, low, high = find_candidates(reader, ask, slots)
    if len(picks) >= high:
        return ()
    open_numbers = list_open_picks(items, picks, low, ask.is_ordered)
    if not open_numbers:
        return ()
    done_option = [(1, ())] if len(picks) >= low else []
    options = [*done_option, *((0, (items[number],)) for number in open_numbers)]
    return tuple(Option(number, alternative, values) for number, (alternative, values) in enumerate(options))


def _find_pick(ask: core.AskMany, option: Option, options: Sequence[Option], picks: Sequence[int], n: int) -> int:
    """Return the number, from 0, of the candidate that an option picks, among the ``n`` candidates of the choice.

    ``options`` are all options of the decision; the first may be "done". ``picks`` holds the numbers picked so far.
    """
    position = option.index - (options[0].alternative == 1)
    return list_open_picks(range(n), picks, 0, ask.is_ordered)[position]


# ---------------------------------------------------------------- execution


class DecisionPending(Exception):
    """Raised to end a run at a choice that waits for its answer. ``slots`` and ``picks`` are those of the choice."""

    def __init__(self, decision: Decision, slots: Slots, picks: tuple[int, ...]) -> None:
        super().__init__(decision)
        self.decision, self.slots, self.picks = decision, slots, picks


class LoopStopped(Exception):
    """Raised by the statement ``stop``, which leaves a loop."""


class GameOver(Exception):
    """Raised by the statement ``end game``."""


class Execution(Reader):
    """Execute a game up to its next decision or its end. The run changes the cells and zones that it got."""

    statements = core.STATEMENTS

    def __init__(
        self,
        setting: Setting,
        flow: Flow,
        position: State,
        log: Log | None,
        forced: ForcedChance | None,
        answers: Answers = (),
        tape: Tape = (),
    ) -> None:
        super().__init__(setting, position.cells, position.zones)
        self.flow = flow
        self.log = log
        self.forced = forced or ForcedChance()
        self.answers = answers  # answers that the run has yet to replay
        self.tape_to_replay = tape  # tape entries that the run has yet to replay
        self.base: tuple[Any, Any] = ((), ())
        self.new_answers: list[Answer | None] = []  # answers since the base
        self.tape: list[Any] = []  # uses of chance since the base
        self.charges = setting.charges
        self.work_limit = 0  # the amount of work that exceeds the limit of this decision
        self.reset_work_limit()
        if setting.observer is not None:
            setting.observer.observe_run(self)

    def tell(self, event: Event) -> None:
        """Log an event. While a run replays earlier answers, its events are in the log already."""
        if self.log is not None and not self.answers:
            self.log.append(event)

    @property
    def is_logging(self) -> bool:
        """True if events are wanted: there is a log, and the run isn't replaying earlier answers."""
        return self.log is not None and not self.answers

    def reset_work_limit(self) -> None:
        """Set ``work_limit`` to the work so far plus ``limits.decision``, or to ``limits.game`` if that is less.

        The work so far is ``cells[layout.work]``. Set ``visits``, which counts down, to ``limits.visits``.
        ``limits`` are those of ``setting``.
        """
        limits = self.setting.limits
        self.work_limit = min(self.cells[self.layout.work] + limits.decision, limits.game)
        self.visits = limits.visits

    def charge_work(self, charge: Charge, span: Span) -> None:
        """Add the work of a charge to the state. If ``charge`` is checked and the limit is exceeded, raise RulesetFault
        at ``span``.
        """
        self.cells[self.layout.work] += charge.work
        if charge.is_checked and self.cells[self.layout.work] > self.work_limit:
            self.fail(describe_exceeded_limit(self.setting, "decision", self.state, self.work_limit), span)

    # ------------------------------------------------------------ phases

    def run_from(self, number: int) -> State:
        """Run ``flow.operations`` from index ``number`` up to the next decision or the end. Return the state there.

        The state holds ``cells`` and ``zones`` of this run, which change in place. After the last operation, the game
        ends without a reason: ``finish(None)``. Raise RulesetFault if the rules fail.
        """
        operations = self.flow.operations
        try:
            while number < len(operations):
                current = number
                number = self._run_operation(operations[number], number)
            self.finish(None)
        except GameOver:
            pass
        except DecisionPending as pending:
            base_cells, base_zones = self.base
            new_answers, tape, slots = tuple(self.new_answers), tuple(self.tape), tuple(pending.slots)
            frame = [current, base_cells, base_zones, new_answers, tape, pending.decision.site, slots, pending.picks]
            return State(self.cells, self.zones, frame, pending.decision)
        return State(self.cells, self.zones, [])

    def _run_operation(self, operation: Operation, number: int) -> int:
        """Execute one operation, and return the number of the next one.

        The next one is the following number, the target of a jump, or ``otherwise`` if a test fails or no pass is left.
        A phase that begins is logged. Raise RulesetFault if a phase has already run as often as its bound allows.
        """
        if isinstance(operation, Jump):
            return operation.target
        phase = operation.phase
        slots = self.make_slots(phase.n_slots)
        if isinstance(operation, Reset):
            self.cells[self.layout.repeats[phase.id]] = 0
            return number + 1
        self.trail = list(operation.path)
        if isinstance(operation, Test):
            self.charge_work(self.charges.tests[phase.id], phase.span)
            return number + 1 if self.holds(phase.condition, slots) else operation.otherwise
        if isinstance(operation, BeginPass):
            # Count one more pass, if the phase repeats.
            self.charge_work(self.charges.passes[phase.id], phase.span)
            if not self.holds(phase.repeat, slots):
                return operation.otherwise
            counter = self.layout.repeats[phase.id]
            if self.cells[counter] >= phase.bound:
                self.fail(describe_exceeded_bound(f"phase `{phase.id}`", phase.bound), phase.span)
            self.cells[counter] += 1
            return number + 1
        if isinstance(operation, Enter):
            self.tell(events.phase_began(phase.id))
            return number + 1
        self.base = (tuple(self.cells), tuple(tuple(zone) for zone in self.zones))
        self.new_answers, self.tape = [], []
        self.charges.charge_phase(phase)
        self.run_block(phase.body, slots)
        return number + 1

    def finish(self, reason: str | None) -> None:
        """Mark the game as over, with the text of the reason or None, and append ``game_ended(reason)`` to ``log``.

        The cells at ``layout.over`` and ``layout.reason`` become 1 and ``reason``. Without a ``log``, or while
        ``answers`` are replayed, nothing is logged. Nothing is raised, so the caller's statements go on.
        """
        self.cells[self.layout.over] = 1
        self.cells[self.layout.reason] = reason
        self.tell(events.game_ended(reason))

    # ------------------------------------------------------------ statements

    def make_slots(self, count: int) -> Slots:
        """Return ``count`` local slots for a phase, all None."""
        return [None] * count

    def run_block(self, statements: Block, slots: Slots) -> None:
        """Charge a block, and execute its statements in order with these local slots."""
        if statements and (charge := self.charges.block_charges.get(statements[0])) is not None:
            self.charge_work(charge, statements[0].span)
        for stmt in statements:
            self.execs[type(stmt)](self, stmt, slots)

    def exec_Let(self, stmt: core.Let, slots: Slots) -> None:
        slots[stmt.slot] = self.evaluate(stmt.value, slots)

    def exec_SetCell(self, stmt: core.SetCell, slots: Slots) -> None:
        """Set a variable, or increase or decrease it: ``stmt.op`` is ``set``, ``add`` or ``sub``.

        With ``is_logging``, add ``VariableSet`` with the new value to ``log``, even if the value stays the same. Raise
        RulesetFault if an index is ``none`` or out of range. An increase or decrease also raises it if the variable or
        the amount is ``none``, or if the result is beyond 64 bits.
        """
        place = self.layout.places[stmt.place]
        cell, indices = self.evaluate_place(place, stmt.indices, slots, stmt.span)
        if stmt.op == "set":
            value = self.evaluate(stmt.value, slots)
        else:
            change = self.require(stmt.value, slots)
            old_value = self.cells[cell]
            if old_value is None:
                self.fail(NONE_AS_NUMBER, stmt.span)
            value = self.call_at(stmt.span, check_int, old_value + change if stmt.op == "add" else old_value - change)
        self.cells[cell] = value
        if self.is_logging:
            declaration = self.program.get_place(stmt.place)
            seats = self.find_seeing_seats(declaration.visible, declaration.dims, indices)
            self.tell(events.variable_set(stmt.place, indices, value, seats))

    def exec_MoveCount(self, stmt: core.MoveCount, slots: Slots) -> None:
        """Move counters of one kind, or of each kind of the source in declared order. With ``is_logging``, log
        ``CountersMoved`` for each kind that moves.

        The amount is cut to what a limited source holds. An unlimited source gives the full amount, even of a kind that
        it can't hold, and may go below 0. A statement without an amount moves all. An amount of 0 or less moves
        nothing. Raise RulesetFault if the kind, the amount or an index is ``none``, or if an index is out of range.
        Raise RulesetFault, too, if the target can't hold a kind that moves, or if a pool would be beyond 64 bits.
        """
        source, target = self.program.pools[stmt.source], self.program.pools[stmt.target]
        kind = None if stmt.kind is None else self.require(stmt.kind, slots)
        amount = None if stmt.amount is None else self.require(stmt.amount, slots)
        source_indices = tuple(self.require(index, slots) for index in stmt.source_indices)
        target_indices = tuple(self.require(index, slots) for index in stmt.target_indices)
        for counter in source.kinds if kind is None else (kind,):
            source_cell = self.find_number(self.layout.places[source.name], (*source_indices, counter), stmt.span)
            target_cell = self.find_number(self.layout.places[target.name], (*target_indices, counter), stmt.span)
            count = self.cells[source_cell] if amount is None else amount
            if not source.is_unlimited:
                count = min(count, self.cells[source_cell])
            if count <= 0:
                continue
            if counter not in target.kinds:
                self.fail(describe_wrong_pool(self.setting, target.name, counter), stmt.span)
            self.call_at(stmt.span, check_int, self.cells[source_cell] - count)
            self.call_at(stmt.span, check_int, self.cells[target_cell] + count)
            self.cells[source_cell] -= count
            self.cells[target_cell] += count
            if self.is_logging:
                seats = self.find_seeing_seats(source.moves, source.dims, source_indices)
                seats &= self.find_seeing_seats(target.moves, target.dims, target_indices)
                places = source.name, source_indices, target.name, target_indices
                self.tell(events.counters_moved(counter, count, *places, seats))

    def exec_MoveCards(self, stmt: core.MoveCards, slots: Slots) -> None:
        """Move components to the top or bottom of a zone in their order, and log it with ``is_logging``. A zone with
        ``is_sorted`` is then sorted by number.

        The value may be a component, ``none`` or a list: 3 and 5 on top of a zone with 1 give 3, 5, 1. One that is
        listed twice moves once: 3, 5 and 3 again move as 3, 5. The event is one ``ComponentsMoved`` for all. If a seat
        doesn't see all of them now, those that every seat saw before get an event of their own, the first. Nothing
        moves for ``none`` or an empty list, and nothing is logged. Raise RulesetFault even then if an index of the zone
        is ``none`` or out of range.
        """
        value = self.evaluate(stmt.cards, slots)
        cards = () if value is None else tuple(dict.fromkeys(value)) if isinstance(value, tuple) else (value,)
        zone = self.program.zones[stmt.target]
        number, _ = self.evaluate_place(self.layout.zones[zone.name], stmt.target_indices, slots, stmt.span)
        if not cards:
            return
        sources = tuple(self._locate_component(card) for card in cards)
        seats_before = expressions.find_seats_seeing(self, cards) if self.is_logging else []
        for card in cards:
            location = self.layout.location + card
            if self.cells[location] is not None:
                self.zones[self.cells[location]].remove(card)
            self.cells[location] = number
        if stmt.position == "top":
            self.zones[number][:0] = cards
        else:
            self.zones[number].extend(cards)
        if zone.is_sorted:
            self.zones[number].sort()
        if self.is_logging:
            for event in expressions.make_move_events(self, cards, number, stmt.position, sources, seats_before):
                self.tell(event)

    def _locate_component(self, card: int) -> tuple[str, tuple[int, ...]] | None:
        """Return the name and indices of the zone that holds a component, or None if it is in no zone."""
        number = self.cells[self.layout.location + card]
        return None if number is None else self.layout.get_zone(number)

    def exec_Shuffle(self, stmt: core.Shuffle, slots: Slots) -> None:
        """Shuffle a zone. Log ``ZoneShuffled``, also for an empty zone.

        If the tape in a replay, or else ``forced``, dictates cards, take these off it and put them on top instead: at
        the start of the zone's list, in the dictated order. They must differ. The others follow in their old order, so
        that the order stays for an empty tuple of cards. Raise RulesetFault if a dictated card is not in the zone, or
        if an index is ``none`` or out of range.
        """
        number, indices = self.evaluate_place(self.layout.zones[stmt.zone], stmt.indices, slots, stmt.span)
        cards = self.zones[number]
        dictated_cards = self._take_dictated(lambda: self.forced.take_shuffle(cards))
        if dictated_cards is None:
            stream = self.layout.streams[stmt.stream]
            self.cells[stream] = random_streams.shuffle_with_cell(self.cells[stream], cards)
        else:
            top_cards = dictated_cards[0]
            if any(card not in cards for card in top_cards):
                self.fail(CARDS_NOT_IN_ZONE, stmt.span)
            cards[:] = [*top_cards, *(card for card in cards if card not in top_cards)]
        self.tell(events.zone_shuffled(stmt.zone, indices))

    def _take_dictated(self, take: Callable[[], tuple[Any] | None]) -> tuple[Any] | None:
        """Return the result that this use of chance must have, in a tuple. Return None to leave it to chance.

        A run that replays takes it from the tape, and otherwise ``take`` is called. The entry is appended to the new
        tape.
        """
        entry: tuple[Any] | None
        if self.tape_to_replay:
            entry, *later_entries = self.tape_to_replay
            self.tape_to_replay = tuple(later_entries)
        else:
            entry = take()
        self.tape.append(entry)
        return entry

    def exec_If(self, stmt: core.If, slots: Slots) -> None:
        """Run the first branch whose condition holds, or ``otherwise``."""
        for condition, body in stmt.branches:
            if self.holds(condition, slots):
                return self.run_block(body, slots)
        return self.run_block(stmt.otherwise, slots)

    def exec_ForEach(self, stmt: core.ForEach, slots: Slots) -> None:
        """Run the body for each item of a list for which the condition holds, until a ``stop``.

        The list is evaluated once, before the first pass.
        """
        for item in self.evaluate(stmt.source, slots):
            slots[stmt.slot] = item
            if self.holds(stmt.condition, slots) and not self.run_pass(stmt, slots):
                return

    def exec_Repeat(self, stmt: core.Repeat, slots: Slots) -> None:
        """Run the body ``stmt.times`` times, or without ``times`` while ``stmt.condition`` holds, until a ``stop``.

        With ``times`` of 0 or less, nothing runs. A missing condition always holds. Raise RulesetFault if the condition
        still holds after ``stmt.bound`` passes, or if ``times`` or ``bound`` evaluates to ``none``. A missing bound
        sets no limit.
        """
        if stmt.times is not None:
            for _ in range(self.require(stmt.times, slots)):
                if not self.run_pass(stmt, slots):
                    return
            return
        bound = None if stmt.bound is None else self.require(stmt.bound, slots)
        count = 0
        while self.holds(stmt.condition, slots):
            if bound is not None and count >= bound:
                self.fail(describe_exceeded_bound("the loop", bound), stmt.span)
            count += 1
            if not self.run_pass(stmt, slots):
                return

    def run_pass(self, loop: core.ForEach | core.Repeat, slots: Slots) -> bool:
        """Run the body of a loop once. Return False if it executes ``stop``, else True."""
        try:
            self.run_block(loop.body, slots)
        except LoopStopped:
            return False
        return True

    def exec_Stop(self, stmt: core.Stop, slots: Slots) -> None:
        raise LoopStopped

    def exec_Ask(self, stmt: core.Ask, slots: Slots) -> None:
        """Ask a seat, log its choice, set the variables of the chosen alternative, and run its body.

        - The first of ``answers``, if any, is taken out and replayed. It is logged only if it was the last, because the
          log already has the others. One that a seat decided resets ``work_limit`` and ``visits``.
        - Otherwise, a single option is taken without asking, and logged as forced. Several raise DecisionPending.
          Without an option, the answer is None.
        - ``new_answers`` gets the answer, also a replayed or forced one: ``(0, (3,), True)`` (see :meth:`answer`) or
          None.
        - If the answer is None, ``otherwise`` runs, and nothing is logged.
        """
        seat = self.require(stmt.chooser, slots)
        answer = self.answer(stmt, slots)
        if answer is None:
            return self.run_block(stmt.otherwise, slots)
        number, values, is_decided = answer
        self.tell(events.choice_made(seat, stmt.site, number, values, not is_decided))
        alternative = stmt.alternatives[number]
        for variable, value in zip(alternative.vars, values, strict=True):
            slots[variable.slot] = value
        return self.run_block(alternative.body, slots)

    def exec_AskMany(self, stmt: core.AskMany, slots: Slots) -> None:
        """Ask a seat for one pick after another, log each, and store the tuple of picked items in ``slots[stmt.slot]``.

        The items are in the order of the picks. Picking ends at the maximum, when no candidate is left, or with "done",
        which is logged as a pick is. An unordered choice offers only candidates after the last pick that leave enough
        for the minimum, which is at most their number. Each pick takes the first answer out of ``answers``, and is
        logged only if that was the last. Without one, a single option is picked and logged, and several raise
        DecisionPending. Each answer is appended to ``new_answers``, as :meth:`answer` returns it: ``(0, (2,), True)``
        for the third candidate, ``(1, (), True)`` for "done", and None at an end without "done". Without candidates,
        the tuple is empty and nothing is logged.
        """
        seat = self.require(stmt.chooser, slots)
        items, _, _ = find_candidates(self, stmt, list(slots))
        picks: tuple[int, ...] = ()
        while answer := self.answer(stmt, slots, picks, len(items)):
            number, numbers, is_decided = answer
            values = tuple(items[index] for index in numbers)
            self.tell(events.choice_made(seat, stmt.site, number, values, not is_decided))
            if number == 1:
                break
            picks = (*picks, *numbers)
        slots[stmt.slot] = tuple(items[index] for index in picks)

    def answer(
        self, ask: core.Ask | core.AskMany, slots: Slots, picks: tuple[int, ...] = (), n: int = 0
    ) -> Answer | None:
        """Return the answer to a choice, or None if there is no option. Append this answer or None to ``new_answers``.

        An answer such as ``(0, (3,), True)`` is the number of the alternative, the values, and whether a player gave
        it. Take the first recorded answer from ``answers`` if there is one; if a player gave it, the work limit starts
        anew. Otherwise take a single option automatically, with False. For several, raise :class:`DecisionPending`,
        which ends the run. In a choice of several items, a pick is alternative 0 with the number of its candidate, from
        0. “Done” is alternative 1 without a value. ``picks`` are the numbers picked so far, of ``n`` candidates.
        """
        if self.answers:
            answer, *later_answers = self.answers
            self.answers = tuple(later_answers)
            if answer is not None and answer[2]:
                self.reset_work_limit()
        else:
            options = offer(self, ask, list(slots), picks)
            if len(options) > 1:
                seat = self.require(ask.chooser, list(slots))
                raise DecisionPending(Decision(ask.site, seat, options), slots, picks)
            answer = None
            if options:
                (option,) = options
                values = option.values
                if isinstance(ask, core.AskMany) and values:
                    values = (_find_pick(ask, option, options, picks, n),)
                answer = (option.alternative, values, False)
        self.new_answers.append(answer)
        return answer

    def exec_Random(self, stmt: core.Random, slots: Slots) -> None:
        """Draw one of the items for which the condition holds into the local ``stmt.slot``, and run the body.

        With ``is_logging``, log a ``ChanceDecided`` with the seats that learn it, before the body. If the condition
        holds for no item, only run ``otherwise``, and leave ``forced`` and ``tape`` as they are. Otherwise the next
        entry of ``tape_to_replay``, or without any the next of ``forced``, is taken out and dictates the value. The
        random stream then stays unchanged, as it does for a draw from one item. Without an entry, or if that of the
        tape is None, chance decides. Append ``(value,)`` to ``tape`` if the value was dictated, and None if not. Raise
        RulesetFault if a dictated value is not one of the items, or the condition does not hold for it.
        """
        items = tuple(self.filter(stmt.slot, stmt.domain, stmt.condition, slots))
        if not items:
            return self.run_block(stmt.otherwise, slots)
        draw = Draw(stmt.stream, stmt.name, str(unwrap_list_type(stmt.domain.type)))
        dictated_value = self._take_dictated(lambda: self.forced.take_draw(draw, items))
        if dictated_value is None:
            stream = self.layout.streams[stmt.stream]
            self.cells[stream], index = random_streams.draw_from_cell(self.cells[stream], len(items))
            value = items[index]
        else:
            value = dictated_value[0]
            if value not in items:
                self.fail(IMPOSSIBLE_DRAW, stmt.span)
        slots[stmt.slot] = value
        if self.is_logging:
            self.tell(events.chance_decided(stmt.name, value, self.find_seats_of_chance(stmt, slots)))
        return self.run_block(stmt.body, slots)

    def find_seats_of_chance(self, stmt: core.Random, slots: Slots) -> int:
        """Return a bit mask of the seats that learn the result of a random statement.

        These are all seats, or the acting seat alone if it is secret; a secret result without an acting seat is told to
        nobody.
        """
        if not stmt.is_secret:
            return (1 << self.setting.players) - 1
        return 0 if stmt.actor is None else 1 << self.require(stmt.actor, slots)

    def exec_CallEffect(self, stmt: core.CallEffect, slots: Slots) -> None:
        """Run an effect: the first ``instead`` rule whose condition holds, or else its body.

        After either of them, run each ``when`` rule whose condition holds. Rules are tried in order. All read the
        argument values from before the effect, but each condition reads the current position. For a ``when`` rule, this
        is the position after the body or the ``instead`` rule, and after earlier ``when`` rules.
        """
        effect = self.program.effects[stmt.effect]
        self.charges.charge_effect(effect)
        args = [self.evaluate(arg, slots) for arg in stmt.args]
        self.trail.append(effect.name)
        for rule in effect.instead:
            if self.run_rule(rule, args):
                break
        else:
            self.run_block(effect.body, pad_slots(args, effect.n_slots))
        for rule in effect.when:
            self.run_rule(rule, args)
        self.trail.pop()

    def run_rule(self, rule: core.Rule, args: list[Value]) -> bool:
        """Run a rule if its condition holds. Return whether it did.

        ``args`` are the arguments of the effect, which begin the rule's local slots.
        """
        slots = pad_slots(args, rule.n_slots)
        if not self.holds(rule.condition, slots):
            return False
        self.run_block(rule.body, slots)
        return True

    def exec_DoByCard(self, stmt: core.DoByCard, slots: Slots) -> None:
        self.run_block(dict(stmt.cases).get(self.find_original(stmt.card, slots), stmt.otherwise), slots)

    def exec_Announce(self, stmt: core.Announce, slots: Slots) -> None:
        """Log a text for its recipients, by default all seats, if ``is_logging``.

        An event is ``("announce", text, seats)``, and bit 0 of ``seats`` is seat 0. Each seat gets only what it may
        know of the text. A text without secrets has one event, even for no recipients. If the rules may hide something
        in the text from a seat, the first event has the full text, for the recipients that may know all of it, perhaps
        nobody. One event for each different redacted text follows, in the order of its lowest seat.
        """
        recipients = range(self.setting.players) if stmt.to is None else self.evaluate(stmt.to, slots)
        text, seats = self.fill(stmt.text, slots), sum(1 << seat for seat in set(recipients))
        if self.is_logging and stmt in get_knowledge(self.program).text_levels:
            for event in redact_announcement(self.setting, State(self.cells, self.zones, []), stmt, slots, seats):
                self.tell(event)
        else:
            self.tell(events.announced(text, seats))

    def exec_EndGame(self, stmt: core.EndGame, slots: Slots) -> None:
        """Call :meth:`finish` with the reason, and raise GameOver, so that no more of the rules is run.

        The reason is the text of the statement with its values filled in, or None without one. A value that only some
        seats may know is ``?`` in it.
        """
        reason = None if stmt.reason is None else self.fill(stmt.reason, slots)
        if stmt in get_knowledge(self.program).text_levels:
            reason = format_public_end_reason(self.setting, State(self.cells, self.zones, []), stmt, slots)
        self.finish(reason)
        raise GameOver
