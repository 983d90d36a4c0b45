"""Name the internal parts of constructs, and make the hidden variables that these need."""

from __future__ import annotations

from ..source.source import Span
from ..types.types import Type
from .declarations import Dim, Variable, Visibility
from .expressions import Const
from .generated_part_origins import Origin

CANCELLED_SUFFIX = "Cancelled"
"""Suffix of a window's variable: True if an answer said `cancel`."""
BEGUN_SUFFIX, ENDS_SUFFIX = "Begun", "Ends"
"""Suffixes for a duration: the variable that says whether anything changed, and the effect that ends it."""
ENTERING_SUFFIX = "Entering"
"""Suffix of a zone's variable: the cards that are entering the zone while replacement rules are being tested."""
HOLDS_SUFFIX = "Holds"
"""Suffix of the query that evaluates the condition of a span."""


def make_internal_name(owner: str, suffix: str) -> str:
    """Return ``OWNER_SUFFIX``: the name of something internal to a construct, such as ``attack_Cancelled``.

    The suffix must contain a capital. Then the name can't clash, because authors' names have none.
    """
    return f"{owner}_{suffix}"


def make_hidden_variable(
    name: str,
    type: Type,
    start: object,
    span: Span,
    origin: Origin,
    dims: tuple[Dim, ...] = (),
    visibility: str = "all",
) -> Variable:
    """Return a hidden variable that no author can name, whose label and doc are empty.

    ``start`` is the start value of each cell, as a plain run-time value. ``visibility`` is ``all``, ``owner`` or
    ``nobody``.
    """
    visible = Visibility(visibility, None)
    return Variable(name, dims, visible, "", "", len(dims), type, Const(type, span, start), origin)
