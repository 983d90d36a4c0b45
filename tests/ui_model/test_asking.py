"""Test the answers to ``why THING``."""

from __future__ import annotations

from fair import get_question
from full_table import create_match
from programs import build_program, create_bundled_game, read_data

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.model.look_and_why import describe_reasons
from lusory.ui.model.screen_builder import build_screen

DATA = read_data(__file__)


AGAIN = DATA["again"]


def test_question_is_asked_again_only_within_one_option() -> None:
    """Two effects in a row ask two questions, each numbered from 1."""
    match = Match(Game(build_program(AGAIN, "again.yaml"), 1), [create_bot("random", 1, 0)], 1)
    numbers = []
    while match.decision is not None:
        question = get_question(match, 0, ("Ann",))
        numbers.append((len(question.options), question.is_asked_again))
        match.take(0)
    assert numbers == [(3, False), (2, False), (2, False), (3, False), (2, True)]


def test_things_that_a_label_names_are_not_closed() -> None:
    """The label names an effect, which is no value of the choice."""
    match = Match(create_bundled_game("empire-engine", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    question = build_screen(match, 0, ("Ann", "Bob")).question
    while question is None or "Gear" not in to_text(question.prompt):
        match.take(0)
        question = build_screen(match, 0, ("Ann", "Bob")).question
    references = {run.of for option in question.options for run in option.label if run.of.startswith("Action:")}
    assert references
    for reference in references:
        assert not describe_reasons(reference, match.game, match.state, question, ("Ann", "Bob"))


def test_action_of_a_later_step_names_its_step() -> None:
    match = create_match("empire-city")
    (reason,) = match.game.explain_impossible(match.state, "move")
    assert reason.message == "you can't do this now; it belongs to “Action Step”"
