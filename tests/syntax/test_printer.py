"""The printer's style. That what it prints means the same is a law: ``laws/test_syntax_laws.py``."""

from __future__ import annotations

from pathlib import Path

import pytest
import unparser

from lusory_dsl.ruleset.loader import load
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax.parser import parse_block, parse_choice_vars, parse_expression, parse_rule, parse_template

RULESETS = sorted((Path(__file__).resolve().parents[2] / "rulesets").glob("**/ruleset.yaml"))


def embedded(text: str) -> EmbeddedText:
    return EmbeddedText(Source("t.yaml", text), text, tuple(range(len(text) + 1)))


def formatted(text: str) -> str:
    block = parse_block(embedded(text), Diagnostics())
    assert block is not None
    return unparser.print_block(block)


@pytest.mark.parametrize(
    "written, printed",
    [
        ("((a + b)) * (c)", "(a + b) * c"),
        ("a - (b - c) - d", "a - (b - c) - d"),
        ("(a and b) or (not (c))", "a and b or not c"),
        ("not (a or b)", "not (a or b)"),
        ("(a < b) = c", "(a < b) = c"),
        ("a is not b", "a != b"),
        ("(1)..(n-1)", "1..n - 1"),
        ("(xs where a) where b", "xs where a where b"),
        ("count((xs where a))", "count(xs where a)"),
        ("(xs where a).first", "(xs where a).first"),
        ("(if a then b else c) + 1", "(if a then b else c) + 1"),
        ("sum(x for x in (xs where a) where b)", "sum(x for x in (xs where a) where b)"),
        ("f( x:1,2 )", "f(x: 1, 2)"),
        ('"{a}{{b}} \\"c\\""', '"{a}{{b}} \\"c\\""'),
        ("a +\n  b", "a + b"),
    ],
)
def test_values_have_only_the_parentheses_they_need(written: str, printed: str) -> None:
    value = parse_expression(embedded(written), Diagnostics())

    assert value is not None
    assert unparser.print_expression(value) == printed


@pytest.mark.parametrize(
    "written, printed",
    [
        ("if a:\n    b()", "if a: b()\n"),
        ("if a: b(); c()", "if a:\n  b()\n  c()\n"),
        ("if a: b() else: c()", "if a: b()\nelse: c()\n"),
        ("if a:\n  if b: c()", "if a:\n  if b: c()\n"),
        ("move cards to bottom of deck", "move cards to deck\n"),
        ("each player from p: a()", "each player from p clockwise: a()\n"),
        ("each player clockwise: a()", "each player: a()\n"),
        ("choose 2..2 x in xs", "choose 2 x in xs\n"),
        ('choose x in xs, label "l", by p: a()', 'choose x in xs, by p, label "l": a()\n'),
        ("choose:\n   option a:\n      b()", "choose:\n  option a: b()\n"),
        ("a(); b();", "a()\nb()\n"),
        ("# lost\na()", "a()\n"),
    ],
)
def test_blocks_have_one_style(written: str, printed: str) -> None:
    assert formatted(written) == printed
    assert formatted(printed) == printed


def test_a_long_choice_has_a_line_for_each_part() -> None:
    text = (
        "if a:\n  choose long_name in first_long_list where it > 1, second_name in second_long_list, by p, "
        'prompt "What now?":\n    b()\n    c()'
    )

    assert formatted(text) == (
        "if a:\n"
        "  choose long_name in first_long_list where it > 1,\n"
        "      second_name in second_long_list,\n"
        "      by p,\n"
        '      prompt "What now?":\n'
        "    b()\n"
        "    c()\n"
    )
    assert formatted(formatted(text)) == formatted(text)


def test_templates_variables_and_rules() -> None:
    template = parse_template(embedded('a {b+1} {{c}} "d"'), Diagnostics())
    chosen = parse_choice_vars(embedded("x in xs,secret y in (ys where it)"), Diagnostics())
    trigger = parse_rule(embedded("when f(a:b,c) if d:\n  e()"), Diagnostics())
    change = parse_rule(embedded("while a:\n  q(b: b) is it+1 in layer c"), Diagnostics())
    assert template and chosen and trigger and change

    assert unparser.print_template(template) == 'a {b + 1} {{c}} "d"'
    assert unparser.print_choice_vars(chosen) == "x in xs, secret y in (ys where it)"
    assert unparser.print_rule(trigger) == "when f(a: b, c) if d: e()\n"
    assert unparser.print_rule(change) == "while a: q(b) is it + 1 in layer c\n"


@pytest.mark.parametrize("path", RULESETS, ids=lambda p: p.parent.name)
def test_every_block_of_every_ruleset_is_stable(path: Path) -> None:
    ruleset = load(path.parent, Diagnostics())
    assert ruleset is not None
    texts = [effect.do.text for effect in ruleset.effects] + [action.do.text for action in ruleset.actions]
    if ruleset.setup is not None:
        texts.append(ruleset.setup.text)

    for text in texts:
        assert formatted(formatted(text)) == formatted(text)
