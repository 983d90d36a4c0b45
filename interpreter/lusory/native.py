"""Whole games in native code: their library (:mod:`lusory.library`), in a process of its own (:mod:`lusory.apart`).

Used by the shells; never by the core.
"""

from __future__ import annotations

import ctypes
import os
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from .apart import LONG, TEXT, Apart, Face, Gone, Room, bound
from .cache import Cache
from .compile.c.kinds import NotNative
from .compile.c.results import Played as Played
from .compiler import Began, Child, NoNative, compiled, ended
from .game import Game
from .library import How, library
from .table.setting import Setting
from .workshop import Workshop

if TYPE_CHECKING:
    from .compile.c.emission import NativeText

LEAVING = 5.0
"""Seconds for which one waits for a compiler to go."""

BLOCK, PATIENCE = 256, 0.2
"""Games of one call, at the most; and how long it may take, about, in seconds: what it found is seen after each."""

FACE: Face = {
    "context_size": (LONG,),
    "play_games": (None, ctypes.c_void_p, TEXT, LONG, ctypes.c_void_p),
    "count_decisions": (LONG, ctypes.c_void_p, ctypes.c_uint64, LONG, ctypes.c_void_p),
}
"""What whole games are asked for by."""

NUMBER = ctypes.sizeof(LONG)
NARROW, MANY_ENDS = 48, 4_096
"""Results of so few numbers are read once each, up to so many: short games end alike again and again."""

STREAM = (1 << 64) - 1
MOST_CRASHES = 3
"""After so many native code is not asked any more."""


TRIAL = """\
#include <stdint.h>
int64_t context_size(void) { return 1; }
void play_games(void *context, const uint64_t *seeds, int64_t count, int64_t *rows) {
    rows[0] = (int64_t)seeds[0] + count;
}
int64_t count_decisions(void *context, uint64_t first, int64_t count, int64_t *row) { return (int64_t)first + count; }
"""
"""The least that native code has."""


@dataclass
class Use:
    """What native code did, and left undone. ``played``: games; ``replayed``: games that Python played again, as
    something went wrong, or was too large; ``thought``: simulations of searches; ``rethought``: those of them that
    Python played again; ``left``: searches left to Python, by why; ``crashes``: what became of its process, each time
    that it was no more; ``refused``: why there is none."""

    played: int = 0
    replayed: int = 0
    thought: int = 0
    rethought: int = 0
    left: Counter[str] = field(default_factory=Counter)
    crashes: Counter[str] = field(default_factory=Counter)
    refused: str = ""

    def add(self, other: Use) -> None:
        self.played += other.played
        self.replayed += other.replayed
        self.thought += other.thought
        self.rethought += other.rethought
        self.left += other.left
        self.crashes += other.crashes
        self.refused = self.refused or other.refused

    def remarks(self) -> Iterator[str]:
        """What a person should know of it."""
        games = self.played + self.replayed
        if self.replayed:
            yield f"{self.replayed:,} of {games:,} games in native code were played again by Python"
        if self.rethought:
            yield f"{self.rethought:,} of {self.thought:,} simulations in native code were played again by Python"
        for words, times in self.left.items():
            yield f"{times:,} search{'' if times == 1 else 'es'} left to Python: {words}"
        for words, times in self.crashes.items():
            yield f"native code crashed{'' if times == 1 else f' {times} times'}: {words}"
        if self.refused and games:
            yield f"native code did not play all games: {self.refused}"

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        thinking = {"simulations": self.thought, "again": self.rethought, "left": dict(self.left)}
        return {
            **({"searches": thinking} if self.thought or self.left else {}),
            "played": self.played,
            "replayed": self.replayed,
            "crashes": dict(self.crashes),
            "refused": self.refused or None,
        }


def printed_games(setting: Setting) -> NativeText:
    """Return the C of whole games. Raises NotNative."""
    from .compile.c.emission import emit_c  # imported late: most runs find what was kept
    from .compile.emission import selected

    return emit_c(setting, selected(setting, "playout", marks=True))


class Native:
    """The whole games of one setting in native code. ``cache``: where it is kept; ``how``: it is had; ``crashes``:
    what became of its process where that is no more, and how often; who counts them empties it. Raises NoNative where
    there is none."""

    def __init__(self, game: Game, cache: Cache | None = None, **how: Unpack[How]) -> None:
        if (ending := game.hidden_ending) is not None:
            raise NoNative(str(NotNative("the reason of an ending is not for all to know", ending.span)))
        self._kept = library(game.setting, "games", lambda: printed_games(game.setting), cache, **how)
        self.reader = self._kept.reader
        self.crashes: Counter[str] = Counter()
        self._crashed = 0
        self._block = 1
        self._known: dict[bytes, Played | None] = {}
        try:
            self._library = Apart(os.path.abspath(self._kept.path))  # a mere name is looked for elsewhere
            bound(self._library, FACE)
            self._context = Room(0, self._library.context_size())
        except Gone as gone:
            raise NoNative(str(gone)) from None
        self._rows = (LONG * (BLOCK * self.reader.width))()

    def games(self, seeds: Sequence[int]) -> Iterator[Played | None]:
        """The random game of each seed; None: something is wrong with it, C was short of room, or its process is no
        more. Answers come from :func:`lusory.table.chance.answers`."""
        first = 0
        while first < len(seeds):
            some = seeds[first : first + self._block]
            first += len(some)
            began = monotonic()
            rows = self._asked(array("Q", (seed & STREAM for seed in some)))
            taken = max(monotonic() - began, 1e-6)
            if rows is None:  # how long a crash takes says nothing, and the next one should not cost as many games
                self._block = 1
                yield from [None] * len(some)
            else:
                self._block = max(1, min(BLOCK, int(PATIENCE * len(some) / taken)))
                yield from self._read(rows, len(some))

    def _asked(self, seeds: array[int]) -> ctypes.Array[ctypes.c_int64] | None:
        """The results of these games; None: the process crashed."""
        if self._crashed >= MOST_CRASHES:
            return None
        rows = (LONG * (len(seeds) * self.reader.width)).from_buffer(self._rows)
        try:
            self._library.play_games(self._context, seeds.tobytes(), len(seeds), rows)
        except Gone as gone:
            self._crashed += 1
            self.crashes[str(gone)] += 1
            return None
        return rows

    def stop(self) -> None:
        """The process goes; a new one comes up when it is asked again."""
        self._library.close()

    def _read(self, rows: ctypes.Array[ctypes.c_int64], games: int) -> Iterator[Played | None]:
        width, known = self.reader.width, self._known
        row = width * NUMBER
        data = memoryview(rows).cast("B").tobytes() if width <= NARROW else b""
        for at in range(games):
            key = data[at * row : (at + 1) * row]
            if key and key in known:
                yield known[key]
                continue
            found = self.reader.result(rows, at * width)  # type: ignore[arg-type]
            if key and len(known) < MANY_ENDS:
                known[key] = found
            yield found

    def decisions(self, first: int, games: int) -> int:
        """How many decisions so many games have, from the seed ``first`` on. Nothing else of them is read. Raises
        Gone."""
        row = (LONG * self.reader.width).from_buffer(self._rows)
        return int(self._library.count_decisions(self._context, first & STREAM, games, row))


Code = TypeVar("Code")


class Building(Generic[Code]):
    """Native code that is built beside what goes on. ``make``: builds it, and tells of each compiler at work;
    ``reason``: why there is none, once that is known."""

    def __init__(self, make: Callable[[Began], Code]) -> None:
        self.reason = ""
        self._native: Code | None = None
        self._children: list[Child] = []
        self._stopped = False
        self._written = threading.Event()
        self._thread = threading.Thread(target=self._build, args=(make,), daemon=True)
        self._thread.start()

    def _build(self, make: Callable[[Began], Code]) -> None:
        try:
            self._native = make(self._began)
        except NoNative as none:
            self.reason = str(none)
        except OSError as problem:  # no room for it on the disk
            self.reason = f"native code can't be kept: {problem.strerror or problem}"
        finally:
            self._written.set()

    def _began(self, child: Child) -> None:
        self._children.append(child)
        self._written.set()
        if self._stopped:
            ended(child)

    def take(self) -> Code | None:
        """What was built; None: it isn't yet, or there is none."""
        return None if self._thread.is_alive() else self._native

    def written(self) -> None:
        """Wait until a compiler is at work, or all is done: a process that is forked before has the locks for good
        that writing the code holds, of imports among them."""
        self._written.wait()

    def stop(self) -> None:
        """Nobody waits for it any more."""
        self._stopped = True
        for child in self._children:
            ended(child)
        self._thread.join(LEAVING)


def tried() -> None:
    """The least native code is compiled and called. Raises NoNative."""
    with Workshop() as folder:
        path = folder / "trial.so"
        path.write_bytes(compiled(TRIAL))
        try:
            library = Apart(str(path))
            bound(library, FACE)
            row, context = (LONG * 1)(), Room(0, library.context_size())
            library.play_games(context, array("Q", [41]).tobytes(), 1, row)
            if (row[0], library.count_decisions(context, 40, 2, row)) != (42, 42):
                raise NoNative("native code does not come to what it should")
        except Gone as gone:
            raise NoNative(str(gone)) from None
        library.close()
