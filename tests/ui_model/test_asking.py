"""What is answered to ``why THING``."""

from __future__ import annotations

from functools import cache

import pytest
from fair import question_of
from full_table import match_of
from programs import bundled_game, checked, read_data

from lusory.explain.styled_text_wrapping_and_values import plain
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.model.look_and_why import describe_reasons, explain_why_not
from lusory.ui.model.screen_builder import build_screen

DATA = read_data(__file__)

RULES = DATA["rules"]


@cache
def match() -> Match:
    return Match(Game(checked(RULES, "stall.yaml"), 2), [create_bot("random", 1, seat) for seat in range(2)], 1)


def told(wanted: str) -> list[str]:
    question = question_of(match(), 0, ("Ann", "Bob"))
    return [plain(line) for line in explain_why_not(wanted, match().game, match().state, question, ("Ann", "Bob"))]


def test_of_a_thing_that_can_be_used_it_is_told_what_else_it_would_take() -> None:
    """That picking up never takes a Hat is left out: buying it only needs coins."""
    first, *more = told("hat")
    assert first == "“Drop Hat” is open to you."
    assert len(more) == 1 and more[0] == "Buy: needs 4 coins, and there are 2."
    assert told("drop hat") == [first]


def test_a_reason_is_told_without_an_action_that_no_label_names() -> None:
    """The options are called ``e9``: that they lay a stone is a word of the rules. ``a1`` doesn't mean ``a10``."""
    for pick, wanted in ((47, "d5"), (0, "a1")):
        game = Match(bundled_game("hex", 2), [create_bot("random", 1, seat) for seat in range(2)], 1, (pick,))
        question = question_of(game, 1, ("Ann", "Bob"))
        lines = explain_why_not(wanted, game.game, game.state, question, ("Ann", "Bob"))
        assert [plain(line) for line in lines] == [f"{wanted} is taken."]


def test_a_reason_begins_with_the_name_of_a_space_as_it_is_written() -> None:
    game = Match(bundled_game("oware", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    question = question_of(game, 0, ("Ann", "Bob"))
    lines = explain_why_not("sow f2", game.game, game.state, question, ("Ann", "Bob"))
    assert [plain(line) for line in lines] == ["f2 is not your house."]


def test_of_a_card_that_no_option_takes_the_printed_text_is_told() -> None:
    assert told("rope")[-1] == told("Rope")[-1] == "Rope: It ties two wares. · It is long."
    assert "Rope: " not in "\n".join(told("buy rope"))


def test_an_action_that_is_not_open_is_meant_before_another_whose_name_has_the_word() -> None:
    assert told("Trade") == told("trade") == ["The stall is shut."]
    assert told("go on") == ["“Go on” is open to you."]


DIALS = DATA["dials"]


@cache
def dials() -> Match:
    return Match(Game(checked(DIALS, "dials.yaml"), 2), [create_bot("random", 1, seat) for seat in range(2)], 1)


@pytest.mark.parametrize(("wanted", "answer"), DATA["players are answered in their words in any order"])
def test_players_are_answered_in_their_words_in_any_order(wanted: str, answer: str) -> None:
    question = question_of(dials(), 0, ("Ann", "Bob"))
    lines = explain_why_not(wanted, dials().game, dials().state, question, ("Ann", "Bob"))
    assert [plain(line) for line in lines] == [answer]


def test_an_answer_has_one_mark_at_its_end() -> None:
    for wanted in ("buy hatt", "drop hot", "buy hat", "nothing"):
        assert not any("?." in line or ".." in line for line in told(wanted))
    assert any(line.endswith("?") for line in told("buy hatt"))


AGAIN = DATA["again"]


def test_a_question_is_asked_again_only_within_one_option() -> None:
    """Effects that follow each other ask two questions, of which each is numbered from 1."""
    match = Match(Game(checked(AGAIN, "again.yaml"), 1), [create_bot("random", 1, 0)], 1)
    found = []
    while match.decision is not None:
        question = question_of(match, 0, ("Ann",))
        found.append((len(question.options), question.is_asked_again))
        match.take(0)
    assert found == [(3, False), (2, False), (2, False), (3, False), (2, True)]


def test_what_the_label_of_an_option_names_is_not_closed() -> None:
    """The label names what happens, which is no value of the choice."""
    match = Match(bundled_game("empire-engine", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    question = build_screen(match, 0, ("Ann", "Bob")).question
    while question is None or "Gear" not in plain(question.prompt):
        match.take(0)
        question = build_screen(match, 0, ("Ann", "Bob")).question
    named = {run.of for option in question.options for run in option.label if run.of.startswith("Action:")}
    assert named
    for of in named:
        assert not describe_reasons(of, match.game, match.state, question, ("Ann", "Bob"))


SHOP = DATA["shop"]


def test_of_a_card_that_only_another_phase_takes_that_phase_is_told_and_what_it_lacks_there() -> None:
    match = Match(Game(checked(SHOP, "shop.yaml"), 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    question = question_of(match, 0, ("Ann", "Bob"))

    def told(wanted: str) -> list[str]:
        return [plain(line) for line in explain_why_not(wanted, match.game, match.state, question, ("Ann", "Bob"))]

    assert told("axe") == ["You can show Axe only in “Fair”.", "Show: needs 4 coins, and you have 2."]
    assert told("Pot") == ["You can show Pot only in “Fair”."]
    assert told("saw") == ["There is no option “saw” now."], "another player holds it"


@pytest.mark.parametrize("asked", ["north street", "North", "go to north street"])
def test_a_space_is_not_explained_by_a_card_that_shares_a_word_with_it(asked: str) -> None:
    """There is a card called Street Orator."""
    match = match_of("empire-city")
    question = question_of(match, 0, ("Ann", "Bob"))
    (told,) = map(plain, explain_why_not(asked, match.game, match.state, question, ("Ann", "Bob")))
    assert told == "No option leads to North Street now. Such options belong to “Start Step” or “Action Step”."
    (_, told) = map(plain, describe_reasons("Space:north_street", match.game, match.state, question, ("Ann", "Bob")))
    assert told.startswith("Not now. No option leads to North Street now.")


def test_an_open_space_is_not_explained_by_a_card_that_shares_a_word_with_it() -> None:
    """There is a card called Lesser Chimera."""
    match = Match(bundled_game("empire-city", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    for number in range(20):
        assert match.decision is not None
        match.take((7 * number + 1) % len(match.decision.options))
    assert match.decision is not None
    question = question_of(match, match.decision.seat, ("Ann", "Bob"))
    lines = explain_why_not("chimera", match.game, match.state, question, ("Ann", "Bob"))
    assert [plain(line) for line in lines] == ["“Fugitive stays in Chimera (nothing happens)” is open to you."]


def test_the_beginning_of_an_action_of_another_step_says_where_it_belongs() -> None:
    match = match_of("empire-city")
    (reason,) = match.game.explain_impossible(match.state, "move")
    assert reason.message == "you can't do this now; it belongs to “Action Step”"
