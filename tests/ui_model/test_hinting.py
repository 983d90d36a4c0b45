"""Test that a hint names the best option, its value and what follows, and reveals nothing hidden."""

from __future__ import annotations

from programs import build_program, load_bundled, read_data

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import ENGINES, Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.search.option_evaluation import ComparedOption, OptionEvaluation
from lusory.search.root_bandits_and_paired_comparison import Comparison
from lusory.ui.model.search_hint import _format_value_of_option, write_hint
from lusory.ui.session.match_service_answering_seat_requests import MatchService
from lusory.ui.session.messages import Ask, Note, Told

DATA = read_data(__file__)

NAMES = ("Ann", "Bob")


def create_match(name: str, *picks: int) -> Match:
    game = Game(load_bundled(name))
    return Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1, picks)


def test_hint_names_a_win_and_what_follows() -> None:
    match = create_match("tic-tac-toe", 0, 2, 0, 1)  # P1 holds 0 and 1, P2 holds 3 and 4: square 2 wins
    before = match.state.copy()
    lines = [to_text(line) for line in write_hint(match, 0, NAMES)]
    assert lines[:5] == DATA["hint names a win and what follows"]
    assert lines[5] == "Not as good:"
    assert [to_text(line) for line in write_hint(match, 0, NAMES)] == lines
    assert match.state == before


STEPS = DATA["steps"]
"""Two of three options are equal except for chance, and the first of them does nothing."""


def test_equal_options_are_named_and_the_active_one_comes_first() -> None:
    game = Game(build_program(STEPS))
    match = Match(game, [create_bot("random", 1, 0)], 1)
    lines = [to_text(line) for line in write_hint(match, 0, ("Ann",))]
    assert lines[0] == "These are about as good as each other:"
    climb, wait, fall = (next(n for n, line in enumerate(lines) if line.strip().startswith(word)) for word in WORDS)
    assert climb < wait < lines.index("Not as good:") < fall
    assert lines[wait + 1] == "    nothing comes of it now"
    assert lines[climb + 1] == "    Good luck: 0 → 1."
    assert lines[climb + 2].startswith("    Height, on average ")
    assert any(line.startswith("    then probably: ") for line in lines)


WORDS = ("Climb", "Wait", "Fall")


def test_option_that_may_be_as_good_is_listed_apart() -> None:
    rules = STEPS.replace("increase luck by 1", "roll more in 0..400; increase height by more - 195")
    match = Match(Game(build_program(rules)), [create_bot("random", 1, 0)], 1)
    lines = [to_text(line) for line in write_hint(match, 0, ("Ann",))]
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads == ["Probably best:", "Perhaps as good:", "Not as good:"]
    assert lines[1] == "  Climb" and lines[lines.index("Perhaps as good:") + 1] == "  Wait"


def test_only_the_deciding_seat_gets_a_hint() -> None:
    match = create_match("tic-tac-toe")
    assert [to_text(line) for line in write_hint(match, 1, NAMES)] == ["It is not your turn."]


def test_hint_with_hidden_cards_names_the_next_seat() -> None:
    lines = [to_text(line) for line in write_hint(create_match("kuhn-poker"), 0, NAMES)]
    assert sum("pays" in line for line in lines) == 2
    assert "    then probably: Bob decides" in lines


def test_hint_is_the_same_on_the_evaluator() -> None:
    tables = [Game(load_bundled("kuhn-poker"), engine=engine) for engine in ENGINES]
    matches = [Match(game, [create_bot("random", 1, seat) for seat in range(2)], 1) for game in tables]
    in_evaluator, in_code = ([to_text(line) for line in write_hint(match, 0, NAMES)] for match in matches)
    assert in_evaluator == in_code
    assert sum("pays" in line for line in in_evaluator) == 2


def test_hints_need_a_local_player() -> None:
    service = MatchService(create_match("tic-tac-toe"), NAMES, str, lambda name: None)
    local, remote = (service.apply_request(0, Ask(1, "hint", ""), is_remote) for is_remote in (False, True))
    assert isinstance(local, Told)
    assert isinstance(remote, Note)


def test_values_use_the_words_of_the_game() -> None:
    """A value comes with its interval. A game that is not searched to its end has no chance of winning."""
    option = ComparedOption(OptionEvaluation(0, 0.5, 0.9, 0.3), Comparison(0, 0.5, 0.1, 0.0, 0.0), 0.0, 0.0)
    games = {name: create_match(name).game for name in ("love-letter", "kuhn-poker", "demesne")}
    assert _format_value_of_option(games["love-letter"], option) == "chance to win 50% (40% to 60%)"
    assert _format_value_of_option(games["kuhn-poker"], option) == "pays +0.5 on average (+0.4 to +0.6)"
    assert _format_value_of_option(games["demesne"], option) == "prospects 50% (40% to 60%), where even is 50%"
