"""How much `fair` should think: used by the bots command."""

from __future__ import annotations

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.text.printable import one_line

from ..study.levelling import APART, FAIR, Levelling, Step, Tried
from ..study.playing import option_words


def levels(work: Levelling) -> list[RenderableType]:
    """All of it, as a person reads it."""
    game = work.game
    options = ", ".join(f"{name}={value}" for name, value in option_words(game).items())
    seats = "1 seat" if game.players == 1 else f"{game.players} seats"
    parts: list[RenderableType] = [
        Text(f"{game.program.name}: levels of its bots", style="bold"),
        Text(f"seed {work.seed}, {seats}{'; ' + one_line(options) if options else ''}", style="dim"),
    ]
    if work.room is None:
        return [*parts, "", Text("Nothing was played to its end.")]
    above = f"strong is {work.room.elo:+.0f} points of Elo from easy, with 95 % {_within(work.room)}"
    if not work.has_room:
        return [*parts, "", Text(f"{above}: no room for three levels {APART} apart.")]
    best = work.best
    if best is None:
        return [*parts, "", Text(f"{above}; no other number was tried for fair, which has {work.before:,}.")]
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in (f"Simulations of {FAIR}", "strong – fair", "with 95 %", "fair – easy", "with 95 %"):
        table.add_column(title, justify="right")
    for one in work.tried:
        steps = [words for step in (one.upper, one.lower) for words in (f"{step.elo:+.0f}", _within(step))]
        table.add_row(f"{one.fair:,}", *steps)
    return [*parts, "", table, "", Text(f"{above}."), Text(_words(best, work.before))]


def _within(step: Step) -> str:
    return f"{step.low:+.0f} to {step.high:+.0f}"


def _words(best: Tried, before: int) -> str:
    """What is best, and whether that is enough."""
    words = f"Best: {best.fair:,} simulations of {FAIR}, "
    words += "as it is" if best.fair == before else f"in place of {before:,}: `levels: {{{FAIR}: {best.fair}}}`"
    if best.smaller < APART:
        return f"{words}. One step is smaller than {APART} points; no number that was tried does better."
    if min(best.upper.low, best.lower.low) < APART:
        return f"{words}. That both steps are {APART} points at least is not beyond chance: more --games tell."
    return f"{words}. Both steps are {APART} points at least, beyond chance."
