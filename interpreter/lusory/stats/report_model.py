"""Convert the counters of observed games to a report: estimates, tests, and lists of unused cards and rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

from lusory_dsl import core
from lusory_dsl.source.source import Span, humanise
from lusory_dsl.types.types import ListType, OptionalType, Type

from ..game import Game
from ..state.setting import label_of
from ..testing.coverage import left_out
from .aggregates import (
    ACTION,
    ANSWER,
    DRAWN,
    FORCED,
    GAINED,
    KEYWORD,
    OPENING,
    PICK,
    PLAYED,
    REACHED,
    TURNED,
    VALUES,
    WHOLE,
    WIN,
    Choice,
    Key,
    Observations,
    OptionUsage,
    Sums,
    Unplayed,
)
from .collect import PositionEstimator, list_parts
from .estimates import (
    ENOUGH,
    FALSE,
    Distribution,
    Estimate,
    adjust_p_values,
    estimate_mean,
    estimate_share,
    p_value,
    summarize_histogram,
)

JSON_VERSION = 1


@dataclass(frozen=True)
class Seat:
    """Result of a seat: its share of wins (shared wins count in part), or the score of a solitaire game.

    ``began`` is the same for the games that this seat started.
    """

    seat: str
    kind: str
    result: Estimate | None
    began: Estimate | None


@dataclass(frozen=True)
class LeadStatistics:
    """Statistics of the leader.

    ``source`` is the origin of the values, see :class:`lusory.stats.collect.PositionEstimator`. ``along`` says for
    each tenth of the game how often the leader at its start wins. ``gap`` is the lead over the next seat, from 0 to
    1. ``changes`` counts changes of the leader in a game. ``settled`` is the percentage of the game after which the
    winner led to the end. ``comebacks`` is the share of games in which the leader at half-time did not win.
    ``runaways`` is the share of games that the leader after three tenths won.
    """

    source: str
    along: tuple[Estimate | None, ...]
    gap: tuple[Estimate | None, ...]
    changes: Distribution | None
    settled: Distribution | None
    drama: Estimate | None
    comebacks: Estimate | None
    runaways: Estimate | None


@dataclass(frozen=True)
class EndingResult:
    """Way to end. ``share`` is that of all games. ``seats`` holds the result of each seat in these games."""

    reason: str
    games: int
    share: Estimate | None
    decisions: Estimate | None
    turns: Estimate | None
    seats: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class FinalColumn:
    """Column of the final table."""

    title: str
    winners: Distribution | None
    others: Distribution | None
    margin: Distribution | None
    seats: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class Question:
    """Choice of the ruleset.

    ``per_game`` is the mean number of decisions in a game. ``forced`` is the share with a single option. ``weight`` is
    the value of the best option less the mean, as estimated by the bots that decided. Its unit is a win, or points in a
    solitaire game.
    """

    title: str
    place: str
    decisions: int
    per_game: float
    options: Estimate | None
    forced: float
    weight: Estimate | None


@dataclass(frozen=True)
class UsageResult:
    """Something that players did: ``what`` says how (taken, drawn, played …), and ``name`` with what.

    - ``offered``: the decisions with it among the options.
    - ``rate``: the share of these in which it was taken. ``at_random``: the share expected by random choice.
    - ``games``: the share of games in which it was done.
    - ``result``: the result of the seats that did it.
    - ``ahead``: the result, above their table's average, of the seats that did it more often than the others. For a
      solitaire game, the difference between games with and without it.
    - ``p`` and ``q``: the p-value, and the q-value among all tests. None means too few games.
    - ``clear``: the difference is significant.
    """

    what: str
    name: str
    place: str
    offered: int
    taken: int
    rate: Estimate | None
    at_random: float | None
    games: Estimate | None
    result: Estimate | None
    ahead: float | None = None
    compared: int = 0
    p: float | None = None
    q: float | None = None
    clear: bool = False


@dataclass(frozen=True)
class Card:
    """Card with all its copies. ``zones``: where it was played to, and how often in a game."""

    name: str
    kind: str
    copies: int
    picked: UsageResult | None
    drawn: UsageResult | None
    gained: UsageResult | None
    played: UsageResult | None
    zones: Mapping[str, float]


@dataclass(frozen=True)
class UnexecutedPart:
    """Part of the rules that no game executed, and the number of unexecuted parts within it."""

    kind: str
    name: str
    missing: str
    place: str
    behind: int


@dataclass(frozen=True)
class BotStrength:
    """Player in the comparison of bots of different strength. Elo is relative to the mean of all."""

    kind: str
    elo: float | None
    low: float | None
    high: float | None
    share: Estimate | None


@dataclass(frozen=True)
class SimulationReport:
    """Complete report on the games.

    ``for_one`` is true for a solitaire game, whose results are scores. ``dead`` are cards that were never used.
    ``unplayed`` are cards that were drawn but never played.
    """

    id: str
    name: str
    version: str
    players: int
    options: Mapping[str, Any]
    seed: int
    games: int
    for_one: bool
    seats: tuple[Seat, ...]
    first: Estimate | None
    ties: Estimate | None
    decisions: Distribution | None
    turns: Distribution | None
    rounds: Mapping[str, Distribution | None]
    branching: Distribution | None
    along: tuple[Estimate | None, ...]
    forced: float
    lead: LeadStatistics | None
    ends: tuple[EndingResult, ...]
    columns: tuple[FinalColumn, ...]
    questions: tuple[Question, ...]
    actions: tuple[UsageResult, ...]
    answers: tuple[UsageResult, ...]
    openings: tuple[UsageResult, ...]
    keywords: tuple[UsageResult, ...]
    cards: tuple[Card, ...]
    tested: int
    dead: tuple[str, ...]
    unplayed: tuple[str, ...]
    untaken: tuple[str, ...]
    replayed: int
    unfired: tuple[UnexecutedPart, ...]
    skill: tuple[BotStrength, ...] = ()

    @property
    def games_tell(self) -> str:
        """Return the number of games with the verb, as the end of a title."""
        return "1 game shows" if self.games == 1 else f"{self.games} games show"

    @property
    def done(self) -> list[UsageResult]:
        """Return all statistics of things that players did."""
        of_cards = [
            one for card in self.cards for one in (card.picked, card.drawn, card.gained, card.played) if one is not None
        ]
        return [*self.actions, *self.answers, *self.openings, *self.keywords, *of_cards]

    @property
    def strategies(self) -> list[UsageResult]:
        """Return those that correlate significantly with winning or losing, strongest first."""
        return sorted((one for one in self.done if one.clear), key=lambda one: -abs(one.ahead or 0))

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON value."""
        return {"version": JSON_VERSION, **_round_numbers(asdict(self))}


def _round_numbers(value: Any) -> Any:
    """Round all numbers to four decimals."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: _round_numbers(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_round_numbers(item) for item in value]
    return value


HALF, EARLY = 5, 3
"""Tenths of the game after which the leader is determined, for comebacks and runaways."""


class ReportBuilder:
    """Converter of counters to a report. ``zones`` are those used when counting. ``kinds`` are the players by seat."""

    def __init__(
        self,
        game: Game,
        kinds: Sequence[str],
        options: Mapping[str, Any],
        seed: int,
        gathered: Observations,
        zones: Sequence[str] = (),
    ) -> None:
        self.game, self.kinds, self.options, self.seed, self.seen = game, kinds, options, seed, gathered
        self.uses = Unplayed(game.program, zones)
        self.for_one = game.players == 1

    def build(self, skill: Sequence[BotStrength] = ()) -> SimulationReport:
        """Return the report."""
        game, seen = self.game, self.seen
        program = game.program
        cards = tuple(self._cards())
        asked = seen.decisions.sums.total
        found = SimulationReport(
            program.id,
            program.name,
            program.version,
            game.players,
            self.options,
            self.seed,
            seen.games,
            self.for_one,
            tuple(
                Seat(f"P{n + 1}", kind, self._result(seen.seats[n]), self._result(seen.began[n]))
                for n, kind in enumerate(self.kinds)
            ),
            None if self.for_one else self._result(seen.first),
            None if self.for_one else estimate_share(seen.ties, seen.games),
            summarize_histogram(seen.decisions),
            summarize_histogram(seen.turns),
            {name: summarize_histogram(one) for name, one in seen.rounds.items()},
            summarize_histogram(seen.options),
            tuple(estimate_mean(one) for one in seen.along),
            seen.forced.sums.total / max(asked + seen.forced.sums.total, 1),
            self._lead(),
            tuple(self._ends()),
            tuple(self._columns()),
            tuple(self._questions()),
            tuple(
                self._done("taken", (ACTION, n), one.title, _short_place(one.place))
                for n, one in enumerate(self.uses.choices)
            ),
            tuple(self._answers(ANSWER)),
            tuple(self._answers(OPENING)),
            tuple(self._keywords()),
            cards,
            0,
            tuple(self._dead()),
            tuple(self._unplayed()),
            tuple(
                _choice_title(one)
                for n, one in enumerate(self.uses.choices)
                if not self._taken((ACTION, n)) and not self._taken((FORCED, n))
            ),
            seen.replayed,
            tuple(self._unfired()),
            tuple(skill),
        )
        return _mark_significant(found)

    def _result(self, sums: Sums) -> Estimate | None:
        return estimate_mean(sums) if self.for_one else estimate_share(sums.total / WIN, sums.n)

    def _columns(self) -> Iterator[FinalColumn]:
        for title, column in self.seen.columns.items():
            yield FinalColumn(
                title,
                summarize_histogram(column.winners),
                summarize_histogram(column.others),
                summarize_histogram(column.margin),
                tuple(map(estimate_mean, column.seats)),
            )

    def _lead(self) -> LeadStatistics | None:
        seen = self.seen
        if not seen.changes.sums.n:
            return None
        half, early = seen.leads[HALF], seen.leads[EARLY]
        return LeadStatistics(
            PositionEstimator(self.game).source,
            tuple(estimate_share(one.total, one.n) for one in seen.leads),
            tuple(estimate_mean(one, WHOLE) for one in seen.gaps),
            summarize_histogram(seen.changes),
            summarize_histogram(seen.settled),
            estimate_mean(seen.drama, WHOLE),
            estimate_share(half.n - half.total, half.n),
            estimate_share(early.total, early.n),
        )

    def _ends(self) -> Iterator[EndingResult]:
        for reason, one in sorted(self.seen.ends.items(), key=lambda end: (-end[1].decisions.n, end[0])):
            games = one.decisions.n
            seats = tuple(self._result(sums) for sums in one.seats)
            yield EndingResult(
                reason,
                games,
                estimate_share(games, self.seen.games),
                estimate_mean(one.decisions),
                estimate_mean(one.turns),
                seats,
            )

    def _questions(self) -> Iterator[Question]:
        games = max(self.seen.games, 1)
        for site, one in sorted(self.seen.questions.items(), key=lambda item: -item[1].options.n):
            ask = self.game.setting.sites[site]
            decisions = one.options.n
            forced = one.forced / max(decisions + one.forced, 1)
            yield Question(
                _format_prompt(ask.prompt),
                _format_span(ask.span),
                decisions,
                decisions / games,
                estimate_mean(one.options),
                forced,
                estimate_mean(one.weight, WHOLE),
            )

    # ------------------------------------------------------------ uses

    def _taken(self, key: Key) -> int:
        use = self.seen.uses.get(key)
        return 0 if use is None else use.taken

    def _done(self, what: str, key: Key, name: str, place: str = "") -> UsageResult:
        use = self.seen.uses.get(key) or OptionUsage()
        offered = use.offered
        ahead, compared, p = self._compared(use)
        return UsageResult(
            what,
            name,
            place,
            offered,
            use.taken,
            estimate_share(use.taken, offered) if offered else None,
            use.chance / WHOLE / offered if offered else None,
            estimate_share(use.games, self.seen.games),
            self._result(use.seats),
            ahead,
            compared,
            p,
        )

    def _if_done(self, what: str, key: Key, name: str) -> UsageResult | None:
        return self._done(what, key, name) if key in self.seen.uses else None

    def _compared(self, use: OptionUsage) -> tuple[float | None, int, float | None]:
        """Return the effect, the number of games, and the p-value, or None for what is unknown."""
        if self.for_one:
            return self._with_and_without(use)
        n = self.game.players
        if not use.ahead.n:
            return None, use.more, None
        ahead = use.excess / n / WIN / use.ahead.n
        if use.more < ENOUGH or not use.variance:
            return ahead, use.more, None
        return ahead, use.more, p_value(use.excess / n / sqrt(use.variance / (n * n * (n - 1))))

    def _with_and_without(self, use: OptionUsage) -> tuple[float | None, int, float | None]:
        """Return the same for a solitaire game: Welch's test of the games with it against those without."""
        whole, with_it = self.seen.seats[0], use.seats
        without = Sums(whole.n - with_it.n, whole.total - with_it.total, whole.squares - with_it.squares)
        if not with_it.n or not without.n:
            return None, 0, None
        difference, compared = with_it.mean - without.mean, min(with_it.n, without.n)
        error = sqrt(with_it.deviation**2 / with_it.n + without.deviation**2 / without.n)
        return difference, compared, p_value(difference / error) if error and compared >= ENOUGH else None

    def _answers(self, kind: str) -> Iterator[UsageResult]:
        """Yield the values taken, by question, or the first choices of starting players."""
        what = "first" if kind == OPENING else "taken"
        keys = [key for key in self.seen.uses if key[0] == kind]
        for key in sorted(keys, key=lambda key: (-self._taken(key), str(key))):
            inner = key[1:] if kind == OPENING else key
            if self._taken(key):
                name, span = self._named(inner)
                yield self._done(what, key, name, _format_span(span) if span else "")

    def _named(self, key: Key) -> tuple[str, Span | None]:
        """Return the name of a key, and its place in the ruleset."""
        if key[0] == ACTION:
            return self.uses.choices[key[1]].title.replace("_", " "), None
        if key[0] == PICK:
            return self.game.program.entities[key[1]].label, None
        _, site, number, at, value = key
        ask = self.game.setting.sites[site]
        if isinstance(ask, core.AskMany):
            return f"{_format_option_value(self.game, ask.source.type, value)} ({_format_prompt(ask.prompt)})", ask.span
        way = ask.alternatives[number]
        words = [way.name.replace("_", " ")] if way.name is not None else []
        if len(way.vars) > 1:
            words.append(f"{way.vars[at].name.replace('_', ' ')}:")
        words.append(_format_option_value(self.game, way.vars[at].domain.type, value))
        if way.name is None:
            words.append(f"({_format_prompt(ask.prompt)})")
        return " ".join(words), ask.span

    def _keywords(self) -> Iterator[UsageResult]:
        for name in self.game.program.keywords:
            key = (KEYWORD, name)
            if key in self.seen.uses:
                yield self._done("played", key, humanise(name.partition(".")[2]))

    def _cards(self) -> Iterator[Card]:
        program, games = self.game.program, max(self.seen.games, 1)
        reached: dict[int, dict[str, float]] = {}
        for key, use in self.seen.uses.items():
            if key[0] == REACHED:
                reached.setdefault(key[1], {})[key[2]] = use.taken / games
        for one in program.entities:
            first = self.uses.original(one.number)
            if first == one.number:
                copies = one.fields.get("copies", ())
                ways = (("picked", PICK), ("drawn", DRAWN), ("gained", GAINED), ("played", PLAYED))
                picked, drawn, gained, played = (self._if_done(what, (of, first), one.label) for what, of in ways)
                number = len(copies) if isinstance(copies, tuple) else 1
                yield Card(one.label, one.kind, number, picked, drawn, gained, played, reached.get(first, {}))

    def _dead(self) -> Iterator[str]:
        """Yield cards of open kinds that were never used in any way."""
        for cards in self.uses.cards.values():
            for card in cards:
                if not any((kind, card.number) in self.seen.uses for kind in (PICK, DRAWN, GAINED, PLAYED, TURNED)):
                    yield card.label

    def _unplayed(self) -> Iterator[str]:
        """Yield cards that were drawn but never played, of kinds of which others were played."""
        for cards in self.uses.cards.values():
            if any((PLAYED, card.number) in self.seen.uses for card in cards):
                for card in cards:
                    if self._taken((DRAWN, card.number)) and not self._taken((PLAYED, card.number)):
                        yield card.label

    def _unfired(self) -> Iterator[UnexecutedPart]:
        parts = list_parts(self.game.program)
        covered = {item for n, item in enumerate(parts) if self.seen.fired[n]}
        if self.seen.replayed:
            for item, behind in left_out(parts, covered):
                yield UnexecutedPart(item.kind, item.name, item.words, _format_span(item.span), behind)


def _mark_significant(found: SimulationReport) -> SimulationReport:
    """Add q-values, and mark what is significant among all tests."""
    tested = [one for one in found.done if one.p is not None]
    corrections = adjust_p_values([one.p for one in tested if one.p is not None])
    judged = {id(one): replace(one, q=q, clear=q < FALSE) for one, q in zip(tested, corrections, strict=True)}

    def of(one: UsageResult | None) -> UsageResult | None:
        return None if one is None else judged.get(id(one), one)

    def each(some: Sequence[UsageResult]) -> tuple[UsageResult, ...]:
        return tuple(judged.get(id(one), one) for one in some)

    cards = tuple(
        replace(card, picked=of(card.picked), drawn=of(card.drawn), gained=of(card.gained), played=of(card.played))
        for card in found.cards
    )
    actions, answers, openings = each(found.actions), each(found.answers), each(found.openings)
    keywords = each(found.keywords)
    return replace(
        found, actions=actions, answers=answers, openings=openings, keywords=keywords, cards=cards, tested=len(tested)
    )


def _choice_title(choice: Choice) -> str:
    return f"{choice.title} ({_short_place(choice.place)})"


def _short_place(place: str) -> str:
    """Return a place without the folder."""
    return place.rpartition("/")[2]


def _format_span(span: Span) -> str:
    return f"{_short_place(span.source.name)}:{span.line}"


def _format_prompt(prompt: core.TextTemplate) -> str:
    """Return a prompt as text, with … for parts that depend on the position."""
    return "".join(part if isinstance(part, str) else "…" for part in prompt.parts)


def _format_option_value(game: Game, type: Type, value: int) -> str:
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return f"{VALUES} or more" if value == VALUES else label_of(game.setting, value, type)
