"""Masks of spaces, and what else only whole games have: they are the games of stepwise play."""

from __future__ import annotations

from random import Random

import pytest
from programs import checked, play_stepwise
from test_conformance import CHUNKS

from lusory.codegen import ir
from lusory.codegen.python_build_stages_and_ir_listing import select_module
from lusory.game import Game

WHOLE = [name for name in CHUNKS if name.rpartition("-")[0] in ("masks", "shifts", "regions", "reach", "whole_games")]


@pytest.mark.parametrize("name", WHOLE)
def test_whole_games_are_those_of_stepwise_play(name: str) -> None:
    game = Game(checked(CHUNKS[name].ruleset), engine="compiled")
    for seed in range(40):
        whole = game.playout(Random(seed).random, seed, table=True)
        count, outcome = play_stepwise(game, seed)
        assert whole[0] == count
        assert (whole[1], whole[3]) == (outcome.ranks, outcome.reason)
        assert whole[4] == tuple(values for _, values in outcome.score_columns)


def test_variables_of_spaces_have_masks_where_something_asks_for_them() -> None:
    setting = Game(checked(CHUNKS["masks-1"].ruleset)).setting
    whole, stepwise = (select_module(setting, kind).functions for kind in ("playout", "silent"))
    asked = {node.place for f in whole for node in ir.walk(f.ops) if isinstance(node, ir.SpaceMasks)}
    assert asked == {"owner", "kind", "wet", "near", "mark"}
    assert not [node for f in stepwise for node in ir.walk(f.ops) if isinstance(node, ir.SpaceMasks | ir.UpdateMasks)]


def test_a_backend_that_is_quick_with_masks_goes_through_their_bits() -> None:
    """And leaves out spaces behind which there is nothing to choose: for that it looks at other values, too."""
    setting = Game(checked(CHUNKS["candidates-1"].ruleset)).setting
    for kind in ("silent", "playout"):
        plain, quick = (_gone_through(select_module(setting, kind, marks)) for marks in (False, True))
        assert plain == []
        assert len([mask for mask in quick if isinstance(mask, ir.Binary) and mask.op == "&"]) >= 7


def _gone_through(module: ir.Module) -> list[ir.Value]:
    """The masks of the loops of a module, whose bits they go through."""
    loops = [node for f in module.functions for node in ir.walk(f.ops) if isinstance(node, ir.Loop)]
    sources = [op.source for op in loops if isinstance(op.source, ir.Primitive) and op.source.name == "select_spaces"]
    return [source.args[1] for source in sources]
