"""Desugar triggers on moving cards, phases and changing values into explicit calls.

A statement that may trigger a rule becomes a call of a generated effect, which does the same and then calls the rule.
Engines therefore need no events. Nothing triggers during setup, which calls copies of the effects without triggers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import core
from ..core.constant_analysis import Block
from ..core.provenance import COPY, EVENTS, Origin
from ..core.sugar import ENTERING, Sugar, kept_name, kept_variable
from ..core.triggers import Answers, ChangeAnswer, EnteringAnswer, ZoneAnswer
from ..source.lazy_dataclass import replace
from ..types.types import BOOL, INT, PLAYER, ListType, NoneType, OptionalType, Type
from . import small_passes
from .small_passes import Routine


def events(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program with explicit calls of the rules that trigger on events."""
    if not sugar.answers:
        return program
    weaver = _Weaver(program, sugar.answers)
    woven = small_passes.of_program(program, weaver.block)
    phases = tuple(_begun_and_ended(phase, sugar.answers) for phase in woven.phases)
    setup = small_passes.of_phase(program.setup, weaver.quietly)
    effects = {**woven.effects, **weaver.noting(woven.effects), **weaver.made, **weaver.copies}
    return replace(woven, phases=phases, setup=setup, effects=effects, variables=program.variables | weaver.kept)


# ---------------------------------------------------------------- phases


def _begun_and_ended(phase: core.Phase, answers: Answers) -> core.Phase:
    """Return a phase that calls the rules that trigger on its beginning and its end, also in its descendants."""
    children = tuple(_begun_and_ended(child, answers) for child in phase.children)
    begins, ends = (
        tuple(
            core.CallEffect(phase.span, answer.effect, (), origin=Origin(EVENTS, phase.id))
            for answer in answers.phases
            if (answer.phase, answer.verb) == (phase.id, verb)
        )
        for verb in ("begins", "ends")
    )
    if not children:
        return replace(phase, body=(*begins, *phase.body, *ends))
    return replace(phase, children=(*_part(phase, "begins", begins), *children, *_part(phase, "ends", ends)))


def _part(phase: core.Phase, verb: str, calls: Block) -> tuple[core.Phase, ...]:
    """Return a phase, in a tuple, that makes some calls. Return an empty tuple if there are none."""
    made = Origin(EVENTS, phase.id, verb)
    inside = core.Phase(f"{phase.id} {verb}", None, 0, None, None, 1, calls, (), phase.span, made)
    return (inside,) if calls else ()


# ---------------------------------------------------------------- statements


class _Weaver:
    """Replace statements by calls.

    ``made`` holds the generated effects. Each statement has its own, so that faults and knowledge of cards stay
    separate. ``kept`` holds hidden variables. ``copies`` holds the effects that the setup calls, which trigger nothing.
    """

    def __init__(self, program: core.Program, answers: Answers) -> None:
        self.program = program
        self.answers = answers
        self.made: dict[str, core.Effect] = {}
        self.kept: dict[str, core.Variable] = {}
        self.copies: dict[str, core.Effect] = {}
        self._touching: dict[str, bool] = {}

    def block(self, block: Block) -> Block:
        """Return a block with calls of the rules that its statements trigger."""
        return tuple(self._woven(stmt) for stmt in block)

    def _woven(self, stmt: core.Stmt) -> core.Stmt:
        if not self._sets_off(stmt):
            return core.rebuilt(stmt, self.block)
        if type(stmt) not in WEAVINGS:
            raise TypeError(f"{type(stmt).__name__}: rules answer to it, and nothing attaches them")
        return WEAVINGS[type(stmt)](self, stmt)

    def cards_moved(self, stmt: core.MoveCards) -> core.Stmt:
        """Replace a move of cards by a call that also runs the rules that it triggers."""
        (move,) = core.moves(stmt)
        answers, entering = self.answers.to_move(move, self.program.zones)
        where, cards = stmt.target_indices, _as_list(stmt.cards, self.program.zones[stmt.target].holds)
        r = self._routine(f"move to {stmt.target}", stmt, (cards, *where))
        return self._called(r, stmt, _Move(self, r, stmt, answers, entering).body(), (cards, *where))

    def counters_moved(self, stmt: core.MoveCount) -> core.Stmt:
        """Replace a move of counters by a call that also runs the rules that it triggers."""
        named = [part for part in (stmt.kind, stmt.amount) if part is not None]
        args = (*named, *stmt.source_indices, *stmt.target_indices)
        r = self._routine(f"move from {stmt.source} to {stmt.target}", stmt, args)
        return self._called(r, stmt, self._count_moved(r, stmt), args)

    def variable_set(self, stmt: core.SetCell) -> core.Stmt:
        """Replace an assignment by a call that also runs the rules that it triggers."""
        place = self.program.place(stmt.place)
        type = place.type if isinstance(place, core.Variable) else INT
        given = type if stmt.op == "set" else INT
        r = Routine(stmt.span, Origin(EVENTS, stmt.place, "made"), (*(i.type for i in stmt.indices), given))
        return self._called(r, stmt, self._set(r, stmt, type), (*stmt.indices, stmt.value))

    def _sets_off(self, stmt: core.Stmt) -> bool:
        return any(True for _ in self.answers.set_off_by(stmt, self.program.zones))

    @staticmethod
    def _routine(what: str, stmt: core.Stmt, args: Sequence[core.Expr]) -> Routine:
        return Routine(stmt.span, Origin(EVENTS, what, "made"), [arg.type for arg in args])

    def _called(self, r: Routine, stmt: core.Stmt, body: Block, args: Sequence[core.Expr]) -> core.Stmt:
        """Register the generated effect of a statement, and return a call of it."""
        name = f"{r.origin.of}: {len(self.made) + 1}"
        self.made[name] = r.effect(name, body)
        return core.CallEffect(stmt.span, name, tuple(args), origin=stmt.origin)

    # ------------------------------------------------------------ the setup

    def quietly(self, block: Block) -> Block:
        """Return a block of the setup that calls copies of effects without triggers."""
        return tuple(self._quiet(stmt) for stmt in block)

    def _quiet(self, stmt: core.Stmt) -> core.Stmt:
        if not isinstance(stmt, core.CallEffect):
            return core.rebuilt(stmt, self.quietly)
        if not self._touches(stmt.effect):
            return stmt
        name = f"{stmt.effect} in the setup"
        if name not in self.copies:
            copied = self.program.effects[stmt.effect]
            origin = Origin(EVENTS, stmt.effect, COPY) if copied.origin.is_written else copied.origin
            self.copies[name] = replace(small_passes.of_effect(copied, self.quietly), name=name, origin=origin)
        return replace(stmt, effect=name)

    def _touches(self, name: str) -> bool:
        """Return whether an effect triggers a rule, directly or through calls."""
        if name not in self._touching:
            statements = [s for body in core.bodies_of(self.program.effects[name]) for s in core.statements_in(body)]
            self._touching[name] = any(
                self._touches(s.effect) if isinstance(s, core.CallEffect) else self._sets_off(s) for s in statements
            )
        return self._touching[name]

    # ------------------------------------------------------------ variables and pools

    def _set(self, r: Routine, stmt: core.SetCell, type: Type) -> Block:
        *indices, value = r.params
        found: list[core.Stmt] = []
        old = r.let("old", core.ReadCell(type, r.span, stmt.place, tuple(indices)), found)
        found.append(core.SetCell(r.span, stmt.place, tuple(indices), stmt.op, value, origin=r.origin))
        return (*found, _if_changed(r, stmt.place, indices, old, self.answers.to_change(stmt.place, None)))

    def _count_moved(self, r: Routine, stmt: core.MoveCount) -> Block:
        """Return a move of counters, followed by the rules that its source triggers, then its target, kind by kind."""
        params = list(r.params)
        kind = None if stmt.kind is None else params.pop(0)
        amount = None if stmt.amount is None else params.pop(0)
        split = len(stmt.source_indices)
        before: list[core.Stmt] = []
        behind: list[core.Stmt] = []
        for pool, indices in ((stmt.source, params[:split]), (stmt.target, params[split:])):
            due = self.answers.to_change(pool, stmt.kind)
            if due:
                self._watched(r, (pool, indices), kind, due, (before, behind))
        where = (stmt.source, tuple(params[:split]), stmt.target, tuple(params[split:]))
        return (*before, core.MoveCount(r.span, kind, amount, *where, origin=r.origin), *behind)

    def _watched(
        self,
        r: Routine,
        place: tuple[str, Sequence[core.Expr]],
        kind: core.Expr | None,
        due: Sequence[ChangeAnswer],
        around: tuple[list[core.Stmt], list[core.Stmt]],
    ) -> None:
        """Store the counts of a pool before a move, and call the triggered rules after it."""
        pool, indices = place
        before, behind = around
        declared = self.program.pools[pool]
        kinds: core.Expr = core.Const(ListType(declared.holds), r.span, declared.kinds)
        if kind is not None:
            kinds = core.ListLit(ListType(declared.holds), r.span, (kind,))
        each, number = r.local("kind", declared.holds), r.local("number", INT)
        held = r.let("before", r.mapped(kinds, each, core.ReadCell(INT, r.span, pool, (*indices, each))), before)
        inside: list[core.Stmt] = []
        this = r.let("kind", r.call("at", declared.holds, kinds, number), inside)
        old = r.let("old", r.call("at", INT, held, number), inside)
        inside.append(_if_changed(r, pool, (*indices, this), old, due))
        behind.append(r.each(number, kinds, inside))

    # ------------------------------------------------------------ cards that come to lie somewhere

    def noting(self, effects: Mapping[str, core.Effect]) -> dict[str, core.Effect]:
        """Return new versions of the effects, by name, that record which cards enter a zone.

        They belong to zones that keep a list of entering cards. The body appends the card to that list, unless a
        rule replaces
        the entering.
        """
        found: dict[str, core.Effect] = {}
        for answer in self.answers.entering:
            effect, name = effects[answer.effect], kept_name(answer.zone, ENTERING)
            if name not in self.kept:
                continue
            card = effect.params[-2]
            listed, span = ListType(card.type), effect.instead[0].span
            one = core.ListLit(listed, span, (core.Local(card.type, span, card.slot, card.name),))
            more = core.Binary(listed, span, "join", core.ReadCell(listed, span, name, ()), one)
            note = core.SetCell(span, name, (), "set", more, origin=Origin(EVENTS, answer.zone))
            found[effect.name] = replace(effect, body=(note,))
        return found


WEAVINGS: dict[type[core.Stmt], Callable[[_Weaver, Any], core.Stmt]] = {
    core.MoveCards: _Weaver.cards_moved,
    core.MoveCount: _Weaver.counters_moved,
    core.SetCell: _Weaver.variable_set,
}
"""Statement class -> the method that attaches triggered rules. Every class that moves components needs an entry."""


class _Move:
    """A builder for a move of cards and the rules that it triggers.

    ``sources`` lists the zones that matter as a card's former location.
    """

    def __init__(
        self,
        weaver: _Weaver,
        r: Routine,
        stmt: core.MoveCards,
        answers: Sequence[ZoneAnswer],
        entering: Sequence[EnteringAnswer],
    ) -> None:
        self.weaver = weaver
        self.r = r
        self.stmt = stmt
        self.answers = answers
        self.entering = entering
        self.kind = weaver.program.zones[stmt.target].holds
        self.cards, *self.where = r.params
        asked = {a.zone if a.verb == "leaves" else a.other for a in answers} | {a.other for a in entering}
        self.sources = sorted({zone for zone in asked if zone is not None})
        self.found: list[core.Stmt] = []

    def body(self) -> Block:
        """Return all statements that replace the move."""
        r, stmt, found = self.r, self.stmt, self.found
        each = r.local("card", self.kind)
        there = core.ReadZone(ListType(self.kind), r.span, stmt.target, tuple(self.where))
        away = r.filtered(self.cards, each, r.not_(r.test("in", each, there)))
        coming = r.let("coming", r.call("unique", away.type, away), found)
        places = r.let("places", self._places(coming), found) if self.sources else None
        owners = r.let("owners", self._owners(coming), found) if self._tells_who() else None
        moved = self._asked_before(coming, places) if self.entering else None
        found.append(
            core.MoveCards(r.span, moved or self.cards, stmt.target, tuple(self.where), stmt.position, origin=r.origin)
        )
        if self.answers:
            number = r.local("number", INT)
            inside: list[core.Stmt] = []
            card = r.let("card", r.call("at", self.kind, coming, number), inside)
            calls = [
                self._call(answer, card, None if answer.verb == "enters" else owners, places, number)
                for verb in ("leaves", "enters")
                for answer in self.answers
                if answer.verb == verb
            ]
            inside += calls if moved is None else [r.when(r.test("in", card, moved), calls)]
            found.append(r.each(number, coming, inside))
        return tuple(found)

    def _tells_who(self) -> bool:
        return any(answer.verb == "leaves" and answer.of_player for answer in self.answers)

    def _call(
        self,
        answer: ZoneAnswer,
        card: core.Expr,
        owners: core.Expr | None,
        places: core.Expr | None,
        number: core.Expr,
    ) -> core.Stmt:
        """Return the call of a rule for a card that has moved, on condition that it came from the right zone."""
        r = self.r
        me: tuple[core.Expr, ...] = ()
        if answer.of_player:
            me = (self.where[0],) if owners is None else (r.call("at", PLAYER, owners, number),)
        call = r.calls(answer.effect, *me, card)
        source = answer.zone if answer.verb == "leaves" else answer.other
        if source is None or places is None:
            return call
        return r.when(r.test("=", r.call("at", INT, places, number), r.const(self._number(source))), (call,))

    def _asked_before(self, coming: core.Expr, places: core.Expr | None) -> core.Expr:
        """Test the replacement rules for each card that enters. Return the cards that still move."""
        r, weaver, (answer, *_) = self.r, self.weaver, self.entering
        listed, name = ListType(self.kind), kept_name(self.stmt.target, ENTERING)
        weaver.kept[name] = kept_variable(
            name, listed, (), r.span, Origin(EVENTS, self.stmt.target, ENTERING), seen="nobody"
        )
        number, item = r.local("number", INT), r.local("card", self.kind)
        place = r.const(0)
        for source, told in weaver.answers.numbers.items():
            if source in self.sources and places is not None:
                lay = r.test("=", r.call("at", INT, places, number), r.const(self._number(source)))
                place = core.IfExpr(INT, r.span, lay, r.const(told), place)
        me = (self.where[0],) if answer.of_player else ()
        self.found.append(
            r.each(number, coming, (r.calls(answer.effect, *me, r.call("at", self.kind, coming, number), place),))
        )
        noted = core.ReadCell(listed, r.span, name, ())
        still = r.test("or", r.not_(r.test("in", item, coming)), r.test("in", item, noted))
        moved = r.let("moved", r.filtered(self.cards, item, still), self.found)
        self.found.append(r.put(name, core.Const(listed, r.span, ())))
        return moved

    def _number(self, source: str) -> int:
        return 1 + self.sources.index(source)

    def _places(self, cards: core.Expr) -> core.Expr:
        """Return, for each card, the number of its zone in ``sources`` from 1, or 0 for any other zone."""
        r = self.r
        each, found = r.local("card", self.kind), r.const(0)
        for source in self.sources:
            lies = core.LiesIn(BOOL, r.span, each, source)
            found = core.IfExpr(INT, r.span, lies, r.const(self._number(source)), found)
        return r.mapped(cards, each, found)

    def _owners(self, cards: core.Expr) -> core.Expr:
        """Return, for each card, the owner of its zone. If the zone has no owner, this is the first player."""
        r = self.r
        each = r.local("card", self.kind)
        maybe = core.IndexOfPlace(OptionalType(PLAYER), r.span, each)
        nobody = r.test("=", maybe, core.Const(OptionalType(PLAYER), r.span, None))
        first = r.call("first", PLAYER, core.Players(ListType(PLAYER), r.span))
        whose = core.IfExpr(PLAYER, r.span, nobody, first, core.IndexOfPlace(PLAYER, r.span, each))
        return r.mapped(cards, each, whose)


def _if_changed(
    r: Routine, place: str, indices: Sequence[core.Expr], old: core.Expr, answers: Sequence[ChangeAnswer]
) -> core.Stmt:
    """Return the calls of the rules that trigger on a change, on condition that the value did change."""
    calls: list[core.Stmt] = []
    for answer in answers:
        call = r.calls(answer.effect, *indices, old)
        if answer.kind is not None:
            call = r.when(r.test("=", indices[-1], core.Const(indices[-1].type, r.span, answer.kind)), (call,))
        calls.append(call)
    now = core.ReadCell(old.type, r.span, place, tuple(indices))
    return r.when(r.test("!=", now, old), calls)


def _as_list(cards: core.Expr, kind: Type) -> core.Expr:
    """Convert one card, an optional card or a list of cards to a list."""
    listed = ListType(kind)
    match cards.type:
        case ListType():
            return cards
        case NoneType():
            return core.Const(listed, cards.span, ())
        case OptionalType(item=item):
            nothing = core.Const(listed, cards.span, ())
            is_none = core.Binary(BOOL, cards.span, "=", cards, core.Const(cards.type, cards.span, None))
            one = core.ListLit(listed, cards.span, (replace(cards, type=item),))
            return core.IfExpr(listed, cards.span, is_none, nothing, one)
    return core.ListLit(listed, cards.span, (cards,))
