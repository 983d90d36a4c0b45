"""Test when the table stops to show what happened, and how the recap is laid out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from full_table import AtTable, create_match, play_at_table
from programs import run_with

from lusory.explain.event_sentences import Deed, tell_deeds
from lusory.explain.styled_text_wrapping_and_values import Run, restyle, to_text
from lusory.ui.model.screen import Screen
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.model.screen_layout import Region
from lusory.ui.textual.recap_and_bot_takeover import GO_ON, LEAST_SENTENCES, NEXT, Recap


async def press_until_recap(table: AtTable) -> None:
    """Take first options until the recap opens."""
    for _ in range(40):
        if table.app.recap.is_open:
            return
        await table.press("enter")
    raise AssertionError("no recap")


@run_with(play_at_table, "engines-of-war", recap="turn", seed=7)
async def test_table_stays_above_the_recap(table: AtTable) -> None:
    await press_until_recap(table)
    assert table.app.get_sheet("table").size.height + table.app.get_sheet("players").size.height >= 8


@pytest.mark.parametrize("recap", ["turn", "never"])
def test_short_turn_opens_no_recap(recap: str) -> None:
    async def play_steps(table: AtTable) -> None:
        # Three places in a row end the game.
        for _ in range(2):
            assert not table.app.recap.is_open
            await table.press("enter")
        assert table.app.frame is not None
        sentences = [deed for deed in table.app.frame.screen.story if not deed.heading]
        assert 0 < len(sentences) < LEAST_SENTENCES

    play_at_table(play_steps, "tic-tac-toe", recap=recap)  # type: ignore[arg-type]


NAMES = ("Ann", "Bob")
STORY = tuple(Deed((Run(f"Bob makes move {n}"),), 1) for n in range(12))


def create_screen(story: tuple[Deed, ...], phase: str = "Round 1") -> Screen:
    """Return the first screen of a game, with another story and phase."""
    screen = build_screen(create_match("hex", seed=3), 0, NAMES)
    return replace(screen, story=story, phase=(Run(phase),))


def create_recap(story: tuple[Deed, ...], phase_before: str = "Round 1", phase_now: str = "Round 1") -> Recap:
    recap = Recap()
    recap.begin(create_screen((), phase_before), create_screen(story, phase_now))
    return recap


def lay_out(recap: Recap, story: tuple[Deed, ...]) -> list[str]:
    layout = recap.lay_out(create_screen(story), 80, 24)
    return [to_text(line).strip() for line in layout.options(80, layout.max_rows)]


def test_one_sentence_opens_only_later_recaps() -> None:
    assert not create_recap(STORY[:1], "Move 1", "Move 2").is_open
    recap = create_recap(STORY[:2], "Move 1", "Move 2")
    assert recap.is_open
    recap.begin(create_screen((), "Move 2"), create_screen((Deed((Run("The die shows 1"),)),), "Move 3"))
    assert recap.is_open, "after one recap for a round, each round has one"


def test_after_the_first_recap_each_turn_of_others_has_one() -> None:
    recap = Recap()
    results = []
    for sentences in (1, 3, 1, 0):
        recap.begin(create_screen(()), create_screen(STORY[:sentences]))
        results.append(recap.is_open)
    assert results == [False, True, True, False]


def test_story_cut_by_the_screen_opens_a_recap() -> None:
    screen = create_screen(STORY[:1])
    for columns, height, is_open in ((80, 1, False), (80, 0, True), (120, 0, False)):
        recap = create_recap(STORY[:1])
        assert (
            recap.stop_if_untold(screen, Region(0, 0, columns, height, [()]), columns, 24) is recap.is_open is is_open
        )
    recap = create_recap(STORY[:1])
    assert recap.stop_if_untold(screen, None, 80, 24) and not create_recap(()).stop_if_untold(screen, None, 80, 24)


def test_undo_opens_no_recap() -> None:
    recap = Recap()
    recap.begin(create_screen((), "Move 1"), create_screen(STORY, "Move 2"), is_back=True)
    assert not recap.is_open and not recap.stop_if_untold(create_screen(STORY), None, 80, 24)
    recap.begin(create_screen((), "Move 2"), create_screen(STORY[:1], "Move 3"))
    assert not recap.is_open, "there was no recap for a round yet"


def test_recap_leaves_out_the_own_decision() -> None:
    story = (Deed((Run("You make a move"),), 0), Deed((Run("The die shows 1"),)), *STORY[:1])
    assert lay_out(create_recap(story), story) == ["The die shows 1.", "Bob makes move 0."]


def test_recap_counts_the_lines_that_follow() -> None:
    turns = tuple(deed for n in range(6) for deed in (Deed((Run(f"Turn {n}"),), heading=True), STORY[n]))
    recap = create_recap(turns)
    first = lay_out(recap, turns)
    assert len(first) == 9
    assert first[:2] == ["Turn 0", "Bob makes move 0."] and first[-1] == "↓ 4 more lines"
    assert recap.list_hints()[0] == NEXT
    recap.scroll(recap.page_rows)
    second = lay_out(recap, turns)
    assert second[-1] == "Bob makes move 5." and not recap.lines_below
    assert recap.list_hints()[0] == GO_ON
    assert {*first[:-1], *second} == {line for n in range(6) for line in (f"Turn {n}", f"Bob makes move {n}.")}


def test_sentences_share_lines_in_a_full_recap() -> None:
    """A routine turn then needs no second page. Housekeeping of other players is left out first."""
    housekeeping = Deed((Run("Bob", of="Player:P2"), Run(" draws 5 cards")), is_housekeeping=True)
    recap = create_recap(STORY)
    story = tuple(replace(deed, line=restyle(deed.line, bold=True)) for deed in STORY)
    lines = lay_out(recap, (Deed((Run("Buying"),), heading=True), *story, housekeeping))
    assert lines[:2] == ["Buying", "Bob makes move 0. Bob makes move 1. Bob makes move 2. Bob makes move 3. Bob"]
    assert lines[-1].endswith("Bob makes move 11.") and len(lines) == 4 and not recap.lines_below


@run_with(play_at_table, "engines-of-war", recap="turn", seed=7)
async def test_enter_pages_through_a_long_recap(table: AtTable) -> None:
    await press_until_recap(table)
    assert table.app.frame is not None
    table.app.frame = replace(table.app.frame, screen=replace(table.app.frame.screen, story=15 * STORY))
    table.app.draw()
    assert "more lines" in table.read_text("options") and "Enter: the next lines" in table.read_text("keys")
    assert "Bob makes move 11." not in table.read_text("options").splitlines()[-1]
    await table.press("enter")
    assert table.app.recap.is_open
    while table.app.recap.lines_below:
        await table.press("enter")
    assert "Bob makes move 11." in table.read_text("options").splitlines()[-1]
    await table.press("enter")
    assert not table.app.recap.is_open


def test_recap_leaves_out_own_housekeeping() -> None:
    own = Deed((Run("You", of="Player:P1"), Run(" draw 5 cards")), is_housekeeping=True)
    housekeeping = Deed((Run("Bob", of="Player:P2"), Run(" draws 5 cards")), is_housekeeping=True)
    assert lay_out(create_recap(STORY), (own, STORY[0], housekeeping)) == ["Bob makes move 0.", "Bob draws 5 cards."]
    assert not create_recap((own, housekeeping, own, STORY[0])).is_open


def test_upkeep_opens_no_recap() -> None:
    upkeep = tuple(Deed((Run(f"Card {n} goes to the Deck"),), is_upkeep=True) for n in range(5))
    assert not create_recap((*upkeep, *STORY[:1])).is_open
    assert lay_out(create_recap(upkeep), (*upkeep, *STORY[:1])) == ["Bob makes move 0."]


def test_collecting_cards_into_the_deck_is_upkeep() -> None:
    match = create_match("love-letter", people=0, players=2, seed=5)
    while not match.game.view(match.state, None).phase_label.startswith("Round 2 · Turn of"):
        match.step()
    deeds = tell_deeds(match, 0, NAMES)
    collections = [deed for deed in deeds if " into the Deck" in to_text(deed.line)]
    assert collections and all(deed.is_upkeep for deed in collections)
    assert not any(deed.is_upkeep for deed in deeds if " wins the round" in to_text(deed.line))


def test_forced_choice_has_its_own_recap_title() -> None:
    choice = Deed((Run("You play Countess"),), 0, forced=True)
    recap = create_recap((choice, *STORY[:2]))
    assert recap.is_open and to_text(recap.title) == "What happened"
    assert to_text(create_recap(STORY).title) == "While you waited for Bob"


@run_with(play_at_table, "love-letter", recap="turn", seed=7)
async def test_no_recap_opens_while_a_bot_decides_for_the_player(table: AtTable) -> None:
    table.app.recap.is_turn = True  # others have acted since the player's last decision
    opened = []
    stop_if_untold = table.app.recap.stop_if_untold

    def record_opening(*args: Any) -> bool:
        opened.append(stop_if_untold(*args) and table.app.takeover.bot is not None)
        return table.app.recap.is_open

    table.app.recap.stop_if_untold = record_opening  # type: ignore[method-assign]
    await table.type("auto random 2")
    await table.press("enter")
    assert opened and not any(opened)
