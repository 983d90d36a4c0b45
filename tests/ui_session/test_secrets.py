"""Test that guests receive the same bytes whatever another seat does in secret.

Each test plays two games that differ only in a secret, and compares all messages that the other guests receive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import pytest
from programs import build_program, create_bundled_game, read_data

from lusory.belief.hidden_information_and_event_subjects import has_perfect_information
from lusory.explain.event_sentences import list_visible_events
from lusory.game import Game
from lusory.play.bot_deciding_for_a_person_and_pacing import BotPace
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import DecisionTable, Person, TablePlayer
from lusory.state.events_redaction_and_text import remove_seats
from lusory.state.state import State
from lusory.ui.model.screen import DONE
from lusory.ui.model.screen_builder import build_question
from lusory.ui.session.match_service_answering_seat_requests import MatchService
from lusory.ui.session.messages import LOCAL_HOST, VERSION, Ask, Hello, Take, encode_message
from lusory.ui.session.server import MatchServer
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

LIMIT = 60.0
QUESTIONS = (("log", ""), ("look", "P1"), ("look", "P2"))
NAMES = ("Ann", "Bob", "Cid", "Dan")


class Listener:
    """A guest that records each line that it receives."""

    def __init__(self, seat: int | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seat, self.reader, self.writer = seat, reader, writer
        self.lines: list[bytes] = []

    async def read_until(self, kind: bytes) -> bytes:
        while not (line := await asyncio.wait_for(self.reader.readline(), LIMIT)).startswith(b'{"is":"' + kind):
            assert line, "the connection is open"
            self.lines.append(line)
        self.lines.append(line)
        return line

    async def ask(self) -> None:
        """Ask about the table, and read everything up to the last answer."""
        for number, (topic, text) in enumerate(QUESTIONS):
            self.writer.write(encode_message(Ask(number, topic, text)))  # type: ignore[arg-type]
            await self.read_until(b"Told")


Steps = Callable[[MatchServer, dict[int | None, Listener]], Awaitable[None]]


def record_messages(match: Match, play_steps: Steps) -> dict[int | None, list[bytes]]:
    """Host a match with a guest at each seat and a spectator. Return the messages that each received."""
    seats: list[int | None] = [*range(match.game.players), None]
    server = MatchServer(
        MatchService(match, NAMES[: match.game.players], str), {seat: f"{seat}" for seat in seats}, {}, 100.0, str
    )

    async def play() -> dict[int | None, list[bytes]]:
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        hosting = asyncio.create_task(server.serve_match(LOCAL_HOST, 0, ready.set_result))
        guests: dict[int | None, Listener] = {}
        for seat in seats:
            guests[seat] = Listener(seat, *await asyncio.open_connection(LOCAL_HOST, await ready, limit=1 << 24))
            guests[seat].writer.write(encode_message(Hello(f"{seat}", VERSION)))
        for guest in guests.values():  # read all messages about who has joined
            await guest.ask()
            guest.lines.clear()
        await play_steps(server, guests)
        for guest in guests.values():
            await guest.ask()
            guest.writer.close()
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        return {seat: guest.lines for seat, guest in guests.items()}

    return asyncio.run(asyncio.wait_for(play(), LIMIT))


# ---------------------------------------------------------------- each way to choose in secret

RULES = DATA["rules"]

PUBLIC_ANSWERS = {"m?": ("1",), "n?": ("3",)}
"""Prompts of public choices, and their answers, which are the same in each game."""
SECRETS = DATA["secrets"]


def choose_answer(rng: Random, match: Match) -> tuple[str, ...]:
    """Return a random answer for the seat that decides."""
    decision = match.decision
    assert decision is not None
    question = build_question(match.game.view(match.state, decision.seat), NAMES[:2])
    assert question is not None
    ids = [option.id for option in question.options]
    if not question.takes_several:
        return (rng.choice(ids),)
    picks = sorted(rng.sample(range(len(ids)), rng.randint(question.least, question.most)))
    return (*(ids[number] for number in picks), DONE)


@pytest.mark.parametrize("secret", SECRETS)
def test_secret_choices_change_no_message_of_others(secret: str) -> None:
    game = Game(build_program(RULES.replace("SECRET", SECRETS[secret])), 2)
    own_messages, other_messages = set(), []
    for seed in range(6):
        rng = Random(seed)

        async def play_steps(server: MatchServer, guests: dict[int | None, Listener], rng: Random = rng) -> None:
            match = server.service.match
            while match.decision is not None and match.decision.seat == 0:
                prompt = game.prompt(match.state, match.decision)
                answer = PUBLIC_ANSWERS.get(prompt) or choose_answer(rng, match)
                before = server.service.calculate_stamp(0)
                guests[0].writer.write(encode_message(Take(before, answer)))
                await guests[0].read_until(b"Shown")
                assert server.service.calculate_stamp(0) != before

        match = Match(game, [Person(seat, NAMES[seat]) for seat in range(2)], 1)
        messages_by_seat = record_messages(match, play_steps)
        own_messages.add(tuple(messages_by_seat[0]))
        other_messages.append((messages_by_seat[1], messages_by_seat[None]))
    assert len(own_messages) > 1, "the secret differs"
    assert all(messages == other_messages[0] for messages in other_messages)


class LookingPlayer(TablePlayer):
    """A player that looks at the table before it decides, as bots that search do."""

    name = "looking"

    def choose(self, table: DecisionTable) -> int:
        raise AssertionError("the test decides")


@pytest.mark.parametrize("secret", SECRETS)
def test_pauses_reveal_no_secret_picks(secret: str) -> None:
    game = Game(build_program(RULES.replace("SECRET", SECRETS[secret])), 2)
    decision_counts, pauses = set(), set()
    for seed in range(6):
        rng, pace = Random(seed), BotPace(1.0)
        match = Match(game, [LookingPlayer(), LookingPlayer()], 1)
        prompts = []
        while match.decision is not None:
            prompt = game.prompt(match.state, match.decision)
            if pace.is_shown(match):
                prompts.append(prompt)
            match.take(0 if prompt in PUBLIC_ANSWERS else rng.randrange(len(match.decision.options)))
        decision_counts.add(len(match.turns))
        pauses.add(tuple(prompts))
    assert len(decision_counts) > 1 or secret == "choose secret", "the number of picks differs"
    assert len(pauses) == 1


# ---------------------------------------------------------------- games that come with lusory


class Branch(NamedTuple):
    """A game in which the options of ``prefix`` were taken, and then those of ``path``."""

    seed: int
    prefix: tuple[int, ...] = ()
    path: tuple[int, ...] = ()


def take_branch(game: Game, seed: int, prefix: tuple[int, ...], first: int, rng: Random) -> Branch:
    """Take an option, then random ones while the same seat makes the same choice."""
    state = replay_branch(game, Branch(seed, prefix))[0]
    start = game.decision(state)
    assert start is not None
    path = [first]
    state = game.apply(state, first)
    while (decision := game.decision(state)) is not None and (decision.seat, decision.site) == (start.seat, start.site):
        path.append(rng.randrange(len(decision.options)))
        state = game.apply(state, path[-1])
        if len(path) == 8:
            break
    return Branch(seed, prefix, tuple(path))


def replay_branch(game: Game, branch: Branch) -> tuple[State, list[Any]]:
    log: list[Any] = []
    state = game.start(branch.seed, log)
    for index in (*branch.prefix, *branch.path):
        state = game.apply(state, index, log)
    return state, log


def list_known(game: Game, branch: Branch, seat: int | None) -> str | None:
    """Return what a seat knows of a position and of the events before it, or None if the game is over."""
    state, log = replay_branch(game, branch)
    if game.decision(state) is None:
        return None
    events = [remove_seats(event) for _, event in list_visible_events(EventLog(game, log), seat, range(len(log)))]
    return repr((game.view(state, seat).to_json(), events))


class EventLog(NamedTuple):
    """Has the attributes of a match that :func:`lusory.explain.event_sentences.list_visible_events` reads."""

    game: Game
    log: list[Any]


def find_equal_guests(game: Game, first: Branch, second: Branch) -> list[int | None]:
    """Return the guests that can't tell the two games apart. Return none if no guest can."""
    seats: list[int | None] = [*range(game.players), None]
    texts = {seat: list_known(game, first, seat) for seat in seats}
    same = [seat for seat, text in texts.items() if text and text == list_known(game, second, seat)]
    return same if len(same) < len(seats) else []


def pair_deals(game: Game) -> Iterator[tuple[Branch, Branch]]:
    """Yield pairs of games that some seat can't tell apart after the deal."""
    by_knowledge: dict[tuple[int | None, str | None], Branch] = {}
    for seed in range(60):
        for seat in (*range(game.players), None):
            branch = by_knowledge.setdefault((seat, list_known(game, Branch(seed), seat)), Branch(seed))
            if branch.seed != seed:
                yield branch, Branch(seed)


def pair_decisions(game: Game) -> Iterator[tuple[Branch, Branch]]:
    """Yield pairs of games in which a seat takes different options at one decision."""
    for seed in range(3):
        rng, state, prefix = Random(seed), game.start(seed), ()
        while len(prefix) < 40 and (decision := game.decision(state)) is not None:
            options = range(len(decision.options))
            if len(options) > 1:
                first, second = rng.sample(options, 2)
                yield take_branch(game, seed, prefix, first, rng), take_branch(game, seed, prefix, second, rng)
            prefix = (*prefix, rng.choice(options))
            state = game.apply(state, prefix[-1])


def record_path(game: Game, branch: Branch) -> dict[int | None, list[bytes]]:
    """Return the messages that guests receive while the options of a branch's path are taken."""

    async def play_steps(server: MatchServer, guests: dict[int | None, Listener]) -> None:
        match = server.service.match
        for index in branch.path:
            assert match.decision is not None
            seat = match.decision.seat
            match.take(index)
            for guest in server.guests:
                guest.is_reply_due = guest.seat == seat
            server._mark_screens_changed()
            await guests[seat].read_until(b"Shown")
        for guest in server.guests:
            guest.is_reply_due = True
        server._mark_screens_changed()
        for listener in guests.values():
            await listener.read_until(b"Shown")

    people = [Person(seat, NAMES[seat]) for seat in range(game.players)]
    return record_messages(Match(game, people, branch.seed, branch.prefix), play_steps)


GAMES_WITH_SECRET_DEALS = ("demesne", "engines-of-war", "hearts", "kuhn-poker", "leduc-poker", "love-letter")
GAMES_WITH_SECRET_DECISIONS = ("empire-city", "empire-engine", "empires-end", "engines-of-war", "hearts")
"""Bundled games with two deals, or two decisions, that some guests can't tell apart."""


def test_every_bundled_game_with_secrets_is_compared() -> None:
    names = {name for name in find_bundled_rulesets() if not has_perfect_information(create_bundled_game(name, None))}
    assert names == {*GAMES_WITH_SECRET_DEALS, *GAMES_WITH_SECRET_DECISIONS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "pair_games"),
    [
        *(pytest.param(name, pair_deals, id=f"{name} dealt") for name in GAMES_WITH_SECRET_DEALS),
        *(pytest.param(name, pair_decisions, id=f"{name} decided") for name in GAMES_WITH_SECRET_DECISIONS),
    ],
)
def test_guests_who_know_the_same_receive_the_same(
    name: str, pair_games: Callable[[Game], Iterator[tuple[Branch, Branch]]]
) -> None:
    game = create_bundled_game(name, None)
    count = 0
    for first, second in pair_games(game):
        seats = find_equal_guests(game, first, second)
        if not seats:
            continue
        first_messages, second_messages = record_path(game, first), record_path(game, second)
        for seat in seats:
            assert first_messages[seat] == second_messages[seat]
        count += 1
        if count == 2:
            break
    assert count, "some guests know the same of two games"
