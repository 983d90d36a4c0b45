"""The command line from outside: what is printed where, and which exit code it leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from lusory.cli import main
from lusory.commands.command_table import COMMANDS
from lusory.testing.cases.case_model import CaseResult
from lusory.testing.cases.suite_runner import play_cases

ROOT = Path(__file__).resolve().parents[2]
BIDS = str(ROOT / "tests" / "fixtures" / "bids.yaml")


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    """A ruleset with a misspelt name in it."""
    text = Path(BIDS).read_text(encoding="utf-8").replace("increase points by", "increase pionts by")
    file = tmp_path / "wrong.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def lusory(*args: str, input: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does, through pipes."""
    return subprocess.run(
        [sys.executable, "-m", "lusory", *args],
        input=input,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "COLUMNS": "80", **environment},
    )


# ---------------------------------------------------------------- help, version, usage


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    for command in COMMANDS:
        assert f"\n  {command.name:<10}  {command.summary}\n" in shown
    topics = [shown.index(f"\n{topic}\n  ") for topic in ("Play", "Design", "Study", "Tools")]
    assert topics == sorted(topics)
    assert max(map(len, shown.splitlines())) < 80


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_every_command_has_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    usage, about, *_ = shown.split("\n\n")
    assert usage.startswith(f"usage: lusory {name}")
    assert about.endswith(".")
    assert f"\nExamples\n  lusory {name}" in shown
    assert "Exit codes: 0 success, 1 problems found" in shown
    longest = max(shown.partition("\nExamples")[0].splitlines(), key=len)
    assert len(longest) < 80


def test_help_loads_nothing_heavy() -> None:
    code = "import sys, lusory.cli\ntry: lusory.cli.main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    loaded = set(shown.stdout.splitlines()[-1].split())
    assert not loaded & {"lark", "yaml", "jsonschema", "rich", "lusory.game", "lusory_dsl.core"}


def test_ctrl_c_while_modules_are_loaded_leaves_no_traceback() -> None:
    code = (
        "import sys, os, signal, lusory.__main__\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'lusory.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.exit(lusory.__main__.main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # tests that run behind others may be deaf
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_nothing_is_loaded_before_ctrl_c_is_caught() -> None:
    code = "import sys; before = {*sys.modules}; import lusory.__main__; print(*sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout.split() == ["__future__", "lusory", "lusory.__main__"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("lusory ")


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ([], "COMMAND is missing"),
        (["plya"], "unknown command `plya`\n  help: did you mean `play`?"),
        (["xxxx"], "`lusory --help` lists"),
        (["simulate", BIDS, "--gmaes", "3"], "unknown option: --gmaes 3\n  help: did you mean `--games`?"),
        (["simulate", BIDS, "--game", "3"], "did you mean `--games`?"),
        (["simulate", BIDS, "extra"], "`lusory simulate --help` lists"),
        (["simulate", BIDS, "--format", "jsno"], "did you mean `json`?"),
        (["play"], "the name of the game is missing"),
        (["play", "The City"], "did you mean `empire-city`?"),
        (["play", "empire"], "choose from: `empire-city`, `empire-engine`, `empires-end`, `nano-empire`"),
        (["explain", "love-letter", "gaurd"], "did you mean `Guard`?"),
        (["simulate", BIDS, "--games", "0"], "--games: '0' is not a whole number of 1 or more"),
        (["simulate", BIDS, "--games", "٠"], "--games: '٠' is not a whole number of 1 or more"),
        (["simulate", BIDS, "--games", "99999999999999"], "the maximum is 1,000,000,000"),
        (["simulate", BIDS, "--games", "9" * 5000], "the maximum is 1,000,000,000"),
        (["simulate", BIDS, "--jobs", "1001"], "the maximum is 1,000"),
        (["simulate", BIDS, "--players", "999999999"], "the maximum is 1,000"),
        (["simulate", BIDS, "--report", "/nowhere/x.html"], "there is no folder `/nowhere`"),
        (["simulate", BIDS, "--report", "/"], "`/` is a folder"),
        (["simulate", BIDS, "--record", "/nowhere/x.jsonl"], "there is no folder `/nowhere`"),
        (["simulate", BIDS, "--skill", "3"], "--skill needs --details or --report"),
        (["simulate", BIDS, "--compare", "git:nope"], "a branch, a tag or a commit"),
        (["simulate", BIDS, "--compare", "tic-tac-toe"], "--compare tic-tac-toe: that is another game: `tic-tac-toe`"),
        (["fuzz", BIDS, "--output", f"{BIDS}/x"], "bids.yaml` is no folder"),
        (["fuzz", BIDS, "--from", "no-such-file.json"], "`lusory games` lists your saved games"),
        (["simulate", BIDS, "--option", "rouns=3"], "did you mean `rounds`?"),
        (["simulate", BIDS, "--option", "rounds"], "NAME=VALUE"),
        (["simulate", BIDS, "--option", "mood=clam"], "did you mean `calm`?"),
        (["simulate", BIDS, "--option", "rounds=9"], "1..5"),
        (["simulate", BIDS, "--players", "7"], "2 to 3 players, not 7"),
        (["simulate", BIDS, "--seats", "randon"], "did you mean `random`?"),
        (["play", BIDS, "--players", "2", "--seats", "human,human,human"], "--seats names 3 players"),
        (["play", BIDS, "--names", "A,B,C"], "3 names for 2 players"),
        (["play", BIDS, "--names", "A,A"], "same name"),
        (["play", BIDS, "--names", "P2,"], "same name"),
        (["check", BIDS, "--with", ""], "the name of the pack is empty"),
        (["play", "--load", "no-such-file.json"], "no-such-file.json"),
        (["explain", "E4040"], "there is no diagnostic E4040"),
        (["explain", BIDS, "pionts"], "points"),
        (["compile", BIDS, "--players", "7"], "2 to 3 players, not 7"),
        (["compile", BIDS, "--build", "playuot"], "did you mean `playout`?"),
        (["compile"], "GAME"),
        (["test", BIDS, "--agree", "0"], "whole number of 1 or more"),
        (["test", BIDS, "--agree", "5", "-k", "x"], "can't be combined with -k, --engine"),
        (["test", BIDS, "--seed", "5"], "--seed needs --agree or --mutate"),
        (["test", BIDS, "--coverage", "--jobs", "2"], "runs in one process"),
        (["simulate", BIDS, "--seed", "x"], "not a whole number"),
        (["check", "conect-four"], "did you mean `connect-four`?"),
        (["explain", BIDS, "--rules", "pionts"], "points"),
    ],
)
def test_a_senseless_command_line_is_explained(
    args: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(args)
    except SystemExit as left:
        code = left.code  # type: ignore[assignment]
    shown = capsys.readouterr()
    assert code == 2
    assert complaint in shown.err
    assert "Traceback" not in shown.err


# ---------------------------------------------------------------- check, explain, list


def test_check_is_content_with_a_good_ruleset(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BIDS]) == 0
    assert "No problems found" in capsys.readouterr().out


def test_check_points_at_a_mistake(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", wrong]) == 1
    shown = capsys.readouterr().out
    assert "pionts" in shown
    assert "^^^^^^" in shown
    assert "help: did you mean `points`?" in shown
    assert "1 error" in shown


@pytest.fixture
def warned(tmp_path: Path) -> str:
    """A ruleset with one warning, and another that a remark ignores."""
    text = Path(BIDS).read_text(encoding="utf-8")
    unused = (
        "variables:\n  spare: {type: Int, start: 0}\n  later: {type: Int, start: 0}  # lusory: ignore[W0702] a pack's\n"
    )
    assert "\nvariables:\n" in text
    file = tmp_path / "warned.yaml"
    file.write_text(text.replace("variables:\n", unused, 1), encoding="utf-8")
    return str(file)


def test_warnings_fail_only_a_strict_check(warned: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", warned]) == 0
    assert "`spare` is never used" in capsys.readouterr().out
    assert main(["check", warned, "--strict"]) == 1
    assert main(["check", BIDS, "--strict"]) == 0


def test_check_shows_what_is_ignored(warned: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", warned])
    shown = capsys.readouterr().out
    assert "`later`" not in shown
    assert "1 warning is turned off by comments" in shown
    main(["check", warned, "--show-ignored"])
    shown = capsys.readouterr().out
    assert "ignored[W0702]: the variable `later` is never used" in shown
    assert "ignored because: a pack's" in shown
    main(["check", warned, "--format", "json"])
    [ignored] = json.loads(capsys.readouterr().out)["ignored"]
    assert (ignored["code"], ignored["reason"]) == ("W0702", "a pack's")


def test_a_ruleset_with_errors_cannot_be_played(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", wrong]) == 1
    assert "pionts" in capsys.readouterr().err


def test_explain_shows_rules_and_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", BIDS]) == 0
    assert "Bids" in capsys.readouterr().out
    assert main(["explain", "e0401"]) == 0
    assert "E0401" in capsys.readouterr().out


def test_explain_shows_several_pages_and_names_those_that_are_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "E0641", "w0704"]) == 0
    shown = capsys.readouterr()
    assert "E0641" in shown.out and "W0704" in shown.out
    assert main(["explain", "E0641", "E9999", "W0704"]) == 1
    shown = capsys.readouterr()
    assert "E0641" in shown.out and "W0704" in shown.out
    assert "there is no diagnostic E9999" in shown.err


def test_explain_shows_the_known_names_before_the_unknown_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nano-empire", "books_closed"]) == 0
    assert "The last turn is over." in capsys.readouterr().out
    assert main(["explain", "nano-empire", "bookz", "books_closed"]) == 1
    shown = capsys.readouterr()
    assert "The last turn is over." in shown.out
    assert "is called `bookz`" in shown.err


def test_list_names_the_bundled_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--format", "json"]) == 0
    games = json.loads(capsys.readouterr().out)
    assert {"id", "name", "players", "about", "packs", "path"} == set(games[0])
    packs = [(game["id"], pack) for game in games for pack in game["packs"]]
    assert packs
    assert all({"id", "name", "for", "about", "replaces"} == set(pack) and pack["for"] == game for game, pack in packs)
    assert all((Path(game["path"]) / "ruleset.yaml").is_file() for game in games)
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert games[0]["id"] in shown
    assert f"--with {packs[0][1]['id']}" in shown


# ---------------------------------------------------------------- test, simulate


def test_cases_are_run_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ruleset.yaml").write_bytes(Path(BIDS).read_bytes())
    (tmp_path / "cases").mkdir()
    cases = tmp_path / "cases" / "all.yaml"
    cases.write_text(
        "cases:\n"
        "  - {id: starts, title: Play starts with P1, steps: [{decision: P1}]}\n"
        "  - {id: wrong, title: Nobody has a point yet, steps: [{expect: P1.points = 1}]}\n"
    )
    assert main(["test", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert "1 passed, 1 failed" in shown
    assert "FAILED wrong Nobody has a point yet" in shown
    assert main(["test", str(tmp_path), "-k", "starts"]) == 0
    assert "1 passed" in capsys.readouterr().out
    assert main(["test", str(tmp_path), "-k", "nothing"]) == 2


def test_failures_are_shown_while_cases_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that who interrupts knows them; of cases that were not played there is no report."""
    cases = [f"  - {{id: c{n}, title: Case {n}, steps: [{{expect: P1.points = {n % 2}}}]}}\n" for n in range(8)]
    (tmp_path / "ruleset.yaml").write_bytes(Path(BIDS).read_bytes())
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "all.yaml").write_text("cases:\n" + "".join(cases))
    assert main(["test", str(tmp_path), "--jobs", "all"]) == 1
    whole = capsys.readouterr().out
    assert [line.split()[1] for line in whole.splitlines() if line.startswith("FAILED")] == ["c1", "c3", "c5", "c7"]
    assert whole.endswith("4 passed, 4 failed\n")

    def interrupted(*args: Any, **named: Any) -> Iterator[CaseResult]:
        yield from islice(play_cases(*args, **named), 2)
        assert "FAILED c1" in capsys.readouterr().out
        raise KeyboardInterrupt

    monkeypatch.setattr("lusory.testing.cases.suite_runner.play_cases", interrupted)
    report = tmp_path / "cases.xml"
    assert main(["test", str(tmp_path), "--format", "junit", "--output", str(report)]) == 130
    assert capsys.readouterr().out == "1 passed, 1 failed, then interrupted\n"
    assert not report.exists()


def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    """As a terminal does it: every process of the command is told."""
    (tmp_path / "ruleset.yaml").write_text(
        'game: {id: long, name: Long, version: "1", language: 2, players: 2}\n'
        "variables: {n: {type: Int, start: 0}}\n"
        'phases: [{id: turn, do: "repeat while n >= 0, at most 200000 times: increase n by 1"}]\n'
        'scoring: {rank: ["if me is players.first then n else 0"]}\n',
        encoding="utf-8",
    )
    (tmp_path / "cases").mkdir()
    cases = ["  - {id: wrong, given: {n: -1}, steps: [{expect: n = 1}]}\n"]
    cases += [f"  - {{id: long-{n}, steps: [{{expect: n = 1}}]}}\n" for n in range(20)]
    (tmp_path / "cases" / "all.yaml").write_text("cases:\n" + "".join(cases), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "lusory", "test", str(tmp_path), "--jobs", "2", "--engine", "evaluator"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # tests that run behind others may be deaf
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "FAILED wrong \n"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (130, "")
    assert out.endswith("failed, then interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_simulate_speaks_to_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", BIDS, "--games", "5", "--players", "3", "--option", "rounds=1", "--check"]) == 0
    shown = capsys.readouterr().out
    assert "5 of 5 games finished" in shown
    assert "rounds=1" in shown
    assert "all 1 held" in shown


# ---------------------------------------------------------------- from outside, through pipes


def test_play_through_pipes_is_plain_text_and_saves_at_the_end_of_input(tmp_path: Path) -> None:
    played = lusory("play", BIDS, "--seed", "1", input="2\n", XDG_DATA_HOME=str(tmp_path), FORCE_COLOR="")
    assert played.returncode == 0, played.stderr
    assert "\x1b" not in played.stdout
    assert "Saved. To continue: lusory play --load " in played.stdout
    (save,) = (tmp_path / "lusory" / "saves").iterdir()
    again = lusory("play", "--load", str(save), input="", XDG_DATA_HOME=str(tmp_path))
    assert f"Saved. To continue: lusory play --load {save}" in again.stdout
    assert list((tmp_path / "lusory" / "saves").iterdir()) == [save]
    resumed = lusory("play", "--load", str(save), input="2\n", XDG_DATA_HOME=str(tmp_path))
    assert resumed.returncode == 0, resumed.stderr
    whole = lusory("play", BIDS, "--seed", "1", input="2\n2\n")
    assert "wins." in whole.stdout or "draw" in whole.stdout
    end = "the end ─"
    assert (
        resumed.stdout[resumed.stdout.index(end) :].split("To play it again")[0]
        == (whole.stdout[whole.stdout.index(end) :].split("To play it again")[0])
    )


def test_an_unnamed_seat_is_played_by_a_bot(tmp_path: Path) -> None:
    played = lusory("play", BIDS, input="2\nquit\n", XDG_DATA_HOME=str(tmp_path), FORCE_COLOR="")
    assert "against P2 (a bot: strong)." in played.stdout
    assert "P2 (random)" not in played.stdout
    drawn = lusory("play", BIDS, "--seats", "human,random", input="quit\n", XDG_DATA_HOME=str(tmp_path))
    assert "against P2 (chooses at random)." in drawn.stdout
    assert "a bot" not in drawn.stdout
    assert "P2     random" in lusory("simulate", BIDS, "--games", "4", FORCE_COLOR="").stdout


def test_a_game_is_saved_where_the_person_says(tmp_path: Path) -> None:
    here = tmp_path / "here.json"
    played = lusory("play", BIDS, input=f"2\nsave {here}\nsave\nquit\n", XDG_DATA_HOME=str(tmp_path))
    assert played.returncode == 0
    assert here.is_file()
    assert len(list((tmp_path / "lusory" / "saves").iterdir())) == 1


def test_a_save_that_no_longer_fits_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save = {
        "format": 1,
        "program": "bids",
        "version": "1.0",
        "digest": "",
        "players": 2,
        "options": {},
        "seed": 1,
        "ruleset": BIDS,
        "decisions": [["P1", "7"]],
    }
    file = tmp_path / "old.json"
    file.write_text(json.dumps(save), encoding="utf-8")
    assert main(["play", "--load", str(file), "--trust"]) == 2
    shown = capsys.readouterr().err
    assert "decision 1 of 1, P1 `7`, no longer fits" in shown
    assert "the rules have changed since it was saved" in shown
    assert "possible there: `1`, `2`, `3`" in shown
    assert f"`lusory replay --verify {file}` compares the whole game" in shown
    file.write_text(json.dumps({**save, "decisions": [], "seats": [{"kind": "oracle"}] * 2}), encoding="utf-8")
    assert main(["play", "--load", str(file)]) == 2
    assert "unknown player `oracle`" in capsys.readouterr().err


def test_players_that_are_wrong_are_told_by_their_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["tournament", "tic-tac-toe", "--players", "strng,fair"]) == 2
    assert "--players: unknown player `strng`" in capsys.readouterr().err
    assert main(["simulate", "tic-tac-toe", "--games", "1", "--seats", f"replay:{tmp_path / 'none.json'},random"]) == 2
    told = capsys.readouterr().err
    assert "no such file or directory" in told and "Errno" not in told


@pytest.mark.parametrize(
    ("typed", "words", "help"),
    [
        ("play tic-tac-toe --seats human,bot,bot", "is for 2 players, not 3", "choose 2 players"),
        ("tournament tic-tac-toe --players random,easy --seats 3", "is for 2 players, not 3", "choose 2 players"),
        ("solve tic-tac-toe --players 3", "is for 2 players, not 3", "choose 2 players"),
        ("play tic-tac-toe --seats human,bot,bot --players 2", "--seats names 3 players", "leave out --players"),
        ("tournament tic-tac-toe --players random,replay:none.json", "--players: replay:none.json", "`lusory games`"),
        (
            "play tic-tac-toe --seats python:os,random",
            "--seats: python:os: `os` is not a module and a class",
            "python:my_bots.Careful",
        ),
        (
            "simulate tic-tac-toe --seats human,random",
            "--seats: this command has no human players",
            "choose from: random",
        ),
        ("show tic-tac-toe --seats human,random", "--seats: this command has no human players", "choose from: random"),
        (
            "tournament tic-tac-toe --players human,random",
            "--players: this command has no human players",
            "choose from: random",
        ),
        ("play tic-tac-toe --seats human:3", "--seats: `human` takes no number", "`human`"),
        ("play tic-tac-toe --seats ,", "--seats: a player is missing before or after a comma", "--seats human,strong"),
        (
            "simulate tic-tac-toe --seats random,",
            "--seats: a player is missing before or after a comma",
            "--seats strong,random",
        ),
        ("analyse none.json", "there is no file `none.json`", "`lusory games` lists"),
        ("analyse {}/tournament.json", "tournament.json: this is a tournament", "type `save` during a game"),
        ("analyse {}", "it is a folder", "type `save` during a game"),
        ("replay none.json", "there is no file or folder `none.json`", "`lusory games` lists"),
        ("play --load none.json", "there is no file `none.json`", "`lusory games` lists"),
        ("show tic-tac-toe --at none.json", "there is no file `none.json`", "`lusory games` lists"),
        ("tournament tic-tac-toe --players random,easy --file /none/x.json", "there is no folder `/none`", "create it"),
        (
            "tournament tic-tac-toe --players random,easy --file {}/empty.json",
            "this file holds no tournament",
            "write the name of a new file",
        ),
        (
            "tournament tic-tac-toe --players random,easy --file {}/tournament.json",
            "another tournament",
            "write the name of a new file",
        ),
    ],
)
def test_what_cannot_be_done_is_told_with_what_helps(
    typed: str, words: str, help: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing was done, so that the exit code is 2."""
    (tmp_path / "empty.json").write_text("{}", encoding="utf-8")
    kept = {"version": 1, "game": {"id": "x", "version": "1", "digest": "0"}, "kinds": [], "played": [{"points": 0.5}]}
    (tmp_path / "tournament.json").write_text(json.dumps(kept), encoding="utf-8")
    assert main(typed.replace("{}", str(tmp_path)).split()) == 2
    told, *rest = capsys.readouterr().err.splitlines()
    assert words in told
    assert help in "\n".join(rest).partition("help: ")[2]


def test_a_reader_who_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m lusory list | true"
    done = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8")
    assert done.stderr == ""


# ---------------------------------------------------------------- packs


@pytest.fixture
def third_round(tmp_path: Path) -> str:
    """A pack over the fixture that changes what it prints at the end."""
    pack = tmp_path / "pack"
    (pack / "cases").mkdir(parents=True)
    (pack / "pack.yaml").write_text(
        "pack: {name: Loud, for: bids}\nqueries:\n  loud: {doc: How loud., value: 3}\n"
        'effects:\n  shout: {do: \'announce "{loud}"\'}\nrules:\n  end: {rule: "when shout: shout_more()"}\n',
        encoding="utf-8",
    )
    return str(pack)


def test_packs_are_laid_over_a_game(third_round: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", BIDS, "--with", third_round]) == 1
    assert "shout_more" in capsys.readouterr().out
    assert main(["check", BIDS, "--with", "nowhere"]) == 2
    assert "no folder, file or bundled pack has this name" in capsys.readouterr().err
    pack = Path(third_round) / "pack.yaml"
    pack.write_text(pack.read_text(encoding="utf-8").split("effects:")[0], encoding="utf-8")
    assert main(["explain", BIDS, "loud", "--with", third_round]) == 0
    assert "How loud" in capsys.readouterr().out
    assert main(["simulate", BIDS, "--with", third_round, "--games", "2"]) == 0
    assert main(["test", BIDS, "--with", third_round]) == 2
    assert "of the pack" in capsys.readouterr().err
    (Path(third_round) / "cases" / "loud.yaml").write_text(
        "cases:\n  - {id: loud, title: Loud, clauses: [x], steps: [{expect: loud = 3}]}\n", encoding="utf-8"
    )
    assert main(["test", BIDS, "--with", third_round]) == 0
    assert "1 passed" in capsys.readouterr().out


def test_a_saved_game_remembers_its_packs(third_round: str, tmp_path: Path) -> None:
    pack = Path(third_round) / "pack.yaml"
    pack.write_text("pack: {name: Quiet, for: bids}\n", encoding="utf-8")
    here = tmp_path / "here.json"
    lusory("play", BIDS, "--with", third_round, input=f"2\nsave {here}\nquit\n", XDG_DATA_HOME=str(tmp_path))
    assert json.loads(here.read_text(encoding="utf-8"))["packs"] == [third_round]
    assert lusory("play", "--load", str(here), input="2\n", XDG_DATA_HOME=str(tmp_path)).returncode == 0


# ---------------------------------------------------------------- compile


def test_generated_text_goes_through_a_pipe_and_is_the_same_each_time(tmp_path: Path) -> None:
    file = tmp_path / "bids.py"
    shown = [lusory("compile", BIDS, "--players", "3", "--build", "events", "--emit").stdout for _ in range(2)]
    assert shown[0] == shown[1]
    assert shown[0].startswith("# bids 3 players events")
    compile(shown[0], "bids", "exec")
    written = lusory("compile", BIDS, "--players", "3", "--build", "events", "-o", str(file))
    assert (written.returncode, written.stdout, file.read_text(encoding="utf-8")) == (0, "", shown[0])


def test_compile_says_how_much_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", BIDS, "--option", "rounds=3"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "Bids, 2 players"
    assert [line.split()[0] for line in shown[1:]] == ["build", "silent", "events", "playout", "native"]
    assert shown[4].endswith("no")  # the playout: the others are the same for all options
    assert main(["simulate", BIDS, "--option", "rounds=3", "--games", "1"]) == 0
    capsys.readouterr()
    assert main(["compile", BIDS, "--option", "rounds=3"]) == 0
    assert any(line.endswith("yes") for line in capsys.readouterr().out.splitlines())


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", BIDS, "-o", str(tmp_path / "nowhere" / "bids.py")]) == 1
    assert "nowhere" in capsys.readouterr().err


def test_check_without_a_game_takes_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ruleset.yaml").write_text("game: {id: here}\n")
    assert main(["check"]) == 1
    assert "ruleset.yaml" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "play", "simulate", "show"])
def test_an_empty_name_is_no_game(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, ""]) == 2
    assert "the name of the game is empty" in capsys.readouterr().err
