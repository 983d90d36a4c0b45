"""``look CARD`` at the prompt: a component as a seat sees it, and why its values are what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from lusory_dsl import core
from lusory_dsl.language.types import BoolType, IntType
from lusory_dsl.text.diagnostics import nearest

from ..findings.suites import shown_place
from ..seat.breakdown import Adjustment, Breakdown, OnTheTable, on_the_table, seen_components
from ..seat.view import View
from ..table.events import place_label
from ..table.setting import HIDDEN, Indices
from . import render

WIDE = 100  # columns from which on there is room for where a rule stands
MOST = 8  # copies of one card, or cards that may be meant, that are shown
Seen = tuple[core.Entity, str, Indices]


def look(
    wanted: str,
    view: View,
    names: Sequence[str],
    rules: Callable[[str | None], str],
    fitting: Callable[[Sequence[str], Sequence[str]], list[int]],
    width: int,
) -> RenderableType:
    """What a person asks to see. ``rules``: the words of something by its name. ``fitting``: the numbers of those that
    the typed words may mean, of ids and labels."""
    seen = list(seen_components(view))
    if not wanted:
        return Text("Say which card: look CARD.")
    found = [seen[i] for i in fitting([card.name for card, _, _ in seen], [card.label for card, _, _ in seen])]
    if wanted in {card.card for card, _, _ in found}:  # the id of a card means all its copies
        found = [one for one in seen if one[0].card == wanted]
    cards = dict.fromkeys(card.card for card, _, _ in found)
    if len(cards) > 1:
        lines = list(
            dict.fromkeys(f"  {card.label}: {place_label(view.setting, zone, at)}" for card, zone, at in found)
        )
        more = [Text(f"  and {len(lines) - MOST} more", style="dim")] if len(lines) > MOST else []
        return Group(Text("That could be:"), *(render.words(line, names) for line in lines[:MOST]), *more)
    if found:
        return _shown(view, found, names, rules, width)
    known = view.setting.program.entities
    fits = fitting([card.name for card in known], [card.label for card in known])
    if len({known[i].card for i in fits}) == 1:
        card = known[fits[0]]
        name = card.name if any(other.card == card.card for other, _, _ in seen) else card.label
        nowhere = f"No {name} lies where you can see it."
        return Group(render.words(rules(card.card).strip(), names), Text(nowhere, style="dim"))
    near = nearest(wanted, [word for card, _, _ in seen for word in (card.label, card.name)])
    meant = f" Did you mean “{near}”?" if near else ""
    return render.words(f"You see no “{wanted}”.{meant}", names)


def _shown(
    view: View, found: Sequence[Seen], names: Sequence[str], rules: Callable[[str | None], str], width: int
) -> Group:
    """What is printed on a card, and each of its copies on the table."""
    first = found[0][0]
    parts: list[RenderableType] = [render.words(rules(first.card).strip(), names)]
    for one in found[:MOST]:
        parts += ["", *_copy(view, on_the_table(view, *one), names, width)]
    if len(found) > MOST:
        parts += ["", Text(f"and {len(found) - MOST} more: look {found[MOST][0].name}", style="dim")]
    return Group(*parts)


def _copy(view: View, shown: OnTheTable, names: Sequence[str], width: int) -> Iterable[Text]:
    where = place_label(view.setting, shown.zone, shown.indices)
    yield Text.assemble((shown.card.name, "bold"), ": ", render.words(where, names))
    for variable, value in shown.kept:
        said = render.words(view.label(value, variable.type), names, "bold")
        yield Text.assemble(f"  {variable.label or _words(variable.name)} ", said)
    for value_of in shown.asked:
        yield _value(view, value_of, names, width)


def _value(view: View, found: Breakdown, names: Sequence[str], width: int) -> Text:
    """A value with its parts: ``attack 4: 2 printed, +1 Standard bearer``."""
    value = HIDDEN if found.hidden else view.label(found.value, found.query.type)
    line = Text.assemble(f"  {_words(found.query.name.rpartition('.')[2])} ")
    line.append_text(render.words(value, names, "bold"))
    if not found.changes and not found.hidden:
        return line
    line.append(": ").append_text(render.words(_base(view, found), names))
    for source, changes in groupby(found.changes, key=lambda change: _source(view, change)):
        together = list(changes)
        line.append(", ").append_text(render.words(f"{_effect(view, found, together)} {source}", names))
        if width >= WIDE and together[0].rule.until is None:
            line.append(f" {shown_place(together[0].rule.span)}", "dim")
    if found.hidden:
        line.append(", and what you may not see", "dim")
    return line


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
