"""Check the invariants of a ruleset on positions, and report the values that violate them.

Games check invariants in each position. A law is an invariant about constant data, which is checked once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lusory_dsl import core

from ..state.setting_value_limits_builtins_and_names import Setting, Value, format_name, unwrap_list_type
from ..state.state import State
from .expressions import Reader, Slots
from .statements_options_and_resumption import iterate_combinations


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
        """The id of the invariant."""
        return self.invariant.id


def find_all_violations(setting: Setting, state: State) -> list[Violation]:
    """Return all violations in a position, in the order of the invariants. Laws are left out.

    An invariant has one for each combination of values for which it doesn't hold; its last variable varies fastest. The
    list is empty if all hold. Raise RulesetFault if the rules fail in an invariant that is no law.
    """
    reader = Reader(setting, state.cells, state.zones)
    invariants = (invariant for invariant in setting.program.invariants if not invariant.is_law)
    return [violation for invariant in invariants for violation in find_violations(reader, invariant)]


def find_law_violations(setting: Setting) -> list[Violation]:
    """Return all violations of the laws of a ruleset, law by law in declared order. The list is empty if all hold.

    A law with variables has one violation for each combination of values for which it is false. A law reads only
    constant data, the number of players, and options. Raise RulesetFault if the rules fail in a law.
    """
    reader = Reader(setting, [None] * setting.layout.size, [])
    laws = (invariant for invariant in setting.program.invariants if invariant.is_law)
    return [violation for law in laws for violation in find_violations(reader, law)]


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
