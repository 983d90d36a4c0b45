"""How a user's games went, in lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from ..play.records import Tally
from .lines import blank, cut, width_of
from .text import Line, Run

WIDEST = 42
"""Columns of what is counted."""


def tally_lines(tallies: Sequence[Tally]) -> tuple[Line, ...]:
    """A table: a line for each game, and one for each company in which it was played; nothing where none was."""
    if not tallies:
        return ()
    head: Line = (Run("Played to the end", bold=True),)
    rows: list[tuple[Line, Line]] = [(head, _numbers("Games", "Won", "First", "Last"))]
    for game, group in groupby(tallies, key=lambda tally: tally.game):
        those = list(group)
        rows.append(((Run(game, bold=True),), ()))
        rows += [((Run(f"  {_company(one)}"),), _counted(one)) for one in those]
    width = min(max(width_of(left) for left, _ in rows), WIDEST)
    return tuple(
        (*(short := cut(left, width)), *blank(width - width_of(short)), *right) if right else left
        for left, right in rows
    )


def _counted(tally: Tally) -> Line:
    return _numbers(str(tally.played), str(tally.won), tally.first, tally.last)


def _numbers(played: str, won: str, first: str, last: str) -> Line:
    return (Run(f"{played:>7}{won:>5}  {first:<10}  {last:<10}"),)


def _company(tally: Tally) -> str:
    """``Ann against Bob, 2 × random``."""
    return f"{tally.who} {against(tally.against)}"


def against(others: Sequence[str]) -> str:
    """The others in words; alone without any."""
    alike = Counter(others)
    words = [other if times == 1 else f"{times} × {other}" for other, times in alike.items()]
    return f"against {', '.join(words)}" if words else "alone"
