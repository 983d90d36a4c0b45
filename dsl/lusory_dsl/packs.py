"""The section ``extends`` of a pack: what it adds to enums, resources, tables and the number of players.

Used by the loader when all sections are merged, so that a pack may extend what an earlier pack declared.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import codes
from .declarations import Entry, Sections, named_entries
from .diagnostics import Diagnostics, did_you_mean
from .source import Span
from .yaml_reader import YamlMapping, YamlNode, YamlScalar


class Extension:
    """Lays what packs add into the merged ``sections``; what they add to nothing, or again, is reported."""

    def __init__(self, sections: Sections, diagnostics: Diagnostics) -> None:
        self.sections = sections
        self.diagnostics = diagnostics

    def add(self, extends: YamlNode | None) -> None:
        """The section ``extends`` of one file, which the schema has passed."""
        for key, value in named_entries(extends):
            match key.text:
                case "players":
                    self._players(key, value)
                case "resources":
                    self._resources(key, value)
                case "enums":
                    for name, values in named_entries(value):
                        self._declaration("enums", "enum", name, values)
                case "tables":
                    for name, values in named_entries(value):
                        self._declaration("tables", "table", name, values)

    def _players(self, key: YamlScalar, value: YamlNode) -> None:
        game = self.sections.single.get("game")
        if isinstance(game, YamlMapping):
            entries = tuple((k, value if k.text == "players" else v) for k, v in game.entries)
            self.sections.single["game"] = YamlMapping(game.span, entries)

    def _resources(self, key: YamlScalar, value: YamlNode) -> None:
        declared = self.sections.named.get("resources")
        if not declared:
            hint = "declare it: write `resources` at the left margin"
            self._misfit("the ruleset has no `resources` to extend", key.span, hint)
            return
        merged = YamlMapping(value.span, tuple(declared.values()))
        for name, details in self._united("Resource", merged, value).entries:
            declared.setdefault(name.text, (name, details))

    def _declaration(self, section: str, what: str, name: YamlScalar, added: YamlNode) -> None:
        """New values of an enum, new entries of a table."""
        declared = self.sections.named.get(section, {})
        if name.text not in declared:
            hint = did_you_mean(name.text, declared) or f"declare it under `{section}`"
            self._misfit(f"there is no {what} `{name.text}` to extend", name.span, hint)
            return
        key, node = declared[name.text]
        if section == "enums":
            declared[name.text] = (key, self._united(name.text, node, added))
        elif isinstance(node, YamlMapping):
            entries = ((k, self._united(name.text, v, added) if k.text == "values" else v) for k, v in node.entries)
            declared[name.text] = (key, YamlMapping(node.span, tuple(entries)))

    def _united(self, name: str, first: YamlNode, added: YamlNode) -> YamlMapping:
        """Two mappings as one, going into the mappings that both have; plain lists of names count as mappings."""
        entries: dict[str, Entry] = {key.text: (key, value) for key, value in named_entries(first)}
        for key, value in named_entries(added):
            known = entries.get(key.text)
            if known is None:
                entries[key.text] = (key, value)
            elif isinstance(known[1], YamlMapping) and isinstance(value, YamlMapping):
                entries[key.text] = (known[0], self._united(name, known[1], value))
            else:
                self._twice(f"`{key.text}` of `{name}`", key.span, known[0].span)
        return YamlMapping(first.span, tuple(entries.values()))

    def _misfit(self, message: str, span: Span, hint: str | None) -> None:
        self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, span, hint)

    def _twice(self, what: str, span: Span, first: Span) -> None:
        hint = "a pack adds what is not there yet; what it changes it names under `replaces`"
        notes: Iterable[tuple[Span, str]] = [(first, "first declared here")]
        self.diagnostics.add(codes.DECLARED_TWICE, f"{what} is declared twice", span, hint, list(notes))
