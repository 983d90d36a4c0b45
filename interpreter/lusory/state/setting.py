"""A program bound to player count and options; built-in functions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from lusory_dsl import core
from lusory_dsl.core.origin import WRITTEN
from lusory_dsl.source.dataclasses import dataclass, field
from lusory_dsl.types.types import (
    INT_MAX,
    INT_MIN,
    LIST_LIMIT,
    TEXT_LIMIT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    OptionalType,
    PlayerType,
    TextType,
    Type,
)

from .cost import Charges, Limits
from .decision import RulesetFault
from .phases import all_statements, ask_sites, phase_paths, where_asked
from .state import Place, State, StateLayout


def methods(owner: Any, prefix: str, nodes: Iterable[type]) -> dict[type, Callable[..., Any]]:
    """The methods of a class for classes of nodes: ``eval_Const`` for ``Const``. Raises TypeError where any is
    missing."""
    names = {node: prefix + node.__name__ for node in nodes}
    missing = [name for name in names.values() if not hasattr(owner, name)]
    if missing:
        raise TypeError(f"{owner} lacks {', '.join(missing)}")
    return {node: getattr(owner, name) for node, name in names.items()}


class Observer(Protocol):
    """Is shown every reader and every run when they are made, and may put functions of its own round their methods."""

    def __hash__(self) -> int:
        """Games with different observers are different games."""

    def reads(self, reader: Any) -> None:
        """A :class:`~lusory.evaluator.expressions.Reader`: all expressions go through its ``value``."""

    def runs(self, run: Any) -> None:
        """A stretch of play, a reader too: blocks go through its ``block``, each statement through its ``execs``, what
        happens through its ``tell``."""


Value = Any  # see the table in lusory_dsl.types.types
Indices = tuple[int, ...]
Part = TypeVar("Part", bound=Sized)

TEXTS_LIMIT = 300_000  # characters of all texts that one seat reads of a position
HIDDEN = "?"  # in the place of what a seat may not know
CHARACTERS_PER_VISIT = 100
"""Characters of a text that is put together for which one visit is charged."""
FEW = 16  # items in which one is looked for one by one

MOST_GIVEN = 10**12
"""The greatest number, either way, that a place may be given when a game begins in the middle. Generated code leaves
out tests on the strength of it."""

# What goes wrong, in words: on both engines the same
NO_NUMBER = "the place holds none, not a number"
TOO_GREAT = "the number is beyond 64 bits"
TOO_LONG_TEXT = f"the text is longer than {TEXT_LIMIT:,} characters"
TOO_LONG_TEXTS = f"the texts of one view have more than {TEXTS_LIMIT:,} characters together"
TOO_LONG_LIST = f"the list is longer than {LIST_LIMIT:,} items"
NOT_POSSIBLE = "a case dictates a value that cannot come up here"
NOT_THERE = "a case dictates cards that are not in this zone"


def over_limit(setting: Setting, what: str, state: State, until: int | None = None) -> str:
    """The words for a limit of what a game may cost that was passed, with the largest sizes on the table. ``what``:
    the name of the limit in :class:`lusory.state.cost.Limits`; ``until``: the work at which the limit of the decision,
    or that of the game, is passed."""
    limits = setting.limits
    if what == "decision" and until == limits.game:
        what = "game"
    words = {
        "decision": f"more than {limits.decision:,} steps of work without a decision",
        "game": f"more than {limits.game:,} steps of work in one game",
        "visits": f"expressions go through more than {limits.visits:,} items without a decision",
        "options": f"more than {limits.options:,} options of one decision",
    }[what]
    sizes: list[tuple[int, str]] = []
    for place in setting.layout.zones.values():
        sizes += [(len(state.zones[n]), place_name(setting, place, at)) for at, n in place.numbers.items()]
    for name, place in setting.layout.places.items():
        variable = setting.program.variables.get(name)
        if variable is not None and isinstance(variable.type, ListType):
            held = ((state.cells[n], at) for at, n in place.numbers.items())
            sizes += [(len(value), place_name(setting, place, at)) for value, at in held if value is not None]
    largest = [f"{name} {size:,}" for size, name in sorted(sizes, key=lambda s: -s[0])[:3] if size]
    return f"{words} (the largest: {', '.join(largest)})" if largest else words


def hashed(items: Sequence[Value]) -> Container[Value]:
    """The items of a list, to ask what is among them."""
    return items if len(items) <= FEW else frozenset(items)


def beyond(what: str, bound: int) -> str:
    """The words for a loop or phase that goes on after its bound."""
    return f"{what} would be repeated more than {bound} times"


def whole(number: int) -> int:
    """The result of an operation on numbers, where an Int can be that. Raises RulesetFault."""
    if not INT_MIN <= number <= INT_MAX:
        raise RulesetFault(TOO_GREAT)
    return number


def bounded(parts: Iterable[Part], between: int = 0, length: Callable[[Part], int] = len) -> Iterator[Part]:
    """Yield the parts of a text that is put together, as long as they fit into one text.

    Raises RulesetFault at the first part that makes the text too long, so that no more of it is built. ``between``:
    characters between two parts.
    """
    room = TEXT_LIMIT + between
    for part in parts:
        room -= between + length(part)
        if room < 0:
            raise RulesetFault(TOO_LONG_TEXT)
        yield part


def text_joined(parts: Iterable[str], between: str = "") -> str:
    """Join parts to a text. Raises RulesetFault where it is too long, before the rest is built."""
    return between.join(bounded(parts, len(between)))


def listed(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """A list that was put together, where it is not too long. Raises RulesetFault."""
    if len(items) > LIST_LIMIT:
        raise RulesetFault(TOO_LONG_LIST)
    return items


def not_held(setting: Setting, pool: str, kind: int) -> str:
    """The words for a counter that is moved to a pool that is not for it."""
    return f"{pool} does not hold {name_of(setting, kind, setting.program.pools[pool].holds)}"


@dataclass(frozen=True, eq=False)
class Setting:
    """One program for one number of players with chosen options: what stays the same while a game is played."""

    program: core.Program
    layout: StateLayout
    players: int
    options: dict[str, Value]
    observer: Observer | None = None  # of the evaluator; the compiled engine has none
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def sites(self) -> dict[int, core.Ask | core.AskMany]:
        return ask_sites(self.program)

    @cached_property
    def asked_in(self) -> dict[int, tuple[str | None, tuple[str, ...]]]:
        """For the choice at each site the effect that asks, if one does, and the leaf phases in which it can."""
        return where_asked(self.program)

    @cached_property
    def charges(self) -> Charges:
        """What each block costs."""
        return Charges(self.program, self.players, self.limits.decision)

    @cached_property
    def phases(self) -> dict[str, tuple[core.Phase, ...]]:
        """Each phase by its id, behind the phases around it, outermost first."""
        return {path[-1].id: path for path in phase_paths(self.program)}

    @cached_property
    def _indices(self) -> dict[str, tuple[Indices, ...]]:
        return {}

    def indices(self, place: str) -> tuple[Indices, ...]:
        """The indices of a variable, pool (without the kind) or card zone, first dimension outermost."""
        found = self._indices.get(place)
        if found is None:
            every = self.layout.place(place).all_indices()
            kinds = place in self.program.pools
            found = self._indices[place] = tuple(dict.fromkeys(at[:-1] for at in every) if kinds else every)
        return found

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The variables and pools whose cells hold a number each, also a truth value: no lists and no texts."""
        variables = self.program.variables
        return tuple([n for n in self.layout.places if n not in variables or _is_number(variables[n].type)])

    @cached_property
    def chances(self) -> dict[str, Type]:
        """The type of what comes up at random, by the name it is given; left out where two types share a name."""
        found: dict[str, Type] = {}
        mixed: set[str] = set()
        for stmt in all_statements(self.program):
            if isinstance(stmt, core.Random):
                type = item_type(stmt.domain.type)
                if found.setdefault(stmt.name, type) != type:
                    mixed.add(stmt.name)
        return {name: type for name, type in found.items() if name not in mixed}

    @cached_property
    def layout_slots(self) -> int:
        """Locals that suffice for every text of the table on screen."""
        layout = self.program.layout
        texts = (layout.status, layout.player, layout.shared, layout.own, layout.boards, layout.panels, layout.looks)
        return max((text.n_slots for part in texts for text in part), default=0)


class Draw(NamedTuple):
    """A draw at random: its ``stream`` (``setup``, ``dice`` or ``picks``), the ``name`` that rules give to the result,
    and the result's ``type`` as text."""

    stream: str
    name: str
    type: str


@dataclass
class Forced:
    """Chance that a case dictates: values that rolls, picks and shuffles take in order, before real chance.

    ``dice`` and ``picks`` are run-time values (a random value of the setup counts as a pick); an entry of
    ``shuffles`` lists the entities that come to lie on top, the others keep their order below. ``explains``: whether
    what goes wrong is to be told with its place and the whole table, which takes long. ``hears``: the seat that alone
    wants to know what is announced; None: all do."""

    dice: list[Value] = field(default_factory=list)
    picks: list[Value] = field(default_factory=list)
    shuffles: list[tuple[int, ...]] = field(default_factory=list)
    explains: bool = True
    hears: int | None = None

    def queue(self, stream: str) -> list[Value]:
        return self.dice if stream == "dice" else self.picks

    def drawn(self, draw: Draw, items: Sequence[Value]) -> tuple[Value] | None:
        """Return what this draw from ``items`` yields, wrapped. Return None to let chance decide."""
        queue = self.queue(draw.stream)
        return (queue.pop(0),) if queue else None

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        """What comes to lie on top when ``cards`` are shuffled next, wrapped; None: let chance decide."""
        return (self.shuffles.pop(0),) if self.shuffles else None


# ---------------------------------------------------------------- names and labels


def item_type(type: Type) -> Type:
    """The type of a list's items."""
    return type.item if isinstance(type, ListType) else type


def _is_number(type: Type) -> bool:
    inner = type.item if isinstance(type, OptionalType) else type
    return not isinstance(inner, ListType | TextType)


def name_of(setting: Setting, value: Value, type: Type) -> str:
    """How an author writes a value: ``P1``, ``left``, ``true``, ``none``, the name of a card."""
    if value is None:
        return "none"
    if isinstance(type, OptionalType):
        return name_of(setting, value, type.item)
    if isinstance(type, ListType):
        return ",".join(name_of(setting, item, type.item) for item in value)
    if isinstance(type, BoolType):
        return "true" if value else "false"
    if isinstance(type, PlayerType):
        return f"P{value + 1}"
    if isinstance(type, EnumType):
        return setting.program.enums[type.name].values[value].name
    if isinstance(type, ComponentType):
        return setting.program.entities[value].name
    return str(value)


def label_of(setting: Setting, value: Value, type: Type, none: str = "none") -> str:
    """How a person reads a value; ``none`` is the word for an absent one, and for an empty list.

    Raises RulesetFault where the label of a list is longer than a text may be."""
    if value is None:
        return none
    if isinstance(type, OptionalType):
        return label_of(setting, value, type.item, none)
    if isinstance(type, ListType):
        return text_joined((label_of(setting, item, type.item, none) for item in value), ", ") or none
    if isinstance(type, BoolType):
        return "yes" if value else "no"
    if isinstance(type, PlayerType):
        return f"P{value + 1}"
    if isinstance(type, EnumType):
        return setting.program.enums[type.name].values[value].label
    if isinstance(type, ComponentType):
        return setting.program.entities[value].label
    return str(value)


def fixed_text(template: core.TextTemplate | None) -> str | None:
    """The words of a template that are the same at all times; None where they depend on the position."""
    if template is None or not all(isinstance(part, str) for part in template.parts):
        return None
    return "".join(map(str, template.parts))


def index_names(setting: Setting, place: Place, indices: Indices) -> list[str]:
    """The indices of a place as an author writes them."""
    return [name_of(setting, dim.meant(value), dim.given) for value, dim in zip(indices, place.dims, strict=False)]


def place_name(setting: Setting, place: Place, indices: Indices) -> str:
    """A place as an author writes it: ``P1.engine[left]``, ``stock[soldier]``."""
    names = index_names(setting, place, indices)
    owner = ""
    if names and isinstance(place.dims[0].type, PlayerType):
        owner = f"{names.pop(0)}."
    return f"{owner}{place.name}[{', '.join(names)}]" if names else f"{owner}{place.name}"


def type_of_place(program: core.Program, name: str) -> Type:
    """The type of a cell: that of a variable; a pool counts."""
    variable = program.variables.get(name)
    return variable.type if variable is not None else IntType()


def trail_in_words(setting: Setting, trail: Sequence[str]) -> tuple[str, ...]:
    """Phases and effects from the outermost to the innermost, as people read them."""
    effects = setting.program.effects
    origins = [(name, effects[name].origin if name in effects else WRITTEN) for name in trail]
    return tuple(name if origin.is_written else origin.words for name, origin in origins)


def dump(setting: Setting, state: State) -> str:
    """Everything that lies on the table, one place a line, as an author writes it. For faults and transcripts.

    Variables that a construct keeps for itself are left out: an author has never read their names."""
    lines = []
    for name, place in setting.layout.places.items():
        variable = setting.program.variables.get(name)
        if variable is not None and not variable.origin.is_written:
            continue
        type = type_of_place(setting.program, name)
        for indices in place.all_indices():
            value = state.cells[place.at(indices)]
            lines.append(f"{place_name(setting, place, indices)} = {name_of(setting, value, type)}")
    for name, place in setting.layout.zones.items():
        holds = setting.program.zones[name].holds
        for indices in place.all_indices():
            entities = state.zones[place.at(indices)]
            names = ", ".join(name_of(setting, entity, holds) for entity in entities)
            lines.append(f"{place_name(setting, place, indices)} = [{names}]")
    return "\n".join(lines)


def _cyclic(players: int, first: int, direction: int) -> tuple[int, ...]:
    return tuple((first + direction * i) % players for i in range(players))


def _index(players: int, items: tuple[Value, ...], item: Value) -> int:
    if item not in items:
        raise RulesetFault("the item is not in the list")
    return items.index(item)


def _at(players: int, items: tuple[Value, ...], n: int) -> Value:
    if not 0 <= n < len(items):
        raise RulesetFault(f"there is no item {n} in a list of {len(items)} (the first is 0)")
    return items[n]


def _cycle(players: int, items: tuple[Value, ...], n: int) -> Value:
    if not items:
        raise RulesetFault("the list is empty: it does not close to a ring")
    return items[n % len(items)]


def _neighbours(players: int, items: tuple[Value, ...], item: Value) -> tuple[Value, ...]:
    at = _index(players, items, item)
    return items[max(at - 1, 0) : at] + items[at + 1 : at + 2]


def _first(players: int, items: tuple[Value, ...]) -> Value:
    if not items:
        raise RulesetFault("the list is empty: it has no first item")
    return items[0]


def _last(players: int, items: tuple[Value, ...]) -> Value:
    if not items:
        raise RulesetFault("the list is empty: it has no last item")
    return items[-1]


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "abs": lambda players, n: whole(abs(n)),
    "all": lambda players, items: all(items),
    "any": lambda players, items: any(items),
    "anticlockwise_from": lambda players, player: _cyclic(players, player, -1),
    "at": _at,
    "bottom": _last,
    "clockwise_from": lambda players, player: _cyclic(players, player, 1),
    "count": lambda players, items: len(items),
    "cycle": _cycle,
    "distance": lambda players, a, b: (b - a) % players,
    "drop": lambda players, items, n: items[max(n, 0) :],
    "first": _first,
    "index": _index,
    "larger": lambda players, a, b: max(a, b),
    "last": _last,
    "lines": lambda players, texts: text_joined(texts, "\n"),
    "max": lambda players, items: max(items, default=0),
    "min": lambda players, items: min(items, default=0),
    "neighbours": _neighbours,
    "next": lambda players, player: (player + 1) % players,
    "one": lambda players, items: items[0] if items else None,
    "previous": lambda players, player: (player - 1) % players,
    "reverse": lambda players, items: items[::-1],
    "seat": lambda players, player: player + 1,
    "smaller": lambda players, a, b: min(a, b),
    "step": lambda players, items, item, n: items[(_index(players, items, item) + n) % len(items)],
    "sum": lambda players, items: whole(sum(items)),
    "take": lambda players, items, n: items[: max(n, 0)],
    "top": _first,
    "unique": lambda players, items: tuple(dict.fromkeys(items)),
}
