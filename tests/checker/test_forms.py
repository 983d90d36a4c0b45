"""The table of forms: what is made of each class of node, and how often a node is looked at."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from pathlib import Path

import pytest

from lusory_dsl import Diagnostics, check_text, checker
from lusory_dsl.checker.forms import FORMS
from lusory_dsl.effect import nodes

FORMS_OF = {**FORMS.expressions, **FORMS.statements}
FILES = sorted(Path(checker.__file__).parent.glob("*.py"))


def subclasses(base: type) -> set[type]:
    return {c for child in base.__subclasses__() for c in (child, *subclasses(child))}


def test_every_class_of_node_has_a_form() -> None:
    assert set(FORMS.expressions) == subclasses(nodes.Expr)
    assert set(FORMS.statements) == subclasses(nodes.Stmt)


def test_every_form_is_of_its_class() -> None:
    """Its second parameter says of which."""
    of = {
        form: inspect.signature(form).parameters["node"].annotation.removeprefix("nodes.") for form in FORMS_OF.values()
    }

    assert of == {form: node.__name__ for node, form in FORMS_OF.items()}


def test_forms_reach_each_other_through_the_routine_alone() -> None:
    """No file but the table imports forms: what files share are helpers. The stages take the table."""
    names = {(form.__module__, form.__name__) for form in FORMS_OF.values()}
    wrong = [
        f"{file.name} imports {alias.name}"
        for file in FILES
        if file.name not in ("forms.py", "stages.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
        if (f"lusory_dsl.checker.{node.module}", alias.name) in names or node.module == "forms"
    ]

    assert not wrong


def test_no_class_is_extended_to_get_at_its_methods() -> None:
    """Only records are extended: a symbol, and names that are still open."""
    classes = {
        node.name: (file.name, [ast.unparse(base) for base in node.bases])
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }

    assert {file for file, bases in classes.values() if set(bases) & classes.keys()} == {"names.py"}


CHAIN = """
game: {{id: g, name: G, version: '1', language: 1, players: 2}}
components:
  Imp:
    fields: {{size: Int}}
    queries: {{mate: {{value: this, doc: x}}}}
    effects: {{nap: {{do: set v to v + this.size}}}}
cards: {{imp: {{kind: Imp, fields: {{size: 1}}}}}}
zones: {{lair: {{holds: Imp, start: all Imp}}}}
variables: {{v: {{type: Int, start: 0}}}}
queries:
  q: {{per: Player, value: me.next, doc: x}}
  pick: {{per: Player, params: {{n: Int}}, value: me, doc: x}}
effects: {{deed: {{per: Player, do: set v to seat(me)}}}}
phases:
  - id: a
    do: |
      each player:
        {}
      end game
scoring: {{rank: [v]}}
"""

TEXTS = {
    "queries": "let x = me{}.seat",
    "queries of cards": "let x = imp{}.size",
    "effects": "me{}.deed()",
    "effects of cards": "imp{}.nap()",
    "what nobody knows": "let x = nope{}",
    "no player": "let x = 1{}",
    "printed": "let x = imp{}.printed.size",
    "printed has": "if imp{}.printed has size: stop",
}
DOTS = 9


@pytest.mark.parametrize(
    "link", [".q()", ".pick(count(players where it is me))", ".next()", ".next", ".mate()", ".printed", ".nope()"]
)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_chain_of_calls_is_looked_at_a_few_times(text: str, link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many dots it has: right or wrong, what stands before a dot is no more work for the dots behind it."""
    seen: Counter[int] = Counter()
    for node, form in FORMS.expressions.items():

        def counted(r, node, expected, form=form):  # type: ignore[no-untyped-def]
            seen[id(node)] += 1
            kept.append(node)
            return form(r, node, expected)

        monkeypatch.setitem(FORMS.expressions, node, counted)  # type: ignore[arg-type]
    kept: list[nodes.Node] = []

    check_text(CHAIN.format(text.format(link * DOTS)), Diagnostics())

    assert len(seen) > 2
    assert max(seen.values()) <= 4
