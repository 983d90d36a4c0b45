"""Test the pages of the diagnostics: each code has a page, and its examples are right.

The wrong example must produce exactly that code, and the fixed one nothing. An example of the language ``yaml`` may
leave out the sections ``game`` and ``scoring``; the test adds them in a second file. An example of the
language ``folder`` is complete.

``python tests/source/test_diagnostic_pages.py`` rewrites what the program knows: the index, and the title, the meaning
and the printed diagnostic of each page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from lusory.codegen.generated_code_runner_and_fault_explanation import CompiledEngine
from lusory.state.state import State
from lusory.testing.cases.suite_runner import BOTH, list_case_faults, list_case_files, run_cases
from lusory.testing.constant_data_invariants import check_laws
from lusory.ui.line.diagnostic_rendering import render_diagnostic
from lusory_dsl.pipeline import check, load_program
from lusory_dsl.source.diagnostic_codes import CODES
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics

DATA = yaml.safe_load(Path(__file__).with_name("diagnostic_pages.yaml").read_text(encoding="utf-8"))

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "diagnostics"
INDEX = PAGES / "README.md"
REWRITE = f"run: python {Path(__file__).relative_to(PAGES.parents[2])}"

LAYOUT = re.compile(
    r"# (?P<id>[EW]\d{4}) (?P<name>[a-z-]+)\n\n(?P<meaning>[^\n]+)\n\n"
    r"```text\n(?P<printed>.*?)```\n\n"
    r"(?P<why>.+?)\n\n"
    r"## Wrong\n\n```(?P<wrong_language>[\w-]+)\n(?P<wrong>.*?)```\n\n"
    r"## Fixed\n\n[^\n#`][^\n]*\n\n```(?P<fixed_language>[\w-]+)\n(?P<fixed>.*?)```\n",
    re.DOTALL,
)

SUBJECTS = DATA["subjects"]

CASES_RULESET = (Path(__file__).parents[1] / "rules" / "pebbles.yaml").read_text(encoding="utf-8")
"""Ruleset that the ``cases`` examples play."""


@contextmanager
def break_compiled_engine() -> Iterator[None]:
    """Break the compiled engine within this context: it adds a pebble to `taken` after every decision."""
    apply = CompiledEngine.apply

    def apply_wrongly(self: CompiledEngine, *args: Any) -> State:
        state = apply(self, *args)
        state.cells[self.layout.places["taken"].at((0,))] += 1
        return state

    with patch.object(CompiledEngine, "apply", apply_wrongly):
        yield


@dataclass(frozen=True)
class Page:
    """A page of a diagnostic, split into its parts."""

    id: str
    name: str
    meaning: str
    printed: str
    wrong: tuple[str, str]
    fixed: tuple[str, str]


def read_page(code: str) -> Page:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    match = LAYOUT.fullmatch(text)
    assert match is not None, f"docs/reference/diagnostics/{code}.md does not have the layout that this test describes"
    return Page(
        match["id"],
        match["name"],
        match["meaning"],
        match["printed"],
        (match["wrong_language"], match["wrong"]),
        (match["fixed_language"], match["fixed"]),
    )


OPTIONAL = {
    "game": 'game: {id: pebbles, name: Pebbles, version: "1", language: 2, players: 2}\n',
    "scoring": "scoring: {rank: [me.seat]}\n",
}
"""Sections that an example of the language ``yaml`` may leave out."""

HEAD = re.compile(r"^--- (\S+)(?: -> (\S+))?\n", re.MULTILINE)
"""Header of a file in a ``folder`` example: its name, and for a link its target."""


def write_example(text: str, folder: Path) -> None:
    """Write the files and links of an example, and a folder beside it that links may point to."""
    (folder.parent / "elsewhere").mkdir(exist_ok=True)
    (folder.parent / "elsewhere" / "welcome.yaml").write_text('setup: announce "Welcome"\n')
    heads = list(HEAD.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        file = folder / head[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        if head[2]:
            file.symlink_to(head[2])
        else:
            file.write_text(text[head.end() : following.start() if following else None], encoding="utf-8")


def check_example(language: str, text: str, folder: Path) -> list[Diagnostic]:
    """Return the diagnostics of an example."""
    folder.mkdir()
    diagnostics = Diagnostics()
    if language.startswith("cases"):
        (folder / "ruleset.yaml").write_text(CASES_RULESET, encoding="utf-8")
        (folder / "cases").mkdir()
        (folder / "cases" / "example.yaml").write_text(text, encoding="utf-8")
        with break_compiled_engine() if language == "cases-misplayed" else nullcontext():
            program = load_program(folder)
            results = run_cases(program, folder, BOTH)
            diagnostics.extend(list_case_faults(program, list_case_files(folder)))
        assert results
        diagnostics.extend(failure.diagnostic for result in results for failure in result.failures)
    elif language == "folder":
        write_example(text, folder)
        check(folder, diagnostics)
    else:
        assert language in {"yaml", "yaml-bytes"}, language
        data = text.encode("utf-8")
        if language == "yaml-bytes":
            data = re.sub(rb"\\x([0-9a-fA-F]{2})", lambda match: bytes([int(match[1], 16)]), data)
        (folder / "ruleset.yaml").write_bytes(data)
        left_out = [text_of for section, text_of in OPTIONAL.items() if not re.search(rf"^{section}:", text, re.M)]
        if left_out:
            (folder / "game.yaml").write_text("".join(left_out), encoding="utf-8")
        program = check(folder, diagnostics)
        if program is not None:
            check_laws(program, diagnostics)
    return diagnostics.list_sorted()


def print_diagnostic(code: str, folder: Path) -> str:
    """Return the first diagnostic of this code in the wrong example, as ``lusory check`` prints it."""
    errors = check_example(*read_page(code).wrong, folder)
    first = next(error for error in errors if error.code.id == code)
    return render_diagnostic(first).plain.replace(f"{folder}/", "").replace(str(folder), "pebbles") + "\n"


@pytest.mark.parametrize("code", CODES)
def test_wrong_example_produces_exactly_this_code(code: str, tmp_path: Path) -> None:
    codes = {error.code.id for error in check_example(*read_page(code).wrong, tmp_path / "wrong")}

    assert code in codes
    assert {name for name in codes if name.startswith("E")} <= {code}


@pytest.mark.parametrize("code", CODES)
def test_page_shows_the_printed_diagnostic(code: str, tmp_path: Path) -> None:
    page = read_page(code)

    assert page.printed == print_diagnostic(code, tmp_path / "wrong"), REWRITE


@pytest.mark.parametrize("code", CODES)
def test_fixed_example_is_correct(code: str, tmp_path: Path) -> None:
    errors = check_example(*read_page(code).fixed, tmp_path / "fixed")

    assert [f"{error.code.id}: {error.message}" for error in errors] == []


@pytest.mark.parametrize("code", CODES)
def test_page_agrees_with_the_table_of_codes(code: str) -> None:
    page = read_page(code)

    assert (page.id, page.name, page.meaning) == (code, CODES[code].name, CODES[code].meaning), REWRITE


def test_every_page_has_a_code() -> None:
    assert {path.stem for path in PAGES.glob("[EW]*.md")} == set(CODES)


INDEX_HEAD = DATA["index head"]


def build_index() -> str:
    """Return the text of the index, made from the table of codes."""
    lines = [INDEX_HEAD]
    subject = ""
    for code in sorted(CODES.values(), key=lambda code: (code.id[1:3], code.id)):
        if code.id[1:3] != subject:
            subject = code.id[1:3]
            lines += ["", f"## {SUBJECTS[subject]}", ""]
        lines.append(f"- [{code.id}]({code.id}.md) {code.name}")
    return "\n".join(lines) + "\n"


def test_index_is_up_to_date() -> None:
    assert INDEX.read_text(encoding="utf-8") == build_index(), REWRITE


def rewrite(code: str, folder: Path) -> None:
    """Rewrite the title, the meaning and the printed diagnostic of a page."""
    file = PAGES / f"{code}.md"
    text = file.read_text(encoding="utf-8")
    match = LAYOUT.fullmatch(text)
    assert match is not None, f"{file} does not have the layout that this module describes"
    head = f"# {code} {CODES[code].name}\n\n{CODES[code].meaning}\n\n```text\n{print_diagnostic(code, folder)}"
    file.write_text(head + text[match.end("printed") :], encoding="utf-8")


if __name__ == "__main__":
    INDEX.write_text(build_index(), encoding="utf-8")
    for name in sys.argv[1:] or CODES:
        with TemporaryDirectory() as scratch:
            rewrite(name, Path(scratch) / "wrong")
