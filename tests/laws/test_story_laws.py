"""The story that a seat reads holds nothing that is hidden from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, strategies as st
from test_game_laws import every_ruleset, few, goes_on, seeds, with_other_secrets
from test_save_laws import played_for_a_while

from lusory.explain.event_sentences import list_story_lines, tell_deeds
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.match import Match
from lusory.state.events_redaction_and_text import Event
from lusory.state.state import State


class Secret:
    """In place of a value or a list that nobody may look at; an announcement may ask how long it is."""

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())


SECRET = Secret()
"""Stands for what a seat is not told: whatever is done with it fails, or is seen."""


@every_ruleset
@few
@given(st.data())
def test_a_story_does_not_depend_on_what_its_seat_does_not_know(ruleset: Path, data: st.DataObject) -> None:
    """Other hidden values, another seed, other decisions of others and other hidden parts of the log change no word."""
    match = played_for_a_while(data, ruleset)
    names = [f"Player {seat}" for seat in range(match.game.players)]
    random = Random(data.draw(seeds, label="changes"))  # numbers drawn one by one are too many for Hypothesis
    state, log, turns, seed = match.state, match.log, match.turns, match.seed
    for seat in range(match.game.players):
        match.state, match.log, match.turns, match.seed = state, log, turns, seed
        story = story_of(match, seat, names)
        match.state = otherwise(match.game, state, seat, random)
        match.log = [changed(event, seat, match.game) for event in log]
        match.turns = [
            replace(
                turn,
                before=otherwise(match.game, turn.before, seat, random),
                index=turn.index if turn.seat == seat else -1,
            )
            for turn in turns
        ]
        match.seed = seed + 1
        assert story_of(match, seat, names) == story


def story_of(match: Match, seat: int, names: Sequence[str]) -> list[str]:
    return [to_text(line) for line in list_story_lines(tell_deeds(match, seat, names))]


def otherwise(game: Game, state: State, seat: int, random: Random) -> State:
    """A position with other secrets, if the rules can go on from it."""
    other = with_other_secrets(game.setting, state, seat, random)
    return other if goes_on(game, other) else state


def changed(event: Event, seat: int, game: Game) -> Event:
    """An event with something else in place of whatever it hides from a seat."""
    kind = event[0]
    if kind == "choice":
        return changed_choice(event, seat, game)
    hidden = {"set": (3,), "move": (1, 2), "cards": (1,), "random": (2,), "announce": (1,)}.get(kind, ())
    if not hidden or event[-1] >> seat & 1:
        return event
    entries: list[Any] = list(event)
    for place in hidden:
        entries[place] = (SECRET,) * len(event[1]) if kind == "cards" else SECRET
    return type(event)._make(entries)


def changed_choice(event: Event, seat: int, game: Game) -> Event:
    kind, chooser, site, alternative, values, forced = event
    if chooser == seat:
        return event
    if site in game.program.private_sites:
        return type(event)._make((kind, chooser, site, SECRET, SECRET, forced))
    ask: Any = game.setting.sites[site]
    several = hasattr(ask, "is_secret")
    secrets = [ask.is_secret] * len(values) if several else [v.is_secret for v in ask.alternatives[alternative].vars]
    shown = tuple(SECRET if secret else value for value, secret in zip(values, secrets, strict=True))
    return type(event)._make((kind, chooser, site, alternative, shown, forced))
