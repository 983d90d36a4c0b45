"""Test which files ``lusory fmt`` takes, what it writes and prints, and its exit codes."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from lusory.cli import main
from lusory_dsl.formatter import format_source
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import Source

UNTIDY = "game: {id: x,   name: X}\n"
TIDY = "game: {id: x, name: X}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a working folder with a ruleset and many other files."""
    texts = {
        "games/x/ruleset.yaml": UNTIDY,
        "games/x/cards/a.yaml": "cards: { }\n",
        "games/x/cards/b.csv": "label,story\nA (once),\nB (end: 1),b\n",
        "games/x/cases/a.yaml": "cases: [ ]\n",
        "games/x/playthroughs/a.yaml": "a:   b\n",
        "games/x/.draft.yaml": "a:   b\n",
        "games/y.yaml": "cards: { }\n",
        "games/.hidden/ruleset.yaml": UNTIDY,
        "compose.yaml": "services:   {}\n",
        "packs/p/pack.yaml": "pack: {name: P, for:   x}\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_line_ends_and_permissions_are_kept(folder: Path) -> None:
    file = folder / "games/x/ruleset.yaml"
    file.write_bytes(b"a:   b\r\n# c\r\n")
    file.chmod(0o640)

    assert main(["fmt", "games/x/ruleset.yaml"]) == 0
    assert file.read_bytes() == b"a: b\r\n# c\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("argument", ["games", "games/x", "games/x/cards", "games/x/cards/out.yaml"])
@pytest.mark.parametrize("link_name", ["cards/out.yaml", "cards", "cases"])
def test_fmt_writes_nothing_through_links(
    argument: str, link_name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A link to a file and a link to a folder both hold, whether the command names the link or a folder above it."""
    outside = folder / "elsewhere"
    outside.mkdir()
    (outside / "out.yaml").write_text(UNTIDY, encoding="utf-8")
    link = folder / "games/x" / link_name
    if link.is_dir():
        shutil.rmtree(link)
    link.symlink_to(outside / "out.yaml" if link.suffix else outside)

    code = main(["fmt", argument])
    output = capsys.readouterr()
    assert (outside / "out.yaml").read_text(encoding="utf-8") == UNTIDY
    if link_name != "cases" or argument in {"games", "games/x"}:
        assert code in (1, 2)
        assert "E0113" in output.err or "is a link" in output.err
    assert link.is_symlink()


def test_links_stay_and_their_targets_are_formatted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The target of a link is formatted where it lies, if it is a file of the ruleset."""
    (folder / "games/x/notes.txt").write_text("a:   b\n", encoding="utf-8")
    for name, target in (("b.yaml", "ruleset.yaml"), ("c.yaml", "notes.txt")):
        (folder / "games/x" / name).symlink_to(target)

    assert main(["fmt", "games/x"]) == 0
    assert (folder / "games/x/ruleset.yaml").read_text(encoding="utf-8") == TIDY
    assert (folder / "games/x/notes.txt").read_text(encoding="utf-8") == "a:   b\n"
    assert "3 files reformatted" in capsys.readouterr().err
    assert all((folder / "games/x" / name).is_symlink() for name in ("b.yaml", "c.yaml"))

    assert main(["fmt", "games/x/c.yaml"]) == 2
    assert "`games/x/c.yaml` is a link" in capsys.readouterr().err


def test_file_that_is_no_yaml_stays_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A saved game is JSON, which is also YAML. Formatted as YAML, it loses its quotes and is no JSON any more."""
    save = folder / "save.json"
    save.write_text('{"format": 1}\n', encoding="utf-8")
    assert main(["fmt", "save.json"]) == 2
    assert "`save.json` is not a .yaml file" in capsys.readouterr().err
    assert save.read_text(encoding="utf-8") == '{"format": 1}\n'


def test_folder_replaced_by_a_link_during_formatting_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder / "games/x/cards", folder / "elsewhere")

    def format_and_replace_folder(source: Source, diagnostics: Diagnostics) -> str | None:
        if source.name.endswith("a.yaml"):
            shutil.rmtree(folder / "games/x/cards")
            (folder / "games/x/cards").symlink_to(folder / "elsewhere")
        return format_source(source, diagnostics)

    monkeypatch.setattr("lusory.commands.handlers.fmt.format_source", format_and_replace_folder)
    assert main(["fmt", "games/x"]) == 1
    assert "E0113" in capsys.readouterr().err
    assert (folder / "elsewhere/a.yaml").read_text(encoding="utf-8") == "cards: { }\n"


def test_odd_files_and_too_many_folders_are_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "games/x/cards/pipe.yaml").mkdir()
    assert main(["fmt", "games/x"]) == 1
    assert "E0114" in capsys.readouterr().err

    monkeypatch.setattr("lusory.commands.handlers.fmt.MAX_FOLDERS", 2)
    assert main(["fmt"]) == 1
    assert "E0111" in capsys.readouterr().err


def test_a_file_is_written_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)

    assert main(["fmt", "games/x/ruleset.yaml"]) == 1
    assert (folder / "games/x/ruleset.yaml").read_text(encoding="utf-8") == UNTIDY
    assert sorted(path.name for path in (folder / "games/x").iterdir() if path.is_file()) == [
        ".draft.yaml",
        "ruleset.yaml",
    ]
