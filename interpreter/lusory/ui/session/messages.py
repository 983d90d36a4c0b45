"""Define the network protocol between a host and guests: addresses, messages, their encoding, and the client.

A message is a dataclass, sent as one line of JSON. Guests send a :data:`Request`, and hosts send a :data:`Reply`.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from ...explain.styled_text_wrapping_and_values import Line
from ...play.stored_results_settings_and_dataclass_json import InvalidData, from_json, to_json
from ..model.screen import Answer, Grid, Map, Panel, Screen

LOCAL_HOST = "127.0.0.1"
DEFAULT_PORT = 4653
TOKEN_VARIABLE = "LUSORY_TOKEN"
"""Environment variable that passes the token to the process behind a browser. Command lines would expose it."""
TOUCH_VARIABLE = "LUSORY_TOUCH"
"""Environment variable that is set if the browser page is used by touch."""
_FORM = re.compile(
    r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?)(?:/(?P<token>[\w-]{1,64}))?", re.ASCII
)


class Address(NamedTuple):
    """Address a match. ``token`` is the secret of a seat or of spectators, or "" if it is missing."""

    host: str
    port: int
    token: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}/{self.token}" if self.token else f"{host}:{self.port}"


def parse_address(text: str) -> Address | None:
    """Parse an address ``HOST[:PORT][/TOKEN]``. Blanks around it don't count.

    Another form gives None, such as ``a/`` or ``http://a``, and so do letters outside ASCII. ``[::1]:7000/abc`` gives
    ``Address("::1", 7000, "abc")``: an IPv6 host must have brackets, which are removed. Without a port,
    :data:`DEFAULT_PORT` counts; a port above 65535 gives None. Without a token, it is empty.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None or int(match["port"] or DEFAULT_PORT) > 65535:
        return None
    return Address(match["host"].strip("[]"), int(match["port"] or DEFAULT_PORT), match["token"] or "")


VERSION = 6
"""Version of the messages. Host and guest must have the same."""

Topic = Literal["look", "why", "rules", "log", "hint"]


# ---------------------------------------------------------------- requests of guests


@dataclass(frozen=True, slots=True)
class Hello:
    """Join with the ``token`` of a seat or of spectators."""

    token: str
    version: int


@dataclass(frozen=True, slots=True)
class Take:
    """Answer the pending decision. ``stamp`` is the stamp of the screen that asked it."""

    stamp: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo the last decision of the seat."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Redo:
    """Redo the decision that was undone last."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Auto:
    """Let a bot of this ``kind`` make the pending decision. If several options are asked for, it makes one pick."""

    stamp: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask a question. The answer carries the same ``number``."""

    number: int
    topic: Topic
    words: str


@dataclass(frozen=True, slots=True)
class Save:
    """Save the game to a file. "" chooses a file name."""

    file: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the match. A bot may take the seat."""


Request = Hello | Take | Auto | Undo | Redo | Ask | Save | Leave


# ---------------------------------------------------------------- replies of hosts


@dataclass(frozen=True, slots=True)
class Shown:
    """Send the screen of a seat.

    Attributes:
        stamp: A digest of what the seat knows. Requests that change the game repeat it, so that stale ones fail.
        undo: The decision that undo would revert, or an empty line.
        redo: The decision that redo would repeat, or an empty line.
        hand_over: The name of the person who must take the keyboard first, or "".
        note: A message to show, or "".
    """

    screen: Screen
    stamp: str = ""
    undo: Line = ()
    redo: Line = ()
    hand_over: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """Answer the question with this number."""

    number: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Show a message: the result of a request, or why it was denied."""

    words: str


@dataclass(frozen=True, slots=True)
class NotKept:
    """Report that the journal could not be written, so the decision was not made."""

    words: str


@dataclass(frozen=True, slots=True)
class Over:
    """End the connection. ``words`` says why."""

    words: str = ""


Reply = Shown | Told | Note | NotKept | Over


class Link(Protocol):
    """Connect a front end to a match.

    ``is_own`` is true if the match runs in this process, so that it can be saved, discarded and played again.
    """

    is_own: bool

    async def begin(self) -> None:
        """Request the first screen."""

    async def send(self, request: Request) -> None:
        """Send a request. Its result arrives through :meth:`receive`."""

    async def receive(self) -> Reply:
        """Return the next message to show. Raises faults of the rules."""

    def hurry(self) -> None:
        """Skip the pauses between the steps of bots."""


MAX_REQUEST_BYTES = 1 << 13
"""Maximum size of a line from a guest, in bytes."""
MAX_REPLY_BYTES = 1 << 22
"""Maximum size of a line from a host, in bytes."""
MAX_SCREEN_CELLS = 1 << 18
"""Maximum size of a line with a screen, in bytes. Larger screens could take minutes to lay out."""
MAX_COORDINATE = 500
"""Maximum coordinate in a map or grid."""
SEND_SECONDS = 30.0
"""Seconds after which a peer that does not read counts as disconnected."""


class InvalidMessage(Exception):
    """Signal an invalid message. Reading stops after it."""


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read the next request. Returns None at the end of the connection.

    Raises InvalidMessage for a line that is too long or no request.
    """
    request: Request | None = await _read(reader, Request)
    return request


async def read_reply(reader: asyncio.StreamReader) -> Reply | None:
    """Read the next reply. Returns None at the end of the connection.

    Raises InvalidMessage for a line that is too long or no reply, and for a screen that is too large or whose
    coordinates are.
    """
    reply: Reply | None = await _read(reader, Reply)
    return reply


def _is_drawable(panel: Panel) -> bool:
    """Return whether the coordinates in a panel are within the limits of the layout."""
    match panel:
        case Map(nodes=nodes, edges=edges):
            places = {number for node in nodes for number in (node.across, node.down)}
            return all(number in range(MAX_COORDINATE) for number in places) and all(
                number in range(len(nodes)) for edge in edges for number in edge
            )
        case Grid(rows=rows):
            return all(row.shift in range(MAX_COORDINATE) for row in rows)
    return True


async def _read(reader: asyncio.StreamReader, kind: Any) -> Any:
    """Read a line and decode it, see :func:`read_request` and :func:`read_reply`."""
    try:
        line = await reader.readline()
    # A line is too long, or the connection is lost.
    except (ValueError, OSError) as problem:
        if isinstance(problem, ValueError):
            raise InvalidMessage("a message is too long") from None
        return None
    if not line.endswith(b"\n"):
        return None
    try:
        message = from_json(kind, json.loads(line))
    except (ValueError, RecursionError, InvalidData) as problem:
        raise InvalidMessage(f"this is no message: {problem}"[:200]) from None
    if isinstance(message, Shown) and (
        len(line) > MAX_SCREEN_CELLS or not all(map(_is_drawable, message.screen.panels))
    ):
        raise InvalidMessage("a screen is too large, or does not fit together")
    return message


def encode_message(message: Request | Reply) -> bytes:
    """Encode a message as a line of the protocol: compact JSON and a line feed."""
    kind: Any = Reply if type(message) in _REPLIES else Request
    return json.dumps(to_json(message, kind), separators=(",", ":")).encode() + b"\n"


async def write(writer: asyncio.StreamWriter, message: Request | Reply) -> bool:
    """Send a message. Returns False if the peer has disconnected or does not read, see :func:`write_line`."""
    return await write_line(writer, encode_message(message))


async def write_line(writer: asyncio.StreamWriter, line: bytes) -> bool:
    """Send an encoded message. Returns False if the peer has disconnected or does not read within ``SEND_SECONDS``."""
    try:
        writer.write(line)
        async with asyncio.timeout(SEND_SECONDS):
            await writer.drain()
    except (OSError, TimeoutError):
        return False
    return True


async def close(writer: asyncio.StreamWriter) -> None:
    """Close a connection in any state: wait for one second at most, then abort it."""
    writer.close()
    try:
        async with asyncio.timeout(1.0):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        writer.transport.abort()


_REPLIES = frozenset(Reply.__args__)


RECONNECT_SECONDS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
"""Seconds to wait before each attempt to reconnect."""
MAX_FAREWELL_LENGTH = 500
"""Maximum length of the final message of a host, in characters."""


class RemoteLink:
    """Connect to a remote match. Reconnects after a lost connection, and the token opens the same seat."""

    is_own = False

    def __init__(self, address: Address) -> None:
        self.address = address
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._is_over = False
        self._retry_delays = iter(RECONNECT_SECONDS)

    def hurry(self) -> None:
        """Do nothing: a guest can't skip the pauses of the host."""

    async def begin(self) -> None:
        """Connect. If that fails, :meth:`receive` tries again."""
        with suppress(OSError):
            await self.connect()

    async def connect(self) -> None:
        """Connect and send the token. Raises OSError if the host does not listen."""
        self._reader, self._writer = await asyncio.open_connection(
            self.address.host, self.address.port, limit=MAX_REPLY_BYTES
        )
        await write(self._writer, Hello(self.address.token, VERSION))

    async def send(self, request: Request) -> None:
        """Send a request. Requests on a lost connection are dropped, and the next screen shows the current state."""
        if self._writer is not None:
            await write(self._writer, request)

    async def receive(self) -> Reply:
        """Return the next reply. :class:`Over` ends the match, and every later call returns one, too.

        A lost connection is made again if possible. Otherwise, and after a message that can't be understood, the reply
        is :class:`Over` with a sentence about it. The host's own last words are cut to ``MAX_FAREWELL_LENGTH``.
        """
        # Let the event loop handle keys even if the host never stops sending.
        await asyncio.sleep(0)
        while not self._is_over:
            try:
                reply = None if self._reader is None else await read_reply(self._reader)
            except InvalidMessage as problem:
                self._is_over = True
                return Over(f"The host says what can't be understood: {problem}.")
            if isinstance(reply, Over):
                self._is_over = True
                return Over(reply.words[:MAX_FAREWELL_LENGTH])
            if reply is not None:
                self._retry_delays = iter(RECONNECT_SECONDS)
                return reply
            if not await self._reconnect():
                break
        self._is_over = True
        return Over("The connection to the host is lost.")

    async def _reconnect(self) -> bool:
        """Reconnect. Returns False once all attempts have failed. A reply resets the number of attempts."""
        for seconds in self._retry_delays:
            await self.close()
            await asyncio.sleep(seconds)
            try:
                await self.connect()
            except OSError:
                continue
            return True
        return False

    async def close(self) -> None:
        """Close the connection, if there is one."""
        if self._writer is not None:
            await close(self._writer)
            self._reader = self._writer = None
