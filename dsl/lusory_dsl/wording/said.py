"""What all rules text is made of: titles with lines below them, plain data, effect text and actions in words.

:mod:`lusory_dsl.wording.cards` says cards by it, :mod:`lusory_dsl.wording.text` a whole ruleset.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ..effect.parser import parse_block, parse_choice_vars, parse_expression, parse_rule, parse_template
from ..ruleset import model
from ..text.diagnostics import Diagnostics
from ..text.source import Embedded
from ..text.spelling import humanised
from . import rules
from .prose import INDENT, Prose
from .words import Vocabulary, listed, sentence

N = TypeVar("N")
_RANGE = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)")


class Said:
    """Says the parts of declarations."""

    def __init__(self, ruleset: model.Ruleset, at_table: bool = False) -> None:
        """``at_table``: for who plays: what a thing is for, in the words of its author where there are any."""
        self._ruleset = ruleset
        self._at_table = at_table
        self._words = Vocabulary(ruleset)
        self._prose = Prose(self._words)

    def _entry(self, title: str, doc: str, lines: Iterable[str] = ()) -> list[str]:
        below = list(lines)
        doc = doc.strip()
        return [title, *(f"{INDENT}{line}" for line in ([doc, *below] if doc and [doc] != below else below))]

    def _begin(self, params: Iterable[tuple[model.Word, model.Word]] = ()) -> None:
        """Begins an entry: of what was named in others nothing is known."""
        self._prose.begin(*(name.text for name, _ in params))

    def data(self, value: model.Value) -> str:
        """Plain data as a reader says it."""
        if value.is_map:
            return "; ".join(f"{self.called(word.text)} {self.data(inner)}" for word, inner in pairs_of(value))
        if isinstance(value.data, tuple):
            return self._counted([inner.data for inner in value.data]) or listed(
                self.data(inner) for inner in value.data
            )
        if isinstance(value.data, bool):
            return "yes" if value.data else "no"
        if isinstance(value.data, str) and (ends := _RANGE.fullmatch(value.data)):
            return f"{ends[1]} to {ends[2]}"
        return "nothing" if value.data is None else self.called(str(value.data))

    def _counted(self, items: Sequence[object]) -> str:
        """A list of counters in which one stands more than once: “3 materials and 1 capital”; “” for any other list."""
        numbers = Counter(items)
        found = [(self._words.values.get(item) if isinstance(item, str) else None, n) for item, n in numbers.items()]
        values = [(value, n) for value, n in found if value is not None and value.plural is not None]
        if len(numbers) == len(items) or len(values) < len(found):
            return ""
        return listed(f"{n} {self._words.enum_value(value, plural=n > 1)}" for value, n in values)

    def called(self, name: str) -> str:
        """An enum value or card by its label, anything else as it is."""
        if name in self._words.values:
            return self._words.enum_value(self._words.values[name])
        return self._words.card(self._words.cards[name]) if name in self._words.cards else humanised(name)

    def action(self, d: model.ActionDecl, prose: Prose | None = None) -> list[str]:
        """``prose``: how its label is said, on a card that has it."""
        self._begin()
        label = sentence(humanised(d.name.text))
        if d.label is not None:
            label = self._read(parse_template, d.label, (prose or self._prose).text)
        return self._entry(f"{label}:", d.doc, self._deed(d))

    def _says(self, text: Embedded | None) -> list[str]:
        """What players are told of a deed."""
        return [] if text is None else [f"All are told: “{self._read(parse_template, text, self._prose.text)}”."]

    def _deed(self, d: model.ActionDecl) -> list[str]:
        """When an action is allowed, what it costs and does."""
        lines = [f"Allowed only if {self._condition(c)}." for c in d.conditions]
        if d.choose is not None:
            chosen = self._read(parse_choice_vars, d.choose, self._prose.vars)
            lines.append(f"Choose {chosen}.")
        if d.cost is not None:
            lines += ["This is the cost:", *(f"{INDENT}{line}" for line in self.block(d.cost)), "For that:"]
            return [*lines, *(f"{INDENT}{line}" for line in (*self._says(d.says), *self.block(d.do)))]
        return [*lines, *self._says(d.says), *self.block(d.do)]

    def _while(self, active: Embedded) -> str:
        condition = self._condition(active)
        return "Always:" if condition == "always" else f"While {condition}:"

    def _rule_lines(self, text: Embedded) -> list[str]:
        parsed = parse_rule(text, Diagnostics())
        return text.text.splitlines() if parsed is None else rules.rule_lines(self._prose, parsed)

    def _read(self, parse: Callable[[Embedded, Diagnostics], N | None], text: Embedded, say: Callable[[N], str]) -> str:
        """A text in words, or as it stands where it does not parse."""
        parsed = parse(text, Diagnostics())
        return say(parsed) if parsed is not None else text.text.strip()

    def block(self, text: Embedded) -> list[str]:
        return self._read(parse_block, text, lambda block: "\n".join(self._prose.block(block))).splitlines()

    def value(self, text: Embedded) -> str:
        return self._read(parse_expression, text, self._prose.value)

    def _condition(self, text: Embedded | None) -> str:
        return "always" if text is None else self._read(parse_expression, text, self._prose.condition)

    def _template(self, text: Embedded) -> str:
        return self._read(parse_template, text, self._prose.text)

    def _phase_title(self, d: model.PhaseDecl) -> str:
        return self._template(d.label) if d.label is not None else sentence(humanised(d.id.text))


def all_phases(phases: Iterable[model.PhaseDecl], depth: int = 0) -> Iterator[tuple[model.PhaseDecl, int]]:
    """All phases, each before its parts, with how deep they are nested."""
    for phase in phases:
        yield phase, depth
        yield from all_phases(phase.phases, depth + 1)


def kind_of(type: str) -> str:
    """A type in words."""
    if type.endswith("?"):
        return f"{kind_of(type.rstrip('? '))} or nothing"
    if type.startswith("List["):
        return f"a list of {type[5:-1]}"
    known = {"Int": "a number", "Bool": "yes or no", "Text": "a text", "Player": "a player"}
    return known.get(type, f"one of {type}")


def pairs_of(value: model.Value) -> Iterator[tuple[model.Word, model.Value]]:
    """The entries of a mapping."""
    for pair in value.data if isinstance(value.data, tuple) else ():
        word, inner = pair
        yield word, inner
