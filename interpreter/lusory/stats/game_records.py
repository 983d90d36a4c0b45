"""Results of single games, and records: JSON lines with a row for each game or decision."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lusory_dsl.core import Program
from lusory_dsl.source.safe_files import explain_unwritable_file, replace_atomically

from ..play.match import Match
from ..play.registry import latest_evaluations, latest_simulations
from ..state.decision import has_no_winner, rank_outcome

FINISHED, ENDLESS, FAULT = "finished", "endless", "fault"


class Result(NamedTuple):
    """Result of one game.

    ``seating`` holds the player's number for each seat. ``ending`` is finished, endless or fault. ``ranks``,
    ``payoffs``, ``reason`` and ``table`` (columns with a number for each seat) are from the outcome; ``payoffs`` is
    None if the winners share one point. ``turns`` counts changes of the deciding seat. ``simulations`` is the total of
    all searches. ``began`` is the seat of the first choice after the setup. These three are None if the game was not
    observed.
    """

    number: int
    seed: int
    seating: tuple[int, ...]
    ending: str
    decisions: int
    ranks: Sequence[tuple[int, ...]] = ()
    payoffs: Sequence[float] | None = None
    reason: str | None = None
    table: Sequence[Sequence[int]] = ()
    turns: int | None = None
    simulations: int | None = None
    began: int | None = None


class Row(NamedTuple):
    """Summary of a finished game, for comparison. It has the ``winners`` and the ``result`` of a solitaire game.

    The other fields are those of a :class:`Result`.
    """

    seed: int
    seating: tuple[int, ...]
    winners: tuple[int, ...]
    decisions: int
    turns: int | None
    began: int | None
    reason: str | None
    result: int | None


def summarize_result(result: Result, selective: bool) -> Row:
    """Return the summary of a result. ``selective`` says that the first rank value tells who can win."""
    ranks = result.ranks
    best = max(ranks)
    lost = selective and has_no_winner(ranks)
    winners = () if lost else tuple(seat for seat, rank in enumerate(ranks) if rank == best)
    alone = ranks[0][1 if selective and len(ranks[0]) > 1 else 0] if len(ranks) == 1 else None
    kept = result.decisions, result.turns, result.began, result.reason
    return Row(result.seed, result.seating, winners, *kept, alone)


GAMES, DECISIONS = "games", "decisions"

OFFERED = 100
"""Maximum number of options that the row of a decision lists."""

ENDING = ".jsonl"
"""Required suffix of the file name of a record."""


class RecordError(Exception):
    """Error: a record cannot be written or read. The message says why."""


class RowWriter:
    """Writer of rows of games.

    ``kinds`` are the players by number, ``options`` those of the game as authors write them.
    """

    def __init__(self, program: Program, kinds: Sequence[str], options: Mapping[str, Any]) -> None:
        scoring = program.scoring
        self._judged = scoring.is_selective, scoring.is_zero_sum
        self._titles = [title for title, _ in scoring.shown]
        self._kinds = kinds
        self._same = {"ruleset": program.id, "digest": program.digest, "options": json.dumps(options)}

    def game(self, result: Result) -> str:
        """Return the row of a game as JSON.

        All rows have the same keys, because programs infer columns from the first rows. Lists have an entry for each
        seat. The fields of the outcome are null if the game did not finish.
        """
        row: dict[str, Any] = {"game": result.number, "seed": result.seed, **self._same}
        row["kinds"] = [self._kinds[who] for who in result.seating]
        row["players"] = [who + 1 for who in result.seating]
        for name in ("ending", "reason", "decisions", "turns", "simulations"):
            row[name] = getattr(result, name)
        row |= dict.fromkeys(("began", "result", "places", "payoffs", "scores"))
        if result.ending == FINISHED:
            payoffs = None if result.payoffs is None else tuple(result.payoffs)
            outcome = rank_outcome(None, tuple(result.ranks), payoffs, (), *self._judged)  # type: ignore[arg-type]
            row["places"], row["payoffs"] = outcome.places, [float(payoff) for payoff in outcome.payoffs]
            row["began"] = None if result.began is None else result.began + 1
            row["result"] = summarize_result(result, self._judged[0]).result
            columns = zip(self._titles, result.table, strict=True)
            row["scores"] = [{"title": title, "seats": list(seats)} for title, seats in columns]
        return json.dumps(row)


class Recorder:
    """Observer of one game that appends a row for each decision to ``lines``."""

    def __init__(self, match: Match, number: int, lines: list[str]) -> None:
        self._match, self._number, self._lines = match, number, lines
        self._made = 0

    def asked(self, index: int) -> None:
        """Append the pending decision to the ``lines`` of this recorder, as a JSON object.

        The decision is about to be answered with the option at ``index``.
        """
        match = self._match
        decision = match.decision
        assert decision is not None
        player = match.players[decision.seat]
        labels = match.game.option_ids(match.state, decision)
        row = {
            "game": self._number,
            "number": self._made,
            "seat": decision.seat + 1,
            "kind": player.name,
            "site": decision.site,
            "options": len(labels),
            "offered": labels[:OFFERED],
            "taken": index,
            "label": labels[index],
            "value": next((line.value for line in latest_evaluations(player) if line.option == index), None),
            "simulations": latest_simulations(player),
        }
        self._made += 1
        self._lines.append(json.dumps(row))

    def over(self, outcome: object) -> None:
        """Do nothing: the end of a game is recorded in its own row."""


def require_record_file(file: Path) -> None:
    """Raise RecordError if no record can be written to this file."""
    if file.suffix != ENDING:
        raise RecordError(f"`{file.name}` must end in `{ENDING}`, because a record is JSON lines")
    if found := explain_unwritable_file(file):
        raise RecordError(found)


def table_file(file: Path, table: str) -> Path:
    """Return the file of one table of a record: the named file for games, a file beside it for decisions."""
    return file if table == GAMES else file.with_name(f"{file.stem}-{table}{file.suffix}")


def write_record_files(file: Path, rows: Mapping[str, Path]) -> None:
    """Write the files of a record atomically. ``rows`` maps a table to the file of its rows. Raises RecordError."""
    try:
        for table, lines in rows.items():
            with replace_atomically(table_file(file, table)) as beside:
                shutil.copyfile(lines, beside)
    except OSError as problem:
        raise RecordError(f"`{file}` can't be written: {problem.strerror}") from None
