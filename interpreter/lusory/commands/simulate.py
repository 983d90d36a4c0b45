"""``lusory simulate``: many games among bots, counted, and compared with earlier ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lusory_dsl.text.printable import json_text

from ..console import streams
from ..study.simulate import Simulation
from . import learning, recording
from .common import load, make_game, progress, seat_kinds
from .errors import INTERRUPTED, UsageError

NATIVE = "native"
LOCAL = "local"

if TYPE_CHECKING:
    from lusory_dsl.core import Program

    from ..processes import Workplace
    from ..study.balance import Comparison
    from ..study.findings import Findings
    from ..study.unplayed import Unplayed


def run(args: argparse.Namespace) -> int:
    """0: sound, and as balanced as before; 1: something is wrong or has moved; 130: interrupted."""
    from ..cache import default_cache

    base = None if args.compare is None else Path(args.compare)
    before = None if base is None or _is_ruleset(base) else _earlier(base)
    program = load(args.game, args.packs)
    kinds = seat_kinds(args.seats, args.players, program.min_players)
    native = None if args.engine is None else args.engine == NATIVE
    game = make_game(program, len(kinds), args.options, None if native else args.engine, args.budgets)
    watch = None if args.unplayed is None else _watch(program, args.unplayed)
    learning.demand(args)
    wanted = learning.is_wanted(args)
    work = Simulation(
        game,
        kinds,
        args.games,
        args.seed,
        args.check,
        args.jobs,
        default_cache(),
        watch,
        native,
        wanted,
        swap=args.swap,
        place=_place(args.executor, kinds),
        tables=recording.tables(args),
    )
    if base is not None and before is None:
        before = _played_before(work, args)
    interrupted = _played(work, args)
    if native and work.use.refused:
        streams.remark(f"lusory: {work.use.refused}; Python played")
    for words in work.use.remarks():
        streams.remark(f"lusory: {words}")
    comparison = None
    if before is not None:
        comparison = _compared(before, work, args.compare)
    _show(work, comparison, learning.learnt(work, args) if wanted else None, args.format)
    if interrupted:
        return INTERRUPTED
    return 0 if work.tally.is_sound and not (comparison and comparison.moved) else 1


def _is_ruleset(base: Path) -> bool:
    """Whether what is compared with is rules, and not an earlier result."""
    from lusory_dsl.text.resources import bundled_rulesets

    return base.is_dir() or base.suffix in (".yaml", ".yml") or (not base.exists() and str(base) in bundled_rulesets())


def _played_before(work: Simulation, args: argparse.Namespace) -> dict[str, Any]:
    """What the same games come to by other rules: the same players, from the same seeds, with the options that are
    known there."""
    program, game = load(args.compare), work.game
    known = {option.name for option in program.options}
    options = [typed for typed in args.options if typed.partition("=")[0].strip() in known]
    other = make_game(program, game.players, options, game.engine, args.budgets)
    base = Simulation(
        other,
        work.kinds,
        args.games,
        args.seed,
        jobs=args.jobs,
        store=work.store,
        native=work.native,
        swap=args.swap,
        place=_place(args.executor, work.kinds),
    )
    with progress("games to compare with", base.games) as show:
        base.run(show)
    return base.to_json()


def _played(work: Simulation, args: argparse.Namespace) -> bool:
    """Whether the games were interrupted before all were played."""
    keeping = recording.begun(work, args)
    try:
        with progress("games", work.games) as show:
            work.run(show, keeping)
    except KeyboardInterrupt:
        recording.interrupted(work, keeping)
        return True
    recording.ended(keeping, args.record)
    return False


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
        raise UsageError(f"--executor: {problem}") from None


def _watch(program: Program, zones: str) -> Unplayed:
    from ..study.unplayed import Unplayed

    try:
        return Unplayed(program, [name.strip() for name in zones.split(",") if name.strip()])
    except ValueError as problem:
        raise UsageError(f"--unplayed: {problem}", "it takes the zones that count as in play, or nothing") from None


def _earlier(path: Path) -> dict[str, Any]:
    from ..study.balance import NotComparable, read

    try:
        return read(path)
    except NotComparable as problem:
        hint = "it takes what `lusory simulate … --format json` printed, or another ruleset"
        raise UsageError(f"--compare: {problem}", hint) from None


def _compared(before: dict[str, Any], work: Simulation, name: str) -> Comparison:
    from ..study.balance import NotComparable, compare

    try:
        return compare(before, work.to_json())
    except NotComparable as problem:
        raise UsageError(
            f"--compare {name}: {problem}", "compare simulations of the same game with as many players"
        ) from None


def _show(work: Simulation, comparison: Comparison | None, found: Findings | None, form: str) -> None:
    if form == "json":
        told = work.to_json()
        if comparison is not None:
            told["comparison"] = comparison.to_json()
        if found is not None:
            told["findings"] = found.to_json()
        streams.put_text(json_text(told))
        return
    from ..console.summary import compared, simulation
    from ..console.terminal import terminal

    terminal().print(*simulation(work), *([] if comparison is None else compared(comparison)))
    if found is not None:
        from ..console.learnt import findings

        terminal().print(*findings(found))
