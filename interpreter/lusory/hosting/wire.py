"""Messages as lines of JSON over a stream. Whatever comes from the other side is a stranger's: bounded, held against
its type, and fit for a screen."""

from __future__ import annotations

import asyncio
import json
from typing import Any, TypeVar

from ..screen.panels import Grid, Map, Panel
from .data import NotData, from_json, to_json
from .messages import Reply, Request, Shown

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
