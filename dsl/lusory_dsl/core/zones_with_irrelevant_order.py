"""Find the zones in which the order of the cards makes no difference to the rules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .. import core
from .program_reads_and_value_bounds import iterate_routines
from .visitors import get_children


@lru_cache(maxsize=4)
def find_unordered_zones(program: core.Program) -> frozenset[str]:
    """Return the names of the zones that the rules only count, filter and offer to choose from; also of those they
    never read.

    A zone whose cards the rules take in order, name by place or pass on as a list is left out. The order in which a
    player picks several cards counts as a choice, not as an order of the zone.
    """
    ordered: set[str] = set()
    routines: list[object] = [
        *iterate_routines(program.phases, program.effects, program.queries),
        (program.setup.body,),
    ]
    scoring = program.scoring
    routines.append((scoring.rank, scoring.payoff, tuple(shown for _, shown in scoring.shown)))
    places: list[core.Variable | core.Pool | core.CardZone] = [
        *program.variables.values(),
        *program.pools.values(),
        *program.zones.values(),
    ]
    conditions = [v.condition for place in places for v in _list_visibilities(place)]
    routines.append(tuple(condition for condition in conditions if condition is not None))
    stack = [(node, False) for node in _flatten(tuple(routines))]
    while stack:
        node, is_order_free = stack.pop()
        if isinstance(node, core.ReadZone) and not is_order_free:
            ordered.add(node.zone)
        # A filter passes the order on to what is around it.
        passes_on = is_order_free and isinstance(node, core.Filter)
        stack += [(child, passes_on or _ignores_order(node, child)) for child in get_children(node)]
    return frozenset(program.zones.keys() - ordered)


def _list_visibilities(place: core.Variable | core.Pool | core.CardZone) -> Iterator[core.Visibility]:
    """Yield the conditions on who sees a place, and the moves of a pool."""
    if isinstance(place, core.CardZone):
        yield from place.visibilities
    else:
        yield place.visible
        yield from (place.moves,) if isinstance(place, core.Pool) else ()


def _flatten(part: object) -> list[object]:
    """Return the nodes in nested tuples, without None."""
    if isinstance(part, tuple):
        return [node for item in part for node in _flatten(item)]
    return [] if part is None else [part]


def _ignores_order(node: object, child: object) -> bool:
    """Return whether the value of a node doesn't depend on the order of a list in it."""
    match node:
        case core.ChoiceVar(domain=domain) | core.AskMany(source=domain):
            return child is domain
        case core.Fold(source=source):
            return child is source
        case core.CallBuiltin(name="count"):
            return True
        case core.Binary(op="in" | "not in", right=right):
            return child is right
    return False
