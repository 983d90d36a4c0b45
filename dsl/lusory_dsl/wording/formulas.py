"""How what is worked out is told in words, and when it needs parentheses to be read as it is meant. Used by the prose
of the rules."""

from __future__ import annotations

from ..effect import nodes
from ..effect.printer import BINARY, COLLECTION, PRODUCT
from ..language.builtins import FUNCTIONS

COMPUTED = {
    "+": "{} + {}",
    "-": "{} − {}",
    "*": "{} × {}",
    "div": "{} divided by {} (rounded down)",
    "mod": "the rest of {} divided by {}",
    "..": "{} to {}",
    "union": "{}, and also {}",
    "except": "{} except {}",
    "intersect": "what is both in {} and in {}",
}

COMPARED = {
    "=": ("is", "is not"),
    "!=": ("is not", "is"),
    "<": ("is less than", "is at least"),
    "<=": ("is at most", "is more than"),
    ">": ("is more than", "is at most"),
    ">=": ("is at least", "is less than"),
    "in": ("is one of", "is none of"),
    "not in": ("is none of", "is one of"),
}
"""A comparison and its opposite in words."""

LISTED = {
    "sum": "the sum of {body} over every {each}",
    "max": "the greatest {body} over every {each}",
    "min": "the smallest {body} over every {each}",
    "list": "{body} for every {each}",
    "count": "the number of {each}",
}


OUTSIDE = ("mod", "intersect")
"""Operators whose words begin before the first operand, so that nobody could tell where such a phrase ends."""

AMONG = ","
"""In place of an operator: as one of several arguments."""


def runs_into(inner: str, outer: str, is_last: bool) -> bool:
    """Whether what one operator works out needs parentheses to be read as an operand of another."""
    if outer in ("", AMONG) or inner in OUTSIDE or outer in OUTSIDE:
        return True
    if BINARY[inner] != BINARY[outer]:
        return BINARY[inner] < BINARY[outer]
    return is_last or (BINARY[inner] == COLLECTION and (inner, outer) != ("union", "union"))


def is_open(e: nodes.Expr, op: str, is_last: bool) -> bool:
    """Whether a phrase without an operator of its own would take in what stands behind it, or be taken apart. The ends
    of a range stand apart."""
    if op == "..":
        return False
    match e:
        case nodes.Unary(op="-"):
            return is_last or BINARY.get(op) == PRODUCT
        case nodes.Comprehension(function=function):
            return function in LISTED
        case nodes.Call(callee=nodes.Name(name=name), args=args) if name in FUNCTIONS:
            taken_in = nodes.Where | nodes.AsLong | nodes.Sorted | nodes.Comprehension
            return len(args) > 1 or any(isinstance(a.value, taken_in) for a in args)
        case nodes.ListLit(items=items):
            return len(items) > 1 and op != "except"
    return False
