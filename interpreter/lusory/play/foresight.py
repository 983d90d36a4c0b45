"""What a bot will be asked behind what others may decide now, and what it answers then: thought of before they have
decided, in the worlds that the bot's own seat takes for possible.

An answer follows from what the seat has learned and from how many decisions it has made, so it is the same whenever it
is thought of: where just that is learned later, it stands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ..game import Game
from ..search.analysis import HALVING, analyse
from ..search.cores import PYTHON, Core
from ..search.openness import is_open
from ..table.choices import Decision, RulesetFault
from ..table.events import Event, redacted
from ..table.state import State
from ..worlds.knowledge import Knowledge
from ..worlds.observed import Observed
from .players import Looking, Table
from .players.searching import guided

WORLDS = 4
REPLIES = 8
"""Options of somebody else that are thought of, the likeliest first."""

DEEP = 2
"""Decisions of others in a row at most that are not forced."""

FAR = 50
"""Decisions, forced ones too, that are thought of in a row."""

ANSWERS = 32
"""Answers that are looked for at most: somebody may think for an hour."""

GLANCES, LEAST = 8, 32
"""Simulations an option, and at least, that tell what others are likely to take."""

STREAM = 0x9E3779B9
"""Where chance of foresight begins: what is foreseen hangs on it, what is answered does not."""

Answer = tuple[int, int | None]
"""The number of an option, and the simulations as :class:`lusory.play.match.Turn` has them."""


@dataclass(frozen=True)
class Foreseen:
    """What a seat will have learned when it is asked: ``steps`` since now. ``answer``: None as long as it is thought
    of."""

    steps: tuple[Observed, ...]
    answer: Answer | None


@dataclass(frozen=True)
class _At:
    """A position that may come: what the seat of a bot has learned till then, and the decisions of its own and of
    others on the way there."""

    state: State
    knowledge: Knowledge
    own: int = 0
    others: int = 0


class Foresight:
    """A bot's: ``player`` on the seat of ``knowledge``, which has made ``made`` decisions. ``core``: who makes the
    simulations that tell what others are likely to do."""

    def __init__(self, knowledge: Knowledge, player: Looking, made: int, core: Core = PYTHON) -> None:
        self.game: Game = knowledge.game
        self.knowledge = knowledge
        self.player = player
        self.made = made
        self.core = core
        self.known = len(knowledge.steps)
        self.found: dict[tuple[Observed, ...], Answer] = {}

    def answers(self) -> Iterator[Foreseen]:
        """One after the other, the likeliest and soonest first, each twice: before and after it is thought of. Nothing
        where the seat has no world that agrees with all it knows. Raises PlayerFails."""
        n = 1 if is_open(self.game) else WORLDS
        worlds = self.knowledge.worlds(n, STREAM) if self.knowledge.particles else []
        coming = deque(_At(world.state, self.knowledge) for world in worlds if world.exact)
        while coming and len(self.found) < ANSWERS:
            at = coming.popleft()
            decision = self.game.decision(at.state)
            if decision is None or len(at.knowledge.steps) - self.known >= FAR:
                continue
            if decision.seat == self.knowledge.seat:
                yield from self._asked(at, decision, coming)
            elif len(decision.options) == 1:
                coming.extendleft(self._next(at, 0))
            elif at.others < DEEP:
                for option in self._likely(at.state, decision):
                    coming.extend(self._next(at, option, others=1))

    def _asked(self, at: _At, decision: Decision, coming: deque[_At]) -> Iterator[Foreseen]:
        """The bot is asked: what it answers. What follows at once comes next."""
        steps = tuple(at.knowledge.steps[self.known :])
        if steps in self.found:
            return
        yield Foreseen(steps, None)
        self.player.resume(self.made + at.own)
        taken = self.player.choose(Table(self.game, self.game.view(at.state, decision.seat), at.knowledge))
        self.found[steps] = taken, self.player.spent
        yield Foreseen(steps, self.found[steps])
        for following in self._next(at, taken, own=1):
            then = self.game.decision(following.state)
            if then is not None and then.seat == decision.seat:
                coming.appendleft(following)
            else:
                coming.append(following)

    def _next(self, at: _At, option: int, own: int = 0, others: int = 0) -> Iterator[_At]:
        """The position after an option is taken, as far as the seat learns of it; none where the rules fail."""
        told: list[Event] = []
        seat, knowledge = self.knowledge.seat, at.knowledge.copy()
        try:
            state = self.game.apply(at.state, option, told)
        except RulesetFault:
            return
        knowledge.learn(self.game.view(state, seat), redacted(told, seat, self.game))
        yield _At(state, knowledge, at.own + own, at.others + others)

    def _likely(self, state: State, decision: Decision) -> list[int]:
        """What somebody else is likely to take, the likeliest first."""
        simulations, guidance = max(GLANCES * len(decision.options), LEAST), guided(self.game, None)
        is_seen = is_open(self.game)
        lists = analyse(self.game, decision.seat, [state], HALVING, simulations, STREAM, is_seen, guidance, self.core)
        *_, lines = ([], *lists)
        return [line.option for line in lines][:REPLIES]
