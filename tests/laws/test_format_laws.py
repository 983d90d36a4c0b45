"""Laws of the formatter: it keeps the meaning of a file and every comment, and formatting twice changes nothing.

The files come from four sources: printed syntax nodes with random layout, data dumped in random YAML styles, random
rulesets, and the conformance tree.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from textwrap import indent
from typing import Any
from unittest.mock import patch

import pytest
import unparser
import yaml
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from program_facts import strip_locations
from random_rulesets import Maker
from test_syntax_laws import draw_nodes, embed_text, parse_text

from lusory_dsl.formatter import WIDTH, format_source
from lusory_dsl.formatter.effect_code import build_code
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import Source
from lusory_dsl.syntax import ast, parser
from lusory_dsl.syntax.ast import strip_spans
from lusory_dsl.yaml.reader import YamlNode, read_text, to_plain_data

CONFORMANCE = Path(__file__).parents[1] / "conformance"
COMMENT = re.compile(r"# c\d+")
NO_LIMIT = 10**6
few = settings(phases=[Phase.generate], deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))


def format_text(text: str) -> str:
    diagnostics = Diagnostics()
    result = format_source(Source("law.yaml", text), diagnostics)
    assert result is not None, f"{[f'{error.span}: {error.message}' for error in diagnostics.list_sorted()]}\n{text}"
    return result


def read_yaml(text: str) -> YamlNode | None:
    return read_text(Source("law.yaml", text), Diagnostics())


def check_format_laws(text: str) -> str:
    """Format a text and return the result. Checks that it keeps all comments and is stable and tidy."""
    result = format_text(text)

    assert Counter(COMMENT.findall(result)) == Counter(COMMENT.findall(text)), f"{text}\n->\n{result}"
    assert format_text(result) == result, f"{text}\n->\n{result}"
    has_blocks = "|" in result or ">" in result  # block texts, in which blanks count
    assert has_blocks or not re.search(r"[ \t]+$|\n\n\n", result, re.MULTILINE)
    return result


# ---------------------------------------------------------------- effect text


def write_field(keys: str, text: str) -> str:
    """Return a file with a text under nested keys: as a literal block if it has several lines, else in quotes."""
    *path, last = keys.split(".")
    head = "".join(f"{'  ' * depth}{key}:\n" for depth, key in enumerate(path))
    lead = "  " * len(path)
    if "\n" in text:
        return f"{head}{lead}{last}: |\n{indent(text, lead + '  ')}"
    return f"{head}{lead}{last}: {json.dumps(text, ensure_ascii=False)}\n"


def read_field(file: str, keys: str) -> str:
    value: Any = read_yaml(file)
    for key in keys.split("."):
        value = value.get(key)
    return str(value.embedded_text.text)


class LayoutShuffler:
    """Writes a text with random blanks, line ends and comments between its tokens."""

    def __init__(self, draw: st.DrawFn, start: str, text: str) -> None:
        self.draw, self.start, self.text = draw, start, text
        self.comments = 0

    def toss(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == 1

    def write_comment(self) -> str:
        self.comments += 1
        return f"# c{self.comments}"

    def break_line(self, lead: str) -> str:
        """Write a line end, perhaps with comments and empty lines, and the indentation ``lead`` of the next line."""
        end = f"  {self.write_comment()}\n" if self.toss(6) else "\n"
        while self.toss(6):
            end += "\n" if self.toss(2) else f"{' ' * self.draw(st.integers(0, 9))}{self.write_comment()}\n"
        return end + lead

    def write_gap(self, gap: str, depth: int) -> str:
        if "\n" in gap:
            return self.break_line(gap.rpartition("\n")[2])
        if depth and self.toss(12):
            return self.break_line(" " * self.draw(st.integers(0, 9)))
        return f"{gap} " if self.toss(4) else gap

    def write(self) -> str:
        block = parser.parse_with_tokens(self.start, embed_text(self.text), Diagnostics())
        assert block is not None
        result, end, brackets = "", 0, list[str]()
        for token in block[1]:
            if token.type.startswith("_"):
                continue
            gap = self.text[end : token.start_pos]
            depth = len(brackets) * (token.type != "COLON")
            result += gap if "QUOTE" in brackets or not end else self.write_gap(gap, depth)
            result += token
            end = token.end_pos
            if token.type in ("RPAR", "RSQB", "RBRACE") or (token.type == "QUOTE" and brackets[-1:] == ["QUOTE"]):
                brackets.pop()
            elif token.type in ("LPAR", "LSQB", "LBRACE", "QUOTE"):
                brackets.append(token.type)
        return result + (self.break_line("") if "\n" in result or self.toss(3) else "")


@st.composite
def draw_layouts(draw: st.DrawFn, part: str, start: str, print_: Any) -> tuple[str, str]:
    """Draw the printed text of random nodes, and the same text with random layout."""
    text = print_(draw(draw_nodes(part)))
    return text, LayoutShuffler(draw, start, text).write()


CODE_FIELDS = {
    "effects.e.do": (("statement 2+", "block", unparser.print_block), parser.parse_block),
    "rules.r.rule": (("rule", "rule", unparser.print_rule), parser.parse_rule),
    "queries.q.value": (("value 3", "expression", unparser.print_expression), parser.parse_expression),
    "actions.a.choose": (("var+", "choice_vars", unparser.print_choice_vars), parser.parse_choice_vars),
}


@pytest.mark.parametrize("keys", CODE_FIELDS)
@few
@given(data=st.data())
def test_effect_code_keeps_its_meaning(keys: str, data: st.DataObject) -> None:
    arguments, parse = CODE_FIELDS[keys]
    text, shuffled_text = data.draw(draw_layouts(*arguments))
    result = check_format_laws(write_field(keys, shuffled_text))

    assert strip_spans(parse_text(parse, read_field(result, keys))) == strip_spans(parse_text(parse, text)), result


@few
@given(draw_nodes("text 2"))
def test_templates_keep_their_meaning(template: ast.TextLit) -> None:
    text = unparser.print_template(template)
    result = check_format_laws(f"actions: {{a: {{label: {json.dumps(text, ensure_ascii=False)}}}}}\n")

    label = parse_text(parser.parse_template, read_field(result, "actions.a.label"))
    assert strip_spans(label) == strip_spans(template), result


@few
@given(draw_nodes("statement 2+"))
def test_the_test_printer_writes_the_style_of_the_formatter(block: ast.Block) -> None:
    with patch.object(unparser, "WIDTH", NO_LIMIT):
        text = unparser.print_block(block)
    parsed_block = parser.parse_with_tokens("block", embed_text(text), Diagnostics())
    assert parsed_block is not None

    assert build_code("block", text, parsed_block[1], True).format_lines(NO_LIMIT) == text.splitlines()


# ---------------------------------------------------------------- YAML

words = st.text("ab:#-,[]{}'\"\\|>&*!%@`? \n\t.0é’", max_size=12)
scalars = (
    words | st.integers(-99, 99) | st.booleans() | st.none() | st.sampled_from(["no", "1.0", "...", "a b", "null"])
)
data = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4), max_leaves=12
)
long_texts = st.lists(st.sampled_from(["word", "longer", "a:", "#", "’s", "{x}", " "]), min_size=30, max_size=60).map(
    " ".join
)


@st.composite
def draw_files(draw: st.DrawFn) -> str:
    """Draw a YAML file of random data in a random style, with comments and empty lines where YAML allows them."""
    content = draw(st.dictionaries(words, data | long_texts, max_size=4) | st.lists(data | long_texts, max_size=4))
    text: str = yaml.safe_dump(
        content,
        default_flow_style=draw(st.sampled_from([None, True, False])),
        default_style=draw(st.sampled_from([None, None, "'", '"', "|", ">"])),
        width=draw(st.sampled_from([20, 80, 300])),
        indent=draw(st.integers(2, 5)),
        allow_unicode=draw(st.booleans()),
        sort_keys=False,
    )
    for number in range(draw(st.integers(0, 5))):
        lines = text.splitlines()
        position = draw(st.integers(0, len(lines)))
        comment = f"# c{number}"
        if draw(st.booleans()) and position < len(lines):
            lines[position] += f"  {comment}"
        else:
            lines[position:position] = [draw(st.sampled_from([" " * draw(st.integers(0, 6)) + comment, "", ""]))]
        changed_text = "\n".join(lines) + "\n"
        new_data, old_data = read_yaml(changed_text), read_yaml(text)
        if new_data is not None and old_data is not None and equals(to_plain_data(new_data), to_plain_data(old_data)):
            text = changed_text
    return text


def equals(first: object, second: object) -> bool:
    """Return whether two values are equal. Unlike in Python, `true` and 1 differ."""
    return json.dumps(first) == json.dumps(second)


@settings(few, max_examples=60)
@given(draw_files())
def test_yaml_data_is_kept(text: str) -> None:
    before = read_yaml(text)
    if before is None:
        return
    after = read_yaml(check_format_laws(text))

    assert after is not None
    assert equals(to_plain_data(after), to_plain_data(before))


# ---------------------------------------------------------------- rulesets


def check_same_program(text: str) -> None:
    before, after = (check_text(version, Diagnostics(), "made.yaml") for version in (text, check_format_laws(text)))

    assert (before is None) == (after is None)
    assert strip_locations(before) == strip_locations(after)


@settings(few, max_examples=3)
@given(st.randoms(use_true_random=False))
def test_random_rulesets_stay_the_same_program(random: Any) -> None:
    check_same_program(Maker(lambda n: random.randrange(n), 0).ruleset())


@pytest.mark.parametrize("file", sorted(CONFORMANCE.glob("*.yaml"))[::2], ids=lambda file: file.stem)
def test_the_conformance_tree_stays_the_same_program(file: Path) -> None:
    for chunk in file.read_text(encoding="utf-8").split("\n---\n")[:1]:
        ruleset, cases = chunk.split("\ncases:\n")
        check_same_program(f"{ruleset}\n")
        check_format_laws(f"cases:\n{cases}\n")
        assert max(map(len, format_text(ruleset).splitlines())) <= WIDTH
