"""The link of one seat to a match that somebody else holds."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from .address import Address
from .messages import VERSION, Hello, Over, Reply, Request
from .wire import MOST_SHOWN, Broken, close, read_reply, write

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
        """The next thing to show; :class:`lusory.hosting.messages.Over` once and for all where nothing more comes."""
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
