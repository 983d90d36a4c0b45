"""Both engines and all builds play blocks, phases and choices at the nesting limit. One more level is refused."""

from __future__ import annotations

from random import Random

import pytest
from generated import find_problems
from programs import build_program, play_stepwise, read_data
from test_conformance import CHUNKS, trace_game

from lusory.codegen.build_stages_and_ir_listing import emit
from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.lower import calls_rules_and_modifiers
from lusory.codegen.python.runtime import make_namespace
from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_text
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.nesting_limits import MAX_BLOCK_DEPTH, MAX_CHOICE_VARIABLES, MAX_PHASE_DEPTH

DATA = read_data(__file__)

GAME = DATA["game"]


def write_rules(block: str) -> str:
    return f"{GAME}phases:\n  - id: go\n    do: |\n{block}scoring: {{rank: [big]}}\n"


BLOCKS = {
    **DATA["blocks"],
    "stop": ["for each x# in 1..heap where x# < 3:", *["if heap > # mod 5:"] * (MAX_BLOCK_DEPTH - 2)],
}
BODIES = DATA["bodies"]


def nest_blocks(heads: list[str], body: list[str], depth: int) -> str:
    lines = [f"{'  ' * i}{heads[i % len(heads)].replace('#', str(i))}" for i in range(depth)]
    return "".join(f"      {line}\n" for line in [*lines, *("  " * depth + line for line in body)])


@pytest.mark.parametrize(
    ("heads", "body"),
    [(heads, body) for i, heads in enumerate(BLOCKS) for j, body in enumerate(BODIES) if (j - i) % len(BODIES) < 2],
)
def test_blocks_can_be_nested_up_to_the_limit(heads: str, body: str) -> None:
    if body == "stop" and not {"for ", "repe"} & {head[:4] for head in BLOCKS[heads]}:
        return  # there is no loop to stop
    depth = MAX_BLOCK_DEPTH - 2 * (body in ("ask", "end"))
    program = build_program(write_rules(nest_blocks(BLOCKS[heads], BODIES[body], depth)))
    assert_engines_agree(program)


def test_one_more_block_is_refused() -> None:
    assert find_nesting_error(write_rules(nest_blocks(BLOCKS["if"], BODIES["count"], MAX_BLOCK_DEPTH))) is None
    error = find_nesting_error(write_rules(nest_blocks(BLOCKS["if"], BODIES["count"], MAX_BLOCK_DEPTH + 1)))
    assert error == (8 + MAX_BLOCK_DEPTH, f"blocks are nested more than {MAX_BLOCK_DEPTH} deep")


def nest_phases(depth: int, inner: str) -> str:
    lines = []
    for i in range(depth):
        lines += [f"{'    ' * i}  - id: p{i}", f"{'    ' * i}    while: big < {3 + i}", f"{'    ' * i}    at_most: 9"]
        lines += [f"{'    ' * i}    phases:" if i < depth - 1 else f"{'    ' * i}    do: |\n"]
    block = "".join(f"{'    ' * depth}{line}\n" for line in inner.splitlines())
    return f"{GAME}phases:\n" + "\n".join(lines) + block + "scoring: {rank: [big]}\n"


@pytest.mark.parametrize("heads", ["for", "if", "stop", "mixed"])
def test_phases_can_be_nested_up_to_the_limit(heads: str) -> None:
    block = nest_blocks(BLOCKS[heads], BODIES["count"], MAX_BLOCK_DEPTH) + "      increase big by 1\n"
    assert_engines_agree(build_program(nest_phases(MAX_PHASE_DEPTH, block)))


def test_one_more_phase_is_refused() -> None:
    assert find_nesting_error(nest_phases(MAX_PHASE_DEPTH, "      increase big by 1")) is None
    error = find_nesting_error(nest_phases(MAX_PHASE_DEPTH + 1, "      increase big by 1"))
    assert error is not None and error[1] == f"phases are nested more than {MAX_PHASE_DEPTH} deep"
    text = nest_phases(MAX_PHASE_DEPTH + 1, "      increase big by 1")
    phases = text.partition("phases:\n")[2].partition("scoring")[0]
    second = phases.replace("id: p", "id: q")
    assert find_nesting_error(text.replace("scoring", second + "scoring")) == error  # only the first is reported


def write_choice(number: int) -> str:
    names = ", ".join(f"a{i} in {'1..2' if i < 2 else f'a{i - 1}..a{i - 1}'}" for i in range(number))
    return f"by players.first:\n        choose {names}: increase big by a1"


def test_choices_have_up_to_the_limit_of_variables() -> None:
    assert_engines_agree(build_program(write_rules(f"      {write_choice(MAX_CHOICE_VARIABLES)}\n")))
    error = find_nesting_error(write_rules(f"      {write_choice(MAX_CHOICE_VARIABLES + 1)}\n"))
    assert error is not None and error[1] == f"more than {MAX_CHOICE_VARIABLES} things are chosen at once"


def find_nesting_error(text: str) -> tuple[int, str] | None:
    """Return the line and message of the diagnostic about nesting, or None."""
    diagnostics = Diagnostics()
    check_text(text, diagnostics, "deep.yaml")
    errors = (error for error in diagnostics.list_sorted() if error.span and error.code is diagnostic_codes.TOO_DEEP)
    return next(((error.span.line, error.message) for error in errors), None)


def assert_engines_agree(program: Program) -> None:
    """Check that both engines play the same games, and that playouts equal stepwise play."""
    game = Game(program, engine="compiled")
    for kind in KINDS:
        assert not find_problems(emit(game.setting, kind).text, make_namespace(game.setting, ()))
    for seed in range(2):
        oracle_trace, compiled_trace = (list(trace_game(program, engine, seed)) for engine in ("evaluator", "compiled"))
        assert compiled_trace == oracle_trace
        assert play_out(game, seed) == play_steps(game, seed)


def play_out(game: Game, seed: int) -> object:
    try:
        decisions, ranks, _, reason, _ = game.playout(Random(seed).random, seed)
    except RulesetFault as fault:
        return fault.message, fault.span, fault.trail
    return decisions, ranks, reason


def play_steps(game: Game, seed: int) -> object:
    try:
        count, outcome = play_stepwise(game, seed)
    except RulesetFault as fault:
        return fault.message, fault.span, fault.trail
    return count, outcome.ranks, outcome.reason


@pytest.mark.parametrize("name", CHUNKS)
def test_routines_mean_the_same_as_inlined_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_rules_and_modifiers, "MAX_INDENTATION", 0)
    monkeypatch.setattr(calls_rules_and_modifiers, "MAX_NESTED_LOOPS", 0)
    program = build_program(CHUNKS[name].ruleset)
    assert list(trace_game(program, "compiled", 1)) == list(trace_game(program, "evaluator", 1))


SUMS = "".join(f"sum(k{i} + " for i in range(20)) + "heap" + "".join(f" for k{i} in 1..2)" for i in reversed(range(20)))
NESTED_LOOPS = nest_blocks(["for each x# in [1, 2]:"], BODIES["count"], MAX_BLOCK_DEPTH)


@pytest.mark.parametrize("block", [NESTED_LOOPS, f"      set big to {SUMS}\n"], ids=["loops", "sums"])
def test_unrolling_of_nested_loops_is_limited(block: str) -> None:
    """Unrolling forty nested loops over two items, or twenty sums, would double the code with each level."""
    setting = Game(build_program(write_rules(block)), engine="compiled").setting
    assert all(len(emit(setting, kind).text) < 100_000 for kind in KINDS)
