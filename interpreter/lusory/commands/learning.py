"""What ``lusory simulate`` makes of what was seen in the games: findings, and a page of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.text.disk import hindrance, write_whole

from .common import progress
from .errors import UsageError

if TYPE_CHECKING:
    from ..study.findings import Findings, Rung
    from ..study.simulate import Simulation


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether anybody looks on at the games."""
    return bool(args.details or args.report)


def demand(args: argparse.Namespace) -> None:
    """Raises UsageError for what can't be had, before games are played for it: a page, or to know about skill where
    nothing is told."""
    if args.skill and not is_wanted(args):
        raise UsageError("--skill: it goes with --details or --report", "--details shows what many games tell")
    if args.report is None:
        return
    if found := hindrance(Path(args.report)):
        raise UsageError(f"--report: {found}", "the name of a file in a folder that is there: --report out.html")
    try:
        from ..reports import findings_page  # noqa: F401
    except ModuleNotFoundError as problem:
        raise UsageError(f"there is no `{problem.name}`, which pages need", "pip install 'lusory[report]'") from None


def learnt(work: Simulation, skill: Sequence[Rung]) -> Findings:
    """What the games tell. ``skill``: how far apart players are."""
    from ..study.concluding import Finder
    from ..study.playing import option_words

    gathered = work.tally.gathered
    assert gathered is not None, "somebody looked on"
    zones = () if work.watch is None else work.watch.zones
    swapped = work.tally.lineup is not None
    kinds = (" or ".join(work.kinds),) * len(work.kinds) if swapped else work.kinds
    finder = Finder(work.game, kinds, option_words(work.game), work.seed, gathered, zones)
    return finder.found(skill)


def write_page(found: Findings, args: argparse.Namespace) -> None:
    """The page, where one is wanted. Raises OSError."""
    if args.report is not None:
        from ..reports.findings_page import page

        write_whole(Path(args.report), page(found))


def ladder_of(work: Simulation, args: argparse.Namespace) -> list[Rung]:
    """How far apart the first player of the games is from weaker ones: how much skill the game rewards."""
    from ..play.players import ladder
    from ..study.estimates import Estimate
    from ..study.findings import Rung
    from ..study.tournament import Tournament

    kinds = ladder(work.kinds[0])
    contest = Tournament(work.game, kinds, args.skill, work.seed, args.jobs, store=work.store, native=work.native)
    with progress("games of skill", contest.total) as show:
        contest.run(show)
    work.use.add(contest.use)
    rungs = []
    for player, found in zip(contest.to_json()["players"], contest.strengths(), strict=True):
        low, high = player["share_95"]
        known = abs(found.low) < float("inf")
        share = Estimate(player["share"], low, high, player["sets"])
        ends = (found.low, found.high) if known else (None, None)
        rungs.append(Rung(player["kind"], found.elo, ends[0], ends[1], share))
    return rungs
