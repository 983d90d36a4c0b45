"""Lowering: a checked program, for one number of players and one set of options (or any), without calls.

Made for selection, from :mod:`lusory_dsl.core` to itself: effects and queries are inlined (nothing recurses) or,
where that would make the text long, become routines (see :mod:`lusory.compile.lower.sharing`);
rules are woven in as conditions round the effects they answer to, options and the players are constants, constants
are folded and branches that can't be taken are gone. Every local of the result has a slot of its own, unique in the
whole game, so that locals can be given fixed places.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Local, Stmt, locals_in
from lusory_dsl.core.knowledge import Teller, knowledge_of, players_in
from lusory_dsl.language.types import BOOL, INT, PLAYER, ListType

from ...seat.telling import read_by
from ...table.dispatch import methods
from ...table.setting import Setting
from .expressions import NO_SPAN, ExpressionLowerer, as_binary_tree
from .lowered import (
    STATEMENTS,
    AnnounceWithLocals,
    AskManyWithLocals,
    AskWithLocals,
    EffectRoutine,
    EndGameWithLocals,
    Inlined,
    LoweredGame,
    Routine,
    Spend,
    asks,
    ends,
)
from .modifiers import Env
from .ranges import Reach
from .sharing import Key


class Lowerer(ExpressionLowerer):
    """A game, from its phases down to the statements."""

    def __init__(self, setting: Setting, reach: Reach, any_options: bool = False) -> None:
        super().__init__(setting, reach, any_options)
        self.charges = setting.charges
        self.limits = setting.limits
        self._methods = methods(self, "_", {*core.STATEMENTS, *STATEMENTS}, lower=True)
        self.tellers = {teller: n for n, teller in enumerate(knowledge_of(setting.program).tellers)}

    # ------------------------------------------------------------ the whole game

    def game(self) -> LoweredGame:
        scoring = self.program.scoring
        if self.charges.scoring > self.limits.decision:
            scoring = replace(scoring, rank=(), payoff=None, shown=())  # it is never worked out
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

    # ------------------------------------------------------------ statements

    def block(self, stmts: tuple[Stmt, ...], env: Env) -> tuple[Stmt, ...]:
        """Lower a block; names bound in it live to its end."""
        inner = dict(env)
        out: list[Stmt] = []
        if stmts and (charge := self.charges.blocks.get(stmts[0])) is not None:
            out.append(Spend(stmts[0].span, charge.work, charge.checked))
        for s in stmts:
            for lowered in self.stmt(s, inner):
                last = out[-1] if out else None
                if isinstance(lowered, Spend) and isinstance(last, Spend):  # nothing lies between them
                    out[-1] = Spend(last.span, last.work + lowered.work, last.checked or lowered.checked)
                else:
                    out.append(lowered)
        return tuple(out)

    def _spend(self, s: Spend, env: Env) -> list[Stmt]:
        return [s]

    def stmt(self, s: Stmt, env: dict[int, Expr]) -> list[Stmt]:
        result: list[Stmt] = self._methods[type(s)](s, env)
        return result

    def _let(self, s: core.Let, env: dict[int, Expr]) -> list[Stmt]:
        value = self.expr(s.value, env)
        if isinstance(value, Const | Local):
            env[s.slot] = value
            return []
        slot = self._bind(s.slot, s.name, value.type, s.span, env)
        self.known.let(slot, value)
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
        tree = as_binary_tree(
            key, cases, otherwise, lambda test, then, other: (core.If(s.span, ((test, then),), other),)
        )
        return [core.Let(s.span, slot, "original", core.Field(card.type, s.span, card, "original")), *tree]

    def _foreach(self, s: core.ForEach, env: Env) -> list[Stmt]:
        source = self.expr(s.source, env)
        if isinstance(source, Const) and not source.value:
            return []
        inner = dict(env)
        item = source.type.item if isinstance(source.type, ListType) else INT
        slot = self._bind(s.slot, s.name, item, s.span, inner)
        self.known.over(slot, source)
        condition = self._maybe(s.condition, inner)
        if isinstance(condition, Const):
            if not condition.value:
                if not self.can_fail(source):
                    return []
                return [core.ForEach(s.span, slot, s.name, source, condition, ())]
            condition = None
        body = self.block(s.body, inner)
        loop = core.ForEach(s.span, slot, s.name, source, condition, body)
        kept = body or any(self.can_fail(e) for e in (source, condition) if e is not None)
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

    def _askwithlocals(self, s: AskWithLocals, env: dict[int, Expr]) -> list[Stmt]:
        frame = tuple((slot, self.expr(e, env)) for slot, e in s.frame)
        return [replace(a, frame=frame) for a in self._ask(s, env)]

    def _askmanywithlocals(self, s: AskManyWithLocals, env: dict[int, Expr]) -> list[Stmt]:
        frame = tuple((slot, self.expr(e, env)) for slot, e in s.frame)
        return [replace(a, frame=frame) for a in self._askmany(s, env)]

    def _ask(self, s: core.Ask, env: dict[int, Expr]) -> list[AskWithLocals]:
        frame = self._framed(s, env)
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
                self.known.over(slot, domain)
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
        return [AskWithLocals(s.span, s.site, chooser, prompt, tuple(alternatives), otherwise, frame)]

    def _framed(self, s: core.Ask | core.AskMany, env: Env) -> tuple[tuple[int, Expr], ...]:
        """Where the locals went that a choice's own texts, domains and conditions read, and those that hold who may
        know them."""
        frame = dict(_frame(s, env))
        players = players_in(self.program, set(frame), knowledge_of(self.program).sites[s.site])
        frame |= {slot: env[slot] for slot in sorted(players) if slot in env}
        return tuple(sorted(frame.items()))

    def _askmany(self, s: core.AskMany, env: dict[int, Expr]) -> list[AskManyWithLocals]:
        frame = self._framed(s, env)
        chooser = self.expr(s.chooser, env)
        source = self.expr(s.source, env)
        low, high = self.expr(s.low, env), self.expr(s.high, env)
        prompt = self._text(s.prompt, env)
        inner = dict(env)
        item = source.type.item if isinstance(source.type, ListType) else INT
        item_slot = self._bind(s.item_slot, s.name, item, s.span, inner)
        self.known.over(item_slot, source)
        condition = self._maybe(s.condition, inner)
        slot = self._bind(s.slot, s.name, source.type, s.span, env)
        self.known.let(slot, source)
        return [
            AskManyWithLocals(
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
                None,  # labels are read from the program
                frame,
            )
        ]

    def _random(self, s: core.Random, env: dict[int, Expr]) -> list[Stmt]:
        domain = self.expr(s.domain, env)
        otherwise = self.block(s.otherwise, env)
        inner = env if not s.body else dict(env)
        item = domain.type.item if isinstance(domain.type, ListType) else INT
        slot = self._bind(s.slot, s.name, item, s.span, inner)
        self.known.over(slot, domain)
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
                self.known.let(slot, value)
                before.append(core.Let(arg.span, slot, param.name, value))
                value = Local(param.type, arg.span, slot, param.name)
            arguments[param.slot] = value
        body = tuple(self._happens(s, effect, arguments))
        return [*before, *([Inlined(s.span, s.effect, body)] if body else [])]

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
        params, arguments = self.parameters(effect.params, key)
        body = tuple(self._happens(None, effect, arguments))
        number = len(self.routines)
        self.routines[key] = Routine(number, effect.name, params, body, None, asks(body), ends(body))
        return self.routines[key]

    def _effectroutine(self, s: EffectRoutine, env: Env) -> list[Stmt]:
        return [replace(s, args=self._all(s.args, env))]

    def _inlined(self, s: Inlined, env: dict[int, Expr]) -> list[Stmt]:
        body = self.block(s.body, env)
        return [Inlined(s.span, s.name, body)] if body else []

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
        lowered = core.Announce(s.span, self._text(s.text, env), self._maybe(s.to, env))
        if s not in self.tellers:
            return [lowered]
        return [AnnounceWithLocals(s.span, lowered.text, lowered.to, self.tellers[s], self._known(s, env))]

    def _endgame(self, s: core.EndGame, env: Env) -> list[Stmt]:
        reason = None if s.reason is None else self._text(s.reason, env)
        if s not in self.tellers:
            return [core.EndGame(s.span, reason)]
        return [EndGameWithLocals(s.span, reason, self.tellers[s], self._known(s, env))]

    def _known(self, s: Teller, env: Env) -> tuple[tuple[int, Expr], ...]:
        """Where the locals went that a text reads, and those that hold who may know them."""
        read = read_by(self.program, s)
        return tuple((slot, env[slot]) for slot in sorted(read) if slot in env)

    def _announcewithlocals(self, s: AnnounceWithLocals, env: Env) -> list[Stmt]:
        frame = tuple((slot, self.expr(e, env)) for slot, e in s.frame)
        return [replace(s, text=self._text(s.text, env), to=self._maybe(s.to, env), frame=frame)]

    def _endgamewithlocals(self, s: EndGameWithLocals, env: Env) -> list[Stmt]:
        frame = tuple((slot, self.expr(e, env)) for slot, e in s.frame)
        return [replace(s, reason=None if s.reason is None else self._text(s.reason, env), frame=frame)]


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
