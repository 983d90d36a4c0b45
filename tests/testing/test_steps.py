"""Steps in case files: what the game does by itself, a look at the table in the middle, one block alone, and checks of
a part."""

from __future__ import annotations

from textwrap import dedent

import pytest
from case_files import CELLAR, failures, only_failure, seen
from programs import checked, read_data, read_rules

from lusory.testing.cases.suite_runner import list_case_faults, run_cases
from lusory_dsl.source.source import Source

DATA = read_data(__file__)

FAILING = DATA["failing"]


@pytest.mark.parametrize("name", FAILING)
def test_differences_are_told(name: str) -> None:
    body, code, place = FAILING[name]
    found = seen(failures(body, CELLAR)[0])
    assert found == (code, place or found[1])


STOPS = read_rules("stops")

ENDS = {"block": (1, 11001), "nested": (2, 11112), "deep": (0, 0), "loop": (7, 11007)}
"""What `n` is behind the block of each option, and at the next decision."""


@pytest.mark.parametrize("option", ENDS)
def test_where_a_decision_ends(option: str) -> None:
    """Not with what follows its block, and before a choice that is forced."""
    here, later = ENDS[option]
    steps = f"[{{do: {option}, stop: now, expect: n = {here}}}, {{expect: n = {later}, decision: P1}}]"
    for engine in ("evaluator", "both"):
        source = Source("a.yaml", f"cases: [{{id: one, steps: {steps}}}]")
        (result,) = run_cases(checked(STOPS), [source], engine)
        assert result.passed


def test_what_is_dictated_comes_in_the_middle_and_again_behind_it() -> None:
    steps = "[{do: throw, stop: now, expect: n = 3}, {expect: n = 11003}]"
    for case in (f"dice: [3], steps: {steps}", f"dice: [3], steps: {steps.partition(', {')[0]}]"):
        (result,) = run_cases(checked(STOPS), [Source("a.yaml", f"cases: [{{id: one, {case}}}]")], "both")
        assert result.passed
    (result,) = run_cases(checked(STOPS), [Source("a.yaml", f"cases: [{{id: one, dice: [3, 4], steps: {steps}}}]")])
    assert [failure.diagnostic.code.id for failure in result.failures] == ["E0807"]


def test_where_a_choice_without_a_block_ends() -> None:
    """Behind what follows it in its own block, which `by` is not."""
    steps = "[{do: [deep]}, {do: '5', stop: now, expect: n = 75}, {expect: n = 11075}]"
    (result,) = run_cases(checked(STOPS), [Source("a.yaml", f"cases: [{{id: one, steps: {steps}}}]")], "both")
    assert result.passed


def test_state_checks_are_made_behind_a_block_that_is_run() -> None:
    steps = "[{run: set n to 0 - 5, expect: n = 0}, {run: set n to 90001, expect: not low}]"
    (result,) = run_cases(checked(STOPS), [Source("a.yaml", f"cases: [{{id: one, steps: {steps}}}]")], "both")
    assert result.passed


def test_columns_and_seats_that_are_turned_round_are_told_as_such() -> None:
    failure = only_failure("steps: [{outcome: {shown: {P1: {Coins: 3}}}}]", CELLAR)
    assert failure.diagnostic.hint == "write `{Coins: {P1: …}}`: the column, then the seats"


def test_what_the_game_did_by_itself_is_told() -> None:
    failure = only_failure("steps: [{do: {P1: work, P2: {forced: sing}}}]", CELLAR)
    assert failure.diagnostic.message == "the game did not choose `sing` for P2 by itself"
    assert failure.details[:2] == ("what the game chose by itself:", "  P2: greet")


def test_the_first_copy_is_named_where_it_is_numbered() -> None:
    failure = only_failure("steps: [{do: {P1: buy salt-1}}]", CELLAR)
    assert failure.diagnostic.hint == "did you mean `buy salt`?"
    failure = only_failure("steps: [{expect: salt-1 in stall}]", CELLAR)
    assert failure.diagnostic.hint == "the first is `salt`, and there are 3"


LARGE = CELLAR.replace("variables:\n", "variables:\n  square: {type: Int, per: [0..20000], start: 1}\n")


@pytest.mark.parametrize(
    ("first", "told"),
    [("", False), ('{run: "for each n in 0..20000: set square[n] to n + 1"}, ', True)],
    ids=["one value for all entries", "another for each"],
)
def test_a_fault_shows_as_much_of_the_table_as_can_be_read(first: str, told: bool) -> None:
    text = f"cases: [{{id: one, steps: [{first}{{do: {{P1: break}}}}]}}]"
    ((failure,),) = [result.failures for result in run_cases(checked(LARGE), [Source("a.yaml", text)])]
    assert "the rules fail" in failure.diagnostic.message
    assert len(failure.details) < 60
    assert max(map(len, failure.details)) < 200
    assert any(line.startswith("  … 19,9") for line in failure.details) is told
    assert any("square[" in line for line in failure.details) is told


ABOVE = "cases: [{id: one, steps: [{expect: bells = 3, do: {P1: work}}]}]"
AMBIGUOUS = "cases: [{id: one, steps: [{expect: wine-2 = 3}, {expect: wine - 2 = 3}]}]"
TWO_WINES = CELLAR.replace("  bells: {type", "  wine: {type: Int, start: 5}\n  bells: {type").replace(
    "wine: {kind: Ware,", "wine: {kind: Ware, copies: 2,"
)


def faults(rules: str, cases: str) -> list[tuple[str, str]]:
    """Return the code and the text of each mistake in the cases of a ruleset."""
    found = list_case_faults(checked(rules), [Source("cases/a.yaml", cases)])
    return [(d.code.id, d.span.source.text[d.span.start : d.span.end]) for d in found]


def test_checks_stand_below_what_is_done() -> None:
    assert faults(CELLAR, ABOVE) == [("E0824", "expect")]


def test_a_copy_that_could_be_a_difference_is_the_copy() -> None:
    assert faults(TWO_WINES, AMBIGUOUS) == [("E0510", "wine-2 = 3"), ("W0727", "wine-2")]


def test_an_answer_that_all_give_at_once_stands_once_in_the_log() -> None:
    rules = DATA["an answer that all give at once stands once in the log"]
    case = "cases: [{id: one, steps: [{do: [{P1: 2}, {P2: 1}], expect: P1.bid = 3}]}]"
    (result,) = run_cases(checked(dedent(rules)), [Source("a.yaml", case)], "both")
    (failure,) = result.failures
    details = [line.strip() for line in failure.details]
    assert details[details.index("— Sale —") + 1 : -1] == ["P1: 2", "P2: 1", "sold", "The game is over"]
