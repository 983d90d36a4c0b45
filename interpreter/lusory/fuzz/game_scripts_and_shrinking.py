"""Describe games to replay, and find the shortest one that still shows a problem.

A script is a number of players, options, a seed and decisions. The class :class:`Variants` draws players and options,
and :class:`Shrinker` leaves out what a problem does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from lusory_dsl.core import Option, Program
from lusory_dsl.source.source import count_noun
from lusory_dsl.types.types import BoolType

from ..game import format_option_value, parse_option_value
from ..state.decisions_outcomes_and_faults import Decision, Option as Choice
from ..state.random_streams import Seed
from .checks_and_goals import ENDLESS, Problem

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
    def option_values(self) -> dict[str, Any]:
        """Option name -> value, for the pairs in ``options``."""
        return dict(self.options)

    def __str__(self) -> str:
        players = count_noun(self.players, "player")
        return ", ".join((players, *(f"{name}={format_option_value(value)}" for name, value in self.options)))


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
    """Variants of a program. The user may fix the number of players and some options; the others are drawn.

    ``fixed_options`` maps names of options to values as typed. ``players`` is the fixed number, or None.
    """

    def __init__(self, program: Program, players: int | None, fixed_options: Mapping[str, Any]) -> None:
        self.program = program
        self.players = range(program.min_players, program.max_players + 1) if players is None else [players]
        self.fixed_options = dict(fixed_options)
        self.free = [option for option in program.options if option.name not in self.fixed_options]

    def make_default(self) -> Variant:
        """Return the variant with the fewest players and the default options."""
        return self.make_variant(self.players[0], {})

    def draw(self, rng: Random) -> Variant:
        """Return a random variant. Its number of players is random, too, unless the user fixed it.

        Options that the user fixed keep their values. About half of the variants have the default of all others. The
        rest draw the values of all others, or of only one. ``options`` of the variant leaves out all options that have
        their default, even fixed ones. The rest is in the order of the program:
        ``(("rounds", 5), ("mode", "private"))``. Drawn values are as authors write them. Fixed ones are as in
        ``fixed_options``, where 5 may be ``"5"``. Raises ValueError for a fixed value that its option does not have.
        """
        options: dict[str, Any] = {}
        if self.free and rng.random() < 0.5:
            drawn_options = self.free if rng.random() < ALL_OPTIONS else [rng.choice(self.free)]
            options = {option.name: _draw_value(option, rng) for option in drawn_options}
        return self.make_variant(rng.choice(self.players), options)

    def make_variant(self, player_count: int, options: Mapping[str, Any]) -> Variant:
        """Return the variant with these options, except where the user fixed another value.

        Options with their default are left out, and the others are in the order of the program. Raises ValueError for a
        value that an option does not have.
        """
        values = {**options, **self.fixed_options}
        return Variant(
            player_count,
            tuple(
                (option.name, values[option.name])
                for option in self.program.options
                if option.name in values and parse_option_value(option, values[option.name]) != option.default
            ),
        )


def create_answer(decision: Decision, option: Choice) -> Answer:
    """Return an option as (site, alternative, values), an answer that can be given in another game."""
    return decision.site, option.alternative, option.values


def find_next_option(decision: Decision, answers: list[Answer]) -> Choice | None:
    """Return the option for the next answer that fits this decision, or None when no answer fits.

    An answer fits if :func:`create_answer` gives it for an option of the decision. ``answers`` is a stack: its next
    answer is the last. The answer that fits is removed from the list, and so are those behind it, which don't fit. If
    none fits, the list is empty afterwards.
    """
    if not answers:
        return None
    options = {create_answer(decision, option): option for option in decision.options}
    while answers:
        option = options.get(answers.pop())
        if option is not None:
            return option
    return None


def _draw_value(option: Option, rng: Random) -> Any:
    if option.values:
        return rng.choice(option.values)
    if isinstance(option.type, BoolType):
        return rng.random() < 0.5
    default = option.default if isinstance(option.default, int) else 0
    low = default - UNBOUNDED_RANGE if option.low is None else option.low
    high = default + UNBOUNDED_RANGE if option.high is None else option.high
    return rng.choice((low, high, rng.randint(low, high)))


Reproduce = Callable[[Script, Problem], tuple[Script, Problem] | None]
"""Function that replays a script.

It returns the part that leads to the same problem, and the problem there, or None.
"""

MAX_REPLAYED_DECISIONS = 30_000  # decisions of all replays together
MAX_REPLAYS = 600
REPLAY_COST = 20  # cost of each replay, in decisions
SMALL_SEEDS = 4
MIN_LONG_SCRIPT = 100  # minimum length of a script whose answers may be replaced by first options


class Shrinker:
    """Shrinker of one script. ``script`` and ``problem`` are the smallest so far."""

    def __init__(self, reproduce: Reproduce, variants: Variants, script: Script, problem: Problem) -> None:
        self.reproduce, self.variants = reproduce, variants
        self.script, self.problem = script, problem
        self.decisions_left, self.replays_left = MAX_REPLAYED_DECISIONS, MAX_REPLAYS

    def run(self) -> None:
        """Replace ``script`` by smaller ones that lead to the same problem, and ``problem`` by the problem there.

        Both become what ``reproduce`` returns. So the first replay, of the script itself, can already shorten it. A
        smaller script has fewer answers, or else fewer options, players or a lower seed, compared in this order. This
        ends when nothing gets smaller, or when ``MAX_REPLAYS`` or ``MAX_REPLAYED_DECISIONS`` is reached. For the
        latter, each replay counts ``REPLAY_COST`` (20) decisions more than its script has answers.

        A script of at least ``MIN_LONG_SCRIPT`` answers is first cut to its first 0, 1, 2, 4, … or 32, with
        ``takes_first``, if one of these suffices. This is left out for a problem of the kind ``ENDLESS``. Then come,
        again and again, simpler variants, fewer decisions, and each of the seeds 0 to 3 that is below the seed of the
        script. A secure seed, a text, is above all numbers. Leaves the script as it is if its problem can't be
        reproduced.
        """
        if not self._try(self.script):
            return
        self._take_first_options()
        size = None
        while size != (size := _measure(self.script)) and self._has_work_left:
            for variant in self._list_simpler_variants(self.script.variant):
                self._try(replace(self.script, variant=variant))
            self._remove_pieces()
            for seed in range(SMALL_SEEDS):
                if not isinstance(self.script.seed, int) or seed < self.script.seed:
                    self._try(replace(self.script, seed=seed))

    @property
    def _has_work_left(self) -> bool:
        return self.decisions_left > 0 and self.replays_left > 0

    def _try(self, script: Script) -> bool:
        """Replay a script, and keep it if it leads to the problem and is not larger."""
        if not self._has_work_left:
            return False
        self.replays_left -= 1
        self.decisions_left -= len(script.answers) + REPLAY_COST
        reproduction = self.reproduce(script, self.problem)
        if reproduction is None or (script is not self.script and _measure(reproduction[0]) > _measure(self.script)):
            return False
        self.script, self.problem = reproduction
        return True

    def _take_first_options(self) -> None:
        """Replace the end of a long game, or all of it, by first options."""
        answers = self.script.answers
        if self.problem.kind == ENDLESS or len(answers) < MIN_LONG_SCRIPT:
            return
        for length in (0, 1, 2, 4, 8, 16, 32):
            if self._try(replace(self.script, answers=answers[:length], takes_first=True)):
                return

    def _remove_pieces(self) -> None:
        """Leave out pieces of consecutive decisions, large ones first."""
        length = 1 << max(len(self.script.answers).bit_length() - 1, 0)
        while length and self._has_work_left:
            start = 0
            while start < len(self.script.answers) and self._has_work_left:
                answers = self.script.answers
                if not self._try(replace(self.script, answers=answers[:start] + answers[start + length :])):
                    start += length
            length //= 2

    def _list_simpler_variants(self, variant: Variant) -> Iterator[Variant]:
        """Yield variants with the default options, with one option less, and with fewer players, in this order."""
        if variant.options:
            yield self.variants.make_variant(variant.players, {})
        for name, _ in variant.options:
            options = {option_name: value for option_name, value in self.script.variant.options if option_name != name}
            yield self.variants.make_variant(self.script.variant.players, options)
        for players in self.variants.players:
            if players < variant.players:
                yield self.variants.make_variant(players, self.script.variant.option_values)


def _measure(script: Script) -> tuple[int, int, int, int]:
    seed = script.seed if isinstance(script.seed, int) else 1 << 128  # a secure seed counts as the largest
    return len(script.answers), len(script.variant.options), script.variant.players, seed
