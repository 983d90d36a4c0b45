"""Who won, as a function of the generated module. Used by the emitter of stepwise play."""

from __future__ import annotations

from collections.abc import Iterable

from lusory_dsl.core import Expr

from ..lower.lowered import LoweredGame
from ..lower.shapes import named_once, shape
from ..python.writing import literal
from .lists import MASK_LIMIT, Masked
from .statements import StatementEmitter, Writer


def write_outcome(emitter: StatementEmitter, out: Writer, game: LoweredGame, reason: int) -> None:
    """The body of ``outcome(c, z)``, which returns the fields of an :class:`lusory.table.outcome.Outcome`. ``reason``:
    the cell of the end reason; a chart is left to the game. Every value is found once; places come from
    comparing every two seats, winners from a table."""
    seats = range(len(game.rank))
    emitter.limit_scoring()
    known: dict[object, str] = {}

    def value(e: Expr) -> str:
        key = shape(e)
        if key not in known:
            known[key] = f"v{len(known)}"
            out.span = e.span
            out.line(f"{known[key]} = {emitter.code(named_once(e, emitter.lowerer.fresh))}")
        return known[key]

    columns = [[value(e) for e in column] for column in zip(*game.rank, strict=True)]
    for seat, rank in enumerate(zip(*columns, strict=True)):
        out.line(f"r{seat} = {_tuple(rank)}")
    first = "1"
    if game.selective:
        out.line(f"first = 1 if {' or '.join(f'r{seat}[0]' for seat in seats)} else 2")
        first = "first"
    for seat in seats:
        better = [f"(r{other} > r{seat})" for other in seats if other != seat]
        out.line(f"p{seat} = {' + '.join([first, *better])}")
    places = _tuple(f"p{seat}" for seat in seats)
    if len(seats) <= MASK_LIMIT:
        winners = emitter.by_mask(Masked(tuple(seats), tuple(f"(p{seat} == 1)" for seat in seats)))
    else:
        winners = f"tuple([seat for seat, place in enumerate({places}) if place == 1])"
    payoffs = f"shares({places})" if game.payoff is None else _tuple(map(value, game.payoff))
    shown = [f"({literal(title)}, {_tuple(map(value, values))})" for title, values in game.shown]
    ranks = _tuple(f"r{seat}" for seat in seats)
    out.line(f"return c[{reason}], {ranks}, {winners}, {places}, {payoffs}, {_tuple(shown)}, None, ()")


def _tuple(texts: Iterable[str]) -> str:
    parts = list(texts)
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
