"""Test the suggestions for unknown words, and fixes."""

import pytest
from programs import read_data

from lusory_dsl.source.diagnostics import remove_item
from lusory_dsl.source.source import Source, Span
from lusory_dsl.source.spelling_suggestions import find_nearest

DATA = read_data(__file__)


@pytest.mark.parametrize(("word", "words", "expected"), DATA["similar word is suggested"])
def test_similar_word_is_suggested(word: str, words: list[str], expected: str | None) -> None:
    assert find_nearest(word, words) == expected


@pytest.mark.parametrize(("text", "expected"), DATA["item is removed with one comma"])
def test_item_is_removed_with_one_comma(text: str, expected: str) -> None:
    start = text.index("it")
    fix = remove_item(Span(Source("x", text), start, start + 2))
    [edit] = fix.edits

    assert fix.title == "Remove `it`"
    assert text[: edit.span.start] + edit.text + text[edit.span.end :] == expected
