"""Offer the public interface of the engine: a :class:`Game` is a program for a number of players with chosen options.

A game is immutable. The progress of a match is in its :class:`~lusory.state.state.State`, a value that can be copied,
compared, saved and continued anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from lusory_dsl import core
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.source.nesting_limits import raise_recursion_limit
from lusory_dsl.source.source import count_range
from lusory_dsl.source.spelling_suggestions import suggest_name
from lusory_dsl.types.types import BoolType, IntType, is_integer_text

from .evaluator.expressions import Reader, find_initial_position, pad_slots
from .evaluator.invariants import Violation, find_all_violations, find_law_violations
from .state.decisions_outcomes_and_faults import Decision, IllegalChoice, NoSuchOption, Option, Outcome, Reason
from .state.events_redaction_and_text import UNHEARD, Event, redact
from .state.random_streams import Seed
from .state.setting_value_limits_builtins_and_names import ForcedChance, Observer, Setting, Value
from .state.state import State
from .state.state_layout import make_layout
from .state.static_work_charges_and_list_bounds import Limits
from .view.redacted_state import redact_decision, redact_locals, redact_state, reveal_state
from .view.seat_view import SeatReader, View
from .view.table_and_option_text import format_option_id, list_option_ids

if TYPE_CHECKING:
    from .codegen.generated_code_runner_and_fault_explanation import CompiledEngine, Functions
    from .evaluator.option_preview import Prediction
    from .state.state import CodeStore

DEFAULT_ENGINE = "compiled"
EVALUATOR = "evaluator"
ENGINES = (EVALUATOR, DEFAULT_ENGINE)


class Engine(Protocol):
    """Play a program. Engines are deterministic and keep no data between calls."""

    def start(self, seed: Seed, log: list[Event] | None = None, forced: ForcedChance | None = None) -> State:
        """Start a new game, and return its state at the first decision or at its end."""

    def enter(
        self, phase: str, state: State, log: list[Event] | None = None, forced: ForcedChance | None = None
    ) -> State:
        """Continue from the start of a phase with the position of ``state``, up to the next decision or the end."""

    def decision(self, state: State) -> Decision | None:
        """Return the current decision, or None if the game is over."""

    def apply(
        self, state: State, option: int, log: list[Event] | None = None, forced: ForcedChance | None = None
    ) -> State:
        """Return the state after the option with this number."""

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome, or None while the game runs."""

    def get_locals(self, state: State) -> Sequence[Value]:
        """Return the local values of the routine that asks."""

    def get_picks(self, state: State) -> Sequence[int]:
        """Return the indices of the items that a choice of several has picked so far."""

    def get_phase(self, state: State) -> str | None:
        """Return the id of the running leaf phase, ``setup`` during the setup, or None if the game is over."""


class PlayoutResult(NamedTuple):
    """Hold the result of a game that was played to its end.

    Attributes:
        decisions: Number of decisions.
        ranks: The rank values of each seat.
        payoffs: The payoff of each seat, or None if the ruleset declares none or ``zero_sum``.
        reason: Why the game ended, or None.
        table: The shown scores at the end: for each, a tuple with a value for each seat. Empty unless requested.
    """

    decisions: int
    ranks: tuple[tuple[int, ...], ...]
    payoffs: tuple[int | float, ...] | None
    reason: str | None
    table: tuple[tuple[int, ...], ...] = ()


_of_values: Any = tuple.__new__


class Game:
    """Start games, ask for decisions, apply options, compute views, and determine outcomes."""

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
        """Bind a program to players and options.

        Args:
            program: The compiled ruleset.
            players: Number of players, by default the smallest possible one.
            options: Option name -> value as authors write it.
            engine: One of :data:`ENGINES`.
            store: A store in which the compiled engine may keep its code between runs.
            observer: Watches the evaluator. The compiled engine can't be observed.
            limits: The limits of the work of a game, by default those of :class:`Limits`.

        Raise ValueError, with a message for users, for a number of players or an option that the program doesn't have.
        """
        raise_recursion_limit()
        self.program = program
        self.players = choose_player_count(program, players)
        self.option_values = read_option_values(program, options or {})
        self.layout = make_layout(program, self.players)
        self.setting = Setting(program, self.layout, self.players, self.option_values, observer, limits or Limits())
        self.engine = engine
        self._store = store
        self._engine = _choose_engine(engine, self.setting, store)
        self._compiled_engine = cast("CompiledEngine", self._engine) if engine == DEFAULT_ENGINE else None

    @cached_property
    def on_compiled_engine(self) -> Game:
        """The same game on the compiled engine, which suits callers that play thousands of positions.

        A game that is on it already returns itself. Otherwise the result has no observer, and is the same object each
        time. The states of the two engines are not interchangeable.
        """
        if self._compiled_engine is not None:
            return self
        limits = self.setting.limits
        return Game(self.program, self.players, self.written_options, store=self._store, limits=limits)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes the same game in another process, without an observer: generated code can't be pickled."""
        limits = self.setting.limits
        return Game, (self.program, self.players, self.written_options, self.engine, self._store, None, limits)

    @property
    def written_options(self) -> dict[str, bool | int | str]:
        """Option name -> its value as authors write it, for all options, in declared order.

        Numbers and booleans stay, and a value of a list is its name. Empty without options.
        """
        options: dict[str, bool | int | str] = {}
        for option in self.program.options:
            value = self.option_values[option.name]
            options[option.name] = option.values[value] if option.values else value
        return options

    # ------------------------------------------------------------ play

    @cached_property
    def initial(self) -> State:
        """The position before the setup, as printed rules describe it. Its random streams have no seed yet."""
        return find_initial_position(self.setting)

    def start(self, seed: Seed = 0, log: list[Event] | None = None, forced: ForcedChance | None = None) -> State:
        """Start a new game, and return its state at the first decision or at its end.

        Events are appended to ``log``. Results of chance come from ``forced`` while it has some, and are removed there.
        With a secure seed (see :mod:`lusory.state.random_streams`), no player can predict the random ones.
        """
        return self._engine.start(seed, log, forced)

    def start_at(
        self, phase: str, position: State, log: list[Event] | None = None, forced: ForcedChance | None = None
    ) -> State:
        """Start from the beginning of a phase with the cells and zones of ``position``, random streams included.

        Returns the state at the next decision or at the end. The phase is skipped if its own condition is false, but
        those of the phases around it are not tested. ``log`` and ``forced`` are as for :meth:`start`. ``position``
        stays unchanged. It may be a position that no game reaches, or one that is over. The locations of components
        follow its zones. Its numbers must not exceed
        :data:`lusory.state.setting_value_limits_builtins_and_names.MAX_START_VALUE` in absolute value, and its pools
        must not hold negative counts; neither is checked. Raises ValueError for an unknown phase, and RulesetFault if
        the rules fail.
        """
        if phase not in self.setting.phases:
            raise ValueError(_explain_unknown_name("phase", phase, self.setting.phases))
        state = self.locate_components(position)
        state.cells[self.layout.over], state.cells[self.layout.reason] = 0, None
        return self._engine.enter(phase, state, log, forced)

    def locate_components(self, position: State) -> State:
        """Return a copy of a position with component locations that agree with its zones.

        ``cells[layout.location + 5]`` is the location of component 5: the index in ``zones`` of the list that holds it,
        or None in no zone. Other cells stay, up to ``layout.size``. No phase is running in the copy: its ``frame`` is
        [].
        """
        state = State(position.cells[: self.layout.size], [zone[:] for zone in position.zones], [])
        for entity in self.program.entities:
            state.cells[self.layout.location + entity.number] = None
        for number, zone in enumerate(state.zones):
            for card in zone:
                state.cells[self.layout.location + card] = number
        return state

    def decision(self, state: State) -> Decision | None:
        """Return the current decision, or None if the game is over."""
        return self._engine.decision(state)

    def apply(
        self,
        state: State,
        choice: int | Option | str,
        log: list[Event] | None = None,
        forced: ForcedChance | None = None,
    ) -> State:
        """Return the state after a choice. The given state stays unchanged.

        ``choice`` is the number of an option, the option itself, or its id. Events are appended to ``log``. Raise
        IllegalChoice if it is not among the options. The error has reasons for an option or an id, but none for a
        number or once the game is over. Raise RulesetFault if the rules fail.
        """
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
            raise IllegalChoice(f"`{choice}` is not possible now", self.explain_impossible(state, choice))
        if choice in decision.options:
            return choice.index
        raise IllegalChoice(f"{choice} is not an option of this decision", self.explain_impossible(state, choice))

    # ------------------------------------------------------------ words

    def option_ids(self, state: State, decision: Decision) -> list[str]:
        """Return the text to type for each option, in their order, such as ``move a1 b2``.

        Each is unique within the decision: repeated ones get ``#2``, ``#3``, … at the end, so two of ``draw`` are
        ``draw`` and ``draw#2``. In a choice among components out of sight, ``?`` stands for one that is in no
        zone, or in a zone that the deciding seat doesn't know. Two such options are ``play ?`` and ``play ?#2``.
        """
        redacted_decision = decision
        if get_knowledge(self.program).unseen_variables.get(decision.site):
            redacted_decision = redact_decision(redact_state(self.setting, state, decision.seat), decision)
        return list_option_ids(self.setting, self.setting.sites[decision.site], redacted_decision.options)

    def option_labels(self, state: State, decision: Decision) -> list[str]:
        """Return the text that a player reads for each option, in their order, as the deciding seat sees the table."""
        return self._view_decision(state, decision).option_labels()

    def prompt(self, state: State, decision: Decision) -> str:
        """Return the question of a decision, as the deciding seat sees the table."""
        return self._view_decision(state, decision).prompt()

    def _view_decision(self, state: State, decision: Decision) -> View:
        redacted_state = redact_state(self.setting, state, decision.seat)
        levels = get_knowledge(self.program).site_levels[decision.site]
        slots = tuple(redact_locals(redacted_state, self.get_locals(state), levels))
        redacted_decision = redact_decision(redacted_state, decision)
        picks = tuple(self._engine.get_picks(state)) if self.takes_several(decision) else ()
        return View(redacted_state, self.get_phase(state), decision.seat, redacted_decision, slots, picks)

    def get_locals(self, state: State) -> Sequence[Value]:
        """Return the local values of the routine that asks, including those that no seat may know."""
        return self._engine.get_locals(state)

    def get_phase(self, state: State) -> str | None:
        """Return the id of the running leaf phase, ``setup`` during the setup, or None if the game is over."""
        return self._engine.get_phase(state)

    def live_cells(self, state: State) -> tuple[int, ...]:
        """Return the numbers of the cells after the layout that hold live locals while the state's choice waits.

        The result is empty once the game is over. Only the compiled engine has such cells.
        """
        assert self._compiled_engine is not None, "the evaluator keeps its locals elsewhere"
        return self._compiled_engine.live_cells(state)

    @property
    def component_cells(self) -> tuple[int, ...]:
        """The numbers of the cells after the layout that hold components or lists of them.

        Only the compiled engine has such cells.
        """
        assert self._compiled_engine is not None, "the evaluator keeps its locals elsewhere"
        return self._compiled_engine.component_cells

    def read_choice_as_seat(self, state: State, seat: int | None, site: int) -> tuple[SeatReader, list[Value]]:
        """Return what a seat, or a spectator (None), may know of the choice that the state waits for.

        The result is a reader of the table as the seat sees it, and the local values of the routine that asks, by slot.
        A slot, or an item of a list in it, is an ``Unknown`` if the seat can't know it. The compiled engine drops
        locals that are read only in the blocks of the options, or not at all: such a slot is then None or an
        ``Unknown``, even if the seat knows it. Its list also ends with the last slot that the choice and its blocks
        use: ``[0, 2, None, None]`` where the evaluator has ``[0, 2, 5, None, None, None]``. Another seat may have to
        make the choice. ``site`` is the number of the choice's site.
        """
        redacted_state = redact_state(self.setting, state, seat)
        levels = get_knowledge(self.program).site_levels[site]
        return SeatReader(redacted_state), list(redact_locals(redacted_state, self.get_locals(state), levels))

    def takes_several(self, decision: Decision) -> bool:
        """Return whether the decision is one pick of several. A player can then type several items at once."""
        return isinstance(self.setting.sites[decision.site], core.AskMany)

    def takes_in_order(self, decision: Decision) -> bool:
        """Return whether the decision is one pick of several whose order matters."""
        ask = self.setting.sites[decision.site]
        return isinstance(ask, core.AskMany) and ask.is_ordered

    def list_candidates(self, state: State) -> tuple[list[str], int]:
        """Return the text to type for each candidate in a choice of several items, and the largest number of picks.

        The candidates are those at the first pick, in the order of the list: items already picked or passed over are
        among them. An item that the list repeats gets a number: ``(["2", "3", "3#2"], 3)``. Once `3` is picked, the
        other is `3` in :meth:`option_ids`, but `3#2` still here. Copies of a card differ: `opal` and `opal-2`. Picks
        already made count in the largest number, which is at most that of the candidates. The result is ``([], 0)`` if
        no such choice is asked.
        """
        decision = self.decision(state)
        ask = None if decision is None else self.setting.sites[decision.site]
        if not isinstance(ask, core.AskMany):
            return [], 0
        reader, slots = Reader(self.setting, state.cells, state.zones), list(self._engine.get_locals(state))
        values = tuple(reader.filter(ask.item_slot, ask.source, ask.condition, slots))
        ids = list_option_ids(self.setting, ask, [Option(0, 0, (value,)) for value in values])
        return ids, min(reader.require(ask.high, slots), len(values))

    def explain_impossible(self, state: State, query: str | Option, sees_all: bool = False) -> list[Reason]:
        """Explain to players and authors why something is not possible now. A possible option or its exact id gives [].

        Other words for it, such as its label, give a reason: ``there is no option “buy straw hat” now``. ``query`` is
        an option, its id, or an alternative's name or the fixed words that begin its label, perhaps with values:
        ``buy stove``. In a choice of several, it is an item or ``done``. Each failing condition gives a reason with its
        ``span``: what is lacking, or that it depends on what the seat can't see. A chain of ``and`` gives one, about
        its first part that is known to be false. With ``sees_all``, for authors, reasons may mention hidden values. If
        no condition fails, the reasons are about the first value in ``query`` that can't be chosen. If ``query`` lacks
        a value or has words left over, the reason is ``write it as `buy <ware>` ``. If nothing can be chosen for a
        missing value, it is ``there is no Ware to choose``, and its ``facts`` say why. If ``query`` fits no
        alternative, the reasons say so, that it belongs to another choice, or that the card lacks this action. After
        the end, the only reason is ``Reason("the game is over")``.
        """
        # Import it late, because most runs never need it and it delays the first decision.
        from .explain.reasons_for_illegal_input import explain_illegal_input

        decision = self.decision(state)
        if decision is None:
            return [Reason("the game is over")]
        ask = self.setting.sites[decision.site]
        if isinstance(query, Option):
            try:
                query = format_option_id(self.setting, ask, query)
            except (IndexError, TypeError, ValueError):
                return [Reason(f"{query} is no answer to this question", ask.span)]
        if query in self.option_ids(state, decision):
            return []
        slots = list(self._engine.get_locals(state))
        if sees_all:
            reader = Reader(self.setting, state.cells, state.zones)
        else:
            view = self._view_decision(state, decision)
            reader, slots = SeatReader(view.redacted_state), list(view.slots)
        return explain_illegal_input(reader, ask, slots, query, self.get_phase(state))

    # ------------------------------------------------------------ looking

    def predict_consequences(self, view: View, option: Option) -> Prediction:
        """Predict the certain consequences of an option of the view's decision, as far as its seat can know them.

        ``view`` must be that of the deciding seat. ``events`` of the result are those after the ``ChoiceMade`` of the
        option, without that one, as the seat sees them. Events that it does not learn of are left out. A later choice
        with one option is a forced ``ChoiceMade`` among the events. The prediction ends with the game, or where the
        asking routine ends or repeats its loop, and ``is_complete`` is then True. It is False if chance, a choice of
        several options, a secret, a fault or the limit of work ends it before. ``next_question`` is a NextQuestion for
        that choice, or else None. ``result`` reads the position after the events. The whole is
        ``Prediction((), False)`` for one pick of several, or if the seat may not know which choice it is.
        """
        # Import it late as well.
        from .evaluator.option_preview import Prediction, predict_option

        if isinstance(view.ask, core.AskMany):
            return Prediction((), False)
        seat = view.seat
        assert seat is not None and view.decision is not None, "this seat is asked"
        prediction = predict_option(view.redacted_state, view.ask, option, view.slots, len(view.decision.options))
        redacted_events = tuple(redact(event, seat, self) for event in prediction.events)
        return prediction._replace(events=tuple(event for event in redacted_events if event != UNHEARD))

    def view(self, state: State, seat: int | None) -> View:
        """Return the table as a seat sees it. None stands for a spectator, who sees only what all seats see.

        ``waiting_for`` of the view is the seat that must decide, or None at the end. ``decision`` is the decision in
        the view of that seat, and None in every other view.
        """
        decision = self.decision(state)
        if decision is not None and decision.seat == seat:
            return self._view_decision(state, decision)
        deciding_seat = None if decision is None else decision.seat
        return View(redact_state(self.setting, state, seat), self._engine.get_phase(state), deciding_seat, None)

    def reveal_table(self, state: State, seat: int | None) -> View:
        """Return the table of a finished game with nothing hidden, for a seat or a spectator (None).

        Raises ValueError before the end.
        """
        if self.decision(state) is not None:
            raise ValueError("the game is not over: its secrets are kept")
        return View(reveal_state(self.setting, state.copy(), seat), None, None, None)

    def evaluate(self, state: State, expr: core.Expr, slots: Sequence[Value] = ()) -> Value:
        """Return the value of an expression on the whole position, including hidden parts.

        ``slots`` holds the values of all its locals.
        """
        return Reader(self.setting, state.cells, state.zones).evaluate(expr, list(slots))

    def broken_invariants(self, state: State) -> list[Violation]:
        """Return all violations of invariants in a state: first those of laws, then those of other invariants."""
        # Coverage and mutation tests observe the laws at each call.
        laws = self._law_violations if self.setting.observer is None else find_law_violations(self.setting)
        return [*laws, *find_all_violations(self.setting, state)]

    @cached_property
    def _law_violations(self) -> list[Violation]:
        return find_law_violations(self.setting)

    def playout(self, rnd: Callable[[], float], seed: int = 0, table: bool = False) -> PlayoutResult:
        """Play a whole game at random, and return its result. Raise RulesetFault if the rules fail.

        ``rnd`` returns a float from 0 to below 1 for each decision, and option ``int(rnd() * n)`` of ``n`` is taken. A
        single option is taken without ``rnd``, and doesn't count as a decision. ``seed`` determines chance. Example:
        ``PlayoutResult(decisions=1, ranks=((4,), (3,)), payoffs=None, reason=None, table=())``. The numbers in
        ``ranks`` are those by which the rules rank each seat. ``payoffs`` has a number for each seat. It is None if
        the ruleset has no ``payoff``, or the word ``zero_sum`` for it. ``reason`` is the text of the ending, or None.

        With ``table``, the result's ``table`` has a tuple for each score that the rules show at the end, without its
        title: ``((7, 4, 1), (2, 3, 0))`` for two scores of three seats. The compiled engine plays in one generated
        function, except if the game has a :attr:`hidden_ending`.
        """
        if (play := self._play_whole) is not None:
            # tuple.__new__ takes a third of the time of PlayoutResult(*…).
            try:
                result: PlayoutResult = _of_values(PlayoutResult, play(rnd, seed, table))
            except Exception as error:
                assert self._compiled_engine is not None
                raise self._compiled_engine.explain_playout_fault(error) from error
            return result
        state = self.start(seed)
        count = 0
        while (decision := self.decision(state)) is not None:
            state = self.apply(state, int(rnd() * len(decision.options)))
            count += 1
        outcome = self.outcome(state)
        assert outcome is not None
        payoffs = None if self.program.scoring.payoff is None else outcome.payoffs
        columns = tuple(values for _, values in outcome.score_columns) if table else ()
        return PlayoutResult(count, outcome.ranks, payoffs, outcome.reason, columns)

    @cached_property
    def _play_whole(self) -> Callable[[Callable[[], float], int, bool], tuple[Any, ...]] | None:
        """The generated function that plays whole games, or None if :meth:`playout` has to play step by step.

        It is called directly, because the shortest games take little longer than a call.
        """
        engine = self._compiled_engine
        return None if engine is None or self.hidden_ending is not None else engine.playouts.play

    @property
    def functions(self) -> Functions | None:
        """The functions of the compiled engine, for callers that play many positions. None on the evaluator."""
        return None if self._compiled_engine is None else self._compiled_engine.functions

    @cached_property
    def hidden_ending(self) -> core.EndGame | None:
        """An ending whose reason must be redacted for the public, or None if there is none."""
        text_levels = get_knowledge(self.program).text_levels
        return next((stmt for stmt in text_levels if isinstance(stmt, core.EndGame)), None)

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome, or None while the game runs.

        If a chart ranked the players, ``chart`` is its title, and ``steps`` has a pair for each step of the chart:
        ``("Coins", (3, 5))`` with the value for each seat. Otherwise ``chart`` is None, and ``steps`` is ().
        """
        outcome = self._engine.outcome(state)
        charts = self.program.scoring.charts
        if outcome is None or not charts or not (number := state.cells[self._ending]):
            return outcome
        chart = charts[number - 1]
        reader = Reader(self.setting, state.cells, state.zones)
        n_slots = self.program.scoring.n_slots
        steps = (
            (title, tuple([reader.require(value, pad_slots((seat,), n_slots)) for seat in range(self.players)]))
            for title, value in chart.steps
        )
        return outcome._replace(chart=chart.title, steps=tuple(steps))

    @cached_property
    def _ending(self) -> int:
        """The cell that holds the number of the chart that counts."""
        return self.layout.places[core.ENDING_VARIABLE].at(())


def choose_player_count(program: core.Program, player_count: int | None) -> int:
    """Return the number of players, by default the smallest.

    Raise ValueError for a number that the game does not allow. The message is ``Nim is for 2 to 4 players, not 5`` or
    ``Nim is for 2 players, not 5``.
    """
    if player_count is None:
        return program.min_players
    if not program.min_players <= player_count <= program.max_players:
        number = count_range(program.min_players, program.max_players, "player")
        raise ValueError(f"{program.name} is for {number}, not {player_count}")
    return player_count


def read_option_values(program: core.Program, values: Mapping[str, Any]) -> dict[str, Value]:
    """Return option name -> its runtime value, for all options of the game in declared order.

    ``values`` holds what the author wrote, which :func:`parse_option_value` converts. Other options have their default.
    Raise ValueError, with a message for users, for an unknown option or a value that an option does not have.
    """
    options_by_name = {option.name: option for option in program.options}
    for name in values:
        if name not in options_by_name:
            raise ValueError(_explain_unknown_name("option", name, options_by_name))
    return {
        name: parse_option_value(option, values[name]) if name in values else option.default
        for name, option in options_by_name.items()
    }


def format_option_value(value: Value) -> str:
    """Return the value of an option as a user types it: ``true`` and ``false`` for a bool, and else its text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_option_value(option: core.Option, value: Any) -> Value:
    """Convert what an author writes for an option to a runtime value of the option's type.

    An option that is true or false takes a bool, or ``true``, ``yes``, ``false`` or ``no`` in small letters. A number
    takes an int or its digits, perhaps with a minus sign, within its bounds, both of which are allowed. It has at most
    18 digits. An option with a list of values takes the name of one, and the result is its index. Raise ValueError for
    anything else, such as “option size is a whole number 1..8, not 9”. For an unknown name, the message suggests a
    similar one, or else lists all.
    """
    word = format_option_value(value)
    if isinstance(option.type, BoolType):
        if word not in ("true", "false", "yes", "no"):
            raise ValueError(f"option {option.name} is yes or no, not {value}")
        return word in ("true", "yes")
    if isinstance(option.type, IntType):
        low, high = option.low, option.high
        if (
            not is_integer_text(word)
            or (low is not None and int(word) < low)
            or (high is not None and int(word) > high)
        ):
            bounds = "a whole number" if low is None else f"a whole number {low}..{high}"
            raise ValueError(f"option {option.name} is {bounds}, not {value}")
        return int(word)
    if word not in option.values:
        raise ValueError(_explain_unknown_name(f"value of option {option.name}", word, option.values))
    return option.values.index(word)


def _explain_unknown_name(kind: str, name: str, known_names: Any) -> str:
    if not known_names:
        return f"unknown {kind} `{name}`: this game has none"
    hint = suggest_name(name, known_names)
    return f"unknown {kind} `{name}`" + (f": {hint}" if hint else f"; choose from: {', '.join(known_names)}")


def _choose_engine(name: str, setting: Setting, store: CodeStore | None) -> Engine:
    if name == EVALUATOR:
        from .evaluator.statements_options_and_resumption import Evaluator

        return Evaluator(setting)
    if setting.observer is not None:
        raise ValueError("only the evaluator can be observed")
    if name == DEFAULT_ENGINE:
        from .codegen.generated_code_runner_and_fault_explanation import CompiledEngine

        return CompiledEngine(setting, store)
    raise ValueError(_explain_unknown_name("engine", name, ENGINES))
