"""What was seen in many games, as whole numbers that add up in any order to the same; bounded by the ruleset, however
many games there were. Filled by :mod:`lusory.study.gather`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .tallies import Histogram, Sums, Use

REASON_LIMIT = 50  # reasons may contain numbers, so that there are as many as games
OTHER_REASONS = "(other reasons)"
PLAYED_OUT = "played to the end"  # of a game that ended without a reason

WIN = 2520
"""What the winners of a game share: whole parts for up to ten of them."""

PARTS = 10
"""A game is looked at in tenths of its decisions."""

VALUES = 130
"""Values of an enum that are told apart one by one, at most; numbers beyond count as this one."""

ACTION, FORCED, ANSWER, PICK, OPENING = "action", "forced", "answer", "pick", "opening"
DRAWN, GAINED, PLAYED, REACHED, KEYWORD = "drawn", "gained", "played", "reached", "keyword"
TURNED = "turned"
Key = tuple[Any, ...]
"""What is used: ``(ACTION, number)`` of :attr:`Unplayed.choices`, ``(FORCED, number)`` where it was the only option,
``(ANSWER, site, alternative, variable, value)``; of cards by their first copy ``(PICK, card)`` in an
answer, ``(DRAWN, card)`` into a hand that others don't see, ``(GAINED, card)`` into a player's zone that all see,
``(PLAYED, card)`` as in :mod:`lusory.study.unplayed`, ``(REACHED, card, zone)`` the same by zone; ``(TURNED, card)``
the same by nobody; ``(KEYWORD, name)``: a card with it was played;
``(OPENING, …)``: a key of whoever begins, at once."""


@dataclass
class Question:
    """What is known of a choice: decisions at it, options in these, how often it was ``forced``. ``weight``: how much
    better than the average option the best one is, as those found who thought, in parts of WHOLE."""

    options: Sums = field(default_factory=Sums)
    weight: Sums = field(default_factory=Sums)
    forced: int = 0

    def add(self, other: Question) -> None:
        self.options.add(other.options)
        self.weight.add(other.weight)
        self.forced += other.forced


@dataclass
class Ending:
    """Games that ended alike. ``seats``: what each seat came to."""

    decisions: Sums = field(default_factory=Sums)
    turns: Sums = field(default_factory=Sums)
    seats: list[Sums] = field(default_factory=list)

    def add(self, other: Ending) -> None:
        self.decisions.add(other.decisions)
        self.turns.add(other.turns)
        _add_each(self.seats, other.seats)


@dataclass
class Column:
    """A column of the final table: of those who won, of the others (of a game for one: all are winners), and of each
    seat. ``margin``: the first less the second."""

    winners: Histogram = field(default_factory=Histogram)
    others: Histogram = field(default_factory=Histogram)
    margin: Histogram = field(default_factory=Histogram)
    seats: list[Sums] = field(default_factory=list)

    def add(self, other: Column) -> None:
        self.winners.add(other.winners)
        self.others.add(other.others)
        self.margin.add(other.margin)
        _add_each(self.seats, other.seats)


@dataclass
class Gathered:
    """All that was seen. A *result* is a seat's part of :data:`WIN`, of a game for one its score. ``began`` and
    ``first``: the results of each seat, and of whoever, as the one that began. ``turns``: runs of decisions of one
    seat. ``along``: options in each tenth of the game. ``leads``: in each tenth, of the games in which somebody led,
    whether that seat won (1 or 0); ``gaps``: how far it was ahead, in parts of WHOLE. ``changes``: times that the lead
    changed hands; ``settled``: the part of the game, in percent, after which the winner led to the end; ``drama``: in
    parts of WHOLE. ``fired``: parts of the rules that were carried out, by number, in so many of the ``replayed``
    games."""

    players: int
    games: int = 0
    ties: int = 0
    seats: list[Sums] = field(default_factory=list)
    began: list[Sums] = field(default_factory=list)
    first: Sums = field(default_factory=Sums)
    decisions: Histogram = field(default_factory=Histogram)
    turns: Histogram = field(default_factory=Histogram)
    rounds: dict[str, Histogram] = field(default_factory=dict)
    forced: Histogram = field(default_factory=Histogram)
    options: Histogram = field(default_factory=Histogram)
    along: list[Sums] = field(default_factory=list)
    leads: list[Sums] = field(default_factory=list)
    gaps: list[Sums] = field(default_factory=list)
    changes: Histogram = field(default_factory=Histogram)
    settled: Histogram = field(default_factory=Histogram)
    drama: Sums = field(default_factory=Sums)
    ends: dict[str, Ending] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    questions: dict[int, Question] = field(default_factory=dict)
    uses: dict[Key, Use] = field(default_factory=dict)
    replayed: int = 0
    fired: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for sums, size in ((self.seats, self.players), (self.began, self.players)):
            sums.extend(Sums() for _ in range(size - len(sums)))
        for sums in (self.along, self.leads, self.gaps):
            sums.extend(Sums() for _ in range(PARTS - len(sums)))

    def add(self, other: Gathered) -> None:
        """The games of others, too: in any order to the same."""
        self.games += other.games
        self.ties += other.ties
        self.replayed += other.replayed
        self.fired.update(other.fired)
        for name in ("seats", "began", "along", "leads", "gaps"):
            _add_each(getattr(self, name), getattr(other, name))
        for name in ("first", "decisions", "turns", "forced", "options", "changes", "settled", "drama"):
            getattr(self, name).add(getattr(other, name))
        for reason, ending in other.ends.items():
            self.ending(reason).add(ending)
        _add_named(self.rounds, other.rounds, Histogram)
        _add_named(self.columns, other.columns, Column)
        _add_named(self.questions, other.questions, Question)
        _add_named(self.uses, other.uses, Use)

    def ending(self, reason: str) -> Ending:
        """That of a reason; of further ones there is one for all."""
        known = reason in self.ends or len(self.ends) < REASON_LIMIT
        return self.ends.setdefault(reason if known else OTHER_REASONS, Ending())

    def use(self, key: Key) -> Use:
        """What was done with something."""
        found = self.uses.get(key)
        if found is None:
            found = self.uses[key] = Use()
        return found


def _add_each(sums: list[Sums], others: Sequence[Sums]) -> None:
    sums.extend(Sums() for _ in range(len(others) - len(sums)))
    for one, other in zip(sums, others, strict=True):
        one.add(other)


def _add_named(sums: dict[Any, Any], others: Mapping[Any, Any], made: type) -> None:
    for name, other in others.items():
        if name not in sums:
            sums[name] = made()
        sums[name].add(other)
