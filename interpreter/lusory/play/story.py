"""What happened, in lines for one seat or for all."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from ..game import Game
from ..table.events import Event, describe, redacted


def log_lines(events: Iterable[Event], game: Game, seat: int | None) -> list[str]:
    """What a seat learns of events, a line each. Phases that begin together share a line, and so do events that read
    alike; silent ones have none."""
    seen = list(events) if seat is None else redacted(events, seat, game)
    lines: list[str] = []
    begun: list[str] = []
    for event in seen:
        line = describe(event, game, seat)
        if line and event[0] == "phase":
            begun.append(line.strip("— "))
        elif line:
            if begun:
                lines.append(f"— {' · '.join(begun)} —")
                begun.clear()
            lines.append(line)
    alike = ((line, sum(1 for _ in run)) for line, run in groupby(lines))
    return [line if times == 1 else f"{line} (×{times})" for line, times in alike]
