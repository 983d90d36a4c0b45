"""Which number of simulations `fair` is given: that of the steps as even as can be, and none where there is no room."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log2
from pathlib import Path

import pytest

from lusory.game import Game
from lusory.study.levelling import APART, TRIES, Levelling, Step
from lusory.study.tournament import Tournament
from lusory_dsl.pipeline import load_program

THREE = Path(__file__).parents[2] / "rulesets" / "classics" / "tic-tac-toe"
EASY, STRONG = 5, 1280
"""Simulations, eight steps of twice as many apart."""


class Known(Levelling):
    """Strengths are known: so much is a number of simulations worth."""

    worth: Callable[[int], float]

    def _own(self, level: str) -> int:
        return {"easy": EASY, "fair": 80, "strong": STRONG}[level]

    def _step(self, upper: str, lower: str, progress: object) -> Step:
        above, below = (self.worth(int(kind.partition(":")[2] or self._own(kind))) for kind in (upper, lower))
        return Step(above - below, above - below - 20, above - below + 20)


def levelled(worth: Callable[[int], float]) -> Known:
    work = Known(Game(load_program(THREE)), 10)
    work.worth = worth
    work.run()
    return work


@pytest.mark.parametrize(
    ("worth", "tried", "best"),
    [
        (lambda n: 60 * log2(n), [80, 20, 40, 56], 80),  # even from the start: fewer only make the lower step smaller
        (lambda n: min(n, 40) * 12, [80, 20, 40, 28], 20),  # nobody gets better from 40 on
        (lambda n: max(n - 300, 0), [80, 320, 640, 905], 905),  # nobody gets better until 300
    ],
)
def test_fair_goes_where_its_steps_are_most_even(worth: Callable[[int], float], tried: list[int], best: int) -> None:
    work = levelled(worth)
    assert [one.fair for one in work.tried] == tried
    assert work.best is not None
    assert work.best.fair == best


def test_where_there_is_no_room_nothing_is_tried() -> None:
    work = levelled(lambda n: (2 * APART - 21) * (n == STRONG))
    assert (work.has_room, work.tried, work.best) == (False, [], None)
    work = levelled(lambda n: (2 * APART - 19) * (n == STRONG))
    assert work.has_room
    assert len(work.tried) == TRIES


def test_steps_are_those_of_the_tournaments() -> None:
    game = Game(load_program(THREE))
    work = Levelling(game, 4, seed=2, native=False)
    seen: list[int] = []
    step = work._step("fair:20", "easy:2", seen.append)
    held = Tournament(game, ("fair:20", "easy:2"), 4, 2, full=True, native=False)
    held.run()
    assert seen == [2, 4] or seen[-1] == held.played == 4
    share = sum(held.scores((0, 1))) / 2
    assert share > 1 / 2
    assert step.low < step.elo < step.high
    assert work.made == 4
    assert work._step("easy:2", "fair:20", None).elo == pytest.approx(-step.elo)
    assert work.made == 8


def test_what_was_found_is_told_as_numbers() -> None:
    work = levelled(lambda n: 60 * log2(n))
    work.tried[0] = type(work.tried[0])(80, Step(240, 100, inf), Step(240, 100, 300))
    told = work.to_json()
    assert (told["fair"], told["before"], told["has_room"]) == (80, 80, True)
    assert told["tried"][0]["strong_fair"] == {"elo": 240, "elo_95": [100, None]}
