"""Apply the sections ``pack`` and ``extends`` of a pack to the ruleset that it extends.

Extensions are applied after all sections are merged, so that a pack may extend what an earlier pack declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import dataclass, field
from ..source.diagnostics import Code, Diagnostics
from ..source.source import NOWHERE, EmbeddedText, Span
from ..source.spelling_suggestions import suggest_name
from ..yaml.reader import Entry, YamlMapping, YamlNode, YamlScalar, YamlSequence, iterate_named_entries, list_entries
from .model import PackDecl, Word
from .model_from_yaml import RESOURCE


@dataclass(eq=False)
class Sections:
    """The merged sections of all files: mappings by name, lists, and single sections.

    ``single`` also holds a mapping that a pack has extended as a whole. ``keys`` holds the key of each section.
    ``packs`` are the packs that extend the ruleset. ``more_setups`` run after its setup.
    """

    single: dict[str, YamlNode] = field(default_factory=dict)
    declarations: dict[str, dict[str, Entry]] = field(default_factory=dict)
    lists: dict[str, list[YamlNode]] = field(default_factory=dict)
    keys: dict[str, YamlScalar] = field(default_factory=dict)
    packs: list[PackDecl] = field(default_factory=list)
    more_setups: list[EmbeddedText] = field(default_factory=list)

    def find(self, name: str) -> YamlNode | None:
        """Return a section as one node, or None if neither ``single`` nor ``keys`` has its name.

        A section in ``single`` is its node there, even if it is in ``declarations``, too. Otherwise, the entries in
        ``declarations`` become a new YamlMapping, or the nodes in ``lists`` a new YamlSequence. The ``span`` of the new
        node is that of the section's key in ``keys``.
        """
        if name in self.single or name not in self.keys:
            return self.single.get(name)
        if name in self.declarations:
            return YamlMapping(self.keys[name].span, tuple(self.declarations[name].values()))
        return YamlSequence(self.keys[name].span, tuple(self.lists[name]))

    def make_root(self) -> YamlMapping:
        """Return the sections as one mapping, like the content of a single file."""
        nodes = ((key, self.find(name)) for name, key in self.keys.items())
        return YamlMapping(NOWHERE, tuple((key, node) for key, node in nodes if node is not None))


# ---------------------------------------------------------------- items of lists


def get_id(node: YamlNode) -> YamlScalar | None:
    """Return the name of a list item, or None if it has none.

    A mapping, such as a phase, is named by its ``id``, which must be a scalar. A scalar, such as a layer, is its own
    name.
    """
    id = node.get("id") if isinstance(node, YamlMapping) else node
    return id if isinstance(id, YamlScalar) else None


def walk_items(nodes: Iterable[YamlNode]) -> Iterator[YamlNode]:
    """Yield phases and their descendants, in preorder."""
    for node in nodes:
        yield node
        children = node.get("phases") if isinstance(node, YamlMapping) else None
        if isinstance(children, YamlSequence):
            yield from walk_items(children.items)


def replace_item(nodes: Iterable[YamlNode], id: str, replacement: Iterable[YamlNode]) -> Iterator[YamlNode]:
    """Yield list items in order, with those of ``replacement`` in place of the one called ``id``.

    Phases inside other phases are found, too. If no item has the id, all items stay.
    """
    for node in nodes:
        item_id = get_id(node)
        if item_id is not None and item_id.text == id:
            yield from replacement
        elif isinstance(node, YamlMapping) and isinstance(children := node.get("phases"), YamlSequence):
            phases = YamlSequence(children.span, tuple(replace_item(children.items, id, replacement)))
            yield YamlMapping(
                node.span, tuple((key, phases if key.text == "phases" else value) for key, value in node.entries)
            )
        else:
            yield node


# ---------------------------------------------------------------- pack


Refusal = tuple[Code, str, Span, str]
"""The reason why a pack can't be applied: the code, message, span and hint of a diagnostic."""


def build_pack_decl(section: YamlNode | None, replaces: tuple[Word, ...] = ()) -> PackDecl:
    """Return the declaration of a pack with the texts at ``name`` and ``about`` in its section ``pack``, or ""."""
    return PackDecl(_get_text(section, "name"), _get_text(section, "about"), replaces)


def refuse_pack_as_game(roots: Sequence[YamlMapping], section: YamlNode | None) -> Refusal | None:
    """Return why files can't be played as a game, because they are a pack.

    ``section`` is the section ``pack``, or None. Returns None if there is no such section, or if any file has a section
    ``game``. The result is (KEYS_EXCLUDE, message, span of the key ``pack``, hint). The message is ``NAME is a pack for
    `GAME`, not a game``, and the hint ``add it to the game: `lusory check GAME --with PACK` ``. NAME is the text at
    ``name`` in ``section``, or ``this``. GAME is the text at ``for``, or "" without it. PACK is the folder of the
    pack's file, or the file itself if its path has no folder.
    """
    if section is None or any(root.get("game") is not None for root in roots):
        return None
    game, place = _get_text(section, "for"), PurePath(section.span.source.name)
    pack = place if place.parent == PurePath() else place.parent
    message = f"{_get_text(section, 'name') or 'this'} is a pack for `{game}`, not a game"
    hint = f"add it to the game: `lusory check {game} --with {pack}`"
    return codes.KEYS_EXCLUDE, message, _get_key_span(roots, "pack"), hint


def refuse_misfit(roots: Sequence[YamlMapping], section: YamlNode | None, game: YamlNode | None) -> Refusal | None:
    """Return why a pack can't extend a game, as (code, message, span, hint), or None if it can.

    ``roots`` are the pack's files, ``section`` is its section ``pack``, and ``game`` the section ``game`` of the game.
    The first of these reasons is returned:

    - KEYS_EXCLUDE at the key ``game``: the pack has a section ``game`` but neither ``pack`` nor ``replaces``.
    - VALUE_NOT_ALLOWED at ``for``, or at ``section`` without it: ``for`` is not the game's id.
    - VALUE_NOT_ALLOWED at ``for_version``: it is not the game's version or its first parts. 1.2 fits 1.2 and 1.2.3, but
      not 1.20. A pack without it fits every version.

    If ``section`` is no mapping, or ``game`` is None, only the first can apply.
    """
    own_game = next((node for root in roots if (node := root.get("game")) is not None), None)
    if section is None and own_game is not None and not any(root.get("replaces") for root in roots):
        message = f"{_get_text(own_game, 'name') or 'this'} is a whole game, not a pack for {_get_text(game, 'name')}"
        hint = "play it by itself; a pack has a section `pack` and no `game`"
        return codes.KEYS_EXCLUDE, message, _get_key_span(roots, "game"), hint
    if not isinstance(section, YamlMapping) or game is None:
        return None
    required_id, id = _get_text(section, "for"), _get_text(game, "id")
    if required_id != id:
        message = f"this pack is made for `{required_id}`, not for `{id}`"
        hint = "add it to the game it is made for"
        return codes.VALUE_NOT_ALLOWED, message, _get_span(section, "for"), hint
    required_version, version = _get_text(section, "for_version"), _get_text(game, "version")
    if required_version and required_version != version and not version.startswith(f"{required_version}."):
        message = f"this pack is made for version {required_version} of `{id}`, and this is {version}"
        hint = f'see what has changed; if it fits, write `for_version: "{version}"`'
        return codes.VALUE_NOT_ALLOWED, message, _get_span(section, "for_version"), hint
    return None


def _get_text(node: YamlNode | None, key: str) -> str:
    value = node.get(key) if isinstance(node, YamlMapping) else None
    return value.text.strip() if isinstance(value, YamlScalar) else ""


def _get_span(node: YamlMapping, key: str) -> Span:
    value = node.get(key)
    return node.span if value is None else value.span


def _get_key_span(roots: Iterable[YamlMapping], key: str) -> Span:
    return next(key_node.span for root in roots if (key_node := root.get_key(key)) is not None)


# ---------------------------------------------------------------- extends

_NAMED = {
    "enums": "enum",
    "tables": "table",
    "options": "option",
    "zones": "zone",
    "components": "kind",
    "windows": "window",
    "menus": "menu",
}
"""Section with declarations that can be extended -> the word for one declaration."""

_CONTENTS = {"tables": "values", "menus": "actions"}
"""Section whose extensions list what belongs under one key of the declaration -> that key."""

_WHOLE = {"scoring": "scoring", "view": "view", "resources": RESOURCE}
"""Section that can be extended as a whole -> its name in messages."""


class Extension:
    """Apply the section ``extends`` of packs to the merged sections of a ruleset.

    Reports an extension of something that doesn't exist, and an addition that exists. Example: with ``extends: {enums:
    {Suit: [stars]}}``, the enum ``Suit`` gets a last value ``stars``.
    """

    def __init__(self, sections: Sections, diagnostics: Diagnostics) -> None:
        self.sections = sections
        self.diagnostics = diagnostics

    def add(self, extends: YamlNode | None) -> None:
        """Apply the section ``extends`` of one file that passed the schema, key by key. None applies nothing.

        ``players`` replaces the number of players, ``setup`` is collected to run after the ruleset's own, and phases
        are inserted. All other sections get further entries.
        """
        for key, value in iterate_named_entries(extends):
            if key.text == "players":
                game = self.sections.single.get("game")
                entries = (
                    (name, value if name.text == "players" else old_value) for name, old_value in list_entries(game)
                )
                if game is not None:
                    self.sections.single["game"] = YamlMapping(game.span, tuple(entries))
            elif key.text == "setup":
                assert isinstance(value, YamlScalar)
                self.sections.more_setups.append(value.embedded_text)
            elif key.text == "phases":
                self._insert_phases(value)
            elif key.text in _WHOLE:
                self._extend_section(key, value)
            else:
                for name, extension in iterate_named_entries(value):
                    self._extend_declaration(key.text, name, extension)

    def _insert_phases(self, places: YamlNode) -> None:
        """Insert phases before or after an existing one."""
        assert isinstance(places, YamlSequence)
        for place in places.items:
            assert isinstance(place, YamlMapping)
            before, after, phases = (place.get(key) for key in ("before", "after", "phases"))
            neighbour = before or after
            assert isinstance(neighbour, YamlScalar)
            assert isinstance(phases, YamlSequence)
            all_phases = self.sections.lists.get("phases", [])
            known_phases = {id.text: node for node in walk_items(all_phases) if (id := get_id(node))}
            if neighbour.text not in known_phases:
                self._report_misfit(
                    f"there is no phase `{neighbour.text}`", neighbour.span, suggest_name(neighbour.text, known_phases)
                )
                continue
            neighbour_phase = known_phases[neighbour.text]
            replacement = (neighbour_phase, *phases.items) if before is None else (*phases.items, neighbour_phase)
            self.sections.lists["phases"] = list(replace_item(all_phases, neighbour.text, replacement))

    def _extend_section(self, key: YamlScalar, value: YamlNode) -> None:
        section = self.sections.find(key.text)
        if section is None:
            hint = f"declare it: write `{key.text}` at the left margin"
            self._report_misfit(f"the ruleset has no `{key.text}` to extend", key.span, hint)
            return
        self.sections.single[key.text] = self._merge(_WHOLE[key.text], section, value)

    def _extend_declaration(self, section: str, name: YamlScalar, extension: YamlNode) -> None:
        """Extend one declaration."""
        declarations = self.sections.declarations.get(section, {})
        if name.text not in declarations:
            hint = suggest_name(name.text, declarations) or f"declare it under `{section}`"
            self._report_misfit(f"there is no {_NAMED[section]} `{name.text}` to extend", name.span, hint)
            return
        key, node = declarations[name.text]
        list_depth = -1
        if section in _CONTENTS:
            content_key = _make_scalar(_CONTENTS[section], _CONTENTS[section], name.span)
            extension = YamlMapping(extension.span, ((content_key, extension),))
        if section == "tables" and _get_text(node, "type").startswith("List"):
            per = node.get("per") if isinstance(node, YamlMapping) else None
            list_depth = 1 + (len(per.items) if isinstance(per, YamlSequence) else 1)
        declarations[name.text] = (key, self._merge(name.text, node, extension, list_depth))

    def _merge(self, name: str, first: YamlNode, second: YamlNode, list_depth: int = -1) -> YamlMapping:
        """Merge two mappings recursively, and concatenate lists that both have.

        Plain lists of names count as mappings. ``list_depth`` is the depth at which mappings are lists of counted
        items. -1: none."""
        entries: dict[str, Entry] = {key.text: (key, value) for key, value in iterate_named_entries(first)}
        for key, value in iterate_named_entries(second):
            old_entry = entries.get(key.text)
            if old_entry is None:
                entries[key.text] = (key, value)
            elif list_depth == 1 or (isinstance(old_entry[1], YamlSequence) and isinstance(value, YamlSequence)):
                entries[key.text] = (old_entry[0], _concatenate(old_entry[1], value))
            elif isinstance(old_entry[1], YamlMapping) and isinstance(value, YamlMapping):
                entries[key.text] = (old_entry[0], self._merge(name, old_entry[1], value, list_depth - 1))
            else:
                message = f"`{key.text}` of `{name}` is declared twice"
                hint = "rename it, or list it under `replaces` if the pack changes it"
                notes = [(old_entry[0].span, "first declared here")]
                self.diagnostics.add(codes.DECLARED_TWICE, message, key.span, hint, notes)
        return YamlMapping(first.span, tuple(entries.values()))

    def _report_misfit(self, message: str, span: Span, hint: str | None) -> None:
        self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, span, hint)


def _concatenate(first: YamlNode, second: YamlNode) -> YamlNode:
    """Concatenate two lists. If one of them counts its items, the result does too."""
    if isinstance(first, YamlSequence) and isinstance(second, YamlSequence):
        return YamlSequence(first.span, (*first.items, *second.items))
    return YamlMapping(first.span, (*_iterate_counted(first), *_iterate_counted(second)))


def _iterate_counted(node: YamlNode) -> Iterator[Entry]:
    if isinstance(node, YamlMapping):
        yield from node.entries
    else:
        yield from ((name, _make_scalar("1", 1, name.span)) for name, _ in iterate_named_entries(node))


def _make_scalar(text: str, value: int | str, span: Span) -> YamlScalar:
    return YamlScalar(span, value, text, "")
