"""Files of a ruleset -> :class:`model.Ruleset`: reads, checks the structure, merges files and packs.

The first stage; the checker goes on from the model. All files of a ruleset are looked at before anything is built, so
that one run reports every fault of this stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import codes, model
from .declarations import RESOURCE, Sections, named_entries, ruleset_of
from .diagnostics import Diagnostic, Diagnostics, did_you_mean
from .files import digest_of, key_of, misnamed_files, ruleset_files
from .memory import remembered
from .packs import Extension
from .resources import bundled_rulesets
from .source import Source, Span
from .structure import validate
from .yaml_reader import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    decode_source,
    read_bytes,
    read_text,
    source_of,
)

SINGLE = ("game", "setup", "scoring", "view")
"""Sections that stand once in a ruleset."""

PACKS_ONLY = ("pack", "replaces", "extends")
"""Sections that speak about the ruleset which a pack is laid over."""


@dataclass(eq=False)
class _File:
    """One YAML file that has been read. ``is_pack``: it is laid over a ruleset and may replace what it names."""

    source: Source
    key: str  # its name within the ruleset, part of the digest
    is_pack: bool = False
    root: YamlMapping | None = None


def load(path: Path, diagnostics: Diagnostics, packs: Sequence[Path] = ()) -> model.Ruleset | None:
    """The ruleset in a folder or single file, with the folders or files of ``packs`` laid over it in order.

    None, and a diagnostic for every fault, where it can't be built.
    """
    found = Diagnostics()
    files = list(_read(path, found))
    for number, pack in enumerate(packs, start=1):
        for file in _read(pack, found):
            file.is_pack, file.key = True, f"{number}/{file.key}"
            files.append(file)
    ruleset = _built(files, str(path if path.is_dir() else path.parent), found)
    diagnostics.extend(found.sorted())
    return ruleset


def load_text(text: str, diagnostics: Diagnostics, name: str = "<text>") -> model.Ruleset | None:
    """The ruleset in a text, for tests and documents."""
    found = Diagnostics()
    ruleset = _built([_File(source_of(name, text), name)], None, found)
    diagnostics.extend(found.sorted())
    return ruleset


# ---------------------------------------------------------------- files


def _read(path: Path, diagnostics: Diagnostics) -> Iterator[_File]:
    """The files of a ruleset or pack that can be read as text."""
    for file in _paths(path, diagnostics):
        data = read_bytes(file, str(file), diagnostics)
        source = None if data is None else decode_source(str(file), data, diagnostics)
        if source is not None:
            yield _File(source, key_of(file, path))


def _paths(path: Path, diagnostics: Diagnostics) -> list[Path]:
    """The files of a ruleset; a report where there are none, and for each that its author may think is read."""

    def refuse(message: str, hint: str, place: Path = path) -> list[Path]:
        diagnostics.add(codes.NOTHING_TO_READ, message, Span(Source(str(place), ""), 0, 0), hint)
        return []

    if not path.exists():
        near = did_you_mean(path.name, bundled_rulesets()) if path.parent == Path() else None
        return refuse(f"there is no file or folder `{path}`", near or "give a ruleset's folder or its .yaml file")
    misnamed = misnamed_files(path)
    for file in misnamed:
        refuse(f"`{file.name}` is not read: the names of a ruleset's files end with `.yaml`", "rename it", file)
    found = ruleset_files(path)
    if found or misnamed:
        return found
    return refuse(f"the folder `{path}` holds no .yaml file", "its files lie in the folder itself or in `cards/`")


def _built(files: Sequence[_File], directory: str | None, diagnostics: Diagnostics) -> model.Ruleset | None:
    """The ruleset of files that have been read, unless there is any fault."""
    for file in files:
        file.source, file.root, found = remembered(
            ("file", file.source.name, file.source.text), partial(_reading, file)
        )
        diagnostics.extend(found)
    roots = [file for file in files if file.root is not None]
    if not roots and not diagnostics.has_errors:
        hint = "a ruleset begins with the section `game`"
        diagnostics.add(codes.NOTHING_TO_READ, "the file is empty", Span(files[0].source, 0, 0), hint)
    sections = _Merger(diagnostics).merged(roots)
    if diagnostics.has_errors:
        return None
    if "game" not in sections.single:
        hint = "write `game:` with `id`, `name`, `version`, `language` and `players`"
        diagnostics.add(codes.MISSING_KEY, "the section `game` is missing", Span(roots[0].source, 0, 1), hint)
        return None
    ruleset = ruleset_of(sections, tuple(f.source for f in files), directory, _digest(files), diagnostics)
    return None if diagnostics.has_errors else ruleset


def _reading(file: _File) -> tuple[Source, YamlMapping | None, list[Diagnostic]]:
    """A file's source, its sections and what is wrong with them. Sections are None if it has none or is no YAML.

    A file of comments alone is no fault."""
    diagnostics = Diagnostics()
    root = read_text(file.source, diagnostics)
    if root is None or (isinstance(root, YamlScalar) and root.value is None):
        return file.source, None, diagnostics.sorted()
    validate(root, "ruleset", diagnostics)
    return file.source, root if isinstance(root, YamlMapping) else None, diagnostics.sorted()


def _digest(files: Iterable[_File]) -> str:
    """What identifies a ruleset: a hash over the names and texts of its files, the same for all kinds of line break."""
    return digest_of((file.key, file.source.text.encode("utf-8", "replace")) for file in files)


# ---------------------------------------------------------------- merging


class _Merger:
    """Puts the sections of all files together, and finds what is declared twice within a section.

    One name in two sections is left to the checker, which knows everything that has a name."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.sections = Sections()

    def merged(self, files: Iterable[_File]) -> Sections:
        for file in files:
            assert file.root is not None
            replacements = _Replacements(file)
            for key, value in file.root.entries:
                if key.text not in PACKS_ONLY:
                    self._take(key, value, replacements)
                elif not file.is_pack:
                    self._only_in_packs(key)
            replacements.report(self.diagnostics, self.sections)
        for file in files:
            if file.is_pack and file.root is not None:
                self._fit(file.root.get("pack"))
                Extension(self.sections, self.diagnostics).add(file.root.get("extends"))
        self._find_double_ids("phase", _phases(self.sections.lists.get("phases", ())))
        self._find_double_ids("invariant", self.sections.lists.get("invariants", ()))
        self._find_double_ids("layer", self.sections.lists.get("layers", ()))
        self._find_double_resource()
        return self.sections

    def _take(self, section: YamlScalar, value: YamlNode, replacements: _Replacements) -> None:
        name = section.text
        first = self.sections.keys.setdefault(name, section)
        if name in SINGLE:
            if first is section or replacements.take(name):
                self.sections.single[name] = value
                self.sections.keys[name] = section
            else:
                self._twice(f"the section `{name}`", section.span, first.span)
        elif isinstance(value, YamlSequence) and name != "resources":
            self.sections.lists.setdefault(name, []).extend(value.items)
        else:
            declared = self.sections.named.setdefault(name, {})
            for key, declaration in named_entries(value):
                if key.text not in declared or replacements.take(key.text):
                    declared[key.text] = (key, declaration)
                else:
                    self._twice(f"`{key.text}`", key.span, declared[key.text][0].span)

    def _only_in_packs(self, key: YamlScalar) -> None:
        message = f"`{key.text}` stands only in a pack, a folder that is laid over a ruleset"
        self.diagnostics.add(codes.KEYS_EXCLUDE, message, key.span, "delete it")

    def _fit(self, about: YamlNode | None) -> None:
        """Whether a pack was made for the game that it is laid over."""
        game = self.sections.single.get("game")
        made_for = about.get("for") if isinstance(about, YamlMapping) else None
        id = game.get("id") if isinstance(game, YamlMapping) else None
        if isinstance(made_for, YamlScalar) and isinstance(id, YamlScalar) and made_for.text != id.text:
            message = f"this pack is made for `{made_for.text}`, not for `{id.text}`"
            self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, made_for.span, "lay it over the game it is made for")

    def _find_double_ids(self, what: str, nodes: Iterable[YamlNode]) -> None:
        first: dict[str, Span] = {}
        for node in nodes:
            id = node.get("id") if isinstance(node, YamlMapping) else node
            if isinstance(id, YamlScalar):
                if id.text in first:
                    self._twice(f"the {what} `{id.text}`", id.span, first[id.text])
                first.setdefault(id.text, id.span)

    def _find_double_resource(self) -> None:
        enum = self.sections.named.get("enums", {}).get(RESOURCE)
        if enum and "resources" in self.sections.keys:
            self._twice(f"the enum `{RESOURCE}`", enum[0].span, self.sections.keys["resources"].span)

    def _twice(self, what: str, span: Span, first: Span) -> None:
        notes = [(first, "first declared here")]
        self.diagnostics.add(codes.DECLARED_TWICE, f"{what} is declared twice", span, "keep or rename one", notes)


class _Replacements:
    """What a file of a pack says it ``replaces``, and whether it does."""

    def __init__(self, file: _File) -> None:
        assert file.root is not None
        self.names = {name.text: name for name, _ in named_entries(file.root.get("replaces"))}
        self.is_pack = file.is_pack
        self.used: set[str] = set()

    def take(self, name: str) -> bool:
        """Whether a name that is already declared may be declared anew."""
        self.used.add(name)
        return self.is_pack and name in self.names

    def report(self, diagnostics: Diagnostics, sections: Sections) -> None:
        """Adds what makes no sense about ``replaces``."""
        for name, node in self.names.items():
            if self.is_pack and name not in self.used:
                hint = did_you_mean(name, [*SINGLE, *(n for names in sections.named.values() for n in names)])
                message = f"`{name}` is replaced by nothing: this file and the ruleset must both declare it"
                diagnostics.add(codes.VALUE_NOT_ALLOWED, message, node.span, hint)


def _phases(nodes: Iterable[YamlNode]) -> Iterator[YamlNode]:
    """Phases with the phases inside them."""
    for node in nodes:
        yield node
        inner = node.get("phases") if isinstance(node, YamlMapping) else None
        if isinstance(inner, YamlSequence):
            yield from _phases(inner.items)
