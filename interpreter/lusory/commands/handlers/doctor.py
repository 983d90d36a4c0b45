"""Run ``lusory doctor``: report what lusory finds on this machine."""

from __future__ import annotations

import argparse
import platform
import re
import shlex
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from lusory_dsl.source.source import format_json

from ...native import EXTRA, NoNative, check_native_games, check_native_searches, find_compiler
from ...support.cache import find_default_cache
from ...support.user_folders_private_files_and_locks import get_data_folder, get_state_folder, is_owned
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.terminal_output_and_line_editing import Terminal, create_terminal
from ...ui.line.test_trace_and_installation_tables import FINE, WITHOUT, WRONG, HealthCheck, render_health


def check_machine() -> Iterator[HealthCheck]:
    """Yield the checks of the installation, like ``HealthCheck("Python", FINE, "CPython 3.14.0, /bin/python")``.

    They are ``lusory`` (its version and folder), ``Python`` and ``platform``, then those of native code:
    ``C compiler``, ``native code`` and ``searches``. If one of these three is not ``FINE``, those after it are left
    out. The folders ``cache``, ``saved games`` and ``journals`` follow. Then come the packages of :data:`EXTRAS`, such
    as ``ziglang [native]``, in alphabetical order. A source checkout that is not installed has no packages.
    """
    yield HealthCheck("lusory", FINE, f"{_get_version('lusory')}, {Path(__file__).parents[2]}")
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield HealthCheck("Python", FINE, f"{python}, {sys.executable}")
    yield HealthCheck("platform", FINE, platform.platform())
    yield from _check_native()
    yield from _check_folders()
    yield from _check_packages()


def _check_native() -> Iterator[HealthCheck]:
    """Yield the checks of the C compiler, native games and native searches, up to the first that fails."""
    try:
        compiler = find_compiler()
    except NoNative as refusal:
        reason = str(refusal)
        hint = f"install gcc or clang, or `pip install 'lusory[native]'`, which brings {EXTRA}"
        yield HealthCheck("C compiler", WITHOUT, f"{reason}: Python plays all games", "" if "off" in reason else hint)
        return
    yield HealthCheck("C compiler", FINE, f"{compiler.version} ({shlex.join(compiler.command)})")
    for name, check, works, consequence in (
        ("native code", check_native_games, "compiled a game and played it in a separate process", "plays all games"),
        ("searches", check_native_searches, "a native search gives the same result as Python", "runs all searches"),
    ):
        try:
            check()
        except NoNative as problem:
            hint = "set LUSORY_CC=off to turn native code off"
            yield HealthCheck(name, WRONG, f"{problem}: Python {consequence}", hint)
            return
        yield HealthCheck(name, FINE, works)


def _check_folders() -> Iterator[HealthCheck]:
    """Yield the checks of the cache, the folder of saved games and that of journals."""
    cache = find_default_cache()
    if cache is None:
        yield HealthCheck(
            "cache", WITHOUT, "switched off, or you have no home folder: lusory compiles rules again in every run"
        )
    else:
        yield _check_folder("cache", lambda: cache.folder)
    yield _check_folder("saved games", get_data_folder)
    yield _check_folder("journals", get_state_folder)


def _check_folder(name: str, find: Callable[[], Path]) -> HealthCheck:
    """Check a folder of the user. It is used only if nobody else can write to it."""
    try:
        folder = find()
        status = folder.stat()
    except FileNotFoundError as problem:
        return HealthCheck(
            name, FINE, f"{problem.filename}, not created yet" if problem.filename != "~" else "no home folder"
        )
    except OSError as problem:
        return HealthCheck(name, WRONG, f"{problem.filename}: {problem.strerror}")
    if not stat.S_ISDIR(status.st_mode):
        return HealthCheck(name, WRONG, f"{folder} is not a folder")
    if not is_owned(status):
        problem_text = f"{folder} is not used, because other users can write to it"
        return HealthCheck(name, WRONG, problem_text, f"chmod go-w {folder}")
    return HealthCheck(name, FINE, str(folder))


def _check_packages() -> Iterator[HealthCheck]:
    """Yield the packages of the extras."""
    try:
        requirements = requires("lusory") or []
    # A source checkout is not installed.
    except PackageNotFoundError:
        return
    for text in sorted(requirements):
        requirement, _, marker = text.partition(";")
        extra = marker.partition("extra == ")[2].strip(" \"'")
        if extra in EXTRAS:
            name = re.split(r"[^\w.-]", requirement)[0]
            version = _get_version(name)
            hint = "" if version else f"pip install 'lusory[{extra}]'"
            yield HealthCheck(f"{name} [{extra}]", FINE if version else WITHOUT, version or EXTRAS[extra], hint)


EXTRAS = {
    "browser": "not installed: players can't join from a browser",
    "report": "not installed: `simulate --report` can't write web pages",
    "native": "not installed: lusory uses the C compiler of this machine, if there is one",
}
"""Extras for users, and the consequence of their absence."""


def _get_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _check_terminal(terminal: Terminal) -> Iterator[HealthCheck]:
    """Yield two checks: ``terminal``, and ``full screen``, whether games can use it. Neither is ever ``WRONG``.

    Each is ``FINE`` or ``WITHOUT``, the second with the reason as its words, or ``yes``.
    """
    console = terminal.console
    if console.is_terminal:
        colours = console.color_system or "no colours"
        yield HealthCheck("terminal", FINE, f"{console.width}×{console.height}, {colours}, {console.encoding}")
    else:
        yield HealthCheck(
            "terminal", WITHOUT, f"not a terminal ({console.encoding}): games are shown line by line, without colours"
        )
    reason = plain_output.explain_no_full_screen()
    yield HealthCheck("full screen", WITHOUT if reason else FINE, reason or "yes")


JSON_VERSION = 1


def run(args: argparse.Namespace) -> int:
    """Check the installation and print a table, or JSON with ``--json``. Returns 1 if a state is ``wrong``, else 0.

    The JSON has ``version`` (of this format), ``fine`` (true for 0) and ``found``, a list: the checks of
    :func:`check_machine`, then ``terminal`` and ``full screen``. Each has ``name``, ``state`` (``fine``, ``without`` or
    ``wrong``), ``words`` and ``hint``. A hint says how to mend native code, a missing C compiler or package, or a
    folder to which other users can write: ``chmod go-w /home/ann/.cache/lusory``. Otherwise it is ``""``, also for a
    C compiler that is turned off, and for a file in place of a folder.
    """
    checks = [*check_machine(), *_check_terminal(create_terminal())]
    has_fault = any(check.state == WRONG for check in checks)
    if args.json:
        plain_output.write_lines(
            format_json({"version": JSON_VERSION, "fine": not has_fault, "found": [asdict(check) for check in checks]})
        )
    else:
        create_terminal().print(render_health(checks))
    return int(has_fault)
