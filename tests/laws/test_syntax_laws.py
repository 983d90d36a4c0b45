"""Laws of the syntax: printing and parsing nodes returns the same nodes, and no text crashes the parser."""

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


def embed_text(text: str) -> EmbeddedText:
    return EmbeddedText(Source("law.yaml", text), text, tuple(range(len(text) + 1)))


def parse_text(parse: Callable[[EmbeddedText, Diagnostics], Any], text: str) -> Any:
    diagnostics = Diagnostics()
    result = parse(embed_text(text), diagnostics)
    errors = [f"{diagnostic.span}: {diagnostic.message}" for diagnostic in diagnostics.list_sorted()]
    assert not errors, f"{errors}\n{text}"
    return result


@pytest.mark.parametrize("different_text", ["a - b", "a + c", "(a)", "a + b + 1", "1", "[a, b]"])
def test_nodes_without_locations_can_be_compared(different_text: str) -> None:
    """Checks the comparison of nodes that the laws below use."""
    texts = ("a + b", "a  +  b", different_text)
    first, same, different = (strip_spans(parse_text(parser.parse_expression, text)) for text in texts)
    assert first == same
    assert first != different


# ---------------------------------------------------------------- any nodes

GRAMMAR = read_data(__file__) | {"operator": sorted(unparser.BINARY)}
PART = re.compile(r"(\w+)(?: (\d))?([?*+]?)")
LETTERS = 'abc "\\{}#:;()é'


class Maker:
    """Draws syntax nodes from productions. ``syntax_laws.yaml`` describes their format."""

    def __init__(self, draw: st.DrawFn, grammar: dict[str, Any]) -> None:
        self._draw, self._grammar = draw, grammar

    def draw_part(self, part: object, depth: int = 0) -> Any:
        """Draw the value of one part of a row. ``depth`` limits the levels of nesting."""
        match = PART.fullmatch(part) if isinstance(part, str) else None
        if match is None or match[1] not in {*self._grammar, "text"}:
            return NOWHERE if part == "S" else () if part == [] else part
        make = self.draw_text if match[1] == "text" else partial(self.draw_production, match[1])
        depth = int(match[2] or depth)
        if match[3] == "?":
            return make(depth) if self._draw(st.booleans()) else None
        if not match[3]:
            return make(depth)
        return tuple(make(depth) for _ in range(self._draw(st.integers(match[3] == "+", 2))))

    def draw_production(self, name: str, depth: int) -> Any:
        rows = self._grammar[name]
        if isinstance(rows, dict):
            rows, depth = rows["shallow"] + (rows["deep"] if depth > 0 else []), depth - 1
        row = self._draw(st.sampled_from(rows))
        if not isinstance(row, list):
            return self.draw_part(row, depth)
        fields = [self.draw_part(part, depth) for part in row[1:]]
        return tuple(fields) if row[0] == "tuple" else getattr(ast, row[0])(NOWHERE, *fields)

    def draw_text(self, depth: int) -> ast.TextLit:
        parts: list[str | ast.Expr] = []
        for _ in range(self._draw(st.integers(0, 3))):
            words = self._draw(st.text(LETTERS, max_size=4))
            if words and not (parts and isinstance(parts[-1], str)):
                parts.append(words)
            else:
                parts.append(self.draw_production("value", depth))
        return ast.TextLit(NOWHERE, tuple(parts))


@st.composite
def draw_nodes(draw: st.DrawFn, part: str, grammar: dict[str, Any] = GRAMMAR) -> Any:
    """Draw the value of one part of a row, such as ``value 3``."""
    return Maker(draw, grammar).draw_part(part)


KINDS: dict[str, tuple[Callable[[Any], str], Callable[[EmbeddedText, Diagnostics], Any]]] = {
    "value 3": (unparser.print_expression, parser.parse_expression),
    "statement 2+": (unparser.print_block, parser.parse_block),
    "text 2": (unparser.print_template, parser.parse_template),
    "rule": (unparser.print_rule, parser.parse_rule),
    "var+": (unparser.print_choice_vars, parser.parse_choice_vars),
}
"""Part of a row -> the function that prints its nodes and the one that parses them."""


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@given(data=st.data())
def test_printed_nodes_parse_to_themselves(kind: str, data: st.DataObject) -> None:
    to_text, parse = KINDS[kind]
    nodes = data.draw(draw_nodes(kind))
    text = to_text(nodes)
    parsed_nodes = parse_text(parse, text)

    assert strip_spans(parsed_nodes) == strip_spans(nodes), text
    assert to_text(parsed_nodes) == text


# ---------------------------------------------------------------- any text

PARSERS = [
    parser.parse_block,
    parser.parse_expression,
    parser.parse_template,
    parser.parse_rule,
    parser.parse_choice_vars,
    parser.parse_offer,
]
MORE_PIECES = ["x", "xs", "7", "{", "}", "$", "==", "\\n", "\n", "\n  ", "\n    ", "\n\t", "#"]
pieces = st.sampled_from([*sorted(set(get_terminal_spellings().values())), *MORE_PIECES])
random_texts = st.lists(pieces, max_size=25).map(" ".join)


@pytest.mark.parametrize("parse", PARSERS)
@settings(deadline=None, max_examples=80)
@given(text=random_texts | st.text(max_size=20))
def test_errors_are_located_inside_the_text(parse: Callable[..., Any], text: str) -> None:
    diagnostics = Diagnostics()
    result = parse(embed_text(text), diagnostics)

    assert (result is None) == bool(len(diagnostics))
    for diagnostic in diagnostics.list_sorted():
        for span in (diagnostic.span, *(note[0] for note in diagnostic.notes)):
            assert 0 <= span.start <= len(text)
            assert span.start < span.end <= len(text) + 1


@settings(deadline=None, max_examples=80)
@given(draw_nodes("statement 2+"), st.data())
def test_a_damaged_block_is_refused_or_valid(block: ast.Block, data: st.DataObject) -> None:
    """After one character is lost or doubled, the parser reports an error or returns nodes that print and parse."""
    text = unparser.print_block(block)
    position = data.draw(st.integers(0, len(text) - 1))
    damaged_text = text[:position] + data.draw(st.sampled_from(["", text[position] * 2])) + text[position + 1 :]
    diagnostics = Diagnostics()
    result = parser.parse_block(embed_text(damaged_text), diagnostics)

    if result is not None:
        assert strip_spans(parse_text(parser.parse_block, unparser.print_block(result))) == strip_spans(result)
    else:
        assert len(diagnostics)
