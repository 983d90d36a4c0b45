"""Law of the story: what a seat reads contains nothing that is hidden from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, strategies as st
from test_game_laws import can_continue, every_ruleset, few_examples, replace_secrets, seeds
from test_save_laws import play_a_while

from lusory.explain.event_sentences import list_story_lines, tell_deeds
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.match import Match
from lusory.state.events_redaction_and_text import Event
from lusory.state.state import State


class Secret:
    """Stands for a value or a list that nobody may read. An announcement may ask for its length."""

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())


SECRET = Secret()
"""Replaces each hidden value of an event: any use of it raises an error or changes the text."""


@every_ruleset
@few_examples
@given(st.data())
def test_a_story_does_not_depend_on_what_its_seat_does_not_know(ruleset: Path, data: st.DataObject) -> None:
    """Changes hidden values, the seed, decisions of other seats and hidden parts of the log: the text stays."""
    match = play_a_while(data, ruleset)
    names = [f"Player {seat}" for seat in range(match.game.players)]
    random = Random(data.draw(seeds, label="changes"))  # Hypothesis can't draw so many numbers one by one
    state, log, turns, seed = match.state, match.log, match.turns, match.seed
    for seat in range(match.game.players):
        match.state, match.log, match.turns, match.seed = state, log, turns, seed
        story = list_story(match, seat, names)
        match.state = change_secrets(match.game, state, seat, random)
        match.log = [hide_values(event, seat, match.game) for event in log]
        match.turns = [
            replace(
                turn,
                before=change_secrets(match.game, turn.before, seat, random),
                index=turn.index if turn.seat == seat else -1,
            )
            for turn in turns
        ]
        match.seed = seed + 1
        assert list_story(match, seat, names) == story


def list_story(match: Match, seat: int, names: Sequence[str]) -> list[str]:
    return [to_text(line) for line in list_story_lines(tell_deeds(match, seat, names))]


def change_secrets(game: Game, state: State, seat: int, random: Random) -> State:
    """Return the position with other secrets, or unchanged if the rules can't continue from those."""
    variant = replace_secrets(game.setting, state, seat, random)
    return variant if can_continue(game, variant) else state


def hide_values(event: Event, seat: int, game: Game) -> Event:
    """Return an event with SECRET in place of everything that it hides from a seat."""
    kind = event[0]
    if kind == "choice":
        return hide_choice(event, seat, game)
    hidden_fields = {"set": (3,), "move": (1, 2), "cards": (1,), "random": (2,), "announce": (1,)}.get(kind, ())
    if not hidden_fields or event[-1] >> seat & 1:
        return event
    entries: list[Any] = list(event)
    for place in hidden_fields:
        entries[place] = (SECRET,) * len(event[1]) if kind == "cards" else SECRET
    return type(event)._make(entries)


def hide_choice(event: Event, seat: int, game: Game) -> Event:
    kind, chooser, site, alternative, values, is_forced = event
    if chooser == seat:
        return event
    if site in game.program.private_sites:
        return type(event)._make((kind, chooser, site, SECRET, SECRET, is_forced))
    ask: Any = game.setting.sites[site]
    choices = [ask] * len(values) if hasattr(ask, "is_secret") else ask.alternatives[alternative].vars
    secrets = [choice.is_secret for choice in choices]
    visible_values = tuple(SECRET if secret else value for value, secret in zip(values, secrets, strict=True))
    return type(event)._make((kind, chooser, site, alternative, visible_values, is_forced))
