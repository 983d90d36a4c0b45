"""Test the limits of reading and checking a ruleset, and their diagnostics: code, location and hint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lusory import cli
from lusory.explain.rulebook import explain_ruleset
from lusory_dsl.pipeline import check_text
from lusory_dsl.ruleset import yaml_repairs
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load, load_text
from lusory_dsl.source.diagnostic_codes import UNKNOWN_KEY, UNUSED_LOCAL
from lusory_dsl.source.diagnostics import MAX_FINDINGS, Diagnostic, Diagnostics
from lusory_dsl.source.source import Source, Span

GAME = 'game: {id: g, name: G, version: "1", language: 2, players: 2}\n'
REST = "scoring: {rank: [0]}\n"


def check_ruleset(text: str) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    check_text(text, diagnostics, "rules.yaml")
    return diagnostics.list_sorted()


def list_errors(text: str) -> list[str]:
    return [error.code.id for error in check_ruleset(text) if error.severity == "error"]


# ---------------------------------------------------------------- many mistakes

MANY = 3 * MAX_FINDINGS
TOO_MANY = {
    "unknown keys": (REST + "".join(f"key{i}: 1\n" for i in range(MANY)), "E0201", " … and 1,000 more"),
    "unknown keys further in": (
        "variables:\n" + "".join(f"  v{i}: {{type: Int, start: 0, tpye: 1}}\n" for i in range(MANY)),
        "E0201",
        " … and 1,000 more",
    ),
    "missing keys": (
        "variables:\n" + "".join(f"  v{i}: {{start: 0}}\n" for i in range(MANY)),
        "E0202",
        " … and 1,000 more",
    ),
    "unknown names": (REST + "setup: |\n" + "".join(f"  set v{i} to 1\n" for i in range(MANY)), "E0401", " … and more"),
    "texts": (
        REST + "invariants:\n" + "".join(f"  - {{id: i{i}, always: 1 +}}\n" for i in range(MANY)),
        "E0316",
        " … and more",
    ),
}


@pytest.mark.parametrize("name", TOO_MANY)
def test_some_of_many_mistakes_are_reported_and_the_others_counted(name: str) -> None:
    text, code, ending = TOO_MANY[name]
    errors = check_ruleset(GAME + text)

    assert {error.code.id for error in errors} == {code}
    assert len(errors) == MAX_FINDINGS
    assert errors[-1].message.endswith(ending)
    assert not any(" more" in error.message for error in errors[:-1])


@pytest.mark.parametrize(
    "text",
    [
        f"setup: |\n  {'a' * 100_001}\n",  # no layout is wrong
        "setup: [\n" + "# a remark\n" * 30_000,
    ],
)
def test_no_fix_is_searched_in_a_large_file(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    candidates: list[object] = []
    monkeypatch.setattr(yaml_repairs, "_is_valid", candidates.append)

    assert list_errors(GAME + REST + text)
    assert candidates == []


@pytest.mark.parametrize(
    "text", ["foo:\n" + "".join(f"  k{n}: {{a: {n}}}\n" for n in range(80)) + "  bad: [1, 2\n", "- a\n" * 80 + "b: [\n"]
)
def test_long_text_outside_every_section_is_reported(text: str) -> None:
    diagnostics = Diagnostics()

    assert load_text(text, diagnostics, "some.yaml") is None
    assert diagnostics.has_errors


def test_many_blank_lines_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates: list[object] = []
    monkeypatch.setattr(yaml_repairs, "_is_valid", candidates.append)

    assert list_errors(GAME + REST + "setup: [\n" + "\n" * 20_000)
    assert candidates == []


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
def test_every_output_format_counts_the_rest(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(GAME + TOO_MANY["unknown keys"][0], encoding="utf-8")

    assert cli.main(["check", "--format", form, str(rules)]) == 1
    output = capsys.readouterr().out.replace(json.dumps("…")[1:-1], "…")
    # JUnit repeats the message in an attribute and in the text.
    assert output.count("… and 1,000 more") in (1, 2)
    assert output.count("unknown key") <= 2 * MAX_FINDINGS


def test_extending_diagnostics_adds_their_counts() -> None:
    source = Source("rules.yaml", "x" * 2000)
    first, second = Diagnostics(), Diagnostics()
    for place in range(MAX_FINDINGS + 7):
        first.add(UNKNOWN_KEY, f"key {place}", Span(source, place, place + 1))
        first.add(UNUSED_LOCAL, f"local {place}", Span(source, place, place + 1))
    second.add(UNKNOWN_KEY, "one more", Span(source, 1999, 2000))
    second.extend(first.list_sorted())

    assert (first.is_full, len(first), len(second)) == (True, 2 * MAX_FINDINGS, 2 * MAX_FINDINGS)
    summaries = [error for error in second.list_sorted() if error.omitted_count]
    assert [(error.severity, error.omitted_count) for error in summaries] == [("warning", 7), ("error", 8)]
    assert all(error.message.count("more") == 1 + (error.message[:8] == "one more") for error in summaries)


def test_warnings_never_stop_a_check() -> None:
    text = REST + "setup: |\n" + "".join(f"  let v{i} = 1\n" for i in range(MANY))
    diagnostics = Diagnostics()

    assert check_text(GAME + text, diagnostics) is not None
    assert diagnostics.list_sorted()[-1].message.endswith(" … and 1,000 more")


# ---------------------------------------------------------------- much in few words


def create_effect_text(size: int, indent: int = 2) -> str:
    """Return a block of ``size`` characters."""
    first, last = 'announce "a"\n', 'announce "b"\n'
    return "|\n" + " " * indent + first + "\n" * (size - len(first + last)) + " " * indent + last


def create_long_ruleset(size: int) -> str:
    """Return effects, an action and a rule with ``size`` characters in total. No single text is too long."""
    length = (size - 26) // 11
    effects = "".join(f"  e{i}:\n    do: {create_effect_text(length, 6)}" for i in range(11))
    return f"effects:\n{effects}setup: {create_effect_text(size - 11 * length)}"


def chain_actions(links: int, is_twice: bool = True) -> str:
    """Return a chain of actions. Each offers the next one, once or twice."""
    text = "variables: {v: {type: Int, start: 0}}\nactions:\n"
    for i in range(links):
        text += f"  a{i}:\n    do: |\n" + f"      take action a{i + 1}, other\n" * (1 + is_twice)
    text += f"  a{links}: {{do: set v to 1}}\n  other: {{do: set v to 2}}\n"
    return text + "setup: |\n  by players.first:\n    take action a0, other\n"


def chain_card_actions(links: int) -> str:
    """Return a chain of actions of cards. Each offers the next one twice."""
    text = "variables: {v: {type: Int, start: 0}}\ncomponents:\n  Imp:\n    actions:\n"
    text += "".join(f"      a{i}: {{}}\n" for i in range(links + 1)) + "cards:\n  imp:\n    kind: Imp\n    actions:\n"
    for i in range(links):
        text += f"      a{i}: |\n" + f"        use a{i + 1} of this\n" * 2
    text += f"      a{links}: set v to 1\nzones: {{lair: {{holds: Imp, start: all Imp}}}}\n"
    return text + "setup: |\n  by players.first:\n    take action a0 of lair\n"


LARGE = {
    "a range": ("variables: {cells: {per: [1..100001], type: Int, start: 0}}\n", "E0616"),
    "a range of any size": ("variables: {cells: {per: [1..999999999999], type: Int, start: 0}}\n", "E0616"),
    "digits": (f"variables: {{cells: {{per: [1..{'9' * 5000}], type: Int, start: 0}}}}\n", "E0405"),
    "a product": ("variables: {cells: {per: [Player, 1..999, 1..999], type: Int, start: 0}}\n", "E0616"),
    "the kinds of a pool": (
        "resources: {a: {}, b: {}, c: {}}\nzones: {bank: {per: [1..99999], holds: Resource}}\n",
        "E0616",
    ),
    "many places": (
        "variables:\n" + "".join(f"  v{i}: {{per: [1..50000], type: Int, start: 0}}\n" for i in range(5)),
        "E0616",
    ),
    "copies": (
        "components: {Card: {}}\ncards:\n" + "".join(f"  c{i}: {{kind: Card, copies: 1000}}\n" for i in range(21)),
        "E0616",
    ),
    "a list of data": (
        "components: {Card: {fields: {heap: 'List[Int]'}}}\ncards: {ace: {kind: Card, fields: {heap: {"
        + ", ".join(f"{i}: 1000" for i in range(101))
        + "}}}}\n",
        "E0616",
    ),
    "actions that offer actions": (chain_actions(30), "E0616"),
    "actions of cards that offer actions": (chain_card_actions(30), "E0616"),
    "actions that offer one": (chain_actions(30, is_twice=False), None),
    "a table": ("tables: {t: {per: [1..999999999], type: Int, values: {1: 2}}}\n", "E0616"),
    "lists of lists": (f"variables: {{v: {{type: '{'List[' * 3000}Int{']' * 3000}', start: 0}}}}\n", "E0314"),
    "a block of statements": (f"setup: {create_effect_text(50_000)}", None),
    "a longer block of statements": (f"setup: {create_effect_text(50_001)}", "E0111"),
    "a condition": (f"invariants: [{{id: i, always: {'1 = 1 and ' * 4_999}1 = 1 }}]\n", "E0314"),
    "a longer condition": (f"invariants: [{{id: i, always: {'1 = 1 and ' * 5_000}1 = 1 }}]\n", "E0111"),
    "a rule": (f"rules: {{r: {{rule: 'when f(){' ' * 50_000}: stop'}}}}\n", "E0111"),
    "a text in the rules of 4 MB": (f"setup: {create_effect_text(3_900_000)}", "E0111"),
    "texts together": (create_long_ruleset(500_000 - 1), None),
    "more texts together": (create_long_ruleset(500_000), "E0111"),
    "a number in the data": ("variables: {v: {type: Int, start: 1234567890123456789}}\n", "E0111"),
    "a number in a text": ('setup: announce "{1234567890123456789}"\n', "E0320"),
    "a text": (f'setup: announce "{"x" * 10001}"\n', "E0111"),
    "a text with holes": (f'setup: announce "{"{1}" * 3000}"\n', None),
    "a text in the data": (
        "components: {Card: {fields: {t: Text}}}\n"
        f"cards: {{ace: {{kind: Card, fields: {{t: {'x' * 10001}}}}}}}\n",
        "E0111",
    ),
    "maybe a maybe": (f"variables: {{v: {{type: 'Int{'?' * 30000}', start: none}}}}\n", None),
    "brackets": (f'setup: announce "{{{"(" * 20000}1{")" * 20000}}}"\n', None),
    "signs": (f'setup: announce "{{{"-" * 30000}1}}"\n', "E0314"),
    "sums": (f'setup: announce "{{1{" + 1" * 3000}}}"\n', "E0314"),
    "places of a board": ("boards: {B: {grid: 40 x 40, only: column in 1..50000 or true}}\n", "E0621"),
    "blocks": (
        "setup: |\n"
        + "".join(f"{' ' * (i + 2)}if players is empty:\n" for i in range(200))
        + f"{' ' * 210}shuffle deck\n",
        "E0314",
    ),
    "values": (f"tables: {{t: {{type: Int, values: [{'1, ' * 100_000}]}}}}\n", "E0111"),
    "a description": (f"setup: {{do: shuffle deck, doc: {'x' * 100_001}}}\n", "E0111"),
    "nested data": (f"tables: {{t: {{type: Int, values: {'[' * 3000}1{']' * 3000}}}}}\n", "E0111"),
}


@pytest.mark.parametrize("folder", ["ruleset", "pack"])
def test_files_have_a_common_limit(folder: str, tmp_path: Path) -> None:
    """Files beyond the limit are not even parsed."""
    rules, pack = tmp_path / "ruleset", tmp_path / "pack"
    for place in (rules, pack):
        place.mkdir()
    (rules / "ruleset.yaml").write_text(GAME + REST, encoding="utf-8")
    for number in range(3):
        text = f"tables: {{t{number}: {{type: Int, values: [{', '.join(['1'] * 60_000)}]}}}}\n"
        (tmp_path / folder / f"t{number}.yaml").write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()

    assert load(rules, diagnostics, [pack] if folder == "pack" else []) is None
    errors = diagnostics.list_sorted()
    assert [(error.code.id, Path(error.span.source.name).name) for error in errors] == [("E0111", "t1.yaml")]
    assert errors[0].message == "up to here, the files of the ruleset have more than 100,000 values"


def test_sheet_with_too_many_cells_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "ruleset.yaml").write_text(GAME + REST, encoding="utf-8")
    (tmp_path / "cards" / "cards.csv").write_text(",".join(["a"] * 100) + ("\n" + "," * 99) * 1000, encoding="utf-8")
    diagnostics = Diagnostics()

    assert load(tmp_path, diagnostics) is None
    (error,) = [report for report in diagnostics.list_sorted() if report.code.id == "E0111"]
    assert (error.span.line, error.message) == (1001, "row 1001, column `a`: this sheet has more than 100,000 cells")


def test_type_with_many_question_marks_is_reported() -> None:
    ruleset = load_text(f"{GAME}{REST}variables: {{v: {{type: 'Int{'?' * 30000}', start: 0}}}}\n", Diagnostics())

    assert ruleset is not None and "a number or nothing" in explain_ruleset(ruleset)


@pytest.mark.parametrize("name", LARGE)
def test_large_data_is_refused_before_it_is_built(name: str) -> None:
    text, code = LARGE[name]
    codes = list_errors(GAME + REST + text)

    assert codes == ([] if code is None else [code])


def test_long_text_is_reported_with_place_and_hint() -> None:
    (text_error,) = check_ruleset(f"{GAME}{REST}setup: {create_effect_text(50_001)}")
    errors = check_ruleset(GAME + REST + create_long_ruleset(500_001))
    (total_error,) = [error for error in errors if error.severity == "error"]

    message = "this text has 50,001 characters; at most 50,000 are allowed"
    assert (text_error.span.line, text_error.message) == (4, message)
    assert text_error.hint == "move parts of it to queries and effects"
    assert total_error.message == "up to here, the texts of the rules have more than 500,000 characters"
    assert str(total_error.hint).startswith("move what they repeat")


@pytest.mark.parametrize(("size", "mistakes"), [(500, 9), (6_000, 4), (19_000, 2), (49_000, 1)])
def test_long_texts_report_fewer_mistakes(size: int, mistakes: int) -> None:
    """The checker parses the text again for each further mistake, so the limit shrinks with the length of the text."""
    text = create_effect_text(size - 9 * len("set v to nott true\n")) + "  set v to nott true\n" * 9
    errors = check_ruleset(f"{GAME}{REST}setup: {text}")

    assert len(errors) == mistakes
    assert ("did you mean `not`?" in {error.hint for error in errors}) is (size <= 5_000)


def test_nested_names_expand_to_a_limited_size() -> None:
    names = "; ".join(f"let a{n} = a{n - 1} + a{n - 1}" for n in range(1, 30))
    diagnostics = Diagnostics()
    text = GAME + f"queries: {{q: {{value: 'let a0 = 1; {names}; a29'}}}}\n"
    check_text(text + "scoring: {rank: [q]}\n", diagnostics)

    assert [error.code.id for error in diagnostics.list_sorted() if error.severity == "error"] == ["E0111"]
