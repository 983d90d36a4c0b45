"""Check statements that bind or write:

``let``, ``set``, ``increase``, ``add``, ``remove``, ``begin`` and temporary changes.
"""

from __future__ import annotations

from .. import core
from ..core.provenance import DURATIONS, LETS, Origin
from ..core.sugar import BEGUN, ENDS, HOLDS, TemporaryChange, kept_name, kept_variable
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics, about_name, did_you_mean
from ..source.lazy_dataclass import replace
from ..source.source import article
from ..syntax import ast
from ..types.types import (
    BOOL,
    INT,
    NOTHING,
    PLAYER,
    BoolType,
    ComponentType,
    ListType,
    NoneType,
    NothingType,
    OptionalType,
    TextType,
    Type,
    fits,
)
from .assignable_places import read, written_place
from .coercions import expect, expression, fit, listed_value
from .context import LocalName, Notes, Routine, faulty, is_faulty
from .limits import Owner
from .symbols import (
    DurationSymbol,
    Names,
    PoolSymbol,
    QuerySymbol,
    Reference,
    SpanSymbol,
    Symbol,
    TableSymbol,
    VariableSymbol,
    ZoneSymbol,
)

WRITING = ast.SetTo | ast.AddTo | ast.RemoveFrom


def is_written(r: Routine, node: ast.Let) -> bool:
    """Return whether a statement in the same block, or in a block inside it, writes the name of a ``let``."""
    known = r.written_names.get(id(r.scope))
    if known is None:
        parts = (part for stmt in r.scope for part in ast.walk(stmt))
        places = (part.place for part in parts if isinstance(part, WRITING))
        known = frozenset(place.name for place in places if isinstance(place, ast.Name))
        r.written_names[id(r.scope)] = known
    return node.name in known


def written_let(r: Routine, node: ast.Let) -> list[core.Stmt]:
    """Check a ``let`` whose name is written later. The compiler makes a variable for it."""
    value = expression(r, node.value)
    type = value.type
    if isinstance(node.value, ast.ListLit) and not node.value.items:
        type = _grown_type(r, node)
    elif isinstance(type, NoneType):
        hint = "begin with a value, or declare a variable of its type"
        r.error(diagnostic_codes.LIST_OF_WHAT, f"nothing says what `{node.name}` can be", node.value.span, hint)
    name = kept_name(f"{node.name}{len(r.notes.kept)}", "Named")
    r.notes.kept[name] = kept_variable(name, type, _start(r, type), node.span, Origin(LETS, node.name))
    local = bound(r, node, VariableSymbol(name, node.name_span, (), type))
    r.notes.used.add(name)
    local.exempt = local.exempt or is_faulty(value)
    return [core.SetCell(node.span, name, (), "set", replace(value, type=type), origin=Origin(LETS, node.name))]


def _start(r: Routine, type: Type) -> object:
    """Return a start value for the variable of a ``let``. No text reads it before the ``let`` sets it."""
    match type:
        case ListType():
            return ()
        case TextType():
            return ""
        case BoolType():
            return False
        case ComponentType(name=kind):
            return r.names.kinds[kind].first
        case OptionalType() | NothingType():
            return None
    return 0


def bound(r: Routine, node: ast.Let, symbol: VariableSymbol) -> LocalName:
    """Bind the name of a ``let`` to a local that represents a variable."""
    r.bind(node.name, symbol.type, node.name_span)
    local = r.locals.find(node.name)
    assert local is not None
    local.place = symbol
    return local


def _grown_type(r: Routine, node: ast.Let) -> Type:
    """Infer the type of a list that begins empty from the first value that is added to it.

    A trial run checks the rest of the block only for this purpose. Its reports and notes are discarded.
    """
    if r.growing is not None:
        return ListType(r.growing.setdefault(node.name_span.start, INT))  # an outer trial run infers it
    found: dict[int, Type] = {}
    scratch = r.copied(Notes(), Diagnostics(), found)
    with scratch.frame(), scratch.narrowing():
        symbol = VariableSymbol("", node.name_span, (), ListType(NOTHING))
        bound(scratch, node, symbol)
        scratch.block(r.scope[r.place_in_scope + 1 :])
    if node.name_span.start not in found:
        hint = f"add something to it: `add value to {node.name}`"
        r.error(diagnostic_codes.LIST_OF_WHAT, f"nothing says what `{node.name}` is a list of", node.value.span, hint)
        return ListType(NOTHING)
    return ListType(found[node.name_span.start])


def add_to(r: Routine, node: ast.AddTo) -> list[core.Stmt]:
    """Check ``add``: append an item, or all items of another list, to a list."""
    place = _list_place(r, node.place, "added to")
    if place is None:
        r.operand(node.value)
        return []
    name, old, indices = place
    assert isinstance(old.type, ListType)
    item = old.type.item
    value = expression(r, node.value, item)
    if isinstance(item, NothingType) and r.growing is not None and not is_faulty(value):
        _note_kind(r, node.place, value.type)
        return []
    if isinstance(value.type, ListType | OptionalType) and not fits(value.type, item):
        more = listed_value(r, value)
        more = expect_list(r, more, old.type)
    else:
        value = expect(r, node.value, item, "to be added")
        more = core.ListLit(old.type, node.value.span, (value,))
    if is_faulty(more) or is_faulty(value):
        return []
    return [core.SetCell(node.span, name, indices, "set", core.Binary(old.type, node.span, "join", old, more))]


def expect_list(r: Routine, value: core.Expr, type: Type) -> core.Expr:
    """Return a list if it has the given type. Otherwise report it."""
    if is_faulty(value) or fits(value.type, type):
        return value
    return r.error(
        diagnostic_codes.WRONG_TYPE,
        f"{article(f'`{type}`')} is needed to be added, this is {article(f'`{value.type}`')}",
        value.span,
    )


def _note_kind(r: Routine, place: ast.Expr, type: Type) -> None:
    """Record the item type of a growing list, from the first value that is added to it."""
    local = r.locals.find(place.name) if isinstance(place, ast.Name) else None
    assert r.growing is not None
    if local is not None and local.place is not None:
        item = type.item if isinstance(type, ListType | OptionalType) else type
        r.growing.setdefault(local.span.start, item)
        local.place = replace(local.place, type=ListType(item))
        local.type = ListType(item)


def remove_from(r: Routine, node: ast.RemoveFrom) -> list[core.Stmt]:
    """Check ``remove``: remove the first equal item from a list. A list without such an item stays the same."""
    place = _list_place(r, node.place, "removed from")
    if place is None:
        r.operand(node.value)
        return []
    name, old, indices = place
    type, span = old.type, node.span
    assert isinstance(type, ListType)
    value = (
        expression(r, node.value, type.item)
        if isinstance(type.item, NothingType)
        else expect(r, node.value, type.item, "to be removed")
    )
    if is_faulty(value):
        return []
    gone, before, at = r.locals.slot(), r.locals.slot(), r.locals.slot()
    item = core.Local(type.item, span, at, "it")
    other = core.Binary(BOOL, span, "!=", item, core.Local(value.type, span, gone, "removed"))
    first = core.CallBuiltin(INT, span, "count", (core.Leading(type, span, at, old, other),))
    number = core.Local(INT, span, before, "before")
    behind = core.Binary(INT, span, "+", number, core.Const(INT, span, 1))
    left = core.Binary(
        type,
        span,
        "join",
        core.CallBuiltin(type, span, "take", (old, number)),
        core.CallBuiltin(type, span, "drop", (old, behind)),
    )
    without = core.Named(type, span, gone, "removed", value, core.Named(type, span, before, "before", first, left))
    return [core.SetCell(span, name, indices, "set", without)]


def _list_place(r: Routine, node: ast.Expr, verb: str) -> tuple[str, core.Expr, tuple[core.Expr, ...]] | None:
    """Check a variable that holds a list. Returns its name, a read of it, and its indices, or None after a report."""
    place = written_place(r, node, verb)
    if place is None:
        return None
    symbol = place.symbol
    r.notes.used.add(symbol.name)
    if not isinstance(symbol, VariableSymbol) or not isinstance(symbol.type, ListType):
        message = f"only a variable that holds a list can be {verb}, `{symbol.name}` is {article(symbol.what)}"
        if isinstance(symbol, VariableSymbol):
            message = f"only a list can be {verb}, `{symbol.name}` is {article(f'`{symbol.type}`')}"
        hint = "cards and counters are moved: `move card to zone`" if not isinstance(symbol, VariableSymbol) else None
        r.error(diagnostic_codes.NOT_A_PLACE, message, node.span, hint)
        return None
    old = read(r, place)
    r.notes.written.add(symbol.name)
    return None if is_faulty(old) else (symbol.name, old, tuple(place.indices))


def let(r: Routine, node: ast.Let) -> list[core.Stmt]:
    """Check ``let``, which names a value for the rest of the block."""
    if is_written(r, node):
        return written_let(r, node)
    value = expression(r, node.value)
    slot = r.bind(node.name, value.type, node.name_span)
    r.known.values[slot] = value
    return [core.Let(node.span, slot, node.name, value)]


def let_expr(r: Routine, node: ast.LetExpr, expected: Type | None) -> core.Expr:
    """Check a ``let`` inside an expression. The name is in scope after the semicolon."""
    value = expression(r, node.value)
    with r.frame():
        slot = r.bind(node.name, value.type, node.name_span)
        r.known.values[slot] = value
        body = expression(r, node.body, expected)
    return (
        faulty(node.span)
        if is_faulty(value) or is_faulty(body)
        else core.Named(body.type, node.span, slot, node.name, value, body)
    )


def by(r: Routine, node: ast.By) -> list[core.Stmt]:
    """Check ``by player: …``, a block in which that player is ``me``."""
    player = expect(r, node.player, PLAYER, "after `by`")
    with r.frame(), r.narrowing():
        slot = r.bind_me(node.span)
        body = r.block(node.body)
    return [core.Let(node.span, slot, "me", player), *body]


def changed_for_a_time(r: Routine, node: ast.SetTo, until: ast.Until) -> list[core.Stmt]:
    """Check a temporary change of a query, which lasts until a duration ends."""
    duration = _duration(r, until.duration)
    found = r.operand(node.place)
    query = found if isinstance(found, core.CallQuery) else None
    if query is None and not (isinstance(found, core.Expr) and is_faulty(found)):
        hint = "make a query of it, or set it back where the duration ends"
        r.error(
            diagnostic_codes.NOT_A_PLACE, "only queries are changed for a time, this is none", node.place.span, hint
        )
    type = INT if query is None or node.op != "set" else query.type
    type = type.item if isinstance(type, OptionalType) else type
    if query is not None and node.op != "set" and is_faulty(fit(r, query, INT, "to be changed by a number")):
        query = None
    value = expect(r, node.value, type, "to set it to" if node.op == "set" else "after `by`")
    if until.layer is not None and until.layer not in r.names.layers:
        hint = did_you_mean(until.layer, r.names.layers) or "list it under `layers`"
        message = f"there is no layer `{until.layer}`"
        r.error(
            diagnostic_codes.UNKNOWN_NAME, message, until.layer_span or until.span, hint, about=about_name(until.layer)
        )
    r.notes.used_layers.update([until.layer] if until.layer is not None else [])
    timed = (
        None if duration is None or query is None else _temporary_change(r, query, duration.symbol, node, until, type)
    )
    if timed is None or duration is None or query is None or is_faulty(value):
        return []
    owner, span, made = tuple(duration.indices), node.span, Origin(DURATIONS, timed.duration, BEGUN)
    begun = core.SetCell(
        span, kept_name(timed.duration, BEGUN), owner, "set", core.Const(BOOL, span, True), origin=made
    )
    return [core.SetCell(span, timed.variable, (*owner, *query.args), node.op, value), begun]


def _temporary_change(
    r: Routine, query: core.CallQuery, duration: Symbol, node: ast.SetTo, until: ast.Until, type: Type
) -> TemporaryChange | None:
    """Return the variable that stores temporary changes of a query, or None after a report.

    It has one value for each combination of the query's parameters.
    """
    symbol = r.names.symbols[query.query]
    assert isinstance(symbol, QuerySymbol) and isinstance(duration, DurationSymbol)
    dims = [*duration.dims, *([core.Dim(PLAYER)] if symbol.per_player else [])]
    for name, of in symbol.params:
        dim = r.names.dimension(of)
        if dim is None:
            message = f"`{symbol.name}` can't be changed for a time: its `{name}` is {article(f'`{of}`')}"
            hint = "that is kept for players, cards and values of enums"
            r.error(diagnostic_codes.BAD_DIMENSION, message, node.place.span, hint, [(symbol.span, "declared here")])
            return None
        dims.append(dim)
    op = "set" if node.op == "set" else "add"
    words = (duration.name, query.query.replace(".", "_"), *([until.layer] if until.layer else []))
    name = kept_name("_".join(words), "Set" if op == "set" else "Added")
    timed = TemporaryChange(
        query.query, duration.name, op, type, until.layer, name, tuple(dims), duration.of_player, node.span
    )
    return r.notes.temporary.setdefault(name, timed)


def _duration(r: Routine, node: ast.Expr) -> Reference | None:
    place = written_place(r, node, "ended")
    if place is None or isinstance(place.symbol, DurationSymbol):
        if place is not None:
            r.notes.used.add(place.symbol.name)
        return None if place is None or any(map(is_faulty, place.indices)) else place
    r.notes.used.add(place.symbol.name)
    message = f"only durations end; `{place.symbol.name}` is {article(place.symbol.what)}"
    notes = [(place.symbol.span, "declared here")]
    r.error(diagnostic_codes.NOT_A_PLACE, message, node.span, "declare it under `durations`", notes)
    return None


def end_duration(r: Routine, node: ast.EndDuration) -> list[core.Stmt]:
    """Check ``end``, which reverts all changes that last until a duration ends."""
    word = node.duration
    if isinstance(word, ast.Name) and not r.locals.find(word.name) and word.name not in r.names.symbols:
        hint = did_you_mean(word.name, ["game", *r.names.named(DurationSymbol)]) or "declare it under `durations`"
        message = f"there is no duration `{word.name}`"
        r.error(diagnostic_codes.UNKNOWN_NAME, message, word.span, hint, about=about_name(word.name))
        return []
    duration = _duration(r, node.duration)
    if duration is None:
        return []
    ends = kept_name(duration.symbol.name, ENDS)
    return [core.CallEffect(node.span, ends, tuple(duration.indices), origin=Origin(DURATIONS, part=ENDS))]


def set_to(r: Routine, node: ast.SetTo) -> list[core.Stmt]:
    """Check ``set``, ``increase`` and ``decrease`` of a variable, or of a query with ``until``."""
    if node.until is not None:
        return changed_for_a_time(r, node, node.until)
    verb = {"set": "set", "add": "increased", "sub": "decreased"}[node.op]
    place = written_place(r, node.place, verb)
    if place is None:
        r.operand(node.value)
        return []
    symbol = place.symbol
    if isinstance(symbol, SpanSymbol):
        r.notes.used.add(symbol.name)
        message = f"the span `{symbol.name}` can't be {verb}: it falls by itself when its condition fails"
        hint = f"write `begin {symbol.name}` where it starts"
        r.error(diagnostic_codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
        return []
    if isinstance(symbol, TableSymbol | ZoneSymbol):
        r.notes.used.add(symbol.name)
        hint = "declare it under `variables`" if isinstance(symbol, TableSymbol) else "use `move` and `shuffle`"
        what = "a table, which never changes" if isinstance(symbol, TableSymbol) else "a zone of components"
        message = f"`{symbol.name}` can't be {verb}: it is {what}"
        r.error(diagnostic_codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
        return []
    if place.is_pool:
        r.notes.used.add(symbol.name)
        r.error(
            diagnostic_codes.NOT_A_PLACE,
            f"the pool `{symbol.name}` can't be {verb} as a whole",
            node.place.span,
            "counters only move: `move … from … to …`",
            [(symbol.span, "declared here")],
        )
        return []
    if isinstance(symbol, PoolSymbol):
        return _counters(r, node, place, verb)
    r.notes.written.add(symbol.name)
    target = read(r, place, reads=False)
    expected = INT if node.op != "set" else getattr(symbol, "type", INT)
    if node.op != "set" and not is_faulty(target):
        fit(r, target, INT, f"to be {verb}")
    value = expect(r, node.value, expected, "to set it to" if node.op == "set" else "after `by`")
    if is_faulty(target):
        return []
    return [core.SetCell(node.span, symbol.name, tuple(place.indices), node.op, value)]


def _counters(r: Routine, node: ast.SetTo, place: Reference, verb: str) -> list[core.Stmt]:
    """Report a write to one count of a pool. The hint shows the move that has the same effect."""
    pool = place.symbol
    assert isinstance(pool, PoolSymbol)
    r.notes.used.add(pool.name)
    r.operand(node.value)
    kind, whole = _kind_and_pool(node.place)
    found = _supply_for(pool, place.indices[-1], r.names)
    other = "common_supply" if found is None else found
    amount = _written(node.value)
    gives, takes = f"move {amount} {kind} from {other} to {whole}", f"move {amount} {kind} from {whole} to {other}"
    clear = f"move all {kind} from {whole} to {other}"
    empties = isinstance(node.value, ast.IntLit) and node.value.value == 0
    hint = {
        "add": f"write `{gives}`",
        "sub": f"write `{takes}`",
        "set": f"write `{clear}`" if empties else f"write `{clear}`, and then `{gives}`",
    }[node.op]
    if found is None:
        hint += f"; declare `{other}` under `zones`: `{other}: {{holds: {pool.holds}, unlimited: true}}`"
    message = f"`{_written(node.place)}` counts counters of a pool, and can't be {verb}: counters only move"
    r.error(diagnostic_codes.COUNTERS_MOVE, message, node.place.span, hint, [(pool.span, "this pool")])
    return []


def _kind_and_pool(place: ast.Expr) -> tuple[str, str]:
    """Split one count of a pool, as written, into kind and pool.

    Both ``p.purse.chip`` and ``p.purse[chip]`` give ``chip`` and ``p.purse``.
    """
    match place:
        case ast.Member(subject=of, name=name):
            return name, _written(of)
        case ast.Index(subject=of, indices=(*others, kind)):
            behind = f"[{', '.join(map(_written, others))}]" if others else ""
            return _written(kind), f"{_written(of)}{behind}"
    return "counters", _written(place)


def _written(node: ast.Expr) -> str:
    """Return an expression as the author wrote it, on one line."""
    span = node.span
    return " ".join(span.source.text[span.start : span.end].split())


def _supply_for(pool: PoolSymbol, kind: core.Expr, names: Names) -> str | None:
    """Return the name of a pool that can supply counters: an unlimited one if possible, otherwise a shared one.

    None if there is none.
    """
    needed = {kind.value} if isinstance(kind, core.Const) else set(pool.kinds)
    others = [s for s in names.symbols.values() if isinstance(s, PoolSymbol) and s is not pool and not s.dims]
    fitting = [other for other in others if other.holds == pool.holds and needed <= set(other.kinds)]
    return min(fitting, key=lambda other: not other.unlimited).name if fitting else None


def begin(r: Routine, node: ast.Begin) -> list[core.Stmt]:
    """Check ``begin``, which starts a span if its condition holds."""
    place = written_place(r, node.place, "begun")
    if place is None:
        return []
    symbol, span = place.symbol, node.span
    if not isinstance(symbol, SpanSymbol):
        r.notes.used.add(symbol.name)
        message = f"only spans are begun; `{symbol.name}` is {article(symbol.what)}"
        hint = "declare it under `spans`"
        r.error(diagnostic_codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
        return []
    target = read(r, place, reads=False)
    r.notes.begun.add(symbol.name)
    r.notes.graph.call(r.owner, Owner("span", symbol.name), span)
    if is_faulty(target):
        return []
    indices = tuple(place.indices)
    holds = core.CallQuery(BOOL, span, kept_name(symbol.name, HOLDS), indices)
    return [core.SetCell(span, symbol.name, indices, "set", holds)]
