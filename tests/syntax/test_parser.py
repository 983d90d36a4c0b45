"""The parser: what texts mean, where nodes lie in the file, and what is said about texts that are wrong."""

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


def embedded(text: str, before: str = "") -> EmbeddedText:
    """A text that stands in a file behind ``before``."""
    return EmbeddedText(Source("t.yaml", before + text), text, tuple(range(len(before), len(before + text) + 1)))


def findings(kind: str, text: str) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    result = PARSERS[kind](embedded(text), diagnostics)
    assert (result is None) == bool(len(diagnostics))
    return diagnostics.list_sorted()


def parse(kind: str, text: str) -> Any:
    assert [d.message for d in findings(kind, text)] == []
    return PARSERS[kind](embedded(text), Diagnostics())


def sketch(value: object) -> str:
    """Nodes in one line, without places and empty parts: ``Binary(+, 1, 2)``."""
    if isinstance(value, ast.Node):
        kept = [getattr(value, f.name) for f in fields(value) if not f.name.endswith("span")]
        inside = ", ".join(sketch(v) for v in kept if v is not None and v is not False and v != ())
        simple = isinstance(value, ast.Name | ast.IntLit)
        return inside if simple else f"{type(value).__name__}({inside})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(sketch, value))}]"
    return str(value)


# ---------------------------------------------------------------- expressions


@pytest.mark.parametrize("text, meaning", DATA["expressions"])
def test_expressions(text: str, meaning: str) -> None:
    assert sketch(parse("expression", text)) == meaning


# ---------------------------------------------------------------- statements


@pytest.mark.parametrize("text, meaning", DATA["statements"])
def test_statements(text: str, meaning: str | None) -> None:
    if meaning is None:
        assert findings("block", text)
    else:
        assert sketch(parse("block", text)) == f"[{meaning}]"


@pytest.mark.parametrize("text, meaning", DATA["rules"])
def test_rules(text: str, meaning: str) -> None:
    assert sketch(parse("rule", text)) == meaning


def test_templates_need_no_quotation_marks() -> None:
    template = parse("template", 'Round {n}: "{f("x")}"\n\\n {{}}')

    assert sketch(template) == 'TextLit([Round , n, : ", Call(f, [Argument(TextLit([x]))]), "\n\\n {}])'


def test_the_variables_of_an_action() -> None:
    assert sketch(parse("choice_vars", "x in xs where c,\n  secret y in ys")) == (
        "[ChoiceVar(x, xs, c), ChoiceVar(y, ys, True)]"
    )


# ---------------------------------------------------------------- places


def test_nodes_know_their_place_in_the_file() -> None:
    before = "do: |\n"
    text = "if (a) + b > 1:\n  set c to 2 # note\n\nstop\n"
    diagnostics = Diagnostics()
    block = parser.parse_block(embedded(text, before), diagnostics)
    assert block is not None

    def written(node: ast.Node) -> str:
        return (before + text)[node.span.start : node.span.end]

    conditional, stop = block
    assert isinstance(conditional, ast.If)
    assert written(conditional) == "if (a) + b > 1:\n  set c to 2"
    assert written(conditional.branches[0][0]) == "(a) + b > 1"
    assert written(conditional.branches[0][1][0]) == "set c to 2"
    assert written(stop) == "stop"
    assert str(stop.span) == "t.yaml:5:1"


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [(1, 3, 4, 6), (-5, 1000, 3, 9), (-5, -2, 3, 4), (-5, 0, 3, 4), (2, 2, 5, 6), (9, 10, 9, 10)],
)
def test_positions_outside_a_text_are_moved_to_its_ends(start: int, end: int, first: int, last: int) -> None:
    span = embedded("coins1", "do:").make_span(start, end)
    assert (span.start, span.end) == (first, last)


def test_places_follow_the_offsets_of_the_scalar() -> None:
    """A doubled quotation mark of YAML is one character of the text and two of the file."""
    source = Source("t.yaml", "x: 'a ''b c'")
    text = "a 'b c"
    diagnostics = Diagnostics()
    parser.parse_expression(EmbeddedText(source, text, (4, 5, 6, 8, 9, 10, 11)), diagnostics)

    assert [str(d.span) for d in diagnostics.list_sorted()] == ["t.yaml:1:7"]


# ---------------------------------------------------------------- faults


def said(kind: str, text: str) -> list[str]:
    return [f"{d.code.id} {d.span.line}:{d.span.column} {d.message} | {d.hint}" for d in findings(kind, text)]


@pytest.mark.parametrize("text, code, message, hint", DATA["what is said about a fault"])
def test_what_is_said_about_a_fault(text: str, code: str, message: str, hint: str | None) -> None:
    found = said("block", text)

    assert len(found) == 1, found
    assert found[0].startswith(code)
    assert message in found[0]
    assert hint is None or hint in found[0].split(" | ")[1]


@pytest.mark.parametrize("kind, text, start", DATA["faults in other texts"])
def test_faults_in_other_texts(kind: str, text: str, start: str) -> None:
    (found,) = said(kind, text)

    assert found.startswith(start)


def test_one_look_finds_all_faults_and_no_more() -> None:
    text = DATA["one look finds all faults and no more"]
    found = [line.split(" ")[:2] for line in said("block", text)]

    assert found == DATA["places of faults"]


@pytest.mark.parametrize("kind", ["block", "rule"])
@pytest.mark.parametrize("blanks", [0, 2, 6])
def test_a_comment_hides_no_faults_and_makes_none(kind: str, blanks: int) -> None:
    lines = DATA["one look finds all faults and no more"].splitlines()
    if kind == "rule":
        lines = ["whenn x:", *(f"  {line}" for line in lines)]
    for at in range(len(lines)):
        with_comment, without = ([*lines[:at], between, *lines[at:]] for between in (" " * blanks + "# note", ""))

        assert said(kind, "\n".join(with_comment)) == said(kind, "\n".join(without))


SAMPLE = DATA["sample"]


def test_one_lost_character_is_one_finding_at_most() -> None:
    places = [at for at, letter in enumerate(SAMPLE) if letter != "\n" and at % 3 == 0]
    found = {at: said("block", SAMPLE[:at] + SAMPLE[at + 1 :]) for at in places}

    assert not {SAMPLE[at - 9 : at]: lines for at, lines in found.items() if len(lines) > 1}


@pytest.mark.parametrize(
    "text",
    ["-" * 5000 + "a", "not " * 500 + "a", " + ".join("a" * 500), "[" * 5000 + "]" * 5000, "f(" * 200 + ")" * 200],
)
def test_depth_is_a_finding_and_never_a_crash(text: str) -> None:
    (found,) = said("expression", text)

    assert found.startswith("E0314")


def test_deep_blocks_are_found_too() -> None:
    lines = [" " * depth + "if a:" for depth in range(150)]

    assert said("block", "\n".join([*lines, " " * 150 + "stop"]))[0].startswith("E0314")


def test_parentheses_alone_are_not_depth() -> None:
    assert sketch(parse("expression", "(" * 500 + "a" + ")" * 500)) == "a"


# ---------------------------------------------------------------- words


def test_the_list_of_keywords_is_the_grammars() -> None:
    words = {text for text in get_terminal_spellings().values() if text.isidentifier()}

    assert words | {"layer", "up"} == KEYWORDS | SOFT_KEYWORDS
    assert not KEYWORDS & SOFT_KEYWORDS


def test_the_list_of_keywords_is_documented() -> None:
    text = (ROOT / "docs" / "reference" / "names-and-types.md").read_text(encoding="utf-8")
    listed = re.search(r"Keywords can't be names:\n\n```text\n([^`]*)```", text)

    assert listed is not None
    assert set(listed[1].split()) == KEYWORDS


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


def effect_texts(data: Any) -> Iterator[tuple[str, str]]:
    """Fields that hold effect text, read without the language's own loader."""
    if isinstance(data, list):
        for item in data:
            yield from effect_texts(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            for item in value if isinstance(value, list) else [value]:
                if key in FIELDS and isinstance(item, str | int):
                    yield FIELDS[key], item if isinstance(item, str) else str(item).lower()
                elif isinstance(item, dict | list):
                    yield from effect_texts(item)


@pytest.mark.parametrize("path", sorted((ROOT / "rulesets").glob("**/ruleset.yaml")), ids=lambda p: p.parent.name)
def test_every_text_of_every_ruleset_parses(path: Path) -> None:
    data = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    texts = list(effect_texts({section: data[section] for section in WITH_TEXT & data.keys()}))

    assert len(texts) > 5
    assert not {text: found for kind, text in texts if (found := said(kind, text))}


@pytest.mark.parametrize(("text", "of"), DATA["add and remove"])
def test_add_and_remove_begin_statements_and_are_names_of_effects(text: str, of: str) -> None:
    assert type(parse("block", text)[0]).__name__ == of
