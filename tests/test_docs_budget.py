"""Check that every page stays within its budget of words. ``docs_budget.csv`` lists the budgets.

A row for a folder ends in ``/`` and limits the sum of its pages. A row without a number sets no limit. The test
counts words like ``wc -w``, including code and tables.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from programs import ROOT

PARTS = ("play", "design", "reference", "develop")


def read_budgets() -> dict[str, int | None]:
    """Return the budget of words for each page or folder, or None if it has no limit."""
    with Path(__file__).with_name("docs_budget.csv").open(encoding="utf-8", newline="") as file:
        return {row["page"]: int(row["words"]) if row["words"] else None for row in csv.DictReader(file)}


BUDGETS = read_budgets()


def list_pages(row: str) -> list[Path]:
    return sorted((ROOT / row).glob("*.md")) if row.endswith("/") else [ROOT / row]


@pytest.mark.parametrize("row", BUDGETS)
def test_a_page_stays_within_its_budget(row: str) -> None:
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in list_pages(row) if page.is_file())
    budget = BUDGETS[row]
    assert budget is None or words <= budget, f"{row}: {words} words"


def test_every_page_has_a_budget() -> None:
    pages = {page for part in PARTS for page in (ROOT / "docs" / part).rglob("*.md")}
    assert pages <= {page for row in BUDGETS for page in list_pages(row)}


def test_a_decision_has_at_most_500_words() -> None:
    decisions = sorted((ROOT / "docs" / "develop" / "decisions").glob("[0-9]*.md"))
    assert len(decisions) <= 14
    assert not [decision.name for decision in decisions if len(decision.read_text(encoding="utf-8").split()) > 500]


LONG_DIAGNOSTICS = {"W0710.md", "W0720.md"}
"""Pages with a long diagnostic and two complete small games as examples. They may have 170 words."""


def test_a_page_of_a_diagnostic_has_at_most_150_words() -> None:
    pages = list((ROOT / "docs" / "reference" / "diagnostics").glob("[EW]*.md"))
    words = {page.name: len(page.read_text(encoding="utf-8").split()) for page in pages}
    assert not [name for name, number in words.items() if number > (170 if name in LONG_DIAGNOSTICS else 150)]
