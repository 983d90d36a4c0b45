"""Copies of a card that are offered: which of them nobody at the table can tell apart, so that one stands for all.

Two are alike where they are of one card, lie side by side in one place among none but their like, and all that is kept
of each is the same. Then whichever is chosen, the same is left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.language.types import ComponentType, Type

from ..seat.sight import Unknown
from ..seat.view import View
from ..table.choices import Option as Choice
from ..table.setting import Indices, Value, item_type
from .model import Option
from .text import plain


def with_copies(view: View, choices: Sequence[Choice], options: Sequence[Option]) -> tuple[Option, ...]:
    """The options, each with the number of the first that is like it in ``like``."""
    reads = [(tuple(run.text for run in option.path), plain(option.label)) for option in options]
    if len(set(reads)) == len(reads):
        return tuple(options)
    signs = _Signs(view)
    first: dict[Hashable, int] = {}
    found = []
    for number, (choice, option) in enumerate(zip(choices, options, strict=True)):
        about = (plain(option.cost), plain(option.result))
        like = first.setdefault((reads[number], about, choice.alternative, *signs.of(choice)), number)
        found.append(option if like == number else replace(option, like=like))
    return tuple(found)


class _Signs:
    """What tells components apart on a position, as a seat sees it."""

    def __init__(self, view: View) -> None:
        self.view, self.setting = view, view.setting
        self.program = view.setting.program
        self._known: dict[int, Hashable] = {}

    def of(self, choice: Choice) -> Iterator[Hashable]:
        """What tells the values of an option apart from those of others."""
        ask = self.view.ask
        assert isinstance(ask, core.Ask)
        variables = ask.alternatives[choice.alternative].vars
        for variable, value in zip(variables, choice.values, strict=True):
            of = item_type(variable.domain.type)
            is_card = isinstance(of, ComponentType) and type(value) is int
            yield self._card(value) if is_card else _plain(value)

    def _card(self, card: int) -> Hashable:
        if card not in self._known:
            self._known[card] = self._sign(card)
        return self._known[card]

    def _sign(self, card: int) -> Hashable:
        """Where it lies, behind how many others that are not like it, and what is kept of it."""
        seen, layout = self.view.seen, self.setting.layout
        zone = seen.cells[layout.location + card]
        if type(zone) is not int or self._is_named(card):
            return ("alone", card)
        cards = seen.zones[zone]
        own = (self.program.entities[card].card, self._kept(card))
        begins = cards.index(card)
        while begins and type(before := cards[begins - 1]) is int and own == self._own(before):
            begins -= 1
        return (own, zone, begins)

    def _own(self, card: int) -> Hashable:
        return (self.program.entities[card].card, self._kept(card))

    def _is_named(self, card: int) -> bool:
        """Whether something that is kept speaks of this very card."""
        kind = ComponentType(self.program.entities[card].kind)
        for name, variable in self.program.variables.items():
            if _holds(variable.type, kind):
                for at in self.setting.indices(name):
                    value = self.view.seen.cells[self.setting.layout.places[name].at(at)]
                    if value.__class__ is not Unknown and (value == card or card in _all(value)):
                        return True
        return False

    def _kept(self, card: int) -> Hashable:
        """All that is kept of a component, of each place with an index of its kind."""
        kind = ComponentType(self.program.entities[card].kind)
        seen, layout = self.view.seen, self.setting.layout
        found: list[tuple[str, Indices, Hashable]] = []
        for name in (*layout.places, *layout.zones):
            dims = self.program.place(name).dims
            where = [at for at, dim in enumerate(dims) if dim.type == kind]
            for indices in self.setting.indices(name) if where else ():
                if not any(indices[at] == card for at in where):
                    continue
                others = tuple(i for at, i in enumerate(indices) if at not in where)
                if name in layout.zones:
                    found.append((name, others, tuple(map(_plain, seen.zones[layout.zones[name].at(indices)]))))
                    continue
                pool = self.program.pools.get(name)
                for kind_of in [(k,) for k in pool.kinds] if pool is not None else [()]:
                    found.append((name, others, _plain(seen.cells[layout.places[name].at((*indices, *kind_of))])))
        return tuple(found)


def _holds(type: Type, kind: ComponentType) -> bool:
    """Whether values of a type are components of a kind, or lists of them."""
    return kind.name in str(type)


def _all(value: Value) -> Sequence[Value]:
    return value if isinstance(value, list | tuple) else ()


def _plain(value: Value) -> Hashable:
    """A value to be compared; what is unknown is like all that is."""
    if value.__class__ is Unknown:
        return "?"
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else (type(value).__name__, value)
