"""The printer's style. That what it prints means the same is a law: ``laws/test_syntax_laws.py``."""

from __future__ import annotations

import pytest
import unparser

from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax.parser import parse_expression


def embedded(text: str) -> EmbeddedText:
    return EmbeddedText(Source("t.yaml", text), text, tuple(range(len(text) + 1)))


@pytest.mark.parametrize(
    "written, printed",
    [
        ("((a + b)) * (c)", "(a + b) * c"),
        ("a - (b - c) - d", "a - (b - c) - d"),
        ("(a and b) or (not (c))", "a and b or not c"),
        ("not (a or b)", "not (a or b)"),
        ("(a < b) = c", "(a < b) = c"),
        ("a is not b", "a != b"),
        ("(1)..(n-1)", "1..n - 1"),
        ("(xs where a) where b", "xs where a where b"),
        ("count((xs where a))", "count(xs where a)"),
        ("(xs where a).first", "(xs where a).first"),
        ("(if a then b else c) + 1", "(if a then b else c) + 1"),
        ("sum(x for x in (xs where a) where b)", "sum(x for x in (xs where a) where b)"),
        ("f( x:1,2 )", "f(x: 1, 2)"),
        ('"{a}{{b}} \\"c\\""', '"{a}{{b}} \\"c\\""'),
        ("a +\n  b", "a + b"),
    ],
)
def test_values_have_only_the_parentheses_they_need(written: str, printed: str) -> None:
    value = parse_expression(embedded(written), Diagnostics())

    assert value is not None
    assert unparser.print_expression(value) == printed
