"""Render statistics as tables: tournaments, findings, simulations, and lists of games and cards. Show progress bars.

Studies of games and rules are in :mod:`lusory.ui.line.review_fuzz_solve_tuning_and_comparison_tables`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from time import monotonic
from types import TracebackType
from typing import Any

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lusory_dsl.source.source import count_noun, make_one_line, make_printable

from ...explain.styled_text_wrapping_and_values import Line, Run, measure, pad_line
from ...game import Game, format_option_value
from ...play.stored_results_settings_and_dataclass_json import PersonResults
from ...stats.figures_estimates_and_significance_tests import Distribution, Estimate, format_interval, format_value
from ...stats.mergeable_counters import Statistics, calculate_wilson_interval
from ...stats.parallel_simulation import Simulation
from ...stats.simulation_report_builder import SimulationReport, UsageResult
from ...stats.tournament import Tournament
from . import plain_output_and_terminal_checks as plain_output
from .screen_rendering import get_seat_style, make_table, render_lines
from .terminal_output_and_line_editing import Terminal


def render_tournament(tournament: Tournament) -> list[RenderableType]:
    """Render the results of a tournament: a Text for each line, but the str ``""`` for an empty one, and two Tables.

    1. ``NAME: 12 games among 3 players``
    2. ``seed 7, 2 seats; OPTION=VALUE``, with all options if there are any
    3. ``Nothing was played to the end.`` without finished sets, and nothing more
    4. five items: ``""``, the table of the players by Elo, ``""``, the table of the pairs, and ``""``
    5. ``the first seat makes 55.0% of the points …``, unless solitaire
    6. ``ends: P1 has four in a row 7, …``, with the ten most common reasons, the most common first
    """
    game = tournament.game
    games = count_noun(sum(len(played_set.games) for played_set in tournament.sets), "game")
    parts: list[RenderableType] = [
        Text(f"{game.program.name}: {games} among {len(tournament.kinds)} players", style="bold"),
        _render_settings(game, tournament.seed, "seat"),
    ]
    if not tournament.sets:
        return [*parts, Text("Nothing was played to the end.")]
    parts += ["", _render_players(tournament), "", _render_pairs(tournament), ""]
    if game.players > 1:
        share = tournament.first_seat_share
        interval = f"(95 % interval: {format_interval(share, ' to ')})"
        parts += [Text(f"the first seat makes {share.value:.1%} of the points against the other seats {interval}")]
    ends = ", ".join(f"{make_printable(reason)} {n}" for reason, n in tournament.ending_counts.most_common(10))
    return [*parts, Text(f"ends: {ends}")]


def _render_settings(game: Game, seed: int, noun: str) -> Text:
    """Return the seed, the number of seats, which ``noun`` names, and all options, also those with their default."""
    options = ", ".join(f"{name}={format_option_value(value)}" for name, value in game.written_options.items())
    remark = f"; {make_one_line(options)}" if options else ""
    return Text(f"seed {seed}, {count_noun(game.players, noun)}{remark}", style="dim")


def _render_players(tournament: Tournament) -> Table:
    table = make_table("Player", ">Elo", ">with 95 %", ">points", ">sets")
    for player in sorted(tournament.list_strengths(), key=lambda player: -player.elo):
        interval = format_interval(player.rating, " to ", "+.0f") or "not known"
        points = f"{player.share.value:.1%}" if player.share.n else "–"
        table.add_row(make_printable(player.kind), f"{player.elo:+.0f}", interval, points, str(player.share.n))
    return table


def _render_pairs(tournament: Tournament) -> Table:
    table = make_table("Pair", ">points of the first", ">with 95 %", ">sets", "stronger")
    for pair in tournament.pairs:
        share = tournament.estimate_share(pair)
        names, first = [make_printable(tournament.kinds[number]) for number in pair], tournament.find_stronger(pair)
        clear = names[first < 0] if first else "not clear"
        table.add_row(" – ".join(names), format_value(share), format_interval(share, " to "), str(share.n), clear)
    return table


MAX_ROWS = 10
"""Maximum rows of a table. The HTML page and JSON have all rows."""


def render_report(report: SimulationReport) -> list[RenderableType]:
    """Render the findings of many games: course, ends, questions, strategies, cards, unused things and skill.

    The str ``""`` and the bold Text ``What 9 games show``, or ``What 1 game shows``, with the number of finished games,
    come first. Tables and lists have at most ``MAX_ROWS`` (10) entries; that of skill has all. Strategies are those
    that go with winning or losing beyond chance. If some were tested and none does, a sentence says so. Cards are the
    most used ones. Parts without measurements are left out, but the table of questions is always there. Without
    finished games, the result is ``""`` and the Text ``Nothing can be learnt: no game came to its end.``
    """
    if not report.games:
        return ["", Text("Nothing can be learnt: no game came to its end.")]
    parts: list[RenderableType] = ["", Text(f"What {report.games_tell}", style="bold"), *_render_course(report), ""]
    parts += [_render_ends(report), "", _render_questions(report)]
    strategies = report.strategies
    if strategies:
        title = f"More than chance, of {report.tested} that were tested"
        parts += ["", Text(title, style="bold"), _render_ways_ahead(strategies[:MAX_ROWS], report)]
    elif report.tested:
        parts += ["", Text(f"Of {report.tested} cards, actions and answers that were tested, none goes with winning.")]
    # The most informative statistic of each card.
    usages = [card.played or card.gained or card.picked or card.drawn for card in report.cards]
    cards = sorted((usage for usage in usages if usage is not None), key=lambda usage: -usage.taken)
    if cards:
        parts += ["", Text("The most used cards", style="bold"), _render_ways_ahead(cards[:MAX_ROWS], report)]
    parts += _render_unused(report)
    parts += _render_skill(report)
    return parts


def _render_course(report: SimulationReport) -> Iterable[RenderableType]:
    """Yield lines about the course of a game: length, results, rounds, options, first player, ties and lead.

    Figures that were not measured are left out.
    """
    turns_text = "" if report.for_one else f"{_format_distribution(report.turns)} turns, "
    yield Text(f"length on average: {turns_text}{_format_distribution(report.decisions)} decisions")
    for seat in report.seats if report.for_one else ():
        if seat.result is not None:
            interval = format_interval(seat.result, " to ", ".1f")
            yield Text(f"result on average: {seat.result.value:.1f}{interval and f' ({interval})'}")
    for name, passes in report.rounds.items():
        yield Text(f"passes of {make_one_line(name)} on average: {_format_distribution(passes)}")
    if report.branching is not None:
        forced_text = f"{report.forced:.0%} of choices were forced"
        yield Text(f"options on average: {_format_distribution(report.branching)} at a decision; {forced_text}")
    if report.first is not None:
        even_share = 1 / report.players
        yield Text(f"the first player wins {_format_share(report.first)}; even would be {even_share:.1%}")
    if report.ties is not None and report.ties.value:
        yield Text(f"shared by several: {_format_share(report.ties)}")
    lead = report.lead
    if lead is None or lead.changes is None:
        return
    yield Text(f"the lead changes {lead.changes.mean:.1f} times a game on average (read from {lead.source})")
    for words, share in (("who leads after three tenths wins", lead.runaways), ("comebacks", lead.comebacks)):
        if share is not None:
            yield Text(f"{words}: {_format_share(share)}")
    if lead.settled is not None:
        yield Text(f"the winner leads for good after {lead.settled.median} % of the game (median)")


def _render_ends(report: SimulationReport) -> Table:
    turns = () if report.for_one else ("turns",)
    table = _make_number_table("Ending", "games", "95 % between", *turns, *(seat.seat for seat in report.seats))
    for end in report.ends[:MAX_ROWS]:
        table.add_row(
            Text(make_one_line(end.reason)),
            str(end.games),
            format_interval(end.share, " and "),
            *(format_value(end.turns, ".1f") for _ in turns),
            *(format_value(result, report.form) for result in end.seats),
        )
    return table


def _render_questions(report: SimulationReport) -> Table:
    has_weights = any(question.weight is not None for question in report.questions)
    table = _make_number_table("Question", "a game", "options", "forced", *(("weight",) if has_weights else ()))
    for question in report.questions[:MAX_ROWS]:
        table.add_row(
            Text(make_one_line(question.title)),
            f"{question.per_game:.1f}",
            format_value(question.options, ".1f"),
            f"{question.forced:.0%}",
            *((format_value(question.weight, ".3f"),) if has_weights else ()),
        )
    return table


def _render_ways_ahead(rows: Sequence[UsageResult], report: SimulationReport) -> Table:
    unit = "result" if report.for_one else "wins"
    table = _make_number_table("", "", "a game", "of offers", unit, f"{unit} ahead", "games", "q")
    for usage in rows:
        table.add_row(
            Text(make_one_line(usage.name)),
            usage.what,
            f"{usage.taken / report.games:.2f}",
            format_value(usage.rate, ".0%"),
            format_value(usage.result, report.form),
            "" if usage.ahead is None else format(usage.ahead, f"+{report.form}"),
            str(usage.compared),
            "" if usage.q is None else Text(f"{usage.q:.3f}", style="bold" if usage.clear else "dim"),
        )
    return table


def _render_unused(report: SimulationReport) -> Iterable[RenderableType]:
    for caption, names in (
        ("cards that nobody drew, gained, picked or played", report.dead),
        ("drawn, and never played", report.unplayed),
        ("never taken", report.untaken),
    ):
        if names:
            listed_names = ", ".join(make_one_line(name) for name in names[:MAX_ROWS])
            rest = f", and {len(names) - MAX_ROWS} more" if len(names) > MAX_ROWS else ""
            yield Text(f"{caption} ({len(names)}): {listed_names}{rest}")
    if report.unfired:
        game_count_text = count_noun(report.replayed, "game")
        yield Text(f"rules that were never carried out in {game_count_text} ({len(report.unfired)}):")
        for rule in report.unfired[:MAX_ROWS]:
            yield Text(f"  {make_one_line(rule.place)} {make_one_line(rule.missing)}")


def _render_skill(report: SimulationReport) -> Iterable[RenderableType]:
    if report.skill:
        table = _make_number_table("Skill", "Elo", "95 % between", "points")
        for rung in report.skill:
            interval = format_interval(rung.rating, " and ", "+.0f")
            table.add_row(rung.kind, f"{rung.elo:+.0f}", interval, format_value(rung.share))
        yield from ("", table)


def _make_number_table(first_title: str, *titles: str) -> Table:
    return make_table(first_title, *(f">{title}" for title in titles), pad_edge=False)


def _format_distribution(distribution: Distribution | None) -> str:
    return "no" if distribution is None else f"{distribution.mean:.1f} ({distribution.low} to {distribution.high})"


def _format_share(estimate: Estimate) -> str:
    """Return a share, and its confidence interval in brackets: ``55.0% (40.0% to 70.0%)``."""
    return f"{estimate.value:.1%} ({format_interval(estimate, ' to ')})"


class ProgressBar:
    """Show a progress bar on a terminal, and remove it at the end of this context. Other streams show nothing.

    The bar appears after ``patience`` seconds. Call it with the number of finished items and a note; it is redrawn ten
    times a second at most.
    """

    def __init__(self, terminal: Terminal, title: str, total: int, patience: float = 0.0) -> None:
        columns = (title, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), "{task.fields[note]}")
        self._bar = Bar(
            *columns,
            console=terminal.console,
            transient=True,
            disable=not terminal.console.is_terminal,
            auto_refresh=False,
        )
        self._task = self._bar.add_task(title, total=total, note="")
        # Time of the next redraw.
        self._next = monotonic() + patience
        self._covers = ExitStack()
        if not patience:
            self._show()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hide()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide the bar while other things are printed. The next call shows it again."""
        self._hide()
        yield

    def _show(self) -> None:
        """Show the bar instead of the status line of :mod:`lusory.ui.line.plain_output_and_terminal_checks`."""
        if not self._bar.disable and not self._bar.live.is_started:
            self._covers.enter_context(plain_output.suppress_status())
            self._bar.start()

    def _hide(self) -> None:
        if self._bar.live.is_started:
            self._bar.stop()
            self._covers.close()

    def __call__(self, count: int, note: str = "") -> None:
        if not self._bar.disable and monotonic() >= self._next:
            self._next = monotonic() + 0.1
            self._show()
            self._bar.update(self._task, completed=count, note=note, refresh=True)


def render_simulation(simulation: Simulation) -> list[RenderableType]:
    """Render the results of a simulation: players, scores, length, ends, invariants and failures.

    The lines are :class:`Text`. ``Nim: 9 of 10 games finished`` and ``seed 7, 2 players; A=1, B=false`` come first,
    with all options of the game. After the second line and each table comes ``""``. The seats have a table, the players
    one if they swapped seats, and averages one if the game has scores and a game finished. The length is ``decisions in
    a game: 8.5 ± 0.5 on average, 8 to 9``, or ``No game came to its end.`` After it, if a game finished, comes ``ends:
    Time is up 8, No cards 1; otherwise 3`` with the ten most common. A game whose invariants were checked then has
    ``invariants: all held at every decision``, if ``statistics.is_sound`` is True. Failures come last: ``invariant
    broken: …`` before ``fault: no such card in 2 games; first with seed 7, decision 3: details``, and ``gave up:
    endless in 2 games; …``.
    """
    tally, game = simulation.statistics, simulation.game
    kinds = [(kind,) for kind in simulation.kinds]
    parts: list[RenderableType] = [
        Text(f"{game.program.name}: {tally.finished_count} of {simulation.games} games finished", style="bold"),
        _render_settings(game, simulation.seed, "player"),
        "",
        _render_seats(simulation),
        "",
        *(() if tally.lineup is None else (_render_wins(["Player"], kinds, tally.lineup), "")),
        *((_render_means(simulation), "") if tally.totals else ()),
        Text(
            f"decisions in a game: {tally.lengths.sums.mean:.1f} ± {tally.lengths.sums.deviation:.1f} on average, "
            f"{tally.lengths.low} to {tally.lengths.high}"
        )
        if tally.finished_count
        else Text("No game came to its end."),
    ]
    if tally.reasons:
        common_reasons = tally.reasons.most_common(10)
        ends = ", ".join(f"{make_printable(reason)} {n}" for reason, n in common_reasons)
        other_count = tally.reasons.total() - sum(n for _, n in common_reasons)
        parts.append(Text(f"ends: {ends}{f'; otherwise {other_count}' if other_count else ''}"))
    if simulation.settings.checks_invariants and tally.is_sound and game.program.invariants:
        parts.append(Text("invariants: all held at every decision"))
    parts.extend(_render_problems(simulation))
    return parts


def _render_seats(simulation: Simulation) -> Table:
    is_swapped = simulation.statistics.lineup is not None
    rows = [
        (Text(f"P{seat + 1}", style=get_seat_style(seat)), "each in turn" if is_swapped else kind)
        for seat, kind in enumerate(simulation.kinds)
    ]
    return _render_wins(("Seat", "Player"), rows, simulation.statistics)


def _render_wins(titles: Sequence[str], rows: Sequence[tuple[str | Text, ...]], tally: Statistics) -> Table:
    # A solitaire player always wins.
    if tally.players == 1 and not tally.is_selective:
        grid = make_table(*titles)
        for words in rows:
            grid.add_row(*words)
        return grid
    grid = make_table(*titles, ">Wins", ">Shared", ">Win rate", ">95 % between")
    for index, words in enumerate(rows):
        low, high = calculate_wilson_interval(tally.wins[index], tally.finished_count)
        rate = tally.wins[index] / tally.finished_count if tally.finished_count else 0.0
        counts = str(tally.wins[index]), str(tally.shared_wins[index])
        grid.add_row(*words, *counts, f"{rate:.1%}", f"{low:.1%} and {high:.1%}")
    return grid


def _render_means(simulation: Simulation) -> Table:
    """Render the average columns of the final table."""
    tally = simulation.statistics
    grid = make_table("On average")
    for seat in range(tally.players):
        grid.add_column(Text(f"P{seat + 1}", style=get_seat_style(seat)), justify="right")
    for title, sums in tally.totals.items():
        grid.add_row(Text(make_one_line(title)), *(f"{total / tally.finished_count:.2f}" for total in sums))
    return grid


def _render_problems(simulation: Simulation) -> list[RenderableType]:
    """Render a line for each broken invariant, each fault, and the endless games, with the seed of the first."""
    tally = simulation.statistics
    problems = [("invariant broken", problem, n) for problem, n in tally.broken_invariants.items()]
    problems += [("fault", problem, n) for problem, n in tally.faults.items()]
    if tally.endless:
        problems.append(("gave up", "endless", tally.endless))
    lines: list[RenderableType] = []
    for kind, problem, n in problems:
        first = tally.first_failures[problem]
        lines.append(
            Text.assemble(
                (f"{kind}: ", "bold red"),
                f"{make_printable(problem)} in {count_noun(n, 'game')}; "
                f"first with seed {first.seed}, decision {first.decision}",
                f": {make_printable(first.details)}" if first.details else "",
            )
        )
    return lines


def render_catalogue(games: Sequence[dict[str, Any]]) -> Table:
    """Render the bundled games as a table with a row for each, in order: id, players, and name with description.

    ``games`` holds dicts with the texts ``id``, ``name``, ``about`` and ``players``, and a list of ``packs``: dicts
    with ``id``, ``name``, ``about`` and the list ``replaces``. The headings are ``Game``, ``Players`` and ``About``.
    The last cell reads ``NAME  ABOUT``, and just ``NAME`` without a description. Each pack adds a line to this cell:
    ``--with ID  ABOUT  It replaces WORDS, WORDS.``, with two blanks before ABOUT and before "It". A pack without a
    description shows its name in place of ABOUT, and one that replaces nothing has no second sentence.
    """
    grid = make_table("Game", "Players", "About")
    for game in games:
        description = Text.assemble(
            (make_one_line(game["name"]), "bold"), f"  {make_printable(game['about'])}" if game["about"] else ""
        )
        for pack in game["packs"]:
            description.append(f"\n--with {make_one_line(pack['id'])}", style="cyan")
            description.append(f"  {make_printable(pack['about'] or pack['name'])}")
            if pack["replaces"]:
                description.append(f"  It replaces {make_printable(', '.join(pack['replaces']))}.", style="dim")
        grid.add_row(Text(game["id"], style="cyan"), game["players"], description)
    return grid


def render_own_games(
    unfinished_games: Sequence[str], saved_games: Sequence[tuple[str, str]], tallies: Sequence[Line]
) -> list[RenderableType]:
    """Render the user's own games: unfinished ones, saved ones with the command that continues them, and results.

    The titles are ``Unfinished (lusory play --continue)`` and ``Saved``. Each game below is indented by two blanks.
    ``saved_games`` holds a description and a command for each. The command is on a line of its own, indented by four.
    Each line is a renderable of its own, but all of ``tallies`` are one: finished lines, printed as they are, without a
    title. Sections without games are left out, and an empty line ends the first two. Without any, the only line is
    ``No games yet: lusory play begins one.``
    """
    parts: list[RenderableType] = []
    if unfinished_games:
        parts += [Text("Unfinished (lusory play --continue)", style="bold")]
        parts += [Text(f"  {make_one_line(words)}") for words in unfinished_games] + [""]
    if saved_games:
        parts.append(Text("Saved", style="bold"))
        for words, command in saved_games:
            parts.append(Text(f"  {make_one_line(words)}"))
            parts.append(Text(f"    {make_one_line(command)}", style="cyan", no_wrap=True, overflow="ignore"))
        parts.append("")
    if tallies:
        parts.append(render_lines(tallies))
    return parts or [Text("No games yet: lusory play begins one.")]


def render_cards(rows: Sequence[tuple[str, str, str, str]]) -> Table:
    """Render the cards of a game, one row for each, in order: id, label, kind and number of copies.

    The headings are ``Card``, ``Name``, ``Kind`` and ``Number``. Without cards, only they stand there. In a text,
    a tab becomes four blanks, and each line feed or other unsafe character U+FFFD (:func:`make_one_line`).
    """
    grid = make_table("Card", "Name", "Kind", ">Number")
    for id, *words in rows:
        grid.add_row(Text(make_one_line(id), style="cyan"), *(Text(make_one_line(word)) for word in words))
    return grid


def render_pairs(rows: Sequence[tuple[str, str]]) -> Table:
    """Render commands or files with their descriptions, one row for each, in order, without headings.

    Two blanks stand before and between the columns: ``  play  Play a game.`` Descriptions are aligned. A
    :class:`Terminal` prints Rich markup in them, such as ``[bold]``, as it is. Names are cyan, with U+FFFD for a line
    feed. A name that is too long for a line is cut and ends with ``…``.
    """
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("", width=0)
    grid.add_column("", no_wrap=True)
    grid.add_column("")
    for name, words in rows:
        grid.add_row("", Text(make_one_line(name), style="cyan"), words)
    return grid


WIDEST = 42
"""Maximum width of the first column of tallies."""


def list_tally_lines(tallies: Sequence[PersonResults]) -> tuple[Line, ...]:
    """Return a table of results: headings, then each game with an indented line for each of its tallies.

    The headings are ``Played to the end``, ``Games``, ``Won``, ``First`` and ``Last``. A tally reads
    ``  Ann against Bob, 2 × random`` or ``  Ann alone``. Behind it stand ``game_count``, ``win_count``, ``first_day``
    and ``last_day``. Neighbouring tallies of one game share the line with its name. The first column is as wide as its
    longest line, but at most ``WIDEST`` columns. Longer tallies are cut and end with ``…``; longer names of games stay
    whole. Empty without tallies.
    """
    if not tallies:
        return ()
    head: Line = (Run("Played to the end", bold=True),)
    rows: list[tuple[Line, Line]] = [(head, _format_numbers("Games", "Won", "First", "Last"))]
    for game, group in groupby(tallies, key=lambda tally: tally.game):
        rows.append(((Run(game, bold=True),), ()))
        for tally in group:
            company = (Run(f"  {tally.person} {_describe_opponents(tally.opponents)}"),)
            counts = str(tally.game_count), str(tally.win_count)
            rows.append((company, _format_numbers(*counts, tally.first_day, tally.last_day)))
    width = min(max(measure(name) for name, _ in rows), WIDEST)
    return tuple((*pad_line(name, width), *figures) if figures else name for name, figures in rows)


def _format_numbers(game_count: str, win_count: str, first_day: str, last_day: str) -> Line:
    return (Run(f"{game_count:>7}{win_count:>5}  {first_day:<10}  {last_day:<10}"),)


def _describe_opponents(opponents: Sequence[str]) -> str:
    """Return the opponents in words: ``against 2 × random, strong``, or "alone" without any."""
    counts = Counter(opponents)
    words = [opponent if times == 1 else f"{times} × {opponent}" for opponent, times in counts.items()]
    return f"against {', '.join(words)}" if words else "alone"
