"""Check members of spaces, directions, lines and seats. They read constant tables of boards.

A space may be ``none``, which means any place outside the board. The result of a read is then ``none`` or empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import core
from ..core.board_geometry import COMPASS, DIRECTIONS, FACES, MAX_SPACES_FOR_PAIRS
from ..source import diagnostic_codes as codes
from ..source.source import Span
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..types.builtin_functions_members_and_statements import NAMED_LISTS, SYMMETRIES, get_space_members
from ..types.types import BOOL, INT, PLAYER, EnumType, ListType, Type, optional, strip_optional
from .argument_matching import match_arguments
from .coercions import check_expected, check_expression, convert_to
from .context import Routine, is_faulty, make_faulty
from .symbol_table import suggest_for_member
from .variable_and_zone_access import make_optional_if_outside

Args = Sequence[ast.Argument]
_LINKED_HINT = "write `beside`: the spaces of this board are linked by hand"


def find_board(routine: Routine, type: Type) -> core.Board | None:
    """Return the board that has the values of a type as its spaces.

    The type may be optional, but not a list. Returns None for any other type.
    """
    item = strip_optional(type)
    return routine.names.boards.get(item.name) if isinstance(item, EnumType) else None


def _get_directions(type: Type) -> str | None:
    item = strip_optional(type)
    return item.name if isinstance(item, EnumType) and item.name in DIRECTIONS else None


def has_board_member(routine: Routine, type: Type, name: str) -> bool:
    """Return whether this module handles a member of this name after a value of a type.

    For a space or a line, it handles every name, and reports unknown ones. For other types, it handles only the names
    of their members: ``opposite`` and ``turned`` of a direction, ``beside`` and ``around`` of a list of spaces. Those
    of a player are the eight of FACES, such as ``forward``, and only if a board has ``facing``. An optional space, line
    or direction counts like its item, also in ``List[Square?]``. ``Player?`` and an optional list give False. Without
    boards, the result is False.
    """
    if find_board(routine, type) is not None or _find_board_of_lines(routine, type) is not None:
        return True
    if _get_directions(type) is not None:
        return bool(routine.names.boards) and name in get_space_members("direction")
    if type == PLAYER:
        return name in FACES and _find_facing_board(routine) is not None
    is_list_of_spaces = isinstance(type, ListType) and find_board(routine, type.item) is not None
    return is_list_of_spaces and name in get_space_members("list")


def check_board_member(routine: Routine, subject: core.Expr, node: ast.Member, args: Args, span: Span) -> core.Expr:
    """Check ``subject.name`` or ``subject.name(args)``, where :func:`has_board_member` is true.

    The subject is a space, a line (which has only ``spaces``), a direction, a list of spaces, or a player, for
    ``forward`` and the like. Most members give a TableRead: ``s.row`` reads ``Grid.row``. ``s.north`` and
    ``s.away(north)`` read ``Grid.away.north``, and ``spaces`` of a line of the type ``Mill`` reads ``Grid.Mill``.
    ``turned`` of a direction gives a CallBuiltin, and ``beside`` or ``around`` of a list a Filter of all spaces. A
    board that is read is added to ``routine.notes.used_names``. Returns :func:`make_faulty` after reporting an unknown
    member (at its name), or surplus, repeated, unknown or missing arguments. The same holds for a member or direction
    that the board lacks, or a member for which it has more than ``MAX_SPACES_FOR_PAIRS`` spaces. An argument of a wrong
    type is reported, too, and so is a direction of another shape, such as ``onward`` on a grid. Either is then a faulty
    index of the result, but a faulty argument of ``turned`` makes the result faulty.
    """
    board, name = find_board(routine, subject.type), node.name
    if board is not None:
        return _check_space_member(routine, board, subject, node, args, span)
    directions = _get_directions(subject.type)
    if directions is not None:
        return _check_direction_value_member(routine, directions, subject, node, args, span)
    lines = _find_board_of_lines(routine, subject.type)
    if lines is not None and name != "spaces":
        return _report_unknown_member(routine, subject, node, ["spaces"])
    if _match_arguments(routine, name, (), args, span) is None:
        return make_faulty(span)
    if lines is not None:
        return _read_board_table(routine, lines, str(strip_optional(subject.type)), (subject,), span)
    if subject.type == PLAYER:
        board = _find_facing_board(routine)
        assert board is not None
        return _read_board_table(routine, board, name, (subject,), span)
    return _check_list_member(routine, subject, name, span)


def _read_board_table(
    routine: Routine, board: core.Board, member: str, indices: tuple[core.Expr, ...], span: Span
) -> core.Expr:
    """Return a TableRead of a table of the board, and record that the board is used.

    ``member`` names the table, such as ``row`` or ``distance``. The type is optional if an index is optional and the
    type has no empty value. A faulty index stays in the read.
    """
    table = board.get_table(member)
    routine.notes.used_names.add(board.name)
    return core.TableRead(make_optional_if_outside(table.type, indices), span, table.name, indices)


def _find_board_of_lines(routine: Routine, type: Type) -> core.Board | None:
    """Return the board that has the values of a type as its lines. None for any other type."""
    name = str(strip_optional(type))
    boards = routine.names.boards.values()
    return next((board for board in boards if any(lines.enum == name for lines in board.lines)), None)


def _find_facing_board(routine: Routine) -> core.Board | None:
    return next((board for board in routine.names.boards.values() if board.facing), None)


# ---------------------------------------------------------------- spaces


def _check_space_member(
    routine: Routine, board: core.Board, subject: core.Expr, node: ast.Member, args: Args, span: Span
) -> core.Expr:
    """Check a member of a space: a direction, or a member of the table of space members.

    Returns a read of a table of the board, or a faulty expression after a report.
    """
    name = node.name
    if name in DIRECTIONS[COMPASS] + DIRECTIONS["Way"]:
        if _match_arguments(routine, name, (), args, span) is None:
            return make_faulty(span)
        if not _has_direction(routine, board, name, node.name_span):
            return make_faulty(span)
        return _read_board_table(routine, board, f"away.{name}", (subject,), span)
    row = get_space_members("space").get(name)
    if row is None:
        member_names = [*get_space_members("space"), *_list_direction_names(board)]
        return _report_unknown_member(routine, subject, node, member_names)
    args_given = _match_arguments(routine, row.name, row.params, args, span)
    if args_given is None:
        return make_faulty(span)
    if name in SYMMETRIES:
        return _check_symmetry(routine, board, subject, node, span)
    match name:
        case "column" | "row":
            if not board.column:
                message = f"the spaces of `{board.name}` have no columns and rows"
                return routine.report_error(codes.UNKNOWN_MEMBER, message, node.name_span)
        case "rank":
            if not board.facing:
                message, hint = f"nobody looks at `{board.name}` from a side", "say `facing: [north, south]`"
                return routine.report_error(codes.UNKNOWN_MEMBER, message, node.name_span, hint)
            player = check_expected(routine, args_given[0], PLAYER, "for `rank`")
            return _read_board_table(routine, board, name, (subject, player), span)
        case "away" | "ray" | "line":
            return _check_direction_member(routine, board, subject, node, args_given, span)
        case "to" | "between":
            return _check_between(routine, board, subject, node, args_given[0], span)
    return _read_board_table(routine, board, name, (subject,), span)


def _match_arguments(
    routine: Routine, name: str, params: Sequence[tuple[str, str]], args: Args, span: Span
) -> list[ast.Expr] | None:
    """Return the arguments in parameter order, or None after reporting surplus, unknown, repeated or missing ones.

    Only the first argument of ``away`` is required. Without the second, the result is shorter.
    """
    names = [param for param, _ in params]
    if name == "away" and len(args) < 2:
        names = names[:1]  # the number of steps is optional
    usage = f"write `{name}({', '.join(names)})`" if names else "remove the parentheses"
    values = match_arguments(routine, f"`{name}`", names, args, span, usage)
    return None if values is None else list(values.values())


def _list_direction_names(board: core.Board) -> list[str]:
    return [name for i, name in enumerate(DIRECTIONS[board.directions or COMPASS]) if i in board.direction_indices]


def _has_direction(routine: Routine, board: core.Board, name: str, span: Span) -> bool:
    """Return whether a board has a direction. If not, report that."""
    names = _list_direction_names(board)
    if name not in names:
        hint = f"it has {', '.join(f'`{other}`' for other in names)}" if names else _LINKED_HINT
        routine.report_error(codes.NO_SUCH_DIRECTION, f"the board `{board.name}` has no direction `{name}`", span, hint)
    return name in names


def _report_no_directions(routine: Routine, board: core.Board, span: Span) -> core.Expr:
    """Report a member that needs directions, on a board without them, and return a faulty expression."""
    message = f"the board `{board.name}` has no directions"
    return routine.report_error(codes.NO_SUCH_DIRECTION, message, span, _LINKED_HINT)


def _check_direction_member(
    routine: Routine, board: core.Board, subject: core.Expr, node: ast.Member, args: list[ast.Expr], span: Span
) -> core.Expr:
    """Check ``away``, ``ray`` or ``line``: the spaces in a direction.

    ``args`` holds the direction and, for ``away``, perhaps the number of steps. Returns a faulty expression after
    reporting a board without directions, or a direction that it lacks.
    """
    if board.directions is None:
        return _report_no_directions(routine, board, node.name_span)
    name = node.name
    direction = _check_direction(routine, board, args[0], f"for `d` of `{name}`")
    constant_name = None
    if isinstance(direction, core.Const) and isinstance(direction.value, int):
        constant_name = DIRECTIONS[board.directions][direction.value]
        if not _has_direction(routine, board, constant_name, direction.span):
            return make_faulty(span)
    if name == "away" and len(args) > 1:
        return _make_steps_away(routine, board, subject, direction, args[1], span)
    if constant_name is not None:
        return _read_board_table(routine, board, f"{name}.{constant_name}", (subject,), span)
    return _read_board_table(routine, board, name, (subject, direction), span)


def _check_direction(routine: Routine, board: core.Board, node: ast.Expr, role: str) -> core.Expr:
    """Check a direction. Reports a direction that only boards of another shape have."""
    type = EnumType(board.directions or COMPASS)
    direction = check_expression(routine, node, type)
    if isinstance(direction, core.Const) and _get_directions(direction.type) not in (None, type.name):
        assert isinstance(direction.value, int)
        _has_direction(routine, board, DIRECTIONS[str(direction.type)][direction.value], direction.span)
        return make_faulty(node.span)
    return convert_to(routine, direction, type, role)


def _make_steps_away(
    routine: Routine, board: core.Board, subject: core.Expr, direction: core.Expr, n: ast.Expr, span: Span
) -> core.Expr:
    """Return the space ``n`` steps away in a direction. One step needs no table of its own."""
    steps = check_expected(routine, n, INT, "for `n` of `away`")
    if isinstance(steps, core.Const) and steps.value == 1:
        return _read_board_table(routine, board, "away", (subject, direction), span)
    return _read_board_table(routine, board, "away_by", (subject, direction, steps), span)


def _check_symmetry(routine: Routine, board: core.Board, subject: core.Expr, node: ast.Member, span: Span) -> core.Expr:
    if node.name not in board.symmetries:
        symmetry_names = ", ".join(f"`{name}`" for name in board.symmetries)
        message = f"the board `{board.name}` changes its shape when it is {node.name}"
        hint = f"it has {symmetry_names}" if symmetry_names else "this board has no symmetries"
        return routine.report_error(codes.NO_SUCH_SYMMETRY, message, node.name_span, hint)
    return _read_board_table(routine, board, node.name, (subject,), span)


def _check_between(
    routine: Routine, board: core.Board, subject: core.Expr, node: ast.Member, other_node: ast.Expr, span: Span
) -> core.Expr:
    """Check ``to`` and ``between``: the direction to another space, or the spaces between the two."""
    second = _check_space(routine, board, other_node, f"for `other` of `{node.name}`")
    if node.name == "to" and board.directions is None:
        return _report_no_directions(routine, board, node.name_span)
    if _is_too_large(routine, board, node.name_span):
        return make_faulty(span)
    return _read_board_table(routine, board, node.name, (subject, second), span)


def _check_space(routine: Routine, board: core.Board, node: ast.Expr, role: str) -> core.Expr:
    """Check a space, which may be ``none``."""
    space_type = EnumType(board.name)
    return convert_to(routine, check_expression(routine, node, space_type), optional(space_type), role)


def _is_too_large(routine: Routine, board: core.Board, span: Span) -> bool:
    """Return whether a board has too many spaces for a table of pairs. Reports the board if so."""
    if board.size > MAX_SPACES_FOR_PAIRS:
        message = f"this works only on boards with at most {MAX_SPACES_FOR_PAIRS} spaces"
        routine.report_error(codes.TOO_MANY, message, span, f"`{board.name}` has {board.size}")
    return board.size > MAX_SPACES_FOR_PAIRS


def _report_unknown_member(
    routine: Routine, subject: core.Expr, node: ast.Member, member_names: list[str]
) -> core.Expr:
    """Report a space's unknown member. The hint is a similar member, or the list of all."""
    member_list = f"it has {', '.join(f'`{name}`' for name in member_names)}"
    hint = suggest_for_member("space", node.name) or suggest_name(node.name, member_names) or member_list
    message = f"a `{strip_optional(subject.type)}` has no member `{node.name}`"
    return routine.report_error(codes.UNKNOWN_MEMBER, message, node.name_span, hint)


# ---------------------------------------------------------------- directions and lists


def _check_direction_value_member(
    routine: Routine, directions: str, subject: core.Expr, node: ast.Member, args: Args, span: Span
) -> core.Expr:
    """Check a member of a direction: ``opposite``, or ``turned`` by a number of the directions that boards have."""
    row = get_space_members("direction")[node.name]
    args_given = _match_arguments(routine, row.name, row.params, args, span)
    if args_given is None:
        return make_faulty(span)
    type = EnumType(directions)
    direction = convert_to(routine, subject, type, f"before `.{node.name}`")
    if node.name == "opposite":
        return core.TableRead(type, span, f"{directions}.opposite", (direction,))
    available_directions = {
        n for board in routine.names.boards.values() if board.directions == directions for n in board.direction_indices
    }
    ring = core.Const(ListType(type), span, tuple(sorted(available_directions)))
    steps = check_expected(routine, args_given[0], INT, "for `n` of `turned`")
    return make_faulty(span) if is_faulty(steps) else core.CallBuiltin(type, span, "step", (ring, direction, steps))


def _check_list_member(routine: Routine, subject: core.Expr, name: str, span: Span) -> core.Expr:
    """Return the spaces outside a list of spaces that touch one of them."""
    assert isinstance(subject.type, ListType)
    board = find_board(routine, subject.type.item)
    assert board is not None
    space, space_type = routine.locals.allocate_slot(), EnumType(board.name)
    item = core.Local(space_type, span, space, "it")
    neighbours = _read_board_table(routine, board, f"{name}_from", (item,), span)
    all_spaces = core.Const(ListType(space_type), span, tuple(range(board.size)))
    listed_spaces = ListType(space_type)
    common_spaces = core.Binary(listed_spaces, span, "intersect", neighbours, subject)
    no_spaces = core.Const(listed_spaces, span, ())
    is_outside = core.Unary(BOOL, span, "not", core.Binary(BOOL, span, "in", item, subject))
    touches = core.Binary(BOOL, span, "!=", common_spaces, no_spaces)
    return core.Filter(listed_spaces, span, space, all_spaces, core.Binary(BOOL, span, "and", is_outside, touches))


def make_direction_list(routine: Routine, name: str, span: Span) -> core.Expr | None:
    """Return the constant list of directions called ``orthogonals`` or ``diagonals``.

    The constant is a tuple of indices into ``DIRECTIONS["Compass"]``, clockwise from north: (0, 2, 4, 6) or (1, 3, 5,
    7). Returns None for another name, and if no board has a compass. Boards of squares and of hexagons have one.
    """
    if name not in NAMED_LISTS or all(board.directions != COMPASS for board in routine.names.boards.values()):
        return None
    type = EnumType(COMPASS)
    return core.Const(ListType(type), span, tuple(map(DIRECTIONS[COMPASS].index, NAMED_LISTS[name])))


# ---------------------------------------------------------------- calls


def check_space_at(routine: Routine, board: core.Board, node: ast.Call) -> core.Expr:
    """Check a call such as ``Square(3, 4)``: the space in a column and row, both from 1, or ``none`` outside the board.

    Returns a TableRead of the table ``Square.at``, with the column and the row as indices and the type ``Square?``.
    Returns a faulty expression after a report if the board has no columns and rows, or if the arguments do not match
    the parameters ``column`` and ``row``. An argument that is no Int is reported, and is a faulty index of the read.
    """
    if not board.column:
        message = f"the spaces of `{board.name}` have no columns and rows"
        return routine.report_error(codes.WRONG_ARGUMENTS, message, node.span, "name the space")
    coordinates = _match_arguments(routine, board.name, (("column", "Int"), ("row", "Int")), node.args, node.span)
    if coordinates is None:
        return make_faulty(node.span)
    indices = tuple(check_expected(routine, arg, INT, f"for `{board.name}`") for arg in coordinates)
    return _read_board_table(routine, board, "at", indices, node.span)


def read_corners(routine: Routine, values: Mapping[str, ast.Expr]) -> bool | None:
    """Return the value of the argument ``corners`` of a call: ``true``, ``false``, or False without the argument.

    Any other expression is reported as an error and gives None.
    """
    corners = values.get("corners")
    if corners is None or isinstance(corners, ast.BoolLit):
        return corners is not None and corners.value
    routine.report_error(codes.WRONG_ARGUMENTS, "`corners` is `true` or `false`", corners.span)
    return None


def check_distance(routine: Routine, node: ast.Call, first_space: core.Expr) -> core.Expr:
    """Check ``distance(s, t)``: the number of steps between two spaces.

    Steps go over edges, and over corners too with ``corners: true``. ``first_space`` is ``s``, checked already, with
    the type of a board's spaces (``Grid`` or ``Grid?``). Returns a TableRead of ``Grid.distance``, or
    ``Grid.distance_around`` with corners. Its type is an optional Int: ``none`` if ``s`` or ``t`` is ``none``, or if no
    way joins them. A ``t`` that is neither a space of this board nor ``none`` is reported, and faulty in the read.
    Returns a faulty expression after reporting a missing, surplus, unknown or repeated argument, a ``corners`` that is
    no literal, or a board of more than ``MAX_SPACES_FOR_PAIRS`` spaces.
    """
    board = find_board(routine, first_space.type)
    assert board is not None
    usage = "write `distance(s, t)`, or `distance(s, t, corners: true)`"
    values = match_arguments(routine, "`distance`", ("other",), node.args[1:], node.span, usage, options=("corners",))
    crosses_corners = None if values is None else read_corners(routine, values)
    if values is None or crosses_corners is None:
        return make_faulty(node.span)
    if _is_too_large(routine, board, node.span):
        return make_faulty(node.span)
    second = _check_space(routine, board, values["other"], "for `other` of `distance`")
    table = "distance_around" if crosses_corners else "distance"
    return _read_board_table(routine, board, table, (first_space, second), node.span)
