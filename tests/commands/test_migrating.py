"""``lusory fmt --language 2``: what it rewrites, what it leaves alone, and when it writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from lusory import cli
from lusory.commands import migrating

GAME = """# A game.
game: {id: fair, name: Fair, version: "1", language: 1, players: 2}
components:
  Card: {fields: {cost: Int}}
cards:
  a: {kind: Card, copies: 3, fields: {cost: 1}}
  b: {kind: Card, fields: {cost: 4}}
zones:
  deck: {holds: Card, start: all Card, visible: all}
variables:
  n: {type: Int, start: 0}
queries:
  dear: {value: count(deck where count(deck where it.cost > 2) > 0)}
  two:
    value: |
      # what remains
      sum(c.cost for c in deck where (deck with most it.cost) = [c])
phases:
  - id: p
    do: |
      by players.first:
        choose x in 1..2 where any(y = 1 for y in [1, 2] where it = 1):
          set n to x + dear
scoring: {rank: [n]}
"""
CASES = """cases:
  - id: one
    steps:
      - expect: count(deck where count(deck where it.cost > 2) > 0) = 4
      - do: {P1: 2}
      - expect: [n = 6, two = 4]
"""
PACK = """pack:
  name: More
  for: fair
extends: {setup: "increase n by count(deck where count(players where it.seat > 1) > 0)"}
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    for name, text in {"fair/ruleset.yaml": GAME, "fair/cases/a.yaml": CASES, "more/pack.yaml": PACK}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "fair"


def test_only_what_means_something_else_is_rewritten(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fmt", "--language", "2", str(game)]) == 0

    after = GAME.replace("language: 1", "language: 2")
    after = after.replace("count(deck where it.cost", "count(deck as card where card.cost")
    after = after.replace("deck with most it.cost", "deck as card with most card.cost").replace(
        "where it = 1", "where y = 1"
    )
    assert (game / "ruleset.yaml").read_text() == after
    assert "count(deck as card where card.cost > 2)" in (game / "cases" / "a.yaml").read_text()
    assert "1 of 1 cases pass as before" in capsys.readouterr().out
    assert cli.main(["check", str(game)]) == 0
    assert cli.main(["fmt", "--language", "2", str(game)]) == 0
    assert (game / "ruleset.yaml").read_text() == after


def test_a_pack_has_its_own_number(game: Path) -> None:
    pack = game.parent / "more"
    assert cli.main(["fmt", "--language", "2", str(pack)]) == 0

    text = (pack / "pack.yaml").read_text()
    assert text.startswith("pack:\n  language: 2\n  name: More\n")
    assert "players as player where player.seat > 1" in text
    assert (game / "ruleset.yaml").read_text() == GAME


def test_what_would_be_rewritten_is_only_told(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fmt", "--language", "2", "--check", str(game)]) == 0
    assert "would rewrite" in capsys.readouterr().out
    assert (game / "ruleset.yaml").read_text() == GAME


def test_nothing_is_written_where_cases_come_out_otherwise(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = migrating.migrated

    def slipping(sources):  # type: ignore[no-untyped-def]
        return [type(s)(s.name, s.text.replace("x + dear", "x - dear")) for s in whole(sources)]

    monkeypatch.setattr(migrating, "migrated", slipping)
    assert cli.main(["fmt", "--language", "2", str(game)]) == 1
    assert "stays as it is" in capsys.readouterr().out
    assert (game / "ruleset.yaml").read_text() == GAME


def test_errors_of_the_later_edition_are_told_once_where_they_are(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = GAME.replace("queries:\n", "queries:\n  neighbours: {params: {c: Card}, value: c.cost}\n")
    (game / "ruleset.yaml").write_text(text)
    assert cli.main(["fmt", "--language", "2", str(game)]) == 1
    told = capsys.readouterr().err
    assert told.count("E0402") == 1
    assert f"--> {game}" in told
    assert "give it another name" in told
    assert (game / "ruleset.yaml").read_text() == text


@pytest.mark.parametrize(
    ("name", "said"), [("mising", "no file or folder"), ("empty", "holds no ruleset or pack"), ("way.yaml", "a link")]
)
def test_what_is_no_ruleset_is_not_migrated(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "game.yaml").write_text(GAME, encoding="utf-8")
    (tmp_path / "way.yaml").symlink_to("game.yaml")

    assert cli.main(["fmt", "--language", "2", name]) == 2
    assert said in capsys.readouterr().err
    assert (tmp_path / "game.yaml").read_text(encoding="utf-8") == GAME
