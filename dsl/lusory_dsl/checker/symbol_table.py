"""Define the symbol table: the kinds of declared names, and the scopes that hold them.

It also holds :class:`Reference`, a place with some of its indices, and hints for names that authors know from other
systems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from .. import core
from ..core.generated_part_origins import SPANS
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record, dataclass, field
from ..source.diagnostics import Code, Diagnostics, name_subjects
from ..source.source import NOWHERE, Span
from ..source.spelling_suggestions import suggest_name
from ..types.types import BOOL, PLAYER, ComponentType, EnumType, PlayerType, Type

_OTHERS = "of two players the other one is `me.next`; all others are `players where it is not me`"
SEAT_HINT = "rules name no seat: the first player is `players.first`, the second `players.first.next`"
_AROUND = "the spaces next to it are `beside`, with those at its corners `around`"

_NAMES = {
    "opponent": _OTHERS, "opponents": _OTHERS, "enemy": _OTHERS, "enemies": _OTHERS, "others": _OTHERS,
    "directions": "all directions of a board are `Compass`, of a ring or track `Way`",
    "active_player": "who acts is `me`, in what is done for a player: `each player: …`, `by …: …`, `per: Player`",
    "current_player": "who acts is `me`, in what is done for a player: `each player: …`, `by …: …`, `per: Player`",
}  # fmt: skip
_MEMBERS = {
    "Player": dict.fromkeys(("opponent", "opponents", "enemy", "other", "others"), _OTHERS),
    "space": dict.fromkeys(("neighbours", "neighbors", "adjacent", "adjacents", "next_to", "orthogonals"), _AROUND),
}


def suggest_for_name(name: str, constants: Iterable[str]) -> str | None:
    """Return a hint that says how to express what an unknown name means in other systems. None if there is no hint.

    Hints exist for ``opponent`` and ``enemy`` and their plurals, ``others``, ``directions``, ``active_player`` and
    ``current_player``, only in lower case. They also exist for seats from 1 to 99: ``P9``, ``p9``, ``player9`` or
    ``Player_9``. ``constants`` are the named values that the text knows. If some are seats, as in a case file, the hint
    for a seat names the last one: “the last seat of this game is `P4`”. Otherwise it is :data:`SEAT_HINT`.
    """
    if not re.fullmatch(r"[Pp](layer_?)?[1-9]\d?", name):
        return _NAMES.get(name)
    seats = [constant for constant in constants if re.fullmatch(r"P[1-9]\d?", constant)]
    return f"the last seat of this game is `{seats[-1]}`" if seats else SEAT_HINT


def suggest_for_chance(function: str) -> str | None:
    """Return a hint for the name of a random function of another language, such as ``randint``.

    It is “chance decides in a statement: `roll n in 1..6: …` or `pick one in list at random: …`”. Returns None for any
    other name.
    """
    if function not in ("roll", "random", "rand", "randint", "dice", "die", "pick", "choice"):
        return None
    return "chance decides in a statement: `roll n in 1..6: …` or `pick one in list at random: …`"


def suggest_for_member(owner: str, name: str) -> str | None:
    """Return a hint for an unknown member that other systems have, or None if there is none.

    ``owner`` is ``Player`` or ``space``. Raises KeyError for any other.
    """
    return _MEMBERS[owner].get(name)


def report_unknown(
    report: Diagnostics,
    kind: str,
    name: str,
    span: Span,
    known_names: Iterable[str],
    otherwise: str | None = None,
    code: Code = codes.UNKNOWN_NAME,
) -> None:
    """Report an unknown name: “there is no variable `price`” for the kind ``variable``, with a hint.

    It is “did you mean `Ship.price`?” for the first of ``known_names`` that ends with ``.price``. Failing that, it
    suggests the most similar one. If none is similar, ``otherwise`` is the hint.
    """
    known_names = list(known_names)
    owned_name = next((known_name for known_name in known_names if known_name.endswith(f".{name}")), None)
    hint = f"did you mean `{owned_name}`?" if owned_name else suggest_name(name, known_names) or otherwise
    report.add(code, f"there is no {kind} `{name}`", span, hint, subjects=name_subjects(name))


Parameters = tuple[tuple[str, Type], ...]


class Symbol(Record):
    """A declared name. ``kind`` is the word that messages use for it."""

    name: str
    span: Span
    kind = "name"

    @property
    def shown_name(self) -> str:
        """The name of the symbol in messages."""
        return self.name

    @property
    def notes(self) -> list[tuple[Span, str]]:
        """The note that shows the declaration, as a list of one."""
        return [(self.span, "declared here")]


class BrokenSymbol(Symbol):
    """A name with a faulty declaration. Uses of it cause no further reports."""


class OptionSymbol(Symbol):
    """Name an option of the game, with its type."""

    type: Type
    kind = "option"


class TypeSymbol(Symbol):
    """An enum or component kind. Used as a list, its name means the run-time ``values``."""

    type: EnumType | ComponentType
    values: tuple[int, ...]

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The word for the symbol in messages: ``enum`` or ``component kind``."""
        return "enum" if isinstance(self.type, EnumType) else "component kind"


class PlaceSymbol(Symbol):
    """A name with indices: a table, variable or zone."""

    dims: tuple[core.Dim, ...]

    @property
    def is_per_player(self) -> bool:
        """True if the first index is a player.

        The place is then written ``p.name``, or just ``name`` for ``me``.
        """
        return bool(self.dims) and isinstance(self.dims[0].type, PlayerType)


class DurationSymbol(PlaceSymbol):
    """A duration. Temporary changes of queries can last until it ends."""

    kind = "duration"


class TableSymbol(PlaceSymbol):
    """Name a constant table."""

    type: Type
    kind = "table"


class ComputedTableSymbol(TableSymbol):
    """A computed table: a query that does not depend on the state of the game."""


class VariableSymbol(PlaceSymbol):
    """Name a variable, with the type of its value."""

    type: Type
    kind = "variable"


class LetSymbol(VariableSymbol):
    """The hidden variable behind a ``let`` whose name is written later. Its ``span`` is the name in the ``let``."""

    @property
    def shown_name(self) -> str:
        """The name that the ``let`` gives, because authors don't know that of the variable."""
        return self.span.text


class SpanSymbol(VariableSymbol):
    """A ``Bool`` variable that statements begin instead of set. It ends when its condition fails."""

    kind = "span"


class PoolSymbol(PlaceSymbol):
    """Name a pool of counters. ``kinds`` are the ordinals of the kinds that it can hold."""

    holds: EnumType
    kinds: tuple[int, ...]
    is_unlimited: bool
    kind = "pool"


class ZoneSymbol(PlaceSymbol):
    """Name a zone of cards. ``is_sorted``: its cards stay in declared order."""

    holds: ComponentType
    is_sorted: bool = False
    kind = "zone"


class CallableSymbol(Symbol):
    """A name that can be called.

    ``is_per_player``: a call has a player before the dot, ``p.name(…)``. ``params`` leaves this player out.
    """

    is_per_player: bool
    params: Parameters


class QuerySymbol(CallableSymbol):
    """Name a query."""

    kind = "query"


class KeywordSymbol(QuerySymbol):
    """A keyword that cards of a kind can have.

    Its query returns the value; ``type`` is the type of the printed value.
    """

    type: Type
    kind = "keyword"


class EffectSymbol(CallableSymbol):
    """Name an effect."""

    kind = "effect"


class WindowSymbol(EffectSymbol):
    """A reaction window: an effect that statements open instead of call."""

    kind = "window"


class ActionSymbol(Symbol):
    """Name an action."""

    kind = "action"


class EnumValueSymbol(Symbol):
    """An enum value, under its name or its plural."""

    enum: EnumType
    ordinal: int
    kind = "value"

    @property
    def qualified_name(self) -> str:
        """The value with its enum, such as ``Colour.red``."""
        return f"{self.enum.name}.{self.name}"


class ComponentKind(Record):
    """A component kind. Its entities have consecutive numbers from ``start`` on. ``fields`` are its printed fields."""

    name: str
    span: Span
    start: int
    size: int
    fields: dict[str, Type]


class KindAction(Record):
    """An action that cards of a kind may have.

    Attributes:
        cards: The cards that have it. Each entry is the number of the card's first copy, and the action's declaration.
        is_keyword: True if it is a keyword action. A blank card does not have it.
    """

    name: str
    kind: str
    decl: model.MemberActionDecl
    cards: tuple[tuple[int, model.ActionDecl], ...]
    is_keyword: bool

    @property
    def query_name(self) -> str:
        """The name of the query that says whether a card can use this action, such as ``Card.can bloom``."""
        return f"{self.kind}.can {self.decl.name.text}"


@dataclass(eq=False)
class QueryTypes:
    """Find the types of queries on demand.

    Attributes:
        compute_type: Returns the type of a query. The first call for a query checks its text.
        depth: The current nesting depth of checking. It counts through queries that are checked on demand.
        demands: The queries that the current text has asked for, in order: name and type -> the depth at the first
            time. None if nothing needs them.
    """

    compute_type: Callable[[str], Type]
    depth: int = 0
    demands: dict[tuple[str, Type], int] | None = None

    def find_type(self, name: str) -> Type:
        """Return what ``compute_type`` returns for a name, and store the current ``depth`` as ``demands[name, type]``.

        An entry that exists already keeps its depth. Stores nothing if ``demands`` is None.
        """
        type = self.compute_type(name)
        if self.demands is not None:
            self.demands.setdefault((name, type), self.depth)
        return type


class Names(Record):
    """All declared names. The checkers of texts only read it.

    Attributes:
        symbols: Names of the ruleset. A member of a kind has the key ``Kind.member``.
        values: Enum values by name and by plural. Several enums can share a name.
        constants: Named values that only some texts know, such as cards, or the seats of a case file.
        copies: Card -> the number of its copies.
        layers: The position of each layer in the order of layers.
        actions: Actions of the ruleset that statements can offer.
        kind_actions: Actions of cards that statements can offer.
        blank_kinds: The kinds that have cards which can be blank.
        charts: The scoring charts that an ending can name.
        endings: The endings that `end game because` can name.
        menus: The groups of actions that are offered together.
        phases: The ids of all phases, also of those inside others.
    """

    queries: QueryTypes
    symbols: dict[str, Symbol] = field(default_factory=dict)
    values: dict[str, list[EnumValueSymbol]] = field(default_factory=dict)
    enums: dict[str, core.Enum] = field(default_factory=dict)
    kinds: dict[str, ComponentKind] = field(default_factory=dict)
    boards: dict[str, core.Board] = field(default_factory=dict)
    constants: dict[str, core.Const] = field(default_factory=dict)
    copies: dict[str, int] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    actions: dict[str, model.ActionDecl] = field(default_factory=dict)
    kind_actions: dict[str, KindAction] = field(default_factory=dict)
    blank_kinds: set[str] = field(default_factory=set)
    charts: dict[str, model.ChartDecl] = field(default_factory=dict)
    endings: dict[str, model.EndingDecl] = field(default_factory=dict)
    menus: dict[str, model.MenuDecl] = field(default_factory=dict)
    phases: list[str] = field(default_factory=list)

    def find_value(self, enum: EnumType, name: str) -> EnumValueSymbol | None:
        """Return the value of one enum by its name or plural.

        Returns None if the enum has no such value, even if another enum has one.
        """
        return next((value for value in self.values.get(name, ()) if value.enum == enum), None)

    def list_value_names(self, enum: EnumType) -> list[str]:
        """Return the names of an enum's values in declared order."""
        return [value.name for value in self.enums[enum.name].values]

    def list_type_names(self) -> list[str]:
        """Return all type names that an author may write: the built-in ones, then enums, then component kinds."""
        return ["Int", "Bool", "Text", "Player", *self.enums, *self.kinds]

    def list_named(self, *kinds: type[Symbol]) -> list[str]:
        """Return the names of all symbols of the given classes."""
        return [name for name, symbol in self.symbols.items() if isinstance(symbol, kinds)]

    def make_dimension(self, type: Type) -> core.Dim | None:
        """Return the dimension for an index type: Player, an enum or a component kind.

        Player gives ``Dim(PLAYER, 0, None)``. An enum gives its type, 0 and the number of its values. A component kind
        gives its type, the number of its first component, and how many it has, copies included: ``Dim(type, 0, 8)`` for
        3 jacks and 5 kings that come first. Returns None for any other type.
        """
        if isinstance(type, PlayerType):
            return core.Dim(PLAYER)
        if isinstance(type, EnumType):
            return core.Dim(type, 0, len(self.enums[type.name].values))
        if isinstance(type, ComponentType):
            return core.Dim(type, self.kinds[type.name].start, self.kinds[type.name].size)
        return None

    def list_dimension_labels(self, dim: core.Dim) -> list[tuple[int, str]]:
        """Return each value of a dimension with its label, as pairs in order.

        Enum values are counted from 0 and have their names as labels: ``[(0, "red"), (1, "green")]``. All others are
        numbers from ``low``, and the label is the number as text: ``[(2, "2"), (3, "3")]`` for 2..3. The result is []
        for Player, whose size is unknown before play.
        """
        if isinstance(dim.type, EnumType):
            return list(enumerate(self.list_value_names(dim.type)))
        return [(number, str(number)) for number in range(dim.low, dim.low + (dim.size or 0))]

    def add_enum(self, enum: core.Enum, spans: Mapping[str, Span]) -> None:
        """Set ``enums[enum.name]`` to the enum itself, and add symbols of its values to ``self.values``.

        ``values`` maps a name to a list, since several enums may have a value of that name. The lists of a value's name
        and of its plural, if it differs, each get an ``EnumValueSymbol(NAME, SPAN, ENUM TYPE, ORDINAL)``. NAME is the
        name or the plural; both symbols have the same ordinal. ``spans`` maps these names to their positions; a name
        without an entry is at NOWHERE.
        """
        self.enums[enum.name] = enum
        type = EnumType(enum.name)
        for ordinal, value in enumerate(enum.values):
            for name in dict.fromkeys((value.name, value.plural or value.name)):
                symbol = EnumValueSymbol(name, spans.get(name, NOWHERE), type, ordinal)
                self.values.setdefault(name, []).append(symbol)


def collect_names(program: core.Program) -> Names:
    """Return the names of a compiled program, for texts that are checked against it later.

    ``symbols`` has types, options, tables, variables, zones, pools, queries, keywords, effects and spans, each under
    its name: ``score``, or ``Card.flying`` for a member of a kind. ``constants`` has each copy of a card by its own
    name: ``imp``, ``imp-2``, and nothing else. ``boards``, ``kinds``, ``enums`` and ``values`` are filled, too.
    Actions, durations, layers, charts, endings, menus and phases are left out, and so are ``copies``, ``kind_actions``
    and ``blank_kinds``. Names from ``let``, and names that only the compiler uses, are missing in ``symbols``. Every
    position is ``NOWHERE``.
    """
    names = Names(QueryTypes(lambda name: program.queries[name].type))
    for enum in program.enums.values():
        names.add_enum(enum, {})
    names.boards.update(program.boards)
    for name, (first_entity, size) in program.component_kinds.items():
        names.kinds[name] = ComponentKind(name, NOWHERE, first_entity, size, program.component_fields[name])
    names.symbols.update({symbol.name: symbol for symbol in _iterate_symbols(program, names)})
    for entity in program.entities:
        names.constants[entity.name] = core.Const(ComponentType(entity.kind), NOWHERE, entity.number)
    return names


def _iterate_symbols(program: core.Program, names: Names) -> Iterator[Symbol]:
    """Yield a symbol for each name of a program that texts can use."""
    for enum in program.enums.values():
        yield TypeSymbol(enum.name, NOWHERE, EnumType(enum.name), tuple(range(len(enum.values))))
    for kind in names.kinds.values():
        yield TypeSymbol(kind.name, NOWHERE, ComponentType(kind.name), tuple(range(kind.start, kind.start + kind.size)))
    for option in program.options:
        yield OptionSymbol(option.name, NOWHERE, option.type)
    for table in program.tables.values():
        yield TableSymbol(table.name, NOWHERE, table.dims, table.type)
    for query in program.queries.values():
        if query.is_table:
            dims = [dim for _, type in _get_parameters(query) if (dim := names.make_dimension(type)) is not None]
            yield ComputedTableSymbol(query.name, NOWHERE, tuple(dims), query.type)
    for variable in program.variables.values():
        if variable.origin.is_authored:
            yield VariableSymbol(variable.name, NOWHERE, variable.dims, variable.type)
    for zone in program.zones.values():
        yield ZoneSymbol(zone.name, NOWHERE, zone.dims, ComponentType(str(zone.holds)), zone.is_sorted)
    for pool in program.pools.values():
        yield PoolSymbol(pool.name, NOWHERE, pool.dims, EnumType(str(pool.holds)), pool.kinds, pool.is_unlimited)
    for query in program.queries.values():
        if query.origin.is_authored and not query.is_table:
            yield QuerySymbol(query.name, NOWHERE, query.is_per_player, _get_parameters(query))
    for query in map(program.queries.__getitem__, program.keywords):
        yield KeywordSymbol(query.name, NOWHERE, query.is_per_player, _get_parameters(query), query.type)
    for effect in program.effects.values():
        if effect.origin.is_authored:
            yield EffectSymbol(effect.name, NOWHERE, effect.is_per_player, _get_parameters(effect))
    for effect in program.effects.values():
        if effect.origin.generator == SPANS and effect.name == effect.origin.declaration:
            yield SpanSymbol(effect.name, NOWHERE, program.variables[effect.name].dims, BOOL)


def _get_parameters(routine: core.Query | core.Effect) -> Parameters:
    """Return the parameters of a compiled query or effect, without its player."""
    return tuple((param.name, param.type) for param in routine.params[1 if routine.is_per_player else 0 :])


@dataclass(eq=False)
class Reference:
    """A place with the indices given so far. It becomes a value when it is read."""

    symbol: PlaceSymbol
    span: Span
    indices: list[core.Expr] = field(default_factory=list)

    @property
    def dims(self) -> list[Type]:
        """The type of each index in order.

        The last index of a pool is the kind of counter: a pool of ``Gem`` for each player gives [Player, Gem]. A place
        without indices gives [].
        """
        types: list[Type] = [dim.source_type for dim in self.symbol.dims]
        if isinstance(self.symbol, PoolSymbol):
            types.append(self.symbol.holds)
        return types

    @property
    def missing(self) -> list[Type]:
        """The types of the indices that are not given yet."""
        return self.dims[len(self.indices) :]

    @property
    def is_pool(self) -> bool:
        """True if this is a whole pool: all indices are given except the kind."""
        return isinstance(self.symbol, PoolSymbol) and len(self.indices) == len(self.symbol.dims)
