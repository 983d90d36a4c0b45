"""Convert the counters of observed games to a report: estimates, tests, and lists of unused cards and rules.

:mod:`lusory.reports.simulation_html` and :mod:`lusory.ui.line.statistics_tables_and_game_lists` print the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

from lusory_dsl import core
from lusory_dsl.source.source import Span, humanise
from lusory_dsl.types.types import Type, get_innermost_type

from ..game import Game
from ..state.setting_value_limits_builtins_and_names import format_value_label
from ..testing.coverage import list_reachable_uncovered
from .figures_estimates_and_significance_tests import (
    FALSE_DISCOVERY_RATE,
    MIN_SAMPLE,
    Distribution,
    Estimate,
    adjust_p_values,
    calculate_p_value,
    estimate_mean,
    estimate_share,
    summarize_histogram,
)
from .game_observer import PositionEstimator, list_parts
from .mergeable_counters import FIXED_POINT, MAX_VALUE, WIN, Key, Observations, OptionUsage, Sums, UsageIndex, UseKind
from .tournament import BotStrength


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

    ``source`` is the origin of the values, see :class:`lusory.stats.game_observer.PositionEstimator`. ``along`` says
    for each tenth of the game how often the leader at its start wins. ``changes`` counts changes of the leader in a
    game. ``settled`` is the percentage of the game after which the winner led to the end. ``drama`` says how far behind
    winners were, see ``GameObserver``.
    ``comebacks`` is the share of games in which the leader at half-time did not win. ``runaways`` is the share of games
    that the leader after three tenths won.
    """

    source: str
    along: tuple[Estimate | None, ...]
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
    turns: Estimate | None
    seats: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class FinalColumn:
    """Column of the final table.

    ``winners`` and ``others`` are the distributions of their values.
    """

    title: str
    winners: Distribution | None
    others: Distribution | None


@dataclass(frozen=True)
class Question:
    """Choice of the ruleset.

    ``decisions`` counts those with several options, and ``per_game`` is their mean number in a game. ``options`` is the
    mean number of options. ``forced`` is the share with a single option. ``weight`` is the value of the best option
    less the mean, as estimated by the bots that decided. Its unit is a win, or points in a solitaire game.
    """

    title: str
    place: str
    decisions: int
    per_game: float
    options: Estimate | None
    forced: float
    weight: Estimate | None


@dataclass
class UsageResult:
    """Something that players did: ``what`` says how (taken, drawn, played …), and ``name`` with what.

    Attributes:
        offered: The number of decisions with it among the options.
        taken: How often it was done.
        rate: The share of the offers in which it was taken.
        at_random: The share that random choice would give.
        games: The share of games in which it was done.
        result: The result of the seats that did it.
        ahead: The result of the seats that did it more often than the others, less their table's average. In a
            solitaire game, the difference between games with and without it.
        compared: The number of games that ``ahead`` rests on.
        p, q: The p-value, and the q-value among all tests. None means too few games.
        clear: Whether the difference is significant.
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
    """Card with all its copies."""

    name: str
    picked: UsageResult | None
    drawn: UsageResult | None
    gained: UsageResult | None
    played: UsageResult | None


@dataclass(frozen=True)
class UnexecutedPart:
    """Part of the rules that no game executed. ``missing`` describes it."""

    kind: str
    missing: str
    place: str


@dataclass(frozen=True)
class SimulationReport:
    """Complete report on the games.

    - ``for_one``: whether it is a solitaire game, whose results are scores. ``first`` is the result of starting
        players.
    - ``rounds``: by id of a repeated phase, how often it began. ``branching``: the options at a decision.
    - ``along``: the mean number of options in each tenth of the game. ``forced``: the share of choices with one option.
    - ``tested``: the number of tests for which q-values were computed.
    - ``dead``: cards that were never used. ``unplayed``: cards that were drawn but never played.
    - ``untaken``: actions and alternatives that were never taken. ``unfired``: parts of the rules that none of the
      ``replayed`` games executed.
    - ``skill``: bots of different strength, if they were compared.
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
    def form(self) -> str:
        """The format of results for ``format()``: ``.1f`` for scores of a solitaire game, otherwise ``.1%``."""
        return ".1f" if self.for_one else ".1%"

    @property
    def games_tell(self) -> str:
        """The number of games with the verb, as the end of a title: ``1 game shows`` or ``12 games show``."""
        return "1 game shows" if self.games == 1 else f"{self.games} games show"

    @property
    def usage_results(self) -> list[UsageResult]:
        """All statistics of things that players did.

        They are those of actions, answers, openings and keywords, and then those of each card.
        """
        of_cards = [
            usage
            for card in self.cards
            for usage in (card.picked, card.drawn, card.gained, card.played)
            if usage is not None
        ]
        return [*self.actions, *self.answers, *self.openings, *self.keywords, *of_cards]

    @property
    def strategies(self) -> list[UsageResult]:
        """The statistics in :attr:`usage_results` that are ``clear``, the largest ``ahead`` first, whatever its
        sign.
        """
        return sorted((usage for usage in self.usage_results if usage.clear), key=lambda usage: -abs(usage.ahead or 0))

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON value: the fields by name, as :func:`dataclasses.asdict` gives them.

        ``version`` is that of the ruleset. Numbers are rounded to four decimals.
        """
        rounded_fields: dict[str, Any] = _round_numbers(asdict(self))
        return rounded_fields


def _round_numbers(value: Any) -> Any:
    """Round all numbers in a JSON value to four decimals. Mappings become dicts, and other sequences lists."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: _round_numbers(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_round_numbers(item) for item in value]
    return value


CARD_USES = {"picked": UseKind.PICK, "drawn": UseKind.DRAWN, "gained": UseKind.GAINED, "played": UseKind.PLAYED}
"""Field of a Card -> the kind of use that it counts."""

HALF, EARLY = 5, 3
"""Tenths of the game after which the leader is determined, for comebacks and runaways."""


class ReportBuilder:
    """Converter of counters to a report. ``kinds`` are the players by seat."""

    def __init__(
        self, game: Game, kinds: Sequence[str], options: Mapping[str, Any], seed: int, observations: Observations
    ) -> None:
        self.game, self.kinds, self.options, self.seed, self.observations = game, kinds, options, seed, observations
        self.uses = UsageIndex(game.program)
        self.is_solitaire = game.players == 1

    def build(self, skill: Sequence[BotStrength] = ()) -> SimulationReport:
        """Return the SimulationReport of the games that were counted. Its field ``skill`` is ``tuple(skill)``.

        An Estimate, a Distribution or ``lead`` is None if no game has a value for it. In a solitaire game, ``first``
        and ``ties`` are None. A UsageResult has ``clear`` True if its q-value is below FALSE_DISCOVERY_RATE. The
        q-values correct for all tests of the report, whose number is ``tested``.

        Example: in 8 games of two seats, P1 won 4 and drew 2. ``games`` is 8, ``seats[0].result.value`` is 0.625, and
        ``ties.value`` is 0.25. Without games, ``seats`` has two Seats with ``result`` None, and ``forced`` is 0.0.
        """
        game, observations = self.game, self.observations
        program = game.program
        cards = tuple(self._list_cards())
        questions = observations.decisions.sums.total
        report = SimulationReport(
            program.id,
            program.name,
            program.version,
            game.players,
            self.options,
            self.seed,
            observations.games,
            self.is_solitaire,
            tuple(self._list_seats()),
            None if self.is_solitaire else self._estimate_result(observations.starting_player),
            None if self.is_solitaire else estimate_share(observations.ties, observations.games),
            summarize_histogram(observations.decisions),
            summarize_histogram(observations.turns),
            {name: summarize_histogram(counts) for name, counts in observations.rounds.items()},
            summarize_histogram(observations.options),
            tuple(estimate_mean(sums) for sums in observations.options_by_part),
            observations.forced_choices.sums.total / max(questions + observations.forced_choices.sums.total, 1),
            self._create_lead(),
            tuple(self._list_endings()),
            tuple(self._list_columns()),
            tuple(self._list_questions()),
            tuple(
                self._create_usage("taken", (UseKind.ACTION, i), choice.title, _strip_folder(choice.place))
                for i, choice in enumerate(self.uses.choices)
            ),
            tuple(self._list_answers(UseKind.ANSWER)),
            tuple(self._list_answers(UseKind.OPENING)),
            tuple(self._list_keywords()),
            cards,
            0,
            tuple(self._list_unused_cards()),
            tuple(self._list_unplayed_cards()),
            tuple(
                f"{choice.title} ({_strip_folder(choice.place)})"
                for i, choice in enumerate(self.uses.choices)
                if not self._count_uses((UseKind.ACTION, i)) and not self._count_uses((UseKind.FORCED, i))
            ),
            observations.replayed_games,
            tuple(self._list_unexecuted_parts()),
            tuple(skill),
        )
        return _mark_significant(report)

    def _list_seats(self) -> Iterator[Seat]:
        observations = self.observations
        for i, kind in enumerate(self.kinds):
            result = self._estimate_result(observations.seats[i])
            yield Seat(f"P{i + 1}", kind, result, self._estimate_result(observations.seats_when_starting[i]))

    def _estimate_result(self, sums: Sums) -> Estimate | None:
        return estimate_mean(sums) if self.is_solitaire else estimate_share(sums.total / WIN, sums.n)

    def _list_columns(self) -> Iterator[FinalColumn]:
        for title, column in self.observations.columns.items():
            yield FinalColumn(title, summarize_histogram(column.winners), summarize_histogram(column.losers))

    def _create_lead(self) -> LeadStatistics | None:
        observations = self.observations
        if not observations.changes.sums.n:
            return None
        half_lead, early_lead = observations.leads[HALF], observations.leads[EARLY]
        return LeadStatistics(
            PositionEstimator(self.game).source,
            tuple(estimate_share(estimate.total, estimate.n) for estimate in observations.leads),
            summarize_histogram(observations.changes),
            summarize_histogram(observations.lead_starts),
            estimate_mean(observations.drama, FIXED_POINT),
            estimate_share(half_lead.n - half_lead.total, half_lead.n),
            estimate_share(early_lead.total, early_lead.n),
        )

    def _list_endings(self) -> Iterator[EndingResult]:
        for reason, ending in sorted(self.observations.ends.items(), key=lambda end: (-end[1].turns.n, end[0])):
            games = ending.turns.n
            seats = tuple(self._estimate_result(sums) for sums in ending.seats)
            yield EndingResult(
                reason, games, estimate_share(games, self.observations.games), estimate_mean(ending.turns), seats
            )

    def _list_questions(self) -> Iterator[Question]:
        games = max(self.observations.games, 1)
        for site, question in sorted(self.observations.questions.items(), key=lambda item: -item[1].options.n):
            ask = self.game.setting.sites[site]
            decisions = question.options.n
            forced_share = question.forced_count / max(decisions + question.forced_count, 1)
            yield Question(
                _format_prompt(ask.prompt),
                _format_span(ask.span),
                decisions,
                decisions / games,
                estimate_mean(question.options),
                forced_share,
                estimate_mean(question.weight, FIXED_POINT),
            )

    # ------------------------------------------------------------ uses

    def _count_uses(self, key: Key) -> int:
        use = self.observations.uses.get(key)
        return 0 if use is None else use.use_count

    def _create_usage(self, action: str, key: Key, name: str, place: str = "") -> UsageResult:
        """Return the statistics of a key, called ``name``. Without any use, its counts are 0."""
        use = self.observations.uses.get(key) or OptionUsage()
        offer_count = use.offer_count
        ahead, compared_games, p_value = self._compare_usage(use)
        return UsageResult(
            action,
            name,
            place,
            offer_count,
            use.use_count,
            estimate_share(use.use_count, offer_count) if offer_count else None,
            use.expected_uses / FIXED_POINT / offer_count if offer_count else None,
            estimate_share(use.games, self.observations.games),
            self._estimate_result(use.seats),
            ahead,
            compared_games,
            p_value,
        )

    def _compare_usage(self, use: OptionUsage) -> tuple[float | None, int, float | None]:
        """Return the effect, the number of games, and the p-value, or None for what is unknown."""
        if self.is_solitaire:
            return self._compare_use(use)
        n = self.game.players
        if not use.ahead.n:
            return None, use.unequal_games, None
        ahead = use.excess / n / WIN / use.ahead.n
        if use.unequal_games < MIN_SAMPLE or not use.variance:
            return ahead, use.unequal_games, None
        return ahead, use.unequal_games, calculate_p_value(use.excess / n / sqrt(use.variance / (n * n * (n - 1))))

    def _compare_use(self, use: OptionUsage) -> tuple[float | None, int, float | None]:
        """Return the same for a solitaire game: Welch's test of the games with it against those without."""
        total, sums_with = self.observations.seats[0], use.seats
        sums_without = Sums(total.n - sums_with.n, total.total - sums_with.total, total.squares - sums_with.squares)
        if not sums_with.n or not sums_without.n:
            return None, 0, None
        difference, n = sums_with.mean - sums_without.mean, min(sums_with.n, sums_without.n)
        error = sqrt(sums_with.deviation**2 / sums_with.n + sums_without.deviation**2 / sums_without.n)
        return difference, n, calculate_p_value(difference / error) if error and n >= MIN_SAMPLE else None

    def _list_answers(self, kind: str) -> Iterator[UsageResult]:
        """Yield the values taken, by question, or the first choices of starting players."""
        action = "first" if kind == UseKind.OPENING else "taken"
        keys = [key for key in self.observations.uses if key[0] == kind]
        for key in sorted(keys, key=lambda key: (-self._count_uses(key), str(key))):
            inner = key[1:] if kind == UseKind.OPENING else key
            if self._count_uses(key):
                name, span = self._name_key(inner)
                yield self._create_usage(action, key, name, _format_span(span) if span else "")

    def _name_key(self, key: Key) -> tuple[str, Span | None]:
        """Return the name of a key, and its place in the ruleset, which is None for actions and cards."""
        if key[0] == UseKind.ACTION:
            return self.uses.choices[key[1]].title.replace("_", " "), None
        if key[0] == UseKind.PICK:
            return self.game.program.entities[key[1]].label, None
        _, site, number, position, value = key
        ask = self.game.setting.sites[site]
        if isinstance(ask, core.AskMany):
            return f"{_format_option_value(self.game, ask.source.type, value)} ({_format_prompt(ask.prompt)})", ask.span
        alternative = ask.alternatives[number]
        text = [alternative.name.replace("_", " ")] if alternative.name is not None else []
        if len(alternative.vars) > 1:
            text.append(f"{alternative.vars[position].name.replace('_', ' ')}:")
        text.append(_format_option_value(self.game, alternative.vars[position].domain.type, value))
        if alternative.name is None:
            text.append(f"({_format_prompt(ask.prompt)})")
        return " ".join(text), ask.span

    def _list_keywords(self) -> Iterator[UsageResult]:
        for name in self.game.program.keywords:
            key = (UseKind.KEYWORD, name)
            if key in self.observations.uses:
                yield self._create_usage("played", key, humanise(name.partition(".")[2]))

    def _list_cards(self) -> Iterator[Card]:
        """Yield each card once, with its copies together, in the order of the ruleset."""
        for card in self.game.program.entities:
            if self.uses.find_original(card.number) == card.number:
                usages: dict[str, UsageResult | None] = dict.fromkeys(CARD_USES)
                for action, kind in CARD_USES.items():
                    if (kind, card.number) in self.observations.uses:
                        usages[action] = self._create_usage(action, (kind, card.number), card.label)
                yield Card(card.label, **usages)

    def _list_unused_cards(self) -> Iterator[str]:
        """Yield cards of open kinds that were never used in any way."""
        kinds = (*CARD_USES.values(), UseKind.TURNED)
        for cards in self.uses.cards.values():
            for card in cards:
                if not any((kind, card.number) in self.observations.uses for kind in kinds):
                    yield card.label

    def _list_unplayed_cards(self) -> Iterator[str]:
        """Yield cards that were drawn but never played, of kinds of which others were played."""
        for cards in self.uses.cards.values():
            if any((UseKind.PLAYED, card.number) in self.observations.uses for card in cards):
                for card in cards:
                    if self._count_uses((UseKind.DRAWN, card.number)) and not self._count_uses(
                        (UseKind.PLAYED, card.number)
                    ):
                        yield card.label

    def _list_unexecuted_parts(self) -> Iterator[UnexecutedPart]:
        parts = list_parts(self.game.program)
        covered_parts = {item for i, item in enumerate(parts) if self.observations.executed_parts[i]}
        if self.observations.replayed_games:
            for item in list_reachable_uncovered(parts, covered_parts):
                yield UnexecutedPart(item.kind, item.description, _format_span(item.span))


def _mark_significant(report: SimulationReport) -> SimulationReport:
    """Return the report with the number of tests in ``tested``. Set the q-values of its uses, and mark the clear ones.

    All tests of the report are corrected together. Uses without a p-value stay as they are.
    """
    tested_usages = [usage for usage in report.usage_results if usage.p is not None]
    q_values = adjust_p_values([usage.p for usage in tested_usages if usage.p is not None])
    for usage, q_value in zip(tested_usages, q_values, strict=True):
        usage.q, usage.clear = q_value, q_value < FALSE_DISCOVERY_RATE
    return replace(report, tested=len(tested_usages))


def _strip_folder(place: str) -> str:
    return place.rpartition("/")[2]


def _format_span(span: Span) -> str:
    return f"{_strip_folder(span.source.name)}:{span.line}"


def _format_prompt(prompt: core.TextTemplate) -> str:
    """Return a prompt as text, with … for parts that depend on the position."""
    return "".join(part if isinstance(part, str) else "…" for part in prompt.parts)


def _format_option_value(game: Game, type: Type, value: int) -> str:
    if abs(value) == MAX_VALUE:
        return f"{value} or {'more' if value > 0 else 'less'}"
    return format_value_label(game.setting, value, get_innermost_type(type))
