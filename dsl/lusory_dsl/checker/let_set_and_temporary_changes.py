"""Check statements that bind names or write values: ``let``, ``set``, ``add``, ``remove`` and temporary changes."""

from __future__ import annotations

from .. import core
from ..core.generated_part_origins import DURATIONS, LETS, Origin
from ..core.internal_names_and_internal_variables import (
    BEGUN_SUFFIX,
    ENDS_SUFFIX,
    HOLDS_SUFFIX,
    make_hidden_variable,
    make_internal_name,
)
from ..desugar.durations_and_state_checks import TemporaryChange
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import Diagnostics
from ..source.source import prepend_article
from ..syntax import ast
from ..types.types import (
    BOOL,
    INT,
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
    get_default_value,
    is_subtype,
    strip_optional,
)
from .call_graph_and_size_limits import Owner
from .coercions import check_expected, check_expression, convert_to, convert_to_list
from .context import LocalName, Notes, Routine, is_faulty
from .symbol_table import (
    DurationSymbol,
    LetSymbol,
    PoolSymbol,
    QuerySymbol,
    Reference,
    SpanSymbol,
    Symbol,
    TableSymbol,
    VariableSymbol,
    ZoneSymbol,
    report_unknown,
)
from .variable_and_zone_access import check_written_place, read_place

WRITE_NODES = ast.SetTo | ast.AddTo | ast.RemoveFrom


def _is_written_later(routine: Routine, node: ast.Let) -> bool:
    """Return whether a statement of the current block, at any depth, writes the name of a ``let``.

    Only ``set``, ``increase``, ``decrease``, ``add`` and ``remove`` of the bare name count, also before the ``let``.
    The written names are cached for each block.
    """
    written_names = routine.written_names.get(id(routine.scope))
    if written_names is None:
        nodes = (inner_node for stmt in routine.scope for inner_node in ast.walk(stmt))
        places = (inner_node.place for inner_node in nodes if isinstance(inner_node, WRITE_NODES))
        written_names = frozenset(place.name for place in places if isinstance(place, ast.Name))
        routine.written_names[id(routine.scope)] = written_names
    return node.name in written_names


def _check_written_let(routine: Routine, node: ast.Let) -> list[core.Stmt]:
    """Check a ``let`` whose name is written in its block.

    Returns one SetCell, which sets a hidden variable that is created for the ``let`` in ``notes.hidden_variables``. The
    name is bound to this variable. The type of an empty list comes from what is added to it. A start value of ``none``
    is reported, because it gives no type, and the statement is returned all the same.
    """
    value = check_expression(routine, node.value)
    type = value.type
    if isinstance(node.value, ast.ListLit) and not node.value.items:
        type = _infer_grown_type(routine, node)
    elif isinstance(type, NoneType):
        hint = "begin with a value, or declare a variable of its type"
        routine.report_error(codes.LIST_OF_WHAT, f"nothing says what `{node.name}` can be", node.value.span, hint)
    name = make_internal_name(f"{node.name}_{routine.notes.hidden_variable_count}", "Named")
    start: object = get_default_value(type)  # no text reads it before the `let` sets it
    if isinstance(type, ComponentType):
        start = routine.names.kinds[type.name].start
    elif isinstance(type, PlayerType | EnumType):
        start = 0
    variable = make_hidden_variable(name, type, start, node.span, Origin(LETS, node.name))
    routine.notes.hidden_variables[name] = variable
    local = _bind_variable_local(routine, node, LetSymbol(name, node.name_span, (), type))
    routine.notes.used_names.add(name)
    local.is_exempt = local.is_exempt or is_faulty(value)
    return [core.SetCell(node.span, name, (), "set", replace(value, type=type), origin=Origin(LETS, node.name))]


def _bind_variable_local(routine: Routine, node: ast.Let, symbol: VariableSymbol) -> LocalName:
    """Bind the name of a ``let`` to a local whose ``place`` is the variable ``symbol``, and return the local.

    Reports a name that is taken, and binds it all the same.
    """
    routine.bind(node.name, symbol.type, node.name_span)
    local = routine.locals.find(node.name)
    assert local is not None
    local.place = symbol
    return local


def _infer_grown_type(routine: Routine, node: ast.Let) -> Type:
    """Return the type of a list that begins empty, from the first value that is added to it.

    A trial run checks the rest of the block only for this purpose. Its reports and notes are discarded. Returns a list
    of NOTHING after reporting that nothing is added to it.
    """
    if routine.grown_types is not None:
        return ListType(routine.grown_types.setdefault(node.name_span.start, INT))  # an outer trial run infers it
    item_types: dict[int, Type] = {}
    trial = routine.copy_for_trial(Notes(), Diagnostics(), item_types)
    with trial.open_scope(), trial.restore_narrowing():
        symbol = VariableSymbol("", node.name_span, (), ListType(NOTHING))
        _bind_variable_local(trial, node, symbol)
        trial.check_block(routine.scope[routine.place_in_scope + 1 :])
    if node.name_span.start not in item_types:
        hint = f"add something to it: `add value to {node.name}`"
        routine.report_error(codes.LIST_OF_WHAT, f"nothing says what `{node.name}` is a list of", node.value.span, hint)
        return ListType(NOTHING)
    return ListType(item_types[node.name_span.start])


def check_add(routine: Routine, node: ast.AddTo) -> list[core.Stmt]:
    """Check ``add``: append an item, or all items of another list, to a list.

    Returns one SetCell: ``add 3 to xs`` sets ``xs`` to a Binary ``join`` of ``xs`` and the ListLit ``[3]``. An optional
    value adds one item or no item. A value of the item type always adds one: ``none`` to a list of optional items, or a
    list to a list of lists. A value of the wrong type is reported, and faulty in the statement. Returns [] after
    reporting a target that is no variable with a list. If ``routine.grown_types`` is a dict, the first value for a list
    that began empty only records its item type, there and in the local, and gives []: ``3`` and ``[3]`` record Int.
    """
    place = _check_list_place(routine, node.place, "added to")
    if place is None:
        routine.check_operand(node.value)
        return []
    name, old_list, indices = place
    assert isinstance(old_list.type, ListType)
    item = old_list.type.item
    value = check_expression(routine, node.value, item)
    if isinstance(item, NothingType) and routine.grown_types is not None and not is_faulty(value):
        _record_item_type(routine, node.place, value.type)
        return []
    if isinstance(value.type, ListType | OptionalType) and not is_subtype(value.type, item):
        added_items = convert_to(routine, convert_to_list(routine, value), old_list.type, "to be added")
    else:
        value = check_expected(routine, node.value, item, "to be added")
        added_items = core.ListLit(old_list.type, node.value.span, (value,))
    new_list = core.Binary(old_list.type, node.span, "join", old_list, added_items)
    return [core.SetCell(node.span, name, indices, "set", new_list)]


def _record_item_type(routine: Routine, place: ast.Expr, type: Type) -> None:
    """Record the item type of a growing list, from the first value that is added to it."""
    local = routine.locals.find(place.name) if isinstance(place, ast.Name) else None
    assert routine.grown_types is not None
    if local is not None and local.place is not None:
        item = type.item if isinstance(type, ListType | OptionalType) else type
        routine.grown_types.setdefault(local.span.start, item)
        local.place = replace(local.place, type=ListType(item))
        local.type = ListType(item)


def check_remove(routine: Routine, node: ast.RemoveFrom) -> list[core.Stmt]:
    """Check ``remove 2 from xs``, which removes from a list the first item that equals a value.

    Returns one SetCell that writes the remaining list, which is the same list if no item is equal. The value of the
    SetCell is a Named ``removed``, which holds the value to remove. Its body is a Named ``before``: the number of items
    before the first equal item. The body of that one joins these items and the items behind the equal one. A value of
    the wrong type is reported, and ``removed`` then holds a faulty expression. Returns [] after reporting a target that
    is no list.
    """
    place = _check_list_place(routine, node.place, "removed from")
    if place is None:
        routine.check_operand(node.value)
        return []
    name, old_list, indices = place
    type, span = old_list.type, node.span
    assert isinstance(type, ListType)
    value = check_expected(routine, node.value, type.item, "to be removed")
    removed_slot, before_slot, item_slot = (routine.locals.allocate_slot() for _ in range(3))
    item = core.Local(type.item, span, item_slot, "it")
    is_different = core.Binary(BOOL, span, "!=", item, core.Local(value.type, span, removed_slot, "removed"))
    items_before = core.CallBuiltin(INT, span, "count", (core.Leading(type, span, item_slot, old_list, is_different),))
    number = core.Local(INT, span, before_slot, "before")
    next_position = core.Binary(INT, span, "+", number, core.Const(INT, span, 1))
    items = core.CallBuiltin(type, span, "take", (old_list, number))
    later_items = core.CallBuiltin(type, span, "drop", (old_list, next_position))
    remaining = core.Binary(type, span, "join", items, later_items)
    split_list = core.Named(type, span, before_slot, "before", items_before, remaining)
    new_list = core.Named(type, span, removed_slot, "removed", value, split_list)
    return [core.SetCell(span, name, indices, "set", new_list)]


def _check_list_place(
    routine: Routine, node: ast.Expr, verb: str
) -> tuple[str, core.Expr, tuple[core.Expr, ...]] | None:
    """Check a variable that holds a list. Returns its name, a read of it, and its indices, or None after a report."""
    place = check_written_place(routine, node, verb)
    if place is None:
        return None
    symbol = place.symbol
    routine.notes.used_names.add(symbol.name)
    if isinstance(symbol, VariableSymbol) and isinstance(symbol.type, NothingType):
        return None  # its type has been reported
    if not isinstance(symbol, VariableSymbol) or not isinstance(symbol.type, ListType):
        message = f"only a variable that holds a list can be {verb}, `{symbol.name}` is {prepend_article(symbol.kind)}"
        if isinstance(symbol, VariableSymbol):
            message = f"only a list can be {verb}, `{symbol.shown_name}` is {prepend_article(f'`{symbol.type}`')}"
        hint = "move cards and counters: `move card to zone`" if not isinstance(symbol, VariableSymbol) else None
        routine.report_error(codes.NOT_A_PLACE, message, node.span, hint)
        return None
    old_list = read_place(routine, place)
    routine.notes.written_places.add(symbol.name)
    return None if is_faulty(old_list) else (symbol.name, old_list, tuple(place.indices))


def check_let(routine: Routine, node: ast.Let) -> list[core.Stmt]:
    """Check ``let``, which names a value for the rest of the block.

    Returns one Let, which binds a new local, even if the value is faulty, and remembers the value by its slot in
    ``local_facts.values``. If a statement anywhere in the block writes the name, even before the ``let``, returns one
    SetCell of a new variable in ``notes.hidden_variables`` instead. The name is then bound to that variable. Reports a
    name that is taken, and binds it all the same.
    """
    if _is_written_later(routine, node):
        return _check_written_let(routine, node)
    value = check_expression(routine, node.value)
    slot = routine.bind(node.name, value.type, node.name_span)
    routine.local_facts.values[slot] = value
    return [core.Let(node.span, slot, node.name, value)]


def check_let_expr(routine: Routine, node: ast.LetExpr, expected: Type | None) -> core.Expr:
    """Check a ``let`` inside an expression. The name is in scope only in the body, which follows the semicolon.

    ``let z = 3; z + 1`` gives a Named with the value 3, the body ``z + 1`` and the body's type. A faulty value or body
    stays in it. A name that is already taken is reported, and bound all the same. The value is remembered by its slot
    in ``local_facts.values``. ``expected`` is passed on to the body, where it chooses between enums that share the name
    of a value. The body may have another type.
    """
    value = check_expression(routine, node.value)
    with routine.open_scope():
        slot = routine.bind(node.name, value.type, node.name_span)
        routine.local_facts.values[slot] = value
        body = check_expression(routine, node.body, expected)
    return core.Named(body.type, node.span, slot, node.name, value, body)


def check_by(routine: Routine, node: ast.By) -> list[core.Stmt]:
    """Check ``by player: …``, a block in which that player is ``me``.

    Returns a ``core.Let`` that binds ``me``, followed by the statements of the block, because the core has no statement
    for ``by``. A read of type ``Player?``, such as ``card.holder`` or a variable, is accepted. Any other value that
    is no Player, such as a local of this type, is reported, and ``me`` is bound to a faulty value.
    """
    player = check_expected(routine, node.player, PLAYER, "after `by`")
    with routine.open_scope(), routine.restore_narrowing():
        slot = routine.bind_me(node.span)
        body = routine.check_block(node.body)
    return [core.Let(node.span, slot, "me", player), *body]


def _check_temporary_change(routine: Routine, node: ast.SetTo, until: ast.Until) -> list[core.Stmt]:
    """Check a temporary change of a query, which lasts until a duration ends.

    Returns two SetCells: one writes the change to the variable that stores such changes, and one sets the variable that
    says that the duration has begun. An unknown layer is reported, and so is a value of the wrong type, which is faulty
    in the statements. Returns [] after any other report.
    """
    duration = _check_duration(routine, until.duration)
    operand = routine.check_operand(node.place)
    query = operand if isinstance(operand, core.CallQuery) else None
    if query is None and not (isinstance(operand, core.Expr) and is_faulty(operand)):
        message = "only queries are changed for a time, and this is no query"
        hint = "make a query of it, or set it back where the duration ends"
        routine.report_error(codes.NOT_A_PLACE, message, node.place.span, hint)
    type = INT if query is None or node.op != "set" else strip_optional(query.type)
    if query is not None and node.op != "set":
        is_number = not is_faulty(convert_to(routine, query, INT, "to be changed by a number"))
        query = query if is_number else None
    value = check_expected(routine, node.value, type, "as the new value" if node.op == "set" else "after `by`")
    routine.record_layer(until.layer, until.layer_span or until.span)
    if duration is None or query is None:
        return []
    change = _make_temporary_change(routine, query, duration.symbol, node, until, type)
    if change is None:
        return []
    owner, span, origin = tuple(duration.indices), node.span, Origin(DURATIONS, change.duration, BEGUN_SUFFIX)
    name, true = make_internal_name(change.duration, BEGUN_SUFFIX), core.Const(BOOL, span, True)
    begin = core.SetCell(span, name, owner, "set", true, origin=origin)
    return [core.SetCell(span, change.variable, (*owner, *query.args), node.op, value), begin]


def _make_temporary_change(
    routine: Routine, query: core.CallQuery, duration: Symbol, node: ast.SetTo, until: ast.Until, type: Type
) -> TemporaryChange | None:
    """Return the variable that stores temporary changes of a query, or None after a report.

    It has one value for each combination of the duration's player and the query's parameters. Equal changes share it.
    """
    symbol = routine.names.symbols[query.query]
    assert isinstance(symbol, QuerySymbol) and isinstance(duration, DurationSymbol)
    dims = [*duration.dims, *([core.Dim(PLAYER)] if symbol.is_per_player else [])]
    for name, param_type in symbol.params:
        dim = routine.names.make_dimension(param_type)
        if dim is None:
            message = f"`{symbol.name}` can't be changed for a time: `{name}` is {prepend_article(f'`{param_type}`')}"
            hint = "only parameters that are players, cards or values of enums allow it"
            routine.report_error(codes.BAD_DIMENSION, message, node.place.span, hint, symbol.notes)
            return None
        dims.append(dim)
    op = "set" if node.op == "set" else "add"
    # Words with capitals separate the names, so that no two changes share a variable.
    layer = "" if until.layer is None else f"_In_{until.layer}"
    suffix = f"{'Set' if op == 'set' else 'Added'}{layer}_Until_{duration.name}"
    name = make_internal_name(query.query.replace(".", "_"), suffix)
    change = TemporaryChange(
        query.query, duration.name, op, type, until.layer, name, tuple(dims), duration.is_per_player, node.span
    )
    return routine.notes.temporary_changes.setdefault(name, change)


def _check_duration(routine: Routine, node: ast.Expr) -> Reference | None:
    """Return the duration that a statement ends, or None after an error. Reports a place that is no duration."""
    place = check_written_place(routine, node, "ended")
    if place is None:
        return None
    symbol = place.symbol
    if not isinstance(symbol, DurationSymbol):
        message = f"only durations end; `{symbol.shown_name}` is {prepend_article(symbol.kind)}"
        hint = "declare it under `durations`"
        routine.report_misuse(symbol, codes.NOT_A_PLACE, message, node.span, hint)
        return None
    routine.notes.used_names.add(symbol.name)
    return place


def check_end_duration(routine: Routine, node: ast.EndDuration) -> list[core.Stmt]:
    """Check ``end``, which reverts all changes that last until a duration ends.

    Returns one call of the effect that does so. ``end round`` calls ``round_Ends`` without arguments. If ``turn`` is
    declared ``per: Player``, ``end p.turn`` calls ``turn_Ends(p)``, and ``end turn`` ``turn_Ends(me)``. If no player
    acts there, NOBODY_ACTS is reported, and the argument is faulty. Returns [] after a report for anything that is no
    duration:

    - UNKNOWN_NAME for an unknown name, or the bare name of a card, an enum value or a phase
    - NOT_WRITTEN for a local, but NOT_A_PLACE if it is from ``let`` and another statement writes it
    - UNKNOWN_MEMBER for ``p.round`` if ``round`` is not declared ``per: Player``
    - EFFECT_AS_VALUE for an effect, a window or an action
    - NOT_A_PLACE for any other value or place, such as a variable, after NOBODY_ACTS if it belongs to a player
      and no player acts there
    """
    name = node.duration
    if isinstance(name, ast.Name) and not routine.locals.find(name.name) and name.name not in routine.names.symbols:
        durations = ["game", *routine.names.list_named(DurationSymbol)]
        report_unknown(routine.report, "duration", name.name, name.span, durations, "declare it under `durations`")
        return []
    duration = _check_duration(routine, node.duration)
    if duration is None:
        return []
    end_effect = make_internal_name(duration.symbol.name, ENDS_SUFFIX)
    return [core.CallEffect(node.span, end_effect, tuple(duration.indices), origin=Origin(DURATIONS, part=ENDS_SUFFIX))]


def check_set(routine: Routine, node: ast.SetTo) -> list[core.Stmt]:
    """Check ``set``, ``increase`` and ``decrease`` of a variable, or of a query with ``until``.

    Returns one SetCell with the value as written: ``decrease gold by 1`` has the ``op`` ``sub`` and the value 1. With
    ``until``, a second SetCell follows, which notes that the duration has begun. Returns [] after reporting a target
    that can't be written: a span, table, zone, pool or count of a pool, or no place at all. With ``until``, only a
    query can be written. An unknown duration gives [], too, and so does a query with a parameter ``n: Int``. A value of
    the wrong type is reported, and faulty in the statement. ``increase`` of a query that is no number gives []. Three
    faults are reported, but still give the SetCell: ``increase`` of a variable that is no number, a missing or faulty
    index, and a duration as the target.
    """
    if node.until is not None:
        return _check_temporary_change(routine, node, node.until)
    verb = {"set": "set", "add": "increased", "sub": "decreased"}[node.op]
    place = check_written_place(routine, node.place, verb)
    if place is None:
        routine.check_operand(node.value)
        return []
    symbol = place.symbol
    refusal = _explain_unwritable(place, verb)
    if refusal is not None:
        message, hint = refusal
        routine.report_misuse(symbol, codes.NOT_A_PLACE, message, node.place.span, hint)
        return []
    if isinstance(symbol, PoolSymbol):
        return _report_counter_write(routine, node, place, verb)
    routine.notes.written_places.add(symbol.name)
    target = read_place(routine, place, is_read=False)
    expected = INT if node.op != "set" else getattr(symbol, "type", INT)
    if node.op != "set":
        convert_to(routine, target, INT, f"to be {verb}")
    value = check_expected(routine, node.value, expected, "as the new value" if node.op == "set" else "after `by`")
    return [core.SetCell(node.span, symbol.name, tuple(place.indices), node.op, value)]


def _explain_unwritable(place: Reference, verb: str) -> tuple[str, str] | None:
    """Return the message and the hint for a place that no statement writes. None: it is a variable, or a count."""
    symbol = place.symbol
    match symbol:
        case SpanSymbol(name=name):
            message = f"the span `{name}` can't be {verb}: it falls by itself when its condition fails"
            return message, f"write `begin {name}` where it starts"
        case TableSymbol(name=name):
            return f"`{name}` can't be {verb}: it is a table, which never changes", "declare it under `variables`"
        case ZoneSymbol(name=name):
            return f"`{name}` can't be {verb}: it is a zone of components", "use `move` and `shuffle`"
        case PoolSymbol(name=name) if len(place.indices) <= len(symbol.dims):  # no kind is named
            return f"the pool `{name}` can't be {verb} as a whole", "move the counters: `move … from … to …`"
    return None


def _report_counter_write(routine: Routine, node: ast.SetTo, place: Reference, verb: str) -> list[core.Stmt]:
    """Report a write to one count of a pool, and return []. The hint shows the move that has the same effect."""
    pool = place.symbol
    assert isinstance(pool, PoolSymbol)
    routine.notes.used_names.add(pool.name)
    routine.check_operand(node.value)
    kind, pool_text = _split_kind_and_pool(node.place)
    # The counters come from an unlimited pool if possible, otherwise from another pool that is shared.
    kind_value = place.indices[-1]
    kinds = {kind_value.value} if isinstance(kind_value, core.Const) else set(pool.kinds)
    pools = [symbol for symbol in routine.names.symbols.values() if isinstance(symbol, PoolSymbol) and not symbol.dims]
    pools = [other for other in pools if other is not pool and other.holds == pool.holds and kinds <= set(other.kinds)]
    supplier = min(pools, key=lambda other: not other.is_unlimited).name if pools else None
    other_pool = "common_supply" if supplier is None else supplier
    amount = node.value.span.line_text
    gain = f"move {amount} {kind} from {other_pool} to {pool_text}"
    loss = f"move {amount} {kind} from {pool_text} to {other_pool}"
    removal = f"move all {kind} from {pool_text} to {other_pool}"
    is_emptying = isinstance(node.value, ast.IntLit) and node.value.value == 0
    hint = {
        "add": f"write `{gain}`",
        "sub": f"write `{loss}`",
        "set": f"write `{removal}`" if is_emptying else f"write `{removal}`, and then `{gain}`",
    }[node.op]
    if supplier is None:
        hint += f"; declare `{other_pool}` under `zones`: `{other_pool}: {{holds: {pool.holds}, unlimited: true}}`"
    message = f"`{node.place.span.line_text}` is the number of counters in a pool, so it can't be {verb}"
    routine.report_error(codes.COUNTERS_MOVE, message, node.place.span, hint, [(pool.span, "this pool")])
    return []


def _split_kind_and_pool(place: ast.Expr) -> tuple[str, str]:
    """Split one count of a pool, as written, into kind and pool.

    Both ``p.purse.chip`` and ``p.purse[chip]`` give ``chip`` and ``p.purse``.
    """
    match place:
        case ast.Member(subject=subject, name=name):
            return name, subject.span.line_text
        case ast.Index(subject=subject, indices=(*outer_indices, kind)):
            index_text = f"[{', '.join(index.span.line_text for index in outer_indices)}]" if outer_indices else ""
            return kind.span.line_text, f"{subject.span.line_text}{index_text}"
    return "counters", place.span.line_text


def check_begin(routine: Routine, node: ast.Begin) -> list[core.Stmt]:
    """Check ``begin``, which starts a span if its condition holds.

    Returns one SetCell, which sets the span to a call of the query of its condition, ``night_Holds`` for ``night``.
    Returns [] after reporting a target that is no span or has a faulty player, such as ``nosuch.night``. If ``night``
    belongs to a player but none acts, NOBODY_ACTS is reported, and the SetCell has a faulty index. With a SetCell,
    ``night`` is added to ``routine.notes.begun_spans``, and to the call graph a call of ``Owner("span", "night")``, not
    of the query.
    """
    place = check_written_place(routine, node.place, "begun")
    if place is None:
        return []
    symbol, span = place.symbol, node.span
    if not isinstance(symbol, SpanSymbol):
        message = f"only spans are begun; `{symbol.shown_name}` is {prepend_article(symbol.kind)}"
        hint = "declare it under `spans`"
        routine.report_misuse(symbol, codes.NOT_A_PLACE, message, node.place.span, hint)
        return []
    read_place(routine, place, is_read=False)
    routine.notes.begun_spans.add(symbol.name)
    routine.notes.graph.add_call(routine.owner, Owner("span", symbol.name), span)
    indices = tuple(place.indices)
    holds_query = core.CallQuery(BOOL, span, make_internal_name(symbol.name, HOLDS_SUFFIX), indices)
    return [core.SetCell(span, symbol.name, indices, "set", holds_query)]
