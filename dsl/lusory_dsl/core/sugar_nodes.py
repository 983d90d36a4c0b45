"""Define surface constructs that desugaring passes remove, and the hidden variables that they need."""

from __future__ import annotations

from ..source.dataclass_with_lazy_methods import Record, field
from ..source.source import Span
from ..types.types import Type
from .declarations import Dim, Variable, Visibility
from .expressions import Const, Expr, Local, TextTemplate
from .generated_part_origins import Origin
from .node_traits_table import BlockLayout, ControlFlow, StatementTraits, register_traits
from .statements import Alternative, Stmt
from .zone_phase_and_value_triggers import Triggers

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
    return Variable(name, dims, type, Const(type, span, start), len(dims), visible, "", "", origin)


class Split(Stmt):
    """A division of ``amount`` among the items of ``source`` that satisfy ``condition``.

    For each ``item`` the chooser decides its ``part``, at most ``max_part``. ``body`` runs for each item with a
    positive part. ``extra_slots`` holds slots for the pass. Variables named after the site store the progress."""

    site: int
    chooser: Expr
    prompt: TextTemplate
    label: TextTemplate
    amount: Expr
    source: Expr
    condition: Expr | None
    max_part: Expr
    item: Local
    part: Local
    extra_slots: tuple[int, ...]
    body: tuple[Stmt, ...]


register_traits(
    StatementTraits(Split, control_flow=ControlFlow.ASKS, event=None, is_mutation_target=True,
        block_fields={"body": BlockLayout.BLOCK}, pass_fields=("source",)),
)  # fmt: skip


class TemporaryChange(Record):
    """A temporary change of a query.

    ``op`` is ``set`` or ``add``. If ``is_per_player`` is True, the duration belongs to a player, who is the first index
    of the variable that stores the change."""

    query: str
    duration: str
    op: str
    type: Type
    layer: str | None
    variable: str
    dims: tuple[Dim, ...]
    is_per_player: bool
    span: Span


class Duration(Record):
    """The name of a time until which changes last."""

    name: str
    is_per_player: bool
    span: Span


class CheckedCards(Record):
    """The cards that a state check iterates over in ``slot``.

    ``condition`` is the condition under which the rule applies to a card. If ``is_single_card`` is True, the cards are
    the copies of one card, otherwise all cards of a kind."""

    slot: int
    kind: Type
    copies: tuple[int, ...]
    condition: Expr | None
    is_single_card: bool
    span: Span


class OfferedAction(Record):
    """An action that a choice or window offers.

    ``cost`` holds the statements that pay for it. They run before the body of ``alternative``, which lacks them here.
    """

    alternative: Alternative
    cost: tuple[Stmt, ...]


class Round(Record):
    """Answers that each asked player may give in turn. ``prelude`` runs before each player is asked."""

    site: int
    prelude: tuple[Stmt, ...]
    answers: tuple[OfferedAction, ...]


class Window(Record):
    """A window, opened by the effect ``name``.

    ``forced_round`` holds answers that a player must give if possible. ``max_answers`` is the maximum number of stored
    answers. ``player_slot``, ``players_slot`` and ``answer_slot`` are slots: the player who is asked, all asked
    players, and the answer that is carried out."""

    name: str
    asked_players: Expr
    prompt: TextTemplate
    forced_round: Round | None
    free_round: Round
    max_answers: int
    is_last_first: bool
    lasts_until_all_pass: bool
    player_slot: int
    players_slot: int
    answer_slot: int
    span: Span


class StateCheck(Record):
    """``whenever condition: body``, perhaps for each of some cards.

    ``card`` is the card on which the rule is printed.
    """

    name: str
    card: str
    condition: Expr
    body: tuple[Stmt, ...]
    n_slots: int
    span: Span
    cards: CheckedCards | None = None


class BlankableKeyword(Record):
    """A keyword of cards that can be blank.

    ``blank_value`` is its value on a blank card. ``is_printed``: some card has it.
    """

    query: str
    kind: str
    blank_value: object
    is_printed: bool


class Sugar(Record):
    """All sugar of a program, each kind in declared order. ``layers`` orders the rules."""

    spans: tuple[str, ...] = ()
    durations: tuple[Duration, ...] = ()
    changes: tuple[TemporaryChange, ...] = ()
    checks: tuple[StateCheck, ...] = ()
    keywords: tuple[BlankableKeyword, ...] = ()
    layers: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    triggers: Triggers = field(default_factory=Triggers)
