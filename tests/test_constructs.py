"""What each construct of the language has to have, and where: a test for each, which names what one lacks.

CONTRIBUTING.md says it in the order in which one is added.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, get_args

import pytest
import unparser
import yaml
from engines import generate_ruleset
from exercised import VERBS, list_texts
from programs import checked, read_data
from test_conformance import CHUNKS, trace_game
from test_docs import SNIPPETS, fixture_text

from lusory.codegen.instruction_selection.playout_function import PLAYOUT_STATEMENTS
from lusory.codegen.instruction_selection.selection_table import EXPRESSIONS
from lusory.codegen.instruction_selection.stepwise_play import FLOW_STATEMENTS, STEP_STATEMENTS
from lusory.codegen.lower import lowered_nodes_and_common_subexpressions
from lusory.codegen.lower.lower_game import FORMS as LOWERINGS
from lusory.evaluator.statements_options_and_resumption import Execution
from lusory.explain import expressions, statements_rules_and_declarations
from lusory.state.events_redaction_and_text import Event
from lusory_dsl import core
from lusory_dsl.checker.dispatch import FORMS
from lusory_dsl.core.node_traits_table import StatementTraits
from lusory_dsl.core.program_reads_and_value_bounds import iterate_routines
from lusory_dsl.core.zone_phase_and_value_triggers import Triggers, ZoneTrigger
from lusory_dsl.desugar.triggers import WEAVE_METHODS
from lusory_dsl.ruleset.loader_and_file_merging import load, load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source, Span
from lusory_dsl.syntax import ast as nodes, ast_builder, parser
from lusory_dsl.syntax.parser import ParseFault, parse_tree
from lusory_dsl.types.builtin_functions_members_and_statements import BUILTINS, RUNTIME_FUNCTIONS, Builtin

DATA = read_data(__file__)

ERRORS = Path(__file__).parent / "errors"
REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
RANDOM = range(12)


def below(base: type) -> list[type]:
    """The classes below one, in the order in which they are declared."""
    found = [of for direct in base.__subclasses__() for of in (direct, *below(direct))]
    return [of for of in found if of.__module__.startswith("lusory")]


WRITTEN = below(nodes.Stmt) + below(nodes.Expr)
"""What an author writes."""


def lacking(name: str, has: dict[str, bool]) -> list[str]:
    """What something lacks of all that is asked of it, in a sentence; nothing if it has it all."""
    missing = [what for what, is_there in has.items() if not is_there]
    return [f"{name} lacks {'; '.join(missing)}"] if missing else []


VERBS_OF: set[type] = {*VERBS.values(), nodes.SetTo, nodes.ChooseSome, nodes.Random, nodes.Do, nodes.EndDuration}
"""The statements that are verbs of the table of builtins, with those that several verbs share; a call and the end of a
duration are none."""


# ---------------------------------------------------------------- what an author writes


def named_in(module: ModuleType) -> set[str]:
    """The classes of nodes that a module speaks of."""
    tree = ast.parse(inspect.getsource(module))
    return {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}


@cache
def words_of(module: ModuleType) -> set[str]:
    return named_in(module)


def parsed(text: EmbeddedText) -> Iterator[nodes.Node]:
    """All that is in an effect text, of whatever kind it is."""
    starts = {"block": parser.parse_block, "rule": parser.parse_rule, "expression": parser.parse_expression}
    for start, parse in starts.items():
        # A text of another kind is not parsed as this one: to explain its errors would take long.
        if isinstance(parse_tree(start, text.text)[0], ParseFault):
            continue
        found = parse(text, Diagnostics())
        if found is not None:
            yield from (part for node in (found if isinstance(found, tuple) else (found,)) for part in nodes.walk(node))
            return


def classes_in(rulesets: Iterable[str]) -> set[type]:
    """The classes of nodes that are written in rulesets; once all have been found, the rest is not read."""
    found: set[type] = set()
    for ruleset in rulesets:
        if found >= set(WRITTEN):
            break
        for text in list_texts(load_text(ruleset, Diagnostics(), "some.yaml")):
            found |= {type(node) for node in parsed(text)}
    return found


@cache
def in_conformance_texts() -> list[nodes.Node]:
    """What stands in the rulesets of the conformance tree, and in what its cases do and expect."""
    texts = [text for c in CHUNKS.values() for text in list_texts(load_text(c.ruleset, Diagnostics(), "some.yaml"))]
    for chunk in CHUNKS.values():
        texts += map(embedded, strings_in(yaml.load(chunk.cases.text, Loader=yaml.CSafeLoader)))
    return [node for text in texts for node in parsed(text)]


def strings_in(data: object) -> Iterator[str]:
    """The texts in plain data that are not names of fields."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for item in data.values() if isinstance(data, dict) else data:
            yield from strings_in(item)


def embedded(text: str) -> EmbeddedText:
    return EmbeddedText(Source("some", text), text, tuple(range(len(text) + 1)))


def beside(base: str, chunks: Iterable[str]) -> set[type]:
    """The classes of nodes in parts of rulesets that stand beside a whole one in its folder."""
    found: set[type] = set()
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "base.yaml").write_text(base, encoding="utf-8")
        for chunk in chunks:
            (folder / "chunk.yaml").write_text(chunk, encoding="utf-8")
            texts = list_texts(load(folder, Diagnostics()))
            own = [text for text in texts if text.source.name.endswith("chunk.yaml")]
            found |= {type(node) for text in own for node in parsed(text)}
            if found >= set(WRITTEN):
                break
    return found


def of_errors() -> set[type]:
    """The classes of nodes that wrong programs are made of."""
    files = sorted({*ERRORS.glob("*.yaml")} - {ERRORS / "base.yaml"})
    chunks = (chunk for file in files for chunk in file.read_text(encoding="utf-8").split("---\n"))
    return beside((ERRORS / "base.yaml").read_text(encoding="utf-8"), chunks)


def of_page() -> set[type]:
    """The classes of nodes in the examples of docs/reference/."""
    page = [snippet for snippet in SNIPPETS if snippet.page.parent == REFERENCE]
    lines = [line.partition("→")[0].strip() for s in page if s.language == "expression" for line in s.text.splitlines()]
    alone = [*lines, *(s.text for s in page if s.language == "block")]
    whole = classes_in([fixture_text(), *(s.text for s in page if s.text.startswith("game:"))])
    sections = beside(fixture_text(), (s.text for s in page if re.match(r"\w+:", s.text) and "game:" not in s.text))
    return whole | sections | {type(node) for text in map(embedded, alone) for node in parsed(text)}


@cache
def written_in(where: str) -> set[type]:
    match where:
        case "random":
            return classes_in(generate_ruleset(number) for number in RANDOM)
        case "conformance":
            return {type(node) for node in in_conformance_texts()}
        case "errors":
            return of_errors()
    assert where == "page"
    return of_page()


def test_what_is_written_has_all_it_needs() -> None:
    """One test for all nodes and functions, as what they are compared with takes seconds to read."""
    faults = [fault for of in WRITTEN for fault in lacks_of_node(of)]
    faults += [fault for row in BUILTINS if row.kind != "verb" for fault in lacks_of_function(row)]
    assert faults == []


def lacks_of_node(of: type) -> list[str]:
    forms = {**FORMS.expressions, **FORMS.statements}
    lacks = {
        "a rule of the grammar that makes it (syntax/effect.lark, syntax/ast_builder.py)": (
            of.__name__ in words_of(ast_builder) | words_of(ast_builder)
        ),
        "a form (checker/dispatch.py)": of in forms,
        "a spelling (tests/unparser.yaml)": of.__name__ in words_of(unparser) | {*unparser.TEMPLATES},
        "a row, if it is a statement (types/builtin_functions_members_and_statements.py)": of in VERBS_OF
        or issubclass(of, nodes.Expr),
        "words (explain/statements_rules_and_declarations.py, explain/expressions.py)": of.__name__
        in words_of(statements_rules_and_declarations) | words_of(expressions),
        "a random example (tests/laws/random_rulesets)": of in written_in("random"),
        "a chunk of tests/conformance": of in written_in("conformance"),
        "a chunk of tests/errors": of in written_in("errors"),
        "an example in docs/reference": of in written_in("page"),
    }
    return lacking(of.__name__, lacks)


# ---------------------------------------------------------------- the core, and what lowering leaves of it


@cache
def in_conformance() -> set[type]:
    """The classes of the core in the programs of the conformance tree."""
    found: set[type] = set()
    for chunk in CHUNKS.values():
        program = checked(chunk.ruleset)
        for routine in iterate_routines((program.setup, *program.phases), program.effects, program.queries):
            found |= {type(part) for root in routine for part in core.walk(root)}
        texts = [item.text for item in (*program.layout.status, *program.layout.player)]
        found |= {type(part) for text in texts for part in core.walk(text)}
    return found


def test_the_core_has_all_it_needs() -> None:
    assert [fault for of in (*core.STATEMENTS, *core.EXPRESSIONS) for fault in lacks_of_core(of)] == []


def lacks_of_core(of: type) -> list[str]:
    is_statement = issubclass(of, core.Stmt)
    left = (
        lowered_nodes_and_common_subexpressions.STATEMENTS
        if is_statement
        else lowered_nodes_and_common_subexpressions.EXPRESSIONS
    )
    lacks = {
        "a meaning (evaluator/statements_options_and_resumption.py, evaluator/expressions.py)": of
        in (Execution.execs if is_statement else Execution.evals),
        "something that it is lowered to (codegen/lower/lower_game.py)": of
        in {**LOWERINGS.expressions, **LOWERINGS.statements},
        "operations of stepwise play (codegen/instruction_selection)": of not in left
        or of in {**STEP_STATEMENTS, **FLOW_STATEMENTS, **EXPRESSIONS},
        "operations of playouts (codegen/instruction_selection)": of not in left
        or of in {**PLAYOUT_STATEMENTS, **EXPRESSIONS},
        "a chunk of tests/conformance": of in in_conformance(),
        "rules that answer to it, if it moves components (desugar/triggers.py)": (
            not (is_statement and core.get_traits(of).move_fields) or of in WEAVE_METHODS
        ),
    }
    return lacking(of.__name__, lacks)


# ---------------------------------------------------------------- functions and members


@cache
def called_in_conformance() -> set[str]:
    """The functions and members that the conformance tree asks for."""
    found: set[str] = set()
    for node in in_conformance_texts():
        match node:
            case nodes.Call(callee=nodes.Name(name=name)) | nodes.Member(name=name):
                found.add(name)
            case nodes.Comprehension(function=name):
                found.add(name)
    return found


def lacks_of_function(row: Builtin) -> list[str]:
    """What its row has to say is in ``types/test_builtins.py``; that it is played at random, in the laws."""
    lacks = {
        "`evaluate`, what it returns (types/builtin_functions_members_and_statements.py)": row.evaluate is not None
        or row.name not in RUNTIME_FUNCTIONS,
        "a chunk of tests/conformance": row.name in called_in_conformance(),
    }
    return lacking(row.name, lacks)


PLACES = {"place", "zone", "source", "target"}
"""What fields with the name of a place are called."""


@pytest.mark.parametrize("of", [*core.STATEMENTS, *core.EXPRESSIONS], ids=lambda of: of.__name__)
def test_a_row_speaks_of_the_fields_there_are(of: type) -> None:
    """What holds blocks, slots or names of places is in its columns."""
    row, fields = core.get_traits(of), of.__annotations__
    slots = {name for name in fields if name.endswith("slot")} if of is not core.Local else set()
    through = {row.iteration.slot} if row.iteration is not None else set()
    named = {name for name, type in fields.items() if name in PLACES and type == "str"}

    assert through | set(row.slot_fields) - {"alternatives"} == slots
    assert through.isdisjoint(row.slot_fields) or issubclass(of, core.Random)
    assert set(row.written_fields if isinstance(row, StatementTraits) else row.read_fields) == named
    if isinstance(row, StatementTraits):
        holding = {name for name, type in fields.items() if "Stmt" in type or "Alternative" in type}
        assert set(row.block_fields) == holding
        assert ("alternatives" in row.slot_fields) == ("alternatives" in fields)


def test_a_statement_logs_the_event_of_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """In random games of the conformance tree: that event, and no other but of what it calls or holds."""
    under_way: list[type] = []
    told: dict[type, set[str | None]] = {of: set() for of in core.STATEMENTS}
    tell = Execution.tell

    def carried_out(of: type, do: Callable[..., None]) -> Callable[..., None]:
        def run(*args: Any) -> None:
            under_way.append(of)
            try:
                do(*args)
            finally:
                under_way.pop()

        return run

    def noted(stretch: Execution, event: Event) -> None:
        if under_way:
            told[under_way[-1]].add(event.kind)
        tell(stretch, event)

    monkeypatch.setattr(Execution, "execs", {of: carried_out(of, do) for of, do in Execution.execs.items()})
    monkeypatch.setattr(Execution, "tell", noted)
    for chunk in CHUNKS.values():
        for _ in trace_game(checked(chunk.ruleset), "evaluator", 1):
            pass
    assert told == {of: {core.get_traits(of).event} - {None} for of in core.STATEMENTS}


def test_a_statement_moves_components_as_its_row_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """In random games of the conformance tree. Rules that answer to cards that come and go are attached by the row: a
    statement without it would move cards and set nothing off."""
    moved: dict[type, set[str]] = {}
    last: dict[Execution, list[Any]] = {}

    def carried_out(of: type[core.Stmt], do: Callable[..., None]) -> Callable[..., None]:
        def run(stretch: Execution, stmt: core.Stmt, *args: Any) -> None:
            before = last.get(stretch)
            last[stretch] = before = before or locations(stretch)
            try:
                do(stretch, stmt, *args)
            finally:
                came = [now for old, now in zip(last[stretch], locations(stretch), strict=True) if now != old]
                last[stretch] = locations(stretch)
                zones = {stretch.layout.get_zone(number)[0] for number in came}
                named = set().union(*(move.get_targets(stretch.program.zones) for move in core.get_moves(stmt)))
                if zones:
                    moved.setdefault(of, set()).update(zones - named)

        return run

    monkeypatch.setattr(Execution, "execs", {of: carried_out(of, do) for of, do in Execution.execs.items()})
    for chunk in CHUNKS.values():
        for _ in trace_game(checked(chunk.ruleset), "evaluator", 1):
            last.clear()
    assert moved == {of: set() for of in core.STATEMENTS if core.get_traits(of).move_fields}


CARDS = DATA["cards"]
AT = Span(Source("test", ""), 0, 0)


def locations(stretch: Execution) -> list[Any]:
    """Where each component lies."""
    first = stretch.layout.location
    return stretch.cells[first : first + len(stretch.program.entities)]


def test_a_move_to_a_zone_that_only_play_tells_may_set_off_the_rules_of_each() -> None:
    program = checked(CARDS)
    (kind,) = {zone.holds for zone in program.zones.values()}
    card = core.Local(kind, AT, 0, "card")
    answers = Triggers([ZoneTrigger("drawn", "drawn", "enters", zone, None, False) for zone in ("hand", "trash")])

    def set_off(target: str | None) -> list[str]:
        return [answer.zone for answer in answers.find_for_move(core.Move(card, target), program.zones)[0]]

    assert set_off("hand") == ["hand"]
    assert set_off(None) == ["hand", "trash"]


def test_loops_of_expressions_are_those_that_go_through_a_list() -> None:
    assert set(get_args(core.LIST_LOOPS)) == {
        of for of in core.EXPRESSIONS if core.get_traits(of).iteration is not None
    }


def test_a_class_without_a_row_is_refused() -> None:
    class Odd(core.Stmt):
        pass

    row = StatementTraits(Odd, core.ControlFlow.NOTHING, None, False)
    with pytest.raises(TypeError, match="Odd: no row"):
        core.get_traits(Odd)
    with pytest.raises(TypeError, match=r"missing .* 'is_mutation_target'"):
        StatementTraits(Odd, core.ControlFlow.NOTHING, None)  # type: ignore[call-arg]

    class Even(core.Stmt):
        pass

    with pytest.raises(TypeError, match="Even: no row"):
        core.register_traits(row)
