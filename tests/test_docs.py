"""Execute every snippet of the README and of docs/, and check every link.

The language of a fenced block says what it is. ``yaml`` is a complete ruleset if it has a ``game`` section; otherwise
it must only be valid YAML. ``pack`` is a pack for the fixture docs/design/orchard.yaml. ``block``, ``expression``,
``rule`` and ``cases`` are texts about the fixture, and ``space`` is an expression about the board of the examples of
spaces. A line of an ``expression`` or ``space`` may end in ``→ value``. ``console`` is a session with the fixture as
``orchard.yaml``: commands after ``$``, input after ``>``, and output. A line of ``…`` stands for omitted lines.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from textwrap import indent

import pytest
import yaml
from native import NO_COMPILER
from programs import ROOT

from lusory.cli import main
from lusory.game import Game
from lusory.testing.cases.suite_runner import run_cases
from lusory.testing.engine_comparison import create_engine_pair, find_difference
from lusory_dsl.pipeline import check, load_program
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.types.builtin_functions_members_and_statements import BUILTINS, EXAMPLE, SPACE_MEMBERS

PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "tests" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "rulesets").rglob("*.md")),
]
EXECUTED_ELSEWHERE = {
    # test_diagnostic_pages.py expects mistakes there
    *(ROOT / "docs" / "reference" / "diagnostics").glob("*.md")
}
SESSIONS = {*(ROOT / "docs" / "design").glob("*.md")}
"""Pages that test_tutorials.py follows step by step."""
SESSION_LANGUAGES = {"yaml", "text", "console", "python"}
ORCHARD = ROOT / "docs" / "design" / "orchard.yaml"

FENCE = re.compile(r"^```(\w[\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
ENGINES = ["evaluator", "compiled"]


@dataclass(frozen=True)
class Snippet:
    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def _list_snippets() -> Iterator[Snippet]:
    for page in PAGES:
        if page in EXECUTED_ELSEWHERE:
            continue
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            if page in SESSIONS and match[1] in SESSION_LANGUAGES:
                continue
            yield Snippet(page, text.count("\n", 0, match.start()) + 2, match[1], match[2])


def _list_builtin_examples() -> Iterator[Snippet]:
    page = ROOT / "docs" / "reference" / "builtins.md"
    text = page.read_text(encoding="utf-8")

    def create_snippet(name: str, language: str, example: str) -> Snippet:
        return Snippet(page, text.count("\n", 0, text.index(f"- **{name}**")) + 1, language, example)

    for row in BUILTINS:
        if row.kind == "verb":
            yield create_snippet(row.name, "block", row.example)
        else:
            yield create_snippet(f"`{row.signature}`", "expression", f"{row.example} → {row.example_value}")
    first_seat = next(row for row in SPACE_MEMBERS if row.subject_kind == "seat")
    for space_row in SPACE_MEMBERS:
        signature = (first_seat if space_row.subject_kind == "seat" else space_row).signature
        yield create_snippet(f"`{signature}`", "space", space_row.example)


SNIPPETS = [*_list_snippets(), *_list_builtin_examples()]


def parametrize_snippets(*languages: str) -> pytest.MarkDecorator:
    snippets = [snippet for snippet in SNIPPETS if snippet.language in languages]
    return pytest.mark.parametrize("snippet", snippets, ids=str)


def read_fixture() -> str:
    return ORCHARD.read_text(encoding="utf-8")


def load_fixture(tmp_path: Path, section: str, first_phase: str = "", fixture: str | None = None) -> object:
    """Load the fixture with one more section, and perhaps a block that runs before its first phase."""
    text = fixture if fixture is not None else read_fixture()
    if first_phase:
        text = text.replace(
            "phases:\n", f"phases:\n  - id: snippet_phase\n    do: |\n{indent(first_phase, ' ' * 6)}\n", 1
        )
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "snippet.yaml").write_text(section, encoding="utf-8")
    return load_program(tmp_path)


def play_to_end(program: object, engine: str) -> tuple[Game, object]:
    """Play a game to its end with the first option of every decision."""
    game = Game(program, engine=engine)
    state = game.start(seed=1)
    while game.decision(state) is not None:
        state = game.apply(state, 0)
    return game, state


@parametrize_snippets("yaml")
def test_rulesets_are_valid_and_can_be_played(snippet: Snippet, tmp_path: Path) -> None:
    data = yaml.load(snippet.text, Loader=yaml.CSafeLoader)
    if not isinstance(data, dict) or "game" not in data:
        return
    (tmp_path / "ruleset.yaml").write_text(snippet.text, encoding="utf-8")
    program = load_program(tmp_path)

    for engine in ENGINES:
        game, state = play_to_end(program, engine)
        assert game.outcome(state) is not None


RECIPES = [snippet for snippet in SNIPPETS if (snippet.page.parent.name, snippet.language) == ("recipes", "yaml")]


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "design" / "recipes").glob("*.md")), ids=lambda page: page.stem
)
def test_every_recipe_is_a_complete_ruleset(page: Path) -> None:
    """Fences of another language would be neither checked nor played."""
    languages = re.findall(r"^ *(?:```|~~~)(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)[::2]
    rulesets = [
        snippet for snippet in RECIPES if snippet.page == page and re.search("^game:", snippet.text, re.MULTILINE)
    ]

    assert languages == ["yaml"] * len(rulesets)


@pytest.mark.parametrize("snippet", RECIPES, ids=str)
def test_recipes_are_clean_and_both_engines_play_them_alike(snippet: Snippet, tmp_path: Path) -> None:
    file = tmp_path / "ruleset.yaml"
    file.write_text(snippet.text, encoding="utf-8")
    diagnostics = Diagnostics()
    program = check(file, diagnostics)

    assert program is not None
    assert not diagnostics.list_sorted()
    games = create_engine_pair(program)
    for seed in range(3):
        assert find_difference(games, seed) is None


@parametrize_snippets("pack")
def test_packs_fit_and_can_be_played(snippet: Snippet, tmp_path: Path) -> None:
    fixture, pack = tmp_path / "ruleset.yaml", tmp_path / "pack.yaml"
    fixture.write_text(read_fixture(), encoding="utf-8")
    pack.write_text(snippet.text, encoding="utf-8")
    program = load_program(fixture, [pack])

    for engine in ENGINES:
        game, state = play_to_end(program, engine)
        assert game.outcome(state) is not None


@parametrize_snippets("block")
def test_blocks_run(snippet: Snippet, tmp_path: Path) -> None:
    section = f"effects:\n  snippet:\n    per: Player\n    do: |\n{indent(snippet.text, ' ' * 6)}"
    program = load_fixture(tmp_path, section, first_phase="each player: snippet()")

    for engine in ENGINES:
        play_to_end(program, engine)


VALUES = {(snippet.page, snippet.language) for snippet in SNIPPETS if snippet.language in ("expression", "space")}
"""Pages with expressions and their languages. The expressions of a page are checked together, to save time."""


@pytest.mark.parametrize(
    ("page", "language"),
    sorted(VALUES),
    ids=lambda value: str(value.relative_to(ROOT)) if isinstance(value, Path) else value,
)
def test_expressions_have_the_given_value(page: Path, language: str, tmp_path: Path) -> None:
    fixture = EXAMPLE + "phases:\n" if language == "space" else None
    snippets = [snippet for snippet in SNIPPETS if (snippet.page, snippet.language) == (page, language)]
    lines = [line for snippet in snippets for line in snippet.text.splitlines()]
    checks = []
    for line in lines:
        expression, arrow, value = line.partition("→")
        checks.append(f"({expression.strip()}) = ({value.strip() if arrow else expression.strip()})")
    queries = "\n".join(f"  snippet_{i}:\n    per: Player\n    value: '{check}'" for i, check in enumerate(checks))
    block = "\n".join(f'announce "{i}: {{snippet_{i}}}"' for i in range(len(checks)))
    program = load_fixture(tmp_path, f"queries:\n{queries}\n", f"by players.first:\n{indent(block, '  ')}", fixture)

    for engine in ENGINES:
        log: list[object] = []
        Game(program, engine=engine).start(seed=1, log=log)
        results: dict[str, str] = {}
        for event in log:
            if event[0] == "announce":  # the first event has the full text, later ones the redacted texts
                number, value = event[1].split(": ")
                results.setdefault(number, value)
        wrong = [line for i, line in enumerate(lines) if results.get(str(i)) not in {"true", "yes"}]
        assert (wrong, len(results)) == ([], len(checks))


@pytest.mark.slow
@parametrize_snippets("console")
def test_commands_print_the_given_output(
    snippet: Snippet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "orchard.yaml").write_text(read_fixture(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for session in snippet.text.split("$ lusory ")[1:]:
        command, _, expected = session.partition("\n")
        input_lines = [line[2:] for line in expected.splitlines() if line.startswith("> ")]
        monkeypatch.setattr("sys.stdin", StringIO("".join(f"{line}\n" for line in input_lines)))
        main(shlex.split(command))
        output = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
        parts = [part.strip("\n") for part in f"\n{expected}\n".split("\n…\n")]
        assert re.search("(?s)" + ".*".join(map(re.escape, parts)), output), f"{snippet}: {command} shows\n{output}"


@parametrize_snippets("python")
def test_programs_run(snippet: Snippet, monkeypatch: pytest.MonkeyPatch) -> None:
    if "lusory.native" in snippet.text and NO_COMPILER:
        pytest.skip(NO_COMPILER)
    monkeypatch.chdir(ROOT)
    exec(compile(snippet.text, str(snippet), "exec"), {})


@parametrize_snippets("rule")
def test_rules_are_valid(snippet: Snippet, tmp_path: Path) -> None:
    program = load_fixture(tmp_path, f"rules:\n  snippet:\n    rule: |\n{indent(snippet.text, ' ' * 6)}")

    for engine in ENGINES:
        play_to_end(program, engine)


@parametrize_snippets("cases")
@pytest.mark.parametrize("engine", ENGINES)
def test_cases_pass(snippet: Snippet, engine: str, tmp_path: Path) -> None:
    program = load_fixture(tmp_path, "options: {}\n")
    file = tmp_path / "cases" / "snippet.yaml"
    file.parent.mkdir()
    file.write_text(snippet.text, encoding="utf-8")
    results = run_cases(program, tmp_path, engine=engine)

    assert results
    assert not [failure for result in results for failure in result.failures]


def test_the_readme_shows_the_real_diagnostic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [snippet.text for snippet in SNIPPETS if snippet.page == ROOT / "README.md"]
    diagnostic = next(text for text in texts if text.startswith("error["))
    ruleset = next(text for text in texts if text.startswith("game:"))
    (tmp_path / "pebbles.yaml").write_text(ruleset.replace("decrease heap", "decrease heep"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert main(["check", "pebbles.yaml"]) == 1
    assert diagnostic in capsys.readouterr().out


def test_named_commands_exist(capsys: pytest.CaptureFixture[str]) -> None:
    """Checks every `lusory word` in inline code of the documentation."""
    codes = [code for page in PAGES for code in INLINE.findall(page.read_text(encoding="utf-8"))]
    command_names = {match[1] for code in codes if (match := re.match(r"lusory ([a-z]+)\b", code))}
    with pytest.raises(SystemExit):
        main(["--help"])
    help = capsys.readouterr().out

    assert command_names
    assert not [word for word in command_names if not re.search(rf"^ +{word} ", help, re.MULTILINE)]


# ---------------------------------------------------------------- prose


CODE = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1`*$|`[^`\n]+`|<!--.*?-->", re.MULTILINE | re.DOTALL)
RULE = re.compile(r"\|( ?:?-+:? ?\|)+")
"""Separator line below the head of a table."""


def find_stray_pipes(text: str) -> list[str]:
    """Return the lines with pipes outside tables, which a reader would see."""
    cut_lines = []
    line_above = ""
    is_table = False
    lines = CODE.sub(lambda code: "\n" * code[0].count("\n") or "code", text).splitlines()
    for line, line_below in zip(lines, [*lines[1:], ""], strict=True):
        is_row = line.startswith("|")
        is_table = is_row and (is_table or RULE.fullmatch(line_below.strip()) is not None)
        if "|" in line.replace("\\|", "") and (not is_table or (not is_row and line_above)):
            cut_lines.append(line)
        line_above = line
    return cut_lines


def test_tables_are_valid() -> None:
    cut_lines = {str(page.relative_to(ROOT)): find_stray_pipes(page.read_text(encoding="utf-8")) for page in PAGES}
    assert {page: lines for page, lines in cut_lines.items() if lines} == {}


FOLDERS = (ROOT, ROOT / "dsl" / "lusory_dsl", ROOT / "interpreter" / "lusory", ROOT / "tests")
"""Folders that paths on the pages for engineers are relative to."""


def _is_file(name: str, page: Path) -> bool:
    """Return whether a page names a file or folder that exists. A name without a folder may be anywhere in the code."""
    exists = any(folder.joinpath(name).exists() for folder in (*FOLDERS, page.parent)) or "*" in name
    return exists or any(next(folder.rglob(name), None) for folder in FOLDERS[1:])


ENGINEER_PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md", *(ROOT / "docs" / "develop").rglob("*.md")]


@pytest.mark.parametrize("page", ENGINEER_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    """A renamed or moved file must also be renamed on the pages for engineers."""
    codes = INLINE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    paths = [code for code in codes if re.fullmatch(r"[\w./-]+(\.(py|h|lark|csv|toml)|/)", code)]
    assert not [code for code in paths if not _is_file(code, page)]


def test_links_have_a_target() -> None:
    assert [f"{page.relative_to(ROOT)}: {target}" for page in PAGES for target in _find_broken_links(page)] == []


def _find_broken_links(page: Path) -> Iterator[str]:
    """Yield the targets of links on a page that are no existing file or heading."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in _list_anchors(file)):
            yield target


@cache
def _list_anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a Markdown page."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_reached_from_the_readme() -> None:
    """Readers can't find a page without a link to it."""
    pages: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in pages or page.suffix != ".md" or not page.is_file():
            continue
        pages.add(page)
        targets = re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8"))
        todo += [(page.parent / target).resolve() for target in targets if not re.match(r"[a-z]+:", target)]

    assert {page_path for page_path in PAGES if ROOT / "docs" in page_path.parents} <= pages
