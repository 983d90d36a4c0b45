"""What comes of one game of many."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lusory_dsl.core import Program
from lusory_dsl.source.filesystem import hindrance, put_whole

from ..play.match import Match
from ..play.registry import simulations_of, thoughts_of
from ..state.decision import nobody_wins, ranked

FINISHED, ENDLESS, FAULT = "finished", "endless", "fault"


class Result(NamedTuple):
    """One game. ``seating``: who sits on each seat, by number. ``ending``: it is finished, was given up as endless, or
    a fault of the rules ended it. ``ranks``, ``payoffs``, ``reason`` and ``table`` (a column after the other, a number
    for each seat) as the outcome has them; ``payoffs`` None where winners share one point. ``turns``: how often it was
    another's turn to decide, ``simulations``, how many players thought of, and ``began``, the seat of the first
    choice behind the setup: where somebody looked."""

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
    """What is kept of a game that is finished, to be compared with another one: the seats that won, and the ``result``
    of a game for one. The rest as in a result."""

    seed: int
    seating: tuple[int, ...]
    winners: tuple[int, ...]
    decisions: int
    turns: int | None
    began: int | None
    reason: str | None
    result: int | None


def row_of(result: Result, selective: bool) -> Row:
    """``selective``: the first rank value says who can win."""
    ranks = result.ranks
    best = max(ranks)
    lost = selective and nobody_wins(ranks)
    winners = () if lost else tuple(seat for seat, rank in enumerate(ranks) if rank == best)
    alone = ranks[0][1 if selective and len(ranks[0]) > 1 else 0] if len(ranks) == 1 else None
    kept = result.decisions, result.turns, result.began, result.reason
    return Row(result.seed, result.seating, winners, *kept, alone)


GAMES, DECISIONS = "games", "decisions"

OFFERED = 100
"""Of a longer list of options so many are written down."""

ENDING = ".jsonl"
"""The only ending that the name of a record may have."""


class NoRecord(Exception):
    """A record can't be written, or can't be read; the words say why."""


class Rows:
    """Makes rows of games. ``kinds``: the players, by number; ``options``: of the game, as authors write them."""

    def __init__(self, program: Program, kinds: Sequence[str], options: Mapping[str, Any]) -> None:
        scoring = program.scoring
        self._judged = scoring.selective, scoring.zero_sum
        self._titles = [title for title, _ in scoring.shown]
        self._kinds = kinds
        self._same = {"ruleset": program.id, "digest": program.digest, "options": json.dumps(options)}

    def game(self, result: Result) -> str:
        """The row of a game. All rows have the same keys: programs infer columns from the first rows that they read.

        Lists have an entry for each seat. What the result of a game would say is null where the game did not finish."""
        row: dict[str, Any] = {"game": result.number, "seed": result.seed, **self._same}
        row["kinds"] = [self._kinds[who] for who in result.seating]
        row["players"] = [who + 1 for who in result.seating]
        for name in ("ending", "reason", "decisions", "turns", "simulations"):
            row[name] = getattr(result, name)
        row |= dict.fromkeys(("began", "result", "places", "payoffs", "scores"))
        if result.ending == FINISHED:
            payoffs = None if result.payoffs is None else tuple(result.payoffs)
            outcome = ranked(None, tuple(result.ranks), payoffs, (), *self._judged)  # type: ignore[arg-type]
            row["places"], row["payoffs"] = outcome.places, [float(payoff) for payoff in outcome.payoffs]
            row["began"] = None if result.began is None else result.began + 1
            row["result"] = row_of(result, self._judged[0]).result
            columns = zip(self._titles, result.table, strict=True)
            row["scores"] = [{"title": title, "seats": list(seats)} for title, seats in columns]
        return json.dumps(row)


class Recorder:
    """Looks on at one game, and writes a line for each decision to ``lines``."""

    def __init__(self, match: Match, number: int, lines: list[str]) -> None:
        self._match, self._number, self._lines = match, number, lines
        self._made = 0

    def asked(self, index: int) -> None:
        """The pending decision is about to be answered with the option of this number."""
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
            "value": next((line.value for line in thoughts_of(player) if line.option == index), None),
            "simulations": simulations_of(player),
        }
        self._made += 1
        self._lines.append(json.dumps(row))

    def over(self, outcome: object) -> None:
        """The game has ended: that is another row."""


def demand(file: Path) -> None:
    """Raises NoRecord where no record can be written to a file of this name."""
    if file.suffix != ENDING:
        raise NoRecord(f"`{file.name}` does not end in `{ENDING}`, and a record is JSON lines")
    if found := hindrance(file):
        raise NoRecord(found)


def file_of(file: Path, table: str) -> Path:
    """The file of one table of a record: games are in the file that was named, decisions in another beside it."""
    return file if table == GAMES else file.with_name(f"{file.stem}-{table}{file.suffix}")


def write(file: Path, rows: Mapping[str, Path]) -> None:
    """Write the files of a record, each whole or not at all. ``rows``: table → file of its rows. Raises NoRecord."""
    try:
        for table, lines in rows.items():
            with put_whole(file_of(file, table)) as beside:
                shutil.copyfile(lines, beside)
    except OSError as problem:
        raise NoRecord(f"`{file}` can't be written: {problem.strerror}") from None
