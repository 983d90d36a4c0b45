"""Names of `let` that are written, and lists that grow: `add`, `remove`.

A name that something behind it writes is a variable of the text in which it stands, kept in the position like others.
"""

from __future__ import annotations

from .. import core
from ..core.kept import kept_name, kept_variable
from ..core.origin import LETS, Origin
from ..effect import nodes
from ..language.types import (
    BOOL,
    INT,
    NOTHING,
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
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.records import replace
from ..text.spelling import article
from .locals import LocalName
from .names import VariableSymbol
from .notes import Notes
from .places import read, written_place
from .routine import Routine, is_faulty
from .values import expect, expression, listed_value

WRITING = nodes.SetTo | nodes.AddTo | nodes.RemoveFrom


def is_written(r: Routine, node: nodes.Let) -> bool:
    """Whether a statement of the block in which a name is given, or inside of one, writes it."""
    known = r.written_names.get(id(r.scope))
    if known is None:
        parts = (part for stmt in r.scope for part in nodes.walk(stmt))
        places = (part.place for part in parts if isinstance(part, WRITING))
        known = frozenset(place.name for place in places if isinstance(place, nodes.Name))
        r.written_names[id(r.scope)] = known
    return node.name in known


def written_let(r: Routine, node: nodes.Let) -> list[core.Stmt]:
    """A name for a value that is written later."""
    value = expression(r, node.value)
    type = value.type
    if isinstance(node.value, nodes.ListLit) and not node.value.items:
        type = _grown_type(r, node)
    elif isinstance(type, NoneType):
        hint = "begin with a value, or declare a variable of its type"
        r.error(codes.LIST_OF_WHAT, f"nothing says what `{node.name}` can be", node.value.span, hint)
    name = kept_name(f"{node.name}{len(r.notes.kept)}", "Named")
    r.notes.kept[name] = kept_variable(name, type, _start(r, type), node.span, Origin(LETS, node.name))
    local = bound(r, node, VariableSymbol(name, node.name_span, (), type))
    r.notes.used.add(name)
    local.exempt = local.exempt or is_faulty(value)
    return [core.SetCell(node.span, name, (), "set", replace(value, type=type), origin=Origin(LETS, node.name))]


def _start(r: Routine, type: Type) -> object:
    """What a variable holds before it is named: some value of its type, which nothing reads."""
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


def bound(r: Routine, node: nodes.Let, symbol: VariableSymbol) -> LocalName:
    """The local that stands for a variable from here on."""
    r.bind(node.name, symbol.type, node.name_span)
    local = r.locals.find(node.name)
    assert local is not None
    local.place = symbol
    return local


def _grown_type(r: Routine, node: nodes.Let) -> Type:
    """The type of a list that begins empty: the first thing that is added to it says so. What stands behind the name is
    checked for this alone, and forgotten."""
    if r.growing is not None:
        return ListType(r.growing.setdefault(node.name_span.start, INT))  # found out elsewhere
    found: dict[int, Type] = {}
    scratch = r.copied(Notes(), Diagnostics(), found)
    with scratch.frame(), scratch.narrowing():
        symbol = VariableSymbol("", node.name_span, (), ListType(NOTHING))
        bound(scratch, node, symbol)
        scratch.block(r.scope[r.place_in_scope + 1 :])
    if node.name_span.start not in found:
        hint = f"add something to it: `add value to {node.name}`"
        r.error(codes.LIST_OF_WHAT, f"nothing says what `{node.name}` is a list of", node.value.span, hint)
        return ListType(NOTHING)
    return ListType(found[node.name_span.start])


def add_to(r: Routine, node: nodes.AddTo) -> list[core.Stmt]:
    """One more item behind a list, or all those of another list."""
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
    """A list of the type that is asked for."""
    if is_faulty(value) or fits(value.type, type):
        return value
    return r.error(
        codes.WRONG_TYPE,
        f"{article(f'`{type}`')} is needed to be added, this is {article(f'`{value.type}`')}",
        value.span,
    )


def _note_kind(r: Routine, place: nodes.Expr, type: Type) -> None:
    """What is first added to a list says what it is a list of."""
    local = r.locals.find(place.name) if isinstance(place, nodes.Name) else None
    assert r.growing is not None
    if local is not None and local.place is not None:
        item = type.item if isinstance(type, ListType | OptionalType) else type
        r.growing.setdefault(local.span.start, item)
        local.place = replace(local.place, type=ListType(item))
        local.type = ListType(item)


def remove_from(r: Routine, node: nodes.RemoveFrom) -> list[core.Stmt]:
    """The first of its kind is gone from a list; where there is none, nothing happens."""
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


def _list_place(r: Routine, node: nodes.Expr, verb: str) -> tuple[str, core.Expr, tuple[core.Expr, ...]] | None:
    """A variable that holds a list: its name, its value and its indices; None after a report."""
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
        r.error(codes.NOT_A_PLACE, message, node.span, hint)
        return None
    old = read(r, place)
    r.notes.written.add(symbol.name)
    return None if is_faulty(old) else (symbol.name, old, tuple(place.indices))
