"""Accumulate the changes between two moments, as one seat knows them, and format them as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from lusory_dsl.source.source import prepend_the
from lusory_dsl.types.types import BoolType, ComponentType, OptionalType, PlayerType

from ..state.events_redaction_and_text import (
    ChanceDecided,
    ComponentsMoved,
    CountersMoved,
    VariableSet,
    ZoneShuffled,
    format_counter_label,
    format_place_label,
    is_bookkeeping,
)
from ..state.setting_value_limits_builtins_and_names import Indices, Setting, format_value_label, get_place_type
from ..view.table_and_option_text import identify
from .phrase_filling_and_negation import pluralize
from .sentences_to_the_viewer_and_of_choices import strip_brackets
from .styled_text_wrapping_and_values import (
    Line,
    Run,
    capitalize_line,
    join_as_list,
    join_lines,
    make_line,
    name_player,
    set_text,
    to_text,
)

Place = tuple[str, Indices]
Move = tuple[Place | None, Place, str]
"""Source, target and position in the target of a move of a component."""
Kinds = list[tuple[int, int]]
"""Kinds of counters, and the number of each."""
MOST_NAMED = 6
"""Maximum number of components listed by name. Longer lists end with a count."""

Change = CountersMoved | ComponentsMoved | VariableSet | ZoneShuffled | ChanceDecided
"""Events that change something on the table."""

_WORD = re.compile(r"\w+")
_LAST_COUNT = re.compile(r" ×\d+$")


@dataclass
class Changes:
    """Accumulate the changes between two moments, as one seat knows them, and format them as sentences.

    Attributes:
        counters: Kind -> pool -> change of its number.
        routes: Kind -> source and target -> number of counters moved.
        flows: Source and target of moves of hidden counters.
        cards: Component -> source, target and position in the target of its last move.
        steps: Earlier moves of components that have moved on since, in order. A component that came back has none.
        hidden_moves: Source and target -> number of hidden components that moved.
        values: Variable -> its new value.
        shuffles: Sentence about a shuffle or a move before it -> whether the shuffled zone belongs to a player.
        chances: Name and value of each random result.
    """

    setting: Setting
    names: Sequence[str]
    counters: dict[int, dict[Place, int]] = field(default_factory=dict)
    routes: dict[int, dict[tuple[Place, Place], int]] = field(default_factory=dict)
    flows: dict[tuple[Place, Place], None] = field(default_factory=dict)
    cards: dict[int, Move] = field(default_factory=dict)
    steps: list[tuple[int, Move]] = field(default_factory=list)
    hidden_moves: dict[tuple[Place | None, Place], int] = field(default_factory=dict)
    values: dict[Place, Any] = field(default_factory=dict)
    shuffles: dict[Line, bool] = field(default_factory=dict)
    chances: dict[tuple[str, Any], None] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """True if no change is recorded. Counters that went back still count; components that did don't."""
        changes = self.counters, self.flows, self.cards, self.hidden_moves, self.values, self.shuffles, self.chances
        return not any(changes)

    def add_event(self, event: Change) -> None:
        """Add an event.

        A shuffle turns earlier moves of cards into sentences; those to its zone and the shuffle share one.
        """
        match event:
            case CountersMoved(counter=counter, amount=n):
                source, target = (event.source, event.source_indices), (event.target, event.target_indices)
                if counter is None or n is None:
                    self.flows[source, target] = None
                    return
                amounts = self.counters.setdefault(counter, {})
                for place, change in ((source, -n), (target, n)):
                    amounts[place] = amounts.get(place, 0) + change
                moves = self.routes.setdefault(counter, {})
                moves[source, target] = moves.get((source, target), 0) + n
            case ComponentsMoved(target=zone, indices=indices):
                for card, source_place in zip(event.components, event.sources, strict=True):
                    self._record_move(card, source_place, (zone, indices), event.position)
            case VariableSet(variable=name, indices=indices, value=value):
                self.values[name, indices] = value
            case ZoneShuffled(zone=zone, indices=indices):
                sources = self._take_moves_to((zone, indices))
                sentences = (*self._describe_card_moves(), self._describe_shuffle((zone, indices), sources))
                self.shuffles |= dict.fromkeys(sentences, self._find_owner((zone, indices)) is not None)
                self.cards.clear()
                self.steps.clear()
                self.hidden_moves.clear()
            case ChanceDecided(name=name, value=value):
                self.chances[name, value] = None
            case _:
                assert_never(event)

    def _record_move(self, card: int | None, source: Place | None, target: Place, position: str) -> None:
        if card is None:
            self.hidden_moves[source, target] = self.hidden_moves.get((source, target), 0) + 1
            return
        legs = [(source, target, position)]
        if card in self.cards:
            legs = [*(move for moved_card, move in self.steps if moved_card == card), self.cards.pop(card), *legs]
            self.steps = [step for step in self.steps if step[0] != card]
            loop_start = next((i for i, (place, _, _) in enumerate(legs[:-1]) if place == target), None)
            legs = legs[:loop_start]
        self.steps += [(card, leg) for leg in legs[:-1]]
        if legs:
            self.cards[card] = legs[-1]

    def _take_moves_to(self, zone: Place) -> list[tuple[Place | None, int]]:
        """Remove the last moves to a zone, and return their sources, each with the number of components."""
        counts: dict[Place | None, int] = {}
        for card, (source, target, _) in list(self.cards.items()):
            if target == zone and source != zone:
                counts[source] = counts.get(source, 0) + 1
                del self.cards[card]
        for (source, target), n in list(self.hidden_moves.items()):
            if target == zone and source != zone:
                counts[source] = counts.get(source, 0) + n
                del self.hidden_moves[source, target]
        return list(counts.items())

    def _describe_shuffle(self, zone: Place, sources: Sequence[tuple[Place | None, int]]) -> Line:
        """Return a sentence about a shuffle: ``The Deck is shuffled``, or which components are shuffled into it.

        A player who shuffles into an own zone from another is the subject of it.
        """
        owner, n = self._find_owner(zone), sum(n for _, n in sources)
        if not n:
            return capitalize_line((*self._name_place(zone), Run(" is shuffled")))
        noun = Run(f"{n} {self._get_noun(zone, n)}")
        source = sources[0][0] if len(sources) == 1 else None
        if source is not None and owner is not None and self._find_owner(source) == owner:
            move_text = f" from their {self._name_own_place(source)} into their {self._name_own_place(zone)}"
            return (name_player(owner, self.names), Run(" shuffles "), noun, Run(move_text))
        origin = () if source is None else (Run(" from "), *self._label_place(source, (noun,), False))
        return (noun, *origin, Run(f" {'is' if n == 1 else 'are'} shuffled into "), *self._name_place(zone))

    def _get_noun(self, zone: Place, n: int) -> str:
        """Return the name of the components that a zone holds, for a number of them."""
        holds = str(self.setting.program.zones[zone[0]].holds)
        plural = self.setting.program.component_plurals.get(holds) or pluralize(holds.lower())
        return holds.lower() if n == 1 else plural

    # ------------------------------------------------------------ in sentences

    def iterate_sentences(self) -> Iterator[Line]:
        """Yield a sentence, without a full stop, for each change: shuffles, chance, cards, counters, values.

        Examples in this order: ``The Deck is shuffled``, ``By chance: die 4``, ``Ann draws Oak``,
        ``Ann gets 2 Coins from the Bank``, and ``Mood is now 1``. A truth value is ``Mood: yes``. Shuffles of a zone,
        or equal random results, have one sentence. Cards with the same source, target and end of the target share one,
        and so do counters. Cards moved before a shuffle stand before it, but those to its zone share its sentence:
        ``3 cards from the Bin are shuffled into the Deck``. Visible cards that came back have no sentence, nor have
        visible counters that went back the same way, or variables whose label is just their name
        (:func:`is_bookkeeping`). A random result that other sentences tell has none. They tell a card that is in
        ``cards``, and a word (no number) that stands in a later sentence. A variable with a sentence tells an equal
        result; there, a card counts as its entity number. A variable has one sentence with its last value, even if it
        had that value before. A card from Elm to Oak and on to Fir gives two sentences.
        """
        sentences = [*self._describe_card_moves(), *self.iterate_counter_sentences(), *self._describe_values()]
        yield from self.shuffles
        yield from self._describe_chances(" ".join(to_text(line) for line in sentences))
        yield from sentences

    def _describe_chances(self, sentences: str) -> Iterator[Line]:
        """Yield the random results that no other sentence shows.

        A result is left out if its component moved, a variable took its value, or another sentence contains its word.
        """
        values = [value for (name, _), value in self.values.items() if not is_bookkeeping(self.setting, name)]
        for name, value in self.chances:
            type = self.setting.chance_types.get(name)
            if value in values or (isinstance(type, ComponentType) and value in self.cards):
                continue
            word = to_text(self._format_chance(name, value))
            if not word.isdecimal() and re.search(rf"\b{re.escape(word)}\b", sentences):
                continue
            label = f"{name.replace('_', ' ')} " if len(name) > 1 else ""
            yield (Run(f"By chance: {label}"), *self._format_chance(name, value))

    def _format_chance(self, name: str, value: Any) -> Line:
        type = self.setting.chance_types.get(name)
        return make_line(str(value) if type is None else format_value_label(self.setting, value, type), self.names)

    def drop_announced_chances(self, words: Line) -> None:
        """Drop the random results all of whose words occur in an announcement."""
        words_announced = set(_WORD.findall(to_text(words)))
        for chance in list(self.chances):
            chance_words = _WORD.findall(to_text(self._format_chance(*chance)))
            if chance_words and words_announced.issuperset(chance_words):
                del self.chances[chance]

    def has_only_moves_of(self, words: Line) -> bool:
        """Return whether the changes are only moves of visible cards, and ``words`` contains the label of each card in
        ``cards``.

        A label inside a longer word counts: ``Ash`` in ``Ashes``. Moves of hidden cards, shuffles and random results
        are other changes. So are moves of counters, even if these went back. Variables of which players get no line
        (:func:`is_bookkeeping`) don't count, and neither do cards that came back. Return False if ``cards`` is empty.
        """
        other_changes = self.counters or self.flows or self.hidden_moves or self.shuffles or self.chances
        values = [name for name, _ in self.values if not is_bookkeeping(self.setting, name)]
        labels = [self.setting.program.entities[card].label for card in self.cards]
        is_named = bool(labels) and all(label in to_text(words) for label in labels)
        return is_named and not other_changes and not values

    def _describe_card_moves(self) -> Iterator[Line]:
        groups: dict[tuple[int, Move], list[int]] = {}
        counts: dict[int, int] = {}
        for card, move in (*self.steps, *self.cards.items()):
            # The first moves of all components come before their second ones.
            counts[card] = counts.get(card, 0) + 1
            groups.setdefault((counts[card], move), []).append(card)
        for (_, (source, target, position)), cards in sorted(groups.items(), key=lambda group: group[0][0]):
            if source != target:
                yield self._describe_move(self.name_components(cards), len(cards), source, [target], position == "top")
        for (source, target), n in self.hidden_moves.items():
            yield self._describe_move((Run(f"{n} hidden {self._get_noun(target, n)}"),), n, source, [target], False)

    def name_components(self, cards: Sequence[int]) -> Line:
        """Return a Line that lists components by name: ``Axe, Bow ×2 and Club``. ``cards`` must not be empty.

        A name stands where its first component does in ``cards``, and refers to that one. If there are several
        components, labels are cut off before `` (``, and components with the same name are counted. If there are more
        than ``MOST_NAMED`` (6) different names, only the first 3 stay. The number of the other components follows:
        ``Axe, Bow ×2, Club and 5 more``.
        """
        entities = self.setting.program.entities
        kind = ComponentType(entities[cards[0]].kind)
        cards_by_label: dict[str, list[int]] = {}
        for card in cards:
            label = entities[card].label
            cards_by_label.setdefault(strip_brackets(label) if cards[1:] else label, []).append(card)
        names = [
            (
                *make_line(label, (), identify(self.setting, kind, copies[0])),
                *((Run(f" ×{len(copies)}"),) if copies[1:] else ()),
            )
            for label, copies in cards_by_label.items()
        ]
        if len(names) > MOST_NAMED:
            groups = list(cards_by_label.values())[: MOST_NAMED // 2]
            return (*join_lines(names[: MOST_NAMED // 2]), Run(f" and {len(cards) - sum(map(len, groups))} more"))
        return join_as_list(names)

    def iterate_counter_sentences(self) -> Iterator[Line]:
        """Yield sentences about moves of visible counters, then one for each source and target of hidden ones.

        Examples, without a full stop: ``Ann gets 1 Coin from the Bank``, ``Ann gives 1 Coin to the Bank``, and ``hidden
        counters go from Elm to Oak``. Moves with the same source and target share a sentence. Equal moves from one
        place to cells of one pool that no player owns share it, too: ``1 Coin goes from Elm to each of Oak and Fir``. A
        kind that moved earlier comes first. Counters that went back the same way are subtracted. Moves that follow each
        other stay apart: from Elm to Oak, on to Fir and back to Elm gives three sentences.
        """
        groups: dict[tuple[Place, Place], Kinds] = {}
        for kind, routes in self.routes.items():
            for (source, target), n in routes.items():
                # Moves that follow each other stay apart: joined, they would tell of a move that did not happen.
                net = n - routes.get((target, source), 0)
                if net > 0 and source != target:
                    groups.setdefault((source, target), []).append((kind, net))
        targets_by_move: dict[tuple[Place, Place | str, tuple[tuple[int, int], ...]], list[Place]] = {}
        for (source, target), kinds in groups.items():
            pool_or_place = target[0] if self._find_owner(target) is None else target
            targets_by_move.setdefault((source, pool_or_place, tuple(kinds)), []).append(target)
        for (source, _, moved_kinds), targets in targets_by_move.items():
            words = [
                make_line(
                    f"{n} {format_counter_label(self.setting, source[0], kind, n)}",
                    (),
                    identify(self.setting, self.setting.program.pools[source[0]].holds, kind),
                )
                for kind, n in moved_kinds
            ]
            n = sum(n for _, n in moved_kinds)
            yield self._describe_move(join_as_list(words), n, source, targets, False)
        for source, target in self.flows:
            yield self._describe_move((Run("hidden counters"),), 2, source, [target], False)

    def _describe_values(self) -> Iterator[Line]:
        for (name, indices), value in self.values.items():
            if is_bookkeeping(self.setting, name):
                continue
            type = get_place_type(self.setting.program, name)
            base = type.item if isinstance(type, OptionalType) else type
            word = format_value_label(self.setting, value, type)
            verb = ": " if isinstance(base, BoolType) else " is now "
            yield (
                *make_line(format_place_label(self.setting, name, indices), self.names),
                Run(verb),
                *make_line(word, self.names),
            )

    # ------------------------------------------------------------ ways

    def _describe_move(
        self, nouns: Line, n: int, source: Place | None, targets: Sequence[Place], is_on_top: bool
    ) -> Line:
        """Return a sentence that says components or counters moved from one place to another, or to each of several.

        The owners of both places decide the wording.
        """
        target = targets[0]
        giver = None if source is None else self._find_owner(source)
        getter = self._find_owner(target)
        top = "the top of " if is_on_top else ""
        is_shift = source is not None and source[0] == target[0] and giver is None and bool(source[1])
        origin = () if source is None else self._label_place(source, nouns, is_shift)
        destination = join_as_list([self._label_place(place, nouns, is_shift) for place in targets])
        if targets[1:]:
            destination = (Run("each of "), *destination)
        if source is None:
            return (*capitalize_line(nouns), Run(f" {'comes' if n == 1 else 'come'} to {top}"), *destination)
        if giver is not None and giver == getter:
            if self._is_draw(source, target):
                return (name_player(giver, self.names), Run(" draws "), *self._strip_hidden(nouns, n))
            words = (
                Run(" moves "),
                *nouns,
                Run(f" from their {self._name_own_place(source)} to {top}their {self._name_own_place(target)}"),
            )
            return (name_player(giver, self.names), *words)
        if getter is not None and giver is None and self._is_draw(source, target):
            pile = () if self._is_draw_pile(source) else (Run(" from "), *origin)
            return (name_player(getter, self.names), Run(" draws "), *self._strip_hidden(nouns, n), *pile)
        if getter is not None and giver is None:
            words = (Run(" gets "), *nouns, Run(" from "), *origin, Run(self._distinguish_place("into", target)))
            return (name_player(getter, self.names), *words)
        if giver is not None:
            place = self._distinguish_place("from", source)
            words = (Run(" gives "), *nouns, Run(place), Run(f" to {top}"), *destination)
            return (name_player(giver, self.names), *words)
        verb = "goes" if n == 1 else "go"
        return (*nouns, Run(f" {verb} from "), *origin, Run(f" to {top}"), *destination)

    def _label_place(self, place: Place, nouns: Line, is_shift: bool) -> Line:
        """Return the label of a place, with an article if it has no owner.

        For a move between places of the same name (``is_shift``), and for the only pool that has several places, name
        only what tells them apart. Leave that out if it is the name of the thing that moves.
        """
        label = format_place_label(self.setting, *place)
        # A label such as “House (f1)” has the name of the place and its index.
        name, _, index = label.removesuffix(")").partition(" (")
        pools = [pool.name for pool in self.setting.program.pools.values() if pool.dims]
        if self._find_owner(place) is not None:
            return make_line(label, self.names)
        if index and (is_shift or pools == [place[0]]):
            return make_line(index, self.names)
        shown_label = name if index == _LAST_COUNT.sub("", to_text(nouns)) else label
        return make_line(prepend_the(shown_label), self.names)

    def _is_draw(self, source: Place, target: Place) -> bool:
        """Return whether a move draws cards: from a zone that nobody looks into to a player's zone that is not open."""
        zones = self.setting.program.zones
        if source[0] not in zones or target[0] not in zones:
            return False
        visibility = zones[source[0]].visible.constant, zones[target[0]].visible.constant
        return visibility[0] == "nobody" and visibility[1] in ("owner", None)

    def _is_draw_pile(self, source: Place) -> bool:
        """Return whether a zone is the only one of nobody that starts with components that nobody looks into."""
        piles = [
            zone.name
            for zone in self.setting.program.zones.values()
            if zone.visible.constant == "nobody" and (zone.start or zone.part_start is not None)
        ]
        return piles == [source[0]] and not source[1]

    def _strip_hidden(self, nouns: Line, n: int) -> Line:
        """Return ``n`` components without the word "hidden"; a single one as ``a card``."""
        words = tuple(set_text(run, run.text.replace(" hidden ", " ")) for run in nouns)
        if n != 1 or words == tuple(nouns):
            return words
        noun = to_text(words).removeprefix("1 ")
        return (Run(f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"),)

    def _find_owner(self, place: Place) -> int | None:
        dims = self.setting.program.get_place(place[0]).dims
        return place[1][0] if dims and isinstance(dims[0].type, PlayerType) and place[1] else None

    def _name_place(self, place: Place) -> Line:
        """Return the label of a place, with its owner or an article."""
        label = format_place_label(self.setting, *place)
        return make_line(label if self._find_owner(place) is not None else prepend_the(label), self.names)

    def _name_own_place(self, place: Place) -> str:
        """Return the label of a player's place, without the player."""
        label = format_place_label(self.setting, *place)
        return label.partition("'s ")[2] or label

    def _distinguish_place(self, word: str, place: Place) -> str:
        """Return which of a player's places it is. Return "" if the game has only one pool per player."""
        pools = [pool for pool in self.setting.program.pools.values() if pool.dims]
        if place[0] in self.setting.program.pools and len(pools) == 1 and len(pools[0].dims) == 1:
            return ""
        return f" {word} their {self._name_own_place(place)}"


def is_move_within(sentence: Line) -> bool:
    """Return whether a sentence of :class:`Changes` says that a player moves, draws or shuffles own things."""
    is_by_player = bool(sentence) and sentence[0].of.startswith("Player:")
    return is_by_player and sentence[1].text.startswith((" moves ", " draws ", " shuffles "))
