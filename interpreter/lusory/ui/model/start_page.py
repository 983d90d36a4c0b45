"""Write the page that a player reads before the first decision: aim, turn, good to know, set-up and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lusory_dsl import core

from ...play.match import Match
from .text import Line, Run, joined, listed, player, said

TITLE = 12
"""Least width of the titles before the sentences about a turn."""
KEYS = (
    "Arrows or a number highlight an option and show what it would do. Enter takes it.",
    "Esc goes back a step, Ctrl-Z undoes a decision, F8 gives a hint, F1 shows this page and all keys.",
)


def start_page(match: Match, seat: int | None, names: Sequence[str]) -> tuple[Line, ...]:
    """Return the start page of a match for a seat, or for a spectator, without its keys.

    A ruleset without a start page says what the game is about. Lines are not wrapped.
    """
    program = match.game.program
    page = program.printed.start_page
    lines: list[Line] = []
    aim = program.about if page is None else page.aim
    if aim.strip():
        lines += [_heading("Your aim"), said(f"  {aim.strip()}")]
    if page is not None:
        lines += _rows("How it goes", page.turn)
        if page.know:
            lines += [(), _heading("Good to know"), *(said(f"  • {sentence}") for sentence in page.know)]
    lines += [(), _heading("Set-up"), *_set_up(match, seat, names)]
    others = [] if page is None else page.recommended
    if others:
        lines.append((Run("  Other set-ups of this game:"),))
        lines += [said(f"  • {game.name}: {_command(program, game)}") for game in others]
    return tuple(lines)


def keys_of(heading: str = "Keys") -> tuple[Line, ...]:
    """Return the lines about keys that end the start page."""
    return ((), _heading(heading), *((Run(f"  {words}"),) for words in KEYS))


def _heading(words: str) -> Line:
    return (Run(words, bold=True, colour="sky"),)


def _rows(heading: str, rows: Sequence[tuple[str, str]]) -> list[Line]:
    """Return sentences with their titles in a column."""
    if not rows:
        return []
    width = max(TITLE, *(len(title) + 2 for title, _ in rows))
    found = [(Run(f"  {title:<{width}}", bold=True), *said(sentence)) for title, sentence in rows]
    return [(), _heading(heading), *found]


def _set_up(match: Match, seat: int | None, names: Sequence[str]) -> Iterator[Line]:
    """Yield a line that names the players and says which of them are bots or choose at random."""
    everybody = list(enumerate(match.players))
    people = [(player(at, names),) for at, one in everybody if one.looks is None and at != seat]
    bots = [(player(at, names),) for at, one in everybody if one.looks and at != seat]
    random = [(player(at, names),) for at, one in everybody if one.looks is False and at != seat]
    parts: list[Line] = []
    if seat is not None:
        parts.append((Run("You play as "), player(seat, names)))
    if people:
        parts.append((Run("with "), *listed(people)))
    if bots:
        parts.append((Run("against "), *listed(bots), Run(" (a bot)" if len(bots) == 1 else " (bots)")))
    if random:
        many = " (they choose" if len(random) > 1 else " (chooses"
        parts.append((Run("and " if bots else "against "), *listed(random), Run(many + " at random)")))
    if parts:
        yield (Run("  "), *joined(parts, " "), Run("."))


def _command(program: core.Program, game: core.RecommendedGame) -> str:
    """Return the command line that starts a recommended game."""
    options = [f"--option {name}={_written(value)}" for name, value in game.options.items()]
    seats = [f"--seats {','.join(game.seats)}"] if game.seats else []
    return " ".join(["lusory play", program.id, *seats, *options])


def _written(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
