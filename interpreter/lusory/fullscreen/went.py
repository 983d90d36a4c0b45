"""How a table was left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["over", "left", "plain", "rematch", "again", "failed", "lost", "refused"]


@dataclass(frozen=True)
class Went:
    """``keep``: the game is to be gone on with. ``words``: what to say about it.
    ``refused``: before anything was shown."""

    how: How
    keep: bool = False
    interrupted: bool = False
    words: str = ""
    failure: Exception | None = None
