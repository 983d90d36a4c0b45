"""Load and check programs for tests: bundled games, and rules that a test contains as text."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import yaml

from lusory.game import DEFAULT_ENGINE, Game
from lusory.play import saves_and_journals as saves
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.state.decisions_outcomes_and_faults import Outcome
from lusory.state.events_redaction_and_text import Event, redact_log
from lusory.support.cache import Cache
from lusory.view.seat_view import View
from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_text, load_program
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import compute_fingerprint, read_ruleset_files

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the repository."""

BIDS = ROOT / "tests" / "fixtures" / "bids.yaml"
"""A small ruleset: two players bid for points."""

RULESETS = sorted(file.parent for file in (ROOT / "rulesets").rglob("ruleset.yaml"))
"""The folders of all bundled games and of the templates for new games."""

cache: Cache | None = None
"""Cache that all processes of a session share. conftest.py sets it."""


MANY_BYTES = 100_000
"""A ruleset of at least this size counts as large: checking or compiling it takes seconds."""


def read_rules(name: str) -> str:
    """Return the text of a ruleset of ``tests/rules``."""
    return (Path(__file__).parent / "rules" / f"{name}.yaml").read_text(encoding="utf-8")


def read_data(test: str) -> dict[str, Any]:
    """Return the tables and texts of a test file: the YAML file beside ``test_NAME.py`` is ``NAME.yaml``."""
    file = Path(test)
    text = file.with_name(f"{file.stem.removeprefix('test_')}.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)
    return data


@functools.cache
def get_ruleset_folder(name: str) -> Path:
    """Return the folder of a bundled game or of a template for new games."""
    (folder,) = (folder for folder in RULESETS if folder.name == name)
    return folder


@functools.cache
def is_large(name: str) -> bool:
    """Return whether a bundled game is large. Reads the size of its files only, so collecting tests stays quick."""
    [files] = read_ruleset_files(get_ruleset_folder(name))
    return sum(len(content) for _, content in files.files if isinstance(content, bytes)) >= MANY_BYTES


def list_player_numbers(name: str) -> Sequence[int]:
    """Return the numbers of players of a bundled game, or only the lowest one for a large game.

    Each number of players of a large game takes seconds to compile.
    """
    lowest, highest = load_bundled(name).min_players, load_bundled(name).max_players
    return range(lowest, lowest + 1 if is_large(name) else highest + 1)


@functools.cache
def load_bundled(name: str) -> Program:
    """Return the checked program of a bundled game or of a template for new games. It is checked once per process."""
    folder = get_ruleset_folder(name)
    if cache is None:
        return load_program(folder)
    key = compute_fingerprint(read_ruleset_files(folder))
    entry = cache.load_program(key)
    if entry is None:
        entry = load_program(folder), 0
        cache.store_program(key, *entry)
    return entry[0]


def create_bundled_game(
    name: str, players: int | None = None, engine: str = DEFAULT_ENGINE, options: Mapping[str, Any] | None = None
) -> Game:
    """Return a bundled game that is ready to play. Its code is generated once per process.

    ``players`` defaults to the lowest number of players of the ruleset.
    """
    return _create_cached_game(name, players or load_bundled(name).min_players, engine, tuple((options or {}).items()))


@functools.cache
def _create_cached_game(name: str, players: int, engine: str, options: tuple[tuple[str, Any], ...]) -> Game:
    return Game(load_bundled(name), players, dict(options), engine, cache)


def play_stepwise(game: Game, seed: int) -> tuple[int, Outcome]:
    """Play the random game of a playout step by step. Return the number of its decisions, and the outcome."""
    rnd, state, count = Random(seed).random, game.start(seed), 0
    while (decision := game.decision(state)) is not None:
        state, count = game.apply(state, int(rnd() * len(decision.options))), count + 1
    outcome = game.outcome(state)
    assert outcome is not None
    return count, outcome


def build_program(text: str, name: str = "rules.yaml") -> Program:
    """Return the program of a ruleset text. Raises AssertionError with the diagnostics if the text has errors."""
    diagnostics = Diagnostics()
    program = check_text(text, diagnostics, name)
    assert program is not None, [f"{diagnostic.span}: {diagnostic.message}" for diagnostic in diagnostics.list_sorted()]
    return program


def create_save(ruleset: Path, name: str | None = None) -> dict[str, Any]:
    """Return the saved game of two bots after three decisions."""
    match = Match(Game(load_program(ruleset)), [create_bot("random", 1, seat) for seat in (0, 1)], seed=1)
    for _ in range(3):
        match.step()
    return saves.Save(
        saves.create_transcript(match), name or str(ruleset), ("random", "random"), ("Ann", "Bob")
    ).to_json()


def replace_texts(text: str, changes: Iterable[Sequence[str]]) -> str:
    """Return a text after some replacements: pairs of an old text, which must occur once, and a new one."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def run_with(
    play: Callable[..., object], *arguments: Any, **options: Any
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Make a test of a coroutine that ``play`` runs with some arguments. Fixtures follow its first parameter."""

    def decorate(steps: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        @functools.wraps(steps)
        def test(**fixtures: Any) -> None:
            play(functools.partial(steps, **fixtures), *arguments, **options)

        _, *fixture_parameters = inspect.signature(steps).parameters.values()
        test.__signature__ = inspect.Signature(fixture_parameters)  # type: ignore[attr-defined]
        return test

    return decorate


def format_information_state(game: Game, view: View, log: Sequence[Event]) -> str:
    """Return what a seat knows as one text: the listing of its view, then the ``repr`` of each event that it learned.

    ``log`` is the full log. ``view`` must be that of a seat, not of a spectator.
    """
    assert view.seat is not None, "a spectator has no information state"
    events = [repr(tuple(event)) for event in redact_log(log, view.seat, game)]
    return "\n".join([f"seat {view.seat + 1}", *view.list_places(), *events])
