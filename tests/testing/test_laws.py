"""Invariants `for` each of something, with their words; and those that are laws of the data, tested by a check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from programs import checked, read_data, read_rules

from lusory.cli import main
from lusory.evaluator import invariants
from lusory.evaluator.expressions import Reader
from lusory.evaluator.invariants import Violation, find_breaches
from lusory.game import Game
from lusory.state.state import State
from lusory.testing.constant_data_invariants import check_laws
from lusory_dsl.core import Invariant
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics

DATA = read_data(__file__)

BASE = read_rules("laws_of_data")


def judged(law: str) -> list[Diagnostic]:
    program = checked(BASE + f"  - {law}\n")
    found = Diagnostics()
    check_laws(program, found)
    return found.list_sorted()


def line(found: Diagnostic) -> str:
    return found.span.source.get_line(found.span.line).strip()


@pytest.mark.parametrize(("law", "words", "place"), DATA["laws that do not hold"])
def test_laws_that_do_not_hold(law: str, words: str, place: str) -> None:
    [found] = judged(law)

    assert found.code.id == "E0901"
    assert words in found.message
    assert place in line(found)


@pytest.mark.parametrize("law", DATA["laws that visit too much"])
def test_the_laws_together_visit_a_limited_number_of_items(law: str) -> None:
    [found] = judged(law)

    assert found.message == "the law `long` can't be computed: up to here, the laws visit more than 100,000 list items"


@pytest.mark.parametrize("law", DATA["what reads the state is no law and what is right is not told"])
def test_what_reads_the_state_is_no_law_and_what_is_right_is_not_told(law: str) -> None:
    assert judged(law) == []


def test_each_fault_has_a_place_of_its_own() -> None:
    found = judged(
        "{id: few, for: d in Deck, always: size(d) > 9}\n  - {id: none, for: d in Deck, always: size(d) < 0}"
    )

    assert [line(d).partition(":")[0] for d in found] == ["high", "low", "- {id"]
    assert all(d.notes for d in found)


def broken(law: str, **options: Any) -> list[str]:
    program = checked(BASE + f"  - {law}\n")
    game = Game(program, 3, options)
    return [broken.message for broken in game.broken_invariants(game.start())]


def test_invariants_of_a_position_name_what_they_fail_for() -> None:
    law = '{id: share, for: "p in players, n in 1..2 where n > 1", always: p.share <= n, because: "{p} has {p.share}"}'

    assert broken(law) == ["`share` is false for p = P3, n = 2: P3 has 3"]


def test_in_a_game_a_law_is_read_with_its_options() -> None:
    law = "{id: bar, for: d in Deck, always: size(d) < 3 * bar}"

    assert broken(law) == []
    assert broken(law, bar=2) == ["`bar` is false for d = low"]


def test_what_a_pack_adds_keeps_the_laws_of_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, pack = tmp_path / "base.yaml", tmp_path / "pack.yaml"
    law = '{id: size, for: d in Deck, always: size(d) <= 6, because: "{d} has {size(d)} cards"}'
    base.write_text(f"{BASE}  - {law}\n", encoding="utf-8")
    pack.write_text("extends:\n  enums: {Deck: [more]}\n  tables:\n    list_of: {more: {two: 9}}\n", encoding="utf-8")

    assert main(["check", str(base)]) == 0
    capsys.readouterr()
    assert main(["check", str(base), "--with", str(pack)]) == 1
    shown = capsys.readouterr().out
    assert "E0901" in shown
    assert "more has 9 cards" in shown
    assert "pack.yaml:4:15" in shown
    assert main(["play", str(base), "--with", str(pack), "--seats", "random,random"]) == 1
    assert "E0901" in capsys.readouterr().err


# ---------------------------------------------------------------- looking again and again

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
    ("change", "again", "wrong"),
    [
        (lambda game, state: None, [], []),
        (set_cell("round", 7), ["cell", "either"], []),
        (set_cell("round", 99), ["cell", "either"], ["cell"]),
        (set_cell("share", 9, 0), ["cells"], ["cells"]),
        (shorten, ["list"], ["list"]),
        (lose_a_card, ["list", "place"], ["place"]),
    ],
)
def test_an_invariant_is_looked_at_again_when_what_it_read_has_changed(
    change: Callable[[Game, State], None], again: list[str], wrong: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only then; what is broken stays so until it is mended."""
    game = Game(checked(BASE + POSITIONS), 3)
    state = game.start()
    describe_thing: list[str] = []

    def noted(reader: Reader, invariant: Invariant) -> Iterator[Violation]:
        describe_thing.append(invariant.id)
        return find_breaches(reader, invariant)

    monkeypatch.setattr(invariants, "find_breaches", noted)
    assert game.broken_invariants(state) == []
    assert describe_thing == ["cell", "cells", "list", "place", "either"]
    changed = state.copy()
    change(game, changed)
    for expected in (again, wrong):
        describe_thing.clear()
        assert [broken.id for broken in game.broken_invariants(changed)] == wrong
        assert describe_thing == expected
    assert game.broken_invariants(state) == []


def test_what_holds_only_for_what_was_not_read_is_looked_at() -> None:
    """A condition that went another way has read something else."""
    game = Game(checked(BASE + POSITIONS), 3)
    state = game.start()
    assert game.broken_invariants(state) == []
    set_cell("share", 9, 0)(game, state)
    set_cell("round", 99)(game, state)

    assert [broken.id for broken in game.broken_invariants(state)] == ["cell", "cells", "either"]
