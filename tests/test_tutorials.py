"""Follow every page of docs/design in an empty folder, and compare the output of commands with the page.

A comment that readers of the page don't see says what the fenced text after it does to a file:

    <!-- write FILE -->             the text is the whole file
    <!-- insert FILE before TEXT --> the text comes before the first line that begins with TEXT (or ``after`` its line)
    <!-- append FILE -->            the text comes at the end
    <!-- change FILE -->            the text is in the file
    <!-- instead -->                this text replaces the one before
    <!-- same FILE -->              the text is the present content of the file
    <!-- mistake FILE: OLD => NEW --> the next ``console`` text has this mistake, which is then undone

A ``console`` text holds commands after ``$ `` and their output. ``…`` stands for anything, and on a line of its own for
any number of lines. Lines that begin with ``> `` are input. ``python tests/test_tutorials.py [PAGE...]`` updates the
output in the pages. A ``text`` without a comment is not executed. test_docs.py executes all other languages.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import pytest
from programs import ROOT, read_data

from lusory.cli import main

DATA = read_data(__file__)

PAGES = sorted((ROOT / "docs" / "design").glob("*.md"))
TUTORIALS = ("first-card", "first-game", "first-board-game", "packs")
"""Pages with many commands. If one runs only a few, the test no longer recognises its steps."""
STEP = re.compile(
    r"^<!-- (?P<deed>\w+)(?: (?P<file>[\w.][\w./-]*):?(?P<rest>[^\n]*?))? -->$|"
    r"^```(?P<language>yaml|text|console|python)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ANYTHING = "…"


@dataclass
class Session:
    """A page that is being followed. ``deed`` is the announced use of the next fenced text."""

    deed: str = ""
    file: Path = Path()
    argument: str = ""
    before: str = ""  # content of a file before its mistake, or the text to replace
    commands: int = 0
    differences: list[tuple[re.Match[str], str]] = field(default_factory=list)  # a text and what it should be

    def follow(self, page: str) -> None:
        for match in STEP.finditer(page):
            if match["deed"]:
                self._read_comment(match)
            elif match["language"] == "console":
                self._run_commands(match)
            elif self.deed == "same":
                self._compare(match, self.file.read_text(encoding="utf-8").rstrip("\n"))
                self.deed = ""
            elif self.deed:
                self._write(match["text"])
            else:
                assert match["language"] == "text", f"no comment says what to do with:\n{match['text']}"
        assert not self.deed, f"nothing follows `{self.deed}`"

    def _read_comment(self, match: re.Match[str]) -> None:
        if match["deed"] == "instead":
            assert self.deed == "change", "what is changed comes first"
            assert self.before, "what is changed comes first"
            self.deed = "instead"
            return
        assert not self.deed, f"nothing follows `{self.deed}`"
        self.deed, self.file, self.argument = match["deed"], Path(match["file"]), match["rest"].removeprefix(" ")
        assert self.deed in {"write", "insert", "append", "change", "same", "mistake"}, match[0]
        if self.deed == "mistake":
            self.before = self.file.read_text(encoding="utf-8")
            old, _, new = self.argument.partition(" => ")
            before, separator, after = self.before.rpartition(old)  # the last occurrence counts
            assert separator, f"{self.file} has no `{old}`"
            self._save(before + new + after)

    def _write(self, text: str) -> None:
        content = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        if self.deed == "change":
            assert text in content, f"{self.file} has no\n{text}"
            self.before = text
            return
        if self.deed == "insert":
            text = "".join(self._insert(content, text))
        elif self.deed == "append":
            text = content + text
        elif self.deed == "instead":
            text = content.replace(self.before, text, 1)
        self._save(text)
        self.deed, self.before = "", ""

    def _insert(self, content: str, text: str) -> Iterator[str]:
        where, _, start = self.argument.partition(" ")
        is_done = False
        for line in content.splitlines(keepends=True):
            is_target = not is_done and line.lstrip().startswith(start)
            is_done = is_done or is_target
            yield from (text, line) if is_target and where == "before" else (line, text) if is_target else (line,)
        assert is_done, f"{self.file} has no line `{start}`"

    def _save(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text, encoding="utf-8")

    def _run_commands(self, match: re.Match[str]) -> None:
        """Run the command after each ``$``, and compare its output."""
        lines = []
        for part in re.split(r"^(?=\$ )", match["text"], flags=re.M)[1:]:
            command, *expected = part.splitlines()
            input_lines = [line.removeprefix("> ") for line in expected if line.startswith("> ")]
            output = run_command(command.removeprefix("$ "), "".join(f"{line}\n" for line in input_lines))
            self.commands += 1
            lines += [command, *(expected if matches(expected, output) else output)]
        self._compare(match, "\n".join(lines))
        if self.deed == "mistake":
            self._save(self.before)
            self.deed, self.before = "", ""

    def _compare(self, match: re.Match[str], output: str) -> None:
        if output != match["text"].rstrip("\n"):
            self.differences.append((match, output))


def run_command(command: str, input_text: str) -> list[str]:
    """Run a command on a screen of 80 columns. Return the lines that it prints."""
    program, *args = shlex.split(command.removeprefix("PYTHONPATH=. "))
    assert program == "lusory", command
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output), mock.patch.object(sys, "stdin", io.StringIO(input_text)):
        try:
            main(args)
        except SystemExit as exit:
            assert exit.code in (0, 2)
    return [line.rstrip() for line in output.getvalue().rstrip("\n").splitlines()]


def matches(expected: list[str], lines: list[str]) -> bool:
    """Return whether lines are as expected. Lines between ``…`` must occur in the same order."""
    if ANYTHING not in expected:
        return len(expected) == len(lines) and all(map(matches_line, expected, lines))
    cut = expected.index(ANYTHING)
    head, remaining = expected[:cut], expected[cut + 1 :]
    if not matches(head, lines[: len(head)]):
        return False
    return any(matches(remaining, lines[start:]) for start in range(len(head), len(lines) + 1))


def matches_line(expected: str, line: str) -> bool:
    pattern = ".*".join(map(re.escape, expected.rstrip().split(ANYTHING)))
    return re.fullmatch(pattern, line) is not None


def follow_page(page: Path, folder: Path) -> Session:
    environment = {"COLUMNS": "80", "NO_COLOR": "1", "XDG_DATA_HOME": str(folder / "saves"), "LUSORY_CACHE": "off"}
    session = Session()
    place = folder / "tutorial"
    place.mkdir()
    path = [str(place), *sys.path]
    with chdir(place), mock.patch.dict(os.environ, environment), mock.patch.object(sys, "path", path):
        session.follow(page.read_text(encoding="utf-8"))
    return session


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_show_the_output_of_their_commands(page: Path, tmp_path: Path) -> None:
    session = follow_page(page, tmp_path)

    assert session.commands > 5 or page.stem not in TUTORIALS
    for match, output in session.differences:
        assert output == match["text"].rstrip("\n")


@pytest.mark.parametrize(("expected", "output", "is_same"), DATA["how output is compared"])
def test_how_output_is_compared(expected: str, output: str, is_same: bool) -> None:
    assert matches(expected.split(" | "), output.split(" | ")) == is_same


def rewrite(pages: list[Path]) -> None:
    """Update the pages with the present output of commands."""
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            differences = follow_page(page, Path(folder)).differences
        text = page.read_text(encoding="utf-8")
        for match, output in reversed(differences):
            text = f"{text[: match.start('text')]}{output}\n{text[match.end('text') :]}"
        page.write_text(text, encoding="utf-8")
        print(f"{page.name}: {len(differences)} texts updated")


if __name__ == "__main__":
    rewrite([Path(name).resolve() for name in sys.argv[1:]] or PAGES)
