"""Packs: what they may add to a ruleset, what they may not, and that one sees what they change.

``fixtures/packs/decks`` is a game of decks, ``storms`` a pack with a deck, ten cards, a keyword, and something of each
kind that a pack can extend.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from programs import read_data

from lusory.game import Game
from lusory.testing.cases.suite_runner import run_cases
from lusory_dsl.pipeline import check, load_program
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics

DATA = read_data(__file__)

FIXTURES = Path(__file__).parents[1] / "fixtures" / "packs"
DECKS, STORMS = FIXTURES / "decks", FIXTURES / "storms"


def write(folder: Path, text: str, name: str = "pack.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder


def check_packs(base: Path, packs: Sequence[Path]) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    program = check(base, diagnostics, packs)
    assert (program is None) == diagnostics.has_errors
    return diagnostics.list_sorted()


def simplify(value: model.Value) -> Any:
    if value.is_map:
        return {word.text: simplify(inner) for word, inner in value.data}  # type: ignore[attr-defined]
    return [simplify(item) for item in value.data] if isinstance(value.data, tuple) else value.data


# ---------------------------------------------------------------- what a pack adds


def test_a_pack_adds_a_deck_ten_cards_and_a_keyword() -> None:
    program = load_program(DECKS, [STORMS])
    base = load_program(DECKS)

    assert len(program.entities) == len(base.entities) + 10
    assert [value.name for value in program.enums["Deck"].values] == ["fire", "water", "storm"]
    assert set(program.keywords) - set(base.keywords) == {"Creature.charged"}
    assert base.digest != program.digest
    assert [(pack.name, pack.replaces) for pack in program.packs] == [("Storms", ("cards", "price"))]


@pytest.mark.parametrize("engine", ["evaluator", "compiled"])
def test_cases_of_a_pack_pass_in_its_game(engine: str) -> None:
    results = run_cases(load_program(DECKS, [STORMS]), STORMS, engine=engine)
    assert results
    assert not [failure.diagnostic.message for result in results for failure in result.failures]
    assert all(result.passed for result in results)


def test_extends_adds_items() -> None:
    diagnostics = Diagnostics()
    ruleset = load(DECKS, diagnostics, [STORMS])
    assert ruleset is not None, diagnostics.list_sorted()

    options = {option.name.text: option for option in ruleset.options}
    tables = {table.name.text: simplify(table.values) for table in ruleset.tables}
    zones = {zone.name.text: zone for zone in ruleset.zones}
    assert (ruleset.game.min_players, ruleset.game.max_players) == (2, 3)
    assert [word.text for word in options["opening"].values] == ["short", "long", "flood"]
    assert tables["cards_of"]["water"] == ["eel", "imp", "eel", "cloud"]
    assert tables["cards_of"]["storm"] == ["cloud", "gust", "bolt", "hail"]
    assert tables["opening_hand"] == {"short": 1, "long": 2, "flood": 3}
    assert [(word.text, text.text) for word, text in zones["well"].start] == [("mana", "99"), ("spark", "5")]
    assert [member.name.text for member in ruleset.components[0].effects] == ["comes", "crackles"]
    assert [answer.text for answer in ruleset.windows[0].actions] == ["shrug", "grumble"]
    assert [text.text for text in ruleset.more_setups] == ["move 1 spark from well to spent"]
    assert [phase.id.text for phase in ruleset.phases] == ["decks", "turns"]
    assert [phase.id.text for phase in ruleset.phases[1].phases] == ["weather", "turn"]
    assert ruleset.scoring is not None
    assert [title for title, _ in ruleset.scoring.show] == ["Creatures"]
    assert ruleset.view is not None
    assert [item.title for item in (*ruleset.view.players, *ruleset.view.shared)] == ["Field", "Well"]


@pytest.mark.parametrize(("text", "expected"), DATA["phases of a pack have a position"])
def test_phases_of_a_pack_have_a_position(text: str, expected: list[list[Any]], tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    ruleset = load(DECKS, diagnostics, [write(tmp_path, text)])
    assert ruleset is not None, diagnostics.list_sorted()
    assert [[phase.id.text, [inner.id.text for inner in phase.phases]] for phase in ruleset.phases] == expected


@pytest.mark.parametrize(("first", "second", "expected"), DATA["lists in tables are extended"])
def test_lists_in_tables_are_extended(first: str, second: str, expected: list[str], tmp_path: Path) -> None:
    """Both may give the number of each item, or not."""
    text = (DECKS / "ruleset.yaml").read_text(encoding="utf-8").replace("[eel, imp, eel]", first)
    game = write(tmp_path / "game", text, "ruleset.yaml")
    program = load_program(game, [write(tmp_path / "pack", f"extends: {{tables: {{cards_of: {{water: {second}}}}}}}")])
    numbers = program.tables["cards_of"].values[1]
    assert [program.entities[number].name for number in numbers] == expected


def test_pack_for_a_pack(tmp_path: Path) -> None:
    """It extends and replaces declarations of the first pack, and needs it."""
    text = "pack: {name: Gales, for: decks}\nreplaces: [zephyr]\nextends: {tables: {cards_of: {storm: [zephyr]}}}\n"
    gales = write(tmp_path, text + "cards: {zephyr: {kind: Creature, fields: {cost: 7}}}")
    program = load_program(DECKS, [STORMS, gales])

    assert next(entity for entity in program.entities if entity.name == "zephyr").fields["cost"] == 7
    assert "`zephyr` is under `replaces`" in check_packs(DECKS, [gales])[0].message


# ---------------------------------------------------------------- what does not fit


@pytest.mark.parametrize(("pack", "code", "message", "hint"), DATA["forbidden changes are reported"])
def test_forbidden_changes_are_reported(pack: str, code: str, message: str, hint: str, tmp_path: Path) -> None:
    """There is one message, in the pack, with a note about the other place if there is one."""
    [error] = check_packs(DECKS, [write(tmp_path, pack)])
    assert error.code.id == code
    assert message in error.message
    assert hint in (error.hint or "")
    assert error.span.source.name.endswith("pack.yaml")
    assert [Path(span.source.name).name for span, _ in error.notes] == ["ruleset.yaml"] * (code == "E0206")


@pytest.mark.parametrize("section", ["resources: [spark]", "view: {status: []}"])
def test_extending_a_missing_section_is_refused(section: str, tmp_path: Path) -> None:
    head = 'game: {id: decks, name: Decks, version: "1", language: 2, players: 2}'
    game = write(tmp_path / "game", head, "ruleset.yaml")
    [error] = check_packs(game, [write(tmp_path / "pack", f"extends: {{{section}}}")])
    name = section.partition(":")[0]
    assert error.message == f"the ruleset has no `{name}` to extend"
    assert error.hint == f"declare it: write `{name}` at the left margin"


@pytest.mark.parametrize("version", ["1.2", '"1"'])
def test_matching_versions_are_accepted(version: str, tmp_path: Path) -> None:
    pack = write(tmp_path, f"pack: {{name: A, for: decks, for_version: {version}}}")
    assert not check_packs(DECKS, [pack])


@pytest.mark.parametrize(("first", "second", "message", "hint"), DATA["conflicting packs are reported"])
def test_conflicting_packs_are_reported(first: str, second: str, message: str, hint: str, tmp_path: Path) -> None:
    packs = [
        write(tmp_path / name, f"pack: {{name: {name}, for: decks}}\n{text}")
        for name, text in (("First", first), ("Second", second))
    ]
    [error] = check_packs(DECKS, packs)
    assert (error.code.id, error.message, error.hint) == ("E0206", message, hint)
    assert Path(error.span.source.name).parent.name == "Second"
    assert [Path(span.source.name).parent.name for span, _ in error.notes] == ["First"]


def test_game_is_no_pack_and_pack_is_no_game(tmp_path: Path) -> None:
    game = write(tmp_path, 'game: {id: other, name: Other, version: "1", language: 2, players: 2}', "ruleset.yaml")
    [error] = check_packs(DECKS, [game])
    assert (error.code.id, error.message) == ("E0207", "Other is a whole game, not a pack for Decks")
    assert "play it by itself" in (error.hint or "")

    [error] = check_packs(STORMS, [])
    assert (error.code.id, error.message) == ("E0207", "Storms is a pack for `decks`, not a game")
    assert error.hint == f"add it to the game: `lusory check decks --with {STORMS}`"


@pytest.mark.parametrize("key", ["pack: {name: a, for: b}", "extends: {players: 3}", "replaces: [game]"])
def test_keys_of_packs_are_refused_in_games(key: str, tmp_path: Path) -> None:
    text = (DECKS / "ruleset.yaml").read_text(encoding="utf-8")
    [error] = check_packs(write(tmp_path, f"{text}{key}", "ruleset.yaml"), [])
    assert error.code.id == "E0207"
    assert "is allowed only in a pack" in error.message


# ---------------------------------------------------------------- what is seen of it


def test_pack_extends_a_menu(tmp_path: Path) -> None:
    game = (
        'game: {id: menus, name: Menus, version: "1", language: 2, players: 2}\n'
        "actions: {wait: {do: 'announce \"a\"'}}\nmenus: {work: {actions: [wait]}}\n"
        "phases: [{id: go, do: 'each player: take action from work'}]\nscoring: {rank: ['0']}\n"
    )
    base = write(tmp_path / "game", game, "game.yaml")
    head = "pack: {name: More, for: menus, language: 2}\nactions: {fish: {do: 'announce \"b\"'}}\n"
    program = load_program(base, [write(tmp_path, head + "extends: {menus: {work: [fish]}}\n")])
    game_with_pack = Game(program, 2)

    state = game_with_pack.start(1)
    decision = game_with_pack.decision(state)
    assert decision is not None and game_with_pack.option_ids(state, decision) == ["wait", "fish"]
    [error] = check_packs(base, [write(tmp_path, head + "extends: {menus: {work: [fish, wait]}}\n")])
    assert error.code.id == "E0651"
    [unknown] = check_packs(base, [write(tmp_path, head + "extends: {menus: {wrok: [fish]}}\n")])
    assert "there is no menu `wrok` to extend" in unknown.message
