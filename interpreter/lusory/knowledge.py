"""Who knows what the locals of a routine hold. Made once a program; used where reasons are told to a seat.

A local has no visibility of its own: what it holds was read or drawn somewhere. It is known to everybody, to the player
in another local (``me``, who looked at the own hand), or to nobody in particular. Found out from the statements,
through the calls of effects, without looking at any position; what is not certain counts as not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from lusory_dsl import core
from lusory_dsl.types import PlayerType

from .flow import all_phases

ALL, NOBODY = -1, -2
"""Levels of knowledge; any other is the slot of the player who knows."""

Levels = dict[int, int]
Block = tuple[core.Stmt, ...]


def joined(one: int, other: int) -> int:
    """Who knows what is made of two values."""
    if one in (ALL, other):
        return other
    return one if other == ALL else NOBODY


def known_locals(program: core.Program) -> dict[int, Levels]:
    """For each site of a choice: who knows the locals of the routine that asks. A slot that is left out is known to
    all, as far as it holds anything."""
    return _Knowledge(program).sites


class _Knowledge:
    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.sites: dict[int, Levels] = {}
        self.queries: dict[str, int] = {}
        self.params: dict[str, Levels] = {name: {} for name in program.effects}
        self.changed = True
        while self.changed:
            self.changed = False
            for body, params in self._routines():
                levels = dict(params)
                self._block(body, levels)
                self._block(body, levels)  # what a loop leaves for its next pass

    def _routines(self) -> Iterator[tuple[Block, Levels]]:
        for phase in all_phases(self.program):
            yield phase.body, {}
        for name, effect in self.program.effects.items():
            for body in (effect.body, *(rule.body for rule in (*effect.instead, *effect.when))):
                yield body, self.params[name]

    # ------------------------------------------------------------ statements

    def _block(self, block: Block, levels: Levels) -> None:
        for stmt in block:
            self._statement(stmt, levels)

    def _note(self, slot: int, level: int, levels: Levels) -> None:
        levels[slot] = joined(levels.get(slot, ALL), level)

    def _statement(self, stmt: core.Stmt, levels: Levels) -> None:
        match stmt:
            case core.Let(slot=slot, value=value):
                self._note(slot, self.level(value, levels), levels)
            case core.If(branches=branches, otherwise=otherwise):
                for body in (*(body for _, body in branches), otherwise):
                    self._block(body, levels)
            case core.DoByCard(cases=cases, otherwise=otherwise):
                for body in (*(body for _, body in cases), otherwise):
                    self._block(body, levels)
            case core.ForEach(slot=slot, source=source, condition=condition, body=body):
                level = self.level(source, levels)
                self._note(slot, level, levels)
                if condition is not None:
                    self._note(slot, self.level(condition, levels), levels)
                self._block(body, levels)
            case core.Repeat(body=body):
                self._block(body, levels)
            case core.Random(slot=slot, secret=secret, actor=actor, body=body, otherwise=otherwise):
                self._note(slot, self._of(actor, levels) if secret else ALL, levels)
                self._block(body, levels)
                self._block(otherwise, levels)
            case core.AskMany(site=site, slot=slot, secret=secret):
                self.sites[site] = levels
                self._note(slot, self._picked(stmt, secret, levels), levels)
            case core.Ask(site=site, alternatives=alternatives, otherwise=otherwise):
                self.sites[site] = levels
                for alternative in alternatives:
                    for var in alternative.vars:
                        self._note(var.slot, self._picked(stmt, var.secret, levels), levels)
                    self._block(alternative.body, levels)
                self._block(otherwise, levels)
            case core.CallEffect():
                self._call(stmt, levels)

    def _picked(self, ask: core.Ask | core.AskMany, secret: bool, levels: Levels) -> int:
        """Who knows what was chosen: everybody is told, unless it is secret."""
        is_told = not secret and ask.site not in self.program.private_sites
        return ALL if is_told else self._of(ask.chooser, levels)

    @staticmethod
    def _of(player: core.Expr | None, levels: Levels) -> int:
        """The level of what a player alone knows."""
        known = isinstance(player, core.Local) and levels.get(player.slot, ALL) == ALL
        return player.slot if known and isinstance(player, core.Local) else NOBODY

    def _call(self, call: core.CallEffect, levels: Levels) -> None:
        """What an effect is given, it knows as little of as its caller."""
        params = self.program.effects[call.effect].params
        names = {
            arg.slot: param.slot
            for arg, param in zip(call.args, params, strict=True)
            if isinstance(arg, core.Local) and isinstance(arg.type, PlayerType)
        }
        known = self.params[call.effect]
        for arg, param in zip(call.args, params, strict=True):
            level = self.level(arg, levels)
            level = names.get(level, NOBODY) if level >= 0 else level
            after = joined(known.get(param.slot, ALL), level)
            if after != known.get(param.slot, ALL):
                known[param.slot] = after
                self.changed = True

    # ------------------------------------------------------------ values

    def level(self, expr: core.Expr, levels: Levels) -> int:
        """Who knows a value."""
        inner = reduce(joined, (self.level(part, levels) for part in core.children(expr)), ALL)
        if isinstance(expr, core.LOOPS) and inner == expr.slot:
            return NOBODY  # what each of several players knows
        program = self.program
        match expr:
            case core.Local(slot=slot):
                return levels.get(slot, ALL)
            case core.CallBuiltin(name="count", args=(core.ReadZone(indices=indices),)):
                return reduce(joined, (self.level(index, levels) for index in indices), ALL)
            case (
                core.ReadCell(place=name, indices=indices)
                | core.ReadZone(zone=name, indices=indices)
                | core.PoolKinds(zone=name, indices=indices)
                | core.PoolTotal(zone=name, indices=indices)
            ):
                place = program.place(name)
                return joined(inner, self._seen(place.visible, place.dims, indices, levels))
            case core.LiesIn() | core.IndexOfPlace():
                is_open = all(zone.visible.constant == "all" for zone in program.zones.values())
                return inner if is_open else NOBODY
            case core.CallQuery(query=name, args=args):
                return joined(inner, self._query(name, args, levels))
        return inner

    def _query(self, name: str, args: tuple[core.Expr, ...], levels: Levels) -> int:
        """Who knows what a query reads by itself."""
        if name not in self.queries:
            query = self.program.queries[name]
            bodies = [query.value, *(part for m in query.modifiers for part in (m.condition, m.value))]
            self.queries[name] = reduce(joined, (self.level(body, {}) for body in bodies), ALL)
        level = self.queries[name]
        if level < 0:
            return level
        return self._of(args[level], levels) if level < len(args) else NOBODY

    def _seen(
        self, visible: core.Visibility, dims: tuple[core.Dim, ...], indices: tuple[core.Expr, ...], levels: Levels
    ) -> int:
        """Who sees the content of a place."""
        if visible.constant == "all":
            return ALL
        owner = next((i for i, dim in zip(indices, dims, strict=False) if isinstance(dim.type, PlayerType)), None)
        if visible.constant == "owner" and not any(isinstance(dim.type, PlayerType) for dim in dims):
            return ALL
        owned = visible.constant == "owner" or _shows_owner(visible.condition)
        return self._of(owner, levels) if owned else NOBODY


def _shows_owner(condition: core.Expr | None) -> bool:
    """Whether a visibility is `viewer is owner or …`."""
    match condition:
        case core.Binary(op="or", left=left, right=right):
            return _shows_owner(left) or _shows_owner(right)
        case core.Binary(op="=", left=core.Local(slot=left_slot), right=core.Local(slot=right_slot)):
            return {left_slot, right_slot} == {0, 1}
    return False
