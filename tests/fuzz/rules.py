"""``python -m tests.fuzz.rules``: ``lusory fuzz`` over every shipped ruleset and pack, and a table of it.

What each came to is kept as JSON in a folder, with the cases of its findings; the same command again goes on there.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RULESETS = Path(__file__).parents[2] / "rulesets"

COUNTED = ("statements", "conditions", "endings")
"""Goals that the table has a column for."""


def games() -> Iterator[tuple[str, list[str]]]:
    """What each is called, and the arguments that name it."""
    for file in sorted(RULESETS.glob("**/ruleset.yaml")):
        yield file.parent.name, [str(file.parent)]
    for file in sorted(RULESETS.glob("packs/*/pack.yaml")):
        of = re.search(r"^  for: (\S+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert of is not None, f"{file} is for no game"
        yield file.parent.name, [of[1], "--with", str(file.parent)]


def fuzzed(name: str, named: list[str], seconds: int, seed: int, folder: Path) -> dict[str, Any] | None:
    """What one came to, now or before; None where the command itself failed, whose words are shown."""
    kept = folder / f"{name}.json"
    if not kept.is_file():
        command = [sys.executable, "-m", "lusory", "fuzz", *named, "--seconds", str(seconds), "--seed", str(seed)]
        command += ["--format", "json", "--output", str(folder / name)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            return None
        kept.write_text(done.stdout, encoding="utf-8")
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def row(name: str, found: dict[str, Any]) -> str:
    """A line of the table."""
    of = [found["reached"].get(kind) for kind in COUNTED]
    goals = [f"{one['reached']:,} of {one['of']:,}" if one else "" for one in of]
    what = ", ".join(one["kind"] for one in found["findings"]) or "nothing"
    return f"| {name} | {found['games']:,} | {found['decisions']:,} | {' | '.join(goals)} | {what} |"


def main() -> int:
    """The exit code: 1 where something was found, or could not be played."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.rules", description="Fuzz the rules that are shipped.")
    parser.add_argument("--seconds", type=int, default=20, help="of each (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="what chance begins with (default: 1)")
    parser.add_argument("--found", type=Path, help="where results are kept (default: a new folder)")
    parser.add_argument("only", nargs="*", help="these rulesets and packs alone")
    args = parser.parse_args()
    folder: Path = args.found or Path(tempfile.mkdtemp(prefix="lusory-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{args.seconds} seconds each, seed {args.seed}; kept in {folder}\n")
    print(f"| | games | decisions | {' | '.join(COUNTED)} | found |\n|---{'|---' * (len(COUNTED) + 3)}|", flush=True)
    code = 0
    for name, named in games():
        if args.only and name not in args.only:
            continue
        found = fuzzed(name, named, args.seconds, args.seed, folder)
        print(f"| {name} | could not be played |" if found is None else row(name, found), flush=True)
        code = 1 if found is None or found["findings"] else code
    return code


if __name__ == "__main__":
    sys.exit(main())
