"""A lint: a choice or a roll has one outcome at most."""

from __future__ import annotations

from .. import core
from ..checker.choices import ALL_OF_THEM
from ..checker.stages import Checked
from ..core.before_play import ProgramBounds
from ..text import codes
from ..text.diagnostics import Diagnostics
from .certainty import bounds_at

_HINT = "offer something else too, or write what happens without a choice"


def one_option(checked: Checked, report: Diagnostics) -> None:
    """Warns where nobody ever chooses, and where nothing is left to chance."""
    for known, made in checked.notes.choices:
        bounds = bounds_at(checked.facts, known)
        if isinstance(made, core.Random):
            if bounds.sizes(made.domain)[1] <= 1:
                hint = "roll or pick from more, or write what happens without it"
                message = "nothing is left to chance here: there is one outcome at most"
                report.add(codes.ONE_OPTION, message, made.span, hint)
        elif (what := _only(made, bounds)) is not None:
            report.add(codes.ONE_OPTION, f"nobody ever chooses {what}", made.span, _HINT)


def _only(made: core.Ask | core.AskMany, bounds: ProgramBounds) -> str | None:
    """What nobody chooses; None where there is a choice."""
    match made:
        case core.AskMany(source=source, low=low, high=high, ordered=ordered):
            most, fewest = bounds.sizes(source)[1], bounds.interval(low)[0]
            none = bounds.interval(high)[1] <= 0
            if none or most <= (1 if ordered or fewest >= ALL_OF_THEM else fewest):
                return f"`{made.name}`: there is one way at most"
        case core.Ask(alternatives=(only,)) if all(bounds.sizes(var.domain)[1] <= 1 for var in only.vars):
            return (
                f"anything here: {f'`{only.name}` is the only option' if only.name else 'there is one option at most'}"
            )
    return None
