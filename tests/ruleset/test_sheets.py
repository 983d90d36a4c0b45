"""Test how CSV sheets of cards are read, how rows become cards, and what is refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from programs import read_data

from lusory_dsl.pipeline import check
from lusory_dsl.ruleset import model, spreadsheets
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load
from lusory_dsl.ruleset.spreadsheets import make_id, read_rows
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import compute_fingerprint, read_ruleset_files
from lusory_dsl.source.source import Sheet

DATA = read_data(__file__)

RULESET = DATA["ruleset"]


def write(folder: Path, sheet: str | bytes, rules: str = "") -> Path:
    (folder / "cards").mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(RULESET + rules, encoding="utf-8")
    content = sheet.encode() if isinstance(sheet, str) else sheet
    (folder / "cards" / "sheet.csv").write_bytes(content)
    return folder


def get_errors(folder: Path) -> list[str]:
    diagnostics = Diagnostics()
    check(folder, diagnostics)
    return [
        f"{error.span.line}:{error.span.column} {error.code.id} {error.message} | {error.hint}"
        for error in diagnostics.list_sorted()
        if error.severity == "error"
    ]


def load_cards(folder: Path) -> tuple[model.CardDecl, ...]:
    diagnostics = Diagnostics()
    ruleset = load(folder, diagnostics)
    assert ruleset is not None, diagnostics.list_sorted()
    return ruleset.cards


def get_fields(card: model.CardDecl) -> dict[str, object]:
    def simplify(value: model.Value) -> object:
        return [simplify(item) for item in value.data] if isinstance(value.data, tuple) else value.data

    return {name.text: simplify(value) for name, value in card.fields}


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff", " \n"])
def test_three_kinds_of_sheets_are_read_alike(tmp_path: Path, separator: str, end: str, mark: str) -> None:
    rows = DATA["rows of a sheet"]
    cards = load_cards(write(tmp_path, mark + end.join(separator.join(row) for row in rows)))

    assert [(card.id.text, card.label, card.copies) for card in cards] == [
        ("bug", "Bug", 3),
        ("royal_guards_e", "Royal Guard’s é", 1),
    ]
    assert get_fields(cards[0]) == DATA["fields of a card"]
    assert get_fields(cards[1]) == {"cost": 0, "tags": [], "fast": False, "motto": 'a, b; c\t"d"'}
    assert [(word.text, getattr(value, "data", None)) for word, value in cards[0].keywords] == [
        ("rush", None),
        ("armour", 2),
    ]
    assert {card.kind.text for card in cards} == {"Card"}


def test_line_break_in_a_cell_is_part_of_it(tmp_path: Path) -> None:
    cards = load_cards(write(tmp_path, 'id,motto,cost\na,"one\ntwo",1\nb,x,2\n'))

    assert [get_fields(card)["motto"] for card in cards] == ["one\ntwo", "x"]


def test_yaml_adds_abilities_to_cards_of_a_sheet(tmp_path: Path) -> None:
    rules = "cards:\n  bug: {actions: {hit: 'announce \"hit\"'}, keywords: [rush]}\n  own: {kind: Card}\n"
    cards = load_cards(write(tmp_path, "id,cost,keywords\nbug,2,armour:1\n", rules))

    assert [card.id.text for card in cards] == ["bug", "own"]
    assert [word.text for word, _ in cards[0].keywords] == ["armour", "rush"]
    assert [action.name.text for action in cards[0].actions] == ["hit"]
    assert get_errors(tmp_path) == []


def test_bars_separate_abilities_in_a_printed_text(tmp_path: Path) -> None:
    cards = load_cards(write(tmp_path, 'id,text,cost\na,"Rush. | Draw a card.",1\nb,One.,2\nc,,3\n'))

    assert [tuple(line.text for line in card.text) for card in cards] == [("Rush.", "Draw a card."), ("One.",), ()]


def test_members_in_a_sheet_are_effect_text_with_places(tmp_path: Path) -> None:
    assert get_errors(write(tmp_path, 'id,cost,queries.boost,actions.hit\nbug,2,this.cost,"announce ""a, b"""\n')) == []
    [error] = get_errors(write(tmp_path, 'id,cost,queries.boost\nbug,2," 1 + this.""cots"""\n'))
    assert error.startswith("2:")
    [error] = get_errors(write(tmp_path, 'id,cost,queries.boost,motto\nbug,2,this.cots,""\n'))
    assert error.startswith("2:12 E0406 row 2, column `queries.boost`: ")


def test_column_names_the_kind_of_a_card(tmp_path: Path) -> None:
    cards = load_cards(write(tmp_path, "id,kind,cost,size\na,Card,1,\nb,Tile,,2\n"))

    assert [(card.kind.text, get_fields(card).get("size")) for card in cards] == [("Card", None), ("Tile", 2)]
    assert [card.kind.text for card in load_cards(write(tmp_path, "id,size\na,1\n"))] == ["Tile"]


def test_later_yaml_entry_names_the_kind_of_a_card(tmp_path: Path) -> None:
    folder = write(tmp_path, "id,cost\na,1\n")
    (folder / "cards" / "z.yaml").write_text("cards: {a: {kind: Card}}\n", encoding="utf-8")
    assert [card.kind.text for card in load_cards(folder)] == ["Card"]


def test_pack_can_have_a_sheet(tmp_path: Path) -> None:
    game, pack = write(tmp_path, "id,cost\nbug,1\n"), tmp_path / "pack"
    (pack / "cards").mkdir(parents=True)
    (pack / "pack.yaml").write_text("pack: {name: More, for: sheets, language: 2}\n", encoding="utf-8")
    (pack / "cards" / "more.csv").write_text("id,cost\nbee,2\n", encoding="utf-8")
    diagnostics = Diagnostics()
    ruleset = load(game, diagnostics, [pack])

    assert ruleset is not None, diagnostics.list_sorted()
    assert [card.id.text for card in ruleset.cards] == ["bug", "bee"]
    (pack / "cards" / "more.csv").write_text("id,cost\nbug,2\n", encoding="utf-8")
    assert load(game, diagnostics, [pack]) is None
    assert [error.code.id for error in diagnostics.list_sorted()] == ["E0206"]


PEOPLE = DATA["people"]


def test_column_headings_have_free_spelling(tmp_path: Path) -> None:
    """Headings may have blanks and capitals, members and keywords need no sections, and items may have a number."""
    head = "ID,Label,Workers needed,Made of,Years,Yield,Opens,Noisy,Output,Shift"
    row = 'mill,Mill,2,3 swarm republic,1..4,this.workers_needed,"announce ""open""",true,5,shuffle deck'
    ruleset = RULESET.replace("components:\n", PEOPLE.partition("keywords:\n")[0])
    ruleset = ruleset.replace("keywords:\n", "keywords:\n" + PEOPLE.partition("keywords:\n")[2])
    write(tmp_path, f"{head}\n{row}\n")
    (tmp_path / "ruleset.yaml").write_text(ruleset, encoding="utf-8")
    [card] = load_cards(tmp_path)

    assert get_fields(card) == {"workers_needed": 2, "made_of": ["swarm"] * 3 + ["republic"], "years": "1..4"}
    assert [name.text for name, _ in card.queries + card.effects] == ["yield", "opens"]
    assert [(name.text, getattr(value, "data", value)) for name, value in card.keywords[:2]] == [
        ("noisy", None),
        ("output", 5),
    ]
    assert [action.name.text for action in card.all_actions] == ["shift"]
    assert get_errors(tmp_path) == []
    program = check(tmp_path, Diagnostics())
    assert program is not None and [entity.fields["years"] for entity in program.entities] == [(1, 2, 3, 4)]


def test_numbers_in_headings_are_counts_or_items(tmp_path: Path) -> None:
    write(tmp_path, "id,made of\nmill,1 2 swarm\n")
    ruleset = RULESET.replace("components:\n", PEOPLE.partition("keywords:\n")[0])
    (tmp_path / "ruleset.yaml").write_text(ruleset, encoding="utf-8")
    [card] = load_cards(tmp_path)

    assert get_fields(card) == {"made_of": ["2", "swarm"]}


@pytest.mark.parametrize(("years", "expected"), DATA["wrong ranges in cells are reported"])
def test_wrong_ranges_in_cells_are_reported(tmp_path: Path, years: str, expected: str) -> None:
    write(tmp_path, f"id,years\nmill,{years}\n")
    ruleset = RULESET.replace("components:\n", 'components:\n  Works: {fields: {years: "List[Int]"}}\n')
    (tmp_path / "ruleset.yaml").write_text(ruleset, encoding="utf-8")
    [error] = get_errors(tmp_path)

    assert expected in error


# ---------------------------------------------------------------- what is refused

WRONG = DATA["wrong"]


@pytest.mark.parametrize(("sheet", "expected"), WRONG.items())
def test_errors_name_row_and_column(tmp_path: Path, sheet: str, expected: str) -> None:
    errors = get_errors(write(tmp_path, sheet))

    assert len(errors) == 1, errors
    first, _, hint = expected.partition(" | ")
    assert errors[0].startswith(first), errors
    assert hint in errors[0], errors


@pytest.mark.parametrize(("card", "expected"), DATA["duplicate values are refused"])
def test_duplicate_values_are_refused(tmp_path: Path, card: str, expected: str) -> None:
    [error] = get_errors(write(tmp_path, "id,label,copies,cost\nbug,Bug,1,2\n", f"cards:\n  {card}\n"))

    assert "E0631" in error
    assert expected in error


def test_text_in_other_encodings_is_refused(tmp_path: Path) -> None:
    assert "E0104" in get_errors(write(tmp_path, "id,label,cost\na,Ä,1\n".encode("latin-1")))[0]
    assert "UTF-16" in get_errors(write(tmp_path, "id,label,cost\na,Ä,1\n".encode("utf-16")))[0]


@pytest.mark.parametrize(("limit", "most", "sheet"), DATA["sheets have limits"])
def test_sheets_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, sheet: str) -> None:
    monkeypatch.setattr(spreadsheets, limit, most)

    assert [error.split()[1] for error in get_errors(write(tmp_path, sheet))] == ["E0111"]


def test_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    folder = write(tmp_path / "game", "id,cost\na,1\n")
    (tmp_path / "secret.csv").write_text("id,cost\nb,1\n", encoding="utf-8")
    (folder / "cards" / "link.csv").symlink_to(tmp_path / "secret.csv")

    assert "E0113" in get_errors(folder)[0]


# ---------------------------------------------------------------- what identifies a ruleset


def test_digest_of_a_ruleset_includes_sheets(tmp_path: Path) -> None:
    folder, diagnostics = write(tmp_path, "id,cost\na,1\n"), Diagnostics()
    before, program = compute_fingerprint(read_ruleset_files(folder)), check(folder, diagnostics)
    write(tmp_path, "id,cost\na,2\n")
    after = check(folder, diagnostics)

    assert program is not None
    assert after is not None
    assert before != compute_fingerprint(read_ruleset_files(folder))
    assert program.digest != after.digest


# ---------------------------------------------------------------- laws

CELL = st.text(st.sampled_from('ab" ,;\t\n1é'), max_size=6)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_rows_equal_those_of_the_standard_library(rows: list[list[str]], separator: str) -> None:
    head = ["head"] * 5  # several columns, so that the separator is detected
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows([head, *rows])
    source, diagnostics = Sheet("sheet.csv", text.getvalue()), Diagnostics()
    table = read_rows(source, diagnostics)

    assert table is not None, diagnostics.list_sorted()
    expected = [{n: cell.strip() for n, cell in enumerate(row) if cell.strip()} for row in [head, *rows]]
    assert [{n: cell.text for n, cell in row.items()} for row in table] == [row for row in expected if row]
    for row in table:
        for cell in row.values():
            embedded = cell.embedded_text
            assert "".join(source.text[place] for place in embedded.offsets[:-1]) == cell.text


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from('ab",;\t\n \u00a0'), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    diagnostics = Diagnostics()

    assert (read_rows(Sheet("sheet.csv", text), diagnostics) is None) == diagnostics.has_errors


def test_ids_are_derived_from_labels() -> None:
    assert [make_id(label) for label in ("Royal Guard", "T-95", "Queen's", "Éa  b!", "…")] == DATA["ids"]


def test_mistake_in_another_file_is_reported_without_the_sheet(tmp_path: Path) -> None:
    folder = write(tmp_path, "id,cost\nbug,1\n")
    (folder / "ruleset.yaml").write_text(RULESET.replace("version:", "version"))

    assert len(get_errors(folder)) == 1
