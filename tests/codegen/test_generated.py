"""Generated Python code is safe: it contains authors' texts only as literals, and reads no name before it has a value.

Code that the printer never writes is not executed.
"""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from collections.abc import Iterable
from functools import cache, lru_cache, reduce
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from generated import find_problems
from programs import BIDS, build_program, read_data
from random_rulesets import Maker
from schema_fields import Field, find_kinds, list_text_fields, replace_text, walk_texts
from test_conformance import CHUNKS

from lusory.codegen.build_stages_and_ir_listing import emit
from lusory.codegen.generated_code_check_and_loading import (
    BUILTINS,
    KINDS,
    NotAdmitted,
    Playout,
    Steps,
    admit,
    make_cache_key,
)
from lusory.codegen.python.printer import format_comment, format_literal, make_identifier, make_place_names
from lusory.codegen.python.runtime import make_namespace
from lusory.game import Game
from lusory.state.setting_value_limits_builtins_and_names import Setting
from lusory.state.static_work_charges_and_list_bounds import Limits
from lusory.support.cache import Cache
from lusory_dsl import Program, load_program
from lusory_dsl.pipeline import check, check_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets, find_data_folder
from lusory_dsl.yaml.reader import YamlScalar

DATA = read_data(__file__)

TABLE_VALUES = ("tables", "*", "values")  # never a single text, because a table has a dimension
HOSTILE = (*DATA["hostile"], "\ud800\udfff")  # YAML has no surrogates


@lru_cache(maxsize=8)
def create_setting(program: Program) -> Setting:
    return Game(program, engine="compiled").setting


def generate_permitted_code(program: Program, kind: str) -> str:
    """Return the text of a build, after checking that it contains only permitted code."""
    text = emit(create_setting(program), kind).text
    assert text.isascii()
    assert check_code(text, frozenset(make_namespace(create_setting(program), ())))
    return text


@lru_cache(maxsize=32)
def check_code(text: str, names: frozenset[str]) -> bool:
    """Check that a generated module contains only permitted code. Cached, because many rulesets give the same text."""
    assert not find_problems(text, names)
    assert admit(compile(text, "text", "exec"), names)
    return True


COMPARED_KINDS = ("events", "playout")  # the silent build is the one with events, without the logging
PRINT_DIGESTS = DATA["print digests"]


def compute_digests_elsewhere(builds: Iterable[tuple[Path, str]], folder: Path) -> dict[tuple[Path, str], str]:
    """Return the digest of each build (path of the rules, kind) from a process that iterates sets in another order."""
    root = Path(__file__).parents[2]
    path = {"PYTHONPATH": f"{root / 'dsl'}:{root / 'interpreter'}", "LUSORY_CACHE": "off", "PYTHONHASHSEED": "4711"}
    list_file = folder / "builds"
    list_file.write_text("".join(f"{rules} {kind}\n" for rules, kind in builds))
    result = subprocess.run(
        [sys.executable, "-c", PRINT_DIGESTS, str(list_file)], env=path, capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in result.stdout.splitlines()]
    return {(Path(rules), kind): digest for rules, kind, digest in lines}


def check_builds(builds: list[tuple[Path, str]], folder: Path) -> None:
    """Check that builds contain only permitted code, and are the same in another process."""
    digests = compute_digests_elsewhere(builds, folder)
    assert list(digests) == builds
    for (rules, kind), digest in reversed(digests.items()):
        code = generate_permitted_code(load_program(rules), kind)
        assert hashlib.sha256(code.encode()).hexdigest() == digest, (rules.name, kind)


def check_ruleset(name: str, folder: Path) -> None:
    check_builds([(find_bundled_rulesets()[name], kind) for kind in COMPARED_KINDS], folder)


@pytest.mark.parametrize("start", range(2))
def test_code_of_conformance_is_permitted_and_the_same_in_every_process(start: int, tmp_path: Path) -> None:
    """The code doesn't depend on the iteration order of sets or on what the process compiled before.

    ``PYTHONPATH=tests:tests/laws python tests/codegen/test_generated.py NAME…`` does the same for bundled rulesets.
    """
    builds = []
    for number, (name, chunk) in list(enumerate(CHUNKS.items()))[start::2]:
        (tmp_path / f"{name}.yaml").write_text(chunk.ruleset, encoding="utf-8")
        builds.append((tmp_path / f"{name}.yaml", COMPARED_KINDS[number // 2 % 2]))
    check_builds(builds, tmp_path)


def test_code_of_a_game_is_permitted_and_the_same_in_every_process(tmp_path: Path) -> None:
    check_ruleset("nano-empire", tmp_path)


# ---------------------------------------------------------------- authors' texts

FIXTURES = Path(__file__).parents[1] / "fixtures"
DECKS, STORMS = FIXTURES / "packs" / "decks", FIXTURES / "packs" / "storms"
PLAIN = "some words"  # harmless text to compare hostile texts with


def list_documents() -> list[str]:
    """Return rulesets that consist of one file, small ones first."""
    rulesets = [chunk.ruleset for chunk in CHUNKS.values()]
    rulesets += [
        (FIXTURES / name).read_text(encoding="utf-8") for name in ("bids.yaml", "every_text.yaml", "every_text_2.yaml")
    ]
    rulesets += [
        file.read_text(encoding="utf-8") for file in (find_data_folder("rulesets") / "classics").glob("*/ruleset.yaml")
    ]
    return sorted(rulesets, key=len)


@cache
def find_text_fields() -> dict[Field, tuple[str, YamlScalar]]:
    """Return for each text field of rulesets a document that contains it, and its node there."""
    fields: dict[Field, tuple[str, YamlScalar]] = {}
    for document in list_documents():
        for path, node in walk_texts(document):
            fields.setdefault(path, (document, node))
    return fields


FIELDS = {path for path in list_text_fields() if path[0] not in ("extends", "pack", "replaces")}
FIELDS = sorted(FIELDS - {TABLE_VALUES})


FREE_KEYS = ("about", "aim", "authors", "doc", "docs", "know", "label", "labels", "short", "text", "title", "turn")
"""Keys below which any text is valid."""


def is_free(path: Field) -> bool:
    return find_kinds(path) == {"text"} and bool(set(path) & set(FREE_KEYS)) and path[-1] != "board"


def test_every_text_field_occurs_in_a_document() -> None:
    """The section `extends` has the same fields as a ruleset, so the tests below need not cover it."""
    assert not [path for path in FIELDS if path not in find_text_fields()]
    extension_fields = {path[1:] for path in list_text_fields() if path[0] == "extends"}
    phases = {path[2:] for path in extension_fields if path[:3] == ("phases", "[]", "phases")}
    extension_only = {path for path in extension_fields if path[0] in ("menus", "phases", "players", "tables")}
    assert (extension_fields - extension_only) | phases <= set(list_text_fields())


def replace_all(document: str, nodes: list[YamlScalar], text: str) -> str:
    return reduce(lambda changed, node: replace_text(changed, node, text), nodes, document)


@pytest.mark.parametrize("start", range(6))
def test_only_literals_change_with_free_texts(start: int) -> None:
    """Replaces all free texts of a document at once, with a few of the hostile texts for each document."""
    by_document: dict[str, list[YamlScalar]] = {}
    for path in filter(is_free, FIELDS):
        document, node = find_text_fields()[path]
        by_document.setdefault(document, []).append(node)
    for number, (document, nodes) in list(enumerate(by_document.items()))[start::6]:
        nodes.sort(key=lambda node: node.span.start, reverse=True)
        before = list_shapes(replace_all(document, nodes, PLAIN))
        assert before is not None
        for text in HOSTILE[number % 3 :: 3]:
            after = list_shapes(replace_all(document, nodes, text))
            assert after in (before, None) or set(text) & set("{}"), text


@pytest.mark.parametrize("path", [path for path in FIELDS if not is_free(path)], ids="/".join)
def test_only_literals_change_with_other_texts(path: Field) -> None:
    """Tries one hostile text in each field."""
    document, node = find_text_fields()[path]
    text = HOSTILE[FIELDS.index(path) % len(HOSTILE)]
    after = list_shapes(replace_text(document, node, text))
    if after is not None and not set(text) & set("{}") and find_kinds(path) & {"text", "text/x-lusory-template"}:
        assert after in (list_shapes(replace_text(document, node, PLAIN)), None), text


@pytest.mark.parametrize("path", [path for path in FIELDS if "text/x-lusory-block" in find_kinds(path)], ids="/".join)
def test_only_literals_change_with_the_texts_in_rules(path: Field) -> None:
    document, node = find_text_fields()[path]
    lines = node.text.rstrip("\n")
    for form in (f'announce "%s"\n{lines}', f'{lines}\nend game because "%s"'):
        before = list_shapes(replace_text(document, node, form.replace("%s", PLAIN)))
        assert before is not None or form.startswith(lines)  # not every block can end the game
        for text in HOSTILE:
            inner_text = text.translate({ord(sign): None for sign in '{}"\\\n'})
            assert list_shapes(replace_text(document, node, form.replace("%s", inner_text))) in (before, None), text


@pytest.mark.parametrize("text", HOSTILE)
def test_only_literals_change_with_the_texts_of_a_pack(text: str, tmp_path: Path) -> None:
    """Replaces all texts of a pack and of its cards at once."""
    for name in ("pack.yaml", "cards/storms.yaml"):
        document = (STORMS / name).read_text(encoding="utf-8")
        for path, node in reversed(list(walk_texts(document))):
            if find_kinds(path) == {"text"} and path[-1] in ("about", "doc", "label", "name", "title"):
                document = replace_text(document, node, text)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(document, encoding="utf-8", errors="surrogatepass")
    program = check(DECKS, Diagnostics(), [tmp_path])
    if program is not None:
        assert list_program_shapes(program) == list_program_shapes(load_program(DECKS, [STORMS]))


def list_shapes(document: str) -> list[str] | None:
    """Return the syntax trees of a ruleset's code without the values of string literals, or None for invalid rules."""
    program = check_text(document, Diagnostics(), "rules.yaml")
    return None if program is None else list_program_shapes(program)


def list_program_shapes(program: Program) -> list[str]:
    return [_dump_shape(generate_permitted_code(program, "events"))]  # this build contains all texts


@lru_cache(maxsize=32)
def _dump_shape(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


# ---------------------------------------------------------------- permitted code


@pytest.mark.parametrize("text", DATA["code that the printer never writes"])
def test_code_that_the_printer_never_writes_is_refused(text: str) -> None:
    with pytest.raises(NotAdmitted):
        admit(compile(text, "text", "exec"), ())


def test_generated_code_has_only_the_builtins_that_it_needs() -> None:
    setting = Game(build_program(list_documents()[0]), engine="compiled").setting
    for module in (Steps(setting, "silent"), Playout(setting)):
        assert module.names["__builtins__"] == BUILTINS
        assert not {"open", "eval", "exec", "getattr", "__import__", "type", "print"} & set(module.names)


def test_cached_code_is_for_its_players_options_and_limits() -> None:
    """Only playouts contain the options."""
    program = load_program(BIDS)
    cases = (2, 1, 9), (2, 2, 9), (2, 1, 8), (3, 1, 9)
    games = [Game(program, players, {"rounds": n}, limits=Limits(game=limit)) for players, n, limit in cases]
    assert len({make_cache_key(game.setting, "playout") for game in games}) == 4
    assert len({make_cache_key(game.setting, "silent") for game in games}) == 3


def test_code_from_the_cache_is_checked(tmp_path: Path) -> None:
    """If the cache holds code that the printer never writes, it is generated again and not executed."""
    setting = Game(build_program(list_documents()[0]), engine="compiled").setting
    cache = Cache(tmp_path)
    original = Steps(setting, "silent", cache)
    _, *other_data = cache.load_code(make_cache_key(setting, "silent"))
    file = tmp_path / "escaped"
    code = compile(f"open({str(file)!r}, 'w')", "text", "exec")
    cache.store_code(make_cache_key(setting, "silent"), (code, *other_data))

    assert Steps(setting, "silent", cache).blocks.keys() == original.blocks.keys()
    assert not file.exists()


# ---------------------------------------------------------------- literals, identifiers and comments


@pytest.mark.parametrize("text", HOSTILE)
def test_literals_have_their_value(text: str) -> None:
    for value in (text, (text, 1, None, (True, -3)), {None: text}):
        assert ast.literal_eval(format_literal(value)) == value
        assert format_literal(value).isascii() and format_literal(value).isprintable()


def test_only_plain_values_have_literals() -> None:
    class TextSubclass(str):
        def __repr__(self) -> str:
            return "open('x')"

    for value in (1.5, b"x", [1], {1}, TextSubclass("x"), (1, TextSubclass("x"))):
        with pytest.raises(TypeError):
            format_literal(value)


@pytest.mark.parametrize("name", ["é1", "É1", "ª", "λ", "1", "__class__", "", "x\n", "K", "n", *HOSTILE])
def test_identifiers_are_ascii_and_unique(name: str) -> None:
    for identifier in (make_identifier(name, 7), make_place_names([name])[name]):
        assert identifier.isascii() and identifier.isidentifier() and not identifier.startswith("_")
    assert make_identifier(name, 7) != make_identifier(name, 8)
    assert format_comment(name, 2, "players").isascii() and "\n" not in format_comment(name, 2, "players")


@pytest.mark.parametrize("seed", range(9))
def test_code_of_random_rulesets_is_permitted(seed: int) -> None:
    random = Random(seed)
    program = check_text(Maker(random.randrange, random.choice([0, 6])).ruleset(), Diagnostics(), "made.yaml")
    for kind in KINDS if program is not None else ():
        assert generate_permitted_code(program, kind)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        with TemporaryDirectory() as folder:
            check_ruleset(argument, Path(folder))
