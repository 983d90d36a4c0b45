"""Many games among bots, counted as they end: memory does not grow with their number. Used by the simulate command.

The same game, seats, seed and number of games give the same tally on every machine, with however many processes.

Games are played in blocks of a fixed size and counted block by block, in order. Where all seats play at random, a game
is one call of the playout build; it is played again step by step only when it must be looked at: for its invariants,
or because of a fault. Where that goes on for a while, native code is built beside it, which plays the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

from ..cache import Cache
from ..game import Game
from ..native_code import Beside, Use, core_for
from ..play.players import RANDOM
from ..processes import Here, Workplace
from ..search.search import SearchBackend
from .keeping import Keeping, Kept, identity_of
from .playing import NativeCode, Part, Recipe, Wanted, Worker, option_words
from .statistics import Statistics, interval
from .unplayed import Unplayed

JSON_VERSION = 1

Progress = Callable[[int], None]  # hears how many games are done


class Simulation:
    """``games`` games; ``tally`` grows while :meth:`run` is at work and can be read whenever it is interrupted.

    ``kinds``, ``seed``, ``swap``, ``check``, ``watch``, ``details``, ``tables``, ``rows``, ``closely``: as in
    ``Wanted``; with ``swap`` there are as many games more as it takes for each seed to have all of its own. ``place``:
    where they are played, in place of ``jobs`` processes of this machine, which keep generated code in ``store``.
    ``native``: native code plays from the first game on (True), as soon as it pays (None), or never (False); ``use``:
    what came of it."""

    def __init__(
        self,
        game: Game,
        kinds: Sequence[str],
        games: int,
        seed: int = 0,
        check: bool = False,
        jobs: int = 1,
        store: Cache | None = None,
        watch: Unplayed | None = None,
        native: bool | None = False,
        details: bool = False,
        swap: bool = False,
        place: Workplace | None = None,
        tables: Sequence[str] = (),
        rows: bool = False,
        closely: bool = False,
    ) -> None:
        self.game = game
        self.wanted = Wanted(tuple(kinds), seed, swap, check, watch, details, tuple(tables), rows, closely)
        self.games = self.wanted.whole(games)
        self.store = store
        self.native = native
        self.blocks = self.wanted.blocks(self.games)
        self.place = place or Here(max(1, min(jobs, len(self.blocks))))
        self.use = Use()
        self.done = 0  # blocks
        self.tally = self.wanted.tally(game.program)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Who sits where, or, with swaps, who sits there in the first of the games from a seed."""
        return self.wanted.kinds

    @property
    def seed(self) -> int:
        """Of all games together."""
        return self.wanted.seed

    @property
    def check(self) -> bool:
        """Whether every invariant is tested at every decision."""
        return self.wanted.check

    @property
    def watch(self) -> Unplayed | None:
        """What looks for cards that are never played, if that is wanted."""
        return self.wanted.watch

    @property
    def identity(self) -> str:
        """What two runs of the same simulation have in common."""
        wanted, game = self.wanted, self.game
        zones = None if wanted.watch is None else wanted.watch.zones
        seen = wanted.swap, wanted.check, zones, wanted.details, wanted.tables, wanted.rows, wanted.closely
        limits = asdict(game.setting.limits)
        parts = [game.program.digest, wanted.kinds, option_words(game), wanted.seed, self.games, seen, limits]
        return identity_of(parts)

    def take_up(self, kept: Kept) -> None:
        """Go on where an earlier run was interrupted."""
        self.done, self.tally, self.use = kept.done, kept.tally, kept.use

    def run(self, progress: Progress | None = None, keeping: Keeping | None = None) -> Statistics:
        """Play them all, or those that are left. ``keeping`` is told of each block that is counted, and writes that
        down when this is interrupted. Raises ProcessGone when a process of ours disappears."""
        code = NativeCode(self.game, self.store, self.native) if self._at_once and not self.place.elsewhere else None
        core = core_for(self.game, self.store, self.native if self._thinks and not self.place.elsewhere else False)
        try:
            if self.place == Here():
                self._here(progress, code, keeping, core)
            else:
                if isinstance(core, Beside):
                    core.begin()  # and from then on kept, for all processes
                self._elsewhere(progress, code, keeping)
        finally:
            if isinstance(core, Beside):
                core.stop()
                self.use.refused = self.use.refused or core.use.refused
            if code is not None:
                code.stop()
                self.use.refused = code.refused
        return self.tally

    @property
    def _at_once(self) -> bool:
        """Whether games can be played without looking at them."""
        return self.native is not False and self.wanted.is_plain

    @property
    def _thinks(self) -> bool:
        """Whether native code may make the simulations of searches."""
        return self.native is not False and not set(self.kinds) <= {RANDOM}

    def _counted(self, part: Part, keeping: Keeping | None) -> None:
        """A block is done."""
        self.tally.add(part.tally)
        self.use.add(part.use)
        self.done += 1
        if keeping is not None:
            keeping.counted(self.done, self.tally, self.use, part.lines)

    def _elsewhere(self, progress: Progress | None, code: NativeCode | None, keeping: Keeping | None) -> None:
        if code is not None and self.store is None:
            code.refused = "the cache is switched off, in which processes find native code"
        elif self.native and code is not None:
            code.found()  # and from now on kept, for all processes
        with closing(self.place.in_order(self._recipe().block, self.blocks[self.done :])) as parts:
            try:
                for part in parts:
                    self._counted(part, keeping)
                    if code is not None:
                        code.found()
                    if progress is not None:
                        progress(self.tally.played)
            except BaseException:
                if keeping is not None:
                    keeping.write()
                raise

    def _here(
        self, progress: Progress | None, code: NativeCode | None, keeping: Keeping | None, core: SearchBackend
    ) -> None:
        work = Worker(self.game, self.wanted, core)
        for block in self.blocks[self.done :]:
            part = work.part()
            before = self.tally.played
            try:
                for _ in work.played(block, part, None if code is None else code.found()):
                    if progress is not None:
                        progress(before + part.tally.played)
            except BaseException:
                if keeping is not None:
                    keeping.write()
                self.tally.add(part.tally)  # which is told, as far as it came, and not kept
                self.use.add(part.use)
                raise
            self._counted(part, keeping)

    def _recipe(self) -> Recipe:
        game, elsewhere = self.game, self.place.elsewhere
        return Recipe(
            game.program,
            self.wanted,
            option_words(game),
            game.engine,
            None if elsewhere else self.store,
            game.setting.limits,
            self._at_once,
            elsewhere,
            self._thinks,
        )

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        tally, program = self.tally, self.game.program
        kinds: Sequence[str | None] = self.kinds if tally.lineup is None else [None] * len(self.kinds)
        seats = [{"seat": f"P{at + 1}", "kind": kind, **_figures(tally, at)} for at, kind in enumerate(kinds)]
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "players": self.game.players,
            "options": option_words(self.game),
            "seed": self.seed,
            "games": self.games,
            "games_played": tally.played,
            "games_finished": tally.finished,
            "ties": tally.ties,
            "decisions": tally.decisions,
            "length": {
                "mean": _rounded(tally.mean_length),
                "deviation": _rounded(tally.deviation),
                "shortest": tally.shortest,
                "longest": tally.longest,
            },
            "seats": seats,
            **({} if tally.lineup is None else {"lineup": self._lineup(tally.lineup)}),
            "ends": dict(tally.reasons.most_common()),
            "checked": self.check,
            "invariants_broken": dict(tally.broken),
            "faults": dict(tally.faults),
            "endless": tally.endless,
            "examples": [vars(t) for t in tally.troubles.values()],
            **({} if self.watch is None else {"played": self.watch.to_json(tally.uses)}),
            **({} if self.use == Use() else {"native": self.use.to_json()}),
        }

    def _lineup(self, tally: Statistics) -> list[dict[str, Any]]:
        """What each player came to, from all seats."""
        return [{"kind": kind, **_figures(tally, who)} for who, kind in enumerate(self.kinds)]


def _figures(tally: Statistics, at: int) -> dict[str, Any]:
    """What a seat, or a player, came to."""
    return {
        "wins": tally.wins[at],
        "shared_wins": tally.shared[at],
        "win_rate": _share(tally.wins[at], tally.finished),
        "win_rate_95": [_rounded(bound) for bound in interval(tally.wins[at], tally.finished)],
        "mean_payoff": _share(tally.payoffs[at], tally.finished),
        "means": {title: _share(sums[at], tally.finished) for title, sums in tally.totals.items()},
    }


def _share(part: float, whole: int) -> float:
    return _rounded(part / whole) if whole else 0.0


def _rounded(value: float) -> float:
    return round(value, 4)
