"""Check the rules of the architecture: the order of imports, the users of each library, and the sizes of modules.

docs/develop/architecture.md gives the reason for each rule. Whoever changes a rule changes both files.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import pkgutil
import re
import subprocess
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
"""Packages and modules from the lowest to the highest. Each imports only from lines above its own."""

CORE = ("state", "evaluator", "view", "explain", "codegen", "game", "belief")
"""The core of the interpreter: the folders that are pure. What stands around it, on its public face, is a shell."""

IMPURE = {"datetime", "io", "os", "pathlib", "random", "secrets", "shutil", "socket", "subprocess", "sys", "tempfile"}
IMPURE |= {"threading", "time"}
IMPURE_CALLS = {"print", "open", "input"}

LIBRARY_IMPORTERS = {library: tuple(doors) for library, doors in DATA["library importers"].items()}
"""Outside library, or module of ours -> the modules and packages that alone may import it."""

LINES = 900
FUNCTION_LINES = 60

LONG_FUNCTIONS: dict[str, str] = {}
"""Functions that are longer, with the reason."""

ENGINE_WORDS = DATA["engine words"]
"""Zone and card names of some ruleset that language or engine use as plain words of their own, with the reason."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the two code roots, by its import name."""
    found = {}
    for package, root in CODE_ROOTS.items():
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def nodes(module: str) -> tuple[ast.AST, ...]:
    """Every node of a module's syntax tree."""
    return tuple(ast.walk(tree(module)))


@cache
def imports(module: str) -> frozenset[str]:
    """The modules that a module imports anywhere in its text: also inside functions and under TYPE_CHECKING."""
    found: set[str] = set()
    is_package = modules()[module].name == "__init__.py"
    for node in nodes(module):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, base] if base else parents)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in modules() else base)
    return frozenset(found)


@cache
def called_in(module: str) -> dict[str, int]:
    """The functions that a module calls by a plain name, each with a line where it does."""
    calls = [node for node in nodes(module) if isinstance(node, ast.Call)]
    return {call.func.id: call.lineno for call in calls if isinstance(call.func, ast.Name)}


def is_core(module: str) -> bool:
    return within(module, tuple(f"lusory.{folder}" for folder in CORE))


@cache
def place_in_order(module: str) -> tuple[int, str]:
    """Return the line of a module in :data:`IMPORT_ORDER`, and the entry that it belongs to."""
    entries = [
        (number, entry)
        for number, line in enumerate(IMPORT_ORDER)
        for entry in line
        if within(module, (entry,)) and (entry.count(".") or module == entry)
    ]
    return max(entries, key=lambda found: len(found[1]))


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_packages_import_only_from_packages_below() -> None:
    """A folder is a stage: it takes what those below it return. Inside of one, files may import each other.

    So the language never imports the interpreter, and nobody imports the command line.
    """
    wrong = [
        f"{module} imports {name}"
        for module in modules()
        for name in imports(module)
        if name in modules()
        and place_in_order(module)[1] != place_in_order(name)[1]
        and place_in_order(module)[0] <= place_in_order(name)[0]
    ]

    assert not wrong


def test_every_package_has_a_docstring() -> None:
    """In the first line of its docstring."""
    silent = [
        module
        for module, path in modules().items()
        if path.name == "__init__.py" and len((ast.get_docstring(tree(module)) or "").split("\n")[0]) < 20
    ]

    assert not silent


VAGUE_BEGINNINGS = ("What", "Whether", "How", "Who", "Of", "Where", "Those", "That")


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """A clause without its noun leaves open what is returned."""
    wrong = [
        f"{module}: {text[:50]}"
        for module in modules()
        for node in nodes(module)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if (text := ast.get_docstring(node) or "").split(" ")[0] in VAGUE_BEGINNINGS
    ]

    assert not wrong


NAMED_BY_GRAMMAR = ("lusory_dsl.syntax.ast_builder",)
"""Modules with methods that are called like the rules of the grammar, which say what each builds."""


def test_public_definitions_of_the_language_have_docstrings() -> None:
    """Leaves out overloads, and names inside private classes."""
    silent: list[str] = []

    def search(module: str, body: list[ast.stmt]) -> None:
        for node in body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
                continue
            is_overload = any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)
            if ast.get_docstring(node) is None and not is_overload:
                silent.append(f"{module}, line {node.lineno}: {node.name}")
            if isinstance(node, ast.ClassDef):
                search(module, node.body)

    for module in modules():
        if module.startswith("lusory_dsl") and module not in NAMED_BY_GRAMMAR:
            search(module, tree(module).body)

    assert not silent


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def definitions() -> list[tuple[str, Definition]]:
    """Every class and function, with the module that holds it."""
    return [(module, node) for module in modules() for node in nodes(module) if isinstance(node, Definition)]


@cache
def definitions_by_name() -> dict[str, list[Definition]]:
    found: dict[str, list[Definition]] = {}
    for _, node in definitions():
        found.setdefault(node.name, []).append(node)
    return found


def _is_stored(part: ast.AST, kind: type[ast.Name] | type[ast.Attribute]) -> bool:
    return isinstance(part, kind) and isinstance(part.ctx, ast.Store)


def _defined_names(node: Definition, below: frozenset[str] = frozenset()) -> set[str]:
    """Return the parameters of a function, or the fields and methods of a class and of its base classes.

    Base classes are found by name alone, so that classes of one name could lead back to those in ``below``.
    """
    if not isinstance(node, ast.ClassDef):
        return {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
    names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    fields = [part for part in node.body if isinstance(part, ast.Assign | ast.AnnAssign)]
    names |= {part.id for field in fields for part in ast.walk(field) if _is_stored(part, ast.Name)}
    names |= {part.attr for part in ast.walk(node) if _is_stored(part, ast.Attribute)}
    below |= {node.name}
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases} - below
    above = [other for base in bases for other in definitions_by_name().get(base, ())]
    return names.union(*(_defined_names(other, below) for other in above))


def test_docstrings_name_only_what_exists() -> None:
    """After a renaming, the sections ``Attributes`` and ``Args`` would explain names that nobody finds."""
    wrong = []
    for module, node in definitions():
        section = re.search(r"^(?:Attributes|Args):\n((?: {4}.*\n|\n)+)", f"{ast.get_docstring(node)}\n", re.M)
        listed = re.findall(r"^ {4}(\w[\w, ]*):", section[1], re.M) if section else []
        names = {name.strip() for entry in listed for name in entry.split(",")}
        if names:
            wrong += [f"{module}, line {node.lineno}: {name}" for name in sorted(names - _defined_names(node))]

    assert not wrong


@cache
def exceptions() -> set[str]:
    """The names of all exceptions: those of Python, and the classes that derive from them."""
    named = {name for name, value in vars(builtins).items() if isinstance(value, type)}
    found = {name for name in named if issubclass(getattr(builtins, name), BaseException)}
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for _, node in definitions()
        if isinstance(node, ast.ClassDef)
    }
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def test_docstrings_name_exceptions_that_exist() -> None:
    """Names of two words, anywhere in a sentence that says what is raised."""
    wrong = [
        f"{module}, line {node.lineno}: {name}"
        for module, node in definitions()
        for sentence in re.findall(r"\b[Rr]aises? ([^.]*)", ast.get_docstring(node) or "")
        for name in re.findall(r"(?<![`\w])[A-Z][a-z]+[A-Z]\w+", sentence)
        if name not in exceptions()
    ]

    assert not wrong


def test_every_listed_package_exists() -> None:
    assert {name for names in IMPORT_ORDER for name in names} <= set(modules())


def test_every_package_is_listed() -> None:
    """A new package gets its place in the order of imports."""
    listed = {name for names in IMPORT_ORDER for name in names}
    packages = {module for module, path in modules().items() if path.name == "__init__.py"}
    covered = {"lusory.codegen", "lusory.ui", "lusory.testing"}  # their own packages are listed one by one

    assert not {name for name in packages if name not in listed and name.rpartition(".")[0] not in covered}


def test_the_core_is_pure() -> None:
    """A game is its ruleset, options, seed and decisions: no clock, no global chance, no file, no screen."""
    wrong = [
        f"{module} uses {name}"
        for module in filter(is_core, modules())
        for name in sorted(
            {name.split(".")[0] for name in imports(module)} & IMPURE | called_in(module).keys() & IMPURE_CALLS
        )
    ]

    assert not wrong


def test_the_language_prints_nothing() -> None:
    """What is found goes into diagnostics; only a shell shows them. (The reference's generator is a tool.)"""
    wrong = [
        f"{module}, line {called_in(module)[name]}: {name}"
        for module in modules()
        if module.startswith("lusory_dsl") and module not in STREAM_MODULES
        for name in called_in(module).keys() & {"print", "input"}
    ]

    assert not wrong


def test_only_the_listed_modules_import_a_library() -> None:
    """Where a library is replaced, one module changes. Native code is reached through ``lusory.native``, and nobody who
    only plays or checks loads studies: tables of their results know their types alone."""
    wrong = [
        f"{module} imports {library}"
        for library, doors in LIBRARY_IMPORTERS.items()
        for module in modules()
        if any(within(name, (library,)) for name in imports(module)) and not within(module, doors)
    ]

    assert not wrong


def test_no_other_library_is_imported() -> None:
    """What is not declared in pyproject.toml is not on a fresh machine."""
    known = {*sys.stdlib_module_names, *CODE_ROOTS, *LIBRARY_IMPORTERS}
    wrong = [f"{m} imports {name}" for m in modules() for name in imports(m) if name.split(".")[0] not in known]

    assert not wrong


@pytest.mark.parametrize("command", ["check_and_watch", "explain", "fmt", "test_cases_coverage_and_mutation"])
def test_commands_that_play_nothing_start_without_native_code(command: str) -> None:
    """Importing it takes a tenth of a second."""
    program = f"import sys, lusory.cli, lusory.commands.handlers.{command}\nprint('lusory.native' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout == "False\n", done.stderr


STREAM_MODULES = tuple(DATA["stream modules"])
"""Who prints and reads lines: two modules that let nothing pass which steers a terminal, and a tool of ours."""

DISK_MODULES = DATA["disk modules"]
DISK_CALLS = set(DATA["disk calls"])


def _dotted(node: ast.AST) -> str:
    """``a.b`` of an attribute of a name."""
    is_dotted = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return f"{node.value.id}.{node.attr}" if is_dotted else ""  # type: ignore[attr-defined]


def test_only_the_listed_modules_use_standard_streams() -> None:
    """What a file, a name or a path says reaches a screen as text that can do nothing but be read."""
    streams = {"sys.stdin", "sys.stdout", "sys.stderr", "os.write"}
    wrong = []
    for module in set(modules()) - set(STREAM_MODULES):
        wrong += [f"{module}: {name}" for name in called_in(module).keys() & {"print", "input"}]
        wrong += [f"{module}, line {node.lineno}" for node in nodes(module) if _dotted(node) in streams]
        wrong += [f"{module}: logging" for name in imports(module) if name == "logging"]

    assert not wrong


def _disk_calls(module: str) -> list[str]:
    """Where a module opens, reads, writes or lists files: by functions and by methods of paths."""
    calls = [node for node in nodes(module) if isinstance(node, ast.Call)]
    named = [
        (call.lineno, call.func.id) for call in calls if isinstance(call.func, ast.Name) and call.func.id == "open"
    ]
    for call in calls:
        if isinstance(call.func, ast.Attribute):
            whole = _dotted(call.func)
            if {whole, call.func.attr} & DISK_CALLS and whole.partition(".")[0] not in {
                "safe_files_and_bundled_data",
                "self",
            }:
                named.append((call.lineno, call.func.attr))
    return [f"{name} in line {line}" for line, name in named]


def test_only_the_listed_modules_open_files() -> None:
    """No file is read before it is known what it is, and none is left half written."""
    wrong = [f"{module}: {call}" for module in modules() if module not in DISK_MODULES for call in _disk_calls(module)]

    assert not wrong


def test_every_module_listed_for_the_disk_opens_files() -> None:
    assert all(_disk_calls(module) for module in DISK_MODULES)


def test_imports_have_no_cycle() -> None:
    """Every module can be read after the ones that it imports."""
    finished: set[str] = set()
    path: list[str] = []

    def visit(module: str) -> None:
        if module in finished:
            return
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        path.append(module)
        for name in sorted(imports(module)):
            if name in modules():
                visit(name)
        finished.add(path.pop())

    for module in modules():
        visit(module)


def test_data_and_python_live_apart() -> None:
    """Rulesets and schemas are data: nobody needs to trust or run them to read them."""
    python_in_data = [p for folder in ("schema", "rulesets") for p in (ROOT / folder).rglob("*.py")]
    data_in_python = [
        p
        for package, root in CODE_ROOTS.items()
        for p in (root / package).rglob("*")
        if p.suffix in {".yaml", ".yml", ".json", ".toml"}
    ]

    assert not python_in_data
    assert not data_in_python


def test_files_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules().values()}
    long = [f"{path.relative_to(ROOT).as_posix()}: {n} lines" for path, n in lengths.items() if n > LINES]

    assert not long, "split them by subject"


def test_functions_are_short() -> None:
    """A function is a construct, or one step of a way."""
    long = {
        f"{module}.{node.name}"
        for module in modules()
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES
    }

    assert not long - set(LONG_FUNCTIONS)


def test_tests_read_each_key_of_their_rows() -> None:
    """A row is a mapping with the key `test`. A misspelt key would leave out what it should check."""
    unread = []
    for file in (ROOT / "tests").glob("*/*.yaml"):
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
    folders = [path.parent.name for path in modules().values() if path.name == "__init__.py"]

    assert not [name for name in folders if f"`{name}`" not in plan and f"{name}/" not in plan]


@pytest.mark.parametrize("package", CODE_ROOTS)
def test_public_names_exist(package: str) -> None:
    """They are imported on first use, from modules that strings name."""
    public = importlib.import_module(package)

    assert not [name for name in public.__all__ if not hasattr(public, name)]


def test_references_in_docstrings_exist() -> None:
    """What is renamed or moved is found in the prose about it, too."""
    stale = [
        f"{module}: {name}"
        for module, path in modules().items()
        for name in re.findall(r":(?:mod|class|func|meth|data):`~?([\w.]+)`", path.read_text(encoding="utf-8"))
        if not _is_there(module, name)
    ]

    assert not stale


def _is_there(module: str, name: str) -> bool:
    """Whether a name is one of a module, of its neighbours or classes, or the full name of something."""
    here = importlib.import_module(module)
    classes = [value for value in vars(here).values() if isinstance(value, type)]
    if any(hasattr(scope, name) for scope in (here, *classes)):
        return True
    for full in (name, f"{module}.{name}", f"{module.rpartition('.')[0]}.{name}"):
        with suppress(ImportError, AttributeError):
            pkgutil.resolve_name(full)
            return True
    return False


# ---------------------------------------------------------------- no game in Python


@cache
def _ruleset_texts() -> list[dict[str, object]]:
    """Every ruleset file as plain data, without the language's own reader."""
    texts = []
    for path in sorted((ROOT / "rulesets").rglob("*.yaml")):
        if not {"cases", "playthroughs"} & set(path.relative_to(ROOT).parts):
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
            texts.append(data if isinstance(data, dict) else {})
    return texts


def _section(name: str) -> set[str]:
    """The declared names of a section over all rulesets."""
    found: set[str] = set()
    for data in _ruleset_texts():
        section = data.get(name)
        if isinstance(section, dict):
            found.update(str(key) for key in section)
    return found


def _game_names() -> set[str]:
    found = set()
    for data in _ruleset_texts():
        game = data.get("game")
        if isinstance(game, dict):
            found.update({str(game["id"]), str(game["name"])})
    return found


@cache
def _words(module: str) -> dict[str, int]:
    """The words of a module's identifiers and string literals (docstrings apart), each with a line it stands on."""
    found: dict[str, int] = {}
    prose = {
        id(node.body[0].value)
        for node in nodes(module)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(module):
        texts: list[str] = []
        if isinstance(node, ast.Name):
            texts = [node.id]
        elif isinstance(node, ast.Attribute):
            texts = [node.attr]
        elif isinstance(node, ast.arg):
            texts = [node.arg]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            texts = [node.name]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            texts = re.findall(r"[A-Za-z0-9_-]+", node.value)
        for text in texts:
            found.setdefault(text.lower(), getattr(node, "lineno", 0))
    return found


def test_python_names_no_game() -> None:
    """Not even in a comment: the name of a game belongs into its ruleset."""
    games = {game for game in _game_names() if game.lower() != "hex"}  # also a shape of boards, in the language itself
    names = {
        game: re.compile(r"(?<![a-z0-9])" + "[^a-z0-9]*".join(re.findall("[a-z0-9]+", game.lower()))) for game in games
    }
    letters = {game: re.sub(r"[^a-z0-9]", "", game.lower()) for game in games}
    named = []
    for module, path in modules().items():
        text = path.read_text(encoding="utf-8").lower()
        whole = re.sub("[^a-z0-9]+", "", text)
        for game in games:
            if letters[game] in whole:  # rarely: what is sought closely takes long
                identifiers = re.sub("_", "", " ".join(re.findall(r"\w+", text)))
                named += [f"{module} names {game}"] if names[game].search(text) or letters[game] in identifiers else []

    assert not named


def test_python_names_no_card_and_no_zone() -> None:
    """A card or zone that Python knows by name works in one game only."""
    names = {name.lower() for name in _section("cards") | _section("zones")} - set(ENGINE_WORDS)
    found = [
        f"{module}, line {line}: {word}"
        for module in modules()
        for word, line in _words(module).items()
        if word in names
    ]

    assert not found


def test_the_list_of_engine_words_is_needed() -> None:
    """An exception that no ruleset needs any more is taken off the list."""
    names = {name.lower() for name in _section("cards") | _section("zones")}
    used = {word for module in modules() for word in _words(module)}

    assert set(ENGINE_WORDS) <= names & used
