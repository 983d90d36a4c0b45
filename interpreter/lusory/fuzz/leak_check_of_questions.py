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

from ..belief.observation_and_matching import Observation, observe
from ..game import Game
from ..state.decisions_outcomes_and_faults import Decision, Option, RulesetFault
from ..state.events_redaction_and_text import Event, redact_log
from ..state.random_streams import Seed
from ..state.setting_value_limits_builtins_and_names import Draw, ForcedChance
from ..state.state import State
from ..view.seat_view import View
from .checks_and_goals import LEAK, Problem
from .game_scripts_and_shrinking import Answer, Variant, create_answer, find_next_option

TWINS = 4  # second games that are tried for each game
MAX_DECISIONS = 60


class Outcome(NamedTuple):
    """An outcome of chance: the order of a shuffle (``stream`` is ""), or one of ``items``."""

    stream: str
    items: tuple[Any, ...]
    value: Any


Outcomes = tuple[Outcome, ...]


class _ForcedChance(ForcedChance):
    """Source of chance that repeats the given outcomes, draws further ones by a seed, and records all of them."""

    def __init__(self, outcomes: Sequence[Outcome], seed: Seed) -> None:
        super().__init__()
        self.planned_outcomes = outcomes
        self.rng = Random(f"dealt {seed}")
        self.outcomes: list[Outcome] = []

    def _record(self, stream: str, items: Sequence[Any], value: Any) -> tuple[Any]:
        number = len(self.outcomes)
        outcome = self.planned_outcomes[number] if number < len(self.planned_outcomes) else None
        if outcome is not None and outcome.stream == stream and set(outcome.items) == set(items):
            value = outcome.value
        self.outcomes.append(Outcome(stream, tuple(items), value))
        return (value,)

    def take_draw(self, draw: Draw, items: Sequence[Any]) -> tuple[Any] | None:
        """Return the given outcome in a tuple if it fits, else a random item. Record it."""
        return self._record(draw.stream, items, self.rng.choice(items))

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        """Return the given order in a tuple if it fits, else a random one. Record it."""
        return self._record("", cards, tuple(self.rng.sample(list(cards), len(cards))))


class ForcedGame:
    """Game with forced outcomes of chance. ``log`` holds its events so far."""

    def __init__(self, game: Game, outcomes: Sequence[Outcome], seed: Seed) -> None:
        self.game, self.chance = game, _ForcedChance(outcomes, seed)
        self.log: list[Event] = []
        self._last_events: list[Event] = self.log
        self.state: State = game.start(0, self.log, self.chance)

    @property
    def decision(self) -> Decision | None:
        """The pending decision, or None if the game is over."""
        return self.game.decision(self.state)

    def apply(self, option: int) -> None:
        """Make the pending decision with the option at this index: set ``state``, and append the events to ``log``.

        :meth:`observe` then shows these events. Raises IllegalChoice if there is no such option or the game is over,
        and RulesetFault if the rules fail. ``state`` and ``log`` then stay as they were, but :meth:`observe` no longer
        shows the events of the decision before.
        """
        self._last_events = []
        self.state = self.game.apply(self.state, option, self._last_events, self.chance)
        self.log += self._last_events

    def replay(self, answers: Sequence[Answer]) -> list[tuple[State, Decision, Option]]:
        """Continue the game with the answers in order, until none is left or the game ends. Skip those that don't fit.

        Changes ``state`` and ``log``, as :meth:`apply` does. Returns each position before an answer that fits, with its
        decision and the option that was taken. Raises RulesetFault if the rules fail.
        """
        remaining, steps = list(reversed(answers)), list[tuple[State, Decision, Option]]()
        while remaining and (decision := self.decision) is not None:
            option = find_next_option(decision, remaining)
            if option is None:
                break
            steps.append((self.state, decision, option))
            self.apply(option.index)
        return steps

    def observe(self, seat: int) -> Observation:
        """Return the observation of a seat after the last step, without its question."""
        events = redact_log(self._last_events, seat, self.game)
        return replace(observe(self.make_view(seat), events), question=None, prompt="")

    def make_view(self, seat: int) -> View:
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

    def to_problem(self, game: Game) -> Problem:
        """Return the leak as a problem of the kind ``LEAK`` at the choice that is asked.

        The message quotes what differs: the options, or else the prompt, or else the labels. Its other words are always
        the same: “P1 can't tell two games apart, but is asked different questions: `bet, pass` or `pass`”. The
        text of the first game comes first. A text of more than 60 characters is cut after 60, and ends with ``…``.
        ``span`` is that of the choice, and ``place`` is ``str(span)``, such as ``rules.yaml:98:9``.
        """
        forced_game = ForcedGame(game, self.outcomes[0], self.seed)
        forced_game.replay(self.answers)
        decision = forced_game.decision
        span = None if decision is None else game.setting.sites[decision.site].span
        first_question, second_question = self.questions
        key = next((key for key in ("options", "prompt", "labels") if first_question[key] != second_question[key]), "")
        quotes = f"{_quote(first_question[key])} or {_quote(second_question[key])}"
        message = f"P{self.seat + 1} can't tell two games apart, but is asked different questions: {quotes}"
        return Problem(LEAK, str(span), message, span)


def find_leak(game: Game, variant: Variant, answers: Sequence[Answer], seed: Seed) -> Leak | None:
    """Play a game with ``answers`` and then random options, and return the first leak that it shows, or None.

    ``variant`` says how ``game`` was made, and is only stored in the leak. ``seed`` determines chance and all random
    options. Only the first MAX_DECISIONS answers are tried, and those that don't fit are skipped. The game stops after
    MAX_DECISIONS decisions. In each of up to TWINS other games, one result of chance differs. Such a game goes on while
    it can take the same options. A leak is a seat that both games ask different questions, although it can't tell them
    apart. Without chance in the game, or if the rules fail in the first game, the result is None. A pair ends without a
    leak if the rules fail, or if another seat decides.
    """
    rng = Random(f"twins {seed}")
    try:
        original = ForcedGame(game, (), seed)
        indices = [option.index for *_, option in original.replay(answers[:MAX_DECISIONS])]
        while len(indices) < MAX_DECISIONS and (decision := original.decision) is not None:
            indices.append(rng.choice(decision.options).index)
            original.apply(indices[-1])
    except RulesetFault:
        return None
    outcomes = tuple(original.chance.outcomes)
    for _ in range(TWINS if outcomes else 0):
        new_outcomes = _change_outcome(outcomes, rng)
        leak = new_outcomes and _play_twins(game, variant, (outcomes, new_outcomes), indices, seed)
        if leak:
            return leak
    return None


def shrink_leak(game: Game, leak: Leak) -> Leak:
    """Return a leak with the same ``outcomes`` and fewer ``answers``, or ``leak`` itself if none is found.

    One pass from the last answer to the first leaves out each of them once, so the result need not be the shortest. A
    shorter game that leaks is kept, even if it leaks to another seat or by other questions. The same leak gives the
    same result.
    """
    index = len(leak.answers) - 1
    while index >= 0:
        shorter = _reproduce(game, replace(leak, answers=leak.answers[:index] + leak.answers[index + 1 :]))
        if shorter is not None:
            leak, index = shorter, min(index, len(shorter.answers))
        index -= 1
    return leak


def _change_outcome(outcomes: Outcomes, rng: Random) -> Outcomes | None:
    """Change one outcome; None if it has no other value."""
    index = rng.randrange(len(outcomes))
    if rng.random() < 0.5:
        index = min(index, rng.randrange(len(outcomes)))  # early outcomes stay hidden longest
    outcome = outcomes[index]
    if len(outcome.items) < 2:
        return None
    if outcome.stream:
        value = rng.choice([item for item in outcome.items if item != outcome.value])
    else:
        first_index, second_index = rng.sample(range(len(outcome.value)), 2)
        cards = list(outcome.value)
        cards[first_index], cards[second_index] = cards[second_index], cards[first_index]
        value = tuple(cards)
    return (*outcomes[:index], outcome._replace(value=value), *outcomes[index + 1 :])


def _play_twins(
    game: Game, variant: Variant, outcomes: tuple[Outcomes, Outcomes], indices: Sequence[int], seed: Seed
) -> Leak | None:
    """Play both games in step, and return the leak, or None.

    They stop when every seat can tell them apart, when another seat decides, or when the option at the next index is
    another one.
    """
    answers = list[Answer]()
    try:
        original, twin = ForcedGame(game, outcomes[0], seed), ForcedGame(game, outcomes[1], seed)
        unsure_seats = set(range(game.players))
        for index in (*indices, None):
            unsure_seats = {seat for seat in unsure_seats if original.observe(seat) == twin.observe(seat)}
            decision, twin_decision = original.decision, twin.decision
            if not unsure_seats or decision is None or twin_decision is None or decision.seat != twin_decision.seat:
                return None
            questions = original.make_view(decision.seat).question or {}, twin.make_view(decision.seat).question or {}
            if decision.seat in unsure_seats and questions[0] != questions[1]:
                return Leak(variant, seed, outcomes, tuple(answers), decision.seat, questions)
            if index is None or index >= len(twin_decision.options):
                return None
            answer = create_answer(decision, decision.options[index])
            if answer != create_answer(twin_decision, twin_decision.options[index]):
                return None  # another decision may lead to another question
            answers.append(answer)
            original.apply(index)
            twin.apply(index)
    except RulesetFault:
        pass
    return None


def _reproduce(game: Game, leak: Leak) -> Leak | None:
    """Return the leak that these answers lead to, or None if there is none or if it needs more of them."""
    try:
        steps = ForcedGame(game, leak.outcomes[0], leak.seed).replay(leak.answers)
    except RulesetFault:
        return None
    new_leak = _play_twins(game, leak.variant, leak.outcomes, [option.index for *_, option in steps], leak.seed)
    return new_leak if new_leak is not None and len(new_leak.answers) <= len(leak.answers) else None


def _quote(value: object) -> str:
    text = value if isinstance(value, str) else ", ".join(map(str, value))  # type: ignore[call-overload]
    return f"`{text}`" if len(text) <= 60 else f"`{text[:60]}…`"
