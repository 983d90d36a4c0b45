"""Whole games in native code equal Python. ``python -m tests.native`` compares more, also with sanitizers."""

from __future__ import annotations

import _ctypes
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest
from native import (
    SANITIZED,
    UNSUPPORTED_RULES,
    find_differences,
    find_sanitizers,
    load_random_rulesets,
    needs_compiler,
    needs_sanitizers,
    plant_fault,
)
from programs import ROOT, build_program, read_data
from test_conformance import CHUNKS
from test_native_steps import load_game

from lusory.codegen.build_stages_and_ir_listing import select_module
from lusory.codegen.c import whole_games
from lusory.codegen.c.function_printer_and_c_types import NotNative
from lusory.game import Game
from lusory.native import c_compiler, isolated_process, whole_games_and_stepwise_play
from lusory.native.c_compiler import NoNative, NotBuilt, compile_library, kill_compiler
from lusory.native.whole_games_and_stepwise_play import DeferredBuild, NativeGames, generate_steps_c
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.random_streams import make_choice_source
from lusory.support.cache import Cache

DATA = read_data(__file__)

QUICK = ("-O0",)  # these tests check results, not speed: this compiles in a third of the time

SMALL = (("tic-tac-toe", 2), ("connect-four", 2), ("kuhn-poker", 2), ("leduc-poker", 2), ("empire-engine", 3))
SAMPLE = ("auras-1", "lists-2", "choices-3", "masks-1", "shifts-1", "piles-1", "text-1", "numbers-1", "some-1")
SAMPLE += ("reach-1", "candidates-1")
"""Conformance chunks with many constructs. ``python -m tests.native --conformance`` covers all chunks."""


@needs_compiler
@pytest.mark.parametrize(("name", "players"), SMALL)
def test_native_code_plays_the_same_games(name: str, players: int) -> None:
    game = load_game(name, players)
    assert list(find_differences(game, NativeGames(game), range(1, 201))) == []


@needs_compiler
@pytest.mark.parametrize("name", SAMPLE)
def test_native_code_plays_conformance(name: str) -> None:
    """Compares faults too."""
    game = Game(build_program(CHUNKS[name].ruleset))
    assert list(find_differences(game, NativeGames(game, flags=QUICK), range(1, 41))) == []


@needs_compiler
def test_a_repeated_text_is_recognised() -> None:
    """Oware ends when a position repeats, and stores positions as texts."""
    game = load_game("oware")
    assert list(find_differences(game, NativeGames(game, flags=QUICK), range(1, 31))) == []


LONG_TEXT = DATA["full"].replace("SOME", 9_997 * "a")


@needs_compiler
def test_the_text_of_none_can_exceed_the_length_limit() -> None:
    """A text of 9,997 characters has room for ``3`` but not for ``none``."""
    game = Game(build_program(LONG_TEXT))
    native_results = list(NativeGames(game, flags=QUICK).play_games(range(1, 41)))
    assert None in native_results
    for seed, native_result in zip(range(1, 41), native_results, strict=True):
        try:
            expected = tuple(game.playout(make_choice_source(seed), seed, table=True))
        except RulesetFault:
            expected = None
        assert native_result is None or native_result == expected


@needs_compiler
def test_native_code_plays_random_rulesets() -> None:
    """``python -m tests.native --random 500`` plays many more."""
    for name, game in load_random_rulesets((2, 3, 5, 6)):
        assert (name, list(find_differences(game, NativeGames(game, flags=QUICK), range(1, 13)))) == (name, [])


@needs_compiler
def test_a_planted_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault doubles the price of a bet."""
    plant_fault(
        monkeypatch,
        "state->P_stake[checked_index(state, me_2, 2)] + 1",
        "state->P_stake[checked_index(state, me_2, 2)] + 2",
    )
    game = load_game("kuhn-poker")
    assert list(find_differences(game, NativeGames(game, flags=QUICK), range(1, 41)))


@needs_compiler
@pytest.mark.parametrize(("crash", "expected"), [(99, [1, 3, 3, 3]), (3, [1, 3, 1, 3, 2])])
def test_calls_stay_short_in_long_games(crash: int, expected: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C takes effect between calls, and after a crash the next call plays one game. On the fake clock a game takes
    60 milliseconds and a crash takes no time."""
    native = NativeGames(load_game("kuhn-poker"), flags=QUICK)
    calls: list[int] = []
    crash_sizes: list[int] = []

    def play_block(seeds: Sequence[int]) -> object:
        calls.append(len(seeds))
        if crash in seeds:
            crash_sizes.append(len(seeds))
        return None if crash in seeds else native._rows

    monkeypatch.setattr(native, "_play_block", play_block)
    monkeypatch.setattr(native, "_read", lambda rows, games: [None] * games)
    monkeypatch.setattr(whole_games_and_stepwise_play, "monotonic", lambda: 0.06 * (sum(calls) - sum(crash_sizes)))
    assert len(list(native.play_games(range(10)))) == 10
    assert calls == expected


def test_a_process_without_a_parent_ends_silently() -> None:
    """The parent process ends before the child is ready."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", isolated_process.__file__, "no-such.so"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait()) == (b"", 0)
    process.stderr.close()


def test_a_process_with_half_a_task_ends_silently() -> None:
    """The parent process dies while it sends a task."""
    command = [sys.executable, "-I", "-S", isolated_process.__file__, _ctypes.__file__]
    result = subprocess.run(command, input=isolated_process.SIZE.pack(100) + b"half", capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


# ---------------------------------------------------------------- building, caching, refusals


@needs_compiler
def test_a_library_is_cached_and_a_damaged_one_is_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, game = Cache(tmp_path / "cache"), load_game("kuhn-poker")
    texts: list[str] = []

    def count_and_compile(text: str, *arguments: object) -> bytes:
        texts.append(text)
        return compile_library(text, QUICK)

    monkeypatch.setattr(c_compiler, "compile_library", count_and_compile)
    for _ in range(2):
        assert list(find_differences(game, NativeGames(game, cache), range(1, 20))) == []
    assert len(texts) == 1
    (library,) = cache.folder.glob("*.so")
    damaged_content = library.read_bytes() + b"?"
    library.unlink()  # the loaded library stays unchanged
    library.write_bytes(damaged_content)
    assert list(find_differences(game, NativeGames(game, cache), range(1, 20))) == []
    assert len(texts) == 2
    library.chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IWOTH)
    NativeGames(game, cache)
    assert len(texts) == 3
    os.chmod(cache.folder, 0o777)
    NativeGames(game, cache)
    assert len(texts) == 4


@needs_compiler
def test_a_library_in_the_working_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``LUSORY_CACHE=.``, a file name without a folder would make the system search elsewhere."""
    monkeypatch.chdir(tmp_path)
    cache, game = Cache(Path(".")), load_game("kuhn-poker")
    NativeGames(game, cache, flags=QUICK)
    assert list(find_differences(game, NativeGames(game, cache, flags=QUICK, build=False), range(1, 20))) == []
    monkeypatch.setattr("platform.machine", lambda: "another")
    with pytest.raises(NotBuilt):
        NativeGames(game, cache, flags=QUICK, build=False)


def test_a_finished_compiler_is_not_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may have its number by now."""
    ends: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, signal: ends.append(group))
    child = subprocess.Popen(["/bin/true"], start_new_session=True)
    kill_compiler(child)
    assert ends == [child.pid]
    child.wait()
    kill_compiler(child)
    assert ends == [child.pid]


@needs_compiler
def test_a_build_that_nothing_refers_to_is_stopped_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    end = Event()

    def wait(*arguments: object) -> bytes:
        end.wait(20)
        raise NoNative("it is over")

    monkeypatch.setattr(whole_games_and_stepwise_play, "STOP_SECONDS", 0.05)
    monkeypatch.setattr(c_compiler, "compile_library", wait)
    build = DeferredBuild(partial(NativeGames, load_game("kuhn-poker")), 0.0)
    building = build.start()
    del build
    assert building._is_stopped
    assert not building.reason
    end.set()


@needs_compiler
def test_an_error_of_the_compiler_is_reported() -> None:
    with pytest.raises(NoNative, match=r"^the C compiler gives up: .*error: .*x"):
        compile_library("int f(void) { return x; }")


@needs_compiler
def test_a_compiler_that_needs_too_much_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_compiler, "KILOBYTES", 1_000)
    with pytest.raises(NoNative, match=r"^the C compiler gives up"):
        compile_library("int f(void) { return 0; }")


@pytest.mark.parametrize(
    ("compiler", "message"),
    [("off", "^LUSORY_CC is off$"), ("no-such-cc", "^no C compiler: `no-such-cc` is not on the path$")],
)
def test_a_missing_compiler_is_reported(compiler: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUSORY_CC", compiler)
    with pytest.raises(NoNative, match=message):
        NativeGames(load_game("kuhn-poker"))


@needs_compiler
def test_unsupported_rules_are_reported() -> None:
    with pytest.raises(NoNative, match=r"^not native: lists of lists at "):
        NativeGames(Game(build_program(UNSUPPORTED_RULES)))


def test_unsupported_rules_are_reported_with_their_location() -> None:
    """A variable starts with the number that stands for none in C. Tests whole games and stepwise play."""
    setting = Game(build_program(CHUNKS["edges-1"].ruleset)).setting
    message = r"^not native: the smallest number there is at .*:8:28$"
    with pytest.raises(NotNative, match=message):
        whole_games.emit_c(setting, select_module(setting, "playout"))
    with pytest.raises(NotNative, match=message):
        generate_steps_c(setting)


@needs_compiler
def test_ctrl_c_stops_all_compilers_and_removes_their_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Several compilers are running, each with a child process."""
    compiler = tmp_path / "slow-cc"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && echo slow && exit\nsleep 60 &\nsleep 60\n')
    compiler.chmod(0o700)
    monkeypatch.setenv("LUSORY_CC", str(compiler))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(c_compiler, "count_processors", lambda: 2)
    children: list[c_compiler.CompilerProcess] = []
    start = monotonic()

    def record_child(child: c_compiler.CompilerProcess) -> None:
        children.append(child)
        if len(children) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_library("", notify=record_child, parts=3)
    assert [child.returncode for child in children] == [-9, -9]
    assert monotonic() < start + 30  # a remaining process would keep the error pipe open for a minute
    assert list(tmp_path.iterdir()) == [compiler]


@needs_compiler
@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_compilers_and_their_files_end_with_their_parent(signal_number: signal.Signals, tmp_path: Path) -> None:
    """Two compilers are running, each with a child process, when their parent is terminated or killed."""
    compiler, numbers_file = tmp_path / "slow-cc", tmp_path / "there"
    compiler.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo slow && exit\n'
        f"sleep 60 &\necho $! >>{numbers_file}\necho $$ >>{numbers_file}\nsleep 60\n"
    )
    compiler.chmod(0o700)
    setup = "import lusory.native.c_compiler as c\nc.count_processors = lambda: 2\n"
    program = setup + "print('ready', flush=True)\nc.compile_library('', parts=2)\n"
    environment = {**os.environ, "LUSORY_CC": str(compiler), "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        wait_until(lambda: numbers_file.exists() and len(numbers_file.read_text().split()) == 4)
        process.send_signal(signal_number)
    numbers = [int(number) for number in numbers_file.read_text().split()]
    wait_until(lambda: not any(is_running(number) for number in numbers))
    assert set(tmp_path.iterdir()) == {compiler, numbers_file}


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds, at most 30 seconds."""
    end = monotonic() + 30
    while not holds():
        assert monotonic() < end
        sleep(0.02)


def is_running(number: int) -> bool:
    """Return whether a process is running. Zombies don't count."""
    result = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True, check=False)
    return bool(result.stdout.strip()) and not result.stdout.startswith("Z")


@needs_compiler
def test_code_compiled_in_parts_plays_the_same_game() -> None:
    """The text can also be compiled in one piece, as users of `--emit` do."""
    game = load_game("empires-end")
    emission = whole_games.emit_c(game.setting, select_module(game.setting, "playout", keeps_masks=True))
    assert emission.parts > 1
    compile_library(emission.text, QUICK)
    assert list(find_differences(game, NativeGames(game, flags=QUICK), range(1, 11))) == []


SANITIZED_RUNS = (
    ("native", "kuhn-poker", "--steps", "--compared", "2"),
    ("native", "--conformance", "lists-2", "text-1", "shifts-1"),
    ("searches", "kuhn-poker", "--dealt", "--simulations", "30"),
)


@needs_sanitizers
@pytest.mark.parametrize("run", SANITIZED_RUNS, ids=" ".join)
def test_sanitizers_find_nothing_in_small_games(run: tuple[str, ...]) -> None:
    """Uses the default optimisation. ``python -m tests.native --sanitize`` covers all rulesets and conformance."""
    module, *arguments = run
    games_each = "3" if module == "searches" else "50"
    command = [sys.executable, "-m", f"tests.{module}", "--sanitize", "--games", games_each, *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    games = len([word for word in arguments if word.islower() and not word.startswith("--")])
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(re.findall(": 0 of .* differ", result.stdout)) == games, result.stdout


@needs_sanitizers
def test_a_sanitizer_error_counts_as_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault reads beyond the end of an array."""
    plant_fault(monkeypatch, "    row[0] = 1;\n", "    row[0] = 1;\n    row[1] = state->arena[seed | 1 << 20];\n")
    for name, value in (("LD_PRELOAD", " ".join(find_sanitizers())), ("ASAN_OPTIONS", "detect_leaks=0")):
        monkeypatch.setenv(name, value)
    native = NativeGames(load_game("kuhn-poker"), flags=SANITIZED)
    assert list(native.play_games(range(3))) == [None] * 3
    assert native.crashes
