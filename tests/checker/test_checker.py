"""Test the checker: the diagnostics of wrong programs (``tests/errors``) and the result for right ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from programs import read_data

from lusory_dsl import Diagnostics, check, check_text
from lusory_dsl.checker.context import Notes
from lusory_dsl.checker.symbol_table import Names, QueryTypes
from lusory_dsl.checker.written_types_tables_and_card_fields import DataChecker
from lusory_dsl.ruleset import model
from lusory_dsl.source.diagnostic_codes import CODES
from lusory_dsl.source.source import Source, Span
from lusory_dsl.types.types import INT, ListType

DATA = read_data(__file__)

ERRORS = Path(__file__).parents[1] / "errors"
BASE = (ERRORS / "base.yaml").read_text(encoding="utf-8")
REMARK = re.compile(r"#! ([EW]\d{4})([^#]*)")


def list_chunks() -> list[Any]:
    chunks = []
    for file in sorted(ERRORS.glob("*.yaml")):
        line = 1
        for text in file.read_text(encoding="utf-8").split("---\n"):
            if file.stem != "base":
                chunks.append(pytest.param(text, id=f"{file.stem}:{line}"))
            line += text.count("\n") + 1
    return chunks


@pytest.mark.parametrize("chunk", list_chunks())
def test_wrong_programs(chunk: str, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")
    (tmp_path / "chunk.yaml").write_text(chunk, encoding="utf-8")
    diagnostics = Diagnostics()
    program = check(tmp_path, diagnostics)
    expected = {
        (number, code): text.strip()
        for number, line in enumerate(chunk.splitlines(), 1)
        for code, text in REMARK.findall(line)
    }
    reports: dict[tuple[int, str], str] = {}
    for error in diagnostics.list_sorted():
        key = (error.span.line if error.span.source.name.endswith("chunk.yaml") else 0, error.code.id)
        reports[key] = f"{reports.get(key, '')}\n{error.message} | {error.hint}"

    assert reports.keys() == expected.keys(), "\n".join(f"{key}: {text}" for key, text in reports.items())
    assert [(key, reports[key]) for key, text in expected.items() if text not in reports[key]] == []
    assert (program is None) == any(code.startswith("E") for _, code in expected)


def test_every_code_of_the_checker_has_a_wrong_program() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in ERRORS.glob("*.yaml"))
    codes = {code for code, _ in REMARK.findall(text)} | {
        "E0605",  # a lone ruleset without scoring: tested below
        "E0632",  # needs a sheet, which isn't YAML
        "W0733",  # a part of the ranking: tested below
        "W0731",  # needs a sheet: see tests/ruleset/test_loader.py
        "W0737",  # needs a lock file: see tests/commands/test_text.py
    }

    assert {code for code in CODES if code[1:3] in {"04", "05", "06", "07"}} <= codes


@pytest.mark.parametrize(("phases", "expected"), DATA["endings without ranking name winners"])
def test_endings_without_ranking_name_winners(phases: str, expected: tuple[int, str]) -> None:
    diagnostics = Diagnostics()
    head = "game: {id: g, name: G, version: '1', language: 2, players: 2}\nscoring: {payoff: zero_sum}\nphases:\n"
    check_text(f"{head}  - {{id: a, do: {phases}", diagnostics)

    (error,) = diagnostics.list_sorted()
    assert (error.code.id, error.span.line, error.message) == ("E0605", *expected)


@pytest.mark.parametrize(
    ("rank", "hint"),
    [("points", "write `[points]`"), ("sum(w[x] for x in 1..3)", 'write `["sum(w[x] for x in 1..3)"]`')],
)
def test_suggested_list_has_the_quotes_that_its_item_needs(rank: str, hint: str) -> None:
    diagnostics = Diagnostics()
    check_text(
        f"game: {{id: g, name: G, version: '1', language: 2, players: 2}}\nscoring:\n  rank: {rank}", diagnostics
    )

    assert [(error.code.id, error.hint) for error in diagnostics.list_sorted()] == [("E0203", hint)]


@pytest.mark.parametrize(("rank", "expected"), DATA["rank part equal for all players is warned of"])
def test_rank_part_equal_for_all_players_is_warned_of(rank: str, expected: list[str]) -> None:
    diagnostics = Diagnostics()
    check_text(DATA["rank"].replace("RANK", rank), diagnostics)
    warnings = [warning for warning in diagnostics.list_sorted() if warning.code.id == "W0733"]

    assert [warning.span.source.text[warning.span.start : warning.span.end] for warning in warnings] == expected


def test_scoring_is_required() -> None:
    diagnostics = Diagnostics()
    check_text(
        "game: {id: g, name: G, version: '1', language: 2, players: 2}\nphases: [{id: a, do: end game}]", diagnostics
    )

    assert [error.code.id for error in diagnostics.list_sorted()] == ["E0605"]


def test_a_list_of_plain_data_loses_only_its_wrong_items() -> None:
    diagnostics = Diagnostics()
    checker = DataChecker(Names(QueryTypes(lambda name: INT)), Notes(), diagnostics)
    span = Span(Source("g.yaml", "listed"), 0, 6)

    def check_list(data: object, is_map: bool) -> object:
        return checker.check_value(ListType(INT), model.Value(data, is_map, span), "it")

    two, word = model.Value(2, False, span), model.Value("two", False, span)
    assert check_list((two, word), False) == (2,)
    assert check_list(((model.Word("two", span), two), (model.Word("3", span), two)), True) == (3, 3)
    assert len(diagnostics.list_sorted()) == 1, "both are at one place"


def test_an_empty_list_tells_nothing_of_the_types_of_its_neighbours() -> None:
    diagnostics = Diagnostics()
    text = """
game: {id: g, name: G, version: "1", language: 2, players: 2}
enums: {A: [red, blue], B: [red, green]}
scoring: {rank: [size]}
queries: {size: {value: "count([[], [A.blue], [red]])"}}
"""
    check_text(text, diagnostics)

    assert [error for error in diagnostics.list_sorted() if error.code.id.startswith("E")] == []


@pytest.mark.parametrize("condition", ["red = hue", "hue = red", "red in [hue]", "hue in [red]"])
def test_other_operand_tells_a_card_from_a_value_of_its_name(condition: str) -> None:
    diagnostics = Diagnostics()
    text = f"""
game: {{id: g, name: G, version: "1", language: 2, players: 2}}
enums: {{Colour: [red, blue]}}
components: {{Card: {{}}}}
cards: {{red: {{kind: Card}}}}
variables: {{hue: {{type: Colour, start: blue}}}}
queries: {{fits: {{value: {condition}}}}}
"""
    check_text(text, diagnostics)

    assert [error.message for error in diagnostics.list_sorted() if "is a card and" in error.message] == []


def test_orthogonals_need_a_board_with_a_compass() -> None:
    diagnostics = Diagnostics()
    text = """
game: {id: g, name: G, version: "1", language: 2, players: 2}
enums: {Compass: [up, down]}
boards: {Cell: {ring: [a, b, c]}}
phases: [{id: walk, do: 'for each d in orthogonals: announce "go {d}"'}]
"""
    check_text(text, diagnostics)

    assert "unknown name `orthogonals`" in [error.message for error in diagnostics.list_sorted()]


def test_start_of_a_pool_names_each_kind_once() -> None:
    diagnostics = Diagnostics()
    text = """
game: {id: g, name: G, version: "1", language: 2, players: 2}
enums: {Metal: {gold: {plural: golds}, iron: {}}}
zones: {bank: {holds: Metal, start: {gold: 3, golds: 4}}}
"""
    check_text(text, diagnostics)
    messages = [error.message for error in diagnostics.list_sorted() if error.code.id == "E0101"]

    assert messages == ["`golds` is given twice, by its name and its plural"]
