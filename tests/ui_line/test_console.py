"""Test how diagnostics are shown: snippets for people, JSON for programs, workflow commands for GitHub."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from programs import read_data
from rich.console import Console

from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.ui.line import diagnostic_rendering
from lusory.ui.line.plain_output_and_terminal_checks import wrap_message
from lusory.ui.line.statistics_tables_and_game_lists import ProgressBar
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory_dsl.source.diagnostics import Code, Diagnostic
from lusory_dsl.source.source import NOWHERE, Source, Span

DATA = read_data(__file__)

UNKNOWN = Code("E9999", "unknown-name", "A name that nothing has.")
LINT = Code("W9999", "unused", "Nobody uses it.")


def find_span(source: Source, text: str) -> Span:
    start = source.text.index(text)
    return Span(source, start, start + len(text))


def render(source: Source, text: str, width: int | None = None, **options: object) -> list[str]:
    diagnostic = Diagnostic(UNKNOWN, f"unknown name `{text}`", find_span(source, text), **options)  # type: ignore[arg-type]
    return diagnostic_rendering.render_diagnostic(diagnostic, width).plain.splitlines()


@pytest.mark.parametrize("case", DATA["diagnostics"], ids=lambda case: case["test"])
def test_diagnostic(case: dict[str, Any]) -> None:
    """A case names the lines of a diagnostic or ruleset fault at the text ``at`` or at the offsets ``span``."""
    source = Source("a.yaml", case["source"])
    span = Span(source, *case["span"]) if "span" in case else find_span(source, case["at"])
    if "fault" in case:
        text = diagnostic_rendering.render_fault(RulesetFault(case["fault"], span, ("round", "plan"), "zero = 0"))
    else:
        sources = {"a.yaml": source, "b.yaml": Source("b.yaml", "x\nround: 3\n")}
        notes = tuple(
            (find_span(sources[file], "round") if file else NOWHERE, note) for file, note in case.get("notes", ())
        )
        diagnostic = Diagnostic(UNKNOWN, case.get("message", "x"), span, case.get("hint"), notes)
        text = diagnostic_rendering.render_diagnostic(diagnostic)
    assert text.plain.splitlines()[-len(case["lines"].splitlines()) :] == case["lines"].splitlines()
    assert "\x1b" not in text.plain


@pytest.mark.parametrize(("text", "width", "lines"), DATA["messages wrap between words and keep commands whole"])
def test_messages_wrap_between_words_and_keep_commands_whole(text: str, width: int, lines: list[str]) -> None:
    assert wrap_message(text, width) == lines


@pytest.mark.parametrize("width", [None, 80])
@pytest.mark.parametrize("before", [0, 1, 4_000_000])
def test_huge_line_is_shown_in_part(before: int, width: int | None) -> None:
    """A stranger's file may be one line of millions of characters, full of mistakes."""
    room = width or diagnostic_rendering.MAX_LINE_LENGTH
    lines = render(Source("a.yaml", "x" * before + "bad" + "y" * 4_000_000), "bad", width)
    assert "bad" in lines[-2]
    assert max(map(len, lines)) <= room + 4
    assert lines[-1].index("^") == lines[-2].index("bad")
    assert lines[-1].count("^") == 3


def test_distant_places_of_a_long_line_are_shown_as_parts() -> None:
    source = Source("a.yaml", "one" + "x" * 90 + " bad")
    first, first_mark, second, second_mark = render(source, "bad", 40, notes=((find_span(source, "one"), "here"),))[-4:]
    assert first[first_mark.index("^^^") :].startswith("bad")
    assert second[second_mark.index("--- here") :].startswith("one")


def test_long_lines_are_cut_around_the_span() -> None:
    source = Source("a.yaml", "x" * 100 + " bad " + "y" * 100)
    lines = render(source, "bad", width=40)
    code, carets = lines[-2:]
    assert len(code) <= 40
    assert code[carets.index("^") :].startswith("bad")
    assert code[4] == code[-1] == "…"


def test_summary_counts_by_severity() -> None:
    error, warning = (Diagnostic(code, "x", NOWHERE) for code in (UNKNOWN, LINT))
    assert diagnostic_rendering.summarize([]) == ""
    assert diagnostic_rendering.summarize([error, error, warning]) == "2 errors, 1 warning"
    assert diagnostic_rendering.summarize([warning]) == "1 warning"


def create_screen(output: StringIO) -> Terminal:
    return Terminal(Console(file=output, force_terminal=True, width=60), lambda prompt: "", False)


def test_progress_bar_is_cleared_for_printed_lines() -> None:
    output = StringIO()
    with ProgressBar(create_screen(output), "cases", 9) as bar:
        bar(3)
        assert "3/9" in output.getvalue()
        with bar.pause():
            output.write("FAILED")
    erasure = "\x1b[1A\x1b[2K"

    assert output.getvalue().endswith(f"{erasure}FAILED")


def test_short_work_has_no_progress_bar() -> None:
    output = StringIO()
    with ProgressBar(create_screen(output), "cases", 9, patience=3600) as bar:
        bar(9)

    assert output.getvalue() == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_function_keys_type_nothing() -> None:
    pytest.importorskip("readline")
    call = "lusory.ui.line.terminal_output_and_line_editing.create_terminal().read('> ')"
    program = f"import lusory.ui.line.terminal_output_and_line_editing\nprint('read', {call}, 'end')"
    master, slave = os.openpty()
    command, env = [sys.executable, "-c", program], {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env) as process:
        os.close(slave)
        output = b""
        while b"> " not in output:
            output += os.read(master, 1000)
        os.write(master, b"a\x1b[18~b\x1bOPc\x1b[24~d\r")
        while b"end" not in output:
            output += os.read(master, 1000)
        process.wait(10)
    os.close(master)
    assert b"read abcd end" in output, output
