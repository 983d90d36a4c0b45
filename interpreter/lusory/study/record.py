"""Records of simulations: a row a game, on wish a row a decision, as tables for other programs. The door to DuckDB.

While games are played rows are lines of JSON, made where the game is played. At the end they are the record, or DuckDB
reads them in a stream and writes Parquet or a database of its own. What a ruleset says, names and texts, stands in
cells and nowhere else. Records are read as files of strangers: :mod:`lusory.study.earlier`.
"""

from __future__ import annotations

import atexit
import gc
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.text.disk import hindrance, put_whole

from ..play.match import Match
from ..play.players import simulations_of, thoughts_of
from ..table.outcome import ranked
from .result import FINISHED, Result, row_of

GAMES, DECISIONS = "games", "decisions"

COLUMNS = {
    GAMES: {
        "game": "BIGINT",
        "seed": "UBIGINT",
        "ruleset": "VARCHAR",
        "digest": "VARCHAR",
        "options": "VARCHAR",
        "kinds": "VARCHAR[]",
        "players": "INTEGER[]",
        "ending": "VARCHAR",
        "reason": "VARCHAR",
        "decisions": "BIGINT",
        "turns": "BIGINT",
        "simulations": "BIGINT",
        "began": "INTEGER",
        "result": "BIGINT",
        "places": "INTEGER[]",
        "payoffs": "DOUBLE[]",
        "scores": "STRUCT(title VARCHAR, seats BIGINT[])[]",
    },
    DECISIONS: {
        "game": "BIGINT",
        "number": "BIGINT",
        "seat": "INTEGER",
        "kind": "VARCHAR",
        "site": "BIGINT",
        "options": "BIGINT",
        "offered": "VARCHAR[]",
        "taken": "BIGINT",
        "label": "VARCHAR",
        "value": "DOUBLE",
        "simulations": "BIGINT",
    },
}
"""The tables, and what their columns hold, in the words of SQL."""

MOST_ROWS = 1_000_000
"""Games of a record that is read."""

OFFERED = 100
"""Of a longer list of options so many are written down."""

PARQUET, DATABASE, LINES = ".parquet", ".duckdb", ".jsonl"


FORMS = (PARQUET, DATABASE, LINES)


class NoRecord(Exception):
    """A record can't be written, or can't be read; the words say why."""


class Rows:
    """Makes rows of games. ``kinds``: the players, by number; ``options``: of the game, as authors write them."""

    def __init__(self, program: Program, kinds: Sequence[str], options: Mapping[str, Any]) -> None:
        scoring = program.scoring
        self._judged = scoring.selective, scoring.zero_sum
        self._titles = [title for title, _ in scoring.shown]
        self._kinds = kinds
        self._same = {"ruleset": program.id, "digest": program.digest, "options": json.dumps(options)}

    def game(self, result: Result) -> str:
        """A line. Places, payoffs and scores are those of seats, in order; of a game that is not finished, nothing."""
        row: dict[str, Any] = {"game": result.number, "seed": result.seed, **self._same}
        row["kinds"] = [self._kinds[who] for who in result.seating]
        row["players"] = [who + 1 for who in result.seating]
        for name in ("ending", "reason", "decisions", "turns", "simulations"):
            row[name] = getattr(result, name)
        if result.ending == FINISHED:
            payoffs = None if result.payoffs is None else tuple(result.payoffs)
            outcome = ranked(None, tuple(result.ranks), payoffs, (), *self._judged)  # type: ignore[arg-type]
            row["places"], row["payoffs"] = outcome.places, outcome.payoffs
            row["began"] = None if result.began is None else result.began + 1
            row["result"] = row_of(result, self._judged[0]).result
            columns = zip(self._titles, result.table, strict=True)
            row["scores"] = [{"title": title, "seats": list(seats)} for title, seats in columns]
        return json.dumps(row)


class Recorder:
    """Looks on at one game, and writes a line for each decision to ``lines``."""

    def __init__(self, match: Match, number: int, lines: list[str]) -> None:
        self._match, self._number, self._lines = match, number, lines
        self._made = 0

    def asked(self, index: int) -> None:
        """The pending decision is about to be answered with the option of this number."""
        match = self._match
        decision = match.decision
        assert decision is not None
        player = match.players[decision.seat]
        labels = match.game.option_ids(match.state, decision)
        row = {
            "game": self._number,
            "number": self._made,
            "seat": decision.seat + 1,
            "kind": player.name,
            "site": decision.site,
            "options": len(labels),
            "offered": labels[:OFFERED],
            "taken": index,
            "label": labels[index],
            "value": next((line.value for line in thoughts_of(player) if line.option == index), None),
            "simulations": simulations_of(player),
        }
        self._made += 1
        self._lines.append(json.dumps(row))

    def over(self, outcome: object) -> None:
        """The game has ended: that is another row."""


def _duckdb() -> Any:
    """The library. Raises NoRecord. Its binding (nanobind) writes at the end of the process which of its functions are
    still there: those, too, that were set apart from garbage when rules were loaded behind it."""
    try:
        import duckdb
    except ImportError:
        raise NoRecord("DuckDB is not installed: pip install 'lusory[record]'") from None
    atexit.unregister(gc.unfreeze)  # registered once, however often it is asked for
    atexit.register(gc.unfreeze)
    return duckdb


def demand(file: Path) -> None:
    """Raises NoRecord where no record can be written to a file of this name."""
    if file.suffix not in FORMS:
        raise NoRecord(f"`{file.name}` ends in none of {', '.join(f'`{form}`' for form in FORMS)}")
    if found := hindrance(file):
        raise NoRecord(found)
    if file.suffix != LINES:
        _duckdb()


def files_of(file: Path, tables: Sequence[str]) -> list[Path]:
    """Where the tables of a record lie: in a database together, as Parquet each in a file."""
    if file.suffix == DATABASE:
        return [file] * len(tables)
    return [file if table == GAMES else file.with_name(f"{file.stem}-{table}{file.suffix}") for table in tables]


def write(file: Path, rows: Mapping[str, Path]) -> None:
    """Write a record, whole or not at all. ``rows``: of each table, the file of its lines. Raises NoRecord."""
    if file.suffix == LINES:
        _copy(file, rows)
        return
    library = _duckdb()
    try:
        if file.suffix == DATABASE:
            with put_whole(file) as beside:
                _put(library, rows, beside)
        else:
            for table, place in zip(rows, files_of(file, list(rows)), strict=True):
                with put_whole(place) as beside:
                    _put(library, {table: rows[table]}, beside)
    except (library.Error, OSError) as problem:
        raise NoRecord(f"`{file}` can't be written: {str(problem).splitlines()[0]}") from None


def _copy(file: Path, rows: Mapping[str, Path]) -> None:
    """Lines as they are. Raises NoRecord."""
    try:
        for table, place in zip(rows, files_of(file, list(rows)), strict=True):
            with put_whole(place) as beside:
                shutil.copyfile(rows[table], beside)
    except OSError as problem:
        raise NoRecord(f"`{file}` can't be written: {problem.strerror}") from None


def _put(library: Any, rows: Mapping[str, Path], file: Path) -> None:
    with _connected(library, str(file) if file.suffix == DATABASE else ":memory:") as found:
        for table, lines in rows.items():
            read = found.read_json(str(lines), columns=COLUMNS[table], format="newline_delimited")
            if file.suffix == DATABASE:
                read.create(table)
            else:
                read.write_parquet(str(file))


def _connected(library: Any, name: str, read_only: bool = False, **more: str) -> Any:
    """A connection that fetches nothing from anywhere."""
    quiet = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", **more}
    return library.connect(name, config=quiet, read_only=read_only)


def cells_of(file: Path, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Some cells of the games of a record, as Parquet or database, which may be a stranger's: a copy of its bytes, that
    nothing else can change. What views in it would read is not read. Raises NoRecord."""
    library = _duckdb()
    names = ", ".join(columns)
    limits = {"memory_limit": "1GB", "threads": "1"}
    try:
        if file.suffix == DATABASE:
            limits["enable_external_access"] = "false"
            with _connected(library, str(file), True, **limits) as found:
                tables = found.sql("select table_name from duckdb_tables() where schema_name = 'main'").fetchall()
                if (GAMES,) not in tables:
                    raise NoRecord(f"it has no table `{GAMES}`")
                return list(found.execute(f"select {names} from main.{GAMES} limit {MOST_ROWS + 1}").fetchall())
        with _connected(library, ":memory:", False, **limits) as found:
            rows = found.read_parquet(str(file)).project(names).limit(MOST_ROWS + 1)
            return list(rows.fetchall())
    except library.Error as problem:
        raise NoRecord(str(problem).splitlines()[0][:200]) from None
