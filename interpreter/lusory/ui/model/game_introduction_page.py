"""Write the page that a player reads before the first decision: aim, turn, good to know, set-up and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lusory_dsl import core

from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    count_leading_blanks,
    join_as_list,
    join_lines,
    make_line,
    measure_text,
    name_player,
    to_text,
)
from ...game import format_option_value
from ...play.bot_kinds_python_players_and_recordings import BOT
from ...play.match import Match
from ...play.player_interface_scripted_and_random_players import BlindPlayer, Person, TablePlayer

TITLE = 12
"""Least width of the titles before the sentences about a turn."""
KEYS = (
    "Arrows or a number highlight an option and show what it would do. Enter takes it.",
    "Esc goes back a step, Ctrl-Z undoes a decision, F8 gives a hint, F1 shows this page and all keys.",
)


@dataclass(frozen=True)
class SetUps:
    """Hold the games that a person may start from the start page.

    Attributes:
        games: The recommended games, the first one first.
        current: The index of the game that is set up now, or None if it is not among them.
        is_default: Whether the user left the players and options of the game open.
    """

    games: tuple[core.RecommendedGame, ...] = ()
    current: int | None = None
    is_default: bool = False


NO_SET_UPS = SetUps()


class Start(NamedTuple):
    """Hold a way to start: a recommended game, or None for the game that is set up now.

    ``answers_setup`` tells that the table answers the questions of the set-up, each with its first choice.
    """

    words: str
    game: core.RecommendedGame | None = None
    answers_setup: bool = False


def write_start_page(match: Match, seat: int | None, names: Sequence[str]) -> tuple[Line, ...]:
    """Return the start page of a match for a seat, or for a spectator (None), in lines that are not wrapped.

    The sections are ``Your aim``, ``How it goes``, ``Good to know`` and ``Set-up``, each a heading and indented lines.
    An empty line stands before each but the aim. The first three are left out without content; without an aim, the page
    begins with an empty line. Lines of ``How it goes`` are like ``  Move        Choose a column.``: the titles are
    padded to 12 or more columns. If no line has a title, there is no such column. Lines of ``Good to know`` begin with
    ``  • ``. In the line of the set-up, all other people are ``with`` the player, even opponents. Bots follow by kind,
    with ``bot`` read as ``strong``, and random ones last:
    ``  You play as Ann with Cy against Bo (a bot: strong) and Di (chooses at random).``. Several of a kind are
    ``(bots: strong)`` or ``(they choose at random)``. A spectator reads, for example,
    ``  You watch Ann and Cy against Bo (a bot: strong).``, or ``  You watch Ann and Bo (bots: strong).``. For a player
    alone, ``Set-up`` is a heading without a line. A ruleset without a start page gives its ``about`` as the aim.
    """
    program = match.game.program
    page = program.printed_texts.start_page
    lines: list[Line] = []
    aim = program.about if page is None else page.aim
    if aim.strip():
        lines += [_make_heading("Your aim"), make_line(f"  {aim.strip()}")]
    if page is not None:
        lines += _format_rows("How it goes", page.turn)
        if page.know:
            lines += [(), _make_heading("Good to know"), *(make_line(f"  • {sentence}") for sentence in page.know)]
    lines += [(), _make_heading("Set-up"), *_describe_players(match, seat, names)]
    return tuple(lines)


def list_recommended_commands(program: core.Program) -> tuple[Line, ...]:
    """Return the title ``  Other set-ups of this game:`` and a line for each recommended game.

    Each of these reads ``  • NAME: lusory play ID --seats KIND,KIND --option NAME=VALUE``, with an ``--option`` for
    each option that the game sets, and nothing quoted. Parts that the game leaves open are missing. Returns () if the
    ruleset recommends none.
    """
    page = program.printed_texts.start_page
    if page is None or not page.recommended_games:
        return ()
    lines: list[Line] = [(Run("  Other set-ups of this game:"),)]
    for game in page.recommended_games:
        options = [f"--option {option}" for option in list_typed_options(game)]
        seats = [f"--seats {','.join(game.seats)}"] if game.seats else []
        lines.append(make_line(" ".join([f"  • {game.name}: lusory play", program.id, *seats, *options])))
    return tuple(lines)


def is_set_up_phase(program: core.Program, phase: Line) -> bool:
    """Return whether a phase label belongs to the set-up: it contains no title of a row in ``start_page.turn``.

    With the title ``Fight``, the labels ``Fight back`` and ``Fighters`` give False, while ``fight`` and ``Deploy`` give
    True. Returns False if the start page has no such titles, or is missing.
    """
    page = program.printed_texts.start_page
    titles = [] if page is None else [title for title, _ in page.turn if title]
    return bool(titles) and not any(title in to_text(phase) for title in titles)


def measure_hanging_indent(line: Line) -> int:
    """Return the indent in columns of a line's further lines.

    For a line with a title, a bold first run with a blank at its end, it is the width of this run. For a line that
    begins with ``•``, it is two more than the line's indent. For any other it is the line's indent, which is 0 for an
    empty line.
    """
    first = line[0].text if line else ""
    if line and line[0].bold and first.endswith(" "):
        return measure_text(first)
    return count_leading_blanks(line) + (2 if to_text(line).lstrip().startswith("•") else 0)


def list_start_keys() -> tuple[Line, ...]:
    """Return a section about keys: an empty line, the heading ``Keys``, and the indented sentences of :data:`KEYS`."""
    return ((), _make_heading("Keys"), *((Run(f"  {words}"),) for words in KEYS))


def _make_heading(text: str) -> Line:
    return (Run(text, bold=True, colour="sky"),)


def is_heading(line: Line) -> bool:
    """Return whether a line is a heading of the start page: one bold run in the colour of headings."""
    return bool(line) and line == _make_heading(line[0].text)


def _format_rows(heading: str, rows: Sequence[tuple[str, str]]) -> list[Line]:
    """Return sentences with their titles in a column, which is missing if no sentence has a title."""
    if not rows:
        return []
    widest = max(len(title) for title, _ in rows)
    width = max(TITLE, widest + 2) if widest else 0
    lines = [(Run(f"  {title:<{width}}", bold=True), *make_line(sentence)) for title, sentence in rows]
    return [(), _make_heading(heading), *lines]


def _describe_players(match: Match, seat: int | None, names: Sequence[str]) -> Iterator[Line]:
    """Yield at most one line that names the other players and says which of them are bots or choose at random.

    Bots of one kind stand together with its name. The bot of a seat that nobody named is as good as a strong one. A
    player alone gets no line.
    """
    other_players = [(number, player) for number, player in enumerate(match.players) if number != seat]
    if not other_players:
        return
    people = [(name_player(number, names),) for number, player in other_players if isinstance(player, Person)]
    kinds: dict[str, list[Line]] = {}
    for number, player in other_players:
        if isinstance(player, TablePlayer):
            kind = "strong" if player.name == BOT else player.name
            kinds.setdefault(kind, []).append((name_player(number, names),))
    random_players = [
        (name_player(number, names),) for number, player in other_players if isinstance(player, BlindPlayer)
    ]
    parts: list[Line] = [] if seat is None else [(Run("You play as "), name_player(seat, names))]
    if people:
        parts.append((Run("with " if parts else "You watch "), *join_as_list(people)))
    prefix = "against " if parts else "You watch "
    for kind, bots in kinds.items():
        phrase = "a bot" if len(bots) == 1 else "bots"
        parts.append((Run(prefix), *join_as_list(bots), Run(f" ({phrase}: {kind})")))
        prefix = "and "
    if random_players:
        phrase = " (they choose" if len(random_players) > 1 else " (chooses"
        parts.append((Run(prefix), *join_as_list(random_players), Run(phrase + " at random)")))
    yield (Run("  "), *join_lines(parts, " "), Run("."))


def list_typed_options(game: core.RecommendedGame) -> list[str]:
    """Return the options of a recommended game as a user types them: ``NAME=VALUE``, with ``true`` and ``false``."""
    return [f"{name}={format_option_value(value)}" for name, value in game.options.items()]
