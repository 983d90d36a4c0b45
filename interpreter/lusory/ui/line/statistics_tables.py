"""Render statistics as tables: tournaments, findings, simulations, and lists of games and cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic
from types import TracebackType
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lusory_dsl.source.source import make_one_line, make_printable

from ...stats.aggregates import Statistics, wilson_interval
from ...stats.estimates import Distribution, Estimate
from ...stats.report_model import Card, SimulationReport, UsageResult
from ...stats.simulate import Simulation, describe_options
from ...stats.tournament import Tournament
from ..model.styled_text import Line
from . import streams
from .render import lines_of, seat_style
from .terminal import Terminal


def tournament(work: Tournament) -> list[RenderableType]:
    """Render the results of a tournament."""
    program = work.game.program
    options = ", ".join(f"{name}={value}" for name, value in describe_options(work.game).items())
    games = sum(len(one.games) for one in work.sets)
    seats = "1 seat" if work.game.players == 1 else f"{work.game.players} seats"
    parts: list[RenderableType] = [
        Text(f"{program.name}: {games} games among {len(work.kinds)} players", style="bold"),
        Text(f"seed {work.seed}, {seats}{'; ' + make_one_line(options) if options else ''}", style="dim"),
    ]
    if not work.sets:
        return [*parts, Text("Nothing was played to the end.")]
    parts += ["", _players(work), "", _pairs(work)]
    if work.game.players > 1:
        share, low, high = work.first_seat
        parts += ["", Text(f"the first seat makes {share:.1%} against the others, with 95 % {low:.1%} to {high:.1%}")]
    ends = ", ".join(f"{make_printable(reason)} {n}" for reason, n in work.ends.most_common(10))
    return [*parts, Text(f"ends: {ends}")]


def _players(work: Tournament) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in ("Player", "Elo", "with 95 %", "points", "sets"):
        table.add_column(title, justify="left" if title == "Player" else "right")
    found = sorted(enumerate(work.strengths()), key=lambda one: -one[1].elo)
    for number, one in found:
        mine = [s.points if s.pair[0] == number else 1 - s.points for s in work.sets if number in s.pair]
        known = abs(one.low) < 1e9
        within = f"{one.low:+.0f} to {one.high:+.0f}" if known else "not known"
        points = f"{sum(mine) / len(mine):.1%}" if mine else "–"
        table.add_row(make_printable(work.kinds[number]), f"{one.elo:+.0f}", within, points, str(len(mine)))
    return table


def _pairs(work: Tournament) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in ("Pair", "points of the first", "with 95 %", "sets", "stronger"):
        table.add_column(title, justify="right" if title not in ("Pair", "stronger") else "left")
    for pair in work.pairs:
        share, low, high = work.share(pair)
        names, first = [make_printable(work.kinds[number]) for number in pair], work.stronger(pair)
        clear, sets = names[first < 0] if first else "not clear", str(len(work.scores(pair)))
        table.add_row(" – ".join(names), f"{share:.1%}", f"{low:.1%} to {high:.1%}", sets, clear)
    return table


MOST = 10
"""Maximum rows of a table. The HTML page and JSON have all rows."""

BARS = "▁▂▃▄▅▆▇█"


def findings(found: SimulationReport) -> list[RenderableType]:
    """Render the findings of many games for a terminal."""
    if not found.games:
        return ["", Text("Nothing can be learnt: no game came to its end.")]
    unit = "result" if found.for_one else "wins"
    parts: list[RenderableType] = ["", Text(f"What {found.games_tell}", style="bold"), *_course(found), ""]
    parts += [_ends(found), ""]
    parts.append(_questions(found))
    shown = found.strategies
    if shown:
        title = f"More than chance, of {found.tested} that were tested"
        parts += ["", Text(title, style="bold"), _done(f"{unit} ahead", shown[:MOST], found)]
    elif found.tested:
        parts += ["", Text(f"Of {found.tested} cards, actions and answers that were tested, none goes with winning.")]
    cards = sorted((one for card in found.cards if (one := _main(card)) is not None), key=lambda one: -one.taken)
    if cards:
        parts += ["", Text("The most used cards", style="bold"), _done(f"{unit} ahead", cards[:MOST], found)]
    parts += _nothing(found)
    parts += _skill(found)
    return parts


def _main(card: Card) -> UsageResult | None:
    """Return the most informative statistic of a card, or None."""
    return card.played or card.gained or card.picked or card.drawn


def _course(found: SimulationReport) -> Iterable[RenderableType]:
    """Yield lines about the course of a game: length, options, first player and lead."""
    of_turns = "" if found.for_one else f"{_spread(found.turns, '.1f')} turns, "
    yield Text(f"length on average: {of_turns}{_spread(found.decisions, '.1f')} decisions")
    for seat in found.seats if found.for_one else ():
        if seat.result is not None:
            yield Text(f"result on average: {seat.result.value:.1f}{_within(seat.result)}")
    for name, passes in found.rounds.items():
        yield Text(f"passes of {make_one_line(name)} on average: {_spread(passes, '.1f')}")
    if found.branching is not None:
        forced = f"{found.forced:.0%} of choices were forced"
        yield Text(f"options on average: {_spread(found.branching, '.1f')} at a decision; {forced}")
    yield Text.assemble("options from the beginning to the end: ", (_line(found.along), "cyan"))
    if found.first is not None:
        even = 1 / found.players
        yield Text(f"the first player wins {_share(found.first)}; even would be {even:.1%}")
    if found.ties is not None and found.ties.value:
        yield Text(f"shared by several: {_share(found.ties)}")
    lead = found.lead
    if lead is None or lead.changes is None:
        return
    yield Text(f"the lead changes {lead.changes.mean:.1f} times a game on average (read from {lead.source})")
    yield Text.assemble("who leads wins, from the beginning to the end: ", (_line(lead.along), "cyan"))
    for words, one in (
        ("who leads after three tenths wins", lead.runaways),
        ("comebacks", lead.comebacks),
    ):
        if one is not None:
            yield Text(f"{words}: {_share(one)}")
    if lead.settled is not None:
        yield Text(f"the winner leads for good after {lead.settled.median} % of the game (median)")


def _ends(found: SimulationReport) -> Table:
    turns = () if found.for_one else ("turns",)
    table = _table("Ending", "games", "95 % between", *turns, *(seat.seat for seat in found.seats))
    for end in found.ends[:MOST]:
        table.add_row(
            Text(make_one_line(end.reason)),
            str(end.games),
            _between(end.share),
            *("" if end.turns is None else f"{end.turns.value:.1f}" for _ in turns),
            *(_result(one, found) for one in end.seats),
        )
    return table


def _questions(found: SimulationReport) -> Table:
    weighed = any(one.weight is not None for one in found.questions)
    table = _table("Question", "a game", "options", "forced", *(("weight",) if weighed else ()))
    for one in found.questions[:MOST]:
        weight = () if not weighed else ("" if one.weight is None else f"{one.weight.value:.3f}",)
        options = "" if one.options is None else f"{one.options.value:.1f}"
        table.add_row(Text(make_one_line(one.title)), f"{one.per_game:.1f}", options, f"{one.forced:.0%}", *weight)
    return table


def _done(ahead: str, rows: Sequence[UsageResult], found: SimulationReport) -> Table:
    result = "result" if found.for_one else "wins"
    table = _table("", "", "a game", "of offers", result, ahead, "games", "q")
    for one in rows:
        table.add_row(
            Text(make_one_line(one.name)),
            one.what,
            f"{one.taken / found.games:.2f}",
            "" if one.rate is None else f"{one.rate.value:.0%}",
            _result(one.result, found),
            "" if one.ahead is None else f"{one.ahead:+.1f}" if found.for_one else f"{one.ahead:+.1%}",
            str(one.compared),
            "" if one.q is None else Text(f"{one.q:.3f}", style="bold" if one.clear else "dim"),
        )
    return table


def _nothing(found: SimulationReport) -> Iterable[RenderableType]:
    for words, names in (
        ("cards that nobody drew, gained, picked or played", found.dead),
        ("drawn, and never played", found.unplayed),
        ("never taken", found.untaken),
    ):
        if names:
            yield Text(f"{words} ({len(names)}): {_some(names)}")
    if found.unfired:
        yield Text(f"rules that were never carried out in {found.replayed} games ({len(found.unfired)}):")
        for one in found.unfired[:MOST]:
            yield Text(f"  {make_one_line(one.place)} {make_one_line(one.missing)}")


def _skill(found: SimulationReport) -> Iterable[RenderableType]:
    if found.skill:
        table = _table("Skill", "Elo", "95 % between", "points")
        for rung in found.skill:
            known = rung.elo is not None and rung.low is not None and rung.high is not None
            table.add_row(
                rung.kind,
                "" if rung.elo is None else f"{rung.elo:+.0f}",
                f"{rung.low:+.0f} and {rung.high:+.0f}" if known else "",
                "" if rung.share is None else f"{rung.share.value:.1%}",
            )
        yield from ("", table)


def _table(first: str, *titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    table.add_column(first)
    for title in titles:
        table.add_column(title, justify="right")
    return table


def _some(names: Sequence[str]) -> str:
    words = ", ".join(make_one_line(name) for name in names[:MOST])
    return words if len(names) <= MOST else f"{words}, and {len(names) - MOST} more"


def _line(points: Sequence[Estimate | None], height: Callable[[float], float] = float) -> str:
    """Draw a bar chart from 0 to the highest value, one character for each point."""
    values = [0.0 if one is None else height(one.value) for one in points]
    most = max(values, default=0.0) or 1.0
    return "".join(BARS[min(int(value / most * len(BARS)), len(BARS) - 1)] for value in values)


def _spread(one: Distribution | None, form: str) -> str:
    return "no" if one is None else f"{one.mean:{form}} ({one.low} to {one.high})"


def _share(one: Estimate) -> str:
    return f"{one.value:.1%} ({_between(one)})"


def _between(one: Estimate | None) -> str:
    if one is None or one.low is None or one.high is None:
        return ""
    return f"{one.low:.1%} and {one.high:.1%}"


def _within(one: Estimate) -> str:
    """Return the confidence interval of a mean, in brackets."""
    return "" if one.low is None or one.high is None else f" ({one.low:.1f} and {one.high:.1f})"


def _result(one: Estimate | None, found: SimulationReport) -> str:
    return "" if one is None else f"{one.value:.1f}" if found.for_one else f"{one.value:.1%}"


class Progress:
    """Show a progress bar on a terminal, and remove it afterwards.

    The bar appears after ``patience`` seconds. Other streams show nothing.
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

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hide()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hide the bar while other things are printed."""
        self._hide()
        yield

    def _show(self) -> None:
        """Show the bar instead of the status line of :func:`lusory.ui.line.streams.doing`."""
        if not self._bar.disable and not self._bar.live.is_started:
            self._covers.enter_context(streams.covered())
            self._bar.start()

    def _hide(self) -> None:
        if self._bar.live.is_started:
            self._bar.stop()
            self._covers.close()

    def __call__(self, done: int, note: str = "") -> None:
        if not self._bar.disable and monotonic() >= self._next:
            self._next = monotonic() + 0.1
            self._show()
            self._bar.update(self._task, completed=done, note=note, refresh=True)


def simulation(work: Simulation) -> list[RenderableType]:
    """Render the results of a simulation."""
    tally, program = work.tally, work.game.program
    options = ", ".join(f"{name}={_written(value)}" for name, value in describe_options(work.game).items())
    count = "1 player" if work.game.players == 1 else f"{work.game.players} players"
    parts: list[RenderableType] = [
        Text(f"{program.name}: {tally.finished} of {work.games} games finished", style="bold"),
        Text(f"seed {work.seed}, {count}{'; ' + make_one_line(options) if options else ''}", style="dim"),
        "",
        _seats(work),
        "",
        *(() if tally.lineup is None else (_lineup(work, tally.lineup), "")),
        *((_means(work), "") if tally.totals else ()),
        Text(
            f"decisions in a game: {tally.mean_length:.1f} ± {tally.deviation:.1f} on average, "
            f"{tally.shortest} to {tally.longest}"
        )
        if tally.finished
        else Text("No game came to its end."),
    ]
    if tally.reasons:
        most = tally.reasons.most_common(10)
        ends = ", ".join(f"{make_printable(reason)} {n}" for reason, n in most)
        others = tally.reasons.total() - sum(n for _, n in most)
        parts.append(Text(f"ends: {ends}{f'; otherwise {others}' if others else ''}"))
    if work.check and tally.is_sound:
        parts.append(Text(f"invariants: all {len(program.invariants)} held at every decision"))
    parts.extend(_unplayed(work))
    parts.extend(_troubles(work))
    return parts


def _unplayed(work: Simulation) -> list[RenderableType]:
    """Render cards that never came into play and options that nobody chose, if the simulation recorded that."""
    watch, uses = work.watch, work.tally.uses
    if watch is None:
        return []
    parts: list[RenderableType] = [""]
    for kind, cards in watch.unplayed(uses).items():
        names = ", ".join(card.card for card in cards) or "none"
        parts.append(Text(make_printable(f"never played, of {len(watch.cards[kind])} {kind}: {names}")))
    if not watch.cards:
        parts.append(
            Text("never played: no zone of this game is seen by all; name those that count: --unplayed ZONE,…")
        )
    untaken = watch.untaken(uses)
    parts.append(Text(f"never chosen, of {len(watch.choices)} actions and answers: {'' if untaken else 'none'}"))
    parts.extend(Text(make_printable(f"  {choice.title}  {choice.place}")) for choice in untaken)
    return parts


def _seats(work: Simulation) -> Table:
    swapped = work.tally.lineup is not None
    rows = [
        (Text(f"P{seat + 1}", style=seat_style(seat)), "each in turn" if swapped else kind)
        for seat, kind in enumerate(work.kinds)
    ]
    return _wins(("Seat", "Player"), rows, work.tally)


def _lineup(work: Simulation, tally: Statistics) -> Table:
    """Render the results of each player over all seats."""
    return _wins(("Player",), [(kind,) for kind in work.kinds], tally)


def _wins(titles: Sequence[str], rows: Sequence[tuple[str | Text, ...]], tally: Statistics) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for title in titles:
        grid.add_column(title)
    # A solitaire player always wins.
    if tally.players == 1 and not tally.selective:
        for words in rows:
            grid.add_row(*words)
        return grid
    for title in ("Wins", "Shared", "Win rate", "95 % between"):
        grid.add_column(title, justify="right")
    for at, words in enumerate(rows):
        low, high = wilson_interval(tally.wins[at], tally.finished)
        rate = tally.wins[at] / tally.finished if tally.finished else 0.0
        grid.add_row(*words, str(tally.wins[at]), str(tally.shared[at]), f"{rate:.1%}", f"{low:.1%} and {high:.1%}")
    return grid


def _means(work: Simulation) -> Table:
    """Render the average columns of the final table."""
    tally = work.tally
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    grid.add_column("On average")
    for seat in range(tally.players):
        grid.add_column(Text(f"P{seat + 1}", style=seat_style(seat)), justify="right")
    for title, sums in tally.totals.items():
        grid.add_row(Text(make_one_line(title)), *(f"{total / tally.finished:.2f}" for total in sums))
    return grid


def _troubles(work: Simulation) -> list[RenderableType]:
    tally = work.tally
    counted = [("invariant broken", what, n) for what, n in tally.broken.items()]
    counted += [("fault", what, n) for what, n in tally.faults.items()]
    if tally.endless:
        counted.append(("gave up", "endless", tally.endless))
    lines: list[RenderableType] = []
    for kind, what, n in counted:
        first = tally.troubles[what]
        lines.append(
            Text.assemble(
                (f"{kind}: ", "bold red"),
                f"{make_printable(what)} in {n} {'game' if n == 1 else 'games'}; "
                f"first with seed {first.seed}, decision {first.decision}",
                f": {make_printable(first.words)}" if first.words else "",
            )
        )
    return lines


def _written(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def catalogue(games: Sequence[dict[str, Any]]) -> Table:
    """Render the bundled games: id, players and description."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for title in ("Game", "Players", "About"):
        grid.add_column(title)
    for game in games:
        about = Text.assemble(
            (make_one_line(game["name"]), "bold"), f"  {make_printable(game['about'])}" if game["about"] else ""
        )
        for pack in game["packs"]:
            about.append(f"\n--with {make_one_line(pack['id'])}", style="cyan")
            about.append(f"  {make_printable(pack['about'] or pack['name'])}")
            if pack["replaces"]:
                about.append(f"  It replaces {make_printable(', '.join(pack['replaces']))}.", style="dim")
        grid.add_row(Text(game["id"], style="cyan"), game["players"], about)
    return grid


def mine(unfinished: Sequence[str], saved: Sequence[tuple[str, str]], tallies: Sequence[Line]) -> list[RenderableType]:
    """Render the user's own games: unfinished, saved and finished ones."""
    parts: list[RenderableType] = []
    if unfinished:
        parts += [Text("Unfinished (lusory play --continue)", style="bold")]
        parts += [Text(f"  {make_one_line(words)}") for words in unfinished] + [""]
    if saved:
        parts.append(Text("Saved", style="bold"))
        for words, command in saved:
            parts.append(Text(f"  {make_one_line(words)}"))
            parts.append(Text(f"    {make_one_line(command)}", style="cyan", no_wrap=True, overflow="ignore"))
        parts.append("")
    if tallies:
        parts.append(lines_of(tallies))
    return parts or [Text("No games yet: lusory play begins one.")]


def cards(rows: Sequence[tuple[str, str, str, str]]) -> Table:
    """Render the cards of a game: id, label, kind and number of copies."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for title in ("Card", "Name", "Kind", "Number"):
        grid.add_column(title, justify="right" if title == "Number" else "left")
    for id, *words in rows:
        grid.add_row(Text(make_one_line(id), style="cyan"), *(Text(make_one_line(word)) for word in words))
    return grid


def pairs(rows: Sequence[tuple[str, str]]) -> Table:
    """Render commands or topics with their descriptions."""
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("", width=0)
    grid.add_column("", no_wrap=True)
    grid.add_column("")
    for what, words in rows:
        grid.add_row("", Text(make_one_line(what), style="cyan"), words)
    return grid
