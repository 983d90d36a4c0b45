"""Play and search games in native code, which a C compiler builds.

All other packages import native code only from here, so that the modules behind can change. Importing this package
takes a tenth of a second. Commands that play nothing, such as ``check``, therefore do not import it.
"""

from __future__ import annotations

from ..codegen.c.function_printer_and_c_types import NotNative as NotNative
from .c_compiler import EXTRA as EXTRA, NoNative as NoNative, find_compiler as find_compiler
from .isolated_process import LibraryInterface as LibraryInterface, declare_functions as declare_functions
from .search import (
    SwitchingBackend as SwitchingBackend,
    check_native_searches as check_native_searches,
    get_native_code as get_native_code,
    get_usage as get_usage,
    make_backend as make_backend,
)
from .whole_games_and_stepwise_play import (
    DeferredBuild as DeferredBuild,
    NativeFailure as NativeFailure,
    NativeGames as NativeGames,
    NativeSteps as NativeSteps,
    NativeUsage as NativeUsage,
    check_native_games as check_native_games,
    generate_games_c as generate_games_c,
    generate_steps_c as generate_steps_c,
)
