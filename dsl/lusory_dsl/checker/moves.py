"""Check statements that move or shuffle components and counters, and tests of a card's zone."""

from __future__ import annotations

from .. import core
from ..source import diagnostic_codes
from ..source.diagnostics import about_name, did_you_mean
from ..source.source import article
from ..syntax import ast
from ..types.types import BOOL, INT, ComponentType, EnumType, ListType, OptionalType, Type
from .assignable_places import check_held, read, written_place
from .coercions import expect, expression, fit
from .context import Routine, faulty, is_faulty
from .symbols import BrokenSymbol, PoolSymbol, Reference, ZoneSymbol


def shuffle(r: Routine, node: ast.Shuffle) -> list[core.Stmt]:
    """Check ``shuffle``. Reports a sorted zone."""
    zone = _zone(r, node.zone, "shuffled")
    if zone is None:
        return []
    r.notes.used.add(zone.symbol.name)
    if _is_sorted(zone):
        _lies_sorted(r, zone, "a shuffle does nothing to it")
    return [core.Shuffle(node.span, zone.symbol.name, tuple(zone.indices), "setup" if r.setup else "shuffle")]


def _is_sorted(place: Reference) -> bool:
    return isinstance(place.symbol, ZoneSymbol) and place.symbol.is_sorted


def _lies_sorted(r: Routine, place: Reference, what: str) -> None:
    zone = place.symbol
    message, hint = f"`{zone.name}` is sorted: {what}", "leave it out, or leave out `sorted` of the zone"
    r.error(diagnostic_codes.SORTED_ZONE, message, place.span, hint, [(zone.span, "declared here")])


def _zone(r: Routine, node: ast.Expr, verb: str) -> Reference | None:
    """Check an expression that must be a zone with all its indices. Returns None after a report."""
    place = written_place(r, node, verb)
    if place is None:
        return None
    symbol = place.symbol
    if not isinstance(symbol, ZoneSymbol):
        r.notes.used.add(symbol.name)
        r.error(
            diagnostic_codes.NOT_A_PLACE,
            f"only a zone of components can be {verb}; `{symbol.name}` is {article(symbol.what)}",
            node.span,
            notes=[(symbol.span, "declared here")],
        )
        return None
    if place.missing:
        read(r, place)
        return None
    return place


def move_count(r: Routine, node: ast.MoveCount) -> list[core.Stmt]:
    """Check a move of counters from pool to pool, or of all cards from zone to zone."""
    source, target = written_place(r, node.source, "moved from"), written_place(r, node.target, "moved to")
    if source is None or target is None:
        return []
    if isinstance(source.symbol, ZoneSymbol) and node.amount is None and node.kind is None:
        return _move(r, node, read(r, source), target, "bottom")
    for place in (source, target):
        r.notes.used.add(place.symbol.name)
        if not _is_whole_pool(r, place):
            return []
    assert isinstance(source.symbol, PoolSymbol) and isinstance(target.symbol, PoolSymbol)
    amount = None if node.amount is None else expect(r, node.amount, INT, "as an amount")
    kind = None if node.kind is None else expect(r, node.kind, source.symbol.holds, "as what is moved")
    if source.symbol.holds != target.symbol.holds:
        _incompatible(r, node, source, target, f"`{source.symbol.holds}`", f"`{target.symbol.holds}`")
        return []
    if kind is not None:
        check_held(r, source.symbol, kind)
        check_held(r, target.symbol, kind)
    elif not set(source.symbol.kinds) <= set(target.symbol.kinds):
        names = r.names.value_names(source.symbol.holds)
        extra = names[next(k for k in source.symbol.kinds if k not in target.symbol.kinds)]
        _incompatible(r, node, source, target, f"`{extra}` too", f"no `{extra}`")
    where = (source.symbol.name, tuple(source.indices), target.symbol.name, tuple(target.indices))
    return [core.MoveCount(node.span, kind, amount, *where)]


def _is_whole_pool(r: Routine, place: Reference) -> bool:
    symbol = place.symbol
    if place.is_pool:
        return True
    if not isinstance(symbol, PoolSymbol):
        hint = "components are moved as values: `move card to zone`" if isinstance(symbol, ZoneSymbol) else None
        message = f"counters move between pools; `{symbol.name}` is {article(symbol.what)}"
        r.error(diagnostic_codes.NOT_A_PLACE, message, place.span, hint, [(symbol.span, "declared here")])
    elif place.missing:
        missing = ", ".join(f"`{t}`" for t in place.missing[:-1])
        message = f"the pool `{symbol.name}` needs the index {missing}"
        r.error(diagnostic_codes.WRONG_INDICES, message, place.span, notes=[(symbol.span, "declared here")])
    else:
        message = "a move names the kind before `from`, and whole pools"
        hint = f"write `move 1 kind from {symbol.name} to …`"
        r.error(diagnostic_codes.WRONG_INDICES, message, place.span, hint, [(symbol.span, "declared here")])
    return False


def _incompatible(
    r: Routine, node: ast.Stmt, source: Reference, target: Reference, from_holds: str, to_holds: str
) -> None:
    a, b = source.symbol, target.symbol
    r.error(
        diagnostic_codes.INCOMPATIBLE_ZONES,
        f"`{a.name}` holds {from_holds}, `{b.name}` holds {to_holds}",
        node.span,
        notes=[(a.span, f"`{a.name}` declared here"), (b.span, f"`{b.name}` declared here")],
    )


def move_cards(r: Routine, node: ast.MoveCards) -> list[core.Stmt]:
    """Check a move of cards to the top or bottom of a zone."""
    found = r.operand(node.cards)
    if isinstance(found, Reference) and found.is_pool:
        r.notes.used.add(found.symbol.name)
        hint = f"write `move all from {found.symbol.name} to …`"
        r.error(diagnostic_codes.POOL_AS_VALUE, "this is a pool of counters", node.cards.span, hint)
        return []
    cards = read(r, found) if isinstance(found, Reference) else found
    target = _zone(r, node.target, "moved to")
    if target is None:
        return []
    if node.position == "top" and _is_sorted(target):
        _lies_sorted(r, target, "no card is put on top of it")
    return _move(r, node, cards, target, node.position)


def _move(r: Routine, node: ast.Stmt, cards: core.Expr, target: Reference, position: str) -> list[core.Stmt]:
    zone = target.symbol
    r.notes.used.add(zone.name)
    kind = cards.type
    if isinstance(kind, ListType | OptionalType):
        kind = kind.item
    if isinstance(kind, OptionalType):
        kind = kind.item
    if not isinstance(zone, ZoneSymbol):
        r.error(diagnostic_codes.NOT_A_PLACE, f"`{zone.name}` is {article(zone.what)}, not a zone", target.span)
        return []
    if is_faulty(cards):
        return []
    if not isinstance(kind, ComponentType):
        hint = "counters are moved by number: `move 1 kind from pool to pool`" if isinstance(kind, EnumType) else None
        message = f"only components move to a zone, this is {article(f'`{cards.type}`')}"
        r.error(diagnostic_codes.WRONG_TYPE, message, cards.span, hint)
        return []
    if kind != zone.holds:
        r.error(
            diagnostic_codes.INCOMPATIBLE_ZONES,
            f"`{zone.name}` holds `{zone.holds}`, this is {article(f'`{kind}`')}",
            cards.span,
            notes=[(zone.span, "declared here")],
        )
        return []
    return [core.MoveCards(node.span, cards, zone.name, tuple(target.indices), position)]


def lies_in(r: Routine, node: ast.LiesIn, expected: Type | None) -> core.Expr:
    """Check ``card in any zone``: a test of whether a card is in a zone of that name, with any indices."""
    card = expression(r, node.card)
    if isinstance(card.type, OptionalType):
        card = fit(r, card, card.type.item, "before `in any`")
    zone = r.names.symbols.get(node.zone)
    if isinstance(zone, BrokenSymbol):
        return faulty(node.span)
    if not isinstance(zone, ZoneSymbol):
        hint = did_you_mean(node.zone, r.names.named(ZoneSymbol)) or "behind `in any` stands the name of a zone"
        message = f"there is no zone `{node.zone}`"
        return r.error(diagnostic_codes.UNKNOWN_NAME, message, node.zone_span, hint, about=about_name(node.zone))
    r.use(zone, node.zone_span)
    card = fit(r, card, zone.holds, f"to lie in `{zone.name}`")
    if is_faulty(card):
        return card
    found = core.LiesIn(BOOL, node.span, card, zone.name)
    return core.Unary(BOOL, node.span, "not", found) if node.negated else found
