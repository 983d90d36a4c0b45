"""Whole games in native code and in Python: the same. More of them, and sanitizers: ``python -m tests.native``."""

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
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest
from native import LISTS, NONE, SANITIZED, differences, needs_compiler, print_otherwise, random_rulesets, sanitizers
from programs import ROOT, bundled, checked, read_data
from test_conformance import CHUNKS

from lusory.codegen.c import whole_games
from lusory.codegen.c.function_printer_and_c_types import NotNative
from lusory.codegen.python_build_stages_and_ir_listing import select_module
from lusory.game import Game
from lusory.native import c_compiler, isolated_process, whole_games_and_stepwise_play
from lusory.native.c_compiler import NoNative, NotBuilt, compile_library, kill_compiler
from lusory.native.whole_games_and_stepwise_play import BackgroundBuild, NativeGames, generate_steps_c
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.random_streams import make_choice_source
from lusory.support.cache import Cache

DATA = read_data(__file__)

QUICK = ("-O0",)  # what is looked at is the text: it compiles in a third of the time

SMALL = (("tic-tac-toe", 2), ("connect-four", 2), ("kuhn-poker", 2), ("leduc-poker", 2), ("empire-engine", 3))
TELLING = ("auras-1", "lists-2", "choices-3", "masks-1", "shifts-1", "piles-1", "text-1", "numbers-1", "some-1")
TELLING += ("reach-1", "candidates-1")
"""Chunks of conformance in which much of the form occurs; all of them by ``python -m tests.native --conformance``."""


def game_of(name: str, players: int | None = None) -> Game:
    return Game(bundled(name), players)


@needs_compiler
@pytest.mark.parametrize(("name", "players"), SMALL)
def test_native_code_plays_the_same_games(name: str, players: int) -> None:
    game = game_of(name, players)
    assert list(differences(game, NativeGames(game), range(1, 201))) == []


@needs_compiler
@pytest.mark.parametrize("name", TELLING)
def test_native_code_plays_conformance(name: str) -> None:
    """Faults are faults in both."""
    game = Game(checked(CHUNKS[name].ruleset))
    assert list(differences(game, NativeGames(game, flags=QUICK), range(1, 41))) == []


@needs_compiler
def test_a_text_that_was_made_before_is_known_again() -> None:
    """Oware ends where a position comes back, of which it keeps the words."""
    game = game_of("oware")
    assert list(differences(game, NativeGames(game, flags=QUICK), range(1, 31))) == []


FULL = DATA["full"].replace("SOME", 9_997 * "a")


@needs_compiler
def test_the_word_for_an_empty_list_makes_a_text_too_long() -> None:
    """A text of 9,997 characters has room for ``3``, and for no ``none``."""
    game = Game(checked(FULL))
    played = list(NativeGames(game, flags=QUICK).play_games(range(1, 41)))
    assert None in played
    for seed, got in zip(range(1, 41), played, strict=True):
        try:
            expected = tuple(game.playout(make_choice_source(seed), seed, table=True))
        except RulesetFault:
            expected = None
        assert got is None or got == expected


@needs_compiler
def test_native_code_plays_random_rulesets() -> None:
    """Many more: ``python -m tests.native --random 500``."""
    for name, game in random_rulesets((2, 3, 5, 6)):
        assert (name, list(differences(game, NativeGames(game, flags=QUICK), range(1, 13)))) == (name, [])


@needs_compiler
def test_a_game_that_comes_out_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of another game: who bets pays twice as much."""
    print_otherwise(
        monkeypatch,
        "state->P_stake[checked_index(state, me_2, 2)] + 1",
        "state->P_stake[checked_index(state, me_2, 2)] + 2",
    )
    game = game_of("kuhn-poker")
    assert list(differences(game, NativeGames(game, flags=QUICK), range(1, 41)))


@needs_compiler
@pytest.mark.parametrize(("crash", "expected"), [(99, [1, 3, 3, 3]), (3, [1, 3, 1, 3, 2])])
def test_calls_are_short_however_long_a_game_takes(
    crash: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C is heard between them, and after a crash they begin with one game. A clock on which a game takes 60
    milliseconds, a crash none."""
    native = NativeGames(game_of("kuhn-poker"), flags=QUICK)
    calls: list[int] = []
    crashed: list[int] = []

    def asked(seeds: Sequence[int]) -> object:
        calls.append(len(seeds))
        if crash in seeds:
            crashed.append(len(seeds))
        return None if crash in seeds else native._rows

    monkeypatch.setattr(native, "_play_block", asked)
    monkeypatch.setattr(native, "_read", lambda rows, games: [None] * games)
    monkeypatch.setattr(whole_games_and_stepwise_play, "monotonic", lambda: 0.06 * (sum(calls) - sum(crashed)))
    assert len(list(native.play_games(range(10)))) == 10
    assert calls == expected


def test_a_process_that_nobody_hears_goes_quietly() -> None:
    """Who started it is no more before it is ready."""
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


def test_a_process_that_hears_half_a_task_goes_quietly() -> None:
    """Who started it was ended while it said what is to be done."""
    command = [sys.executable, "-I", "-S", isolated_process.__file__, _ctypes.__file__]
    left = subprocess.run(command, input=isolated_process.SIZE.pack(100) + b"half", capture_output=True, check=False)
    assert (left.returncode, left.stderr) == (0, b"")


# ---------------------------------------------------------------- built, kept, refused


@needs_compiler
def test_a_library_is_kept_and_damage_is_a_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, game = Cache(tmp_path / "cache"), game_of("kuhn-poker")
    built: list[str] = []

    def counted(text: str, *others: object) -> bytes:
        built.append(text)
        return compile_library(text, QUICK)

    monkeypatch.setattr(c_compiler, "compile_library", counted)
    for _ in range(2):
        assert list(differences(game, NativeGames(game, cache), range(1, 20))) == []
    assert len(built) == 1
    (library,) = cache.folder.glob("*.so")
    damaged = library.read_bytes() + b"?"
    library.unlink()  # what is loaded stays as it is
    library.write_bytes(damaged)
    assert list(differences(game, NativeGames(game, cache), range(1, 20))) == []
    assert len(built) == 2
    library.chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IWOTH)
    NativeGames(game, cache)
    assert len(built) == 3
    os.chmod(cache.folder, 0o777)
    NativeGames(game, cache)
    assert len(built) == 4


@needs_compiler
def test_a_library_is_found_beside_oneself_and_is_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``LUSORY_CACHE=.``: what the system loads by a name without a folder lies elsewhere."""
    monkeypatch.chdir(tmp_path)
    cache, game = Cache(Path(".")), game_of("kuhn-poker")
    NativeGames(game, cache, flags=QUICK)
    assert list(differences(game, NativeGames(game, cache, flags=QUICK, build=False), range(1, 20))) == []
    monkeypatch.setattr("platform.machine", lambda: "another")
    with pytest.raises(NotBuilt):
        NativeGames(game, cache, flags=QUICK, build=False)


def test_a_compiler_that_has_gone_is_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be that of something else by now."""
    ends: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, signal: ends.append(group))
    child = subprocess.Popen(["/bin/true"], start_new_session=True)
    kill_compiler(child)
    assert ends == [child.pid]
    child.wait()
    kill_compiler(child)
    assert ends == [child.pid]


@needs_compiler
def test_nobody_waits_for_long_for_what_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    over = Event()

    def waits(*others: object) -> bytes:
        over.wait(20)
        raise NoNative("it is over")

    monkeypatch.setattr(whole_games_and_stepwise_play, "STOP_SECONDS", 0.05)
    monkeypatch.setattr(c_compiler, "compile_library", waits)
    building = BackgroundBuild(lambda notify: NativeGames(game_of("kuhn-poker"), None, notify=notify))
    building.stop()
    assert not building.reason
    over.set()


@needs_compiler
def test_what_no_compiler_takes_is_told() -> None:
    with pytest.raises(NoNative, match=r"^the C compiler gives up: .*error: .*x"):
        compile_library("int f(void) { return x; }")


@needs_compiler
def test_a_compiler_that_needs_too_much_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_compiler, "KILOBYTES", 1_000)
    with pytest.raises(NoNative, match=r"^the C compiler gives up"):
        compile_library("int f(void) { return 0; }")


@pytest.mark.parametrize(
    ("named", "said"),
    [("off", "^LUSORY_CC is off$"), ("no-such-cc", "^no C compiler: `no-such-cc` is not on the path$")],
)
def test_without_a_compiler_it_is_said_why(named: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUSORY_CC", named)
    with pytest.raises(NoNative, match=said):
        NativeGames(game_of("kuhn-poker"))


@needs_compiler
def test_what_is_not_native_is_said() -> None:
    with pytest.raises(NoNative, match=r"^not native: lists of lists at "):
        NativeGames(Game(checked(LISTS)))


def test_what_is_not_native_is_said_with_its_place() -> None:
    """Where a variable begins with what C has for none; in whole games and in steps."""
    setting = Game(checked(CHUNKS["edges-1"].ruleset)).setting
    said = r"^not native: the smallest number there is at .*:8:28$"
    with pytest.raises(NotNative, match=said):
        whole_games.emit_c(setting, select_module(setting, "playout"))
    with pytest.raises(NotNative, match=said):
        generate_steps_c(setting)


@needs_compiler
def test_ctrl_c_ends_all_compilers_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It comes while several are at work, of which each has started something else."""
    slow = tmp_path / "slow-cc"
    slow.write_text('#!/bin/sh\n[ "$1" = --version ] && echo slow && exit\nsleep 60 &\nsleep 60\n')
    slow.chmod(0o700)
    monkeypatch.setenv("LUSORY_CC", str(slow))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(c_compiler, "count_processors", lambda: 2)
    children: list[c_compiler.CompilerProcess] = []
    began_at = monotonic()

    def began(child: c_compiler.CompilerProcess) -> None:
        children.append(child)
        if len(children) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_library("", notify=began, parts=3)
    assert [child.returncode for child in children] == [-9, -9]
    assert monotonic() < began_at + 30  # whoever is left has the pipe of the complaints open, for a minute
    assert list(tmp_path.iterdir()) == [slow]


@needs_compiler
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_compilers_go_with_who_started_them(how: signal.Signals, tmp_path: Path) -> None:
    """However that ends: two are at work, each of which has started something else."""
    slow, there = tmp_path / "slow-cc", tmp_path / "there"
    slow.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo slow && exit\n'
        f"sleep 60 &\necho $! >>{there}\necho $$ >>{there}\nsleep 60\n"
    )
    slow.chmod(0o700)
    setup = "import lusory.native.c_compiler as c\nc.count_processors = lambda: 2\n"
    program = setup + "print('ready', flush=True)\nc.compile_library('', parts=2)\n"
    own = {**os.environ, "LUSORY_CC": str(slow), "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], env=own, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        until(lambda: there.exists() and len(there.read_text().split()) == 4)
        process.send_signal(how)
    numbers = [int(number) for number in there.read_text().split()]
    until(lambda: not any(is_running(number) for number in numbers))


def until(holds: Callable[[], bool]) -> None:
    """Waits until something holds, which it soon should."""
    end = monotonic() + 30
    while not holds():
        assert monotonic() < end
        sleep(0.02)


def is_running(number: int) -> bool:
    """Whether a process is at work; one that nobody waits for may stay as a number."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip()) and not found.stdout.startswith("Z")


@needs_compiler
def test_a_text_in_parts_is_the_same_game() -> None:
    """It is compiled whole, too, as who prints it does."""
    game = game_of("empires-end")
    printed = whole_games.emit_c(game.setting, select_module(game.setting, "playout", marks=True))
    assert printed.parts > 1
    compile_library(printed.text, QUICK)
    assert list(differences(game, NativeGames(game, flags=QUICK), range(1, 11))) == []


SANITIZED_RUNS = (
    ("native", "kuhn-poker", "--steps", "--compared", "2"),
    ("native", "--conformance", "lists-2", "text-1", "shifts-1"),
    ("searches", "kuhn-poker", "--dealt", "--simulations", "30"),
)


@pytest.mark.skipif(bool(NONE) or len(sanitizers()) < 2, reason=NONE or "this compiler has no sanitizers")
@pytest.mark.parametrize("run", SANITIZED_RUNS, ids=" ".join)
def test_sanitizers_find_nothing_in_small_games(run: tuple[str, ...]) -> None:
    """At the optimisation that ships. All rulesets, and conformance: ``python -m tests.native --sanitize``."""
    module, *more = run
    some = "3" if module == "searches" else "50"
    command = [sys.executable, "-m", f"tests.{module}", "--sanitize", "--games", some, *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    games = len([word for word in more if word.islower() and not word.startswith("--")])
    assert (done.returncode, len(re.findall(": 0 of .* differ", done.stdout))) == (0, games), done.stdout + done.stderr


@pytest.mark.skipif(bool(NONE) or len(sanitizers()) < 2, reason=NONE or "this compiler has no sanitizers")
def test_what_sanitizers_find_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """An item is read behind the last."""
    print_otherwise(monkeypatch, "    row[0] = 1;\n", "    row[0] = 1;\n    row[1] = state->arena[seed | 1 << 20];\n")
    for name, value in (("LD_PRELOAD", " ".join(sanitizers())), ("ASAN_OPTIONS", "detect_leaks=0")):
        monkeypatch.setenv(name, value)
    native = NativeGames(game_of("kuhn-poker"), flags=SANITIZED)
    assert list(native.play_games(range(3))) == [None] * 3
    assert native.crashes
