"""Test the description of a space, or of another value that indexes places."""

from __future__ import annotations

from programs import build_program, read_data

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.ui.model.panel_builder_and_value_looks import build_panels
from lusory.ui.model.screen import Grid

DATA = read_data(__file__)

RULES = DATA["rules"]


def test_hidden_pieces_are_question_marks_on_the_board() -> None:
    view = 'view: {boards: [{title: Den, cells: "players.last.den[b1]", columns: 2, text: "{cell}"}]}'
    spots = Game(build_program(f"{RULES.replace('players.first', 'players.last')}{view}\n", "spots.yaml"), 2)
    for seat, name, reference in ((1, "Owl", "Beast:owl"), (0, "?", "")):
        panels = build_panels(spots.view(spots.start(), seat), ("Ann", "Bob"))
        (panel,) = [panel for panel in panels if isinstance(panel, Grid)]
        cell = panel.rows[0].cells[0]
        assert cell is not None and (to_text(cell.lines[0]), cell.of) == (name, reference)
