"""Trace one decision statement by statement: what runs, what it changes, and which rules apply and why.

The evaluator plays the decision again under an observer. A trace also shows hidden information, because it is for
authors who write or debug rules. The trace command uses this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import RULES
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import BOOL

from ..evaluator.expressions import Slots
from ..evaluator.statements_options_and_resumption import Evaluator, Execution
from ..explain.reasons_for_failed_conditions import Explainer
from ..game import Game
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.events_redaction_and_text import (
    ChanceDecided,
    ComponentsMoved,
    CountersMoved,
    Event,
    VariableSet,
    ZoneShuffled,
    describe,
    format_counter_label,
    format_place_label,
)
from ..state.random_streams import Seed
from ..state.setting_value_limits_builtins_and_names import Value, format_value_label, get_place_type, unwrap_list_type
from ..state.state import State

Block = tuple[core.Stmt, ...]
MAX_LINE_LENGTH = 110  # maximum number of characters shown of a source line
MAX_NAMED_CARDS = 4  # maximum number of cards named of a shuffled zone


@dataclass(frozen=True)
class PlaceChange:
    """Changed content of a place. ``hidden_from`` are the seats that cannot see the change, as P1, P2."""

    place: str
    before: str
    after: str
    hidden_from: tuple[str, ...] = ()


@dataclass
class TraceStep:
    """Step of execution, nested at ``depth``.

    ``kind`` is within (already running before the trace), phase, statement, call, pass (of a loop), rule, check (of
    states and spans), choice, chance, said or end. ``text`` is the ruleset's text, or a description. ``result`` is the
    outcome of the step.
    """

    depth: int
    kind: str
    text: str
    span: Span | None = None
    result: str = ""
    changes: list[PlaceChange] = field(default_factory=list)


class Trace(NamedTuple):
    """Steps of execution and the state after them. If the rules fail, it has the fault, and no state."""

    steps: list[TraceStep]
    state: State | None
    fault: RulesetFault | None = None


def trace_start(game: Game, seed: Seed) -> Trace:
    """Trace a new game up to its first decision. The trace ends early, with the fault, if the rules fail."""
    return _Tracer(game)._run_traced(lambda evaluator: evaluator.start(seed, []))


def trace_choice(game: Game, state: State, option: int) -> Trace:
    """Trace the game after the option with this index, up to the next decision or the end.

    ``state`` stays unchanged and must be of the evaluator; raises ValueError for a game on another engine. The trace
    ends early, with the fault, if the rules fail.
    """
    if game.engine != "evaluator":
        raise ValueError(f"only games of the evaluator can be traced, and this one uses the {game.engine} engine")
    return _Tracer(game)._run_traced(lambda evaluator: evaluator.apply(state, option, []))


class _Tracer:
    """Observer of an evaluator that records the steps."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.steps: list[TraceStep] = []

    def observe_reader(self, reader: Any) -> None:
        """Do nothing: reads are not part of a trace."""

    def observe_run(self, run: _TracedExecution) -> None:
        run.attach(self)

    def _run_traced(self, play: Callable[[Evaluator], State]) -> Trace:
        """Run ``play`` with an evaluator, and return the trace. A fault of the rules becomes part of it."""
        try:
            state = play(Evaluator(replace(self.game.setting, observer=self), _TracedExecution))
        except RulesetFault as fault:
            return Trace(self._drop_empty_checks(), None, fault)
        return Trace(self._drop_empty_checks(), state)

    def _drop_empty_checks(self) -> list[TraceStep]:
        """Return the steps, in order, without checks that changed nothing and had no event. Their inner steps go, too.

        ``steps`` itself stays unchanged.
        """
        dropped_steps: set[int] = set()
        for number, step in enumerate(self.steps):
            inner_steps = list(_iterate_nested(self.steps, number)) if step.kind == "check" else []
            if step.kind == "check" and not any(inner.changes or inner.kind in _EVENT_KINDS for inner in inner_steps):
                dropped_steps |= set(range(number, number + len(inner_steps) + 1))
        return [step for number, step in enumerate(self.steps) if number not in dropped_steps]


_EVENT_KINDS = ("choice", "chance", "said", "end")


def _iterate_nested(steps: Sequence[TraceStep], number: int) -> Iterator[TraceStep]:
    for step in steps[number + 1 :]:
        if step.depth <= steps[number].depth:
            return
        yield step


class _TracedExecution(Execution):
    """Execution that records its statements."""

    def attach(self, tracer: _Tracer) -> None:
        """Add the steps of this execution to ``tracer.steps`` from now on. Changes count from the present content.

        Without ``is_logging``, it adds no steps: without a log, or while it replays earlier answers. When logging
        begins inside open steps, these are added before the next one. All but the innermost get the ``kind``
        ``within``.
        """
        self.game = tracer.game
        self.steps = tracer.steps
        # the steps being executed, outermost first
        self.open_steps: list[TraceStep] = []
        # number of open steps that are already recorded
        self.recorded_depth = 0
        # the spans entered inside each open step
        self.seen_inside: list[set[Span]] = [set()]
        self.seen_cells = list(self.cells)
        self.seen_zones = [list(zone) for zone in self.zones]

    # ------------------------------------------------------------ steps

    def _enter(self, kind: str, text: str, span: Span | None) -> TraceStep:
        """Begin a step inside the open ones, and return it.

        If the execution is logging, record the open steps that are not recorded yet, also this one.
        """
        step = TraceStep(len(self.open_steps), kind, text, span)
        self.open_steps.append(step)
        if span is not None:
            self.seen_inside[-1].add(span)
        self.seen_inside.append(set())
        if self.is_logging:
            self._record_open_steps()
        return step

    def _record_open_steps(self) -> None:
        """Add the open steps to the trace that it does not have yet. All but the innermost are ``within``."""
        while self.recorded_depth < len(self.open_steps):
            step = self.open_steps[self.recorded_depth]
            if self.recorded_depth < len(self.open_steps) - 1:
                step.kind = "within"
            self.steps.append(step)
            self.recorded_depth += 1

    def _leave(self) -> None:
        """End the innermost step."""
        self.open_steps.pop()
        self.seen_inside.pop()
        self.recorded_depth = min(self.recorded_depth, len(self.open_steps))

    # ------------------------------------------------------------ statements

    def run_block(self, statements: Block, slots: Slots) -> None:
        """Run statements, with a step for each that an author wrote. Generated ones belong to the step around them."""
        for stmt in statements:
            # the first of several statements into which one statement of the author was lowered
            begins_lowered_group = not stmt.origin.declaration and not any(
                stmt.span in level for level in self.seen_inside
            )
            if not stmt.origin.is_authored and not begins_lowered_group:
                super().run_block((stmt,), slots)
                continue
            first_line = stmt.span.text.split("\n")[0].rstrip()
            step = self._enter("statement", _shorten(first_line), stmt.span)
            try:
                super().run_block((stmt,), slots)
                if isinstance(stmt, core.Let) and stmt.origin.is_authored:
                    step.result = f"{stmt.name} = {self.label(slots[stmt.slot], stmt.value.type)}"
                elif isinstance(stmt, core.MoveCount | core.MoveCards) and stmt.origin.is_authored and not step.changes:
                    step.result = "there is nothing to move"
            finally:
                self._leave()

    def exec_If(self, stmt: core.If, slots: Slots) -> None:
        if self.open_steps and self.open_steps[-1].span is stmt.span and stmt.origin.is_authored:
            true_condition = next((condition for condition, _ in stmt.branches if self.holds(condition, slots)), None)
            otherwise_text = "otherwise" if stmt.otherwise else "does not hold"
            self.open_steps[-1].result = (
                otherwise_text if true_condition is None else f"`{_shorten(true_condition.span.line_text)}` holds"
            )
        super().exec_If(stmt, slots)

    def run_pass(self, loop: core.ForEach | core.Repeat, slots: Slots) -> bool:
        if _is_loop_over_cards(loop):
            self.open_steps[-1].result = "applies"  # this is the step of the rule
        if not isinstance(loop, core.ForEach) or not loop.origin.is_authored:
            return super().run_pass(loop, slots)
        item = self.label(slots[loop.slot], unwrap_list_type(loop.source.type))
        self._enter("pass", f"{loop.name} = {item}", None)
        try:
            return super().run_pass(loop, slots)
        finally:
            self._leave()

    def exec_CallEffect(self, stmt: core.CallEffect, slots: Slots) -> None:
        effect = self.program.effects[stmt.effect]
        if self.open_steps and self.open_steps[-1].span is stmt.span and stmt.origin.is_authored:
            self.open_steps[-1].kind = "call"
            params = zip(effect.params, stmt.args, strict=True)
            self.open_steps[-1].result = ", ".join(
                f"{param.name} = {self.label(self.evaluate(arg, slots), param.type)}" for param, arg in params
            )
            return super().exec_CallEffect(stmt, slots)
        self._enter("check", f"({effect.origin.label})", None)
        try:
            return super().exec_CallEffect(stmt, slots)
        finally:
            self._leave()

    def run_rule(self, rule: core.Rule, args: list[Value]) -> bool:
        """Run a rule with a step that says why it applies or not. Return whether its condition holds.

        The step's text is ``rule ID``. Its result is ``does not apply: REASON``, ``applies`` if no condition is
        written, or ``applies, `CONDITION` holds``. A ``when`` rule that is a loop over the copies of its cards has the
        result ``applies`` if some copy meets its condition, otherwise ``does not apply: REASON``. It returns True in
        both cases, because the rule itself has no condition. The statements of the
        rule become steps inside it. Without logging, an inactive rule gets no step, and an active one only if logging
        begins inside it.
        """
        slots = args + [None] * (rule.n_slots - len(args))
        if not self.holds(rule.condition, slots):
            if self.is_logging:
                self._enter("rule", f"rule {rule.id}", rule.span).result = self._explain_inactive_rule(rule, slots)
                self._leave()
            return False
        step = self._enter("rule", f"rule {rule.id}", rule.span)
        condition = rule.condition
        if isinstance(condition, core.Fold) and condition.span is rule.span:
            # an `instead of` rule of cards: the condition that each card is tested for
            condition = condition.body
        if condition is not None and condition.span is not rule.span:
            step.result = f"applies, `{_shorten(condition.span.line_text)}` holds"
        elif rule.condition is not None or len(rule.body) != 1 or not _is_loop_over_cards(rule.body[0]):
            # not in a rule of cards: there the first pass of the loop sets the result
            step.result = "applies"
        try:
            has_applied = super().run_rule(rule, args)
            if self.is_logging and not step.result:
                step.result = self._explain_inactive_rule(rule, slots)
            return has_applied
        finally:
            self._leave()

    def _explain_inactive_rule(self, rule: core.Rule, slots: Slots) -> str:
        """Return why a rule does not apply, such as ``does not apply: needs 5 gold, and P1 has 2``.

        If there are no words for its condition, the reason is ``no card meets `CONDITION``` for a rule of cards, and
        ```CONDITION` is false`` for others.
        """
        condition = rule.condition
        if condition is None:
            loop = rule.body[0]
            assert isinstance(loop, core.ForEach)
            copies, selector = core.split_rule_loop(loop)
            assert selector is not None
            condition = core.Fold(BOOL, rule.span, loop.slot, copies, "any", None, selector)
        explanation = "; ".join(Explainer(self).say_failure(condition, slots))
        if not explanation and isinstance(condition, core.Fold) and condition.span is rule.span:
            explanation = f"no card meets `{_shorten(condition.body.span.line_text)}`"
        return f"does not apply: {explanation or f'`{_shorten(condition.span.line_text)}` is false'}"

    # ------------------------------------------------------------ events

    def tell(self, event: Event) -> None:
        """Log an event and record it: changes in ``open_steps[-1].changes``, others as a new step in ``steps``.

        Changes are assignments, shuffles, and moves of components (one PlaceChange each) or of counters (one for the
        source, one for the target). In either case, open steps that are not in ``steps`` are added to it first, all but
        the innermost with the ``kind`` ``within``. An assignment to a generated variable only adds these. The text of a
        new step is that of ``describe``. For a chance decision that P2 doesn't see, it ends with
        ``   (hidden from P2)``. Events without such a text, and changes without an open step, are only logged.
        ``seen_cells`` and ``seen_zones`` become copies of the present content. Unless ``is_logging``, a change does
        only that, and other events nothing.
        """
        super().tell(event)
        list_changes = _CHANGE_LISTERS.get(type(event))
        if not self.is_logging:
            if list_changes is not None:
                self._remember_position()
            return
        if list_changes is not None:
            changes = list(list_changes(self, event))
            self._record_open_steps()
            if self.open_steps and self.steps:
                self.open_steps[-1].changes += changes
        else:
            text = describe(event, self.game)
            if text is not None:
                blind_seats = self._list_blind_seats(event.seats) if isinstance(event, ChanceDecided) else ()
                text += f"   (hidden from {', '.join(blind_seats)})" if blind_seats else ""
                self._record_open_steps()
                self.steps.append(TraceStep(len(self.open_steps), _TITLES[event.kind], text))
        self._remember_position()

    def _remember_position(self) -> None:
        """Remember the position, for comparison with later ones."""
        self.seen_cells = list(self.cells)
        self.seen_zones = [list(zone) for zone in self.zones]

    def _list_blind_seats(self, seat_mask: int) -> tuple[str, ...]:
        return tuple(f"P{seat + 1}" for seat in range(self.setting.players) if not seat_mask >> seat & 1)

    def _describe_assignment(self, event: VariableSet) -> Iterator[PlaceChange]:
        """Yield the change of a variable, with the values before and after as players read them.

        The value before is the one at the last recorded position. A generated variable gives none.
        """
        _, name, indices, value, seats = event
        variable = self.program.variables.get(name)
        if variable is not None and not variable.origin.is_authored:
            return
        type = get_place_type(self.program, name)
        before = self.seen_cells[self.layout.places[name].at(indices)]
        labels = format_value_label(self.setting, before, type), format_value_label(self.setting, value, type)
        yield PlaceChange(format_place_label(self.setting, name, indices), *labels, self._list_blind_seats(seats))

    def _describe_counter_move(self, event: CountersMoved) -> Iterator[PlaceChange]:
        """Yield the change of the source and then of the target, with the counts of this kind before and after.

        The place reads ``POOL: KIND``, and the counts are texts. Call it after the move.
        """
        _, kind, n, source, source_indices, target, target_indices, seats = event
        assert kind is not None and n is not None, "a trace hides nothing"
        for name, indices, sign in ((source, source_indices, -1), (target, target_indices, 1)):
            after = self.cells[self.layout.places[name].at((*indices, kind))]
            before = after - sign * n
            counter = format_counter_label(self.setting, name, kind, 0)
            yield PlaceChange(
                f"{format_place_label(self.setting, name, indices)}: {counter}",
                str(before),
                str(after),
                self._list_blind_seats(seats),
            )

    def _describe_card_move(self, event: ComponentsMoved) -> Iterator[PlaceChange]:
        """Yield a change for each card, in order: its label, its place before (``nowhere`` for none) and its place now.

        The place now begins with ``top of `` if the card came on top.
        """
        _, cards, target, indices, position, sources, seats = event
        target_label = f"{'top of ' if position == 'top' else ''}{format_place_label(self.setting, target, indices)}"
        for card, source in zip(cards, sources, strict=True):
            assert card is not None, "a trace hides nothing"
            source_label = "nowhere" if source is None else format_place_label(self.setting, *source)
            yield PlaceChange(
                self.program.entities[card].label, source_label, target_label, self._list_blind_seats(seats)
            )

    def _describe_shuffle(self, event: ZoneShuffled) -> Iterator[PlaceChange]:
        """Yield the change of a zone from its cards before to those now, hidden from all seats."""
        _, name, indices = event
        number = self.layout.zones[name].at(indices)
        orders = [self._describe_order(zones[number]) for zones in (self.seen_zones, self.zones)]
        yield PlaceChange(
            format_place_label(self.setting, name, indices), orders[0], orders[1], self._list_blind_seats(0)
        )

    def _describe_order(self, cards: Sequence[int]) -> str:
        """Return the labels of the first MAX_NAMED_CARDS cards of a zone, ``…`` for further ones, or ``empty``."""
        names = [self.program.entities[card].label for card in cards[:MAX_NAMED_CARDS]]
        return ", ".join([*names, *(["…"] if len(cards) > MAX_NAMED_CARDS else [])]) or "empty"


_CHANGE_LISTERS: dict[type[Event], Callable[[_TracedExecution, Any], Iterator[PlaceChange]]] = {
    VariableSet: _TracedExecution._describe_assignment,
    CountersMoved: _TracedExecution._describe_counter_move,
    ComponentsMoved: _TracedExecution._describe_card_move,
    ZoneShuffled: _TracedExecution._describe_shuffle,
}
"""Events that change places, each with the method that yields these places with their content before and after."""
_TITLES = {"phase": "phase", "choice": "choice", "random": "chance", "announce": "said", "end": "end"}


# ---------------------------------------------------------------- text


def _is_loop_over_cards(stmt: core.Stmt) -> bool:
    """Return whether a statement is the loop of a ``when`` rule over the cards that it belongs to."""
    return isinstance(stmt, core.ForEach) and stmt.origin.generator == RULES and stmt.origin.part == "each"


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_LINE_LENGTH else f"{text[: MAX_LINE_LENGTH - 1].rstrip()}…"
