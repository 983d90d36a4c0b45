"""Define the operations of the intermediate representation, its functions and modules, and its primitives."""

from __future__ import annotations

from typing import Any, ClassVar

from lusory_dsl.core import Expr
from lusory_dsl.source.dataclass_with_lazy_methods import Record as FrozenRecord
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import Type

from .types import Facts
from .value_expressions import Cell, Const, Frame, Index, Record, Stream, Temporary, Value, Zone

CALLER_TRAIL = ""  # first entry of a trail inside a shared routine; the trail of the caller replaces it
# The builds that an operation can be limited to. LOCATED marks updates of the locations of components.
EVENTS, SILENT, LOCATED = "events", "silent", "located"


class Provenance(FrozenRecord):
    """Hold the place in the ruleset from which an operation comes.

    ``trail`` lists the phases and effects around it, innermost last. ``reads`` lists the lowered expressions that the
    operation evaluates, in the author's order.
    """

    span: Span | None
    trail: tuple[str, ...]
    reads: tuple[Expr, ...] = ()

    def add_caller(self, caller: Provenance) -> Provenance:
        """Return the place with the full trail, if it is inside a shared routine: the caller's trail, then its own.

        Outside a shared routine, return the place itself.
        """
        if self.trail[:1] != (CALLER_TRAIL,):
            return self
        return Provenance(self.span, (*caller.trail, *self.trail[1:]), self.reads)

    def drop_reads(self) -> Provenance:
        """Return a place with the same span and trail, without reads, for a point where all expressions have been
        evaluated.
        """
        return Provenance(self.span, self.trail, ())


NOWHERE = Provenance(None, ())


# ---------------------------------------------------------------- operations


class Op(FrozenRecord):
    """Base class of all operations. ``place`` says where in the ruleset the operation comes from."""

    place: Provenance

    @property
    def only_build(self) -> str | None:
        """The only build that has this operation: ``events``, ``silent`` or ``located``. None stands for all builds.

        It is the attribute ``build``, which some operations have. ``located`` operations exist only in modules that
        read the locations of components.
        """
        return getattr(self, "build", None)


Ops = tuple[Op, ...]


class Set(Op):
    """Assign to a local, cell or register (``=``), or add or subtract in place (``+``, ``-``).

    ``cell`` is the number of the cell that also stores the local, if it must survive a choice.
    """

    target: Value
    value: Value
    op: str = "="
    cell: int | None = None


class Load(Op):
    """Load a local from the cell that stores it."""

    slot: int
    cell: int


class Unpack(Op):
    """Assign the items of a record to targets. None skips an item."""

    targets: tuple[Value | None, ...]
    value: Value


class Evaluate(Op):
    """Evaluate a value only for its possible fault."""

    value: Value
    build: str | None = None


class LogEvent(Op):
    """Append an event to the log.

    ``event`` is the name of its class, and ``entries`` are its fields, the kind first.
    """

    event: str
    entries: Record
    build: ClassVar[str] = EVENTS


class LogAnnouncement(Op):
    """Append an announcement to the log. Each seat gets only the parts that it may know."""

    number: int
    seats: Value
    frame: Frame
    build: ClassVar[str] = EVENTS


class Branch(FrozenRecord):
    """The operations for a test. A branch without a test is the else branch."""

    place: Provenance
    test: Value | None
    ops: Ops


class If(Op):
    """Execute the first branch whose test holds."""

    branches: tuple[Branch, ...]


class Loop(Op):
    """Execute operations for each item of a source, which the loop does not change.

    ``target`` is None if only the number of items matters.
    """

    target: Value | None
    source: Value
    ops: Ops


class While(Op):
    """Execute operations as long as a test holds."""

    test: Value
    ops: Ops


class Break(Op):
    """Leave the innermost loop."""


class Return(Op):
    """Return from a function, with its results."""

    values: tuple[Value, ...] = ()


class Goto(Op):
    """Continue with a block."""

    label: int


class WaitForAnswer(Op):
    """Stop until the answer to question ``number`` arrives.

    ``question`` describes it: the seat, the number of options, and further data; or one value that holds all of these.
    """

    number: int
    question: tuple[Value, ...]


class CountWork(Op):
    """Count work. ``is_checked``: compare it with the limit."""

    work: int
    is_checked: bool


class CallEffect(Op):
    """Call a shared effect that does not ask.

    ``build`` says whether to call its variant with events or the silent one. None: both are the same.
    """

    number: int
    args: tuple[Value, ...]
    build: str | None = None


# ---------------------------------------------------------------- operations on components


class CopyZone(Op):
    """Copy the list of a zone, so that it can be changed in place although other states share the old list."""

    zone: Zone
    build: str | None = None


class MoveCards(Op):
    """Move components to a zone, from wherever they are.

    ``to_top`` None moves each to its position in a sorted zone.
    """

    cards: Value
    zone: Index
    to_top: bool | None
    build: str | None


class TakeEnd(Op):
    """Remove the first or last component of a zone."""

    card: Temporary
    zone: Zone
    is_first: bool
    build: ClassVar[str] = SILENT


class PutComponent(Op):
    """Put a component on top of a zone, or at its bottom."""

    card: Temporary
    zone: Zone
    is_top: bool
    build: ClassVar[str] = SILENT


class Locate(Op):
    """Record the zone that holds a component."""

    card: Temporary
    zone: Index
    build: str


class Shuffle(Op):
    """Shuffle the components of a zone. ``can_be_forced``: a test case can force the result."""

    stream: Stream
    zone: Zone
    can_be_forced: bool


class Draw(Op):
    """Assign a random item of a list to a local."""

    slot: int
    stream: Stream
    domain: Value


# ---------------------------------------------------------------- operations in which the game stops


class TakeAlternative(Op):
    """Continue with an alternative of the question, or with its else part (:data:`OTHERWISE`)."""

    alternative: int


OTHERWISE = -1  # the alternative of TakeAlternative that stands for the else part


class Ask(Op):
    """Ask for a choice.

    Attributes:
        ops: The operations that find the options and wait for the answer. They end with :class:`TakeAlternative`, as
            does the function ``rN`` that continues with an answer to choice number N.
        bodies: The operations of each alternative.
        otherwise: The operations if there are no options.
    """

    number: int
    ops: Ops
    bodies: tuple[Ops, ...]
    otherwise: Ops = ()


class UpdateMasks(Op):
    """Update the bit masks of a variable over spaces before one of its cells changes.

    Attributes:
        space: The number of the space.
        before: The current value of the cell, if it is constant.
        is_present: Whether the new value is known not to be none.
    """

    cell: Cell
    space: Value
    value: Value
    before: Const | None = None
    is_present: bool = False


class StartPhase(Op):
    """Start a phase, at a point at which the game can be entered from outside."""

    name: str


class CallAsking(Op):
    """Call a shared effect that asks for a choice, and continue here afterwards.

    ``return_slot`` is the slot of the local that stores the return block.
    """

    name: str
    return_slot: int


# ---------------------------------------------------------------- the start of a whole game


class Initialize(Op):
    """Initialize one thing at the start of a game that is a single function.

    ``kind`` is ``place`` (with its values), ``marks`` of a place (pairs of value and mask), ``zone``, ``zones``,
    ``cells``, ``stream``, ``stream cell``, ``decisions``, or ``work`` (with the first limit).
    """

    kind: str
    name: str | int = ""
    value: Any = None


# ---------------------------------------------------------------- functions, modules


class Function(FrozenRecord):
    """A function of a module.

    ``role`` is ``game`` or ``routine`` (a routine that asks) until these are split into ``block`` functions. For a
    choice there are ``question``, ``options``, ``resume``, ``frame`` and ``phase``. The other roles are ``effect``,
    ``query``, ``outcome``, ``standing`` and ``playout``. ``params`` lists the slots of the parameters.
    """

    role: str
    name: str
    params: tuple[int, ...]
    ops: Ops


class Module(FrozenRecord):
    """All code of a build.

    Attributes:
        tables: The constants.
        names: Slot -> name of the local.
        label_types: The types whose labels are displayed, by name.
        choices: The site and the phase of each choice.
        return_slots: Name of a routine that asks -> slot of its return block.
        facts: The facts about locals and places from which sorts are inferred.
    """

    kind: str
    functions: tuple[Function, ...]
    tables: tuple[object, ...]
    names: dict[int, str]
    label_types: dict[str, Type]
    choices: tuple[tuple[int, str], ...]
    return_slots: dict[str, int]
    facts: Facts


# ---------------------------------------------------------------- walks

NODES = (Value, Op, Branch)
HOLDERS = (Value, Op, Branch, tuple)


def walk(node: Any) -> list[Any]:
    """Return a list of a node and all values, operations and branches inside it, in preorder.

    ``node`` may also be a tuple of nodes, which is not in the list itself. The fields of a node come in the order of
    their declaration. Tuples inside are searched, too, at any depth. Other objects are left out with all that they
    hold. Shared nodes come once for each occurrence. Example: ``Unary("not", Local(3))`` gives ``[Unary("not",
    Local(3)), Local(3)]``.
    """
    nodes: list[Any] = []
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, NODES):
            nodes.append(node)
            stack.extend([child for child in reversed(node.__dict__.values()) if isinstance(child, HOLDERS)])
        elif type(node) is tuple:
            stack.extend([child for child in reversed(node) if isinstance(child, HOLDERS)])
    return nodes
