"""Test families of cards: their errors, their cards, and their limits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from programs import read_data

from lusory_dsl.pipeline import check_text
from lusory_dsl.ruleset import constant_evaluator_and_card_families, model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_text
from lusory_dsl.source.diagnostics import Diagnostics

DATA = read_data(__file__)

HEAD = DATA["head"]


def load_cards(cards: str) -> tuple[model.Ruleset | None, Diagnostics]:
    diagnostics = Diagnostics()
    ruleset = load_text(HEAD + "".join(f"  {line}\n" for line in cards.splitlines()), diagnostics)
    return ruleset, diagnostics


WRONG = DATA["wrong"]


@pytest.mark.parametrize(("cards", "expected"), WRONG.items())
def test_wrong_families_are_reported(cards: str, expected: str) -> None:
    _, diagnostics = load_cards(cards)

    messages = [f"{error.code.id} {error.message} | {error.hint}" for error in diagnostics.list_sorted()]
    if not expected:
        assert messages == []
        return
    code, _, texts = expected.partition(" ")
    assert len(messages) == 1, messages
    assert messages[0].startswith(code), messages
    assert all(text.strip() in messages[0] for text in texts.split(" | ")), messages


@pytest.mark.parametrize("loop", ["n in 1..3 where face[n] in [face[1], face[2]]", "n in 1..2, m in [face[3 * n - 2]]"])
def test_conflict_of_two_cards_names_neither(loop: str) -> None:
    _, diagnostics = load_cards(f'"{{n}}": {{for: "{loop}", kind: Card}}')

    [error] = diagnostics.list_sorted()
    assert "has no entry" in error.message
    assert "of the card" not in error.message


@pytest.mark.parametrize(
    ("per", "messages"), [("Suit", ["`face` has no entry `1` (of the card with n = 1)"]), ("1.2", [])]
)
def test_list_of_table_that_is_not_per_range_is_no_crash(per: str, messages: list[str]) -> None:
    text = HEAD.replace("face: {per: [1..2]", f'face: {{per: ["{per}"]')
    load_text(
        f'{text}  "{{n}}": {{for: "n in 1..2", kind: Card, label: "{{face[n]}}"}}\n', diagnostics := Diagnostics()
    )

    assert [error.message for error in diagnostics.list_sorted()] == messages


def test_wrong_fields_name_the_card_and_the_values() -> None:
    text = HEAD + '  "s{n}": {for: "n in 1..2", kind: Card, fields: {rank: "face[n]"}}\n'
    diagnostics = Diagnostics()

    assert check_text(text + "scoring: {rank: [1]}\n", diagnostics) is None
    assert [error.message for error in diagnostics.list_sorted() if error.severity == "error"] == [
        "the field `rank` of `s1` (n = 1) is an `Int`, but this is the word `Ace`"
    ]


def test_cards_of_a_family_are_ordinary_cards() -> None:
    ruleset, diagnostics = load_cards(
        '"{suit}_{rank}": {for: "suit in Suit, rank in 1..2", kind: Card, label: "{rank}{suit.short}"}'
    )

    assert ruleset is not None, diagnostics.list_sorted()
    assert [card.id.text for card in ruleset.cards] == ["suns_1", "suns_2", "moons_1", "moons_2"]
    assert [card.label for card in ruleset.cards] == ["1S", "2S", "1M", "2M"]
    fields = ruleset.cards[2].fields
    assert [(name.text, value.data) for name, value in fields] == [("suit", "moons"), ("rank", 1)]
    assert ruleset.read_by_families == {"Suit"}


BOARDS = DATA["boards"]


@pytest.mark.parametrize(("board", "labels"), BOARDS.items())
def test_family_has_a_card_for_each_named_space_of_a_board(board: str, labels: list[str]) -> None:
    text = "game: {id: t, name: T, version: '1', language: 2, players: 2}\ncomponents: {Card: {}}\n"
    text += 'cards: {"at_{place}": {for: place in Place, kind: Card, label: "{place}"}}\nscoring: {rank: [1]}\n'
    program = check_text(f"{text}boards: {{Place: {board}}}\n", diagnostics := Diagnostics())

    assert program is not None, diagnostics.list_sorted()
    assert [entity.label for entity in program.entities] == labels
    assert [value.label for value in program.enums["Place"].values] == labels


def test_families_know_no_spaces_of_square_boards() -> None:
    text = HEAD.replace("tables:", "boards:\n  Square: {grid: 2 x 2}\ntables:")
    load_text(f'{text}  "{{s}}": {{for: s in Square, kind: Card}}\n', diagnostics := Diagnostics())

    (error,) = diagnostics.list_sorted()
    assert error.code.id == "E0401" and error.hint is not None and "`ring`, `track`, `links`, `lines`" in error.hint


def test_names_of_a_family_are_local() -> None:
    _, diagnostics = load_cards(
        '"a{n}": {for: "n in 1..2 where n mod 0 = 1", kind: Card}\n"b{m}": {for: "m in 1..2 where n = m", kind: Card}'
    )

    assert [error.code.id for error in diagnostics.list_sorted()] == ["E0633", "E0401"]


def test_families_share_a_limit_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_evaluator_and_card_families, "MAX_STEPS", 40)
    _, diagnostics = load_cards('"a{n}": {for: "n in 1..9", kind: Card}\n"b{n}": {for: "n in 1..9", kind: Card}')

    assert [error.code.id for error in diagnostics.list_sorted()] == ["E0616"]


def test_families_share_a_limit_of_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_evaluator_and_card_families, "MAX_CARDS", 17)
    _, diagnostics = load_cards('"a{n}": {for: "n in 1..9", kind: Card}\n"b{n}": {for: "n in 1..9", kind: Card}')

    assert [error.code.id for error in diagnostics.list_sorted()] == ["E0616"]


def test_cards_override_defaults() -> None:
    diagnostics = Diagnostics()
    text = HEAD.replace("rank: Int}}", "rank: Int}, defaults: {rank: 7}}") + "  a: {kind: Card, fields: {suit: suns}}\n"
    ruleset = load_text(text, diagnostics)

    assert ruleset is not None
    assert [(name.text, value.data) for name, value in ruleset.cards[0].fields] == [("suit", "suns"), ("rank", 7)]
    assert replace(ruleset.cards[0], fields=()).quoted_name == "`a`"
