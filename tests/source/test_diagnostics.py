"""Which known word somebody may mean."""

import pytest

from lusory_dsl.source.diagnostics import nearest


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("mne", ["me", "mine", "men"], "men"),  # the letters of the word, in another order
        ("mne", ["me", "mine"], "mine"),  # as many slips, and more that is the same
        ("pieces", ["piece", "piecks"], "piecks"),
        ("row", ["rows", "crow"], "rows"),  # begins alike
        ("qwxyz", ["me", "mine"], None),
    ],
)
def test_the_word_that_is_meant(word: str, known: list[str], meant: str | None) -> None:
    assert nearest(word, known) == meant
