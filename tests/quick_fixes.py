"""Measure quick fixes: for how many mistakes the first fix of the first diagnostic gives the right text back.

`python tests/quick_fixes.py NUMBER GAME…` tries that many mutants of the mutation corpus and that many slips of each
game, and prints a row for each kind of mistake. Counted is every mistake that `check` reports. A mistake is cured if
the preferred fix gives the text from before the mistake, or an equivalent one: `lusory fmt` writes it in the same way,
or the YAML has the same data. Other fixes of the diagnostic don't count, and neither does a different text without
findings.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mutation_corpus import Corpus, Mutant, Trial
from slips import is_first, slips

from lusory.lsp.edits import fixes_of, formatted
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics, Fix
from lusory_dsl.source.parse_cache import enable_cache
from lusory_dsl.source.safe_files import find_bundled_rulesets
from lusory_dsl.yaml.reader import make_source, read_text, to_plain_data


def texts_after(fix: Fix) -> dict[str, str]:
    """Return the text of each file that a fix changes, with its edits made, by the name of the file."""
    edits = sorted(fix.edits, key=lambda edit: edit.span.start, reverse=True)
    texts = {edit.span.source.name: edit.span.source.text for edit in edits}
    for edit in edits:
        text = texts[edit.span.source.name]
        texts[edit.span.source.name] = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return texts


def is_cured(mutant: Mutant, diagnostic: Diagnostic) -> bool:
    """Return whether the first fix of a diagnostic gives back the text from before the mistake."""
    fix = next(iter(fixes_of(diagnostic)), None)
    texts = {} if fix is None else texts_after(fix)
    if [Path(name).name for name in texts] != [Path(mutant.span.source.name).name]:
        return False
    [text], original = texts.values(), mutant.span.source.text
    return text == original or any(
        (form := make(text)) is not None and form == make(original) for make in (formatted, _read)
    )


def _read(text: str) -> object:
    """Return the data of a YAML text, or None if it can't be read."""
    root = read_text(make_source("", text), Diagnostics())
    return None if root is None else to_plain_data(root)


def tried(name: str, number: int, kind: str = "") -> Iterator[tuple[Mutant, list[Diagnostic]]]:
    """Yield ``number`` mutants and as many slips of a game with their diagnostics. ``kind`` is a part of the kind."""
    with enable_cache() as cache, tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(name, find_bundled_rulesets()[name])
        trial = Trial(corpus, Path(folder), cache)
        for mutant in [*corpus.mutants()[:number], *slips(corpus)[:number]]:
            if kind in mutant.kind:
                yield mutant, trial.findings(mutant)


def count(mutant: Mutant, found: list[Diagnostic], rows: dict[str, Counter[str]]) -> Counter[str]:
    """Add the outcome of a mistake to the row of its kind, and return it."""
    outcome = Counter(found=bool(found))
    if found:
        outcome += Counter(line=is_first(mutant, found), cured=is_cured(mutant, found[0]))
    rows.setdefault(mutant.kind, Counter()).update(outcome)
    return outcome


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python tests/quick_fixes.py", description=__doc__)
    arguments.formatter_class = argparse.RawDescriptionHelpFormatter
    arguments.add_argument("number", type=int, help="mutants and slips of each game")
    arguments.add_argument("games", metavar="GAME", nargs="+", help="bundled rulesets")
    arguments.add_argument("--kind", default="", help="only kinds of mistakes with this text in their name")
    arguments.add_argument("--list", action="store_true", help="list what is not cured, or at another line")
    args = arguments.parse_args()
    rows: dict[str, Counter[str]] = {}
    for name in args.games:
        for mutant, found in tried(name, args.number, args.kind):
            outcome = count(mutant, found, rows)
            if args.list and found and outcome.total() < 3:
                first, line = found[0], mutant.span.source.get_line(mutant.span.line)
                print(f"{', '.join(+outcome)}: {mutant}\n    {line}\n    {first.span.line}: {first.message}")
                print(f"    {first.hint}; {', '.join(fix.title for fix in fixes_of(first))}")
    print("found line cured")
    for kind, row in [*sorted(rows.items()), ("all", sum(rows.values(), Counter()))]:
        whole = row["found"] or 1
        print(f"{row['found']:5} {row['line'] / whole:4.0%} {row['cured'] / whole:5.0%} {kind}")


if __name__ == "__main__":
    main()
