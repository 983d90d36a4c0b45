"""The conformance tree: what each construct of the language means, whatever the game.

Each chunk of ``conformance/*.yaml`` is a ruleset and, from the line ``cases:`` on, the cases that it must pass: on every
engine, with the state left alone and with the state written to JSON and read again at every step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lusory import cases as case_runner
from lusory.game import Game
from lusory.state import State
from lusory_dsl.program import load_program

TREE = Path(__file__).parent / "conformance"
ENGINES = ("evaluator", "compiled")


@dataclass(frozen=True)
class Chunk:
    """A ruleset and its case file. Blank lines stand for what is before, so that messages name the right line."""

    name: str
    ruleset: str
    cases: str


@cache
def chunks() -> dict[str, Chunk]:
    found: dict[str, Chunk] = {}
    for file in sorted(TREE.glob("*.yaml")):
        line = 0
        for number, text in enumerate(file.read_text(encoding="utf-8").split("\n---\n"), 1):
            ruleset, cases = text.split("\ncases:\n")
            name = f"{file.stem}-{number}"
            before = line + ruleset.count("\n") + 1
            found[name] = Chunk(name, "\n" * line + ruleset + "\n", "\n" * before + "cases:\n" + cases + "\n")
            line += text.count("\n") + 2
    return found


class WrittenAndRead(Game):
    """A game whose states pass through JSON text whenever somebody looks at them."""

    def apply(self, state: State, *rest: Any, **named: Any) -> State:
        return super().apply(_through_json(state), *rest, **named)

    def decision(self, state: State) -> Any:
        return super().decision(_through_json(state))

    def evaluate(self, state: State, *rest: Any, **named: Any) -> Any:
        return super().evaluate(_through_json(state), *rest, **named)


def _through_json(state: State) -> State:
    read = State.from_json(json.loads(json.dumps(state.to_json())))
    assert read == state
    return read


@pytest.mark.parametrize("written", [False, True], ids=["direct", "json"])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", chunks())
def test_conformance(name: str, engine: str, written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = chunks()[name]
    (tmp_path / "ruleset.yaml").write_text(chunk.ruleset, encoding="utf-8")
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / f"{chunk.name}.yaml").write_text(chunk.cases, encoding="utf-8")
    if written:
        monkeypatch.setattr(case_runner, "Game", WrittenAndRead)
    results = case_runner.run_cases(load_program(tmp_path), tmp_path, engine=engine)

    assert results
    assert not [failure for result in results for failure in result.failures]


def test_the_tree_names_no_game() -> None:
    """What holds in one game only belongs into that game's own cases."""
    rulesets = Path(__file__).parents[1] / "rulesets"
    games = {path.parent.name for path in rulesets.rglob("ruleset.yaml")}
    text = "\n".join(file.read_text(encoding="utf-8").lower() for file in TREE.glob("*.yaml"))

    assert not [game for game in games if game in text or game.replace("-", " ") in text]
