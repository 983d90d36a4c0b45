"""Whether the engines agree: the same random game on each, compared at every step. Used by the test command and tests.

The evaluator is the oracle; what it and the compiled engine say must be the same: every decision, its options in
order and in words, every event, every cell and zone, the outcome, and in the middle of what a fault of the rules comes
up (the evaluator points into an expression, the compiled engine at its statement). With ``through_json`` each engine is
handed its state back as parsed JSON after every step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lusory_dsl.core import Program

from .choices import Decision, RulesetFault
from .compiler import CodeStore
from .events import Event, describe
from .game import ENGINES, Game
from .random_stream import draw, seed as stream_seed
from .runtime import name_of, place_name, type_of_place
from .state import State

DECISION_LIMIT = 100_000


@dataclass(frozen=True)
class Difference:
    """The first thing that the engines disagree about. ``said``: by each of ``ENGINES``, in their order."""

    players: int
    seed: int
    decisions: int
    last: str
    what: str
    said: tuple[str, str]

    def __str__(self) -> str:
        made = "1 decision" if self.decisions == 1 else f"{self.decisions} decisions"
        width = max(map(len, ENGINES)) + 1
        return "\n".join(
            (
                f"{self.players} players, seed {self.seed}, after {made}{self.last and f', the last {self.last}'}:",
                f"  {self.what}",
                *(f"    {f'{engine}:':<{width}} {words}" for engine, words in zip(ENGINES, self.said, strict=True)),
            )
        )


def pair(
    program: Program,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    store: CodeStore | None = None,
) -> tuple[Game, Game]:
    """The same game on each of ``ENGINES``."""
    oracle, other = (Game(program, players, options, name, store) for name in ENGINES)
    return oracle, other


def difference(games: tuple[Game, Game], seed: int, through_json: bool = False) -> Difference | None:
    """What the engines of a :func:`pair` first disagree about in the random game of a seed; None: they agree."""
    sides = _Side(games[0]), _Side(games[1])
    stream = stream_seed(seed, "answers")
    for side in sides:
        side.start(seed)
    last: tuple[State, Decision, int] | None = None
    for step in range(DECISION_LIMIT):
        if through_json:
            for side in sides:
                side.state = State.from_json(json.loads(json.dumps(side.state.to_json())))
        found = _compare(*sides)
        if found is not None:
            return Difference(games[0].players, seed, step, _words(games[0], last), *found)
        oracle = sides[0]
        if oracle.fault is not None or oracle.asked is None:
            return None
        stream, choice = draw(stream, len(oracle.asked.options))
        last = oracle.state, oracle.asked, choice
        for side in sides:
            side.apply(choice)
    endless = f"not over after {DECISION_LIMIT:,} decisions"
    words = _words(games[0], last)
    return Difference(games[0].players, seed, DECISION_LIMIT, words, "the game does not end", (endless, endless))


def _words(game: Game, last: tuple[State, Decision, int] | None) -> str:
    """Who took which option."""
    if last is None:
        return ""
    state, asked, choice = last
    return f"P{asked.seat + 1} `{game.option_ids(state, asked)[choice]}`"


class _Side:
    """One engine in the middle of a game. ``log``: of the last step; ``asked``: None when the game is over."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.state = State([], [], [])
        self.log: list[Event] = []
        self.asked: Decision | None = None
        self.fault: RulesetFault | None = None

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


_Found = tuple[str, tuple[str, str]]
"""What differs, and what each says about it."""


def _compare(one: _Side, other: _Side) -> _Found | None:
    if one.fault is not None or other.fault is not None:
        if one.fault is not None and other.fault is not None and one.fault.trail == other.fault.trail:
            return None
        return "a fault of the rules", (str(one.fault or "no fault"), str(other.fault or "no fault"))
    return _compare_logs(one, other) or _compare_tables(one, other) or _compare_decisions(one, other)


def _compare_logs(one: _Side, other: _Side) -> _Found | None:
    if one.log == other.log:
        return None
    at = next((i for i, (a, b) in enumerate(zip(one.log, other.log, strict=False)) if a != b), None)
    if at is None:
        at = min(len(one.log), len(other.log))
    return f"event {at + 1} of this step", (_told(one, at), _told(other, at))


def _told(side: _Side, at: int) -> str:
    if at >= len(side.log):
        return "nothing more"
    event = side.log[at]
    words = describe(event, side.game)
    return repr(event) if words is None else f"{words}   {event!r}"


def _compare_tables(one: _Side, other: _Side) -> _Found | None:
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


def _compare_decisions(one: _Side, other: _Side) -> _Found | None:
    """What is asked, with its options; at the end, who won."""
    if one.asked is None and other.asked is None:
        outcomes = [side.game.outcome(side.state) for side in (one, other)]
        return None if outcomes[0] == outcomes[1] else ("the outcome", (str(outcomes[0]), str(outcomes[1])))
    questions = [_question(side) for side in (one, other)]
    if questions[0] == questions[1]:
        return None
    if questions[0] is None or questions[1] is None:
        shown = [f"asks P{side.asked.seat + 1}" if side.asked else "the game is over" for side in (one, other)]
        return "whether the game goes on", (shown[0], shown[1])
    what, *said = next((title, a, b) for (title, a), (_, b) in zip(*questions, strict=True) if a != b)
    return what, (str(said[0]), str(said[1]))


def _question(side: _Side) -> Sequence[tuple[str, object]] | None:
    asked, game, state = side.asked, side.game, side.state
    if asked is None:
        return None
    return (
        ("whose turn it is", f"P{asked.seat + 1}"),
        ("which choice is asked", str(game.setting.sites[asked.site].span)),
        ("the options", tuple(asked.options)),  # and with them their ids
        ("the prompt", game.prompt(state, asked)),
        ("the labels of the options", game.option_labels(state, asked)),
    )
