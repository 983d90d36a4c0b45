"""Play whole games and single steps in native code."""

from __future__ import annotations

import ctypes
import os
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, Unpack
from weakref import ref

from ..codegen.c.marshalling import Played as Played, Reading, Wordings, numbers_of
from ..codegen.c.printer import NotNative
from ..game import Game
from ..state.decision import NoSuchOption, Outcome, ranked
from ..state.setting import Setting
from ..state.state import State
from ..support.cache import Cache
from .c_compiler import Began, Child, How, NoNative, Workshop, compiled, ended, library
from .sandbox_process import LONG, TEXT, Apart, Face, Gone, Room, bound

if TYPE_CHECKING:
    from ..codegen.c.driver import NativeText
    from ..codegen.c.stepping import StepText


LEAVING = 5.0
"""Seconds for which one waits for a compiler to go."""

BLOCK, PATIENCE = 256, 0.2
"""Games of one call, at the most; and how long it may take, about, in seconds: what it found is seen after each."""

GAME_INTERFACE: Face = {
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
    from ..codegen.c.driver import emit_c  # imported late: most runs find what was kept
    from ..codegen.driver import selected

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
            bound(self._library, GAME_INTERFACE)
            self._context = Room(0, self._library.context_size())
        except Gone as gone:
            raise NoNative(str(gone)) from None
        self._rows = (LONG * (BLOCK * self.reader.width))()

    def games(self, seeds: Sequence[int]) -> Iterator[Played | None]:
        """The random game of each seed; None: something is wrong with it, C was short of room, or its process is no
        more. Answers come from :func:`lusory.state.random_streams.answers`."""
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
            bound(library, GAME_INTERFACE)
            row, context = (LONG * 1)(), Room(0, library.context_size())
            library.play_games(context, array("Q", [41]).tobytes(), 1, row)
            if (row[0], library.count_decisions(context, 40, 2, row)) != (42, 42):
                raise NoNative("native code does not come to what it should")
        except Gone as gone:
            raise NoNative(str(gone)) from None
        library.close()


POINTER = ctypes.c_void_p
STEP_INTERFACE: Face = {
    "context_size": (LONG,),
    "max_state_size": (LONG,),
    "state_size": (LONG, POINTER),
    "save_state": (None, POINTER, POINTER),
    "load_state": (None, POINTER, TEXT),
    "begin_game": (ctypes.c_int, POINTER, ctypes.c_uint64),
    "apply_option": (ctypes.c_int, POINTER, LONG),
    "current_decision": (None, POINTER, POINTER),
    "write_result": (ctypes.c_int, POINTER, POINTER),
    "reseed_state": (None, POINTER, ctypes.c_uint64),
    "serialize_state": (LONG, POINTER, POINTER, ctypes.c_int),
    "deserialize_state": (ctypes.c_int, POINTER, TEXT, LONG),
    "normalize_texts": (ctypes.c_int, POINTER),
    "hash_state": (ctypes.c_uint64, POINTER),
    "play_games": (None, POINTER, TEXT, LONG, POINTER),
    "count_decisions": (LONG, POINTER, ctypes.c_uint64, LONG, POINTER),
}
"""What steps are asked for by."""

CONTEXT = 0
"""The room for everything of a game."""
TABLE, UNDER_WAY, WHOLE = 1, 2, 3
"""How much of a state is written out."""


class WentWrong(Exception):
    """Native code can't go on: something is wrong with the game, or it is short of room. Python says what it is, or
    plays on."""


class Asked(NamedTuple):
    """What is asked: the seat that decides, among how many options, and the site of the choice."""

    seat: int
    options: int
    site: int


def opened(path: Path) -> ctypes.CDLL:
    """A shared library. Raises NoNative."""
    try:
        return ctypes.CDLL(os.path.abspath(path))  # a name without a folder is looked for elsewhere
    except OSError as error:
        raise NoNative(f"what the C compiler made can't be loaded: {error}") from None


def _told(steps: NativeSteps) -> Callable[[str], WentWrong]:
    """What tells some steps, as long as somebody has them, that their process is no more."""
    known = ref(steps)

    def gone(why: str) -> WentWrong:
        there = known()
        return WentWrong(why) if there is None else there.gone(why)

    return gone


def printed_steps(setting: Setting) -> StepText:
    """The C of stepwise play. Raises NotNative."""
    from ..codegen.c.stepping import emit_steps  # imported late: most runs find what was kept
    from ..codegen.driver import with_marks

    form, kept = with_marks(setting)
    return emit_steps(setting, form.module, form.built("silent"), dict(zip(form.cells, kept, strict=True)))


class NativeSteps:
    """Stepwise play of one setting, for one thread. ``cache``: where it is kept; ``how``: it is had; ``apart``: in a
    process of its own. Should that crash, something went wrong, ``crashes`` counts by what, and states play on in the
    next one. ``lost``: how often it could not go on; ``most``: bytes that a state may have. Raises NoNative where there
    is none."""

    def __init__(self, game: Game, cache: Cache | None = None, apart: bool = False, **how: Unpack[How]) -> None:
        self.apart = apart
        self.crashes: Counter[str] = Counter()
        self.lost = 0
        self.game = game
        self.setting, self.layout = game.setting, game.layout
        self._kept = library(game.setting, "steps", lambda: printed_steps(game.setting), cache, **how)
        assert self._kept.form is not None
        self.reader, self.form, self.wordings = self._kept.reader, self._kept.form, Wordings(self._kept.reader)
        self._bind(self._kept.path)

    def _bind(self, path: Path) -> None:
        try:
            library = Apart(os.path.abspath(path), _told(self)) if self.apart else opened(path)
            bound(library, STEP_INTERFACE)
            size, self.most = library.context_size(), library.max_state_size()
        except Gone as gone:
            raise NoNative(str(gone)) from None
        except WentWrong:  # it came up, and is gone before anything was played
            raise NoNative(", ".join(self.crashes)) from None
        self.library = library
        self.context: Any = Room(CONTEXT, size) if self.apart else ctypes.create_string_buffer(size)
        self._buffer = ctypes.create_string_buffer(self.most)
        self._asked = (LONG * 3)()
        self._row = (LONG * self.reader.width)()
        self._inside = b""

    def gone(self, why: str) -> WentWrong:
        """Its process is no more: nothing is in the next one."""
        self.crashes[why] += 1
        return self._lost()

    @property
    def is_hopeless(self) -> bool:
        """It crashed so often that nobody should ask it any more."""
        return self.crashes.total() >= MOST_CRASHES

    # ------------------------------------------------------------ play

    def start(self, seed: int) -> bytes:
        """A new game, at its first decision or its end. Raises WentWrong."""
        if self.library.begin_game(self.context, seed & STREAM):
            raise self._lost()
        return self._saved()

    def apply(self, state: bytes, option: int) -> bytes:
        """The game after the answer with this number. Raises NoSuchOption, WentWrong."""
        self._put(state)
        found = self.library.apply_option(self.context, option)
        if found == 2:
            raise NoSuchOption(option)
        if found:
            raise self._lost()
        return self._saved()

    def decision(self, state: bytes) -> Asked | None:
        """What is asked; None: the game is over."""
        self._put(state)
        self.library.current_decision(self.context, self._asked)
        seat, options, number = self._asked
        return None if seat < 0 else Asked(seat, options, self.form.sites[number])

    def outcome(self, state: bytes) -> Outcome | None:
        """How the game ended, without the steps of a chart; None while it runs. Raises WentWrong."""
        if self.decision(state) is not None:
            return None
        if self.library.write_result(self.context, self._row):
            raise self._lost()
        _, ranks, payoffs, reason, columns = self.reader.result(self._row) or (0, (), None, None, ())  # type: ignore[arg-type]
        scoring = self.setting.program.scoring
        shown = tuple(zip([title for title, _ in scoring.shown], columns, strict=True))
        return ranked(reason, ranks, payoffs, shown, scoring.selective, scoring.zero_sum)

    def rechanced(self, state: bytes, seed: int) -> bytes:
        """The same table, with all that chance has still to decide drawn anew."""
        self._put(state)
        self.library.reseed_state(self.context, seed & STREAM)
        return self._saved()

    def forget(self) -> None:
        """Somebody else uses the context."""
        self._inside = b""

    def hash(self, state: bytes) -> int:
        """A number that equal states have in common: of the variables and zones, and which choice waits."""
        self._put(state)
        return int(self.library.hash_state(self.context))

    def equal(self, one: bytes, other: bytes) -> bool:
        """Whether two states are the same, but for chance and the work done."""
        return self.numbers(one, UNDER_WAY) == self.numbers(other, UNDER_WAY)

    def games(self, seeds: Sequence[int]) -> Iterator[Played | None]:
        """The random game of each seed, played from decision to decision; None: something is wrong with it."""
        for seed in seeds:
            self.library.play_games(self.context, array("Q", [seed & STREAM]).tobytes(), 1, self._row)
            yield self.reader.result(self._row)  # type: ignore[arg-type]
        self._inside = b""

    def decisions(self, first: int, games: int) -> int:
        """How many decisions so many random games have, from the seed ``first`` on. Nothing else of them is read."""
        self._inside = b""
        return int(self.library.count_decisions(self.context, first, games, self._row))

    def _put(self, state: bytes) -> None:
        if state is not self._inside:
            self.library.load_state(self.context, state)
            self._inside = state

    def _saved(self) -> bytes:
        size = self.library.state_size(self.context)
        self.library.save_state(self.context, self._buffer)
        self._inside = state = self._buffer.raw[:size]
        return state

    def _lost(self) -> WentWrong:
        self._inside = b""
        self.lost += 1
        return WentWrong("native code can't go on")

    # ------------------------------------------------------------ states of Python

    def numbers(self, state: bytes, parts: int = WHOLE) -> list[int]:
        """A state as numbers: what lies on the table, where the game is, chance and words."""
        self._put(state)
        if parts < WHOLE and self.library.normalize_texts(self.context):
            raise self._lost()
        count = self.library.serialize_state(self.context, None, parts)
        found = (LONG * count)()
        self.library.serialize_state(self.context, found, parts)
        return list(found)

    def to_python(self, state: bytes) -> State:
        """The state as the compiled engine has it."""
        return Reading(self.setting, self.form, self.reader, self.wordings.known, self.numbers(state)).state()

    def from_python(self, state: State) -> bytes:
        """A state of the compiled engine. Raises WentWrong where native code has no room for it."""
        asked = self.game.decision(state)
        seat, options = (0, 0) if asked is None else (asked.seat, len(asked.options))
        numbers = numbers_of(self.setting, self.form, self.wordings, state, seat, options, {})
        if self.library.deserialize_state(self.context, numbers.tobytes(), len(numbers)):
            raise self._lost()
        return self._saved()

    def in_python(self, state: bytes, option: int) -> State:
        """The game after an answer, as Python plays it: what it is where native code could not go on. Raises
        RulesetFault, which says what is wrong."""
        return self.game.apply(self.to_python(state), option)
