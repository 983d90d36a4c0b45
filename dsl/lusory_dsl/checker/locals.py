"""The locals of a text while it is checked: names in sight, slots, and what is known of their values."""

from __future__ import annotations

from collections.abc import Iterable

from .. import core
from ..language.types import Type
from ..text.records import dataclass, field
from ..text.source import Span
from .names import VariableSymbol


@dataclass(eq=False)
class LocalName:
    """A local of a routine. ``what`` is the word messages use for it; ``place``: the variable that it is, if it is one
    that is written."""

    name: str
    slot: int
    type: Type
    span: Span
    what: str = "local"
    used: bool = False
    exempt: bool = False
    place: VariableSymbol | None = None
    hides: LocalName | None = None  # of an item that is called `it`: the one around it, which is called so, too


class _Frame(dict[str, LocalName]):
    """Locals by name. ``unread``: a text that would have given names to more of them could not be parsed."""

    unread = False

    def copied(self) -> _Frame:
        found = _Frame(self)
        found.unread = self.unread
        return found


class Locals:
    """The locals in sight, innermost frame last, and the numbering of a routine's slots."""

    def __init__(self) -> None:
        self.n_slots = 0
        self._frames: list[_Frame] = [_Frame()]
        self.left: dict[str, LocalName] = {}  # those that were in sight further up

    def slot(self) -> int:
        """A fresh slot."""
        self.n_slots += 1
        return self.n_slots - 1

    def find(self, name: str) -> LocalName | None:
        """The local of a name, the innermost first."""
        return next((frame[name] for frame in reversed(self._frames) if name in frame), None)

    def named(self, names: Iterable[str]) -> list[LocalName]:
        """The locals of some names."""
        return [local for name in names if (local := self.find(name)) is not None]

    def names(self) -> list[str]:
        """The names of all locals in sight."""
        return [name for frame in self._frames for name in frame]

    def bind(self, local: LocalName) -> None:
        """Puts a name in sight, in the innermost frame."""
        self._frames[-1][local.name] = local

    def push(self) -> None:
        """Opens a frame."""
        self._frames.append(_Frame())

    def pop(self) -> Iterable[LocalName]:
        """Closes the innermost frame, and gives its locals."""
        frame = self._frames.pop()
        self.left.update(frame)
        return frame.values()

    @property
    def unread(self) -> bool:
        """Whether there may be names in sight that nobody knows."""
        return any(frame.unread for frame in self._frames)

    def leave_unread(self) -> None:
        """From here on, in the innermost frame, a name that nothing declares may be one that could not be read."""
        self._frames[-1].unread = True

    def copied(self) -> Locals:
        """The same names in sight, to go on from here without a trace."""
        found = Locals()
        found.n_slots, found._frames = self.n_slots, [frame.copied() for frame in self._frames]
        return found

    def hide(self) -> list[_Frame]:
        """Starts with nothing in sight; give the result to :meth:`restore` in the end."""
        hidden, self._frames = self._frames, [_Frame()]
        self.left = {}
        return hidden

    def restore(self, hidden: list[_Frame]) -> None:
        self._frames = hidden


@dataclass(frozen=True, eq=False)
class KnownLocals:
    """What is known of the locals of a text, by slot. ``sources``: the lists that they go through; ``values``: what
    they were given."""

    sources: dict[int, core.Expr] = field(default_factory=dict)
    values: dict[int, core.Expr] = field(default_factory=dict)
