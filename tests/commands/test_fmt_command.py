"""``lusory fmt`` from outside: which files it takes, what it writes and prints, and its exit codes."""

from __future__ import annotations

import io
import shutil
import stat
import sys
from pathlib import Path

import pytest
from programs import read_data

from lusory.cli import main
from lusory_dsl.formatter import format_source
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import Source

DATA = read_data(__file__)

UNTIDY = "game: {id: x,   name: X}\n"
TIDY = "game: {id: x, name: X}\n"
WRONG = "game: {id: x\n"


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


OURS = ["games/x/ruleset.yaml", "games/x/cards/a.yaml", "games/x/cases/a.yaml", "packs/p/pack.yaml"]


@pytest.mark.parametrize("paths, expected", DATA["the files of rulesets and packs are formatted"])
def test_the_files_of_rulesets_and_packs_are_formatted(
    paths: list[str], expected: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_text(encoding="utf-8") for path in here.rglob("*.yaml")}

    assert main(["fmt", *paths]) == 0
    changed = [path for path, text in before.items() if path.read_text(encoding="utf-8") != text]
    assert sorted(path.relative_to(here).as_posix() for path in changed) == sorted(expected)
    shown = capsys.readouterr()
    assert sorted(shown.out.splitlines()) == sorted(f"reformatted {Path(name)}" for name in expected)
    assert shown.err.startswith(f"{len(expected)} file")

    assert main(["fmt", *paths, "--check"]) == 0
    assert capsys.readouterr().out == ""


def test_check_lists_and_diff_shows_and_both_change_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "games/x", "--check"]) == 1
    shown = capsys.readouterr()
    assert f"would reformat {Path('games/x/ruleset.yaml')}\n" in shown.out
    assert "3 files would be reformatted\n" in shown.err

    assert main(["fmt", "games/x/ruleset.yaml", "--diff"]) == 1
    assert f"-{UNTIDY}+{TIDY}" in capsys.readouterr().out
    assert (here / "games/x/ruleset.yaml").read_text(encoding="utf-8") == UNTIDY


def test_a_file_that_can_not_be_read_is_left_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "games/x/ruleset.yaml").write_text(WRONG, encoding="utf-8")
    (here / "games/y.yaml").write_bytes(b"a: \xff\n")

    assert main(["fmt", "games/x/ruleset.yaml", "games/x/cases", "games/y.yaml"]) == 1
    shown = capsys.readouterr()
    assert "error[E0102]" in shown.err
    assert "1 file reformatted, 2 files skipped: they can't be read" in shown.err
    assert (here / "games/x/ruleset.yaml").read_text(encoding="utf-8") == WRONG
    assert (here / "games/x/cases/a.yaml").read_text(encoding="utf-8") == "cases: []\n"


def test_what_fmt_mends_is_not_reported(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "y.yaml").write_text("variables:\n  n: {type: Int?}\n", encoding="utf-8")
    assert main(["fmt", "y.yaml"]) == 0
    assert (here / "y.yaml").read_text(encoding="utf-8") == 'variables:\n  n: {type: "Int?"}\n'
    assert capsys.readouterr().err == "1 file reformatted\n"


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


@pytest.mark.parametrize(
    "options, given, code, expected",
    [([], UNTIDY, 0, TIDY), (["--check"], UNTIDY, 1, ""), (["--check"], TIDY, 0, ""), ([], WRONG, 1, "")],
)
def test_standard_input(
    options: list[str],
    given: str,
    code: int,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))

    assert main(["fmt", "-", *options]) == code
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize("paths", [["nothing.yaml"], ["games/x/empty"], ["-", "games"]])
def test_a_senseless_command_line(paths: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "games/x/empty").mkdir()

    assert main(["fmt", *paths]) == 2
    assert "help:" in capsys.readouterr().err or paths[0] == "-"
