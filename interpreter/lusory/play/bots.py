"""Players that think ahead: in simulations, or in seconds, which are measured into simulations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from time import perf_counter
from typing import Literal

from ..game import Game
from ..search.evaluation import SearchHints, read_hints
from ..search.properties import PrincipalVariation, estimate_budget
from ..search.search import (
    AUTO,
    DEFAULT_COMPARED_OPTIONS,
    FLAT_MONTE_CARLO,
    PYTHON_BACKEND,
    ComparedOption,
    OptionEvaluation,
    SearchBackend,
)
from ..search.simulation import pick_weighted
from ..state.random_streams import FACTOR, MASK, STEP, draw, mix
from .players import Table

FIRST, MORE, SHARE = 16, 8, 16
"""Simulations with which a player that goes by the clock finds out how quick it is; so many times as many, until they
take so small a part of its seconds."""

MOST = 1_000_000
"""Simulations of one decision at most."""

FEW = 5
"""Simulations of who thinks least: mostly two options are looked at, in two or three games each."""

EVEN = 1000
"""Into so many parts the margin is divided in which options are as good as one another."""


@dataclass(frozen=True)
class Plan:
    """How a player thinks. ``way``: of :data:`lusory.search.search.ALGORITHMS`. ``simulations`` or ``seconds``, else
    the game's own number; ``midway``: the geometric mean of that and :data:`FEW`. ``horizon``: decisions after
    which it values a position, in place of the game's own. ``margin``: options that come this close to the best one,
    on a scale from 0 to 1, may be taken in its place, the less likely the worse they are. ``level``: as a ruleset
    calls it that says how many simulations it has."""

    way: str
    simulations: int | None = None
    seconds: float | None = None
    midway: bool = False
    horizon: int | None = None
    margin: float = 0.0
    level: str = ""


GREEDY = Plan(FLAT_MONTE_CARLO, simulations=0, horizon=0)
"""Looks at what each option comes to at once."""

GLANCES = 8
"""Worlds in which a greedy player looks at an option."""


class Searcher:
    """Its n-th decision depends on nothing but ``chance``, where its own stream begins, n, what the seat knows, and the
    number of simulations: a game goes on alike after a save or undo. ``thought``: what the options of the latest
    decision came to, in so many ``simulations``: none where no world was found; ``spent``: the same, where a clock said
    how many. ``core``: who makes the simulations; ``clock`` gives seconds. ``advised``: the rules of the game, where
    they say something else to those who search."""

    looks: Literal[True] = True

    def __init__(
        self,
        plan: Plan,
        chance: int,
        name: str,
        core: SearchBackend = PYTHON_BACKEND,
        clock: Callable[[], float] = perf_counter,
        advised: Game | None = None,
    ) -> None:
        self.name = name
        self._advised = advised
        self.plan = plan
        self.spent: int | None = None
        self.thought: list[OptionEvaluation] = []
        self._core = core
        self.simulations = 0
        self._clock = clock
        self._stream = chance
        self._made = 0
        self._rate = 0.0

    def resume(self, made: int) -> None:
        self._made = made

    def choose(self, table: Table) -> int:
        stream = self._next()
        began = self._clock()
        simulations = self._simulations(table, stream)
        lines = self.thought = self.lines(table, simulations, stream)
        self.simulations = simulations if lines else 0
        if self.plan.seconds is not None:
            self.spent = simulations
            self._rate = simulations / max(self._clock() - began, 1e-6)
        return taken(lines, self.plan.margin, stream) if lines else drawn(stream, len(table.decision.options))

    def _next(self) -> int:
        """Where chance of a decision begins."""
        self._made += 1
        return mix((self._stream + (self._made - 1) * STEP) & MASK)

    def compared(
        self, table: Table, leading: int = DEFAULT_COMPARED_OPTIONS, also: Sequence[int] = ()
    ) -> list[ComparedOption]:
        """The options that :meth:`choose` would find best and those in ``also``, held against each other; none where
        no world is found."""
        stream = self._next()
        simulations = self._simulations(table, stream)
        hints = guided(table.game, self.plan.horizon)
        return table.compared(self.plan.way, simulations, stream, hints, self._core, leading, also)

    def course(self, table: Table, option: int, ahead: int) -> PrincipalVariation | None:
        """What is likely to follow on an option: up to so many decisions more of the seat. None: no world is found."""
        stream = mix((self._stream + self._made * STEP) & MASK)
        return table.course(option, ahead, stream, guided(table.game, self.plan.horizon), self._core)

    def lines(self, table: Table, simulations: int, stream: int) -> list[OptionEvaluation]:
        """What the options come to, best first."""
        plan, game = self.plan, self._advised or table.game
        hints = guided(game, plan.horizon)
        lists = list(table.analyse(plan.way, simulations, stream, hints, self._core, self._advised))
        return lists[-1] if lists else []

    def _simulations(self, table: Table, stream: int) -> int:
        plan = self.plan
        if plan.seconds is None:
            return simulations_for(plan, table.game, len(table.decision.options))
        tried = FIRST
        while not self._rate:
            began = self._clock()
            self.lines(table, tried, stream)
            taken = max(self._clock() - began, 1e-6)
            if taken * SHARE >= plan.seconds or tried * MORE > MOST:
                self._rate = tried / taken
            tried *= MORE
        return min(max(int(self._rate * plan.seconds), 2), MOST)


def simulations_for(plan: Plan, game: Game, options: int) -> int:
    """How many a plan without a clock has for a decision of so many options."""
    said = dict(game.program.advice.levels)
    if plan.level in said:
        return said[plan.level]
    if plan.simulations is not None:
        return plan.simulations or GLANCES * options
    own = said.get("strong") or estimate_budget(game).simulations
    return isqrt(FEW * own) if plan.midway else own


def guided(game: Game, horizon: int | None) -> SearchHints:
    """What the ruleset says, with a horizon of one's own, the ruleset's or the game's, the first that there is."""
    said = read_hints(game)
    found = said.horizon if horizon is None else horizon
    return replace(said, horizon=estimate_budget(game).horizon if found is None else found)


def drawn(stream: int, options: int) -> int:
    """An option by chance."""
    return draw(mix(stream), options)[1]


def taken(lines: list[OptionEvaluation], margin: float, stream: int) -> int:
    """The option that is taken: the best one, or one close to it. Among equals chance decides. What seems better than
    the best one was tried too little to tell."""
    best = lines[0].normalized_value
    close = [line for line in lines if best - margin <= line.normalized_value <= best]
    shares = [(line.normalized_value - best + margin) / margin if margin else 1.0 for line in close]
    cell = (mix(stream) * FACTOR + STEP) & MASK
    return close[pick_weighted([1 + int(EVEN * share * share) for share in shares], cell)].option


PLANS = {
    "bot": Plan(AUTO),
    "greedy": GREEDY,
    "easy": Plan(AUTO, simulations=FEW, margin=0.25, level="easy"),
    "fair": Plan(AUTO, midway=True, margin=0.08, level="fair"),
    "strong": Plan(AUTO),
}
"""Kinds that need no number."""
