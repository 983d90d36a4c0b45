"""``lusory list``: the games that come with lusory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.disk import files_in
from lusory_dsl.text.printable import json_text
from lusory_dsl.text.resources import bundled_packs, bundled_rulesets
from lusory_dsl.yaml.reader import plain, read_file

from ..console import streams
from ..console.summary import catalogue
from ..console.terminal import terminal


def run(args: argparse.Namespace) -> int:
    packs = {name: _described_pack(name, folder) for name, folder in bundled_packs().items()}
    games = [_described(name, folder, packs) for name, folder in bundled_rulesets().items()]
    if args.format == "json":
        streams.put_text(json_text(games))
    else:
        terminal().print(catalogue(games))
    return 0


def _described(name: str, folder: Path, packs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What the game says about itself; the rest of the ruleset is not looked at."""
    game = _section("game", folder)
    return {
        "id": name,
        "name": str(game.get("name", name)),
        "players": str(game.get("players", "?")).replace("..", "–"),
        "about": " ".join(str(game.get("about", "")).split()),
        "packs": [pack for pack in packs.values() if pack["for"] == name],
        "path": str(folder),
    }


def _described_pack(name: str, folder: Path) -> dict[str, Any]:
    """What the pack says about itself, and what of the game it changes."""
    about = _section("pack", folder)
    return {
        "id": name,
        "name": str(about.get("name", name)),
        "for": str(about.get("for", "")),
        "about": " ".join(str(about.get("about", "")).split()),
        "replaces": [str(word) for words in _sections("replaces", folder) if isinstance(words, list) for word in words],
    }


def _section(name: str, folder: Path) -> dict[str, Any]:
    """A section of a ruleset or pack that stands once in its files; empty where there is none."""
    found: list[dict[str, Any]] = [section for section in _sections(name, folder) if isinstance(section, dict)]
    return found[0] if found else {}


def _sections(name: str, folder: Path) -> Iterator[Any]:
    """A section in each of the files that have it."""
    for file in files_in(folder, ".yaml"):
        node = read_file(file, Diagnostics())
        data = plain(node) if node is not None else None
        if isinstance(data, dict) and name in data:
            yield data[name]
