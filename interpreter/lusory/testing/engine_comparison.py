"""Compare the engines: play the same random game on each and report the first difference.

The evaluator is the oracle. The compiled engine must agree on every decision, its options and their labels, and on
every event, cell and zone. It must also agree on the outcome, and on the statement in which a fault arises. With a
``json_interval``, states are written to JSON and read back now and then. At the end the compiled engine plays the game
once more as one playout, as in simulations. Native code is compared with the compiled engine in the same way. The test
command and tests use this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from lusory_dsl.core import Program
from lusory_dsl.source.source import count_noun

from ..game import ENGINES, Game, PlayoutResult
from ..state.decisions_outcomes_and_faults import Decision, RulesetFault
from ..state.events_redaction_and_text import Event, describe
from ..state.random_streams import draw, make_choice_source, seed_stream as stream_seed
from ..state.setting_value_limits_builtins_and_names import format_name, format_place_name, get_place_type
from ..state.state import CodeStore, State

if TYPE_CHECKING:
    from ..native import NativeGames, NativeSteps, NativeUsage

DECISION_LIMIT = 100_000


NATIVE = "native"
MIN_GAMES_LEFT = 10  # if native code leaves all of this many games to Python, something is wrong
MAX_LOG_WIDTH = 56  # maximum width of the left log when two are shown side by side


Logs = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class Disagreement:
    """First difference between two engines.

    ``decisions`` is the number of decisions before it, and ``last_decision`` describes the last of them, or is empty.
    ``subject`` names what differs. ``values`` holds the value of each of ``engines``. ``logs`` holds the lines that
    each narrates of the last step.
    """

    players: int
    seed: int
    decisions: int
    last_decision: str
    subject: str
    values: tuple[str, str]
    logs: Logs = ((), ())
    engines: tuple[str, ...] = ENGINES

    def __str__(self) -> str:
        players = count_noun(self.players, "player")
        decisions = count_noun(self.decisions, "decision")
        width = max(map(len, self.engines)) + 1
        values = zip(self.engines, self.values, strict=True)
        last_clause = self.last_decision and f", the last {self.last_decision}"
        return "\n".join(
            (
                f"{players}, seed {self.seed}, after {decisions}{last_clause}:",
                f"  {self.subject}",
                *(f"    {f'{engine}:':<{width}} {value}" for engine, value in values),
                *(f"  {line}" for line in format_side_by_side(*self.logs)),
            )
        )


def format_side_by_side(left_log: Sequence[str], right_log: Sequence[str]) -> Iterator[str]:
    """Yield a title such as ``  evaluator   compiled``, and two logs side by side. Yields nothing if both are empty.

    Lines that differ begin with ``≠``, others with a blank: ``≠ P1 draws 2 | P1 passes``. The left column is padded to
    its longest line or title, at most ``MAX_LOG_WIDTH`` characters; longer lines overhang. In the title, three blanks
    stand in place of `` | ``. The shorter log ends with empty lines: ``≠ P1 draws 2 |``.
    """
    if not left_log and not right_log:
        return
    width = min(MAX_LOG_WIDTH, max(len(line) for line in (ENGINES[0], *left_log)))
    yield f"  {ENGINES[0]:<{width}}   {ENGINES[1]}"
    for left, right in zip_longest(left_log, right_log, fillvalue=""):
        yield f"{' ' if left == right else '≠'} {left:<{width}} | {right}".rstrip()


def create_engine_pair(
    program: Program, player_count: int | None = None, store: CodeStore | None = None
) -> tuple[Game, Game]:
    """Return the same game on each of ``ENGINES``: on the evaluator, then on the compiled engine.

    Its options have their defaults. Without ``player_count``, it has the lowest number of players.
    """
    oracle, compiled_game = (Game(program, player_count, None, name, store) for name in ENGINES)
    return oracle, compiled_game


def find_difference(
    games: tuple[Game, Game], seed: int, json_interval: int = 0, decision_limit: int = 0
) -> Disagreement | None:
    """Return the first difference between a pair of engines in the random game of a seed, or None.

    :func:`compare_sides` compares them at the start and after each decision. When the game ends, or its rules fail, the
    compiled engine (the second game) also plays it as one playout. ``decision_limit`` ends the comparison after that
    many decisions. With 0 the game must end within ``DECISION_LIMIT`` decisions; otherwise that is the difference.
    ``json_interval`` writes both states to JSON and reads them back before every so many decisions, beginning with the
    first; 0 never does.
    """
    sides = Side(games[0]), Side(games[1])
    stream = stream_seed(seed, "answers")
    for side in sides:
        side.start(seed)
    oracle = sides[0]
    # the choices as random numbers, see Game.playout
    random_numbers: list[float] = []
    last_state, last_decision, choice = oracle.state, oracle.decision, 0
    limit = decision_limit or DECISION_LIMIT

    def create_disagreement(subject: str, values: tuple[str, str], logs: Logs = ((), ())) -> Disagreement:
        decision_text = ""
        if last_decision is not None and random_numbers:
            decision_text = f"P{last_decision.seat + 1} `{games[0].option_ids(last_state, last_decision)[choice]}`"
        return Disagreement(games[0].players, seed, len(random_numbers), decision_text, subject, values, logs)

    for step in range(limit + 1):
        if json_interval and step % json_interval == 0:
            for side in sides:
                side.state = State.from_json(json.loads(json.dumps(side.state.to_json())))
        difference = compare_sides(*sides)
        if difference is not None:
            return create_disagreement(*difference, (describe_log(sides[0]), describe_log(sides[1])))
        if oracle.fault is not None or oracle.decision is None:
            playout_difference = _compare_playout(oracle, games[1], seed, random_numbers)
            return playout_difference and create_disagreement(*playout_difference)
        if step == limit:
            break
        stream, choice = draw(stream, len(oracle.decision.options))
        last_state, last_decision = oracle.state, oracle.decision
        random_numbers.append((choice + 0.5) / len(oracle.decision.options))
        for side in sides:
            side.apply(choice)
    if decision_limit:
        return None
    endless = f"not over after {DECISION_LIMIT:,} decisions"
    return create_disagreement("the game does not end", (endless, endless))


def find_native_difference(
    game: Game, native: NativeGames, seeds: Sequence[int], use: NativeUsage
) -> Disagreement | None:
    """Return the first difference between native playouts and those of the compiled engine with ``seeds``, or None.

    A game that native code leaves to Python cannot differ. But it is a difference if native code leaves all games,
    there are at least MIN_GAMES_LEFT of them, and none has a fault. Each game up to and with the one that differs adds
    1 to ``use.played``, or to ``use.replayed`` if native code left it. All of ``native.crashes`` are added to
    ``use.crashes``.
    """
    played_before = use.played
    for seed, native_result in zip(seeds, native.play_games(seeds), strict=True):
        if native_result is None:
            use.replayed += 1
            continue
        use.played += 1
        try:
            expected = str(game.playout(make_choice_source(seed), seed, table=True))
        except RulesetFault as fault:
            expected = str(fault)
        values = expected, str(PlayoutResult(*native_result))
        if values[0] != values[1]:
            use.crashes += native.crashes
            return Disagreement(game.players, seed, native_result[0], "", PLAYOUT, values, engines=(ENGINES[1], NATIVE))
    use.crashes += native.crashes
    is_any_played = use.played > played_before
    return None if is_any_played or len(seeds) < MIN_GAMES_LEFT else _explain_all_left(game, seeds)


def find_native_step_difference(
    game: Game, steps: NativeSteps, seed: int, exchanges_states: bool, use: NativeUsage
) -> Disagreement | None:
    """Return the first difference between native code and the compiled engine in a random game, step by step, or None.

    It compares decisions, cells, zones, locals of interrupted effects and the outcome. With ``exchanges_states`` the
    engines exchange their state through JSON at every decision. A step that has a fault in Python alone is a difference
    with the subject ``a fault of the rules``, whose ``decisions`` doesn't count the decision that led to it. A step
    that fails in native code alone is none: ``use.replayed`` grows by 1, and native code goes on from Python's state.
    These end the comparison with None: a step with a fault in both, a fault or failure outside the steps, such as in
    the outcome, a state too large for native code, and ``DECISION_LIMIT`` decisions. ``use.played`` always grows by 1.
    """
    from ..native import NativeFailure  # import only when needed: most commands that read cases play nothing natively

    stream = stream_seed(seed, "answers")
    use.played += 1
    decision_count = 0

    def create_disagreement(count: int, subject: str, values: tuple[str, str]) -> Disagreement:
        return Disagreement(game.players, seed, count, "", subject, values, engines=(ENGINES[1], NATIVE))

    try:
        state, native_state = _step_both(partial(game.start, seed), partial(steps.start, seed), steps, use)
        for decision_count in range(DECISION_LIMIT):
            difference = compare_native_position(game, steps, state, native_state)
            if difference is not None:
                return create_disagreement(decision_count, *difference)
            decision = game.decision(state)
            if decision is None:
                return None
            if exchanges_states:
                state = State.from_json(json.loads(json.dumps(steps.to_python(native_state).to_json())))
                native_state = steps.from_python(state)
            stream, choice = draw(stream, len(decision.options))
            step_python, step_native = partial(game.apply, state, choice), partial(steps.apply, native_state, choice)
            state, native_state = _step_both(step_python, step_native, steps, use)
    except _FaultInPythonOnly as fault:
        return create_disagreement(decision_count, "a fault of the rules", (str(fault), "no fault"))
    # a fault in both engines, or a state too large for native code
    except (RulesetFault, NativeFailure):
        return None
    return None


class _FaultInPythonOnly(Exception):
    """Fault that only Python reports."""


def _step_both(
    step_python: Callable[[], State], step_native: Callable[[], bytes], native_steps: NativeSteps, usage: NativeUsage
) -> tuple[State, bytes]:
    """Take the same step in both engines and return both states.

    If native code fails, the second state is Python's state, converted, and ``usage`` counts this. Raises RulesetFault
    if both report a fault, and _FaultInPythonOnly if only Python does.
    """
    from ..native import NativeFailure

    try:
        state = step_python()
    except RulesetFault as fault:
        try:
            step_native()
        except NativeFailure:
            raise fault from None
        raise _FaultInPythonOnly(str(fault)) from None
    try:
        return state, step_native()
    except NativeFailure:
        usage.replayed += 1
        return state, native_steps.from_python(state)


def compare_native_position(game: Game, steps: NativeSteps, state: State, native_state: bytes) -> Difference | None:
    """Return how native code and the compiled engine differ in the same position, or None if they don't.

    The result is ``(name, (compiled, native))``: what differs first, and its value in each engine as a text. First the
    seat, the number of options and the site of the decision are compared: ``("what is asked", ("(0, 3, 5)", "None"))``
    if only native code asks nothing. Cells and zones follow, with a name such as ``P1.score``, then ``the options``. At
    the end of a game, ``the outcome`` comes last, unless the scoring has charts. Before the end, the locals of
    interrupted effects come last, as ``the local names that outlast a choice``.
    """
    decision, native_decision = game.decision(state), steps.decision(native_state)
    converted_state = steps.to_python(native_state)
    expected = None if decision is None else (decision.seat, len(decision.options), decision.site)
    if expected != native_decision:
        return "what is asked", (str(expected), str(native_decision))
    python_side = Side(game, state, [], decision)
    native_side = Side(game, converted_state, [], game.decision(converted_state))
    difference = compare_sides(python_side, native_side, has_texts=False)
    if difference is not None:
        return difference
    if decision is None:
        outcomes = str(game.outcome(state)), str(steps.outcome(native_state))
        return None if outcomes[0] == outcomes[1] or game.program.scoring.charts else ("the outcome", outcomes)
    local_cells = [side.cells[game.layout.size :] for side in (state, converted_state)]
    if local_cells[0] != local_cells[1]:
        return "the local names that outlast a choice", (str(local_cells[0]), str(local_cells[1]))
    return None


def _explain_all_left(game: Game, seeds: Sequence[int]) -> Disagreement | None:
    """Return a difference if Python can play all games that native code left to it, or None."""
    try:
        results = [game.playout(make_choice_source(seed), seed, table=True) for seed in seeds]
    except RulesetFault:
        return None
    values = str(results[0]), "all left to Python"
    subject = f"the games without a stop: {len(seeds)} of {len(seeds)}"
    return Disagreement(game.players, seeds[0], results[0].decisions, "", subject, values, engines=(ENGINES[1], NATIVE))


def _compare_playout(oracle: Side, game: Game, seed: int, random_numbers: Sequence[float]) -> Difference | None:
    """Return the difference when another engine plays a finished game as one playout, or None.

    A playout does not keep variables that no rule reads, so only results are compared.
    """
    numbers = iter(random_numbers)
    playout_fault = None
    try:
        result = game.playout(lambda: next(numbers), seed, table=True)
    except RulesetFault as fault:
        playout_fault = fault
    if oracle.fault is not None or playout_fault is not None:
        keys = [(fault.message, fault.trail) if fault else None for fault in (oracle.fault, playout_fault)]
        values = str(oracle.fault or "no fault"), str(playout_fault or "no fault")
        return None if keys[0] == keys[1] else (f"{PLAYOUT}: a fault of the rules", values)
    outcome = oracle.game.outcome(oracle.state)
    assert outcome is not None
    payoffs = None if game.program.scoring.payoff is None else outcome.payoffs
    expected = PlayoutResult(
        len(random_numbers),
        outcome.ranks,
        payoffs,
        outcome.reason,
        tuple(values for _, values in outcome.score_columns),
    )
    return None if result == expected else (PLAYOUT, (str(expected), str(result)))


@dataclass
class Side:
    """One engine during a game. ``log`` holds the events of the last step.

    ``decision`` is None when the game is over.
    """

    game: Game
    state: State = field(default_factory=lambda: State([], [], []))
    log: list[Event] = field(default_factory=list)
    decision: Decision | None = None
    fault: RulesetFault | None = None

    def start(self, seed: int) -> None:
        """Start a game, and keep its state, log and decision, or the fault."""
        self.take(lambda: self.game.start(seed, self.log))

    def apply(self, choice: int) -> None:
        """Take the option with this index. The log then holds only the events of this step."""
        self.take(lambda: self.game.apply(self.state, choice, self.log))

    def take(self, step: Callable[[], State]) -> None:
        """Take a step, which adds events to the new ``log``, and compute the options of the next decision."""
        self.log = []
        try:
            self.state = step()
            self.decision = self.game.decision(self.state)
            if self.decision is not None:
                # computing the options may raise the fault
                tuple(self.decision.options)
        except RulesetFault as fault:
            self.fault = fault


Difference = tuple[str, tuple[str, str]]
"""Name of the part that differs, and the value that each engine has for it."""

PLAYOUT = "the game without a stop"


def compare_sides(left: Side, right: Side, has_texts: bool = True) -> Difference | None:
    """Return the first difference between two engines after the same step, as ``(name, (left, right))``, or None.

    In this order, it compares faults, events, cells, zones, and the decision or the outcome. If both have a fault, only
    the trails of the faults are compared. Without ``has_texts``, prompts and labels are left out, which saves time.
    """
    if left.fault is not None or right.fault is not None:
        if left.fault is not None and right.fault is not None and left.fault.trail == right.fault.trail:
            return None
        return "a fault of the rules", (str(left.fault or "no fault"), str(right.fault or "no fault"))
    return _compare_logs(left, right) or _compare_tables(left, right) or _compare_decisions(left, right, has_texts)


def _compare_logs(left: Side, right: Side) -> Difference | None:
    if left.log == right.log:
        return None
    pairs = enumerate(zip_longest(left.log, right.log))
    index = next(number for number, (left_event, right_event) in pairs if left_event != right_event)
    return f"event {index + 1} of this step", (_describe_event(left, index), _describe_event(right, index))


def describe_log(side: Side) -> tuple[str, ...]:
    """Return the log of the last step in words, one line for each event. Events without a text are left out."""
    return tuple(text for event in side.log if (text := describe(event, side.game)) is not None)


def _describe_event(side: Side, index: int) -> str:
    if index >= len(side.log):
        return "nothing more"
    event = side.log[index]
    text = describe(event, side.game)
    return repr(event) if text is None else f"{text}   {event!r}"


def _compare_tables(left: Side, right: Side) -> Difference | None:
    """Compare the positions: places, zones and internal counters."""
    layout = left.game.layout
    cells, right_cells = left.state.cells[: layout.size], right.state.cells[: layout.size]
    setting = left.game.setting
    if cells != right_cells:
        index = next(i for i in range(layout.size) if cells[i] != right_cells[i])
        for name, place in layout.places.items():
            for indices in place.list_indices():
                if place.at(indices) == index:
                    type = get_place_type(setting.program, name)
                    values = format_name(setting, cells[index], type), format_name(setting, right_cells[index], type)
                    return format_place_name(setting, place, indices), values
        return f"cell {index} of the state", (repr(cells[index]), repr(right_cells[index]))
    if left.state.zones == right.state.zones:
        return None
    for name, place in layout.zones.items():
        holds = setting.program.zones[name].holds
        for indices in place.list_indices():
            lists = [side.state.zones[place.at(indices)] for side in (left, right)]
            if lists[0] != lists[1]:
                texts = [", ".join(format_name(setting, card, holds) for card in cards) or "empty" for cards in lists]
                return format_place_name(setting, place, indices), (texts[0], texts[1])
    return None


def _compare_decisions(left: Side, right: Side, has_texts: bool) -> Difference | None:
    """Compare the pending decisions and their options, or the outcomes if the game is over."""
    if left.decision is None and right.decision is None:
        outcomes = [side.game.outcome(side.state) for side in (left, right)]
        return None if outcomes[0] == outcomes[1] else ("the outcome", (str(outcomes[0]), str(outcomes[1])))
    questions = [_list_decision_facts(side, has_texts) for side in (left, right)]
    if questions[0] == questions[1]:
        return None
    if questions[0] is None or questions[1] is None:
        texts = [f"asks P{side.decision.seat + 1}" if side.decision else "the game is over" for side in (left, right)]
        return "whether the game goes on", (texts[0], texts[1])
    subject, *values = next(
        (title, left_fact, right_fact)
        for (title, left_fact), (_, right_fact) in zip(*questions, strict=True)
        if left_fact != right_fact
    )
    return subject, (str(values[0]), str(values[1]))


def _list_decision_facts(side: Side, has_texts: bool) -> Sequence[tuple[str, object]] | None:
    decision, game, state = side.decision, side.game, side.state
    if decision is None:
        return None
    facts: list[tuple[str, object]] = [
        ("whose turn it is", f"P{decision.seat + 1}"),
        ("which choice is asked", str(game.setting.sites[decision.site].span)),
        ("the options", tuple(decision.options)),  # their ids follow from them
    ]
    if has_texts:
        facts += [
            ("the prompt", game.prompt(state, decision)),
            ("the labels of the options", game.option_labels(state, decision)),
            ("the picks so far", game.view(state, decision.seat).picks),
        ]
    return facts
