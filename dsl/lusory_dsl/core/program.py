"""Define a checked program as a whole: its declarations, scoring, invariants, hints for bots and table layout."""

from __future__ import annotations

import re

from ..source.dataclass_with_lazy_methods import Record, field
from ..types.types import Type
from .board_drawing_and_parsing import Picture
from .board_geometry import DIRECTIONS, Board, make_opposite_table
from .declarations import CardZone, Effect, Entity, Enum, Option, Phase, Pool, Query, Table, Variable, Visibility
from .expressions import Expr, TextTemplate
from .screen_layout_declarations import ViewLayout
from .statements import ChoiceVar

#: Variables that store an ending: the number of its chart (0 for none), and whether a player can win.
ENDING_VARIABLE, CAN_WIN_VARIABLE = "scoring_Chart", "scoring_CanWin"


class Scoring(Record):
    """The ranking at the end of the game. All expressions have slot 0 = me.

    Attributes:
        rank: Int expressions, compared in order. More is better, and players with equal values are tied.
        payoff: Int expression for the winnings in a zero-sum or cash game. None: derived from the ranking.
        columns: (title, Int expression) pairs for the final table.
        charts: The rankings that an ending can name. ``rank`` already includes them.
        items: The summands of the first value that the author ranks by. ``columns`` includes them, the sum and the
            ties.
        ties: The names of the next values that the author ranks by.
        is_selective: The first rank value is 1 for players who can win and 0 for others. If all have 0, nobody wins.
        is_zero_sum: The losers pay the share of the winners.
    """

    rank: tuple[Expr, ...]
    payoff: Expr | None
    columns: tuple[tuple[str, Expr], ...]
    n_slots: int
    charts: tuple[Chart, ...] = ()
    is_selective: bool = False
    is_zero_sum: bool = False
    items: tuple[ScoreItem, ...] = ()
    ties: tuple[str, ...] = ()


class ScoreItem(Record):
    """A part of the score: an Int expression. ``why`` says what it counts."""

    title: str
    value: Expr
    why: TextTemplate | None


class Ending(Record):
    """A way in which the game ends.

    ``label`` has ``{}`` in place of each inserted value. ``text`` holds the lines that explain it.
    """

    label: str
    text: tuple[str, ...]


class RecommendedGame(Record):
    """A game to begin with: who sits on each seat, and the options that differ from their defaults, as authors write
    them.
    """

    name: str
    seats: tuple[str, ...]
    options: dict[str, bool | int | str]


class StartPage(Record):
    """The page that a player reads before the first decision.

    ``turn`` holds (title, sentence) pairs. The title is that of a phase, or empty.
    """

    aim: str
    turn: tuple[tuple[str, str], ...]
    know: tuple[str, ...]
    recommended_games: tuple[RecommendedGame, ...]


class PrintedTexts(Record):
    """The texts that authors have written for players. No rule reads them.

    Each mapping holds the lines of a declaration, by its name. Declarations without a text have no entry. ``values``
    has keys such as ``Action.arm``. ``frames`` holds the fields above the text of the cards of each kind.
    """

    start_page: StartPage | None = None
    cards: dict[str, tuple[str, ...]] = field(default_factory=dict)
    actions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    effects: dict[str, tuple[str, ...]] = field(default_factory=dict)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    phases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    charts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    endings: dict[str, Ending] = field(default_factory=dict)
    frames: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def find_ending(self, reason: str | None) -> Ending | None:
        """Return the first ending whose label gives this reason of a game's end, or None if no label does.

        Each ``{}`` in a label matches any text: ``{} wins`` gives the reason ``Ann wins``. Returns None for the reason
        None.
        """
        if reason is None:
            return None
        return next((ending for ending in self.endings.values() if _is_filled(ending.label, reason)), None)


def _is_filled(label: str, text: str) -> bool:
    """Return whether a text is ``label`` with a value in place of each ``{}``."""
    first_part, *other_parts = map(re.escape, label.split("{}"))
    # each part at the first place that has it, because trying all places takes forever with many values
    pattern = "".join(f"(?>.*?{part})" for part in other_parts[:-1]) + "".join(f".*{part}" for part in other_parts[-1:])
    return re.fullmatch(first_part + pattern, text, re.DOTALL) is not None


class Chart(Record):
    """A ranking with named steps: (title, Int expression) pairs."""

    name: str
    title: str
    steps: tuple[tuple[str, Expr], ...]


class Invariant(Record):
    """A condition that must hold at every decision, for all combinations of ``vars``.

    ``simulate --check``, test cases and law checks evaluate it. ``because`` explains a violation. An invariant with
    ``is_law`` reads no state, so it always holds or never does, and ``check`` evaluates it too.
    """

    id: str
    condition: Expr
    n_slots: int
    doc: str
    vars: tuple[ChoiceVar, ...] = ()
    because: TextTemplate | None = None
    is_law: bool = False


class Advice(Record):
    """Hints for programs that search the game. They change no rule.

    Attributes:
        value: Int expression that evaluates a position for a player (slot 0 = me). More is better. None: the rank
            value that serves as the score.
        horizon: Number of decisions after which a playout is cut off and evaluated.
        weights: Alternative name -> weight in playouts. 0: chosen only if there is no other.
        levels: Bot level -> number of simulations for each decision.
    """

    value: Expr | None = None
    n_slots: int = 1
    horizon: int | None = None
    weights: tuple[tuple[str, int], ...] = ()
    levels: tuple[tuple[str, int], ...] = ()


NO_ADVICE = Advice()
DEFAULT_WEIGHT = 10
"""The weight of an alternative for which the author gives none."""


class Threshold(Record):
    """Bounds, both inclusive, for a statistic of many games.

    ``statistic`` is ``win_rate``, ``draws``, ``length``, ``turns``, ``result`` or ``endings``. Shares are in per cent.
    ``subject`` is the seat (``first``, ``each``, ``P2``) or the ending that it applies to, or empty.
    """

    statistic: str
    subject: str
    low: int
    high: int


class Balance(Record):
    """Targets for balance among the players called ``seats``. They change no rule.

    The language knows these players by name only. ``games`` is the number of games to play, or None if the author gives
    none. ``within`` bounds statistics. ``change`` bounds their difference from those of other rules.
    """

    seats: tuple[str, ...] = ()
    games: int | None = None
    within: tuple[Threshold, ...] = ()
    change: tuple[Threshold, ...] = ()


NO_BALANCE = Balance()


class Pack(Record):
    """A pack that extends the ruleset. ``replaces`` lists the declarations that the pack redefines."""

    name: str
    replaces: tuple[str, ...]


class Program(Record):
    """A checked, immutable ruleset with everything that an engine needs."""

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
    phases: tuple[Phase, ...]  # run once each in order, unless they repeat; then the game is over
    scoring: Scoring
    invariants: tuple[Invariant, ...]
    layout: ViewLayout
    directory: str | None  # directory of the ruleset, for test cases and messages
    private_sites: frozenset[int] = frozenset()  # choices that appear in no other seat's log
    # the queries that are keywords, `Kind.keyword`; a card has a keyword unless its value is none
    keywords: tuple[str, ...] = ()
    packs: tuple[Pack, ...] = ()
    advice: Advice = NO_ADVICE
    balance: Balance = NO_BALANCE
    component_plurals: dict[str, str] = field(default_factory=dict)  # component kind -> its plural, if declared
    printed_texts: PrintedTexts = field(default_factory=PrintedTexts)

    def get_table(self, name: str) -> Table:
        """Return a declared table, or a table of a board or enum such as ``Square.beside`` or ``Suit.short``.

        ``Compass.opposite`` and ``Way.opposite`` are tables of directions. A declared table comes first. Raises
        KeyError for an unknown name, member or direction, such as in ``Square.ray.nowhere``.
        """
        table = self.tables.get(name)
        if table is not None:
            return table
        owner, _, member = name.partition(".")
        if member == "short":
            return self.enums[owner].short_table
        if owner in DIRECTIONS and member == "opposite":
            return make_opposite_table(owner)
        return self.boards[owner].get_table(member)

    def get_place(self, name: str) -> Variable | Pool | CardZone:
        """Return the variable, pool or card zone called ``name``. Raises KeyError for any other name."""
        return self.variables.get(name) or self.pools.get(name) or self.zones[name]

    def list_visibilities(self) -> list[Visibility]:
        """Return the visibility of each variable, then of each pool and its moves, then of each zone and its ends.

        A pool gives two entries, ``visible`` and ``moves``. A zone gives ``visible``, and then its ``top`` and
        ``bottom`` unless they are None. Equal visibilities are repeated.
        """
        visibilities = [variable.visible for variable in self.variables.values()]
        for pool in self.pools.values():
            visibilities += [pool.visible, pool.moves]
        for zone in self.zones.values():
            visibilities += zone.visibilities
        return visibilities
