"""Find the game that a file belongs to, and check it with the editor's unsaved buffers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_files
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import read_place
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics, Fix, apply_edits
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import SHEET_EXTENSION, RulesetFiles, read_ruleset_files
from lusory_dsl.source.safe_files_and_bundled_data import (
    CARDS,
    CASES,
    FileRefused,
    find_bundled_rulesets,
    find_neighbouring_packs,
    list_files,
    read_bytes,
)
from lusory_dsl.source.source import Source
from lusory_dsl.yaml.reader import decode_source, report_refusal

from ..testing.cases.case_model import Case, CaseResult
from ..testing.cases.suite_runner import list_case_faults, list_case_files, load_cases, run_case as run_one
from ..testing.constant_data_invariants import check_laws
from ..testing.coverage import measure_coverage
from ..testing.coverage_items import Probe
from .name_index import Index, Outdated

_BEGINS = re.compile(r"^(game|pack):", re.MULTILINE)
_MADE_FOR = re.compile(r"(?:^ +|[{,] *)for: *[\"']?([\w-]+)", re.MULTILINE)


@dataclass(frozen=True)
class Project:
    """A game to check: the folder or file of its ruleset, and the packs that are open."""

    path: Path
    packs: tuple[Path, ...] = ()


@dataclass(frozen=True)
class CheckResult:
    """The result of a check.

    Attributes:
        diagnostics: The findings of each file, by path. Files without findings are left out.
        index: The index of all names, with what each stands for.
        program: The checked program. None if there are errors.
        files: The files of the rules that were checked.
    """

    diagnostics: dict[Path, list[Diagnostic]]
    index: Index
    program: Program | None = None
    files: tuple[RulesetFiles, ...] = ()


def find_project(file: Path, buffers: Mapping[Path, str]) -> Project | None:
    """Return the project of a ``.yaml`` file, or of a ``.csv`` sheet in ``cards/``. None for any other file.

    The files of a folder, its ``cards/`` and its ``cases/`` are one project, ``Project(folder)``, if exactly one of the
    folder's files has a section ``game:`` or ``pack:``, or if ``ruleset.yaml`` has one. Otherwise each file with a
    section is a project of its own, ``Project(file)``, and the others have none. A pack gives
    ``Project(game, (pack,))``, with the game that its ``for:`` names: a folder of this name beside the pack or its
    parent, or a bundled game. Without such a game, the result is None. A section counts in the saved file or in its
    buffer in ``buffers``. A file that is only in ``buffers`` counts as one without a section.
    """
    if file.suffix != ".yaml" and not (file.suffix == SHEET_EXTENSION and file.parent.name == CARDS):
        return None
    folder = file.parent.parent if file.parent.name in (CARDS, CASES) else file.parent
    sections = {path: section for path in _list_yaml_files(folder) if (section := _find_first_section(path, buffers))}
    main = next(iter(sections), file) if len(sections) == 1 else folder / "ruleset.yaml"
    path = folder if main in sections else file
    kind, text = sections.get(main) or sections.get(file, ("", ""))
    if kind == "game":
        return Project(path)
    made_for = _MADE_FOR.search(text)
    if made_for is None:
        return None
    neighbours = [parent / made_for[1] for parent in path.parents[:2]]
    game = next((path for path in neighbours if path.is_dir()), find_bundled_rulesets().get(made_for[1]))
    return None if game is None else Project(game, (path,))


def list_related_projects(project: Project) -> list[Project]:
    """Return the game of a project alone, the project, and the game with each single pack for it.

    The packs are those that :func:`find_neighbouring_packs` finds near the game and whose ``for:`` leads to it. Each
    project occurs once.
    """
    game = project.path
    neighbours = (find_project(pack, {}) for pack in find_neighbouring_packs(game))
    pack_projects = [neighbour for neighbour in neighbours if neighbour is not None and neighbour.path == game]
    return list(dict.fromkeys([Project(game), project, *pack_projects]))


def _list_yaml_files(folder: Path) -> list[Path]:
    try:
        return list_files(folder, ".yaml")
    except FileRefused:
        return []


def _find_first_section(file: Path, buffers: Mapping[Path, str]) -> tuple[str, str] | None:
    """Return ``game`` or ``pack`` with the text of the file, if the buffer or the saved file begins one.

    The saved file counts because the buffer may be broken just there.
    """
    for text in (buffers.get(file, ""), _read_saved_text(file)):
        section = _BEGINS.search(text)
        if section is not None:
            return section[1], text
    return None


def _read_saved_text(file: Path) -> str:
    try:
        return read_bytes(file).decode("utf-8", "replace")
    except FileRefused:
        return ""


def check_project(project: Project, buffers: Mapping[Path, str]) -> CheckResult:
    """Check a game and its cases like ``lusory check``, with open buffers in place of the files on disk.

    Cases are only checked if the rules have no errors.
    """
    return check_cases(project, buffers, check_data(check_rules(project, buffers)))


def check_rules(
    project: Project,
    buffers: Mapping[Path, str],
    previous_result: CheckResult | None = None,
    is_outdated: Callable[[], bool] = lambda: False,
) -> CheckResult:
    """Check the rules of a game, without its cases and the invariants about its data.

    A text in ``buffers`` takes the place of the file. Findings are in ``diagnostics`` of the result. With errors, its
    ``program`` is None. Returns ``previous_result``, that of an earlier call, if no rule file differs. Otherwise raises
    Outdated if ``is_outdated`` returns true while a statement of an effect text is checked.
    """
    texts = {str(path): text for path, text in buffers.items()}
    files = tuple(place.with_texts(texts) for place in read_ruleset_files(project.path, project.packs))
    if previous_result is not None and previous_result.files == files:
        _restore_positions(files)
        return previous_result
    diagnostics, index = Diagnostics(), Index(is_outdated)
    program = check_files(files, diagnostics, index)
    return CheckResult(_group_by_file(diagnostics.list_sorted()), index.finish(), program, files)


def check_fix(check: CheckResult, fix: Fix) -> list[Diagnostic]:
    """Return the findings in the rules of a check after a fix, sorted, also those in sheets.

    Cases and invariants about the data are not checked. No file changes. The edits of the fix must not overlap. Within
    ``enable_cache()``, findings in declarations that the fix leaves alone have their positions in ``check``.
    """
    diagnostics, texts = Diagnostics(), apply_edits(fix.edits)
    try:
        check_files([place.with_texts(texts) for place in check.files], diagnostics)
    finally:
        _restore_positions(check.files)
    return diagnostics.list_sorted()


def index_correct_lines(project: Project, buffers: Mapping[Path, str], check: CheckResult) -> CheckResult:
    """Check the rules again with each line blank in which an error begins, and return ``check`` with the new ``index``.

    Positions in the index are those of the full text, since blanks take the place of such a line. Use it if the index
    of ``check`` has no names because of an error. The result is a new CheckResult, and its other fields are those of
    ``check``, such as the diagnostics. The new index has no names either if the rest of the rules can't be read, for
    example if a section loses its only entry.
    """
    texts = dict(buffers)
    for path, findings in check.diagnostics.items():
        lines = findings[0].span.source.text.split("\n")
        faulty = {diagnostic.span.line - 1 for diagnostic in findings if diagnostic.severity == "error"}
        for number in sorted(faulty, reverse=True):
            # Blanks keep later offsets. They end the line before, since a first line of blanks would indent a block.
            blanks, lines[number] = " " * len(lines[number]), ""
            lines[max(number - 1, 0)] += blanks
        texts[path] = "\n".join(lines)
    try:
        return replace(check, index=check_rules(project, texts).index)
    finally:
        _restore_positions(check.files)


def _restore_positions(files: Iterable[RulesetFiles]) -> None:
    """Let positions be right for these files again, after a check of other texts of them."""
    for place in files:
        read_place(place, Diagnostics())


def check_data(rules: CheckResult) -> CheckResult:
    """Check the invariants about the data, and add the findings (LAW_BROKEN) to the diagnostics of ``rules``.

    ``rules`` is the result of :func:`check_rules`. It is returned itself if it has no program. Otherwise the result is
    a copy, whose diagnostics are sorted in each file. Such a finding is usually in the file of the card or table entry
    that breaks the invariant. A file has a key in them if it has any, old or new.
    """
    if rules.program is None:
        return rules
    diagnostics = Diagnostics()
    diagnostics.extend(diagnostic for findings in rules.diagnostics.values() for diagnostic in findings)
    check_laws(rules.program, diagnostics)
    return replace(rules, diagnostics=_group_by_file(diagnostics.list_sorted()))


def check_cases(project: Project, buffers: Mapping[Path, str], rules: CheckResult) -> CheckResult:
    """Check the case files without playing them, and return a copy of ``rules`` with their faults in ``diagnostics``.

    Case files are those in ``cases/`` of the folders ``project.packs``, or of ``project.path`` without packs. ``rules``
    is the result of :func:`check_data`, which isn't called here. If it has errors or no program, it is returned itself.
    Otherwise its warnings stay. ``buffers`` holds the texts of open files, which count instead of those on disk. A case
    file that is only in ``buffers`` isn't checked. If a folder ``cases`` is refused (FileRefused), this is the only
    fault. A file that can't be read is one fault among others.
    """
    has_errors = any(item.severity == "error" for findings in rules.diagnostics.values() for item in findings)
    if rules.program is None or has_errors:
        return rules
    diagnostics = Diagnostics()
    try:
        files = [_read_source(file, buffers) for file in _find_case_files(project)]
        diagnostics.extend(list_case_faults(rules.program, files))
    except FileRefused as refusal:
        report_refusal(refusal, diagnostics)
    return replace(rules, diagnostics={**rules.diagnostics, **_group_by_file(diagnostics.list_sorted())})


def run_case(program: Program, source: Source, id: str) -> str | None:
    """Run a case of a file. Return None if it passes, otherwise ``FILE:LINE:COLUMN: MESSAGE`` of the first failure,
    such as ``rich.yaml:6:14: `P1.coins = 3` is false``.

    FILE is the name of ``source``. If there is an error outside all cases, the first is returned instead, also if the
    case passes or ``id`` is unknown. Otherwise an unknown id gives ``there is no such case``, without a place.
    """
    cases = load_cases(program, [source], id)
    case = next((case for case in cases if case.id == id or isinstance(case, CaseResult)), None)
    if case is None:
        return "there is no such case"
    result = case if isinstance(case, CaseResult) else run_one(program, case)
    return next((f"{failure.diagnostic.span}: {failure.diagnostic.message}" for failure in result.failures), None)


def count_reaching_cases(
    program: Program, project: Project, buffers: Mapping[Path, str], is_outdated: Callable[[], bool]
) -> dict[str, dict[int, int]]:
    """Run all cases, and return how many of them reach each rule: file -> offset of the rule -> number of cases.

    Example: ``{"/games/nim/ruleset.yaml": {39: 2, 94: 0}}``. A file is given by the ``name`` of its Source. A rule is
    any item of the coverage without a ``parent``, and its offset is where ``span`` begins: the first statement of an
    effect, the value of a query, the id of a card, the first key of an outermost phase, the name of an option, or a
    condition outside such a rule, as in ``scoring``. A case counts if it reaches any of several items at one offset,
    such as one of the cards with the pattern ``{suit}_{rank}``. A case that fails counts, too. A rule that no case
    reaches has the number 0. ``buffers`` has the texts of open files. Raises Outdated as soon as ``is_outdated``
    returns true before a case.
    """

    def load_until_outdated() -> Iterator[Case | CaseResult]:
        for case in load_cases(program, [_read_source(file, buffers) for file in _find_case_files(project)]):
            if is_outdated():
                raise Outdated
            yield case

    coverage = measure_coverage(program, load_until_outdated())
    probes: dict[tuple[str, int], list[Probe]] = {}
    for item in coverage.items:
        if item.parent is None:
            probes.setdefault((item.span.source.name, item.span.start), []).extend(item.probes)
    case_counts: dict[str, dict[int, int]] = {}
    for (file, offset), probes_here in probes.items():
        count = sum(any(trace.has(*probe) for probe in probes_here) for trace in coverage.traces)
        case_counts.setdefault(file, {})[offset] = count
    return case_counts


def _group_by_file(diagnostics: Iterable[Diagnostic]) -> dict[Path, list[Diagnostic]]:
    by_file: dict[Path, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        by_file.setdefault(Path(diagnostic.span.source.name), []).append(diagnostic)
    return by_file


def list_files_of_project(project: Project, buffers: Iterable[Path]) -> list[Path]:
    """Return all files of a project, each once: those of its ruleset and of its packs, its case files, and the
    ``buffers`` beside such a file.

    They come in this order. A folder has the ``.yaml`` files in it and in ``cards/``, and the sheets ``cards/*.csv``,
    sorted together. A buffer of any name counts, but one in a folder without any of these files is left out. The
    cases are those of the packs, or without packs those of the game. If a folder has too many case files (FileRefused),
    no case is listed.
    """
    places = read_ruleset_files(project.path, project.packs)
    files = [file for place in places for file, _ in place.files]
    with suppress(FileRefused):
        files += _find_case_files(project)
    folders = {file.parent for file in files}
    return list(dict.fromkeys([*files, *(file for file in buffers if file.parent in folders)]))


def _find_case_files(project: Project) -> list[Path]:
    folders = [folder for folder in project.packs or (project.path,) if (folder / CASES).is_dir()]
    return [file for folder in folders for file in list_case_files(folder)]


def _read_source(file: Path, buffers: Mapping[Path, str]) -> Path | Source:
    """Return a case file for the reader of cases: the buffer if it is open, otherwise its path."""
    if file not in buffers:
        return file
    source = decode_source(str(file), buffers[file].encode("utf-8", "surrogatepass"), Diagnostics())
    return file if source is None else source
