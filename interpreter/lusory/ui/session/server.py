"""Match server."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Thread
from types import FrameType
from typing import TypeVar

from ...play import match as play
from ...play.autoplay import Pace
from ...play.players import Player, PlayerFails
from ...state.decision import Decision, RulesetFault
from ..line import streams
from ..line.app import Ended
from ..model.build import verdict
from ..model.text import plain
from .protocol import (
    MOST_ASKED,
    VERSION,
    Ask,
    Auto,
    Broken,
    Hello,
    Leave,
    Note,
    Over,
    Redo,
    Reply,
    Request,
    Save,
    Take,
    Undo,
    close,
    encoded,
    read_request,
    write,
    write_line,
)
from .session import Denied, Sitting

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """What comes of ``work``, done in a thread of its own that ends with the program, or what it raises. The threads
    of the loop itself are waited for when it ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, problem: BaseException | None) -> None:
        if done.cancelled():
            return
        if problem is not None:
            done.set_exception(problem)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result: T | None = None
        problem: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:
            problem = raised
        with suppress(RuntimeError):  # the loop has ended, and nobody listens
            loop.call_soon_threadsafe(tell, result, problem)

    Thread(target=run, daemon=True, name="beside the loop").start()
    return await done


MOST_SPECTATORS = 32
MOST_STRANGERS = 32
"""Connections that have not shown a known token yet. The oldest makes way for a new one, so that nobody who has a token
is kept out."""
MOST_OF_ADDRESS = 8
"""Strangers of one address."""
REQUESTS_PER_SECOND = 8.0
REQUESTS_AT_ONCE = 16
"""How much each player may ask at most, and all spectators together."""
FAREWELL = 1.0
"""Seconds in which everybody is told that the host closes."""
GREETING = 10.0
"""Seconds in which who connects says who they are."""
LAST_LOOK = 600.0
"""Seconds for which the result can be looked at."""
SHOWN_OUT = "Something went wrong with what you asked for. You can come back."
LONGEST_LINE = 300
"""Letters of what the host is told about a guest."""


@dataclass(eq=False)
class Guest:
    """Somebody who is connected. ``seat``: None for a spectator. ``news``: there may be another screen to send;
    ``is_owed``: it is sent even if it is the same as ``sent``, since it is the answer to a request."""

    seat: int | None
    writer: asyncio.StreamWriter
    news: asyncio.Event = field(default_factory=asyncio.Event)
    note: str = ""
    is_owed: bool = False
    sent: bytes = b""


class Turns:
    """Limits how many requests are answered in a second. Requests over the limit wait, first come, first served."""

    def __init__(self) -> None:
        self._left = float(REQUESTS_AT_ONCE)
        self._since = 0.0
        self._queue = asyncio.Lock()

    async def next(self) -> None:
        """Wait until another request may be answered."""
        async with self._queue:
            now = asyncio.get_running_loop().time()
            self._left = min(self._left + (now - self._since) * REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)
            self._since = now
            self._left -= 1.0
            await asyncio.sleep(max(-self._left / REQUESTS_PER_SECOND, 0.0))


class Server:
    """``tokens``: the secret of each seat, None's of spectators. ``bots``: who plays in place of people who have left,
    by seat. ``patience``: seconds for which a seat waits for somebody whose connection is lost, while another player is
    connected; with none the game is paused. ``tell``: is told, in a line, who comes and goes. ``pace``: seconds for
    which each step of a bot that thinks is shown."""

    def __init__(
        self,
        sitting: Sitting,
        tokens: Mapping[int | None, str],
        bots: Mapping[int, Player],
        patience: float,
        tell: Callable[[str], None],
        sync: Callable[[], None] = lambda: None,
        pace: float = 0.0,
    ) -> None:
        self.sitting = sitting
        self.tokens = dict(tokens)
        self.bots = bots
        self.patience = patience
        self.tell = tell
        self.sync = sync
        self.guests: set[Guest] = set()
        self.left: set[int] = set()
        self._lost: dict[int, float] = {}
        self._failure: RulesetFault | None = None
        self._changed = asyncio.Event()
        self._is_unkept = False
        self._is_paused = False
        self.pace = Pace(pace)
        self._handlers: set[asyncio.Task[None]] = set()
        self._strangers: dict[asyncio.Task[None], str] = {}
        self._turns: dict[int | None, Turns] = {}

    # ------------------------------------------------------------ the match

    async def hold(self, host: str, port: int, opened: Callable[[int], None]) -> None:
        """Listen, and hold the match until it is over and everybody has gone. ``opened`` is told the port. Raises
        OSError where nobody can listen there, and what goes wrong with the rules. Nothing is left running behind it."""
        server = await asyncio.start_server(self._met, host, port, limit=MOST_ASKED)
        opened(server.sockets[0].getsockname()[1])
        try:
            await self._play()
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_LOOK):
                    await self._gone()
        finally:
            server.close()
            await self._dismiss("The host has closed the game.")
            await server.wait_closed()

    async def _gone(self) -> None:
        """Wait until nobody looks any more."""
        while self.guests:
            await self._wait(None)

    async def _dismiss(self, words: str) -> None:
        """Say goodbye to all at once. Whoever has not heard it in time is cut off."""
        guests, self.guests = self.guests, set()

        async def dismiss(guest: Guest) -> None:
            await write(guest.writer, Over(words))
            await close(guest.writer)

        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                await asyncio.gather(*map(dismiss, guests))
        for guest in guests:
            guest.writer.transport.abort()
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    async def _play(self) -> None:
        """Ask whoever is there, until the game is over."""
        match = self.sitting.match
        while match.decision is not None:
            await self._resumed()
            seat = match.decision.seat
            player = self.bots[seat] if seat in self.left else match.players[seat]
            if player.looks is not None:
                is_shown = self.pace.is_shown(match)
                if is_shown:
                    self._sync()
                    self._show()
                await self._asked(player, match.decision)
                await asyncio.sleep(self.pace.rest() if is_shown else 0.0)
                continue
            self.pace.begin()
            self._sync()
            self._show()
            made = len(match.turns)
            while len(match.turns) == made and match.decision is not None and seat not in self.left:
                if not await self._wait(self._left_to(seat)):
                    self._replace(seat)
        self._show()
        if (outcome := match.outcome) is not None:
            self.tell(plain(verdict(outcome, self.sitting.names)))

    async def _asked(self, player: Player, decision: Decision) -> None:
        """Have a bot decide, and hear connections meanwhile: should the match be another by then, it decides anew."""
        match = self.sitting.match
        table = match.table(decision.seat) if player.looks else None
        index = await in_thread(lambda: play.answer_of(player, len(decision.options), table))
        await self._resumed()
        if match.decision is decision:
            match.take(index, player.spent if player.looks else None)

    def _sync(self) -> None:
        """Have what was decided on the disk. Where that can't be, say so once: each time would tell how many decisions
        are made in secret."""
        try:
            self.sync()
        except play.NotKept as problem:
            if not self._is_unkept:
                self._say(f"Not kept: {problem}")
            self._is_unkept = True
        else:
            self._is_unkept = False

    def _left_to(self, seat: int) -> float | None:
        """Seconds for which a seat is still waited for; None: as long as it takes, for who is here or never was."""
        lost = self._lost.get(seat)
        if lost is None or self._is_paused:
            return None
        return max(lost + self.patience - asyncio.get_running_loop().time(), 0.0)

    async def _wait(self, seconds: float | None) -> bool:
        """Wait for something to happen; False: nothing did for so long. Raises what went wrong with the rules."""
        if self._failure is not None:
            raise self._failure
        self._changed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        if self._failure is not None:
            raise self._failure
        return True

    def _replace(self, seat: int) -> None:
        """A bot goes on for who has left."""
        if seat not in self.left:
            self.left.add(seat)
            made = self.sitting.match.made[seat]
            self.bots[seat].resume(made)
            self._say(f"{self.sitting.names[seat]} has left: a bot plays on.")

    def _say(self, words: str) -> None:
        self.tell(words)
        for guest in self.guests:
            guest.note = words
        self._show()

    def _show(self) -> None:
        """Everybody gets another screen."""
        for guest in self.guests:
            guest.news.set()

    # ------------------------------------------------------------ guests

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Somebody connects."""
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        self._make_way(task, writer)
        try:
            await self._serve(reader, writer)
        except Broken as problem:
            await write(writer, Over(f"The host does not understand: {problem}."))
        except (OSError, asyncio.CancelledError):
            pass
        except Exception as problem:
            await self._show_out(writer, problem)
        finally:
            self._strangers.pop(task, None)
            if task.cancelling():
                writer.transport.abort()
            await close(writer)
            self._handlers.discard(task)

    def _make_way(self, task: asyncio.Task[None], writer: asyncio.StreamWriter) -> None:
        """Count a stranger. Where there are too many, end the connection of the oldest: of the same address, if there
        are too many of it."""
        address = str((writer.get_extra_info("peername") or ("",))[0])
        same = [other for other, its_address in self._strangers.items() if its_address == address]
        if len(same) >= MOST_OF_ADDRESS or len(self._strangers) >= MOST_STRANGERS:
            oldest = same[0] if len(same) >= MOST_OF_ADDRESS else next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        self._strangers[task] = address

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        guest = await self._greeted(reader, writer)
        if guest is None:
            return
        sender = asyncio.create_task(self._send(guest))
        request: Request | None = None
        try:
            while (request := await read_request(reader)) is not None and not isinstance(request, Leave):
                await self._turns.setdefault(guest.seat, Turns()).next()
                if guest not in self.guests:
                    break  # somebody else has come with the same token
                await self._answer(guest, request)
        finally:
            self._goodbye(guest, has_left=isinstance(request, Leave))
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def _greeted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Guest | None:
        """Who has come, by their token; whoever sat there on another connection makes way."""
        try:
            async with asyncio.timeout(GREETING):
                hello = await read_request(reader)
        except TimeoutError:
            return None
        if not isinstance(hello, Hello) or hello.version != VERSION:
            await write(writer, Over("This host speaks another version of lusory."))
            return None
        said = hello.token.encode()
        seats = [seat for seat, token in self.tokens.items() if secrets.compare_digest(token.encode(), said)]
        if not seats:
            await asyncio.sleep(1.0)  # who guesses, guesses slowly
            await write(writer, Over("The host knows no such token."))
            return None
        seat = seats[0]
        await self._turns.setdefault(seat, Turns()).next()
        if seat is None and sum(guest.seat is None for guest in self.guests) >= MOST_SPECTATORS:
            await write(writer, Over("The host has no room for more spectators."))
            return None
        task = asyncio.current_task()
        assert task is not None
        self._strangers.pop(task, None)
        for other in [guest for guest in self.guests if guest.seat == seat and seat is not None]:
            self.guests.discard(other)
            other.writer.write(encoded(Over("Somebody with your token has come from elsewhere.")))
            other.writer.close()
            asyncio.get_running_loop().call_later(FAREWELL, other.writer.transport.abort)
        guest = Guest(seat, writer)
        self.guests.add(guest)
        if seat is not None:
            self.left.discard(seat)
            self._lost.pop(seat, None)
            now = asyncio.get_running_loop().time()
            self._lost = {lost: now if self._is_paused else since for lost, since in self._lost.items()}
            self._say(f"{self.sitting.names[seat]} is here{': the game goes on' if self._is_paused else ''}.")
            self._is_paused = False
        guest.news.set()
        self._changed.set()
        return guest

    def _goodbye(self, guest: Guest, has_left: bool) -> None:
        """A connection has ended. Who says that they leave is not waited for."""
        if guest not in self.guests:
            return
        self.guests.discard(guest)
        seat = guest.seat
        if seat is not None:
            if has_left:
                self._replace(seat)
            else:
                self._lost[seat] = asyncio.get_running_loop().time()
                self._say(f"The connection to {self.sitting.names[seat]} is lost.")
            if self._is_deserted and self.sitting.match.decision is not None:
                self._is_paused = True
                self._say("Nobody is at the table any more: the game waits until somebody comes back.")
        self._changed.set()

    @property
    def _is_deserted(self) -> bool:
        """Whether no player is connected."""
        return all(guest.seat is None for guest in self.guests)

    async def _resumed(self) -> None:
        """Wait while the game is paused."""
        while self._is_paused:
            await self._wait(None)

    async def _show_out(self, writer: asyncio.StreamWriter, problem: Exception) -> None:
        """Close the connection of a guest whose request or screen fails. The others play on."""
        self.tell(f"A guest is shown out: {type(problem).__name__}: {problem}"[:LONGEST_LINE])
        await write(writer, Over(SHOWN_OUT))

    async def _send(self, guest: Guest) -> None:
        """Send the latest screen whenever it has changed; who is slow misses those between. What others do in secret
        changes nothing, so nothing is sent then: the number of messages would tell how much they did."""
        while True:
            await guest.news.wait()
            guest.news.clear()
            note, guest.note = guest.note, ""
            try:
                shown = self.sitting.shown(guest.seat, alone=True)
            except RulesetFault as fault:
                self._fail(fault)
                return
            except Exception as problem:
                await self._show_out(guest.writer, problem)
                guest.writer.close()
                return
            line = encoded(shown)
            if line == guest.sent and not note and not guest.is_owed:
                continue
            guest.sent, guest.is_owed = line, False
            if not await write_line(guest.writer, encoded(replace(shown, note=note)) if note else line):
                guest.writer.transport.abort()
                return

    async def _answer(self, guest: Guest, request: Request) -> None:
        """Do what is asked, and say what comes of it."""
        reply = await self._left_to_a_bot(guest, request) if isinstance(request, Auto) else self._did(guest, request)
        if reply is None:
            guest.is_owed = True
            self._show()
            self._changed.set()
        else:
            await write(guest.writer, reply)

    async def _left_to_a_bot(self, guest: Guest, request: Auto) -> Reply | None:
        """A bot decides for a guest; others are heard meanwhile. None: the match has gone on."""
        try:
            find = self.sitting.left_to_a_bot(guest.seat, request, alone=True)
            self.sitting.taken(guest.seat, request.stamp, *await in_thread(find))
        except (Denied, PlayerFails) as problem:
            return Note(str(problem))
        except play.NotKept as problem:
            return self.sitting.not_kept(problem)
        except RulesetFault as fault:
            self._fail(fault)
        return None

    def _fail(self, fault: RulesetFault) -> None:
        """End the match: its rules can't go on."""
        self._failure = fault
        self._changed.set()

    def _did(self, guest: Guest, request: Request) -> Reply | None:
        """None: the match has gone on."""
        match request:
            case Save():
                return Note("The game is saved where it is held.")
            case Take() | Undo() | Redo() | Ask():
                try:
                    return self.sitting.do(guest.seat, request, alone=True)
                except RulesetFault as fault:
                    self._fail(fault)
                    return None
        return Note("That was said before.")


_NAMES = ("SIGTERM", "SIGHUP", "SIGINT", "SIGBREAK")


@contextmanager
def told_of_signals(end: Callable[[Ended | None], None]) -> Iterator[None]:
    """Within this the signals that end programs call ``end``, between two steps of the main thread: with what is to be
    raised later, or None where a person interrupts."""

    def told(number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        if name == "SIGHUP":
            streams.terminal_is_gone()
        end(None if name == "SIGINT" else Ended(number, name, hung_up=name == "SIGHUP"))

    signals = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.signal(number, told) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
