"""A ruleset whose squares are an enum → the same with a board in its place. Used by ``lusory fmt --boards``, which
shows it and writes nothing: whether both mean the same is for the caller to look at.

What goes is said by data alone: an enum of names such as `a1` in rows, tables that say a column, a row or what lies
beside each, and tables of steps or rays with an enum of directions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..core import shapes
from ..core.boards import COMPASS, DIRECTIONS, Board, Shape
from ..effect import nodes
from ..language.spaces import NAMED_LISTS
from ..text.diagnostics import Diagnostics
from ..text.records import dataclass, field
from ..text.source import Source
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text
from .fields import SchemaField
from .migrating import PARSERS, Edit, texts_of

SHAPES: tuple[tuple[str, Callable[[int, int], bool]], ...] = (
    ("", lambda column, row: True),
    (", only: (column + row) mod 2 = 0", lambda column, row: (column + row) % 2 == 0),
    (", only: (column + row) mod 2 = 1", lambda column, row: (column + row) % 2 == 1),
)
"""Which places of a grid can be told to exist, and how it is written."""

TYPED = ("fields", "params", "per", "type")
"""Keys behind which types stand."""

Entry = tuple[YamlScalar, YamlNode]


@dataclass
class _Offer:
    """What goes. ``members``: by table what is asked of a space in its place; ``directions``: enums that are those of
    the compass, and what is written for their list."""

    boards: dict[str, tuple[Board, str]] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    directions: dict[str, str] = field(default_factory=dict)


def with_boards(sources: Iterable[Source]) -> list[Source]:
    """The files of a ruleset, with its cases, with a board for each enum of squares; what can't be read stays."""
    read = [(source, read_text(source, Diagnostics())) for source in sources]
    offer = _offer([root for _, root in read if isinstance(root, YamlMapping)])
    return [source if root is None else _rewritten(source, root, offer) for source, root in read]


# ---------------------------------------------------------------- what can go


def _offer(roots: list[YamlMapping]) -> _Offer:
    offer = _Offer()
    enums = {key.text: names for root in roots for key, value in _entries(root, "enums") if (names := _words(value))}
    for name, names in enums.items():
        if (found := _board(name, names)) is not None:
            offer.boards[name] = found
    compass = {name: names for name, names in enums.items() if _are_directions(names)}
    tables = [(key.text, table) for root in roots for key, table in _entries(root, "tables")]
    for name, table in tables:
        if isinstance(table, YamlMapping) and (member := _member(table, offer, compass)) is not None:
            offer.members[name] = member
    for name, names in compass.items():
        of_it = {
            of for of, table in tables if isinstance(table, YamlMapping) and name in (_words(table.get("per")) or ())
        }
        if of_it and of_it <= offer.members.keys():
            lists = {**NAMED_LISTS, COMPASS: DIRECTIONS[COMPASS]}
            offer.directions[name] = next(
                (word for word, all in lists.items() if all == names), f"[{', '.join(names)}]"
            )
        else:
            for of in of_it:
                offer.members.pop(of, None)
    return offer


def _board(name: str, names: tuple[str, ...]) -> tuple[Board, str] | None:
    """The board whose spaces are these, in this order, and its shape as it is written."""
    places = [place for word in names if (place := shapes.place_of(word)) is not None]
    if len(places) < len(names):
        return None
    columns, rows = (max(place[axis] for place in places) for axis in (0, 1))
    if columns < 2 or rows < 2 or columns * rows > 4 * len(names):
        return None
    for only, exists in SHAPES:
        board = shapes.grid(name, Shape.GRID, columns, rows, exists, shapes.Extras())
        if board.names == names:
            return board, f"{{grid: {columns} x {rows}{only}}}"
    return None


def _are_directions(names: tuple[str, ...]) -> bool:
    known = DIRECTIONS[COMPASS]
    return set(names) <= set(known) and list(names) == sorted(names, key=known.index)


def _member(table: YamlMapping, offer: _Offer, compass: dict[str, tuple[str, ...]]) -> str | None:
    """What can be asked of a space that is just what a table says."""
    per, values = _words(table.get("per")) or (), table.get("values")
    if not per or per[0] not in offer.boards or not isinstance(values, YamlMapping):
        return None
    board = offer.boards[per[0]][0]
    rows = {key.text: value for key, value in values.entries}
    if set(rows) != set(board.names):
        return None
    of = [rows[name] for name in board.names]
    if len(per) == 1:
        return _of_space(board, of)
    return _of_direction(board, of, compass[per[1]]) if len(per) == 2 and per[1] in compass else None


def _of_space(board: Board, values: list[YamlNode]) -> str | None:
    numbers = [value.text for value in values if isinstance(value, YamlScalar)]
    for name, wanted in (("column", board.column), ("row", board.row)):
        if numbers == [str(number) for number in wanted]:
            return name
    lists = [set(names) for value in values if (names := _words(value)) is not None]
    for name, touching in (("beside", board.beside), ("corners", board.corners), ("around", board.around)):
        if lists == [{board.names[space] for space in spaces} for spaces in touching]:
            return name
    return None


def _of_direction(board: Board, values: list[YamlNode], names: tuple[str, ...]) -> str | None:
    said = [{key.text: value for key, value in v.entries} if isinstance(v, YamlMapping) else {} for v in values]
    lists = [[_words(of[name]) if name in of else None for name in names] for of in said]
    rays = [[tuple(board.names[s] for s in of[DIRECTIONS[COMPASS].index(name)]) for name in names] for of in board.rays]
    if lists == rays:
        return "ray"
    return "away" if lists == [[ray[:1] for ray in of] for of in rays] else None


# ---------------------------------------------------------------- what is written


def _rewritten(source: Source, root: YamlNode, offer: _Offer) -> Source:
    gone = {"enums": {*offer.boards, *offer.directions}, "tables": {*offer.members}}
    edits: list[Edit] = []
    if isinstance(root, YamlMapping) and offer.boards:
        for section, names in gone.items():
            edits += _without(source.text, root, section, names)
        boards = [key.text for key, _ in _entries(root, "enums") if key.text in offer.boards]
        edits += _declared(source.text, root, {name: offer.boards[name][1] for name in boards})
        taken = {
            id(entry) for section, names in gone.items() for key, entry in _entries(root, section) if key.text in names
        }
        edits += _types(root, offer, taken)
        for scalar, language in texts_of(root, SchemaField.of_file(root)):
            parsed = PARSERS[language](scalar.embedded(), Diagnostics()) if language in PARSERS else None
            for node in parsed if isinstance(parsed, tuple) else () if parsed is None else (parsed,):
                edits += _asked(source.text, node, offer)
    text = source.text
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return Source(source.name, text)


def _without(text: str, root: YamlMapping, section: str, names: set[str]) -> Iterator[Edit]:
    """A section without some of its entries; without itself, where nothing is left of it."""
    entries = list(_entries(root, section))
    going = [(key, value) for key, value in entries if key.text in names]
    if going and len(going) == len(entries):
        going = [entry for entry in root.entries if entry[0].text == section]
    for key, value in going:
        start = text.rfind("\n", 0, key.span.start) + 1
        end = text.find("\n", max(value.span.end - 1, key.span.end))
        yield start, len(text) if end < 0 else end + 1, ""


def _declared(text: str, root: YamlMapping, boards: dict[str, str]) -> Iterator[Edit]:
    """The boards, where the enums begin."""
    enums = next((key for key, _ in root.entries if key.text == "enums"), None)
    if enums is not None and boards:
        there = next(_entries(root, "boards"), None)
        at = text.rfind("\n", 0, (enums if there is None else there[0]).span.start) + 1
        lines = [f"  {name}: {shape}\n" for name, shape in boards.items()]
        yield at, at, "".join(["boards:\n", *lines] if there is None else lines)


def _types(node: YamlNode, offer: _Offer, taken: set[int], typed: bool = False) -> Iterator[Edit]:
    """The compass for the enums of directions, where types stand."""
    if id(node) in taken:
        return
    if isinstance(node, YamlScalar):
        written = node.span.source.text[node.span.start : node.span.end]
        for found in re.finditer(r"\w+", written) if typed else ():
            if found[0] in offer.directions:
                yield node.span.start + found.start(), node.span.start + found.end(), COMPASS
    elif isinstance(node, YamlMapping):
        for key, value in node.entries:
            yield from _types(value, offer, taken, typed or key.text in TYPED)
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from _types(item, offer, taken, typed)


def _asked(text: str, node: nodes.Node, offer: _Offer) -> Iterator[Edit]:
    """Members of spaces for what was read from tables, and lists of directions by their names."""
    match node:
        case nodes.Index(subject=nodes.Name(name=name), indices=(space, *way)) if name in offer.members:
            plain = isinstance(space, nodes.Name | nodes.Member | nodes.Index | nodes.Call)
            yield node.span.start, space.span.start, "" if plain else "("
            closing = f"{'' if plain else ')'}.{offer.members[name]}"
            yield space.span.end, way[0].span.start if way else node.span.end, closing + ("(" if way else "")
            if way:
                yield way[0].span.end, node.span.end, ")"
            for index in (space, *way):
                yield from _asked(text, index, offer)
            return
        case nodes.Member(subject=nodes.Name(name=name) as subject) if name in offer.directions:
            yield subject.span.start, subject.span.end, COMPASS
            return
        case nodes.Name(name=name) if name in offer.directions:
            yield node.span.start, node.span.end, offer.directions[name]
    for child in nodes.children(node):
        yield from _asked(text, child, offer)


# ---------------------------------------------------------------- reading


def _entries(root: YamlMapping, section: str) -> Iterator[Entry]:
    """What a section declares, an entry a line or more; nothing of one that is written in braces."""
    found = root.get(section)
    if isinstance(found, YamlMapping) and found.span.source.text[found.span.start] != "{":
        yield from found.entries


def _words(node: YamlNode | None) -> tuple[str, ...] | None:
    """The words of a list, or one by itself; `none` is none."""
    if isinstance(node, YamlSequence):
        items = [item.text for item in node.items if isinstance(item, YamlScalar)]
        return tuple(items) if len(items) == len(node.items) else None
    if isinstance(node, YamlScalar):
        return () if node.text == "none" else (node.text,)
    return None
