"""Stepwise play in native code: start, decide, apply, copy, compare, and states to and from those of Python.

A state is ``bytes``: plain data that can be copied, kept and sent, of the same build of the same ruleset. Options have
the numbers that they have in Python, and a game may change between both at any decision
(``to_python``, ``from_python``).
"""

from __future__ import annotations

import ctypes
import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack
from weakref import ref

from .apart import LONG, TEXT, Apart, Face, Gone, Room, bound
from .cache import Cache
from .compile.c.results import Played
from .compile.c.states import Reading, numbers_of
from .compile.c.wordings import Wordings
from .compiler import NoNative
from .game import Game
from .library import How, library
from .native import MOST_CRASHES, STREAM
from .table.choices import NoSuchOption
from .table.outcome import Outcome, ranked
from .table.setting import Setting
from .table.state import State

if TYPE_CHECKING:
    from .compile.c.steps import StepText

POINTER = ctypes.c_void_p
FACE: Face = {
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
    from .compile.c.steps import emit_steps  # imported late: most runs find what was kept
    from .compile.emission import with_marks

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
            bound(library, FACE)
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
