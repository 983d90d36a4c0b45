"""Check list expressions: filters, sorting, comprehensions, reachability and connected regions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .. import core
from ..core.expression_bounds import Bounds
from ..source import diagnostic_codes as codes
from ..source.source import Span, prepend_article
from ..syntax import ast
from ..types.builtin_functions_members_and_statements import FUNCTIONS
from ..types.integer_intervals import compute_hull
from ..types.types import (
    BOOL,
    INT,
    LIST_LIMIT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
)
from .argument_matching import match_arguments
from .coercions import assume_condition, check_expected, check_expression, check_list, convert_to, get_item_type
from .context import LocalName, Routine, is_faulty, make_faulty
from .space_direction_and_seat_members import find_board, read_corners
from .symbol_table import TypeSymbol


def check_selection(routine: Routine, node: ast.Where | ast.AsLong, expected: Type | None) -> core.Expr:
    """Check ``list where condition``, the items for which a condition holds, or ``list while condition``, the items
    before the first one for which it fails.

    Returns a Filter or a Leading. The condition may narrow the type of the items. A faulty condition is reported, but
    stays in the Filter or Leading. Returns a faulty expression if the source is faulty, after checking the condition.
    ``expected`` is the type expected of the source.
    """
    result, word = (core.Filter, "where") if isinstance(node, ast.Where) else (core.Leading, "while")
    source = check_list(routine, node.source, expected)
    with routine.open_scope(), routine.restore_narrowing():
        slot = _bind_item(routine, node, source)
        condition = assume_condition(routine, node.condition, f"after `{word}`")
        item = routine.narrowed_types.get(slot, get_item_type(source))
    return source if is_faulty(source) else result(ListType(item), node.span, slot, source, condition)


def check_with_key(routine: Routine, node: ast.WithKey, expected: Type | None) -> core.Expr:
    """Check a selection by key, named by ``node.kind``.

    ``most`` and ``least`` give an Extreme: all items with the greatest or least key, in their order. Its ``key`` must
    be an Int: :func:`convert_to` makes a read of an ``Int?`` one, and reports any other type, whose ``key`` is then
    faulty. ``distinct`` gives a Distinct: the first item for each key, which can have any type. Both have the type of
    the checked ``source``, a list. If the source is faulty, it is reported, their type is NOTHING, and the key is
    checked all the same. ``expected`` is the type expected of the source.
    """
    source = check_list(routine, node.source, expected)
    with routine.open_scope():
        slot = _bind_item(routine, node, source)
        if node.kind == "distinct":
            key = check_expression(routine, node.key)
        else:
            key = check_expected(routine, node.key, INT, f"after `with {node.kind}`")
    if node.kind == "distinct":
        return core.Distinct(source.type, node.span, slot, source, key)
    return core.Extreme(source.type, node.span, slot, source, node.kind, key)


def check_sorted(routine: Routine, node: ast.Sorted, expected: Type | None) -> core.Expr:
    """Check a sort by key, from the least to the greatest, and return a Sorted.

    Keys are numbers, truth values, players, enum values, or components such as cards. Returns a faulty expression after
    reporting any other key. A faulty key stays in the Sorted. The Sorted itself is faulty only if the list is.
    """
    source = check_list(routine, node.source, expected)
    with routine.open_scope():
        slot = _bind_item(routine, node, source)
        key = check_expression(routine, node.key)
    if not isinstance(key.type, IntType | BoolType | PlayerType | EnumType | ComponentType | NothingType):
        hint = "sort by a number, or by what has an order: a player, a card, a value of an enum"
        message = f"{prepend_article(f'`{key.type}`')} has no order to sort by"
        return routine.report_error(codes.WRONG_TYPE, message, key.span, hint)
    return core.Sorted(source.type, node.span, slot, source, key)


def _bind_item(routine: Routine, node: ast.Where | ast.AsLong | ast.WithKey | ast.Sorted, source: core.Expr) -> int:
    """Bind the name of the items of a selection, ``it`` if the author gives none. Returns its slot."""
    if node.item is None:
        slot = routine.bind_unchecked("it", get_item_type(source), node.span, "item")
    else:
        slot = routine.bind(node.item.name, get_item_type(source), node.item.span)
    routine.local_facts.sources[slot] = source
    return slot


def check_comprehension(routine: Routine, node: ast.Comprehension, expected: Type | None) -> core.Expr:
    """Check a comprehension over one list, or over several nested ones, and return its value.

    Over one list, ``list(…)`` gives a MapList, and any other function a Fold with the type of the function.
    ``count(x for x in …)`` counts the items: its body is the innermost ``where``, or else true. Any other body of
    ``count`` is a condition. Over several lists, ``list`` gives Concats around a MapList. ``max`` and ``min`` call the
    function with such a list, since an inner list may be empty: ``max(x + y for x in xs, y in ys)`` is a CallBuiltin of
    a Concat. The others give a Fold of Folds, of which the outer ones of ``count`` are sums. The item type of
    ``expected`` is expected of the body of ``list``. A faulty source or body stays in the result.
    """
    kind, span = node.function, node.span
    names = (node.name, *(generator.name for generator in node.more))
    counts_items = kind == "count" and isinstance(node.body, ast.Name) and node.body.name in names
    with ExitStack() as frames:
        generators: tuple[ast.Comprehension | ast.Each, ...] = (node, *node.more)
        parts = [frames.enter_context(open_item_scope(routine, generator)) for generator in generators]
        if counts_items:
            routine.check_operand(node.body)
            body: core.Expr = core.Const(BOOL, node.body.span, True)
        elif kind == "list":
            body = check_expression(routine, node.body, expected.item if isinstance(expected, ListType) else None)
        else:
            body_type = INT if FUNCTIONS[kind].params[0].type == ListType(INT) else BOOL
            body = check_expected(routine, node.body, body_type, f"in `{kind}(… for …)`")
    *outer_parts, (slot, source, condition) = parts
    if counts_items and condition is not None:
        body, condition = condition, None
    is_in_list = bool(outer_parts) and kind in ("max", "min")  # since an inner list may be empty
    builds_list = kind == "list" or is_in_list
    type = ListType(body.type) if builds_list else FUNCTIONS[kind].type
    assert type is not None
    value: core.Expr
    if builds_list:
        value = core.MapList(type, span, slot, source, condition, body)
    else:
        value = core.Fold(type, span, slot, source, kind, condition, body)
    for slot, source, condition in reversed(outer_parts):
        if builds_list:
            value = core.Concat(type, span, slot, source, condition, value)
        else:
            value = core.Fold(type, span, slot, source, "sum" if kind == "count" else kind, condition, value)
    return core.CallBuiltin(INT, span, kind, (value,)) if is_in_list else value


def check_item_condition(routine: Routine, node: ast.Expr | None, slot: int, item: Type) -> core.Expr | None:
    """Check the condition after the ``where`` of a loop or choice.

    The item, in slot ``slot``, is also called ``it`` there. Returns None if there is no ``where``. The routine assumes
    afterwards that the condition is true.
    """
    if node is None:
        return None
    with routine.open_scope():
        routine.add_local(LocalName("it", slot, item, node.span, "item", is_exempt=True))
        return assume_condition(routine, node, "after `where`")


@contextmanager
def open_item_scope(
    routine: Routine, node: ast.Comprehension | ast.Each | ast.ForEach
) -> Iterator[tuple[int, core.Expr, core.Expr | None]]:
    """Open the scope of a loop over a list.

    Yields the slot of the item, the list, and the condition on items, or None if there is no ``where``.
    """
    source = check_list(routine, node.source)
    with routine.open_scope(), routine.restore_narrowing():
        slot = routine.bind(node.name, get_item_type(source), node.name_span)
        routine.local_facts.sources[slot] = source
        yield slot, source, check_item_condition(routine, node.condition, slot, get_item_type(source))


def check_reach(routine: Routine, node: ast.Reach, expected: Type | None) -> core.Expr:
    """Check ``reach(…)``: all values that can be reached from a start.

    Returns a Reach, a list of these values. Returns a faulty expression after reporting ``steps(…)`` without an index,
    or a body that gives values of another type. Also reports values without a limit, such as Int without ranges.
    """
    if node.function == "steps":
        message = "`steps(…)` is the number of steps to something"
        hint = "write of what: `steps(…)[value]`; `reach(…)` is the list of all that is reached"
        return routine.report_error(codes.WRONG_INDICES, message, node.span, hint)
    return _make_reach(routine, node, None, node.span)


def check_steps(routine: Routine, node: ast.Reach, indices: tuple[ast.Expr, ...], span: Span) -> core.Expr:
    """Check ``steps(…)[value]``: the number of steps to a value, or ``none`` if it can't be reached.

    Returns a Reach with a target, of the type ``Int?``. Returns a faulty expression after reporting more than one
    index, an index of ``reach(…)``, or a body that gives values of another type. Also reports values without a limit.
    """
    if node.function != "steps" or len(indices) != 1:
        is_steps = node.function == "steps"
        message = "`steps(…)` takes one index, what is reached" if is_steps else "a list takes no index"
        hint = None if is_steps else "`steps(…)[value]` is in how many steps a value is reached"
        return routine.report_error(codes.WRONG_INDICES, message, span, hint)
    return _make_reach(routine, node, indices[0], span)


def _make_reach(routine: Routine, node: ast.Reach, target_node: ast.Expr | None, span: Span) -> core.Expr:
    """Return a Reach from the items of the source, or a faulty expression.

    With a target, its type is ``Int?``. Reports a search that might never end, because its values have no limit.
    """
    start = check_list(routine, node.source)
    max_steps = None if node.bound is None else check_expected(routine, node.bound, INT, "after `within`")
    item = get_item_type(start)
    target = None if target_node is None else check_expected(routine, target_node, item, "as what is reached")
    with routine.open_scope(), routine.restore_narrowing():
        slot = routine.bind(node.name, item, node.name_span)
        body = check_list(routine, node.body, ListType(item))
    if is_faulty(start) or is_faulty(body):
        return make_faulty(node.span)
    body = convert_to(routine, body, ListType(item), f"in `{node.function}(… for … from …)`")
    values = _list_reachable(routine, item, start, body)
    if values is None:
        hint = "use an enum, a component kind, `Player` or a range"
        if isinstance(item, IntType):
            hint = "write a range as the limit: `reach((1..9) where … for x from [1])`"
        message = f"this might never end, because `{item}` has no limit"
        return routine.report_error(codes.ENDLESS_REACH, message, node.span, hint)
    type = ListType(item) if target is None else OptionalType(INT)
    return core.Reach(type, span, slot, values, start, max_steps, target, body)


def _list_reachable(routine: Routine, item: Type, start: core.Expr, body: core.Expr) -> core.Expr | None:
    """Return the list of all values that could be reached. None if there is no bound on them."""
    match item:
        case PlayerType():
            return core.Players(ListType(item), start.span)
        case EnumType() | ComponentType():
            symbol = routine.names.symbols.get(item.name)
            return core.Const(ListType(item), start.span, symbol.values) if isinstance(symbol, TypeSymbol) else None
        case IntType():
            bounds = Bounds()
            low, high = compute_hull((bounds.bound_number(start), bounds.bound_number(body)))
            if high - low >= LIST_LIMIT:
                return None
            span = start.span
            return core.Range(ListType(INT), span, core.Const(INT, span, low), core.Const(INT, span, high))
    return start if isinstance(item, NothingType) else None


REGION_NOTATIONS = {"group": "group(s, among: xs)", "groups": "groups(xs)"}
"""Function name -> the form of a call, for hints."""


def check_region(routine: Routine, name: str, node: ast.Call) -> core.Expr:
    """Check a call of ``group`` or ``groups``, which find connected regions of a board.

    ``group(s, among: xs)`` is the list of the spaces in ``xs`` that are connected with ``s``, a space or a list of
    spaces. ``groups(xs)`` is the number of connected regions of ``xs``. Returns a Region. Its ``touching`` is the name
    of the table of neighbours, ``Grid.beside``, or with ``corners: true`` ``Grid.around``, which includes diagonal
    neighbours. Its ``area`` is ``xs``; an ``xs`` of the type ``Grid?`` becomes a list. Its ``start`` is ``s`` if that
    is a list, a ListLit of ``s`` if it is a space, or None for ``groups``. Returns a faulty expression after reporting
    wrong arguments, or an ``xs`` of anything but spaces. If items of ``xs`` may be ``none``, that is reported, and
    ``area`` is faulty. A list ``s`` of anything but spaces of the board is reported, and ``start`` is faulty. A read of
    a ``Grid?`` variable, table or field counts as a space. Any other ``s`` is reported, and faulty as
    the only item of ``start``.
    """
    params = ("s", "among") if name == "group" else ("among",)
    usage = f"write `{REGION_NOTATIONS[name]}`"
    values = match_arguments(routine, f"`{name}`", params, node.args, node.span, usage, options=("corners",))
    corners = None if values is None else read_corners(routine, values)
    if values is None or corners is None:
        return make_faulty(node.span)
    start_node, spaces = values.get("s"), values["among"]
    area = check_list(routine, spaces)
    if is_faulty(area):
        return area
    board = find_board(routine, get_item_type(area))
    if board is None:
        message = f"`{name}` is asked of spaces of a board, these are a `{area.type}`"
        hint = "`reach(… for x from …)` goes through other values"
        return routine.report_error(codes.WRONG_TYPE, message, area.span, hint)
    space_type = EnumType(board.name)
    area = convert_to(routine, area, ListType(space_type), f"in `{name}`")
    starts = None
    if start_node is not None:
        starts = check_expression(routine, start_node, space_type)
        if not isinstance(starts.type, ListType):
            start = convert_to(routine, starts, space_type, f"in `{name}`")
            starts = core.ListLit(ListType(space_type), starts.span, (start,))
        starts = convert_to(routine, starts, ListType(space_type), f"in `{name}`")
    routine.notes.used_names.add(board.name)
    neighbour_table = f"{board.name}.{'around' if corners else 'beside'}"
    return core.Region(INT if starts is None else ListType(space_type), node.span, neighbour_table, area, starts)
