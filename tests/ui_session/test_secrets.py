"""Guests receive the same bytes whatever another seat does in secret.

Each test holds two games that differ only in a secret, records all messages that the others receive, and compares them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import pytest
from programs import bundled_game, checked, read_data

from lusory.belief.hidden_information_and_event_subjects import has_perfect_information
from lusory.explain.event_sentences import list_visible_events
from lusory.game import Game
from lusory.play.bot_takeover_and_pacing import BotPace
from lusory.play.match import Match
from lusory.state.events_redaction_and_text import remove_seats
from lusory.state.state import State
from lusory.ui.line.line_session import Person
from lusory.ui.model.screen import DONE
from lusory.ui.model.screen_builder import build_question
from lusory.ui.session.messages import LOCAL_HOST, VERSION, Ask, Hello, Take, encode_message
from lusory.ui.session.seat_requests_and_screens import MatchService
from lusory.ui.session.server import MatchServer
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

LIMIT = 60.0
QUESTIONS = (("log", ""), ("look", "P1"), ("look", "P2"))
NAMES = ("Ann", "Bob", "Cid", "Dan")


class Listener:
    """A guest that records what it receives, byte by byte."""

    def __init__(self, seat: int | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seat, self.reader, self.writer = seat, reader, writer
        self.lines: list[bytes] = []

    async def until(self, kind: bytes) -> bytes:
        while not (line := await asyncio.wait_for(self.reader.readline(), LIMIT)).startswith(b'{"is":"' + kind):
            assert line, "the connection is open"
            self.lines.append(line)
        self.lines.append(line)
        return line

    async def ask(self) -> None:
        """Ask about the table, and read all that comes before the last answer."""
        for number, (topic, words) in enumerate(QUESTIONS):
            self.writer.write(encode_message(Ask(number, topic, words)))  # type: ignore[arg-type]
            await self.until(b"Told")


Steps = Callable[[MatchServer, dict[int | None, Listener]], Awaitable[None]]


def received(match: Match, steps: Steps) -> dict[int | None, list[bytes]]:
    """Hold a match with a guest at each seat and a spectator. Returns the messages of each."""
    seats: list[int | None] = [*range(match.game.players), None]
    server = MatchServer(
        MatchService(match, NAMES[: match.game.players], str), {s: f"{s}" for s in seats}, {}, 100.0, str
    )

    async def play() -> dict[int | None, list[bytes]]:
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        holding = asyncio.create_task(server.serve_match(LOCAL_HOST, 0, ready.set_result))
        guests: dict[int | None, Listener] = {}
        for seat in seats:
            guests[seat] = Listener(seat, *await asyncio.open_connection(LOCAL_HOST, await ready, limit=1 << 24))
            guests[seat].writer.write(encode_message(Hello(f"{seat}", VERSION)))
        for guest in guests.values():  # all that tells who has come is read
            await guest.ask()
            guest.lines.clear()
        await steps(server, guests)
        for guest in guests.values():
            await guest.ask()
            guest.writer.close()
        holding.cancel()
        await asyncio.gather(holding, return_exceptions=True)
        return {seat: guest.lines for seat, guest in guests.items()}

    return asyncio.run(asyncio.wait_for(play(), LIMIT))


# ---------------------------------------------------------------- each way to choose in secret

RULES = DATA["rules"]

OPEN = {"m?": ("1",), "n?": ("3",)}
"""Prompts of open choices, which are answered the same in each game."""
SECRETS = DATA["secrets"]


def answers(random: Random, match: Match) -> tuple[str, ...]:
    """A random answer to the question of whoever decides."""
    decision = match.decision
    assert decision is not None
    question = build_question(match, match.game.view(match.state, decision.seat), NAMES[:2])
    assert question is not None
    ids = [option.id for option in question.options]
    if not question.several:
        return (random.choice(ids),)
    picked = sorted(random.sample(range(len(ids)), random.randint(question.least, question.most)))
    return (*(ids[number] for number in picked), DONE)


@pytest.mark.parametrize("secret", SECRETS)
def test_what_is_chosen_in_secret_changes_no_message_of_the_others(secret: str) -> None:
    game = Game(checked(RULES.replace("SECRET", SECRETS[secret])), 2)
    own, other = set(), []
    for seed in range(6):
        random = Random(seed)

        async def steps(server: MatchServer, guests: dict[int | None, Listener], random: Random = random) -> None:
            match = server.service.match
            while match.decision is not None and match.decision.seat == 0:
                prompt = game.prompt(match.state, match.decision)
                answer = OPEN.get(prompt) or answers(random, match)
                before = server.service.calculate_stamp(0)
                guests[0].writer.write(encode_message(Take(before, answer)))
                await guests[0].until(b"Shown")
                assert server.service.calculate_stamp(0) != before

        match = Match(game, [Person(seat, NAMES[seat]) for seat in range(2)], 1)
        got = received(match, steps)
        own.add(tuple(got[0]))
        other.append((got[1], got[None]))
    assert len(own) > 1, "the secret differs"
    assert all(one == other[0] for one in other)


class Looker(Person):
    """A player that looks at the table, as bots do that think."""

    looks = True


@pytest.mark.parametrize("secret", SECRETS)
def test_pauses_before_decisions_of_a_bot_do_not_tell_its_secret_picks(secret: str) -> None:
    game = Game(checked(RULES.replace("SECRET", SECRETS[secret])), 2)
    decisions, pauses = set(), set()
    for seed in range(6):
        random, pace = Random(seed), BotPace(1.0)
        match = Match(game, [Looker(seat, NAMES[seat]) for seat in range(2)], 1)
        shown = []
        while match.decision is not None:
            prompt = game.prompt(match.state, match.decision)
            if pace.is_shown(match):
                shown.append(prompt)
            match.take(0 if prompt in OPEN else random.randrange(len(match.decision.options)))
        decisions.add(len(match.turns))
        pauses.add(tuple(shown))
    assert len(decisions) > 1 or secret == "choose secret", "the number of picks differs"
    assert len(pauses) == 1


# ---------------------------------------------------------------- games that come with lusory


class Branch(NamedTuple):
    """A game after ``prefix``, in which ``path`` is decided. Options are given by number."""

    seed: int
    prefix: tuple[int, ...] = ()
    path: tuple[int, ...] = ()


def branch(game: Game, seed: int, prefix: tuple[int, ...], first: int, random: Random) -> Branch:
    """Take an option, and go on as long as the same choice of the same player goes on."""
    state = position(game, Branch(seed, prefix))[0]
    before = game.decision(state)
    assert before is not None
    path = [first]
    state = game.apply(state, first)
    while (now := game.decision(state)) is not None and (now.seat, now.site) == (before.seat, before.site):
        path.append(random.randrange(len(now.options)))
        state = game.apply(state, path[-1])
        if len(path) == 8:
            break
    return Branch(seed, prefix, tuple(path))


def position(game: Game, branch: Branch) -> tuple[State, list[Any]]:
    log: list[Any] = []
    state = game.start(branch.seed, log)
    for index in (*branch.prefix, *branch.path):
        state = game.apply(state, index, log)
    return state, log


def known(game: Game, branch: Branch, seat: int | None) -> str | None:
    """All that a seat knows of a position, and of how it came about; None where the game is over."""
    state, log = position(game, branch)
    if game.decision(state) is None:
        return None
    told = [remove_seats(event) for _, event in list_visible_events(Played(game, log), seat, range(len(log)))]
    return repr((game.view(state, seat).to_json(), told))


class Played(NamedTuple):
    """What :func:`lusory.explain.event_sentences.list_visible_events` needs of a match."""

    game: Game
    log: list[Any]


def alike(game: Game, one: Branch, other: Branch) -> list[int | None]:
    """The guests that can't tell two games from each other; none where nobody can."""
    seats: list[int | None] = [*range(game.players), None]
    same = [seat for seat in seats if (knows := known(game, one, seat)) and knows == known(game, other, seat)]
    return same if len(same) < len(seats) else []


def deals(game: Game) -> Iterator[tuple[Branch, Branch]]:
    """Games that may differ in what chance has hidden alone."""
    by_knowledge: dict[tuple[int | None, str | None], Branch] = {}
    for seed in range(60):
        for seat in (*range(game.players), None):
            other = by_knowledge.setdefault((seat, known(game, Branch(seed), seat)), Branch(seed))
            if other.seed != seed:
                yield other, Branch(seed)


def decisions(game: Game) -> Iterator[tuple[Branch, Branch]]:
    """Games that may differ in what somebody has decided in secret alone."""
    for seed in range(3):
        random, state, prefix = Random(seed), game.start(seed), ()
        while len(prefix) < 40 and (decision := game.decision(state)) is not None:
            options = range(len(decision.options))
            if len(options) > 1:
                first, second = random.sample(options, 2)
                yield branch(game, seed, prefix, first, random), branch(game, seed, prefix, second, random)
            prefix = (*prefix, random.choice(options))
            state = game.apply(state, prefix[-1])


def replayed(game: Game, branch: Branch) -> dict[int | None, list[bytes]]:
    """The messages that guests receive while the path of a branch is decided."""

    async def steps(server: MatchServer, guests: dict[int | None, Listener]) -> None:
        match = server.service.match
        for index in branch.path:
            assert match.decision is not None
            seat = match.decision.seat
            match.take(index)
            for guest in server.guests:
                guest.is_reply_due = guest.seat == seat
            server._mark_screens_changed()
            await guests[seat].until(b"Shown")
        for guest in server.guests:
            guest.is_reply_due = True
        server._mark_screens_changed()
        for listener in guests.values():
            await listener.until(b"Shown")

    people = [Person(seat, NAMES[seat]) for seat in range(game.players)]
    return received(Match(game, people, branch.seed, branch.prefix), steps)


DEALT = ("demesne", "engines-of-war", "hearts", "kuhn-poker", "leduc-poker", "love-letter")
DECIDED = ("empire-city", "empire-engine", "empires-end", "engines-of-war", "hearts")
"""Bundled games in which guests can know the same of different games."""


def test_every_bundled_game_with_secrets_is_compared() -> None:
    hiding = {name for name in find_bundled_rulesets() if not has_perfect_information(bundled_game(name, None))}
    assert hiding == {*DEALT, *DECIDED}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ways"),
    [
        *(pytest.param(name, deals, id=f"{name} dealt") for name in DEALT),
        *(pytest.param(name, decisions, id=f"{name} decided") for name in DECIDED),
    ],
)
def test_guests_who_know_the_same_receive_the_same(
    name: str, ways: Callable[[Game], Iterator[tuple[Branch, Branch]]]
) -> None:
    game = bundled_game(name, None)
    count = 0
    for one, other in ways(game):
        seats = alike(game, one, other)
        if not seats:
            continue
        messages, others = replayed(game, one), replayed(game, other)
        for seat in seats:
            assert messages[seat] == others[seat]
        count += 1
        if count == 2:
            break
    assert count, "some guests know the same of two games"
