"""What generated code is made of: authors' words are literals and nothing else, every name has a value before it is
read, and what no printer writes is never run."""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from functools import cache, lru_cache
from pathlib import Path
from random import Random

import pytest
from generated import complaints
from programs import bundled, checked, is_large
from random_rulesets import Maker
from schema_fields import Field, kinds_at, text_fields, texts_in, written
from test_conformance import CHUNKS

from lusory.codegen.compiled_module import BUILTINS, KINDS, NotAdmitted, Playout, Steps, admit, cache_key
from lusory.codegen.driver import emit
from lusory.codegen.python.printer import make_identifier, print_comment, print_literal
from lusory.codegen.python.runtime import namespace
from lusory.game import Game
from lusory.state.setting_and_builtin_functions import Setting
from lusory.support.cache import Cache
from lusory_dsl import Program, load_program
from lusory_dsl.pipeline import check, check_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files import find_bundled_rulesets, find_data_folder
from lusory_dsl.yaml.reader import YamlScalar

TABLE_VALUES = ("tables", "*", "values")  # never a single text: a table has a dimension
HOSTILE = (
    "X\nopen('escaped', 'w')\n#",
    "'''; import os; ''' \"\\\"); raise SystemExit # \\N{BULLET}\\x41\\u0041\\\\",
    "{me}{0}{{}}%s%(c)s",
    "«1» goto 3 x_1 := 2 ([{P_heap move_cards( K1 steps d rnd S_rolls z",
    "a\u2028b\u0085c\u202ed\u2066e\x00f\x1bg\x7f",
    "\ud800\udfff",
)


@lru_cache(maxsize=8)
def setting_of(program: Program) -> Setting:
    return Game(program, engine="compiled").setting


def may_run(program: Program, kind: str) -> str:
    """The text of a build, which is made of what may run."""
    text = emit(setting_of(program), kind).text
    assert text.isascii()
    assert look_at(text, frozenset(namespace(setting_of(program), ())))
    return text


@lru_cache(maxsize=32)
def look_at(text: str, provided: frozenset[str]) -> bool:
    """The same text, such as that of rules with other words where nothing is played, is not looked at again."""
    assert not complaints(text, provided)
    assert admit(compile(text, "text", "exec"), provided)
    return True


COMPARED = ("events", "playout")  # a silent build is one with events, without what tells them
PRINT_TEXTS = """\
import hashlib
import sys
from lusory.codegen.driver import emit
from lusory.game import Game
from lusory_dsl import load_program
from lusory_dsl.source.safe_files import find_bundled_rulesets
name, *kinds = sys.argv[1:]
setting = Game(load_program(find_bundled_rulesets()[name])).setting
for kind in kinds:
    print(kind, hashlib.sha256(emit(setting, kind).text.encode()).hexdigest())
"""


def digests(name: str) -> dict[str, str]:
    """Digests of the builds of a ruleset by kind, from another process, which keeps its sets in another order."""
    root = Path(__file__).parents[2]
    path = {"PYTHONPATH": f"{root / 'dsl'}:{root / 'interpreter'}", "LUSORY_CACHE": "off", "PYTHONHASHSEED": "4711"}
    done = subprocess.run(
        [sys.executable, "-c", PRINT_TEXTS, name, *COMPARED], env=path, capture_output=True, text=True, check=True
    )
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", [name for name in find_bundled_rulesets() if not is_large(name)])
def test_generated_text_is_made_of_what_may_run_and_the_same_in_every_process(name: str) -> None:
    """Whatever the order in which a process keeps its sets, and whatever it made before.

    ``python tests/codegen/test_generated.py NAME`` does the same for one ruleset, such as a large one.
    """
    compared = digests(name)
    assert compared.keys() == set(COMPARED)
    for kind in reversed(COMPARED):
        text = may_run(bundled(name), kind)
        assert hashlib.sha256(text.encode()).hexdigest() == compared[kind]


@pytest.mark.parametrize("name", CHUNKS)
def test_conformance_becomes_what_may_run(name: str) -> None:
    program = checked(CHUNKS[name].ruleset)
    for kind in ("events", "playout"):
        assert may_run(program, kind)


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


def test_no_text_field_is_forgotten() -> None:
    """What extends a ruleset has the fields of what it extends."""
    assert not [path for path in FIELDS if path not in places()]
    extending = {path[1:] for path in text_fields() if path[0] == "extends"}
    phases = {path[2:] for path in extending if path[:3] == ("phases", "[]", "phases")}
    own = {path for path in extending if path[0] in ("menus", "phases", "players", "tables")}
    assert (extending - own) | phases <= set(text_fields())


@pytest.mark.parametrize("path", FIELDS, ids="/".join)
def test_only_literals_change_with_what_an_author_writes(path: Field) -> None:
    """A third of the hostile texts for each field, the others for the next two fields."""
    document, node = places()[path]
    free = kinds_at(path) & {"text", "text/x-lusory-template"}
    before = shapes(written(document, node, PLAIN)) if free else None
    for text in HOSTILE[FIELDS.index(path) % 3 :: 3]:
        after = shapes(written(document, node, text))
        if before is not None and after is not None and not set(text) & set("{}"):
            assert after == before, text


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


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "eval('1')",
        "import os",
        "from os import path",
        "().__class__",
        "def playout(z): return z[0].__globals__",
        "class K1: pass",
        "def b0(c):\n    c.append = 1",
        "def b0(c):\n    del c[0]",
        "def b0(c):\n    match c:\n        case tuple(count=n): return n",
        "K1 = 1.5",
        "K1 = b'x'",
        "K1 = ...",
        "def value1(c, z): return [lambda: __builtins__ for _ in z]",
        "__builtins__ = 1",
        "os = 1",
    ],
)
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
    _, *rest = cache.code(cache_key(setting, "silent"))
    escaped = tmp_path / "escaped"
    strange = compile(f"open({str(escaped)!r}, 'w')", "text", "exec")
    cache.store_code(cache_key(setting, "silent"), (strange, *rest))

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
        test_generated_text_is_made_of_what_may_run_and_the_same_in_every_process(argument)
