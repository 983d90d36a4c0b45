"""A sample of the mutation corpus: `check` finds every mistake, and for nine misspellings in ten says what is meant."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mutants import play_mutants
from mutation_corpus import Corpus, Trial, names_the_word
from programs import folder_of, is_large

from lusory_dsl.source.in_memory_check_cache import enable_cache
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

OF_EACH_KIND = {"connect-four": 2, "kuhn-poker": 2, "tic-tac-toe": 2, "leduc-poker": 2}
"""How many mutants of each kind; of the larger rulesets, which take longer, one of every second kind."""
SMALLER = [name for name in find_bundled_rulesets() if not is_large(name)]
"""Rulesets of which a check takes less than a second. ``python tests/quick_fixes.py`` tries all."""
PLAYED = [name for name in SMALLER if folder_of(name).parent.name == "classics"]
"""Rulesets that are compiled within a second."""


def findings_of_a_sample(name: str, folder: Path, counts: Counter[str]) -> list[str]:
    """Add a sample of the mutants of a ruleset to ``counts``. Returns those that `check` misses."""
    missed = []
    with enable_cache() as memory:
        corpus = Corpus(name, find_bundled_rulesets()[name])
        trial, drawn = Trial(corpus, folder, memory), Counter[str]()
        for mutant in corpus.mutants():
            drawn[mutant.kind] += 1
            is_passed_over = name not in OF_EACH_KIND and (list(drawn).index(mutant.kind) + SMALLER.index(name)) % 2
            if not is_passed_over and drawn[mutant.kind] <= OF_EACH_KIND.get(name, 1):
                found = trial.findings(mutant)
                counts.update(misspelt=mutant.is_misspelt, named=mutant.is_misspelt and names_the_word(mutant, found))
                missed += [] if found else [str(mutant)]
    assert len(drawn) >= 9
    return missed


@pytest.mark.parametrize("part", range(3))
def test_a_sample_of_mutants_is_caught(part: int, tmp_path: Path) -> None:
    """A third of the rulesets at a time: of one alone, so few names are misspelt that their share says little."""
    counts, missed = Counter[str](), []
    for name in SMALLER[part::3]:
        (tmp_path / name).mkdir()
        missed += findings_of_a_sample(name, tmp_path / name, counts)

    assert missed == []
    assert counts["named"] >= 0.8 * counts["misspelt"]  # the whole corpus is held to more


@pytest.mark.parametrize("name", PLAYED[::2])
def test_mutants_that_check_clean_play_the_same_on_both_engines(name: str) -> None:
    """A few of each; ``python tests/laws/mutants.py`` tries more, of all rulesets."""
    found = play_mutants(name, OF_EACH_KIND.get(name, 1))
    assert found.failures == ()
    assert found.clean > 0
