"""How well a player stands, as a ruleset tells its bots: the weights of its terms, fitted to games among bots.

Games are played by bots that search with the weights so far, with a move by chance now and then; some positions of
each are kept, and what came of it. From these the weights follow by regression (the idea is Buro's, "From Simple
Features to Sophisticated Evaluation Functions", 1999). These bots see the whole table: dealing what is hidden takes
most of the time of one that does not, and how good a position is does not depend on who knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from lusory_dsl import core
from lusory_dsl.case_texts import player_expression
from lusory_dsl.effect.parser import parse_expression
from lusory_dsl.effect.sums import Summed, put_together, taken_apart
from lusory_dsl.language.types import INT, IntType, PlayerType
from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.source import Embedded, Source

from ..cache import Cache
from ..game import Game
from ..native import Use
from ..native_search import Beside, core_for, use_of
from ..play.players import RANDOM
from ..play.players.kinds import plan_of
from ..play.players.searching import Plan, guided, simulations_for, taken
from ..processes import in_order
from ..reading.reader import Reader
from ..search.advice import advised
from ..search.analysis import analyse
from ..search.cores import Core
from ..search.effort import measured
from ..table.chance import draw, mix, seed as derived_seed
from ..table.choices import Decision, RulesetFault
from ..table.cost import Limits
from ..table.state import State
from .playing import DECISION_LIMIT, option_words
from .regression import Regression, Sample, Weights

POSITIONS = 24
"""So many are looked at of a game of usual length."""

STRAY = 8
"""One decision in so many is made by chance: else little would be seen of what bots avoid."""

EVEN = 100
"""What a player stands at on average: a hundred more than the best of the others is then e to one for winning."""

TENTH = 10
"""A fitted number is divided by so much where its unit is that of the ranks."""

Progress = Callable[[int], None]
Standings = tuple[tuple[float, ...], ...]
"""Of each seat what each term comes to."""


class NoTerms(Exception):
    """There is nothing to fit: the words say why."""


@dataclass(frozen=True)
class Seen:
    """A game: the positions that were looked at, and the place that each seat came to (of a game for one: the rank)."""

    positions: tuple[Standings, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class Fit:
    """What a round of games comes to. ``factors``: of each term as a whole number, with ``constant`` and ``divisor``
    the ``value`` in the language; ``spread``: how far off each may be. ``loss_before``: of the ruleset's weights, in
    whatever scale is best, and ``loss_unknown``: of none at all; in bits, or in a game for one as the
    distance from the rank that came."""

    games: int
    positions: int
    weights: Weights
    factors: tuple[int, ...]
    spread: tuple[int, ...]
    constant: int
    divisor: int
    value: str
    loss_before: float
    loss_unknown: float


@dataclass
class Fitting:
    """``terms``: with what the ruleset has of each. ``kind``: who plays. ``rounds``: after each weights are fitted to
    all games so far, and the next is played with them. ``fits`` grows while :meth:`run` is at work. ``native``: who
    makes the searches, as a tournament has it; ``use``: what came of it."""

    game: Game
    terms: Sequence[tuple[str, int]]
    kind: str
    games: int = 100
    rounds: int = 2
    seed: int = 0
    jobs: int = 1
    store: Cache | None = None
    native: bool | None = None
    fits: list[Fit] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    use: Use = field(default_factory=Use)

    @property
    def advice(self) -> core.Advice:
        """What bots go by so far: that of the latest fit."""
        return valued(self.game.program, self.fits[-1].value) if self.fits else self.game.program.advice

    def run(self, progress: Progress | None = None) -> None:
        """Play and fit. Whoever interrupts it has a fit to the games so far. Raises NoTerms."""
        for number in range(self.rounds):
            first = self.games * number // self.rounds
            tasks = list(range(first, self.games * (number + 1) // self.rounds))
            table = _Table.of(self)
            searches = table.searches
            if isinstance(searches, Beside) and self.jobs > 1 and self.store is not None:
                searches.begin()  # and from then on kept, for all processes
            try:
                with closing(in_order(table.counted, tasks, self.jobs)) as found:
                    for one, use in found:
                        self.seen.append(one)
                        self.use.add(use)
                        if progress is not None:
                            progress(len(self.seen))
            except KeyboardInterrupt:
                if self.seen:
                    self.fits.append(self.fitted())
                raise
            finally:
                self.use.refused = self.use.refused or use_of(searches).refused
                if isinstance(searches, Beside):
                    searches.stop()
            self.fits.append(self.fitted())

    def fitted(self) -> Fit:
        """The weights by all games so far. Raises NoTerms."""
        samples = list(self._samples())
        told = [number for number in range(len(self.terms)) if len({s.terms[number] for s in samples}) > 1]
        if not told:
            raise NoTerms("no term differs between the positions that were seen")
        samples = [Sample(tuple(s.terms[number] for number in told), s.outcome, s.game) for s in samples]
        regression = Regression(self.game.players > 1)
        before = [float(self.terms[number][1]) for number in told]
        found = regression.fitted(samples, before)
        factors, constant, divisor = self._whole(found, told)
        weighed = [(_node(text), factor) for (text, _), factor in zip(self.terms, factors, strict=True)]
        return Fit(
            len(self.seen),
            sum(len(one.positions) for one in self.seen),
            found,
            factors,
            self._of_all(found.spread, told),
            constant,
            divisor,
            put_together(weighed, constant, divisor),
            regression.of(samples, before),
            regression.of(samples, [0.0] * len(told)),
        )

    def _samples(self) -> Iterator[Sample]:
        """In a game for one each position. Else of each two seats in each position what one has more than the other,
        and how they came out."""
        for number, one in enumerate(self.seen):
            for position in one.positions:
                if len(position) == 1:
                    yield Sample(position[0], float(one.places[0]), number)
                    continue
                for b, a in combinations(range(len(position)), 2):
                    more = tuple(mine - theirs for mine, theirs in zip(position[a], position[b], strict=True))
                    ahead = (one.places[a] < one.places[b]) + (one.places[a] == one.places[b]) / 2
                    yield Sample(more, ahead, number)

    def _whole(self, found: Weights, told: Sequence[int]) -> tuple[tuple[int, ...], int, int]:
        """Whole factors of all terms, what is added, and by what it is divided: in a game for one in the unit of its
        rank, else so that players stand at ``EVEN`` on average."""
        factors = self._of_all(found.weights, told)
        if self.game.players == 1:
            return factors, round(found.constant * TENTH), TENTH
        standings = [seat for one in self.seen for position in one.positions for seat in position]
        mean = sum(sum(f * x for f, x in zip(factors, seat, strict=True)) for seat in standings) / len(standings)
        return factors, EVEN - round(mean), 1

    def _of_all(self, numbers: Sequence[float], told: Sequence[int]) -> tuple[int, ...]:
        """Numbers of some terms in the unit of whole factors, and nothing for the others."""
        scale, known = TENTH if self.game.players == 1 else EVEN, dict(zip(told, numbers, strict=True))
        return tuple(round(known.get(number, 0.0) * scale) for number in range(len(self.terms)))


def valued(program: core.Program, value: str) -> core.Advice:
    """What a program says to bots, with another ``value``. Raises NoTerms where it is none."""
    found, slots = _read(program, value)
    said = program.advice
    return replace(said, value=found, n_slots=max(slots, said.n_slots))


def terms_of(program: core.Program, written: str | None, more: Sequence[str] = ()) -> Summed:
    """The terms of the ``value`` that a ruleset has written, or, where it has none, what it declares of each player;
    and ``more``. Raises NoTerms for what is no number of a player."""
    if written is not None:
        summed = taken_apart(_node(written))
    else:
        summed = Summed(tuple((text, int(not number)) for number, text in enumerate(declared(program))))
    known = dict(summed.terms)
    for text in more:
        for term, _ in taken_apart(_node(text)).terms:
            known.setdefault(term, 0)
    for text in known:
        _read(program, text)
    if not known:
        raise NoTerms("it declares no number of a player")
    return Summed(tuple(known.items()), summed.constant, summed.divisor)


def declared(program: core.Program) -> list[str]:
    """What a ruleset counts of each player, as text: its first rank, variables, counters and cards."""
    rank = program.scoring.rank[0].span if program.scoring.rank else None
    texts = [] if rank is None else [rank.source.text[rank.start : rank.end]]
    each = [("{}", v.name) for v in program.variables.values() if isinstance(v.type, IntType) and _is_of_player(v.dims)]
    each += [("{}.total", pool.name) for pool in program.pools.values() if _is_of_player(pool.dims)]
    each += [("count({})", zone.name) for zone in program.zones.values() if _is_of_player(zone.dims)]
    known = dict.fromkeys([*texts, *(words.format(name) for words, name in each)])
    return [text for text in known if player_expression(program, embedded(text), Diagnostics(), INT) is not None]


def _is_of_player(dims: Sequence[core.Dim]) -> bool:
    """Whether there is one for each player, and no more."""
    return len(dims) == 1 and isinstance(dims[0].type, PlayerType)


def _read(program: core.Program, text: str) -> tuple[core.Expr, int]:
    """A number of a player that is `me`. Raises NoTerms."""
    found = Diagnostics()
    read = player_expression(program, embedded(text), found, INT)
    if read is None:
        raise NoTerms(f"`{text}`: {found.sorted()[0].message}")
    return read


def _node(text: str) -> Any:
    found = Diagnostics()
    node = parse_expression(embedded(text), found)
    if node is None:
        raise NoTerms(f"`{text}`: {found.sorted()[0].message}")
    return node


def embedded(text: str) -> Embedded:
    """A text of nobody's file."""
    return Embedded(Source("<value>", text), text, tuple(range(len(text) + 1)))


@dataclass(frozen=True)
class _Table:
    """Where games are played and looked at, in a form that another process can be given."""

    program: core.Program
    players: int
    options: Mapping[str, Any]
    limits: Limits
    store: Cache | None
    kind: str
    seed: int
    terms: tuple[str, ...]
    advice: core.Advice
    native: bool | None

    @classmethod
    def of(cls, work: Fitting) -> _Table:
        """For the games of a round."""
        game, terms = work.game, tuple(text for text, _ in work.terms)
        limits, options = game.setting.limits, option_words(game)
        told = game.program, game.players, options, limits, work.store, work.kind, work.seed, terms, work.advice
        return cls(*told, work.native)

    @cached_property
    def game(self) -> Game:
        """Of this process."""
        return Game(self.program, self.players, self.options, store=self.store, limits=self.limits)

    @cached_property
    def rules(self) -> Game:
        """With what bots go by."""
        return self.game if self.advice is self.program.advice else advised(self.game, self.advice)

    @cached_property
    def searches(self) -> Core:
        """Who makes the simulations of searches, in this process."""
        return core_for(self.rules, self.store, self.native)

    @cached_property
    def plan(self) -> Plan | None:
        """How players think; None: they don't."""
        return None if self.kind == RANDOM else plan_of(self.kind)

    @cached_property
    def readers(self) -> list[tuple[core.Expr, int]]:
        """The terms."""
        return [_read(self.program, text) for text in self.terms]

    @cached_property
    def stride(self) -> int:
        """So many decisions from one position that is looked at to the next."""
        return max(int(measured(self.game).decisions) // POSITIONS, 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Table, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def counted(self, number: int) -> tuple[Seen, Use]:
        """The game of a number, and what native code did of it."""
        use = Use()
        if isinstance(self.searches, Beside):
            self.searches.use = use
        return self.played(number), use

    def played(self, number: int) -> Seen:
        """The game of a number."""
        seed = derived_seed(derived_seed(self.seed, "fitting") + number, "game")
        state, positions, cell, made = self.rules.start(seed), list[Standings](), mix(seed), 0
        while (decision := self.rules.decision(state)) is not None and made < DECISION_LIMIT:
            if made % self.stride == number % self.stride:
                positions += self.looked_at(state)
            made += 1
            cell, strays = draw(cell, STRAY)
            cell, option = draw(cell, len(decision.options))
            if strays and self.plan is not None and len(decision.options) > 1:
                option = self.thought(state, decision, cell)
            state = self.rules.apply(state, option)
        outcome = self.rules.outcome(state)
        if outcome is None:
            return Seen((), (1,) * self.players)
        return Seen(tuple(positions), outcome.places if self.players > 1 else self._rank(outcome.ranks[0]))

    def thought(self, state: State, decision: Decision, stream: int) -> int:
        """The option that is taken after thought, by who sees the whole table."""
        assert self.plan is not None
        simulations, rules = simulations_for(self.plan, self.rules, len(decision.options)), self.rules
        guidance = guided(rules, self.plan.horizon)
        found = analyse(
            rules, decision.seat, [state], self.plan.way, simulations, stream, True, guidance, self.searches
        )
        return taken(list(found)[-1], self.plan.margin, stream)

    def _rank(self, ranks: Sequence[int]) -> tuple[int]:
        """Of a game for one: what searches look at."""
        scoring = self.program.scoring
        return (ranks[1 if scoring.selective and len(scoring.rank) > 1 else 0],)

    def looked_at(self, state: State) -> list[Standings]:
        """What each term comes to for each seat; nothing where the rules go wrong."""
        found = []
        try:
            for seat in range(self.players):
                reader = Reader(self.game.setting, state.cells, state.zones)
                found.append(tuple(float(reader.present(e, [seat, *[None] * slots])) for e, slots in self.readers))
        except RulesetFault:
            return []
        return [tuple(found)]
