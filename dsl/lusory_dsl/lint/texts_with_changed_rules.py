"""Find printed texts whose rules have changed since the author accepted them.

The rules of a card, action, effect or keyword are its own parts, and the effects, queries and tables that no other
declaration with a text uses. Layout, comments, and the texts inside rules don't count.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from ..checker.check import CheckedRuleset
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.dataclass_with_lazy_methods import dataclass
from ..source.diagnostics import Diagnostics
from ..source.source import EmbeddedText, Span
from .missing_and_stale_printed_texts import list_rules

_DIGITS = 8
"""Number of hexadecimal digits of a digest. A collision would only hide a warning."""
_WORDING = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*')
_NAME = re.compile(r"[a-z_][a-z_0-9]*", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class PrintedText:
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
        """Return whether the rules have changed since the text was accepted, and the text hasn't."""
        return self.accepted is not None and self.accepted[0] == self.digests[0] and self.accepted != self.digests


def report_changed_rules(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about each declaration whose rules have changed since its printed text was accepted.

    Declarations are skipped if their text was never accepted, or if the text has changed as well.
    """
    if not any(lock.accepted for lock in checked.ruleset.text_locks):
        return
    for lock in checked.ruleset.text_locks:
        for printed in list_printed_texts(checked.ruleset, lock):
            if printed.is_outdated:
                kind, _, name = printed.name.partition(" ")
                message = f"the rules of the {kind} `{name}` have changed since its text was accepted"
                hint = "correct the text, or keep it; then run `lusory text --accept`"
                report.add(diagnostic_codes.RULES_DIFFER, message, printed.span, hint)


def list_printed_texts(ruleset: model.Ruleset, lock: model.TextLock) -> list[PrintedText]:
    """Return the declarations with a text in the ruleset or pack to which a lock belongs, sorted by name.

    They are cards, actions, effects, and keywords with a reminder, which is their text. The digest of their rules
    covers helpers (effects without a text, queries and tables) that no other of these declarations and helpers names.
    ``accepted`` is what the lock holds, or None.
    """
    described = [item for item in _list_described(ruleset) if _belongs(item[1].span, lock)]
    helpers = _find_helpers(ruleset, lock)
    parts = (*(rules for _, _, _, rules in described), *helpers.values())
    uses = Counter(name for rules in parts for name in _names(rules))
    own_helpers = {name: rules for name, rules in helpers.items() if uses[name] == 1}
    printed_texts = []
    for kind, word, text, rules in described:
        name = f"{kind} {word.text}"
        digests = _digest(line.text for line in text), _digest(_collect_rules(rules, own_helpers))
        printed_texts.append(PrintedText(name, word.span, digests, lock.accepted.get(name)))
    return sorted(printed_texts, key=lambda printed: printed.name)


def _belongs(span: Span, lock: model.TextLock) -> bool:
    return _is_inside(span.source.name, lock.path)


@lru_cache(maxsize=1024)
def _is_inside(file: str, path: str) -> bool:
    return Path(file).is_relative_to(path)


_Described = tuple[str, model.Word, tuple[EmbeddedText, ...], tuple[object, ...]]


def _list_described(ruleset: model.Ruleset) -> Iterator[_Described]:
    """Yield the kind, name, printed text and rules of each declaration that has a text."""
    frames = {kind.name.text: kind.frame for kind in ruleset.components}
    for card in ruleset.cards:
        if card.text:
            frame = frames.get(card.kind.text, ())
            fields = tuple((word, value) for word, value in card.fields if word.text not in frame)
            members = (card.keywords, card.queries, card.effects, card.actions, card.rules)
            yield "card", card.id, card.text, (fields, *members)
    yield from (("action", decl.name, decl.text, list_rules(decl)) for decl in ruleset.actions if decl.text)
    yield from (("effect", decl.name, decl.text, list_rules(decl)) for decl in ruleset.effects if decl.text)
    for keyword in ruleset.keywords:
        if keyword.reminder is not None:
            yield "keyword", keyword.name, (keyword.reminder,), (keyword.member, keyword.to, keyword.rules)


def _find_helpers(ruleset: model.Ruleset, lock: model.TextLock) -> dict[str, tuple[object, ...]]:
    """Return name -> rules of the effects without a text, queries and tables of a ruleset or pack."""
    effects = tuple(decl for decl in ruleset.effects if not decl.text)
    declared: tuple[model.EffectDecl | model.QueryDecl | model.TableDecl, ...]
    declared = (*effects, *ruleset.queries, *ruleset.tables)
    return {decl.name.text: list_rules(decl) for decl in declared if _belongs(decl.name.span, lock)}


def _names(parts: object) -> set[str]:
    return set[str]().union(*map(_list_names, _iterate_rules(parts)))


@lru_cache(maxsize=8192)
def _list_names(text: str) -> tuple[str, ...]:
    return tuple(_NAME.findall(text))


def _collect_rules(rules: tuple[object, ...], own: dict[str, tuple[object, ...]]) -> list[str]:
    """Return rules as texts, followed by those of the definitions ``own`` that they use, each once."""
    texts = list(_iterate_rules(rules))
    visited_names: set[str] = set()
    for text in texts:  # grows meanwhile
        for name in _list_names(text):
            if name in own and name not in visited_names:
                visited_names.add(name)
                texts += _iterate_rules(own[name])
    return texts


def _iterate_rules(part: object) -> Iterator[str]:
    """Yield the rules in declarations as texts."""
    match part:
        case EmbeddedText():
            yield _normalize(part.text)
        case model.Word():
            yield part.text
        case model.Value():
            yield from _iterate_rules(part.data)
        case tuple():
            yield "("
            for item in part:
                yield from _iterate_rules(item)
            yield ")"
        case str() | int():
            yield str(part)
        case _:
            for rules in list_rules(part):
                yield from _iterate_rules(rules)


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
