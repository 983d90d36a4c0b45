"""The section `view` as written: texts, boards and panels, and how values look. A part of :mod:`model`."""

from __future__ import annotations

from ..text.records import dataclass
from ..text.source import Embedded
from .word import Word


@dataclass(frozen=True, eq=False)
class ViewItemDecl:
    """A titled ``text``, or ``pool``."""

    title: str
    text: Embedded | None
    condition: Embedded | None
    short: Embedded | None = None
    pool: Embedded | None = None
    below: bool = False
    since: int = 0


@dataclass(frozen=True, eq=False)
class BoardViewDecl:
    """A grid with ``rows``, ``columns`` and ``text``; a ``board`` of spaces, with ``text`` or its signs; or ``cells``
    of a list with ``columns`` in each row."""

    title: str
    rows: Embedded | None
    columns: Embedded | None
    text: Embedded | None
    condition: Embedded | None
    headings: bool
    board: Word | None = None
    cells: Embedded | None = None
    crop: bool = False
    short: Embedded | None = None
    boxed: bool = False
    since: int = 0


@dataclass(frozen=True, eq=False)
class PanelDecl:
    """A panel of a ``kind`` (``track``, ``map``, ``dials``, ``hand``) and the texts that it is made of; those that its
    kind has not, or that are not given, are None. ``leads``: to, sign and condition of each."""

    kind: str
    title: str
    condition: Embedded | None
    since: int
    of: Embedded | None
    board: Word | None
    per_player: bool
    text: Embedded | None
    short: Embedded | None
    under: Embedded | None
    faces: Embedded | None
    at: Embedded | None
    note: Embedded | None
    dim: Embedded | None
    boxed: bool
    leads: tuple[tuple[Embedded, Embedded, Embedded | None], ...]


@dataclass(frozen=True, eq=False)
class PilesDecl:
    """``piles``: title, cards and condition of each."""

    title: str
    condition: Embedded | None
    since: int
    piles: tuple[tuple[str, Embedded, Embedded | None], ...]


@dataclass(frozen=True, eq=False)
class LookDecl:
    """``marks``: sign, colour and condition of each."""

    type: Word
    signs: tuple[tuple[Word, Word], ...]
    colours: tuple[tuple[Word, Word], ...]
    like: Embedded | None
    short: Embedded | None
    dim: Embedded | None
    marks: tuple[tuple[str, str, Embedded | None], ...]


@dataclass(frozen=True, eq=False)
class ViewDecl:
    status: tuple[ViewItemDecl, ...]
    players: tuple[ViewItemDecl, ...]
    shared: tuple[ViewItemDecl, ...]
    own: tuple[ViewItemDecl, ...]
    boards: tuple[BoardViewDecl, ...]
    panels: tuple[BoardViewDecl | PanelDecl | PilesDecl, ...] = ()
    looks: tuple[LookDecl, ...] = ()
