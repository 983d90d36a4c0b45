"""Lists as Python text, and what is made of lists: filters, folds, the greatest.

Lists whose items are known and whose membership is a matter of conditions (:class:`Masked`) are kept symbolic as long
as possible: folds over them are unrolled, and the list itself is looked up in a table by a bit mask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, CallBuiltin, Const, Expr, Fold, Local, chain
from lusory_dsl.language.types import ComponentType, ListType, Type

from ...table.cost import GREATEST
from ...table.setting import FEW
from ..lower.failing import too_long
from ..lower.uses import count_uses
from ..python.writing import literal, outside_literals
from .places import AND, ATOM, BIT_OR, CONDITIONAL, NOT, OR, PRODUCT, SUM, PlaceEmitter

MASK_LIMIT = 6  # items of a list that is looked up by mask: at most 64 rows
UNCOUNTED = 2_500  # items that loops in loops of one expression may go through without being counted
SHARED = 50  # how often a shared query is thought to be called in a loop
UNROLL_LIMIT = 12  # items over which a fold is written out


@dataclass(frozen=True)
class Masked:
    """A list of known items in a known order; item i is there when ``conditions[i]`` holds (None: always)."""

    items: tuple[Any, ...]
    conditions: tuple[str | None, ...]

    @property
    def certain(self) -> bool:
        return all(c is None for c in self.conditions)


class ListEmitter(PlaceEmitter):
    """Text for lists and for what is asked of them."""

    _often = 1  # how often what is written is evaluated at most, by the loops of expressions round it

    @contextmanager
    def looping(self, times: int) -> Iterator[None]:
        """Write what is evaluated so many times."""
        before, self._often = self._often, self._often * times
        yield
        self._often = before

    def longest(self, source: Expr) -> int:
        """How many items a loop goes through at most."""
        return self.lowerer.charges.lengths.most(source)

    def masked(self, e: Expr) -> Masked | None:
        """The list as known items with conditions, where it is one; conditions are Python text of level NOT or
        tighter."""
        with self._within(e):
            return self._masked(e)

    def _masked(self, e: Expr) -> Masked | None:
        if isinstance(e, Const):
            if isinstance(e.value, tuple) and len(e.value) <= UNROLL_LIMIT:
                return Masked(e.value, (None,) * len(e.value))
            return None
        if isinstance(e, core.ListLit):
            if all(isinstance(i, Const) for i in e.items):
                return Masked(tuple(i.value for i in e.items), (None,) * len(e.items))  # type: ignore[attr-defined]
            return None
        if isinstance(e, core.PoolKinds):
            pool = self.program.pools[e.zone]
            cells = (self.cell(e.zone, (*e.indices, Const(pool.holds, e.span, k))) for k in pool.kinds)
            return Masked(pool.kinds, tuple(f"({cell} > 0)" for cell in cells))
        if isinstance(e, core.Filter):
            return self._masked_filter(e)
        if isinstance(e, Binary) and e.op in ("union", "except", "intersect"):
            return self._masked_sets(e)
        if isinstance(e, CallBuiltin) and e.name == "reverse":
            inner = self.masked(e.args[0])
            return None if inner is None else Masked(inner.items[::-1], inner.conditions[::-1])
        return None

    def _masked_filter(self, e: core.Filter) -> Masked | None:
        source = self.masked(e.source)
        if source is None or not isinstance(e.source.type, ListType):
            return None
        if not self.lowerer.may_write_out(len(source.items)):
            return None
        with self.lowerer.writing_out(len(source.items)):
            return self._asked_of_each(e, source, e.source.type.item)

    def _asked_of_each(self, e: core.Filter, source: Masked, type: Type) -> Masked | None:
        """The items of a list with the condition of a filter, written out for each."""
        items: list[Any] = []
        conditions: list[str | None] = []
        for item, before in zip(source.items, source.conditions, strict=True):
            own = self.lowerer.substitute(e.condition, e.slot, item, type)
            if isinstance(own, Const):
                if own.value:
                    items.append(item)
                    conditions.append(before)
                continue
            if self.can_fail(own):
                return None  # all conditions are to be read, in order
            text = self.code(own, ATOM)
            items.append(item)
            conditions.append(text if before is None else f"({before} and {text})")
        return Masked(tuple(items), tuple(conditions))

    def _masked_sets(self, e: Binary) -> Masked | None:
        left, right = self.masked(e.left), self.masked(e.right)
        if left is None or right is None or len(set(left.items)) != len(left.items):
            return None
        if e.op == "union":
            if set(left.items) & set(right.items):
                return None
            return Masked(left.items + right.items, left.conditions + right.conditions)
        if not right.certain:
            return None
        keep = [
            (i, c)
            for i, c in zip(left.items, left.conditions, strict=True)
            if (i in right.items) is (e.op == "intersect")
        ]
        return Masked(tuple(i for i, _ in keep), tuple(c for _, c in keep))

    def by_mask(self, known: Masked) -> str:
        """The list looked up by the bits of its conditions."""
        if known.certain:
            return self.literal(known.items)
        open_ones = [c for c in known.conditions if c is not None]
        rows = []
        for bits in range(1 << len(open_ones)):
            row = []
            position = 0
            for item, condition in zip(known.items, known.conditions, strict=True):
                if condition is None:
                    row.append(item)
                    continue
                if bits >> position & 1:
                    row.append(item)
                position += 1
            rows.append(tuple(row))
        mask = " | ".join(c if i == 0 else f"{c} << {i}" for i, c in enumerate(open_ones))
        return f"{self.tables.constant(literal(tuple(rows)))}[{mask}]"

    def sequence(self, e: Expr) -> str:
        """Text of a list that is only measured and indexed."""
        if isinstance(e, core.ReadZone):
            return self.zone(e.zone, e.indices)
        text = self.code(e)
        inner = re.fullmatch(r"tuple\((\[.*\]|sorted\(\[.*\]\))\)", text)
        if inner is not None and _balanced(outside_literals(inner[1]).removeprefix("sorted")):
            return inner[1]
        return text

    def _lookup(self, e: Expr) -> tuple[str, int]:
        known = self.masked(e)
        if known is not None and len([c for c in known.conditions if c]) <= MASK_LIMIT:
            return self.by_mask(known), ATOM
        if isinstance(e, core.Filter):
            return self._comprehension(e.slot, e.source, e.condition, None, "tuple([%s])"), ATOM
        raise AssertionError(type(e).__name__)

    def _filter(self, e: core.Filter) -> tuple[str, int]:
        return self._lookup(e)

    def _maplist(self, e: core.MapList) -> tuple[str, int]:
        known = self.masked(e.source)
        plain = e.condition is None and isinstance(e.source.type, ListType)
        if known is not None and known.certain and plain and self.lowerer.may_write_out(len(known.items)):
            assert isinstance(e.source.type, ListType)
            bodies = [self.lowerer.substitute(e.body, e.slot, i, e.source.type.item) for i in known.items]
            with self.lowerer.writing_out(len(known.items)):
                return self._text(core.ListLit(e.type, e.span, tuple(bodies)))
        return self._comprehension(e.slot, e.source, e.condition, e.body, "tuple([%s])"), ATOM

    def _comprehension(self, slot: int, source: Expr, condition: Expr | None, body: Expr | None, frame: str) -> str:
        """A comprehension in its frame; the order of the items counts only where the frame is of a list."""
        name = self.name(slot)
        tests = [(slot, condition)]
        source = self._filtered(source, tests, body)
        first, asked = tests[0]
        lying = self._those_lying(first, source, asked, frame.startswith("tuple") or "[" not in frame)
        before, self._iterating = self._iterating, True
        if lying is None:
            over = self.visited(source, self.iterable(source))
        else:
            over, tests[0] = lying[0], (first, lying[1])
            if self._often * self.longest(source) > UNCOUNTED and self._often > 1:
                over = over.replace("(z", "(visiting_all(c, z") + ")"
        self._iterating = before
        with ExitStack() as names:
            names.enter_context(self.looping(self.longest(source)))
            for one, _ in tests:
                self.bound_by(one, source)
                names.enter_context(self._naming(one, name))
            value = name if body is None else self.code(body)
            asked_of = [test for _, test in tests if test is not None]
            wanted = [self.code(test, AND) for test in asked_of]
        if body is None and wanted and over.startswith("lying(") and not any(map(self.can_fail, asked_of)):
            over = over.replace("lying", "chain.from_iterable", 1)  # only what is left is put into order
            frame = frame.replace("[%s]", "sorted([%s])")
        return frame % f"{value} for {name} in {over}{' if ' if wanted else ''}{' and '.join(wanted)}"

    def _filtered(self, source: Expr, tests: list[tuple[int, Expr | None]], body: Expr | None) -> Expr:
        """What a comprehension runs over when the filters of its source are asked in it: they come before ``tests``.
        Where something can fail, all items are looked at before any goes on."""
        later = [e for e in (tests[0][1], body) if e is not None]
        if any(self.can_fail(e) for e in later):
            return source
        while isinstance(source, core.Filter) and self.masked(source) is None and not self.can_fail(source.condition):
            tests.insert(0, (source.slot, source.condition))
            source = source.source
        return source

    def _those_lying(
        self, slot: int, source: Expr, condition: Expr | None, ordered: bool
    ) -> tuple[str, Expr | None] | None:
        """All components of a kind, `where` they lie in a zone of some name (and more): read from the zones, in the
        order of the components where that counts, in place of asking each component. None where that isn't what is
        asked. What is asked before it is asked after it, unless it can fail."""
        if condition is None or not isinstance(source, Const):
            return None
        asked = chain(condition, "and")
        lies = [
            isinstance(c, core.LiesIn) and isinstance(c.component, Local) and c.component.slot == slot for c in asked
        ]
        number = lies.index(True) if any(lies) else len(asked)
        if number == len(asked) or any(self.can_fail(c) for c in asked[:number]):
            return None
        one = asked[number]
        assert isinstance(one, core.LiesIn)
        place = self.layout.zones[one.zone]
        holds = self.program.zones[one.zone].holds
        begin, count = self.program.component_kinds[holds.name] if isinstance(holds, ComponentType) else (0, 0)
        if source.value != tuple(range(begin, begin + count)):
            return None
        zones = f"z[{place.offset}:{place.offset + place.size}]"
        others = asked[:number] + asked[number + 1 :]
        both = partial(Binary, condition.type, condition.span, "and")
        return f"{'lying' if ordered else 'chain.from_iterable'}({zones})", reduce(both, others) if others else None

    def visited(self, source: Expr, text: str) -> str:
        """The list that a loop goes through, as text. Its items are counted in loops in loops that go through many, and
        where it may have any length."""
        most = self.longest(source)
        if most < GREATEST and (self._often == 1 or self._often * most <= UNCOUNTED):
            return text
        if text.startswith("range_of(") and self._often * FEW <= UNCOUNTED:
            return f"visiting_{text[:-1]}, c)"
        return f"visiting(c, {text})"

    def iterable(self, e: Expr) -> str:
        """Text to loop over, without copying where nothing can change meanwhile (expressions only)."""
        if isinstance(e, core.ReadZone):
            return self.zone(e.zone, e.indices)
        if isinstance(e, core.Range):
            return self.range(e)
        return self.sequence(e) if isinstance(e, core.Filter | core.MapList) else self.code(e, OR)

    def range(self, e: core.Range) -> str:
        """Text of the numbers of a range, one after the other."""
        with self._within(e):
            if too_long(e, self.bounds):
                return f"range_of({self.code(e.low)}, {self.code(e.high)})"
            return f"range({self.code(e.low)}, {self.code(e.high, SUM)} + 1)"

    def _fold(self, e: Fold) -> tuple[str, int]:
        both = e.body if e.condition is None else Binary(e.body.type, e.span, "and", e.condition, e.body)
        if e.kind == "count" and isinstance(e.source, Const) and (alike := _alike(both, e.slot)) is not None:
            return f"{self.code(e.source, ATOM)}.count({self.code(alike)})", ATOM
        known = self.masked(e.source)
        if known is not None and isinstance(e.source.type, ListType) and self.lowerer.may_write_out(len(known.items)):
            with self.lowerer.writing_out(len(known.items)):
                return self._unrolled(e, known, e.source.type.item)
        if e.kind == "count":
            if isinstance(e.body, Const) and e.body.value is True and e.condition is None:
                return f"len({self.sequence(e.source)})", ATOM
            return self._comprehension(e.slot, e.source, both, Const(e.type, e.span, 1), "sum([%s])"), ATOM
        frames = {"sum": self.whole(e, "sum([%s])", ATOM)[0], "any": "any([%s])", "all": "all([%s])"}
        frame = frames.get(e.kind, f"{e.kind}([%s], default=0)")
        if e.kind in ("any", "all") and (
            self.can_fail(e.body) or (e.condition is not None and self.can_fail(e.condition))
        ):
            frame = f"{e.kind}(%s)"  # not beyond the item that settles it
        return self._comprehension(e.slot, e.source, e.condition, e.body, frame), ATOM

    def _unrolled(self, e: Fold, known: Masked, item_type: Type) -> tuple[str, int]:
        """The fold written out over the items."""
        terms: list[tuple[str | None, Expr]] = []  # condition text, body
        for item, condition in zip(known.items, known.conditions, strict=True):
            body = self.lowerer.substitute(e.body, e.slot, item, item_type)
            if e.condition is not None:
                test = self.lowerer.substitute(e.condition, e.slot, item, item_type)
                if isinstance(test, Const):
                    if not test.value:
                        continue
                else:
                    text = self.code(test, ATOM)
                    condition = text if condition is None else f"({condition} and {text})"
            terms.append((condition, body))
        if e.kind in ("any", "all"):
            return self._unrolled_test(e, terms)
        if e.kind == "count":
            return self._unrolled_count(terms)
        if e.kind == "sum":
            parts = []
            for condition, body in terms:
                text = self.code(body, PRODUCT)
                parts.append(text if condition is None else f"({self.code(body, OR)} if {condition} else 0)")
            parts = [p for p in parts if p != "0"]
            return self.whole(e, " + ".join(parts) or "0", SUM if len(parts) > 1 else PRODUCT)
        return self._unrolled_extreme(e, terms)

    def _unrolled_test(self, e: Fold, terms: list[tuple[str | None, Expr]]) -> tuple[str, int]:
        wanted = e.kind == "any"
        parts = []
        for condition, body in terms:
            if isinstance(body, Const):
                if bool(body.value) is not wanted:
                    continue
                if condition is None:
                    return str(wanted), ATOM
                parts.append(condition if wanted else f"not {condition}")
            elif condition is None:
                parts.append(self.code(body, AND if wanted else NOT))
            elif wanted:
                parts.append(f"{condition} and {self.code(body, AND)}")
            else:
                parts.append(f"(not {condition} or {self.code(body, AND)})")
        if not parts:
            return str(not wanted), ATOM
        level = OR if wanted else AND
        return (" or " if wanted else " and ").join(parts), level if len(parts) > 1 else CONDITIONAL

    def _unrolled_count(self, terms: list[tuple[str | None, Expr]]) -> tuple[str, int]:
        sure = 0
        parts = []
        for condition, body in terms:
            if isinstance(body, Const):
                if not body.value:
                    continue
                if condition is None:
                    sure += 1
                else:
                    parts.append(condition)
            else:
                text = self.code(body, ATOM)
                parts.append(text if condition is None else f"({condition} and {text})")
        if not parts:
            return str(sure), ATOM
        if sure or len(parts) == 1:
            parts.append(str(sure))
        return " + ".join(parts), SUM

    def _unrolled_extreme(self, e: Fold, terms: list[tuple[str | None, Expr]]) -> tuple[str, int]:
        if not terms:
            return "0", ATOM
        if any(condition is not None for condition, _ in terms):
            items = ", ".join(
                f"*(({self.code(b)},) if {c} else ())" if c is not None else self.code(b) for c, b in terms
            )
            return f"{e.kind}(({items},), default=0)", ATOM
        texts = [self.code(b, BIT_OR) for _, b in terms]
        if len(texts) == 1:
            return texts[0], CONDITIONAL
        if len(texts) == 2 and all(len(t) < 40 for t in texts):
            sign = ">" if e.kind == "max" else "<"
            return f"{texts[0]} if {texts[0]} {sign} {texts[1]} else {texts[1]}", CONDITIONAL
        return f"{e.kind}({', '.join(texts)})", ATOM

    def _extreme(self, e: core.Extreme) -> tuple[str, int]:
        name = self.name(e.slot)
        source = self.visited(e.source, self.code(e.source))
        with self._naming(e.slot, name), self.looping(self.longest(e.source)):
            return f"{e.kind}_of({source}, lambda {name}: {self.code(e.key)})", ATOM

    def _distinct(self, e: core.Distinct) -> tuple[str, int]:
        name = self.name(e.slot)
        source = self.visited(e.source, self.code(e.source))
        with self._naming(e.slot, name), self.looping(self.longest(e.source)):
            return f"distinct_of({source}, lambda {name}: {self.code(e.key)})", ATOM

    # ------------------------------------------------------------ lists as they are written

    def _listlit(self, e: core.ListLit) -> tuple[str, int]:
        if not e.items:
            return "()", ATOM
        return "(" + "".join(self.code(i) + ", " for i in e.items).strip() + ")", ATOM

    def _range(self, e: core.Range) -> tuple[str, int]:
        return f"span_of({self.code(e.low)}, {self.code(e.high)})", ATOM

    def _poolkinds(self, e: core.PoolKinds) -> tuple[str, int]:
        return self._lookup(e)

    def bound_by(self, slot: int, source: Expr) -> None:
        """Remember the bounds of a local that runs over ``source``."""
        if isinstance(source, core.Range):
            low, high = self.bounds.interval(source.low), self.bounds.interval(source.high)
            self.bounds.of[slot] = (low[0], max(low[0], high[1]))
            return
        if isinstance(source, core.Filter):
            self.bound_by(slot, source.source)
            return
        items: Any = ()
        if isinstance(source, core.TableRead):
            items = list(_leaves(self.program.tables[source.table].values))
        elif isinstance(source, Const):
            items = source.value
        elif (known := self.masked(source)) is not None:
            items = known.items
        if items and all(type(i) is int for i in items):
            self.bounds.of[slot] = (min(items), max(items))


def _alike(condition: Expr, slot: int) -> Expr | None:
    """What an item must be, where that is all that is asked of it."""
    if isinstance(condition, Binary) and condition.op == "and":
        sides = [c for c in (condition.left, condition.right) if not (isinstance(c, Const) and c.value is True)]
        return _alike(sides[0], slot) if len(sides) == 1 else None
    if not isinstance(condition, Binary) or condition.op != "=":
        return None
    left, right = condition.left, condition.right
    if isinstance(left, Local) and left.slot == slot and not count_uses(right, slot):
        return right
    return None


def _balanced(text: str) -> bool:
    """Whether the bracket that opens a text is closed at its end and not before."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and i < len(text) - 1:
            return False
    return depth == 0


def _leaves(value: object) -> Any:
    if isinstance(value, tuple):
        for v in value:
            yield from _leaves(v)
    else:
        yield value
