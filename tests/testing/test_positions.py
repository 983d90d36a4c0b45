"""Positions in case files: those that cases share, and short words for what lies on a large table."""

from __future__ import annotations

from pathlib import Path

import case_files
import pytest
from case_files import DRAUGHTS, VILLAGE, program, seen
from programs import read_data

from lusory.testing.cases.case_model import CaseResult
from lusory.testing.cases.suite_runner import list_case_faults, run_cases
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import Source

DATA = read_data(__file__)

ENDLESS = VILLAGE.replace("zones:\n", "zones:\n  river: {holds: Resource, kinds: [wheat], unlimited: true}\n")


def run(*files: str, rules: str = VILLAGE, **how: str) -> list[CaseResult]:
    return case_files.run(*files, rules=rules, **how)


def told(results: list[CaseResult]) -> list[tuple[str, str, str]]:
    """Return the code, place and message of each failure."""
    return [(*seen(failure), failure.diagnostic.message) for result in results for failure in result.failures]


def faults_of(given: str, rules: str = VILLAGE) -> list[tuple[str, str, str]]:
    return told(run(f"cases: [{{id: one, given: {given}, steps: [{{decision: P1}}]}}]", rules=rules))


OF_A_PLOT = "plot: {type: Unit, start: north}\n  owner:"
FAULTY = DATA["faulty"]


@pytest.mark.parametrize("name", FAULTY)
def test_mistakes_are_found_where_they_stand(name: str) -> None:
    given, code, place, message = FAULTY[name]
    ((found, at, words),) = faults_of(given)
    assert (found, at) == (code, place)
    assert message in words


def test_the_article_fits_the_type() -> None:
    ((_, _, words),) = faults_of("{plot: bell}", rules=VILLAGE.replace("Plot", "Unit").replace("owner:", OF_A_PLOT))
    assert "`bell` is not a Unit" in words


def test_a_rest_is_only_given() -> None:
    ((code, place, message),) = told(run("cases: [{id: one, steps: [{position: {bank: rest}}]}]"))
    assert (code, place) == ("E0803", "rest")
    assert "works only in `given`" in message


def test_what_never_runs_out_has_a_rest_too_of_which_some_may_be_owed() -> None:
    file = DATA["what never runs out has a rest too of which some may be owed"]
    assert told(run(file, rules=ENDLESS)) == []


def test_the_first_copy_has_no_number() -> None:
    (result,) = run("cases: [{id: one, given: {deck: [farm-1]}, steps: [{decision: P1}]}]")
    assert result.failures[0].diagnostic.hint == "the first is `farm`, and there are 4"


def test_positions_of_the_ruleset_are_there_for_cases_elsewhere(tmp_path: Path) -> None:
    """Those of a pack, say, or of one file alone."""
    (tmp_path / "village.yaml").write_text(VILLAGE)
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
    spans = [fault.span for fault in list_case_faults(program(VILLAGE), [source])]
    assert [source.text[span.start : span.end] for span in spans] == ["nort", "many", "P9", "up", "P7"]


def test_a_fault_of_a_position_is_told_once_and_where_it_stands() -> None:
    cases = ", ".join(f"{{id: c{n}, given: {{from: late}}, steps: [{{decision: P1}}]}}" for n in range(50))
    source = Source("a.yaml", f"positions: {{late: {{ower: {{}}}}}}\ncases: [{cases}]")
    (fault,) = list_case_faults(program(VILLAGE), [source])
    assert (fault.code.id, fault.span.line) == ("E0802", 1)
    results = run_cases(program(VILLAGE), [source])
    assert not any(result.passed for result in results)
    assert {failure.diagnostic.span for result in results for failure in result.failures} == {fault.span}


def test_a_position_that_no_case_uses_is_read_all_the_same() -> None:
    (result,) = run("positions: {late: {phase: noon}}")
    assert told([result]) == [("E0801", "noon", "there is no phase `noon`")]


def test_a_position_for_more_players_than_a_case_has() -> None:
    file = DATA["a position for more players than a case has"]
    three, two = run(file)
    assert three.passed
    assert told([two]) == [("E0805", "P3", "there is no P3: this case has 2 players")]
    ((used, words),) = two.failures[0].diagnostic.notes
    assert (used.line, words) == (4, "used here")


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

ODD_PICTURES = DATA["odd pictures"]


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
    file = DATA["a board that differs is shown"]
    ((failure,),) = [result.failures for result in run(file, rules=DRAUGHTS)]
    assert failure.diagnostic.code.id == "E0813"
    assert "`rank[a1]` is man, not king" in failure.diagnostic.message
    assert failure.details[:5] == ("`Square` is now", "    o   o", "  ·   ·", "    ·   ·", "  x   x")
