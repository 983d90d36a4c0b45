"""Define the values of the intermediate representation: nodes that produce a result."""

from __future__ import annotations

from lusory_dsl.source.dataclass_with_lazy_methods import Record as FrozenRecord

# ---------------------------------------------------------------- values: atoms


class Value(FrozenRecord):
    """Base class of all values."""


class Const(Value):
    """None, a truth value, a number, a text, or the empty list."""

    value: object


ZERO, ONE = Const(0), Const(1)


class Table(Value):
    """A constant of the module, by its number from 1. It is a tuple, a mapping, or a set of numbers."""

    number: int


class Local(Value):
    """A local of the lowered game."""

    slot: int


class BoundLocal(Value):
    """A local that an expression binds. It exists only inside that expression."""

    slot: int


class Temporary(Value):
    """A local that the compiler adds, for an intermediate value or a result."""

    name: str


class Index(Value):
    """The number of an element: the sum of terms, each times its stride, and two constants.

    ``base`` is the number of the first zone if the index selects one of several zones.
    """

    terms: tuple[tuple[Value, int], ...]
    constant: int = 0
    base: int = 0

    @property
    def number(self) -> int | None:
        """The number, ``constant + base``, if there are no terms, else None."""
        return None if self.terms else self.constant + self.base


class Cell(Value):
    """An element of a variable or pool, counted from 0."""

    place: str
    index: Index


class SpaceMasks(Value):
    """The bit masks of a variable over spaces, by value. A mask has a bit for each space that holds the value.

    ``is_present`` promises that the lookup asks for a value, never for none.
    """

    place: str
    is_present: bool = False


class Zone(Value):
    """The list of components in a zone, by the number of the zone."""

    number: Index


class Location(Value):
    """The number of the zone that holds a component, or none."""

    component: Value


class Register(Value):
    """A cell of the engine itself.

    ``name`` is ``work``, ``until``, ``decisions``, ``over`` or ``reason``, or ``repeats`` with a phase.
    """

    name: str
    phase: str = ""


class Stream(Value):
    """A random stream."""

    name: str


class Option(Value):
    """The value of a game option. Only builds that serve all options read it."""

    name: str


# ---------------------------------------------------------------- values: compounds


class Bind(Value):
    """A value, stored under a name at its first use."""

    target: Value
    value: Value


class Let(Value):
    """The value of ``body``, in which ``target`` names ``value``.

    ``is_in_source`` says that the node is part of the source of a pipeline.
    """

    target: Value
    value: Value
    body: Value
    is_in_source: bool


class Entry(Value):
    """The entry of a list or table at an index.

    ``low`` is the number of the first entry if numbers index the table, else None.
    """

    container: Value
    index: Value
    low: int | None = None


class Unary(Value):
    """A unary operation: ``-``, ``not``, or the bit complement ``~``."""

    op: str
    operand: Value


class Binary(Value):
    """A binary operation.

    There is arithmetic (``+ - * div mod``), comparison (``= != < <= > >= in``, ``not in``, ``is`` and ``is not`` with
    none), logic (``and`` and ``or``, with short-circuit evaluation), and bit operations (``| & ^ << >>``).
    """

    op: str
    left: Value
    right: Value


class Choose(Value):
    """A conditional expression."""

    test: Value
    then: Value
    otherwise: Value


class AnyOf(Value):
    """True if at least one part holds."""

    parts: tuple[Value, ...]


class AllOf(Value):
    """True if all parts hold."""

    parts: tuple[Value, ...]


class Sum(Value):
    """The sum of numbers."""

    parts: tuple[Value, ...]


class Count(Value):
    """The number of tests that hold."""

    flags: tuple[Value, ...]


class Extreme(Value):
    """The greatest or smallest (``max``, ``min``) of at least one value."""

    kind: str
    terms: tuple[Value, ...]


class Primitive(Value):
    """A call of a primitive of the runtime library.

    ``PRIMITIVES`` in :mod:`lusory.codegen.passes.type_inference` lists them. ``fn_NAME`` is a function of the
    language.
    """

    name: str
    args: tuple[Value, ...] = ()


class CallQuery(Value):
    """A call of a shared query."""

    number: int
    args: tuple[Value, ...]


# ---------------------------------------------------------------- values: lists and texts


class Tuple(Value):
    """A list written out item by item."""

    items: tuple[Value, ...]


class Record(Value):
    """A group of values of different types, such as an option or an event."""

    items: tuple[Value, ...]


PICKS = -1
"""The slot under which the frame of a choice of several has the indices of the items picked so far."""


class Frame(Value):
    """A map from slots of the program to values."""

    pairs: tuple[tuple[int, Value], ...]


class Concatenation(Value):
    """The concatenation of lists."""

    parts: tuple[Value, ...]


class ConditionalItems(Value):
    """A conditional list: constant items, each present if its condition holds. The condition None always holds.

    ``rows`` is a table of all lists that can result, indexed by the bits of the conditions.
    """

    items: tuple[object, ...]
    flags: tuple[Value | None, ...]
    rows: Table


class NumberRange(Value):
    """All numbers of a range in ascending order. ``is_checked``: the range may be too long for a list."""

    low: Value
    high: Value
    is_checked: bool


class ComponentsIn(Value):
    """The components in the zones from number ``begin`` up to but excluding ``end``.

    They are sorted if ``is_ordered``, and count as visits if ``counts_visits``.
    """

    begin: int
    end: int
    is_ordered: bool
    counts_visits: bool


class CountedItems(Value):
    """The source of a loop, whose items count as visits. With ``counts_only_long``, those of a short range don't."""

    source: Value
    counts_only_long: bool = False


class Clause(Value):
    """An outer loop of a pipeline, with tests of its items. The sources of inner loops may read its item."""

    slot: int
    source: Value
    tests: tuple[Value, ...]


class Pipeline(Value):
    """Filter the items of a source, map each to a value, and collect these in a sink.

    Attributes:
        tests: The conditions that an item must pass.
        value: The value for each item. None stands for the item itself.
        sink: ``list``, ``array`` (a list that is only measured and indexed), ``joined`` (concatenated lists), ``sum``,
            ``any``, ``all``, ``max`` or ``min``.
        is_lazy: Whether evaluation stops at the item that settles the result.
        is_sorted: Whether the result is sorted into the order of the components.
        outer: The loops around the source, outermost first.
    """

    slot: int
    source: Value
    tests: tuple[Value, ...]
    value: Value | None
    sink: str
    is_lazy: bool = False
    is_sorted: bool = False
    outer: tuple[Clause, ...] = ()


class ByKey(Value):
    """A selection or order of the items of a list by a key.

    ``kind`` is one of these:

    - ``most``, ``least``: the items with the greatest or smallest key.
    - ``distinct``: the first item of each key.
    - ``sorted``: all items, in the order of their keys.
    - ``leading``: the items before the first one whose key is false.
    """

    kind: str
    slot: int
    source: Value
    key: Value


class GraphSearch(Value):
    """All values that a search finds from ``start`` in at most ``max_steps`` steps (None: any number).

    Each step goes from the value in ``slot`` to the items of the list ``successors``. With a ``target``, the result is
    the number of steps to it instead, or none if it is not reached.
    """

    slot: int
    start: Value
    max_steps: Value | None
    target: Value | None
    successors: Value


class Text(Value):
    """The concatenation of texts."""

    parts: tuple[Value, ...]


class Label(Value):
    """The label of a value, as text. ``type`` is the name of its type."""

    type: str
    value: Value


class PendingQuestion(Value):
    """The description of a question as it is asked now."""

    number: int


# ---------------------------------------------------------------- values: checks


class NotNone(Value):
    """A check that a value is not none."""

    value: Value


class IntCheck(Value):
    """A check that a number is in the range of an Int.

    ``name`` may hold the number during the check; None means that no name is needed.
    """

    value: Value
    name: Temporary | None


class IndexCheck(Value):
    """A check that an index of a place is at least ``low`` and less than ``end``.

    ``is_repeatable`` says that the value can be evaluated repeatedly.
    """

    value: Value
    low: int
    end: int
    place: str
    is_repeatable: bool


class ListLengthCheck(Value):
    """A check that a list is not too long."""

    value: Value


class TextLengthCheck(Value):
    """A check that a text is not too long. ``max_length`` is the greatest length that the text can have."""

    value: Value
    max_length: int
