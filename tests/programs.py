"""Checked programs, for tests that write their rules themselves."""

from __future__ import annotations

from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_text
from lusory_dsl.text.diagnostics import Diagnostics


def checked(text: str, name: str = "rules.yaml") -> Program:
    """The program of a ruleset without errors. What is wrong with any other is said by the test that fails."""
    diagnostics = Diagnostics()
    program = check_text(text, diagnostics, name)
    assert program is not None, [f"{d.span}: {d.message}" for d in diagnostics.sorted()]
    return program
