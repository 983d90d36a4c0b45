"""Wire protocol."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from lusory_dsl.source.source import printable

from ..model.screen import Answer, Grid, Map, Panel, Screen
from ..model.text import Line

HOME = "127.0.0.1"
PORT = 4653
TOKEN = "LUSORY_TOKEN"
"""The variable of the environment by which a process behind a browser learns its token: it is on no command line."""
TOUCH = "LUSORY_TOUCH"
"""The variable of the environment that tells a process behind a browser that its page is used with fingers."""
_FORM = re.compile(
    r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?)(?:/(?P<token>[\w-]{1,64}))?", re.ASCII
)


class Address(NamedTuple):
    """``token``: the secret of a seat, or of spectators; "" where it was not said."""

    host: str
    port: int
    token: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}/{self.token}" if self.token else f"{host}:{self.port}"


def address_of(typed: str) -> Address | None:
    """An address as it was typed; None where it is none."""
    found = _FORM.fullmatch(typed.strip())
    if found is None or int(found["port"] or PORT) > 65535:
        return None
    return Address(found["host"].strip("[]"), int(found["port"] or PORT), found["token"] or "")


T = TypeVar("T")
KIND = "is"


class NotData(Exception):
    """Data that is not of the type which was expected; the words say what."""


def to_json(value: Any, kind: Any) -> Any:
    """A value of a type as JSON."""
    return _writer(kind)(value)


def from_json(kind: type[T], data: Any) -> T:
    """A value of a type out of JSON, its texts fit for a screen. Raises NotData for anything else."""
    whole: Any = kind
    found: T = _reader(whole)(data)
    return found


Turn = Callable[[Any], Any]


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _defaults(kind: type) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind)}


def _records(kind: Any) -> dict[str, type]:
    """The dataclasses that a type can be, by their names."""
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return {part.__name__: part for part in parts if is_dataclass(part) and isinstance(part, type)}


@cache
def _writer(kind: Any) -> Turn:
    if get_origin(kind) is tuple:
        return _row_writer(get_args(kind))
    records = _records(kind)
    if not records:
        return lambda value: value
    several = len(records) > 1

    def write(value: Any) -> Any:
        if value is None:
            return None
        made = {KIND: type(value).__name__} if several else {}
        return made | _written_fields(value)

    return write


def _row_writer(items: tuple[Any, ...]) -> Turn:
    def write(value: Any) -> Any:
        kinds = items[:1] * len(value) if items[-1] is ... else items
        return [_writer(kind)(item) for kind, item in zip(kinds, value, strict=True)]

    return write


def _written_fields(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    hints, defaults = _hints(kind), _defaults(kind)
    given = ((name, getattr(value, name)) for name in hints)
    return {name: _writer(hints[name])(item) for name, item in given if item != defaults[name]}


@cache
def _reader(kind: Any) -> Turn:
    origin = get_origin(kind)
    if origin is tuple:
        return _row_reader(get_args(kind))
    if origin is Literal:
        return _one_of(get_args(kind))
    if kind in (str, int, bool, NoneType):
        return _plain(kind)
    if origin in (Union, UnionType):
        return _any_of(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind)
    raise TypeError(f"{kind} is no plain data")


def _plain(kind: Any) -> Turn:
    def read(data: Any) -> Any:
        if type(data) is not kind:
            raise NotData(f"{kind.__name__} expected")
        return printable(data) if isinstance(data, str) else data

    return read


def _one_of(values: tuple[Any, ...]) -> Turn:
    def read(data: Any) -> Any:
        if not isinstance(data, str | int) or data not in values:
            raise NotData(f"one of {', '.join(map(str, values))} expected")
        return data

    return read


def _row_reader(items: tuple[Any, ...]) -> Turn:
    def read(data: Any) -> Any:
        if not isinstance(data, list) or (items[-1] is not ... and len(data) != len(items)):
            raise NotData("a list expected")
        kinds = items[:1] * len(data) if items[-1] is ... else items
        return tuple([_reader(kind)(item) for kind, item in zip(kinds, data, strict=True)])

    return read


def _any_of(kind: Any) -> Turn:
    records = _records(kind)
    others = [part for part in get_args(kind) if part not in records.values()]

    def read(data: Any) -> Any:
        if isinstance(data, dict) and records:
            name = data.get(KIND) if len(records) > 1 else next(iter(records))
            if not isinstance(name, str) or name not in records:
                raise NotData(f"one of {', '.join(records)} expected")
            return _reader(records[name])({field: value for field, value in data.items() if field != KIND})
        for part in others:
            try:
                return _reader(part)(data)
            except NotData:
                continue
        raise NotData("something else expected")

    return read


def _record(kind: type) -> Turn:
    hints, defaults = _hints(kind), _defaults(kind)

    def read(data: Any) -> Any:
        if not isinstance(data, dict) or not data.keys() <= hints.keys():
            raise NotData(f"{kind.__name__} expected")
        missing = [name for name in hints if name not in data and defaults[name] is MISSING]
        if missing:
            raise NotData(f"{kind.__name__} without {missing[0]}")
        return kind(**{name: _reader(hints[name])(value) for name, value in data.items()})

    return read


VERSION = 4
"""Of these messages: both sides of a wire must have the same."""

Topic = Literal["look", "why", "rules", "log", "hint"]


# ---------------------------------------------------------------- from who looks


@dataclass(frozen=True, slots=True)
class Hello:
    """Somebody comes, with the ``token`` of a seat or of spectators."""

    token: str
    version: int


@dataclass(frozen=True, slots=True)
class Take:
    """The pending decision is answered. ``stamp``: of what was shown when it was asked."""

    stamp: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Undo:
    """The own latest decision is taken back."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Redo:
    """What was taken back last is decided once more."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Auto:
    """A bot of this ``kind`` makes the pending decision in the place of the seat: one pick, where several are asked."""

    stamp: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question in words. ``number``: the answer bears it."""

    number: int
    topic: Topic
    words: str


@dataclass(frozen=True, slots=True)
class Save:
    """The game is written to a file, "" for one of its own."""

    file: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """Somebody goes: a bot may take the seat."""


Request = Hello | Take | Auto | Undo | Redo | Ask | Save | Leave


# ---------------------------------------------------------------- from who holds the match


@dataclass(frozen=True, slots=True)
class Shown:
    """A seat's screen. ``stamp``: requests to change the game repeat it, so that none is about an older screen; it
    depends on nothing but what the seat was told and is asked. ``undo``, ``redo``: what would be taken back or decided
    once more, in words; nothing where that can't be. ``hand_over``: the keyboard goes to this person first; "" where it
    stays. ``note``: what to tell."""

    screen: Screen
    stamp: str = ""
    undo: Line = ()
    redo: Line = ()
    hand_over: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to a question in words, of this number."""

    number: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Something to tell: what can't be done now, or what was done."""

    words: str


@dataclass(frozen=True, slots=True)
class NotKept:
    """The journal could not be written, and so nothing was decided."""

    words: str


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing more comes. ``words``: why."""

    words: str = ""


Reply = Shown | Told | Note | NotKept | Over


MOST_ASKED = 1 << 13
"""Bytes of a line from who looks."""
MOST_SHOWN = 1 << 22
"""Bytes of a line from who holds the match."""
MOST_ON_SCREEN = 1 << 18
"""Bytes of a line with a screen. More could take minutes to lay out."""
MOST_PLACES = 500
"""Places of a map or a grid, across or down."""
SLOW = 30.0
"""Seconds after which somebody who takes nothing in is gone."""

Message = TypeVar("Message")


class Broken(Exception):
    """The other side says something that is no message; the words say what. Nothing more is read from it."""


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request; None where no more come. Raises Broken."""
    found: Request | None = await _read(reader, Request)
    return found


async def read_reply(reader: asyncio.StreamReader) -> Reply | None:
    """The next reply; None where no more come. Raises Broken."""
    found: Reply | None = await _read(reader, Reply)
    return found


def _is_drawable(panel: Panel) -> bool:
    """Whether the numbers in a panel stay within what can be laid out."""
    match panel:
        case Map(nodes=nodes, edges=edges):
            places = {at for node in nodes for at in (node.across, node.down)}
            return all(at in range(MOST_PLACES) for at in places) and all(
                at in range(len(nodes)) for edge in edges for at in edge
            )
        case Grid(rows=rows):
            return all(row.shift in range(MOST_PLACES) for row in rows)
    return True


async def _read(reader: asyncio.StreamReader, kind: Any) -> Any:
    try:
        line = await reader.readline()
    except (ValueError, OSError) as problem:  # a line that is too long, or a connection that is lost
        if isinstance(problem, ValueError):
            raise Broken("a message is too long") from None
        return None
    if not line.endswith(b"\n"):
        return None
    try:
        found = from_json(kind, json.loads(line))
    except (ValueError, RecursionError, NotData) as problem:
        raise Broken(f"this is no message: {problem}"[:200]) from None
    if isinstance(found, Shown) and (len(line) > MOST_ON_SCREEN or not all(map(_is_drawable, found.screen.panels))):
        raise Broken("a screen is too large, or does not fit together")
    return found


def encoded(message: Request | Reply) -> bytes:
    """A message as the line that goes over the wire."""
    kind: Any = Reply if type(message) in _REPLIES else Request
    return json.dumps(to_json(message, kind), separators=(",", ":")).encode() + b"\n"


async def write(writer: asyncio.StreamWriter, message: Request | Reply) -> bool:
    """Send a message; False where the other side is gone."""
    return await write_line(writer, encoded(message))


async def write_line(writer: asyncio.StreamWriter, line: bytes) -> bool:
    """Send a message that is encoded; False where the other side is gone."""
    try:
        writer.write(line)
        async with asyncio.timeout(SLOW):
            await writer.drain()
    except (OSError, TimeoutError):
        return False
    return True


async def close(writer: asyncio.StreamWriter) -> None:
    """End a connection, whatever state it is in."""
    writer.close()
    try:
        async with asyncio.timeout(1.0):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        writer.transport.abort()


_REPLIES = frozenset(Reply.__args__)


TRIES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
"""Seconds to wait before each try to come again, when a connection is lost."""
LONGEST_FAREWELL = 500
"""Letters of the last words of a host."""


class Guest:
    """Comes again when the connection is lost: the token opens the same seat."""

    is_own = False

    def __init__(self, address: Address) -> None:
        self.address = address
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._is_over = False
        self._tries = iter(TRIES)

    def hurry(self) -> None:
        """Nothing is waited for here."""

    async def begin(self) -> None:
        """Come to the table; :meth:`receive` goes on trying where nobody listens just now."""
        with suppress(OSError):
            await self.connect()

    async def connect(self) -> None:
        """Come to the table. Raises OSError where nobody listens."""
        self._reader, self._writer = await asyncio.open_connection(
            self.address.host, self.address.port, limit=MOST_SHOWN
        )
        await write(self._writer, Hello(self.address.token, VERSION))

    async def send(self, request: Request) -> None:
        """What is sent into a lost connection is lost: the next screen shows how things stand."""
        if self._writer is not None:
            await write(self._writer, request)

    async def receive(self) -> Reply:
        """The next message to show. :class:`lusory.ui.session.protocol.Over` ends the match."""
        await asyncio.sleep(0)  # keys are heard even if a host never stops sending
        while not self._is_over:
            try:
                reply = None if self._reader is None else await read_reply(self._reader)
            except Broken as problem:
                self._is_over = True
                return Over(f"The host says what can't be understood: {problem}.")
            if isinstance(reply, Over):
                self._is_over = True
                return Over(reply.words[:LONGEST_FAREWELL])
            if reply is not None:
                self._tries = iter(TRIES)
                return reply
            if not await self._come_again():
                break
        self._is_over = True
        return Over("The connection to the host is lost.")

    async def _come_again(self) -> bool:
        """Connect again; False if that has failed, or has been followed by no message, too often."""
        for seconds in self._tries:
            await self.close()
            await asyncio.sleep(seconds)
            try:
                await self.connect()
            except OSError:
                continue
            return True
        return False

    async def close(self) -> None:
        """Go."""
        if self._writer is not None:
            await close(self._writer)
            self._reader = self._writer = None
