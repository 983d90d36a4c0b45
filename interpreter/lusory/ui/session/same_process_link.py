"""Connect players at one keyboard to a match in the same process.

Guests at other machines use :class:`lusory.ui.session.messages.RemoteLink`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

from ...play import match as play
from ...play.bot_deciding_for_a_person_and_pacing import BotPace
from ...play.saves_and_journals import Journal
from ..line.line_session import SaveKeeper
from .match_service_answering_seat_requests import MatchService
from .messages import Ask, Auto, Note, Redo, Reply, Request, Save, Shown, Take, Undo
from .server import run_in_thread


class LocalLink:
    """Implement :class:`lusory.ui.session.messages.Link` for a local match.

    Work runs in a separate thread, one request at a time, so that the interface stays responsive. Exceptions of the
    match are raised by :meth:`receive`.

    Attributes:
        passes_keyboard: Whether the keyboard changes hands before another player's screen is shown. This is so if the
            game has hidden information (``is_secretive``) and several people play.
        journal: The journal of the match, or None.
        seat: The seat whose screen was sent last, or None.

    The argument ``pace`` is the number of seconds for which each step of a searching bot is shown. A key skips it.
    There is no pause if the keyboard changes hands.
    """

    is_own = True

    def __init__(
        self,
        service: MatchService,
        save_keeper: SaveKeeper,
        is_secretive: bool,
        journal: Journal | None = None,
        pace: float = 0.0,
    ) -> None:
        self.service = service
        self.save_keeper = save_keeper
        self.passes_keyboard = is_secretive and len(service.match.people) > 1
        service.match.sharing_seats = () if is_secretive else service.match.people
        self.journal = journal
        self.seat: int | None = None
        self._replies: asyncio.Queue[Reply | Exception] = asyncio.Queue()
        self._lock = asyncio.Lock()
        self._request_count = 0
        self._hurry_event = Event()
        self._pace = BotPace(0.0 if self.passes_keyboard else pace)

    @property
    def is_busy(self) -> bool:
        """True if a request is running or waiting, or a reply has not been received yet."""
        return self._request_count > 0 or not self._replies.empty()

    async def begin(self) -> None:
        """Let bots play until a person must decide, and send that screen."""
        await self._start(None)

    async def send(self, request: Request) -> None:
        """Start to work on a request. The replies arrive through :meth:`receive`."""
        await self._start(request)

    async def receive(self) -> Reply:
        """Wait for the next reply, and return it, or raise the exception that came in its place."""
        reply = await self._replies.get()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def hurry(self) -> None:
        """Skip the pauses between the steps of bots until the next decision of a person."""
        self._hurry_event.set()
        self._pace.skip_pauses()

    async def _start(self, request: Request | None) -> None:
        self._request_count += 1
        loop = asyncio.get_running_loop()

        def tell(reply: Reply | Exception) -> None:
            loop.call_soon_threadsafe(self._replies.put_nowait, reply)

        def work() -> None:
            try:
                for reply in self._apply_request(request):
                    tell(reply)
            except play.DecisionNotSaved as problem:
                tell(self.service.restore_after_failure(problem))
            except Exception as problem:
                tell(problem)

        async with self._lock:
            await run_in_thread(work)
            self._request_count -= 1

    def _apply_request(self, request: Request | None) -> Iterator[Reply]:
        note = self.service.describe_change(self.seat, request)
        start = len(self.service.match.log)
        match request:
            case Save():
                yield Note(self.save_keeper.save(request.file or None).words)
                return
            case Take() | Auto() | Undo() | Redo() | Ask():
                reply = self.service.apply_request(self.seat, request)
                if reply is not None:
                    yield reply
                    return
        yield from self._show_bot_steps(start)
        self.service.match.advance()
        self._sync()
        yield replace(self._create_screen(), note=note)

    def _show_bot_steps(self, start: int) -> Iterator[Shown]:
        """Make the steps that bots take until a person must decide, and yield a screen before each one that is paced.

        Forced choices of bots get a screen each. Waits after each screen, unless somebody hurries. ``start`` is the
        length of the log before the request that led here.
        """
        match, people = self.service.match, self.service.match.people
        seat = people[0] if self.seat is None and len(people) == 1 else self.seat
        self._hurry_event.clear()
        self._pace.reset()
        yield from self._show_forced_choices(seat, start)
        while match.decision is not None and match.decision.seat not in people:
            start = len(match.log)
            if self._pace.is_shown(match):
                self._sync()
                yield Shown(self.service.create_screen(seat))
                match.step()
                self._hurry_event.wait(self._pace.take_remaining_seconds())
            else:
                match.step()
            yield from self._show_forced_choices(seat, start)

    def _show_forced_choices(self, seat: int | None, start: int) -> Iterator[Shown]:
        """Yield a screen for each forced choice of a bot, as long as for a choice among several."""
        for chooser in self._pace.list_forced_choices(self.service.match, start):
            self._sync()
            yield Shown(replace(self.service.create_screen(seat), question=None, waiting=chooser, ending=None))
            self._hurry_event.wait(self._pace.take_remaining_seconds())

    def _sync(self) -> None:
        """Write the journal to the disk before a screen is shown."""
        if self.journal is not None:
            self.journal.sync()

    def _create_screen(self) -> Shown:
        service, previous_seat = self.service, self.seat
        decider = service.deciding_seat
        # A player alone keeps the screen once the game is over.
        self.seat = previous_seat if decider is None and len(service.match.people) == 1 else decider
        message = service.create_screen_message(self.seat)
        if decider is None or decider == previous_seat or not self.passes_keyboard:
            return message
        return replace(message, hand_over=service.names[decider])

    def leave(self) -> None:
        """Tell bots that are computing to give up."""
        self.service.match.abandon_answers()

    def drop_journal(self) -> None:
        """Close and delete the journal after it failed, and continue without one."""
        if self.journal is not None:
            self.journal.close(keeps_file=False)
        self.journal = self.service.match.store = None
