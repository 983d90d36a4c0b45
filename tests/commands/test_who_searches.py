"""``--engine`` wherever bots search: what is told of native code, and that the games are the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from native import needs_compiler
from programs import checked

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
    return Game(checked(TRIAL))


@pytest.fixture
def rules(tmp_path: Path) -> str:
    (tmp_path / "trial.yaml").write_text(TRIAL)
    return str(tmp_path / "trial.yaml")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    assert main(list(words)) == 0
    shown = capsys.readouterr()
    return shown.out, shown.err


def held(game: Game, native: bool | None, jobs: int = 1, cache: Cache | None = None) -> Tournament:
    work = Tournament(game, KINDS, 8, 1, jobs, True, cache, native=native)
    work.run()
    return work


@needs_compiler
def test_a_tournament_is_the_same_whoever_searches_and_counts(game: Game, tmp_path: Path) -> None:
    python, native = held(game, False), held(game, True)
    several = held(game, True, 2, Cache(tmp_path))
    assert python.sets == native.sets == several.sets
    assert python.use == NativeUsage()
    assert several.use.simulations == native.use.simulations > 100


@needs_compiler
def test_processes_of_a_tournament_without_a_cache_find_no_native_code(game: Game) -> None:
    work = held(game, True, 2)
    assert (work.use.simulations, work.use.refused[:27]) == (0, "the cache is switched off, ")


@needs_compiler
@pytest.mark.parametrize("engine", ["native", "compiled", "evaluator"])
def test_an_engine_can_be_named_for_a_tournament(engine: str, rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("tournament", rules, "--players", ",".join(KINDS), "--games", "2", "--format", "json", "--engine", engine)
    found: dict[str, Any] = json.loads(said(capsys, *words)[0])
    assert ("native" in found) is (engine == "native")
    assert engine != "native" or found["native"]["searches"]["simulations"] > 20


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("tournament", "--players", ",".join(KINDS), "--games", "2"),
    ("simulate", "--seats", ",".join(KINDS), "--games", "2"),
    ("play", "--seats", ",".join(KINDS), "--seed", "1"),
    ("show", "--seats", ",".join(KINDS), "--at", "2"),
    ("tune", "--vary", "variables.held.start=0,1", "--seats", ",".join(KINDS), "--games", "2"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_why_there_is_no_native_code_is_told_where_it_was_wanted(
    words: Sequence[str], rules: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUSORY_CC", "off")
    command, *more = words
    wanted, quiet = (said(capsys, command, rules, *more, "--engine", it) for it in ("native", "compiled"))
    assert wanted[0].replace("native", "") == quiet[0].replace("native", "")
    assert wanted[1].replace(quiet[1], "") == "lusory: LUSORY_CC is off; Python played\n"


@needs_compiler
@pytest.mark.parametrize("words", [*COMMANDS, ("trace", "--seats", ",".join(KINDS))], ids=lambda words: words[0])
def test_bots_search_in_native_code_wherever_they_sit(
    words: Sequence[str], rules: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nobody asks for it, once that pays: here at once."""
    init = SwitchingBackend.__init__

    def at_once(self: SwitchingBackend, *given: Any, **named: Any) -> None:
        init(self, *given, **named)
        self.native_code.waits = True

    monkeypatch.setattr(SwitchingBackend, "__init__", at_once)
    native_code = search.NativeBackend.make_tree
    trees: list[object] = []
    monkeypatch.setattr(search.NativeBackend, "make_tree", lambda *given: trees.append(given) or native_code(*given))
    command, *more = words
    said(capsys, command, rules, *more)
    assert trees


@needs_compiler
def test_what_was_left_to_python_is_told_at_the_table(
    rules: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tree(core: search.NativeBackend, *others: object) -> object:
        raise core.decline("no room")

    monkeypatch.setattr(search.NativeBackend, "make_tree", tree)
    words = ("play", rules, "--seats", "mcts:20,random", "--seed", "1", "--engine", "native")
    assert "lusory: 2 searches left to Python: no room\n" in said(capsys, *words)[1]


@pytest.mark.parametrize(("people", "engine", "is_told"), [([0], None, False), ([0], "native", True), ([], None, True)])
def test_a_person_hears_of_native_code_only_on_request(
    people: list[int],
    engine: str | None,
    is_told: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = SimpleNamespace(people=people, engine=engine, match=SimpleNamespace(core=None))
    session = SimpleNamespace(run=lambda: 0, next_game="")
    monkeypatch.setattr(play_and_resume, "_create_session", lambda *given: session)
    monkeypatch.setattr(
        play_and_resume, "get_usage", lambda core: NativeUsage(declined_searches=Counter({"no room": 2}))
    )
    assert play_and_resume.play_games(cast(Any, table), plain=True, pace=0) == 0
    assert ("no room" in capsys.readouterr().err) is is_told


@pytest.mark.parametrize(("engine", "is_told"), [(None, False), ("native", True)])
def test_a_host_hears_of_native_code_only_on_request(
    engine: str | None, is_told: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = SimpleNamespace(core=None, decision=None, turns=[])
    table = SimpleNamespace(engine=engine, match=match, journal=None, record_result=lambda match: None)
    for name in ("_serve", "_run_until_signal"):
        monkeypatch.setattr(host, name, lambda *given: None)
    monkeypatch.setattr(host, "asyncio", SimpleNamespace(run=lambda served: 0))
    monkeypatch.setattr(host, "get_usage", lambda core: NativeUsage(declined_searches=Counter({"no room": 2})))
    assert host._run_match(cast(Any, None), cast(Any, table), cast(Any, None)) == 0
    assert ("no room" in capsys.readouterr().err) is is_told


@needs_compiler
def test_a_recorded_game_is_looked_at_in_native_code(
    rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "played.json"
    game = Game(checked(TRIAL))
    match = Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1)
    while match.decision is not None:
        match.step()
    file.write_text(json.dumps(create_transcript(match).to_json()))
    native, python = (
        said(capsys, "analyse", str(file), "--game", rules, "--engine", it)[0] for it in ("native", "compiled")
    )
    assert native == python
    monkeypatch.setenv("LUSORY_CC", "off")
    words = ("analyse", str(file), "--game", rules, "--engine", "native")
    assert said(capsys, *words) == (python, "lusory: LUSORY_CC is off; Python played\n")


@needs_compiler
def test_the_doctor_tries_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> dict[str, doctor.HealthCheck]:
        return {one.name: one for one in doctor.check_machine()}

    assert found()["searches"].state == doctor.FINE
    monkeypatch.setattr(search, "EXPLORATION", 0.1)  # C is told another number than Python goes by
    assert found()["searches"].state == doctor.WRONG

    def none(*others: object, **more: object) -> None:
        raise NoNative("it is not there")

    monkeypatch.setattr(search, "NativeSteps", none)
    assert found()["searches"].words == "it is not there: Python runs all searches"
