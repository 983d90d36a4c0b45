"""Test the suggestions for unknown words."""

import pytest

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
