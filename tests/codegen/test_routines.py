"""Large effects and queries with several calls are compiled once, as routines, and mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import build_program, is_large, load_bundled, read_data, read_rules

from lusory.codegen.build_stages_and_ir_listing import emit
from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.lower import lowerer_with_constant_folding_and_inlining
from lusory.codegen.lower.lowered_nodes_and_common_subexpressions import (
    MAX_SEARCHED_SIZE,
    LetIn,
    can_bind_at_first_read,
    eliminate_common_subexpressions,
)
from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.random_streams import make_choice_source
from lusory.state.state import State
from lusory.testing.engine_comparison import create_engine_pair, find_difference
from lusory_dsl import core, load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.source.source import Source, Span
from lusory_dsl.types.types import INT

DATA = read_data(__file__)

LAYER = """
  q{i}: {{params: {{n: Int}}, value: "if q{below}(n + 1) > q{below}(n + 2) then q{below}(n * 2) else n - {i}"}}
"""
STEP = DATA["step"]
RULESET = DATA["ruleset"]


def write_layers(folder: Path, layers: int) -> Path:
    """Write a ruleset with layers of effects and queries, each of which calls the one below several times."""
    indices = range(1, layers)
    text = RULESET.format(
        queries="".join(LAYER.format(i=i, below=i - 1).lstrip("\n") for i in indices),
        effects="".join(STEP.format(i=i, below=i - 1).lstrip("\n") for i in indices),
        top=layers - 1,
    )
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_code_grows_linearly_with_the_ruleset(tmp_path: Path, kind: str) -> None:
    sizes = []
    for layers in (7, 14, 21):
        program = load_program(write_layers(tmp_path / str(layers), layers))
        sizes.append(len(emit(Game(program).setting, kind).text))
    assert sizes[2] - sizes[1] < 1.5 * (sizes[1] - sizes[0])


def test_layers_of_routines_play_like_the_evaluator(tmp_path: Path) -> None:
    games = create_engine_pair(load_program(write_layers(tmp_path / "few", 6)), 2)
    for seed in range(4):
        assert find_difference(games, seed, json_interval=1 - seed % 2) is None


DECISIONS = 150  # a ruleset has been compared enough after this many decisions
SMALL_RULESETS = [name for name in find_bundled_rulesets() if not is_large(name)][::2]  # a large ruleset takes a minute


@pytest.mark.parametrize("name", SMALL_RULESETS)
def test_rulesets_can_be_played_with_routines_only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowerer_with_constant_folding_and_inlining, "SHARE_SIZE", 0)
    monkeypatch.setattr(lowerer_with_constant_folding_and_inlining, "SHARE_USES", 1)
    games = create_engine_pair(load_program(find_bundled_rulesets()[name]), load_bundled(name).max_players)
    decisions = 0
    for seed in range(3):
        assert find_difference(games, seed, json_interval=20) is None  # stepwise and as a playout
        decisions += games[1].playout(make_choice_source(seed), seed).decisions
        if decisions > DECISIONS:
            break


FAULTY = read_rules("far")


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_fault_in_a_routine_has_its_trail(is_shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_shared:
        monkeypatch.setattr(lowerer_with_constant_folding_and_inlining, "SHARE_SIZE", 0)
        monkeypatch.setattr(lowerer_with_constant_folding_and_inlining, "SHARE_USES", 1)
    program = build_program(FAULTY, "far.yaml")
    for engine in ("evaluator", "compiled"):
        game = Game(program, 2, engine=engine)
        state = game.start(1)
        for _ in range(3):
            state = game.apply(State.from_json(state.to_json()), 1)
        with pytest.raises(RulesetFault) as problem:
            game.apply(state, 0)
        assert problem.value.message == "division by zero"
        assert problem.value.trail == ("round", "late", "outer", "inner")


DUEL = DATA["duel"]


@pytest.mark.parametrize("engine", ["evaluator", "compiled"])
def test_a_fault_in_a_helper_of_a_routine_names_the_routine_once(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The conditions of a window's responses are compiled to helper functions that no rule names."""
    for name, value in (("SHARE_SIZE", 0), ("SHARE_USES", 1)):
        monkeypatch.setattr(lowerer_with_constant_folding_and_inlining, name, value)
    with pytest.raises(RulesetFault, match="it has no last item") as problem:
        Game(build_program(DUEL, "duel.yaml"), engine=engine).start(1)
    assert problem.value.trail == ("setup", "duel")


def test_common_subexpressions_of_very_large_expressions_are_not_searched() -> None:
    """The search takes quadratic time, which would be minutes for a large expression."""
    span = Span(Source("t", ""), 0, 0)
    local = core.Local(INT, span, 1, "n")
    product = core.Binary(INT, span, "*", core.Binary(INT, span, "+", local, local), local)

    def repeat(times: int) -> core.Expr:
        expression: core.Expr = product
        for _ in range(times):
            expression = core.Binary(INT, span, "-", expression, expression)
        return expression

    assert isinstance(eliminate_common_subexpressions(repeat(1), lambda name, type: 2), LetIn)
    assert (
        eliminate_common_subexpressions(large := repeat(MAX_SEARCHED_SIZE.bit_length()), lambda name, type: 2) is large
    )


def test_a_local_is_bound_only_if_it_is_read() -> None:
    local = core.Local(INT, Span(Source("t", ""), 0, 0), 1, "n")
    assert can_bind_at_first_read(local, 1)
    assert not can_bind_at_first_read(local, 2)
