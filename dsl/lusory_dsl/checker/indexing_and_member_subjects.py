"""Check indexing, and the expressions before the dot of a member."""

from __future__ import annotations

from .. import core
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import remove_item, replace_text
from ..source.source import Span, prepend_article
from ..syntax import ast
from ..types.types import (
    INT,
    PLAYER,
    ComponentType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    is_subtype,
    join,
)
from .call_graph_and_size_limits import Owner
from .coercions import check_expected, check_expression, convert_to
from .context import Routine, is_faulty, make_faulty
from .list_expressions_and_connected_regions import check_steps
from .symbol_table import PlaceSymbol, PoolSymbol, QuerySymbol, Reference, TableSymbol, VariableSymbol
from .variable_and_zone_access import check_pool_kind, read_place


def check_index(routine: Routine, node: ast.Index, expected: Type | None) -> core.Expr | Reference:
    """Check an index, and return the place (a Reference) with one more index for each written one.

    The place may still lack indices. It is also returned after a report of an index of the wrong type, or of a constant
    one out of range. ``steps(...)[value]`` gives an expression of the type ``Int?``: none if the value can't be
    reached. Reports WRONG_INDICES and returns a faulty expression for anything that takes no index, such as a query, a
    list or another value. The same happens for too many indices. It also happens for ``score[me]`` and, with a local
    Player ``p``, for ``score[p]``, which is written ``p.score``. Only a table takes its player in brackets. A faulty
    subject gives a faulty expression, and only the report of the subject itself.
    """
    if isinstance(node.subject, ast.Reach):
        return check_steps(routine, node.subject, node.indices, node.span)
    callee = node.subject.name if isinstance(node.subject, ast.Name | ast.Member) else ""
    symbol = routine.names.symbols.get(callee)
    if isinstance(symbol, QuerySymbol) and symbol.params:
        routine.notes.graph.add_call(routine.owner, Owner("query", symbol.name), node.span)
        message = f"`{callee}` is a query: put its arguments in parentheses"
        write = f"write `{callee}(…)`"
        return routine.report_misuse(symbol, codes.WRONG_INDICES, message, node.span, write)
    if isinstance(symbol, PlaceSymbol) and _is_player_index(routine, symbol, node):
        return _report_player_index(routine, symbol, node)
    subject = routine.check_operand(node.subject)
    if isinstance(subject, Reference):
        if subject.missing:
            return _add_indices(routine, subject, node.indices, node.span)
        subject = read_place(routine, subject)
    if is_faulty(subject):
        return make_faulty(node.span)
    is_list = isinstance(subject.type, ListType)
    hint = f"write `at({node.subject.span.text}, n)` for item n, from 0" if is_list else None
    message = f"{prepend_article(f'`{subject.type}`')} takes no index"
    subjects: tuple[str, ...] = ()
    if isinstance(symbol, VariableSymbol | TableSymbol):
        subjects = (f"indices of {callee}",)
        index_phrase = "`per`" if not symbol.is_per_player else "index besides its player"
        hint = hint or f"`{callee}` has no {index_phrase}: remove the index, or declare it with `per: […]`"
    return routine.report_error(codes.WRONG_INDICES, message, node.span, hint, subjects=subjects)


def _is_player_index(routine: Routine, place: PlaceSymbol, node: ast.Index) -> bool:
    """Return whether the first index is the name of a player, and the place takes its player before the dot."""
    player = node.indices[0]
    if not isinstance(node.subject, ast.Name) or not isinstance(player, ast.Name):
        return False
    if not place.is_per_player or isinstance(place, TableSymbol):
        return False
    local = routine.locals.find(player.name)
    return player.name == "me" if local is None else isinstance(local.type, PlayerType)


def _report_player_index(routine: Routine, place: PlaceSymbol, node: ast.Index) -> core.Expr:
    """Report ``score[p]``, which is written ``p.score``, and return a faulty expression."""
    routine.notes.used_names.add(place.name)
    if any(is_faulty(check_expression(routine, index)) for index in node.indices):
        return make_faulty(node.span)
    texts = [index.span.text for index in node.indices]
    correction = f"{texts[0]}.{place.name}" + (f"[{', '.join(texts[1:])}]" if texts[1:] else "")
    message, hint = f"`{place.name}` takes its player before a dot, not as an index", f"write `{correction}`"
    fixes = [replace_text(node.span, correction)]
    return routine.report_error(codes.WRONG_INDICES, message, node.span, hint, place.notes, fixes=fixes)


def _add_indices(
    routine: Routine, reference: Reference, indices: tuple[ast.Expr, ...], span: Span
) -> Reference | core.Expr:
    """Check each new index against its dimension, and append it to the place, which is returned.

    Returns a faulty expression after reporting too many indices. The place may still lack some.
    """
    missing_types = reference.missing
    name = reference.symbol.name
    if len(indices) > len(missing_types):
        symbol, fixes = reference.symbol, []
        subjects: tuple[str, ...] = (f"indices of {name}",)
        index_list = ", ".join(f"`{index_type}`" for index_type in missing_types) or "no index"
        if missing_types:
            first_surplus = indices[len(missing_types)].span.start
            subjects, fixes = (), [remove_item(Span(span.source, first_surplus, indices[-1].span.end))]
        owner = " after the player" if symbol.is_per_player and not isinstance(symbol, TableSymbol) else ""
        message = f"too many indices: `{name}` takes {index_list}{owner}"
        return routine.report_error(
            codes.WRONG_INDICES, message, span, notes=symbol.notes, subjects=subjects, fixes=fixes
        )
    for node, type in zip(indices, missing_types, strict=False):
        position = len(reference.indices)
        role = f"as an index of `{name}`"
        if position < len(reference.symbol.dims) and reference.symbol.dims[position].kind:
            card = check_expected(routine, node, type, role)  # the index is the number of the card's pile
            reference.indices.append(core.Field(INT, card.span, card, core.PILE))
            continue
        value = check_expression(routine, node, type)
        # An optional index is accepted, since a read at `none` (outside the board) has no value.
        if not (isinstance(value.type, OptionalType) and is_subtype(value.type.item, type)):
            value = convert_to(routine, value, type, role)
        _check_constant_index(routine, reference, value)
        reference.indices.append(value)
    reference.span = span
    return reference


def _check_constant_index(routine: Routine, reference: Reference, value: core.Expr) -> None:
    """Report a constant index outside its range, or a constant kind that the pool never holds."""
    symbol = reference.symbol
    position = len(reference.indices)
    if not isinstance(value, core.Const):
        return
    if position == len(symbol.dims):
        if isinstance(symbol, PoolSymbol):
            check_pool_kind(routine, symbol, value)
        return
    dim = symbol.dims[position]
    if isinstance(dim.type, IntType) and isinstance(value.value, int) and dim.size is not None:
        last_index = dim.low + dim.size - 1
        if not dim.low <= value.value <= last_index:
            message = f"`{symbol.name}` has the indices {dim.low} to {last_index}, not {value.value}"
            routine.report_error(codes.OUT_OF_RANGE, message, value.span, notes=symbol.notes)


def check_subject(routine: Routine, node: ast.Member) -> core.Expr | Reference:
    """Check the expression before the dot of a member.

    Returns a value, such as ``card.cost``, as an expression. A place (variable, table, zone or pool, even without its
    indices) is returned as a Reference, which is a copy that the caller may change. Later
    calls for the same ``node`` don't check and report again, until the locals in scope or their narrowed types change.
    """
    operand = routine.subjects.get(node)
    if operand is None:
        operand = routine.check_operand(node.subject)
        routine.subjects[node] = operand
    return replace(operand, indices=[*operand.indices]) if isinstance(operand, Reference) else operand


def check_card_before(routine: Routine, node: ast.Member) -> core.Expr | None:
    """Return the expression before a dot if it is a card, otherwise None.

    A card that may be ``none`` is accepted if it is read from a declared variable, a table or a card field: the result
    is the same read with the type ``Card`` in place of ``Card?``. Otherwise it is reported, and gives None. In both
    cases its span is added to ``notes.optional_subjects``. A faulty expression, such as an unknown name, is reported by
    its own check, and gives None. A value of another type, a whole pool, and a place that lacks indices give None
    without a report.
    """
    value = check_value_before(routine, node)
    if value is None:
        return None
    if isinstance(value.type, OptionalType) and isinstance(value.type.item, ComponentType):
        value = convert_subject(routine, value, value.type.item, node)
    return value if isinstance(value.type, ComponentType) else None


def check_value_before(routine: Routine, node: ast.Member) -> core.Expr | None:
    """Return the expression before a dot as a value, such as the ReadZone of ``deck`` for ``deck.top``.

    Returns None without a report for a whole pool, or a place that lacks indices. A duration is reported as WRONG_TYPE,
    and gives a faulty expression. So does an expression with a mistake of its own, such as an unknown name, after the
    report of its own check (:func:`check_subject`).
    """
    operand = check_subject(routine, node)
    if isinstance(operand, Reference):
        return None if operand.is_pool or operand.missing else read_place(routine, operand)
    return operand


def convert_subject(routine: Routine, value: core.Expr, expected: Type, node: ast.Member) -> core.Expr:
    """Return the value before a dot as the expected type, or a faulty expression after a report.

    A value that may be ``none`` is accepted only as a read of a declared variable, table, card field or zone index
    (``card.holder``). Its span is added to ``notes.optional_subjects`` for the lints, even if it is reported.
    """
    if isinstance(value.type, OptionalType):
        routine.notes.optional_subjects.add(value.span)
    return convert_to(routine, value, expected, f"before `.{node.name}`")


def check_player_before(routine: Routine, node: ast.Member) -> core.Expr:
    """Return the expression before the dot of a call as a Player: ``leader`` in ``leader.gain(1)``.

    A value of the type Player stays as it is. A read of a variable, table or card field of the type ``Player?``, or
    ``card.holder``, gets the type Player, without a report. So does a call whose type is unknown, such as
    ``first([])``. A faulty expression stays faulty. Any other value, such as a number or a local of the type
    ``Player?``, is reported, and gives a faulty expression. The report about the local is "a `Player` is needed before
    `.gain`, but this may be `none`", and that about a number ends with "but this is an `Int`".
    """
    operand = check_subject(routine, node)
    value = read_place(routine, operand) if isinstance(operand, Reference) else operand
    return convert_subject(routine, _convert_to_player(value), PLAYER, node)


def _convert_to_player(value: core.Expr) -> core.Expr:
    """Give the type ``Player`` to a value of unknown type, such as ``first([])``. Other values stay as they are."""
    match value:
        case core.CallBuiltin(type=NothingType()):
            return replace(value, type=PLAYER)
        case core.IfExpr(type=NothingType(), then=then, otherwise=otherwise):
            then, otherwise = _convert_to_player(then), _convert_to_player(otherwise)
            return replace(value, type=join(then.type, otherwise.type) or value.type, then=then, otherwise=otherwise)
    return value


def is_subject_faulty(routine: Routine, node: ast.Member) -> bool:
    """Return whether the expression before a dot is faulty. It is checked now, unless that was done before."""
    operand = check_subject(routine, node)
    return isinstance(operand, core.Expr) and is_faulty(operand)


def report_member_arguments(routine: Routine, node: ast.Call, callee: ast.Member) -> core.Expr:
    """Report WRONG_ARGUMENTS, “`top` takes no arguments”, for a built-in member, and return a faulty expression.

    The fix removes the parentheses and what they hold: ``deck.top()`` and ``deck.top(2, 3)`` become ``deck.top``. Only
    ``top`` and ``first`` with one argument differ: ``deck.top(2)`` and ``deck.first(2)`` become ``take(deck, 2)``.
    """
    text = node.span.source.text
    correction = text[node.span.start : callee.name_span.end]
    hint = "remove the parentheses"
    if callee.name in ("top", "first") and len(node.args) == 1:
        subject = callee.subject.span.text
        correction = f"take({subject}, {node.args[0].span.text})"
        hint = f"write `{correction}`"
    message, fixes = f"`{callee.name}` takes no arguments", [replace_text(node.span, correction)]
    return routine.report_error(codes.WRONG_ARGUMENTS, message, node.span, hint, fixes=fixes)
