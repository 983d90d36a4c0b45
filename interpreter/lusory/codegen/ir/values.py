"""Values of the intermediate form: what can be worked out."""

from __future__ import annotations

from lusory_dsl.source.dataclasses import dataclass

# ---------------------------------------------------------------- values: what is there


@dataclass(frozen=True, eq=False)
class Value:
    """What can be worked out."""


@dataclass(frozen=True, eq=False)
class Const(Value):
    """None, a truth value, a number, a text, or the empty list."""

    value: object


@dataclass(frozen=True, eq=False)
class Table(Value):
    """A constant of the module, by its number from 1: a tuple, a mapping, or a set of numbers."""

    number: int


@dataclass(frozen=True, eq=False)
class Local(Value):
    """A local of the lowered game."""

    slot: int


@dataclass(frozen=True, eq=False)
class Bound(Value):
    """A local that an expression binds, inside of it."""

    slot: int


@dataclass(frozen=True, eq=False)
class Own(Value):
    """A local of the compiler's making: a value on the way, a result."""

    name: str


@dataclass(frozen=True, eq=False)
class Index(Value):
    """The number of an element: the sum of terms with their strides, and of two constants. ``base``: where a run of
    zones begins."""

    terms: tuple[tuple[Value, int], ...]
    constant: int = 0
    base: int = 0

    @property
    def number(self) -> int | None:
        """The number, where it is known."""
        return None if self.terms else self.constant + self.base


@dataclass(frozen=True, eq=False)
class Cell(Value):
    """An element of a variable or pool, from 0."""

    place: str
    index: Index


@dataclass(frozen=True, eq=False)
class Marks(Value):
    """The masks of a variable of spaces, by value: a bit for each space that holds it. ``present``: what is asked for
    is that of a value, not of none."""

    place: str
    present: bool = False


@dataclass(frozen=True, eq=False)
class Zone(Value):
    """The components in a zone, by its number: the list itself."""

    number: Index


@dataclass(frozen=True, eq=False)
class Zones(Value):
    """The zones from a number to before another."""

    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class Location(Value):
    """The number of the zone in which a component lies, or none."""

    component: Value


@dataclass(frozen=True, eq=False)
class Register(Value):
    """A cell of the engine's own: ``work``, ``until``, ``decisions``, ``over``, ``reason``, ``forced``, or ``repeats``
    of a phase."""

    name: str
    phase: str = ""


@dataclass(frozen=True, eq=False)
class Stream(Value):
    """A random stream."""

    name: str


@dataclass(frozen=True, eq=False)
class Option(Value):
    """An option of the game, which a build for all options reads."""

    name: str


# ---------------------------------------------------------------- values: what is made of others


@dataclass(frozen=True, eq=False)
class Bind(Value):
    """A value that gets its name where it is first read."""

    target: Value
    value: Value


@dataclass(frozen=True, eq=False)
class Let(Value):
    """``body`` with a value under a name. ``source``: stands in what a pipeline goes through."""

    target: Value
    value: Value
    body: Value
    source: bool


@dataclass(frozen=True, eq=False)
class Entry(Value):
    """What a list or table has at an index. ``low``: the first number, where it is indexed by numbers."""

    of: Value
    index: Value
    low: int | None = None


@dataclass(frozen=True, eq=False)
class Unary(Value):
    """``-``, ``not`` or ``~``: all other bits."""

    op: str
    operand: Value


@dataclass(frozen=True, eq=False)
class Binary(Value):
    """Arithmetic (``+ - * div mod``), comparison (``= != < <= > >= in``, ``is`` and ``is not`` of none), logic
    (``and``, ``or``: the right side only where it counts), bits (``| & ^ <<``)."""

    op: str
    left: Value
    right: Value


@dataclass(frozen=True, eq=False)
class Choose(Value):
    """One value or the other."""

    test: Value
    then: Value
    otherwise: Value


@dataclass(frozen=True, eq=False)
class Flag(Value):
    """A condition of an item in a list under conditions: a bit that is counted and shifted."""

    test: Value


@dataclass(frozen=True, eq=False)
class Some(Value):
    """Whether any of these holds."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Every(Value):
    """Whether all of these hold."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Sum(Value):
    """Numbers added up."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Count(Value):
    """How many flags hold, and some that always do."""

    flags: tuple[Value, ...]
    sure: int = 0


@dataclass(frozen=True, eq=False)
class Best(Value):
    """The greatest or smallest (``max``, ``min``) of the values whose conditions hold; 0 of none."""

    kind: str
    terms: tuple[tuple[Value | None, Value], ...]


@dataclass(frozen=True, eq=False)
class Prim(Value):
    """A primitive of the runtime library, see :mod:`lusory.codegen.ir.operations`."""

    name: str
    args: tuple[Value, ...] = ()


@dataclass(frozen=True, eq=False)
class CallQuery(Value):
    """The value of a shared query."""

    number: int
    args: tuple[Value, ...]


# ---------------------------------------------------------------- values: lists and texts


@dataclass(frozen=True, eq=False)
class Tuple(Value):
    """A list that is written out."""

    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Record(Value):
    """Values of different kinds together: an option, an event."""

    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Frame(Value):
    """Values by slot of the program."""

    pairs: tuple[tuple[int, Value], ...]


@dataclass(frozen=True, eq=False)
class Spread(Value):
    """Lists one after the other."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Items(Value):
    """A list under conditions: known items, each there where its condition holds (None: always). ``rows``: the table of
    the lists that it can be, by the bits of the conditions."""

    items: tuple[object, ...]
    flags: tuple[Value | None, ...]
    rows: Table


@dataclass(frozen=True, eq=False)
class Numbers(Value):
    """The numbers of a range, one after the other. ``checked``: there may be too many."""

    low: Value
    high: Value
    checked: bool


@dataclass(frozen=True, eq=False)
class Lying(Value):
    """The components in some zones, in their order where ``ordered``. ``counted``: they are visits."""

    zones: Zones
    ordered: bool
    counted: bool


@dataclass(frozen=True, eq=False)
class Visited(Value):
    """What a loop goes through, whose items are counted. ``few``: not those of a short range."""

    source: Value
    few: bool = False


@dataclass(frozen=True, eq=False)
class Clause(Value):
    """A list round a pipeline, with the tests of its items: the source of what is inside may read the item."""

    slot: int
    source: Value
    tests: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Pipeline(Value):
    """The items of a source that pass the tests, and a value for each (None: the item), into a sink: ``list`` or
    ``array`` (a list that is only measured and indexed), ``joined`` (lists, one behind the other), ``sum``, ``any``,
    ``all``, ``max``, ``min``. ``lazy``: not beyond the item that settles it; ``arranged``: put into the order of the
    components; ``outer``: what it is gone through for, from the outside in."""

    slot: int
    source: Value
    tests: tuple[Value, ...]
    value: Value | None
    sink: str
    lazy: bool = False
    arranged: bool = False
    outer: tuple[Clause, ...] = ()


@dataclass(frozen=True, eq=False)
class ByKey(Value):
    """The items of a list with the greatest or smallest key (``most``, ``least``), the first of each (``distinct``),
    all in the order of their keys (``sorted``), or those before the first for which ``key`` does not hold
    (``leading``)."""

    kind: str
    slot: int
    source: Value
    key: Value


@dataclass(frozen=True, eq=False)
class Reached(Value):
    """All that is reached from some values, going on from each to those of a list, in at most ``within`` steps; with a
    target, in how many steps that is."""

    slot: int
    start: Value
    within: Value | None
    target: Value | None
    onward: Value


@dataclass(frozen=True, eq=False)
class Text(Value):
    """Parts of a text put together."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Shown(Value):
    """The label of a value of a type, which is given as text."""

    type: str
    value: Value


@dataclass(frozen=True, eq=False)
class Asked(Value):
    """What a question asks now."""

    number: int


# ---------------------------------------------------------------- values: checks


@dataclass(frozen=True, eq=False)
class Known(Value):
    """A value that is not none."""

    value: Value


@dataclass(frozen=True, eq=False)
class Fits(Value):
    """A number that an Int can be. ``below``, ``above``: on which sides it may not be; ``name``: what it may be called
    on the way (None: nothing)."""

    value: Value
    below: bool
    above: bool
    name: Own | None


@dataclass(frozen=True, eq=False)
class InRange(Value):
    """An index from ``low`` to before ``end`` of a place. ``again``: it can be read as often as one likes."""

    value: Value
    low: int
    end: int
    place: str
    again: bool


@dataclass(frozen=True, eq=False)
class Outside(Value):
    """An index that a place does not have."""

    place: str
    value: Value


@dataclass(frozen=True, eq=False)
class Listed(Value):
    """A list that is not too long."""

    value: Value


@dataclass(frozen=True, eq=False)
class Short(Value):
    """A text that is not too long. ``most``: the characters that it could have."""

    value: Value
    most: int
