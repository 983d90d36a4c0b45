"""Many states of one game, stepped at once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..cache import Cache, default_cache
from ..game import Game
from ..native_code import NativeSteps, NoNative, NotNative, printed_steps
from .arrays import Arrays, chosen, empty, first_seeds, whole
from .in_c import InC
from .in_python import InPython
from .seen import Entry, Sight

if TYPE_CHECKING:
    from ..table.state import State
    from .arrays import Array

MOST = 256
"""Options that there is room for, unless fewer can be or the caller says otherwise."""

WHO_DECIDES, SPECTATOR = -2, -1


class NoAction(Exception):
    """An action that is not legal. ``at``: the first state that has none of this number."""

    def __init__(self, at: int, action: int, options: int) -> None:
        super().__init__(f"state {at} has no action {action}, only 0 to {options - 1}")
        self.at = at


class Batch:
    """``count`` games of one setting. The game ``i`` is ``game.start(seed + i)``, and its actions are the numbers of
    the options of ``game.decision``, so it is the same in native code and in Python.

    ``most``: the options that there is room for in ``legal`` (as many as there can be, where the checker knows of at
    most 256; else 256); a state that has more goes wrong. ``restart``: a game that ends is told, and begun anew in the
    same step, from a seed greater by ``count``. ``native``: None: in native code where that can be had; True: only
    there (raises NoNative); False: in Python. ``cache``: where it is kept, if not where it usually is.

    The arrays are made once and changed in place by ``reset`` and ``step``:

    - ``seat`` (count, int32): who decides, -1 where nobody does;
    - ``options`` (count, int32): among how many, at least two, or none;
    - ``legal`` (count × most, bool): ``legal[i, a]``: action ``a`` can be taken;
    - ``done`` (count, bool): the game ended; with ``restart`` only until the next step;
    - ``returns`` (count × players, float64): what each seat gets of a game that is done, else 0: what the ruleset's
      ``payoff`` says, or else 1 that winners share (which in a zero-sum game the others pay);
    - ``wrong`` (count, bool): the game can't go on; ``why`` says why not, ``returns`` are not numbers;
    - ``seeds`` (count, uint64): of the games.

    ``sees``: what an observation tells, entry by entry; ``left_out``: the variables that it does not tell of, as they
    hold lists or texts. ``refused``: why there is no native code."""

    def __init__(
        self,
        game: Game,
        count: int,
        seed: int = 1,
        *,
        most: int | None = None,
        restart: bool = False,
        native: bool | None = None,
        cache: Cache | None = None,
    ) -> None:
        if count < 1:
            raise ValueError("a batch has at least one state")
        self.game, self.count = game, count
        self.refused = "" if native is not False else "Python was asked for"
        steps = None if native is False else self._native(cache, bool(native))
        arrays = self._arrays = Arrays(count, most or _most_options(game, steps), game.players)
        self.most = arrays.most
        self.seat, self.options, self.legal = arrays.seat, arrays.options, arrays.legal
        self.done, self.wrong, self.returns, self.seeds = arrays.done, arrays.wrong, arrays.returns, arrays.seeds
        self._states: InC | InPython
        self._states = InPython(game, arrays, restart) if steps is None else InC(game, steps, arrays, restart)
        self.seeds[:] = first_seeds(seed, count)
        self._states.reset(chosen(None, count))

    def _native(self, cache: Cache | None, only: bool) -> NativeSteps | None:
        try:
            return NativeSteps(self.game, cache or default_cache())
        except NoNative as none:
            if only:
                raise
            self.refused = str(none)
            return None

    @property
    def native(self) -> bool:
        """Whether native code plays."""
        return not self.refused

    def reset(self, where: Any = None, seeds: Any = None) -> None:
        """Begins games anew: all, or those of a mask, or of numbers of states. ``seeds``: of all states; otherwise each
        game that begins has a seed greater by ``count`` than the one before."""
        mask = chosen(where, self.count)
        if seeds is None:
            self.seeds[mask] += self.seeds.dtype.type(self.count)
        else:
            self.seeds[mask] = whole(seeds, self.count, "seeds").astype(self.seeds.dtype)[mask]
        self._states.reset(mask)

    def step(self, actions: Any) -> None:
        """Takes an action in each state: whole numbers, one a state; of states that wait for nobody they are not read.
        Raises NoAction where one is not legal: then none was taken. Raises ValueError for other arrays."""
        found = whole(actions, self.count, "actions")
        at = self._states.step(found)
        if at >= 0:
            raise NoAction(at, int(found[at]), int(self.options[at]))

    def observe(self, seat: int = WHO_DECIDES, into: Array = None) -> Array:
        """What a seat sees of each state (count × len(sees), int32): the one that decides, unless given; -1: a
        spectator. ``into``: an array of an earlier call, which is written again."""
        if not WHO_DECIDES <= seat < self.game.players:
            raise ValueError(f"there is no seat {seat}")
        found = empty((self.count, len(self.sees)), "int32") if into is None else into
        if found.shape != (self.count, len(self.sees)) or found.dtype != "int32" or not found.flags.c_contiguous:
            raise ValueError("observations are written into an array that `observe` made")
        self._states.observe(found, seat, self._sight)
        return found

    @property
    def sees(self) -> tuple[Entry, ...]:
        return self._sight.entries

    @property
    def left_out(self) -> tuple[str, ...]:
        return self._sight.left_out

    @cached_property
    def _sight(self) -> Sight:
        return Sight(self.game.setting)

    def why(self, at: int) -> str:
        """Why a state is ``wrong``, in words."""
        if not self.wrong[at]:
            raise ValueError(f"nothing is wrong with state {at}")
        return self._states.why(at)

    def state(self, at: int) -> State:
        """A state as :class:`~lusory.game.Game` has it; of one that is ``wrong`` the state before."""
        return self._states.state(at)


def _most_options(game: Game, steps: NativeSteps | None) -> int:
    """For how many options there is room, unless the caller says so."""
    try:
        form = printed_steps(game.setting).form if steps is None else steps.form
    except NotNative:
        return MOST
    return min(max(form.most, default=1), MOST)
