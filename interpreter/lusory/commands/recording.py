"""What ``lusory simulate`` writes down of single games, and how it goes on where it was interrupted."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from ..console import streams
from ..study import record
from ..study.keeping import Keeping
from ..study.simulate import Simulation
from .errors import UsageError


def tables(args: argparse.Namespace) -> tuple[str, ...]:
    """The tables of the record that is wanted. Raises UsageError."""
    if args.record is None:
        if args.decisions:
            raise UsageError("--decisions: there is no record in which they could stand", "--record games.jsonl")
        return ()
    try:
        record.demand(Path(args.record))
    except record.NoRecord as problem:
        raise UsageError(f"--record: {problem}", "--record games.jsonl") from None
    return (record.GAMES, record.DECISIONS) if args.decisions else (record.GAMES,)


def begun(work: Simulation, args: argparse.Namespace) -> Keeping:
    """What keeps a simulation: beside its record, or in the user's own folder. With ``--resume`` it goes on where it
    was interrupted."""
    place = None if args.record is None else Path(f"{args.record}.part")
    keeping = Keeping(place, work.identity, work.wanted.tables)
    kept = keeping.take_up() if args.resume else None
    if kept is None:
        keeping.begin()
        if args.resume:
            streams.remark("lusory: nothing is kept of these games; they begin anew")
    else:
        work.take_up(kept)
        streams.remark(f"lusory: going on after {work.tally.played:,} of {work.games:,} games")
    return keeping


def interrupted(work: Simulation, keeping: Keeping) -> None:
    """Say how to go on."""
    if keeping.begun:
        done = sum(len(block) for block in work.blocks[: work.done])
        streams.remark(f"lusory: {done:,} of {work.games:,} games are kept; the same command with --resume goes on")


def ended(keeping: Keeping, file: str | None) -> None:
    """All games are played: the record is written. Raises UsageError where it can't be; then its rows are kept."""
    if file is not None:
        keeping.write()
        keeping.complete()
        try:
            record.write(Path(file), keeping.rows)
        except record.NoRecord as problem:
            raise UsageError(f"--record: {problem}", "the same command with --resume tries again") from None
    with suppress(OSError):
        keeping.forget()
