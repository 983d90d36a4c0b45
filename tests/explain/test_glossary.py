"""Test that every word on the table has an explanation, under its identifier or label, in any case."""

from __future__ import annotations

from functools import cache

import pytest
from programs import read_data

from lusory.explain.declaration_names_and_lookup import fold_text
from lusory.explain.declarations_in_english import explain
from lusory.explain.glossary_merging_and_title_lookup import get_constant_start, iterate_titles, merge_terms
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load
from lusory_dsl.ruleset.model import Ruleset
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

GAMES = sorted(find_bundled_rulesets())


@cache
def load_ruleset(game: str) -> Ruleset:
    ruleset = load(find_bundled_rulesets()[game], Diagnostics())
    assert ruleset is not None
    return ruleset


@pytest.mark.parametrize("game", GAMES)
def test_titles_options_spaces_and_declarations_are_explained(game: str) -> None:
    ruleset = load_ruleset(game)
    queries = [title for title, _ in iterate_titles(ruleset) if title]
    queries += [value.text for option in ruleset.options for value in option.values]
    declarations = (*ruleset.keywords, *ruleset.zones, *ruleset.variables, *ruleset.actions, *ruleset.components)
    queries += [item.name.text for item in declarations]
    queries += [value.label or value.name.text for enum in ruleset.enums for value in enum.values]
    for number, query in enumerate(queries):
        for spelling in {query} if number % 4 else {query, query.upper(), query.replace("_", " ")}:
            assert explain(ruleset, spelling).strip(), spelling


@pytest.mark.parametrize("game", GAMES)
def test_glossary_lists_each_name_once_in_order(game: str) -> None:
    lines = [line for line in explain(load_ruleset(game), "Glossary", 10_000).splitlines() if line]
    assert len(lines) == len(set(lines)) > 0
    assert lines == sorted(lines, key=lambda line: fold_text(line.partition(":")[0]))
    assert not any(term.count("(") > term.count(")") for term in (line.partition(":")[0] for line in lines))
    assert all(zone.name.text for zone in load_ruleset(game).zones)
    text = " ".join(lines).casefold()
    assert all((zone.label or zone.name.text.replace("_", " ")).casefold() in text for zone in load_ruleset(game).zones)


def test_explanations_come_from_rules_and_not_from_names() -> None:
    lines = explain(load_ruleset("engines-of-war"), "glossary", 10_000).splitlines()
    terms = [line.partition(":")[0] for line in lines if line]
    assert len(lines) == len(set(lines))
    assert "VP tokens: The VP tokens that count for the player." in lines  # a title is explained by what it shows
    assert "Faction: Swarm or Republic." in lines
    assert "Bring the Swarm: 12 or more Swarm cards in play at the end of a round: you win." in lines
    assert any(line.startswith("Rush: You may deploy this card at once") for line in lines)
    assert not any("EW-" in line for line in lines)  # players read no clause numbers
    assert "Drafting" not in terms  # no player sees this variable
    assert any(
        line.startswith("Republic: Few, expensive cards, each with an ability.") for line in lines
    )  # a value is explained by its text
    text = " ".join(lines)
    assert "one of" not in text and "on the table," not in text


def test_title_links_to_what_it_shows() -> None:
    ruleset = load_ruleset("engines-of-war")
    assert "The VP tokens that count for the player." in explain(ruleset, "vp TOKENS")
    assert "The cards that count for VP" in explain(ruleset, "both rows")


@pytest.mark.parametrize(("game", "query", "expected"), DATA["players read the purpose of a thing only"])
def test_players_read_the_purpose_of_a_thing_only(game: str, query: str, expected: str) -> None:
    assert explain(load_ruleset(game), query, 10_000, is_at_table=True) == expected


def test_space_is_explained_and_other_words_are_not() -> None:
    assert "b2: a space, beside" in explain(load_ruleset("tic-tac-toe"), "B2")
    for query in ("nothing of that name", "z9", "", ":"):
        with pytest.raises(KeyError):
            explain(load_ruleset("tic-tac-toe"), query)


def test_helper_functions_explain_no_words() -> None:
    lines = explain(load_ruleset("engines-of-war"), "glossary", 10_000).splitlines()
    assert not any("in words" in line for line in lines)  # a function with cards as arguments
    assert "Discard pile: Discarded cards. At the end of the round they are shuffled into the deck." in lines


def test_term_is_listed_before_longer_terms() -> None:
    terms = [("card pile", "Cards."), ("Card", "Paper."), ("card-back", "Blue."), ("x", "")]
    assert merge_terms(terms) == ["Card: Paper.", "Card-back: Blue.", "Card pile: Cards."]


def test_constant_start_of_a_label_ends_at_the_first_open_bracket() -> None:
    assert get_constant_start("Move (to (x) {b})") == get_constant_start("Move (to (x {b}))") == "Move"
    assert get_constant_start("Move (a) (to {b})") == "Move (a)"
    assert get_constant_start("Move (a) to {b}") == "Move (a)"
    assert get_constant_start("a) Move (to {b})") == "a) Move"
