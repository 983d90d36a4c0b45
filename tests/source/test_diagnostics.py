"""Test the suggestions for unknown words, and fixes."""

import pytest
from programs import read_data

from lusory_dsl.source.diagnostics import remove_item
from lusory_dsl.source.source import Source, Span
from lusory_dsl.source.spelling_suggestions import find_nearest

DATA = read_data(__file__)


@pytest.mark.parametrize(("word", "known", "meant"), DATA["the word that is meant"])
def test_the_word_that_is_meant(word: str, known: list[str], meant: str | None) -> None:
    assert find_nearest(word, known) == meant


@pytest.mark.parametrize(("text", "left"), DATA["an item is removed with one comma"])
def test_an_item_is_removed_with_one_comma(text: str, left: str) -> None:
    start = text.index("it")
    fix = remove_item(Span(Source("x", text), start, start + 2))
    [edit] = fix.edits

    assert fix.title == "Remove `it`"
    assert text[: edit.span.start] + edit.text + text[edit.span.end :] == left
