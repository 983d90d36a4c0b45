"""One step of a world: tried with an answer, and mended until a seat would have been told and shown what it was.

What differs from what was seen is mended where it is a component in the place of another: chance could as well have put
that one there. All else that differs means that this is not how it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from lusory_dsl import core
from lusory_dsl.core.knowledge import is_component
from lusory_dsl.language.types import Type

from ..game import Game
from ..table.choices import Decision, RulesetFault
from ..table.events import Event, redact, redacted
from ..table.setting import item_type, label_of
from ..table.state import State
from .cards import Names, Naming, path, renamed, then
from .differences import agreement, differences
from .facts import Facts
from .fortune import Fortune, Guide, exchanged
from .observed import Observed
from .particles import NOTHING, Later, Particle, Taken, Tried
from .wanted import Pairs, Wanted

MENDINGS = 60  # of one try at a step
ORDERS = 60  # of shuffles in one try, each a little another
LAID_OUT = 128  # steps, so that they are quickly held against positions
SCORED = 32  # answers that are weighed by what comes to light later


class Steps:
    """Tries steps of the worlds of one seat. ``tries``: how many may still be tried."""

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
        self.layout, self.facts = game.layout, Facts(game)
        self.tries = 0
        self.is_chancy = False  # whether a try since hung on chance of which nothing was told
        self._wanted: dict[int, Wanted] = {}  # by the identity of what was seen, which each of them holds

    def _moved(self, particle: Particle, state: State, names: Names, more: Names) -> tuple[State, Names]:
        """A position with further components in each other's places, and which are in others' by then."""
        return (self._renamed(particle, state, more), then(names, more)) if more else (state, names)

    def _renamed(self, particle: Particle, state: State, names: Names) -> State:
        return renamed(self.layout, state, names, Naming(particle.names, self.facts.is_sorted))

    def _in_the_way(self, particle: Particle, state: State, event: Event | None) -> list[int]:
        """The loose components that are offered where another was taken."""
        decision = self.game.decision(state)
        if decision is None or event is None or event[:3] != ("choice", decision.seat, decision.site):
            return []
        return [card for card in self._components(decision) if card in particle.loose and card not in event[4]]

    def _components(self, decision: Decision) -> set[int]:
        """The components that are named in what is offered."""
        found = set[int]()
        for option in decision.options:
            types = self._types(decision.site, option.alternative)
            named = zip(option.values, types, strict=False)
            found.update(value for value, type in named if is_component(type) and value.__class__ is int)
        return found

    # ------------------------------------------------------------ answers

    def answers(self, state: State, seen: Observed) -> list[Taken]:
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

    def _ordered(self, state: State, answers: list[Taken], fortune: Fortune, later: Later) -> list[Taken]:
        """Answers in random order, those first that seem to lead to what came later."""
        if len(answers) < 2:
            return answers
        answers = fortune.shuffled(answers)
        if later is NOTHING:
            return answers
        decision = self.game.decision(state)
        assert decision is not None
        ask = self.game.setting.sites[decision.site]
        owners = self.facts.cell_owners
        lists = [
            value
            for cell, value in later.cells.items()
            if isinstance(value, tuple) and owners.get(cell, decision.seat) == decision.seat
        ]
        answers.sort(key=lambda answer: self._fits(ask, answer, later, lists))
        if not (later.cells or later.words) or len(answers) > SCORED:
            return answers
        self.tries -= len(answers) // 4
        return sorted(answers, key=lambda answer: self._misses(state, answer, later))

    def _misses(self, state: State, answer: Taken, later: Later) -> tuple[int, int]:
        """How much an answer leads elsewhere: cells that hold something else than what came to light, and phrases of
        the question that its chooser is asked next that nobody said."""
        try:
            after = self._played(state, answer, None, Guide((), Fortune(0, "draws"), []))
        except RulesetFault:
            after = None
        if after is None:
            return len(later.cells), 0
        decision, before = self.game.decision(after), self.game.decision(state)
        misses = sum(after.cells[cell] != value for cell, value in later.cells.items())
        if not later.words or decision is None or before is None or decision.seat != before.seat:
            return misses, 0
        return misses, len(_phrases(self.game.prompt(after, decision)) - _phrases(later.words))

    def _fits(
        self, ask: core.Ask | core.AskMany, answer: Taken, later: Later, lists: Sequence[tuple[Any, ...]]
    ) -> tuple[int, int]:
        """How badly an answer fits what came later: the fewer of its values were named, the worse; then the further
        behind they stand in lists that were hidden."""
        said = behind = 0
        for value, type in zip(answer[1], self._types(ask.site, answer[0]), strict=False):
            if is_component(type) and later.named:
                said += 1 if value in later.named else -1
            label = re.escape(label_of(self.game.setting, value, type))
            said += re.search(rf"(?<!\w){label}(?!\w)", later.words) is not None
            behind += sum(one.index(value) for one in lists if value in one)
        return -said, behind

    def _needed(self, particle: Particle, state: State, seen: Observed, fortune: Fortune) -> Names:
        """Exchanges that bring each component to where it must have been, as far as its first move tells."""
        known, found = set[int](), dict[int, int]()
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
                    likes = self.facts.likes
                    others = sorted(fortune.shuffled(others), key=lambda one: likes[one] != likes[card])
                    for other in others[:4]:
                        names = path(self.layout, state, particle.loose, card, other)
                        if names is not None:
                            state, found = self._renamed(particle, state, names), then(found, names)
                            break
        return found

    # ------------------------------------------------------------ one try

    def attempt(
        self, particle: Particle, before: State, answer: Taken | None, seen: Observed, fortune: Fortune
    ) -> Tried | None:
        """The step with an answer (None: the game begins), mended until it shows what was seen."""
        orders, kept = list[list[int]](), list[list[int]]()
        names: Names = {}
        number, best, left = fortune.number(), (-1, 0), ORDERS
        for _ in range(MENDINGS + ORDERS):
            self.tries -= 1
            log: list[Event] = []
            guide = Guide(seen.events, Fortune(number, "draws"), orders)
            try:
                after = self._played(before, answer, log, guide)
            except RulesetFault:
                return None
            self.is_chancy |= guide.is_chancy
            if after is None:
                return None
            told = redacted(log, self.seat, self.game)
            pairs = self._differences(told, after, seen)
            if pairs == []:
                return Tried(before, answer, after, log, names)
            if pairs is not None:
                mended = self._mended(particle, before, orders, pairs, fortune)
            else:
                mended = self._made_way(particle, before, after, told, seen, fortune)
            if mended is not None:
                before, names = self._renamed(particle, before, mended) if mended else before, then(names, mended)
                answer = self._answer_with(before, answer, mended)
                continue
            left -= 1
            if left <= 0 or self.tries <= 0 or not orders:
                return None
            reached = agreement(told, seen.events)
            if reached >= best:
                best, kept = reached, [order[:] for order in orders]
            orders[:] = [order[:] for order in kept]
            exchanged(orders[fortune.below(len(orders))], fortune)
        return None

    def _answer_with(self, state: State, answer: Taken | None, names: Names) -> Taken | None:
        """An answer where components have changed places, one of which it names."""
        decision = self.game.decision(state) if answer is not None and names else None
        if decision is None or answer is None:
            return answer
        types = self._types(decision.site, answer[0])
        values = zip(answer[1], types, strict=False)
        return answer[0], tuple([names.get(value, value) if is_component(type) else value for value, type in values])

    def _types(self, site: int, alternative: int) -> list[Type]:
        """Of an answer, the type of each value."""
        ask = self.game.setting.sites[site]
        if isinstance(ask, core.AskMany):
            return [item_type(ask.source.type)] if not alternative else []
        return [item_type(variable.domain.type) for variable in ask.alternatives[alternative].vars]

    def _played(self, before: State, answer: Taken | None, log: list[Event] | None, guide: Guide) -> State | None:
        if answer is None:
            return self.game.start(guide.fortune.number(), log, guide)
        decision = self.game.decision(before)
        assert decision is not None
        for option in decision.options:
            if option[1:] == answer:
                return self.game.apply(before, option.index, log, guide)
        return None

    def _mended(
        self, particle: Particle, before: State, orders: list[list[int]], pairs: Pairs, fortune: Fortune
    ) -> Names | None:
        """Exchanges in the position that put components where they were seen, or in a shuffle, which is changed; None
        where they can't be there."""
        done, found = set[int](), dict[int, int]()
        for here, wanted in pairs:
            if here in done or wanted in done:
                continue
            done |= {here, wanted}
            order = next((order for order in reversed(orders) if here in order and wanted in order), None)
            if order is not None:
                one, other = order.index(here), order.index(wanted)
                order[one], order[other] = wanted, here
                continue
            names = path(self.layout, before, particle.loose, wanted, here)
            if names is not None and self._lie_in_order(before, here, wanted):
                names = self._elsewhere(particle, before, here, fortune)
            if names is None:
                return None
            before, found = self._renamed(particle, before, names), then(found, names)
        return found

    def _made_way(
        self, particle: Particle, before: State, after: State, told: list[Event], seen: Observed, fortune: Fortune
    ) -> Names | None:
        """An exchange after which somebody may have no choice, who had none: what is offered lies elsewhere."""
        if not particle.loose or len(told) >= len(seen.events) or tuple(told) != seen.events[: len(told)]:
            return None
        mine = self._in_the_way(particle, after, seen.events[len(told)])
        return self._elsewhere(particle, before, mine[fortune.below(len(mine))], fortune) if mine else None

    def _lie_in_order(self, state: State, card: int, other: int) -> bool:
        """Whether two components lie in one zone in the order of their numbers: there is nothing to exchange."""
        here, there = (state.cells[self.layout.location + one] for one in (card, other))
        return here is not None and here == there and self.facts.is_sorted[here]

    def _elsewhere(self, particle: Particle, state: State, card: int, fortune: Fortune) -> Names | None:
        """An exchange that brings a component into another zone."""
        cells, location = state.cells, self.layout.location
        others = [one for one in particle.loose if cells[location + one] != cells[location + card]]
        ways = (path(self.layout, state, particle.loose, other, card) for other in fortune.shuffled(others))
        return next((names for names in ways if names is not None), None)

    def _differences(self, told: Sequence[Event], after: State, seen: Observed) -> Pairs | None:
        """The components that lie in the place of others, each with the one that was seen there. None: something else
        is different."""
        if self.facts.is_open and tuple(told) == seen.events:
            return []
        return differences(self.game.setting, told, after, self.wanted(seen))

    def wanted(self, seen: Observed) -> Wanted:
        """What a step should show, laid out."""
        found = self._wanted.get(id(seen))
        if found is None:
            if len(self._wanted) >= LAID_OUT:
                self._wanted.clear()
            found = self._wanted[id(seen)] = Wanted(self.game, self.seat, seen, self.facts.sees_always)
        return found


def _phrases(words: str) -> set[tuple[str, ...]]:
    """Each three words that follow each other."""
    found = re.findall(r"\w+", words)
    return {tuple(found[n : n + 3]) for n in range(len(found) - 2)}
