"""Test the trace of a decision: what it lists, that tracing changes nothing, and the command."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from programs import build_program, load_bundled, read_data, read_rules

from lusory.cli import main
from lusory.game import Game
from lusory.play import saves_and_journals as saves, stored_results_settings_and_dataclass_json as stored
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer, UniformPlayer
from lusory.state.decisions_outcomes_and_faults import Decision
from lusory.state.events_redaction_and_text import Event
from lusory.state.random_streams import derive_seed
from lusory.testing.statement_trace_of_one_decision import TraceStep, trace_choice, trace_start
from lusory.ui.line.test_trace_and_installation_tables import calculate_margin, render_step

DATA = read_data(__file__)

RULES = read_rules("mill")

FIRST, SECOND, LAST, CHECKED = Path(__file__).with_name("mill.txt").read_text(encoding="utf-8").split("---\n")
"""The trace of the first steps, of each decision, and of a state check that changes something."""


def create_game(text: str, engine: str = "evaluator") -> Game:
    return Game(build_program(text), engine=engine)


def list_texts(steps: list[TraceStep]) -> str:
    """Return the text of each step, without its place."""
    lines = []
    for step in steps:
        texts = [f"{'  ' * step.depth}{step.kind}: {step.text}{step.result and f' [{step.result}]'}"]
        for change in step.changes:
            note = f" (not {', '.join(change.hidden_from)})" if change.hidden_from else ""
            texts.append(f"{change.place}: {change.before} → {change.after}{note}")
        lines.append("; ".join(texts))
    return "\n".join(lines) + "\n"


def test_trace_lists_each_statement() -> None:
    game = create_game(RULES)
    first, state, _ = trace_start(game, 1)
    assert state is not None
    second, after, _ = trace_choice(game, state, 1)
    assert after is not None
    last = trace_choice(game, after, 2).steps

    assert list_texts(first) == FIRST
    assert list_texts(second) == SECOND
    assert list_texts(last) == LAST


def test_trace_lists_state_checks_with_an_effect() -> None:
    game = create_game(RULES.replace("total: {type: Int, start: 0}", "total: {type: Int, start: 2}"))
    steps = trace_choice(game, game.start(1), 0).steps

    assert list_texts(steps).count(CHECKED) == 1


CARD_RULES = DATA["card rules"]


@pytest.mark.parametrize(
    ("word", "copies", "reason"), [("when", 1, ""), ("when", 2, ""), ("instead of", 1, ", `me is this.holder` holds")]
)
def test_card_rule_applies_only_if_a_card_meets_its_condition(word: str, copies: int, reason: str) -> None:
    game = create_game(CARD_RULES.replace("WORD", word).replace("COPIES", str(copies)))
    state = game.start(1)
    first = list_texts(trace_choice(game, state, 0).steps)
    second = list_texts(trace_choice(game, game.apply(state, 0), 0).steps)

    assert f"rule: rule drum [applies{reason}]" in first and "said: dum" in first
    assert "rule: rule drum [does not apply: no card meets `me is this.holder`]" in second and "said: dum" not in second


def test_places_are_those_of_the_ruleset() -> None:
    game = create_game(RULES)
    steps = trace_choice(game, game.start(1), 1).steps
    move = next(step for step in steps if step.text.startswith("move"))

    assert move.span is not None
    assert RULES.splitlines()[move.span.line - 1].strip().startswith("else: move n sacks")
    assert f"{move.span.line} |" in render_step(move, calculate_margin(steps)).plain


def test_only_evaluator_is_traced() -> None:
    game = create_game(RULES, "compiled")
    with pytest.raises(ValueError, match="evaluator"):
        trace_choice(game, game.start(1), 0)


@pytest.mark.parametrize("name", ["empire-engine", "kuhn-poker", "engines-of-war"])
def test_tracing_changes_nothing(name: str) -> None:
    """Each position equals the one without a trace, and the steps hold every event of the log."""
    game = Game(load_bundled(name), engine="evaluator")
    state = trace_start(game, 3).state
    assert state == game.start(3)
    for n in range(12):
        decision = None if state is None else game.decision(state)
        if state is None or decision is None:
            break
        log: list[Event] = []
        option = n % len(decision.options)
        steps, after, _ = trace_choice(game, state, option)
        assert after == game.apply(state, option, log)
        texts = [step.text for step in steps if step.kind == "said"]
        assert texts == [event[1] for event in log if event[0] == "announce" and event[1]]  # nothing is announced
        assert sum(step.kind == "choice" for step in steps) == sum(event[0] == "choice" for event in log)
        state = after


# ---------------------------------------------------------------- the command

FAULTY = RULES.replace("increase total by n", "increase total by n div (n - n)")


def test_trace_ends_at_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mill.yaml"
    path.write_text(FAULTY, encoding="utf-8")
    seed = next(
        seed
        for seed in range(99)
        if UniformPlayer(derive_seed(seed, "seat 0")).pick(len(find_first_question(FAULTY).options)) == 0
    )

    assert trace(path, "--seed", seed) == 1
    output = capsys.readouterr().out
    assert output.index("increase total by n div") < output.index("The rules failed here.")
    assert "fault: division by zero\n" in output
    assert trace(path, "--seed", seed, "--format", "json") == 1
    assert "division by zero" in json.loads(capsys.readouterr().out)["fault"]


def find_first_question(text: str) -> Decision:
    """Return the first question of a game."""
    game = create_game(text)
    decision = game.decision(game.start(1))
    assert decision is not None
    return decision


@pytest.fixture
def ruleset(tmp_path: Path) -> Path:
    path = tmp_path / "mill.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


def trace(*arguments: object) -> int:
    return main(["trace", *map(str, arguments)])


def test_saved_game_is_traced_at_its_last_decision(
    ruleset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = create_game(RULES)
    match = Match(game, [ScriptedPlayer([1]), ScriptedPlayer([])], seed=1)
    match.take(1)
    path = tmp_path / "save.json"
    saves.write_save(
        saves.Save(saves.create_transcript(match), str(ruleset), ("human", "random"), ("Ann", "Bob")), path
    )
    stored.allow_paths([str(ruleset)])

    assert trace(path) == 0
    output = capsys.readouterr().out
    assert output.startswith("Mill, seed 1, decision 1: P1 `2`\n")
    assert "Store: Sacks: 6 → 4" in output
    assert output.endswith("P1 decides: How many?\n")
    assert trace(path, ruleset, "--at", 0, "--format", "json") == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["program"], data["decision"], data["next"]) == ("mill", 0, "P1 decides: How many?")
    assert data["steps"][5]["changes"] == [
        {"place": "Ace", "before": "Deck", "after": "P1's hand", "hidden_from": ["P2"]}
    ]
    assert data["steps"][5]["line"] == 28


@pytest.mark.parametrize(("arguments", "is_valid", "message"), DATA["wrong arguments are refused"])
def test_wrong_arguments_are_refused(
    ruleset: Path, arguments: list[str], is_valid: bool, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``is_valid`` is true if the command line is valid, but doesn't fit this game."""
    if is_valid:
        assert trace(ruleset, *arguments) == 2
    else:
        with pytest.raises(SystemExit, match=r"^2$"):
            trace(ruleset, *arguments)
    assert message in capsys.readouterr().err


def test_stepping_ends_when_the_reader_quits(
    ruleset: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("\nq\n"))

    assert trace(ruleset, "--at", 0, "--step") == 0
    output = capsys.readouterr().out
    assert output.count("Enter: next") == 2
    assert "— Work —" in output
    assert "by players.first" not in output
