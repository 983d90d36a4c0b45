"""Test which rules a saved game may load, by which rules it continues, and which files saving replaces."""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from programs import BIDS, create_save
from rich.console import Console

from lusory.cli import main
from lusory.commands.handlers import replay_and_rules_of_recorded_games
from lusory.play import saves_and_journals as saves, stored_results_settings_and_dataclass_json as stored
from lusory.play.recorded_game_data_and_replay import MadeDecision, TranscriptError
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

BUNDLED = "tic-tac-toe"


pytestmark = pytest.mark.usefixtures("user_folders")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Make a ruleset in its own folder."""
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(BIDS.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def write_save(tmp_path: Path, save: dict[str, Any]) -> str:
    file = tmp_path / "save.json"
    file.write_text(json.dumps(save), encoding="utf-8")
    return str(file)


# ---------------------------------------------------------------- which rules

COMMANDS: list[list[str]] = [["play", "--load"], ["replay"], ["replay", "--verify"], ["trace"]]
each_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words))


@each_command
def test_save_loads_only_allowed_rules(
    command: list[str], rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_save(tmp_path, create_save(rules))
    with monkeypatch.context() as patch:
        patch.setattr(replay_and_rules_of_recorded_games, "load_cached_program", lambda *_: pytest.fail("it was read"))
        assert main([*command, file]) == 2
    assert f"uses rules in `{rules}`, which you haven't allowed yet" in capsys.readouterr().err
    assert main([*command, file, "--trust"]) == 0
    assert main([*command, file]) == 0


def test_bundled_game_needs_no_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with the game's name does not matter."""
    (tmp_path / BUNDLED).mkdir()
    (tmp_path / BUNDLED / "ruleset.yaml").write_text("password: swordfish\n")
    monkeypatch.chdir(tmp_path)
    folder = find_bundled_rulesets()[BUNDLED]
    assert replay_and_rules_of_recorded_games.make_permanent_name(str(folder)) == BUNDLED
    assert main(["replay", "--verify", write_save(tmp_path, create_save(folder, BUNDLED))]) == 0
    assert capsys.readouterr().out == "1 the same\n"


def type_at_terminal(monkeypatch: pytest.MonkeyPatch, *typed: str) -> StringIO:
    """Let a person at the terminal type the lines, and return what the terminal shows."""
    out, lines = StringIO(), iter(typed)

    def read(prompt: str) -> str:
        out.write(f"{prompt}\n")
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    screen = Terminal(Console(file=out, width=80, height=24, markup=False), read, True)
    for place in ("replay_and_rules_of_recorded_games", "play_and_resume"):
        monkeypatch.setattr(f"lusory.commands.handlers.{place}.create_terminal", lambda: screen)
    return out


@pytest.mark.parametrize(("answer", "code"), [("yes", 0), ("y", 2), ("", 2), (None, 2)])
def test_permission_is_asked_once(
    answer: str | None, code: int, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_save(tmp_path, create_save(rules))
    out = type_at_terminal(monkeypatch, *([] if answer is None else [answer]))
    assert main(["play", "--load", file]) == code
    assert f"uses rules in `{rules}`" in out.getvalue()
    assert stored.is_path_allowed(str(rules)) == (code == 0)
    out = type_at_terminal(monkeypatch)
    main(["play", "--load", file])
    assert ("uses rules in" in out.getvalue()) == (code != 0)


def test_own_saves_need_no_permission(rules: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "lusory" / "saves"
    folder.mkdir(parents=True)
    assert main(["play", "--load", write_save(folder, create_save(rules))]) == 0
    if hasattr(os, "getuid"):
        folder.chmod(0o777)
        assert main(["play", "--load", write_save(folder, create_save(rules))]) == 2


def test_list_that_others_can_write_is_ignored(rules: Path, tmp_path: Path) -> None:
    stored.allow_paths([str(rules)])
    file = tmp_path / "state" / "lusory" / "allowed"
    assert file.read_text() == f"{rules}\n"
    if hasattr(os, "getuid"):
        file.chmod(0o666)
        assert not stored.is_path_allowed(str(rules))


# ---------------------------------------------------------------- by which rules it goes on


def change_rules(rules: Path, old: str, new: str) -> None:
    file = rules / "ruleset.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_changed_rules_that_fail_in_a_replay_can_not_continue_the_game(rules: Path, tmp_path: Path) -> None:
    save = saves.read_save(Path(write_save(tmp_path, create_save(rules))))
    change_rules(rules, "set bid to amount", "set bid to amount div (round - 1)")
    sentence, is_possible = replay_and_rules_of_recorded_games.check_changed_rules(save, (str(rules), ()))
    assert not is_possible
    assert sentence == "The rules have changed since it was saved, and it can't be continued: division by zero."


# ---------------------------------------------------------------- what saving replaces


@pytest.mark.parametrize("is_continued_elsewhere", [True, False])
def test_save_continued_twice_keeps_both_games(
    is_continued_elsewhere: bool, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(
        write_save(
            tmp_path, {**create_save(rules), "seats": [{"kind": "human", "name": name} for name in ("Ann", "Bob")]}
        )
    )
    elsewhere = {**json.loads(file.read_text(encoding="utf-8")), "decisions": [], "positions": []}

    class Typed(StringIO):
        """Type `save` twice. Before the first time another process may save another decision."""

        def readline(self, size: int | None = -1) -> str:
            if is_continued_elsewhere and self.tell() == 0:
                file.write_text(json.dumps(elsewhere), encoding="utf-8")
            return super().readline(size)

    monkeypatch.setattr("sys.stdin", Typed("save\nsave\nquit\n"))
    assert main(["play", "--load", str(file), "--trust"]) == 0
    folder = tmp_path / "data" / "lusory" / "saves"
    assert len(list(folder.glob("*"))) == is_continued_elsewhere
    assert (json.loads(file.read_text(encoding="utf-8"))["decisions"] == []) == is_continued_elsewhere


@pytest.mark.parametrize(("answer", "is_replaced"), [("yes", True), ("no", False), ("", False)])
def test_a_person_is_asked_before_something_is_replaced(
    answer: str, is_replaced: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    out = type_at_terminal(monkeypatch, f"save {notes}", answer, "quit", "d")
    assert main(["play", str(BIDS)]) == 0
    assert "is not a save of this game. Type yes to replace it:" in out.getvalue()
    assert (notes.read_text() != "my notes") == is_replaced


def test_quitting_saves_before_the_first_decision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = type_at_terminal(monkeypatch, "quit", "")
    assert main(["play", str(BIDS)]) == 0
    assert "Saved. To continue: lusory play --load " in out.getvalue()
    assert len(list((tmp_path / "data" / "lusory" / "saves").iterdir())) == 1


def test_failed_save_sets_the_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").write_text("in the way")
    out = type_at_terminal(monkeypatch, "1", "quit", "")
    assert main(["play", str(BIDS)]) == 1
    assert "The game could not be saved: " in out.getvalue()
    assert f"The journal has it up to the last decision that was kept: lusory play {BIDS} --continue" in out.getvalue()


@pytest.mark.parametrize("strange", ["\x1b[2J", "\x9b", "\u202e", "\n", "\udcff"], ids=ascii)
def test_rules_with_a_path_no_save_can_hold_are_refused(
    strange: str, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file would be refused on loading, and the game would be lost."""
    strange_path = rules.rename(tmp_path / f"rules{strange}")
    monkeypatch.setattr("sys.stdin", StringIO("save mine.json\n"))

    assert main(["play", str(strange_path)]) == 2
    assert "saved games can't store its path" in capsys.readouterr().err
    assert main(["check", str(strange_path)]) == 0


@pytest.mark.parametrize("version", ['"1\\n2"', f'"{"1" * 300}"'], ids=["two lines", "long"])
def test_version_no_save_can_hold_is_refused(
    version: str, rules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = BIDS.read_text(encoding="utf-8")
    (rules / "ruleset.yaml").write_text(text.replace('version: "1.0"', f"version: {version}", 1), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", StringIO("save mine.json\n"))

    assert main(["play", str(rules)]) == 2
    errors = capsys.readouterr().err
    assert "because it can't be saved" in errors
    assert "internal" not in errors


def test_unreadable_decision_is_not_written(rules: Path, tmp_path: Path) -> None:
    save = saves.Save.from_json(create_save(rules))
    save.transcript.decisions[0] = MadeDecision(0, "a" * 5000)

    with pytest.raises(TranscriptError):
        saves.write_save(save, tmp_path / "save.json")
    assert not (tmp_path / "save.json").exists()


# ---------------------------------------------------------------- a moment of one


@pytest.mark.parametrize("command", ["show", "trace"])
def test_saved_game_replaces_game_or_decision_number(
    command: str, rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_save(tmp_path, create_save(rules))
    outputs = []
    for arguments in ([file, str(rules)], [str(rules), "--at", file], [str(rules), "--seed", "2", "--at", "3"]):
        assert main([command, *arguments]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert outputs[1] != outputs[2]
    assert main([command, str(rules), str(rules), "--at", file]) == 2
    assert "a saved game has no second game" in capsys.readouterr().err
    assert main([command, str(rules), "--at", str(tmp_path / "none.json")]) != 0
