"""Describe who knows a value, and collect what an analysis finds out about the locals of a program.

A :data:`Level` is what a player must meet to know a value. A :class:`Knowledge` holds the levels of a whole program, or
of a part of it.
"""

from __future__ import annotations

from typing import TypeVar

from .. import core
from ..source.dataclass_with_lazy_methods import ValueRecord, field
from ..source.source import Span

Level = frozenset[int]
"""The requirements for knowing a value: a set of codes that must all be met.

A slot number requires being the player in that slot. The constants below define the negative codes.
"""

ALL: Level = frozenset()
NOBODY: Level = frozenset({-1})  # nobody meets this
SEEING: Level = frozenset({-2})  # on a component: seeing the zone that holds it; on any other value: nobody meets this
LOCATED: Level = frozenset({-3})  # on a component found by its location: seeing it; see ``LOCATION``
# from here down to ``CONDITIONAL_CODES``: read in a zone whose content the player in slot ``ZONE_CODES - code`` sees
ZONE_CODES = -4
# from here down: seeing place number ``CONDITIONAL_CODES - code`` in ``Knowledge.conditional_places``
CONDITIONAL_CODES = -1000
COMPONENT = ""
"""In place of a place's name: the seat sees the component, or the whole list, in the slot beside it."""
LOCATION = "@"
"""In place of a place's name: the value tells where the component in that slot is.

Instead of a slot, the number of a component, or the variable that holds one, may follow the sign. With neither, nobody
meets the requirement.
"""

Levels = dict[int, Level]
TextStatement = core.Announce | core.EndGame
Key = TypeVar("Key")


def combine_levels(*levels: Level) -> Level:
    """Return the requirements for a value that combines several values: the union, or ``ALL`` without levels."""
    return ALL.union(*levels)


def store_level(level: Level) -> Level:
    """Return the requirements for a local that holds a value of this level. The value is no component.

    A code of a zone becomes the slot of the player who sees the zone's content, ``SEEING`` (-2) becomes nobody (-1),
    and ``LOCATED`` (-3) is dropped. Other codes stay. Example: {3, -2, -5} gives {3, -1, 1}.
    """
    return frozenset(
        ZONE_CODES - code if is_zone_code(code) else -1 if code == -2 else code for code in level - LOCATED
    )


def is_zone_code(code: int) -> bool:
    """Return whether a code, from -4 down to -999, requires being the player who sees the content of a zone."""
    return CONDITIONAL_CODES < code <= ZONE_CODES


def convert_zone_requirement(code: int) -> int:
    """Return the requirement for knowing the components of a zone, given one for seeing the zone.

    A slot becomes a code of a zone, such as -5 for slot 1. A conditional code stays, and any other becomes -2.
    """
    return ZONE_CODES - code if code >= 0 else code if code <= CONDITIONAL_CODES else -2


class Knowledge(ValueRecord):
    """The knowledge of the players about the locals of a program.

    Attributes:
        site_levels: Choice site -> the requirements for the locals of its routine. Everyone knows a slot that is left
            out.
        secret_variables: Variables that are assigned a value that not everyone knows.
        conditional_places: Pairs of a place and a slot. The place was read and has a conditional visibility, and the
            player in the slot always sees their part of it. Instead of a place, ``COMPONENT`` or ``LOCATION`` marks a
            slot with a component that other locals were read from.
        unseen_variables: Choice site -> (alternative, variable) numbers of variables over components that the chooser
            may not see.
        revealing_sites: Sites of choices that reveal something by being offered.
        text_levels: Announcements and endings with values that not everyone knows, and the requirements for the locals
            there.
        unreadable_parts: Parts of announcements and endings. True: nobody can read them. False: only one player can,
            although the text is for everyone.
        hidden_arguments: Slot of a parameter -> the first call that passes something which nobody may know, with the
            slots of the locals that it passes. The slots are those of effects, by name.
        unclear_sites: Sites of choices that the chooser may be unable to identify. They are in a branch or loop that
            depends on hidden information, or look the same as such a choice.
    """

    site_levels: dict[int, Levels] = field(default_factory=dict)
    secret_variables: set[str] = field(default_factory=set)
    conditional_places: list[tuple[str, int | None]] = field(default_factory=list)
    unseen_variables: dict[int, frozenset[tuple[int, int]]] = field(default_factory=dict)
    revealing_sites: set[int] = field(default_factory=set)
    text_levels: dict[TextStatement, Levels] = field(default_factory=dict)
    unreadable_parts: dict[Span, bool] = field(default_factory=dict)
    hidden_arguments: dict[tuple[str, int], tuple[Span, set[tuple[str, int]]]] = field(default_factory=dict)
    unclear_sites: set[int] = field(default_factory=set)

    def add(self, part: Knowledge) -> None:
        """Add what the analysis of a part of the program found. ``part`` must have the same ``conditional_places``.

        Requirements for the same local at the same place are united: all must be met. A part of a text that nobody can
        read stays so even if one player can read it in the other analysis. ``unseen_variables`` replace those of the
        same site. ``hidden_arguments`` are not added.
        """
        for site, levels in part.site_levels.items():
            merge_levels(self.site_levels, site, levels)
        for text, levels in part.text_levels.items():
            merge_levels(self.text_levels, text, levels)
        self.secret_variables.update(part.secret_variables)
        self.unseen_variables.update(part.unseen_variables)
        self.revealing_sites.update(part.revealing_sites)
        for span, is_for_nobody in part.unreadable_parts.items():
            self.unreadable_parts[span] = is_for_nobody or self.unreadable_parts.get(span, False)
        self.unclear_sites.update(part.unclear_sites)


def merge_levels(store: dict[Key, Levels], key: Key, levels: Levels) -> None:
    """Add the requirements for the locals at ``key`` to those that ``store`` holds there. Both must be met."""
    stored_levels = store.setdefault(key, {})
    for slot, level in levels.items():
        stored_levels[slot] = combine_levels(stored_levels.get(slot, ALL), level)


def sets_true(stmt: core.SetCell) -> bool:
    """Return whether a statement sets a variable without indices to True."""
    return not stmt.indices and stmt.op == "set" and isinstance(stmt.value, core.Const) and stmt.value.value is True


def is_implied_by(condition: core.Expr | None, true: set[str]) -> bool:
    """Return whether a condition is one of some variables, or one of them joined to other conditions by ``or``.

    It then holds whenever the variables named in ``true`` are True. Any other form gives False, and so does None.
    """
    parts = [] if condition is None else core.flatten_chain(condition, "or")
    return any(isinstance(part, core.ReadCell) and not part.indices and part.place in true for part in parts)


def shows_owner(condition: core.Expr | None) -> bool:
    """Return whether a visibility is `viewer is owner`, or has that as a part joined by ``or``.

    The viewer and the owner are the locals 0 and 1, in either order. None gives False.
    """
    match condition:
        case core.Binary(op="or", left=left, right=right):
            return shows_owner(left) or shows_owner(right)
        case core.Binary(op="=", left=core.Local(slot=left_slot), right=core.Local(slot=right_slot)):
            return {left_slot, right_slot} == {0, 1}
    return False
