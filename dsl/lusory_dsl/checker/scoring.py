"""The section `scoring`: who wins, by rankings and charts. A part of the checker."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.kept import kept_variable
from ..core.origin import ENDINGS, Origin
from ..language.types import BOOL, INT, PLAYER
from ..ruleset import model
from ..text import codes
from ..text.source import Span
from ..text.spelling import humanised
from .call_graph import Owner
from .routine import Routine
from .texts import Texts, value_in

ZERO_SUM = "zero_sum"
"""What stands under `payoff` where what the winners share is paid by the others."""


class Endings:
    """Who wins when a game ends. Made when all texts have been checked that may end it."""

    def __init__(self, ruleset: model.Ruleset, texts: Texts) -> None:
        self.ruleset = ruleset
        self.texts = texts
        self.is_selective = bool(texts.names.charts) or texts.notes.ends_for_some  # whether one says who can win

    def scoring(self) -> core.Scoring:
        """The section, with one ranking for all endings."""
        decl = self.ruleset.scoring
        routine = self.texts.routine(Owner("scoring"))
        routine.bind_me(self.ruleset.game.span)
        if decl is None:
            hint = "add `scoring` with `rank`: what counts, most important first"
            self.texts.report.add(codes.NO_SCORING, "nothing says who wins", self.ruleset.game.span, hint)
            return core.Scoring((), None, (), 1)
        rank = tuple(value_in(routine, text, INT, "to rank players by") for text in decl.rank)
        if not rank:
            self._check_endings(decl.span)
        zero_sum = decl.payoff is not None and decl.payoff.text.strip() == ZERO_SUM and not self._is_named(ZERO_SUM)
        payoff = None if decl.payoff is None or zero_sum else value_in(routine, decl.payoff, INT, "as payoff")
        show = tuple((title, value_in(routine, text, INT, "to be shown")) for title, text in decl.show)
        charts = tuple(self._chart(routine, chart) for chart in decl.charts)
        rank = self._ranking(rank, charts, decl.span)
        return core.Scoring(rank, payoff, show, routine.locals.n_slots, charts, self.is_selective, zero_sum)

    def _is_named(self, name: str) -> bool:
        return name in self.texts.names.symbols

    def _check_endings(self, span: Span) -> None:
        """Without `rank`, each ending has to say who wins; that the phases come to their end is a draw."""
        report, notes = self.texts.report, self.texts.notes
        if report.has_errors:  # what could not be read may say it
            return
        if not notes.ends_for_some:
            hint = "add `rank`, what counts, most important first; or say at the ending who wins: `end game for [me]`"
            report.add(codes.NO_SCORING, "nothing says who wins", span, hint)
            return
        hint = "say it: `end game for [me]`, or `end game for players` where nobody is behind; or add `rank`"
        for place in notes.open_endings:
            report.add(codes.NO_SCORING, "without `rank` nothing says who wins here", place, hint)

    def _chart(self, routine: Routine, decl: model.ChartDecl) -> core.Chart:
        title = decl.title or humanised(decl.name.text).capitalize()
        steps = tuple((step, value_in(routine, text, INT, "to rank players by")) for step, text in decl.steps)
        return core.Chart(decl.name.text, title, steps)

    def _ranking(self, rank: Sequence[core.Expr], charts: Sequence[core.Chart], span: Span) -> tuple[core.Expr, ...]:
        """One ranking for all endings: who can win before the others, then by the steps of the chart that counts."""
        if not self.is_selective:
            return tuple(rank)
        zero, one = core.Const(INT, span, 0), core.Const(INT, span, 1)
        me = core.Local(PLAYER, span, 0, "me")
        found: list[core.Expr] = [core.IfExpr(INT, span, core.ReadCell(BOOL, span, core.CAN_WIN, (me,)), one, zero)]
        columns = [[value for _, value in chart.steps] for chart in charts]
        for step in range(max(map(len, (rank, *columns)))):
            value = rank[step] if step < len(rank) else zero
            for number, column in enumerate(columns, 1):
                this = core.Binary(
                    BOOL, span, "=", core.ReadCell(INT, span, core.ENDING, ()), core.Const(INT, span, number)
                )
                value = core.IfExpr(INT, span, this, column[step] if step < len(column) else zero, value)
            found.append(value)
        return tuple(found)

    def variables(self) -> list[core.Variable]:
        """What an ending notes for the ranking."""
        if not self.is_selective:
            return []
        span = self.ruleset.game.span
        players = (core.Dim(PLAYER),)
        chart = kept_variable(core.ENDING, INT, 0, span, Origin(ENDINGS, part="chart"))
        return [chart, kept_variable(core.CAN_WIN, BOOL, True, span, Origin(ENDINGS, part="can win"), players)]
