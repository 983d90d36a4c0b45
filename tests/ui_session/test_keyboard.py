"""The link of people at one keyboard: who leaves does not wait for a bot that thinks."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest
from full_table import Files, game_of
from programs import checked, read_data

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play import bot_takeover_and_pacing
from lusory.play.match import Match
from lusory.ui.line.line_session import Person
from lusory.ui.session.messages import Auto, Take
from lusory.ui.session.same_process_link import LocalLink
from lusory.ui.session.seat_requests_and_screens import MatchService
from lusory.ui.session.server import run_in_thread

DATA = read_data(__file__)


class Ponderous:
    """Thinks until it may stop."""

    looks = False
    name = "ponderous"

    def __init__(self) -> None:
        self.thinks, self.may_stop, self.has_stopped = Event(), Event(), Event()

    def resume(self, made: int) -> None:
        """It has no plan."""

    def pick(self, options: int) -> int:
        self.thinks.set()
        self.may_stop.wait(60)
        self.has_stopped.set()
        return 0


@pytest.mark.parametrize("is_standing_in", [False, True])
def test_who_leaves_waits_for_nobody_and_nothing_is_decided_then(
    is_standing_in: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Ponderous()
    monkeypatch.setattr(bot_takeover_and_pacing, "create_bot", lambda *given: slow)
    match = Match(game_of("tic-tac-toe", 2), [Person(0, "Ann"), slow], 1)  # type: ignore[list-item]
    link = LocalLink(MatchService(match, ["Ann", "Bob"], str), Files(), secretive=False)

    async def leave() -> None:
        await link.begin()
        shown = await link.receive()
        asked = asyncio.ensure_future(
            link.send(Auto(shown.stamp, "bot") if is_standing_in else Take(shown.stamp, ("a1",)))
        )
        while not slow.thinks.is_set():
            await asyncio.sleep(0.01)
        asked.cancel()
        assert shown

    asyncio.run(leave())
    assert not slow.has_stopped.is_set()
    made = len(match.turns)
    link.leave()
    slow.may_stop.set()
    assert slow.has_stopped.wait(20)
    assert len(match.turns) == made == (0 if is_standing_in else 1)


def test_what_is_raised_there_is_raised() -> None:
    def fails() -> int:
        raise ValueError("so it is")

    async def waits() -> int:
        return await run_in_thread(fails)

    with pytest.raises(ValueError, match="so it is"):
        asyncio.run(waits())


RULES = DATA["rules"]


@pytest.mark.parametrize(
    ("dishes", "told"), [(("soup", "cake"), "Soup, Cake"), (("fish", "done"), "Fish"), (("done",), "done")]
)
def test_all_that_was_picked_is_what_would_be_taken_back(dishes: tuple[str, ...], told: str) -> None:
    match = Match(Game(checked(RULES, "meal.yaml"), 2), [Person(0, "Ann"), Person(1, "Bob")], 1)
    sitting = MatchService(match, ("Ann", "Bob"), str)
    sitting.apply_answer(0, sitting.calculate_stamp(0), ("3",))
    assert to_text(sitting.describe_undo(0)) == "3"
    sitting.apply_answer(0, sitting.calculate_stamp(0), dishes)
    assert to_text(sitting.describe_undo(0)) == told
    made = len(match.turns)
    sitting.apply_answer(0, sitting.calculate_stamp(0), ("soup", "fish"))
    assert to_text(sitting.describe_undo(0)) == "Soup, Fish"
    sitting.undo(0, sitting.calculate_stamp(0))
    assert len(match.turns) == made
    assert to_text(sitting.describe_redo()) == "Soup, Fish"
    sitting.redo(0, sitting.calculate_stamp(0))
    assert to_text(sitting.describe_undo(0)) == "Soup, Fish"
    sitting.apply_answer(0, sitting.calculate_stamp(0), ("cake", "done"))
    assert to_text(sitting.describe_undo(0)) == "Cake"
    sitting.undo(0, sitting.calculate_stamp(0))
    assert to_text(sitting.describe_redo()) == "Cake"
    sitting.undo(0, sitting.calculate_stamp(0))
    assert to_text(sitting.describe_undo(0)) == told
    sitting.undo(0, sitting.calculate_stamp(0))
    assert to_text(sitting.describe_redo()) == told
    assert len(match.turns) == 1
    sitting.redo(0, sitting.calculate_stamp(0))
    assert len(match.turns) == made


def test_a_payment_that_the_game_decides_is_taken_back_by_the_name_of_what_it_pays() -> None:
    rules = DATA["a payment that the game decides is taken back by the name of what it pays"]
    match = Match(Game(checked(rules, "shop.yaml"), 1), [Person(0, "Ann")], 1)
    sitting = MatchService(match, ("Ann",), str)
    for answer in ("sell", "any"):
        sitting.apply_answer(0, sitting.calculate_stamp(0), (answer,))
    assert to_text(sitting.describe_undo(0)) == "Sell ores · Let the game decide"
