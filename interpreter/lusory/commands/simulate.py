"""``lusory simulate``: many games among bots, counted, and compared with earlier ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lusory_dsl.text.printable import json_text

from ..console import streams
from ..processes import ProcessGone
from ..study.simulate import Simulation
from . import comparing, learning, recording
from .common import in_native, load, make_game, progress, seat_kinds, tell_of
from .errors import INTERRUPTED, UsageError

LOCAL = "local"

if TYPE_CHECKING:
    from lusory_dsl.core import Program

    from ..processes import Workplace
    from ..study.figures import Figure
    from ..study.findings import Findings
    from ..study.unplayed import Unplayed
    from .comparing import Before, Weighed


def run(args: argparse.Namespace) -> int:
    """0: sound, and as balanced as it should be; 1: something is wrong or has moved; 130: interrupted."""
    from ..cache import default_cache

    base = comparing.base_of(args)
    program = load(args.game, args.packs)
    comparing.settle(args, program)
    kinds = seat_kinds(args.seats, args.players, program.min_players)
    game = make_game(program, len(kinds), args.options, args.engine, args.budgets)
    watch = None if args.unplayed is None else _watch(program, args.unplayed)
    learning.demand(args)
    wanted = learning.is_wanted(args)
    figures = comparing.figures(base, program, len(kinds)) if base is not None or args.balance else []
    work = Simulation(
        game,
        kinds,
        args.games,
        args.seed,
        args.check,
        args.jobs,
        default_cache(),
        watch,
        in_native(args.engine),
        wanted,
        swap=args.swap,
        place=_place(args.executor, kinds),
        tables=recording.tables(args),
        rows=bool(figures),
        closely=any(figure.is_close for figure in figures),
    )
    before = None if base is None else base.results(work)
    stopped, skill = _played(work, args), []
    if args.skill and stopped is None:
        try:
            skill = learning.ladder_of(work, args)
        except (KeyboardInterrupt, ProcessGone) as problem:  # the games before it are told all the same
            stopped = problem
    found = _weighed(work, before, figures, args, stopped is None)
    learnt = learning.learnt(work, skill) if wanted else None
    tell_of(work.use, args.engine)
    _show(work, found, learnt, args.format)
    if learnt is not None:
        learning.write_page(learnt, args)
    if isinstance(stopped, ProcessGone):
        raise stopped
    if stopped is not None:
        return INTERRUPTED
    return 0 if work.tally.is_sound and not found.is_bad else 1


def _played(work: Simulation, args: argparse.Namespace) -> BaseException | None:
    """What ended the games before all were played; what was counted is kept, so that it can go on from there."""
    keeping = recording.begun(work, args)
    try:
        with progress("games", work.games) as show:
            work.run(show, keeping)
    except (KeyboardInterrupt, ProcessGone) as stopped:
        recording.interrupted(work, keeping)
        return stopped
    recording.ended(keeping, args.record)
    return None


def _weighed(
    work: Simulation, before: Before | None, figures: Sequence[Figure], args: argparse.Namespace, whole: bool
) -> Weighed:
    """What the games are held against. Raises UsageError where that can't be, unless only some of them were played."""
    try:
        return comparing.found(work, before, figures, args)
    except UsageError:
        if whole:
            raise
        return comparing.Weighed()


def _place(executor: str, kinds: Sequence[str]) -> Workplace | None:
    """Where games are played: None, on this machine."""
    from ..play.players import is_trusted

    if executor == LOCAL:
        return None
    from ..cluster import SCHEME, Cluster, NoCluster

    if not executor.startswith(SCHEME):
        raise UsageError(f"--executor {executor}: nothing is called so", f"`{LOCAL}`, or `{SCHEME}HOST:PORT`")
    for kind in kinds:
        if not is_trusted(kind):
            raise UsageError(f"--seats: `{kind}` is on this machine, and not on those of a cluster", "--executor local")
    try:
        return Cluster(executor)
    except NoCluster as problem:
        raise UsageError(f"--executor: {problem}", problem.hint) from None


def _watch(program: Program, zones: str) -> Unplayed:
    from ..study.unplayed import Unplayed

    try:
        return Unplayed(program, [name.strip() for name in zones.split(",") if name.strip()])
    except ValueError as problem:
        raise UsageError(f"--unplayed: {problem}", "it takes the zones that count as in play, or nothing") from None


def _show(work: Simulation, weighed: Weighed, found: Findings | None, form: str) -> None:
    if form == "json":
        told = {**work.to_json(), **weighed.to_json()}
        if found is not None:
            told["findings"] = found.to_json()
        streams.put_text(json_text(told))
        return
    from ..console.summary import simulation
    from ..console.terminal import terminal
    from ..console.weighed import compared, held

    terminal().print(*simulation(work))
    if weighed.comparison is not None:
        terminal().print(*compared(weighed.comparison))
    if weighed.thresholds is not None:
        terminal().print(*held(weighed.thresholds))
    if found is not None:
        from ..console.learnt import findings

        terminal().print(*findings(found))
