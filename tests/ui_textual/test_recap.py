"""The table stops at what happened while the player waited, and no key is lost."""

from __future__ import annotations

import pytest
from full_table import AtTable, sit

from lusory.ui.textual.recap_stops import LEAST_SENTENCES


async def until_recap(at: AtTable) -> None:
    """Take first options until the recap opens."""
    for _ in range(40):
        if at.app.recap.is_open:
            return
        await at.press("enter")
    raise AssertionError("no recap")


def test_a_recap_stays_until_a_key_and_can_be_shown_again() -> None:
    async def steps(at: AtTable) -> None:
        await until_recap(at)
        made = len(at.match.turns)
        assert "While you waited" in at.text("title") and "Enter: go on" in at.text("keys")
        assert at.text("options").count("P2") >= 1
        await at.press("enter")
        assert not at.app.recap.is_open and len(at.match.turns) == made, "Enter goes on and decides nothing"
        await at.press("f6")
        assert at.app.recap.is_open
        await at.press("f6")
        assert not at.app.recap.is_open

    sit(steps, "engines-of-war", recap="turn", seed=7)


def test_a_key_that_closes_the_recap_is_not_lost() -> None:
    async def steps(at: AtTable) -> None:
        await until_recap(at)
        await at.press("1")
        assert not at.app.recap.is_open
        assert at.app.chooser is not None and at.app.chooser.digits == "1"

    sit(steps, "engines-of-war", recap="turn", seed=7)


def test_the_table_stays_above_the_recap() -> None:
    async def steps(at: AtTable) -> None:
        await until_recap(at)
        assert at.app.sheet("table").size.height + at.app.sheet("players").size.height >= 8

    sit(steps, "engines-of-war", recap="turn", seed=7)


def test_r_sets_when_the_table_stops() -> None:
    async def steps(at: AtTable) -> None:
        await until_recap(at)
        for mode, words in (("round", "each round"), ("never", "no longer"), ("turn", "each turn")):
            await at.press("r")
            assert at.app.recap.mode == mode and words in at.text("keys")
            assert at.app.recap.is_open

    sit(steps, "engines-of-war", recap="turn", seed=7)


@pytest.mark.parametrize("recap", ["turn", "never"])
def test_a_short_turn_does_not_stop_the_player(recap: str) -> None:
    async def steps(at: AtTable) -> None:
        for _ in range(3):
            assert not at.app.recap.is_open
            await at.press("enter")
        assert at.app.shown is not None and len(at.app.shown.screen.story) < LEAST_SENTENCES

    sit(steps, "tic-tac-toe", recap=recap)  # type: ignore[arg-type]


def test_the_end_of_a_round_always_stops() -> None:
    async def steps(at: AtTable) -> None:
        assert at.app.shown is not None
        before = at.app.shown.screen.phase
        await until_recap(at)
        assert at.app.shown.screen.phase != before
        assert at.text("title").startswith("── Round 1 of 8 is over ─")

    sit(steps, "empire-engine", recap="round")
