"""Answer `look`, `why`, `explain`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from lusory_dsl import core
from lusory_dsl.explain.reference_lists import without_clauses
from lusory_dsl.explain.vocabulary import sentence
from lusory_dsl.source.diagnostics import nearest
from lusory_dsl.source.source import Span, humanised
from lusory_dsl.types.types import PLAYER, BoolType, EnumType, IntType, Type

from ...game import Game
from ...state.event_log import counted, is_bookkeeping, place_label
from ...state.setting import HIDDEN, Indices, Value
from ...state.state import State
from ...view.reasons import Adjustment, Breakdown, OnTheTable, on_the_table, seen_components
from ...view.view import View
from .options import by_reference, details, matching, meant
from .panels import panels_of
from .screen import Players, Question
from .text import Line, Run, capital, joined, plain, player, said, styled

RULES = "--rules"
"""What is typed behind a question by who wants the places in the rules, too."""


def with_rules(wanted: str) -> tuple[str, bool]:
    """What is asked about, and whether with places in the rules."""
    words = wanted.split()
    return " ".join(word for word in words if word != RULES), RULES in words


def file_to_save(words: str) -> str:
    """Returns the file that a person named behind ``save``, "" for none.

    Raises ValueError for an option, with words for people: the game must not land in a file of that name."""
    if words.startswith("--"):
        raise ValueError(f"There is no option {words.split()[0]}; save FILE says where the game is saved.")
    return words.strip()


def asked_why(
    wanted: str,
    game: Game,
    state: State,
    question: Question,
    names: Sequence[str],
    place: Callable[[Span], str] | None = None,
) -> tuple[Line, ...]:
    """Why the seat that decides can't choose something now: what it would take and what there is. ``place``: how a
    place in the rules is told; then it is told in the author's words."""
    wanted = wanted.strip()
    if not wanted:
        return (said("Say which option: why OPTION."),)
    is_open = () if _is_closed_action(wanted, game, state) else matching(question.options, wanted)
    for seat, name in enumerate(names, 1):
        wanted = re.sub(rf"\b{re.escape(name)}\b", f"P{seat}", wanted)
    if is_open:
        told: Line = (Run("“"), *question.options[is_open[0]].label, Run("” is open to you."))
        return (told, *_other_ways(wanted, game, state, names))
    lines: list[Line] = []
    for reason in game.why_not(state, wanted, plainly=place is None):
        facts = [capital(said(_ended(fact), names)) for fact in reason.facts]
        if place is None and facts and reason.message.startswith("it "):
            lines += facts
            continue
        lines += [capital(said(_ended(reason.message), names)), *((Run("  "), *fact) for fact in facts)]
        if place is not None and reason.span is not None:
            lines.append((Run(f"  {place(reason.span)}", dim=True),))
    return tuple(lines)


def _is_closed_action(wanted: str, game: Game, state: State) -> bool:
    """Whether an action is called so that stands beside those which are open, and is not."""
    decision = game.decision(state)
    ask = None if decision is None else game.setting.sites[decision.site]
    if decision is None or not isinstance(ask, core.Ask):
        return False
    names = [humanised(str(alternative.name)).casefold() for alternative in ask.alternatives]
    there = {option.alternative for option in decision.options}
    return any(name == wanted.casefold() and number not in there for number, name in enumerate(names))


def _other_ways(wanted: str, game: Game, state: State, names: Sequence[str]) -> Iterator[Line]:
    """What stands against other actions with a thing with which something can be done."""
    decision = game.decision(state)
    ask = None if decision is None else game.setting.sites[decision.site]
    named = [one for one in ask.alternatives if one.name is not None] if isinstance(ask, core.Ask) else []
    if any(wanted.casefold().startswith(f"{humanised(str(one.name))} ".casefold()) for one in named):
        return  # one of them is meant
    for alternative in named:
        if not alternative.vars:
            continue
        action = str(alternative.name)
        of_action = game.why_not(state, action, plainly=True)  # not a matter of this thing
        for reason in game.why_not(state, f"{action} {wanted}", plainly=True):
            if reason not in of_action and reason.message.startswith("it needs") and reason.facts:
                facts = "; ".join(reason.facts)
                yield capital(said(f"{humanised(action)} is not open: {_ended(facts)}", names))


def _ended(sentence: str) -> str:
    """A sentence with one mark at its end."""
    return sentence if sentence.endswith(("?", "!", ".")) else f"{sentence}."


FEW = 4
"""Of so many options about a thing it is told what they cost and what comes of them."""


def offered(wanted: str, question: Question | None) -> tuple[Line, ...]:
    """What can be chosen now that is about a name, or a reference: with what it costs and what comes of it. Nothing
    where that is known of none."""
    if question is None or question.several:
        return ()
    about = by_reference(question.options).get(wanted) or matching(question.options, wanted)
    told = [question.options[number] for number in about]
    if len(told) > FEW or not any(map(details, told)):
        return ()
    return ((), *((Run("Now: ", bold=True), *option.label, *details(option)) for option in told))


MOST = 8  # places of one card, or cards that may be meant, that are shown
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
    if (seat := _seat_called(wanted, names)) is not None:
        return tuple(_of_player(view, seat, names))
    if kind in view.setting.program.enums:
        return _of_value(view, _values_called(view, name, kind)[:1], names, rules)
    kind_named = kind in view.setting.program.component_kinds
    wanted = name if kind_named else wanted
    seen = list(seen_components(view))
    found = [seen[n] for n in meant(wanted, [(card.name, card.card, card.label) for card, _, _ in seen])]
    if wanted in {card.card for card, _, _ in found}:  # the id of a card means all its copies
        found = [one for one in seen if one[0].card == wanted]
    called = {word.casefold() for card, _, _ in found for word in (card.name, card.card, card.label)}
    if not kind_named and wanted.casefold() not in called and rules(wanted) is not None:
        return _told(wanted, view, seen, names, rules)  # a word of the rules, that stands on cards too
    cards = dict.fromkeys(card.card for card, _, _ in found)
    if len(cards) > 1 and len({card.label for card, _, _ in found}) > 1:
        lines = list(dict.fromkeys(f"{card.label}: {_where(view, zone, at)}" for card, zone, at in found))
        more = [(Run(f"  and {len(lines) - MOST} more", dim=True),)] if len(lines) > MOST else []
        return (said("That could be:"), *((Run("  "), *said(line, names)) for line in lines[:MOST]), *more)
    if found:
        return tuple(_shown(view, found, names, rules, place))
    return _told(wanted, view, seen, names, rules)


def _seat_called(wanted: str, names: Sequence[str]) -> int | None:
    """The seat of a player, by name or reference."""
    called = ((f"{PLAYER}:P{seat}".casefold(), name.casefold()) for seat, name in enumerate(names, 1))
    return next((seat for seat, words in enumerate(called) if wanted.casefold() in words), None)


def _of_player(view: View, seat: int, names: Sequence[str]) -> Iterator[Line]:
    """A player's row of the table, also what has no room there."""
    you = (Run(" (you)", dim=True),) if seat == view.seat else ()
    yield (player(seat, names), *you)
    for panel in panels_of(view, names):
        for column in panel.columns if isinstance(panel, Players) else ():
            cell = column.cells[seat]
            if cell is not None and any(map(plain, cell.lines)):
                yield (Run(f"  {column.title} ", dim=True), *joined(cell.lines, " "))


def _told(wanted: str, view: View, seen: Sequence[Seen], names: Sequence[str], rules: Rules) -> tuple[Line, ...]:
    """What the rules say of something that is no component in sight."""
    values, words = _values_called(view, wanted), rules(wanted)
    if values and (words is None or any(_held_at(view, *value) for value in values)):
        lying = _of_value(view, values, names, rules)
        more = () if words is None else _lines(words, names)
        return lying if {*more} <= {*lying} else (*lying, (), *more)
    if words is not None:
        return _lines(words, names)
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
    kept = (one for name, one in program.variables.items() if not is_bookkeeping(view.setting, name))
    written = {one.name: one.dims for one in kept if one.origin.is_written}
    zones = {name: zone.dims for name, zone in program.zones.items()}
    pools = {name: pool.dims for name, pool in program.pools.items()}
    for name, dims in {**written, **zones, **pools}.items():
        for at, dim in enumerate(dims):
            if dim.type == EnumType(enum):
                yield name, at
                break


def _of_value(view: View, values: Sequence[tuple[str, int]], names: Sequence[str], rules: Rules) -> tuple[Line, ...]:
    """Values with what lies at each of them and what is kept of it, as far as the seat sees it, and what the rules say
    of them."""
    lines: list[Line] = []
    for enum, number in values:
        value = view.setting.program.enums[enum].values[number]
        lines.append((Run(value.label, bold=True, of=f"{enum}:{value.name}"),))
        held = [(Run("  "), *capital(said(held, names))) for held in _held_at(view, enum, number)]
        words = rules(value.name)
        lines += [*held, *([()] if held and words else []), *_lines(words or "", names)]
    return tuple(lines)


def _held_at(view: View, enum: str, number: int) -> list[str]:
    """What lies at a value and is kept of it, with the place: ``Board (a1): Knight``."""
    return [
        f"{_where(view, name, indices)}: {held}"
        for name, at in _places_of(view, enum)
        for indices in view.setting.indices(name)
        if indices[at] == number and (held := _held(view, name, indices))
    ]


def _where(view: View, name: str, indices: Indices) -> str:
    """A place in words, that of the seat that looks as its own."""
    label = place_label(view.setting, name, indices)
    own = "" if view.seat is None else f"P{view.seat + 1}'s "
    return f"your {label.removeprefix(own)}" if own and label.startswith(own) else label


def _held(view: View, name: str, indices: Indices) -> str:
    """What lies at a place, or is kept there, in words; empty for nothing, and for what does not hold."""
    program, place = view.setting.program, view.setting.layout.place(name)
    if name in program.zones:  # how many lie there is public
        cards = view.seen.zones[place.at(indices)]
        labels = Counter(program.entities[card].label if isinstance(card, int) else HIDDEN for card in cards)
        return ", ".join(_times(label, n) for label, n in labels.items())
    if not view.sees(name, indices):
        return HIDDEN
    if name in program.pools:
        held = ((kind, view.seen.cells[place.at((*indices, kind))]) for kind in program.pools[name].kinds)
        return ", ".join(f"{n} {counted(view.setting, name, kind, int(n))}" for kind, n in held if n)
    value = view.seen.cells[place.at(indices)]
    return "" if value is None or value is False else view.label(value, program.variables[name].type)


def _shown(
    view: View, found: Sequence[Seen], names: Sequence[str], rules: Rules, place: Callable[[Span], str] | None
) -> Iterator[Line]:
    """What is printed on a card, and each of its copies on the table; those of which the same is told in one place
    together."""
    yield from _lines(rules(found[0][0].card) or "", names)
    alike: dict[tuple[str, tuple[Line, ...]], list[core.Entity]] = {}
    for card, zone, at in found:
        told = tuple(_told_of(view, on_the_table(view, card, zone, at), names, place))
        alike.setdefault((_where(view, zone, at), told), []).append(card)
    for (where, told), cards in list(alike.items())[:MOST]:
        label = _times(cards[0].label, len(cards))
        yield ()
        yield (Run(label, bold=True, of=f"{cards[0].kind}:{cards[0].name}"), Run(": "), *said(where, names))
        yield from told
    if len(alike) > MOST:
        yield ()
        yield (Run(f"and in {len(alike) - MOST} more places", dim=True),)


def _times(label: str, n: int) -> str:
    return label if n == 1 else f"{label} ×{n}"


def _lines(text: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(said(line, names) for line in without_clauses(text).strip().splitlines())


def _told_of(
    view: View, shown: OnTheTable, names: Sequence[str], place: Callable[[Span], str] | None
) -> Iterator[Line]:
    """What is to be told of one component: what is as it was made in a line, what something has changed below, each
    with what did. Keywords that nothing has changed are printed on it."""
    plain_ones = [
        _named(view, variable.label, value, variable.type, names) for variable, value in shown.kept if variable.label
    ]
    changed = []
    for found in shown.asked:
        if found.changes or found.hidden:
            changed.append(_value(view, found, names, place))
        elif found.query.name not in view.setting.program.keywords:
            plain_ones.append(_named(view, _name_of(found.query), found.value, found.query.type, names))
    if plain_ones:
        yield (Run("  "), *capital(joined(plain_ones)))
    yield from changed


def _named(view: View, name: str, value: Value, type: Type, names: Sequence[str]) -> Line:
    """``attack 4``; of what holds its name alone."""
    if isinstance(type, BoolType):
        return (Run(name if value else f"not {name}"),)
    return (Run(f"{name} "), *styled(said(view.label(value, type), names), bold=True))


def _name_of(query: core.Query) -> str:
    return _words(query.name.rpartition(".")[2])


def _value(view: View, found: Breakdown, names: Sequence[str], place: Callable[[Span], str] | None) -> Line:
    """A value with its parts: ``attack 4: 2 printed, +1 Standard bearer``."""
    value = HIDDEN if found.hidden else view.label(found.value, found.query.type)
    line: list[Run] = [Run(f"  {sentence(_name_of(found.query))} "), *styled(said(value, names), bold=True)]
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
