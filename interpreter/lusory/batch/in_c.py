"""The states of a batch in native code: one behind the other in a buffer, one context that plays them all. What C does:
``compile/c/runtime/batch.h``."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ..game import Game
from ..native_code import Face, NativeSteps, bound
from ..table.choices import RulesetFault
from .arrays import Arrays, empty, table
from .in_python import too_many
from .seen import Sight

if TYPE_CHECKING:
    from ..table.state import State
    from .arrays import Array

POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64
FACE: Face = {
    "batch_size": (NUMBER,),
    "batch_reset": (None, POINTER, POINTER),
    "batch_step": (NUMBER, POINTER, POINTER),
    "batch_observe": (None, POINTER, POINTER, NUMBER, POINTER),
    "observation_length": (NUMBER,),
}
ALIGNED = 16
"""Bytes: what may stand in a state begins at a multiple of it."""


SHARED = ("seeds", "last", "seat", "options", "legal", "done", "wrong", "returns")
"""Arrays that C writes, in the order in which it has them."""


class _Batch(ctypes.Structure):
    """As C has it."""

    _fields_ = (
        *((name, POINTER) for name in ("context", "states")),
        *((name, NUMBER) for name in ("count", "stride", "most", "restart")),
        *((name, POINTER) for name in SHARED),
    )


class InC:
    """States of native code."""

    def __init__(self, game: Game, steps: NativeSteps, arrays: Arrays, restart: bool) -> None:
        self.game, self.steps, self.arrays = game, steps, arrays
        library = self.library = steps.library
        bound(library, FACE)
        assert library.batch_size() == ctypes.sizeof(_Batch)
        self.stride = (steps.most + ALIGNED - 1) // ALIGNED * ALIGNED
        self.context = ctypes.create_string_buffer(library.context_size())
        self.states = empty((arrays.count, self.stride), "uint8")
        fields = (getattr(arrays, name) for name in SHARED)
        self.batch = _Batch(
            *(ctypes.addressof(self.context), self.states.ctypes.data),
            *(arrays.count, self.stride, arrays.most, restart),
            *(field.ctypes.data for field in fields),
        )
        self._address = ctypes.addressof(self.batch)
        self._sees: Array = None

    def reset(self, where: Array) -> None:
        self.library.batch_reset(self._address, where.ctypes.data)

    def step(self, actions: Array) -> int:
        """-1, or the first state for which there is no such option: then nothing was done."""
        return int(self.library.batch_step(self._address, actions.ctypes.data))

    def why(self, at: int) -> str:
        """What is wrong, in words: Python plays the last step again."""
        last = int(self.arrays.last[at])
        try:
            if last < 0:
                after = self.game.start(int(self.arrays.seeds[at]))
            else:
                after = self.game.apply(self.state(at), last)
        except RulesetFault as fault:
            return str(fault)
        decision = self.game.decision(after)
        if decision is not None and len(decision.options) > self.arrays.most:
            return too_many(len(decision.options), self.arrays.most)
        return "native code was short of room; Python goes on with it"

    def state(self, at: int) -> State:
        return self.steps.to_python(self.states[at].tobytes())

    def observe(self, into: Array, viewer: int, sight: Sight) -> None:
        """``viewer``: a seat, -1: a spectator, -2: of each state the seat that decides."""
        if self._sees is None:
            self._sees = table(sight.sees, "uint8")
        self.library.batch_observe(self._address, into.ctypes.data, viewer, self._sees.ctypes.data)
