"""A lint: a state check changes nothing that its condition reads, so that once it holds, it holds for ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .. import core
from ..checker.stages import Checked
from ..core.accesses import read_by, written_by
from ..text import codes
from ..text.diagnostics import Diagnostics


def endless_check(checked: Checked, report: Diagnostics) -> None:
    """Warns of state checks that change nothing of what they look at."""
    queries, zones, effects = checked.program.queries, checked.program.zones, checked.effects
    for name, check in checked.state_checks.items():
        read = read_by(queries[name].value, queries, zones)
        done = list(_done_by(check.body, effects))
        if any(core.does(stmt) & core.Does.ENDS or written_by(stmt, zones) & read for stmt in done):
            continue
        message = "this state check never ends: nothing that it does changes what its condition reads"
        hint = "let it change something that the condition reads, or answer to an event with `when`"
        report.add(codes.ENDLESS_CHECK, message, check.body[0].span, hint)


def _done_by(block: Sequence[core.Stmt], effects: Mapping[str, core.Effect]) -> Iterator[core.Stmt]:
    """The statements of a block, of the effects that it calls, and of the rules that answer to them."""
    seen: set[str] = set()
    todo: list[Sequence[core.Stmt]] = [block]
    while todo:
        for stmt in core.statements_in(tuple(todo.pop())):
            yield stmt
            if isinstance(stmt, core.CallEffect) and stmt.effect not in seen and stmt.effect in effects:
                seen.add(stmt.effect)
                todo += core.bodies_of(effects[stmt.effect])
