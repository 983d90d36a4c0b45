"""A lint: a part of the rank that is the same for every player, so that it decides nothing.

Most often a zone, pool or variable that each player should have of their own was declared without `per: [Player]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import core
from ..checker.stages import Checked
from ..core.accesses import read_by
from ..language.types import PlayerType
from ..text import codes
from ..text.diagnostics import Diagnostics

MOST_CALLS = 10
"""How many queries deep the parts of a sum are looked for."""


def same_rank(checked: Checked, report: Diagnostics) -> None:
    """Warns of each part of a rank that reads the table and does not depend on whose rank it is."""
    program = checked.program
    if program.max_players < 2 or program.scoring.selective:
        return
    for rank in program.scoring.rank:
        for term, me in _terms(rank, 0, program.queries, MOST_CALLS):
            places = read_by(term, program.queries, program.zones)
            shared = [name for name in sorted(places) if not _has_player(program.place(name))]
            if not shared or me in core.locals_in(term):
                continue
            place = program.place(shared[0])
            message = "this part of the rank is the same for every player"
            hint = f"declare `{place.name}` with `per: [Player]` if each player has their own, or leave this out"
            notes = [(checked.declared_at(place), f"`{place.name}` belongs to no player")]
            report.add(codes.SAME_RANK, message, term.span, hint, notes)


def _terms(expr: core.Expr, me: int, queries: dict[str, core.Query], calls: int) -> Iterator[tuple[core.Expr, int]]:
    """What a sum is made of, through the queries of the player, each with the slot of the player there."""
    match expr:
        case core.Binary(op="+" | "-", left=left, right=right):
            yield from _terms(left, me, queries, calls)
            yield from _terms(right, me, queries, calls)
        case core.CallQuery(query=name, args=(core.Local(slot=slot),)) if slot == me and calls:
            query = queries[name]
            if query.per_player and not query.modifiers:
                yield from _terms(query.value, query.params[0].slot, queries, calls - 1)
        case _:
            yield expr, me


def _has_player(place: core.Variable | core.Pool | core.CardZone) -> bool:
    return any(isinstance(dim.type, PlayerType) for dim in place.dims)
