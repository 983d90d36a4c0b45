"""Check a sample of the mutation corpus: `check` finds every mistake, and names the right word for most of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mutants import play_mutants
from mutation_corpus import Corpus, Trial, names_right_word
from programs import get_ruleset_folder, is_large

from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

OF_EACH_KIND = {"connect-four": 2, "kuhn-poker": 2, "tic-tac-toe": 2, "leduc-poker": 2}
"""Number of mutants of each kind. Other rulesets take longer, so only one mutant of every second kind is tried."""
SMALL = [name for name in find_bundled_rulesets() if not is_large(name)]
"""Rulesets that `check` finishes within a second. ``python tests/quick_fixes.py`` tries all rulesets."""
SMALL_GAMES = [name for name in SMALL if get_ruleset_folder(name).parent.name == "classics"]
"""Rulesets that compile within a second."""


def check_sample(name: str, folder: Path, counts: Counter[str]) -> list[str]:
    """Add a sample of the mutants of a ruleset to ``counts``. Returns those that `check` misses."""
    missed_mutants = []
    with enable_cache() as memory:
        corpus = Corpus(name, find_bundled_rulesets()[name])
        trial, counts_by_kind = Trial(corpus, folder, memory), Counter[str]()
        for mutant in corpus.list_mutants():
            counts_by_kind[mutant.kind] += 1
            number = list(counts_by_kind).index(mutant.kind)
            is_passed_over = name not in OF_EACH_KIND and (number + SMALL.index(name)) % 2
            if not is_passed_over and counts_by_kind[mutant.kind] <= OF_EACH_KIND.get(name, 1):
                diagnostics = trial.list_diagnostics(mutant)
                is_named = mutant.is_misspelt and names_right_word(mutant, diagnostics)
                counts.update(misspelt=mutant.is_misspelt, named=is_named)
                missed_mutants += [] if diagnostics else [str(mutant)]
    assert len(counts_by_kind) >= 9
    return missed_mutants


@pytest.mark.parametrize("part", range(3))
def test_a_sample_of_mutants_is_caught(part: int, tmp_path: Path) -> None:
    """Combines a third of the rulesets, because one ruleset has too few misspellings for a reliable share."""
    counts, missed_mutants = Counter[str](), []
    for name in SMALL[part::3]:
        (tmp_path / name).mkdir()
        missed_mutants += check_sample(name, tmp_path / name, counts)

    assert missed_mutants == []
    assert counts["named"] >= 0.8 * counts["misspelt"]  # the limit for the whole corpus is higher


@pytest.mark.parametrize("name", SMALL_GAMES[::2])
def test_mutants_that_check_clean_play_the_same_on_both_engines(name: str) -> None:
    """Tries a few; ``python tests/laws/mutants.py`` tries more, of all rulesets."""
    result = play_mutants(name, OF_EACH_KIND.get(name, 1))
    assert result.failures == ()
    assert result.n_clean > 0
