"""Whether the engines agree: the same random game on each, compared at every step. Used by the test command and tests.

The evaluator is the oracle; what it and the compiled engine say must be the same: every decision, its options in
order and in words, every event, every cell and zone, the outcome, and in the middle of what a fault of the rules comes
up (the evaluator points into an expression, the compiled engine at its statement). With ``through_json`` each engine is
handed its state back as parsed JSON after every step. In the end the compiled engine plays the game once more in one
go, as in simulations.
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
from ..state.random_streams import answers, draw, seed as stream_seed
from ..state.setting import name_of, place_name, type_of_place
from ..state.state import CodeStore, State

if TYPE_CHECKING:
    from ..native import Native, NativeSteps, Use

DECISION_LIMIT = 100_000


NATIVE = "native"
MANY_LEFT = 10  # games that native code leaves to Python, from which on something is wrong where it leaves all
WIDEST = 56  # of what stands at the left, where two logs stand side by side


@dataclass(frozen=True)
class Disagreement:
    """The first thing that two engines disagree about. ``said``: by each of ``engines``, in their order; ``logs``: what
    each tells of the last step."""

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
    """What each of ``ENGINES`` tells, line by line; where they part a line has a mark. Nothing, if neither does."""
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
    """The same game on each of ``ENGINES``."""
    oracle, other = (Game(program, players, options, name, store) for name in ENGINES)
    return oracle, other


def difference(games: tuple[Game, Game], seed: int, through_json: bool = False, most: int = 0) -> Disagreement | None:
    """What the engines of a :func:`pair` first disagree about in the random game of a seed; None: they agree.

    ``most``: so many decisions will do; 0: the game must come to an end."""
    sides = Player(games[0]), Player(games[1])
    stream = stream_seed(seed, "answers")
    for side in sides:
        side.start(seed)
    oracle = sides[0]
    taken: list[float] = []  # numbers that stand for the answers, see Game.playout
    last: Callable[[], str] = str  # in words, which are only made where the engines disagree
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


def native_difference(game: Game, native: Native, seeds: Sequence[int], use: Use) -> Disagreement | None:
    """What native code and the compiled engine first disagree about when both play a game without a stop. Where native
    code only says that something is wrong, the game is that of Python, and they agree; unless it says so of all of
    many, none of which is a fault of the rules. ``use`` counts them."""
    for seed, found in zip(seeds, native.games(seeds), strict=True):
        if found is None:
            use.replayed += 1
            continue
        use.played += 1
        try:
            expected = str(game.playout(answers(seed), seed, table=True))
        except RulesetFault as fault:
            expected = str(fault)
        said = expected, str(PlayoutResult(*found))
        if said[0] != said[1]:
            return Disagreement(game.players, seed, found[0], "", IN_ONE_GO, said, engines=(ENGINES[1], NATIVE))
    use.crashes += native.crashes
    return None if use.played or len(seeds) < MANY_LEFT else _all_left(game, seeds)


def steps_difference(game: Game, steps: NativeSteps, seed: int, hands_over: bool, use: Use) -> Disagreement | None:
    """What native code and the compiled engine first disagree about in the random game of a seed, from decision to
    decision: what is asked, every cell and zone, locals in the middle of effects, who won. ``hands_over``: at every
    decision the other engine goes on, with the state as JSON in between. ``use`` counts games, and steps that native
    code left to Python."""
    from ..native import WentWrong  # imported late: most commands that read cases play nothing natively

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
    except (RulesetFault, WentWrong):  # in both, or too large to be native
        return None
    return None


class _InOne(Exception):
    """Python says that something is wrong, and native code does not."""


def _both(python: Callable[[], State], native: Callable[[], bytes]) -> tuple[State, bytes]:
    """The same step in both; no bytes: native code was short of room. Raises RulesetFault where both find something
    wrong, _InOne."""
    from ..native import WentWrong

    try:
        state = python()
    except RulesetFault as fault:
        try:
            native()
        except WentWrong:
            raise fault from None
        raise _InOne(str(fault)) from None
    try:
        return state, native()
    except WentWrong:
        return state, b""


def _left(steps: NativeSteps, state: State, use: Use) -> bytes:
    """A state that native code gets from Python, as it could not come to it by itself."""
    use.replayed += 1
    return steps.from_python(state)


def compare_steps(game: Game, steps: NativeSteps, state: State, here: bytes) -> Found | None:
    """What native code and the compiled engine say otherwise of the same position."""
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
        return "the locals that are kept over a choice", (str(state.cells[behind:]), str(other.cells[behind:]))
    return None


def _all_left(game: Game, seeds: Sequence[int]) -> Disagreement | None:
    """All of some games were left to Python: that is wrong, if Python plays them all to their ends."""
    try:
        ends = [game.playout(answers(seed), seed, table=True) for seed in seeds]
    except RulesetFault:
        return None
    said = str(ends[0]), "all left to Python"
    what = f"the games without a stop: {len(seeds)} of {len(seeds)}"
    return Disagreement(game.players, seeds[0], ends[0].decisions, "", what, said, engines=(ENGINES[1], NATIVE))


def _in_one_go(oracle: Side, game: Game, seed: int, taken: Sequence[float]) -> Found | None:
    """What another engine says otherwise when it plays a game that came to an end, or to a fault, without a stop.
    Places that no rule reads are not kept in such a game."""
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
        len(taken), outcome.ranks, payoffs, outcome.reason, tuple(values for _, values in outcome.shown)
    )
    return None if played == expected else (IN_ONE_GO, (str(expected), str(played)))


def _words(game: Game, state: State, asked: Decision, choice: int) -> str:
    """Who took which option."""
    return f"P{asked.seat + 1} `{game.option_ids(state, asked)[choice]}`"


@dataclass
class Side:
    """One engine in the middle of a game. ``log``: of the last step; ``asked``: None when the game is over."""

    game: Game
    state: State = field(default_factory=lambda: State([], [], []))
    log: list[Event] = field(default_factory=list)
    asked: Decision | None = None
    fault: RulesetFault | None = None


class Player(Side):
    """An engine that goes on."""

    def start(self, seed: int) -> None:
        self._go(lambda: self.game.start(seed, self.log))

    def apply(self, choice: int) -> None:
        self._go(lambda: self.game.apply(self.state, choice, self.log))

    def _go(self, step: Callable[[], State]) -> None:
        """Take a step, up to the options of the next decision."""
        self.log = []
        try:
            self.state = step()
            self.asked = self.game.decision(self.state)
            if self.asked is not None:
                tuple(self.asked.options)  # listed here, in case that is what fails
        except RulesetFault as fault:
            self.fault = fault


Found = tuple[str, tuple[str, str]]
"""What differs, and what each says about it."""

IN_ONE_GO = "the game without a stop"


def compare(one: Side, other: Side, words: bool = True) -> Found | None:
    """What two engines say otherwise that have taken the same step. ``words``: prompts and labels, too, which take
    longer than all the rest."""
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
    """The log of the last step, in words."""
    return tuple(words for event in side.log if (words := describe(event, side.game)) is not None)


def _told(side: Side, at: int) -> str:
    if at >= len(side.log):
        return "nothing more"
    event = side.log[at]
    words = describe(event, side.game)
    return repr(event) if words is None else f"{words}   {event!r}"


def _compare_tables(one: Side, other: Side) -> Found | None:
    """The position: places, zones, and what the engine counts."""
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
    """What is asked, with its options; at the end, who won."""
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
        ("the options", tuple(asked.options)),  # and with them their ids
    ]
    if words:
        facts += [
            ("the prompt", game.prompt(state, asked)),
            ("the labels of the options", game.option_labels(state, asked)),
        ]
    return facts
