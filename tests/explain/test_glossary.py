"""Every word that players read on the table is answered: by what an author calls it, as it is shown, in any case."""

from __future__ import annotations

from functools import cache

import pytest
from programs import read_data

from lusory.explain.declaration_names_and_lookup import fold_text
from lusory.explain.declarations_in_english import explain
from lusory.explain.glossary_terms_and_panel_titles import iterate_titles, merge_terms
from lusory_dsl.ruleset.loader_and_file_merging import load
from lusory_dsl.ruleset.model import Ruleset
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

GAMES = sorted(find_bundled_rulesets())


@cache
def ruleset(game: str) -> Ruleset:
    found = load(find_bundled_rulesets()[game], Diagnostics())
    assert found is not None
    return found


@pytest.mark.parametrize("game", GAMES)
def test_titles_options_spaces_and_what_is_declared_are_answered(game: str) -> None:
    r = ruleset(game)
    asked = [title for title, _ in iterate_titles(r) if title]
    asked += [value.text for option in r.options for value in option.values]
    named = (*r.keywords, *r.zones, *r.variables, *r.actions, *r.components)
    asked += [one.name.text for one in named]
    asked += [value.label or value.name.text for enum in r.enums for value in enum.values]
    for number, words in enumerate(asked):
        for spelt in {words} if number % 4 else {words, words.upper(), words.replace("_", " ")}:
            assert explain(r, spelt).strip(), spelt


@pytest.mark.parametrize("game", GAMES)
def test_the_glossary_tells_each_name_once_and_by_the_alphabet(game: str) -> None:
    lines = [line for line in explain(ruleset(game), "Glossary", 10_000).splitlines() if line]
    assert len(lines) == len(set(lines)) > 0
    assert lines == sorted(lines, key=lambda line: fold_text(line.partition(":")[0]))
    assert not any(term.count("(") > term.count(")") for term in (line.partition(":")[0] for line in lines))
    assert all(zone.name.text for zone in ruleset(game).zones)
    told = " ".join(lines).casefold()
    assert all((zone.label or zone.name.text.replace("_", " ")).casefold() in told for zone in ruleset(game).zones)


def test_a_word_is_explained_by_what_the_rules_say_and_not_by_its_own_name() -> None:
    lines = explain(ruleset("engines-of-war"), "glossary", 10_000).splitlines()
    terms = [line.partition(":")[0] for line in lines if line]
    assert len(lines) == len(set(lines))
    assert "VP tokens: The VP tokens that count for the player." in lines  # a title, by what it shows
    assert "Faction: Swarm or Republic." in lines
    assert "Bring the Swarm: 12 or more Swarm cards in play at the end of a round: you win." in lines
    assert any(line.startswith("Rush: You may deploy this card at once") for line in lines)
    assert not any("EW-" in line for line in lines)  # players read no numbers of clauses
    assert "Drafting" not in terms  # kept in mind unseen
    assert any(
        line.startswith("Republic: Few, expensive cards, each with an ability.") for line in lines
    )  # a value, as its text says
    everything = " ".join(lines)
    assert "one of" not in everything and "on the table," not in everything


def test_a_title_leads_to_what_it_shows() -> None:
    r = ruleset("engines-of-war")
    assert "The VP tokens that count for the player." in explain(r, "vp TOKENS")
    assert "The cards that count for VP" in explain(r, "both rows")


@pytest.mark.parametrize(("game", "asked", "told"), DATA["who plays is told what a thing is for and no more"])
def test_who_plays_is_told_what_a_thing_is_for_and_no_more(game: str, asked: str, told: str) -> None:
    assert explain(ruleset(game), asked, 10_000, at_table=True) == told


def test_a_space_is_told_of_and_other_words_are_not() -> None:
    assert "b2: a space, beside" in explain(ruleset("tic-tac-toe"), "B2")
    for words in ("nothing of that name", "z9", "", ":"):
        with pytest.raises(KeyError):
            explain(ruleset("tic-tac-toe"), words)


def test_helpers_of_authors_explain_no_word_of_players() -> None:
    lines = explain(ruleset("engines-of-war"), "glossary", 10_000).splitlines()
    assert not any("in words" in line for line in lines)  # of a function that is given cards
    assert "Discard pile: Discarded cards. At the end of the round they are shuffled into the deck." in lines


def test_a_term_stands_before_the_terms_that_begin_with_it() -> None:
    terms = [("card pile", "Cards."), ("Card", "Paper."), ("card-back", "Blue."), ("x", "")]
    assert merge_terms(terms) == ["Card: Paper.", "Card-back: Blue.", "Card pile: Cards."]
