"""Observe single games and count what happens: options, leaders, endings, cards and executed rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import Any

from lusory_dsl import core
from lusory_dsl.types.types import ComponentType, EnumType, IntType, PlayerType, Type, get_innermost_type

from ..game import Game
from ..play.bot_kinds_python_players_and_recordings import get_latest_evaluations
from ..play.match import Match
from ..search.default_simulation_budget import estimate_budget
from ..search.position_evaluation_and_ruleset_hints import NO_HINTS, Evaluator, SearchHints, Values, read_hints
from ..search.simulation import Position, Simulator
from ..state.decisions_outcomes_and_faults import Decision, Option, Outcome
from ..state.events_redaction_and_text import ChoiceMade, ComponentsMoved, PhaseBegan
from ..state.random_streams import Seed, mix_bits
from ..state.setting_value_limits_builtins_and_names import list_value_types
from ..state.state import State
from ..testing.coverage import ENGINE, CardUses, CoverageRecorder
from ..testing.coverage_items import Item, list_items
from .game_results_and_record_files import get_solitaire_score
from .mergeable_counters import (
    FIXED_POINT,
    GAME_PARTS,
    MAX_VALUE,
    PLAYED_OUT,
    WIN,
    ColumnCounts,
    Histogram,
    Key,
    Observations,
    QuestionCounts,
    Sums,
    UsageIndex,
    UseKind,
)


class StartingPlayerFinder:
    """Finder of the starting player: the ``seat`` of the first choice in one of the given phases.

    A choice with a single option counts, too. ``seat`` is None until it is found.
    """

    def __init__(self, phases: frozenset[str]) -> None:
        self.phases = phases
        self.seat: int | None = None
        self._event_count, self._is_turn_phase = 0, False

    def find(self, match: Match) -> int | None:
        """Return the starting player, or None if it is not known yet. Once it is known, all calls return it.

        It is the first seat that chooses in one of the ``phases`` of the finder, or that must decide in one now.
        Choices in other phases, such as a draft, don't count. Each call reads the new events of the match, which must
        keep its log until the starting player is found.
        """
        if self.seat is not None:
            return self.seat
        for event in match.log[self._event_count :]:
            if isinstance(event, PhaseBegan):
                self._is_turn_phase = event.phase in self.phases
            elif isinstance(event, ChoiceMade) and self._is_turn_phase:
                self.seat = event.seat
                return self.seat
        self._event_count = len(match.log)
        if match.decision is not None and match.game.get_phase(match.state) in self.phases:
            self.seat = match.decision.seat
        return self.seat


def find_turn_phases(program: core.Program) -> frozenset[str]:
    """Return the ids of the leaf phases in which the first choice of a game shows the starting player.

    They are the leaves of the top phases with a ``repeat``, or of all top phases if none has one: ``{"draw", "play"}``
    for a top phase ``turn`` with these two phases in it. A rule ``when turn begins`` then adds the generated leaf
    ``turn begins``. A top phase ``turn`` without phases in it is a leaf itself, and gives only ``{"turn"}`` even with
    such a rule. The setup does not count.
    """
    repeating_phases = [phase for phase in program.phases if phase.repeat is not None]
    phases = core.walk_phases(repeating_phases or program.phases)
    return frozenset(phase.id for phase in phases if not phase.children)


PART_KINDS = ("phases", "effects", "queries", "rules", "windows", "choices", "answers", "loops", "statements")
"""Kinds of items that a game executes. Cards and options have their own statistics."""


def list_parts(program: core.Program) -> list[Item]:
    """Return the items of coverage that a game can execute: those of :func:`list_items` in :data:`PART_KINDS`."""
    return [item for item in list_items(program) if item.kind in PART_KINDS]


class RuleReplayer:
    """Replays games on the evaluator to find which of :func:`list_parts` they execute.

    ``options`` are those of the game, as authors write them.
    """

    def __init__(self, game: Game, options: Mapping[str, Any]) -> None:
        self.parts = list_parts(game.program)
        self._recorder = CoverageRecorder(CardUses(game.program))
        limits = game.setting.limits
        self._game = Game(game.program, game.players, options, ENGINE, observer=self._recorder, limits=limits)

    def list_executed_parts(self, seed: Seed, picks: Sequence[int]) -> list[int]:
        """Return the parts that a game executed: their indexes in ``parts``, in ascending order.

        ``picks`` holds the indexes of the options taken at the decisions, in order. If the game is not over after them,
        returns the parts executed so far. Raises IllegalChoice for a pick that is no option, or after the end.
        """
        trace = self._recorder.trace
        trace.clear()
        state = self._game.start(seed)
        for pick in picks:
            state = self._game.apply(state, pick)
        self._game.outcome(state)
        return [i for i, item in enumerate(self.parts) if any(trace.has(*probe) for probe in item.probes)]


VALUE, RANKS, PLAYOUTS = "value", "ranks", "playouts"
PLAYOUT_BOUNDS = range(8, 25)
"""Bounds for the number of playouts of a position. Within them it is a tenth of a bot's simulations."""

BUDGET_DIVISOR = 10

MIN_CLEAR_LEAD = 0.1
"""Minimum lead, from 0 to 1, if values come from playouts, which are noisy."""


class PositionEstimator:
    """Estimator of the value of a position for each seat. ``source`` says where the values come from."""

    def __init__(self, game: Game) -> None:
        assert game.functions is not None, "positions are read by the compiled engine"
        self.game, self.functions = game, game.functions
        self.hints = read_hints(game)
        self.evaluator = Evaluator(game, self.hints)

    @cached_property
    def source(self) -> str:
        """``value`` if the ruleset has a heuristic, else ``ranks`` or ``playouts``, the same on every machine.

        It is ``ranks`` if the ranks of the seats differ at more than half of the moments that :func:`estimate_budget`
        samples.
        """
        if self.hints.has_heuristic:
            return VALUE
        return RANKS if estimate_budget(self.game).has_informative_scores else PLAYOUTS

    def estimate(self, state: State, number: int) -> Values | None:
        """Return the value of each seat on the scale of the evaluator, or None if a score is undefined before the end.

        In a game without payoffs, values are from 0 to 1. ``number`` seeds the playouts.
        """
        try:
            if self.source == PLAYOUTS:
                return self._estimate_by_playouts(state, number)
            position = Position(self.functions, state.cells[:], state.zones, NO_HINTS, None)
            return tuple(self.evaluator.evaluate_scores(self.evaluator.calculate_scores(position)))
        # generated code may raise anything if a score is undefined before the end
        except Exception:
            return None

    def _estimate_by_playouts(self, state: State, number: int) -> Values:
        budget = estimate_budget(self.game)
        simulator = Simulator(self.game, 0, [state], mix_bits(number + 1), SearchHints(horizon=budget.horizon))
        sums = [0.0] * self.game.players
        samples = min(max(budget.simulations // BUDGET_DIVISOR, PLAYOUT_BOUNDS[0]), PLAYOUT_BOUNDS[-1])
        for sample in range(samples):
            for seat, value in enumerate(simulator.finish(*simulator.start(sample))):
                sums[seat] += value / samples
        return tuple(sums)


# ---------------------------------------------------------------- observers


MAX_MOMENTS = 48
"""Maximum number of positions of a game that are evaluated by playouts. At least half as many are."""

NUMBERS = re.compile(r"(?<![A-Za-z0-9])\d+")
"""Numbers in a reason, which are removed so that similar endings are counted together. The `1` in `P1` stays."""


class ObservationSettings:
    """Settings of the observation of a ruleset's games.

    With ``options`` (as authors write them), each game is replayed to find the rules that it executes.
    """

    def __init__(self, game: Game, options: Mapping[str, Any] | None = None) -> None:
        self.game = game
        self.uses = UsageIndex(game.program)
        self.estimator = PositionEstimator(game) if game.functions is not None and game.players > 1 else None
        self.replayer = None if options is None else RuleReplayer(game, options)
        self.moves = MoveReader(game.program, self.uses)
        self.actions = {use: i for i, choice in enumerate(self.uses.choices) for use in choice.uses}
        # site -> for each alternative, the positions of the values that are counted, and whether they are cards
        self.counted_values = {
            site: [tuple(_read_types(game.program, types)) for types in list_value_types(ask)]
            for site, ask in game.setting.sites.items()
        }
        self.keywords = _list_card_keywords(game.program)
        self.rounds = tuple(phase.id for phase in game.program.phases if phase.repeat is not None)

    def list_keys(self, site: int, option: Option) -> Iterator[Key]:
        """Yield the keys of what an option uses: its action, if it has one, and then each value of it that is counted.

        They are ``("action", index of the action)``, and ``("pick", first copy)`` for a card. A number, a value of an
        enum or a space gives ``("answer", site, option.alternative, its index in option.values, its number)``. Numbers
        are clamped to ``-MAX_VALUE`` and ``MAX_VALUE`` (130). Each item of a list has a key with the index of the list:
        ``values=((500, 2),)`` at site 4 gives ``("answer", 4, 0, 0, 130)`` and ``("answer", 4, 0, 0, 2)``. Equal items
        give equal keys. ``none``, truth values, players, texts, and enums and boards with more than ``MAX_VALUE``
        values have no key.
        """
        number = option.alternative
        action = self.actions.get((site, number))
        if action is not None:
            yield UseKind.ACTION, action
        for position, is_card in self.counted_values[site][number]:
            values = option.values[position]
            for value in values if isinstance(values, tuple) else (values,):
                if value is None:
                    continue
                if is_card:
                    yield UseKind.PICK, self.uses.find_original(value)
                else:
                    yield UseKind.ANSWER, site, number, position, max(-MAX_VALUE, min(value, MAX_VALUE))


class GameObserver:
    """Observer that counts one game into ``observations``.

    Call :meth:`observe_decision` before each decision is answered, and :meth:`observe_end` at the end. A game that does
    not end is not counted.
    """

    def __init__(
        self,
        settings: ObservationSettings,
        match: Match,
        observations: Observations,
        start_finder: StartingPlayerFinder,
    ) -> None:
        self.settings, self.match, self.observations = settings, match, observations
        self.start_finder = start_finder
        self.decisions: list[tuple[Decision, int]] = []
        self.weights: list[tuple[int, int]] = []
        # pairs of the number of decisions so far and the values of the seats
        self.values_by_moment: list[tuple[int, tuple[float, ...]]] = []
        # the first decision of the starting player
        self.opening: int | None = None
        self.turns = 0
        # positions to be evaluated at the end
        self.pending_states: list[tuple[int, State]] = []
        self.stride = 1

    def observe_decision(self, index: int) -> None:
        """Append (decision, ``index``) to ``decisions``. ``index`` is the option about to be taken.

        ``observations`` stays as it is. ``turns`` grows by 1 at the first decision, and at a decision of another seat
        than the last. At these decisions, ``settings.estimator``, if any, adds a pair to ``values_by_moment``: the
        number of earlier decisions and the values of the seats, unless these can't be computed yet. If the source of
        the estimator is ``PLAYOUTS``, the number and the state go to ``pending_states`` instead, if the new ``turns``
        is a multiple of ``stride``. When that has MAX_MOMENTS pairs, the second, fourth, … are dropped, and ``stride``
        doubles. If a search evaluated several options, ``weights`` gets a pair: the site, and how far the best
        ``value`` is above their mean, times FIXED_POINT and rounded. ``opening`` becomes the index in ``decisions`` of
        the first decision that the starting player takes once that player is known. It is not set again.
        """
        match, settings = self.match, self.settings
        decision = match.decision
        assert decision is not None
        number, seat = len(self.decisions), decision.seat
        if not self.decisions or self.decisions[-1][0].seat != seat:
            self.turns += 1
            if settings.estimator is not None:
                self._record_values(settings.estimator, number)
        if self.opening is None and self.start_finder.find(match) == seat:
            self.opening = number
        lines = get_latest_evaluations(match.players[seat])
        if len(lines) > 1:
            mean = sum(line.value for line in lines) / len(lines)
            self.weights.append((decision.site, round((max(line.value for line in lines) - mean) * FIXED_POINT)))
        self.decisions.append((decision, index))

    def _record_values(self, estimator: PositionEstimator, number: int) -> None:
        """Record the values of the seats. If they need playouts, store a sample of the positions instead."""
        if estimator.source != PLAYOUTS:
            values = estimator.estimate(self.match.state, number)
            if values is not None:
                self.values_by_moment.append((number, values))
        elif self.turns % self.stride == 0:
            self.pending_states.append((number, self.match.state))
            if len(self.pending_states) >= MAX_MOMENTS:
                self.pending_states, self.stride = self.pending_states[::2], 2 * self.stride

    def observe_end(self, outcome: Outcome) -> None:
        """Count the finished game in ``observations``: results, length, ending, leads, and uses of options and cards.

        Call it once, after the last decision. ``games`` grows by 1, and ``ties``, too, if there are several winners.
        The length goes into ``decisions`` and ``turns``. The reason goes into ``ends``, with ``…`` for each number:
        ``P1 has 10 gold`` under ``P1 has … gold``. Without a reason, the key is ``PLAYED_OUT``. ``seats`` gets the
        result of each seat. Winners share ``WIN`` (2520), rounded down: 1260 for each of two, 229 for each of 11.
        Others have 0. In a solitaire game, the result is the score. The result of the starting player, if known, also
        goes into ``seats_when_starting`` and ``starting_player``. Leads are counted only with an estimator, which
        evaluates the ``pending_states`` now. With a replayer, ``replayed_games`` grows by 1, and ``executed_parts``
        counts the parts of the rules that the game executed.
        """
        observations, settings = self.observations, self.settings
        for number, state in self.pending_states:
            assert settings.estimator is not None
            values = settings.estimator.estimate(state, number)
            if values is not None:
                self.values_by_moment.append((number, values))
        results: tuple[int, ...]
        if settings.game.players == 1:
            results = (get_solitaire_score(outcome.ranks, settings.game.program.scoring.is_selective),)
        else:
            share = WIN // max(len(outcome.winners), 1)
            results = tuple(share if seat in outcome.winners else 0 for seat in range(settings.game.players))
        observations.games += 1
        observations.ties += len(outcome.winners) > 1
        for seat, result in enumerate(results):
            observations.seats[seat].count(result)
        starter = self.start_finder.find(self.match)
        if starter is not None:
            observations.seats_when_starting[starter].count(results[starter])
            observations.starting_player.count(results[starter])
        observations.decisions.count(len(self.decisions))
        observations.turns.count(self.turns)
        self._count_ending(outcome, results)
        self._count_leads(outcome)
        uses = self._count_options()
        self._count_events(uses)
        for key, counts in uses.items():
            observations.find_usage(key).add_game(counts, results)
        for site, weight in self.weights:
            observations.questions[site].weight.count(weight)
        if settings.replayer is not None:
            observations.replayed_games += 1
            picks = [index for _, index in self.decisions]
            observations.executed_parts.update(settings.replayer.list_executed_parts(self.match.seed, picks))

    def _count_ending(self, outcome: Outcome, results: tuple[int, ...]) -> None:
        """Count how the game ended: the length, the results and the final table. Numbers in the reason become ``…``."""
        ending = self.observations.find_ending(NUMBERS.sub("…", outcome.reason or PLAYED_OUT))
        ending.turns.count(self.turns)
        if not ending.seats:
            ending.seats = [Sums() for _ in results]
        for sums, result in zip(ending.seats, results, strict=True):
            sums.count(result)
        for title, values in outcome.score_columns:
            column = self.observations.columns.setdefault(title, ColumnCounts())
            for seat, value in enumerate(values):
                (column.winners if seat in outcome.winners else column.losers).count(value)

    def _count_leads(self, outcome: Outcome) -> None:
        """Count leads, changes of the leader, and drama.

        Lead change, drama and decidedness are from Browne, "Automatic Generation and Evaluation of Recombination Games"
        (2008). Drama is computed as in Ludii: the mean of the square root of the winner's deficit, over the moments in
        which the winner is behind.
        """
        estimator, observations = self.settings.estimator, self.observations
        if estimator is None or not self.values_by_moment:
            return
        min_lead = MIN_CLEAR_LEAD if estimator.source == PLAYOUTS else 0.0
        leaders: list[int | None] = []
        for _, values in self.values_by_moment:
            highest, second = sorted(values, reverse=True)[:2]
            leaders.append(values.index(highest) if highest > second + min_lead else None)
        known_leaders = [seat for seat in leaders if seat is not None]
        observations.changes.count(
            sum(leader_before != leader_after for leader_before, leader_after in pairwise(known_leaders))
        )
        if len(outcome.winners) != 1:
            return
        winner, total = outcome.winners[0], len(self.decisions)
        moment = 0
        for part in range(GAME_PARTS):
            for later in range(moment + 1, len(self.values_by_moment)):
                if self.values_by_moment[later][0] * GAME_PARTS <= part * total:
                    moment = later
            leader = leaders[moment]
            if leader is not None and self.values_by_moment[moment][0] * GAME_PARTS <= part * total:
                observations.leads[part].count(leader == winner)
        lead_start = total
        for leader, (number, _) in zip(reversed(leaders), reversed(self.values_by_moment), strict=True):
            if leader != winner:
                break
            lead_start = number
        else:
            lead_start = 0
        observations.lead_starts.count(round(100 * lead_start / total))
        deficits = [max(values) - values[winner] for _, values in self.values_by_moment if max(values) > values[winner]]
        observations.drama.count(round(FIXED_POINT * sum(map(sqrt, deficits)) / len(deficits)) if deficits else 0)

    def _count_options(self) -> dict[Key, list[int]]:
        """Count the options at all decisions. Return key -> how often each seat used it.

        Uses in the first decision of the starting player also count under ``("opening", …)``.
        """
        observations, settings = self.observations, self.settings
        uses: dict[Key, list[int]] = {}
        total = len(self.decisions)
        for number, (decision, index) in enumerate(self.decisions):
            site, seat, options = decision
            option_count = len(options)
            observations.options.count(option_count)
            observations.options_by_part[number * GAME_PARTS // total].count(option_count)
            observations.questions.setdefault(site, QuestionCounts()).options.count(option_count)
            offer_counts: dict[Key, int] = {}
            for option in options:
                for key in settings.list_keys(site, option):
                    offer_counts[key] = offer_counts.get(key, 0) + 1
            for key, count in offer_counts.items():
                use = observations.find_usage(key)
                use.offer_count += 1
                use.expected_uses += FIXED_POINT * count // option_count
            for key in settings.list_keys(site, options[index]):
                self._add_use(uses, key, seat)
                if self.opening == number:
                    self._add_use(uses, (UseKind.OPENING, *key), seat)
        return uses

    def _count_events(self, uses: dict[Key, list[int]]) -> None:
        """Count the events of the game, and add the uses that they show."""
        observations, settings = self.observations, self.settings
        forced_count = 0
        phase_counts: Counter[str] = Counter()
        last_chooser: int | None = None
        for event in self.match.log:
            if isinstance(event, ChoiceMade):
                last_chooser = event.seat
                if event.is_forced:
                    forced_count += 1
                    observations.questions.setdefault(event.site, QuestionCounts()).forced_count += 1
                    action = settings.actions.get((event.site, event.alternative))
                    if action is not None:
                        self._add_use(uses, (UseKind.FORCED, action), last_chooser)
            elif isinstance(event, PhaseBegan):
                phase_counts[event.phase] += 1
            elif isinstance(event, ComponentsMoved):
                for key, user in settings.moves.list_uses(event, last_chooser):
                    self._add_use(uses, key, user)
                    if key[0] == UseKind.PLAYED:
                        for keyword in settings.keywords.get(key[1], ()):
                            self._add_use(uses, (UseKind.KEYWORD, keyword), user)
        observations.forced_choices.count(forced_count)
        for name in settings.rounds:
            observations.rounds.setdefault(name, Histogram()).count(phase_counts[name])

    def _add_use(self, uses: dict[Key, list[int]], key: Key, seat: int) -> None:
        counts = uses.get(key)
        if counts is None:
            counts = uses[key] = [0] * self.observations.players
        counts[seat] += 1


# ---------------------------------------------------------------- analysis of rulesets


class MoveReader:
    """Interpreter of moves of cards between zones: drawn, gained or played, and by whom."""

    def __init__(self, program: core.Program, uses: UsageIndex) -> None:
        self.uses = uses
        self.player_zones = {
            name for name, zone in program.zones.items() if zone.dims and isinstance(zone.dims[0].type, PlayerType)
        }
        self.hidden_zones = {name for name, zone in program.zones.items() if zone.visible.constant == "nobody"}
        self.open_zones = {name for name, zone in program.zones.items() if zone.visible.constant == "all"}

    def list_uses(self, event: ComponentsMoved, seat: int | None) -> Iterator[tuple[Key, int]]:
        """Yield pairs (key, seat) for a move, card by card: ``(("drawn", 3), 1)`` if seat 1 draws a copy of card 3.

        A key holds the first copy of the card. Raises AssertionError for a card that is None in the event.

        A card can give two pairs. One is ``("gained", 3)`` of a player to whose zone it comes if all see it there, or
        ``("drawn", 3)`` if only some do. It is missing if nobody sees the card there, or if the source is a zone of the
        same player that anybody sees. The other is ``("played", 3)`` if the card enters a zone in
        ``uses.counted_zones`` from outside these. Its seat is the owner of the source, else the owner of the target,
        else ``seat`` if there is a source that somebody sees. Without any of these, it is ``("turned", 3)`` instead, by
        ``seat`` or seat 0. ``seat`` decided last; it is None during the setup.
        """
        _, cards, zone, indices, _, sources, _ = event
        target = indices[0] if zone in self.player_zones else None
        for card, source in zip(cards, sources, strict=True):
            assert card is not None, "the log hides nothing"
            original = self.uses.find_original(card)
            name = "" if source is None else source[0]
            owner = source[1][0] if source is not None and name in self.player_zones else None
            if target is not None and zone not in self.hidden_zones and (owner != target or name in self.hidden_zones):
                yield (UseKind.GAINED if zone in self.open_zones else UseKind.DRAWN, original), target
            if zone in self.uses.counted_zones and name not in self.uses.counted_zones:
                holder = owner if owner is not None else target
                if holder is not None or (seat is not None and name and name not in self.hidden_zones):
                    user = seat if holder is None else holder
                    assert user is not None
                    yield (UseKind.PLAYED, original), user
                else:
                    yield (UseKind.TURNED, original), seat or 0


def _read_types(program: core.Program, types: Sequence[Type]) -> Iterator[tuple[int, bool]]:
    for position, type in enumerate(map(get_innermost_type, types)):
        if isinstance(type, ComponentType):
            yield position, True
        elif isinstance(type, IntType) or (
            isinstance(type, EnumType) and len(program.enums[type.name].values) <= MAX_VALUE
        ):
            yield position, False


def _list_card_keywords(program: core.Program) -> dict[int, list[str]]:
    """Return the keywords of each card that has some, by its first copy."""
    keywords: dict[int, list[str]] = {}
    for entity in program.entities:
        for name in program.keywords:
            kind, _, keyword = name.partition(".")
            if kind == entity.kind and entity.fields.get(keyword) not in EMPTY_VALUES:
                keywords.setdefault(entity.number, []).append(name)
    return keywords


EMPTY_VALUES = (None, False, 0, (), "")
"""Values of a field that mean that the card lacks the keyword."""
