"""Classes of the abstract syntax tree of the effect language.

The docstring of a class shows its notation: square brackets mark optional parts, and ``|`` separates alternatives.
All nodes are immutable, and ``span`` is their place in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..source.dataclass_with_lazy_methods import Record, fields
from ..source.source import Span


class Node(Record):
    """A node of the syntax tree, with its place in the file."""

    span: Span


class Named(Node):
    """A node with a name, and the place of the name."""

    name: str
    name_span: Span


# ---------------------------------------------------------------- expressions


class Expr(Node):
    """An expression."""


class IntLit(Expr):
    """A number, such as ``12``."""

    value: int


class BoolLit(Expr):
    """``true`` or ``false``."""

    value: bool


class NoneLit(Expr):
    """The literal ``none``."""


class TextLit(Expr):
    """``"…{expr}…"``: a text. Its parts are literal strings and expressions."""

    parts: tuple[str | Expr, ...]


class ListLit(Expr):
    """``[a, b]``: a list."""

    items: tuple[Expr, ...]


class Name(Expr):
    """A bare name. ``me``, ``it`` and ``players`` are names, too."""

    name: str


class Member(Named, Expr):
    """``subject.name``: a member of a value."""

    subject: Expr


class Index(Expr):
    """``subject[a, b]``: an element of an indexed place or table."""

    subject: Expr
    indices: tuple[Expr, ...]


class Argument(Node):
    """A positional argument (``name`` is None) or a named argument, ``name: value``."""

    name: str | None
    value: Expr


class Call(Expr):
    """``callee(args)``: a call. The callee is a Name or a Member. ``p.points()`` means the same as ``p.points``."""

    callee: Expr
    args: tuple[Argument, ...]


class Each(Named):
    """``name in source [where condition]``: one source list of a comprehension."""

    source: Expr
    condition: Expr | None


class Comprehension(Named, Expr):
    """``function(body for name in source [where condition], …)``: an aggregate of the values of ``body``.

    The function is sum, max, min, any, all, count or list. ``more`` holds the source lists after the first.
    """

    function: str
    body: Expr
    source: Expr
    condition: Expr | None
    more: tuple[Each, ...] = ()


class Reach(Named, Expr):
    """``function(body for name from source [within bound])``: a graph search from the items of ``source``.

    The function is reach or steps. ``body`` gives the neighbours of ``name``.
    """

    function: str
    body: Expr
    source: Expr
    bound: Expr | None


class Unary(Expr):
    """``not x`` or ``-x``."""

    op: str
    operand: Expr


class Binary(Expr):
    """``left op right``: an infix operator.

    ``op`` is one of ``or and = != < <= > >= in "not in" + - * div mod union except intersect ..``. The parser turns
    ``is`` into ``=`` and ``is not`` into ``!=``.
    """

    op: str
    left: Expr
    right: Expr


class IsEmpty(Expr):
    """``x is empty`` or ``x is not empty``, for lists, zones and pools."""

    subject: Expr
    is_negated: bool


class LiesIn(Expr):
    """``card in any zone`` or ``card not in any zone``: a test for zones of that name with any indices."""

    card: Expr
    zone: str
    zone_span: Span
    is_negated: bool


class HasAction(Expr):
    """``card has action`` or ``card can action``: a test for an action.

    ``has`` asks if the action is written on the card. ``can`` (``is_usable`` is true) asks if ``me`` could use it now.
    """

    card: Expr
    action: str
    action_span: Span
    is_usable: bool


class IfExpr(Expr):
    """``if c then a else b``: a conditional expression."""

    condition: Expr
    then: Expr
    otherwise: Expr


class LetExpr(Named, Expr):
    """``let name = value; body``: a local name in an expression.

    It stands at the start of an expression or in parentheses.
    """

    value: Expr
    body: Expr


class Selection(Expr):
    """A selection from a list. Its condition or key refers to the current item as ``it``, or by the name that ``as``
    gives."""

    source: Expr
    item: Item | None


class Where(Selection):
    """``source [as item] where condition``: the items for which the condition holds."""

    condition: Expr


class AsLong(Selection):
    """``source [as item] while condition``: the items before the first one for which the condition does not hold."""

    condition: Expr


class WithKey(Selection):
    """``source [as item] with kind key``: a selection by the values of ``key``.

    ``most`` and ``least`` keep the items with the greatest or smallest value. ``distinct`` keeps one item for each
    value.
    """

    kind: str
    key: Expr


class Sorted(Selection):
    """``source [as item] sorted by key``: the items in the order of ``key``."""

    key: Expr


class Item(Node):
    """``as name``: the name of the current item in a selection."""

    name: str


class IsCopy(Named, Expr):
    """``card is any name`` or ``card is not any name``: a test if the card is a copy of a named card."""

    card: Expr
    is_negated: bool


# ---------------------------------------------------------------- statements

Block = tuple["Stmt", ...]


class Stmt(Node):
    """A statement."""


class Let(Named, Stmt):
    """``let name = value``: a local name for the rest of the block."""

    value: Expr


class SetTo(Stmt):
    """An assignment to a place, or a temporary change of a query.

    ``set place to value`` has the op ``set``, ``increase place by value`` has ``add``, and ``decrease place by
    value`` has ``sub``. With ``until``, the place is a query.
    """

    op: str
    place: Expr
    value: Expr
    until: Until | None = None


class AddTo(Stmt):
    """``add value to place``: append an item to a list, or all items of a list."""

    value: Expr
    place: Expr


class RemoveFrom(Stmt):
    """``remove value from place``: remove the first occurrence of an item from a list, if there is one."""

    value: Expr
    place: Expr


class Until(Node):
    """``[in layer name] until duration ends``: the end of a temporary change.

    ``duration`` is a Name, or a Member for the duration of one player: ``until me.turn ends``.
    """

    duration: Expr
    layer: str | None
    layer_span: Span | None


class EndDuration(Stmt):
    """``end duration`` or ``end p.duration``: the end of a duration."""

    duration: Expr


class MoveCount(Stmt):
    """``move amount kind from pool to pool``: a move of counters.

    ``amount`` is None for ``all``. ``kind`` is None in ``move all from a to b``, which moves every kind.
    """

    amount: Expr | None
    kind: Expr | None
    source: Expr
    target: Expr


class MoveCards(Stmt):
    """``move cards to [top of | bottom of] zone``: a move of cards. The default position is the bottom."""

    cards: Expr
    target: Expr
    position: str


class Shuffle(Stmt):
    """``shuffle zone``."""

    zone: Expr


class If(Stmt):
    """``if c: block [else if c: block …] [else: block]``."""

    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block


class ForEach(Named, Stmt):
    """``for each name in source [where condition]: block``: a loop over a list."""

    source: Expr
    condition: Expr | None
    body: Block


class EachPlayer(Stmt):
    """A loop over players, in one of these notations.

    - ``each player [from e] [clockwise | anticlockwise] [where c]: block``
    - ``each player [at once] [in e] [where c]: block``

    In the block, ``me`` is the current player.
    """

    start: Expr | None
    direction: str  # clockwise | anticlockwise
    source: Expr | None
    condition: Expr | None
    body: Block
    is_simultaneous: bool = False


class By(Stmt):
    """``by player: block``: a block in which ``me`` is that player."""

    player: Expr
    body: Block


class Privately(Stmt):
    """``privately: block``: a block. Its choices do not appear in the logs of other players."""

    body: Block


class Repeat(Stmt):
    """``repeat n times: block`` or ``repeat while|until c, at most n times: block``."""

    times: Expr | None
    condition: Expr | None
    is_until: bool
    bound: Expr | None
    body: Block


class Stop(Stmt):
    """``stop``: leave the innermost loop."""


class ChoiceVar(Named):
    """``[secret | unseen] name in domain [where condition]``: a variable of a choice, with its options."""

    domain: Expr
    condition: Expr | None
    is_secret: bool
    is_unseen: bool = False


class Question(Stmt):
    """A statement that lets a player choose. Without ``by``, ``me`` chooses."""

    by: Expr | None
    prompt: TextLit | None


class Choose(Question):
    """``choose v, w[, by p][, prompt "…"][, label "…"][: block [else: block]]``.

    The player chooses one value for each variable. If ``body`` is None, there is no block. The names are then
    visible in the rest of the enclosing block.
    """

    vars: tuple[ChoiceVar, ...]
    label: TextLit | None
    body: Block | None
    otherwise: Block


class ChooseSome(Question):
    """A choice of several values: ``choose amount v[, by p][, prompt "…"][, label "…"][: block [else: block]]``.

    ``amount`` is ``up to n``, ``n``, ``a..b`` or ``any``. ``order v …`` sets ``is_ordered``. A ``low`` of None means 0,
    or all if ``is_ordered`` is true, and a ``high`` of None means all. If ``body`` is None, the name is visible in the
    rest of the enclosing block.
    """

    low: Expr | None
    high: Expr | None
    is_ordered: bool
    var: ChoiceVar
    label: TextLit | None
    body: Block | None = None
    otherwise: Block = ()


class Split(Named, Question):
    """``split amount as name over item in source [where c], at most n[, by p][, prompt "…"][, label "…"]: block``.

    The player divides an amount among the items.
    """

    amount: Expr
    item: str
    item_span: Span
    source: Expr
    condition: Expr | None
    limit: Expr
    label: TextLit | None
    body: Block


class OptionClause(Named):
    """``option name ["label"] [with v, w] [if condition]: block``.

    An option in a :class:`ChooseOption`.
    """

    label: TextLit | None
    vars: tuple[ChoiceVar, ...]
    condition: Expr | None
    body: Block


class ChooseOption(Question):
    """``choose:`` or ``choose by p, prompt "…":``, with one ``option`` clause or more indented below."""

    options: tuple[OptionClause, ...]


class May(Stmt):
    """``may "question"[, by p]: block [else: block]``: a question with the options yes and no."""

    prompt: TextLit
    by: Expr | None
    body: Block
    otherwise: Block


class Offer(Named):
    """``action`` or ``action of cards``: one of the actions that ``take action`` offers."""

    cards: Expr | None


class TakeAction(Question):
    """``take action a, b of cards[, by p][, prompt "…"]`` or ``take action from menu[, by p][, prompt "…"]``.

    The player chooses one of the actions that are legal now.
    """

    offers: tuple[Offer, ...]
    menu: Name | None = None


class UseAction(Question):
    """``use action of card[, by p][, prompt "…"]``: use an action of one card, if it is legal now."""

    action: str
    action_span: Span
    card: Expr


class Random(Stmt):
    """A random draw: ``roll`` from the stream ``dice``, or ``pick … at random`` from the stream ``picks``.

    The notation is ``roll name in e [: block]`` or ``pick [secret] name in e [where c] at random [: block [else:
    block]]``.
    """

    stream: str
    var: ChoiceVar
    body: Block | None
    otherwise: Block


class Do(Stmt):
    """``name(args)`` or ``p.name(args)``: an effect that is called as a statement."""

    call: Call


class Announce(Stmt):
    """``announce "text" [to players]``: a message to players."""

    text: TextLit
    to: Expr | None


class EndGame(Stmt):
    """``end game [by chart] [for players] [because "reason"]``

    ``reason`` may also be the name of an ending.
    """

    reason: TextLit | Name | None
    chart: Name | None = None
    players: Expr | None = None


class Open(Stmt):
    """``open window(args) [: block [else: block]]``: open a window in which players can react.

    If ``body`` is None, there is no block.
    """

    call: Call
    body: Block | None
    otherwise: Block


class Cancel(Stmt):
    """``cancel``: prevent the event that opened the window."""


class Begin(Stmt):
    """``begin name`` or ``begin p.name``: start a span.

    A span lasts as long as its condition holds without interruption.
    """

    place: Expr


# ---------------------------------------------------------------- rules


class Binding(Node):
    """``parameter: name`` in an event pattern. A bare ``name`` binds the parameter of the same name."""

    parameter: str
    name: str


class TriggerRule(Node):
    """A rule with a block that runs on an event, or in its place."""

    condition: Expr | None
    body: Block


class EventRule(TriggerRule):
    """``when effect(bindings) [if c]: block`` or ``instead of effect(bindings) [if c]: block``.

    The first is a trigger, the second a replacement effect. The effect of a card kind is written ``Kind.effect``.
    """

    kind: str  # when | instead
    event: str
    event_span: Span
    bindings: tuple[Binding, ...]


class WhileRule(Node):
    """``while c: query(bindings) is value [in layer name]``: a continuous change of a query.

    In ``value``, ``it`` is the value before this change.
    """

    condition: Expr
    query: str
    query_span: Span
    bindings: tuple[Binding, ...]
    value: Expr
    layer: str | None
    layer_span: Span | None


class Gain(Named):
    """One change of a card, in one of these notations.

    - ``name``: the query is true.
    - ``+1 name`` or ``-1 name``: a number increases or decreases.
    - ``name(a, b)``: a list gets further items.
    - ``name is value``: a query has another value. In it, ``it`` is the value before.
    - ``keywords of value``: the card gets the keywords of another card.
    """

    form: str  # "", "+", "-", "()", "is" or "keywords"
    value: Expr | None


class Recipient(Named):
    """``name where condition``: the cards that get something."""

    condition: Expr


class GainRule(Named):
    """``while c: name gets gain, gain [in layer name]``: several continuous changes of a card."""

    condition: Expr
    gains: tuple[Gain, ...]
    layer: str | None
    layer_span: Span | None


class WheneverRule(Node):
    """``whenever c: block``: a state check. After each effect, the block runs if the condition holds."""

    condition: Expr
    body: Block


Rule = EventRule | WhileRule | GainRule | WheneverRule


def iterate_children(node: Node) -> Iterator[Node]:
    """Yield the direct child nodes of ``node``, in the order of its fields, also those in nested tuples."""
    yield from _iterate_nodes(getattr(node, name) for name in node.__match_args__)


def _iterate_nodes(values: Iterable[object]) -> Iterator[Node]:
    for value in values:
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from _iterate_nodes(value)


def strip_spans(value: object) -> object:
    """Return a syntax tree as nested tuples without positions: the name of the class, then its fields in order.

    Tuples are stripped item by item, and other values stay the same. Example: ``Name(span, "a")`` becomes ``("Name",
    "a")``.
    """
    if isinstance(value, Node):
        values = (
            getattr(value, node_field.name) for node_field in fields(value) if not node_field.name.endswith("span")
        )
        return (type(value).__name__, *map(strip_spans, values))
    if isinstance(value, tuple):
        return tuple(map(strip_spans, value))
    return value


def walk(node: Node) -> Iterator[Node]:
    """Yield ``node`` and all its descendants in preorder."""
    yield node
    for child in iterate_children(node):
        yield from walk(child)


class ZoneRule(TriggerRule):
    """A trigger or replacement for a card that moves, in one of these notations.

    - ``when card enters zone [from zone] [if c]: block``
    - ``when card leaves zone [to zone] [if c]: block``
    - ``instead of card entering zone [from zone] [if c]: block``

    The word ``any`` may stand before a zone. It changes nothing: the zone of every player counts anyway.
    """

    verb: str  # enters | leaves | entering
    card: str
    card_span: Span
    zone: Name
    other_zone: Name | None


class PhaseRule(TriggerRule):
    """``when phase begins [if c]: block`` or ``when phase ends [if c]: block``."""

    verb: str  # begins | ends
    phase: str
    phase_span: Span


class ChangeRule(TriggerRule):
    """``when place[index, …][.kind] changes [if c]: block``: a trigger for a changed value.

    The indices are names that the rule binds. ``old`` is the value before the change.
    """

    place: str
    place_span: Span
    indices: tuple[Name, ...]
    kind: Name | None


Pattern = ZoneRule | PhaseRule | ChangeRule
AnyRule = Rule | Pattern
