"""Lay out panels, alone or one below the other, as lines of a given width and height.

Grids and maps are drawn in :mod:`lusory.ui.model.board_and_map_layout`. :mod:`lusory.ui.model.screen_layout` divides a
whole screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    blank,
    cut_line,
    drop_characters,
    join_lines,
    measure,
    measure_text,
    measure_widest,
    pad_line,
    place_beside,
    restyle,
    share_columns,
    split_words,
    take_characters,
    to_text,
    trim_line,
    wrap_line,
    wrap_lines,
)
from .board_and_map_layout import lay_out_grid, lay_out_map
from .screen import SENTENCE, Card, Cell, Column, Dials, Grid, Hand, Head, Item, Items, Map, Panel, Piles, Players

GAP = 2
"""Columns between neighbouring entries."""
LEAST_TEXT = 24
"""Columns that the printed text of a card needs beside its name."""
SHORT_ROWS = 2
"""Rows that the short forms of a hand may take in any case, since names alone say too little."""
MISSING = "–"
NARROW = 70
"""Columns from which on players always have whole gaps between their columns."""
TITLE = 8
"""A column of players is at least this wide, or as wide as its title and cells if these are narrower."""


def select_panels(panels: Sequence[Panel], columns: int) -> tuple[Panel, ...]:
    """Return the panels that a screen of ``columns`` shows, in order, without what needs a wider screen.

    :class:`Items` lose the items, and :class:`Players` the columns, with a ``since`` greater than ``columns``. They
    stay even if none is left. Any other panel is left out if its own ``since`` is greater. ``columns`` is the width of
    the whole screen, which may be more than that of the panels.
    """
    shown_panels: list[Panel] = []
    for panel in panels:
        if isinstance(panel, Items):
            shown_panels.append(replace(panel, items=tuple(item for item in panel.items if item.since <= columns)))
        elif isinstance(panel, Players):
            shown_columns = (column for column in panel.columns if column.since <= columns)
            shown_panels.append(replace(panel, columns=tuple(shown_columns)))
        elif panel.since <= columns:
            shown_panels.append(panel)
    return tuple(shown_panels)


def lay_out_panel(panel: Panel, columns: int, rows: int | None = None) -> list[Line]:
    """Lay out a panel in ``columns``, and if possible in ``rows``. No card is left out, so it can exceed ``rows``.

    The title is dim, above the content; without content, the result is empty. If any card of a hand has a printed text
    and there is room, each card begins a line, with its text beside it. Otherwise texts are shortened, then left out.
    If a hand still exceeds ``rows``, its title moves beside the cards or before the first one, if that takes fewer
    rows: ``Your hand  Axe  Imp``. If that is not enough, each card takes its ``short``. This needs a ``short`` of every
    card, and room in ``rows``, in :data:`SHORT_ROWS` (2) rows, or in as many as the names take. Otherwise only the
    names are left behind the title, if they take fewer rows.
    """
    title = wrap_line((Run(panel.title, dim=True),), columns) if panel.title else []
    body = _lay_out_body(panel, columns, None if rows is None else rows - len(title))
    lines = [*title, *body] if body else []
    if rows is None or len(lines) <= rows or not isinstance(panel, Hand):
        return lines
    if len(title) == 1:
        title_line = (*title[0], *blank(GAP))
        room = columns - measure(title_line)
        beside_lines = (
            place_beside([[title_line], _lay_out_body(panel, room, rows)], [columns - room, room])
            if room > columns // 2
            else lines
        )
        first, *other_entries = _list_cards(panel)
        lines = min(lines, beside_lines, pack_entries([(*title_line, *first), *other_entries], columns), key=len)
    names = _lay_out_names(panel, columns)
    return (
        lines
        if len(lines) <= rows
        else _lay_out_short_forms(panel, columns, max(rows, len(names), SHORT_ROWS)) or min(lines, names, key=len)
    )


def _lay_out_body(panel: Panel, columns: int, rows: int | None) -> list[Line]:
    if isinstance(panel, Items):
        return pack_entries(flow_entries(panel), columns) if panel.is_in_line else _lay_out_items(panel.items, columns)
    if isinstance(panel, Players):
        return _lay_out_players(panel, columns)
    if isinstance(panel, Grid):
        return _lay_out_texts(panel, columns, rows) or lay_out_grid(panel, columns, rows)
    if isinstance(panel, Map):
        return lay_out_map(panel, columns, rows)
    if isinstance(panel, Dials):
        return _lay_out_dials(panel, columns)
    if isinstance(panel, Hand):
        return _lay_out_hand(panel, columns, rows)
    return _lay_out_piles(panel, columns)


# ---------------------------------------------------------------- items


def flow_entries(panel: Items) -> list[Line]:
    """Return one line for each item of a panel, in order: its title, dim with a blank behind, and its content.

    ``Gold 5`` is ``(Run("Gold ", dim=True), Run("5"))``. An item without a title has only the content, perhaps ``()``.
    ``Run(" ")`` stands between the lines of its cell. The result is empty for a panel without items.
    """
    entries: list[Line] = []
    for item in panel.items:
        title: Line = (Run(f"{item.title} ", dim=True),) if item.title else ()
        entries.append((*title, *join_lines(item.cell.lines, " ")))
    return entries


def pack_entries(entries: Iterable[Line], columns: int, gap: int = GAP + 1) -> list[Line]:
    """Pack entries into lines of at most ``columns``, in order, with ``gap`` blanks between entries.

    An entry that does not fit on the line starts the next one. If it is wider than a line, it is wrapped, with further
    lines indented by ``GAP`` blanks. The next entry may follow its last part. A word wider than a line is cut, with an
    ellipsis. Example: ``aaa``, ``bb`` and ``cc dd ee ff`` in 10 columns give ``aaa   bb``, ``cc dd ee`` and ``  ff``.
    """
    lines: list[Line] = []
    line: Line = ()
    for entry in entries:
        if line and measure(line) + gap + measure(entry) > columns:
            lines.append(line)
            line = ()
        line = (*line, *blank(gap), *entry) if line else entry
        if measure(line) > columns:
            *full, line = wrap_line(line, columns, GAP)
            lines += full
    return [*lines, line] if line else lines


def _lay_out_items(items: Sequence[Item], columns: int) -> list[Line]:
    """Lay out values one below the other, with their titles, dim, in a column at the left.

    Titles get a third of the width, or more if the values leave more. Values without lines are left out.
    """
    title_width = max((measure_text(item.title) for item in items), default=0)
    value_width = max((measure_widest(item.cell.lines) for item in items), default=0)
    most = min(title_width, max(columns // 3, columns - GAP - value_width))
    indent = most + GAP if most else 0
    lines: list[Line] = []
    for item in items:
        title = wrap_line((Run(item.title, dim=True),), most) if most and item.title else []
        value_lines = wrap_lines(item.cell.lines, columns - indent)
        lines += place_beside([title, value_lines], [most, columns - indent], indent - most) if value_lines else []
    return lines


# ---------------------------------------------------------------- players


def _lay_out_players(panel: Players, columns: int) -> list[Line]:
    """Lay out a row for each player, below the titles of the columns.

    Cells that are too wide are shortened, then wrapped. In less than ``NARROW`` columns, the gaps shrink before that.
    Attributes with ``has_own_line``, and the last columns if there are too many, get lines of their own below the
    player's row.
    """
    filled_columns = [column for column in panel.columns if any(cell is not None for cell in column.cells)]
    side = [column for column in filled_columns if not column.has_own_line]
    below = [column for column in filled_columns if column.has_own_line]
    heads = [_write_head(head) for head in panel.heads]
    head_width = measure_widest(heads)
    while side and sum(map(_get_least_width, side)) + GAP * len(side) > columns - head_width:
        below.insert(0, side.pop())
    free = columns - head_width - sum(map(_measure_shortest, side))
    gap = 1 if columns < NARROW and len(side) <= free < GAP * len(side) else GAP
    widths, blocks = _measure_columns(side, columns - head_width - gap * len(side))
    lines: list[Line] = []
    if side:
        titles = [wrap_line((Run(column.title, dim=True),), width) for column, width in zip(side, widths, strict=True)]
        height = max(map(len, titles))
        for title_row in zip(*([*[()] * (height - len(title)), *title] for title in titles), strict=True):
            lines.append(_join_cells([blank(head_width), *title_row], [head_width, *widths], gap))
    for number, head in enumerate(heads):
        cells = [block[number] for block in blocks]
        for row in range(max([1, *map(len, cells)])):
            texts = [head if row == 0 else (), *(cell[row] if row < len(cell) else () for cell in cells)]
            lines.append(_join_cells(texts, [head_width, *widths], gap))
        for column in below:
            lines += _lay_out_below(column, number, head_width, columns)
    return lines


def _join_cells(cells: Sequence[Line], widths: Sequence[int], gap: int) -> Line:
    line: list[Run] = []
    for number, (cell, columns) in enumerate(zip(cells, widths, strict=True)):
        line += blank(gap if number else 0)
        line += pad_line(cell, columns) if number < len(cells) - 1 else cut_line(cell, columns)
    return trim_line(line)


def _write_head(head: Head) -> Line:
    """Return the name of a player. A mark shows whose turn it is, even without colours."""
    viewer_mark: Line = (Run(" (you)", dim=True),) if head.is_viewer else ()
    return (Run("▸" if head.must_decide else " ", bold=True), *head.line, *viewer_mark)


def _lay_out_below(column: Column, number: int, head_width: int, columns: int) -> list[Line]:
    cell = column.cells[number]
    if cell is None or not cell.lines:
        return []
    title = (Run(f"{column.title} ", dim=True),)
    indent = 2
    return [
        (*blank(indent), *line) for line in wrap_line((*title, *join_lines(cell.lines, " ")), columns - indent, GAP)
    ]


def _measure_columns(columns: Sequence[Column], room: int) -> tuple[list[int], list[list[list[Line]]]]:
    """Return the width of each column, and for each column the lines of the cell of each player.

    If the columns don't fit, first the cells that gain most are shortened, then all cells are wrapped. Titles wrap
    first, and get only the room that the cells leave.
    """
    blocks = [[_get_cell_lines(cell) for cell in column.cells] for column in columns]
    short = [[_get_cell_lines(cell, is_short=True) for cell in column.cells] for column in columns]
    titles = [measure_text(column.title) for column in columns]
    words = [_measure_longest_word((Run(column.title),)) for column in columns]
    for i in sorted(range(len(columns)), key=lambda i: _measure_block(short[i]) - _measure_block(blocks[i])):
        is_shorter = _measure_block(short[i]) < _measure_block(blocks[i])
        if is_shorter and sum(map(max, map(_measure_block, blocks), words)) > room:
            blocks[i] = short[i]
    cells = list(map(_measure_block, blocks))
    if sum(map(max, cells, words)) <= room:
        widths = share_columns(list(map(max, cells, words)), list(map(max, cells, titles)), room)
    else:
        longest = [max((_measure_longest_word(line) for lines in rows for line in lines), default=0) for rows in blocks]
        least = list(map(max, map(min, longest, cells), map(min, words, [TITLE] * len(words))))
        widths = share_columns(least, cells, room)
    wrapped_blocks = [
        [wrap_lines(lines, width) for lines in block] for block, width in zip(blocks, widths, strict=True)
    ]
    return list(map(max, map(_measure_block, wrapped_blocks), map(min, widths, titles))), wrapped_blocks


def _measure_longest_word(line: Line) -> int:
    return measure_widest(split_words(line))


def _get_least_width(column: Column) -> int:
    """Return the minimum width of a column. A column with less room moves to lines of its own."""
    return min(TITLE, max(measure_text(column.title), _measure_block([_get_cell_lines(cell) for cell in column.cells])))


def _get_cell_lines(cell: Cell | None, is_short: bool = False) -> list[Line]:
    if cell is None:
        return [(Run(MISSING, dim=True),)]
    return list((cell.short or cell.lines) if is_short else cell.lines) or [()]


def _measure_shortest(column: Column) -> int:
    """Return the width of a column in which no short cell and no word of the title is broken."""
    return max(
        _measure_longest_word((Run(column.title),)),
        _measure_block([_get_cell_lines(cell, is_short=True) for cell in column.cells]),
    )


def _measure_block(block: Sequence[Sequence[Line]]) -> int:
    return measure_widest(line for lines in block for line in lines)


# ---------------------------------------------------------------- dials, hands, piles


def _lay_out_dials(panel: Dials, columns: int) -> list[Line]:
    """Lay out dials, one below the other: `` a →[b]→ c ↺``.

    The current face stands in brackets, and each mark ``◂`` behind the face that something leads to. If a dial is too
    wide, its faces are shortened and then wrapped.
    """
    head_width = measure_widest(dial.head for dial in panel.dials)
    lines: list[Line] = []
    for dial in panel.dials:
        width = sum(measure(join_lines(_get_cell_lines(face), " ")) + 3 for face in dial.faces)
        is_short = head_width + 1 + width > columns
        line: list[Run] = [*pad_line(dial.head, head_width), *blank(bool(head_width))]
        for number, face in enumerate(dial.faces):
            is_current = number == dial.current
            text = join_lines(_get_cell_lines(face, is_short), " ")
            leads = [mark for index, mark in dial.marks if index == number]
            if number:
                line.append(Run("→", dim=True))
            line += [Run("[" if is_current else " ", bold=True), *(restyle(text, bold=True) if is_current else text)]
            line += [run for mark in leads for run in (Run("◂", bold=True), *mark)]
            line.append(Run("]" if is_current else " ", bold=True))
        if dial.faces:
            line.append(Run("↺", dim=True))
        if dial.notes:
            line += [*blank(GAP), *dial.notes]
        lines += wrap_line(tuple(line), columns, head_width + 1)
    return lines


def _lay_out_hand(panel: Hand, columns: int, rows: int | None) -> list[Line]:
    """Lay out a hand: each card with its printed text, as much of it as there is room for, or the cards alone.

    If ``rows`` are too few for all texts, each text has one line. Texts are then extended to their first whole sentence
    where there is room, then to the second one, and so on, the shortest first.
    """
    entries = _list_cards(panel)
    if not any(card.text for card in panel.cards):
        return _arrange_in_columns(entries, columns)
    name_width = measure_widest(entries) + GAP
    room = columns - name_width
    if room < LEAST_TEXT:
        return _arrange_in_columns(entries, columns)
    texts = [wrap_line(card.text, room) if card.text else [()] for card in panel.cards]
    if rows is not None and sum(map(len, texts)) > rows:
        if len(entries) > rows:
            return _arrange_in_columns(entries, columns)
        spare = rows - len(entries)
        texts = [[_fit_beginning(card.text, room)] for card in panel.cards]
        most = max(len(to_text(card.text).split(SENTENCE)) for card in panel.cards)
        for sentences in range(1, most + 1):
            longer = [wrap_line(_cut_after_sentences(card.text, sentences), room) or [()] for card in panel.cards]
            for i in sorted(range(len(entries)), key=lambda i: len(longer[i])):
                if 0 < len(longer[i]) - len(texts[i]) <= spare:
                    spare -= len(longer[i]) - len(texts[i])
                    texts[i] = longer[i]
    pairs = zip(entries, texts, strict=True)
    return [line for entry, text in pairs for line in place_beside([[entry], text], [name_width, room])]


def _lay_out_texts(panel: Grid, columns: int, rows: int | None) -> list[Line]:
    """Lay out a grid of cards one below the other, each with its whole printed text.

    Returns [] without texts, if ``columns`` or ``rows`` are too few, and if a cell doesn't show the name of its card.
    Nobody could tell whose text it is.
    """
    cells = [cell for row in panel.rows for cell in row.cells if cell is not None]
    if not all(any(run.of == cell.of for line in cell.lines for run in line) for cell in cells):
        return []
    cards = [join_lines(cell.lines, " ") for row in panel.rows for cell in row.cells if cell is not None]
    name_width = measure_widest(cards) + GAP
    if not panel.texts or columns - name_width < LEAST_TEXT:
        return []
    texts = [wrap_line(text, columns - name_width) or [()] for text in panel.texts]
    if rows is not None and sum(map(len, texts)) > rows:
        return []
    pairs = zip(cards, texts, strict=True)
    return [line for card, text in pairs for line in place_beside([[card], text], [name_width, columns - name_width])]


def draw_texts(cards: Sequence[tuple[Line, Line]], columns: int, rows: int | None = None) -> list[Line]:
    """Lay out names and printed texts of cards below ``What cards say``, in at most ``rows`` lines.

    ``cards`` holds pairs of name and text. Each text is drawn whole or not at all: the first ones go first, but one
    that is too long for the rows left is passed over. Each begins a line, ``NAME: TEXT``, and its further lines are
    indented by two columns. If any are missing, the last line is ``F2 shows the texts of 2 more cards.``, or
    ``1 more card`` for one. The title and this last line count as rows. The result is empty without cards, or if no
    text fits.
    """
    title: Line = (Run("What cards say", dim=True),)
    entries = [(*restyle(name, bold=True), Run(": "), *text) for name, text in cards]
    texts = [wrap_line(entry, columns, GAP) for entry in entries]
    if rows is None or sum(map(len, texts)) < rows:
        return [title, *(line for text in texts for line in text)] if texts else []
    lines: list[Line] = []
    n_left = len(texts)
    for text in texts:
        if len(lines) + len(text) + 2 <= rows:
            lines, n_left = [*lines, *text], n_left - 1
    note = (Run(f"F2 shows the texts of {n_left} more {'card' if n_left == 1 else 'cards'}.", dim=True),)
    return [title, *lines, note] if lines else []


def list_contents(panel: Map, columns: int, rows: int | None, viewer: str = "") -> list[Line]:
    """Return the things in the spaces of a map, ``Mill: Guard, Miller``, in ``columns`` and, if given, ``rows``.

    Spaces with things of ``viewer``, a reference such as ``Player:P1``, come first, then those of other players.
    Without a viewer, those of all players come first. The words behind the last colon of ``panel.title``, if it has
    one, stand before them: ``Map: Town`` gives ``Town   Mill: Guard   Inn: Axe``. They are left out if all spaces fit
    only without them, or if the first space and the note don't fit beside them. Spaces without things are left out. If
    some spaces do not fit, the note ``F2: the others`` stands last; a short space after a long one may still be shown.
    Returns [] if all spaces are empty, or if none fits together with this note.
    """
    entries = [
        (*(run for run in node.cell.lines[0] if run.of == node.cell.of), Run(": "), *join_lines(content_lines))
        for node in panel.nodes
        if (content_lines := [line for line in node.cell.lines[1:] if to_text(line).strip()])
    ]
    entries.sort(key=lambda line: not any(run.of.startswith("Player:") for run in line))
    entries.sort(key=lambda line: not any(run.of == viewer for run in line))
    title = panel.title.rpartition(": ") if entries else ("", "", "")
    head: list[Line] = [(Run(title[2], dim=True),)] if title[1] else []
    note: Line = (Run("F2: the others", dim=True),)
    lines = pack_entries([*head, *entries], columns)
    if rows is None or len(lines) <= rows:
        return lines
    if len(lines := pack_entries(entries, columns)) <= rows:
        return lines
    for shown_entries in ([*head, *entries[:1]], entries[:1], []):
        for entry in entries[1:] if len(pack_entries([*shown_entries, note], columns)) <= rows else ():
            if len(pack_entries([*shown_entries, entry, note], columns)) <= rows:
                shown_entries.append(entry)
        if shown_entries and len(lines := pack_entries([*shown_entries, note], columns)) <= rows:
            return lines
    return []


def _cut_after_sentences(text: Line, count: int) -> Line:
    """Return the first sentences of a card. ``…`` stands for what is missing, if it is more than one was asked for."""
    sentences = to_text(text).split(SENTENCE)
    first = take_characters(text, len(SENTENCE.join(sentences[:count])))
    return (*first, Run(" …")) if 1 < count < len(sentences) else first


def _fit_beginning(text: Line, columns: int) -> Line:
    """Return as many of the sentences of a card as fit, or a part of the first one. ``…`` stands for what is missing.

    If the first sentence is too long, the effect of the ability matters more than its cost: ``Battle …: Destroy``.
    """
    if measure(text) <= columns:
        return text
    fitting = length = 0
    for sentence in to_text(text).split(SENTENCE):
        length += len(sentence) + (len(SENTENCE) if length else 0)
        if measure(take_characters(text, length)) > columns - 2:
            break
        fitting = length
    if fitting:
        return (*take_characters(text, fitting), Run(" …"))
    match = _CONDITIONS.match(to_text(text))
    line = (
        text
        if match is None
        else (*take_characters(text, match.end(1)), Run(" …"), *drop_characters(text, match.end(2)))
    )
    return cut_line(line, columns)


_CONDITIONS = re.compile(r"([^,(:]*[^,(: ])( ?[,(][^:]{3,})(?=: )")
"""Match the conditions of an ability behind its first words, up to the colon."""


def _list_cards(panel: Hand) -> list[Line]:
    """Return one entry for each kind of card in a hand, with the number of cards."""
    return [_add_count(card, join_lines(card.cell.lines, " ")) for card in panel.cards]


def _add_count(card: Card, line: Line) -> Line:
    count: Line = (Run(f"{card.count}× ", bold=True),) if card.count > 1 else ()
    return restyle((*count, *line), dim=True) if card.is_dim else (*count, *line)


def _lay_out_short_forms(panel: Hand, columns: int, rows: int) -> list[Line]:
    """Lay out the author's short forms of the cards behind the title.

    The title loses a remark behind ``;``, and if rows are few, all text behind the colon. Then a remark at the end of a
    card loses all text after a comma. Empty if a card has no short form, and if they take more than ``rows``.
    """
    if not all(card.short for card in panel.cards):
        return []
    full_entries = [_add_count(card, card.short) for card in panel.cards]
    titles = (panel.title.partition(";")[0], panel.title.partition(":")[0])
    for entries in (full_entries, [_remove_remark(entry) for entry in full_entries]):
        for title in titles:
            first: Line = (Run(f"{title}  ", dim=True),) if title else ()
            lines = pack_entries([(*first, *entries[0]), *entries[1:]], columns, GAP)
            if len(lines) <= rows:
                return lines
    return []


def _remove_remark(entry: Line) -> Line:
    """Return ``Axe (2)`` for the entry ``Axe (2, Tool)``."""
    match = re.search(r"\([^(),]*(,[^()]*)\)$", to_text(entry))
    return entry if match is None else (*take_characters(entry, match.start(1)), Run(")"))


def _lay_out_names(panel: Hand, columns: int) -> list[Line]:
    """Lay out the names of the cards in a hand, without remarks in brackets, behind the first words of the title."""
    title = panel.title.partition(":")[0]
    entries = [_add_count(card, _find_name(join_lines(card.cell.lines, " "))) for card in panel.cards]
    first: Line = (Run(f"{title}  ", dim=True),) if title else ()
    return pack_entries([(*first, *entries[0]), *entries[1:]], columns)


def _find_name(line: Line) -> Line:
    """Return the thing that a text names first, without a remark in brackets. A text that names none stays whole."""
    name_run = next((run for run in line if run.of and run.text.strip()), None)
    return line if name_run is None else (replace(name_run, text=name_run.text.partition(" (")[0]),)


def _arrange_in_columns(entries: Sequence[Line], columns: int) -> list[Line]:
    """Arrange entries row by row in columns of equal width, ``GAP`` apart, or pack them if that takes fewer lines.

    Packing is done by :func:`pack_entries`. The columns are as wide as the widest entry. Entries as wide as ``columns``
    are wrapped, one below the other. Lines have no blanks at their ends.
    """
    packed_lines = pack_entries(entries, columns)
    width = min(measure_widest(entries), columns)
    across = max((columns + GAP) // (width + GAP), 1)
    if -(-len(entries) // across) > len(packed_lines):
        return packed_lines
    if width == columns:
        return [line for entry in entries for line in wrap_line(entry, columns, GAP)]
    rows = [entries[i : i + across] for i in range(0, len(entries), across)]
    return [trim_line(join_lines((pad_line(entry, width) for entry in row), " " * GAP)) for row in rows]


def _lay_out_piles(panel: Piles, columns: int) -> list[Line]:
    entries: list[Line] = []
    for pile in panel.piles:
        top: Line = () if pile.top is None else (Run(": ", dim=True), *join_lines(pile.top.lines, " "))
        entries.append((*restyle(pile.title, dim=True), Run(f" {pile.count}"), *top))
    return pack_entries(entries, columns)


def stack_panels(panels: Sequence[Panel], columns: int) -> list[Line]:
    """Place panels one below the other, with an empty line between them.

    The panels are those that :func:`select_panels` keeps of ``panels`` for ``columns``. They have one of four places,
    in this order: ``header``, ``players``, ``table`` and ``own``. Panels of one place keep their order. Each stands as
    :func:`lay_out_panel` gives it. Panels without lines are left out.
    """
    order = ("header", "players", "table", "own")
    shown_panels = sorted(select_panels(panels, columns), key=lambda panel: order.index(panel.place))
    blocks = [block for panel in shown_panels if (block := lay_out_panel(panel, columns))]
    return [line for number, block in enumerate(blocks) for line in ([()] if number else []) + block]
