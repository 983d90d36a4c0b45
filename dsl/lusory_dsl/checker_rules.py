"""Rules: `when`, `instead of` and `while`. A part of the checker."""

from __future__ import annotations

from collections.abc import Sequence

from . import codes, core, model, nodes
from .checker_routine import article
from .checker_statements import Statements
from .checker_texts import Texts
from .diagnostics import did_you_mean
from .parser import parse_rule
from .scope import BrokenSymbol, CallableSymbol, EffectSymbol, QuerySymbol, Symbol
from .source import Span
from .types import BOOL, NOTHING


class Rules:
    """Reads all rules, and hands them to the effects and queries that they answer to."""

    def __init__(self, texts: Texts, decls: Sequence[model.RuleDecl]) -> None:
        self.texts = texts
        self.decls = decls
        self.scope = texts.context.scope
        self.diagnostics = texts.context.diagnostics
        self._events: dict[str, list[tuple[model.RuleDecl, nodes.EventRule]]] = {}
        self._changes: dict[str, list[tuple[model.RuleDecl, nodes.WhileRule]]] = {}

    def read(self) -> None:
        """Parses the rules and finds what each of them names."""
        for decl in self.decls:
            rule = parse_rule(decl.rule, self.diagnostics)
            if isinstance(rule, nodes.EventRule) and self._found(rule.event, rule.event_span, EffectSymbol):
                self._events.setdefault(rule.event, []).append((decl, rule))
            elif isinstance(rule, nodes.WhileRule) and self._found(rule.query, rule.query_span, QuerySymbol):
                self._changes.setdefault(rule.query, []).append((decl, rule))

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

    def _answer(self, decl: model.RuleDecl, rule: nodes.EventRule, symbol: EffectSymbol) -> core.Rule:
        name = decl.name.text
        self.texts.context.graph.call(f"effect {symbol.name}", f"rule {name}", rule.event_span)
        routine = self.texts.routine(f"rule {name}")
        condition = None
        with routine.frame(), routine.narrowing():
            self._bind(routine, symbol, rule.bindings, rule.event_span)
            if rule.condition is not None:
                condition = routine.expect(rule.condition, BOOL, "as a condition")
                routine.assume(condition, True)
            body = routine.block(rule.body)
        return core.Rule(name, condition, routine.locals.n_slots, body, decl.name.span)

    # ------------------------------------------------------------ queries

    def modifiers(self, query: core.Query) -> tuple[core.Modifier, ...]:
        """The `while` rules of a query in order of application: by layer, then as declared."""
        symbol = self.scope.symbols.get(query.name)
        if not isinstance(symbol, QuerySymbol):
            return ()
        found = [self._modifier(decl, rule, query, symbol) for decl, rule in self._changes.get(query.name, ())]
        last = len(self.scope.layers)
        return tuple(sorted(found, key=lambda m: last if m.layer is None else self.scope.layers.get(m.layer, last)))

    def _modifier(
        self, decl: model.RuleDecl, rule: nodes.WhileRule, query: core.Query, symbol: QuerySymbol
    ) -> core.Modifier:
        name = decl.name.text
        self.texts.context.graph.call(f"query {query.name}", f"rule {name}", rule.query_span)
        routine = self.texts.routine(f"rule {name}")
        with routine.frame(), routine.narrowing():
            self._bind(routine, symbol, rule.bindings, rule.query_span)
            it = routine.bind_quietly("it", query.type, rule.query_span, "value so far")
            condition = routine.expect(rule.condition, BOOL, "as a condition")
            routine.assume(condition, True)
            value = routine.expect(rule.value, query.type, f"as the value of `{query.name}`")
        if rule.layer is not None and rule.layer not in self.scope.layers:
            hint = did_you_mean(rule.layer, self.scope.layers) or "list it under `layers`"
            span = rule.layer_span or rule.span
            self.diagnostics.add(codes.UNKNOWN_NAME, f"there is no layer `{rule.layer}`", span, hint)
        return core.Modifier(name, rule.layer, it, condition, value, routine.locals.n_slots, decl.name.span)
