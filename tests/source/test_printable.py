"""Test that output is safe to show: no escape sequences, no reversed text direction and no forged lines."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, strategies as st
from programs import BIDS, read_data
from rich.console import Console
from rich.table import Table

from lusory.cli import main
from lusory.reports.check_coverage_and_mutation_json import format_report
from lusory.reports.check_suites_findings_and_locations import Suite
from lusory.reports.sarif_junit_and_github_annotations import format_annotations, format_junit, format_sarif
from lusory.ui.line import plain_output_and_terminal_checks as plain_output
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import Source, Span, format_json, make_one_line, make_printable

DATA = read_data(__file__)

UNSAFE = [chr(n) for n in (*range(9), *range(11, 32), *range(127, 160))] + [
    *"\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069",
    *"\ufeff\ud800\udfff",
]
EVIL = "x\x1b[2J\x9b31m\x07\x7f\u202ey\u2066\rz"
"""Text that would clear the screen, change its colour, ring the bell and reverse the text direction."""


LINE = "x\nlusory: all is well\n"
"""Text that imitates a message of lusory."""


def list_unsafe(text: str) -> list[str]:
    return [f"U+{ord(character):04X}" for character in text if character in UNSAFE]


@pytest.mark.parametrize("character", UNSAFE, ids=lambda char: f"U+{ord(char):04X}")
def test_unsafe_characters_are_replaced(character: str) -> None:
    for make in (make_printable, make_one_line):
        assert make(f"a{character}b") == "a\N{REPLACEMENT CHARACTER}b"
    assert json.loads(format_json({"a": character})) == {"a": character}
    assert not list_unsafe(format_json({character: character}))


def test_safe_characters_stay() -> None:
    text = "Zoë 城壁 🏰 👩‍👩‍👧 می‌خواهم “–” ﬁ \N{NO-BREAK SPACE}|"

    assert make_printable(f"{text}\n{text}") == f"{text}\n{text}"
    assert make_printable("a\tb") == "a    b"
    assert make_one_line("a\nb") == "a\N{REPLACEMENT CHARACTER}b"


@given(st.text(st.characters()))
def test_no_unsafe_character_is_left_in_any_text(text: str) -> None:
    assert not list_unsafe(make_printable(text))
    assert "\n" not in make_one_line(text)
    assert json.loads(format_json(text)) == text
    assert not list_unsafe(format_json(text))


def test_terminal_output_is_safe() -> None:
    """Plain and styled text, table cells, prompts and measured text are printed."""
    prompts: list[str] = []
    console = Console(file=io.StringIO(), force_terminal=True, width=200, color_system="truecolor")
    screen = Terminal(console, lambda prompt: prompts.append(prompt) or "", True)
    table = Table("a", EVIL)
    table.add_row("b", EVIL)
    screen.print(EVIL, table)
    screen.print_raw(EVIL)
    screen.complain(EVIL)
    screen.print_markdown(f"# {EVIL}\n\n`{EVIL}`")
    screen.print_diff([f"+{EVIL}", f"--- {EVIL}"])
    screen.read(EVIL)

    output = console.file.getvalue()  # type: ignore[attr-defined]
    for style in ("\x1b[0m", "\x1b[1;31m", "\x1b[1m", "\x1b[32m"):
        output = output.replace(style, "")
    assert "x" in output
    assert not list_unsafe("".join(character for character in output if character != "\x1b"))
    assert "\x1b[2J" not in output
    assert not list_unsafe(screen.render_plain(EVIL) + prompts[0])


def test_piped_output_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody may show the output in a terminal later."""
    out = io.StringIO()
    Terminal(Console(file=out), input, False).print_diff([f"--- {LINE}", f"+{EVIL}"])
    for write in (
        plain_output.write_line,
        plain_output.write_lines,
        plain_output.write_error_line,
        plain_output.report_error,
    ):
        write(EVIL)
    plain_output.report_error(EVIL, f"{EVIL}{LINE}")
    with pytest.raises(SystemExit):
        main([EVIL])

    output = out.getvalue() + "".join(capsys.readouterr())
    assert output.count("x\N{REPLACEMENT CHARACTER}[2J") >= 7
    assert not list_unsafe(output)
    assert "\nlusory: all is well" not in output


def test_reports_are_safe() -> None:
    """Build logs and pull-request pages show these reports."""
    error = Diagnostic(diagnostic_codes.UNKNOWN_NAME, EVIL, Span(Source(EVIL, EVIL), 0, 1), EVIL)
    suite = Suite(EVIL, (error,), 0.0)

    for write in (format_annotations, format_junit, format_report, format_sarif):
        text = write([suite])
        assert "[2J" in text
        assert not list_unsafe(text)


# ---------------------------------------------------------------- the commands


@pytest.fixture
def evil_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create rulesets, cases and saves with malicious names, and run in their parent folder. Returns a ruleset."""
    monkeypatch.chdir(tmp_path)
    name = f"{EVIL}{LINE.strip()}"
    folder = tmp_path / name
    (folder / "cases").mkdir(parents=True)
    (folder / "playthroughs").mkdir()
    shutil.copy(BIDS, folder / "ruleset.yaml")
    (folder / f"{name}.yaml").write_text("queries: {lonely: {value: 1}}\n", encoding="utf-8")
    shutil.copytree(folder, tmp_path / f"{name}!")
    (tmp_path / f"{name}!" / f"{name}.yml").write_text("", encoding="utf-8")
    (folder / "cases" / f"{name}.yaml").write_text("cases: [{id: a, steps: [{choose: nothing}]}]\n", encoding="utf-8")
    (folder / "playthroughs" / f"{name}.json").write_text(json.dumps({"format": EVIL, "program": EVIL}))
    shutil.copy(BIDS, tmp_path / f"{name}.yaml")
    (tmp_path / f"{name}.json").write_text(json.dumps({"version": EVIL, "game": {"id": EVIL}, "seats": [EVIL]}))
    (tmp_path / "wrong.yaml").write_bytes(b'game: {id: \x1b[2J, name: "\\x1b[2J\\u202e", \xc2\x9b31m: 1}\n')
    (tmp_path / "utf.yaml").write_bytes(b"game: \x1b[2J \xff\n")
    os.mkfifo(tmp_path / f"{name}.fifo")
    return folder


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")
@pytest.mark.parametrize("line", DATA["commands"])
def test_output_of_commands_is_safe(
    line: str, evil_folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No command may print a forged message or crash either."""
    monkeypatch.setenv("LUSORY_CACHE", f"{EVIL}/cache")
    monkeypatch.setenv("XDG_DATA_HOME", str(evil_folder.parent / EVIL))
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{EVIL}\nsave {EVIL}\n{EVIL} {EVIL}\n"))
    arguments = [word.replace("NAME", evil_folder.name) for word in line.split()]
    try:
        code: int | str | None = main(arguments)
    except SystemExit as leaving:
        code = leaving.code

    output = "".join(capfd.readouterr())
    assert code in (0, 1, 2, 130)
    assert not list_unsafe(output)
    assert "internal error" not in output
    assert "Traceback" not in output
    assert not any(line.startswith("lusory: all is well") for line in output.splitlines())
    if arguments == ["new", "--pack", "a-pack", "--for", f"{evil_folder.name}.yaml"]:
        assert code == 0


def run(arguments: str, env: dict[str, str] | None = None, **streams: object) -> subprocess.CompletedProcess[str]:
    command = f"exec {sys.executable} -m lusory {arguments}"
    return subprocess.run(["sh", "-c", command], env=env, text=True, capture_output=True, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("arguments, code", DATA["closed streams count as empty"])
def test_closed_streams_count_as_empty(arguments: str, code: int, tmp_path: Path) -> None:
    process = run(arguments.format(bids=BIDS), {**os.environ, "XDG_DATA_HOME": str(tmp_path)})

    assert process.returncode == code
    assert "internal error" not in process.stderr


def test_commands_work_without_a_home(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail_to_find_user(user: int) -> NoReturn:
        raise KeyError(user)

    pwd = pytest.importorskip("pwd")
    monkeypatch.setattr(pwd, "getpwuid", fail_to_find_user)
    for name in ("LUSORY_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)

    assert main(["simulate", str(BIDS), "--games", "1"]) == 0
    assert not capsys.readouterr().err
