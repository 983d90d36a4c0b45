"""Run ``lusory check``: find the mistakes in rulesets, once or (``--watch``) after every change of a file."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from time import perf_counter, sleep
from typing import NoReturn

from lusory_dsl.core import Program
from lusory_dsl.ruleset.suppressions import MARK
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import (
    RulesetFiles,
    compute_fingerprint,
    compute_path_fingerprint,
    read_ruleset_files,
)
from lusory_dsl.source.safe_files_and_bundled_data import FileRefused
from lusory_dsl.source.source import count_noun
from lusory_dsl.yaml.reader import report_refusal

from ...reports.check_suites_findings_and_locations import Suite
from ...testing.cases.suite_runner import list_case_faults, list_case_files
from ...ui.line.terminal_output_and_line_editing import Terminal, create_terminal
from ..errors import UsageError
from ..game_loading_seats_and_output import TEXT, CachedProgram, Output, check_rules, find_packs, find_ruleset


def check_ruleset(name: str, path: Path, packs: Sequence[Path]) -> Suite:
    """Check a ruleset with its packs, and the cases of the packs, or of the ruleset if ``packs`` is empty.

    Returns a Suite ``name`` with the findings, sorted, in ``diagnostics``. A path that doesn't exist is a finding, too.
    If the rules have no errors, the cases are read for mistakes, but not played: ``cases`` is always None. ``notes``
    then has a sentence about each pack that replaces parts of the game: ``Storms replaces `cards`, `price`.`` Warnings
    about the rules that comments turn off are in ``ignored_findings`` instead, as (finding, reason). Rules without
    errors are put into the cache. They come from there if the files are the same and have neither findings nor such
    comments.
    """
    start = perf_counter()
    entry = CachedProgram(path, packs)
    cached_program = entry.get_program()
    ignored_findings: list[tuple[Diagnostic, str]] = []
    contents = [content for place in entry.files for _, content in place.files if isinstance(content, bytes)]
    has_remarks = any(MARK.encode() in content for content in contents)
    if cached_program is not None and cached_program[1] == 0 and not has_remarks:
        program: Program | None = cached_program[0]
        findings = find_case_mistakes(cached_program[0], path, packs)
    else:
        diagnostics = Diagnostics()
        program = check_rules(entry.files, diagnostics)
        if program is not None:
            entry.keep(program, len(diagnostics))
            diagnostics.extend(find_case_mistakes(program, path, packs))
        findings, ignored_findings = diagnostics.list_sorted(), diagnostics.suppressed_findings
    notes = []
    for pack in () if program is None else program.packs:
        if pack.replaces:
            notes.append(f"{pack.name} replaces {', '.join(f'`{declaration}`' for declaration in pack.replaces)}.")
    seconds = perf_counter() - start
    return Suite(name, tuple(findings), seconds, notes=tuple(notes), ignored_findings=tuple(ignored_findings))


def find_case_mistakes(program: Program, path: Path, packs: Sequence[Path]) -> list[Diagnostic]:
    """Return the mistakes in the case files of the packs, or of the ruleset ``path`` if there are no packs.

    They are sorted by file and position. The cases are not played. Without a folder ``cases`` there are none. A case
    file that can't be read is one mistake. If the folder ``cases`` of any pack can't be read or holds too many files,
    that is the only mistake of all packs.
    """
    folders = [folder for folder in packs or [path] if (folder / "cases").is_dir()]
    if not folders:
        return []
    try:
        return list_case_faults(program, [file for folder in folders for file in list_case_files(folder)])
    except FileRefused as refusal:
        mistakes = Diagnostics()
        report_refusal(refusal, mistakes)
        return mistakes.list_sorted()


def _show_findings(
    terminal: Terminal, diagnostics: Sequence[Diagnostic], ruleset_count: int, notes: Iterable[str] = ()
) -> None:
    """Print the findings, the command that explains the first one, and the notes.

    Without findings, prints that ``ruleset_count`` rulesets have no problems, and the notes.
    """
    terminal.print_diagnostics(diagnostics)
    if not diagnostics:
        terminal.print(f"No problems found in {count_noun(ruleset_count, 'ruleset')}.")
    else:
        code = diagnostics[0].code.id
        terminal.print(f"`lusory explain {code}` explains {code}.")
    terminal.print(*notes)


def run(args: argparse.Namespace) -> int:
    """Check rulesets and report the findings. Returns 1 if there is an error, or with ``--strict`` any finding, else 0.

    Without findings, it prints ``No problems found in 1 ruleset.`` In the format text, this line and
    all findings go to the output file if there is one. Another format writes its report to the output file and prints
    the text as well, or without a file prints only its report. With ``--watch``, checks again after each change and
    does not return. With a format other than text, or an output file, ``--watch`` raises UsageError. A path that is
    typed twice in the same way is checked once. Raises UsageError for a path that doesn't exist and names no bundled
    game.
    """
    paths = {name: find_ruleset(name) for name in args.paths}
    packs = find_packs(args.packs)
    if args.watch:
        if args.format != TEXT or args.output:
            raise UsageError("--watch prints text, so it can't be combined with --format or --output")

        return _watch_files(list(paths.values()), packs)
    output = Output(args)
    suites = [check_ruleset(name, path, packs) for name, path in paths.items()]
    diagnostics = [diagnostic for suite in suites for diagnostic in suite.diagnostics]
    if output.screen is not None:
        ignored_findings = [finding for suite in suites for finding in suite.ignored_findings]
        notes = [note for suite in suites for note in suite.notes]
        if args.show_ignored:
            output.screen.print_ignored(ignored_findings)
        elif ignored_findings:
            number = "1 warning is" if len(ignored_findings) == 1 else f"{len(ignored_findings)} warnings are"
            notes.append(f"{number} turned off by comments; `--show-ignored` shows them.")
        _show_findings(output.screen, diagnostics, len(paths), notes)
    output.finish(suites)
    return 1 if any(diagnostic.severity == "error" or args.strict for diagnostic in diagnostics) else 0


# Seconds between two looks at the files.
LOOK_SECONDS = 0.05


def _watch_files(paths: Sequence[Path], packs: Sequence[Path]) -> NoReturn:
    """Check now, and again whenever the content of a file changes. Ends only by KeyboardInterrupt.

    Prints the findings of each round. The garbage collector stays off afterwards.
    """
    terminal = create_terminal()
    fingerprints: list[str | None] = []
    last_results: dict[Path, _Rules] = {}

    def is_outdated() -> bool:
        return _compute_fingerprints(paths, packs) != fingerprints

    # Collect garbage between rounds: a round makes so much that interruptions would cost more than they gain.
    gc.disable()
    with enable_cache() as memory:
        while True:
            if not is_outdated():
                sleep(LOOK_SECONDS)
                continue
            fingerprints = _compute_fingerprints(paths, packs)
            _check_round(terminal, paths, packs, is_outdated, last_results)
            memory.start_round()
            gc.collect()


def _compute_fingerprints(paths: Sequence[Path], packs: Sequence[Path]) -> list[str | None]:
    """Return fingerprints of all files that a check reads."""
    folders = [place for place in (*paths, *packs) if place.is_dir()]
    return [compute_fingerprint(read_ruleset_files(path, packs)) for path in paths] + [
        _compute_case_fingerprint(folder) for folder in folders
    ]


def _compute_case_fingerprint(folder: Path) -> str | None:
    try:
        return compute_path_fingerprint(list_case_files(folder))
    except FileRefused:
        return None


_Rules = tuple[tuple[RulesetFiles, ...], Program | None, list[Diagnostic]]
"""The files of a ruleset, with the program and the findings that they gave."""


def _check_round(
    terminal: Terminal,
    paths: Sequence[Path],
    packs: Sequence[Path],
    is_outdated: Callable[[], bool],
    last_results: dict[Path, _Rules],
) -> None:
    """Check everything once. Print the findings of the rules first, and then those of the rules and cases together.

    Stop early if files have changed meanwhile. ``last_results`` holds the rules of the last round and their findings.
    Rules are checked again only if their files differ.
    """
    start = perf_counter()
    all_diagnostics = Diagnostics()
    programs: list[tuple[Program, Path]] = []
    for path in paths:
        files = read_ruleset_files(path, packs)
        if path not in last_results or last_results[path][0] != files:
            path_diagnostics = Diagnostics()
            last_results[path] = files, check_rules(files, path_diagnostics), path_diagnostics.list_sorted()
        _, program, path_findings = last_results[path]
        all_diagnostics.extend(path_findings)
        if program is not None:
            programs.append((program, path))
    if programs:
        terminal.console.clear()
        terminal.print_diagnostics(all_diagnostics.list_sorted())
        terminal.print(f"{_format_time(start)} The rules are checked. Reading the cases …")
        if is_outdated():
            return
    for program, path in programs:
        all_diagnostics.extend(find_case_mistakes(program, path, packs))
    terminal.console.clear()
    _show_findings(terminal, all_diagnostics.list_sorted(), len(paths))
    terminal.print(f"{_format_time(start)} Watching for changes; Ctrl-C stops.", "")


def _format_time(start: float) -> str:
    return f"{datetime.now():%H:%M:%S}, after {perf_counter() - start:.2f} s."
