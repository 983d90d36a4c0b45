"""Choices that several make at the same time, as one node: for programs that play a game (``each player at once``).

A game asks one player after the other, each with the same information as if all were asked together. A program that
thinks in joint moves asks for the node, gives an option for each seat, and gets the next node or the position behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lusory_dsl.core.origin import AT_ONCE

from ..game import Game
from ..table.choices import Decision, RulesetFault
from ..table.events import Event
from ..table.state import State

SHOWN = "Shown"
"""What is written when all have chosen: the part of a choice at once that says so."""


@dataclass(frozen=True, eq=False)
class Together:
    """A node at which several choose. ``asked``: by seat, in their order, what is asked, and the position in which it
    is asked, for what the game says of it (:meth:`lusory.game.Game.option_ids`). ``picked``: the numbers of the options
    that seats have taken before in the same choices, as where three cards are picked one by one."""

    game: Game
    start: State
    asked: Mapping[int, tuple[State, Decision]]
    picked: Mapping[int, tuple[int, ...]]

    def after(self, options: Mapping[int, int]) -> Together | State:
        """The node or position that follows when each seat takes the option of its number. Raises ValueError where a
        seat is missing or not asked, IllegalChoice for a number that it lacks, and RulesetFault."""
        if options.keys() != self.asked.keys():
            raise ValueError(f"an option is needed for each of the seats {sorted(self.asked)}")
        more = {seat: (*self.picked.get(seat, ()), option) for seat, option in options.items()}
        return _node(self.game, self.start, {**self.picked, **more})


def together(game: Game, state: State) -> Together | None:
    """The node at a position where players choose at the same time; None where one decides alone, or nobody."""
    decision = game.decision(state)
    if decision is None or not _is_at_once(game, decision):
        return None
    node = _node(game, state, {})
    assert isinstance(node, Together)
    return node


def _is_at_once(game: Game, decision: Decision) -> bool:
    return game.setting.sites[decision.site].origin.maker == AT_ONCE


def _node(game: Game, start: State, picked: Mapping[int, tuple[int, ...]]) -> Together | State:
    """Asks all in turn. In the place of who has not chosen the first option is taken: nobody's choice depends on it."""
    asked: dict[int, tuple[State, Decision]] = {}
    left = {seat: list(options) for seat, options in picked.items()}
    state, have_chosen = start, False
    while not have_chosen:
        decision = game.decision(state)
        assert decision is not None
        waiting = left.get(decision.seat, ())
        if not waiting:
            asked.setdefault(decision.seat, (state, decision))
        log: list[Event] = []
        try:
            state = game.apply(state, waiting.pop(0) if isinstance(waiting, list) and waiting else 0, log)
        except RulesetFault:
            if not asked:
                raise
            break  # by what follows, which nobody has chosen yet
        have_chosen = any(_says_all(game, event) for event in log)
    return Together(game, start, asked, picked) if asked else state


def _says_all(game: Game, event: Event) -> bool:
    """Whether an event is that all have chosen."""
    variable = game.program.variables.get(event[1]) if event[0] == "set" else None
    return (
        variable is not None and (variable.origin.maker, variable.origin.part) == (AT_ONCE, SHOWN) and event[3] is True
    )
