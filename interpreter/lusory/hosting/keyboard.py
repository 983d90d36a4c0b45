"""The link of people at one keyboard to a match in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from ..console.human import Journaling, Keeping
from ..play import match as play
from .messages import Ask, Auto, Note, Redo, Reply, Request, Save, Shown, Take, Undo
from .sitting import Sitting


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
            yield self._reply_to(request)
        except play.NotKept as problem:
            yield self.sitting.not_kept(problem)
        except Exception as problem:
            yield problem

    def _reply_to(self, request: Request | None) -> Reply:
        match request:
            case Save():
                return self._saved(request)
            case Take() | Auto() | Undo() | Redo() | Ask():
                said = self.sitting.do(self.seat, request)
                if said is not None:
                    return said
        self.sitting.match.advance()
        if self.journal is not None:
            self.journal.sync()  # what is shown now is on the disk
        return self._shown()

    def _shown(self) -> Shown:
        sitting = self.sitting
        before, now = self.seat, sitting.asked
        if now is None and len(sitting.people) == 1:
            now = before
        self.seat = now
        shown = sitting.shown(now)
        if now is None or now == before or not self.hands_over or sitting.asked is None:
            return shown
        return replace(shown, hand_over=sitting.names[now])

    def _saved(self, request: Save) -> Note:
        file = request.file or None
        if request.own and self.seat is not None:
            return Note(self.files.keep(self.seat, file).words)
        return Note(self.files.save(file).words)

    def without_journal(self) -> None:
        """Play on although nothing can be kept."""
        if self.journal is not None:
            self.journal.close(keep=False)
        self.journal = self.sitting.match.keeper = None
