"""The story speaks to the viewer, and makes sentences of the labels of options."""

from __future__ import annotations

import pytest

from lusory.explain.sentences_to_the_viewer_and_of_choices import address_owner, address_viewer, write_choice_sentence
from lusory.explain.styled_text_wrapping_and_values import Run, make_line, plain, player

NAMES = ("Ann", "Bob")


@pytest.mark.parametrize(
    ("told", "addressed"),
    [
        ("P1 plays Guard", "You play Guard"),
        ("P1 passes", "You pass"),
        ("P1 carries 2 Goods", "You carry 2 Goods"),
        ("P1 has finished", "You have finished"),
        ("P1 was hit, so the Export is wasted", "You were hit, so the Export is wasted"),
        ("P1 can't move and passes", "You can't move and pass"),
        ("P1 wins the round and gets 2 Goods and Soldiers", "You win the round and get 2 Goods and Soldiers"),
        ("P1 moves Oak from their hand to their stall", "You move Oak from your hand to your stall"),
        ("P1 loses 4 VP, but gains 3", "You lose 4 VP, but gain 3"),
        ("P1 no longer controls the Market", "You no longer control the Market"),
        ("P1's attack hits P2", "Your attack hits Bob"),
        ("P2's attack hits P1", "Bob's attack hits you"),
        ("It goes to P1’s hand", "It goes to your hand"),
        ("P2 gives P1 cards from their hand", "Bob gives you cards from their hand"),
        ("P2 guesses that P1 has Baron", "Bob guesses that you have Baron"),
        ("P2 has Priest, P1 has Baron", "Bob has Priest, you have Baron"),
        ("P1 has joined both sides. P1 wins.", "You have joined both sides. You win."),
        ("P1 and P2 share the win.", "You and Bob share the win."),
        ("P1 pays. P2 takes their coins", "You pay. Bob takes their coins"),
        ("P2 passes", "Bob passes"),
    ],
)
def test_the_viewer_is_addressed_and_the_others_keep_their_names(told: str, addressed: str) -> None:
    assert plain(address_viewer(make_line(told, NAMES), 0)) == addressed
    named = told.replace("P1", "Ann").replace("P2", "Bob")
    assert plain(address_viewer(make_line(told, NAMES), None)) == named, "a spectator"


@pytest.mark.parametrize(
    ("label", "addressed"),
    [
        ("P1's Baker", "Your Baker"),
        ("Put it into P1's hand", "Put it into your hand"),
        ("Give P1 a card of P2's", "Give Ann a card of Bob's"),
    ],
)
def test_of_a_label_only_what_is_the_viewers_is_addressed(label: str, addressed: str) -> None:
    assert plain(address_owner(make_line(label, NAMES), 0)) == addressed


def test_the_name_of_the_viewer_keeps_its_colour_and_reference() -> None:
    (you, *_) = address_viewer(make_line("P1 plays", NAMES), 0)
    assert (you.colour, you.of) == (player(0, NAMES).colour, "Player:P1")


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ("Pay 1 of your Coins", "Ann pays 1 of their Coins"),
        ("Pass", "Ann passes"),
        ("Have the Managers hire", "Ann has the Managers hire"),
        ("Take over the first stone", "Ann takes over the first stone"),
        ("Trade: give 2", "Ann chooses: Trade: give 2"),
        ("No order", "Ann chooses: No order"),
        ("3 (How many?)", "Ann chooses 3 (How many?)"),
    ],
)
def test_a_label_becomes_a_sentence(label: str, sentence: str) -> None:
    assert plain(write_choice_sentence(player(0, NAMES), make_line(label))) == sentence


def test_a_value_is_no_verb() -> None:
    assert plain(write_choice_sentence(player(0, NAMES), (Run("Guard", of="Card:1"),))) == "Ann chooses Guard"
    attack = Run("Attack", of="Card:1")
    assert plain(write_choice_sentence(player(0, NAMES), (attack,))) == "Ann chooses Attack"
    assert plain(write_choice_sentence(player(0, NAMES), (attack, Run(": hit 2")))) == "Ann chooses Attack: hit 2"
    assert plain(write_choice_sentence(player(0, NAMES), (attack, Run(" is lost")))) == "Ann chooses: Attack is lost"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [("Draw a card", "Ann draws a card"), ("Trade Route", "Ann chooses Trade Route"), ("Heal", "Ann chooses Heal")],
)
def test_the_name_of_a_value_is_a_sentence_if_it_reads_like_one(value: str, sentence: str) -> None:
    assert plain(write_choice_sentence(player(0, NAMES), (Run(value, of="Duty:1"),))) == sentence
