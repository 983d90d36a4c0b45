"""Makes what leads to a finding as small as is cheap: fewer decisions, simpler ones, the usual options, few players.

Decisions are left out as in delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
Input", 2002): in ever smaller pieces, as long as what is left leads to the same finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .variants import Variant, Variants
from .wrong import ENDLESS, Script, Wrong

Again = Callable[[Script, Wrong], tuple[Script, Wrong] | None]
"""Tries a script: as much of it as leads to the same finding; None: it does not."""

WORK = 30_000  # decisions that are made to shrink a finding
TRIES = 600
SEEDS = 4
FEW = 40  # decisions up to which two of them are left out at once
LONG = 100  # decisions from which on first options may stand for them


class Shrinking:
    """One finding on its way. ``script`` and ``wrong`` are what is known so far."""

    def __init__(self, again: Again, variants: Variants, script: Script, wrong: Wrong) -> None:
        self.again, self.variants = again, variants
        self.script, self.wrong = script, wrong
        self.left, self.tries = WORK, TRIES

    def run(self) -> None:
        """Shrink until nothing smaller is found, or it has taken long enough."""
        if not self._took(self.script):
            return
        self._end_by_itself()
        size = None
        while size != (size := _size(self.script)) and self._goes_on:
            self._simpler_settings()
            self._fewer()
            self._seeds()
            self._pairs()

    @property
    def _goes_on(self) -> bool:
        return self.left > 0 and self.tries > 0

    def _took(self, script: Script) -> bool:
        """Whether a script leads to the finding; then it is kept, as far as it leads there."""
        if not self._goes_on:
            return False
        self.tries -= 1
        self.left -= len(script.answers) + 20
        found = self.again(script, self.wrong)
        if found is None or (script is not self.script and _size(found[0]) > _size(self.script)):
            return False
        self.script, self.wrong = found
        return True

    def _end_by_itself(self) -> None:
        """Of a long game: whether the first options lead on, from the beginning or some way on."""
        answers = self.script.answers
        if self.wrong.kind == ENDLESS or len(answers) < LONG:
            return
        for share in (0, 1, 2, 4, 8, 16, 32):
            if share < len(answers) and self._took(replace(self.script, answers=answers[:share], onwards=True)):
                return

    def _fewer(self) -> None:
        """Leave out pieces, half of all at first."""
        piece = 1 << max(len(self.script.answers).bit_length() - 1, 0)
        while piece and self._goes_on:
            start = 0
            while start < len(self.script.answers) and self._goes_on:
                answers = self.script.answers
                if not self._took(replace(self.script, answers=answers[:start] + answers[start + piece :])):
                    start += piece
            piece //= 2

    def _pairs(self) -> None:
        """Leave out two decisions that are only wanted together: a step forth and one back, what each seat does in a
        round."""
        at = 0
        while at < len(self.script.answers) <= FEW and self._goes_on:
            answers = self.script.answers
            kept = next(
                (
                    other
                    for other in range(at + 1, len(answers))
                    if self._took(
                        replace(self.script, answers=answers[:at] + answers[at + 1 : other] + answers[other + 1 :])
                    )
                ),
                None,
            )
            at += kept is None

    def _simpler_settings(self) -> None:
        for variant in self._simpler(self.script.variant):
            self._took(replace(self.script, variant=variant))

    def _simpler(self, variant: Variant) -> Iterator[Variant]:
        """With the usual options, with one of them as usual, with fewer players."""
        if variant.options:
            yield self.variants.of(variant.players, {})
        for name, _ in variant.options:
            rest = {other: value for other, value in self.script.variant.options if other != name}
            yield self.variants.of(self.script.variant.players, rest)
        for players in self.variants.players:
            if players < variant.players:
                yield self.variants.of(players, self.script.variant.given)

    def _seeds(self) -> None:
        for seed in range(SEEDS):
            if not isinstance(self.script.seed, int) or seed < self.script.seed:
                self._took(replace(self.script, seed=seed))


def _size(script: Script) -> tuple[int, int, int, int]:
    seed = script.seed if isinstance(script.seed, int) else 1 << 128  # a secure one is never the simpler one
    return len(script.answers), len(script.variant.options), script.variant.players, seed
