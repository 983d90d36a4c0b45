"""Whether a world is a game that was played and that its seat was told of as it was: found out with the engine alone.

How each world came about is traced: which answers and chance led from one position to the next, and which components
changed places on the way. What changed places later must have lain so since it was shuffled; from there on the steps
are played once more, from the start, and what is told and seen of each is held against what was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lusory.game import Game
from lusory.seat.view import View
from lusory.table.choices import RulesetFault
from lusory.table.events import Event, redacted
from lusory.table.setting import Forced, item_type
from lusory.table.state import State
from lusory.worlds.following import Follower
from lusory.worlds.knowledge import Knowledge
from lusory.worlds.observed import Observed, observed
from lusory.worlds.particles import FREE, Particle, Taken, Tried, Verdict
from lusory_dsl.core import AskMany
from lusory_dsl.core.knowledge import is_component

PICKS = 4
"""Steps before and behind one whose answer may have been given in it."""

Names = Mapping[int, int]
"""Components in each other's places: where each key was, its value comes."""


class Step(NamedTuple):
    """``names``: what lay otherwise before it than where it was first played; ``draws``: what chance came to, each with
    what lies otherwise by then; ``option``: the number that the answer had."""

    answer: Taken | None
    option: int
    names: Names
    orders: list[tuple[int, ...]]
    draws: list[tuple[str, Any, Names]]


def both(names: Names, others: Names) -> Names:
    """One exchange of places after another."""
    return {card: others.get(names.get(card, card), names.get(card, card)) for card in {*names, *others}}


def before_shuffle(names: Names, order: Sequence[int]) -> Names:
    """What must lie otherwise before a shuffle for ``names`` to do so after it: of what is shuffled as little as can
    be."""
    gone = {names.get(card, card) for card in order}
    free = iter(sorted(gone.difference(order)))
    among = {card: card if card in gone else next(free) for card in order}
    return {**names, **among}


class Traced(Follower):
    """Keeps of each position of a world how it came about: of which one, by a step or by an exchange of places."""

    def __init__(self, game: Game, seat: int) -> None:
        super().__init__(game, seat)
        self.passing: dict[int, tuple[State, State, Names]] = {}
        self.kept: dict[int, tuple[State, State, Names | Tried]] = {}

    def renamed(self, particle: Particle, state: State, names: Names) -> State:
        made = super().renamed(particle, state, names)
        self.passing[id(made)] = made, state, dict(names)
        return made

    def after(self, particle: Particle, tried: Tried, seen: Observed, verdict: Verdict = FREE) -> Particle:
        state = tried.before
        while id(state) in self.passing:
            found = self.kept[id(state)] = self.passing[id(state)]
            state = found[1]
        if state is not particle.state and id(state) not in self.kept:  # reached on another way that holds the same
            self.kept[id(state)] = state, particle.state, {}
        decision = self.game.decision(tried.before) if tried.answer is not None else None
        option = -1 if decision is None else [one[1:] for one in decision.options].index(tried.answer)
        self.kept[id(tried.after)] = tried.after, tried.before, tried._replace(hung=(), alike=(option, 0))
        return super().after(particle, tried, seen, verdict)

    def steps_of(self, state: State) -> list[Step]:
        """The steps that lead to a position, as they must have been."""
        names, steps = dict[int, int](), list[Step]()
        while state is not self.game.initial:
            _, state, how = self.passing.get(id(state)) or self.kept[id(state)]
            if not isinstance(how, Tried):
                names = both(how, names)
                continue
            orders, draws = list[tuple[int, ...]](), list[tuple[str, Any, Names]]()
            left = [tuple(order) for order in how.lots.orders]
            for event in reversed(how.log):
                if event[0] == "random":
                    draws.insert(0, (event[1], event[2], names))
                elif event[0] == "shuffle":
                    order = left.pop()
                    orders.insert(0, tuple([names.get(card, card) for card in order]))
                    names = before_shuffle(names, order)
            steps.insert(0, Step(how.answer, how.alike[0], names, orders, draws))
        return steps


class Watched(Knowledge):
    """What a seat has learned, with worlds of which it is known how they came about."""

    follower: Traced

    def at(self, game: Game) -> Knowledge:
        super().at(game)
        self.follower = Traced(self.game, self.seat)
        return self

    def learn(self, view: View, events: Sequence[Event]) -> None:
        self.follower.passing.clear()
        super().learn(view, events)


class Dictated(Forced):
    """The chance of one step, over again."""

    def __init__(self, game: Game, step: Step) -> None:
        super().__init__(explains=False)
        self.orders, self.is_possible = step.orders[:], True
        types = game.setting.chances
        self.draws = [
            names.get(value, value) if name in types and is_component(types[name]) else value
            for name, value, names in step.draws
        ]

    def drawn(self, stream: str, items: Sequence[Any]) -> tuple[Any]:
        self.is_possible &= bool(self.draws) and self.draws[0] in items
        return (self.draws.pop(0) if self.is_possible else items[0],)

    def order(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        self.is_possible &= bool(self.orders) and set(self.orders[0]) == set(cards)
        return (self.orders.pop(0) if self.is_possible else tuple(cards),)


def retold(knowledge: Watched, world: State) -> str | None:
    """How a world is not what its seat was told and shown, in words; None: it is."""
    game, seat, state = knowledge.game, knowledge.seat, None
    played = knowledge.follower.steps_of(world)
    if len(played) != len(knowledge.steps):
        return f"{len(played)} steps lead to it, of {len(knowledge.steps)}"
    for number, (step, seen) in enumerate(zip(played, knowledge.steps, strict=True)):
        for option in [None] if state is None else _options(game, state, number, played):
            after = _after(game, state, option, Dictated(game, step), seat, seen)
            if after is not None:
                break
        else:
            return f"step {number}: nothing that it holds then leads to what the seat was told and shown"
        state = after
    places, lie = (
        slice(game.layout.repeats_at),
        [None if state is None else list(map(sorted, state.zones)), list(map(sorted, world.zones))],
    )
    if state is None or lie[0] != lie[1] or state.cells[places] != world.cells[places]:
        return "its steps lead elsewhere"
    return None


def _options(game: Game, state: State, number: int, played: Sequence[Step]) -> list[int]:
    """The options that may have been taken in a step: the one that was where components lie otherwise now; else one
    that was close by (several of which somebody picks are picked in the order in which they lie)."""
    decision = game.decision(state)
    if decision is None:
        return []
    near = played[number : number + PICKS] + played[max(number - PICKS, 1) : number]
    answers = list(dict.fromkeys(_answer(game, decision.site, step) for step in near))
    offered = {option[1:]: option.index for option in decision.options}
    found = [offered[answer] for answer in answers if answer in offered]
    same = min(played[number].option, len(decision.options) - 1)
    return [same, *sorted(found)] if isinstance(game.setting.sites[decision.site], AskMany) else [*found, same]


def _answer(game: Game, site: int, step: Step) -> Taken | None:
    """What was answered, where components lie otherwise now, if it is one to this choice."""
    ask, answer = game.setting.sites[site], step.answer
    if answer is None:
        return None
    if isinstance(ask, AskMany):
        domains = [ask.source]
    elif answer[0] < len(ask.alternatives):
        domains = [variable.domain for variable in ask.alternatives[answer[0]].vars]
    else:
        return None
    named = [is_component(item_type(domain.type)) for domain in domains] + [False] * len(answer[1])
    values = zip(answer[1], named, strict=False)
    return answer[0], tuple([step.names.get(value, value) if is_named else value for value, is_named in values])


def _after(
    game: Game, state: State | None, option: int | None, chance: Dictated, seat: int, seen: Observed
) -> State | None:
    """The position after a step; None: it is not what a seat was told and shown."""
    log = list[Event]()
    try:
        after = (
            game.start(0, log, chance) if state is None or option is None else game.apply(state, option, log, chance)
        )
    except RulesetFault:
        return None
    if not chance.is_possible or tuple(redacted(log, seat, game)) != seen.events:
        return None
    return after if observed(game.view(after, seat), ()).sight == seen.sight else None
