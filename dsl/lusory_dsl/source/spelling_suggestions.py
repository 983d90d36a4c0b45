"""Find the known word that an author most likely meant by a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from operator import eq

MAX_WORD_LENGTH = 100
MAX_CANDIDATES = 200
MIN_SIMILARITY = 0.7
"""Minimum similarity, from 0 to 1, of two words for a suggestion (the ratio of :mod:`difflib`)."""


def find_nearest(word: str, known_words: Iterable[str]) -> str | None:
    """Return the known word that an author most likely meant by ``word``, or None if none is similar.

    A word that differs from ``word`` only in case wins, even over one that is equal. The first by code points wins
    among several. Otherwise the smallest edit distance wins, whatever the case. It may be at most a third of the length
    of ``word``, or 1 for a short word. In a tie, the same letters win: ``form`` gives ``from``, not ``farm``. After
    that come the same first letter, the greatest length, the case of ``word``, and the alphabet. If no word is near
    enough, or ``word`` has at most one letter, the greatest :mod:`difflib` ratio wins, whatever the case, in a tie the
    last in the alphabet. It must be at least ``MIN_SIMILARITY`` (0.7). A ``word`` of more than ``MAX_WORD_LENGTH``
    (100) characters gives None. If more than ``MAX_CANDIDATES`` (200) words are known, only those with the same first
    letter in either case count, at most 200 of the most similar length.
    """
    if len(word) > MAX_WORD_LENGTH:
        return None
    candidates = sorted(set(known_words))
    if len(candidates) > MAX_CANDIDATES:
        similar = [known_word for known_word in candidates if known_word[:1].lower() == word[:1].lower()]
        candidates = sorted(sorted(similar, key=lambda known_word: abs(len(known_word) - len(word)))[:MAX_CANDIDATES])
    by_lower_case = {known_word.lower(): known_word for known_word in reversed(candidates) if known_word != word}
    if word.lower() in by_lower_case:
        return by_lower_case[word.lower()]
    limit = max(1, len(word) // 3)
    letters = sorted(word.lower())
    ratings = [
        (
            compute_edit_distance(word.lower(), known_word.lower(), limit),
            sorted(known_word.lower()) != letters,
            known_word[:1].lower() != word[:1].lower(),
            -len(known_word),
            compute_edit_distance(word, known_word, len(word)),
            known_word,
        )
        for known_word in candidates
        if abs(len(known_word) - len(word)) <= limit
    ]
    if ratings and len(word) > 1 and min(ratings)[0] <= limit:
        return min(ratings)[-1]
    # imported late, because most runs need no suggestion
    import difflib

    by_case = sorted(candidates, key=lambda known_word: -sum(map(eq, word, known_word)))
    by_small_letters = {known_word.lower(): known_word for known_word in reversed(by_case)}
    matches = difflib.get_close_matches(word.lower(), by_small_letters, n=1, cutoff=MIN_SIMILARITY)
    return by_small_letters[matches[0]] if matches else None


def compute_edit_distance(word: str, target: str, limit: int | None = None) -> int:
    """Return the edit distance of two words (optimal string alignment).

    An insertion, a deletion, a replacement, or a swap of neighbouring letters counts 1. If the distance exceeds
    ``limit``, some number above ``limit`` is returned. Example: ``word`` and ``wrod`` have the distance 1.
    """
    while word and target and word[0] == target[0]:
        word, target = word[1:], target[1:]
    while word and target and word[-1] == target[-1]:
        word, target = word[:-1], target[:-1]
    previous, row = [0] * (len(target) + 1), list(range(len(target) + 1))
    for i, letter in enumerate(word, 1):
        second_last, previous, row = previous, row, [i]
        for j, target_letter in enumerate(target, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (letter != target_letter))
            if i > 1 and j > 1 and letter == target[j - 2] and word[i - 2] == target_letter:
                cost = min(cost, second_last[j - 2] + 1)
            row.append(cost)
        if limit is not None and min(row) > limit and min(previous) > limit:
            return limit + 1
    return row[-1]


def suggest_name(word: str, known_words: Iterable[str]) -> str | None:
    """Return the hint ``did you mean `…`?`` with the nearest known word, or None if none is similar."""
    best = find_nearest(word, known_words)
    return f"did you mean `{best}`?" if best is not None else None
