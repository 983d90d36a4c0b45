"""What a ruleset tells its bots, and better weights: used by the bots command."""

from __future__ import annotations

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lusory_dsl.core import ORDINARY
from lusory_dsl.formatter.advice import with_value
from lusory_dsl.text.printable import one_line, printable
from lusory_dsl.text.source import Source

from ..study.advising import Advising
from ..study.fitting import Fit
from ..study.playing import option_words


def advice(found: Advising) -> list[RenderableType]:
    """All of it, as a person reads it."""
    game, said = found.game, found.advice
    options = ", ".join(f"{name}={value}" for name, value in option_words(game).items())
    seats = "1 seat" if game.players == 1 else f"{game.players} seats"
    parts: list[RenderableType] = [
        Text(f"{game.program.name}: what bots go by", style="bold"),
        Text(f"{found.kind}, {seats}{'; ' + one_line(options) if options else ''}", style="dim"),
        "",
        _terms(found),
        "",
        Text(_horizon(said.horizon)),
    ]
    parts += [Text(f"{one_line(name)}: {_likely(weight)}") for name, weight in said.weights]
    parts += [Text(f"{level}: {simulations:,} simulations a decision") for level, simulations in said.levels]
    if found.fitting is not None and found.fitting.fits:
        fit = found.fitting.fits[-1]
        text = with_value(Source("", ""), fit.value) or fit.value
        parts += ["", Text(_foretold(fit, game.players == 1)), "", Text(printable(text.strip()))]
    elif found.fitting is not None:
        parts += ["", Text("Nothing was fitted yet.")]
    return [*parts, *_contest(found)]


def _terms(found: Advising) -> Table:
    fit = found.fitting.fits[-1] if found.fitting is not None and found.fitting.fits else None
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    valued = found.advice.value is not None
    table.add_column("A player stands better by" if valued else "What is counted of each player")
    for title in ("in the ruleset", *(("fitted", "give or take") if fit else ())):
        table.add_column(title, justify="right")
    for number, (text, factor) in enumerate(found.terms.terms):
        own = f"{factor}" if valued else "·"
        table.add_row(one_line(text), own, *((f"{fit.factors[number]}", f"{fit.spread[number]}") if fit else ()))
    return table


def _horizon(horizon: int | None) -> str:
    if horizon is None:
        return "no horizon: a value counts where the game's own number of decisions cuts it off, if it has one"
    return f"horizon: {horizon} decisions"


def _likely(weight: int) -> str:
    return "never, while there is another" if not weight else f"{weight} for {ORDINARY} of others"


def _foretold(fit: Fit, alone: bool) -> str:
    """How well the weights tell what comes."""
    before, after, unknown = fit.loss_before, fit.weights.loss, fit.loss_unknown
    seen = f"{fit.positions:,} positions of {fit.games:,} games"
    if alone:
        return f"{seen}: off from the result by {after:.1f}, before by {before:.1f}, knowing nothing by {unknown:.1f}"
    short = f"{after:.3f} bits short of knowing who comes out ahead, before {before:.3f}, knowing nothing {unknown:.0f}"
    return f"{seen}: {short}"


def _contest(found: Advising) -> list[RenderableType]:
    points = found.points()
    if points is None or found.contest is None:
        return []
    share, low, high, stronger = points
    one, other = found.sides
    games = sum(len(each.games) for each in found.contest.sets)
    clear = f"{(one, other)[stronger < 0]} is stronger" if stronger else "which is stronger is not clear"
    made = f"{games} games from the same seeds: {one} makes {share:.1%} against {other}"
    parts: list[RenderableType] = ["", Text(f"{made}, with 95 % {low:.1%} to {high:.1%}; {clear}")]
    if ranks := found.ranks():
        means = ", ".join(
            f"{side} {mean:.1f} ± {half:.1f}" for side, (mean, half) in zip(found.sides, ranks, strict=True)
        )
        parts.append(Text(f"on average {means}"))
    return parts
