"""Convert checked expressions to the type that their context needs, and suggest fixes for those of another type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .. import core
from ..core.provenance import OPTIONALS, Origin
from ..source import diagnostic_codes
from ..source.lazy_dataclass import replace
from ..source.source import article
from ..syntax import ast
from ..types.types import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    EnumType,
    ListType,
    NoneType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    fits,
    join,
)
from .assignable_places import read
from .context import Routine, WrittenCondition, is_faulty
from .symbols import SEATS, PoolSymbol, Reference

MOST_WRITTEN = 40
"""Maximum length, in characters, of an expression that a hint repeats."""


def expression(r: Routine, node: ast.Expr, expected: Type | None = None) -> core.Expr:
    """Check an expression and return its value.

    ``expected`` chooses between enums that share the name of a value. The result may have another type.
    """
    found = r.operand(node, expected)
    if isinstance(found, Reference):
        return read(r, found)
    return found


def expect(r: Routine, node: ast.Expr, expected: Type, role: str = "") -> core.Expr:
    """Check an expression that must have the expected type. Returns a faulty expression after a report."""
    return fit(r, expression(r, node, expected), expected, role)


def written_condition(
    r: Routine, node: ast.Expr, role: str = "as a condition", before: Iterable[core.Expr] = ()
) -> core.Expr:
    """Check a condition and record it for the lints.

    ``before`` holds conditions of earlier branches, which are false here.
    """
    found = expect(r, node, BOOL, role)
    r.notes.conditions.append(WrittenCondition(r.known, found, tuple(before)))
    return found


def fit(r: Routine, value: core.Expr, expected: Type, role: str = "") -> core.Expr:
    """Return a value as the expected type, or report it.

    A read of an optional place is accepted as a value of its inner type. A ``none`` there is a fault at run time.
    """
    if fits(value.type, expected):
        return value
    where = f" {role}" if role else ""
    if isinstance(value.type, OptionalType) and fits(value.type.item, expected):
        inner = value.type.item
        value = _inside(r, value)
        if isinstance(value, core.ReadCell | core.TableRead | core.Field | core.IndexOfPlace):
            return replace(value, type=inner)
        value = _part_that_may_be_none(value)
        if isinstance(value, core.Local):
            hint = f"test it first: `if {value.name} is not none`"
        elif isinstance(value.type, NoneType):
            hint = "here the whole is nothing: say what it is instead, or test it with `is not none`"
        else:
            hint = "give it a name with `let` and test it first: `if name is not none`"
        message = f"{article(f'`{expected}`')} is needed{where}, this may be `none`"
        about = (f"nothing as {value.name} in {r.owner}",) if isinstance(value, core.Local) else ()
        return r.error(diagnostic_codes.MAYBE_NONE, message, value.span, hint, about=about)
    if isinstance(value.type, NoneType):
        return r.error(
            diagnostic_codes.MAYBE_NONE, f"`none` stands where {article(f'`{expected}`')} is needed", value.span
        )
    return r.error(
        diagnostic_codes.WRONG_TYPE,
        f"{article(f'`{expected}`')} is needed{where}, this is {article(f'`{value.type}`')}",
        value.span,
        mend(r, value, expected),
        about=about_list(r, value),
    )


def _part_that_may_be_none(value: core.Expr) -> core.Expr:
    """Return the branch of an ``if … then … else`` that may be ``none``. Any other value is returned itself."""
    while isinstance(value, core.IfExpr):
        branches = (value.then, value.otherwise)
        value = next(branch for branch in branches if isinstance(branch.type, NoneType | OptionalType))
    return value


def _inside(r: Routine, value: core.Expr) -> core.Expr:
    """Require that no index of a read place is optional."""
    if not isinstance(value, core.ReadCell | core.TableRead):
        return value
    indices = tuple(
        fit(r, i, i.type.item, "as an index") if isinstance(i.type, OptionalType) else i for i in value.indices
    )
    return replace(value, indices=indices)


def about_list(r: Routine, value: core.Expr) -> tuple[str, ...]:
    """Return the subject of findings about a list that is used like one of its items.

    Findings with one subject are reported once.
    """
    if isinstance(value, core.Local) and isinstance(value.type, ListType):
        return (f"list {value.name} in {r.owner}",)
    return ()


def list_as_one(value: core.Expr) -> str:
    """Return a hint that says how to get one item of a list, and how to loop over it."""
    span = value.span
    written = span.source.text[span.start : span.end]
    if "\n" in written or len(written) > MOST_WRITTEN:
        return "this is a list: name one of its items, such as its `first`, or go through it with `for each`"
    first = written if re.fullmatch(r"[\w.]+(\(.*\)|\[.*\])?", written) else f"({written})"
    return (
        f"`{written}` is a list: its first item is `{first}.first`, and `for each one in {written}: …` goes through it"
    )


def mend(r: Routine, value: core.Expr, expected: Type) -> str | None:
    """Return a hint for a value of the wrong type, or None if there is no usual mistake.

    The hints cover a local that hides an enum value, a list where one of its items fits, an Int where a Player is
    expected, and an enum constant where an Int is expected and a pool holds counters of that kind.
    """
    if isinstance(value, core.Local):
        hidden = next((v for v in r.names.values.get(value.name, ()) if fits(v.enum, expected)), None)
        if hidden is not None:
            return f"the local `{value.name}` hides the value: write `{hidden.qualified}`"
    if isinstance(value.type, ListType) and fits(value.type.item, expected):
        return list_as_one(value)
    if isinstance(expected, PlayerType) and value.type == INT:
        return SEATS
    if isinstance(value, core.Const) and isinstance(value.type, EnumType) and expected == INT:
        return where_it_lies(r, value.type, value.value, "")
    return None


def where_it_lies(r: Routine, enum: EnumType, kind: object, owner: str) -> str | None:
    """Return a hint that names a pool with counters of a kind, for authors who use the kind as a number.

    ``owner`` is the prefix for a player's pool, such as ``me.``. Returns None if there is no suitable pool.
    """
    pools = [s for s in r.names.symbols.values() if isinstance(s, PoolSymbol) and s.holds == enum and kind in s.kinds]
    pools = [pool for pool in pools if not pool.dims or (pool.of_player and len(pool.dims) == 1)]
    if not pools or not isinstance(kind, int):
        return None
    pool = min(pools, key=lambda pool: not pool.of_player)
    name = r.names.value_names(enum)[kind]
    return f"`{name}` lies in `{pool.name}`: write `{owner if pool.of_player else ''}{pool.name}.{name}`"


def list_value(r: Routine, node: ast.Expr, expected: Type | None = None) -> core.Expr:
    """Check an expression that must be a list."""
    return listed_value(r, expression(r, node, expected))


def listed_value(r: Routine, value: core.Expr) -> core.Expr:
    """Return a value as a list. A value that may be missing becomes a list of one or none."""
    if is_faulty(value) or isinstance(value.type, ListType):
        return value
    if isinstance(value.type, OptionalType):
        return one_or_none(r, value, value.type.item)
    hint = "write `players` for all players" if isinstance(value.type, PlayerType) else None
    return r.error(
        diagnostic_codes.WRONG_TYPE, f"a list is needed here, this is {article(f'`{value.type}`')}", value.span, hint
    )


def one_or_none(r: Routine, value: core.Expr, item: Type) -> core.Expr:
    """Convert an optional value to a list of one item, or to the empty list if it is ``none``."""
    type, span, slot = ListType(item), value.span, r.locals.slot()
    name = core.Local(value.type, span, slot, "it")
    is_none = Origin(OPTIONALS, "none")
    nothing = core.Binary(BOOL, span, "=", name, core.Const(NONE, span, None), origin=is_none)
    only = core.ListLit(type, span, (replace(name, type=item),))
    return core.Named(type, span, slot, "it", value, core.IfExpr(type, span, nothing, core.Const(type, span, ()), only))


def item_type(value: core.Expr) -> Type:
    """Return the item type of a list. NOTHING if the value is no list."""
    return value.type.item if isinstance(value.type, ListType) else NOTHING


def together(r: Routine, items: Sequence[ast.Expr], expected: Type | None) -> list[core.Expr]:
    """Check expressions that should share a type. Unambiguous ones come first, and their type resolves the others."""
    found: dict[int, core.Expr] = {}
    wanted = expected
    for ambiguous in (False, True):
        for i, item in enumerate(items):
            if is_open(r, item) is not ambiguous:
                continue
            value = found[i] = expression(r, item, wanted)
            if wanted is None and not isinstance(value.type, NothingType | NoneType):
                wanted = value.type
    return [found[i] for i in range(len(items))]


def is_open(r: Routine, node: ast.Expr) -> bool:
    """Return whether the meaning of a node depends on the expected type.

    It is so if several enums share the named value.
    """
    if isinstance(node, ast.Name):
        known = r.locals.find(node.name) or r.names.symbols.get(node.name)
        return known is None and len(r.names.values.get(node.name, ())) > 1
    if isinstance(node, ast.IfExpr):
        return is_open(r, node.then) and is_open(r, node.otherwise)
    return isinstance(node, ast.ListLit) and bool(node.items) and all(is_open(r, i) for i in node.items)


def joined(r: Routine, values: Sequence[core.Expr], what: str) -> Type | None:
    """Return the common type of all values, or None after a report.

    ``what`` completes the message "A and B can't …".
    """
    found: Type = NOTHING
    for value in values:
        both = join(found, value.type)
        if both is None:
            message = f"{article(f'`{found}`')} and {article(f'`{value.type}`')} can't {what}"
            r.error(diagnostic_codes.NEVER_EQUAL, message, value.span)
            return None
        found = both
    return found
