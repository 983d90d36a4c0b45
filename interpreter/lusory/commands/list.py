"""``lusory list``: the games that come with lusory."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from lusory_dsl.diagnostics import Diagnostics
from lusory_dsl.resources import bundled_rulesets
from lusory_dsl.yaml_reader import read_file

from ..console.summary import catalogue
from ..console.terminal import terminal


def run(args: argparse.Namespace) -> int:
    games = [_described(name, folder) for name, folder in bundled_rulesets().items()]
    if args.format == "json":
        print(json.dumps(games, indent=2, ensure_ascii=False))
    else:
        terminal().print(catalogue(games))
    return 0


def _described(name: str, folder: Path) -> dict[str, Any]:
    """What the game says about itself; the rest of the ruleset is not looked at."""
    game: dict[str, Any] = {}
    for file in sorted(folder.glob("*.yaml")):
        node = read_file(file, Diagnostics())
        data = node.plain() if node is not None else None
        if isinstance(data, dict) and isinstance(data.get("game"), dict):
            game = data["game"]
    return {
        "id": name,
        "name": str(game.get("name", name)),
        "players": str(game.get("players", "?")).replace("..", "–"),
        "about": " ".join(str(game.get("about", "")).split()),
        "path": str(folder),
    }
