"""A hint: what a seat that is asked could take, what that comes to, and what is likely to follow, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from ..game import Game
from ..play.match import Match
from ..play.players.searching import PLANS, Searcher
from ..search.analysis import Line as Found
from ..table.chance import own
from ..table.state import State
from .making import foretold_question
from .options import details
from .text import Line, Run
from .words import capital, said

SHOWN = 3
AHEAD = 3
"""Decisions that are told of what follows."""

PLAN = "bot"
"""Who is asked. Chance for hints has nothing to do with that of bots."""


def hinted(match: Match, seat: int, names: Sequence[str]) -> tuple[Line, ...]:
    """The best options of the seat that is asked, as a bot finds that knows what it knows; the same each time."""
    decision = match.decision
    if decision is None or decision.seat != seat:
        return (said("It is not your turn.", names),)
    table = match.table(seat)
    bot = Searcher(PLANS[PLAN], own(match.seed, f"hints for seat {seat}"), PLAN, match.core)
    bot.resume(match.made[seat])
    found = bot.thoughts(table)
    if not found:
        return (said("Nobody can say.", names),)
    labels = table.view.option_labels()
    lines: list[Line] = []
    is_certain = table.is_open and not table.game.layout.streams
    comes: dict[int, Line] = {}
    if not is_certain and (question := foretold_question(match, table.view, names)) is not None:
        comes = {option.number: details(option) for option in question.options}
    for line in found[:SHOWN]:
        label = (*said(labels[line.option], names), *comes.get(line.option, ()))
        worth = worth_of(match.game, line)
        lines.append((*label, Run(f": {worth}", dim=True)))
        if is_certain:
            lines += _following(table.game, table.worlds(1, 1)[0].state, line, names)
    return tuple(lines)


def worth_of(game: Game, line: Found) -> str:
    """What an option comes to, in words."""
    scoring = game.program.scoring
    if game.players == 1:
        return f"{line.value:.1f} in the end, on average"
    if scoring.zero_sum:
        return f"{(line.value + 1) / 2:.0%} of the games are won from here"
    if scoring.payoff is not None:
        return f"it pays {line.value:+.1f}, on average"
    return f"{line.value:.0%} of the games are won from here" if game.players == 2 else f"good for {line.value:.0%}"


def _following(game: Game, state: State, line: Found, names: Sequence[str]) -> list[Line]:
    """What is likely to be decided next, where nothing is hidden and nothing left to chance."""
    state = game.apply(state, line.option)
    told: list[Line] = []
    for option in line.follows[:AHEAD]:
        decision = game.decision(state)
        if decision is None:
            break
        label = said(game.option_labels(state, decision)[option], names)
        told.append((Run("   then "), *said(f"P{decision.seat + 1}", names), Run(": "), *label))
        state = game.apply(state, option)
    outcome = game.outcome(state)
    if outcome is not None and outcome.reason:
        told.append((Run("   and so "), *capital(said(outcome.reason, names))))
    return told
