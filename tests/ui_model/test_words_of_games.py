"""What the tables of shipped games say: options with their consequences, and results with their reasons."""

from __future__ import annotations

from collections.abc import Iterator

from full_table import match_of

from lusory.play.match import Match
from lusory.state.event_log import counter_label
from lusory.ui.model.build import screen_of
from lusory.ui.model.screen import Question
from lusory.ui.model.styled_text import plain
from lusory.view.seat_view import View

NAMES = ("P1", "P2", "P3", "P4")


def questions(name: str, players: int, seed: int, most: int = 200) -> Iterator[tuple[Match, Question]]:
    """Yield the questions of a game among random bots, each with the match that stands at it."""
    match = match_of(name, people=0, seed=seed, players=players)
    for _ in range(most):
        if match.decision is None:
            return
        question = screen_of(match, match.decision.seat, NAMES[:players]).question
        assert question is not None
        yield match, question
        match.step()


def story(name: str, players: int, seed: int) -> list[str]:
    """Return the whole story of a game as a spectator hears it."""
    match = match_of(name, people=0, seed=seed, players=players)
    match.play()
    return [plain(deed.line) for deed in screen_of(match, None, NAMES[:players], 0).story]


def test_love_letter_warns_of_cards_that_do_nothing_or_put_you_out() -> None:
    asked = [question for seed in range(12) for _, question in questions("love-letter", 2, seed, 60)]
    labels = {option.words for question in asked for option in question.options}
    assert "Play Princess (you would be out)" in labels and "Play Princess" not in labels
    assert "Play Guard (nothing happens: all other players are safe)" in labels and "Play Guard" in labels
    assert "Play Prince (you can only choose yourself)" in labels
    assert not any("Handmaid (" in label or "Countess (" in label for label in labels)


def test_love_letter_says_why_a_player_wins_a_round() -> None:
    won = [
        line.partition(": ")[2] for seed in range(6) for line in story("love-letter", 2, seed) if "wins the r" in line
    ]
    assert any(reason == "all others are out" for reason in won)
    assert any(" beats " in reason and reason.split()[1].isdecimal() for reason in won)
    assert all(won)


def test_empire_engine_says_what_an_action_lacks() -> None:
    lacking = {"Attack": "soldier", "Export": "good"}
    found = set()
    for seed in range(4):
        for match, question in questions("empire-engine", 2, seed):
            assert match.decision is not None
            ready = match.game.view(match.state, match.decision.seat)
            for option in question.options:
                action, _, note = option.words.partition(": ")[2].partition(" (")
                if not option.words.startswith("Lay ") or "boosted" in option.words or action not in lacking:
                    continue
                held = pool_of(ready, lacking[action])
                assert bool(note) == (held == 0), option.words
                found.add(note)
    assert {"", "wasted: no Soldier)", "wasted: no Goods)"} <= found
    assert {"wasted unless you also Arm)", "wasted unless you also Produce)"} <= found


def pool_of(view: View, kind: str) -> int:
    """Return how many ready counters of a kind the viewer has."""
    layout, seat = view.setting.layout, view.seat
    pool = view.setting.program.pools["ready"]
    number = next(n for n in pool.kinds if counter_label(view.setting, "ready", n, 1).casefold() == kind)
    held = view.redacted.cells[layout.place("ready").at((seat, number))]
    assert isinstance(held, int)
    return held
