"""The formatter: the examples of docs/reference/formatting.md and of layouts.md, comments, and what stays as it is."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from program_facts import facts
from programs import folder_of, is_large, read_data

from lusory_dsl import formatter
from lusory_dsl.core import Program
from lusory_dsl.formatter import WIDTH, format_source
from lusory_dsl.formatter.yaml_layout import has_same_meaning
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.source.source import Source
from lusory_dsl.yaml.reader import YamlNode, make_source, read_text, to_plain_data

DATA = read_data(__file__)

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [
    example
    for page in (ROOT / "docs" / "reference" / "formatting.md", Path(__file__).with_name("layouts.md"))
    for example in re.findall(
        r"```yaml\n(.*?)```\n\nbecomes\n\n```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
]
FILES = sorted((ROOT / "rulesets").rglob("*.yaml"))
GAMES = sorted({file.parent for file in FILES if re.search("^game:", file.read_text(encoding="utf-8"), re.MULTILINE)})
SMALLER = [folder for folder in GAMES if folder not in map(folder_of, filter(is_large, find_bundled_rulesets()))]
"""All but large ones, which take seven seconds."""


def formatted(text: str) -> str | None:
    return format_source(make_source("a.yaml", text), Diagnostics())


@pytest.mark.parametrize("before, after", EXAMPLES)
def test_the_examples_of_the_page(before: str, after: str) -> None:
    assert before != after
    assert formatted(before) == after
    assert formatted(after) == after


BLOCK = "effects:\n  e:\n    do: |\n"
VALUE = "queries:\n  q:\n    value: |\n"


@pytest.mark.parametrize(
    "before, after",
    [
        ("", ""),
        ("\n\n# only\n\n\n# remarks\n", "# only\n\n# remarks\n"),
        ("%YAML 1.2\n---\na: b\n", "a: b\n"),
        ("\ufeffa: b", "a: b\n"),
        ("a:\n- b\n-  - c\n   - d:\n       e\n", "a:\n  - b\n  - - c\n    - d: e\n"),
        ("a: [b, # why\n  c]\n", "a:\n  - b  # why\n  - c\n"),
        ("a: {b: c,\n  # of d\n  d: e}\n", "a:\n  b: c\n  # of d\n  d: e\n"),
        ("{a: {b: 1}, c: '1\n\n  2'}\n  # d\n", "a: {b: 1}\nc: |-\n  1\n  2\n# d\n"),
        ("a: [ # why\n  # else\n  ]\nb: {}\n", "# else\na: []  # why\nb: {}\n"),
        ("a: [b,\n  c] # why\n", "a:\n  [b,\n   c]  # why\n"),
        ("a:   # why\n\n  b: c\n", "a:  # why\n  b: c\n"),
        ("a:\n  # in front\n  b\n", "# in front\na: b\n"),
        DATA["small files"],
        ("a:\n  - # of the item\n    b: c\n", "a:\n  # of the item\n  - b: c\n"),
        ("a: | # why\n   text\n   #text\n", "a: |  # why\n  text\n  #text\n"),
        ("a:\n  - |1\n    x\n     y\n   z\n", "a:\n  - |2\n     x\n      y\n    z\n"),
        ("a: |+\n  b\n\n\nc: d\n", 'a: "b\\n\\n\\n"\n\nc: d\n'),
        ("a: >\n  one\n  two\n\n  three\n", "a: >\n  one two\n\n  three\n"),
        ("a: 'it''s'\nb: \"say \\\"x\\\"\"\n", 'a: it\'s\nb: say "x"\n'),
        ('{"a": "1", "b": 1, "c": "yes", "d": null, "e": ""}', '{a: "1", b: 1, c: "yes", d: null, e: ""}\n'),
        ("a: [b: c]\n", "a: [{b: c}]\n"),
        ("a:\nb: ~\n", "a:\nb: ~\n"),
        ("? a\n: b\n", "a: b\n"),
        ("effects: {e: {do: 'stop # why'}}\n", "effects:\n  e:\n    do: |\n      stop  # why\n"),
        (f"{BLOCK}     # first\n     a( )\n\n\n     # last\n", f"{BLOCK}      # first\n      a()\n\n      # last\n"),
        (
            f"{BLOCK}      if x:\n         a()\n         # of a\n       # of if\n      b()\n",
            f"{BLOCK}      if x:\n        a()\n        # of a\n      # of if\n      b()\n",
        ),
        (f"{BLOCK}      f(a, # why\n        b)\n", f"{BLOCK}      f(a,  # why\n          b)\n"),
        (f"{BLOCK}      f(a,\n        b) # why\n", f"{BLOCK}      f(a, b)  # why\n"),
        (
            f"{BLOCK}      choose x in xs,\n         # whose\n       by p :   # now\n        a()\n        # end\n",
            f"{BLOCK}      choose x in xs,\n          # whose\n          by p:  # now\n        a()\n        # end\n",
        ),
        (f"{VALUE}      # why\n      a+b\n", f"{VALUE}      # why\n      a + b\n"),
        (f"{VALUE}      # why\n      a and b\n      or c\n", f"{VALUE}      # why\n      a and b\n      or c\n"),
        (f"{BLOCK}      if a: b() else: c(); d()\n", f"{BLOCK}      if a: b()\n      else: c(); d()\n"),
        (f"{BLOCK}      set x to -  1+(2  -y.z) * -3\n", f"{BLOCK}      set x to -1 + (2 - y.z) * -3\n"),
        (f"{BLOCK}      a() ;b();\n", f"{BLOCK}      a()\n      b()\n"),
        ('queries: {q: {value: "if a then b else if c then d else e"}}\n', None),
        (
            f"{VALUE}      if a\n      then if b then if c then 1 else 2 else 3\n"
            "      else if d then if e then 4 else 5 else 6\n",
            f"{VALUE}      if a then\n        if b then if c then 1 else 2 else 3\n"
            "      else if d then\n        if e then 4 else 5\n      else 6\n",
        ),
        (f"{VALUE}      a # why\n      + b\n", f"{VALUE}      a  # why\n      + b\n"),
        (
            f"{VALUE}      if a then f(1,# few\n          b:2)\n\n      # some\n      else 3   # many\n",
            f"{VALUE}      if a then f(1,  # few\n      b: 2)\n\n      # some\n      else 3  # many\n",
        ),
        DATA["small files 2"],
        ("cases:\n  - {id: a, steps: [{expect: P1.x  =1}, {play_until: end}]}\n", None),
    ],
)
def test_small_files(before: str, after: str | None) -> None:
    result = formatted(before)

    if after is not None:
        assert result == after
    assert result is not None
    assert formatted(result) == result


@pytest.mark.parametrize(
    "text, code, line",
    [
        ("a: [b\n", "E0102", 1),
        ("a: b\na: c\n", "E0105", 2),
        (f"{BLOCK}      if x\n", "E0301", 4),
        ("actions: {a: {label: 'Take {', do: stop}}\n", "E0301", 1),
    ],
)
def test_what_can_not_be_read_is_reported(text: str, code: str, line: int) -> None:
    diagnostics = Diagnostics()

    assert format_source(Source("a.yaml", text), diagnostics) is None
    assert [d.span.line for d in diagnostics.list_sorted()] == [line]
    assert [d.code.id[:3] for d in diagnostics.list_sorted()] == [code[:3]]


def test_a_file_that_would_change_its_meaning_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The safety net under everything else."""
    monkeypatch.setattr(formatter.FileComments, "place", lambda self, lines: ["a: c"])

    with pytest.raises(AssertionError, match="nothing was written"):
        formatted("a:   b")


@pytest.mark.parametrize("first, second, same", DATA["what counts as the same meaning"])
def test_what_counts_as_the_same_meaning(first: str, second: str, same: bool) -> None:
    roots = [read_text(Source("a.yaml", text), Diagnostics()) for text in (first, second)]

    assert roots[0] and roots[1]
    assert has_same_meaning(roots[0], roots[1]) is same


# ---------------------------------------------------------------- what is shipped


def data_of(text: str) -> Any:
    root: YamlNode | None = read_text(Source("a.yaml", text), Diagnostics())
    assert root is not None
    return to_plain_data(root)


@pytest.mark.parametrize("folder", SMALLER, ids=lambda path: path.name)
def test_a_game_is_the_same_program_however_it_was_written(folder: Path, tmp_path: Path) -> None:
    """Every file, also of cases, written by a program as JSON, and formatted."""
    for file in folder.rglob("*.yaml"):
        target = tmp_path / file.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        result = formatted(json.dumps(data_of(file.read_text(encoding="utf-8")), ensure_ascii=False))
        assert result is not None
        assert max(map(len, result.splitlines())) <= WIDTH
        target.write_text(result, encoding="utf-8")
        if target.parent.name == "cases":
            assert _without_expectations(data_of(result)) == _without_expectations(
                data_of(file.read_text(encoding="utf-8"))
            )

    for sheet in folder.rglob("*.csv"):
        shutil.copy(sheet, tmp_path / sheet.relative_to(folder))
    before, after = load_program(folder), load_program(tmp_path)
    assert isinstance(after, Program)
    assert facts(after) == facts(before)


def _without_expectations(value: Any) -> Any:
    """The data of case files, but for the expressions in it."""
    if isinstance(value, dict):
        return {k: _without_expectations(v) for k, v in value.items() if k not in ("expect", "play_until")}
    return [_without_expectations(item) for item in value] if isinstance(value, list) else value
