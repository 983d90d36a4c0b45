"""Rules that answer to zones, phases and variables: `when card enters hand`, `when day begins`, `when coins changes`.

Each becomes an effect of its own, which nobody calls as written; where it is called is found out when all is known
(:mod:`lusory_dsl.expand.events`). A part of the checker.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import core
from ..core.events import Answers, ChangeAnswer, EnteringAnswer, PhaseAnswer, ZoneAnswer
from ..core.origin import EVENTS, Origin
from ..effect import nodes, patterns
from ..effect.patterns import Pattern
from ..language.types import BOOL, INT, PLAYER, Type
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.records import replace
from ..text.source import Span
from ..text.spelling import article
from .call_graph import Owner
from .names import BrokenSymbol, EffectSymbol, PoolSymbol, SpanSymbol, Symbol, VariableSymbol, ZoneSymbol
from .places import check_held
from .routine import Routine
from .rules import Rules, RuleSource, This, both, of_each
from .values import written_condition

Named = tuple[tuple[str, Type, nodes.Name | None], ...]
"""What a rule is told: a name for messages, its type, and what the rule calls it."""


class Events:
    """Makes effects of the rules with patterns. ``effects``: one for each `when`, one for each zone that something is
    done `instead of entering`; ``answers``: when they are due."""

    def __init__(self, rules: Rules, phases: Iterable[str]) -> None:
        self.rules = rules
        self.names = rules.names
        self.report = rules.diagnostics
        self.phases = list(phases)
        self.effects: dict[str, core.Effect] = {}
        self.answers = Answers()
        self._instead: dict[str, list[core.Rule]] = {}
        for source, rule in rules.patterns:
            match rule:
                case patterns.ZoneRule():
                    self._zone(source, rule)
                case patterns.PhaseRule():
                    self._phase(source, rule)
                case patterns.ChangeRule():
                    self._change(source, rule)

    # ------------------------------------------------------------ zones

    def _zone(self, source: RuleSource, rule: patterns.ZoneRule) -> None:
        zone = self._named(rule.zone.name, rule.zone.span, ZoneSymbol)
        other = None if rule.other is None else self._named(rule.other.name, rule.other.span, ZoneSymbol)
        if not isinstance(zone, ZoneSymbol) or (rule.other is not None and not isinstance(other, ZoneSymbol)):
            return
        if isinstance(other, ZoneSymbol) and other.holds != zone.holds:
            notes = [(other.span, "declared here")]
            message = f"`{zone.name}` holds `{zone.holds}`, `{other.name}` holds `{other.holds}`"
            self.report.add(codes.INCOMPATIBLE_ZONES, message, rule.span, None, notes)
            return
        card = nodes.Name(rule.card_span, rule.card)
        where = None if other is None else other.name
        if rule.verb == "entering":
            self._entering(source, rule, zone, where, card)
            return
        name = self._when(source, rule, rule.zone.span, zone.of_player, (("card", zone.holds, card),), always=True)
        answer = ZoneAnswer(name, source.name, rule.verb, zone.name, where, zone.of_player)
        self.answers.zones.append(answer)

    def _entering(
        self, source: RuleSource, rule: patterns.ZoneRule, zone: ZoneSymbol, where: str | None, card: nodes.Name
    ) -> None:
        """A rule in place of a card's coming to lie somewhere. The effect is told which card, and where it lay."""
        made = core.Effect(f"{zone.name} is entered", zone.of_player, (), 0, ())
        named: Named = (("card", zone.holds, card), ("from", INT, None))
        answer, params = self._rule(source, rule, made, rule.zone.span, named, always=True)
        if where is not None:
            number, slot = self.answers.number_of(where), params[-1].slot
            from_there = core.Binary(
                BOOL,
                rule.zone.span,
                "=",
                core.Local(INT, rule.zone.span, slot, "from"),
                core.Const(INT, rule.zone.span, number),
                origin=Origin(EVENTS),
            )
            answer = self._only_if(answer, from_there)
        self._instead.setdefault(zone.name, []).append(answer)
        rules = tuple(self._instead[zone.name])
        origin = Origin(EVENTS, zone.name, "instead")
        self.effects[made.name] = replace(made, params=params, n_slots=len(params), instead=rules, origin=origin)
        self.answers.entering.append(EnteringAnswer(made.name, source.name, zone.name, where, zone.of_player))

    @staticmethod
    def _only_if(rule: core.Rule, condition: core.Expr) -> core.Rule:
        return replace(rule, condition=both(condition, rule.condition))

    # ------------------------------------------------------------ phases

    def _phase(self, source: RuleSource, rule: patterns.PhaseRule) -> None:
        if rule.phase not in self.phases:
            hint = did_you_mean(rule.phase, self.phases)
            message, about = f"there is no phase `{rule.phase}`", about_name(rule.phase)
            self.report.add(codes.UNKNOWN_NAME, message, rule.phase_span, hint, about=about)
            return
        name = self._when(source, rule, rule.phase_span, False, ())
        self.answers.phases.append(PhaseAnswer(name, source.name, rule.verb, rule.phase))

    # ------------------------------------------------------------ variables and pools

    def _change(self, source: RuleSource, rule: patterns.ChangeRule) -> None:
        place = self._named(rule.place, rule.place_span, VariableSymbol, PoolSymbol)
        if not isinstance(place, VariableSymbol | PoolSymbol):
            return
        dims = [dim.type for dim in place.dims[1 if place.of_player else 0 :]]
        kind = None
        if isinstance(place, PoolSymbol):
            dims.append(place.holds)
            kind = self._kind(place, rule.kind)
        elif rule.kind is not None:
            message, hint = f"`{place.name}` is no pool", "write the name of the variable alone, with its indices"
            self.report.add(codes.UNKNOWN_MEMBER, message, rule.kind.span, hint)
            return
        if len(rule.indices) > len(dims):
            has = f"has {len(dims)}" if dims else "has none"
            message = f"{len(rule.indices)} indices are named, and `{place.name}` {has}"
            why = "whose it is says `me`" if place.of_player else None
            self.report.add(codes.WRONG_INDICES, message, rule.span, why, [(place.span, "declared here")])
            return
        given: list[nodes.Name | None] = [*rule.indices, *(None for _ in dims[len(rule.indices) :])]
        old = INT if isinstance(place, PoolSymbol) else place.type
        named = (
            *((f"index {n}", type, name) for n, (type, name) in enumerate(zip(dims, given, strict=True), 1)),
            ("old", old, nodes.Name(rule.place_span, "old")),
        )
        self.rules.texts.notes.used.add(place.name)
        name = self._when(source, rule, rule.place_span, place.of_player, named)
        self.answers.changes.append(ChangeAnswer(name, source.name, place.name, kind))

    def _kind(self, pool: PoolSymbol, name: nodes.Name | None) -> int | None:
        """The kind that is named behind a dot; None: all kinds, or after a report."""
        if name is None:
            return None
        value = self.names.value_of(pool.holds, name.name)
        if value is None:
            known = self.names.value_names(pool.holds)
            message = f"the pool `{pool.name}` has no `{name.name}`"
            self.report.add(codes.UNKNOWN_MEMBER, message, name.span, did_you_mean(name.name, known))
            return None
        self.rules.texts.notes.use_value(value)
        check_held(self.rules.texts.routine(Owner("rule")), pool, core.Const(pool.holds, name.span, value.ordinal))
        return value.ordinal

    # ------------------------------------------------------------ what all have in common

    def _named(self, name: str, span: Span, *wanted: type[Symbol]) -> Symbol | None:
        """What a pattern names, or None after a report."""
        symbol = self.names.symbols.get(name)
        what = " or ".join(of.what for of in wanted)
        if symbol is None:
            hint = did_you_mean(name, self.names.named(*wanted))
            self.report.add(codes.UNKNOWN_NAME, f"there is no {what} `{name}`", span, hint, about=about_name(name))
        elif isinstance(symbol, SpanSymbol) or not isinstance(symbol, (BrokenSymbol, *wanted)):
            notes = [(symbol.span, "declared here")]
            message = f"`{name}` is {article(symbol.what)}, not {article(what)}"
            self.report.add(codes.NOT_A_PLACE, message, span, None, notes)
        elif not isinstance(symbol, BrokenSymbol):
            self.rules.texts.notes.used.add(name)
            self.rules.texts.notes.read.add(name)
            return symbol
        return None

    def _when(
        self, source: RuleSource, rule: Pattern, span: Span, of_player: bool, named: Named, always: bool = False
    ) -> str:
        """The name of the effect that is a `when` rule."""
        made = core.Effect(f"when {source.name}", of_player, (), 0, ())
        while made.name in self.effects:
            made = replace(made, name=f"{made.name}'")  # rules of cards may have one name
        answer, params = self._rule(source, rule, made, span, named, always)
        origin = Origin(EVENTS, source.name, "when")
        self.effects[made.name] = replace(made, params=params, n_slots=len(params), when=(answer,), origin=origin)
        return made.name

    def _rule(
        self, source: RuleSource, rule: Pattern, made: core.Effect, span: Span, named: Named, always: bool
    ) -> tuple[core.Rule, tuple[core.Param, ...]]:
        """A rule with what it is told. ``always``: where it is a rule of the card itself that comes or goes, it holds
        wherever the card lies: the pattern says where."""
        routine = self.rules.texts.routine(Owner("rule", source.name))
        symbol = EffectSymbol(made.name, span, made.per_player, tuple((name, type) for name, type, _ in named))
        condition = None
        with routine.frame(), routine.narrowing():
            params = self._bind(routine, made.per_player, named, span)
            bindings = [nodes.Binding(called.span, name, called.name) for name, _, called in named if called]
            this = self.rules.this(routine, source, symbol, bindings, always)
            if rule.condition is not None:
                condition = written_condition(routine, rule.condition)
                routine.assume(condition, True)
            body = routine.block(rule.body)
        found = core.Rule(source.name, condition, routine.locals.n_slots, body, source.span, source.origin)
        return self._of_cards(found, this, "instead" if made.name.endswith("entered") else "when"), params

    @staticmethod
    def _of_cards(rule: core.Rule, this: This | None, word: str) -> core.Rule:
        if this is None:
            return rule
        found = replace(rule, condition=both(this.condition, rule.condition))
        return found if this.copies is None else of_each(found, this.kind, this.slot, this.copies, word)

    @staticmethod
    def _bind(routine: Routine, of_player: bool, named: Named, span: Span) -> tuple[core.Param, ...]:
        """What the rule is told, in its first slots."""
        params: list[core.Param] = []
        if of_player:
            params.append(core.Param(routine.bind_me(span), "me", PLAYER))
        for name, type, called in named:
            if called is None:
                slot = routine.locals.slot()
            elif name == "old":
                slot = routine.bind_quietly("old", type, called.span, "value before")
            else:
                slot = routine.bind(called.name, type, called.span, "parameter", exempt=True)
            params.append(core.Param(slot, name, type))
        return tuple(params)
