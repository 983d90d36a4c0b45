"""What somebody who knows a game tells those who search it. Without any of it they play all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..table.state import State


@dataclass(frozen=True)
class Guidance:
    """``value``: how well each seat stands in a position that is not the end, in the units of the ranks; None: the
    first of the ranks that tells. ``horizon``: decisions after which a game that is played on is valued where it is;
    None: at its end. ``likely``: the weight of an option (its choice's number, alternative and values) where games are
    played on at random and where options are tried in turn, a whole number up to 1,000, 0: never. ``sites``: the
    choices at which weights can differ; None: any."""

    value: Callable[[State], Sequence[float]] | None = None
    horizon: int | None = None
    likely: Callable[[int, tuple[int, tuple[Any, ...]]], int] | None = None
    sites: frozenset[int] | None = None

    def weighs(self, site: int) -> bool:
        """Whether options of a choice can differ in weight."""
        return self.likely is not None and (self.sites is None or site in self.sites)


NONE = Guidance()
