"""Who knows what the locals of a routine hold. Made once a program; used where a seat is told or asked something.

A local has no visibility of its own: what it holds was read or drawn somewhere. It is known to everybody, to the player
in another local (``me``, who looked at the own hand), or to nobody in particular. Found out from the statements,
through the calls of effects, without looking at any position; what is not certain counts as not known. From it follow
the options of a choice, the words of questions and announcements, as a seat may know them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any

from lusory_dsl import core
from lusory_dsl.types import ComponentType, ListType, OptionalType, PlayerType, Type

from .choices import Decision, Option
from .flow import all_phases
from .runtime import HIDDEN
from .sight import UNKNOWN, Seen, Unknown

ALL, NOBODY, SEEING = -1, -2, -3
"""Levels of knowledge; any other is the slot of the player who knows. ``SEEING``: a component that was chosen unseen,
which is known to whoever sees it."""

Levels = dict[int, int]
Teller = core.Announce | core.EndGame
Block = tuple[core.Stmt, ...]


def joined(one: int, other: int) -> int:
    """Who knows what is made of two values."""
    if one in (ALL, other):
        return other
    return one if other == ALL else NOBODY


@dataclass(frozen=True)
class Knowledge:
    """``sites``: for each choice who knows the locals of the routine that asks; a slot that is left out is known to
    all, as far as it holds anything. ``unseen``: for each choice the variables, by number of alternative and variable,
    that range over components which the one who chooses may be unable to see. ``tellers``: the announcements and
    endings that speak of what somebody may not know, with who knows the locals there."""

    sites: dict[int, Levels] = field(default_factory=dict)
    unseen: dict[int, frozenset[tuple[int, int]]] = field(default_factory=dict)
    tellers: dict[Teller, Levels] = field(default_factory=dict)


@lru_cache(maxsize=8)
def knowledge_of(program: core.Program) -> Knowledge:
    """Who knows what in the routines of a program."""
    return _Knowledge(program).found


def known_to(seen: Seen, slots: Sequence[Any], levels: Mapping[int, int]) -> list[Any]:
    """The locals of a routine as the seat of ``seen`` knows them; a spectator knows what all know."""

    def known(slot: int, value: Any) -> Any:
        level = levels.get(slot, ALL)
        if value is None or level == ALL or (0 <= level < len(slots) and slots[level] == seen.seat is not None):
            return value
        return visible(seen, value) if level == SEEING else Unknown()

    return [known(slot, value) for slot, value in enumerate(slots)]


def visible(seen: Seen, value: Any) -> Any:
    """A component, or a list of them, as far as it lies where a seat sees it."""
    if value is None or isinstance(value, tuple):
        return None if value is None else tuple(visible(seen, one) for one in value)
    lies = seen.cells[seen.setting.layout.location + value]
    return Unknown() if lies is UNKNOWN else value


def offered(seen: Seen, decision: Decision) -> Decision:
    """A decision as the one who chooses may know it: the value of a component that it can't see is ``?``."""
    unseen = knowledge_of(seen.setting.program).unseen.get(decision.site)
    if not unseen:
        return decision
    options = [
        Option(
            option.index,
            option.alternative,
            tuple(
                HIDDEN if (option.alternative, n) in unseen and _is_unknown(visible(seen, value)) else value
                for n, value in enumerate(option.values)
            ),
        )
        for option in decision.options
    ]
    return Decision(decision.site, decision.seat, tuple(options))


def _is_unknown(value: Any) -> bool:
    return isinstance(value, Unknown)


class _Knowledge:
    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.found = Knowledge()
        self.sites = self.found.sites
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
                unseen = self._is_unseen(stmt, stmt.source, stmt.condition, levels)
                self.found.unseen[site] = frozenset({(0, 0)} if unseen else ())
                self._note(slot, self._picked(stmt, secret, unseen, levels), levels)
            case core.Ask(site=site, alternatives=alternatives, otherwise=otherwise):
                self.sites[site] = levels
                found = set()
                for number, alternative in enumerate(alternatives):
                    for n, var in enumerate(alternative.vars):
                        unseen = self._is_unseen(stmt, var.domain, var.condition, levels)
                        if unseen:
                            found.add((number, n))
                        self._note(var.slot, self._picked(stmt, var.secret, unseen, levels), levels)
                    self._block(alternative.body, levels)
                self.found.unseen[site] = frozenset(found)
                self._block(otherwise, levels)
            case core.Announce() | core.EndGame():
                self._tells(stmt, levels)
            case core.CallEffect():
                self._call(stmt, levels)

    def _picked(self, ask: core.Ask | core.AskMany, secret: bool, unseen: bool, levels: Levels) -> int:
        """Who knows what was chosen: everybody is told, unless it is secret, or a component that can't be seen."""
        is_told = not secret and ask.site not in self.program.private_sites
        if unseen:
            return SEEING if is_told else NOBODY
        return ALL if is_told else self._of(ask.chooser, levels)

    def _is_unseen(
        self, ask: core.Ask | core.AskMany, domain: core.Expr, condition: core.Expr | None, levels: Levels
    ) -> bool:
        """Whether a choice may offer components that the one who chooses can't see."""
        if not is_component(domain.type):
            return False
        level = self.level(domain, levels)
        level = level if condition is None else joined(level, self.level(condition, levels))
        return level not in (ALL, SEEING) and (level == NOBODY or level != self._of(ask.chooser, levels))

    def _tells(self, stmt: Teller, levels: Levels) -> None:
        """Notes a text that speaks of what not everybody knows."""
        text = stmt.text if isinstance(stmt, core.Announce) else stmt.reason
        parts = () if text is None else text.parts
        if any(not isinstance(part, str) and self.level(part, levels) != ALL for part in parts):
            self.found.tellers[stmt] = levels

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
            case core.LiesIn(zone=name) if program.zones[name].visible.constant == "all":
                return inner  # what lies there is seen, and so is what doesn't
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


def is_component(type: Type) -> bool:
    """Whether a value is a component, or a list of them."""
    if isinstance(type, ListType | OptionalType):
        return is_component(type.item)
    return isinstance(type, ComponentType)
