"""Laws of worlds, for any ruleset: tried in a few games by the tests, and in many by ``python -m tests.worlds``.

1. A world shows the seat what it sees: the same view, question and options.
2. In the place of the truth, a position that the seat can't tell from it changes no world.
3. A world that says that it agrees with all that the seat was told and shown is a game that was played: its own steps,
   from the start, tell and show the seat the same and lead to it. How many do is counted (see :mod:`.retold`: where
   several answers look alike, and steps hang on each other, some are not found to).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import process_time

from lusory.game import Game
from lusory.table.events import Event, redacted
from lusory.table.state import State
from lusory.worlds.knowledge import Knowledge
from lusory.worlds.observed import observed

from .retold import Watched, retold

Makes = Callable[[Game, int], Knowledge]


@dataclass
class Found:
    """What was counted. ``broken``: what broke a law, in words; ``amiss``: why worlds are not found to be what they
    say."""

    positions: int = 0
    worlds: int = 0
    exact: int = 0
    retold: int = 0
    learned: int = 0
    seconds: float = 0.0
    learning: float = 0.0
    broken: list[str] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)


def tried(
    game: Game, seed: int, found: Found, most: int = 400, every: int = 5, each: int = 2, makes: Makes = Watched
) -> None:
    """A game of random play in which every seat learns; the laws are tried at each so-many-th decision, for a seat that
    decides and one that doesn't. ``makes``: who knows."""
    rnd, log = Random(seed), list[Event]()
    state, known = game.start(seed, log), [makes(game, seat) for seat in range(game.players)]
    honest = known if makes is Watched else [Knowledge(game, seat) for seat in range(game.players)]
    before: list[Knowledge] = []
    for made in range(most):
        told = [redacted(log, seat, game) for seat in range(game.players)]
        looks = made % every == every - 1
        before = [knowledge.copy() for knowledge in known] if looks else []
        for seat, knowledge in enumerate(known):
            began = process_time()
            _truth(knowledge, state)
            knowledge.learn(game.view(state, seat), told[seat])
            found.learning += process_time() - began
            found.learned += 1
            if honest is not known:
                honest[seat].learn(game.view(state, seat), told[seat])
        decision = game.decision(state)
        if decision is None:
            return
        for seat in {decision.seat, made % game.players} if looks else ():
            (other,) = honest[seat].worlds(1, made + 1)
            _look(game, state, made, known[seat], each, found)
            if other.exact:
                _truth(before[seat], other.state)
                before[seat].learn(known[seat].game.view(other.state, seat), told[seat])
                if before[seat].worlds(each, made) != known[seat].worlds(each, made):
                    found.broken.append(f"decision {made}, P{seat + 1}: other worlds with another truth")
        log.clear()
        state = game.apply(state, rnd.randrange(len(decision.options)), log)


def _truth(knowledge: Knowledge, state: State) -> None:
    """Shows the truth to whoever cheats."""
    if hasattr(knowledge, "truth"):
        knowledge.truth = state


def _look(game: Game, state: State, made: int, knowledge: Knowledge, n: int, found: Found) -> None:
    seat = knowledge.seat
    began = process_time()
    worlds = knowledge.worlds(n, made)
    found.seconds += process_time() - began
    found.positions += 1
    for world in worlds:
        found.worlds += 1
        found.exact += world.exact
        if not world.exact:
            continue
        if isinstance(knowledge, Watched):
            amiss = retold(knowledge, world.state)
            found.retold += amiss is None
            found.amiss += [f"decision {made}, P{seat + 1}: {amiss}"] if amiss else []
        mine, other = game.view(state, seat), knowledge.game.view(world.state, seat)
        if observed(mine, ()) != observed(other, ()) or mine.question != other.question:
            found.broken.append(f"decision {made}, P{seat + 1}: a world shows something else")
        elif mine.to_json() != other.to_json():
            found.broken.append(f"decision {made}, P{seat + 1}: a world reads otherwise")
