"""Files of a ruleset -> :class:`model.Ruleset`: reads, checks the structure, merges files and packs.

The first stage; the checker goes on from the model. All files of a ruleset are looked at before anything is built, so
that one run reports every fault of this stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ..effect.parser import MAX_CHARACTERS
from ..text import codes
from ..text.diagnostics import Diagnostic, Diagnostics, did_you_mean
from ..text.disk import FileRefused
from ..text.files import SHEET, RulesetFiles, digest_of, key_of, read_files
from ..text.memory import remembered
from ..text.resources import bundled_rulesets
from ..text.source import Embedded, Sheet, Source, Span
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, decode_source, read_text, report_refusal, source_of
from . import model
from .build import ruleset_of
from .families import with_families
from .merging import File, merged
from .shape import validate
from .sheets import read_sheet

MAX_TEXT = 500_000
"""Characters in all the effect texts of a ruleset with its packs. Each costs as much to check as many of data."""


def load(path: Path, diagnostics: Diagnostics, packs: Sequence[Path] = ()) -> model.Ruleset | None:
    """The ruleset in a folder or single file, with the folders or files of ``packs`` laid over it in order.

    None, and a diagnostic for every fault, where it can't be built.
    """
    return load_files(read_files(path, packs), diagnostics)


def load_files(places: Sequence[RulesetFiles], diagnostics: Diagnostics) -> model.Ruleset | None:
    """The ruleset in files that have been read: its own, then those of packs in order."""
    found = Diagnostics()
    files: list[File] = []
    for number, place in enumerate(places):
        for file in _files(place, found):
            if number:
                file.pack, file.key = number, f"{number}/{file.key}"
            files.append(file)
    path = places[0].path
    ruleset = _built(files, str(path if path.is_dir() else path.parent), found)
    _tell_of_sheets(places, found)
    diagnostics.extend(found.sorted())
    return ruleset


def _tell_of_sheets(places: Iterable[RulesetFiles], diagnostics: Diagnostics) -> None:
    """Warns of sheets that are not read, since nobody may notice cards that are not there."""
    for file in (file for place in places for file in place.unread):
        hint = "sheets of cards are `cards/*.csv`" if file.suffix == SHEET else "save it as `.csv`"
        message = f"the sheet `{file.name}` is not read"
        diagnostics.add(codes.UNREAD_SHEET, message, Span(Source(str(file), ""), 0, 0), hint)


def read_place(place: RulesetFiles, diagnostics: Diagnostics) -> list[File]:
    """The files of a ruleset or pack by themselves, with what stands in them."""
    files = list(_files(place, diagnostics))
    _read(files, diagnostics)
    return files


def load_text(text: str, diagnostics: Diagnostics, name: str = "<text>") -> model.Ruleset | None:
    """The ruleset in a text, for tests and documents."""
    found = Diagnostics()
    ruleset = _built([File(source_of(name, text), name)], None, found)
    diagnostics.extend(found.sorted())
    return ruleset


# ---------------------------------------------------------------- files


def _files(place: RulesetFiles, diagnostics: Diagnostics) -> Iterator[File]:
    """The files of a ruleset or pack that can be read as text; a report where there are none, and for each that its
    author may think is read."""
    path = place.path

    def refuse(message: str, hint: str, where: Path = path) -> None:
        diagnostics.add(codes.NOTHING_TO_READ, message, Span(Source(str(where), ""), 0, 0), hint)

    if not path.exists():
        near = did_you_mean(path.name, bundled_rulesets()) if path.parent == Path() else None
        return refuse(f"there is no file or folder `{path}`", near or "give a ruleset's folder or its .yaml file")
    if place.refusal is not None:
        return report_refusal(place.refusal, diagnostics)
    for file in place.misnamed:
        refuse(f"`{file.name}` is not read: the names of a ruleset's files end with `.yaml`", "rename it", file)
    if not place.files and not place.misnamed:
        refuse(f"the folder `{path}` holds no .yaml file", "its files lie in the folder itself or in `cards/`")
    for file, content in place.files:
        if isinstance(content, FileRefused):
            report_refusal(content, diagnostics, str(file))
        elif (source := decode_source(str(file), content, diagnostics)) is not None:
            if file.suffix == SHEET and file != path:
                source = Sheet(source.name, source.text)
            yield File(source, key_of(file, path))


def _built(files: Sequence[File], directory: str | None, diagnostics: Diagnostics) -> model.Ruleset | None:
    """The ruleset of files that have been read, unless there is any fault."""
    _read(files, diagnostics)
    roots = [file for file in files if file.root is not None]
    if not roots and not diagnostics.has_errors:
        hint = "a ruleset begins with the section `game`"
        diagnostics.add(codes.NOTHING_TO_READ, "the file is empty", Span(files[0].source, 0, 0), hint)
    sections = merged(roots, diagnostics)
    if diagnostics.has_errors:
        return None
    if "game" not in sections.single:
        hint = "write `game:` with `id`, `name`, `version`, `language` and `players`"
        diagnostics.add(codes.MISSING_KEY, "the section `game` is missing", Span(roots[0].source, 0, 1), hint)
        return None
    ruleset = ruleset_of(sections, tuple(f.source for f in files), directory, _digest(files), diagnostics)
    ruleset = with_families(ruleset, diagnostics)
    _check_length(ruleset, diagnostics)
    return None if diagnostics.has_errors else ruleset


def _read(files: Sequence[File], diagnostics: Diagnostics) -> None:
    """Read the YAML of all files and check their shape."""
    for file in files:
        source = file.source
        file.source, root, found = remembered(("file", source.name, source.text), partial(_reading, source))
        diagnostics.extend(found)
        file.root = root if isinstance(root, YamlMapping) else None
        if root is not None and file.root is None:
            validate(root, "ruleset", diagnostics)
    for file in files:
        if file.root is not None:
            key = ("shape", file.source.name, file.source.text)
            diagnostics.extend(remembered(key, partial(_misshapen, file.root)))


def _check_length(ruleset: model.Ruleset, diagnostics: Diagnostics) -> None:
    """One report at the first text that is too much. What is too long by itself is not parsed, and said later."""
    total = 0
    families = dict.fromkeys(card.family for card in ruleset.cards if card.family is not None)
    parts = (ruleset, *(getattr(family, name) for family in families for name in family.__match_args__))
    for text in sorted(_texts(parts), key=lambda text: (text.source.name, text.offsets[0])):
        total += len(text.text) if len(text.text) <= MAX_CHARACTERS else 0
        if total > MAX_TEXT:
            message = f"the texts of the rules have more than {MAX_TEXT:,} characters together, up to this one"
            hint = "say once what they repeat: as a query, an effect, an action of a kind of card or a keyword"
            diagnostics.add(codes.TOO_LARGE, message, text.whole, hint)
            return


def _texts(part: object) -> Iterator[Embedded]:
    """The texts of the effect language in a record; not those of a family, which all its cards share."""
    if isinstance(part, Embedded):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _texts(item)
    elif not isinstance(part, Source | Span | model.Word | model.Value | model.FamilyDecl | str):
        for name in getattr(part, "__match_args__", ()):
            yield from _texts(getattr(part, name))


def _reading(source: Source) -> tuple[Source, YamlNode | None, list[Diagnostic]]:
    """A file's source, what stands in it and what is wrong with it as YAML. Nothing stands in it if it is no YAML.

    A file of comments alone is no fault."""
    diagnostics = Diagnostics()
    if isinstance(source, Sheet):
        return source, read_sheet(source, diagnostics), diagnostics.sorted()
    root = read_text(source, diagnostics)
    empty = isinstance(root, YamlScalar) and root.value is None
    return source, None if empty else root, diagnostics.sorted()


def _misshapen(root: YamlMapping) -> list[Diagnostic]:
    """What is wrong with the sections of a file."""
    diagnostics = Diagnostics()
    if not isinstance(root.span.source, Sheet):
        validate(root, "ruleset", diagnostics)
    return diagnostics.sorted()


def _digest(files: Iterable[File]) -> str:
    """What identifies a ruleset: a hash over the names and texts of its files, the same for all kinds of line break."""
    return digest_of((file.key, file.source.text.encode("utf-8", "replace")) for file in files)
