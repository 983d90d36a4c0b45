"""The compiled engine leaves out an overflow check exactly where it has proved that no game needs it.

In ``conformance/proofs.yaml`` the comment ``# tested`` marks each line whose code contains a check. The cases
there reach limits, so they miss a fault if a proof is wrong. A lost proof adds a check, which fails here.
"""

from __future__ import annotations

import pytest
from programs import build_program
from test_conformance import CHUNKS

from lusory.codegen.build_stages_and_ir_listing import emit
from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.lower.whole_game_ranges import analyse_game
from lusory.game import Game

CHECKS = ("raise_overflow()", "whole(")  # generated code of an overflow check


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in CHUNKS if name.startswith("proofs-")])
def test_only_unproved_lines_have_checks(name: str, kind: str) -> None:
    ruleset = CHUNKS[name].ruleset
    emission = emit(Game(build_program(ruleset), engine="compiled").setting, kind)
    lines = zip(emission.text.splitlines(), emission.places, strict=False)
    checked_lines = {place.span.line for text, place in lines if place.span and any(check in text for check in CHECKS)}

    assert checked_lines == {n for n, line in enumerate(ruleset.splitlines(), 1) if line.endswith(" # tested")}


def test_ranges_are_analysed_once_per_setting() -> None:
    options = "options: {much: {type: Int, range: 1..9, default: 1}}\n"
    program = build_program(
        'game: {id: g, name: G, version: "1", language: 2, players: 2..3}\n' + options + "scoring: {rank: [much]}\n"
        "variables: {x: {type: Int, start: much}}\n"
    )
    few, same, many, more = (
        Game(program, players, {"much": much}).setting for players, much in ((2, 1), (2, 1), (2, 9), (3, 1))
    )

    assert (
        analyse_game(few, starts_anywhere=True)
        is analyse_game(many, starts_anywhere=True)
        is not analyse_game(more, starts_anywhere=True)
    )
    assert analyse_game(few, starts_anywhere=False) is analyse_game(same, starts_anywhere=False)
    assert analyse_game(few, starts_anywhere=False).places["x", None] == (1, 1)
    assert analyse_game(many, starts_anywhere=False).places["x", None] == (9, 9)
