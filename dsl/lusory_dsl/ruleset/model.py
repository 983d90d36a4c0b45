"""Define the ruleset as written: what the loader builds from YAML that passed the schema.

The checker reads it. All records are frozen. Effect text is not parsed yet (:class:`EmbeddedText`). Each name has the
span of its key. Mappings keep the authors' order.
"""

from __future__ import annotations

from ..source.dataclass_with_lazy_methods import Record, field
from ..source.source import EmbeddedText, Source, Span


class Word(Record):
    """A name with its position in the source."""

    text: str
    span: Span


class Value(Record):
    """Data of a table, field or default: a scalar, a list or a mapping.

    ``data`` is int, bool, str, None or ``tuple[Value, ...]``. If ``is_map`` is True, it is ``tuple[tuple[Word, Value],
    ...]``.
    """

    data: object
    is_map: bool
    span: Span


class NamedDecl(Record):
    """A declaration with a name. ``doc`` is its description, or "" without one."""

    name: Word
    doc: str


class RecommendedDecl(Record):
    """A game to begin with: who sits on each seat, and the options that differ from their defaults."""

    name: str
    seats: tuple[str, ...]
    options: tuple[tuple[Word, Value], ...]
    span: Span


class StartPageDecl(Record):
    """The page that a player reads before the first decision.

    ``turn`` holds (phase, sentence) pairs. The phase is None for lines that belong to no phase. Only the rulebook shows
    ``preparation`` and ``end``, which say how the game is set up and when it ends.
    """

    aim: str
    turn: tuple[tuple[Word | None, str], ...]
    know: tuple[str, ...]
    preparation: tuple[str, ...]
    end: tuple[str, ...]
    recommended: tuple[RecommendedDecl, ...]
    span: Span


class GameDecl(Record):
    """Declare the game: its id, name, version, numbers of players, authors and start page."""

    id: Word
    name: str
    version: str
    min_players: int
    max_players: int
    authors: tuple[str, ...]
    about: str
    span: Span
    start_page: StartPageDecl | None = None


class OptionDecl(NamedDecl):
    """Declare an option: its type with ``values``, or its ``range``, and its default."""

    type: Word | None  # Bool or Int; None if ``values`` is given
    values: tuple[Word, ...]
    range: tuple[int, int] | None
    default: Value


class EnumValueDecl(NamedDecl):
    """Declare a value of an enum, with its label, plural, short name and printed text. None: not declared."""

    label: str | None
    plural: Word | None
    short: str | None
    text: tuple[EmbeddedText, ...] = ()


class EnumDecl(Record):
    """An enum. The section ``resources`` is the enum ``Resource``."""

    name: Word
    values: tuple[EnumValueDecl, ...]


class BoardDecl(NamedDecl):
    """A board of spaces.

    Attributes:
        shapes: The keys that give its shape. There should be exactly one besides ``lines``.
        size: The size of a grid, hex or track, as written.
        links: Each space with the spaces that it is linked to.
        lines: Enum -> the number of spaces in each of its lines, or the lines themselves.
        map, start: Pictures of the board, as rows of text.
        signs: Values, and the signs for them in pictures.
    """

    shapes: tuple[Word, ...]
    size: Word | None  # for a grid, hex or track
    spaces: tuple[Word, ...]  # for a ring
    letters: Word | None
    links: tuple[tuple[Word, tuple[Word, ...]], ...]
    lines: tuple[tuple[Word, Word | tuple[EmbeddedText, ...]], ...]
    only: EmbeddedText | None
    is_first_row_north: bool
    wrap: str
    facing: tuple[Word, ...]
    is_one_way: bool
    labels: tuple[tuple[Word, str], ...]
    map: EmbeddedText | None
    shows: tuple[Word, ...]
    signs: tuple[tuple[Word, str], ...]
    start: EmbeddedText | None
    docs: tuple[tuple[Word, str], ...] = ()  # of spaces


class RoutineDecl(NamedDecl):
    """A query or effect, with the names and types of its parameters."""

    is_per_player: bool
    params: tuple[tuple[Word, Word], ...]


class MemberQueryDecl(RoutineDecl):
    """A query that each card of a kind answers. If ``value`` is None, each card must define it.

    ``phrase``, here and below, is a template of the parameters for rules texts.
    """

    type: Word | None
    value: EmbeddedText | None
    phrase: EmbeddedText | None = None


class MemberEffectDecl(RoutineDecl):
    """An effect that each card of a kind defines in its own way. If ``do`` is None, the default is to do nothing.

    ``says`` is what players see when the effect does something.
    """

    do: EmbeddedText | None
    says: EmbeddedText | None = None


class MemberActionDecl(NamedDecl):
    """An action that cards of a kind may have.

    All cards share ``conditions`` and ``cost``, which is paid before a card's own cost. ``label`` and ``says`` are
    defaults.
    """

    label: EmbeddedText | None
    conditions: tuple[EmbeddedText, ...]
    cost: EmbeddedText | None
    says: EmbeddedText | None


class ComponentDecl(NamedDecl):
    """Declare a kind of component: its printed fields, and the members and rules that its cards have."""

    fields: tuple[tuple[Word, Word], ...]  # field name, type text
    queries: tuple[MemberQueryDecl, ...] = ()
    effects: tuple[MemberEffectDecl, ...] = ()
    actions: tuple[MemberActionDecl, ...] = ()
    active: EmbeddedText | None = None  # when the rules of a copy apply
    rules: tuple[CardRuleDecl, ...] = ()  # rules of all cards of the kind
    can_be_blank: bool = False  # if it is True, the query ``blank`` among ``queries`` is the condition
    defaults: tuple[tuple[Word, Value], ...] = ()  # default values of fields
    docs: tuple[tuple[Word, str], ...] = ()  # of fields
    plural: str | None = None  # plural of the kind, if it is irregular
    frame_names: tuple[Word, ...] | None = None  # as written; None: the fields without a default

    @property
    def frame(self) -> tuple[str, ...]:
        """The fields that stand behind the name of a card, above its text.

        They are the fields that the author lists in ``frame_names``, in that order, perhaps none. If it is None, they
        are the fields without a default value, in declared order.
        """
        if self.frame_names is not None:
            return tuple(word.text for word in self.frame_names)
        defaults = {word.text for word, _ in self.defaults}
        return tuple(word.text for word, _ in self.fields if word.text not in defaults)

    @property
    def members(self) -> tuple[MemberQueryDecl | MemberEffectDecl | MemberActionDecl, ...]:
        """The queries, effects and actions of the kind, in this order."""
        return (*self.queries, *self.effects, *self.actions)


class ActionDecl(MemberActionDecl):
    """An action.

    ``choose`` is the text after the word ``choose`` (variables only). ``says`` is what players see of it. ``text``,
    here and below, holds the lines that are printed for players. They contain no expressions.
    """

    choose: EmbeddedText | None
    do: EmbeddedText
    text: tuple[EmbeddedText, ...] = ()


class CardRuleDecl(Record):
    """A rule printed on a card. ``active`` overrides the condition of its kind."""

    rule: EmbeddedText
    active: EmbeddedText | None


class KeywordDecl(NamedDecl):
    """A keyword that cards of a kind can have, perhaps with a value of ``type``, and the rules that it implies.

    ``member`` is set if the keyword is an effect or action, which each card defines where it lists the keyword.
    ``label`` and ``reminder`` are templates in which the keyword's name is replaced by its value. ``to`` selects the
    cards that gain the effect that a card writes after the keyword.
    """

    kind: Word
    type: Word | None
    member: MemberEffectDecl | MemberActionDecl | None
    to: EmbeddedText | None
    label: EmbeddedText | None
    reminder: EmbeddedText | None
    rules: tuple[CardRuleDecl, ...]


class FamilyDecl(Record):
    """A family of cards: one card for each combination of values of the names in ``for_each``.

    ``id``, ``label``, ``copies`` and ``fields`` are evaluated for each card.
    """

    id: EmbeddedText
    for_each: EmbeddedText
    label: EmbeddedText | None
    copies: EmbeddedText | None
    fields: tuple[tuple[Word, EmbeddedText], ...]


class CardDecl(Record):
    """A card. ``queries``, ``effects`` and ``actions`` define the members of its kind.

    ``keywords`` holds each keyword with its value, effect or action, if it has one. ``family`` is the family that
    generated the card, and ``values`` are the values of the family's names.
    """

    id: Word
    kind: Word
    label: str | None
    copies: int
    fields: tuple[tuple[Word, Value], ...]
    queries: tuple[tuple[Word, EmbeddedText], ...] = ()
    effects: tuple[tuple[Word, EmbeddedText], ...] = ()
    actions: tuple[ActionDecl, ...] = ()
    rules: tuple[CardRuleDecl, ...] = ()
    keywords: tuple[tuple[Word, Value | EmbeddedText | ActionDecl | None], ...] = ()
    family: FamilyDecl | None = None
    values: tuple[tuple[str, str], ...] = ()
    text: tuple[EmbeddedText, ...] = ()

    @property
    def quoted_name(self) -> str:
        """The card for a message: its id in backticks, and the values of its family if it has one.

        Example: `` `club_2` (suit = club, rank = 2)``.
        """
        values = ", ".join(f"{name} = {value}" for name, value in self.values)
        return f"`{self.id.text}`" + (f" ({values})" if values else "")

    @property
    def all_effects(self) -> tuple[tuple[Word, EmbeddedText], ...]:
        """(name, code) of each effect of the card, then of each effect of its keywords."""
        return (*self.effects, *((word, value) for word, value in self.keywords if isinstance(value, EmbeddedText)))

    @property
    def all_actions(self) -> tuple[ActionDecl, ...]:
        """The actions of the card, then those of its keywords."""
        return (*self.actions, *(value for _, value in self.keywords if isinstance(value, ActionDecl)))


class TableDecl(NamedDecl):
    """A table. It has ``values`` as written, or an expression ``value`` for each entry."""

    per: tuple[Word, ...]
    type: Word
    values: Value
    value: EmbeddedText | None = None


class VariableDecl(NamedDecl):
    """A variable.

    ``start`` is an expression, or entries by the names of an index. None: none, or the picture of a board.
    """

    type: Word
    per: tuple[Word, ...]
    start: EmbeddedText | tuple[tuple[Word, Value], ...] | None
    visible: EmbeddedText | None  # None: visible to all
    label: str | None
    phrase: EmbeddedText | None = None


class ZoneDecl(NamedDecl):
    """A zone of counters (a pool) or of cards.

    Attributes:
        start: For a pool, (kind, expression) pairs.
        start_kind: For a card zone, the component kind that starts here with all its components.
        start_expression: For a card zone, an expression for the cards that start here.
        top, bottom: The seats that see the card at that end. ``visible`` then applies to the rest.
        is_sorted: The cards are always in declared order.
    """

    holds: Word
    per: tuple[Word, ...]
    kinds: tuple[Word, ...] | None
    start: tuple[tuple[Word, EmbeddedText], ...]
    start_kind: Word | None
    start_expression: EmbeddedText | None
    is_unlimited: bool
    visible: EmbeddedText | None
    moves: EmbeddedText | None
    label: str | None
    top: EmbeddedText | None = None
    bottom: EmbeddedText | None = None
    is_sorted: bool = False


class QueryDecl(RoutineDecl):
    """Declare a query: a named expression with parameters, which rules can modify."""

    value: EmbeddedText
    phrase: EmbeddedText | None = None


class EffectDecl(MemberEffectDecl):
    """Declare an effect: a named block of statements with parameters."""

    do: EmbeddedText
    phrase: EmbeddedText | None = None
    text: tuple[EmbeddedText, ...] = ()


class WindowDecl(NamedDecl):
    """A window in which players may answer.

    If ``lasts_until_all_pass`` is True, players are asked in turn until all pass, up to ``at_most`` answers. Otherwise
    each is asked once. If ``is_last_first`` is True, answers take effect when the window closes, last one first.
    Otherwise each does at once.
    """

    params: tuple[tuple[Word, Word], ...]
    who: EmbeddedText
    forced: tuple[EmbeddedText, ...]
    actions: tuple[EmbeddedText, ...]
    lasts_until_all_pass: bool
    at_most: int | None
    is_last_first: bool
    prompt: EmbeddedText | None
    phrase: EmbeddedText | None = None


class MenuDecl(NamedDecl):
    """Actions that are offered together. Each is written as after the words ``take action``."""

    actions: tuple[EmbeddedText, ...]
    prompt: EmbeddedText | None


class SpanDecl(NamedDecl):
    """Declare a span: a state that a statement begins, and that ends when ``holds`` fails."""

    is_per_player: bool
    holds: EmbeddedText
    phrase: EmbeddedText | None = None


class DurationDecl(NamedDecl):
    """A time until which changes may last. The ruleset ends it."""

    is_per_player: bool


class RuleDecl(NamedDecl):
    """Declare a rule that triggers on an event, modifies a query or checks the state."""

    rule: EmbeddedText


class PhaseDecl(Record):
    """Declare a phase: its statements, its child phases, and how often it repeats."""

    id: Word
    label: EmbeddedText | None
    condition: EmbeddedText | None
    repeat: EmbeddedText | None
    at_most: int | None
    do: EmbeddedText | None
    phases: tuple[PhaseDecl, ...]
    span: Span
    doc: str
    text: tuple[EmbeddedText, ...] = ()


class ChartDecl(NamedDecl):
    """A named ranking that an ending can use. ``steps`` holds (title, value) pairs."""

    title: str
    steps: tuple[tuple[str, EmbeddedText], ...]
    text: tuple[EmbeddedText, ...] = ()


class ScoreItemDecl(Record):
    """A part of the score. ``why`` is a template that says what it counts."""

    title: str
    value: EmbeddedText
    why: EmbeddedText | None


class ScoringDecl(Record):
    """The ranking of players, and the columns of the final table.

    ``items`` add up to the first of ``rank``, and ``ties`` names the others. A ruleset has ``show`` or ``items``.
    """

    rank: tuple[EmbeddedText, ...]
    payoff: EmbeddedText | None
    show: tuple[tuple[str, EmbeddedText], ...]
    charts: tuple[ChartDecl, ...]
    span: Span
    items: tuple[ScoreItemDecl, ...] = ()
    ties: tuple[Word, ...] = ()


class EndingDecl(Record):
    """A way in which the game ends. The names in ``label`` are those of the place where the game ends."""

    name: Word
    label: EmbeddedText
    text: tuple[EmbeddedText, ...]


class BotsDecl(Record):
    """Hints for bots. ``likely`` maps actions and options to weights.

    ``horizon`` is None if the author gives none. ``levels`` maps levels of bots to simulations for each decision.
    """

    value: EmbeddedText | None
    horizon: int | None
    likely: tuple[tuple[Word, int], ...]
    never: tuple[Word, ...]
    levels: tuple[tuple[Word, int], ...]
    span: Span


class ThresholdDecl(Record):
    """Bounds of a statistic called ``figure``, or of its change.

    ``subject`` is the seat or ending that it applies to, or None.
    """

    figure: Word
    subject: Word | None
    low: int
    high: int


class BalanceDecl(Record):
    """Targets for balance. ``games`` is None if the author gives no number."""

    seats: tuple[Word, ...]
    games: int | None
    within: tuple[ThresholdDecl, ...]
    change: tuple[ThresholdDecl, ...]
    span: Span


class ViewPartDecl(Record):
    """A part of the view. ``since`` is the least number of columns of a screen that shows it."""

    title: str
    condition: EmbeddedText | None
    since: int


class ViewItemDecl(ViewPartDecl):
    """A titled value: a ``text`` or a ``pool``."""

    text: EmbeddedText | None
    short: EmbeddedText | None = None
    pool: EmbeddedText | None = None
    is_below: bool = False
    is_spare: bool = False


class BoardViewDecl(ViewPartDecl):
    """A grid of texts.

    It has one of three forms: ``rows``, ``columns`` and ``text``; a ``board`` of spaces with ``text`` or its signs;
    ``cells`` of a list, with ``columns`` cells in each row. ``edges`` are the texts at the top, right, bottom and left
    of a board.
    """

    rows: EmbeddedText | None
    columns: EmbeddedText | None
    text: EmbeddedText | None
    has_headings: bool
    board: Word | None = None
    cells: EmbeddedText | None = None
    is_cropped: bool = False
    short: EmbeddedText | None = None
    is_boxed: bool = False
    edges: tuple[EmbeddedText | None, ...] = (None,) * 4


class PanelDecl(ViewPartDecl):
    """A panel of a ``kind`` (``track``, ``map``, ``dials`` or ``hand``) with its texts.

    Texts that are absent, or that the kind doesn't have, are None. ``leads`` holds (to, sign, condition) triples.
    """

    kind: str
    of: EmbeddedText | None
    board: Word | None
    is_per_player: bool
    text: EmbeddedText | None
    short: EmbeddedText | None
    under: EmbeddedText | None
    faces: EmbeddedText | None
    at: EmbeddedText | None
    note: EmbeddedText | None
    dim: EmbeddedText | None
    is_boxed: bool
    leads: tuple[tuple[EmbeddedText, EmbeddedText, EmbeddedText | None], ...]


class PilesDecl(ViewPartDecl):
    """Piles side by side: (title, cards, condition) triples."""

    piles: tuple[tuple[str, EmbeddedText, EmbeddedText | None], ...]


class LookDecl(Record):
    """The appearance of the values of a type. ``marks`` holds (sign, colour, condition) triples."""

    type: Word
    signs: tuple[tuple[Word, Word], ...]
    colours: tuple[tuple[Word, Word], ...]
    like: EmbeddedText | None
    short: EmbeddedText | None
    dim: EmbeddedText | None
    marks: tuple[tuple[str, str, EmbeddedText | None], ...]


class ViewDecl(Record):
    """Declare the layout of the table on the screen."""

    status: tuple[ViewItemDecl, ...]
    players: tuple[ViewItemDecl, ...]
    shared: tuple[ViewItemDecl, ...]
    own: tuple[ViewItemDecl, ...]
    boards: tuple[BoardViewDecl, ...]
    panels: tuple[BoardViewDecl | PanelDecl | PilesDecl, ...] = ()
    looks: tuple[LookDecl, ...] = ()


class InvariantDecl(Record):
    """Declare a condition that must hold in every position, for each combination of the variables of ``for_each``."""

    id: Word
    for_each: EmbeddedText | None
    always: EmbeddedText
    because: EmbeddedText | None
    doc: str


class PackDecl(Record):
    """A pack that extends the ruleset. ``replaces`` lists what the pack redefines."""

    name: str
    about: str
    replaces: tuple[Word, ...]


class TextLock(Record):
    """The texts that the author of a ruleset or pack has accepted.

    ``path`` is its folder or file. ``accepted_digests`` maps the name of a declaration, such as ``card imp``, to the
    digests of its text and of its rules.
    """

    path: str
    accepted_digests: dict[str, tuple[str, str]] = field(default_factory=dict)


class Ruleset(Record):
    """A whole ruleset as written.

    ``more_setups`` holds the setup of each pack, which runs after ``setup``. ``read_by_families`` names the tables,
    enums and boards that families of cards read.
    """

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
    setup: EmbeddedText | None
    phases: tuple[PhaseDecl, ...]
    scoring: ScoringDecl | None
    bots: BotsDecl | None
    balance: BalanceDecl | None
    invariants: tuple[InvariantDecl, ...]
    view: ViewDecl | None
    packs: tuple[PackDecl, ...] = ()
    more_setups: tuple[EmbeddedText, ...] = ()
    read_by_families: frozenset[str] = frozenset()
    endings: tuple[EndingDecl, ...] = ()
    text_locks: tuple[TextLock, ...] = ()  # of the ruleset itself, then of each pack
