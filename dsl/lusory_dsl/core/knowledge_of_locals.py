"""Find out who knows the values of the locals of a routine.

The analysis runs once for a program. Lints use it, and so does the code that shows events and choices to a seat.

A local has no visibility of its own. Its value was read, chosen or drawn somewhere, and knowing it may require several
things. One is to be the player in another local, such as ``me``, who looked at a hand. Another is to see the component
in the local. The analysis reads statements and follows calls of effects. It looks at no position, and counts a doubtful
value as unknown. Its results decide which options, prompts and announcements a seat may see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from .. import core
from ..source.lazy_dataclass import dataclass, field
from ..source.source import Span
from ..types.types import ComponentType, IntType, ListType, OptionalType, PlayerType, Type
from .constant_analysis import written_by
from .provenance import LETS, UNSEEN
from .triggers import zones_of

Level = frozenset[int]
"""The requirements for knowing a value: a set of codes that must all be met.

A slot number requires being the player in that slot. The constants below define the negative codes.
"""

ALL: Level = frozenset()
NOBODY: Level = frozenset({-1})  # nobody meets this
SEEING: Level = frozenset({-2})  # on a component: seeing the zone that holds it; on any other value: nobody meets this
LOCATED: Level = frozenset({-3})  # on a component found by its location: seeing it; see ``WHERE``
# codes from here down to ``AT_TIMES``: read in a zone whose content the player in slot ``OF_ZONE - code`` sees
OF_ZONE = -4
# this code and below: seeing place number ``AT_TIMES - code`` in ``Knowledge.at_times``, whose visibility changes
AT_TIMES = -1000
COMPONENT = ""
"""In place of a place's name: the seat sees the component, or the whole list, in the slot beside it."""
WHERE = "@"
"""In place of a place's name: the value tells where the component in that slot is.

Instead of a slot, the number of a component, or the variable that holds one, may follow the sign. With neither, nobody
meets the requirement.
"""

Levels = dict[int, Level]
Block = tuple[core.Stmt, ...]
Teller = core.Announce | core.EndGame
Key = TypeVar("Key")
KEPT = "knowledge"

_VALUE, _NUMBER = "?", "0"  # no alternative has such a name


def joined(*levels: Level) -> Level:
    """Return the requirements for a value that combines several values."""
    return ALL.union(*levels)


def held(level: Level) -> Level:
    """Return the requirements for a local that holds a value of this level. The value is no component.

    A value that was read in a zone is known to the player who sees the zone's content.
    """
    return frozenset(OF_ZONE - one if _is_zone(one) else -1 if one == -2 else one for one in level - LOCATED)


def _is_zone(one: int) -> bool:
    return AT_TIMES < one <= OF_ZONE


@dataclass(frozen=True)
class Knowledge:
    """The knowledge of the players about the locals of a program.

    Attributes:
        sites: Choice site -> the requirements for the locals of its routine. Everyone knows a slot that is left out.
        given: Variables that are assigned a value that not everyone knows.
        at_times: Pairs of a place and a slot. The place was read and has a conditional visibility, and the player in
            the slot always sees their part of it. Instead of a place, ``COMPONENT`` or ``WHERE`` marks a slot with a
            component that other locals were read from.
        unseen: Choice site -> (alternative, variable) numbers of variables over components that the chooser may not
            see.
        telling: Sites of choices that reveal something by being offered.
        tellers: Announcements and endings with values that not everyone knows, and the requirements for the locals
            there.
        unreadable: Parts of announcements and endings. True: nobody can read them. False: only one player can, although
            the text is for everyone.
        unclear: Sites of choices that the chooser may be unable to identify. They are in a branch or loop that depends
            on hidden information, or look the same as such a choice.
    """

    sites: dict[int, Levels] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    at_times: list[tuple[str, int | None]] = field(default_factory=list)
    unseen: dict[int, frozenset[tuple[int, int]]] = field(default_factory=dict)
    telling: set[int] = field(default_factory=set)
    tellers: dict[Teller, Levels] = field(default_factory=dict)
    unreadable: dict[Span, bool] = field(default_factory=dict)
    unclear: set[int] = field(default_factory=set)


def knowledge_of(program: core.Program) -> Knowledge:
    """Return who knows what in the routines of a program.

    The result is cached in the program itself, because it takes longer to compute than a program takes to load.
    """
    kept = program.__dict__
    if KEPT not in kept:
        kept[KEPT] = _Knowledge(program).found
    found: Knowledge = kept[KEPT]
    return found


def players_in(program: core.Program, slots: set[int], levels: Levels) -> set[int]:
    """Return the slots of the players who know the locals ``slots``."""
    at_times = knowledge_of(program).at_times
    found = {at_times[AT_TIMES - one][1] if one <= AT_TIMES else one for s in slots for one in levels.get(s, ALL)}
    return {one for one in found if one is not None and one >= 0}


class _Knowledge:
    """Run the analysis. Effects are analysed again until the requirements for their parameters are stable."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.found = Knowledge()
        self.queries: dict[str, Level] = {}
        self.selections: dict[str, Level] = {}
        self.looks: dict[core.Expr, tuple[frozenset[int], bool]] = {}
        self.written = {name: self._written_in(name, set()) for name in program.effects}
        self.true: set[str] = set()  # variables that are certainly True at the current statement
        self.hidden_zones = {name for name, zone in program.zones.items() if zone.visible.constant != "all"}
        self.hidden_kinds = {program.zones[name].holds for name in self.hidden_zones}
        self.params: dict[str, Levels] = {name: {} for name in program.effects}
        self.changed: set[str] = set()  # effects with new requirements for their parameters in this iteration
        self.branch: Level = ALL  # requirements for knowing that the current statement runs
        self.entered: list[Level] = []  # the same for each enclosing branch of the routine, outermost first
        self.named_in: dict[str, int] = {}  # number of branches around the `let` of each name that the author wrote
        self.stops: Level = ALL  # requirements for knowing whether the enclosing loop was left early
        # the same as ``branch`` for the calls of each effect
        self.branches: dict[str, Level] = dict.fromkeys(program.effects, ALL)
        self.calls: dict[str, set[core.CallEffect]] = {name: set() for name in program.effects}
        self.mixed: set[str] = set()  # effects whose arguments depend on which of several calls runs
        self.effect: str | None = None  # the current effect
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
            self._block(body, levels)  # Run again, to cover what one pass of a loop leaves for the next.

    def _written_in(self, effect: str, seen: set[str]) -> set[str]:
        """Return the places that an effect may change, directly or through calls."""
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
        """Return the places that a statement may change, without its nested blocks."""
        return self.written[stmt.effect] if isinstance(stmt, core.CallEffect) else written_by(stmt, self.program.zones)

    def _written_inside(self, stmt: core.Stmt) -> set[str]:
        """Return the places that the blocks of a statement may change."""
        inside = (one for block in core.blocks(stmt) for one in core.statements_in(block))
        return set[str]().union(*map(self._written_by, inside))

    # ------------------------------------------------------------ branches

    @contextmanager
    def _branch(self, *ways: Level) -> Iterator[None]:
        """Analyse the statements of a ``with`` block as running only under some conditions."""
        outer = self.branch
        self.branch = joined(outer, *ways)
        self.entered.append(joined(*ways))
        try:
            yield
        finally:
            self.branch = outer
            self.entered.pop()

    def _way(self, condition: core.Expr | None, levels: Levels) -> Level:
        """Return the requirements for knowing whether a condition holds, or another value that selects a branch."""
        found = ALL if condition is None else self.level(condition, levels)
        return frozenset(OF_ZONE - one if _is_zone(one) else -1 if one in (-2, -3) else one for one in found)

    def _note_branch(self, ask: core.Ask | core.AskMany) -> None:
        """Record a choice if the chooser may not know that its branch was taken."""
        chooser = ask.chooser.slot if isinstance(ask.chooser, core.Local) else None
        who = (self._owner(one) if one <= AT_TIMES else one for one in self.branch)
        if any(chooser is None or one != chooser for one in who):
            self.hidden[ask] = self.effect

    def _find_unclear(self) -> None:
        """Find the choices in possibly hidden branches, and all choices that may look the same.

        A hidden choice that looks like no other one is clear, unless its effect has arguments that the chooser doesn't
        know.
        """
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
        """Return how a choice looks to the chooser, as far as that is fixed."""
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
        """Remove from a level the places that are certainly visible to everyone at this statement."""
        return frozenset(one for one in level if one > AT_TIMES or not self._is_open_here(self._place(one)))

    def _is_open_here(self, place: str) -> bool:
        is_place = place[:1] not in (COMPONENT, WHERE)
        return is_place and _holds_if(self.program.place(place).visible.condition, self.true)

    def _change(self, places: set[str], levels: Levels) -> None:
        """Update the levels after a change of some places.

        If a place may have been hidden when it was read, only its owner knows the value from here on.
        """

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
            self._change(written, levels)  # an earlier pass may have changed them
        true = set(self.true)
        self._inside(stmt, levels)
        self.true = true - written

    def _inside(self, stmt: core.Stmt, levels: Levels) -> None:
        """Analyse the blocks of a statement."""
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
        """Return the requirements for knowing whether each block of a statement runs.

        For a loop, whether a pass runs.
        """
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
        """Return the requirements for knowing that each alternative was chosen, then that there was none."""
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
        """Return the requirements for a chosen value.

        Everyone sees it, unless it is secret, or a component that is out of sight.
        """
        is_told = not secret and ask.site not in self.program.private_sites
        return joined(ALL if is_told else self._of(ask.chooser, levels), SEEING if unseen else ALL)

    def _is_unseen(
        self, ask: core.Ask | core.AskMany, domain: core.Expr, condition: core.Expr | None, levels: Levels
    ) -> bool:
        """Return whether a choice may offer components that the chooser can't see."""
        if not is_component(domain.type):
            return False
        (chooser, *_) = self._of(ask.chooser, levels)
        return not all(
            self._owner(one) == chooser if one <= AT_TIMES else one in (chooser, OF_ZONE - chooser)
            for one in self._listed(domain, condition, levels)
            if one > AT_TIMES or self._place(one)[:1] != WHERE  # the location of other components doesn't hide these
        )

    def _tells(self, stmt: Teller, levels: Levels) -> None:
        """Record a text with values that not everyone knows."""
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
        """Return the level of a value that only ``player`` knows."""
        if isinstance(player, core.Local) and not levels.get(player.slot, ALL):
            return frozenset({player.slot})
        return NOBODY

    def _call(self, call: core.CallEffect, levels: Levels) -> None:
        """Pass the requirements of the arguments of a call to the parameters of the effect."""
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
        """Return the slot of the player who always sees their part of a place. None: there is no such player."""
        return self.found.at_times[AT_TIMES - one][1]

    def _place(self, one: int) -> str:
        """Return the place of a code, or ``COMPONENT`` or ``WHERE`` with its suffix."""
        return self.found.at_times[AT_TIMES - one][0]

    def _opening(self, place: str, owner: int | None) -> int:
        """Return the code for a place with conditional visibility. Add it to the table if it is new."""
        found = self.found.at_times
        if (place, owner) not in found:
            found.append((place, owner))
        return AT_TIMES - found.index((place, owner))

    def _renamed(self, level: Level, names: Mapping[int, int]) -> Level:
        """Return a level with the slots of one routine replaced by those of another. Unmapped slots become unknown."""

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
        """Return the requirements for the items of a list that satisfy a condition."""
        level = self.level(source, levels)
        return level if condition is None else joined(level, self.level(condition, levels))

    def _held(self, expr: core.Expr, levels: Levels) -> Level:
        """Return the requirements for a local that is given a value.

        A component from a zone is known to everyone who sees it and knows all values that selected it.
        """
        if is_component(expr.type):
            return self._selected(expr, levels)
        return held(self._closed(self.level(expr, levels)))

    def _read(self, expr: core.Expr, levels: Levels) -> Level:
        """Return what a value that selects a component adds to the requirements for that component."""
        level = self._closed(self.level(expr, levels))
        return joined(held(level), SEEING if level >= LOCATED else ALL)

    def _selected(self, expr: core.Expr, levels: Levels) -> Level:
        """Return the requirements for a component, or a list of components.

        The seat must see the components that it may be, and know the values that select it.
        """
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
        """Return the operands that a component may come from. The other operands only select it."""
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
        """Return a level as seen outside an expression that binds ``slot``.

        ``known`` is the level of the bound value.
        """
        found = ALL
        for one in level:
            if one == slot:
                found |= NOBODY
            elif one > AT_TIMES or self._owner(one) != slot:
                found |= {one}
            elif self._place(one) != WHERE:  # a player who sees a component sees its location
                found |= known if self._place(one) == COMPONENT else {self._opening(self._place(one), None)}
        return found

    def level(self, expr: core.Expr, levels: Levels) -> Level:
        """Return the requirements for knowing a value."""
        slots, hidden = self._looks(expr)
        if not hidden and not any(map(levels.get, slots)):
            return ALL
        if isinstance(expr, core.Named):
            body = self.level(expr.body, {**levels, expr.slot: self._held(expr.value, levels)})
            return self._leave(body, expr.slot, expr.value, levels, -2)
        inner = joined(*(self.level(part, levels) for part in core.children(expr)))
        if isinstance(expr, core.LOOPS) and any(expr.slot in (one, OF_ZONE - one) for one in inner):
            return NOBODY  # it combines private knowledge of several players
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
                return inner  # the zone is open, so everyone sees what it holds and what it doesn't
            case core.LiesIn(component=component) | core.IndexOfPlace(component=component):
                where = self._whereabouts(component, levels)
                return inner if where is None else joined(inner, LOCATED, where)
            case core.CallQuery(query=name, args=args):
                return joined(inner, self._query(self._of_query(name), args, levels))
        return inner

    def _leave(self, level: Level, slot: int, value: core.Expr, levels: Levels, opening: int | None) -> Level:
        """Return a level as seen outside an expression that binds ``slot`` to a value or to each of its items.

        ``opening`` replaces a code for a place with conditional visibility that depends on the slot. None: the part of
        the place that belongs to no player.
        """
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
        """Return the requirements for the location of a known component. None: everyone knows it."""
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
        """Return whether a component, or one of a list, may be in a zone that is not open."""
        zones = zones_of(component)
        if zones is not None:
            return not zones.isdisjoint(self.hidden_zones)
        kind = component.type.item if isinstance(component.type, ListType | OptionalType) else component.type
        return kind in self.hidden_kinds

    def _looks(self, expr: core.Expr) -> tuple[frozenset[int], bool]:
        """Return the slots that an expression reads, and whether it may read hidden information. Results are cached."""
        found = self.looks.get(expr)
        if found is None:
            parts = [self._looks(part) for part in core.children(expr)]
            slots = frozenset({expr.slot}) if isinstance(expr, core.Local) else ALL
            hidden = any(hides for _, hides in parts) or self._may_hide(expr)
            found = self.looks[expr] = slots.union(*(part for part, _ in parts)), hidden
        return found

    def _may_hide(self, expr: core.Expr) -> bool:
        """Return whether an expression may read hidden information, apart from its operands."""
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
        """Return the requirements for the component at an end of a zone. None: the end has no visibility of its own."""
        read = core.end_read(expr)
        if read is None or len(self.program.zones[read[0].zone].visibilities) == 1:
            return None
        zone, indices = self.program.zones[read[0].zone], read[0].indices
        inner = joined(*(self.level(index, levels) for index in indices))
        if zone.shown_at(read[1]).constant == "all":
            return inner
        return joined(inner, SEEING)

    def _query(self, level: Level, args: tuple[core.Expr, ...], levels: Levels) -> Level:
        """Translate the requirements of a query's body into the slots of its caller."""
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
                # A slot beyond the parameters holds a card whose own rule modifies the query. Such cards are in play.
                found |= (self._whereabouts(args[slot], levels) or ALL) if slot < len(args) else ALL
            elif one <= AT_TIMES:
                found |= {self._opening(self._place(one), None if given == NOBODY else player)}
            else:
                found |= given if one >= 0 else {one}
        return found

    def _of_query(self, name: str) -> Level:
        """Return the requirements for the places that a query reads, in the slots of the query. Results are cached."""
        if name not in self.queries:
            query = self.program.queries[name]
            bodies = [query.value, *(part for m in query.modifiers for part in (m.condition, m.value))]
            self.queries[name] = joined(*(self.level(body, {}) for body in bodies))
        return self.queries[name]

    def _selected_by(self, name: str) -> Level:
        """Return the requirements for the components that a query selects, in the slots of the query.

        Results are cached.
        """
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
        """Return the requirements for seeing the content of a place."""
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
    """Translate a requirement for seeing a zone into one for knowing its components."""
    return OF_ZONE - one if one >= 0 else one if one <= AT_TIMES else -2


def _keep(store: dict[Key, Levels], key: Key, levels: Levels) -> None:
    """Add the requirements for the locals at a place to those of earlier visits."""
    kept = store.setdefault(key, {})
    for slot, level in levels.items():
        kept[slot] = joined(kept.get(slot, ALL), level)


def _is_made_true(stmt: core.SetCell) -> bool:
    """Return whether a statement sets a variable without indices to True."""
    return not stmt.indices and stmt.op == "set" and isinstance(stmt.value, core.Const) and stmt.value.value is True


def _holds_if(condition: core.Expr | None, true: set[str]) -> bool:
    """Return whether a condition holds whenever some variables are True."""
    match condition:
        case core.Binary(op="or", left=left, right=right):
            return _holds_if(left, true) or _holds_if(right, true)
        case core.ReadCell(place=place, indices=()):
            return place in true
    return False


def _shows_owner(condition: core.Expr | None) -> bool:
    """Return whether a visibility has the form `viewer is owner or …`."""
    match condition:
        case core.Binary(op="or", left=left, right=right):
            return _shows_owner(left) or _shows_owner(right)
        case core.Binary(op="=", left=core.Local(slot=left_slot), right=core.Local(slot=right_slot)):
            return {left_slot, right_slot} == {0, 1}
    return False


class _Look(NamedTuple):
    """The fixed parts of a choice.

    These are the beginning and end of its prompt, with sentinels, and the names of its alternatives. ``_NUMBER`` and
    ``_VALUE`` mean that the name of a value is shown instead.
    """

    start: str
    end: str
    names: frozenset[str]

    def may_be(self, other: _Look) -> bool:
        """Return whether two choices may look the same."""
        is_start = self.start.startswith(other.start) or other.start.startswith(self.start)
        is_end = self.end.endswith(other.end) or other.end.endswith(self.end)
        return is_start and is_end and not self.names.isdisjoint(other.names)


def _is_number(alternative: core.Alternative) -> bool:
    """Return whether the options of an alternative begin with a number."""
    return bool(alternative.vars) and isinstance(_item(alternative.vars[0].domain.type), IntType)


def _item(type: Type) -> Type:
    return type.item if isinstance(type, ListType) else type


def is_pass(alternative: core.Alternative) -> bool:
    """Return whether an alternative is the built-in `pass` of a window."""
    return alternative.name == "pass" and not alternative.vars and not alternative.conditions


def _offered(alternative: core.Alternative) -> Iterator[core.Expr]:
    """Yield the expressions that decide whether an alternative is offered, and with which values."""
    yield from alternative.conditions
    for variable in alternative.vars:
        yield variable.domain
        if variable.condition is not None:
            yield variable.condition


def is_component(type: Type) -> bool:
    """Return whether a type is a component, or a list or an optional value of components."""
    if isinstance(type, ListType | OptionalType):
        return is_component(type.item)
    return isinstance(type, ComponentType)
