"""Statements that cannot stop the game, as structured Python text. Base of both emitters.

A :class:`Writer` keeps the lines and, for each, the place in the ruleset that it was made from: the line map that
turns a fault in generated code into the author's line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Stmt
from lusory_dsl.language.intervals import Interval, within
from lusory_dsl.language.types import BOOL, INT, PLAYER, ListType, OptionalType, PlayerType, optional
from lusory_dsl.text.source import Span

from ...table.dispatch import methods
from ..lower.lowered import STATEMENTS, Changed, FramedAnnounce, FramedEndGame, Spend, Trail, asks, stops
from ..python.support import FORCED, UNTIL
from ..python.writing import literal
from .expressions import ExpressionEmitter
from .places import ATOM, PRODUCT, SUM, outside

UNROLL_STATEMENTS = 60  # statements that an unrolled loop may grow to
BLOCK_COPIES = 24  # of one block, by loops in loops that are unrolled


@dataclass(frozen=True)
class Mapped:
    """Where a line of generated text comes from. ``trail``: phases and effects round it, innermost last; ``reads``: the
    lowered expressions that it works out, in the author's order."""

    span: Span | None
    trail: tuple[str, ...]
    reads: tuple[Expr, ...] = ()

    def inside(self, caller: Mapped) -> Mapped:
        """The same place with the whole trail, where it stands in a routine that ``caller`` called."""
        if self.trail[:1] != (CALLED,):
            return self
        return Mapped(self.span, (*caller.trail, *self.trail[1:]), self.reads)


NOWHERE = Mapped(None, ())
CALLED = ""  # begins the trail inside a shared routine: what is before it is the caller's


@dataclass
class Line:
    """One line of generated text. ``assigns``: the slot whose local it sets (the emitter may add a spill);
    ``build``: the only build that has this line (``events`` or ``silent``), None: all."""

    indent: int
    text: str
    place: Mapped
    assigns: int | None = None
    build: str | None = None


class Author(Protocol):
    """Who writes: knows the trail of phases and effects, and what the next line reads."""

    trail: tuple[str, ...]

    def written(self) -> tuple[Expr, ...]: ...


@dataclass
class Writer:
    """Collects lines."""

    owner: Author
    lines: list[Line] = field(default_factory=list)
    indent: int = 1
    span: Span | None = None

    def line(self, text: str, assigns: int | None = None, build: str | None = None) -> None:
        place = Mapped(self.span, self.owner.trail, self.owner.written())
        self.lines.append(Line(self.indent, text, place, assigns, build))

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.indent += 1
        yield
        self.indent -= 1


class StatementEmitter(ExpressionEmitter):
    """Writes statements to ``self.out``. ``events``: whether one of the builds logs what happens."""

    out: Writer
    events: bool = False
    trail: tuple[str, ...] = ()
    mover = "move_cards"
    written_out = STATEMENTS  # what is written as structured text

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._writers = methods(self, "_s_", self.written_out, lower=True)
        self._order: tuple[Expr, ...] = ()  # what a statement reads first, whatever the order in its lines
        self.work = f"c[{self.layout.work}]"
        self.until = f"c[{self.layout.size + UNTIL}]"

    # hooks

    def end_game(self, s: core.EndGame) -> None:
        raise NotImplementedError

    def stream(self, name: str) -> str:
        """The cell of a random stream, as text."""
        raise NotImplementedError

    def own_zone(self, zone: str, build: str | None = None) -> None:
        """Make sure that the list of a card zone may be changed in place."""

    # ------------------------------------------------------------ tools

    def written(self) -> tuple[Expr, ...]:
        """What the next line reads."""
        reads, self.reads = (*self._order, *self.reads), []
        return reads

    @contextmanager
    def reading(self, *exprs: Expr | None) -> Iterator[None]:
        """Write lines of a statement that reads these expressions in this order."""
        self._order = tuple(e for e in exprs if e is not None)
        yield
        self._order = ()

    def work_out(self, *exprs: Expr | None) -> None:
        """Expressions whose values a build has no use for, but that can go wrong."""
        for e in exprs:
            if e is not None and self.can_fail(e):
                self.out.line(self.code(e))

    def work_out_silently(self, *exprs: Expr | None) -> None:
        """As :meth:`work_out`, in the build without events."""
        for e in exprs:
            if e is not None and self.can_fail(e):
                self.out.line(self.code(e), build="silent")

    def place_at(self, s: Stmt, name: str, indices: tuple[Expr, ...]) -> core.ReadCell:
        """A place that a statement writes to, as an expression: reading it fails where writing does."""
        return core.ReadCell(optional(INT), s.span, name, indices)

    def spend(self, work: int, checked: bool) -> None:
        """Count work."""
        self.out.line(f"{self.work} += {work}")
        if checked:
            self.out.line(f"if {self.work} > {self.until}: over_limit('decision')")

    def limit_scoring(self) -> None:
        """Make sure that finding out who won does not cost more than is allowed."""
        if self.lowerer.charges.scoring > self.lowerer.limits.decision:
            self.out.span = self.program.scoring.rank[0].span
            self.out.line("over_limit('decision')")

    def _s_spend(self, s: Spend) -> None:
        self.spend(s.work, s.checked)

    def test_phase(self, phase: core.Phase) -> None:
        """Count the work of the condition of a phase."""
        charge = self.lowerer.charges.tests[phase.id]
        self.spend(charge.work, charge.checked)

    def pass_phase(self, phase: core.Phase) -> None:
        """Count the work of one more test whether a phase is repeated."""
        charge = self.lowerer.charges.passes[phase.id]
        self.spend(charge.work, charge.checked)

    def assign(self, slot: int, text: str) -> None:
        self.out.line(f"{self.local(slot)} = {text}", assigns=slot)

    def block(self, stmts: tuple[Stmt, ...]) -> None:
        for s in stmts:
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        before = self.out.span
        self.out.span = s.span
        self._writers[type(s)](s)
        self.out.span = before

    def seats(self, visibility: core.Visibility, dims: tuple[core.Dim, ...], indices: tuple[Expr, ...]) -> str:
        """Text of the bit mask of the seats that see a place."""
        everyone = (1 << self.players) - 1
        owner: Expr | None = None
        for dim, index in zip(dims, indices, strict=False):
            if isinstance(dim.type, PlayerType):
                owner = index
                break
        if visibility.constant == "all" or (visibility.constant == "owner" and owner is None):
            return str(everyone)
        if visibility.constant == "nobody":
            return "0"
        if visibility.constant == "owner":
            assert owner is not None
            return str(1 << owner.value) if isinstance(owner, Const) else f"1 << {self.code(owner, SUM)}"  # type: ignore[operator]
        assert visibility.condition is not None
        condition = visibility.condition
        sure = 0
        parts = []
        for seat in range(self.players):
            viewer = Const(PLAYER, condition.span, seat)
            holds = self.lowerer.expr(condition, {0: viewer, 1: owner if owner is not None else viewer})
            if isinstance(holds, Const):
                sure |= bool(holds.value) << seat
            else:
                text = self.code(core.Unary(BOOL, condition.span, "not", holds), ATOM)
                parts.append(f"(0 if {text} else {1 << seat})")
        if sure or not parts:
            parts.append(str(sure))
        return " | ".join(parts)

    def tuple_of(self, indices: tuple[Expr, ...]) -> str:
        return "(" + "".join(self.code(i) + ", " for i in indices).strip() + ")"

    def log(self, text: str) -> None:
        if self.events:
            self.out.line(f"log.append({text})", build="events")

    def loop_items(self, source: Expr) -> str:
        """Text to loop over in a statement: a snapshot, because the body may change what it came from."""
        if isinstance(source, core.ReadZone):
            return f"{self.zone(source.zone, source.indices)}[:]"
        if isinstance(source, core.Range):
            return self.range(source)
        return self.code(source)

    # ------------------------------------------------------------ statements

    def _s_let(self, s: core.Let) -> None:
        self.bounds.let(s.slot, s.value)
        self.assign(s.slot, self.code(s.value))

    def _s_trail(self, s: Trail) -> None:
        before = self.trail
        self.trail = (*before, s.name)
        self.block(s.body)
        self.trail = before

    def _s_setcell(self, s: core.SetCell) -> None:
        target = self.cell(s.place, s.indices)
        sign = {"set": "=", "add": "+=", "sub": "-="}[s.op]
        held = Changed(s.value.type, s.span, s.place, s.indices) if s.op != "set" else None
        with self.reading(self.place_at(s, s.place, s.indices), s.value, held):
            beyond = "" if s.op == "set" else outside(self._after(s))
            if beyond:
                number = self.temporary()
                self.out.line(f"{number} = {target} {sign[0]} {self.operand(s.value, PRODUCT)}")
                self.out.line(f"if {beyond % number}: too_great()")
                self.out.line(f"{target} = {number}")
            else:
                self.out.line(f"{target} {sign} {self.code(s.value) if s.op == 'set' else self.operand(s.value)}")
        if self.events:
            declared = self.program.place(s.place)
            seats = self.seats(declared.visible, declared.dims, s.indices)
            self.log(f"('set', {literal(s.place)}, {self.tuple_of(s.indices)}, {target}, {seats})")

    def _after(self, s: core.SetCell) -> Interval:
        """The number in a place after a change; none that games can't come to."""
        held, (low, high) = self.lowerer.known.held(s.place, s.indices), self.bounds.interval(s.value)
        if s.op == "sub":
            low, high = -high, -low
        least, most = within(held)
        return max(held[0], least + low), min(held[1], most + high)

    def _s_movecount(self, s: core.MoveCount) -> None:
        pool = self.program.pools[s.source]
        kind = s.kind if s.kind is not None else Const(pool.holds, s.span, pool.kinds[0])
        source = self.place_at(s, s.source, (*s.source_indices, kind))
        target = self.place_at(s, s.target, (*s.target_indices, kind))
        with self.reading(s.kind, s.amount, *s.source_indices, *s.target_indices, source, target):
            if self.can_fail(source) or self.can_fail(target):
                self.out.line(f"{self.cell(s.source, source.indices)}, {self.cell(s.target, target.indices)}")
            for one in (s.kind,) if s.kind is not None else pool.kinds:
                self._move_kind(s, Const(pool.holds, s.span, one) if isinstance(one, int) else one)

    def _move_kind(self, s: core.MoveCount, kind: Expr) -> None:
        source = self.cell(s.source, (*s.source_indices, kind))
        target = self.cell(s.target, (*s.target_indices, kind))
        unlimited = self.program.pools[s.source].unlimited
        out = self.out
        if s.amount is None:
            amount = self.temporary()
            out.line(f"{amount} = {source}")
            guard: str | None = f"{amount} > 0"
        elif isinstance(s.amount, Const):
            number = s.amount.value
            assert isinstance(number, int)
            if number <= 0:
                return
            amount = str(number)
            guard = None
            if not unlimited and number == 1:
                guard = f"{source} > 0"
            elif not unlimited:
                amount = self.temporary()
                out.line(f"{amount} = {source}")
                out.line(f"if {amount} > {number}: {amount} = {number}")
                guard = f"{amount} > 0"
        else:
            amount = self.temporary()
            out.line(f"{amount} = {self.code(s.amount)}")
            if not unlimited:
                out.line(f"if {amount} > {source}: {amount} = {source}")
            guard = f"{amount} > 0"
        if guard is None:
            self._move_lines(s, kind, source, target, amount)
            return
        out.line(f"if {guard}:")
        with out.deeper():
            self._move_lines(s, kind, source, target, amount)

    def _move_lines(self, s: core.MoveCount, kind: Expr, source: str, target: str, amount: str) -> None:
        held = self.program.pools[s.target].kinds
        if isinstance(kind, Const):
            if kind.value not in held:
                self.out.line(f"cannot_hold({literal(s.target)}, {kind.value})")
        elif set(self.program.pools[s.source].kinds) - set(held):
            self.out.line(
                f"if {self.code(kind)} not in {self.literal(held)}: cannot_hold({literal(s.target)}, {self.code(kind)})"
            )
        self._counters_fit(s, kind, source, target, amount)
        self.out.line(f"{source} -= {amount}")
        self.out.line(f"{target} += {amount}")
        if self.events:
            give, take = self.program.pools[s.source], self.program.pools[s.target]
            seen = self.seats(give.moves, give.dims, s.source_indices)
            also = self.seats(take.moves, take.dims, s.target_indices)
            self.log(
                f"('move', {self.code(kind)}, {amount}, {literal(s.source)}, {self.tuple_of(s.source_indices)}, "
                f"{literal(s.target)}, {self.tuple_of(s.target_indices)}, ({seen}) & ({also}))"
            )

    def _counters_fit(self, s: core.MoveCount, kind: Expr, source: str, target: str, amount: str) -> None:
        """Test that both pools can count what is moved, which is more than nothing."""
        known = self.lowerer.known
        given, taken = known.held(s.source, (kind,)), known.held(s.target, (kind,))
        most = within(given)[1]
        if s.amount is not None:
            asked = self.bounds.interval(s.amount)[1]
            most = asked if self.program.pools[s.source].unlimited else min(most, asked)
        least = max(given[0], within(given)[0] - most) if self.program.pools[s.source].unlimited else 0
        for place, sign, number in (
            (source, "-", (least, 0)),
            (target, "+", (0, min(taken[1], within(taken)[1] + most))),
        ):
            if beyond := outside(number):
                self.out.line(f"if {beyond % f'{place} {sign} {amount}'}: too_great()")

    def _s_movecards(self, s: core.MoveCards) -> None:
        target = core.ReadZone(s.cards.type, s.span, s.target, s.target_indices)
        with self.reading(s.cards, target):
            self._move_cards(s, self.can_fail(target))

    def _move_cards(self, s: core.MoveCards, anywhere: bool) -> None:
        number = self.zone_number(s.target, s.target_indices)
        cards = self.code(s.cards)
        if not isinstance(s.cards.type, ListType):
            cards = f"one({cards})" if isinstance(s.cards.type, OptionalType) else f"({cards},)"
        call = f"{self.mover}(c, z, {cards}, {number}, {s.position == 'top'}"
        if self.events:
            self.out.line(f"{call}, log)", build="events")
        if isinstance(s.cards, core.CallBuiltin) and isinstance(s.cards.args[0], core.ReadZone) and not anywhere:
            end = {"top": "0", "first": "0", "bottom": "", "last": ""}.get(s.cards.name)
            if end is not None:
                self._move_end(s, s.cards.args[0], end)
                return
        single = not isinstance(s.cards.type, ListType | OptionalType)
        if single and self.mover == "move_cards" and s.position == "bottom":
            call = f"move_card(c, z, {self.code(s.cards)}, {number}"
        self.out.line(f"{call})", build="silent")

    def _move_end(self, s: core.MoveCards, source: core.ReadZone, end: str) -> None:
        """The top or bottom component of a zone: no need to look for it."""
        card = self.temporary()
        number = self.zone_number(s.target, s.target_indices)
        put = "insert(0, %s)" if s.position == "top" else "append(%s)"
        give, take = self.zone(source.zone, source.indices), self.zone(s.target, s.target_indices)
        self.own_zone(give, "silent")
        self.out.line(f"{card} = {give}.pop({end})", build="silent")
        self.own_zone(take, "silent")
        self.out.line(f"{take}.{put % card}", build="silent")
        self.located(card, number)

    def located(self, card: str, number: str) -> None:
        """Note in which zone a component lies."""
        self.out.line(f"c[{card} + {self.layout.location}] = {number}", build="silent")

    def _s_shuffle(self, s: core.Shuffle) -> None:
        zone = self.zone(s.zone, s.indices)
        self.own_zone(zone)
        stream, dictated = self.stream(s.stream), f"c[{self.layout.size + FORCED}]"
        self.out.line(f"if {dictated} is None: c[{stream}] = shuffled(c[{stream}], {zone})")
        self.out.line(f"else: shuffle_zone(c, {stream}, {zone})")
        self.log(f"('shuffle', {literal(s.zone)}, {self.tuple_of(s.indices)})")

    def _s_if(self, s: core.If) -> None:
        word = "if"
        for condition, body in s.branches:
            self.out.line(f"{word} {self.code(condition)}:")
            with self.out.deeper():
                self.block(body)
            word = "elif"
        if s.otherwise:
            self.out.line("else:")
            with self.out.deeper():
                self.block(s.otherwise)

    def _s_foreach(self, s: core.ForEach) -> None:
        known = self.masked(s.source)
        if (
            known is not None
            and known.certain
            and isinstance(s.source.type, ListType)
            and not stops(s.body)
            and not asks(s.body)
            and len(known.items) * sum(1 for _ in core.statements_in(s.body)) <= UNROLL_STATEMENTS
            and self.lowerer.may_write_out(len(known.items), BLOCK_COPIES)
        ):
            with self.lowerer.writing_out(len(known.items)):
                self._write_out(s, known.items, s.source.type.item)
            return
        self.bound_by(s.slot, s.source)
        items = self.loop_items(s.source)
        self.out.line(f"for {self.local(s.slot)} in {items}:", assigns=s.slot)
        with self.out.deeper():
            if s.condition is not None:
                self.out.line(f"if {self.code(s.condition)}:")
                with self.out.deeper():
                    self.block(s.body)
            else:
                self.block(s.body)

    def _write_out(self, s: core.ForEach, items: tuple[Any, ...], type_: Any) -> None:
        """The body of a loop once for each item."""
        for item in items:
            condition, body = self._specialised(s, item, type_)
            if isinstance(condition, Const):
                if condition.value:
                    self.block(body)
                continue
            if condition is None:
                self.block(body)
                continue
            self.out.line(f"if {self.code(condition)}:")
            with self.out.deeper():
                self.block(body)

    def _specialised(self, s: core.ForEach, item: object, type_: Any) -> tuple[Expr | None, tuple[Stmt, ...]]:
        env = {s.slot: Const(type_, s.span, item)}
        condition = None if s.condition is None else self.lowerer.expr(s.condition, env)
        if isinstance(condition, Const) and not condition.value:
            return condition, ()
        return condition, self.lowerer.block(s.body, env)

    def _s_repeat(self, s: core.Repeat) -> None:
        out = self.out
        limit = s.times if s.times is not None else s.bound
        assert limit is not None
        if s.times is not None:
            times = self.code(s.times)
            out.line(f"for _ in range({times}):")
        else:
            assert s.condition is not None
            bound, left = self.code(limit), self.temporary()
            if not isinstance(limit, Const):
                bound = self.temporary()
                out.line(f"{bound} = {self.code(limit)}")
            out.line(f"{left} = {bound}")
            out.line(f"while {self.code(s.condition)}:")
        with out.deeper():
            if s.times is None:
                out.line(f"if {left} <= 0: bound_exceeded('the loop', {bound})")
                out.line(f"{left} -= 1")
            self.block(s.body)

    def _s_stop(self, s: core.Stop) -> None:
        self.out.line("break")

    def _s_random(self, s: core.Random) -> None:
        domain = self.temporary()
        self.out.line(f"{domain} = {self.random_domain(s)}")
        if s.otherwise or s.body:
            self.out.line(f"if {domain}:")
            with self.out.deeper():
                self.draw(s, domain)
                self.block(s.body)
            if s.otherwise:
                self.out.line("else:")
                with self.out.deeper():
                    self.block(s.otherwise)
            return
        self.draw(s, domain)

    def random_domain(self, s: core.Random) -> str:
        if s.condition is None:
            return self.code(s.domain)
        return self.code(core.Filter(s.domain.type, s.span, s.slot, s.domain, s.condition))

    def draw(self, s: core.Random, domain: str) -> None:
        self.bound_by(s.slot, s.domain)
        self.assign(s.slot, f"pick(c, {self.stream(s.stream)}, {literal(s.stream)}, {domain})")
        seats = str((1 << self.players) - 1)
        if s.secret:
            seats = "0" if s.actor is None else f"1 << {self.code(s.actor, SUM)}"
        self.log(f"('random', {literal(s.name)}, {self.local(s.slot)}, {seats})")

    def _s_announce(self, s: core.Announce) -> None:
        if not self.events:
            self.work_out(s.text, s.to)
            return
        self.work_out_silently(s.text, s.to)
        seats = str((1 << self.players) - 1)
        if s.to is not None:
            seats = f"mask_of({self.code(s.to)})"
        self.log(f"('announce', {self.code(s.text)}, {seats})")

    def _s_framedannounce(self, s: FramedAnnounce) -> None:
        """As :meth:`_s_announce`, with what some may not know kept from them."""
        if not self.events:
            self.work_out(s.text, s.to)
            return
        self.work_out_silently(s.text, s.to)
        seats = str((1 << self.players) - 1) if s.to is None else f"mask_of({self.code(s.to)})"
        self.out.line(self.code(s.text), build="events")
        self.out.line(f"tell_each(c, z, log, {s.number}, {seats}, {self.framed(s.frame)})", build="events")

    def framed(self, frame: tuple[tuple[int, Expr], ...]) -> str:
        """The locals of a routine, as text."""
        return f"{{{', '.join(f'{slot}: {self.code(e)}' for slot, e in frame)}}}"

    def _s_endgame(self, s: core.EndGame) -> None:
        self.end_game(s)

    def _s_framedendgame(self, s: FramedEndGame) -> None:
        self.end_game(s)


def for_build(lines: list[Line], *builds: str) -> list[Line]:
    """The lines of a build; a header that is left without a body gets ``pass``."""
    kept = [line for line in lines if line.build is None or line.build in builds]
    result: list[Line] = []
    for i, line in enumerate(kept):
        result.append(line)
        if line.text.endswith(":") and (i + 1 == len(kept) or kept[i + 1].indent <= line.indent):
            result.append(Line(line.indent + 1, "pass", line.place))
    return result
