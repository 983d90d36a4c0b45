"""lusory: the engine and console that play checked rulesets.

The public face for programs: :class:`Game` and what it deals in.
"""

from .choices import Decision, IllegalChoice, Option, Reason, RulesetFault
from .game import Game, Outcome
from .state import State
from .view import View

__all__ = ["Decision", "Game", "IllegalChoice", "Option", "Outcome", "Reason", "RulesetFault", "State", "View"]
