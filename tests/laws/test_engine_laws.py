"""The engines agree: random rulesets, played at random on both, say and do the same at every step, also where the rules
go wrong. ``python tests/laws/engines.py`` looks further, and its numbers are those of the tests here."""

from __future__ import annotations

from collections import Counter

import pytest
import unparser
from engines import checked, compare, examine, exercise, made, played, smaller, tried
from exercised import Exercised

from lusory.codegen.instruction_selection.selector_state_and_ir_emission import Selector
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax import parser

COVERING = (6, 11, 18, 23, 25, 28, 29, 31, 33, 34, 39, 47, 55, 66, 71, 93, 94, 103, 126)  # by `engines.py --cover`
FURTHER = [number for number in range(24, 42) if number not in COVERING]
RINGED = range(16)


def test_all_that_the_language_has_is_exercised_on_both_engines() -> None:
    """Every kind of node of the core language and of the lowered one, every builtin and every statement."""
    exercised = Exercised()
    for number in COVERING:
        exercise(number, exercised)
    assert exercised.missing() == {"evaluator": set(), "compiled": set()}


@pytest.mark.parametrize("first", range(2))
def test_engines_agree(first: int) -> None:
    """Every second pair as they are where everything is shared, see engines.py."""
    findings = [examine(number) for number in FURTHER[first::2]]
    assert [finding for finding in findings if finding.failed] == []
    assert sum(finding.kind == "right" for finding in findings) >= 4


def test_rings_of_calls_are_refused() -> None:
    """What cards do calls what may call it, also from state checks: that is said, and nothing overflows."""
    found = Counter(code for number in RINGED for code in refusals(made(number, rings=60)))
    assert found["E0601"] >= len(RINGED) // 4


def refusals(text: str) -> set[str]:
    diagnostics = Diagnostics()
    program = check_text(text, diagnostics, "made.yaml")
    codes = {found.code.id for found in diagnostics.list_sorted() if found.severity == "error"}
    assert (program is None) == bool(codes)
    return codes


@pytest.mark.parametrize("number", range(8))
def test_printed_blocks_play_the_same_game(number: int) -> None:
    program, again = checked(made(number)), checked(made(number, reprinted))
    if program is None:
        pytest.skip("what is refused has no game")
    assert again is not None
    for one, other in zip(*(played(p, "compiled", number, 2, True) for p in (program, again)), strict=True):
        compare("printed", one[:2] if one[0] == "fault" else one, other[:2] if other[0] == "fault" else other)


def reprinted(text: str) -> str:
    nodes = parser.parse_block(EmbeddedText(Source("block", text), text, tuple(range(len(text) + 1))), Diagnostics())
    assert nodes is not None
    return unparser.print_block(nodes)


def test_a_failing_ruleset_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that forgets how to write a range breaks the law, and what is left of the ruleset still needs one."""

    def forgotten(sel: Selector, *args: object) -> None:
        raise KeyError("range")

    for module in ("lists", "statements"):
        monkeypatch.setattr(f"lusory.codegen.instruction_selection.{module}.select_number_range", forgotten)
    finding = next(f for number in FURTHER if (f := examine(number)).failed)
    assert finding.kind == "KeyError in forgotten"
    text = made(finding.number)
    less = smaller(text, lambda text: tried(finding.number, text).kind == finding.kind, most=8)
    assert len(less) < len(text)
    assert ".." in less
