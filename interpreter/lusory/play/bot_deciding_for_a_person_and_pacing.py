"""Let a bot decide for a person (the `auto` command), and pace the display of bots' decisions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from lusory_dsl.source.source import make_one_line

from ..game import Game
from ..state.events_redaction_and_text import UNHEARD, ChoiceMade, choice_made, redact
from .bot_kinds_python_players_and_recordings import BOT, BOTS, HUMAN, UnknownKind, create_bot, is_trusted, require_kind
from .match import Match
from .player_interface_scripted_and_random_players import TablePlayer

MAX_TOTAL_PAUSE = 6.0
"""Maximum total pause in seconds between two decisions of a person."""


class BotPace:
    """Timer that shows the position for at least ``seconds`` before each decision of a bot; 0 means no pause.

    The time in which the bot thinks counts towards ``seconds``. A forced choice takes as long as any other: otherwise
    the pace would tell that it was forced. There is no pause for bots that don't look at the table, such as `random`.
    Nor is there one for picks that nobody else learns of: pauses would tell how many there were.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._seconds_left = MAX_TOTAL_PAUSE
        self._since = 0.0

    def reset(self) -> None:
        """Reset the total pause that is left. Call this after each decision of a person."""
        self._seconds_left = MAX_TOTAL_PAUSE

    def is_shown(self, match: Match) -> bool:
        """Start the timer anew, in each call, and return whether to show the position before the bot decides.

        The deciding seat must be a ``TablePlayer``: not a person, nor a bot such as `random` that never looks at the
        table. With several players, another seat must also learn of the decision, for at least one of its options. The
        position is not shown without a pending decision, or if ``seconds`` is 0. Nor is it after :meth:`skip_pauses` or
        pauses of ``MAX_TOTAL_PAUSE`` seconds, until :meth:`reset` is called.
        """
        decision = match.decision
        self._since = monotonic()
        if decision is None or self.seconds <= 0 or self._seconds_left <= 0:
            return False
        if not isinstance(match.players[decision.seat], TablePlayer):
            return False
        answers = (choice_made(decision.seat, decision.site, *option[1:3], None) for option in decision.options)
        return match.game.players == 1 or any(_is_heard_by_others(answer, match.game) for answer in answers)

    def list_forced_choices(self, match: Match, start: int) -> list[int]:
        """Return the seats of forced choices, from index ``start`` of the log on, that other seats learn of.

        Only those of a ``TablePlayer`` count. They come in the order of the log, and a seat can repeat. Starts the
        timer, even if there are none: call :meth:`take_remaining_seconds` for each of them. If ``seconds`` is 0, or
        once the total pause is used up, returns [] and starts no timer.
        """
        if self.seconds <= 0 or self._seconds_left <= 0:
            return []
        self._since = monotonic()
        return [
            event.seat
            for event in match.log[start:]
            if isinstance(event, ChoiceMade)
            and event.is_forced
            and isinstance(match.players[event.seat], TablePlayer)
            and _is_heard_by_others(event, match.game)
        ]

    def take_remaining_seconds(self) -> float:
        """Return what is left of ``seconds`` since the timer started, and deduct it from ``_seconds_left``.

        The result is at most ``_seconds_left``, the rest of the total pause, and never negative. The timer starts again
        at the end of the pause: ``_since`` becomes ``monotonic()`` plus the result.
        """
        pause = max(min(self.seconds - (monotonic() - self._since), self._seconds_left), 0.0)
        self._seconds_left -= pause
        self._since = monotonic() + pause
        return pause

    def skip_pauses(self) -> None:
        """Skip all pauses until the next call of :meth:`reset`."""
        self._seconds_left = 0.0


def _is_heard_by_others(event: ChoiceMade, game: Game) -> bool:
    """Return whether a seat other than the one that chose learns of a choice."""
    return any(redact(event, seat, game) is not UNHEARD for seat in range(game.players) if seat != event.seat)


SINGLE_DECISION = 1
MAX_DECISIONS = 10_000
"""Largest number of decisions in `auto NUMBER`."""

_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
StopCondition = int | Literal["turn", "game", "until"]

USAGE = "auto, auto 5, auto turn, auto game, auto until WORDS; with a kind of bot: auto strong, auto turn mcts:500"


@dataclass(frozen=True)
class AutoPlay:
    """Bot of a ``kind`` that decides for a person, and the point where it stops, in ``stop``.

    With a number, it stops after that many decisions. With ``turn``, it stops when another seat has decided. With
    ``until``, it stops when a line of the narration contains ``words``. With ``game``, it plays to the end of the game.
    """

    kind: str = BOT
    stop: StopCondition = SINGLE_DECISION
    words: str = ""

    def continue_after_decision(self, has_other_decided: bool, is_narrated: bool = False) -> AutoPlay | None:
        """Return the stand-in that remains after one decision, or None when it stops.

        A number of decisions goes down by one; it stops at 0. A turn stops when ``has_other_decided``: another seat has
        decided since. A wait for words stops when ``is_narrated``: a line contained them. A whole game never stops.
        """
        if isinstance(self.stop, int):
            return replace(self, stop=self.stop - 1) if self.stop > 1 else None
        return None if (self.stop == "turn" and has_other_decided) or (self.stop == "until" and is_narrated) else self

    def describe_end(self, is_narrated: bool = False) -> str:
        """Return the message for a game that ends while the bot decides: ``The bot played to the end.``

        If it waited for words, and not ``is_narrated`` (the last lines contained them), the message is ``The bot played
        to the end: “the words” never appeared.``
        """
        remark = "" if is_narrated or self.stop != "until" else f": “{make_one_line(self.words)}” never appeared"
        return f"The bot played to the end{remark}."


def parse_auto_play(words: str) -> AutoPlay:
    """Parse the arguments of `auto`. Raises ValueError with a message for the player.

    They are at most one bot and at most one end, in any order and in small letters. An end is `turn`, `game`, a number
    of decisions from 1 to ``MAX_DECISIONS``, or `until` with any words. All words after the first `until` belong to it.
    Anything else is an error, also a person, a recording or Python code instead of a bot. ``""`` gives
    ``AutoPlay("bot", 1)``, ``turn easy`` gives ``AutoPlay("easy", "turn")``, and ``strong until The harvest`` gives
    ``AutoPlay("strong", "until", "The harvest")``.
    """
    kinds: list[str] = []
    spans: list[StopCondition] = []
    bot_and_end, until, phrase = f" {words} ".partition(" until ")
    for word in bot_and_end.split():
        if word in ("turn", "game"):
            spans.append("turn" if word == "turn" else "game")
        elif _NUMBER.fullmatch(word):
            if not word.isdecimal() or len(word) > len(str(MAX_DECISIONS)) or not 0 < int(word) <= MAX_DECISIONS:
                message = f"the number of decisions must be from 1 to {MAX_DECISIONS:,}, not {word}: {USAGE}"
                raise ValueError(message)
            spans.append(int(word))
        else:
            kinds.append(word)
    for kind in kinds:
        require_bot(kind)
    if len(kinds) > 1:
        raise ValueError(f"name only one bot, not `{kinds[0]}` and `{kinds[1]}`: {USAGE}")
    if len(spans) + bool(until) > 1:
        raise ValueError(f"say only once how long the bot plays: {USAGE}")
    if until and not phrase.strip():
        raise ValueError(f"until what? {USAGE}")
    kind = kinds[0] if kinds else BOT
    return AutoPlay(kind, "until", phrase.strip()) if until else AutoPlay(kind, spans[0] if spans else SINGLE_DECISION)


def require_bot(kind: str, is_remote: bool = False) -> None:
    """Raise ValueError if ``kind`` can't stand in for a person: a person, a recording, Python code or no valid kind.

    ``is_remote`` is for remote players, who may only use the bots in ``BOTS``: those decide quickly.
    """
    try:
        require_kind(kind, (HUMAN,))
    except UnknownKind as problem:
        raise ValueError(f"{problem}: {USAGE}") from None
    if kind == HUMAN or not is_trusted(kind) or (is_remote and kind not in BOTS):
        raise ValueError(f"`{kind}` can't play for you here; choose from: {', '.join(BOTS)}")


def prepare_decision(match: Match, kind: str) -> Callable[[], tuple[int, int | None]]:
    """Return a function that computes the decision of a bot of ``kind`` in the place of the pending seat.

    A decision must be pending. The function returns the option's index, and the number of simulations if a budget in
    seconds determined it, otherwise None. It does not access the match, so another thread can call it. It raises
    PlayerFailed if the bot fails. ``prepare_decision`` itself raises UnknownKind for a kind that is no bot, and
    PlayerMissing if the file or class of the bot can't be loaded. It raises PlayerFailed if the class gives no player,
    or if the player's own ``resume`` fails.
    """
    decision = match.decision
    assert decision is not None, "somebody is asked"
    player = create_bot(kind, match.seed, decision.seat, match.backend)
    player.resume(match.decision_counts[decision.seat])
    return match.prepare_answer(player)
