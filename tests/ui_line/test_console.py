"""Diagnostics as they are shown: snippets for people, JSON for programs, workflow commands for GitHub."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO

import pytest
from rich.console import Console

from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.ui.line import diagnostic_rendering
from lusory.ui.line.plain_output_and_terminal_checks import wrap_message
from lusory.ui.line.statistics_tables_and_game_lists import ProgressBar
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory_dsl.source.diagnostics import Code, Diagnostic
from lusory_dsl.source.source import NOWHERE, Source, Span

UNKNOWN = Code("E9999", "unknown-name", "A name that nothing has.")
LINT = Code("W9999", "unused", "Nobody uses it.")


def place(source: Source, text: str) -> Span:
    start = source.text.index(text)
    return Span(source, start, start + len(text))


def shown(source: Source, text: str, width: int | None = None, **rest: object) -> list[str]:
    diagnostic = Diagnostic(UNKNOWN, f"unknown name `{text}`", place(source, text), **rest)  # type: ignore[arg-type]
    return diagnostic_rendering.render_diagnostic(diagnostic, width).plain.splitlines()


def test_snippet_points_at_the_place_and_says_how_to_mend_it() -> None:
    source = Source("ring.yaml", "setup: |\n  move 1 soldeir from stock to ready\n")
    assert shown(source, "soldeir", hint="did you mean `soldier`?") == [
        "error[E9999]: unknown name `soldeir`",
        " --> ring.yaml:2:10",
        "  |",
        "2 |   move 1 soldeir from stock to ready",
        "  |          ^^^^^^^",
        "  |",
        "  = help: did you mean `soldier`?",
    ]


@pytest.mark.parametrize(
    ("line", "indent"),
    [("\tx: bad", 7), ("城壁: bad", 6), ("🏰 bad", 3), ("e\u0301: bad", 3)],
    ids=["tab", "wide", "emoji", "combining"],
)
def test_carets_stand_under_the_word_whatever_is_before_it(line: str, indent: int) -> None:
    lines = shown(Source("a.yaml", line), "bad")
    assert lines[-1] == "  | " + " " * indent + "^^^"


@pytest.mark.parametrize("width", [None, 80])
@pytest.mark.parametrize("before", [0, 1, 4_000_000])
def test_of_a_line_without_an_end_a_part_is_shown(before: int, width: int | None) -> None:
    """A file of a stranger may be one line of millions of characters, with mistakes all over it."""
    room = width or diagnostic_rendering.MAX_LINE_LENGTH
    lines = shown(Source("a.yaml", "x" * before + "bad" + "y" * 4_000_000), "bad", width)
    assert "bad" in lines[-2]
    assert max(map(len, lines)) <= room + 4
    assert lines[-1].index("^") == lines[-2].index("bad")
    assert lines[-1].count("^") == 3


def test_two_distant_places_of_a_long_line_are_shown_as_two_parts() -> None:
    source = Source("a.yaml", "one" + "x" * 90 + " bad")
    first, first_mark, second, second_mark = shown(source, "bad", 40, notes=((place(source, "one"), "here"),))[-4:]
    assert first[first_mark.index("^^^") :].startswith("bad")
    assert second[second_mark.index("--- here") :].startswith("one")


def test_notes_in_the_same_file_share_the_snippet_and_others_get_their_own() -> None:
    here = Source("a.yaml", "round: 1\n\n\nround: 2\n")
    there = Source("b.yaml", "x\nround: 3\n")
    again = Span(here, 11, 16)
    notes = ((place(here, "round"), "first here"), (place(there, "round"), "and here"), (NOWHERE, "a remark"))
    text = diagnostic_rendering.render_diagnostic(Diagnostic(UNKNOWN, "declared twice", again, None, notes)).plain
    assert text.splitlines() == [
        "error[E9999]: declared twice",
        " --> a.yaml:4:1",
        "  |",
        "1 | round: 1",
        "  | ----- first here",
        "...",
        "4 | round: 2",
        "  | ^^^^^",
        "  |",
        " ::: b.yaml:2:1",
        "  |",
        "2 | round: 3",
        "  | ----- and here",
        "  |",
        "  = note: a remark",
    ]


def test_a_place_over_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    source = Source("a.yaml", "ab cd  \nef")
    lines = diagnostic_rendering.render_diagnostic(Diagnostic(UNKNOWN, "x", Span(source, 3, 10))).plain.splitlines()
    assert lines[-2:] == ["1 | ab cd", "  |    ^^"]


def test_the_end_of_the_file_can_be_pointed_at() -> None:
    source = Source("a.yaml", "ab")
    lines = diagnostic_rendering.render_diagnostic(Diagnostic(UNKNOWN, "x", Span(source, 2, 3))).plain.splitlines()
    assert lines[-2:] == ["1 | ab", "  |   ^"]


def test_a_whole_file_has_no_snippet() -> None:
    lines = diagnostic_rendering.render_diagnostic(
        Diagnostic(UNKNOWN, "no such file", Span(Source("a.yaml", ""), 0, 0), "look")
    ).plain.splitlines()
    assert lines == ["error[E9999]: no such file", " --> a.yaml", "  = help: look"]


def test_long_lines_are_cut_round_the_place() -> None:
    source = Source("a.yaml", "x" * 100 + " bad " + "y" * 100)
    lines = shown(source, "bad", width=40)
    code, carets = lines[-2:]
    assert len(code) <= 40
    assert code[carets.index("^") :].startswith("bad")
    assert code[4] == code[-1] == "…"


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in "\n".join(shown(Source("a.yaml", "\x1b[31m bad"), "bad"))


def test_summary_counts_by_severity() -> None:
    error, warning = (Diagnostic(code, "x", NOWHERE) for code in (UNKNOWN, LINT))
    assert diagnostic_rendering.summarize([]) == ""
    assert diagnostic_rendering.summarize([error, error, warning]) == "2 errors, 1 warning"
    assert diagnostic_rendering.summarize([warning]) == "1 warning"


def test_a_fault_says_what_was_under_way() -> None:
    source = Source("a.yaml", "value: 1 div zero")
    fault = RulesetFault("division by zero", place(source, "1 div zero"), ("round", "plan"), "zero = 0")
    assert diagnostic_rendering.render_fault(fault).plain.splitlines() == [
        "fault: division by zero",
        " --> a.yaml:1:8",
        "  |",
        "1 | value: 1 div zero",
        "  |        ^^^^^^^^^^",
        "  |",
        "  = note: in round > plan",
        "",
        "zero = 0",
    ]


def screen(shown: StringIO) -> Terminal:
    return Terminal(Console(file=shown, force_terminal=True, width=60), lambda prompt: "", False)


def test_a_bar_makes_room_for_what_is_printed() -> None:
    shown = StringIO()
    with ProgressBar(screen(shown), "cases", 9) as bar:
        bar(3)
        assert "3/9" in shown.getvalue()
        with bar.paused():
            shown.write("FAILED")
    wiped = "\x1b[1A\x1b[2K"

    assert shown.getvalue().endswith(f"{wiped}FAILED")


def test_what_is_soon_done_has_no_bar() -> None:
    shown = StringIO()
    with ProgressBar(screen(shown), "cases", 9, patience=3600) as bar:
        bar(9)

    assert shown.getvalue() == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_function_keys_type_nothing_where_lines_are_edited() -> None:
    pytest.importorskip("readline")
    read = "lusory.ui.line.terminal_output_and_line_editing.create_terminal().read('> ')"
    reads = f"import lusory.ui.line.terminal_output_and_line_editing\nprint('read', {read}, 'end')"
    master, slave = os.openpty()
    there = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen([sys.executable, "-c", reads], stdin=slave, stdout=slave, stderr=slave, env=there) as process:
        os.close(slave)
        said = b""
        while b"> " not in said:
            said += os.read(master, 1000)
        os.write(master, b"a\x1b[18~b\x1bOPc\x1b[24~d\r")
        while b"end" not in said:
            said += os.read(master, 1000)
        process.wait(10)
    os.close(master)
    assert b"read abcd end" in said, said


def test_messages_break_between_words_and_keep_commands_whole() -> None:
    line = "lusory: all 6 decisions are still possible, so `lusory play moths --continue --changed-rules` continues"
    path = f"`lusory replay --verify /{'journal/' * 20}one.json` compares the whole game"

    assert wrap_message(line, 60) == [
        "lusory: all 6 decisions are still possible, so",
        "    `lusory play moths --continue --changed-rules` continues",
    ]
    assert [part for part in wrap_message(path, 60) if len(part) > 60] == [f"    /{'journal/' * 20}one.json`"]
    assert wrap_message("short", 60) == ["short"]
    assert wrap_message("it runs `lusory go`", 15) == ["it runs", "    `lusory go`"]
    assert wrap_message("it runs (`lusory go`).", 18) == ["it runs", "    (`lusory go`)."]
    assert wrap_message("it runs (`lusory go`).", 17) == ["it runs (`lusory", "    go`)."]
