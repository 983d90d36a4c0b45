"""Check rules: triggers (``when``, ``instead of``), changes of queries (``while``) and state checks (``whenever``).

The class :class:`Rules` attaches rules to the effects and queries that they name. The class :class:`Events` turns rules
with patterns, such as ``when card enters zone``, into effects. A later pass calls these effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import core
from ..core.provenance import AUTHOR, EVENTS, RULES, Origin
from ..core.sugar import EachCard, StateCheck
from ..core.triggers import Answers, ChangeAnswer, EnteringAnswer, PhaseAnswer, ZoneAnswer
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import about_name, did_you_mean
from ..source.lazy_dataclass import dataclass, replace
from ..source.source import Embedded, Span, article, listed
from ..syntax import ast
from ..syntax.ast import Pattern
from ..syntax.parser import parse_gains, parse_recipient, parse_rule
from ..types.types import BOOL, INT, NOTHING, PLAYER, ComponentType, ListType, Type
from .assignable_places import check_held
from .card_rules import Keywords, full_name, rules_of
from .coercions import expect, written_condition
from .context import Routine
from .limits import Owner
from .members import is_not_blank, is_something, keyword_value
from .symbols import (
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    KeywordSymbol,
    PoolSymbol,
    QuerySymbol,
    SpanSymbol,
    Symbol,
    VariableSymbol,
    ZoneSymbol,
)
from .texts import Texts, condition_in

_OF_CARD = Origin(RULES, part="of a card")


@dataclass(frozen=True, eq=False)
class RuleOf:
    """The cards that a rule belongs to: all copies of a card, or all cards of a kind or with a keyword.

    The rule holds for each card for which the condition ``active`` is true.

    Attributes:
        copies: The numbers of these cards.
        keyword: The keyword that brings the rule, or None.
        original: The first copy, if the rule belongs to a single card with its copies. Otherwise None.
    """

    kind: ComponentType
    copies: tuple[int, ...]
    active: Embedded
    keyword: KeywordSymbol | None = None
    original: int | None = None  # the first copy, for a rule of one card


@dataclass(frozen=True, eq=False)
class This:
    """The local ``this`` in a rule of cards.

    Attributes:
        copies: The cards that ``this`` runs through. None if it is a parameter of the event.
        condition: The condition under which the rule holds for ``this``, or None.
    """

    kind: ComponentType
    slot: int
    copies: tuple[int, ...] | None
    condition: core.Expr | None


@dataclass(frozen=True, eq=False)
class RuleSource:
    """The place of a rule: the section ``rules`` (then ``of`` is None), or a card, kind or keyword."""

    name: str
    span: Span
    of: RuleOf | None = None
    card: str = ""  # id of the card that has the rule

    @property
    def origin(self) -> core.Origin:
        return core.Origin(AUTHOR, card=self.card)


class Rules:
    """Parse all rules, and attach them to the effects and queries that they name."""

    def __init__(self, texts: Texts, ruleset: model.Ruleset, keywords: Keywords) -> None:
        self.texts = texts
        self.keywords = keywords
        self.ruleset = ruleset
        self.names = texts.names
        self.diagnostics = texts.report
        self._events: dict[str, list[tuple[RuleSource, ast.EventRule]]] = {}
        self.checks: list[tuple[RuleSource, ast.WheneverRule]] = []
        self.patterns: list[tuple[RuleSource, Pattern]] = []
        self._changes: dict[str, list[tuple[RuleSource, ast.WhileRule]]] = {}
        self._to: dict[tuple[str, str], ast.Recipient] = {}
        self._data: dict[str, list[str]] = {}  # kind -> its keywords without an effect, action or recipient

    def read(self) -> None:
        """Parse all rules, and find the effect or query that each names.

        Rules are written in the section ``rules``, and in the declarations of kinds, cards and keywords.
        """
        for decl in self.ruleset.rules:
            self._read(decl.rule, RuleSource(decl.name.text, decl.name.span))
        kinds = {kind.name.text: kind for kind in reversed(self.ruleset.components)}
        self._to = self._recipients(kinds)
        self._data = {
            name: [
                k.name.text for k in self.ruleset.keywords if k.kind.text == name and k.member is None and k.to is None
            ]
            for name in kinds
        }
        for kind in self.ruleset.components:
            self._read_all(kind.rules, kind.name.text, kind, self._all(kind))
        for card in self.ruleset.cards:
            first = self.names.constants.get(card.id.text)
            if card.kind.text in kinds and first is not None and isinstance(first.value, int):
                copies = tuple(range(first.value, first.value + card.copies))
                self._read_all(card.rules, card.id.text, kinds[card.kind.text], copies, original=first.value)
                self._read_given(card, kinds[card.kind.text], copies)
        for keyword in self.ruleset.keywords:
            symbol = self.names.symbols.get(full_name(keyword))
            if isinstance(symbol, KeywordSymbol):
                kind = kinds[keyword.kind.text]
                self._read_all(keyword.rules, keyword.name.text, kind, self._all(kind), keyword=symbol)
        self._check_activities()

    def _all(self, kind: model.ComponentDecl) -> tuple[int, ...]:
        """Return the numbers of all cards of a kind."""
        run = self.names.kinds[kind.name.text]
        return tuple(range(run.first, run.first + run.size))

    def _read_all(
        self,
        rules: Sequence[model.CardRuleDecl],
        name: str,
        kind: model.ComponentDecl,
        copies: tuple[int, ...],
        keyword: KeywordSymbol | None = None,
        original: int | None = None,
    ) -> None:
        """Parse the rules of a kind, a card or a keyword."""
        for number, rule in enumerate(rules, 1):
            active = rule.active or kind.active
            if active is None:
                message = f"nothing says when the rules of {article(f'`{kind.name.text}`')} hold"
                hint = f"write `components.{kind.name.text}.active`, such as `this in zone`, or `true` for always"
                notes = [(kind.name.span, "the kind is declared here")]
                self.diagnostics.add(diagnostic_codes.CARD_MEMBERS, message, rule.rule.whole, hint, notes)
                continue
            of = RuleOf(ComponentType(kind.name.text), copies, active, keyword, original)
            card = "" if original is None else name
            named = name if len(rules) == 1 else f"{name} ({number})"
            self._read(rule.rule, RuleSource(named, rule.rule.whole, of, card))

    def _recipients(self, kinds: Mapping[str, model.ComponentDecl]) -> dict[tuple[str, str], ast.Recipient]:
        """Return the recipients of each keyword that gives something to other cards, by kind and keyword.

        Recipients are checked here, so that mistakes show even if no card has the keyword.
        """
        found = {}
        for keyword in self.ruleset.keywords:
            to = None if keyword.to is None else parse_recipient(keyword.to, self.diagnostics)
            kind = kinds.get(keyword.kind.text)
            if to is not None and kind is not None:
                routine = self.texts.routine(Owner("to", keyword.name.text))
                routine.bind_quietly("this", ComponentType(kind.name.text), kind.name.span, "card")
                routine.bind(to.name, ComponentType(kind.name.text), to.name_span, "card")
                written_condition(routine, to.condition)
                found[kind.name.text, keyword.name.text] = to
        return found

    def _read_given(self, card: model.CardDecl, kind: model.ComponentDecl, copies: tuple[int, ...]) -> None:
        """Parse the keywords by which a card gives something to other cards."""
        for word, text in card.keywords:
            to = self._to.get((kind.name.text, word.text))
            given = parse_gains(text, self.diagnostics) if to is not None and isinstance(text, Embedded) else None
            if to is None or given is None or not isinstance(text, Embedded):
                continue
            if kind.active is None:
                message = f"nothing says when {article(f'`{kind.name.text}`')} gives what it gives"
                hint = f"write `components.{kind.name.text}.active`, such as `this in zone`, or `true` for always"
                self.diagnostics.add(diagnostic_codes.CARD_MEMBERS, message, text.whole, hint)
                continue
            of = RuleOf(ComponentType(kind.name.text), copies, kind.active, original=copies[0])
            rule = ast.GainRule(text.whole, to.condition, to.name, to.name_span, given, None, None)
            self._note_changes(RuleSource(card.id.text, text.whole, of, card.id.text), rule)

    def _note_changes(self, source: RuleSource, rule: ast.GainRule) -> None:
        """Expand a rule with gains, and record the ``while`` rules that result."""
        kind = None if source.of is None else source.of.kind.name
        made = list(rules_of(rule, kind, self._data, self.names, self.diagnostics))
        for gain in rule.gains:
            if gain.how == "keywords" and kind is not None:
                self._report_deeds(gain, kind)
        for number, change in enumerate(made, 1):
            name = source.name if len(made) == 1 else f"{source.name}, {number}"
            self._changes.setdefault(change.query, []).append((replace(source, name=name, span=change.span), change))

    def _report_deeds(self, gain: ast.Gain, kind: str) -> None:
        """Warn that keywords which act or give to others are not gained, if a card of the kind has one printed."""
        of = {k.name.text for k in self.ruleset.keywords if k.kind.text == kind and k.name.text not in self._data[kind]}
        printed = {word.text for card in self.ruleset.cards if card.kind.text == kind for word, _ in card.keywords}
        if of & printed:
            said = listed([f"`{word}`" for word in sorted(of & printed)])
            message = f"cards get no keywords by this that do something or give to others: {said}"
            self.diagnostics.add(
                diagnostic_codes.DEEDS_STAY, message, gain.span, "say what they do in a rule of its own"
            )

    def _check_activities(self) -> None:
        """Check the ``active`` conditions of kinds, so that mistakes show even if no card has a rule."""
        for kind in self.ruleset.components:
            if kind.active is not None:
                routine = self.texts.routine(Owner("active", kind.name.text))
                routine.bind_quietly("this", ComponentType(kind.name.text), kind.name.span, "card")
                condition_in(routine, kind.active)

    def _read(self, text: Embedded, source: RuleSource) -> None:
        rule = parse_rule(text, self.diagnostics)
        if isinstance(rule, ast.EventRule) and self._found(rule.event, rule.event_span, EffectSymbol):
            self._events.setdefault(rule.event, []).append((source, rule))
        elif isinstance(rule, ast.WhileRule) and self._found(rule.query, rule.query_span, QuerySymbol):
            self._changes.setdefault(rule.query, []).append((source, rule))
        elif isinstance(rule, ast.GainRule):
            self._note_changes(source, rule)
        elif isinstance(rule, ast.WheneverRule):
            self.checks.append((source, rule))
        elif isinstance(rule, Pattern):
            self.patterns.append((source, rule))

    def _found(self, name: str, span: Span, wanted: type[Symbol]) -> bool:
        symbol = self.names.symbols.get(name)
        if isinstance(symbol, wanted):
            return True
        what = wanted.what
        if symbol is None:
            hint = did_you_mean(name, self.names.named(wanted))
            message = f"there is no {what} `{name}`"
            self.diagnostics.add(diagnostic_codes.UNKNOWN_NAME, message, span, hint, about=about_name(name))
        elif not isinstance(symbol, BrokenSymbol):
            hint = (
                "`when` and `instead of` answer to effects, `while` changes queries"
                if isinstance(symbol, EffectSymbol | QuerySymbol)
                else f"a rule answers to {article(what)}"
            )
            notes = [(symbol.span, "declared here")]
            code = (
                diagnostic_codes.EFFECT_AS_VALUE
                if isinstance(symbol, EffectSymbol)
                else diagnostic_codes.VALUE_AS_STATEMENT
            )
            self.diagnostics.add(code, f"`{name}` is {article(symbol.what)}, not {article(what)}", span, hint, notes)
        return False

    # ------------------------------------------------------------ bindings

    def _bind(self, routine: Routine, symbol: CallableSymbol, bindings: Sequence[ast.Binding], span: Span) -> None:
        """Allocate the first slots for all parameters, and name those that the rule binds."""
        wanted: dict[str, ast.Binding] = {}
        unknown: list[ast.Binding] = []
        names = [name for name, _ in symbol.params]
        for binding in bindings:
            if binding.parameter not in names:
                takes = ", ".join(f"`{n}`" for n in names) if names else "none"
                routine.error(
                    diagnostic_codes.UNKNOWN_PARAMETER,
                    f"the {symbol.what} `{symbol.name}` has no parameter `{binding.parameter}`",
                    binding.span,
                    did_you_mean(binding.parameter, names) or f"it has {takes}",
                    [(symbol.span, "declared here")],
                )
                unknown.append(binding)
            elif binding.parameter in wanted:
                message = f"the parameter `{binding.parameter}` is bound twice"
                routine.error(diagnostic_codes.WRONG_ARGUMENTS, message, binding.span, "remove one of them")
            else:
                wanted[binding.parameter] = binding
        if symbol.per_player:
            routine.bind_me(span)
        for name, type in symbol.params:
            if name in wanted:
                routine.bind(wanted[name].name, type, wanted[name].span, "parameter")
            else:
                routine.locals.slot()
        for binding in unknown:
            routine.bind_quietly(binding.name, NOTHING, binding.span)

    # ------------------------------------------------------------ effects

    def answers(self, effect: core.Effect) -> tuple[tuple[core.Rule, ...], tuple[core.Rule, ...]]:
        """Return the ``instead of`` rules and the ``when`` rules of an effect, in declared order."""
        instead: list[core.Rule] = []
        when: list[core.Rule] = []
        symbol = self.names.symbols[effect.name]
        assert isinstance(symbol, EffectSymbol)
        for decl, rule in self._events.get(effect.name, ()):
            (when if rule.kind == "when" else instead).append(self._answer(decl, rule, symbol))
        return tuple(instead), tuple(when)

    def this(
        self,
        routine: Routine,
        source: RuleSource,
        symbol: Symbol | None = None,
        bindings: Sequence[ast.Binding] = (),
        always: bool = False,
    ) -> This | None:
        """Bind ``this`` in a rule of a card or keyword. The routine assumes its condition afterwards.

        A rule may bind a parameter to ``this``. Then it is triggered by events that concern the card itself. With
        ``always``, it then holds even while the card is not active. Returns None for a rule of the section ``rules``,
        or after a report.
        """
        if source.of is None:
            return None
        binding = next((b for b in bindings if b.name == "this"), None)
        if binding is None:
            slot = routine.bind_quietly("this", source.of.kind, source.span, "card")
            copies = self._copies(source.of)
        else:
            local = routine.locals.find("this")
            assert local is not None
            slot, copies, local.used = local.slot, None, True
            if local.type not in (source.of.kind, NOTHING):
                assert symbol is not None
                what = f"`{binding.parameter}` of `{symbol.name}` is {article(f'`{local.type}`')}"
                hint = f"give it another name: `{binding.parameter}: card`"
                message = f"`this` is {article(f'`{source.of.kind}`')}, {what}"
                routine.error(diagnostic_codes.WRONG_TYPE, message, binding.span, hint)
                return None
        this = core.Local(source.of.kind, source.span, slot, "this")
        active = None if always and copies is None else condition_in(routine, source.of.active)
        condition = both(self._is_copy(source.of, this, copies), active)
        return This(source.of.kind, slot, copies, both(condition, self._in_force(routine, source.of, this, copies)))

    def _copies(self, of: RuleOf) -> tuple[int, ...]:
        """Return the cards that may make a rule."""
        if of.keyword is None or self._gained(of.keyword):
            return of.copies
        return self.keywords.bearers(of.keyword.name)

    def _gained(self, keyword: KeywordSymbol) -> bool:
        """Return whether cards may have a keyword that is not printed on them."""
        by_effects = bool(self.ruleset.durations) and not self.keywords.is_deed(keyword.name)
        return by_effects or keyword.name in self._changes

    def _is_copy(self, of: RuleOf, this: core.Expr, copies: tuple[int, ...] | None) -> core.Expr | None:
        """Return the condition that ``this`` is a copy of the rule's card. None if that is already certain."""
        if of.original is None or copies is not None:
            return None
        original = core.Field(of.kind, this.span, this, "original")
        return core.Binary(BOOL, this.span, "=", original, core.Const(of.kind, this.span, of.original), origin=_OF_CARD)

    def _in_force(
        self, routine: Routine, of: RuleOf, this: core.Expr, copies: tuple[int, ...] | None
    ) -> core.Expr | None:
        """Return the condition that a card has the rule's keyword, or is not blank. None if that is already certain."""
        if of.keyword is not None and (copies is None or self._gained(of.keyword)):
            has_it = is_something(keyword_value(routine, of.keyword, this, this.span, this.span))
            return replace(has_it, origin=_OF_CARD)
        if of.keyword is not None or of.original is not None:
            return is_not_blank(routine, of.kind, this, this.span, _OF_CARD)
        return None

    def _answer(self, decl: RuleSource, rule: ast.EventRule, symbol: EffectSymbol) -> core.Rule:
        name = decl.name
        self.texts.notes.graph.call(Owner("effect", symbol.name), Owner("rule", name), rule.event_span)
        routine = self.texts.routine(Owner("rule", name))
        condition = None
        with routine.frame(), routine.narrowing():
            self._bind(routine, symbol, rule.bindings, rule.event_span)
            this = self.this(routine, decl, symbol, rule.bindings)
            if rule.condition is not None:
                condition = written_condition(routine, rule.condition)
                routine.assume(condition, True)
            body = routine.block(rule.body)
        n_slots = routine.locals.n_slots
        if this is None:
            return core.Rule(name, condition, n_slots, body, decl.span, decl.origin)
        found = core.Rule(name, both(this.condition, condition), n_slots, body, decl.span, decl.origin)
        return found if this.copies is None else of_each(found, this.kind, this.slot, this.copies, rule.kind)

    # ------------------------------------------------------------ queries

    def modifiers(self, query: core.Query) -> tuple[core.Modifier, ...]:
        """Return the ``while`` rules of a query in the order of application: by layer, then as declared."""
        symbol = self.names.symbols.get(query.name)
        if not isinstance(symbol, QuerySymbol):
            return ()
        made = [self._modifier(decl, rule, query, symbol) for decl, rule in self._changes.get(query.name, ())]
        found = [modifier for modifier in made if modifier is not None]
        last = len(self.names.layers)
        return tuple(sorted(found, key=lambda m: last if m.layer is None else self.names.layers.get(m.layer, last)))

    def _modifier(
        self, decl: RuleSource, rule: ast.WhileRule, query: core.Query, symbol: QuerySymbol
    ) -> core.Modifier | None:
        name = decl.name
        self.texts.notes.graph.call(Owner("query", query.name), Owner("rule", name), rule.query_span)
        routine = self.texts.routine(Owner("rule", name))
        with routine.frame(), routine.narrowing():
            self._bind(routine, symbol, rule.bindings, rule.query_span)
            it = routine.bind_quietly("it", query.type, rule.query_span, "value so far")
            this = self.this(routine, decl, symbol, rule.bindings)
            condition = written_condition(routine, rule.condition)
            routine.assume(condition, True)
            value = expect(routine, rule.value, query.type, f"as the value of `{query.name}`")
        if rule.layer is not None and rule.layer not in self.names.layers:
            hint = did_you_mean(rule.layer, self.names.layers) or "list it under `layers`"
            span = rule.layer_span or rule.span
            message = f"there is no layer `{rule.layer}`"
            self.diagnostics.add(diagnostic_codes.UNKNOWN_NAME, message, span, hint, about=about_name(rule.layer))
        if rule.layer is not None:
            self.texts.notes.used_layers.add(rule.layer)
        n_slots = routine.locals.n_slots
        if this is None:
            return core.Modifier(name, rule.layer, it, condition, value, n_slots, decl.span, origin=decl.origin)
        if this.copies == ():
            return None  # no card makes this rule
        condition, copies = both(this.condition, condition) or condition, this.copies or ()
        return core.Modifier(
            name, rule.layer, it, condition, value, n_slots, decl.span, copies, this.slot, origin=decl.origin
        )


def both(first: core.Expr | None, second: core.Expr | None) -> core.Expr | None:
    """Return the conjunction of two conditions. A condition that is None counts as true."""
    if first is None or second is None:
        return second if first is None else first
    return core.Binary(BOOL, second.span, "and", first, second, origin=_OF_CARD)


def of_each(rule: core.Rule, kind: ComponentType, this: int, copies: tuple[int, ...], word: str) -> core.Rule:
    """Apply a rule of a card to all its copies.

    A ``when`` rule runs for each active copy, an ``instead of`` rule for the first.
    """
    cards, made = core.Const(ListType(kind), rule.span, copies), Origin(RULES, rule.id, "each")
    if word == "when":
        each = core.ForEach(rule.span, this, "this", cards, rule.condition, rule.body, origin=made)
        return replace(rule, condition=None, body=(each,))
    condition = rule.condition or core.Const(BOOL, rule.span, True)
    some = core.Fold(BOOL, rule.span, "any", this, cards, None, condition)
    active = core.Filter(cards.type, rule.span, this, cards, condition)
    first = core.CallBuiltin(kind, rule.span, "first", (active,))
    return replace(rule, condition=some, body=(core.Let(rule.span, this, "this", first, origin=made), *rule.body))


Named = tuple[tuple[str, Type, ast.Name | None], ...]
"""The values that an event passes to a rule.

Each has a name for messages, a type, and its name in the rule (or None).
"""


class Events:
    """Turn rules with patterns into effects.

    Attributes:
        effects: One effect for each ``when`` rule, and one for each zone with ``instead of entering`` rules.
        answers: The events that trigger each of these effects.
    """

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
                case ast.ZoneRule():
                    self._zone(source, rule)
                case ast.PhaseRule():
                    self._phase(source, rule)
                case ast.ChangeRule():
                    self._change(source, rule)

    # ------------------------------------------------------------ zones

    def _zone(self, source: RuleSource, rule: ast.ZoneRule) -> None:
        zone = self._named(rule.zone.name, rule.zone.span, ZoneSymbol)
        other = None if rule.other is None else self._named(rule.other.name, rule.other.span, ZoneSymbol)
        if not isinstance(zone, ZoneSymbol) or (rule.other is not None and not isinstance(other, ZoneSymbol)):
            return
        if isinstance(other, ZoneSymbol) and other.holds != zone.holds:
            notes = [(other.span, "declared here")]
            message = f"`{zone.name}` holds `{zone.holds}`, `{other.name}` holds `{other.holds}`"
            self.report.add(diagnostic_codes.INCOMPATIBLE_ZONES, message, rule.span, None, notes)
            return
        card = ast.Name(rule.card_span, rule.card)
        where = None if other is None else other.name
        if rule.verb == "entering":
            self._entering(source, rule, zone, where, card)
            return
        name = self._when(source, rule, rule.zone.span, zone.of_player, (("card", zone.holds, card),), always=True)
        answer = ZoneAnswer(name, source.name, rule.verb, zone.name, where, zone.of_player)
        self.answers.zones.append(answer)

    def _entering(
        self, source: RuleSource, rule: ast.ZoneRule, zone: ZoneSymbol, where: str | None, card: ast.Name
    ) -> None:
        """Add a rule that replaces a card's move into a zone.

        Its effect gets the card and the zone that it came from.
        """
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

    def _phase(self, source: RuleSource, rule: ast.PhaseRule) -> None:
        if rule.phase not in self.phases:
            hint = did_you_mean(rule.phase, self.phases)
            message, about = f"there is no phase `{rule.phase}`", about_name(rule.phase)
            self.report.add(diagnostic_codes.UNKNOWN_NAME, message, rule.phase_span, hint, about=about)
            return
        name = self._when(source, rule, rule.phase_span, False, ())
        self.answers.phases.append(PhaseAnswer(name, source.name, rule.verb, rule.phase))

    # ------------------------------------------------------------ variables and pools

    def _change(self, source: RuleSource, rule: ast.ChangeRule) -> None:
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
            self.report.add(diagnostic_codes.UNKNOWN_MEMBER, message, rule.kind.span, hint)
            return
        if len(rule.indices) > len(dims):
            has = f"has {len(dims)}" if dims else "has none"
            message = f"{len(rule.indices)} indices are named, and `{place.name}` {has}"
            why = "whose it is says `me`" if place.of_player else None
            self.report.add(diagnostic_codes.WRONG_INDICES, message, rule.span, why, [(place.span, "declared here")])
            return
        given: list[ast.Name | None] = [*rule.indices, *(None for _ in dims[len(rule.indices) :])]
        old = INT if isinstance(place, PoolSymbol) else place.type
        named = (
            *((f"index {n}", type, name) for n, (type, name) in enumerate(zip(dims, given, strict=True), 1)),
            ("old", old, ast.Name(rule.place_span, "old")),
        )
        self.rules.texts.notes.used.add(place.name)
        name = self._when(source, rule, rule.place_span, place.of_player, named)
        self.answers.changes.append(ChangeAnswer(name, source.name, place.name, kind))

    def _kind(self, pool: PoolSymbol, name: ast.Name | None) -> int | None:
        """Return the ordinal of the kind of counter that a pattern names.

        None means all kinds, or an unknown kind after a report.
        """
        if name is None:
            return None
        value = self.names.value_of(pool.holds, name.name)
        if value is None:
            known = self.names.value_names(pool.holds)
            message = f"the pool `{pool.name}` has no `{name.name}`"
            self.report.add(diagnostic_codes.UNKNOWN_MEMBER, message, name.span, did_you_mean(name.name, known))
            return None
        self.rules.texts.notes.use_value(value)
        check_held(self.rules.texts.routine(Owner("rule")), pool, core.Const(pool.holds, name.span, value.ordinal))
        return value.ordinal

    # ------------------------------------------------------------ what all have in common

    def _named(self, name: str, span: Span, *wanted: type[Symbol]) -> Symbol | None:
        """Return the symbol that a pattern names, or None after a report."""
        symbol = self.names.symbols.get(name)
        what = " or ".join(of.what for of in wanted)
        if symbol is None:
            hint = did_you_mean(name, self.names.named(*wanted))
            self.report.add(
                diagnostic_codes.UNKNOWN_NAME, f"there is no {what} `{name}`", span, hint, about=about_name(name)
            )
        elif isinstance(symbol, SpanSymbol) or not isinstance(symbol, (BrokenSymbol, *wanted)):
            notes = [(symbol.span, "declared here")]
            message = f"`{name}` is {article(symbol.what)}, not {article(what)}"
            self.report.add(diagnostic_codes.NOT_A_PLACE, message, span, None, notes)
        elif not isinstance(symbol, BrokenSymbol):
            self.rules.texts.notes.used.add(name)
            self.rules.texts.notes.read.add(name)
            return symbol
        return None

    def _when(
        self, source: RuleSource, rule: Pattern, span: Span, of_player: bool, named: Named, always: bool = False
    ) -> str:
        """Create the effect of a ``when`` rule and return its name."""
        made = core.Effect(f"when {source.name}", of_player, (), 0, ())
        while made.name in self.effects:
            made = replace(made, name=f"{made.name}'")  # rules of several cards may share a name
        answer, params = self._rule(source, rule, made, span, named, always)
        origin = Origin(EVENTS, source.name, "when")
        self.effects[made.name] = replace(made, params=params, n_slots=len(params), when=(answer,), origin=origin)
        return made.name

    def _rule(
        self, source: RuleSource, rule: Pattern, made: core.Effect, span: Span, named: Named, always: bool
    ) -> tuple[core.Rule, tuple[core.Param, ...]]:
        """Return a rule and the parameters that its event passes.

        With ``always``, a rule about the card that moves holds wherever that card is. The pattern already names the
        zone.
        """
        routine = self.rules.texts.routine(Owner("rule", source.name))
        symbol = EffectSymbol(made.name, span, made.per_player, tuple((name, type) for name, type, _ in named))
        condition = None
        with routine.frame(), routine.narrowing():
            params = self._bind(routine, made.per_player, named, span)
            bindings = [ast.Binding(called.span, name, called.name) for name, _, called in named if called]
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
        """Bind the values that the event passes in the first slots."""
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


def state_check(rules: Rules, source: RuleSource, rule: ast.WheneverRule) -> StateCheck:
    """Check a ``whenever`` rule. A later pass lowers it."""
    routine = rules.texts.routine(Owner("rule", source.name))
    with routine.frame(), routine.narrowing():
        this = rules.this(routine, source)
        condition = written_condition(routine, rule.condition)
        routine.assume(condition, True)
        body = routine.block(rule.body)
    each = None
    if this is not None:
        assert source.of is not None
        is_one = source.of.original is not None
        each = EachCard(this.slot, this.kind, this.copies or (), this.condition, is_one, source.span)
    return StateCheck(source.name, source.card, condition, body, routine.locals.n_slots, rule.span, each)
