"""Surface constructs that desugaring passes remove, and hidden variables they need."""

from __future__ import annotations

from ..source.dataclasses import dataclass, field
from ..source.source import Span
from ..types.types import Type
from .declarations import Dim, Variable, Visibility
from .expressions import Const, Expr, TextTemplate
from .node_traits import Does, Held, StatementRow, describe
from .origin import Origin
from .statements import Alternative, Stmt
from .triggers import Answers

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


@dataclass(frozen=True, eq=False)
class SplitName:
    """A name in a split: its slot, type and place."""

    slot: int
    name: str
    type: Type
    span: Span


@dataclass(frozen=True, eq=False)
class Split(Stmt):
    """``amount`` is divided among the items of ``source`` that ``condition`` lets pass: the chooser says of each, in
    ``item``, how much falls to it, in ``part``, at most ``most``; the block is done for each to which something does.
    ``own``: slots for what the pass makes; variables named after the site remember the course of it."""

    site: int
    chooser: Expr
    prompt: TextTemplate
    label: TextTemplate
    amount: Expr
    source: Expr
    condition: Expr | None
    most: Expr
    item: SplitName
    part: SplitName
    own: tuple[int, ...]
    body: tuple[Stmt, ...]


describe(
    StatementRow(
        Split,
        blocks={"body": Held.BLOCK},
        passes=("source",),
        each=None,
        binds=(),
        writes=(),
        moves=(),
        does=Does.ASKS,
        event=None,
        is_deed=True,
    )
)


@dataclass(frozen=True, eq=False)
class LastingCondition:
    """A span: the variable ``name`` holds from where it begins for as long as the query ``holds`` does."""

    name: str
    holds: str
    span: Span


@dataclass(frozen=True, eq=False)
class TemporaryChange:
    """A way in which a query is changed for a time. ``op``: ``set`` or ``add``; ``of_player``: the duration is a
    player's, who is then the first index of the variable that keeps the change."""

    query: str
    duration: str
    op: str
    type: Type
    layer: str | None
    variable: str
    dims: tuple[Dim, ...]
    of_player: bool
    span: Span


@dataclass(frozen=True, eq=False)
class Duration:
    """What a time is called until which changes last."""

    name: str
    per_player: bool
    span: Span


@dataclass(frozen=True, eq=False)
class EachCard:
    """The cards that a state check goes through in a slot, with the condition under which the rule is theirs.
    ``is_one``: the copies of one card, not all of a kind."""

    slot: int
    kind: Type
    copies: tuple[int, ...]
    active: Expr | None
    is_one: bool
    span: Span


@dataclass(frozen=True, eq=False)
class Answer:
    """An action that answers a window. ``cost``: what is paid for it, at once."""

    alternative: Alternative
    cost: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class Round:
    """Answers that everybody who is asked can give in turn. ``before``: what is done before each is asked."""

    site: int
    before: tuple[Stmt, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, eq=False)
class Window:
    """A window: the effect ``name`` opens it. ``forced``: answers that must be given, where one can; ``room``: so many
    are kept at most. The slots are of the player who is asked, of all of them, and of an answer that is carried out."""

    name: str
    who: Expr
    prompt: TextTemplate
    forced: Round | None
    free: Round
    room: int
    last_first: bool
    until_all_pass: bool
    me: int
    players: int
    number: int
    span: Span


@dataclass(frozen=True, eq=False)
class StateCheck:
    """``whenever condition: body``, perhaps for each of some cards. ``card``: that on which it stands."""

    name: str
    card: str
    condition: Expr
    body: tuple[Stmt, ...]
    n_slots: int
    span: Span
    each: EachCard | None = None


@dataclass(frozen=True, eq=False)
class BlankableKeyword:
    """A keyword of cards that can be blank. ``nothing``: its value then; ``is_printed``: whether a card has it."""

    query: str
    kind: str
    nothing: object
    is_printed: bool


@dataclass(frozen=True, eq=False)
class Sugar:
    """All of a program, each as declared. ``layers``: of rules, in order."""

    spans: tuple[LastingCondition, ...] = ()
    durations: tuple[Duration, ...] = ()
    changes: tuple[TemporaryChange, ...] = ()
    checks: tuple[StateCheck, ...] = ()
    keywords: tuple[BlankableKeyword, ...] = ()
    layers: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    answers: Answers = field(default_factory=Answers)
