"""Test that the story addresses the viewer, and turns labels of options into sentences."""

from __future__ import annotations

import pytest
from programs import read_data

from lusory.explain.sentences_to_the_viewer_and_of_choices import address_owner, address_viewer, write_choice_sentence
from lusory.explain.styled_text_wrapping_and_values import Run, make_line, name_player, to_text

DATA = read_data(__file__)

NAMES = ("Ann", "Bob")


@pytest.mark.parametrize(("sentence", "expected"), DATA["viewer is addressed and others keep their names"])
def test_viewer_is_addressed_and_others_keep_their_names(sentence: str, expected: str) -> None:
    assert to_text(address_viewer(make_line(sentence, NAMES), 0)) == expected
    spectator_text = sentence.replace("P1", "Ann").replace("P2", "Bob")
    assert to_text(address_viewer(make_line(sentence, NAMES), None)) == spectator_text, "a spectator"


@pytest.mark.parametrize(("label", "expected"), DATA["labels address only the viewer"])
def test_labels_address_only_the_viewer(label: str, expected: str) -> None:
    assert to_text(address_owner(make_line(label, NAMES), 0)) == expected


def test_address_keeps_colour_and_reference() -> None:
    (you, *_) = address_viewer(make_line("P1 plays", NAMES), 0)
    assert (you.colour, you.of) == (name_player(0, NAMES).colour, "Player:P1")


@pytest.mark.parametrize(("label", "sentence"), DATA["label becomes a sentence"])
def test_label_becomes_a_sentence(label: str, sentence: str) -> None:
    assert to_text(write_choice_sentence(name_player(0, NAMES), make_line(label))) == sentence


def test_value_is_no_verb() -> None:
    assert to_text(write_choice_sentence(name_player(0, NAMES), (Run("Guard", of="Card:1"),))) == "Ann chooses Guard"
    attack = Run("Attack", of="Card:1")
    assert to_text(write_choice_sentence(name_player(0, NAMES), (attack,))) == "Ann chooses Attack"
    assert (
        to_text(write_choice_sentence(name_player(0, NAMES), (attack, Run(": hit 2")))) == "Ann chooses Attack: hit 2"
    )
    assert (
        to_text(write_choice_sentence(name_player(0, NAMES), (attack, Run(" is lost"))))
        == "Ann chooses: Attack is lost"
    )


@pytest.mark.parametrize(
    ("value", "sentence"),
    [("Draw a card", "Ann draws a card"), ("Trade Route", "Ann chooses Trade Route"), ("Heal", "Ann chooses Heal")],
)
def test_value_name_may_be_a_sentence(value: str, sentence: str) -> None:
    assert to_text(write_choice_sentence(name_player(0, NAMES), (Run(value, of="Duty:1"),))) == sentence
