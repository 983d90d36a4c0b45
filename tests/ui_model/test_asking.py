"""What is answered to ``why THING``."""

from __future__ import annotations

from fair import question_of
from full_table import match_of
from programs import bundled_game, checked, read_data

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.model.look_and_why import describe_reasons
from lusory.ui.model.screen_builder import build_screen

DATA = read_data(__file__)


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
    while question is None or "Gear" not in to_text(question.prompt):
        match.take(0)
        question = build_screen(match, 0, ("Ann", "Bob")).question
    named = {run.of for option in question.options for run in option.label if run.of.startswith("Action:")}
    assert named
    for of in named:
        assert not describe_reasons(of, match.game, match.state, question, ("Ann", "Bob"))


def test_the_beginning_of_an_action_of_another_step_says_where_it_belongs() -> None:
    match = match_of("empire-city")
    (reason,) = match.game.explain_impossible(match.state, "move")
    assert reason.message == "you can't do this now; it belongs to “Action Step”"
