"""What somebody who knows a game tells those who search it. Without any of it they play all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Guidance:
    """``valued``: how well each seat stands in a position that is not the end is what the ruleset says, in the units of
    the ranks; else the first of the ranks that tells. ``horizon``: decisions after which a game that is played on is
    valued where it is; None: at its end. ``likely``: of each choice whose alternatives differ in weight these weights,
    where games are played on at random and where options are tried in turn: whole numbers up to 1,000, 0: never."""

    valued: bool = False
    horizon: int | None = None
    likely: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


NONE = Guidance()
