"""Coverage and mutation tests of rulesets: what counts as covered, what can be changed, and what is shown of it.

The chunks of ``testing/*.yaml`` are rulesets with their cases. A remark behind a line says what is found there: `#-`
what is not covered, `#=` what can be changed, with `!` where no case notices it and `?` where none comes.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest
from programs import build_program, load_bundled, read_rules

from lusory.cli import main
from lusory.game import Game
from lusory.testing.cases.suite_runner import load_cases
from lusory.testing.coverage import CardUses, Coverage, CoverageRecorder, measure_coverage
from lusory.testing.coverage_items import KINDS as COVERED, list_items
from lusory.testing.mutation import (
    KILLED,
    KINDS as CHANGED,
    SURVIVED,
    UNTOUCHED,
    Mutant,
    MutantResult,
    MutationTest,
    list_mutants,
)
from lusory_dsl.pipeline import check_text, load_program
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import read_package_text
from lusory_dsl.source.source import Source

TREE = Path(__file__).parents[1] / "testing"


@dataclass(frozen=True)
class Chunk:
    ruleset: str
    cases: str

    def measure(self, folder: Path) -> Coverage:
        (folder / "ruleset.yaml").write_text(self.ruleset, encoding="utf-8")
        program = load_program(folder)
        coverage = measure_coverage(program, load_cases(program, [Source("cases.yaml", self.cases)]))
        assert [failure.diagnostic.message for result in coverage.results for failure in result.failures] == []
        return coverage


def list_chunks(name: str) -> list[Chunk]:
    texts = (TREE / f"{name}.yaml").read_text(encoding="utf-8").split("\n---\n")
    pairs = (text.split("\ncases:\n") for text in texts)
    return [Chunk(f"{ruleset}\n", f"cases:\n{cases}\n") for ruleset, cases in pairs]


def list_remarks(text: str, mark: str) -> list[tuple[int, str]]:
    """Return the remarks with their lines."""
    return [
        (number, remark.strip())
        for number, line in enumerate(text.splitlines(), 1)
        for remark in re.findall(rf"#{mark}(.*?)(?=\s*#[-=]|$)", line)
    ]


@pytest.mark.parametrize("chunk", list_chunks("coverage"), ids=lambda c: c.ruleset.split("id: ")[1].split(",")[0])
def test_uncovered_parts_are_listed(chunk: Chunk, tmp_path: Path) -> None:
    missing = chunk.measure(tmp_path).list_uncovered()
    gaps = [(item.span.line, item.gap) for item in missing]

    assert sorted(gaps) == sorted(list_remarks(chunk.ruleset, "-"))


def test_only_selected_parts_are_measured(tmp_path: Path) -> None:
    """Callers of a selected part are not measured."""
    chunk = list_chunks("coverage")[2]
    program = chunk.measure(tmp_path).program
    inner = 1 + next(i for i, line in enumerate(chunk.ruleset.splitlines()) if "choose z in" in line)
    coverage = measure_coverage(program, [], lambda span: span.line == inner)

    assert {item.span.line for item in coverage.list_uncovered()} == {inner}
    assert coverage.percent == 0


def test_mutants_are_listed_and_judged(tmp_path: Path) -> None:
    (chunk,) = list_chunks("mutation")
    coverage = chunk.measure(tmp_path)
    cases = load_cases(coverage.program, [Source("cases.yaml", chunk.cases)])
    work = MutationTest(coverage, cases)
    marks = {KILLED: "", SURVIVED: "!", UNTOUCHED: "?"}
    pairs = ((verdict.mutant, marks[verdict.outcome]) for verdict in work.run_mutants(work.choose()))
    verdicts = [(mutant.span.line, f"{mark} {mutant.change}".strip()) for mutant, mark in pairs]

    assert sorted(verdicts) == sorted(list_remarks(chunk.ruleset, "="))


def test_mutants_leave_the_rules_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts don't depend on earlier mutants: they are the same in any order, and in a part of them."""
    (chunk,) = list_chunks("mutation")
    coverage = chunk.measure(tmp_path)
    work = MutationTest(coverage, load_cases(coverage.program, [Source("cases.yaml", chunk.cases)]))
    outcomes = {verdict.mutant: verdict.outcome for verdict in work.run_mutants(work.choose())}
    sample = work.choose(limit=20, seed=3)

    assert list(work.run_mutants(sample, jobs=2)) == list(work.run_mutants(sample))
    # as in a process without a fork
    monkeypatch.setattr(work, "_run_task", pickle.loads(pickle.dumps(work._run_task)))
    assert work.choose(limit=20, seed=3) == sample != work.choose(limit=20, seed=4)
    for mutants in (sample, sample[::-1]):
        verdicts = list(work.run_mutants(mutants))
        assert [verdict.mutant for verdict in verdicts] == mutants
        assert [verdict.outcome for verdict in verdicts] == [outcomes[mutant] for mutant in mutants]


def test_endless_mutant_is_stopped(tmp_path: Path) -> None:
    """Without its only change the loop would run to its bound, far longer than the game may."""
    ruleset = (
        'game: {id: away, name: Away, version: "1", language: 2, players: 2}\n'
        "variables: {n: {type: Int, start: 0}}\n"
        'phases: [{id: work, do: "repeat while n < 9, at most 900000 times: increase n by 1"}]\n'
        'scoring: {rank: ["n"]}\n'
    )
    cases = "cases: [{id: a, title: Nine, clauses: [x], steps: [{decision: none}]}]\n"
    coverage = Chunk(ruleset, cases).measure(tmp_path)
    work = MutationTest(coverage, load_cases(coverage.program, [Source("cases.yaml", cases)]))
    verdicts = {verdict.mutant.change: verdict.outcome for verdict in work.run_mutants(work.choose())}

    assert verdicts["`increase n by 1` is left out"] == KILLED
    assert verdicts["`9` becomes `10`"] == SURVIVED


def test_only_evaluator_takes_an_observer(tmp_path: Path) -> None:
    (chunk,) = list_chunks("mutation")
    program = chunk.measure(tmp_path).program
    with pytest.raises(ValueError, match="only the evaluator"):
        Game(program, engine="compiled", observer=CoverageRecorder(CardUses(program)))


BAND = read_rules("band")


def test_card_selects_all_its_mutants() -> None:
    mutants = list_mutants(build_program(BAND))
    for card, numbers in (("drum", {"3", "41", "42", "43", "44"}), ("horn", {"4", "51"})):
        for place in (card, f"card {card}"):
            changes = [mutant.change for mutant in mutants if mutant.is_at(place) and mutant.kind == "number"]
            assert {change.split("`")[1] for change in changes} == numbers


# ---------------------------------------------------------------- from the command line


PAGE = Path(__file__).resolve().parents[2] / "docs" / "design" / "coverage.md"

PEBBLES = read_rules("heap")

TAKING = read_rules("taking_cases")


@pytest.fixture
def pebbles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with a small game that has one case."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "pebbles" / "cases").mkdir(parents=True)
    (tmp_path / "pebbles" / "ruleset.yaml").write_text(PEBBLES, encoding="utf-8")
    (tmp_path / "pebbles" / "cases" / "taking.yaml").write_text(TAKING, encoding="utf-8")
    return tmp_path / "pebbles"


def test_page_of_the_docs_names_every_kind() -> None:
    page = PAGE.read_text(encoding="utf-8")
    kinds = {word for row in re.findall(r"^\| ([a-z, ]+) \|", page, re.MULTILINE) for word in row.split(", ")}

    assert {*COVERED} <= kinds
    assert {*CHANGED} <= set(re.findall(r"\*([a-z]+)\*", page))


def test_failing_cases_stop_the_mutation_test(pebbles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = pebbles / "cases" / "taking.yaml"
    cases.write_text(cases.read_text(encoding="utf-8").replace("heap = 9", "heap = 8"), encoding="utf-8")

    assert main(["test", "pebbles", "--coverage"]) == 1
    output = capsys.readouterr().out
    assert "FAILED taking" in output
    assert "1 case, 1 failed" in output
    assert main(["test", "pebbles", "--mutate"]) == 2
    assert "needs cases that all pass" in capsys.readouterr().err


def test_json_report(pebbles: Path) -> None:
    coverage_file, mutation_file = pebbles / "coverage.json", pebbles / "mutants.json"
    assert main(["test", "pebbles", "--coverage-json", str(coverage_file), "--mutate-json", str(mutation_file)]) == 0
    (coverage,) = json.loads(coverage_file.read_text(encoding="utf-8"))["rulesets"]
    (mutation,) = json.loads(mutation_file.read_text(encoding="utf-8"))["rulesets"]

    assert (coverage["id"], coverage["cases"], coverage["percent"]) == ("pebbles", 1, 62.5)
    assert coverage["kinds"]["conditions"] == {"covered": 2, "total": 6}
    missing = [(item["kind"], item["file"], item["line"]) for item in coverage["items"] if not item["covered"]]
    assert ("options", "pebbles/ruleset.yaml", 4) in missing
    assert len(coverage["items"]) == 16
    assert len(mutation["changes"]) == mutation["killed"] + mutation["survived"] + mutation["untouched"] == 23
    outcomes = {change["outcome"]: change["case"] for change in mutation["changes"]}
    assert outcomes == {"killed": "taking", "survived": None, "untouched": None}


def test_html_report(pebbles: Path) -> None:
    """The page has everything, loads nothing, and escapes the texts of the ruleset."""
    ruleset = pebbles / "ruleset.yaml"
    text = ruleset.read_text(encoding="utf-8").replace("name: Pebbles", 'name: "Pebbles <script>&"')
    ruleset.write_text(text.replace("heap = 0:", "heap < 1:"), encoding="utf-8")
    file = pebbles / "coverage.html"
    assert main(["test", "pebbles", "--coverage-html", str(file)]) == 0
    page = file.read_text(encoding="utf-8")

    assert "<h1>Pebbles &lt;script&gt;&amp;</h1>" in page
    assert not re.search(r"<script|<link|src=|url\(|https?:", page)
    assert '<tr id="r0f0-19" class="covered"><td>19</td>' in page
    assert "if heap &lt; 1: end game" in page
    assert '<div class="why">`heap &lt; 1` is never true</div>' in page
    assert '<li><a href="#r0f0-15">pebbles/ruleset.yaml:15</a> `heap &gt; 0` is never false</li>' in page
    starts = re.findall(r"<(\w+)", page.partition("<body>")[2])
    ends = re.findall(r"</(\w+)", page.partition("<body>")[2])
    assert sorted(starts) == sorted(word for word in ends if word not in ("body", "html"))


def test_html_report_needs_no_colours(pebbles: Path) -> None:
    file = pebbles / "coverage.html"
    assert main(["test", "pebbles", "--coverage-html", str(file)]) == 0
    page = file.read_text(encoding="utf-8")

    assert set(re.findall(r'class="(\w+)"><td>\d+</td><td>(.)</td>', page)) == {
        ("covered", "✓"),
        ("partly", "~"),
        ("missed", "✗"),
    }
    assert len(re.findall("<details open", page)) == 1
    assert "body, .source td { overflow-wrap: anywhere; }" in page
    assert "details::details-content { content-visibility: visible;" in page.partition("@media print")[2]
    assert "break-after: avoid" in page.partition("@media print")[2]


def test_notes_and_line_numbers_have_enough_contrast() -> None:
    def calculate_luminance(colour: str) -> float:
        digits = "".join(2 * digit for digit in colour) if len(colour) == 3 else colour
        parts = [int(digits[start : start + 2], 16) / 255 for start in (0, 2, 4)]
        red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    grounds = ("ffffff", "121212")  # backgrounds of browsers in light and dark mode
    for ground, style in zip(
        grounds, read_package_text("lusory.reports", "coverage.css").split("prefers-color-scheme", 1), strict=True
    ):
        colours = dict(re.findall(r"--(\w+): #(\w+)", style))
        for back in (ground, colours["ok"], colours["part"], colours["bad"]):
            low, high = sorted((calculate_luminance(back), calculate_luminance(colours["dim"])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (back, colours["dim"])


def test_ctrl_c_shows_results_so_far(
    pebbles: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_mutants = MutationTest.run_mutants

    def interrupt(self: MutationTest, mutants: list[Mutant], jobs: int) -> Iterator[MutantResult]:
        yield from islice(run_mutants(self, mutants), 5)
        raise KeyboardInterrupt

    monkeypatch.setattr(MutationTest, "run_mutants", interrupt)
    file = pebbles / "mutants.json"

    assert main(["test", "pebbles", "--mutate-json", str(file)]) == 130
    assert "Pebbles: 5 changes of 23, then interrupted" in capsys.readouterr().out
    assert len(json.loads(file.read_text(encoding="utf-8"))["rulesets"][0]["changes"]) == 5


def test_with_a_pack_only_the_pack_is_measured(pebbles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the cases of the pack count, because those of the game don't know it."""
    (pebbles.parent / "many" / "cases").mkdir(parents=True)
    (pebbles.parent / "many" / "pack.yaml").write_text(read_rules("many_pack"), encoding="utf-8")
    cases = "cases: [{id: a, title: Many, clauses: [x], steps: [{expect: heap = 20}]}]\n"
    (pebbles.parent / "many" / "cases" / "many.yaml").write_text(cases, encoding="utf-8")

    assert main(["test", "pebbles", "--with", "many", "--coverage", "--mutate"]) == 0
    output = capsys.readouterr().out
    assert "many/pack.yaml:3:11 `many: false` is never played" in output
    assert "untouched: `12` becomes `13`" in output
    assert "pebbles/ruleset.yaml" not in output


def test_card_with_only_a_rule_is_covered_when_it_fires(tmp_path: Path) -> None:
    """Negating the condition of the rule keeps the copies that it belongs to."""
    (tmp_path / "ruleset.yaml").write_text(read_rules("smiths"), encoding="utf-8")
    program = load_program(tmp_path)
    cases = load_cases(program, [Source("cases.yaml", "cases: [{id: a, title: A, steps: [{expect: n = 1}]}]\n")])
    coverage = measure_coverage(program, cases)
    assert [item.name for item in coverage.list_uncovered() if item.kind == "cards"] == ["idler"]

    work = MutationTest(coverage, cases)
    negations = [mutant for mutant in work.choose() if str(mutant.owner) == "rule smith" and mutant.kind == "condition"]
    assert [verdict.mutant.change for verdict in work.run_mutants(negations)] == ["`me is this.holder` is negated"]
    assert [verdict.outcome for verdict in work.run_mutants(negations)] == [KILLED]


def test_bundled_game_is_covered() -> None:
    program = load_bundled("empire-engine")
    coverage = measure_coverage(program, load_cases(program))

    assert [item.gap for item in coverage.list_uncovered()] == []


def test_keyword_and_ability_conditions_can_be_mutated() -> None:
    """Both read generated queries. A condition that the checker itself adds at a keyword is no mutant."""
    file = Path(__file__).parents[1] / "conformance" / "keyword_deeds.yaml"
    program = check_text(file.read_text(encoding="utf-8").split("\ncases:\n")[0], Diagnostics())
    assert program is not None
    conditions = {item.name for item in list_items(program) if item.kind == "conditions"}

    assert "`u can crime`" in conditions
    assert not {f"`{keyword.partition('.')[2].removeprefix('has ')}`" for keyword in program.keywords} & conditions
