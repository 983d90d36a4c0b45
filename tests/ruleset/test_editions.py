"""Editions of the language: of which one a file is, and what is not in it yet."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from lusory_dsl.effect import editions, nodes
from lusory_dsl.pipeline import check, check_text
from lusory_dsl.ruleset import shape
from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.memory import remembering

GAME = """game: {{id: pebbles, name: Pebbles, version: "1", language: {edition}, players: 2}}
"""
RULES = """
variables: {turn: {type: Int, start: 0}}
phases:
  - id: move
    do: |
      increase turn by 1
      announce "{cycle(players, turn)}"
scoring: {rank: ["0"]}
"""


def found(text: str) -> list[tuple[str, int, str]]:
    diagnostics = Diagnostics()
    check_text(dedent(text), diagnostics)
    return [(d.code.id, d.span.line, d.message) for d in diagnostics.sorted() if d.severity == "error"]


def test_what_came_later_is_refused_with_its_cure() -> None:
    diagnostics = Diagnostics()
    program = check_text(GAME.format(edition=1) + RULES, diagnostics)

    (fault,) = diagnostics.sorted()
    assert program is None
    assert (fault.code.id, fault.span.line) == ("E0208", 8)
    assert "`cycle` came with edition 2" in fault.message
    assert fault.hint is not None and "write `language: 2` under `game`" in fault.hint
    assert found(GAME.format(edition=2) + RULES) == []


def test_there_are_two_editions() -> None:
    assert [fault[0] for fault in found(GAME.format(edition=3) + RULES)] == ["E0204"]


def test_names_of_later_functions_are_free_before() -> None:
    own = RULES.replace("variables:", "queries: {cycle: {params: {xs: 'List[Player]', n: Int}, value: n}}\nvariables:")

    assert found(GAME.format(edition=1) + own) == []
    assert [fault[0] for fault in found(GAME.format(edition=2) + own)] == ["E0402"]


@pytest.mark.parametrize(("game", "pack", "codes"), [(1, 1, ["E0208"]), (1, 2, []), (2, 1, ["E0208"]), (2, 2, [])])
def test_a_pack_is_of_its_own_edition(tmp_path: Path, game: int, pack: int, codes: list[str]) -> None:
    (tmp_path / "game.yaml").write_text(GAME.format(edition=game) + RULES.replace("cycle(players, turn)", "turn"))
    said = "" if pack == 1 else f", language: {pack}"
    (tmp_path / "pack.yaml").write_text(f"pack: {{name: More, for: pebbles{said}}}\nextends: {{setup: turn(1)}}\n")
    more = (tmp_path / "pack.yaml").read_text().replace("turn(1)", "'announce \"{cycle(players, 1)}\"'")
    (tmp_path / "pack.yaml").write_text(more)
    diagnostics = Diagnostics()

    program = check(tmp_path / "game.yaml", diagnostics, [tmp_path / "pack.yaml"])

    assert [d.code.id for d in diagnostics.sorted() if d.severity == "error"] == codes
    if program is not None:
        assert (program.language, program.packs[0].language, program.edition) == (game, pack, max(game, pack))


def test_syntax_is_gated_by_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = "variables: {a: {type: Int, start: 0}}\nphases: [{id: x, do: 'if a = 0: increase a by 1'}]\n"
    rules += "scoring: {rank: [a]}\n"
    row = (editions.Later(2, "`if`"), editions.Later(2, "`if` with `else`", lambda node: node.otherwise))
    monkeypatch.setitem(editions.LATER, nodes.If, row)

    assert [fault[2].partition(" came")[0] for fault in found(GAME.format(edition=1) + rules)] == ["`if`"]
    assert found(GAME.format(edition=2) + rules) == []


def test_keys_and_alternatives_are_gated_by_their_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = shape._schema("ruleset", None)
    later: dict[str, Any] = {
        **whole,
        "properties": {
            **whole["properties"],
            "boats": {"edition": 2, "description": "Boats.", "type": "object"},
            "layers": {"anyOf": [whole["properties"]["layers"], {"edition": 2, "type": "object"}]},
        },
    }
    cached = (shape._schema, shape._validator, shape._quick_validator)
    monkeypatch.setattr(shape, "_schema", lambda name, part, edition=2: shape._as_of(later, edition))
    for one in cached[1:]:
        one.cache_clear()
    try:
        text = GAME.format(edition=1) + "boats: {}\nlayers: {a: b}\n"
        assert [(fault[0], fault[1]) for fault in found(text)] == [("E0208", 2)]  # and 3, told with it
        assert [fault[0] for fault in found(GAME.format(edition=1) + "layers: 3\n")] == ["E0204"]
    finally:
        for one in cached[1:]:
            one.cache_clear()


def test_a_file_that_did_not_change_is_read_by_the_new_edition(tmp_path: Path) -> None:
    """What is remembered of a file depends on a number that stands in another one."""
    (tmp_path / "rules.yaml").write_text(RULES)
    codes = []
    with remembering():
        for edition in (2, 1, 2):
            (tmp_path / "game.yaml").write_text(GAME.format(edition=edition))
            diagnostics = Diagnostics()
            check(tmp_path, diagnostics)
            codes.append([d.code.id for d in diagnostics.sorted() if d.severity == "error"])

    assert codes == [[], ["E0208"], []]
