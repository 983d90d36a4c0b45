"""``lusory list``: the games that come with lusory."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from lusory_dsl.diagnostics import Diagnostics
from lusory_dsl.resources import bundled_packs, bundled_rulesets
from lusory_dsl.yaml_reader import read_file

from ..console.summary import catalogue
from ..console.terminal import terminal


def run(args: argparse.Namespace) -> int:
    packs = {name: str(_section("pack", folder).get("for")) for name, folder in bundled_packs().items()}
    games = [_described(name, folder, packs) for name, folder in bundled_rulesets().items()]
    if args.format == "json":
        print(json.dumps(games, indent=2, ensure_ascii=False))
    else:
        terminal().print(catalogue(games))
    return 0


def _described(name: str, folder: Path, packs: dict[str, str]) -> dict[str, Any]:
    """What the game says about itself; the rest of the ruleset is not looked at."""
    game = _section("game", folder)
    return {
        "id": name,
        "name": str(game.get("name", name)),
        "players": str(game.get("players", "?")).replace("..", "–"),
        "about": " ".join(str(game.get("about", "")).split()),
        "packs": [pack for pack, made_for in packs.items() if made_for == name],
        "path": str(folder),
    }


def _section(name: str, folder: Path) -> dict[str, Any]:
    """A section of a ruleset or pack that stands once in its files; empty where there is none."""
    for file in sorted(folder.glob("*.yaml")):
        node = read_file(file, Diagnostics())
        data = node.plain() if node is not None else None
        if isinstance(data, dict) and isinstance(data.get(name), dict):
            section: dict[str, Any] = data[name]
            return section
    return {}
