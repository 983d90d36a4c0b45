"""Divide a screen into regions: head, players, table, what happened, question, options, preview and keys.

This order is the same at every size. From :data:`WIDE` columns on, what happened and the preview stand in a column of
their own at the right. The question, the preview and the rows of the players always stay on the screen: the table gives
up its rows first. Each region gets its place and its lines; front ends only draw them. The lines of one panel come from
:mod:`lusory.ui.model.panel_lines`, and the list of options from :mod:`lusory.ui.model.option_rows`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...explain.event_sentences import Deed
from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    blank,
    cut_line,
    drop_characters,
    end_sentence,
    join_lines,
    measure,
    name_player,
    pad_line,
    restyle,
    take_characters,
    to_text,
    trim_line,
    wrap_line,
)
from .board_and_map_layout import count_linked_rows
from .game_result_and_score_history import lay_out_ending
from .option_rows import fit_groups, list_entries
from .option_tree_and_choice_in_progress import begin, list_keys, write_picks
from .panel_lines import LEAST_TEXT, card_texts, flow_entries, lay_out_panel, list_contents, pack_entries, select_panels
from .screen import Cell, Grid, Hand, Items, Map, Panel, Place, Players, Question, Screen

MOST_TITLE_LINES = 6
"""Rows that a long question takes at most."""
WIDE = 110
"""Terminals of at least this many columns show the story and the preview beside the table."""
SIDE, MOST_SIDE = 38, 56
"""Columns of the right column, and how far it grows on very wide terminals."""
LEFT = 81
"""Columns of the left column before the right one grows."""
PREVIEW = 2
"""Rows of the preview below the options. Beside the table it gets a quarter of the rows."""
OPTIONS_BESIDE = 8
"""Rows that the table of a wide terminal leaves to the list of options. The preview takes none of its rows."""
LEAST_TABLE, LEAST_OPTIONS, LEAST_STORY = 3, 4, 2
CONTENTS, CONTENTS_BESIDE = 2, 6
"""Rows that a map keeps for the list of what is in its spaces, if the list of options leaves them: in a narrow and in a
wide terminal."""
LEAST_BELOW_MAP = 3
"""Rows of a list that scrolls below a map with links which needs the others."""
ALL = 100
"""A list of this many rows takes the place of the table."""
MOST_STORY = 4
"""Rows below the table, with the title, that the story may take before texts of cards do."""
LEAST_STORY_TITLE = 22
"""Terminals with fewer rows have no title above the story."""
HOME, ABOUT = 100, 20
"""Scores for keeping in sight the viewer's own piece, and each thing that options are about."""
REST = "F2 shows the rest of the table."
_SENTENCE_END = re.compile(r"[.?!] (?=[A-Z])")


class Part(NamedTuple):
    """Hold a region: its left column and top row, its size, its lines, and the index of the first visible line.

    ``lines`` may hold more or fewer lines than ``height``.
    """

    x: int
    y: int
    width: int
    height: int
    lines: list[Line]
    first: int = 0


Parts = dict[str, Part]
"""Name of a region -> its part, from top to bottom. Regions without rows are left out."""


@dataclass(frozen=True)
class Asked:
    """Hold what stands in the lower regions.

    Attributes:
        title: The question in one sentence, or what the players wait for.
        notes: Lines below it: the picks so far, and the open group.
        options: Returns the list of options for a number of columns and rows.
        preview: The title of the preview and its lines, for a number of columns. No title leaves the region out.
        most: The number of rows that the list may take if the table needs the others, or 0 for a share of the screen.
        least: The number of rows that the list takes even if it has fewer lines.
        visible: The number of rows of which a longer list scrolls, so that the table gets the others. 0 shows all.
    """

    title: Line = ()
    notes: tuple[Line, ...] = ()
    options: Callable[[int, int], list[Line]] = lambda columns, rows: []
    preview: Callable[[int], tuple[str, list[Line]]] = lambda columns: ("", [])
    most: int = 0
    least: int = 0
    visible: int = 0


def measure_side_column(columns: int) -> int:
    """Return the width of the right column of a terminal of ``columns``, or 0 below :data:`WIDE`.

    It is what ``LEFT`` columns and one more leave, but from ``SIDE`` to ``MOST_SIDE``.
    """
    return min(max(SIDE, columns - LEFT - 1), MOST_SIDE) if columns >= WIDE else 0


def _limit_option_rows(rows: int) -> int:
    """Return the largest number of rows that a list of options takes: 30 % of the terminal's ``rows``, from 4 to 16."""
    return max(4, min(rows * 3 // 10, 16))


def _get_least_story_rows(lines: int, spare: int, is_wide: bool) -> int:
    """Return the least rows of the story, which has ``lines``. ``spare`` is what the whole table leaves for it.

    The story gets two rows, unless the second one would hide the last row of the table. Wide terminals show it beside.
    """
    return 0 if is_wide else min(lines, 1 if 0 <= spare < LEAST_STORY else LEAST_STORY)


def _divide_rows(
    list_rows: int, free: int, table_rows: int, story_rows: int, mapped: int, most_options: int, is_wide: bool
) -> tuple[int, int, int]:
    """Return the least rows of the story, the rows left for table and list, and the most rows of the list.

    ``list_rows`` is the number that the list may take if the table needs the others, or 0 for ``most_options``.
    ``free`` is the number of rows for table, story and list. A map with links keeps the ``mapped`` rows of the lowest
    table that shows it whole: first the list gives up rows, then the story.
    """
    spare = free - table_rows - (list_rows or LEAST_OPTIONS)
    least_story = _get_least_story_rows(story_rows, spare, is_wide)
    if mapped:
        least_story = max(min(least_story, free - mapped - LEAST_BELOW_MAP), 0)
    room = free - least_story
    most = max(list_rows or most_options, room - table_rows - 1)
    return least_story, room, max(min(most, room - mapped), LEAST_BELOW_MAP) if mapped else most


def _with_free_rows(height: int, options: int, free: int, needed: int) -> tuple[int, int]:
    """Return the rows of a list that scrolls, and those for the other regions.

    ``height`` and ``free`` are these numbers before. Of ``free``, the table and the story need ``needed``. The list
    takes the others up to its ``options`` lines.
    """
    more = max(min(free - needed, options - height), 0)
    return height + more, free - more


def draw_title_bar(title: Line, columns: int, right: str = "") -> Line:
    """Return the title line of a region, ``columns`` wide: ``── What happened ───────── F3 all ──``.

    A title that is too long is cut and ends with ``…``, so that a rule of at least two columns follows it. One column
    of the title always stays, so the line can be wider than ``columns``. ``right`` and the rules are dim. Without
    ``right``, the rule runs to the end.
    """
    rule = "─"
    end: Line = (Run(f" {right} ", dim=True), Run(rule * 2, dim=True)) if right else ()
    start: Line = (Run(rule * 2, dim=True), Run(" "), *cut_line(title, max(columns - measure(end) - 6, 1)), Run(" "))
    return (*start, Run(rule * max(columns - measure(start) - measure(end), 0), dim=True), *end)


class Arranging:
    """Lay out a screen for any terminal size, and cache the panels. Most keys don't change the room of a panel.

    The regions are ``head``, ``players``, ``table``, ``story_title``, ``story``, ``title``, ``options``, ``divider``,
    ``preview_title``, ``preview`` and ``keys``. ``players`` also holds the hand if the table scrolls.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.panels: tuple[Panel, ...] = ()
        """The panels at the width of ``_columns``."""
        self._is_kept = False
        """Whether one of them is a board of tall boxes on a narrow terminal. Grids then have no titles."""
        self._columns = self._listed = 0
        self._maps: dict[int, Map] = {}
        """The maps of which the screen draws short texts, with the full texts that are listed below."""
        self._lines_of: dict[tuple[int, int, int, int | None, int], list[Line]] = {}

    def parts(
        self, asked: Asked, columns: int, rows: int, keys: int = 1, wanted: Collection[str] = (), story: bool = True
    ) -> Parts:
        """Return the regions by name, downwards: head, players, table, story, title, options, preview, keys.

        Above story and preview are ``story_title`` and ``preview_title``. On a wide terminal, these four follow options
        and ``divider``, right of it. Empty regions are left out, but not ``head``, ``keys`` (no lines, ``keys`` rows)
        and a wide terminal's story. A narrow terminal has no ``story_title`` if it has fewer than 22 rows, or only one
        row for title and story. The table scrolls to ``wanted`` references. Without ``story``, the story is empty.
        """
        is_wide, side = self._select_panels(columns)
        left, body = columns - side - is_wide, rows - 1 - keys
        title = _make_title_lines(asked, left)
        below = PREVIEW + 1 if asked.preview(side or columns)[0] and not is_wide else 0
        table_rows = self._count_natural_rows(left) + (self._count_status_rows(left) if is_wide else 0)
        story_rows = sum(map(len, sentences := self.story(side or columns) if story else []))
        fixed, limit = len(title) + below, _limit_option_rows(rows)
        room_of_table = 0 if asked.most == ALL else body - 2 - (0 if is_wide else PREVIEW + 1)
        boards, steady = self._count_stable_rows(left, room_of_table, min(limit, OPTIONS_BESIDE if is_wide else rows))
        # A list that scrolls keeps the entries, and so the numbers, that it has with all its rows.
        told_rows = min(story_rows, 1) if self._is_kept else story_rows
        sizes = (body - fixed, table_rows, told_rows, self._count_map_rows(left, boards), limit, is_wide)
        options = asked.options(left, _divide_rows(asked.most, *sizes)[2])
        least_story, room, most = _divide_rows(asked.visible or asked.most, *sizes)
        # The list opens and closes groups to fit, which changes what is highlighted.
        previewed = asked.preview(side or columns)
        height = min(max(len(options), asked.least), most, max(room - min(table_rows, LEAST_TABLE), LEAST_OPTIONS))
        most_rows = (free := body - fixed - height) - least_story
        kept = max(len(options) - height, 0) + (0 if is_wide else max(min(story_rows + 1, MOST_STORY) - least_story, 0))
        players, table, first = self._table(left, (most_rows, most_rows - kept, steady, boards), wanted)
        over = min(len(players) + len(table), most_rows)
        height, free = _with_free_rows(height, len(options), free, over + (0 if is_wide else story_rows + 1))
        found: Parts = {"head": Part(0, 0, columns, 1, [draw_head_line(self.screen, columns)])}
        y = 1

        def put(name: str, lines: list[Line], height: int, x: int = 0, width: int = left, first: int = 0) -> None:
            nonlocal y
            if height > 0:
                found[name] = Part(x, y, width, height, lines, first)
                y += height

        put("players", players, len(players))
        if is_wide:
            put("table", table, free - len(players), first=first)
        else:
            bars = min(int(rows >= LEAST_STORY_TITLE and story_rows > 0), max(free - over - 1, 0))
            taken = min(story_rows + bars, free - over)
            put("table", table, free - len(players) - taken, first=first)
            put("story_title", [draw_title_bar((Run("What happened", dim=True),), columns, "F3 all")], bars)
            told = show_newest(sentences, taken - bars)
            put("story", told, taken - bars, first=max(len(told) - taken + bars, 0))
        put("title", title, len(title))
        put("options", options, height)
        if is_wide:
            self._add_right_column(found, sentences, previewed, left, columns, body)
        elif previewed[0]:
            put("preview_title", [draw_title_bar((Run(previewed[0], bold=True),), columns)], 1)
            put("preview", previewed[1], PREVIEW, width=columns)
        found["keys"] = Part(0, rows - keys, columns, keys, [])
        return found

    def _select_panels(self, columns: int) -> tuple[bool, int]:
        """Take the panels for a screen of ``columns``. Return whether it is wide, and the columns of its right side."""
        if columns != self._columns:
            panels, self._columns = select_panels(self.screen.panels, columns), columns
            left = columns - measure_side_column(columns) - 1
            self.panels = tuple(_with_short_texts(p, left) if isinstance(p, Map) else p for p in panels)
            pairs = enumerate(zip(panels, self.panels, strict=True))
            self._maps = {at: whole for at, (whole, p) in pairs if isinstance(whole, Map) and whole is not p}
            self._is_kept = columns < WIDE and any(map(_is_tall, self.panels))
            if self._is_kept:
                self.panels = tuple(
                    replace(p, title="", frame="none" if _is_tall(p) else p.frame) if isinstance(p, Grid) else p
                    for p in self.panels
                )
        return columns >= WIDE, measure_side_column(columns)

    def _add_right_column(
        self,
        found: Parts,
        sentences: list[list[Line]],
        preview: tuple[str, list[Line]],
        left: int,
        columns: int,
        body: int,
    ) -> None:
        """Add the right column to ``found``: a vertical rule, what happened above, and the preview below.

        ``sentences`` is the story as :meth:`story` returns it. ``preview`` is a title and its lines. Without a title,
        what happened takes the whole column. Otherwise the preview gets a quarter of ``body``, the number of rows
        between head and keys. If it has more lines, it gets up to half, or what the newest of the story leaves.
        """
        title, lines = preview
        side = columns - left - 1
        news = sum(map(len, _wrap_sentences(self.screen.story, side - 2, False)))
        found["divider"] = Part(left, 1, 1, body, [(Run("│", dim=True),)] * body)
        low = min(max(len(lines), body // 4), body - 2 - min(max(news, body // 4), body // 2)) if title else 0
        high = body - low - (2 if title else 1)
        x, y = left + 1, 1
        told = show_newest(sentences, high)
        found["story_title"] = Part(x, y, side, 1, [draw_title_bar((Run("What happened", dim=True),), side, "F3 all")])
        found["story"] = Part(x, y + 1, side, high, told, max(len(told) - high, 0))
        if title:
            found["preview_title"] = Part(x, y + 1 + high, side, 1, [draw_title_bar((Run(title, bold=True),), side)])
            found["preview"] = Part(x, y + 2 + high, side, low, lines)

    def story(self, columns: int) -> list[list[Line]]:
        """Return a list of lines for each heading and sentence since the viewer's last decision.

        They fit a region of ``columns``, with two to spare. Each line begins with a blank, a sentence ends with a full
        stop, and a heading is bold. Upkeep is left out, housekeeping, too, if there is anything else (see
        :func:`drop_housekeeping`), and a heading without sentences, unless it ends the story. A region of at most
        ``MOST_SIDE`` columns stands beside the table: it begins with what happened before, dim.
        """
        news = drop_housekeeping(self.screen.story)
        has_news = any(not (deed.heading or deed.is_upkeep) for deed in news)
        told = _wrap_sentences(news if has_news else self.screen.story, columns - 2, False)
        if columns > MOST_SIDE:
            return told
        # The heading of what comes first in the story may stand before it.
        before = (*self.screen.history, *(self.screen.story if has_news else ()))
        whole = _wrap_sentences(drop_housekeeping(before), columns - 2, False)
        earlier = whole[: len(whole) - len(told)] if has_news else whole
        return [*([restyle(line, dim=True) for line in sentence] for sentence in earlier), *told]

    # ------------------------------------------------------------ the table

    def _find_panels(self, *places: Place) -> list[int]:
        """Return the indices of the panels in the given places: hands first, then in the order of ``places``.

        Panels that only fill rows are left out.
        """
        found = [at for at, panel in enumerate(self.panels) if panel.place in places and not _is_spare(panel)]
        return sorted(found, key=lambda at: (not self._is_hand(at), places.index(self.panels[at].place)))

    def _is_hand(self, at: int) -> bool:
        return isinstance(self.panels[at], Hand)

    def _draw_panel(self, at: int, columns: int, rows: int | None = None) -> list[Line]:
        """Return the laid-out lines of a panel. If a map has short texts, the list of things stands below it."""
        key = (self._columns, at, columns, rows, self._listed if at in self._maps and rows is not None else 0)
        if key not in self._lines_of:
            contents, own = self._maps.get(at), self._own()[0]
            listed = len(list_contents(contents, columns, self._listed, own)) if contents else 0
            lines = lay_out_panel(self.panels[at], columns, None if rows is None else rows - listed)
            if contents:
                lines = [*lines, *list_contents(contents, columns, None if rows is None else rows - len(lines), own)]
            self._lines_of[key] = lines
        return self._lines_of[key]

    def _count_natural_rows(self, columns: int) -> int:
        return sum(len(self._draw_panel(at, columns - 1)) for at in self._find_panels("players", "own", "table"))

    def _count_status_rows(self, columns: int) -> int:
        return len(pack_entries(_list_status_values(self.screen, self._columns)[1], columns - 1))

    def _count_stable_rows(self, columns: int, room: int, options: int) -> tuple[int, int]:
        """Return the rows of the players and of the maps with their links, and the rows that a map may take.

        ``room`` is the number of rows for the table and the list of options. Both depend on the size of the terminal
        alone. The first is 0 if the table has no such map, or if the list would have too few rows.
        """
        boards = self._count_board_rows(columns)
        least = LEAST_OPTIONS if room - boards >= LEAST_OPTIONS else LEAST_BELOW_MAP
        if room - boards < least:
            boards = 0
        self._listed = CONTENTS_BESIDE if self._columns >= WIDE else CONTENTS
        if boards:
            # The room is for one row of cards.
            left = room + 1 - self._count_least_hand_rows(columns) - boards - LEAST_BELOW_MAP
            self._listed = max(min(self._listed, left), 0)
            boards += self._listed if self._maps else 0
        return boards, room - min(options, max(room - boards, LEAST_BELOW_MAP if boards else LEAST_OPTIONS))

    def _count_board_rows(self, columns: int) -> int:
        """Return the rows of the players and of the maps with their links, or 0 if there is no map with links."""
        maps = [panel for panel in self.panels if isinstance(panel, Map) and panel.edges]
        rows = [count_linked_rows(panel, columns - 1) for panel in maps]
        if not all(rows) or not rows:
            return 0
        players = sum(len(self._draw_panel(at, columns - 1)) for at in self._find_panels("players"))
        return players + sum(rows) + sum(bool(panel.title) for panel in maps)

    def _count_map_rows(self, columns: int, boards: int) -> int:
        """Return the rows of the lowest table that shows maps whole: with the shortest hands and without titles.

        ``boards`` is what :meth:`_count_board_rows` returns. Without maps, when it is 0, the result is 0, or the rows
        of the whole table if ``_is_kept``.
        """
        status = self._count_status_rows(columns)
        if not boards:
            return self._count_natural_rows(columns) + status if self._is_kept else 0
        titles = sum(isinstance(panel, Map) and bool(panel.edges and panel.title) for panel in self.panels)
        return boards - titles + self._count_least_hand_rows(columns) + status

    def _count_least_hand_rows(self, columns: int) -> int:
        """Return the rows of the hands in their shortest forms."""
        return sum(
            len(self._draw_panel(at, columns - 1, 1)) for at in self._find_panels("own", "table") if self._is_hand(at)
        )

    def _table(
        self, columns: int, rooms: tuple[int, int, int, int], wanted: Collection[str]
    ) -> tuple[list[Line], list[Line], int]:
        """Return the rows that always stay, the lines of the table, and the first line of the table to show.

        The viewer's own rows come first, then the hand. If there is too little room, panels take smaller forms, then
        the table scrolls below the players and the hand. Free rows show texts of cards, and beside the story boards
        take them first.

        ``rooms`` holds four numbers of rows: those of the table; those of it that card texts may fill; those that the
        table has at every question, which decide the forms of hands and maps; those of players and linked maps, or 0.
        """
        columns -= 1
        rows, fillable, steady, boards = rooms
        status = pack_entries(_list_status_values(self.screen, self._columns)[1], columns)
        players = [line for at in self._find_panels("players") for line in self._draw_panel(at, columns)]
        lying = self._find_panels("own", "table")
        # Headings without the viewer's row below them would say nothing.
        most = max(rows - (LEAST_TABLE if lying else 0), min(self._find_own_row(players) + 2, rows - 1), 1)
        if len(players) > most:
            players = [*players[: most - 1], (Run(REST, dim=True),)]
        room = max(rows - len(players), 0)
        blocks = [self._draw_panel(at, columns) for at in lying]
        least = [len(block) if self._is_hand(at) else 2 for at, block in zip(lying, blocks, strict=True)]
        maps = [number for number, at in enumerate(lying) if isinstance(self.panels[at], Map)]
        for number in maps:
            least[number] = boards - len(players) if boards and len(maps) == 1 else LEAST_TABLE
        for number, at in enumerate(lying):
            if self._is_hand(at):
                others = sum(least[n] if n in maps else len(blocks[n]) for n in range(len(lying)) if n != number)
                blocks[number] = self._draw_panel(at, columns, max(steady - len(players) - len(status) - others, 1))
                least[number] = len(blocks[number])
        for number in maps:
            others = sum(map(len, blocks)) - len(blocks[number]) + len(status) + len(players)
            blocks[number] = self._draw_panel(lying[number], columns, max(steady - others, least[number]))
            if others + len(blocks[number]) > steady:
                blocks[number] = self._draw_untitled(lying[number], blocks[number], columns)
        for number in reversed(range(len(lying))):
            over = sum(map(len, blocks)) + len(status) - room
            if over > 0 and not self._is_hand(lying[number]) and not _is_tall(self.panels[lying[number]]):
                smaller = self._draw_panel(lying[number], columns, max(len(blocks[number]) - over, least[number]))
                blocks[number] = min(smaller, blocks[number], key=len)
        for number in reversed(range(len(lying))):
            if sum(map(len, blocks)) + len(status) > room and number not in maps and not self._is_hand(lying[number]):
                blocks[number] = self._draw_untitled(lying[number], blocks[number], columns)
        spare = room - sum(map(len, blocks)) - len(status)
        blocks, spare = self._with_texts(lying, blocks, columns, spare, rows - fillable)
        hand = [line for at, block in zip(lying, blocks, strict=True) if self._is_hand(at) for line in block]
        table = [*status, *(line for at, b in zip(lying, blocks, strict=True) if not self._is_hand(at) for line in b)]
        fillers = self._list_fillers(columns, spare)
        table += [*fillers, *card_texts(self._list_untold([*hand, *table], wanted), columns, spare - len(fillers))]
        stays: list[Line] = []
        if len(hand) + len(table) > room > len(status) + LEAST_TABLE + len(hand):
            # The rest scrolls below the values that count at every decision, such as prices.
            stays, table, room = status, table[len(status) :], room - len(status)
        if len(hand) + len(table) > room >= len(hand) + min(LEAST_TABLE, len(table)):
            stays, room = [*hand, *stays], room - len(hand)
        else:
            table = [*hand, *table]
        return [*players, *stays], table, self._find_first_line(table, room, wanted)

    def _find_first_line(self, table: Sequence[Line], rows: int, wanted: Collection[str]) -> int:
        """Return the first line of a table to show, see :func:`find_first_line`. A player alone sees its top."""
        return find_first_line(table, rows, self._own(), wanted if len(self.screen.names) > 1 else ())

    def _with_texts(
        self, lying: Sequence[int], blocks: Sequence[list[Line]], columns: int, spare: int, kept: int
    ) -> tuple[list[list[Line]], int]:
        """Return the lines of panels in the larger forms for which rows are free, and the number of rows still free.

        ``lying`` holds the index of each panel, ``blocks`` its lines, and ``spare`` is the number of free rows. Boards
        may take all of them, and lists of what is in spaces all but ``kept``. Texts of cards take what these leave.
        """
        found = list(blocks)
        for number, at in enumerate(lying):
            if spare > 0 and self._columns >= WIDE and isinstance(self.panels[at], Grid):
                larger = self._draw_panel(at, columns, len(blocks[number]) + spare)
                found[number] = max(blocks[number], larger, key=len)
                spare -= len(found[number]) - len(blocks[number])
        spare -= kept
        for number, at in enumerate(lying):
            if spare > 0 and at in self._maps:
                found[number] = self._draw_panel(at, columns, len(blocks[number]) + spare)
                spare -= len(found[number]) - len(blocks[number])
        for number, at in enumerate(lying):
            if spare > 0 and self._is_hand(at):
                found[number] = self._draw_panel(at, columns, len(blocks[number]) + spare)
                spare -= len(found[number]) - len(blocks[number])
        return found, spare

    def _list_fillers(self, columns: int, rows: int) -> list[Line]:
        """Return the values that only fill rows, or their short forms, or the first of these that fit in ``rows``."""
        panels = [panel for panel in self.panels if isinstance(panel, Items) and panel.is_spare]
        brief = [
            replace(p, items=tuple(replace(i, cell=Cell(i.cell.short or i.cell.lines)) for i in p.items))
            for p in panels
        ]
        most = max((len(panel.items) for panel in panels), default=0)
        fewer = ([replace(panel, items=panel.items[:count]) for panel in brief] for count in range(most, 0, -1))
        for forms in (panels, *fewer):
            lines = [line for panel in forms for line in lay_out_panel(panel, columns)]
            if len(lines) <= rows:
                return lines
        return []

    def _list_untold(self, lines: Sequence[Line], wanted: Collection[str]) -> list[tuple[Line, Line]]:
        """Return the name and the text of each card on the table, and of those in the hand that ``lines`` don't tell.

        Cards of the hand that options are about come first, then the others of the hand, then those on the table that
        aren't in the hand.
        """
        shown = "".join("".join(map(to_text, lines)).split())
        held = [card for panel in self.panels if isinstance(panel, Hand) for card in panel.cards if card.text]
        held.sort(key=lambda card: not any(run.of in wanted for line in card.cell.lines for run in line if run.of))
        names = {run.text for card in held for line in card.cell.lines for run in line if run.of}
        return [
            *(
                (join_lines(card.cell.lines, " "), card.text)
                for card in held
                if "".join(to_text(card.text).split())[:LEAST_TEXT] not in shown
            ),
            *((name, text) for name, text in self.screen.texts if to_text(name) not in names),
        ]

    def _draw_untitled(self, at: int, lines: list[Line], columns: int) -> list[Line]:
        """Return the lines of a panel without its title."""
        title = self.panels[at].title
        return lines[len(wrap_line((Run(title),), columns)) :] if title else lines

    def _own(self) -> tuple[str, str]:
        """Return the reference and the colour of the viewer."""
        for panel in self.panels:
            for head in panel.heads if isinstance(panel, Players) else ():
                if head.you and head.line:
                    return head.line[0].of, head.line[0].colour
        return "", ""

    def _find_own_row(self, players: Sequence[Line]) -> int:
        """Return the index of the viewer's first line among those of the players, or 0 for a spectator."""
        of = self._own()[0]
        return next((at for at, line in enumerate(players) if of and any(run.of == of for run in line)), 0)


def _is_tall(panel: Panel) -> bool:
    """Return whether a panel is a board of boxes with several lines. Its form depends on the terminal's width alone."""
    return (
        isinstance(panel, Grid)
        and panel.frame == "boxes"
        and any(c and c.lines[1:] for r in panel.rows for c in r.cells)
    )


def _with_short_texts(panel: Map, columns: int) -> Map:
    """Return a map with the short texts of its spaces, in columns that fill the screen evenly.

    It comes back unchanged if these name all things that are there. A title with a colon is left out, see
    :func:`list_contents`.
    """
    drawn = {run.of for node in panel.nodes for line in node.cell.short or node.cell.lines for run in line}
    if all(run.of in drawn for node in panel.nodes for line in node.cell.lines for run in line):
        return panel
    across = max(node.across for node in panel.nodes) + 1
    nodes = (replace(node, cell=Cell(node.cell.short or node.cell.lines[:1], of=node.cell.of)) for node in panel.nodes)
    title = "" if ": " in panel.title else panel.title
    return replace(panel, title=title, nodes=tuple(nodes), step=max((columns - 3) // across, 1))


def _is_spare(panel: Panel) -> bool:
    return isinstance(panel, Items) and panel.is_spare


def _make_title_lines(asked: Asked, columns: int) -> list[Line]:
    """Return the title of the question in a bar above the options, or in lines below a bar if it is too long.

    Below a bar each sentence begins a line, if all have room. If there are more than ``MOST_TITLE_LINES`` lines, the
    last ends with `` …``. Each note follows in at most 2 lines. Empty without a title and notes.
    """
    if not asked.title and not asked.notes:
        return []
    title = restyle(asked.title, bold=True)
    if measure(title) <= columns - 8:
        return [
            draw_title_bar(title, columns),
            *(part for note in asked.notes for part in wrap_line(note, columns)[:2]),
        ]
    lines = [part for sentence in _split_sentences(title) for part in wrap_line(sentence, columns - 1, 2)]
    if len(lines) > MOST_TITLE_LINES:
        lines = wrap_line(title, columns - 1)
    notes = (part for note in asked.notes for part in wrap_line(note, columns)[:2])
    if len(lines) > MOST_TITLE_LINES:
        lines = [*lines[: MOST_TITLE_LINES - 1], (*lines[MOST_TITLE_LINES - 1], Run(" …"))]
    return [draw_title_bar((Run("Your decision", dim=True),), columns), *lines, *notes]


def _split_sentences(line: Line) -> list[Line]:
    """Return the sentences of a line, each without the blank that follows it. A line of one sentence gives itself.

    A sentence ends where a full stop, ``?`` or ``!`` comes before a blank and a capital letter from A to Z.
    """
    ends = [found.end() for found in _SENTENCE_END.finditer(to_text(line))]
    starts = [0, *ends]
    whole = [
        take_characters(drop_characters(line, start), end - start) for start, end in zip(starts, ends, strict=False)
    ]
    return [*map(trim_line, whole), drop_characters(line, starts[-1])]


def find_first_line(table: Sequence[Line], rows: int, own: tuple[str, str], wanted: Collection[str] = ()) -> int:
    """Return the index of the first of the ``rows`` lines of a table to show, so that important things are visible.

    Each window of ``rows`` lines scores ``HOME`` if it has the viewer's own reference, ``ABOUT`` for each other one of
    ``wanted`` that it has, however often, and 1 for each run in the viewer's colour. The highest score wins, among
    equals the topmost window. ``own`` is the viewer's reference and colour, both "" for spectators. Returns 0 if the
    whole table fits.
    """
    of, colour = own
    if len(table) <= rows:
        return 0
    stands = [{run.of for run in line if run.of and (run.of == of or run.of in wanted)} for line in table]
    coloured = [sum(bool(colour) and run.colour == colour for run in line) for line in table]

    def worth(first: int) -> tuple[int, int]:
        seen = set().union(*stands[first : first + rows])
        return (HOME * (of in seen) + ABOUT * len(seen - {of}) + sum(coloured[first : first + rows]), -first)

    return max(range(len(table) - rows + 1), key=worth)


def _list_status_values(screen: Screen, columns: int) -> tuple[list[Line], list[Line]]:
    """Return the values of the ``header`` panels, with their titles: those that fit on the head line, and the others.

    Both are in the order of the panels. The first list ends before the first value for which title and phase leave no
    room, so narrower values after it are among the others.
    """
    panels = [panel for panel in select_panels(screen.panels, columns) if isinstance(panel, Items)]
    entries = [entry for panel in panels if panel.place == "header" for entry in flow_entries(panel)]
    room = columns - measure(_name_of(screen)) - 4
    first: list[Line] = []
    while entries and measure(entries[0]) + 3 <= room:
        room -= measure(entries[0]) + 3
        first.append(entries.pop(0))
    return first, entries


def _name_of(screen: Screen) -> Line:
    phase: Line = (Run(" · "), *restyle(screen.phase, dim=False)) if screen.phase else ()
    return (Run(f" {screen.title}", bold=True), *phase)


def draw_head_line(screen: Screen, columns: int) -> Line:
    """Return the head line, ``columns`` wide: `` Title · Round 3            Gold 5   Wood 12 ``.

    The values at the right are those of the ``header`` panels, up to the first value that does not fit beside title and
    phase. So a panel may be shown in part. Title and phase are cut only if they are longer than the line.
    """
    right = [run for entry in _list_status_values(screen, columns)[0] for run in (*blank(3), *entry)]
    name = cut_line(_name_of(screen), columns)
    if not right:
        return pad_line(name, columns)
    return (*pad_line(name, max(columns - measure(right) - 1, 1)), *right, *blank(1))


def drop_housekeeping(deeds: Sequence[Deed]) -> list[Deed]:
    """Return a story without housekeeping, and without the headings of phases that had nothing else.

    A heading at the end of ``deeds`` stays as it is. Any other that only names a part takes over the whole from the
    heading left out before it: ``Round 2 · Draw`` and ``Battle`` become ``Round 2 · Battle``.
    """
    found: list[Deed] = []
    for deed in deeds:
        if deed.is_housekeeping:
            continue
        if deed.heading and found and found[-1].heading:
            whole, dot, _ = to_text(found.pop().line).rpartition(" · ")
            is_part = bool(dot) and deed is not deeds[-1] and " · " not in to_text(deed.line)
            deed = replace(deed, line=(Run(whole + dot), *deed.line)) if is_part else deed
        found.append(deed)
    if found and found[-1].heading and not deeds[-1].heading:
        found.pop()
    return found


def wrap_story(deeds: Sequence[Deed], columns: int, details: bool = False) -> list[Line]:
    """Return the story as wrapped lines: an indented sentence with a full stop for each deed, and headings in bold.

    A heading stands only above a sentence, or as the last line. With ``details``, the dim effects of each deed follow
    it; without, upkeep is left out. Empty if nothing has happened.
    """
    return [line for sentence in _wrap_sentences(deeds, columns, details) for line in sentence]


def _wrap_sentences(deeds: Sequence[Deed], columns: int, details: bool) -> list[list[Line]]:
    """Return the lines of each heading, sentence and effect of a story, see :func:`wrap_story`."""
    found: list[list[Line]] = []
    heading: list[list[Line]] = []
    for deed in deeds:
        if deed.heading:
            heading = [wrap_line((Run(" "), *restyle(deed.line, bold=True)), columns, 2)]
        elif details or not deed.is_upkeep:
            found += heading
            heading = []
            found.append([(Run(" "), *line) for line in wrap_line(end_sentence(deed.line), columns - 1, 2)])
        for detail in deed.details if details else ():
            found.append(wrap_line((Run("     "), *restyle(detail, dim=True)), columns, 7))
    # The last heading is the end of the game.
    return [*found, *heading] if deeds and deeds[-1].heading else found


def show_newest(sentences: Sequence[list[Line]], rows: int) -> list[Line]:
    """Return the lines of all sentences of a story, so that the last ``rows`` lines begin with one of them.

    The sentence that doesn't fit whole there keeps only the first lines that do, with a dim `` …`` at their end. The
    others stay whole: of ``a``, ``b c d`` and ``e``, a line each, 3 rows give ``a``, ``b``, ``c …``, ``e``.
    """
    lines: list[Line] = []
    for at in range(len(sentences) - 1, -1, -1):
        left, sentence = rows - len(lines), sentences[at]
        if len(sentence) > left:
            earlier = [line for one in sentences[:at] for line in one]
            short = [*sentence[: left - 1], (*sentence[left - 1], Run(" …", dim=True))] if left > 0 else sentence
            return [*earlier, *short, *lines]
        lines = [*sentence, *lines]
    return lines


# ---------------------------------------------------------------- one page


def _lay_out_question(question: Question, columns: int, rows: int) -> Asked:
    """Return the lower regions of a question, with the first useful entry highlighted.

    ``columns`` and ``rows`` are the room for the list of options: groups open as far as they fit. The note holds the
    picks, for a choice of several or after earlier picks. The preview is empty if that entry is a group.
    """
    opened = fit_groups(begin(question), columns, rows)
    notes = (write_picks(opened),) if opened.is_picking or question.picked else ()
    first = opened.entries[opened.first_entry] if opened.entries else None
    option = None if first is None or first.is_group else question.options[first.options[0]]

    def lines(columns: int, rows: int) -> list[Line]:
        return list_entries(opened, opened.first_entry, columns, rows).lines

    def preview(columns: int) -> tuple[str, list[Line]]:
        title = f"If you choose {list_keys(opened)[opened.first_entry] if first is not None else 1}"
        if option is None:
            return (title, [])
        return (title, wrap_line((Run(" "), *join_lines(option.preview, " ")), columns - 1, 1))

    return Asked(question.prompt, notes, lines, preview)


def draw_page(screen: Screen, columns: int, rows: int | None = None) -> list[Line]:
    """Lay out a screen without its row of keys in ``columns`` and ``rows``, and return exactly ``rows`` lines.

    Blanks at the end of a line stay only if they have a background or are in reverse, as on a marked space. With
    ``rows`` None, the page has as many lines as everything takes (at most 200), without empty lines. The question
    stands at the bottom. The preview of its first useful option stands below, or to the right from ``WIDE`` columns on.
    Without a question, the result of a finished game, or the player that the game waits for, takes its place.
    """
    height = 200 if rows is None else rows
    arranging = Arranging(screen)
    left = columns - SIDE - 1 if columns >= WIDE else columns
    asked = lay_out_unasked(screen)
    if screen.question is not None:
        asked = _lay_out_question(screen.question, left, _limit_option_rows(height))
    parts = arranging.parts(asked, columns, height, keys=0)
    lines = draw_regions(parts, height)
    return lines if rows is not None else [line for line in lines if to_text(line).strip()]


def lay_out_unasked(screen: Screen) -> Asked:
    """Return the lower regions of a screen without a question: the result, or nothing but a title.

    With a result, the title is ``The game is over``, ``options`` has the lines of :func:`lay_out_ending`, and ``most``
    is ALL. Without one, the title is ``NAME decides …``, or ``()`` if nobody decides.
    """
    ending = screen.ending
    if ending is not None:
        lines = lambda columns, rows: lay_out_ending(ending, screen.names, columns)  # noqa: E731
        return Asked((Run("The game is over"),), (), lines, most=ALL)
    return Asked(() if screen.waiting is None else (name_player(screen.waiting, screen.names), Run(" decides …")))


def draw_regions(parts: Parts, rows: int) -> list[Line]:
    """Draw the regions on a page, and return exactly ``rows`` lines without blanks at their ends (:func:`trim_line`).

    Regions in one row are drawn from left to right, each from its line number ``first`` on. A row without a region, or
    below the lines of its region, is empty.
    """
    found: list[Line] = []
    for row in range(rows):
        line: list[Run] = []
        here = sorted((p for p in parts.values() if p.y <= row < p.y + p.height), key=lambda part: part.x)
        for part in here:
            at = part.first + row - part.y
            line += blank(part.x - measure(line))
            line += pad_line(part.lines[at], part.width) if at < len(part.lines) else blank(part.width)
        found.append(trim_line(line))
    return found
