"""The benchmarks count correctly, report their results and run to the end. No test checks speed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks import __main__ as command_line, copies, peers, processes, report, strength, suite, targets, timing
from benchmarks.games import EMPIRE_FOUR, RULESETS
from benchmarks.suite import Section
from benchmarks.targets import Verdict
from benchmarks.timing import Contestant, Effort, Timing, compute_ratio, compute_spread, run_race


def create_work(calls: list[str], name: str) -> Callable[[int], int]:
    """Return work that takes almost no time and counts three moves per call."""

    def work(times: int) -> int:
        calls.append(name)
        return 3 * times

    return work


def test_contestants_run_and_start_in_turns() -> None:
    calls: list[str] = []
    timings = run_race([Contestant(name, name, create_work(calls, name)) for name in "abc"], Effort(3, 1e-9))
    assert "".join(calls[-9:]) == "abcbcacab"
    assert [timing.name for timing in timings] == ["a", "b", "c"]
    assert all(len(timing.rates) == 3 and timing.steps == 3 for timing in timings)


def test_one_time_work_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call of the work is slow. Its time doesn't affect the length of later slices."""
    calls: list[int] = []
    seconds = 0.0

    def work(times: int) -> int:
        nonlocal seconds
        seconds += times * 1e-4 if calls else 0.2
        calls.append(times)
        return times

    monkeypatch.setattr(timing, "perf_counter", lambda: seconds)
    run_race([Contestant("once", "once", work)], Effort(1, 0.02))
    assert calls[-1] == 200


def test_a_ratio_is_taken_within_each_repeat() -> None:
    slowed_down = Timing("ours", "ours", (100.0, 10.0, 80.0), 1), Timing("theirs", "theirs", (50.0, 5.0, 40.0), 1)
    assert compute_ratio(*slowed_down) == compute_spread([2.0, 2.0, 2.0])


def test_the_spread_is_the_middle_half() -> None:
    result = compute_spread([9.0, 1.0, 5.0, 4.0, 6.0])
    assert (result.low, result.middle, result.high) == (4.0, 5.0, 6.0)


@pytest.mark.parametrize(
    "verdict, line",
    [
        (Verdict("Speed", 4.2, "×", 3.0, 5.0), "Speed  4.2×  3× met  5× missed"),
        (Verdict("Time", 0.31, "s", 0.25, 0.4, less_is_better=True), "Time  0.31 s  0.25 s missed  0.4 s met"),
        (Verdict("Growth", -0.5, "%", 10.0, None, less_is_better=True), "Growth  -0.5 %  10 % met"),
        (Verdict("Just so", 3.0, "×", 3.0), "Just so  3×  3× met"),
        (Verdict("Barely not", 2.999, "×", 3.0), "Barely not  2.99×  3× missed"),
        (Verdict("Large", 123.456, "×", 100.0), "Large  123.4×  100× met"),
    ],
)
def test_figures_are_compared_with_their_targets(verdict: Verdict, line: str) -> None:
    assert report.format_verdicts([verdict]).splitlines()[-1].split() == line.split()


def test_a_section_is_a_table_with_remarks() -> None:
    section = Section("Copies", ("", "each"), (("ours", "0.3 µs"), ("theirs", "12 µs")), (), {}, ("one is not here",))
    assert report.format_section(section) == "\n".join(
        ["Copies", "            each", "  ours    0.3 µs", "  theirs   12 µs", "  one is not here"]
    )


def test_targets_cover_all_contestants() -> None:
    rates = {
        "idiomatic": 100.0,
        "optimised": 1000.0,
        "playout": 700.0,
        "stepwise": 120.0,
        "native peer": 350.0,
        "peer": 7.0,
    }
    timings = [Timing(role, role, (rate,), 1) for role, rate in rates.items()]
    verdicts = {verdict.title: verdict for verdict in targets.judge_games("any", "Any", timings)}
    assert {title: verdict.value for title, verdict in verdicts.items()} == {
        "Any: playouts, times clean": 7.0,
        "Any: playouts, times optimised": 0.7,
        "Any: playouts, times native peer": 2.0,
        "Any: playouts, times peer": 100.0,
        "Any: five verbs, times clean": 1.2,
    }
    assert verdicts["Any: playouts, times clean"].least == 3.0
    assert verdicts["Any: playouts, times peer"].least == 10.0


def test_peers_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda module: None)
    assert peers.list_peers("leduc-poker") == (
        [],
        [
            f"{name} is not installed: skipped (pip install -e '.[bench-peers]')"
            for name in ("OpenSpiel", "PettingZoo", "RLCard")
        ],
    )
    assert peers.list_peers("empire-engine") == ([], [])


def test_peak_memory_is_that_of_one_process() -> None:
    if not processes.can_measure_memory():
        pytest.skip("this system does not tell a process's peak")
    ballast = bytearray(200 * 2**20)
    small = processes.measure_peak("-c", "pass")
    large = processes.measure_peak("-c", "x = bytearray(64 * 2**20)")
    assert small < 2**20 * 40 < 2**20 * 64 < large < len(ballast)


def test_a_failing_process_is_reported_with_its_message() -> None:
    with pytest.raises(RuntimeError, match="no_such_thing"):
        processes.time_python("-c", "no_such_thing")


def test_the_command_runs_and_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--quick", "--repeat", "1", "--only", "kuhn-poker", "--only", "start-up", "--format", "json"]
    assert command_line.main(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    race, start_up = report["sections"]
    assert race["game"] == "kuhn-poker"
    assert [timing["role"] for timing in race["timings"]] == ["idiomatic", "optimised", "playout", "stepwise"]
    assert all(rate > 0 for timing in race["timings"] for rate in timing["per_second"])
    assert [target["what"] for target in start_up["targets"]] == ["lusory --help"]


def test_a_rollout_ends_and_keeps_the_position() -> None:
    """On average, a rollout plays half a game."""
    for contestant in copies.list_rollouts(EMPIRE_FOUR):
        moves, moves_again = contestant.work(40), contestant.work(40)
        assert moves == moves_again
        assert 30 * 40 < moves < 50 * 40


def test_an_interrupted_run_shows_its_results_so_far(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(run: suite.Run) -> Section:
        raise KeyboardInterrupt

    monkeypatch.setitem(suite.BENCHMARKS, "memory", (interrupt,))
    arguments = ["--quick", "--repeat", "1", "--only", "start-up", "--only", "memory"]
    assert command_line.main(arguments) == 130
    output = capsys.readouterr()
    assert "lusory --help" in output.out.splitlines()[-1]
    assert output.err == "interrupted: what follows was measured before\n"
    assert command_line.main([*arguments, "--format", "json"]) == 130
    sections = json.loads(capsys.readouterr().out)["sections"]
    assert [section["title"] for section in sections] == ["Start-up: the whole process"]


def test_a_missing_dependency_is_explained(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command_line, "_find_missing_module", lambda: "lark")
    assert command_line.main([]) == 2
    assert "pip install -e ." in capsys.readouterr().err


def test_examples_in_the_help_are_valid(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        command_line.main(["--help"])
    examples = [line.split() for line in capsys.readouterr().out.splitlines() if "python -m benchmarks --" in line]
    assert len(examples) >= 4
    for _, _, _, *words in examples:
        options = [word for word in words if word.startswith("--") or word in [*suite.BENCHMARKS, "json"]]
        command_line._create_parser().parse_args(options)


def test_the_command_runs_and_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--quick", "--repeat", "1", "--only", "copy"]) == 0
    output = capsys.readouterr().out
    assert "a copy of the state" in output
    assert output.splitlines()[-1].startswith("  Copy of a state, times deepcopy of clean")


def test_loading_is_measured_in_fresh_processes(tmp_path: Path) -> None:
    ruleset = RULESETS / "classics" / "kuhn-poker"
    assert processes.time_cold_start(ruleset) > 0
    assert processes.time_first_decision(ruleset, str(tmp_path)) > 0


def test_the_table_of_strength_continues_from_its_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["tic-tac-toe", "--part", "0.0001", "--folder", str(tmp_path), "--against", "random,flat", "--games"]
    assert strength.main([*arguments, "2"]) == 0
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("| tic-tac-toe | `mcts:31` | `random` | 2 | ")
    assert second.startswith("| tic-tac-toe | `mcts:31` | `flat:31` | 2 | ")
    record = next(tmp_path.iterdir())
    before = record.read_text()
    assert strength.main([*arguments, "2"]) == 0
    assert record.read_text() == before
    assert strength.main([*arguments, "4"]) == 0
    assert "| 4 | " in capsys.readouterr().out


@pytest.mark.parametrize("peer", [strength.PEER, strength.TIMED])
def test_a_missing_opponent_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, peer: str) -> None:
    monkeypatch.setattr(strength, "find_spec", lambda module: None)
    with pytest.raises(SystemExit, match="OpenSpiel is not installed"):
        strength.main(["connect-four", "--against", peer, "--folder", str(tmp_path)])
    assert not list(tmp_path.iterdir())


def test_a_timed_opponent_gets_fewer_simulations_by_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    matches: list[tuple[int, int, int]] = []

    def play_games(number: int, ours: int, theirs: int) -> list[float]:
        matches.append((number, ours, theirs))
        return [1.0, 0.5] * (number // 2)

    monkeypatch.setattr(strength, "measure_peer_ratio", lambda budget: 5.0)
    monkeypatch.setattr(strength, "play_peer_games", play_games)
    assert "| `OpenSpiel, 200` | 4 | 75.0% [" in strength.play_against_peer(4, 1000, is_timed=True)
    assert "| `OpenSpiel, 1000` | 4 | 75.0% [" in strength.play_against_peer(4, 1000, is_timed=False)
    assert matches == [(4, 1000, 200), (4, 1000, 1000)]


def test_every_rate_belongs_to_a_ruleset() -> None:
    assert set(strength.RATES) <= {path.name for path in RULESETS.rglob("*") if path.is_dir()}
    assert strength.count_simulations("connect-four", 1) == 300_000


def test_invalid_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--repeat", "0"], ["--only", "chess"]):
        with pytest.raises(SystemExit):
            command_line.main(arguments)
    assert "not a whole number from 1" in capsys.readouterr().err
