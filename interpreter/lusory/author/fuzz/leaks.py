"""Whether what a seat is asked tells what it can't see: the same game twice, with one thing of chance otherwise.

Chance decides something else in the second game: two cards of a shuffle lie in each other's place, another one is
drawn. All decide as in the first. As long as a seat is told and shown the same in both, it can't tell them apart; so it
must be asked the same, with the same options in the same words. Both games can happen, so there is no false alarm; a
difference that comes to be seen or told is none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

from ...game import Game
from ...play.transcript import Made
from ...seat.view import View
from ...table.chance import Seed
from ...table.choices import RulesetFault
from ...table.events import Event, redacted
from ...table.setting import Draw, Forced, name_of
from ...table.state import State
from ...worlds.observed import Observed, observed
from .case_lines import setting, steps
from .variants import Variant
from .ways import Answer, answer_of
from .wrong import LEAK, Wrong, scripted

TWINS = 4  # of a game
MOST = 60  # decisions of it
SWAPS = 60  # other twins that are tried when one is shrunk


class Chance(NamedTuple):
    """What chance decided: of a shuffle (``stream`` "") the cards from the top, else one of ``items``."""

    stream: str
    items: tuple[Any, ...]
    value: Any


class Dealt(Forced):
    """Decides all chance by itself, as ``wanted`` says and then by a seed, and notes it."""

    def __init__(self, wanted: Sequence[Chance], seed: Seed) -> None:
        super().__init__()
        self.wanted = wanted
        self.rnd = Random(f"dealt {seed}")
        self.notes: list[Chance] = []

    def _noted(self, stream: str, items: Sequence[Any], drawn: Any) -> tuple[Any]:
        number = len(self.notes)
        kept = self.wanted[number] if number < len(self.wanted) else None
        if kept is not None and kept.stream == stream and set(kept.items) == set(items):
            drawn = kept.value
        self.notes.append(Chance(stream, tuple(items), drawn))
        return (drawn,)

    def drawn(self, draw: Draw, items: Sequence[Any]) -> tuple[Any] | None:
        """One of the items."""
        return self._noted(draw.stream, items, self.rnd.choice(items))

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]] | None:
        """All of the cards."""
        return self._noted("", cards, tuple(self.rnd.sample(list(cards), len(cards))))


class Side:
    """One of two games that are played side by side. ``told``: of the last step, and ``log``: of the whole game."""

    def __init__(self, game: Game, chance: Sequence[Chance], seed: Seed) -> None:
        self.game, self.dealt = game, Dealt(chance, seed)
        self.log: list[Event] = []
        self.told: list[Event] = self.log
        self.state: State = game.start(0, self.told, self.dealt)

    def take(self, option: int) -> None:
        """Decide."""
        self.told = []
        self.state = self.game.apply(self.state, option, self.told, self.dealt)
        self.log += self.told

    def known(self, seat: int) -> Observed:
        """What a seat learns of the last step: without what it is asked."""
        return observed(self.view(seat), redacted(self.told, seat, self.game))._replace(asked=None, prompt="")

    def view(self, seat: int) -> View:
        """The table as a seat sees it."""
        return self.game.view(self.state, seat)


@dataclass(frozen=True)
class Twin:
    """Two games that ``seat`` can't tell apart, and what it is asked in each after some decisions. ``games``: what
    chance decides in each."""

    variant: Variant
    seed: Seed
    games: tuple[tuple[Chance, ...], tuple[Chance, ...]]
    answers: tuple[Answer, ...]
    seat: int
    asked: tuple[dict[str, Any], dict[str, Any]]

    def wrong(self, game: Game) -> Wrong:
        """What is told of it."""
        side = _played(game, self)[0]
        site = game.decision(side.state)
        span = None if site is None else game.setting.sites[site.site].span
        what = next((key for key in ("options", "prompt", "labels") if self.asked[0][key] != self.asked[1][key]), "")
        words = (_short(asked[what]) for asked in self.asked)
        message = f"P{self.seat + 1} can't tell two games apart, but what it is asked differs: {' or '.join(words)}"
        return Wrong(LEAK, str(span), message, span)

    def cases(self, game: Game, id: str) -> str:
        """Two cases that fail: in each game the seat would be asked what it is asked in the other."""
        made = self._made(game)
        lines = ["cases:"]
        for number, side in enumerate(_played(game, self)):
            lines += [
                f"  - id: {id}{'-twin' * number}",
                f"    title: P{self.seat + 1} can't tell this game from the other one, and is asked otherwise",
                *setting(self.variant),
                *_dictated(side),
                *steps(made, onwards=False)[: None if made else 1],
                *self._expected(self.asked[1 - number], self.asked[number]),
            ]
        return "\n".join(lines) + "\n"

    def _expected(self, other: dict[str, Any], mine: dict[str, Any]) -> list[str]:
        if other["options"] != mine["options"]:
            return [f"      - legal: {{P{self.seat + 1}: {json.dumps(other['options'])}}}"]
        return [f"      - prompt: {json.dumps(other['prompt'])}"]

    def _made(self, game: Game) -> list[Made]:
        side, left, found = Side(game, self.games[0], self.seed), list(reversed(self.answers)), list[Made]()
        while left and (decision := game.decision(side.state)) is not None:
            option = scripted(side.state, decision, left)
            if option is None:
                break
            found.append(Made(decision.seat, game.option_ids(side.state, decision)[option.index]))
            side.take(option.index)
        return found


def _dictated(side: Side) -> list[str]:
    """The lines of a case that dictate chance."""
    entities, settings = side.game.program.entities, side.game.setting
    drawn = iter(event for event in side.log if event[0] == "random")
    found: dict[str, list[Any]] = {"shuffles": [], "dice": [], "picks": []}
    for one in side.dealt.notes:
        if not one.stream:
            found["shuffles"].append([entities[card].name for card in one.value])
            continue
        name = next(drawn)[1]
        type = settings.chances.get(name)
        value = one.value if type is None else name_of(settings, one.value, type)
        found["dice" if one.stream == "dice" else "picks"].append(value)
    return [f"    {key}: {json.dumps(values)}" for key, values in found.items() if values]


def _played(game: Game, twin: Twin) -> tuple[Side, Side]:
    """Both games, after all decisions."""
    sides = Side(game, twin.games[0], twin.seed), Side(game, twin.games[1], twin.seed)
    left = list(reversed(twin.answers))
    while left and (decision := game.decision(sides[0].state)) is not None:
        option = scripted(sides[0].state, decision, left)
        if option is None:
            break
        for side in sides:
            side.take(option.index)
    return sides


def hides(game: Game) -> bool:
    """Whether there is anything that some seat may not see, and chance that decides about it."""
    program = game.program
    places = [*program.variables, *program.pools, *program.zones]
    return bool(game.layout.streams) and any(program.place(name).visible.constant != "all" for name in places)


def twin_of(game: Game, variant: Variant, answers: Sequence[Answer], seed: Seed) -> Twin | None:
    """Two games that a seat can't tell apart and in which it is asked otherwise. The decisions are these, as far as
    they fit, and then any."""
    rnd = Random(f"twins {seed}")
    try:
        first = Side(game, (), seed)
        taken: list[int] = []
        left = list(reversed(answers))
        while len(taken) < MOST and (decision := game.decision(first.state)) is not None:
            option = scripted(first.state, decision, left) or rnd.choice(decision.options)
            taken.append(option.index)
            first.take(option.index)
    except RulesetFault:
        return None
    notes = first.dealt.notes
    for _ in range(TWINS if notes else 0):
        other = _otherwise(notes, rnd)
        found = None if other is None else _compared(game, variant, (tuple(notes), other), taken, seed)
        if found is not None:
            return found
    return None


def _otherwise(notes: Sequence[Chance], rnd: Random) -> tuple[Chance, ...] | None:
    """Chance with one thing decided otherwise."""
    at = rnd.randrange(len(notes))
    if rnd.random() < 0.5:  # what was decided first is hidden for longest
        at = min(at, rnd.randrange(len(notes)))
    one = notes[at]
    if len(one.items) < 2:
        return None
    if one.stream:
        value = rnd.choice([item for item in one.items if item != one.value])
    else:
        a, b = rnd.sample(range(len(one.value)), 2)
        cards = list(one.value)
        cards[a], cards[b] = cards[b], cards[a]
        value = tuple(cards)
    return (*notes[:at], one._replace(value=value), *notes[at + 1 :])


def _compared(
    game: Game,
    variant: Variant,
    chance: tuple[tuple[Chance, ...], tuple[Chance, ...]],
    taken: Sequence[int],
    seed: Seed,
) -> Twin | None:
    """Both games, decision by decision, as long as somebody can't tell them apart."""
    try:
        one, other = sides = Side(game, chance[0], seed), Side(game, chance[1], seed)
        same, answers = set(range(game.players)), list[Answer]()
        for option in (*taken, None):
            same = {seat for seat in same if one.known(seat) == other.known(seat)}
            decision, there = game.decision(one.state), game.decision(other.state)
            if not same or decision is None or there is None or decision.seat != there.seat:
                return None
            asked = tuple(side.view(decision.seat).question or {} for side in sides)
            if decision.seat in same and asked[0] != asked[1]:
                return Twin(variant, seed, chance, tuple(answers), decision.seat, (asked[0], asked[1]))
            if option is None or option >= len(there.options):
                return None
            if answer_of(decision, decision.options[option]) != answer_of(there, there.options[option]):
                return None  # another deed, which may come to something else
            answers.append(answer_of(decision, decision.options[option]))
            for side in sides:
                side.take(option)
    except RulesetFault:
        pass
    return None


def shrunk(game: Game, twin: Twin) -> Twin:
    """The same, or something like it by other chance, with fewer decisions."""
    rnd = Random(twin.seed)
    for _ in range(SWAPS):
        other = _otherwise(twin.games[0], rnd)
        found = None if other is None else _again(game, replace(twin, games=(twin.games[0], other)))
        twin = twin if found is None else found
    at = len(twin.answers) - 1
    while at >= 0:
        fewer = replace(twin, answers=twin.answers[:at] + twin.answers[at + 1 :])
        found = _again(game, fewer)
        if found is not None:
            twin, at = found, min(at, len(found.answers))
        at -= 1
    return twin


def _again(game: Game, twin: Twin) -> Twin | None:
    """The same leak by these decisions."""
    side, left, taken = Side(game, twin.games[0], twin.seed), list(reversed(twin.answers)), list[int]()
    try:
        while left and (decision := game.decision(side.state)) is not None:
            option = scripted(side.state, decision, left)
            if option is None:
                break
            taken.append(option.index)
            side.take(option.index)
    except RulesetFault:
        return None
    found = _compared(game, twin.variant, twin.games, taken, twin.seed)
    return found if found is not None and len(found.answers) <= len(twin.answers) else None


def _short(value: object) -> str:
    words = value if isinstance(value, str) else ", ".join(map(str, value))  # type: ignore[call-overload]
    return f"`{words}`" if len(words) <= 60 else f"`{words[:60]}…`"
