"""Write the events that rules of cards and packs can react to into the README of each large game.

``python -m tests.hooks`` replaces only the section between the two marker comments. A test checks that the section is
up to date.
"""

from __future__ import annotations

import re
from pathlib import Path

from lusory_dsl.explain.triggers_and_offers import format_triggers
from lusory_dsl.ruleset.loader import load
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files import find_bundled_rulesets

GAMES = ("empire-city", "empire-engine", "empires-end", "engines-of-war", "nano-empire")
BEGIN, END = "<!-- hooks: written by python -m tests.hooks -->", "<!-- end of hooks -->"
SECTION = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)


def page(game: str) -> Path:
    return find_bundled_rulesets()[game] / "README.md"


def section(game: str) -> str:
    """Return the collapsed README section that lists the events of a game."""
    ruleset = load(find_bundled_rulesets()[game], Diagnostics())
    assert ruleset is not None
    return (
        f"{BEGIN}\n<details><summary>What rules of cards and packs can answer to</summary>\n\n"
        f"```text\n{format_triggers(ruleset)}```\n\n</details>\n{END}"
    )


def main() -> None:
    for game in GAMES:
        text = page(game).read_text(encoding="utf-8")
        page(game).write_text(SECTION.sub(lambda _, game=game: section(game), text), encoding="utf-8")


if __name__ == "__main__":
    main()
