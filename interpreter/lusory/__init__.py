"""lusory: the engine and console that play checked rulesets.

The public face for programs: :class:`Game` and what it deals in. Loaded when first asked for, so that the command
line starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .choices import Decision, IllegalChoice, Option, Reason, RulesetFault
    from .game import Game
    from .outcome import Outcome
    from .state import State
    from .view import View

__all__ = ["Decision", "Game", "IllegalChoice", "Option", "Outcome", "Reason", "RulesetFault", "State", "View"]

_HOMES = {
    "choices": ("Decision", "IllegalChoice", "Option", "Reason", "RulesetFault"),
    "game": ("Game",),
    "outcome": ("Outcome",),
    "state": ("State",),
    "view": ("View",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
