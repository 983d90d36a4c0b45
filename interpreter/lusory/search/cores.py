"""Where simulations are made: in Python, or by somebody who makes the same ones more quickly."""

from __future__ import annotations

from typing import Protocol

from .sampling import Arms
from .simulation import Setup
from .tree import Growing, Tree


class NotHere(Exception):
    """A core can't make the simulations of this search: it is for Python."""


class Core(Protocol):
    """Makes the simulations of searches. What comes of them is the same with each, to the last bit."""

    def arms(self, setup: Setup) -> Arms:
        """The options of a decision, to divide simulations among. Raises NotHere, as what it gives may at any time."""
        ...

    def tree(self, setup: Setup, is_open: bool) -> Growing:
        """A tree to grow. Raises NotHere, as what it gives may at any time."""
        ...


class InPython:
    """The core that is always there."""

    def arms(self, setup: Setup) -> Arms:
        return Arms(setup)

    def tree(self, setup: Setup, is_open: bool) -> Growing:
        return Tree(setup, is_open)


PYTHON = InPython()
