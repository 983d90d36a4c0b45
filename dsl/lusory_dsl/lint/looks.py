"""Signs that tell nothing apart: what is told by colour must be told by signs too."""

from __future__ import annotations

from ..checker.stages import Checked
from ..text import codes
from ..text.diagnostics import Diagnostics


def same_signs(checked: Checked, report: Diagnostics) -> None:
    """Warns of values of an enum that `view` shows with one sign."""
    view = checked.ruleset.view
    for look in () if view is None else view.looks:
        enum = checked.program.enums.get(look.type.text)
        if enum is None:
            continue
        written = {word.text: sign for word, sign in look.signs}
        first: dict[str, str] = {}
        for value in enum.values:
            given = written.get(value.name)
            sign = value.short if given is None else given.text
            if sign in first:
                message = f"`{value.name}` and `{first[sign]}` of `{enum.name}` are both drawn as `{sign}`"
                span = look.type.span if given is None else given.span
                report.add(
                    codes.SAME_SIGN, message, span, "give each a sign of its own: colours are not seen by everybody"
                )
            first.setdefault(sign, value.name)
