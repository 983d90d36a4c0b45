"""Lint printed texts that are missing, and for numbers and keywords in texts that the rules don't contain.

Labels of actions, reminders of keywords and printed texts describe their effect in words. A number in them must occur
in the action, effect or keyword itself, in a definition that it uses, or on the card.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ..checker.check import CheckedRuleset
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics
from ..source.source import EmbeddedText, humanise

_HOLE = re.compile(r"\{[^{}]*\}")
_NUMBER = re.compile(r"(?<![\w.])\d+\b")
_WORD = re.compile(r"\d+|[a-z_][a-z_0-9]*", re.IGNORECASE)
_PLAIN = frozenset("01")
"""Numbers that the rules may leave out: `move 1 …` can be described by a call without a number."""


def report_stale_numbers(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each number in a label, reminder or printed text that doesn't occur in the rules that it describes.

    The rules include the definitions that they use, directly or indirectly. Numbers in ``{…}``, 0 and 1 don't count.
    Example: the label “Draw 3 cards” of an action with ``do: draw(me, 2)``, if the effect ``draw`` contains no 3.
    """
    definitions: dict[str, set[str]] = {}
    for text, rules in _iterate_texts(checked.ruleset):
        numbers = _find_numbers(text)
        words = _collect_words(rules) if numbers else set()
        if all(match[0] in words for match in numbers):
            continue
        definitions = definitions or _collect_definitions(checked.ruleset)
        reachable_words = _expand_words(words, definitions)
        for match in numbers:
            if match[0] not in reachable_words:
                message = f"this text says {match[0]}, but the rules that it describes have no {match[0]}"
                hint = "correct the number, or show the value with an expression in `{` and `}`"
                report.add(diagnostic_codes.TEXT_DIFFERS, message, text.span(match.start(), match.end()), hint)


def _find_numbers(text: EmbeddedText) -> list[re.Match[str]]:
    """Return the numbers in a text, outside of ``{…}`` and without 0 and 1."""
    words = _HOLE.sub(lambda hole: " " * len(hole[0]), text.text)
    return [match for match in _NUMBER.finditer(words) if match[0] not in _PLAIN]


def _iterate_texts(ruleset: model.Ruleset) -> Iterator[tuple[EmbeddedText, object]]:
    """Yield each label, reminder and printed text, with the parts of declarations that it describes."""
    for action in ruleset.actions:
        if action.label is not None:
            yield action.label, action
    labels = {(k.name.text, a.name.text): a for k in ruleset.components for a in k.actions}
    for card in ruleset.cards:
        for action in card.actions:
            if action.label is not None:
                of_kind = labels.get((card.kind.text, action.name.text))
                yield action.label, (action, card.fields, card.queries, of_kind)
        for line in card.text:
            yield line, (card.fields, card.keywords, card.queries, card.effects, card.actions, card.rules)
    declared: tuple[model.ActionDecl | model.EffectDecl, ...] = (*ruleset.actions, *ruleset.effects)
    for decl in declared:
        yield from ((line, decl) for line in decl.text)
    for keyword in ruleset.keywords:
        if keyword.reminder is not None:
            yield keyword.reminder, (keyword.rules, keyword.name)


def _collect_definitions(ruleset: model.Ruleset) -> dict[str, set[str]]:
    """Return the names and numbers in each named definition: name -> words. Members of cards have their own names."""
    definitions: dict[str, set[str]] = {}

    def add_words(name: str, parts: object) -> None:
        definitions.setdefault(name, set()).update(_collect_words(parts))

    for section in (ruleset.effects, ruleset.queries, ruleset.tables, ruleset.variables, ruleset.options):
        for decl in section:
            add_words(decl.name.text, decl)
    for kind in ruleset.components:
        for member in kind.members:
            add_words(member.name.text, member)
    for card in ruleset.cards:
        for name, text in (*card.queries, *card.effects):
            add_words(name.text, text)
        for field, value in card.fields:
            add_words(field.text, value)
    for rule in ruleset.rules:
        for word in _collect_words(rule.rule) & definitions.keys():
            add_words(word, rule.rule)
    return definitions


def _expand_words(words: Iterable[str], definitions: dict[str, set[str]]) -> set[str]:
    """Return ``words`` and all words that their definitions contain, directly or indirectly."""
    closure: set[str] = set()
    pending = set(words)
    while pending:
        word = pending.pop()
        closure.add(word)
        pending |= definitions.get(word, set()) - closure
    return closure


def list_rules(part: object) -> tuple[object, ...]:
    """Return the parts of a declaration that are rules: not its name, labels and other texts for players.

    A part that is missing is None. Returns () for a declaration without rules.
    """
    match part:
        case model.ActionDecl():
            return part.choose, part.conditions, part.cost, part.do
        case model.MemberActionDecl():
            return part.conditions, part.cost
        case model.EffectDecl() | model.MemberEffectDecl():
            return (part.do,)
        case model.QueryDecl() | model.MemberQueryDecl():
            return (part.value,)
        case model.TableDecl():
            return (part.values,)
        case model.VariableDecl():
            return (part.start,)
        case model.OptionDecl():
            return part.default, part.range
        case model.CardRuleDecl():
            return part.rule, part.active
    return ()


def _collect_words(part: object) -> set[str]:
    """Return the names and numbers in declarations, without labels and other texts for players."""
    match part:
        case EmbeddedText():
            return set(_WORD.findall(part.text))
        case model.Value(data=tuple() as inner):
            times = Counter(item.data for item in inner if isinstance(item, model.Value))
            return _collect_words(inner) | {str(number) for number in times.values()}
        case model.Value(data=data) | (int() as data):
            return {str(data), *_WORD.findall(str(data))}
        case model.Word():
            return {part.text}
        case tuple():
            return set().union(*map(_collect_words, part))
    return _collect_words(rules) if (rules := list_rules(part)) else set()


def report_missing_texts(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about cards that have an ability of their own and no printed text.

    An ability is a query, effect, action or rule of the card, or a keyword that holds rules. Keywords that only have a
    value, or none, don't count. Nothing is reported if no card has a text.
    """
    cards = checked.ruleset.cards
    if not any(card.text for card in cards):
        return
    for card in cards:
        has_own_keyword = any(not isinstance(value, model.Value) and value is not None for _, value in card.keywords)
        if not card.text and (has_own_keyword or card.queries or card.effects or card.actions or card.rules):
            message = f"the card {card.quoted_name} has an ability and no `text`"
            report.add(diagnostic_codes.NO_TEXT, message, card.id.span, "write what a printed card says")


def report_missing_keywords(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each line of a card's text that begins with keywords of which the card has none.

    Only the first declared of these keywords is named. A line is fine if the card has one of them. Keywords of other
    kinds, and those whose label begins with a value, are ignored.
    """
    patterns: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for keyword in checked.ruleset.keywords:
        # A label that begins with the value, such as `{times}/Turn`, has no name to look for.
        if keyword.label is None or not keyword.label.text.startswith("{"):
            patterns.setdefault(keyword.kind.text, []).append((keyword.name.text, _make_keyword_pattern(keyword)))
    for card in checked.ruleset.cards:
        own_keywords = {word.text for word, _ in card.keywords}
        for line in card.text:
            named_keywords = {
                name: match for name, regex in patterns.get(card.kind.text, ()) if (match := regex.match(line.text))
            }
            if named_keywords and own_keywords.isdisjoint(named_keywords):
                name, match = next(iter(named_keywords.items()))
                message = f"this text names the keyword `{name}`, which the card {card.quoted_name} doesn't have"
                hint = f"add `{name}` to its `keywords`, or correct the text"
                report.add(diagnostic_codes.TEXT_DIFFERS, message, line.span(match.start(1), match.end(1)), hint)


def _make_keyword_pattern(keyword: model.KeywordDecl) -> re.Pattern[str]:
    """Return a pattern that matches a keyword at the beginning of a line, with any value."""
    label = keyword.label.text if keyword.label is not None else humanise(keyword.name.text).capitalize()
    first, *others = _HOLE.split(label)
    name = re.escape(first)
    if others:
        name += rf"[^.:;]{{1,40}}{re.escape(others[-1])}"
    elif keyword.label is None and keyword.type is not None:
        name += " [^.:;]{1,40}"
    return re.compile(rf"\s*({name})(?:[.:;]|\s*$)")
