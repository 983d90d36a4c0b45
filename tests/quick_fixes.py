"""Measure quick fixes: for how many mistakes of the mutation corpus and slips one of them gives the right text back.

`python tests/quick_fixes.py NUMBER GAME…` tries that many mutants and that many slips of each game. A fix counts if the
text is the original one afterwards, or if `check` then finds nothing.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from mutation_corpus import Corpus, Mutant, Trial
from slips import slips

from lusory.lsp.edits import apply, fixes_of
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.parse_cache import enable_cache
from lusory_dsl.source.safe_files import find_bundled_rulesets


def is_restored(mutant: Mutant, diagnostic: Diagnostic, trial: Trial) -> bool:
    """Return whether a quick fix of a diagnostic gives back the text before the mistake, or one without findings."""
    original = mutant.span.source.text
    for fix in fixes_of(diagnostic):
        if Path(fix.source.name).name != Path(mutant.span.source.name).name or fix.title.startswith("Ignore"):
            continue
        text = apply(fix.source.text, [fix.edit])
        if text == original:
            return True
        whole = Mutant(mutant.ruleset, mutant.kind, type(mutant.span)(mutant.span.source, 0, len(original)), text)
        if not fix.title.startswith("Declare") and not trial.findings(whole):
            return True
    return False


def main() -> None:
    number, names = int(sys.argv[1]), sys.argv[2:]
    count: dict[str, Counter[str]] = {}
    for name in names:
        with enable_cache() as cache, tempfile.TemporaryDirectory() as folder:
            corpus = Corpus(name, find_bundled_rulesets()[name])
            trial = Trial(corpus, Path(folder), cache)
            for mutant in [*corpus.mutants()[:number], *slips(corpus)[:number]]:
                found = trial.findings(mutant)
                if not found:
                    continue
                row = count.setdefault(mutant.kind, Counter())
                row["found"] += 1
                row["line"] += found[0].span.line == mutant.span.line
                row["fixed"] += is_restored(mutant, found[0], trial)
    print("found line fixed")
    for kind, row in [*sorted(count.items()), ("all", sum(count.values(), Counter()))]:
        print(f"{row['found']:5} {row['line'] / row['found']:4.0%} {row['fixed'] / row['found']:5.0%} {kind}")


if __name__ == "__main__":
    main()
