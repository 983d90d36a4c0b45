"""The conformance tree: what each construct of the language means, whatever the game.

Each chunk of ``conformance/*.yaml`` is a ruleset and, from the line ``cases:`` on, the cases that it must pass. They
run on every engine, directly and with the state converted to JSON and back at every decision.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from programs import build_program

from lusory.game import ENGINES, Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import Event
from lusory.state.state import State
from lusory.state.static_work_charges_and_list_bounds import Limits
from lusory.testing.cases.case_model import CaseResult
from lusory.testing.cases.suite_runner import run_cases
from lusory.testing.engine_comparison import Side
from lusory_dsl.core import Program
from lusory_dsl.source.source import Source

CONFORMANCE = Path(__file__).parent / "conformance"


@dataclass(frozen=True)
class Chunk:
    """A ruleset and its case file. Blank lines replace the text before it, so that diagnostics name the right line."""

    ruleset: str
    cases: Source


def read_chunks(files: Iterable[Path]) -> dict[str, Chunk]:
    """Return the chunks of some files, by the name of the file and their number in it."""
    chunks: dict[str, Chunk] = {}
    for file in files:
        line = 0
        for number, text in enumerate(file.read_text(encoding="utf-8").split("\n---\n"), 1):
            ruleset, cases = text.split("\ncases:\n")
            start = line + ruleset.count("\n") + 1
            source = Source(f"{file.name}", "\n" * start + f"cases:\n{cases}\n")
            chunks[f"{file.stem}-{number}"] = Chunk("\n" * line + f"{ruleset}\n", source)
            line += text.count("\n") + 2
    return chunks


CHUNKS = read_chunks(sorted(CONFORMANCE.glob("*.yaml")))

SHORT_LIMITS = Limits(decision=100_000)
"""Limits of random games, so that endless ones stop soon. Cases have the default limits."""


@cache
def load_chunk(name: str) -> Program:
    return build_program(CHUNKS[name].ruleset)


@contextmanager
def pass_states_through_json() -> Iterator[None]:
    """In this context, cases go on with states that were written to JSON and read back."""
    take = Side.take

    def take_and_read_back(side: Side, step: Callable[[], State]) -> None:
        take(side, lambda: State.from_json(json.loads(json.dumps(step().to_json()))))

    with patch.object(Side, "take", take_and_read_back):
        yield


@pytest.mark.parametrize("uses_json", [False, True], ids=["direct", "json"])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CHUNKS)
def test_conformance(name: str, engine: str, uses_json: bool) -> None:
    with pass_states_through_json() if uses_json else nullcontext():
        results = run_cases(load_chunk(name), [CHUNKS[name].cases], engine)

    assert results
    assert list_failures(results) == []


def list_failures(results: Iterable[CaseResult]) -> list[str]:
    """Return the failures of cases, each with its details."""
    rows = [(result.id, failure.diagnostic, failure.details) for result in results for failure in result.failures]
    return ["\n    ".join([f"{error.span} {name}: {error.message}", *details]) for name, error, details in rows]


@pytest.mark.parametrize("name", CHUNKS)
def test_engines_play_the_same_random_games(name: str) -> None:
    """Random games have the same questions, events, states and faults on both engines."""
    for seed in range(2):
        pairs = zip(*(trace_game(load_chunk(name), engine, seed) for engine in ENGINES), strict=True)
        for expected, actual in pairs:
            assert actual == expected


def trace_game(program: Program, engine: str, seed: int) -> Iterator[object]:
    """Yield the questions, events and states of a random game, up to its end or a fault."""
    choices = Random(seed)
    game = _create_game(program, engine)
    log: list[Event] = []
    try:
        state = game.start(seed, log)
        while (decision := game.decision(state)) is not None:
            words = game.option_ids(state, decision), game.option_labels(state, decision), game.prompt(state, decision)
            yield decision.site, decision.seat, words, log, state.cells[: game.layout.size], state.zones
            log = []
            state = game.apply(state, choices.randrange(len(decision.options)), log)
    except RulesetFault as fault:
        yield fault.message, fault.span, fault.trail, fault.position
    else:
        yield log, state.cells[: game.layout.size], state.zones, game.outcome(state)


@lru_cache(maxsize=4)
def _create_game(program: Program, engine: str) -> Game:
    return Game(program, engine=engine, limits=SHORT_LIMITS)


def test_the_tree_names_no_game() -> None:
    """Tests of a single game belong to the cases of that game."""
    rulesets = Path(__file__).parents[1] / "rulesets"
    games = {path.parent.name for path in rulesets.rglob("ruleset.yaml")} - {"hex"}  # also a shape of boards
    text = "\n".join(file.read_text(encoding="utf-8").lower() for file in CONFORMANCE.glob("*.yaml"))

    assert not [game for game in games if game in text or game.replace("-", " ") in text]
