"""The colours of a table: eight that people tell apart who see no red or no green, on a dark ground.

After the palette of Okabe and Ito (*Color Universal Design*, 2008), its blue and its grey made lighter. A colour only
repeats what a word or sign says.
"""

from __future__ import annotations

COLOURS = {
    "red": "#d55e00",
    "orange": "#e69f00",
    "yellow": "#f0e442",
    "green": "#009e73",
    "sky": "#56b4e9",
    "blue": "#4477d4",
    "purple": "#cc79a7",
    "grey": "#bbbbbb",
}
"""Name → red, green and blue as eight bits each, in hexadecimal."""

SHADES = {"shade": "#303030"}
"""Grounds of squares: names that only boards use."""

SEATS = ("sky", "yellow", "green", "purple", "orange", "red", "blue", "grey")


def hex_of(colour: str) -> str:
    """Red, green and blue of a name, as ``#rrggbb``; other names of colours, which a terminal knows, as they are."""
    return COLOURS.get(colour) or SHADES.get(colour, colour)


def seat_colour(seat: int) -> str:
    """The colour of a player."""
    return SEATS[seat % len(SEATS)]
