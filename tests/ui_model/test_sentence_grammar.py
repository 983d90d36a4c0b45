"""The story speaks to the viewer, and makes sentences of the labels of options."""

from __future__ import annotations

import pytest
from programs import read_data

from lusory.explain.sentences_to_the_viewer_and_of_choices import address_owner, address_viewer, write_choice_sentence
from lusory.explain.styled_text_wrapping_and_values import Run, make_line, name_player, to_text

DATA = read_data(__file__)

NAMES = ("Ann", "Bob")


@pytest.mark.parametrize(("told", "addressed"), DATA["the viewer is addressed and the others keep their names"])
def test_the_viewer_is_addressed_and_the_others_keep_their_names(told: str, addressed: str) -> None:
    assert to_text(address_viewer(make_line(told, NAMES), 0)) == addressed
    named = told.replace("P1", "Ann").replace("P2", "Bob")
    assert to_text(address_viewer(make_line(told, NAMES), None)) == named, "a spectator"


@pytest.mark.parametrize(("label", "addressed"), DATA["of a label only what is the viewers is addressed"])
def test_of_a_label_only_what_is_the_viewers_is_addressed(label: str, addressed: str) -> None:
    assert to_text(address_owner(make_line(label, NAMES), 0)) == addressed


def test_the_name_of_the_viewer_keeps_its_colour_and_reference() -> None:
    (you, *_) = address_viewer(make_line("P1 plays", NAMES), 0)
    assert (you.colour, you.of) == (name_player(0, NAMES).colour, "Player:P1")


@pytest.mark.parametrize(("label", "sentence"), DATA["a label becomes a sentence"])
def test_a_label_becomes_a_sentence(label: str, sentence: str) -> None:
    assert to_text(write_choice_sentence(name_player(0, NAMES), make_line(label))) == sentence


def test_a_value_is_no_verb() -> None:
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
def test_the_name_of_a_value_is_a_sentence_if_it_reads_like_one(value: str, sentence: str) -> None:
    assert to_text(write_choice_sentence(name_player(0, NAMES), (Run(value, of="Duty:1"),))) == sentence
