"""IR operations."""

from __future__ import annotations

from typing import Any

from lusory_dsl.core import Expr
from lusory_dsl.source.dataclasses import dataclass
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import Type

from .types import Known
from .values import Cell, Const, Frame, Index, Own, Record, Stream, Value, Zone

CALLED = ""  # begins the trail inside a shared routine: what is before it is the caller's
EVENTS, SILENT, LOCATED = "events", "silent", "located"  # what only one build has; notes of where a component lies


@dataclass(frozen=True, eq=False)
class Provenance:
    """Where an operation comes from. ``trail``: phases and effects round it, innermost last; ``reads``: the lowered
    expressions that it works out, in the author's order."""

    span: Span | None
    trail: tuple[str, ...]
    reads: tuple[Expr, ...] = ()

    def inside(self, caller: Provenance) -> Provenance:
        """The same place with the whole trail, where it stands in a routine that ``caller`` called."""
        if self.trail[:1] != (CALLED,):
            return self
        return Provenance(self.span, (*caller.trail, *self.trail[1:]), self.reads)

    def behind(self) -> Provenance:
        """The same place where all that it reads is worked out already."""
        return Provenance(self.span, self.trail, ())


NOWHERE = Provenance(None, ())


# ---------------------------------------------------------------- operations


@dataclass(frozen=True, eq=False)
class Op:
    """What is done. ``place``: where it comes from."""

    place: Provenance

    @property
    def only(self) -> str | None:
        """The only build that has it: ``events`` or ``silent``; ``located``: where anything asks for locations."""
        return None


Ops = tuple[Op, ...]


@dataclass(frozen=True, eq=False)
class Set(Op):
    """A local, cell or register gets a value (``=``), or it is added or taken away (``+``, ``-``). ``cell``: the number
    of the cell that keeps the local, too."""

    target: Value
    value: Value
    op: str = "="
    cell: int | None = None


@dataclass(frozen=True, eq=False)
class Load(Op):
    """A local gets the value that a cell keeps of it."""

    slot: int
    cell: int


@dataclass(frozen=True, eq=False)
class Unpack(Op):
    """Names for the items of a record (None: no name)."""

    targets: tuple[Value | None, ...]
    value: Value


@dataclass(frozen=True, eq=False)
class Do(Op):
    """A value is worked out: it may be a fault."""

    value: Value
    build: str | None = None

    @property
    def only(self) -> str | None:
        return self.build


@dataclass(frozen=True, eq=False)
class Tell(Op):
    """An event for the log. ``event``: its class by name; ``entries``: what it holds, the kind first."""

    event: str
    entries: Record

    @property
    def only(self) -> str | None:
        return EVENTS


@dataclass(frozen=True, eq=False)
class TellEach(Op):
    """An announcement that says to each seat what it may know."""

    number: int
    seats: Value
    frame: Frame

    @property
    def only(self) -> str | None:
        return EVENTS


@dataclass(frozen=True, eq=False)
class Branch:
    """What is done where a test holds; without one: else."""

    place: Provenance
    test: Value | None
    ops: Ops


@dataclass(frozen=True, eq=False)
class When(Op):
    """The first branch whose test holds."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True, eq=False)
class Guard(Op):
    """One operation where a test holds."""

    test: Value
    then: Op


@dataclass(frozen=True, eq=False)
class Loop(Op):
    """For each item of a source, which nothing in the loop changes. ``target`` is None where only their number counts;
    ``exhausted``: where no ``Leave`` left it (None: nothing)."""

    target: Value | None
    source: Value
    ops: Ops
    exhausted: Branch | None = None


@dataclass(frozen=True, eq=False)
class While(Op):
    """As long as a test holds."""

    test: Value
    ops: Ops


@dataclass(frozen=True, eq=False)
class Leave(Op):
    """Leave the loop round it."""


@dataclass(frozen=True, eq=False)
class Return(Op):
    """The end of a function, with what it gives."""

    values: tuple[Value, ...] = ()


@dataclass(frozen=True, eq=False)
class Goto(Op):
    """Go on with a block."""

    label: int


@dataclass(frozen=True, eq=False)
class Wait(Op):
    """Stop for the answer to a question, with what is asked."""

    number: int
    asked: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Spend(Op):
    """Work is counted. ``checked``: whether the limit is looked at."""

    work: int
    checked: bool


@dataclass(frozen=True, eq=False)
class CallEffect(Op):
    """A shared effect that does not ask. ``events``: of the build with events, or of the silent one; None: no such
    difference."""

    number: int
    args: tuple[Value, ...]
    build: str | None = None

    @property
    def only(self) -> str | None:
        return self.build


# ---------------------------------------------------------------- operations on components


@dataclass(frozen=True, eq=False)
class OwnList(Op):
    """A zone's list may be changed in place from here on: other states share it no more."""

    zone: Zone
    build: str | None = None

    @property
    def only(self) -> str | None:
        return self.build


@dataclass(frozen=True, eq=False)
class MoveCards(Op):
    """Components come into a zone, from wherever they lie. ``top`` None: to where they belong in a sorted one."""

    cards: Value
    zone: Index
    top: bool | None
    build: str | None

    @property
    def only(self) -> str | None:
        return self.build


@dataclass(frozen=True, eq=False)
class MoveCard(Op):
    """One component comes to the bottom of a zone, from wherever it lies."""

    card: Value
    zone: Index

    @property
    def only(self) -> str | None:
        return SILENT


@dataclass(frozen=True, eq=False)
class TakeEnd(Op):
    """The first or last component of a zone is taken out."""

    card: Own
    zone: Zone
    first: bool

    @property
    def only(self) -> str | None:
        return SILENT


@dataclass(frozen=True, eq=False)
class Put(Op):
    """A component is put on top of a zone, or to its bottom."""

    card: Own
    zone: Zone
    top: bool

    @property
    def only(self) -> str | None:
        return SILENT


@dataclass(frozen=True, eq=False)
class Locate(Op):
    """It is noted in which zone a component lies."""

    card: Own
    zone: Index
    build: str

    @property
    def only(self) -> str | None:
        return self.build


@dataclass(frozen=True, eq=False)
class Shuffle(Op):
    """The components of a zone in any order. ``dictated``: chance may be."""

    stream: Stream
    zone: Zone
    dictated: bool


@dataclass(frozen=True, eq=False)
class Draw(Op):
    """A local becomes one of the items of a list. ``size``: their number, where it is known, else ``length`` is its
    name; ``product``: a name for a number on the way."""

    slot: int
    stream: Stream
    domain: Value
    size: int | None
    length: Own | None
    product: Own


# ---------------------------------------------------------------- operations in which the game stops


@dataclass(frozen=True, eq=False)
class Take(Op):
    """Go on with an alternative of the question, with what is done otherwise, or behind it."""

    alternative: int


OTHERWISE, BEHIND = -1, -2  # alternatives of ``Take``


@dataclass(frozen=True, eq=False)
class Ask(Op):
    """A choice. ``ops``: from finding out what there is to choose to waiting for it; ``plan``: ``named``, ``product``
    or ``listed``; ``resume``: the name of the function that goes on with an answer, which ends with :class:`Take` like
    ``ops``; ``bodies``: what the alternatives do; ``otherwise``: what is done where there is nothing to choose."""

    number: int
    plan: str
    ops: Ops
    resume: str
    bodies: tuple[Ops, ...]
    otherwise: Ops | None


@dataclass(frozen=True, eq=False)
class AskMany(Op):
    """A choice of some items, one after the other. ``first``: what is done before the first; ``ops``, ``resume``: as
    those of :class:`Ask`, for each pick (alternative 0: once more)."""

    number: int
    first: Ops
    ops: Ops
    resume: str


@dataclass(frozen=True, eq=False)
class Mark(Op):
    """A variable of spaces will hold another value at one: that is noted in its masks. ``space``: its number;
    ``before``: what it holds, where that is known; ``present``: the value is not none."""

    cell: Cell
    space: Value
    value: Value
    before: Const | None = None
    present: bool = False


@dataclass(frozen=True, eq=False)
class Skip(Op):
    """Go to the end of the phase round it, or of the cycle."""


@dataclass(frozen=True, eq=False)
class Again(Op):
    """The next pass of a cycle."""


@dataclass(frozen=True, eq=False)
class Phase(Op):
    """A part of a game, at which it can be entered. ``first``: what is done at its start; ``ends``: a ``Skip`` may
    leave it; ``reset``, ``head``: what is done before the passes, and before each (None: there is one)."""

    name: str
    first: Ops
    ends: bool
    reset: Ops
    head: Ops | None
    ops: Ops


@dataclass(frozen=True, eq=False)
class Either(Op):
    """As ``When``, where the game can stop inside."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True, eq=False)
class Cycle(Op):
    """A loop in which the game can stop. ``first``: what is done before it; ``head``: before each pass."""

    first: Ops
    head: Ops
    ops: Ops


@dataclass(frozen=True, eq=False)
class Chance(Op):
    """One of some values is drawn, after which the game can stop. ``first``: the values; ``none``: the test whether
    there are none."""

    first: Ops
    none: Value
    ops: Ops
    otherwise: Ops


@dataclass(frozen=True, eq=False)
class CallAsking(Op):
    """A shared effect that asks: it comes back here. ``first``: what it is given; ``back``: the local that keeps the
    way back."""

    name: str
    first: Ops
    back: int


# ---------------------------------------------------------------- the start of a whole game


@dataclass(frozen=True, eq=False)
class Begin(Op):
    """What a game in one function has at its start: ``place`` (its values), ``marks`` of one (value, mask), ``zone``,
    ``zones``, ``cells``, ``stream``, ``stream cell``, ``decisions``, ``work`` (the first limit)."""

    what: str
    name: str | int = ""
    value: Any = None


# ---------------------------------------------------------------- functions, modules


@dataclass(frozen=True, eq=False)
class Function:
    """``role``: ``game`` and ``routine`` (one that asks) until they are split into a ``block`` each; ``question``,
    ``options``, ``resume``, ``frame``, ``phase`` of a choice; ``effect``, ``query``; ``outcome``, ``standing``;
    ``playout``. ``params``: locals that it gets."""

    role: str
    name: str
    params: tuple[int, ...]
    ops: Ops


@dataclass(frozen=True, eq=False)
class Module:
    """Everything of a build. ``tables``: the constants; ``names``: of the locals, by slot; ``shown``: the types whose
    labels are shown; ``asked``: site and phase of each choice; ``backs``: the slot of the way back, by the name of the
    routine that asks; ``known``: what is known of locals and places, from which sorts are derived."""

    kind: str
    functions: tuple[Function, ...]
    tables: tuple[object, ...]
    names: dict[int, str]
    shown: dict[str, Type]
    asked: tuple[tuple[int, str], ...]
    backs: dict[str, int]
    known: Known


# ---------------------------------------------------------------- walks

NODES = (Value, Op, Branch)
HOLDERS = (Value, Op, Branch, tuple)


def walk(node: Any) -> list[Any]:
    """A node, or several, and everything in it: values, operations and branches, in order."""
    found: list[Any] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, NODES):
            found.append(one)
            waiting.extend([held for held in reversed(one.__dict__.values()) if isinstance(held, HOLDERS)])
        elif type(one) is tuple:
            waiting.extend([held for held in reversed(one) if isinstance(held, HOLDERS)])
    return found


PRIMITIVES: dict[str, tuple[str, ...]] = {
    # lists
    "copied": (),  # a list that a loop goes through while what it came from may change
    "extended": (),  # a list and one item more
    "front": (),
    "items_at": (),  # the items of a list at some places
    "back": (),
    "length": (),
    "occurrences": (),  # how often a list has an item
    "one": (),  # a list of what may be none
    "reversed": (),
    "without_first": (),  # a list without the first of its items that is some value
    "set_except": (),
    "set_intersect": (),
    "set_union": (),
    "snapshot": (),  # what lies in a zone, as a list
    "span_of": (),  # the list of the numbers from one to another
    "up_to": (),  # as many passes
    # regions of boards: lists, and masks
    "group": (),
    "groups": (),
    "group_among": (),
    "parts_of": (),
    "spaces_in": (),  # the items of a list in their order, each once, that are in a mask
    "leading_in": (),  # the items of a list before the first that is not in a mask
    "lowest_of_each": (),  # of each of some masks the lowest bit that is in another, in order
    "first_in": (),  # the place of the lowest bit of a mask; a fault, if it has none
    "lowest_of": (),  # the place of the lowest bit of a mask that has one
    "without_lowest": (),  # a mask that is not empty without its lowest bit
    "ones": (),  # how many bits a mask has
    # numbers
    "absolute": (),
    "greatest": (),  # of a list; 0 of none
    "larger_of": (),
    "least": (),
    "smaller_of": (),
    "added_up": (),
    # chance
    "any_below": (),  # a number below another, at random
    "pick": ("c",),  # from a stream, or dictated
    # options of a choice
    "and_stop": (),
    "append": (),
    "insert_stop": (),
    "named_options": (),
    "no_options": (),
    "pick_options": (),
    "picks_left": (),
    # seats and who won
    "bits": (),  # of the seats that see something
    "mask_of": (),
    "seen_by_both": (),
    "shares": (),
    "stakes": (),
    "winners": (),
    # texts, faults
    "both": (),  # two values, neither of which is used
    "bound_exceeded": (),
    "cannot_hold": (),
    "no_int": (),  # whether a number is one that an Int can't be
    "openly_said": ("c", "z"),
    "over_limit": (),
    "too_great": (),
}
"""What each needs of a position: its cells (``c``), its lists of components (``z``)."""
