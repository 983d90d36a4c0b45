"""Test the limit on nested calls: cycles and long chains, for every kind of routine."""

from __future__ import annotations

import pytest

from lusory.game import ENGINES, Game
from lusory_dsl import core
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

RULESET = """\
game: {id: g, name: G, version: "1", language: 2, players: 1}
variables: {a: {type: Int, start: 1}}
phases: [{id: p, do: MOVE}]
scoring: {rank: [a]}
"""


def create_queries(links: list[str]) -> str:
    """Return queries f0, f1, … with the given values."""
    return "queries:\n" + "".join(f"  f{i}: {{value: {link}}}\n" for i, link in enumerate(links))


def create_effects(links: list[str]) -> str:
    return "effects:\n" + "".join(f"  f{i}: {{do: {link}}}\n" for i, link in enumerate(links))


def create_card_queries(links: list[str]) -> str:
    members = "".join(f"      f{i}: {{value: {link}}}\n" for i, link in enumerate(links))
    return f"components:\n  Card:\n    queries:\n{members}cards: {{ace: {{kind: Card}}}}\n"


def create_rules(links: list[str]) -> str:
    """Return queries with a `while` rule each that sets the value of the query."""
    plain = create_queries(["a"] * len(links))
    return (
        plain
        + "rules:\n"
        + "".join(f"  r{i}: {{rule: 'while a > 0: f{i} is {link}'}}\n" for i, link in enumerate(links))
    )


def create_state_checks(links: list[str]) -> str:
    return create_effects(links) + "rules:\n  check: {rule: 'whenever a > 5: f0()'}\n"


KINDS = {
    "queries": (create_queries, "set a to f0", "f{}", "a"),
    "effects": (create_effects, "f0()", "f{}()", "set a to 1"),
    "queries of cards": (create_card_queries, "set a to ace.f0", "this.f{}", "a"),
    "rules": (create_rules, "set a to f0", "f{}", "a"),
    "state checks": (create_state_checks, "f0()", "f{}()", "set a to 1"),
}


def check_chain(kind: str, n: int, is_ring: bool) -> tuple[core.Program | None, list[str]]:
    """Check a chain or a cycle of ``n`` routines. Return the program, or None, and the codes of the errors."""
    make, move, call, end = KINDS[kind]
    links = [call.format(i + 1) for i in range(n - 1)] + [call.format(0) if is_ring else end]
    diagnostics = Diagnostics()
    program = check_text(RULESET.replace("MOVE", move) + make(links), diagnostics)
    return program, [error.code.id for error in diagnostics.list_sorted() if error.severity == "error"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 40, 1500])
def test_cycle_of_calls_is_reported(kind: str, n: int) -> None:
    program, codes = check_chain(kind, n, is_ring=True)

    assert program is None
    assert "E0601" in codes
    assert set(codes) <= {"E0601", "E0314"}
    assert len(codes) <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_chain_of_calls_has_a_limit(kind: str) -> None:
    program, codes = check_chain(kind, 60, is_ring=False)

    assert (codes, program is not None) == ([], True)
    assert check_chain(kind, 1500, is_ring=False) == (None, ["E0314"])


def test_too_long_chain_is_named_after_its_first_query_behind_a_member_declared_twice() -> None:
    queries = create_card_queries(["2", *(f"1 + this.f{i}" for i in range(2, 200)), "1"])
    diagnostics = Diagnostics()
    check_text(
        RULESET.replace("MOVE", "set a to 1")
        + queries.replace("cards:", "    effects: {f0: {do: set a to 1}}\ncards:"),
        diagnostics,
    )
    errors = {error.code.id: error.message for error in diagnostics.list_sorted() if error.severity == "error"}

    assert errors["E0314"].startswith("the query `Card.f1` is nested")
    assert len(errors) == 2


def test_question_about_a_card_in_deep_actions_is_reported() -> None:
    """The chain of calls begins with no query."""
    heads = "".join(f"{' ' * (i + 4)}if true:\n" for i in range(39))
    moves = [*(f"take action a{i}" for i in range(1, 8)), "if any(c can bloom for c in deck): set a to 2"]
    actions = "".join(f"  a{i}:\n   do: |\n{heads}{' ' * 43}{move}\n" for i, move in enumerate(moves))
    diagnostics = Diagnostics()
    check_text(
        RULESET.replace("MOVE", "'by players.first: take action a0'")
        + "components: {Card: {actions: {bloom: {label: bloom}}}}\nzones: {deck: {holds: Card, start: all Card}}\n"
        + f"cards: {{ace: {{kind: Card, actions: {{bloom: {{do: set a to 2}}}}}}}}\nactions:\n{actions}",
        diagnostics,
    )
    errors = [error.message for error in diagnostics.list_sorted() if error.severity == "error"]

    assert errors == ["the query `Card.can bloom` is nested more than 250 deep, together with what it calls"]


@pytest.mark.parametrize("kind", KINDS)
def test_long_chain_plays_alike_on_both_engines(kind: str) -> None:
    program, _ = check_chain(kind, 240, is_ring=False)

    assert program is not None
    games = [Game(program, engine=engine) for engine in ENGINES]
    assert [game.start().cells[0] for game in games] == [1, 1]
    assert [game.playout(lambda: 0.5).decisions for game in games] == [0, 0]
