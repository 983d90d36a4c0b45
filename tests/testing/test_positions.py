"""Positions in case files: those that cases share, and short words for what lies on a large table."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest
from programs import checked

from lusory.testing.cases.case_model import CaseResult
from lusory.testing.cases.suite_runner import list_case_faults, run_cases
from lusory_dsl import core
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import Source

RULESET = """\
game: {id: village, name: Village, version: "1", language: 2, players: 2..3}
resources:
  coin: {label: Coin, plural: coins}
  wheat: {label: Wheat, plural: wheats}
enums:
  Plot: [north, east, south, west]
components:
  House: {}
cards:
  inn: {kind: House}
  farm: {kind: House, copies: 4}
  mill: {kind: House, copies: 2}
zones:
  bank: {holds: Resource, start: {coin: 20, wheat: 8}}
  river: {holds: Resource, kinds: [wheat], unlimited: true}
  purse: {per: [Player], holds: Resource, kinds: [coin]}
  deck: {holds: House, start: all House}
  hand: {per: [Player], holds: House}
  street: {per: [Player, Plot], holds: House}
variables:
  field: {type: Int, per: [Player, Plot], start: 1}
  owner: {type: "Player?", per: [Plot], start: P1}
setup: |
  each player: move 3 coins from bank to purse
phases:
  - id: morning
    do: |
      by players.first:
        choose:
          option work "Work": move 1 coin from bank to purse
          option rest "Rest": set owner[north] to me
  - id: evening
    do: |
      by players.first:
        choose:
          option sleep "Sleep": set owner[south] to me
          option dance "Dance": set owner[east] to me
scoring: {rank: [purse.coin]}
invariants:
  - {id: coins, always: bank.coin + sum(p.purse.coin for p in players) = 20}
""".replace("start: P1}", "start: none}").replace("  river: {holds: Resource, kinds: [wheat], unlimited: true}\n", "")

ENDLESS = RULESET.replace("zones:\n", "zones:\n  river: {holds: Resource, kinds: [wheat], unlimited: true}\n")


@cache
def village(rules: str = RULESET) -> core.Program:
    return checked(rules, "village.yaml")


def run(*files: str, rules: str = RULESET, **how: object) -> list[CaseResult]:
    sources = [Source(f"cases/{number}.yaml", dedent(file)) for number, file in enumerate(files, 1)]
    return run_cases(village(rules), sources, **how)  # type: ignore[arg-type]


def told(results: list[CaseResult]) -> list[tuple[str, str, str]]:
    """The code, place and message of each failure."""
    found = []
    for failure in (failure for result in results for failure in result.failures):
        span = failure.diagnostic.span
        place = span.source.text[span.start : span.end]
        found.append((failure.diagnostic.code.id, place, failure.diagnostic.message))
    return found


def faults_of(given: str, **how: str) -> list[tuple[str, str, str]]:
    return told(run(f"cases: [{{id: one, given: {given}, steps: [{{decision: P1}}]}}]", **how))  # type: ignore[arg-type]


PASSING = {
    "from-another-file": (
        "positions: {late: {phase: evening, owner: {west: P2}}}",
        "cases: [{id: a, given: {from: late}, steps: [{position: {owner: {west: P2}}, legal: {P1: [sleep, dance]}}]}]",
    ),
    "laid-over": (
        """
        positions:
          empty: {owner: all none, phase: evening}
          west: {from: empty, owner: {west: P2}}
        cases:
          - id: one
            given: {from: west, owner: {east: P1}, phase: morning}
            steps:
              - position: {owner: {west: P2, east: P1, north: none, south: none}}
                legal: {P1: [work, rest]}
        """,
    ),
    "all-entries": (
        """
        cases:
          - id: one
            given:
              owner: {all: P2, west: none}
              P1: {field: all 7, street: {all: [], south: [inn]}}
              P2: {field: {all: 2, east: 3}}
            steps:
              - position:
                  owner: {north: P2, east: P2, south: P2, west: none}
                  P1: {field: all 7, street: {all: [], south: [inn]}}
                  P2: {field: {all: 2, east: 3}, street: all none}
          - id: everybody
            given: {field: all 4, street: all none}
            steps: [{position: {field: all 4, street: {all: {all: {}}}}}]
        """,
    ),
    "any-order": (
        """
        cases:
          - id: one
            given: {P1: {hand: {mill: 2, farm: 1}}}
            steps:
              - position: {P1: {hand: {farm: 1, mill: 2}}, P2: {hand: {}}}
                expect: count(P1.hand) = 3
              - position: {P1: {hand: [mill, mill, farm]}}
          - id: what-is-named-elsewhere
            given: {P1: {hand: [farm, farm]}, P2: {hand: [farm-2]}}
            steps: [{position: {P1: {hand: [farm, farm-3]}, P2: {hand: [farm-2]}}}]
          - id: a-certain-copy
            given: {P1: {hand: {farm-3: 1, farm: 1}}}
            steps: [{position: {P1: {hand: {farm: 1, farm-3: 1}}}, expect: "P1.hand.top is farm-3"}]
        """,
    ),
    "rest-of-counters": (
        """
        cases:
          - id: one
            given: {bank: rest, P1: {purse: {coin: 9}}}
            steps: [{position: {bank: {coin: 8, wheat: 8}}}]
          - id: of-one-kind
            given: {bank: {coin: rest, wheat: 1}, P1: {purse: {}}}
            steps: [{position: {bank: {coin: 17, wheat: 1}}}]
        """,
    ),
    "rest-of-cards": (
        """
        cases:
          - id: one
            given: {P1: {hand: {mill: 1}}, P2: {hand: rest}, deck: [inn]}
            steps: [{position: {P2: {hand: [farm, farm-2, farm-3, farm-4, mill-2]}, deck: [inn]}}]
          - id: below-some
            given: {deck: [mill-2, rest]}
            steps: [{position: {deck: [mill-2, inn, farm, farm, farm, farm, mill]}}]
        """,
    ),
    "cards-of-what-lies-over": (
        """
        positions:
          rich: {P1: {hand: [inn, farm]}, deck: rest}
        cases:
          - id: taken-away
            given: {from: rich, P2: {hand: [inn]}}
            steps: [{position: {P1: {hand: [farm]}, P2: {hand: [inn]}, deck: {farm: 3, mill: 2}}}]
          - id: another-copy
            given: {from: rich, P2: {hand: [farm]}}
            steps: [{position: {P1: {hand: [inn, farm]}, P2: {hand: [farm]}, deck: {farm: 2, mill: 2}}}]
        """,
    ),
}


@pytest.mark.parametrize("engine", ["evaluator", "both"])
@pytest.mark.parametrize("name", PASSING)
def test_passes(name: str, engine: str) -> None:
    results = run(*PASSING[name], engine=engine)
    assert results
    assert told(results) == []


FAULTY = {
    "unknown": ("{from: lat}", "E0826", "lat", "there is no position `lat`"),
    "two-rests": ("{P1: {hand: rest}, deck: rest}", "E0823", "deck", "in two places"),
    "two-rests-of-counters": ("{bank: rest, P1: {purse: {coin: rest}}}", "E0823", "purse", "in two places"),
    "fewer-than-none": ("{bank: rest, P1: {purse: {coin: 30}}}", "E0803", "bank", "33 of 20 are placed elsewhere"),
    "too-many": ("{P1: {hand: {mill: 3}}}", "E0803", "3", "the game has 2 of `mill`"),
    "all-of-a-pool": ("{purse: all 3}", "E0803", "all 3", "`purse` can't be set with"),
    "all-unknown": ("{owner: all P9}", "E0803", "all P9", "no player `P9`"),
    "first-copy": ("{deck: [farm-1]}", "E0803", "farm-1", "no House `farm-1`"),
    "phase-of-given": ("{phase: noon}", "E0801", "noon", "no phase `noon`"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_mistakes_are_found_where_they_stand(name: str) -> None:
    given, code, place, message = FAULTY[name]
    ((found, at, words),) = faults_of(given)
    assert (found, at) == (code, place)
    assert message in words


def test_a_rest_is_only_given() -> None:
    ((code, place, message),) = told(run("cases: [{id: one, steps: [{position: {bank: rest}}]}]"))
    assert (code, place) == ("E0803", "rest")
    assert "works only in `given`" in message


def test_what_never_runs_out_has_a_rest_too_of_which_some_may_be_owed() -> None:
    file = """
        cases:
          - id: one
            given: {river: rest, bank: {coin: 14, wheat: 9}}
            steps: [{expect: river.wheat = -1, position: {river: {wheat: -1}}}]
        """
    assert told(run(file, rules=ENDLESS)) == []


def test_the_first_copy_has_no_number() -> None:
    (result,) = run("cases: [{id: one, given: {deck: [farm-1]}, steps: [{decision: P1}]}]")
    assert result.failures[0].diagnostic.hint == "the first is `farm`, and there are 4"


def test_positions_of_the_ruleset_are_there_for_cases_elsewhere(tmp_path: Path) -> None:
    """Those of a pack, say, or of one file alone."""
    (tmp_path / "village.yaml").write_text(RULESET)
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "positions.yaml").write_text("positions: {late: {phase: evening}}\n")
    file = "cases: [{id: one, given: {from: late}, steps: [{legal: {P1: [sleep, dance]}}]}]"
    (result,) = run_cases(load_program(tmp_path), [Source("elsewhere.yaml", file)])
    assert result.passed
    assert [result.passed for result in run_cases(load_program(tmp_path))] == []


def test_positions_in_a_ring_are_told_with_their_way() -> None:
    ring = "positions: {a: {from: b}, b: {from: c}, c: {from: b}}\n"
    found = told(run(ring + "cases: [{id: one, given: {from: a}, steps: [{decision: P1}]}]"))
    assert {(code, message) for code, _, message in found} == {
        ("E0825", "these positions are based on each other: `b` → `c` → `b`")
    }


def test_each_faulty_index_of_a_place_is_reported() -> None:
    places = "P1: {field: {nort: 1, east: many, west: 2}}, owner: {all: P9, north: none, up: P1}, street: {P7: {}}"
    source = Source("a.yaml", f"cases: [{{id: c, given: {{{places}}}, steps: [{{decision: P1}}]}}]")
    spans = [fault.span for fault in list_case_faults(village(), [source])]
    assert [source.text[span.start : span.end] for span in spans] == ["nort", "many", "P9", "up", "P7"]


def test_a_fault_of_a_position_is_told_once_and_where_it_stands() -> None:
    cases = ", ".join(f"{{id: c{n}, given: {{from: late}}, steps: [{{decision: P1}}]}}" for n in range(50))
    source = Source("a.yaml", f"positions: {{late: {{ower: {{}}}}}}\ncases: [{cases}]")
    (fault,) = list_case_faults(village(), [source])
    assert (fault.code.id, fault.span.line) == ("E0802", 1)
    results = run_cases(village(), [source])
    assert not any(result.passed for result in results)
    assert {failure.diagnostic.span for result in results for failure in result.failures} == {fault.span}


def test_a_position_that_no_case_uses_is_read_all_the_same() -> None:
    (result,) = run("positions: {late: {phase: noon}}")
    assert told([result]) == [("E0801", "noon", "there is no phase `noon`")]


def test_a_position_for_more_players_than_a_case_has() -> None:
    file = """
        positions: {full: {P3: {purse: {coin: 3}}}}
        cases:
          - {id: three, players: 3, given: {from: full}, steps: [{decision: P1}]}
          - {id: two, given: {from: full}, steps: [{decision: P1}]}
        """
    three, two = run(file)
    assert three.passed
    assert told([two]) == [("E0805", "P3", "there is no P3: this case has 2 players")]
    ((used, words),) = two.failures[0].diagnostic.notes
    assert (used.line, words) == (5, "used here")


def test_two_positions_of_one_name() -> None:
    results = run("positions: {late: {phase: evening}}", "positions: {late: {phase: morning}}")
    assert told(results) == [("E0806", "late", "two positions are called `late`")]


def test_a_broken_invariant_in_what_is_given_ends_the_case() -> None:
    file = "cases: [{id: one, given: {bank: {coin: 1}}, steps: [{decision: P2}, {expect: bank.coin = 5}]}]"
    ((code, _, message),) = told(run(file))
    assert code == "E0821"
    assert "in the given position" in message


ONE_OF_TWO = """
cases:
  - {id: good, steps: [{decision: P1}]}
  - {id: bad, step: [{decision: P1}]}
"""


def test_one_faulty_case_leaves_the_others_alone() -> None:
    good, bad = run(ONE_OF_TWO)
    assert good.passed
    assert told([bad])[0][:2] == ("E0201", "step")


def test_faults_of_cases_that_are_not_asked_for_are_not_told() -> None:
    unreadable = "cases: [{id: other, steps: ["
    assert [result.id for result in run(ONE_OF_TWO, unreadable, only="good")] == ["good"]
    assert [result.id for result in run(ONE_OF_TWO, unreadable, only="bad")] == ["bad"]
    assert [result.id for result in run(ONE_OF_TWO, unreadable, only="other")] == ["2.yaml"]


# ---------------------------------------------------------------- boards

DRAUGHTS = """\
game: {id: small-draughts, name: Small draughts, version: "1", language: 2, players: 2..3}
boards:
  Square:
    grid: 4 x 4
    only: (column + row) mod 2 = 0
    shows: [owner, rank]
    signs: {P1 man: x, P1 king: X, P2 man: o, P2 king: O, none: ·}
    start: |
      o o
      · ·
      · ·
      x x
  Cell: {grid: 2 x 2}
enums:
  Rank: [man, king]
variables:
  owner: {type: "Player?", per: [Square]}
  rank: {type: Rank, per: [Square], start: man}
  worth: {type: Int, per: [Cell], start: 0}
phases:
  - id: move
    do: |
      by players.first:
        choose start in Square where owner[it] is me, goal in Square where owner[it] is none:
          set owner[goal] to me
          set owner[start] to none
      by players.first:
        choose n in [1, 2]: set worth[a1] to n
scoring: {rank: ["count(Square where owner[it] is me)"]}
"""


PICTURES = {
    "given-and-compared": """
        cases:
          - id: one
            given:
              Square: |
                O ·
                · o
                · x
                · X
            steps:
              - position:
                  Square: |
                    O ·
                    · o
                    · x
                    · X
                  owner: {b4: P2, d4: none, a1: none, c1: P1}
                  rank: {c1: king}
                legal: {P1: {d2: [d4, a3, b2, a1], b2: none}}
        """,
    "laid-over": """
        positions:
          empty: {Square: all none, rank: all man}
          two:
            from: empty
            Square: |
              · ·
              · ·
              · ·
              x X
        cases:
          - id: nothing
            given: {from: empty}
            steps: [{expect: "all(owner[s] is none for s in Square)"}]
          - id: something
            given: {from: two, owner: {a1: P2}}
            steps:
              - position:
                  Square: |
                    · ·
                    · ·
                    · ·
                    o X
        """,
    "kept": """
        cases:
          - id: one
            steps:
              - do: {P1: a1 b2}
                position:
                  Square: |
                    o o
                    · ·
                    x ·
                    · x
        """,
}


@pytest.mark.parametrize("engine", ["evaluator", "both"])
@pytest.mark.parametrize("name", PICTURES)
def test_boards_are_given_and_compared_as_they_are_drawn(name: str, engine: str) -> None:
    assert told(run(PICTURES[name], rules=DRAUGHTS, engine=engine)) == []


ODD_PICTURES = {
    "row": ("o o\n· ·\n· · ·\nx x", "E0623", "row 3 has 3 signs"),
    "rows": ("o o\n· ·\nx x", "E0623", "3 rows, the board 4"),
    "sign": ("o o\n· ·\n· z\nx x", "E0623", "no `z`"),
    "word": ("x", "E0803", "needs a picture"),
}


@pytest.mark.parametrize("name", ODD_PICTURES)
def test_odd_pictures_are_found_where_they_stand(name: str) -> None:
    picture, code, message = ODD_PICTURES[name]
    lines = picture.replace("\n", "\n        ")
    ((found, _, words),) = told(
        run(
            f"cases:\n  - id: one\n    given:\n      Square: |\n        {lines}\n    steps: [{{decision: P1}}]\n",
            rules=DRAUGHTS,
        )
    )
    assert found == code
    assert message in words


def test_a_board_without_a_picture_says_so() -> None:
    ((code, place, message),) = faults_of("{Cell: all none}", rules=DRAUGHTS)
    assert (code, place) == ("E0802", "Cell")
    assert "has no picture" in message


def test_a_board_that_differs_is_shown() -> None:
    file = """
        cases:
          - id: one
            steps:
              - position:
                  Square: |
                    o o
                    · ·
                    · ·
                    X ·
        """
    ((failure,),) = [result.failures for result in run(file, rules=DRAUGHTS)]
    assert failure.diagnostic.code.id == "E0813"
    assert "`rank[a1]` is man, not king" in failure.diagnostic.message
    assert failure.details[:5] == ("`Square` is now", "    o   o", "  ·   ·", "    ·   ·", "  x   x")
