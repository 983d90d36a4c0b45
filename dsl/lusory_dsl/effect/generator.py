"""Works out the tables of the effect grammar. A tool of ours, and the only door to Lark: no player has it.

``python -m lusory_dsl.effect.generator`` writes ``schema/effect-tables.json``; with ``--check`` it only tells whether
it is up to date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

from ..text.resources import data, text_of
from .tables import COMMAND, NAME, STARTS, digest, grammar


def worked_out() -> dict[str, Any]:
    """The tables as they are kept."""
    made = Lark(grammar(), start=list(STARTS), parser="lalr", lexer="contextual")
    return {"of": digest(), **_of_lexer(made), **_of_parser(made)}


def _of_lexer(made: Lark) -> dict[str, Any]:
    terminals = [t for t in made.terminals if t.pattern is not None]
    terminals.sort(key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name))
    spelt = {t.name: t.pattern.value for t in terminals if isinstance(t.pattern, PatternStr)}
    words = {text: name for name, text in spelt.items() if text.isidentifier()}
    return {
        "terminals": [(t.name, t.pattern.to_regexp()) for t in terminals if spelt.get(t.name, "") not in words],
        "words": words,
        "spelt": spelt,
        "ignored": list(made.ignore_tokens),
    }


def _of_parser(made: Lark) -> dict[str, Any]:
    table = made.parser.parser._parse_table
    rules = sorted(made.rules, key=lambda rule: (str(rule.origin.name), [symbol.name for symbol in rule.expansion]))
    production = {rule: ~number for number, rule in enumerate(rules)}
    # Lark numbers states otherwise in each process: they are numbered as they are first met.
    ways = {
        state: [(symbol, to, how is Shift) for symbol, (how, to) in sorted(row.items(), key=itemgetter(0))]
        for state, row in table.states.items()
    }
    met = dict.fromkeys(state for start in STARTS for state in (table.start_states[start], table.end_states[start]))
    todo = list(met)
    while todo:
        new = [to for _, to, leads in ways[todo.pop()] if leads and to not in met]
        met.update(dict.fromkeys(new))
        todo += new
    numbers = {state: number for number, state in enumerate(met)}
    actions, gotos = [], []
    for state in met:
        known = [(symbol, numbers[to] if leads else production[to]) for symbol, to, leads in ways[state]]
        actions.append(_row(entry for entry in known if entry[0].isupper()))
        gotos.append(_row(entry for entry in known if not entry[0].isupper()))
    return {
        "starts": {start: (numbers[table.start_states[start]], numbers[table.end_states[start]]) for start in STARTS},
        "productions": list(map(_production, rules)),
        "actions": actions,
        "gotos": gotos,
    }


def _row(entries: Iterable[tuple[str, int]]) -> str:
    groups: dict[int, list[str]] = {}
    for symbol, number in entries:
        groups.setdefault(number, []).append(symbol)
    return " ".join(f"{number}:{','.join(symbols)}" for number, symbols in groups.items())


def _production(rule: Rule) -> str:
    """As Lark's builder of trees goes by its options: words and signs in quotation marks are left out, what begins
    with ``_`` is opened, and ``[…]`` that is not there is nothing."""
    size = len(rule.expansion)
    left_out = "".join("1" if missing else "0" for missing in rule.options.empty_indices) or "0" * size
    before = [len(ones) for ones in left_out.split("0")]
    parts, waiting = [], 0
    for index, symbol in enumerate(rule.expansion):
        waiting += before[index]
        if not getattr(symbol, "filter_out", False):
            opened = not symbol.is_term and symbol.name.startswith("_")
            parts.append("?" * waiting + str(index) + "*" * opened)
            waiting = 0
    behind = waiting + before[size]
    single = bool(rule.options.expand1) and not rule.alias
    head = f"{rule.origin.name} {size} {rule.alias or rule.origin.name} {single:d} {behind}"
    return head if not behind and parts == [str(index) for index in range(size)] else f"{head} {','.join(parts)}"


def kept_text() -> str:
    """A line for each part, and for each of the many, so that a change of the grammar can be read."""
    lines = []
    for key, value in worked_out().items():
        many = isinstance(value, list | tuple) and key != "ignored"
        shown = "[\n" + ",\n".join(map(json.dumps, value)) + "\n]" if many else json.dumps(value)
        lines.append(f"{json.dumps(key)}: {shown}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: Sequence[str]) -> int:
    """Writes the tables, or tells whether they are up to date."""
    file, text = data("schema") / NAME, kept_text()
    if "--check" in arguments:
        if file.exists() and text_of(file) == text:
            return 0
        sys.stderr.write(f"schema/{NAME} is not up to date: run {COMMAND}\n")
        return 1
    file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
