"""Define the statements of the core language: changes of state, choices and control flow."""

from __future__ import annotations

from ..source.dataclass_with_lazy_methods import Record, field
from ..source.source import Span
from .expressions import Expr, TextTemplate
from .generated_part_origins import AUTHORED, Origin


class Stmt(Record):
    """Base class of statements. ``origin`` says which pass generated the statement, and for which declaration."""

    span: Span
    origin: Origin = field(default=AUTHORED, kw_only=True)


class Let(Stmt):
    """Assign ``value`` to the local in ``slot``, for the rest of the block."""

    slot: int
    name: str
    value: Expr


class SetCell(Stmt):
    """Change a variable. ``op`` is ``set``, ``add`` or ``sub``. Logs an event ``set`` with the new value."""

    place: str
    indices: tuple[Expr, ...]
    op: str
    value: Expr


class MoveCount(Stmt):
    """Move counters from pool to pool.

    A ``kind`` of None moves every kind, and an ``amount`` of None moves all counters. The amount is capped by what the
    source holds. An ``unlimited`` pool gives the full amount, and its count may go below zero. A negative amount moves
    nothing. Logs one event ``move`` for each kind with at least one moved counter, in declared order.
    """

    kind: Expr | None
    amount: Expr | None
    source: str
    source_indices: tuple[Expr, ...]
    target: str
    target_indices: tuple[Expr, ...]


class MoveCards(Stmt):
    """Move components to the ``bottom`` or ``top`` of a zone, from wherever they are.

    ``cards`` is one component, an optional one, or a list, moved in order. ``none`` and the empty list move nothing. A
    list that is put on top ends with its first item uppermost.
    """

    cards: Expr
    target: str
    target_indices: tuple[Expr, ...]
    position: str


class Shuffle(Stmt):
    """Shuffle a card zone. No player knows the new order. ``stream`` is the random stream: see :class:`Random`."""

    zone: str
    indices: tuple[Expr, ...]
    stream: str


class If(Stmt):
    """Run the first branch with a True condition, or ``otherwise`` if there is no such branch."""

    branches: tuple[tuple[Expr, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]


class DoByCard(Stmt):
    """Run the block that belongs to the card that a component is a copy of.

    ``cases`` holds (first copy of a card, block) pairs. ``otherwise`` runs for all other cards.
    """

    card: Expr
    cases: tuple[tuple[int, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]


class ForEach(Stmt):
    """Run ``body`` for each item of ``source``, also for ``each player``, where the slot is ``me``.

    ``source`` is evaluated once. ``condition`` is evaluated again before each item.
    """

    slot: int
    name: str
    source: Expr
    condition: Expr | None
    body: tuple[Stmt, ...]


class Repeat(Stmt):
    """Run ``body`` repeatedly.

    If ``times`` is given, it is the number of passes. Otherwise ``body`` runs while ``condition`` holds, tested before
    each pass. A condition that still holds after ``bound`` passes is a fault.
    """

    times: Expr | None
    condition: Expr | None
    bound: Expr | None
    body: tuple[Stmt, ...]


class Stop(Stmt):
    """Leave the innermost ForEach or Repeat."""


class ChoiceVar(Record):
    """One variable of a choice.

    ``domain`` is a list and may read the variables before it. If ``is_secret`` is True, other seats don't see the value
    in the event of the choice."""

    slot: int
    name: str
    domain: Expr
    condition: Expr | None
    is_secret: bool
    span: Span


class Alternative(Record):
    """One way to answer a choice. It offers all combinations of its variables, with the first variable outermost.

    A ``name`` of None means that the choice is only of values. All ``conditions`` must hold, and they are tested before
    the domains. ``label`` is the text of one option, with the variables bound. If it is None, the values' labels are
    shown. ``original`` is the first copy of a card, for an action of that card. The first variable is then the copy.
    """

    name: str | None
    label: TextTemplate | None
    conditions: tuple[Expr, ...]
    vars: tuple[ChoiceVar, ...]
    body: tuple[Stmt, ...]
    span: Span
    original: int | None = None

    @property
    def is_pass(self) -> bool:
        """True if this is the built-in `pass` of a window: it has that name, but no variables or conditions."""
        return self.name == "pass" and not self.vars and not self.conditions


class Ask(Stmt):
    """Let ``chooser`` pick one option. The options are the alternatives in order, each with its combinations in order.

    If there is no option, ``otherwise`` runs. A single option is taken at once, without a decision: the event
    ``choice`` has forced = True. With more options, the engine stops for a decision. Then the body of the chosen
    alternative runs. ``site`` is unique in the program.
    """

    site: int
    chooser: Expr
    prompt: TextTemplate
    alternatives: tuple[Alternative, ...]
    otherwise: tuple[Stmt, ...]


class AskMany(Stmt):
    """Let ``chooser`` pick several items of a list, or order them. ``slot`` receives the tuple.

    The picks are successive decisions at one site. An unordered pick offers the candidates after the last one picked,
    in source order, as long as enough remain to reach ``low``. An ordered pick offers all candidates not yet picked.
    After ``low`` picks, the first option is ``done``. The choice ends at ``high`` picks, at ``done``, or when no
    candidate is left. The number of candidates caps ``low`` and ``high``. A pick with one option is forced, as in
    :class:`Ask`. In the Decision of a pick, alternative 0 picks an item, and alternative 1 is ``done``.
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
    is_ordered: bool
    is_secret: bool
    item_slot: int  # holds the candidate during the evaluation of ``condition`` and ``label``
    label: TextTemplate | None = None  # text of a candidate


class Random(Stmt):
    """Draw a value uniformly at random from ``domain`` into ``slot``, then run ``body``.

    If the domain is empty, ``otherwise`` runs instead. ``stream`` is ``dice`` or ``picks``, or ``setup`` for statements
    written directly in the setup block. (A Shuffle outside it has ``shuffle``.) Logs an event ``random``. ``actor`` is
    the player who learns a secret value, usually ``me``. If it is None, no player does.
    """

    slot: int
    name: str
    domain: Expr
    condition: Expr | None
    stream: str
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    is_secret: bool = False
    actor: Expr | None = None


class CallEffect(Stmt):
    """Call a named effect, which is also an event that triggers rules.

    The order of evaluation, see docs/reference/order-and-faults.md, is:

    1. the arguments, from left to right;
    2. the first ``instead of`` rule whose condition holds, which replaces the body;
    3. the body, unless it was replaced;
    4. in both cases, every ``when`` rule whose condition holds, in declared order.
    """

    effect: str
    args: tuple[Expr, ...]


class Announce(Stmt):
    """Write a line to the log. ``to`` is a list of players, or None for everybody."""

    text: TextTemplate
    to: Expr | None


class EndGame(Stmt):
    """End the game at once. No further statement is executed."""

    reason: TextTemplate | None
