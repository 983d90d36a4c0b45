"""A table as lines of plain text, alike whatever the width: what recorded games show and are compared by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Protocol

from lusory_dsl import core
from lusory_dsl.language.types import Type

from ..table.choices import RulesetFault
from ..table.setting import HIDDEN, Setting, Value, item_type
from .boards import Grid
from .sight import Hidden, Unknown


class Seeing(Protocol):
    """What a view offers of a table: see :class:`lusory.seat.view.View`."""

    @property
    def setting(self) -> Setting: ...
    @property
    def seat(self) -> int | None: ...
    def holds(self, condition: core.Expr | None, slots: Sequence[Value] = ()) -> bool: ...
    def text(self, template: core.TextTemplate, slots: Sequence[Value] = ()) -> str: ...
    def value(self, expr: core.Expr, slots: Sequence[Value] = ()) -> Value: ...
    def label(self, value: Value, type: Type) -> str: ...
    def counters(self, pool: core.PoolTotal, slots: Sequence[Value] = ()) -> list[tuple[Type, int, int | None]]: ...
    def grid(self, board: core.BoardView) -> Grid | None: ...


def table_lines(view: Seeing) -> list[str]:
    """Status, boards and panels, players, what is shared and what is the own; nothing where there is no layout."""
    layout = view.setting.program.layout
    lines = [_items(view, layout.status, ())] if layout.status else []
    me = () if view.seat is None else (view.seat,)
    for panel in (*layout.boards, *layout.panels):
        if view.holds(panel.condition, me):
            lines += _panel(view, panel)
    lines += [f"P{seat + 1}: {_items(view, layout.player, (seat,))}" for seat in _seats(view) if layout.player]
    if layout.shared:
        lines.append(_items(view, layout.shared, ()))
    if layout.own and view.seat is not None:
        lines.append(_items(view, layout.own, (view.seat,)))
    return lines


def _items(view: Seeing, items: Sequence[core.ViewItem], slots: Sequence[Value]) -> str:
    shown = [item for item in items if view.holds(item.condition, slots)]
    return " | ".join(f"{item.title} {_item(view, item, slots)}" for item in shown)


def _item(view: Seeing, item: core.ViewItem, slots: Sequence[Value]) -> str:
    if item.pool is None:
        return view.text(item.text, slots)
    counts = view.counters(item.pool, slots)
    return ", ".join(f"{view.label(kind, type)} {HIDDEN if n is None else n}" for type, kind, n in counts)


def _seats(view: Seeing) -> range:
    return range(view.setting.players)


def _panel(view: Seeing, panel: core.PanelView) -> list[str]:
    """The lines of a panel; none where this seat may not know the lists that it goes through."""
    try:
        match panel:
            case core.BoardView():
                return _board(view, panel)
            case core.TrackView():
                rows = [_track(view, panel, seat) for seat in (_seats(view) if panel.per_player else (None,))]
            case core.MapView():
                names = view.setting.program.boards[panel.board].names
                rows = [_place(view, panel, (at,), f"{name}: ") for at, name in enumerate(names)]
            case core.DialsView():
                rows = list(_dials(view, panel))
            case core.HandView():
                rows = [] if view.seat is None else [_hand(view, panel, view.seat)]
            case core.PilesView():
                rows = [" | ".join(_piles(view, panel))]
    except (Hidden, RulesetFault):
        return []
    return [panel.title, *rows] if panel.title and rows else rows


def _track(view: Seeing, track: core.TrackView, seat: int | None) -> str:
    head = "" if seat is None else f"P{seat + 1}: "
    places = [_place(view, track, (seat, item)) for item in view.value(track.items, _room(view, (seat,)))]
    return f"{head}{' | '.join(places)}"


def _place(view: Seeing, panel: core.TrackView | core.MapView, slots: Sequence[Value], head: str = "") -> str:
    """What stands in a place, and what lies there."""
    text = " ".join(view.text(panel.text, slots).split())
    if panel.under is None:
        return f"{head}{text}"
    try:
        things = view.value(panel.under, _room(view, slots))
        type = item_type(panel.under.type)
        lying = [HIDDEN if isinstance(thing, Unknown) else view.label(thing, type) for thing in things]
    except (Hidden, RulesetFault):
        lying = [HIDDEN]
    return f"{head}{text} + {', '.join(lying)}" if lying else f"{head}{text}"


def _dials(view: Seeing, dials: core.DialsView) -> Iterator[str]:
    for seat in _seats(view) if dials.per_player else (None,):
        head = "" if seat is None else f"P{seat + 1}, "
        items = dials.items
        for item in (None,) if items is None else view.value(items, _room(view, (seat,))):
            slots = (seat, item)
            title = dials.title if items is None else view.label(item, item_type(items.type))
            at = _known(view, dials.at, slots)
            note = "" if dials.note is None else view.text(dials.note, slots)
            yield f"{head}{title}: {at}{f' ({note})' if note else ''}"


def _known(view: Seeing, expr: core.Expr, slots: Sequence[Value]) -> str:
    try:
        return view.label(view.value(expr, _room(view, slots)), expr.type)
    except (Hidden, RulesetFault):
        return HIDDEN


def _hand(view: Seeing, hand: core.HandView, seat: int) -> str:
    cards = view.value(hand.items, _room(view, (seat,)))
    texts = [HIDDEN if isinstance(card, Unknown) else view.text(hand.text, (seat, card)) for card in cards]
    return ", ".join(texts) or "–"


def _piles(view: Seeing, piles: core.PilesView) -> Iterator[str]:
    for pile in piles.piles:
        if view.holds(pile.condition):
            cards = view.value(pile.cards, _room(view, ()))
            top = "" if not cards or isinstance(cards[0], Unknown) else view.label(cards[0], item_type(pile.cards.type))
            yield f"{pile.title} {len(cards)}{f': {top}' if top else ''}"


def _room(view: Seeing, slots: Sequence[Value]) -> list[Value]:
    return [*slots, *[None] * max(view.setting.layout_slots - len(slots), 0)]


def _board(view: Seeing, board: core.BoardView) -> list[str]:
    grid = view.grid(board)
    if grid is None:
        return []
    rows = [["", *grid.columns], *([label, *cells] for label, cells in grid.rows)]
    if not board.headings:
        rows = [row[1:] for row in rows[1:]]
    lines = [line for row in rows for line in zip_longest(*(cell.split("\n") for cell in row), fillvalue="")]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    placed: Callable[[str, int], str] = str.ljust if len(lines) == len(rows) else str.center
    title = [board.title] if board.title else []
    return [*title, *("  ".join(map(placed, line, widths)).rstrip() for line in lines)]
