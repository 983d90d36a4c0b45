"""The games that one ruleset is: numbers of players, and what its options can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from lusory_dsl.core import Option, Program
from lusory_dsl.language.types import BoolType

from ...game import option_value

ALL = 0.3
"""How many of the games with other options than the usual ones have all of them drawn; the rest have one changed."""

NEAR = 3  # an option without bounds is drawn so far from what is usual


@dataclass(frozen=True)
class Variant:
    """A number of players, and the options that are not as usual, as authors write them."""

    players: int
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def given(self) -> dict[str, Any]:
        """The options by name."""
        return dict(self.options)

    def __str__(self) -> str:
        players = "1 player" if self.players == 1 else f"{self.players} players"
        return ", ".join((players, *(f"{name}={word(value)}" for name, value in self.options)))


def word(value: Any) -> str:
    """The value of an option as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Variants:
    """Those of a program. ``players`` and ``given``: what somebody has settled; the rest is drawn."""

    def __init__(self, program: Program, players: int | None, given: Mapping[str, Any]) -> None:
        self.program = program
        self.players = range(program.min_players, program.max_players + 1) if players is None else [players]
        self.given = dict(given)
        self.open = [option for option in program.options if option.name not in self.given]

    def usual(self) -> Variant:
        """As few players as can be, nothing but what is usual."""
        return self.of(self.players[0], {})

    def draw(self, rnd: Random) -> Variant:
        """One of them: half of the time the options are the usual ones."""
        options: dict[str, Any] = {}
        if self.open and rnd.random() < 0.5:
            drawn = self.open if rnd.random() < ALL else [rnd.choice(self.open)]
            options = {option.name: _drawn(option, rnd) for option in drawn}
        return self.of(rnd.choice(self.players), options)

    def of(self, players: int, options: Mapping[str, Any]) -> Variant:
        """What is settled, and besides what is said."""
        every = {**options, **self.given}
        changed = [o for o in self.program.options if o.name in every]
        return Variant(
            players,
            tuple((o.name, every[o.name]) for o in changed if option_value(o, every[o.name]) != o.default),
        )


def _drawn(option: Option, rnd: Random) -> Any:
    if option.values:
        return rnd.choice(option.values)
    if isinstance(option.type, BoolType):
        return rnd.random() < 0.5
    usual = option.default if isinstance(option.default, int) else 0
    low = usual - NEAR if option.low is None else option.low
    high = usual + NEAR if option.high is None else option.high
    return rnd.choice((low, high, rnd.randint(low, high)))
