"""What constructs keep for themselves: variables that no author names. Used by who checks them and by passes."""

from __future__ import annotations

from ..language.types import Type
from ..text.source import Span
from .declarations import Dim, Variable, Visibility
from .expressions import Const
from .origin import Origin

CANCELLED = "Cancelled"
"""Of a window: whether an answer said `cancel`."""
BEGUN, ENDS = "Begun", "Ends"
"""Of a duration: whether anything was changed, and the effect that ends it."""
ENTERING = "Entering"
"""Of a zone: the cards that come to lie in it, while it is asked whether something else happens."""
HOLDS = "Holds"
"""Of a span: the query for its condition."""


def kept_name(owner: str, what: str) -> str:
    """The name of something that a construct keeps for itself: authors' names have no capitals."""
    return f"{owner}_{what}"


def kept_variable(
    name: str, type: Type, start: object, span: Span, origin: Origin, dims: tuple[Dim, ...] = (), seen: str = "all"
) -> Variable:
    """A variable that no author names."""
    visible = Visibility(seen, None)
    return Variable(name, dims, type, Const(type, span, start), len(dims), visible, "", "", origin)
