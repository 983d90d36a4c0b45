"""Test that a match asks its players, records their decisions, and can undo, redo and continue."""

from __future__ import annotations

from datetime import datetime
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from programs import read_data
from reachable import walk_reachable
from rich.console import Console

from lusory.commands.game_loading_seats_and_output import choose_engine
from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.bot_kinds_python_players_and_recordings import BOTS, RANDOM, create_bot
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import Person, Player, ScriptedPlayer, ScriptEnded
from lusory.play.recorded_game_data_and_replay import TranscriptError, find_picks
from lusory.state.state import State
from lusory.ui.line.line_session import FileResult, LineSession
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory.view.seat_view import View

DATA = read_data(__file__)


def create_bots(seed: int) -> list[Player]:
    return [create_bot(RANDOM, seed, seat) for seat in range(2)]


def test_the_same_seed_gives_the_same_match(game: Game) -> None:
    first, second = (Match(game, create_bots(7), seed=7) for _ in range(2))
    assert first.play() == second.play()
    assert first.log == second.log
    assert [turn.index for turn in first.turns] == [turn.index for turn in second.turns]


def test_there_is_a_player_for_every_seat(game: Game) -> None:
    with pytest.raises(ValueError, match="1 players for a game of 2"):
        Match(game, [create_bot(RANDOM, 0, 0)])


def test_bots_at_an_evaluated_table_share_one_compiled_game(game: Game) -> None:
    evaluator_game = Game(game.program, game.players, engine="evaluator")
    match = Match(evaluator_game, create_bots(3), 3)
    belief_games = [match.get_belief(seat).game for seat in range(2)]
    assert belief_games[0] is belief_games[1] and belief_games[0].engine == "compiled"
    assert game.on_compiled_engine is game


@pytest.mark.parametrize(
    ("kinds", "engine"),
    [(["human", "random"], "evaluator"), (["human", "strong"], "compiled"), (["python:a.B"], "compiled")],
)
def test_match_is_compiled_if_a_bot_may_search(kinds: list[str], engine: str) -> None:
    assert choose_engine(kinds) == engine


def test_end_of_a_script_stops_the_match(game: Game) -> None:
    match = Match(game, [ScriptedPlayer([0, 2]), ScriptedPlayer([1])])
    with pytest.raises(ScriptEnded):
        match.play()
    assert [(turn.seat, turn.index) for turn in match.turns] == [(0, 0), (1, 1), (0, 2)]
    assert match.decision is not None


def test_unrecorded_match_ends_alike_and_stores_nothing(game: Game) -> None:
    usual, silent = Match(game, create_bots(3), seed=3), Match(game, create_bots(3), seed=3, keeps_record=False)
    assert usual.play() == silent.play()
    assert silent.turns == [] == silent.log
    assert silent.decision_counts == usual.decision_counts


def test_undo_restores_the_position_and_bots_repeat_decisions(game: Game) -> None:
    match = Match(game, [ScriptedPlayer([0, 1]), create_bot(RANDOM, 5, 1)], seed=5)
    start = match.state
    match.step()
    assert match.can_undo(0)
    assert not match.can_undo(1)
    match.undo(0)
    assert match.state == start
    assert match.turns == []
    assert match.decision_counts == [0, 0]
    match.step()
    assert match.turns[0].index == 0


def test_redo_lasts_until_another_decision(game: Game) -> None:
    match = Match(game, [ScriptedPlayer([0, 1]), create_bot(RANDOM, 5, 1)], seed=5)
    match.step()
    after = match.state
    assert not match.can_redo(0)
    match.undo(0)
    assert match.can_redo(0)
    assert not match.can_redo(1)
    match.redo(0)
    assert match.state == after
    assert [turn.index for turn in match.turns] == [0]
    assert not match.can_redo(0)
    match.undo(0)
    match.take(1)
    assert not match.can_redo(0)


def test_undo_stops_at_chance(game: Game) -> None:
    match = Match(game, [ScriptedPlayer([0, 1, 2]), ScriptedPlayer([0, 0, 0])])
    match.step()
    match.step()
    assert match.decision is not None
    assert not match.can_undo(0)


def test_saved_match_continues_exactly(game: Game, tmp_path: Path) -> None:
    whole = Match(game, create_bots(11), seed=11)
    half = Match(game, create_bots(11), seed=11)
    half.step()
    half.step()
    half.step()
    file = tmp_path / "save.json"
    saves.write_save(saves.Save(saves.create_transcript(half), "bids", ("random", "random"), ("Ann", "Bob")), file)

    save = saves.read_save(file)
    assert (save.ruleset, save.kinds, save.names) == ("bids", ("random", "random"), ("Ann", "Bob"))
    continuation = Match(game, create_bots(11), save.transcript.seed, find_picks(game, save.transcript))
    assert (continuation.state, continuation.log) == (half.state, half.log)
    assert continuation.play() == whole.play()
    assert continuation.log == whole.log
    assert [path.name for path in file.parent.iterdir()] == ["save.json"]


def test_saves_follow_the_schema(game: Game) -> None:
    import json

    from jsonschema import Draft202012Validator

    from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder

    match = Match(game, create_bots(1), seed=1)
    match.play()
    schema = json.loads((find_data_folder("schema") / "transcript.schema.json").read_text(encoding="utf-8"))
    save = saves.Save(saves.create_transcript(match), "bids", ("human", "random"), ("Ann", "P2"))
    Draft202012Validator(schema).validate(save.to_json())


@pytest.mark.parametrize(("text", "reason"), DATA["file that is no save is refused with a reason"])
def test_file_that_is_no_save_is_refused_with_a_reason(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TranscriptError, match=reason):
        saves.read_save(file)


def test_transcript_loads_as_a_save_of_one_person_and_bots(game: Game) -> None:
    match = Match(game, create_bots(1), seed=1)
    match.step()
    save = saves.Save.from_json(saves.create_transcript(match).to_json())
    assert (save.kinds, save.names) == (("human", "random"), ("P1", "P2"))


def test_saves_have_different_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(saves, "get_data_folder", lambda: tmp_path)
    first = saves.create_save_path("bids")
    first.touch()
    assert first.name.startswith("bids-20")
    assert saves.create_save_path("bids") != first


def test_thousand_saves_in_a_second_have_different_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(saves, "get_data_folder", lambda: tmp_path)
    monkeypatch.setattr(saves, "datetime", SimpleNamespace(now=lambda: datetime(2026, 11, 29)))
    saves.create_save_path("bids").touch()
    for number in range(2, 1000):
        (tmp_path / "saves" / f"bids-2026-11-29-000000-{number}.json").touch()
    assert saves.create_save_path("bids").name == "bids-2026-11-29-000000-1000.json"


@pytest.mark.parametrize("kind", BOTS)
def test_no_bot_reaches_the_match(game: Game, kind: str) -> None:
    """A bot that receives and stores more than a decision table fails here."""
    player = create_bot(kind, 7, 0)
    Match(game, [player, ScriptedPlayer([0] * 9)], seed=7).play()
    assert not list_reachable_matches(player)


def test_person_is_asked_at_a_keyboard_and_reaches_no_match(game: Game) -> None:
    screen = Terminal(Console(file=StringIO(), width=80, height=24), lambda prompt: "1", False)
    ann = Person(0, "Ann")
    match = Match(game, [ann, ScriptedPlayer([0] * 9)], seed=7)
    with pytest.raises(ValueError, match="Ann is asked at a table"):
        match.step()
    assert LineSession(screen, match, ("Ann", "Bob"), str, UnusedFiles(), True).run() == 0
    assert not list_reachable_matches(ann)


class UnusedFiles:
    """Files that are never written."""

    def save(self, file: str | None) -> FileResult:
        raise AssertionError(file)

    def record_result(self, match: Match) -> None:
        """Store nothing."""


def list_reachable_matches(player: Player) -> list[str]:
    """Return the paths of attributes from a player to a match or a position."""
    holders = State | Game | Match | View | LineSession
    return [path for path, value in walk_reachable(player) if isinstance(value, holders)]
