"""The start page offers ways to start a game, the recommended one with a single key."""

from __future__ import annotations

import pytest
from full_table import LARGE, SMALL, AtTable, program, sit

from lusory.ui.model.game_introduction_page import SetUps
from lusory.ui.textual.dialogs_start_page_and_descriptions import Page, Question, StartPage, describe_company


def recommended(current: int | None, is_default: bool = True) -> SetUps:
    page = program("draft").printed.start_page
    assert page is not None
    return SetUps(page.recommended, current, is_default)


def test_the_start_page_comes_first_and_f1_shows_it_again() -> None:
    async def steps(at: AtTable) -> None:
        assert isinstance(at.app.screen, StartPage)
        for words in ("Your aim", "How it goes", "Good to know", "Set-up"):
            assert words in at.text("words")
        assert "Enter: start" in at.text("keys")
        await at.press("enter")
        assert not isinstance(at.app.screen, Page) and not at.match.turns
        await at.press("f1")
        assert "Your aim" in at.text("words") and "Ctrl-Z" in at.text("words")

    sit(steps, "empire-engine", introduced=True)


@pytest.mark.parametrize("size", [SMALL, LARGE, (60, 20)])
def test_the_ways_to_start_are_always_visible(size: tuple[int, int]) -> None:
    async def steps(at: AtTable) -> None:
        sheet = at.app.screen.query_one("#starts")
        assert sheet.region.bottom <= size[1] - 1
        assert at.text("starts").splitlines()[0].startswith("▸1 Recommended")

    sit(steps, "draft", size, introduced=True, set_ups=recommended(0))


def test_enter_answers_the_questions_of_the_set_up() -> None:
    async def steps(at: AtTable) -> None:
        await at.press("enter")
        assert [turn.index for turn in at.match.turns if turn.seat == 0] == [0, 0]
        assert "What do you take?" in at.text("title")
        await at.press("enter")
        assert len([turn for turn in at.match.turns if turn.seat == 0]) == 3, "later questions are the player's"

    sit(steps, "draft", introduced=True, set_ups=recommended(0))


def test_another_line_asks_all_questions() -> None:
    async def steps(at: AtTable) -> None:
        await at.press("2")
        assert isinstance(at.app.screen, StartPage), "a number highlights"
        await at.press("2")
        assert not isinstance(at.app.screen, StartPage) and not at.match.turns
        assert "Which guild do you join?" in at.text("title")

    sit(steps, "draft", introduced=True, set_ups=recommended(0))


def test_another_game_ends_this_one() -> None:
    async def steps(at: AtTable) -> None:
        assert at.text("starts").splitlines()[2] == " 3 A long game"
        await at.press("3", "enter")
        went = at.app.return_value
        assert went is not None and went.how == "set up" and went.game is not None
        assert went.game.options == {"days": 5} and went.is_quick

    sit(steps, "draft", introduced=True, set_ups=recommended(0))


def test_the_first_recommended_game_replaces_the_default_one() -> None:
    async def steps(at: AtTable) -> None:
        await at.press("enter")
        went = at.app.return_value
        assert went is not None and went.how == "set up" and went.game is not None and went.game.name == "A first game"

    sit(steps, "draft", introduced=True, set_ups=recommended(None))


def test_a_game_that_the_user_chose_comes_first() -> None:
    async def steps(at: AtTable) -> None:
        assert "A first game" not in at.text("starts").splitlines()[0]
        await at.press("2", "2")
        assert "Which guild do you join?" in at.text("title")

    sit(steps, "draft", introduced=True, set_ups=recommended(None, is_default=False))


def test_pages_opened_from_the_start_page_return_to_it_and_no_key_skips_it() -> None:
    async def steps(at: AtTable) -> None:
        for key in ("f5", "f7", "f2"):
            await at.press(key)
            assert not isinstance(at.app.screen, StartPage) and isinstance(at.app.screen, Page)
            await at.press("escape")
            assert isinstance(at.app.screen, StartPage), key
        await at.press("x", "left", "f6", "f9", "tab", "backspace", "space")
        assert isinstance(at.app.screen, StartPage)
        await at.press("escape")
        assert isinstance(at.app.screen, Question), "it asks whether to leave"
        await at.press("escape")
        assert isinstance(at.app.screen, StartPage) and not at.match.turns

    sit(steps, "empire-engine", introduced=True)


def test_the_start_page_tells_the_players_of_the_highlighted_game() -> None:
    games = program("empires-end").printed.start_page

    async def steps(at: AtTable) -> None:
        assert "You play as P1 against P2" in at.text("words") or "You play against 1 bot." in at.text("words")
        await at.press("2")
        assert "You play against 3 bots." in at.text("words")

    assert games is not None
    sit(steps, "empires-end", introduced=True, set_ups=SetUps(games.recommended, 0, True))


def test_company_counts_people_and_bots() -> None:
    assert describe_company(["human"]) == "You play alone."
    assert describe_company(["human", "human", "bot"]) == "You play with 1 other person against 1 bot."
