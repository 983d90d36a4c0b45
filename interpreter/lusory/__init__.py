"""Play checked rulesets: the engine and the console of lusory.

This is the public interface for programs: :class:`Game` and its data types. They are imported on first use, so that the
command line starts fast. So is everything else, because Ctrl-C during imports here would end in a traceback.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .game import Game
    from .state.decisions_outcomes_and_faults import Decision, IllegalChoice, Option, Outcome, Reason, RulesetFault
    from .state.state import State
    from .view.seat_view import View

__all__ = ["Decision", "Game", "IllegalChoice", "Option", "Outcome", "Reason", "RulesetFault", "State", "View"]

_HOMES = {
    "state.decisions_outcomes_and_faults": ("Decision", "IllegalChoice", "Option", "Outcome", "Reason", "RulesetFault"),
    "game": ("Game",),
    "state.state": ("State",),
    "view.seat_view": ("View",),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
