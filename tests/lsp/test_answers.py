"""Test completion, hover, declarations, quick fixes and renaming at places in the files of a small game."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest
from programs import read_data

from lusory.cli import main
from lusory.lsp import completion_hover_and_definition as answers, quick_fixes_rename_and_formatting as edits
from lusory.lsp.cursor_context import Cursor, find_cursor_context
from lusory.lsp.name_index import FileIndex, Outdated
from lusory.lsp.project_lookup_and_checks import (
    CheckResult,
    Project,
    check_cases,
    check_data,
    check_fix,
    check_project,
    check_rules,
    count_reaching_cases,
    find_project,
    index_correct_lines,
)
from lusory.lsp.trial_fixes import MAX_CHECKS, MAX_FIXES, list_fixes
from lusory_dsl.pipeline import check
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Code, Diagnostic, Diagnostics, Edit, Fix, apply_edits
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.source import Source, Span
from lusory_dsl.types.types import INT, PLAYER, EnumType, ListType, OptionalType, Type

DATA = read_data(__file__)

RULES = (Path(__file__).parents[1] / "fixtures" / "pond.yaml").read_text(encoding="utf-8")
CASES = DATA["cases"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    (tmp_path / "ruleset.yaml").write_text(RULES)
    (tmp_path / "cases" / "rich.yaml").write_text(CASES)
    return tmp_path


def check_folder(folder: Path, text: str = RULES) -> CheckResult:
    return check_project(Project(folder), {folder / "ruleset.yaml": text})


def split_mark(text: str) -> tuple[str, Cursor, int]:
    """Return a text without its mark ``|>``, and the place of the mark as a cursor and an offset."""
    offset = text.index("|>")
    text = text.replace("|>", "")
    line = text.count("\n", 0, offset)
    return text, find_cursor_context(text.split("\n"), line, offset - text.rfind("\n", 0, offset) - 1), offset


def complete(folder: Path, text: str) -> set[str]:
    """Return the completions at the mark in a text that is typed into the rules after their last check."""
    _, cursor, offset = split_mark(text)
    result = check_folder(folder)
    file = result.index.files[str(folder / "ruleset.yaml")]
    return {item.label for item in answers.complete(cursor, file, offset, result)}


@pytest.mark.parametrize(("old", "new", "present", "missing"), DATA["completion offers what fits"])
def test_completion_offers_what_fits(old: str, new: str, present: list[str], missing: list[str], folder: Path) -> None:
    labels = complete(folder, RULES.replace(old, new, 1))
    assert labels.issuperset(present)
    assert labels.isdisjoint(missing)


@pytest.mark.parametrize(("text", "present", "missing"), DATA["completion in cases"])
def test_completion_in_cases(text: str, present: list[str], missing: list[str], folder: Path) -> None:
    _, cursor, offset = split_mark(f"cases:\n- id: rich\n  {text}")
    labels = {item.label for item in answers.complete(cursor, FileIndex(), offset, check_folder(folder))}
    assert labels.issuperset(present)
    assert labels.isdisjoint(missing)


def test_completion_reads_no_file_whose_docs_were_read(folder: Path) -> None:
    result = check_folder(folder)
    answers.read_docs(result.index)
    n_read = answers.read_tree.cache_info().misses
    _, cursor, offset = split_mark(RULES.replace("        pay(1)", "        |>", 1))
    items = answers.complete(cursor, result.index.files[str(folder / "ruleset.yaml")], offset, result)
    assert any(item.doc for item in items if item.label == "coins")
    assert answers.read_tree.cache_info().misses == n_read


def test_zones_come_first_in_a_move(folder: Path) -> None:
    _, cursor, offset = split_mark(RULES.replace("move catch to hand", "move catch to |>", 1))
    result = check_folder(folder)
    items = answers.complete(cursor, result.index.files[str(folder / "ruleset.yaml")], offset, result)
    assert {item.label for item in items[:2]} == {"pond", "hand"}


def test_card_has_members_of_its_kind_only(folder: Path) -> None:
    labels = complete(folder, RULES.replace("  newt:", "  frog:\n    rules:\n      - {active: this.|>}\n  newt:", 1))
    assert labels == {"worth", "original", "holder", "printed", "copies"}


@pytest.mark.parametrize(
    ("type", "present", "missing"),
    [
        (EnumType("Square"), {"north_east", "rank", "beside"}, {"forward", "spaces", "onward"}),
        (OptionalType(EnumType("Square")), {"north", "row"}, {"forward"}),
        (EnumType("Compass"), {"opposite", "turned"}, {"row", "north"}),
        (EnumType("Three"), {"spaces"}, {"row", "north"}),
        (ListType(EnumType("Square")), {"beside", "around"}, {"row", "north"}),
        (PLAYER, {"forward", "back_left", "coins"}, {"row", "north"}),
        (INT, set(), {"row", "north", "forward", "beside"}),
        (ListType(INT), set(), {"beside", "around"}),
        (None, {"north", "row", "forward", "spaces", "turned", "worth", "coins"}, {"onward"}),
    ],
)
def test_a_board_gives_members_to_its_things(
    type: Type | None, present: set[str], missing: set[str], folder: Path
) -> None:
    board = "boards:\n  Square: {grid: 3 x 3, facing: [north, south], lines: {Three: 3}}\nvariables:\n"
    index = check_folder(folder, RULES.replace("variables:\n", board)).index
    labels = {item.label for item in answers.list_members(type, index)}
    assert labels.issuperset(present)
    assert labels.isdisjoint(missing)


def test_a_player_has_no_directions_if_no_board_has_facing(folder: Path) -> None:
    index = check_folder(folder, RULES.replace("variables:\n", "boards:\n  Square: {grid: 3 x 3}\nvariables:\n")).index
    assert "forward" not in {item.label for item in answers.list_members(PLAYER, index)}


def test_hover_says_type_and_doc(folder: Path) -> None:
    result = check_folder(folder)
    file = result.index.files[str(folder / "ruleset.yaml")]

    def describe(old: str, new: str, word: str) -> str | None:
        _, cursor, offset = split_mark(RULES.replace(old, new, 1))
        return answers.describe(word, file, offset, result.index, cursor)

    assert "variable coins: Int" in (text := describe("increase coins", "increase |>coins", "coins") or "")
    assert "The coins of a player." in text
    assert "local gain: Int" in (describe("by gain", "by |>gain", "gain") or "")
    assert "pay(price: Int)" in (describe("pay(1)", "|>pay(1)", "pay") or "")
    assert "Writes" not in (describe("move catch", "|>move catch", "move") or "")
    assert "move" in (describe("move catch", "|>move catch", "move") or "")
    assert describe("    per: Player\n    params", "    |>per: Player\n    params", "per")
    assert describe("by gain", "by |>mist", "mist") is None


def test_cursor_is_in_code_behind_a_text_inside_braces() -> None:
    start = "phases:\n- {label: '{list(\"{p}"
    for text, is_code in ((" has|>", False), (' has" for p in players|>', True), ('" for p in players)} won|>', False)):
        assert split_mark(start + text + "'}\n")[1].is_code == is_code


def test_me_is_a_keyword_in_hover_and_declaration(folder: Path) -> None:
    text = RULES.replace("do: decrease coins", "doc: Pays.\n    do: decrease |>me.coins")
    text, cursor, offset = split_mark(text)
    index = check_folder(folder, text).index
    file = index.files[str(folder / "ruleset.yaml")]

    assert answers.describe("me", file, offset, index, cursor) == "```text\nme: Player\n```\n\nThe player who acts."
    assert answers.find_definition("me", file, offset, index, True) is None


def test_a_call_shows_its_parameters(folder: Path) -> None:
    _, cursor, _ = split_mark(RULES.replace("pay(1)", "pay(|>", 1))
    assert answers.find_call(cursor, check_folder(folder).index) == ("pay(price: Int)", ["price: Int"], 0, "")


def test_call_shows_its_parameters_inside_grouping_brackets(folder: Path) -> None:
    _, cursor, _ = split_mark(RULES.replace("pay(1)", "pay(2 * (max(1, 3) + |>", 1))
    assert answers.find_call(cursor, check_folder(folder).index) == ("pay(price: Int)", ["price: Int"], 0, "")


@pytest.mark.parametrize(("call", "number"), DATA["words in quotes do not change which parameter is shown"])
def test_words_in_quotes_do_not_change_which_parameter_is_shown(call: str, number: int, folder: Path) -> None:
    _, cursor, _ = split_mark(RULES.replace("pay(1)", call, 1))
    assert answers.find_call(cursor, check_folder(folder).index) == ("pay(price: Int)", ["price: Int"], number, "")


def test_names_lead_to_their_declaration(folder: Path) -> None:
    result = check_folder(folder)
    file = result.index.files[str(folder / "ruleset.yaml")]
    for name, declaration in (("coins", "coins: {type"), ("gain", "gain = 1"), ("catch", "catch in pond")):
        span = answers.find_definition(name, file, RULES.index("increase coins"), result.index, True)
        assert span is not None and span.start == RULES.index(declaration)


def test_uses_read_during_a_check_are_computed_again_after_it(folder: Path) -> None:
    result = check_folder(folder)
    file = result.index.files[str(folder / "ruleset.yaml")]
    early = FileIndex(mentions=file.mentions)
    assert early.uses == []
    early.finish(result.index.names)
    assert early.uses == file.uses != []


def test_a_name_is_renamed_in_rules_and_cases(folder: Path) -> None:
    project, path = Project(folder), folder / "ruleset.yaml"
    rules = RULES.replace("Which, {me}", "Which for {me.coins} coins")
    path.write_text(rules)
    result = check_project(project, {})
    span = answers.find_definition("coins", FileIndex(), 0, result.index, False)
    assert span is not None
    changes, sources = edits.rename(span, "coins", "gold", project, {})
    words = [Edit(Span(sources[file], *place), "gold") for file, places in changes.items() for place in places]
    texts = apply_edits(words)
    expected = rules.replace("coins", "gold").replace("The gold", "The coins")
    assert texts[str(path)] == expected.replace("} gold", "} coins")
    assert "P1.gold = 2" in texts[str(folder / "cases" / "rich.yaml")]
    assert "title: coins count" in texts[str(folder / "cases" / "rich.yaml")]


def test_an_effect_of_a_player_is_renamed_where_it_is_called(folder: Path) -> None:
    project = Project(folder)
    span = answers.find_definition("pay", FileIndex(), 0, check_project(project, {}).index, False)
    assert span is not None
    changes, _ = edits.rename(span, "pay", "toll", project, {})

    places = [start for start, _ in changes[folder / "ruleset.yaml"]]
    assert places == [RULES.index("pay:"), RULES.index("pay(1)")]


def test_member_of_a_space_is_no_reference_to_a_variable_of_its_name(folder: Path) -> None:
    rules = RULES.replace("coins", "row").replace("value: row", "value: Square.a1.row")
    result = check_folder(folder, rules.replace("variables:", "boards: {Square: {grid: 3 x 3}}\nvariables:"))
    span = answers.find_definition("row", FileIndex(), 0, result.index, False)
    assert span is not None
    [places] = edits.list_references(span, "row", result, {folder / "ruleset.yaml": span.source}).values()
    assert [span.source.text[start - 1 : end] for start, end in places] == [" row"] * 3


def test_a_field_is_no_use_of_a_variable_with_its_name(folder: Path) -> None:
    rules = RULES.replace("worth", "coins")
    (folder / "ruleset.yaml").write_text(rules)
    project = Project(folder)
    check = check_project(project, {})
    span = answers.find_definition("coins", FileIndex(), 0, check.index, False)
    assert span is not None
    uses = [use.start for _, use in check.index.iterate_uses(span)]
    assert rules.index("coins + sum") in uses and rules.index("coins for c in hand") not in uses
    with pytest.raises(edits.CannotRename, match="could not be told apart"):
        edits.rename(span, "coins", "gold", project, {})


def test_a_name_is_renamed_in_rules_whose_text_is_accepted(folder: Path) -> None:
    (folder / "ruleset.yaml").write_text(RULES.replace("    params:", "    text: Pay a price.\n    params:"))
    assert main(["text", str(folder), "--accept"]) == 0
    project = Project(folder)
    span = answers.find_definition("coins", FileIndex(), 0, check_project(project, {}).index, False)
    assert span is not None
    assert folder / "ruleset.yaml" in edits.rename(span, "coins", "gold", project, {})[0]


def test_references_in_cases_are_places_of_seats_and_no_keys_of_the_schema(folder: Path) -> None:
    result = check_folder(folder, RULES.replace("coins", "position"))
    span = answers.find_definition("position", FileIndex(), 0, result.index, False)
    assert span is not None
    text = 'cases:\n- given: {P1.position.top: 2}\n  steps: [{position: a, expect: ["position[P1] = 2"]}]\n'
    path = folder / "cases" / "a.yaml"
    places = edits.list_references(span, "position", result, {path: Source(str(path), text)})
    assert [text[start - 1 : end] for start, end in places[path]] == [".position", '"position']


def test_index_of_a_variable_is_no_reference_to_the_variable(folder: Path) -> None:
    path, rules = folder / "ruleset.yaml", RULES.replace("start: 0", "start: if player is players.first then 1 else 0")
    result = check_folder(folder, rules)
    span = answers.find_definition("coins", FileIndex(), 0, result.index, False)
    assert span is not None
    places = edits.list_references(span, "coins", result, {path: Source(str(path), rules)})
    assert {rules[start:end] for start, end in places[path]} == {"coins"}


@pytest.mark.parametrize(
    ("new", "reason"), [("hand", "already occurs"), ("Gold", "can't be a name"), ("while", "can't be a name")]
)
def test_rename_that_would_break_the_game_is_refused(new: str, reason: str, folder: Path) -> None:
    project = Project(folder)
    result = check_project(project, {})
    span = answers.find_definition("coins", FileIndex(), 0, result.index, False)
    assert span is not None
    with pytest.raises(edits.CannotRename, match=reason):
        edits.rename(span, "coins", new, project, {})


def test_quick_fix_corrects_a_misspelt_name(folder: Path) -> None:
    result = check_folder(folder, RULES.replace("by gain", "by gian"))
    [diagnostic] = result.diagnostics[folder / "ruleset.yaml"]
    [fix], [declaration, _] = (edits.list_own_fixes(diagnostic), edits.list_further_fixes(diagnostic))
    assert apply_edits(fix.edits) == {str(folder / "ruleset.yaml"): RULES}
    assert declaration.title == "Declare `gian` as a variable"
    [text] = apply_edits(declaration.edits).values()
    errors = check_folder(folder, text).diagnostics.get(folder / "ruleset.yaml", [])
    assert not [error for error in errors if error.severity == "error"]


@pytest.mark.parametrize(("right", "wrong"), DATA["quick fix is found by trying edits"])
def test_quick_fix_is_found_by_trying_edits(right: str, wrong: str, folder: Path) -> None:
    index = check_folder(folder, RULES).index
    result = check_folder(folder, RULES.replace(right, wrong))
    [diagnostic] = result.diagnostics[folder / "ruleset.yaml"]
    fixes = list_fixes(diagnostic, [diagnostic], index, partial(check_fix, result))
    assert len(fixes) <= MAX_FIXES
    assert RULES in [text for fix in fixes for text in apply_edits(fix.edits).values()]


def test_quick_fix_is_found_beside_another_mistake(folder: Path) -> None:
    text = RULES.replace("pay(1)", "play(1)")
    result = check_folder(folder, text.replace("by gain", "by qwxyzzy"))
    errors = result.diagnostics[folder / "ruleset.yaml"]
    [diagnostic] = [error for error in errors if "qwxyzzy" in error.message]
    fixes = list_fixes(diagnostic, errors, result.index, partial(check_fix, result))
    assert text in [after for fix in fixes for after in apply_edits(fix.edits).values()]


def test_search_for_fixes_can_be_stopped(folder: Path) -> None:
    result = check_folder(folder, RULES.replace("by gain", "by gian"))
    [diagnostic] = result.diagnostics[folder / "ruleset.yaml"]

    def check(fix: Fix) -> list[Diagnostic]:
        raise AssertionError(fix)

    assert list_fixes(diagnostic, [diagnostic], result.index, check, lambda: True) == list(diagnostic.fixes)


def test_search_for_fixes_is_bounded(folder: Path) -> None:
    result = check_folder(folder, RULES.replace("by gain", "by qwxyzzy"))
    [diagnostic] = result.diagnostics[folder / "ruleset.yaml"]
    fixes = []

    def check(fix: Fix) -> list[Diagnostic]:
        fixes.append(fix)
        return [diagnostic]

    assert list_fixes(diagnostic, [diagnostic], result.index, check) == list(diagnostic.fixes)
    assert MAX_CHECKS - 5 <= len(fixes) <= MAX_CHECKS + len(diagnostic.fixes)


def test_diagnostics_equal_those_of_check_after_random_edits(folder: Path) -> None:
    """Cached parse results must not change the diagnostics."""
    chance = random.Random(1)
    text = RULES
    for _ in range(60):
        start = chance.randrange(len(text))
        text = (
            text[:start]
            + chance.choice(["", "x", " ", "\n", ":", "{", "é", "𝄞", "move "])
            + text[start + chance.randrange(3) :]
        )
        (folder / "ruleset.yaml").write_text(text)
        expected = Diagnostics()
        program = check(folder, expected)
        reports = check_folder(folder, text).diagnostics.get(folder / "ruleset.yaml", [])
        rule_reports = [report for report in reports if program is None or report.code.id[1:3] != "08"]
        assert [(report.code.id, str(report.span)) for report in rule_reports] == [
            (report.code.id, str(report.span)) for report in expected.list_sorted()
        ]
        find_cursor_context(text.split("\n"), chance.randrange(text.count("\n") + 1), chance.randrange(20))
        if chance.random() < 0.3:
            text = RULES


def test_text_block_in_a_list_holds_no_keys() -> None:
    _, cursor, _ = split_mark("rules:\n  - |\n    when set_out: mov|>")
    assert cursor.keys == ("rules", None) and not cursor.is_key


def test_laws_are_checked_after_the_rules(folder: Path) -> None:
    law = "invariants:\n  - id: rich\n    always: all(c.worth > 2 for c in Card)\n"
    buffers = {folder / "ruleset.yaml": RULES + law}
    rules = check_rules(Project(folder), buffers)
    assert rules.diagnostics == {}
    [error] = check_data(rules).diagnostics[folder / "ruleset.yaml"]
    assert error.code.id == "E0901"
    [project_error] = check_project(Project(folder), buffers).diagnostics[folder / "ruleset.yaml"]
    assert project_error.message == error.message


def test_law_is_evaluated_again_only_if_its_data_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = RULES + "invariants:\n  - id: rich\n    always: all(c.worth > 0 for c in Card)\n"
    with enable_cache():
        assert check_folder(folder, text).diagnostics == {}
        assert "E0901" in repr(check_folder(folder, text.replace("worth: 2", "worth: 0")).diagnostics)
        assert check_folder(folder, text).diagnostics == {}
        monkeypatch.setattr("lusory.testing.constant_data_invariants.find_violations", lambda *_: pytest.fail("again"))
        assert check_folder(folder, text.replace("pay(1)", "pay(2)")).diagnostics == {}


@pytest.mark.parametrize("line", ["\t      each player:", "    each player:", "          each player:"])
def test_wrong_first_line_of_a_block_hides_no_names(line: str, folder: Path) -> None:
    text = RULES.replace("      each player:", line, 1)
    project, buffers = Project(folder), {folder / "ruleset.yaml": text}
    rules = check_rules(project, buffers)
    assert not rules.index.has_names
    result = index_correct_lines(project, buffers, rules)
    assert result.diagnostics == rules.diagnostics
    file = result.index.files[str(folder / "ruleset.yaml")]
    span = answers.find_definition("gain", file, text.index("increase coins"), result.index, True)
    assert span is not None and span.start == text.index("gain = 1")


def test_rules_are_checked_again_only_if_changed(folder: Path) -> None:
    project = Project(folder)
    rules = check_rules(project, {})
    assert check_rules(project, {folder / "cases" / "rich.yaml": "cases: []"}, rules) is rules
    assert check_rules(project, {folder / "ruleset.yaml": RULES + "\n"}, rules) is not rules
    with pytest.raises(Outdated):
        check_rules(project, {}, None, lambda: True)


def test_cases_are_read_again_if_a_shared_position_changed(folder: Path) -> None:
    project, positions, cases = Project(folder), folder / "cases" / "shared.yaml", folder / "cases" / "rich.yaml"
    buffers = {
        positions: "positions:\n  start: {P1: {coins: 1}}\n",
        cases: CASES.replace("  steps:", "  given: {from: start}\n  steps:"),
    }
    positions.write_text("cases: []")
    rules = check_rules(project, buffers)
    assert check_cases(project, buffers, rules).diagnostics == {}
    new_buffers = buffers | {positions: "positions:\n  other: {P1: {coins: 1}}\n"}
    [error] = check_cases(project, new_buffers, rules).diagnostics[cases]
    assert "no position `start`" in error.message


USED_RULES = (
    RULES.replace("components:", "enums:\n  Mood: [calm, wild]\ncomponents:")
    .replace("components:", "options:\n  limit: {type: Int, range: 1..3, default: 2}\ncomponents:")
    .replace("variables:", "variables:\n  mood: {type: Mood, start: calm}")
    .replace("        pay(1)", "        roll luck in 1..limit: pay(luck)\n        pay(1)")
    .replace("        pay(1)", '        if mood is wild: set mood to calm\n        announce "{me.wealth}"')
    .replace("  rank: [wealth]", "  rank: [coins]\n  show: [{title: Coins, value: coins}]")
)
CASES_WITH_USES = DATA["seeing cases"]


@pytest.mark.parametrize(("old", "new"), DATA["cases are read again if rules that they use changed"])
def test_cases_are_read_again_if_rules_that_they_use_changed(old: str, new: str, folder: Path) -> None:
    project, rules, cases = Project(folder), folder / "ruleset.yaml", folder / "cases" / "rich.yaml"
    buffers = {rules: USED_RULES, cases: CASES_WITH_USES}
    new_buffers = buffers | {rules: USED_RULES.replace(old, new)}
    with enable_cache():
        assert check_project(project, buffers).diagnostics == {}
        diagnostics = check_project(project, new_buffers).diagnostics
    assert diagnostics[cases] != []
    assert repr(diagnostics) == repr(check_project(project, new_buffers).diagnostics)


def test_cases_are_not_read_again_if_unused_rules_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, rules = Project(folder), folder / "ruleset.yaml"
    buffers = {rules: USED_RULES, folder / "cases" / "rich.yaml": CASES_WITH_USES}
    with enable_cache():
        assert check_project(project, buffers).diagnostics == {}
        monkeypatch.setattr("lusory.testing.cases.suite_runner.read_cases", lambda *_: pytest.fail("read again"))
        for old, new in (("1 + 1", "2 + 1"), ("variables:", "variables:\n  more: {type: Bool, start: true}")):
            buffers[rules] = USED_RULES.replace(old, new)
            assert folder / "cases" / "rich.yaml" not in check_project(project, buffers).diagnostics


def test_wrong_value_of_a_position_is_reported(folder: Path) -> None:
    cases = folder / "cases" / "rich.yaml"
    buffers = {cases: CASES.replace("  steps:", '  given: {P1: {coins: "1 + )"}}\n  steps:')}
    [error] = check_project(Project(folder), buffers).diagnostics[cases]
    assert "Int" in error.message or "number" in error.message


def test_file_belongs_to_the_game_of_its_folder(folder: Path) -> None:
    assert find_project(folder / "cases" / "rich.yaml", {}) == Project(folder)
    assert find_project(folder / "ruleset.yaml", {}) == Project(folder)
    (folder / "other.yaml").write_text(RULES)
    assert (
        find_project(folder / "other.yaml", {}) == find_project(folder / "cases" / "rich.yaml", {}) == Project(folder)
    )
    (folder / "ruleset.yaml").rename(folder / "another.yaml")
    assert find_project(folder / "other.yaml", {}) == Project(folder / "other.yaml")
    assert find_project(folder / "notes.txt", {}) is None


@pytest.mark.parametrize(("old", "new", "kinds"), DATA["an unknown name can be declared"])
def test_an_unknown_name_can_be_declared(old: str, new: str, kinds: list[str], folder: Path) -> None:
    result = check_folder(folder, RULES.replace(old, new, 1))
    [diagnostic] = result.diagnostics[folder / "ruleset.yaml"]
    fixes = [fix for fix in edits.list_further_fixes(diagnostic) if fix.title.startswith("Declare")]
    assert [fix.title.rpartition(" ")[2] for fix in fixes] == kinds
    for fix in fixes:
        [text] = apply_edits(fix.edits).values()
        errors = check_folder(folder, text).diagnostics.get(folder / "ruleset.yaml", [])
        assert not [error.message for error in errors if error.severity == "error"]


def test_warning_can_be_ignored_in_place(folder: Path) -> None:
    text = RULES.replace("  wealth:", "  unused: {value: 3}\n  wealth:", 1)
    [diagnostic] = check_folder(folder, text).diagnostics[folder / "ruleset.yaml"]
    assert diagnostic.severity == "warning"
    *_, fix = edits.list_further_fixes(diagnostic)
    [text] = apply_edits(fix.edits).values()
    assert text.count("] \n") == 1
    diagnostics = check_folder(folder, text.replace("] \n", "] it is for later\n")).diagnostics
    assert diagnostics.get(folder / "ruleset.yaml", []) == []


@pytest.mark.parametrize(
    ("file", "code", "is_offered"),
    [
        ("ruleset.yaml", diagnostic_codes.MISREAD, True),
        ("ruleset.yaml", diagnostic_codes.BAD_IGNORE, False),
        ("cards/frogs.csv", diagnostic_codes.RULES_DIFFER, False),
        ("cases/frogs.yaml", diagnostic_codes.MISREAD, False),
    ],
)
def test_warning_can_be_ignored_where_a_comment_suppresses_it(file: str, code: Code, is_offered: bool) -> None:
    """In a sheet the comment would be a row, and in a case file it has no effect."""
    diagnostic = Diagnostic(code, "a warning", Span(Source(file, "id\n"), 0, 2))
    assert bool(list(edits.list_further_fixes(diagnostic))) is is_offered


def test_quick_fix_adds_a_case_for_a_card(folder: Path) -> None:
    assert not check_folder(folder).diagnostics
    source = edits.find_sources(Project(folder), {})[folder / "ruleset.yaml"]
    line = RULES[: RULES.index("frog:")].count("\n") + 1
    case = edits.draft_case(source, line)
    assert case is not None
    title, file, text = case
    assert (title, file) == ("Add a case for `frog`", folder / "cases" / "frog.yaml")
    file.write_text(text)
    errors = check_project(Project(folder), {}).diagnostics.get(file, [])
    assert [error.code.id for error in errors if error.code.id < "E08"] == []
    assert edits.draft_case(source, line) is None
    assert edits.draft_case(source, 1) is None
    file.rename(file.with_name("others.yaml"))
    assert edits.draft_case(source, line) is None


def test_a_case_of_any_card_of_a_pattern_reaches_it(tmp_path: Path) -> None:
    text = """
game: {id: hands, name: Hands, version: "1", language: 2, players: 2}
components: {Card: {fields: {worth: Int}}}
cards: {"card_{n}": {for: "n in 1..3", kind: Card, fields: {worth: n}}}
zones: {deck: {holds: Card, start: all Card}}
variables: {points: {type: Int, per: [Player], start: 0}}
scoring: {rank: [points]}
phases:
  - id: play
    do: |
      by players.first:
        choose c in deck: set points to c.worth
"""
    cases = "cases: [{id: a, steps: [{do: card_1}]}, {id: b, steps: [{do: card_2}]}]"
    folder = tmp_path / "hands"
    (folder / "cases").mkdir(parents=True)
    project, buffers = Project(folder), {folder / "ruleset.yaml": text, folder / "cases" / "a.yaml": cases}
    for path, content in buffers.items():
        path.write_text(content)
    program = check_rules(project, buffers).program
    assert program is not None
    counts = count_reaching_cases(program, project, buffers, lambda: False)
    assert counts[str(folder / "ruleset.yaml")][text.index('"card_{n}"')] == 2
