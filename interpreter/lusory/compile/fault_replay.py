"""What went wrong in generated code, in the words of the oracle.

Generated code only notices that something is wrong. Then the expressions of its line are read once more, in the
author's order, by the reader that the evaluator uses: it says what is wrong and where, so that there is one wording.
Used by :mod:`lusory.compile.engine`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lusory_dsl.core import Local

from ..reading.reader import Reader
from ..table.choices import RulesetFault
from ..table.setting import NO_NUMBER, Setting, Value
from ..table.state import State
from .ir import Provenance
from .lower.failing import is_optional
from .lower.lowered import EXPRESSIONS, Changed, LetIn, Lookup, QueryRoutine, Rows, Without


class FaultReader(Reader):
    """Reads lowered expressions. Slots are those of the lowered game."""

    expressions = (*EXPRESSIONS, Changed)

    def eval_LetIn(self, expr: LetIn, slots: Any) -> Value:
        try:
            slots[expr.slot] = self.value(expr.value, slots)
        except RulesetFault as fault:
            if not expr.shared:
                raise
            slots[expr.slot] = fault  # for whoever reads it
        return self.value(expr.body, slots)

    def eval_Local(self, expr: Local, slots: Any) -> Value:
        value = slots[expr.slot]
        if isinstance(value, RulesetFault):
            raise value
        return value

    def eval_Lookup(self, expr: Lookup, slots: Any) -> Value:
        return expr.values[self.present(expr.of, slots)]

    def eval_Rows(self, expr: Rows, slots: Any) -> Value:
        entry: Any = expr.values
        for index, low in zip(expr.indices, expr.lows, strict=True):
            entry = entry[self.present(index, slots) - low]
        return entry

    def eval_Without(self, expr: Without, slots: Any) -> Value:
        items, gone = list(self.value(expr.source, slots)), self.value(expr.item, slots)
        if gone in items:
            items.remove(gone)
        return tuple(items)

    def eval_Changed(self, expr: Changed, slots: Any) -> Value:
        cell, _ = self.place(self.layout.places[expr.place], expr.indices, slots, expr.span)
        if self.cells[cell] is None:
            self.fault(NO_NUMBER, expr.span)
        return self.cells[cell]

    def eval_QueryRoutine(self, expr: QueryRoutine, slots: Any) -> Value:
        assert expr.routine.value is not None
        for slot, argument in zip(expr.routine.params, expr.args, strict=True):
            slots[slot] = self.value(argument, slots)
        return self.value(expr.routine.value, slots)


def explained(setting: Setting, line: Provenance, position: State, slots: Mapping[int, Value]) -> RulesetFault | None:
    """The fault that reading a line's expressions in this position is; None: they are not what is wrong."""
    reader = FaultReader(setting, position.cells, position.zones)
    reader.trail = list(line.trail)
    values = dict(slots)
    for expr in line.reads:
        try:
            if reader.value(expr, values) is None and not is_optional(expr.type):  # type: ignore[arg-type]
                reader.absent(expr)
        except RulesetFault as fault:
            return fault
    return None
