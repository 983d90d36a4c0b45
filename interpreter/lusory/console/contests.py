"""Tables about players that met: used by the tournament command."""

from __future__ import annotations

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..study.playing import option_words
from ..study.tournament import Tournament


def tournament(work: Tournament) -> list[RenderableType]:
    """What a tournament came to, as a person reads it."""
    program = work.game.program
    options = ", ".join(f"{name}={value}" for name, value in option_words(work.game).items())
    games = sum(len(one.games) for one in work.sets)
    seats = "1 seat" if work.game.players == 1 else f"{work.game.players} seats"
    parts: list[RenderableType] = [
        Text(f"{program.name}: {games} games among {len(work.kinds)} players", style="bold"),
        Text(f"seed {work.seed}, {seats}{'; ' + one_line(options) if options else ''}", style="dim"),
    ]
    if not work.sets:
        return [*parts, Text("Nothing was played to the end.")]
    parts += ["", _players(work), "", _pairs(work)]
    if work.game.players > 1:
        share, low, high = work.first_seat
        parts += ["", Text(f"the first seat makes {share:.1%} against the others, with 95 % {low:.1%} to {high:.1%}")]
    ends = ", ".join(f"{printable(reason)} {n}" for reason, n in work.ends.most_common(10))
    return [*parts, Text(f"ends: {ends}")]


def _players(work: Tournament) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in ("Player", "Elo", "with 95 %", "points", "sets"):
        table.add_column(title, justify="left" if title == "Player" else "right")
    found = sorted(enumerate(work.strengths()), key=lambda one: -one[1].elo)
    for number, one in found:
        mine = [s.points if s.pair[0] == number else 1 - s.points for s in work.sets if number in s.pair]
        known = abs(one.low) < 1e9
        within = f"{one.low:+.0f} to {one.high:+.0f}" if known else "not known"
        points = f"{sum(mine) / len(mine):.1%}" if mine else "–"
        table.add_row(printable(work.kinds[number]), f"{one.elo:+.0f}", within, points, str(len(mine)))
    return table


def _pairs(work: Tournament) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in ("Pair", "points of the first", "with 95 %", "sets", "stronger"):
        table.add_column(title, justify="right" if title not in ("Pair", "stronger") else "left")
    for pair in work.pairs:
        share, low, high = work.share(pair)
        names, first = [printable(work.kinds[number]) for number in pair], work.stronger(pair)
        clear, sets = names[first < 0] if first else "not clear", str(len(work.scores(pair)))
        table.add_row(" – ".join(names), f"{share:.1%}", f"{low:.1%} to {high:.1%}", sets, clear)
    return table
