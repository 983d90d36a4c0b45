"""How cards read: phrases of authors, what is chosen as a thing, and clauses that say which."""

from __future__ import annotations

from functools import cache

import pytest
from programs import read_data, read_rules

from lusory.explain.declarations_in_english import explain
from lusory.explain.phrase_filling_and_negation import deny, fill_text
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_file_merging import load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import prepend_article

DATA = read_data(__file__)

HARBOUR = read_rules("harbour")


@cache
def harbour(card: str = "do: stop") -> model.Ruleset:
    diagnostics = Diagnostics()
    ruleset = load_text(HARBOUR.replace("CARD", card), diagnostics)
    assert ruleset is not None, [d.message for d in diagnostics.list_sorted()]
    return ruleset


def told(name: str, card: str = "do: stop", at_table: bool = True) -> str:
    return " ".join(explain(harbour(card), name, 10_000, at_table).split())


@pytest.mark.parametrize(("card", "words"), DATA["a card reads as its authors phrases say"])
def test_a_card_reads_as_its_authors_phrases_say(card: str, words: str) -> None:
    assert words in told("tug", card)


def test_several_of_a_kind_are_called_as_the_kind_says() -> None:
    text = HARBOUR.replace("Ship:\n", "Ship:\n    plural: vessels\n").replace("CARD", "do: 'gain(count(Ship), rope)'")
    ruleset = load_text(text, Diagnostics())
    assert ruleset is not None

    def words(name: str) -> str:
        return " ".join(explain(ruleset, name, 10_000, True).split())

    assert "Gain (the number of vessels) rope." in words("tug")
    assert "Fleet, for each Player: holds vessels, in order." in words("fleet")


def test_can_is_denied_as_one_word() -> None:
    assert fill_text("{b} can move", {"b": "the mill"}, False) == "the mill cannot move"
    assert deny("it can be sold") == "it cannot be sold"


@pytest.mark.parametrize(("phrase", "denied"), DATA["has is denied as an auxiliary before a participle only"])
def test_has_is_denied_as_an_auxiliary_before_a_participle_only(phrase: str, denied: str) -> None:
    assert fill_text(phrase, {"b": "the mill"}, False) == denied
    assert fill_text(phrase, {"b": "you"}, False) == denied.replace("the mill has", "you have").replace(
        "the mill does", "you do"
    )
    assert deny("it has seeds") is None
    assert deny("it can't be sold") is None and deny("it is not sold") is None
    assert deny("a unit that is open can fall") == "a unit that is open cannot fall"
    assert deny("a unit that you can play is red") == "a unit that you can play is not red"


@pytest.mark.parametrize("sentence", DATA["a sentence whose verb does not carry it is not denied"])
def test_a_sentence_whose_verb_does_not_carry_it_is_not_denied(sentence: str) -> None:
    assert deny(sentence) is None


def test_what_an_entry_names_is_not_known_in_the_next() -> None:
    assert "Set the “damaged”" not in told("repair", at_table=False)
    assert "Move the victim to the yard" in told("scuttle", at_table=False)
    assert "Rope" in told("rope")


@pytest.mark.parametrize(("asked", "words"), DATA["at the table the words of authors are all that is told"])
def test_at_the_table_the_words_of_authors_are_all_that_is_told(asked: str, words: str) -> None:
    assert told(asked) == words


def test_the_whole_rules_at_the_table_leave_out_what_nobody_explains() -> None:
    table, author = (explain(harbour(), None, 10_000, at_table) for at_table in (True, False))
    assert "Tide:" in author and "Tide:" not in table
    assert "Ships work." in table and "one of these actions" not in table and "one of these actions" in author
    assert "(AB-1)" in author and "(AB-1)" not in table


def test_values_and_spaces_are_in_the_glossary_with_what_they_are_for() -> None:
    assert "Coin: Pays for ships." in told("glossary")


@pytest.mark.parametrize(
    ("noun", "said"), [("unit", "a unit"), ("ally", "an ally"), ("one", "a one"), ("inn", "an inn")]
)
def test_a_and_an(noun: str, said: str) -> None:
    assert prepend_article(noun) == said
