"""The fixes of the first diagnostic give back the file from before a mistake, for so many mistakes at least."""

from __future__ import annotations

import re
from collections import Counter
from operator import lt
from pathlib import Path

import pytest
from quick_fixes import texts_after, tried

from lusory.lsp.quick_fixes_rename_and_formatting import list_own_fixes
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

RULES = (Path(__file__).parent / "fixtures" / "pond.yaml").read_text(encoding="utf-8")

GAMES = ("tic-tac-toe", "kuhn-poker", "oware")
NUMBER = 25
"""Mutants, and as many slips, of each game.

`python tests/quick_fixes.py 80 tic-tac-toe kuhn-poker oware` tries more: fixes cured 97% of 470 mistakes.
"""

GROUPS = ("^YAML", "^effect text", "^(?!YAML|effect text)")
"""Regular expressions that divide the kinds of mistakes, so that no test takes long."""

Counts = tuple[int, int, int, int]

# fmt: off
CURED: dict[str, tuple[Counts, ...]] = {
    "YAML: bracket lost": ((1, 1, 1, 1), (1, 1, 1, 1), (4, 4, 4, 4)),
    "YAML: colon lost": ((2, 2, 2, 2), (2, 2, 2, 2), (1, 1, 1, 1)),
    "YAML: comma lost": ((0, 0, 0, 0), (1, 1, 1, 1), (1, 1, 1, 1)),
    "YAML: key lost": ((1, 1, 1, 1), (2, 2, 1, 1), (0, 0, 0, 0)),
    "YAML: line further in": ((3, 3, 3, 3), (4, 4, 4, 4), (3, 3, 3, 3)),
    "YAML: line further out": ((6, 6, 6, 6), (5, 5, 5, 5), (3, 3, 3, 3)),
    "YAML: space behind a colon lost": ((1, 1, 1, 1), (3, 3, 3, 3), (4, 4, 4, 4)),
    "YAML: value lost": ((4, 4, 1, 1), (4, 4, 2, 1), (2, 2, 0, 0)),
    "effect text: bracket lost": ((2, 2, 2, 2), (1, 1, 1, 1), (4, 4, 3, 3)),
    "effect text: colon lost": ((1, 1, 1, 1), (0, 0, 0, 0), (0, 0, 0, 0)),
    "effect text: comma lost": ((1, 1, 1, 1), (0, 0, 0, 0), (1, 1, 1, 1)),
    "effect text: dot lost": ((0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 0, 0)),
    "effect text: line further out": ((0, 0, 0, 0), (0, 0, 0, 0), (1, 1, 1, 1)),
    "effect text: word lost": ((3, 3, 3, 3), (1, 1, 1, 1), (1, 1, 0, 0)),
    "misspelt key of YAML": ((9, 9, 9, 9), (11, 11, 11, 11), (4, 4, 4, 4)),
    "misspelt name elsewhere in YAML": ((2, 2, 2, 2), (1, 1, 1, 1), (1, 1, 1, 1)),
    "misspelt name in effect text": ((5, 5, 5, 5), (6, 6, 6, 6), (10, 10, 10, 10)),
    "misspelt name where it is declared": ((2, 2, 2, 2), (2, 2, 2, 2), (4, 4, 4, 4)),
    "misspelt word of the language": ((5, 5, 5, 5), (3, 3, 3, 3), (3, 3, 3, 3)),
    "undefined reference": ((2, 2, 2, 2), (2, 2, 2, 2), (3, 3, 3, 1)),
}
# fmt: on
"""Kind of mistake -> counts for each game: the mistakes that are found, the findings at the right line, the mistakes
that a fix cures, and those that the first fix cures. The last three may only rise.

The other ten mistakes took away something that only the author knows, such as a name, or a whole expression.
"""


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("number", range(len(GAMES)))
def test_fixes_give_back_the_file(number: int, group: str) -> None:
    rows = {kind: Counter[str]() for kind in CURED if re.search(group, kind)}
    for outcome in tried(GAMES[number], NUMBER, group):
        rows[outcome.mutant.kind] += outcome.count()
    counts = {kind: tuple(row[key] for key in ("found", "line", "cured", "first")) for kind, row in rows.items()}
    worse = {
        kind: (row, CURED[kind][number])
        for kind, row in counts.items()
        if row[0] != CURED[kind][number][0] or any(map(lt, row, CURED[kind][number]))
    }
    assert worse == {}


def test_nearly_all_mistakes_have_a_cure() -> None:
    found, line, cured, first = (sum(row[n] for rows in CURED.values() for row in rows) for n in range(4))
    assert (found, line) == (150, 150)
    assert cured >= 140
    assert first >= 137


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


OWN_RULE = """
game: {id: toll, name: Toll, version: "1", language: 2, players: 2}
components: {Card: {active: "true"}}
cards:
  monk: {kind: Card, rules: ["when monk enters pile: announce 'Alms'"]}
zones: {deck: {holds: Card, start: all Card}, pile: {holds: Card}}
setup: move deck.top to pile
""".replace("'", '\\"')


def test_a_rule_of_a_card_says_this_in_place_of_a_name_that_hides_the_card() -> None:
    diagnostics = Diagnostics()
    check_text(OWN_RULE, diagnostics, "toll.yaml")
    [diagnostic] = [d for d in diagnostics.sorted() if d.code.id == "W0738"]
    cured = OWN_RULE.replace("when monk", "when this")
    assert texts_after(list_own_fixes(diagnostic)[0]) == {"toll.yaml": cured}
    check_text(cured, diagnostics := Diagnostics(), "toll.yaml")
    assert "W0738" not in [d.code.id for d in diagnostics.sorted()]
