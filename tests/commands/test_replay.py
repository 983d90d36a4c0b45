"""Test that playthroughs are read as written, and that replay finds and locates each difference under changed rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import build_program, read_data, read_rules

from lusory.cli import main
from lusory.commands.handlers.replay_and_rules_of_recorded_games import tell_story
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import ENGINES, Game
from lusory.play import playthrough_writer_and_parser as playthroughs, saves_and_journals as saves
from lusory.play.playthrough_writer_and_parser import format_playthrough, parse_playthrough
from lusory.play.recorded_game_data_and_replay import Transcript, TranscriptError, add_decision, start_transcript
from lusory.testing.recording_comparison import KINDS, RecordDifference, find_differences
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

RULES = read_rules("toss")


def play(game: Game, limit: int = 1000) -> Transcript:
    """Return a game in which the seats say 1, 2, 3 in turn."""
    transcript = start_transcript(game, 5)
    state = game.start(5)
    while game.decision(state) is not None and len(transcript.decisions) < limit:
        index = len(transcript.decisions) % 3
        add_decision(game, transcript, state, index)
        state = game.apply(state, index)
    return transcript


@pytest.fixture(scope="module", params=ENGINES)
def game(request: pytest.FixtureRequest) -> Game:
    return Game(build_program(RULES), engine=request.param)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("block_length", [1, 3, 100])
@pytest.mark.parametrize("limit", [0, 1, 1000])
def test_playthrough_round_trips(game: Game, limit: int, block_length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions outside whole blocks are written in short form."""
    monkeypatch.setattr(playthroughs, "DECISIONS_PER_WHOLE_BLOCK", block_length)
    transcript = play(game, limit)
    text = format_playthrough(game, transcript, "x")
    playthrough = parse_playthrough(text)
    assert playthrough.transcript.decisions == transcript.decisions
    copy = playthrough.transcript
    assert (copy.program, copy.seed, copy.players) == ("toss", 5, 2)
    assert copy.options == {"goal": "2", "coin": "silver"}
    assert playthrough.setup[1] == "   * Welcome"
    assert playthrough.table == (f"P1: Points {2 if limit > 1 else limit}", f"P2: Points {1 if limit > 1 else 0}")
    assert playthrough.result[-1] == ("won by: P1" if limit > 1 else "not finished")
    assert [block.is_whole for block in playthrough.blocks] == [
        number % (1 + len(playthrough.blocks) // block_length) == 0 for number in range(1, len(playthrough.blocks) + 1)
    ]
    assert find_differences(game, playthrough.transcript, playthrough) == []


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "kuhn-poker", "leduc-poker"])
def test_bundled_playthroughs_are_unchanged(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert name in find_bundled_rulesets()
    assert main(["replay", "--verify", name]) == 0
    assert capsys.readouterr().out == "1 the same\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "not a playthrough"),
        (lambda text: text.replace(", seed 5", ""), "not a playthrough"),
        (lambda text: text.replace(" > 1  I say 1\n", "", 1), "decision 1: the playthrough does not say which option"),
    ],
)
def test_files_that_are_no_playthroughs_are_refused(game: Game, change: Callable[[str], str], message: str) -> None:
    with pytest.raises(TranscriptError, match=re.escape(message)):
        parse_playthrough(change(format_playthrough(game, play(game), "x")))


# ---------------------------------------------------------------- what parts

CHANGES = DATA["changes"]


@pytest.mark.parametrize(("old", "new", "kind", "message", "number", "place"), CHANGES, ids=[row[1] for row in CHANGES])
def test_differences_are_found_and_located(
    game: Game, old: str, new: str, kind: str, message: str, number: int, place: str | None
) -> None:
    assert RULES.count(old) == 1
    playthrough = parse_playthrough(format_playthrough(game, play(game), "x"))
    changed_game = Game(build_program(RULES.replace(old, new)), engine=game.engine)
    differences = find_differences(changed_game, playthrough.transcript, playthrough)
    first = differences[0]
    assert (first.kind, first.number) == (kind, number)
    assert message in first.message
    assert (first.span is None) if place is None else str(first.span).startswith(f"rules.yaml:{place}")
    kinds = [difference.kind for difference in differences]
    assert kinds == sorted(set(kinds), key=KINDS.index)


def find_first_difference(game: Game, old: str, new: str) -> RecordDifference:
    playthrough = parse_playthrough(format_playthrough(game, play(game), "x"))
    return find_differences(Game(build_program(RULES.replace(old, new))), playthrough.transcript, playthrough)[0]


def test_lines_are_shown_from_the_first_that_differs(game: Game) -> None:
    difference = find_first_difference(game, "value: tries", "value: tries + 1")
    assert difference.recorded[0] == "Tries: P1 8, P2 8"
    assert difference.current[0] == "Tries: P1 9, P2 9"
    assert (difference.phase, difference.seat) == (None, None)


def test_difference_names_phase_and_reasons(game: Game) -> None:
    difference = find_first_difference(game, "choose n in 1..3", "choose n in 1..2")
    assert (difference.phase, difference.seat) == ("guess", 0)
    assert difference.reasons


def test_a_transcript_without_a_text_holds_its_decisions_only(game: Game) -> None:
    transcript = play(game)
    changed_game = Game(build_program(RULES.replace("value: tries", "value: 0").replace("Welcome", "Hello")))
    assert find_differences(changed_game, transcript) == []
    changed_game = Game(build_program(RULES.replace("in 1..3, prompt", "in 1..2, prompt")))
    assert [difference.kind for difference in find_differences(changed_game, transcript)] == ["choice"]


# ---------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a ruleset folder with a playthrough and a saved game."""
    game = Game(build_program(RULES))
    transcript = play(game)
    (tmp_path / "toss" / "playthroughs").mkdir(parents=True)
    (tmp_path / "toss" / "ruleset.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "toss" / "playthroughs" / "a.txt").write_text(
        format_playthrough(game, transcript, "x"), encoding="utf-8"
    )
    save = saves.Save(transcript, "toss", ("random", "random"), ("P1", "P2"))
    saves.write_save(save, tmp_path / "toss" / "playthroughs" / "b.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "toss"


def change_rules(folder: Path, old: str, new: str) -> None:
    (folder / "ruleset.yaml").write_text(RULES.replace(old, new), encoding="utf-8")


def verify(capsys: pytest.CaptureFixture[str], *args: str, code: int = 1) -> dict[str, Any]:
    assert main(["replay", "--verify", "--format", "json", *args]) == code
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def test_changed_games_are_reported_with_their_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--verify", "toss"]) == 0
    assert capsys.readouterr().out == "2 the same\n"
    change_rules(folder, "in 1..3, prompt", "in 1..2, prompt")
    assert main(["replay", "--verify", "toss"]) == 1
    output = capsys.readouterr().out
    assert "CHANGED toss/playthroughs/a.txt" in output
    assert "decision 3 of 8, P1 `3`, no longer fits: Guess, P1 (phase guess)" in output
    assert "--> toss/ruleset.yaml:16:9" in output
    assert output.endswith("0 the same, 2 different\n")
    change_rules(folder, "value: tries", "value: tries + 1")
    assert main(["replay", "--verify", "toss"]) == 1
    output = capsys.readouterr().out
    assert "  recorded  Tries: P1 8, P2 8\n" in output
    assert "  now       Tries: P1 9, P2 9\n" in output
    assert output.endswith("1 the same, 1 different\n")


def test_verdicts_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = verify(capsys, "toss", code=0)
    assert (report["version"], report["same"], report["changed"]) == (1, 2, 0)
    change_rules(folder, "value: tries", "value: tries + 1")
    text_row, save_row = verify(capsys, "toss")["games"]
    values = [text_row[key] for key in ("same", "decisions", "rules_unchanged", "problem")]
    assert values == [False, 8, None, None]
    (difference,) = text_row["differences"]
    assert (difference["kind"], difference["file"], difference["line"]) == ("result", "toss/ruleset.yaml", 24)
    assert (save_row["same"], save_row["rules_unchanged"], save_row["differences"]) == (True, False, [])


def test_unreadable_recordings_count_as_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "playthroughs" / "c.txt").write_text("# no", encoding="utf-8")
    (folder / "playthroughs" / "d.txt").write_bytes(b"\xff\xfe")
    games = verify(capsys, "toss")["games"]
    assert [game["same"] for game in games] == [True, True, False, False]
    assert "not a recorded game" in games[2]["problem"]
    assert "UTF-8" in games[3]["problem"]
    change_rules(folder, "id: toss", "id: other")
    assert "the transcript is of the game `toss`" in verify(capsys, "toss/playthroughs/a.txt")["games"][0]["problem"]
    assert "the transcript is of the game `toss`" in verify(capsys, "toss/playthroughs/b.json")["games"][0]["problem"]


def test_ruleset_mistakes_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change_rules(folder, "rank: [points]", "rank: [pionts]")
    assert main(["replay", "--verify", "toss"]) == 1
    assert "did you mean `points`?" in capsys.readouterr().err


def test_replay_prints_a_playthrough(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output for a saved game is a playthrough, which can be written to a file."""
    assert main(["replay", "toss/playthroughs/b.json"]) == 0
    text = capsys.readouterr().out
    playthrough = (folder / "playthroughs" / "a.txt").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "# A playthrough. Made by: lusory replay toss/playthroughs/b.json"
    assert text.splitlines()[1:] == playthrough.splitlines()[1:]
    (folder / "playthroughs" / "c.txt").write_text(text, encoding="utf-8")
    assert main(["replay", "--verify", "toss/playthroughs/c.txt"]) == 0
    capsys.readouterr()
    change_rules(folder, "in 1..3, prompt", "in 1..2, prompt")
    assert main(["replay", "toss/playthroughs/b.json"]) == 1
    assert "no longer fits" in capsys.readouterr().err


def test_story_uses_the_sentences_of_the_table(game: Game) -> None:
    lines = [to_text(line) for line in tell_story(game, play(game), ("Ann",))]
    assert any(line.startswith("Ann chooses: I say ") for line in lines)
    assert "— Guess —" in lines
    assert not any("k =" in line or "* " in line for line in lines)
    assert any(line.startswith("Points: Ann ") and ", P2 " in line for line in lines)
    assert "The game is not finished." in [to_text(line) for line in tell_story(game, play(game, 2), ())]


def test_game_option_replaces_the_rules(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed_game = folder.parent / "other.yaml"
    changed_game.write_text(RULES.replace("Welcome", "Hello"), encoding="utf-8")
    report = verify(capsys, "toss", "--game", "other.yaml")
    assert [game["same"] for game in report["games"]] == [False, True]


@pytest.mark.parametrize(("args", "complaint"), DATA["command line errors are explained"])
def test_command_line_errors_are_explained(
    args: list[str], complaint: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / "empty").mkdir()
    assert main(["replay", *args]) == 2
    assert complaint in capsys.readouterr().err
