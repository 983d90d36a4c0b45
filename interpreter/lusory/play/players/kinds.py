"""Kinds of players by what is typed for them: ``strong``, ``mcts:500``, ``python:my_bots.Careful``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lusory_dsl.text.diagnostics import did_you_mean

from ...game import Game
from ...search.search import (
    FLAT_MONTE_CARLO,
    MCTS,
    PYTHON_BACKEND as IN_PYTHON,
    SEQUENTIAL_HALVING,
    OptionEvaluation,
    SearchBackend,
)
from ...table.chance import Seed, own
from .own_code import OwnCode, class_in
from .player import Player
from .recorded import Recorded, decisions_in
from .searching import PLANS, Plan, Searcher
from .uniform import Uniform

RANDOM, BOT, REPLAY, PYTHON = "random", "bot", "replay", "python"
HUMAN = "human"
BOTS = (RANDOM, "easy", "fair", "strong", BOT, "greedy")
"""Kinds that need nothing behind their name."""

LEVELS = ("easy", "fair")
"""Kinds behind whose name a number of simulations can stand, in place of their own."""

SEARCHES = (FLAT_MONTE_CARLO, SEQUENTIAL_HALVING, MCTS)
"""Kinds behind whose name a budget can stand."""

FORMS = (*BOTS, *(f"{way}:N" for way in SEARCHES), f"{REPLAY}:FILE", f"{PYTHON}:module.Class")
SIMULATIONS = range(1, 1_000_001)
SECONDS = 0.01, 600.0
_BUDGET = re.compile(r"(\d{1,7})|(\d{1,3}(?:\.\d{1,3})?)s", re.ASCII)


class UnknownKind(ValueError):
    """Nobody is called so. ``hint``: what may be meant, or what there is."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def demand(kind: str, others: Sequence[str] = ()) -> None:
    """Raises UnknownKind for what no player is called. Files and code that a kind names are not looked at. ``others``:
    who may sit there beside bots."""
    name, _, rest = kind.partition(":")
    if name in (*BOTS, *others):
        if ":" in kind and name in LEVELS:
            _level(name, rest)
        elif ":" in kind:
            hint = f"`{name}`" if name in others else f"`{name}`, or `{MCTS}:500`"
            raise UnknownKind(f"`{name}` takes nothing behind it, and not `{rest}`", hint)
    elif name in SEARCHES:
        if rest or ":" in kind:
            _budget(name, rest)
    elif name in (REPLAY, PYTHON):
        if not rest:
            raise UnknownKind(f"`{kind}`: it lacks what it is to follow", FORMS[-2] if name == REPLAY else FORMS[-1])
    else:
        there_are = f"there are: {', '.join((*others, *FORMS))}"
        if name == HUMAN:
            raise UnknownKind(f"`{HUMAN}` can't sit here: bots play alone", there_are)
        meant = did_you_mean(name, [*BOTS, *SEARCHES, REPLAY, PYTHON, *others])
        raise UnknownKind(f"nobody is called `{kind}`", meant or there_are)


def look_for(kind: str) -> None:
    """Raises PlayerMissing where a file or code that a kind names can't be had. Code that is there is imported."""
    name, _, rest = kind.partition(":")
    if name == REPLAY:
        decisions_in(rest, kind)
    elif name == PYTHON:
        class_in(rest, kind)


def is_trusted(kind: str) -> bool:
    """Whether a kind in a file of somebody else's can do nothing but play: it names neither code nor a file."""
    return kind.partition(":")[0] not in (REPLAY, PYTHON)


def bot(kind: str, seed: Seed, seat: int, core: SearchBackend = IN_PYTHON, advised: Game | None = None) -> Player:
    """Who plays a seat in the game of a seed, with chance of its own: it tells nothing about that of the game where the
    seed is a secure one. ``core``: who makes the simulations of those that search; ``advised``: the rules, where they
    say something else to them. Raises UnknownKind; PlayerFails for a file or code that can't be had."""
    demand(kind)
    chance = own(seed, f"seat {seat}")
    name, _, rest = kind.partition(":")
    if kind == RANDOM:
        return Uniform(chance)
    if name == REPLAY:
        return Recorded(rest, seat, kind)
    if name == PYTHON:
        return OwnCode(rest, chance, kind)
    return Searcher(plan_of(kind), chance, kind, core, advised=advised)


def thinks(kind: str) -> bool:
    """Whether players of a kind search for what they take."""
    return kind != RANDOM and kind.partition(":")[0] in (*BOTS, *SEARCHES)


def thoughts_of(player: Player) -> Sequence[OptionEvaluation]:
    """What a player thought of the options of its latest decision, best first; nothing of one that does not think."""
    return player.thought if isinstance(player, Searcher) else ()


def ladder(kind: str) -> tuple[str, ...]:
    """A kind, weaker ones, and chance: to see how much it helps to think. Of one that does not think, some that do."""
    name, _, rest = kind.partition(":")
    if name in SEARCHES and rest.isdigit() and int(rest) >= QUARTER:
        return kind, f"{name}:{int(rest) // QUARTER}", RANDOM
    return (kind, RANDOM) if name in (REPLAY, PYTHON) else ("strong", "easy", RANDOM)


QUARTER = 4
"""A player on the ladder has so many times as many simulations as the next."""


def simulations_of(player: Player) -> int:
    """How many simulations the latest decision of a player took; none of one that does not think."""
    return player.simulations if isinstance(player, Searcher) else 0


def plan_of(kind: str) -> Plan:
    """How a kind thinks."""
    name, _, rest = kind.partition(":")
    if name in PLANS:
        return _level(name, rest) if rest else PLANS[name]
    return _budget(name, rest) if rest else Plan(name)


def _level(level: str, typed: str) -> Plan:
    """A level with so many simulations. Raises UnknownKind."""
    found = _BUDGET.fullmatch(typed)
    if found is None or found[1] is None or int(typed) not in SIMULATIONS:
        raise UnknownKind(f"`{level}:{typed}`: simulations, from 1 to {SIMULATIONS[-1]:,}", f"`{level}:30`")
    return replace(PLANS[level], simulations=int(typed), midway=False, level="")


def _budget(way: str, typed: str) -> Plan:
    """So many simulations, or seconds. Raises UnknownKind."""
    found = _BUDGET.fullmatch(typed)
    if found is None:
        raise UnknownKind(f"`{way}:{typed}`: a number of simulations, or seconds", f"`{way}:500` or `{way}:0.5s`")
    if found[2] is not None:
        seconds = float(found[2])
        if not SECONDS[0] <= seconds <= SECONDS[1]:
            raise UnknownKind(f"`{way}:{typed}`: from {SECONDS[0]} to {SECONDS[1]:.0f} seconds", f"`{way}:0.5s`")
        return Plan(way, seconds=seconds)
    if int(found[1]) not in SIMULATIONS:
        raise UnknownKind(f"`{way}:{typed}`: from 1 to {SIMULATIONS[-1]:,} simulations", f"`{way}:500`")
    return Plan(way, simulations=int(found[1]))
