"""Run ``lusory simulate``: play many games among bots, report statistics, and compare them with earlier ones."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import read_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import (
    explain_unwritable_file,
    find_bundled_rulesets,
    write_atomically,
)
from lusory_dsl.source.source import format_json

from ...play.bot_kinds_python_players_and_recordings import is_trusted, list_weaker_kinds
from ...stats import comparisons_and_thresholds as comparisons, game_results_and_record_files as records
from ...stats.checkpoints import CheckpointWriter
from ...stats.figures_estimates_and_significance_tests import Figure
from ...stats.game_results_and_record_files import RecordedGames
from ...stats.parallel_simulation import MapBlocks, Simulation
from ...stats.simulation_report_builder import ReportBuilder, SimulationReport
from ...stats.tournament import BotStrength, Tournament
from ...support.cache import find_default_cache
from ...ui.line import plain_output_and_terminal_checks as plain_output
from .. import game_loading_seats_and_output as common
from ..errors import UsageError

LOCAL = "local"

REVISION_PREFIX = "git:"
"""Prefix of a git revision."""

DEFAULT_GAMES = 100
"""Number of games if neither the command nor the ruleset gives one."""


def run(args: argparse.Namespace) -> int:
    """Play the games, and report statistics, comparisons and records.

    Returns 0 if all is well. Returns 1 if an invariant broke, or a game failed or did not end. It also returns 1 if
    ``--balance`` or ``--compare`` finds a threshold of balance broken, or if, with ``--compare``, a figure has moved
    beyond chance. Moved figures don't count if a threshold for a change was checked instead. After Ctrl-C in the games
    or in ``--skill``, the results so far are printed, and the result is 130. If a worker dies there, they are printed,
    too, before WorkerDied is raised again. In the games of the base of ``--compare``, nothing is printed, and
    KeyboardInterrupt or WorkerDied is raised. Raises UsageError for options that can't work, and for a base that can't
    be compared.
    """
    program = common.load_cached_program(args.game, args.packs)
    _apply_balance_section(args, program)
    kinds = common.assign_seats(args.seats, args.players, program.min_players)
    game = common.create_game(program, len(kinds), args.options, args.engine, args.budgets)
    has_findings = bool(args.details or args.report)
    _check_findings_options(args, has_findings)
    figures: list[Figure] = []
    if args.compare is not None or args.balance:
        default_figures = [] if args.compare is None else comparisons.list_default_figures(len(kinds))
        threshold_figures = comparisons.list_threshold_figures(program.balance, len(kinds))
        figures = list(dict.fromkeys((*default_figures, *threshold_figures)))
    simulation = Simulation(
        game,
        kinds,
        args.games,
        args.seed,
        args.check,
        args.jobs,
        find_default_cache(),
        common.parse_native_mode(args.engine),
        has_findings,
        swaps_seats=args.swap,
        map_on_cluster=_find_cluster(args.executor, kinds),
        tables=_record_tables(args),
        keeps_rows=bool(figures),
        observes_turns=any(figure.needs_observation for figure in figures),
    )
    base = None if args.compare is None else _find_base(args, simulation)
    stop, skill = _play_games(simulation, args), []
    if args.skill and stop.problem is None:
        with stop:
            skill = _measure_skill(simulation, args)
    try:
        balance = _compare_results(simulation, base, figures, args)
    except UsageError:
        if stop.problem is None:
            raise
        balance = BalanceResults()
    report = _collect_findings(simulation, skill) if has_findings else None
    common.report_native(simulation.use, args.engine)
    _show_results(simulation, balance, report, args.format)
    if report is not None and args.report is not None:
        from ...reports.simulation_html import write_page

        write_atomically(Path(args.report), write_page(report))
    is_bad = comparisons.is_balance_failure(balance.comparison, balance.thresholds)
    return stop.choose_code(0 if simulation.statistics.is_sound and not is_bad else 1)


def _play_games(simulation: Simulation, args: argparse.Namespace) -> common.Interruption:
    """Play the games, and return what interrupted them, if anything. Progress is saved, so that they can resume."""
    checkpoints = _start_checkpoints(simulation, args)
    with common.show_progress("games", simulation.games) as show, common.Interruption() as stop:
        simulation.run(show, checkpoints)
    if stop.problem is None:
        _write_record(checkpoints, args.record)
    elif checkpoints.has_begun:
        finished_games = min(simulation.finished_blocks * simulation.blocks.step, simulation.games)
        progress = f"{finished_games:,} of {simulation.games:,} games are saved"
        plain_output.write_error_line(f"lusory: {progress}; run the same command with --resume to continue")
    return stop


def _find_cluster(executor: str, kinds: Sequence[str]) -> MapBlocks | None:
    """Return the function that plays games on a cluster, or None for this machine. Raises UsageError."""
    if executor == LOCAL:
        return None
    from ...stats.dask_executor import SCHEME, Cluster, NoCluster

    if not executor.startswith(SCHEME):
        raise UsageError(f"unknown executor `{executor}`", f"write `{LOCAL}` or `{SCHEME}HOST:PORT`")
    for kind in kinds:
        if not is_trusted(kind):
            raise UsageError(
                f"--seats: `{kind}` needs files of this machine, so a cluster can't run it", "use --executor local"
            )
    try:
        return Cluster(executor).map_in_order
    except NoCluster as problem:
        raise UsageError(f"--executor: {problem}", problem.hint) from None


def _show_results(simulation: Simulation, balance: BalanceResults, report: SimulationReport | None, form: str) -> None:
    """Print the statistics, the comparison, the thresholds and the report, or all as one JSON value."""
    if form == "json":
        data = {**simulation.to_json(), **balance.to_json()}
        if report is not None:
            data["findings"] = report.to_json()
        plain_output.write_lines(format_json(data))
        return
    from ...ui.line.review_fuzz_solve_tuning_and_comparison_tables import render_comparison, render_thresholds
    from ...ui.line.statistics_tables_and_game_lists import render_simulation
    from ...ui.line.terminal_output_and_line_editing import create_terminal

    create_terminal().print(*render_simulation(simulation))
    if balance.comparison is not None:
        create_terminal().print(*render_comparison(balance.comparison))
    if balance.thresholds is not None:
        create_terminal().print(*render_thresholds(balance.thresholds))
    if report is not None:
        from ...ui.line.statistics_tables_and_game_lists import render_report

        create_terminal().print(*render_report(report))


# ---------------------------------------------------------------- records


def _record_tables(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the tables that ``--record`` and ``--decisions`` request: none without ``--record``.

    Raises UsageError for ``--decisions`` without ``--record``, and for a record file that can't be used.
    """
    if args.record is None:
        if args.decisions:
            raise UsageError("--decisions needs --record", "for example --record games.jsonl")
        return ()
    try:
        records.require_record_file(Path(args.record))
    except records.RecordError as problem:
        raise UsageError(f"--record: {problem}", "for example --record games.jsonl") from None
    return (records.GAMES, records.DECISIONS) if args.decisions else (records.GAMES,)


def _start_checkpoints(simulation: Simulation, args: argparse.Namespace) -> CheckpointWriter:
    """Return the object that saves the progress of a simulation: beside its record, or in the user's folder.

    The file beside a record is called like it, with ``.part`` at the end. With ``--resume``, puts ``simulation`` where
    it was interrupted, and prints on standard error how many games are kept. Without ``--resume``, or if no progress
    was saved, starts anew.
    """
    place = None if args.record is None else Path(f"{args.record}.part")
    checkpoints = CheckpointWriter(place, simulation.identity, simulation.settings.tables)
    checkpoint = checkpoints.load() if args.resume else None
    if checkpoint is None:
        checkpoints.start_anew()
        if args.resume:
            plain_output.write_error_line("lusory: no saved progress found; starting from the first game")
    else:
        simulation.continue_from(checkpoint)
        count = simulation.statistics.game_count
        plain_output.write_error_line(f"lusory: continuing after {count:,} of {simulation.games:,} games")
    return checkpoints


def _write_record(checkpoints: CheckpointWriter, file: str | None) -> None:
    """Write the record of a finished simulation to ``file``, if there is one, and delete the checkpoint and its tables.

    Raises UsageError if the record can't be written; the checkpoint and the tables are then kept.
    """
    if file is not None:
        checkpoints.write()
        checkpoints.close_tables()
        try:
            records.write_record_files(Path(file), checkpoints.rows)
        except records.RecordError as problem:
            raise UsageError(f"--record: {problem}", "run the same command with --resume to try again") from None
    with suppress(OSError):
        checkpoints.delete()


# ---------------------------------------------------------------- findings


def _check_findings_options(args: argparse.Namespace, has_findings: bool) -> None:
    """Raise UsageError before any game is played, if the options for details can't work.

    That is ``--skill`` without ``--details`` or ``--report``, a file for ``--report`` that can't be written, or a
    missing package for the report.
    """
    if args.skill and not has_findings:
        raise UsageError("--skill needs --details or --report", "add --details")
    if args.report is None:
        return
    if problem_with_file := explain_unwritable_file(Path(args.report)):
        raise UsageError(
            f"--report: {problem_with_file}",
            "write the name of a file in an existing folder, such as --report out.html",
        )
    try:
        from ...reports import simulation_html  # noqa: F401
    except ModuleNotFoundError as problem:
        raise UsageError(f"--report needs the package `{problem.name}`", "run pip install 'lusory[report]'") from None


def _collect_findings(simulation: Simulation, skill: Sequence[BotStrength]) -> SimulationReport:
    """Return the findings of the games, whose details must have been collected.

    ``skill`` holds the results of :func:`_measure_skill`. With swapped seats, each seat has all kinds of players.
    """
    game, observations = simulation.game, simulation.statistics.observations
    assert observations is not None, "the simulation collected details"
    has_swapped_seats = simulation.statistics.lineup is not None
    kinds = (" or ".join(simulation.kinds),) * len(simulation.kinds) if has_swapped_seats else simulation.kinds
    return ReportBuilder(game, kinds, game.written_options, simulation.seed, observations).build(skill)


def _measure_skill(simulation: Simulation, args: argparse.Namespace) -> list[BotStrength]:
    """Measure how much skill the game rewards: let the first player and weaker bots play a tournament.

    ``args.skill`` is the number of games of each pair. Returns Elo, interval and share of points of each of these bots,
    the strongest kind (not the best result) first. An interval that is infinite has no ends, None. The use of native
    code is added to ``simulation.use``.
    """
    kinds = list_weaker_kinds(simulation.kinds[0])
    game, store, native = simulation.game, simulation.store, simulation.native
    tournament = Tournament(game, kinds, args.skill, simulation.seed, args.jobs, store=store, native=native)
    with common.show_progress("games to measure skill", tournament.max_games) as show:
        tournament.run(show)
    simulation.use.add(tournament.use)
    return tournament.list_strengths()


# ---------------------------------------------------------------- comparison and thresholds


@dataclass(frozen=True)
class BalanceResults:
    """Hold the results of a comparison and of the thresholds. Each is None if it was not requested."""

    comparison: comparisons.Comparison | None = None
    thresholds: comparisons.ThresholdResults | None = None

    def to_json(self) -> dict[str, Any]:
        """Return keys for the JSON result of a simulation.

        They are ``comparison`` and ``balance``, as far as these were requested.
        """
        sections = {"comparison": self.comparison, "balance": self.thresholds}
        return {key: section.to_json() for key, section in sections.items() if section is not None}


def _find_base(args: argparse.Namespace, simulation: Simulation) -> RecordedGames:
    """Return the results that ``--compare`` names, to compare a simulation with that has not been played yet.

    A folder, a YAML file or a bundled game is other rules; the prefix ``git:`` names a revision of these rules. Their
    games are played now. Any other text is the path of a record or of a JSON result. Raises UsageError if a record, a
    result or a revision can't be read, or is of another game.
    """
    if args.compare.startswith(REVISION_PREFIX):
        return _simulate_base(args, _load_revision(args), simulation)
    path = Path(args.compare)
    is_bundled = not path.exists() and args.compare in find_bundled_rulesets()
    if path.is_dir() or path.suffix in (".yaml", ".yml") or is_bundled:
        return _simulate_base(args, common.load_cached_program(args.compare), simulation)
    results = _read_results(path)
    with _reject_incomparable(args.compare):
        comparisons.require_same_game(results.result, simulation.to_json())
    return results


def _apply_balance_section(args: argparse.Namespace, program: Program) -> None:
    """Take the bots and the number of games of ``--balance`` from the ruleset, unless they are typed. Changes ``args``.

    Typed ``--players`` also keep the bots of the section out. Without any number of games, the default is set. Raises
    UsageError for ``--balance`` if the ruleset has no section ``balance``.
    """
    balance = program.balance
    if args.balance:
        if not balance.seats:
            hint = "add the section: it names the bots, and limits such as the share of wins of the first player"
            raise UsageError(f"--balance: the ruleset `{program.id}` has no section `balance`", hint)
        if args.seats is None and args.players is None:
            args.seats = ",".join(balance.seats)
    args.games = args.games or (balance.games if args.balance else None) or DEFAULT_GAMES


def _compare_results(
    simulation: Simulation, base: RecordedGames | None, figures: Sequence[Figure], args: argparse.Namespace
) -> BalanceResults:
    """Compare the games with the base, and check thresholds. Raises UsageError if they can't be compared.

    Without a base and without ``--balance``, the results are empty; without limits in the ruleset, there is no check of
    thresholds. Limits on values apply only if the bots of the section played, limits on changes only if the base has
    single games. A remark says which limits were not checked.
    """
    if base is None and not args.balance:
        return BalanceResults()
    balance = simulation.game.program.balance
    games, comparison = records.group_by_seed(simulation.statistics.rows or ()), None
    if base is not None:
        result = simulation.to_json()
        with _reject_incomparable(args.compare):
            if base.games is None:
                comparison = comparisons.compare_summaries(base.result, result)
            else:
                comparison = comparisons.add_remarks(
                    comparisons.compare_games(base.games, games, figures), base.result, result
                )
    if not balance.within and not balance.change:
        return BalanceResults(comparison)
    has_same_bots = simulation.kinds == balance.seats
    base_games = None if base is None else base.games
    thresholds = comparisons.check_thresholds(balance, len(simulation.kinds), games, base_games, has_same_bots)
    remarks = list(thresholds.remarks)
    if balance.within and not has_same_bots:
        remarks.append(f"The limits are for games of {', '.join(balance.seats)}, but other bots played.")
    if balance.change and base is not None and base_games is None:
        remarks.append(
            "The limits on changes were not checked, because the base has no single games: compare with a record."
        )
    return BalanceResults(comparison, comparisons.ThresholdResults(thresholds.checks, tuple(remarks)))


@contextmanager
def _reject_incomparable(name: str) -> Iterator[None]:
    """Raise UsageError if two results are not comparable."""
    try:
        yield
    except comparisons.NotComparable as problem:
        hint = "compare simulations of the same game with the same number of players"
        raise UsageError(f"--compare {name}: {problem}", hint) from None


# ---------------------------------------------------------------- bases of a comparison


def _read_results(path: Path) -> RecordedGames:
    """Return the results in a file: a record of games, or the JSON output of a simulation, which has no single games.

    Raises UsageError.
    """
    try:
        if path.suffix == records.RECORD_SUFFIX:
            return records.read_record(path)
        return RecordedGames(comparisons.read_result(path), None)
    except records.RecordError as problem:
        raise UsageError(f"--compare: {problem}", "write a file from `lusory simulate … --record`") from None
    except comparisons.NotComparable as problem:
        hint = "write a game, git:REVISION, a record, or a file from `lusory simulate … --format json`"
        raise UsageError(f"--compare: {problem}", hint) from None


def _simulate_base(args: argparse.Namespace, program: Program, simulation: Simulation) -> RecordedGames:
    """Play the games of other rules with the same players and seeds, and return their JSON result and the games.

    Options on the command line that the base lacks are left out. Raises UsageError if the base is another game, or if
    the bots or options don't fit it.
    """
    option_names = {option.name for option in program.options}
    options = [text for text in args.options if text.partition("=")[0].strip() in option_names]
    base = Simulation(
        common.create_game(program, simulation.game.players, options, simulation.game.engine, args.budgets),
        simulation.kinds,
        args.games,
        args.seed,
        jobs=args.jobs,
        store=simulation.store,
        native=simulation.native,
        swaps_seats=args.swap,
        map_on_cluster=simulation.map_on_cluster,
        keeps_rows=True,
        observes_turns=simulation.settings.observes_turns,
    )
    with _reject_incomparable(args.compare):
        comparisons.require_same_game(base.to_json(), simulation.to_json())
    with common.show_progress("games to compare with", base.games) as show:
        base.run(show)
    if not base.statistics.is_sound:
        plain_output.write_error_line("lusory: some games of the base did not end")
    return RecordedGames(base.to_json(), records.group_by_seed(base.statistics.rows or ()))


def _load_revision(args: argparse.Namespace) -> Program:
    """Return the rules of the ruleset and its packs at the git revision that ``--compare`` names.

    A pack that the revision does not have is used as it is now. Raises UsageError if the revision or the ruleset is
    not found, or if the rules have errors.
    """
    from ...support.ruleset_at_git_revision import RevisionNotFound, read_revision

    revision = args.compare.removeprefix(REVISION_PREFIX)
    try:
        files = [read_revision(revision, common.find_ruleset(args.game))]
    except RevisionNotFound as problem:
        hint = "write a branch, a tag or a commit that contains this ruleset, such as git:main"
        raise UsageError(f"--compare {args.compare}: {problem}", hint) from None
    for pack in common.find_packs(args.packs):
        try:
            files.append(read_revision(revision, pack))
        # The pack is outside the repository, or did not exist yet, so use it as it is now.
        except RevisionNotFound:
            files.extend(read_ruleset_files(pack))
    report = Diagnostics()
    program = common.check_rules(files, report)
    if program is None:
        first = report.list_sorted()[0]
        raise UsageError(f"--compare {args.compare}: these rules have errors: {first.span}: {first.message}")
    return program
