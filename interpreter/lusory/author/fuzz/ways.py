"""How decisions are made where nobody plays to win: ways that lead to where usual play does not.

A way is chosen for each seat and changes now and then. Those that look ahead look at one decision, and at a few options
of long lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from ...game import Game
from ...table.choices import Decision, Option, RulesetFault
from ...table.state import State
from .goals import Trait, Watch

SEEN = 8  # options that are looked at by who looks ahead
CHANGES = 0.06  # how likely it is at a decision that its seat takes up another way …
SELDOM = 0.005  # … and who is to bring about an end

Answer = tuple[int, int, tuple[Any, ...]]
"""What was decided: the site of the choice, the alternative, the values."""


def answer_of(decision: Decision, option: Option) -> Answer:
    """An option as something to decide again."""
    return decision.site, option.alternative, option.values


@dataclass
class Look:
    """What a way goes by. ``game`` is quick, ``watched`` is the same game with an observer, ``watch``, and ``other``
    its position. ``known``: what games have come to; ``taken``: how often answers were given; ``place``: what a seat
    would have more or less of, a function of a position; ``worth``: what a position is to a seat that wants to win."""

    game: Game
    watched: Game
    watch: Watch
    rnd: Random
    known: Mapping[Trait, int]
    taken: Mapping[Answer, int]
    place: Callable[[State], int]
    worth: Callable[[State, int], float]
    other: State | None = None

    def few(self, options: Sequence[Option]) -> Sequence[Option]:
        """Some options, or a few of them."""
        return options if len(options) <= SEEN else self.rnd.sample(list(options), SEEN)

    def after(self, state: State, option: Option) -> State | None:
        """What follows on an option; None where the rules go wrong."""
        try:
            return self.game.apply(state, option.index)
        except RulesetFault:
            return None


Way = Callable[[Look, State, Decision], Option]


def _random(look: Look, state: State, decision: Decision) -> Option:
    return look.rnd.choice(decision.options)


def _first(look: Look, state: State, decision: Decision) -> Option:
    return decision.options[0]


def _last(look: Look, state: State, decision: Decision) -> Option:
    return decision.options[-1]


def _rare(look: Look, state: State, decision: Decision) -> Option:
    """What was decided least often so far."""
    return min(decision.options, key=lambda o: (look.taken.get(answer_of(decision, o), 0), look.rnd.random()))


def _extreme(look: Look, state: State, decision: Decision, sign: int) -> Option:
    """The least or the greatest of what can be said, each kind of answer as often as another."""
    alternative = look.rnd.choice(sorted({option.alternative for option in decision.options}))
    of_kind = [option for option in decision.options if option.alternative == alternative]
    sizes = [sum(v for v in option.values if isinstance(v, int)) * sign for option in of_kind]
    return of_kind[max(range(len(of_kind)), key=sizes.__getitem__)]


def _greatest(look: Look, state: State, decision: Decision) -> Option:
    return _extreme(look, state, decision, 1)


def _least(look: Look, state: State, decision: Decision) -> Option:
    return _extreme(look, state, decision, -1)


def _by(look: Look, state: State, decision: Decision, worth: Callable[[State], float]) -> Option:
    """The option after which something is most; where the rules go wrong, that."""
    found = [(option, look.after(state, option)) for option in look.few(decision.options)]
    worths = [(float("inf") if after is None else worth(after), look.rnd.random()) for _, after in found]
    return found[max(range(len(found)), key=worths.__getitem__)][0]


def _hoards(look: Look, state: State, decision: Decision) -> Option:
    return _by(look, state, decision, look.place)


def _wastes(look: Look, state: State, decision: Decision) -> Option:
    return _by(look, state, decision, lambda after: -look.place(after))


def _wins(look: Look, state: State, decision: Decision) -> Option:
    """To be ahead at once: by the ruleset's `value`, else by the ranks."""
    return _by(look, state, decision, lambda after: look.worth(after, decision.seat))


def _loses(look: Look, state: State, decision: Decision) -> Option:
    """To be behind."""
    return _by(look, state, decision, lambda after: -look.worth(after, decision.seat))


def _crowds(look: Look, state: State, decision: Decision) -> Option:
    """Towards the longest list of options."""
    return _by(look, state, decision, lambda after: _options(look.game, after))


def _narrows(look: Look, state: State, decision: Decision) -> Option:
    """Towards the shortest: where nothing is possible any more."""
    return _by(look, state, decision, lambda after: -_options(look.game, after))


def _options(game: Game, state: State) -> int:
    try:
        asked = game.decision(state)
        return 0 if asked is None else len(asked.options)
    except RulesetFault:
        return 1_000_000


def _curious(look: Look, state: State, decision: Decision) -> Option:
    """Towards what no game has come to; else anything."""
    found: list[tuple[int, float, Option]] = []
    assert look.other is not None
    for option in look.few(decision.options):
        look.watch.taken()
        try:
            look.watched.apply(look.other, option.index)
        except RulesetFault:
            return option
        new = sum(trait not in look.known for trait in look.watch.taken())
        found.append((new, look.rnd.random(), option))
    return max(found)[2]


WAYS: dict[str, Way] = {
    "random": _random,
    "rare": _rare,
    "first": _first,
    "last": _last,
    "greatest": _greatest,
    "least": _least,
    "hoards": _hoards,
    "wastes": _wastes,
    "wins": _wins,
    "loses": _loses,
    "crowds": _crowds,
    "narrows": _narrows,
    "curious": _curious,
}


QUICK = ("last", "first", "random", "rare", "least", "greatest")
"""Ways that look neither ahead nor at what others did."""

SCOUTING = (*QUICK, "wins", "wins", "loses", "hoards", "wastes")
"""Those of games that are to come to an end, which seats that want to win bring about, and others that let them."""


class Seats:
    """Who decides in one game: a way for each seat, one of those of some names, changed now and then."""

    def __init__(self, look: Look, players: int, names: Sequence[str] = tuple(WAYS), changes: float = CHANGES) -> None:
        self.look, self.names, self.changes = look, names, changes
        self.ways = [self._drawn() for _ in range(players)]

    def _drawn(self) -> Way:
        rnd = self.look.rnd
        return _random if rnd.random() < 0.35 else WAYS[rnd.choice(self.names)]

    def decide(self, state: State, decision: Decision) -> Option:
        """What the seat that is asked takes."""
        if self.look.rnd.random() < self.changes:
            self.ways[decision.seat] = self._drawn()
        return self.ways[decision.seat](self.look, state, decision)
