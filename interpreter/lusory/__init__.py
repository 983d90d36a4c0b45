"""lusory: the engine and console that play checked rulesets.

The public face for programs: :class:`Game` and what it deals in. Loaded when first asked for, so that the command
line starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .game import Game
    from .seat.view import View
    from .table.choices import Decision, IllegalChoice, Option, Reason, RulesetFault
    from .table.outcome import Outcome
    from .table.state import State

__all__ = ["Decision", "Game", "IllegalChoice", "Option", "Outcome", "Reason", "RulesetFault", "State", "View"]

_HOMES = {
    "table.choices": ("Decision", "IllegalChoice", "Option", "Reason", "RulesetFault"),
    "game": ("Game",),
    "table.outcome": ("Outcome",),
    "table.state": ("State",),
    "seat.view": ("View",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
