"""``lusory fmt`` from outside: which files it takes, what it writes and prints, and its exit codes."""

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
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a ruleset and much else in it, where the command runs."""
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


def test_line_ends_and_permissions_are_kept(here: Path) -> None:
    file = here / "games/x/ruleset.yaml"
    file.write_bytes(b"a:   b\r\n# c\r\n")
    file.chmod(0o640)

    assert main(["fmt", "games/x/ruleset.yaml"]) == 0
    assert file.read_bytes() == b"a: b\r\n# c\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("named", ["games", "games/x", "games/x/cards", "games/x/cards/out.yaml"])
@pytest.mark.parametrize("linked", ["cards/out.yaml", "cards", "cases"])
def test_nothing_is_written_outside_or_through_links(
    named: str, linked: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not by a link to a file, nor by one to a folder, whether the link itself is named or what it lies in."""
    outside = here / "elsewhere"
    outside.mkdir()
    (outside / "out.yaml").write_text(UNTIDY, encoding="utf-8")
    link = here / "games/x" / linked
    if link.is_dir():
        shutil.rmtree(link)
    link.symlink_to(outside / "out.yaml" if link.suffix else outside)

    code = main(["fmt", named])
    shown = capsys.readouterr()
    assert (outside / "out.yaml").read_text(encoding="utf-8") == UNTIDY
    if linked != "cases" or named in {"games", "games/x"}:
        assert code in (1, 2)
        assert "E0113" in shown.err or "is a link" in shown.err
    assert link.is_symlink()


def test_links_inside_are_left_as_they_are(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What they lead to is formatted where it lies, if it is a file of the ruleset."""
    (here / "games/x/notes.txt").write_text("a:   b\n", encoding="utf-8")
    for name, target in (("b.yaml", "ruleset.yaml"), ("c.yaml", "notes.txt")):
        (here / "games/x" / name).symlink_to(target)

    assert main(["fmt", "games/x"]) == 0
    assert (here / "games/x/ruleset.yaml").read_text(encoding="utf-8") == TIDY
    assert (here / "games/x/notes.txt").read_text(encoding="utf-8") == "a:   b\n"
    assert "3 files reformatted" in capsys.readouterr().err
    assert all((here / "games/x" / name).is_symlink() for name in ("b.yaml", "c.yaml"))

    assert main(["fmt", "games/x/c.yaml"]) == 2
    assert "`games/x/c.yaml` is a link" in capsys.readouterr().err


def test_a_folder_that_becomes_a_link_while_its_files_are_formatted(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(here / "games/x/cards", here / "elsewhere")

    def exchanged(source: Source, found: Diagnostics) -> str | None:
        if source.name.endswith("a.yaml"):
            shutil.rmtree(here / "games/x/cards")
            (here / "games/x/cards").symlink_to(here / "elsewhere")
        return format_source(source, found)

    monkeypatch.setattr("lusory.commands.handlers.fmt.format_source", exchanged)
    assert main(["fmt", "games/x"]) == 1
    assert "E0113" in capsys.readouterr().err
    assert (here / "elsewhere/a.yaml").read_text(encoding="utf-8") == "cards: { }\n"


def test_odd_files_and_too_many_folders_are_told(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "games/x/cards/pipe.yaml").mkdir()
    assert main(["fmt", "games/x"]) == 1
    assert "E0114" in capsys.readouterr().err

    monkeypatch.setattr("lusory.commands.handlers.fmt.MAX_FOLDERS", 2)
    assert main(["fmt"]) == 1
    assert "E0111" in capsys.readouterr().err


def test_a_file_is_written_whole_or_not_at_all(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)

    assert main(["fmt", "games/x/ruleset.yaml"]) == 1
    assert (here / "games/x/ruleset.yaml").read_text(encoding="utf-8") == UNTIDY
    assert sorted(path.name for path in (here / "games/x").iterdir() if path.is_file()) == [
        ".draft.yaml",
        "ruleset.yaml",
    ]
