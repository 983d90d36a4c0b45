"""Trace one decision statement by statement: what runs, what it changes, and which rules apply and why.

The evaluator plays the decision again under an observer. A trace also shows hidden information, because it is for
authors who write or debug rules. The trace command uses this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, assert_never

from lusory_dsl import core
from lusory_dsl.source.source import Span

from ..evaluator.evaluator import Evaluator, Execution
from ..evaluator.expressions import Slots, excerpt
from ..game import Game
from ..state.decision import RulesetFault
from ..state.event_log import (
    ChanceDecided,
    ComponentsMoved,
    CountersMoved,
    Event,
    VariableSet,
    ZoneShuffled,
    counter_label,
    describe,
    place_label,
)
from ..state.random_streams import Seed
from ..state.setting import ForcedChance, Value, item_type, label_of, type_of_place
from ..state.state import State
from ..view.reasons import Explainer

Block = tuple[core.Stmt, ...]
LONGEST = 110  # maximum number of characters shown of a source line
FEW = 4  # maximum number of cards named of a shuffled zone


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
    states and spans), choice, chance, said or end. ``words`` is the ruleset's text, or a description. ``result`` is the
    outcome of the step.
    """

    depth: int
    kind: str
    words: str
    span: Span | None = None
    result: str = ""
    changes: list[PlaceChange] = field(default_factory=list)


class Trace(NamedTuple):
    """Steps of execution and the state after them. If the rules fail, it has the fault, and no state."""

    steps: list[TraceStep]
    state: State | None
    fault: RulesetFault | None = None


def trace_start(game: Game, seed: Seed, forced: ForcedChance | None = None) -> Trace:
    """Trace a new game up to its first decision."""
    tracer = _Tracer(game)
    return tracer.traced(lambda evaluator: evaluator.start(seed, [], forced))


def trace_choice(game: Game, state: State, option: int, forced: ForcedChance | None = None) -> Trace:
    """Trace the game after an option. ``state`` must be of the evaluator; raises ValueError for another engine."""
    if game.engine != "evaluator":
        raise ValueError(f"only games of the evaluator can be traced, and this one uses the {game.engine} engine")
    tracer = _Tracer(game)
    return tracer.traced(lambda evaluator: evaluator.apply(state, option, [], forced))


class _Tracer:
    """Observer of an evaluator that records the steps."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.steps: list[TraceStep] = []

    def reads(self, reader: Any) -> None:
        """Do nothing: reads are not part of a trace."""

    def runs(self, run: _Traced) -> None:
        run.watched_by(self)

    def traced(self, play: Callable[[Evaluator], State]) -> Trace:
        """Run ``play`` and return the trace."""
        try:
            state = play(Evaluator(replace(self.game.setting, observer=self), _Traced))
        except RulesetFault as fault:
            return Trace(self.told(), None, fault)
        return Trace(self.told(), state)

    def told(self) -> list[TraceStep]:
        """Return the steps without checks that changed nothing."""
        dropped: set[int] = set()
        for number, step in enumerate(self.steps):
            inside = list(_inside(self.steps, number)) if step.kind == "check" else []
            if step.kind == "check" and not any(s.changes or s.kind in _HAPPENS for s in inside):
                dropped |= set(range(number, number + len(inside) + 1))
        return [step for number, step in enumerate(self.steps) if number not in dropped]


_HAPPENS = ("choice", "chance", "said", "end")


def _inside(steps: Sequence[TraceStep], number: int) -> Iterator[TraceStep]:
    """Yield the steps nested inside a step."""
    for step in steps[number + 1 :]:
        if step.depth <= steps[number].depth:
            return
        yield step


class _Traced(Execution):
    """Execution that records its statements."""

    def watched_by(self, tracer: _Tracer) -> None:
        self.game = tracer.game
        self.noted = tracer.steps
        # the steps being executed, outermost first
        self.open: list[TraceStep] = []
        # number of open steps that are already recorded
        self.entered = 0
        # the spans entered inside each open step
        self.seen_inside: list[set[Span]] = [set()]
        self.seen_cells = list(self.cells)
        self.seen_zones = [list(zone) for zone in self.zones]

    # ------------------------------------------------------------ steps

    def enter(self, kind: str, words: str, span: Span | None) -> TraceStep:
        """Begin a step. If the execution is observable, first record the steps around it."""
        step = TraceStep(len(self.open), kind, words, span)
        self.open.append(step)
        if span is not None:
            self.seen_inside[-1].add(span)
        self.seen_inside.append(set())
        if self.is_logging:
            self.show_open()
        return step

    def show_open(self) -> None:
        while self.entered < len(self.open):
            step = self.open[self.entered]
            if self.entered < len(self.open) - 1:
                step.kind = "within"
            self.noted.append(step)
            self.entered += 1

    def leave(self) -> None:
        self.open.pop()
        self.seen_inside.pop()
        self.entered = min(self.entered, len(self.open))

    def happened(self, kind: str, words: str, changes: Sequence[PlaceChange] = ()) -> None:
        """Record the consequence of a statement."""
        self.show_open()
        self.noted.append(TraceStep(len(self.open), kind, words, None, "", list(changes)))

    # ------------------------------------------------------------ statements

    def block(self, statements: Block, slots: Slots) -> None:
        for stmt in statements:
            if not (stmt.origin.is_authored or self.stands_for_more(stmt)):
                super().block((stmt,), slots)
                continue
            step = self.enter("statement", _first_line(stmt.span), stmt.span)
            try:
                super().block((stmt,), slots)
                if stmt.origin.is_authored:
                    self.note_value(stmt, step, slots)
            finally:
                self.leave()

    def stands_for_more(self, stmt: core.Stmt) -> bool:
        """Return whether this is the first of several statements into which one statement of the author was lowered."""
        return not stmt.origin.declaration and not any(stmt.span in level for level in self.seen_inside)

    def note_value(self, stmt: core.Stmt, step: TraceStep, slots: Slots) -> None:
        if isinstance(stmt, core.Let):
            step.result = f"{stmt.name} = {self.label(slots[stmt.slot], stmt.value.type)}"
        elif isinstance(stmt, core.MoveCount | core.MoveCards) and not step.changes:
            step.result = "there is nothing to move"

    def exec_If(self, stmt: core.If, slots: Slots) -> None:
        if self.open and self.open[-1].span is stmt.span and stmt.origin.is_authored:
            holding = next((condition for condition, _ in stmt.branches if self.holds(condition, slots)), None)
            last = "otherwise" if stmt.otherwise else "does not hold"
            self.open[-1].result = last if holding is None else f"`{_shorten(holding.span)}` holds"
        super().exec_If(stmt, slots)

    def run_pass(self, loop: core.ForEach | core.Repeat, slots: Slots) -> bool:
        if not isinstance(loop, core.ForEach) or not loop.origin.is_authored:
            return super().run_pass(loop, slots)
        item = self.label(slots[loop.slot], item_type(loop.source.type))
        self.enter("pass", f"{loop.name} = {item}", None)
        try:
            return super().run_pass(loop, slots)
        finally:
            self.leave()

    def exec_CallEffect(self, stmt: core.CallEffect, slots: Slots) -> None:
        effect = self.program.effects[stmt.effect]
        if self.open and self.open[-1].span is stmt.span and stmt.origin.is_authored:
            self.open[-1].kind = "call"
            self.open[-1].result = self.arguments(effect.params, [self.value(arg, slots) for arg in stmt.args])
            return super().exec_CallEffect(stmt, slots)
        self.enter("check", f"({self.program.effects[stmt.effect].origin.label})", None)
        try:
            return super().exec_CallEffect(stmt, slots)
        finally:
            self.leave()

    def run_rule(self, rule: core.Rule, args: list[Value]) -> bool:
        condition = "" if rule.condition is None else f"`{_shorten(rule.condition.span)}`"
        slots = args + [None] * (rule.n_slots - len(args))
        if not self.holds(rule.condition, slots):
            if self.is_logging:
                self.enter("rule", f"rule {rule.id}", rule.span).result = self.why_idle(rule, slots)
                self.leave()
            return False
        because = f", {condition} holds" if condition else ""
        self.enter("rule", f"rule {rule.id}", rule.span).result = f"applies{because}"
        try:
            return super().run_rule(rule, args)
        finally:
            self.leave()

    def why_idle(self, rule: core.Rule, slots: Slots) -> str:
        """Return why a rule does not apply: its condition, and the values that the condition read."""
        assert rule.condition is not None
        facts = dict.fromkeys(Explainer(self).facts(rule.condition, slots, True))
        return "; ".join([f"does not apply: `{_shorten(rule.condition.span)}` is false", *facts])

    def arguments(self, params: Sequence[core.Param], args: Sequence[Value]) -> str:
        """Return the parameters of an effect with their values."""
        named = (f"{param.name} = {self.label(arg, param.type)}" for param, arg in zip(params, args, strict=True))
        return ", ".join(named)

    # ------------------------------------------------------------ events

    def tell(self, event: Event) -> None:
        super().tell(event)
        if not self.is_logging:
            if isinstance(event, _Change):
                self.look()
            return
        if isinstance(event, _Change):
            changes = list(self.changes(event))
            self.show_open()
            if self.open and self.noted:
                self.open[-1].changes += changes
        else:
            words = self.chance(event) if isinstance(event, ChanceDecided) else describe(event, self.game)
            if words is not None:
                self.happened(_TITLES[event.kind], words)
        self.look()

    def changes(self, event: _Change) -> Iterator[PlaceChange]:
        """Return the places that an event changes."""
        match event:
            case VariableSet():
                return self.set_change(event)
            case CountersMoved():
                return self.move_changes(event)
            case ComponentsMoved():
                return self.card_changes(event)
            case ZoneShuffled():
                return self.shuffle_change(event)
            case _:
                assert_never(event)

    def look(self) -> None:
        """Remember the position, for comparison with later ones."""
        self.seen_cells = list(self.cells)
        self.seen_zones = [list(zone) for zone in self.zones]

    def chance(self, event: ChanceDecided) -> str:
        words = describe(event, self.game) or ""
        blind = self.blind(event.seats)
        return f"{words}   (hidden from {', '.join(blind)})" if blind else words

    def blind(self, seats: int) -> tuple[str, ...]:
        return tuple(f"P{seat + 1}" for seat in range(self.setting.players) if not seats >> seat & 1)

    def set_change(self, event: VariableSet) -> Iterator[PlaceChange]:
        _, name, indices, value, seats = event
        declared = self.program.variables.get(name)
        if declared is not None and not declared.origin.is_authored:
            return
        type = type_of_place(self.program, name)
        before = self.seen_cells[self.layout.places[name].at(indices)]
        shown = label_of(self.setting, before, type), label_of(self.setting, value, type)
        yield PlaceChange(place_label(self.setting, name, indices), *shown, self.blind(seats))

    def move_changes(self, event: CountersMoved) -> Iterator[PlaceChange]:
        _, kind, n, source, source_indices, target, target_indices, seats = event
        assert kind is not None and n is not None, "a trace hides nothing"
        for name, indices, sign in ((source, source_indices, -1), (target, target_indices, 1)):
            after = self.cells[self.layout.places[name].at((*indices, kind))]
            before = after - sign * n
            what = counter_label(self.setting, name, kind, 0)
            yield PlaceChange(
                f"{place_label(self.setting, name, indices)}: {what}", str(before), str(after), self.blind(seats)
            )

    def card_changes(self, event: ComponentsMoved) -> Iterator[PlaceChange]:
        _, cards, target, indices, position, sources, seats = event
        where = f"{'top of ' if position == 'top' else ''}{place_label(self.setting, target, indices)}"
        for card, source in zip(cards, sources, strict=True):
            assert card is not None, "a trace hides nothing"
            whence = "nowhere" if source is None else place_label(self.setting, *source)
            yield PlaceChange(self.program.entities[card].label, whence, where, self.blind(seats))

    def shuffle_change(self, event: ZoneShuffled) -> Iterator[PlaceChange]:
        _, name, indices = event
        number = self.layout.zones[name].at(indices)
        orders = [self.order(zones[number]) for zones in (self.seen_zones, self.zones)]
        yield PlaceChange(place_label(self.setting, name, indices), orders[0], orders[1], self.blind(0))

    def order(self, cards: Sequence[int]) -> str:
        """Return the first cards of a zone as text."""
        names = [self.program.entities[card].label for card in cards[:FEW]]
        return ", ".join([*names, *(["…"] if len(cards) > FEW else [])]) or "empty"


_Change = VariableSet | CountersMoved | ComponentsMoved | ZoneShuffled
_TITLES = {"phase": "phase", "choice": "choice", "random": "chance", "announce": "said", "end": "end"}


# ---------------------------------------------------------------- text


def _first_line(span: Span) -> str:
    """Return the first source line of a span, from the start of the span."""
    text = span.source.text[span.start : max(span.end, span.start + 1)]
    first = text.split("\n", 1)[0].rstrip()
    return first if len(first) <= LONGEST else f"{first[: LONGEST - 1].rstrip()}…"


def _shorten(span: Span) -> str:
    words = excerpt(span)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"
