"""Play and search games in native code, which a C compiler builds.

All other packages import native code only from here, so that the modules behind can change. Importing this package
takes a tenth of a second. Commands that play nothing, such as ``check``, therefore do not import it.
"""

from __future__ import annotations

from ..codegen.c.printer import NotNative
from .c_compiler import EXTRA, NoNative, NotBuilt, compiler
from .play import Building, Native, NativeSteps, Use, WentWrong, printed_games, printed_steps, tried as try_games
from .sandbox_process import Face, bound
from .search import Beside, core_for, tried as try_searches, use_of

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
