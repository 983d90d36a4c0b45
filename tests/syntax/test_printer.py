"""Test the style of the printer. ``laws/test_syntax_laws.py`` tests that printing keeps the meaning."""

from __future__ import annotations

import pytest
import unparser
from programs import read_data

from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax.parser import parse_expression

DATA = read_data(__file__)


def embed(text: str) -> EmbeddedText:
    return EmbeddedText(Source("t.yaml", text), text, tuple(range(len(text) + 1)))


@pytest.mark.parametrize("text, expected", DATA["values have only the parentheses they need"])
def test_values_have_only_the_parentheses_they_need(text: str, expected: str) -> None:
    value = parse_expression(embed(text), Diagnostics())

    assert value is not None and unparser.print_expression(value) == expected
