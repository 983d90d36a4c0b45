"""Check members (``subject.member``), and tests for keywords and actions of cards."""

from __future__ import annotations

from .. import core
from ..core.generated_part_origins import Origin
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import name_subjects
from ..source.source import Span, prepend_article, quote_list
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..types.builtin_functions_members_and_statements import ENUM, KIND, LIST, MEMBERS, ZONE, list_members
from ..types.types import (
    BOOL,
    INT,
    NONE,
    PLAYER,
    TEXT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    optional,
    strip_optional,
)
from .bare_names_and_calls import (
    ZONE_MEMBERS,
    check_card_query,
    check_query_call,
    find_zone_index_type,
    find_zones_of_kind,
    list_card_members,
    make_distinct_cards,
    make_query_call,
    report_effect_as_value,
    substitute_type,
)
from .call_graph_and_size_limits import Owner
from .coercions import (
    check_expected,
    check_expression,
    convert_to,
    get_list_subjects,
    suggest_pool,
    suggest_single_item,
)
from .context import Routine, is_faulty, make_faulty
from .indexing_and_member_subjects import check_card_before, check_subject, convert_subject
from .space_direction_and_seat_members import check_board_member, has_board_member
from .symbol_table import (
    ActionSymbol,
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    KeywordSymbol,
    KindAction,
    PlaceSymbol,
    QuerySymbol,
    Reference,
    Symbol,
    TypeSymbol,
    ZoneSymbol,
    suggest_for_member,
)
from .variable_and_zone_access import check_place_member, read_place


def check_has(routine: Routine, node: ast.HasAction, expected: Type | None) -> core.Expr:
    """Check ``card has x`` (an action or keyword), or ``card can x`` (whether ``me`` can use the action now).

    Returns a Bool. ``has`` with a keyword is the test of its value by :func:`make_truth_test`. With any other action,
    it is a Binary ``in``: is the card's original in a Const of the cards that have the action? ``can`` is a call of a
    query with ``me`` and the card. ``card.printed has x`` tests a keyword or field of the printed card. Any other name
    there, such as an action that is no keyword, is reported as UNKNOWN_MEMBER, and gives a Binary ``!=`` of a faulty
    expression and ``none``. After other reports, the result is faulty itself: WRONG_TYPE if the value is no card, and
    MAYBE_NONE if it may be ``none`` and is no read of a variable, table, card field or index such as ``card.unit``.
    UNKNOWN_MEMBER is for an unknown name, a field after ``card has``, and a keyword that is no action after ``can``.
    Without ``me``, ``can`` is reported as NOBODY_ACTS, and only the player in its call is faulty.
    """
    printed_card = None if node.is_usable else _check_printed_card(routine, node.card)
    if printed_card is not None:
        return make_truth_test(
            _make_printed_member(routine, printed_card, node.action, node.span, node.action_span, True)
        )
    card = check_expression(routine, node.card)
    if isinstance(card.type, OptionalType):
        card = convert_to(routine, card, card.type.item, f"before `{'can' if node.is_usable else 'has'}`")
    keyword = None if node.is_usable else _find_keyword(routine, str(card.type), node.action)
    if keyword is not None:
        return make_truth_test(make_query_call(routine, keyword, (card,), node.span, node.action_span))
    ability = find_kind_action(routine, card.type, node.action, node.action_span, node.card.span)
    if ability is None:
        return make_faulty(node.span)
    if node.is_usable:
        symbol = routine.names.symbols[ability.query_name]
        assert isinstance(symbol, QuerySymbol)
        me = routine.get_actor(node.span, f"`can` asks whether a player can use `{node.action}`")
        return replace(make_query_call(routine, symbol, (me, card), node.span, node.action_span), type=BOOL)
    originals_with_action = core.Const(ListType(card.type), node.span, tuple(original for original, _ in ability.cards))
    original = core.Field(card.type, node.span, card, "original")
    return core.Binary(BOOL, node.span, "in", original, originals_with_action)


def check_is_copy(routine: Routine, node: ast.IsCopy, expected: Type | None) -> core.Expr:
    """Return a Bool expression for ``card is any name``: whether both cards have the same original.

    The name can also be a local or variable of the card's kind. A card and all its copies match each other. The result
    is a Binary ``=`` of two Fields ``original``, or ``!=`` for ``is not any``. For an optional card, it is a Named that
    also tests for ``none``, which gives false, or true for ``is not any``. A value that is no card is reported, and
    gives a faulty expression. A name of another kind is reported; the Binary stays, and the component of its second
    Field is faulty.
    """
    card, span = check_expression(routine, node.card), node.span
    card_type = strip_optional(card.type)
    if not is_faulty(card) and not isinstance(card_type, ComponentType):
        return routine.report_error(
            codes.WRONG_TYPE, f"only cards have copies, but this is {prepend_article(f'`{card_type}`')}", node.card.span
        )
    named_card = check_expected(routine, ast.Name(node.name_span, node.name), card_type, "behind `is any`")
    subject, slot = card, routine.locals.allocate_slot()
    if isinstance(card.type, OptionalType):
        subject = core.Local(card_type, card.span, slot, "it")
    originals = (core.Field(card_type, operand.span, operand, "original") for operand in (subject, named_card))
    comparison: core.Expr = core.Binary(BOOL, span, "!=" if node.is_negated else "=", *originals)
    if subject is card:
        return comparison
    presence_test = core.Binary(
        BOOL, span, "=" if node.is_negated else "!=", replace(subject, type=card.type), core.Const(NONE, span, None)
    )
    test = core.Binary(BOOL, span, "or" if node.is_negated else "and", presence_test, comparison)
    return core.Named(BOOL, span, slot, "it", card, test)


def find_kind_action(routine: Routine, type: Type, action: str, action_span: Span, span: Span) -> KindAction | None:
    """Return an action of a component kind, and record that it is used, unless the use is in this action's own texts.

    The record is ``routine.notes.used_names``. ``type`` is that of the card, and ``action`` a name such as ``bloom``.
    The ``name`` of the result is then ``Card.bloom``. Returns None after reporting UNKNOWN_MEMBER at ``action_span``
    for an action that the kind doesn't have. Also returns None after reporting WRONG_TYPE at ``span``, where the card
    stands, for a type that is no component kind, such as ``Card?``. Returns None without a report for a faulty type.
    """
    if isinstance(type, NothingType):
        return None
    if not isinstance(type, ComponentType):
        message = f"only cards have actions, but this is {prepend_article(f'`{type}`')}"
        text = span.text
        asks_for_card = isinstance(type, ListType) and action in routine.names.constants
        cure = f"write `any(c is any {action} for c in {text})`" if asks_for_card else None
        routine.report_error(codes.WRONG_TYPE, message, span, cure)
        return None
    ability = routine.names.kind_actions.get(f"{type}.{action}")
    if ability is None:
        kind = routine.names.kinds[type.name]
        abilities = routine.names.kind_actions.values()
        action_names = [ability.decl.name.text for ability in abilities if ability.kind == type.name]
        keywords = _list_keywords(routine, type.name)
        hint: str | None = f"`{action}` is a keyword: ask `card has {action}`"
        if action not in keywords:
            hint = suggest_name(action, [*action_names, *keywords]) or (
                f"it has {quote_list(action_names)}"
                if action_names
                else f"declare it under `components.{type}.actions`"
            )
        notes = [(kind.span, "declared here")]
        message = f"{prepend_article(f'`{type}`')} has no action `{action}`"
        routine.report_error(codes.UNKNOWN_MEMBER, message, action_span, hint, notes, (f"member {type}.{action}",))
        return None
    # Uses in the action's own text don't count.
    own_texts = Owner("action", ability.name), Owner("query", ability.query_name)
    if own_texts[0] not in routine.inlined_owners and routine.owner != own_texts[1]:
        routine.notes.used_names.add(ability.name)
    return ability


def _find_keyword(routine: Routine, kind: str, name: str) -> KeywordSymbol | None:
    """Return the keyword of a kind. For an effect or action, return the symbol that says whether a card has it."""
    for full_name in (f"{kind}.{name}", f"{kind}.has {name}"):
        symbol = routine.names.symbols.get(full_name)
        if isinstance(symbol, KeywordSymbol):
            routine.notes.used_names.add(f"{kind}.{name}")
            return symbol
    return None


def _list_keywords(routine: Routine, kind: str) -> list[str]:
    """Return the names of the keywords that cards of a kind can have."""
    names = (name for name in routine.names.list_named(KeywordSymbol) if name.startswith(f"{kind}."))
    return [name.removeprefix(f"{kind}.").removeprefix("has ") for name in names]


def _check_printed_card(routine: Routine, node: ast.Expr) -> core.Expr | None:
    """Return the card before ``.printed``.

    Returns None if the node has another form, or if the value before the dot is no card.
    """
    return check_card_before(routine, node) if isinstance(node, ast.Member) and node.name == "printed" else None


def _make_printed_member(
    routine: Routine, card: core.Expr, name: str, span: Span, name_span: Span, includes_abilities: bool = False
) -> core.Expr:
    """Return a Field: a read of a field or keyword as printed on a card.

    A keyword comes before a field of the same name, and counts as used. With ``includes_abilities``, keywords that are
    effects or actions count as well: their value says whether they are printed. Returns a faulty expression after
    reporting a name that is not printed on cards of this kind.
    """
    kind = str(card.type)
    fields = routine.names.kinds[kind].fields
    symbol = _find_keyword(routine, kind, name) if includes_abilities else routine.names.symbols.get(f"{kind}.{name}")
    if isinstance(symbol, KeywordSymbol):
        routine.record_use(symbol, span)
        return core.Field(symbol.type, span, card, name)
    if name in fields:
        return core.Field(fields[name], span, card, name)
    member_names = [*fields, *_list_keywords(routine, kind)]
    hint = suggest_name(name, member_names) or (f"printed are {quote_list(member_names)}" if member_names else None)
    message = f"no `{name}` is printed on {prepend_article(f'`{kind}`')}"
    return routine.report_error(codes.UNKNOWN_MEMBER, message, name_span, hint)


def make_not_blank_test(
    routine: Routine, kind: ComponentType, card: core.Expr, span: Span, origin: Origin
) -> core.Expr | None:
    """Return a Unary ``not`` of a CallQuery: ``Card.blank`` of the argument ``card``, if ``kind`` is ``Card``.

    Both nodes have ``span``, but only the ``not`` has ``origin``. The call is recorded in ``routine.notes.graph``, from
    ``routine.owner``, and ``routine.names.queries.find_type`` is called for it. If ``kind.name`` is not in
    ``routine.names.blank_kinds``, nothing is recorded, and the result is None.
    """
    if kind.name not in routine.names.blank_kinds:
        return None
    name = f"{kind}.blank"
    routine.notes.graph.add_call(routine.owner, Owner("query", name), span)
    routine.names.queries.find_type(name)
    return core.Unary(BOOL, span, "not", core.CallQuery(BOOL, span, name, (card,)), origin=origin)


def make_truth_test(value: core.Expr) -> core.Expr:
    """Return the condition under which a card counts as having a keyword with this value.

    A Bool comes back itself. An Int gives ``value != 0``, and a list ``count(value) != 0``. A value of any other type,
    such as a Text or an ``Int?``, gives ``value != none``, so that an empty text and an ``Int?`` that is 0 fulfil it.
    """
    span = value.span
    match value.type:
        case BoolType():
            return value
        case IntType():
            return core.Binary(BOOL, span, "!=", value, core.Const(INT, span, 0))
        case ListType():
            size = core.CallBuiltin(INT, span, "count", (value,))
            return core.Binary(BOOL, span, "!=", size, core.Const(INT, span, 0))
    return core.Binary(BOOL, span, "!=", value, core.Const(NONE, span, None))


MAX_LISTED_MEMBERS = 12
"""Maximum number of known members that a hint lists after an unknown one."""


def check_member(routine: Routine, node: ast.Member, expected: Type | None) -> core.Expr | Reference:
    """Check ``subject.member``: an enum value, a printed field, a part of a place, or a member of a value.

    The first of these that fits counts:

    1. a value of a named enum
    2. a card named with its kind
    3. ``card.printed.member``
    4. ``Kind.originals``
    5. a member of a place
    6. a member of a board
    7. a member of the value

    Returns a Reference for a place of a player, such as ``p.hand``, and for a kind of counter in a pool. Returns a
    faulty expression after reporting an unknown member. Before a member of a board, a space, line or direction may be
    ``none``; the member's type is then optional, unless it has a default such as 0. Before others, a subject that may
    be ``none`` must be a read of a declared variable, card field, zone index (``card.holder``) or table that isn't
    computed. Then the type is as for a subject that is never ``none``. Any other such subject gives a faulty
    expression after MAYBE_NONE. If the subject is faulty, nothing more is reported. ``expected`` has no effect.
    """
    enum = _resolve_enum(routine, node.subject)
    if enum is not None:
        value = routine.names.find_value(enum, node.name)
        if value is not None:
            routine.notes.record_enum_value(value)
            return core.Const(enum, node.span, value.ordinal)
        if node.name not in MEMBERS:
            names = routine.names.list_value_names(enum)
            hint = suggest_name(node.name, names) or f"its values are {', '.join(f'`{name}`' for name in names)}"
            message, subjects = f"the enum `{enum}` has no value `{node.name}`", name_subjects(node.name)
            return routine.report_error(codes.UNKNOWN_MEMBER, message, node.name_span, hint, subjects=subjects)
    card = _resolve_qualified_card(routine, node)
    if card is not None:
        return card
    printed_card = _check_printed_card(routine, node.subject)
    if printed_card is not None:
        return _make_printed_member(routine, printed_card, node.name, node.span, node.name_span)
    operand = check_subject(routine, node)
    if node.name in list_members(KIND) and isinstance(node.subject, ast.Name) and not isinstance(operand, Reference):
        symbol = routine.names.symbols.get(node.subject.name)
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.type, ComponentType):
            return make_distinct_cards(routine, operand, node.span)
    if isinstance(operand, Reference):
        if isinstance(operand.symbol, ZoneSymbol) and not operand.missing and node.name in ZONE_MEMBERS:
            return ZONE_MEMBERS[node.name](routine, read_place(routine, operand), node.span)
        member_value = check_place_member(routine, operand, node)
        if member_value is not None:
            return member_value
        operand = read_place(routine, operand)
    if has_board_member(routine, operand.type, node.name):
        return check_board_member(routine, operand, node, (), node.span)
    if isinstance(operand.type, OptionalType):
        operand = convert_subject(routine, operand, operand.type.item, node)
    return _check_value_member(routine, operand, node)


def _resolve_qualified_card(routine: Routine, node: ast.Member) -> core.Expr | None:
    """Return a card that is named with its kind, such as ``Card.gold``. None if the node has another form."""
    card = routine.names.constants.get(node.name)
    if not isinstance(node.subject, ast.Name) or node.name in MEMBERS or card is None:
        return None
    kind = node.subject.name
    if card.type != ComponentType(kind) or routine.locals.find(kind) is not None:
        return None
    routine.notes.used_names.add(kind)
    return core.Const(card.type, node.span, card.value)


def _resolve_enum(routine: Routine, node: ast.Expr) -> EnumType | None:
    if isinstance(node, ast.Name) and routine.locals.find(node.name) is None:
        symbol = routine.names.symbols.get(node.name)
        if isinstance(symbol, TypeSymbol) and isinstance(symbol.type, EnumType):
            return symbol.type
        if node.name in routine.names.enums:
            return EnumType(node.name)
    return None


def _check_value_member(routine: Routine, subject: core.Expr, node: ast.Member) -> core.Expr | Reference:
    """Check a member of a value, according to the value's type.

    Fields of cards come before built-in members, these before declared ones. Returns a Reference for a place of a
    player. Returns a faulty expression after a report.
    """
    name, span = node.name, node.span
    symbol = routine.names.symbols.get(name)
    if isinstance(symbol, BrokenSymbol) and isinstance(subject.type, PlayerType):
        routine.notes.used_names.add(symbol.name)
        return make_faulty(span)
    match subject.type:
        case NothingType():
            return make_faulty(span)
        case ComponentType(name=kind) if name in routine.names.kinds[kind].fields:
            routine.notes.used_fields.add((kind, name))
            return core.Field(routine.names.kinds[kind].fields[name], span, subject, name)
        case ComponentType() if name in ("original", "copies"):
            return core.Field(subject.type if name == "original" else ListType(subject.type), span, subject, name)
        case ComponentType() if name == "printed":
            hint = "behind it stands a field, a keyword, or `has` and a keyword: `card.printed has keyword`"
            message = "`printed` alone is no value"
            return routine.report_error(codes.WRONG_TYPE, message, node.name_span, hint)
        case ComponentType(name=kind) if f"{kind}.{name}" in routine.names.symbols:
            return check_card_query(routine, subject, node, (), span)
        case ComponentType() as kind if (dimension := find_zone_index_type(routine, kind, name)) is not None:
            for zone in find_zones_of_kind(routine, kind):
                routine.record_use(zone, span)
            return core.IndexOfPlace(optional(dimension), span, subject)
        case EnumType(name=enum) if name in list_members(ENUM) and routine.names.enums[enum].has_shorts:
            return core.TableRead(TEXT, span, routine.names.enums[enum].short_table.name, (subject,))
        case PlayerType() if isinstance(symbol, PlaceSymbol) and symbol.is_per_player:
            return Reference(symbol, span, [subject])
        case PlayerType() if isinstance(symbol, QuerySymbol):
            return check_query_call(routine, symbol, subject, (), span, node.name_span)
        case PlayerType() if isinstance(symbol, EffectSymbol | ActionSymbol):
            return report_effect_as_value(routine, symbol, node.name_span)
    row = MEMBERS.get(name)
    if row is not None and row.kind == "function":
        param = row.params[0].type
        if isinstance(subject.type, PlayerType) and param == PLAYER:
            assert row.type is not None
            return core.CallBuiltin(row.type, span, name, (subject,))
        if isinstance(subject.type, ListType) and isinstance(param, ListType):
            assert row.type is not None
            return core.CallBuiltin(substitute_type(row.type, subject.type.item), span, name, (subject,))
    return _report_no_member(routine, subject, node, symbol)


def _report_no_member(routine: Routine, subject: core.Expr, node: ast.Member, symbol: Symbol | None) -> core.Expr:
    """Report an unknown member, with the hint that fits the value's type best. A symbol in the hint counts as used."""
    type, name = subject.type, node.name
    notes: list[tuple[Span, str]] = []
    member_names: list[str] = []
    if isinstance(type, PlayerType):
        member_names = list_members(PLAYER)
        places = (place for place in routine.names.symbols.values() if getattr(place, "is_per_player", False))
        member_names += [place.name for place in places if "." not in place.name]
    elif isinstance(type, ComponentType):
        member_names = list_card_members(routine, type.name)
        notes = [(routine.names.kinds[type.name].span, "declared here")]
    elif isinstance(type, ListType):
        member_names = [*list_members(LIST), *(list_members(ZONE) if isinstance(subject, core.ReadZone) else ())]
    constant = routine.names.constants.get(name)
    is_card_or_kind = name in routine.names.kinds or (constant is not None and isinstance(constant.type, ComponentType))
    if isinstance(type, ListType) and name in list_members(ZONE):
        hint: str | None = f"only a zone has a {name}: write `{'first' if name == 'top' else 'last'}`"
    elif isinstance(type, EnumType):
        hint = _suggest_for_enum_value(routine, type, node)
    elif isinstance(type, PlayerType) and is_card_or_kind:
        hint = f"write the card without a player; if its query needs one, {routine.suggest_actor()}"
    elif isinstance(symbol, PlaceSymbol | CallableSymbol) and isinstance(type, PlayerType):
        routine.notes.used_names.add(symbol.name)
        key = "per: [Player]" if isinstance(symbol, PlaceSymbol) else "per: Player"
        hint = f"the {symbol.kind} `{name}` belongs to no player: write `{name}` alone, or declare it with `{key}`"
        notes = symbol.notes
    elif isinstance(type, ListType) and _can_item_have(routine, type.item, name, symbol):
        if symbol is not None:
            routine.notes.used_names.add(symbol.name)
        hint = suggest_single_item(subject)
    elif isinstance(symbol, PlaceSymbol | CallableSymbol) and symbol.is_per_player:
        routine.notes.used_names.add(symbol.name)
        hint = f"the {symbol.kind} `{name}` belongs to a player: write a player before the dot, such as `me.{name}`"
        notes = symbol.notes
    else:
        hint = (
            (suggest_for_member("Player", name) if isinstance(type, PlayerType) else None)
            or _suggest_count(node, type)
            or _suggest_counters(routine, node, type)
            or suggest_name(name, member_names)
            or _format_members(member_names)
        )
    message = f"{prepend_article(f'`{type}`')} has no member `{name}`"
    subjects = (*name_subjects(name), f"member {type}.{name}", *get_list_subjects(routine, subject))
    return routine.report_error(codes.UNKNOWN_MEMBER, message, node.name_span, hint, notes, subjects)


def _can_item_have(routine: Routine, item: Type, name: str, symbol: Symbol | None) -> bool:
    """Return whether the items of a list have a member, for a hint when the list itself has not."""
    if isinstance(item, ComponentType):
        return name in list_card_members(routine, item.name)
    return isinstance(item, PlayerType) and isinstance(symbol, PlaceSymbol | CallableSymbol) and symbol.is_per_player


def _suggest_for_enum_value(routine: Routine, type: EnumType, node: ast.Member) -> str:
    """Return a hint about the members of an enum value."""
    if node.name == "label":
        return 'a text says the label of what stands in braces: `"{…}"`'
    if routine.names.enums[type.name].has_shorts:
        return "it has `short`"
    if node.name in list_members(ENUM):
        return f"no value of `{type}` is declared with a `short`: `{{label: …, short: …}}`"
    return f"what belongs to each `{type}` is a table: `tables: {{{node.name}: {{per: [{type}], …}}}}`"


def _suggest_count(node: ast.Member, type: Type) -> str | None:
    """Suggest ``count(deck)`` for ``deck.size`` and the like."""
    if not isinstance(type, ListType) or node.name not in ("count", "size", "length", "len"):
        return None
    return f"write `count({node.subject.span.text})`"


def _suggest_counters(routine: Routine, node: ast.Member, type: Type) -> str | None:
    """Return a hint that names the pool of a player's counters, if ``node`` asks a player for a kind of counter.

    Otherwise None.
    """
    if not isinstance(type, PlayerType):
        return None
    owner = node.subject.span.text
    hints = (
        suggest_pool(routine, value.enum, value.ordinal, f"{owner}.")
        for value in routine.names.values.get(node.name, ())
    )
    return next((hint for hint in hints if hint is not None), None)


def _format_members(names: list[str]) -> str | None:
    """Return a hint that lists the known members, shortened if there are many. None if there are none."""
    if not names:
        return None
    member_list, n_more = ", ".join(f"`{name}`" for name in names[:MAX_LISTED_MEMBERS]), len(names) - MAX_LISTED_MEMBERS
    return f"it has {member_list} and {n_more:,} more" if n_more > 0 else f"it has {member_list}"
