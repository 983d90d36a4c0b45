"""Plays a world on by one step, so that a seat would have been told and shown what it was.

A step is tried with each answer that could have been the observed one, also with components in other places, as far as
no earlier step would have been another.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from zlib import crc32

from lusory_dsl.core.knowledge import is_component

from ..table.choices import RulesetFault
from ..table.setting import fixed_text
from ..table.state import State
from .cards import Loose, Names, Naming, among, dealing, filled, moved, path, renamed, then
from .fortune import Fortune, Guide, Lots
from .observed import NOT_SEEN, Observed
from .particles import FREE, NOTHING, Fork, Hung, Later, Particle, Taken, Tried, Turn, Verdict
from .steps import MENDINGS, ORDERS, Steps

BEGINNINGS = 24  # tries to have the game begin as it did
ANSWERS = 40  # that are tried for one step
DEALS = 8  # of the hidden components, where the first will not do
HALVED = 4  # so often fewer of them are dealt anew, before it is all of them again
WAYS = 24  # components that are put out of the way of an answer
VARIED = 3  # deals with which a step is tried again
ROUND = 16  # components at most that are all tried in each other's places for that
FRONT = 4  # components that are moved in one step, to be looked at in front of others
BARS = 160  # tries to tell which component can't lie where
RIGHTLY = 6  # of those in whose place one is tried that may not lie there
ROUNDS = 8  # in which a step and the earlier ones are mended in turn
FIRST = 16  # steps that could have been others, of those at the beginning
FORKS = 24  # and of the last ones
HUNG = 24  # steps that hang on where components lie, which are remembered
AGAIN = 8  # deals of a world
DEALT = 60  # tries of steps with one of them
TOLD = 2000  # tries to tell what a step hangs on


class Follower(Steps):
    """Plays the worlds of one seat on."""

    def begun(self, seen: Observed, fortune: Fortune) -> Particle | None:
        """A world at the first decision."""
        before = Particle(self.game.initial, {})
        self.tries = BEGINNINGS * (MENDINGS + ORDERS)
        tried = next(self._beginnings(before, seen, fortune, BEGINNINGS), None)
        return None if tried is None else self.after(before, tried, seen)

    def _beginnings(self, before: Particle, seen: Observed, fortune: Fortune, most: int) -> Iterator[Tried]:
        """Ways in which a game can begin; ``most``: that are tried."""
        for _ in range(most):
            if self.tries <= 0:
                return
            tried = self.attempt(before, before.state, None, seen, fortune)
            if tried is not None:
                yield tried

    def followed(
        self,
        particle: Particle,
        seen: Observed,
        fortune: Fortune,
        later: Later = NOTHING,
        like: Turn | None = None,
        deals: int = DEALS,
    ) -> Iterator[Tried]:
        """The steps that a world can take, in random order; those first that seem to lead to what came ``later``, and
        the one that is ``like`` one that was."""
        found, self.is_chancy = False, False
        if particle.state == self.game.initial:
            yield from self._beginnings(particle, seen, fortune, BEGINNINGS)
            return
        for deal in range(deals):
            if found or (deal and not particle.loose and not self.is_chancy):
                return
            names = self._some(particle, deal, fortune) if deal else {}
            state = self.renamed(particle, particle.state, names) if names else particle.state
            state, names = self._moved(particle, state, names, self._needed(particle, state, seen, fortune))
            if later.cells and particle.loose:
                state, names = self._moved(particle, state, names, self._brought(particle, state, later, fortune))
            answers = self.answers(state, seen)
            if not answers and particle.loose:
                state, names = self._moved(particle, state, names, self._out_of_the_way(particle, state, seen, fortune))
                answers = self.answers(state, seen)
            if not answers:
                self._blame((0, 0), (), seen)
            for answer in self._ordered(state, answers, fortune, later, like)[:ANSWERS]:
                if self.tries <= 0:
                    return
                tried = self._agreeing(particle, state, names, answer, seen, fortune, like)
                if tried is not None:
                    found = True
                    yield tried._replace(alike=(answers.index(answer), len(answers)))

    def _agreeing(
        self,
        particle: Particle,
        state: State,
        names: Names,
        answer: Taken,
        seen: Observed,
        fortune: Fortune,
        like: Turn | None,
    ) -> Tried | None:
        """A step of a world after which the earlier ones that hang on where components lie are as they were. Where one
        of them would be another, it is mended, and all are tried once more. ``like``: the chance it begins with."""
        taken: Taken | None = answer
        lots = None if like is None else like.lots
        for _ in range(ROUNDS if particle.hung else 1):
            tried = self.attempt(particle, state, taken, seen, fortune, lots)
            if tried is None or self.tries <= 0:
                return None
            names = then(names, tried.moved)
            more: dict[int, int] = {}
            hung = self.rehung(particle.hung, names, fortune, more)
            if hung is not None:
                return tried._replace(hung=hung, moved=names)
            if not more or not self._allows(particle, particle.state, then(names, more)):
                return None
            state, names = self._moved(particle, tried.before, names, more)
            taken = self._answer_with(state, tried.answer, more, seen)
        return None

    def _allows(self, particle: Particle, state: State, names: Names) -> bool:
        """Whether components may lie in each other's places."""
        zones = (state.cells[self.layout.location + slot] for slot in names)
        return all(
            zone is not None and particle.loose.get(card, 0) >> zone & 1
            for zone, card in zip(zones, names.values(), strict=True)
        )

    def _some(self, particle: Particle, deal: int, fortune: Fortune) -> Names:
        """Some of the loose components dealt anew, the fewer the more steps hang on where they lie: all of them once,
        half of them the next time, …"""
        left = len(particle.loose) >> deal % HALVED
        held = set(fortune.shuffled(list(particle.loose))[left:]) if left < len(particle.loose) else set[int]()
        return self.dealing(particle, held, fortune)

    def _out_of_the_way(self, particle: Particle, state: State, seen: Observed, fortune: Fortune) -> Names:
        """Exchanges after which an answer is offered that was given: what is offered in its place lies elsewhere then,
        one component after the other."""
        found: Names = {}
        for _ in range(WAYS):
            mine = self._in_the_way(particle, state, seen.events[0] if seen.events else None)
            names = self._elsewhere(particle, state, mine[fortune.below(len(mine))], fortune) if mine else None
            if names is None:
                return found
            state, found = self._moved(particle, state, found, names)
            if self.answers(state, seen):
                return found
        return found

    def rehung(
        self, hung: tuple[Hung, ...], names: Names, fortune: Fortune, more: dict[int, int] | None = None
    ) -> tuple[Hung, ...] | None:
        """The steps that hang on where components lie, with these in each other's places all the time; None where one
        would have been another. ``more`` is then given what else may change places so that it would not."""
        if not names:
            return hung
        found = []
        for one in hung:
            mine = among(names, one.still)
            if not mine:
                found.append(one)
                continue
            if not self._may_lie(one, mine):
                if more is not None:
                    more.update(self._instead(one, names, mine, fortune))
                return None
            before = renamed(self.layout, one.tried.before, mine, Naming(one.names, self.facts.is_sorted))
            still = frozenset([mine.get(card, card) for card in one.still])
            loose = {} if more is None else {card: zones for card, zones in one.loose.items() if card in still}
            lots = one.tried.lots.copy()
            lots.orders = [[mine.get(card, card) for card in order] for order in lots.orders]
            again = self._again(one.tried, before, one.seen, fortune, mine, loose, lots)
            if again is not None and again.moved and more is not None:
                more.update(again.moved)
            if again is None or again.moved or not self._agree(one.tried, again.after, one.seen):
                return None
            if not self._lie_alike(one, mine, again.after):
                return None
            found.append(one._replace(tried=again, still=still))
        return tuple(found)

    def _instead(self, hung: Hung, names: Names, mine: Names, fortune: Fortune) -> Names:
        """Another component in the place of one that can't have lain there before a step."""
        cells, location = hung.tried.before.cells, self.layout.location
        for slot, card in mine.items():
            zone = cells[location + slot]
            if slot in hung.still and zone is not None and not hung.loose.get(card, 0) >> zone & 1:
                for other in fortune.shuffled([one for one, zones in hung.loose.items() if zones >> zone & 1]):
                    if other not in names and other not in mine:
                        return {card: other, other: card}
        return {}

    def _lie_alike(self, hung: Hung, names: Names, after: State) -> bool:
        """Whether components lie after a step where the others lay in whose places they were before it."""
        location, then = self.layout.location, hung.tried.after.cells
        cards = hung.still | names.keys()
        return all(after.cells[location + names.get(card, card)] == then[location + card] for card in cards)

    def _may_lie(self, hung: Hung, names: Names) -> bool:
        """Whether components may have lain in each other's places before a step."""
        cells, location = hung.tried.before.cells, self.layout.location
        return all(
            cells[location + slot] is not None and hung.loose.get(card, 0) >> cells[location + slot] & 1
            for slot, card in names.items()
        )

    def after(self, particle: Particle, tried: Tried, seen: Observed, verdict: Verdict = FREE) -> Particle:
        """The world after a step."""
        known = particle.loose
        if verdict.barred:
            cells, location = tried.before.cells, self.layout.location
            left = {card: zones & ~verdict.barred.get(card, 0) for card, zones in known.items()}
            known = {c: left[c] if left[c] >> cells[location + c] & 1 else zones for c, zones in known.items()}
        loose = moved(self.layout, self.seat, tried.before, tried.log, tried.after, seen, known)
        names = tuple([cell for cell in self.wanted(seen).hidden if cell in self.facts.naming])
        own = [cell for cell in self.game.awaited(tried.after) if cell in self.facts.naming]
        hung = tried.hung
        if not verdict.is_free:
            hung = (*hung, Hung(particle.names, tried._replace(hung=()), seen, frozenset(known), known))
        if hung:
            gone = self._shuffled(tried)
            hung = tuple([h._replace(still=still) for h in hung if (still := (h.still & loose.keys()) - gone)])
        turn = Turn(tried.answer, tried.lots, verdict, self._mark(tried.after, seen), tried.alike)
        forks = particle.forks
        if tried.alike[1] > 1 or tried.is_drawn:
            fork = Fork(len(particle.turns), particle._replace(forks=(), turns=()))
            forks = (*forks[:FIRST], *forks[FIRST:][1 - FORKS :], fork)
        turns = (*particle.turns, turn)
        return Particle(
            tried.after, loose, (*names, *own), particle.exact and len(hung) <= HUNG, hung[-HUNG:], turns, forks
        )

    def _mark(self, state: State, seen: Observed) -> int:
        """What stands and lies out of sight, as a number that is the same for the same, on every machine."""
        wanted, cells = self.wanted(seen), state.cells
        held = [cells[cell] for cell in (*wanted.hidden, *self.game.awaited(state))]
        return hash((crc32(repr(held).encode()), *(tuple(state.zones[number]) for number, _, _ in wanted.closed)))

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
        if len(particle.loose) < 2 or not (particle.exact and seen.events):
            return FREE
        held = {card for event in seen.events if event[0] == "cards" for card in event[1] if card is not None}
        choosers = {event[1] for event in tried.log if event[0] == "choice" and event[1] != self.seat}
        is_telling = any(event[0] == "choice" and event[2] in self.facts.telling for event in tried.log)
        left, self.tries = self.tries, TOLD
        tried = self._in_front(particle, tried, seen, held | self._chosen(seen), fortune)
        barred = self._barred(particle, tried, seen, held, choosers, fortune) if choosers and is_telling else {}
        kept = particle._replace(loose={card: z & ~barred.get(card, 0) for card, z in particle.loose.items()})
        found = Verdict(barred, self._same(kept, tried, seen, held, fortune))
        self.asked += TOLD - self.tries
        self.tries = left
        return found

    def _chosen(self, seen: Observed) -> set[int]:
        """The components that somebody is told to have chosen."""
        found = set[int]()
        for event in seen.events:
            types = self.types(event[2], event[3]) if event[0] == "choice" else []
            named = zip(event[4] if types else (), types, strict=False)
            found.update(value for value, type in named if is_component(type) and value.__class__ is int)
        return found

    def _in_front(
        self, particle: Particle, tried: Tried, seen: Observed, held: Collection[int], fortune: Fortune
    ) -> Tried:
        """A step with what is told of it in front of all else that could lie elsewhere, if it goes the same: of several
        copies the first may be the one that is offered, and in which order they lie nobody knows."""
        state, names, location = tried.before, dict[int, int](), self.layout.location
        for card in held if len(held) <= FRONT else ():
            number = state.cells[location + card]
            if number is None or card not in particle.loose or self.facts.is_sorted[number]:
                continue
            first = next(
                one for one in state.zones[number] if one in particle.loose and (one == card or one not in held)
            )
            if first != card:
                way = {first: card, card: first}
                state, names = self.renamed(particle, state, way), then(names, way)
        if not names or self.rehung(particle.hung, names, fortune) is None:
            return tried
        again = self._again(tried, state, seen, fortune)
        return tried if again is None or not self._agree(tried, again.after, seen) else again

    def _same(self, particle: Particle, tried: Tried, seen: Observed, held: Container[int], fortune: Fortune) -> bool:
        """Whether a step goes the same with its loose components dealt anew; of few each lies once in the place of each
        other, as far as it may."""
        here = particle._replace(state=tried.before)
        cells, location = tried.before.cells, self.layout.location
        free = fortune.shuffled([card for card in particle.loose if card not in held])
        for turn in range(1, max(VARIED + 1, len(free) if len(free) <= ROUND else 0)):
            names: Names = dict(zip(free, free[turn:] + free[:turn], strict=True))
            if turn >= len(free) or any(
                cells[location + slot] is None or not particle.loose[card] >> cells[location + slot] & 1
                for slot, card in names.items()
            ):
                names = self.dealing(here, held, fortune)
            other = self._again(tried, self.renamed(here, tried.before, names), seen, fortune, names)
            if other is None or not self._agree(tried, other.after, seen):
                return False
        return True

    def _agree(self, tried: Tried, other: State, seen: Observed) -> bool:
        """Whether two positions hold the same in cells that a seat doesn't see and that hold no components, as far as
        they still matter."""
        naming = self.facts.naming
        cells = [c for c in (*self.wanted(seen).hidden, *self.game.awaited(tried.after)) if c not in naming]
        return all(tried.after.cells[cell] == other.cells[cell] for cell in cells)

    def _again(
        self,
        tried: Tried,
        before: State,
        seen: Observed,
        fortune: Fortune,
        names: Names | None = None,
        loose: Loose | None = None,
        lots: Lots | None = None,
    ) -> Tried | None:
        """A step from another position, if it shows the same. ``names``: which components lie there in the places of
        others; ``loose``: those that may change places for it; ``lots``: its chance, to begin with; else what was drawn
        is drawn again, and shuffles are others."""
        decision = self.game.decision(before)
        if tried.answer is None or decision is None or len(decision.options) < 2:
            return None
        answers = self.answers(before, seen)
        if not answers:
            return None
        number, n = tried.alike
        same = None if names is None else self._answer_with(tried.before, tried.answer, names, seen)
        if same in answers:
            answer = same
        elif n == len(answers):  # as good a card as the one that was taken, where it is another's now
            answer = answers[number]
        else:
            answer = tried.answer if tried.answer in answers else answers[fortune.below(len(answers))]
        lots = lots or Lots(draws=tried.lots.draws, heard=tried.lots.heard)
        other = self.attempt(Particle(before, loose or {}), before, answer, seen, fortune, lots)
        return None if other is None else other._replace(alike=(answers.index(answer), len(answers)))

    def _barred(
        self,
        particle: Particle,
        tried: Tried,
        seen: Observed,
        held: Container[int],
        choosers: Container[int],
        fortune: Fortune,
    ) -> dict[int, int]:
        """The components of which each, lying with one of those who chose, would have made the step another. As many as
        they hold are tried at once, and one by one where that makes a difference."""
        cells, location, zones = tried.before.cells, self.layout.location, tried.before.zones
        barred, left = dict[int, int](), BARS * self.facts.ease // 4
        for number, owner in enumerate(self.facts.owners):
            others = [card for card in zones[number] if card in particle.loose and card not in held]
            if owner not in choosers or not others:
                continue
            fit = [c for c, z in particle.loose.items() if z >> number & 1 and c not in held]
            fit = fortune.shuffled([card for card in fit if cells[location + card] != number])
            single = fit if len(others) == 1 else []
            for start in range(0, len(fit) if len(others) > 1 else 0, len(others)):
                group = fit[start : start + len(others)]
                placed, state = self._placed(particle, tried.before, group, fortune.shuffled(others))
                left -= 1
                is_alike = left <= 0 or self._again(tried, state, seen, fortune) is not None
                single += [card for card in group if card not in placed] if is_alike else group
            for card in single:
                order = fortune.shuffled(others)
                ways = [self._placed(particle, tried.before, [card], order[n:]) for n in range(min(3, len(order)))]
                ways = [way for way in ways if way[0]]
                left -= len(ways)
                if ways and left > 0 and all(self._again(tried, one, seen, fortune) is None for _, one in ways):
                    barred[card] = barred.get(card, 0) | 1 << number
        return self._rightly(particle, tried, seen, barred, held, fortune)

    def _rightly(
        self,
        particle: Particle,
        tried: Tried,
        seen: Observed,
        barred: dict[int, int],
        held: Container[int],
        fortune: Fortune,
    ) -> dict[int, int]:
        """What is left of what was barred once each is tried with those in its place that are not barred from there:
        it may have been they that made the step another."""
        loose, zones = particle.loose, tried.before.zones
        left, found = {card: loose[card] & ~bits for card, bits in barred.items()}, dict(barred)
        for card, bits in barred.items():
            for number in [number for number in range(bits.bit_length()) if bits >> number & 1]:
                may = particle._replace(loose={**loose, **left, card: left[card] | 1 << number})
                others = fortune.shuffled([one for one in zones[number] if one in loose and one not in held])
                ways = [self._placed(may, tried.before, [card], [other]) for other in others]
                for _, state in [way for way in ways if way[0]][:RIGHTLY]:
                    if self._again(tried, state, seen, fortune) is not None:
                        found[card] &= ~(1 << number)
                        left[card] |= 1 << number
                        break
        return {card: bits for card, bits in found.items() if bits}

    def _placed(
        self, particle: Particle, state: State, group: Sequence[int], others: list[int]
    ) -> tuple[list[int], State]:
        """Some components in the places of others, as far as they may lie there; those that do, and the position."""
        placed = []
        for card in group:
            for other in others:
                way = path(self.layout, state, particle.loose, card, other)
                if way is not None:
                    state = self.renamed(particle, state, way)
                    placed.append(card)
                    others = [one for one in others if one != other]
                    break
        return placed, state

    def dealing(self, particle: Particle, held: Container[int], fortune: Fortune) -> Names:
        """New places for the loose components of a world."""
        return dealing(self.layout, particle.state, particle.loose, held, fortune)

    def dealt(self, particle: Particle, fortune: Fortune) -> State:
        """The position of a world with its loose components dealt anew, so that no step of its history would have been
        another; as it is where that is not found."""
        for deal in range(AGAIN):
            names = self._some(particle, deal, fortune)
            self.tries = DEALT
            if self.rehung(particle.hung, names, fortune) is None:
                continue
            state = self.renamed(particle, particle.state, names)
            if not names or self._asks_the_same(state, particle.state):
                return state
        return self.renamed(particle, particle.state, {})

    def _asks_the_same(self, state: State, other: State) -> bool:
        """Whether as many options are offered, and of one's own decision the same ones."""
        one, two = self.game.decision(state), self.game.decision(other)
        if one is None or two is None:
            return one is two
        if one[:2] != two[:2] or len(one.options) != len(two.options):
            return False
        if one.seat != self.seat:
            return True
        if one.site in self.facts.telling and tuple(one.options) != tuple(two.options):
            return False
        if fixed_text(self.game.setting.sites[one.site].prompt) is not None:
            return True
        # all that the seat sees is alike, so that the words are where the locals are
        is_alike = tuple(self.game.locals_of(state)) == tuple(self.game.locals_of(other))
        return is_alike or self.game.prompt(state, one) == self.game.prompt(other, two)

    def patched(self, particle: Particle, seen: Observed, fortune: Fortune) -> Particle:
        """A position that shows what a seat sees now, made of one that a step may have led to; the rest of it agrees
        with nothing. Where no answer leads to the same question the position asks another."""
        decision, near = self.game.decision(particle.state), particle.state
        options = [] if decision is None else fortune.shuffled(decision.options)[:ANSWERS]
        for option in options:
            try:
                after = self.played(particle.state, option[1:], [], Guide(seen.events, fortune, Lots()))
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
