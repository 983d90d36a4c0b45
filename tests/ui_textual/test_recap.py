"""The table stops at what happened while the player waited, and no key is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from full_table import AtTable, match_of, sit
from programs import played_by

from lusory.explain.event_sentences import Deed, tell_deeds
from lusory.explain.styled_text_wrapping_and_values import Run, restyle, to_text
from lusory.ui.model.screen import Screen
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.model.screen_layout import Part
from lusory.ui.textual.recap_and_bot_takeover import GO_ON, LEAST_SENTENCES, NEXT, Recap


async def until_recap(at: AtTable) -> None:
    """Take first options until the recap opens."""
    for _ in range(40):
        if at.app.recap.is_open:
            return
        await at.press("enter")
    raise AssertionError("no recap")


@played_by(sit, "engines-of-war", recap="turn", seed=7)
async def test_the_table_stays_above_the_recap(at: AtTable) -> None:
    await until_recap(at)
    assert at.app.get_sheet("table").size.height + at.app.get_sheet("players").size.height >= 8


@pytest.mark.parametrize("recap", ["turn", "never"])
def test_a_short_turn_does_not_stop_the_player(recap: str) -> None:
    async def steps(at: AtTable) -> None:
        # Three places in a row end the game.
        for _ in range(2):
            assert not at.app.recap.is_open
            await at.press("enter")
        assert at.app.shown is not None
        told = [deed for deed in at.app.shown.screen.story if not deed.heading]
        assert 0 < len(told) < LEAST_SENTENCES

    sit(steps, "tic-tac-toe", recap=recap)  # type: ignore[arg-type]


NAMES = ("Ann", "Bob")
STORY = tuple(Deed((Run(f"Bob makes move {n}"),), 1) for n in range(12))


def screen_with(story: tuple[Deed, ...], phase: str = "Round 1") -> Screen:
    """Return the first screen of a game, with another story and phase."""
    screen = build_screen(match_of("hex", seed=3), 0, NAMES)
    return replace(screen, story=story, phase=(Run(phase),))


def recap_of(story: tuple[Deed, ...], before: str = "Round 1", now: str = "Round 1") -> Recap:
    recap = Recap()
    recap.begin(screen_with((), before), screen_with(story, now))
    return recap


def lines_of(recap: Recap, story: tuple[Deed, ...]) -> list[str]:
    asked = recap.lay_out(screen_with(story), 80, 24)
    return [to_text(line).strip() for line in asked.options(80, asked.most)]


def test_one_sentence_stops_the_player_only_after_a_first_stop() -> None:
    assert not recap_of(STORY[:1], "Move 1", "Move 2").is_open
    recap = recap_of(STORY[:2], "Move 1", "Move 2")
    assert recap.is_open
    recap.begin(screen_with((), "Move 2"), screen_with((Deed((Run("The die shows 1"),)),), "Move 3"))
    assert recap.is_open, "a table that stops at rounds stops at each of them"


def test_after_the_first_stop_each_turn_of_another_player_stops() -> None:
    recap = Recap()
    opened = []
    for sentences in (1, 3, 1, 0):
        recap.begin(screen_with(()), screen_with(STORY[:sentences]))
        opened.append(recap.is_open)
    assert opened == [False, True, True, False]


def test_a_turn_that_the_screen_does_not_tell_whole_stops_the_player() -> None:
    screen = screen_with(STORY[:1])
    for columns, height, is_open in ((80, 1, False), (80, 0, True), (120, 0, False)):
        recap = recap_of(STORY[:1])
        assert recap.stop_if_untold(screen, Part(0, 0, columns, height, [()]), columns, 24) is recap.is_open is is_open
    recap = recap_of(STORY[:1])
    assert recap.stop_if_untold(screen, None, 80, 24) and not recap_of(()).stop_if_untold(screen, None, 80, 24)


def test_what_happened_before_a_decision_that_is_taken_back_is_not_told_again() -> None:
    recap = Recap()
    recap.begin(screen_with(()), screen_with(STORY), is_back=True)
    assert not recap.is_open and not recap.stop_if_untold(screen_with(STORY), None, 80, 24)


def test_the_recap_does_not_begin_with_the_own_decision() -> None:
    story = (Deed((Run("You make a move"),), 0), Deed((Run("The die shows 1"),)), *STORY[:1])
    assert lines_of(recap_of(story), story) == ["The die shows 1.", "Bob makes move 0."]


def test_the_recap_says_how_many_lines_follow_and_enter_pages_before_it_closes() -> None:
    turns = tuple(deed for n in range(6) for deed in (Deed((Run(f"Turn {n}"),), heading=True), STORY[n]))
    recap = recap_of(turns)
    first = lines_of(recap, turns)
    assert len(first) == 9
    assert first[:2] == ["Turn 0", "Bob makes move 0."] and first[-1] == "↓ 4 more lines"
    assert recap.list_hints()[0] == NEXT
    recap.scroll(recap.visible)
    second = lines_of(recap, turns)
    assert second[-1] == "Bob makes move 5." and not recap.below
    assert recap.list_hints()[0] == GO_ON
    assert {*first[:-1], *second} == {line for n in range(6) for line in (f"Turn {n}", f"Bob makes move {n}.")}


def test_sentences_share_lines_where_the_recap_would_not_fit() -> None:
    """A routine turn needs no second page. Housekeeping of others goes first."""
    other = Deed((Run("Bob", of="Player:P2"), Run(" draws 5 cards")), is_housekeeping=True)
    recap = recap_of(STORY)
    story = tuple(replace(deed, line=restyle(deed.line, bold=True)) for deed in STORY)
    lines = lines_of(recap, (Deed((Run("Buying"),), heading=True), *story, other))
    assert lines[:2] == ["Buying", "Bob makes move 0. Bob makes move 1. Bob makes move 2. Bob makes move 3. Bob"]
    assert lines[-1].endswith("Bob makes move 11.") and len(lines) == 4 and not recap.below


@played_by(sit, "engines-of-war", recap="turn", seed=7)
async def test_enter_pages_through_a_long_recap(at: AtTable) -> None:
    await until_recap(at)
    assert at.app.shown is not None
    at.app.shown = replace(at.app.shown, screen=replace(at.app.shown.screen, story=15 * STORY))
    at.app.draw()
    assert "more lines" in at.text("options") and "Enter: the next lines" in at.text("keys")
    assert "Bob makes move 11." not in at.text("options").splitlines()[-1]
    await at.press("enter")
    assert at.app.recap.is_open
    while at.app.recap.below:
        await at.press("enter")
    assert "Bob makes move 11." in at.text("options").splitlines()[-1]
    await at.press("enter")
    assert not at.app.recap.is_open


def test_the_winner_of_a_round_comes_first() -> None:
    won = Deed((Run("Bob wins the round"),))
    story = (*STORY[:3], won)
    assert lines_of(recap_of(story), story)[:2] == ["Bob wins the round.", "Bob makes move 0."]


def test_the_own_housekeeping_makes_no_room_for_itself() -> None:
    """What the player discards and draws stands on the table; what others do is told."""
    own = Deed((Run("You", of="Player:P1"), Run(" draw 5 cards")), is_housekeeping=True)
    other = Deed((Run("Bob", of="Player:P2"), Run(" draws 5 cards")), is_housekeeping=True)
    assert lines_of(recap_of(STORY), (own, STORY[0], other)) == ["Bob makes move 0.", "Bob draws 5 cards."]
    assert not recap_of((own, other, own, STORY[0])).is_open


def test_set_up_and_gathering_are_no_news() -> None:
    upkeep = tuple(Deed((Run(f"Card {n} goes to the Deck"),), is_upkeep=True) for n in range(5))
    assert not recap_of((*upkeep, *STORY[:1])).is_open
    assert lines_of(recap_of(upkeep), (*upkeep, *STORY[:1])) == ["Bob makes move 0."]


def test_the_end_of_a_round_hides_how_the_deck_is_put_together() -> None:
    match = match_of("love-letter", people=0, players=2, seed=5)
    while not match.game.view(match.state, None).phase_label.startswith("Round 2 · Turn of"):
        match.step()
    told = tell_deeds(match, 0, NAMES)
    gathered = [deed for deed in told if " into the Deck" in to_text(deed.line)]
    assert gathered and all(deed.is_upkeep for deed in gathered)
    assert not any(deed.is_upkeep for deed in told if " wins the round" in to_text(deed.line))


def test_a_forced_choice_is_news_under_a_title_of_its_own() -> None:
    forced = Deed((Run("You play Countess"),), 0, forced=True)
    recap = recap_of((forced, *STORY[:2]))
    assert recap.is_open and to_text(recap.title) == "What happened"
    assert to_text(recap_of(STORY).title) == "While you waited for Bob"
