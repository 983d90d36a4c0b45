"""Define targets, and compare a run with them. Times and ratios depend on the machine, so they are never asserted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .timing import Timing, compute_ratio

if TYPE_CHECKING:
    from .table_latency import Answers


@dataclass(frozen=True)
class Verdict:
    """One figure and its targets. We promise ``least`` and would like ``aim``. None: there is no such target."""

    title: str
    value: float
    unit: str
    least: float | None = None
    aim: float | None = None
    less_is_better: bool = False

    def meets(self, target: float) -> bool:
        return self.value <= target if self.less_is_better else self.value >= target

    def _target_to_json(self, target: float | None) -> dict[str, Any] | None:
        return None if target is None else {"target": target, "met": self.meets(target)}

    def to_json(self) -> dict[str, Any]:
        targets = {"least": self.least, "aim": self.aim}
        return {
            "what": self.title,
            "value": self.value,
            "unit": self.unit,
            "less_is_better": self.less_is_better,
            **{name: self._target_to_json(target) for name, target in targets.items()},
        }


PLAYOUT_LEAST = {"empire-engine": 5.0}  # times the clean hand-written game
PLAYOUT_LEAST_ELSEWHERE = 3.0
PEER_LEAST = 10.0
PEER_AIM = {"empire-city": 100.0}


NATIVE_LEAST, NATIVE_AIM = 15.0, 40.0  # times the playout build
SEARCH_LEAST, SEARCH_AIM = 25.0, 100.0  # times the simulations of Python
MILLION_MOVES = {"tic-tac-toe": (12.0, 40.0), "connect-four": (14.0, 30.0)}


def judge_native(game: str, native: Timing, playout: Timing) -> list[Verdict]:
    """Judge native code, by itself and compared with the playout build."""
    verdicts = [
        Verdict(f"{game}: native, times playouts", compute_ratio(native, playout).middle, "×", NATIVE_LEAST, NATIVE_AIM)
    ]
    if game in MILLION_MOVES:
        least, aim = MILLION_MOVES[game]
        verdicts.append(Verdict(f"{game}: native", native.rate * native.steps / 1e6, " million moves/s", least, aim))
    return verdicts


FIELD_LEAST, FIELD_AIM = 10.0, 30.0  # times the moves of OpenSpiel, driven from Python
OPTIMISED_LEAST, OPTIMISED_AIM = 10.0, 25.0  # times the optimised class of The Empire Engine with 4 players
FIREPLACE_LEAST, FIREPLACE_AIM = 100.0, 300.0  # times the games
FIELD_TARGETS = {
    ("tic-tac-toe", "native peer"): (FIELD_LEAST, FIELD_AIM),
    ("connect-four", "native peer"): (FIELD_LEAST, FIELD_AIM),
    ("empire-city", "peer"): (FIREPLACE_LEAST, FIREPLACE_AIM),
}
"""(game, role of a contestant) -> targets of native code compared with it, the least and the aim."""


def judge_field(title: str, game: str, timings: Iterable[Timing]) -> list[Verdict]:
    """Judge native code compared with others that play the same game. It compares moves with OpenSpiel if both count
    the same moves. Otherwise it compares games: in poker, for example, OpenSpiel counts dealing as moves."""
    native, *opponents = timings
    verdicts = []
    for opponent in opponents:
        least, aim = FIELD_TARGETS.get((game, opponent.role), (None, None))
        if opponent.role == "optimised" and title.endswith("4 players"):
            least, aim = OPTIMISED_LEAST, OPTIMISED_AIM
        by_moves = game in MILLION_MOVES and opponent.role in ("native peer", "loop")
        times = compute_ratio(native, opponent).middle * (native.steps / opponent.steps if by_moves else 1)
        title_text = f"{title}: native, times {'moves of ' if by_moves else ''}{opponent.name}"
        verdicts.append(Verdict(title_text, times, "×", least, aim))
    return verdicts


def judge_native_steps(game: str, timings: Iterable[Timing]) -> list[Verdict]:
    """Judge simulations of a plain search in native code compared with Python."""
    by_role = {timing.role: timing for timing in timings}
    times = compute_ratio(by_role["native search"], by_role["search"]).middle
    return [Verdict(f"{game}: native, times simulations", times, "×", SEARCH_LEAST, SEARCH_AIM)]


BATCH_TARGETS: dict[str, tuple[float, float] | None] = {
    "connect-four": (3.0, 10.0),
    "tic-tac-toe": None,
    "hearts": None,
}
"""Measured games -> targets in million steps of a batch per second, the least and the aim."""


def judge_batch(game: str, batch: Timing) -> list[Verdict]:
    """Judge the decisions of a batch."""
    least, aim = BATCH_TARGETS[game] or (None, None)
    return [Verdict(f"{game}: batch", batch.rate * batch.steps / 1e6, " million steps/s", least, aim)]


def judge_games(game: str, title: str, timings: Iterable[Timing]) -> list[Verdict]:
    """Judge both builds compared with the others that took part."""
    timing_list = list(timings)
    by_role = {timing.role: timing for timing in timing_list}
    playout, stepwise, clean = by_role["playout"], by_role["stepwise"], by_role.get("idiomatic")
    least = PLAYOUT_LEAST.get(game, PLAYOUT_LEAST_ELSEWHERE)
    aim = 1.0 if game in PLAYOUT_LEAST else None
    verdicts = []
    if clean is not None:
        times_optimised = compute_ratio(playout, by_role["optimised"]).middle
        verdicts = [
            Verdict(f"{title}: playouts, times clean", compute_ratio(playout, clean).middle, "×", least),
            Verdict(f"{title}: playouts, times optimised", times_optimised, "×", None, aim),
        ]
    for timing in timing_list:
        if timing.role == "native peer":
            verdicts.append(_judge_peer(title, playout, timing, None, 1.0))
        elif timing.role == "peer":
            verdicts.append(_judge_peer(title, playout, timing, PEER_LEAST, PEER_AIM.get(game)))
    if clean is not None:
        times = compute_ratio(stepwise, clean).middle
        verdicts.append(Verdict(f"{title}: five verbs, times clean", times, "×", 1.0, 3.0))
    return verdicts


def _judge_peer(title: str, ours: Timing, theirs: Timing, least: float | None, aim: float | None) -> Verdict:
    return Verdict(f"{title}: playouts, times {theirs.name}", compute_ratio(ours, theirs).middle, "×", least, aim)


def judge_copies(timings: Iterable[Timing]) -> list[Verdict]:
    """Judge our copy compared with ``copy.deepcopy`` of the clean game."""
    by_role = {timing.role: timing for timing in timings}
    value = compute_ratio(by_role["state"], by_role["deepcopy"]).middle
    return [Verdict("Copy of a state, times deepcopy of clean", value, "×", 25.0, 100.0)]


def judge_rollouts(timings: Iterable[Timing]) -> list[Verdict]:
    """Judge our rollouts compared with those of the clean game, which uses ``copy.deepcopy``."""
    by_role = {timing.role: timing for timing in timings}
    value = compute_ratio(by_role["stepwise"], by_role["idiomatic"]).middle
    return [Verdict("Rollouts from a position, times clean", value, "×", 1.0, 3.0)]


def judge_loading(game: str, cold_seconds: float, cached_seconds: float) -> list[Verdict]:
    """Judge the time from the files to the first decision."""
    return [
        Verdict(f"{game}: ready to play, cold", cold_seconds, "s", 1.0, 0.3, less_is_better=True),
        Verdict(f"{game}: ready to play, cached", cached_seconds, "s", 0.15, 0.05, less_is_better=True),
    ]


def judge_help(seconds: float) -> list[Verdict]:
    """Judge the time of ``lusory --help``, the whole process."""
    return [Verdict("lusory --help", seconds, "s", 0.25, 0.1, less_is_better=True)]


def judge_jobs(title: str, times: float) -> list[Verdict]:
    """Judge how many times as fast two processes are as one."""
    return [Verdict(f"{title}: two processes", times, "×", 1.7)]


SETTLED_TARGETS = {"start": 0.7, "arrow": 0.1, "letter": 0.1, "choice": 0.3}
FIRST_BYTE = 0.02


def judge_table(answers: Answers) -> list[Verdict]:
    """Judge the median times of a full screen to appear, to answer a key and to answer a choice."""
    if not answers.bursts:
        return []
    title = f"{answers.game}, {answers.size[0]}x{answers.size[1]}: {answers.kind}"
    verdicts = [Verdict(f"{title}, settled", answers.last, "s", SETTLED_TARGETS[answers.kind], less_is_better=True)]
    if answers.kind in ("arrow", "letter"):
        verdicts.append(Verdict(f"{title}, first byte", answers.first, "s", FIRST_BYTE, less_is_better=True))
    return verdicts


def judge_memory(few: float, many: float, times: int) -> list[Verdict]:
    """Judge the growth of peak memory from a short simulation to a long one."""
    growth = 100 * (many / few - 1)
    return [Verdict(f"Peak memory, {times} times the games: growth", growth, "%", 10.0, None, less_is_better=True)]
