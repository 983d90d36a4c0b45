"""Rules: `when`, `instead of` and `while`. A part of the checker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import codes, core, model, nodes
from .checker_routine import article
from .checker_statements import Statements
from .checker_texts import Texts
from .diagnostics import did_you_mean
from .parser import parse_rule
from .scope import BrokenSymbol, CallableSymbol, EffectSymbol, QuerySymbol, Symbol
from .source import Embedded, Span
from .types import BOOL, NOTHING, ComponentType, ListType


@dataclass(frozen=True, eq=False)
class _Of:
    """The card that makes a rule: all its copies, each as long as ``active`` holds for it."""

    kind: ComponentType
    copies: tuple[int, ...]
    active: Embedded


@dataclass(frozen=True, eq=False)
class _Source:
    """Where a rule stands: in the section `rules`, or on a card."""

    name: str
    span: Span
    of: _Of | None = None


class Rules:
    """Reads all rules, and hands them to the effects and queries that they answer to."""

    def __init__(self, texts: Texts, ruleset: model.Ruleset) -> None:
        self.texts = texts
        self.ruleset = ruleset
        self.scope = texts.context.scope
        self.diagnostics = texts.context.diagnostics
        self._events: dict[str, list[tuple[_Source, nodes.EventRule]]] = {}
        self._changes: dict[str, list[tuple[_Source, nodes.WhileRule]]] = {}

    def read(self) -> None:
        """Parses the rules and finds what each of them names: first those of the section, then the cards'."""
        for decl in self.ruleset.rules:
            self._read(decl.rule, _Source(decl.name.text, decl.name.span))
        kinds = {kind.name.text: kind for kind in reversed(self.ruleset.components)}
        for card in self.ruleset.cards:
            kind, first = kinds.get(card.kind.text), self.scope.constants.get(card.id.text)
            if kind is None or first is None or not isinstance(first.value, int):
                continue
            copies = tuple(range(first.value, first.value + card.copies))
            for number, rule in enumerate(card.rules, 1):
                active = rule.active or kind.active
                if active is None:
                    message = f"nothing says when the rules of {article(f'`{kind.name.text}`')} hold"
                    hint = f"write `components.{kind.name.text}.active`, such as `this in zone`, or `true` for always"
                    notes = [(kind.name.span, "the kind is declared here")]
                    self.diagnostics.add(codes.CARD_MEMBERS, message, rule.rule.whole, hint, notes)
                    continue
                of = _Of(ComponentType(kind.name.text), copies, active)
                name = card.id.text if len(card.rules) == 1 else f"{card.id.text} ({number})"
                self._read(rule.rule, _Source(name, rule.rule.whole, of))
        self._check_activities()

    def _check_activities(self) -> None:
        """The conditions of kinds are checked also where no card has a rule."""
        for kind in self.ruleset.components:
            if kind.active is not None:
                routine = self.texts.routine(f"active {kind.name.text}")
                routine.bind_quietly("this", ComponentType(kind.name.text), kind.name.span, "card")
                self.texts.condition(routine, kind.active)

    def _read(self, text: Embedded, source: _Source) -> None:
        rule = parse_rule(text, self.diagnostics)
        if isinstance(rule, nodes.EventRule) and self._found(rule.event, rule.event_span, EffectSymbol):
            self._events.setdefault(rule.event, []).append((source, rule))
        elif isinstance(rule, nodes.WhileRule) and self._found(rule.query, rule.query_span, QuerySymbol):
            self._changes.setdefault(rule.query, []).append((source, rule))

    def _found(self, name: str, span: Span, wanted: type[Symbol]) -> bool:
        symbol = self.scope.symbols.get(name)
        if isinstance(symbol, wanted):
            return True
        what = wanted.what
        if symbol is None:
            hint = did_you_mean(name, self.scope.named(wanted))
            self.diagnostics.add(codes.UNKNOWN_NAME, f"there is no {what} `{name}`", span, hint)
        elif not isinstance(symbol, BrokenSymbol):
            hint = (
                "`when` and `instead of` answer to effects, `while` changes queries"
                if isinstance(symbol, EffectSymbol | QuerySymbol)
                else f"a rule answers to {article(what)}"
            )
            notes = [(symbol.span, "declared here")]
            code = codes.EFFECT_AS_VALUE if isinstance(symbol, EffectSymbol) else codes.VALUE_AS_STATEMENT
            self.diagnostics.add(code, f"`{name}` is {article(symbol.what)}, not {article(what)}", span, hint, notes)
        return False

    # ------------------------------------------------------------ bindings

    def _bind(self, routine: Statements, symbol: CallableSymbol, bindings: Sequence[nodes.Binding], span: Span) -> None:
        """All parameters in the first slots; those that the rule binds get names."""
        wanted: dict[str, nodes.Binding] = {}
        unknown: list[nodes.Binding] = []
        names = [name for name, _ in symbol.params]
        for binding in bindings:
            if binding.parameter not in names:
                takes = ", ".join(f"`{n}`" for n in names) if names else "none"
                routine.error(
                    codes.UNKNOWN_PARAMETER,
                    f"the {symbol.what} `{symbol.name}` has no parameter `{binding.parameter}`",
                    binding.span,
                    did_you_mean(binding.parameter, names) or f"it has {takes}",
                    [(symbol.span, "declared here")],
                )
                unknown.append(binding)
            elif binding.parameter in wanted:
                message = f"the parameter `{binding.parameter}` is bound twice"
                routine.error(codes.WRONG_ARGUMENTS, message, binding.span, "remove one of them")
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
        """The `instead of` and the `when` rules of an effect, as declared."""
        instead: list[core.Rule] = []
        when: list[core.Rule] = []
        symbol = self.scope.symbols[effect.name]
        assert isinstance(symbol, EffectSymbol)
        for decl, rule in self._events.get(effect.name, ()):
            (when if rule.kind == "when" else instead).append(self._answer(decl, rule, symbol))
        return tuple(instead), tuple(when)

    def _this(self, routine: Statements, source: _Source, bindings: Sequence[nodes.Binding]) -> core.Expr | None:
        """Binds `this` in the rule of a card, and gives its condition; it is assumed from here on."""
        if source.of is None:
            return None
        for binding in bindings:
            if binding.name == "this":
                hint = f"give it another name: `{binding.parameter}: card`"
                routine.error(codes.SHADOWING, "`this` is the card that makes the rule", binding.span, hint)
        routine.bind_quietly("this", source.of.kind, source.span, "card")
        return self.texts.condition(routine, source.of.active)

    def _answer(self, decl: _Source, rule: nodes.EventRule, symbol: EffectSymbol) -> core.Rule:
        name = decl.name
        self.texts.context.graph.call(f"effect {symbol.name}", f"rule {name}", rule.event_span)
        routine = self.texts.routine(f"rule {name}")
        condition = None
        with routine.frame(), routine.narrowing():
            self._bind(routine, symbol, rule.bindings, rule.event_span)
            this = routine.locals.n_slots
            active = self._this(routine, decl, rule.bindings)
            if rule.condition is not None:
                condition = routine.expect(rule.condition, BOOL, "as a condition")
                routine.assume(condition, True)
            body = routine.block(rule.body)
        n_slots = routine.locals.n_slots
        if decl.of is None or active is None:
            return core.Rule(name, condition, n_slots, body, decl.span)
        return _of_card(core.Rule(name, _both(active, condition), n_slots, body, decl.span), decl.of, this, rule.kind)

    # ------------------------------------------------------------ queries

    def modifiers(self, query: core.Query) -> tuple[core.Modifier, ...]:
        """The `while` rules of a query in order of application: by layer, then as declared."""
        symbol = self.scope.symbols.get(query.name)
        if not isinstance(symbol, QuerySymbol):
            return ()
        found = [self._modifier(decl, rule, query, symbol) for decl, rule in self._changes.get(query.name, ())]
        last = len(self.scope.layers)
        return tuple(sorted(found, key=lambda m: last if m.layer is None else self.scope.layers.get(m.layer, last)))

    def _modifier(self, decl: _Source, rule: nodes.WhileRule, query: core.Query, symbol: QuerySymbol) -> core.Modifier:
        name = decl.name
        self.texts.context.graph.call(f"query {query.name}", f"rule {name}", rule.query_span)
        routine = self.texts.routine(f"rule {name}")
        with routine.frame(), routine.narrowing():
            self._bind(routine, symbol, rule.bindings, rule.query_span)
            it = routine.bind_quietly("it", query.type, rule.query_span, "value so far")
            active, this = self._this(routine, decl, rule.bindings), it + 1
            condition = routine.expect(rule.condition, BOOL, "as a condition")
            routine.assume(condition, True)
            value = routine.expect(rule.value, query.type, f"as the value of `{query.name}`")
        if rule.layer is not None and rule.layer not in self.scope.layers:
            hint = did_you_mean(rule.layer, self.scope.layers) or "list it under `layers`"
            span = rule.layer_span or rule.span
            self.diagnostics.add(codes.UNKNOWN_NAME, f"there is no layer `{rule.layer}`", span, hint)
        n_slots = routine.locals.n_slots
        if decl.of is None or active is None:
            return core.Modifier(name, rule.layer, it, condition, value, n_slots, decl.span)
        condition = _both(active, condition)
        return core.Modifier(name, rule.layer, it, condition, value, n_slots, decl.span, decl.of.copies, this)


def _both(active: core.Expr, condition: core.Expr | None) -> core.Expr:
    return active if condition is None else core.Binary(BOOL, condition.span, "and", active, condition)


def _of_card(rule: core.Rule, of: _Of, this: int, kind: str) -> core.Rule:
    """The rule of a card over all its copies: a `when` for each that is active, an `instead of` for the first."""
    assert rule.condition is not None
    copies = core.Const(ListType(of.kind), rule.span, of.copies)
    if kind == "when":
        each = core.ForEach(rule.span, this, "this", copies, rule.condition, rule.body)
        return replace(rule, condition=None, body=(each,))
    some = core.Fold(BOOL, rule.span, "any", this, copies, None, rule.condition)
    active = core.Filter(copies.type, rule.span, this, copies, rule.condition)
    first = core.CallBuiltin(of.kind, rule.span, "first", (active,))
    return replace(rule, condition=some, body=(core.Let(rule.span, this, "this", first), *rule.body))
