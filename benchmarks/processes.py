"""Measured from outside, on fresh processes: start-up, loading, peak memory. Used by :mod:`benchmarks.suite`."""

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
    """How long a fresh Python takes with these arguments, from start to end."""
    start = perf_counter()
    _python(arguments, _environment())
    return perf_counter() - start


def seconds_to_first_decision(ruleset: Path, cache: str) -> float:
    """How long a fresh process takes from its first line to the first decision of a game. ``cache``: a folder."""
    return float(_python(("-m", "benchmarks.first_decision", str(ruleset)), _environment(LUSORY_CACHE=cache)))


def seconds_cold(ruleset: Path) -> float:
    """As above, with a cache that is empty."""
    with tempfile.TemporaryDirectory() as folder:
        return seconds_to_first_decision(ruleset, folder)


def peak_of(*arguments: str, **environment: str) -> float:
    """Peak memory in bytes of a fresh Python with these arguments. Not on Windows, which does not tell."""
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
    """Ours, with the code of this checkout first. Python may keep what it compiles, as it does elsewhere."""
    path = os.pathsep.join(filter(None, [str(ROOT / "dsl"), str(ROOT / "interpreter"), os.environ.get("PYTHONPATH")]))
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": path, **more}
