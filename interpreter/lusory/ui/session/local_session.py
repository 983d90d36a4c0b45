"""Connect players at one keyboard to a match in the same process."""

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
    """Implement :class:`lusory.ui.session.session.Link` for a local match.

    Work runs in a separate thread, one request at a time, so that the interface stays responsive. Exceptions of the
    match are raised by :meth:`receive`.

    Attributes:
        hands_over: Whether the keyboard changes hands before another player's screen is shown. This is so if the
            game has hidden information (``secretive``) and several people play.
        journal: The journal of the match, or None.

    The argument ``pace`` is the number of seconds for which each step of a searching bot is shown. A key skips it.
    """

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
        """Return whether a request is running or a reply has not been received yet."""
        return self._asked > 0 or not self._replies.empty()

    async def begin(self) -> None:
        """Play until a person must decide, and show that screen."""
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
        except play.DecisionNotSaved as problem:
            yield self.sitting.not_kept(problem)
        except Exception as problem:
            yield problem

    def _told(self, request: Request | None) -> Iterator[Reply]:
        note = self.sitting.mind_changed(self.seat, request)
        start = len(self.sitting.match.log)
        match request:
            case Save():
                yield self._saved(request)
                return
            case Take() | Auto() | Undo() | Redo() | Ask():
                said = self.sitting.do(self.seat, request)
                if said is not None:
                    yield said
                    return
        yield from self._watched(start)
        self.sitting.match.advance()
        self._sync()
        yield replace(self._shown(), note=note)

    def _watched(self, start: int) -> Iterator[Shown]:
        """Yield the screens of the steps that bots take until a person must decide.

        ``start`` is the length of the log before the request that led here.
        """
        match, people = self.sitting.match, self.sitting.people
        seat = people[0] if self.seat is None and len(people) == 1 else self.seat
        self._hurried.clear()
        self._pace.begin()
        yield from self._forced(seat, start)
        while match.decision is not None and match.decision.seat not in people:
            start = len(match.log)
            if self._pace.is_shown(match):
                self._sync()
                yield Shown(self.sitting.screen(seat))
                match.step()
                self._hurried.wait(self._pace.rest())
            else:
                match.step()
            yield from self._forced(seat, start)

    def _forced(self, seat: int | None, start: int) -> Iterator[Shown]:
        """Yield a screen for each forced choice of a bot, as long as for a choice among several."""
        for chooser in self._pace.forced_choices(self.sitting.match, start):
            self._sync()
            yield Shown(replace(self.sitting.screen(seat), question=None, waiting=chooser, ending=None))
            self._hurried.wait(self._pace.rest())

    def _sync(self) -> None:
        """Write the journal to the disk before a screen is shown."""
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
        """Stop waiting for work in progress."""
        self.sitting.match.let_go()

    def without_journal(self) -> None:
        """Continue without a journal after it failed."""
        if self.journal is not None:
            self.journal.close(keep=False)
        self.journal = self.sitting.match.keeper = None
