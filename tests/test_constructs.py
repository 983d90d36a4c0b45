"""Each construct of the language has all its parts: grammar, checks, meaning, tests and documentation.

A failure names the missing parts. CONTRIBUTING.md lists the steps of adding a construct.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pytest
import unparser
import yaml
from engines import generate_ruleset
from feature_coverage import VERBS, list_texts
from programs import build_program
from test_conformance import CHUNKS, trace_game
from test_docs import SNIPPETS, read_fixture

from lusory.codegen.instruction_selection.playout_function import PLAYOUT_STATEMENTS
from lusory.codegen.instruction_selection.selection_table import EXPRESSIONS
from lusory.codegen.instruction_selection.stepwise_play import STEP_STATEMENTS
from lusory.codegen.lower import lowered_nodes_and_common_subexpressions
from lusory.codegen.lower.lower_game import FORMS as LOWERINGS
from lusory.evaluator.statements_options_and_resumption import Execution
from lusory.explain import expressions, statements_rules_and_declaration_parts
from lusory.state.events_redaction_and_text import Event
from lusory_dsl import core
from lusory_dsl.checker.dispatch import FORMS
from lusory_dsl.core.node_traits_table import StatementTraits
from lusory_dsl.core.program_reads_and_value_bounds import iterate_routines
from lusory_dsl.desugar.triggers import WEAVE_METHODS
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load, load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax import ast as nodes, ast_builder, parser
from lusory_dsl.syntax.parser import ParseFault, parse_tree
from lusory_dsl.types.builtin_functions_members_and_statements import BUILTINS, RUNTIME_FUNCTIONS, Builtin

ERRORS = Path(__file__).parent / "errors"
REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
RANDOM = range(12)


def list_subclasses(base: type) -> list[type]:
    """Return the subclasses of a class that have no subclasses, in the order of their declarations."""
    classes = [kind for direct in base.__subclasses__() for kind in (direct, *list_subclasses(direct))]
    return [kind for kind in classes if kind.__module__.startswith("lusory") and not kind.__subclasses__()]


SYNTAX_CLASSES = list_subclasses(nodes.Stmt) + list_subclasses(nodes.Expr)
"""Node classes of the syntax tree."""


def format_missing(name: str, has: dict[str, bool]) -> list[str]:
    """Return a sentence with the missing parts of a construct, or an empty list if it has all of them."""
    missing = [part for part, is_there in has.items() if not is_there]
    return [f"{name} lacks {'; '.join(missing)}"] if missing else []


VERB_CLASSES: set[type] = {*VERBS.values(), nodes.SetTo, nodes.ChooseSome, nodes.Random, nodes.Do, nodes.EndDuration}
"""Statements with a row in the table of builtins, statements that several rows share, and two without a row: calls and
the end of a duration."""


# ---------------------------------------------------------------- the syntax tree


def list_attributes(module: ModuleType) -> set[str]:
    """Return the attribute names in a module, which include the node classes that it handles."""
    tree = ast.parse(inspect.getsource(module))
    return {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}


@cache
def list_words(module: ModuleType) -> set[str]:
    return list_attributes(module)


def parse_any(text: EmbeddedText) -> Iterator[nodes.Node]:
    """Yield all syntax nodes of an effect text. Tries each kind of text."""
    starts = {"block": parser.parse_block, "rule": parser.parse_rule, "expression": parser.parse_expression}
    for start, parse in starts.items():
        # Skip other kinds of text quickly: explaining their syntax errors would take long.
        if isinstance(parse_tree(start, text.text)[0], ParseFault):
            continue
        result = parse(text, Diagnostics())
        if result is not None:
            roots = result if isinstance(result, tuple) else (result,)
            yield from (part for node in roots for part in nodes.walk(node))
            return


def find_classes(rulesets: Iterable[str]) -> set[type]:
    """Return the classes of the syntax nodes in rulesets. Stops reading when all classes have been found."""
    classes: set[type] = set()
    for ruleset in rulesets:
        if classes >= set(SYNTAX_CLASSES):
            break
        for text in list_texts(load_text(ruleset, Diagnostics(), "some.yaml")):
            classes |= {type(node) for node in parse_any(text)}
    return classes


@cache
def list_conformance_nodes() -> list[nodes.Node]:
    """Return the syntax nodes in the rulesets and cases of the conformance tree."""
    rulesets = [load_text(chunk.ruleset, Diagnostics(), "some.yaml") for chunk in CHUNKS.values()]
    texts = [text for ruleset in rulesets for text in list_texts(ruleset)]
    for chunk in CHUNKS.values():
        texts += map(embed_text, list_strings(yaml.load(chunk.cases.text, Loader=yaml.CSafeLoader)))
    return [node for text in texts for node in parse_any(text)]


def list_strings(data: object) -> Iterator[str]:
    """Yield the strings in plain data, without the keys of mappings."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for item in data.values() if isinstance(data, dict) else data:
            yield from list_strings(item)


def embed_text(text: str) -> EmbeddedText:
    return EmbeddedText(Source("some", text), text, tuple(range(len(text) + 1)))


def find_classes_of_parts(base: str, chunks: Iterable[str]) -> set[type]:
    """Return the node classes in parts of rulesets, each of which is added to a complete ruleset."""
    classes: set[type] = set()
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "base.yaml").write_text(base, encoding="utf-8")
        for chunk in chunks:
            (folder / "chunk.yaml").write_text(chunk, encoding="utf-8")
            texts = list_texts(load(folder, Diagnostics()))
            own = [text for text in texts if text.source.name.endswith("chunk.yaml")]
            classes |= {type(node) for text in own for node in parse_any(text)}
            if classes >= set(SYNTAX_CLASSES):
                break
    return classes


def find_classes_of_errors() -> set[type]:
    """Return the node classes in the programs of tests/errors."""
    files = sorted({*ERRORS.glob("*.yaml")} - {ERRORS / "base.yaml"})
    chunks = (chunk for file in files for chunk in file.read_text(encoding="utf-8").split("---\n"))
    return find_classes_of_parts((ERRORS / "base.yaml").read_text(encoding="utf-8"), chunks)


def find_classes_of_reference() -> set[type]:
    """Return the node classes in the examples of docs/reference/."""
    examples = [(snippet.language, snippet.text) for snippet in SNIPPETS if snippet.page.parent == REFERENCE]
    lines = [line for language, text in examples if language == "expression" for line in text.splitlines()]
    alone = [line.partition("→")[0].strip() for line in lines]
    alone += [text for language, text in examples if language == "block"]
    whole = find_classes([read_fixture(), *(text for _, text in examples if text.startswith("game:"))])
    parts = (text for _, text in examples if re.match(r"\w+:", text) and "game:" not in text)
    sections = find_classes_of_parts(read_fixture(), parts)
    return whole | sections | {type(node) for text in map(embed_text, alone) for node in parse_any(text)}


@cache
def find_classes_of_source(where: str) -> set[type]:
    match where:
        case "random":
            return find_classes(generate_ruleset(number) for number in RANDOM)
        case "conformance":
            return {type(node) for node in list_conformance_nodes()}
        case "errors":
            return find_classes_of_errors()
    assert where == "page"
    return find_classes_of_reference()


def test_every_syntax_class_is_complete() -> None:
    """A single test, because reading all the texts takes seconds."""
    faults = [fault for kind in SYNTAX_CLASSES for fault in find_missing_of_node(kind)]
    faults += [fault for row in BUILTINS if row.kind != "verb" for fault in find_missing_of_function(row)]
    assert faults == []


def find_missing_of_node(kind: type) -> list[str]:
    forms = {**FORMS.expressions, **FORMS.statements}
    lacks = {
        "a rule of the grammar (syntax/effect.lark, syntax/ast_builder.py)": kind.__name__ in list_words(ast_builder),
        "a form (checker/dispatch.py)": kind in forms,
        "a spelling (tests/unparser.yaml)": kind.__name__ in list_words(unparser) | {*unparser.TEMPLATES},
        "a row, if it is a statement (types/builtin_functions_members_and_statements.py)": kind in VERB_CLASSES
        or issubclass(kind, nodes.Expr),
        "words (explain/statements_rules_and_declaration_parts.py, explain/expressions.py)": kind.__name__
        in list_words(statements_rules_and_declaration_parts) | list_words(expressions),
        "a random example (tests/laws/random_rulesets)": kind in find_classes_of_source("random"),
        "a chunk of tests/conformance": kind in find_classes_of_source("conformance"),
        "a chunk of tests/errors": kind in find_classes_of_source("errors"),
        "an example in docs/reference": kind in find_classes_of_source("page"),
    }
    return format_missing(kind.__name__, lacks)


# ---------------------------------------------------------------- the core language and the lowered language


@cache
def find_core_classes() -> set[type]:
    """Return the core node classes in the programs of the conformance tree."""
    classes: set[type] = set()
    for chunk in CHUNKS.values():
        program = build_program(chunk.ruleset)
        for routine in iterate_routines((program.setup, *program.phases), program.effects, program.queries):
            classes |= {type(part) for root in routine for part in core.walk(root)}
        texts = [item.text for item in (*program.layout.status, *program.layout.player)]
        classes |= {type(part) for text in texts for part in core.walk(text)}
    return classes


def test_every_core_class_is_complete() -> None:
    assert [fault for kind in (*core.STATEMENTS, *core.EXPRESSIONS) for fault in find_missing_of_core(kind)] == []


def find_missing_of_core(kind: type) -> list[str]:
    is_statement = issubclass(kind, core.Stmt)
    nodes_after_lowering = (
        lowered_nodes_and_common_subexpressions.STATEMENTS
        if is_statement
        else lowered_nodes_and_common_subexpressions.EXPRESSIONS
    )
    lacks = {
        "a meaning (evaluator/statements_options_and_resumption.py, evaluator/expressions.py)": kind
        in (Execution.execs if is_statement else Execution.evals),
        "something that it is lowered to (codegen/lower/lower_game.py)": kind
        in {**LOWERINGS.expressions, **LOWERINGS.statements},
        "operations of stepwise play (codegen/instruction_selection)": kind not in nodes_after_lowering
        or kind in {**STEP_STATEMENTS, **EXPRESSIONS},
        "operations of playouts (codegen/instruction_selection)": kind not in nodes_after_lowering
        or kind in {**PLAYOUT_STATEMENTS, **EXPRESSIONS},
        "a chunk of tests/conformance": kind in find_core_classes(),
        "rules that answer to it, if it moves components (desugar/triggers.py)": (
            not (is_statement and core.get_traits(kind).move_fields) or kind in WEAVE_METHODS
        ),
    }
    return format_missing(kind.__name__, lacks)


# ---------------------------------------------------------------- functions and members


@cache
def find_called_names() -> set[str]:
    """Return the names of the functions and members that the conformance tree uses."""
    names: set[str] = set()
    for node in list_conformance_nodes():
        match node:
            case nodes.Call(callee=nodes.Name(name=name)) | nodes.Member(name=name):
                names.add(name)
            case nodes.Comprehension(function=name):
                names.add(name)
    return names


def find_missing_of_function(row: Builtin) -> list[str]:
    """Return the missing parts of a function. test_builtins.py checks its row, and the laws its random examples."""
    lacks = {
        "`evaluate`, what it returns (types/builtin_functions_members_and_statements.py)": row.evaluate is not None
        or row.name not in RUNTIME_FUNCTIONS,
        "a chunk of tests/conformance": row.name in find_called_names(),
    }
    return format_missing(row.name, lacks)


PLACES = {"place", "zone", "source", "target"}
"""Fields that hold the name of a place."""


@pytest.mark.parametrize("kind", [*core.STATEMENTS, *core.EXPRESSIONS], ids=lambda kind: kind.__name__)
def test_a_row_lists_the_fields_of_its_class(kind: type) -> None:
    """The columns of a row list the fields with blocks, slots and names of places."""
    row, types = core.get_traits(kind), {field.name: field.type for field in fields(kind)}
    slots = {name for name in types if name.endswith("slot")} if kind is not core.Local else set()
    through = {row.iteration.slot} if row.iteration is not None else set()
    place_fields = {name for name, type in types.items() if name in PLACES and type == "str"}

    assert through | set(row.slot_fields) - {"alternatives"} == slots
    assert through.isdisjoint(row.slot_fields) or issubclass(kind, core.Random)
    assert set(row.written_fields if isinstance(row, StatementTraits) else row.read_fields) == place_fields
    if isinstance(row, StatementTraits):
        holding = {name for name, type in types.items() if "Stmt" in type or "Alternative" in type}
        assert set(row.block_fields) == holding
        assert ("alternatives" in row.slot_fields) == ("alternatives" in types)


def test_a_statement_logs_the_event_of_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """In random games of the conformance tree, a statement logs only this event, apart from nested statements."""
    under_way: list[type] = []
    events: dict[type, set[str | None]] = {kind: set() for kind in core.STATEMENTS}
    tell = Execution.tell

    def track(kind: type, do: Callable[..., None]) -> Callable[..., None]:
        def run(*args: Any) -> None:
            under_way.append(kind)
            try:
                do(*args)
            finally:
                under_way.pop()

        return run

    def record(stretch: Execution, event: Event) -> None:
        if under_way:
            events[under_way[-1]].add(event.kind)
        tell(stretch, event)

    monkeypatch.setattr(Execution, "execs", {kind: track(kind, do) for kind, do in Execution.execs.items()})
    monkeypatch.setattr(Execution, "tell", record)
    for chunk in CHUNKS.values():
        for _ in trace_game(build_program(chunk.ruleset), "evaluator", 1):
            pass
    assert events == {kind: {core.get_traits(kind).event} - {None} for kind in core.STATEMENTS}


def test_a_statement_moves_components_as_its_row_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """In random games of the conformance tree, components move only to zones that the row names. Rules about moves
    depend on the row: a wrong row would leave them out."""
    zones_by_class: dict[type, set[str]] = {}
    last: dict[Execution, list[Any]] = {}

    def track(kind: type[core.Stmt], do: Callable[..., None]) -> Callable[..., None]:
        def run(stretch: Execution, stmt: core.Stmt, *args: Any) -> None:
            before = last.get(stretch)
            last[stretch] = before = before or list_locations(stretch)
            try:
                do(stretch, stmt, *args)
            finally:
                pairs = zip(last[stretch], list_locations(stretch), strict=True)
                new_locations = [now for old, now in pairs if now != old]
                last[stretch] = list_locations(stretch)
                zones = {stretch.layout.get_zone(number)[0] for number in new_locations}
                row_zones = {move.target for move in core.get_moves(stmt)}
                if zones:
                    zones_by_class.setdefault(kind, set()).update(zones - row_zones)

        return run

    monkeypatch.setattr(Execution, "execs", {kind: track(kind, do) for kind, do in Execution.execs.items()})
    for chunk in CHUNKS.values():
        for _ in trace_game(build_program(chunk.ruleset), "evaluator", 1):
            last.clear()
    assert zones_by_class == {kind: set() for kind in core.STATEMENTS if core.get_traits(kind).move_fields}


def list_locations(stretch: Execution) -> list[Any]:
    """Return the location of each component."""
    first = stretch.layout.location
    return stretch.cells[first : first + len(stretch.program.entities)]


def test_list_loops_are_the_expressions_that_iterate() -> None:
    assert set(core.ListLoop.__subclasses__()) == {
        kind for kind in core.EXPRESSIONS if core.get_traits(kind).iteration is not None
    }


def test_a_class_without_a_row_is_refused() -> None:
    class Unregistered(core.Stmt):
        pass

    row = StatementTraits(Unregistered, core.ControlFlow.NOTHING, None, False)
    with pytest.raises(TypeError, match="Unregistered: no row"):
        core.get_traits(Unregistered)
    with pytest.raises(TypeError, match=r"missing .* 'is_mutation_target'"):
        StatementTraits(Unregistered, core.ControlFlow.NOTHING, None)  # type: ignore[call-arg]

    class OtherUnregistered(core.Stmt):
        pass

    with pytest.raises(TypeError, match="OtherUnregistered: no row"):
        core.register_traits(row)
