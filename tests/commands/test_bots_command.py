"""``lusory bots``: what a ruleset tells its bots, fitted, compared, and written where that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs import harvest

from lusory.cli import main
from lusory.study.levelling import Levelling, Step, Tried
from lusory_dsl.formatter.advice import has_section, value_in, with_level, with_value
from lusory_dsl.text.source import Source

BOTS = """bots:
  value: grain + fields  # as far as is known
  horizon: 4
  never: [idle]
"""
RULES = f"# A year of harvests.{harvest(years=6)}{BOTS}"
FIT = ["--fit", "--by", "random", "--games", "20", "--rounds", "1"]


@pytest.fixture
def game(tmp_path: Path) -> Path:
    file = tmp_path / "harvest.yaml"
    file.write_text(RULES)
    return file


def test_what_a_ruleset_says(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bots", str(game)]) == 0
    shown = capsys.readouterr().out
    for words in ("grain", "fields", "horizon: 4 decisions", "idle: never, while there is another"):
        assert words in shown
    assert "fitted" not in shown


def test_it_is_fitted_and_compared_and_nothing_is_written(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bots", str(game), *FIT, "--contest", "4"]) == 0
    shown = capsys.readouterr().out
    for words in ("give or take", "bits short of knowing", "bots:\n  value: ", "4 games from the same seeds"):
        assert words in shown
    assert game.read_text() == RULES


def test_what_is_written_is_the_value_alone(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bots", str(game), *FIT, "--contest", "0", "--write", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)["fit"]["value"]
    assert value != "grain + fields"
    assert value_in(Source("", game.read_text())) == value
    others = [line for line in game.read_text().splitlines() if "value:" not in line]
    assert others == [line for line in RULES.splitlines() if "value:" not in line]
    assert "# as far as is known" in game.read_text()
    assert main(["check", str(game)]) == 0


def test_what_did_worse_is_not_written(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lusory.study.advising.Advising.points", lambda self: (0.4, 0.3, 0.5, 0))
    assert main(["bots", str(game), *FIT, "--contest", "2", "--write", "--format", "json"]) == 0
    assert "did worse in the contest" in capsys.readouterr().err
    assert game.read_text() == RULES


def test_the_same_seed_gives_the_same(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for jobs in ("1", "2"):
        assert main(["bots", str(game), *FIT, "--jobs", jobs, "--contest", "0", "--format", "json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert found[0]["terms"] == {"grain": 1, "fields": 1}
    assert found[0]["whole"]


def test_what_was_found_by_an_interruption_is_told(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lusory.study.tournament.Tournament.run", stop)
    assert main(["bots", str(game), *FIT, "--contest", "4", "--format", "json", "--write"]) == 130
    found = json.loads(capsys.readouterr().out)
    assert (found["whole"], found["contest"]) == (False, None)
    assert found["fit"] is not None
    assert game.read_text() == RULES


LEVELS = ["--levels", "--games", "2", "--engine", "compiled"]


def test_levels_are_told_and_a_better_number_is_written(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = RULES.replace("bots:\n", "bots:\n  levels: {fair: 8}  # so far\n")
    game.write_text(said)
    monkeypatch.setattr("lusory.study.levelling.STRONG", "fair:20")  # who thinks less, for the test to be quick
    found = []
    for jobs in ("1", "2"):
        assert main(["bots", str(game), *LEVELS, "--jobs", jobs, "--format", "json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert found[0]["whole"]
    assert found[0]["tried"][0]["fair"] == found[0]["before"] == 8
    assert found[0]["fair"] in [one["fair"] for one in found[0]["tried"]]
    assert game.read_text() == said

    best = Tried(30, *[Step(200, 160, 240)] * 2)
    monkeypatch.setattr("lusory.study.levelling.Levelling.run", lambda self, show: self.tried.append(best))
    assert main(["bots", str(game), *LEVELS, "--write", "--format", "json"]) == 0
    assert game.read_text() == said.replace("fair: 8", "fair: 30")
    capsys.readouterr()
    assert main(["bots", str(game), *LEVELS, "--write", "--format", "json"]) == 0
    assert "stays as it is" in capsys.readouterr().err
    assert main(["bots", str(game)]) == 0
    assert "fair: 30 simulations a decision" in capsys.readouterr().out


def test_levels_are_shown_with_what_is_best(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def one(work: Levelling, show: object) -> None:
        work.room = Step(400, 300, 500)
        work.tried.append(Tried(30, Step(200, 160, 240), Step(170, 120, 220)))

    monkeypatch.setattr("lusory.study.levelling.Levelling.run", one)
    assert main(["bots", str(game), *LEVELS]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("+160 to +240", "Best: 30 simulations of fair", "`levels: {fair: 30}`", "is not beyond chance"):
        assert words in shown


def test_levels_without_room_and_interrupted_ones_are_not_written(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(work: Levelling, show: object) -> None:
        work.room = Step(20, -30, 290)

    monkeypatch.setattr("lusory.study.levelling.Levelling.run", none)
    assert main(["bots", str(game), *LEVELS, "--write"]) == 0
    assert "no room for three levels" in " ".join(capsys.readouterr().out.split())

    def stop(work: Levelling, show: object) -> None:
        work.room = Step(400, 300, 500)
        work.tried.append(Tried(30, *[Step(200, 160, 240)] * 2))
        raise KeyboardInterrupt

    monkeypatch.setattr("lusory.study.levelling.Levelling.run", stop)
    assert main(["bots", str(game), *LEVELS, "--write", "--format", "json"]) == 130
    told = json.loads(capsys.readouterr().out)
    assert (told["whole"], told["fair"]) == (False, 30)
    assert game.read_text() == RULES


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--write"], "without --fit"),
        (["--levels", "--term", "grain"], "--levels goes by what the ruleset says"),
        (["--by", "replay:x.json"], "by a number of simulations"),
        (["--by", "mcts:0.5s"], "by a number of simulations"),
        (["--by", "mcst:5"], "nobody is called"),
        (["--by", "human"], "`human` can't sit here"),
        (["--term", "nobody"], "nobody"),
        (["--term", "past"], None),
    ],
)
def test_what_makes_no_sense(game: Path, more: list[str], why: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bots", str(game), *more]) == (2 if why else 0)
    assert why is None or why in capsys.readouterr().err


def test_games_are_counted_from_0(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bots", str(game), "--contest", "-2"])
    assert left.value.code == 2
    assert "'-2' is not a whole number from 0" in capsys.readouterr().err


def test_bundled_games_are_not_written() -> None:
    assert main(["bots", "tic-tac-toe", "--fit", "--write"]) == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", "a: 1\n\nbots:\n  value: gold + 1\n"),
        ("bots:\n  # how\n  value: |\n    gold\n    + 3\n  horizon: 3\nx: 1\n", None),
        ("bots:\n  value: >-\n    gold\n  # far\n  horizon: 3\n", None),
        ('bots: {value: "gold", horizon: 3}\n', None),
        ("bots: {horizon: 3}\n", "bots: {value: gold + 1, horizon: 3}\n"),
        ("bots:\n  horizon: 3  # far\n", "bots:\n  value: gold + 1\n  horizon: 3  # far\n"),
    ],
)
def test_a_value_is_put_into_a_file(before: str, after: str | None) -> None:
    source = Source("", before)
    text = with_value(source, "gold + 1")
    assert text is not None
    assert value_in(Source("", text)) == "gold + 1"
    assert has_section(Source("", text))
    assert after is None or text == after
    for remark in ("# how", "# far", "horizon: 3", "x: 1"):
        assert (remark in text) == (remark in before)
    assert with_value(Source("", "a: [\n"), "gold") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", "a: 1\n\nbots:\n  levels: {fair: 30}\n"),
        ("bots: {horizon: 3}\n", "bots: {levels: {fair: 30}, horizon: 3}\n"),
        ("bots:\n  levels: {easy: 5, fair: 80}  # near\n", "bots:\n  levels: {easy: 5, fair: 30}  # near\n"),
        ("bots:\n  levels: {easy: 8}\n", "bots:\n  levels: {fair: 30, easy: 8}\n"),
        ("bots:\n  levels:\n    easy: 8  # low\n", "bots:\n  levels:\n    fair: 30\n    easy: 8  # low\n"),
    ],
)
def test_a_level_is_put_into_a_file(before: str, after: str) -> None:
    assert with_level(Source("", before), "fair", 30) == after
    assert with_level(Source("", after), "fair", 30) == after
