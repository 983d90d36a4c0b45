"""How large a game may be: components, places, entries of data. A part of the checker.

A state holds a value for each place and is copied at each decision, so that what a ruleset can ask for in a line must
be bounded before anything of that size is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from .. import core
from ..language.types import PlayerType
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.source import Span

MOST_COMPONENTS = 20_000
"""So many components may there be in all, each copy counted."""
MOST_CELLS = 200_000
"""So many values may a state hold."""
MOST_OFFERED = 500_000
"""So many characters may actions have together, counted wherever they are offered: each is checked there."""
LEAST_OFFERED = 100
"""What the shortest action counts."""


def are_few(cards: Iterable[model.CardDecl], diagnostics: Diagnostics) -> bool:
    """Whether there are not too many components; else a report on the first card that is too much."""
    total = 0
    for card in cards:
        total += card.copies
        if total > MOST_COMPONENTS:
            message = f"with this card there are more than {MOST_COMPONENTS:,} components"
            diagnostics.add(codes.TOO_MANY, message, card.id.span, "make fewer copies, or counters of them")
            return False
    return True


def report_cells(
    places: Iterable[tuple[core.Variable | core.Pool | core.CardZone, Span]], players: int, diagnostics: Diagnostics
) -> None:
    """One report on the first place that is too much. ``players``: how many can play."""
    total = 0
    for place, span in places:
        sizes = [players if isinstance(dim.type, PlayerType) else dim.size or 0 for dim in place.dims]
        total += prod(sizes) * (len(place.start) if isinstance(place, core.Pool) else 1)
        if total > MOST_CELLS:
            message = f"with `{place.name}` there are more than {MOST_CELLS:,} values on the table"
            diagnostics.add(codes.TOO_MANY, message, span, "give it fewer or smaller dimensions")
            return
