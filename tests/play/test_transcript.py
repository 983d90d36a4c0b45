"""Test recorded games: exact replay, clear errors for changed rules, and the text of playthroughs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from programs import build_program, read_data

from lusory.game import ENGINES, Game
from lusory.play.playthrough_writer_and_parser import format_playthrough
from lusory.play.recorded_game_data_and_replay import (
    MadeDecision,
    Transcript,
    TranscriptError,
    add_decision,
    create_recorded_game,
    replay_transcript,
    start_transcript,
)
from lusory.state.events_redaction_and_text import Event

DATA = read_data(__file__)

RULES = DATA["rules"]
SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "schema" / "transcript.schema.json").read_text())


@pytest.fixture(scope="module", params=ENGINES)
def game(request: pytest.FixtureRequest) -> Game:
    return Game(build_program(RULES), options={"goal": 2}, engine=request.param)


def play_alternating(game: Game, seed: int = 5) -> tuple[Transcript, list[Event], Any]:
    """Return a game in which the seats say 1 and 2 in turn."""
    transcript, log = start_transcript(game, seed), list[Event]()
    state = game.start(seed, log)
    while game.decision(state) is not None:
        index = len(transcript.decisions) % 2
        add_decision(game, transcript, state, index)
        state = game.apply(state, index, log)
    return transcript, log, state


def test_a_transcript_replays_to_the_same_state_and_log(game: Game) -> None:
    transcript, log, state = play_alternating(game)
    log_copy: list[Event] = []
    assert replay_transcript(game, transcript, log_copy) == state
    assert log_copy == log


def test_a_transcript_is_json_by_its_schema(game: Game) -> None:
    transcript, _, state = play_alternating(game)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    data = json.loads(json.dumps(transcript.to_json()))
    jsonschema.validate(data, SCHEMA)
    assert data["options"] == {"goal": 2, "brave": True, "coin": "silver"}
    assert data["decisions"][0] == ["P1", "1"]
    copy = Transcript.from_json(data)
    assert copy == transcript
    assert replay_transcript(create_recorded_game(game.program, copy, game.engine), copy) == state


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (MadeDecision(0, "3"), "decision 2 of 2, P1 `3`, no longer fits: P2 must decide"),
        (MadeDecision(1, "3"), "decision 2 of 2, P2 `3`, no longer fits: Guess, P2"),
    ],
)
def test_first_decision_that_no_longer_fits_is_named(game: Game, decision: MadeDecision, message: str) -> None:
    transcript = start_transcript(game, 1)
    transcript.decisions = [MadeDecision(0, "1"), decision]
    with pytest.raises(TranscriptError) as caught:
        replay_transcript(game, transcript)
    assert caught.value.number == 2
    assert str(caught.value).splitlines()[0] == message
    if decision.seat == 1:
        assert "you can choose 1 to 2, not 3" in str(caught.value)


def test_decisions_after_the_end_are_refused(game: Game) -> None:
    transcript = play_alternating(game)[0]
    transcript.decisions.append(MadeDecision(0, "1"))
    with pytest.raises(TranscriptError, match="the game is already over"):
        replay_transcript(game, transcript)


def test_a_transcript_of_another_ruleset_or_setting_is_refused(game: Game) -> None:
    transcript = play_alternating(game)[0]
    transcript.options["goal"] = 77
    with pytest.raises(TranscriptError, match="no longer fits the rules: option goal"):
        create_recorded_game(game.program, transcript)
    transcript.program = "chess"
    with pytest.raises(TranscriptError, match="is of the game `chess`, but these are the rules of `toss`"):
        create_recorded_game(game.program, transcript)


def test_playthrough_text(game: Game) -> None:
    transcript = start_transcript(game, 1)
    transcript.decisions = [MadeDecision(0, "1"), MadeDecision(1, "2")]
    text = format_playthrough(game, transcript, "lusory record toss --seed 1")
    assert text == Path(__file__).with_name("toss.txt").read_text(encoding="utf-8")
