"""Play mutants of bundled rulesets that still check clean on both engines, and report every difference.

``python tests/laws/mutants.py --each 50`` plays one random game of 50 such mutants of each ruleset. The suite tries a
few.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

# Make the corpus importable when this file runs as a script.
sys.path.insert(0, str(Path(__file__).parents[1]))

from mutation_corpus import Corpus, Mutant, Trial

from lusory.commands.game_loading_seats_and_output import show_progress
from lusory.support.process_pool import count_processors, map_in_order
from lusory.testing.engine_comparison import create_engine_pair, find_difference
from lusory.testing.mutation import list_mutants
from lusory_dsl.core import Program
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DECISION_LIMIT = 40  # decisions of each game


@dataclass(frozen=True)
class Outcome:
    """Results for one ruleset: mutants tried, mutants that check clean, and the failures of those."""

    name: str
    n_mutants: int
    n_clean: int
    failures: tuple[str, ...]


def find_problem(program: Program, seed: int) -> str | None:
    """Return the first difference between the engines in a random game, or an unexpected exception, or None."""
    numbers = range(program.min_players, program.max_players + 1)
    try:
        engines = create_engine_pair(program, numbers[seed % len(numbers)])
        difference = find_difference(engines, seed, decision_limit=DECISION_LIMIT)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if difference is None else str(difference)


def list_text_mutants(name: str, path: Path) -> list[Mutant]:
    """Return the single-word changes of `lusory test --mutate` as mutants of the text.

    Leaves out changes of words that the file writes differently.
    """
    mutants = []
    for mutant in list_mutants(load_program(path)):
        words = re.fullmatch(r"`([^`]+)` becomes `([^`]+)`", mutant.change)
        span = mutant.span
        if words is not None and span.source.text[span.start : span.end] == words[1]:
            mutants.append(Mutant(name, mutant.kind, span, words[2]))
    return mutants


def clean_mutants(name: str, folder: Path, seed: str = "") -> Iterator[tuple[str, Program | None]]:
    """Yield the mutants of a ruleset in random order, each with its program, or None if it doesn't check clean."""
    path = find_bundled_rulesets()[name]
    with enable_cache() as memory:
        trial = Trial(Corpus(name, path), folder, memory)
        mutants = list_text_mutants(name, path)
        Random(f"{name} {seed}").shuffle(mutants)
        for mutant in mutants:
            program, problems = trial.check_mutant(mutant)
            yield str(mutant), program if not problems else None


def play_mutants(name: str, count: int, seed: str = "") -> Outcome:
    """Play mutants of a ruleset until ``count`` of them have checked clean, or until none is left."""
    n_mutants, n_clean = 0, 0
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for mutant, program in clean_mutants(name, Path(folder), seed):
            n_mutants += 1
            if program is not None:
                n_clean += 1
                problem = find_problem(program, n_clean)
                failures += [] if problem is None else [f"{mutant}\n{problem}"]
            if n_clean == count:
                break
    return Outcome(name, n_mutants, n_clean, tuple(failures))


@dataclass(frozen=True)
class _MutantPlayer:
    count: int
    seed: str

    def __call__(self, name: str) -> Outcome:
        return play_mutants(name, self.count, self.seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", metavar="RULESET", help="names of bundled rulesets (default: all)")
    parser.add_argument(
        "--each", type=int, default=50, metavar="N", help="mutants of each that check clean (default: 50)"
    )
    parser.add_argument("--seed", default="", metavar="WORD", help="another order of the mutants")
    parser.add_argument("--jobs", type=int, default=count_processors(), metavar="J", help="processes at once")
    args = parser.parse_args()
    names = args.rulesets or list(find_bundled_rulesets())
    n_failed = 0
    work = _MutantPlayer(args.each, args.seed)
    with show_progress("rulesets", len(names)) as bar, closing(map_in_order(work, names, args.jobs)) as outcomes:
        for n_done, outcome in enumerate(outcomes, 1):
            bar(n_done)
            with bar.pause():
                failures = outcome.failures
                counts = f"{outcome.n_mutants} mutants, {outcome.n_clean} check clean, {len(failures)} differ"
                print(f"{outcome.name}: {counts}")
                print(*failures, sep="\n", end="\n" if failures else "")
            n_failed += len(failures)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
