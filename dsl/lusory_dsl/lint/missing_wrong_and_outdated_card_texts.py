"""Find printed texts that are missing, that contradict their rules, or whose rules have changed since.

Labels of actions, reminders of keywords and printed texts describe their effect in words. A number in them must occur
in the action, effect or keyword itself, in a definition that it uses, or on the card. A text has changed rules if they
differ from those that the author accepted. The rules of a card, action, effect or keyword are its own parts, and the
effects, queries and tables that no other declaration with a text uses; layout, comments and the texts inside rules
don't count.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from ..checker.check import CheckedRuleset
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record
from ..source.diagnostics import Diagnostics
from ..source.in_memory_cache_of_parsed_and_checked_texts import keep_with
from ..source.source import EmbeddedText, Span, make_title

_HOLE = re.compile(r"\{[^{}]*\}")
_NUMBER = re.compile(r"(?<![\w.])\d+\b")
_WORD = re.compile(r"\d+|[a-z_][a-z_0-9]*", re.IGNORECASE)
_PLAIN = frozenset("01")
"""Numbers that the rules may leave out: `move 1 …` can be described by a call without a number."""


def report_stale_numbers(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each number in a label, reminder or printed text that doesn't occur in the rules that it describes.

    The rules include the definitions that they use, directly or indirectly. Numbers in ``{…}``, 0 and 1 don't count.
    Example: the label “Draw 3 cards” of an action with ``do: draw(me, 2)``, if the effect ``draw`` contains no 3.
    """
    definitions: dict[str, set[str]] = {}
    for text, rules in _iterate_texts(checked_ruleset.ruleset):
        numbers = keep_with(text, "numbers", None, partial(_find_numbers, text))
        words = _collect_words(rules) if numbers else set()
        if all(match[0] in words for match in numbers):
            continue
        definitions = definitions or _collect_definitions(checked_ruleset.ruleset)
        reachable_words = _expand_words(words, definitions)
        for match in numbers:
            if match[0] not in reachable_words:
                message = f"this text says {match[0]}, but the rules that it describes have no {match[0]}"
                hint = "correct the number, or show the value with an expression in `{` and `}`"
                report.add(codes.TEXT_DIFFERS, message, text.make_span(match.start(), match.end()), hint)


def _find_numbers(text: EmbeddedText) -> list[re.Match[str]]:
    """Return the numbers in a text, outside of ``{…}`` and without 0 and 1."""
    visible_text = _HOLE.sub(lambda hole: " " * len(hole[0]), text.text)
    return [match for match in _NUMBER.finditer(visible_text) if match[0] not in _PLAIN]


def _iterate_texts(ruleset: model.Ruleset) -> Iterator[tuple[EmbeddedText, object]]:
    """Yield each label, reminder and printed text, with the parts of declarations that it describes."""
    for action in ruleset.actions:
        if action.label is not None:
            yield action.label, action
    labels = {(kind.name.text, action.name.text): action for kind in ruleset.components for action in kind.actions}
    for card in ruleset.cards:
        for action in card.actions:
            if action.label is not None:
                kind_action = labels.get((card.kind.text, action.name.text))
                yield action.label, (action, card.fields, card.queries, kind_action)
        for line in card.text:
            yield line, (card.fields, card.keywords, card.queries, card.effects, card.actions, card.rules)
    decls: tuple[model.ActionDecl | model.EffectDecl, ...] = (*ruleset.actions, *ruleset.effects)
    for decl in decls:
        yield from ((line, decl) for line in decl.text)
    for keyword in ruleset.keywords:
        if keyword.reminder is not None:
            yield keyword.reminder, (keyword.rules, keyword.name)


def _collect_definitions(ruleset: model.Ruleset) -> dict[str, set[str]]:
    """Return the names and numbers in each named definition: name -> words. Members of cards have their own names."""
    definitions: dict[str, set[str]] = {}
    members = [member for kind in ruleset.components for member in kind.members]
    sections = (ruleset.effects, ruleset.queries, ruleset.tables, ruleset.variables, ruleset.options, members)
    for decl in chain(*sections, ruleset.cards):
        for name, words in keep_with(decl, "words", None, partial(_list_definitions, decl)):
            definitions.setdefault(name, set()).update(words)
    for rule in ruleset.rules:
        words = _collect_words(rule.rule)
        for word in words & definitions.keys():
            definitions[word] |= words
    return definitions


def _list_definitions(decl: Any) -> list[tuple[str, set[str]]]:
    """Return the names that a declaration, or the members and fields of a card, define, each with its words."""
    if isinstance(decl, model.CardDecl):
        return [(name.text, _collect_words(part)) for name, part in (*decl.queries, *decl.effects, *decl.fields)]
    return [(decl.name.text, _collect_words(decl))]


def _expand_words(words: Iterable[str], definitions: dict[str, set[str]]) -> set[str]:
    """Return ``words`` and all words that their definitions contain, directly or indirectly."""
    closure: set[str] = set()
    pending = set(words)
    while pending:
        word = pending.pop()
        closure.add(word)
        pending |= definitions.get(word, set()) - closure
    return closure


def _list_rules(part: object) -> tuple[object, ...]:
    """Return the parts of a declaration that are rules: not its name, labels and other texts for players.

    A part that is missing is None. Returns () for a declaration without rules.
    """
    match part:
        case model.ActionDecl():
            return part.choose, part.conditions, part.cost, part.do
        case model.MemberActionDecl():
            return part.conditions, part.cost
        case model.MemberEffectDecl():
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
        case model.Value(data=tuple() as items):
            times = Counter(item.data for item in items if isinstance(item, model.Value))
            return _collect_words(items) | {str(number) for number in times.values()}
        case model.Value(data=data) | (int() as data):
            return {str(data), *_WORD.findall(str(data))}
        case model.Word():
            return {part.text}
        case tuple():
            return set().union(*map(_collect_words, part))
    return _collect_words(rules) if (rules := _list_rules(part)) else set()


def report_missing_texts(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Report NO_TEXT at the id of each card that has an ability of its own and no printed text.

    An ability is a query, effect, action or rule of the card, or a keyword to which the card gives code or an action. A
    keyword with only a value, or none, doesn't count, even if its declaration has rules. Nothing is reported if no card
    has a text. Even ``text: ""`` is a text. The cards of a family have one id, and only one finding.
    """
    cards = checked_ruleset.ruleset.cards
    if not any(card.text for card in cards):
        return
    for card in cards:
        has_keyword_code = any(not isinstance(value, model.Value) and value is not None for _, value in card.keywords)
        if not card.text and (has_keyword_code or card.queries or card.effects or card.actions or card.rules):
            message = f"the card {card.quoted_name} has an ability and no `text`"
            report.add(codes.NO_TEXT, message, card.id.span, "write what a printed card says")


def report_missing_keywords(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Report TEXT_DIFFERS at each keyword that begins a line of a card's text and that the card lacks.

    There is at most one report a line. A line is an item of the list ``text``: of a text in one block of several lines,
    only the beginning counts. The keyword counts if ``.``, ``:``, ``;`` or the end of the item follows it:
    ``Flying. Strong.`` begins with ``Flying``, but ``Flying, strong`` with none. Without a label, ``fly_high`` is
    written ``Fly high``, and ``Fly high 3`` if it has a type. Any value of 1 to 40 characters other than ``.``, ``:``
    and ``;`` fits a keyword that shows one: ``Armor 3.`` begins with ``Armor {armor}``, but ``Armor.`` doesn't. A card
    with another value has the keyword, too. Capital letters matter. If several keywords fit the beginning, a line is
    fine if the card has one of them; otherwise the first declared is named. The span is the keyword in the text, with
    its value: ``Armor 3``. Keywords for another kind of card, and those whose label begins with a value, are ignored.
    """
    patterns: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for keyword in checked_ruleset.ruleset.keywords:
        # A label that begins with the value, such as `{times}/Turn`, has no name to look for.
        if keyword.label is None or not keyword.label.text.startswith("{"):
            patterns.setdefault(keyword.kind.text, []).append((keyword.name.text, _make_keyword_pattern(keyword)))
    for card in checked_ruleset.ruleset.cards:
        own_keywords = {word.text for word, _ in card.keywords}
        for line in card.text:
            named_keywords = {
                name: match for name, regex in patterns.get(card.kind.text, ()) if (match := regex.match(line.text))
            }
            if named_keywords and own_keywords.isdisjoint(named_keywords):
                name, match = next(iter(named_keywords.items()))
                message = f"this text names the keyword `{name}`, which the card {card.quoted_name} doesn't have"
                hint = f"add `{name}` to its `keywords`, or correct the text"
                report.add(codes.TEXT_DIFFERS, message, line.make_span(match.start(1), match.end(1)), hint)


def _make_keyword_pattern(keyword: model.KeywordDecl) -> re.Pattern[str]:
    """Return a pattern that matches a keyword at the beginning of a line, with any value."""
    label = keyword.label.text if keyword.label is not None else make_title(keyword.name.text)
    first_text, *other_texts = _HOLE.split(label)
    name = re.escape(first_text)
    if other_texts:
        name += rf"[^.:;]{{1,40}}{re.escape(other_texts[-1])}"
    elif keyword.label is None and keyword.type is not None:
        name += " [^.:;]{1,40}"
    return re.compile(rf"\s*({name})(?:[.:;]|\s*$)")


_DIGITS = 8
"""Number of hexadecimal digits of a digest. A collision would only hide a warning."""
_WORDING = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*')
_NAME = re.compile(r"[a-z_][a-z_0-9]*", re.IGNORECASE)


class PrintedText(Record):
    """A declaration with a printed text.

    Attributes:
        name: Its kind and name, such as ``card imp``.
        digests: The digests of its text and of its rules.
        accepted: The digests that the author has accepted, or None.
    """

    name: str
    span: Span
    digests: tuple[str, str]
    accepted: tuple[str, str] | None

    @property
    def is_outdated(self) -> bool:
        """True if the rules have changed since the text was accepted, and the text hasn't."""
        return self.accepted is not None and self.accepted[0] == self.digests[0] and self.accepted != self.digests


def report_changed_rules(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each declaration whose rules have changed since its printed text was accepted.

    Declarations are skipped if their text was never accepted, or if the text has changed as well.
    """
    for lock in checked_ruleset.ruleset.text_locks:
        for printed_text in list_printed_texts(checked_ruleset.ruleset, lock) if lock.accepted_digests else ():
            if printed_text.is_outdated:
                kind, _, name = printed_text.name.partition(" ")
                message = f"the rules of the {kind} `{name}` have changed since its text was accepted"
                hint = "correct the text, or keep it; then run `lusory text --accept`"
                report.add(codes.RULES_DIFFER, message, printed_text.span, hint)


def list_printed_texts(ruleset: model.Ruleset, lock: model.TextLock) -> list[PrintedText]:
    """Return the declarations with a text in the ruleset or pack to which a lock belongs, sorted by name.

    They are cards, actions, effects, and keywords with a reminder, which is their text. Each is a
    ``PrintedText(name, span, digests, accepted)``, without the text itself. ``name`` is like ``card imp``. ``digests``
    has the digest of the text and that of the rules, of 8 hexadecimal digits each: ``("0123abcd", "4567cdef")``.
    ``accepted`` has the two that the lock holds, or is None.

    The rules include helpers that they use, directly or through each other: effects without a text, queries and tables
    of the same ruleset or pack. A helper doesn't count if another declaration with a text, or another helper, uses it
    as well. The fields of a card in the frame of its kind are left out, by default all without a default value. Labels,
    docs, comments, the number of blanks between words, and the content of quotes within code, such as ``announce
    "rest"``, don't change the digest of the rules. The value of a Text field outside the frame does.
    """
    decls = [
        (kind, word, text, keep_with(word, "rules", rules, partial(_list_rule_texts, rules)))
        for kind, word, text, rules in _list_decls_with_text(ruleset)
        if _is_in_lock(word.span, lock)
    ]
    helpers = _find_helpers(ruleset, lock)
    parts = (*(rules for *_, rules in decls), *helpers.values())
    uses = Counter(name for rules in parts for name in set(chain(*map(_list_names, rules))))
    own_helpers = {name: rules for name, rules in helpers.items() if uses[name] == 1}
    printed_texts = []
    for kind, word, text, rules in decls:
        name = f"{kind} {word.text}"
        digests = _digest(line.text for line in text), _digest(_collect_rules(rules, own_helpers))
        printed_texts.append(PrintedText(name, word.span, digests, lock.accepted_digests.get(name)))
    return sorted(printed_texts, key=lambda printed_text: printed_text.name)


def _is_in_lock(span: Span, lock: model.TextLock) -> bool:
    return _is_inside(span.source.name, lock.path)


@lru_cache(maxsize=1024)
def _is_inside(file: str, path: str) -> bool:
    return Path(file).is_relative_to(path)


_DeclWithText = tuple[str, model.Word, tuple[EmbeddedText, ...], tuple[object, ...]]


def _list_decls_with_text(ruleset: model.Ruleset) -> Iterator[_DeclWithText]:
    """Yield the kind, name, printed text and rules of each declaration that has a text."""
    frames = {kind.name.text: kind.frame for kind in ruleset.components}
    for card in ruleset.cards:
        if card.text:
            frame = frames.get(card.kind.text, ())
            fields = tuple((word, value) for word, value in card.fields if word.text not in frame)
            members = (card.keywords, card.queries, card.effects, card.actions, card.rules)
            yield "card", card.id, card.text, (fields, *members)
    yield from (("action", decl.name, decl.text, _list_rules(decl)) for decl in ruleset.actions if decl.text)
    yield from (("effect", decl.name, decl.text, _list_rules(decl)) for decl in ruleset.effects if decl.text)
    for keyword in ruleset.keywords:
        if keyword.reminder is not None:
            yield "keyword", keyword.name, (keyword.reminder,), (keyword.member, keyword.to, keyword.rules)


def _find_helpers(ruleset: model.Ruleset, lock: model.TextLock) -> dict[str, tuple[str, ...]]:
    """Return name -> rules, as texts, of the effects without a text, queries and tables of a ruleset or pack."""
    effects = tuple(decl for decl in ruleset.effects if not decl.text)
    decls: tuple[model.EffectDecl | model.QueryDecl | model.TableDecl, ...]
    decls = (*effects, *ruleset.queries, *ruleset.tables)
    helpers = ((decl.name.text, decl, _list_rules(decl)) for decl in decls if _is_in_lock(decl.name.span, lock))
    return {name: keep_with(decl, "rules", rules, partial(_list_rule_texts, rules)) for name, decl, rules in helpers}


@lru_cache(maxsize=8192)
def _list_names(text: str) -> tuple[str, ...]:
    return tuple(_NAME.findall(text))


def _collect_rules(rules: tuple[str, ...], own_helpers: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the texts of rules, followed by those of the definitions ``own_helpers`` that they use, each once."""
    texts = list(rules)
    visited_names: set[str] = set()
    for text in texts:  # grows meanwhile
        for name in _list_names(text):
            if name in own_helpers and name not in visited_names:
                visited_names.add(name)
                texts += own_helpers[name]
    return texts


def _list_rule_texts(rules: object) -> tuple[str, ...]:
    return tuple(_iterate_rule_texts(rules))


def _iterate_rule_texts(part: object) -> Iterator[str]:
    """Yield the rules in declarations as texts."""
    match part:
        case tuple():
            yield "("
            for item in part:
                yield from _iterate_rule_texts(item)
            yield ")"
        case EmbeddedText():
            yield _normalize(part.text)
        case model.Word():
            yield part.text
        case model.Value(data=data):
            yield from _iterate_rule_texts(data)
        case str() | int():
            yield str(part)
        case _:
            for rules in _list_rules(part):
                yield from _iterate_rule_texts(rules)


@lru_cache(maxsize=4096)
def _normalize(text: str) -> str:
    """Return an effect text with single spaces, without blank lines, comments and the content of quoted texts."""
    lines = []
    for line in _WORDING.sub(lambda match: '""' if match[0][0] == '"' else "", text).split("\n"):
        if words := line.split():
            indentation = len(line) - len(line.lstrip()) if "\n" in text.strip() else 0
            lines.append(" " * indentation + " ".join(words))
    return "\n".join(lines)


def _digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()[:_DIGITS]
