"""A program as a whole, with what it says of itself: who wins, what always holds, how the table is laid out."""

from __future__ import annotations

from ..source.dataclasses import dataclass, field
from ..types.types import Type
from .board_diagrams import Picture
from .boards import DIRECTIONS, Board, compass_table
from .declarations import CardZone, Effect, Entity, Enum, Option, Phase, Pool, Query, Table, Variable
from .expressions import Expr, TextTemplate
from .statements import ChoiceVar
from .view_declarations import ViewLayout

#: The variables of an ending: the number of its chart (0: none), and whether a player can win.
ENDING, CAN_WIN = "scoring_Chart", "scoring_CanWin"


@dataclass(frozen=True, eq=False)
class Scoring:
    """``rank``: Int expressions for each player (slot 0 = me), compared in order, more is better; equal: tied.
    ``payoff``: Int, what a player wins in a zero-sum or cash game; None: derived from the ranking. ``zero_sum``: what
    the winners share is paid by the others.
    ``shown``: (title, Int expression) pairs for the final table. ``charts``: the rankings that an ending can name;
    ``rank`` has what follows from them already. ``selective``: the first rank value says who can win, 1, and who can't,
    0; where nobody can, nobody wins."""

    rank: tuple[Expr, ...]
    payoff: Expr | None
    shown: tuple[tuple[str, Expr], ...]
    n_slots: int
    charts: tuple[Chart, ...] = ()
    selective: bool = False
    zero_sum: bool = False


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
class Advice:
    """What somebody who knows a game tells those who search it; it changes no rule. ``value``: Int, how well a player
    (slot 0 = me) stands before the end, more is better; None: the first of the ranks. ``horizon``: decisions after
    which a game that is played on is valued. ``weights``: of alternatives by name, 0: never while there is another.
    ``levels``: simulations of a decision, of the levels of bots that are named."""

    value: Expr | None = None
    n_slots: int = 1
    horizon: int | None = None
    weights: tuple[tuple[str, int], ...] = ()
    levels: tuple[tuple[str, int], ...] = ()


NO_ADVICE = Advice()
ORDINARY = 10
"""The weight of an alternative of which nothing is said."""


@dataclass(frozen=True, eq=False)
class Threshold:
    """Where a figure of many games may lie, ends included. ``figure``: ``win_rate``, ``draws``, ``length``, ``turns``,
    ``result`` or ``endings``; shares in per cent. ``of``: whose (``first``, ``each``, ``P2``), or which ending; else
    empty."""

    figure: str
    of: str
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class Balance:
    """How a game should come out among the players called ``seats``, whom the language knows by name alone; it changes
    no rule. ``games``: so many show it, None where it is not said. ``within``: of figures; ``change``: of how far they
    are from those of other rules."""

    seats: tuple[str, ...] = ()
    games: int | None = None
    within: tuple[Threshold, ...] = ()
    change: tuple[Threshold, ...] = ()


NO_BALANCE = Balance()


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
    boards: dict[str, Board]
    pictures: dict[str, Picture]
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
    layout: ViewLayout
    directory: str | None  # where the ruleset lies, for cases and messages
    private_sites: frozenset[int] = frozenset()  # choices that are in nobody else's log
    keywords: tuple[str, ...] = ()  # the queries that are keywords, `Kind.keyword`: a card has it unless it is nothing
    packs: tuple[Pack, ...] = ()
    advice: Advice = NO_ADVICE
    balance: Balance = NO_BALANCE
    component_plurals: dict[str, str] = field(default_factory=dict)  # kind -> what several are called, where declared

    def table(self, name: str) -> Table:
        """What is declared as a table of this name, or asked of a board or enum: ``Square.beside``, ``Suit.short``."""
        declared = self.tables.get(name)
        if declared is not None:
            return declared
        of, _, part = name.partition(".")
        if part == "short":
            return self.enums[of].shorts
        return compass_table(part, of) if of in DIRECTIONS else self.boards[of].table(part)

    def place(self, name: str) -> Variable | Pool | CardZone:
        """What is declared as a place of this name."""
        return self.variables.get(name) or self.pools.get(name) or self.zones[name]
