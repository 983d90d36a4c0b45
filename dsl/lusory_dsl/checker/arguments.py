"""Arguments: each to its parameter."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Span
from ..text.spelling import listed
from .names import Parameters, Symbol
from .routine import Routine
from .values import expect


def arguments(
    r: Routine, symbol: Symbol, params: Parameters, args: tuple[nodes.Argument, ...], span: Span
) -> list[core.Expr] | None:
    """The arguments in the order of the parameters, or None after a report."""
    given: dict[str, nodes.Expr] = {}
    wrong = False
    names = [name for name, _ in params]
    takes = f"`{symbol.name}` takes {_takes(params)}"
    notes = [(symbol.span, "declared here")]
    for position, arg in enumerate(args):
        if arg.name is None:
            if position >= len(params):
                message, about = f"too many arguments: {takes}", (f"parameters of {symbol.name}",)
                r.error(codes.WRONG_ARGUMENTS, message, arg.span, notes=notes, about=about, follows=True)
                discard(r, args)
                return None
            name = names[position]
        elif arg.name not in names:
            hint = did_you_mean(arg.name, names) or takes
            message = f"the {symbol.what} `{symbol.name}` has no parameter `{arg.name}`"
            r.error(codes.UNKNOWN_PARAMETER, message, arg.span, hint, notes, about_name(f"{symbol.name}({arg.name})"))
            wrong = True
            continue
        else:
            name = arg.name
        if name in given:
            r.error(codes.WRONG_ARGUMENTS, f"`{name}` is given twice: {takes}", arg.span, notes=notes)
            wrong = True
            continue
        given[name] = arg.value
    missing = [name for name in names if name not in given]
    if missing and not wrong:
        what = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing: {takes}"
        r.error(codes.WRONG_ARGUMENTS, what, span, notes=notes, about=(f"{symbol.name} without {', '.join(missing)}",))
    if wrong or missing:
        discard(r, args)
        return None
    return [expect(r, given[name], type, f"for `{name}`") for name, type in params]


def discard(r: Routine, args: tuple[nodes.Argument, ...]) -> None:
    """Looks at arguments that can't be matched, for the mistakes inside of them."""
    for arg in args:
        r.operand(arg.value)


def _takes(params: Parameters) -> str:
    return ", ".join(f"`{name}: {type}`" for name, type in params) if params else "no arguments"
