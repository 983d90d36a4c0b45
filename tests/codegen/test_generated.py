"""What generated code is made of: authors' words are literals and nothing else, every name has a value before it is
read, and what no printer writes is never run."""

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
from generated import complaints
from programs import checked, read_data
from random_rulesets import Maker
from schema_fields import Field, kinds_at, text_fields, texts_in, written
from test_conformance import CHUNKS

from lusory.codegen.generated_code_check_and_loading import (
    BUILTINS,
    KINDS,
    NotAdmitted,
    Playout,
    Steps,
    admit,
    make_cache_key,
)
from lusory.codegen.python.printer import make_identifier, print_comment, print_literal
from lusory.codegen.python.runtime import make_namespace
from lusory.codegen.python_build_stages_and_ir_listing import emit
from lusory.game import Game
from lusory.state.setting_value_limits_builtins_and_names import Setting
from lusory.support.cache import Cache
from lusory_dsl import Program, load_program
from lusory_dsl.pipeline import check, check_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets, find_data_folder
from lusory_dsl.yaml.reader import YamlScalar

DATA = read_data(__file__)

TABLE_VALUES = ("tables", "*", "values")  # never a single text: a table has a dimension
HOSTILE = (*DATA["hostile"], "\ud800\udfff")  # YAML has no surrogates


@lru_cache(maxsize=8)
def setting_of(program: Program) -> Setting:
    return Game(program, engine="compiled").setting


def may_run(program: Program, kind: str) -> str:
    """The text of a build, which is made of what may run."""
    text = emit(setting_of(program), kind).text
    assert text.isascii()
    assert look_at(text, frozenset(make_namespace(setting_of(program), ())))
    return text


@lru_cache(maxsize=32)
def look_at(text: str, provided: frozenset[str]) -> bool:
    """The same text, such as that of rules with other words where nothing is played, is not looked at again."""
    assert not complaints(text, provided)
    assert admit(compile(text, "text", "exec"), provided)
    return True


KINDS_COMPARED = ("events", "playout")  # a silent build is one with events, without what tells them
PRINT_DIGESTS = DATA["print digests"]


def compute_digests_elsewhere(builds: Iterable[tuple[Path, str]], folder: Path) -> dict[tuple[Path, str], str]:
    """Return the digest of each build (path of the rules, kind), from another process with another order of sets."""
    root = Path(__file__).parents[2]
    path = {"PYTHONPATH": f"{root / 'dsl'}:{root / 'interpreter'}", "LUSORY_CACHE": "off", "PYTHONHASHSEED": "4711"}
    listed = folder / "builds"
    listed.write_text("".join(f"{rules} {kind}\n" for rules, kind in builds))
    done = subprocess.run(
        [sys.executable, "-c", PRINT_DIGESTS, str(listed)], env=path, capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    return {(Path(rules), kind): digest for rules, kind, digest in lines}


def check_builds(builds: list[tuple[Path, str]], folder: Path) -> None:
    """Check that builds are made of what may run, and are the same in another process."""
    elsewhere = compute_digests_elsewhere(builds, folder)
    assert list(elsewhere) == builds
    for (rules, kind), digest in reversed(elsewhere.items()):
        assert hashlib.sha256(may_run(load_program(rules), kind).encode()).hexdigest() == digest, (rules.name, kind)


def check_ruleset(name: str, folder: Path) -> None:
    check_builds([(find_bundled_rulesets()[name], kind) for kind in KINDS_COMPARED], folder)


@pytest.mark.parametrize("part", range(2))
def test_conformance_becomes_what_may_run_and_is_the_same_in_every_process(part: int, tmp_path: Path) -> None:
    """Whatever the order in which a process keeps its sets, and whatever it made before.

    ``PYTHONPATH=tests:tests/laws python tests/codegen/test_generated.py NAME…`` does the same for whole rulesets.
    """
    builds = []
    for number, (name, chunk) in list(enumerate(CHUNKS.items()))[part::2]:
        (tmp_path / f"{name}.yaml").write_text(chunk.ruleset, encoding="utf-8")
        builds.append((tmp_path / f"{name}.yaml", KINDS_COMPARED[number // 2 % 2]))
    check_builds(builds, tmp_path)


def test_a_whole_game_becomes_what_may_run_and_is_the_same_in_every_process(tmp_path: Path) -> None:
    check_ruleset("nano-empire", tmp_path)


# ---------------------------------------------------------------- authors' words

FIXTURES = Path(__file__).parents[1] / "fixtures"
DECKS, STORMS = FIXTURES / "packs" / "decks", FIXTURES / "packs" / "storms"
PLAIN = "some words"  # what stands in a text's place to compare with


def documents() -> list[str]:
    """Whole rulesets in one file, small ones first."""
    rulesets = [chunk.ruleset for chunk in CHUNKS.values()]
    rulesets += [
        (FIXTURES / name).read_text(encoding="utf-8") for name in ("bids.yaml", "every_text.yaml", "every_text_2.yaml")
    ]
    rulesets += [
        file.read_text(encoding="utf-8") for file in (find_data_folder("rulesets") / "classics").glob("*/ruleset.yaml")
    ]
    return sorted(rulesets, key=len)


@cache
def places() -> dict[Field, tuple[str, YamlScalar]]:
    """For each text field of a ruleset a file in which it stands."""
    found: dict[Field, tuple[str, YamlScalar]] = {}
    for document in documents():
        for path, node in texts_in(document):
            found.setdefault(path, (document, node))
    return found


FIELDS = sorted({path for path in text_fields() if path[0] not in ("extends", "pack", "replaces")} - {TABLE_VALUES})


FREE_KEYS = ("about", "aim", "authors", "doc", "docs", "know", "label", "labels", "short", "text", "title", "turn")
"""Keys below which any words may stand."""


def is_free(path: Field) -> bool:
    return kinds_at(path) == {"text"} and bool(set(path) & set(FREE_KEYS)) and path[-1] != "board"


def test_no_text_field_is_forgotten() -> None:
    """What extends a ruleset has the fields of what it extends."""
    assert not [path for path in FIELDS if path not in places()]
    extending = {path[1:] for path in text_fields() if path[0] == "extends"}
    phases = {path[2:] for path in extending if path[:3] == ("phases", "[]", "phases")}
    own = {path for path in extending if path[0] in ("menus", "phases", "players", "tables")}
    assert (extending - own) | phases <= set(text_fields())


@pytest.mark.parametrize("part", range(6))
def test_only_literals_change_with_free_texts(part: int) -> None:
    """All free texts of a document are written at once; two of the hostile texts for each document."""
    by_document: dict[str, list[YamlScalar]] = {}
    for path in filter(is_free, FIELDS):
        document, node = places()[path]
        by_document.setdefault(document, []).append(node)
    for number, (document, nodes) in list(enumerate(by_document.items()))[part::6]:
        nodes.sort(key=lambda node: node.span.start, reverse=True)
        before = shapes(reduce(lambda made, node: written(made, node, PLAIN), nodes, document))
        assert before is not None
        for text in HOSTILE[number % 3 :: 3]:
            after = shapes(reduce(lambda made, node: written(made, node, text), nodes, document))
            assert after in (before, None) or set(text) & set("{}"), text


@pytest.mark.parametrize("path", [path for path in FIELDS if not is_free(path)], ids="/".join)
def test_only_literals_change_with_what_an_author_writes(path: Field) -> None:
    """One of the hostile texts for each field, the others for the next fields."""
    document, node = places()[path]
    text = HOSTILE[FIELDS.index(path) % len(HOSTILE)]
    after = shapes(written(document, node, text))
    if after is not None and not set(text) & set("{}") and kinds_at(path) & {"text", "text/x-lusory-template"}:
        assert after in (shapes(written(document, node, PLAIN)), None), text


@pytest.mark.parametrize("path", [path for path in FIELDS if "text/x-lusory-block" in kinds_at(path)], ids="/".join)
def test_only_literals_change_with_the_texts_in_rules(path: Field) -> None:
    document, node = places()[path]
    lines = node.text.rstrip("\n")
    for form in (f'announce "%s"\n{lines}', f'{lines}\nend game because "%s"'):
        before = shapes(written(document, node, form.replace("%s", PLAIN)))
        assert before is not None or form.startswith(lines)  # not every block can end the game
        for text in HOSTILE:
            inside = text.translate({ord(sign): None for sign in '{}"\\\n'})
            assert shapes(written(document, node, form.replace("%s", inside))) in (before, None), text


@pytest.mark.parametrize("text", HOSTILE)
def test_only_literals_change_with_what_a_pack_says(text: str, tmp_path: Path) -> None:
    """All its texts at once, and those of the cards that it brings."""
    for name in ("pack.yaml", "cards/storms.yaml"):
        document = (STORMS / name).read_text(encoding="utf-8")
        for path, node in reversed(list(texts_in(document))):
            if kinds_at(path) == {"text"} and path[-1] in ("about", "doc", "label", "name", "title"):
                document = written(document, node, text)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(document, encoding="utf-8", errors="surrogatepass")
    program = check(DECKS, Diagnostics(), [tmp_path])
    if program is not None:
        assert shapes_of(program) == shapes_of(load_program(DECKS, [STORMS]))


def shapes(document: str) -> list[str] | None:
    """The syntax trees of all builds of a ruleset without what their literals say; None: it is refused."""
    program = check_text(document, Diagnostics(), "rules.yaml")
    return None if program is None else shapes_of(program)


def shapes_of(program: Program) -> list[str]:
    return [_shape(may_run(program, "events"))]  # the build that has all texts


@lru_cache(maxsize=32)
def _shape(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


# ---------------------------------------------------------------- what may run


@pytest.mark.parametrize("text", DATA["what no printer writes is not admitted"])
def test_what_no_printer_writes_is_not_admitted(text: str) -> None:
    with pytest.raises(NotAdmitted):
        admit(compile(text, "text", "exec"), ())


def test_generated_code_has_no_builtins_but_those_it_needs() -> None:
    setting = Game(checked(documents()[0]), engine="compiled").setting
    for module in (Steps(setting, "silent"), Playout(setting)):
        assert module.names["__builtins__"] == BUILTINS
        assert not {"open", "eval", "exec", "getattr", "__import__", "type", "print"} & set(module.names)


def test_code_from_the_cache_is_held_against_the_same(tmp_path: Path) -> None:
    """An entry with a right digest and code that no printer writes is made anew, and not run."""
    setting = Game(checked(documents()[0]), engine="compiled").setting
    cache = Cache(tmp_path)
    made = Steps(setting, "silent", cache)
    _, *rest = cache.load_code(make_cache_key(setting, "silent"))
    escaped = tmp_path / "escaped"
    strange = compile(f"open({str(escaped)!r}, 'w')", "text", "exec")
    cache.store_code(make_cache_key(setting, "silent"), (strange, *rest))

    assert Steps(setting, "silent", cache).blocks.keys() == made.blocks.keys()
    assert not escaped.exists()


# ---------------------------------------------------------------- the door


@pytest.mark.parametrize("text", HOSTILE)
def test_literals_are_what_they_say(text: str) -> None:
    for value in (text, (text, 1, None, (True, -3)), {None: text}):
        assert ast.literal_eval(print_literal(value)) == value
        assert print_literal(value).isascii() and print_literal(value).isprintable()


def test_only_plain_values_have_literals() -> None:
    class Odd(str):
        def __repr__(self) -> str:
            return "open('x')"

    for value in (1.5, b"x", [1], {1}, Odd("x"), (1, Odd("x"))):
        with pytest.raises(TypeError):
            print_literal(value)


@pytest.mark.parametrize("name", ["é1", "É1", "ª", "λ", "1", "__class__", "", "x\n", "K", "n", *HOSTILE])
def test_identifiers_are_plain_and_of_their_own(name: str) -> None:
    for found in (make_identifier(name, 7), make_identifier(name, 7, prefix="P")):
        assert found.isascii() and found.isidentifier() and not found.startswith("_")
    assert make_identifier(name, 7) != make_identifier(name, 8)
    assert print_comment(name, 2, "players").isascii() and "\n" not in print_comment(name, 2, "players")


@pytest.mark.parametrize("seed", range(9))
def test_random_rulesets_become_what_may_run(seed: int) -> None:
    chance = Random(seed)
    program = check_text(Maker(chance.randrange, chance.choice([0, 6])).ruleset(), Diagnostics(), "made.yaml")
    for kind in KINDS if program is not None else ():
        assert may_run(program, kind)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        with TemporaryDirectory() as made:
            check_ruleset(argument, Path(made))
