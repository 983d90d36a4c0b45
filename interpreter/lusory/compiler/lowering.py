"""Lowering: a checked program, for one number of players and one set of options, without calls.

Made for the emitters, from :mod:`lusory_dsl.core` to itself: effects and queries are inlined (nothing recurses) or,
where that would make the text long, become routines (see :mod:`lusory.compiler.routines`);
rules are woven in as conditions round the effects they answer to, options and the players are constants, constants
are folded and branches that can't be taken are gone. Every local of the result has a slot of its own, unique in the
whole game, so that locals can be given fixed places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, CallBuiltin, Const, Expr, IfExpr, Local, Stmt
from lusory_dsl.records import dataclass
from lusory_dsl.source import Span
from lusory_dsl.types import BOOL, INT, PLAYER, ListType, Type

from ..flow import counted_loops
from .changes import Changes, Env, LetIn
from .failing import can_fail
from .routines import EffectRoutine, Key, QueryRoutine, Routine, shared_routines
from .uses import count_uses, everything_in, in_order, locals_in, under_loop

NO_SPAN: Any = None


@dataclass(frozen=True, eq=False)
class Changed(Expr):
    """The number in a place that is increased or decreased. Only read when something went wrong."""

    place: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Trail(Stmt):
    """The statements of an inlined effect; ``name`` is told when something goes wrong inside."""

    name: str
    body: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class FramedAsk(core.Ask):
    """A choice that remembers where the locals of its routine went: (slot in the program, value now) pairs."""

    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class FramedAskMany(core.AskMany):
    """As :class:`FramedAsk`."""

    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class LoweredGame:
    """What the emitters read. ``names[slot]`` is the author's name of a local."""

    setup: core.Phase
    phases: tuple[core.Phase, ...]
    rank: tuple[tuple[Expr, ...], ...]  # for each seat
    payoff: tuple[Expr, ...] | None
    shown: tuple[tuple[str, tuple[Expr, ...]], ...]  # title, and the value for each seat
    names: dict[int, str]
    routines: tuple[Routine, ...]  # those that a routine uses stand before it
    selective: bool = False  # the first rank value says who can win


class Lowerer(Changes):
    """Holds what is constant for one game: number of players, options."""

    def __init__(self, program: core.Program, players: int, options: Mapping[str, Any]) -> None:
        self.program = program
        self.players = players
        self.options = options
        self.names: dict[int, str] = {}
        self.counted = counted_loops(program)
        self._next = 0
        self.shared = shared_routines(program)
        self.routines: dict[Key, Routine] = {}

    def folded(self, e: Expr) -> Expr:
        return fold(e, self)

    def can_fail(self, e: Expr) -> bool:
        return can_fail(e, self.program)

    def reads_first(self, e: Expr, slot: int) -> bool:
        """Whether reading a local is the first thing in an expression that can go wrong, and happens for certain."""
        if isinstance(e, Local):
            return e.slot == slot
        if isinstance(e, LetIn):
            return self.reads_first(e.value, slot)
        for part in in_order(e)[
            : 1 if isinstance(e, IfExpr | core.Filter | core.Fold | core.MapList | core.Extreme) else None
        ]:
            if count_uses(part, slot):
                return self.reads_first(part, slot)
            if self.can_fail(part) or (isinstance(e, Binary) and e.op in ("and", "or")):
                return False
        return False

    # ------------------------------------------------------------ the whole game

    def game(self) -> LoweredGame:
        scoring = self.program.scoring
        columns = [self.column(e) for e in scoring.rank]
        rank = tuple(tuple(column[seat] for column in columns) for seat in range(self.players))
        payoff = None if scoring.payoff is None else self.column(scoring.payoff)
        shown = tuple((title, self.column(e)) for title, e in scoring.shown)
        setup = self.phase(self.program.setup)
        phases = tuple(self.phase(p) for p in self.program.phases)
        routines = tuple(self.routines.values())
        return LoweredGame(setup, phases, rank, payoff, shown, self.names, routines, scoring.selective)

    def column(self, e: Expr) -> tuple[Expr, ...]:
        """An expression of the scoring for each seat."""
        return tuple(self.expr(e, {0: Const(PLAYER, e.span, seat)}) for seat in range(self.players))

    def phase(self, phase: core.Phase) -> core.Phase:
        env: dict[int, Expr] = {}
        return replace(
            phase,
            condition=self._maybe(phase.condition, env),
            repeat=self._maybe(phase.repeat, env),
            body=self.block(phase.body, env),
            children=tuple(self.phase(p) for p in phase.children),
        )

    def fresh(self, name: str) -> int:
        self._next += 1
        self.names[self._next] = name
        return self._next

    # ------------------------------------------------------------ statements

    def block(self, stmts: tuple[Stmt, ...], env: Env) -> tuple[Stmt, ...]:
        """Lower a block; names bound in it live to its end."""
        inner = dict(env)
        out: list[Stmt] = []
        for s in stmts:
            out.extend(self.stmt(s, inner))
        return tuple(out)

    def stmt(self, s: Stmt, env: dict[int, Expr]) -> list[Stmt]:
        method = getattr(self, "_" + type(s).__name__.lower())
        result: list[Stmt] = method(s, env)
        return result

    def _bind(self, slot: int, name: str, type_: Type, span: Any, env: dict[int, Expr]) -> int:
        new = self.fresh(name)
        env[slot] = Local(type_, span, new, name)
        return new

    def _let(self, s: core.Let, env: dict[int, Expr]) -> list[Stmt]:
        value = self.expr(s.value, env)
        if isinstance(value, Const | Local):
            env[s.slot] = value
            return []
        slot = self._bind(s.slot, s.name, value.type, s.span, env)
        return [core.Let(s.span, slot, s.name, value)]

    def _setcell(self, s: core.SetCell, env: Env) -> list[Stmt]:
        return [replace(s, indices=self._all(s.indices, env), value=self.expr(s.value, env))]

    def _movecount(self, s: core.MoveCount, env: Env) -> list[Stmt]:
        return [
            replace(
                s,
                kind=self._maybe(s.kind, env),
                amount=self._maybe(s.amount, env),
                source_indices=self._all(s.source_indices, env),
                target_indices=self._all(s.target_indices, env),
            )
        ]

    def _movecards(self, s: core.MoveCards, env: Env) -> list[Stmt]:
        return [replace(s, cards=self.expr(s.cards, env), target_indices=self._all(s.target_indices, env))]

    def _shuffle(self, s: core.Shuffle, env: Env) -> list[Stmt]:
        return [replace(s, indices=self._all(s.indices, env))]

    def _if(self, s: core.If, env: Env) -> list[Stmt]:
        branches: list[tuple[Expr, tuple[Stmt, ...]]] = []
        otherwise = s.otherwise
        for condition, body in s.branches:
            lowered = self.expr(condition, env)
            if isinstance(lowered, Const):
                if not lowered.value:
                    continue
                otherwise = body
                break
            branches.append((lowered, self.block(body, env)))
        last = self.block(otherwise, env)
        if not branches:
            return list(last)
        if not last and not any(b or self.can_fail(c) for c, b in branches):
            return []
        return [core.If(s.span, tuple(branches), last)]

    def _dobycard(self, s: core.DoByCard, env: Env) -> list[Stmt]:
        card = self.expr(s.card, env)
        if isinstance(card, Const):
            return list(self.block(dict(s.cases).get(self.original(card), s.otherwise), env))
        otherwise = self.block(s.otherwise, env)
        cases = [(original, body) for original, case in s.cases if (body := self.block(case, env)) or otherwise]
        if not cases:
            return list(otherwise)
        slot = self.fresh("original")
        key = Local(card.type, s.span, slot, "original")
        tree = self._branches(s, key, cases, otherwise)
        return [core.Let(s.span, slot, "original", core.Field(card.type, s.span, card, "original")), tree]

    def _branches(
        self, s: core.DoByCard, key: Local, cases: list[tuple[int, tuple[Stmt, ...]]], otherwise: tuple[Stmt, ...]
    ) -> core.If:
        """Halves the cases until one is left: as many tests as their number has digits."""
        if len(cases) == 1:
            return core.If(s.span, ((_compared("=", key, cases[0][0]), cases[0][1]),), otherwise)
        low, high = cases[: len(cases) // 2], cases[len(cases) // 2 :]
        below = self._branches(s, key, low, otherwise)
        above = self._branches(s, key, high, otherwise)
        return core.If(s.span, ((_compared("<", key, high[0][0]), (below,)),), (above,))

    def original(self, card: Const) -> int:
        """The first copy of a card."""
        found: Any = self.program.entities[int(str(card.value))].fields["original"]
        return int(found)

    def _foreach(self, s: core.ForEach, env: Env) -> list[Stmt]:
        source = self.expr(s.source, env)
        if isinstance(source, Const) and not source.value:
            return []  # no pass to count
        inner = dict(env)
        item = source.type.item if isinstance(source.type, ListType) else INT
        slot = self._bind(s.slot, s.name, item, s.span, inner)
        condition = self._maybe(s.condition, inner)
        if isinstance(condition, Const):
            if not condition.value:
                if s.span not in self.counted and not self.can_fail(source):
                    return []
                return [core.ForEach(s.span, slot, s.name, source, condition, ())]
            condition = None
        body = self.block(s.body, inner)
        loop = core.ForEach(s.span, slot, s.name, source, condition, body)
        kept = body or s.span in self.counted or any(self.can_fail(e) for e in (source, condition) if e is not None)
        return [loop] if kept else []

    def _repeat(self, s: core.Repeat, env: Env) -> list[Stmt]:
        return [
            core.Repeat(
                s.span,
                self._maybe(s.times, env),
                self._maybe(s.condition, env),
                self._maybe(s.bound, env),
                self.block(s.body, env),
            )
        ]

    def _stop(self, s: core.Stop, env: Env) -> list[Stmt]:
        return [s]

    def _framedask(self, s: FramedAsk, env: dict[int, Expr]) -> list[Stmt]:
        frame = tuple((slot, self.expr(e, env)) for slot, e in s.frame)
        return [replace(a, frame=frame) for a in self._ask(s, env)]

    def _framedaskmany(self, s: FramedAskMany, env: dict[int, Expr]) -> list[Stmt]:
        frame = tuple((slot, self.expr(e, env)) for slot, e in s.frame)
        return [replace(a, frame=frame) for a in self._askmany(s, env)]

    def _ask(self, s: core.Ask, env: dict[int, Expr]) -> list[FramedAsk]:
        frame = _frame(s, env)
        chooser = self.expr(s.chooser, env)
        prompt = self._text(s.prompt, env)
        otherwise = self.block(s.otherwise, env)
        alternatives = []
        for a in s.alternatives:
            conditions = [self.expr(c, env) for c in a.conditions]
            if any(isinstance(c, Const) and not c.value for c in conditions):
                never = True
            else:
                never = False
            # a choice without a block leaves its names to the rest of the block
            inner = env if not a.body and len(s.alternatives) == 1 else dict(env)
            variables = []
            for v in a.vars:
                domain = self.expr(v.domain, inner)
                item = domain.type.item if isinstance(domain.type, ListType) else INT
                slot = self._bind(v.slot, v.name, item, v.span, inner)
                condition = self._maybe(v.condition, inner)
                variables.append(core.ChoiceVar(slot, v.name, domain, condition, v.secret, v.span))
            label = None if a.label is None else self._text(a.label, inner)
            body = () if never else self.block(a.body, inner)
            if never:
                conditions = [Const(BOOL, a.span, False)]
            alternatives.append(
                core.Alternative(
                    a.name,
                    label,
                    tuple(c for c in conditions if never or not isinstance(c, Const)),
                    tuple(variables),
                    body,
                    a.span,
                )
            )
        return [FramedAsk(s.span, s.site, chooser, prompt, tuple(alternatives), otherwise, frame)]

    def _askmany(self, s: core.AskMany, env: dict[int, Expr]) -> list[FramedAskMany]:
        frame = _frame(s, env)
        chooser = self.expr(s.chooser, env)
        source = self.expr(s.source, env)
        low, high = self.expr(s.low, env), self.expr(s.high, env)
        prompt = self._text(s.prompt, env)
        inner = dict(env)
        item = source.type.item if isinstance(source.type, ListType) else INT
        item_slot = self._bind(s.item_slot, s.name, item, s.span, inner)
        condition = self._maybe(s.condition, inner)
        slot = self._bind(s.slot, s.name, source.type, s.span, env)
        return [
            FramedAskMany(
                s.span,
                s.site,
                chooser,
                prompt,
                slot,
                s.name,
                source,
                condition,
                low,
                high,
                s.ordered,
                s.secret,
                item_slot,
                frame,
            )
        ]

    def _random(self, s: core.Random, env: dict[int, Expr]) -> list[Stmt]:
        domain = self.expr(s.domain, env)
        otherwise = self.block(s.otherwise, env)
        inner = env if not s.body else dict(env)
        item = domain.type.item if isinstance(domain.type, ListType) else INT
        slot = self._bind(s.slot, s.name, item, s.span, inner)
        condition = self._maybe(s.condition, inner)
        body = self.block(s.body, inner)
        actor = self._maybe(s.actor, env)
        return [replace(s, slot=slot, domain=domain, condition=condition, body=body, otherwise=otherwise, actor=actor)]

    def _calleffect(self, s: core.CallEffect, env: Env) -> list[Stmt]:
        effect = self.program.effects[s.effect]
        key = ("effect", s.effect)
        if key in self.shared:
            routine = self.routines.get(key) or self._shared_effect(key, effect)
            return [EffectRoutine(s.span, routine, self._all(s.args, env))]
        before: list[Stmt] = []
        arguments: dict[int, Expr] = {}
        for param, arg in zip(effect.params, s.args, strict=True):
            value = self.expr(arg, env)
            if not isinstance(value, Const | Local):
                slot = self.fresh(param.name)
                before.append(core.Let(arg.span, slot, param.name, value))
                value = Local(param.type, arg.span, slot, param.name)
            arguments[param.slot] = value
        body = tuple(self._happens(s, effect, arguments))
        return [*before, *([Trail(s.span, s.effect, body)] if body else [])]

    def _happens(self, s: Stmt | None, effect: core.Effect, arguments: Env) -> list[Stmt]:
        """What an effect does, and what the rules that answer to it do."""
        out: list[Stmt] = []
        body = self.block(effect.body, arguments)
        branches = []
        for rule in effect.instead:
            holds = self._maybe(rule.condition, arguments) or Const(BOOL, rule.span, True)
            branches.append((holds, self.block(rule.body, arguments)))
        span = s.span if s is not None else effect.instead[0].span if effect.instead else NO_SPAN
        out.extend(self._if_lowered(span, tuple(branches), body))
        for rule in effect.when:
            holds = self._maybe(rule.condition, arguments) or Const(BOOL, rule.span, True)
            span = s.span if s is not None else rule.span
            out.extend(self._if_lowered(span, ((holds, self.block(rule.body, arguments)),), ()))
        return out

    def _shared_effect(self, key: Key, effect: core.Effect) -> Routine:
        params, arguments = self.parameters(effect.params)
        body = tuple(self._happens(None, effect, arguments))
        number = len(self.routines)
        self.routines[key] = Routine(number, effect.name, params, body, None, asks(body), ends(body))
        return self.routines[key]

    def parameters(self, params: tuple[core.Param, ...]) -> tuple[tuple[int, ...], dict[int, Expr]]:
        slots = tuple(self.fresh(p.name) for p in params)
        locals_ = {p.slot: Local(p.type, NO_SPAN, slot, p.name) for p, slot in zip(params, slots, strict=True)}
        return slots, dict(locals_)

    def _effectroutine(self, s: EffectRoutine, env: Env) -> list[Stmt]:
        return [replace(s, args=self._all(s.args, env))]

    def _trail(self, s: Trail, env: dict[int, Expr]) -> list[Stmt]:
        body = self.block(s.body, env)
        return [Trail(s.span, s.name, body)] if body else []

    @staticmethod
    def _if_lowered(
        span: Any, branches: tuple[tuple[Expr, tuple[Stmt, ...]], ...], last: tuple[Stmt, ...]
    ) -> list[Stmt]:
        kept = []
        for condition, body in branches:
            if isinstance(condition, Const):
                if condition.value:
                    last = body
                    break
                continue
            kept.append((condition, body))
        return [core.If(span, tuple(kept), last)] if kept else list(last)

    def _announce(self, s: core.Announce, env: Env) -> list[Stmt]:
        return [core.Announce(s.span, self._text(s.text, env), self._maybe(s.to, env))]

    def _endgame(self, s: core.EndGame, env: Env) -> list[Stmt]:
        return [core.EndGame(s.span, None if s.reason is None else self._text(s.reason, env))]

    # ------------------------------------------------------------ expressions

    def _maybe(self, e: Expr | None, env: Env) -> Expr | None:
        return None if e is None else self.expr(e, env)

    def _all(self, es: tuple[Expr, ...], env: Env) -> tuple[Expr, ...]:
        return tuple(self.expr(e, env) for e in es)

    def _text(self, t: core.TextTemplate, env: Env) -> core.TextTemplate:
        return core.TextTemplate(t.type, t.span, tuple(p if isinstance(p, str) else self.expr(p, env) for p in t.parts))

    def expr(self, e: Expr, env: Env) -> Expr:
        """Lower an expression. Slots that ``env`` doesn't know stay as they are (already lowered)."""
        method = getattr(self, "_x_" + type(e).__name__.lower(), None)
        if method is None:
            return self._x_any(e, env)
        result: Expr = method(e, env)
        return result

    def substitute(self, e: Expr, slot: int, value: object, type_: Type) -> Expr:
        """A lowered expression with a constant for one of its locals, folded again."""
        return self.expr(e, {slot: Const(type_, e.span, value)})

    def _x_any(self, e: Expr, env: Env) -> Expr:
        changes: dict[str, Any] = {}
        for f in fields(e):
            value = getattr(e, f.name)
            if isinstance(value, Expr):
                changes[f.name] = self.expr(value, env)
            elif f.name in ("indices", "args", "items"):
                changes[f.name] = self._all(value, env)
        return fold(replace(e, **changes), self)

    def _x_const(self, e: Const, env: Env) -> Expr:
        return e

    def _x_local(self, e: Local, env: Env) -> Expr:
        return env.get(e.slot, e)

    def _x_optionvalue(self, e: core.OptionValue, env: Env) -> Expr:
        return Const(e.type, e.span, self.options[e.option])

    def _x_players(self, e: core.Players, env: Env) -> Expr:
        return Const(e.type, e.span, tuple(range(self.players)))

    def _x_texttemplate(self, e: core.TextTemplate, env: Env) -> Expr:
        return self._text(e, env)

    def _x_binary(self, e: Binary, env: Env) -> Expr:
        left = self.expr(e.left, env)
        if e.op in ("and", "or") and isinstance(left, Const):
            decided = bool(left.value) is (e.op == "or")
            return left if decided else self.expr(e.right, env)
        right = self.expr(e.right, env)
        if e.op in ("and", "or") and isinstance(right, Const) and bool(right.value) is (e.op == "and"):
            return left
        if e.op in ("+", "-") and isinstance(right, Const) and isinstance(right.value, int):
            if right.value == 0 and not isinstance(left, Const):
                return left
            if right.value < 0:
                opposite = Const(right.type, right.span, -right.value)
                return fold(Binary(e.type, e.span, "-" if e.op == "+" else "+", left, opposite), self)
        return fold(Binary(e.type, e.span, e.op, left, right), self)

    def _x_ifexpr(self, e: IfExpr, env: Env) -> Expr:
        condition = self.expr(e.condition, env)
        if isinstance(condition, Const):
            return self.expr(e.then if condition.value else e.otherwise, env)
        return IfExpr(e.type, e.span, condition, self.expr(e.then, env), self.expr(e.otherwise, env))

    def _x_bycard(self, e: core.ByCard, env: Env) -> Expr:
        card = self.expr(e.card, env)
        if isinstance(card, Const):
            return self.expr(dict(e.cases).get(self.original(card), e.otherwise), env)
        otherwise = self.expr(e.otherwise, env)
        cases = [(original, self.expr(case, env)) for original, case in e.cases]
        return self.choice(e.type, e.span, core.Field(card.type, e.span, card, "original"), cases, otherwise)

    def choice(self, type: Type, span: Span, key: Expr, cases: list[tuple[int, Expr]], otherwise: Expr) -> Expr:
        if len(cases) == 1:
            return IfExpr(type, span, _compared("=", key, cases[0][0]), cases[0][1], otherwise)
        low, high = cases[: len(cases) // 2], cases[len(cases) // 2 :]
        below, above = self.choice(type, span, key, low, otherwise), self.choice(type, span, key, high, otherwise)
        return IfExpr(type, span, _compared("<", key, high[0][0]), below, above)

    def _over(self, slot: int, source: Expr, env: Env) -> tuple[int, Expr, dict[int, Expr]]:
        inner = dict(env)
        item = source.type.item if isinstance(source.type, ListType) else INT
        new = self._bind(slot, "it", item, source.span, inner)
        return new, self.expr(source, env), inner

    def _x_filter(self, e: core.Filter, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        return core.Filter(e.type, e.span, slot, source, self.expr(e.condition, inner))

    def _x_maplist(self, e: core.MapList, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        return core.MapList(e.type, e.span, slot, source, self._maybe(e.condition, inner), self.expr(e.body, inner))

    def _x_fold(self, e: core.Fold, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        return core.Fold(
            e.type, e.span, e.kind, slot, source, self._maybe(e.condition, inner), self.expr(e.body, inner)
        )

    def _x_extreme(self, e: core.Extreme, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        return core.Extreme(e.type, e.span, e.kind, slot, source, self.expr(e.key, inner))

    def _x_letin(self, e: LetIn, env: Env) -> Expr:
        value = self.expr(e.value, env)
        if isinstance(value, Const | Local):
            return self.expr(e.body, {**env, e.slot: value})
        inner = dict(env)
        slot = self._bind(e.slot, self.names[e.slot], e.value.type, e.span, inner)
        return LetIn(e.type, e.span, slot, value, self.expr(e.body, inner))

    def _x_callquery(self, e: core.CallQuery, env: Env) -> Expr:
        query = self.program.queries[e.query]
        key = ("query", e.query)
        if key in self.shared:
            if key not in self.routines:
                params, given = self.parameters(query.params)
                value = self.modified(query, given)
                number = len(self.routines)
                self.routines[key] = Routine(number, query.name, params, (), value, fails=self.can_fail(value))
            return QueryRoutine(e.type, e.span, self.routines[key], self._all(e.args, env))
        arguments: dict[int, Expr] = {}
        lets: list[tuple[int, Expr]] = []
        for param, arg in zip(query.params, e.args, strict=True):
            value = self.expr(arg, env)
            if not isinstance(value, Const | Local):
                slot = self.fresh(param.name)
                lets.append((slot, value))
                value = Local(param.type, arg.span, slot, param.name)
            arguments[param.slot] = value
        body = self.modified(query, arguments)
        for slot, value in reversed(lets):
            uses = count_uses(body, slot)
            fails = self.can_fail(value)
            if uses == 0 and not fails:
                continue
            if uses == 1 and not under_loop(body, slot) and not (fails and not self.reads_first(body, slot)):
                body = self.expr(body, {slot: value})
            else:
                body = LetIn(body.type, e.span, slot, value, body)
        return body


def _compared(op: str, key: Expr, original: int) -> Expr:
    """A test of which card something is a copy of: first copies are numbered in the order of the cards."""
    return Binary(BOOL, key.span, op, key, Const(key.type, key.span, original))


# ---------------------------------------------------------------- constants


def fold(e: Expr, lowerer: Lowerer) -> Expr:
    """A constant where all operands are constants and nothing can go wrong; else ``e``."""
    parts = [v for f in fields(e) for v in _parts(getattr(e, f.name))]
    if not all(isinstance(p, Const) for p in parts):
        return e
    values = [p.value for p in parts]
    try:
        value = _constant(e, values, lowerer)
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return e  # goes wrong at run time, with its place
    return e if value is NotImplemented else Const(e.type, e.span, value)


def _parts(value: object) -> list[Any]:
    if isinstance(value, Expr):
        return [value]
    if isinstance(value, tuple):
        return [v for v in value if isinstance(v, Expr)]
    return []


def _constant(e: Expr, values: list[Any], lowerer: Lowerer) -> Any:
    if isinstance(e, Binary):
        return BINARY[e.op](values[0], values[1]) if e.op in BINARY else NotImplemented
    if isinstance(e, core.Unary):
        return (not values[0]) if e.op == "not" else -values[0]
    if isinstance(e, core.ListLit):
        return tuple(values)
    if isinstance(e, core.Range):
        return tuple(range(values[0], values[1] + 1)) if values[1] - values[0] < 64 else NotImplemented
    if isinstance(e, core.TableRead):
        table = lowerer.program.tables[e.table]
        entry: Any = table.values
        for dim, value in zip(table.dims, values, strict=True):
            if value - dim.low < 0:
                raise IndexError
            entry = entry[value - dim.low]
        return entry
    if isinstance(e, core.Field):
        return lowerer.program.entities[values[0]].fields[e.field]
    if isinstance(e, CallBuiltin):
        return constant_call(e.name, values, lowerer.players)
    return NotImplemented


def _positive_div(a: int, b: int) -> int:
    return a // b


BINARY: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
    "union": lambda a, b: a + tuple(x for x in b if x not in a),
    "except": lambda a, b: tuple(x for x in a if x not in b),
    "intersect": lambda a, b: tuple(x for x in a if x in b),
    "join": lambda a, b: a + b,
}


def constant_call(name: str, values: list[Any], players: int) -> Any:
    """The value of a builtin function that needs no state, or NotImplemented."""
    if name == "clockwise_from":
        return tuple((values[0] + i) % players for i in range(players))
    if name == "anticlockwise_from":
        return tuple((values[0] - i) % players for i in range(players))
    if name == "next":
        return (values[0] + 1) % players
    if name == "previous":
        return (values[0] - 1) % players
    if name == "seat":
        return values[0] + 1
    if name == "count":
        return len(values[0])
    if name == "reverse":
        return tuple(reversed(values[0]))
    if name == "abs":
        return abs(values[0])
    if name == "smaller":
        return min(values)
    if name == "larger":
        return max(values)
    if name in ("first", "last"):
        return values[0][0 if name == "first" else -1]
    return NotImplemented


# ---------------------------------------------------------------- what blocks do


def _frame(s: Stmt, env: Env) -> tuple[tuple[int, Expr], ...]:
    """Where the locals went that a choice's own texts, domains and conditions read (not what its bodies read)."""
    read: set[int] = set()
    for f in fields(s):
        value = getattr(s, f.name)
        if isinstance(value, Expr):
            read |= locals_in(value)
        elif f.name == "alternatives":
            for a in value:
                for e in (*a.conditions, *([a.label] if a.label is not None else ())):
                    read |= locals_in(e)
                for v in a.vars:
                    read |= locals_in(v.domain) | (locals_in(v.condition) if v.condition is not None else set())
    return tuple((slot, env[slot]) for slot in sorted(read) if slot in env)


def asks(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a block can stop the game for a decision."""
    for s in stmts:
        if isinstance(s, core.Ask | core.AskMany) or (isinstance(s, EffectRoutine) and s.routine.asks):
            return True
        if isinstance(s, core.If) and (any(asks(b) for _, b in s.branches) or asks(s.otherwise)):
            return True
        if isinstance(s, core.ForEach | core.Repeat | Trail) and asks(s.body):
            return True
        if isinstance(s, core.Random) and (asks(s.body) or asks(s.otherwise)):
            return True
    return False


def stops(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a block holds a ``stop`` that leaves the loop round it."""
    for s in stmts:
        if isinstance(s, core.Stop):
            return True
        if isinstance(s, core.If) and (any(stops(b) for _, b in s.branches) or stops(s.otherwise)):
            return True
        if isinstance(s, Trail) and stops(s.body):
            return True
        if isinstance(s, core.Random) and (stops(s.body) or stops(s.otherwise)):
            return True
        if isinstance(s, core.Ask) and (any(stops(a.body) for a in s.alternatives) or stops(s.otherwise)):
            return True
    return False


def ends(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a block can end the game."""
    return any(
        isinstance(node, core.EndGame) or (isinstance(node, EffectRoutine) and node.routine.ends)
        for s in stmts
        for node in everything_in(s)
    )
