"""The chance that a case dictates, and why a result that it dictates is refused. Used by the runner of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lusory_dsl import core
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostic

from ...table.phases import all_statements
from ...table.setting import Draw, Forced, Setting, item_type, name_of
from .model import Case, Result

MOST_NAMED = 12  # values of a draw that a message lists


class Dictated(Forced):
    """The chance of one case. Results with a name wait for the draws of that name; others are taken in order.

    ``refused``: the first result that its draw can't yield, and what was drawn from which values. Play goes on with
    real chance then, so that all engines come to the same decision before the case fails."""

    def __init__(self, setting: Setting, case: Case) -> None:
        super().__init__(list(case.dice), list(case.picks), list(case.shuffles))
        self.setting = setting
        self.case = case
        self.refused: tuple[Result, Draw, tuple[Any, ...]] | None = None

    def copy(self) -> Dictated:
        other = Dictated(self.setting, self.case)
        other.dice, other.picks, other.shuffles = self.dice[:], self.picks[:], self.shuffles[:]
        other.refused = self.refused
        return other

    def drawn(self, draw: Draw, items: Sequence[Any]) -> tuple[Any] | None:
        """Take the next result that is meant for this draw."""
        queue = self.queue(draw.stream)
        result = next((result for result in queue if result.name in (None, draw.name)), None)
        if result is None:
            return None
        queue.remove(result)
        if draw.type in result.values and result.values[draw.type] in items:
            return (result.values[draw.type],)
        self.refused = self.refused or (result, draw, tuple(items))
        return None

    def wrong(self) -> Diagnostic | None:
        """Say which result was refused, what was asked, and what is allowed."""
        if self.refused is None:
            return None
        result, draw, items = self.refused
        message = f"`{result.text}` can't come up for `{draw.name}`: it is drawn from {self._listed(draw, items)}"
        hint = None
        if result.name is None:
            key = "dice" if draw.stream == "dice" else "picks"
            hint = (
                f"a list answers every draw in order; `{key}: {{{draw.name}: …}}` answers only the draws of that name"
            )
        notes = tuple((stmt.span, "this is drawn") for stmt in self._statements(draw)[:2])
        return Diagnostic(codes.WRONG_CHANCE, message, result.span, hint, notes if len(notes) == 1 else ())

    def left(self) -> Diagnostic | None:
        """Say which results never came."""
        left: list[str] = []
        spans = []
        for key, results in (("dice", self.dice), ("picks", self.picks)):
            for name in dict.fromkeys(result.name for result in results):
                texts = [result.text for result in results if result.name == name]
                left.append(
                    f"{', '.join(f'`{text}`' for text in texts)} of `{key}`" + (f" for `{name}`" if name else "")
                )
            spans += [result.span for result in results]
        if self.shuffles:
            left.append(f"{len(self.shuffles)} of `shuffles`")
        if not left:
            return None
        message = f"not everything that the case dictates came: {'; '.join(left)} are left"
        return Diagnostic(codes.WRONG_CHANCE, message, spans[0] if spans else self.case.chance_span)

    def _statements(self, draw: Draw) -> list[core.Random]:
        return [
            stmt
            for stmt in all_statements(self.setting.program)
            if isinstance(stmt, core.Random) and Draw(stmt.stream, stmt.name, str(item_type(stmt.domain.type))) == draw
        ]

    def _listed(self, draw: Draw, items: Sequence[Any]) -> str:
        """The values of a draw, as an author writes them."""
        type = next((item_type(stmt.domain.type) for stmt in self._statements(draw)), None)
        if draw.type == "Int" and len(items) > 2 and list(items) == list(range(items[0], items[-1] + 1)):
            return f"{items[0]}..{items[-1]}"
        names = [str(item) if type is None else name_of(self.setting, item, type) for item in items]
        more = len(names) - MOST_NAMED
        return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
