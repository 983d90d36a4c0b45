"""Law of saves: every save of a random game can be read, and the game continues from it."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, strategies as st
from test_game_laws import draw_game, every_ruleset, few_examples

from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.play.recorded_game_data_and_replay import find_picks, read_data
from lusory.play.saves_and_journals import Save, create_transcript


def play_a_while(data: st.DataObject, ruleset: Path) -> Match:
    game, seed, random = draw_game(data, ruleset, "compiled")
    match = Match(game, [create_bot("random", seed, seat) for seat in range(game.players)], seed)
    steps = random.randrange(60)
    while match.decision is not None and len(match.turns) < steps:
        match.step()
    return match


@every_ruleset
@few_examples
@given(st.data())
def test_a_game_continues_from_its_save(ruleset: Path, data: st.DataObject) -> None:
    match = play_a_while(data, ruleset)
    players, names = ("random",) * match.game.players, tuple(f"Player {seat}" for seat in range(match.game.players))
    save = Save(create_transcript(match), str(ruleset), players, names)
    copy = Save.from_data(read_data(json.dumps(save.to_json()), "x"))
    assert copy == save
    assert Match(match.game, match.players, match.seed, find_picks(match.game, copy.transcript)).state == match.state
