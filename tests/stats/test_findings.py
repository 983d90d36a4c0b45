"""Test figures of many games: those of a small game are known, and are the same in every form.

``python tests/stats/test_findings.py`` writes them again."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from lusory.cli import main
from lusory.commands.handlers import simulate_and_compare
from lusory.game import Game
from lusory.reports import simulation_html
from lusory.stats.figures_estimates_and_significance_tests import (
    Estimate,
    adjust_p_values,
    estimate_share,
    summarize_histogram,
)
from lusory.stats.mergeable_counters import Histogram, calculate_wilson_interval
from lusory.stats.parallel_simulation import Simulation
from lusory.stats.simulation_report_builder import ReportBuilder, SimulationReport
from lusory_dsl.pipeline import load_program

STALLS = Path(__file__).parents[1] / "fixtures" / "stalls.yaml"
KNOWN = Path(__file__).with_suffix(".json")
SEATS = ("random", "random")


def build_report(file: Path = STALLS, seats: tuple[str, ...] = SEATS, games: int = 40) -> SimulationReport:
    game = Game(load_program(file), len(seats))
    observations = Simulation(game, seats, games, seed=1, has_details=True).run().observations
    assert observations is not None
    return ReportBuilder(game, seats, {}, 1, observations).build()


def format_findings(findings: SimulationReport) -> str:
    return json.dumps(findings.to_json(), indent=1, ensure_ascii=False) + "\n"


@pytest.fixture(scope="module")
def stalls() -> SimulationReport:
    return build_report()


def test_figures_are_unchanged(stalls: SimulationReport) -> None:
    assert format_findings(stalls) == KNOWN.read_text(encoding="utf-8")


def test_winning_cards_and_unseen_cards_are_named(stalls: SimulationReport) -> None:
    assert {(finding.what, finding.name, (finding.ahead or 0) > 0) for finding in stalls.strategies} >= {
        ("taken", "sell (pearl)", True),
        ("played", "rare", True),
        ("played", "stone", False),
    }
    assert not any("wait" in finding.name for finding in stalls.strategies)
    assert stalls.dead == ("ghost",)
    assert [finding.split(" ")[0] for finding in stalls.untaken] == ["cheat"]
    assert {finding.place.partition(":")[2] for finding in stalls.unfired if finding.kind == "effects"} == {"26"}


def test_solo_game_has_scores(tmp_path: Path) -> None:
    file = tmp_path / "alone.yaml"
    file.write_text(STALLS.read_text(encoding="utf-8").replace("players: 2", "players: 1"), encoding="utf-8")
    findings = build_report(file, ("random",))
    assert findings.for_one and findings.first is None and findings.lead is None
    assert max(findings.usage_results, key=lambda usage: usage.ahead or 0).name.endswith(("pearl", "(pearl)", "rare"))
    assert "mean result" in simulation_html.write_page(findings)


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href", "action")]
        assert not [name for name, _ in attrs if name.startswith("on")]


def test_page_loads_nothing_and_runs_nothing(stalls: SimulationReport) -> None:
    text = simulation_html.write_page(stalls)
    page = _PageReader()
    page.feed(text)
    assert not {"script", "iframe", "object", "link", "b", "img"} & set(page.tags)
    assert page.addresses and all(address.startswith("#") for address in page.addresses)
    assert "url(" not in text and "@import" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; pearl" in text
    assert "Stalls &lt;b&gt;&amp;&lt;/b&gt; {{ more }}" in text
    assert page.tags.count("svg") == page.tags.count("figure") - text.count('class=" bare"') - text.count("wide bare")


def test_page_begins_with_a_verdict(stalls: SimulationReport) -> None:
    text = simulation_html.write_page(stalls)
    assert text.index('class="verdict"') < text.index("<nav")
    certain = Estimate(0.9, 0.8, 0.95, 50)
    text = simulation_html.write_page(replace(stalls, first=certain))
    assert "not balanced: The player who begins wins 90.0% (80.0% – 95.0%), where 50% would be even." in text
    even = tuple(replace(seat, result=Estimate(0.5, 0.4, 0.6, 50)) for seat in stalls.seats)
    assert "The seats look balanced" in simulation_html.write_page(replace(stalls, first=None, seats=even))


def test_page_without_findings_says_so(stalls: SimulationReport) -> None:
    empty_report = replace(stalls, actions=(), answers=(), openings=(), keywords=(), cards=(), tested=27)
    text = simulation_html.write_page(
        replace(empty_report, actions=tuple(replace(action, clear=False) for action in stalls.actions))
    )
    assert "None of 27 stands out." in text and "stands out by chance" not in text


def test_plots_have_values_and_places_stay_on_one_line(stalls: SimulationReport) -> None:
    text = simulation_html.write_page(stalls)
    seat = stalls.seats[0]
    assert seat.result is not None
    assert f'aria-label="By seat: {seat.seat} {seat.kind} {seat.result.value:.1%}, ' in text
    assert not re.search('<div role="img" aria-label="[^":]*">', text)
    assert f'<td class="place">{stalls.unfired[0].place}</td>' in text
    assert "td.place:first-child { white-space: nowrap;" in text


def test_closed_parts_are_printed_and_headings_stay_with_their_text(stalls: SimulationReport) -> None:
    print_style = simulation_html.write_page(stalls).partition("@media print")[2]
    assert "details::details-content { content-visibility: visible;" in print_style
    assert re.search("h2, h3, figcaption[^{]*{ break-after: avoid", print_style)


@pytest.mark.parametrize(
    ("points", "form"), [((4.4, 4.2, 5.1), ".0f"), ((0.9, 0.3, 1.0), ".0%"), ((0.501, 0.498, 0.504), ".0%")]
)
def test_axis_ticks_differ_and_do_not_overlap(points: tuple[float, float, float], form: str) -> None:
    plot = simulation_html.plot_intervals(
        [simulation_html.Point("P1", *points)], "result", None, form, starts_at_zero=points[2] == 1
    )
    ticks = ET.fromstring(plot).iter("{http://www.w3.org/2000/svg}text")
    labels = [(tick.text or "", tick.attrib) for tick in ticks if re.match(r"[\d.]+%?$", tick.text or "")]
    assert len(labels) > 1 and len({text for text, _ in labels}) == len(labels)
    ends = []
    for text, attributes in labels:
        x, width = float(re.split(r"[(,]", attributes["transform"])[1]), 6.2 * len(text)
        start = x - {"start": 0, "middle": width / 2, "end": width}[attributes.get("text-anchor", "start")]
        if "opacity" not in attributes or float(attributes["opacity"]) > 0:
            ends.append((start, start + width))
    assert all(first[1] + 3 < second[0] for first, second in pairwise(ends)), ends


def test_points_with_the_same_label_stay_apart() -> None:
    points = [simulation_html.Point("a", 0.5)] * 3
    assert len(re.findall(">a *<", simulation_html.plot_intervals(points, "wins"))) == 3


def test_every_plot_has_its_figures_and_a_name(stalls: SimulationReport) -> None:
    text = simulation_html.write_page(stalls)
    assert text.count("<figure") == text.count("<table>") == text.count("<details")
    assert text.count('role="img" aria-label="') == text.count("<svg")


def test_page_is_deterministic(stalls: SimulationReport) -> None:
    assert simulation_html.write_page(stalls) == simulation_html.write_page(stalls)


@pytest.mark.slow
def test_command_prints_and_writes_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "out.html"
    command = ["simulate", str(STALLS), "--games", "12", "--seed", "1", "--skill", "2"]
    assert main([*command, "--report", str(page), "--seats", "flat:8,flat:8"]) == 0
    output = capsys.readouterr().out
    assert "What 12 games show" in output and "flat:2" in output
    assert re.search(r"the first player wins [\d.]+% \([\d.]+% to [\d.]+%\); even", output)
    assert "Strong against weak" in page.read_text(encoding="utf-8")
    assert main([*command[:-2], "--details", "--format", "json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert findings["games"] == 12 and findings["dead"] == ["ghost"]


def test_games_are_reported_if_the_page_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder may vanish during the simulation."""

    def fail_to_write(path: Path, content: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(simulate_and_compare, "write_atomically", fail_to_write)
    assert main(["simulate", str(STALLS), "--games", "4", "--report", str(tmp_path / "out.html")]) == 1
    output = capsys.readouterr()
    assert "What 4 games show" in output.out and "No space left on device" in output.err


def test_missing_libraries_are_reported_before_games_are_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.delitem(sys.modules, "lusory.reports.simulation_html", raising=False)
    monkeypatch.delattr("lusory.reports.simulation_html", raising=False)
    assert main(["simulate", str(STALLS), "--report", "out.html"]) == 2
    assert "run pip install 'lusory[report]'" in capsys.readouterr().err


def test_intervals_and_corrections_match_published_examples() -> None:
    share = estimate_share(
        81, 263
    )  # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), method 3
    assert share is not None and share.low is not None and share.high is not None
    assert (round(share.low, 4), round(share.high, 4)) == (0.2553, 0.3662)
    assert calculate_wilson_interval(81, 263) == (share.low, share.high)
    chances = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262]
    chances += [0.5719, 0.6528, 0.7590, 1.0]  # the example of Benjamini and Hochberg (1995): four are rejected
    assert sum(p_value < 0.05 for p_value in adjust_p_values(chances)) == 4


def test_bars_hold_all_counts() -> None:
    numbers = Histogram()
    for value in [*range(-30, 200, 7), 100_000]:
        numbers.count(value)
    distribution = summarize_histogram(numbers)
    assert distribution is not None and distribution.n == sum(times for _, times in distribution.bars) == numbers.sums.n
    assert len(distribution.bars) <= 25


if __name__ == "__main__":
    KNOWN.write_text(format_findings(build_report()), encoding="utf-8")
