"""One step of a world: tried with an answer, and mended until a seat would have been told and shown what it was.

What differs from what was seen is mended where it is a component in the place of another: chance could as well have put
that one there. All else that differs means that this is not how it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lusory_dsl import core
from lusory_dsl.core.knowledge import is_component
from lusory_dsl.language.types import Type

from ..game import Game
from ..table.choices import Decision, RulesetFault
from ..table.events import Event, redact, redacted
from ..table.setting import HIDDEN, item_type, label_of
from ..table.state import State
from .cards import Names, Naming, path, renamed, then
from .differences import agreement, differences
from .facts import Facts
from .fortune import Fortune, Guide, Lots
from .observed import Observed
from .particles import NOTHING, Later, Particle, Taken, Trial, Tried, Turn
from .wanted import Pairs, Wanted

MENDINGS = 60  # of one try at a step
IN_VAIN = 10  # of them one after the other, after which what was told is no nearer to what it should be
ORDERS = 60  # of shuffles in one try, each a little another
LAID_OUT = 128  # steps, so that they are quickly held against positions
NOWHERE = (-1, 0)  # nothing was told yet
NEVER = 1 << 30  # a step that does not come
REDRAWN = 12  # draws of one try of which nothing is told
SCORED = 32  # answers that are weighed by what comes to light later


class Steps:
    """Tries steps of the worlds of one seat. ``tries``: how many may still be tried; ``asked``: how many were tried to
    tell what steps hang on; ``nearest``: how far what was told agreed, in the best of the tries since it was set,
    and ``blamed`` the seats that what was told otherwise is about."""

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
        self.layout, self.facts = game.layout, Facts(game)
        self.tries = self.asked = 0
        self.nearest = NOWHERE
        self.blamed = frozenset[int]()
        self.is_chancy = False  # whether a try since was another by chance
        self._wanted: dict[int, Wanted] = {}  # by the identity of what was seen, which each of them holds

    def _moved(self, particle: Particle, state: State, names: Names, more: Names) -> tuple[State, Names]:
        """A position with further components in each other's places, and which are in others' by then."""
        return (self.renamed(particle, state, more), then(names, more)) if more else (state, names)

    def renamed(self, particle: Particle, state: State, names: Names) -> State:
        return renamed(self.layout, state, names, Naming(particle.names, self.facts.is_sorted))

    def _in_the_way(
        self, particle: Particle, state: State, event: Event | None, orders: Sequence[Sequence[int]] = ()
    ) -> list[int]:
        """The components that are offered where another was taken, and that could as well lie elsewhere."""
        decision = self.game.decision(state)
        if decision is None or event is None or event[:3] != ("choice", decision.seat, decision.site):
            return []
        offered = [card for card in self._components(decision) if card not in event[4]]
        return self._free(particle, offered, orders)

    def _components(self, decision: Decision) -> set[int]:
        """The components that are named in what is offered."""
        found = set[int]()
        for option in decision.options:
            types = self.types(decision.site, option.alternative)
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

    def _ordered(
        self, state: State, answers: list[Taken], fortune: Fortune, later: Later, like: Turn | None
    ) -> list[Taken]:
        """Answers in random order: the one first that was taken before, or stands where that did, unless another was
        sooner told of whoever answers; else those that seem to lead to what came later."""
        if len(answers) < 2:
            return answers
        decision = self.game.decision(state)
        assert decision is not None
        known = None if like is None else self._known(answers, decision, later, like)
        answers = fortune.shuffled(answers)
        answers.sort(key=lambda answer: answer != known)
        if later is NOTHING:
            return answers
        ask = self.game.setting.sites[decision.site]
        owners = self.facts.cell_owners
        lists = [
            (self.facts.listed.get(cell), value)
            for cell, value in later.cells.items()
            if isinstance(value, tuple) and owners.get(cell, decision.seat) == decision.seat
        ]
        wanting = self.wanting(state, later)
        fits = {answer: self._fits(ask, decision.seat, answer, later, lists, wanting) for answer in answers}
        if known in fits and fits[known][0] == min(fits.values())[0]:
            return answers
        answers.sort(key=lambda answer: fits[answer])
        if not (later.cells or later.words) or len(answers) > SCORED:
            return answers
        self.tries -= len(answers) // 4
        return sorted(answers, key=lambda answer: self._misses(state, answer, later))

    def _known(self, answers: list[Taken], decision: Decision, later: Later, like: Turn) -> Taken | None:
        """The answer that was taken in a step before; where it is no longer one, the one that stands in its place,
        unless what it names is shown to lie with another seat later."""
        number, n = like.alike
        if like.answer in answers or like.answer is None or n != len(answers):
            return like.answer
        values = zip(answers[number][1], self.types(decision.site, answers[number][0]), strict=False)
        owners = [later.whose.get(value, decision.seat) for value, type in values if is_component(type)]
        return answers[number] if all(owner == decision.seat for owner in owners) else None

    def wanting(self, state: State, later: Later) -> dict[int, bool]:
        """The components of which something came to light, and whether that is otherwise yet."""
        about = self.facts.about
        found = {about[cell]: False for cell in later.cells if cell in about}
        found.update({about[c]: True for c, value in later.cells.items() if c in about and state.cells[c] != value})
        return found

    def _brought(self, particle: Particle, state: State, later: Later, fortune: Fortune) -> Names:
        """Exchanges after which components are offered of which something comes to light that must be done to them."""
        decision, found = self.game.decision(state), dict[int, int]()
        wanting = self.wanting(state, later) if decision is not None else {}
        if decision is None or decision.seat == self.seat or True not in wanting.values():
            return found
        offered = self._components(decision)
        idle = fortune.shuffled([one for one in offered if one in particle.loose and not wanting.get(one)])
        for card in fortune.shuffled([one for one, is_so in wanting.items() if is_so and one not in offered]):
            names = path(self.layout, state, particle.loose, card, idle[-1]) if idle else None
            if names is not None:
                idle.pop()
                state, found = self.renamed(particle, state, names), then(found, names)
        return found

    def _misses(self, state: State, answer: Taken, later: Later) -> tuple[int, int]:
        """How much an answer leads elsewhere: cells that hold something else than what came to light, and phrases of
        the question that its chooser is asked next that nobody said."""
        try:
            after = self.played(state, answer, None, Guide((), Fortune(0, "draws"), Lots()))
        except RulesetFault:
            after = None
        if after is None:
            return 2 * len(later.cells), 0
        decision, before = self.game.decision(after), self.game.decision(state)
        cells, about = after.cells, self.facts.about
        wrong = [cell for cell, value in later.cells.items() if cells[cell] != value]
        misses = 2 * len(wrong)
        if decision is not None and before is not None and decision.seat == before.seat:
            offered = self._components(decision)
            misses -= any(about.get(cell) in offered for cell in wrong)
        if not later.words or decision is None or before is None or decision.seat != before.seat:
            return misses, 0
        return misses, len(_phrases(self.game.prompt(after, decision)) - _phrases(later.words))

    def _fits(
        self,
        ask: core.Ask | core.AskMany,
        seat: int,
        answer: Taken,
        later: Later,
        lists: Sequence[tuple[Type | None, tuple[Any, ...]]],
        wanting: Mapping[int, bool],
    ) -> tuple[int, int, int]:
        """How badly an answer fits what came later: the later what it names came to light about whoever chooses, the
        worse; then the fewer of its values were named, and not with another seat; then the further behind they stand in
        lists that were hidden.
        ``wanting``: of components of which something came to light, whether that is otherwise yet."""
        said, behind, soon = 0, 0, NEVER
        for value, type in zip(answer[1], self.types(ask.site, answer[0]), strict=False):
            if is_component(type) and value in wanting:
                said += 2 if wanting[value] else -2
            elif is_component(type) and later.named:
                said += -1 if value not in later.named else 1 if later.whose.get(value, seat) == seat else -2
            if later.about and is_component(type) and value.__class__ is int:
                soon = min(soon, later.about.get((seat, self.facts.likes[value]), NEVER))
            label = re.escape(label_of(self.game.setting, value, type))
            said += re.search(rf"(?<!\w){label}(?!\w)", later.words) is not None
            behind += sum(one.index(value) for of, one in lists if of == type and value in one)
        return soon, -said, behind

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
                            state, found = self.renamed(particle, state, names), then(found, names)
                            break
        return found

    # ------------------------------------------------------------ one try

    def attempt(
        self,
        particle: Particle,
        before: State,
        answer: Taken | None,
        seen: Observed,
        fortune: Fortune,
        like: Lots | None = None,
    ) -> Tried | None:
        """The step with an answer (None: the game begins), mended until it shows what was seen. ``like``: the chance
        that it begins with."""
        number, best, left, mended, mixed, redrawn = fortune.number(), (-1, 0), ORDERS, 0, 0, 0
        here = kept = Trial(before, answer, {}, Lots() if like is None else like.copy())
        for _ in range(MENDINGS + ORDERS):
            self.tries -= 1
            log: list[Event] = []
            guide = Guide(seen.events, Fortune(number, "draws"), here.lots, self.seat)
            try:
                after = self.played(here.before, here.answer, log, guide)
            except RulesetFault:
                return None
            if after is None:
                return None
            told = redacted(log, self.seat, self.game)
            pairs = self._differences(told, after, seen)
            if pairs == []:
                done = Tried(here.before, here.answer, after, log, here.names, guide.came_to())
                return done._replace(is_drawn=guide.is_drawn)
            heard = [bool(event[3] >> self.seat & 1) for event in log if event[0] == "random"]
            if heard != guide.heard and left > 0:
                here.lots.heard, left = heard, left - 1
                continue
            reached = agreement(told, seen.events)
            self._blame(reached, told, seen)
            orders = here.lots.orders[: sum(event[0] == "shuffle" for event in told[: reached[0]])]
            self.is_chancy |= guide.is_drawn or bool(orders)
            if reached >= best:
                mended = 0 if reached > best else mended
                best, kept, mixed = reached, here.copy(), len(orders)
            mended += 1
            names = None
            if mended <= IN_VAIN and pairs is not None:
                names = self._mended(particle, here.before, orders, pairs, fortune)
            elif mended <= IN_VAIN:
                names = self._made_way(particle, here.before, orders, after, told, seen, fortune)
            if names is None:
                left -= 1
                ways = min(kept.lots.ways() - 1, REDRAWN)
                if left <= 0 or self.tries <= 0 or not (mixed or redrawn < ways):
                    return None
                here, mended = kept.by_other_chance(mixed, redrawn < ways, fortune), 0
                redrawn += 1
            elif names:
                before, answer = here.before, self._answer_with(here.before, here.answer, names, seen)
                here = Trial(self.renamed(particle, before, names), answer, then(here.names, names), here.lots)
        return None

    def _blame(self, reached: tuple[int, int], told: Sequence[Event], seen: Observed) -> None:
        """Note how far what is told agrees, and who it is about from there on."""
        if reached > self.nearest:
            events = [one for heard in (told, seen.events) for one in heard[reached[0] : reached[0] + 1]]
            self.nearest, self.blamed = reached, frozenset(self.facts.about_seats(events))

    def _answer_with(self, state: State, answer: Taken | None, names: Names, seen: Observed) -> Taken | None:
        """An answer where components have changed places, one of which it names; what of it was told stays."""
        decision = self.game.decision(state) if answer is not None and names else None
        if decision is None or answer is None:
            return answer
        first = seen.events[0] if seen.events else None
        is_told = first is not None and first[:4] == ("choice", decision.seat, decision.site, answer[0])
        told = first[4] if is_told and first is not None else (HIDDEN,) * len(answer[1])
        values = zip(answer[1], self.types(decision.site, answer[0]), told, strict=False)
        return answer[0], tuple(
            [
                names.get(value, value) if is_component(type) and heard == HIDDEN else value
                for value, type, heard in values
            ]
        )

    def types(self, site: int, alternative: int) -> list[Type]:
        """Of an answer, the type of each value."""
        ask = self.game.setting.sites[site]
        if isinstance(ask, core.AskMany):
            return [item_type(ask.source.type)] if not alternative else []
        return [item_type(variable.domain.type) for variable in ask.alternatives[alternative].vars]

    def played(self, before: State, answer: Taken | None, log: list[Event] | None, guide: Guide) -> State | None:
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
        for heres, wanteds in pairs:
            ways = [(here, wanted) for here in heres for wanted in wanteds]
            if len(ways) == 1 and done.intersection(ways[0]):
                continue
            for here, wanted in ways if len(ways) == 1 else fortune.shuffled(ways):
                names = self._put(particle, before, orders, here, wanted, fortune)
                if names is not None:
                    break
            else:
                return None
            done |= {here, wanted}
            if names:
                before, found = self.renamed(particle, before, names), then(found, names)
        return found

    def _put(
        self, particle: Particle, before: State, orders: list[list[int]], here: int, wanted: int, fortune: Fortune
    ) -> Names | None:
        """An exchange that puts a component where another is; of one shuffle it is made there."""
        order = next((order for order in reversed(orders) if here in order and wanted in order), None)
        if order is not None:
            one, other = order.index(here), order.index(wanted)
            order[one], order[other] = wanted, here
            return {}
        names = path(self.layout, before, particle.loose, wanted, here)
        if names is not None and self._lie_in_order(before, here, wanted):
            names = self._elsewhere(particle, before, here, fortune)
        return names

    def _made_way(
        self,
        particle: Particle,
        before: State,
        orders: list[list[int]],
        after: State,
        told: list[Event],
        seen: Observed,
        fortune: Fortune,
    ) -> Names | None:
        """An exchange after which somebody may have no choice, who had none, or one, who had none here: what is offered
        lies elsewhere."""
        n, _ = agreement(told, seen.events)
        n = min(n, len(told))
        event = next((events[n] for events in (seen.events, told) if len(events) > n), None)
        if event is None:
            return None
        if event[0] != "choice":
            return self._led_on(particle, before, orders, after, told[n:], seen, n, fortune)
        held = self._held(event[1], before, after)
        free = self._free(particle, held, orders)
        taken = None
        if n == len(told):
            taken = self._taken(event, seen.events[n + 1 :])
            offered = self._in_the_way(particle, after, event, orders)
            free = [card for card in offered if card != taken] or free
            if taken is not None and taken not in held and free:
                return self._put(particle, before, orders, free[fortune.below(len(free))], taken, fortune)
        others = fortune.shuffled([one for one in (orders[-1] if orders else particle.loose) if one not in held])
        if taken is not None:
            others.sort(key=lambda one: self.facts.likes[one] != self.facts.likes[taken])
        return self._exchange(particle, before, orders, free, others, fortune)

    def _led_on(
        self,
        particle: Particle,
        before: State,
        orders: list[list[int]],
        after: State,
        told: Sequence[Event],
        seen: Observed,
        n: int,
        fortune: Fortune,
    ) -> Names | None:
        """An exchange where another phase begins than it did: of what is shown and was not, else of what lies with
        whoever is asked next. ``told``: from the first event on that differs, which has the number ``n``."""
        events = [*seen.events[n : n + 1], *told[:1]]
        if all(event[0] != "phase" for event in events):
            return None
        shown = {card for event in told if event[0] == "cards" for card in event[1] if card is not None}
        shown -= {card for event in seen.events[n:] if event[0] == "cards" for card in event[1]}
        free = self._free(particle, shown, orders)
        if not free and seen.waiting_for is not None:
            free = self._free(particle, self._held(seen.waiting_for, before, after), orders)
        if not free:
            return None
        card, cells, location = free[fortune.below(len(free))], before.cells, self.layout.location
        others = [one for one in particle.loose if cells[location + one] != cells[location + card]]
        others = fortune.shuffled(orders[-1] if orders and card in orders[-1] else others)
        return self._exchange(particle, before, orders, [card], others, fortune)

    def _exchange(
        self,
        particle: Particle,
        before: State,
        orders: list[list[int]],
        cards: Sequence[int],
        others: Sequence[int],
        fortune: Fortune,
    ) -> Names | None:
        """One of some components in the place of the first of others that may lie there."""
        if not cards:
            return None
        card = cards[fortune.below(len(cards))]
        for other in others:
            names = self._put(particle, before, orders, card, other, fortune)
            if names is not None:
                return names
        return None

    def _free(self, particle: Particle, cards: Iterable[int], orders: Sequence[Sequence[int]]) -> list[int]:
        """Those of some components that could as well lie elsewhere."""
        return [card for card in cards if card in particle.loose or any(card in order for order in orders)]

    def _held(self, seat: int, before: State, after: State) -> set[int]:
        """The components that lie with a seat before a step, or after it."""
        numbers = [number for number, owner in enumerate(self.facts.owners) if owner == seat]
        return {card for number in numbers for state in (before, after) for card in state.zones[number]}

    def _taken(self, choice: Event, later: Sequence[Event]) -> int | None:
        """The component that was taken by a choice, as far as it or the next move of one tells."""
        types = self.types(choice[2], choice[3])
        named = [value for value, type in zip(choice[4], types, strict=False) if is_component(type)]
        if named and named[0].__class__ is int:
            return int(named[0])
        for event in later:
            if event[0] == "cards":
                return None if event[1][0] is None else int(event[1][0])
        return None

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
            found = self._wanted[id(seen)] = Wanted(self.game, self.seat, seen, self.facts.shows_ends)
        return found


def _phrases(words: str) -> set[tuple[str, ...]]:
    """Each three words that follow each other."""
    found = re.findall(r"\w+", words)
    return {tuple(found[n : n + 3]) for n in range(len(found) - 2)}
