"""The cards of a ruleset as the text of a sheet: what :mod:`lusory_dsl.ruleset.sheets` reads again.

What is printed on cards goes into it; what they do stays in YAML. What a spreadsheet would take for a formula is never
written: a ruleset may come from a stranger, and the sheet is opened by a program that does what formulas say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..language.types import is_whole
from . import model

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that spreadsheets take for a formula."""


class NoSheet(ValueError):
    """A card that can't stand in a sheet; the message says why."""


def sheet_of(ruleset: model.Ruleset) -> tuple[str, list[str]]:
    """All cards with what is printed on them, a row for each; and the fields that no cell can hold. Raises NoSheet."""
    kinds = [kind for kind in ruleset.components if any(c.kind.text == kind.name.text for c in ruleset.cards)]
    every = list(dict.fromkeys(name.text for kind in kinds for name, _ in kind.fields))
    beyond = [name.text for kind in kinds for name, type in kind.fields if _is_beyond_cells(type.text)]
    fields = [name for name in every if name not in beyond]
    types = {(kind.name.text, name.text): type.text for kind in kinds for name, type in kind.fields}
    keywords = any(_keywords(card) for card in ruleset.cards)
    columns = ["id", "kind", "label", "copies", *(["keywords"] if keywords else []), *map(_column, fields)]
    rows = [columns]
    for card in ruleset.cards:
        values = {name.text: value for name, value in card.fields}
        cells = [card.id.text, card.kind.text, card.label or "", str(card.copies)]
        cells += [" ".join(_keywords(card))] if keywords else []
        for field in fields:
            type = types.get((card.kind.text, field), "")
            cells.append(_cell(values[field], type.startswith("List")) if field in values else "")
        rows.append([_harmless(cell, card) for cell in cells])
    return "".join(",".join(map(_quoted, row)) + "\n" for row in rows), list(dict.fromkeys(beyond))


def _is_beyond_cells(type: str) -> bool:
    """Whether a cell can't hold values of a type: lists of lists, and lists of texts, which have blanks in them."""
    return type.count("List") > 1 or ("List" in type and "Text" in type)


def _column(field: str) -> str:
    return f"fields.{field}" if field in ("id", "kind", "label", "copies", "keywords") else field


def _keywords(card: model.CardDecl) -> list[str]:
    """The keywords that are data: with what is done, they stay in YAML."""
    found = [(name.text, value) for name, value in card.keywords if value is None or isinstance(value, model.Value)]
    found = [(name, value) for name, value in found if value is None or not isinstance(value.data, tuple)]
    return [name if value is None else f"{name}:{_plain(value)}" for name, value in found]


def _cell(value: model.Value, is_list: bool) -> str:
    if is_list and isinstance(value.data, tuple):
        return " ".join(_items(value))
    return _plain(value)


def _items(value: model.Value) -> Iterator[str]:
    assert isinstance(value.data, tuple)
    for item in value.data:
        if value.is_map:
            word, number = item
            yield from [word.text] * (number.data if isinstance(number.data, int) else 1)
        else:
            yield _plain(item)


def _plain(value: model.Value) -> str:
    if isinstance(value.data, bool):
        return str(value.data).lower()
    return "" if value.data is None or isinstance(value.data, tuple) else str(value.data)


def _harmless(cell: str, card: model.CardDecl) -> str:
    if cell.startswith(FORMULA) and len(cell.strip()) > 1 and not is_whole(cell):  # a lone sign does nothing
        raise NoSheet(f"`{card.id.text}` has the text `{cell}`, which a spreadsheet would take for a formula")
    return cell


def _quoted(cell: str) -> str:
    if any(mark in cell for mark in ',;\t"\n') or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def in_lines(cards: Sequence[model.CardDecl]) -> list[tuple[str, str, str, str]]:
    """Id, label, kind and number of cards for a list of them; a family in one line, under its id as written."""
    found: list[tuple[str, str, str, str]] = []
    families: dict[model.FamilyDecl, int] = {}
    for card in cards:
        number = card.copies
        label = card.label or ""
        if card.family is None:
            found.append((card.id.text, label, card.kind.text, str(number)))
        elif card.family not in families:
            alike = [other for other in cards if other.family is card.family]
            families[card.family] = len(alike)
            label = f"{alike[0].label or alike[0].id.text} … {alike[-1].label or alike[-1].id.text}"
            number = sum(other.copies for other in alike)
            found.append((card.family.id.text, label, card.kind.text, f"{number}, of {len(alike)} cards"))
    return found
