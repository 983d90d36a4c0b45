"""What of a table is not as it was: its runs are marked as fresh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..play.match import Match
from ..table.state import State
from .lines import styled
from .panels import Cell, Dial, Dials, Grid, Hand, Items, Map, Panel, Piles, Players
from .text import Line, Run, plain


def last_seen(match: Match, seat: int | None) -> State | None:
    """The position that a seat compares with: what others left behind since it chose; where nobody else chose since,
    the one in which it did. None before its first choice."""
    number = next((at for at in reversed(range(len(match.turns))) if match.turns[at].seat == seat), None)
    if number is None:
        return None
    later = match.turns[number + 1 :]
    return later[0].before if later else match.turns[number].before


def marked(panels: Sequence[Panel], before: Sequence[Panel]) -> tuple[Panel, ...]:
    """The panels with what has changed in them. Panels are the same if they are of one kind, place and title."""
    old = {_key(panel): panel for panel in before}
    return tuple(panel if _key(panel) not in old else _panel(panel, old[_key(panel)]) for panel in panels)


def _key(panel: Panel) -> tuple[object, ...]:
    return type(panel), panel.place, panel.title


def _panel(now: Panel, old: Panel) -> Panel:
    match now, old:
        case Items(), Items():
            were = {item.title: item.cell for item in old.items}
            return replace(
                now, items=tuple(replace(item, cell=_cell(item.cell, were.get(item.title))) for item in now.items)
            )
        case Players(), Players():
            columns = {column.title: column.cells for column in old.columns}
            return replace(
                now,
                columns=tuple(replace(c, cells=_cells(c.cells, columns.get(c.title, ()))) for c in now.columns),
            )
        case Grid(), Grid():
            if len(now.rows) != len(old.rows) or len(now.heads) != len(old.heads):
                return now
            rows = zip(now.rows, old.rows, strict=True)
            return replace(now, rows=tuple(replace(row, cells=_cells(row.cells, was.cells)) for row, was in rows))
        case Map(), Map():
            there = {(node.across, node.down): node.cell for node in old.nodes}
            return replace(
                now,
                nodes=tuple(replace(n, cell=_cell(n.cell, there.get((n.across, n.down)))) for n in now.nodes),
            )
        case Dials(), Dials():
            stood = {plain(dial.head): dial for dial in old.dials}
            return replace(now, dials=tuple(_dial(dial, stood.get(plain(dial.head))) for dial in now.dials))
        case Hand(), Hand():
            held = {_words(card.cell): card.count for card in old.cards}
            return replace(
                now,
                cards=tuple(
                    replace(c, cell=_all(c.cell)) if c.count > held.get(_words(c.cell), 0) else c for c in now.cards
                ),
            )
        case Piles(), Piles():
            tops = {plain(pile.title): pile.top for pile in old.piles}
            return replace(
                now,
                piles=tuple(
                    replace(pile, top=None if pile.top is None else _cell(pile.top, tops.get(plain(pile.title))))
                    for pile in now.piles
                ),
            )
    return now


def _dial(now: Dial, old: Dial | None) -> Dial:
    """A dial that has turned shows its face as new."""
    if old is None or old.at == now.at or now.at is None:
        return now
    return replace(now, faces=tuple(_all(face) if at == now.at else face for at, face in enumerate(now.faces)))


def _words(cell: Cell) -> str:
    return " ".join(map(plain, cell.lines))


def _all(cell: Cell) -> Cell:
    """A place that is new as a whole."""
    return replace(
        cell,
        lines=tuple(styled(line, fresh=True) for line in cell.lines),
        short=tuple(styled(line, fresh=True) for line in cell.short),
    )


def _cells(now: Sequence[Cell | None], old: Sequence[Cell | None]) -> tuple[Cell | None, ...]:
    padded = [*old, *[None] * (len(now) - len(old))]
    return tuple(None if cell is None else _cell(cell, was) for cell, was in zip(now, padded, strict=False))


def _cell(now: Cell, old: Cell | None) -> Cell:
    if old is None:
        return _all(now)
    return replace(now, lines=_lines(now.lines, old.lines), short=_lines(now.short, old.short))


def _lines(now: tuple[Line, ...], old: tuple[Line, ...]) -> tuple[Line, ...]:
    """Runs that are not as they were: one by one where there are as many, else those that were nowhere."""
    if [len(line) for line in now] == [len(line) for line in old]:
        pairs = (zip(line, was, strict=True) for line, was in zip(now, old, strict=True))
        return tuple(tuple(_run(run, was) for run, was in pair) for pair in pairs)
    were = Counter(_content(old))
    found = []
    for line in now:
        runs = []
        for run in line:
            key = (run.text, run.of)
            is_old = were[key] > 0 or not run.text.strip(" ,")
            were[key] -= 1
            runs.append(run if is_old else replace(run, fresh=True))
        found.append(tuple(runs))
    return tuple(found)


def _content(lines: Iterable[Line]) -> Iterable[tuple[str, str]]:
    return ((run.text, run.of) for line in lines for run in line)


def _run(now: Run, old: Run) -> Run:
    return now if (now.text, now.of, now.dim) == (old.text, old.of, old.dim) else replace(now, fresh=True)
