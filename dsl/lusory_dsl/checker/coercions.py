"""Convert checked expressions to the type that their context needs, and suggest fixes for those of another type.

Example of inference: in ``if colour = red``, ``red`` alone could be a value of two enums. The other operand has the
type ``Colour``, so ``red`` is checked with ``Colour`` as the expected type. A ``Card`` fits where ``Card?`` is
expected. A ``Card?`` where a list is expected becomes a list of one card or none.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.generated_part_origins import OPTIONALS, Origin
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.source import prepend_article
from ..syntax import ast
from ..types.types import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    PLAYER,
    ComponentType,
    EnumType,
    ListType,
    NoneType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    is_subtype,
    join,
)
from .context import CheckedCondition, Routine, is_faulty
from .symbol_table import SEAT_HINT, PoolSymbol, Reference
from .variable_and_zone_access import read_place

MAX_QUOTED = 40
"""Maximum length, in characters, of an expression that a hint repeats."""


def check_expression(routine: Routine, node: ast.Expr, expected: Type | None = None) -> core.Expr:
    """Check an expression and return its value. A place is read: the variable ``gold`` gives a ReadCell.

    ``expected`` chooses between enums, or an enum and cards, that share the name of a value. The result may have
    another type than ``expected``. Returns a faulty expression after reporting a place without a value, such as a pool.
    """
    operand = routine.check_operand(node, expected)
    if isinstance(operand, Reference):
        return read_place(routine, operand)
    return operand


def check_expected(routine: Routine, node: ast.Expr, expected: Type, role: str = "") -> core.Expr:
    """Check an expression that must have the expected type.

    Returns a faulty expression after a report, as :func:`convert_to` does. ``role`` says in messages what the value is
    for.
    """
    return convert_to(routine, check_expression(routine, node, expected), expected, role)


def check_condition(routine: Routine, node: ast.Expr, role: str = "as a condition") -> core.Expr:
    """Check a condition and return it. Returns a faulty expression after a report if it is not a Bool.

    A read of a variable, table or card field of type ``Bool?`` comes back as a copy of type Bool. Anything else of this
    type, such as a local or the call of a query, is reported (see :func:`convert_to`). ``role`` says in messages what
    the condition is for.

    Appends ``CheckedCondition(routine.local_facts, condition)``, even for a faulty expression, to
    ``routine.notes.conditions`` for the lints.
    """
    condition = check_expected(routine, node, BOOL, role)
    routine.notes.conditions.append(CheckedCondition(routine.local_facts, condition))
    return condition


def assume_condition(routine: Routine, node: ast.Expr, role: str = "as a condition") -> core.Expr:
    """Check a condition and return it, as :func:`check_condition` does, and narrow types of locals for what comes next.

    The narrower types go into ``routine.narrowed_types``. Example: for ``x is not none``, or this joined to others by
    ``and``, it maps the slot of a local ``x`` of type ``Int?`` to Int. Then ``routine.subjects`` is cleared. Variables
    of the ruleset are not narrowed.
    """
    condition = check_condition(routine, node, role)
    routine.narrow(condition, True)
    return condition


def convert_to(routine: Routine, value: core.Expr, expected: Type, role: str = "") -> core.Expr:
    """Return a value as the expected type, or a faulty expression after a report.

    A value of a subtype, which includes a faulty one, comes back unchanged, without a report. A read of a variable,
    table, card field or zone index (``card.holder``, ``card.space``) that may be ``none``, such as an ``Int?``, is
    accepted if its item fits. The result is a copy of the read with the type of the item, such as Int, which is a fault
    at run time if there is ``none``. Optional indices of the read are converted, or reported, in the same way. Any
    other value that is ``none``, or may be ``none`` and else fits, is reported as MAYBE_NONE, and the rest, such as a
    ``Player?`` for an Int, as WRONG_TYPE. ``role`` says in messages what the value is for, such as ``as a condition``.
    """
    if is_subtype(value.type, expected):
        return value
    role_text = f" {role}" if role else ""
    if isinstance(value.type, OptionalType) and is_subtype(value.type.item, expected):
        item = value.type.item
        value = _require_indices(routine, value)
        if isinstance(value, core.ReadCell | core.TableRead | core.Field | core.IndexOfPlace):
            return replace(value, type=item)
        while isinstance(value, core.IfExpr):  # report the branch that may be `none`
            branches = (value.then, value.otherwise)
            value = next(branch for branch in branches if isinstance(branch.type, NoneType | OptionalType))
        if isinstance(value, core.Local):
            hint = f"test it first: `if {value.name} is not none`"
        elif isinstance(value.type, NoneType):
            hint = "here the whole is nothing: say what it is instead, or test it with `is not none`"
        else:
            hint = "give it a name with `let` and test it first: `if name is not none`"
        message = f"{prepend_article(f'`{expected}`')} is needed{role_text}, but this may be `none`"
        subjects = (f"nothing as {value.name} in {routine.owner}",) if isinstance(value, core.Local) else ()
        return routine.report_error(codes.MAYBE_NONE, message, value.span, hint, subjects=subjects)
    if isinstance(value.type, NoneType):
        message = f"`none` is used where {prepend_article(f'`{expected}`')} is needed{role_text}"
        cure = f'if it may be `none`, give it the type `"{expected}?"`' if routine.owner.section == "start" else None
        return routine.report_error(codes.MAYBE_NONE, message, value.span, cure)
    needed_type, actual_type = prepend_article(f"`{expected}`"), prepend_article(f"`{value.type}`")
    message = f"{needed_type} is needed{role_text}, but this is {actual_type}"
    advice, list_subjects = suggest_conversion(routine, value, expected), get_list_subjects(routine, value)
    return routine.report_error(codes.WRONG_TYPE, message, value.span, advice, subjects=list_subjects)


def _require_indices(routine: Routine, value: core.Expr) -> core.Expr:
    """Require that no index of a read place is optional."""
    if not isinstance(value, core.ReadCell | core.TableRead):
        return value
    indices = tuple(
        convert_to(routine, index, index.type.item, "as an index") if isinstance(index.type, OptionalType) else index
        for index in value.indices
    )
    return replace(value, indices=indices)


def get_list_subjects(routine: Routine, value: core.Expr) -> tuple[str, ...]:
    """Return the subject of findings about a list that is used like one of its items.

    Findings with one subject are reported once. Returns () unless the value is a local that holds a list, which gives
    ``("list NAME in OWNER",)``.
    """
    if isinstance(value, core.Local) and isinstance(value.type, ListType):
        return (f"list {value.name} in {routine.owner}",)
    return ()


def suggest_single_item(value: core.Expr) -> str:
    """Return a hint that says how to get one item of a list, and how to loop over it.

    For ``xs``: “`xs` is a list: take one item of it, such as its `.first`, or write `for each one in xs: …`”. A list of
    over ``MAX_QUOTED`` characters is not repeated: the word ``list`` replaces it in both places.
    """
    text = value.span.line_text
    if len(text) > MAX_QUOTED:
        text = "list"
    return f"`{text}` is a list: take one item of it, such as its `.first`, or write `for each one in {text}: …`"


def suggest_conversion(routine: Routine, value: core.Expr, expected: Type) -> str | None:
    """Return a hint for a value of the wrong type, or None if there is no usual mistake.

    The first of these mistakes gives the hint:

    1. A local hides an enum value of the expected type: “the local `red` hides the value: write `Colour.red`”.
    2. A list whose items fit: :func:`suggest_single_item`.
    3. Another list in place of an Int: “write `count(xs)` for the number of its items”.
    4. An Int in place of a Player: :data:`SEAT_HINT`.
    5. In place of a Bool, a list: “write `is not empty` behind a list …”; a player or card: “compare it, as in …”.
    6. An enum constant in place of an Int: :func:`suggest_pool`, without an owner.
    """
    if isinstance(value, core.Local):
        enum_values = routine.names.values.get(value.name, ())
        enum_value = next((symbol for symbol in enum_values if is_subtype(symbol.enum, expected)), None)
        if enum_value is not None:
            return f"the local `{value.name}` hides the value: write `{enum_value.qualified_name}`"
    if isinstance(value.type, ListType) and is_subtype(value.type.item, expected):
        return suggest_single_item(value)
    if isinstance(value.type, ListType) and expected == INT:
        text = value.span.line_text
        return f"write `count({text})` for the number of its items"
    if isinstance(expected, PlayerType) and value.type == INT:
        return SEAT_HINT
    if expected == BOOL and isinstance(value.type, ListType):
        return "write `is not empty` behind a list to ask if it has items, and `union` to join two lists"
    if expected == BOOL and isinstance(value.type, PlayerType | ComponentType):
        return "compare it, as in `p is me` or `p is not me`"
    if isinstance(value, core.Const) and isinstance(value.type, EnumType) and expected == INT:
        return suggest_pool(routine, value.type, value.value, "")
    return None


def suggest_pool(routine: Routine, enum: EnumType, kind: object, owner: str) -> str | None:
    """Return a hint that names a pool with counters of a kind, for authors who use the kind as a number.

    ``kind`` is the ordinal of an enum value. Only pools that can hold this kind count, without indices or with one for
    each player. A pool for each player goes before any other, and else the first declared one counts. ``owner`` is the
    prefix for a player's pool, such as ``me.``. Returns None if there is no suitable pool. Example: “`gold` lies in
    `purse`: write `me.purse.gold`”.
    """
    pools = [pool for pool in routine.names.symbols.values() if isinstance(pool, PoolSymbol) and pool.holds == enum]
    pools = [pool for pool in pools if kind in pool.kinds]
    pools = [pool for pool in pools if not pool.dims or (pool.is_per_player and len(pool.dims) == 1)]
    if not pools or not isinstance(kind, int):
        return None
    pool = min(pools, key=lambda pool: not pool.is_per_player)
    name = routine.names.list_value_names(enum)[kind]
    return f"`{name}` lies in `{pool.name}`: write `{owner if pool.is_per_player else ''}{pool.name}.{name}`"


def check_list(routine: Routine, node: ast.Expr, expected: Type | None = None) -> core.Expr:
    """Check an expression that must be a list.

    A value that may be missing becomes a list of one item or of no item. Returns a faulty expression after a report for
    any other value.
    """
    return convert_to_list(routine, check_expression(routine, node, expected))


def convert_to_list(routine: Routine, value: core.Expr) -> core.Expr:
    """Return a value as a list.

    A list or a faulty value comes back unchanged. A value of an optional type becomes ``let it = VALUE; if it = none
    then [] else [it]``: a Named that has VALUE and an IfExpr. Any other value, even the literal ``none``, is reported
    as WRONG_TYPE, and the result is faulty.
    """
    if is_faulty(value) or isinstance(value.type, ListType):
        return value
    span = value.span
    if not isinstance(value.type, OptionalType):
        hint = "write `players` for all players" if isinstance(value.type, PlayerType) else None
        message = f"a list is needed here, but this is {prepend_article(f'`{value.type}`')}"
        return routine.report_error(codes.WRONG_TYPE, message, span, hint)
    # The value has a name, so that it is evaluated once: `let it = VALUE; if it = none then [] else [it]`.
    type, slot = ListType(value.type.item), routine.locals.allocate_slot()
    name = core.Local(value.type, span, slot, "it")
    is_none = core.Binary(BOOL, span, "=", name, core.Const(NONE, span, None), origin=Origin(OPTIONALS, "none"))
    single_list = core.ListLit(type, span, (replace(name, type=type.item),))
    choice = core.IfExpr(type, span, is_none, core.Const(type, span, ()), single_list)
    return core.Named(type, span, slot, "it", value, choice)


def check_players(routine: Routine, node: ast.Expr, role: str) -> core.Expr:
    """Check a player or a list of players, and return a list: one player becomes a ``core.ListLit`` of one.

    Anything else is reported, even a variable of the type ``Player?``, and gives a faulty expression. A faulty
    expression comes back without a report. ``role``, such as "after `for`", says in the message what the players
    are for.
    """
    players = check_expression(routine, node, ListType(PLAYER))
    if isinstance(players.type, PlayerType):
        players = core.ListLit(ListType(PLAYER), players.span, (players,))
    return convert_to(routine, players, ListType(PLAYER), role)


def get_item_type(value: core.Expr) -> Type:
    """Return the item type of a list. NOTHING if the value is no list."""
    return value.type.item if isinstance(value.type, ListType) else NOTHING


def check_together(routine: Routine, items: Sequence[ast.Expr], expected: Type | None) -> list[core.Expr]:
    """Check expressions that should share a type, and return the checked ones as a list in the order of ``items``.

    Each is checked with the type ``expected``. If that is None, the first type found is expected of all that are
    checked later. Faulty expressions, ``none`` and empty lists don't count. Expressions for which
    :func:`depends_on_expected` holds, such as a name that several enums have, are checked last. With the enums
    ``A: [red, blue]`` and ``B: [red, green]``, ``[red, A.blue]`` gives two Consts of type A, with the values 0 and 1.
    Nothing is converted, and different types are not reported: ``[none, 3]`` gives Consts of the types NONE and INT.
    """
    values: dict[int, core.Expr] = {}
    expected_type = expected
    for ambiguous in (False, True):
        for i, item in enumerate(items):
            if depends_on_expected(routine, item) is not ambiguous:
                continue
            value = values[i] = check_expression(routine, item, expected_type)
            is_empty = isinstance(value.type, ListType) and isinstance(value.type.item, NothingType)
            if expected_type is None and not isinstance(value.type, NothingType | NoneType) and not is_empty:
                expected_type = value.type
    return [values[i] for i in range(len(items))]


def depends_on_expected(routine: Routine, node: ast.Expr) -> bool:
    """Return whether the meaning of an expression depends on the expected type.

    This is so for a bare name that has several meanings among the values of enums, their plurals and cards. A local or
    a name in ``names.symbols`` hides these. It is also so for an ``if`` or a list, even a nested one, whose values are
    all such names, but not for an empty list.
    """
    if isinstance(node, ast.Name):
        declaration = routine.locals.find(node.name) or routine.names.symbols.get(node.name)
        meanings = len(routine.names.values.get(node.name, ())) + (node.name in routine.names.constants)
        return declaration is None and meanings > 1
    if isinstance(node, ast.IfExpr):
        return depends_on_expected(routine, node.then) and depends_on_expected(routine, node.otherwise)
    items = node.items if isinstance(node, ast.ListLit) else ()
    return bool(items) and all(depends_on_expected(routine, item) for item in items)


def join_types(routine: Routine, values: Sequence[core.Expr], phrase: str) -> Type | None:
    """Return the common type of all values, or None after reporting the first value that doesn't fit those before it.

    The report is NEVER_EQUAL. An Int and ``none`` have the type ``Int?``, and faulty values fit any type. Returns
    NOTHING without values, or if all are faulty. ``phrase`` completes the message "an `A` and a `B` can't …", where
    ``A`` is the common type of the values before the one that doesn't fit.
    """
    common_type: Type = NOTHING
    for value in values:
        joined_type = join(common_type, value.type)
        if joined_type is None:
            message = f"{prepend_article(f'`{common_type}`')} and {prepend_article(f'`{value.type}`')} can't {phrase}"
            routine.report_error(codes.NEVER_EQUAL, message, value.span)
            return None
        common_type = joined_type
    return common_type
