"""Decide which decisions of a match a seat may take back.

A seat may go back to its own decision if it has learned nothing since. Everything that it was shown since must follow
from what it saw at that decision. Four rules ensure this, whoever decided in between:

1. Chance decided nothing: no roll, no random draw, no shuffle.
2. No step read or showed anything that was hidden from the seat.
3. Nobody who decided in between knew more than the seat. A decision can reveal what its maker knows.
4. The game is not over, or it has neither chance nor secrets. The end of a game shows all secrets.

If one of them can't be established, the decision stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..evaluator.information_revealed_by_steps import InformationGain, measure_gain
from ..evaluator.statements_options_and_resumption import Evaluator
from ..game import Game
from ..state.events_redaction_and_text import Announced, ChanceDecided, ChoiceMade, Event, ZoneShuffled, redact_log
from ..state.random_streams import Seed
from ..state.state import State
from ..view.redacted_state import find_hidden_places

UndoObstacle = Literal["end", "chance", "shuffle", "secret", "another"]
"""Reason why a decision stands. It is the end of the game, a result of chance or a shuffle that the seat saw, or
another secret that a step used. ``another`` means a decision of another player, who knew more."""


class UndoRules:
    """Undo rules of a match.

    Replays the match on the evaluator, because that reports the information that each step read.
    """

    def __init__(self, game: Game, seed: Seed) -> None:
        self.game, self.seed = game, seed
        self.evaluator = Evaluator(game.setting)
        self.answers: list[int] = []
        self.positions: list[State] = []
        # events of the step that led to each position
        self.events: list[list[Event]] = []
        self._information: dict[tuple[int, int], InformationGain] = {}
        self._differ: dict[tuple[int, int, int], bool] = {}

    def find_obstacle(self, answers: Sequence[int], first: int, seat: int) -> UndoObstacle | None:
        """Return why ``seat`` may not take back its decision at index ``first`` and all later ones, or None if it may.

        ``answers`` holds the option indices of all decisions so far; ``first`` is an index into it. The result is the
        string ``"end"`` if the game is over, unless ``game.layout.streams`` is empty (its rules use no chance) and
        nothing was hidden from ``seat`` at decision ``first``. Otherwise the first obstacle from ``first`` on counts. A
        step in which chance decided something, or that read or showed something hidden from the seat, gives ``chance``
        if the seat saw a result of chance, else ``shuffle`` if it saw a shuffle. Else it gives ``secret``, even if it
        told the seat nothing. Any other decision of another seat gives ``another``, but only if that seat knew more
        than ``seat``: a move in a game without secrets is no obstacle.
        """
        self._replay(answers)
        if not self.positions[-1].frame and (self.game.layout.streams or self._list_hidden_places(first, seat)):
            return "end"
        obstacles = (self._find_information(number, seat) for number in range(first, len(answers)))
        return next((obstacle for obstacle in obstacles if obstacle is not None), None)

    def _replay(self, answers: Sequence[int]) -> None:
        """Replay the match to its current position.

        It starts at the last position up to which all answers are the same as in the replay before.
        """
        pairs = zip(self.answers, answers, strict=False)
        same_count = next(
            (i for i, (old_answer, new_answer) in enumerate(pairs) if old_answer != new_answer),
            min(len(self.answers), len(answers)),
        )
        # drop everything after these decisions
        del self.answers[same_count:], self.positions[same_count + 1 :], self.events[same_count + 1 :]
        self._information = {key: value for key, value in self._information.items() if key[0] < same_count}
        self._differ = {key: value for key, value in self._differ.items() if key[0] <= same_count}
        if not self.positions:
            self.events.append([])
            self.positions.append(self.evaluator.start(self.seed, self.events[-1]))
        for answer in answers[same_count:]:
            self.events.append([])
            self.positions.append(self.evaluator.apply(self.positions[-1], answer, self.events[-1]))
            self.answers.append(answer)

    def _find_information(self, number: int, seat: int) -> UndoObstacle | None:
        """Return the obstacle that a decision, by any seat, puts in the way of ``seat``, or None."""
        decision = self.evaluator.decision(self.positions[number])
        assert decision is not None, "it was decided"
        if (number, seat) not in self._information:
            before, after = self.positions[number : number + 2]
            self._information[number, seat] = measure_gain(self.evaluator, before, self.answers[number], after, seat)
        gain = self._information[number, seat]
        if gain.has_news:
            events = redact_log(self.events[number + 1], seat, self.game)
            if any(isinstance(event, ChanceDecided) for event in events):
                return "chance"
            return "shuffle" if any(isinstance(event, ZoneShuffled) for event in events) else "secret"
        if decision.seat == seat:
            return None
        hides_places = gain.hides_locals or bool(self._list_hidden_places(number, seat))
        knew_more = hides_places and any(self._has_seen_more(i, seat, decision.seat) for i in range(number + 1))
        return "another" if knew_more else None

    def _list_hidden_places(self, number: int, seat: int) -> set[tuple[str, tuple[int, ...]]]:
        """Return the places that hide something from a seat. Empty zones are left out."""
        state, zones = self.positions[number], self.game.layout.zones
        pairs = find_hidden_places(self.game.setting, state, seat)
        return {(name, indices) for name, indices in pairs if name not in zones or state.zones[zones[name].at(indices)]}

    def _has_seen_more(self, number: int, seat: int, other_seat: int) -> bool:
        """Return whether ``other_seat`` learned something at a position that ``seat`` did not.

        That is so if a place is hidden only from ``seat``, or if the step to the position told them different things.
        """
        key = number, seat, other_seat
        if key not in self._differ:
            parts, other_parts = (
                [_list_informative_parts(event) for event in redact_log(self.events[number], reader, self.game)]
                for reader in (seat, other_seat)
            )
            places, other_places = (self._list_hidden_places(number, reader) for reader in (seat, other_seat))
            self._differ[key] = parts != other_parts or not places <= other_places
        return self._differ[key]


def _list_informative_parts(event: Event) -> tuple[Any, ...]:
    """Return the parts of an event that tell a seat something.

    It leaves out whether the seat had a choice, and who else hears an announcement.
    """
    match event:
        case ChoiceMade():
            return event[:5]
        case Announced():
            return event[:2]
    return event
