"""``lusory fuzz`` finds planted mistakes, shrinks them to small cases, and names what no game reached."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from native import needs_compiler
from programs import build_program, load_bundled, read_data

from lusory.cli import main
from lusory.evaluator.statements_options_and_resumption import Execution
from lusory.fuzz.campaign_and_finding_file_contents import Campaign, Finding
from lusory.fuzz.checks_and_goals import check_dead_end
from lusory.fuzz.game_scripts_and_shrinking import Script, Variant, Variants, create_answer
from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import NativeDecision, NativeSteps
from lusory.play.recorded_game_data_and_replay import Transcript, add_decision, start_transcript
from lusory.state.random_streams import make_secure_seed
from lusory.state.static_work_charges_and_list_bounds import Charge, Charges, Limits
from lusory.support.cache import Cache
from lusory.testing.cases.case_model import Case
from lusory.testing.cases.single_case_runner import BOTH, play_case
from lusory.testing.cases.suite_runner import load_cases
from lusory_dsl import load_program
from lusory_dsl.core import Program
from lusory_dsl.source.source import Source, Span

DATA = read_data(__file__)

PLANTED = Path(__file__).parent / "planted"


def run_campaign(name: str, games: int, jobs: int = 1, limits: Limits | None = None, **options: Any) -> Campaign:
    program = load_program(PLANTED / f"{name}.yaml")
    variants = Variants(program, options.pop("players", None), options)
    campaign = Campaign(program, variants, games, jobs=jobs, limits=limits or Limits())
    campaign.run()
    return campaign


def list_codes(program: Program, finding: Finding) -> list[str]:
    """Return the code of the first failure of each case."""
    assert finding.file is not None
    cases = load_cases(program, [Source(finding.file.name, finding.file.text)])
    assert all(isinstance(case, Case) for case in cases)
    return [play_case(case, program, BOTH)[0].diagnostic.code.id for case in cases if isinstance(case, Case)]


def test_continue_from_a_recorded_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The recording has eleven of the thirteen steps to the fault; the first game that continues it finds the fault."""
    program = load_program(PLANTED / "fault.yaml")
    game = Game(program, 2, {"step": "two"})
    seed = make_secure_seed(bytes([1] * 16))
    state, transcript = game.start(seed), start_transcript(game, seed)
    for number in range(12):
        option = number % 2
        add_decision(game, transcript, state, option)
        state = game.apply(state, option)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(transcript.to_json()))
    out = tmp_path / "found"
    assert main(["fuzz", str(PLANTED / "fault.yaml"), "--games", "1", "--from", str(file), "--output", str(out)]) == 1
    assert "division by zero" in capsys.readouterr().out
    assert main(["fuzz", str(PLANTED / "dead.yaml"), "--games", "1", "--from", str(file)]) == 2
    assert "the transcript is of the game `fault`, but these are the rules of `dead`" in capsys.readouterr().err


def test_a_finished_game_is_no_dead_end() -> None:
    game = Game(load_bundled("tic-tac-toe"), 2)
    state = game.start(1)
    while game.decision(state) is not None:
        assert check_dead_end(game, state, 0) is None
        state = game.apply(state, 0)
    assert check_dead_end(game, state, 0) is None


@pytest.mark.parametrize(
    ("name", "games", "kind", "most", "codes"), DATA["planted mistakes become small failing cases"]
)
def test_planted_mistakes_become_small_failing_cases(
    name: str, games: int, kind: str, most: int, codes: list[str]
) -> None:
    campaign = run_campaign(name, games)
    (finding,) = campaign.findings
    assert (finding.problem.kind, list_codes(campaign.program, finding)) == (kind, codes)
    assert len(finding.script.answers) <= most


def test_dead_end_becomes_a_small_case() -> None:
    (finding,) = run_campaign("dead", 16).findings
    assert (finding.problem.kind, finding.problem.place) == ("endless", "play")
    assert finding.problem.message == "only 2 positions can follow, and none is an end"
    assert len(finding.script.answers) <= 6
    assert finding.file is not None
    assert finding.file.text.endswith("- play_until: end\n")


def test_nearly_spent_budget_becomes_a_recorded_game() -> None:
    campaign = run_campaign("budget", 16, limits=Limits(decision=20_000))
    (finding,) = campaign.findings
    assert (finding.problem.kind, finding.problem.place) == ("budget", "decision")
    assert finding.file is not None
    assert (
        len(Transcript.from_json(json.loads(finding.file.text)).decisions)
        == len(finding.script.answers)
        < finding.original_length
    )


def test_report_names_unreached_goals() -> None:
    """A card that can't be reached is such a goal."""
    program = build_program((PLANTED / "pair.yaml").read_text().replace("worth < 99\n", "worth < 4\n"))
    campaign = Campaign(program, Variants(program, 2, {}), 16)
    campaign.run()
    gaps = {item.gap for item in campaign.list_unreached_goals()}
    assert "`c.worth = 4` is never true" in gaps
    assert not campaign.findings


def test_number_of_processes_changes_nothing() -> None:
    first, second = (run_campaign("leak", 40, jobs) for jobs in (1, 2))
    assert first.to_json() == second.to_json()
    assert first.to_json() != Campaign(first.program, first.variants, 40, seed=1).to_json()


def test_disagreement_of_engines_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluator counts too little work in one branch."""
    program = load_program(PLANTED / "pair.yaml")
    blocks = Charges(program, 2).blocks.items()
    expected = next(cost for block, cost in blocks if block.span.source.text.startswith("move c", block.span.start))
    charge_work = Execution.charge_work

    def charge_less(self: Execution, charge: Charge, span: Span) -> None:
        charge_work(self, replace(charge, work=1) if charge == expected else charge, span)

    monkeypatch.setattr(Execution, "charge_work", charge_less)
    campaign = Campaign(program, Variants(program, 2, {}), 8)
    campaign.run()
    assert {finding.problem.kind for finding in campaign.findings} == {"engines"}
    assert len(campaign.findings[0].script.answers) <= 3


@needs_compiler
def test_disagreement_of_native_code_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No case runs native code, so the finding is a recorded game."""
    cache, program = Cache(tmp_path), load_program(PLANTED / "dead.yaml")
    NativeSteps(Game(program, 2, store=cache), cache)
    sound = Campaign(program, Variants(program, 2, {}), 8, store=cache)
    sound.run()
    assert [finding.problem.kind for finding in sound.findings] == ["endless"]
    decide = NativeSteps.decision

    def decide_with_fewer(self: NativeSteps, state: bytes) -> NativeDecision | None:
        decision = decide(self, state)
        return decision and decision._replace(options=min(decision.options, 3))

    monkeypatch.setattr(NativeSteps, "decision", decide_with_fewer)
    campaign = Campaign(program, Variants(program, 2, {}), 1, store=cache)
    campaign.run()
    (finding,) = campaign.findings
    assert (finding.problem.kind, finding.problem.place) == ("engines", "native code: what is asked")
    assert finding.script.answers == ()
    assert finding.file is not None
    assert finding.file.name == "fuzz-engines-1.json"


def test_fixed_players_and_options_are_used() -> None:
    campaign = run_campaign("fault", 16, players=3, step="one")
    assert {script.variant for _, script in campaign.shortest.values()} == {Variant(3)}
    assert [item.name for item in campaign.runner.goals.items].index("step=two") not in campaign.goal_counts


def test_interrupted_campaign_keeps_its_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    program = load_program(PLANTED / "leak.yaml")
    campaign = Campaign(program, Variants(program, None, {}), 100)

    def stop(games: int) -> None:
        if campaign.findings:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.run(stop)
    assert campaign.findings[0].file is not None
    assert campaign.game_count < 100


def test_command_writes_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text((PLANTED / "leak.yaml").read_text())
    assert main(["fuzz", str(folder), "--games", "16", "--output", str(folder / "cases")]) == 1
    assert "leak: a seat's options reveal what it can't see" in capsys.readouterr().out
    text = (folder / "cases" / "fuzz-leak-1.yaml").read_text()
    assert text.startswith("# Found by lusory fuzz: a seat's options reveal")
    assert main(["test", str(folder)]) == 1
    assert "0 passed, 2 failed" in capsys.readouterr().out
    assert main(["fuzz", "tic-tac-toe", "--games", "4", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


GROWING = DATA["growing"]


def test_dead_end_with_growing_state_is_found_by_playouts() -> None:
    """The age grows, so no position repeats. Random play from the start hardly ever gets there."""
    program = build_program(GROWING)
    game = Game(program, 2)
    state, answers = game.start(0), list[Any]()
    for turn in range(9):
        decision = game.decision(state)
        assert decision is not None
        answers.append(create_answer(decision, decision.options[turn]))
        state = game.apply(state, turn)
    script = Script(Variant(2), 0, tuple(answers))
    campaign = Campaign(program, Variants(program, 2, {}), 1, starts=[script])
    campaign.run()
    (finding,) = campaign.findings
    assert finding.problem.message == "no end within 5,000 more decisions, whether by first, last or random options"
    assert len(finding.script.answers) == 9


@pytest.mark.parametrize(("old", "new", "decisions", "file"), DATA["faults of invariants and of the scoring"])
def test_faults_of_invariants_and_of_the_scoring_are_findings(old: str, new: str, decisions: int, file: str) -> None:
    program = build_program(DATA["draining"].replace(old, new))
    campaign = Campaign(program, Variants(program, 2, {}), 8)
    campaign.run()
    (finding,) = campaign.findings
    assert (finding.problem.kind, finding.problem.message) == ("fault", "division by zero")
    assert len(finding.script.answers) == decisions
    assert finding.file is not None
    assert finding.file.name == file
