"""Match the arguments of a call with the parameters of what is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..source import diagnostic_codes as codes
from ..source.diagnostics import name_subjects, remove_item
from ..source.source import Span, quote_list
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from .context import Routine
from .symbol_table import Symbol


def match_arguments(
    routine: Routine,
    callee: str,
    params: Sequence[str],
    args: Sequence[ast.Argument],
    span: Span,
    usage: str,
    symbol: Symbol | None = None,
    options: Sequence[str] = (),
) -> dict[str, ast.Expr] | None:
    """Return parameter -> argument for the arguments of a call, in the order of the parameters.

    An argument without a name is for the parameter at its position: with the parameters ``a`` and ``b``, the call
    ``f(b: 2, 1)`` gives ``b`` twice. ``options`` are further parameters behind these, which may be missing and are
    given by name: ``corners: true``. Returns None after reporting the first argument that is surplus, unknown or given
    twice, or else all missing ones together. The arguments are then checked, so that mistakes inside them are reported.
    ``callee`` names the call in messages. ``usage`` is the hint, unless an unknown name is like that of a parameter,
    which is then suggested. ``symbol`` is the declaration, if there is one, which a note shows.
    """
    values: dict[str, ast.Expr] = {}
    names = (*params, *options)
    code, hint, notes = codes.WRONG_ARGUMENTS, usage, [] if symbol is None else symbol.notes
    for position, arg in enumerate(args):
        name = arg.name if arg.name is not None else params[position] if position < len(params) else ""
        if name in names and name not in values:
            values[name] = arg.value
            continue
        if name in values:
            routine.report_error(code, f"`{name}` is given twice", arg.span, hint, notes)
        elif arg.name is not None:
            message, hint = f"{callee} has no parameter `{name}`", suggest_name(name, names) or usage
            subjects = () if symbol is None else name_subjects(f"{symbol.name}({name})")
            routine.report_error(codes.UNKNOWN_PARAMETER, message, arg.span, hint, notes, subjects)
        else:
            subjects = () if symbol is None else (f"parameters of {symbol.name}",)
            routine.report_error(
                code, f"{callee} has too many arguments", arg.span, hint, notes, subjects, True, [remove_item(arg.span)]
            )
        check_discarded_arguments(routine, args)
        return None
    missing_names = [name for name in params if name not in values]
    if missing_names:
        message = f"{callee} is called without {quote_list(missing_names)}"
        subjects = () if symbol is None else (f"{symbol.name} without {', '.join(missing_names)}",)
        routine.report_error(code, message, span, hint, notes, subjects)
        check_discarded_arguments(routine, args)
        return None
    return {name: values[name] for name in names if name in values}


def check_discarded_arguments(routine: Routine, args: Iterable[ast.Argument]) -> None:
    """Check arguments that match no parameters, only to report mistakes inside them."""
    for arg in args:
        routine.check_operand(arg.value)
