"""Host a match over the network: accept guests, authenticate them by token, limit requests, and send screens."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Thread
from types import FrameType
from typing import TypeVar

from ...explain.styled_text_wrapping_and_values import to_text
from ...play import match as play
from ...play.bot_deciding_for_a_person_and_pacing import BotPace
from ...play.player_interface_scripted_and_random_players import Person, Player, PlayerFailed
from ...state.decisions_outcomes_and_faults import Decision, RulesetFault
from ..line import plain_output_and_terminal_checks as plain_output
from ..line.line_session import ProgramEnded, ignores_hang_up
from ..model.game_result_and_score_history import write_verdict
from .match_service_answering_seat_requests import MatchService, RequestDenied
from .messages import (
    MAX_REQUEST_BYTES,
    VERSION,
    Ask,
    Auto,
    Hello,
    InvalidMessage,
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
    encode_message,
    read_request,
    write,
    write_line,
)

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run ``work`` in a daemon thread, and wait for it. Returns its result, or raises its exception.

    If the waiting is cancelled, the thread goes on, and its result is dropped. Threads of the event loop's own executor
    would delay the end of the program.
    """
    future: Future[T] = Future()
    # A future that runs can't be cancelled, so that the thread can always set its result.
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as problem:
            future.set_exception(problem)

    Thread(target=run, daemon=True, name="beside the loop").start()
    return await asyncio.wrap_future(future)


MAX_SPECTATORS = 32
MAX_UNKNOWN_CONNECTIONS = 32
"""Maximum number of connections without a known token. New ones replace the oldest, so that no player is kept out."""
MAX_CONNECTIONS_OF_ADDRESS = 8
"""Maximum number of such connections from one address."""
REQUESTS_PER_SECOND = 8.0
REQUESTS_AT_ONCE = 16
"""Burst size of the rate limit for each player, and for all spectators together."""
FAREWELL_SECONDS = 1.0
"""Seconds for saying goodbye to all guests when the host closes."""
GREETING_SECONDS = 10.0
"""Seconds within which a new connection must send its token."""
LAST_LOOK_SECONDS = 600.0
"""Seconds for which guests can look at the result."""
FAILED_REQUEST_MESSAGE = "Something went wrong with what you asked for. You can come back."
MAX_LOG_LINE_LENGTH = 300
"""Maximum length of messages to the host about a guest, in characters."""


@dataclass(eq=False)
class Connection:
    """Hold a connected guest.

    Attributes:
        seat: The seat, or None for a spectator.
        has_news: Set if the screen may have changed.
        is_reply_due: Whether to send the screen even if it equals ``last_line``, because it answers a request.
        last_line: The last screen, encoded.
    """

    seat: int | None
    writer: asyncio.StreamWriter
    has_news: asyncio.Event = field(default_factory=asyncio.Event)
    note: str = ""
    is_reply_due: bool = False
    last_line: bytes = b""


class RateLimiter:
    """Limit the rate of requests with a token bucket. Requests over the limit wait in order."""

    def __init__(self) -> None:
        self._tokens = float(REQUESTS_AT_ONCE)
        self._refill_time = 0.0
        self._queue = asyncio.Lock()

    async def wait_for_turn(self) -> None:
        """Wait until the next request may be answered: ``REQUESTS_AT_ONCE`` at once, then ``REQUESTS_PER_SECOND``."""
        async with self._queue:
            now = asyncio.get_running_loop().time()
            self._tokens = min(self._tokens + (now - self._refill_time) * REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)
            self._refill_time = now
            self._tokens -= 1.0
            await asyncio.sleep(max(-self._tokens / REQUESTS_PER_SECOND, 0.0))


@dataclass(eq=False)
class MatchServer:
    """Host a match.

    Attributes:
        tokens: The token of each seat. None is the key for spectators.
        bots: The bot that replaces the player of each seat who leaves.
        patience: Seconds for which a seat waits for a lost connection while another player is connected.
            If no player is connected, the game pauses.
        tell: Called with a line about each guest who comes or goes.
        sync: Writes the journal to the disk. Raises DecisionNotSaved.
        pace: Says for how long each step of a searching bot is shown.
    """

    service: MatchService
    tokens: Mapping[int | None, str]
    bots: Mapping[int, Player]
    patience: float
    tell: Callable[[str], None]
    sync: Callable[[], None] = lambda: None
    pace: BotPace = field(default_factory=lambda: BotPace(0.0))
    guests: set[Connection] = field(default_factory=set)
    deserted_seats: set[int] = field(default_factory=set)
    _loss_times: dict[int, float] = field(default_factory=dict)
    _failure: RulesetFault | None = None
    _change_event: asyncio.Event = field(default_factory=asyncio.Event)
    _is_unkept: bool = False
    _is_paused: bool = False
    _handlers: set[asyncio.Task[None]] = field(default_factory=set)
    _strangers: dict[asyncio.Task[None], str] = field(default_factory=dict)
    _turns: dict[int | None, RateLimiter] = field(default_factory=dict)

    # ------------------------------------------------------------ the match

    async def serve_match(self, host: str, port: int, report_port: Callable[[int], None]) -> None:
        """Listen, and run the match until it is over and all guests have left, or ``LAST_LOOK_SECONDS`` after its end.

        Calls ``report_port`` with the port. Raises OSError if the address is not available, and faults of the rules.
        Disconnects all guests and stops all tasks before it returns.
        """
        server = await asyncio.start_server(self._handle_connection, host, port, limit=MAX_REQUEST_BYTES)
        report_port(server.sockets[0].getsockname()[1])
        try:
            await self._run_match()
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_LOOK_SECONDS):
                    while self.guests:
                        await self._wait(None)
        finally:
            server.close()
            await self._disconnect_all("The host has closed the game.")
            await server.wait_closed()

    async def _disconnect_all(self, words: str) -> None:
        """Say goodbye to all guests at once, and cut off those who don't react in time."""
        guests, self.guests = self.guests, set()

        async def dismiss(guest: Connection) -> None:
            await write(guest.writer, Over(words))
            await close(guest.writer)

        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                await asyncio.gather(*map(dismiss, guests))
        for guest in guests:
            guest.writer.transport.abort()
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    async def _pace_forced_choices(self, start: int) -> None:
        """Wait for each forced choice of a bot since index ``start`` of the log, as long as for any other choice."""
        for _ in self.pace.list_forced_choices(self.service.match, start):
            await asyncio.sleep(self.pace.take_remaining_seconds())

    async def _run_match(self) -> None:
        """Run the match until it is over, and report the verdict.

        Bots decide, with a pause if their step is shown. A connected person has as long as wanted. A bot takes the seat
        of a person who has left, or whose connection has been lost for ``patience`` seconds.
        """
        match = self.service.match
        while match.decision is not None:
            await self._wait_while_paused()
            seat = match.decision.seat
            player = self.bots[seat] if seat in self.deserted_seats else match.players[seat]
            start = len(match.log)
            if not isinstance(player, Person):
                is_shown = self.pace.is_shown(match)
                if is_shown:
                    self._sync()
                    self._mark_screens_changed()
                await self._let_bot_decide(player, match.decision)
                await asyncio.sleep(self.pace.take_remaining_seconds() if is_shown else 0.0)
                await self._pace_forced_choices(start)
                continue
            self.pace.reset()
            self._sync()
            self._mark_screens_changed()
            decision_count = len(match.turns)
            while len(match.turns) == decision_count and match.decision is not None and seat not in self.deserted_seats:
                if not await self._wait(self._get_patience_left(seat)):
                    self._replace(seat)
            await self._pace_forced_choices(start)
        self._mark_screens_changed()
        if (outcome := match.outcome) is not None:
            self.tell(to_text(write_verdict(outcome, self.service.names)))

    async def _let_bot_decide(self, player: Player, decision: Decision) -> None:
        """Let a bot decide in a thread. If the match has changed meanwhile, drop the answer."""
        match = self.service.match
        answer = await run_in_thread(match.prepare_answer(player))
        await self._wait_while_paused()
        if match.decision is decision:
            match.take(*answer)

    def _sync(self) -> None:
        """Write the journal to the disk.

        Reports only the first of consecutive failures: repeated reports would reveal the number of secret decisions.
        """
        try:
            self.sync()
        except play.DecisionNotSaved as problem:
            if not self._is_unkept:
                self._log(f"Not kept: {problem}")
            self._is_unkept = True
        else:
            self._is_unkept = False

    def _get_patience_left(self, seat: int) -> float | None:
        """Return the seconds for which a seat still waits for a lost player. None means no limit."""
        loss_time = self._loss_times.get(seat)
        if loss_time is None or self._is_paused:
            return None
        return max(loss_time + self.patience - asyncio.get_running_loop().time(), 0.0)

    async def _wait(self, seconds: float | None) -> bool:
        """Wait for an event. Returns False after a timeout. Raises faults of the rules."""
        if self._failure is not None:
            raise self._failure
        self._change_event.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._change_event.wait()
        except TimeoutError:
            return False
        if self._failure is not None:
            raise self._failure
        return True

    def _replace(self, seat: int) -> None:
        """Let a bot play for a player who has left."""
        if seat not in self.deserted_seats:
            self.deserted_seats.add(seat)
            decision_count = self.service.match.decision_counts[seat]
            self.bots[seat].resume(decision_count)
            self._log(f"{self.service.names[seat]} has left: a bot plays on.")

    def _log(self, words: str) -> None:
        self.tell(words)
        for guest in self.guests:
            guest.note = words
        self._mark_screens_changed()

    def _mark_screens_changed(self) -> None:
        """Mark the screens of all guests as changed."""
        for guest in self.guests:
            guest.has_news.set()

    # ------------------------------------------------------------ guests

    async def _handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection until it ends, and close it.

        An invalid message, or a failure, ends only this connection.
        """
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        self._register_unknown(task, writer)
        try:
            await self._serve_connection(reader, writer)
        except InvalidMessage as problem:
            await write(writer, Over(f"The host does not understand: {problem}."))
        except (OSError, asyncio.CancelledError):
            pass
        except Exception as problem:
            await self._close_failed(writer, problem)
        finally:
            self._strangers.pop(task, None)
            if task.cancelling():
                writer.transport.abort()
            await close(writer)
            self._handlers.discard(task)

    def _register_unknown(self, task: asyncio.Task[None], writer: asyncio.StreamWriter) -> None:
        """Register a connection without a token, and close the oldest one if there are too many.

        Connections of the same address go first if that address has too many.
        """
        address = str((writer.get_extra_info("peername") or ("",))[0])
        neighbours = [stranger for stranger, other in self._strangers.items() if other == address]
        if len(neighbours) >= MAX_CONNECTIONS_OF_ADDRESS or len(self._strangers) >= MAX_UNKNOWN_CONNECTIONS:
            oldest = neighbours[0] if len(neighbours) >= MAX_CONNECTIONS_OF_ADDRESS else next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        self._strangers[task] = address

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Authenticate a guest, send screens, and answer requests until the guest leaves or is replaced."""
        guest = await self._authenticate(reader, writer)
        if guest is None:
            return
        sender = asyncio.create_task(self._send_screens(guest))
        request: Request | None = None
        try:
            while (request := await read_request(reader)) is not None and not isinstance(request, Leave):
                await self._turns.setdefault(guest.seat, RateLimiter()).wait_for_turn()
                if guest not in self.guests:
                    # A newer connection with the same token has replaced this one.
                    break
                await self._answer_request(guest, request)
        finally:
            self._remove_connection(guest, has_left=isinstance(request, Leave))
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def _authenticate(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Connection | None:
        """Return the connection of a guest with a known token, and disconnect an older one of the same seat.

        Returns None if the guest is rejected: no greeting in time, another version, an unknown token (after a second),
        or too many spectators. A player who comes back takes the seat from the bot, and ends a pause of the game.
        """
        try:
            async with asyncio.timeout(GREETING_SECONDS):
                hello = await read_request(reader)
        except TimeoutError:
            return None
        if not isinstance(hello, Hello) or hello.version != VERSION:
            await write(writer, Over("This host speaks another version of lusory."))
            return None
        token_bytes = hello.token.encode()
        seats = [seat for seat, token in self.tokens.items() if secrets.compare_digest(token.encode(), token_bytes)]
        if not seats:
            # Slow down attempts to guess a token.
            await asyncio.sleep(1.0)
            await write(writer, Over("The host knows no such token."))
            return None
        seat = seats[0]
        await self._turns.setdefault(seat, RateLimiter()).wait_for_turn()
        if seat is None and sum(guest.seat is None for guest in self.guests) >= MAX_SPECTATORS:
            await write(writer, Over("The host has no room for more spectators."))
            return None
        task = asyncio.current_task()
        assert task is not None
        self._strangers.pop(task, None)
        for old_guest in [guest for guest in self.guests if guest.seat == seat and seat is not None]:
            self.guests.discard(old_guest)
            old_guest.writer.write(encode_message(Over("Somebody with your token has come from elsewhere.")))
            old_guest.writer.close()
            asyncio.get_running_loop().call_later(FAREWELL_SECONDS, old_guest.writer.transport.abort)
        guest = Connection(seat, writer)
        self.guests.add(guest)
        if seat is not None:
            self.deserted_seats.discard(seat)
            self._loss_times.pop(seat, None)
            now = asyncio.get_running_loop().time()
            if self._is_paused:
                self._loss_times = dict.fromkeys(self._loss_times, now)
            self._log(f"{self.service.names[seat]} is here{': the game goes on' if self._is_paused else ''}.")
            self._is_paused = False
        guest.has_news.set()
        self._change_event.set()
        return guest

    def _remove_connection(self, guest: Connection, has_left: bool) -> None:
        """Remove a guest whose connection has ended. A bot replaces a player who said goodbye at once."""
        if guest not in self.guests:
            return
        self.guests.discard(guest)
        seat = guest.seat
        if seat is not None:
            if has_left:
                self._replace(seat)
            else:
                self._loss_times[seat] = asyncio.get_running_loop().time()
                self._log(f"The connection to {self.service.names[seat]} is lost.")
            is_deserted = all(guest.seat is None for guest in self.guests)
            if is_deserted and self.service.match.decision is not None:
                self._is_paused = True
                self._log("Nobody is at the table any more: the game waits until somebody comes back.")
        self._change_event.set()

    async def _wait_while_paused(self) -> None:
        """Wait while the game is paused."""
        while self._is_paused:
            await self._wait(None)

    async def _close_failed(self, writer: asyncio.StreamWriter, problem: Exception) -> None:
        """Close the connection of a guest whose request or screen fails. The other guests play on."""
        self.tell(f"A guest is shown out: {type(problem).__name__}: {problem}"[:MAX_LOG_LINE_LENGTH])
        await write(writer, Over(FAILED_REQUEST_MESSAGE))

    async def _send_screens(self, guest: Connection) -> None:
        """Send the latest screen whenever it has changed. Slow guests miss intermediate ones.

        Secret decisions of others don't change a screen, so nothing is sent then. The number of messages would reveal
        them.
        """
        while True:
            await guest.has_news.wait()
            guest.has_news.clear()
            note, guest.note = guest.note, ""
            try:
                message = self.service.create_screen_message(guest.seat, is_remote=True)
            except RulesetFault as fault:
                self._failure = fault
                self._change_event.set()
                return
            except Exception as problem:
                await self._close_failed(guest.writer, problem)
                guest.writer.close()
                return
            line = encode_message(message)
            if line == guest.last_line and not note and not guest.is_reply_due:
                continue
            guest.last_line, guest.is_reply_due = line, False
            if not await write_line(guest.writer, encode_message(replace(message, note=note)) if note else line):
                guest.writer.transport.abort()
                return

    async def _answer_request(self, guest: Connection, request: Request) -> None:
        """Process a request and send the reply, or mark the screens if the match has moved on.

        A fault of the rules ends the match.
        """
        reply: Reply | None = None
        try:
            match request:
                case Auto():
                    reply = await self._let_bot_decide_for(guest, request)
                case Save():
                    reply = Note("The game is saved where it is held.")
                case Take() | Undo() | Redo() | Ask():
                    reply = self.service.apply_request(guest.seat, request, is_remote=True)
                case _:
                    reply = Note("That was said before.")
        except RulesetFault as fault:
            self._failure = fault
        if reply is None:
            guest.is_reply_due = True
            self._mark_screens_changed()
            self._change_event.set()
        else:
            await write(guest.writer, reply)

    async def _let_bot_decide_for(self, guest: Connection, request: Auto) -> Reply | None:
        """Let a bot decide for a guest in a thread. Returns None if the match has moved on."""
        try:
            search = self.service.prepare_bot_decision(guest.seat, request, is_remote=True)
            self.service.apply_bot_decision(guest.seat, request.stamp, *await run_in_thread(search))
        except (RequestDenied, PlayerFailed) as problem:
            return Note(str(problem))
        except play.DecisionNotSaved as problem:
            return self.service.restore_after_failure(problem)
        return None


_ENDING_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT", "SIGBREAK")
_SCREEN_SIGNALS = ("SIGTSTP", "SIGCONT", "SIGWINCH")
"""Signals whose handlers Textual replaces and does not restore."""


@contextmanager
def catch_signals(end: Callable[[ProgramEnded | None], None]) -> Iterator[None]:
    """Call ``end`` on signals that end the program, for as long as this context is active, then restore the handlers.

    Passes a ProgramEnded to raise later, or None after Ctrl-C. After a hang-up, output goes to nowhere. The signals are
    those that the system has of SIGTERM, SIGHUP, SIGINT and SIGBREAK, even if they were ignored before. Only a SIGHUP
    that was ignored stays so. Handlers of suspend, resume and resize signals are restored, too.
    """

    def handle_signal(number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        if name == "SIGHUP":
            plain_output.redirect_all_output()
        end(None if name == "SIGINT" else ProgramEnded(number, name, has_hung_up=name == "SIGHUP"))

    names = [name for name in (*_ENDING_SIGNALS, *_SCREEN_SIGNALS) if hasattr(signal, name)]
    handlers = {getattr(signal, name): signal.getsignal(getattr(signal, name)) for name in names}
    for name in names:
        if name in _ENDING_SIGNALS and not ignores_hang_up(name):
            signal.signal(getattr(signal, name), handle_signal)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
