"""Leak check: play two games that differ in one hidden outcome of chance, and compare the questions to a seat.

In the second game two cards of a shuffle change places, or another item is drawn. The decisions are the same. While a
seat observes the same in both games, it cannot tell them apart. Therefore it must be asked the same. Both games can
really happen, so there are no false alarms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

from ..belief.observation import Observation, observe
from ..game import Game
from ..state.decision import Decision, Option, RulesetFault
from ..state.event_log import Event, redact_log
from ..state.random_streams import Seed
from ..state.setting import Draw, ForcedChance
from ..state.state import State
from ..view.seat_view import View
from .checks import LEAK, Problem
from .script import Answer, Variant, answer_of, next_option

TWINS = 4  # second games that are tried for each game
MOST_DECISIONS = 60
SHRINK_TWINS = 60  # other second games that are tried while a leak is shrunk


class Outcome(NamedTuple):
    """An outcome of chance: the order of a shuffle (``stream`` is ""), or one of ``items``."""

    stream: str
    items: tuple[Any, ...]
    value: Any


Outcomes = tuple[Outcome, ...]


class _ForcedChance(ForcedChance):
    """Source of chance that repeats the given outcomes, draws further ones by a seed, and records all of them."""

    def __init__(self, given: Sequence[Outcome], seed: Seed) -> None:
        super().__init__()
        self.given = given
        self.rng = Random(f"dealt {seed}")
        self.outcomes: list[Outcome] = []

    def _record(self, stream: str, items: Sequence[Any], value: Any) -> tuple[Any]:
        number = len(self.outcomes)
        given = self.given[number] if number < len(self.given) else None
        if given is not None and given.stream == stream and set(given.items) == set(items):
            value = given.value
        self.outcomes.append(Outcome(stream, tuple(items), value))
        return (value,)

    def take_draw(self, draw: Draw, items: Sequence[Any]) -> tuple[Any] | None:
        """Return one of the items."""
        return self._record(draw.stream, items, self.rng.choice(items))

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        """Return the cards in a new order."""
        return self._record("", cards, tuple(self.rng.sample(list(cards), len(cards))))


class ForcedGame:
    """Game with forced outcomes of chance. ``log`` holds its events so far."""

    def __init__(self, game: Game, given: Sequence[Outcome], seed: Seed) -> None:
        self.game, self.chance = game, _ForcedChance(given, seed)
        self.log: list[Event] = []
        self._last_events: list[Event] = self.log
        self.state: State = game.start(0, self.log, self.chance)

    @property
    def decision(self) -> Decision | None:
        """Return the pending decision."""
        return self.game.decision(self.state)

    def apply(self, option: int) -> None:
        """Make a decision."""
        self._last_events = []
        self.state = self.game.apply(self.state, option, self._last_events, self.chance)
        self.log += self._last_events

    def replay(self, answers: Sequence[Answer]) -> list[tuple[State, Decision, Option]]:
        """Give the answers that fit. Returns each position with its decision and the option that was taken."""
        left, made = list(reversed(answers)), list[tuple[State, Decision, Option]]()
        while left and (decision := self.decision) is not None:
            option = next_option(decision, left)
            if option is None:
                break
            made.append((self.state, decision, option))
            self.apply(option.index)
        return made

    def observe(self, seat: int) -> Observation:
        """Return the observation of a seat after the last step, without its question."""
        events = redact_log(self._last_events, seat, self.game)
        return observe(self.view(seat), events)._replace(question=None, prompt="")

    def view(self, seat: int) -> View:
        """Return the table as a seat sees it."""
        return self.game.view(self.state, seat)


@dataclass(frozen=True)
class Leak:
    """Two games that ``seat`` cannot tell apart, although it is asked different questions after the same answers."""

    variant: Variant
    seed: Seed
    outcomes: tuple[Outcomes, Outcomes]
    answers: tuple[Answer, ...]
    seat: int
    questions: tuple[dict[str, Any], dict[str, Any]]

    def problem(self, game: Game) -> Problem:
        """Return the leak as a problem."""
        forced = ForcedGame(game, self.outcomes[0], self.seed)
        forced.replay(self.answers)
        decision = forced.decision
        span = None if decision is None else game.setting.sites[decision.site].span
        one, other = self.questions
        part = next((key for key in ("options", "prompt", "labels") if one[key] != other[key]), "")
        words = f"{_quote(one[part])} or {_quote(other[part])}"
        message = f"P{self.seat + 1} can't tell two games apart, but is asked different questions: {words}"
        return Problem(LEAK, str(span), message, span)


def has_hidden_information(game: Game) -> bool:
    """Return whether the game has both chance and anything that is not visible to all."""
    program = game.program
    places = [*program.variables, *program.pools, *program.zones]
    return bool(game.layout.streams) and any(program.get_place(name).visible.constant != "all" for name in places)


def find_leak(game: Game, variant: Variant, answers: Sequence[Answer], seed: Seed) -> Leak | None:
    """Look for a leak in a game with these answers, as far as they fit, and random ones after them."""
    rng = Random(f"twins {seed}")
    try:
        first = ForcedGame(game, (), seed)
        indices = [option.index for *_, option in first.replay(answers[:MOST_DECISIONS])]
        while len(indices) < MOST_DECISIONS and (decision := first.decision) is not None:
            indices.append(rng.choice(decision.options).index)
            first.apply(indices[-1])
    except RulesetFault:
        return None
    outcomes = tuple(first.chance.outcomes)
    for _ in range(TWINS if outcomes else 0):
        changed = _change_one(outcomes, rng)
        leak = changed and _compare(game, variant, (outcomes, changed), indices, seed)
        if leak:
            return leak
    return None


def shrink_leak(game: Game, leak: Leak) -> Leak:
    """Return the same leak, or a similar one, with fewer decisions."""
    rng = Random(leak.seed)
    for _ in range(SHRINK_TWINS):
        changed = _change_one(leak.outcomes[0], rng)
        if changed is not None:
            leak = _reproduce(game, replace(leak, outcomes=(leak.outcomes[0], changed))) or leak
    at = len(leak.answers) - 1
    while at >= 0:
        shorter = _reproduce(game, replace(leak, answers=leak.answers[:at] + leak.answers[at + 1 :]))
        if shorter is not None:
            leak, at = shorter, min(at, len(shorter.answers))
        at -= 1
    return leak


def _change_one(outcomes: Outcomes, rng: Random) -> Outcomes | None:
    """Change one outcome; None if it has no other value."""
    at = rng.randrange(len(outcomes))
    if rng.random() < 0.5:
        at = min(at, rng.randrange(len(outcomes)))  # early outcomes stay hidden longest
    outcome = outcomes[at]
    if len(outcome.items) < 2:
        return None
    if outcome.stream:
        value = rng.choice([item for item in outcome.items if item != outcome.value])
    else:
        a, b = rng.sample(range(len(outcome.value)), 2)
        cards = list(outcome.value)
        cards[a], cards[b] = cards[b], cards[a]
        value = tuple(cards)
    return (*outcomes[:at], outcome._replace(value=value), *outcomes[at + 1 :])


def _compare(
    game: Game, variant: Variant, outcomes: tuple[Outcomes, Outcomes], indices: Sequence[int], seed: Seed
) -> Leak | None:
    """Play both games in step, as long as some seat can't tell them apart."""
    answers = list[Answer]()
    try:
        one, other = ForcedGame(game, outcomes[0], seed), ForcedGame(game, outcomes[1], seed)
        unsure = set(range(game.players))
        for index in (*indices, None):
            unsure = {seat for seat in unsure if one.observe(seat) == other.observe(seat)}
            decision, there = one.decision, other.decision
            if not unsure or decision is None or there is None or decision.seat != there.seat:
                return None
            questions = one.view(decision.seat).question or {}, other.view(decision.seat).question or {}
            if decision.seat in unsure and questions[0] != questions[1]:
                return Leak(variant, seed, outcomes, tuple(answers), decision.seat, questions)
            if index is None or index >= len(there.options):
                return None
            answer = answer_of(decision, decision.options[index])
            if answer != answer_of(there, there.options[index]):
                return None  # another decision may lead to another question
            answers.append(answer)
            one.apply(index)
            other.apply(index)
    except RulesetFault:
        pass
    return None


def _reproduce(game: Game, leak: Leak) -> Leak | None:
    """Return the leak that these answers lead to."""
    try:
        made = ForcedGame(game, leak.outcomes[0], leak.seed).replay(leak.answers)
    except RulesetFault:
        return None
    found = _compare(game, leak.variant, leak.outcomes, [option.index for *_, option in made], leak.seed)
    return found if found is not None and len(found.answers) <= len(leak.answers) else None


def _quote(value: object) -> str:
    words = value if isinstance(value, str) else ", ".join(map(str, value))  # type: ignore[call-overload]
    return f"`{words}`" if len(words) <= 60 else f"`{words[:60]}…`"
