"""Measure the diagnostics of mistakes: how many mistakes are found, and how many of them a quick fix cures.

`python tests/quick_fixes.py NUMBER GAME…` tries that many mutants of the mutation corpus and that many slips of each
game. It prints a row for each kind of mistake, with the numbers of mistakes made and found. Shares of the latter
follow: the first diagnostic points to their line, the right word is named, and there are further diagnostics.

A mistake is cured if a fix that the editor offers restores the original text or an equivalent one. Texts are equivalent
if `lusory fmt` writes both in the same way, or if their YAML data is the same. A different text without diagnostics
doesn't count. The column "first" counts the mistakes that the first fix cures.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mutation_corpus import Corpus, Mutant, Trial, names_right_word
from slips import is_first, list_slips

from lusory.lsp.project_lookup_and_checks import Project, check_fix, check_rules
from lusory.lsp.quick_fixes_rename_and_formatting import format_buffer
from lusory.lsp.trial_fixes import list_fixes
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics, Fix, apply_edits
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.yaml.reader import make_source, read_text, to_plain_data

COLUMNS = ("line", "named", "further", "cured", "first")
"""Columns of the table with shares of the found mistakes."""


def is_cured(mutant: Mutant, fix: Fix) -> bool:
    """Return whether a fix restores the original text or an equivalent one."""
    texts = apply_edits(fix.edits)
    if [Path(name).name for name in texts] != [Path(mutant.span.source.name).name]:
        return False
    [text], original = texts.values(), mutant.span.source.text
    return text == original or any(
        (form := make(text)) is not None and form == make(original) for make in (format_buffer, _read)
    )


def _read(text: str) -> object:
    """Return the data of a YAML text, or None if it can't be read."""
    root = read_text(make_source("", text), Diagnostics())
    return None if root is None else to_plain_data(root)


@dataclass(frozen=True)
class Outcome:
    """The diagnostics of a mistake, and the fixes that an editor offers for the first one, most likely first."""

    mutant: Mutant
    diagnostics: list[Diagnostic]
    fixes: list[Fix]

    @property
    def place(self) -> int | None:
        """Return the index of the fix that cures the mistake, or None if no fix does."""
        return next((n for n, fix in enumerate(self.fixes) if is_cured(self.mutant, fix)), None)

    def count(self) -> Counter[str]:
        """Return what the mistake adds to each column of the table."""
        if not self.diagnostics:
            return Counter(made=1)
        place, is_named = self.place, self.mutant.is_misspelt and names_right_word(self.mutant, self.diagnostics)
        counts = Counter(made=1, found=1, line=is_first(self.mutant, self.diagnostics), named=is_named)
        return counts + Counter(further=len(self.diagnostics) - 1, cured=place is not None, first=place == 0)


def try_mistakes(name: str, number: int, kind: str = "") -> Iterator[Outcome]:
    """Yield the outcomes of ``number`` mutants and as many slips of a game whose kind matches a regular expression."""
    with enable_cache() as cache, tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(name, find_bundled_rulesets()[name])
        trial = Trial(corpus, Path(folder), cache)
        before = check_rules(Project(trial.folder), {})
        for mutant in [*corpus.list_mutants()[:number], *list_slips(corpus)[:number]]:
            if re.search(kind, mutant.kind):
                diagnostics = trial.list_diagnostics(mutant)
                try_fix = partial(check_fix, before)
                fixes = list_fixes(diagnostics[0], diagnostics, before.index, try_fix) if diagnostics else []
                yield Outcome(mutant, diagnostics, fixes)


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python tests/quick_fixes.py", description=__doc__)
    arguments.formatter_class = argparse.RawDescriptionHelpFormatter
    arguments.add_argument("number", type=int, help="mutants and slips of each game")
    arguments.add_argument("games", metavar="GAME", nargs="+", help="bundled rulesets")
    arguments.add_argument("--kind", default="", help="only kinds of mistakes that this regular expression finds")
    arguments.add_argument("--list", action="store_true", help="list what is not found, not cured, or at another line")
    args = arguments.parse_args()
    rows: dict[str, Counter[str]] = {}
    for name in args.games:
        for outcome in try_mistakes(name, args.number, args.kind):
            counts, mutant = outcome.count(), outcome.mutant
            rows.setdefault(mutant.kind, Counter()).update(counts)
            if args.list and not (counts["line"] and counts["cured"]):
                print(f"{', '.join(+counts)}: {mutant}\n    {mutant.span.source.get_line(mutant.span.line)}")
                for first in outcome.diagnostics[:1]:
                    print(f"    {first.span.line}: {first.message}")
                    print(f"    {first.hint}; {', '.join(fix.title for fix in outcome.fixes)}")
    print(" made found", *COLUMNS)
    for kind, row in [*sorted(rows.items()), ("all", sum(rows.values(), Counter()))]:
        whole = row["found"] or 1
        shares = " ".join(f"{row[column] / whole:5.0%}" for column in COLUMNS)
        print(f"{row['made']:5} {row['found']:5} {shares} {kind}")


if __name__ == "__main__":
    main()
