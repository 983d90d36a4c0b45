"""Test the counts of many games that the terminal shows."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest
from programs import read_data
from rich.console import Console

from lusory.cli import main
from lusory.ui.line import plain_output_and_terminal_checks as plain_output
from lusory.ui.line.statistics_tables_and_game_lists import ProgressBar
from lusory.ui.line.terminal_output_and_line_editing import Terminal

DATA = read_data(__file__)

SOLITAIRE_RULES = DATA["alone"]


def simulate(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    rules = folder / "alone.yaml"
    rules.write_text(SOLITAIRE_RULES, encoding="utf-8")
    assert main(["simulate", str(rules), "--seed", "1", *arguments]) == 0
    return capsys.readouterr().out


def test_solitaire_has_results_and_no_win_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = simulate(tmp_path, capsys, "--games", "60", "--details")
    assert "seed 1, 1 player\n" in out and "Win rate" not in out and "turns" not in out
    assert "result on average: 22.0 (19.2 to 24.8)" in out
    assert "What 60 games show" in out
    assert "What 1 game shows" in simulate(tmp_path, capsys, "--games", "1", "--details")


def test_rare_endings_are_counted_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = simulate(tmp_path, capsys, "--games", "60").splitlines()
    endings = " ".join(lines[next(n for n, line in enumerate(lines) if line.startswith("ends:")) :])
    endings_shown, count = endings.rsplit("; otherwise ", 1)
    assert sum(int(ending.split()[-1]) for ending in endings_shown.split(",")) + int(count) == 60


def simulate_error_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, rows: int) -> None:
    monkeypatch.setattr(plain_output, "is_error_terminal", lambda: True)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((columns, rows)))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("ACCESSIBLE", raising=False)


def test_status_is_whole_in_a_terminal_of_unknown_size(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    simulate_error_terminal(monkeypatch, 0, 0)
    plain_output.show_status("Preparing the rules")
    plain_output.clear_status()
    assert capfd.readouterr().err == "Preparing the rules\r\x1b[K"


def test_status_of_wide_characters_stays_on_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    simulate_error_terminal(monkeypatch, 10, 24)
    plain_output.show_status("漢字" * 10)
    plain_output.clear_status()
    assert capfd.readouterr().err == "漢字漢字 \r\x1b[K"


def test_status_is_not_written_over_a_progress_bar(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The codes that clear a status line would appear beside the bar."""
    simulate_error_terminal(monkeypatch, 80, 24)
    output = StringIO()
    with ProgressBar(Terminal(Console(file=output, force_terminal=True), input, False), "Games", 2):
        with plain_output.suppress_status():
            pass
        plain_output.show_status("Preparing the rules")
        plain_output.clear_status()
    assert "Preparing" not in output.getvalue() + capfd.readouterr().err
    plain_output.show_status("Preparing the rules")
    plain_output.clear_status()
    assert capfd.readouterr().err == "Preparing the rules\r\x1b[K"
