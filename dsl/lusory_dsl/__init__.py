"""The rules language of lusory: text → checked program. Knows no game in progress.

The public face: :func:`load_program`, :func:`check`, :func:`check_text`, and what they speak of. The names are fetched
when they are first asked for, so that a program that needs only a part does not wait for the parser.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checker.embedded_expressions import case_expression, parse_value
    from .core import Program
    from .pipeline import check, check_text, load_program
    from .source.diagnostics import Diagnostic, Diagnostics, RulesetError

__all__ = [
    "Diagnostic",
    "Diagnostics",
    "Program",
    "RulesetError",
    "case_expression",
    "check",
    "check_text",
    "load_program",
    "parse_value",
]

_HOMES = {
    "source.diagnostics": ("Diagnostic", "Diagnostics", "RulesetError"),
    "core": ("Program",),
    "checker.embedded_expressions": ("case_expression", "parse_value"),
    "pipeline": ("check", "check_text", "load_program"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
