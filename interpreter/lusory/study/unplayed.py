"""Which cards never come into play in many games, and what nobody ever chooses. Behind ``lusory simulate --unplayed``.

A card was *played* when one of its copies came to lie where all see it, from where not all do: out of a hand or a deck.
Where all see every zone of a kind, such as lots that are bought from an open row, each move from zone to zone counts.
Or, where the author names the zones that count, when one came into such a zone from elsewhere. What begins in a zone
does not come into it. Read from the events of a game, which are the same on every engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lusory_dsl import core
from lusory_dsl.text.diagnostics import did_you_mean

from ..author.tree import place_of, routines_in_play, walk
from ..table.events import ChoiceMade, ComponentsMoved, Event

Use = tuple[str, int, int]
"""A card that was played (``card``, its first copy, 0), or what was chosen (``choice``, site, number)."""


@dataclass(frozen=True)
class Choice:
    """An action, or a named way to answer a choice, with the sites that offer it. ``card``: whose action it is."""

    name: str
    card: str | None
    place: str
    uses: frozenset[Use]

    @property
    def title(self) -> str:
        return self.name if self.card is None else f"{self.name} ({self.card})"


class Unplayed:
    """What is looked for in the games of a program. ``zones``: those that count; none named: all that everybody sees.

    Raises ValueError, in words fit for people, for a zone that the program lacks."""

    def __init__(self, program: core.Program, zones: Sequence[str] = ()) -> None:
        for name in zones:
            if name not in program.zones:
                hint = did_you_mean(name, program.zones)
                words = f": {hint}" if hint else f"; there are: {', '.join(program.zones) or 'none'}"
                raise ValueError(f"no zone of cards is called `{name}`{words}")
        self.zones = tuple(zones)
        self.counting = frozenset(zones) or {z.name for z in program.zones.values() if z.visible.constant == "all"}
        hidden = {str(z.holds) for z in program.zones.values() if z.name not in self.counting}
        self.open = frozenset(z.name for z in program.zones.values() if not zones and str(z.holds) not in hidden)
        self._originals = [_original(entity) for entity in program.entities]
        kinds = {str(program.zones[name].holds) for name in self.counting}
        self.cards = {
            kind: [e for e in program.entities if e.kind == kind and _original(e) == e.number]
            for kind in program.component_kinds
            if kind in kinds
        }
        self.choices = _choices(program)

    def uses(self, log: Iterable[Event]) -> set[Use]:
        """What one game used, from its events."""
        found: set[Use] = set()
        counting, originals = self.counting, self._originals
        for event in log:
            if isinstance(event, ComponentsMoved) and event.target in counting:
                for entity, source in zip(event.components, event.sources, strict=True):
                    if entity is not None and (
                        source is None
                        or source[0] not in counting
                        or (source[0] in self.open and source[0] != event.target)
                    ):
                        found.add(("card", originals[entity], 0))
            elif isinstance(event, ChoiceMade):
                found.add(("choice", event.site, event.alternative))
        return found

    def original(self, card: int) -> int:
        """The first copy of a card."""
        return self._originals[card]

    def unplayed(self, counted: Counter[Use]) -> dict[str, list[core.Entity]]:
        """Of each kind that zones which count hold: the cards that no game played, by their first copy."""
        return {
            kind: [card for card in cards if not counted["card", card.number, 0]] for kind, cards in self.cards.items()
        }

    def untaken(self, counted: Counter[Use]) -> list[Choice]:
        """What nobody chose in any game, as it is written in the ruleset."""
        return [choice for choice in self.choices if not any(counted[use] for use in choice.uses)]

    def to_json(self, counted: Counter[Use]) -> dict[str, Any]:
        """A JSON value. ``cards``: in how many games each was played."""
        return {
            "zones": list(self.zones),
            "cards": {
                kind: {card.card: counted["card", card.number, 0] for card in cards}
                for kind, cards in self.cards.items()
            },
            "unplayed": {kind: [card.card for card in cards] for kind, cards in self.unplayed(counted).items()},
            "untaken": [
                {"choice": choice.name, "card": choice.card, "at": choice.place} for choice in self.untaken(counted)
            ],
        }


def _original(entity: core.Entity) -> int:
    first = entity.fields.get("original", entity.number)
    assert isinstance(first, int)
    return first


def _choices(program: core.Program) -> list[Choice]:
    """Everything with a name that can be chosen. What several sites offer in the same words of the author is one."""
    found: dict[tuple[Any, ...], tuple[core.Alternative, set[Use]]] = {}
    for top, _ in routines_in_play(program):
        for part, _ in walk(top):
            if isinstance(part, core.Ask):
                for number, one in enumerate(part.alternatives):
                    if one.name is not None:
                        key = (one.name, one.original, place_of(one.span))
                        found.setdefault(key, (one, set()))[1].add(("choice", part.site, number))
    return [
        Choice(
            str(one.name),
            None if one.original is None else program.entities[one.original].card,
            f"{one.span.source.name}:{one.span.line}",
            frozenset(uses),
        )
        for one, uses in found.values()
    ]
