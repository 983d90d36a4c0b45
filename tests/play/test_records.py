"""Test that results of a user's games are stored one a line, and are read whatever the file holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lusory.cli import main
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.play.stored_results_settings_and_dataclass_json import (
    GameRecord,
    PersonResults,
    add_record,
    count_results,
    get_records_file,
    read_records,
)
from lusory.ui.line.statistics_tables_and_game_lists import list_tally_lines

WON = GameRecord("fair", "Fair", ("human", "random"), ("Ann", "Bob"), (1, 2), (0,), 12, "2026-01-30")
LOST = GameRecord("fair", "Fair", ("human", "random"), ("Ann", "Bob"), (2, 1), (1,), 9, "2026-01-31")
OTHER = GameRecord("hunt", "Hunt", ("human",), ("Ann",), (1,), (0,), 3, "2026-01-02")


pytestmark = pytest.mark.usefixtures("user_folders")


def test_stored_results_are_counted() -> None:
    assert read_records() == []
    for record in (OTHER, WON, LOST):
        add_record(record)
    assert read_records() == [OTHER, WON, LOST]
    assert count_results(read_records(), "human") == [
        PersonResults("Fair", "Ann", ("random",), 2, 1, "2026-01-30", "2026-01-31"),
        PersonResults("Hunt", "Ann", (), 1, 1, "2026-01-02", "2026-01-02"),
    ]


def test_a_line_separator_in_a_name_ends_no_record() -> None:
    record = replace(WON, names=("A\u2028nn", "Bob"))
    add_record(record)
    assert read_records() == [replace(WON, names=("A\ufffdnn", "Bob"))]


def test_each_local_person_is_counted_against_the_others() -> None:
    shared_win = GameRecord(
        "fair", "Fair", ("human", "human", "random"), ("Ann", "Bob", "P3"), (1, 1, 3), (0, 1), 9, "2026-02-01"
    )
    results = count_results([WON, shared_win], "human")
    assert [(result.person, result.opponents, result.game_count, result.win_count) for result in results] == [
        ("Ann", ("random",), 1, 1),
        ("Ann", ("Bob", "random"), 1, 1),
        ("Bob", ("Ann", "random"), 1, 1),
    ]
    lines = [to_text(line).rstrip() for line in list_tally_lines(results)]
    assert lines[1:] == [
        "Fair",
        "  Ann against random           1    1  2026-01-30  2026-01-30",
        "  Ann against Bob, random      1    1  2026-02-01  2026-02-01",
        "  Bob against Ann, random      1    1  2026-02-01  2026-02-01",
    ]


@pytest.mark.parametrize("line", ["", "{", "[]", "1", '{"program": "fair"}', "[" * 90_000, '{"game": 3}', "\x00"])
def test_lines_that_are_no_records_are_skipped(line: str) -> None:
    add_record(WON)
    with get_records_file().open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    add_record(LOST)
    assert read_records() == [WON, LOST]


def test_records_of_other_types_are_skipped() -> None:
    add_record(WON)
    text = get_records_file().read_text(encoding="utf-8")
    for old, new in (('"2026-01-30"', "7"), ('["Ann", "Bob"]', '["Ann"]'), ("[0]", '["x"]'), ("12", "true")):
        with get_records_file().open("a", encoding="utf-8") as file:
            file.write(text.replace(old, new))
    assert read_records() == [WON]


def test_the_games_of_a_user_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    assert "No games yet" in capsys.readouterr().out
    add_record(WON)
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    assert out.split("against random")[1].split()[:4] == ["1", "1", "2026-01-30", "2026-01-30"]
    assert "games.jsonl" in out.replace("\n", "")


def test_unreadable_results_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    get_records_file().mkdir(parents=True)
    assert main(["games"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "can't be read" in err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_has_commands_options_and_games(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complete", shell]) == 0
    script = capsys.readouterr().out
    for word in ("simulate", "rulebook", "tic-tac-toe", "lusory"):
        assert word in script
