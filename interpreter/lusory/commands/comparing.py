"""What ``lusory simulate`` holds its games against: an earlier result, other rules, the thresholds of the ruleset."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lusory_dsl.text.files import read_files

from ..console import streams
from .common import checked, find_packs, find_ruleset, load, make_game, progress
from .errors import UsageError

if TYPE_CHECKING:
    from lusory_dsl.core import Program

    from ..study.balance import Comparison, Thresholds
    from ..study.figures import Figure, Series
    from ..study.simulate import Simulation

REVISION = "git:"
"""Before the name of a revision."""

GAMES = 100
"""So many games are played where nobody says how many."""


@dataclass(frozen=True)
class Before:
    """What is compared with: its result, as JSON has it, and its games, where they are known."""

    result: dict[str, Any]
    games: Series | None


class Base(Protocol):
    """Something to compare with, as it was typed."""

    def results(self, work: Simulation) -> Before:
        """What it came to, in games as those of ``work``, which were not played yet. Raises UsageError."""


@dataclass(frozen=True)
class Weighed:
    """What came of comparing, and of holding against thresholds; None where it was not asked for."""

    comparison: Comparison | None = None
    thresholds: Thresholds | None = None

    @property
    def is_bad(self) -> bool:
        """Whether a build should fail."""
        from ..study.balance import is_bad

        return is_bad(self.comparison, self.thresholds)

    def to_json(self) -> dict[str, Any]:
        """Keys of the result of a simulation."""
        found = {"comparison": self.comparison, "balance": self.thresholds}
        return {key: one.to_json() for key, one in found.items() if one is not None}


def base_of(args: argparse.Namespace) -> Base | None:
    """What was typed behind ``--compare``. Raises UsageError."""
    if args.compare is None:
        return None
    from lusory_dsl.text.resources import bundled_rulesets

    from ..study.earlier import is_record

    if args.compare.startswith(REVISION):
        return _Revision(args)
    path = Path(args.compare)
    if path.is_dir() or path.suffix in (".yaml", ".yml") or (not path.exists() and args.compare in bundled_rulesets()):
        return _OtherRules(args)
    return _Record(path) if is_record(path) else _Result(path)


def settle(args: argparse.Namespace, program: Program) -> None:
    """With ``--balance`` who plays and how many games is what the ruleset says, unless it is typed. Raises
    UsageError."""
    balance = program.balance
    if args.balance:
        if not balance.seats:
            hint = "the section `balance` says who plays, and where figures should lie"
            raise UsageError(f"--balance: the ruleset `{program.id}` says nothing of its balance", hint)
        if args.seats is None and args.players is None:
            args.seats = ",".join(balance.seats)
    args.games = args.games or (balance.games if args.balance else None) or GAMES


def figures(base: Base | None, program: Program, players: int) -> list[Figure]:
    """What is looked at: the thresholds of the ruleset, and what is compared in any case."""
    from ..study.balance import figures_in, usual_figures

    usual = [] if base is None else usual_figures(players)
    return list(dict.fromkeys((*usual, *figures_in(program.balance, players))))


def found(work: Simulation, before: Before | None, figures: Sequence[Figure], args: argparse.Namespace) -> Weighed:
    """What is to be said of games that were played. Raises UsageError where they can't be compared."""
    from ..study.balance import Thresholds, hold
    from ..study.figures import series_of

    if before is None and not args.balance:
        return Weighed()
    balance = work.game.program.balance
    games = series_of(work.tally.rows or ())
    comparison = None if before is None else _compared(before, games, work, figures, args.compare)
    if not balance.within and not balance.change:
        return Weighed(comparison)
    as_meant = work.kinds == balance.seats
    earlier = None if before is None else before.games
    thresholds = hold(balance, len(work.kinds), games, earlier, as_meant)
    remarks = list(thresholds.remarks)
    if balance.within and not as_meant:
        remarks.append(f"Where figures should lie is said of {', '.join(balance.seats)}, who did not play.")
    if balance.change and before is not None and earlier is None:
        remarks.append("How far figures may move is looked at where single games are known: compare with a record.")
    return Weighed(comparison, Thresholds(thresholds.held, tuple(remarks)))


def _compared(before: Before, games: Series, work: Simulation, figures: Sequence[Figure], name: str) -> Comparison:
    from ..study.balance import compare, compare_games, with_remarks

    after = work.to_json()
    with _comparable(name):
        if before.games is None:
            return compare(before.result, after)
        return with_remarks(compare_games(before.games, games, figures), before.result, after)


@contextmanager
def _comparable(name: str) -> Iterator[None]:
    """Raises UsageError where two results say nothing about each other."""
    from ..study.balance import NotComparable

    try:
        yield
    except NotComparable as problem:
        hint = "compare simulations of the same game with as many players"
        raise UsageError(f"--compare {name}: {problem}", hint) from None


def _demand_same_game(name: str, before: dict[str, Any], work: Simulation) -> None:
    """Raises UsageError, before anything is played."""
    from ..study.balance import demand_same_game

    with _comparable(name):
        demand_same_game(before, work.to_json())


# ---------------------------------------------------------------- what is compared with


class _Result:
    """What an earlier simulation printed. It is read before anything is played."""

    def __init__(self, path: Path) -> None:
        from ..study.balance import NotComparable, read

        self.name = str(path)
        try:
            self.result = read(path)
        except NotComparable as problem:
            hint = "it takes another ruleset, git:REVISION, a record, or what `lusory simulate … --format json` printed"
            raise UsageError(f"--compare: {problem}", hint) from None

    def results(self, work: Simulation) -> Before:
        _demand_same_game(self.name, self.result, work)
        return Before(self.result, None)


class _Record:
    """Games that were written down."""

    def __init__(self, path: Path) -> None:
        from ..study.earlier import read_record
        from ..study.record import NoRecord

        self.name = str(path)
        try:
            self.earlier = read_record(path)
        except NoRecord as problem:
            raise UsageError(f"--compare: {problem}", "it takes what `lusory simulate … --record` wrote") from None

    def results(self, work: Simulation) -> Before:
        _demand_same_game(self.name, self.earlier.result, work)
        return Before(self.earlier.result, self.earlier.games)


class _OtherRules:
    """Another ruleset: its games are played by the same players, from the same seeds, with the options that are known
    there."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args

    def program(self) -> Program:
        """The other rules. Raises RulesetError."""
        return load(self.args.compare)

    def results(self, work: Simulation) -> Before:
        from ..study.figures import series_of
        from ..study.simulate import Simulation

        program, game, args, wanted = self.program(), work.game, self.args, work.wanted
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
            place=work.place,
            rows=True,
            closely=wanted.closely,
        )
        _demand_same_game(args.compare, base.to_json(), work)
        with progress("games to compare with", base.games) as show:
            base.run(show)
        if not base.tally.is_sound:
            streams.remark("lusory: not all games that are compared with came to an end")
        return Before(base.to_json(), series_of(base.tally.rows or ()))


class _Revision(_OtherRules):
    """The same ruleset, and packs beside it, as a revision has them. They are read before anything is played."""

    def __init__(self, args: argparse.Namespace) -> None:
        from ..revisions import NoRevision, files_at

        super().__init__(args)
        revision = args.compare.removeprefix(REVISION)
        try:
            self.files = [files_at(revision, find_ruleset(args.game))]
        except NoRevision as problem:
            hint = "a branch, a tag or a commit that has this ruleset: --compare git:main"
            raise UsageError(f"--compare {args.compare}: {problem}", hint) from None
        for pack in find_packs(args.packs):
            try:
                self.files.append(files_at(revision, pack))
            except NoRevision:  # it lies elsewhere, or was not there: as it is now
                self.files.extend(read_files(pack))

    def program(self) -> Program:
        from lusory_dsl.text.diagnostics import Diagnostics

        report = Diagnostics()
        program = checked(self.files, report)
        if program is None:
            first = report.sorted()[0]
            raise UsageError(
                f"--compare {self.args.compare}: the rules there have errors: {first.span}: {first.message}"
            )
        return program
