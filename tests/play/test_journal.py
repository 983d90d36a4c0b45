"""Test that a crash loses no decision: each is on disk before its effects are shown, and the game can continue."""

from __future__ import annotations

import json
import os
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from io import FileIO
from pathlib import Path
from typing import cast

import pytest
from at_terminal import open_terminal
from programs import BIDS, read_data

from lusory.cli import main
from lusory.commands.errors import UsageError
from lusory.commands.handlers.play_and_resume import offer_unfinished, raise_on_signals
from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.match import DecisionNotSaved, Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer
from lusory.play.recorded_game_data_and_replay import TranscriptError, find_picks
from lusory.play.saves_and_journals import (
    Journal,
    Save,
    create_transcript,
    delete_journal,
    find_unfinished_games,
    read_journal,
)
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory.ui.session.server import catch_signals
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)


@pytest.fixture(autouse=True)
def folder(user_folders: Path) -> Path:
    """Return the folder of the journals."""
    return user_folders / "state" / "lusory" / "journals"


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(load_program(BIDS), options={"rounds": 4})


def start_game(game: Game, seed: int = 1, people: tuple[int, ...] = (0,)) -> tuple[Match, Journal]:
    match = Match(game, [ScriptedPlayer([0, 1, 2] * 9), ScriptedPlayer([1, 1, 0] * 9)], seed)
    journal = Journal(game, seed, people)
    journal.begin(Save(create_transcript(match), str(BIDS), ("human", "random"), ("Ann", "Bob")))
    match.store = journal
    return match, journal


def crash(journal: Journal) -> None:
    """Leave the journal as a killed process does."""
    if journal._file is not None:
        journal._file.close()


# ---------------------------------------------------------------- the file


def test_journal_holds_the_decisions(game: Game) -> None:
    match, journal = start_game(game)
    for _ in range(5):
        match.step()
    journal.sync()
    assert find_unfinished_games([]) == []  # it is still being played
    crash(journal)
    [game_file] = find_unfinished_games([])
    assert game_file.save == Save(game_file.save.transcript, str(BIDS), ("human", "random"), ("Ann", "Bob"))
    assert game_file.save.transcript.decisions == create_transcript(match).decisions
    assert not game_file.has_lost_decision
    copy = Match(game, match.players, 1, find_picks(game, game_file.save.transcript))
    assert (copy.state, copy.log) == (match.state, match.log)


def test_decision_of_a_person_is_saved_before_it_is_applied(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions of bots are saved with the next one of a person."""
    match, journal = start_game(game, people=(1,))
    handles: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: handles.append(handle))
    match.step()
    assert not handles
    monkeypatch.setattr(Game, "apply", lambda *_: pytest.fail("stop"))
    with pytest.raises(pytest.fail.Exception):
        match.step()
    assert journal._file is not None
    assert journal._file.fileno() in handles
    assert journal.path is not None
    assert len(journal.path.read_text().splitlines()) == 3


def test_journal_is_private(game: Game, folder: Path) -> None:
    match, journal = start_game(game)
    match.step()
    assert journal.path is not None
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    journal.close(keeps_file=False)
    assert list(folder.iterdir()) == []


def test_a_file_that_cannot_be_emptied_is_removed(game: Game, folder: Path) -> None:
    match, journal = start_game(game)
    match.step()
    assert journal._file is not None and journal.path is not None
    journal._file.close()
    journal._file = FileIO(journal.path)
    journal.close(keeps_file=False)
    assert list(folder.iterdir()) == []


def test_a_game_without_a_decision_leaves_nothing(game: Game, folder: Path) -> None:
    _, journal = start_game(game)
    journal.sync()
    journal.close(keeps_file=True)
    assert list(folder.iterdir()) == []


def test_journal_stores_simulation_counts_of_timed_searches(game: Game) -> None:
    """A saved game has them as well. Undone decisions have none."""
    match, journal = start_game(game, people=(0, 1))
    for simulations in (None, 640, 12):
        match.take(0, simulations)
    crash(journal)
    [game_file] = find_unfinished_games([])
    assert game_file.save.transcript.simulations == create_transcript(match).simulations == {2: 640, 3: 12}
    copy = Match(game, match.players, 1, find_picks(game, game_file.save.transcript), simulations={2: 640, 3: 12})
    assert [turn.simulations for turn in copy.turns] == [None, 640, 12]
    match, journal = start_game(game, people=(0, 1))
    match.take(0, 7)
    match.undo(0)
    match.take(1)
    crash(journal)
    saves_here = [file.save for file in find_unfinished_games([]) if file.path == journal.path]
    assert all(not save.transcript.simulations for save in saves_here)


def test_journal_stores_undo(game: Game) -> None:
    match, journal = start_game(game)
    match.step()
    assert match.can_undo(0)
    match.undo(0)
    match.take(2)
    crash(journal)
    [game_file] = find_unfinished_games([])
    assert [decision.option for decision in game_file.save.transcript.decisions] == ["3"]
    assert len(find_picks(game, game_file.save.transcript)) == 1


def test_decision_that_fails_is_dropped_from_the_journal(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    match, journal = start_game(game, people=(0, 1))
    match.step()
    with monkeypatch.context() as patch:
        patch.setattr(Game, "apply", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            match.take(0)
    crash(journal)
    [game_file] = find_unfinished_games([])
    assert len(game_file.save.transcript.decisions) == 1


@pytest.mark.parametrize(
    ("damage", "decisions"),
    [
        (lambda text: text + '["P2", "1', 2),
        (lambda text: text + "\0" * 300, 2),
        (lambda text: text + "\0" * 300 + "\n", 2),
        (lambda text: text[:-5], 1),
        (lambda text: text[:-1], 1),
    ],
)
def test_damaged_end_is_cut_off(damage: object, decisions: int, game: Game) -> None:
    match, journal = start_game(game, people=(0, 1))
    match.step()
    match.step()
    crash(journal)
    assert journal.path is not None
    journal.path.write_text(damage(journal.path.read_text()))  # type: ignore[operator]
    [game_file] = find_unfinished_games([])
    assert game_file.has_lost_decision
    assert len(game_file.save.transcript.decisions) == decisions

    copy = Match(game, match.players, 1, find_picks(game, game_file.save.transcript))
    new_journal = Journal(game, 1, (0, 1))
    assert new_journal.reopen(game_file)
    copy.store = new_journal
    copy.step()
    crash(new_journal)
    [game_file] = find_unfinished_games([])
    assert not game_file.has_lost_decision
    assert len(game_file.save.transcript.decisions) == decisions + 1


def test_journal_cut_anywhere_keeps_its_whole_decisions(game: Game) -> None:
    match, journal = start_game(game, people=(0, 1))
    for _ in range(3):
        match.step()
    match.undo(match.turns[-1].seat)
    crash(journal)
    assert journal.path is not None
    text = journal.path.read_text()
    counts = [0, 0, 1, 2, 3, 2]
    line_ends = [offset for offset, character in enumerate(text) if character == "\n"]
    for end in {*range(0, len(text), 37), *line_ends, *(offset + 1 for offset in line_ends)}:
        journal.path.write_text(text[:end])
        game_file = read_journal(journal.path)
        lines = text[:end].count("\n")
        assert (0 if game_file is None else len(game_file.save.transcript.decisions)) == counts[lines]
        assert (game_file is not None) == (lines > 0)
        assert game_file is None or game_file.has_lost_decision == (text[end - 1] != "\n")


@pytest.mark.parametrize(("old", "new", "message"), DATA["damage before the end is reported"])
def test_damage_before_the_end_is_reported(old: str, new: str, message: str, game: Game) -> None:
    match, journal = start_game(game, people=(0, 1))
    match.step()
    match.step()
    crash(journal)
    assert journal.path is not None
    text = journal.path.read_text()
    assert old in text
    journal.path.write_text(text.replace(old, new, 1))
    with pytest.raises(TranscriptError, match=message):
        read_journal(journal.path)
    problems: list[str] = []
    assert find_unfinished_games(problems) == []
    assert str(journal.path) in problems[0]
    assert journal.path.exists()


@pytest.mark.parametrize("text", ["garbage\n", "garbage\n[", "\0" * 300 + "\n"])
def test_journal_with_one_damaged_line_is_reported_and_stays(text: str, game: Game) -> None:
    path, _ = create_two_journals(game)
    path.write_text(text)
    with pytest.raises(TranscriptError, match=":1: this line is damaged"):
        read_journal(path)
    problems: list[str] = []
    assert len(find_unfinished_games(problems)) == 1
    assert problems == [f"{path}:1: this line is damaged"]
    assert path.read_text() == text


def test_unreadable_journal_is_reported(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    path, readable = create_two_journals(game)
    open_file = saves._open_file

    def refuse(file: Path, flags: int = 0) -> object:
        if file == path:
            raise PermissionError(13, "Permission denied", str(file))
        return open_file(file, flags)

    monkeypatch.setattr(saves, "_open_file", refuse)
    problems: list[str] = []
    assert [game_file.path for game_file in find_unfinished_games(problems)] == [readable]
    assert problems == [f"{path} can't be read: Permission denied"]


def test_open_journal_is_locked(game: Game) -> None:
    match, journal = start_game(game)
    match.step()
    crash(journal)
    [game_file] = find_unfinished_games([])
    first, second = Journal(game, 1, (0,)), Journal(game, 1, (0,))
    assert first.reopen(game_file)
    assert not second.reopen(game_file)
    delete_journal(game_file)
    assert game_file.path.exists()
    first.close(keeps_file=False)
    assert not game_file.path.exists()
    with pytest.raises(OSError):
        second.reopen(game_file)


def create_two_journals(game: Game) -> tuple[Path, Path]:
    """Create the journals of two unfinished games, of which the first is older."""
    paths = []
    for seed in (1, 2):
        match, journal = start_game(game, seed)
        match.step()
        crash(journal)
        assert journal.path is not None
        os.utime(journal.path, (1000 * seed, 1000 * seed))
        paths.append(journal.path)
    return paths[0], paths[1]


@pytest.mark.parametrize("is_closed", [False, True])
def test_latest_journal_is_listed_first(is_closed: bool, game: Game) -> None:
    """Opening a journal without a decision counts, and so does a killed process."""
    older, newer = create_two_journals(game)
    assert [game_file.path for game_file in find_unfinished_games([])] == [newer, older]
    game_file = find_unfinished_games([])[1]
    journal = Journal(game, 1, (0,))
    assert journal.reopen(game_file)
    if is_closed:
        os.utime(older, (1000, 1000))
        journal.close(keeps_file=True)
    crash(journal)
    assert [game_file.path for game_file in find_unfinished_games([])] == [older, newer]


class ScriptedTerminal:
    """A terminal that gives scripted answers and then leaves."""

    is_interactive = True

    def __init__(self, *answers: str) -> None:
        self.answers, self.output = [*answers, "q"], list[str]()

    def print_raw(self, words: str) -> None:
        self.output.append(words)

    def read(self, words: str) -> str:
        self.output.append(words)
        return self.answers.pop(0)


@pytest.mark.parametrize(
    ("answers", "seeds"),
    [(("d", "y"), [1]), (("d", "n"), [2, 1]), (("d", ""), [2, 1]), (("d 2", "yes"), [2]), (("d 3", "y"), [2, 1])],
)
def test_discarding_a_game_needs_confirmation(answers: tuple[str, ...], seeds: list[int], game: Game) -> None:
    create_two_journals(game)
    terminal = ScriptedTerminal(*answers)
    with pytest.raises(UsageError):
        offer_unfinished(cast(Terminal, terminal), None, ())
    assert [game_file.save.transcript.seed for game_file in find_unfinished_games([])] == seeds
    questions = [words for words in terminal.output if words.startswith("Delete bids, 1 decision, Ann, Bob (random)")]
    assert len(questions) == (answers[0] != "d 3")


@pytest.mark.parametrize(
    "problem", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "ctrl-c"]
)
def test_failed_write_refuses_the_decision_and_keeps_the_journal(
    problem: BaseException, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, journal = start_game(game, people=(0, 1))
    match.step()
    assert journal.path is not None
    before, state = journal.path.read_bytes(), match.state

    class FullDisk(saves.FileIO):
        def write(self, content: object) -> int:
            super().write(b"[")  # part of the line is written
            raise problem

    file = journal._file
    assert file is not None
    journal._file = FullDisk(os.dup(file.fileno()), "r+")
    for _ in range(2):
        with pytest.raises((DecisionNotSaved, KeyboardInterrupt)):
            match.step()
        match.resume()
    assert journal.path.read_bytes() == before
    assert match.state == state
    journal._file.close()
    journal._file = file
    match.step()
    crash(journal)
    [game_file] = find_unfinished_games([])
    assert game_file.save.transcript.decisions == create_transcript(match).decisions


# ---------------------------------------------------------------- real processes


def read_chunk(source: int, output: str) -> bytes:
    """Return the next output of a process. Fail with what it has shown if nothing comes."""
    ready, _, _ = select.select([source], [], [], 60)
    chunk = os.read(source, 4096) if ready else b""
    assert chunk, output
    return chunk


class PlayProcess:
    """A process of ``lusory play`` whose lines are typed one by one."""

    def __init__(self, *args: str) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "lusory", "play", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "COLUMNS": "80"},
        )
        self.output = ""

    def type(self, line: str) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(f"{line}\n".encode())
        self.popen.stdin.flush()

    def wait_for(self, words: str, times: int = 1) -> None:
        """Wait until the words have appeared ``times`` times."""
        assert self.popen.stdout is not None
        while self.output.count(words) < times:
            self.output += read_chunk(self.popen.stdout.fileno(), self.output).decode()

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def finish(self) -> str:
        out, _ = self.popen.communicate(timeout=60)
        self.output += out.decode()
        return self.output


Play = Callable[..., PlayProcess]


@pytest.fixture
def play() -> Iterator[Play]:
    """Return a function that starts a process. Kill all processes after the test."""
    processes: list[PlayProcess] = []

    def start(*args: str) -> PlayProcess:
        processes.append(PlayProcess(*args))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.popen.communicate()


ARGS = (str(BIDS), "--seed", "1", "--option", "rounds=4", "--names", "Ann")
PROMPT = "\n> "


def type_bids(process: PlayProcess, *lines: str) -> None:
    """Type one bid for each round."""
    process.wait_for(PROMPT)
    for number, line in enumerate(lines, 2):
        process.type(line)
        process.wait_for(PROMPT, number)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no hang-up")
@pytest.mark.parametrize("catch", [raise_on_signals, lambda: catch_signals(lambda end: pytest.fail(str(end)))])
def test_hang_up_that_nohup_ignores_ends_nothing(catch: Callable[[], AbstractContextManager[None]]) -> None:
    earlier_handler = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with catch():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, earlier_handler)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_killed_game_continues_where_it_was(name: str, play: Play, folder: Path) -> None:
    process = play(*ARGS)
    type_bids(process, "2", "3")
    process.popen.send_signal(getattr(signal, name))
    output = process.finish()
    if name != "SIGKILL":
        assert process.popen.returncode == 128 + getattr(signal, name)
    assert ("lusory: ended by SIGTERM. To go on: lusory play" in output) == (name == "SIGTERM")
    assert "Traceback" not in output

    continuation = play("--continue")
    continuation.wait_for("How much do you bid?")
    assert "Round 3 of 4" in continuation.output
    continuation.type("1")
    continuation.wait_for(PROMPT, 2)
    continuation.type("1")
    complete = play(*ARGS)
    type_bids(complete, "2", "3", "1")
    complete.type("1")
    outputs = continuation.finish(), complete.finish()
    first, second = (output[output.index("the end ─") :].split("Seed")[0] for output in outputs)
    assert first == second
    assert list(folder.iterdir()) == []
    assert continuation.popen.returncode == 0


def test_starting_the_same_game_offers_to_continue(play: Play) -> None:
    process = play(*ARGS)
    type_bids(process, "2")
    process.kill()
    second_process = play(str(BIDS))
    output = second_process.finish()
    assert (
        "lusory: you have an unfinished game: bids, 2 decisions, Ann, P2 (bot), just now; to continue it: lusory play"
        in output
    )
    assert f"{BIDS} --continue" in output
    different = play("tic-tac-toe")
    assert "unfinished" not in different.finish()
    nameless = play()
    assert "the name of the game is missing" in nameless.finish()


def test_two_games_at_once_have_their_own_journals(play: Play, folder: Path) -> None:
    processes = [play(str(BIDS), "--seed", seed, "--option", "rounds=4") for seed in ("1", "2")]
    for process in processes:
        type_bids(process, "2")
    assert len(list(folder.iterdir())) == 2
    third = play("--continue")
    assert "there is no unfinished game" in third.finish()
    assert third.popen.returncode == 2
    for process in processes:
        process.kill()
        time.sleep(0.01)
    fourth = play("--continue")
    fourth.wait_for(PROMPT)
    assert fourth.output.count("lusory: also unfinished: bids, 2 decisions") == 1
    fifth = play("--continue")
    fifth.wait_for(PROMPT)
    assert "also unfinished" not in fifth.output


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_full_disk_refuses_a_decision_that_can_be_retried(play: Play, folder: Path) -> None:
    """A limit on file sizes simulates a full disk: after some bytes, writing fails."""
    import resource

    process = play(*ARGS)
    type_bids(process, "2")
    [file] = folder.iterdir()
    before = file.read_bytes()
    resource.prlimit(process.popen.pid, resource.RLIMIT_FSIZE, (len(before) + 10, resource.RLIM_INFINITY))
    process.type("3")
    process.wait_for("q leaves the game. ")
    assert "Not kept, and so not decided: File too large" in process.output
    assert file.read_bytes() == before
    process.type("")
    process.wait_for("How much do you bid?", 3)
    assert "Round 2 of 4" in process.output[process.output.rindex("Not kept") :]
    process.type("3")
    process.wait_for("q leaves the game. ", 2)
    resource.prlimit(process.popen.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    process.type("")
    process.wait_for("How much do you bid?", 4)
    process.type("1")
    process.wait_for("Round 3 of 4")
    process.kill()
    [game_file] = find_unfinished_games([])
    assert [decision.option for decision in game_file.save.transcript.decisions if decision.seat == 0] == ["2", "1"]


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_full_disk_allows_play_without_a_journal(play: Play, folder: Path) -> None:
    import resource

    process = play(str(BIDS), "--seed", "1", "--option", "rounds=1")
    process.wait_for(PROMPT)
    resource.prlimit(process.popen.pid, resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
    process.type("2")
    process.wait_for("q leaves the game. ")
    process.type("p")
    process.wait_for("How much do you bid?", 2)
    process.type("2")
    assert "the end ─" in process.finish()
    assert process.popen.returncode == 0
    assert list(folder.iterdir()) == []


def test_without_a_folder_there_is_no_journal(play: Play, folder: Path) -> None:
    folder.parents[1].write_text("in the way")
    process = play(str(BIDS), "--seed", "1", "--option", "rounds=1")
    process.type("2")
    output = process.finish()
    assert "This game is not saved while you play (" in output
    assert "a crash would lose it" in output
    assert "the end ─" in output


def test_saved_and_discarded_games_have_no_journal(play: Play, folder: Path, tmp_path: Path) -> None:
    process = play(*ARGS)
    type_bids(process, "2")
    assert len(list(folder.iterdir())) == 1
    assert "Saved. To continue" in process.finish()
    assert list(folder.iterdir()) == []
    [file] = (tmp_path / "data" / "lusory" / "saves").iterdir()
    assert len(json.loads(file.read_text())["decisions"]) == 2


@pytest.mark.parametrize("args", [["--seed", "3"], ["--load", "x.json"], ["--seats", "human"]])
def test_continue_takes_no_options_of_the_game(args: list[str], play: Play) -> None:
    process = play("--continue", *args)
    process.finish()
    assert process.popen.returncode == 2


def test_journal_stores_packs(play: Play, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "pack.yaml").write_text("pack: {name: Quiet, for: bids}\n", encoding="utf-8")
    process = play(*ARGS, "--with", str(pack))
    type_bids(process, "2")
    process.kill()
    plain = play(str(BIDS))
    assert "unfinished" not in plain.finish()
    pack_process = play(str(BIDS), "--with", str(pack))
    assert f"{BIDS} --with {pack} --continue" in pack_process.finish()
    for args in (["--with", str(pack)], []):
        continuation = play(str(BIDS), "--continue", *args)
        continuation.wait_for("Round 2 of 4")
        continuation.kill()
    assert "there is no unfinished game" in play("--continue", "--with", "another").finish()


def test_continuing_with_changed_rules_needs_an_option(play: Play, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_bytes(BIDS.read_bytes())
    process = play(str(rules), *ARGS[1:])
    type_bids(process, "2")
    process.kill()
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace("How much do you bid?", "Your bid?"), encoding="utf-8")
    retry = play("--continue")
    output = retry.finish()
    assert retry.popen.returncode == 2
    assert "was not continued, because the rules have changed since it was saved" in output
    assert "lusory play --continue --changed-rules" in output
    [game_file] = find_unfinished_games([])
    assert f"`lusory replay --verify {game_file.path}` compares the whole game" in output
    assert main(["replay", "--verify", str(game_file.path)]) == 0

    for number, args in enumerate((["--changed-rules"], []), 2):
        continuation = play("--continue", *args)
        continuation.wait_for("Your bid?")
        assert f"Round {number} of 4" in continuation.output
        continuation.type("1")
        continuation.wait_for("Your bid?", 2)
        continuation.kill()


# ---------------------------------------------------------------- at a terminal


needs_terminals = pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")


@needs_terminals
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_terminal_is_restored_and_the_game_offered(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import termios

    monkeypatch.setenv("NO_COLOR", "1")
    with open_terminal(None, "play", "--plain", *ARGS) as terminal:
        before = termios.tcgetattr(terminal.end)
        terminal.wait_for(b"> ")
        terminal.press(b"2\r")
        terminal.wait_for(b"Round 2 of 4", then=b"> ")
        assert termios.tcgetattr(terminal.end) != before  # line editing is active
        os.kill(terminal.process, getattr(signal, name))
        assert terminal.wait_for_exit() == 128 + getattr(signal, name)
        assert termios.tcgetattr(terminal.end) == before
    with open_terminal(None, "play", "--plain", *ARGS) as continuation:
        continuation.wait_for(b"Unfinished: bids, 2 decisions, Ann, P2 (bot), just now", then=b"q quits. ")
        continuation.press(b"\r")
        continuation.wait_for(b"Round 2 of 4", then=b"> ")
        continuation.press(b"quit\r")
        continuation.wait_for(b"b goes back to it. ")
        continuation.press(b"d\r")
        assert continuation.wait_for_exit() == 0
        assert list(folder.iterdir()) == []


@needs_terminals
def test_changed_rules_are_reported_when_a_game_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    rules = tmp_path / "rules.yaml"
    text = BIDS.read_text(encoding="utf-8")
    changed_text = text.replace("How much do you bid?", "Your bid?")
    impossible_text = text.replace("amount in 1..3", "amount in 7..9")
    for content, presses, shown in (
        (text, [(b"> ", b"2\r")], b"Round 2 of 4"),
        (changed_text, [(b"q quits. ", b"\r"), (b"new rules? Type y to confirm: ", b"y\r")], b"Round 2 of 4"),
        (impossible_text, [(b"q quits. ", b"\r"), (b"it can't be continued: ", b"n\r")], b"Round 1 of 4"),
    ):
        rules.write_text(content, encoding="utf-8")
        with open_terminal(None, "play", "--plain", str(rules), *ARGS[1:]) as terminal:
            for notice, keys in presses:
                terminal.wait_for(notice)
                terminal.press(keys)
            terminal.wait_for(shown, then=b"> ")
            os.kill(terminal.process, signal.SIGTERM)
            terminal.wait_for_exit()
