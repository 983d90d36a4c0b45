"""Test the printed texts of cards on the table and in the hand."""

from __future__ import annotations

from programs import build_program, read_data

from lusory import Game
from lusory.evaluator.option_preview import Prediction
from lusory.explain.styled_text_wrapping_and_values import Run, to_text
from lusory.ui.model.option_preview_sentences import add_moved_card
from lusory.ui.model.panel_builder_and_value_looks import build_panels, list_card_texts
from lusory.ui.model.screen import Option

DATA = read_data(__file__)

RULES = DATA["rules"]


def test_each_card_with_a_text_is_listed_once() -> None:
    game = Game(build_program(RULES))
    panels = build_panels(game.view(game.start(), 0), ["Ann", "Bob"])
    texts = [(to_text(name), to_text(text)) for name, text in list_card_texts(game.program, panels)]
    assert texts == [("Hat", "It keeps you dry."), ("Pin", "It is sharp.")]


def test_option_that_moves_no_card_keeps_its_text() -> None:
    game = Game(build_program(RULES))
    view = game.view(game.start(), 0)
    assert view.decision is not None
    choice = view.decision.options[0]
    path = Run("take", of="do:take"), Run("Hat", of="Card:hat")
    option = Option(0, "take hat", (Run("Take Hat"),), path, moved_card="Card:pin")
    for prediction in (None, Prediction((), True)):
        assert add_moved_card(prediction, view, choice, option, ()) is option
    take_prediction = game.predict_consequences(view, choice)
    assert add_moved_card(take_prediction, view, choice, option, ()).moved_card == "Card:hat"
