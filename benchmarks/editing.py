"""``python -m benchmarks.editing [RULESET]``: processor time of the language server, for the City by default.

First come the checks after an edit: what is found in the rules (the first diagnostics that an editor shows), and what
is found in the data and the cases. Then come completion and hover, answered by the server's own handlers, up to the
text that goes to the editor. Processor time hardly depends on what else the machine does.
"""

from __future__ import annotations

import gc
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import process_time

from lsprotocol import types as lsp
from lsprotocol.converters import get_converter
from pygls.workspace import Workspace

from lusory.lsp.completion_hover_and_definition import read_docs
from lusory.lsp.project_lookup_and_checks import CheckResult, Project, check_cases, check_data, check_rules
from lusory.lsp.server import GARBAGE_THRESHOLD, Server, make_server
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import ResultCache, enable_cache
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

REPEATS = 5
PLACES = 12
"""How many places of a kind are asked about."""
EDITS = {
    "a number in an effect": ("*.yaml", r"^  +do: \|\n(?: {4,}.*\n)*? {4,}.*?(?<![\w.])(?P<old>\d)(?![\w.])", "{n}"),
    "a number in a card's text": ("cards/*.yaml", r"^ +(?:do|effect): \|?\n?(?:.*\n)??.*?\((?P<old>\d)\)", "{n}"),
    "an unknown name in an effect": ("*.yaml", r"^  +do: \|\n +(?:\w+ )(?P<old>)", "nothing{n} "),
    "a condition of a query": ("*.yaml", r"^ +value: .* and (?P<old>)", "1 < {n} and "),
    "a doc of a query": ("*.yaml", r"^queries:\n(?:.*\n)*? .*doc: \"?\w(?P<old>)", "{n}"),
    "a card's cost": ("cards/*.yaml", r"_cost: (?P<old>\d)", "{n}"),
    "a new variable": ("*.yaml", r"^variables:\n(?P<old>)", "  added_{n}: {{type: Int, start: 1}}\n"),
    "a new case": ("cases/*.yaml", r"^cases:\n(?P<old>)", "- {{id: added-{n}, title: a, given: {{}}, steps: []}}\n"),
}
"""Name -> the files of an edit, what it replaces (the group ``old``), and the new text."""
QUESTIONS = {
    "a statement": ("*.yaml", r"^  +do: \|\n +(?P<at>)\w"),
    "a value in an effect": ("*.yaml", r"^ {4,}(?:if|set|increase) (?P<at>)\w"),
    "a member": ("*.yaml", r"\w\.(?P<at>)\w+ "),
    "a key": ("*.yaml", r"^  (?P<at>)\w+:"),
    "a field of a card": ("cards/*.yaml", r"^ +\w+: (?P<at>)\w"),
    "a step of a case": ("cases/*.yaml", r"\bdo: \{P1: (?P<at>)"),
    "a position of a case": ("cases/*.yaml", r"\bgiven: \{(?P<at>)"),
}
"""Name -> the files of a question, and the place of the cursor (the group ``at``)."""


class Editor:
    """A language server in this process, with buffers that stand for a ruleset's files."""

    def __init__(self, folder: Path, cache: ResultCache) -> None:
        self.folder, self.cache, self.project = folder, cache, Project(folder)
        self.server: Server = make_server(cache)
        self.server.protocol._workspace = Workspace(None)  # what the greeting of an editor sets up
        self._convert = get_converter()
        self._rules: CheckResult | None = None

    def find(self, pattern: str, place: str) -> Iterator[tuple[Path, re.Match[str]]]:
        """Yield the places that match a regular expression, in the files that match a glob pattern."""
        for file in sorted(self.folder.glob(pattern)):
            for match in re.finditer(place, file.read_text(encoding="utf-8"), re.MULTILINE):
                yield file, match

    def check(self, file: Path, text: str) -> tuple[float, float]:
        """Check the ruleset with a changed file. Return the seconds for the rules, and for their data and cases."""
        self.open(file, text)
        buffers, begin = {file: text}, process_time()
        self._rules = rules = check_rules(self.project, buffers, self._rules)
        rules_end = process_time()
        read_docs(rules.index)
        self.server.last_checks[self.project] = check_cases(self.project, buffers, check_data(rules))
        end = process_time()
        self.cache.start_round()  # what the server does when the findings are shown
        gc.collect(1)
        return rules_end - begin, end - rules_end

    def open(self, file: Path, text: str) -> None:
        """Put a file with this text into the editor."""
        self.server.workspace.put_text_document(lsp.TextDocumentItem(file.as_uri(), "yaml", 1, text))

    def ask(self, method: str, file: Path, text: str, offset: int) -> float:
        """Ask about a place, and return the seconds up to the text of the answer."""
        line = text.count("\n", 0, offset)
        position = lsp.Position(line, offset - text.rfind("\n", 0, offset) - 1)
        params = lsp.TextDocumentPositionParams(lsp.TextDocumentIdentifier(file.as_uri()), position)
        begin = process_time()
        answer = self.server.protocol.fm.features[method](params)
        json.dumps(self._convert.unstructure(answer))
        return process_time() - begin


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "empire-city"
    gc.set_threshold(GARBAGE_THRESHOLD)
    with enable_cache() as cache:
        editor = Editor(find_bundled_rulesets()[name], cache)
        main_file = editor.folder / "ruleset.yaml"
        first = editor.check(main_file, main_file.read_text(encoding="utf-8"))
        gc.collect()
        gc.freeze()
        print(f"{'check after an edit of':<32}{'rules':>10}{'longest':>10}{'data+cases':>12}   milliseconds")
        print(f"{'nothing: the first check':<32}" + _format_times([first[0]]) + f"{1000 * first[1]:>12.0f}", flush=True)
        _measure_questions(editor, "first ")
        for edit in EDITS:
            times = list(_edit(editor, edit))
            if times:
                rule_seconds, data_seconds = zip(*times, strict=True)
                print(f"{edit:<32}" + _format_times(rule_seconds) + f"{1000 * median(data_seconds):>12.0f}", flush=True)
        _measure_questions(editor, "")


def _edit(editor: Editor, name: str) -> Iterator[tuple[float, float]]:
    """Yield the times of the checks after repeated edits of one place, or nothing if there is no such place."""
    pattern, place, new = EDITS[name]
    file, match = next(editor.find(pattern, place), (None, None))
    if file is None or match is None:
        return
    before, after = match.string[: match.start("old")], match.string[match.end("old") :]
    for number in range(REPEATS):
        yield editor.check(file, before + new.format(n=number + 2) + after)
    editor.check(file, match.string)


def _measure_questions(editor: Editor, prefix: str) -> None:
    """Print the times of completion and hover at some places of each kind."""
    print(f"{prefix + 'question about':<32}{'completion':>10}{'longest':>10}{'hover':>12}{'longest':>10}")
    for name, (pattern, place) in QUESTIONS.items():
        places = list(editor.find(pattern, place))
        places = places[:: max(1, len(places) // PLACES)]
        times: list[Sequence[float]] = []
        for method in (lsp.TEXT_DOCUMENT_COMPLETION, lsp.TEXT_DOCUMENT_HOVER):
            times.append(list(_ask(editor, method, places)))
        print(f"{name:<32}" + _format_times(times[0]) + f"{'':>2}" + _format_times(times[1]), flush=True)


def _ask(editor: Editor, method: str, places: Sequence[tuple[Path, re.Match[str]]]) -> Iterator[float]:
    for file, match in places:
        editor.open(file, match.string)
        yield editor.ask(method, file, match.string, match.start("at"))


def _format_times(seconds: Sequence[float]) -> str:
    return f"{1000 * median(seconds):>10.0f}{1000 * max(seconds):>10.0f}" if seconds else f"{'-':>10}{'-':>10}"


if __name__ == "__main__":
    main()
