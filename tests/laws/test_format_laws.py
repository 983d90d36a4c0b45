"""Laws of the formatter: what a file says stays the same, no comment is lost, and formatting twice changes nothing.

Each file is made in a style of its own: any nodes printed and then disarranged, any data as a library dumps it, random
rulesets, and the chunks of the conformance tree."""

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
from program_facts import facts
from random_rulesets import Maker
from test_syntax_laws import embedded, made, parsed

from lusory_dsl.formatter import WIDTH, format_source
from lusory_dsl.formatter.effect_code import build_code
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import Source
from lusory_dsl.syntax import ast, parser
from lusory_dsl.syntax.ast import strip_spans
from lusory_dsl.yaml.reader import YamlNode, read_text, to_plain_data

TREE = Path(__file__).parents[1] / "conformance"
COMMENT = re.compile(r"# c\d+")
ENDLESS = 10**6
share = settings(phases=[Phase.generate], deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))


def formatted(text: str) -> str:
    diagnostics = Diagnostics()
    result = format_source(Source("law.yaml", text), diagnostics)
    assert result is not None, f"{[f'{d.span}: {d.message}' for d in diagnostics.list_sorted()]}\n{text}"
    return result


def read(text: str) -> YamlNode | None:
    return read_text(Source("law.yaml", text), Diagnostics())


def check_laws(text: str) -> str:
    """Formats; the comments are all there, and the result is as stable as it is tidy."""
    result = formatted(text)

    assert Counter(COMMENT.findall(result)) == Counter(COMMENT.findall(text)), f"{text}\n->\n{result}"
    assert formatted(result) == result, f"{text}\n->\n{result}"
    has_blocks = "|" in result or ">" in result  # texts in which blanks count
    assert has_blocks or not re.search(r"[ \t]+$|\n\n\n", result, re.MULTILINE)
    return result


# ---------------------------------------------------------------- effect text


def in_a_field(keys: str, text: str) -> str:
    """A file with a text under some keys: as a literal block where it has lines, else in quotes."""
    *path, last = keys.split(".")
    head = "".join(f"{'  ' * depth}{key}:\n" for depth, key in enumerate(path))
    lead = "  " * len(path)
    if "\n" in text:
        return f"{head}{lead}{last}: |\n{indent(text, lead + '  ')}"
    return f"{head}{lead}{last}: {json.dumps(text, ensure_ascii=False)}\n"


def field_of(file: str, keys: str) -> str:
    value: Any = read(file)
    for key in keys.split("."):
        value = value.get(key)
    return str(value.embedded_text.text)


class Disarranger:
    """Writes the words of a text with other blanks and line ends, and with comments wherever one may stand."""

    def __init__(self, draw: st.DrawFn, start: str, text: str) -> None:
        self.draw, self.start, self.text = draw, start, text
        self.comments = 0

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == 1

    def comment(self) -> str:
        self.comments += 1
        return f"# c{self.comments}"

    def line_end(self, lead: str) -> str:
        """A line end with what may stand there, and the indentation of the next line."""
        end = f"  {self.comment()}\n" if self.chance(6) else "\n"
        while self.chance(6):
            end += "\n" if self.chance(2) else f"{' ' * self.draw(st.integers(0, 9))}{self.comment()}\n"
        return end + lead

    def gap(self, gap: str, depth: int) -> str:
        if "\n" in gap:
            return self.line_end(gap.rpartition("\n")[2])
        if depth and self.chance(12):
            return self.line_end(" " * self.draw(st.integers(0, 9)))
        return f"{gap} " if self.chance(4) else gap

    def written(self) -> str:
        read = parser.parse_with_tokens(self.start, embedded(self.text), Diagnostics())
        assert read is not None
        out, end, brackets = "", 0, list[str]()
        for word in read[1]:
            if word.kind.startswith("_"):
                continue
            gap = self.text[end : word.start]
            out += gap if "QUOTE" in brackets or not end else self.gap(gap, len(brackets) * (word.kind != "COLON"))
            out += word.text
            end = word.end
            if word.kind in ("RPAR", "RSQB", "RBRACE") or (word.kind == "QUOTE" and brackets[-1:] == ["QUOTE"]):
                brackets.pop()
            elif word.kind in ("LPAR", "LSQB", "LBRACE", "QUOTE"):
                brackets.append(word.kind)
        return out + (self.line_end("") if "\n" in out or self.chance(3) else "")


@st.composite
def disarranged(draw: st.DrawFn, what: str, start: str, print_: Any) -> tuple[str, str]:
    """What is printed of any nodes, and the same disarranged."""
    text = print_(draw(made(what)))
    return text, Disarranger(draw, start, text).written()


FIELDS = {
    "effects.e.do": (("statement 2+", "block", unparser.print_block), parser.parse_block),
    "rules.r.rule": (("rule", "rule", unparser.print_rule), parser.parse_rule),
    "queries.q.value": (("value 3", "expression", unparser.print_expression), parser.parse_expression),
    "actions.a.choose": (("var+", "choice_vars", unparser.print_choice_vars), parser.parse_choice_vars),
}


@pytest.mark.parametrize("keys", FIELDS)
@share
@given(data=st.data())
def test_effect_text(keys: str, data: st.DataObject) -> None:
    printed, parse = FIELDS[keys]
    text, written = data.draw(disarranged(*printed))
    result = check_laws(in_a_field(keys, written))

    assert strip_spans(parsed(parse, field_of(result, keys))) == strip_spans(parsed(parse, text)), result


@share
@given(made("text 2"))
def test_templates(template: ast.TextLit) -> None:
    text = unparser.print_template(template)
    result = check_laws(f"actions: {{a: {{label: {json.dumps(text, ensure_ascii=False)}}}}}\n")

    assert strip_spans(parsed(parser.parse_template, field_of(result, "actions.a.label"))) == strip_spans(template), (
        result
    )


@share
@given(made("statement 2+"))
def test_what_the_printer_prints_is_in_the_style(block: ast.Block) -> None:
    """One style, two ways to it: from nodes, and from an author's words."""
    with patch.object(unparser, "WIDTH", ENDLESS):
        text = unparser.print_block(block)
    read = parser.parse_with_tokens("block", embedded(text), Diagnostics())
    assert read is not None

    assert build_code("block", text, read[1], True).format_lines(ENDLESS) == text.splitlines()


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
def files(draw: st.DrawFn) -> str:
    """A file of any data in any style, with comments and empty lines where YAML lets them stand."""
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
        at = draw(st.integers(0, len(lines)))
        comment = f"# c{number}"
        if draw(st.booleans()) and at < len(lines):
            lines[at] += f"  {comment}"
        else:
            lines[at:at] = [draw(st.sampled_from([" " * draw(st.integers(0, 6)) + comment, "", ""]))]
        changed = "\n".join(lines) + "\n"
        root, before = read(changed), read(text)
        if root is not None and before is not None and same(to_plain_data(root), to_plain_data(before)):
            text = changed
    return text


def same(first: object, second: object) -> bool:
    """Equal, and `true` is not 1."""
    return json.dumps(first) == json.dumps(second)


@settings(share, max_examples=60)
@given(files())
def test_files_of_any_data(text: str) -> None:
    before = read(text)
    if before is None:
        return
    after = read(check_laws(text))

    assert after is not None
    assert same(to_plain_data(after), to_plain_data(before))


# ---------------------------------------------------------------- rulesets


def check_program(text: str) -> None:
    before, after = (check_text(t, Diagnostics(), "made.yaml") for t in (text, check_laws(text)))

    assert (before is None) == (after is None)
    assert facts(before) == facts(after)


@settings(share, max_examples=3)
@given(st.randoms(use_true_random=False))
def test_random_rulesets_are_the_same_program(random: Any) -> None:
    check_program(Maker(lambda n: random.randrange(n), 0).ruleset())


@pytest.mark.parametrize("file", sorted(TREE.glob("*.yaml"))[::2], ids=lambda file: file.stem)
def test_the_conformance_tree_is_the_same_program(file: Path) -> None:
    for chunk in file.read_text(encoding="utf-8").split("\n---\n")[:1]:
        ruleset, cases = chunk.split("\ncases:\n")
        check_program(f"{ruleset}\n")
        check_laws(f"cases:\n{cases}\n")
        assert max(map(len, formatted(ruleset).splitlines())) <= WIDTH
