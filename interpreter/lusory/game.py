"""The public face of the core: a :class:`Game` is a program for a number of players with chosen options.

Immutable. Everything of a game in progress is in its :class:`~lusory.state.state.State`, a value that can be copied,
compared, saved and continued anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from lusory_dsl import core
from lusory_dsl.core.information_flow import knowledge_of
from lusory_dsl.source.diagnostics import did_you_mean
from lusory_dsl.source.limits import make_room
from lusory_dsl.types.types import BoolType, IntType, is_whole

from .evaluator.expressions import Reader, initial_position
from .evaluator.invariants import Broken, InvariantWatch, broken_laws
from .state.cost import Limits
from .state.decision import Decision, IllegalChoice, NoSuchOption, Option, Outcome, Reason
from .state.event_log import UNHEARD, Event, redact
from .state.random_streams import Seed
from .state.setting import Forced, Observer, Setting, Value
from .state.state import State, layout_of
from .view.text import option_id, option_ids
from .view.view import SeatReader, View, padded
from .view.visibility import Seen, known_to, offered, seen_by

if TYPE_CHECKING:
    from .codegen.engine import CompiledEngine, Functions
    from .evaluator.preview import Foreseen
    from .state.state import CodeStore

DEFAULT_ENGINE = "compiled"
EVALUATOR = "evaluator"
ENGINES = (EVALUATOR, DEFAULT_ENGINE)


class Engine(Protocol):
    """What plays a program. Deterministic; keeps nothing between calls."""

    def start(self, seed: Seed, log: list[Event] | None = None, forced: Forced | None = None) -> State:
        """A new game, at its first decision or its end."""

    def enter(self, phase: str, state: State, log: list[Event] | None = None, forced: Forced | None = None) -> State:
        """Play on from the start of a phase, with the position of ``state``."""

    def decision(self, state: State) -> Decision | None:
        """What is asked; None: the game is over."""

    def apply(self, state: State, option: int, log: list[Event] | None = None, forced: Forced | None = None) -> State:
        """The game after the option with this number."""

    def outcome(self, state: State) -> Outcome | None:
        """How the game ended; None while it runs."""

    def locals_of(self, state: State) -> Sequence[Value]:
        """The locals of the routine that asks."""

    def phase_of(self, state: State) -> str | None:
        """The leaf phase that is under way; None: the game is over."""


class PlayoutResult(NamedTuple):
    """What is known of a game that was played without a stop. ``payoffs``: None where the ruleset declares none.
    ``table``: the columns of the final table, a value for each seat, where they were wanted."""

    decisions: int
    ranks: tuple[tuple[int, ...], ...]
    payoffs: tuple[int | float, ...] | None
    reason: str | None
    table: tuple[tuple[int, ...], ...] = ()


_of_values: Any = tuple.__new__


class Game:
    """Start, ask, apply, look, and tell who won."""

    def __init__(
        self,
        program: core.Program,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        engine: str = DEFAULT_ENGINE,
        store: CodeStore | None = None,
        observer: Observer | None = None,
        limits: Limits | None = None,
    ) -> None:
        """``players``: the least possible number unless given. ``options``: by name, values as authors write them.
        ``store``: where the compiled engine may keep its code between runs. ``observer``: who looks on; only the
        evaluator can be looked at. ``limits``: what a game may cost, if not what is usual.

        Raises ValueError, in words fit for people, for a number of players or an option that the program lacks."""
        make_room()
        self.program = program
        self.players = players_of(program, players)
        self.option_values = option_values_of(program, options or {})
        self.layout = layout_of(program, self.players)
        self.setting = Setting(program, self.layout, self.players, self.option_values, observer, limits or Limits())
        self.engine = engine
        self._store = store
        self._engine = _engine(engine, self.setting, store)
        self._compiled = cast("CompiledEngine", self._engine) if engine == DEFAULT_ENGINE else None

    @cached_property
    def in_code(self) -> Game:
        """The same game on the compiled engine, for who plays thousands of positions; its states are its own."""
        return self if self._compiled is not None else self.of(self.program)

    def of(self, program: core.Program) -> Game:
        """A game of another program, for as many players and with the same options, on the compiled engine."""
        values = self.option_values
        chosen = {o.name: o.values[values[o.name]] if o.values else values[o.name] for o in self.program.options}
        return Game(program, self.players, chosen, store=self._store, limits=self.setting.limits)

    # ------------------------------------------------------------ play

    @cached_property
    def initial(self) -> State:
        """The position before the setup, as the rules print it; its random streams are not seeded."""
        return initial_position(self.setting)

    def start(self, seed: Seed = 0, log: list[Event] | None = None, forced: Forced | None = None) -> State:
        """A new game, at its first decision (or already over). What happens is appended to ``log``. With a secure seed
        (see :mod:`lusory.state.secure_random`) nobody at the table can find out what chance will bring."""
        return self._engine.start(seed, log, forced)

    def start_at(
        self, phase: str, position: State, log: list[Event] | None = None, forced: Forced | None = None
    ) -> State:
        """Play on from the start of a phase with the cells and zones of ``position``; see :meth:`located`.
        What a place holds that no game comes to must be at most ``runtime.MOST_GIVEN`` either way, and no fewer than no
        counters. Raises ValueError for a phase that the program lacks."""
        if phase not in self.setting.phases:
            raise ValueError(_unknown("phase", phase, self.setting.phases))
        state = self.located(position)
        state.cells[self.layout.over], state.cells[self.layout.reason] = 0, None
        return self._engine.enter(phase, state, log, forced)

    def located(self, position: State) -> State:
        """A position whose components are where the zones of ``position`` say, with nothing under way."""
        state = State(position.cells[: self.layout.size], [zone[:] for zone in position.zones], [])
        for entity in self.program.entities:
            state.cells[self.layout.location + entity.number] = None
        for number, zone in enumerate(state.zones):
            for card in zone:
                state.cells[self.layout.location + card] = number
        return state

    def decision(self, state: State) -> Decision | None:
        """What is asked now; None: the game is over."""
        return self._engine.decision(state)

    def apply(
        self,
        state: State,
        choice: int | Option | str,
        log: list[Event] | None = None,
        forced: Forced | None = None,
    ) -> State:
        """The game after a choice: the number of an option, the option, or its id. The given state stays as it is.

        Raises IllegalChoice, with the reasons, for anything that is not among the options."""
        number = choice if isinstance(choice, int) else self._index(state, choice)
        try:
            return self._engine.apply(state, number, log, forced)
        except NoSuchOption:
            decision = self.decision(state)
            if decision is None:
                raise IllegalChoice("the game is over", []) from None
            last = len(decision.options) - 1
            raise IllegalChoice(f"there is no option {number}, only 0 to {last}", []) from None

    def _index(self, state: State, choice: Option | str) -> int:
        decision = self.decision(state)
        if decision is None:
            raise IllegalChoice("the game is over", [])
        if isinstance(choice, str):
            ids = self.option_ids(state, decision)
            if choice in ids:
                return ids.index(choice)
            raise IllegalChoice(f"`{choice}` is not possible now", self.why_not(state, choice))
        if choice in decision.options:
            return choice.index
        raise IllegalChoice(f"{choice} is not an option of this decision", self.why_not(state, choice))

    # ------------------------------------------------------------ words

    def option_ids(self, state: State, decision: Decision) -> list[str]:
        """What an author types for each option; unique within the decision."""
        known = decision
        if knowledge_of(self.program).unseen.get(decision.site):
            known = offered(seen_by(self.setting, state, decision.seat), decision)
        return option_ids(self.setting, self.setting.sites[decision.site], known.options)

    def option_labels(self, state: State, decision: Decision) -> list[str]:
        """What a person reads for each option, as the seat that decides sees the table."""
        return self._asked(state, decision).option_labels()

    def prompt(self, state: State, decision: Decision) -> str:
        """The question, as the seat that decides sees the table."""
        return self._asked(state, decision).prompt()

    def _asked(self, state: State, decision: Decision) -> View:
        """What the seat that decides is asked."""
        seen = seen_by(self.setting, state, decision.seat)
        levels = knowledge_of(self.program).sites[decision.site]
        slots = known_to(seen, self._engine.locals_of(state), levels)
        return View(seen, self._engine.phase_of(state), decision.seat, offered(seen, decision), tuple(slots))

    def locals_of(self, state: State) -> Sequence[Value]:
        """The locals of the routine that asks, whoever may know them."""
        return self._engine.locals_of(state)

    def phase_of(self, state: State) -> str | None:
        """The leaf phase that is under way; None: the game is over."""
        return self._engine.phase_of(state)

    def awaited(self, state: State) -> tuple[int, ...]:
        """The cells behind the layout that matter while a choice waits. Only of the compiled engine."""
        assert self._compiled is not None, "the evaluator keeps its locals elsewhere"
        return self._compiled.awaited(state)

    @property
    def naming(self) -> tuple[int, ...]:
        """The cells behind the layout that hold components, or lists of them. Only of the compiled engine."""
        assert self._compiled is not None, "the evaluator keeps its locals elsewhere"
        return self._compiled.naming

    def heard(self, state: State, seat: int | None, site: int) -> tuple[SeatReader, list[Value]]:
        """What a seat (None: a spectator) may know of a choice that somebody makes: a reader of the table as it sees
        it, and the locals of the routine that asks."""
        seen = seen_by(self.setting, state, seat)
        slots = known_to(seen, self._engine.locals_of(state), knowledge_of(self.program).sites[site])
        return SeatReader(seen), list(slots)

    def takes_several(self, decision: Decision) -> bool:
        """Whether this is one pick of several: then several can be typed at once."""
        return isinstance(self.setting.sites[decision.site], core.AskMany)

    def takes_in_order(self, decision: Decision) -> bool:
        """Whether this is one pick of several whose order counts."""
        ask = self.setting.sites[decision.site]
        return isinstance(ask, core.AskMany) and ask.ordered

    def candidates(self, state: State) -> tuple[list[str], int]:
        """What an author types for each of all that a choice of some is about, also where picks can't come to it any
        more, and how many can be picked at most. Nothing where no such choice is asked."""
        decision = self.decision(state)
        ask = None if decision is None else self.setting.sites[decision.site]
        if not isinstance(ask, core.AskMany):
            return [], 0
        reader, slots = Reader(self.setting, state.cells, state.zones), list(self._engine.locals_of(state))
        found = tuple(reader.items(ask.item_slot, ask.source, ask.condition, slots))
        ids = option_ids(self.setting, ask, [Option(0, 0, (value,)) for value in found])
        return ids, min(reader.present(ask.high, slots), len(found))

    def why_not(
        self, state: State, wanted: str | Option, sees_all: bool = False, plainly: bool = False
    ) -> list[Reason]:
        """Why something is not possible now: the condition that fails, its place in the ruleset and what it read.
        Empty: it is possible. ``wanted`` is an option, its id, or words of its label.

        As the seat that decides sees the table; with ``sees_all`` hidden things are spoken of, too: for authors.
        ``plainly``: in words for players."""
        from .view.why_not import reasons_against  # imported late: the first decision comes before the first question

        decision = self.decision(state)
        if decision is None:
            return [Reason("the game is over")]
        ask, ids = self.setting.sites[decision.site], self.option_ids(state, decision)
        if isinstance(wanted, Option):
            try:
                wanted = option_id(self.setting, ask, wanted)
            except (IndexError, TypeError, ValueError):
                return [Reason(f"{wanted} is no answer to this question", ask.span)]
        if wanted in ids:
            return []
        slots = list(self._engine.locals_of(state))
        if sees_all:
            reader = Reader(self.setting, state.cells, state.zones)
        else:
            asked = self._asked(state, decision)
            reader, slots = SeatReader(asked.seen), list(asked.slots)
        return reasons_against(reader, ask, slots, wanted, ids, plainly, self.phase_of(state))

    # ------------------------------------------------------------ looking

    def foreseen(self, view: View, option: Option) -> Foreseen:
        """What surely comes of an option that the seat of a view is asked about, as it may know it. Of a pick of
        several nothing."""
        from .evaluator.preview import Foreseen, foreseen  # imported late, too

        if isinstance(view.ask, core.AskMany):
            return Foreseen((), False)
        seat = view.seat
        assert seat is not None and view.decision is not None, "this seat is asked"
        found = foreseen(view.seen, view.ask, option, view.slots, len(view.decision.options))
        told = tuple(redact(event, seat, self) for event in found.events)
        return Foreseen(tuple(event for event in told if event != UNHEARD), found.is_all)

    def view(self, state: State, seat: int | None) -> View:
        """The table as a seat sees it; None: a spectator, who sees only what all see."""
        decision = self.decision(state)
        if decision is not None and decision.seat == seat:
            return self._asked(state, decision)
        waiting_for = None if decision is None else decision.seat
        return View(seen_by(self.setting, state, seat), self._engine.phase_of(state), waiting_for, None)

    def turned_up(self, state: State, seat: int | None) -> View:
        """The table of a game that is over, with nothing hidden. Raises ValueError before the end."""
        if self.decision(state) is not None:
            raise ValueError("the game is not over: its secrets are kept")
        cells, zones = list(state.cells), [zone[:] for zone in state.zones]
        return View(Seen(self.setting, seat, cells, zones, frozenset()), None, None, None)

    def evaluate(self, state: State, expr: core.Expr, slots: Sequence[Value] = ()) -> Value:
        """The value of an expression on the whole position, hidden parts too. ``slots``: all of its locals."""
        return Reader(self.setting, state.cells, state.zones).value(expr, list(slots))

    def broken_invariants(self, state: State) -> list[Broken]:
        """The invariants that do not hold, for each combination for which they do not."""
        return [*broken_laws(self.setting), *self._watch.broken(state)]

    @cached_property
    def _watch(self) -> InvariantWatch:
        return InvariantWatch(self.setting)

    def playout(self, rnd: Callable[[], float], seed: int = 0, table: bool = False) -> PlayoutResult:
        """A whole game of random play without a stop. ``rnd`` gives floats in 0 … 1, one a decision: of n options the
        one numbered ``int(rnd() * n)`` is taken. With ``table`` it also fills in the final table. The compiled engine
        does it in one generated function, unless the reason of an ending has to be read as everybody may know it."""
        if (whole := self._whole) is not None:
            try:  # a third of the time of PlayoutResult(*…)
                found: PlayoutResult = _of_values(PlayoutResult, whole(rnd, seed, table))
            except Exception as error:
                assert self._compiled is not None
                raise self._compiled.gone_wrong(error) from error
            return found
        state = self.start(seed)
        count = 0
        while (decision := self.decision(state)) is not None:
            state = self.apply(state, int(rnd() * len(decision.options)))
            count += 1
        outcome = self.outcome(state)
        assert outcome is not None
        payoffs = None if self.program.scoring.payoff is None else outcome.payoffs
        columns = tuple(values for _, values in outcome.shown) if table else ()
        return PlayoutResult(count, outcome.ranks, payoffs, outcome.reason, columns)

    @cached_property
    def _whole(self) -> Callable[[Callable[[], float], int, bool], tuple[Any, ...]] | None:
        """What plays whole games, unless the reason of an ending has to be read as everybody may know it: the generated
        function itself, as the shortest games take little longer than a call."""
        return None if self._compiled is None or self.hidden_ending is not None else self._compiled.playouts.play

    @property
    def functions(self) -> Functions | None:
        """The compiled engine's own functions, for who plays on a great many positions; None of another engine."""
        return None if self._compiled is None else self._compiled.functions

    @cached_property
    def hidden_ending(self) -> core.EndGame | None:
        """An ending whose reason has to be read as everybody may know it, if there is one."""
        tellers = knowledge_of(self.program).tellers
        return next((stmt for stmt in tellers if isinstance(stmt, core.EndGame)), None)

    def outcome(self, state: State) -> Outcome | None:
        """Who won; None while the game runs."""
        outcome = self._engine.outcome(state)
        charts = self.program.scoring.charts
        if outcome is None or not charts or not (number := state.cells[self._ending]):
            return outcome
        chart = charts[number - 1]
        reader = Reader(self.setting, state.cells, state.zones)
        room = self.program.scoring.n_slots
        steps = (
            (title, tuple([reader.present(value, padded((seat,), room)) for seat in range(self.players)]))
            for title, value in chart.steps
        )
        return outcome._replace(chart=chart.title, steps=tuple(steps))

    @cached_property
    def _ending(self) -> int:
        """The cell that says which chart counts."""
        return self.layout.places[core.ENDING].at(())


def players_of(program: core.Program, players: int | None) -> int:
    """How many play: as given, or as few as possible. Raises ValueError, in words fit for people."""
    if players is None:
        return program.min_players
    if not program.min_players <= players <= program.max_players:
        low, high = program.min_players, program.max_players
        number = str(low) if low == high else f"{low} to {high}"
        raise ValueError(f"{program.name} is for {number} players, not {players}")
    return players


def option_values_of(program: core.Program, given: Mapping[str, Any]) -> dict[str, Value]:
    """The run-time value of each option, given or default. Raises ValueError, in words fit for people."""
    known = {option.name: option for option in program.options}
    for name in given:
        if name not in known:
            raise ValueError(_unknown("option", name, known))
    return {
        name: option_value(option, given[name]) if name in given else option.default for name, option in known.items()
    }


def option_value(option: core.Option, value: Any) -> Value:
    """The run-time value of what an author writes for an option, also as text. Raises ValueError with the reason."""
    word = str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(option.type, BoolType):
        if word not in ("true", "false", "yes", "no"):
            raise ValueError(f"option {option.name} is yes or no, not {value}")
        return word in ("true", "yes")
    if isinstance(option.type, IntType):
        low, high = option.low, option.high
        if not is_whole(word) or (low is not None and int(word) < low) or (high is not None and int(word) > high):
            bounds = "a whole number" if low is None else f"a whole number {low}..{high}"
            raise ValueError(f"option {option.name} is {bounds}, not {value}")
        return int(word)
    if word not in option.values:
        raise ValueError(_unknown(f"value of option {option.name}", word, option.values))
    return option.values.index(word)


def _unknown(kind: str, name: str, known: Any) -> str:
    hint = did_you_mean(name, known)
    return f"unknown {kind} `{name}`" + (f": {hint}" if hint else f"; there are: {', '.join(known) or 'none'}")


def _engine(name: str, setting: Setting, store: CodeStore | None) -> Engine:
    if name == EVALUATOR:
        from .evaluator.evaluator import Evaluator

        return Evaluator(setting)
    if setting.observer is not None:
        raise ValueError("only the evaluator can be observed")
    if name == DEFAULT_ENGINE:
        from .codegen.engine import CompiledEngine

        return CompiledEngine(setting, store)
    raise ValueError(_unknown("engine", name, ENGINES))
