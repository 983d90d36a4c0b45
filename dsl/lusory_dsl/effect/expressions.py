"""Surface syntax of expressions: what has a value, as it is written. Everybody reads it through :mod:`nodes`."""

from __future__ import annotations

from ..text.records import dataclass
from ..text.source import Span


@dataclass(frozen=True, eq=False)
class Node:
    span: Span


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, eq=False)
class Expr(Node):
    pass


@dataclass(frozen=True, eq=False)
class IntLit(Expr):
    value: int


@dataclass(frozen=True, eq=False)
class BoolLit(Expr):
    value: bool


@dataclass(frozen=True, eq=False)
class NoneLit(Expr):
    """``none``"""


@dataclass(frozen=True, eq=False)
class TextLit(Expr):
    """``"…{expr}…"``: parts are literal strings and expressions."""

    parts: tuple[str | Expr, ...]


@dataclass(frozen=True, eq=False)
class ListLit(Expr):
    """``[a, b]``"""

    items: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Name(Expr):
    """A bare name, also ``me``, ``it`` and ``players``."""

    name: str


@dataclass(frozen=True, eq=False)
class Member(Expr):
    """``subject.name``"""

    subject: Expr
    name: str
    name_span: Span


@dataclass(frozen=True, eq=False)
class Index(Expr):
    """``subject[a, b]``"""

    subject: Expr
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Argument(Node):
    """A positional (``name`` None) or named argument ``name: value``."""

    name: str | None
    value: Expr


@dataclass(frozen=True, eq=False)
class Call(Expr):
    """``callee(args)``; callee is a Name or a Member (``p.points()`` is the same as ``p.points``)."""

    callee: Expr
    args: tuple[Argument, ...]


@dataclass(frozen=True, eq=False)
class Each(Node):
    """``name in source [where condition]`` of a comprehension"""

    name: str
    name_span: Span
    source: Expr
    condition: Expr | None


@dataclass(frozen=True, eq=False)
class Comprehension(Expr):
    """``function(body for name in source [where condition], …)``; function: sum max min any all count list. ``more``:
    the lists behind the first."""

    function: str
    function_span: Span
    body: Expr
    name: str
    name_span: Span
    source: Expr
    condition: Expr | None
    more: tuple[Each, ...] = ()


@dataclass(frozen=True, eq=False)
class Reach(Expr):
    """``function(body for name from source [within bound])``; function: reach steps."""

    function: str
    function_span: Span
    body: Expr
    name: str
    name_span: Span
    source: Expr
    bound: Expr | None


@dataclass(frozen=True, eq=False)
class Unary(Expr):
    """``not x`` or ``-x``"""

    op: str
    operand: Expr


@dataclass(frozen=True, eq=False)
class Binary(Expr):
    """``op``: ``or and = != < <= > >= in "not in" + - * div mod union except intersect ..``. ``is`` parses as ``=``,
    ``is not`` as ``!=``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False)
class IsEmpty(Expr):
    """``x is empty`` / ``x is not empty``: lists, zones and pools."""

    subject: Expr
    negated: bool


@dataclass(frozen=True, eq=False)
class LiesIn(Expr):
    """``card in any zone`` / ``card not in any zone``: in a zone of that name, whatever its indices"""

    card: Expr
    zone: str
    zone_span: Span
    negated: bool


@dataclass(frozen=True, eq=False)
class HasAction(Expr):
    """``card has action`` (it is written on the card) / ``card can action`` (``me`` could use it now)"""

    card: Expr
    action: str
    action_span: Span
    now: bool


@dataclass(frozen=True, eq=False)
class IfExpr(Expr):
    """``if c then a else b``"""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, eq=False)
class LetExpr(Expr):
    """``let name = value; body``, at the head of an expression or in parentheses"""

    name: str
    name_span: Span
    value: Expr
    body: Expr


@dataclass(frozen=True, eq=False)
class Where(Expr):
    """``source [as item] where condition`` with the item, or ``it``, in the condition. So of the three below."""

    source: Expr
    condition: Expr
    item: Item | None = None


@dataclass(frozen=True, eq=False)
class AsLong(Expr):
    """``source [as item] while condition``: the items up to the first for which it does not hold"""

    source: Expr
    condition: Expr
    item: Item | None = None


@dataclass(frozen=True, eq=False)
class WithKey(Expr):
    """``source [as item] with most key``, ``with least key``, ``with distinct key``"""

    source: Expr
    kind: str
    key: Expr
    item: Item | None = None


@dataclass(frozen=True, eq=False)
class Sorted(Expr):
    """``source [as item] sorted by key``"""

    source: Expr
    key: Expr
    item: Item | None = None


@dataclass(frozen=True, eq=False)
class Item(Node):
    """``as name``: what an item of a selection is called"""

    name: str


@dataclass(frozen=True, eq=False)
class IsCopy(Expr):
    """``card is any name`` / ``card is not any name``: whether it is a copy of a card"""

    card: Expr
    name: str
    name_span: Span
    negated: bool
