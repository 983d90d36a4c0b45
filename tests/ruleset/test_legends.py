"""Legends of cards: what they say, when they are called old, and how ``lusory fmt`` makes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from lusory.cli import main
from lusory_dsl import Diagnostics, check

GAME = """\
game: {id: g, name: G, version: "1", language: 2, players: 2}
components:
  Unit:
    active: this in any field
    queries:
      attack: {value: "1", doc: What a blow deals.}
      silent: {value: "0"}
      noble: {value: "2", doc: One of the court.}
    fields: {ranks: "List[Text]"}
    defaults: {ranks: []}
keywords:
  votes: {kind: Unit, type: Int, reminder: "Has {votes} votes, and again {votes}."}
  immune: {kind: Unit, type: "List[Unit]", reminder: "{immune} can't lusory: ignore[W0702] harm it."}
  on_death: {kind: Unit, effect: {per: Player}, reminder: When it dies.}
  aura: {kind: Unit, to: u where u is not this, reminder: For the others.}
  unused: {kind: Unit, reminder: On no card.}
queries:
  friends: {doc: "All \n others.", params: {u: Unit}, value: field_of(u)}
  field_of: {doc: On no card itself., params: {u: Unit}, value: u.holder.field}
  all_units: {value: Unit where it has aura or it has unused}
  worth: {params: {u: Unit}, value: count(u.immune) + quoted + count(u.ranks) + u.noble}
  busy: {doc: "While somebody is here.", value: all_units is not empty}
  quoted: {doc: Stands in a text only., value: "1"}
zones: {field: {per: [Player], holds: Unit}, camp: {holds: Unit, start: all Unit}}
phases: [{id: a, do: 'by players.first: king.on_death()'}]
scoring: {rank: ["sum(u.attack + u.silent + u.votes + worth(u) for u in all_units)"]}
"""
CARDS = """\
# Of the court.
# lusory: legend
{legend}

# The cards.
cards:
  king:
    kind: Unit
    fields: {ranks: [noble, noble born]}
    keywords: [{votes: 2}, {immune: [king]}, {on_death: 'announce "{quoted} {friends(this)}"'}, {aura: +1 attack}]
  queen:
    kind: Unit
    keywords: [{on_death: 'for each u in friends(this): announce "{u.silent}"'}, unused]
    rules: [{rule: "while true: worth is it + 1", active: busy}]
"""
TRUE = """\
#   attack: What a blow deals.
#   aura: For the others.
#   busy: While somebody is here.
#   friends: All others.
#   immune x: x can't lusory ignore[W0702] harm it.
#   noble: One of the court.
#   on_death: When it dies.
#   unused: On no card.
#   votes n: Has n votes, and again n."""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    (tmp_path / "g" / "cards").mkdir(parents=True)
    (tmp_path / "g" / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    return tmp_path / "g"


def cards(legend: str) -> str:
    return CARDS.replace("{legend}", legend)


def found(game: Path, *packs: Path) -> list[str]:
    diagnostics = Diagnostics()
    check(game, diagnostics, packs)
    return [f"{d.code.id}:{d.span.line}" for d in diagnostics.sorted()]


@pytest.mark.parametrize(
    ("legend", "codes"),
    [
        (TRUE, []),
        ("", ["W0728:2"]),
        (TRUE.replace("n votes", "n vote"), ["W0728:2"]),
        (f"{TRUE}\n#   more: Words.", ["W0728:2"]),
        (f"{TRUE}\n\n# Of no legend.", []),
        (TRUE.replace("\n#   aura: For the others.", ""), ["W0728:2"]),
        (f"{TRUE}\n# lusory: ignore[W0708] of no legend", ["W0705:12"]),
    ],
)
def test_a_legend_is_old_if_it_is_not_what_the_rules_say(legend: str, codes: list[str], game: Path) -> None:
    (game / "cards" / "court.yaml").write_text(cards(legend), encoding="utf-8")
    assert found(game) == codes


@pytest.mark.parametrize("legend", ["", TRUE, "#   more: Words."])
def test_the_formatter_writes_it_anew(legend: str, game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = game / "cards" / "court.yaml"
    file.write_text(cards(legend), encoding="utf-8")
    assert main(["fmt", str(game / "cards"), "--check"]) == (legend != TRUE)
    assert file.read_text(encoding="utf-8") == cards(legend)
    assert main(["fmt", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == cards(TRUE)
    assert main(["fmt", str(game / "cards"), "--check"]) == 0
    assert found(game) == []


def test_it_stays_as_it_is_where_the_ruleset_cannot_be_read(game: Path) -> None:
    (game / "ruleset.yaml").write_text("game: {id: g}\n", encoding="utf-8")
    (game / "cards" / "court.yaml").write_text(cards("#   old: Words."), encoding="utf-8")
    assert main(["fmt", str(game)]) == 0
    assert (game / "cards" / "court.yaml").read_text(encoding="utf-8") == cards("#   old: Words.")


def test_that_of_a_pack_is_made_with_its_game(game: Path) -> None:
    (game / "cards" / "court.yaml").write_text(cards(TRUE), encoding="utf-8")
    pack = game.parent / "p.yaml"
    head = "pack: {name: P, for: g, language: 2}\n\n# lusory: legend\n"
    text = f"{head}%s\ncards: {{jack: {{kind: Unit, keywords: [{{votes: 1}}]}}}}\n"
    pack.write_text(text % "", encoding="utf-8")
    assert found(game, pack) == ["W0728:3"]
    assert main(["fmt", str(pack)]) == 0
    assert pack.read_text(encoding="utf-8") == text % "#   votes n: Has n votes, and again n.\n"
    assert found(game, pack) == []


@pytest.mark.parametrize(
    "remark",
    ["  # lusory: legend", "  queen: {kind: Unit}  # lusory: legend", "# lusory: legend of it", "# lusory:legend"],
)
def test_it_stands_on_a_line_of_its_own(remark: str, tmp_path: Path) -> None:
    file = tmp_path / "g.yaml"
    file.write_text(
        f"{GAME}cards:\n  king: {{kind: Unit, keywords: [{{on_death: stop}}]}}\n{remark}\n", encoding="utf-8"
    )
    diagnostics = Diagnostics()
    check(file, diagnostics)
    assert "W0706" in {d.code.id for d in diagnostics.sorted()}


def test_a_legend_speaks_of_the_sheet_beside_it_and_of_no_clauses(game: Path) -> None:
    more = "windows:\n  answer: {who: players, actions: [pass], doc: All may answer.}\nactions: {pass: {do: stop}}\n"
    rules = GAME.replace("What a blow deals.", '"What a blow deals (AB-1 to AB-3, A2)."')
    (game / "ruleset.yaml").write_text(rules + more, encoding="utf-8")
    (game / "cards" / "court.csv").write_text(
        'id,queries.attack,on_death,votes\njack,3,"open answer(): announce ""x""",1\n', encoding="utf-8"
    )
    for name in ("court.yaml", "other.yaml"):
        (game / "cards" / name).write_text("# lusory: legend\ncards: {}\n", encoding="utf-8")
    main(["fmt", str(game)])

    assert (game / "cards" / "court.yaml").read_text(encoding="utf-8").splitlines()[1:5] == [
        "#   answer: All may answer.",
        "#   attack: What a blow deals.",
        "#   on_death: When it dies.",
        "#   votes n: Has n votes, and again n.",
    ]
    assert (game / "cards" / "other.yaml").read_text(encoding="utf-8") == "# lusory: legend\ncards: {}\n"
