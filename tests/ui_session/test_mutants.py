"""Test that mutated messages of guests never end a match."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

import pytest
from full_table import create_match

from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.ui.session import server
from lusory.ui.session.match_service_answering_seat_requests import MatchService
from lusory.ui.session.messages import LOCAL_HOST, VERSION
from lusory.ui.session.server import MatchServer

MESSAGES = {"demesne": 150, "love-letter": 250, "kuhn-poker": 400}
"""Mutated messages for each game."""
TOKENS: dict[int | None, str] = {0: "one", 1: "two", None: "all"}
PATIENCE = 60.0
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 3, 2**63, -(2**63), 10**4000, 0.5, 1e308, float("nan"), float("inf")),
    *(
        "",
        "x",
        "done",
        "\0",
        "\ud800",
        "é" * 300,
        "a" * 5000,
        "{me}",
        "%s",
        "../../etc/passwd",
        "P1",
        "Player:P1",
        "?:x",
    ),
    *("look", "why", "rules", "log", "hint", "random", "human", "replay:/etc/passwd", "Take", "Undo", "Screen"),
    *([], {}, [[]], [None], ["x", "x"], ["done"], {"is": "Take"}, [1, 2], [[[[[[[[]]]]]]]]),
]


class Client:
    """A guest that sends any bytes and keeps the last screen that it received."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.update: dict[str, Any] = {}
        self.is_open = False

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(LOCAL_HOST, self.port, limit=1 << 24)
        self.is_open = True
        await self.send({"is": "Hello", "token": self.token, "version": VERSION})

    async def send(self, message: Any) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.writer.write(data)

    async def read_reply(self, number: int) -> None:
        """Read until the question with this number is answered, or the connection ends."""
        await self.send({"is": "Ask", "number": number, "topic": "why", "words": ""})
        try:
            while line := await self.reader.readline():
                reply = json.loads(line)
                if reply["is"] == "Shown":
                    self.update = reply
                elif reply["is"] == "Told" and reply["number"] == number:
                    return
        except OSError:
            pass
        self.is_open = False
        self.writer.close()


def create_request(rng: Random, update: dict[str, Any]) -> Any:
    """Return a random request that fits the screen."""
    screen = update.get("screen", {})
    question = screen.get("question") or {"options": [{"id": "x"}]}
    ids = [option["id"] for option in question["options"]]
    stamp = update.get("stamp", "")
    topic, text = rng.choice(["look", "why", "log"]), rng.choice([*ids, "P1", "Player:P1", "rules", ""])
    return rng.choice(
        [
            {"is": "Take", "stamp": stamp, "answer": rng.sample(ids, min(len(ids), rng.choice([1, 1, 1, 2])))},
            {"is": "Take", "stamp": stamp, "answer": rng.choice([[], ["done"], ids, [ids[0]] * 2])},
            {"is": "Ask", "number": rng.randrange(9), "topic": topic, "words": text},
            {"is": "Auto", "stamp": stamp, "kind": "random"},
            {"is": rng.choice(["Undo", "Redo"]), "stamp": stamp},
            {"is": "Save", "file": "x"},
            {"is": "Hello", "token": "one", "version": VERSION},
            {"is": "Leave"},
        ]
    )


def create_mutant(rng: Random, update: dict[str, Any]) -> bytes:
    """Return a request with at most two mutated fields, and sometimes one mutated byte."""
    message = create_request(rng, update)
    for _ in range(rng.randrange(3)):
        key = rng.choice([*message, "other"])
        match rng.randrange(4):
            case 0:
                message.pop(key, None)
            case 1 if isinstance(message.get(key), list) and message[key]:
                message[key] = [*message[key], rng.choice(ODD)]
            case _:
                message[key] = rng.choice(ODD)
    line = bytearray(json.dumps(message).encode())
    if rng.random() < 0.05:
        line[rng.randrange(len(line))] = rng.randrange(256)
    return bytes(line) + b"\n"


async def exchange_mutants(rng: Random, clients: list[Client]) -> int:
    """Let each client send some mutants and read the replies. Return the number of mutants."""
    count = 0
    for client in clients:
        if not client.is_open:
            await client.open()
            await client.read_reply(-1)
        for _ in range(rng.randrange(1, 6)):
            await client.send(create_mutant(rng, client.update))
            count += 1
    for client in clients:
        await client.read_reply(-1)
    return count


async def host_and_send(name: str, seed: int, messages: int) -> tuple[int, list[str]]:
    """Host a match and send about ``messages`` mutants. Return the number sent, and what the host said."""
    rng, output = Random(seed), []
    match = create_match(name, people=2, players=2, seed=seed)
    bots = {seat: create_bot(RANDOM, seed, seat) for seat in range(2)}
    host = MatchServer(MatchService(match, ("Ann", "Bob"), str), TOKENS, bots, 1000.0, output.append)
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    hosting = asyncio.create_task(host.serve_match(LOCAL_HOST, 0, ready.set_result))
    clients = [Client(await ready, token) for token in TOKENS.values()]
    count = 0
    while count < messages and match.decision is not None:
        try:
            count += await exchange_mutants(rng, clients)
        except OSError:  # the game is over, so the host has closed
            assert match.decision is None
        assert not hosting.done() or match.decision is None, hosting.exception()
    for client in clients:
        client.writer.close()
    hosting.cancel()
    await asyncio.gather(hosting, return_exceptions=True)
    return count, output


@pytest.mark.parametrize("name", MESSAGES)
def test_no_message_ends_a_match(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUESTS_PER_SECOND", 1e9)

    async def play() -> None:
        count = seed = 0
        while count < MESSAGES[name]:
            mutants, output = await host_and_send(name, seed, MESSAGES[name] - count)
            count, seed = count + mutants, seed + 1
            assert not [line for line in output if "shown out" in line]

    asyncio.run(asyncio.wait_for(play(), PATIENCE))
