"""Describe who knows a value, and collect what an analysis finds out about the locals of a program.

A :data:`Level` is what a player must meet to know a value. A :class:`Knowledge` holds the levels of a whole program, or
of a part of it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeVar

from .. import core
from ..source.dataclass_with_lazy_methods import ValueRecord, field
from ..source.source import Span


class Requirement(NamedTuple):
    """A condition that a player must meet to know a value. ``slot`` is that of a local.

    The kinds are:

    - ``player``: to be the player in ``slot``
    - ``nobody``: no player meets it
    - ``seeing``: on a component, to see the zone that holds it; on any other value, no player meets it
    - ``located``: on a component found by its location, to see it
    - ``zone``: read in a zone whose content the player in ``slot`` sees
    - ``place``: to see ``place``, whose visibility is a condition, or to be the player in ``slot``, who always sees it
    - ``component``: to see the component, or the whole list, in ``slot``
    - ``location``: to see the component in ``slot``, whose location the value tells. ``place`` may instead hold the
      number of a component, or the variable that holds one. With neither, no player meets it.
    """

    kind: Literal["player", "nobody", "seeing", "located", "zone", "place", "component", "location"]
    slot: int | None = None
    place: str = ""


Level = frozenset[Requirement]
"""The requirements for knowing a value, which must all be met."""

ALL: Level = frozenset()
NOBODY: Level = frozenset({Requirement("nobody")})
SEEING: Level = frozenset({Requirement("seeing")})
LOCATED: Level = frozenset({Requirement("located")})

Levels = dict[int, Level]
TextStatement = core.Announce | core.EndGame
Key = TypeVar("Key")


def combine_levels(*levels: Level) -> Level:
    """Return the requirements for a value that combines several values: the union, or ``ALL`` without levels."""
    return ALL.union(*levels)


def store_level(level: Level) -> Level:
    """Return the requirements for a local that holds a value of this level. The value is no component.

    ``zone`` becomes ``player``, ``seeing`` becomes ``nobody``, and ``located`` is dropped. Others stay.
    """
    stored_level = level - LOCATED - SEEING | (NOBODY if level >= SEEING else ALL)
    return frozenset(Requirement("player", part.slot) if part.kind == "zone" else part for part in stored_level)


def convert_zone_requirement(part: Requirement) -> Requirement:
    """Return the requirement for knowing the components of a zone, given one for seeing the zone.

    ``player`` becomes ``zone``, ``place`` stays, and any other becomes ``seeing``.
    """
    if part.kind == "player":
        return Requirement("zone", part.slot)
    return part if part.kind == "place" else Requirement("seeing")


class Knowledge(ValueRecord):
    """The knowledge of the players about the locals of a program.

    Attributes:
        site_levels: Choice site -> the requirements for the locals of its routine. Everyone knows a slot that is left
            out.
        secret_variables: Variables that are assigned a value that not everyone knows.
        unseen_variables: Choice site -> (alternative, variable) numbers of variables over components that the chooser
            may not see.
        revealing_sites: Sites of choices that reveal something by being offered.
        text_levels: Announcements and endings with values that not everyone knows, and the requirements for the locals
            there.
        unreadable_parts: Parts of announcements and endings. True: nobody can read them. False: only one player can,
            although the text is for everyone.
        unclear_sites: Sites of choices that the chooser may be unable to identify. They are in a branch or loop that
            depends on hidden information, or look the same as such a choice.
    """

    site_levels: dict[int, Levels] = field(default_factory=dict)
    secret_variables: set[str] = field(default_factory=set)
    unseen_variables: dict[int, frozenset[tuple[int, int]]] = field(default_factory=dict)
    revealing_sites: set[int] = field(default_factory=set)
    text_levels: dict[TextStatement, Levels] = field(default_factory=dict)
    unreadable_parts: dict[Span, bool] = field(default_factory=dict)
    unclear_sites: set[int] = field(default_factory=set)

    def add(self, part: Knowledge) -> None:
        """Add what the analysis of a part of the program found.

        In ``site_levels`` and ``text_levels``, requirements for the same local at the same place are united: all must
        be met. For the same span of ``unreadable_parts``, True wins over False. The ``unseen_variables`` of ``part``
        for a site replace the earlier ones of that site. The sets are united.
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
