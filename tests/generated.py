"""Verify the syntax tree of a generated Python module.

The check covers two properties. The module uses only the constructs that the printer is allowed to write. No name is
read before it has a value, on any path through a function (definite assignment). Names that statements of a playout set
are exempt: a playout tests the same condition twice, which a path-insensitive analysis can't relate.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from lusory.codegen import ir
from lusory.codegen.generated_code_check_and_loading import BUILTINS, METHODS, OWN

_NODES = (
    "Add And Assign Attribute AugAssign BinOp BitAnd BitOr BitXor BoolOp Break Call Compare Constant Dict Eq "
    "Expr FloorDiv For FunctionDef GeneratorExp Gt GtE If IfExp In Invert Is IsNot LShift Lambda List ListComp Load "
    "Lt LtE Mod Module Mult Name NamedExpr Not NotEq NotIn Or Pass RShift Return Slice Starred Store Sub "
    "Subscript Tuple USub UnaryOp While arg arguments comprehension keyword "
)
NODES = frozenset(_NODES.split())

UNSPLIT = {
    ir.NextIteration,
    ir.Ask,
    ir.AskMany,
    ir.CallAsking,
    ir.Chance,
    ir.Cycle,
    ir.Branching,
    ir.Phase,
    ir.Skip,
    ir.TakeAlternative,
}
"""Operations that exist only until a game is split into blocks."""

Known = frozenset[str] | None
"""Names that have a value on every path to a program point, or None if the point is unreachable."""


def find_problems(text: str, provided: Iterable[str]) -> list[str]:
    """Return the problems of a generated module as messages. ``provided`` lists the names in its namespace."""
    tree = ast.parse(text)
    outside = {*provided, *BUILTINS}
    problems = list(_find_unprintable(tree, outside))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    outside |= {node.name for node in functions}
    outside |= {n.id for s in tree.body if isinstance(s, ast.Assign) for n in s.targets if isinstance(n, ast.Name)}
    for function in functions:
        problems += _Function(function, outside).problems
    return problems


def _find_unprintable(tree: ast.Module, outside: set[str]) -> Iterator[str]:
    """Yield constructs, names, attributes and constants that the printer never writes."""
    for node in ast.walk(tree):
        if type(node).__name__ not in NODES:
            yield f"{type(node).__name__} in line {getattr(node, 'lineno', '?')}"
        elif isinstance(node, ast.Attribute) and node.attr not in METHODS:
            yield f".{node.attr}"
        elif isinstance(node, ast.Constant) and type(node.value) not in (int, str, bool, type(None)):
            yield f"a constant {node.value!r}"
        elif isinstance(node, ast.Name) and not node.id.isascii():
            yield f"the name {node.id!r}"
        elif isinstance(node, ast.FunctionDef) and not OWN.fullmatch(node.name):
            yield f"a function {node.name!r}"
        elif isinstance(node, ast.Name) and node.id in vars(builtins) and node.id not in outside:
            yield f"the builtin {node.id}"


class _Function:
    """Definite-assignment analysis of one function, in Python's order of evaluation."""

    def __init__(self, function: ast.FunctionDef, outside: set[str]) -> None:
        self.name = function.name
        self.problems: list[str] = []
        own = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.outside = outside - own
        if function.name == "playout" or any(a.arg == "rnd" for a in function.args.args):
            set_in_statements = {
                t for s in ast.walk(function) if isinstance(s, ast.Assign | ast.For) for t in _list_targets(s)
            }
            self.outside |= set_in_statements
        self.breaks: list[list[Known]] = []
        self.block(function.body, frozenset(a.arg for a in function.args.args))

    # ------------------------------------------------------------ statements

    def block(self, body: list[ast.stmt], known: Known) -> Known:
        for statement in body:
            if known is None:
                return None
            known = self.statement(statement, known)
        return known

    def statement(self, s: ast.stmt, known: frozenset[str]) -> Known:
        match s:
            case ast.Assign(targets=targets, value=value):
                known = self.value(value, known)
                for target in targets:
                    known = self.target(target, known)
                return known
            case ast.AugAssign(target=target, value=value):
                read = ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target
                return self.value(value, self.value(read, known))
            case ast.Expr(value=value):
                return self.value(value, known)
            case ast.Return(value=value):
                self.value(value, known)
                return None
            case ast.Break():
                self.breaks[-1].append(known)
                return None
            case ast.If(test=test, body=body, orelse=orelse):
                holds, fails = self.test(test, known)
                return _intersect(self.block(body, holds), self.block(orelse, fails))
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                known = self.value(source, known)
                return self.loop(body, orelse, self.target(target, known), known)
            case ast.While(test=test, body=body, orelse=orelse):
                holds, fails = self.test(test, known)
                return self.loop(body, orelse, holds, fails)
        return known

    def loop(self, body: list[ast.stmt], orelse: list[ast.stmt], inside: Known, after: Known) -> Known:
        self.breaks.append([])
        self.block(body, inside)
        known = self.block(orelse, after)
        for left in self.breaks.pop():
            known = _intersect(known, left)
        return known

    def target(self, node: ast.expr, known: frozenset[str]) -> frozenset[str]:
        if isinstance(node, ast.Name):
            return known | {node.id}
        if isinstance(node, ast.Tuple | ast.List):
            for item in node.elts:
                known = self.target(item, known)
            return known
        return self.value(node, known)

    # ------------------------------------------------------------ expressions

    def test(self, e: ast.expr, known: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names that have a value when ``e`` is true, and those that have a value when it is false."""
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not):
            holds, fails = self.test(e.operand, known)
            return fails, holds
        if isinstance(e, ast.BoolOp):
            conjunction = isinstance(e.op, ast.And)
            settled: list[frozenset[str]] = []
            on = known
            for part in e.values:
                holds, fails = self.test(part, on)
                on, out = (holds, fails) if conjunction else (fails, holds)
                settled.append(out)
            decided = frozenset.intersection(*settled)
            return (on, decided) if conjunction else (decided, on)
        if isinstance(e, ast.IfExp):
            holds, fails = self.test(e.test, known)
            then, other = self.test(e.body, holds), self.test(e.orelse, fails)
            return then[0] & other[0], then[1] & other[1]
        after = self.value(e, known)
        return after, after

    def value(self, e: ast.AST | None, known: frozenset[str]) -> frozenset[str]:
        """Return the names that have a value after ``e`` is evaluated, and record reads of names without one."""
        match e:
            case ast.Name(id=name, ctx=ast.Load()):
                if name not in known and name not in self.outside:
                    self.problems.append(f"{self.name}: {name} may be read before it has a value")
                return known
            case ast.BoolOp() | ast.IfExp():
                holds, fails = self.test(e, known)
                return holds & fails
            case ast.NamedExpr(target=target, value=value):
                return self.target(target, self.value(value, known))
            case ast.Compare(left=left, comparators=others):
                known = self.value(left, known)
                known = self.value(others[0], known)
                # Python skips these if the first comparison is false.
                for other in others[1:]:
                    self.value(other, known)
                return known
            case ast.Lambda(args=args, body=body):
                self.inner(body, known | {a.arg for a in args.args})
                return known
            case ast.Call(func=ast.Lambda() as function, args=args):
                for arg in args:
                    known = self.value(arg, known)
                return self.value(function, known)
            case (
                ast.ListComp(elt=elt, generators=[first, *_] as clauses)
                | ast.GeneratorExp(elt=elt, generators=[first, *_] as clauses)
            ):
                inside = after = self.value(first.iter, known)
                for generator in clauses:
                    inside = inside if generator is first else self.value(generator.iter, inside)
                    inside = self.target(generator.target, inside)
                    for condition in generator.ifs:
                        inside, _ = self.test(condition, inside)
                self.value(elt, inside)
                return after
        for child in ast.iter_child_nodes(e) if e is not None else ():
            known = self.value(child, known)
        return known

    def inner(self, body: ast.expr, known: frozenset[str]) -> None:
        """Analyse the body of a lambda. Assignments in it don't reach the code outside."""
        self.value(body, known)


def _list_targets(s: ast.Assign | ast.For) -> Iterator[str]:
    """Yield the names that a statement assigns."""
    for target in s.targets if isinstance(s, ast.Assign) else [s.target]:
        yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _intersect(first: Known, second: Known) -> Known:
    if first is None or second is None:
        return second if first is None else first
    return first & second
