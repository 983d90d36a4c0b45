"""Test the short forms of values on boards."""

from __future__ import annotations

from programs import build_program, read_data

from lusory import Game
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.ui.model.panel_builder_and_value_looks import abbreviate_label, build_panels
from lusory.ui.model.panel_lines import lay_out_panel
from lusory.ui.model.screen import Grid, Hand

DATA = read_data(__file__)

RULES = DATA["rules"]


def test_signs_abbreviate_labels_and_players() -> None:
    game = Game(build_program(RULES))
    names_by_sign = {"A": ("Anna", "Bob", "Cora"), "An": ("Anna", "Ada", "Cora"), "Anna1": ("Anna1", "Anna2", "Cora")}
    for first, names in names_by_sign.items():
        (panel,) = (grid for grid in build_panels(game.view(game.start(), 0), names) if isinstance(grid, Grid))
        cell = panel.rows[0].cells[0]
        assert cell is not None and to_text(cell.short[-1]) == f"{first}:Bake·1 {first}:KnDa·2"
        references = {run.of for run in cell.short[-1]} - {""}
        assert references == {"Card:baker", "Card:knife"}, "all of a sign stands for its card"


def test_panel_filter_does_not_change_its_item() -> None:
    game = Game(build_program(RULES))
    (hand,) = (panel for panel in build_panels(game.view(game.start(), 0), ("A", "B", "C")) if isinstance(panel, Hand))
    assert [to_text(line) for line in lay_out_panel(hand, 40)] == ["Dear", "Knife in the Dark 2"]


def test_labels_are_abbreviated_to_first_letters() -> None:
    labels = ("Baker", "Gutter Octopus", "Knife in the Dark", "of the Gold", "Fire 7 (swap)", "gold (yours)", "2", "")
    assert [abbreviate_label(label) for label in labels] == ["Bake", "GuOc", "KnDa", "Gold", "Fire", "gold", "2", ""]
    assert abbreviate_label("(yours)") == "(yours)", "without words before the brackets it stays as it is"
