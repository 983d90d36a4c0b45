"""Check members of component kinds and cards: their queries, effects and actions, and keywords.

It also expands a rule with gains, such as ``while …: u gets +1 strength``, to one ``while`` rule for each changed
query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from .. import core
from ..core.generated_part_origins import CARDS, KEYWORDS, Origin
from ..desugar.split_statements_blank_cards_invariants_and_secret_names import make_blankable
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics, name_subjects
from ..source.source import EmbeddedText, Span, prepend_article, quote_list
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..types.types import (
    BOOL,
    NOTHING,
    BoolType,
    ComponentType,
    IntType,
    ListType,
    Type,
    get_default_value,
    join,
    optional,
)
from .actions_and_offers import check_card_action, make_option_test
from .call_graph_and_size_limits import Owner
from .code_fields_templates_and_check_cache import (
    DeclarationKey,
    TextChecker,
    check_block_text,
    check_says,
    check_template_text,
    check_value_text,
)
from .coercions import convert_to
from .context import Routine
from .declared_names_variables_pools_and_zones import Declarations
from .member_access_and_card_tests import make_not_blank_test
from .symbol_table import (
    ActionSymbol,
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    KeywordSymbol,
    KindAction,
    Names,
    Parameters,
    QuerySymbol,
    report_unknown,
)

T = TypeVar("T")
CardText = tuple[int, EmbeddedText]
"""A card, given by the number of its first copy, and the text that it supplies for a member."""
MemberDecl = model.MemberQueryDecl | model.MemberEffectDecl | model.MemberActionDecl

_SECTIONS = ("queries", "effects", "actions")


class CardMembers:
    """Declare and check the members of all component kinds."""

    def __init__(self, ruleset: model.Ruleset, declarations: Declarations, texts: TextChecker) -> None:
        self.ruleset = ruleset
        self.declarations = declarations
        self.texts = texts
        self.names = declarations.names
        self.notes = texts.notes
        self.diagnostics = texts.report
        self.queries: dict[str, tuple[str, model.MemberQueryDecl]] = {}
        self.effects: dict[str, tuple[str, model.MemberEffectDecl]] = {}
        self._keywords = {(decl.kind.text, decl.name.text) for decl in ruleset.keywords if decl.member is not None}
        self._abilities: dict[str, KindAction] = {}

    # ------------------------------------------------------------ declarations

    def declare(self) -> None:
        """Declare a symbol for each member of each kind, and check which members each card supplies.

        Members of keywords are declared as well. Records the kinds whose cards can be blank. Reports fields with the
        name of a built-in member.
        """
        for kind in self.ruleset.components:
            declared_spans: dict[str, Span] = {name.text: name.span for name, _ in kind.fields}
            for name, span in declared_spans.items():
                self.declarations.check_member_name(name, span)
            keyword_members = [decl.member for decl in self.ruleset.keywords if decl.kind.text == kind.name.text]
            for decl in (*kind.members, *keyword_members):
                if decl is not None:
                    self._declare_member(kind, decl, declared_spans)
            if kind.can_be_blank:
                self.names.blank_kinds.add(kind.name.text)
                self.notes.used_names.add(f"{kind.name.text}.blank")
        for card in self.ruleset.cards:
            self._check_card_members(card)

    def _declare_member(self, kind: model.ComponentDecl, decl: MemberDecl, declared_spans: dict[str, Span]) -> None:
        """Declare a member of a kind under ``KIND.NAME``.

        An action also gets a query, which says whether it can be used.

        Reports a name that the kind has already in ``declared_spans``, and declares a broken symbol.
        """
        name, span = decl.name.text, decl.name.span
        self.declarations.check_name(name, span)
        self.declarations.check_member_name(name, span)
        full_name = f"{kind.name.text}.{name}"
        if name in declared_spans:
            notes = [(declared_spans[name], "declared here")]
            message = f"{prepend_article(f'`{kind.name.text}`')} has a `{name}` already"
            self.diagnostics.add(codes.NAME_TAKEN, message, span, "give one of them another name", notes)
            self.names.symbols[full_name] = BrokenSymbol(full_name, span)
            return
        declared_spans[name] = span
        this_params: Parameters = (("this", ComponentType(kind.name.text)),)
        match decl:
            case model.MemberQueryDecl():
                self.queries[full_name] = (kind.name.text, decl)
                params = this_params + self.declarations.check_params(decl.params)
                self.names.symbols[full_name] = QuerySymbol(full_name, span, decl.is_per_player, params)
            case model.MemberEffectDecl():
                self.effects[full_name] = (kind.name.text, decl)
                params = this_params + self.declarations.check_params(decl.params)
                self.names.symbols[full_name] = EffectSymbol(full_name, span, decl.is_per_player, params)
            case model.MemberActionDecl():
                cards_with_action = tuple(
                    (original, card_action)
                    for original, card in self._iterate_cards(kind.name.text)
                    for card_action in card.all_actions
                    if card_action.name.text == name
                )
                is_keyword = (kind.name.text, name) in self._keywords
                ability = KindAction(full_name, kind.name.text, decl, cards_with_action, is_keyword)
                self.names.kind_actions[full_name] = ability
                self._abilities[ability.query_name] = ability
                self.names.symbols[full_name] = ActionSymbol(full_name, span)
                self.names.symbols[ability.query_name] = QuerySymbol(ability.query_name, span, True, this_params)

    def _iterate_cards(self, kind: str) -> Iterator[tuple[int, model.CardDecl]]:
        for card in self.ruleset.cards:
            number = self.names.constants.get(card.id.text)
            if card.kind.text == kind and number is not None and isinstance(number.value, int):
                yield number.value, card

    def _check_card_members(self, card: model.CardDecl) -> None:
        """Report each member that a card supplies under a section where its kind lacks it, and in one diagnostic all
        queries without a value that the card doesn't supply either. Cards of unknown kinds are skipped.
        """
        kind = next((kind for kind in self.ruleset.components if kind.name.text == card.kind.text), None)
        if kind is None:
            return
        sections = {member.name.text: section for section in reversed(_SECTIONS) for member in getattr(kind, section)}
        given_members: dict[str, list[model.Word]] = {
            "queries": [name for name, _ in card.queries],
            "effects": [name for name, _ in card.effects],
            "actions": [action.name for action in card.actions],
        }
        notes = [(kind.name.span, f"the kind `{kind.name.text}` is declared here")]
        own_sections = {name.text: "fields" for name, _ in kind.fields} | sections
        own_sections |= {name: "keywords" for kind_name, name in self._keywords if kind_name == card.kind.text}
        for section, words in given_members.items():
            for word in words:
                if sections.get(word.text) == section:
                    continue
                message = f"{prepend_article(f'`{kind.name.text}`')} has no {_SINGULAR[section]} `{word.text}`"
                member_names = [name for name, member_section in sections.items() if member_section == section]
                hint = _suggest_section(word.text, own_sections, section, member_names)
                self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, hint, notes)
        given_queries = {name.text for name, _ in card.queries}
        required_queries = (query.name.text for query in kind.queries if query.value is None)
        missing_queries = [name for name in required_queries if name not in given_queries]
        if missing_queries:
            plural = "query" if len(missing_queries) == 1 else "queries"
            needs = f"which every `{kind.name.text}` needs"
            message = f"the card `{card.id.text}` does not define the {plural} {quote_list(missing_queries)}, {needs}"
            hint = f"write it under `queries`, or give `{kind.name.text}.{missing_queries[0]}` a `value` for all"
            self.diagnostics.add(codes.CARD_MEMBERS, message, card.id.span, hint, notes)

    # ------------------------------------------------------------ texts

    @staticmethod
    def _bind_parameters(routine: Routine, symbol: CallableSymbol) -> tuple[core.Param, ...]:
        """Bind ``me``, ``this`` and the parameters in the first slots."""
        params = ((name, type, symbol.span) for name, type in symbol.params)
        return routine.bind_parameters(symbol.is_per_player, symbol.span, params)

    def make_query(self, name: str) -> core.Query | None:
        """Return the query of a card kind by its full name, ``Card.worth``.

        Its value is a ByCard, with a case for each card that has a text of its own. All other cards get the kind's
        text, or without one the text of the last such card, which then has no case. Without cases, the value is that
        text alone, or the constant ``none`` if there is no text at all. ``Card.can bloom`` says whether the action
        ``bloom`` can be used: it has a case for each card with the action, and is false for all others. The result has
        no modifiers yet. Returns None for a name that is no query, such as one that the kind declares twice. Raises
        KeyError for a query of the ruleset itself, and for the query of a keyword, ``Card.armour``.
        """
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, QuerySymbol):
            return None
        owner = Owner("query", name)
        if name in self.queries:
            kind, decl = self.queries[name]
            type = self.declarations.data_checker.check_type(decl.type) if decl.type is not None else None
            texts = ((number, word, text) for number, card in self._iterate_cards(kind) for word, text in card.queries)
            values = [(number, text) for number, word, text in texts if word.text == decl.name.text]
            key: DeclarationKey = (symbol.span, decl.name, decl.value, decl.phrase, type, values)
        else:
            ability = self._abilities[name]
            key = (symbol.span, ability.decl, ability.cards)

        def check(texts: TextChecker) -> core.Query:
            routine = texts.make_routine(owner)
            with routine.open_scope():
                params = self._bind_parameters(routine, symbol)
                this_card, phrase, origin = _make_this(params, symbol.span), "", core.AUTHORED
                if name in self.queries:
                    value = self._make_card_values(routine, kind, decl, type, values, this_card)
                    phrase = "" if decl.phrase is None else decl.phrase.text
                else:
                    value, origin = self._make_usable_test(routine, ability, this_card), Origin(CARDS, name, "can")
            n_slots = routine.locals.n_slots
            return core.Query(name, symbol.is_per_player, params, value.type, n_slots, value, (), origin, phrase=phrase)

        return self.texts.check_declaration(owner, key, check)

    @staticmethod
    def _make_card_values(
        routine: Routine,
        kind: str,
        decl: model.MemberQueryDecl,
        type: Type | None,
        texts: Sequence[CardText],
        this_card: core.Expr,
    ) -> core.Expr:
        """Return the value of a query of cards: a ByCard with the value of each card that gives one, by ``texts``.

        All other cards have the kind's own value; without one, that of the last such card takes its place. All values
        must share a type.
        """
        role = f"as the `{decl.name.text}` of {prepend_article(f'`{kind}`')}"
        card_values: list[tuple[int, core.Expr]] = []
        default: core.Expr | None = None
        result_type: Type = NOTHING
        for original, text in [*([(-1, decl.value)] if decl.value is not None else []), *texts]:
            with routine.open_scope(), routine.restore_narrowing():
                value = check_value_text(routine, text, type, role)
                common_type = join(result_type, value.type)
                value = value if common_type is not None else convert_to(routine, value, result_type, role)
            result_type = common_type if common_type is not None else result_type
            if original < 0:
                default = value
            else:
                card_values.append((original, value))
        if default is None:
            if not card_values:
                return core.Const(type or NOTHING, decl.name.span, None)
            default = card_values.pop()[1]
        if not card_values:
            return default
        return core.ByCard(type or result_type, decl.name.span, this_card, tuple(card_values), default)

    def make_effect(self, name: str) -> core.Effect | None:
        """Return the effect of a card kind by its full name, ``Card.hit``, without the rules that it triggers.

        If cards supply texts of their own, the body is one DoByCard: a case for each such card in declared order, and
        the kind's text as ``otherwise``. For a keyword of a kind that can be blank, an If around the DoByCard tests
        that the card is not blank. If no card supplies a text, the body is the kind's text. Each text, also that of a
        card, begins with the announcement of the effect (``says``); a kind without a text gives () without it. A text
        that can't be parsed is reported, and leaves only the announcement. Returns None if a second effect, an action
        or a keyword of the kind has the same name. Raises KeyError for any other name, and for an effect with the name
        of a field or query of the kind.
        """
        kind, decl = self.effects[name]
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, EffectSymbol):
            return None
        owner, is_keyword = Owner("effect", name), (kind, decl.name.text) in self._keywords
        blocks = [
            (number, text)
            for number, card in self._iterate_cards(kind)
            for word, text in card.all_effects
            if word.text == decl.name.text
        ]

        def check(texts: TextChecker) -> core.Effect:
            routine = texts.make_routine(owner)
            with routine.open_scope():
                params = self._bind_parameters(routine, symbol)
                cases = tuple(
                    (number, (*check_says(routine, decl.says), *check_block_text(routine, text)))
                    for number, text in blocks
                )
                announcement = check_says(routine, decl.says)
                otherwise = () if decl.do is None else (*announcement, *check_block_text(routine, decl.do))
                this_card = _make_this(params, symbol.span)
                body: tuple[core.Stmt, ...] = otherwise
                if cases:
                    body = (core.DoByCard(decl.name.span, this_card, cases, otherwise, origin=Origin(CARDS, name)),)
                if cases and is_keyword:
                    span, origin = decl.name.span, Origin(CARDS, name)
                    is_not_blank = make_not_blank_test(routine, ComponentType(kind), this_card, span, origin)
                    if is_not_blank is not None:
                        body = (core.If(span, ((is_not_blank, body),), (), origin=origin),)
            return core.Effect(name, symbol.is_per_player, params, routine.locals.n_slots, body)

        key = (symbol.span, decl.name, decl.says, decl.do, blocks, is_keyword)
        return self.texts.check_declaration(owner, key, check)

    def _make_usable_test(self, routine: Routine, ability: KindAction, this_card: core.Expr) -> core.Expr:
        """Return an expression that says whether an action of a card has an option now."""
        cases = []
        for original, action in ability.cards:
            with routine.open_scope(), routine.restore_narrowing():
                cases.append((original, make_option_test(routine, ability, action)))
        span = ability.decl.name.span
        false = core.Const(BOOL, span, False)
        return core.ByCard(BOOL, span, this_card, tuple(cases), false) if cases else false

    def check_unused(self) -> None:
        """Report mistakes in card actions that nothing offers. The routines that result are discarded."""
        for name, ability in self.names.kind_actions.items():
            if name not in self.notes.used_names:
                routine = self.texts.make_routine(Owner("offer", name))
                check_card_action(routine, ability)


_SINGULAR = {"queries": "query", "effects": "effect", "actions": "action"}


def _suggest_section(name: str, sections: Mapping[str, str], section: str, member_names: Sequence[str]) -> str:
    """Return a hint for a name that a card gives under ``section``, where its kind doesn't have it.

    ``sections`` maps names of the kind to the sections that they belong to, and ``member_names`` belong here.
    """
    if name in sections:
        return f"`{name}` belongs under `{sections[name]}`"
    member_list = f"its {section} are {quote_list(member_names)}" if member_names else f"its kind has no {section}"
    return suggest_name(name, member_names) or member_list


def _make_this(params: Sequence[core.Param], span: Span) -> core.Expr:
    param = next(candidate for candidate in params if candidate.name == "this")
    return core.Local(param.type, span, param.slot, "this")


def expand_gains(
    rule: ast.GainRule, kind: str | None, keywords: Mapping[str, Sequence[str]], names: Names, report: Diagnostics
) -> Iterator[ast.WhileRule]:
    """Expand a rule with gains to one ``while`` rule for each query that it changes.

    ``kind`` is the component kind of the card on which the rule stands, or None. ``keywords`` maps each kind to the
    keywords that cards can gain from other cards. In each rule, ``this`` of the query has the name that the rule gives
    it. Yields nothing after reporting that this name is that of a card or value. An unknown query is reported and left
    out. Example: ``while c: u gets +1 strength`` gives ``while c: Card.strength(this: u) is it + 1``.
    """
    if rule.name in names.constants:
        message = f"`{rule.name}` is already the name of a card or value, so it can't name whatever gets something"
        hint = f"write another name, and compare it in the condition: `while u is {rule.name}: u gets …`"
        report.add(codes.NAME_TAKEN, message, rule.name_span, hint)
        return
    for gain in rule.gains:
        if gain.form == "keywords":
            changes = _expand_all_keywords(gain, kind, keywords, names, report)
        else:
            query = _find_gained_query(gain, kind, names, report)
            changes = [] if query is None else [(query, _make_gain_value(gain))]
        bindings = (ast.Binding(rule.name_span, "this", rule.name),)
        for query, change in changes:
            yield ast.WhileRule(
                gain.span, rule.condition, query, gain.name_span, bindings, change, rule.layer, rule.layer_span
            )


def _expand_all_keywords(
    gain: ast.Gain, kind: str | None, keywords: Mapping[str, Sequence[str]], names: Names, report: Diagnostics
) -> list[tuple[str, ast.Expr]]:
    """Return the changed keywords for a gain of all keywords of another card, with the new value of each.

    A number becomes the larger of both, and a list the union of both. Any other keyword keeps its own value if it has
    one. Only the keywords *printed* on the other card count, so that no cycle arises. Returns [] after reporting that
    the kind of card is unknown.
    """
    kinds = [kind] if kind is not None else [name for name, keyword_names in keywords.items() if keyword_names]
    if len(kinds) != 1:
        hint = "write the rule on a card, under `rules` of a kind, or behind a keyword"
        report.add(codes.AMBIGUOUS_VALUE, "the kind of card that gets these keywords is unknown", gain.span, hint)
        return []
    changes = []
    for keyword in keywords.get(kinds[0], ()):
        symbol = names.symbols.get(f"{kinds[0]}.{keyword}")
        if isinstance(symbol, KeywordSymbol):
            changes.append((symbol.name, _combine_keyword(gain, keyword, symbol.type)))
    return changes


def _combine_keyword(gain: ast.Gain, keyword: str, type: Type) -> ast.Expr:
    """Return the expression for ``it`` combined with the keyword ``keyword`` printed on the other card of a gain.

    - One of two conditions must hold.
    - The greater of two numbers counts.
    - Lists are united.
    - Any other value of ``it`` stays unless it is none.
    """
    span, other_card = gain.span, gain.value
    assert other_card is not None
    old_value = ast.Name(span, "it")
    printed_value = ast.Member(span, keyword, span, ast.Member(span, "printed", span, other_card))
    match type:
        case BoolType():
            return ast.Binary(span, "or", old_value, printed_value)
        case IntType():
            arguments = (ast.Argument(span, None, old_value), ast.Argument(span, None, printed_value))
            return ast.Call(span, ast.Name(span, "larger"), arguments)
        case ListType():
            return ast.Binary(span, "union", old_value, printed_value)
    is_missing = ast.Binary(span, "=", old_value, ast.NoneLit(span))
    return ast.IfExpr(span, is_missing, printed_value, old_value)


def _find_gained_query(gain: ast.Gain, kind: str | None, names: Names, report: Diagnostics) -> str | None:
    """Return the name of the query or keyword that a gain changes, such as ``Card.strength``.

    A member of ``kind`` comes first, then that of the only kind that has one. Returns None after a report.
    """
    kinds = [name for name in names.kinds if isinstance(names.symbols.get(f"{name}.{gain.name}"), QuerySymbol)]
    if kind in kinds:
        return f"{kind}.{gain.name}"
    if len(kinds) == 1:
        return f"{kinds[0]}.{gain.name}"
    if kinds:
        kind_list = quote_list(kinds)
        hint = f"write the kind: `while …: {kinds[0]}.{gain.name}(this: u) is …`"
        report.add(codes.AMBIGUOUS_VALUE, f"`{gain.name}` is a query of {kind_list}", gain.name_span, hint)
        return None
    full_names = [name for name, symbol in names.symbols.items() if isinstance(symbol, QuerySymbol) and "." in name]
    hint = suggest_name(gain.name, [name.partition(".")[2] for name in full_names]) or (
        "write a keyword, or a query that the kind declares under `queries`"
    )
    message = f"a card can't get `{gain.name}`"
    report.add(codes.UNKNOWN_NAME, message, gain.name_span, hint, subjects=name_subjects(gain.name))
    return None


def _make_gain_value(gain: ast.Gain) -> ast.Expr:
    """Return the new value of the query. Its old value is ``it``."""
    if gain.value is None:
        return ast.BoolLit(gain.span, True)
    if gain.form == "is":
        return gain.value
    operator = "union" if gain.form == "()" else gain.form
    return ast.Binary(gain.span, operator, ast.Name(gain.span, "it"), gain.value)


def get_query_name(decl: model.KeywordDecl) -> str:
    """Return the name of a keyword's query, such as ``Card.armour`` or, for an effect or action, ``Card.has bloom``.

    The first returns the value of the keyword. The second says whether a card has the keyword.
    """
    return f"{decl.kind.text}.{decl.name.text if decl.member is None else f'has {decl.name.text}'}"


class Keywords:
    """Declare and check the keywords of all component kinds."""

    def __init__(self, ruleset: model.Ruleset, declarations: Declarations, texts: TextChecker) -> None:
        self.ruleset = ruleset
        self.declarations = declarations
        self.texts = texts
        self.names = declarations.names
        self.notes = texts.notes
        self.diagnostics = texts.report
        self.queries: dict[str, core.Query] = {}
        self._decls: dict[str, model.KeywordDecl] = {}  # by the name of its query
        self._copies: dict[str, list[core.Entity]] = {}  # by the id of the card

    def declare(self) -> None:
        """Add the query of each keyword to ``queries``, and store the values printed on cards in ``Entity.fields``.

        For the kind ``Unit``, the query and its KeywordSymbol in ``names.symbols`` have the key ``Unit.armour`` or, for
        an effect or action, ``Unit.has bloom``. The field has the key ``armour`` or ``bloom``, on all copies of each
        card of the kind. A keyword without a type stores True. Cards without the keyword store ``False``, 0, ``()`` or,
        for any other type, None. A keyword of an unknown kind, or with the name of another member of its kind, is
        reported and gets no query. The names ``if`` (a word of the language) and ``holder`` (every card has it) are
        reported, too, but get one. On a card, a keyword that the kind doesn't have is reported. So is a missing or
        surplus value, as if the card had no keyword, and a value of a wrong type, which stores None, while a list only
        loses wrong items. A keyword that stands there twice is reported, and its first value counts.
        """
        decls = {
            (decl.kind.text, decl.name.text): decl for decl in self.ruleset.keywords if self._declare_keyword(decl)
        }
        for entity in self.declarations.entities:
            self._copies.setdefault(entity.card, []).append(entity)
        for card in self.ruleset.cards:
            self._check_printed(card, decls)

    def find_bearers(self, name: str) -> tuple[int, ...]:
        """Return the numbers of the cards on which a keyword is printed.

        All copies are included. A value that is false, 0 or empty doesn't count. ``name`` is the name of the keyword's
        query.
        """
        kind, word = self._decls[name].kind.text, self._decls[name].name.text
        return tuple(card.number for card in self.declarations.entities if card.kind == kind and card.fields.get(word))

    def is_action_or_effect(self, name: str) -> bool:
        """Return whether a keyword is an effect or action, which rules can neither give nor remove.

        ``name`` is the name of the keyword's query. Raises KeyError for any other name.
        """
        return self._decls[name].member is not None

    def make_blankable(self, queries: Mapping[str, core.Query]) -> dict[str, core.Query]:
        """Return the queries by which a blank card has no keywords, even if rules grant them.

        Each keyword gives two entries. ``Card.flying`` is false, 0, empty or ``none`` for a blank card, and has no
        modifiers. For any other card it calls ``Card.flying unless blank``, the former query with its modifiers.
        ``queries`` holds at least the queries of all keywords with their modifiers, by names such as ``Card.flying``. A
        keyword is left out if its kind can't be blank, or if no card has it printed and no rule modifies it.
        """
        blankable_queries: dict[str, core.Query] = {}
        for name in self.queries:
            kind = self._decls[name].kind.text
            can_have = bool(queries[name].modifiers) or bool(self.find_bearers(name))
            if kind in self.texts.names.blank_kinds and can_have:
                blankable_queries |= make_blankable(queries[name], kind)
        return blankable_queries

    def _declare_keyword(self, decl: model.KeywordDecl) -> bool:
        """Declare the symbol and the query of a keyword, and give all cards of its kind the empty value.

        Returns False after reporting an unknown kind or a name that is taken. Its label and reminder are checked.
        """
        name, span, full_name = decl.name.text, decl.name.span, get_query_name(decl)
        if decl.member is None:
            self.declarations.check_name(name, span)
            self.declarations.check_member_name(name, span)
        kind = self.names.kinds.get(decl.kind.text)
        if kind is None:
            word, code = decl.kind, codes.UNKNOWN_TYPE
            kinds, hint = self.names.kinds, "declare it under `components`"
            report_unknown(self.diagnostics, "component kind", word.text, word.span, kinds, hint, code)
            return False
        self.notes.used_names.add(kind.name)
        if decl.member is not None and isinstance(self.names.symbols[f"{kind.name}.{name}"], BrokenSymbol):
            return False
        if decl.member is None and (full_name in self.names.symbols or name in kind.fields):
            message = f"{prepend_article(f'`{kind.name}`')} has a `{name}` already"
            notes = [(kind.span, "declared here")]
            self.diagnostics.add(codes.NAME_TAKEN, message, span, "give one of them another name", notes)
            self.names.symbols[full_name] = BrokenSymbol(full_name, span)
            return False
        value_type = BOOL if decl.type is None else self.declarations.data_checker.check_type(decl.type)
        type = value_type if isinstance(value_type, BoolType | IntType | ListType) else optional(value_type)
        card_type = ComponentType(kind.name)
        self.names.symbols[full_name] = KeywordSymbol(full_name, span, False, (("this", card_type),), type)
        value = core.Field(type, span, core.Local(card_type, span, 0, "this"), name)
        origin = core.AUTHORED if decl.member is None else Origin(KEYWORDS, name, "has")
        params = (core.Param(0, "this", card_type),)
        self.queries[full_name] = core.Query(full_name, False, params, type, 1, value, (), origin)
        self._decls[full_name] = decl
        for entity in self.declarations.entities[kind.start : kind.start + kind.size]:
            entity.fields[name] = get_default_value(type)
        if kind.name in self.texts.names.blank_kinds:
            self.texts.notes.graph.add_call(Owner("query", full_name), Owner("query", f"{kind.name}.blank"), span)
        routine = self.texts.make_routine(Owner("reminder", full_name))
        if decl.type is not None:
            routine.bind_unchecked(name, value_type, span, "value")
        check_template_text(routine, decl.label)
        check_template_text(routine, decl.reminder)
        return True

    def _check_printed(self, card: model.CardDecl, decls: dict[tuple[str, str], model.KeywordDecl]) -> None:
        """Check the keywords of a card in order.

        Each must belong to its kind, occur once, and have a value if it needs one.

        A keyword that is listed again is only reported as such.
        """
        kind = card.kind.text
        spans: dict[str, Span] = {}
        for word, value in card.keywords:
            full_name = f"{kind}.{word.text}"
            decl = decls.get((kind, word.text))
            if decl is None or decl.member is None:
                self.notes.used_names.add(full_name)
            if word.text in spans:
                hint, notes = "remove one of them", [(spans[word.text], "first here")]
                self.diagnostics.add(codes.CARD_MEMBERS, f"`{word.text}` is listed twice", word.span, hint, notes)
            elif decl is not None:
                self._check_value(card, decl, word, value)
            elif not isinstance(self.names.symbols.get(full_name), BrokenSymbol):
                keyword_names = [keyword.name.text for keyword in decls.values() if keyword.kind.text == kind]
                symbol = self.names.symbols.get(full_name)
                sections = {name: section for section, name in _SINGULAR.items()}
                own_section = {} if symbol is None else {word.text: sections.get(symbol.kind, "fields")}
                hint = _suggest_section(word.text, own_section, "keywords", keyword_names)
                message = f"{prepend_article(f'`{kind}`')} has no keyword `{word.text}`"
                subjects = (f"member {kind}.{word.text}",) if kind in self.names.kinds else name_subjects(kind)
                self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, hint, subjects=subjects)
            spans.setdefault(word.text, word.span)

    def _check_value(
        self,
        card: model.CardDecl,
        decl: model.KeywordDecl,
        word: model.Word,
        value: model.Value | EmbeddedText | model.ActionDecl | None,
    ) -> None:
        """Check the value of a keyword on a card, and store it in the fields of all copies.

        A missing or surplus one is reported.
        """
        name, problem = word.text, None
        if decl.member is not None and not isinstance(value, EmbeddedText | model.ActionDecl):
            problem, hint = "needs the statements that the card runs", f"write them after a colon: `{{{name}: …}}`"
        elif decl.to is not None and not isinstance(value, EmbeddedText):
            problem, hint = "needs the changes that it gives", f"write them after a colon: `{{{name}: +1 strength}}`"
        elif decl.member is None and decl.type is None and decl.to is None and value is not None:
            problem, hint = "has no value", f"write `{name}` alone"
        elif decl.type is not None and value is None:
            problem = f"needs its value, {prepend_article(f'`{decl.type.text}`')}"
            hint = f"write `{{{name}: …}}`"
        if problem is not None:
            notes = [(decl.name.span, "declared here")]
            self.diagnostics.add(codes.CARD_MEMBERS, f"the keyword `{name}` {problem}", word.span, hint, notes)
            return
        type = NOTHING if decl.type is None else self.declarations.data_checker.check_type(decl.type)
        printed_value: object = True
        if isinstance(value, model.Value):
            printed_value = self.declarations.data_checker.check_value(type, value, f"the value of `{name}`")
        for entity in self._copies.get(card.id.text, ()):
            entity.fields[name] = printed_value
            entity.field_spans[name] = value.span if isinstance(value, model.Value) else word.span
