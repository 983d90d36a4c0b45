"""Hold results of single games, and write and read records: JSON lines with a row for each game or decision."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lusory_dsl.core import Program
from lusory_dsl.source.safe_files_and_bundled_data import (
    FileRefused,
    explain_unwritable_file,
    read_bytes,
    replace_atomically,
)

from ..play.bot_kinds_python_players_and_recordings import get_latest_evaluations, get_latest_simulations
from ..play.match import Match
from ..state.decisions_outcomes_and_faults import has_no_winner, rank_outcome

FINISHED, ENDLESS, FAULT = "finished", "endless", "fault"


class GameResult(NamedTuple):
    """Result of one game.

    ``seating`` holds the player's number for each seat. ``ending`` is finished, endless or fault. ``ranks``,
    ``payoffs``, ``reason`` and ``table`` (columns with a number for each seat) are from the outcome; ``payoffs`` is
    None if the winners share one point. ``turns`` counts runs of decisions of one seat. ``simulations`` is the total of
    all searches. ``starting_seat`` is the seat of the first choice in a phase of ``find_turn_phases``, or None without
    one. These three are None if a finished game was not observed.
    """

    number: int
    seed: int
    seating: tuple[int, ...]
    ending: str
    decisions: int
    ranks: Sequence[tuple[int, ...]] = ()
    payoffs: Sequence[float] | None = None
    reason: str | None = None
    table: Sequence[Sequence[int]] = ()
    turns: int | None = None
    simulations: int | None = None
    starting_seat: int | None = None


class GameSummary(NamedTuple):
    """Summary of a finished game, for comparison. It has the ``winners`` and the ``result`` of a solitaire game.

    The other fields are those of a :class:`GameResult`.
    """

    seed: int
    seating: tuple[int, ...]
    winners: tuple[int, ...]
    decisions: int
    turns: int | None
    starting_seat: int | None
    reason: str | None
    result: int | None


def find_winners(ranks: Sequence[tuple[int, ...]], is_selective: bool) -> tuple[int, ...]:
    """Return the seats with the highest rank, in ascending order. ``ranks`` has a tuple for each seat.

    If ``is_selective`` and every tuple begins with 0, nobody wins: the result is ``()``.
    """
    if is_selective and has_no_winner(ranks):
        return ()
    highest = max(ranks)
    return tuple([seat for seat, rank in enumerate(ranks) if rank == highest])


def get_solitaire_score(ranks: Sequence[tuple[int, ...]], is_selective: bool) -> int:
    """Return the score of a game for one player: its first rank value, or the second of several if ``is_selective``.

    In that case the first value only says whether the player has won.
    """
    return ranks[0][1 if is_selective and len(ranks[0]) > 1 else 0]


def summarize_result(result: GameResult, is_selective: bool) -> GameSummary:
    """Return the summary of a finished game. ``is_selective`` says that the first rank value tells who can win.

    ``winners`` has the seats with the highest rank, in order: ``(0,)`` for the ranks ``(1, 5)`` and ``(0, 9)``. It is
    ``()`` if ``is_selective`` and the first value of each rank is 0. The field ``result`` of the summary is None in a
    game for several players. For one player it is the first rank value, or with ``is_selective`` the second, if there
    is one. All other fields are those of the parameter ``result``.
    """
    winners = find_winners(result.ranks, is_selective)
    solitaire_score = get_solitaire_score(result.ranks, is_selective) if len(result.ranks) == 1 else None
    common_fields = result.decisions, result.turns, result.starting_seat, result.reason
    return GameSummary(result.seed, result.seating, winners, *common_fields, solitaire_score)


Series = Mapping[int, Sequence[GameSummary]]
"""Games by seed. The games of one seed are in a fixed order."""


def group_by_seed(rows: Iterable[GameSummary]) -> Series:
    """Return seed -> the list of its games, sorted by ``seating``, a tuple. Without games, the mapping is empty.

    Seeds are in the order of their first game, and games with equal seatings keep their order.
    """
    series: dict[int, list[GameSummary]] = {}
    for row in rows:
        series.setdefault(row.seed, []).append(row)
    for games in series.values():
        games.sort(key=lambda row: row.seating)
    return series


GAMES, DECISIONS = "games", "decisions"

MAX_OFFERED_OPTIONS = 100
"""Maximum number of options that the row of a decision lists."""

RECORD_SUFFIX = ".jsonl"
"""Required suffix of the file name of a record."""


class RecordError(Exception):
    """Error: a record cannot be written or read. The message says why."""


class RowWriter:
    """Writer of rows of games.

    ``kinds`` are the players by number, ``options`` those of the game as authors write them.
    """

    def __init__(self, program: Program, kinds: Sequence[str], options: Mapping[str, Any]) -> None:
        scoring = program.scoring
        self._ranking_flags = scoring.is_selective, scoring.is_zero_sum
        self._titles = [title for title, _ in scoring.columns]
        self._kinds = kinds
        self._common_cells = {"ruleset": program.id, "digest": program.digest, "options": json.dumps(options)}

    def format_game(self, result: GameResult) -> str:
        """Return the row of a game as the text of a JSON object.

        The keys are always game, seed, ruleset, digest, options, kinds, players, ending, reason, decisions, turns,
        simulations, began, result, places, payoffs and scores. ``kinds`` and ``players`` have the kind and the number
        of the player at each seat: ``["bot", "random"]``, ``[2, 1]``. Players and seats count from 1, games from 0.
        ``options`` is JSON in a text. ``scores`` is like ``[{"title": "Coins", "seats": [7, 4]}]``. ``began`` is the
        seat of the first choice in a phase of ``find_turn_phases``, or null without one. ``result`` is the score of a
        single player, and null in a game for several. ``places`` and default ``payoffs`` are those of
        :func:`rank_outcome`: ``[1, 2]`` and ``[1.0, 0.0]`` if seat 1 wins, or ``[1.0, -1.0]`` if the scoring is
        zero-sum. If ``ending`` is not ``finished``, ``began`` and the keys after it are null. If a finished game was
        not observed, ``turns``, ``simulations`` and ``began`` are null.
        """
        row: dict[str, Any] = {"game": result.number, "seed": result.seed, **self._common_cells}
        row["kinds"] = [self._kinds[player] for player in result.seating]
        row["players"] = [player + 1 for player in result.seating]
        for name in ("ending", "reason", "decisions", "turns", "simulations"):
            row[name] = getattr(result, name)
        row |= dict.fromkeys(("began", "result", "places", "payoffs", "scores"))
        if result.ending == FINISHED:
            payoffs = None if result.payoffs is None else tuple(result.payoffs)
            ranks = tuple(map(tuple, result.ranks))
            outcome = rank_outcome(None, ranks, payoffs, (), *self._ranking_flags)  # type: ignore[arg-type]
            row["places"], row["payoffs"] = outcome.places, [float(payoff) for payoff in outcome.payoffs]
            row["began"] = None if result.starting_seat is None else result.starting_seat + 1
            row["result"] = summarize_result(result, self._ranking_flags[0]).result
            columns = zip(self._titles, result.table, strict=True)
            row["scores"] = [{"title": title, "seats": list(seats)} for title, seats in columns]
        return json.dumps(row)


class DecisionRecorder:
    """Observer of one game that appends a row for each decision to ``lines``."""

    def __init__(self, match: Match, number: int, lines: list[str]) -> None:
        self._match, self._game_number, self._lines = match, number, lines
        self._decision_count = 0

    def observe_decision(self, index: int) -> None:
        """Append the pending decision to the list ``lines`` given to the constructor, as the text of a JSON object.

        The decision is about to be answered with the option at ``index``. The object has the keys ``game`` (the
        ``number`` given to the constructor), ``number`` (of the decision, from 0), ``seat`` (from 1), ``kind`` (the
        player's name) and ``site`` (the number of the choice in the rules). ``options`` is the number of options, and
        ``offered`` holds the ids of the first MAX_OFFERED_OPTIONS (100). ``taken`` is ``index``, ``label`` the id of
        this option, and ``value`` the bot's value of it, or null if the bot has none. ``simulations`` is the number
        that the bot ran for this decision, or 0 for a player that does not search.
        """
        match = self._match
        decision = match.decision
        assert decision is not None
        player = match.players[decision.seat]
        labels = match.game.option_ids(match.state, decision)
        row = {
            "game": self._game_number,
            "number": self._decision_count,
            "seat": decision.seat + 1,
            "kind": player.name,
            "site": decision.site,
            "options": len(labels),
            "offered": labels[:MAX_OFFERED_OPTIONS],
            "taken": index,
            "label": labels[index],
            "value": next((entry.value for entry in get_latest_evaluations(player) if entry.option == index), None),
            "simulations": get_latest_simulations(player),
        }
        self._decision_count += 1
        self._lines.append(json.dumps(row))

    def observe_end(self, outcome: object) -> None:
        """Do nothing: the end of a game is recorded in its own row."""


def require_record_file(file: Path) -> None:
    """Raise RecordError if the name does not end in ``RECORD_SUFFIX``, or if the file can't be written."""
    if file.suffix != RECORD_SUFFIX:
        raise RecordError(f"`{file.name}` must end in `{RECORD_SUFFIX}`, because a record is JSON lines")
    if problem := explain_unwritable_file(file):
        raise RecordError(problem)


def name_table_file(file: Path, table: str) -> Path:
    """Return the file of one table of a record: the named file for games, and a file beside it for any other table.

    Example: the table ``decisions`` of the record ``a.jsonl`` is in ``a-decisions.jsonl``.
    """
    return file if table == GAMES else file.with_name(f"{file.stem}-{table}{file.suffix}")


def write_record_files(file: Path, rows: Mapping[str, Path]) -> None:
    """Write the files of a record, one after the other, each atomically. ``rows`` maps a table to the file of its rows.

    Raises RecordError if a file can't be written; earlier ones are then complete.
    """
    try:
        for table, lines in rows.items():
            with replace_atomically(name_table_file(file, table)) as temporary_file:
                shutil.copyfile(lines, temporary_file)
    except OSError as problem:
        raise RecordError(f"`{file}` can't be written: {problem.strerror}") from None


MAX_RECORD_BYTES = 200_000_000
"""Maximum size of a record in bytes."""

MAX_ROW_LENGTH = 100_000
"""Maximum length of a row in characters."""

MAX_ROWS = 1_000_000
"""Maximum number of games in a record that is read."""

MAX_SEATS = 26


class RecordedGames(NamedTuple):
    """Results to compare with: a heading with the same keys as the result of a simulation, and the games if known."""

    result: dict[str, Any]
    games: Series | None


def read_record(path: Path) -> RecordedGames:
    """Return ``RecordedGames`` with the finished games of a record; games with another ending are left out.

    The keys of ``result`` are ``game`` (``id``, ``digest``), ``players``, ``options`` and ``seats`` (each with
    ``kind``). If several seatings were played, ``lineup`` is there, too, and equal to ``seats``.
    Raises RecordError if the file can't be read, is too large or empty, is no record, or mixes several simulations.
    """
    try:
        content = read_bytes(path, MAX_RECORD_BYTES)
    except FileRefused as refusal:
        raise RecordError(f"{path} cannot be read: {refusal.reason}") from None
    try:
        return _parse_games(_parse_lines(content))
    except RecordError as problem:
        raise RecordError(f"{path} is not a record of games: {problem}") from None


def _parse_lines(content: bytes) -> Iterable[Mapping[str, Any]]:
    for number, line in enumerate(content.splitlines(), 1):
        if number > MAX_ROWS or len(line) > MAX_ROW_LENGTH:
            raise RecordError(f"line {number} exceeds the size limit")
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise RecordError(f"line {number} is not JSON") from None
        if not isinstance(row, dict):
            raise RecordError(f"line {number} is not a row")
        yield row


def _parse_games(rows: Iterable[Mapping[str, Any]]) -> RecordedGames:
    """Return the heading that all rows share, and the finished games.

    Raises RecordError with the number of a faulty row.
    """
    heading: dict[str, Any] | None = None
    games: list[GameSummary] = []
    seatings: set[tuple[int, ...]] = set()
    for number, cells in enumerate(rows, 1):
        try:
            row_heading = _parse_heading(cells)
            if heading is not None and row_heading != heading:
                raise ValueError("it belongs to another simulation than the first row")
            heading = row_heading
            if cells["ending"] == FINISHED:
                games.append(_parse_row(cells))
                seatings.add(games[-1].seating)
        except (KeyError, TypeError, ValueError, RecursionError) as problem:
            is_key = isinstance(problem, KeyError)
            reason = f"`{problem.args[0]}` is missing" if is_key else str(problem) or "it has the wrong form"
            raise RecordError(f"row {number}: {reason}") from None
    if heading is None:
        raise RecordError("it is empty")
    kinds = [{"kind": kind} for kind in heading.pop("kinds")]
    has_swapped_seats = len(seatings) > 1
    result = {**heading, "seats": kinds, **({"lineup": kinds} if has_swapped_seats else {})}
    return RecordedGames(result, group_by_seed(games))


def _parse_heading(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that all rows of a record share."""
    seats = _parse_numbers(cells["players"])
    if sorted(seats) != list(range(1, len(seats) + 1)):
        raise ValueError("`players` must number the players of a game")
    kinds = [_parse_text(kind) for kind in cells["kinds"]]
    if len(kinds) != len(seats):
        raise ValueError("`kinds` and `players` differ in length")
    options = json.loads(_parse_text(cells["options"], MAX_ROW_LENGTH))
    if not isinstance(options, dict) or not all(isinstance(value, bool | int | str) for value in options.values()):
        raise ValueError("`options` must be a JSON object of values")
    return {
        "game": {"id": _parse_text(cells["ruleset"]), "digest": _parse_text(cells["digest"])},
        "players": len(seats),
        "options": options,
        "kinds": [kinds[seats.index(player + 1)] for player in range(len(seats))],
    }


def _parse_row(cells: Mapping[str, Any]) -> GameSummary:
    """Parse one game from a row of a record, key -> value. Raises KeyError, TypeError or ValueError for invalid data.

    Players and seats are numbered from 1 in the row, from 0 in the result. The winners are the seats in place 1.
    """
    seating = tuple(player - 1 for player in _parse_numbers(cells["players"]))
    places = _parse_numbers(cells["places"])
    if len(places) != len(seating):
        raise ValueError("`places` must have a number for each seat")
    starting_seat = _parse_optional_number(cells.get("began"))
    if starting_seat is not None and not 1 <= starting_seat <= len(seating):
        raise ValueError("`began` must be a seat")
    return GameSummary(
        _parse_number(cells["seed"]),
        seating,
        tuple(seat for seat, place in enumerate(places) if place == 1),
        _parse_number(cells["decisions"]),
        _parse_optional_number(cells["turns"]),
        None if starting_seat is None else starting_seat - 1,
        None if cells["reason"] is None else _parse_text(cells["reason"], MAX_ROW_LENGTH),
        _parse_optional_number(cells.get("result")),
    )


def _parse_number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**64:
        raise ValueError("a field must be a whole number")
    return value


def _parse_optional_number(value: Any) -> int | None:
    return None if value is None else _parse_number(value)


def _parse_numbers(value: Any) -> Sequence[int]:
    if not isinstance(value, list) or not 0 < len(value) <= MAX_SEATS:
        raise ValueError("a field must be a list of whole numbers")
    return [_parse_number(number) for number in value]


def _parse_text(value: Any, max_length: int = 1000) -> str:
    if not isinstance(value, str) or len(value) > max_length:
        raise ValueError("a field must be a short text")
    return value
