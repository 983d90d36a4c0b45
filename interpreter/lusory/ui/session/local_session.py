"""The link of people at one keyboard to a match in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

from ...play import match as play
from ...play.autoplay import Pace
from ..line.app import Journaling, Keeping
from .protocol import Ask, Auto, Note, Redo, Reply, Request, Save, Shown, Take, Undo
from .server import in_thread
from .session import Sitting


class Keyboard:
    """Work is done in a thread of its own, one thing after the other, so that keys are answered meanwhile. What the
    match raises is raised by :meth:`receive`. ``secretive``: one must not see another's screen. ``journal``: None where
    none is kept. ``pace``: seconds for which each step of a bot that thinks is shown, unless a key is pressed."""

    is_own = True

    def __init__(
        self,
        sitting: Sitting,
        files: Keeping,
        secretive: bool,
        journal: Journaling | None = None,
        pace: float = 0.0,
    ) -> None:
        self.sitting = sitting
        self.files = files
        self.hands_over = secretive and len(sitting.people) > 1
        sitting.sharing = () if secretive else sitting.people
        self.journal = journal
        self.seat: int | None = None
        self._replies: asyncio.Queue[Reply | Exception] = asyncio.Queue()
        self._busy = asyncio.Lock()
        self._asked = 0
        self._hurried = Event()
        self._pace = Pace(0.0 if self.hands_over else pace)

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

    def hurry(self) -> None:
        self._hurried.set()
        self._pace.hurry()

    async def _do(self, request: Request | None) -> None:
        self._asked += 1
        loop = asyncio.get_running_loop()

        def work() -> None:
            for reply in self._replies_to(request):
                loop.call_soon_threadsafe(self._replies.put_nowait, reply)

        async with self._busy:
            await in_thread(work)
            self._asked -= 1

    def _replies_to(self, request: Request | None) -> Iterator[Reply | Exception]:
        try:
            yield from self._told(request)
        except play.NotKept as problem:
            yield self.sitting.not_kept(problem)
        except Exception as problem:
            yield problem

    def _told(self, request: Request | None) -> Iterator[Reply]:
        note = self.sitting.mind_changed(self.seat, request)
        match request:
            case Save():
                yield self._saved(request)
                return
            case Take() | Auto() | Undo() | Redo() | Ask():
                said = self.sitting.do(self.seat, request)
                if said is not None:
                    yield said
                    return
        yield from self._watched()
        self.sitting.match.advance()
        self._sync()
        yield replace(self._shown(), note=note)

    def _watched(self) -> Iterator[Shown]:
        """What a person sees of what bots do, one step after the other."""
        match, people = self.sitting.match, self.sitting.people
        seat = people[0] if self.seat is None and len(people) == 1 else self.seat
        self._hurried.clear()
        self._pace.begin()
        while match.decision is not None and match.decision.seat not in people:
            if not self._pace.is_shown(match):
                match.step()
                continue
            self._sync()
            yield Shown(self.sitting.screen(seat))
            match.step()
            self._hurried.wait(self._pace.rest())

    def _sync(self) -> None:
        """What is shown now is on the disk."""
        if self.journal is not None:
            self.journal.sync()

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
        return Note(self.files.save(request.file or None).words)

    def leave(self) -> None:
        """Nobody waits for what is under way."""
        self.sitting.match.let_go()

    def without_journal(self) -> None:
        """Play on although nothing can be kept."""
        if self.journal is not None:
            self.journal.close(keep=False)
        self.journal = self.sitting.match.keeper = None
