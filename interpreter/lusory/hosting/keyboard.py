"""The link of people at one keyboard to a match in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from ..console.human import Journaling, Keeping
from ..play import match as play
from .messages import Ask, Note, NotKept, Redo, Reply, Request, Save, Shown, Take, Told, Undo
from .sitting import Denied, Sitting

WIDTH = 76
"""Of lines that answer a question; who draws them may wrap them again."""


class Keyboard:
    """Work is done in a thread of its own, one thing after the other, so that keys are answered meanwhile. What the
    match raises is raised by :meth:`receive`. ``secretive``: one must not see another's screen. ``journal``: None where
    none is kept."""

    is_own = True

    def __init__(self, sitting: Sitting, files: Keeping, secretive: bool, journal: Journaling | None = None) -> None:
        self.sitting = sitting
        self.files = files
        self.hands_over = secretive and len(sitting.people) > 1
        self.journal = journal
        self.seat: int | None = None
        self._replies: asyncio.Queue[Reply | Exception] = asyncio.Queue()
        self._busy = asyncio.Lock()
        self._asked = 0

    @property
    def is_busy(self) -> bool:
        """Whether something is under way, or not yet received."""
        return self._asked > 0 or not self._replies.empty()

    async def begin(self) -> None:
        """Play until somebody is asked, and show it."""
        await self._do(None)

    async def send(self, request: Request) -> None:
        await self._do(request)

    async def receive(self) -> Reply:
        came = await self._replies.get()
        if isinstance(came, Exception):
            raise came
        return came

    async def _do(self, request: Request | None) -> None:
        self._asked += 1
        async with self._busy:
            for reply in await asyncio.to_thread(lambda: list(self._replies_to(request))):
                self._replies.put_nowait(reply)
            self._asked -= 1

    def _replies_to(self, request: Request | None) -> Iterator[Reply | Exception]:
        try:
            if isinstance(request, Ask | Save):
                yield self._told(request)
                return
            self._play(request)
            yield self._shown()
        except Denied as problem:
            yield Note(str(problem))
        except play.NotKept as problem:
            self.sitting.match.resume()
            yield NotKept(str(problem))
        except Exception as problem:
            yield problem

    def _play(self, request: Request | None) -> None:
        sitting, seat = self.sitting, self.seat
        match request:
            case Take(made, answer):
                sitting.take(seat, made, answer)
            case Undo(made):
                sitting.undo(seat, made)
            case Redo(made):
                sitting.redo(seat, made)
        sitting.match.advance()
        if self.journal is not None:
            self.journal.sync()  # what is shown now is on the disk

    def _shown(self) -> Shown:
        sitting = self.sitting
        before, now = self.seat, sitting.asked
        if now is None and len(sitting.people) == 1:
            now = before
        self.seat = now
        if now is None:
            return Shown(sitting.screen(None))
        undo = sitting.taken_back(now) if sitting.can_undo(now) else ()
        redo = sitting.decided_again() if sitting.match.can_redo(now) else ()
        passed = self.hands_over and now != before and sitting.asked is not None
        return Shown(sitting.screen(now), undo, redo, sitting.names[now] if passed else "")

    def _told(self, request: Ask | Save) -> Reply:
        if isinstance(request, Ask):
            lines = self.sitting.told(self.seat, request.topic, request.words, WIDTH)
            return Told(request.number, lines)
        file = request.file or None
        if request.own and self.seat is not None:
            return Note(self.files.keep(self.seat, file).words)
        return Note(self.files.save(file).words)

    def without_journal(self) -> None:
        """Play on although nothing can be kept."""
        if self.journal is not None:
            self.journal.close(keep=False)
        self.journal = self.sitting.match.keeper = None
