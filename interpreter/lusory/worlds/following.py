"""Plays a world on by one step, so that a seat would have been told and shown what it was.

A step is tried with each answer that could have been the observed one. What differs from what was seen is mended where
it is a component in the place of another: chance could as well have put that one there. All else that differs means
that this is not how it was.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.knowledge import is_component

from ..game import Game
from ..table.choices import RulesetFault
from ..table.events import Event, redact, redacted
from ..table.setting import item_type, label_of
from ..table.state import State
from .cards import Loose, Names, Naming, dealing, filled, moved, path, renamed, then
from .differences import Pairs, differences
from .facts import Facts
from .fortune import Fortune, Guide
from .observed import NOT_SEEN, Observed, observed

MENDINGS = 60  # of one try at a step
ANSWERS = 40  # that are tried for one step
DEALS = 5  # of the hidden components, where the first will not do
VARIED = 3  # deals with which a step is tried again
BARS = 160  # tries to tell which component can't lie where
HUNG = 24  # steps that hang on where components lie, which are remembered
AGAIN = 6  # deals of a world
SCORED = 32  # answers that are weighed by what comes to light later
Taken = tuple[int, tuple[Any, ...]]


class Particle(NamedTuple):
    """A world and what is taken for granted in it. ``loose``: components that could as well lie elsewhere. ``names``:
    the cells in which hidden components are named. ``exact``: its history agrees with all that the seat was told and
    shown. ``hung``: the steps of this history that could have been others, had loose components lain elsewhere."""

    state: State
    loose: Loose
    names: tuple[int, ...] = ()
    exact: bool = True
    hung: tuple[Hung, ...] = ()


class Later(NamedTuple):
    """What came to light later: values of cells that were hidden, words that were said, components that were named."""

    cells: Mapping[int, Any]
    words: str = ""
    named: frozenset[int] = frozenset()


NOTHING = Later({})


class Tried(NamedTuple):
    """A step of a world: the position before it, the answer, the position after it, and all that happened. ``moved``:
    how it was mended, and ``hung`` what that made of earlier steps."""

    before: State
    answer: Taken | None
    after: State
    log: list[Event]
    moved: Names
    hung: tuple[Hung, ...] = ()


class Hung(NamedTuple):
    """A step that hangs on where components lay. ``still``: those that have been out of sight and as they were
    since."""

    names: tuple[int, ...]
    tried: Tried
    seen: Observed
    still: frozenset[int]


class Verdict(NamedTuple):
    """What a step says of components out of sight. ``barred``: those that can't have lain in zones, with the bits of
    these; ``is_free``: whether it would have gone the same wherever the others lay."""

    barred: Mapping[int, int]
    is_free: bool


FREE = Verdict({}, True)


class Follower:
    """Plays the worlds of one seat on. ``tries``: how many steps may still be tried."""

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
        self.layout, self.facts = game.layout, Facts(game)
        self.tries = 0

    def begun(self, seen: Observed, fortune: Fortune) -> Particle | None:
        """A world at the first decision."""
        initial = self.game.initial
        tried = self.attempt(Particle(initial, {}), initial, None, seen, fortune)
        return None if tried is None else self.after(Particle(initial, {}), tried, seen)

    def followed(self, particle: Particle, seen: Observed, fortune: Fortune, later: Later = NOTHING) -> Iterator[Tried]:
        """The steps that a world can take, in random order; those first that seem to lead to what came ``later``."""
        found = False
        for deal in range(DEALS if particle.loose else 1):
            if found:
                return
            names = self.dealing(particle, (), fortune) if deal else {}
            state = self._renamed(particle, particle.state, names) if names else particle.state
            needed = self._needed(particle, state, seen, fortune)
            state, names = self._renamed(particle, state, needed) if needed else state, then(names, needed)
            for answer in self._ordered(state, self.answers(state, seen), fortune, later)[:ANSWERS]:
                if self.tries <= 0:
                    return
                tried = self.attempt(particle, state, answer, seen, fortune)
                hung = None if tried is None else self.rehung(particle.hung, then(names, tried.moved), fortune)
                if tried is not None and hung is not None:
                    found = True
                    yield tried._replace(hung=hung)

    def rehung(self, hung: tuple[Hung, ...], names: Names, fortune: Fortune) -> tuple[Hung, ...] | None:
        """The steps that hang on where components lie, with these in each other's places all the time; None where one
        would have been another."""
        if not names:
            return hung
        found = []
        for one in hung:
            mine = {card: other for card, other in names.items() if card in one.still}
            if mine.keys() != set(mine.values()):
                return None
            if mine:
                before = renamed(self.layout, one.tried.before, mine, Naming(one.names, self.facts.is_sorted))
                again = self._again(one.tried, before, one.seen, fortune)
                if again is None or not self._agree(one.tried, again.after, one.seen):
                    return None
                found.append(one._replace(tried=again))
            else:
                found.append(one)
        return tuple(found)

    def _renamed(self, particle: Particle, state: State, names: Names) -> State:
        return renamed(self.layout, state, names, Naming(particle.names, self.facts.is_sorted))

    def after(self, particle: Particle, tried: Tried, seen: Observed, verdict: Verdict = FREE) -> Particle:
        """The world after a step."""
        known = particle.loose
        if verdict.barred:
            cells, location = tried.before.cells, self.layout.location
            left = {card: zones & ~verdict.barred.get(card, 0) for card, zones in known.items()}
            known = {c: left[c] if left[c] >> cells[location + c] & 1 else zones for c, zones in known.items()}
        loose = moved(self.layout, self.seat, tried.before, tried.log, tried.after, seen, known)
        names = tuple([c for c in self.facts.naming if c < len(seen.cells) and seen.cells[c] is NOT_SEEN])
        own = [cell for cell in self.game.awaited(tried.after) if cell in self.facts.naming]
        hung = tried.hung
        if not verdict.is_free:
            hung = (*hung, Hung(particle.names, tried._replace(hung=()), seen, frozenset(particle.loose)))
        if hung:
            gone = self._shuffled(tried)
            hung = tuple([h._replace(still=still) for h in hung if (still := (h.still & loose.keys()) - gone)])
        return Particle(tried.after, loose, (*names, *own), particle.exact and len(hung) <= HUNG, hung[-HUNG:])

    def _shuffled(self, tried: Tried) -> set[int]:
        """The components that were shuffled in a step: where they lay before tells nothing any more."""
        if all(event[0] != "shuffle" for event in tried.log):
            return set()
        gone, zones = set[int](), [set(zone) for zone in tried.before.zones]
        for event in tried.log:
            if event[0] == "shuffle":
                gone |= zones[self.layout.zones[event[1]].at(event[2])]
            elif event[0] == "cards":
                for zone in zones:
                    zone -= set(event[1])
                zones[self.layout.zones[event[2]].at(event[3])] |= set(event[1])
        return gone

    def verdict(self, particle: Particle, tried: Tried, seen: Observed, fortune: Fortune) -> Verdict:
        """Whether a step hangs on where components lie that could lie elsewhere. Where a choice tells something, each
        is tried that could lie with whoever chose; then several anew."""
        if len(particle.loose) < 2:
            return FREE
        held = {card for event in seen.events if event[0] == "cards" for card in event[1] if card is not None}
        chosen = [event for event in tried.log if event[0] == "choice" and event[1] != self.seat]
        is_telling = any(event[2] in self.facts.telling for event in chosen)
        barred = dict[int, int]()
        if is_telling:
            barred = self._barred(particle, tried, seen, held, {event[1] for event in chosen}, fortune)
        kept = particle._replace(loose={card: z & ~barred.get(card, 0) for card, z in particle.loose.items()})
        return Verdict(barred, self._same(kept, tried, seen, held, fortune))

    def _same(self, particle: Particle, tried: Tried, seen: Observed, held: Container[int], fortune: Fortune) -> bool:
        """Whether a step goes the same with its loose components dealt anew."""
        here = particle._replace(state=tried.before)
        for _ in range(VARIED):
            position = self._renamed(here, tried.before, self.dealing(here, held, fortune))
            other = self._again(tried, position, seen, fortune)
            if other is None or not self._agree(tried, other.after, seen):
                return False
        return True

    def _agree(self, tried: Tried, other: State, seen: Observed) -> bool:
        """Whether two positions hold the same in cells that a seat doesn't see and that hold no components, as far as
        they still matter."""
        naming = self.facts.naming
        hidden = [cell for cell, value in enumerate(seen.cells[: self.layout.location]) if value is NOT_SEEN]
        cells = [cell for cell in (*hidden, *self.game.awaited(tried.after)) if cell not in naming]
        return all(tried.after.cells[cell] == other.cells[cell] for cell in cells)

    def _again(self, tried: Tried, before: State, seen: Observed, fortune: Fortune) -> Tried | None:
        """A step from another position, if it shows the same."""
        decision = self.game.decision(before)
        if tried.answer is None or decision is None or len(decision.options) < 2:
            return None
        answers = self.answers(before, seen)
        if not answers:
            return None
        offered = self.answers(tried.before, seen)
        if len(offered) == len(answers):  # as good a card as the one that was taken, where it is another's now
            answer = answers[offered.index(tried.answer)]
        else:
            answer = tried.answer if tried.answer in answers else answers[fortune.below(len(answers))]
        return self.attempt(Particle(before, {}), before, answer, seen, fortune)

    def _barred(
        self,
        particle: Particle,
        tried: Tried,
        seen: Observed,
        held: Container[int],
        choosers: Container[int],
        fortune: Fortune,
    ) -> dict[int, int]:
        """The components of which each, lying with one of those who chose, would have made the step another."""
        cells, location, zones = tried.before.cells, self.layout.location, tried.before.zones
        barred, left = dict[int, int](), BARS * self.facts.ease // 4
        for number, owner in enumerate(self.facts.owners):
            others = [card for card in zones[number] if card in particle.loose and card not in held]
            if owner not in choosers or not others:
                continue
            for card, allowed in particle.loose.items():
                if not allowed >> number & 1 or cells[location + card] == number or card in held or left <= 0:
                    continue
                ways = (path(self.layout, tried.before, particle.loose, card, one) for one in fortune.shuffled(others))
                some = [names for names in ways if names is not None][:2]
                left -= len(some)
                positions = (self._renamed(particle, tried.before, names) for names in some)
                if some and all(self._again(tried, one, seen, fortune) is None for one in positions):
                    barred[card] = barred.get(card, 0) | 1 << number
        return barred

    def dealing(self, particle: Particle, held: Container[int], fortune: Fortune) -> Names:
        """New places for the loose components of a world."""
        return dealing(self.layout, particle.state, particle.loose, held, fortune)

    def dealt(self, particle: Particle, fortune: Fortune) -> State:
        """The position of a world with its loose components dealt anew, so that no step of its history would have been
        another; as it is where that is not found."""
        for _ in range(AGAIN):
            names = self.dealing(particle, (), fortune)
            if self.rehung(particle.hung, names, fortune) is None:
                continue
            state = self._renamed(particle, particle.state, names)
            if not names or self._asks_the_same(state, particle.state):
                return state
        return self._renamed(particle, particle.state, {})

    def _asks_the_same(self, state: State, other: State) -> bool:
        """Whether as many options are offered, and of one's own decision the same ones."""
        one, two = self.game.decision(state), self.game.decision(other)
        if one is None or two is None:
            return one is two
        if one[:2] != two[:2] or len(one.options) != len(two.options):
            return False
        return one.seat != self.seat or one.site not in self.facts.telling or tuple(one.options) == tuple(two.options)

    def patched(self, particle: Particle, seen: Observed, fortune: Fortune) -> Particle:
        """A position that shows what a seat sees now, made of one that a step may have led to; the rest of it agrees
        with nothing. Where no answer leads to the same question the position asks another."""
        decision, near = self.game.decision(particle.state), particle.state
        options = [] if decision is None else fortune.shuffled(decision.options)[:ANSWERS]
        for option in options:
            try:
                after = self._played(particle.state, option[1:], [], Guide(seen.events, fortune, []))
            except RulesetFault:
                continue
            if after is not None and self._waits_alike(after, seen):
                near = after
                break
        cells, layout = near.cells[:], self.layout
        cells[: layout.location] = [
            here if value is NOT_SEEN else value
            for here, value in zip(near.cells, seen.cells[: layout.location], strict=False)
        ]
        lying = {card for zone in seen.zones for card in zone if card is not NOT_SEEN}
        zones, rest = filled(near.zones, seen.zones, lying, self.facts.kinds)
        for number, zone in enumerate(zones):
            for card in zone:
                cells[layout.location + card] = number
        for card in rest:
            cells[layout.location + card] = None
        hidden = self.facts.zones_for(n for n, zone in enumerate(seen.zones) if NOT_SEEN in zone)
        entities = self.game.program.entities
        loose = {card: hidden[entities[card].kind] for zone in zones for card in zone if card not in lying}
        return Particle(State(cells, zones, []), loose, exact=False)

    def _waits_alike(self, state: State, seen: Observed) -> bool:
        view = self.game.view(state, self.seat)
        site = None if view.decision is None else view.decision.site
        wanted = None if seen.asked is None else seen.asked[0]
        return (view.waiting_for, view.phase, site) == (seen.waiting_for, seen.phase, wanted)

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
        number, values = answer
        domains = [ask.source] if isinstance(ask, core.AskMany) else [v.domain for v in ask.alternatives[number].vars]
        said = behind = 0
        for value, domain in zip(values, domains, strict=False):
            type = item_type(domain.type)
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
                    for other in fortune.shuffled(others)[:4]:
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
        orders: list[list[int]] = []
        names: Names = {}
        number = fortune.number()
        for _ in range(MENDINGS):
            self.tries -= 1
            log: list[Event] = []
            try:
                after = self._played(before, answer, log, Guide(seen.events, Fortune(number, "draws"), orders))
            except RulesetFault:
                return None
            if after is None:
                return None
            pairs = self._differences(log, after, seen)
            if pairs is None:
                return None
            if not pairs:
                return Tried(before, answer, after, log, names)
            mended = self._mended(particle, before, orders, pairs)
            if mended is None:
                return None
            before, names = self._renamed(particle, before, mended) if mended else before, then(names, mended)
        return None

    def _played(self, before: State, answer: Taken | None, log: list[Event] | None, guide: Guide) -> State | None:
        if answer is None:
            return self.game.start(guide.fortune.number(), log, guide)
        decision = self.game.decision(before)
        assert decision is not None
        for option in decision.options:
            if option[1:] == answer:
                return self.game.apply(before, option.index, log, guide)
        return None

    def _mended(self, particle: Particle, before: State, orders: list[list[int]], pairs: Pairs) -> Names | None:
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
            if names is None:
                return None
            before, found = self._renamed(particle, before, names), then(found, names)
        return found

    def _differences(self, log: list[Event], after: State, seen: Observed) -> Pairs | None:
        """The components that lie in the place of others, each with the one that was seen there. None: something else
        is different."""
        told = redacted(log, self.seat, self.game)
        if self.facts.is_open and tuple(told) == seen.events:
            return []
        return differences(self.game.setting, told, lambda: observed(self.game.view(after, self.seat), ()), seen)


def _phrases(words: str) -> set[tuple[str, ...]]:
    """Each three words that follow each other."""
    found = re.findall(r"\w+", words)
    return {tuple(found[n : n + 3]) for n in range(len(found) - 2)}
