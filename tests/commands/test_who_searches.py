"""Test ``--engine`` where bots search: native code plays the same games, and its use is reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from native import needs_compiler
from programs import build_program

from lusory.cli import main
from lusory.commands.handlers import doctor, host, play_and_resume
from lusory.game import Game
from lusory.native import search
from lusory.native.c_compiler import NoNative
from lusory.native.search import TRIAL, SwitchingBackend
from lusory.native.whole_games_and_stepwise_play import NativeUsage
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.play.saves_and_journals import create_transcript
from lusory.stats.tournament import Tournament
from lusory.support.cache import Cache

KINDS = ("mcts:20", "flat:9")


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(build_program(TRIAL))


@pytest.fixture
def rules(tmp_path: Path) -> str:
    (tmp_path / "trial.yaml").write_text(TRIAL)
    return str(tmp_path / "trial.yaml")


def run_command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    assert main(list(words)) == 0
    output = capsys.readouterr()
    return output.out, output.err


def play_tournament(game: Game, uses_native: bool | None, jobs: int = 1, cache: Cache | None = None) -> Tournament:
    tournament = Tournament(game, KINDS, 8, 1, jobs, True, cache, native=uses_native)
    tournament.run()
    return tournament


@needs_compiler
def test_tournament_is_the_same_in_python_and_native_code(game: Game, tmp_path: Path) -> None:
    python, native = play_tournament(game, False), play_tournament(game, True)
    two_processes = play_tournament(game, True, 2, Cache(tmp_path))
    assert python.sets == native.sets == two_processes.sets
    assert python.use == NativeUsage()
    assert two_processes.use.simulations == native.use.simulations > 100


@needs_compiler
def test_processes_without_a_cache_use_python(game: Game) -> None:
    tournament = play_tournament(game, True, 2)
    assert (tournament.use.simulations, tournament.use.refused[:27]) == (0, "the cache is switched off, ")


@needs_compiler
@pytest.mark.parametrize("engine", ["native", "compiled", "evaluator"])
def test_tournament_takes_engine(engine: str, rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("tournament", rules, "--players", ",".join(KINDS), "--games", "2", "--format", "json", "--engine", engine)
    report: dict[str, Any] = json.loads(run_command(capsys, *words)[0])
    assert ("native" in report) is (engine == "native")
    assert engine != "native" or report["native"]["searches"]["simulations"] > 20


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("tournament", "--players", ",".join(KINDS), "--games", "2"),
    ("simulate", "--seats", ",".join(KINDS), "--games", "2"),
    ("play", "--seats", ",".join(KINDS), "--seed", "1"),
    ("show", "--seats", ",".join(KINDS), "--at", "2"),
    ("tune", "--vary", "variables.held.start=0,1", "--seats", ",".join(KINDS), "--games", "2"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_missing_native_code_is_explained_on_request(
    words: Sequence[str], rules: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUSORY_CC", "off")
    command, *options = words
    arguments = command, rules, *options, "--engine"
    native, python = (run_command(capsys, *arguments, engine) for engine in ("native", "compiled"))
    assert native[0].replace("native", "") == python[0].replace("native", "")
    assert native[1].replace(python[1], "") == "lusory: LUSORY_CC is off; Python played\n"


@needs_compiler
@pytest.mark.parametrize("words", [*COMMANDS, ("trace", "--seats", ",".join(KINDS))], ids=lambda words: words[0])
def test_every_command_searches_in_native_code(
    words: Sequence[str], rules: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --engine native, the switch to native code is made immediate here."""
    init = SwitchingBackend.__init__

    def init_without_delay(self: SwitchingBackend, *arguments: Any, **options: Any) -> None:
        init(self, *arguments, **options)
        self.native_code.must_wait = True

    monkeypatch.setattr(SwitchingBackend, "__init__", init_without_delay)
    native_code = search.NativeBackend.make_tree
    trees: list[object] = []
    monkeypatch.setattr(search.NativeBackend, "make_tree", lambda *given: trees.append(given) or native_code(*given))
    command, *options = words
    run_command(capsys, command, rules, *options)
    assert trees


@needs_compiler
def test_play_reports_searches_left_to_python(
    rules: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def decline_tree(backend: search.NativeBackend, *arguments: object) -> object:
        raise backend.decline("no room")

    monkeypatch.setattr(search.NativeBackend, "make_tree", decline_tree)
    words = ("play", rules, "--seats", "mcts:20,random", "--seed", "1", "--engine", "native")
    assert "lusory: 2 searches left to Python: no room\n" in run_command(capsys, *words)[1]


@pytest.mark.parametrize(
    ("people", "engine", "is_reported"), [([0], None, False), ([0], "native", True), ([], None, True)]
)
def test_play_reports_native_code_only_on_request(
    people: list[int],
    engine: str | None,
    is_reported: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = SimpleNamespace(people=people, engine=engine, match=SimpleNamespace(backend=None))
    session = SimpleNamespace(run=lambda: 0, next_game="")
    monkeypatch.setattr(play_and_resume, "_create_session", lambda *given: session)
    monkeypatch.setattr(
        play_and_resume, "get_usage", lambda backend: NativeUsage(declined_searches=Counter({"no room": 2}))
    )
    assert play_and_resume.play_games(cast(Any, table), is_plain=True, pace=0) == 0
    assert ("no room" in capsys.readouterr().err) is is_reported


@pytest.mark.parametrize(("engine", "is_reported"), [(None, False), ("native", True)])
def test_host_reports_native_code_only_on_request(
    engine: str | None, is_reported: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = SimpleNamespace(backend=None, decision=None, turns=[])
    table = SimpleNamespace(engine=engine, match=match, journal=None, record_result=lambda match: None)
    for name in ("_serve", "_run_until_signal"):
        monkeypatch.setattr(host, name, lambda *given: None)
    monkeypatch.setattr(host, "asyncio", SimpleNamespace(run=lambda served: 0))
    monkeypatch.setattr(host, "get_usage", lambda backend: NativeUsage(declined_searches=Counter({"no room": 2})))
    assert host._run_match(cast(Any, None), cast(Any, table), cast(Any, None)) == 0
    assert ("no room" in capsys.readouterr().err) is is_reported


@needs_compiler
def test_analyse_uses_native_code(
    rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "played.json"
    game = Game(build_program(TRIAL))
    match = Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1)
    while match.decision is not None:
        match.step()
    file.write_text(json.dumps(create_transcript(match).to_json()))
    arguments = "analyse", str(file), "--game", rules, "--engine"
    native, python = (run_command(capsys, *arguments, engine)[0] for engine in ("native", "compiled"))
    assert native == python
    monkeypatch.setenv("LUSORY_CC", "off")
    assert run_command(capsys, *arguments, "native") == (python, "lusory: LUSORY_CC is off; Python played\n")


@needs_compiler
def test_doctor_compares_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def list_checks() -> dict[str, Any]:
        return {check.name: check for check in doctor.check_machine()}

    assert list_checks()["searches"].state == doctor.FINE
    monkeypatch.setattr(search, "EXPLORATION", 0.1)  # C keeps the constant that Python had
    assert list_checks()["searches"].state == doctor.WRONG

    def refuse_native(*arguments: object, **options: object) -> None:
        raise NoNative("it is not there")

    monkeypatch.setattr(search, "NativeSteps", refuse_native)
    assert list_checks()["searches"].words == "it is not there: Python runs all searches"
