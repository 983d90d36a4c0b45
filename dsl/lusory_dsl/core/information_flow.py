"""Who knows what the locals of a routine hold. Found once for a program; used by lints, and where a seat is told or
asked something.

A local has no visibility of its own: what it holds was read, chosen or drawn somewhere, and knowing it may take several
things: being the player in another local (``me``, who looked at the own hand), or seeing the component that it holds.
Found out from the statements, through the calls of effects, without looking at any position; what is not certain counts
as not known. From it follow the options of a choice, the words of questions and announcements, as a seat may know them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from .. import core
from ..source.dataclasses import dataclass, field
from ..source.source import Span
from ..types.types import ComponentType, IntType, ListType, OptionalType, PlayerType, Type
from .constant_analysis import written_by
from .origin import LETS, UNSEEN
from .triggers import zones_of

Level = frozenset[int]
"""What it takes to know a value: to be the player in each of these slots, and what the words below say."""

ALL: Level = frozenset()
NOBODY: Level = frozenset({-1})  # nothing suffices
SEEING: Level = frozenset({-2})  # of a component: it lies where one sees it; of other values: nothing suffices
LOCATED: Level = frozenset({-3})  # of a component that was found by where it lies: one sees it; see ``WHERE``
OF_ZONE = -4  # down to ``AT_TIMES``: read in a zone that shows its content to the player in slot ``OF_ZONE - it``
AT_TIMES = (
    -1000
)  # and below: of the place with number ``AT_TIMES - it`` in ``Knowledge.at_times``, which opens at times
COMPONENT = ""
"""In place of a place's name there: one sees the component, or all of the list, that the slot beside it holds."""
WHERE = "@"
"""The same, for a value that says where that component lies. In place of a slot, the number of a component
or the variable that holds one may follow. With neither nothing suffices."""

Levels = dict[int, Level]
Block = tuple[core.Stmt, ...]
Teller = core.Announce | core.EndGame
Key = TypeVar("Key")
KEPT = "knowledge"

_VALUE, _NUMBER = "?", "0"  # no alternative has such a name


def joined(*levels: Level) -> Level:
    """What it takes to know what is made of these values."""
    return ALL.union(*levels)


def held(level: Level) -> Level:
    """What it takes to know a local that was given a value of this level, but no component. What was read in a zone is
    known to the player to whom the zone shows its content."""
    return frozenset(OF_ZONE - one if _is_zone(one) else -1 if one == -2 else one for one in level - LOCATED)


def _is_zone(one: int) -> bool:
    return AT_TIMES < one <= OF_ZONE


@dataclass(frozen=True)
class Knowledge:
    """``sites``: for each choice who knows the locals of the routine that asks; a slot that is left out is known to
    all, as far as it holds anything. ``unseen``: for each choice the variables, by number of alternative and variable,
    that range over components which the one who chooses may be unable to see. ``telling``: the choices of which it
    tells something that they can be made at all. ``tellers``: the announcements and endings that speak of what somebody
    may not know, with who knows the locals there. ``given``: the variables that are given what not everybody
    knows. ``at_times``: the places whose visibility has a condition that were
    read, by name, with the slot of the player who sees their part at all times; and slots with components that other
    locals were read from. ``unreadable``: the parts of announcements and endings that nobody can read (True), or
    nobody but one player although all are told. ``unclear``: the choices of which the
    player who chooses may not know which one it is, or what its effect was given: a branch or a loop that may depend on
    something hidden leads to it, or to another that may look the same."""

    sites: dict[int, Levels] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    at_times: list[tuple[str, int | None]] = field(default_factory=list)
    unseen: dict[int, frozenset[tuple[int, int]]] = field(default_factory=dict)
    telling: set[int] = field(default_factory=set)
    tellers: dict[Teller, Levels] = field(default_factory=dict)
    unreadable: dict[Span, bool] = field(default_factory=dict)
    unclear: set[int] = field(default_factory=set)


def knowledge_of(program: core.Program) -> Knowledge:
    """Who knows what in the routines of a program. Kept beside its fields, and with it wherever it is kept: to find it
    out takes longer than to read a program."""
    kept = program.__dict__
    if KEPT not in kept:
        kept[KEPT] = _Knowledge(program).found
    found: Knowledge = kept[KEPT]
    return found


def players_in(program: core.Program, slots: set[int], levels: Levels) -> set[int]:
    """The locals that hold the players who know these locals."""
    at_times = knowledge_of(program).at_times
    found = {at_times[AT_TIMES - one][1] if one <= AT_TIMES else one for s in slots for one in levels.get(s, ALL)}
    return {one for one in found if one is not None and one >= 0}


class _Knowledge:
    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.found = Knowledge()
        self.queries: dict[str, Level] = {}
        self.selections: dict[str, Level] = {}
        self.looks: dict[core.Expr, tuple[frozenset[int], bool]] = {}
        self.written = {name: self._written_in(name, set()) for name in program.effects}
        self.true: set[str] = set()  # variables that are certainly true at this statement
        self.hidden_zones = {name for name, zone in program.zones.items() if zone.visible.constant != "all"}
        self.hidden_kinds = {program.zones[name].holds for name in self.hidden_zones}
        self.params: dict[str, Levels] = {name: {} for name in program.effects}
        self.changed: set[str] = set()  # effects that were given what they had not been given before
        self.branch: Level = ALL  # what it takes to know that the statement at hand is carried out
        self.entered: list[Level] = []  # the same of each branch around it in its routine, from the outside
        self.named_in: dict[str, int] = {}  # how many of them are around the `let` of a name that is written
        self.stops: Level = ALL  # what it takes to know whether the loop round the statement at hand is left
        self.branches: dict[str, Level] = dict.fromkeys(program.effects, ALL)  # the same for the calls of each effect
        self.calls: dict[str, set[core.CallEffect]] = {name: set() for name in program.effects}
        self.mixed: set[str] = set()  # effects whose arguments depend on which of several calls it is
        self.effect: str | None = None  # the one at hand
        self.hidden: dict[core.Ask | core.AskMany, str | None] = {}  # choices in hidden branches, with their effect
        self.value_names = {"none", "true", "false", *(entity.name for entity in program.entities)}
        self.value_names |= {value.name for enum in program.enums.values() for value in enum.values}
        self.value_names |= {f"P{number}" for number in range(1, program.max_players + 1)}
        for phase in (program.setup, *program.phases):
            self._phase(phase)
        todo = set(program.effects)
        while todo:
            self.changed = set()
            for name, effect in program.effects.items():
                if name in todo:
                    self._effect(effect)
            todo = self.changed
        self._find_unclear()

    def _phase(self, phase: core.Phase) -> None:
        with self._branch(*(self._way(condition, {}) for condition in (phase.condition, phase.repeat))):
            self._body(phase.body, {})
            for part in phase.children:
                self._phase(part)

    def _effect(self, effect: core.Effect) -> None:
        self.effect = effect.name
        params = self.params[effect.name]
        instead = [self._way(rule.condition, params) for rule in effect.instead]
        with self._branch(self.branches[effect.name]):
            for rule in effect.when:
                with self._branch(self._way(rule.condition, params)):
                    self._body(rule.body, params)
            with self._branch(*instead):
                for body in (effect.body, *(rule.body for rule in effect.instead)):
                    self._body(body, params)

    def _body(self, body: Block, params: Levels) -> None:
        levels = dict(params)
        lets = Counter(stmt.slot for stmt in core.statements_in(body) if isinstance(stmt, core.Let))
        self.given_once = {slot for slot, times in lets.items() if times == 1}
        self.true = set()
        self._block(body, levels)
        if any(isinstance(stmt, core.ForEach | core.Repeat) for stmt in core.statements_in(body)):
            self.true = set()
            self._block(body, levels)  # what a loop leaves for its next pass

    def _written_in(self, effect: str, seen: set[str]) -> set[str]:
        """The places that an effect may change, itself or by what it calls."""
        seen.add(effect)
        found: set[str] = set()
        for body in core.bodies_of(self.program.effects[effect]):
            for stmt in core.statements_in(body):
                if not isinstance(stmt, core.CallEffect):
                    found |= written_by(stmt, self.program.zones)
                elif stmt.effect not in seen:
                    found |= self._written_in(stmt.effect, seen)
        return found

    def _written_by(self, stmt: core.Stmt) -> set[str]:
        """The places that a statement may change, but for what stands inside of it."""
        return self.written[stmt.effect] if isinstance(stmt, core.CallEffect) else written_by(stmt, self.program.zones)

    def _written_inside(self, stmt: core.Stmt) -> set[str]:
        """The places that the blocks of a statement may change."""
        inside = (one for block in core.blocks(stmt) for one in core.statements_in(block))
        return set[str]().union(*map(self._written_by, inside))

    # ------------------------------------------------------------ branches

    @contextmanager
    def _branch(self, *ways: Level) -> Iterator[None]:
        """Go through statements that are carried out only under some conditions."""
        outer = self.branch
        self.branch = joined(outer, *ways)
        self.entered.append(joined(*ways))
        try:
            yield
        finally:
            self.branch = outer
            self.entered.pop()

    def _way(self, condition: core.Expr | None, levels: Levels) -> Level:
        """What it takes to know whether a condition holds, or what else decides which way the rules take."""
        found = ALL if condition is None else self.level(condition, levels)
        return frozenset(OF_ZONE - one if _is_zone(one) else -1 if one in (-2, -3) else one for one in found)

    def _note_branch(self, ask: core.Ask | core.AskMany) -> None:
        """Note a choice if the one who chooses may not know that the rules take the branch in which it stands."""
        chooser = ask.chooser.slot if isinstance(ask.chooser, core.Local) else None
        who = (self._owner(one) if one <= AT_TIMES else one for one in self.branch)
        if any(chooser is None or one != chooser for one in who):
            self.hidden[ask] = self.effect

    def _find_unclear(self) -> None:
        """Find the choices in branches that may be hidden, with all that may look the same; not one that looks like no
        other."""
        program = self.program
        bodies = [phase.body for phase in core.phases_in((program.setup, *program.phases))]
        bodies += [body for effect in program.effects.values() for body in core.bodies_of(effect)]
        stmts = [stmt for body in bodies for stmt in core.statements_in(body)]
        looks = {stmt: self._look_of(stmt) for stmt in stmts if isinstance(stmt, core.Ask | core.AskMany)}
        for ask, effect in self.hidden.items():
            given = program.effects[effect].params if effect in self.mixed else ()
            knows_given = all(isinstance(ask.chooser, core.Local) and one.slot == ask.chooser.slot for one in given)
            alike = {one.site for one in looks if one is not ask and looks[one].may_be(looks[ask])}
            if not knows_given or alike:
                self.found.unclear.update(alike, [ask.site])

    def _look_of(self, ask: core.Ask | core.AskMany) -> _Look:
        """How a choice looks to the one who chooses, as far as that is fixed."""
        words = "".join(part if isinstance(part, str) else "\0" for part in ("\1", *ask.prompt.parts, "\1"))
        if isinstance(ask, core.AskMany):
            names = {_VALUE, "done"}
        else:
            names = {one.name or (_NUMBER if _is_number(one) else _VALUE) for one in ask.alternatives}
        if not names.isdisjoint(self.value_names):
            names.add(_VALUE)
        return _Look(words.partition("\0")[0], words.rpartition("\0")[2], frozenset(names))

    # ------------------------------------------------------------ statements

    def _block(self, block: Block, levels: Levels) -> None:
        for stmt in block:
            self._statement(stmt, levels)
            self._change(self._written_by(stmt), levels)
            if isinstance(stmt, core.SetCell) and _is_made_true(stmt):
                self.true.add(stmt.place)

    def _note(self, slot: int, level: Level, levels: Levels) -> None:
        level = self._closed(level)
        levels[slot] = level if slot in self.given_once else joined(levels.get(slot, ALL), level)

    def _closed(self, level: Level) -> Level:
        """A level without the places that are certainly open to everybody at this statement."""
        return frozenset(one for one in level if one > AT_TIMES or not self._is_open_here(self._place(one)))

    def _is_open_here(self, place: str) -> bool:
        is_place = place[:1] not in (COMPONENT, WHERE)
        return is_place and _holds_if(self.program.place(place).visible.condition, self.true)

    def _change(self, places: set[str], levels: Levels) -> None:
        """Places change. Of what was read in one that may have been closed only its owner is sure, from here on."""

        def after(one: int) -> int:
            if one > AT_TIMES or self._place(one).removeprefix(WHERE) not in places:
                return one
            owner = self._owner(one)
            return -1 if owner is None else owner

        for slot, level in levels.items():
            if any(one <= AT_TIMES for one in level):
                levels[slot] = frozenset(map(after, self._closed(level)))
        self.true -= places

    def _statement(self, stmt: core.Stmt, levels: Levels) -> None:
        match stmt:
            case core.Let(slot=slot, value=value):
                self._note(slot, self._held(value, levels), levels)
            case core.ForEach(slot=slot, source=source, condition=condition):
                chosen = ALL if condition is None else self._read(condition, levels)
                self._note(slot, joined(self._held(source, levels), chosen), levels)
            case core.Random(slot=slot, secret=secret, actor=actor):
                drawn = SEEING if stmt.origin.part == UNSEEN else self._of(actor, levels)
                self._note(slot, drawn if secret else ALL, levels)
            case core.AskMany():
                self._asks_many(stmt, levels)
            case core.Ask():
                self._asks(stmt, levels)
            case core.CallEffect():
                self._call(stmt, levels)
            case core.Announce() | core.EndGame():
                self._tells(stmt, levels)
            case core.SetCell(place=place, value=value):
                if stmt.origin.maker == LETS:
                    self.named_in[place] = len(self.entered)
                branches = self.entered[self.named_in.get(place, len(self.entered)) :]
                if self._closed(joined(self.level(value, levels), *branches)):
                    self.found.given.add(place)
            case _:
                levels |= dict.fromkeys(core.binds(stmt), NOBODY)
        written = self._written_inside(stmt)
        if isinstance(stmt, core.ForEach | core.Repeat):
            self._change(written, levels)  # by a pass before
        true = set(self.true)
        self._inside(stmt, levels)
        self.true = true - written

    def _inside(self, stmt: core.Stmt, levels: Levels) -> None:
        """The blocks of a statement."""
        ways = self._ways(stmt, levels)
        outer, true = self.stops, set(self.true)
        if isinstance(stmt, core.Stop):
            self.stops = joined(outer, self.branch)
        elif isinstance(stmt, core.ForEach | core.Repeat):
            self.stops = ALL
            with self._branch(*ways):
                self._block(stmt.body, levels)
            if self.stops - self.branch:
                self.true = set(true)
                with self._branch(*ways, self.stops):
                    self._block(stmt.body, levels)
            self.stops = outer
        else:
            for block, way in zip(core.blocks(stmt), ways, strict=False):
                self.true = set(true)
                with self._branch(way):
                    self._block(block, levels)

    def _ways(self, stmt: core.Stmt, levels: Levels) -> Sequence[Level]:
        """What it takes to know whether each block of a statement is carried out; for a loop, its passes."""
        match stmt:
            case core.If(branches=branches):
                way = joined(*(self._way(condition, levels) for condition, _ in branches))
            case core.DoByCard(card=card):
                way = self._way(card, levels)
            case core.ForEach(source=source, condition=condition) | core.Random(domain=source, condition=condition):
                way = joined(self._way(source, levels), self._way(condition, levels))
            case core.Repeat(times=times, condition=condition):
                way = joined(self._way(times, levels), self._way(condition, levels))
            case core.Ask():
                return self._answers(stmt, levels)
            case _:
                way = ALL
        return [way] * len(core.blocks(stmt))

    def _answers(self, ask: core.Ask, levels: Levels) -> Sequence[Level]:
        """What it takes to know which alternative was chosen, and that there was none."""
        offered = joined(*(self._way(part, levels) for one in ask.alternatives for part in _offered(one)))
        is_open = len(ask.alternatives) == 1 and not offered
        found = []
        for one in ask.alternatives:
            is_secret = ask.site in self.program.private_sites or any(variable.secret for variable in one.vars)
            is_told = is_open or not (is_secret or is_pass(one))
            found.append(ALL if is_told else self._of(ask.chooser, levels))
        return [*found, offered]

    def _asks(self, ask: core.Ask, levels: Levels) -> None:
        self._note_branch(ask)
        found = set()
        for number, alternative in enumerate(ask.alternatives):
            for n, var in enumerate(alternative.vars):
                unseen = self._is_unseen(ask, var.domain, var.condition, levels)
                if unseen:
                    found.add((number, n))
                self._note(var.slot, self._picked(ask, var.secret, unseen, levels), levels)
            if any(self.level(part, levels) for part in _offered(alternative)):
                self.found.telling.add(ask.site)
        self.found.unseen[ask.site] = frozenset(found)
        _keep(self.found.sites, ask.site, levels)

    def _asks_many(self, ask: core.AskMany, levels: Levels) -> None:
        self._note_branch(ask)
        unseen = self._is_unseen(ask, ask.source, ask.condition, levels)
        self.found.unseen[ask.site] = frozenset({(0, 0)} if unseen else ())
        if self._listed(ask.source, ask.condition, levels):
            self.found.telling.add(ask.site)
        self._note(ask.slot, self._picked(ask, ask.secret, unseen, levels), levels)
        _keep(self.found.sites, ask.site, levels)

    def _picked(self, ask: core.Ask | core.AskMany, secret: bool, unseen: bool, levels: Levels) -> Level:
        """Who knows what was chosen: everybody is told, unless it is secret, or a component that can't be seen."""
        is_told = not secret and ask.site not in self.program.private_sites
        return joined(ALL if is_told else self._of(ask.chooser, levels), SEEING if unseen else ALL)

    def _is_unseen(
        self, ask: core.Ask | core.AskMany, domain: core.Expr, condition: core.Expr | None, levels: Levels
    ) -> bool:
        """Whether a choice may offer components that the one who chooses can't see."""
        if not is_component(domain.type):
            return False
        (chooser, *_) = self._of(ask.chooser, levels)
        return not all(
            self._owner(one) == chooser if one <= AT_TIMES else one in (chooser, OF_ZONE - chooser)
            for one in self._listed(domain, condition, levels)
            if one > AT_TIMES or self._place(one)[:1] != WHERE  # where others lie doesn't hide these
        )

    def _tells(self, stmt: Teller, levels: Levels) -> None:
        """Notes a text that speaks of what not everybody knows."""
        text = stmt.text if isinstance(stmt, core.Announce) else stmt.reason
        parts = [part for part in (() if text is None else text.parts) if not isinstance(part, str)]
        found = {part.span: self._closed(self.level(part, levels)) for part in parts}
        if not any(found.values()):
            return
        _keep(self.found.tellers, stmt, levels)
        is_for_all = isinstance(stmt, core.EndGame) or stmt.to is None
        for span, level in found.items():
            if -1 in level:
                self.found.unreadable[span] = True
            elif is_for_all and any(one >= 0 or _is_zone(one) for one in level):
                self.found.unreadable.setdefault(span, False)

    @staticmethod
    def _of(player: core.Expr | None, levels: Levels) -> Level:
        """The level of what a player alone knows."""
        if isinstance(player, core.Local) and not levels.get(player.slot, ALL):
            return frozenset({player.slot})
        return NOBODY

    def _call(self, call: core.CallEffect, levels: Levels) -> None:
        """What an effect is given, it knows as little of as its caller."""
        params = self.program.effects[call.effect].params
        names = {
            arg.slot: param.slot
            for arg, param in zip(call.args, params, strict=True)
            if isinstance(arg, core.Local) and (isinstance(arg.type, PlayerType) or is_component(arg.type))
        }
        known = self.params[call.effect]
        branch = joined(self.branches[call.effect], self._renamed(self.branch, names))
        if branch != self.branches[call.effect]:
            self.branches[call.effect] = branch
            self.changed.add(call.effect)
        calls = self.calls[call.effect]
        calls.add(call)
        if call.effect not in self.mixed and branch and (len(calls) > 1 or self.effect in self.mixed):
            self.mixed.add(call.effect)
            self.changed.add(call.effect)
        for arg, param in zip(call.args, params, strict=True):
            level = self._renamed(self._closed(self._held(arg, levels)), names)
            after = joined(known.get(param.slot, ALL), level)
            if after != known.get(param.slot, ALL):
                known[param.slot] = after
                self.changed.add(call.effect)

    def _owner(self, one: int) -> int | None:
        """The slot of the player who sees a part of a place that opens at times."""
        return self.found.at_times[AT_TIMES - one][1]

    def _place(self, one: int) -> str:
        """The place that opens at times, or ``COMPONENT``."""
        return self.found.at_times[AT_TIMES - one][0]

    def _opening(self, place: str, owner: int | None) -> int:
        """What it takes to know a part of a place that opens at times."""
        found = self.found.at_times
        if (place, owner) not in found:
            found.append((place, owner))
        return AT_TIMES - found.index((place, owner))

    def _renamed(self, level: Level, names: Mapping[int, int]) -> Level:
        """A level with the players of one routine in the words of another."""

        def renamed(one: int) -> int:
            if one >= 0:
                return names.get(one, -1)
            if one <= AT_TIMES:
                place, owner = self.found.at_times[AT_TIMES - one]
                given = None if owner is None else names.get(owner)
                return -1 if place == COMPONENT and given is None else self._opening(place, given)
            return one

        return frozenset(map(renamed, level))

    # ------------------------------------------------------------ values

    def _listed(self, source: core.Expr, condition: core.Expr | None, levels: Levels) -> Level:
        """What it takes to know the items of a list for which a condition holds."""
        level = self.level(source, levels)
        return level if condition is None else joined(level, self.level(condition, levels))

    def _held(self, expr: core.Expr, levels: Levels) -> Level:
        """What it takes to know a local that is given a value. A component that was found in a zone is known to whoever
        sees it and knows all that was read to select it."""
        if is_component(expr.type):
            return self._selected(expr, levels)
        return held(self._closed(self.level(expr, levels)))

    def _read(self, expr: core.Expr, levels: Levels) -> Level:
        """What a value by which a component is selected adds to what it takes to know that component."""
        level = self._closed(self.level(expr, levels))
        return joined(held(level), SEEING if level >= LOCATED else ALL)

    def _selected(self, expr: core.Expr, levels: Levels) -> Level:
        """What it takes to know a component, or a list of them: the parts that it may come from, which one sees, and
        the parts that are read to select it."""
        slots, hidden = self._looks(expr)
        if not hidden and not any(map(levels.get, slots)):
            return ALL
        match expr:
            case core.Local(slot=slot):
                return levels.get(slot, ALL)
            case core.Named(slot=slot, value=value, body=body):
                inner = self._selected(body, {**levels, slot: self._held(value, levels)})
                return self._outside(inner, slot, self._read(value, levels))
            case core.CallQuery(query=name, args=args):
                return joined(
                    self._query(self._selected_by(name), args, levels), *(self._held(arg, levels) for arg in args)
                )
            case core.ReadZone(zone=name, indices=indices):
                seen = self._closed(self._seen(self.program.place(name), indices, levels))
                return joined(SEEING if seen else ALL, *(self._read(index, levels) for index in indices))
            case core.CallBuiltin() if (end := self._end(expr, levels)) is not None:
                return joined(held(end - SEEING), end & SEEING)
        sources = self._sources(expr)
        inner = joined(
            *(
                self._selected(part, levels) if part in sources else self._read(part, levels)
                for part in core.children(expr)
            )
        )
        if isinstance(expr, core.ReadCell):
            inner |= self._seen(self.program.place(expr.place), expr.indices, levels)
        return self._outside(inner, expr.slot, NOBODY) if isinstance(expr, core.LOOPS) else inner

    @staticmethod
    def _sources(expr: core.Expr) -> tuple[core.Expr, ...]:
        """The parts of an expression that a component, or a list of them, may come from; the others are read."""
        match expr:
            case core.MapList(body=core.Local(slot=slot), source=source) if slot == expr.slot:
                return (source, expr.body)
            case core.MapList(body=body) | core.Concat(body=body):
                return (body,)
            case core.Filter(source=source) | core.Leading(source=source):
                return (source,)
            case core.Extreme(source=source) | core.Distinct(source=source) | core.Sorted(source=source):
                return (source,)
            case core.IfExpr(then=then, otherwise=otherwise):
                return (then, otherwise)
            case core.ByCard(cases=cases, otherwise=otherwise):
                return (otherwise, *(value for _, value in cases))
            case core.Binary(op="except" | "intersect", left=left):
                return (left,)
            case core.Binary(left=left, right=right):
                return (left, right)
            case core.ListLit(items=items):
                return items
            case core.CallBuiltin(args=(first, *_)):
                return (first,)
        return ()

    def _outside(self, level: Level, slot: int, known: Level) -> Level:
        """A level outside of the expression that gives a value to a slot. ``known``: what it takes to know that."""
        found = ALL
        for one in level:
            if one == slot:
                found |= NOBODY
            elif one > AT_TIMES or self._owner(one) != slot:
                found |= {one}
            elif self._place(one) != WHERE:  # who sees a component sees where it lies
                found |= known if self._place(one) == COMPONENT else {self._opening(self._place(one), None)}
        return found

    def level(self, expr: core.Expr, levels: Levels) -> Level:
        """What it takes to know a value."""
        slots, hidden = self._looks(expr)
        if not hidden and not any(map(levels.get, slots)):
            return ALL
        if isinstance(expr, core.Named):
            body = self.level(expr.body, {**levels, expr.slot: self._held(expr.value, levels)})
            return self._leave(body, expr.slot, expr.value, levels, -2)
        inner = joined(*(self.level(part, levels) for part in core.children(expr)))
        if isinstance(expr, core.LOOPS) and any(expr.slot in (one, OF_ZONE - one) for one in inner):
            return NOBODY  # what each of several players knows
        if isinstance(expr, core.LOOPS):
            inner = self._leave(inner, expr.slot, expr.source, levels, None)
        program = self.program
        match expr:
            case core.Local(slot=slot):
                level = levels.get(slot, ALL)
                if is_component(expr.type) and -2 in level:
                    return level - SEEING | {self._opening(COMPONENT, slot)}
                return level
            case core.CallBuiltin() if (end := self._end(expr, levels)) is not None:
                return end
            case core.CallBuiltin(name="count", args=(core.ReadZone(indices=indices),)):
                return joined(*(self.level(index, levels) for index in indices))
            case core.ReadZone(zone=name, indices=indices):
                zone = program.place(name)
                if zone.visible.constant == "all":
                    return inner
                seen = self._seen(zone, indices, levels)
                return joined(inner, frozenset(map(_in_zone, seen)))
            case (
                core.ReadCell(place=name, indices=indices)
                | core.PoolKinds(zone=name, indices=indices)
                | core.PoolTotal(zone=name, indices=indices)
            ):
                place = program.place(name)
                return joined(inner, self._seen(place, indices, levels))
            case core.LiesIn(zone=name) if program.zones[name].visible.constant == "all":
                return inner  # what lies there is seen, and so is what doesn't
            case core.LiesIn(component=component) | core.IndexOfPlace(component=component):
                where = self._whereabouts(component, levels)
                return inner if where is None else joined(inner, LOCATED, where)
            case core.CallQuery(query=name, args=args):
                return joined(inner, self._query(self._of_query(name), args, levels))
        return inner

    def _leave(self, level: Level, slot: int, value: core.Expr, levels: Levels, opening: int | None) -> Level:
        """A level outside of the expression in which a slot holds a value, or one item of it after the other.
        ``opening``: what becomes of a part that opens at times, None: its part of no player."""
        found = ALL
        for one in level:
            if one > AT_TIMES or self._owner(one) != slot:
                found |= {one}
            elif self._place(one) == WHERE:
                found |= self._whereabouts(value, levels) or ALL
            else:
                found |= {self._opening(self._place(one), None) if opening is None else opening}
        return found

    def _whereabouts(self, component: core.Expr, levels: Levels) -> Level | None:
        """What it takes to know where a component lies, besides knowing which it is; None: everybody does."""
        if not self._may_be_hidden(component):
            return None
        if zones_of(component) is not None:
            return ALL
        match component:
            case core.Local(slot=slot):
                return frozenset({self._opening(WHERE, slot)})
            case core.Const(value=int(number)):
                return frozenset({self._opening(f"{WHERE}{number}", None)})
            case core.ReadCell(place=place, indices=()):
                return frozenset({self._opening(WHERE + place, None)})
            case core.Const():
                return frozenset({self._opening(WHERE, None)})
        return ALL

    def _may_be_hidden(self, component: core.Expr) -> bool:
        """Whether a component, or one of a list, may lie in a zone that is not always open."""
        zones = zones_of(component)
        if zones is not None:
            return not zones.isdisjoint(self.hidden_zones)
        kind = component.type.item if isinstance(component.type, ListType | OptionalType) else component.type
        return kind in self.hidden_kinds

    def _looks(self, expr: core.Expr) -> tuple[frozenset[int], bool]:
        """The slots that an expression reads, and whether it may read what is hidden from somebody."""
        found = self.looks.get(expr)
        if found is None:
            parts = [self._looks(part) for part in core.children(expr)]
            slots = frozenset({expr.slot}) if isinstance(expr, core.Local) else ALL
            hidden = any(hides for _, hides in parts) or self._may_hide(expr)
            found = self.looks[expr] = slots.union(*(part for part, _ in parts)), hidden
        return found

    def _may_hide(self, expr: core.Expr) -> bool:
        """Whether an expression itself may read what is hidden from somebody."""
        match expr:
            case core.ReadZone(zone=name) if name in self.program.zones:
                return any(shown.constant != "all" for shown in self.program.zones[name].visibilities)
            case (
                core.ReadZone(zone=name)
                | core.ReadCell(place=name)
                | core.PoolKinds(zone=name)
                | core.PoolTotal(zone=name)
            ):
                return self.program.place(name).visible.constant != "all"
            case core.LiesIn(component=component) | core.IndexOfPlace(component=component):
                return self._may_be_hidden(component)
            case core.CallQuery(query=name):
                return bool(self._of_query(name))
        return False

    def _end(self, expr: core.Expr, levels: Levels) -> Level | None:
        """What it takes to know the component at an end of a zone which shows it to more than its content."""
        read = core.end_read(expr)
        if read is None or len(self.program.zones[read[0].zone].visibilities) == 1:
            return None
        zone, indices = self.program.zones[read[0].zone], read[0].indices
        inner = joined(*(self.level(index, levels) for index in indices))
        if zone.shown_at(read[1]).constant == "all":
            return inner
        return joined(inner, SEEING)

    def _query(self, level: Level, args: tuple[core.Expr, ...], levels: Levels) -> Level:
        """What it takes to know what a query reads by itself, from the same in the words of the query."""
        found = ALL
        for one in level:
            slot = OF_ZONE - one if _is_zone(one) else self._owner(one) if one <= AT_TIMES else one
            given = self._of(args[slot], levels) if slot is not None and 0 <= slot < len(args) else NOBODY
            (player,) = given
            if _is_zone(one):
                found |= SEEING if given == NOBODY else {OF_ZONE - player}
            elif one <= AT_TIMES and self._place(one) == COMPONENT:
                found |= NOBODY if slot is None or slot >= len(args) else self._read(args[slot], levels)
            elif one <= AT_TIMES and self._place(one) == WHERE and slot is not None:
                # another slot is that of a card whose own rule changes the value: such cards are in play
                found |= (self._whereabouts(args[slot], levels) or ALL) if slot < len(args) else ALL
            elif one <= AT_TIMES:
                found |= {self._opening(self._place(one), None if given == NOBODY else player)}
            else:
                found |= given if one >= 0 else {one}
        return found

    def _of_query(self, name: str) -> Level:
        """What it takes to know what a query reads by itself, in its own words."""
        if name not in self.queries:
            query = self.program.queries[name]
            bodies = [query.value, *(part for m in query.modifiers for part in (m.condition, m.value))]
            self.queries[name] = joined(*(self.level(body, {}) for body in bodies))
        return self.queries[name]

    def _selected_by(self, name: str) -> Level:
        """What it takes to know the components that a query finds, in its own words."""
        if name not in self.selections:
            query = self.program.queries[name]
            params: Levels = {param.slot: SEEING for param in query.params if is_component(param.type)}
            conditions = [self._read(modifier.condition, params) for modifier in query.modifiers]
            values = [query.value, *(modifier.value for modifier in query.modifiers)]
            self.selections[name] = joined(*conditions, *(self._selected(value, params) for value in values))
        return self.selections[name]

    def _seen(
        self, place: core.Variable | core.Pool | core.CardZone, indices: tuple[core.Expr, ...], levels: Levels
    ) -> Level:
        """Who sees the content of a place."""
        visible, dims = place.visible, place.dims
        if visible.constant == "all":
            return ALL
        owner = next((i for i, dim in zip(indices, dims, strict=False) if isinstance(dim.type, PlayerType)), None)
        if visible.constant == "owner" and not any(isinstance(dim.type, PlayerType) for dim in dims):
            return ALL
        if visible.constant is not None:
            return self._of(owner, levels) if visible.constant == "owner" else NOBODY
        (slot,) = self._of(owner, levels) if _shows_owner(visible.condition) else NOBODY
        return frozenset({self._opening(place.name, slot if slot >= 0 else None)})


def _in_zone(one: int) -> int:
    """What it takes to know the components of a zone, from what it takes to see its content."""
    return OF_ZONE - one if one >= 0 else one if one <= AT_TIMES else -2


def _keep(store: dict[Key, Levels], key: Key, levels: Levels) -> None:
    """Keeps who knows the locals at a place: what it takes to know them whenever it is come to."""
    kept = store.setdefault(key, {})
    for slot, level in levels.items():
        kept[slot] = joined(kept.get(slot, ALL), level)


def _is_made_true(stmt: core.SetCell) -> bool:
    """Whether a variable without indices is set to true."""
    return not stmt.indices and stmt.op == "set" and isinstance(stmt.value, core.Const) and stmt.value.value is True


def _holds_if(condition: core.Expr | None, true: set[str]) -> bool:
    """Whether a condition holds wherever these variables are true."""
    match condition:
        case core.Binary(op="or", left=left, right=right):
            return _holds_if(left, true) or _holds_if(right, true)
        case core.ReadCell(place=place, indices=()):
            return place in true
    return False


def _shows_owner(condition: core.Expr | None) -> bool:
    """Whether a visibility is `viewer is owner or …`."""
    match condition:
        case core.Binary(op="or", left=left, right=right):
            return _shows_owner(left) or _shows_owner(right)
        case core.Binary(op="=", left=core.Local(slot=left_slot), right=core.Local(slot=right_slot)):
            return {left_slot, right_slot} == {0, 1}
    return False


class _Look(NamedTuple):
    """What is fixed in a prompt and its options: how the prompt begins and ends, with a mark before and behind it, and
    the names of its alternatives. ``_NUMBER``, ``_VALUE``: the name of a value stands there instead."""

    start: str
    end: str
    names: frozenset[str]

    def may_be(self, other: _Look) -> bool:
        """Whether the other choice may look the same."""
        is_start = self.start.startswith(other.start) or other.start.startswith(self.start)
        is_end = self.end.endswith(other.end) or other.end.endswith(self.end)
        return is_start and is_end and not self.names.isdisjoint(other.names)


def _is_number(alternative: core.Alternative) -> bool:
    """Whether the options of an alternative are called by a number first."""
    return bool(alternative.vars) and isinstance(_item(alternative.vars[0].domain.type), IntType)


def _item(type: Type) -> Type:
    return type.item if isinstance(type, ListType) else type


def is_pass(alternative: core.Alternative) -> bool:
    """Whether an answer to a window is its own `pass`."""
    return alternative.name == "pass" and not alternative.vars and not alternative.conditions


def _offered(alternative: core.Alternative) -> Iterator[core.Expr]:
    """What decides whether an alternative is offered, and with which values."""
    yield from alternative.conditions
    for variable in alternative.vars:
        yield variable.domain
        if variable.condition is not None:
            yield variable.condition


def is_component(type: Type) -> bool:
    """Whether a value is a component, or a list of them."""
    if isinstance(type, ListType | OptionalType):
        return is_component(type.item)
    return isinstance(type, ComponentType)
