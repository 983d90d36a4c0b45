"""What who looks at a match and who holds it say to each other: plain data, at one keyboard as over a wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..screen.model import Answer, Screen
from ..screen.text import Line

VERSION = 4
"""Of these messages: both sides of a wire must have the same."""

Topic = Literal["look", "why", "rules", "log", "hint"]


# ---------------------------------------------------------------- from who looks


@dataclass(frozen=True, slots=True)
class Hello:
    """Somebody comes, with the ``token`` of a seat or of spectators."""

    token: str
    version: int


@dataclass(frozen=True, slots=True)
class Take:
    """The pending decision is answered. ``stamp``: of what was shown when it was asked."""

    stamp: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Undo:
    """The own latest decision is taken back."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Redo:
    """What was taken back last is decided once more."""

    stamp: str


@dataclass(frozen=True, slots=True)
class Auto:
    """A bot of this ``kind`` makes the pending decision in the place of the seat: one pick, where several are asked."""

    stamp: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question in words. ``number``: the answer bears it."""

    number: int
    topic: Topic
    words: str


@dataclass(frozen=True, slots=True)
class Save:
    """The game is written to a file, "" for one of its own."""

    file: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """Somebody goes: a bot may take the seat."""


Request = Hello | Take | Auto | Undo | Redo | Ask | Save | Leave


# ---------------------------------------------------------------- from who holds the match


@dataclass(frozen=True, slots=True)
class Shown:
    """A seat's screen. ``stamp``: requests to change the game repeat it, so that none is about an older screen; it
    depends on nothing but what the seat was told and is asked. ``undo``, ``redo``: what would be taken back or decided
    once more, in words; nothing where that can't be. ``hand_over``: the keyboard goes to this person first; "" where it
    stays. ``note``: what to tell."""

    screen: Screen
    stamp: str = ""
    undo: Line = ()
    redo: Line = ()
    hand_over: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to a question in words, of this number."""

    number: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Something to tell: what can't be done now, or what was done."""

    words: str


@dataclass(frozen=True, slots=True)
class NotKept:
    """The journal could not be written, and so nothing was decided."""

    words: str


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing more comes. ``words``: why."""

    words: str = ""


Reply = Shown | Told | Note | NotKept | Over
