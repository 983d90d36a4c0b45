"""Compile a ruleset: run all stages from its files to a checked program.

    files → load → model.Ruleset → declare names → check effect texts → Checked (core nodes, with sugar)
      Checked → declaration passes → report limits → lint → weaving passes → core.Program

The lints run between the two groups of passes. They must see every declaration, but not the calls that the weaving
passes insert behind statements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from . import core
from .checker.check import Checked, check_texts, declare, report_limits
from .checker.context import Observer
from .checker.texts import name_counters
from .core.sugar import Sugar
from .desugar.small_passes import blank_cards, laws, splits, written_names
from .desugar.state_checks import called_state_checks, durations, spans, state_checks
from .desugar.triggers import events
from .desugar.windows import windows
from .lint.dead_code import constant_condition, early_endings, endless_check, never_legal, one_option, unreachable
from .lint.missing_values import untested_places
from .lint.probable_mistakes import late_conditions, never_payable, no_holders, same_rank
from .lint.secrets import same_signs, secrets
from .lint.stale_text import stale_numbers
from .lint.unused import never_in_play, never_used
from .ruleset import model
from .ruleset.loader import load_files, load_text
from .ruleset.suppressions import silence_ignored
from .source.diagnostics import Diagnostics, RulesetError
from .source.lazy_dataclass import replace
from .source.limits import make_room
from .source.memo import remembering_meanwhile
from .source.ruleset_files import RulesetFiles, read_files

Pass = Callable[[core.Program, Sugar], core.Program]
Lint = Callable[[Checked, Diagnostics], None]

DECLARING: tuple[Pass, ...] = (windows, state_checks, splits, durations, blank_cards, laws, written_names)
"""Desugaring passes that add declarations or change existing ones. They run before the lints."""

LINTS: tuple[Lint, ...] = (
    never_used,
    constant_condition,
    one_option,
    never_legal,
    never_payable,
    endless_check,
    unreachable,
    early_endings,
    late_conditions,
    no_holders,
    never_in_play,
    same_rank,
    stale_numbers,
    untested_places,
    secrets,
    same_signs,
)

WEAVING: tuple[Pass, ...] = (events, spans, called_state_checks)
"""Desugaring passes that insert calls behind statements. They run after the lints."""


def check(path: Path | str, diagnostics: Diagnostics, packs: Sequence[Path] = ()) -> core.Program | None:
    """Check the ruleset in a folder or file, with the packs at ``packs`` applied in order.

    Adds all findings to ``diagnostics``. Returns the program, or None if there are errors.
    """
    return check_files(read_files(Path(path), packs), diagnostics)


def check_files(
    places: Sequence[RulesetFiles], diagnostics: Diagnostics, observer: Observer | None = None
) -> core.Program | None:
    """Check a ruleset from files that are already in memory: the ruleset first, then its packs.

    Reports and returns like :func:`check`. The ``observer`` receives the checked nodes of all effect texts that could
    be parsed, also if there are errors.
    """
    packs = [place.path for place in places[1:]]
    return _checked(load_files(places, diagnostics), diagnostics, packs, observer)


def check_text(text: str, diagnostics: Diagnostics, name: str = "<text>") -> core.Program | None:
    """Check a ruleset that consists of one YAML text. Diagnostics use ``name`` in place of a file name.

    Reports and returns like :func:`check`.
    """
    return _checked(load_text(text, diagnostics, name), diagnostics)


def load_program(path: Path | str, packs: Sequence[Path] = ()) -> core.Program:
    """Return the program of the ruleset in a folder or file.

    Raises :class:`RulesetError` with all diagnostics if the ruleset has errors.
    """
    diagnostics = Diagnostics()
    program = check(path, diagnostics, packs)
    if program is None:
        raise RulesetError(diagnostics.sorted())
    return program


def _checked(
    ruleset: model.Ruleset | None,
    diagnostics: Diagnostics,
    packs: Sequence[Path] = (),
    observer: Observer | None = None,
) -> core.Program | None:
    if ruleset is None or diagnostics.has_errors:
        return None
    make_room()
    program = None
    with diagnostics.stopping(), remembering_meanwhile():
        program = _program(ruleset, diagnostics, observer)
    # A pack can use what the ruleset leaves unused. So with packs, only files of packs report a suppression that
    # suppresses nothing.
    finished = [s for s in ruleset.sources if not packs or any(Path(s.name).is_relative_to(pack) for pack in packs)]
    silence_ignored(ruleset.sources, finished, diagnostics)
    return program


def _program(ruleset: model.Ruleset, report: Diagnostics, observer: Observer | None) -> core.Program | None:
    """Run all stages after the loader. Returns None if there are errors."""
    declared = declare(ruleset, report, observer)
    written = check_texts(declared)
    name_counters(declared.texts.names, report)
    if written is None:
        return None
    checked = replace(written, program=_expanded(written.program, written.sugar, DECLARING))
    report_limits(checked, report)
    if report.has_errors:
        return None
    for lint in LINTS:
        lint(checked, report)
    # some lints report errors that only a whole program can reveal
    if report.has_errors:
        return None
    return _expanded(checked.program, checked.sugar, WEAVING)


def _expanded(program: core.Program, sugar: Sugar, passes: Sequence[Pass]) -> core.Program:
    for each in passes:
        program = each(program, sugar)
    return program
