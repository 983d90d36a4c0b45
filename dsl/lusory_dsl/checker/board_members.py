"""Check members of spaces, directions, lines and seats. They read constant tables of boards.

A space may be ``none``, which means any place outside the board. The result of a read is then ``none`` or empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.boards import COMPASS, DIRECTIONS, FACES, MOST_IN_PAIRS
from ..source import diagnostic_codes
from ..source.diagnostics import did_you_mean
from ..source.source import Span, listed
from ..syntax import ast
from ..types.builtins import NAMED_LISTS, SYMMETRIES, space_members_of
from ..types.types import BOOL, INT, PLAYER, EnumType, ListType, OptionalType, Type, optional
from .assignable_places import or_nothing
from .coercions import expect, expression, fit
from .context import Routine, faulty, is_faulty
from .symbols import member_meant

Args = Sequence[ast.Argument]


def board_of(r: Routine, type: Type) -> core.Board | None:
    """Return the board that has the values of a type as its spaces.

    The type may be optional. None for any other type.
    """
    item = type.item if isinstance(type, OptionalType) else type
    return r.names.boards.get(item.name) if isinstance(item, EnumType) else None


def _directions_of(type: Type) -> str | None:
    item = type.item if isinstance(type, OptionalType) else type
    return item.name if isinstance(item, EnumType) and item.name in DIRECTIONS else None


def is_asked_here(r: Routine, type: Type, name: str) -> bool:
    """Return whether this module handles a member of this name after a value of a type."""
    if board_of(r, type) is not None or _lines_of(r, type) is not None:
        return True
    if _directions_of(type) is not None:
        return bool(r.names.boards) and name in space_members_of("direction")
    if type == PLAYER:
        return name in FACES and _with_seats(r) is not None
    return isinstance(type, ListType) and board_of(r, type.item) is not None and name in space_members_of("list")


def asked(r: Routine, subject: core.Expr, node: ast.Member, args: Args, span: Span) -> core.Expr:
    """Check ``subject.name`` or ``subject.name(args)``. Requires that :func:`is_asked_here` is true."""
    board, name = board_of(r, subject.type), node.name
    if board is not None:
        return _of_space(r, board, subject, node, args, span)
    lines = _lines_of(r, subject.type)
    if lines is not None:
        if name != "spaces":
            return _unknown(r, subject, node, ["spaces"])
        return read_table(r, lines, str(_item(subject.type)), (subject,), span)
    directions = _directions_of(subject.type)
    if directions is not None:
        return _of_direction(r, directions, subject, node, args, span)
    if subject.type == PLAYER:
        board = _with_seats(r)
        assert board is not None
        return read_table(r, board, name, (subject,), span)
    return _of_list(r, subject, name, span)


def read_table(r: Routine, board: core.Board, part: str, indices: tuple[core.Expr, ...], span: Span) -> core.Expr:
    """Return a read of a table of the board, such as its rows or links.

    The type is optional if an index is optional and the type has no empty value. Returns a faulty expression if an
    index
    is faulty. Records that the board is used.
    """
    if any(map(is_faulty, indices)):
        return faulty(span)
    table = board.table(part)
    r.notes.used.add(board.name)
    return core.TableRead(or_nothing(table.type, indices), span, table.name, indices)


def _item(type: Type) -> Type:
    return type.item if isinstance(type, OptionalType) else type


def _lines_of(r: Routine, type: Type) -> core.Board | None:
    """Return the board that has the values of a type as its lines. None for any other type."""
    name = str(_item(type))
    return next((b for b in r.names.boards.values() if any(lines.enum == name for lines in b.lines)), None)


def _with_seats(r: Routine) -> core.Board | None:
    return next((board for board in r.names.boards.values() if board.facing), None)


# ---------------------------------------------------------------- spaces


def _of_space(r: Routine, board: core.Board, subject: core.Expr, node: ast.Member, args: Args, span: Span) -> core.Expr:
    name = node.name
    if name in DIRECTIONS[COMPASS] + DIRECTIONS["Way"]:
        direction = _way(r, board, name, node.name_span)
        return faulty(span) if direction is None else _away(r, board, subject, direction, None, span)
    row = space_members_of("space").get(name)
    if row is None:
        return _unknown(r, subject, node, [*space_members_of("space"), *_names_of_directions(board)])
    given = _arguments(r, row.name, row.params, args, span)
    if given is None:
        return faulty(span)
    if name in SYMMETRIES:
        return _symmetry(r, board, subject, node, span)
    match name:
        case "column" | "row":
            if not board.column:
                message = f"the spaces of `{board.name}` have no columns and rows"
                return r.error(diagnostic_codes.UNKNOWN_MEMBER, message, node.name_span)
        case "rank":
            if not board.facing:
                message = f"nobody looks at `{board.name}` from a side"
                return r.error(diagnostic_codes.UNKNOWN_MEMBER, message, node.name_span, "say `facing: [north, south]`")
            return read_table(r, board, name, (subject, expect(r, given[0], PLAYER, "for `rank`")), span)
        case "away" | "ray" | "line":
            return _along(r, board, subject, name, given, node.name_span, span)
        case "to" | "between":
            return _between(r, board, subject, name, given[0], node.name_span, span)
    return read_table(r, board, name, (subject,), span)


def _arguments(
    r: Routine, name: str, params: Sequence[tuple[str, str]], args: Args, span: Span
) -> list[ast.Expr] | None:
    """Return the arguments in parameter order, or None after a report. ``away`` may omit its last argument."""
    names = [param for param, _ in params]
    needed = names[:1] if name == "away" else names
    given: dict[str, ast.Expr] = {}
    for position, arg in enumerate(args):
        param = arg.name if arg.name is not None else names[position] if position < len(names) else ""
        if param not in names or param in given:
            takes = f"it is written `{name}({', '.join(names)})`" if names else "leave the parentheses out"
            r.error(diagnostic_codes.WRONG_ARGUMENTS, f"`{name}` is given too many arguments", arg.span, takes)
            return None
        given[param] = arg.value
    missing = [param for param in needed if param not in given]
    if missing:
        hint = f"write `{name}({', '.join(needed)})`"
        r.error(diagnostic_codes.WRONG_ARGUMENTS, f"`{name}` is asked without {listed(missing)}", span, hint)
        return None
    return [given[param] for param in names if param in given]


def _names_of_directions(board: core.Board) -> list[str]:
    return [name for n, name in enumerate(DIRECTIONS[board.directions or COMPASS]) if n in board.has]


def _way(r: Routine, board: core.Board, name: str, span: Span) -> int | None:
    """Return the number of a direction that the board has, or None after a report."""
    every = DIRECTIONS[board.directions] if board.directions is not None else ()
    if name in every and every.index(name) in board.has:
        return every.index(name)
    names = _names_of_directions(board)
    hint = f"it has {', '.join(f'`{n}`' for n in names)}" if names else "its spaces are linked: `beside`"
    r.error(diagnostic_codes.NO_SUCH_DIRECTION, f"the board `{board.name}` has no direction `{name}`", span, hint)
    return None


def _along(
    r: Routine, board: core.Board, subject: core.Expr, name: str, given: list[ast.Expr], name_span: Span, span: Span
) -> core.Expr:
    """Check ``away``, ``ray`` or ``line``: the spaces in a direction."""
    if board.directions is None:
        hint = "its spaces are linked: `beside`"
        return r.error(
            diagnostic_codes.NO_SUCH_DIRECTION, f"the board `{board.name}` has no directions", name_span, hint
        )
    direction = _direction(r, board, given[0], f"for `d` of `{name}`")
    if is_faulty(direction):
        return faulty(span)
    if isinstance(direction, core.Const) and isinstance(direction.value, int):
        found = _way(r, board, DIRECTIONS[board.directions][direction.value], direction.span)
        if found is None:
            return faulty(span)
        if name != "away":
            return read_table(r, board, f"{name}.{DIRECTIONS[board.directions][found]}", (subject,), span)
        return _away(r, board, subject, found, given[1] if len(given) > 1 else None, span)
    if name == "away" and len(given) > 1:
        return _steps_away(r, board, subject, direction, given[1], span)
    return read_table(r, board, name, (subject, direction), span)


def _direction(r: Routine, board: core.Board, node: ast.Expr, role: str) -> core.Expr:
    """Check a direction. Reports a direction that only boards of another shape have."""
    type = EnumType(board.directions or COMPASS)
    found = expression(r, node, type)
    if isinstance(found, core.Const) and _directions_of(found.type) not in (None, type.name):
        assert isinstance(found.value, int)
        _way(r, board, DIRECTIONS[str(found.type)][found.value], found.span)
        return faulty(node.span)
    return fit(r, found, type, role)


def _away(
    r: Routine, board: core.Board, subject: core.Expr, direction: int, n: ast.Expr | None, span: Span
) -> core.Expr:
    """Return the next space in a constant direction, or the space ``n`` steps away."""
    name = DIRECTIONS[board.directions or COMPASS][direction]
    if n is None:
        return read_table(r, board, f"away.{name}", (subject,), span)
    way = core.Const(EnumType(board.directions or COMPASS), span, direction)
    return _steps_away(r, board, subject, way, n, span)


def _steps_away(
    r: Routine, board: core.Board, subject: core.Expr, direction: core.Expr, n: ast.Expr, span: Span
) -> core.Expr:
    steps = expect(r, n, INT, "for `n` of `away`")
    if isinstance(steps, core.Const) and isinstance(steps.value, int) and not is_faulty(steps):
        longest = board.table("away_by").dims[-1].size or 0
        if not 1 <= steps.value <= longest:
            message = f"no space of `{board.name}` lies {steps.value} steps away in a direction"
            r.report.add(
                diagnostic_codes.ALWAYS_OUTSIDE, message, steps.span, f"it is {longest} at most, and 1 at least"
            )
        if steps.value == 1:
            return read_table(r, board, "away", (subject, direction), span)
    return read_table(r, board, "away_by", (subject, direction, steps), span)


def _symmetry(r: Routine, board: core.Board, subject: core.Expr, node: ast.Member, span: Span) -> core.Expr:
    if node.name not in board.symmetries:
        known = ", ".join(f"`{name}`" for name in board.symmetries)
        message = f"the board `{board.name}` does not come to itself when it is {node.name}"
        hint = f"it has {known}" if known else "it has no symmetries"
        return r.error(diagnostic_codes.NO_SUCH_SYMMETRY, message, node.name_span, hint)
    return read_table(r, board, node.name, (subject,), span)


def _between(
    r: Routine, board: core.Board, subject: core.Expr, name: str, other: ast.Expr, name_span: Span, span: Span
) -> core.Expr:
    second = _space(r, board, other, f"for `other` of `{name}`")
    if name == "to" and board.directions is None:
        hint = "its spaces are linked: `beside`"
        return r.error(
            diagnostic_codes.NO_SUCH_DIRECTION, f"the board `{board.name}` has no directions", name_span, hint
        )
    if _too_large(r, board, name_span):
        return faulty(span)
    return read_table(r, board, name, (subject, second), span)


def _space(r: Routine, board: core.Board, node: ast.Expr, role: str) -> core.Expr:
    """Check a space, which may be ``none``."""
    own = EnumType(board.name)
    return fit(r, expression(r, node, own), optional(own), role)


def _too_large(r: Routine, board: core.Board, span: Span) -> bool:
    """Return whether a board has too many spaces for a table of pairs. Reports the board if so."""
    if board.size > MOST_IN_PAIRS:
        message = f"this is worked out for each pair of spaces, of boards of {MOST_IN_PAIRS} spaces at most"
        r.error(diagnostic_codes.TOO_MANY, message, span, f"`{board.name}` has {board.size}")
    return board.size > MOST_IN_PAIRS


def _unknown(r: Routine, subject: core.Expr, node: ast.Member, known: list[str]) -> core.Expr:
    listed = f"it has {', '.join(f'`{k}`' for k in known)}"
    hint = member_meant("space", node.name) or did_you_mean(node.name, known) or listed
    return r.error(
        diagnostic_codes.UNKNOWN_MEMBER, f"a `{_item(subject.type)}` has no member `{node.name}`", node.name_span, hint
    )


# ---------------------------------------------------------------- directions and lists


def _of_direction(
    r: Routine, directions: str, subject: core.Expr, node: ast.Member, args: Args, span: Span
) -> core.Expr:
    row = space_members_of("direction")[node.name]
    given = _arguments(r, row.name, row.params, args, span)
    if given is None:
        return faulty(span)
    type = EnumType(directions)
    direction = fit(r, subject, type, f"before `.{node.name}`")
    if is_faulty(direction):
        return faulty(span)
    if node.name == "opposite":
        return core.TableRead(type, span, f"{directions}.opposite", (direction,))
    found = {n for board in r.names.boards.values() if board.directions == directions for n in board.has}
    ring = core.Const(ListType(type), span, tuple(sorted(found)))
    return core.CallBuiltin(type, span, "step", (ring, direction, expect(r, given[0], INT, "for `n` of `turned`")))


def _of_list(r: Routine, subject: core.Expr, name: str, span: Span) -> core.Expr:
    """Return the spaces outside a list of spaces that touch one of them."""
    assert isinstance(subject.type, ListType)
    board = board_of(r, subject.type.item)
    assert board is not None
    space, own = r.locals.slot(), EnumType(board.name)
    item = core.Local(own, span, space, "it")
    touching = read_table(r, board, f"{name}_from", (item,), span)
    every = core.Const(ListType(own), span, tuple(range(board.size)))
    listed_spaces = ListType(own)
    met = core.Binary(listed_spaces, span, "intersect", touching, subject)
    empty = core.Const(listed_spaces, span, ())
    outside = core.Unary(BOOL, span, "not", core.Binary(BOOL, span, "in", item, subject))
    touches = core.Binary(BOOL, span, "!=", met, empty)
    return core.Filter(listed_spaces, span, space, every, core.Binary(BOOL, span, "and", outside, touches))


def named_list(r: Routine, name: str, span: Span) -> core.Expr | None:
    """Return the list of directions called ``orthogonals`` or ``diagonals``.

    None for another name, or without a compass.
    """
    if name not in NAMED_LISTS or COMPASS not in r.names.enums or not r.names.boards:
        return None
    if all(board.shape is core.Shape.HEX for board in r.names.boards.values() if board.directions == COMPASS):
        message = f"`{name}` are directions of squares: two of them lead nowhere on hexagons, and four are missing"
        r.report.add(
            diagnostic_codes.ALWAYS_OUTSIDE,
            message,
            span,
            "all directions are `Compass`; those that a board lacks lead nowhere",
        )
    type = EnumType(COMPASS)
    return core.Const(ListType(type), span, tuple(map(DIRECTIONS[COMPASS].index, NAMED_LISTS[name])))


# ---------------------------------------------------------------- calls


def space_at(r: Routine, board: core.Board, node: ast.Call) -> core.Expr:
    """Check a call such as ``Square(3, 4)``: the space in a column and row."""
    if not board.column:
        message = f"the spaces of `{board.name}` have no columns and rows"
        return r.error(diagnostic_codes.WRONG_ARGUMENTS, message, node.span, "name the space")
    given = _arguments(r, board.name, (("column", "Int"), ("row", "Int")), node.args, node.span)
    if given is None:
        return faulty(node.span)
    indices = tuple(expect(r, arg, INT, f"for `{board.name}`") for arg in given)
    for index, (what, most) in zip(indices, (("column", board.columns), ("row", board.rows)), strict=True):
        if isinstance(index, core.Const) and isinstance(index.value, int) and not 1 <= index.value <= most:
            message = f"`{board.name}` has no {what} {index.value}, so this is always `none`"
            r.report.add(diagnostic_codes.ALWAYS_OUTSIDE, message, index.span, f"the {what}s are 1 to {most}")
    return read_table(r, board, "at", indices, node.span)


def never_there(r: Routine, op: str, asked: core.Expr, other: core.Expr) -> None:
    """Warn about a comparison with a column or row that the board does not have. Outside the board, both are 0."""
    if not (isinstance(asked, core.TableRead) and isinstance(other, core.Const) and isinstance(other.value, int)):
        return
    name, _, part = asked.table.partition(".")
    board = r.names.boards.get(name)
    if board is None or part not in ("column", "row"):
        return
    there = set(board.column if part == "column" else board.row)
    may_be_beside = isinstance(asked.indices[0].type, OptionalType)
    if there and other.value not in there and not (may_be_beside and other.value == 0):
        always = "never" if op == "=" else "always"
        message = f"`{name}` has no {part} {other.value}, so this {always} holds"
        hint = f"the {part}s are {min(there)} to {max(there)}{', and 0 beside the board' if may_be_beside else ''}"
        r.report.add(diagnostic_codes.ALWAYS_OUTSIDE, message, other.span, hint)


def distance(r: Routine, node: ast.Call, first: core.Expr) -> core.Expr:
    """Check ``distance(s, t)`` between two spaces."""
    board = board_of(r, first.type)
    assert board is not None
    corners = False
    others = [arg for arg in node.args[1:] if arg.name != "corners"]
    for arg in node.args[1:]:
        if arg.name == "corners":
            if not isinstance(arg.value, ast.BoolLit):
                return r.error(diagnostic_codes.WRONG_ARGUMENTS, "`corners` is `true` or `false`", arg.span)
            corners = arg.value.value
    if len(others) != 1 or others[0].name not in (None, "other"):
        hint = "write `distance(s, t)`, or `distance(s, t, corners: true)`"
        return r.error(diagnostic_codes.WRONG_ARGUMENTS, "`distance` is asked of two spaces", node.span, hint)
    if _too_large(r, board, node.span):
        return faulty(node.span)
    second = _space(r, board, others[0].value, "for `other` of `distance`")
    return read_table(r, board, "distance_around" if corners else "distance", (first, second), node.span)
