"""Saves of random games can be read, and the games go on from them."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, strategies as st
from test_game_laws import drawn_game, every_ruleset, few

from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.play.recorded_game_data_and_replay import find_picks, read_data
from lusory.play.saves_and_journals import Save, create_transcript


def played_for_a_while(data: st.DataObject, ruleset: Path) -> Match:
    game, seed, random = drawn_game(data, ruleset, "compiled")
    match = Match(game, [create_bot("random", seed, seat) for seat in range(game.players)], seed)
    steps = random.randrange(60)
    while match.decision is not None and len(match.turns) < steps:
        match.step()
    return match


@every_ruleset
@few
@given(st.data())
def test_every_save_can_be_read_and_goes_on(ruleset: Path, data: st.DataObject) -> None:
    match = played_for_a_while(data, ruleset)
    kinds, names = ("random",) * match.game.players, tuple(f"Player {seat}" for seat in range(match.game.players))
    save = Save(create_transcript(match), str(ruleset), kinds, names)
    again = Save.from_data(read_data(json.dumps(save.to_json()), "x"))
    assert again == save
    assert Match(match.game, match.players, match.seed, find_picks(match.game, again.transcript)).state == match.state
