"""Test a match over real connections: two seats, a spectator, lost connections, and strangers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from full_table import create_match
from programs import read_data, run_with

from lusory.explain.styled_text_wrapping_and_values import Run
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import DecisionNotSaved, Match
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.ui.model.screen import Screen
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.session import messages, server as server_module
from lusory.ui.session.match_service_answering_seat_requests import MatchService
from lusory.ui.session.server import MAX_CONNECTIONS_OF_ADDRESS, REQUESTS_AT_ONCE, MatchServer

DATA = read_data(__file__)

TOKENS: dict[int | None, str] = {0: "one", 1: "two", None: "all"}
NAMES = ("Ann", "Bob")
PATIENCE = 60
"""Time limit in seconds, long enough for a busy machine."""


class HostedMatch:
    """A hosted match, what the host said, and the guests who joined."""

    def __init__(self, match: Match, port: int, output: list[str]) -> None:
        self.match, self.port, self.output = match, port, output
        self.guests: list[messages.RemoteLink] = []

    async def join(self, token: str) -> messages.RemoteLink:
        guest = messages.RemoteLink(messages.Address(messages.LOCAL_HOST, self.port, token))
        await guest.connect()
        self.guests.append(guest)
        return guest


async def receive(guest: messages.RemoteLink, kind: type, predicate: Callable[[Any], bool] = lambda reply: True) -> Any:
    """Return the next reply of a kind that satisfies the predicate."""
    while not isinstance(reply := await asyncio.wait_for(guest.receive(), PATIENCE), kind) or not predicate(reply):
        assert not isinstance(reply, messages.Over), reply.words
    return reply


async def receive_change(guest: messages.RemoteLink, stamp: str) -> messages.Shown:
    """Return the next screen with another stamp."""
    return await receive(guest, messages.Shown, lambda reply: reply.stamp != stamp)


async def receive_end(guest: messages.RemoteLink) -> messages.Over:
    """Return the last reply."""
    while not isinstance(reply := await asyncio.wait_for(guest.receive(), PATIENCE), messages.Over):
        pass
    return reply


async def receive_question(guest: messages.RemoteLink) -> messages.Shown:
    """Return the next screen with a question, or the last screen."""
    return await receive(guest, messages.Shown, lambda reply: bool(reply.screen.question or reply.screen.ending))


def host_match(
    play_steps: Callable[[HostedMatch], Awaitable[None]],
    name: str = "kuhn-poker",
    patience: float = 30.0,
    seed: int = 3,
    kind: type[MatchService] = MatchService,
) -> HostedMatch:
    """Host a match of two people and run ``play_steps``. Assert that no task and no port stays open."""
    match, output = create_match(name, people=2, players=2, seed=seed), []
    bots = {seat: create_bot(RANDOM, seed, seat) for seat in range(2)}
    server = MatchServer(kind(match, NAMES, str), TOKENS, bots, patience, output.append)

    async def play() -> HostedMatch:
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        hosting = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, ready.set_result))
        table = HostedMatch(match, await ready, output)
        try:
            await asyncio.wait_for(play_steps(table), 2 * PATIENCE)
        finally:
            for guest in table.guests:
                await guest.close()
            hosting.cancel()
            await asyncio.gather(hosting, return_exceptions=True)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        assert not tasks, "nothing is left running"
        with pytest.raises(OSError):
            await asyncio.open_connection(messages.LOCAL_HOST, table.port)
        return table

    return asyncio.run(play())


def take_option(update: messages.Shown, index: int = 0) -> messages.Take:
    assert update.screen.question is not None
    return messages.Take(update.stamp, (update.screen.question.options[index].id,))


@run_with(host_match)
async def test_two_guests_play_a_game(table: HostedMatch) -> None:
    guests = [await table.join("one"), await table.join("two")]
    while table.match.decision is not None:
        guest = guests[table.match.decision.seat]
        update = await receive(guest, messages.Shown, lambda reply: reply.screen.question is not None)
        await guest.send(take_option(update))
        latest = await receive_change(guest, update.stamp)
        if latest.screen.ending is not None:
            guests.remove(guest)
    assert len(guests) == 1, "the guest who decided last has seen the end"
    for guest in guests:
        last = await receive(guest, messages.Shown, lambda reply: reply.screen.ending is not None)
        assert "win" in "".join(run.text for run in last.screen.ending.verdict)


@run_with(host_match)
async def test_guests_receive_the_screen_of_their_own_view(table: HostedMatch) -> None:
    for token, seat in (("one", 0), ("two", 1), ("all", None)):
        guest = await table.join(token)
        update = await receive(guest, messages.Shown)
        assert update.screen == build_screen(table.match, seat, NAMES)
    assert build_screen(table.match, 0, NAMES).panels != build_screen(table.match, 1, NAMES).panels


@run_with(host_match)
async def test_nobody_decides_for_another_or_twice(table: HostedMatch) -> None:
    ann, bob, spectator = [await table.join(token) for token in ("one", "two", "all")]
    seat = table.match.decision.seat
    player, opponent = (ann, bob) if seat == 0 else (bob, ann)
    update = await receive_question(player)
    for guest in (opponent, spectator):
        for request in (take_option(update), messages.Auto(update.stamp, "random")):
            await guest.send(request)
            refusal = await receive(guest, messages.Note)
            assert "not your turn" in refusal.words
    await player.send(messages.Take(update.stamp, ("no such thing",)))
    assert "can't be chosen" in (await receive(player, messages.Note)).words
    await player.send(take_option(update))
    await receive_change(player, update.stamp)
    await player.send(take_option(update))
    assert "not your turn" in (await receive(player, messages.Note)).words
    await player.send(messages.Undo(update.stamp))
    assert "meanwhile" in (await receive(player, messages.Note)).words
    assert len(table.match.turns) == 1


def test_lost_connection_returns_to_its_seat() -> None:
    async def play_steps(table: HostedMatch) -> None:
        guest = await table.join("one")
        first = await receive(guest, messages.Shown)
        assert guest._writer is not None
        guest._writer.transport.abort()
        later = await receive(guest, messages.Shown, lambda reply: reply is not first)
        assert later.screen.seat == 0

    table = host_match(play_steps)
    assert any("lost" in text for text in table.output)


def test_bot_replaces_a_lost_guest_until_it_returns() -> None:
    async def play_steps(table: HostedMatch) -> None:
        ann, bob = await table.join("one"), await table.join("two")
        seat = table.match.decision.seat
        (ann, bob)[seat]._writer.transport.abort()  # as if the process were killed
        decision_count = len(table.match.turns)
        while len(table.match.turns) == decision_count:
            await asyncio.sleep(0.01)
        guest = await table.join(TOKENS[seat])
        update = await receive(guest, messages.Shown)
        assert update.screen.seat == seat

    table = host_match(play_steps, "leduc-poker", patience=0.1)
    assert any("a bot plays on" in text for text in table.output)


@run_with(host_match, patience=1000.0)
async def test_bot_replaces_a_guest_who_leaves_at_once(table: HostedMatch) -> None:
    guests = [await table.join("one"), await table.join("two")]
    decision_count = len(table.match.turns)
    await guests[table.match.decision.seat].send(messages.Leave())
    while len(table.match.turns) == decision_count:
        await asyncio.sleep(0.01)


@run_with(host_match)
async def test_second_connection_with_a_token_takes_the_seat(table: HostedMatch) -> None:
    first, second = await table.join("one"), await table.join("one")
    await receive(second, messages.Shown)
    assert "elsewhere" in (await receive_end(first)).words


@run_with(host_match)
async def test_questions_are_answered_and_undo_is_for_own_decisions(table: HostedMatch) -> None:
    guests = [await table.join("one"), await table.join("two")]
    seat = table.match.decision.seat
    await receive_question(guests[seat])
    update = await receive(guests[1 - seat], messages.Shown)
    await guests[seat].send(messages.Ask(7, "log", ""))
    answer = await receive(guests[seat], messages.Told)
    assert answer.number == 7
    await guests[1 - seat].send(messages.Ask(8, "why", "anything"))
    answer = await receive(guests[1 - seat], messages.Told)
    assert "not your turn" in answer.lines[0][0].text
    await guests[1 - seat].send(messages.Undo(update.stamp))
    assert "nothing to take back" in (await receive(guests[1 - seat], messages.Note)).words


@pytest.mark.parametrize("line", DATA["strangers"])
@run_with(host_match)
async def test_strangers_are_disconnected_and_the_match_goes_on(table: HostedMatch, line: str) -> None:
    reader, writer = await asyncio.open_connection(messages.LOCAL_HOST, table.port)
    text = line.replace("VERSION", str(messages.VERSION)).replace("DEEP", "[" * 3000)
    writer.write(text.replace("LONG", "x" * (messages.MAX_REQUEST_BYTES + 10)).encode("latin-1"))
    reply = await asyncio.wait_for(reader.read(), PATIENCE)
    assert b"Shown" not in reply
    assert len(reply) < 400
    writer.close()
    await receive(await table.join("one"), messages.Shown)


@run_with(host_match)
async def test_token_with_odd_letters_is_unknown(table: HostedMatch) -> None:
    reader, writer = await asyncio.open_connection(messages.LOCAL_HOST, table.port)
    writer.write(f'{{"is": "Hello", "token": "é", "version": {messages.VERSION}}}\n'.encode())
    assert b"no such token" in await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()


@pytest.mark.parametrize("extra", [(), ("x",), ("done",)])
@run_with(host_match)
async def test_an_answer_of_the_wrong_length_is_refused(table: HostedMatch, extra: tuple[str, ...]) -> None:
    guest = (await table.join("one"), await table.join("two"))[table.match.decision.seat]
    take = take_option(await receive_question(guest))
    await guest.send(replace(take, answer=(*take.answer, *extra) if extra else ()))
    assert (await receive(guest, messages.Note)).words == "That can't be chosen."
    await guest.send(take)
    await receive(guest, messages.Shown, lambda reply: len(table.match.turns) == 1)


class FailingService(MatchService):
    """Raise an error for a question about ``bug``, and a fault of the rules for one about ``fault``."""

    def explain(self, seat: int | None, topic: messages.Topic, text: str, is_remote: bool = False) -> Any:
        if text == "bug":
            raise KeyError(text)
        if text == "fault":
            raise RulesetFault("it went wrong")
        return super().explain(seat, topic, text, is_remote)


class NoSecondScreen(MatchService):
    """Fail to make the screen of the second seat."""

    def create_screen(self, seat: int | None) -> Screen:
        if seat == 1:
            raise KeyError("bug")
        return super().create_screen(seat)


def test_guest_whose_request_fails_is_disconnected() -> None:
    async def play_steps(table: HostedMatch) -> None:
        ann, bob = await table.join("one"), await table.join("two")
        guest, opponent = (ann, bob) if table.match.decision.seat == 0 else (bob, ann)
        update = await receive_question(guest)
        await opponent.send(messages.Ask(1, "look", "bug"))
        assert "went wrong" in (await receive_end(opponent)).words
        await guest.send(take_option(update))
        await receive(guest, messages.Shown, lambda reply: len(table.match.turns) == 1)

    table = host_match(play_steps, kind=FailingService)
    assert any("KeyError" in text for text in table.output)


@run_with(host_match, kind=NoSecondScreen)
async def test_guest_whose_screen_fails_is_disconnected(table: HostedMatch) -> None:
    ann, bob = await table.join("one"), await table.join("two")
    assert "went wrong" in (await receive_end(bob)).words
    await receive(ann, messages.Shown)


@run_with(host_match, kind=FailingService)
async def test_ruleset_fault_in_an_answer_does_not_end_the_match(table: HostedMatch) -> None:
    guest = await table.join("one")
    await guest.send(messages.Ask(1, "look", "fault"))
    answer = await receive(guest, messages.Told)
    assert "it went wrong" in answer.lines[0][0].text
    await guest.send(messages.Ask(2, "log", ""))
    await receive(guest, messages.Told, lambda reply: reply.number == 2)


class BrokenService(MatchService):
    """Fail to make any screen."""

    def create_screen(self, seat: int | None) -> Screen:
        raise RulesetFault("it went wrong")


def test_ruleset_fault_in_a_screen_ends_the_match() -> None:
    match = create_match("kuhn-poker", people=2, players=2)
    server = MatchServer(BrokenService(match, NAMES, str), TOKENS, {}, 30.0, lambda text: None)

    async def play() -> None:
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        hosting = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, ready.set_result))
        guest = messages.RemoteLink(messages.Address(messages.LOCAL_HOST, await ready, "one"))
        await guest.connect()
        try:
            await asyncio.wait_for(hosting, PATIENCE)
        finally:
            await guest.close()

    with pytest.raises(RulesetFault):
        asyncio.run(play())


def test_failure_before_waiting_is_raised() -> None:
    async def play_steps(server: MatchServer) -> None:
        server._failure = RulesetFault("it went wrong")
        await asyncio.wait_for(server._wait(None), PATIENCE)

    match = create_match("kuhn-poker", people=2, players=2)
    with pytest.raises(RulesetFault):
        asyncio.run(play_steps(MatchServer(MatchService(match, NAMES, str), TOKENS, {}, 30.0, lambda text: None)))


def test_host_says_that_the_journal_is_not_saved() -> None:
    def sync() -> None:
        raise DecisionNotSaved("no room")

    output: list[str] = []

    async def play() -> None:
        match = create_match("kuhn-poker", people=2, players=2)
        server = MatchServer(MatchService(match, NAMES, str), TOKENS, {}, 30.0, output.append, sync)
        hosting = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, lambda port: None))
        async with asyncio.timeout(PATIENCE):
            while not any("no room" in text for text in output):
                await asyncio.sleep(0.01)
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)

    asyncio.run(play())


def test_host_says_once_that_the_journal_is_not_saved() -> None:
    def sync() -> None:
        raise DecisionNotSaved("no room")

    output: list[str] = []
    match = create_match("kuhn-poker", people=2, players=2)
    server = MatchServer(MatchService(match, NAMES, str), TOKENS, {}, 30.0, output.append, sync)
    for _ in range(3):
        server._sync()
    assert output == ["Not kept: no room"]


def test_answers_and_explanations_build_no_screen() -> None:
    class ScreenlessService(MatchService):
        def create_screen(self, seat: int | None) -> Screen:
            raise AssertionError("a question needs no table")

    match = create_match("kuhn-poker", people=2, players=2)
    service = ScreenlessService(match, NAMES, str)
    seat = service.deciding_seat
    question = build_screen(match, seat, NAMES).question
    assert question is not None
    assert service.explain(seat, "why", "anything")
    service.apply_answer(seat, service.calculate_stamp(seat), (question.options[0].id,))
    assert len(match.turns) == 1


@pytest.mark.parametrize(("text", "fields"), DATA["parse address"])
def test_parse_address(text: str, fields: list[Any] | None) -> None:
    address = None if fields is None else messages.Address(*fields)
    assert messages.parse_address(text) == address
    assert address is None or messages.parse_address(str(address)) == address


@run_with(host_match)
async def test_bot_decides_on_request(table: HostedMatch) -> None:
    guest = await table.join("one")
    update = await receive_question(guest)
    await guest.send(messages.Auto(update.stamp, "mcts:9"))
    note = await receive(guest, messages.Note)
    assert "can't play for you" in note.words
    await guest.send(messages.Auto(update.stamp, "random"))
    await receive(guest, messages.Shown, lambda reply: reply.stamp != update.stamp)


# ---------------------------------------------------------------- too much


async def open_connections(table: HostedMatch, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open ``count`` connections that send nothing."""
    return [await asyncio.open_connection(messages.LOCAL_HOST, table.port) for _ in range(count)]


@run_with(host_match)
async def test_strangers_keep_no_player_out(table: HostedMatch) -> None:
    strangers = await open_connections(table, 40)
    try:
        await receive(await table.join("one"), messages.Shown)
        oldest = strangers[: 40 - MAX_CONNECTIONS_OF_ADDRESS]
        for reader, _ in oldest:
            with suppress(ConnectionError):
                assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
    finally:
        for _, writer in strangers:
            writer.close()


def test_flood_of_questions_delays_no_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spectators share a limit. Beyond it they wait, while a player is answered."""
    monkeypatch.setattr(server_module, "REQUESTS_PER_SECOND", 0.001)

    async def play_steps(table: HostedMatch) -> None:
        flood = [await table.join("all") for _ in range(3)]
        for guest in flood:
            for number in range(100):
                await guest.send(messages.Ask(number, "log", ""))
        player = await table.join("one")
        await player.send(messages.Ask(7, "log", ""))
        await receive(player, messages.Told)
        answers = 0
        for guest in flood:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    while True:
                        answers += isinstance(await guest.receive(), messages.Told)
        assert answers <= REQUESTS_AT_ONCE

    host_match(play_steps)


class LongAnswerService(MatchService):
    """Answer a question with more bytes than an unread connection holds."""

    def explain(self, seat: int | None, topic: messages.Topic, text: str, is_remote: bool = False) -> Any:
        return ((Run("x" * 20_000_000),),)


def test_guests_who_read_nothing_delay_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host drops them long before a slow guest counts as lost."""
    monkeypatch.setattr(messages, "SEND_SECONDS", 2 * PATIENCE)

    async def play() -> None:
        match = create_match("kuhn-poker", people=2, players=2)
        server = MatchServer(LongAnswerService(match, NAMES, str), TOKENS, {}, 30.0, lambda text: None)
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        hosting = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, ready.set_result))
        guests = [messages.RemoteLink(messages.Address(messages.LOCAL_HOST, await ready, "all")) for _ in range(4)]
        for guest in guests:
            await guest.connect()
            await receive(guest, messages.Shown)
            guest._reader._transport.pause_reading()  # type: ignore[union-attr]
            await guest.send(messages.Ask(1, "rules", ""))
        while not all(guest.writer.transport.get_write_buffer_size() for guest in server.guests):
            await asyncio.sleep(0.01)
        hosting.cancel()
        await asyncio.wait_for(asyncio.gather(hosting, return_exceptions=True), PATIENCE)
        for guest in guests:
            guest._writer.transport.abort()  # type: ignore[union-attr]

    asyncio.run(play())


# ---------------------------------------------------------------- nobody at the table


def test_a_match_waits_while_no_player_is_connected() -> None:
    """No bot decides, and a spectator does not count. When one player returns the match goes on, and waits for the
    other again."""

    async def play_steps(table: HostedMatch) -> None:
        ann, bob, spectator = [await table.join(token) for token in ("one", "two", "all")]
        for guest in (ann, bob):
            await receive(guest, messages.Shown)
            await guest.close()
        while not any("the game waits" in text for text in table.output):
            await asyncio.sleep(0.01)
        note = await receive(spectator, messages.Shown, lambda reply: "the game waits" in reply.note)
        await asyncio.sleep(0.2)
        assert note.screen.ending is None
        assert not table.match.turns
        guest = await table.join(TOKENS[table.match.decision.seat])
        while (update := await receive_question(guest)).screen.ending is None:
            await guest.send(take_option(update))

    table = host_match(play_steps, patience=0.05)
    assert any("the game goes on" in text for text in table.output)
    assert any(text.endswith("wins.") for text in table.output)


@run_with(host_match, "leduc-poker")
async def test_a_match_waits_when_all_players_have_left(table: HostedMatch) -> None:
    for guest in (await table.join("one"), await table.join("two")):
        await guest.send(messages.Leave())
    while not any("the game waits" in text for text in table.output):
        await asyncio.sleep(0.01)
    decision_count = len(table.match.turns)
    await asyncio.sleep(0.2)
    assert len(table.match.turns) == decision_count
    assert table.match.decision is not None
