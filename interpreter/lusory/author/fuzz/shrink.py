"""Shrink a script that leads to a problem: fewer decisions, default options, fewer players, a small seed.

Decisions are left out by delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
2002): ever smaller pieces, as long as the rest still leads to the same problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .checks import ENDLESS, Problem
from .script import Script, Variant, Variants

Reproduce = Callable[[Script, Problem], tuple[Script, Problem] | None]
"""Replays a script. Returns the part of it that leads to the same problem, and the problem there; or None."""

MOST_DECISIONS = 30_000  # decisions of all replays
MOST_REPLAYS = 600
REPLAY_COST = 20  # of each replay, in decisions
SMALL_SEEDS = 4
MOST_FOR_PAIRS = 40  # answers of a script from which pairs of decisions are left out
LONG_SCRIPT = 100  # answers of a script that first options may replace


class Shrinker:
    """Shrinks one script. ``script`` and ``problem`` are the smallest so far."""

    def __init__(self, reproduce: Reproduce, variants: Variants, script: Script, problem: Problem) -> None:
        self.reproduce, self.variants = reproduce, variants
        self.script, self.problem = script, problem
        self.decisions_left, self.replays_left = MOST_DECISIONS, MOST_REPLAYS

    def run(self) -> None:
        """Shrink until nothing gets smaller or the limits are reached."""
        if not self._try(self.script):
            return
        self._take_first_options()
        size = None
        while size != (size := _size(self.script)) and self._has_work_left:
            for variant in self._simpler_variants(self.script.variant):
                self._try(replace(self.script, variant=variant))
            self._remove_pieces()
            self._lower_seed()
            self._remove_pairs()

    @property
    def _has_work_left(self) -> bool:
        return self.decisions_left > 0 and self.replays_left > 0

    def _try(self, script: Script) -> bool:
        """Replay a script, and keep it if it leads to the problem and is not larger."""
        if not self._has_work_left:
            return False
        self.replays_left -= 1
        self.decisions_left -= len(script.answers) + REPLAY_COST
        found = self.reproduce(script, self.problem)
        if found is None or (script is not self.script and _size(found[0]) > _size(self.script)):
            return False
        self.script, self.problem = found
        return True

    def _take_first_options(self) -> None:
        """Replace the end of a long game, or all of it, by first options."""
        answers = self.script.answers
        if self.problem.kind == ENDLESS or len(answers) < LONG_SCRIPT:
            return
        for length in (0, 1, 2, 4, 8, 16, 32):
            if self._try(replace(self.script, answers=answers[:length], takes_first=True)):
                return

    def _remove_pieces(self) -> None:
        """Leave out pieces of consecutive decisions, large ones first."""
        length = 1 << max(len(self.script.answers).bit_length() - 1, 0)
        while length and self._has_work_left:
            start = 0
            while start < len(self.script.answers) and self._has_work_left:
                answers = self.script.answers
                if not self._try(replace(self.script, answers=answers[:start] + answers[start + length :])):
                    start += length
            length //= 2

    def _remove_pairs(self) -> None:
        """Leave out two decisions at once, such as a move and the move back."""
        at = 0
        while at < len(self.script.answers) <= MOST_FOR_PAIRS and self._has_work_left:
            at += not any(self._try(self._without(at, other)) for other in range(at + 1, len(self.script.answers)))

    def _without(self, at: int, other: int) -> Script:
        answers = self.script.answers
        return replace(self.script, answers=answers[:at] + answers[at + 1 : other] + answers[other + 1 :])

    def _simpler_variants(self, variant: Variant) -> Iterator[Variant]:
        """Yield variants with the default options, with one option less, and with fewer players."""
        if variant.options:
            yield self.variants.of(variant.players, {})
        for name, _ in variant.options:
            rest = {other: value for other, value in self.script.variant.options if other != name}
            yield self.variants.of(self.script.variant.players, rest)
        for players in self.variants.players:
            if players < variant.players:
                yield self.variants.of(players, self.script.variant.given)

    def _lower_seed(self) -> None:
        for seed in range(SMALL_SEEDS):
            if not isinstance(self.script.seed, int) or seed < self.script.seed:
                self._try(replace(self.script, seed=seed))


def _size(script: Script) -> tuple[int, int, int, int]:
    seed = script.seed if isinstance(script.seed, int) else 1 << 128  # a secure seed counts as the largest
    return len(script.answers), len(script.variant.options), script.variant.players, seed
