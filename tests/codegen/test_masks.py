"""Playouts use bit masks of spaces, and are the same games as stepwise play."""

from __future__ import annotations

from random import Random

import pytest
from programs import build_program, play_stepwise
from test_conformance import CHUNKS

from lusory.codegen import ir
from lusory.codegen.build_stages_and_ir_listing import select_module
from lusory.game import Game

FILES = ("masks", "shifts", "regions", "reach", "whole_games")


@pytest.mark.parametrize("name", [name for name in CHUNKS if name.rpartition("-")[0] in FILES])
def test_playouts_equal_stepwise_play(name: str) -> None:
    game = Game(build_program(CHUNKS[name].ruleset), engine="compiled")
    for seed in range(40):
        playout = game.playout(Random(seed).random, seed, table=True)
        count, outcome = play_stepwise(game, seed)
        assert playout[0] == count
        assert (playout[1], playout[3]) == (outcome.ranks, outcome.reason)
        assert playout[4] == tuple(values for _, values in outcome.score_columns)


def test_playouts_have_masks_of_the_variables_that_need_them() -> None:
    setting = Game(build_program(CHUNKS["masks-1"].ruleset)).setting
    playout, stepwise = (
        [node for function in select_module(setting, kind).functions for node in ir.walk(function.ops)]
        for kind in ("playout", "silent")
    )
    places = {node.place for node in playout if isinstance(node, ir.SpaceMasks)}
    assert places == {"owner", "kind", "wet", "near", "mark"}
    assert not [node for node in stepwise if isinstance(node, ir.SpaceMasks | ir.UpdateMasks)]


def test_loops_iterate_over_the_bits_of_masks_if_the_backend_prefers_them() -> None:
    """The loops also skip spaces that lead to no option, by combining the masks of several variables."""
    setting = Game(build_program(CHUNKS["candidates-1"].ruleset)).setting
    for kind in ("silent", "playout"):
        without_marks, with_marks = (_list_loop_masks(select_module(setting, kind, marks)) for marks in (False, True))
        assert without_marks == []
        assert len([mask for mask in with_marks if isinstance(mask, ir.Binary) and mask.op == "&"]) >= 4


def _list_loop_masks(module: ir.Module) -> list[ir.Value]:
    """Return the masks whose bits the loops of a module iterate over."""
    loops = [node for function in module.functions for node in ir.walk(function.ops) if isinstance(node, ir.Loop)]
    sources = [op.source for op in loops if isinstance(op.source, ir.Primitive) and op.source.name == "select_spaces"]
    return [source.args[1] for source in sources]
