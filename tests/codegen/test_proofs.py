"""Where the compiled engine leaves out the test of 64 bits: where it has proved that no game needs it, and there alone.

In ``conformance/proofs.yaml`` the remark ``# tested`` stands behind each line whose text holds a test. Its cases play
to the edge behind them all: a proof of too much is a fault that is missed there, a proof that is gone a test too many.
"""

from __future__ import annotations

import pytest
from programs import checked
from test_conformance import CHUNKS

from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.lower.whole_game_ranges import analyse_game
from lusory.codegen.python_build_stages_and_ir_listing import emit
from lusory.game import Game

TESTS = ("raise_overflow()", "whole(")  # what generated text has where a number is looked at


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in CHUNKS if name.startswith("proofs-")])
def test_only_what_is_not_proved_is_tested(name: str, kind: str) -> None:
    ruleset = CHUNKS[name].ruleset
    emission = emit(Game(checked(ruleset), engine="compiled").setting, kind)
    lines = zip(emission.text.splitlines(), emission.places, strict=False)
    tested = {place.span.line for text, place in lines if place.span and any(test in text for test in TESTS)}

    assert tested == {number for number, line in enumerate(ruleset.splitlines(), 1) if line.endswith(" # tested")}


def test_it_is_searched_once_for_what_it_depends_on() -> None:
    options = "options: {much: {type: Int, range: 1..9, default: 1}}\n"
    program = checked(
        'game: {id: g, name: G, version: "1", language: 2, players: 2..3}\n' + options + "scoring: {rank: [much]}\n"
        "variables: {x: {type: Int, start: much}}\n"
    )
    few, same, many, more = (
        Game(program, players, {"much": much}).setting for players, much in ((2, 1), (2, 1), (2, 9), (3, 1))
    )

    assert (
        analyse_game(few, from_anywhere=True)
        is analyse_game(many, from_anywhere=True)
        is not analyse_game(more, from_anywhere=True)
    )
    assert analyse_game(few, from_anywhere=False) is analyse_game(same, from_anywhere=False)
    assert [analyse_game(s, from_anywhere=False).places["x", None] for s in (few, many)] == [(1, 1), (9, 9)]
