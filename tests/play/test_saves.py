"""Test that files that are no saved games are refused with their line, before anything is built from them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from programs import BIDS, load_bundled, read_data

from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import UniformPlayer
from lusory.play.recorded_game_data_and_replay import SEEDS, Transcript, TranscriptError, find_picks, replay_transcript
from lusory_dsl.source.source import Source
from lusory_dsl.yaml.json_reader import MAX_DEPTH, JsonFault, read_json
from lusory_dsl.yaml.reader import to_plain_data

DATA = read_data(__file__)


def play_steps(game: Game, seed: int = 1, steps: int = 3) -> saves.Save:
    match = Match(game, [UniformPlayer(seed) for seat in range(game.players)], seed)
    for _ in range(steps):
        match.step()
    return saves.Save(saves.create_transcript(match), str(BIDS), ("human", "random"), ("Ann", "P2"))


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize(
    "value", [{}, [], None, True, -7, 'é 😀 \\ " /', {"a": [1, {"b": []}], "c": "x"}, [[], {}, ""], "😀\t"[0]]
)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("is_ascii", [True, False])
def test_json_round_trips(value: Any, indent: int | None, is_ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    assert to_plain_data(read_json(Source("x", f"\n {text}\n"))) == value


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        *DATA["invalid json is refused with its place"],
        ("[" + "9" * 5000 + "]", 1, 2, "more than 40 digits"),
        ("[" * 100_000, 1, MAX_DEPTH + 1, "nested more than"),
        (json.dumps({str(key): 1 for key in range(10_001)}), 1, 108_892, "more than 10,000 keys"),
    ],
)
def test_invalid_json_is_refused_with_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(JsonFault, match=message) as caught:
        read_json(Source("x", text))
    assert (caught.value.span.line, caught.value.span.column) == (line, column)


# ---------------------------------------------------------------- saved games


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *DATA["invalid save is refused with its place"],
        ({"seed": 2**128}, "`seed`: .* is too large"),
        ({"options": {"rounds": 2**63}}, "too large"),
        ({"decisions": [["P1", "x" * 5000]]}, "does not fit `maxLength`"),
    ],
)
def test_invalid_save_is_refused_with_its_place(
    change: dict[str, Any], message: str, game: Game, tmp_path: Path
) -> None:
    file = tmp_path / "save.json"
    file.write_text(json.dumps({**play_steps(game).to_json(), **change}, indent=1), encoding="utf-8")
    with pytest.raises(TranscriptError, match=message) as caught:
        saves.read_save(file)
    assert re.match(rf"{re.escape(str(file))}:\d+:\d+: ", str(caught.value))


@pytest.mark.parametrize("seed", [0, -5, 2**53, 2**53 + 1, 2**64, SEEDS[0], SEEDS[-1]])
def test_seed_of_any_size_round_trips(seed: int, game: Game) -> None:
    transcript = play_steps(game, seed).transcript
    data = transcript.to_json()
    assert isinstance(data["seed"], int) == (seed <= 2**53 and seed >= -(2**53))
    assert Transcript.from_json(data) == transcript
    assert Transcript.from_json({**data, "seed": seed}) == transcript
    if seed >= 0:
        assert Transcript.from_json({**data, "seed": f"0x{seed:x}"}) == transcript


def test_save_without_positions_loads(game: Game) -> None:
    data = play_steps(game).to_json()
    del data["positions"]
    assert len(find_picks(game, saves.Save.from_json(data).transcript)) == 3


@pytest.mark.parametrize(("change", "message"), DATA["changed save is detected"])
def test_changed_save_is_detected(change: dict[str, Any], message: str, game: Game) -> None:
    data = play_steps(game).to_json()
    transcript = saves.Save.from_json({**data, **change}).transcript
    changed_game = Game(game.program, 2, transcript.options)
    with pytest.raises(TranscriptError, match=message):
        replay_transcript(changed_game, transcript)


def test_changed_seed_is_detected_without_randomness() -> None:
    fixed_game = Game(load_bundled("tic-tac-toe"))
    data = play_steps(fixed_game, 1, 2).to_json()
    with pytest.raises(TranscriptError, match="the position differs from the recorded one"):
        replay_transcript(fixed_game, saves.Save.from_json({**data, "seed": 2}).transcript)


def test_positions_are_not_compared_under_other_rules(game: Game) -> None:
    transcript = saves.Save.from_json({**play_steps(game).to_json(), "seed": 2, "digest": "0" * 64}).transcript
    replay_transcript(game, transcript)


@pytest.mark.parametrize("engine", ["evaluator", "compiled"])
def test_positions_are_the_same_on_every_engine(engine: str, game: Game) -> None:
    engine_game = Game(game.program, 2, engine=engine)
    assert play_steps(engine_game, 7, 4).transcript == play_steps(game, 7, 4).transcript
