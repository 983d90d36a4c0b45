"""Symbol table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from .. import core
from ..core.origin import SPANS
from ..ruleset import model
from ..source.dataclasses import dataclass, field
from ..source.source import NOWHERE, Span
from ..types.types import BOOL, PLAYER, ComponentType, EnumType, PlayerType, Type

_OTHERS = "of two players the other one is `me.next`; all others are `players where it is not me`"
SEATS = "rules name no seat: the first player is `players.first`, the second `players.first.next`"
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


def name_meant(name: str) -> str | None:
    """How to say what an unknown name stands for; None where nothing is known of it."""
    return SEATS if re.fullmatch(r"[Pp](layer_?)?[1-9]", name) else _NAMES.get(name)


def chance_meant(function: str) -> str | None:
    """How to let chance decide, for a function that other systems have for it."""
    if function not in ("roll", "random", "rand", "randint", "dice", "die", "pick", "choice"):
        return None
    return "chance decides in a statement: `roll n in 1..6: …` or `pick one in list at random: …`"


def member_meant(of: str, name: str) -> str | None:
    """How to ask for what an unknown member of a `Player` or a `space` stands for."""
    return _MEMBERS[of].get(name)


Parameters = tuple[tuple[str, Type], ...]


@dataclass(frozen=True, eq=False)
class Symbol:
    """A declared name. ``what`` is the word messages use for it."""

    name: str
    span: Span
    what = "name"


@dataclass(frozen=True, eq=False)
class BrokenSymbol(Symbol):
    """A name whose declaration is faulty; its uses are not reported once more."""


@dataclass(frozen=True, eq=False)
class OptionSymbol(Symbol):
    type: Type
    what = "option"


@dataclass(frozen=True, eq=False)
class TypeSymbol(Symbol):
    """An enum or component kind; ``values`` are the run-time values of the list that its name stands for."""

    type: EnumType | ComponentType
    values: tuple[int, ...]

    @property
    def what(self) -> str:  # type: ignore[override]
        return "enum" if isinstance(self.type, EnumType) else "component kind"


@dataclass(frozen=True, eq=False)
class PlaceSymbol(Symbol):
    """Something with indices: tables, variables, zones."""

    dims: tuple[core.Dim, ...]

    @property
    def of_player(self) -> bool:
        """Whether it is written ``p.name``, or bare for ``me``."""
        return bool(self.dims) and isinstance(self.dims[0].type, PlayerType)


@dataclass(frozen=True, eq=False)
class DurationSymbol(PlaceSymbol):
    """What changes of queries can last until the end of."""

    what = "duration"


@dataclass(frozen=True, eq=False)
class TableSymbol(PlaceSymbol):
    type: Type
    never_empty: bool
    what = "table"


@dataclass(frozen=True, eq=False)
class WorkedOutSymbol(TableSymbol):
    """A table whose values are worked out: a query that reads no game."""


@dataclass(frozen=True, eq=False)
class VariableSymbol(PlaceSymbol):
    type: Type
    what = "variable"


@dataclass(frozen=True, eq=False)
class SpanSymbol(VariableSymbol):
    """A Bool that is begun and not set."""

    what = "span"


@dataclass(frozen=True, eq=False)
class PoolSymbol(PlaceSymbol):
    holds: EnumType
    kinds: tuple[int, ...]
    unlimited: bool
    what = "pool"


@dataclass(frozen=True, eq=False)
class ZoneSymbol(PlaceSymbol):
    holds: ComponentType
    is_sorted: bool = False
    what = "zone"


@dataclass(frozen=True, eq=False)
class CallableSymbol(Symbol):
    """``params`` are without the player of a ``per: Player`` declaration."""

    per_player: bool
    params: Parameters

    @property
    def of_player(self) -> bool:
        return self.per_player


@dataclass(frozen=True, eq=False)
class QuerySymbol(CallableSymbol):
    what = "query"


@dataclass(frozen=True, eq=False)
class KeywordSymbol(QuerySymbol):
    """A word that cards of a kind can have: the query for its value, of this ``type`` where it is printed."""

    type: Type
    what = "keyword"


@dataclass(frozen=True, eq=False)
class EffectSymbol(CallableSymbol):
    what = "effect"


@dataclass(frozen=True, eq=False)
class WindowSymbol(EffectSymbol):
    """An effect that is opened and not called."""

    what = "window"


@dataclass(frozen=True, eq=False)
class ActionSymbol(Symbol):
    what = "action"


@dataclass(frozen=True, eq=False)
class EnumValueSymbol(Symbol):
    """A value of an enum, under its name or its plural."""

    enum: EnumType
    ordinal: int
    what = "value"

    @property
    def qualified(self) -> str:
        return f"{self.enum.name}.{self.name}"


@dataclass(frozen=True, eq=False)
class Kind:
    """A component kind: its run of entities and its printed fields."""

    name: str
    span: Span
    first: int
    size: int
    fields: dict[str, Type]


@dataclass(frozen=True, eq=False)
class KindAction:
    """An action that cards of a kind may have. ``cards``: those that have it, by the number of their first copy, each
    with what it does. ``keyword``: whether it is one, which a blank card does not have."""

    name: str
    kind: str
    decl: model.MemberActionDecl
    cards: tuple[tuple[int, model.ActionDecl], ...]
    keyword: bool

    @property
    def can(self) -> str:
        """The name of the query that asks whether it can be used."""
        return f"{self.kind}.can {self.decl.name.text}"


@dataclass(eq=False)
class QueryTypes:
    """The types of queries. ``type_of`` checks the text of a query when its type is first asked for; ``depth``: how
    deep what is being checked is nested, through the queries that are checked on the way."""

    type_of: Callable[[str], Type]
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Names:
    """Everything declared. Who checks texts only reads it.

    ``symbols`` are names of the ruleset, members of kinds as ``Kind.member``; ``values`` are those of enums, by name
    and plural; ``constants`` are names of values that only some texts know: cards, seats of a case; ``copies``: how
    many there are of a card, where its name is meant to stand for more than one; ``layers``: their order; ``actions``
    and ``kind_actions``: what can be offered; ``menus``: what is offered together; ``blank_kinds``: the kinds whose
    cards can be blank; ``charts``: what an ending can name."""

    queries: QueryTypes
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    values: Mapping[str, Sequence[EnumValueSymbol]] = field(default_factory=dict)
    enums: Mapping[str, core.Enum] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    boards: Mapping[str, core.Board] = field(default_factory=dict)
    constants: Mapping[str, core.Const] = field(default_factory=dict)
    copies: Mapping[str, int] = field(default_factory=dict)
    layers: Mapping[str, int] = field(default_factory=dict)
    actions: Mapping[str, model.ActionDecl] = field(default_factory=dict)
    kind_actions: Mapping[str, KindAction] = field(default_factory=dict)
    blank_kinds: Set[str] = field(default_factory=set)
    charts: Mapping[str, model.ChartDecl] = field(default_factory=dict)
    menus: Mapping[str, model.MenuDecl] = field(default_factory=dict)

    def value_of(self, enum: EnumType, name: str) -> EnumValueSymbol | None:
        """The value of one enum by name or plural."""
        return next((v for v in self.values.get(name, ()) if v.enum == enum), None)

    def value_names(self, enum: EnumType) -> list[str]:
        """The names of an enum's values, in declared order."""
        return [v.name for v in self.enums[enum.name].values]

    def type_names(self) -> list[str]:
        """Every type that an author may write."""
        return ["Int", "Bool", "Text", "Player", *self.enums, *self.kinds]

    def named(self, *kinds: type[Symbol]) -> list[str]:
        """The names of all symbols of these kinds."""
        return [name for name, symbol in self.symbols.items() if isinstance(symbol, kinds)]

    def dimension(self, type: Type) -> core.Dim | None:
        """The dimension that a type makes, or None where it makes none."""
        if isinstance(type, PlayerType):
            return core.Dim(PLAYER)
        if isinstance(type, EnumType):
            return core.Dim(type, 0, len(self.enums[type.name].values))
        if isinstance(type, ComponentType):
            return core.Dim(type, self.kinds[type.name].first, self.kinds[type.name].size)
        return None

    def dimension_labels(self, dim: core.Dim) -> list[tuple[int, str]]:
        """The index values of a dimension of known size, with the names that authors write."""
        size = dim.size or 0
        if isinstance(dim.type, EnumType):
            return list(enumerate(self.value_names(dim.type)))
        return [(dim.low + i, str(dim.low + i)) for i in range(size)]


@dataclass(frozen=True, eq=False)
class OpenNames(Names):
    """Names while they are declared: the same dictionaries, which can still be added to."""

    symbols: dict[str, Symbol] = field(default_factory=dict)
    values: dict[str, list[EnumValueSymbol]] = field(default_factory=dict)
    enums: dict[str, core.Enum] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    boards: dict[str, core.Board] = field(default_factory=dict)
    constants: dict[str, core.Const] = field(default_factory=dict)
    copies: dict[str, int] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    actions: dict[str, model.ActionDecl] = field(default_factory=dict)
    kind_actions: dict[str, KindAction] = field(default_factory=dict)
    blank_kinds: set[str] = field(default_factory=set)
    charts: dict[str, model.ChartDecl] = field(default_factory=dict)
    menus: dict[str, model.MenuDecl] = field(default_factory=dict)

    def add_enum(self, enum: core.Enum, spans: Mapping[str, Span]) -> None:
        """An enum with its values, each also under its plural; ``spans`` has the places of the names."""
        self.enums[enum.name] = enum
        type = EnumType(enum.name)
        for ordinal, value in enumerate(enum.values):
            for name in dict.fromkeys((value.name, value.plural or value.name)):
                symbol = EnumValueSymbol(name, spans.get(name, NOWHERE), type, ordinal)
                self.values.setdefault(name, []).append(symbol)


def names_of(program: core.Program) -> OpenNames:
    """The names of a finished program, for texts that are checked against it later."""
    names = OpenNames(QueryTypes(lambda name: program.queries[name].type))
    for enum in program.enums.values():
        names.add_enum(enum, {})
    names.boards.update(program.boards)
    for name, (first, size) in program.component_kinds.items():
        names.kinds[name] = Kind(name, NOWHERE, first, size, program.component_fields[name])
    symbols: list[Symbol] = [
        *(TypeSymbol(e.name, NOWHERE, EnumType(e.name), tuple(range(len(e.values)))) for e in program.enums.values()),
        *(
            TypeSymbol(k.name, NOWHERE, ComponentType(k.name), tuple(range(k.first, k.first + k.size)))
            for k in names.kinds.values()
        ),
        *(OptionSymbol(o.name, NOWHERE, o.type) for o in program.options),
        *(TableSymbol(t.name, NOWHERE, t.dims, t.type, False) for t in program.tables.values()),
        *(
            WorkedOutSymbol(q.name, NOWHERE, tuple(_indices(names, q)), q.type, False)
            for q in program.queries.values()
            if q.is_table
        ),
        *(VariableSymbol(v.name, NOWHERE, v.dims, v.type) for v in program.variables.values() if v.origin.is_written),
        *(
            ZoneSymbol(z.name, NOWHERE, z.dims, ComponentType(str(z.holds)), z.is_sorted)
            for z in program.zones.values()
        ),
        *(
            PoolSymbol(p.name, NOWHERE, p.dims, EnumType(str(p.holds)), p.kinds, p.unlimited)
            for p in program.pools.values()
        ),
        *(
            QuerySymbol(q.name, NOWHERE, q.per_player, parameters(q))
            for q in program.queries.values()
            if q.origin.is_written and not q.is_table
        ),
        *(
            KeywordSymbol(q.name, NOWHERE, q.per_player, parameters(q), q.type)
            for q in map(program.queries.__getitem__, program.keywords)
        ),
        *(
            EffectSymbol(e.name, NOWHERE, e.per_player, parameters(e))
            for e in program.effects.values()
            if e.origin.is_written
        ),
        *(
            SpanSymbol(e.name, NOWHERE, program.variables[e.name].dims, BOOL)
            for e in program.effects.values()
            if e.origin.maker == SPANS and e.name == e.origin.of
        ),
    ]
    names.symbols.update((symbol.name, symbol) for symbol in symbols)
    for entity in program.entities:
        names.constants[entity.name] = core.Const(ComponentType(entity.kind), NOWHERE, entity.number)
    return names


def _indices(names: Names, table: core.Query) -> Iterator[core.Dim]:
    """The dimensions of a table that is worked out."""
    found = (names.dimension(type) for _, type in parameters(table))
    return (dim for dim in found if dim is not None)


def parameters(routine: core.Query | core.Effect) -> Parameters:
    """The parameters of a finished query or effect, without its player."""
    return tuple((p.name, p.type) for p in routine.params[1 if routine.per_player else 0 :])


@dataclass(eq=False)
class Reference:
    """A place on its way to a value: the symbol and the indices given so far. ``whole``: no further index fits."""

    symbol: PlaceSymbol
    span: Span
    indices: list[core.Expr] = field(default_factory=list)

    @property
    def dims(self) -> list[Type]:
        """The type of each index; a pool's last one is the kind."""
        types: list[Type] = [dim.given for dim in self.symbol.dims]
        if isinstance(self.symbol, PoolSymbol):
            types.append(self.symbol.holds)
        return types

    @property
    def missing(self) -> list[Type]:
        """The indices that are not given yet."""
        return self.dims[len(self.indices) :]

    @property
    def is_pool(self) -> bool:
        """Whether it is a whole pool, without a kind."""
        return isinstance(self.symbol, PoolSymbol) and len(self.indices) == len(self.symbol.dims)
