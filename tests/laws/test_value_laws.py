"""Law of values: near the limits of Int, both engines give the same value or the same fault.

This holds step by step and in whole playouts, whatever ranges the compiler has proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import HealthCheck, assume, given, settings, strategies as st
from programs import read_data

from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

DATA = read_data(__file__)

law_settings = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

HEAD = DATA["head"]

names = ["a", "b", "c", "x", "0", "1", "2", "-1", "7", "me.d", "sack.rye", "cart.total", "field.rye"]


def combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "div", "mod"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        inner.map(lambda e: f"-({e})"),
        inner.map(lambda e: f"abs({e})"),
        inner.map(lambda e: f"changed({e})"),
        inner.map(lambda e: f"doubled({e})"),
        pair.map(lambda t: f"sum([{t[0]}, {t[1]}, -1])"),
        pair.map(lambda t: f"sum({t[0]} for i in 0..1 where i < {t[1]})"),
        pair.map(lambda t: f"sum({t[0]} * p.d for p in players)"),
        pair.map(lambda t: f"smaller({t[0]}, {t[1]})"),
        pair.map(lambda t: f"larger({t[0]}, {t[1]})"),
        pair.map(lambda t: f"max([{t[0]}, {t[1]}])"),
        st.tuples(inner, inner, inner).map(lambda t: f"(if {t[0]} < {t[1]} then {t[2]} else c)"),
    )


numbers = st.recursive(st.sampled_from([*names, "n"]), combine, max_leaves=5)
scores = st.recursive(st.sampled_from(names), combine, max_leaves=5)
places = st.sampled_from(["a", "b", "c", "x", "me.d", "players.last.d"])
statements = st.one_of(
    st.tuples(places, numbers).map(lambda t: f"set {t[0]} to {t[1]}"),
    st.tuples(places, numbers).map(lambda t: f"increase {t[0]} by {t[1]}"),
    st.tuples(places, numbers).map(lambda t: f"decrease {t[0]} by {t[1]}"),
    numbers.map(lambda e: f"shift({e})"),
    numbers.map(lambda e: f"use_up(smaller({e}, c))"),
    numbers.map(lambda e: f"let some = smaller({e}, c)\n{' ' * 10}decrease c by some"),
    st.tuples(numbers, st.permutations(["field", "sack", "cart"])).map(
        lambda t: f"move {t[0]} ryes from {t[1][0]} to {t[1][1]}"
    ),
    st.just("move all ryes from sack to cart"),
    st.tuples(numbers, numbers).map(lambda t: f"if {t[0]} > {t[1]}: set c to 2"),
    st.tuples(places, numbers).map(lambda t: f"repeat 40 times: set {t[0]} to {t[0]} + {t[1]}"),
    st.just("repeat 70 times: set c to c + c"),
    st.just("repeat 9 times: shift(x + 1)"),
    numbers.map(lambda e: f'announce "{{{e}}}"'),
)
small = st.sampled_from(["1", "2", "c", "x", "a"])


@law_settings
@given(st.lists(statements, min_size=1, max_size=5), scores, small, st.integers(0, 3))
def test_engines_agree_at_the_edge(block: list[str], score: str, rule_value: str, seed: int) -> None:
    lines = []
    for number, stmt in enumerate(block):
        lines.append(" " * 10 + stmt.replace("some", f"some_{number}_x"))
    text = HEAD.replace("BLOCK", "\n".join(lines)).replace("RULED", rule_value)
    program = check_text(text.replace("SCORED", score), Diagnostics(), "made.yaml")
    assume(program is not None)  # refused: a local name reads itself
    assert program is not None

    for expected, actual in zip(
        *(trace_game(program, engine, seed) for engine in ("evaluator", "compiled")), strict=True
    ):
        assert actual == expected
    assert play_in_one_go(program, "compiled", seed) == play_in_one_go(program, "evaluator", seed)


def trace_game(program: Program, engine: str, seed: int) -> Iterator[tuple[Any, ...]]:
    """Yield the observable state at each decision of a random game, and its end or fault."""
    game, random = Game(program, engine=engine), Random(seed)
    log: list[Any] = []
    try:
        state = game.start(seed, log)
        while (decision := game.decision(state)) is not None:
            yield list(log), state.cells[: game.layout.size]
            log.clear()
            state = game.apply(state, random.randrange(len(decision.options)), log)
        yield list(log), state.cells[: game.layout.size], game.outcome(state)
    except RulesetFault as fault:
        yield fault.message, str(fault.span), fault.trail, fault.position


def play_in_one_go(program: Program, engine: str, seed: int) -> tuple[Any, ...]:
    """Return the outcome of a playout, or its fault."""
    try:
        return tuple(Game(program, engine=engine).playout(Random(seed).random, seed))
    except RulesetFault as fault:
        return fault.message, str(fault.span), fault.trail
