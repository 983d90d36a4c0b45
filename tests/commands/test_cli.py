"""Test what the commands print, on which stream, and which exit code they return."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from programs import ROOT, create_save, read_data, read_rules

from lusory.cli import main
from lusory.commands.command_table import COMMANDS
from lusory.testing.cases.case_model import CaseResult
from lusory.testing.cases.suite_runner import play_cases

DATA = read_data(__file__)

BIDS = str(ROOT / "tests" / "fixtures" / "bids.yaml")
PACKS = str(ROOT / "tests" / "fixtures" / "packs")


def run_lusory(*args: str, input: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
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
    with pytest.raises(SystemExit) as error:
        main(["--help"])
    assert error.value.code == 0
    output = capsys.readouterr().out
    for command in COMMANDS:
        assert f"\n  {command.name:<10}  {command.summary}\n" in output
    topics = [output.index(f"\n{topic}\n  ") for topic in ("Play", "Design", "Study", "Tools")]
    assert topics == sorted(topics)
    assert max(map(len, output.splitlines())) < 80


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_every_command_has_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main([name, "--help"])
    assert error.value.code == 0
    output = capsys.readouterr().out
    usage, about, *_ = output.split("\n\n")
    assert usage.startswith(f"usage: lusory {name}")
    assert about.endswith(".")
    assert f"\nExamples\n  lusory {name}" in output
    assert "Exit codes: 0 success, 1 problems found" in output
    longest = max(output.partition("\nExamples")[0].splitlines(), key=len)
    assert len(longest) < 80


def test_ctrl_c_while_modules_are_loaded_leaves_no_traceback() -> None:
    code = DATA["ctrl c while modules are loaded leaves no traceback"]
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # background jobs ignore SIGINT
    )
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")


def test_nothing_is_loaded_before_ctrl_c_is_caught() -> None:
    code = "import sys; before = {*sys.modules}; import lusory.__main__; print(*sorted({*sys.modules} - before))"
    process = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, encoding="utf-8")
    assert process.stdout.split() == ["__future__", "lusory", "lusory.__main__"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["--version"])
    assert error.value.code == 0
    assert capsys.readouterr().out.startswith("lusory ")


@pytest.mark.parametrize(("line", "complaint"), DATA["command line errors are explained"])
def test_command_line_errors_are_explained(line: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(shlex.split(line.replace("BIDS", BIDS).replace("NINES", "9" * 5000)))
    except SystemExit as error:
        code = error.code  # type: ignore[assignment]
    output = capsys.readouterr()
    assert code == 2
    assert complaint in output.err
    assert "Traceback" not in output.err


# ---------------------------------------------------------------- what lines print


@pytest.mark.usefixtures("user_folders")
@pytest.mark.parametrize("case", DATA["command lines print their output"], ids=lambda case: case["test"])
def test_command_lines_print_their_output(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in case.get("files", {}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        bids = Path(BIDS).read_text(encoding="utf-8")
        assert not isinstance(text, list) or text[0] in bids
        text = bids.replace(*text, 1) if isinstance(text, list) else text
        if isinstance(text, dict) and "save" in text:
            save = create_save(tmp_path / text["of"] if "of" in text else BIDS) | text["save"]
            content = json.dumps(save).replace("FOLDER", str(tmp_path)).encode()
        elif isinstance(text, dict):
            content = text["latin"].encode("latin-1") if "latin" in text else read_rules(text["rules"]).encode()
        else:
            content = text.replace("FOLDER", str(tmp_path)).encode()
        (tmp_path / name).write_bytes(content)
    for entry in case["lines"]:
        line = entry["line"].replace("BIDS", BIDS).replace("FOLDER", str(tmp_path)).replace("PACKS", PACKS)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(entry.get("input", "").encode())))
        assert main(shlex.split(line)) == entry.get("code", 0), line
        output = capsys.readouterr()
        for key in entry.keys() - {"line", "code", "input"}:
            *lacks, stream = key.split()
            for words in [entry[key]] if isinstance(entry[key], str) else entry[key]:
                assert (words in getattr(output, stream)) is not bool(lacks), (line, words, output)
    for name, text in case.get("reads", {}).items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text


# ---------------------------------------------------------------- check, explain, list


def test_list_names_the_bundled_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--format", "json"]) == 0
    games = json.loads(capsys.readouterr().out)
    assert {"id", "name", "players", "about", "packs", "path"} == set(games[0])
    packs = [(game["id"], pack) for game in games for pack in game["packs"]]
    assert packs
    assert all({"id", "name", "for", "about", "replaces"} == set(pack) and pack["for"] == game for game, pack in packs)
    assert all((Path(game["path"]) / "ruleset.yaml").is_file() for game in games)
    assert main(["list"]) == 0
    output = capsys.readouterr().out
    assert games[0]["id"] in output
    assert f"--with {packs[0][1]['id']}" in output


# ---------------------------------------------------------------- test, simulate


def test_failures_are_shown_while_cases_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person who interrupts the command has seen the failures so far. No report is written for cases that were not
    played."""
    cases = [f"  - {{id: c{n}, title: Case {n}, steps: [{{expect: P1.points = {n % 2}}}]}}\n" for n in range(8)]
    (tmp_path / "ruleset.yaml").write_bytes(Path(BIDS).read_bytes())
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "all.yaml").write_text("cases:\n" + "".join(cases))
    assert main(["test", str(tmp_path), "--jobs", "all"]) == 1
    whole = capsys.readouterr().out
    assert [line.split()[1] for line in whole.splitlines() if line.startswith("FAILED")] == ["c1", "c3", "c5", "c7"]
    assert whole.endswith("4 passed, 4 failed\n")

    def play_two_and_interrupt(*args: Any, **options: Any) -> Iterator[CaseResult]:
        yield from islice(play_cases(*args, **options), 2)
        assert "FAILED c1" in capsys.readouterr().out
        raise KeyboardInterrupt

    monkeypatch.setattr("lusory.commands.handlers.test_cases_coverage_and_mutation.play_cases", play_two_and_interrupt)
    report = tmp_path / "cases.xml"
    assert main(["test", str(tmp_path), "--format", "junit", "--output", str(report)]) == 130
    assert capsys.readouterr().out == "1 passed, 1 failed, then interrupted\n"
    assert not report.exists()


def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    """The signal goes to every process of the command, as a terminal sends it."""
    (tmp_path / "ruleset.yaml").write_text(DATA["ctrl c ends all processes"], encoding="utf-8")
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
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # background jobs ignore SIGINT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "FAILED wrong \n"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (130, "")
    assert out.endswith("failed, then interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


# ---------------------------------------------------------------- from outside, through pipes


def test_play_through_pipes_is_plain_text_and_saves_at_the_end_of_input(tmp_path: Path) -> None:
    first = run_lusory("play", BIDS, "--seed", "1", input="2\n", XDG_DATA_HOME=str(tmp_path), FORCE_COLOR="")
    assert first.returncode == 0, first.stderr
    assert "\x1b" not in first.stdout
    assert "Saved. To continue: lusory play --load " in first.stdout
    (save,) = (tmp_path / "lusory" / "saves").iterdir()
    second = run_lusory("play", "--load", str(save), input="", XDG_DATA_HOME=str(tmp_path))
    assert f"Saved. To continue: lusory play --load {save}" in second.stdout
    assert list((tmp_path / "lusory" / "saves").iterdir()) == [save]
    third = run_lusory("play", "--load", str(save), input="2\n", XDG_DATA_HOME=str(tmp_path))
    assert third.returncode == 0, third.stderr
    whole = run_lusory("play", BIDS, "--seed", "1", input="2\n2\n")
    assert "wins." in whole.stdout or "draw" in whole.stdout
    end = "the end ─"
    assert (
        third.stdout[third.stdout.index(end) :].split("To play it again")[0]
        == (whole.stdout[whole.stdout.index(end) :].split("To play it again")[0])
    )


def test_an_unnamed_seat_is_played_by_a_bot(tmp_path: Path) -> None:
    process = run_lusory("play", BIDS, input="2\nquit\n", XDG_DATA_HOME=str(tmp_path), FORCE_COLOR="")
    assert "against P2 (a bot: strong)." in process.stdout
    assert "P2 (random)" not in process.stdout
    random_process = run_lusory("play", BIDS, "--seats", "human,random", input="quit\n", XDG_DATA_HOME=str(tmp_path))
    assert "against P2 (chooses at random)." in random_process.stdout
    assert "a bot" not in random_process.stdout
    assert "P2     random" in run_lusory("simulate", BIDS, "--games", "4", FORCE_COLOR="").stdout


def test_save_command_writes_to_the_given_file(tmp_path: Path) -> None:
    file = tmp_path / "here.json"
    process = run_lusory("play", BIDS, input=f"2\nsave {file}\nsave\nquit\n", XDG_DATA_HOME=str(tmp_path))
    assert process.returncode == 0
    assert file.is_file()
    assert len(list((tmp_path / "lusory" / "saves").iterdir())) == 1


@pytest.mark.parametrize(("line", "words", "help"), DATA["failures suggest help and return 2"])
def test_failures_suggest_help_and_return_2(
    line: str, words: str, help: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.json").write_text("{}", encoding="utf-8")
    data = {"version": 1, "game": {"id": "x", "version": "1", "digest": "0"}, "kinds": [], "played": [{"points": 0.5}]}
    (tmp_path / "tournament.json").write_text(json.dumps(data), encoding="utf-8")
    assert main(line.replace("{}", str(tmp_path)).split()) == 2
    message, *help_lines = capsys.readouterr().err.splitlines()
    assert words in message
    assert help in "\n".join(help_lines).partition("help: ")[2]


@pytest.mark.parametrize("line", [["check", "x" * 300], ["check", BIDS, "--with", "x" * 300]])
def test_name_too_long_for_a_file_is_unknown(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == 2
    assert "has this name" in capsys.readouterr().err


def test_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m lusory list | true"
    process = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8")
    assert process.stderr == ""


# ---------------------------------------------------------------- packs


def test_saved_game_names_its_packs(tmp_path: Path) -> None:
    quiet = tmp_path / "quiet"
    quiet.mkdir()
    (quiet / "pack.yaml").write_text("pack: {name: Quiet, for: bids}\n", encoding="utf-8")
    file = tmp_path / "here.json"
    run_lusory("play", BIDS, "--with", str(quiet), input=f"2\nsave {file}\nquit\n", XDG_DATA_HOME=str(tmp_path))
    assert json.loads(file.read_text(encoding="utf-8"))["packs"] == [str(quiet)]
    assert run_lusory("play", "--load", str(file), input="2\n", XDG_DATA_HOME=str(tmp_path)).returncode == 0


# ---------------------------------------------------------------- compile


def test_compile_emits_the_same_text_each_time(tmp_path: Path) -> None:
    file = tmp_path / "bids.py"
    texts = [run_lusory("compile", BIDS, "--players", "3", "--build", "events", "--emit").stdout for _ in range(2)]
    assert texts[0] == texts[1]
    assert texts[0].startswith("# bids 3 players events")
    compile(texts[0], "bids", "exec")
    process = run_lusory("compile", BIDS, "--players", "3", "--build", "events", "-o", str(file))
    assert (process.returncode, process.stdout, file.read_text(encoding="utf-8")) == (0, "", texts[0])


def test_compile_lists_builds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", BIDS]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Bids, 2 players"
    assert [line.split()[0] for line in lines[1:]] == ["build", "silent", "events", "playout"]
