"""``lusory fmt --language 2``: a ruleset or pack in the second edition, if its cases come out as they did. And
``--boards``: what it would be with boards in place of enums of squares."""

from __future__ import annotations

import argparse
import difflib
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lusory_dsl import core
from lusory_dsl.formatter import format_source
from lusory_dsl.formatter.boards import with_boards
from lusory_dsl.formatter.migrating import migrated
from lusory_dsl.pipeline import check
from lusory_dsl.ruleset.packs import edition_of, head_of
from lusory_dsl.text.diagnostics import Diagnostic, Diagnostics, RulesetError
from lusory_dsl.text.disk import home_of, write_whole
from lusory_dsl.text.editions import LATEST
from lusory_dsl.text.files import ruleset_files
from lusory_dsl.text.printable import one_line
from lusory_dsl.text.source import Source, Span
from lusory_dsl.yaml.reader import YamlMapping, YamlScalar, decode_source, read_bytes, read_file

from ..author.cases import case_files, run_cases
from ..console import streams
from ..console.terminal import terminal
from .common import demand_own_file, find_ruleset
from .errors import UsageError

Outcome = dict[tuple[str, str], bool]
"""Which cases pass, by file and id."""


def migrate(args: argparse.Namespace) -> int:
    """Writes each ruleset or pack that is named in the second edition, or says why not; 1 where one is not."""
    return max([_migrate(Path(name), args.check) for name in args.paths], default=0)


def _migrate(path: Path, only_told: bool) -> int:
    files, roots, game = _read(path)
    if edition_of(roots, is_pack=game is not None) == LATEST:
        streams.put(f"{one_line(str(path))} is of edition {LATEST} already")
        return 0
    after = _changed(files, migrated)
    before, there = _tried(path, game, after)
    if before != there:
        changed = ", ".join(_unlike(before, there))
        streams.put(f"{one_line(str(path))} stays as it is: in edition {LATEST} other cases pass: {changed}")
        return 1
    for _, new in after:
        if not only_told:
            write_whole(Path(new.name), new.text.encode("utf-8"), inside=home_of(Path(new.name)))
        streams.put(f"{'would rewrite' if only_told else 'rewrote'} {one_line(new.name)}")
    passed = sum(before.values())
    streams.put(f"{passed} of {len(before)} cases pass as before")
    return 0


def offer_boards(args: argparse.Namespace) -> int:
    """Shows each ruleset that is named with boards in place of enums of squares, and what its cases say of it; 1 where
    one comes out otherwise. Writes nothing."""
    return max([_offer_boards(Path(name)) for name in args.paths], default=0)


def _offer_boards(path: Path) -> int:
    files, roots, game = _read(path)
    if edition_of(roots, is_pack=game is not None) < LATEST:
        hint = f"put it into edition {LATEST} first: `lusory fmt --language {LATEST} {one_line(str(path))}`"
        raise UsageError("boards belong to a later edition of the language", hint)
    after = _changed(files, with_boards)
    if not after:
        streams.put(f"{one_line(str(path))} has no enum of squares, such as `[a1, b1, a2, b2]`, that could be a board")
        return 0
    for old, new in after:
        lines = old.text.splitlines(), (format_source(new, Diagnostics()) or new.text).splitlines()
        terminal().difference(difflib.unified_diff(*lines, f"a/{old.name}", f"b/{new.name}", lineterm=""))
    before, there = _tried(path, game, after)
    if before != there:
        streams.put(f"nothing was written; with boards other cases pass: {', '.join(_unlike(before, there))}")
        return 1
    streams.put(f"nothing was written; with boards {sum(before.values())} of {len(before)} cases pass as before")
    return 0


def _read(path: Path) -> tuple[list[Path], list[YamlMapping], Path | None]:
    """The files of a ruleset or pack with its cases, what stands in them, and the game of a pack."""
    demand_own_file(path)
    files = [*ruleset_files(path), *(case_files(path) if path.is_dir() else ())]
    roots = [root for file in files if isinstance(root := read_file(file, Diagnostics()), YamlMapping)]
    if not any(key.text in ("game", "pack") for root in roots for key, _ in root.entries):
        raise UsageError(
            f"`{path}` holds no ruleset or pack", "name the folder or file that has `game` or `pack` in it"
        )
    return files, roots, game_of(path, roots)


def _changed(files: list[Path], rewrite: Callable[[list[Source]], list[Source]]) -> list[tuple[Source, Source]]:
    """What becomes of files, where it is something else."""
    sources = [source for file in files if (source := _source(file)) is not None]
    return [(old, new) for old, new in zip(sources, rewrite(sources), strict=True) if old.text != new.text]


def _tried(path: Path, game: Path | None, after: list[tuple[Source, Source]]) -> tuple[Outcome, Outcome]:
    """What comes of the cases before and after, the latter in a copy. Raises RulesetError."""
    before = _played(path, game)
    with tempfile.TemporaryDirectory(prefix="lusory-fmt-") as scratch:
        copy = Path(scratch) / path.name
        if path.is_dir():
            shutil.copytree(path, copy, symlinks=True)
        for _, new in after:
            here = copy / Path(new.name).relative_to(path) if path.is_dir() else copy
            write_whole(here, new.text.encode("utf-8"))
        try:
            return before, _played(copy, game)
        except RulesetError as error:
            streams.remark(f"{one_line(str(path))} stays as it is; changed, it would have the errors that follow")
            raise RulesetError([_at_home(found, copy, path) for found in error.diagnostics]) from error


def _at_home(found: Diagnostic, copy: Path, path: Path) -> Diagnostic:
    """What was found in a copy, with the names of the files that it is a copy of."""

    def span(there: Span) -> Span:
        name = str(path) + there.source.name.removeprefix(str(copy))
        is_copied = there.source.name.startswith(str(copy))
        return replace(there, source=Source(name, there.source.text)) if is_copied else there

    return replace(found, span=span(found.span), notes=tuple((span(at), said) for at, said in found.notes))


def _unlike(before: Outcome, there: Outcome) -> list[str]:
    return [f"{file}:{id}" for file, id in sorted({*before, *there}) if before.get((file, id)) != there.get((file, id))]


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
        raise RulesetError(diagnostics.sorted())
    results = run_cases(program, path) if path.is_dir() else []
    return {(Path(result.file).name, result.id): result.passed for result in results}
