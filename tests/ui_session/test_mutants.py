"""Mutated messages of guests never end a match."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

import pytest
from full_table import match_of

from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.ui.session import server
from lusory.ui.session.messages import LOCAL_HOST, VERSION
from lusory.ui.session.seat_requests_and_screens import MatchService
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
    """A guest that sends any bytes, and remembers the last screen that it was shown."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.shown: dict[str, Any] = {}
        self.is_open = False

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(LOCAL_HOST, self.port, limit=1 << 24)
        self.is_open = True
        await self.send({"is": "Hello", "token": self.token, "version": VERSION})

    async def send(self, message: Any) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.writer.write(data)

    async def hear(self, number: int) -> None:
        """Read until a question with this number is answered, or the connection ends."""
        await self.send({"is": "Ask", "number": number, "topic": "why", "words": ""})
        try:
            while line := await self.reader.readline():
                reply = json.loads(line)
                if reply["is"] == "Shown":
                    self.shown = reply
                elif reply["is"] == "Told" and reply["number"] == number:
                    return
        except OSError:
            pass
        self.is_open = False
        self.writer.close()


def request(random: Random, shown: dict[str, Any]) -> Any:
    """A request that fits what was shown."""
    screen = shown.get("screen", {})
    question = screen.get("question") or {"options": [{"id": "x"}]}
    ids = [option["id"] for option in question["options"]]
    stamp = shown.get("stamp", "")
    topic, words = random.choice(["look", "why", "log"]), random.choice([*ids, "P1", "Player:P1", "rules", ""])
    return random.choice(
        [
            {"is": "Take", "stamp": stamp, "answer": random.sample(ids, min(len(ids), random.choice([1, 1, 1, 2])))},
            {"is": "Take", "stamp": stamp, "answer": random.choice([[], ["done"], ids, [ids[0]] * 2])},
            {"is": "Ask", "number": random.randrange(9), "topic": topic, "words": words},
            {"is": "Auto", "stamp": stamp, "kind": "random"},
            {"is": random.choice(["Undo", "Redo"]), "stamp": stamp},
            {"is": "Save", "file": "x"},
            {"is": "Hello", "token": "one", "version": VERSION},
            {"is": "Leave"},
        ]
    )


def mutant(random: Random, shown: dict[str, Any]) -> bytes:
    """A request with up to two mutations, or without any."""
    message = request(random, shown)
    for _ in range(random.randrange(3)):
        key = random.choice([*message, "other"])
        match random.randrange(4):
            case 0:
                message.pop(key, None)
            case 1 if isinstance(message.get(key), list) and message[key]:
                message[key] = [*message[key], random.choice(ODD)]
            case _:
                message[key] = random.choice(ODD)
    line = bytearray(json.dumps(message).encode())
    if random.random() < 0.05:
        line[random.randrange(len(line))] = random.randrange(256)
    return bytes(line) + b"\n"


async def exchanged(random: Random, clients: list[Client]) -> int:
    """Have each client send some mutants and read what comes of them. Returns how many were sent."""
    count = 0
    for client in clients:
        if not client.is_open:
            await client.open()
            await client.hear(-1)
        for _ in range(random.randrange(1, 6)):
            await client.send(mutant(random, client.shown))
            count += 1
    for client in clients:
        await client.hear(-1)
    return count


async def sent(name: str, seed: int, messages: int) -> tuple[int, list[str]]:
    """Hold a match and send up to so many mutants. Returns how many were sent, and what the host said."""
    random, told = Random(seed), []
    match = match_of(name, people=2, players=2, seed=seed)
    bots = {seat: create_bot(RANDOM, seed, seat) for seat in range(2)}
    host = MatchServer(MatchService(match, ("Ann", "Bob"), str), TOKENS, bots, 1000.0, told.append)
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    holding = asyncio.create_task(host.serve_match(LOCAL_HOST, 0, ready.set_result))
    clients = [Client(await ready, token) for token in TOKENS.values()]
    count = 0
    while count < messages and match.decision is not None:
        try:
            count += await exchanged(random, clients)
        except OSError:  # the game is over and nobody was left, so the host has closed
            assert match.decision is None
        assert not holding.done() or match.decision is None, holding.exception()
    for client in clients:
        client.writer.close()
    holding.cancel()
    await asyncio.gather(holding, return_exceptions=True)
    return count, told


@pytest.mark.parametrize("name", MESSAGES)
def test_no_message_ends_a_match(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUESTS_PER_SECOND", 1e9)

    async def play() -> None:
        count = seed = 0
        while count < MESSAGES[name]:
            more, told = await sent(name, seed, MESSAGES[name] - count)
            count, seed = count + more, seed + 1
            assert not [words for words in told if "shown out" in words]

    asyncio.run(asyncio.wait_for(play(), PATIENCE))
