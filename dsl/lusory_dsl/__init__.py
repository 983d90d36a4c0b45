"""The rules language of lusory: turns the text of a ruleset into a checked program.

The public functions are :func:`load_program`, :func:`check` and :func:`check_text`. This package holds no state of a
game in progress. It imports each public name on first access, so that a caller who needs only one part does not
import the parser.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checker.expressions_in_test_cases import check_case_expression, parse_value
    from .core import Program
    from .pipeline import check, check_text, load_program
    from .source.diagnostics import Diagnostic, Diagnostics, RulesetError

__all__ = [
    "Diagnostic",
    "Diagnostics",
    "Program",
    "RulesetError",
    "check",
    "check_case_expression",
    "check_text",
    "load_program",
    "parse_value",
]

_HOMES = {
    "source.diagnostics": ("Diagnostic", "Diagnostics", "RulesetError"),
    "core": ("Program",),
    "checker.expressions_in_test_cases": ("check_case_expression", "parse_value"),
    "pipeline": ("check", "check_text", "load_program"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
