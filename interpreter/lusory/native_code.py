"""The interface of native code: everything that the rest of lusory uses of it.

Other modules import from here alone, so that what is behind can change. Commands that play nothing, such as
``check``, don't import this module, which takes a tenth of a second.
"""

from __future__ import annotations

from .apart import Face, bound
from .compile.c.kinds import NotNative
from .compiler import EXTRA, NoNative, compiler
from .library import NotBuilt
from .native import Building, Native, Use, printed_games, tried as try_games
from .native_search import Beside, core_for, tried as try_searches, use_of
from .native_steps import NativeSteps, WentWrong, printed_steps

__all__ = [
    "EXTRA",
    "Beside",
    "Building",
    "Face",
    "Native",
    "NativeSteps",
    "NoNative",
    "NotBuilt",
    "NotNative",
    "Use",
    "WentWrong",
    "bound",
    "compiler",
    "core_for",
    "printed_games",
    "printed_steps",
    "try_games",
    "try_searches",
    "use_of",
]
