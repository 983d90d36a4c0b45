"""Check statements that move or shuffle components and counters, and tests of a card's zone."""

from __future__ import annotations

from .. import core
from ..source import diagnostic_codes as codes
from ..source.source import prepend_article
from ..syntax import ast
from ..types.types import BOOL, INT, ComponentType, EnumType, ListType, OptionalType, Type, strip_optional
from .coercions import check_expected, check_expression, convert_to
from .context import Routine, is_faulty, make_faulty
from .symbol_table import BrokenSymbol, PoolSymbol, Reference, ZoneSymbol, report_unknown
from .variable_and_zone_access import check_pool_kind, check_written_place, read_place


def check_shuffle(routine: Routine, node: ast.Shuffle) -> list[core.Stmt]:
    """Check ``shuffle``.

    Returns one Shuffle, or [] after reporting a value or place that is no zone (usually NOT_A_PLACE), or a zone that
    lacks indices (WRONG_INDICES). The Shuffle has ``stream`` ``"setup"`` if ``routine.is_setup``, otherwise
    ``"shuffle"``. Reports a sorted zone as SORTED_ZONE, but still returns the statement.
    """
    zone = _check_zone(routine, node.zone, "shuffled")
    if zone is None:
        return []
    routine.notes.used_names.add(zone.symbol.name)
    _report_sorted_zone(routine, zone, "shuffling has no effect")
    return [core.Shuffle(node.span, zone.symbol.name, tuple(zone.indices), "setup" if routine.is_setup else "shuffle")]


def _report_sorted_zone(routine: Routine, place: Reference, consequence: str) -> None:
    """Report a zone that keeps its cards sorted. ``consequence`` says why the statement makes no sense for it."""
    zone = place.symbol
    if isinstance(zone, ZoneSymbol) and zone.is_sorted:
        message = f"the zone `{zone.name}` is sorted: {consequence}"
        hint = "remove this, or remove `sorted` from the zone"
        routine.report_error(codes.SORTED_ZONE, message, place.span, hint, zone.notes)


def _check_zone(routine: Routine, node: ast.Expr, verb: str) -> Reference | None:
    """Check an expression that must be a zone with all its indices. Returns None after a report."""
    place = check_written_place(routine, node, verb)
    if place is None:
        return None
    symbol = place.symbol
    if not isinstance(symbol, ZoneSymbol):
        message = f"only a zone of components can be {verb}; `{symbol.shown_name}` is {prepend_article(symbol.kind)}"
        routine.report_misuse(symbol, codes.NOT_A_PLACE, message, node.span)
        return None
    if place.missing:
        read_place(routine, place)
        return None
    return place


def check_move_count(routine: Routine, node: ast.MoveCount) -> list[core.Stmt]:
    """Check a move of counters from pool to pool, or of all cards from zone to zone.

    Returns one MoveCount, or [] after reporting places that are no whole pools, or pools of different enums. Its
    ``amount`` is None if all counters of the kind move, its ``kind`` None if those of all kinds move. A constant kind
    that one of the pools never holds is reported (KIND_NOT_HELD). If no kind is written, so is a target that can't hold
    each kind of the source (INCOMPATIBLE_ZONES). After these two reports, the MoveCount is still returned.
    ``move all from ZONE`` gives one MoveCards to the bottom of the target. It gives [] after reporting a target that is
    no zone or holds other cards, and a source or target that lacks indices.
    """
    source = check_written_place(routine, node.source, "moved from")
    target = check_written_place(routine, node.target, "moved to")
    if source is None or target is None:
        return []
    if isinstance(source.symbol, ZoneSymbol) and node.amount is None and node.kind is None:
        return _make_card_move(routine, node, read_place(routine, source), target, "bottom")
    for place in (source, target):
        routine.notes.used_names.add(place.symbol.name)
        if not _check_whole_pool(routine, place, _suggest_card_move(node, source, target)):
            return []
    assert isinstance(source.symbol, PoolSymbol) and isinstance(target.symbol, PoolSymbol)
    amount = None if node.amount is None else check_expected(routine, node.amount, INT, "as an amount")
    kind = None if node.kind is None else check_expected(routine, node.kind, source.symbol.holds, "as what is moved")
    if source.symbol.holds != target.symbol.holds:
        _report_incompatible(routine, node, source, target, f"`{source.symbol.holds}`", f"`{target.symbol.holds}`")
        return []
    if kind is not None:
        check_pool_kind(routine, source.symbol, kind)
        check_pool_kind(routine, target.symbol, kind)
    elif not set(source.symbol.kinds) <= set(target.symbol.kinds):
        names = routine.names.list_value_names(source.symbol.holds)
        surplus_kind = names[next(i for i in source.symbol.kinds if i not in target.symbol.kinds)]
        _report_incompatible(routine, node, source, target, f"`{surplus_kind}` too", f"no `{surplus_kind}`")
    pool_args = (source.symbol.name, tuple(source.indices), target.symbol.name, tuple(target.indices))
    return [core.MoveCount(node.span, kind, amount, *pool_args)]


def _suggest_card_move(node: ast.MoveCount, source: Reference, target: Reference) -> str:
    """Return a hint that says how to move cards, for a zone that is used like a pool."""
    if isinstance(source.symbol, ZoneSymbol) and isinstance(target.symbol, ZoneSymbol):
        origin, goal = node.source.span.text, node.target.span.text
        cards = origin if node.amount is None else f"take({origin}, {node.amount.span.text})"
        return f"write `move {cards} to {goal}`"
    return "cards are moved by name: `move card to zone`"


def _check_whole_pool(routine: Routine, place: Reference, card_hint: str) -> bool:
    """Return whether a place is a whole pool. Reports anything else: another place, missing indices, or one count.

    ``card_hint`` says what to write if the place is a zone of cards.
    """
    symbol = place.symbol
    if place.is_pool:
        return True
    if not isinstance(symbol, PoolSymbol):
        hint = card_hint if isinstance(symbol, ZoneSymbol) else None
        message = f"counters move between pools; `{symbol.shown_name}` is {prepend_article(symbol.kind)}"
        routine.report_error(codes.NOT_A_PLACE, message, place.span, hint, symbol.notes)
    elif place.missing:
        missing_indices = ", ".join(f"`{index_type}`" for index_type in place.missing[:-1])
        message = f"the pool `{symbol.name}` needs the index {missing_indices}"
        routine.report_error(codes.WRONG_INDICES, message, place.span, notes=symbol.notes)
    else:
        message = "write the kind before `from`, and a whole pool after it"
        hint = f"write `move 1 kind from {symbol.name} to …`"
        routine.report_error(codes.WRONG_INDICES, message, place.span, hint, symbol.notes)
    return False


def _report_incompatible(
    routine: Routine, node: ast.Stmt, source: Reference, target: Reference, from_holds: str, to_holds: str
) -> None:
    message = f"`{source.symbol.name}` holds {from_holds}, `{target.symbol.name}` holds {to_holds}"
    notes = [(symbol.span, f"`{symbol.name}` declared here") for symbol in (source.symbol, target.symbol)]
    routine.report_error(codes.INCOMPATIBLE_ZONES, message, node.span, notes=notes)


def check_move_cards(routine: Routine, node: ast.MoveCards) -> list[core.Stmt]:
    """Check a move of a card, or of a list of cards, to the top or bottom of a zone, and return one MoveCards.

    Its ``position`` is ``bottom`` if none is written. A card that may be ``none``, such as a ``Card?`` variable, needs
    no test, and moves nothing if it is ``none``. Returns [] after reporting a literal ``none``, a pool, or a value that
    is no card of the zone's kind. The same holds for a target that is no zone or lacks indices. A fault inside the
    cards or the target, such as an unknown name, gives [] with its own report instead. Only a faulty index of the
    target, such as that of ``hand`` without ``me``, stays in the MoveCards. The top of a sorted zone is reported as
    well, and alone does not prevent the MoveCards.
    """
    operand = routine.check_operand(node.cards)
    if isinstance(operand, Reference) and operand.is_pool:
        routine.notes.used_names.add(operand.symbol.name)
        hint = f"write `move all from {operand.symbol.name} to …`"
        routine.report_error(codes.POOL_AS_VALUE, "this is a pool of counters", node.cards.span, hint)
        return []
    cards = read_place(routine, operand) if isinstance(operand, Reference) else operand
    target = _check_zone(routine, node.target, "moved to")
    if target is None:
        return []
    if node.position == "top":
        _report_sorted_zone(routine, target, "you can't put a card on top of it")
    return _make_card_move(routine, node, cards, target, node.position)


def _make_card_move(
    routine: Routine, node: ast.Stmt, cards: core.Expr, target: Reference, position: str
) -> list[core.Stmt]:
    """Return one MoveCards, or [] after reporting a target that is no zone or lacks indices, or cards of another kind.

    Faulty cards give [] without a report.
    """
    zone = target.symbol
    routine.notes.used_names.add(zone.name)
    kind = strip_optional(cards.type.item if isinstance(cards.type, ListType) else cards.type)
    if not isinstance(zone, ZoneSymbol):
        message = f"`{zone.shown_name}` is {prepend_article(zone.kind)}, not a zone"
        routine.report_error(codes.NOT_A_PLACE, message, target.span)
        return []
    if target.missing:
        read_place(routine, target)
        return []
    if is_faulty(cards):
        return []
    if not isinstance(kind, ComponentType):
        hint = "write a number: `move 1 kind from pool to pool`" if isinstance(kind, EnumType) else None
        message = f"only components move to a zone, but this is {prepend_article(f'`{cards.type}`')}"
        routine.report_error(codes.WRONG_TYPE, message, cards.span, hint)
        return []
    if kind != zone.holds:
        message = f"`{zone.name}` holds `{zone.holds}`, but this is {prepend_article(f'`{kind}`')}"
        routine.report_error(codes.INCOMPATIBLE_ZONES, message, cards.span, notes=zone.notes)
        return []
    return [core.MoveCards(node.span, cards, zone.name, tuple(target.indices), position)]


def check_lies_in(routine: Routine, node: ast.LiesIn, expected: Type | None) -> core.Expr:
    """Check ``card in any zone``: a test of whether a card is in a zone of that name, with any indices.

    Returns a Bool: a ``LiesIn``, inside a ``Unary`` of ``not`` for ``not in any``. A card that may be ``none`` is
    accepted if it is read from a declared variable, a table or a card field. Any other card that may be ``none``, and a
    value that is no card of the zone's kind, are reported and become faulty in the test. Returns a faulty expression
    after reporting an unknown zone. A zone with a faulty declaration was reported before, and gives a faulty
    expression, too.
    """
    card = check_expression(routine, node.card)
    if isinstance(card.type, OptionalType):
        card = convert_to(routine, card, card.type.item, "before `in any`")
    zone = routine.names.symbols.get(node.zone)
    if isinstance(zone, BrokenSymbol):
        return make_faulty(node.span)
    if not isinstance(zone, ZoneSymbol):
        zones, hint = routine.names.list_named(ZoneSymbol), "after `in any`, write the name of a zone"
        report_unknown(routine.report, "zone", node.zone, node.zone_span, zones, hint)
        return make_faulty(node.zone_span)
    routine.record_use(zone, node.zone_span)
    card = convert_to(routine, card, zone.holds, f"to lie in `{zone.name}`")
    test = core.LiesIn(BOOL, node.span, card, zone.name)
    return core.Unary(BOOL, node.span, "not", test) if node.is_negated else test
