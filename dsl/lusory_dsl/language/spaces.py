"""What can be asked of boards: THE table of members of spaces, directions, seats, lines and lists of spaces.

Read by the checker, the reference and the words of rules. None of it is a function of an engine: each is an entry of a
constant table (:mod:`lusory_dsl.core.boards`).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Of = Literal["space", "direction", "seat", "line", "list"]


class SpaceMember(NamedTuple):
    """A row: ``subject.name(params)``. ``of``: what stands before the dot. ``params``: names and types of arguments.
    ``type``: of the value, where ``Square`` stands for the board and ``Compass`` for its directions. ``text``: its
    words, with the subject and the parameters in braces. ``example``: what is asked of :data:`EXAMPLE`, an arrow, and
    what it comes to."""

    name: str
    of: Of
    params: tuple[tuple[str, str], ...]
    type: str
    doc: str
    text: str
    example: str

    @property
    def signature(self) -> str:
        """How it is written, with types."""
        subject = {"space": "Square", "direction": "Compass", "seat": "Player", "line": "Line", "list": "List[Square]"}
        shown = ", ".join(f"{name}: {type}" for name, type in self.params)
        return f"{subject[self.of]}.{self.name}{f'({shown})' if shown else ''} -> {self.type}"


EXAMPLE = """\
game: {id: squares, name: Squares, version: "1", language: 2, players: 2}
boards:
  Square: {grid: 4 x 4, facing: [north, south], lines: {Three: 3}}
scoring: {rank: [me.seat]}
"""
"""The ruleset that the examples speak about."""


def _space(name: str, type: str, doc: str, text: str, example: str, **params: str) -> SpaceMember:
    return SpaceMember(name, "space", tuple(params.items()), type, doc, text, example)


def _seat(name: str, words: str, example: str) -> SpaceMember:
    doc = f"The direction {words}, as a seat looks at the board."
    return SpaceMember(name, "seat", (), "Compass", doc, f"the {words} of {{subject}}", example)


SYMMETRIES: dict[str, str] = {
    "mirrored": "left and right change places",
    "flipped": "top and bottom change places",
    "turned": "a quarter of a turn clockwise; of hexagons a sixth",
    "opposite": "half a turn",
    "transposed": "columns and rows change places",
}
"""The symmetries and what each does."""

_SPACES = (
    _space("column", "Int", "The column of a space, from 1.", "the column of {subject}", "b3.column → 2"),
    _space("row", "Int", "The row of a space, from 1.", "the row of {subject}", "b3.row → 3"),
    _space("rank", "Int", "The row as a seat sees it, which sits at row 1.", "the row of {subject} as {player} sees it",
        "b3.rank(players.last) → 2", player="Player"),
    _space("away", "Square?", "The next space in a direction, or the one so many steps away; `none` beside the board.",
        "the space {n} steps {d} of {subject}", "a1.away(north_east, 2) → c3", d="Compass", n="Int"),
    _space("ray", "List[Square]",
        "All spaces in a direction, the nearest first, without the space itself; on a ring once round.",
        "the spaces in line from {subject} in direction {d}, up to the edge", "b3.ray(east) → [c3, d3]", d="Compass"),
    _space("line", "List[Square]", "All spaces in a direction and its opposite, with the space itself.",
        "the spaces in line with {subject} in direction {d}", "b3.line(east) → [a3, b3, c3, d3]", d="Compass"),
    _space("beside", "List[Square]", "The spaces that share an edge with it, or are linked to it.",
        "the spaces beside {subject}", "a1.beside → [a2, b1]"),
    _space("corners", "List[Square]", "The spaces that touch it at a corner only.",
        "the spaces at the corners of {subject}", "a1.corners → [b2]"),
    _space("around", "List[Square]", "The spaces that touch it, along an edge or at a corner.",
        "the spaces around {subject}", "a1.around → [a2, b2, b1]"),
    _space("to", "Compass?", "The direction in which another space lies in a straight line, or `none`.",
        "the direction from {subject} to {other}", "a1.to(c3) → north_east", other="Square"),
    _space("between", "List[Square]", "The spaces between two in a straight line; none where they are in no line.",
        "the spaces between {subject} and {other}", "a1.between(d4) → [b2, c3]", other="Square"),
    *(
        _space(name, "Square", f"Where a space comes to: {does}.",
            "the opposite of {subject}" if name == "opposite" else f"{{subject}} {name}", f"a1.{name} → {to}")
        for (name, does), to in zip(SYMMETRIES.items(), ("d1", "a4", "a4", "d4", "a1"), strict=True)
    ),
)  # fmt: skip

_OTHERS = (
    SpaceMember("opposite", "direction", (), "Compass", "The other way.", "the opposite of {subject}",
        "north_east.opposite → south_west"),
    SpaceMember("turned", "direction", (("n", "Int"),), "Compass",
        "The direction so many steps further clockwise, of those that the boards have.", "{subject} turned by {n}",
        "north.turned(2) → east"),
    _seat("forward", "forward direction", "players.first.forward → north"),
    _seat("forward_left", "forward left", "players.first.forward_left → north_west"),
    _seat("forward_right", "forward right", "players.first.forward_right → north_east"),
    _seat("left", "left", "players.first.left → west"),
    _seat("right", "right", "players.first.right → east"),
    _seat("back", "backward direction", "players.first.back → south"),
    _seat("back_left", "back left", "players.first.back_left → south_west"),
    _seat("back_right", "back right", "players.first.back_right → south_east"),
    SpaceMember("spaces", "line", (), "List[Square]", "The spaces of a line, from end to end.",
        "the spaces of {subject}", "Three.a1_c3.spaces → [a1, b2, c3]"),
    SpaceMember("beside", "list", (), "List[Square]", "What shares an edge with a space of a list, and is not in it.",
        "the spaces beside {subject}", "[a1, b1].beside → [c1, a2, b2]"),
    SpaceMember("around", "list", (), "List[Square]", "What touches a space of a list, and is not in it.",
        "the spaces around {subject}", "[a1, a2].around → [b1, b2, a3, b3]"),
)  # fmt: skip

SPACE_MEMBERS: tuple[SpaceMember, ...] = (*_SPACES, *_OTHERS)

NAMED_LISTS: dict[str, tuple[str, ...]] = {
    "orthogonals": ("north", "east", "south", "west"),
    "diagonals": ("north_east", "south_east", "south_west", "north_west"),
}
"""Lists of directions that have a name."""


def members_of(of: Of) -> dict[str, SpaceMember]:
    """What can be asked of something, by its name."""
    return {row.name: row for row in SPACE_MEMBERS if row.of == of}
