"""The core language: what a checked program consists of. THE contract between checker and engines.

Made by the checker from the surface nodes; walked by the evaluator, emitted by the compiler, read by views and
rules text. Everything is resolved and typed: names became places, locals or constants; ``me`` and ``it`` are plain
locals; sugar is gone. All nodes are frozen. ``span`` says where in the author's file the node stands.

Evaluation order is left to right, operands before operators; ``and``/``or``/conditionals are short-circuit.
A *routine* (phase body, effect, query, action, scoring expression) owns numbered local *slots* 0..n_slots-1.
Routines never recurse (the checker refuses it), so slots can be allocated statically.
"""

from __future__ import annotations

from dataclasses import field

from .records import dataclass
from .source import NOWHERE, Span
from .types import Type

# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, eq=False)
class Expr:
    """Base of expressions. ``type`` is the static type of the value."""

    type: Type
    span: Span


@dataclass(frozen=True, eq=False)
class Const(Expr):
    """A value known at check time: int, bool, str, None, ordinal, entity, or a tuple of such."""

    value: object


@dataclass(frozen=True, eq=False)
class Local(Expr):
    slot: int
    name: str


@dataclass(frozen=True, eq=False)
class OptionValue(Expr):
    """The value of a game option: constant while a game is played (int, bool or enum ordinal)."""

    option: str


@dataclass(frozen=True, eq=False)
class Players(Expr):
    """All players in seat order: ``tuple(range(n))``."""


@dataclass(frozen=True, eq=False)
class ReadCell(Expr):
    """A variable, or the count of one kind in a pool (then the last index is the kind).

    Where ``type`` is ``T`` and the variable's is ``T?``, the place is used as a ``T``: a ``none`` there is a fault. So
    too for TableRead and Field."""

    place: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class ReadZone(Expr):
    """The entities of a card zone, top first: ``List[kind]``."""

    zone: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class PoolKinds(Expr):
    """The kinds a pool holds at least one of, in declared order (only the pool's declared ``kinds``)."""

    zone: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class PoolTotal(Expr):
    """The number of counters of all kinds in a pool."""

    zone: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class TableRead(Expr):
    """An entry of a constant table. Fewer indices than the table has dimensions is not possible."""

    table: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Field(Expr):
    """A printed field or keyword of a component (constant data), also ``original`` and ``copies``: see
    ``Program.entities``."""

    component: Expr
    field: str


@dataclass(frozen=True, eq=False)
class LiesIn(Expr):
    """Whether a component lies in a zone of this name, whatever its indices."""

    component: Expr
    zone: str


@dataclass(frozen=True, eq=False)
class IndexOfPlace(Expr):
    """The index, of the type that ``type`` may be, of the zone in which a component lies: its holder, its space. None
    where the zone has no such index, or the component lies nowhere: a fault, if ``type`` is not optional."""

    component: Expr


@dataclass(frozen=True, eq=False)
class ListLit(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Range(Expr):
    """``low..high`` inclusive; empty when high < low."""

    low: Expr
    high: Expr


@dataclass(frozen=True, eq=False)
class Unary(Expr):
    """``op`` is ``"not"`` or ``"-"``."""

    op: str
    operand: Expr


@dataclass(frozen=True, eq=False)
class Binary(Expr):
    """``op`` is one of

    ``and or`` (Bool), ``+ - * div mod`` (Int; div and mod round towards minus infinity, by zero is a fault),
    ``= != < <= > >=`` (``=`` also compares None; order only on Int), ``in`` (item, list),
    ``union except intersect`` (lists; the left order is kept; ``union`` appends what the left lacks),
    ``join`` (lists, concatenation with duplicates kept).
    """

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False)
class IfExpr(Expr):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, eq=False)
class ByCard(Expr):
    """The value that belongs to the card of which ``card`` is a copy: (first copy, value) pairs; else ``otherwise``."""

    card: Expr
    cases: tuple[tuple[int, Expr], ...]
    otherwise: Expr


@dataclass(frozen=True, eq=False)
class Filter(Expr):
    """The items of ``source`` for which ``condition`` holds with the item in ``slot``."""

    slot: int
    source: Expr
    condition: Expr


@dataclass(frozen=True, eq=False)
class MapList(Expr):
    """``body`` for each item of ``source`` (that satisfies ``condition``): a list of the same order."""

    slot: int
    source: Expr
    condition: Expr | None
    body: Expr


@dataclass(frozen=True, eq=False)
class Fold(Expr):
    """``kind`` is ``sum``, ``max``, ``min`` (Int body; max and min of nothing are 0), ``any``, ``all`` (Bool body),
    ``count`` (body is the condition, Bool). Any and all stop at the first item that decides."""

    kind: str
    slot: int
    source: Expr
    condition: Expr | None
    body: Expr


@dataclass(frozen=True, eq=False)
class Extreme(Expr):
    """``source with most key`` / ``with least``: all items whose Int key is greatest / smallest, order kept."""

    kind: str  # "most" | "least"
    slot: int
    source: Expr
    key: Expr


@dataclass(frozen=True, eq=False)
class Distinct(Expr):
    """``source with distinct key``: of the items whose key is the same, the first."""

    slot: int
    source: Expr
    key: Expr


@dataclass(frozen=True, eq=False)
class CallQuery(Expr):
    """Value of a query. For ``per: Player`` queries the player is the first argument."""

    query: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class CallBuiltin(Expr):
    """A function of the builtins table (``kind == "function"``), e.g. ``count``, ``step``, ``first``."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class TextTemplate(Expr):
    """Literal text and values to be shown by their labels."""

    parts: tuple[str | Expr, ...]


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, eq=False)
class Stmt:
    span: Span


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
    item_slot: int  # holds the candidate while ``condition`` is read


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
    """A named effect, which is also an event that rules answer to. Order, see docs/language.md:

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


# ---------------------------------------------------------------- routines and declarations


@dataclass(frozen=True, eq=False)
class Param:
    slot: int
    name: str
    type: Type


@dataclass(frozen=True, eq=False)
class Modifier:
    """A continuous effect on a query: while ``condition`` holds its value becomes ``value``.

    Slots 0..k-1 of this routine hold the query's parameters, slot k (``it_slot``) the value so far. Of a card: once for
    each of ``copies``, in ``this_slot``, each on the value that the one before left. ``until``: the duration, of a
    change for a time."""

    rule: str
    layer: str | None
    it_slot: int
    condition: Expr
    value: Expr
    n_slots: int
    span: Span
    copies: tuple[int, ...] = ()
    this_slot: int = 0
    until: str | None = None


@dataclass(frozen=True, eq=False)
class Query:
    """A named expression. ``per_player``: parameter 0 is the player (``me``). Of cards: `Kind.name`, and the next
    parameter is the card (``this``)."""

    name: str
    per_player: bool
    params: tuple[Param, ...]
    type: Type
    n_slots: int
    value: Expr
    modifiers: tuple[Modifier, ...] = ()  # in order of application: by layer, then as declared


@dataclass(frozen=True, eq=False)
class Rule:
    """``when`` or ``instead of`` an effect. Slots 0..k-1 hold the effect's arguments."""

    id: str
    condition: Expr | None
    n_slots: int
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, eq=False)
class Effect:
    """A named effect. ``per_player``: parameter 0 is the player (``me``). Of cards: `Kind.name`, and the next
    parameter is the card (``this``)."""

    name: str
    per_player: bool
    params: tuple[Param, ...]
    n_slots: int
    body: tuple[Stmt, ...]
    instead: tuple[Rule, ...] = ()
    when: tuple[Rule, ...] = ()
    is_window: bool = False


@dataclass(frozen=True, eq=False)
class Phase:
    """A node of the phase tree: either ``body`` (leaf) or ``children``.

    ``condition``: skip the phase when it does not hold on entry. ``repeat``: run again and again while it holds (tested
    before each pass), at most ``bound`` times, beyond which it is a fault.
    """

    id: str
    label: TextTemplate | None
    n_slots: int
    condition: Expr | None
    repeat: Expr | None
    bound: int
    body: tuple[Stmt, ...]
    children: tuple[Phase, ...]
    span: Span


@dataclass(frozen=True)
class Dim:
    """One index of a place or table: ``Player``, an enum, a component kind (index = entity - first of the kind),
    or an integer range ``low..high``."""

    type: Type
    low: int = 0
    size: int | None = None  # None for Player: the number of players in the game

    # value v of the index stands at position v - low (Player, enum: low = 0; component: low = first entity)


@dataclass(frozen=True, eq=False)
class Visibility:
    """Who sees the content: a Bool expression over slot 0 ``viewer`` and slot 1 ``owner`` (the first Player index of
    the place; equal to viewer where the place has none). ``constant`` is ``all``, ``owner``, ``nobody`` or None."""

    constant: str | None
    condition: Expr | None
    n_slots: int = 2


@dataclass(frozen=True, eq=False)
class Variable:
    name: str
    dims: tuple[Dim, ...]
    type: Type
    start: Expr  # slots 0.. hold the indices, one for each dim (a Player index is also ``me``)
    n_slots: int
    visible: Visibility
    label: str
    doc: str
    internal: bool = False  # kept by a construct of the language; no author names it


@dataclass(frozen=True, eq=False)
class Pool:
    """A zone of counters. Cells as a Variable of type Int with one more dimension: the enum ``holds``."""

    name: str
    dims: tuple[Dim, ...]  # without the kind
    holds: Type
    kinds: tuple[int, ...]  # ordinals it may hold, in declared order
    start: tuple[Expr | None, ...]  # one for each value of the enum; slots as for Variable.start
    n_slots: int
    unlimited: bool
    visible: Visibility
    moves: Visibility
    label: str
    doc: str


@dataclass(frozen=True, eq=False)
class CardZone:
    """An ordered zone of components, top first."""

    name: str
    dims: tuple[Dim, ...]
    holds: Type
    start: tuple[int, ...]  # entities that begin here, top first (only for zones without dims)
    visible: Visibility
    label: str
    doc: str


@dataclass(frozen=True, eq=False)
class Table:
    """Constant data. ``values`` is nested tuples, one level for each dim; the leaves have type ``type``. ``places``:
    where each entry is written, by the names of its indices. ``written``: where each value is, nested as ``values``."""

    name: str
    dims: tuple[Dim, ...]
    type: Type
    values: object
    places: dict[tuple[str, ...], Span]
    written: object = ()


@dataclass(frozen=True)
class EnumValue:
    name: str
    label: str
    plural: str | None
    short: str


@dataclass(frozen=True)
class Enum:
    name: str
    values: tuple[EnumValue, ...]


@dataclass(frozen=True)
class Entity:
    """One physical component. ``name`` is stable and unique: the card's id, with ``-2`` … for further copies.
    ``fields``: what is printed on it, with its keywords, and ``original`` (its first copy) and ``copies`` (all).
    ``span``: where the card is declared; ``written``: where what is printed on it is."""

    number: int
    kind: str
    card: str
    name: str
    label: str
    fields: dict[str, object] = field(hash=False)
    span: Span = field(default=NOWHERE, compare=False)
    written: dict[str, Span] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Option:
    """``values``: names of an enum-like option; empty for Int and Bool. ``default``/values at run time: int, bool
    or ordinal into ``values``. ``type`` is INT, BOOL or EnumType of the same name as the option, capitalised."""

    name: str
    type: Type
    values: tuple[str, ...]
    labels: tuple[str, ...]
    default: int | bool
    low: int | None
    high: int | None
    doc: str
    span: Span = field(default=NOWHERE, compare=False)


#: Behind the name of a keyword, where cards can be blank: the query for what it is of cards that are not.
UNLESS_BLANK = " unless blank"

#: The variables of an ending: the number of its chart (0: none), and whether a player can win.
ENDING, CAN_WIN = "scoring_Chart", "scoring_CanWin"


@dataclass(frozen=True, eq=False)
class Scoring:
    """``rank``: Int expressions for each player (slot 0 = me), compared in order, more is better; equal: tied.
    ``payoff``: Int, what a player wins in a zero-sum or cash game; None: derived from the ranking.
    ``shown``: (title, Int expression) pairs for the final table. ``charts``: the rankings that an ending can name;
    ``rank`` has what follows from them already. ``selective``: the first rank value says who can win, 1, and who can't,
    0; where nobody can, nobody wins."""

    rank: tuple[Expr, ...]
    payoff: Expr | None
    shown: tuple[tuple[str, Expr], ...]
    n_slots: int
    charts: tuple[Chart, ...] = ()
    selective: bool = False


@dataclass(frozen=True, eq=False)
class Chart:
    """A ranking by the steps of a chart: (title, Int expression) pairs."""

    name: str
    title: str
    steps: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, eq=False)
class Invariant:
    """A condition that holds at every decision, for all combinations of ``each``. Tested by ``simulate --check``, cases
    and the laws. ``because`` says what is wrong where it does not hold. ``is_law``: it reads no state, so that it holds
    always or never; tested by ``check`` too."""

    id: str
    condition: Expr
    n_slots: int
    doc: str
    each: tuple[ChoiceVar, ...] = ()
    because: TextTemplate | None = None
    is_law: bool = False


@dataclass(frozen=True, eq=False)
class ViewItem:
    """A titled cell of the table on screen; text is evaluated as a seat sees it, what it may not see shows as ``?``.
    ``condition``: leave the item out when it does not hold (or may not be seen)."""

    title: str
    text: TextTemplate
    condition: Expr | None
    n_slots: int


@dataclass(frozen=True, eq=False)
class Layout:
    """How a console lays the table out: lines of status, items for each player (slot 0 = me), shared items,
    items for the player who looks (slot 0 = me), and boards (a grid of texts: slots 0, 1 = row, column)."""

    status: tuple[ViewItem, ...]
    player: tuple[ViewItem, ...]
    shared: tuple[ViewItem, ...]
    own: tuple[ViewItem, ...]
    boards: tuple[Board, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """A grid of texts, one for each row (slot 0, from top to bottom) and column (slot 1) of two lists. ``headings``:
    whether they are named beside it; ``condition``: as for ViewItem."""

    title: str
    rows: Expr
    columns: Expr
    text: TextTemplate
    condition: Expr | None
    headings: bool
    n_slots: int


@dataclass(frozen=True, eq=False)
class Pack:
    """A pack that was laid over the ruleset; ``replaces``: names of what it declared anew."""

    name: str
    replaces: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Program:
    """A checked ruleset: all an engine needs. Immutable."""

    id: str
    name: str
    version: str
    digest: str  # of all source files
    min_players: int
    max_players: int
    about: str
    options: tuple[Option, ...]
    enums: dict[str, Enum]
    tables: dict[str, Table]
    variables: dict[str, Variable]
    pools: dict[str, Pool]
    zones: dict[str, CardZone]
    entities: tuple[Entity, ...]
    component_kinds: dict[str, tuple[int, int]]  # name -> (first entity, number of entities)
    component_fields: dict[str, dict[str, Type]]  # name -> field -> type
    queries: dict[str, Query]
    effects: dict[str, Effect]
    setup: Phase  # an ordinary leaf phase, run first
    phases: tuple[Phase, ...]  # run once each in order (unless they repeat); then the game is over
    scoring: Scoring
    invariants: tuple[Invariant, ...]
    layout: Layout
    directory: str | None  # where the ruleset lies, for cases and messages
    private_sites: frozenset[int] = frozenset()  # choices that are in nobody else's log
    keywords: tuple[str, ...] = ()  # the queries that are keywords, `Kind.keyword`: a card has it unless it is nothing
    packs: tuple[Pack, ...] = ()
