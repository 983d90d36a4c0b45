"""Measure start-up, loading and peak memory of fresh processes from outside. Used by :mod:`benchmarks.suite`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
KILOBYTE = 1 if sys.platform == "darwin" else 1024  # of what getrusage counts in

# A process that only starts another and reports its peak. What a system calls a process's peak includes its parent's
# size at the fork; this parent is smaller than any child we measure.
LAUNCHER = """
import os, sys
child = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, *sys.argv[1:]])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def in_turns(samples: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, tuple[float, ...]]:
    """Take every sample once in each repeat, after one that does not count."""
    taken: dict[str, list[float]] = {name: [] for name in samples}
    for repeat in range(repeats + 1):
        for name, sample in samples.items():
            value = sample()
            if repeat:
                taken[name].append(value)
    return {name: tuple(values) for name, values in taken.items()}


def seconds_of(*arguments: str) -> float:
    """Return the seconds that a fresh Python with these arguments takes from start to end."""
    start = perf_counter()
    _python(arguments, _environment())
    return perf_counter() - start


def seconds_to_first_decision(ruleset: Path, cache: str) -> float:
    """Return the seconds from the first line of a fresh process to a game's first decision. ``cache`` is a folder."""
    return float(_python(("-m", "benchmarks.first_decision", str(ruleset)), _environment(LUSORY_CACHE=cache)))


def seconds_cold(ruleset: Path) -> float:
    """Return :func:`seconds_to_first_decision` with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        return seconds_to_first_decision(ruleset, folder)


def peak_of(*arguments: str, **environment: str) -> float:
    """Return the peak memory in bytes of a fresh Python with these arguments. Windows can't measure it."""
    said = _python(("-S", "-c", LAUNCHER, *arguments), _environment(**environment))
    return float(said.splitlines()[-1]) * KILOBYTE


def can_measure_memory() -> bool:
    return hasattr(os, "wait4")


def _python(arguments: tuple[str, ...], environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def _environment(**more: str) -> dict[str, str]:
    """Return our environment with the code of this checkout first. Python may store the modules that it compiles."""
    path = os.pathsep.join(filter(None, [str(ROOT / "dsl"), str(ROOT / "interpreter"), os.environ.get("PYTHONPATH")]))
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": path, **more}
