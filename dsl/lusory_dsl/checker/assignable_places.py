"""Check places (variables, pools, tables and zones): names, members, reads and targets of writes."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.provenance import OPTIONALS, Origin
from ..source import diagnostic_codes
from ..source.diagnostics import about_name, did_you_mean
from ..source.lazy_dataclass import replace
from ..source.source import Span, article
from ..syntax import ast
from ..types.builtins import POOL, ZONE, members_of
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
    nothing,
    optional,
)
from .context import Routine, faulty, is_faulty
from .limits import Owner
from .symbols import (
    DurationSymbol,
    PlaceSymbol,
    PoolSymbol,
    Reference,
    TableSymbol,
    VariableSymbol,
    WorkedOutSymbol,
    ZoneSymbol,
)


def bare_place(r: Routine, symbol: PlaceSymbol, span: Span) -> Reference:
    """Return the place with a bare name. If it belongs to a player, that player is ``me``."""
    reference = Reference(symbol, span)
    if symbol.of_player and not isinstance(symbol, TableSymbol):
        owner = r.actor(
            span,
            f"`{symbol.name}` belongs to a player",
            f"say whose it is: `p.{symbol.name}`",
        )
        reference.indices.append(owner)
    return reference


def place_member(r: Routine, reference: Reference, node: ast.Member) -> Reference | core.Expr | None:
    """Check a member of a place, such as ``pool.kind``, ``pool.total`` or ``zone.top``.

    None if it is a member of the place's value.
    """
    symbol, name, span = reference.symbol, node.name, node.span
    if isinstance(symbol, PoolSymbol) and reference.is_pool:
        if name == "total":
            return pool_total(r, reference, span)
        if name == "kinds":
            return pool_kinds(r, reference, span)
        value = r.names.value_of(symbol.holds, name)
        if value is None:
            known = [*members_of(POOL), *r.names.value_names(symbol.holds)]
            return r.error(
                diagnostic_codes.UNKNOWN_MEMBER,
                f"the pool `{symbol.name}` has no `{name}`",
                node.name_span,
                did_you_mean(name, known) or f"it has {', '.join(f'`{k}`' for k in known)}",
                [(symbol.span, "declared here")],
                about_name(name),
            )
        r.notes.use_value(value)
        kind = core.Const(symbol.holds, node.name_span, value.ordinal)
        check_held(r, symbol, kind)
        reference.indices.append(kind)
        reference.span = span
        return reference
    if isinstance(symbol, ZoneSymbol) and not reference.missing and name in members_of(ZONE):
        return core.CallBuiltin(symbol.holds, span, name, (read(r, reference),))
    return None


def check_held(r: Routine, pool: PoolSymbol, kind: core.Expr) -> None:
    """Report a constant kind that the pool never holds."""
    if isinstance(kind, core.Const) and isinstance(kind.value, int) and kind.value not in pool.kinds:
        names = r.names.value_names(pool.holds)
        held = ", ".join(f"`{names[k]}`" for k in pool.kinds)
        r.error(
            diagnostic_codes.KIND_NOT_HELD,
            f"`{pool.name}` never holds `{names[kind.value]}`",
            kind.span,
            f"it holds {held}",
            [(pool.span, "declared here")],
        )


def read(r: Routine, reference: Reference, reads: bool = True) -> core.Expr:
    """Return the value of a place. Reports missing indices.

    ``reads`` is False if the place is only written, so that the lints don't count it as read.
    """
    symbol, span, indices = reference.symbol, reference.span, tuple(reference.indices)
    if any(is_faulty(i) for i in indices):
        return faulty(span)
    if reference.is_pool:
        written = _written(reference)
        return r.error(
            diagnostic_codes.POOL_AS_VALUE,
            f"`{symbol.name}` is a pool of counters, not a value",
            span,
            f"write `{written}.total`, `{written}.kinds` or one kind: `{written}[kind]`",
            [(symbol.span, "declared here")],
        )
    missing = reference.missing
    if missing:
        example = ", ".join(_example(t) for t in missing)
        return r.error(
            diagnostic_codes.WRONG_INDICES,
            f"`{symbol.name}` needs {article(f'`{missing[0]}`') if len(missing) == 1 else 'further indices'}",
            span,
            f"write `{_written(reference)}[{example}]`",
            [(symbol.span, "declared here")],
        )
    if isinstance(symbol, DurationSymbol):
        r.notes.used.add(symbol.name)
        message = f"`{symbol.name}` is a duration, not a value"
        hint = f"write `end {symbol.name}`, or behind a change of a query `until {symbol.name} ends`"
        return r.error(diagnostic_codes.WRONG_TYPE, message, span, hint, [(symbol.span, "declared here")])
    r.use(symbol, span, reads)
    match symbol:
        case VariableSymbol():
            return core.ReadCell(or_nothing(symbol.type, indices), span, symbol.name, indices)
        case WorkedOutSymbol():
            return _worked_out(r, symbol, indices, span)
        case TableSymbol():
            return core.TableRead(or_nothing(symbol.type, indices), span, symbol.name, indices)
        case ZoneSymbol():
            return core.ReadZone(ListType(symbol.holds), span, symbol.name, indices)
    return core.ReadCell(INT, span, symbol.name, indices)


def _worked_out(r: Routine, symbol: WorkedOutSymbol, indices: tuple[core.Expr, ...], span: Span) -> core.Expr:
    """Return an entry of a computed table. The entry is missing if an index is ``none``."""
    r.notes.graph.call(r.owner, Owner("table", symbol.name), span)
    type, tests, plain = or_nothing(symbol.type, indices), [], []
    for index in indices:
        if isinstance(index.type, OptionalType):
            is_there = Origin(OPTIONALS, "none")
            tests.append(core.Binary(BOOL, span, "!=", index, core.Const(NONE, span, None), origin=is_there))
            index = replace(index, type=index.type.item)
        plain.append(index)
    found: core.Expr = core.CallQuery(symbol.type, span, symbol.name, tuple(plain))
    for test in reversed(tests):
        found = core.IfExpr(type, span, test, found, core.Const(type, span, nothing(type)))
    return found


def or_nothing(type: Type, indices: Sequence[core.Expr]) -> Type:
    """Return the type of a read at some indices.

    It is optional if an index is optional and the type has no empty value.
    """
    may_be_nothing = any(isinstance(index.type, OptionalType) for index in indices)
    return optional(type) if may_be_nothing and nothing(type) is None else type


def _written(reference: Reference) -> str:
    """Return the place as the author wrote it, on one line."""
    span = reference.span
    return " ".join(span.source.text[span.start : span.end].split()) or reference.symbol.name


def _example(type: Type) -> str:
    """Return a placeholder for an index in a hint."""
    if isinstance(type, EnumType | ComponentType):
        return type.name.lower()
    return "player" if isinstance(type, PlayerType) else "n"


def pool_of(r: Routine, reference: Reference) -> tuple[str, tuple[core.Expr, ...]]:
    """Return the name and indices of a whole pool, and record a read of it."""
    r.use(reference.symbol, reference.span)
    return reference.symbol.name, tuple(reference.indices)


def pool_kinds(r: Routine, reference: Reference, span: Span) -> core.Expr:
    """Return the list of the kinds in a pool."""
    assert isinstance(reference.symbol, PoolSymbol)
    return core.PoolKinds(ListType(reference.symbol.holds), span, *pool_of(r, reference))


def pool_total(r: Routine, reference: Reference, span: Span) -> core.Expr:
    """Return the number of counters in a pool."""
    return core.PoolTotal(INT, span, *pool_of(r, reference))


def written_place(r: Routine, node: ast.Expr, verb: str) -> Reference | None:
    """Check the target of a statement that writes.

    Returns a place, or None after a report. ``verb`` is a participle for messages.
    """
    found = r.operand(node)
    if isinstance(found, Reference):
        found.indices[:] = [_inside_board(r, index, verb) for index in found.indices]
        return found
    assert isinstance(found, core.Expr)
    if isinstance(found, core.Local):
        hint = f"give the value a name of its own, which can be written: `let {found.name}_now = {found.name}`"
        r.error(
            diagnostic_codes.NOT_WRITTEN, f"`{found.name}` is not given by `let`, and can't be {verb}", node.span, hint
        )
    elif not is_faulty(found):
        r.error(
            diagnostic_codes.NOT_A_PLACE,
            f"this can't be {verb}: it is {_what_it_is(found)}",
            node.span,
            _how_to_write(r, found, verb),
        )
    return None


def _inside_board(r: Routine, index: core.Expr, verb: str) -> core.Expr:
    """Convert an index of a written place to its inner type.

    Reports an optional index that can't be checked at run time.
    """
    if not isinstance(index.type, OptionalType):
        return index
    type = index.type.item
    if isinstance(index, core.ReadCell | core.Field | core.IndexOfPlace):
        return replace(index, type=type)
    hint = "go through it, `for each x in …`, or give it a name with `let` and ask first: `if x is not none`"
    return r.error(diagnostic_codes.OUTSIDE, f"nothing can be {verb} where there may be no `{type}`", index.span, hint)


def _how_to_write(r: Routine, value: core.Expr, verb: str) -> str:
    """Return a hint for a value that can't be written."""
    durations = r.names.named(DurationSymbol)
    if isinstance(value, core.CallQuery) and durations and verb in ("set", "increased", "decreased"):
        return f"a query is changed for a time: write `until {durations[0]} ends` behind it"
    pools = [s for s in r.names.symbols.values() if isinstance(s, PoolSymbol) and s.holds == value.type]
    if isinstance(value, core.Const) and pools and verb != "shuffled":
        return f"counters are moved: `move 1 {r.names.value_names(pools[0].holds)[int(str(value.value))]} from … to …`"
    return f"only variables and zones can be {verb}"


def _what_it_is(value: core.Expr) -> str:
    match value:
        case core.Local(name=name):
            return f"`{name}`, a name for a value"
        case core.CallQuery(query=name):
            return f"the query `{name}`"
        case core.OptionValue(option=name):
            return f"the option `{name}`"
        case core.PoolTotal() | core.PoolKinds():
            return "computed from a pool"
        case core.Field(field=name):
            return f"the printed field `{name}`"
    return "a value"
