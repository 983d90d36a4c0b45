"""The fixes of the first diagnostic give back the file from before a mistake, for so many mistakes at least."""

from __future__ import annotations

from collections import Counter
from operator import lt
from pathlib import Path

import pytest
from quick_fixes import texts_after, tried

from lusory.lsp.edits import list_own_fixes
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

RULES = (Path(__file__).parent / "fixtures" / "pond.yaml").read_text(encoding="utf-8")

GAMES = ("tic-tac-toe", "kuhn-poker", "oware")
NUMBER = 80
"""Mutants, and as many slips, of each game."""

FOUND, LINE = 469, 468
SHARE = 0.95
CURED = {
    "YAML: bracket lost": (11, 11),  # of 11
    "YAML: colon lost": (24, 24),  # of 24
    "YAML: comma lost": (7, 7),  # of 7
    "YAML: key lost": (9, 9),  # of 14
    "YAML: line further in": (36, 35),  # of 36
    "YAML: line further out": (30, 30),  # of 30
    "YAML: quotation mark lost": (1, 1),  # of 1
    "YAML: space behind a colon lost": (20, 20),  # of 20
    "YAML: value lost": (6, 5),  # of 15
    "argument of another type": (2, 2),  # of 2
    "argument too many": (3, 3),  # of 3
    "condition that is none": (1, 1),  # of 2
    "data of another type": (1, 0),  # of 1
    "effect text: bracket lost": (13, 12),  # of 13
    "effect text: colon lost": (6, 6),  # of 6
    "effect text: comma lost": (1, 1),  # of 1
    "effect text: dot lost": (4, 4),  # of 4
    "effect text: line further in": (1, 0),  # of 1
    "effect text: line further out": (4, 4),  # of 4
    "effect text: operator lost": (1, 1),  # of 1
    "effect text: quotation mark lost": (2, 2),  # of 2
    "effect text: word lost": (40, 39),  # of 40
    "index of another type": (1, 1),  # of 1
    "index too many": (2, 2),  # of 2
    "misspelt key of YAML": (66, 66),  # of 66
    "misspelt name elsewhere in YAML": (17, 17),  # of 17
    "misspelt name in effect text": (64, 64),  # of 64
    "misspelt name where it is declared": (14, 14),  # of 14
    "misspelt word of the language": (43, 43),  # of 43
    "undefined reference": (21, 20),  # of 21
    "value of another type": (2, 2),  # of 3
}
"""Kind of mistake -> the number that a fix cures, and the number that the first fix cures. A number may only rise.

The author alone knows what the other 16 mistakes took away: eight names and texts for people, six whole expressions and
blocks, and two expressions that a number or a text replaced.
"""


def test_fixes_give_back_the_file() -> None:
    rows: dict[str, Counter[str]] = {}
    for name in GAMES:
        for outcome in tried(name, NUMBER):
            rows.setdefault(outcome.mutant.kind, Counter()).update(outcome.count())
    whole = sum(rows.values(), Counter[str]())
    assert whole["found"] == FOUND
    assert whole["line"] >= LINE
    assert whole["first"] >= SHARE * whole["found"]
    cured = {kind: (row["cured"], row["first"]) for kind, row in rows.items() if row["found"]}
    lost = {kind: cured[kind] for kind, least in CURED.items() if any(map(lt, cured[kind], least))}
    assert lost == {}
    assert sorted(cured) == sorted(CURED)


@pytest.mark.parametrize(
    ("right", "wrong", "cure"),
    [
        ("zones:", "zonse:", ""),
        ("holds: Card, start", "hodls: Card, start", ""),
        ("holds: Card, start", "holds Card, start", ""),
        ("holds: Card, start", "holds:Card, start", ""),
        ("per: [Player], holds", "per: Player, holds", ""),
        ("wealth: {per: Player, value", "wealth: {per: [Player], value", ""),
        ("wealth: {per: Player, value", "wealth: {value", ""),
        ("phases:\n  - id: fish", "phases:\n    id: fish", ""),
        ("    do: |\n      each", "    do:\n      each", ""),
        ("    do: |\n      each", "    |\n      each", ""),
        ("          choose catch", "\t  choose catch", ""),
        ("increase coins by gain", "coins += gain", ""),
        ("let gain = 1 + 1", "gain = 1 + 1", ""),
        ("each player:", "each player", ""),
        ("each player:", "for p in players:", "for each p in players:"),
        ("if pond is not empty", "if pond == empty", "if pond = empty"),
        ("choose catch in pond", "choose catch from pond", ""),
        ("in pond, prompt", "in pond prompt", ""),
        ('"Which, {me}?"', '"Which, {me}?', ""),
        ('"Which, {me}?"', "Which one", '"Which one"'),
        ("for c in hand)}", "for c in hand}", ""),
        ("c.worth for", "cworth for", ""),
        ("move catch to hand\n", "move catch to hand()\n", ""),
        ("move catch to hand", "pond.shuffle()", "shuffle pond"),
        ("increase coins by gain", "set coins to roll 1..6", "roll n in 1..6: set coins to n"),
        ("holds: Card, start", "holds: Card, visible: hidden, start", "holds: Card, visible: nobody, start"),
        ("  rank: [wealth]", "  rank: sum(c for c in [1])", '  rank: ["sum(c for c in [1])"]'),
        ("pay(1)", "pay(1, 2)", ""),
        ("  coins: {", "  cions: {", ""),
    ],
)
def test_a_typical_mistake_is_told_once_with_its_cure(right: str, wrong: str, cure: str) -> None:
    """``cure`` is the text after the fix, if it is not the one before the mistake."""
    assert RULES.count(right) == 1
    diagnostics = Diagnostics()
    check_text(RULES.replace(right, wrong), diagnostics, "pond.yaml")
    [diagnostic] = [d for d in diagnostics.sorted() if d.severity == "error"]
    assert diagnostic.span.line == RULES[: RULES.index(right)].count("\n") + 1
    assert texts_after(list_own_fixes(diagnostic)[0]) == {"pond.yaml": RULES.replace(right, cure or right)}
