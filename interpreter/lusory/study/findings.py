"""What a designer learns from what was seen in many games, as plain data: for JSON, terminal and page alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .estimates import Estimate, Spread

JSON_VERSION = 1


@dataclass(frozen=True)
class Seat:
    """``result``: the share of wins, shared ones in parts; of a game for one, the score. ``began``: the same of games
    that this seat began."""

    seat: str
    kind: str
    result: Estimate | None
    began: Estimate | None


@dataclass(frozen=True)
class Lead:
    """Who led. ``source``: where that is read, of :mod:`lusory.study.outlook`. ``along``: at the start of each tenth of
    the game, how often who leads then wins. ``gap``: how far ahead of the next, from 0 to 1. ``changes``: of the lead,
    a game; ``settled``: the percentage of the game after which the winner led to the end. ``comebacks``: of games in
    which somebody led half-way, those that somebody else won; ``runaways``: of games in which somebody led after three
    tenths, those that this seat won."""

    source: str
    along: tuple[Estimate | None, ...]
    gap: tuple[Estimate | None, ...]
    changes: Spread | None
    settled: Spread | None
    drama: Estimate | None
    comebacks: Estimate | None
    runaways: Estimate | None


@dataclass(frozen=True)
class End:
    """A way to end. ``share``: of all games; ``seats``: what each seat came to in these."""

    reason: str
    games: int
    share: Estimate | None
    decisions: Estimate | None
    turns: Estimate | None
    seats: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class FinalColumn:
    """A column of the final table."""

    title: str
    winners: Spread | None
    others: Spread | None
    margin: Spread | None
    seats: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class Question:
    """A choice of the ruleset. ``games``: decisions at it in a game, on average. ``forced``: the part in which there
    was one option only. ``weight``: how much better than the average option the best one is, as those thought who
    decided: of a win, or of a game for one in points."""

    title: str
    place: str
    decisions: int
    per_game: float
    options: Estimate | None
    forced: float
    weight: Estimate | None


@dataclass(frozen=True)
class Done:
    """Something that was done: ``what`` says how (taken, drawn, played …), ``name`` with what. ``offered``: decisions
    with it among the options; ``rate``: the part of these in which it was taken; ``at_random``: the part in which
    chance would have taken it. ``games``: the part of the games in which it was done. ``result``: of the seats who did.
    ``ahead``: what those came to, above the average of their table, who did it more often than the others there (of a
    game for one: with it above without); ``p`` and ``q``: how likely that is by chance, for itself and among all that
    were tested; None: too few games. ``clear``: more than chance."""

    what: str
    name: str
    place: str
    offered: int
    taken: int
    rate: Estimate | None
    at_random: float | None
    games: Estimate | None
    result: Estimate | None
    ahead: float | None = None
    compared: int = 0
    p: float | None = None
    q: float | None = None
    clear: bool = False


@dataclass(frozen=True)
class Card:
    """A card, or all copies of it. ``zones``: where it came from a hand or deck, how often in a game of all."""

    name: str
    kind: str
    copies: int
    picked: Done | None
    drawn: Done | None
    gained: Done | None
    played: Done | None
    zones: Mapping[str, float]


@dataclass(frozen=True)
class Unfired:
    """A part of the rules that no game carried out, and how much lies behind it."""

    kind: str
    name: str
    missing: str
    place: str
    behind: int


@dataclass(frozen=True)
class Rung:
    """A player on the ladder of skill: in points of Elo, 0 being the mean of all."""

    kind: str
    elo: float | None
    low: float | None
    high: float | None
    share: Estimate | None


@dataclass(frozen=True)
class Findings:
    """All of it. ``for_one``: results are scores, else parts of a win. ``dead``: cards that never came up;
    ``unplayed``: that were drawn and never played."""

    id: str
    name: str
    version: str
    players: int
    options: Mapping[str, Any]
    seed: int
    games: int
    for_one: bool
    seats: tuple[Seat, ...]
    first: Estimate | None
    ties: Estimate | None
    decisions: Spread | None
    turns: Spread | None
    rounds: Mapping[str, Spread | None]
    branching: Spread | None
    along: tuple[Estimate | None, ...]
    forced: float
    lead: Lead | None
    ends: tuple[End, ...]
    columns: tuple[FinalColumn, ...]
    questions: tuple[Question, ...]
    actions: tuple[Done, ...]
    answers: tuple[Done, ...]
    openings: tuple[Done, ...]
    keywords: tuple[Done, ...]
    cards: tuple[Card, ...]
    tested: int
    dead: tuple[str, ...]
    unplayed: tuple[str, ...]
    untaken: tuple[str, ...]
    replayed: int
    unfired: tuple[Unfired, ...]
    skill: tuple[Rung, ...] = ()

    @property
    def games_tell(self) -> str:
        """How many games tell all this, as the end of a sentence."""
        return "1 game tells" if self.games == 1 else f"{self.games} games tell"

    @property
    def done(self) -> list[Done]:
        """Everything that was done with anything."""
        of_cards = [
            one for card in self.cards for one in (card.picked, card.drawn, card.gained, card.played) if one is not None
        ]
        return [*self.actions, *self.answers, *self.openings, *self.keywords, *of_cards]

    @property
    def strategies(self) -> list[Done]:
        """What goes with winning or losing more than by chance, the strongest first."""
        return sorted((one for one in self.done if one.clear), key=lambda one: -abs(one.ahead or 0))

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        return {"version": JSON_VERSION, **_rounded(asdict(self))}


def _rounded(value: Any) -> Any:
    """With four digits behind the point."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_rounded(item) for item in value]
    return value
