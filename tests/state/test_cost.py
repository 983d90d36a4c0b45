"""Test the cost model: work that the text of rules can cause is charged, equal on both engines, and limited."""

from __future__ import annotations

from random import Random

import pytest
from programs import build_program, load_bundled, read_data

from lusory.game import ENGINES, Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.flattened_phases import iterate_phases, iterate_program_statements
from lusory.state.static_work_charges_and_list_bounds import Charges, Lengths, Limits, Weights
from lusory_dsl import core
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

RULES = DATA["rules"]


def build_rules(setup: str) -> core.Program:
    return build_program(RULES.format(setup=setup.replace("\n", "\n  ")))


def measure_setup(setup: str) -> int:
    """Return the charge for the setup before its first decision."""
    rules = build_rules(setup)
    return Charges(rules, 2).blocks[rules.setup.body[0]].work


# ---------------------------------------------------------------- the work of a text


@pytest.mark.parametrize(("setup", "work"), DATA["work is computed from the text"])
def test_work_is_computed_from_the_text(setup: str, work: int) -> None:
    assert measure_setup(setup) == work


def test_every_statement_and_expression_has_a_weight() -> None:
    rules = build_rules("for each i in 1..3 where n > i: set n to larger(n, i)")
    weights = Weights(rules, 2)
    assert all(weights.compute_statement_work(statement) > 0 for statement in iterate_program_statements(rules))


@pytest.mark.parametrize(("last", "is_short"), [(3, True), (1000, False)])
def test_players_of_a_long_range_can_repeat(last: int, is_short: bool) -> None:
    rules = build_program(DATA["players of a range"].replace("LAST", str(last)))
    (read,) = (node for node in core.walk(rules.queries["seats"].value) if isinstance(node, core.ReadCell))
    assert (Lengths(rules, 2).bound_length(read) == 2) is is_short


def test_weights_are_bounded() -> None:
    queries = "".join(f"  q{k}: {{value: q{k - 1} * q{k - 1}}}\n" for k in range(1, 60))
    rules = build_program(DATA["weights are bounded"].replace("QUERIES\n", queries))
    for engine in ENGINES:
        with pytest.raises(RulesetFault, match="4,000,000 steps without"):
            Game(rules, 2, engine=engine).start(1)
    with pytest.raises(RulesetFault, match="4,000,000 steps without"):
        Game(rules, 2).playout(Random(1).random, 1)


# ---------------------------------------------------------------- limits, on every engine


def play_to_outcome(rules: core.Program, limits: Limits, engine: str) -> str:
    game = Game(rules, 2, engine=engine, limits=limits)
    try:
        state = game.start(1)
        while (decision := game.decision(state)) is not None:
            assert decision.options
            state = game.apply(state, 0)
    except RulesetFault as fault:
        assert fault.span is not None
        return f"{fault.span}: {fault.message}"
    return "no fault"


@pytest.mark.parametrize(("setup", "limit", "words"), DATA["limits"])
def test_exceeded_limit_is_a_fault_with_its_place(setup: str, limit: dict[str, int], words: str) -> None:
    rules, limits = build_rules(setup), Limits(**limit)
    outcomes = [play_to_outcome(rules, limits, engine) for engine in ENGINES]
    for outcome in outcomes:
        assert words in outcome
        assert outcome.startswith("rules.yaml:")
    # the engines may report different parts of an expression
    if "visits" not in limit:
        assert len(set(outcomes)) == 1
    with pytest.raises(RulesetFault, match=words):
        Game(rules, 2, limits=limits).playout(Random(1).random, 1)
    assert {play_to_outcome(rules, Limits(), engine) for engine in ENGINES} == {"no fault"}


def test_decision_resets_the_count() -> None:
    loop = "for each i in 1..101: set n to 3"
    ask = "by players.first:\n  choose x in [1, 2]:\n    set n to x"
    limits = Limits(decision=800)
    assert play_to_outcome(build_rules(f"{loop}\n{ask}\n{ask}"), limits, "compiled") == "no fault"
    for engine in ENGINES:
        assert "800 steps" in play_to_outcome(build_rules(f"{loop}\n{loop}\n{ask}"), limits, engine)


def test_skipped_blocks_cost_little() -> None:
    """The text allows 2**24 passes, but each loop runs its body for only one of two values, so there are 48."""
    loops = "".join(f"{'  ' * i}for each i{i} in 1..2 where i{i} = 1:\n" for i in range(24))
    rules = build_rules(f"{loops}{'  ' * 24}set n to 1")
    for engine in ENGINES:
        assert play_to_outcome(rules, Limits(decision=200_000), engine) == "no fault"


def test_decision_in_an_effect_resets_the_count() -> None:
    """The cost that is certain before a decision ends there, even if an effect makes the decision."""
    rules = build_program(DATA["decision in an effect resets the count"])
    for engine in ENGINES:
        assert play_to_outcome(rules, Limits(decision=3_000), engine) == "no fault"


@pytest.mark.parametrize(
    "setup", ["repeat n times: set n to 1", "repeat 3 - 5 times: set n to 1", "for each i in 1..n: set n to 1"]
)
def test_loop_of_unknown_length_has_no_certain_cost(setup: str) -> None:
    for engine in ENGINES:
        assert play_to_outcome(build_rules(setup), Limits(), engine) == "no fault"


def test_state_holds_the_work_so_far() -> None:
    rules = build_rules("for each i in 1..150: set n to i")
    work = []
    for engine in ENGINES:
        game = Game(rules, 2, engine=engine)
        state = game.start(1)
        after = game.apply(state, 1)
        work.append((state.cells[game.layout.work], after.cells[game.layout.work]))
    assert work[0] == work[1]
    assert 0 < work[0][0] < work[0][1]


def test_listing_options_does_not_change_the_state() -> None:
    game = Game(build_rules("by players.first:\n  choose x in 1..n * 8, y in 1..n * 9:\n    set n to x"), 2)
    state = game.start(1)
    before = state.to_json()
    decision = game.decision(state)
    assert decision is not None
    assert len(tuple(decision.options)) == 24 * 27
    assert state.to_json() == before


def test_fault_names_the_largest_sizes() -> None:
    rules = build_program(DATA["fault names the largest sizes"])
    for engine in ENGINES:
        with pytest.raises(RulesetFault) as caught:
            Game(rules, 2, engine=engine, limits=Limits(visits=10_000)).start(1)
        assert caught.value.message.endswith("(longest lists: seen 300)")
        assert caught.value.trail == ("main", "pairs")


# ---------------------------------------------------------------- what is made of a text stays small


def test_nested_loops_generate_a_limited_amount_of_code() -> None:
    """Each of eight queries sums ten values of the one before. Inlining them all would give 10**8 terms."""
    queries = "".join(
        f"  q{k}: {{params: {{x: E}}, value: 'sum(q{k - 1}(y) + val[x] for y in E)'}}\n" for k in range(1, 9)
    )
    rules = build_program(DATA["nested loops"].replace("QUERIES\n", queries))
    for engine in ENGINES:
        with pytest.raises(RulesetFault, match="500,000 list items"):
            Game(rules, 2, engine=engine).start(1)


@pytest.mark.parametrize("name", sorted(find_bundled_rulesets()))
def test_costs_do_not_depend_on_the_order_of_requests(name: str) -> None:
    """The evaluator computes costs when an effect begins. The compiled engine computes all of them at once."""
    program = load_bundled(name)
    all_at_once, one_by_one = (Charges(program, program.min_players) for _ in range(2))
    for effect in reversed(program.effects.values()):
        one_by_one.charge_effect(effect)
    for phase in reversed(list(iterate_phases(program))):
        one_by_one.charge_phase(phase)
    assert one_by_one.block_charges == all_at_once.blocks
