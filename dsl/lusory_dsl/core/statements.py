"""Statements of the core language: what happens, and what is asked."""

from __future__ import annotations

from ..source.dataclasses import dataclass, field
from ..source.source import Span
from .expressions import Expr, TextTemplate
from .origin import WRITTEN, Origin


@dataclass(frozen=True, eq=False)
class Stmt:
    """Base of statements. ``origin``: of one that no author wrote, who made it and what for."""

    span: Span
    origin: Origin = field(default=WRITTEN, kw_only=True)


@dataclass(frozen=True, eq=False)
class Let(Stmt):
    slot: int
    name: str
    value: Expr


@dataclass(frozen=True, eq=False)
class SetCell(Stmt):
    """``op`` is ``set``, ``add`` or ``sub``. Event ``set`` with the new value."""

    place: str
    indices: tuple[Expr, ...]
    op: str
    value: Expr


@dataclass(frozen=True, eq=False)
class MoveCount(Stmt):
    """Counters from pool to pool.

    ``kind`` None: every kind; ``amount`` None: all of them. Moves as many as the source holds (a pool declared
    ``unlimited`` always gives the full amount and may go below zero); a negative amount moves nothing.
    One event ``move`` for each kind of which at least one moved, in declared order.
    """

    kind: Expr | None
    amount: Expr | None
    source: str
    source_indices: tuple[Expr, ...]
    target: str
    target_indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class MoveCards(Stmt):
    """Components (one, optional, or a list, in order) to ``bottom`` or ``top`` of a zone, from wherever they are.
    ``none`` and the empty list move nothing. A list put on top ends with its first item uppermost."""

    cards: Expr
    target: str
    target_indices: tuple[Expr, ...]
    position: str


@dataclass(frozen=True, eq=False)
class Shuffle(Stmt):
    """Random order of a card zone. Nobody knows the new order. ``stream``: see Random."""

    zone: str
    indices: tuple[Expr, ...]
    stream: str


@dataclass(frozen=True, eq=False)
class If(Stmt):
    """The first branch whose condition holds, else ``otherwise``."""

    branches: tuple[tuple[Expr, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class DoByCard(Stmt):
    """The block that belongs to the card of which ``card`` is a copy: (first copy, block) pairs; else ``otherwise``."""

    card: Expr
    cases: tuple[tuple[int, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class ForEach(Stmt):
    """``source`` is computed once; ``condition`` is read anew before each item. Also ``each player`` (slot = me)."""

    slot: int
    name: str
    source: Expr
    condition: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class Repeat(Stmt):
    """``times`` given: that often. Otherwise while ``condition`` holds (read before each pass), at most ``bound``
    times; a condition that still holds after ``bound`` passes is a fault."""

    times: Expr | None
    condition: Expr | None
    bound: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class Stop(Stmt):
    """Leaves the innermost ForEach or Repeat."""


@dataclass(frozen=True, eq=False)
class ChoiceVar:
    """One variable of a choice. ``domain`` is a list and may read the variables before it.
    ``secret``: other seats don't learn the value from the event of the choice."""

    slot: int
    name: str
    domain: Expr
    condition: Expr | None
    secret: bool
    span: Span


@dataclass(frozen=True, eq=False)
class Alternative:
    """One way to answer a choice: all combinations of its variables, first variable outermost.

    ``name`` None: a choice of values only. ``conditions`` (all must hold) are tested before the domains.
    ``label``: how a person reads one option, with the variables bound; None: the values' labels.
    ``original``: the action of a card, by its first copy; the first variable is then the copy.
    """

    name: str | None
    label: TextTemplate | None
    conditions: tuple[Expr, ...]
    vars: tuple[ChoiceVar, ...]
    body: tuple[Stmt, ...]
    span: Span
    original: int | None = None


@dataclass(frozen=True, eq=False)
class Ask(Stmt):
    """A choice by ``chooser``. Options: alternatives in order, each with its combinations in order.

    No option: ``otherwise`` runs (or nothing). Exactly one: it is taken at once, without a decision (event ``choice``
    with forced = True). More: the engine stops with a decision. Then the alternative's body runs.
    ``site`` is unique in the program.
    """

    site: int
    chooser: Expr
    prompt: TextTemplate
    alternatives: tuple[Alternative, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class AskMany(Stmt):
    """Some of, or an order of, a list; ``slot`` receives the tuple. Asked as successive single picks at one site:

    Unordered: a pick offers the candidates after the last picked one (in source order) that still leave enough to
    reach ``low``; ordered: all candidates not yet picked. Once ``low`` are picked an option ``done`` comes first.
    Ends at ``high`` picks, at ``done``, or when nothing is left. ``low``/``high`` are capped by the list's length.
    A pick with one option is forced, as in Ask. Each pick is a Decision with alternative names ``pick`` / ``done``.
    """

    site: int
    chooser: Expr
    prompt: TextTemplate
    slot: int
    name: str
    source: Expr
    condition: Expr | None
    low: Expr
    high: Expr
    ordered: bool
    secret: bool
    item_slot: int  # holds the candidate while ``condition`` and ``label`` are read
    label: TextTemplate | None = None  # of a candidate


@dataclass(frozen=True, eq=False)
class Random(Stmt):
    """A value picked evenly at random from ``domain`` into ``slot``; ``stream`` is ``dice`` or ``picks``
    (a Shuffle's is ``shuffle``), or ``setup`` for statements written directly in the setup block.
    Then ``body``; an empty domain runs ``otherwise`` instead. Event ``random``. ``actor``: the player who learns a
    secret value (``me`` where there is one); None: nobody does."""

    slot: int
    name: str
    domain: Expr
    condition: Expr | None
    stream: str
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    secret: bool = False
    actor: Expr | None = None


@dataclass(frozen=True, eq=False)
class CallEffect(Stmt):
    """A named effect, which is also an event that rules answer to. Order, see docs/language/order.md:

    1. arguments, left to right; 2. the first ``instead of`` rule whose condition holds replaces the body;
    3. otherwise the body; 4. then, in both cases, every ``when`` rule whose condition holds, in declared order.
    """

    effect: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Announce(Stmt):
    """A line for the log; ``to`` None: for everybody, else a list of players."""

    text: TextTemplate
    to: Expr | None


@dataclass(frozen=True, eq=False)
class EndGame(Stmt):
    """The game is over at once; nothing more is executed."""

    reason: TextTemplate | None
