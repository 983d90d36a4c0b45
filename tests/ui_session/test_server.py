"""A match over real connections on this machine: two seats, one spectator, one of them killed, strangers, secrets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from full_table import match_of
from programs import played_by, read_data

from lusory.explain.styled_text_wrapping_and_values import Run
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import DecisionNotSaved, Match
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.ui.model.screen import Screen
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.session import messages, server as server_module
from lusory.ui.session.seat_requests_and_screens import MatchService
from lusory.ui.session.server import MAX_CONNECTIONS_OF_ADDRESS, REQUESTS_AT_ONCE, MatchServer

DATA = read_data(__file__)

TOKENS: dict[int | None, str] = {0: "one", 1: "two", None: "all"}
NAMES = ("Ann", "Bob")
PATIENCE = 60
"""Seconds for what takes a moment, on a machine with much else to do."""


class Hosted:
    """A match that is held, and those who have joined it."""

    def __init__(self, match: Match, port: int, told: list[str]) -> None:
        self.match, self.port, self.told = match, port, told
        self.guests: list[messages.RemoteLink] = []

    async def join(self, token: str) -> messages.RemoteLink:
        guest = messages.RemoteLink(messages.Address(messages.LOCAL_HOST, self.port, token))
        await guest.connect()
        self.guests.append(guest)
        return guest


async def until(guest: messages.RemoteLink, wanted: Callable[[messages.Reply], bool]) -> Any:
    """The next reply of a sort."""
    while not wanted(reply := await asyncio.wait_for(guest.receive(), PATIENCE)):
        assert not isinstance(reply, messages.Over), reply.words
    return reply


async def after(guest: messages.RemoteLink, stamp: str) -> messages.Shown:
    """The next screen with another stamp."""
    return await until(guest, lambda r: isinstance(r, messages.Shown) and r.stamp != stamp)


async def over(guest: messages.RemoteLink) -> messages.Over:
    """The last reply."""
    while not isinstance(reply := await asyncio.wait_for(guest.receive(), PATIENCE), messages.Over):
        pass
    return reply


async def turn(guest: messages.RemoteLink) -> messages.Shown:
    """The next screen on which somebody is asked, or the last."""
    return await until(guest, lambda r: isinstance(r, messages.Shown) and bool(r.screen.question or r.screen.ending))


def hosted(
    steps: Callable[[Hosted], Awaitable[None]],
    name: str = "kuhn-poker",
    patience: float = 30.0,
    seed: int = 3,
    kind: type[MatchService] = MatchService,
) -> Hosted:
    """Hold a match of two people, and do something there. Nothing may be left running."""
    match, told = match_of(name, people=2, players=2, seed=seed), []
    bots = {seat: create_bot(RANDOM, seed, seat) for seat in range(2)}
    server = MatchServer(kind(match, NAMES, str), TOKENS, bots, patience, told.append)

    async def play() -> Hosted:
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        holding = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, ready.set_result))
        table = Hosted(match, await ready, told)
        try:
            await asyncio.wait_for(steps(table), 2 * PATIENCE)
        finally:
            for guest in table.guests:
                await guest.close()
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, "nothing is left running"
        with pytest.raises(OSError):
            await asyncio.open_connection(messages.LOCAL_HOST, table.port)
        return table

    return asyncio.run(play())


def taken(shown: messages.Shown, index: int = 0) -> messages.Take:
    assert shown.screen.question is not None
    return messages.Take(shown.stamp, (shown.screen.question.options[index].id,))


@played_by(hosted)
async def test_two_play_a_game_over_the_wire(table: Hosted) -> None:
    guests = [await table.join("one"), await table.join("two")]
    while table.match.decision is not None:
        guest = guests[table.match.decision.seat]
        shown = await until(guest, lambda r: isinstance(r, messages.Shown) and r.screen.question is not None)
        await guest.send(taken(shown))
        latest = await after(guest, shown.stamp)
        if latest.screen.ending is not None:
            guests.remove(guest)
    assert len(guests) == 1, "who decided last has seen the end"
    for guest in guests:
        last = await until(guest, lambda r: isinstance(r, messages.Shown) and r.screen.ending is not None)
        assert "win" in "".join(run.text for run in last.screen.ending.verdict)


@played_by(hosted)
async def test_what_goes_over_the_wire_is_what_the_seat_knows(table: Hosted) -> None:
    """To the letter: the screen of its view. Another's card is in none of its bytes."""
    for token, seat in (("one", 0), ("two", 1), ("all", None)):
        guest = await table.join(token)
        shown = await until(guest, lambda r: isinstance(r, messages.Shown))
        assert shown.screen == build_screen(table.match, seat, NAMES)
    assert build_screen(table.match, 0, NAMES).panels != build_screen(table.match, 1, NAMES).panels


@played_by(hosted)
async def test_nobody_decides_for_another_or_twice(table: Hosted) -> None:
    one, two, looks = [await table.join(token) for token in ("one", "two", "all")]
    asked = table.match.decision.seat
    player, other = (one, two) if asked == 0 else (two, one)
    shown = await turn(player)
    for guest in (other, looks):
        await guest.send(taken(shown))
        refusal = await until(guest, lambda r: isinstance(r, messages.Note))
        assert "not your turn" in refusal.words
    await player.send(messages.Take(shown.stamp, ("no such thing",)))
    assert "can't be chosen" in (await until(player, lambda r: isinstance(r, messages.Note))).words
    await player.send(taken(shown))
    await after(player, shown.stamp)
    await player.send(taken(shown))
    assert "not your turn" in (await until(player, lambda r: isinstance(r, messages.Note))).words
    await player.send(messages.Undo(shown.stamp))
    assert "meanwhile" in (await until(player, lambda r: isinstance(r, messages.Note))).words
    assert len(table.match.turns) == 1


def test_a_lost_connection_comes_again_to_the_same_seat() -> None:
    async def steps(table: Hosted) -> None:
        one = await table.join("one")
        first = await until(one, lambda r: isinstance(r, messages.Shown))
        assert one._writer is not None
        one._writer.transport.abort()
        again = await until(one, lambda r: isinstance(r, messages.Shown) and r is not first)
        assert again.screen.seat == 0

    table = hosted(steps)
    assert any("lost" in words for words in table.told)


def test_a_bot_takes_over_who_is_killed_and_gives_the_seat_back() -> None:
    async def steps(table: Hosted) -> None:
        one, two = await table.join("one"), await table.join("two")
        seat = table.match.decision.seat
        (one, two)[seat]._writer.transport.abort()  # as of a process that is killed
        made = len(table.match.turns)
        while len(table.match.turns) == made:
            await asyncio.sleep(0.01)
        back = await table.join(TOKENS[seat])
        shown = await until(back, lambda r: isinstance(r, messages.Shown))
        assert shown.screen.seat == seat

    table = hosted(steps, "leduc-poker", patience=0.1)
    assert any("a bot plays on" in words for words in table.told)


@played_by(hosted, patience=1000.0)
async def test_who_says_that_they_leave_is_not_waited_for(table: Hosted) -> None:
    guests = [await table.join("one"), await table.join("two")]
    made = len(table.match.turns)
    await guests[table.match.decision.seat].send(messages.Leave())
    while len(table.match.turns) == made:
        await asyncio.sleep(0.01)


@played_by(hosted)
async def test_who_comes_from_elsewhere_with_the_same_token_takes_the_seat(table: Hosted) -> None:
    first, second = await table.join("one"), await table.join("one")
    assert isinstance(await until(second, lambda r: isinstance(r, messages.Shown)), messages.Shown)
    assert "elsewhere" in (await over(first)).words


@played_by(hosted)
async def test_questions_are_answered_and_only_own_decisions_taken_back(table: Hosted) -> None:
    guests = [await table.join("one"), await table.join("two")]
    asked = table.match.decision.seat
    await turn(guests[asked])
    other = await until(guests[1 - asked], lambda r: isinstance(r, messages.Shown))
    await guests[asked].send(messages.Ask(7, "log", ""))
    answer = await until(guests[asked], lambda r: isinstance(r, messages.Told))
    assert answer.number == 7
    await guests[1 - asked].send(messages.Ask(8, "why", "anything"))
    answer = await until(guests[1 - asked], lambda r: isinstance(r, messages.Told))
    assert "not your turn" in answer.lines[0][0].text
    await guests[1 - asked].send(messages.Undo(other.stamp))
    assert "nothing to take back" in (await until(guests[1 - asked], lambda r: isinstance(r, messages.Note))).words


@pytest.mark.parametrize("line", DATA["strangers"])
@played_by(hosted)
async def test_strangers_are_shown_out_and_the_game_goes_on(table: Hosted, line: str) -> None:
    reader, writer = await asyncio.open_connection(messages.LOCAL_HOST, table.port)
    words = line.replace("VERSION", str(messages.VERSION)).replace("DEEP", "[" * 3000)
    writer.write(words.replace("LONG", "x" * (messages.MAX_REQUEST_BYTES + 10)).encode("latin-1"))
    said = await asyncio.wait_for(reader.read(), PATIENCE)
    assert b"Shown" not in said
    assert len(said) < 400
    writer.close()
    assert isinstance(await until(await table.join("one"), lambda r: isinstance(r, messages.Shown)), messages.Shown)


@played_by(hosted)
async def test_a_token_of_any_letters_is_only_unknown(table: Hosted) -> None:
    reader, writer = await asyncio.open_connection(messages.LOCAL_HOST, table.port)
    writer.write(f'{{"is": "Hello", "token": "é", "version": {messages.VERSION}}}\n'.encode())
    assert b"no such token" in await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()


@pytest.mark.parametrize("more", [(), ("x",), ("done",)])
@played_by(hosted)
async def test_an_answer_of_the_wrong_length_is_refused(table: Hosted, more: tuple[str, ...]) -> None:
    guest = (await table.join("one"), await table.join("two"))[table.match.decision.seat]
    right = taken(await turn(guest))
    await guest.send(replace(right, answer=(*right.answer, *more) if more else ()))
    assert (await until(guest, lambda reply: isinstance(reply, messages.Note))).words == "That can't be chosen."
    await guest.send(right)
    await until(guest, lambda reply: isinstance(reply, messages.Shown) and len(table.match.turns) == 1)


class Failing(MatchService):
    """Fails for a question about ``bug``, and with a fault of the rules for one about ``fault``."""

    def explain(self, seat: int | None, topic: messages.Topic, words: str, alone: bool = False) -> Any:
        if words == "bug":
            raise KeyError(words)
        if words == "fault":
            raise RulesetFault("it went wrong")
        return super().explain(seat, topic, words, alone)


class Unseen(MatchService):
    """Fails to make the screen of the second seat."""

    def create_screen(self, seat: int | None) -> Screen:
        if seat == 1:
            raise KeyError("bug")
        return super().create_screen(seat)


def test_a_guest_whose_request_fails_is_shown_out_and_the_others_play_on() -> None:
    async def steps(table: Hosted) -> None:
        one, two = await table.join("one"), await table.join("two")
        guest, other = (one, two) if table.match.decision.seat == 0 else (two, one)
        shown = await turn(guest)
        await other.send(messages.Ask(1, "look", "bug"))
        assert "went wrong" in (await over(other)).words
        await guest.send(taken(shown))
        await until(guest, lambda reply: isinstance(reply, messages.Shown) and len(table.match.turns) == 1)

    table = hosted(steps, kind=Failing)
    assert any("KeyError" in words for words in table.told)


@played_by(hosted, kind=Unseen)
async def test_a_guest_whose_screen_fails_is_shown_out_and_the_others_play_on(table: Hosted) -> None:
    one, two = await table.join("one"), await table.join("two")
    assert "went wrong" in (await over(two)).words
    assert isinstance(await until(one, lambda reply: isinstance(reply, messages.Shown)), messages.Shown)


@played_by(hosted, kind=Failing)
async def test_a_fault_of_the_rules_on_the_way_to_an_answer_does_not_end_the_match(table: Hosted) -> None:
    guest = await table.join("one")
    await guest.send(messages.Ask(1, "look", "fault"))
    answer = await until(guest, lambda reply: isinstance(reply, messages.Told))
    assert "it went wrong" in answer.lines[0][0].text
    await guest.send(messages.Ask(2, "log", ""))
    await until(guest, lambda reply: isinstance(reply, messages.Told) and reply.number == 2)


class Broken(MatchService):
    """Rules that go wrong when a screen is made."""

    def create_screen(self, seat: int | None) -> Screen:
        raise RulesetFault("it went wrong")


def test_a_screen_that_cannot_be_made_ends_the_match() -> None:
    match = match_of("kuhn-poker", people=2, players=2)
    server = MatchServer(Broken(match, NAMES, str), TOKENS, {}, 30.0, lambda words: None)

    async def play() -> None:
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        holding = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, ready.set_result))
        guest = messages.RemoteLink(messages.Address(messages.LOCAL_HOST, await ready, "one"))
        await guest.connect()
        try:
            await asyncio.wait_for(holding, PATIENCE)
        finally:
            await guest.close()

    with pytest.raises(RulesetFault):
        asyncio.run(play())


def test_what_went_wrong_before_somebody_waits_is_not_forgotten() -> None:
    async def steps(server: MatchServer) -> None:
        server._failure = RulesetFault("it went wrong")
        await asyncio.wait_for(server._wait(None), PATIENCE)

    match = match_of("kuhn-poker", people=2, players=2)
    with pytest.raises(RulesetFault):
        asyncio.run(steps(MatchServer(MatchService(match, NAMES, str), TOKENS, {}, 30.0, lambda words: None)))


def test_that_the_journal_is_not_on_the_disk_is_said() -> None:
    def sync() -> None:
        raise DecisionNotSaved("no room")

    told: list[str] = []

    async def play() -> None:
        match = match_of("kuhn-poker", people=2, players=2)
        server = MatchServer(MatchService(match, NAMES, str), TOKENS, {}, 30.0, told.append, sync)
        holding = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, lambda port: None))
        async with asyncio.timeout(PATIENCE):
            while not any("no room" in words for words in told):
                await asyncio.sleep(0.01)
        holding.cancel()
        await asyncio.gather(holding, return_exceptions=True)

    asyncio.run(play())


def test_that_the_journal_is_not_on_the_disk_is_said_once() -> None:
    def sync() -> None:
        raise DecisionNotSaved("no room")

    told: list[str] = []
    match = match_of("kuhn-poker", people=2, players=2)
    server = MatchServer(MatchService(match, NAMES, str), TOKENS, {}, 30.0, told.append, sync)
    for _ in range(3):
        server._sync()
    assert told == ["Not kept: no room"]


def test_nobody_makes_a_table_to_answer_or_ask_why() -> None:
    class Blind(MatchService):
        def create_screen(self, seat: int | None) -> Screen:
            raise AssertionError("a question needs no table")

    match = match_of("kuhn-poker", people=2, players=2)
    sitting = Blind(match, NAMES, str)
    seat = sitting.deciding_seat
    question = build_screen(match, seat, NAMES).question
    assert question is not None
    assert sitting.explain(seat, "why", "anything")
    sitting.apply_answer(seat, sitting.calculate_stamp(seat), (question.options[0].id,))
    assert len(match.turns) == 1


@pytest.mark.parametrize(("typed", "found"), DATA["addresses"])
def test_addresses(typed: str, found: list[Any] | None) -> None:
    address = None if found is None else messages.Address(*found)
    assert messages.parse_address(typed) == address
    assert address is None or messages.parse_address(str(address)) == address


@played_by(hosted)
async def test_a_bot_decides_for_who_asks_for_it(table: Hosted) -> None:
    guest = await table.join("one")
    shown = await turn(guest)
    await guest.send(messages.Auto(shown.stamp, "mcts:9"))
    note = await until(guest, lambda reply: isinstance(reply, messages.Note))
    assert "can't play for you" in note.words
    await guest.send(messages.Auto(shown.stamp, "random"))
    await until(guest, lambda reply: isinstance(reply, messages.Shown) and reply.stamp != shown.stamp)


# ---------------------------------------------------------------- too much


async def opened(table: Hosted, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """So many connections that say nothing."""
    return [await asyncio.open_connection(messages.LOCAL_HOST, table.port) for _ in range(count)]


@played_by(hosted)
async def test_strangers_do_not_keep_a_player_out(table: Hosted) -> None:
    strangers = await opened(table, 40)
    try:
        assert isinstance(await until(await table.join("one"), lambda r: isinstance(r, messages.Shown)), messages.Shown)
        oldest = strangers[: 40 - MAX_CONNECTIONS_OF_ADDRESS]
        for reader, _ in oldest:
            with suppress(ConnectionError):
                assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
    finally:
        for _, writer in strangers:
            writer.close()


def test_a_flood_of_questions_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once all spectators together have asked as much as they may, they wait, and a player is answered."""
    monkeypatch.setattr(server_module, "REQUESTS_PER_SECOND", 0.001)

    async def steps(table: Hosted) -> None:
        flood = [await table.join("all") for _ in range(3)]
        for guest in flood:
            for number in range(100):
                await guest.send(messages.Ask(number, "log", ""))
        one = await table.join("one")
        await one.send(messages.Ask(7, "log", ""))
        await until(one, lambda reply: isinstance(reply, messages.Told))
        answered = 0
        for guest in flood:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    while True:
                        answered += isinstance(await guest.receive(), messages.Told)
        assert answered <= REQUESTS_AT_ONCE

    hosted(steps)


class Wordy(MatchService):
    """Answers a question with more than a connection holds that nobody reads."""

    def explain(self, seat: int | None, topic: messages.Topic, words: str, alone: bool = False) -> Any:
        return ((Run("x" * 20_000_000),),)


def test_guests_who_read_nothing_do_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host gives up on them long before a slow guest counts as gone."""
    monkeypatch.setattr(messages, "SEND_SECONDS", 2 * PATIENCE)

    async def play() -> None:
        match = match_of("kuhn-poker", people=2, players=2)
        server = MatchServer(Wordy(match, NAMES, str), TOKENS, {}, 30.0, lambda words: None)
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        holding = asyncio.create_task(server.serve_match(messages.LOCAL_HOST, 0, ready.set_result))
        guests = [messages.RemoteLink(messages.Address(messages.LOCAL_HOST, await ready, "all")) for _ in range(4)]
        for guest in guests:
            await guest.connect()
            await until(guest, lambda r: isinstance(r, messages.Shown))
            guest._reader._transport.pause_reading()  # type: ignore[union-attr]
            await guest.send(messages.Ask(1, "rules", ""))
        while not all(guest.writer.transport.get_write_buffer_size() for guest in server.guests):
            await asyncio.sleep(0.01)
        holding.cancel()
        await asyncio.wait_for(asyncio.gather(holding, return_exceptions=True), PATIENCE)
        for guest in guests:
            guest._writer.transport.abort()  # type: ignore[union-attr]

    asyncio.run(play())


# ---------------------------------------------------------------- nobody at the table


def test_a_match_waits_while_no_player_is_connected() -> None:
    """No bot plays on, however long it takes, and a spectator does not count. Whoever comes back plays on; the other is
    waited for again."""

    async def steps(table: Hosted) -> None:
        one, two, looks = [await table.join(token) for token in ("one", "two", "all")]
        for guest in (one, two):
            await until(guest, lambda r: isinstance(r, messages.Shown))
            await guest.close()
        while not any("the game waits" in words for words in table.told):
            await asyncio.sleep(0.01)
        note = await until(looks, lambda r: isinstance(r, messages.Shown) and "the game waits" in r.note)
        await asyncio.sleep(0.2)
        assert note.screen.ending is None
        assert not table.match.turns
        back = await table.join(TOKENS[table.match.decision.seat])
        while (shown := await turn(back)).screen.ending is None:  # a bot plays on for the other, after a while
            await back.send(taken(shown))

    table = hosted(steps, patience=0.05)
    assert any("the game goes on" in words for words in table.told)
    assert any(words.endswith("wins.") for words in table.told)


@played_by(hosted, "leduc-poker")
async def test_a_match_waits_when_all_players_have_left(table: Hosted) -> None:
    for guest in (await table.join("one"), await table.join("two")):
        await guest.send(messages.Leave())
    while not any("the game waits" in words for words in table.told):
        await asyncio.sleep(0.01)
    made = len(table.match.turns)
    await asyncio.sleep(0.2)
    assert len(table.match.turns) == made
    assert table.match.decision is not None
