"""Test that ``lusory new`` makes correct games and packs for every bundled game, or writes nothing."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import yaml
from programs import read_data

from lusory.cli import main
from lusory.game import Game
from lusory.testing.cases.suite_runner import run_cases
from lusory_dsl import core
from lusory_dsl.pipeline import check, load_program
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets, find_bundled_template

DATA = read_data(__file__)

HAND_GAME = DATA["hand game"]


@pytest.fixture(autouse=True)
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_game(game: Path, packs: list[Path], cases: Path) -> core.Program:
    """Return the program. Assert that its only warning is about a card in no deck, and that its cases pass."""
    diagnostics = Diagnostics()
    program = check(game, diagnostics, packs)
    assert not [f"{report.span}: {report.message}" for report in diagnostics.list_sorted() if report.code.id != "W0734"]
    assert program is not None
    results = run_cases(program, cases)
    assert results
    assert all(result.passed for result in results), results
    return program


def test_cases_of_the_new_game_are_outdated_once_no_card_is_left(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    advice = "fits the rules. If it tests an older game, rewrite or delete it."
    assert main(["new", "my-game"]) == 0
    capsys.readouterr()
    cases, rules = cwd / "my-game" / "cases" / "cards.yaml", cwd / "my-game" / "ruleset.yaml"

    cases.write_text(cases.read_text(encoding="utf-8").replace("thief, baker", "thief, bakre"), encoding="utf-8")
    assert main(["test", "my-game"]) == 1
    assert advice not in capsys.readouterr().out

    rules.write_text(HAND_GAME, encoding="utf-8")
    assert main(["test", "my-game"]) == 1
    assert "\n".join([f"No case of {Path('my-game/cases/cards.yaml')} {advice}", "0 passed, 3 failed", ""]) in (
        capsys.readouterr().out
    )


def test_a_new_game_is_complete(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "my-game"]) == 0
    output = capsys.readouterr().out
    folder = cwd / "my-game"
    program = check_game(folder, [], folder)
    game = Game(program)
    state = game.start(seed=1)
    while game.decision(state) is not None:
        state = game.apply(state, 0)

    assert (program.id, program.name) == ("my-game", "My Game")
    assert program.layout.player
    assert "lusory play my-game" in output
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = file.read_text(encoding="utf-8")
        assert str(file.relative_to(cwd)) in output
        assert find_bundled_template().name not in text
        assert load_program(find_bundled_template()).name not in text


def test_files_of_a_new_game_name_their_schema(cwd: Path) -> None:
    assert main(["new", "my-game"]) == 0
    for file, kind in (("ruleset.yaml", "ruleset"), ("cases/cards.yaml", "cases")):
        last = (cwd / "my-game" / file).read_text(encoding="utf-8").splitlines()[-1]
        mark, _, schema = last.partition("=file://")
        assert mark == "# yaml-language-server: $schema"
        assert json.loads(Path(schema).read_text(encoding="utf-8"))["type"] == "object"
        assert Path(schema).name == f"{kind}.schema.json"
    assert main(["fmt", "--check", "my-game"]) == 0


def test_template_is_no_bundled_game() -> None:
    assert find_bundled_template().name not in find_bundled_rulesets()


def test_suggested_commands_run(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The game's name has blanks, so that the commands must quote it."""
    (cwd / "my games").mkdir()
    assert main(["new", "my games/first"]) == 0
    commands = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  lusory check")]
    program, *args = shlex.split(commands[0].partition("  ")[0])
    assert program == "lusory"
    assert main(args) == 0


WITHOUT_CARDS = ("hex", "lines-of-action", "nine-mens-morris", "oware", "othello")  # tic-tac-toe stands for these


@pytest.mark.parametrize("game", [name for name in find_bundled_rulesets() if name not in WITHOUT_CARDS])
def test_a_new_pack_fits_its_game(game: str, cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "--pack", "my-cards", "--for", game]) == 0
    output = capsys.readouterr().out
    program = check_game(find_bundled_rulesets()[game], [cwd / "my-cards"], cwd / "my-cards")

    assert bool(program.entities) == any(entity.card == "newcomer" for entity in program.entities)
    assert f"lusory play {game} --with my-cards" in output
    assert ("How the card comes into play: " in output) == bool(program.entities)
    assert (cwd / "my-cards" / "README.md").is_file()
    assert yaml.safe_load((cwd / "my-cards" / "pack.yaml").read_text(encoding="utf-8"))["pack"]["language"] == 2


def test_new_pack_says_how_its_card_enters_play(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deal_rules = DATA["new pack says how its card enters play"]
    (cwd / "hands.yaml").write_text(HAND_GAME.replace("token in Token", "token in hand") + deal_rules)
    assert main(["new", "--pack", "more", "--for", "hands.yaml"]) == 0
    text = (cwd / "more" / "pack.yaml").read_text(encoding="utf-8")

    assert "add it to the table `filling`" in capsys.readouterr().out
    assert "#     filling:\n#       small: {newcomer_2: 1}\n" in text


def test_new_pack_fits_an_own_game(cwd: Path) -> None:
    """The new card has an id that is free, and answers each query of its kind."""
    (cwd / "hands.yaml").write_text(HAND_GAME)
    assert main(["new", "--pack", "more", "--for", "hands.yaml"]) == 0
    program = check_game(cwd / "hands.yaml", [cwd / "more"], cwd / "more")

    first, second = program.entities
    assert (first.name, second.name) == ("newcomer", "newcomer_2")
    assert {**first.fields, "original": 1, "copies": (1,), "pile number": 1} == second.fields


def test_a_game_with_mistakes_gets_no_pack(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (cwd / "hands.yaml").write_text(HAND_GAME.replace("move token", "mvoe token"))
    assert main(["new", "--pack", "more", "--for", "hands.yaml"]) == 1
    assert "error[" in capsys.readouterr().err
    assert not (cwd / "more").exists()


@pytest.mark.parametrize(("args", "complaint", "hint"), DATA["impossible requests are refused"])
def test_impossible_requests_are_refused(
    args: list[str], complaint: str, hint: str, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cwd / "taken").mkdir()
    assert main(["new", *args]) == 2
    errors = capsys.readouterr().err
    assert complaint in errors
    assert hint in errors
    assert [path.name for path in cwd.iterdir()] == ["taken"]


def test_failed_writing_leaves_no_files(
    cwd: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail_to_rename(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "rename", fail_to_rename)

    assert main(["new", "my-game"]) == 1
    assert "No space left" in capsys.readouterr().err
    assert not list(cwd.iterdir())
