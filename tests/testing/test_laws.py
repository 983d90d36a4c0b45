"""Test invariants with `for`, and laws of the data, which the check evaluates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import build_program, read_data, read_rules

from lusory.cli import main
from lusory.game import Game
from lusory.state.state import State
from lusory.testing.constant_data_invariants import check_laws
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics

DATA = read_data(__file__)

BASE = read_rules("laws_of_data")


def check_law(law: str) -> list[Diagnostic]:
    program = build_program(BASE + f"  - {law}\n")
    diagnostics = Diagnostics()
    check_laws(program, diagnostics)
    return diagnostics.list_sorted()


def get_line(error: Diagnostic) -> str:
    return error.span.source.get_line(error.span.line).strip()


@pytest.mark.parametrize(("law", "message", "place"), DATA["false laws are reported"])
def test_false_laws_are_reported(law: str, message: str, place: str) -> None:
    [error] = check_law(law)

    assert error.code.id == "E0901"
    assert message in error.message
    assert place in get_line(error)


@pytest.mark.parametrize("law", DATA["laws that visit too much"])
def test_laws_visit_a_limited_number_of_items(law: str) -> None:
    [error] = check_law(law)

    assert error.message == "the law `long` can't be computed: up to here, the laws visit more than 100,000 list items"


@pytest.mark.parametrize("law", DATA["invariants of the state and true laws are not reported"])
def test_invariants_of_the_state_and_true_laws_are_not_reported(law: str) -> None:
    assert check_law(law) == []


def test_each_fault_has_its_own_place() -> None:
    errors = check_law(
        "{id: few, for: d in Deck, always: size(d) > 9}\n  - {id: none, for: d in Deck, always: size(d) < 0}"
    )

    assert [get_line(error).partition(":")[0] for error in errors] == ["high", "low", "- {id"]
    assert all(error.notes for error in errors)


def list_broken(law: str, **options: Any) -> list[str]:
    program = build_program(BASE + f"  - {law}\n")
    game = Game(program, 3, options)
    return [invariant.message for invariant in game.broken_invariants(game.start())]


def test_broken_invariant_names_its_items() -> None:
    law = '{id: share, for: "p in players, n in 1..2 where n > 1", always: p.share <= n, because: "{p} has {p.share}"}'

    assert list_broken(law) == ["`share` is false for p = P3, n = 2: P3 has 3"]


def test_law_uses_the_options_of_the_game() -> None:
    law = "{id: bar, for: d in Deck, always: size(d) < 3 * bar}"

    assert list_broken(law) == []
    assert list_broken(law, bar=2) == ["`bar` is false for d = low"]


def test_laws_of_a_game_hold_for_its_packs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, pack = tmp_path / "base.yaml", tmp_path / "pack.yaml"
    law = '{id: size, for: d in Deck, always: size(d) <= 6, because: "{d} has {size(d)} cards"}'
    base.write_text(f"{BASE}  - {law}\n", encoding="utf-8")
    pack.write_text("extends:\n  enums: {Deck: [more]}\n  tables:\n    list_of: {more: {two: 9}}\n", encoding="utf-8")

    assert main(["check", str(base)]) == 0
    capsys.readouterr()
    assert main(["check", str(base), "--with", str(pack)]) == 1
    output = capsys.readouterr().out
    assert "E0901" in output
    assert "more has 9 cards" in output
    assert "pack.yaml:4:15" in output
    assert main(["play", str(base), "--with", str(pack), "--seats", "random,random"]) == 1
    assert "E0901" in capsys.readouterr().err


# ---------------------------------------------------------------- invariants of positions

POSITIONS = DATA["positions"]


def set_cell(name: str, value: int, *indices: int) -> Callable[[Game, State], None]:
    def change(game: Game, state: State) -> None:
        state.cells[game.layout.places[name].at(indices)] = value

    return change


def lose_a_card(game: Game, state: State) -> None:
    card = state.zones[game.layout.zones["stock"].at(())].pop()
    state.cells[game.layout.location + card] = None


def shorten(game: Game, state: State) -> None:
    del state.zones[game.layout.zones["stock"].at(())][9:]


@pytest.mark.parametrize(
    ("change", "broken_ids"),
    [
        (set_cell("round", 7), []),
        (set_cell("round", 99), ["cell"]),
        (set_cell("share", 9, 0), ["cells"]),
        (shorten, ["list"]),
        (lose_a_card, ["place"]),
    ],
)
def test_positions_break_invariants(change: Callable[[Game, State], None], broken_ids: list[str]) -> None:
    game = Game(build_program(BASE + POSITIONS), 3)
    state = game.start()
    assert game.broken_invariants(state) == []
    change(game, state)
    assert [invariant.id for invariant in game.broken_invariants(state)] == broken_ids
