"""Test that texts that are too long are refused while they are built, wherever a seat reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from fair import get_question
from programs import build_program, read_data

from lusory.game import Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.setting_value_limits_builtins_and_names import join_text
from lusory.ui.model.screen_builder import build_screen
from lusory.view.table_and_option_text import join_annotated

DATA = read_data(__file__)

RULES = DATA["rules"]
LONG = "{list(a * b for a in 1..300, b in 1..300)}"
NEARLY = "{n} {list(0 for a in 1..3000)}"  # 9,000 characters


def fill_rules(**texts: str) -> str:
    return RULES.format(**{"options": "3", "prompt": "Which?", "label": "{n}", "view": "{v}", **texts})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (fill_rules(label=LONG), "longer than 10,000"),
        (fill_rules(prompt=LONG), "longer than 10,000"),
        (fill_rules(view=LONG), "longer than 10,000"),
        (fill_rules(prompt='{if v = 0 then "{v} ' + LONG + '" else ""}'), "longer than 10,000"),
        (fill_rules(label=NEARLY, options="40"), "more than 300,000 characters together"),
    ],
)
def test_screen_with_a_too_long_text_is_refused(text: str, message: str) -> None:
    game = Game(build_program(text), 2)
    with pytest.raises(RulesetFault, match=message) as problem:
        build_screen(Match(game, [ScriptedPlayer(()), ScriptedPlayer(())]), 0, ("Ann", "Ben"))
    assert problem.value.span is not None
    with pytest.raises(RulesetFault, match=message):
        view = game.view(game.start(1), 0)
        view.table()
        view.prompt()
        view.option_labels()


def test_screen_with_long_texts_is_shown() -> None:
    game = Game(build_program(fill_rules(label=NEARLY, options="5")), 2)
    match = Match(game, [ScriptedPlayer(()), ScriptedPlayer(())])
    question = get_question(match, 0, ("Ann", "Ben"))
    assert len(question.options[4].words) == 9000


@pytest.mark.parametrize("join", [join_text, join_annotated])
def test_text_is_built_only_up_to_the_limit(join: Callable[[Iterable[str], str], str]) -> None:
    count = 0

    def generate_texts() -> Iterator[str]:
        nonlocal count
        for _ in range(100_000):
            count += 1
            yield "12345678"

    with pytest.raises(RulesetFault):
        join(generate_texts(), ", ")
    assert count == 1001
