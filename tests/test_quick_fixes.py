"""The fixes of the first diagnostic restore the original file, for most of the sampled mistakes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from programs import read_data
from quick_fixes import try_mistakes

from lusory.lsp.project_lookup_and_checks import Project, check_fix, check_rules
from lusory.lsp.quick_fixes_rename_and_formatting import list_own_fixes
from lusory.lsp.trial_fixes import list_fixes
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics, Edit, apply_edits
from lusory_dsl.source.source import Span
from lusory_dsl.syntax.misspelt_keywords_and_token_prediction import predict_tokens
from lusory_dsl.yaml.reader import make_source

DATA = read_data(__file__)

RULES = (Path(__file__).parent / "fixtures" / "pond.yaml").read_text(encoding="utf-8")

GAMES = ("tic-tac-toe", "kuhn-poker")
NUMBER = 20
"""Number of mutants of each game, and number of slips.

`python tests/quick_fixes.py 80 tic-tac-toe kuhn-poker oware` tries more: fixes cured 92% of 472 mistakes, and 96% of
the 242 that lose nothing.
"""


@pytest.mark.parametrize("game", GAMES)
def test_fixes_restore_the_file(game: str) -> None:
    """Up to one mistake in ten may remove what only the author knows, such as a name or a whole expression."""
    all_outcomes = list(try_mistakes(game, NUMBER))
    tenth = len(all_outcomes) // 10
    # `check` can't notice a lost doc or label.
    outcomes = [outcome for outcome in all_outcomes if outcome.diagnostics]
    assert len(outcomes) >= len(all_outcomes) - tenth
    assert [str(outcome.mutant) for outcome in outcomes if not outcome.count()["line"]] == []
    incurable = [str(outcome.mutant) for outcome in outcomes if outcome.place is None]
    assert len(incurable) <= tenth, incurable
    cured_later = [str(outcome.mutant) for outcome in outcomes if outcome.place]
    assert len(cured_later) <= tenth // 2, cured_later


@pytest.mark.parametrize(("right", "wrong", "cure"), DATA["typical mistakes"])
def test_a_typical_mistake_has_one_diagnostic_with_a_fix(right: str, wrong: str, cure: str, tmp_path: Path) -> None:
    """``cure`` is the text after the fix if it differs from the original."""
    assert RULES.count(right) == 1
    file = tmp_path / "pond.yaml"
    file.write_text(RULES, encoding="utf-8")
    index = check_rules(Project(file), {}).index
    result = check_rules(Project(file), {file: RULES.replace(right, wrong)})
    findings = result.diagnostics[file]
    [diagnostic] = [finding for finding in findings if finding.severity == "error"]
    assert diagnostic.span.line == RULES[: RULES.index(right)].count("\n") + 1
    fixes = list_fixes(diagnostic, findings, index, partial(check_fix, result))
    assert {str(file): RULES.replace(right, cure or right)} in [apply_edits(fix.edits) for fix in fixes[:3]]


def test_edits_at_the_same_place_stay_in_order() -> None:
    source = make_source("a.yaml", "xy")
    edits = [Edit(Span(source, 1, 1), "1"), Edit(Span(source, 1, 1), "2"), Edit(Span(source, 1, 2), "z")]
    assert apply_edits(edits) == {"a.yaml": "x12z"}


def test_a_gap_is_not_filled_with_a_neighbouring_word() -> None:
    """Copies of words beside the gap would displace better guesses."""
    text = "set a to 1\nset b 1\n"
    gap = text.rindex("1")
    assert list(predict_tokens(text, gap, gap)) == ["to"]


OWN_RULE = DATA["own rule"].replace("'", '\\"')


@pytest.mark.parametrize(("code", "wrong", "right"), DATA["fixes of warnings"])
def test_a_warning_about_a_rule_has_a_fix(code: str, wrong: str, right: str) -> None:
    check_text(OWN_RULE % wrong, diagnostics := Diagnostics(), "toll.yaml")
    [diagnostic] = [finding for finding in diagnostics.list_sorted() if finding.code.id == code]
    assert apply_edits(list_own_fixes(diagnostic)[0].edits) == {"toll.yaml": OWN_RULE % right}
    check_text(OWN_RULE % right, diagnostics := Diagnostics(), "toll.yaml")
    assert code not in [finding.code.id for finding in diagnostics.list_sorted()]
