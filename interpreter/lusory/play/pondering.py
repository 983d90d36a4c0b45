"""Bots think while people do, in a process of their own, and what they thought of is used where just that comes.

The process is told what the bots' seats have learned, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from threading import Condition, Thread
from typing import TYPE_CHECKING, NamedTuple

from ..game import Game
from ..processes import companion, forks, processors
from ..search.cores import Core
from ..table.chance import Seed
from ..worlds.knowledge import Knowledge
from ..worlds.observed import Observed
from .foresight import Answer, Foreseen, Foresight
from .match import Match
from .players import bot, thinks

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Task(NamedTuple):
    """What the process is to think of, by seat: what it has learned, and how many decisions it has made. ``number``: of
    the task."""

    number: int
    known: Mapping[int, tuple[Knowledge, int]]


class Thought(NamedTuple):
    """What the process says: of which task, for whom, and what is foreseen; None: no more is."""

    task: int
    seat: int
    foreseen: Foreseen | None


@contextmanager
def pondering(match: Match, kinds: Mapping[int, str]) -> Iterator[None]:
    """Within this the bots of these ``kinds``, by seat, think while people do: those that think at all. Nothing is
    decided otherwise than without it. It takes another processor, and a system on which processes fork."""
    thinking = {seat: kind for seat, kind in kinds.items() if thinks(kind)}
    if not thinking or processors() < 2 or not forks():
        yield
        return
    with companion(partial(_ponder, match.game.in_code, thinking, match.seed, match.core)) as pipe:
        match.ahead = Pondering(tuple(thinking), pipe)
        try:
            yield
        finally:
            match.ahead = None


class Pondering:
    """The side that asks; :class:`lusory.play.match.Ahead`. Where the process is gone, nothing is thought of."""

    def __init__(self, seats: tuple[int, ...], pipe: Connection) -> None:
        self.seats = seats
        self._pipe = pipe
        self._task = 0
        self._known: dict[int, tuple[int, int]] = {}  # by seat: the steps that it had learned, its decisions
        self._found: dict[tuple[int, tuple[Observed, ...]], Answer | None] = {}
        self._is_gone = False
        self._said = Condition()
        Thread(target=self._listen, daemon=True).start()

    def think(self, known: Mapping[int, tuple[Knowledge, int]]) -> None:
        with self._said:
            self._task += 1
            self._found.clear()
            self._known = {seat: (len(knowledge.steps), made) for seat, (knowledge, made) in known.items()}
        with suppress(OSError):  # who is gone is heard of elsewhere
            self._pipe.send(Task(self._task, known))

    def answer(self, seat: int, made: int, knowledge: Knowledge) -> Answer | None:
        if seat not in self._known or made < self._known[seat][1]:
            return None
        wanted = seat, tuple(knowledge.steps[self._known[seat][0] :])
        with self._said:
            while not self._is_gone and wanted in self._found and self._found[wanted] is None:
                self._said.wait()  # it is being thought of, which is not begun again
            return self._found.get(wanted)

    def _listen(self) -> None:
        """Take in what the process says, until it is gone."""
        with suppress(EOFError, OSError):
            while True:
                said = self._pipe.recv()
                with self._said:
                    if said.task == self._task:
                        self._note(said.seat, said.foreseen)
                    self._said.notify_all()
        with self._said:
            self._is_gone = True
            self._said.notify_all()

    def _note(self, seat: int, foreseen: Foreseen | None) -> None:
        if foreseen is not None:
            self._found[seat, foreseen.steps] = foreseen.answer
            return
        for wanted in [one for one, answer in self._found.items() if one[0] == seat and answer is None]:
            del self._found[wanted]  # what came to nothing is waited for by nobody


def _ponder(game: Game, kinds: Mapping[int, str], seed: Seed, core: Core, pipe: Connection) -> None:
    """The process: thinks of the latest task, until there is nothing left to think of or another one."""
    tasks = SimpleQueue[Task]()
    Thread(target=_take_in, args=(pipe, tasks), daemon=True).start()
    while True:
        task = tasks.get()
        for seat, (knowledge, made) in task.known.items():
            player = bot(kinds[seat], seed, seat, core)
            assert player.looks, "who thinks looks"
            with suppress(Exception):  # what fails here and is met in the game fails there again, where it is told
                for foreseen in Foresight(knowledge.at(game), player, made, core).answers():
                    pipe.send(Thought(task.number, seat, foreseen))
                    if not tasks.empty():
                        break
            pipe.send(Thought(task.number, seat, None))


def _take_in(pipe: Connection, tasks: SimpleQueue[Task]) -> None:
    """Hear of tasks while one is thought of. Who gives them ends this process when there will be no more."""
    with suppress(EOFError, OSError):
        while True:
            tasks.put(pipe.recv())
