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
from lusory.codegen.generated_code_check_and_loading import BUILTINS, METHODS, OWN_NAMES

_NODES = (
    "Add And Assign Attribute AugAssign BinOp BitAnd BitOr BitXor BoolOp Break Call Compare Constant Dict Eq "
    "Expr FloorDiv For FunctionDef GeneratorExp Gt GtE If IfExp In Invert Is IsNot LShift Lambda List ListComp Load "
    "Lt LtE Mod Module Mult Name NamedExpr Not NotEq NotIn Or Pass RShift Return Slice Starred Store Sub "
    "Subscript Tuple USub UnaryOp While arg arguments comprehension keyword "
)
NODES = frozenset(_NODES.split())

UNSPLIT = {ir.Ask, ir.CallAsking, ir.StartPhase, ir.TakeAlternative}
"""Operations that exist only until a game is split into blocks."""

Names = frozenset[str] | None
"""Names that have a value on every path to a program point, or None if the point is unreachable."""


def find_problems(text: str, globals_provided: Iterable[str]) -> list[str]:
    """Return the problems of a generated module as messages. ``globals_provided`` lists the names in its namespace."""
    tree = ast.parse(text)
    outside = {*globals_provided, *BUILTINS}
    problems = list(_find_unprintable(tree, outside))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    outside |= {node.name for node in functions}
    assignments = [statement for statement in tree.body if isinstance(statement, ast.Assign)]
    targets = [target for assignment in assignments for target in assignment.targets]
    outside |= {target.id for target in targets if isinstance(target, ast.Name)}
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
        elif isinstance(node, ast.FunctionDef) and not OWN_NAMES.fullmatch(node.name):
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
        if function.name == "playout" or any(arg.arg == "rnd" for arg in function.args.args):
            stores = [node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.For)]
            self.outside |= {name for node in stores for name in _list_targets(node)}
        self.breaks: list[list[Names]] = []
        self.analyse_block(function.body, frozenset(arg.arg for arg in function.args.args))

    # ------------------------------------------------------------ statements

    def analyse_block(self, body: list[ast.stmt], names: Names) -> Names:
        for statement in body:
            if names is None:
                return None
            names = self.analyse_statement(statement, names)
        return names

    def analyse_statement(self, statement: ast.stmt, names: frozenset[str]) -> Names:
        match statement:
            case ast.Assign(targets=targets, value=value):
                names = self.analyse_value(value, names)
                for target in targets:
                    names = self.assign_target(target, names)
                return names
            case ast.AugAssign(target=target, value=value):
                place = ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target
                return self.analyse_value(value, self.analyse_value(place, names))
            case ast.Expr(value=value):
                return self.analyse_value(value, names)
            case ast.Return(value=value):
                self.analyse_value(value, names)
                return None
            case ast.Break():
                self.breaks[-1].append(names)
                return None
            case ast.If(test=test, body=body, orelse=orelse):
                holds, fails = self.analyse_test(test, names)
                return _intersect(self.analyse_block(body, holds), self.analyse_block(orelse, fails))
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                names = self.analyse_value(source, names)
                return self.analyse_loop(body, orelse, self.assign_target(target, names), names)
            case ast.While(test=test, body=body, orelse=orelse):
                holds, fails = self.analyse_test(test, names)
                return self.analyse_loop(body, orelse, holds, fails)
        return names

    def analyse_loop(self, body: list[ast.stmt], orelse: list[ast.stmt], inside: Names, after: Names) -> Names:
        self.breaks.append([])
        self.analyse_block(body, inside)
        names = self.analyse_block(orelse, after)
        for break_names in self.breaks.pop():
            names = _intersect(names, break_names)
        return names

    def assign_target(self, node: ast.expr, names: frozenset[str]) -> frozenset[str]:
        if isinstance(node, ast.Name):
            return names | {node.id}
        if isinstance(node, ast.Tuple | ast.List):
            for item in node.elts:
                names = self.assign_target(item, names)
            return names
        return self.analyse_value(node, names)

    # ------------------------------------------------------------ expressions

    def analyse_test(self, expr: ast.expr, names: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names that have a value when ``expr`` is true, and those that have a value when it is false."""
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.Not):
            holds, fails = self.analyse_test(expr.operand, names)
            return fails, holds
        if isinstance(expr, ast.BoolOp):
            conjunction = isinstance(expr.op, ast.And)
            settled_names: list[frozenset[str]] = []
            on = names
            for part in expr.values:
                holds, fails = self.analyse_test(part, on)
                on, out = (holds, fails) if conjunction else (fails, holds)
                settled_names.append(out)
            decided_names = frozenset.intersection(*settled_names)
            return (on, decided_names) if conjunction else (decided_names, on)
        if isinstance(expr, ast.IfExp):
            holds, fails = self.analyse_test(expr.test, names)
            first, second = self.analyse_test(expr.body, holds), self.analyse_test(expr.orelse, fails)
            return first[0] & second[0], first[1] & second[1]
        after = self.analyse_value(expr, names)
        return after, after

    def analyse_value(self, expr: ast.AST | None, names: frozenset[str]) -> frozenset[str]:
        """Return the names that have a value after ``expr`` is evaluated, and record reads of names without one."""
        match expr:
            case ast.Name(id=name, ctx=ast.Load()):
                if name not in names and name not in self.outside:
                    self.problems.append(f"{self.name}: {name} may be read before it has a value")
                return names
            case ast.BoolOp() | ast.IfExp():
                holds, fails = self.analyse_test(expr, names)
                return holds & fails
            case ast.NamedExpr(target=target, value=value):
                return self.assign_target(target, self.analyse_value(value, names))
            case ast.Compare(left=left, comparators=comparators):
                names = self.analyse_value(left, names)
                names = self.analyse_value(comparators[0], names)
                # Python skips these if the first comparison is false.
                for comparator in comparators[1:]:
                    self.analyse_value(comparator, names)
                return names
            case ast.Lambda(args=args, body=body):
                self.analyse_lambda(body, names | {arg.arg for arg in args.args})
                return names
            case ast.Call(func=ast.Lambda() as function, args=args):
                for arg in args:
                    names = self.analyse_value(arg, names)
                return self.analyse_value(function, names)
            case (
                ast.ListComp(elt=elt, generators=[first, *_] as clauses)
                | ast.GeneratorExp(elt=elt, generators=[first, *_] as clauses)
            ):
                inside = after = self.analyse_value(first.iter, names)
                for generator in clauses:
                    inside = inside if generator is first else self.analyse_value(generator.iter, inside)
                    inside = self.assign_target(generator.target, inside)
                    for condition in generator.ifs:
                        inside, _ = self.analyse_test(condition, inside)
                self.analyse_value(elt, inside)
                return after
        for child in ast.iter_child_nodes(expr) if expr is not None else ():
            names = self.analyse_value(child, names)
        return names

    def analyse_lambda(self, body: ast.expr, names: frozenset[str]) -> None:
        """Analyse the body of a lambda. Assignments in it don't reach the code outside."""
        self.analyse_value(body, names)


def _list_targets(statement: ast.Assign | ast.For) -> Iterator[str]:
    """Yield the names that a statement assigns."""
    for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
        yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _intersect(first: Names, second: Names) -> Names:
    if first is None or second is None:
        return second if first is None else first
    return first & second
