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


def measure_in_turn(samples: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, tuple[float, ...]]:
    """Take every sample once in each repeat, after one that does not count."""
    values_by_name: dict[str, list[float]] = {name: [] for name in samples}
    for repeat in range(repeats + 1):
        for name, sample in samples.items():
            value = sample()
            if repeat:
                values_by_name[name].append(value)
    return {name: tuple(values) for name, values in values_by_name.items()}


def time_python(*arguments: str) -> float:
    """Return the seconds that a fresh Python with these arguments takes from start to end."""
    start = perf_counter()
    _run_python(arguments, _create_environment())
    return perf_counter() - start


def time_first_decision(ruleset: Path, cache: str) -> float:
    """Return the seconds from the first line of a fresh process to a game's first decision. ``cache`` is a folder."""
    environment = _create_environment(LUSORY_CACHE=cache)
    return float(_run_python(("-m", "benchmarks.first_decision", str(ruleset)), environment))


def time_cold_start(ruleset: Path) -> float:
    """Return :func:`time_first_decision` with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        return time_first_decision(ruleset, folder)


def measure_peak(*arguments: str, **environment: str) -> float:
    """Return the peak memory in bytes of a fresh Python with these arguments. Windows can't measure it."""
    output = _run_python(("-S", "-c", LAUNCHER, *arguments), _create_environment(**environment))
    return float(output.splitlines()[-1]) * KILOBYTE


def can_measure_memory() -> bool:
    return hasattr(os, "wait4")


def _run_python(arguments: tuple[str, ...], environment: dict[str, str]) -> str:
    process = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if process.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{process.stderr}")
    return process.stdout


def _create_environment(**more: str) -> dict[str, str]:
    """Return our environment with the code of this checkout first. Python may store the modules that it compiles."""
    path = os.pathsep.join(filter(None, [str(ROOT / "dsl"), str(ROOT / "interpreter"), os.environ.get("PYTHONPATH")]))
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**variables, "PYTHONPATH": path, **more}
