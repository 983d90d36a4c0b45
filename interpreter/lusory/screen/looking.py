"""``look NAME``: a component as a seat sees it, and why its values are what they are; a space, or another value, with
what lies there; else what the rules say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from lusory_dsl import core
from lusory_dsl.language.types import BoolType, EnumType, IntType
from lusory_dsl.text.diagnostics import nearest
from lusory_dsl.text.source import Span
from lusory_dsl.wording.glossary import without_clauses

from ..seat.breakdown import Adjustment, Breakdown, OnTheTable, on_the_table, seen_components
from ..seat.view import View
from ..table.events import place_label
from ..table.setting import HIDDEN, Indices
from .lines import styled
from .options import meant
from .text import Line, Run
from .words import capital, said

MOST = 8  # copies of one card, or cards that may be meant, that are shown
Seen = tuple[core.Entity, str, Indices]
Rules = Callable[[str], str | None]
"""The words of the rules about something by any of its names; None where there is nothing of that name."""


def looked_at(
    wanted: str, view: View, names: Sequence[str], rules: Rules, place: Callable[[Span], str] | None = None
) -> tuple[Line, ...]:
    """What a person asks to see: a name, or a reference as ``Space:a1``. ``place``: how a place in the rules is told,
    None where it is not."""
    wanted = wanted.strip()
    if not wanted:
        return (said("Say what: look NAME."),)
    kind, _, name = wanted.partition(":")
    if kind in view.setting.program.enums:
        return _of_value(view, _values_called(view, name, kind)[:1], names, rules)
    wanted = name if kind in view.setting.program.component_kinds else wanted
    seen = list(seen_components(view))
    found = [seen[n] for n in meant(wanted, [(card.name, card.card, card.label) for card, _, _ in seen])]
    if wanted in {card.card for card, _, _ in found}:  # the id of a card means all its copies
        found = [one for one in seen if one[0].card == wanted]
    cards = dict.fromkeys(card.card for card, _, _ in found)
    if len(cards) > 1 and len({card.label for card, _, _ in found}) > 1:
        lines = list(dict.fromkeys(f"{card.label}: {place_label(view.setting, zone, at)}" for card, zone, at in found))
        more = [(Run(f"  and {len(lines) - MOST} more", dim=True),)] if len(lines) > MOST else []
        return (said("That could be:"), *((Run("  "), *said(line, names)) for line in lines[:MOST]), *more)
    if found:
        return tuple(_shown(view, found, names, rules, place))
    return _told(wanted, view, seen, names, rules)


def _told(wanted: str, view: View, seen: Sequence[Seen], names: Sequence[str], rules: Rules) -> tuple[Line, ...]:
    """What the rules say of something that is no component in sight."""
    if (words := rules(wanted)) is not None:
        return _lines(words, names)
    if values := _values_called(view, wanted):
        return _of_value(view, values, names, rules)
    known = view.setting.program.entities
    fits = meant(wanted, [(card.name, card.card, card.label) for card in known])
    if len({known[n].card for n in fits}) == 1:
        name = known[fits[0]].name if any(c.card == known[fits[0]].card for c, _, _ in seen) else known[fits[0]].label
        nowhere = f"No {name} lies where you can see it."
        return (*_lines(rules(known[fits[0]].card) or "", names), (Run(nowhere, dim=True),))
    near = nearest(wanted, [word for card, _, _ in seen for word in (card.label, card.name)])
    suggested = f" Did you mean “{near}”?" if near else ""
    return (said(f"You see no “{wanted}”.{suggested}", names),)


def _values_called(view: View, name: str, within: str | None = None) -> list[tuple[str, int]]:
    """The values of enums that have a name or label, the exact ones first; of all enums those where something can lie
    or be kept."""
    found = [
        (enum.name, number, name in (value.name, value.label))
        for enum in view.setting.program.enums.values()
        if within == enum.name or (within is None and any(True for _ in _places_of(view, enum.name)))
        for number, value in enumerate(enum.values)
        if name.casefold() in (value.name.casefold(), value.label.casefold())
    ]
    return [(enum, number) for enum, number, _ in sorted(found, key=lambda one: not one[2])]


def _places_of(view: View, enum: str) -> Iterator[tuple[str, int]]:
    """The places that have one index from an enum, each with the number of that index."""
    program = view.setting.program
    written = {name: one.dims for name, one in program.variables.items() if one.origin.is_written}
    for name, dims in {**written, **{n: z.dims for n, z in program.zones.items()}}.items():
        for at, dim in enumerate(dims):
            if dim.type == EnumType(enum):
                yield name, at
                break


def _of_value(view: View, values: Sequence[tuple[str, int]], names: Sequence[str], rules: Rules) -> tuple[Line, ...]:
    """Values with what lies at each of them and what is kept of it, as far as the seat sees it; where nothing is, what
    the rules say of them."""
    lines: list[Line] = []
    for enum, number in values:
        value = view.setting.program.enums[enum].values[number]
        lines.append((Run(value.label, bold=True, of=f"{enum}:{value.name}"),))
        for name, at in _places_of(view, enum):
            for indices in view.setting.indices(name):
                if indices[at] == number and (held := _held(view, name, indices)):
                    told = capital(said(f"{place_label(view.setting, name, indices)}: {held}", names))
                    lines.append((Run("  "), *told))
        if len(lines) == 1 and (words := rules(value.name)) is not None:
            lines += _lines(words, names)
    return tuple(lines)


def _held(view: View, name: str, indices: Indices) -> str:
    """What lies at a place, or is kept there, in words; empty for nothing, and for what does not hold."""
    program, place = view.setting.program, view.setting.layout.place(name)
    if name in program.zones:  # how many lie there is public
        cards = view.seen.zones[place.at(indices)]
        return ", ".join(program.entities[card].label if isinstance(card, int) else HIDDEN for card in cards)
    if not view.sees(name, indices):
        return HIDDEN
    value = view.seen.cells[place.at(indices)]
    return "" if value is None or value is False else view.label(value, program.variables[name].type)


def _shown(
    view: View, found: Sequence[Seen], names: Sequence[str], rules: Rules, place: Callable[[Span], str] | None
) -> Iterator[Line]:
    """What is printed on a card, and each of its copies on the table."""
    yield from _lines(rules(found[0][0].card) or "", names)
    for one in found[:MOST]:
        yield ()
        yield from _copy(view, on_the_table(view, *one), names, place)
    if len(found) > MOST:
        yield ()
        yield (Run(f"and {len(found) - MOST} more: look {found[MOST][0].name}", dim=True),)


def _lines(text: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(said(line, names) for line in without_clauses(text).strip().splitlines())


def _copy(view: View, shown: OnTheTable, names: Sequence[str], place: Callable[[Span], str] | None) -> Iterator[Line]:
    where = place_label(view.setting, shown.zone, shown.indices)
    reference = f"{shown.card.kind}:{shown.card.name}"
    yield (Run(shown.card.name, bold=True, of=reference), Run(": "), *said(where, names))
    for variable, value in shown.kept:
        word = styled(said(view.label(value, variable.type), names), bold=True)
        yield (Run(f"  {variable.label or _words(variable.name)} "), *word)
    for value_of in shown.asked:
        yield _value(view, value_of, names, place)


def _value(view: View, found: Breakdown, names: Sequence[str], place: Callable[[Span], str] | None) -> Line:
    """A value with its parts: ``attack 4: 2 printed, +1 Standard bearer``."""
    value = HIDDEN if found.hidden else view.label(found.value, found.query.type)
    line: list[Run] = [Run(f"  {_words(found.query.name.rpartition('.')[2])} "), *styled(said(value, names), bold=True)]
    if not found.changes and not found.hidden:
        return tuple(line)
    line += [Run(": "), *said(_base(view, found), names)]
    for source, changes in groupby(found.changes, key=lambda change: _source(view, change)):
        together = list(changes)
        line += [Run(", "), *said(f"{_effect(view, found, together)} {source}", names)]
        if place is not None and together[0].rule.until is None:
            line.append(Run(f" {place(together[0].rule.span)}", dim=True))
    if found.hidden:
        line.append(Run(", and what you may not see", dim=True))
    return tuple(line)


def _base(view: View, found: Breakdown) -> str:
    whence = "printed" if found.is_printed else "of its own"
    if isinstance(found.query.type, BoolType):
        return whence if found.base else f"not {whence}"
    return f"{view.label(found.base, found.query.type)} {whence}"


def _effect(view: View, found: Breakdown, together: Sequence[Adjustment]) -> str:
    """What changes of one source do: the sum of numbers, the last of other values."""
    if isinstance(found.query.type, IntType):
        return f"{together[-1].after - together[0].before:+d}".replace("-", "−")
    return f"{view.label(together[-1].after, found.query.type)} by"


def _source(view: View, change: Adjustment) -> str:
    """Who or what makes a change, in words."""
    rule, program = change.rule, view.setting.program
    if rule.until is not None:
        return f"until {_words(rule.until)} ends"
    name = _words(rule.rule.partition(" (")[0])
    if change.card is None:
        label = next((card.label for card in program.entities if card.card == rule.rule.partition(" (")[0]), None)
        return label or name
    card = program.entities[change.card]
    return card.label if card.card == rule.rule.partition(" (")[0] else f"{card.label} ({name})"


def _words(name: str) -> str:
    return name.replace("_", " ")
