"""Check declared boards, and pictures that draw them or set their start values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from .. import core
from ..core.board_drawing_and_parsing import PictureError, Sign, parse_picture
from ..core.board_geometry import (
    DIRECTIONS,
    MAX_SPACES,
    BoardSettings,
    Place,
    make_grid,
    make_network,
    make_path,
    parse_space_name,
)
from ..ruleset import model
from ..ruleset.constant_evaluator_and_card_families import ConstantEvaluator, NotConstant, list_named_spaces, split_line
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics, name_subjects
from ..source.source import EmbeddedText, Span, humanise
from ..source.spelling_suggestions import find_nearest, suggest_name
from ..syntax.parser import parse_expression
from ..types.types import BOOL, INT, EnumType
from .call_graph_and_size_limits import Owner
from .code_fields_templates_and_check_cache import TextChecker
from .coercions import check_expected
from .symbol_table import Names, VariableSymbol
from .written_types_tables_and_card_fields import DataChecker, parse_scalar

_SIZE = re.compile(r"([1-9][0-9]{0,3}) *[x×] *([1-9][0-9]{0,3})")
_SIDE = re.compile(r"[1-9][0-9]{0,3}")
_COMPASS = DIRECTIONS["Compass"]

MAX_ONLY_STEPS = 2_000_000
"""Maximum number of nodes to evaluate for the conditions ``only`` of all boards at all their places."""

#: Key of a board -> the shapes that support it.
_SHAPES_BY_KEY = {
    "only": ("grid", "hex"),
    "first_row": ("grid", "hex"),
    "wrap": ("grid", "hex"),
    "facing": ("grid",),
    "one_way": ("links",),
    "name": ("track",),
    "map": ("links",),
}


class BoardBuilder:
    """Check declared boards and build their core representation."""

    def __init__(self, ruleset: model.Ruleset, texts: TextChecker) -> None:
        self.ruleset = ruleset
        self.players = ruleset.game.max_players
        self.texts = texts
        self.report: Diagnostics = texts.report
        self.evaluator = ConstantEvaluator(ruleset, MAX_ONLY_STEPS)

    def build_board(self, decl: model.BoardDecl) -> core.Board | None:
        """Return the board that a declaration describes, or None after reporting that it is faulty.

        The spaces of ``grid: 3 x 2``, which has three columns, are a1, b1, c1, a2, b2 and c2, in this order. These are
        faults:

        - no shape, or several; but beside ``grid``, ``hex``, ``ring`` or ``track``, ``lines`` may give lengths,
          ``Row: 3``
        - a key that the shape doesn't have, or fewer directions for ``facing`` than the game's ``max_players``
        - a faulty size, or more than ``MAX_SPACES`` (1,600) spaces, 6,400 places before ``only``, or 16,000 lines
        - an ``only`` that is faulty, takes too long or leaves no space
        - faulty lines or links, such as a length that no line of the board has, or a space linked to itself
        - labels or docs of unknown spaces
        """
        shape = self._get_shape(decl)
        if shape is None or not self._check_keys(decl, shape):
            return None
        lengths = {enum.text: int(length.text) for enum, length in decl.lines if isinstance(length, model.Word)}
        wraps = decl.wrap in ("columns", "both"), decl.wrap in ("rows", "both")
        facing = tuple(_COMPASS.index(word.text) for word in decl.facing)
        extras = BoardSettings(decl.is_first_row_north, wraps, facing, lengths)
        match shape.text:
            case "grid" | "hex":
                return self._build_grid(decl, shape, extras)
            case "ring" | "track":
                if self._report_listed_lines(decl):
                    return None
                names = list_named_spaces(decl)
                return self._finish(decl, make_path(decl.name.text, core.Shape(shape.text), names, extras))
            case "links":
                return self._build_network(decl)
        return self._build_lines(decl)

    # ------------------------------------------------------------ shapes

    def _get_shape(self, decl: model.BoardDecl) -> model.Word | None:
        """Return the key that gives the shape of a board, or None after a report."""
        shapes = [word for word in decl.shapes if word.text != "lines"] or list(decl.shapes)
        if len(shapes) == 1:
            return shapes[0]
        if not shapes:
            message = f"the board `{decl.name.text}` has no shape"
            self._report_shape(message, decl.name.span, "write a shape, for example `grid: 8 x 8`")
        else:
            message = f"the board has two shapes: `{shapes[0].text}` and `{shapes[1].text}`"
            self._report_shape(message, shapes[1].span, "remove one of them")
        return None

    def _report_shape(self, message: str, span: Span, hint: str | None = None) -> None:
        self.report.add(codes.BOARD_SHAPE, message, span, hint)

    def _check_keys(self, decl: model.BoardDecl, shape: model.Word) -> bool:
        """Return whether the shape of a board supports all its keys. Reports the first that does not fit."""
        key_spans: dict[str, Span | None] = {
            "only": decl.only.whole_span if decl.only else None,
            "first_row": decl.name.span if decl.is_first_row_north else None,
            "wrap": decl.name.span if decl.wrap else None,
            "facing": decl.facing[0].span if decl.facing else None,
            "one_way": decl.name.span if decl.is_one_way else None,
            "name": decl.letters.span if decl.letters else None,
            "map": decl.map.whole_span if decl.map else None,
        }
        for key, span in key_spans.items():
            if span is not None and shape.text not in _SHAPES_BY_KEY[key]:
                shapes = " or ".join(f"`{name}`" for name in _SHAPES_BY_KEY[key])
                self._report_shape(
                    f"`{key}` works only with {shapes}, but this board is `{shape.text}`", span, f"remove `{key}`"
                )
                return False
        if decl.facing and len(decl.facing) < self.players:
            message = f"`facing` has {len(decl.facing)} directions, but {self.players} players can play"
            self._report_shape(message, decl.facing[-1].span, "write a direction for each player")
            return False
        return True

    def _build_grid(self, decl: model.BoardDecl, shape: model.Word, extras: BoardSettings) -> core.Board | None:
        """Build a board of squares or hexagons in columns and rows, or a hexagon of hexagons from its side.

        Returns None after reporting a size that doesn't fit, listed lines, an ``only`` that is faulty or leaves no
        space, or too many spaces.
        """
        assert decl.size is not None
        size = _SIZE.fullmatch(decl.size.text)
        side = None
        if size is not None:
            columns, rows = int(size[1]), int(size[2])
        elif shape.text == "hex" and _SIDE.fullmatch(decl.size.text) is not None:
            side = int(decl.size.text)
            columns = rows = 2 * side - 1
        else:
            number = decl.size.text if _SIDE.fullmatch(decl.size.text) is not None else "8"
            alternative = "" if shape.text == "grid" else ", or the side of a hexagon"
            message = f"`{shape.text}` needs columns and rows{alternative}, not `{decl.size.text}`"
            self._report_shape(message, decl.size.span, f"did you mean `{number} x {number}`?")
            return None
        if columns * rows > 4 * MAX_SPACES:
            self._report_too_large(decl)
            return None
        is_picked = None if self._report_listed_lines(decl) else self._compile_only(decl)
        if is_picked is None:
            return None

        def exists(column: int, row: int) -> bool:
            return (side is None or side < column + row < 3 * side) and is_picked(column, row)

        try:
            board = make_grid(decl.name.text, core.Shape(shape.text), columns, rows, exists, extras)
        except NotConstant as problem:
            message, hint = "`only` can use nothing but `column` and `row`", None
            if problem.code is codes.TOO_MANY:
                message, hint = "`only` takes too long", "compare `column` and `row` with numbers"
            self._report_shape(message, problem.span, hint)
            return None
        if not board.names and decl.only is not None:
            self._report_shape("`only` leaves no space of the board", decl.only.whole_span)
            return None
        return self._finish(decl, board)

    def _compile_only(self, decl: model.BoardDecl) -> Callable[[int, int], bool] | None:
        """Return a function that says which places exist, from the condition ``only``. None after a report."""
        if decl.only is None:
            return lambda column, row: True
        routine = self.texts.make_routine(Owner("board", decl.name.text))
        for name in ("column", "row"):
            routine.bind_unchecked(name, INT, decl.only.whole_span, "index")
        n_added, node = self.report.n_added, parse_expression(decl.only, self.report)
        if node is not None:
            check_expected(routine, node, BOOL, "as a condition")
        if node is None or self.report.n_added > n_added:
            return None
        condition, evaluator = node, self.evaluator

        def is_picked(column: int, row: int) -> bool:
            evaluator.names = {"column": column, "row": row}
            return evaluator.evaluate_condition(condition)

        return is_picked

    def _report_listed_lines(self, decl: model.BoardDecl) -> bool:
        """Return whether lines are listed on a board that already has lines by its shape. Reports the lines if so."""
        for enum, lines in decl.lines:
            if not isinstance(lines, model.Word):
                message = f"the lines of `{enum.text}` are listed, but the board `{decl.name.text}` already has a shape"
                self._report_shape(message, enum.span, f"write how many spaces a line has: `{enum.text}: 3`")
                return True
        return False

    def _build_network(self, decl: model.BoardDecl) -> core.Board | None:
        """Build a board of linked spaces. Its spaces are those of the map, or all named spaces if there is no map.

        Returns None after reporting an unknown space, lines, or a space that is linked to itself.
        """
        places: dict[str, Place] = {}
        for row, line in enumerate(decl.map.text.strip("\n").split("\n") if decl.map is not None else ()):
            places |= {name: (row, 2 * column) for column, name in enumerate(line.split()) if name != "."}
        words = [word for space, targets in decl.links for word in (space, *targets)]
        names = list(places) or list(dict.fromkeys(word.text for word in words))
        numbers = {name: n for n, name in enumerate(names)}
        if not self._check_spaces(words, names, "`map`"):
            return None
        if decl.lines:
            message = f"the board `{decl.name.text}` has no straight lines"
            self._report_shape(message, decl.lines[0][0].span, "remove `lines`")
            return None
        links: list[tuple[int, int]] = []
        for space, targets in decl.links:
            for target in targets:
                if target.text == space.text:
                    message = f"the space `{target.text}` is linked to itself"
                    self.report.add(codes.UNKNOWN_SPACE, message, target.span, "remove it")
                    return None
                links.append((numbers[space.text], numbers[target.text]))
        drawn_places = tuple(places[name] for name in names) if places else ()
        extras = BoardSettings(places=drawn_places)
        board = make_network(decl.name.text, core.Shape.LINKS, names, links, decl.is_one_way, extras)
        return self._finish(decl, board)

    def _check_spaces(self, words: Iterable[model.Word], space_names: list[str], source_name: str) -> bool:
        is_valid = True
        known_names = set(space_names)
        for word in words:
            if word.text not in known_names:
                hint = suggest_name(word.text, space_names) or f"the spaces are those of {source_name}"
                self.report.add(codes.UNKNOWN_SPACE, f"there is no space `{word.text}`", word.span, hint)
                is_valid = False
        return is_valid

    def _build_lines(self, decl: model.BoardDecl) -> core.Board | None:
        """Build a board from its listed lines, which also declare the spaces, in the order in which they first occur.

        Returns None after reporting a space that is in one line twice, or a number in place of lines.
        """
        number: dict[str, int] = {}
        listed_lines: dict[str, list[tuple[int, ...]]] = {}
        for enum, lines in decl.lines:
            if isinstance(lines, model.Word):
                message = "the board has no shape, so it has no straight lines"
                self._report_shape(message, enum.span, "list the lines: `[a7 d7 g7, b6 d6 f6]`")
                return None
            for line in lines:
                names = [word.text for word in split_line(line)]
                if len(set(names)) < len(names):
                    word = next(word for word in split_line(line) if names.count(word.text) > 1)
                    self.report.add(codes.UNKNOWN_SPACE, f"the space `{word.text}` is in this line twice", word.span)
                    return None
                spaces = tuple(number.setdefault(name, len(number)) for name in names)
                listed_lines.setdefault(enum.text, []).append(spaces)
        links = [pair for lines in listed_lines.values() for line in lines for pair in pairwise(line)]
        extras = BoardSettings(listed_lines=listed_lines)
        return self._finish(decl, make_network(decl.name.text, core.Shape.LINES, list(number), links, False, extras))

    def _finish(self, decl: model.BoardDecl, board: core.Board) -> core.Board | None:
        if board.size > MAX_SPACES or sum(len(lines.names) for lines in board.lines) > 10 * MAX_SPACES:
            self._report_too_large(decl)
            return None
        for lines, (enum, _) in zip(board.lines, decl.lines, strict=True):
            if not lines.names:
                self._report_shape(f"no straight line of the board is as long as the lines of `{enum.text}`", enum.span)
                return None
        words = [word for word, _ in (*decl.labels, *decl.docs)]
        return board if self._check_spaces(words, list(board.names), "the board") else None

    def _report_too_large(self, decl: model.BoardDecl) -> None:
        message = f"the board `{decl.name.text}` has more than {MAX_SPACES:,} spaces"
        self.report.add(codes.TOO_MANY, message, decl.name.span, "make it smaller")


def make_space_enum(board: core.Board, labels: Mapping[str, str]) -> core.Enum:
    """Return the spaces of a board as an enum with the board's name, in the order of the board.

    ``labels`` maps names of spaces to labels. Without one, a name such as ``a1`` is its own label, and any other name
    is put into readable form: ``north_gate`` becomes “north gate”.
    """
    labels_by_name = {name: name if parse_space_name(name) is not None else humanise(name) for name in board.names}
    return make_enum(board.name, {**labels_by_name, **labels})


def make_enum(name: str, labels: Mapping[str, str]) -> core.Enum:
    """Return an enum from the labels of its values, which are also their short labels."""
    return core.Enum(name, tuple(core.EnumValue(value, label, None, label) for value, label in labels.items()))


MAX_SIGNS = 200


class PictureChecker:
    """Check how boards are drawn, and read start values from pictures.

    Attributes:
        pictures: Board name -> how the board is drawn.
        starts: Variable name -> its start values by space number, for the variables that a picture sets.
    """

    def __init__(self, ruleset: model.Ruleset, names: Names, data: DataChecker, report: Diagnostics) -> None:
        self.names = names
        self.data = data
        self.report = report
        self.pictures: dict[str, core.Picture] = {}
        self.starts: dict[str, dict[int, object]] = {}
        for decl in ruleset.boards:
            board = names.boards.get(decl.name.text)
            if board is not None and (decl.shows or decl.signs or decl.start is not None):
                self._check_picture(decl, board)

    def _check_picture(self, decl: model.BoardDecl, board: core.Board) -> None:
        """Check which variables a board shows, and its signs, and add its picture to ``pictures``.

        Does nothing after reporting a variable that can't be shown. The shown variables count as read.
        """
        places = [self._check_shown_variable(word, board) for word in decl.shows]
        variables = [place for place in places if place is not None]
        if not decl.shows:
            message = f"the board `{decl.name.text}` has signs but shows no variable"
            self.report.add(codes.ODD_PICTURE, message, decl.name.span, "write `shows` and the name of a variable")
        if not variables or len(variables) < len(places):
            return
        signs = tuple(self._iterate_signs(decl, variables))
        picture = core.Picture(board.name, tuple(place.name for place in variables), signs)
        self.pictures[board.name] = picture
        for word in decl.shows:
            self.data.notes.used_names.add(word.text)
            self.data.notes.read_names.add(word.text)
        if decl.start is not None:
            start_values = read_picture_values(decl.start, board, picture, self.report) or {}
            self.starts.update((place, start_values.get(place, {})) for place in picture.variables)

    def _check_shown_variable(self, word: model.Word, board: core.Board) -> VariableSymbol | None:
        """Return a variable that a board shows, or None after a report."""
        symbol = self.names.symbols.get(word.text)
        if isinstance(symbol, VariableSymbol) and [dim.type for dim in symbol.dims] == [EnumType(board.name)]:
            return symbol
        suitable_names = [
            name for name, candidate in self.names.symbols.items()
            if isinstance(candidate, VariableSymbol) and [dim.type for dim in candidate.dims] == [EnumType(board.name)]
        ]  # fmt: skip
        problem = f"is not a variable with `per: [{board.name}]`" if symbol is not None else "is not declared"
        hint = suggest_name(word.text, suitable_names) or (f"write `{suitable_names[0]}`" if suitable_names else None)
        suggestion = find_nearest(word.text, suitable_names) or word.text
        subjects = (*name_subjects(word.text), f"start of {suggestion}", f"indices of {word.text}")
        message = f"`{word.text}` {problem}, so it can't be shown"
        self.report.add(codes.ODD_PICTURE, message, word.span, hint, subjects=subjects)
        return None

    def _iterate_signs(self, decl: model.BoardDecl, variables: list[VariableSymbol]) -> Iterator[Sign]:
        """Yield the signs of a board with their values, at most ``MAX_SIGNS``.

        Faulty signs are reported and left out.
        """
        sign_texts: set[str] = set()
        for word, text in decl.signs[:MAX_SIGNS]:
            value_texts = word.text.split()
            if len(value_texts) > len(variables):
                message = f"`{word.text}` has {len(value_texts)} values, but the board shows {len(variables)}"
                self.report.add(codes.ODD_PICTURE, message, word.span)
                continue
            if not text or " " in text or text in sign_texts:
                problem = "is the sign of two values" if text in sign_texts else "can't be a sign"
                hint = "write another sign, without blanks"
                self.report.add(codes.ODD_PICTURE, f"`{text}` {problem}", word.span, hint)
                continue
            sign_texts.add(text)
            values = []
            for value, variable in zip(value_texts, variables, strict=False):
                data = model.Value(parse_scalar(value), False, word.span)
                values.append(self.data.check_value(variable.type, data, "the value of a sign"))
            yield Sign(text, tuple(values))


def read_picture_values(
    text: EmbeddedText, board: core.Board, picture: core.Picture, report: Diagnostics
) -> dict[str, dict[int, object]] | None:
    """Read a picture of a board.

    Returns variable -> number of the space -> run-time value, with an entry for each variable that the board shows,
    also without values: ``{"piece": {0: 1, 1: None}, "owner": {}}``. A sign for ``none`` gives None. If a sign has
    fewer values than the board shows variables, its space is missing in the last variables. Returns None after
    reporting a picture that doesn't fit the board, or the first unknown sign.
    """
    try:
        placed_signs = parse_picture(board, text.text)
    except PictureError as error:
        hint: str | None = "write a row of signs for each row of the board"
        report.add(codes.ODD_PICTURE, error.message, text.make_span(error.start, error.end), hint)
        return None
    start_values: dict[str, dict[int, object]] = {place: {} for place in picture.variables}
    for space, sign, start, end in placed_signs:
        values = picture.find_values(sign)
        if values is None:
            sign_list = ", ".join(f"`{known_sign.text}`" for known_sign in picture.signs)
            message = f"`signs` of the board `{board.name}` has no `{sign}`"
            hint = f"it has {sign_list}" if sign_list else None
            report.add(codes.ODD_PICTURE, message, text.make_span(start, end), hint)
            return None
        for place, value in zip(picture.variables, values, strict=False):
            start_values[place][space] = value
    return start_values
