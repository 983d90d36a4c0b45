"""Bind a program to a number of players and to options, and evaluate the built-in functions.

The module also holds what all engines share: limits of texts and lists, the messages of faults, and fixed results of
chance. It gives values and places their names and labels, too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import AUTHORED
from lusory_dsl.source.dataclass_with_lazy_methods import Record, dataclass, field
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS, Builtin, Fault
from lusory_dsl.types.types import (
    INT_MAX,
    INT_MIN,
    LIST_LIMIT,
    TEXT_LIMIT,
    TOO_LONG_TEXT,
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

from .decisions_outcomes_and_faults import RulesetFault
from .flattened_phases import find_ask_contexts, find_ask_sites, iterate_phase_paths, iterate_program_statements
from .state import State
from .state_layout import Place, StateLayout
from .static_work_charges_and_list_bounds import Charges, Limits


def find_handlers(owner: Any, prefix: str, nodes: Iterable[type]) -> dict[type, Callable[..., Any]]:
    """Map each node class to the attribute of ``owner`` that handles it: a method if ``owner`` is an object.

    With ``prefix`` ``eval_``, the class ``Const`` is mapped to ``owner.eval_Const``. The order is that of ``nodes``.
    Raise TypeError if any attribute is missing: ``OWNER lacks eval_Const, eval_Local``.
    """
    names = {node: prefix + node.__name__ for node in nodes}
    missing = [name for name in names.values() if not hasattr(owner, name)]
    if missing:
        raise TypeError(f"{owner} lacks {', '.join(missing)}")
    return {node: getattr(owner, name) for node, name in names.items()}


class Observer(Protocol):
    """Watch an evaluator. The observer sees every reader and run when it is created, and may wrap their methods."""

    def __hash__(self) -> int:
        """Return a hash. Games with different observers count as different games."""

    def observe_reader(self, reader: Any) -> None:
        """Observe a :class:`~lusory.evaluator.expressions.Reader`, which evaluates expressions with ``evaluate``."""

    def observe_run(self, run: Any) -> None:
        """Observe a run, which executes the game up to its next decision.

        A run is also a reader. It executes blocks with ``run_block`` and statements with ``execs``, and emits events
        with ``tell``.
        """


Value = Any  # lusory_dsl.types.types has a table of the runtime values
Indices = tuple[int, ...]
Part = TypeVar("Part", bound=Sized)

TEXTS_LIMIT = 300_000  # characters of all texts that one seat reads in one position
HIDDEN = "?"  # replaces a value that a seat may not know
CHARACTERS_PER_VISIT = 100
"""The number of characters of a built text that cost one visit."""
SHORT_LIST = 16  # up to this length, a list is searched item by item

MAX_START_VALUE = 10**12
"""The largest absolute value that a place may have when a game starts from a given position.

Generated code relies on this bound to leave out overflow checks.
"""

# Messages of faults, the same on all engines.
NONE_AS_NUMBER = "this variable has no value (`none`), but a number is needed"
INT_OVERFLOW = "the number is beyond 64 bits"
TOO_LONG_TEXTS = f"the texts of one view have more than {TEXTS_LIMIT:,} characters together"
TOO_LONG_LIST = f"the list is longer than {LIST_LIMIT:,} items"
IMPOSSIBLE_DRAW = "the case dictates a value that is not possible here"
CARDS_NOT_IN_ZONE = "the case dictates cards that are not in this zone"


def describe_exceeded_limit(setting: Setting, limit: str, state: State, threshold: int | None = None) -> str:
    """Return the fault message for an exceeded limit, such as ``a decision has more than 10,000 options``.

    It ends with the three longest lists of the position, the longest first, such as `` (longest lists: deck 1,040,
    P1.hand 7)``. They are zones and list variables; in a tie, zones come first, then the order of ``setting.layout``
    decides. Empty ones are not named. If all are empty, this end is missing.

    Args:
        limit: ``decision``, ``game``, ``visits`` or ``options``, fields of
            :class:`lusory.state.static_work_charges_and_list_bounds.Limits`. Any other word raises KeyError.
        threshold: The amount of work that was allowed. If it equals the limit of the game, ``decision`` means ``game``.
            The numbers in messages are always those of ``setting.limits``.
    """
    limits = setting.limits
    if limit == "decision" and threshold == limits.game:
        limit = "game"
    message = {
        "decision": f"the rules did {limits.decision:,} steps without asking a player; there may be an endless loop",
        "game": f"the rules did {limits.game:,} steps in one game, the limit",
        "visits": f"expressions visited {limits.visits:,} list items without asking a player, the limit",
        "options": f"a decision has more than {limits.options:,} options",
    }[limit]
    sizes: list[tuple[int, str]] = []
    for place in setting.layout.zones.values():
        sizes += [(len(state.zones[i]), format_place_name(setting, place, key)) for key, i in place.numbers.items()]
    for name, place in setting.layout.places.items():
        variable = setting.program.variables.get(name)
        if variable is not None and isinstance(variable.type, ListType):
            cells = ((state.cells[i], key) for key, i in place.numbers.items())
            sizes += [(len(value), format_place_name(setting, place, key)) for value, key in cells if value is not None]
    largest = [f"{name} {size:,}" for size, name in sorted(sizes, key=lambda pair: -pair[0])[:3] if size]
    return f"{message} (longest lists: {', '.join(largest)})" if largest else message


def make_lookup(items: Sequence[Value]) -> Container[Value]:
    """Return a container for fast ``in`` tests of the items: a frozenset, or ``items`` itself if there are at most
    16.
    """
    return items if len(items) <= SHORT_LIST else frozenset(items)


def describe_exceeded_bound(subject: str, bound: int) -> str:
    """Return the fault message for a subject that would run too often: ``SUBJECT ran 9 times, its limit, and was not
    finished``.
    """
    return f"{subject} ran {bound} times, its limit, and was not finished"


def check_int(number: int) -> int:
    """Return the number if it fits into 64 bits with sign, the language's Int. Raise RulesetFault otherwise."""
    if not INT_MIN <= number <= INT_MAX:
        raise RulesetFault(INT_OVERFLOW)
    return number


def limit_text_parts(
    parts: Iterable[Part], separator_length: int = 0, length: Callable[[Part], int] = len
) -> Iterator[Part]:
    """Yield the parts of a text while they fit together into the limit for one text (``TEXT_LIMIT`` characters).

    Raise RulesetFault, without a span, at the first part that exceeds it, before the rest is built.
    ``separator_length`` is the number of characters between two parts, and ``length`` returns the length of a part.
    Separators aren't yielded.
    """
    remaining = TEXT_LIMIT + separator_length
    for part in parts:
        remaining -= separator_length + length(part)
        if remaining < 0:
            raise RulesetFault(TOO_LONG_TEXT)
        yield part


def join_text(parts: Iterable[str], separator: str = "") -> str:
    """Join parts into one text with ``separator`` between them. Raise RulesetFault, before the rest is built, if it is
    too long.
    """
    return separator.join(limit_text_parts(parts, len(separator)))


def check_list(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the list if it is not longer than a list of the language may be. Raise RulesetFault otherwise."""
    if len(items) > LIST_LIMIT:
        raise RulesetFault(TOO_LONG_LIST)
    return items


def describe_wrong_pool(setting: Setting, pool: str, kind: int) -> str:
    """Return the fault message for a counter of the kind with number ``kind`` that moves to a pool that can't hold it.

    Example: ``the pool purse can't hold ore``.
    """
    return f"the pool {pool} can't hold {format_name(setting, kind, setting.program.pools[pool].holds)}"


class Setting(Record):
    """Hold everything that stays the same during a game: a program, the number of players, and the chosen options."""

    program: core.Program
    layout: StateLayout
    players: int
    options: dict[str, Value]
    observer: Observer | None = None  # for the evaluator only, the compiled engine has none
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def sites(self) -> dict[int, core.Ask | core.AskMany]:
        """Map the number of each choice site to its statement."""
        return find_ask_sites(self.program)

    @cached_property
    def ask_contexts(self) -> dict[int, tuple[str | None, tuple[str, ...]]]:
        """Map each choice site to the effect that asks (None in a phase's body) and the ids of the leaf phases that can
        reach it.
        """
        return find_ask_contexts(self.program)

    @cached_property
    def charges(self) -> Charges:
        """The work that each block of the program is charged, for these players and limits. It is computed once."""
        return Charges(self.program, self.players, self.limits.decision)

    @cached_property
    def phases(self) -> dict[str, tuple[core.Phase, ...]]:
        """Map the id of each phase to its path: the phases around it, outermost first, and the phase itself."""
        return {path[-1].id: path for path in iterate_phase_paths(self.program)}

    @cached_property
    def _indices(self) -> dict[str, tuple[Indices, ...]]:
        """Map the name of each place to what :meth:`list_indices` returns for it."""
        indices: dict[str, tuple[Indices, ...]] = {}
        for name, place in {**self.layout.places, **self.layout.zones}.items():
            is_pool = name in self.program.pools
            indices[name] = tuple(dict.fromkeys(key[:-1] for key in place.numbers) if is_pool else place.numbers)
        return indices

    def list_indices(self, place: str) -> tuple[Indices, ...]:
        """Return all index tuples of a variable, pool or card zone. The last dimension varies fastest.

        The index tuples of a pool don't include the kind of counter. A place without dimensions gives ``((),)``. Raise
        KeyError for another name.
        """
        return self._indices[place]

    @cached_property
    def numeric_places(self) -> tuple[str, ...]:
        """The names of the variables and pools whose cells hold neither lists nor texts, in the order of the
        layout.

        Besides numbers and truth values these are players, enum values and components, also optional ones.
        """
        types = {name: get_place_type(self.program, name) for name in self.layout.places}
        items = {name: type.item if isinstance(type, OptionalType) else type for name, type in types.items()}
        return tuple([name for name, item in items.items() if not isinstance(item, ListType | TextType)])

    @cached_property
    def chance_types(self) -> dict[str, Type]:
        """Map the name of each random result to its type: the item type of the list that it is drawn from.

        Random results are those of ``roll`` and ``pick … at random``, and the unseen cards that players choose. A name
        whose results have several types is left out. Names are in the order of their first statements, phases before
        effects. Shuffles have no result.
        """
        types: dict[str, Type] = {}
        ambiguous_names: set[str] = set()
        for stmt in iterate_program_statements(self.program):
            if isinstance(stmt, core.Random):
                type = unwrap_list_type(stmt.domain.type)
                if types.setdefault(stmt.name, type) != type:
                    ambiguous_names.add(stmt.name)
        return {name: type for name, type in types.items() if name not in ambiguous_names}

    @cached_property
    def layout_slots(self) -> int:
        """The largest ``n_slots`` of the texts in ``program.layout``, those of the table on the screen, or 0."""
        layout = self.program.layout
        texts = (layout.status, layout.player, layout.shared, layout.own, layout.boards, layout.panels, layout.looks)
        return max((text.n_slots for entries in texts for text in entries), default=0)


class Draw(NamedTuple):
    """Identify a random draw.

    Attributes:
        stream: ``setup``, ``dice`` or ``picks``.
        name: The name that the rules give to the result.
        type: The type of the result, as text.
    """

    stream: str
    name: str
    type: str


@dataclass
class ForcedChance:
    """Hold results of chance that a test case dictates. Draws use them in order, before real chance.

    Attributes:
        dice: Runtime values of dice rolls.
        picks: Runtime values of all other draws, including those of the setup.
        shuffles: For each shuffle, the components that it puts on top. The others keep their order below.
        has_full_faults: Whether faults report their place and the whole table, which takes long.
        listening_seat: The only seat whose announcements are of interest, or None for all seats.
    """

    dice: list[Value] = field(default_factory=list)
    picks: list[Value] = field(default_factory=list)
    shuffles: list[tuple[int, ...]] = field(default_factory=list)
    has_full_faults: bool = True
    listening_seat: int | None = None

    def select_queue(self, stream: str) -> list[Value]:
        """Return the list of forced results for a random stream: ``dice`` for the stream ``dice``, ``picks`` for any
        other.

        It is the list itself, no copy. Callers take results from its front.
        """
        return self.dice if stream == "dice" else self.picks

    def take_draw(self, draw: Draw, items: Sequence[Value]) -> tuple[Value] | None:
        """Return the result of a draw from ``items`` in a tuple, and remove it from its queue.

        Return None to leave the draw to chance. A returned result need not be among ``items``.
        """
        queue = self.select_queue(draw.stream)
        return (queue.pop(0),) if queue else None

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        """Return the components that the next shuffle of ``cards`` puts on top, in a tuple, and remove them.

        Return None to leave the shuffle to chance. The returned components need not be among ``cards``.
        """
        return (self.shuffles.pop(0),) if self.shuffles else None


# ---------------------------------------------------------------- names and labels


def unwrap_list_type(type: Type) -> Type:
    """Return the item type of a list type. Return every other type unchanged."""
    return type.item if isinstance(type, ListType) else type


def list_value_types(ask: core.Ask | core.AskMany) -> list[list[Type]]:
    """Return the types of the values of each alternative of a choice, where a list type gives its item type.

    A choice of several items has the alternatives 0, a pick with one value, and 1, ``done`` without values.
    """
    if isinstance(ask, core.AskMany):
        return [[unwrap_list_type(ask.source.type)], []]
    return [[unwrap_list_type(var.domain.type) for var in alternative.vars] for alternative in ask.alternatives]


def format_name(setting: Setting, value: Value, type: Type) -> str:
    """Return a value as authors write it: ``P1``, ``left``, ``true``, ``none``, or the ``name`` of a component.

    Copies of a card have names such as ``goblin`` and ``goblin-2``. A list joins its items with ``,`` without a space,
    and an empty one gives ``""``. A number is written like ``-3``, and a text stays as it is.
    """
    if value is None:
        return "none"
    if isinstance(type, OptionalType):
        return format_name(setting, value, type.item)
    if isinstance(type, ListType):
        return ",".join(format_name(setting, item, type.item) for item in value)
    if isinstance(type, BoolType):
        return "true" if value else "false"
    if isinstance(type, PlayerType):
        return f"P{value + 1}"
    if isinstance(type, EnumType):
        return setting.program.enums[type.name].values[value].name
    if isinstance(type, ComponentType):
        return setting.program.entities[value].name
    return str(value)


def format_value_label(setting: Setting, value: Value, type: Type, none_label: str = "none") -> str:
    """Return a value as players read it: ``P1``, ``yes``, or the label of an enum value or card, such as ``Guard``.

    All copies of a card have the same label. A number is written like ``-3``, and a text stays as it is. A list joins
    its items with ``, ``. ``none_label`` is the word for an absent value, and for a list that joins to an empty text:
    ``()`` and ``("",)``. Raises RulesetFault if the label of a list is longer than a text may be.
    """
    if value is None:
        return none_label
    if isinstance(type, OptionalType):
        return format_value_label(setting, value, type.item, none_label)
    if isinstance(type, ListType):
        labels = (format_value_label(setting, item, type.item, none_label) for item in value)
        return join_text(labels, ", ") or none_label
    if isinstance(type, BoolType):
        return "yes" if value else "no"
    if isinstance(type, PlayerType):
        return f"P{value + 1}"
    if isinstance(type, EnumType):
        return setting.program.enums[type.name].values[value].label
    if isinstance(type, ComponentType):
        return setting.program.entities[value].label
    return str(value)


def get_constant_text(template: core.TextTemplate | None) -> str | None:
    """Return the text of a template without placeholders, which may be ``""``.

    Return None for no template, or if it has placeholders.
    """
    if template is None or not all(isinstance(part, str) for part in template.parts):
        return None
    return "".join(map(str, template.parts))


def format_index_names(setting: Setting, place: Place, indices: Indices) -> list[str]:
    """Return each index of a place as authors write it: ``["P1", "left"]``. The list is empty for a place without
    indices.
    """
    return [
        format_name(setting, dim.to_source_value(value), dim.source_type)
        for value, dim in zip(indices, place.dims, strict=False)
    ]


def format_place_name(setting: Setting, place: Place, indices: Indices) -> str:
    """Return a place as authors write it: ``P1.engine[left]``, ``stock[soldier]``, or the bare name without indices.

    A first index that is a player stands before the dot; others are in the brackets, separated by ``, ``. The indices
    of a pool include the kind.
    """
    names = format_index_names(setting, place, indices)
    owner = ""
    if names and isinstance(place.dims[0].type, PlayerType):
        owner = f"{names.pop(0)}."
    return f"{owner}{place.name}[{', '.join(names)}]" if names else f"{owner}{place.name}"


def get_place_type(program: core.Program, name: str) -> Type:
    """Return the type of a variable's cell. For any other name, which is a pool, return Int."""
    variable = program.variables.get(name)
    return variable.type if variable is not None else IntType()


def describe_trail(setting: Setting, trail: Sequence[str]) -> tuple[str, ...]:
    """Return readable names for a trail of phase ids and effect names, in the same order.

    An effect that the compiler made gets its ``origin.label``, for example ``durations of turn``. For a copy of a
    written effect, that is the name of the written one. Any other name stays: those of phases and written effects, and
    unknown ones.
    """
    effects = setting.program.effects
    named_origins = [(name, effects[name].origin if name in effects else AUTHORED) for name in trail]
    return tuple(name if origin.is_authored else origin.label for name, origin in named_origins)


def dump(setting: Setting, state: State) -> str:
    """Return all variables, pools and zones as text, one place for each line, as authors write them.

    Lines are ``P1.gold = 3``, ``has_bought = false`` and, for a pool, ``P1.goods[wood] = 2``. A zone is ``P1.hand =
    [owl, owl-2]``, top component first, or ``[]`` if it is empty. Each copy of a card has its own name. A list variable
    has no brackets: ``path = a1,a2``, or ``path = `` if it is empty. Variables come first, then pools, then zones.
    Variables that a desugared construct added are left out. Nothing is hidden. No line break follows the last line.
    """
    lines = []
    for name, place in setting.layout.places.items():
        variable = setting.program.variables.get(name)
        if variable is not None and not variable.origin.is_authored:
            continue
        type = get_place_type(setting.program, name)
        for indices in place.list_indices():
            value = state.cells[place.at(indices)]
            lines.append(f"{format_place_name(setting, place, indices)} = {format_name(setting, value, type)}")
    for name, place in setting.layout.zones.items():
        holds = setting.program.zones[name].holds
        for indices in place.list_indices():
            entities = state.zones[place.at(indices)]
            names = ", ".join(format_name(setting, entity, holds) for entity in entities)
            lines.append(f"{format_place_name(setting, place, indices)} = [{names}]")
    return "\n".join(lines)


def _make_function(row: Builtin) -> Callable[..., Value]:
    """Return a function that evaluates calls of a builtin: ``f(players, *args)``. It raises RulesetFault if a call
    fails.
    """
    evaluate = row.evaluate
    assert evaluate is not None
    if row.fault is None:
        return evaluate

    def call(players: int, *args: Value) -> Value:
        try:
            value = evaluate(players, *args)
        except ValueError as error:
            raise RulesetFault(str(error)) from None
        return check_int(value) if row.fault is Fault.TOO_GREAT else value

    return call


FUNCTIONS: dict[str, Callable[..., Value]] = {name: _make_function(row) for name, row in RUNTIME_FUNCTIONS.items()}
"""Name of a builtin -> a function of the number of players and the values of the arguments."""
