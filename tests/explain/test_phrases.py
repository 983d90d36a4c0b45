"""Test how cards read: phrases of authors, chosen things, and clauses that identify a thing."""

from __future__ import annotations

from functools import cache

import pytest
from programs import read_data, read_rules

from lusory.explain.declarations_in_english import explain
from lusory.explain.phrase_filling_and_negation import fill_phrase
from lusory.explain.rulebook import explain_ruleset
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import prepend_article, prepend_the

DATA = read_data(__file__)

HARBOUR = read_rules("harbour")


@cache
def create_harbour(card: str = "do: stop") -> model.Ruleset:
    diagnostics = Diagnostics()
    ruleset = load_text(HARBOUR.replace("CARD", card), diagnostics)
    assert ruleset is not None, [error.message for error in diagnostics.list_sorted()]
    return ruleset


def explain_card(name: str, card: str = "do: stop", is_at_table: bool = True) -> str:
    return " ".join(explain(create_harbour(card), name, 10_000, is_at_table).split())


@pytest.mark.parametrize(("card", "text"), DATA["card uses the phrases of its author"])
def test_card_uses_the_phrases_of_its_author(card: str, text: str) -> None:
    assert text in explain_card("tug", card)


def test_plural_of_a_kind() -> None:
    text = HARBOUR.replace("Ship:\n", "Ship:\n    plural: vessels\n").replace("CARD", "do: 'gain(count(Ship), rope)'")
    ruleset = load_text(text, Diagnostics())
    assert ruleset is not None

    def explain_name(name: str) -> str:
        return " ".join(explain(ruleset, name, 10_000, True).split())

    assert "Gain (the number of vessels) rope." in explain_name("tug")
    assert "Fleet, for each Player: holds vessels, in order." in explain_name("fleet")


def test_phrase_holds_blanks_around_a_parameter_and_doubled_braces() -> None:
    assert fill_phrase("{ b } is {{b}}", {"b": "the mill"}, False) == "the mill is not {b}"


def test_negation_of_can_is_cannot() -> None:
    assert fill_phrase("{b} can move", {"b": "the mill"}, False) == "the mill cannot move"


@pytest.mark.parametrize(("phrase", "expected"), DATA["has is negated as an auxiliary before a participle only"])
def test_has_is_negated_as_an_auxiliary_before_a_participle_only(phrase: str, expected: str) -> None:
    assert fill_phrase(phrase, {"b": "the mill"}, False) == expected
    assert fill_phrase(phrase, {"b": "you"}, False) == expected.replace("the mill has", "you have").replace(
        "the mill does", "you do"
    )


def test_names_introduced_in_an_entry_end_with_it() -> None:
    assert "Set the “damaged”" not in explain_card("repair", is_at_table=False)
    assert "Move the victim to the yard" in explain_card("scuttle", is_at_table=False)
    assert "Rope" in explain_card("rope")


@pytest.mark.parametrize(("name", "expected"), DATA["table shows only texts of the author"])
def test_table_shows_only_texts_of_the_author(name: str, expected: str) -> None:
    assert explain_card(name) == expected


def test_rules_at_the_table_leave_out_statements_and_clauses() -> None:
    table, author = (explain_ruleset(create_harbour(), 10_000, is_at_table) for is_at_table in (True, False))
    assert "Ships work." in table and "one of these actions" not in table and "one of these actions" in author
    assert "(AB-1)" in author and "(AB-1)" not in table


def test_glossary_has_values_and_spaces_with_their_purpose() -> None:
    assert "Coin: Pays for ships." in explain_card("glossary")


@pytest.mark.parametrize(
    ("noun", "expected"), [("unit", "a unit"), ("ally", "an ally"), ("one", "a one"), ("inn", "an inn")]
)
def test_indefinite_article(noun: str, expected: str) -> None:
    assert prepend_article(noun) == expected


@pytest.mark.parametrize(
    ("label", "expected"), [("Capital", "the Capital"), ("Your Profit", "your Profit"), ("Its", "the Its")]
)
def test_definite_article(label: str, expected: str) -> None:
    assert prepend_the(label) == expected
