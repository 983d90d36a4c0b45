"""Analyse the structure of expressions: the parts of a condition, and the names that an expression reads."""

from __future__ import annotations

from collections.abc import Iterator

from lusory_dsl.syntax import ast


def split_conjunction(condition: ast.Expr | None) -> list[ast.Expr]:
    """Return the parts of a condition that are joined by ``and``, from left to right. None gives []."""
    if isinstance(condition, ast.Binary) and condition.op == "and":
        return [*split_conjunction(condition.left), *split_conjunction(condition.right)]
    return [] if condition is None else [condition]


def is_inequality(expr: ast.Expr, name: str, other: str) -> bool:
    """Return whether an expression is ``NAME is not OTHER`` with these two names, in either order."""
    if not isinstance(expr, ast.Binary) or expr.op != "!=":
        return False
    return {side.name for side in (expr.left, expr.right) if isinstance(side, ast.Name)} == {name, other}


def is_plain_filter(expr: ast.Comprehension) -> bool:
    """Return whether a comprehension only selects items of one list that isn't a range: ``c for c in hand where …``."""
    is_range = isinstance(expr.source, ast.Binary) and expr.source.op == ".."
    return isinstance(expr.body, ast.Name) and expr.body.name == expr.name and not expr.more and not is_range


def is_named(name: str, *nodes: ast.Node | None) -> bool:
    """Return whether the name stands in any of these nodes, at any depth. Names of members don't count."""
    return any(isinstance(n, ast.Name) and n.name == name for node in nodes if node is not None for n in ast.walk(node))


def iterate_scopes(expr: ast.Expr) -> Iterator[ast.Expr]:
    """Yield the conditions, keys and bodies inside an expression that are read for each item of a list, outer ones
    first.

    A body comes before its condition. An expression without lists yields nothing. Sources of first loops are not
    included, those of further loops are.
    """
    for node in ast.walk(expr):
        match node:
            case ast.Where(condition=inner) | ast.AsLong(condition=inner):
                yield inner
            case ast.Sorted(key=inner) | ast.WithKey(key=inner) | ast.Reach(body=inner):
                yield inner
            case ast.Comprehension(body=body, condition=condition, more=more):
                conditions = (condition, *(part for each in more for part in (each.source, each.condition)))
                yield from (body, *filter(None, conditions))


def split_access(expr: ast.Expr) -> tuple[ast.Expr | None, str, tuple[ast.Expr, ...]]:
    """Return the owner, the name, and the arguments or indices of a place, query or call, from left to right.

    Example: ``p.hand[1]`` gives (``p``, ``"hand"``, (1,)). The owner of ``heap`` is None, and names of arguments are
    dropped. Any other expression gives no owner, the name ``this`` and itself as the argument.
    """
    match expr:
        case ast.Name(name=name):
            return None, name, ()
        case ast.Member(subject=subject, name=name):
            return subject, name, ()
        case ast.Index(subject=subject, indices=indices):
            owner, name, earlier_arguments = split_access(subject)
            return owner, name, (*earlier_arguments, *indices)
        case ast.Call(callee=callee, args=args):
            owner, name, earlier_arguments = split_access(callee)
            return owner, name, (*earlier_arguments, *(a.value for a in args))
    return None, "this", (expr,)


def get_accessed_name(expr: ast.Expr) -> str | None:
    """Return the declared name that a name, member or index reads, without its owner and indices.

    Returns None for calls and all other expressions.
    """
    return split_access(expr)[1] if isinstance(expr, ast.Name | ast.Member | ast.Index) else None


def find_holder_test(expr: ast.Expr) -> bool | None:
    """Return True for ``me = this.holder`` and False for ``me != this.holder``, with the sides in either order.

    None for all other conditions, also for ``not (me = this.holder)``.
    """
    if not isinstance(expr, ast.Binary) or expr.op not in ("=", "!="):
        return None
    for side, other_side in ((expr.left, expr.right), (expr.right, expr.left)):
        match side, other_side:
            case ast.Name(name="me"), ast.Member(subject=ast.Name(name="this"), name="holder"):
                return expr.op == "="
    return None


def find_tested_card(expr: ast.Expr, name: str) -> str | None:
    """Return the id of the card of which ``name`` is a copy, by ``NAME is any CARD`` or ``NAME.original = CARD``.

    Returns None for other conditions, also with the sides exchanged.
    """
    match expr:
        case ast.IsCopy(card=ast.Name(name=card), name=original, negated=False) if card == name:
            return original
        case ast.Binary(
            op="=", left=ast.Member(subject=ast.Name(name=card), name="original"), right=ast.Name(name=original)
        ) if card == name:
            return original
    return None


def find_excluded_player(expr: ast.Expr) -> ast.Expr | None:
    """Return the player that ``me`` must not be: ``x`` of ``me is not x`` or ``x is not me``. None otherwise."""
    match expr:
        case ast.Binary(op="!=", left=ast.Name(name="me"), right=player):
            return player
        case ast.Binary(op="!=", left=player, right=ast.Name(name="me")):
            return player
    return None
