"""Test that a seat can undo until chance or a secret has told it something, whoever decided in between."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
import yaml
from programs import build_program, create_bundled_game, read_data

from lusory.evaluator.information_revealed_by_steps import measure_gain
from lusory.evaluator.statements_options_and_resumption import Evaluator
from lusory.game import ENGINES, Game
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.ui.model.screen_builder import explain_no_undo

DATA = read_data(__file__)

TEXTS = yaml.load(Path(__file__).with_name("undo.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
RULES, FINAL_CAUSES, UNDOABLE_CAUSES = TEXTS["rules"], TEXTS["stand"], TEXTS["can be taken back"]


def _create_match(rules: str, block: str, engine: str, seed: int = 1) -> Match:
    lines = "\n".join(f"      {line}" for line in block.splitlines())
    game = Game(build_program(rules.replace("BLOCK", lines)), 2, engine=engine)
    return Match(game, [create_bot(RANDOM, seed, seat) for seat in range(2)], seed)


def _play_decision(match: Match, continues: bool = True) -> None:
    """Let the first seat decide once. If ``continues`` is true, others decide until it is asked again."""
    while match.decision is not None and all(turn.seat != 0 for turn in match.turns):
        match.take(0)
    while continues and match.decision is not None and match.decision.seat != 0:
        match.take(0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cause", FINAL_CAUSES)
def test_decision_with_new_information_cannot_be_undone(cause: str, engine: str) -> None:
    for seed in range(4):
        match = _create_match(RULES, FINAL_CAUSES[cause], engine, seed)
        _play_decision(match)
        assert not match.can_undo(0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cause", UNDOABLE_CAUSES)
def test_decision_without_new_information_can_be_undone(cause: str, engine: str) -> None:
    match = _create_match(RULES, UNDOABLE_CAUSES[cause], engine)
    _play_decision(match, continues=False)
    assert match.can_undo(0)
    match.undo(0)
    assert match.turns == []


@pytest.mark.parametrize("block, hides_locals", [("first.peek()", False), ("let worth = last.hand.top.worth", True)])
def test_only_running_routines_hide_locals(block: str, hides_locals: bool) -> None:
    """An effect that has ended holds no local values."""
    effect = "  peek: {per: Player, do: let worth = players.last.hand.top.worth}\n"
    rules = RULES.replace("effects:\n", f"effects:\n{effect}")
    evaluator = Evaluator(_create_match(rules, f"{block}\nfirst.ask()", "evaluator").game.setting)
    before = evaluator.start(1, [])
    after = evaluator.apply(before, 0, [])
    assert measure_gain(evaluator, before, 0, after, 0) == (False, hides_locals)


def test_undo_includes_decisions_of_uninformed_others() -> None:
    """A deck that nobody sees hides nothing that tells a bot anything."""
    rules = RULES.replace("      each player: move take(deck, 2) to hand\n", "")
    rules = rules.replace(", visible: viewer is owner or open", "")
    match = _create_match(rules, FINAL_CAUSES["another, who knows more, decides in the open"], "compiled")
    _play_decision(match)
    assert [turn.seat for turn in match.turns] == [0, 1]
    assert match.can_undo(0)


def test_wrong_guess_cannot_be_undone() -> None:
    """Nothing moves, but the player has learned what the other does not hold."""
    game = create_bundled_game("love-letter")
    for seed in range(30):
        match, rnd = Match(game, [create_bot(RANDOM, seed, seat) for seat in range(2)], seed), Random(seed)
        while match.decision is not None and len(match.turns) < 30:
            labels = game.option_labels(match.state, match.decision)
            seat = match.decision.seat
            guesses = " has " in labels[0]
            match.take(rnd.randrange(len(labels)))
            if guesses:
                assert not match.can_undo(seat)
                return
    pytest.fail("nobody guessed")


def test_undo_stops_at_revealed_gears() -> None:
    """A Gear that another player laid face down before the decision is revealed after it."""
    match = Match(create_bundled_game("empire-engine"), [create_bot(RANDOM, 5, seat) for seat in range(2)], 5)
    n_turned = 0
    while match.decision is not None:
        was_open, seat = _are_gears_open(match), match.decision.seat
        match.take(0)
        if _are_gears_open(match) and not was_open:
            n_turned += 1
            assert not match.can_undo(seat)
            assert not match.can_undo(1 - seat)
    assert n_turned


def _are_gears_open(match: Match) -> bool:
    return bool(match.state.cells[match.game.layout.places["gears_open"].at(())])


@pytest.mark.parametrize(("cause", "reason"), DATA["refused undo has one short reason"])
def test_refused_undo_has_one_short_reason(cause: str, reason: str) -> None:
    match = _create_match(RULES, FINAL_CAUSES[cause], "compiled")
    _play_decision(match)
    words = explain_no_undo(match, 0)
    assert words == f"Your last decision stands: {reason}."
    assert len(words) < 80


def test_undo_after_the_end_is_refused() -> None:
    game = create_bundled_game("love-letter", 2)
    match = Match(game, [create_bot(RANDOM, 1, seat) for seat in range(2)], 1)
    match.play()
    assert explain_no_undo(match, 0) == "Your last decision stands: the game is over."


@pytest.mark.parametrize("has_secrets, uses_chance", [(False, False), (False, True), (True, False)])
def test_finished_game_can_be_undone_if_it_has_neither_secrets_nor_chance(has_secrets: bool, uses_chance: bool) -> None:
    """The end of a game shows its secrets, and the seed of its chance."""
    rules = RULES if has_secrets else re.sub(", visible: [a-z ]+", "", RULES)
    rules = rules if uses_chance else rules.replace("      shuffle deck\n", "")
    match = _create_match(rules, FINAL_CAUSES["the game is over, and its secrets are shown"], "compiled")
    _play_decision(match)
    assert match.decision is None
    assert match.can_undo(0) is not (has_secrets or uses_chance)
