"""Check every use of a place (variable, pool, table or zone): its name, its members, reads and writes."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.generated_part_origins import OPTIONALS, Origin
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import name_subjects
from ..source.source import Span, prepend_article
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..types.builtin_functions_members_and_statements import POOL, ZONE, list_members
from ..types.types import (
    BOOL,
    INT,
    NONE,
    ComponentType,
    EnumType,
    ListType,
    OptionalType,
    PlayerType,
    Type,
    get_default_value,
    optional,
)
from .call_graph_and_size_limits import Owner
from .context import Routine, is_faulty, make_faulty
from .symbol_table import (
    ComputedTableSymbol,
    DurationSymbol,
    PlaceSymbol,
    PoolSymbol,
    Reference,
    TableSymbol,
    VariableSymbol,
    ZoneSymbol,
)


def resolve_bare_place(routine: Routine, symbol: PlaceSymbol, span: Span) -> Reference:
    """Return the place with a bare name, as a Reference without further indices.

    If it belongs to a player, its ``indices`` are ``[me]``. Without ``me``, reports that, and the index is faulty. A
    table with a Player index, and any other place, has the ``indices`` ``[]``.
    """
    reference = Reference(symbol, span)
    if symbol.is_per_player and not isinstance(symbol, TableSymbol):
        hint = f"say who owns it: `{routine.example_player}.{symbol.name}`"
        if isinstance(symbol, ZoneSymbol):
            hint += f"; `card in any {symbol.name}` asks about the zones of all players"
        owner = routine.get_actor(span, f"`{symbol.name}` belongs to a player", hint)
        reference.indices.append(owner)
    return reference


def check_place_member(routine: Routine, reference: Reference, node: ast.Member) -> Reference | core.Expr | None:
    """Return the value or place of a member such as ``pool.kind``, ``pool.total`` or ``zone.top``.

    For a kind, this is ``reference`` itself, changed: it has one more index, and its span includes the member. A kind
    that the pool never holds is reported, and returned all the same. Returns a faulty expression after reporting a
    member that the pool doesn't have. For ``total`` and ``kinds`` of a pool, the value is a PoolTotal or PoolKinds. For
    ``top`` and ``bottom`` of a zone, it is a CallBuiltin; the caller handles ``sorts`` and ``counted`` before. Returns
    None for any other member, and for all of them if the place lacks indices. The caller then reads the place, which
    reports lacking indices, and checks the member of its value.
    """
    symbol, name, span = reference.symbol, node.name, node.span
    if isinstance(symbol, PoolSymbol) and reference.is_pool:
        if name == "total":
            return make_pool_total(routine, reference, span)
        if name == "kinds":
            return make_pool_kinds(routine, reference, span)
        value = routine.names.find_value(symbol.holds, name)
        if value is None:
            member_names = [*list_members(POOL), *routine.names.list_value_names(symbol.holds)]
            member_list = ", ".join(f"`{member}`" for member in member_names)
            message, subjects = f"the pool `{symbol.name}` has no `{name}`", name_subjects(name)
            hint = suggest_name(name, member_names) or f"it has {member_list}"
            return routine.report_error(codes.UNKNOWN_MEMBER, message, node.name_span, hint, symbol.notes, subjects)
        routine.notes.record_enum_value(value)
        kind = core.Const(symbol.holds, node.name_span, value.ordinal)
        check_pool_kind(routine, symbol, kind)
        reference.indices.append(kind)
        reference.span = span
        return reference
    if isinstance(symbol, ZoneSymbol) and not reference.missing and name in list_members(ZONE):
        return core.CallBuiltin(symbol.holds, span, name, (read_place(routine, reference),))
    return None


def check_pool_kind(routine: Routine, pool: PoolSymbol, kind: core.Expr) -> None:
    """Report a constant kind that the pool never holds. A kind that is only known at run time is accepted."""
    if isinstance(kind, core.Const) and isinstance(kind.value, int) and kind.value not in pool.kinds:
        names = routine.names.list_value_names(pool.holds)
        message = f"`{pool.name}` never holds `{names[kind.value]}`"
        hint = f"it holds {', '.join(f'`{names[ordinal]}`' for ordinal in pool.kinds)}"
        routine.report_error(codes.KIND_NOT_HELD, message, kind.span, hint, pool.notes)


def read_place(routine: Routine, reference: Reference, is_read: bool = True) -> core.Expr:
    """Return the value of a place, and record the use.

    A variable, or one count of a pool, gives a ReadCell, a zone a ReadZone, and a table a TableRead. If an index may be
    ``none``, a type without a default becomes optional. A computed table gives a CallQuery, inside an IfExpr for each
    index that may be ``none``. The IfExpr gives the default of the type: 0, False, an empty text or list, otherwise
    ``none``. Returns a faulty expression (:func:`make_faulty`) after reporting missing indices, a whole pool or a
    duration. A faulty index gives it without a report. ``is_read`` is False if the place is only written, so that the
    lints don't count it as read.
    """
    symbol, span, indices = reference.symbol, reference.span, tuple(reference.indices)
    if any(is_faulty(index) for index in indices):
        return make_faulty(span)
    place_text = span.line_text or symbol.name
    if reference.is_pool:
        message = f"`{symbol.name}` is a pool of counters, not a value"
        hint = f"write `{place_text}.total`, `{place_text}.kinds` or one kind: `{place_text}[kind]`"
        return routine.report_error(codes.POOL_AS_VALUE, message, span, hint, symbol.notes)
    types = reference.missing
    if types:
        needs = prepend_article(f"`{types[0]}`") if len(types) == 1 else "further indices"
        hint = f"write `{place_text}[{', '.join(map(_get_index_example, types))}]`"
        return routine.report_error(codes.WRONG_INDICES, f"`{symbol.name}` needs {needs}", span, hint, symbol.notes)
    if isinstance(symbol, DurationSymbol):
        message = f"`{symbol.name}` is a duration, not a value"
        hint = f"write `end {symbol.name}`, or behind a change of a query `until {symbol.name} ends`"
        return routine.report_misuse(symbol, codes.WRONG_TYPE, message, span, hint)
    routine.record_use(symbol, span, is_read)
    match symbol:
        case VariableSymbol():
            return core.ReadCell(make_optional_if_outside(symbol.type, indices), span, symbol.name, indices)
        case ComputedTableSymbol():
            return _read_computed_table(routine, symbol, indices, span)
        case TableSymbol():
            return core.TableRead(make_optional_if_outside(symbol.type, indices), span, symbol.name, indices)
        case ZoneSymbol():
            return core.ReadZone(ListType(symbol.holds), span, symbol.name, indices)
    return core.ReadCell(INT, span, symbol.name, indices)


def _read_computed_table(
    routine: Routine, symbol: ComputedTableSymbol, indices: tuple[core.Expr, ...], span: Span
) -> core.Expr:
    """Return an entry of a computed table. The entry is missing if an index is ``none``."""
    routine.notes.graph.add_call(routine.owner, Owner("table", symbol.name), span)
    type, tests, inner_indices = make_optional_if_outside(symbol.type, indices), [], []
    for index in indices:
        if isinstance(index.type, OptionalType):
            is_there = Origin(OPTIONALS, "none")
            tests.append(core.Binary(BOOL, span, "!=", index, core.Const(NONE, span, None), origin=is_there))
            index = replace(index, type=index.type.item)
        inner_indices.append(index)
    value: core.Expr = core.CallQuery(symbol.type, span, symbol.name, tuple(inner_indices))
    for test in reversed(tests):
        value = core.IfExpr(type, span, test, value, core.Const(type, span, get_default_value(type)))
    return value


def make_optional_if_outside(type: Type, indices: Sequence[core.Expr]) -> Type:
    """Return the type of a read at some indices.

    It is ``type``, or ``type?`` if an index is optional. Int, Bool, Text and lists stay, because they have a default.
    """
    may_be_nothing = any(isinstance(index.type, OptionalType) for index in indices)
    return optional(type) if may_be_nothing and get_default_value(type) is None else type


def _get_index_example(type: Type) -> str:
    """Return a placeholder for an index in a hint."""
    if isinstance(type, EnumType | ComponentType):
        return type.name.lower()
    return "player" if isinstance(type, PlayerType) else "n"


def _read_pool(routine: Routine, reference: Reference) -> tuple[str, tuple[core.Expr, ...]]:
    """Return the name and indices of a whole pool, and record a read of it."""
    routine.record_use(reference.symbol, reference.span)
    return reference.symbol.name, tuple(reference.indices)


def make_pool_kinds(routine: Routine, reference: Reference, span: Span) -> core.Expr:
    """Return a PoolKinds, the list of the kinds of which a pool holds at least one counter. Records a read of it."""
    assert isinstance(reference.symbol, PoolSymbol)
    return core.PoolKinds(ListType(reference.symbol.holds), span, *_read_pool(routine, reference))


def make_pool_total(routine: Routine, reference: Reference, span: Span) -> core.Expr:
    """Return a PoolTotal, the number of all counters in a pool. Records a read of it."""
    return core.PoolTotal(INT, span, *_read_pool(routine, reference))


def check_written_place(routine: Routine, node: ast.Expr, verb: str) -> Reference | None:
    """Check the target of a statement that writes, and return it if it is a place. ``verb`` is a participle: ``set``.

    The place may lack indices, or be a table that no statement may write: callers check that. A name from ``let`` is a
    place, too. Any other local is reported: “`x` is not from `let`, …”. Any other value is reported with “this can't be
    set: it is …”. It ends with “a value”, “the query `q`”, “the option `o`”, “the printed field `f`” or “computed from
    a pool”. Both give None. So does a faulty target, for which only its own fault is reported: “unknown name `x`”. In
    the ``indices`` of a place, an optional ReadCell, Field or IndexOfPlace gets its inner type, and faults at ``none``.
    Any other optional index is reported and replaced by a faulty expression, and the place is still returned.
    """
    operand = routine.check_operand(node)
    if isinstance(operand, Reference):
        operand.indices[:] = [_check_written_index(routine, index, verb) for index in operand.indices]
        return operand
    if isinstance(operand, core.Local):
        hint = f"copy the value and change the copy: `let {operand.name}_now = {operand.name}`"
        message = f"`{operand.name}` is not from `let`, so it can't be {verb}"
        routine.report_error(codes.NOT_WRITTEN, message, node.span, hint)
    elif not is_faulty(operand):
        message = f"this can't be {verb}: it is {_describe_value(operand)}"
        routine.report_error(codes.NOT_A_PLACE, message, node.span, _suggest_write(routine, operand, verb))
    return None


def _check_written_index(routine: Routine, index: core.Expr, verb: str) -> core.Expr:
    """Return an index of a written place, with its inner type if it is an optional ReadCell, Field or IndexOfPlace.

    Any other optional index is reported and gives a faulty expression.
    """
    if not isinstance(index.type, OptionalType):
        return index
    type = index.type.item
    if isinstance(index, core.ReadCell | core.Field | core.IndexOfPlace):
        return replace(index, type=type)
    hint = "write `for each x in …`, or name it with `let` and test it: `if x is not none`"
    message = f"this can't be {verb}, because there might be no such `{type}`"
    return routine.report_error(codes.OUTSIDE, message, index.span, hint)


def _suggest_write(routine: Routine, value: core.Expr, verb: str) -> str:
    """Return a hint for a value that can't be written."""
    durations = routine.names.list_named(DurationSymbol)
    if isinstance(value, core.CallQuery) and durations and verb in ("set", "increased", "decreased"):
        return f"a query is changed for a time: write `until {durations[0]} ends` behind it"
    pools = [pool for pool in routine.names.symbols.values() if isinstance(pool, PoolSymbol)]
    pools = [pool for pool in pools if pool.holds == value.type]
    if isinstance(value, core.Const) and pools and verb != "shuffled":
        kind = routine.names.list_value_names(pools[0].holds)[int(str(value.value))]
        return f"move the counters: `move 1 {kind} from … to …`"
    return f"only variables and zones can be {verb}"


def _describe_value(value: core.Expr) -> str:
    """Return the words for a value that can't be changed, for a message."""
    match value:
        case core.CallQuery(query=name):
            return f"the query `{name}`"
        case core.OptionValue(option=name):
            return f"the option `{name}`"
        case core.PoolTotal() | core.PoolKinds():
            return "computed from a pool"
        case core.Field(field=name):
            return f"the printed field `{name}`"
    return "a value"
