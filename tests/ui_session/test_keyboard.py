"""Test the link of people who share a keyboard."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest
from full_table import Files, create_game
from programs import build_program, read_data

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play import bot_deciding_for_a_person_and_pacing
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import BlindPlayer, Person
from lusory.ui.session.match_service_answering_seat_requests import MatchService, RequestDenied
from lusory.ui.session.messages import Auto, Take
from lusory.ui.session.same_process_link import LocalLink
from lusory.ui.session.server import run_in_thread

DATA = read_data(__file__)


class SlowBot(BlindPlayer):
    """Think until the test allows it to stop."""

    name = "ponderous"

    def __init__(self) -> None:
        self.thinks, self.may_stop, self.has_stopped = Event(), Event(), Event()

    def pick(self, option_count: int) -> int:
        self.thinks.set()
        self.may_stop.wait(60)
        self.has_stopped.set()
        return 0


@pytest.mark.parametrize("is_standing_in", [False, True])
def test_leaving_waits_for_no_bot_and_decides_nothing(is_standing_in: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowBot()
    monkeypatch.setattr(bot_deciding_for_a_person_and_pacing, "create_bot", lambda *arguments: slow)
    match = Match(create_game("tic-tac-toe", 2), [Person(0, "Ann"), slow], 1)
    link = LocalLink(MatchService(match, ["Ann", "Bob"], str), Files(), is_secretive=False)

    async def leave() -> None:
        await link.begin()
        update = await link.receive()
        request = asyncio.ensure_future(
            link.send(Auto(update.stamp, "bot") if is_standing_in else Take(update.stamp, ("a1",)))
        )
        while not slow.thinks.is_set():
            await asyncio.sleep(0.01)
        request.cancel()
        assert update

    asyncio.run(leave())
    assert not slow.has_stopped.is_set()
    decision_count = len(match.turns)
    link.leave()
    slow.may_stop.set()
    assert slow.has_stopped.wait(20)
    assert len(match.turns) == decision_count == (0 if is_standing_in else 1)


def test_run_in_thread_raises_the_exception_of_the_function() -> None:
    def fail() -> int:
        raise ValueError("so it is")

    async def call_in_thread() -> int:
        return await run_in_thread(fail)

    with pytest.raises(ValueError, match="so it is"):
        asyncio.run(call_in_thread())


RULES = DATA["rules"]


@pytest.mark.parametrize(
    ("picks", "label"), [(("soup", "cake"), "Soup, Cake"), (("fish", "done"), "Fish"), (("done",), "done")]
)
def test_undo_takes_back_all_picks_of_a_choice(picks: tuple[str, ...], label: str) -> None:
    match = Match(Game(build_program(RULES, "meal.yaml"), 2), [Person(0, "Ann"), Person(1, "Bob")], 1)
    service = MatchService(match, ("Ann", "Bob"), str)
    service.apply_answer(0, service.calculate_stamp(0), ("3",))
    assert to_text(service.describe_undo(0)) == "3"
    service.apply_answer(0, service.calculate_stamp(0), picks)
    assert to_text(service.describe_undo(0)) == label
    decision_count = len(match.turns)
    service.apply_answer(0, service.calculate_stamp(0), ("soup", "fish"))
    assert to_text(service.describe_undo(0)) == "Soup, Fish"
    service.undo(0, service.calculate_stamp(0))
    assert len(match.turns) == decision_count
    assert to_text(service.describe_redo()) == "Soup, Fish"
    service.redo(0, service.calculate_stamp(0))
    assert to_text(service.describe_undo(0)) == "Soup, Fish"
    service.apply_answer(0, service.calculate_stamp(0), ("cake", "done"))
    assert to_text(service.describe_undo(0)) == "Cake"
    service.undo(0, service.calculate_stamp(0))
    assert to_text(service.describe_redo()) == "Cake"
    service.undo(0, service.calculate_stamp(0))
    assert to_text(service.describe_undo(0)) == label
    stamp = service.calculate_stamp(0)
    service.undo(0, stamp)
    assert to_text(service.describe_redo()) == label
    with pytest.raises(RequestDenied, match="meanwhile"):
        service.redo(0, stamp)
    assert len(match.turns) == 1
    service.redo(0, service.calculate_stamp(0))
    assert len(match.turns) == decision_count
