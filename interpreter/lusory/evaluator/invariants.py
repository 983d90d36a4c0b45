"""Check the invariants of a ruleset on positions, and report the values that violate them.

Games check invariants in each position. A law is an invariant about constant data, which is checked once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.source.source import Span

from ..state.setting_value_limits_builtins_and_names import Setting, Value, format_name, unwrap_list_type
from ..state.state import State
from ..state.state_layout import Place
from .expressions import Reader, Slots
from .statements_options_and_resumption import iterate_combinations

LOCATIONS = ""  # stands for the locations of all components, among the names of places


class Violation(NamedTuple):
    """Describe a violation of an invariant.

    Attributes:
        invariant: The violated invariant.
        slots: All of its local slots, with the values that violate it.
        message: A message, which begins with the id of the invariant.
    """

    invariant: core.Invariant
    slots: tuple[Value, ...]
    message: str

    @property
    def id(self) -> str:
        """Return the id of the invariant."""
        return self.invariant.id


class InvariantWatch:
    """Check the invariants of a game in a sequence of positions.

    Most invariants read a few places, and most steps change others. The watch therefore notes the places that an
    invariant has read, with their content. While these are unchanged, the invariant still holds.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.invariants = [invariant for invariant in setting.program.invariants if not invariant.is_law]
        self._content_when_held: dict[str, dict[str, Any]] = {}  # invariant id -> content of the places that it read

    def find_violations(self, state: State) -> list[Violation]:
        """Return all violations in a position, in the order of the invariants.

        An invariant has one for each combination of its variables for which it doesn't hold. Laws are left out. The
        list is empty if all hold. Positions may come in any order. An invariant is evaluated again only if a place that
        it read has changed since it held, or if it did not hold last time. Raise RulesetFault if the rules fail in one.
        """
        reader = _RecordingReader(self.setting, state.cells, state.zones)
        read_content = cache(partial(_read_content, self.setting, state))
        violations: list[Violation] = []
        for invariant in self.invariants:
            held_content = self._content_when_held.pop(invariant.id, None)
            if held_content is None or any(read_content(name) != content for name, content in held_content.items()):
                reader.places_read.clear()
                new_violations = list(find_violations(reader, invariant))
                if new_violations:
                    violations += new_violations
                    continue
                held_content = {name: read_content(name) for name in reader.places_read}
            self._content_when_held[invariant.id] = held_content
        return violations


def find_law_violations(setting: Setting) -> list[Violation]:
    """Return all violations of the laws of a ruleset, in declared order. The list is empty if all hold.

    A law reads only constant data, the number of players, and options. The result is therefore cached for all settings
    that agree in these; the caller must not change it. For a setting with an observer, each call evaluates the laws
    anew. Raises RulesetFault if the rules fail in a law.
    """
    cached_violations = [] if setting.observer is not None else _get_law_cache(setting.program, setting.players)
    for options, violations in cached_violations:
        if all(setting.options[name] == value for name, value in options.items()):
            return violations
    reader = _RecordingReader(setting, [None] * setting.layout.size, [])
    laws = [invariant for invariant in setting.program.invariants if invariant.is_law]
    violations = [violation for law in laws for violation in find_violations(reader, law)]
    cached_violations.append(({name: setting.options[name] for name in reader.options}, violations))
    return violations


@lru_cache(maxsize=8)
def _get_law_cache(program: core.Program, players: int) -> list[tuple[dict[str, Value], list[Violation]]]:
    """Return the cache of a program: the options that its laws read, each with the violations for these values."""
    return []


class _RecordingReader(Reader):
    """Record the names of the places and options that it reads."""

    def __init__(self, setting: Setting, cells: list[Any], zones: list[list[int]]) -> None:
        super().__init__(setting, cells, zones)
        self.places_read: set[str] = set()
        self.options: set[str] = set()

    def eval_OptionValue(self, expr: core.OptionValue, slots: Slots) -> Value:
        self.options.add(expr.option)
        return super().eval_OptionValue(expr, slots)

    def find_number(self, place: Place, indices: tuple[int, ...], span: Span) -> int:
        self.places_read.add(place.name)
        return super().find_number(place, indices, span)

    def find_zone(self, card: core.Expr, slots: Slots) -> tuple[str, tuple[int, ...]] | None:
        self.places_read.add(LOCATIONS)
        return super().find_zone(card, slots)


def _read_content(setting: Setting, state: State, name: str) -> list[Any]:
    """Return the content of a place in a position, or of :data:`LOCATIONS`."""
    layout = setting.layout
    if name == LOCATIONS:
        return state.cells[layout.location : layout.location + len(setting.program.entities)]
    place = layout.place(name)
    if name in layout.zones:
        return [components[:] for components in state.zones[place.offset : place.offset + place.size]]
    return state.cells[place.offset : place.offset + place.size]


def find_violations(reader: Reader, invariant: core.Invariant) -> Iterator[Violation]:
    """Yield one violation for each combination of values for which an invariant doesn't hold. The last variable varies
    fastest.

    The message is "`ID` is false for x = 3, y = P1: REASON". Without a reason, it ends before the colon. An invariant
    without variables has one combination, which is empty. Its message has no "for …". Raise RulesetFault if the rules
    fail in the invariant.
    """
    slots: Slots = [None] * invariant.n_slots
    for _ in iterate_combinations(reader, invariant.vars, slots):
        if not reader.holds(invariant.condition, slots):
            yield Violation(invariant, tuple(slots), _describe_violation(reader, invariant, slots))


def _describe_violation(reader: Reader, invariant: core.Invariant, slots: Slots) -> str:
    """Return the message of a violation: the invariant's id, the values in ``slots``, and the author's reason."""
    values = [
        f"{variable.name} = {format_name(reader.setting, slots[variable.slot], unwrap_list_type(variable.domain.type))}"
        for variable in invariant.vars
    ]
    message = f"`{invariant.id}` is false"
    if values:
        message += f" for {', '.join(values)}"
    if invariant.because is not None:
        message += f": {reader.fill(invariant.because, slots)}"
    return message
