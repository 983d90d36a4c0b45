"""Measure which nodes, builtins and statements of the language are exercised on each engine.

Only tests use this, so it costs nothing in play. An observer watches the evaluator. For generated code, a trace
function records the executed lines, and the source map gives the lowered expressions and statements of each line.
Lowering removes some constructs, such as inlined queries. These count for the compiled engine when they are lowered.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from lusory.codegen.generated_code_check_and_loading import Module
from lusory.codegen.lower import lowered_nodes_and_common_subexpressions
from lusory.codegen.lower.lowerer_with_constant_folding_and_inlining import Lowerer
from lusory_dsl import core
from lusory_dsl.core import walk
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, Span
from lusory_dsl.syntax import ast, parser
from lusory_dsl.syntax.ast import ChangeRule, PhaseRule, ZoneRule
from lusory_dsl.types.builtin_functions_members_and_statements import BUILTINS

DATA = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))

Place = tuple[int, int]  # start and end of a statement in the ruleset text

DETAILS = {getattr(core, name): (field, values) for name, (field, values) in DATA["details"].items()}
"""Node class -> the attribute that divides it into kinds, and its values. Only lowering produces binary ``join``."""

LOWERED_AWAY = tuple(getattr(core, name) for name in DATA["lowered_away"])
"""Nodes that lowering replaces, or that have no line of generated code of their own."""

VERBS: dict[str, type[ast.Stmt]] = {verb: getattr(ast, name) for verb, name in DATA["verbs"].items()}
"""Verb -> statement class, for the verbs that don't share a class."""

WITHOUT_NODE = {"privately", "by", "at once", "choose unseen", "take action from"}
"""Statements that leave no node of their own. They count as exercised when a statement inside them runs."""

EXTRA_VERBS = {"verb Do", "verb EndDuration", "verb at once", "verb choose unseen", "verb take action from"}
"""Statements without a row in the table of builtins, and statements that share a row with another."""

REACTIONS = {f"rule {verb}" for verb in ("enters", "leaves", "entering", "begins", "ends", "changes")}
"""Rules that react to something other than effects, by verb. They count as exercised when their bodies run."""


EXPANDED_MEMBERS = [
    row for row in BUILTINS if row.kind == "member" and row.core_node in ("Distinct", "TableRead", "TextTemplate")
]
"""Members that the checker expands. The first node of the expansion has the member's source location."""


def get_expanded_member(node: Any) -> str | None:
    """Return the name of the expanded member that a node comes from, or None."""
    if not isinstance(node, core.Distinct | core.TableRead | core.TextTemplate):
        return None
    words = node.span.source.text[node.span.start : node.span.end]
    rows = (row for row in EXPANDED_MEMBERS if row.core_node == type(node).__name__)
    return next((row.name for row in rows if words.endswith(f".{row.name}")), None)


def get_label(node: Any) -> str:
    """Return the label of a node: its class and, for classes in DETAILS, its kind."""
    for node_class, (name, _) in DETAILS.items():
        if isinstance(node, node_class):
            return f"{node_class.__name__} {getattr(node, name)}"
    return type(node).__name__


def list_labels(classes: set[type]) -> set[str]:
    labels: set[str] = set()
    for node_class in classes:
        _, values = DETAILS.get(node_class, ("", ()))
        labels |= {f"{node_class.__name__} {value}" for value in values} or {node_class.__name__}
    return labels


def list_core_labels() -> set[str]:
    """Return the labels of all core nodes."""
    return list_labels({*core.EXPRESSIONS, *core.STATEMENTS})


def list_lowered_labels() -> set[str]:
    """Return the labels of all nodes that only lowering produces."""
    members = [
        getattr(lowered_nodes_and_common_subexpressions, name) for name in vars(lowered_nodes_and_common_subexpressions)
    ]
    return {
        node_class.__name__
        for node_class in members
        if isinstance(node_class, type)
        and issubclass(node_class, core.Expr | core.Stmt)
        and node_class.__module__ == lowered_nodes_and_common_subexpressions.__name__
    } | {"Binary join"}


def list_builtins() -> set[str]:
    return {f"{row.kind} {row.name}" for row in BUILTINS}


class FeatureCoverage:
    """Exercised features of each engine: node labels, builtins with their kind, and locations of statements.

    ``places`` holds the locations for the ruleset that is being played.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, set[str]] = {"evaluator": set(), "compiled": set()}
        self.builtins: dict[str, set[str]] = {"evaluator": set(), "compiled": set()}
        self.places: dict[str, set[Place]] = {"evaluator": set(), "compiled": set()}

    def list_missing(self) -> dict[str, set[str]]:
        """Return the features of each engine that were not exercised."""
        features = list_core_labels() | list_builtins() | EXTRA_VERBS | REACTIONS
        unmet = {engine: features - self.nodes[engine] - self.builtins[engine] for engine in self.nodes}
        unmet["compiled"] |= list_lowered_labels() - self.nodes["compiled"]
        return unmet

    # ------------------------------------------------------------ the evaluator

    def __hash__(self) -> int:
        return id(self)

    def observe_reader(self, reader: Any) -> None:
        evaluate = reader.evaluate

        def evaluate_and_record(expr: core.Expr, slots: list[Any]) -> Any:
            self.record("evaluator", expr)
            return evaluate(expr, slots)

        reader.evaluate = evaluate_and_record

    def observe_run(self, run: Any) -> None:
        run_block = run.run_block

        def run_and_record(statements: tuple[core.Stmt, ...], slots: list[Any]) -> None:
            for stmt in statements:
                self.record("evaluator", stmt)
                run_block((stmt,), slots)

        run.run_block = run_and_record

    def record(self, engine: str, node: Any) -> None:
        self.nodes[engine].add(get_label(node))
        if isinstance(node, core.CallBuiltin):
            is_function = any(row.kind == "function" and row.name == node.name for row in BUILTINS)
            self.builtins[engine].add(f"{'function' if is_function else 'member'} {node.name}")
        elif isinstance(node, core.Fold):
            self.builtins[engine].add(f"function {node.kind}")
        elif isinstance(node, core.Field):
            self.builtins[engine].add(f"member {node.field if node.field in ('original', 'copies') else 'printed'}")
        elif isinstance(node, core.PoolTotal | core.PoolKinds | core.IndexOfPlace):
            names = {core.PoolTotal: "total", core.PoolKinds: "kinds", core.IndexOfPlace: "holder"}
            self.builtins[engine].add(f"member {names[type(node)]}")
        elif (member := get_expanded_member(node)) is not None:
            self.builtins[engine].add(f"member {member}")
        elif isinstance(node, core.Stmt):
            self.places[engine].add((node.span.start, node.span.end))

    # ------------------------------------------------------------ the compiled engine

    @contextmanager
    def record_generated_code(self) -> Iterator[None]:
        """Record what generated code executes within this context."""
        modules: dict[str, Module] = {}
        lines: dict[str, set[int]] = {}
        make, lower_expr, lower_stmt = Module.__init__, Lowerer.lower, Lowerer.lower_statement

        def initialize(module: Module, *args: Any, **kwargs: Any) -> None:
            make(module, *args, **kwargs)
            modules[module.file] = module

        def lower_expr_and_record(lowerer: Lowerer, expr: core.Expr, env: Any) -> core.Expr:
            if isinstance(expr, LOWERED_AWAY) or get_expanded_member(expr) is not None:
                self.record("compiled", expr)
            return lower_expr(lowerer, expr, env)

        def lower_statement_and_record(lowerer: Lowerer, stmt: core.Stmt, env: Any) -> Sequence[core.Stmt]:
            if isinstance(stmt, LOWERED_AWAY):
                self.record("compiled", stmt)
            statements = lower_stmt(lowerer, stmt, env)
            for node in statements:
                if type(node).__module__ == lowered_nodes_and_common_subexpressions.__name__:
                    self.nodes["compiled"].add(type(node).__name__)
            return statements

        def trace_call(frame: Any, event: str, arg: Any) -> Any:
            file = frame.f_code.co_filename
            if not file.startswith("lusory "):
                return None
            line_numbers = lines.setdefault(file, set())

            def trace_line(frame: Any, event: str, arg: Any) -> Any:
                line_numbers.add(frame.f_lineno)
                return trace_line

            return trace_line

        previous_trace = sys.gettrace()
        with (
            patch.object(Module, "__init__", initialize),
            patch.object(Lowerer, "lower", lower_expr_and_record),
            patch.object(Lowerer, "lower_statement", lower_statement_and_record),
        ):
            sys.settrace(trace_call)
            try:
                yield
            finally:
                sys.settrace(previous_trace)
            for file, numbers in lines.items():
                self.record_lines(modules[file], numbers)

    def record_lines(self, module: Module, numbers: set[int]) -> None:
        places = module.emission.places
        statements: dict[Place, set[str]] = {}
        for stmt in list_statements(module.setting.program):
            statements.setdefault((stmt.span.start, stmt.span.end), set()).add(get_label(stmt))
        for number in numbers:
            place = places[number - 1]
            for expr in place.reads:
                for node in walk(expr):
                    self.record("compiled", node)
            if place.span is not None:
                location = place.span.start, place.span.end
                self.places["compiled"].add(location)
                self.nodes["compiled"] |= statements.get(location, set())

    # ------------------------------------------------------------ statements

    def record_verbs(self, text: str) -> None:
        """Record the verbs whose statements were exercised, then clear the recorded locations."""
        for verb, span in list_verbs(text):
            for engine, places in self.places.items():
                inside = any(span.start <= start and end <= span.end for start, end in places)
                if (span.start, span.end) in places or (verb in WITHOUT_NODE | REACTIONS and inside):
                    self.builtins[engine].add(verb if verb in REACTIONS else f"verb {verb}")
        for places in self.places.values():
            places.clear()


def list_statements(program: core.Program) -> Iterator[core.Stmt]:
    """Yield all statements of a program, including those nested in other statements."""
    blocks = [phase.body for phase in core.walk_phases((program.setup, *program.phases))]
    blocks += (body for effect in program.effects.values() for body in core.get_bodies(effect))
    for block in blocks:
        for stmt in block:
            yield from (part for part in walk(stmt) if isinstance(part, core.Stmt))


def list_verbs(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the verb and location of every statement and rule in a ruleset text."""
    for code in list_texts(load_text(text, Diagnostics(), "made.yaml")):
        nodes = parser.parse_block(code, Diagnostics()) or parser.parse_rule(code, Diagnostics()) or ()
        for node in nodes if isinstance(nodes, tuple) else (nodes,):
            if isinstance(node, ZoneRule | PhaseRule | ChangeRule):
                verb = "changes" if isinstance(node, ChangeRule) else node.verb
                span = node.body[0].span
                yield f"rule {verb}", replace(span, last=node.body[-1].span.end - span.base.start)
            for part in ast.walk(node):
                if isinstance(part, ast.Stmt):
                    yield get_verb(part), part.span


def list_texts(part: object) -> Iterator[EmbeddedText]:
    """Yield the embedded texts of a ruleset or of a part of it."""
    if isinstance(part, EmbeddedText):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from list_texts(item)
    elif is_dataclass(part) and type(part).__module__.startswith("lusory_dsl.ruleset."):
        for field in fields(part):
            yield from list_texts(getattr(part, field.name))


def get_verb(stmt: ast.Stmt) -> str:
    """Return the name of a statement in the table of builtins."""
    match stmt:
        case ast.SetTo(op=op):
            return {"set": "set", "add": "increase", "sub": "decrease"}[op]
        case ast.ChooseSome(is_ordered=ordered):
            return "order" if ordered else "choose some"
        case ast.EachPlayer(is_simultaneous=True):
            return "at once"
        case ast.Choose(vars=(ast.ChoiceVar(is_unseen=True), *_)):
            return "choose unseen"
        case ast.TakeAction(menu=ast.Name()):
            return "take action from"
        case ast.Random(stream=stream):
            return "roll" if stream == "dice" else "pick"
    return next((verb for verb, node_class in VERBS.items() if isinstance(stmt, node_class)), type(stmt).__name__)
