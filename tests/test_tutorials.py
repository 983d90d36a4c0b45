"""Every page of docs/design is followed in an empty folder, and what the commands print is what the page shows.

A remark that readers of the page don't see says what the fenced text after it does to a file:

    <!-- write FILE -->             the text is the whole file
    <!-- insert FILE before TEXT --> the text comes before the first line that begins with TEXT (or ``after`` its line)
    <!-- append FILE -->            the text comes at the end
    <!-- change FILE -->            the text is in the file
    <!-- instead -->                and this one comes in its place
    <!-- same FILE -->              the text is what the whole file has become
    <!-- mistake FILE: OLD => NEW --> the next ``console`` text is with this mistake, which is then taken back

A ``console`` text holds commands behind ``$ `` and what they print; ``…`` stands for anything, on a line of its own for
any lines. Lines that begin with ``> `` are typed. ``python tests/test_tutorials.py [PAGE...]`` pastes what the commands
print now. A ``text`` without a remark is not executed; test_docs.py executes the languages that are not listed here.
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
"""Pages whose commands the reader follows from beginning to end: a page that runs few of them has lost its steps."""
STEP = re.compile(
    r"^<!-- (?P<deed>\w+)(?: (?P<file>[\w.][\w./-]*):?(?P<rest>[^\n]*?))? -->$|"
    r"^```(?P<language>yaml|text|console|python)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ANYTHING = "…"


@dataclass
class Session:
    """A page being followed: a folder, and what a remark has announced about the next fenced text."""

    deed: str = ""
    file: Path = Path()
    rest: str = ""
    before: str = ""  # of a file with a mistake in it, or of a change
    commands: int = 0
    differences: list[tuple[re.Match[str], str]] = field(default_factory=list)  # a text, and what it should be

    def follow(self, page: str) -> None:
        for match in STEP.finditer(page):
            if match["deed"]:
                self._announce(match)
            elif match["language"] == "console":
                self._type(match)
            elif self.deed == "same":
                self._compare(match, self.file.read_text(encoding="utf-8").rstrip("\n"))
                self.deed = ""
            elif self.deed:
                self._write(match["text"])
            else:
                assert match["language"] == "text", f"nothing says what is done with:\n{match['text']}"
        assert not self.deed, f"nothing follows `{self.deed}`"

    def _announce(self, match: re.Match[str]) -> None:
        if match["deed"] == "instead":
            assert self.deed == "change", "what is changed comes first"
            assert self.before, "what is changed comes first"
            self.deed = "instead"
            return
        assert not self.deed, f"nothing follows `{self.deed}`"
        self.deed, self.file, self.rest = match["deed"], Path(match["file"]), match["rest"].removeprefix(" ")
        assert self.deed in {"write", "insert", "append", "change", "same", "mistake"}, match[0]
        if self.deed == "mistake":
            self.before = self.file.read_text(encoding="utf-8")
            old, _, new = self.rest.partition(" => ")
            before, found, behind = self.before.rpartition(old)  # what was written last is meant
            assert found, f"{self.file} has no `{old}`"
            self._put(before + new + behind)

    def _write(self, text: str) -> None:
        known = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        if self.deed == "change":
            assert text in known, f"{self.file} has no\n{text}"
            self.before = text
            return
        if self.deed == "insert":
            text = "".join(self._inserted(known, text))
        elif self.deed == "append":
            text = known + text
        elif self.deed == "instead":
            text = known.replace(self.before, text, 1)
        self._put(text)
        self.deed, self.before = "", ""

    def _inserted(self, known: str, text: str) -> Iterator[str]:
        where, _, start = self.rest.partition(" ")
        found = False
        for line in known.splitlines(keepends=True):
            is_it = not found and line.lstrip().startswith(start)
            found = found or is_it
            yield from (text, line) if is_it and where == "before" else (line, text) if is_it else (line,)
        assert found, f"{self.file} has no line `{start}`"

    def _put(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text, encoding="utf-8")

    def _type(self, match: re.Match[str]) -> None:
        """Type what stands behind each ``$``, and compare."""
        shown = []
        for part in re.split(r"^(?=\$ )", match["text"], flags=re.M)[1:]:
            command, *expected = part.splitlines()
            typed = [line.removeprefix("> ") for line in expected if line.startswith("> ")]
            printed = printed_by(command.removeprefix("$ "), "".join(f"{line}\n" for line in typed))
            self.commands += 1
            shown += [command, *(expected if agrees(expected, printed) else printed)]
        self._compare(match, "\n".join(shown))
        if self.deed == "mistake":
            self._put(self.before)
            self.deed, self.before = "", ""

    def _compare(self, match: re.Match[str], shown: str) -> None:
        if shown != match["text"].rstrip("\n"):
            self.differences.append((match, shown))


def printed_by(command: str, typed: str) -> list[str]:
    """The lines that a command prints, on a screen of 80 columns."""
    program, *args = shlex.split(command.removeprefix("PYTHONPATH=. "))
    assert program == "lusory", command
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output), mock.patch.object(sys, "stdin", io.StringIO(typed)):
        try:
            main(args)
        except SystemExit as left:
            assert left.code in (0, 2)
    return [line.rstrip() for line in output.getvalue().rstrip("\n").splitlines()]


def agrees(expected: list[str], printed: list[str]) -> bool:
    """Whether lines are as expected; what stands between lines of ``…`` comes in its order."""
    if ANYTHING not in expected:
        return len(expected) == len(printed) and all(map(is_like, expected, printed))
    cut = expected.index(ANYTHING)
    head, rest = expected[:cut], expected[cut + 1 :]
    if not agrees(head, printed[: len(head)]):
        return False
    return any(agrees(rest, printed[start:]) for start in range(len(head), len(printed) + 1))


def is_like(expected: str, printed: str) -> bool:
    pattern = ".*".join(map(re.escape, expected.rstrip().split(ANYTHING)))
    return re.fullmatch(pattern, printed) is not None


def followed(page: Path, folder: Path) -> Session:
    environment = {"COLUMNS": "80", "NO_COLOR": "1", "XDG_DATA_HOME": str(folder / "saves"), "LUSORY_CACHE": "off"}
    session = Session()
    place = folder / "tutorial"
    place.mkdir()
    path = [str(place), *sys.path]
    with chdir(place), mock.patch.dict(os.environ, environment), mock.patch.object(sys, "path", path):
        session.follow(page.read_text(encoding="utf-8"))
    return session


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_step_does_what_the_page_says(page: Path, tmp_path: Path) -> None:
    session = followed(page, tmp_path)

    assert session.commands > 5 or page.stem not in TUTORIALS
    for match, shown in session.differences:
        assert shown == match["text"].rstrip("\n")


@pytest.mark.parametrize(("expected", "printed", "same"), DATA["how output is compared"])
def test_how_output_is_compared(expected: str, printed: str, same: bool) -> None:
    assert agrees(expected.split(" | "), printed.split(" | ")) == same


def rewrite(pages: list[Path]) -> None:
    """Put what commands print into the pages, where something else stands there."""
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            differences = followed(page, Path(folder)).differences
        text = page.read_text(encoding="utf-8")
        for match, shown in reversed(differences):
            text = f"{text[: match.start('text')]}{shown}\n{text[match.end('text') :]}"
        page.write_text(text, encoding="utf-8")
        print(f"{page.name}: {len(differences)} texts written anew")


if __name__ == "__main__":
    rewrite([Path(name).resolve() for name in sys.argv[1:]] or PAGES)
