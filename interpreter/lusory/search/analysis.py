"""One call for every way to search: what each option of a decision comes to, known better and better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..game import Game
from ..table.state import State
from .contest import Standing, contest
from .cores import PYTHON, Core, NotHere
from .guidance import NONE, Guidance
from .sampling import Arms, flat, halving
from .simulation import Setup
from .tree import LONG, Growing, grown

FLAT, HALVING, TREE, BEST = "flat", "halving", "mcts", "search"
WAYS = (FLAT, HALVING, TREE, BEST)

ENOUGH = 6
"""Simulations an option from which on a tree finds more than halving."""

WORLDS = 24
"""So many worlds at most, and so many simulations a world at least, are thought of for one decision."""
A_WORLD = 4

TRIED = 4
"""Of two options the one of higher value is better, unless it was tried this many times less often than the other."""


class Line(NamedTuple):
    """What is known of an option. ``value``: what it comes to, on the scale of :class:`lusory.search.worth.Worth`;
    ``scaled``: the same from 0, the worst that came in any simulation, to 1; ``share``: its part of the simulations.
    ``follows``: the numbers of the options that are likely to be taken after it, as far as that is known."""

    option: int
    value: float
    scaled: float
    share: float
    follows: tuple[int, ...] = ()


class Compared(NamedTuple):
    """An option that was held against others. ``line``: what is known of it, by the simulations made for that alone;
    ``standing``: the same against the others; ``cost``, ``doubt``: how far it is behind the best one and how far off
    that may be, as parts of all that came."""

    line: Line
    standing: Standing
    cost: float
    doubt: float


def worlds_for(simulations: int) -> int:
    """How many worlds are worth having for so many simulations."""
    return max(1, min(WORLDS, simulations // A_WORLD))


def way_for(options: int, simulations: int) -> str:
    """Which way finds most: a tree where there are simulations enough for it, or options so many that it is kept how
    they do."""
    return TREE if options > LONG or simulations >= ENOUGH * options else HALVING


def analyse(
    game: Game,
    seat: int,
    worlds: Sequence[State],
    way: str,
    simulations: int,
    stream: int,
    is_open: bool,
    guidance: Guidance = NONE,
    core: Core = PYTHON,
) -> Iterator[list[Line]]:
    """The options of a decision, best first, known better with each list; the last is after so many simulations.

    ``worlds``: positions in which ``seat`` is asked the same, which agree with all that it knows. ``stream``: where
    chance begins. ``is_open``: nothing is hidden from anybody. ``core``: where simulations are made; one that can't
    leaves them to Python. The same arguments give the same lists everywhere."""
    try:
        yield from map(_lines, _searches(Setup(game, seat, worlds, stream, guidance), way, simulations, is_open, core))
    except NotHere:
        yield from map(
            _lines, _searches(Setup(game, seat, worlds, stream, guidance), way, simulations, is_open, PYTHON)
        )


LEADING = 4
"""So many options are held against each other, of those that look best."""
LONGER, ENOUGH_TO_TELL = 4, 600
"""So many times the simulations of the search before are made for that at most, or so many where those are few."""


def compared(
    game: Game,
    seat: int,
    worlds: Sequence[State],
    way: str,
    simulations: int,
    stream: int,
    is_open: bool,
    guidance: Guidance = NONE,
    core: Core = PYTHON,
    leading: int = LEADING,
    also: Sequence[int] = (),
) -> list[Compared]:
    """As :func:`analyse` finds the options, the ``leading`` ones among them and those in ``also`` held against each
    other, as many simulations for each, best first; :data:`LONGER` says how many simulations that takes."""
    given = simulations, is_open, leading, also
    try:
        return _contested(Setup(game, seat, worlds, stream, guidance), way, *given, core)
    except NotHere:
        return _contested(Setup(game, seat, worlds, stream, guidance), way, *given, PYTHON)


def _contested(
    setup: Setup, way: str, simulations: int, is_open: bool, leading: int, also: Sequence[int], core: Core
) -> list[Compared]:
    *_, search = _searches(setup, way, simulations, is_open, core)
    options = dict.fromkeys([*(line.option for line in _lines(search)[:leading]), *also])
    standings = contest(search, list(options), max(LONGER * simulations, ENOUGH_TO_TELL))
    known, width = {line.option: line for line in _lines(search)}, max(setup.high - setup.low, 1e-9)
    found = []
    for one in standings:
        line = known[one.option]._replace(value=one.value, scaled=setup.scaled(one.value))
        found.append(Compared(line, one, one.behind / width, one.doubt / width))
    return found


def _searches(
    setup: Setup, way: str, simulations: int, is_open: bool, core: Core
) -> Iterator[Arms] | Iterator[Growing]:
    """A search, further on each time."""
    if (way_for(setup.options, simulations) if way == BEST else way) == TREE:
        return grown(core.tree(setup, is_open), simulations)
    return (flat if way == FLAT else halving)(core.arms(setup), simulations)


def _lines(search: Arms | Growing) -> list[Line]:
    """What is known, best first."""
    return _of_arms(search) if isinstance(search, Arms) else _of_tree(search)


def _of_arms(arms: Arms) -> list[Line]:
    setup = arms.setup
    tried = [option for option, visits in enumerate(arms.visits) if visits]
    tried.sort(key=lambda option: (arms.visits[option], arms.mean(option)), reverse=True)
    alive = set(arms.alive)
    tried.sort(key=lambda option: arms.mean(option) if option in alive else float("-inf"), reverse=True)
    return [
        Line(option, arms.mean(option), setup.scaled(arms.mean(option)), arms.visits[option] / setup.made)
        for option in tried
    ]


def _of_tree(tree: Growing) -> list[Line]:
    setup, tried = tree.setup, tree.tried()
    made, most = setup.made, max(visits for _, visits, _, _ in tried) / setup.made
    ranked = []
    for option, visits, total, follows in tried:
        value, share = total / visits, visits / made
        ranked.append((share * TRIED >= most, value, -option, Line(option, value, setup.scaled(value), share, follows)))
    ranked.sort(reverse=True)
    return [line for *_, line in ranked]
