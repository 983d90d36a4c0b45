"""Laws of the engines: random games of random rulesets are the same on both engines at every step, including faults.

``python tests/laws/engines.py`` plays more of them. Its numbers of rulesets mean the same as those here.
"""

from __future__ import annotations

from collections import Counter

import pytest
import unparser
from engines import check_engines, check_ruleset, compare, examine, exercise, generate_ruleset, shrink, trace_game
from feature_coverage import FeatureCoverage

from lusory.codegen.instruction_selection.selector_state_and_ir_emission import Selector
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax import parser

COVER = (6, 11, 18, 23, 25, 28, 29, 31, 33, 34, 39, 47, 55, 66, 71, 93, 94, 103, 126)  # from `engines.py --cover`
MORE_NUMBERS = [number for number in range(24, 42) if number not in COVER]
RING_NUMBERS = range(16)


def test_every_construct_is_exercised_on_both_engines() -> None:
    """Covers every node of the core language and of lowered code, every builtin and every statement."""
    coverage = FeatureCoverage()
    for number in COVER:
        exercise(number, coverage)
    assert coverage.list_missing() == {"evaluator": set(), "compiled": set()}


@pytest.mark.parametrize("first", range(2))
def test_engines_agree(first: int) -> None:
    """Every second pair of rulesets uses :func:`engines.use_large_settings`."""
    findings = [examine(number) for number in MORE_NUMBERS[first::2]]
    assert [finding for finding in findings if finding.is_failure] == []
    assert sum(finding.kind == "right" for finding in findings) >= 4


def test_rings_of_calls_are_refused() -> None:
    """Effects of cards call each other in a cycle, also from `whenever` rules: that is an error, not an overflow."""
    codes = Counter(code for number in RING_NUMBERS for code in list_error_codes(generate_ruleset(number, rings=60)))
    assert codes["E0601"] >= len(RING_NUMBERS) // 4


def list_error_codes(text: str) -> set[str]:
    diagnostics = Diagnostics()
    program = check_text(text, diagnostics, "made.yaml")
    codes = {diagnostic.code.id for diagnostic in diagnostics.list_sorted() if diagnostic.severity == "error"}
    assert (program is None) == bool(codes)
    return codes


@pytest.mark.parametrize("number", range(8))
def test_printed_blocks_play_the_same_game(number: int) -> None:
    program, copy = (check_ruleset(generate_ruleset(number, rewrite)) for rewrite in (str, reprint))
    if program is None:
        pytest.skip("the checker refuses this ruleset")
    assert copy is not None
    for events in zip(*(trace_game(variant, "compiled", number, 2, True) for variant in (program, copy)), strict=True):
        compare("printed", *(event[:2] if event[0] == "fault" else event for event in events))


def reprint(text: str) -> str:
    nodes = parser.parse_block(EmbeddedText(Source("block", text), text, tuple(range(len(text) + 1))), Diagnostics())
    assert nodes is not None
    return unparser.print_block(nodes)


def test_a_failing_ruleset_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that can't compile a range breaks the law. The shrunk ruleset still contains a range."""

    def fail(sel: Selector, *args: object) -> None:
        raise KeyError("range")

    for module in ("lists", "statements"):
        monkeypatch.setattr(f"lusory.codegen.instruction_selection.{module}.select_number_range", fail)
    finding = next(candidate for number in MORE_NUMBERS if (candidate := examine(number)).is_failure)
    assert finding.kind == "KeyError in fail"
    text = generate_ruleset(finding.number)
    shrunk_text = shrink(text, lambda text: check_engines(finding.number, text).kind == finding.kind, attempt_limit=8)
    assert len(shrunk_text) < len(text)
    assert ".." in shrunk_text
