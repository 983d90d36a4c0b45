"""``python -m tests.fuzz.rules``: run ``lusory fuzz`` on every shipped ruleset and pack, and print a table."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

RULESETS = Path(__file__).parents[2] / "rulesets"

COLUMNS = ("statements", "conditions", "endings")
"""The kinds of goals that have a column in the table."""


def list_rulesets_and_packs() -> Iterator[tuple[str, list[str]]]:
    """Yield each name, and the arguments for the command."""
    for file in sorted(RULESETS.glob("**/ruleset.yaml")):
        yield file.parent.name, [str(file.parent)]
    for file in sorted(RULESETS.glob("packs/*/pack.yaml")):
        game = re.search(r"^  for: (\S+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert game is not None, f"{file} names no game"
        yield file.parent.name, [game[1], "--with", str(file.parent)]


def run_fuzz(name: str, arguments: list[str]) -> tuple[str, bool]:
    """Run the command. Return a row of the table, and whether the command found no bug."""
    command = [sys.executable, "-m", "lusory", "fuzz", *arguments, "--format", "json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode not in (0, 1):
        return f"| {name} | could not be played |", False
    report = json.loads(result.stdout)
    counts = [report["reached"].get(kind) for kind in COLUMNS]
    goals = " | ".join(f"{count['reached']:,} of {count['of']:,}" if count else "" for count in counts)
    kinds = ", ".join(finding["kind"] for finding in report["findings"]) or "nothing"
    return f"| {name} | {report['games']:,} | {report['decisions']:,} | {goals} | {kinds} |", not report["findings"]


def main() -> int:
    """Return 1 if a bug was found or a ruleset could not be played."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.rules", description="Fuzz the shipped rules.")
    parser.add_argument("--seconds", default="20", help="time for each ruleset (default: 20)")
    parser.add_argument("--seed", default="1", help="seed of the random games (default: 1)")
    parser.add_argument("--output", type=Path, help="folder for cases that reproduce bugs (default: a new folder)")
    parser.add_argument("only", nargs="*", help="names of rulesets and packs (default: all)")
    args = parser.parse_args()
    folder: Path = args.output or Path(tempfile.mkdtemp(prefix="lusory-fuzz-"))
    print(f"{args.seconds} seconds each, seed {args.seed}; cases are written to {folder}\n")
    print(f"| | games | decisions | {' | '.join(COLUMNS)} | found |\n|---{'|---' * (len(COLUMNS) + 3)}|")
    is_clean = True
    for name, arguments in list_rulesets_and_packs():
        if not args.only or name in args.only:
            options = ["--seconds", args.seconds, "--seed", args.seed, "--output", str(folder / name)]
            row, is_row_clean = run_fuzz(name, arguments + options)
            print(row, flush=True)
            is_clean &= is_row_clean
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
