"""Case files: what they can say, and how each mistake in one is told."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from multiprocessing import active_children
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from case_files import CHUNKS, RULESET, failures, only_failure, program, run, seen
from programs import checked, read_data
from test_conformance import Chunk, told

from lusory.support.process_pool import map_in_order
from lusory.testing.cases import suite_runner as cases_module
from lusory.testing.cases.case_model import Case, CaseResult
from lusory.testing.cases.suite_runner import list_case_files, load_cases, play_cases, run_cases
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import Source

DATA = read_data(__file__)


@pytest.mark.parametrize("through_json", [False, True], ids=["direct", "json"])
@pytest.mark.parametrize("engine", ["evaluator", "compiled", "both"])
@pytest.mark.parametrize("chunk", CHUNKS.values(), ids=["market", "cellar", "village", "draughts"])
def test_passes(chunk: Chunk, engine: str, through_json: bool) -> None:
    results = run_cases(program(chunk.ruleset), [chunk.cases], engine, through_json=through_json)
    assert results
    assert told(results) == []


STEPS = "steps: [{decision: P1}]"

FAULTY = DATA["faulty"]


@pytest.mark.parametrize("name", FAULTY)
def test_mistakes_are_found_where_they_stand(name: str) -> None:
    body, code, place, message = FAULTY[name]
    failure = only_failure(body)
    assert seen(failure) == (code, place)
    assert message in failure.diagnostic.message


@pytest.mark.parametrize("condition", ["silk.worth = 1", "P2.silk.worth = 1"])
def test_a_query_that_needs_a_player_is_asked_by_a_block(condition: str) -> None:
    ruleset = RULESET.replace("{price: Int}}", "{price: Int}, queries: {worth: {per: Player, value: me.seat}}}")
    body = f"cases: [{{id: example, steps: [{{expect: {condition}}}]}}]"
    advised = DATA["a query that needs a player is asked by a block"]
    program = checked(ruleset)
    (wrong,), (right,) = (run_cases(program, [Source("a.yaml", dedent(text))]) for text in (body, advised))

    assert (wrong.failures[0].diagnostic.hint or "").endswith("`log`: `run: 'by P1: announce \"{…}\"'`")
    assert right.passed


def test_a_seat_beyond_the_last_one_is_named_with_the_last() -> None:
    failure = only_failure("steps: [{expect: P9.purse.coin = 1}]")
    assert seen(failure) == ("E0401", "P9")
    assert failure.diagnostic.hint == "the last seat of this game is `P3`"


FAILING = DATA["failing"]


@pytest.mark.parametrize("name", FAILING)
def test_differences_are_told(name: str) -> None:
    step, code, place, message = FAILING[name]
    step = step if step.startswith("{") else f"{{{step}}}"
    failure = only_failure(f"picks: [P1]\nshuffles: [[silk]]\nsteps: [{step}]")
    assert seen(failure) == (code, place)
    assert message in failure.diagnostic.message


def test_all_checks_of_all_steps_are_told() -> None:
    found = failures("picks: [P1]\nshuffles: [[silk]]\nsteps: [{expect: [days = 1, days = 2]}, {decision: P2}]")
    assert [failure.diagnostic.code.id for failure in found] == ["E0812", "E0812", "E0814"]
    assert ["what happened in this step:" in failure.details for failure in found] == [False, True, False]
    assert found[2].details == (
        "now P1 decides: work | buy silk | buy salt | buy salt-2 | write upper | write lower | break",
    )


def test_details_show_both_sides_what_happened_and_what_can_be_done() -> None:
    failure = only_failure("picks: [P1]\ndice: [1]\nsteps: [{do: work, expect: P1.purse.coin = bank.coin}]")
    assert failure.details[:3] == ("because", "  `P1.purse.coin` is 3", "  `bank.coin` is 6")
    assert "what happened in this step:" in failure.details
    assert any("Work" in line for line in failure.details)
    assert failure.details[-1].startswith("now P2 decides: work | buy")


@pytest.mark.parametrize(
    ("condition", "told"),
    [("P1 not in players", "`P1` is in `players`"), ("not (P1 in players)", "`P1 in players` is true")],
)
def test_details_of_what_is_denied_say_that_it_is_so(condition: str, told: str) -> None:
    failure = only_failure(f'picks: [P1]\nshuffles: [[silk]]\nsteps: [{{expect: "{condition}"}}]')
    assert failure.details[:2] == ("because", f"  {told}")


def test_a_wrong_option_names_the_nearest_and_the_reason() -> None:
    failure = only_failure(
        "picks: [P1]\ngiven: {phase: trade, bank: {coin: 9, gem: 5}, P1: {purse: {}}}\nsteps: [{do: {P1: buy silk}}]"
    )
    assert failure.diagnostic.code.id == "E0808"
    ((span, reason),) = failure.diagnostic.notes
    assert span.source.name == "rules.yaml"
    assert reason == "needs 1 Coin, and P1's purse has 0"

    failure = only_failure("picks: [P1]\nsteps: [{do: {P1: write uper}}]")
    assert failure.diagnostic.hint == "did you mean `write upper`?"


def test_no_other_action_is_suggested_for_one_that_is_not_possible_now() -> None:
    rules = DATA["no other action is suggested for one that is not possible now"]
    for option, hint in {"tread": None, "traed": "did you mean `trade`?"}.items():
        (result,) = run_cases(checked(rules), [Source("a.yaml", f"cases: [{{id: one, steps: [{{do: {option}}}]}}]")])
        assert [failure.diagnostic.code.id for failure in result.failures] == ["E0808"]
        assert result.failures[0].diagnostic.hint == hint


def test_another_copy_of_the_card_is_named() -> None:
    failure = only_failure("picks: [P1]\ngiven: {phase: trade, P2: {cellar: [salt]}}\nsteps: [{do: {P1: buy salt}}]")
    assert failure.diagnostic.hint == "did you mean `buy salt-2`?"
    assert "copies of a card are numbered" in failure.details[0]


def test_what_is_compared_is_shown() -> None:
    failure = only_failure("picks: [P1]\ngiven: {P1: {cellar: [silk, salt-2]}}\nsteps: [{expect: P1.cellar is empty}]")
    assert failure.details[1] == "  `P1.cellar` is [silk, salt-2]"
    failure = only_failure("steps: [{expect: all(p.cellar is not empty and days < 1 for p in players)}]")
    assert failure.details[1:3] == ("  where `p` is P1,", "  `p.cellar` is []")


def test_an_invariant_is_tested_on_the_given_position_and_later() -> None:
    failure = only_failure("given: {bank: {coin: 3}}\nsteps: [{do: work}]")
    assert failure.diagnostic.code.id == "E0821"
    assert "in the given position, the invariant `ten-coins` is false" in failure.diagnostic.message
    assert failure.diagnostic.hint == "the game has 10 `coin`, but here there are 5: also list where the others are"
    assert failure.details[:2] == ("because", "  `bank.coin + sum(p.purse.coin for p in players)` is 5")
    failure = only_failure("given: {days: 1, P2: {purse: {coin: 3}}}\nsteps: [{do: work}]")
    assert seen(failure) == ("E0821", "purse")
    assert failure.diagnostic.hint == (
        "the game has 10 `coin`, but here there are 12: also list where they come from, such as `bank: rest`"
    )
    source = "given: {P1: {purse: {coin: COIN}}, P2: {purse: {coin: 3}}}\nsteps: [{do: work}]"
    for coin in (0, 1):  # P1 had 1, so only the purse of P2 grew
        span = only_failure(source.replace("COIN", str(coin))).diagnostic.span
        assert span.start > span.source.text.index("P2"), coin


def test_an_option_that_lusory_took_before_a_check_is_told() -> None:
    path = Path(__file__).resolve().parents[2] / "rulesets" / "templates" / "market-day"
    given = "given: {P1: {hand: [baker, thief]}, P2: {hand: {HAND}}}"
    steps = "steps: [{do: {P1: play baker}, expect: bank.coin = 58}]"
    hints = []
    for hand in ("[baker-2, thief-2]", "[baker-2]"):
        case = f"cases: [{{id: a, {given.replace('{HAND}', hand)}, {steps}}}]"
        (result,) = run_cases(load_program(path), [Source("case.yaml", case)], engine="evaluator")
        hints += [failure.diagnostic.hint for failure in result.failures]

    assert hints == [
        "after that, P2 had only one option, `play baker-2`, so lusory took it: give P2 another option in `given`, or "
        "add `stop: now`"
    ]


def test_chance_that_never_comes_is_told() -> None:
    failure = only_failure("picks: [P1, P2]\nsteps: [{decision: P1}]")
    assert seen(failure) == ("E0807", "P2")
    assert "`P2` of `picks` left over" in failure.diagnostic.message
    failure = only_failure("picks: {starter: [P1, P2]}\nsteps: [{decision: P1}]")
    assert seen(failure) == ("E0807", "P2")
    assert "`P2` of `picks` for `starter` left over" in failure.diagnostic.message


DRAWS = DATA["draws"]
REFUSED = DATA["refused"]


@pytest.mark.parametrize("dictated", REFUSED)
def test_a_result_that_its_draw_cannot_have_is_refused(dictated: str) -> None:
    place, message = REFUSED[dictated]
    source = Source("a.yaml", f'cases: [{{id: one, {dictated}, steps: [{{do: {{P1: "true"}}}}]}}]')
    for engine in ("evaluator", "compiled", "both"):
        (result,) = run_cases(checked(DRAWS), [source], engine)
        (failure,) = result.failures
        assert failure.diagnostic.code.id == "E0807"
        span = failure.diagnostic.span
        assert source.text[span.start : span.end] == place
        assert failure.diagnostic.message == message


def test_results_by_name_leave_other_draws_to_the_seed() -> None:
    case = 'cases: [{id: one, picks: {who: [P2], on: "true"}, dice: {n: 4}, steps: [{do: {P1: "true"}, expect: %s}]}]'
    (result,) = run_cases(checked(DRAWS), [Source("a.yaml", case % "[winner is P2, lit, P1.worth = 4]")], "both")
    assert result.passed
    free = Source("a.yaml", "cases: [{id: one, picks: {who: P2}, steps: [{decision: P1}]}]")
    (result,) = run_cases(checked(DRAWS), [free])
    assert [failure.diagnostic.code.id for failure in result.failures] == ["E0807"]  # `who` never came


def test_ids_are_unique_over_all_files() -> None:
    file = "cases: [{id: one, steps: [{play_until: end}]}]"
    results = run_cases(program(), [Source("a.yaml", file), Source("b.yaml", file)])
    assert [result.passed for result in results] == [True, False]
    (failure,) = results[1].failures
    assert failure.diagnostic.code.id == "E0806"
    assert failure.diagnostic.notes[0][0].source.name == "a.yaml"


def test_shared_settings_of_a_file() -> None:
    results = run(DATA["shared settings of a file"])
    assert [[f.diagnostic.message for f in result.failures] for result in results] == [[], []]


def test_only_some() -> None:
    file = """
        cases:
          - {id: buy-silk, title: Silk is bought, steps: [{play_until: end}]}
          - {id: sell, title: Selling, steps: [{play_until: end}]}
        """
    assert [result.id for result in run(file, only="silk is")] == ["buy-silk"]
    assert [result.id for result in run(file, only="1.yaml:sell")] == ["sell"]
    assert run(file, only="nothing") == []


def test_a_file_that_cannot_be_read_fails() -> None:
    results = run("cases:\n  - id: one\n    step: []\n")
    assert not any(result.passed for result in results)
    assert [f.diagnostic.code.id for result in results for f in result.failures] == ["E0201"]


def test_only_the_unknown_key_of_do_is_reported() -> None:
    results = run('cases:\n  - id: one\n    title: One\n    steps:\n      - do: {P1: "1", stop: now}\n')
    (found,) = [failure.diagnostic for result in results for failure in result.failures]
    assert found.message.endswith("do.stop`: unknown key")
    assert found.hint == "known here: `forced` and the name of a seat"


def test_a_ruleset_without_cases_has_none(tmp_path: Path) -> None:
    assert list_case_files(tmp_path) == []
    (tmp_path / "ruleset.yaml").write_text(RULESET, encoding="utf-8")
    assert run_cases(load_program(tmp_path)) == []


# ---------------------------------------------------------------- by several processes


def several() -> list[Case | CaseResult]:
    """Cases of different games, in two files with a faulty one between them; every third case fails."""
    cases = "".join(
        f"  - {{id: {{name}}-{n}, dice: [1], options: {{bonus: {n % 2}}}, steps: [{{expect: bonus = {n % 3 % 2}}}]}}\n"
        for n in range(12)
    )
    texts = {name: "cases:\n" + cases.replace("{name}", name) for name in ("a", "c")}
    texts["b"] = "cases:\n  - id: one\n    step: []\n"
    return load_cases(program(), [Source(f"{name}.yaml", texts[name]) for name in sorted(texts)])


def details(results: Iterable[CaseResult]) -> list[tuple[object, ...]]:
    """All that is told of results, but how long they took and where texts lie in memory."""
    return [
        (
            r.file,
            r.id,
            r.clauses,
            str(r.span),
            [(str(f.diagnostic.span), f.diagnostic.message, f.details) for f in r.failures],
        )
        for r in results
    ]


@pytest.mark.parametrize("engine", ["evaluator", "compiled", "both"])
@pytest.mark.parametrize("alone", [0.0, 1e-9])
def test_the_number_of_processes_changes_nothing(engine: str, alone: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where this one begins alone, and where those of a game are played in rows."""
    monkeypatch.setattr(cases_module, "MAX_CASES_PER_TASK", 3)
    here = details(play_cases(program(), several(), engine))
    processes: list[int] = []

    def counted(work: Any, tasks: Any, jobs: int) -> Any:
        processes.append(jobs)
        return map_in_order(work, tasks, jobs)

    monkeypatch.setattr(cases_module, "map_in_order", counted)

    assert details(play_cases(program(), several(), engine, jobs=2, alone=alone)) == here
    assert processes == [2]
    assert {bool(failures) for *_, failures in here} == {True, False}


def test_what_another_process_is_given_travels() -> None:
    """Where processes begin with nothing, program and cases come by pickle."""
    player = cases_module._Player(program(), several(), "evaluator", False)
    numbers = range(len(player.cases))
    travelled = pickle.loads(pickle.dumps(player))

    assert details(map(travelled.result, numbers)) == details(map(player.result, numbers))


def test_no_process_is_started_for_what_is_short() -> None:
    """Nor when there is nothing to play."""
    played = play_cases(program(), several(), jobs=2, alone=3600)
    next(played)
    assert not active_children()
    played.close()
    assert list(play_cases(program(), [], jobs=2)) == []
