"""What a full screen needs of whoever holds the match, near or far."""

from __future__ import annotations

from typing import Protocol

from .messages import Reply, Request


class Link(Protocol):
    """``is_own``: the match is held here, so that it can be saved, discarded and played once more."""

    is_own: bool

    async def begin(self) -> None:
        """Have the first screen sent."""

    async def send(self, request: Request) -> None:
        """Do or ask something; what comes of it is received."""

    async def receive(self) -> Reply:
        """The next thing to show. Raises what went wrong with the rules."""

    def hurry(self) -> None:
        """Somebody has seen enough of what is going on."""
