"""Tables about many games: what simulations counted, which games there are. Used by the commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic
from types import TracebackType
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line, printable

from ..screen.text import Line
from ..study.playing import option_words
from ..study.simulate import Simulation
from ..study.statistics import Statistics, interval
from . import streams
from .drawing import lines_of
from .render import seat_style
from .terminal import Terminal


class Progress:
    """A bar on a person's terminal; nothing elsewhere, and it is gone afterwards. ``patience``: so many seconds pass
    before it is drawn."""

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
        self._next = monotonic() + patience  # when it is drawn again
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
        """Within this, other things can be printed."""
        self._hide()
        yield

    def _show(self) -> None:
        """Draw it, in the place of what :func:`streams.doing` says."""
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
    """What a simulation found, as a person reads it."""
    tally, program = work.tally, work.game.program
    options = ", ".join(f"{name}={_written(value)}" for name, value in option_words(work.game).items())
    count = "1 player" if work.game.players == 1 else f"{work.game.players} players"
    parts: list[RenderableType] = [
        Text(f"{program.name}: {tally.finished} of {work.games} games finished", style="bold"),
        Text(f"seed {work.seed}, {count}{'; ' + one_line(options) if options else ''}", style="dim"),
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
        ends = ", ".join(f"{printable(reason)} {n}" for reason, n in most)
        others = tally.reasons.total() - sum(n for _, n in most)
        parts.append(Text(f"ends: {ends}{f'; otherwise {others}' if others else ''}"))
    if work.check and tally.is_sound:
        parts.append(Text(f"invariants: all {len(program.invariants)} held at every decision"))
    parts.extend(_unplayed(work))
    parts.extend(_troubles(work))
    return parts


def _unplayed(work: Simulation) -> list[RenderableType]:
    """Cards that never came into play and what nobody chose, where that was looked for."""
    watch, uses = work.watch, work.tally.uses
    if watch is None:
        return []
    parts: list[RenderableType] = [""]
    for kind, cards in watch.unplayed(uses).items():
        names = ", ".join(card.card for card in cards) or "none"
        parts.append(Text(printable(f"never played, of {len(watch.cards[kind])} {kind}: {names}")))
    if not watch.cards:
        parts.append(
            Text("never played: no zone of this game is seen by all; name those that count: --unplayed ZONE,…")
        )
    untaken = watch.untaken(uses)
    parts.append(Text(f"never chosen, of {len(watch.choices)} actions and answers: {'' if untaken else 'none'}"))
    parts.extend(Text(printable(f"  {choice.title}  {choice.place}")) for choice in untaken)
    return parts


def _seats(work: Simulation) -> Table:
    swapped = work.tally.lineup is not None
    rows = [
        (Text(f"P{seat + 1}", style=seat_style(seat)), "each in turn" if swapped else kind)
        for seat, kind in enumerate(work.kinds)
    ]
    return _wins(("Seat", "Player"), rows, work.tally)


def _lineup(work: Simulation, tally: Statistics) -> Table:
    """What each player came to, from all seats."""
    return _wins(("Player",), [(kind,) for kind in work.kinds], tally)


def _wins(titles: Sequence[str], rows: Sequence[tuple[str | Text, ...]], tally: Statistics) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for title in titles:
        grid.add_column(title)
    if tally.players == 1 and not tally.selective:  # who plays alone wins
        for words in rows:
            grid.add_row(*words)
        return grid
    for title in ("Wins", "Shared", "Win rate", "95 % between"):
        grid.add_column(title, justify="right")
    for at, words in enumerate(rows):
        low, high = interval(tally.wins[at], tally.finished)
        rate = tally.wins[at] / tally.finished if tally.finished else 0.0
        grid.add_row(*words, str(tally.wins[at]), str(tally.shared[at]), f"{rate:.1%}", f"{low:.1%} and {high:.1%}")
    return grid


def _means(work: Simulation) -> Table:
    """The columns of the final table, on average over the games."""
    tally = work.tally
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    grid.add_column("On average")
    for seat in range(tally.players):
        grid.add_column(Text(f"P{seat + 1}", style=seat_style(seat)), justify="right")
    for title, sums in tally.totals.items():
        grid.add_row(Text(one_line(title)), *(f"{total / tally.finished:.2f}" for total in sums))
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
                f"{printable(what)} in {n} {'game' if n == 1 else 'games'}; "
                f"first with seed {first.seed}, decision {first.decision}",
                f": {printable(first.words)}" if first.words else "",
            )
        )
    return lines


def _written(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def catalogue(games: Sequence[dict[str, Any]]) -> Table:
    """The bundled games: what to type, and what each is."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for title in ("Game", "Players", "About"):
        grid.add_column(title)
    for game in games:
        about = Text.assemble(
            (one_line(game["name"]), "bold"), f"  {printable(game['about'])}" if game["about"] else ""
        )
        for pack in game["packs"]:
            about.append(f"\n--with {one_line(pack['id'])}", style="cyan")
            about.append(f"  {printable(pack['about'] or pack['name'])}")
            if pack["replaces"]:
                about.append(f"  It replaces {printable(', '.join(pack['replaces']))}.", style="dim")
        grid.add_row(Text(game["id"], style="cyan"), game["players"], about)
    return grid


def mine(unfinished: Sequence[str], saved: Sequence[tuple[str, str]], tallies: Sequence[Line]) -> list[RenderableType]:
    """One's own games: unfinished ones, saved ones with what goes on with them, and how those went that ended."""
    parts: list[RenderableType] = []
    if unfinished:
        parts += [Text("Unfinished (lusory play --continue)", style="bold")]
        parts += [Text(f"  {one_line(words)}") for words in unfinished] + [""]
    if saved:
        parts.append(Text("Saved", style="bold"))
        for words, command in saved:
            parts.append(Text(f"  {one_line(words)}"))
            parts.append(Text(f"    {one_line(command)}", style="cyan", no_wrap=True, overflow="ignore"))
        parts.append("")
    if tallies:
        parts.append(lines_of(tallies))
    return parts or [Text("No games yet: lusory play begins one.")]


def cards(rows: Sequence[tuple[str, str, str, str]]) -> Table:
    """The cards of a game: id, label, kind and number of each."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for title in ("Card", "Name", "Kind", "Number"):
        grid.add_column(title, justify="right" if title == "Number" else "left")
    for id, *words in rows:
        grid.add_row(Text(one_line(id), style="cyan"), *(Text(one_line(word)) for word in words))
    return grid


def pairs(rows: Sequence[tuple[str, str]]) -> Table:
    """What to type or look at, and what it is for."""
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("", width=0)
    grid.add_column("", no_wrap=True)
    grid.add_column("")
    for what, words in rows:
        grid.add_row("", Text(one_line(what), style="cyan"), words)
    return grid
