"""A guest of a host that sends anything: it ends with a sentence, in bounded memory, and keys are heard."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from full_table import match_of
from textual import events

from lusory.commands.handlers import join
from lusory.ui.line import plain_output_and_terminal_checks
from lusory.ui.session import messages
from lusory.ui.session.messages import (
    LOCAL_HOST,
    MAX_REPLY_BYTES,
    MAX_SCREEN_CELLS,
    Address,
    Note,
    Over,
    RemoteLink,
    encode_message,
)
from lusory.ui.session.seat_requests_and_screens import MatchService
from lusory.ui.textual import replay_local_and_remote_sessions
from lusory.ui.textual.game_screen import TableApp
from lusory.ui.textual.terminal_and_signal_handling import Went

LIMIT = 60.0
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def screen(**changes: Any) -> bytes:
    """A screen with some fields replaced."""
    shown = json.loads(
        encode_message(MatchService(match_of("connect-four", people=2), ("Ann", "Bob"), str).create_screen_message(0))
    )
    shown["screen"] |= changes
    return json.dumps(shown).encode() + b"\n"


def with_host(serve: Serve, play: Callable[[RemoteLink], Awaitable[None]]) -> None:
    """Have a guest join a host that serves each connection so."""

    async def hold() -> None:
        server = await asyncio.start_server(serve, LOCAL_HOST, 0)
        guest = RemoteLink(Address(LOCAL_HOST, server.sockets[0].getsockname()[1], "token"))
        try:
            await asyncio.wait_for(play(guest), LIMIT)
        finally:
            await guest.close()
            server.close()

    asyncio.run(hold())


def sends(*data: bytes) -> Serve:
    """Send some bytes and wait until the guest goes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for some in data:
                writer.write(some)
                await writer.drain()
            await reader.read()
        except OSError:
            pass
        writer.close()

    return serve


FAR = {"cell": {"lines": [[{"text": "a"}]]}, "across": 10**9, "down": 10**9}
BROKEN_MAP = {"is": "Map", "place": "table", "title": "", "nodes": [FAR], "edges": [[0, 7], [-1, 10**9]]}

BAD: dict[str, bytes | dict[str, Any]] = {
    "too long": b'{"is":"Note","words":"' + b"x" * (MAX_REPLY_BYTES * 2),
    "deep": b"[" * 100_000 + b"\n",
    "no JSON": b"\x00\xff\x1b[2J\n",
    "a wrong kind": b'{"is":"Take","stamp":"","answer":[]}\n',
    "a wrong type": b'{"is":"Note","words":7}\n',
    "a number of many digits": b'{"is":"Told","number":' + b"9" * 10_000 + b',"lines":[]}\n',
    "a map without end": {"panels": [{**BROKEN_MAP, "edges": []}]},
    "a map with links to nothing": {"panels": [{**BROKEN_MAP, "nodes": []}]},
    "a screen too large": {"title": "x" * MAX_SCREEN_CELLS},
}
"""What the host sends, or the fields of a screen that it replaces."""


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_message_ends_it_with_a_sentence(name: str) -> None:
    async def play(guest: RemoteLink) -> None:
        await guest.begin()
        reply = await guest.receive()
        assert isinstance(reply, Over)
        assert reply.words.startswith("The host says what can't be understood")
        assert len(reply.words) < 400
        assert reply.words.isprintable()

    bad = BAD[name]
    with_host(sends(screen(**bad) if isinstance(bad, dict) else bad), play)


def test_control_characters_reach_no_screen_and_last_words_are_short() -> None:
    async def play(guest: RemoteLink) -> None:
        await guest.begin()
        note = await guest.receive()
        assert isinstance(note, Note)
        assert "\x1b" not in note.words
        over = await guest.receive()
        assert isinstance(over, Over)
        assert len(over.words) <= messages.MAX_FAREWELL_LENGTH

    with_host(sends(encode_message(Note("\x1b[2J\x07")), encode_message(Over("x" * 1_000_000))), play)


def test_a_host_that_only_closes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "RECONNECT_SECONDS", (0.0,) * 5)
    count = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        writer.close()

    async def play(guest: RemoteLink) -> None:
        guest._tries = iter(messages.RECONNECT_SECONDS)
        await guest.begin()
        assert isinstance(await guest.receive(), Over)
        assert count == 6

    with_host(serve, play)


@pytest.mark.parametrize("data", [b"", b'{"is":"No', encode_message(Note("again")) * 1000])
def test_keys_are_heard_whatever_the_host_does(data: bytes) -> None:
    """It sends nothing, half a message, or messages without end."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while len(data) > 100:
                writer.write(data)
                await writer.drain()
            await sends(data)(reader, writer)
        except OSError:
            pass

    async def play(guest: RemoteLink) -> None:
        app = TableApp(guest)
        async with app.run_test(size=(80, 24)) as pilot:
            app.post_message(events.Key("ctrl+c", None))
            while len(app.screen_stack) == 1 and app.is_running:
                await asyncio.sleep(0.01)
            app.exit()
            await pilot.pause()

    with_host(serve, play)


@pytest.mark.parametrize("is_raised", [True, False])
def test_a_screen_that_cannot_be_drawn_ends_join_with_a_sentence(
    is_raised: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def joined(guest: RemoteLink) -> Went:
        problem = IndexError("list index out of range")
        if is_raised:
            raise problem
        return Went("failed", failure=problem)

    async def reached(address: Address) -> None:
        pass

    monkeypatch.setattr(plain_output_and_terminal_checks, "can_show_full_screen", lambda: True)
    monkeypatch.setattr(replay_local_and_remote_sessions, "run_guest", joined)
    monkeypatch.setattr(join, "_check_connection", reached)
    assert join.run(argparse.Namespace(address="127.0.0.1:4653/token")) != 0
    assert "can't be displayed" in capsys.readouterr().err
