"""What a deed changed, by what is left of it in the end, in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from lusory_dsl.language.types import BoolType, ComponentType, OptionalType, PlayerType

from ..seat.marked import reference
from ..table.events import (
    ChanceDecided,
    ComponentsMoved,
    CountersMoved,
    VariableSet,
    ZoneShuffled,
    counted,
    is_bookkeeping,
    place_label,
)
from ..table.setting import Indices, Setting, label_of, type_of_place
from .lines import joined, listed
from .text import Line, Run, plain
from .words import capital, player, said

Where = tuple[str, Indices]
Kinds = list[tuple[int, int]]
"""Kinds of counters, and how many of each."""
MOST_NAMED = 6
"""So many components are named, those of one name together; of more it is said how many they are."""

Change = CountersMoved | ComponentsMoved | VariableSet | ZoneShuffled | ChanceDecided
"""The events that change something on the table."""

_WORD = re.compile(r"\w+")
_LAST_COUNT = re.compile(r" ×\d+$")


@dataclass
class Changes:
    """What changed between two moments, as one seat was told."""

    setting: Setting
    names: Sequence[str]
    counters: dict[int, dict[Where, int]] = field(default_factory=dict)  # kind -> pool -> how many more
    flows: dict[tuple[Where, Where], None] = field(default_factory=dict)  # of counters that are hidden
    cards: dict[int, tuple[Where | None, Where, str]] = field(default_factory=dict)  # whence, whither, and which end
    unseen: dict[tuple[Where | None, Where], int] = field(default_factory=dict)
    values: dict[Where, Any] = field(default_factory=dict)
    earlier: dict[Line, None] = field(default_factory=dict)  # shuffles, and what moved before them
    chances: dict[tuple[str, Any], None] = field(default_factory=dict)  # what chance decided: variable and value

    @property
    def is_empty(self) -> bool:
        return not (
            self.counters or self.flows or self.cards or self.unseen or self.values or self.earlier or self.chances
        )

    def note(self, event: Change) -> None:
        """Add one more event."""
        match event:
            case CountersMoved(counter=counter, amount=n):
                source, target = (event.source, event.source_indices), (event.target, event.target_indices)
                if counter is None or n is None:
                    self.flows[source, target] = None
                    return
                held = self.counters.setdefault(counter, {})
                for where, more in ((source, -n), (target, n)):
                    held[where] = held.get(where, 0) + more
            case ComponentsMoved(target=zone, indices=at):
                for card, whence in zip(event.components, event.sources, strict=True):
                    self._lay(card, whence, (zone, at), event.position)
            case VariableSet(variable=name, indices=at, value=value):
                self.values[name, at] = value
            case ZoneShuffled(zone=zone, indices=at):
                self.earlier |= dict.fromkeys(self._cards())
                self.cards.clear()
                self.unseen.clear()
                self.earlier[capital((*self._the((zone, at)), Run(" is shuffled")))] = None
            case ChanceDecided(name=name, value=value):
                self.chances[name, value] = None
            case _:
                assert_never(event)

    def _lay(self, card: int | None, source: Where | None, target: Where, position: str) -> None:
        if card is None:
            self.unseen[source, target] = self.unseen.get((source, target), 0) + 1
        else:
            first = self.cards.pop(card, (source,))[0]
            self.cards[card] = (first, target, position)

    # ------------------------------------------------------------ in sentences

    def sentences(self) -> Iterator[Line]:
        """What is left of it, a sentence each."""
        rest = [*self._cards(), *self._counters(), *self._values()]
        yield from self.earlier
        yield from self._chances(" ".join(plain(line) for line in rest))
        yield from rest

    def _chances(self, sentences: str) -> Iterator[Line]:
        """What chance decided, unless what came of it tells it: components that went elsewhere, the new value
        of a variable, a word in other sentences."""
        told = [value for (name, _), value in self.values.items() if not is_bookkeeping(self.setting, name)]
        for name, value in self.chances:
            type = self.setting.chances.get(name)
            if value in told or (isinstance(type, ComponentType) and value in self.cards):
                continue
            word = plain(self._chanced(name, value))
            if not word.isdecimal() and re.search(rf"\b{re.escape(word)}\b", sentences):
                continue
            named = f"{name.replace('_', ' ')} " if len(name) > 1 else ""
            yield (Run(f"By chance: {named}"), *self._chanced(name, value))

    def _chanced(self, name: str, value: Any) -> Line:
        type = self.setting.chances.get(name)
        return said(str(value) if type is None else label_of(self.setting, value, type), self.names)

    def heard(self, words: Line) -> None:
        """What is said aloud: what chance decided and these words name is told by them."""
        named = set(_WORD.findall(plain(words)))
        for chance in list(self.chances):
            parts = _WORD.findall(plain(self._chanced(*chance)))
            if parts and named.issuperset(parts):
                del self.chances[chance]

    def _cards(self) -> Iterator[Line]:
        groups: dict[tuple[Where | None, Where, str], list[int]] = {}
        for card, (source, target, position) in self.cards.items():
            if source != target:
                groups.setdefault((source, target, position), []).append(card)
        for (source, target, position), cards in groups.items():
            yield self._gone(self.these(cards), len(cards), source, target, position == "top")
        for (source, target), n in self.unseen.items():
            holds = str(self.setting.program.zones[target[0]].holds)
            plural = self.setting.program.component_plurals.get(holds) or several(holds.lower())
            yield self._gone((Run(f"{n} hidden {holds.lower() if n == 1 else plural}"),), n, source, target, False)

    def these(self, cards: Sequence[int]) -> Line:
        """Some components by name; several without what their labels say further, of many how many more there are."""
        entities = self.setting.program.entities
        kind = ComponentType(entities[cards[0]].kind)
        alike: dict[str, list[int]] = {}
        for n in cards:
            alike.setdefault(called(entities[n].label) if cards[1:] else entities[n].label, []).append(n)
        named = [
            (*said(label, (), reference(self.setting, kind, some[0])), *((Run(f" ×{len(some)}"),) if some[1:] else ()))
            for label, some in alike.items()
        ]
        if len(named) > MOST_NAMED:
            told = list(alike.values())[: MOST_NAMED // 2]
            return (*joined(named[: MOST_NAMED // 2]), Run(f" and {len(cards) - sum(map(len, told))} more"))
        return listed(named)

    def _counters(self) -> Iterator[Line]:
        """Counters that are elsewhere in the end, those of one way together."""
        groups: dict[tuple[Where, Where], Kinds] = {}
        for kind, held in self.counters.items():
            less = [(where, -n) for where, n in held.items() if n < 0]
            more = [(where, n) for where, n in held.items() if n > 0]
            while less and more:
                (source, has), (target, wants) = less.pop(0), more.pop(0)
                n = min(has, wants)
                groups.setdefault((source, target), []).append((kind, n))
                less[:0] = [(source, has - n)] if has > n else []
                more[:0] = [(target, wants - n)] if wants > n else []
        for sources, targets, kinds in self._ways(groups):
            words = [
                said(f"{n} {counted(self.setting, sources[0][0], kind, n)}", (), self._of_kind(sources[0], kind))
                for kind, n in kinds
            ]
            n = sum(n for _, n in kinds)
            yield self._gone(listed(words), n, sources[0], targets[0], False, sources[1:], targets[1:])
        for source, target in self.flows:
            yield self._gone((Run("hidden counters"),), 2, source, target, False)

    def _ways(self, groups: dict[tuple[Where, Where], Kinds]) -> Iterator[tuple[list[Where], list[Where], Kinds]]:
        """Whence and whither counters went: what went to one place from several of a kind, and as many from one place
        to each of several, is one way."""
        left = dict(groups)
        while left:
            (source, target), kinds = next(iter(left.items()))
            from_several = [s for s, t in left if t == target and self._is_one_of(s, source)]
            to_several = [t for (s, t), k in left.items() if s == source and k == kinds and self._is_one_of(t, target)]
            if len(from_several) > 1:
                total: dict[int, int] = {}
                for kind, n in (pair for one in from_several for pair in left.pop((one, target))):
                    total[kind] = total.get(kind, 0) + n
                yield from_several, [target], list(total.items())
            else:
                for one in to_several:
                    left.pop((source, one), None)
                left.pop((source, target), None)
                yield [source], to_several or [target], kinds

    def _is_one_of(self, one: Where, other: Where) -> bool:
        """Whether two places are of one kind, and nobody's own."""
        return one == other or (one[0] == other[0] and self._owner(one) is None)

    def _of_kind(self, pool: Where, kind: int) -> str:
        return reference(self.setting, self.setting.program.pools[pool[0]].holds, kind)

    def _values(self) -> Iterator[Line]:
        for (name, at), value in self.values.items():
            if is_bookkeeping(self.setting, name):
                continue
            type = type_of_place(self.setting.program, name)
            inner = type.item if isinstance(type, OptionalType) else type
            word = label_of(self.setting, value, type)
            between = ": " if isinstance(inner, BoolType) else " is now "
            yield (*said(place_label(self.setting, name, at), self.names), Run(between), *said(word, self.names))

    # ------------------------------------------------------------ ways

    def _gone(
        self,
        what: Line,
        n: int,
        source: Where | None,
        target: Where,
        on_top: bool,
        sources: Sequence[Where] = (),
        targets: Sequence[Where] = (),
    ) -> Line:
        """That something went from one place to another: whose it was and is now says how that is told. ``sources``,
        ``targets``: further places of a kind whence it came, or to each of which as many went."""
        giver = None if source is None else self._owner(source)
        getter = self._owner(target)
        top = "the top of " if on_top else ""
        is_shift = source is not None and source[0] == target[0] and giver is None and bool(source[1])
        come = () if source is None else self._places((source, *sources), what, is_shift)
        go = (Run("each of " if targets else ""), *self._places((target, *targets), what, is_shift))
        if source is None:
            return (*capital(what), Run(f" {'comes' if n == 1 else 'come'} to {top}"), *go)
        if giver is not None and giver == getter:
            way = (Run(" moves "), *what, Run(f" from their {self._bare(source)} to {top}their {self._bare(target)}"))
            return (player(giver, self.names), *way)
        if getter is not None and giver is None:
            way = (Run(" gets "), *what, Run(" from "), *come, Run(self._which("into", target)))
            return (player(getter, self.names), *way)
        if giver is not None:
            way = (Run(" gives "), *what, Run(self._which("from", source)), Run(f" to {top}"), *go)
            return (player(giver, self.names), *way)
        verb = "goes" if n == 1 else "go"
        return (*what, Run(f" {verb} from "), *come, Run(f" to {top}"), *go)

    def _places(self, places: Sequence[Where], what: Line, is_shift: bool) -> Line:
        """Places of one kind. ``is_shift``: from one to another of them, so they are told by what tells them apart,
        which is also left out where it is what went there."""
        if self._owner(places[0]) is not None and len(places) == 1:
            return said(place_label(self.setting, *places[0]), self.names)
        labels = [_apart(place_label(self.setting, *place)) for place in places]
        called = labels[0][0]
        which = [apart for _, apart in labels if apart]
        if is_shift and which:
            return listed([said(apart, self.names) for apart in which])
        if not which or which == [_LAST_COUNT.sub("", plain(what))]:
            return said(f"the {called}", self.names)
        return (*said(f"the {called} (", self.names), *listed([said(apart, self.names) for apart in which]), Run(")"))

    def _owner(self, where: Where) -> int | None:
        dims = self.setting.program.place(where[0]).dims
        return where[1][0] if dims and isinstance(dims[0].type, PlayerType) and where[1] else None

    def _the(self, where: Where) -> Line:
        """A place with its article or its owner."""
        label = place_label(self.setting, *where)
        return said(label if self._owner(where) is not None else f"the {label}", self.names)

    def _bare(self, where: Where) -> str:
        """A place of a player, without the player."""
        label = place_label(self.setting, *where)
        return label.partition("'s ")[2] or label

    def _which(self, word: str, where: Where) -> str:
        """Which of the places of a player it is; nothing where a player has but one for counters."""
        pools = [pool for pool in self.setting.program.pools.values() if pool.dims]
        if where[0] in self.setting.program.pools and len(pools) == 1 and len(pools[0].dims) == 1:
            return ""
        return f" {word} their {self._bare(where)}"


def several(noun: str) -> str:
    """What several of something are called, by the rule."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def called(label: str) -> str:
    """What a component is called, without what its label says further in brackets."""
    return label.partition(" (")[0] or label


def _apart(label: str) -> tuple[str, str]:
    """A place and which of its kind it is: ``House (f1)``."""
    place, _, which = label.partition(" (")
    return place, which.removesuffix(")")
