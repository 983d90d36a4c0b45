"""Scripts: games to replay, given by number of players, options, seed and decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from lusory_dsl.core import Option, Program
from lusory_dsl.types.types import BoolType

from ..game import option_value
from ..state.decision import Decision, Option as Choice
from ..state.random_streams import Seed

ALL_OPTIONS = 0.3  # share of the variants that draw every option; the others draw one
UNBOUNDED_RANGE = 3  # an option without bounds is drawn at most this far from its default

Answer = tuple[int, int, tuple[Any, ...]]
"""Decision as the site of the choice, the number of the alternative, and the values.

Unlike the index of an option, an answer keeps its meaning when earlier decisions are left out.
"""


@dataclass(frozen=True)
class Variant:
    """Number of players, and the options that differ from their defaults."""

    players: int
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def given(self) -> dict[str, Any]:
        """Return the options by name."""
        return dict(self.options)

    def __str__(self) -> str:
        players = "1 player" if self.players == 1 else f"{self.players} players"
        return ", ".join((players, *(f"{name}={_typed(value)}" for name, value in self.options)))


@dataclass(frozen=True)
class Script:
    """Game to replay.

    If ``takes_first`` is true, every seat takes its first option after the answers until the game ends.
    """

    variant: Variant
    seed: Seed
    answers: tuple[Answer, ...]
    takes_first: bool = False


class Variants:
    """Variants of a program. The user may fix the number of players and some options; the others are drawn."""

    def __init__(self, program: Program, players: int | None, fixed: Mapping[str, Any]) -> None:
        self.program = program
        self.players = range(program.min_players, program.max_players + 1) if players is None else [players]
        self.fixed = dict(fixed)
        self.free = [option for option in program.options if option.name not in self.fixed]

    def default(self) -> Variant:
        """Return the variant with the fewest players and the default options."""
        return self.of(self.players[0], {})

    def draw(self, rng: Random) -> Variant:
        """Return a random variant. Half of them have the default options."""
        options: dict[str, Any] = {}
        if self.free and rng.random() < 0.5:
            drawn = self.free if rng.random() < ALL_OPTIONS else [rng.choice(self.free)]
            options = {option.name: _draw_value(option, rng) for option in drawn}
        return self.of(rng.choice(self.players), options)

    def of(self, players: int, options: Mapping[str, Any]) -> Variant:
        """Return the variant with these options, except where the user fixed another value."""
        values = {**options, **self.fixed}
        return Variant(
            players,
            tuple(
                (option.name, values[option.name])
                for option in self.program.options
                if option.name in values and option_value(option, values[option.name]) != option.default
            ),
        )


def answer_of(decision: Decision, option: Choice) -> Answer:
    """Return an option as an answer that can be given in another game."""
    return decision.site, option.alternative, option.values


def next_option(decision: Decision, answers: list[Answer]) -> Choice | None:
    """Return the option for the next answer that fits this decision, or None when no answer fits.

    ``answers`` has its next answer last. The answer that fits, and those before it, are removed.
    """
    if not answers:
        return None
    options = {answer_of(decision, option): option for option in decision.options}
    while answers:
        option = options.get(answers.pop())
        if option is not None:
            return option
    return None


def _typed(value: Any) -> str:
    """Return an option's value as a user types it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _draw_value(option: Option, rng: Random) -> Any:
    if option.values:
        return rng.choice(option.values)
    if isinstance(option.type, BoolType):
        return rng.random() < 0.5
    default = option.default if isinstance(option.default, int) else 0
    low = default - UNBOUNDED_RANGE if option.low is None else option.low
    high = default + UNBOUNDED_RANGE if option.high is None else option.high
    return rng.choice((low, high, rng.randint(low, high)))
