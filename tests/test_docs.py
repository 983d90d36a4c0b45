"""Every snippet of the README and of docs/ is executed, and every link leads somewhere.

A fenced block's language says what it is: ``yaml`` a complete ruleset where it has a ``game`` section (otherwise only
well-formed), ``pack`` what is laid over the fixture, ``block``, ``expression``, ``rule`` and ``cases`` text that speaks
about the fixture, docs/design/orchard.yaml. ``space`` is an expression about the board of the examples of members of
spaces. A line of an ``expression`` or ``space`` may end in ``→ value``. ``console`` is a session with the fixture in
``orchard.yaml``: commands behind ``$``, lines that are typed behind ``>``, and what is shown. A line of ``…`` stands
for lines that are left out.
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
from native import NONE
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
    # test_diagnostic_pages.py demands mistakes there, not their absence
    *(ROOT / "docs" / "reference" / "diagnostics").glob("*.md")
}
SESSIONS = {*(ROOT / "docs" / "design").glob("*.md")}
"""Pages whose files and commands test_tutorials.py writes and types in order."""
IN_SESSIONS = {"yaml", "text", "console", "python"}
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


def _snippets() -> Iterator[Snippet]:
    for page in PAGES:
        if page in EXECUTED_ELSEWHERE:
            continue
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            if page in SESSIONS and match[1] in IN_SESSIONS:
                continue
            yield Snippet(page, text.count("\n", 0, match.start()) + 2, match[1], match[2])


def _examples_of_builtins() -> Iterator[Snippet]:
    page = ROOT / "docs" / "reference" / "builtins.md"
    text = page.read_text(encoding="utf-8")

    def snippet(name: str, language: str, example: str) -> Snippet:
        return Snippet(page, text.count("\n", 0, text.index(f"- **{name}**")) + 1, language, example)

    for row in BUILTINS:
        if row.kind == "verb":
            yield snippet(row.name, "block", row.example)
        else:
            yield snippet(f"`{row.signature}`", "expression", f"{row.example} → {row.example_value}")
    first_seat = next(row for row in SPACE_MEMBERS if row.subject_kind == "seat")
    for space_row in SPACE_MEMBERS:
        signature = (first_seat if space_row.subject_kind == "seat" else space_row).signature
        yield snippet(f"`{signature}`", "space", space_row.example)


SNIPPETS = [*_snippets(), *_examples_of_builtins()]


def snippets_of(*languages: str) -> pytest.MarkDecorator:
    chosen = [s for s in SNIPPETS if s.language in languages]
    return pytest.mark.parametrize("snippet", chosen, ids=str)


def fixture_text() -> str:
    return ORCHARD.read_text(encoding="utf-8")


def program_with(tmp_path: Path, section: str, first_phase: str = "", fixture: str | None = None) -> object:
    """The fixture with a further section in a file of its own, and perhaps something to do before its first phase."""
    text = fixture if fixture is not None else fixture_text()
    if first_phase:
        text = text.replace(
            "phases:\n", f"phases:\n  - id: snippet_phase\n    do: |\n{indent(first_phase, ' ' * 6)}\n", 1
        )
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "snippet.yaml").write_text(section, encoding="utf-8")
    return load_program(tmp_path)


def play(program: object, engine: str) -> tuple[Game, object]:
    """A game of first options, to its end."""
    game = Game(program, engine=engine)
    state = game.start(seed=1)
    while game.decision(state) is not None:
        state = game.apply(state, 0)
    return game, state


@snippets_of("yaml")
def test_rulesets_are_right_and_can_be_played(snippet: Snippet, tmp_path: Path) -> None:
    data = yaml.load(snippet.text, Loader=yaml.CSafeLoader)
    if not isinstance(data, dict) or "game" not in data:
        return
    (tmp_path / "ruleset.yaml").write_text(snippet.text, encoding="utf-8")
    program = load_program(tmp_path)

    for engine in ENGINES:
        game, state = play(program, engine)
        assert game.outcome(state) is not None


RECIPES = [s for s in SNIPPETS if s.page.parent.name == "recipes" and s.language == "yaml"]


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "design" / "recipes").glob("*.md")), ids=lambda page: page.stem
)
def test_every_recipe_is_a_whole_ruleset(page: Path) -> None:
    """What stands between fences of any other language, or of none, is neither checked nor played."""
    opened = re.findall(r"^ *(?:```|~~~)(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)[::2]
    rulesets = [
        snippet for snippet in RECIPES if snippet.page == page and re.search("^game:", snippet.text, re.MULTILINE)
    ]

    assert opened == ["yaml"] * len(rulesets)


@pytest.mark.parametrize("snippet", RECIPES, ids=str)
def test_recipes_are_clean_and_both_engines_play_them_alike(snippet: Snippet, tmp_path: Path) -> None:
    file = tmp_path / "ruleset.yaml"
    file.write_text(snippet.text, encoding="utf-8")
    found = Diagnostics()
    program = check(file, found)

    assert program is not None
    assert not found.list_sorted()
    games = create_engine_pair(program)
    for seed in range(3):
        assert find_difference(games, seed) is None


@snippets_of("pack")
def test_packs_fit_and_can_be_played(snippet: Snippet, tmp_path: Path) -> None:
    fixture, pack = tmp_path / "ruleset.yaml", tmp_path / "pack.yaml"
    fixture.write_text(fixture_text(), encoding="utf-8")
    pack.write_text(snippet.text, encoding="utf-8")
    program = load_program(fixture, [pack])

    for engine in ENGINES:
        game, state = play(program, engine)
        assert game.outcome(state) is not None


@snippets_of("block")
def test_blocks_run(snippet: Snippet, tmp_path: Path) -> None:
    section = f"effects:\n  snippet:\n    per: Player\n    do: |\n{indent(snippet.text, ' ' * 6)}"
    program = program_with(tmp_path, section, first_phase="each player: snippet()")

    for engine in ENGINES:
        play(program, engine)


VALUED = sorted({(s.page, s.language) for s in SNIPPETS if s.language in ("expression", "space")})
"""Pages with expressions, each with the language of some. Those of a page are checked together, as that takes long."""


@pytest.mark.parametrize(
    ("page", "language"), VALUED, ids=lambda value: str(value.relative_to(ROOT)) if isinstance(value, Path) else value
)
def test_expressions_have_the_value_that_is_said(page: Path, language: str, tmp_path: Path) -> None:
    fixture = EXAMPLE + "phases:\n" if language == "space" else None
    lines = [line for s in SNIPPETS if (s.page, s.language) == (page, language) for line in s.text.splitlines()]
    checks = []
    for line in lines:
        expression, arrow, value = line.partition("→")
        checks.append(f"({expression.strip()}) = ({value.strip() if arrow else expression.strip()})")
    queries = "\n".join(f"  snippet_{i}:\n    per: Player\n    value: '{check}'" for i, check in enumerate(checks))
    announced = "\n".join(f'announce "{i}: {{snippet_{i}}}"' for i in range(len(checks)))
    program = program_with(tmp_path, f"queries:\n{queries}\n", f"by players.first:\n{indent(announced, '  ')}", fixture)

    for engine in ENGINES:
        log: list[object] = []
        Game(program, engine=engine).start(seed=1, log=log)
        said: dict[str, str] = {}
        for event in log:
            if event[0] == "announce":  # first with all the words, then as they are heard by who may not know them
                number, value = event[1].split(": ")
                said.setdefault(number, value)
        wrong = [line for i, line in enumerate(lines) if said.get(str(i)) not in {"true", "yes"}]
        assert (wrong, len(said)) == ([], len(checks))


@pytest.mark.slow
@snippets_of("console")
def test_commands_show_what_is_shown(
    snippet: Snippet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "orchard.yaml").write_text(fixture_text(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for session in snippet.text.split("$ lusory ")[1:]:
        command, _, wanted = session.partition("\n")
        typed = [line[2:] for line in wanted.splitlines() if line.startswith("> ")]
        monkeypatch.setattr("sys.stdin", StringIO("".join(f"{line}\n" for line in typed)))
        main(shlex.split(command))
        shown = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
        parts = [part.strip("\n") for part in f"\n{wanted}\n".split("\n…\n")]
        assert re.search("(?s)" + ".*".join(map(re.escape, parts)), shown), f"{snippet}: {command} shows\n{shown}"


@snippets_of("python")
def test_programs_run(snippet: Snippet, monkeypatch: pytest.MonkeyPatch) -> None:
    if "lusory.native" in snippet.text and NONE:
        pytest.skip(NONE)
    monkeypatch.chdir(ROOT)
    exec(compile(snippet.text, str(snippet), "exec"), {})


@snippets_of("rule")
def test_rules_are_right(snippet: Snippet, tmp_path: Path) -> None:
    program = program_with(tmp_path, f"rules:\n  snippet:\n    rule: |\n{indent(snippet.text, ' ' * 6)}")

    for engine in ENGINES:
        play(program, engine)


@snippets_of("cases")
@pytest.mark.parametrize("engine", ENGINES)
def test_cases_pass(snippet: Snippet, engine: str, tmp_path: Path) -> None:
    program = program_with(tmp_path, "options: {}\n")
    file = tmp_path / "cases" / "snippet.yaml"
    file.parent.mkdir()
    file.write_text(snippet.text, encoding="utf-8")
    results = run_cases(program, tmp_path, engine=engine)

    assert results
    assert not [failure for result in results for failure in result.failures]


def test_the_message_shown_is_the_message_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [s.text for s in SNIPPETS if s.page == ROOT / "README.md"]
    shown = next(text for text in texts if text.startswith("error["))
    ruleset = next(text for text in texts if text.startswith("game:"))
    (tmp_path / "pebbles.yaml").write_text(ruleset.replace("decrease heap", "decrease heep"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert main(["check", "pebbles.yaml"]) == 1
    assert shown in capsys.readouterr().out


def test_the_commands_that_are_named_exist(capsys: pytest.CaptureFixture[str]) -> None:
    """Every `lusory word` in code of the documentation is a command."""
    codes = [code for page in PAGES for code in INLINE.findall(page.read_text(encoding="utf-8"))]
    named = {match[1] for code in codes if (match := re.match(r"lusory ([a-z]+)\b", code))}
    with pytest.raises(SystemExit):
        main(["--help"])
    help = capsys.readouterr().out

    assert named
    assert not [word for word in named if not re.search(rf"^ +{word} ", help, re.MULTILINE)]


# ---------------------------------------------------------------- prose


CODE = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1`*$|`[^`\n]+`|<!--.*?-->", re.MULTILINE | re.DOTALL)
RULE = re.compile(r"\|( ?:?-+:? ?\|)+")
"""The line below the head of a table."""


def cut_tables(text: str) -> list[str]:
    """The lines with pipes that a reader would see, for they belong to no table."""
    found = []
    above = ""
    is_table = False
    lines = CODE.sub(lambda code: "\n" * code[0].count("\n") or "code", text).splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        is_row = line.startswith("|")
        is_table = is_row and (is_table or RULE.fullmatch(below.strip()) is not None)
        if "|" in line.replace("\\|", "") and (not is_table or (not is_row and above)):
            found.append(line)
        above = line
    return found


def test_no_table_is_cut_and_no_pipe_is_seen() -> None:
    found = {str(page.relative_to(ROOT)): cut_tables(page.read_text(encoding="utf-8")) for page in PAGES}
    assert {page: lines for page, lines in found.items() if lines} == {}


FOLDERS = (ROOT, ROOT / "dsl" / "lusory_dsl", ROOT / "interpreter" / "lusory", ROOT / "tests")
"""The folders in which paths begin that the pages for engineers name."""


def _is_file(name: str, page: Path) -> bool:
    """Return whether a page names a file or folder that exists. A name without a folder may be anywhere in the code."""
    found = any(folder.joinpath(name).exists() for folder in (*FOLDERS, page.parent)) or "*" in name
    return found or any(next(folder.rglob(name), None) for folder in FOLDERS[1:])


ENGINEERS = [ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md", *(ROOT / "docs" / "develop").rglob("*.md")]


@pytest.mark.parametrize("page", ENGINEERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page: Path) -> None:
    """What is renamed or moved is found in the pages for engineers, too."""
    codes = INLINE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    named = [code for code in codes if re.fullmatch(r"[\w./-]+(\.(py|h|lark|csv|toml)|/)", code)]
    assert not [code for code in named if not _is_file(code, page)]


def test_links_lead_somewhere() -> None:
    assert [f"{page.relative_to(ROOT)}: {target}" for page in PAGES for target in _links_nowhere(page)] == []


def _links_nowhere(page: Path) -> Iterator[str]:
    """Yield the targets of links on a page that are no file, or no heading of it."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            yield target


@cache
def _anchors(page: Path) -> set[str]:
    """The anchors that a Markdown page has for its headings."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_reached_from_the_readme() -> None:
    """A page that nothing links to is not found by a reader."""
    seen: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        targets = re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8"))
        todo += [(page.parent / t).resolve() for t in targets if not re.match(r"[a-z]+:", t)]

    assert {p for p in PAGES if ROOT / "docs" in p.parents} <= seen
