"""Legends of cards, written anew by ``lusory fmt``: what the words on them mean stands elsewhere in their ruleset."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.legends import has_legend, legend_of, with_legend
from lusory_dsl.ruleset.loader import load
from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.disk import CARDS, FileRefused
from lusory_dsl.text.files import ruleset_files
from lusory_dsl.yaml.reader import YamlMapping, read_file

from .errors import UsageError
from .migrating import game_of


def explained(file: Path, text: str) -> str:
    """The text of a file with its legend made anew; as it is without one, or where no ruleset can be read."""
    if not has_legend(text):
        return text
    home = file.parent.parent if file.parent.name == CARDS else file.parent
    for place in (home, file):
        ruleset = _ruleset(place)
        if ruleset is not None:
            return with_legend(text, legend_of(ruleset, str(file)))
    return text


@lru_cache(maxsize=8)
def _ruleset(place: Path) -> model.Ruleset | None:
    """The ruleset in a folder or file; of a pack, its game with the pack laid over it. None where it can't be read."""
    try:
        files = ruleset_files(place)
        roots = [root for file in files if isinstance(root := read_file(file, Diagnostics()), YamlMapping)]
        game = game_of(place, roots)
    except (FileRefused, UsageError):
        return None
    return load(place, Diagnostics()) if game is None else load(game, Diagnostics(), [place])
