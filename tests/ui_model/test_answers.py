"""Test the texts before and beside a decision: answers to ``why`` and ``look``, and the preview of each option.

Each case of ``answers.yaml`` is a position with its texts:

- The position comes from a game or a ruleset, perhaps changed or with a block in the game of ``fair.yaml``. A case also
  has a seed, the decisions so far, and the seat that asks.
- ``words`` are rules in words.
- ``why``, ``reasons`` and ``look`` hold the lines that answer each question.
- ``options`` holds the text after the label of each option, and ``texts`` the text that is printed for it.
"""

from __future__ import annotations

from typing import Any

import pytest
from fair import RULES, read_preview
from programs import build_program, load_bundled, read_data, replace_texts

from lusory.explain.styled_text_wrapping_and_values import Line, to_text
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.model.look_and_why import describe_reasons, describe_thing, explain_why_not
from lusory.ui.model.screen_builder import build_screen

DATA = read_data(__file__)
RULESETS = DATA["rulesets"] | {"fair": RULES}
NAMES = ("Ann", "Bob")


def create_match(case: dict[str, Any]) -> Match:
    rules = replace_texts(RULESETS[case.get("rules", "fair")], case.get("change", ()))
    block = "".join(f"        {line}\n" for line in case.get("block", "").splitlines())
    program = load_bundled(case["game"]) if "game" in case else build_program(rules.replace("BLOCK\n", block))
    game = Game(program, case["players"])
    bots = [create_bot("random", 1, seat) for seat in range(game.players)]
    return Match(game, bots, case.get("seed", 1), case.get("picks", ()))


def flatten_lines(lines: tuple[Line, ...] | list[Line]) -> list[str] | str:
    """Return lines as text, or the text itself if there is only one line."""
    line_texts = [to_text(line) for line in lines]
    return line_texts[0] if len(line_texts) == 1 else line_texts


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["test"])
def test_answers(case: dict[str, Any]) -> None:
    match, seat = create_match(case), case.get("seat", 0)
    game, state, names = match.game, match.state, NAMES[: match.game.players]
    view, question = game.view(state, seat), build_screen(match, seat, names).question
    for expected, lines in case.get("why", {}).items():
        assert flatten_lines(explain_why_not(expected, game, state, question, names)) == lines
    for expected, lines in case.get("reasons", {}).items():
        assert flatten_lines(describe_reasons(expected, game, state, question, names)) == lines
    for expected, lines in case.get("look", {}).items():
        assert flatten_lines(describe_thing(expected, view, names, case.get("words", {}).get)) == lines
    options = question.options if question is not None else ()
    if "options" in case:
        assert {option.words: read_preview(option) for option in options} == case["options"]
    if "texts" in case:
        assert {option.words: to_text(option.text) for option in options if option.text} == case["texts"]
