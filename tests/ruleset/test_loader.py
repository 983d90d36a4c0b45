"""Test the loader: files become one ruleset, and each error has a code, a place and a hint."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from programs import read_data, read_rules

from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load, load_files, load_text
from lusory_dsl.source import safe_files_and_bundled_data
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import RulesetFiles
from lusory_dsl.source.source import EmbeddedText

DATA = read_data(__file__)

GAME = 'game: {id: pebbles, name: Pebbles, version: "1.0", language: 2, players: 2..4}\n'

EVERYTHING = read_rules("all_there_is")


def load_ruleset(text: str) -> model.Ruleset:
    diagnostics = Diagnostics()
    ruleset = load_text(text, diagnostics)

    assert ruleset is not None, diagnostics.list_sorted()
    assert len(diagnostics) == 0
    return ruleset


def list_faults(text: str) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    ruleset = load_text(text, diagnostics, "test.yaml")

    assert (ruleset is None) == diagnostics.has_errors
    return diagnostics.list_sorted()


def list_places(errors: list[Diagnostic]) -> list[tuple[str, int, int]]:
    return [(error.code.id, error.span.line, error.span.column) for error in errors]


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


# ---------------------------------------------------------------- what is built


def test_every_section_is_in_the_model() -> None:
    ruleset = load_ruleset(EVERYTHING)
    [job, token] = ruleset.components
    [mill] = ruleset.cards
    [round_] = ruleset.phases
    assert ruleset.scoring is not None
    assert ruleset.view is not None
    assert ruleset.setup is not None

    assert (ruleset.game.version, ruleset.game.authors) == ("1.10", ("Ann", "2 others"))
    assert ruleset.game.about == "Everything that a ruleset can say."
    assert (ruleset.game.min_players, ruleset.game.max_players) == (2, 4)
    assert [
        (option.name.text, option.range, [value.text for value in option.values], option.default.data)
        for option in ruleset.options
    ] == [("fast", None, [], False), ("days", (-1, 9), [], 5), ("start", None, ["open", "hidden"], "open")]
    assert [(enum.name.text, [(value.name.text, value.label) for value in enum.values]) for enum in ruleset.enums] == [
        ("Resource", [("coin", "Coin"), ("wood", None)]),
        ("Side", [("left", None), ("right", None)]),
        ("Season", [("dry", "Dry season")]),
    ]
    assert [(name.text, kind.text) for name, kind in job.fields] == [("pay", "Int"), ("needs", "List[Resource]")]
    assert token.fields == ()
    assert (mill.copies, next((name.text, value.data) for name, value in mill.fields)) == (2, ("pay", 3))
    assert [word.text for word in ruleset.tables[0].per] == ["Side", "1..2"]
    assert ruleset.tables[0].values.is_map
    assert [word.text for word in ruleset.layers] == ["base", "bonus"]
    assert (round_.at_most, [phase.id.text for phase in round_.phases]) == (5, ["work"])
    assert [len(action.conditions) for action in ruleset.actions] == [2, 1]
    assert [value.text for value in ruleset.scoring.rank] == ["day", "1"]
    assert [board.rows.text for board in ruleset.view.boards] == ["1..2"]
    assert ruleset.setup.text == "shuffle deck\n"
    assert ruleset.directory is None


def test_zones_hold_counters_or_cards() -> None:
    bank, deck = load_ruleset(EVERYTHING).zones

    assert [(kind.text, number.text) for kind, number in bank.start] == [("coin", "40")]
    assert ([kind.text for kind in bank.kinds or ()], bank.is_unlimited, bank.start_kind) == (["coin"], True, None)
    assert deck.start_kind is not None
    assert (deck.start, deck.start_kind.text, deck.kinds) == ((), "Job", None)
    assert deck.start_kind.span.source.text[deck.start_kind.span.start : deck.start_kind.span.end] == "Job"


def test_numbers_and_booleans_keep_their_effect_text() -> None:
    starts = [variable.start for variable in load_ruleset(EVERYTHING).variables]

    assert [start.text for start in starts] == ["1", "false"]
    assert all(start.base.text[start.offsets[0] :].startswith(start.text) for start in starts)


def test_effect_text_has_its_place() -> None:
    text = GAME + "effects:\n  a:\n    do: >-\n      one\n      two\n"
    do: EmbeddedText = load_ruleset(text).effects[0].do

    assert do.text == "one two"
    assert str(do.make_span(4, 7)) == "<text>:6:7"


@pytest.mark.parametrize(("players", "low", "high"), [("2", 2, 2), ("2..4", 2, 4), ('"1..26"', 1, 26)])
def test_numbers_of_players(players: str, low: int, high: int) -> None:
    game = load_ruleset(GAME.replace("2..4", players)).game

    assert (game.min_players, game.max_players) == (low, high)


# ---------------------------------------------------------------- files


def test_files_merge_in_order_of_their_names(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "ruleset.yaml": GAME + "queries: {b: {value: 2}}\n",
            "alpha.yaml": "queries: {a: {value: 1}}\nlayers: [one]\n",
            "zeta.yaml": "# nothing yet\n",
            "cards/jobs.yaml": "components: {Job: {}}\ncards: {mill: {kind: Job}}\n",
            "cases/case.yaml": "cases: []\n",
            "notes.txt": "not: [read",
        },
    )
    diagnostics = Diagnostics()
    ruleset = load(folder, diagnostics)

    assert ruleset is not None, diagnostics.list_sorted()
    assert [query.name.text for query in ruleset.queries] == ["a", "b"]
    assert [card.id.text for card in ruleset.cards] == ["mill"]
    assert ruleset.directory == str(folder)
    names = [Path(source.name).name for source in ruleset.sources]
    assert names == ["alpha.yaml", "jobs.yaml", "ruleset.yaml", "zeta.yaml"]


def test_single_file_is_a_ruleset(tmp_path: Path) -> None:
    ruleset = load(write(tmp_path, {"pebbles.yaml": GAME}) / "pebbles.yaml", Diagnostics())

    assert ruleset is not None and ruleset.directory == str(tmp_path)


def test_digest_depends_only_on_names_and_texts(tmp_path: Path) -> None:
    def compute_digest(files: dict[str, str], folder: str) -> str:
        ruleset = load(write(tmp_path / folder, files), Diagnostics())
        assert ruleset is not None
        return ruleset.digest

    first = compute_digest({"ruleset.yaml": GAME}, "a")

    assert compute_digest({"ruleset.yaml": GAME}, "b") == first
    assert compute_digest({"ruleset.yaml": GAME.replace("\n", "\r\n")}, "c") == first
    assert compute_digest({"ruleset.yaml": GAME + "# x\n"}, "d") != first
    assert compute_digest({"other.yaml": GAME}, "e") != first


def test_pack_adds_and_replaces(tmp_path: Path) -> None:
    base = write(tmp_path / "base", {"ruleset.yaml": GAME + "queries: {a: {value: 1}, b: {value: 2}}\nsetup: a()\n"})
    pack = write(
        tmp_path / "pack", {"more.yaml": "replaces: [a, setup]\nqueries: {c: {value: 3}, a: {value: 9}}\nsetup: b()\n"}
    )
    diagnostics = Diagnostics()
    ruleset = load(base, diagnostics, [pack])

    assert ruleset is not None, diagnostics.list_sorted()
    assert [(query.name.text, query.value.text) for query in ruleset.queries] == [("a", "9"), ("b", "2"), ("c", "3")]
    assert ruleset.setup is not None
    assert ruleset.setup.text == "b()"
    plain = load(base, Diagnostics())
    assert plain is not None and plain.digest != ruleset.digest


def test_pack_replaces_only_what_it_names(tmp_path: Path) -> None:
    base = write(tmp_path / "base", {"ruleset.yaml": GAME + "queries: {attack: {value: 1}}\n"})
    pack = write(tmp_path / "pack", {"a.yaml": "queries: {attack: {value: 2}}\n", "b.yaml": "replaces: [atack]\n"})
    diagnostics = Diagnostics()

    assert load(base, diagnostics, [pack]) is None
    double, unknown = diagnostics.list_sorted()
    assert (double.code.id, double.span.line, double.span.column) == ("E0206", 1, 11)
    assert [Path(span.source.name).name for span, _ in double.notes] == ["ruleset.yaml"]
    assert (unknown.code.id, unknown.hint) == ("E0204", "did you mean `attack`?")


# ---------------------------------------------------------------- faults


def test_missing_files_are_reported(tmp_path: Path) -> None:
    def get_error(path: Path) -> Diagnostic:
        diagnostics = Diagnostics()
        assert load(path, diagnostics) is None
        [error] = diagnostics.list_sorted()
        assert error.code.id == "E0112"
        return error

    assert get_error(tmp_path / "nowhere").message == f"there is no file or folder `{tmp_path / 'nowhere'}`"
    assert "holds no .yaml file" in get_error(tmp_path).message
    assert "`ring.yml` is not read" in get_error(write(tmp_path / "misnamed", {"ring.yml": GAME})).message
    assert get_error(write(tmp_path / "empty", {"ruleset.yaml": "# soon\n"})).message == "the file is empty"
    for name in safe_files_and_bundled_data.find_bundled_rulesets():
        assert get_error(Path(name[:-1])).hint == f"did you mean `{name}`?"


def test_files_in_memory_need_no_disk() -> None:
    path = Path("nowhere/new.yaml")

    assert load_files((RulesetFiles(path, ((path, GAME.encode()),)),), Diagnostics()) is not None


def test_cards_beside_sheets(tmp_path: Path) -> None:
    """Cards without a sheet, and sheets that are not read, are reported."""
    head = 'game: {id: a, name: A, version: "1", language: 2, players: 2}\ncomponents: {Card: {fields: {n: Int}}}\n'
    head += 'cards: {kings: {fields: {n: 2}}}\nscoring: {rank: ["1"]}\n'
    sheets = {"cards/a.csv": "id,n\nking,1\n", "more.csv": "id,n\nqueen,1\n", "cards/b.ods": "", "cases/c.csv": ""}
    diagnostics = Diagnostics()
    assert load(write(tmp_path / "two", {"ruleset.yaml": head, **sheets}), diagnostics) is None
    reports = [(report.code.id, report.message, report.hint) for report in diagnostics.list_sorted()]
    assert ("E0202", "`cards.kings`: `kind` is missing", "no sheet has a card `kings`: did you mean `king`?") in reports
    assert ("W0731", "lusory doesn't read the sheet `more.csv`", "move it to `cards/` and save it as `.csv`") in reports
    assert ("W0731", "lusory doesn't read the sheet `b.ods`", "save it as `.csv`") in reports
    assert len(reports) == 3


@pytest.mark.parametrize(("line", "expected"), DATA["only language 2 is accepted"])
def test_only_language_2_is_accepted(line: str, expected: list[str]) -> None:
    diagnostics = Diagnostics()
    text = GAME.replace("language: 2, ", line) + 'components: {Card: {}}\nscoring: {rank: ["1"]}\n'
    assert load_text(text, diagnostics) is None
    (error,) = diagnostics.list_sorted()
    assert [error.code.id, error.message] == expected
    assert error.hint is not None
    assert "`language: 2` is the only edition" in error.hint


def test_errors_of_all_files_are_reported_together(tmp_path: Path) -> None:
    files = {"a.yaml": "zones: {a: {hold: X}}\n", "b.yaml": "x: [\n", "c.yaml": "y: 1\n"}
    diagnostics = Diagnostics()

    assert load(write(tmp_path, files), diagnostics) is None
    assert [(Path(error.span.source.name).name, error.code.id) for error in diagnostics.list_sorted()] == [
        ("a.yaml", "E0201"),
        ("b.yaml", "E0102"),
        ("c.yaml", "E0201"),
    ]


@pytest.mark.parametrize(("text", "code", "place"), DATA["error has its code and place"])
def test_error_has_its_code_and_place(text: str, code: str, place: tuple[int, int]) -> None:
    assert list_places(list_faults(text)) == [(code, *place)]


def test_single_section_is_allowed_in_one_file_only(tmp_path: Path) -> None:
    diagnostics = Diagnostics()

    assert load(write(tmp_path, {"a.yaml": GAME, "b.yaml": GAME}), diagnostics) is None
    [error] = diagnostics.list_sorted()
    assert (error.code.id, error.message) == ("E0206", "the section `game` is declared twice")
    assert [Path(span.source.name).name for span, _ in error.notes] == ["a.yaml"]


# ---------------------------------------------------------------- where the data lie


def test_data_folders_are_found_in_a_checkout() -> None:
    assert (safe_files_and_bundled_data.find_data_folder("schema") / "ruleset.schema.json").is_file()
    assert safe_files_and_bundled_data.find_data_folder("diagnostics").name == "diagnostics"


def test_data_folders_are_found_in_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lusory" / "_data" / "rulesets" / "pebbles"
    write(folder, {"ruleset.yaml": GAME})
    monkeypatch.setattr(safe_files_and_bundled_data, "_PACKAGE", tmp_path / "lusory_dsl")

    assert safe_files_and_bundled_data.find_bundled_rulesets() == {"pebbles": folder}
    shutil.rmtree(tmp_path / "lusory")
    with pytest.raises(FileNotFoundError):
        safe_files_and_bundled_data.find_data_folder("schema")
