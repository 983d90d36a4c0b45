"""Define surface constructs that desugaring passes remove, and the hidden variables that they need."""

from __future__ import annotations

from ..source.lazy_dataclass import dataclass, field
from ..source.source import Span
from ..types.types import Type
from .declarations import Dim, Variable, Visibility
from .expressions import Const, Expr, TextTemplate
from .node_traits import Does, Held, StatementRow, describe
from .provenance import Origin
from .statements import Alternative, Stmt
from .triggers import Answers

CANCELLED = "Cancelled"
"""Suffix of a window's variable: True if an answer said `cancel`."""
BEGUN, ENDS = "Begun", "Ends"
"""Suffixes for a duration: the variable that says whether anything changed, and the effect that ends it."""
ENTERING = "Entering"
"""Suffix of a zone's variable: the cards that are entering the zone while replacement rules are being tested."""
HOLDS = "Holds"
"""Suffix of the query that evaluates the condition of a span."""


def kept_name(owner: str, what: str) -> str:
    """Return a name for something internal to a construct. It can't clash, because authors' names have no capitals."""
    return f"{owner}_{what}"


def kept_variable(
    name: str, type: Type, start: object, span: Span, origin: Origin, dims: tuple[Dim, ...] = (), seen: str = "all"
) -> Variable:
    """Return a hidden variable that no author can name."""
    visible = Visibility(seen, None)
    return Variable(name, dims, type, Const(type, span, start), len(dims), visible, "", "", origin)


@dataclass(frozen=True, eq=False)
class SplitName:
    """A name in a split, with its slot, type and position in the source."""

    slot: int
    name: str
    type: Type
    span: Span


@dataclass(frozen=True, eq=False)
class Split(Stmt):
    """A division of ``amount`` among the items of ``source`` that satisfy ``condition``.

    For each ``item`` the chooser decides its ``part``, at most ``most``. ``body`` runs for each item with a positive
    part. ``own`` holds slots for the pass. Variables named after the site store the progress.
    """

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
    """A span: the variable ``name`` stays True, from where it begins, as long as the query ``holds`` is True."""

    name: str
    holds: str
    span: Span


@dataclass(frozen=True, eq=False)
class TemporaryChange:
    """A temporary change of a query.

    ``op`` is ``set`` or ``add``. If ``of_player`` is True, the duration belongs to a player, who is the first index of
    the variable that stores the change.
    """

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
    """The name of a time until which changes last."""

    name: str
    per_player: bool
    span: Span


@dataclass(frozen=True, eq=False)
class EachCard:
    """The cards that a state check iterates over in ``slot``.

    ``active`` is the condition under which the rule applies to a card. If ``is_one`` is True, the cards are the copies
    of one card, otherwise all cards of a kind.
    """

    slot: int
    kind: Type
    copies: tuple[int, ...]
    active: Expr | None
    is_one: bool
    span: Span


@dataclass(frozen=True, eq=False)
class Answer:
    """An action that answers a window. ``cost`` is paid immediately."""

    alternative: Alternative
    cost: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class Round:
    """Answers that each asked player may give in turn. ``before`` runs before each player is asked."""

    site: int
    before: tuple[Stmt, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, eq=False)
class Window:
    """A window, opened by the effect ``name``.

    ``forced`` holds answers that a player must give if possible. ``room`` is the maximum number of stored answers.
    ``me``, ``players`` and ``number`` are slots: the player who is asked, all asked players, and the answer that is
    carried out.
    """

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
    """``whenever condition: body``, perhaps for each of some cards.

    ``card`` is the card on which the rule is printed.
    """

    name: str
    card: str
    condition: Expr
    body: tuple[Stmt, ...]
    n_slots: int
    span: Span
    each: EachCard | None = None


@dataclass(frozen=True, eq=False)
class BlankableKeyword:
    """A keyword of cards that can be blank.

    ``nothing`` is its value on a blank card. ``is_printed``: some card has it.
    """

    query: str
    kind: str
    nothing: object
    is_printed: bool


@dataclass(frozen=True, eq=False)
class Sugar:
    """All sugar of a program, each kind in declared order. ``layers`` orders the rules."""

    spans: tuple[LastingCondition, ...] = ()
    durations: tuple[Duration, ...] = ()
    changes: tuple[TemporaryChange, ...] = ()
    checks: tuple[StateCheck, ...] = ()
    keywords: tuple[BlankableKeyword, ...] = ()
    layers: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    answers: Answers = field(default_factory=Answers)
