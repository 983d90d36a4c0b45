"""From files to a program: the stages in their order. The face that the interpreter and tools use.

    files → load → model.Ruleset → declare → check texts → Checked: core as written, with its sugar
      Checked → write out what is declared in few words → report limits → lint → put checks where they are due → Program

Lints stand in the middle: they look at all that a program is made of, and not at what is woven in behind statements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from . import core
from .checker.check import Checked, check_texts, declare, report_limits
from .checker.texts import name_counters
from .core.sugar import Sugar
from .desugar.small_passes import blank_cards, laws, splits, written_names
from .desugar.state_checks import called_state_checks, durations, spans, state_checks
from .desugar.triggers import events
from .desugar.windows import windows
from .lint.dead_code import constant_condition, early_endings, endless_check, never_legal, one_option, unreachable
from .lint.missing_values import untested_places
from .lint.secrets import same_signs, secrets
from .lint.stale_text import stale_numbers
from .lint.suspicious import late_conditions, never_payable, no_holders, same_rank
from .lint.unused import never_in_play, never_used
from .ruleset import model
from .ruleset.loader import load_files, load_text
from .ruleset.suppressions import silence_ignored
from .source.dataclasses import replace
from .source.diagnostics import Diagnostics, RulesetError
from .source.limits import make_room
from .source.memo import remembering_meanwhile
from .source.ruleset_files import RulesetFiles, read_files

Pass = Callable[[core.Program, Sugar], core.Program]
Lint = Callable[[Checked, Diagnostics], None]

DECLARING: tuple[Pass, ...] = (windows, state_checks, splits, durations, blank_cards, laws, written_names)
"""What adds declarations, and changes those there are."""

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
"""What puts calls behind statements."""


def check(path: Path | str, diagnostics: Diagnostics, packs: Sequence[Path] = ()) -> core.Program | None:
    """Checks the ruleset in a folder or file. Everything found goes to ``diagnostics``; None when there are errors."""
    return check_files(read_files(Path(path), packs), diagnostics)


def check_files(places: Sequence[RulesetFiles], diagnostics: Diagnostics) -> core.Program | None:
    """Checks the ruleset in files that have been read, with those of packs behind it, as :func:`check` does."""
    return _checked(load_files(places, diagnostics), diagnostics, [place.path for place in places[1:]])


def check_text(text: str, diagnostics: Diagnostics, name: str = "<text>") -> core.Program | None:
    """Checks the ruleset in a text, as :func:`check` does for files."""
    return _checked(load_text(text, diagnostics, name), diagnostics)


def load_program(path: Path | str, packs: Sequence[Path] = ()) -> core.Program:
    """The program in a folder or file. Raises :class:`RulesetError` with all diagnostics when it has errors."""
    diagnostics = Diagnostics()
    program = check(path, diagnostics, packs)
    if program is None:
        raise RulesetError(diagnostics.sorted())
    return program


def _checked(
    ruleset: model.Ruleset | None, diagnostics: Diagnostics, packs: Sequence[Path] = ()
) -> core.Program | None:
    if ruleset is None or diagnostics.has_errors:
        return None
    make_room()
    program = None
    with diagnostics.stopping(), remembering_meanwhile():
        program = _program(ruleset, diagnostics)
    # With packs, what a remark in the ruleset itself ignores may be gone: a pack uses what was unused.
    finished = [s for s in ruleset.sources if not packs or any(Path(s.name).is_relative_to(pack) for pack in packs)]
    silence_ignored(ruleset.sources, finished, diagnostics)
    return program


def _program(ruleset: model.Ruleset, report: Diagnostics) -> core.Program | None:
    """All stages behind the loader; None when there are errors."""
    declared = declare(ruleset, report)
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
    if report.has_errors:  # what only a whole program shows
        return None
    return _expanded(checked.program, checked.sugar, WEAVING)


def _expanded(program: core.Program, sugar: Sugar, passes: Sequence[Pass]) -> core.Program:
    for each in passes:
        program = each(program, sugar)
    return program
