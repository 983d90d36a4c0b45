"""``lusory fuzz`` finds what was planted in rules, and makes it small; what nobody comes to is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from native import needs_compiler
from programs import bundled, checked

from lusory.author.cases import load_cases
from lusory.author.cases.engines import play_on_both
from lusory.author.cases.model import Case
from lusory.author.fuzz.campaign import Campaign, Found
from lusory.author.fuzz.goals import Goals, Watch
from lusory.author.fuzz.marks import MARKS, Marked
from lusory.author.fuzz.nearness import Distance, Nearness
from lusory.author.fuzz.variants import Variant, Variants
from lusory.author.fuzz.ways import answer_of
from lusory.author.fuzz.wrong import Script, no_way_out
from lusory.cache import Cache
from lusory.cli import main
from lusory.game import Game
from lusory.native_steps import Asked, NativeSteps
from lusory.oracle.evaluator import Execution
from lusory.play.transcript import Transcript, begin, record
from lusory.table.cost import Charge, Charges, Limits
from lusory.table.secure_chance import seed_of
from lusory_dsl import load_program
from lusory_dsl.core import Program
from lusory_dsl.text.source import Source, Span

PLANTED = Path(__file__).parent / "planted"


def campaign(name: str, games: int, jobs: int = 1, limits: Limits | None = None, **settled: Any) -> Campaign:
    program = load_program(PLANTED / f"{name}.yaml")
    variants = Variants(program, settled.pop("players", None), settled)
    work = Campaign(program, variants, games, jobs=jobs, limits=limits or Limits())
    work.run()
    return work


def failures(program: Program, found: Found) -> list[str]:
    """Of each case of a finding the code of its first failure."""
    assert found.file is not None
    cases = load_cases(program, [Source(found.file.name, found.file.text)])
    assert all(isinstance(case, Case) for case in cases)
    return [play_on_both(case, program)[0].diagnostic.code.id for case in cases if isinstance(case, Case)]


def test_an_end_that_only_good_play_comes_to_is_come_to_and_looked_at() -> None:
    """Nobody climbs so high by chance before the game is over, nor while somebody looks on."""
    work = campaign("ladder", 10)
    assert work.reached()["endings"] == (1, 1)
    assert any(words.endswith("is at the top") for words in work.ends)


def test_an_end_that_takes_all_seats_together_is_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chase reads off the conditions how far it is to there."""
    assert campaign("together", 16).reached()["endings"] == (1, 1)
    monkeypatch.setattr("lusory.author.fuzz.campaign.CHASES", 0)
    assert campaign("together", 16).reached()["endings"] == (0, 1)


def test_how_far_an_end_is() -> None:
    program = load_program(PLANTED / "together.yaml")
    goals, game = Goals(program), Game(program, 2)
    (end,) = (number for number, item in enumerate(goals.items) if item.kind == "endings")
    distance = Distance(game, Nearness(program, goals).ways[end])
    state, found = game.start(1), []
    for heights in (0, 0), (30, 0), (30, 30), (60, 30), (60, 59), (60, 60):
        for seat, height in enumerate(heights):
            state.cells[game.layout.places["height"].at((seat,))] = height
        found.append(distance(state))
        if heights == (60, 59):
            assert distance.lacking(state) == ["P2: `p.height` is 59, needs at least 60"]
    assert distance.lacking(state) == []
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)
    assert (found[-2] > 0, found[-1]) == (True, 0)


@pytest.mark.parametrize("name", ["love-letter", "nano-empire", "hearts"])
def test_marks_tell_what_an_observer_sees(name: str) -> None:
    """A program with marks plays the same game, and its marks stand for what was carried out, no more and no less."""
    program = bundled(name)
    goals = Goals(program)
    marked, watch = Marked(program, goals), Watch(goals)
    quick, watched = Game(marked.program), Game(program, engine="evaluator", observer=watch)
    state, other, rnd = quick.start(5), watched.start(5), Random(5)
    for _ in range(60):
        decision, asked = quick.decision(state), watched.decision(other)
        assert decision == asked
        if decision is None:
            break
        option = rnd.randrange(len(decision.options))
        state, other = quick.apply(state, option), watched.apply(other, option)
    seen = {trait[1] for trait in watch.taken() if trait[0] == "goal"}
    place = quick.layout.places[MARKS]
    told = {goal for at, of in enumerate(marked.goals_of) if state.cells[place.offset + at] for goal in of}
    every = {number for number, item in enumerate(goals.items) if item.kind in ("statements", "endings", "answers")}
    assert every.issubset(goal for of in marked.goals_of for goal in of)
    assert told == seen.intersection(goal for of in marked.goals_of for goal in of)


def test_a_recorded_game_is_gone_on_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Eleven of the thirteen steps to the fault were recorded; the first game that goes on from there finds it."""
    program = load_program(PLANTED / "fault.yaml")
    game = Game(program, 2, {"step": "two"})
    seed = seed_of(bytes(16))
    state, transcript = game.start(seed), begin(game, seed)
    for number in range(12):
        option = number % 2
        record(game, transcript, state, option)
        state = game.apply(state, option)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(transcript.to_json()))
    out = tmp_path / "found"
    assert main(["fuzz", str(PLANTED / "fault.yaml"), "--games", "1", "--from", str(file), "--output", str(out)]) == 1
    assert "division by zero" in capsys.readouterr().out
    assert main(["fuzz", str(PLANTED / "dead.yaml"), "--games", "1", "--from", str(file)]) == 2
    assert "the transcript is of `fault`, the ruleset is `dead`" in capsys.readouterr().err


def test_an_end_that_nobody_can_come_to_says_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a slip of the pen, say."""
    file = tmp_path / "together.yaml"
    file.write_text((PLANTED / "together.yaml").read_text().replace(">= 60", ">= 600"))
    assert main(["fuzz", str(file), "--games", "2", "--seed", "1", "--format", "json"]) == 0
    (end,) = (one for one in json.loads(capsys.readouterr().out)["never"] if one["kind"] == "endings")
    assert [one.partition(", ")[2] for one in end["lacks"][0].split(" and ")] == ["needs at least 600"] * 2


def test_what_is_over_is_not_endless() -> None:
    game = Game(bundled("tic-tac-toe"), 2)
    state = game.start(1)
    while game.decision(state) is not None:
        assert no_way_out(game, state, 0) is None
        state = game.apply(state, 0)
    assert no_way_out(game, state, 0) is None


@pytest.mark.parametrize(
    ("name", "games", "kind", "most", "codes"),
    [
        ("pair", 32, "invariant", 9, ["E0821"]),
        ("fault", 48, "fault", 14, ["E0820"]),
        ("leak", 16, "leak", 2, ["E0815", "E0815"]),
    ],
)
def test_what_is_planted_is_found_and_small_and_fails(
    name: str, games: int, kind: str, most: int, codes: list[str]
) -> None:
    work = campaign(name, games)
    (found,) = work.found
    assert (found.wrong.kind, failures(work.program, found)) == (kind, codes)
    assert len(found.script.answers) <= most


def test_a_dead_end_is_found_and_small() -> None:
    (found,) = campaign("dead", 16).found
    assert (found.wrong.kind, found.wrong.where) == ("endless", "play")
    assert found.wrong.message == "only 2 positions can follow, and none is an end"
    assert len(found.script.answers) <= 6
    assert found.file is not None
    assert found.file.text.endswith("- play_until: end\n")


def test_a_budget_that_is_nearly_spent_is_a_recorded_game() -> None:
    work = campaign("budget", 16, limits=Limits(decision=20_000))
    (found,) = work.found
    assert (found.wrong.kind, found.wrong.where) == ("budget", "decision")
    assert found.file is not None
    assert len(Transcript.from_json(json.loads(found.file.text)).decisions) == len(found.script.answers) < found.before


def test_what_nobody_comes_to_is_named() -> None:
    """A card that can't be reached."""
    program = checked((PLANTED / "pair.yaml").read_text().replace("worth < 99\n", "worth < 4\n"))
    work = Campaign(program, Variants(program, 2, {}), 16)
    work.run()
    never = {item.missing for item in work.never()}
    assert "`c.worth = 4` is never true" in never
    assert not work.found


def test_any_number_of_processes_finds_the_same() -> None:
    one, two = (campaign("leak", 40, jobs) for jobs in (1, 2))
    assert one.to_json() == two.to_json()
    assert one.to_json() != Campaign(one.program, one.variants, 40, seed=1).to_json()


def test_engines_that_differ_are_found_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle counts too little in one branch alone."""
    program = load_program(PLANTED / "pair.yaml")
    laying = next(
        c for s, c in Charges(program, 2).blocks.items() if s.span.source.text.startswith("move c", s.span.start)
    )
    spend = Execution.spend

    def cheaper(self: Execution, charge: Charge, span: Span) -> None:
        spend(self, replace(charge, work=1) if charge == laying else charge, span)

    monkeypatch.setattr(Execution, "spend", cheaper)
    work = Campaign(program, Variants(program, 2, {}), 8)
    work.run()
    assert {one.wrong.kind for one in work.found} == {"engines"}
    assert len(work.found[0].script.answers) <= 3


@needs_compiler
def test_native_code_that_differs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was built; no case plays it, so a recorded game is left."""
    cache, program = Cache(tmp_path), load_program(PLANTED / "dead.yaml")
    NativeSteps(Game(program, 2, store=cache), cache)
    sound = Campaign(program, Variants(program, 2, {}), 1, store=cache)
    sound.run()
    assert [one.wrong.kind for one in sound.found] == ["endless"]
    asked = NativeSteps.decision

    def fewer(self: NativeSteps, state: bytes) -> Asked | None:
        found = asked(self, state)
        return found and found._replace(options=min(found.options, 3))

    monkeypatch.setattr(NativeSteps, "decision", fewer)
    work = Campaign(program, Variants(program, 2, {}), 1, store=cache)
    work.run()
    (found,) = work.found
    assert (found.wrong.kind, found.wrong.where) == ("engines", "native code: what is asked")
    assert found.script.answers == ()
    assert found.file is not None
    assert found.file.name == "fuzz-engines-1.json"


def test_settled_players_and_options_are_kept() -> None:
    work = campaign("fault", 16, players=3, step="one")
    assert {script.variant for _, script in work.first.values()} == {Variant(3)}
    assert ("goal", [item.name for item in work.trial.goals.items].index("step=two")) not in work.hits


def test_a_search_that_is_interrupted_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    program = load_program(PLANTED / "leak.yaml")
    work = Campaign(program, Variants(program, None, {}), None, seconds=1000)

    def stop(played: int) -> None:
        if work.found:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.run(stop)
    assert work.found[0].file is not None
    assert work.played < 100


def test_the_command_writes_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text((PLANTED / "leak.yaml").read_text())
    assert main(["fuzz", str(folder), "--games", "16", "--output", str(folder / "cases")]) == 1
    assert "leak: what a seat may choose tells what it can't see" in capsys.readouterr().out
    assert (
        (folder / "cases" / "fuzz-leak-1.yaml").read_text().startswith("# Found by lusory fuzz: what a seat may choose")
    )
    assert main(["test", str(folder)]) == 1
    assert "0 passed, 2 failed" in capsys.readouterr().out
    assert main(["fuzz", "tic-tac-toe", "--games", "4", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


GROWING = """
game: {id: growing, name: Growing, version: "1", language: 2, players: 2}
variables:
  age: {type: Int, start: 0}
  key: {type: Int, start: 0}
phases:
  - id: turns
    while: key = 9 or age < 12
    at_most: 1000000
    do: |
      each player:
        choose n in 1..9, prompt "Which?":
          if key < 9: set key to if n = key + 1 then n else 0
      increase age by 1
scoring: {rank: [0]}
"""


def test_a_dead_end_in_which_something_grows_is_found_where_a_game_was_left() -> None:
    """No two positions are alike there, and hardly any way from the start leads there."""
    program = checked(GROWING)
    game = Game(program, 2)
    state, answers = game.start(0), list[Any]()
    for turn in range(9):
        decision = game.decision(state)
        assert decision is not None
        answers.append(answer_of(decision, decision.options[turn]))
        state = game.apply(state, turn)
    begun = Script(Variant(2), 0, tuple(answers))
    work = Campaign(program, Variants(program, 2, {}), 1, starts=[begun])
    work.run()
    (found,) = work.found
    assert found.wrong.message == "no end within 5,000 decisions more, by the first options, the last or any"
    assert len(found.script.answers) == 9
