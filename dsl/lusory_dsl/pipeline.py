"""From files to a program: the stages in their order. The face that the interpreter and tools use.

    files → load → model.Ruleset → declare → check texts → Checked: core as written, with its sugar
      Checked → write out what is declared in few words → report limits → lint → put checks where they are due → Program

Lints stand in the middle: they look at all that a program is made of, and not at what is woven in behind statements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from . import core
from .checker.stages import Checked, check_texts, declare, report_limits
from .checker.texts import name_counters
from .core.sugar import Sugar
from .expand.blank_cards import blank_cards
from .expand.durations import durations
from .expand.events import events
from .expand.spans import spans
from .expand.splits import splits
from .expand.state_checks import called_state_checks, state_checks
from .expand.windows import windows
from .expand.written_names import laws, written_names
from .language.depth import make_room
from .lint.constant_condition import constant_condition
from .lint.early_endings import early_endings
from .lint.endless_check import endless_check
from .lint.late_conditions import late_conditions
from .lint.never_in_play import never_in_play
from .lint.never_legal import never_legal
from .lint.never_payable import never_payable
from .lint.no_holders import no_holders
from .lint.one_option import one_option
from .lint.same_rank import same_rank
from .lint.secrets import same_signs, secrets
from .lint.stale_numbers import stale_numbers
from .lint.unreachable import unreachable
from .lint.untested_places import untested_places
from .lint.unused import never_used
from .ruleset import model
from .ruleset.ignores import silence_ignored
from .ruleset.loader import load_files, load_text
from .text.diagnostics import Diagnostics, RulesetError
from .text.files import RulesetFiles, read_files
from .text.memory import remembering_meanwhile
from .text.records import replace

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
