"""Run ``lusory fmt``: format the files of rulesets, packs and cases, or compare them with the formatted text."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lusory_dsl.formatter import format_source
from lusory_dsl.source import safe_files_and_bundled_data
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import SHEET_EXTENSION, list_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import (
    CASES,
    MAX_BYTES,
    FileRefused,
    find_ruleset_folder,
    list_files,
    list_sibling_names,
    walk_folders,
    write_atomically,
)
from lusory_dsl.source.source import count_noun, make_one_line
from lusory_dsl.source.spelling_suggestions import suggest_name
from lusory_dsl.yaml.reader import decode_source, read_bytes, report_refusal

from ...ui.line import plain_output_and_terminal_checks as plain_output
from ...ui.line.terminal_output_and_line_editing import create_error_terminal, create_terminal
from ..errors import UsageError

STANDARD_INPUT = "-"
MAX_FOLDERS, MAX_DEPTH = 50_000, 64
"""Maximum number of folders to search, and maximum depth."""
_SELF_CONTAINED = re.compile(rb"^(?:game|pack):", re.MULTILINE)


@dataclass(frozen=True)
class _File:
    """Hold a file and its formatted content. ``new_content`` is None if it can't be read."""

    name: str
    old_content: bytes
    new_content: bytes | None

    @property
    def changes(self) -> bool:
        return self.new_content is not None and self.new_content != self.old_content


def run(args: argparse.Namespace) -> int:
    """Format files in place (``reformatted FILE``), or list (``would reformat FILE``) or show what would change.

    Returns 1 if a file can't be read or has errors, or if ``--check`` or ``--diff`` finds a file to change, otherwise
    0. A path given twice counts once, but ``a.yaml`` and its absolute path count as two. Symbolic links in a folder are
    skipped; one that leads nowhere or out of the folder counts as a file that can't be read. Errors and a summary go to
    standard error. The path ``-`` formats standard input to standard output, without a summary; ``--check`` then prints
    nothing. With ``--check`` and ``--diff``, only the changes are shown. Raises UsageError for ``-`` among other paths,
    for standard input above ``MAX_BYTES``, and for a path that is missing or a link to a file. Raises it, too, for a
    file without a YAML ending, and for a folder without files to format.
    """
    if STANDARD_INPUT in args.paths:
        return _format_standard_input(args)
    errors: list[Diagnostic] = []
    n_changed = n_unchanged = 0
    for path in dict.fromkeys(file for name in args.paths for file in _list_files(Path(name), errors)):
        diagnostics = Diagnostics()
        data = read_bytes(path, str(path), diagnostics)
        # Links are skipped: the file is formatted at its real location if that is included.
        is_link = path.is_symlink()
        file = None if data is None or is_link else _format_file(str(path), data, diagnostics)
        # Formatting fixes what warnings are about.
        errors.extend(finding for finding in diagnostics.list_sorted() if finding.severity == "error")
        if file is None or file.new_content is None:
            continue
        n_changed, n_unchanged = n_changed + file.changes, n_unchanged + (not file.changes)
        if file.changes:
            _report_file(file, path, args)
    create_error_terminal().print_diagnostics(errors)
    is_dry_run = args.check or args.diff
    faulty_files = {finding.span.source.name for finding in errors}
    plain_output.write_error_line(_summarize(n_changed, n_unchanged, len(faulty_files), is_dry_run))
    return 1 if errors or (n_changed and is_dry_run) else 0


def _report_file(file: _File, path: Path, args: argparse.Namespace) -> None:
    assert file.new_content is not None
    if args.diff:
        create_terminal().print_diff(_format_diff(file))
    elif args.check:
        plain_output.write_line(f"would reformat {make_one_line(file.name)}")
    else:
        write_atomically(path, file.new_content, inside=find_ruleset_folder(path))
        plain_output.write_line(f"reformatted {make_one_line(file.name)}")


def _format_standard_input(args: argparse.Namespace) -> int:
    """Format standard input to standard output, for use in editors. Returns the exit code as :func:`run` does.

    With ``--diff``, prints the changes instead, and with ``--check`` nothing.
    """
    if len(args.paths) > 1:
        raise UsageError("`-` is standard input and can't be combined with other paths")
    diagnostics = Diagnostics()
    content = plain_output.read_input(MAX_BYTES)
    if content is None:
        raise UsageError(f"standard input is larger than {MAX_BYTES:,} bytes")
    file = _format_file("<stdin>", content, diagnostics)
    create_error_terminal().print_diagnostics(diagnostics.list_sorted())
    if file.new_content is None:
        return 1
    if args.diff:
        create_terminal().print_diff(_format_diff(file))
    elif not args.check:
        plain_output.write_content(file.new_content)
    return 1 if file.changes and (args.check or args.diff) else 0


# ---------------------------------------------------------------- files


def _list_files(path: Path, diagnostics: list[Diagnostic]) -> Iterator[Path]:
    """Yield the named file, or the files of all rulesets and packs in a folder, with their cases.

    Files that can't be read are reported to ``diagnostics``. Raises UsageError if a path does not exist, is a link to
    a file, or is a file that does not end in ``.yaml`` or ``.yml``. A link to a folder is allowed.
    """
    if not path.exists():
        hint = suggest_name(path.name, list_sibling_names(path))
        raise UsageError(
            f"there is no file or folder `{path}`", hint or "write a folder, a .yaml file, or `-` for standard input"
        )
    if not path.is_dir():
        if path.is_symlink():
            raise UsageError(
                f"`{path}` is a link, and lusory never writes through links",
                "write the path of the file that it points to",
            )
        if path.suffix not in (".yaml", ".yml"):
            raise UsageError(f"`{path}` is not a .yaml file", "lusory formats only .yaml files: games, packs and cases")
        yield path
        return
    rulesets = [folder for folder in walk_folders(path, MAX_FOLDERS, MAX_DEPTH) if _is_ruleset(folder)]
    for folder in rulesets:
        try:
            paths = [*list_ruleset_files(folder), *list_files(folder / CASES, ".yaml")]
        except FileRefused as refusal:
            findings = Diagnostics()
            report_refusal(refusal, findings)
            diagnostics.extend(findings.list_sorted())
        else:
            yield from (file for file in paths if file.suffix != SHEET_EXTENSION)
    # The folder can be the folder ``cases`` or ``cards`` of a ruleset.
    if not rulesets:
        files = list_files(path, ".yaml")
        if not files:
            raise UsageError(
                f"there is nothing to format in `{path}`", "lusory formats .yaml files: games, packs and cases"
            )
        yield from files


def _is_ruleset(folder: Path) -> bool:
    """Return whether a folder holds a ruleset or a pack. Returns False if its files can't be read."""
    with suppress(FileRefused):
        for file in list_files(folder, ".yaml"):
            with suppress(FileRefused):
                if _SELF_CONTAINED.search(safe_files_and_bundled_data.read_bytes(file)):
                    return True
    return False


def _format_file(name: str, data: bytes, diagnostics: Diagnostics) -> _File:
    """Format a file and keep its line endings. Errors go to ``diagnostics``."""
    source = decode_source(name, data, diagnostics)
    text = None if source is None else format_source(source, diagnostics)
    if text is None:
        return _File(name, data, None)
    line_end = "\r\n" if data.partition(b"\n")[0].endswith(b"\r") else "\n"
    return _File(name, data, text.replace("\n", line_end).encode("utf-8"))


# ---------------------------------------------------------------- messages


def _format_diff(file: _File) -> Iterable[str]:
    assert file.new_content is not None
    old_lines, new_lines = (data.decode("utf-8-sig").splitlines() for data in (file.old_content, file.new_content))
    return difflib.unified_diff(old_lines, new_lines, f"a/{file.name}", f"b/{file.name}", lineterm="")


def _summarize(n_changed: int, n_unchanged: int, n_faulty: int, is_dry_run: bool) -> str:
    verb, state = ("would be reformatted", "already formatted") if is_dry_run else ("reformatted", "left unchanged")
    pronoun = "it" if n_faulty == 1 else "they"
    parts = [
        f"{count_noun(n_changed, 'file')} {verb}" if n_changed else "",
        f"{count_noun(n_unchanged, 'file')} {state}" if n_unchanged else "",
        f"{count_noun(n_faulty, 'file')} skipped: {pronoun} can't be read" if n_faulty else "",
    ]
    return ", ".join(part for part in parts if part) or "no files"
