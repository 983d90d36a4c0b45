"""Saved games: a transcript with who sat where, as a file. Written and continued by the play command."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lusory_dsl.text.disk import MAX_BYTES, read_text

from ..folders import data_folder, private, state_folder, write_own
from .match import Match
from .transcript import EVERY, EXACT, SEEDS, Made, Transcript, TranscriptError, begin, position_digest, read_data

SHORT, FEW = 80, 20
"""Letters of a text, and values side by side, that a recorded game has room for wherever they stand."""


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
        return cls.of(read_data(json.dumps(data), "saved game"))

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Save:
        """The saved game in data that was found in order."""
        transcript = Transcript.of(data)
        default = [{"kind": "human" if seat == 0 else "random"} for seat in range(transcript.players)]
        seats = data.get("seats", default)
        names = tuple(seat.get("name", f"P{number}") for number, seat in enumerate(seats, 1))
        kinds = tuple(seat["kind"] for seat in seats)
        return cls(transcript, data.get("ruleset", transcript.program), kinds, names, tuple(data.get("packs", ())))


def transcript_of(match: Match) -> Transcript:
    """What was played in a match so far."""
    game = match.game
    transcript = begin(game, match.seed)
    for made, turn in enumerate(match.turns):
        decision = game.decision(turn.before)
        assert decision is not None, "a turn was a decision"
        transcript.decisions.append(Made(turn.seat, game.option_ids(turn.before, decision)[turn.index]))
        if turn.simulations is not None:
            transcript.simulations[made + 1] = turn.simulations
        if made % EVERY == 0:
            transcript.positions[made] = position_digest(game, transcript, turn.before)
    transcript.positions[len(match.turns)] = position_digest(game, transcript, match.state)
    return transcript


def latest_path() -> Path:
    """Where the game of people that ended last is kept, to be looked at again. Raises OSError where this user has no
    folder for such things."""
    return state_folder() / "latest.json"


def write(save: Save, path: Path) -> None:
    """Write a saved game into a folder that is there. Raises OSError, and TranscriptError as :func:`text_of`."""
    write_own(path, text_of(save))


def text_of(save: Save) -> str:
    """A saved game as the text of a file. Raises TranscriptError where that could not be read again: rules can name
    things as no saved game may."""
    text = json.dumps(save.to_json(), indent=2, ensure_ascii=False) + "\n"
    if len(text.encode()) > MAX_BYTES:
        raise TranscriptError(f"it would have more than {MAX_BYTES:,} bytes")
    read_data(text, "the saved game")
    return text


def demand_readable(save: Save) -> None:
    """Raises TranscriptError where a game that begins could not be read again. What has nothing but short words and
    small numbers in it can be, and is not tried: the readers of files take a while to load."""
    seed = save.transcript.seed
    if (isinstance(seed, int) and seed not in SEEDS) or not _is_plain(save.to_json()):
        text_of(save)


def _is_plain(value: Any) -> bool:
    """Whether a JSON value is within all bounds of recorded games, whatever it is there."""
    match value:
        case bool():
            return True
        case int():
            return abs(value) <= EXACT
        case str():
            return 0 < len(value) <= SHORT and value.isprintable()
        case dict():
            return len(value) <= FEW and all(map(_is_plain, (*value, *value.values())))
        case list() | tuple():
            return len(value) <= FEW and all(map(_is_plain, value))
    return False


def read(path: Path) -> Save:
    """Raises TranscriptError, in words fit for people, for a file that is not a saved game; OSError for none."""
    return Save.of(read_data(read_text(path), str(path)))


def lost_by(path: Path, save: Save) -> str | None:
    """What would be lost if a save were written to a path, in words; None: nothing, or an earlier save of it."""
    if not os.path.lexists(path):
        return None
    try:
        there = read(path)
    except (TranscriptError, OSError):
        return f"{path} is there already, and is no saved game"
    if not there.transcript.is_of_same_game(save.transcript):
        return f"{path} is a saved game already, and another one"
    return None


def new_path(program: str) -> Path:
    """A file of its own for a game that is saved now, in the user's folder for such things, which is made. Raises
    OSError."""
    stem = f"{program}-{datetime.now():%Y-%m-%d-%H%M%S}"
    folder = private(data_folder() / "saves")
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 1000))
    return next(path for name in names if not (path := folder / f"{name}.json").exists())
