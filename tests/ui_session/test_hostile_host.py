"""Test that a guest of a hostile host ends with one sentence, uses limited memory, and still reacts to keys."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from full_table import create_match
from textual import events

from lusory.commands.handlers import join
from lusory.ui.line import plain_output_and_terminal_checks
from lusory.ui.session import messages
from lusory.ui.session.match_service_answering_seat_requests import MatchService
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
from lusory.ui.textual import replay_local_and_remote_sessions
from lusory.ui.textual.game_screen import TableApp
from lusory.ui.textual.terminal_and_signal_handling import TableResult

LIMIT = 60.0
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def encode_screen(**changes: Any) -> bytes:
    """Return an encoded screen in which some fields are replaced."""
    message = json.loads(
        encode_message(
            MatchService(create_match("connect-four", people=2), ("Ann", "Bob"), str).create_screen_message(0)
        )
    )
    message["screen"] |= changes
    return json.dumps(message).encode() + b"\n"


def join_host(serve: Serve, play: Callable[[RemoteLink], Awaitable[None]]) -> None:
    """Join a host that serves each connection with ``serve``, and run ``play`` as the guest."""

    async def connect() -> None:
        server = await asyncio.start_server(serve, LOCAL_HOST, 0)
        guest = RemoteLink(Address(LOCAL_HOST, server.sockets[0].getsockname()[1], "token"))
        try:
            await asyncio.wait_for(play(guest), LIMIT)
        finally:
            await guest.close()
            server.close()

    asyncio.run(connect())


def create_server(*data: bytes) -> Serve:
    """Return a handler that sends the data and waits until the guest leaves."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for chunk in data:
                writer.write(chunk)
                await writer.drain()
            await reader.read()
        except OSError:
            pass
        writer.close()

    return serve


FAR = {"cell": {"lines": [[{"text": "a"}]]}, "across": 10**9, "down": 10**9}
BROKEN_MAP = {"is": "Map", "place": "table", "title": "", "nodes": [FAR], "edges": [[0, 7], [-1, 10**9]]}

BAD_DATA: dict[str, bytes | dict[str, Any]] = {
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
"""Bytes that the host sends, or fields that it replaces in a screen."""


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_messages_end_the_guest_with_a_sentence(name: str) -> None:
    async def play(guest: RemoteLink) -> None:
        await guest.begin()
        reply = await guest.receive()
        assert isinstance(reply, Over)
        assert reply.words.startswith("The host says what can't be understood")
        assert len(reply.words) < 400
        assert reply.words.isprintable()

    data = BAD_DATA[name]
    join_host(create_server(encode_screen(**data) if isinstance(data, dict) else data), play)


def test_control_characters_are_removed_and_farewells_shortened() -> None:
    async def play(guest: RemoteLink) -> None:
        await guest.begin()
        note = await guest.receive()
        assert isinstance(note, Note)
        assert "\x1b" not in note.words
        over = await guest.receive()
        assert isinstance(over, Over)
        assert len(over.words) <= messages.MAX_FAREWELL_LENGTH

    join_host(create_server(encode_message(Note("\x1b[2J\x07")), encode_message(Over("x" * 1_000_000))), play)


def test_guest_gives_up_a_host_that_only_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "RECONNECT_SECONDS", (0.0,) * 5)
    count = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        writer.close()

    async def play(guest: RemoteLink) -> None:
        guest._retry_delays = iter(messages.RECONNECT_SECONDS)
        await guest.begin()
        assert isinstance(await guest.receive(), Over)
        assert count == 6

    join_host(serve, play)


@pytest.mark.parametrize("data", [b"", b'{"is":"No', encode_message(Note("again")) * 1000])
def test_keys_work_whatever_the_host_sends(data: bytes) -> None:
    """The host sends nothing, half a message, or endless messages."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while len(data) > 100:
                writer.write(data)
                await writer.drain()
            await create_server(data)(reader, writer)
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

    join_host(serve, play)


@pytest.mark.parametrize("is_raised", [True, False])
def test_join_reports_a_screen_that_cannot_be_drawn(
    is_raised: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_guest(guest: RemoteLink, has_touch: bool) -> TableResult:
        problem = IndexError("list index out of range")
        if is_raised:
            raise problem
        return TableResult("failed", failure=problem)

    async def connect(address: Address) -> None:
        pass

    monkeypatch.setattr(plain_output_and_terminal_checks, "can_show_full_screen", lambda: True)
    monkeypatch.setattr(replay_local_and_remote_sessions, "run_guest", run_guest)
    monkeypatch.setattr(join, "_check_connection", connect)
    assert join.run(argparse.Namespace(address="127.0.0.1:4653/token")) != 0
    assert "can't be displayed (IndexError)" in capsys.readouterr().err
