"""Where the findings of a command go, and in which form. Used by the commands that check and test rulesets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.text.disk import write_whole

from ..console import streams
from ..console.terminal import Terminal, terminal

if TYPE_CHECKING:
    from ..findings.suites import Suite

TEXT = "text"
FORMS = {"json": "plain", "github": "github", "sarif": "sarif", "junit": "junit"}
"""The forms for programs, and the module of :mod:`lusory.reports` that writes each."""


class Output:
    """What a command prints and writes. ``screen`` takes the text for people as it comes; None: nobody reads it.

    With a file, a form for programs goes there, and people read the text all the same."""

    def __init__(self, form: str, file: str | None) -> None:
        self.form = form
        self.file = file
        self._text = StringIO()
        self.screen: Terminal | None = None
        if form == TEXT or file is not None:
            self.screen = terminal(output=self._text if form == TEXT and file is not None else None)

    def finish(self, suites: Sequence[Suite]) -> None:
        """Everything is found. Raises OSError for a file that can't be written."""
        text = self._text.getvalue()
        if self.form != TEXT:
            text = import_module(f"lusory.reports.{FORMS[self.form]}").written(suites)
        if self.file is None:
            streams.put_text(text)
        else:
            write_whole(Path(self.file), text)


def output_of(args: argparse.Namespace) -> Output:
    """As the command line says."""
    return Output(args.format, args.output)
