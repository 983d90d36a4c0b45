"""AST node classes."""

from __future__ import annotations

from collections.abc import Iterator

from ..source.dataclasses import dataclass
from ..source.source import Span


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


# ---------------------------------------------------------------- statements

Block = tuple["Stmt", ...]


@dataclass(frozen=True, eq=False)
class Stmt(Node):
    pass


@dataclass(frozen=True, eq=False)
class Let(Stmt):
    """``let name = value``"""

    name: str
    name_span: Span
    value: Expr


@dataclass(frozen=True, eq=False)
class SetTo(Stmt):
    """``set place to value`` / ``increase place by value`` / ``decrease place by value`` (op set | add | sub); with
    ``until`` a query is changed."""

    op: str
    place: Expr
    value: Expr
    until: Until | None = None


@dataclass(frozen=True, eq=False)
class AddTo(Stmt):
    """``add value to place``: one more, or all of a list"""

    value: Expr
    place: Expr


@dataclass(frozen=True, eq=False)
class RemoveFrom(Stmt):
    """``remove value from place``: the first one, if it is there"""

    value: Expr
    place: Expr


@dataclass(frozen=True, eq=False)
class Until(Node):
    """``[in layer name] until duration ends``"""

    duration: Expr
    layer: str | None
    layer_span: Span | None


@dataclass(frozen=True, eq=False)
class EndDuration(Stmt):
    """``end duration`` or ``end p.duration``"""

    duration: Expr


@dataclass(frozen=True, eq=False)
class MoveCount(Stmt):
    """``move amount kind from pool to pool``; amount None = ``all``; kind None: ``move all from a to b``."""

    amount: Expr | None
    kind: Expr | None
    source: Expr
    target: Expr


@dataclass(frozen=True, eq=False)
class MoveCards(Stmt):
    """``move cards to [top of | bottom of] zone`` (bottom when not said)"""

    cards: Expr
    target: Expr
    position: str


@dataclass(frozen=True, eq=False)
class Shuffle(Stmt):
    """``shuffle zone``"""

    zone: Expr


@dataclass(frozen=True, eq=False)
class If(Stmt):
    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block


@dataclass(frozen=True, eq=False)
class ForEach(Stmt):
    """``for each name in source [where condition]: block``"""

    name: str
    name_span: Span
    source: Expr
    condition: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class EachPlayer(Stmt):
    """``each player [at once] [from e] [clockwise|anticlockwise] [in e] [where c]: block``: ``me`` is that player."""

    start: Expr | None
    direction: str  # clockwise | anticlockwise
    source: Expr | None
    condition: Expr | None
    body: Block
    at_once: bool = False


@dataclass(frozen=True, eq=False)
class By(Stmt):
    """``by player: block``: ``me`` is that player inside."""

    player: Expr
    body: Block


@dataclass(frozen=True, eq=False)
class Privately(Stmt):
    """``privately: block``: what is chosen in it is in nobody else's log."""

    body: Block


@dataclass(frozen=True, eq=False)
class Repeat(Stmt):
    """``repeat n times: block`` or ``repeat while|until c, at most n times: block``"""

    times: Expr | None
    condition: Expr | None
    until: bool
    bound: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class Stop(Stmt):
    """``stop``: leaves the innermost loop"""


@dataclass(frozen=True, eq=False)
class ChoiceVar(Node):
    """``[secret | unseen] name in domain [where condition]``"""

    name: str
    name_span: Span
    domain: Expr
    condition: Expr | None
    secret: bool
    unseen: bool = False


@dataclass(frozen=True, eq=False)
class Choose(Stmt):
    """``choose v, w [by p] [prompt "…"] [label "…"][: block [else: block]]``.

    ``body`` None: no block, the names live on in the rest of the enclosing block."""

    vars: tuple[ChoiceVar, ...]
    by: Expr | None
    prompt: TextLit | None
    label: TextLit | None
    body: Block | None
    otherwise: Block


@dataclass(frozen=True, eq=False)
class ChooseSome(Stmt):
    """``choose up to n | n | a..b | any v [by p] [prompt "…"] [label "…"][: block [else: block]]`` (low None: 0, high
    None: all); ``order v …`` has ordered = True. ``body`` None: the name lives on in the rest of the block."""

    low: Expr | None
    high: Expr | None
    ordered: bool
    var: ChoiceVar
    by: Expr | None
    prompt: TextLit | None
    label: TextLit | None
    body: Block | None = None
    otherwise: Block = ()


@dataclass(frozen=True, eq=False)
class Split(Stmt):
    """``split amount as name over item in source [where c], at most n [by p] [prompt "…"] [label "…"]: block``"""

    amount: Expr
    name: str
    name_span: Span
    item: str
    item_span: Span
    source: Expr
    condition: Expr | None
    most: Expr
    by: Expr | None
    prompt: TextLit | None
    label: TextLit | None
    body: Block


@dataclass(frozen=True, eq=False)
class OptionClause(Node):
    """``option name ["label"] [with v, w] [if condition]: block`` of a ``choose [by p] [prompt "…"]:`` block"""

    name: str
    name_span: Span
    label: TextLit | None
    vars: tuple[ChoiceVar, ...]
    condition: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class ChooseOption(Stmt):
    by: Expr | None
    prompt: TextLit | None
    options: tuple[OptionClause, ...]


@dataclass(frozen=True, eq=False)
class May(Stmt):
    """``may "question" [by p]: block [else: block]``: options yes and no"""

    prompt: TextLit
    by: Expr | None
    body: Block
    otherwise: Block


@dataclass(frozen=True, eq=False)
class Offer(Node):
    """``action`` or ``action of cards``: what a ``take action`` offers"""

    name: str
    name_span: Span
    cards: Expr | None


@dataclass(frozen=True, eq=False)
class TakeAction(Stmt):
    """``take action a, b of cards [by p] [prompt "…"]``, ``take action from menu``: one of those that are legal now"""

    offers: tuple[Offer, ...]
    by: Expr | None
    prompt: TextLit | None
    menu: Name | None = None


@dataclass(frozen=True, eq=False)
class UseAction(Stmt):
    """``use action of card [by p] [prompt "…"]``: an action of one card, as far as it is legal now"""

    action: str
    action_span: Span
    card: Expr
    by: Expr | None
    prompt: TextLit | None


@dataclass(frozen=True, eq=False)
class Random(Stmt):
    """``roll name in e [: block]`` (stream dice) or ``pick [secret] name in e [where c] at random
    [: block [else: block]]`` (picks)"""

    stream: str
    var: ChoiceVar
    body: Block | None
    otherwise: Block


@dataclass(frozen=True, eq=False)
class Do(Stmt):
    """An effect called as a statement: ``name(args)`` or ``p.name(args)``"""

    call: Call


@dataclass(frozen=True, eq=False)
class Announce(Stmt):
    """``announce "text" [to players]``"""

    text: TextLit
    to: Expr | None


@dataclass(frozen=True, eq=False)
class EndGame(Stmt):
    """``end game [by chart] [for players] [because "reason"]``"""

    reason: TextLit | None
    chart: Name | None = None
    players: Expr | None = None


@dataclass(frozen=True, eq=False)
class Open(Stmt):
    """``open window(args) [: block [else: block]]``; ``body`` None: no block."""

    call: Call
    body: Block | None
    otherwise: Block


@dataclass(frozen=True, eq=False)
class Cancel(Stmt):
    """``cancel``: what opened the window does not happen"""


@dataclass(frozen=True, eq=False)
class Begin(Stmt):
    """``begin name`` or ``begin p.name``: a span starts now"""

    place: Expr


# ---------------------------------------------------------------- rules


@dataclass(frozen=True, eq=False)
class Binding(Node):
    """``parameter: name`` of an event pattern; a bare ``name`` binds the parameter of the same name."""

    parameter: str
    name: str


@dataclass(frozen=True, eq=False)
class EventRule(Node):
    """``when effect(bindings) [if c]: block`` or ``instead of effect(bindings) [if c]: block``; the effect of a kind
    of card is written ``Kind.effect``."""

    kind: str  # when | instead
    event: str
    event_span: Span
    bindings: tuple[Binding, ...]
    condition: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class WhileRule(Node):
    """``while c: query(bindings) is value [in layer name]`` with ``it`` = the value so far"""

    condition: Expr
    query: str
    query_span: Span
    bindings: tuple[Binding, ...]
    value: Expr
    layer: str | None
    layer_span: Span | None


@dataclass(frozen=True, eq=False)
class Gain(Node):
    """What a card gets, in one of five ways: ``name`` (the query holds), ``+1 name``, ``-1 name`` (of a number),
    ``name(a, b)`` (items besides its own), ``name is value`` with ``it`` = the value so far, ``keywords of value``"""

    how: str  # "", "+", "-", "()", "is" or "keywords"
    name: str
    name_span: Span
    value: Expr | None


@dataclass(frozen=True, eq=False)
class Recipient(Node):
    """``name where condition``: the cards that get something"""

    name: str
    name_span: Span
    condition: Expr


@dataclass(frozen=True, eq=False)
class GainRule(Node):
    """``while c: name gets gain, gain [in layer name]``: several changes of one card in its own words"""

    condition: Expr
    name: str
    name_span: Span
    gains: tuple[Gain, ...]
    layer: str | None
    layer_span: Span | None


@dataclass(frozen=True, eq=False)
class WheneverRule(Node):
    """``whenever c: block``: a state check"""

    condition: Expr
    body: Block


Rule = EventRule | WhileRule | GainRule | WheneverRule


def children(node: Node) -> Iterator[Node]:
    """The nodes directly inside a node, in source order of the fields."""
    for name in node.__match_args__:
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from _nodes(value)


def _nodes(values: tuple[object, ...]) -> Iterator[Node]:
    for value in values:
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from _nodes(value)


def walk(node: Node) -> Iterator[Node]:
    """A node and everything below it, depth first."""
    yield node
    for child in children(node):
        yield from walk(child)


@dataclass(frozen=True, eq=False)
class ZoneName(Node):
    """``hand`` or ``any hand``, in the pattern of a rule: the zone of whoever it is"""

    name: str
    any: bool


@dataclass(frozen=True, eq=False)
class ZoneRule(Node):
    """``when card enters zone [from zone] [if c]: block``, ``when card leaves zone [to zone] [if c]: block`` or
    ``instead of card entering zone [from zone] [if c]: block``"""

    verb: str  # enters | leaves | entering
    card: str
    card_span: Span
    zone: ZoneName
    other: ZoneName | None
    condition: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class PhaseRule(Node):
    """``when phase begins [if c]: block`` or ``when phase ends [if c]: block``"""

    verb: str  # begins | ends
    phase: str
    phase_span: Span
    condition: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class ChangeRule(Node):
    """``when place[index, …][.kind] changes [if c]: block``; the indices are names that the rule gives them, ``old``
    is the value before."""

    place: str
    place_span: Span
    indices: tuple[Name, ...]
    kind: Name | None
    condition: Expr | None
    body: Block


Pattern = ZoneRule | PhaseRule | ChangeRule
AnyRule = Rule | Pattern
