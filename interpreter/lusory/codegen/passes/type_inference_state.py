"""Hold the inferred sorts of locals, places and functions while type inference traverses a module.

A value whose sort does not fit its place is recorded as a problem. Inference then goes on with the sort that was
expected. The rules for each node are in :mod:`lusory.codegen.passes.type_inference`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lusory_dsl.types.integer_intervals import compute_hull
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

from ...state.setting_value_limits_builtins_and_names import Setting
from .. import ir
from ..ir import types
from ..ir.types import ANY_INT, BOOLEAN, LIST, NEVER, NONE, NUMBER, RECORD, TEXT, TRUTH, Sort, remove_none


@dataclass(eq=False)
class Inference:
    """The state of an inference of sorts over one module.

    Attributes:
        values: Class of a value -> the rule that infers its sort.
        locals: Slot -> sort of a local, from its declared type.
        temporaries: Sorts of the temporaries in the current function, by name.
        known_locals: Locals that are known not to be none, because of the tests around the current node.
        known_at_choice: Number of a choice -> locals that are not none wherever it is asked.
        results: Name of a function -> sort of its result.
        problems: Descriptions of values that do not fit their places.
        place: The origin of the current operation.
    """

    setting: Setting
    module: ir.Module
    values: dict[type[ir.Value], Callable[[Inference, Any], Sort]]
    temporaries: dict[str, Sort] = field(default_factory=dict)
    known_locals: frozenset[int] = frozenset()
    known_at_choice: dict[int, frozenset[int]] = field(default_factory=dict)
    results: dict[str, Sort] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    place: ir.Provenance = ir.NOWHERE
    constants: dict[tuple[int, int, int], Sort] = field(default_factory=dict)
    _cell_sorts: dict[str, Sort] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.program, self.layout, self.players = self.setting.program, self.setting.layout, self.setting.players
        facts = self.module.facts
        self.locals = {  # unknown lengths of lists and texts get the limits of the engine
            slot: self.make_type_sort(
                facts.types[slot],
                facts.number_ranges.get(slot),
                facts.list_sizes.get(slot, LIST_LIMIT),
                facts.text_lengths.get(slot, TEXT_LIMIT),
            )
            for slot in self.module.names
        }

    # ------------------------------------------------------------ declarations

    def make_type_sort(self, type: Type, bounds: tuple[int, int] | None, size: int, length: int) -> Sort:
        """Return the sort of a type of the language.

        ``bounds`` limits its numbers (both ends included), ``size`` the number of items of a list, and ``length`` the
        number of characters of texts. None for ``bounds`` means all numbers. The lists in a list may have any size.
        Types without values give NEVER.
        """
        match type:
            case OptionalType(item=item):
                return types.join(self.make_type_sort(item, bounds, size, length), NONE)
            case ListType(item=item):
                return types.make_list_sort(self.make_type_sort(item, bounds, LIST_LIMIT, length), size)
            case IntType():
                return types.make_number_sort(*bounds) if bounds is not None else ANY_INT
            case BoolType():
                return BOOLEAN
            case TextType():
                return types.make_text_sort(length)
            case PlayerType():
                return Sort(NUMBER, 0, self.players - 1, "Player")
            case EnumType(name=name):
                return Sort(NUMBER, 0, len(self.program.enums[name].values) - 1, name)
            case ComponentType(name=name):
                first, count = self.program.component_kinds[name]
                return Sort(NUMBER, first, first + count - 1, name)
        return NEVER

    def get_cell_sort(self, name: str) -> Sort:
        """Return the sort of the cells of a variable or pool: numbers of all its kinds and 0 for a pool.

        It is cached. Unknown names raise KeyError.
        """
        if name not in self._cell_sorts:
            place_ranges = self.module.facts.place_ranges
            variable = self.program.variables.get(name)
            if variable is None:
                kinds = self.program.pools[name].kinds
                ranges = [(0, 0), *(place_ranges.get((name, kind), (INT_MIN, INT_MAX)) for kind in kinds)]
                self._cell_sorts[name] = types.make_number_sort(*compute_hull(ranges))
            else:
                bounds = place_ranges.get((name, None))
                self._cell_sorts[name] = self.make_type_sort(variable.type, bounds, LIST_LIMIT, TEXT_LIMIT)
        return self._cell_sorts[name]

    def make_component_sort(self, zone: str) -> Sort:
        """Return the sort of the components that a zone can hold: the numbers of their kind."""
        return self.make_type_sort(self.program.zones[zone].holds, None, 0, 0)

    def make_zone_list_sort(self, zone: str) -> Sort:
        """Return the sort of the list of components in a zone, which may hold all components of its kind."""
        item = self.make_component_sort(zone)
        return types.make_list_sort(item, item.high - item.low + 1)

    @cached_property
    def zone_numbers(self) -> Sort:
        """The sort of the numbers of zones, from 0."""
        return Sort(NUMBER, 0, self.layout.zone_count - 1)

    # ------------------------------------------------------------ inference

    def infer_sort(self, value: ir.Value) -> Sort:
        """Return the sort of a value by the rule for its class, which may record problems and assign sorts to
        locals.
        """
        return self.values[type(value)](self, value)

    def get_local_sort(self, slot: int) -> Sort:
        """Return the sort of a local where it is read: without none if the tests around it exclude none."""
        sort = self.locals[slot]
        return remove_none(sort) if slot in self.known_locals else sort

    @contextmanager
    def assuming(self, test: ir.Value | None, holds: bool = True) -> Iterator[None]:
        """Assume in the body of the ``with`` statement that a test holds, or with ``holds`` False, that it does not.

        During the body, the frozenset ``known_locals`` also has the slots that :func:`find_not_none_slots` returns:
        those of locals that are then not none, 3 for the test ``local 3 is not none``. The test has no other effect.
        Afterwards ``known_locals`` is as before, unless the body raises. Without a test, nothing is assumed.
        """
        known_before = self.known_locals
        if test is not None:
            self.known_locals |= find_not_none_slots(test, holds)
        yield
        self.known_locals = known_before

    def report(self, subject: str, actual: object, expected: object) -> None:
        """Record a problem: ``actual`` stands where ``expected`` should. ``subject`` names the place. Nothing is
        raised.

        The text is ``SUBJECT in line 3: ACTUAL stands where EXPECTED should``, without the line if it is not known.
        """
        line = "" if self.place.span is None else f" in line {self.place.span.line}"
        self.problems.append(f"{subject}{line}: {actual} stands where {expected} should")

    def check_fit(self, subject: str, actual: Sort, place: Sort) -> None:
        """Record a problem if a value of sort ``actual`` does not fit its place."""
        if not types.is_storable(actual, place):
            self.report(subject, actual, place)

    def infer_number(self, value: ir.Value, subject: str = "a number") -> Sort:
        """Return the sort of a value used as a number. A truth value has the sort 0..1.

        Players, enum values and components are numbers and keep their sort. None is removed from the sort, because
        every backend checks for it at such a place. Any other value, such as a text, is reported by :meth:`report`
        with ``subject`` and ``a number``, and gives ``ANY_INT``. A value from an option, one that is always none, and
        one that never occurs give ``ANY_INT`` without a report.
        """
        sort = remove_none(types.convert_to_number(self.infer_sort(value)))
        if sort.kind == NUMBER:
            return sort
        if sort not in (NEVER, types.FROM_OPTION):
            self.report(subject, sort, "a number")
        return ANY_INT

    def infer_list(self, value: ir.Value, subject: str = "a list") -> Sort:
        """Return the sort of a value that is iterated over.

        The sort of a list is returned as it is. A record counts as a list of its parts: the record of 1..2 and 4..5
        gives a list of at most 2 numbers 1..5. A value of another kind, or one that can be none, is added to
        ``problems`` with ``subject``, and counts as a list of at most ``LIST_LIMIT`` items of the sort :data:`NEVER`.
        """
        sort = self.infer_sort(value)
        if sort.kind == RECORD and not sort.is_optional:  # a constant with items of different kinds
            return types.make_list_sort(types.join_all(sort.parts), len(sort.parts))
        if sort.kind == LIST and not sort.is_optional:
            return sort
        self.report(subject, sort, "a list")
        return types.make_list_sort(NEVER, LIST_LIMIT)

    def infer_text(self, value: ir.Value) -> Sort:
        """Return the sort of a value used as a text.

        A value of another kind, or one that can be none, gives ANY_TEXT. ``problems`` then gets a text from
        :meth:`report`, such as ``a text in line 7: 3..3 stands where a text should`` for the number 3.
        """
        sort = self.infer_sort(value)
        if sort.kind == TEXT and not sort.is_optional:
            return sort
        self.report("a text", sort, "a text")
        return types.ANY_TEXT

    def check_test(self, value: ir.Value) -> None:
        """Record a problem if a value can't be a test. Truth values, numbers and lists can, and so can a value that
        never occurs.
        """
        sort = self.infer_sort(value)
        if sort.kind not in (TRUTH, NUMBER, LIST) and sort != NEVER:
            self.report("a test", sort, "something that holds or not")

    def check_tests(self, parts: Iterable[ir.Value], holds: bool = True) -> None:
        """Call :meth:`check_test` for each test in order, as in short-circuit evaluation.

        Each is checked under the assumption that those before it hold, or with ``holds`` False, that they do not:
        ``known_locals`` then also has the slots that :func:`find_not_none_slots` returns for them. At the end,
        ``known_locals`` is as before.
        """
        known_before = self.known_locals
        for part in parts:
            self.check_test(part)
            self.known_locals |= find_not_none_slots(part, holds)
        self.known_locals = known_before

    def assign(self, target: ir.Value, value: Sort) -> None:
        """Assign the sort ``value`` to a local, a temporary, or a cell. Any other target is ignored.

        The sort of a temporary becomes its join with ``value``, and so does that of a local whose declaration says
        nothing. For other locals and for cells, record a problem if the value does not fit.
        """
        match target:
            case ir.Local(slot=slot) | ir.BoundLocal(slot=slot):
                if _is_open(self.locals[slot]):
                    self.locals[slot] = types.join(self.locals[slot], value)
                self.check_fit(f"`{self.module.names[slot]}` ({slot})", value, self.locals[slot])
            case ir.Temporary(name=name):
                self.temporaries[name] = types.join(self.temporaries.get(name, NEVER), value)
            case ir.Cell(place=place, index=index):
                self.infer_index(index, self.layout.places[place].size, place)
                self.check_fit(f"`{place}`", value, self.get_cell_sort(place))

    def infer_index(self, value: ir.Index, size: int, subject: str) -> Sort:
        """Return the sort of an index, cut to the ``size`` elements that begin at ``value.base``.

        Its bounds are ``base`` plus ``constant``, plus those of each term times its stride. One term from 0 to 7 with
        stride 1, base 10 and five elements give 10..14. An index that is always out of range adds a problem with
        ``subject`` to ``problems``. It gives a number sort without values, such as 20..14. An index whose only term has
        no values gives the whole range.
        """
        low = high = value.constant + value.base
        for term, stride in value.terms:
            sort = self.infer_number(term, f"an index of `{subject}`")
            low, high = low + sort.low * stride, high + sort.high * stride
        begin = value.base
        if low > high:  # an operand without values: this code is never executed
            return Sort(NUMBER, begin, begin + size - 1)
        if high < begin or low >= begin + size:
            self.report(f"an index of `{subject}`", f"{low}..{high}", f"{begin}..{begin + size - 1}")
        return Sort(NUMBER, max(low, begin), min(high, begin + size - 1))

    def find_zone(self, value: ir.Index) -> str:
        """Return the name of the zone that contains the list with the number ``value.number``: base plus constant.

        Lists of all zones are counted together. With terms, ``value.number`` is None. Then return the zone whose first
        list has the number ``value.base``, even if all terms are constant. A text is added to ``problems`` if such an
        index is always out of that zone's range. Raises KeyError for an index without terms whose number no list has,
        and StopIteration for one with terms if no zone begins at its base.
        """
        number = value.number
        if number is not None:
            return self.layout.get_zone(number)[0]
        zone_name = next(name for name, zone in self.layout.zones.items() if zone.offset == value.base)
        self.infer_index(value, self.layout.zones[zone_name].size, zone_name)
        return zone_name


def _is_open(sort: Sort) -> bool:
    """Return whether a declared sort says nothing: the checker saw only none or the empty list."""
    return sort.kind == NEVER.kind or (sort.item is not None and _is_open(sort.item))


def find_not_none_slots(test: ir.Value, holds: bool) -> frozenset[int]:
    """Return the slots of the locals that are not none if a test holds, or with ``holds`` False, if it does not hold.

    The set is empty for a test that tells nothing about none. Example: ``x is not none and y`` gives ``x`` if it holds,
    and nothing if it does not.
    """
    match test:
        case ir.Unary(op="not", operand=inner):
            return find_not_none_slots(inner, not holds)
        case ir.Binary(op="is not" | "is" as op, left=ir.Local(slot=slot) | ir.BoundLocal(slot=slot)):
            return frozenset({slot}) if (op == "is not") is holds else frozenset()
        case ir.Binary(op="is not" | "is" as op, left=ir.Bind(target=ir.BoundLocal(slot=slot))):
            return frozenset({slot}) if (op == "is not") is holds else frozenset()
        case ir.Binary(op="and" | "or" as op, left=left, right=right) if (op == "and") is holds:
            return find_not_none_slots(left, holds) | find_not_none_slots(right, holds)
        case ir.AllOf(parts=parts) if holds:
            return frozenset[int]().union(*(find_not_none_slots(part, True) for part in parts))
        case ir.AnyOf(parts=parts) if not holds:
            return frozenset[int]().union(*(find_not_none_slots(part, False) for part in parts))
    return frozenset()
