"""Check the rules of the architecture: the order of imports, the users of each library, and the sizes of modules.

docs/develop/architecture.md gives the reason for each rule. Change a rule in both files.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import pkgutil
import re
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
import yaml
from programs import ROOT, read_data

DATA = read_data(__file__)

CODE_ROOTS = {"lusory_dsl": ROOT / "dsl", "lusory": ROOT / "interpreter"}

IMPORT_ORDER: list[list[str]] = DATA["import order"]
"""Packages and modules from the lowest to the highest. Each imports only from earlier lines."""

CORE = ("state", "evaluator", "view", "explain", "codegen", "game", "belief")
"""The core of the interpreter: the pure folders. All other code uses the core through its public interface."""

IMPURE = {"datetime", "io", "os", "pathlib", "random", "secrets", "shutil", "socket", "subprocess", "sys", "tempfile"}
IMPURE |= {"threading", "time"}
IMPURE_CALLS = {"print", "open", "input"}

LIBRARY_IMPORTERS = {library: tuple(doors) for library, doors in DATA["library importers"].items()}
"""External library or module of lusory -> the only modules and packages that may import it."""

LINES = 900
FUNCTION_LINES = 60

LONG_FUNCTIONS: dict[str, str] = {}
"""Longer functions, with the reason."""

ENGINE_WORDS = DATA["engine words"]
"""Names of zones and cards that are also ordinary words of the language or engine, with the reason."""


@cache
def list_modules() -> dict[str, Path]:
    """Return every module of the two code roots: import name -> file."""
    files_by_module = {}
    for package, root in CODE_ROOTS.items():
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            files_by_module[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files_by_module


@cache
def parse_module(module: str) -> ast.Module:
    return ast.parse(list_modules()[module].read_text(encoding="utf-8"))


@cache
def walk_module(module: str) -> tuple[ast.AST, ...]:
    """Return every node of a module's syntax tree."""
    return tuple(ast.walk(parse_module(module)))


@cache
def list_imports(module: str) -> frozenset[str]:
    """Return the modules that a module imports anywhere, also inside functions and under TYPE_CHECKING."""
    imports: set[str] = set()
    is_package = list_modules()[module].name == "__init__.py"
    for node in walk_module(module):
        if isinstance(node, ast.Import):
            imports.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, base] if base else parents)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                imports.add(inner if inner in list_modules() else base)
    return frozenset(imports)


@cache
def list_calls(module: str) -> dict[str, int]:
    """Return the functions that a module calls by a plain name, each with the line of a call."""
    calls = [node for node in walk_module(module) if isinstance(node, ast.Call)]
    return {call.func.id: call.lineno for call in calls if isinstance(call.func, ast.Name)}


def is_in_core(module: str) -> bool:
    return is_within(module, tuple(f"lusory.{folder}" for folder in CORE))


@cache
def find_order(module: str) -> tuple[int, str]:
    """Return the line of a module in :data:`IMPORT_ORDER`, and the entry that it belongs to."""
    entries = [
        (number, entry)
        for number, line in enumerate(IMPORT_ORDER)
        for entry in line
        if is_within(module, (entry,)) and (entry.count(".") or module == entry)
    ]
    return max(entries, key=lambda found: len(found[1]))


def is_within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_packages_import_only_from_packages_below() -> None:
    """A folder is a stage that uses the results of the stages below. Files of one folder may import each other.

    So the language never imports the interpreter, and no module imports the command line.
    """
    wrong = [
        f"{module} imports {name}"
        for module in list_modules()
        for name in list_imports(module)
        if name in list_modules()
        and find_order(module)[1] != find_order(name)[1]
        and find_order(module)[0] <= find_order(name)[0]
    ]

    assert not wrong


def test_every_package_has_a_docstring() -> None:
    """The first line of it says what the package is for."""
    packages = [
        module
        for module, path in list_modules().items()
        if path.name == "__init__.py" and len((ast.get_docstring(parse_module(module)) or "").split("\n")[0]) < 20
    ]

    assert not packages


VAGUE_BEGINNINGS = ("What", "Whether", "How", "Who", "Of", "Where", "Those", "That")


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """A clause without a noun doesn't say what is returned."""
    wrong = [
        f"{module}: {text[:50]}"
        for module in list_modules()
        for node in walk_module(module)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if (text := ast.get_docstring(node) or "").split(" ")[0] in VAGUE_BEGINNINGS
    ]

    assert not wrong


VAGUE_NAMES = re.compile(
    "_?(found|told|wanted|kept|held|shown|given|taken|said|made|gone|one|others|each|what|who|which|it|them|things?|"
    "these|those|some|any|seen|written|meant|sent|brought|chosen|asked)_?"
)
KEYS_OF_FILES = {("lusory_dsl.ruleset.model", "who"), ("lusory.testing.cases.case_model", "given")} | {
    ("lusory.stats.simulation_report_builder", name) for name in ("others", "taken", "what")
}
"""Fields with the names of keys in rulesets and reports."""


def test_variables_are_named_for_what_they_hold() -> None:
    """A participle or a pronoun doesn't say what a variable, parameter or field holds."""
    wrong = []
    for module in list_modules():
        for node in walk_module(module):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
            else:
                name = node.arg if isinstance(node, ast.arg) else ""
            if VAGUE_NAMES.fullmatch(name) and (module, name) not in KEYS_OF_FILES:
                wrong.append(f"{module}, line {node.lineno}: {name}")

    assert not wrong


def test_public_definitions_of_the_language_have_docstrings() -> None:
    """Leaves out overloads, and names inside private classes."""
    names: list[str] = []

    def search(module: str, body: list[ast.stmt]) -> None:
        for node in body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
                continue
            is_overload = any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)
            if ast.get_docstring(node) is None and not is_overload:
                names.append(f"{module}, line {node.lineno}: {node.name}")
            if isinstance(node, ast.ClassDef):
                search(module, node.body)

    for module in list_modules():
        if module.startswith("lusory_dsl"):
            search(module, parse_module(module).body)

    assert not names


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def list_definitions() -> list[tuple[str, Definition]]:
    """Return every class and function with its module."""
    return [(module, node) for module in list_modules() for node in walk_module(module) if isinstance(node, Definition)]


@cache
def group_definitions() -> dict[str, list[Definition]]:
    definitions: dict[str, list[Definition]] = {}
    for _, node in list_definitions():
        definitions.setdefault(node.name, []).append(node)
    return definitions


def _is_assigned(part: ast.AST, kind: type[ast.Name] | type[ast.Attribute]) -> bool:
    return isinstance(part, kind) and isinstance(part.ctx, ast.Store)


def _list_defined_names(node: Definition, below: frozenset[str] = frozenset()) -> set[str]:
    """Return the parameters of a function, or the fields and methods of a class and of its base classes.

    Finds base classes by name only, so ``below`` prevents cycles between classes of the same name.
    """
    if not isinstance(node, ast.ClassDef):
        return {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
    names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    fields = [part for part in node.body if isinstance(part, ast.Assign | ast.AnnAssign)]
    names |= {part.id for field in fields for part in ast.walk(field) if _is_assigned(part, ast.Name)}
    names |= {part.attr for part in ast.walk(node) if _is_assigned(part, ast.Attribute)}
    below |= {node.name}
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases} - below
    above = [definition for base in bases for definition in group_definitions().get(base, ())]
    return names.union(*(_list_defined_names(definition, below) for definition in above))


def test_docstrings_name_only_what_exists() -> None:
    """After a rename, the sections ``Attributes`` and ``Args`` would describe names that don't exist."""
    wrong = []
    for module, node in list_definitions():
        section = re.search(r"^(?:Attributes|Args):\n((?: {4}.*\n|\n)+)", f"{ast.get_docstring(node)}\n", re.M)
        entries = re.findall(r"^ {4}(\w[\w, ]*):", section[1], re.M) if section else []
        names = {name.strip() for entry in entries for name in entry.split(",")}
        if names:
            wrong += [f"{module}, line {node.lineno}: {name}" for name in sorted(names - _list_defined_names(node))]

    assert not wrong


@cache
def list_exceptions() -> set[str]:
    """Return the names of all exceptions: those of Python and the classes that derive from them."""
    type_names = {name for name, value in vars(builtins).items() if isinstance(value, type)}
    exceptions = {name for name in type_names if issubclass(getattr(builtins, name), BaseException)}
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for _, node in list_definitions()
        if isinstance(node, ast.ClassDef)
    }
    while more := {name for name, above in bases.items() if above & exceptions} - exceptions:
        exceptions |= more
    return exceptions


def test_docstrings_name_exceptions_that_exist() -> None:
    """Checks names of two words in sentences about what is raised."""
    wrong = [
        f"{module}, line {node.lineno}: {name}"
        for module, node in list_definitions()
        for sentence in re.findall(r"\b[Rr]aises? ([^.]*)", ast.get_docstring(node) or "")
        for name in re.findall(r"(?<![`\w])[A-Z][a-z]+[A-Z]\w+", sentence)
        if name not in list_exceptions()
    ]

    assert not wrong


def test_every_listed_package_exists() -> None:
    assert {name for names in IMPORT_ORDER for name in names} <= set(list_modules())


def test_every_package_is_listed() -> None:
    """Every new package needs a place in the import order."""
    order = {name for names in IMPORT_ORDER for name in names}
    packages = {module for module, path in list_modules().items() if path.name == "__init__.py"}
    parents = {"lusory.codegen", "lusory.ui", "lusory.testing"}  # their inner packages are listed

    assert not {name for name in packages if name not in order and name.rpartition(".")[0] not in parents}


def test_the_core_is_pure() -> None:
    """A game depends only on its ruleset, options, seed and decisions, not on clocks, files or the screen."""
    wrong = [
        f"{module} uses {name}"
        for module in filter(is_in_core, list_modules())
        for name in sorted(
            {name.split(".")[0] for name in list_imports(module)} & IMPURE | list_calls(module).keys() & IMPURE_CALLS
        )
    ]

    assert not wrong


def test_the_language_prints_nothing() -> None:
    """The language reports problems as diagnostics. Only the generator of the reference prints."""
    wrong = [
        f"{module}, line {list_calls(module)[name]}: {name}"
        for module in list_modules()
        if module.startswith("lusory_dsl") and module not in STREAM_MODULES
        for name in list_calls(module).keys() & {"print", "input"}
    ]

    assert not wrong


def test_only_the_listed_modules_import_a_library() -> None:
    """Replacing a library then changes only these modules. Other code uses native code through ``lusory.native``.
    Playing and checking don't load studies: tables of their results import only the types."""
    wrong = [
        f"{module} imports {library}"
        for library, doors in LIBRARY_IMPORTERS.items()
        for module in list_modules()
        if any(is_within(name, (library,)) for name in list_imports(module)) and not is_within(module, doors)
    ]

    assert not wrong


def test_no_other_library_is_imported() -> None:
    """A library that pyproject.toml doesn't declare is missing on a new machine."""
    libraries = {*sys.stdlib_module_names, *CODE_ROOTS, *LIBRARY_IMPORTERS}
    imports = [(module, name) for module in list_modules() for name in list_imports(module)]
    wrong = [f"{module} imports {name}" for module, name in imports if name.split(".")[0] not in libraries]

    assert not wrong


STREAM_MODULES = tuple(DATA["stream modules"])
"""Modules that use the standard streams: two that remove control characters, and a tool for developers."""

DISK_MODULES = DATA["disk modules"]
DISK_CALLS = set(DATA["disk calls"])


def _format_attribute(node: ast.AST) -> str:
    """Return ``a.b`` for an attribute of a plain name, else an empty string."""
    is_dotted = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return f"{node.value.id}.{node.attr}" if is_dotted else ""  # type: ignore[attr-defined]


def test_only_the_listed_modules_use_standard_streams() -> None:
    """These modules remove control characters, so texts from files, names and paths can't control the terminal."""
    streams = {"sys.stdin", "sys.stdout", "sys.stderr", "os.write"}
    wrong = []
    for module in set(list_modules()) - set(STREAM_MODULES):
        wrong += [f"{module}: {name}" for name in list_calls(module).keys() & {"print", "input"}]
        wrong += [f"{module}, line {node.lineno}" for node in walk_module(module) if _format_attribute(node) in streams]
        wrong += [f"{module}: logging" for name in list_imports(module) if name == "logging"]

    assert not wrong


def _list_disk_calls(module: str) -> list[str]:
    """Return the calls in a module that open, read, write or list files, with their lines."""
    calls = [node for node in walk_module(module) if isinstance(node, ast.Call)]
    calls_by_line = [
        (call.lineno, call.func.id) for call in calls if isinstance(call.func, ast.Name) and call.func.id == "open"
    ]
    for call in calls:
        if isinstance(call.func, ast.Attribute):
            full_name = _format_attribute(call.func)
            if {full_name, call.func.attr} & DISK_CALLS and full_name.partition(".")[0] not in {
                "safe_files_and_bundled_data",
                "self",
            }:
                calls_by_line.append((call.lineno, call.func.attr))
    return [f"{name} in line {line}" for line, name in calls_by_line]


def test_only_the_listed_modules_open_files() -> None:
    """These modules check what a file is before they read it, and write files atomically."""
    names = [name for name in list_modules() if name not in DISK_MODULES]
    wrong = [f"{name}: {call}" for name in names for call in _list_disk_calls(name)]

    assert not wrong


def test_every_module_listed_for_the_disk_opens_files() -> None:
    assert all(_list_disk_calls(module) for module in DISK_MODULES)


def test_imports_have_no_cycle() -> None:
    """A reader can read every module after the modules that it imports."""
    visited_modules: set[str] = set()
    path: list[str] = []

    def visit(module: str) -> None:
        if module in visited_modules:
            return
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        path.append(module)
        for name in sorted(list_imports(module)):
            if name in list_modules():
                visit(name)
        visited_modules.add(path.pop())

    for module in list_modules():
        visit(module)


def test_data_folders_and_code_are_separate() -> None:
    """Rulesets and schemas are data, which nobody needs to trust or run."""
    python_in_data = [path for folder in ("schema", "rulesets") for path in (ROOT / folder).rglob("*.py")]
    data_in_python = [
        path
        for package, root in CODE_ROOTS.items()
        for path in (root / package).rglob("*")
        if path.suffix in {".yaml", ".yml", ".json", ".toml"}
    ]

    assert not python_in_data
    assert not data_in_python


def test_files_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in list_modules().values()}
    long = [f"{path.relative_to(ROOT).as_posix()}: {n} lines" for path, n in lengths.items() if n > LINES]

    assert not long, "split them by subject"


def test_functions_are_short() -> None:
    """A function handles one construct, or one step of an algorithm."""
    long = {
        f"{module}.{node.name}"
        for module in list_modules()
        for node in walk_module(module)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES
    }

    assert not long - set(LONG_FUNCTIONS)


def test_every_key_of_test_tables_is_read() -> None:
    """A row is a mapping with the key `test`. A misspelt key would leave out what it should check."""
    unread = []
    for file in (ROOT / "tests").rglob("*.yaml"):
        test = file.with_name(f"test_{file.stem}.py")
        text = test.read_text(encoding="utf-8") if test.exists() else ""
        if 'case["test"]' not in text:
            continue
        text += (ROOT / "tests" / "full_table.py").read_text(encoding="utf-8") if "full_table" in text else ""
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        tables = [table for table in (data.values() if isinstance(data, dict) else [data]) if isinstance(table, list)]
        keys = {key for table in tables for row in table if isinstance(row, dict) and "test" in row for key in row}
        unread += [f"{file.name}: {key}" for key in sorted(keys) if not re.search(rf'"{key}"|\b{key}:', text)]
    assert unread == []


def test_the_architecture_page_names_every_package() -> None:
    plan = (ROOT / "docs" / "develop" / "architecture.md").read_text(encoding="utf-8")
    folders = [path.parent.name for path in list_modules().values() if path.name == "__init__.py"]

    assert not [name for name in folders if f"`{name}`" not in plan and f"{name}/" not in plan]


@pytest.mark.parametrize("package", CODE_ROOTS)
def test_public_names_exist(package: str) -> None:
    """Public names are imported on first use, from modules that are named in strings."""
    public = importlib.import_module(package)

    assert not [name for name in public.__all__ if not hasattr(public, name)]


def test_references_in_docstrings_exist() -> None:
    """A rename must also change the docstrings that mention the name."""
    stale = [
        f"{module}: {name}"
        for module, path in list_modules().items()
        for name in re.findall(r":(?:mod|class|func|meth|data):`~?([\w.]+)`", path.read_text(encoding="utf-8"))
        if not _exists(module, name)
    ]

    assert not stale


def _exists(module: str, name: str) -> bool:
    """Return whether a name exists in a module, in its classes or neighbours, or is a full name of something."""
    module_object = importlib.import_module(module)
    classes = [value for value in vars(module_object).values() if isinstance(value, type)]
    if any(hasattr(scope, name) for scope in (module_object, *classes)):
        return True
    for full_name in (name, f"{module}.{name}", f"{module.rpartition('.')[0]}.{name}"):
        with suppress(ImportError, AttributeError):
            pkgutil.resolve_name(full_name)
            return True
    return False


# ---------------------------------------------------------------- no game in Python


@cache
def _load_ruleset_files() -> list[dict[str, object]]:
    """Return every ruleset file as plain data, read without the language's own reader."""
    texts = []
    for path in sorted((ROOT / "rulesets").rglob("*.yaml")):
        if not {"cases", "playthroughs"} & set(path.relative_to(ROOT).parts):
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
            texts.append(data if isinstance(data, dict) else {})
    return texts


def _list_declared_names(name: str) -> set[str]:
    """Return the names that all rulesets declare in a section."""
    names: set[str] = set()
    for data in _load_ruleset_files():
        section = data.get(name)
        if isinstance(section, dict):
            names.update(str(key) for key in section)
    return names


def _list_game_names() -> set[str]:
    names = set()
    for data in _load_ruleset_files():
        game = data.get("game")
        if isinstance(game, dict):
            names.update({str(game["id"]), str(game["name"])})
    return names


@cache
def _list_words(module: str) -> dict[str, int]:
    """Return the words of a module's identifiers and string literals, each with a line. Leaves out docstrings."""
    words: dict[str, int] = {}
    docstrings = {
        id(node.body[0].value)
        for node in walk_module(module)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in walk_module(module):
        texts: list[str] = []
        if isinstance(node, ast.Name):
            texts = [node.id]
        elif isinstance(node, ast.Attribute):
            texts = [node.attr]
        elif isinstance(node, ast.arg):
            texts = [node.arg]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            texts = [node.name]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            texts = re.findall(r"[A-Za-z0-9_-]+", node.value)
        for text in texts:
            words.setdefault(text.lower(), getattr(node, "lineno", 0))
    return words


def test_python_names_no_game() -> None:
    """The name of a game belongs only in its ruleset. Comments count too."""
    games = {game for game in _list_game_names() if game.lower() != "hex"}  # also a shape of boards in the language
    names = {
        game: re.compile(r"(?<![a-z0-9])" + "[^a-z0-9]*".join(re.findall("[a-z0-9]+", game.lower()))) for game in games
    }
    letters = {game: re.sub(r"[^a-z0-9]", "", game.lower()) for game in games}
    violations = []
    for module, path in list_modules().items():
        text = path.read_text(encoding="utf-8").lower()
        letters_only = re.sub("[^a-z0-9]+", "", text)
        for game in games:
            if letters[game] in letters_only:  # a quick test first, because the patterns take long
                identifiers = re.sub("_", "", " ".join(re.findall(r"\w+", text)))
                is_named = names[game].search(text) or letters[game] in identifiers
                violations += [f"{module} names {game}"] if is_named else []

    assert not violations


def test_python_names_no_card_and_no_zone() -> None:
    """Python code with the name of a card or zone would work in one game only."""
    names = {name.lower() for name in _list_declared_names("cards") | _list_declared_names("zones")} - set(ENGINE_WORDS)
    violations = [
        f"{module}, line {line}: {word}"
        for module in list_modules()
        for word, line in _list_words(module).items()
        if word in names
    ]

    assert not violations


def test_the_list_of_engine_words_is_needed() -> None:
    """Remove an exception from the list if no ruleset needs it any more."""
    names = {name.lower() for name in _list_declared_names("cards") | _list_declared_names("zones")}
    words_in_code = {word for module in list_modules() for word in _list_words(module)}

    assert set(ENGINE_WORDS) <= names & words_in_code
