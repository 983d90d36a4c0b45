"""Fuzz one parser or reader of lusory: ``python -m tests.fuzz TARGET``.

The fuzzer generates inputs and saves a small reproduction of each kind of failure. The target ``all`` runs every target
in a process of its own. See tests/README.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the targets import helpers of the tests

NAMES = (
    "yaml",
    "effects",
    "rulesets",
    "packs",
    "sheets",
    "cases",
    "formats",
    "saves",
    "playthroughs",
    "records",
    "prompts",
)


def main() -> int:
    """Return the exit status: 1 if an input failed, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz the readers of untrusted input.")
    parser.add_argument("target", choices=(*NAMES, "all"))
    parser.add_argument("--inputs", type=int, default=10_000, help="number of inputs (default: 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: 1)")
    parser.add_argument("--blind", action="store_true", help="don't use coverage to guide the fuzzer")
    parser.add_argument("--found", type=Path, help="folder for failing inputs (default: a new folder)")
    parser.add_argument("--again", type=Path, help="run this file only, and show its failure")
    args = parser.parse_args()
    if args.target == "all":
        package = str(__package__)
        return max(subprocess.call([sys.executable, "-m", package, *_replace_all(name)]) for name in NAMES)
    if args.again is not None:
        from .targets import TARGETS

        TARGETS[args.target].run(args.again.read_bytes())
        return 0
    from .running import Run

    folder = args.found or Path(tempfile.mkdtemp(prefix="lusory-fuzz-"))
    is_guided = not args.blind and find_spec("atheris") is not None
    return Run(args.target, args.inputs, args.seed, folder).run(is_guided)


def _replace_all(name: str) -> list[str]:
    """Return the command-line arguments with ``name`` in place of `all`."""
    place = sys.argv.index("all")
    return [*sys.argv[1:place], name, *sys.argv[place + 1 :]]


if __name__ == "__main__":
    sys.exit(main())
