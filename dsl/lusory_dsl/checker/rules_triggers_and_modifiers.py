"""Check rules: triggers (``when``, ``instead of``), changes of queries (``while``) and state checks (``whenever``).

The class :class:`Rules` attaches rules to the effects and queries that they name. The class :class:`EventChecker` turns
rules with patterns, such as ``when card enters zone``, into effects. A later pass calls these effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import core
from ..core.generated_part_origins import AUTHOR, EVENTS, RULES, STATE_CHECKS, Origin
from ..core.zone_phase_and_value_triggers import ChangeTrigger, PhaseTrigger, Triggers, ZoneTrigger
from ..desugar.pass_helpers import make_dim_values
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record, replace
from ..source.diagnostics import replace_text
from ..source.source import EmbeddedText, Span, prepend_article, quote_list
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..syntax.ast import Pattern
from ..syntax.parser import parse_gains, parse_recipient, parse_rule
from ..types.types import BOOL, INT, NOTHING, PLAYER, ComponentType, EnumType, ListType, Type, join
from .bare_names_and_calls import make_query_call
from .call_graph_and_size_limits import Owner
from .card_members_keywords_and_gains import Keywords, expand_gains, get_query_name
from .code_fields_templates_and_check_cache import TextChecker, check_condition_text
from .coercions import assume_condition, check_condition, check_expected
from .context import PARAMETER_OF_EVENT, Routine
from .member_access_and_card_tests import make_not_blank_test, make_truth_test
from .symbol_table import (
    ActionSymbol,
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
    report_unknown,
)
from .variable_and_zone_access import check_pool_kind

_CARD_ORIGIN = Origin(RULES, part="of a card")


class RuleCards(Record):
    """The cards that a rule belongs to: all copies of a card, or all cards of a kind or with a keyword.

    The rule holds for each card for which the condition ``active_condition`` is true.

    Attributes:
        copies: The numbers of these cards.
        keyword: The keyword that brings the rule, or None.
        original: The first copy, if the rule belongs to a single card with its copies. Otherwise None.
    """

    kind: ComponentType
    copies: tuple[int, ...]
    active_condition: EmbeddedText
    keyword: KeywordSymbol | None = None
    original: int | None = None


class ThisLocal(Record):
    """The local ``this`` in a rule of cards.

    Attributes:
        copies: The cards that ``this`` runs through. None if it is a parameter of the event.
        condition: The condition under which the rule holds for ``this``, or None.
    """

    kind: ComponentType
    slot: int
    copies: tuple[int, ...] | None
    condition: core.Expr | None


class RuleSource(Record):
    """The place of a rule: the section ``rules`` (then ``cards`` is None), or a card, kind or keyword."""

    name: str
    span: Span
    cards: RuleCards | None = None
    card: str = ""  # id of the card that has the rule

    @property
    def origin(self) -> core.Origin:
        """The origin of nodes made from the rule: its author, on the card that the rule is printed on."""
        return core.Origin(AUTHOR, card=self.card)


class Rules:
    """Parse all rules, and attach them to the effects and queries that they name."""

    def __init__(self, texts: TextChecker, ruleset: model.Ruleset, keywords: Keywords) -> None:
        self.texts = texts
        self.keywords = keywords
        self.ruleset = ruleset
        self.names = texts.names
        self.diagnostics = texts.report
        self._events: dict[str, list[tuple[RuleSource, ast.EventRule]]] = {}
        self.checks: list[tuple[RuleSource, ast.WheneverRule]] = []
        self.patterns: list[tuple[RuleSource, Pattern]] = []
        self._changes: dict[str, list[tuple[RuleSource, ast.WhileRule]]] = {}
        self._recipients: dict[tuple[str, str], ast.Recipient] = {}
        self._plain_keywords: dict[str, list[str]] = {}  # kind -> its keywords without an effect, action or recipient

    def parse_rules(self) -> None:
        """Parse the rules of the section ``rules``, of kinds, of cards and of keywords, in this order, and keep them.

        ``whenever`` rules go into ``checks``, and rules about zones, phases and values into ``patterns``, as pairs
        (RuleSource, parsed rule). Rules about effects are for :meth:`attach_rules`, ``while`` rules for
        :meth:`check_modifiers`. Gains, in a rule or by a keyword of a card, become a ``while`` rule for each query. A
        rule is reported and left out if it can't be parsed, or if its effect or query is not declared. The same holds
        for a rule of a kind, card or keyword if neither it nor the kind has a condition ``active``. Conditions of rules
        are checked later, but ``active`` of each kind and ``to`` of each keyword are checked here. Sources of several
        rules of a card are named ``ace (1)`` and ``ace (2)``, and of a single one ``ace``. If the gains of one rule or
        keyword become several ``while`` rules, these are ``ace, 1`` and ``ace, 2``.
        """
        for decl in self.ruleset.rules:
            self._parse_rule(decl.rule, RuleSource(decl.name.text, decl.name.span))
        kinds = {kind.name.text: kind for kind in reversed(self.ruleset.components)}
        self._recipients = self._parse_recipients(kinds)
        plain_keywords = [keyword for keyword in self.ruleset.keywords if keyword.member is None and keyword.to is None]
        self._plain_keywords = {
            name: [keyword.name.text for keyword in plain_keywords if keyword.kind.text == name] for name in kinds
        }
        for kind in self.ruleset.components:
            self._parse_all(kind.rules, kind.name.text, kind, self._list_cards(kind))
        for card in self.ruleset.cards:
            first_copy = self.names.constants.get(card.id.text)
            if card.kind.text in kinds and first_copy is not None and isinstance(first_copy.value, int):
                copies = tuple(range(first_copy.value, first_copy.value + card.copies))
                self._parse_all(card.rules, card.id.text, kinds[card.kind.text], copies, original=first_copy.value)
                self._parse_given(card, kinds[card.kind.text], copies)
        for keyword in self.ruleset.keywords:
            symbol = self.names.symbols.get(get_query_name(keyword))
            if isinstance(symbol, KeywordSymbol):
                kind = kinds[keyword.kind.text]
                self._parse_all(keyword.rules, keyword.name.text, kind, self._list_cards(kind), keyword=symbol)
        # The conditions `active` of kinds are checked here, so that mistakes show even if no card has a rule.
        for kind in self.ruleset.components:
            if kind.active is not None:
                routine = self.texts.make_routine(Owner("active", kind.name.text))
                routine.bind_unchecked("this", ComponentType(kind.name.text), kind.name.span, "card")
                check_condition_text(routine, kind.active)

    def _list_cards(self, kind: model.ComponentDecl) -> tuple[int, ...]:
        """Return the numbers of all cards of a kind."""
        run = self.names.kinds[kind.name.text]
        return tuple(range(run.start, run.start + run.size))

    def _parse_all(
        self,
        rules: Sequence[model.CardRuleDecl],
        name: str,
        kind: model.ComponentDecl,
        copies: tuple[int, ...],
        keyword: KeywordSymbol | None = None,
        original: int | None = None,
    ) -> None:
        """Parse the rules of a kind, a card or a keyword, and record them.

        Of several rules, each is called ``NAME (NUMBER)``. A rule without a condition ``active`` is reported and left
        out.
        """
        for number, rule in enumerate(rules, 1):
            active = rule.active or kind.active
            if active is None:
                message = f"the kind `{kind.name.text}` has rules but no `active`"
                hint = f"write `components.{kind.name.text}.active`: `true`, or a condition such as `this in zone`"
                notes = [(kind.name.span, "the kind is declared here")]
                self.diagnostics.add(codes.CARD_MEMBERS, message, rule.rule.whole_span, hint, notes)
                continue
            cards = RuleCards(ComponentType(kind.name.text), copies, active, keyword, original)
            card = "" if original is None else name
            rule_name = name if len(rules) == 1 else f"{name} ({number})"
            self._parse_rule(rule.rule, RuleSource(rule_name, rule.rule.whole_span, cards, card))

    def _parse_recipients(self, kinds: Mapping[str, model.ComponentDecl]) -> dict[tuple[str, str], ast.Recipient]:
        """Return the recipients of each keyword that gives something to other cards, by kind and keyword.

        Recipients are checked here, so that mistakes show even if no card has the keyword.
        """
        recipients = {}
        for keyword in self.ruleset.keywords:
            recipient = None if keyword.to is None else parse_recipient(keyword.to, self.diagnostics)
            kind = kinds.get(keyword.kind.text)
            if recipient is not None and kind is not None:
                routine = self.texts.make_routine(Owner("to", keyword.name.text))
                routine.bind_unchecked("this", ComponentType(kind.name.text), kind.name.span, "card")
                routine.bind(recipient.name, ComponentType(kind.name.text), recipient.name_span, "card")
                check_condition(routine, recipient.condition)
                recipients[kind.name.text, keyword.name.text] = recipient
        return recipients

    def _parse_given(self, card: model.CardDecl, kind: model.ComponentDecl, copies: tuple[int, ...]) -> None:
        """Parse the keywords by which a card gives something to other cards.

        The ``while`` rules that result are recorded. A kind without a condition ``active`` is reported.
        """
        for word, text in card.keywords:
            recipient = self._recipients.get((kind.name.text, word.text))
            if recipient is None or not isinstance(text, EmbeddedText):
                continue
            gains = parse_gains(text, self.diagnostics)
            if gains is None:
                continue
            if kind.active is None:
                message = f"the kind `{kind.name.text}` gives something but has no `active`"
                hint = f"write `components.{kind.name.text}.active`: `true`, or a condition such as `this in zone`"
                self.diagnostics.add(codes.CARD_MEMBERS, message, text.whole_span, hint)
                continue
            cards = RuleCards(ComponentType(kind.name.text), copies, kind.active, original=copies[0])
            rule = ast.GainRule(
                text.whole_span, recipient.name, recipient.name_span, recipient.condition, gains, None, None
            )
            self._record_changes(RuleSource(card.id.text, text.whole_span, cards, card.id.text), rule)

    def _record_changes(self, source: RuleSource, rule: ast.GainRule) -> None:
        """Expand a rule with gains, and record the ``while`` rules that result."""
        kind = None if source.cards is None else source.cards.kind.name
        while_rules = list(expand_gains(rule, kind, self._plain_keywords, self.names, self.diagnostics))
        for number, change in enumerate(while_rules, 1):
            name = source.name if len(while_rules) == 1 else f"{source.name}, {number}"
            self._changes.setdefault(change.query, []).append((replace(source, name=name, span=change.span), change))

    def _parse_rule(self, text: EmbeddedText, source: RuleSource) -> None:
        """Parse a rule and sort it by what it changes or watches.

        Rules on undeclared names, and faulty ones, are left out.
        """
        rule = parse_rule(text, self.diagnostics)
        if isinstance(rule, ast.EventRule) and self._check_declared(rule.event, rule.event_span, EffectSymbol):
            self._events.setdefault(rule.event, []).append((source, rule))
        elif isinstance(rule, ast.WhileRule) and self._check_declared(rule.query, rule.query_span, QuerySymbol):
            self._changes.setdefault(rule.query, []).append((source, rule))
        elif isinstance(rule, ast.GainRule):
            self._record_changes(source, rule)
        elif isinstance(rule, ast.WheneverRule):
            self.checks.append((source, rule))
        elif isinstance(rule, Pattern):
            self.patterns.append((source, rule))

    def _check_declared(self, name: str, span: Span, symbol_class: type[Symbol]) -> bool:
        """Return whether a name is that of a symbol of a class.

        Reports any other; a broken one gives False without a report.
        """
        symbol = self.names.symbols.get(name)
        if isinstance(symbol, symbol_class):
            return True
        kind = symbol_class.kind
        if symbol is None:
            report_unknown(self.diagnostics, kind, name, span, self.names.list_named(symbol_class))
        elif not isinstance(symbol, BrokenSymbol):
            hint = (
                "`when` and `instead of` answer to effects, `while` changes queries"
                if isinstance(symbol, EffectSymbol | QuerySymbol)
                else f"a rule answers to {prepend_article(kind)}"
            )
            if isinstance(symbol, ActionSymbol):
                hint = f"put the `do` of `{name}` into an effect, call that in the action, and name the effect here"
            is_effect = isinstance(symbol, EffectSymbol)
            code = codes.EFFECT_AS_VALUE if is_effect else codes.VALUE_AS_STATEMENT
            message = f"`{name}` is {prepend_article(symbol.kind)}, not {prepend_article(kind)}"
            self.diagnostics.add(code, message, span, hint, symbol.notes)
        return False

    # ------------------------------------------------------------ bindings

    def _bind(
        self, routine: Routine, symbol: CallableSymbol, bindings: Sequence[ast.Binding], source: RuleSource, span: Span
    ) -> None:
        """Allocate the first slots for all parameters, and name those that the rule binds.

        The player, if there is one, has slot 0 and is ``me``. Reports unknown and repeated parameters; names of unknown
        ones are bound, too, with the type NOTHING.
        """
        bindings_by_name: dict[str, ast.Binding] = {}
        unknown_bindings: list[ast.Binding] = []
        names = [name for name, _ in symbol.params]
        for binding in bindings:
            if binding.parameter not in names:
                hint = f"it has {quote_list(names)}" if names else "it has none"
                if names and binding.name == binding.parameter:
                    hint += f"; to name its value yourself, write `{names[0]}: {binding.name}`"
                hint = suggest_name(binding.parameter, names) or hint
                message = f"the {symbol.kind} `{symbol.name}` has no parameter `{binding.parameter}`"
                routine.report_error(codes.UNKNOWN_PARAMETER, message, binding.span, hint, symbol.notes)
                unknown_bindings.append(binding)
            elif binding.parameter in bindings_by_name:
                message = f"the parameter `{binding.parameter}` is bound twice"
                routine.report_error(codes.WRONG_ARGUMENTS, message, binding.span, "remove one of them")
            else:
                bindings_by_name[binding.parameter] = binding
        if symbol.is_per_player:
            routine.bind_me(span)
        for name, type in symbol.params:
            if name in bindings_by_name:
                binding = bindings_by_name[name]
                routine.bind(binding.name, type, binding.span, PARAMETER_OF_EVENT)
                self._warn_about_hidden_value(source, binding.name, binding.span, type)
            else:
                routine.locals.allocate_slot()
        for binding in unknown_bindings:
            routine.bind_unchecked(binding.name, NOTHING, binding.span)

    def _warn_about_hidden_value(self, source: RuleSource, name: str, span: Span, type: Type) -> None:
        """Warn about a name that a rule gives to a card or value of ``type``, if it is also the name of one of them.

        The author probably means that one only. The fix writes ``this`` in a rule of the card itself. A name that is
        declared is left out, because it was reported.
        """
        if name in self.names.symbols:
            return
        card = self.names.constants.get(name)
        if isinstance(type, ComponentType) and card is not None and card.type == type:
            description, test = f"the card `{name}`: the rule is about every `{type.name}`", f"card is any {name}"
        elif isinstance(type, EnumType) and self.names.find_value(type, name) is not None:
            description, test = f"the value `{name}`: the rule is about all values of `{type.name}`", f"value is {name}"
        else:
            return
        is_own = source.card == name
        hint = "write `this` for this card" if is_own else f"name it `{test.split()[0]}` and add `if {test}`"
        is_word = span.text == name
        fixes = [replace_text(span, "this")] if is_own and is_word else []
        message = f"`{name}` is a new name here, and hides {description}"
        self.diagnostics.add(codes.HIDES_CARD, message, span, hint, fixes=fixes)

    # ------------------------------------------------------------ effects

    def attach_rules(self, effect: core.Effect) -> core.Effect:
        """Return the effect with its ``instead of`` rules in ``instead``, and its ``when`` rules in ``when``.

        Both are tuples in the order of :meth:`parse_rules`. Returns the effect itself if there are none. A rule with a
        faulty condition or body is reported and stays in the result; one that can't be parsed was left out before.
        Raises KeyError for an unknown effect.
        """
        rules: dict[str, list[core.Rule]] = {"instead": [], "when": []}
        symbol = self.names.symbols[effect.name]
        assert isinstance(symbol, EffectSymbol)
        for decl, rule in self._events.get(effect.name, ()):
            rules[rule.kind].append(self._check_event_rule(decl, rule, symbol))
        if not any(rules.values()):
            return effect
        return replace(effect, instead=tuple(rules["instead"]), when=tuple(rules["when"]))

    def _bind_this(
        self,
        routine: Routine,
        source: RuleSource,
        symbol: Symbol | None = None,
        bindings: Sequence[ast.Binding] = (),
        is_always_active: bool = False,
    ) -> ThisLocal | None:
        """Bind ``this`` in a rule of a card or keyword, and return its slot, cards and condition.

        The condition says that ``this`` is a card of the rule, is active, and has the rule's keyword or is not blank.
        Parts that are certain are left out; None if all are. The code of ``routine`` is then checked as if the card is
        active. The cards are the numbers of those that can have the rule.

        If ``bindings`` binds a parameter of the event to ``this``, the event says which card it is, so the cards are
        None. With ``is_always_active``, such a rule holds even while the card is not active; other rules need an active
        card all the same. Returns None for a rule of the section ``rules``, or after reporting a parameter that is not
        such a card.
        """
        if source.cards is None:
            return None
        binding = next((binding for binding in bindings if binding.name == "this"), None)
        if binding is None:
            slot, keyword = routine.bind_unchecked("this", source.cards.kind, source.span, "card"), source.cards.keyword
            copies: tuple[int, ...] | None = source.cards.copies
            if keyword is not None and not self._can_be_gained(keyword):
                copies = self.keywords.find_bearers(keyword.name)
        else:
            local = routine.locals.find("this")
            assert local is not None
            slot, copies, local.is_used = local.slot, None, True
            if local.type not in (source.cards.kind, NOTHING):
                assert symbol is not None
                problem = f"`{binding.parameter}` of `{symbol.name}` is {prepend_article(f'`{local.type}`')}"
                hint = f"give it another name: `{binding.parameter}: card`"
                message = f"`this` is {prepend_article(f'`{source.cards.kind}`')}, {problem}"
                routine.report_error(codes.WRONG_TYPE, message, binding.span, hint)
                return None
        card = core.Local(source.cards.kind, source.span, slot, "this")
        active = None
        if not is_always_active or copies is not None:
            active = check_condition_text(routine, source.cards.active_condition)
        condition = _conjoin(self._make_copy_test(source.cards, card, copies), active)
        condition = _conjoin(condition, self._make_active_test(routine, source.cards, card, copies))
        return ThisLocal(source.cards.kind, slot, copies, condition)

    def _can_be_gained(self, keyword: KeywordSymbol) -> bool:
        """Return whether cards may have a keyword that is not printed on them."""
        can_gain_by_effect = bool(self.ruleset.durations) and not self.keywords.is_action_or_effect(keyword.name)
        return can_gain_by_effect or keyword.name in self._changes

    def _make_copy_test(self, cards: RuleCards, card: core.Expr, copies: tuple[int, ...] | None) -> core.Expr | None:
        """Return the condition that ``card`` is a copy of the rule's card. None if that is already certain."""
        if cards.original is None or copies is not None:
            return None
        original = core.Field(cards.kind, card.span, card, "original")
        own_original = core.Const(cards.kind, card.span, cards.original)
        return core.Binary(BOOL, card.span, "=", original, own_original, origin=_CARD_ORIGIN)

    def _make_active_test(
        self, routine: Routine, cards: RuleCards, card: core.Expr, copies: tuple[int, ...] | None
    ) -> core.Expr | None:
        """Return the condition that a card has the rule's keyword, or is not blank. None if that is already certain."""
        if cards.keyword is not None and (copies is None or self._can_be_gained(cards.keyword)):
            keyword_test = make_truth_test(make_query_call(routine, cards.keyword, (card,), card.span, card.span))
            return replace(keyword_test, origin=_CARD_ORIGIN)
        if cards.keyword is not None or cards.original is not None:
            return make_not_blank_test(routine, cards.kind, card, card.span, _CARD_ORIGIN)
        return None

    def _check_event_rule(self, decl: RuleSource, rule: ast.EventRule, symbol: EffectSymbol) -> core.Rule:
        """Return a checked ``when`` or ``instead of`` rule, applied to all copies of its card if it has one."""
        name = decl.name
        self.texts.notes.graph.add_call(Owner("effect", symbol.name), Owner("rule", name), rule.event_span)
        routine = self.texts.make_routine(Owner("rule", name))
        with routine.open_scope(), routine.restore_narrowing():
            self._bind(routine, symbol, rule.bindings, decl, rule.event_span)
            local = self._bind_this(routine, decl, symbol, rule.bindings)
            return self._check_answer(routine, decl, rule, local, rule.kind)

    @staticmethod
    def _check_answer(
        routine: Routine, source: RuleSource, rule: ast.EventRule | Pattern, local: ThisLocal | None, word: str
    ) -> core.Rule:
        """Check the condition and block of a rule whose parameters are bound. Return the rule, named by ``source``.

        The condition of ``local``, if there is one, is put before that of the rule by ``and``. If ``local`` has copies
        and ``word`` is ``when``, the block is a loop over the copies for which both hold. The rule then has no
        condition. For any other word, the rule holds if both do for any copy. Its block then begins with a Let that
        binds ``this`` to the first of these copies.
        """
        condition = None if rule.condition is None else assume_condition(routine, rule.condition)
        body = routine.check_block(rule.body)
        if local is not None:
            condition = _conjoin(local.condition, condition)
        checked_rule = core.Rule(source.name, condition, routine.locals.n_slots, body, source.span, source.origin)
        if local is None or local.copies is None:
            return checked_rule
        return _apply_to_copies(checked_rule, local.kind, local.slot, local.copies, word)

    # ------------------------------------------------------------ queries

    def check_modifiers(self, query: core.Query) -> tuple[core.Modifier, ...]:
        """Return the ``while`` rules of a query in the order of application: by layer.

        Rules without a layer, or with an unknown one, come last. In each layer, the rules of the section ``rules`` come
        first, then those of kinds, of cards, and of keywords, wherever they stand in the file. A rule with a faulty
        condition or value is reported and stays. A rule of a keyword or kind that no card can have is left out, unless
        it binds a parameter to ``this``: ``while true: Gem.price(this) is it + 1`` stays. Returns () without such
        rules, and if the name of the query is declared as something else.
        """
        symbol = self.names.symbols.get(query.name)
        if not isinstance(symbol, QuerySymbol):
            return ()
        modifiers = []
        for decl, rule in self._changes.get(query.name, ()):
            modifier = self._check_modifier(decl, rule, query, symbol)
            if modifier is None:
                continue
            modifiers.append(modifier)
            if query.type != NOTHING:
                # The first rule that gives items decides the item type of an empty list for all later rules.
                query = replace(query, type=join(query.type, modifier.value.type) or query.type)
        order: dict[str | None, int] = dict(self.names.layers.items())
        return tuple(sorted(modifiers, key=lambda modifier: order.get(modifier.layer, len(order))))

    def _check_modifier(
        self, decl: RuleSource, rule: ast.WhileRule, query: core.Query, symbol: QuerySymbol
    ) -> core.Modifier | None:
        """Return a checked ``while`` rule, or None if no card can have it.

        An unknown layer is reported and kept. Records the call of the rule by the query.
        """
        name = decl.name
        self.texts.notes.graph.add_call(Owner("query", query.name), Owner("rule", name), rule.query_span)
        routine = self.texts.make_routine(Owner("rule", name))
        with routine.open_scope(), routine.restore_narrowing():
            self._bind(routine, symbol, rule.bindings, decl, rule.query_span)
            it_slot = routine.bind_unchecked("it", query.type, rule.query_span, "value so far")
            local = self._bind_this(routine, decl, symbol, rule.bindings)
            condition = assume_condition(routine, rule.condition)
            value = check_expected(routine, rule.value, query.type, f"as the value of `{query.name}`")
        routine.record_layer(rule.layer, rule.layer_span or rule.span)
        n_slots = routine.locals.n_slots
        if local is None:
            return core.Modifier(name, rule.layer, it_slot, condition, value, n_slots, decl.span, origin=decl.origin)
        if local.copies == ():
            return None  # no card makes this rule
        condition, copies = _conjoin(local.condition, condition) or condition, local.copies or ()
        return core.Modifier(
            name, rule.layer, it_slot, condition, value, n_slots, decl.span, copies, local.slot, origin=decl.origin
        )


def _conjoin(first: core.Expr | None, second: core.Expr | None) -> core.Expr | None:
    """Return the conjunction of two conditions, with the origin of rules of cards.

    A condition that is None counts as true: the other one is returned itself, and None if both are.
    """
    if first is None or second is None:
        return second if first is None else first
    return core.Binary(BOOL, second.span, "and", first, second, origin=_CARD_ORIGIN)


def _apply_to_copies(rule: core.Rule, kind: ComponentType, slot: int, copies: tuple[int, ...], word: str) -> core.Rule:
    """Apply a rule of a card to all its copies, whose numbers are ``copies``.

    A ``when`` rule becomes a loop over the copies that are active when the event has ended, in their order, without a
    condition of its own. An ``instead of`` rule holds if any copy is active, and its body begins with a Let that binds
    ``slot`` to the first such copy. A copy is active if the condition of the rule is true for it.
    """
    cards, origin = core.Const(ListType(kind), rule.span, copies), Origin(RULES, rule.id, "each")
    if word == "when":
        source: core.Expr = cards
        condition = rule.condition
        if condition is not None and len(copies) > 1:  # found before the first body runs, which may move other copies
            source, condition = core.Filter(cards.type, rule.span, slot, cards, condition), None
        loop = core.ForEach(rule.span, slot, "this", source, condition, rule.body, origin=origin)
        return replace(rule, condition=None, body=(loop,))
    condition = rule.condition or core.Const(BOOL, rule.span, True)
    has_active_copy = core.Fold(BOOL, rule.span, slot, cards, "any", None, condition)
    active_copies = core.Filter(cards.type, rule.span, slot, cards, condition)
    first_active = core.CallBuiltin(kind, rule.span, "first", (active_copies,))
    this_let = core.Let(rule.span, slot, "this", first_active, origin=origin)
    return replace(rule, condition=has_active_copy, body=(this_let, *rule.body))


EventValues = tuple[tuple[str, Type, ast.Name | None], ...]
"""The values that an event passes to a rule.

Each has a name for messages, a type, and its name in the rule (or None).
"""


class EventChecker:
    """Turn rules with patterns into effects.

    Attributes:
        effects: One effect for each ``when`` rule, and one for each zone with ``instead of entering`` rules.
        answers: The events that trigger each of these effects.
    """

    def __init__(self, rules: Rules) -> None:
        """Check the rules on zones, phases and values at once. Rules on effects are checked when their effect is."""
        self.rules = rules
        self.names = rules.names
        self.report = rules.diagnostics
        self.effects: dict[str, core.Effect] = {}
        self.answers = Triggers()
        self._instead: dict[str, list[core.Rule]] = {}
        for source, rule in rules.patterns:
            match rule:
                case ast.ZoneRule():
                    self._check_zone_rule(source, rule)
                case ast.PhaseRule():
                    self._check_phase_rule(source, rule)
                case ast.ChangeRule():
                    self._check_change_rule(source, rule)

    # ------------------------------------------------------------ zones

    def _check_zone_rule(self, source: RuleSource, rule: ast.ZoneRule) -> None:
        """Check a rule about a card that enters or leaves a zone, and record its effect as a trigger.

        Does nothing more after reporting an unknown zone, or two zones for different kinds.
        """
        zone = self._resolve_symbol(rule.zone.name, rule.zone.span, ZoneSymbol)
        other_node = rule.other_zone
        other_zone = None if other_node is None else self._resolve_symbol(other_node.name, other_node.span, ZoneSymbol)
        if not isinstance(zone, ZoneSymbol) or (other_node is not None and not isinstance(other_zone, ZoneSymbol)):
            return
        if isinstance(other_zone, ZoneSymbol) and other_zone.holds != zone.holds:
            notes = other_zone.notes
            message = f"`{zone.name}` holds `{zone.holds}`, `{other_zone.name}` holds `{other_zone.holds}`"
            self.report.add(codes.INCOMPATIBLE_ZONES, message, rule.span, None, notes)
            return
        card = ast.Name(rule.card_span, rule.card)
        other_name = None if other_zone is None else other_zone.name
        if rule.verb == "entering":
            self._check_entering_rule(source, rule, zone, other_name, card)
            return
        name = self._make_when_effect(source, rule, rule.zone.span, zone.is_per_player, (("card", zone.holds, card),))
        answer = ZoneTrigger(name, source.name, rule.verb, zone.name, other_name, zone.is_per_player)
        self.answers.zones.append(answer)

    def _check_entering_rule(
        self, source: RuleSource, rule: ast.ZoneRule, zone: ZoneSymbol, other_name: str | None, card: ast.Name
    ) -> None:
        """Add a rule that replaces a card's move into a zone.

        Its effect gets the card and the zone that it came from.
        """
        effect = core.Effect(f"{zone.name} is entered", zone.is_per_player, (), 0, ())
        event_values: EventValues = (("card", zone.holds, card), ("from", INT, None))
        answer, params = self._check_rule(source, rule, effect, rule.zone.span, event_values, "instead")
        if other_name is not None:
            span = rule.zone.span
            number = core.Const(INT, span, self.answers.assign_source_number(other_name))
            source_zone = core.Local(INT, span, params[-1].slot, "from")
            source_test = core.Binary(BOOL, span, "=", source_zone, number, origin=Origin(EVENTS))
            answer = replace(answer, condition=_conjoin(source_test, answer.condition))
        self._instead.setdefault(zone.name, []).append(answer)
        rules = tuple(self._instead[zone.name])
        origin = Origin(EVENTS, zone.name, "instead")
        self.effects[effect.name] = replace(effect, params=params, n_slots=len(params), instead=rules, origin=origin)
        self.answers.replacements.append(
            ZoneTrigger(effect.name, source.name, rule.verb, zone.name, other_name, zone.is_per_player)
        )

    # ------------------------------------------------------------ phases

    def _check_phase_rule(self, source: RuleSource, rule: ast.PhaseRule) -> None:
        if rule.phase not in self.names.phases:
            report_unknown(self.report, "phase", rule.phase, rule.phase_span, self.names.phases)
            return
        name = self._make_when_effect(source, rule, rule.phase_span, False, ())
        self.answers.phases.append(PhaseTrigger(name, source.name, rule.verb, rule.phase))

    # ------------------------------------------------------------ variables and pools

    def _check_change_rule(self, source: RuleSource, rule: ast.ChangeRule) -> None:
        """Check a rule about a changed value, and record its effect as a trigger.

        The effect gets the indices and the value before the change. Does nothing more after a report.
        """
        place = self._resolve_symbol(rule.place, rule.place_span, VariableSymbol, PoolSymbol)
        if not isinstance(place, VariableSymbol | PoolSymbol):
            return
        dims = [dim.type for dim in place.dims[1 if place.is_per_player else 0 :]]
        kind = None
        if isinstance(place, PoolSymbol):
            dims.append(place.holds)
            kind = self._resolve_kind(place, rule.kind)
        elif rule.kind is not None:
            message, hint = f"`{place.name}` is no pool", "write the name of the variable alone, with its indices"
            self.report.add(codes.UNKNOWN_MEMBER, message, rule.kind.span, hint)
            return
        if len(rule.indices) > len(dims):
            index_phrase = f"has {len(dims)}" if dims else "has none"
            message = f"{len(rule.indices)} indices are named, and `{place.name}` {index_phrase}"
            reason = "whose it is says `me`" if place.is_per_player else None
            self.report.add(codes.WRONG_INDICES, message, rule.span, reason, place.notes)
            return
        index_names: list[ast.Name | None] = [*rule.indices, *(None for _ in dims[len(rule.indices) :])]
        old_type = INT if isinstance(place, PoolSymbol) else place.type
        event_values = (
            *((f"index {n}", type, name) for n, (type, name) in enumerate(zip(dims, index_names, strict=True), 1)),
            ("old", old_type, ast.Name(rule.place_span, "old")),
        )
        self.rules.texts.notes.used_names.add(place.name)
        name = self._make_when_effect(source, rule, rule.place_span, place.is_per_player, event_values)
        self.answers.changes.append(ChangeTrigger(name, source.name, place.name, kind))

    def _resolve_kind(self, pool: PoolSymbol, name: ast.Name | None) -> int | None:
        """Return the ordinal of the kind of counter that a pattern names.

        None means all kinds, or an unknown kind after a report.
        """
        if name is None:
            return None
        ordinal = self.rules.keywords.declarations.data_checker.resolve_value(pool.holds, name.name, name.span)
        if ordinal is not None:
            routine = self.rules.texts.make_routine(Owner("rule"))
            check_pool_kind(routine, pool, core.Const(pool.holds, name.span, ordinal))
        return ordinal

    # ------------------------------------------------------------ what all have in common

    def _resolve_symbol(self, name: str, span: Span, *symbol_classes: type[Symbol]) -> Symbol | None:
        """Return the symbol that a pattern names and count it as read, or None after a report.

        A broken symbol gives None.
        """
        symbol = self.names.symbols.get(name)
        expected_kinds = " or ".join(symbol_class.kind for symbol_class in symbol_classes)
        if symbol is None:
            report_unknown(self.report, expected_kinds, name, span, self.names.list_named(*symbol_classes))
        elif isinstance(symbol, SpanSymbol) or not isinstance(symbol, (BrokenSymbol, *symbol_classes)):
            notes = symbol.notes
            message = f"`{name}` is {prepend_article(symbol.kind)}, not {prepend_article(expected_kinds)}"
            self.report.add(codes.NOT_A_PLACE, message, span, None, notes)
        elif not isinstance(symbol, BrokenSymbol):
            self.rules.texts.notes.used_names.add(name)
            self.rules.texts.notes.read_names.add(name)
            return symbol
        return None

    def _make_when_effect(
        self, source: RuleSource, rule: Pattern, span: Span, is_per_player: bool, event_values: EventValues
    ) -> str:
        """Create the effect of a ``when`` rule and return its name, which is made unique by apostrophes."""
        effect = core.Effect(f"when {source.name}", is_per_player, (), 0, ())
        while effect.name in self.effects:
            effect = replace(effect, name=f"{effect.name}'")  # rules of several cards may share a name
        answer, params = self._check_rule(source, rule, effect, span, event_values, "when")
        origin = Origin(EVENTS, source.name, "when")
        self.effects[effect.name] = replace(effect, params=params, n_slots=len(params), when=(answer,), origin=origin)
        return effect.name

    def _check_rule(
        self, source: RuleSource, rule: Pattern, effect: core.Effect, span: Span, event_values: EventValues, word: str
    ) -> tuple[core.Rule, tuple[core.Param, ...]]:
        """Return a rule that begins with ``word`` (``when`` or ``instead``), and the parameters that its event passes.

        A rule of a card about its own move holds wherever that card is, since the pattern already names the zone.
        """
        routine = self.rules.texts.make_routine(Owner("rule", source.name))
        parameters = tuple((name, type) for name, type, _ in event_values)
        symbol = EffectSymbol(effect.name, span, effect.is_per_player, parameters)
        params: list[core.Param] = []
        bindings: list[ast.Binding] = []
        with routine.open_scope(), routine.restore_narrowing():
            if effect.is_per_player:
                params.append(core.Param(routine.bind_me(span), "me", PLAYER))
            for name, type, name_node in event_values:
                if name_node is None:
                    slot = routine.locals.allocate_slot()
                elif name == "old":
                    slot = routine.bind_unchecked("old", type, name_node.span, "value before")
                else:
                    slot = routine.bind(name_node.name, type, name_node.span, "parameter", is_exempt=True)
                params.append(core.Param(slot, name, type))
                if name_node is not None:
                    self.rules._warn_about_hidden_value(source, name_node.name, name_node.span, type)
                    bindings.append(ast.Binding(name_node.span, name, name_node.name))
            local = self.rules._bind_this(routine, source, symbol, bindings, isinstance(rule, ast.ZoneRule))
            return self.rules._check_answer(routine, source, rule, local, word), tuple(params)


Loop = tuple[int, str, core.Expr]
"""A loop to generate: slot, name and list."""


def check_whenever_rule(rules: Rules, source: RuleSource, rule: ast.WheneverRule) -> tuple[core.Query, core.Effect]:
    """Check a ``whenever`` rule. Returns the query for whether it applies now, and the effect that carries it out.

    Both are called ``whenever NAME``, where NAME is that of ``source``. In the section ``rules``, the value of the
    query is the condition itself, and the effect is an If with this condition and the block. For a rule of cards, the
    effect is a ForEach over its cards, and the query an ``any`` over them. Both test ``active`` first and the condition
    last. Between them, a rule of a card or keyword, but not of a kind, tests the keyword or that the card is not blank,
    unless that is certain. The cards are all copies that can have the rule. But in a rule of a kind or keyword with
    ``active: this in any hand``, they are the cards in ``hand``, and a ForEach or ``any`` for each index of that zone
    stands around them. Faulty parts are reported: an unknown variable stays as an expression of type NOTHING, and a
    call of an unknown effect is left out.
    """
    routine = rules.texts.make_routine(Owner("rule", source.name))
    with routine.open_scope(), routine.restore_narrowing():
        local = rules._bind_this(routine, source)
        condition = assume_condition(routine, rule.condition)
        body = routine.check_block(rule.body)
    name, span, origin = f"whenever {source.name}", rule.span, Origin(STATE_CHECKS, source.name, "rule", source.card)
    if local is None:
        statement: core.Stmt = core.If(span, ((condition, body),), (), origin=origin)
        is_due = condition
    else:
        if local.condition is not None:
            condition = core.Binary(BOOL, span, "and", local.condition, condition)
        *outer_loops, (slot, item, cards) = _make_check_loops(routine, source, local)
        statement = core.ForEach(span, slot, item, cards, condition, body, origin=origin)
        is_due = core.Fold(BOOL, span, slot, cards, "any", None, condition)
        for slot, item, values in reversed(outer_loops):
            statement = core.ForEach(span, slot, item, values, None, (statement,), origin=origin)
            is_due = core.Fold(BOOL, span, slot, values, "any", None, is_due)
    n_slots, query_origin = routine.locals.n_slots, Origin(STATE_CHECKS, source.name, "due", source.card)
    query = core.Query(name, False, (), BOOL, n_slots, is_due, (), query_origin)
    return query, core.Effect(name, False, (), n_slots, (statement,), origin=origin)


def _make_check_loops(routine: Routine, source: RuleSource, local: ThisLocal) -> list[Loop]:
    """Return the loops over the cards of a state check, outermost first.

    If a rule of a kind or keyword has a test such as ``this in any hand`` in ``active``, the loops cover the cards in
    that zone, in their order. Otherwise, and for rules of one card, they cover all copies, also for ``this in pile``.
    """
    span, zone = source.span, None
    if local.condition is not None and source.cards is not None and source.cards.original is None:
        zone = core.find_required_zone(local.condition, local.slot)
    if zone is None:
        return [(local.slot, "this", core.Const(ListType(local.kind), span, local.copies or ()))]
    symbol = routine.names.symbols[zone]
    assert isinstance(symbol, ZoneSymbol)
    indices = [core.Local(dim.type, span, routine.locals.allocate_slot(), "index") for dim in symbol.dims]
    loops = [
        (index.slot, index.name, make_dim_values(dim, span)) for index, dim in zip(indices, symbol.dims, strict=True)
    ]
    return [*loops, (local.slot, "this", core.ReadZone(ListType(local.kind), span, zone, tuple(indices)))]
