"""The ruleset as written: what the loader makes of the YAML files after the schema has passed them.

Frozen; effect text is still text (:class:`Embedded`). Every name carries the span of its key. Read by the checker.
``Named`` mappings keep the authors' order.
"""

from __future__ import annotations

from ..source.dataclasses import dataclass
from ..source.source import Embedded, Source, Span


@dataclass(frozen=True, eq=False)
class Word:
    """A scalar that names something, with its place."""

    text: str
    span: Span


@dataclass(frozen=True, eq=False)
class Value:
    """Plain data of a table, field or default: scalar, list (tuple) or mapping (tuple of (Word, Value)).

    ``data`` is int, bool, str, None, ``tuple[Value, ...]`` or ``tuple[tuple[Word, Value], ...]`` (``is_map``)."""

    data: object
    is_map: bool
    span: Span


@dataclass(frozen=True, eq=False)
class GameDecl:
    id: Word
    name: str
    version: str
    min_players: int
    max_players: int
    authors: tuple[str, ...]
    about: str
    span: Span


@dataclass(frozen=True, eq=False)
class OptionDecl:
    name: Word
    type: Word | None  # Bool | Int; None when ``values`` is given
    values: tuple[Word, ...]
    range: tuple[int, int] | None
    default: Value
    doc: str


@dataclass(frozen=True, eq=False)
class EnumValueDecl:
    name: Word
    label: str | None
    plural: Word | None
    short: str | None
    doc: str = ""


@dataclass(frozen=True, eq=False)
class EnumDecl:
    """Also the ``resources`` section, whose enum is named ``Resource``."""

    name: Word
    values: tuple[EnumValueDecl, ...]


@dataclass(frozen=True, eq=False)
class BoardDecl:
    """A board of spaces. ``shapes``: the keys that say its shape, of which there should be one, apart from ``lines``.

    ``grid`` and ``hex`` are as written. ``links``: each space with those it is linked to. ``lines``: enum -> how many
    spaces the lines have, or the lines. ``map``, ``start``: texts in rows. ``signs``: values and how they look."""

    name: Word
    shapes: tuple[Word, ...]
    size: Word | None  # of a grid, hex or track
    spaces: tuple[Word, ...]  # of a ring
    letters: Word | None
    links: tuple[tuple[Word, tuple[Word, ...]], ...]
    lines: tuple[tuple[Word, Word | tuple[Embedded, ...]], ...]
    only: Embedded | None
    first_row_north: bool
    wrap: str
    facing: tuple[Word, ...]
    one_way: bool
    labels: tuple[tuple[Word, str], ...]
    map: Embedded | None
    shows: tuple[Word, ...]
    signs: tuple[tuple[Word, str], ...]
    start: Embedded | None
    doc: str
    docs: tuple[tuple[Word, str], ...] = ()  # of spaces


@dataclass(frozen=True, eq=False)
class MemberQueryDecl:
    """A question that each card of a kind answers; ``value`` None: each card must say how. ``phrase``, here and below:
    how it reads in rules in words, a template of the parameters."""

    name: Word
    per_player: bool
    params: tuple[tuple[Word, Word], ...]
    type: Word | None
    value: Embedded | None
    doc: str
    phrase: Embedded | None = None


@dataclass(frozen=True, eq=False)
class MemberEffectDecl:
    """A deed that each card of a kind does in its own way; ``do`` None: nothing, where a card does not say. ``says``:
    what players are told of it where something is done."""

    name: Word
    per_player: bool
    params: tuple[tuple[Word, Word], ...]
    do: Embedded | None
    doc: str
    says: Embedded | None = None


@dataclass(frozen=True, eq=False)
class MemberActionDecl:
    """An action that cards of a kind may have. ``conditions`` and ``cost`` (paid before what the card itself asks for)
    are common to all; ``label`` and ``says`` hold for cards that write none."""

    name: Word
    label: Embedded | None
    conditions: tuple[Embedded, ...]
    cost: Embedded | None
    doc: str
    says: Embedded | None = None


@dataclass(frozen=True, eq=False)
class ComponentDecl:
    name: Word
    fields: tuple[tuple[Word, Word], ...]  # field name, type text
    doc: str
    queries: tuple[MemberQueryDecl, ...] = ()
    effects: tuple[MemberEffectDecl, ...] = ()
    actions: tuple[MemberActionDecl, ...] = ()
    active: Embedded | None = None  # when the rules of a copy hold
    rules: tuple[CardRuleDecl, ...] = ()  # of all its cards
    blank: bool = False  # whether cards can be blank: then a query of this name, among ``queries``, says when
    defaults: tuple[tuple[Word, Value], ...] = ()  # fields of cards that do not say more
    docs: tuple[tuple[Word, str], ...] = ()  # of fields
    plural: str | None = None  # what several of the kind are called, where no rule makes it

    @property
    def members(self) -> tuple[MemberQueryDecl | MemberEffectDecl | MemberActionDecl, ...]:
        return (*self.queries, *self.effects, *self.actions)


@dataclass(frozen=True, eq=False)
class ActionDecl:
    """``choose`` is the text after the word ``choose`` (variables only). ``says``: what players are told of it."""

    name: Word
    label: Embedded | None
    choose: Embedded | None
    conditions: tuple[Embedded, ...]
    cost: Embedded | None
    do: Embedded
    doc: str
    says: Embedded | None = None


@dataclass(frozen=True, eq=False)
class CardRuleDecl:
    """A rule that a card makes; ``active``: when, in place of what its kind says."""

    rule: Embedded
    active: Embedded | None


@dataclass(frozen=True, eq=False)
class KeywordDecl:
    """A word that cards of a kind can have, with a value where it has a ``type``, and the rules that come with it.
    ``member``: the effect or action of the kind that it is, which cards fill in where they list the keyword.
    ``label`` and ``reminder`` are templates that may name the keyword, which stands for its value. ``to``: which cards
    get what a card says behind the keyword."""

    name: Word
    kind: Word
    type: Word | None
    member: MemberEffectDecl | MemberActionDecl | None
    to: Embedded | None
    label: Embedded | None
    reminder: Embedded | None
    rules: tuple[CardRuleDecl, ...]
    doc: str


@dataclass(frozen=True, eq=False)
class FamilyDecl:
    """Cards that are alike: one for each way in which the names of ``each`` can have values. ``id``, ``label``,
    ``copies`` and ``fields`` are worked out for each."""

    id: Embedded
    each: Embedded
    label: Embedded | None
    copies: Embedded | None
    fields: tuple[tuple[Word, Embedded], ...]


@dataclass(frozen=True, eq=False)
class CardDecl:
    """``queries``, ``effects`` and ``actions`` fill the members of its kind. ``keywords``: each with its value, where
    one is written, or with what it does. ``family``: what the card was made by, with the names' ``values``."""

    id: Word
    kind: Word
    label: str | None
    copies: int
    fields: tuple[tuple[Word, Value], ...]
    queries: tuple[tuple[Word, Embedded], ...] = ()
    effects: tuple[tuple[Word, Embedded], ...] = ()
    actions: tuple[ActionDecl, ...] = ()
    rules: tuple[CardRuleDecl, ...] = ()
    keywords: tuple[tuple[Word, Value | Embedded | ActionDecl | None], ...] = ()
    family: FamilyDecl | None = None
    values: tuple[tuple[str, str], ...] = ()

    @property
    def called(self) -> str:
        """The card as messages call it."""
        values = ", ".join(f"{name} = {value}" for name, value in self.values)
        return f"`{self.id.text}`" + (f" ({values})" if values else "")

    @property
    def all_effects(self) -> tuple[tuple[Word, Embedded], ...]:
        """With those that its keywords are."""
        return (*self.effects, *((word, value) for word, value in self.keywords if isinstance(value, Embedded)))

    @property
    def all_actions(self) -> tuple[ActionDecl, ...]:
        """With those that its keywords are."""
        return (*self.actions, *(value for _, value in self.keywords if isinstance(value, ActionDecl)))


@dataclass(frozen=True, eq=False)
class TableDecl:
    """``values`` as written, or ``value``: how each is worked out."""

    name: Word
    per: tuple[Word, ...]
    type: Word
    values: Value
    doc: str
    value: Embedded | None = None


@dataclass(frozen=True, eq=False)
class VariableDecl:
    """``start``: an expression, or entries by the names of an index; None: nothing, or as a picture of a board says."""

    name: Word
    type: Word
    per: tuple[Word, ...]
    start: Embedded | tuple[tuple[Word, Value], ...] | None
    visible: Embedded | None  # None: all
    label: str | None
    doc: str
    phrase: Embedded | None = None


@dataclass(frozen=True, eq=False)
class ZoneDecl:
    """``start`` of a pool: (kind, expression) pairs; of a card zone: ``start_all`` names a component kind, or
    ``start_of`` says which cards. ``top``, ``bottom``: who sees the card at that end; ``visible`` is then who sees the
    rest. ``is_sorted``: its cards lie in declared order, however they come."""

    name: Word
    holds: Word
    per: tuple[Word, ...]
    kinds: tuple[Word, ...] | None
    start: tuple[tuple[Word, Embedded], ...]
    start_all: Word | None
    start_of: Embedded | None
    unlimited: bool
    visible: Embedded | None
    moves: Embedded | None
    label: str | None
    doc: str
    top: Embedded | None = None
    bottom: Embedded | None = None
    is_sorted: bool = False


@dataclass(frozen=True, eq=False)
class QueryDecl:
    name: Word
    per_player: bool
    params: tuple[tuple[Word, Word], ...]
    value: Embedded
    doc: str
    phrase: Embedded | None = None


@dataclass(frozen=True, eq=False)
class EffectDecl:
    name: Word
    per_player: bool
    params: tuple[tuple[Word, Word], ...]
    do: Embedded
    doc: str
    says: Embedded | None = None
    phrase: Embedded | None = None


@dataclass(frozen=True, eq=False)
class WindowDecl:
    """``until_all_pass``: asked round and round, at most ``at_most`` answers; else each once. ``last_first``: answers
    take effect when the window closes, the last one first; else each at once."""

    name: Word
    params: tuple[tuple[Word, Word], ...]
    who: Embedded
    forced: tuple[Embedded, ...]
    actions: tuple[Embedded, ...]
    until_all_pass: bool
    at_most: int | None
    last_first: bool
    prompt: Embedded | None
    doc: str
    phrase: Embedded | None = None


@dataclass(frozen=True, eq=False)
class MenuDecl:
    """Actions that are offered together, each as after the words ``take action``."""

    name: Word
    actions: tuple[Embedded, ...]
    prompt: Embedded | None
    doc: str


@dataclass(frozen=True, eq=False)
class SpanDecl:
    name: Word
    per_player: bool
    holds: Embedded
    doc: str
    phrase: Embedded | None = None


@dataclass(frozen=True, eq=False)
class DurationDecl:
    """How long a change may last: until the ruleset ends it."""

    name: Word
    per_player: bool
    doc: str


@dataclass(frozen=True, eq=False)
class RuleDecl:
    name: Word
    rule: Embedded
    doc: str


@dataclass(frozen=True, eq=False)
class PhaseDecl:
    id: Word
    label: Embedded | None
    condition: Embedded | None
    repeat: Embedded | None
    at_most: int | None
    do: Embedded | None
    phases: tuple[PhaseDecl, ...]
    span: Span
    doc: str


@dataclass(frozen=True, eq=False)
class ChartDecl:
    """A named ranking that an ending can use; ``steps``: title and value of each."""

    name: Word
    title: str
    steps: tuple[tuple[str, Embedded], ...]
    doc: str


@dataclass(frozen=True, eq=False)
class ScoringDecl:
    rank: tuple[Embedded, ...]
    payoff: Embedded | None
    show: tuple[tuple[str, Embedded], ...]
    charts: tuple[ChartDecl, ...]
    span: Span


@dataclass(frozen=True, eq=False)
class BotsDecl:
    """``likely``: names of actions and options, and their weights. ``horizon``: None where it is not said. ``levels``:
    of those that are named, simulations of a decision."""

    value: Embedded | None
    horizon: int | None
    likely: tuple[tuple[Word, int], ...]
    never: tuple[Word, ...]
    levels: tuple[tuple[Word, int], ...]
    span: Span


@dataclass(frozen=True, eq=False)
class ThresholdDecl:
    """``figure``: as it is called; ``of``: whose, which ending, or None. ``low`` to ``high``: where it may lie, or how
    far it may move."""

    figure: Word
    of: Word | None
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class BalanceDecl:
    """``games``: None where it is not said."""

    seats: tuple[Word, ...]
    games: int | None
    within: tuple[ThresholdDecl, ...]
    change: tuple[ThresholdDecl, ...]
    span: Span


@dataclass(frozen=True, eq=False)
class ViewItemDecl:
    """A titled ``text``, or ``pool``."""

    title: str
    text: Embedded | None
    condition: Embedded | None
    short: Embedded | None = None
    pool: Embedded | None = None
    below: bool = False
    since: int = 0


@dataclass(frozen=True, eq=False)
class BoardViewDecl:
    """A grid with ``rows``, ``columns`` and ``text``; a ``board`` of spaces, with ``text`` or its signs; or ``cells``
    of a list with ``columns`` in each row."""

    title: str
    rows: Embedded | None
    columns: Embedded | None
    text: Embedded | None
    condition: Embedded | None
    headings: bool
    board: Word | None = None
    cells: Embedded | None = None
    crop: bool = False
    short: Embedded | None = None
    boxed: bool = False
    since: int = 0


@dataclass(frozen=True, eq=False)
class PanelDecl:
    """A panel of a ``kind`` (``track``, ``map``, ``dials``, ``hand``) and the texts that it is made of; those that its
    kind has not, or that are not given, are None. ``leads``: to, sign and condition of each."""

    kind: str
    title: str
    condition: Embedded | None
    since: int
    of: Embedded | None
    board: Word | None
    per_player: bool
    text: Embedded | None
    short: Embedded | None
    under: Embedded | None
    faces: Embedded | None
    at: Embedded | None
    note: Embedded | None
    dim: Embedded | None
    boxed: bool
    leads: tuple[tuple[Embedded, Embedded, Embedded | None], ...]


@dataclass(frozen=True, eq=False)
class PilesDecl:
    """``piles``: title, cards and condition of each."""

    title: str
    condition: Embedded | None
    since: int
    piles: tuple[tuple[str, Embedded, Embedded | None], ...]


@dataclass(frozen=True, eq=False)
class LookDecl:
    """``marks``: sign, colour and condition of each."""

    type: Word
    signs: tuple[tuple[Word, Word], ...]
    colours: tuple[tuple[Word, Word], ...]
    like: Embedded | None
    short: Embedded | None
    dim: Embedded | None
    marks: tuple[tuple[str, str, Embedded | None], ...]


@dataclass(frozen=True, eq=False)
class ViewDecl:
    status: tuple[ViewItemDecl, ...]
    players: tuple[ViewItemDecl, ...]
    shared: tuple[ViewItemDecl, ...]
    own: tuple[ViewItemDecl, ...]
    boards: tuple[BoardViewDecl, ...]
    panels: tuple[BoardViewDecl | PanelDecl | PilesDecl, ...] = ()
    looks: tuple[LookDecl, ...] = ()


@dataclass(frozen=True, eq=False)
class InvariantDecl:
    id: Word
    each: Embedded | None
    always: Embedded
    because: Embedded | None
    doc: str


@dataclass(frozen=True, eq=False)
class PackDecl:
    """A pack that has been laid over the ruleset; ``replaces``: what of it the pack declares anew."""

    name: str
    about: str
    replaces: tuple[Word, ...]


@dataclass(frozen=True, eq=False)
class Ruleset:
    """All of it. ``more_setups``: what packs do behind ``setup``; ``read_by_families``: the tables and enums that
    families of cards are made with."""

    sources: tuple[Source, ...]
    directory: str | None
    digest: str
    game: GameDecl
    options: tuple[OptionDecl, ...]
    enums: tuple[EnumDecl, ...]
    boards: tuple[BoardDecl, ...]
    components: tuple[ComponentDecl, ...]
    cards: tuple[CardDecl, ...]
    keywords: tuple[KeywordDecl, ...]
    tables: tuple[TableDecl, ...]
    variables: tuple[VariableDecl, ...]
    zones: tuple[ZoneDecl, ...]
    queries: tuple[QueryDecl, ...]
    effects: tuple[EffectDecl, ...]
    actions: tuple[ActionDecl, ...]
    menus: tuple[MenuDecl, ...]
    windows: tuple[WindowDecl, ...]
    spans: tuple[SpanDecl, ...]
    durations: tuple[DurationDecl, ...]
    layers: tuple[Word, ...]
    rules: tuple[RuleDecl, ...]
    setup: Embedded | None
    phases: tuple[PhaseDecl, ...]
    scoring: ScoringDecl | None
    bots: BotsDecl | None
    balance: BalanceDecl | None
    invariants: tuple[InvariantDecl, ...]
    view: ViewDecl | None
    packs: tuple[PackDecl, ...] = ()
    more_setups: tuple[Embedded, ...] = ()
    read_by_families: frozenset[str] = frozenset()
