"""Play and search games in native code, which a C compiler builds.

All other packages import native code only from here, so that the modules behind can change. Importing this package
takes a tenth of a second. Commands that play nothing, such as ``check``, therefore do not import it.
"""

from __future__ import annotations

from ..codegen.c.function_printer_and_c_types import NotNative
from .c_compiler import EXTRA, NoNative, NotBuilt, find_compiler
from .isolated_process import LibraryInterface, declare_functions
from .search import SwitchingBackend, check_native_searches, get_usage, make_backend
from .whole_games_and_stepwise_play import (
    BackgroundBuild,
    NativeFailure,
    NativeGames,
    NativeSteps,
    NativeUsage,
    check_native_games,
    generate_games_c,
    generate_steps_c,
)

__all__ = [
    "EXTRA",
    "BackgroundBuild",
    "LibraryInterface",
    "NativeFailure",
    "NativeGames",
    "NativeSteps",
    "NativeUsage",
    "NoNative",
    "NotBuilt",
    "NotNative",
    "SwitchingBackend",
    "check_native_games",
    "check_native_searches",
    "declare_functions",
    "find_compiler",
    "generate_games_c",
    "generate_steps_c",
    "get_usage",
    "make_backend",
]
