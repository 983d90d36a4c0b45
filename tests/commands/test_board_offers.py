"""``lusory fmt --boards``: what it shows of a ruleset whose squares are an enum, and that it writes nothing."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from lusory import cli
from lusory_dsl.formatter.boards import with_boards
from lusory_dsl.pipeline import load_program
from lusory_dsl.text.source import Source

STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
SPACES = [f"{c}{r}" for r, c in product("123", "abc")]


def beyond(space: str, way: str) -> str | None:
    column, row = ("abc".index(space[0]) + STEPS[way][0], int(space[1]) + STEPS[way][1])
    return f"{'abc'[column]}{row}" if column in range(3) and row in (1, 2, 3) else None


def table(of: dict[str, object]) -> str:
    return f"{{{', '.join(f'{name}: {value}' for name, value in of.items())}}}"


def lists(of: dict[str, list[str | None]]) -> str:
    return table({name: f"[{', '.join(one for one in found if one)}]" for name, found in of.items()})


GAME = f"""# A game.
game: {{id: walk, name: Walk, version: "1", language: 2, players: 2}}
enums:
  # as on paper
  Square: [{", ".join(SPACES)}]
  Way: [north, east, south, west]
  Mood: [calm, wild]
tables:
  file: {{per: [Square], type: Int, values: {table({s: "abc".index(s[0]) + 1 for s in SPACES})}}}
  rank: {{per: [Square], type: Int, values: {table({s: s[1] for s in SPACES})}}}
  worth: {{per: [Square], type: Int, values: {table({s: 10 - int(s[1]) for s in SPACES})}}}
  near: {{per: [Square], type: "List[Square]", values: {lists({s: [beyond(s, w) for w in STEPS] for s in SPACES})}}}
  step:
    per: [Square, Way]
    type: List[Square]
    values:
{"".join(f"      {s}: {lists({w: [beyond(s, w)] for w in STEPS})}" + chr(10) for s in SPACES)}
variables:
  here: {{type: Square, start: a1}}
  last: {{type: Way, start: Way.north}}
queries:
  number: {{params: {{s: Square}}, value: "file[s] + 10 * rank[if s is a1 then b3 else s]"}}
phases:
  - id: walk
    while: file[here] + rank[here] < 6
    at_most: 9
    do: |
      by players.first:
        choose way in Way, goal in step[near[here].first, way] where worth[goal] > 0:
          set here to goal
          set last to way
scoring: {{rank: ["count(near[here]) + (if last is Way.west then 1 else 0)"]}}
"""
CASES = """cases:
  - id: one
    given: {here: a2}
    steps:
      - do: {P1: east b3}
        expect: [number(here) = 32, "file[here] = 2"]
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    for name, text in {"ruleset.yaml": GAME, "cases/a.yaml": CASES}.items():
        (tmp_path / "walk" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "walk" / name).write_text(text, encoding="utf-8")
    return tmp_path / "walk"


def test_what_says_the_same_is_asked_of_a_board(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fmt", "--boards", str(game)]) == 0

    out = capsys.readouterr().out
    assert "with boards 1 of 1 cases pass as before" in out
    added = "\n".join(line[1:].strip() for line in out.splitlines() if line.startswith("+"))
    assert "Square: {grid: 3 x 3}" in added
    assert "s.column + 10 * (if s is a1 then b3 else s).row" in added
    assert "choose way in orthogonals, goal in here.beside.first.away(way) where worth[goal] > 0:" in added
    assert "last: {type: Compass, start: Compass.north}" in added
    assert "worth" not in "".join(line for line in out.splitlines() if line.startswith("-") and "per:" in line)
    assert (game / "ruleset.yaml").read_text() == GAME
    assert (game / "cases" / "a.yaml").read_text() == CASES


def test_it_is_the_same_game(tmp_path: Path) -> None:
    (changed,) = with_boards([Source("walk.yaml", GAME)])
    (tmp_path / "walk.yaml").write_text(changed.text, encoding="utf-8")

    program = load_program(tmp_path / "walk.yaml")
    assert [*program.boards] == ["Square"]
    assert [*program.tables] == ["worth"]


@pytest.mark.parametrize(
    ("old", "new", "stays"),
    [
        ("Square: [a1, b1,", "Square: [b1, a1,", "Square: [b1"),  # options would come in another order
        ("c3: 3}}", "c3: 2}}", "file:"),
        ("Way: [north, east, south, west]", "Way: [north, east, west, south]", "step:"),
    ],
)
def test_what_says_something_else_stays(old: str, new: str, stays: str) -> None:
    text = GAME.replace(old, new, 1)
    assert text != GAME
    assert stays in with_boards([Source("walk.yaml", text)])[0].text


def test_where_there_is_nothing_to_offer(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (game / "ruleset.yaml").write_text(GAME.replace("language: 2", "language: 1"), encoding="utf-8")
    assert cli.main(["fmt", "--boards", str(game)]) == 2
    assert "fmt --language 2" in capsys.readouterr().err

    assert cli.main(["fmt", "--boards", "rulesets/classics/kuhn-poker"]) == 0
    assert "no enum of squares" in capsys.readouterr().out
