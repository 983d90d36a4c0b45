"""Bots that think while people do: with what their seat knows, in a process of its own, and nothing hangs on it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from multiprocessing import Pipe, active_children
from threading import Thread

import pytest
from full_table import game_of
from laws.reachable import reachable

import lusory.play.pondering
from lusory.play import foresight
from lusory.play.foresight import Answer, Foreseen, Foresight
from lusory.play.match import Match
from lusory.play.players import PlayerFails, bot
from lusory.play.pondering import Pondering, Task, Thought, pondering
from lusory.play.standing_in import thinking
from lusory.worlds.knowledge import Knowledge

SEED = 5


class Away:
    """A person, for whom a test decides."""

    looks = None
    name = "away"

    def resume(self, made: int) -> None:
        """Nothing to remember."""


def match_with(name: str, kind: str) -> Match:
    """One person, on the first seat, among bots of a kind."""
    game = game_of(name, 2)
    return Match(game, [Away(), *(bot(kind, SEED, seat) for seat in range(1, game.players))], SEED)


class Here:
    """Thinks ahead in this process, of all before anybody decides."""

    def __init__(self, match: Match, kind: str) -> None:
        self.match, self.kind, self.seats = match, kind, tuple(range(1, match.game.players))
        self.found: dict[object, Answer | None] = {}
        self.used = self.missed = self.since = 0

    def think(self, known: Mapping[int, tuple[Knowledge, int]]) -> None:
        self.found.clear()
        for seat, (knowledge, made) in known.items():
            self.since = len(knowledge.steps)
            player = bot(self.kind, SEED, seat)
            assert player.looks
            for one in Foresight(knowledge.copy(), player, made).answers():
                self.found[seat, one.steps] = one.answer

    def answer(self, seat: int, made: int, knowledge: Knowledge) -> Answer | None:
        found = self.found.get((seat, tuple(knowledge.steps[self.since :])))
        self.used, self.missed = self.used + (found is not None), self.missed + (found is None)
        return found


@pytest.mark.parametrize(("name", "kind", "least"), [("tic-tac-toe", "flat:24", 0.8), ("leduc-poker", "flat:30", 0.5)])
def test_what_is_foreseen_is_what_is_decided(name: str, kind: str, least: float) -> None:
    """The game is the one without it, and often enough it is foreseen."""
    games, ahead = [], None
    for foresees in (True, False):
        match = match_with(name, kind)
        if foresees:
            match.ahead = ahead = Here(match, kind)
        made = 0
        while (decision := match.advance()) is not None and made < 5:
            match.take(made * 5 % len(decision.options))
            made += 1
        games.append([turn.index for turn in match.turns])
    assert games[0] == games[1]
    assert ahead is not None
    assert ahead.used >= least * (ahead.used + ahead.missed) > 0


def test_no_more_is_thought_of_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight, "ANSWERS", 3)
    match = match_with("connect-four", "flat:8")
    player = bot("flat:8", SEED, 1)
    assert player.looks
    found = list(Foresight(match.knowledge(1), player, 0).answers())
    assert [one.answer is None for one in found] == [True, False] * 3


class Heard:
    """Keeps what it is told to think of."""

    seats = (1,)

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def think(self, known: Mapping[int, tuple[Knowledge, int]]) -> None:
        self.tasks.append(Task(len(self.tasks), known))

    def answer(self, seat: int, made: int, knowledge: Knowledge) -> Answer | None:
        return None


def test_the_process_is_told_what_seats_know_and_nothing_else() -> None:
    match, heard = match_with("leduc-poker", "flat:8"), Heard()
    match.ahead = heard
    match.advance()
    match.take(0)
    match.advance()
    public = (match.game, match.game.in_code, match.game.program)
    secret = {id(one) for state in (match.state, match.turns[0].before) for one in (state, state.cells, state.zones)}
    secret |= {id(match), id(match.log), id(match.turns)}
    assert len(heard.tasks) == 2
    assert not [way for way, one in reachable(heard.tasks, public) if id(one) in secret]
    heard.tasks.append(Task(0, {1: (match, 0)}))  # type: ignore[dict-item]
    assert [way for way, one in reachable(heard.tasks, public) if id(one) in secret]


@pytest.mark.parametrize("is_killed", [False, True])
def test_in_a_process_of_its_own(is_killed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it found is used; where it is gone the bot thinks for itself. It leaves with the match."""
    monkeypatch.setattr(lusory.play.pondering, "processors", lambda: 2)
    match = match_with("connect-four", "flat:60")
    with pondering(match, {0: "human", 1: "flat:60"}):
        (process,) = active_children()
        assert match.advance() is not None
        if is_killed:
            process.kill()
            process.join()
            match.think_ahead()
        match.take(3)
        until = time.monotonic() + 30
        while match.foreseen() is None and not is_killed and time.monotonic() < until:
            time.sleep(0.01)
        assert (match.foreseen() is None) is is_killed
        assert match.asked() == thinking(match, "flat:60")()
    assert not active_children()
    assert match.ahead is None


def test_what_came_to_nothing_is_waited_for_by_nobody() -> None:
    """An answer was begun, and there is none."""
    match, found = match_with("connect-four", "flat:60"), list[Answer | None]()
    knowledge = match.knowledge(1)
    ours, theirs = Pipe()
    with ours, theirs:
        ahead = Pondering((1, 2), ours)
        ahead.think({1: (knowledge, 0), 2: (knowledge, 0)})
        for thought in (Thought(1, 1, Foreseen((), None)), Thought(1, 1, None), Thought(1, 2, Foreseen((), (4, 60)))):
            theirs.send(thought)
        until = time.monotonic() + 30
        while ahead.answer(2, 0, knowledge) is None and time.monotonic() < until:
            time.sleep(0.01)
        asked = Thread(target=lambda: found.append(ahead.answer(1, 0, knowledge)), daemon=True)
        asked.start()
        asked.join(20)
        assert found == [None]


@pytest.mark.parametrize("problem", [ZeroDivisionError, PlayerFails, MemoryError])
def test_what_goes_wrong_there_ends_no_game(
    problem: type[Exception], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody waits for what was begun, nothing is written over the table, and the process thinks of what comes next."""

    class Failing(Foresight):
        def answers(self) -> Iterator[Foreseen]:
            for foreseen in super().answers():
                if self.made or foreseen.answer is None:
                    yield foreseen
            if not self.made:
                time.sleep(0.5)  # till then it is waited for
                raise problem

    monkeypatch.setattr(lusory.play.pondering, "processors", lambda: 2)
    monkeypatch.setattr(lusory.play.pondering, "Foresight", Failing)
    match, found = match_with("connect-four", "flat:60"), list[Answer]()
    with pondering(match, {0: "human", 1: "flat:60"}):
        match.advance()
        assert isinstance(match.ahead, Pondering)
        until = time.monotonic() + 30
        while len(match.ahead._found) < 7 and time.monotonic() < until:
            time.sleep(0.01)
        match.take(3)
        asked = Thread(target=lambda: found.append(match.asked()), daemon=True)
        asked.start()
        asked.join(60)
        assert found == [thinking(match, "flat:60")()]
        match.take(*found[0])
        match.advance()
        match.take(3)
        until = time.monotonic() + 30
        while match.foreseen() is None and time.monotonic() < until:
            time.sleep(0.01)
        assert match.foreseen() == thinking(match, "flat:60")()
    assert capfd.readouterr().err == ""


def test_who_does_not_think_needs_no_process() -> None:
    match = match_with("connect-four", "random")
    with pondering(match, {0: "human", 1: "random"}):
        assert match.ahead is None
        assert not active_children()
