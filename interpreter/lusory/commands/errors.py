"""How a command fails. Raised by the commands, reported by the command line."""

from __future__ import annotations

from collections.abc import Sequence

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


class UsageError(Exception):
    """The command line asks for something that is not there; ``hint`` says what may be meant. ``details``: further
    lines about it."""

    def __init__(self, message: str, hint: str | None = None, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.details = tuple(details)


def report_failure(problem: Exception) -> bool:
    """Print the failures that a user can mend, as diagnostics or in a line. False for any other exception."""
    from lusory_dsl.text.diagnostics import Diagnostics, RulesetError
    from lusory_dsl.text.disk import FileRefused
    from lusory_dsl.yaml.reader import report_refusal

    from ..cluster import NoCluster
    from ..console.terminal import error_terminal
    from ..play.players.player import PlayerFails
    from ..processes import ProcessGone
    from ..table.choices import RulesetFault

    terminal = error_terminal()
    if isinstance(problem, RulesetError):
        terminal.diagnostics(problem.diagnostics)
    elif isinstance(problem, RulesetFault):
        terminal.fault(problem)
    elif isinstance(problem, ProcessGone | NoCluster):
        terminal.complain(str(problem))
        terminal.pipe(f"  help: {problem.hint}")
    elif isinstance(problem, PlayerFails):
        terminal.complain(str(problem))
    elif isinstance(problem, FileRefused):
        report_refusal(problem, found := Diagnostics())
        terminal.diagnostics(found.sorted())
    elif isinstance(problem, OSError):
        terminal.complain(f"{problem.filename or 'file'}: {problem.strerror or problem}")
    else:
        return False
    return True
