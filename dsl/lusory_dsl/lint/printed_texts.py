"""Lints for printed texts that are missing, and for numbers in texts that the rules no longer contain.

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
from ..source.source import EmbeddedText

_HOLE = re.compile(r"\{[^{}]*\}")
_NUMBER = re.compile(r"(?<![\w.])\d+\b")
_WORD = re.compile(r"\d+|[a-z_][a-z_0-9]*", re.IGNORECASE)
_PLAIN = frozenset("01")
"""Numbers that the rules may leave out: `move 1 …` can be described by a call without a number."""


def stale_numbers(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each number in a label or reminder that does not occur in the rules that it describes."""
    told = [(text, words) for text, words in _told(checked.ruleset) if _numbers(text)]
    if not told:
        return
    meanings = _meanings(checked.ruleset)
    for text, words in told:
        known = _reached(words, meanings)
        for match in _numbers(text):
            if match[0] not in known:
                message = f"this text says {match[0]}, but the rules that it describes have no {match[0]}"
                hint = "correct the number, or show the value with an expression in `{` and `}`"
                report.add(diagnostic_codes.TEXT_DIFFERS, message, text.span(match.start(), match.end()), hint)


def _numbers(text: EmbeddedText) -> list[re.Match[str]]:
    """Return the numbers in a text, outside of ``{…}`` and without 0 and 1."""
    words = _HOLE.sub(lambda hole: " " * len(hole[0]), text.text)
    return [match for match in _NUMBER.finditer(words) if match[0] not in _PLAIN]


def _told(ruleset: model.Ruleset) -> Iterator[tuple[EmbeddedText, set[str]]]:
    """Yield each label, reminder and printed text, with the names and numbers in the rules that it describes."""
    for action in ruleset.actions:
        if action.label is not None:
            yield action.label, _words(action)
    labels = {(k.name.text, a.name.text): a for k in ruleset.components for a in k.actions}
    for card in ruleset.cards:
        for action in card.actions:
            if action.label is not None:
                of_kind = labels.get((card.kind.text, action.name.text))
                yield action.label, _words((action, card.fields, card.queries, of_kind))
        yield from (
            (line, _words((card.fields, card.keywords, card.queries, card.effects, card.actions, card.rules)))
            for line in card.text
        )
    declared: tuple[model.ActionDecl | model.EffectDecl, ...] = (*ruleset.actions, *ruleset.effects)
    for decl in declared:
        yield from ((line, _words(decl)) for line in decl.text)
    for keyword in ruleset.keywords:
        if keyword.reminder is not None:
            yield keyword.reminder, _words(keyword.rules) | {keyword.name.text}


def _meanings(ruleset: model.Ruleset) -> dict[str, set[str]]:
    """Return the names and numbers in each named definition: name -> words. Members of cards have their own names."""
    found: dict[str, set[str]] = {}

    def means(name: str, parts: object) -> None:
        found.setdefault(name, set()).update(_words(parts))

    for section in (ruleset.effects, ruleset.queries, ruleset.tables, ruleset.variables, ruleset.options):
        for decl in section:
            means(decl.name.text, decl)
    for kind in ruleset.components:
        for member in kind.members:
            means(member.name.text, member)
    for card in ruleset.cards:
        for name, text in (*card.queries, *card.effects):
            means(name.text, text)
        for field, value in card.fields:
            means(field.text, value)
    for rule in ruleset.rules:
        for word in _words(rule.rule) & found.keys():
            means(word, rule.rule)
    return found


def _reached(words: Iterable[str], meanings: dict[str, set[str]]) -> set[str]:
    """Return ``words`` and all words that their definitions contain, directly or indirectly."""
    found: set[str] = set()
    todo = set(words)
    while todo:
        word = todo.pop()
        found.add(word)
        todo |= meanings.get(word, set()) - found
    return found


def list_rules(part: object) -> tuple[object, ...]:
    """Return the parts of a declaration that are rules: not its name, labels and other texts for players."""
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


def _words(part: object) -> set[str]:
    """Return the names and numbers in declarations, without labels and other texts for players."""
    match part:
        case EmbeddedText():
            return set(_WORD.findall(part.text))
        case model.Value(data=tuple() as inner):
            times = Counter(item.data for item in inner if isinstance(item, model.Value))
            return _words(inner) | {str(number) for number in times.values()}
        case model.Value(data=data) | (int() as data):
            return {str(data), *_WORD.findall(str(data))}
        case model.Word():
            return {part.text}
        case tuple():
            return set().union(*map(_words, part))
    return _words(rules) if (rules := list_rules(part)) else set()


def missing_texts(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about cards that have an ability of their own and no printed text, if other cards have one."""
    cards = checked.ruleset.cards
    if not any(card.text for card in cards):
        return
    for card in cards:
        own = any(not isinstance(value, model.Value) and value is not None for _, value in card.keywords)
        if not card.text and (own or card.queries or card.effects or card.actions or card.rules):
            message = f"the card {card.called} has an ability and no `text`"
            report.add(diagnostic_codes.NO_TEXT, message, card.id.span, "write what a printed card says")
