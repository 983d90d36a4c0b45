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
from .panel_lines import LEAST_TEXT, draw_texts, flow_entries, lay_out_panel, list_contents, pack_entries, select_panels
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


class Region(NamedTuple):
    """Hold a region: its left column and top row, its size, its lines, and the index of the first visible line.

    ``lines`` may hold more or fewer lines than ``height``.
    """

    x: int
    y: int
    width: int
    height: int
    lines: list[Line]
    first: int = 0


Topics = Collection[str]
"""References of the things that options are about."""
Regions = dict[str, Region]
"""Name of a region -> its part, from top to bottom. Regions without rows are left out."""


@dataclass(frozen=True)
class Prompt:
    """Hold what stands in the lower regions.

    Attributes:
        title: The question in one sentence, or what the players wait for.
        notes: Lines below it: the picks so far, and the open group.
        options: Returns the list of options for a number of columns and rows.
        preview: The title of the preview and its lines, for a number of columns. No title leaves the region out.
        max_rows: The rows that the list may take if the table needs the others, or 0 for a share of the screen.
        min_rows: The number of rows that the list takes even if it has fewer lines.
        visible_rows: The number of rows of which a longer list scrolls, so that the table gets the others. 0 shows all.
    """

    title: Line = ()
    notes: tuple[Line, ...] = ()
    options: Callable[[int, int], list[Line]] = lambda columns, rows: []
    preview: Callable[[int], tuple[str, list[Line]]] = lambda columns: ("", [])
    max_rows: int = 0
    min_rows: int = 0
    visible_rows: int = 0


def measure_side_column(columns: int) -> int:
    """Return the width of the right column of a terminal of ``columns``, or 0 below :data:`WIDE`.

    It is what ``LEFT`` columns and one more leave, but from ``SIDE`` to ``MOST_SIDE``.
    """
    return min(max(SIDE, columns - LEFT - 1), MOST_SIDE) if columns >= WIDE else 0


def _limit_option_rows(rows: int) -> int:
    """Return the largest number of rows that a list of options takes: 30 % of the terminal's ``rows``, from 4 to 16."""
    return max(4, min(rows * 3 // 10, 16))


def _divide_rows(
    list_rows: int, free: int, table_rows: int, story_rows: int, map_rows: int, most_options: int, is_wide: bool
) -> tuple[int, int, int]:
    """Return the least rows of the story, the rows left for table and list, and the most rows of the list.

    ``list_rows`` is the number that the list may take if the table needs the others, or 0 for ``most_options``.
    ``free`` is the number of rows for table, story and list. A map with links keeps ``map_rows``, those of the lowest
    table that shows it whole: first the list gives up rows, then the story.
    """
    # The story gets two rows, unless the second would hide the last row of the table. Wide terminals show it beside.
    spare = free - table_rows - (list_rows or LEAST_OPTIONS)
    least_story = 0 if is_wide else min(story_rows, 1 if 0 <= spare < LEAST_STORY else LEAST_STORY)
    if map_rows:
        least_story = max(min(least_story, free - map_rows - LEAST_BELOW_MAP), 0)
    room = free - least_story
    most = max(list_rows or most_options, room - table_rows - 1)
    return least_story, room, max(min(most, room - map_rows), LEAST_BELOW_MAP) if map_rows else most


def _add_free_rows(height: int, option_count: int, free: int, needed_rows: int) -> tuple[int, int]:
    """Return the rows of a list that scrolls, and those for the other regions.

    ``height`` and ``free`` are these numbers before. The table and the story need ``needed_rows`` of ``free``. The
    list takes the others up to its ``option_count`` lines.
    """
    extra_rows = max(min(free - needed_rows, option_count - height), 0)
    return height + extra_rows, free - extra_rows


def draw_title_bar(title: Line, columns: int, right: str = "") -> Line:
    """Return the title line of a region, ``columns`` wide: ``── What happened ───────── F3 all ──``.

    A title that is too long is cut and ends with ``…``, so that a rule of at least two columns follows it. Without
    room for that, the rule is shorter or missing: ``── …  F3 all ──``. That is the least, even if ``columns`` is less.
    ``right`` and the rules are dim. Without ``right``, the rule runs to the end.
    """
    rule = "─"
    end: Line = (Run(f" {right} ", dim=True), Run(rule * 2, dim=True)) if right else ()
    start: Line = (Run(rule * 2, dim=True), Run(" "), *cut_line(title, max(columns - measure(end) - 6, 1)), Run(" "))
    return (*start, Run(rule * max(columns - measure(start) - measure(end), 0), dim=True), *end)


class ScreenLayout:
    """Lay out a screen for any terminal size, and cache the panels. Most keys don't change the room of a panel.

    The regions are ``head``, ``players``, ``table``, ``story_title``, ``story``, ``title``, ``options``, ``divider``,
    ``preview_title``, ``preview`` and ``keys``. ``players`` also holds the hand if the table scrolls.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.panels: tuple[Panel, ...] = ()
        """The panels at the width of ``_columns``."""
        self._has_tall_board = False
        """Whether one of them is a board of tall boxes on a narrow terminal. Grids then have no titles."""
        self._columns = self._listed_rows = 0
        self._maps: dict[int, Map] = {}
        """The maps of which the screen draws short texts, with the full texts that are listed below."""
        self._panel_lines: dict[tuple[int, int, int, int | None, int], list[Line]] = {}

    def lay_out(
        self, prompt: Prompt, columns: int, rows: int, keys: int = 1, topics: Topics = (), has_story: bool = True
    ) -> Regions:
        """Return a dict: head, players, table, story_title, story, title, options, preview_title, preview, keys.

        On a wide terminal, from ``WIDE`` (110) columns, divider, story and preview with their titles follow options,
        right of it. A narrow one has ``story_title`` only from 22 rows. Left out are a preview without a title, regions
        without rows from players to options, and without ``has_story`` the story (if wide, it has no lines). ``table``
        gets all other rows. It scrolls to the viewer's piece and, if several play, ``topics``. ``keys`` is a height.
        """
        is_wide, side = self._select_panels(columns)
        left, body = columns - side - is_wide, rows - 1 - keys
        title, limit = _make_title_lines(prompt, left), _limit_option_rows(rows)
        fixed_rows = len(title) + (PREVIEW + 1 if prompt.preview(side or columns)[0] and not is_wide else 0)
        table_rows = self._count_natural_rows(left) + (self._count_status_rows(left) if is_wide else 0)
        story_rows = sum(map(len, sentences := self.lay_out_story(side or columns) if has_story else []))
        table_room = 0 if prompt.max_rows == ALL else body - 2 - (0 if is_wide else PREVIEW + 1)
        board_rows, steady = self._count_stable_rows(left, table_room, min(limit, OPTIONS_BESIDE if is_wide else rows))
        # A list that scrolls keeps the entries, and so the numbers, that it has with all its rows.
        news_rows = min(story_rows, 1) if self._has_tall_board else story_rows
        sizes = (body - fixed_rows, table_rows, news_rows, self._count_map_rows(left, board_rows), limit, is_wide)
        options = prompt.options(left, _divide_rows(prompt.max_rows, *sizes)[2])
        least_story, room, most = _divide_rows(prompt.visible_rows or prompt.max_rows, *sizes)
        # The list opens and closes groups to fit, which changes what is highlighted.
        preview = prompt.preview(side or columns)
        height = min(max(len(options), prompt.min_rows), most, max(room - min(table_rows, LEAST_TABLE), LEAST_OPTIONS))
        most_rows = (free := body - fixed_rows - height) - least_story
        story_growth = 0 if is_wide else max(min(story_rows + 1, MOST_STORY) - least_story, 0)
        fillable = most_rows - max(len(options) - height, 0) - story_growth
        players, table, first = self._lay_out_table(left, (most_rows, fillable, steady, board_rows), topics)
        upper_rows = min(len(players) + len(table), most_rows)
        height, free = _add_free_rows(height, len(options), free, upper_rows + (0 if is_wide else story_rows + 1))
        regions: Regions = {"head": Region(0, 0, columns, 1, [draw_head_line(self.screen, columns)])}
        y = 1

        def put(name: str, lines: list[Line], height: int, width: int = left, first: int = 0) -> None:
            nonlocal y
            if height > 0:
                regions[name] = Region(0, y, width, height, lines, first)
                y += height

        put("players", players, len(players))
        if is_wide:
            put("table", table, free - len(players), first=first)
        else:
            bars = min(int(rows >= LEAST_STORY_TITLE and story_rows > 0), max(free - upper_rows - 1, 0))
            story_height = min(story_rows + bars, free - upper_rows)
            put("table", table, free - len(players) - story_height, first=first)
            put("story_title", [draw_title_bar((Run("What happened", dim=True),), columns, "F3 all")], bars)
            story_lines = _show_newest(sentences, story_height - bars)
            put("story", story_lines, story_height - bars, first=max(len(story_lines) - story_height + bars, 0))
        put("title", title, len(title))
        put("options", options, height)
        if is_wide:
            self._add_right_column(regions, sentences, preview, left, columns, body)
        elif preview[0]:
            put("preview_title", [draw_title_bar((Run(preview[0], bold=True),), columns)], 1)
            put("preview", preview[1], PREVIEW, width=columns)
        regions["keys"] = Region(0, rows - keys, columns, keys, [])
        return regions

    def _select_panels(self, columns: int) -> tuple[bool, int]:
        """Take the panels for a screen of ``columns``. Return whether it is wide, and the columns of its right side."""
        if columns != self._columns:
            panels, self._columns = select_panels(self.screen.panels, columns), columns
            left = columns - measure_side_column(columns) - 1
            self.panels = tuple(_shorten_texts(panel, left) if isinstance(panel, Map) else panel for panel in panels)
            pairs = enumerate(zip(panels, self.panels, strict=True))
            self._maps = {i: panel for i, (panel, short) in pairs if isinstance(panel, Map) and panel is not short}
            self._has_tall_board = columns < WIDE and any(map(_is_tall, self.panels))
            if self._has_tall_board:
                self.panels = tuple(
                    replace(panel, title="", frame="none" if _is_tall(panel) else panel.frame)
                    if isinstance(panel, Grid)
                    else panel
                    for panel in self.panels
                )
        return columns >= WIDE, measure_side_column(columns)

    def _add_right_column(
        self,
        regions: Regions,
        sentences: list[list[Line]],
        preview: tuple[str, list[Line]],
        left: int,
        columns: int,
        body: int,
    ) -> None:
        """Add the right column to ``regions``: a vertical rule, what happened above, and the preview below.

        ``sentences`` is the story as :meth:`lay_out_story` returns it. ``preview`` is a title and its lines. Without a
        title, what happened takes the whole column. Otherwise the preview gets a quarter of ``body``, the number of
        rows between head and keys. If it has more lines, it gets up to half, or what the newest of the story leaves.
        """
        title, lines = preview
        side = columns - left - 1
        news_rows = sum(map(len, _wrap_sentences(self.screen.story, side - 2, False)))
        regions["divider"] = Region(left, 1, 1, body, [(Run("│", dim=True),)] * body)
        low = min(max(len(lines), body // 4), body - 2 - min(max(news_rows, body // 4), body // 2)) if title else 0
        high = body - low - (2 if title else 1)
        x, y = left + 1, 1
        story_lines = [line for sentence in sentences for line in sentence]
        title_bar = draw_title_bar((Run("What happened", dim=True),), side, "F3 all")
        regions["story_title"] = Region(x, y, side, 1, [title_bar])
        regions["story"] = Region(x, y + 1, side, high, story_lines, max(len(story_lines) - high, 0))
        if title:
            title_bar = draw_title_bar((Run(title, bold=True),), side)
            regions["preview_title"] = Region(x, y + 1 + high, side, 1, [title_bar])
            regions["preview"] = Region(x, y + 2 + high, side, low, lines)

    def lay_out_story(self, columns: int) -> list[list[Line]]:
        """Return a list of lines for each heading and sentence since the viewer's last decision.

        They fit a region of ``columns``, with two to spare. Each line begins with a blank, and a heading is bold. A
        sentence gets a full stop, unless it ends with one, ``!``, ``?`` or ``…``. Deeds with ``is_upkeep`` are left
        out, and so is a heading without sentences, unless it ends the story. Deeds with ``is_housekeeping`` are left
        out by :func:`drop_housekeeping`, unless only headings and deeds with ``is_upkeep`` would remain. A region of at
        most ``MOST_SIDE`` (56) columns stands beside the table. There, the deeds of ``screen.history`` come first, dim.
        Example: ``Ann draws`` gives one line, ``[[line]]``, with the text “ Ann draws.”.
        """
        deeds = drop_housekeeping(self.screen.story)
        has_news = any(not (deed.heading or deed.is_upkeep) for deed in deeds)
        sentences = _wrap_sentences(deeds if has_news else self.screen.story, columns - 2, False)
        if columns > MOST_SIDE:
            return sentences
        # The heading of what comes first in the story may stand before it.
        earlier_deeds = (*self.screen.history, *(self.screen.story if has_news else ()))
        all_sentences = _wrap_sentences(drop_housekeeping(earlier_deeds), columns - 2, False)
        earlier_sentences = all_sentences[: len(all_sentences) - len(sentences)] if has_news else all_sentences
        return [*([restyle(line, dim=True) for line in sentence] for sentence in earlier_sentences), *sentences]

    # ------------------------------------------------------------ the table

    def _find_panels(self, *places: Place) -> list[int]:
        """Return the indices of the panels in the given places: hands first, then in the order of ``places``.

        Panels that only fill rows are left out.
        """
        fillers = [panel for panel in self.panels if isinstance(panel, Items) and panel.is_spare]
        indices = [i for i, panel in enumerate(self.panels) if panel.place in places and panel not in fillers]
        return sorted(indices, key=lambda i: (not self._is_hand(i), places.index(self.panels[i].place)))

    def _is_hand(self, index: int) -> bool:
        return isinstance(self.panels[index], Hand)

    def _draw_panel(self, index: int, columns: int, rows: int | None = None) -> list[Line]:
        """Return the laid-out lines of a panel. If a map has short texts, the list of things stands below it."""
        limit = self._listed_rows if index in self._maps and rows is not None else 0
        key = (self._columns, index, columns, rows, limit)
        if key not in self._panel_lines:
            full_map, viewer = self._maps.get(index), self._find_viewer()[0]
            listed_rows = len(list_contents(full_map, columns, self._listed_rows, viewer)) if full_map else 0
            lines = lay_out_panel(self.panels[index], columns, None if rows is None else rows - listed_rows)
            if full_map:
                lines = [*lines, *list_contents(full_map, columns, None if rows is None else rows - len(lines), viewer)]
            self._panel_lines[key] = lines
        return self._panel_lines[key]

    def _count_natural_rows(self, columns: int) -> int:
        return sum(len(self._draw_panel(i, columns - 1)) for i in self._find_panels("players", "own", "table"))

    def _count_status_rows(self, columns: int) -> int:
        return len(pack_entries(_list_status_values(self.screen, self._columns)[1], columns - 1))

    def _count_stable_rows(self, columns: int, room: int, options: int) -> tuple[int, int]:
        """Return the rows of the players and of the maps with their links, and the rows that a map may take.

        ``room`` is the number of rows for the table and the list of options. Both depend on the size of the terminal
        alone. The first is 0 if the table has no such map, or if the list would have too few rows.
        """
        board_rows = self._count_board_rows(columns)
        min_rows = LEAST_OPTIONS if room - board_rows >= LEAST_OPTIONS else LEAST_BELOW_MAP
        if room - board_rows < min_rows:
            board_rows = 0
        self._listed_rows = CONTENTS_BESIDE if self._columns >= WIDE else CONTENTS
        if board_rows:
            # The room is for one row of cards.
            room_for_list = room + 1 - self._count_least_hand_rows(columns) - board_rows - LEAST_BELOW_MAP
            self._listed_rows = max(min(self._listed_rows, room_for_list), 0)
            board_rows += self._listed_rows if self._maps else 0
        return board_rows, room - min(options, max(room - board_rows, LEAST_BELOW_MAP if board_rows else LEAST_OPTIONS))

    def _count_board_rows(self, columns: int) -> int:
        """Return the rows of the players and of the maps with their links, or 0 if there is no map with links."""
        maps = [panel for panel in self.panels if isinstance(panel, Map) and panel.edges]
        rows = [count_linked_rows(panel, columns - 1) for panel in maps]
        if not all(rows) or not rows:
            return 0
        players = sum(len(self._draw_panel(i, columns - 1)) for i in self._find_panels("players"))
        return players + sum(rows) + sum(bool(panel.title) for panel in maps)

    def _count_map_rows(self, columns: int, board_rows: int) -> int:
        """Return the rows of the lowest table that shows maps whole: with the shortest hands and without titles.

        ``board_rows`` is what :meth:`_count_board_rows` returns. Without maps, when it is 0, the result is 0, or the
        rows of the whole table if ``_has_tall_board``.
        """
        status = self._count_status_rows(columns)
        if not board_rows:
            return self._count_natural_rows(columns) + status if self._has_tall_board else 0
        titles = sum(isinstance(panel, Map) and bool(panel.edges and panel.title) for panel in self.panels)
        return board_rows - titles + self._count_least_hand_rows(columns) + status

    def _count_least_hand_rows(self, columns: int) -> int:
        """Return the rows of the hands in their shortest forms."""
        return sum(
            len(self._draw_panel(i, columns - 1, 1)) for i in self._find_panels("own", "table") if self._is_hand(i)
        )

    def _lay_out_table(
        self, columns: int, rooms: tuple[int, int, int, int], topics: Topics
    ) -> tuple[list[Line], list[Line], int]:
        """Return the rows that always stay, the lines of the table, and the first line of the table to show.

        If there is too little room, panels take smaller forms. Then the table scrolls below the players and the hand.
        ``rooms`` holds four numbers of rows. The first is that of the table, the second the part of it that card texts
        may fill. The third is the room at every question, which decides the forms of hands and maps. The fourth is that
        of players and linked maps, or 0.
        """
        columns -= 1
        rows, fillable, steady, board_rows = rooms
        status = pack_entries(_list_status_values(self.screen, self._columns)[1], columns)
        players = [line for i in self._find_panels("players") for line in self._draw_panel(i, columns)]
        panels = self._find_panels("own", "table")
        # Headings without the viewer's row below them would say nothing.
        most = max(rows - (LEAST_TABLE if panels else 0), min(self._find_own_row(players) + 2, rows - 1), 1)
        if len(players) > most:
            players = [*players[: most - 1], (Run(REST, dim=True),)]
        room = max(rows - len(players), 0)
        blocks = [self._draw_panel(i, columns) for i in panels]
        least = [len(block) if self._is_hand(i) else 2 for i, block in zip(panels, blocks, strict=True)]
        maps = [number for number, i in enumerate(panels) if isinstance(self.panels[i], Map)]
        for number in maps:
            least[number] = board_rows - len(players) if board_rows and len(maps) == 1 else LEAST_TABLE
        for number, i in enumerate(panels):
            if self._is_hand(i):
                other_rows = sum(least[n] if n in maps else len(blocks[n]) for n in range(len(panels)) if n != number)
                blocks[number] = self._draw_panel(i, columns, max(steady - len(players) - len(status) - other_rows, 1))
                least[number] = len(blocks[number])
        for number in maps:
            other_rows = sum(map(len, blocks)) - len(blocks[number]) + len(status) + len(players)
            blocks[number] = self._draw_panel(panels[number], columns, max(steady - other_rows, least[number]))
            if other_rows + len(blocks[number]) > steady:
                blocks[number] = self._draw_untitled(panels[number], blocks[number], columns)
        for number in reversed(range(len(panels))):
            excess = sum(map(len, blocks)) + len(status) - room
            if excess > 0 and not self._is_hand(panels[number]) and not _is_tall(self.panels[panels[number]]):
                smaller = self._draw_panel(panels[number], columns, max(len(blocks[number]) - excess, least[number]))
                blocks[number] = min(smaller, blocks[number], key=len)
        for number in reversed(range(len(panels))):
            if sum(map(len, blocks)) + len(status) > room and number not in maps and not self._is_hand(panels[number]):
                blocks[number] = self._draw_untitled(panels[number], blocks[number], columns)
        blocks, spare = self._enlarge(panels, blocks, columns, room - len(status), rows - fillable)
        pairs = [*zip(panels, blocks, strict=True)]
        hand = [line for i, block in pairs if self._is_hand(i) for line in block]
        table = [*status, *(line for i, block in pairs if not self._is_hand(i) for line in block)]
        fillers = self._list_fillers(columns, spare)
        table += [*fillers, *draw_texts(self._list_new_texts([*hand, *table], topics), columns, spare - len(fillers))]
        fixed_lines: list[Line] = []
        if len(hand) + len(table) > room > len(status) + LEAST_TABLE + len(hand):
            # The rest scrolls below the values that count at every decision, such as prices.
            fixed_lines, table, room = status, table[len(status) :], room - len(status)
        if len(hand) + len(table) > room >= len(hand) + min(LEAST_TABLE, len(table)):
            fixed_lines, room = [*hand, *fixed_lines], room - len(hand)
        else:
            table = [*hand, *table]
        # A player alone sees the top of the table.
        seen_topics = topics if len(self.screen.names) > 1 else ()
        return [*players, *fixed_lines], table, _find_first_line(table, room, self._find_viewer(), seen_topics)

    def _enlarge(
        self, panels: Sequence[int], blocks: Sequence[list[Line]], columns: int, room: int, kept_rows: int
    ) -> tuple[list[list[Line]], int]:
        """Return the lines of panels in the larger forms for which rows are free, and the number of rows still free.

        ``panels`` holds the index of each panel, ``blocks`` its lines, and ``room`` is the number of rows for all.
        Boards may take all free rows, and lists of what is in spaces all but ``kept_rows``. Texts of cards take the
        others.
        """
        new_blocks, spare = list(blocks), room - sum(map(len, blocks))
        for number, i in enumerate(panels):
            if spare > 0 and self._columns >= WIDE and isinstance(self.panels[i], Grid):
                larger = self._draw_panel(i, columns, len(blocks[number]) + spare)
                new_blocks[number] = max(blocks[number], larger, key=len)
                spare -= len(new_blocks[number]) - len(blocks[number])
        spare -= kept_rows
        for number, i in enumerate(panels):
            if spare > 0 and i in self._maps:
                new_blocks[number] = self._draw_panel(i, columns, len(blocks[number]) + spare)
                spare -= len(new_blocks[number]) - len(blocks[number])
        for number, i in enumerate(panels):
            if spare > 0 and self._is_hand(i):
                new_blocks[number] = self._draw_panel(i, columns, len(blocks[number]) + spare)
                spare -= len(new_blocks[number]) - len(blocks[number])
        return new_blocks, spare

    def _list_fillers(self, columns: int, rows: int) -> list[Line]:
        """Return the values that only fill rows, or their short forms, or the first of these that fit in ``rows``."""
        panels = [panel for panel in self.panels if isinstance(panel, Items) and panel.is_spare]
        brief_panels = [
            replace(panel, items=tuple(replace(i, cell=Cell(i.cell.short or i.cell.lines)) for i in panel.items))
            for panel in panels
        ]
        most = max((len(panel.items) for panel in panels), default=0)
        shorter = ([replace(panel, items=panel.items[:n]) for panel in brief_panels] for n in range(most, 0, -1))
        for forms in (panels, *shorter):
            lines = [line for panel in forms for line in lay_out_panel(panel, columns)]
            if len(lines) <= rows:
                return lines
        return []

    def _list_new_texts(self, lines: Sequence[Line], topics: Topics) -> list[tuple[Line, Line]]:
        """Return the name and the text of each card on the table, and of those in the hand that ``lines`` don't show.

        The cards of the hand come first, those that options are about before the others. Cards on the table that aren't
        in the hand follow.
        """
        shown_text = "".join("".join(map(to_text, lines)).split())
        cards = [card for panel in self.panels if isinstance(panel, Hand) for card in panel.cards if card.text]
        cards.sort(key=lambda card: not any(run.of in topics for line in card.cell.lines for run in line if run.of))
        names = {run.text for card in cards for line in card.cell.lines for run in line if run.of}
        return [
            *(
                (join_lines(card.cell.lines, " "), card.text)
                for card in cards
                if "".join(to_text(card.text).split())[:LEAST_TEXT] not in shown_text
            ),
            *((name, text) for name, text in self.screen.texts if to_text(name) not in names),
        ]

    def _draw_untitled(self, index: int, lines: list[Line], columns: int) -> list[Line]:
        """Return the lines of a panel without its title."""
        title = self.panels[index].title
        return lines[len(wrap_line((Run(title),), columns)) :] if title else lines

    def _find_viewer(self) -> tuple[str, str]:
        """Return the reference and the colour of the viewer."""
        for panel in self.panels:
            for head in panel.heads if isinstance(panel, Players) else ():
                if head.is_viewer and head.line:
                    return head.line[0].of, head.line[0].colour
        return "", ""

    def _find_own_row(self, players: Sequence[Line]) -> int:
        """Return the index of the viewer's first line among those of the players, or 0 for a spectator."""
        reference = self._find_viewer()[0]
        return next((i for i, line in enumerate(players) if reference and any(run.of == reference for run in line)), 0)


def _is_tall(panel: Panel) -> bool:
    """Return whether a panel is a board of boxes with several lines. Its form depends on the terminal's width alone."""
    return (
        isinstance(panel, Grid)
        and panel.frame == "boxes"
        and any(cell and cell.lines[1:] for row in panel.rows for cell in row.cells)
    )


def _shorten_texts(panel: Map, columns: int) -> Map:
    """Return a map with the short texts of its spaces, in columns that fill the screen evenly.

    It comes back unchanged if these name all things that are there. A title with a colon is left out, see
    :func:`list_contents`.
    """
    references = {run.of for node in panel.nodes for line in node.cell.short or node.cell.lines for run in line}
    if all(run.of in references for node in panel.nodes for line in node.cell.lines for run in line):
        return panel
    column_count = max(node.across for node in panel.nodes) + 1
    nodes = (replace(node, cell=Cell(node.cell.short or node.cell.lines[:1], of=node.cell.of)) for node in panel.nodes)
    title = "" if ": " in panel.title else panel.title
    return replace(panel, title=title, nodes=tuple(nodes), step=max((columns - 3) // column_count, 1))


def _make_title_lines(prompt: Prompt, columns: int) -> list[Line]:
    """Return the title of the question in a bar above the options, or in lines below a bar if it is too long.

    Below a bar each sentence begins a line, if all have room. If there are more than ``MOST_TITLE_LINES`` lines, the
    last ends with `` …``. Each note follows in at most 2 lines. Empty without a title and notes.
    """
    if not prompt.title and not prompt.notes:
        return []
    title = restyle(prompt.title, bold=True)
    notes = [line for note in prompt.notes for line in wrap_line(note, columns)[:2]]
    if measure(title) <= columns - 8:
        return [draw_title_bar(title, columns), *notes]
    lines = [line for sentence in _split_sentences(title) for line in wrap_line(sentence, columns - 1, 2)]
    if len(lines) > MOST_TITLE_LINES:
        lines = wrap_line(title, columns - 1)
    if len(lines) > MOST_TITLE_LINES:
        lines = [*lines[: MOST_TITLE_LINES - 1], (*lines[MOST_TITLE_LINES - 1], Run(" …"))]
    return [draw_title_bar((Run("Your decision", dim=True),), columns), *lines, *notes]


def _split_sentences(line: Line) -> list[Line]:
    """Return the sentences of a line, each without the blank that follows it. A line of one sentence gives itself.

    A sentence ends where a full stop, ``?`` or ``!`` comes before a blank and a capital letter from A to Z.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(to_text(line))]
    starts = [0, *ends]
    sentences = [
        take_characters(drop_characters(line, start), end - start) for start, end in zip(starts, ends, strict=False)
    ]
    return [*map(trim_line, sentences), drop_characters(line, starts[-1])]


def _find_first_line(table: Sequence[Line], rows: int, viewer: tuple[str, str], topics: Topics = ()) -> int:
    """Return the index of the first of the ``rows`` lines of a table to show, so that important things are visible.

    Each window of ``rows`` lines gets a score: ``HOME`` if it has the viewer's own reference, and 1 for each run in the
    viewer's colour. Each other one of ``topics`` adds ``ABOUT``, however often the window has it. The highest score
    wins, among equals the topmost window. ``viewer`` is the viewer's reference and colour, both "" for spectators.
    Returns 0 if the whole table fits.
    """
    reference, colour = viewer
    if len(table) <= rows:
        return 0
    references = [{run.of for run in line if run.of and (run.of == reference or run.of in topics)} for line in table]
    colour_counts = [sum(bool(colour) and run.colour == colour for run in line) for line in table]

    def rate_window(start: int) -> tuple[int, int]:
        window = set().union(*references[start : start + rows])
        points = HOME * (reference in window) + ABOUT * len(window - {reference})
        return points + sum(colour_counts[start : start + rows]), -start

    return max(range(len(table) - rows + 1), key=rate_window)


def _list_status_values(screen: Screen, columns: int) -> tuple[list[Line], list[Line]]:
    """Return the values of the ``header`` panels, with their titles: those that fit on the head line, and the others.

    Both are in the order of the panels. The first list ends before the first value for which title and phase leave no
    room, so narrower values after it are among the others.
    """
    panels = [panel for panel in select_panels(screen.panels, columns) if isinstance(panel, Items)]
    entries = [entry for panel in panels if panel.place == "header" for entry in flow_entries(panel)]
    room = columns - measure(_write_name(screen)) - 4
    first: list[Line] = []
    while entries and measure(entries[0]) + 3 <= room:
        room -= measure(entries[0]) + 3
        first.append(entries.pop(0))
    return first, entries


def _write_name(screen: Screen) -> Line:
    phase: Line = (Run(" · "), *restyle(screen.phase, dim=False)) if screen.phase else ()
    return (Run(f" {screen.title}", bold=True), *phase)


def draw_head_line(screen: Screen, columns: int) -> Line:
    """Return the head line, ``columns`` wide: `` Title · Round 3            Gold 5   Wood 12 ``.

    The values at the right are the items of the Items panels with the ``place`` ``header``. An item whose own ``since``
    is above ``columns`` is left out. They end before the first value that would leave fewer than six blanks behind
    title and phase. Title and phase are cut, with ``…`` at the end, only if they are longer than the line.
    """
    right = [run for entry in _list_status_values(screen, columns)[0] for run in (*blank(3), *entry)]
    name = cut_line(_write_name(screen), columns)
    if not right:
        return pad_line(name, columns)
    return (*pad_line(name, max(columns - measure(right) - 1, 1)), *right, *blank(1))


def drop_housekeeping(deeds: Sequence[Deed]) -> list[Deed]:
    """Return a story without deeds with ``is_housekeeping``, and without headings that then have no deed below them.

    Only deeds before the next heading count. A heading at the end of ``deeds`` stays as it is. Any other without a
    `` · `` gets the beginning of a heading left out directly before it, up to its last `` · ``: ``Round 2 · Draw`` and
    ``Battle`` become ``Round 2 · Battle``.
    """
    remaining: list[Deed] = []
    for deed in deeds:
        if deed.is_housekeeping:
            continue
        if deed.heading and remaining and remaining[-1].heading:
            prefix, dot, _ = to_text(remaining.pop().line).rpartition(" · ")
            is_part = bool(dot) and deed is not deeds[-1] and " · " not in to_text(deed.line)
            deed = replace(deed, line=(Run(prefix + dot), *deed.line)) if is_part else deed
        remaining.append(deed)
    if remaining and remaining[-1].heading and not deeds[-1].heading:
        remaining.pop()
    return remaining


def wrap_story(deeds: Sequence[Deed], columns: int, shows_details: bool = False) -> list[Line]:
    """Return the story as wrapped lines: an indented sentence with a full stop for each deed, and headings in bold.

    A heading stands only above a sentence, or as the last line. With ``shows_details``, the dim effects of each deed
    follow it; without, upkeep is left out. Empty if nothing has happened.
    """
    return [line for sentence in _wrap_sentences(deeds, columns, shows_details) for line in sentence]


def _wrap_sentences(deeds: Sequence[Deed], columns: int, shows_details: bool) -> list[list[Line]]:
    """Return the lines of each heading, sentence and effect of a story, see :func:`wrap_story`."""
    sentences: list[list[Line]] = []
    heading: list[list[Line]] = []
    for deed in deeds:
        if deed.heading:
            heading = [wrap_line((Run(" "), *restyle(deed.line, bold=True)), columns, 2)]
        elif shows_details or not deed.is_upkeep:
            sentences += heading
            heading = []
            sentences.append([(Run(" "), *line) for line in wrap_line(end_sentence(deed.line), columns - 1, 2)])
        for detail in deed.details if shows_details else ():
            sentences.append(wrap_line((Run("     "), *restyle(detail, dim=True)), columns, 7))
    # The last heading is the end of the game.
    return [*sentences, *heading] if deeds and deeds[-1].heading else sentences


def _show_newest(sentences: Sequence[list[Line]], rows: int) -> list[Line]:
    """Return the lines of all sentences of a story, so that the last ``rows`` lines begin with one of them.

    The sentence that doesn't fit whole there keeps only the first lines that do, with a dim `` …`` at their end. The
    others stay whole: of ``a``, ``b c d`` and ``e``, a line each, 3 rows give ``a``, ``b``, ``c …``, ``e``.
    """
    lines: list[Line] = []
    for i in range(len(sentences) - 1, -1, -1):
        room, sentence = rows - len(lines), sentences[i]
        if len(sentence) > room:
            earlier_lines = [line for earlier_sentence in sentences[:i] for line in earlier_sentence]
            cut_sentence = [*sentence[: room - 1], (*sentence[room - 1], Run(" …", dim=True))] if room > 0 else sentence
            return [*earlier_lines, *cut_sentence, *lines]
        lines = [*sentence, *lines]
    return lines


# ---------------------------------------------------------------- one page


def _lay_out_question(question: Question, columns: int, rows: int) -> Prompt:
    """Return the lower regions of a question, with the first useful entry highlighted.

    ``columns`` and ``rows`` are the room for the list of options: groups open as far as they fit. The note holds the
    picks, for a choice of several or after earlier picks. The preview is empty if that entry is a group.
    """
    choosing = fit_groups(begin(question), columns, rows)
    notes = (write_picks(choosing),) if choosing.is_picking or question.earlier_picks else ()
    entry = choosing.entries[choosing.first_entry] if choosing.entries else None
    option = None if entry is None or entry.is_group else question.options[entry.options[0]]

    def list_lines(columns: int, rows: int) -> list[Line]:
        return list_entries(choosing, choosing.first_entry, columns, rows)

    def preview(columns: int) -> tuple[str, list[Line]]:
        title = f"If you choose {list_keys(choosing)[choosing.first_entry] if entry is not None else 1}"
        if option is None:
            return (title, [])
        return (title, wrap_line((Run(" "), *join_lines(option.preview, " ")), columns - 1, 1))

    return Prompt(question.prompt, notes, list_lines, preview)


def draw_page(screen: Screen, columns: int, rows: int | None = None) -> list[Line]:
    """Lay out a screen without its row of keys in ``columns``, and return exactly ``rows`` lines.

    Blanks at the end of a line stay only if they have a background or are in reverse, as on a marked space. With
    ``rows`` None, a page of 200 rows is laid out, and all its empty lines are left out. From ``WIDE`` (110) columns on,
    each line below the head has the dividing line, so none of these is left out. ``screen.question`` and its options
    stand at the bottom. The preview of the option at ``first_entry`` stands below them, or from ``WIDE`` columns on in
    the right column. It has only a title if that entry is a group. Without a question, what :func:`lay_out_unasked`
    returns stands at the bottom, without a preview. Lines for which ``rows`` are too few are left out.
    """
    height = 200 if rows is None else rows
    layout = ScreenLayout(screen)
    left = columns - measure_side_column(columns) - 1 if columns >= WIDE else columns
    prompt = lay_out_unasked(screen)
    if screen.question is not None:
        prompt = _lay_out_question(screen.question, left, _limit_option_rows(height))
    regions = layout.lay_out(prompt, columns, height, keys=0)
    lines = draw_regions(regions, height)
    return lines if rows is not None else [line for line in lines if to_text(line).strip()]


def lay_out_unasked(screen: Screen) -> Prompt:
    """Return the lower regions of a screen without a question: the result, or nothing but a title.

    With ``screen.ending``, the title is ``The game is over``, ``options(columns, rows)`` returns the lines of
    :func:`lay_out_ending`, and ``max_rows`` is ALL. Without it, the title is ``NAME decides …`` for the seat
    ``screen.waiting``, or () if that is None, and ``options(columns, rows)`` returns [].
    """
    ending = screen.ending
    if ending is not None:
        lines = lambda columns, rows: lay_out_ending(ending, screen.names, columns)  # noqa: E731
        return Prompt((Run("The game is over"),), (), lines, max_rows=ALL)
    return Prompt(() if screen.waiting is None else (name_player(screen.waiting, screen.names), Run(" decides …")))


def draw_regions(regions: Regions, rows: int) -> list[Line]:
    """Draw the regions, a dict of them by name, on a page. Return exactly ``rows`` lines.

    A region with ``x`` 0, ``y`` 2 and ``first`` 5 draws its line with index 5 in the third row of the page. Regions in
    one row are drawn from left to right, each padded to its ``width`` or cut to it with ``…``, and with blanks in the
    gaps; one that would overlap stands directly behind the one before it. Blanks at the end of a line are cut
    (:func:`trim_line`), unless they have a background or are in reverse. A row is ``()`` if no region covers it by its
    ``y`` and ``height``, or if none of those that do has a line for it.
    """
    lines: list[Line] = []
    for row in range(rows):
        line: list[Run] = []
        row_regions = [region for region in regions.values() if region.y <= row < region.y + region.height]
        for region in sorted(row_regions, key=lambda region: region.x):
            index = region.first + row - region.y
            line += blank(region.x - measure(line))
            line += pad_line(region.lines[index], region.width) if index < len(region.lines) else blank(region.width)
        lines.append(trim_line(line))
    return lines
