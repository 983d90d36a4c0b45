"""Compare the prompts and alternatives of choices, to find two choices that look the same to the player.

The analysis of knowledge uses it: a player may confuse such choices with each other.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from .. import core
from ..types.types import IntType, ListType

VALUE, NUMBER = "?", "0"
"""In place of the name of an alternative that has none: its options are shown by values, or by numbers.

No alternative has such a name.
"""


class Appearance(NamedTuple):
    """The fixed parts of a choice: the beginning and the end of its prompt, and the names of its alternatives.

    A prompt without inserted values begins and ends with a sentinel, so that it equals only the same prompt.
    """

    start: str
    end: str
    names: frozenset[str]

    def can_equal(self, other: Appearance) -> bool:
        """Return whether two choices may look the same: one could be shown where the player expects the other.

        One of the two ``start`` texts must begin with the other, and one of the two ``end`` texts must end with the
        other. The two sets of ``names`` must have a member in common. The relation is symmetric.
        """
        has_common_start = self.start.startswith(other.start) or other.start.startswith(self.start)
        has_common_end = self.end.endswith(other.end) or other.end.endswith(self.end)
        return has_common_start and has_common_end and not self.names.isdisjoint(other.names)


def get_appearance(choice: core.Ask | core.AskMany, value_names: Set[str]) -> Appearance:
    r"""Return the appearance of a choice. ``value_names`` holds the names of all values of the program.

    ``start`` is the prompt before its first inserted value, ``end`` the prompt behind its last one. The sentinel
    ``"\1"`` stands at the outer end of each: “Pay {x} now” has the start ``"\1Pay "`` and the end ``" now\1"``. Without
    an inserted value, both are the whole prompt between two sentinels. ``names`` is the set of the alternatives' names.
    An alternative without a name has the name ``NUMBER`` if its first variable is a number, else ``VALUE``. A choice of
    several items has the names ``VALUE`` and ``done``. If any name is that of a value, ``VALUE`` is among them, too.
    """
    text = "".join(part if isinstance(part, str) else "\0" for part in ("\1", *choice.prompt.parts, "\1"))
    if isinstance(choice, core.AskMany):
        names = {VALUE, "done"}
    else:
        names = {
            alternative.name or (NUMBER if _starts_with_number(alternative) else VALUE)
            for alternative in choice.alternatives
        }
    if not names.isdisjoint(value_names):
        names.add(VALUE)
    return Appearance(text.partition("\0")[0], text.rpartition("\0")[2], frozenset(names))


def _starts_with_number(alternative: core.Alternative) -> bool:
    """Return whether the options of an alternative begin with a number."""
    domain = alternative.vars[0].domain.type
    return isinstance(domain.item if isinstance(domain, ListType) else domain, IntType)
