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
from lusory_dsl.ruleset.loader_and_file_merging import load
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics

DATA = read_data(__file__)

FIXTURES = Path(__file__).parents[1] / "fixtures" / "packs"
DECKS, STORMS = FIXTURES / "decks", FIXTURES / "storms"


def written(folder: Path, text: str, name: str = "pack.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder


def found_in(base: Path, packs: Sequence[Path]) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    program = check(base, diagnostics, packs)
    assert (program is None) == diagnostics.has_errors
    return diagnostics.list_sorted()


def plain(value: model.Value) -> Any:
    if value.is_map:
        return {word.text: plain(inner) for word, inner in value.data}  # type: ignore[attr-defined]
    return [plain(item) for item in value.data] if isinstance(value.data, tuple) else value.data


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
def test_its_cases_are_played_in_the_game_with_it(engine: str) -> None:
    results = run_cases(load_program(DECKS, [STORMS]), STORMS, engine=engine)
    assert results
    assert all(result.passed for result in results), [f.diagnostic.message for r in results for f in r.failures]


def test_what_extends_adds() -> None:
    diagnostics = Diagnostics()
    ruleset = load(DECKS, diagnostics, [STORMS])
    assert ruleset is not None, diagnostics.list_sorted()

    options = {option.name.text: option for option in ruleset.options}
    tables = {table.name.text: plain(table.values) for table in ruleset.tables}
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


@pytest.mark.parametrize(("text", "wanted"), DATA["where phases of a pack stand"])
def test_where_phases_of_a_pack_stand(text: str, wanted: list[list[Any]], tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    ruleset = load(DECKS, diagnostics, [written(tmp_path, text)])
    assert ruleset is not None, diagnostics.list_sorted()
    assert [[phase.id.text, [inner.id.text for inner in phase.phases]] for phase in ruleset.phases] == wanted


@pytest.mark.parametrize(("first", "added", "wanted"), DATA["lists in tables are continued"])
def test_lists_in_tables_are_continued(first: str, added: str, wanted: list[str], tmp_path: Path) -> None:
    """Whether they say how many of each or not."""
    text = (DECKS / "ruleset.yaml").read_text(encoding="utf-8").replace("[eel, imp, eel]", first)
    game = written(tmp_path / "game", text, "ruleset.yaml")
    program = load_program(game, [written(tmp_path / "pack", f"extends: {{tables: {{cards_of: {{water: {added}}}}}}}")])
    numbers = program.tables["cards_of"].values[1]
    assert [program.entities[number].name for number in numbers] == wanted


def test_a_pack_on_a_pack(tmp_path: Path) -> None:
    """It extends and replaces what the first one brings; without that it does not fit."""
    text = "pack: {name: Gales, for: decks}\nreplaces: [zephyr]\nextends: {tables: {cards_of: {storm: [zephyr]}}}\n"
    gales = written(tmp_path, text + "cards: {zephyr: {kind: Creature, fields: {cost: 7}}}")
    program = load_program(DECKS, [STORMS, gales])

    assert next(entity for entity in program.entities if entity.name == "zephyr").fields["cost"] == 7
    assert "`zephyr` is under `replaces`" in found_in(DECKS, [gales])[0].message


# ---------------------------------------------------------------- what does not fit


@pytest.mark.parametrize(("pack", "code", "message", "hint"), DATA["what a pack can not do"])
def test_what_a_pack_can_not_do(pack: str, code: str, message: str, hint: str, tmp_path: Path) -> None:
    """One message, in the pack, that names the other place where there is one."""
    [found] = found_in(DECKS, [written(tmp_path, pack)])
    assert found.code.id == code
    assert message in found.message
    assert hint in (found.hint or "")
    assert found.span.source.name.endswith("pack.yaml")
    assert [Path(span.source.name).name for span, _ in found.notes] == ["ruleset.yaml"] * (code == "E0206")


@pytest.mark.parametrize("section", ["resources: [spark]", "view: {status: []}"])
def test_nothing_there_to_extend(section: str, tmp_path: Path) -> None:
    head = 'game: {id: decks, name: Decks, version: "1", language: 2, players: 2}'
    game = written(tmp_path / "game", head, "ruleset.yaml")
    [found] = found_in(game, [written(tmp_path / "pack", f"extends: {{{section}}}")])
    name = section.partition(":")[0]
    assert found.message == f"the ruleset has no `{name}` to extend"
    assert found.hint == f"declare it: write `{name}` at the left margin"


@pytest.mark.parametrize("version", ["1.2", '"1"'])
def test_versions_that_fit(version: str, tmp_path: Path) -> None:
    pack = written(tmp_path, f"pack: {{name: A, for: decks, for_version: {version}}}")
    assert not found_in(DECKS, [pack])


@pytest.mark.parametrize(("first", "second", "message", "hint"), DATA["two packs that clash"])
def test_two_packs_that_clash(first: str, second: str, message: str, hint: str, tmp_path: Path) -> None:
    packs = [
        written(tmp_path / name, f"pack: {{name: {name}, for: decks}}\n{text}")
        for name, text in (("First", first), ("Second", second))
    ]
    [found] = found_in(DECKS, packs)
    assert (found.code.id, found.message, found.hint) == ("E0206", message, hint)
    assert Path(found.span.source.name).parent.name == "Second"
    assert [Path(span.source.name).parent.name for span, _ in found.notes] == ["First"]


def test_a_game_is_no_pack_and_a_pack_no_game(tmp_path: Path) -> None:
    game = written(tmp_path, 'game: {id: other, name: Other, version: "1", language: 2, players: 2}', "ruleset.yaml")
    [found] = found_in(DECKS, [game])
    assert (found.code.id, found.message) == ("E0207", "Other is a whole game, not a pack for Decks")
    assert "play it by itself" in (found.hint or "")

    [found] = found_in(STORMS, [])
    assert (found.code.id, found.message) == ("E0207", "Storms is a pack for `decks`, not a game")
    assert found.hint == f"add it to the game: `lusory check decks --with {STORMS}`"


@pytest.mark.parametrize("key", ["pack: {name: a, for: b}", "extends: {players: 3}", "replaces: [game]"])
def test_what_stands_only_in_packs(key: str, tmp_path: Path) -> None:
    text = (DECKS / "ruleset.yaml").read_text(encoding="utf-8")
    [found] = found_in(written(tmp_path, f"{text}{key}", "ruleset.yaml"), [])
    assert found.code.id == "E0207"
    assert "is allowed only in a pack" in found.message


# ---------------------------------------------------------------- what is seen of it


def test_a_pack_adds_to_a_menu(tmp_path: Path) -> None:
    game = (
        'game: {id: menus, name: Menus, version: "1", language: 2, players: 2}\n'
        "actions: {wait: {do: 'announce \"a\"'}}\nmenus: {work: {actions: [wait]}}\n"
        "phases: [{id: go, do: 'each player: take action from work'}]\nscoring: {rank: ['0']}\n"
    )
    base = written(tmp_path / "game", game, "game.yaml")
    head = "pack: {name: More, for: menus, language: 2}\nactions: {fish: {do: 'announce \"b\"'}}\n"
    program = load_program(base, [written(tmp_path, head + "extends: {menus: {work: [fish]}}\n")])
    game_with_pack = Game(program, 2)

    state = game_with_pack.start(1)
    decision = game_with_pack.decision(state)
    assert decision is not None
    assert game_with_pack.option_ids(state, decision) == ["wait", "fish"]
    [twice] = found_in(base, [written(tmp_path, head + "extends: {menus: {work: [fish, wait]}}\n")])
    assert twice.code.id == "E0651"
    [unknown] = found_in(base, [written(tmp_path, head + "extends: {menus: {wrok: [fish]}}\n")])
    assert "there is no menu `wrok` to extend" in unknown.message
