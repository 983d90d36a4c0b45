"""Blocks, phases and choices as deep as they may be: both engines and all builds play them; one more is refused."""

from __future__ import annotations

from random import Random

import pytest
from generated import complaints
from programs import checked, play_stepwise, read_data
from test_conformance import CHUNKS, trace

from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.lower import calls_rules_and_modifiers
from lusory.codegen.python.runtime import make_namespace
from lusory.codegen.python_build_stages_and_ir_listing import emit
from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_text
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.nesting_limits import MAX_BLOCK_DEPTH, MAX_CHOICE_VARIABLES, MAX_PHASE_DEPTH

DATA = read_data(__file__)

GAME = DATA["game"]


def rules(block: str) -> str:
    return f"{GAME}phases:\n  - id: go\n    do: |\n{block}scoring: {{rank: [big]}}\n"


BLOCKS = {
    **DATA["blocks 2"],
    "stop": ["for each x# in 1..heap where x# < 3:", *["if heap > # mod 5:"] * (MAX_BLOCK_DEPTH - 2)],
}
LAST = DATA["last"]


def nested(heads: list[str], last: list[str], depth: int) -> str:
    lines = [f"{'  ' * i}{heads[i % len(heads)].replace('#', str(i))}" for i in range(depth)]
    return "".join(f"      {line}\n" for line in [*lines, *("  " * depth + line for line in last)])


@pytest.mark.parametrize(
    ("heads", "last"),
    [(heads, last) for i, heads in enumerate(BLOCKS) for j, last in enumerate(LAST) if (j - i) % len(LAST) < 2],
)
def test_blocks_are_played_as_deep_as_they_may_be(heads: str, last: str) -> None:
    if last == "stop" and not {"for ", "repe"} & {head[:4] for head in BLOCKS[heads]}:
        return  # no loop to leave
    depth = MAX_BLOCK_DEPTH - 2 * (last in ("ask", "end"))
    program = checked(rules(nested(BLOCKS[heads], LAST[last], depth)))
    plays_alike(program)


def test_one_more_block_is_refused() -> None:
    assert refusal(rules(nested(BLOCKS["if"], LAST["count"], MAX_BLOCK_DEPTH))) is None
    found = refusal(rules(nested(BLOCKS["if"], LAST["count"], MAX_BLOCK_DEPTH + 1)))
    assert found == (8 + MAX_BLOCK_DEPTH, f"blocks are nested more than {MAX_BLOCK_DEPTH} deep")


def phased(depth: int, inner: str) -> str:
    lines = []
    for i in range(depth):
        lines += [f"{'    ' * i}  - id: p{i}", f"{'    ' * i}    while: big < {3 + i}", f"{'    ' * i}    at_most: 9"]
        lines += [f"{'    ' * i}    phases:" if i < depth - 1 else f"{'    ' * i}    do: |\n"]
    block = "".join(f"{'    ' * depth}{line}\n" for line in inner.splitlines())
    return f"{GAME}phases:\n" + "\n".join(lines) + block + "scoring: {rank: [big]}\n"


@pytest.mark.parametrize("heads", ["for", "if", "stop", "mixed"])
def test_phases_are_played_as_deep_as_they_may_be(heads: str) -> None:
    program = checked(
        phased(MAX_PHASE_DEPTH, nested(BLOCKS[heads], LAST["count"], MAX_BLOCK_DEPTH) + "      increase big by 1\n")
    )
    plays_alike(program)


def test_one_more_phase_is_refused() -> None:
    assert refusal(phased(MAX_PHASE_DEPTH, "      increase big by 1")) is None
    found = refusal(phased(MAX_PHASE_DEPTH + 1, "      increase big by 1"))
    assert found is not None and found[1] == f"phases are nested more than {MAX_PHASE_DEPTH} deep"
    text = phased(MAX_PHASE_DEPTH + 1, "      increase big by 1")
    phases = text.partition("phases:\n")[2].partition("scoring")[0]
    assert refusal(text.replace("scoring", phases.replace("id: p", "id: q") + "scoring")) == found  # the first is named


def chosen(number: int) -> str:
    names = ", ".join(f"a{i} in {'1..2' if i < 2 else f'a{i - 1}..a{i - 1}'}" for i in range(number))
    return f"by players.first:\n        choose {names}: increase big by a1"


def test_choices_name_as_much_as_they_may() -> None:
    plays_alike(checked(rules(f"      {chosen(MAX_CHOICE_VARIABLES)}\n")))
    found = refusal(rules(f"      {chosen(MAX_CHOICE_VARIABLES + 1)}\n"))
    assert found is not None and found[1] == f"more than {MAX_CHOICE_VARIABLES} things are chosen at once"


def refusal(text: str) -> tuple[int, str] | None:
    """Line and words of what is too deep."""
    diagnostics = Diagnostics()
    check_text(text, diagnostics, "deep.yaml")
    return next(
        ((d.span.line, d.message) for d in diagnostics.list_sorted() if d.span and d.code is diagnostic_codes.TOO_DEEP),
        None,
    )


def plays_alike(program: Program) -> None:
    """Both engines pass through the same, and playouts are the games of stepwise play."""
    game = Game(program, engine="compiled")
    for kind in KINDS:
        assert not complaints(emit(game.setting, kind).text, make_namespace(game.setting, ()))
    for seed in range(2):
        evaluated, compiled = (list(trace(program, engine, seed)) for engine in ("evaluator", "compiled"))
        assert compiled == evaluated
        assert whole(game, seed) == stepwise(game, seed)


def whole(game: Game, seed: int) -> object:
    try:
        decisions, ranks, _, reason, _ = game.playout(Random(seed).random, seed)
    except RulesetFault as fault:
        return fault.message, fault.span, fault.trail
    return decisions, ranks, reason


def stepwise(game: Game, seed: int) -> object:
    try:
        count, outcome = play_stepwise(game, seed)
    except RulesetFault as fault:
        return fault.message, fault.span, fault.trail
    return count, outcome.ranks, outcome.reason


@pytest.mark.parametrize("name", CHUNKS)
def test_what_is_a_routine_of_its_own_means_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_rules_and_modifiers, "MAX_INDENTATION", 0)
    monkeypatch.setattr(calls_rules_and_modifiers, "MAX_NESTED_LOOPS", 0)
    program = checked(CHUNKS[name].ruleset)
    assert list(trace(program, "compiled", 1)) == list(trace(program, "evaluator", 1))


SUMS = "".join(f"sum(k{i} + " for i in range(20)) + "heap" + "".join(f" for k{i} in 1..2)" for i in reversed(range(20)))


LOOPS = nested(["for each x# in [1, 2]:"], LAST["count"], MAX_BLOCK_DEPTH)


@pytest.mark.parametrize("block", [LOOPS, f"      set big to {SUMS}\n"], ids=["loops", "sums"])
def test_what_goes_through_known_items_is_not_written_out_without_end(block: str) -> None:
    """Two items in forty loops in one another, or twenty sums: the text would double with each."""
    setting = Game(checked(rules(block)), engine="compiled").setting
    assert all(len(emit(setting, kind).text) < 100_000 for kind in KINDS)
