"""The section `balance`: how a game should come out among bots. A part of the checker.

The schema knows the figures; what a ruleset makes of them is looked at here: who sits where, and how games end.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics, did_you_mean
from ..text.source import Span
from .texts import Texts

OF_SEVERAL = ("win_rate", "draws")
"""Figures of games in which there is somebody else."""

OF_ONE = "result"
"""The figure of games for one."""

ENDINGS = "endings"


def balance_of(ruleset: model.Ruleset, texts: Texts) -> core.Balance:
    """The section, when all texts have been checked that can end the game."""
    decl = ruleset.balance
    if decl is None:
        return core.NO_BALANCE
    report = texts.report
    seats, game = len(decl.seats), ruleset.game
    if not game.min_players <= seats <= game.max_players:
        many = (
            str(game.min_players)
            if game.min_players == game.max_players
            else f"{game.min_players} to {game.max_players}"
        )
        message = f"{seats} seats are named, and {many} can play"
        report.add(codes.VALUE_NOT_ALLOWED, message, decl.seats[0].span, "name who sits on each seat")
    elif not report.has_errors:
        for one in (*decl.within, *decl.change):
            _check(one, seats, texts.notes.ending_words, report)
    names = tuple(seat.text for seat in decl.seats)
    return core.Balance(names, decl.games, _thresholds(decl.within), _thresholds(decl.change))


def _thresholds(decls: Sequence[model.ThresholdDecl]) -> tuple[core.Threshold, ...]:
    return tuple(
        core.Threshold(one.figure.text, "" if one.of is None else one.of.text, one.low, one.high) for one in decls
    )


def _check(one: model.ThresholdDecl, seats: int, endings: set[str], report: Diagnostics) -> None:
    """Reports figures that games of so many have not."""

    def refuse(message: str, span: Span, hint: str) -> None:
        report.add(codes.VALUE_NOT_ALLOWED, message, span, hint)

    name, of = one.figure, one.of
    if name.text in OF_SEVERAL and seats == 1:
        refuse(f"a game for one has no `{name.text}`", name.span, "`result` says what it comes to")
    elif name.text == OF_ONE and seats > 1:
        refuse("only a game for one has a `result`", name.span, "`win_rate` says who wins")
    elif of is None:
        return
    elif name.text == ENDINGS and of.text not in endings:
        hint = did_you_mean(of.text, endings) or "the words behind `because` are meant, with `{}` for what is in braces"
        report.add(codes.UNKNOWN_NAME, f"no game ends with the words `{of.text}`", of.span, hint)
    elif name.text != ENDINGS and of.text[0] == "P" and int(of.text[1:]) > seats:
        refuse(f"there is no seat {of.text} of {seats}", of.span, f"`P1` to `P{seats}`, `first` or `each`")
