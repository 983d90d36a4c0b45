"""Analyse the structure of expressions: the parts of a condition, and the names that an expression reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lusory_dsl.source.source import prepend_article
from lusory_dsl.syntax import ast
from lusory_dsl.types.builtin_functions_members_and_statements import Builtin


def split_conjunction(condition: ast.Expr | None) -> list[ast.Expr]:
    """Return the parts of a condition that are joined by ``and``, from left to right, or [] for None."""
    if isinstance(condition, ast.Binary) and condition.op == "and":
        return [*split_conjunction(condition.left), *split_conjunction(condition.right)]
    return [] if condition is None else [condition]


def is_inequality(expr: ast.Expr, name: str, other_name: str) -> bool:
    """Return whether an expression is ``NAME is not OTHER`` with these two names, in either order."""
    if not isinstance(expr, ast.Binary) or expr.op != "!=":
        return False
    return {side.name for side in (expr.left, expr.right) if isinstance(side, ast.Name)} == {name, other_name}


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
            case ast.Where(condition=scope) | ast.AsLong(condition=scope):
                yield scope
            case ast.Sorted(key=scope) | ast.WithKey(key=scope) | ast.Reach(body=scope):
                yield scope
            case ast.Comprehension(body=body, condition=condition, more=more):
                conditions = (condition, *(part for loop in more for part in (loop.source, loop.condition)))
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
            return owner, name, (*earlier_arguments, *(arg.value for arg in args))
    return None, "this", (expr,)


def get_accessed_name(expr: ast.Expr) -> str | None:
    """Return the declared name that a name, member or index reads, without its owner and indices.

    Return None for calls and all other expressions.
    """
    return split_access(expr)[1] if isinstance(expr, ast.Name | ast.Member | ast.Index) else None


def get_holder_polarity(expr: ast.Expr) -> bool | None:
    """Return True for ``me = this.holder`` and False for ``me != this.holder``, with the sides in either order.

    Return None for all other conditions, also for ``not (me = this.holder)``.
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

    Return None for other conditions, also with the sides exchanged.
    """
    match expr:
        case ast.IsCopy(card=ast.Name(name=card), name=original, is_negated=False) if card == name:
            return original
        case ast.Binary(
            op="=", left=ast.Member(subject=ast.Name(name=card), name="original"), right=ast.Name(name=original)
        ) if card == name:
            return original
    return None


def find_excluded_player(expr: ast.Expr) -> ast.Expr | None:
    """Return the player that ``me`` must not be: ``x`` of ``me is not x`` or ``x is not me``, otherwise None."""
    match expr:
        case ast.Binary(op="!=", left=ast.Name(name="me"), right=player):
            return player
        case ast.Binary(op="!=", left=player, right=ast.Name(name="me")):
            return player
    return None


_SEVERAL = {"is": "are", "has": "have", "does": "do", "lies": "lie", "can": "can", "may": "may"}
"""Singular verbs and their plural."""


def make_relative_clause(clauses: list[str], word: str, is_plural: bool) -> str:
    """Return conditions about “it” as relative clauses, beginning with a blank, with ``word`` between any two.

    Each has its own pronoun: “it is ripe”, “it has a coin” and “its price is at most 2” give “ that is ripe and that
    has a coin and whose price is at most 2”. With ``is_plural`` the verbs of “it” are in the plural: “ that are ripe”,
    but still “ whose price is at most 2”. If any condition begins with neither “it” nor “its”, all stay unchanged, as
    in “ for which it is ripe and the deck is empty”. With ``is_plural``, a verb without a known plural has the same
    effect: “it moves”. There must be at least one condition.
    """
    relatives = [make_relative(clause, "that", is_plural) for clause in clauses]
    if None in relatives:
        return f" for which {f' {word} '.join(clauses)}"
    return f" {f' {word} '.join(filter(None, relatives))}"


def make_relative(clause: str, pronoun: str, is_plural: bool) -> str | None:
    """Return a condition about “it” as a relative clause, or None unless its first word is “it” or “its”.

    ``pronoun`` is ``that`` for things and ``who`` for players. Examples: “its price is 2” gives “whose price is 2”, and
    “it is ripe” gives “that is ripe”. With ``is_plural``, the latter is “that are ripe”. Then any verb after “it” other
    than “is”, “has”, “does”, “lies”, “can” and “may” gives None. The words after the verb stay: “it is red and it
    moves” gives “that is red and it moves”.
    """
    head, _, words_after = clause.partition(" ")
    verb, _, predicate = words_after.partition(" ")
    if head == "its":
        return f"whose {words_after}"
    if head == "it" and (not is_plural or verb in _SEVERAL):
        return f"{pronoun} {_SEVERAL[verb] if is_plural else verb} {predicate}".rstrip()
    return None


def describe_amount(op: str, number: int, singular: str, plural: str) -> str | None:
    """Return a number of counters in words, as an object of “has”: “exactly 3 coins”, “fewer than 2 coins”.

    ``op`` compares their number with ``number``: ``=`` (“exactly”), ``<`` (“fewer than”), ``<=`` (“at most”), ``>``
    (“more than”), ``>=`` (“at least”) or ``!=``. If every number but 0 fulfils it (``> 0``, ``>= 1``, ``!= 0``), the
    words are “a coin”, or “at least 1 sheep” if ``singular`` and ``plural`` are equal. If only 0 fulfils it (``= 0``,
    ``<= 0``, ``< 1``), they are “no coins”. Return None for ``!=`` with a number other than 0.
    """
    if (op, number) in ((">", 0), (">=", 1), ("!=", 0)):
        return prepend_article(singular) if plural != singular else f"at least 1 {singular}"
    if (op, number) in (("=", 0), ("<=", 0), ("<", 1)):
        return f"no {plural}"
    words = {"=": "exactly", ">": "more than", ">=": "at least", "<": "fewer than", "<=": "at most"}
    return f"{words[op]} {number} {singular if number == 1 else plural}" if op in words else None


def describe_builtin(row: Builtin, args: list[str]) -> str:
    """Return a call of a built-in function in words. ``args`` are its arguments in words; a missing one appears as “–”.

    Example: ``smaller(3, heap)`` gives “the smaller of 3 and the heap”. “the seat of you” becomes “your seat”.
    """
    arguments: Mapping[str, str] = {param.name: args[i] if i < len(args) else "–" for i, param in enumerate(row.params)}
    return re.sub(r"^the (\w+) of you$", r"your \1", row.text.format_map(arguments))
