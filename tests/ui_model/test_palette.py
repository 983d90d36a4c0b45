"""Colours are told apart by people who see no red or no green, and seen on black.

How they see them is worked out as by F. Viénot, H. Brettel and J. Mollon, "Digital video colourmaps for checking the
legibility of displays by dichromats" (1999); distances are those of CIELAB, contrast that of the Web Content
Accessibility Guidelines.
"""

from __future__ import annotations

from itertools import combinations
from operator import mul

import pytest
from programs import load_bundled

from lusory.explain.styled_text_wrapping_and_values import (
    COLOURS,
    SEATS,
    SHADES,
    Run,
    get_hex,
    get_seat_colour,
    to_text,
)
from lusory.game import Game
from lusory.ui.model.panel_builder_and_value_looks import Looks
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

Triple = tuple[float, float, float]

CONES = {
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no red": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "no green": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}
"""The share of linear red, green and blue that each kind of eye sees."""

XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1.0, 1.089)
LEAST_DISTANCE, LEAST_CONTRAST = 12.0, 3.0


def linearize(colour: str) -> Triple:
    parts = [int(get_hex(colour)[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in parts)
    return red, green, blue


def multiply(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    x, y, z = (sum(map(mul, row, vector)) for row in matrix)
    return x, y, z


def convert_to_lab(colour: str, eyes: str) -> Triple:
    colour_seen = multiply(XYZ, multiply(CONES[eyes], linearize(colour)))
    shares = (max(value / white, 0) for value, white in zip(colour_seen, WHITE, strict=True))
    x, y, z = (share ** (1 / 3) if share > 0.008856 else 7.787 * share + 16 / 116 for share in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def measure_distance(first: str, second: str, eyes: str) -> float:
    pairs = zip(convert_to_lab(first, eyes), convert_to_lab(second, eyes), strict=True)
    return float(sum((x - y) ** 2 for x, y in pairs) ** 0.5)


@pytest.mark.parametrize("eyes", CONES)
def test_any_two_colours_are_distinguishable(eyes: str) -> None:
    gaps = {pair: measure_distance(*pair, eyes) for pair in combinations(COLOURS, 2)}

    assert not {pair: gap for pair, gap in gaps.items() if gap < LEAST_DISTANCE}


def test_each_colour_is_visible_on_black_and_on_a_square() -> None:
    def get_light(colour: str) -> float:
        return multiply(XYZ, linearize(colour))[1]

    for colour in COLOURS:
        assert (get_light(colour) + 0.05) / 0.05 >= LEAST_CONTRAST, colour
        for ground in SHADES:
            assert (get_light(colour) + 0.05) / (get_light(ground) + 0.05) >= 2, colour


def test_seats_have_different_colours() -> None:
    assert sorted(SEATS) == sorted(COLOURS)
    assert get_seat_colour(0) != get_seat_colour(1) and get_seat_colour(0) == get_seat_colour(len(SEATS))


@pytest.mark.parametrize("name", find_bundled_rulesets())
def test_no_two_values_differ_by_colour_alone(name: str) -> None:
    """The full and the short forms of an enum's values differ in their letters."""
    game = Game(load_bundled(name), engine="evaluator")  # it starts immediately
    looks = Looks(game.view(game.start(1), None), tuple(f"P{seat + 1}" for seat in range(game.players)))
    for enum in game.program.enums.values():
        for is_short in (False, True):
            texts = [
                to_text(looks.apply_styles((Run(value.label, of=f"{enum.name}:{value.name}"),), is_short)).strip()
                for value in enum.values
            ]
            duplicates = [text for text in texts if not text or texts.count(text) > 1]
            assert not duplicates, (enum.name, is_short)
