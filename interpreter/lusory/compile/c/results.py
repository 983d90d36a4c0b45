"""The end of a game: what C writes into its row of numbers, and how Python reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lusory_dsl.language.types import Type

from ...table.setting import Setting, label_of
from .. import ir
from ..ir import sorts
from ..python.support import type_named
from .kinds import LINES, NUMBER, NotNative
from .printer import Printer

Played = tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...] | None, str | None, tuple[tuple[int, ...], ...]]
"""As :data:`lusory.compile.module.PlayoutResult`."""

NONE = -(1 << 63)
TEXT_BASE = 1 << 30
"""From here on a text is one that was put together in play."""

HEAD = 3
"""Numbers of a row before the results: whether it went wrong, decisions, the reason."""


@dataclass(frozen=True)
class Row:
    """What stands in the row of a game. ``ranks``: so many numbers of each seat; ``shown``: columns; ``kinds``: of each
    number (``truth``, ``text`` or ``number``)."""

    seats: int
    ranks: int
    payoffs: bool
    shown: int
    kinds: tuple[str, ...]

    @property
    def texts(self) -> int:
        """Where the texts begin that were put together."""
        return HEAD + len(self.kinds)


def finish(p: Printer, op: ir.Return) -> None:
    """The end of a game is written into its row."""
    decisions, ranks, payoff, reason, table = op.values
    seats = [_items(row) for row in _items(ranks)]
    payoffs = [] if isinstance(payoff, ir.Const) else _items(payoff)
    columns = [_items(row) for row in _items(table.then)] if isinstance(table, ir.Choose) else []
    found = write(p, decisions, reason, seats, payoffs, columns)
    p.row = found if p.row is None else joined(p.row, found)
    p.say("return;")


Values = Sequence[ir.Value]


def write(
    p: Printer,
    decisions: ir.Value,
    reason: ir.Value,
    seats: Sequence[Values],
    payoffs: Values,
    columns: Sequence[Values],
) -> Row:
    """Results are written into the row. ``seats``: the ranks of each."""
    values = [v for row in (*seats, payoffs, *columns) for v in row]
    kinds = tuple(_kind(p, v) for v in values)
    p.say(f"state->row[1] = {p.value(decisions)};")
    p.say(f"state->row[2] = {_told(p, reason, 'text')};")
    for at, (v, kind) in enumerate(zip(values, kinds, strict=True)):
        p.say(f"state->row[{HEAD + at}] = {_told(p, v, kind)};")
    return Row(len(seats), len(seats[0]) if seats else 0, bool(payoffs), len(columns), kinds)


def _told(p: Printer, v: ir.Value, kind: str) -> str:
    text = p.value(v)
    return f"export_text(state, {text})" if kind == "text" and text != "NONE" else text


def _items(v: ir.Value) -> tuple[ir.Value, ...]:
    if isinstance(v, ir.Tuple | ir.Record):
        return v.items
    if isinstance(v, ir.Const) and v.value == ():
        return ()
    raise NotNative("results that are made elsewhere")


def _kind(p: Printer, v: ir.Value) -> str:
    if p.kind(v) != NUMBER:
        raise NotNative("results that are lists")
    sort = p.sort(v)
    return {sorts.TRUTH: "truth", sorts.TEXT: "text", sorts.NOTHING: ""}.get(sort.kind, "number")


def joined(a: Row, b: Row) -> Row:
    """What stands in the rows of two endings."""
    if (a.seats, a.ranks, a.payoffs, a.shown, len(a.kinds)) != (b.seats, b.ranks, b.payoffs, b.shown, len(b.kinds)):
        raise NotNative("results of several forms")
    kinds = []
    for one, other in zip(a.kinds, b.kinds, strict=True):
        both = {one, other} - {""}
        if len(both) > 1:
            raise NotNative("results of several kinds")
        kinds.append(next(iter(both), ""))
    return Row(a.seats, a.ranks, a.payoffs, a.shown, tuple(kinds))


@dataclass(frozen=True)
class Reader:
    """Reads rows. ``texts``: those that are known; ``made``: what those are made of that are put together in play;
    ``width``: numbers from a row to the next."""

    setting: Setting
    row: Row
    texts: tuple[str, ...]
    made: tuple[tuple[object, ...], ...]
    width: int

    @cached_property
    def types(self) -> dict[str, Type]:
        """The types whose labels are shown, by name."""
        names = {part[0] for site in self.made for part in site if isinstance(part, tuple) and part[0].strip()}
        return {name: type_named(self.setting.program, name) for name in names}

    def result(self, rows: Sequence[int], start: int = 0) -> Played | None:
        """The game of a row, which begins at ``start``; None: it went wrong."""
        one, row = self.row, rows[start : start + self.row.texts]
        if row[0]:
            return None
        words = Words(self, rows, start + one.texts)
        values = [words.value(row[HEAD + at], kind) for at, kind in enumerate(one.kinds)]
        size = one.seats * one.ranks
        ranks = tuple(tuple(values[at * one.ranks : (at + 1) * one.ranks]) for at in range(one.seats))
        payoffs = tuple(values[size : size + one.seats]) if one.payoffs else None
        size += one.seats if one.payoffs else 0
        shown = tuple(tuple(values[at : at + one.seats]) for at in range(size, len(values), one.seats))
        return row[1], ranks, payoffs, words.value(row[2], "text"), shown


@dataclass(frozen=True)
class Words:
    """The words of one game, which begin at ``start``. ``known``: the texts that are known, if more than those of the
    reader."""

    reader: Reader
    rows: Sequence[int]
    start: int
    known: Sequence[str] = ()

    def value(self, value: int, kind: str) -> Any:
        if value == NONE:
            return None
        if kind == "text":
            return self.text(value)
        return bool(value) if kind == "truth" else value

    def text(self, number: int) -> str:
        reader = self.reader
        if number < TEXT_BASE:
            return (self.known or reader.texts)[number]
        at = self.start + number - TEXT_BASE
        words = []
        site = reader.made[self.rows[at]]
        at += 3  # behind the number of what it is made of, its length and how many words it takes
        for part in site:
            if isinstance(part, str):
                words.append(part)
                continue
            type: str = part[0]  # type: ignore[index]
            value: Any = self.value(self.rows[at], "number")
            at += 1
            if type.startswith("List[") or type == LINES:
                value, at = tuple(self.rows[at : at + value]), at + value
            if type == LINES:
                words.append(LINES.join(map(self.text, value)))
                continue
            words.append(label_of(reader.setting, value, reader.types[type]) if type else self.text(value))
        return "".join(words)
