"""Predict the cost and the certain effects of an option, in a few words.

Costs are counters that leave the pools of the player who chooses. All other changes are effects, except those that the
option's label already says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from lusory_dsl import core
from lusory_dsl.core.constant_analysis import read_by
from lusory_dsl.core.provenance import SAYS
from lusory_dsl.types.types import BoolType, IntType, PlayerType

from ...game import Game
from ...state.decision import Option
from ...state.event_log import (
    Announced,
    ChoiceMade,
    Event,
    GameEnded,
    PhaseBegan,
    VariableSet,
    counter_label,
    is_bookkeeping,
    place_label,
)
from ...state.setting import item_type, label_of, type_of_place
from ...view.redacted_state import HiddenValue
from ...view.seat_view import View
from .log import Changes, Where
from .option_tree import folded
from .text import Line, Run, joined, plain, player, said

MOST_TOLD = 4
"""Maximum number of effects listed for an option."""
MOST_OPTIONS = 150
"""Decisions with more options have no previews."""

NOTHING = "nothing now"
"""The effect of an option that only uses itself up."""


def foretold(game: Game, view: View, choice: Option, label: str, names: Sequence[str]) -> tuple[Line, Line]:
    """Return the cost of an option, and the effects that its label does not say.

    Uses only what the seat that decides can know. A line is empty if there is nothing to say or it is unknown.
    """
    assert view.decision is not None, "somebody is asked"
    if isinstance(view.ask, core.AskMany) or len(view.decision.options) > MOST_OPTIONS:
        return (), ()
    found = game.foreseen(view, choice)
    telling = _Telling(view, choice, names)
    events = list(found.events)
    option = view.ask.alternatives[choice.alternative]
    if option.body and _is_told(option):
        said_of_it = next((at for at, event in enumerate(events) if isinstance(event, Announced)), len(events))
        # The announcement repeats the option for the other players.
        del events[said_of_it : said_of_it + 1]
    try:
        for event in events:
            telling.note(event)
        told = [line for line in telling.results() if plain(line).strip() and not telling.repeats(line, label)]
        costs = joined(telling.costs())
    # The effects concern something that this seat may not know.
    except HiddenValue:
        return (), ()
    if not told and not costs and found.is_complete and _is_merely_used(view, choice, found.events):
        told = [(Run(NOTHING),)]
    if len(told) > MOST_TOLD or (told and not found.is_complete):
        told = [*told[:MOST_TOLD], (Run("…"),)]
    return costs, joined(told)


def _is_told(option: core.Alternative) -> bool:
    """Return whether the option announces itself to others.

    It does so with ``says``, or, if its values are secret, with an announcement as its first statement.
    """
    says = any(isinstance(one, core.Announce) and one.origin.maker == SAYS for one in option.body)
    is_secret = any(variable.secret for variable in option.vars)
    return says or (is_secret and isinstance(option.body[0], core.Announce))


class _Telling:
    """Collect the changes caused by one option, and format them for the player who chooses."""

    def __init__(self, view: View, choice: Option, names: Sequence[str]) -> None:
        self.view, self.names = view, names
        self.setting = view.setting
        self.seat = view.seat
        self.changes = Changes(self.setting, names)
        self.aloud: list[Line] = []
        self.said = set(_said(view, choice))

    def note(self, event: Event) -> None:
        match event:
            case Announced(text=str(words)):
                self.aloud.append(said(words, self.names))
            case GameEnded(reason=reason):
                words = f"the game ends: {reason}" if reason else "the game ends"
                self.aloud.append(said(words, self.names))
            case ChoiceMade() | PhaseBegan() | Announced():
                pass
            case _:
                self.changes.note(event)

    def repeats(self, line: Line, label: str) -> bool:
        """Return whether a line repeats the option's label, or says that the chooser does what the label says."""
        if label.casefold() in plain(line).casefold():
            return True
        if self.seat is None or line not in self.aloud or line[:1] != (player(self.seat, self.names),):
            return False
        return set(_stems(plain(line[1:]))) <= set(_stems(label))

    # ------------------------------------------------------------ counters

    def _held(self, seat: int | None) -> Iterator[tuple[int, Where, int]]:
        """Yield the kind, pool and change of all counters that a player gains or loses."""
        for kind, held in self.changes.counters.items():
            for where, more in held.items():
                if more and self._owner(where) == seat:
                    yield kind, where, more

    def costs(self) -> Iterator[Line]:
        """Yield the counters that the chooser loses, summed over all pools."""
        given: dict[int, tuple[Where, int]] = {}
        for kind, where, more in self._held(self.seat):
            first, n = given.get(kind, (where, 0))
            given[kind] = (where if more < 0 else first, n + more)
        for kind, (where, more) in given.items():
            if more < 0:
                yield self._counters(kind, where, -more)

    def results(self) -> Iterator[Line]:
        """Yield all other changes."""
        gained: dict[int, int] = {}
        for kind, _, more in self._held(self.seat):
            gained[kind] = gained.get(kind, 0) + more
        for kind, where, more in self._held(self.seat):
            if more > 0 and gained[kind] > 0:
                yield (Run("+"), *self._counters(kind, where, more), *self._in(where))
        for seat in range(self.setting.players):
            for kind, where, more in self._held(seat) if seat != self.seat else ():
                sign = "+" if more > 0 else "−"
                yield (player(seat, self.names), Run(f" {sign}"), *self._counters(kind, where, abs(more)))
        yield from self._values()
        yield from self._cards()
        yield from self.aloud

    def _counters(self, kind: int, where: Where, n: int) -> Line:
        return said(f"{n} {counter_label(self.setting, where[0], kind, n)}")

    def _in(self, where: Where) -> Line:
        """Return the name of the pool if a player has several."""
        pools = [pool for pool in self.setting.program.pools.values() if self._is_owned(pool.name)]
        return () if len(pools) == 1 and len(where[1]) == 1 else (Run(f" ({self._place(where)})"),)

    # ------------------------------------------------------------ values and components

    def _values(self) -> Iterator[Line]:
        for (name, at), value in self.changes.values.items():
            if is_bookkeeping(self.setting, name):
                continue
            type = type_of_place(self.setting.program, name)
            dims = self.setting.program.place(name).dims
            named = {(str(dim.type), index) for dim, index in zip(dims, at, strict=False)}
            if named | {(str(type), value)} <= self.said:
                continue
            before = self.view.redacted.cells[self.setting.layout.place(name).at(at)]
            known = self.view.can_see(name, at)
            if known and before == value:
                continue
            now = label_of(self.setting, value, type)
            change = f"{label_of(self.setting, before, type)} → {now}" if known and isinstance(before, int) else now
            yield said(f"{self._place((name, at))} {change}", self.names)

    def _cards(self) -> Iterator[Line]:
        groups: dict[tuple[Where | None, Where], list[int]] = {}
        for card, (source, target, _) in self.changes.cards.items():
            if source != target:
                groups.setdefault((source, target), []).append(card)
        for (_, target), cards in groups.items():
            owner = self._owner(target)
            whose: Line = (Run("the "),) if owner is None else (Run("your "),)
            if owner is not None and owner != self.seat:
                whose = (player(owner, self.names), Run("'s "))
            if {(self.setting.program.entities[card].kind, card) for card in cards} <= self.said:
                yield (Run("to "), *whose, Run(self._place(target)))
            else:
                yield (*self.changes.these(cards), Run(" → "), *whose, Run(self._place(target)))

    # ------------------------------------------------------------ places

    def _place(self, where: Where) -> str:
        """Return the label of a place without its owner."""
        label = place_label(self.setting, *where)
        return label.partition("'s ")[2] or label if self._owner(where) is not None else label

    def _owner(self, where: Where) -> int | None:
        return where[1][0] if self._is_owned(where[0]) else None

    def _is_owned(self, name: str) -> bool:
        dims = self.setting.program.place(name).dims
        return bool(dims) and isinstance(dims[0].type, PlayerType)


def _is_merely_used(view: View, choice: Option, events: Sequence[Event]) -> bool:
    """Return whether an option changes only the numbers and flags that control its own availability."""
    assert isinstance(view.ask, core.Ask), "one thing is chosen"
    program = view.setting.program
    changed = {event.variable for event in events if isinstance(event, VariableSet)}
    if not all(isinstance(type_of_place(program, name), IntType | BoolType) for name in changed):
        return False
    changes_more = not all(isinstance(event, VariableSet | ChoiceMade | PhaseBegan) for event in events)
    return bool(changed) and not changes_more and changed <= _taken(program, view.ask, choice.alternative)


@lru_cache(maxsize=256)
def _taken(program: core.Program, ask: core.Ask, number: int) -> set[str]:
    """Return the places that the availability of an alternative depends on."""
    alternative = ask.alternatives[number]
    wheres = (variable.condition for variable in alternative.vars)
    conditions = [*alternative.conditions, *(where for where in wheres if where is not None)]
    return set().union(*(read_by(each, program.queries, program.zones) for each in conditions))


def _stems(words: str) -> Iterator[str]:
    """Yield the stems of words, so that imperative and third person match: ``discards your``, ``discard the``."""
    for word in folded(words).replace(".", " ").split():
        yield ("the" if word == "your" else word).removesuffix("s").removesuffix("e")


def _said(view: View, choice: Option) -> Iterator[tuple[str, object]]:
    """Yield the types and values that the option's label already says, including the chooser."""
    yield str(PlayerType()), view.seat
    assert isinstance(view.ask, core.Ask), "one thing is chosen"
    variables = view.ask.alternatives[choice.alternative].vars
    for variable, value in zip(variables, choice.values, strict=True):
        yield str(item_type(variable.domain.type)), value
