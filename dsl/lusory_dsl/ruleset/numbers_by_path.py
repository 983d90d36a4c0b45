"""Find whole numbers in the data of a ruleset by their path of keys, and replace them.

For example, ``cards.imp.fields.cost`` is the number under the key ``cost`` of the fields of the card ``imp``. It may be
in any file, or in a spreadsheet. An item of a list is selected by its ``id``, or by its position from 1. Numbers inside
effect text have no path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..source.diagnostics import Diagnostics, Edit, apply_edits
from ..source.ruleset_files_fingerprints_and_text_lock import RulesetFiles
from ..source.source import Span
from ..source.spelling_suggestions import suggest_name
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence
from .loader_and_merging_of_files_and_packs import read_place
from .spreadsheets import FIELDS, SheetCard

_WHOLE = re.compile(r"(['\"]?)(-?[0-9]{1,9})\1", re.ASCII)


class NoNumber(Exception):
    """Raised if a path leads to no whole number, or to several. ``hint`` suggests a correction."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Number(NamedTuple):
    """A whole number of a ruleset: its path of keys and its position in the source."""

    path: str
    value: int
    span: Span


def find_numbers(places: Sequence[RulesetFiles], paths: Sequence[str]) -> list[Number]:
    """Return the number at each path, with its path, value and span, in the order of the paths.

    A path is keys joined by dots, such as ``cards.imp.copies``; an item of a list has its ``id`` or its position from 1
    in its file as key. ``places`` are a ruleset, which must be valid, and its packs. A number has at most nine digits.
    It may be negative or in quotes. Raises :class:`NoNumber` for the first path that leads to nothing or to no whole
    number of this form. Also raises it for values in several files, as when a pack replaces one.
    """
    diagnostics = Diagnostics()  # the ruleset has been checked already
    roots = [file.root for place in places for file in read_place(place, diagnostics) if file.root is not None]
    return [_find_number(roots, path) for path in paths]


def replace_numbers(places: Sequence[RulesetFiles], new_values: Mapping[Number, int]) -> tuple[RulesetFiles, ...]:
    """Return the files of a ruleset and its packs with the given numbers replaced in their text.

    Other text and files that could not be read stay the same. But a changed file loses its byte order mark, and its
    line breaks become line feeds. The result holds no text locks, and no lists of files that are not read.
    """
    texts = apply_edits(Edit(number.span, str(value)) for number, value in new_values.items())
    return tuple(RulesetFiles(place.path, place.with_texts(texts).files) for place in places)


def _find_number(roots: Sequence[YamlMapping], path: str) -> Number:
    """Return the number at a path such as ``variables.gold.start``, in the one file that holds it.

    Raises NoNumber, with a hint, if a key doesn't exist, several files have the path, or it leads to no whole number.
    """
    nodes: list[YamlNode] = list(roots)
    for key in path.split("."):
        children = [node for parent in nodes if (node := _get_child(parent, key)) is not None]
        if not children:
            known_keys = {name for parent in nodes for name in _list_keys(parent)}
            hint = suggest_name(key, known_keys) or f"there are: {', '.join(sorted(known_keys)[:12]) or 'no keys'}"
            raise NoNumber(f"nothing in the ruleset is called `{path}`: there is no `{key}`", hint)
        nodes = children
    if len(nodes) > 1:
        raise NoNumber(f"`{path}` stands in several places", "name more keys, down to one number")
    (node,) = nodes
    match = _WHOLE.fullmatch(node.span.text)
    if not isinstance(node, YamlScalar) or match is None:
        keys = sorted(_list_keys(node))[:12]
        text_hint = "a number inside of a text of the rules has no name: make it an option or a table"
        raise NoNumber(f"`{path}` is no whole number", f"go on with one of: {', '.join(keys)}" if keys else text_hint)
    return Number(path, int(match[2]), node.span)


def _get_child(node: YamlNode, key: str) -> YamlNode | None:
    """Return the value under a key of a mapping, or the item of a list with this ``id`` or number (from 1), or None.

    A card of a sheet is its own ``fields``.
    """
    if isinstance(node, SheetCard) and key == FIELDS:
        return node  # the columns of a sheet are not grouped
    if isinstance(node, YamlMapping):
        return node.get(key)
    if isinstance(node, YamlSequence):
        for number, item in enumerate(node.items, 1):
            if isinstance(item, YamlMapping):
                name = item.get("id")
                if isinstance(name, YamlScalar) and name.text == key:
                    return item
            if str(number) == key:
                return item
    return None


def _list_keys(node: YamlNode) -> list[str]:
    if isinstance(node, YamlMapping):
        return [key.text for key, _ in node.entries]
    if isinstance(node, YamlSequence):
        return [str(number + 1) for number in range(len(node.items))]
    return []
