"""Check declared boards, and pictures that draw them or set their start values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from .. import core
from ..core.board_diagrams import OddPicture, Sign, read_rows
from ..core.boards import DIRECTIONS, MOST_SPACES, Extras, Lines, Place, grid, network, path, place_of
from ..ruleset import model
from ..ruleset.families import named_spaces, words_of_line
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics, about_name, did_you_mean, nearest
from ..source.source import Embedded, Span, humanised
from ..types.types import BOOL, INT, EnumType, Type
from .constants import Data, Unknown, known_value
from .context import is_faulty
from .limits import Owner
from .symbols import Names, VariableSymbol
from .texts import Texts, value_in

_SIZE = re.compile(r"([1-9][0-9]{0,3}) *[x×] *([1-9][0-9]{0,3})")
_COMPASS = DIRECTIONS["Compass"]

#: Key of a board -> the shapes that support it.
_OF_SHAPES = {
    "only": ("grid", "hex"),
    "first_row": ("grid", "hex"),
    "wrap": ("grid", "hex"),
    "facing": ("grid",),
    "one_way": ("links",),
    "name": ("track",),
    "map": ("links",),
}


class Boards:
    """Check declared boards and build their core representation."""

    def __init__(self, ruleset: model.Ruleset, texts: Texts) -> None:
        self.players = ruleset.game.max_players
        self.texts = texts
        self.report: Diagnostics = texts.report

    def board(self, decl: model.BoardDecl) -> core.Board | None:
        """Return a board, or None after a report."""
        shape = self._shape(decl)
        if shape is None or not self._fitting_keys(decl, shape):
            return None
        extras = self._extras(decl)
        match shape.text:
            case "grid" | "hex":
                return self._grid(decl, shape, extras)
            case "ring":
                return self._path(decl, core.Shape.RING, [word.text for word in decl.spaces], extras)
            case "track":
                return self._path(decl, core.Shape.TRACK, named_spaces(decl), extras)
            case "links":
                return self._links(decl, extras)
        return self._lines(decl)

    # ------------------------------------------------------------ shapes

    def _shape(self, decl: model.BoardDecl) -> model.Word | None:
        """Return the key that gives the shape of a board, or None after a report."""
        shapes = [word for word in decl.shapes if word.text != "lines"] or list(decl.shapes)
        if len(shapes) == 1:
            return shapes[0]
        name = decl.name.text
        if not shapes:
            self._bad_shape(f"the board `{name}` has no shape", decl.name.span, "write `grid: 8 x 8`, say")
        else:
            first, second = shapes[0].text, shapes[1]
            self._bad_shape(f"`{second.text}` is a second shape beside `{first}`", second.span, "remove one of them")
        return None

    def _bad_shape(self, message: str, span: Span, hint: str | None = None) -> None:
        self.report.add(diagnostic_codes.BOARD_SHAPE, message, span, hint)

    def _fitting_keys(self, decl: model.BoardDecl, shape: model.Word) -> bool:
        """Return whether the shape of a board supports all its keys. Reports the first that does not fit."""
        said: dict[str, Span | None] = {
            "only": decl.only.whole if decl.only else None,
            "first_row": decl.name.span if decl.first_row_north else None,
            "wrap": decl.name.span if decl.wrap else None,
            "facing": decl.facing[0].span if decl.facing else None,
            "one_way": decl.name.span if decl.one_way else None,
            "name": decl.letters.span if decl.letters else None,
            "map": decl.map.whole if decl.map else None,
        }
        for key, span in said.items():
            if span is not None and shape.text not in _OF_SHAPES[key]:
                of = " or ".join(f"`{name}`" for name in _OF_SHAPES[key])
                self._bad_shape(f"`{key}` is said of {of} only, and this is `{shape.text}`", span, f"remove `{key}`")
                return False
        if decl.facing and len(decl.facing) < self.players:
            message = f"`facing` has {len(decl.facing)} seats, and {self.players} can play"
            self._bad_shape(message, decl.facing[-1].span, "say where each seat looks")
            return False
        return True

    def _extras(self, decl: model.BoardDecl) -> Extras:
        lengths = {enum.text: int(length.text) for enum, length in decl.lines if isinstance(length, model.Word)}
        wraps = decl.wrap in ("columns", "both"), decl.wrap in ("rows", "both")
        facing = tuple(_COMPASS.index(word.text) for word in decl.facing)
        return Extras(decl.first_row_north, wraps, facing, lengths)

    def _grid(self, decl: model.BoardDecl, shape: model.Word, extras: Extras) -> core.Board | None:
        """Build a board of squares or hexagons in columns and rows."""
        assert decl.size is not None
        size = _SIZE.fullmatch(decl.size.text)
        side = None
        if size is not None:
            columns, rows = int(size[1]), int(size[2])
        elif decl.size.text.isdecimal() and shape.text == "hex" and 0 < int(decl.size.text) < MOST_SPACES:
            side = int(decl.size.text)
            columns = rows = 2 * side - 1
        else:
            number = decl.size.text if decl.size.text.isdecimal() else "8"
            also = "" if shape.text == "grid" else ", or the side of a hexagon"
            message = f"`{shape.text}` says columns and rows{also}; this is `{decl.size.text}`"
            self._bad_shape(message, decl.size.span, f"did you mean `{number} x {number}`?")
            return None
        if columns * rows > 4 * MOST_SPACES:
            self._too_large(decl)
            return None
        picked = None if self._written_lines(decl) else self._only(decl)
        if picked is None:
            return None

        def exists(column: int, row: int) -> bool:
            return (side is None or side < column + row < 3 * side) and picked(column, row)

        try:
            board = grid(decl.name.text, core.Shape(shape.text), columns, rows, exists, extras)
        except Unknown as unknown:
            message = "`only` must be known without a game: an expression of `column` and `row`"
            if not unknown.is_reported:
                self._bad_shape(message, unknown.span)
            return None
        if not board.names and decl.only is not None:
            self._bad_shape("`only` leaves nothing of the board", decl.only.whole)
            return None
        return self._finished(decl, board)

    def _only(self, decl: model.BoardDecl) -> Callable[[int, int], bool] | None:
        """Return a function that says which places exist, from the condition ``only``. None after a report."""
        if decl.only is None:
            return lambda column, row: True
        routine = self.texts.routine(Owner("board", decl.name.text))
        slots = [routine.bind_quietly(name, INT, decl.only.whole, "index") for name in ("column", "row")]
        condition = value_in(routine, decl.only, BOOL, "as a condition")
        if is_faulty(condition):
            return None
        return lambda column, row: known_value(condition, dict(zip(slots, (column, row), strict=True))) is True

    def _path(self, decl: model.BoardDecl, shape: core.Shape, names: list[str], extras: Extras) -> core.Board | None:
        if self._written_lines(decl):
            return None
        return self._finished(decl, path(decl.name.text, shape, names, extras))

    def _written_lines(self, decl: model.BoardDecl) -> bool:
        """Return whether lines are listed on a board that already has lines by its shape. Reports the lines if so."""
        for enum, lines in decl.lines:
            if not isinstance(lines, model.Word):
                message = f"the lines of `{enum.text}` are written out, and `{decl.name.text}` has a shape already"
                self._bad_shape(message, enum.span, f"say how many spaces they have: `{enum.text}: 3`")
                return True
        return False

    def _links(self, decl: model.BoardDecl, extras: Extras) -> core.Board | None:
        """Build a board of linked spaces. Its spaces are those of the map, or all named spaces if there is no map."""
        places = dict(self._map(decl))
        words = [word for space, others in decl.links for word in (space, *others)]
        names = list(places) or list(dict.fromkeys(word.text for word in words))
        number = {name: n for n, name in enumerate(names)}
        if not self._are_spaces(words, names, "`map`") or self._any_lengths(decl):
            return None
        links: list[tuple[int, int]] = []
        for space, others in decl.links:
            for other in others:
                if other.text == space.text:
                    self.report.add(
                        diagnostic_codes.UNKNOWN_SPACE, f"`{other.text}` is linked to itself", other.span, "remove it"
                    )
                    return None
                links.append((number[space.text], number[other.text]))
        drawn = tuple(places[name] for name in names) if places else ()
        extras = Extras(places=drawn)
        board = network(decl.name.text, core.Shape.LINKS, names, links, decl.one_way, extras)
        if not decl.one_way:
            self._parted(decl, board, words)
        return self._finished(decl, board)

    def _parted(self, decl: model.BoardDecl, board: core.Board, words: Iterable[model.Word]) -> None:
        """Warn if a board of links has two unconnected parts of several spaces.

        A single unconnected space counts as intended.
        """
        first: set[int] = set()
        for word in words:
            space = board.names.index(word.text)
            if not board.beside[space] or space in first:
                continue
            part = {space}
            waiting = [space]
            while waiting:
                waiting += (found := set(board.beside[waiting.pop()]) - part)
                part |= found
            if first:
                message = f"no way leads from `{word.text}` to `{board.names[min(first)]}` on the board `{board.name}`"
                self.report.add(
                    diagnostic_codes.PARTED_BOARD, message, word.span, "link a space of one part to one of the other"
                )
                return
            first = part

    def _map(self, decl: model.BoardDecl) -> Iterator[tuple[str, Place]]:
        if decl.map is not None:
            for down, line in enumerate(decl.map.text.strip("\n").split("\n")):
                yield from ((name, (down, 2 * across)) for across, name in enumerate(line.split()) if name != ".")

    def _any_lengths(self, decl: model.BoardDecl) -> bool:
        """Return whether straight lines are declared on a board that can't have any. Reports the lines if so."""
        if decl.lines:
            message = f"the board `{decl.name.text}` has no straight lines"
            self._bad_shape(message, decl.lines[0][0].span, "remove `lines`")
        return bool(decl.lines)

    def _are_spaces(self, words: Iterable[model.Word], names: list[str], where: str) -> bool:
        fine = True
        known = set(names)
        for word in words:
            if word.text not in known:
                hint = did_you_mean(word.text, names) or f"the spaces are those of {where}"
                self.report.add(diagnostic_codes.UNKNOWN_SPACE, f"there is no space `{word.text}`", word.span, hint)
                fine = False
        return fine

    def _lines(self, decl: model.BoardDecl) -> core.Board | None:
        """Build a board from its listed lines, which also declare the spaces."""
        number: dict[str, int] = {}
        written: dict[str, list[tuple[int, ...]]] = {}
        for enum, lines in decl.lines:
            if isinstance(lines, model.Word):
                message = "beside `lines` there is no shape that could have straight lines"
                self._bad_shape(message, enum.span, "write the lines out: `[a7 d7 g7, b6 d6 f6]`")
                return None
            for line in lines:
                names = [word.text for word in words_of_line(line)]
                if len(set(names)) < len(names):
                    twice = next(word for word in words_of_line(line) if names.count(word.text) > 1)
                    self.report.add(
                        diagnostic_codes.UNKNOWN_SPACE, f"`{twice.text}` stands twice in a line", twice.span
                    )
                    return None
                spaces = tuple(number.setdefault(name, len(number)) for name in names)
                written.setdefault(enum.text, []).append(spaces)
        links = [pair for lines in written.values() for line in lines for pair in pairwise(line)]
        board = network(decl.name.text, core.Shape.LINES, list(number), links, False, Extras(written=written))
        return self._finished(decl, board)

    def _finished(self, decl: model.BoardDecl, board: core.Board) -> core.Board | None:
        if board.size > MOST_SPACES or sum(len(lines.names) for lines in board.lines) > 10 * MOST_SPACES:
            self._too_large(decl)
            return None
        for lines, (enum, _) in zip(board.lines, decl.lines, strict=True):
            if not lines.names:
                self._bad_shape(f"the board has no straight line as long as those of `{enum.text}`", enum.span)
                return None
        words = [word for word, _ in (*decl.labels, *decl.docs)]
        return board if self._are_spaces(words, list(board.names), "the board") else None

    def _too_large(self, decl: model.BoardDecl) -> None:
        message = f"the board `{decl.name.text}` has more than {MOST_SPACES:,} spaces"
        self.report.add(diagnostic_codes.TOO_MANY, message, decl.name.span, "make it smaller")


def enum_of(board: core.Board, labels: Mapping[str, str]) -> core.Enum:
    """Return the spaces of a board as an enum. The label of a name such as ``a1`` is the name itself."""
    said = {name: name if place_of(name) is not None else humanised(name) for name in board.names}
    said.update(labels)
    return core.Enum(board.name, tuple(core.EnumValue(name, said[name], None, said[name]) for name in board.names))


def lines_enum(lines: Lines) -> core.Enum:
    """Return the lines of a board as an enum. A line is named by its ends."""
    labels = (name.replace("_", "–") for name in lines.names)
    return core.Enum(
        lines.enum,
        tuple(core.EnumValue(name, label, None, label) for name, label in zip(lines.names, labels, strict=True)),
    )


def directions_enum(directions: str) -> core.Enum:
    """Return a built-in enum of directions."""
    values = (core.EnumValue(name, humanised(name), None, humanised(name)) for name in DIRECTIONS[directions])
    return core.Enum(directions, tuple(values))


MOST_SIGNS = 200


class Pictures:
    """Check how boards are drawn, and read start values from pictures.

    Attributes:
        found: Board name -> how the board is drawn.
        starts: Variable name -> its start values by space number, for the variables that a picture sets.
    """

    def __init__(self, ruleset: model.Ruleset, names: Names, data: Data, report: Diagnostics) -> None:
        self.names = names
        self.data = data
        self.report = report
        self.found: dict[str, core.Picture] = {}
        self.starts: dict[str, dict[int, object]] = {}
        for decl in ruleset.boards:
            board = names.boards.get(decl.name.text)
            if board is not None and (decl.shows or decl.signs or decl.start is not None):
                self._picture(decl, board)

    def _picture(self, decl: model.BoardDecl, board: core.Board) -> None:
        places = [self._shown(word, board) for word in decl.shows]
        shown = [place for place in places if place is not None]
        if not decl.shows:
            message = f"the board `{decl.name.text}` has signs, and shows nothing"
            self.report.add(diagnostic_codes.ODD_PICTURE, message, decl.name.span, "say which variable it `shows`")
        if not shown or len(shown) < len(places):
            return
        signs = tuple(self._signs(decl, shown))
        picture = core.Picture(board.name, tuple(place.name for place in shown), signs)
        self.found[board.name] = picture
        for word in decl.shows:
            self.data.notes.used.add(word.text)
            self.data.notes.read.add(word.text)
        if decl.start is not None:
            self._start(decl.start, board, picture)

    def _shown(self, word: model.Word, board: core.Board) -> VariableSymbol | None:
        """Return a variable that a board shows, or None after a report."""
        symbol = self.names.symbols.get(word.text)
        if isinstance(symbol, VariableSymbol) and [dim.type for dim in symbol.dims] == [EnumType(board.name)]:
            return symbol
        fitting = [
            name for name, s in self.names.symbols.items()
            if isinstance(s, VariableSymbol) and [dim.type for dim in s.dims] == [EnumType(board.name)]
        ]  # fmt: skip
        what = f"is not a variable per `{board.name}` alone" if symbol is not None else "is the name of nothing"
        hint = did_you_mean(word.text, fitting) or (f"there is `{fitting[0]}`" if fitting else None)
        meant = nearest(word.text, fitting) or word.text
        about = (*about_name(word.text), f"start of {meant}", f"indices of {word.text}")
        self.report.add(
            diagnostic_codes.ODD_PICTURE, f"`{word.text}` {what}, so it can't be shown", word.span, hint, about=about
        )
        return None

    def _signs(self, decl: model.BoardDecl, shown: list[VariableSymbol]) -> Iterator[Sign]:
        taken: dict[str, model.Word] = {}
        for word, text in decl.signs[:MOST_SIGNS]:
            words = word.text.split()
            if len(words) > len(shown):
                message = f"`{word.text}` says {len(words)} values, and {len(shown)} of them are shown"
                self.report.add(diagnostic_codes.ODD_PICTURE, message, word.span)
                continue
            if not text or " " in text or text in taken:
                what = "stands for two things" if text in taken else "is no sign"
                self.report.add(
                    diagnostic_codes.ODD_PICTURE, f"`{text}` {what}", word.span, "a sign has no blank in it"
                )
                continue
            taken[text] = word
            values = (self._value(s.type, w, word.span) for w, s in zip(words, shown, strict=False))
            yield Sign(text, tuple(values))

    def _value(self, type: Type, word: str, span: Span) -> object:
        data: object = int(word) if word.lstrip("-").isdecimal() else {"true": True, "false": False}.get(word, word)
        return self.data.value(type, model.Value(data, False, span), "what has a sign")

    def _start(self, text: Embedded, board: core.Board, picture: core.Picture) -> None:
        found = read_picture(text, board, picture, self.report)
        self.starts.update((place, found.get(place, {})) for place in picture.shows)


def read_picture(
    text: Embedded, board: core.Board, picture: core.Picture, report: Diagnostics
) -> dict[str, dict[int, object]]:
    """Read a picture of a board. Returns the values of each shown variable by space number, or nothing after a report.

    A space is left out where its sign gives no value.
    """
    try:
        written = read_rows(board, text.text)
    except OddPicture as odd:
        report.add(
            diagnostic_codes.ODD_PICTURE, odd.message, text.span(odd.start, odd.end), "a row of signs for each row"
        )
        return {}
    found: dict[str, dict[int, object]] = {place: {} for place in picture.shows}
    for space, sign, start, end in written:
        values = picture.values_of(sign)
        if values is None:
            known = ", ".join(f"`{s.text}`" for s in picture.signs)
            message = f"`signs` of `{board.name}` has no `{sign}`"
            report.add(
                diagnostic_codes.ODD_PICTURE, message, text.span(start, end), f"it has {known}" if known else None
            )
            return {}
        for place, value in zip(picture.shows, values, strict=False):
            found[place][space] = value
    return found
