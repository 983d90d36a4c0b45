"""Saved games: a transcript with who sat where, as a file. Written and continued by the play command."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lusory_dsl.disk import write_whole

from .game import Game
from .match import Match
from .transcript import Made, Transcript, TranscriptError, begin, replay


@dataclass(frozen=True)
class Save:
    """A game that can be continued: ``kinds`` and ``names`` by seat.

    ``ruleset`` is what to type for the game, ``packs`` what was laid over it."""

    transcript: Transcript
    ruleset: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    packs: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A JSON value, as ``schema/transcript.schema.json`` describes it."""
        seats = [{"kind": kind, "name": name} for kind, name in zip(self.kinds, self.names, strict=True)]
        return {**self.transcript.to_json(), "ruleset": self.ruleset, "packs": list(self.packs), "seats": seats}

    @classmethod
    def from_json(cls, data: Any) -> Save:
        """Raises TranscriptError for anything that is not a saved game. A bare transcript is one too: of bots."""
        if not isinstance(data, dict):
            raise TranscriptError("this is no saved game: it is not a JSON object")
        transcript = Transcript.from_json(data)
        default = [{"kind": "human" if seat == 0 else "random"} for seat in range(transcript.players)]
        try:
            seats = data.get("seats", default)
            kinds = tuple(str(seat["kind"]) for seat in seats)
            names = tuple(str(seat.get("name", f"P{number}")) for number, seat in enumerate(seats, 1))
            packs = tuple(str(pack) for pack in data.get("packs", []))
        except (TypeError, KeyError, AttributeError):
            raise TranscriptError("this is no saved game: `seats` is not a list of seats with a kind") from None
        if len(kinds) != transcript.players:
            raise TranscriptError(f"this saved game has {len(kinds)} seats for {transcript.players} players")
        return cls(transcript, str(data.get("ruleset", transcript.program)), kinds, names, packs)


def transcript_of(match: Match) -> Transcript:
    """What was played in a match so far."""
    game = match.game
    transcript = begin(game, match.seed)
    for turn in match.turns:
        decision = game.decision(turn.before)
        assert decision is not None, "a turn was a decision"
        transcript.decisions.append(Made(turn.seat, game.option_ids(turn.before, decision)[turn.index]))
    return transcript


def picks_of(game: Game, transcript: Transcript) -> list[int]:
    """The decisions of a transcript as numbers of options. Raises TranscriptError where one no longer fits."""
    replay(game, transcript)  # names the first decision that does not fit, and why
    picks = []
    state = game.start(transcript.seed)
    for made in transcript.decisions:
        decision = game.decision(state)
        assert decision is not None, "the replay went through"
        picks.append(game.option_ids(state, decision).index(made.option))
        state = game.apply(state, picks[-1])
    return picks


def write(save: Save, path: Path) -> None:
    """Write a saved game; its folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(save.to_json(), indent=2, ensure_ascii=False) + "\n")


def read(path: Path) -> Save:
    """Raises TranscriptError, in words fit for people, for a file that is not a saved game; OSError for none."""
    try:
        return Save.from_json(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as problem:
        raise TranscriptError(f"{path} is no saved game: {problem}") from None


def new_path(program: str) -> Path:
    """A file of its own for a game that is saved now, in the user's folder for such things."""
    stem = f"{program}-{datetime.now():%Y-%m-%d-%H%M%S}"
    folder = data_folder() / "saves"
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 1000))
    return next(path for name in names if not (path := folder / f"{name}.json").exists())


def data_folder() -> Path:
    """Where this platform keeps a user's data of a program."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "lusory"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "lusory"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "lusory"
