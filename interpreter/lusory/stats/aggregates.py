"""Mergeable counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import sqrt
from typing import Any

from lusory_dsl import core
from lusory_dsl.source.diagnostics import did_you_mean

from ..state.decision import nobody_wins, stakes
from ..state.event_log import ChoiceMade, ComponentsMoved, Event
from ..testing.program_tree import place_of, routines_in_play, walk
from .game_records import FINISHED, Result, Row, row_of

FINE = 64
"""Numbers below this have a class of their own; above, each power of two is divided into half as many classes."""

WHOLE = 10_000
"""Parts into which one is divided where what is counted is a fraction: sums stay exact."""

Z_95 = 1.959964
"""Standard deviations to each side of the mean that hold 95 % of a normal distribution."""


def score_interval(share: float, n: float, errors: float = Z_95) -> tuple[float, float]:
    """Return the score interval of a share of ``n`` trials, so many standard errors to each side: Wilson, "Probable
    Inference, the Law of Succession, and Statistical Inference" (1927)."""
    spread = errors * errors / n
    middle = (share + spread / 2) / (1 + spread)
    half = errors * sqrt(max(share * (1 - share), 0) / n + spread / (4 * n)) / (1 + spread)
    return (middle - half if share > 0 else 0.0), (middle + half if share < 1 else 1.0)  # the ends are exact


@dataclass
class Sums:
    """Numbers that were added up: how many, their sum and the sum of their squares."""

    n: int = 0
    total: int = 0
    squares: int = 0

    def count(self, value: int, times: int = 1) -> None:
        """One number more, or the same one several times."""
        self.n += times
        self.total += value * times
        self.squares += value * value * times

    def add(self, other: Sums) -> None:
        """Those of others, too."""
        self.n += other.n
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """On average; 0 of none."""
        return self.total / self.n if self.n else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of the sample."""
        n = self.n
        return sqrt(max(0, n * self.squares - self.total**2) / (n * (n - 1))) if n > 1 else 0.0

    @property
    def half(self) -> float | None:
        """With 95 % the mean lies no further off (normal approximation); None: not known of fewer than two."""
        return Z_95 * self.deviation / sqrt(self.n) if self.n > 1 else None


@dataclass
class Histogram:
    """How often numbers came. They are kept to within three per cent (classes of equal *relative* width, as in Tene's
    HdrHistogram); ``sums`` are exact. ``low`` and ``high``: the least and the greatest that came."""

    classes: Counter[int] = field(default_factory=Counter)
    sums: Sums = field(default_factory=Sums)
    low: int | None = None
    high: int | None = None

    def count(self, value: int, times: int = 1) -> None:
        """One number more, or the same one several times."""
        self.classes[class_of(value)] += times
        self.sums.count(value, times)
        self._reach((value,))

    def add(self, other: Histogram) -> None:
        """Those of others, too."""
        self.classes.update(other.classes)
        self.sums.add(other.sums)
        self._reach(end for end in (other.low, other.high) if end is not None)

    def _reach(self, values: Iterable[int]) -> None:
        for value in values:
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The least number of each class that occurred, and how often it did, in order."""
        yield from sorted(self.classes.items())

    def quantile(self, part: float) -> int:
        """The number below or at which this part of all lies, to within the width of a class; 0 of none."""
        found = list(self)
        for (value, _), reached in zip(found, accumulate(times for _, times in found), strict=True):
            if reached >= part * self.sums.n:
                return value
        return 0


def class_of(value: int) -> int:
    """The least number of the class in which a number falls; of negative ones the greatest."""
    if value < 0:
        return -class_of(-value)
    shift = max(value.bit_length() - FINE.bit_length() + 1, 0)
    return value >> shift << shift


@dataclass
class Use:
    """What was done with something that players can use: a card, an action. ``offered``: decisions in which it was
    among the options; ``chance``: how often it would have been taken there at random, in parts of :data:`WHOLE`.
    ``taken``: how often it was. ``games``: in so many games; ``seats``: what came of it for each seat that did, in
    each game.

    ``more``: games in which some seats did it more often than the average of the table; ``ahead``: what came of it for
    these. ``excess`` and ``variance`` compare them with the others *of the same game*, as where treatment is drawn by
    lot in each: of d seats among n with the results r the sum is expected to be d/n of Σr and to vary by
    d(n-d)/(n(n-1)) · (Σr² − (Σr)²/n) (the stratified test of Mantel and Haenszel, 1959). They are kept n and n²(n-1)
    times as large, which are whole numbers."""

    offered: int = 0
    chance: int = 0
    taken: int = 0
    games: int = 0
    seats: Sums = field(default_factory=Sums)
    more: int = 0
    ahead: Sums = field(default_factory=Sums)
    excess: int = 0
    variance: int = 0

    def add(self, other: Use) -> None:
        """The games of others, too."""
        for name in ("offered", "chance", "taken", "games", "more", "excess", "variance"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.seats.add(other.seats)
        self.ahead.add(other.ahead)

    def game(self, counts: list[int], results: tuple[int, ...]) -> None:
        """One game more in which it was done: how often by each seat, and what each came to."""
        done, players = sum(counts), len(counts)
        self.taken += done
        self.games += 1
        doers = 0
        theirs = 0
        for count, result in zip(counts, results, strict=True):
            if count:
                self.seats.count(result)
            if count * players > done:
                doers += 1
                theirs += result
                self.ahead.count(result)
        if doers:
            whole, squares = sum(results), sum(result * result for result in results)
            self.more += 1
            self.excess += players * theirs - doers * whole
            self.variance += doers * (players - doers) * (players * squares - whole * whole)


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
``(PLAYED, card)`` as in :mod:`lusory.stats.aggregates`, ``(REACHED, card, zone)`` the same by zone; ``(TURNED, card)``
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


OptionUse = tuple[str, int, int]
"""A card that was played (``card``, its first copy, 0), or what was chosen (``choice``, site, number)."""


@dataclass(frozen=True)
class Choice:
    """An action, or a named way to answer a choice, with the sites that offer it. ``card``: whose action it is."""

    name: str
    card: str | None
    place: str
    uses: frozenset[OptionUse]

    @property
    def title(self) -> str:
        return self.name if self.card is None else f"{self.name} ({self.card})"


class Unplayed:
    """What is looked for in the games of a program. ``zones``: those that count; none named: all that everybody sees.

    Raises ValueError, in words fit for people, for a zone that the program lacks."""

    def __init__(self, program: core.Program, zones: Sequence[str] = ()) -> None:
        for name in zones:
            if name not in program.zones:
                hint = did_you_mean(name, program.zones)
                words = f": {hint}" if hint else f"; there are: {', '.join(program.zones) or 'none'}"
                raise ValueError(f"no zone of cards is called `{name}`{words}")
        self.zones = tuple(zones)
        self.counting = frozenset(zones) or {z.name for z in program.zones.values() if z.visible.constant == "all"}
        hidden = {str(z.holds) for z in program.zones.values() if z.name not in self.counting}
        self.open = frozenset(z.name for z in program.zones.values() if not zones and str(z.holds) not in hidden)
        self._originals = [_original(entity) for entity in program.entities]
        kinds = {str(program.zones[name].holds) for name in self.counting}
        self.cards = {
            kind: [e for e in program.entities if e.kind == kind and _original(e) == e.number]
            for kind in program.component_kinds
            if kind in kinds
        }
        self.choices = _choices(program)

    def uses(self, log: Iterable[Event]) -> set[OptionUse]:
        """What one game used, from its events."""
        found: set[OptionUse] = set()
        counting, originals = self.counting, self._originals
        for event in log:
            if isinstance(event, ComponentsMoved) and event.target in counting:
                for entity, source in zip(event.components, event.sources, strict=True):
                    if entity is not None and (
                        source is None
                        or source[0] not in counting
                        or (source[0] in self.open and source[0] != event.target)
                    ):
                        found.add(("card", originals[entity], 0))
            elif isinstance(event, ChoiceMade):
                found.add(("choice", event.site, event.alternative))
        return found

    def original(self, card: int) -> int:
        """The first copy of a card."""
        return self._originals[card]

    def unplayed(self, counted: Counter[OptionUse]) -> dict[str, list[core.Entity]]:
        """Of each kind that zones which count hold: the cards that no game played, by their first copy."""
        return {
            kind: [card for card in cards if not counted["card", card.number, 0]] for kind, cards in self.cards.items()
        }

    def untaken(self, counted: Counter[OptionUse]) -> list[Choice]:
        """What nobody chose in any game, as it is written in the ruleset."""
        return [choice for choice in self.choices if not any(counted[use] for use in choice.uses)]

    def to_json(self, counted: Counter[OptionUse]) -> dict[str, Any]:
        """A JSON value. ``cards``: in how many games each was played."""
        return {
            "zones": list(self.zones),
            "cards": {
                kind: {card.card: counted["card", card.number, 0] for card in cards}
                for kind, cards in self.cards.items()
            },
            "unplayed": {kind: [card.card for card in cards] for kind, cards in self.unplayed(counted).items()},
            "untaken": [
                {"choice": choice.name, "card": choice.card, "at": choice.place} for choice in self.untaken(counted)
            ],
        }


def _original(entity: core.Entity) -> int:
    first = entity.fields.get("original", entity.number)
    assert isinstance(first, int)
    return first


def _choices(program: core.Program) -> list[Choice]:
    """Everything with a name that can be chosen. What several sites offer in the same words of the author is one."""
    found: dict[tuple[Any, ...], tuple[core.Alternative, set[OptionUse]]] = {}
    for top, _ in routines_in_play(program):
        for part, _ in walk(top):
            if isinstance(part, core.Ask):
                for number, one in enumerate(part.alternatives):
                    if one.name is not None:
                        key = (one.name, one.original, place_of(one.span))
                        found.setdefault(key, (one, set()))[1].add(("choice", part.site, number))
    return [
        Choice(
            str(one.name),
            None if one.original is None else program.entities[one.original].card,
            f"{one.span.source.name}:{one.span.line}",
            frozenset(uses),
        )
        for one, uses in found.values()
    ]


@dataclass(frozen=True)
class FirstFailure:
    """The first game in which something went wrong, to be looked at. ``words``: what more is known of it."""

    what: str
    seed: int
    decision: int
    words: str = ""


@dataclass
class Statistics:
    """What is known after some games. ``wins``: alone; ``shared``: together with others. ``totals``: of the columns
    of the final table, for each seat. ``broken``: invariants, with the number of games they broke in. ``uses``: cards
    that were played and what was chosen, with the number of games, where that is looked for. ``gathered``: what was
    seen of the games, where somebody looks on. ``lineup``: the same games with players in place of seats, where these
    are swapped. ``rows``: each game by itself, where they are compared with others; these alone grow with their
    number."""

    players: int
    selective: bool = False  # whether an ending says who can win
    zero_sum: bool = False  # whether what the winners share is paid by the others
    played: int = 0
    finished: int = 0
    decisions: int = 0
    squares: int = 0  # of the decisions in each game, summed
    shortest: int | None = None
    longest: int | None = None
    ties: int = 0
    wins: list[int] = field(default_factory=list)
    shared: list[int] = field(default_factory=list)
    payoffs: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    totals: dict[str, list[int]] = field(default_factory=dict)
    broken: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    endless: int = 0
    uses: Counter[OptionUse] = field(default_factory=Counter)
    troubles: dict[str, FirstFailure] = field(default_factory=dict)
    gathered: Gathered | None = None
    lineup: Statistics | None = None
    rows: list[Row] | None = None

    def __post_init__(self) -> None:
        for counts in (self.wins, self.shared, self.payoffs):
            counts.extend([0] * (self.players - len(counts)))

    @property
    def is_sound(self) -> bool:
        return not (self.broken or self.faults or self.endless)

    @property
    def mean_length(self) -> float:
        """Decisions in a game, on average over the finished ones."""
        return self.decisions / self.finished if self.finished else 0.0

    @property
    def deviation(self) -> float:
        """How far the lengths of games spread: their standard deviation."""
        n = self.finished
        return sqrt(max(0, n * self.squares - self.decisions**2) / (n * (n - 1))) if n > 1 else 0.0

    def count(
        self,
        length: int,
        ranks: Sequence[tuple[int, ...]],
        payoffs: Sequence[float] | None,
        reason: str | None,
        titles: Iterable[str],
        table: Iterable[Sequence[int]],
    ) -> None:
        """Add a finished game. Without ``payoffs`` its winners share one point, which the others may have to pay."""
        self.finished += 1
        self.decisions += length
        self.squares += length * length
        if self.shortest is None or length < self.shortest:
            self.shortest = length
        if self.longest is None or length > self.longest:
            self.longest = length
        best = max(ranks)
        if self.selective and nobody_wins(ranks):
            winners: Sequence[int] = ()
        elif ranks.count(best) == 1:
            winners = (ranks.index(best),)
            self.wins[winners[0]] += 1
        else:
            self.ties += 1
            winners = [seat for seat, rank in enumerate(ranks) if rank == best]
            for seat in winners:
                self.shared[seat] += 1
        gained = self.payoffs
        if payoffs is None and self.zero_sum:
            payoffs = stakes(tuple(1 if seat in winners else 2 for seat in range(self.players)))
        if payoffs is None:
            for seat in winners:
                gained[seat] += 1 / len(winners)
        else:
            for seat, payoff in enumerate(payoffs):
                gained[seat] += payoff
        self._reason(reason or PLAYED_OUT, 1)
        for title, values in zip(titles, table, strict=True):
            self._column(title, values)

    def game(self, result: Result, titles: Sequence[str]) -> None:
        """Add a game. ``titles``: of the columns of the final table."""
        self.played += 1
        if result.ending != FINISHED:
            return
        if self.rows is not None:
            self.rows.append(row_of(result, self.selective))
        length, ranks, payoffs, reason, table = result[4:9]
        self.count(length, ranks, payoffs, reason, titles, table)
        if self.lineup is not None:
            at = [result.seating.index(who) for who in range(self.players)]
            ranks, table = [ranks[seat] for seat in at], [[column[seat] for seat in at] for column in table]
            payoffs = None if payoffs is None else [payoffs[seat] for seat in at]
            self.lineup.count(length, ranks, payoffs, reason, titles, table)

    def add(self, other: Statistics) -> None:
        """Add the games of another tally, which were played after these."""
        for name in ("played", "finished", "decisions", "squares", "ties", "endless"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.shortest = min((n for n in (self.shortest, other.shortest) if n is not None), default=None)
        self.longest = max((n for n in (self.longest, other.longest) if n is not None), default=None)
        for seat in range(self.players):
            self.wins[seat] += other.wins[seat]
            self.shared[seat] += other.shared[seat]
            self.payoffs[seat] += other.payoffs[seat]
        for reason, times in other.reasons.items():
            self._reason(reason, times)
        for title, values in other.totals.items():
            self._column(title, values)
        self.broken.update(other.broken)
        self.faults.update(other.faults)
        self.uses.update(other.uses)
        if self.gathered is not None and other.gathered is not None:
            self.gathered.add(other.gathered)
        if self.lineup is not None and other.lineup is not None:
            self.lineup.add(other.lineup)
        if self.rows is not None and other.rows is not None:
            self.rows.extend(other.rows)
        for what, trouble in other.troubles.items():
            self.troubles.setdefault(what, trouble)

    def trouble(self, what: str, seed: int, decision: int, words: str = "") -> None:
        """Remember where something went wrong first."""
        self.troubles.setdefault(what, FirstFailure(what, seed, decision, words))

    def _reason(self, reason: str, times: int) -> None:
        known = reason in self.reasons or len(self.reasons) < REASON_LIMIT
        self.reasons[reason if known else OTHER_REASONS] += times

    def _column(self, title: str, values: Sequence[int]) -> None:
        sums = self.totals.setdefault(title, [0] * self.players)
        for seat, value in enumerate(values):
            sums[seat] += value


def interval(hits: int, trials: int) -> tuple[float, float]:
    """Where a rate lies with 95 % confidence (Wilson's score interval)."""
    if not trials:
        return 0.0, 1.0
    return score_interval(hits / trials, trials)
