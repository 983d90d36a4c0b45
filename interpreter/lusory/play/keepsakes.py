"""What one seat may keep of a game: its view, its story and its own decisions. To look at, not to go on with.

Made from what the seat sees and was told, and from nothing else: no seed, no decisions of others, nothing hidden. As a
file: ``schema/keepsake.schema.json``. Written by the play command, shown by the command ``replay``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from lusory_dsl.text.disk import MAX_BYTES

from ..folders import data_folder, private, write_own
from ..game import Game
from ..table.state import State
from .match import Match
from .playthrough import result
from .transcript import KEEPSAKE, TranscriptError, in_order, parsed, written_option

FORMAT = 1


def written(match: Match, seat: int, names: Sequence[str], story: Sequence[str]) -> str:
    """What a seat may keep of a match, as the text of a file. ``story``: what happened, as it was told. Raises
    TranscriptError where that could not be read again."""
    game = match.game
    made = []
    for turn in match.turns:
        if turn.seat == seat:
            decision = game.decision(turn.before)
            assert decision is not None, "a turn was a decision"
            ids, labels = game.option_ids(turn.before, decision), game.option_labels(turn.before, decision)
            made.append((ids[turn.index], labels[turn.index]))
    kept = keepsake(game, match.state, story, made, seat, names)
    text = json.dumps(kept, indent=2, ensure_ascii=False) + "\n"
    if len(text) > MAX_BYTES:
        raise TranscriptError(f"it would have more than {MAX_BYTES:,} characters")
    in_order(parsed(text, "the file"), KEEPSAKE)
    return text


def keepsake(
    game: Game, state: State, story: Sequence[str], made: Sequence[tuple[str, str]], seat: int, names: Sequence[str]
) -> dict[str, Any]:
    """What a seat may keep at a position, as ``schema/keepsake.schema.json`` describes it. ``made``: its own decisions,
    each an option's id and label."""
    program, view = game.program, game.view(state, seat)
    outcome = game.outcome(state)
    return {
        KEEPSAKE: FORMAT,
        "program": program.id,
        "game": program.name,
        "version": program.version,
        "players": game.players,
        "options": {o.name: written_option(o, game.option_values[o.name]) for o in program.options},
        "seat": f"P{seat + 1}",
        "names": list(names),
        "decisions": [[id, _line(label)] for id, label in made],
        "story": [line for told in story for line in told.splitlines()],
        "table": [line.rstrip() for text in view.table() for line in text.splitlines() or [""]],
        "result": [] if outcome is None else result(outcome),
        "view": view.to_json(),
    }


def told(data: Mapping[str, Any]) -> str:
    """A keepsake as a text for people."""
    seat = data["seat"]
    names = [f"{name} is P{number}" for number, name in enumerate(data["names"], 1) if name != f"P{number}"]
    options = [f"{name}={str(value).lower()}" for name, value in data["options"].items()]
    lines = [f"What {seat} knows of {data['game']} {data['version']} ({data['program']}), {data['players']} players"]
    lines += [", ".join(part) for part in (names, options) if part]
    lines += ["", f"What happened, as {seat} saw it:", *(f"   {line}" for line in data["story"])]
    lines += ["", f"What {seat} decided:"]
    lines += [
        f"   {n}. {id}" + (f"  {label}" if label != id else "") for n, (id, label) in enumerate(data["decisions"], 1)
    ]
    lines += ["", *data["table"]]
    return "\n".join([*lines, "", *data["result"]] if data["result"] else lines) + "\n"


def write(text: str, path: Path) -> None:
    """Write a keepsake into a folder that is there. Raises OSError."""
    write_own(path, text)


def lost_by(path: Path) -> str | None:
    """What would be lost if something were written to a path, in words; None: nothing."""
    return f"{path} is there already" if os.path.lexists(path) else None


def new_path(program: str, seat: int) -> Path:
    """A file for what a seat keeps now, in the user's folder for such things, which is made. Raises OSError."""
    folder = private(data_folder() / "saves")
    return folder / f"{program}-{datetime.now():%Y-%m-%d-%H%M%S}-P{seat + 1}.json"


def _line(text: str) -> str:
    return " ".join(text.splitlines())
