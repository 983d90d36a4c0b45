"""Test the suggestions for unknown words, and fixes."""

import pytest

from lusory_dsl.source.diagnostics import remove_item
from lusory_dsl.source.source import Source, Span
from lusory_dsl.source.spelling_suggestions import find_nearest


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("Gold", ["Gold", "gold"], "gold"),
        # the same letters in another order
        ("mne", ["me", "mine", "men"], "men"),
        # the same edit distance, but more letters in common
        ("mne", ["me", "mine"], "mine"),
        ("pieces", ["piece", "piecks"], "piecks"),
        # the same beginning
        ("row", ["rows", "crow"], "rows"),
        ("qwxyz", ["me", "mine"], None),
    ],
)
def test_the_word_that_is_meant(word: str, known: list[str], meant: str | None) -> None:
    assert find_nearest(word, known) == meant


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[it]", "[]"),
        ("[a, it, c]", "[a, c]"),
        ("[a , it]", "[a ]"),
        ("[it, c]", "[c]"),
        ("[it , c]", "[c]"),
    ],
)
def test_an_item_is_removed_with_one_comma(text: str, left: str) -> None:
    start = text.index("it")
    fix = remove_item(Span(Source("x", text), start, start + 2))
    [edit] = fix.edits

    assert fix.title == "Remove `it`"
    assert text[: edit.span.start] + edit.text + text[edit.span.end :] == left
