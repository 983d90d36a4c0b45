"""Define what a player must implement and what it sees, and the two simplest players: scripted and random."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..belief.belief_state import BeliefState, Determinization
from ..belief.hidden_information_and_event_subjects import has_perfect_information
from ..game import Game
from ..search.option_evaluation import (
    PYTHON_BACKEND,
    OptionEvaluation,
    SearchTask,
    count_determinizations,
    evaluate_options,
)
from ..search.position_evaluation_and_ruleset_hints import NO_HINTS, SearchHints
from ..state.decisions_outcomes_and_faults import Decision
from ..state.random_streams import draw
from ..state.state import State
from ..view.seat_view import View


class DecisionTable:
    """Everything that the seat of the pending decision may know.

    ``game`` holds the rules, without a position. ``view`` is what the seat sees. ``belief`` is its belief state. The
    state of the match cannot be reached from here.
    """

    def __init__(self, game: Game, view: View, belief: BeliefState) -> None:
        assert view.decision is not None, "somebody is asked"
        self.game = game.on_compiled_engine
        self.view = view
        self.belief = belief

    @property
    def decision(self) -> Decision:
        """The pending decision as the seat sees it."""
        assert self.view.decision is not None
        return self.view.decision

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.decision.seat

    @cached_property
    def has_perfect_information(self) -> bool:
        """True if this game has no hidden information."""
        return has_perfect_information(self.game)

    def worlds(self, n: int, seed: int) -> list[Determinization]:
        """Return ``n`` determinizations: states that agree with everything that the seat observed.

        If no such state was found, they agree with what the seat sees now as far as possible, and ``is_exact`` is
        False. The same ``seed`` gives the same ones.
        """
        return self.belief.sample(n, seed)

    def analyse(self, algorithm: str, simulations: int, seed: int) -> list[OptionEvaluation]:
        """Return the evaluations of the options, best first. See :mod:`lusory.search.option_evaluation`.

        The list is empty if there is no determinization.
        """
        task = self.create_search(algorithm, simulations, seed, NO_HINTS)
        return evaluate_options(task, PYTHON_BACKEND) if task.determinizations else []

    def create_search(self, algorithm: str, simulations: int, seed: int, hints: SearchHints) -> SearchTask:
        """Return the search of the pending decision. Its ``determinizations`` are empty if none has this decision."""
        worlds = self._sample_states(simulations, seed)
        return SearchTask(
            self.game, self.seat, worlds, algorithm, simulations, seed, self.has_perfect_information, hints
        )

    def _sample_states(self, simulation_count: int, seed: int) -> list[State]:
        """Return the determinizations for that many simulations, repeated if there are too few.

        First it drops each determinization in which another seat, another choice or another number of options is
        pending. The list is empty if none is left.
        """
        n = 1 if self.has_perfect_information else count_determinizations(simulation_count)
        site, seat, options = self.decision
        fitting_worlds = []
        for world in self.worlds(n, seed):
            decision = self.game.decision(world.state)
            if decision is not None and decision[:2] == (site, seat) and len(decision.options) == len(options):
                fitting_worlds.append(world)
        return repeat_states(fitting_worlds, n)


def repeat_states(determinizations: list[Determinization], n: int) -> list[State]:
    """Return the ``state`` of each determinization, in order and about equally often, so that there are ``n``.

    The first k of m determinizations give k * ``n`` / m states together, rounded: the states a, b and c become ``[a,
    c]`` for ``n`` 2, and ``[a, a, b, c, c]`` for ``n`` 5. Halves are rounded up, so that a and b become ``[a]`` for
    ``n`` 1. Without determinizations, the list is empty.
    """
    states: list[State] = []
    count = len(determinizations)
    for number, determinization in enumerate(determinizations, 1):
        states += [determinization.state] * ((2 * number * n + count) // (2 * count) - len(states))
    return states


class PlayerFailed(Exception):
    """Error: a player cannot decide. Its recording has ended, or its own code failed."""


class PlayerMissing(PlayerFailed):
    """Error: the file or code of a player is not available. ``hint`` suggests a remedy."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Player:
    """Player of a seat: a bot that looks at the table, one that does not, or a person."""

    name: str
    _decision_count = 0

    def resume(self, decision_count: int) -> None:
        """Continue after ``decision_count`` decisions of this seat: after loading a saved game, or after an undo."""
        self._decision_count = decision_count


class TablePlayer(Player, ABC):
    """Player that sees its table: a bot that searches, or code of a user.

    ``timed_simulations`` is the number of simulations of its latest decision if its budget is in seconds, else None.
    """

    timed_simulations: int | None = None

    @abstractmethod
    def choose(self, table: DecisionTable) -> int:
        """Return the index of the option taken, of ``table.decision``. Raises PlayerFailed."""


class BlindPlayer(Player, ABC):
    """Player that only receives the number of options, so that no view is computed for it."""

    @abstractmethod
    def pick(self, option_count: int) -> int:
        """Return the index of the option taken. Raises PlayerFailed."""


@dataclass
class Person(Player):
    """Human player.

    The caller of the match shows the table and passes the answer to :meth:`lusory.play.match.Match.take`.
    """

    seat: int
    name: str


class ScriptEnded(PlayerFailed):
    """Error: a scripted player was asked after the end of its script."""


class ScriptedPlayer(BlindPlayer):
    """Player that takes the options at the indexes ``picks``, in order."""

    name = "script"

    def __init__(self, picks: Sequence[int]) -> None:
        self._picks = tuple(picks)

    def pick(self, option_count: int) -> int:
        """Return the next index of the script, whatever the number of options. Raises ScriptEnded at its end."""
        if self._decision_count >= len(self._picks):
            raise ScriptEnded(f"{self.name} has no pick left after {self._decision_count}")
        self._decision_count += 1
        return self._picks[self._decision_count - 1]


class UniformPlayer(BlindPlayer):
    """Player that picks uniformly at random.

    Its n-th pick depends only on ``chance``, the start of its random stream, on n and on the number of options.
    Therefore a game continues the same way after a save or an undo.
    """

    name = "random"

    def __init__(self, chance: int) -> None:
        self._stream = chance

    def pick(self, option_count: int) -> int:
        """Return a random index below ``option_count``.

        It depends only on the stream, on ``option_count``, and on how many picks were made before.
        """
        _, index = draw(self._stream + self._decision_count, option_count)
        self._decision_count += 1
        return index
