"""The laws of a ruleset's data: invariants that read no state, so that they can be tested before anything is played.

Used by every command that checks a ruleset. They are worked out here and not in the language, which has no evaluator:
a second one for constants alone would have to agree with this one for ever.
"""

from __future__ import annotations

from typing import NoReturn

from lusory_dsl import core
from lusory_dsl.language.types import ComponentType
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.source import Span

from ..reading.invariants import Broken, breaches
from ..reading.reader import Reader, Slots
from ..table.choices import RulesetFault
from ..table.setting import Setting, Value, item_type, name_of
from ..table.state import StateLayout


def check_laws(program: core.Program, diagnostics: Diagnostics) -> None:
    """Adds a diagnostic for each law that does not hold, with any number of players and the options' defaults."""
    laws = [invariant for invariant in program.invariants if invariant.is_law]
    counts = range(program.min_players, program.max_players + 1) if laws else ()
    found: dict[tuple[str, str], tuple[Broken, list[Span], list[int]]] = {}
    for players in counts:
        reader = _DataReader(program, players)
        for law in laws:
            try:
                for broken in breaches(reader, law):
                    key = law.id, broken.words
                    found.setdefault(key, (broken, reader.places(broken), []))[2].append(players)
            except RulesetFault as fault:
                message = f"the law `{law.id}` can't be worked out: {fault.message}"
                _report(diagnostics, law, message, [fault.span or law.condition.span])
    told: dict[Span, str] = {}
    for broken, places, players_of in found.values():
        with_players = "" if len(players_of) == len(counts) else f", with {_listed(players_of)} players"
        if told.setdefault(places[0], broken.id) != broken.id:  # another law is told at this place
            places = [broken.invariant.condition.span, *places]
        _report(diagnostics, broken.invariant, f"the law {broken.words}{with_players}", places)


def _report(diagnostics: Diagnostics, law: core.Invariant, message: str, places: list[Span]) -> None:
    place, *others = places
    notes = [(other, "it is about this") for other in others]
    written = law.condition.span
    if place.source is not written.source or not written.start <= place.start < written.end:
        notes.append((law.condition.span, law.doc or "this must always hold"))
    diagnostics.add(codes.LAW_BROKEN, message, place, None, notes)


def _listed(numbers: list[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


class _DataReader(Reader):
    """Reads data where there is no position, and remembers which entries of tables it has read."""

    def __init__(self, program: core.Program, players: int) -> None:
        options: dict[str, Value] = {option.name: option.default for option in program.options}
        layout = StateLayout(program, players)
        super().__init__(Setting(program, layout, players, options), [None] * layout.size, [])
        self.entries: list[tuple[core.Table, tuple[Value, ...]]] = []

    def fault(self, message: str, span: Span) -> NoReturn:
        raise RulesetFault(message, span)

    def eval_TableRead(self, expr: core.TableRead, slots: Slots) -> Value:
        indices = tuple(self.value(index, slots) for index in expr.indices)
        self.entries.append((self.program.table(expr.table), indices))
        return super().eval_TableRead(expr, slots)

    def places(self, broken: Broken) -> list[Span]:
        """Where an author may mend it: the card that it is about, and the entry of a table that fits it best."""
        law, slots = broken.invariant, list(broken.slots)
        about = [(item_type(var.domain.type), slots[var.slot]) for var in law.each]
        cards = [self.program.entities[value] for type, value in about if isinstance(type, ComponentType)]
        self.entries.clear()
        self.holds(law.condition, slots)
        entries: dict[int, Span] = {}
        for table, indices in self.entries:
            of = list(zip((dim.type for dim in table.dims), indices, strict=True))
            names = tuple(name_of(self.setting, value, type) for type, value in of)
            if names in table.places:
                entries.setdefault(sum(one in about for one in of), table.places[names])
        found = [card.span for card in cards[-1:]]
        if entries and (not cards or max(entries)):
            found.append(entries[max(entries)])
        return found or [law.condition.span]
