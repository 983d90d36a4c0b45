"""Test the parser: the meaning of texts, the places of nodes, and the errors of wrong texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs import ROOT, read_data

from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax import ast, parser
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS, MISTAKEN_WORDS, NOTATIONS, SOFT_KEYWORDS
from lusory_dsl.syntax.lark_parse_trees_and_indentation import get_terminal_spellings

DATA = read_data(__file__)


PARSERS: dict[str, Callable[[EmbeddedText, Diagnostics], Any]] = {
    "block": parser.parse_block,
    "expression": parser.parse_expression,
    "template": parser.parse_template,
    "rule": parser.parse_rule,
    "choice_vars": parser.parse_choice_vars,
}


def embed(text: str, before: str = "") -> EmbeddedText:
    """Return a text that is in a file after ``before``."""
    return EmbeddedText(Source("t.yaml", before + text), text, tuple(range(len(before), len(before + text) + 1)))


def list_findings(kind: str, text: str) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    result = PARSERS[kind](embed(text), diagnostics)
    assert (result is None) == bool(len(diagnostics))
    return diagnostics.list_sorted()


def parse(kind: str, text: str) -> Any:
    assert [error.message for error in list_findings(kind, text)] == []
    return PARSERS[kind](embed(text), Diagnostics())


def format_node(value: object) -> str:
    """Return nodes in one line, without places and empty parts: ``Binary(+, 1, 2)``."""
    if isinstance(value, ast.Node):
        values = [getattr(value, field.name) for field in fields(value) if not field.name.endswith("span")]
        children = [item for item in values if item is not None and item is not False and item != ()]
        inside = ", ".join(map(format_node, children))
        simple = isinstance(value, ast.Name | ast.IntLit)
        return inside if simple else f"{type(value).__name__}({inside})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(format_node, value))}]"
    return str(value)


# ---------------------------------------------------------------- expressions


@pytest.mark.parametrize("text, meaning", DATA["expressions"])
def test_expressions(text: str, meaning: str) -> None:
    assert format_node(parse("expression", text)) == meaning


# ---------------------------------------------------------------- statements


@pytest.mark.parametrize("text, meaning", DATA["statements"])
def test_statements(text: str, meaning: str | None) -> None:
    if meaning is None:
        assert list_findings("block", text)
    else:
        assert format_node(parse("block", text)) == f"[{meaning}]"


@pytest.mark.parametrize("text, meaning", DATA["rules"])
def test_rules(text: str, meaning: str) -> None:
    assert format_node(parse("rule", text)) == meaning


def test_templates_need_no_quotation_marks() -> None:
    template = parse("template", 'Round {n}: "{f("x")}"\n\\n {{}}')

    assert format_node(template) == 'TextLit([Round , n, : ", Call(f, [Argument(TextLit([x]))]), "\n\\n {}])'


def test_variables_of_an_action() -> None:
    assert format_node(parse("choice_vars", "x in xs where c,\n  secret y in ys")) == (
        "[ChoiceVar(x, xs, c), ChoiceVar(y, ys, True)]"
    )


# ---------------------------------------------------------------- places


def test_nodes_have_their_place_in_the_file() -> None:
    before = "do: |\n"
    text = "if (a) + b > 1:\n  set c to 2 # note\n\nstop\n"
    diagnostics = Diagnostics()
    block = parser.parse_block(embed(text, before), diagnostics)
    assert block is not None

    def get_source(node: ast.Node) -> str:
        return (before + text)[node.span.start : node.span.end]

    conditional, stop = block
    assert isinstance(conditional, ast.If)
    assert get_source(conditional) == "if (a) + b > 1:\n  set c to 2"
    assert get_source(conditional.branches[0][0]) == "(a) + b > 1"
    assert get_source(conditional.branches[0][1][0]) == "set c to 2"
    assert get_source(stop) == "stop"
    assert str(stop.span) == "t.yaml:5:1"


def test_a_zone_in_a_rule_has_the_place_of_its_name() -> None:
    rule = parser.parse_rule(embed("when card leaves any hand to any deck: stop"), Diagnostics())
    assert isinstance(rule, ast.ZoneRule) and rule.other_zone is not None
    assert [zone.span.text for zone in (rule.zone, rule.other_zone)] == ["hand", "deck"]


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [(1, 3, 4, 6), (-5, 1000, 3, 9), (-5, -2, 3, 4), (-5, 0, 3, 4), (2, 2, 5, 6), (9, 10, 9, 10)],
)
def test_positions_outside_a_text_are_moved_to_its_ends(start: int, end: int, first: int, last: int) -> None:
    span = embed("coins1", "do:").make_span(start, end)
    assert (span.start, span.end) == (first, last)


def test_places_follow_the_offsets_of_the_scalar() -> None:
    """A doubled quotation mark of YAML is one character of the text and two of the file."""
    source = Source("t.yaml", "x: 'a ''b c'")
    text = "a 'b c"
    diagnostics = Diagnostics()
    parser.parse_expression(EmbeddedText(source, text, (4, 5, 6, 8, 9, 10, 11)), diagnostics)

    assert [str(error.span) for error in diagnostics.list_sorted()] == ["t.yaml:1:7"]


# ---------------------------------------------------------------- faults


def list_messages(kind: str, text: str) -> list[str]:
    findings = list_findings(kind, text)
    return [f"{item.code.id} {item.span.line}:{item.span.column} {item.message} | {item.hint}" for item in findings]


@pytest.mark.parametrize("text, code, message, hint", DATA["errors have message and hint"])
def test_errors_have_message_and_hint(text: str, code: str, message: str, hint: str | None) -> None:
    messages = list_messages("block", text)

    assert len(messages) == 1, messages
    assert messages[0].startswith(code)
    assert message in messages[0]
    assert hint is None or hint in messages[0].split(" | ")[1]


@pytest.mark.parametrize("kind, text, start", DATA["errors in other kinds of text"])
def test_errors_in_other_kinds_of_text(kind: str, text: str, start: str) -> None:
    (message,) = list_messages(kind, text)

    assert message.startswith(start)


def test_all_errors_are_found_at_once() -> None:
    text = DATA["all errors are found at once"]
    places = [line.split(" ")[:2] for line in list_messages("block", text)]

    assert places == DATA["places of faults"]


@pytest.mark.parametrize("kind", ["block", "rule"])
@pytest.mark.parametrize("blanks", [0, 2, 6])
def test_comment_hides_and_causes_no_errors(kind: str, blanks: int) -> None:
    lines = DATA["all errors are found at once"].splitlines()
    if kind == "rule":
        lines = ["whenn x:", *(f"  {line}" for line in lines)]
    for i in range(len(lines)):
        with_comment, without = ([*lines[:i], between, *lines[i:]] for between in (" " * blanks + "# note", ""))

        assert list_messages(kind, "\n".join(with_comment)) == list_messages(kind, "\n".join(without))


SAMPLE = DATA["sample"]


def test_one_missing_character_causes_at_most_one_error() -> None:
    places = [i for i, letter in enumerate(SAMPLE) if letter != "\n" and i % 3 == 0]
    messages = {i: list_messages("block", SAMPLE[:i] + SAMPLE[i + 1 :]) for i in places}

    assert not {SAMPLE[i - 9 : i]: lines for i, lines in messages.items() if len(lines) > 1}


@pytest.mark.parametrize(
    "text",
    ["-" * 5000 + "a", "not " * 500 + "a", " + ".join("a" * 500), "[" * 5000 + "]" * 5000, "f(" * 200 + ")" * 200],
)
def test_deep_nesting_is_an_error_and_no_crash(text: str) -> None:
    (message,) = list_messages("expression", text)

    assert message.startswith("E0314")


def test_deep_blocks_are_reported() -> None:
    lines = [" " * depth + "if a:" for depth in range(150)]

    assert list_messages("block", "\n".join([*lines, " " * 150 + "stop"]))[0].startswith("E0314")


def test_parentheses_add_no_depth() -> None:
    assert format_node(parse("expression", "(" * 500 + "a" + ")" * 500)) == "a"


# ---------------------------------------------------------------- words


def test_list_of_keywords_agrees_with_the_grammar() -> None:
    keywords = {text for text in get_terminal_spellings().values() if text.isidentifier()}

    assert keywords | {"layer", "up"} == KEYWORDS | SOFT_KEYWORDS
    assert not KEYWORDS & SOFT_KEYWORDS


def test_keywords_are_documented() -> None:
    text = (ROOT / "docs" / "reference" / "names-and-types.md").read_text(encoding="utf-8")
    keywords = re.search(r"Keywords can't be names:\n\n```text\n([^`]*)```", text)

    assert keywords is not None and set(keywords[1].split()) == KEYWORDS


def test_mistaken_words_begin_no_statement() -> None:
    assert not set(MISTAKEN_WORDS) & set(NOTATIONS) - {"while"}


# ---------------------------------------------------------------- every ruleset

FIELDS = {
    **dict.fromkeys(("do", "setup"), "block"),
    **dict.fromkeys(("value", "while", "if", "start", "always", "rank", "payoff"), "expression"),
    **dict.fromkeys(("text", "label"), "template"),
    "rule": "rule",
    "choose": "choice_vars",
}
WITH_TEXT = {"variables", "queries", "effects", "actions", "rules", "setup", "phases", "scoring", "invariants", "view"}


def list_effect_texts(data: Any) -> Iterator[tuple[str, str]]:
    """Return the fields that hold effect text, read without the language's own loader."""
    if isinstance(data, list):
        for item in data:
            yield from list_effect_texts(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            for item in value if isinstance(value, list) else [value]:
                if key in FIELDS and isinstance(item, str | int):
                    yield FIELDS[key], item if isinstance(item, str) else str(item).lower()
                elif isinstance(item, dict | list):
                    yield from list_effect_texts(item)


@pytest.mark.parametrize("path", sorted((ROOT / "rulesets").glob("**/ruleset.yaml")), ids=lambda file: file.parent.name)
def test_every_text_of_every_ruleset_parses(path: Path) -> None:
    data = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    texts = list(list_effect_texts({section: data[section] for section in WITH_TEXT & data.keys()}))

    assert len(texts) > 5
    assert not {text: messages for kind, text in texts if (messages := list_messages(kind, text))}


@pytest.mark.parametrize(("text", "node_class"), DATA["add and remove"])
def test_add_and_remove_begin_statements_and_are_names_of_effects(text: str, node_class: str) -> None:
    assert type(parse("block", text)[0]).__name__ == node_class
