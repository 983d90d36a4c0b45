"""Laws of the syntax: what is printed parses to the same nodes, printing twice changes nothing, and no text whatever
crashes the parser."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import unparser
from hypothesis import given, settings, strategies as st
from programs import read_data

from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import NOWHERE, EmbeddedText, Source
from lusory_dsl.syntax import ast, parser
from lusory_dsl.syntax.ast import strip_spans
from lusory_dsl.syntax.lark_parse_trees_and_indentation import get_terminal_spellings

S = NOWHERE


def embedded(text: str) -> EmbeddedText:
    return EmbeddedText(Source("law.yaml", text), text, tuple(range(len(text) + 1)))


def parsed(parse: Callable[[EmbeddedText, Diagnostics], Any], text: str) -> Any:
    diagnostics = Diagnostics()
    result = parse(embedded(text), diagnostics)
    found = [f"{d.span}: {d.message}" for d in diagnostics.list_sorted()]
    assert not found, f"{found}\n{text}"
    return result


@pytest.mark.parametrize("other", ["a - b", "a + c", "(a)", "a + b + 1", "1", "[a, b]"])
def test_shapes_tell_texts_apart(other: str) -> None:
    """What the laws below compare nodes by."""
    assert strip_spans(parsed(parser.parse_expression, "a  +  b")) == strip_spans(
        parsed(parser.parse_expression, "a + b")
    )
    assert strip_spans(parsed(parser.parse_expression, other)) != strip_spans(parsed(parser.parse_expression, "a + b"))


# ---------------------------------------------------------------- any nodes

GRAMMAR = read_data(__file__) | {"operator": sorted(unparser.BINARY)}
PART = re.compile(r"(\w+)(?: (\d))?([?*+]?)")
LETTERS = 'abc "\\{}#:;()é'


class Maker:
    """Draws nodes that the language can write, from productions as in ``syntax_laws.yaml``."""

    def __init__(self, draw: st.DrawFn, grammar: dict[str, Any]) -> None:
        self._draw, self._grammar = draw, grammar

    def part(self, part: object, depth: int = 0) -> Any:
        """Return what a part of a row stands for. ``depth`` bounds what is still to be nested."""
        found = PART.fullmatch(part) if isinstance(part, str) else None
        if found is None or found[1] not in {*self._grammar, "text"}:
            return S if part == "S" else () if part == [] else part
        make = self.text if found[1] == "text" else partial(self.production, found[1])
        depth = int(found[2] or depth)
        if found[3] == "?":
            return make(depth) if self._draw(st.booleans()) else None
        if not found[3]:
            return make(depth)
        return tuple(make(depth) for _ in range(self._draw(st.integers(found[3] == "+", 2))))

    def production(self, name: str, depth: int) -> Any:
        rows = self._grammar[name]
        if isinstance(rows, dict):
            rows, depth = rows["shallow"] + (rows["deep"] if depth > 0 else []), depth - 1
        row = self._draw(st.sampled_from(rows))
        if not isinstance(row, list):
            return self.part(row, depth)
        fields = [self.part(part, depth) for part in row[1:]]
        return tuple(fields) if row[0] == "tuple" else getattr(ast, row[0])(S, *fields)

    def text(self, depth: int) -> ast.TextLit:
        parts: list[str | ast.Expr] = []
        for _ in range(self._draw(st.integers(0, 3))):
            words = self._draw(st.text(LETTERS, max_size=4))
            if words and not (parts and isinstance(parts[-1], str)):
                parts.append(words)
            else:
                parts.append(self.production("value", depth))
        return ast.TextLit(S, tuple(parts))


@st.composite
def made(draw: st.DrawFn, part: str, grammar: dict[str, Any] = GRAMMAR) -> Any:
    """What a part of a row stands for."""
    return Maker(draw, grammar).part(part)


KINDS: dict[str, tuple[Callable[[Any], str], Callable[[EmbeddedText, Diagnostics], Any]]] = {
    "value 3": (unparser.print_expression, parser.parse_expression),
    "statement 2+": (unparser.print_block, parser.parse_block),
    "text 2": (unparser.print_template, parser.parse_template),
    "rule": (unparser.print_rule, parser.parse_rule),
    "var+": (unparser.print_choice_vars, parser.parse_choice_vars),
}
"""What a maker makes -> how it is printed and parsed."""


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@given(data=st.data())
def test_what_is_printed_parses_to_itself(kind: str, data: st.DataObject) -> None:
    to_text, parse = KINDS[kind]
    nodes = data.draw(made(kind))
    text = to_text(nodes)
    again = parsed(parse, text)

    assert strip_spans(again) == strip_spans(nodes), text
    assert to_text(again) == text


# ---------------------------------------------------------------- any text

PARSERS = [
    parser.parse_block,
    parser.parse_expression,
    parser.parse_template,
    parser.parse_rule,
    parser.parse_choice_vars,
    parser.parse_offer,
]
LOOSE = ["x", "xs", "7", "{", "}", "$", "==", "\\n", "\n", "\n  ", "\n    ", "\n\t", "#"]
pieces = st.sampled_from([*sorted(set(get_terminal_spellings().values())), *LOOSE])
soups = st.lists(pieces, max_size=25).map(" ".join)


@pytest.mark.parametrize("parse", PARSERS)
@settings(deadline=None, max_examples=80)
@given(text=soups | st.text(max_size=20))
def test_every_text_is_parsed_or_refused_at_a_place_inside_it(parse: Callable[..., Any], text: str) -> None:
    diagnostics = Diagnostics()
    result = parse(embedded(text), diagnostics)

    assert (result is None) == bool(len(diagnostics))
    for d in diagnostics.list_sorted():
        for span in (d.span, *(note[0] for note in d.notes)):
            assert 0 <= span.start <= len(text)
            assert span.start < span.end <= len(text) + 1


@settings(deadline=None, max_examples=80)
@given(made("statement 2+"), st.data())
def test_a_damaged_block_is_never_taken_for_another_without_a_word(block: ast.Block, data: st.DataObject) -> None:
    """One character lost or doubled: the parser answers, and what it accepts can be printed and read again."""
    text = unparser.print_block(block)
    at = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:at] + data.draw(st.sampled_from(["", text[at] * 2])) + text[at + 1 :]
    diagnostics = Diagnostics()
    result = parser.parse_block(embedded(damaged), diagnostics)

    if result is not None:
        assert strip_spans(parsed(parser.parse_block, unparser.print_block(result))) == strip_spans(result)
    else:
        assert len(diagnostics)
