"""Compare the engines: play the same random game on each and report the first difference.

The evaluator is the oracle. The compiled engine must agree on every decision, its options and their labels, every
event, cell and zone, the outcome, and the statement in which a fault arises. With ``through_json``, each state is
written to JSON and read back after every step. At the end the compiled engine plays the game once more as one playout,
as in simulations. Native code is compared with the compiled engine in the same way. The test command and tests use this
module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from lusory_dsl.core import Program

from ..game import ENGINES, Game, PlayoutResult
from ..state.decision import Decision, RulesetFault
from ..state.event_log import Event, describe
from ..state.random_streams import draw, make_choice_source, seed_stream as stream_seed
from ..state.setting import name_of, place_name, type_of_place
from ..state.state import CodeStore, State

if TYPE_CHECKING:
    from ..native import NativeGames, NativeSteps, NativeUsage

DECISION_LIMIT = 100_000


NATIVE = "native"
MANY_LEFT = 10  # if native code leaves all of this many games to Python, something is wrong
WIDEST = 56  # maximum width of the left log when two are shown side by side


@dataclass(frozen=True)
class Disagreement:
    """First difference between two engines.

    ``said`` holds the value of each of ``engines``. ``logs`` holds what each narrates of the last step. ``last`` is the
    last decision.
    """

    players: int
    seed: int
    decisions: int
    last: str
    what: str
    said: tuple[str, str]
    logs: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    engines: tuple[str, ...] = ENGINES

    def __str__(self) -> str:
        made = "1 decision" if self.decisions == 1 else f"{self.decisions} decisions"
        width = max(map(len, self.engines)) + 1
        said = zip(self.engines, self.said, strict=True)
        return "\n".join(
            (
                f"{self.players} players, seed {self.seed}, after {made}{self.last and f', the last {self.last}'}:",
                f"  {self.what}",
                *(f"    {f'{engine}:':<{width}} {words}" for engine, words in said),
                *(f"  {line}" for line in side_by_side(*self.logs)),
            )
        )


def side_by_side(one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """Yield two logs side by side, with a mark on lines that differ. Yields nothing if both are empty."""
    if not one and not other:
        return
    width = min(WIDEST, max(len(line) for line in (ENGINES[0], *one)))
    yield f"  {ENGINES[0]:<{width}}   {ENGINES[1]}"
    for left, right in zip_longest(one, other, fillvalue=""):
        yield f"{' ' if left == right else '≠'} {left:<{width}} | {right}".rstrip()


def pair(
    program: Program,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    store: CodeStore | None = None,
) -> tuple[Game, Game]:
    """Return the same game on each of ``ENGINES``."""
    oracle, other = (Game(program, players, options, name, store) for name in ENGINES)
    return oracle, other


def difference(games: tuple[Game, Game], seed: int, through_json: bool = False, most: int = 0) -> Disagreement | None:
    """Return the first difference between the engines of a :func:`pair` in the random game of a seed, or None.

    ``most`` limits the number of decisions. With 0 the game must end.
    """
    sides = Player(games[0]), Player(games[1])
    stream = stream_seed(seed, "answers")
    for side in sides:
        side.start(seed)
    oracle = sides[0]
    # the choices as random numbers, see Game.playout
    taken: list[float] = []
    # describes the last decision; only called when the engines differ
    last: Callable[[], str] = str
    for step in range(most or DECISION_LIMIT):
        if through_json:
            for side in sides:
                side.state = State.from_json(json.loads(json.dumps(side.state.to_json())))
        found = compare(*sides)
        if found is not None:
            return Disagreement(games[0].players, seed, step, last(), *found, (told(sides[0]), told(sides[1])))
        if oracle.fault is not None or oracle.asked is None:
            parted = _in_one_go(oracle, games[1], seed, taken)
            return parted and Disagreement(games[0].players, seed, step, last(), *parted)
        stream, choice = draw(stream, len(oracle.asked.options))
        last = partial(_words, games[0], oracle.state, oracle.asked, choice)
        taken.append((choice + 0.5) / len(oracle.asked.options))
        for side in sides:
            side.apply(choice)
    if most:
        return None
    endless = f"not over after {DECISION_LIMIT:,} decisions"
    what = "the game does not end"
    return Disagreement(games[0].players, seed, DECISION_LIMIT, last(), what, (endless, endless))


def native_difference(game: Game, native: NativeGames, seeds: Sequence[int], use: NativeUsage) -> Disagreement | None:
    """Return the first difference between native playouts and those of the compiled engine, or None.

    Native code may leave a game to Python; such a game cannot differ. It is a difference if native code leaves all of
    many games that have no fault. ``use`` counts the games.
    """
    for seed, found in zip(seeds, native.games(seeds), strict=True):
        if found is None:
            use.replayed += 1
            continue
        use.played += 1
        try:
            expected = str(game.playout(make_choice_source(seed), seed, table=True))
        except RulesetFault as fault:
            expected = str(fault)
        said = expected, str(PlayoutResult(*found))
        if said[0] != said[1]:
            return Disagreement(game.players, seed, found[0], "", IN_ONE_GO, said, engines=(ENGINES[1], NATIVE))
    use.crashes += native.crashes
    return None if use.played or len(seeds) < MANY_LEFT else _all_left(game, seeds)


def steps_difference(
    game: Game, steps: NativeSteps, seed: int, hands_over: bool, use: NativeUsage
) -> Disagreement | None:
    """Return the first difference between native code and the compiled engine in a random game, step by step, or None.

    It compares decisions, cells, zones, locals of interrupted effects and the outcome. With ``hands_over`` the engines
    exchange their state through JSON at every decision. ``use`` counts games, and steps that native code left to
    Python.
    """
    from ..native import NativeFailure  # import only when needed: most commands that read cases play nothing natively

    stream = stream_seed(seed, "answers")
    use.played += 1
    made = 0

    def parted(made: int, what: str, said: tuple[str, str]) -> Disagreement:
        return Disagreement(game.players, seed, made, "", what, said, engines=(ENGINES[1], NATIVE))

    try:
        state, here = _both(partial(game.start, seed), partial(steps.start, seed))
        here = here or _left(steps, state, use)
        for made in range(DECISION_LIMIT):
            found = compare_steps(game, steps, state, here)
            if found is not None:
                return parted(made, *found)
            asked = game.decision(state)
            if asked is None:
                return None
            if hands_over:
                state = State.from_json(json.loads(json.dumps(steps.to_python(here).to_json())))
                here = steps.from_python(state)
            stream, choice = draw(stream, len(asked.options))
            state, here = _both(partial(game.apply, state, choice), partial(steps.apply, here, choice))
            here = here or _left(steps, state, use)
    except _InOne as fault:
        return parted(made, "a fault of the rules", (str(fault), "no fault"))
    # a fault in both engines, or a state too large for native code
    except (RulesetFault, NativeFailure):
        return None
    return None


class _InOne(Exception):
    """Fault that only Python reports."""


def _both(python: Callable[[], State], native: Callable[[], bytes]) -> tuple[State, bytes]:
    """Take the same step in both engines and return both states.

    The native state is empty if native code ran out of room. Raises RulesetFault if both report a fault, and _InOne if
    only Python does.
    """
    from ..native import NativeFailure

    try:
        state = python()
    except RulesetFault as fault:
        try:
            native()
        except NativeFailure:
            raise fault from None
        raise _InOne(str(fault)) from None
    try:
        return state, native()
    except NativeFailure:
        return state, b""


def _left(steps: NativeSteps, state: State, use: NativeUsage) -> bytes:
    """Convert a state of Python to native code, which could not compute it."""
    use.replayed += 1
    return steps.from_python(state)


def compare_steps(game: Game, steps: NativeSteps, state: State, here: bytes) -> Found | None:
    """Return the difference between native code and the compiled engine in the same position, or None."""
    asked, found, other = game.decision(state), steps.decision(here), steps.to_python(here)
    expected = None if asked is None else (asked.seat, len(asked.options), asked.site)
    if expected != found:
        return "what is asked", (str(expected), str(found))
    one = Side(game, state, [], asked)
    parted = compare(one, Side(game, other, [], game.decision(other)), words=False)
    if parted is not None:
        return parted
    behind = game.layout.size
    if asked is None:
        said = str(game.outcome(state)), str(steps.outcome(here))
        return None if said[0] == said[1] or game.program.scoring.charts else ("the outcome", said)
    if state.cells[behind:] != other.cells[behind:]:
        return "the local names that outlast a choice", (str(state.cells[behind:]), str(other.cells[behind:]))
    return None


def _all_left(game: Game, seeds: Sequence[int]) -> Disagreement | None:
    """Return a difference if Python can play all games that native code left to it, or None."""
    try:
        ends = [game.playout(make_choice_source(seed), seed, table=True) for seed in seeds]
    except RulesetFault:
        return None
    said = str(ends[0]), "all left to Python"
    what = f"the games without a stop: {len(seeds)} of {len(seeds)}"
    return Disagreement(game.players, seeds[0], ends[0].decisions, "", what, said, engines=(ENGINES[1], NATIVE))


def _in_one_go(oracle: Side, game: Game, seed: int, taken: Sequence[float]) -> Found | None:
    """Return the difference when another engine plays a finished game as one playout, or None.

    A playout does not keep variables that no rule reads, so only results are compared.
    """
    numbers = iter(taken)
    try:
        played = game.playout(lambda: next(numbers), seed, table=True)
    except RulesetFault as fault:
        known = oracle.fault is not None and (oracle.fault.message, oracle.fault.trail) == (fault.message, fault.trail)
        return None if known else (f"{IN_ONE_GO}: a fault of the rules", (str(oracle.fault or "no fault"), str(fault)))
    if oracle.fault is not None:
        return f"{IN_ONE_GO}: a fault of the rules", (str(oracle.fault), "no fault")
    outcome = oracle.game.outcome(oracle.state)
    assert outcome is not None
    payoffs = None if game.program.scoring.payoff is None else outcome.payoffs
    expected = PlayoutResult(
        len(taken), outcome.ranks, payoffs, outcome.reason, tuple(values for _, values in outcome.score_columns)
    )
    return None if played == expected else (IN_ONE_GO, (str(expected), str(played)))


def _words(game: Game, state: State, asked: Decision, choice: int) -> str:
    """Return which seat took which option."""
    return f"P{asked.seat + 1} `{game.option_ids(state, asked)[choice]}`"


@dataclass
class Side:
    """One engine during a game. ``log`` holds the events of the last step. ``asked`` is None when the game is over."""

    game: Game
    state: State = field(default_factory=lambda: State([], [], []))
    log: list[Event] = field(default_factory=list)
    asked: Decision | None = None
    fault: RulesetFault | None = None


class Player(Side):
    """Engine that can take steps."""

    def start(self, seed: int) -> None:
        self._go(lambda: self.game.start(seed, self.log))

    def apply(self, choice: int) -> None:
        self._go(lambda: self.game.apply(self.state, choice, self.log))

    def _go(self, step: Callable[[], State]) -> None:
        """Take a step and compute the options of the next decision."""
        self.log = []
        try:
            self.state = step()
            self.asked = self.game.decision(self.state)
            if self.asked is not None:
                # computing the options may raise the fault
                tuple(self.asked.options)
        except RulesetFault as fault:
            self.fault = fault


Found = tuple[str, tuple[str, str]]
"""Name of the part that differs, and the value that each engine has for it."""

IN_ONE_GO = "the game without a stop"


def compare(one: Side, other: Side, words: bool = True) -> Found | None:
    """Return the difference between two engines after the same step, or None.

    ``words`` includes prompts and labels, which take longer than everything else.
    """
    if one.fault is not None or other.fault is not None:
        if one.fault is not None and other.fault is not None and one.fault.trail == other.fault.trail:
            return None
        return "a fault of the rules", (str(one.fault or "no fault"), str(other.fault or "no fault"))
    return _compare_logs(one, other) or _compare_tables(one, other) or _compare_decisions(one, other, words)


def _compare_logs(one: Side, other: Side) -> Found | None:
    if one.log == other.log:
        return None
    at = next((i for i, (a, b) in enumerate(zip(one.log, other.log, strict=False)) if a != b), None)
    if at is None:
        at = min(len(one.log), len(other.log))
    return f"event {at + 1} of this step", (_told(one, at), _told(other, at))


def told(side: Side) -> tuple[str, ...]:
    """Return the log of the last step in words."""
    return tuple(words for event in side.log if (words := describe(event, side.game)) is not None)


def _told(side: Side, at: int) -> str:
    if at >= len(side.log):
        return "nothing more"
    event = side.log[at]
    words = describe(event, side.game)
    return repr(event) if words is None else f"{words}   {event!r}"


def _compare_tables(one: Side, other: Side) -> Found | None:
    """Compare the positions: places, zones and internal counters."""
    layout = one.game.layout
    cells, others = one.state.cells[: layout.size], other.state.cells[: layout.size]
    setting = one.game.setting
    if cells != others:
        at = next(i for i in range(layout.size) if cells[i] != others[i])
        for name, place in layout.places.items():
            for indices in place.all_indices():
                if place.at(indices) == at:
                    type = type_of_place(setting.program, name)
                    said = name_of(setting, cells[at], type), name_of(setting, others[at], type)
                    return place_name(setting, place, indices), said
        return f"cell {at} of the state", (repr(cells[at]), repr(others[at]))
    if one.state.zones == other.state.zones:
        return None
    for name, place in layout.zones.items():
        holds = setting.program.zones[name].holds
        for indices in place.all_indices():
            lists = [side.state.zones[place.at(indices)] for side in (one, other)]
            if lists[0] != lists[1]:
                words = [", ".join(name_of(setting, card, holds) for card in cards) or "empty" for cards in lists]
                return place_name(setting, place, indices), (words[0], words[1])
    return None


def _compare_decisions(one: Side, other: Side, words: bool) -> Found | None:
    """Compare the pending decisions and their options, or the outcomes if the game is over."""
    if one.asked is None and other.asked is None:
        outcomes = [side.game.outcome(side.state) for side in (one, other)]
        return None if outcomes[0] == outcomes[1] else ("the outcome", (str(outcomes[0]), str(outcomes[1])))
    questions = [_question(side, words) for side in (one, other)]
    if questions[0] == questions[1]:
        return None
    if questions[0] is None or questions[1] is None:
        shown = [f"asks P{side.asked.seat + 1}" if side.asked else "the game is over" for side in (one, other)]
        return "whether the game goes on", (shown[0], shown[1])
    what, *said = next((title, a, b) for (title, a), (_, b) in zip(*questions, strict=True) if a != b)
    return what, (str(said[0]), str(said[1]))


def _question(side: Side, words: bool) -> Sequence[tuple[str, object]] | None:
    asked, game, state = side.asked, side.game, side.state
    if asked is None:
        return None
    facts: list[tuple[str, object]] = [
        ("whose turn it is", f"P{asked.seat + 1}"),
        ("which choice is asked", str(game.setting.sites[asked.site].span)),
        ("the options", tuple(asked.options)),  # their ids follow from them
    ]
    if words:
        facts += [
            ("the prompt", game.prompt(state, asked)),
            ("the labels of the options", game.option_labels(state, asked)),
        ]
    return facts
