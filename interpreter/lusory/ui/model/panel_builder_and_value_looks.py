"""Build the panels of a screen from a view, following the ruleset's layout, with the colours and symbols of its values.

:mod:`lusory.ui.model.panel_lines` draws the panels as lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from lusory_dsl import core
from lusory_dsl.source.source import make_printable
from lusory_dsl.types.types import PLAYER, ComponentType, Type, optional

from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    count_leading_blanks,
    drop_characters,
    get_seat_colour,
    join_lines,
    make_line,
    name_player,
    to_text,
    trim_line,
)
from ...state.decisions_outcomes_and_faults import RulesetFault
from ...state.setting_value_limits_builtins_and_names import HIDDEN, Value, unwrap_list_type
from ...view.redacted_state import HiddenValue, Unknown
from ...view.seat_view import View
from ...view.table_and_option_text import (
    arrange_grid,
    identify,
    iterate_dials,
    iterate_piles,
    list_all_values,
    list_contents,
    list_pieces,
    list_seats,
)
from .board_and_map_layout import add_column_letters, make_map
from .option_preview_sentences import find_component, get_printed_text
from .screen import (
    SENTENCE,
    Card,
    Cell,
    Column,
    Dial,
    Dials,
    Frame,
    Grid,
    Hand,
    Head,
    Item,
    Items,
    Map,
    Panel,
    Pile,
    Piles,
    Players,
    Row,
    TablePanel,
)


@dataclass(frozen=True)
class Style:
    """Describe the display of a value.

    Attributes:
        colour: The name of a colour, or "".
        sign: A short symbol for narrow screens, or None for the label.
        is_pending: Whether the style is just being computed. Its sign contains its own label, so this stops the
            recursion.
        marks: Symbols that follow the value.
    """

    colour: str = ""
    sign: Line | None = None
    is_pending: bool = False
    is_dim: bool = False
    marks: Line = ()


PLAIN = Style()
LETTERS = 4
"""Number of letters in an abbreviation of a label."""
LONGEST_INITIALS = 3


@dataclass(frozen=True)
class Looks:
    """Format text with the colours and symbols of its values. Hidden information has no influence on either."""

    view: View
    names: tuple[str, ...]
    _styles: dict[str, Style] = field(default_factory=dict, init=False)

    # ------------------------------------------------------------ text

    def format_lines(self, text: str, is_short: bool = False) -> tuple[Line, ...]:
        """Format text as lines, split at its line breaks. An empty text gives ``((),)``, one line.

        In any text, the words P1, P2 and so on become the players' names, bold and with the reference ``Player:P1``.
        Their colour is the one that the author gives the player, or else the seat's. A seat that the game doesn't have
        stays text: ``P9``. In an ``AnnotatedText``, the pieces with a value get its colour, marks and reference, too.
        ``is_short`` replaces a value by its symbol or short label, or else leaves out all from `` (``. A player without
        a symbol becomes the first letters of the name, as few as tell all players apart: ``Ali`` for Alice beside
        Albert. If ``LONGEST_INITIALS`` (3) letters don't, the name stays.
        """
        lines: list[list[Run]] = [[]]
        for piece in list_pieces(text):
            reference = identify(self.view.setting, piece.type, piece.value)
            for number, line_text in enumerate(make_printable(piece.text).split("\n")):
                if number:
                    lines.append([])
                lines[-1] += self.apply_styles(make_line(line_text, self.names, reference), is_short)
        return tuple(tuple(line) for line in lines)

    def format_line(self, text: str, is_short: bool = False) -> Line:
        """Format text like :meth:`format_lines`, but as a single line, with a blank between the lines."""
        lines = self.format_lines(text, is_short)
        return tuple(run for number, line in enumerate(lines) for run in (*((Run(" "),) if number else ()), *line))

    def _make_cell(self, text: str, short: str | None = None, reference: str = "") -> Cell:
        """Return a Cell with the lines of :meth:`format_lines`, without the blanks around each of them.

        Empty lines at the end are left out, but at least one line stays. ``cell.short`` has the lines of ``short``, by
        default of ``text``, with symbols or short labels for values. It is () if it would equal ``cell.lines``.
        ``cell.of`` is ``reference``.
        """
        lines = _strip_lines(self.format_lines(text))
        brief = _strip_lines(self.format_lines(text if short is None else short, is_short=True))
        return Cell(lines, () if brief == lines else brief, reference)

    def apply_styles(self, line: Iterable[Run], is_short: bool = False) -> Line:
        """Return a line in which each run with a reference has the style of its value.

        Its colour is that of the style, or else its own. It is dim if it was, or if the style is. The marks of the
        value, such as ``Run("★", bold=True, of=REFERENCE)``, follow its run without a blank. Runs without a reference
        stay unchanged. ``is_short`` also replaces the text of the others by the first of these that exists: the symbol
        of the value, its short label, a player's initials. Without any, ``Axe (2 gold)`` becomes ``Axe``. A symbol has
        the colour of the style, or else its own, or else that of the run. It is dim if it was, or if the style is, but
        not because the run was. A symbol of several runs gives several.
        """
        runs: list[Run] = []
        for run in line:
            if not run.of:
                runs.append(run)
                continue
            style = self._get_style(run.of)
            sign = self._make_sign(run, style) if is_short else (run,)
            for piece in sign:
                colour = style.colour or piece.colour or run.colour
                runs.append(replace(run, text=piece.text, colour=colour, dim=piece.dim or style.is_dim))
            runs += style.marks
        return tuple(runs)

    def _format_player(self, seat: int) -> Line:
        """Return the name of a player in its style."""
        return self.apply_styles((name_player(seat, self.names),))

    def _make_sign(self, run: Run, style: Style) -> Line:
        """Return the symbol of a value, or its short label, initials, or its text without the part in brackets.

        While the symbol itself is being computed, return an abbreviation.
        """
        if style.is_pending:
            return (replace(run, text=abbreviate_label(run.text)),)
        if style.sign is not None:
            return style.sign
        text = self._shorts.get(run.of) or self._initials.get(run.of) or run.text.partition(" (")[0]
        return (replace(run, text=text),)

    # ------------------------------------------------------------ values

    def _get_style(self, reference: str) -> Style:
        """Return the style of a value by its reference, such as ``Card:phoenix``. It is cached.

        If the author gives none, it is ``PLAIN``.
        """
        style = self._styles.get(reference)
        if style is None:
            self._styles[reference] = replace(PLAIN, is_pending=True)
            look = self._looks.get(reference)
            style = PLAIN if look is None else self._evaluate_style(reference, *look)
            self._styles[reference] = style
        return style

    @cached_property
    def _looks(self) -> Mapping[str, tuple[core.Look, Value]]:
        """Map the reference of each value of a type with a look to this look and the value."""
        setting = self.view.setting
        return {
            self._refer_to(look.type, value): (look, value)
            for look in setting.program.layout.looks
            for value in list_all_values(setting, look.type)
        }

    @cached_property
    def _shorts(self) -> Mapping[str, str]:
        """Map references of enum values to the author's short labels."""
        enums = self.view.setting.program.enums.values()
        pairs = ((enum.name, value) for enum in enums for value in enum.values)
        return {f"{kind}:{value.name}": value.short for kind, value in pairs if value.short != value.label}

    @cached_property
    def _initials(self) -> Mapping[str, str]:
        """Map references of players to initials: the fewest letters that differ, up to :data:`LONGEST_INITIALS`.

        The map is empty if so few letters are not enough.
        """
        for letters in range(1, LONGEST_INITIALS + 1):
            initials = [name[:letters] for name in self.names]
            if len(set(initials)) == len(initials):
                return {f"Player:P{seat + 1}": name for seat, name in enumerate(initials)}
        return {}

    def _evaluate_style(self, reference: str, look: core.Look, value: Value) -> Style:
        colour, text = look.colours.get(value, ""), look.signs.get(value)
        sign: Line | None = None if text is None else (Run(text),)
        if look.short is not None:
            sign = self.format_line(self.view.text(look.short, (value,)), is_short=True)
        if look.like is not None and not colour:
            like_reference = self._evaluate_reference(look.like, value)
            colour = self._get_colour(like_reference) if like_reference and like_reference != reference else ""
        is_dim = look.dim is not None and self.view.holds(look.dim, (value,))
        marks = [
            Run(mark.sign, mark.colour, bold=True, of=reference)
            for mark in look.marks
            if self.view.holds(mark.condition, (value,))
        ]
        return Style(colour, sign, is_dim=is_dim, marks=tuple(marks))

    def _evaluate_reference(self, expr: core.Expr, value: Value) -> str:
        """Evaluate an expression, and return a reference to its value. Returns "" for none or a hidden value."""
        try:
            target = self.view.value(expr, (value,))
        except (HiddenValue, RulesetFault):
            return ""
        return self._refer_to(expr.type, target)

    def _get_colour(self, reference: str) -> str:
        """Return the name of the colour that the author gives the value with this reference, or "".

        For a player without a colour, such as ``Player:P2``, return the colour of the seat.
        """
        colour = self._get_style(reference).colour
        if not colour and reference.startswith("Player:P"):
            return get_seat_colour(int(reference.removeprefix("Player:P")) - 1)
        return colour

    def _refer_to(self, type: Type, value: Value) -> str:
        """Return the reference of a value, which a player can point at, or "" for numbers, none and hidden values."""
        return identify(self.view.setting, type, value)


def abbreviate_label(text: str) -> str:
    """Abbreviate a label: ``Victory Points`` becomes ``ViPo``, and ``Gold (yours)`` becomes ``Gold``.

    The words that count are the capitalized ones before a part in brackets, or all there if none is capitalized. Takes
    the first two letters of each of the first two, or the first four of a single one: ``Victory points`` becomes
    ``Vict``. A label without such words stays as it is.
    """
    words = text.partition("(")[0].split()
    words = [word for word in words if word[:1].isupper()] or words
    if len(words) < 2:
        return words[0][:LETTERS] if words else text
    return words[0][: LETTERS // 2] + words[1][: LETTERS // 2]


def _strip_lines(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Remove surrounding blanks, and empty lines at the end."""
    stripped_lines = [trim_line(drop_characters(line, count_leading_blanks(line))) for line in lines]
    while len(stripped_lines) > 1 and not stripped_lines[-1]:
        stripped_lines.pop()
    return tuple(stripped_lines)


BOARDS = (core.BoardView, core.MapView)


def build_panels(view: View, names: Sequence[str]) -> tuple[Panel, ...]:
    """Return the panels as the author lays them out, with what the view's seat may see.

    The order is: the status, the players, shared values, boards, other panels, the seat's own values, and shared values
    that only fill rows. Boards and other panels keep the author's order. Groups without values, an empty hand, and
    panels with a false condition, or over a list that the seat may not know, are left out. The players are left out
    only if nobody has a sign on a board, either.
    """
    return tuple(_Table(view, Looks(view, tuple(names)))._list_panels())


@dataclass(frozen=True)
class _Table:
    view: View
    looks: Looks

    def _list_panels(self) -> Iterator[Panel]:
        """Yield the panels as :func:`build_panels` returns them."""
        layout = self.view.setting.program.layout
        if status := self._build_items(layout.status):
            yield Items("header", "", status, is_in_line=True)
        if layout.player or any(self._list_signs(seat) for seat in range(self.view.setting.players)):
            yield self._build_players(layout.player)
        if shared_items := self._build_items(item for item in layout.shared if not item.is_spare):
            yield Items("table", "", shared_items)
        viewer_slots: tuple[Value, ...] = () if self.view.seat is None else (self.view.seat,)
        for panel_view in (*layout.boards, *layout.panels):
            panel = self._build_panel(panel_view) if self.view.holds(panel_view.condition, viewer_slots) else None
            if panel is not None:
                yield replace(panel, since=panel_view.since)
        if self.view.seat is not None and (own_items := self._build_items(layout.own, (self.view.seat,))):
            yield Items("own", "", own_items)
        if spare_items := self._build_items(item for item in layout.shared if item.is_spare):
            yield Items("table", "", spare_items, is_spare=True)

    def _build_panel(self, panel: core.PanelView) -> TablePanel | None:
        """Return a panel, or None if the seat may not know the lists that it iterates over, or if they fail."""
        try:
            match panel:
                case core.BoardView():
                    return self._build_board(panel)
                case core.TrackView():
                    return self._build_track(panel)
                case core.MapView():
                    board = self.view.setting.program.boards[panel.board]
                    references = [f"{board.name}:{name}" for name in board.names]
                    cells = [self._fill_place(panel, (space,), reference) for space, reference in enumerate(references)]
                    painted_cells = [self._paint_cell(board.name, space, cell) for space, cell in enumerate(cells)]
                    return make_map(board, panel.title, painted_cells)
                case core.DialsView():
                    return Dials("table", panel.title, tuple(self._build_dials(panel)))
                case core.HandView():
                    return self._build_hand(panel)
                case core.PilesView():
                    return Piles("table", panel.title, tuple(self._build_piles(panel)))
        except (HiddenValue, RulesetFault):
            return None

    def _build_cell(
        self, text: core.TextTemplate, short: core.TextTemplate | None, slots: Sequence[Value], reference: str = ""
    ) -> Cell:
        """Return the cell of a text template and, if given, of a short one for narrow screens."""
        short_text = None if short is None else self.view.text(short, slots)
        return self.looks._make_cell(self.view.text(text, slots), short_text, reference)

    def _fill_place(self, panel: core.TrackView | core.MapView, slots: Sequence[Value], reference: str) -> Cell:
        """Return the cell of a place, by its reference, with the components that are in it.

        On a map each component has its own line. Tracks and narrow screens list symbols on one line. If the author
        gives a short text, narrow screens show only that. Components that the seat may not know read ``?``.
        """
        cell = self._build_cell(panel.text, panel.short, slots, reference)
        if panel.contents is None:
            return cell
        labels = list_contents(self.view, panel, slots)
        lines = (*cell.lines, *(self.looks.format_line(label) for label in labels))
        brief = join_lines([self.looks.format_line(label, is_short=True) for label in labels], " ")
        if isinstance(panel, core.TrackView):
            lines = (*cell.lines, brief) if brief else cell.lines
        if panel.short is not None:
            return Cell(lines, cell.short or cell.lines, cell.of)
        return Cell(lines, (*(cell.short or cell.lines), brief) if brief else cell.short or cell.lines, cell.of)

    # ------------------------------------------------------------ items and players

    def _build_items(self, items: Iterable[core.ViewItem], slots: Sequence[Value] = ()) -> tuple[Item, ...]:
        """Return the values whose condition holds, in the author's order. ``slots`` holds local variables."""
        return tuple(
            Item(item.title, self._build_item(item, slots), item.since)
            for item in items
            if self.view.holds(item.condition, slots)
        )

    def _build_item(self, item: core.ViewItem, slots: Sequence[Value]) -> Cell:
        """Return the cell of a value: its text, or, for a pool, its counters: ``Wheat 2  Axe 0``."""
        if item.pool is None:
            return self._build_cell(item.text, item.short, slots)
        counts = self.view.list_counters(item.pool, slots)
        lines = [(self.looks.format_line(label), n) for label, n in counts]
        short_lines = [(self.looks.format_line(label, is_short=True), n) for label, n in counts]
        return Cell((_format_counts(lines),), (_format_counts(short_lines),))

    def _build_players(self, items: Sequence[core.ViewItem]) -> Players:
        """Return the panel of all players, the viewer first and then by seat, with a column for each value.

        A cell is None if the condition of the value does not hold for the player.
        """
        seats = sorted(range(self.view.setting.players), key=lambda seat: seat != self.view.seat)
        columns = []
        for item in items:
            shown_seats = [seat for seat in seats if self.view.holds(item.condition, (seat,))]
            cells = (self._build_item(item, (seat,)) if seat in shown_seats else None for seat in seats)
            columns.append(Column(item.title, tuple(cells), item.since, item.has_own_line))
        heads = [
            Head(
                (*self.looks._format_player(seat), *self._list_signs(seat)),
                seat,
                seat == self.view.seat,
                seat == self.view.waiting_for,
            )
            for seat in seats
        ]
        return Players("players", "", tuple(heads), tuple(columns))

    def _list_signs(self, seat: int) -> Line:
        """Return the symbols of a player's pieces on the boards that have panels, without duplicates.

        Each is bold, in the player's colour, behind a blank.
        """
        program = self.view.setting.program
        layout = program.layout
        names = (panel.board for panel in (*layout.boards, *layout.panels) if isinstance(panel, BOARDS) and panel.board)
        signs: dict[str, None] = {}
        for picture in (program.pictures[board] for board in names if board in program.pictures):
            types = [program.variables[place].type for place in picture.variables]
            for sign in picture.signs:
                values = zip(types, sign.values, strict=False)
                if any(value == seat for type, value in values if type in (PLAYER, optional(PLAYER))):
                    signs[sign.text] = None
        colour = self.looks._get_colour(f"Player:P{seat + 1}")
        return tuple(run for sign in signs for run in (Run(" "), Run(sign, colour, bold=True)))

    # ------------------------------------------------------------ boards and tracks

    def _build_board(self, board: core.BoardView) -> Grid:
        """Return a grid of cells: of two lists, of the spaces of a board, or of a list in lines of ``board.width``.

        Boards and two lists have headings if the author wants them. Without boxes, a rectangular board with at most one
        line in each cell has ``squares``. In boxes, cells of boards without text become None.
        """
        type = unwrap_list_type(board.rows.type)
        shape = None if board.board is None else self.view.setting.program.boards[board.board]
        texts: list[Line] = []

        def build_cell(slots: tuple[Value, ...]) -> Cell:
            if board.columns is not None:
                return self._build_cell(board.text, board.short, slots)
            texts.append(make_line(self._join_printed_text(type, slots[0]), self.looks.names))
            cell = self._build_cell(board.text, board.short, slots, self.looks._refer_to(type, slots[0]))
            return cell if shape is None else self._paint_cell(shape.name, slots[0], cell)

        grid = arrange_grid(self.view, board, build_cell, lambda cell, empty: _join_lines(cell) in empty)
        rows = []
        for label, cells, shift in grid.rows:
            is_hollow = shape is not None and board.is_boxed
            shown_cells = (cell if cell and (_join_lines(cell) or not is_hollow) else None for cell in cells)
            rows.append(Row(self.looks.format_line(label), tuple(shown_cells), shift))
        is_low = all(len(cell.lines) < 2 for row in rows for cell in row.cells if cell is not None)
        is_square = shape is not None and shape.shape is core.Shape.GRID and is_low and not board.is_boxed
        has_headings = board.has_headings and (shape is not None or board.columns is not None)
        drawn = Grid(
            "table",
            board.title,
            tuple(map(self.looks.format_line, grid.headings)),
            tuple(rows),
            has_headings,
            "squares" if is_square else _get_frame(board.is_boxed),
            is_even=board.columns is None or not has_headings,
            texts=tuple(texts) if any(texts) else (),
            edges=self._write_edges(board),
        )
        if shape is None or not (grid.is_hex and shape.column and has_headings) or board.is_boxed:
            return drawn
        return add_column_letters(drawn, shape)

    def _write_edges(self, board_view: core.BoardView) -> tuple[Line, ...]:
        """Return the texts above, right of, below and left of a board, with () for a missing one, or () if it has none.

        A text that is the sign of a player's pieces has the player's colour.
        """
        if not any(board_view.edges):
            return ()
        lines = [() if edge is None else self.looks.format_line(self.view.text(edge, ())) for edge in board_view.edges]
        signs = {to_text((run,)): run for seat in range(self.view.setting.players) for run in self._list_signs(seat)}
        return tuple((signs[to_text(line)],) if to_text(line) in signs else line for line in lines)

    def _paint_cell(self, board: str, space: int, cell: Cell) -> Cell:
        """Return the cell of a space in the colour of the first of its values that is none or has a colour.

        A none makes the cell dim. Hidden values are skipped. A cell whose values have no colour, or on a board without
        a picture, comes back unchanged.
        """
        program = self.view.setting.program
        picture = program.pictures.get(board)
        for place in () if picture is None else picture.variables:
            type = program.variables[place].type
            try:
                value = self.view.get_variable_value(place, (space,))
            except HiddenValue:
                continue
            reference = self.looks._refer_to(type, value)
            colour = self.looks._get_colour(reference) if reference else ""
            if colour or value is None:
                return cell.change_lines(partial(_tint_line, colour))
        return cell

    def _build_track(self, track: core.TrackView) -> Grid:
        """Return a grid with a row for each player, by seat, or a single row without a heading.

        Each item of the track is a cell. Rows can have different lengths. The viewer's row keeps its full text when
        others are shortened.
        """
        type = unwrap_list_type(track.items.type)
        rows = []
        for seat in list_seats(self.view, track):
            items = self.view.value(track.items, (seat,))
            head = () if seat is None else self.looks._format_player(seat)
            cells = [self._fill_place(track, (seat, item), self.looks._refer_to(type, item)) for item in items]
            rows.append(Row(head, tuple(cells), keeps_text=seat is not None and seat == self.view.seat))
        heads = ((),) * max((len(row.cells) for row in rows), default=0)
        frame = _get_frame(track.is_boxed)
        return Grid("table", track.title, heads, tuple(rows), track.is_per_player, frame, is_even=False)

    def _build_value_cell(self, value: Value, type: Type) -> Cell:
        return self.looks._make_cell(self.view.label(value, type), reference=self.looks._refer_to(type, value))

    # ------------------------------------------------------------ dials, hands, piles

    def _build_dials(self, dials: core.DialsView) -> Iterator[Dial]:
        """Yield the dials: one for each player and item, in the author's order.

        The name is that of the player and the item. The current face is None if the seat may not know it, and marks of
        unknown faces are left out.
        """
        type = unwrap_list_type(dials.faces.type)
        for seat, item, name in iterate_dials(self.view, dials):
            slots, label = (seat, item), self.looks.format_line(name)
            faces = self.view.value(dials.faces, slots)
            current = self._find_face(dials.current_face, slots, faces)
            marks = [
                (face, self.looks.format_line(self.view.text(lead.sign, slots)))
                for lead in dials.leads
                if self.view.holds(lead.condition, slots)
                and (face := self._find_face(lead.face, slots, faces)) is not None
            ]
            owner: Line = () if seat is None else (*self.looks._format_player(seat), Run(" "))
            note = () if dials.note is None else self.looks.format_line(self.view.text(dials.note, slots))
            cells = tuple(self._build_value_cell(face, type) for face in faces)
            yield Dial((*owner, *label) if label else owner[:-1], cells, current, tuple(marks), note)

    def _find_face(self, expr: core.Expr, slots: Sequence[Value], faces: Sequence[Value]) -> int | None:
        """Return the index of a face. Returns None if there is none or the seat may not know it."""
        try:
            face = self.view.value(expr, slots)
        except (HiddenValue, RulesetFault):
            return None
        return faces.index(face) if face is not None and face in faces else None

    def _build_hand(self, hand: core.HandView) -> Hand | None:
        """Return the hand of the seat, with equal cards grouped, in the order of their first copies.

        Cards are equal if they read alike and are both dim or not. Unknown cards read ``?``. Returns None for
        spectators and empty hands.
        """
        if self.view.seat is None:
            return None
        type = unwrap_list_type(hand.items.type)
        cards: dict[tuple[str, bool], Card] = {}
        for card in self.view.value(hand.items, (self.view.seat,)):
            slots = (self.view.seat, card)
            is_unknown = isinstance(card, Unknown)
            is_dim = hand.dim is not None and not is_unknown and self.view.holds(hand.dim, slots)
            cell = self.looks._make_cell(
                HIDDEN if is_unknown else self.view.text(hand.text, slots), reference=self.looks._refer_to(type, card)
            )
            key = (" ".join(map(to_text, cell.lines)), is_dim)
            earlier_card = cards.get(key)
            text = () if is_unknown else make_line(self._join_printed_text(type, card), self.looks.names)
            template = None if is_unknown else hand.short
            short = () if template is None else self.looks.format_line(self.view.text(template, slots))
            cards[key] = Card(cell, 1 if earlier_card is None else earlier_card.count + 1, is_dim, text, short)
        return Hand("own", hand.title, tuple(cards.values())) if cards else None

    def _join_printed_text(self, type: Type, card: Value) -> str:
        """Return the text that the author has printed on a card, as one line."""
        if not isinstance(type, ComponentType) or not isinstance(card, int):
            return ""
        program = self.view.setting.program
        return SENTENCE.join(program.printed_texts.cards.get(program.entities[card].card, ()))

    def _build_piles(self, piles: core.PilesView) -> Iterator[Pile]:
        """Yield the piles whose condition holds, each with its size, and its top card if the seat sees it."""
        for title, count, top, type in iterate_piles(self.view, piles):
            yield Pile((Run(title),), count, None if top is None else self._build_value_cell(top, type))


def _tint_line(colour: str, line: Line) -> Line:
    """Colour the runs of a line that have no colour, in bold. Without a colour, dim them."""
    return tuple(
        run if run.colour else replace(run, colour=colour, bold=bool(colour), dim=not colour or run.dim) for run in line
    )


def _join_lines(cell: Cell) -> str:
    return "".join(map(to_text, cell.lines)).strip()


def _get_frame(is_boxed: bool) -> Frame:
    return "boxes" if is_boxed else "none"


def _format_counts(counts: Iterable[tuple[Line, int | None]]) -> Line:
    """Format counters by kind: ``Wheat 2 Axe 0``. Unknown numbers are ``?``."""
    runs: list[Run] = []
    for number, (label, count) in enumerate(counts):
        reference = next((run.of for run in label if run.of), "")
        runs += (Run("  "),) if number else ()
        runs += (*label, Run(" "), Run(HIDDEN if count is None else str(count), bold=True, of=reference))
    return tuple(runs)


# ---------------------------------------------------------------- card texts


def list_card_texts(program: core.Program, panels: Sequence[Panel]) -> Iterator[tuple[Line, Line]]:
    """Yield the name and the printed text of each card with a text that panels name, copies once.

    Hands and dials don't count, nor do grids that show the texts of their cards themselves.
    """
    labels: set[str] = set()
    for run in (run for panel in panels for cell in iterate_cells(panel) for line in cell.lines for run in line):
        card = find_component(program, run.of)
        if card is not None and card.label not in labels and (text := get_printed_text(program, run.of)):
            labels.add(card.label)
            yield make_line(card.label, (), run.of), make_line(text)


def iterate_cells(panel: Panel) -> Iterator[Cell]:
    """Yield the cells of a panel. Leaves out the cells of hands, and of grids that show their texts."""
    match panel:
        case Items():
            yield from (item.cell for item in panel.items)
        case Players():
            yield from (cell for column in panel.columns for cell in column.cells if cell is not None)
        case Grid() if not panel.texts:
            yield from (cell for row in panel.rows for cell in row.cells if cell is not None)
        case Map():
            yield from (node.cell for node in panel.nodes)
        case Piles():
            yield from (pile.top for pile in panel.piles if pile.top is not None)
