"""Assign the cells of a state to the variables, pools, components and random streams of a program."""

from __future__ import annotations

from functools import cached_property, lru_cache

from lusory_dsl.core import Dim, Program, Random, Shuffle
from lusory_dsl.source.dataclass_with_lazy_methods import Record
from lusory_dsl.types.types import PlayerType

from .flattened_phases import iterate_phases, iterate_program_statements

STREAMS = ("setup", "shuffle", "dice", "picks")


STREAMS_KEY = "streams_drawn"


class Place(Record):
    """Locate a variable or pool in ``State.cells``, or a card zone in ``State.zones``.

    The cell of an index tuple is ``offset + Σ (index - low) * stride``. The last index of a pool is the kind of
    counter. For a card zone the result is the number of a list in ``State.zones``.
    """

    name: str
    offset: int
    size: int
    dims: tuple[Dim, ...]
    strides: tuple[int, ...]
    sizes: tuple[int, ...]

    def at(self, indices: tuple[int, ...] | list[int]) -> int:
        """Return the number of the cell (or list) for these index values, one for each dimension. Raise IndexError if
        one is out of range.

        All cells (or lists) of the state are numbered together, so the first one of the place has the number
        ``offset``. The first index varies fastest: with 2 × 3 cells from index 0, ``at((1, 0))`` is ``offset + 1``, and
        ``at((0, 1))`` is ``offset + 2``.
        """
        number = self.numbers.get(tuple(indices))
        if number is None:
            raise IndexError(self.describe_bad_index(indices))
        return number

    def describe_bad_index(self, indices: tuple[int, ...] | list[int]) -> str:
        """Return the error message for index values of which at least one is out of range. It names the first such
        value.
        """
        checks = zip(indices, self.dims, self.sizes, strict=True)
        return next(
            describe_bad_index(self.name, i, dim.low, size) for i, dim, size in checks if not 0 <= i - dim.low < size
        )

    @cached_property
    def numbers(self) -> dict[tuple[int, ...], int]:
        """Map every tuple of index values to the number of its cell (or list) in the whole state.

        The keys are those of :meth:`list_indices`, in its order. A place per 1..2 and 0..2 with offset 10 gives
        ``{(1, 0): 10, (1, 1): 12, (1, 2): 14, (2, 0): 11, …}``: cells that differ in the first index are neighbours.
        A place without dimensions gives ``{(): offset}``.
        """
        numbers: dict[tuple[int, ...], int] = {(): self.offset}
        for dim, size, stride in zip(self.dims, self.sizes, self.strides, strict=True):
            numbers = {(*key, dim.low + i): number + i * stride for key, number in numbers.items() for i in range(size)}
        return numbers

    def list_indices(self) -> list[tuple[int, ...]]:
        """Return every tuple of index values, in a new list. The last dimension varies fastest.

        Values begin at the ``low`` of their dimension: a place per 1..2 gives ``[(1,), (2,)]``. A place without
        dimensions gives ``[()]``.
        """
        return list(self.numbers)


def describe_bad_index(name: str, index: object, low: int, size: int) -> str:
    """Return the error message for an index that a place or table of ``size`` indices from ``low`` on does not have.

    Example: ``gold has no index 5, only 1 to 4``.
    """
    return f"{name} has no index {index}, only {low} to {low + size - 1}"


def list_streams(program: Program) -> tuple[str, ...]:
    """Return the random streams that a program draws from, a part of :data:`STREAMS` in the same order.

    A deck that is shuffled in the setup and a die that is rolled later give ``("setup", "dice")``: draws and shuffles
    written in the setup block all use ``setup``. The result is cached in the ``__dict__`` of the program under
    ``STREAMS_KEY``, because it takes a walk over all statements.
    """
    cache = program.__dict__
    if STREAMS_KEY not in cache:
        names = {stmt.stream for stmt in iterate_program_statements(program) if isinstance(stmt, Random | Shuffle)}
        cache[STREAMS_KEY] = tuple(stream for stream in STREAMS if stream in names)
    streams: tuple[str, ...] = cache[STREAMS_KEY]
    return streams


class StateLayout:
    """Assign a cell of the state to everything that a game stores.

    The cells hold, in this order:

    1. the variables and pools, in the order of their declarations;
    2. the location of each component: the number of its zone list, or None;
    3. the repeat counter of each repeated phase;
    4. one cell for each random stream that the program draws from;
    5. ``over`` (0 or 1), the end reason (None or a text), and the work done so far
       (see :mod:`lusory.state.static_work_charges_and_list_bounds`).

    An engine may add cells of its own after ``size``.
    """

    def __init__(self, program: Program, players: int) -> None:
        self.players = players
        self.places: dict[str, Place] = {}
        self.zones: dict[str, Place] = {}
        offset = 0
        for variable in program.variables.values():
            offset = self._add(self.places, variable.name, variable.dims, offset)
        for pool in program.pools.values():
            kinds = len(program.enums[str(pool.holds)].values)
            offset = self._add(self.places, pool.name, (*pool.dims, Dim(pool.holds, 0, kinds)), offset)
        self.location = offset
        offset += len(program.entities)
        self.repeats_begin = offset
        self.repeats: dict[str, int] = {}
        for phase in iterate_phases(program):
            if phase.repeat is not None:
                self.repeats[phase.id] = offset
                offset += 1
        self.streams: dict[str, int] = {}
        for stream in list_streams(program):
            self.streams[stream] = offset
            offset += 1
        self.over = offset
        self.reason = offset + 1
        self.work = offset + 2
        self.size = offset + 3
        list_count = 0
        for zone in program.zones.values():
            list_count = self._add(self.zones, zone.name, zone.dims, list_count)
        self.zone_count = list_count
        zones = self.zones.values()
        self._zones_by_number = {zone.at(key): (zone.name, key) for zone in zones for key in zone.list_indices()}

    def get_zone(self, number: int) -> tuple[str, tuple[int, ...]]:
        """Return the name and the indices of the card zone with this number in ``State.zones``."""
        return self._zones_by_number[number]

    def place(self, name: str) -> Place:
        """Return the place of a variable, pool or card zone. Raise KeyError for another name."""
        return self.places.get(name) or self.zones[name]

    def _add(self, table: dict[str, Place], name: str, dims: tuple[Dim, ...], offset: int) -> int:
        sizes = tuple(self.players if isinstance(dim.type, PlayerType) else (dim.size or 0) for dim in dims)
        strides = []
        stride = 1
        # The first dimension has the smallest stride: in most accesses only ``me`` varies, which is the first index.
        for size in sizes:
            strides.append(stride)
            stride *= size
        table[name] = Place(name, offset, stride, dims, tuple(strides), sizes)
        return offset + stride


@lru_cache(maxsize=8)
def make_layout(program: Program, players: int) -> StateLayout:
    """Return the layout for a program and a number of players. It doesn't depend on the options of the game."""
    return StateLayout(program, players)
