"""Report failures of commands: the exception for wrong arguments, and messages for known problems."""

from __future__ import annotations

import os
from collections.abc import Sequence

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""


class UsageError(Exception):
    """Signal an invalid command line. ``hint`` suggests a correction, and ``details`` are further lines."""

    def __init__(self, message: str, hint: str | None = None, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.details = tuple(details)


def describe_network_error(problem: OSError | UnicodeError) -> str:
    """Return why a connection failed, as the system says it, such as ``Connection refused``.

    Without a number of the system, it is the text of the error, or ``no answer`` if that is empty.
    """
    number = getattr(problem, "errno", None) or 0
    return os.strerror(number) if number > 0 else getattr(problem, "strerror", None) or str(problem) or "no answer"


def report_failure(problem: Exception) -> bool:
    """Print on standard error a failure that the user can correct, and return True.

    RulesetError and FileRefused are printed as diagnostics (``error[E0112]: cannot read `a.yaml`: MESSAGE``), and
    RulesetFault as ``fault: MESSAGE`` with its place. WorkerDied, NoCluster, PlayerFailed and any other OSError are
    printed as ``lusory: MESSAGE``. The message of an OSError is ``game.yaml: Permission denied``, with ``file`` in
    place of a name that it lacks. After WorkerDied and NoCluster comes a line ``  help: HINT``. For any other
    exception, also a UsageError, print nothing and return False.
    """
    from lusory_dsl.source.diagnostics import Diagnostics, RulesetError
    from lusory_dsl.source.safe_files_and_bundled_data import FileRefused
    from lusory_dsl.yaml.reader import report_refusal

    from ..play.player_interface_scripted_and_random_players import PlayerFailed
    from ..state.decisions_outcomes_and_faults import RulesetFault
    from ..stats.dask_executor import NoCluster
    from ..support.process_pool import WorkerDied
    from ..ui.line.terminal_output_and_line_editing import create_error_terminal

    terminal = create_error_terminal()
    if isinstance(problem, RulesetError):
        terminal.print_diagnostics(problem.diagnostics)
    elif isinstance(problem, RulesetFault):
        terminal.print_fault(problem)
    elif isinstance(problem, WorkerDied | NoCluster):
        terminal.complain(str(problem))
        terminal.print_raw(f"  help: {problem.hint}")
    elif isinstance(problem, PlayerFailed):
        terminal.complain(str(problem))
    elif isinstance(problem, FileRefused):
        report_refusal(problem, diagnostics := Diagnostics())
        terminal.print_diagnostics(diagnostics.list_sorted())
    elif isinstance(problem, OSError):
        terminal.complain(f"{problem.filename or 'file'}: {problem.strerror or problem}")
    else:
        return False
    return True
