"""A crash loses nothing: every decision is on the disk before its outcome is shown, and the game can go on."""

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
from io import FileIO
from pathlib import Path
from typing import cast

import pytest
from at_terminal import at_terminal
from programs import BIDS, read_data

from lusory.cli import main
from lusory.commands.errors import UsageError
from lusory.commands.handlers.play_and_resume import offer_unfinished
from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.decision_information_and_simple_players import ScriptedPlayer
from lusory.play.match import DecisionNotSaved, Match
from lusory.play.recorded_game_data_and_replay import TranscriptError, find_picks
from lusory.play.saves_and_journals import (
    Journal,
    Save,
    create_transcript,
    delete_journal,
    find_unfinished_games,
    is_any_journal_open,
    read_journal,
)
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)


@pytest.fixture(autouse=True)
def folder(user_folders: Path) -> Path:
    """Where the journals lie."""
    return user_folders / "state" / "lusory" / "journals"


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(load_program(BIDS), options={"rounds": 4})


def begun(game: Game, seed: int = 1, people: tuple[int, ...] = (0,)) -> tuple[Match, Journal]:
    match = Match(game, [ScriptedPlayer([0, 1, 2] * 9), ScriptedPlayer([1, 1, 0] * 9)], seed)
    journal = Journal(game, seed, people)
    journal.begin(Save(create_transcript(match), str(BIDS), ("human", "random"), ("Ann", "Bob")))
    match.store = journal
    return match, journal


def left(journal: Journal) -> None:
    """As a process that is killed leaves it."""
    if journal._file is not None:
        journal._file.close()


# ---------------------------------------------------------------- the file


def test_a_journal_has_what_was_decided(game: Game) -> None:
    match, journal = begun(game)
    for _ in range(5):
        match.step()
    journal.sync()
    assert find_unfinished_games([]) == []  # it is being played
    assert is_any_journal_open()
    left(journal)
    assert not is_any_journal_open()
    [found] = find_unfinished_games([])
    assert found.save == Save(found.save.transcript, str(BIDS), ("human", "random"), ("Ann", "Bob"))
    assert found.save.transcript.decisions == create_transcript(match).decisions
    assert not found.has_lost_decision
    again = Match(game, match.players, 1, find_picks(game, found.save.transcript))
    assert (again.state, again.log) == (match.state, match.log)


def test_a_persons_decision_is_kept_before_it_is_taken(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """And synced: what a seat that is no person decided goes with it."""
    match, journal = begun(game, people=(1,))
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(handle))
    match.step()
    assert not synced
    monkeypatch.setattr(Game, "apply", lambda *_: pytest.fail("stop"))
    with pytest.raises(pytest.fail.Exception):
        match.step()
    assert journal._file is not None
    assert journal._file.fileno() in synced
    assert journal.path is not None
    assert len(journal.path.read_text().splitlines()) == 3


def test_a_journal_is_for_its_user_alone(game: Game, folder: Path) -> None:
    match, journal = begun(game)
    match.step()
    assert journal.path is not None
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    journal.close(keep=False)
    assert list(folder.iterdir()) == []


def test_a_file_that_cannot_be_emptied_is_removed(game: Game, folder: Path) -> None:
    match, journal = begun(game)
    match.step()
    assert journal._file is not None and journal.path is not None
    journal._file.close()
    journal._file = FileIO(journal.path)
    journal.close(keep=False)
    assert list(folder.iterdir()) == []


def test_a_game_without_a_decision_leaves_nothing(game: Game, folder: Path) -> None:
    _, journal = begun(game)
    journal.sync()
    journal.close(keep=True)
    assert list(folder.iterdir()) == []


def test_it_keeps_how_many_simulations_a_clock_came_to(game: Game) -> None:
    """As a saved game does; what was undone is forgotten."""
    match, journal = begun(game, people=(0, 1))
    for simulations in (None, 640, 12):
        match.take(0, simulations)
    left(journal)
    [found] = find_unfinished_games([])
    assert found.save.transcript.simulations == create_transcript(match).simulations == {2: 640, 3: 12}
    again = Match(game, match.players, 1, find_picks(game, found.save.transcript), simulations={2: 640, 3: 12})
    assert [turn.simulations for turn in again.turns] == [None, 640, 12]
    match, journal = begun(game, people=(0, 1))
    match.take(0, 7)
    match.undo(0)
    match.take(1)
    left(journal)
    assert all(not one.save.transcript.simulations for one in find_unfinished_games([]) if one.path == journal.path)


def test_undo_is_kept(game: Game) -> None:
    match, journal = begun(game)
    match.step()
    assert match.can_undo(0)
    match.undo(0)
    match.take(2)
    left(journal)
    [found] = find_unfinished_games([])
    assert [made.option for made in found.save.transcript.decisions] == ["3"]
    assert len(find_picks(game, found.save.transcript)) == 1


def test_what_fails_when_it_is_played_is_not_met_again(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    match, journal = begun(game, people=(0, 1))
    match.step()
    with monkeypatch.context() as broken:
        broken.setattr(Game, "apply", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            match.take(0)
    left(journal)
    [found] = find_unfinished_games([])
    assert len(found.save.transcript.decisions) == 1


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
def test_a_damaged_end_is_left_out_and_cut_off(damage: object, decisions: int, game: Game) -> None:
    match, journal = begun(game, people=(0, 1))
    match.step()
    match.step()
    left(journal)
    assert journal.path is not None
    journal.path.write_text(damage(journal.path.read_text()))  # type: ignore[operator]
    [found] = find_unfinished_games([])
    assert found.has_lost_decision
    assert len(found.save.transcript.decisions) == decisions

    again = Match(game, match.players, 1, find_picks(game, found.save.transcript))
    other = Journal(game, 1, (0, 1))
    assert other.reopen(found)
    again.store = other
    again.step()
    left(other)
    [found] = find_unfinished_games([])
    assert not found.has_lost_decision
    assert len(found.save.transcript.decisions) == decisions + 1


def test_wherever_a_journal_ends_what_is_whole_is_found(game: Game) -> None:
    match, journal = begun(game, people=(0, 1))
    for _ in range(3):
        match.step()
    match.undo(match.turns[-1].seat)
    left(journal)
    assert journal.path is not None
    text = journal.path.read_text()
    made = [0, 0, 1, 2, 3, 2]
    breaks = [at for at, character in enumerate(text) if character == "\n"]
    for end in {*range(0, len(text), 37), *breaks, *(at + 1 for at in breaks)}:
        journal.path.write_text(text[:end])
        found = read_journal(journal.path)
        lines = text[:end].count("\n")
        assert (0 if found is None else len(found.save.transcript.decisions)) == made[lines]
        assert (found is not None) == (lines > 0)
        assert found is None or found.has_lost_decision == (text[end - 1] != "\n")


@pytest.mark.parametrize(("old", "new", "message"), DATA["what is damaged before its end is told"])
def test_what_is_damaged_before_its_end_is_told(old: str, new: str, message: str, game: Game) -> None:
    match, journal = begun(game, people=(0, 1))
    match.step()
    match.step()
    left(journal)
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
def test_a_journal_whose_only_line_is_damaged_is_told_and_stays(text: str, game: Game) -> None:
    path, _ = two_left(game)
    path.write_text(text)
    with pytest.raises(TranscriptError, match=":1: this line is damaged"):
        read_journal(path)
    problems: list[str] = []
    assert len(find_unfinished_games(problems)) == 1
    assert problems == [f"{path} can't be read: {path}:1: this line is damaged"]
    assert path.read_text() == text


def test_a_journal_that_cannot_be_opened_is_told(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = two_left(game)
    open_file = saves._open_file

    def refuse(file: Path, flags: int = 0) -> object:
        if file == path:
            raise PermissionError(13, "Permission denied", str(file))
        return open_file(file, flags)

    monkeypatch.setattr(saves, "_open_file", refuse)
    problems: list[str] = []
    assert [one.path for one in find_unfinished_games(problems)] == [other]
    assert len(problems) == 1
    assert "Permission denied" in problems[0]
    assert not is_any_journal_open()


def test_a_journal_that_is_played_is_nobody_elses(game: Game) -> None:
    match, journal = begun(game)
    match.step()
    left(journal)
    [found] = find_unfinished_games([])
    first, second = Journal(game, 1, (0,)), Journal(game, 1, (0,))
    assert first.reopen(found)
    assert not second.reopen(found)
    delete_journal(found)
    assert found.path.exists()
    first.close(keep=False)
    assert not found.path.exists()
    with pytest.raises(OSError):
        second.reopen(found)


def two_left(game: Game) -> tuple[Path, Path]:
    """The journals of two unfinished games, of which the first was open long before the second."""
    paths = []
    for seed in (1, 2):
        match, journal = begun(game, seed)
        match.step()
        left(journal)
        assert journal.path is not None
        os.utime(journal.path, (1000 * seed, 1000 * seed))
        paths.append(journal.path)
    return paths[0], paths[1]


@pytest.mark.parametrize("is_closed", [False, True])
def test_the_game_that_was_open_last_is_listed_first(is_closed: bool, game: Game) -> None:
    """Also where nothing was decided in it, and where it was killed."""
    older, newer = two_left(game)
    assert [one.path for one in find_unfinished_games([])] == [newer, older]
    found = find_unfinished_games([])[1]
    journal = Journal(game, 1, (0,))
    assert journal.reopen(found)
    if is_closed:
        os.utime(older, (1000, 1000))
        journal.close(keep=True)
    left(journal)
    assert [one.path for one in find_unfinished_games([])] == [older, newer]


class Asked:
    """A terminal at which somebody gives answers, of which the last leaves."""

    interactive = True

    def __init__(self, *answers: str) -> None:
        self.answers, self.told = [*answers, "q"], list[str]()

    def print_raw(self, words: str) -> None:
        self.told.append(words)

    def read(self, words: str) -> str:
        self.told.append(words)
        return self.answers.pop(0)


@pytest.mark.parametrize(
    ("answers", "stay"),
    [(("d", "y"), [1]), (("d", "n"), [2, 1]), (("d", ""), [2, 1]), (("d 2", "yes"), [2]), (("d 3", "y"), [2, 1])],
)
def test_a_game_is_thrown_away_only_by_who_says_so_twice(answers: tuple[str, ...], stay: list[int], game: Game) -> None:
    two_left(game)
    terminal = Asked(*answers)
    with pytest.raises(UsageError):
        offer_unfinished(cast(Terminal, terminal), None, ())
    assert [one.save.transcript.seed for one in find_unfinished_games([])] == stay
    asked = [words for words in terminal.told if words.startswith("Delete bids, 1 decision, Ann, Bob (random)")]
    assert len(asked) == (answers[0] != "d 3")


@pytest.mark.parametrize(
    "problem", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "ctrl-c"]
)
def test_a_failed_write_refuses_a_decision_and_leaves_the_journal_whole(
    problem: BaseException, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, journal = begun(game, people=(0, 1))
    match.step()
    assert journal.path is not None
    before, state = journal.path.read_bytes(), match.state

    class Full(saves.FileIO):
        def write(self, content: object) -> int:
            super().write(b"[")  # some of it
            raise problem

    file = journal._file
    assert file is not None
    journal._file = Full(os.dup(file.fileno()), "r+")
    for _ in range(2):
        with pytest.raises((DecisionNotSaved, KeyboardInterrupt)):
            match.step()
        match.resume()
    assert journal.path.read_bytes() == before
    assert match.state == state
    journal._file.close()
    journal._file = file
    match.step()
    left(journal)
    [found] = find_unfinished_games([])
    assert found.save.transcript.decisions == create_transcript(match).decisions


# ---------------------------------------------------------------- real processes


def waited(source: int, shown: str) -> bytes:
    """What comes next from a process that has shown something."""
    ready, _, _ = select.select([source], [], [], 60)
    got = os.read(source, 4096) if ready else b""
    assert got, shown
    return got


class Playing:
    """``lusory play`` in a process of its own, whose lines are typed one by one."""

    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lusory", "play", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "COLUMNS": "80"},
        )
        self.shown = ""

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def until(self, words: str, times: int = 1) -> None:
        """Wait until so many of these words are shown."""
        assert self.process.stdout is not None
        while self.shown.count(words) < times:
            self.shown += waited(self.process.stdout.fileno(), self.shown).decode()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def rest(self) -> str:
        out, _ = self.process.communicate(timeout=60)
        self.shown += out.decode()
        return self.shown


Play = Callable[..., Playing]


@pytest.fixture
def playing() -> Iterator[Play]:
    """Start a process with some arguments; none goes on after the test."""
    all_of_them: list[Playing] = []

    def start(*args: str) -> Playing:
        all_of_them.append(Playing(*args))
        return all_of_them[-1]

    yield start
    for one in all_of_them:
        one.kill()
        one.process.communicate()


ARGS = (str(BIDS), "--seed", "1", "--option", "rounds=4", "--names", "Ann")
PROMPT = "\n> "


def bids(one: Playing, *typed: str) -> None:
    """Play so many rounds."""
    one.until(PROMPT)
    for number, line in enumerate(typed, 2):
        one.type(line)
        one.until(PROMPT, number)


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_a_game_that_is_killed_goes_on_where_it_was(end: str, playing: Play, folder: Path) -> None:
    one = playing(*ARGS)
    bids(one, "2", "3")
    one.process.send_signal(getattr(signal, end))
    shown = one.rest()
    if end != "SIGKILL":
        assert one.process.returncode == 128 + getattr(signal, end)
    assert ("lusory: ended by SIGTERM. To go on: lusory play" in shown) == (end == "SIGTERM")
    assert "Traceback" not in shown

    again = playing("--continue")
    again.until("How much do you bid?")
    assert "Round 3 of 4" in again.shown
    again.type("1")
    again.until(PROMPT, 2)
    again.type("1")
    whole = playing(*ARGS)
    bids(whole, "2", "3", "1")
    whole.type("1")
    ended = [shown[shown.index("the end ─") :].split("Seed")[0] for shown in (again.rest(), whole.rest())]
    assert ended[0] == ended[1]
    assert list(folder.iterdir()) == []
    assert again.process.returncode == 0


def test_the_same_game_says_that_it_can_be_gone_on_with(playing: Play) -> None:
    one = playing(*ARGS)
    bids(one, "2")
    one.kill()
    other = playing(str(BIDS))
    shown = other.rest()
    assert (
        "lusory: you have an unfinished game: bids, 2 decisions, Ann, P2 (bot), just now; to continue it: lusory play"
        in shown
    )
    assert f"{BIDS} --continue" in shown
    elsewhere = playing("tic-tac-toe")
    assert "unfinished" not in elsewhere.rest()
    empty = playing()
    assert "the name of the game is missing" in empty.rest()


def test_two_at_once_keep_their_own(playing: Play, folder: Path) -> None:
    both = [playing(str(BIDS), "--seed", seed, "--option", "rounds=4") for seed in ("1", "2")]
    for one in both:
        bids(one, "2")
    assert len(list(folder.iterdir())) == 2
    third = playing("--continue")
    assert "all unfinished games are open in other terminals" in third.rest()
    assert third.process.returncode == 2
    for one in both:
        one.kill()
        time.sleep(0.01)
    fourth = playing("--continue")
    fourth.until(PROMPT)
    assert fourth.shown.count("lusory: also unfinished: bids, 2 decisions") == 1
    fifth = playing("--continue")
    fifth.until(PROMPT)
    assert "also unfinished" not in fifth.shown


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_on_a_full_disk_a_decision_is_refused_and_can_be_tried_again(playing: Play, folder: Path) -> None:
    """A limit on the size of files stands for a disk that is full: what is written fails after some bytes."""
    import resource

    one = playing(*ARGS)
    bids(one, "2")
    [file] = folder.iterdir()
    before = file.read_bytes()
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (len(before) + 10, resource.RLIM_INFINITY))
    one.type("3")
    one.until("q leaves the game. ")
    assert "Not kept, and so not decided: File too large" in one.shown
    assert file.read_bytes() == before
    one.type("")
    one.until("How much do you bid?", 3)
    assert "Round 2 of 4" in one.shown[one.shown.rindex("Not kept") :]
    one.type("3")
    one.until("q leaves the game. ", 2)
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    one.type("")
    one.until("How much do you bid?", 4)
    one.type("1")
    one.until("Round 3 of 4")
    one.kill()
    [found] = find_unfinished_games([])
    assert [made.option for made in found.save.transcript.decisions if made.seat == 0] == ["2", "1"]


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_on_a_full_disk_one_can_play_on_without_a_journal(playing: Play, folder: Path) -> None:
    import resource

    one = playing(str(BIDS), "--seed", "1", "--option", "rounds=1")
    one.until(PROMPT)
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
    one.type("2")
    one.until("q leaves the game. ")
    one.type("p")
    one.until("How much do you bid?", 2)
    one.type("2")
    assert "the end ─" in one.rest()
    assert one.process.returncode == 0
    assert list(folder.iterdir()) == []


def test_without_a_place_for_it_no_journal_is_kept(playing: Play, folder: Path) -> None:
    folder.parents[1].write_text("in the way")
    one = playing(str(BIDS), "--seed", "1", "--option", "rounds=1")
    one.type("2")
    shown = one.rest()
    assert "This game is not saved while you play (" in shown
    assert "a crash would lose it" in shown
    assert "the end ─" in shown


def test_what_is_saved_or_thrown_away_is_in_no_journal(playing: Play, folder: Path, tmp_path: Path) -> None:
    one = playing(*ARGS)
    bids(one, "2")
    assert len(list(folder.iterdir())) == 1
    assert "Saved. To continue" in one.rest()
    assert list(folder.iterdir()) == []
    [file] = (tmp_path / "data" / "lusory" / "saves").iterdir()
    assert len(json.loads(file.read_text())["decisions"]) == 2


@pytest.mark.parametrize("args", [["--seed", "3"], ["--load", "x.json"], ["--seats", "human"]])
def test_what_an_unfinished_game_has_settled_is_not_typed(args: list[str], playing: Play) -> None:
    one = playing("--continue", *args)
    one.rest()
    assert one.process.returncode == 2


def test_packs_are_part_of_the_game(playing: Play, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "pack.yaml").write_text("pack: {name: Quiet, for: bids}\n", encoding="utf-8")
    one = playing(*ARGS, "--with", str(pack))
    bids(one, "2")
    one.kill()
    other = playing(str(BIDS))
    assert "unfinished" not in other.rest()
    same = playing(str(BIDS), "--with", str(pack))
    assert f"{BIDS} --with {pack} --continue" in same.rest()
    for args in (["--with", str(pack)], []):
        again = playing(str(BIDS), "--continue", *args)
        again.until("Round 2 of 4")
        again.kill()


def test_a_game_goes_on_by_changed_rules_when_that_is_asked_for(playing: Play, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_bytes(BIDS.read_bytes())
    one = playing(str(rules), *ARGS[1:])
    bids(one, "2")
    one.kill()
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace("How much do you bid?", "Your bid?"), encoding="utf-8")
    refused = playing("--continue")
    shown = refused.rest()
    assert refused.process.returncode == 2
    assert "was not continued, because the rules have changed since it was saved" in shown
    assert "lusory play --continue --changed-rules" in shown
    [found] = find_unfinished_games([])
    assert f"`lusory replay --verify {found.path}` compares the whole game" in shown
    assert main(["replay", "--verify", str(found.path)]) == 0

    for number, args in enumerate((["--changed-rules"], []), 2):
        again = playing("--continue", *args)
        again.until("Your bid?")
        assert f"Round {number} of 4" in again.shown
        again.type("1")
        again.until("Your bid?", 2)
        again.kill()


# ---------------------------------------------------------------- at a terminal


needs_terminals = pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")


@needs_terminals
@pytest.mark.parametrize("end", ["SIGTERM", "SIGHUP"])
def test_a_terminal_is_left_as_it_was_and_the_game_is_offered(
    end: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import termios

    monkeypatch.setenv("NO_COLOR", "1")
    with at_terminal(None, "play", "--plain", *ARGS) as one:
        before = termios.tcgetattr(one.end)
        one.until(b"> ")
        one.press(b"2\r")
        one.until(b"Round 2 of 4", then=b"> ")
        assert termios.tcgetattr(one.end) != before  # it is editing a line
        os.kill(one.process, getattr(signal, end))
        assert one.code() == 128 + getattr(signal, end)
        assert termios.tcgetattr(one.end) == before
    with at_terminal(None, "play", "--plain", *ARGS) as again:
        again.until(b"Unfinished: bids, 2 decisions, Ann, P2 (bot), just now", then=b"q quits. ")
        again.press(b"\r")
        again.until(b"Round 2 of 4", then=b"> ")
        again.press(b"quit\r")
        again.until(b"b goes back to it. ")
        again.press(b"d\r")
        assert again.code() == 0
        assert list(folder.iterdir()) == []


@needs_terminals
def test_changed_rules_are_told_before_enter_continues_or_begins_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    rules = tmp_path / "rules.yaml"
    text = BIDS.read_text(encoding="utf-8")
    changed = text.replace("How much do you bid?", "Your bid?")
    impossible = text.replace("amount in 1..3", "amount in 7..9")
    for content, told, question, answer in (
        (text, b"> ", b"", b"2\r"),
        (
            changed,
            b"The rules have changed since it was saved. Every ",
            b"Enter continues it with the new rules, ",
            b"\r",
        ),
        (impossible, b"since it was saved, and it can't be continued: ", b"Enter or n starts ", b"\r"),
    ):
        rules.write_text(content, encoding="utf-8")
        with at_terminal(None, "play", "--plain", str(rules), *ARGS[1:]) as one:
            one.until(told, then=question)
            one.press(answer)
            one.until(b"Round 1 of 4" if content is impossible else b"Round 2 of 4", then=b"> ")
            os.kill(one.process, signal.SIGTERM)
            one.code()
