"""Plays a world on by one step, so that a seat would have been told and shown what it was.

A step is tried with each answer that could have been the observed one. What differs from what was seen is mended where
it is a component in the place of another: chance could as well have put that one there. All else that differs means
that this is not how it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from lusory_dsl.core import AskMany
from lusory_dsl.core.knowledge import is_component

from ..game import Game
from ..table.choices import RulesetFault
from ..table.events import Event, redact, redacted
from ..table.setting import HIDDEN, item_type, type_of_place
from ..table.state import State
from .cards import Loose, exchanged, moved, path
from .fortune import Fortune, Guide
from .observed import NOT_SEEN, Observed, observed

MENDINGS = 200  # of one try at a step
ANSWERS = 24  # that are tried for one step
Pairs = list[tuple[int, int]]
Taken = tuple[int, tuple[Any, ...]]


class Particle(NamedTuple):
    """A world and what is taken for granted in it. ``loose``: components that could as well lie elsewhere. ``exact``:
    its history agrees with all that the seat was told and shown."""

    state: State
    loose: Loose
    exact: bool = True


class Tried(NamedTuple):
    """A step of a world: the position before it, mended, and after it, and all that happened."""

    before: State
    after: State
    log: list[Event]


class Follower:
    """Plays the worlds of one seat on."""

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
        self.layout, self.setting = game.layout, game.setting

    def begun(self, seen: Observed, fortune: Fortune) -> Particle | None:
        """A world at the first decision."""
        initial = self.game.initial
        tried = self._attempt(initial, {}, None, seen, fortune)
        if tried is None:
            return None
        loose = moved(self.layout, self.seat, initial, tried.log, tried.after, seen, {})
        return Particle(tried.after, loose)

    def followed(self, particle: Particle, seen: Observed, fortune: Fortune) -> Iterator[Particle]:
        """The worlds that a step can lead to, in random order."""
        before = self._prepared(particle, seen, fortune)
        decision = self.game.decision(before)
        if decision is None:
            return
        for answer in fortune.shuffled(self._answers(before, seen))[:ANSWERS]:
            tried = self._attempt(before, particle.loose, answer, seen, fortune)
            if tried is not None:
                loose = moved(self.layout, self.seat, tried.before, tried.log, tried.after, seen, particle.loose)
                yield Particle(tried.after, loose)

    # ------------------------------------------------------------ answers

    def _answers(self, state: State, seen: Observed) -> list[Taken]:
        """The answers that the seat would have been told of as it was, or not at all."""
        decision = self.game.decision(state)
        if decision is None:
            return []
        first = seen.events[0] if seen.events else None
        found, unheard = [], []
        for option in decision.options:
            told = redact(
                ("choice", decision.seat, decision.site, option.alternative, option.values, False), self.seat, self.game
            )
            if told[0] != "choice":
                unheard.append(option[1:])
            elif told == first:
                found.append(option[1:])
        return found or unheard

    def _prepared(self, particle: Particle, seen: Observed, fortune: Fortune) -> State:
        """The position with each component where it must have been, as far as its first move tells."""
        state, known = particle.state, set[int]()
        for event in seen.events:
            if event[0] != "cards":
                continue
            for card, source in zip(event[1], event[5], strict=True):
                if card is None or source is None or card in known:
                    continue
                known.add(card)
                number = self.layout.zones[source[0]].at(source[1])
                if card in particle.loose and state.cells[self.layout.location + card] != number:
                    others = [one for one in state.zones[number] if one in particle.loose and one not in known]
                    for other in fortune.shuffled(others)[:4]:
                        pairs = path(self.layout, state, particle.loose, card, other)
                        if pairs is not None:
                            state = exchanged(self.layout, state, pairs)
                            break
        return state

    # ------------------------------------------------------------ one try

    def _attempt(
        self, before: State, loose: Loose, answer: Taken | None, seen: Observed, fortune: Fortune
    ) -> Tried | None:
        """The step with an answer (None: the game begins), mended until it shows what was seen."""
        orders: list[list[int]] = []
        number = fortune.number()
        for _ in range(MENDINGS):
            log: list[Event] = []
            guide = Guide(seen.events, Fortune(number, "draws"), orders)
            try:
                after = self._played(before, answer, log, guide)
            except RulesetFault:
                return None
            if after is None:
                return None
            pairs = self._differences(log, after, seen)
            if pairs is None:
                return None
            if not pairs:
                return Tried(before, after, log)
            mended = self._mended(before, loose, orders, pairs)
            if mended is None:
                return None
            before = mended
        return None

    def _played(self, before: State, answer: Taken | None, log: list[Event], guide: Guide) -> State | None:
        if answer is None:
            return self.game.start(guide.fortune.number(), log, guide)
        decision = self.game.decision(before)
        assert decision is not None
        for option in decision.options:
            if option[1:] == answer:
                return self.game.apply(before, option.index, log, guide)
        return None

    def _mended(self, before: State, loose: Loose, orders: list[list[int]], pairs: Pairs) -> State | None:
        """The position, or a shuffle, with components in each other's places; None where they can't be."""
        done = set[int]()
        for here, wanted in pairs:
            if here in done or wanted in done:
                continue
            done |= {here, wanted}
            order = next((order for order in reversed(orders) if here in order and wanted in order), None)
            if order is not None:
                one, other = order.index(here), order.index(wanted)
                order[one], order[other] = wanted, here
                continue
            exchange = path(self.layout, before, loose, wanted, here)
            if exchange is None:
                return None
            before = exchanged(self.layout, before, exchange)
        return before

    # ------------------------------------------------------------ what differs

    def _differences(self, log: list[Event], after: State, seen: Observed) -> Pairs | None:
        """The components that lie in the place of others, each with the one that was seen there. None: something else
        is different."""
        told = redacted(log, self.seat, self.game)
        for event, other in zip(told, seen.events, strict=False):
            if event != other:
                return self._in_events(event, other)
        if len(told) != len(seen.events):
            return None
        view = observed(self.game.view(after, self.seat), ())
        if view.sight == seen.sight:
            return []
        return self._in_sight(view, seen)

    def _in_events(self, event: Event, other: Event) -> Pairs | None:
        pairs: Pairs = []
        if event[0] != other[0]:
            return None
        if event[0] == "cards" and event[2:6] == other[2:6] and len(event[1]) == len(other[1]):
            pairs = _pairs(event[1], other[1])
        elif event[0] == "random" and event[1] == other[1]:
            type = self.setting.chances.get(event[1])
            pairs = _pairs(event[2:3], other[2:3]) if type is not None and is_component(type) else []
        elif event[0] == "set" and event[1:3] == other[1:3]:
            type = type_of_place(self.setting.program, event[1])
            pairs = _pairs(_listed(event[3]), _listed(other[3])) if is_component(type) else []
        elif event[0] == "choice" and event[1:4] == other[1:4]:
            ask = self.setting.sites[event[2]]
            domains = [ask.source] if isinstance(ask, AskMany) else [v.domain for v in ask.alternatives[event[3]].vars]
            for domain, value, wanted in zip(domains, event[4], other[4], strict=False):
                if is_component(item_type(domain.type)) and HIDDEN not in (value, wanted):
                    pairs += _pairs((value,), (wanted,))
        return pairs or None

    def _in_sight(self, view: Observed, seen: Observed) -> Pairs | None:
        pairs: Pairs = []
        for zone, other in zip(view.zones, seen.zones, strict=True):
            if len(zone) != len(other):
                return None
            pairs += _pairs(zone, other)
        return pairs or None


def _listed(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _pairs(here: tuple[Any, ...], wanted: tuple[Any, ...]) -> Pairs:
    """The components that are others than those wanted."""
    return [
        (one, other)
        for one, other in zip(here, wanted, strict=False)
        if one != other and isinstance(one, int) and isinstance(other, int) and NOT_SEEN not in (one, other)
    ]
