"""``lusory fmt --language 2``: a ruleset or pack in the second edition, if its cases come out as they did."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from lusory_dsl import core
from lusory_dsl.formatter.migrating import migrated
from lusory_dsl.pipeline import check
from lusory_dsl.ruleset.packs import edition_of, head_of
from lusory_dsl.text.diagnostics import Diagnostics, RulesetError
from lusory_dsl.text.disk import home_of, write_whole
from lusory_dsl.text.editions import LATEST
from lusory_dsl.text.files import ruleset_files
from lusory_dsl.text.printable import one_line
from lusory_dsl.text.source import Source
from lusory_dsl.yaml.reader import YamlMapping, YamlScalar, decode_source, read_bytes, read_file

from ..author.cases import case_files, run_cases
from ..console import streams
from ..console.terminal import error_terminal
from .common import demand_own_file, find_ruleset
from .errors import UsageError

Outcome = dict[tuple[str, str], bool]
"""Which cases pass, by file and id."""


def migrate(args: argparse.Namespace) -> int:
    """Writes each ruleset or pack that is named in the second edition, or says why not; 1 where one is not."""
    return max([_migrate(Path(name), args.check) for name in args.paths], default=0)


def _migrate(path: Path, only_told: bool) -> int:
    demand_own_file(path)
    files = [*ruleset_files(path), *(case_files(path) if path.is_dir() else ())]
    roots = [root for file in files if isinstance(root := read_file(file, Diagnostics()), YamlMapping)]
    if not any(key.text in ("game", "pack") for root in roots for key, _ in root.entries):
        raise UsageError(
            f"`{path}` holds no ruleset or pack", "name the folder or file that has `game` or `pack` in it"
        )
    game = game_of(path, roots)
    if edition_of(roots, is_pack=game is not None) == LATEST:
        streams.put(f"{one_line(str(path))} is of edition {LATEST} already")
        return 0
    sources = [source for file in files if (source := _source(file)) is not None]
    after = [(old, new) for old, new in zip(sources, migrated(sources), strict=True) if old.text != new.text]
    before = _played(path, game)
    with tempfile.TemporaryDirectory(prefix="lusory-fmt-") as scratch:
        copy = Path(scratch) / path.name
        if path.is_dir():
            shutil.copytree(path, copy, symlinks=True)
        for _, new in after:
            here = copy / Path(new.name).relative_to(path) if path.is_dir() else copy
            write_whole(here, new.text.encode("utf-8"))
        there = _played(copy, game)
    if before != there:
        unlike = sorted(case for case in {*before, *there} if before.get(case) != there.get(case))
        changed = [f"{file}:{id}" for file, id in unlike]
        streams.put(f"{one_line(str(path))} stays as it is: in edition {LATEST} other cases pass: {', '.join(changed)}")
        return 1
    for _, new in after:
        if not only_told:
            write_whole(Path(new.name), new.text.encode("utf-8"), inside=home_of(Path(new.name)))
        streams.put(f"{'would rewrite' if only_told else 'rewrote'} {one_line(new.name)}")
    passed = sum(before.values())
    streams.put(f"{passed} of {len(before)} cases pass as before")
    return 0


def game_of(path: Path, roots: list[YamlMapping]) -> Path | None:
    """The game that a pack is laid over; None of a game."""
    head = next((head for root in roots if isinstance(head := root.get("pack"), YamlMapping)), None)
    if head is None:
        return None
    made_for = head.get("for")
    name = made_for.text if isinstance(made_for, YamlScalar) else ""
    beside = path.resolve().parent / name
    if name and beside.is_dir():
        return beside
    try:
        return find_ruleset(name)
    except UsageError as error:
        message = f"the game `{name}` of the pack {head_of(head).name} is not to be found"
        raise UsageError(message, "put its folder beside that of the pack") from error


def _source(file: Path) -> Source | None:
    data = read_bytes(file, str(file), Diagnostics())
    return None if data is None else decode_source(str(file), data, Diagnostics())


def _played(path: Path, game: Path | None) -> Outcome:
    """What comes of the cases of a ruleset or pack. Raises RulesetError where it has errors."""
    diagnostics = Diagnostics()
    packs = [] if game is None else [path]
    program: core.Program | None = check(path if game is None else game, diagnostics, packs)
    if program is None:
        error_terminal().diagnostics(diagnostics.sorted())
        raise RulesetError(diagnostics.sorted())
    results = run_cases(program, path) if path.is_dir() else []
    return {(Path(result.file).name, result.id): result.passed for result in results}
