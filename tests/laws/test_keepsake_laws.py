"""What one seat may keep of a game holds only what the seat knows; and whatever is written can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, strategies as st
from test_game_laws import drawn_game, every_ruleset, few, goes_on, seeds, with_other_secrets

from lusory.game import Game
from lusory.play.keepsakes import told, written
from lusory.play.match import Match
from lusory.play.players import bot
from lusory.play.saves import Save, transcript_of
from lusory.play.transcript import in_order, parsed, picks_of, read_data
from lusory.screen.story import as_lines, deeds
from lusory.screen.text import plain
from lusory.table.events import Event
from lusory.table.state import State


class Secret:
    """In place of a value or a list that nobody may look at; an announcement may ask how long it is."""

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())


SECRET = Secret()
"""Stands for what a seat is not told: whatever is done with it fails, or is seen."""


def played_for_a_while(data: st.DataObject, ruleset: Path) -> Match:
    game, seed, random = drawn_game(data, ruleset, "compiled")
    match = Match(game, [bot("random", seed, seat) for seat in range(game.players)], seed)
    steps = random.randrange(60)
    while match.decision is not None and len(match.turns) < steps:
        match.step()
    return match


@every_ruleset
@few
@given(st.data())
def test_what_a_seat_keeps_is_the_same_whatever_it_does_not_know(ruleset: Path, data: st.DataObject) -> None:
    """To the byte, when everything that is hidden from it is another: the seed, the position, what others decided and
    what the log says of hidden things."""
    match = played_for_a_while(data, ruleset)
    names = [f"Player {seat}" for seat in range(match.game.players)]
    random = Random(data.draw(seeds, label="changes"))  # numbers drawn one by one are too many for Hypothesis
    state, log, turns, seed = match.state, match.log, match.turns, match.seed
    for seat in range(match.game.players):
        match.state, match.log, match.turns, match.seed = state, log, turns, seed
        text = kept(match, seat, names)
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
        assert untold(kept(match, seat, names)) == untold(text)
        assert told(in_order(parsed(text, "x"), "keepsake")).startswith(f"What P{seat + 1} knows of ")


def kept(match: Match, seat: int, names: Sequence[str]) -> str:
    """What a seat keeps, with the story as it is told at the table."""
    return written(match, seat, names, [plain(line) for line in as_lines(deeds(match, seat, names))])


def otherwise(game: Game, state: State, seat: int, random: Random) -> State:
    """A position with other secrets, if the rules can go on from it."""
    other = with_other_secrets(game.setting, state, seat, random)
    return other if goes_on(game, other) else state


def untold(text: str) -> str:
    """A keepsake without the result of a game, which reveals to all what was hidden."""
    return re.sub(r'  "result": \[.*?\],$', "", text, flags=re.DOTALL | re.MULTILINE)


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
    return tuple(entries)


def changed_choice(event: Event, seat: int, game: Game) -> Event:
    kind, chooser, site, alternative, values, forced = event
    if chooser == seat:
        return event
    if site in game.program.private_sites:
        return (kind, chooser, site, SECRET, SECRET, forced)
    ask: Any = game.setting.sites[site]
    several = hasattr(ask, "secret")
    secrets = [ask.secret] * len(values) if several else [v.secret for v in ask.alternatives[alternative].vars]
    shown = tuple(SECRET if secret else value for value, secret in zip(values, secrets, strict=True))
    return (kind, chooser, site, alternative, shown, forced)


@every_ruleset
@few
@given(st.data())
def test_every_save_can_be_read_and_goes_on(ruleset: Path, data: st.DataObject) -> None:
    match = played_for_a_while(data, ruleset)
    kinds, names = ("random",) * match.game.players, tuple(f"Player {seat}" for seat in range(match.game.players))
    save = Save(transcript_of(match), str(ruleset), kinds, names)
    again = Save.of(read_data(json.dumps(save.to_json()), "x"))
    assert again == save
    assert Match(match.game, match.players, match.seed, picks_of(match.game, again.transcript)).state == match.state
