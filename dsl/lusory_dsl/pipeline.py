"""Compile a ruleset: run all stages from its files to a checked program.

    files → load → model.Ruleset → declare names → check effect texts → CheckedRuleset with the core program
      → report limits → lint → insert calls of rules, of ends of spans and of state checks → core.Program

The lints run before calls are inserted behind statements: they must see every declaration, but not these calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from . import core
from .checker.check import CheckedRuleset, check_texts, declare_names, report_limits
from .checker.context import Observer
from .checker.unknown_names_traced_to_misspelt_declarations import correct_declarations, suggest_missing_dots
from .desugar.durations_and_state_checks import desugar_spans, insert_state_checks
from .desugar.split_statements_blank_cards_invariants_and_secret_names import hide_secret_names, mark_laws
from .desugar.triggers import desugar_triggers
from .lint.constant_conditions_and_parts_without_effect import (
    report_constant_conditions,
    report_early_endings,
    report_endless_checks,
    report_equal_rank_terms,
    report_illegal_options,
    report_single_options,
    report_unpayable_cards,
    report_unreachable,
)
from .lint.hidden_information_leaks import report_leaks, report_same_signs
from .lint.late_conditions_and_missing_holders import report_late_conditions, report_missing_holders
from .lint.member_access_on_optional_places import report_untested_places
from .lint.missing_wrong_and_outdated_card_texts import (
    report_changed_rules,
    report_missing_keywords,
    report_missing_texts,
    report_stale_numbers,
)
from .lint.unused_declarations_and_cards_never_in_play import report_cards_never_in_play, report_unused
from .ruleset import model
from .ruleset.loader_and_merging_of_files_and_packs import load_files, load_text
from .ruleset.suppressions import suppress_ignored
from .source.dataclass_with_lazy_methods import replace
from .source.diagnostics import Diagnostics, RulesetError
from .source.in_memory_cache_of_parsed_and_checked_texts import ensure_cache
from .source.nesting_limits import raise_recursion_limit
from .source.ruleset_files_fingerprints_and_text_lock import RulesetFiles, read_ruleset_files

Lint = Callable[[CheckedRuleset, Diagnostics], None]

LINTS: tuple[Lint, ...] = (
    report_unused,
    report_constant_conditions,
    report_single_options,
    report_illegal_options,
    report_unpayable_cards,
    report_endless_checks,
    report_unreachable,
    report_early_endings,
    report_late_conditions,
    report_missing_holders,
    report_cards_never_in_play,
    report_equal_rank_terms,
    report_stale_numbers,
    report_missing_texts,
    report_missing_keywords,
    report_changed_rules,
    report_untested_places,
    report_leaks,
    report_same_signs,
)


def check(path: Path | str, diagnostics: Diagnostics, packs: Sequence[Path] = ()) -> core.Program | None:
    """Check the ruleset in a folder or file, with the packs at ``packs`` applied in order.

    Adds all findings to ``diagnostics``. Returns the program, or None if there are errors.
    """
    return check_files(read_ruleset_files(Path(path), packs), diagnostics)


def check_files(
    places: Sequence[RulesetFiles], diagnostics: Diagnostics, observer: Observer | None = None
) -> core.Program | None:
    """Check a ruleset from files that are already in memory: the ruleset first, then its packs.

    Adds all findings to ``diagnostics``, and returns the program, or None if there are errors. The ``observer``
    receives the checked nodes of all effect texts that could be parsed, also if there are errors.
    """
    packs = [place.path for place in places[1:]]
    return _check_ruleset(load_files(places, diagnostics), diagnostics, packs, observer)


def check_text(text: str, diagnostics: Diagnostics, name: str = "<text>") -> core.Program | None:
    """Check a ruleset that consists of one YAML text.

    Adds all findings to ``diagnostics``, which use ``name`` in place of a file name. Returns the program, or None if
    there are errors.
    """
    return _check_ruleset(load_text(text, diagnostics, name), diagnostics)


def load_program(path: Path | str, packs: Sequence[Path] = ()) -> core.Program:
    """Return the program of the ruleset in a folder or file, with the packs applied in order.

    Raises :class:`RulesetError` if the ruleset has errors, also if a file can't be read. Its ``diagnostics`` are the
    errors and warnings as :meth:`Diagnostics.list_sorted` returns them: related ones are merged, and suppressed ones
    left out. Warnings alone are discarded.
    """
    diagnostics = Diagnostics()
    program = check(path, diagnostics, packs)
    if program is None:
        raise RulesetError(diagnostics.list_sorted())
    return program


def _check_ruleset(
    ruleset: model.Ruleset | None,
    diagnostics: Diagnostics,
    packs: Sequence[Path] = (),
    observer: Observer | None = None,
) -> core.Program | None:
    """Check and compile a ruleset, or return None if it is None or there are errors before.

    Applies the suppressions of the files. With packs, only files of the packs report a suppression that suppresses
    nothing.
    """
    if ruleset is None or diagnostics.has_errors:
        return None
    raise_recursion_limit()
    program = None
    with diagnostics.stop_when_full(), ensure_cache():
        program = _compile_program(ruleset, diagnostics, observer)
    # A pack can use what the ruleset leaves unused. So with packs, only files of packs report a suppression that
    # suppresses nothing.
    reporting_sources = [
        source
        for source in ruleset.sources
        if not packs or any(Path(source.name).is_relative_to(pack) for pack in packs)
    ]
    suppress_ignored(ruleset.sources, reporting_sources, diagnostics)
    return program


def _compile_program(ruleset: model.Ruleset, report: Diagnostics, observer: Observer | None) -> core.Program | None:
    """Run all stages after the loader. Returns None if there are errors."""
    declared_ruleset = declare_names(ruleset, report, observer)
    names, queries = declared_ruleset.texts.names, declared_ruleset.definitions.queries
    checked_texts = check_texts(declared_ruleset)
    # the types are known now, so nothing needs the checkers: without this, they would wait for a search for garbage
    names.queries.compute_type = {name: query.type for name, query in queries.items()}.__getitem__
    if report.has_errors:
        correct_declarations(names, declared_ruleset.texts.notes, ruleset.sources, report)
        suggest_missing_dots(report)
    if checked_texts is None:
        return None
    program = hide_secret_names(mark_laws(checked_texts.program))
    checked_ruleset = replace(checked_texts, program=program)
    report_limits(checked_ruleset, report)
    if report.has_errors:
        return None
    for lint in LINTS:
        lint(checked_ruleset, report)
    # some lints report errors that only a whole program can reveal
    if report.has_errors:
        return None
    return insert_state_checks(desugar_spans(desugar_triggers(program, checked_ruleset.triggers)))
