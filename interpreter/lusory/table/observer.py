"""Who looks on while the evaluator works: coverage and mutation tests. Where there is none, it costs nothing."""

from __future__ import annotations

from typing import Any, Protocol


class Observer(Protocol):
    """Is shown every reader and every run when they are made, and may put functions of its own round their methods."""

    def __hash__(self) -> int:
        """Games with different observers are different games."""

    def reads(self, reader: Any) -> None:
        """A :class:`~lusory.reading.reader.Reader`: all expressions go through its ``value``."""

    def runs(self, run: Any) -> None:
        """A stretch of play, a reader too: blocks go through its ``block``, each statement through its ``execs``, what
        happens through its ``tell``."""
