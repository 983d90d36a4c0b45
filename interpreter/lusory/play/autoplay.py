"""A bot plays for a person for a while."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from lusory_dsl.source.source import one_line

from .match import Match, answer_of
from .registry import BOT, BOTS, HUMAN, UnknownKind, bot, demand, is_trusted

LONGEST = 6.0
"""Seconds that somebody waits for nothing else, at most, until it is their turn again."""


class Pace:
    """``seconds``: for which each step of a bot is shown at least, what the bot takes to think counted; 0: no longer.
    Bots that do not think, and what was forced, are not waited for: the story tells it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = LONGEST
        self._since = 0.0

    def begin(self) -> None:
        """Somebody has decided, and looks on from now."""
        self._left = LONGEST

    def is_shown(self, match: Match) -> bool:
        """Whether the position is shown before the pending decision is made; its time begins."""
        decision = match.decision
        self._since = monotonic()
        is_to_be = self.seconds > 0 and self._left > 0 and decision is not None and len(decision.options) > 1
        return is_to_be and decision is not None and match.players[decision.seat].looks is True

    def rest(self) -> float:
        """The seconds that are left of the time for which it is shown; they are counted as waited for."""
        left = max(min(self.seconds - (monotonic() - self._since), self._left), 0.0)
        self._left -= left
        return left

    def hurry(self) -> None:
        """Nothing is waited for until :meth:`begin`."""
        self._left = 0.0


ONCE = 1
MOST = 10_000
"""Decisions that can be left to a bot by their number."""

_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
How = int | Literal["turn", "game", "until"]

USAGE = "auto, auto 5, auto turn, auto game, auto until WORDS; with a kind of bot: auto strong, auto turn mcts:500"


@dataclass(frozen=True)
class StandIn:
    """Who decides for a person: a bot of a ``kind``. ``left``: so many decisions more, or until somebody else has
    decided (``turn``), until ``words`` stand in a line of what is told (``until``), or until the game is over
    (``game``)."""

    kind: str = BOT
    left: How = ONCE
    words: str = ""

    def after_one(self, others: bool, told: bool = False) -> StandIn | None:
        """What is left behind one decision; None: nothing. ``others``: somebody else has decided since; ``told``: its
        words were told."""
        if isinstance(self.left, int):
            return replace(self, left=self.left - 1) if self.left > 1 else None
        return None if (self.left == "turn" and others) or (self.left == "until" and told) else self

    def at_end(self, told: bool = False) -> str:
        """What is said where the game is over and it still decides. ``told``: its words were told last."""
        never = "" if told or self.left != "until" else f", as nothing told of “{one_line(self.words)}”"
        return f"A bot has decided for you to the end{never}."


def stand_in(words: str) -> StandIn:
    """Who is to decide, and how long, as a person types it. Raises ValueError with words for people."""
    kinds: list[str] = []
    spans: list[How] = []
    typed, until, awaited = f" {words} ".partition(" until ")
    for word in typed.split():
        if word in ("turn", "game"):
            spans.append("turn" if word == "turn" else "game")
        elif _NUMBER.fullmatch(word):
            spans.append(_number(word))
        else:
            kinds.append(word)
    for kind in kinds:
        demand_bot(kind)
    if len(kinds) > 1:
        raise ValueError(f"one bot at a time, and not `{kinds[0]}` and `{kinds[1]}`: {USAGE}")
    if len(spans) + bool(until) > 1:
        raise ValueError(f"it is said once how long: {USAGE}")
    if until and not awaited.strip():
        raise ValueError(f"until what? {USAGE}")
    kind = kinds[0] if kinds else BOT
    return StandIn(kind, "until", awaited.strip()) if until else StandIn(kind, spans[0] if spans else ONCE)


def _number(word: str) -> int:
    """So many decisions. Raises ValueError."""
    if not word.isdecimal() or len(word) > len(str(MOST)) or not 0 < int(word) <= MOST:
        raise ValueError(f"from 1 to {MOST:,} decisions, and not {word}: {USAGE}")
    return int(word)


def demand_bot(kind: str, alone: bool = False) -> None:
    """Raises ValueError for what no bot is called that can stand in. ``alone``: for somebody far away, who gets only
    those that take a moment."""
    try:
        demand(kind, (HUMAN,))
    except UnknownKind as problem:
        raise ValueError(f"{problem}: {USAGE}") from None
    if kind == HUMAN or not is_trusted(kind) or (alone and kind not in BOTS):
        raise ValueError(f"`{kind}` can't stand in here: {', '.join(BOTS)} can")


def thinking(match: Match, kind: str) -> Callable[[], tuple[int, int | None]]:
    """What finds the option that a bot takes in the place of whoever is asked now, as a bot of this kind would that
    sat there, and the simulations as :class:`lusory.play.match.Turn` has them. What is called looks at nothing of the
    match any more, so that it can be called in another thread. Raises PlayerFails when called."""
    decision = match.decision
    assert decision is not None, "somebody is asked"
    player = bot(kind, match.seed, decision.seat, match.core)
    player.resume(match.made[decision.seat])
    table, options = match.table(decision.seat) if player.looks else None, len(decision.options)
    return lambda: (answer_of(player, options, table), player.spent if player.looks else None)


def is_going_on(match: Match) -> bool:
    """Whether the latest decision was one pick of several, and the next one is of the same choice."""
    decision = match.decision
    if decision is None or not match.turns or not match.game.takes_several(decision):
        return False
    before = match.game.decision(match.turns[-1].before)
    return before is not None and before[:2] == decision[:2]
