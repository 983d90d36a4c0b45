"""The C compiler of the machine: which one there is, and what it makes of a text.

It runs in children with limits of time and memory, each a group of its own that ends with this process however that
ends, and writes into a folder that goes with it. ``LUSORY_CC`` names another compiler than ``cc``, or switches native
code off (``LUSORY_CC=off``).
"""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec

from .processes import processors
from .workshop import Workshop

POPCOUNT = ("-mpopcnt",) if platform.machine() in ("x86_64", "AMD64") else ()
"""Bits are counted in one step, which all of these machines can since 2008."""

FLAGS = ("-fPIC", "-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", *POPCOUNT)
LIBRARIES = ("-lm",)
LARGE = 260_000
"""Characters of C from which on it is compiled with less care, so that nobody waits for long."""

EXTRA = "ziglang"
"""The package that brings a C compiler along, which is looked for where the machine has none."""

PASSED = ("PATH", "HOME", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR")
"""What a compiler hears of its surroundings: where programs are, and where it keeps what all of its runs need."""

SECONDS, KILOBYTES = 300, 4_000_000
"""What a compiler may use: seconds of the processor, and memory."""


class NoNative(Exception):
    """There is no native code for a game. The message says why."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler: how it is called, and what it says of itself."""

    command: tuple[str, ...]
    version: str


def compiler() -> Compiler:
    """The C compiler of this machine. Raises NoNative."""
    return _compiler(os.environ.get("LUSORY_CC", ""))


@lru_cache(maxsize=4)
def _compiler(named: str) -> Compiler:
    if named == "off":
        raise NoNative("LUSORY_CC is off")
    path = shutil.which(named or "cc")
    if path is not None:
        command: tuple[str, ...] = (path,)
    elif not named and find_spec(EXTRA) is not None:
        command = sys.executable, "-m", EXTRA, "cc"
    else:
        raise NoNative(f"no C compiler: `{named or 'cc'}` is not on the path")
    try:
        said = subprocess.run(
            [*command, "--version"], capture_output=True, timeout=SECONDS, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        raise NoNative(f"`{shlex.join(command)}` does not say its version") from None
    return Compiler(command, said.stdout.decode(errors="replace").partition("\n")[0])


Child = subprocess.Popen[bytes]
Began = Callable[[Child], None]


def compiled(text: str, flags: Sequence[str] = (), began: Began | None = None, parts: int = 1) -> bytes:
    """A shared library of a text, which has so many parts that are compiled side by side (``-DPART=n``). ``began`` gets
    each compiler when it is at work. Raises NoNative."""
    level = "-O1" if len(text) > LARGE else "-O2"
    options = [*FLAGS, level, *flags]
    with Workshop() as own:
        folder, source, made = str(own), own / "game.c", own / "game.so"
        source.write_text(text, encoding="ascii")
        if parts == 1:
            _run([["-shared", *options, "-o", str(made), str(source), *LIBRARIES]], folder, began)
        else:
            objects = [str(own / f"{part}.o") for part in range(parts)]
            commands = [["-c", *options, f"-DPART={part}", "-o", objects[part], str(source)] for part in range(parts)]
            _run(commands[::-1], folder, began)  # the last one has the most to do
            _run([["-shared", *options, "-o", str(made), *objects, *LIBRARIES]], folder, began)
        return made.read_bytes()


def _run(commands: Sequence[Sequence[str]], folder: str, began: Began | None) -> None:
    """Let compilers work, as many at a time as there are processors."""
    command = compiler().command
    waiting = list(commands)[::-1]
    at_work: list[Child] = []
    end, other_end = os.pipe()  # whoever has the other one hears when this process is no more
    try:
        while waiting or at_work:
            while waiting and len(at_work) < processors():
                at_work.append(_child([*command, *waiting.pop()], folder, end))
                if began is not None:
                    began(at_work[-1])
            _awaited(at_work[0])
            at_work.pop(0)
    finally:  # Ctrl-C, or one of them went wrong
        for child in at_work:
            ended(child)
        for child in at_work:
            child.communicate()
        os.close(end)
        os.close(other_end)


WATCHED = "{ read nothing; kill -KILL -$$; } <&3 >/dev/null 2>&1"
"""Waits for the end of its lifeline, then ends its group: the compiler, and what that has started."""


def _child(command: Sequence[str], folder: str, lifeline: int) -> Child:
    """``lifeline``: a pipe of which nobody but this process has the other end."""
    limits = f"ulimit -c 0; ulimit -t {SECONDS}; ulimit -v {KILOBYTES}"
    limited = f'exec 3<&0; {limits}; {WATCHED} & exec "$@" </dev/null 3<&-'
    own = {name: os.environ[name] for name in PASSED if name in os.environ} | {"TMPDIR": folder, "LC_ALL": "C"}
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", limited, "sh", *command],
            stdin=lifeline,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=own,
            start_new_session=True,
        )
    except OSError as error:  # a system without a shell
        raise NoNative(f"the C compiler can't be started: {error.strerror}") from None


def _awaited(child: Child) -> None:
    """It has done its work. Raises NoNative."""
    try:
        _, said = child.communicate(timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        raise NoNative("the C compiler takes too long") from None
    if child.returncode:
        lines = said.decode(errors="replace").splitlines()
        first = next((line for line in lines if "error" in line), f"exit code {child.returncode}")
        raise NoNative(f"the C compiler gives up: {first}")


def ended(child: Child) -> None:
    """The compiler goes, and what it started; once it was waited for its number may be that of something else."""
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
