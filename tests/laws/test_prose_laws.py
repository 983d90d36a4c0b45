"""Laws of the rules in words: a formula that is read as it is told has the value that it has.

The reader here knows nothing of the one who tells. It reads × and divided by before + and −, from left to right, and
takes what is in parentheses together. Where a phrase has no end of its own (“the larger of … and …”, “the rest of …”,
“minus …”) it reads it twice: once as short as it can be, once as long. Both must come to the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from operator import add, mul, sub
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from programs import read_data
from test_syntax_laws import made

from lusory.explain.declaration_names_and_lookup import Vocabulary
from lusory.explain.statements_rules_and_declarations import StatementText
from lusory_dsl.ruleset.loader_and_file_merging import load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import NOWHERE as S
from lusory_dsl.syntax import ast

GRAMMAR = read_data(__file__)

NUMBERS = {"alpha": 7, "beta": -3, "gamma": 2, "delta": 5}
LISTS = {"oaks": (1, 2, 3), "elms": (3, 4), "firs": (2, 4, 5)}
TRUTHS = {"ripe": True, "rotten": False, "sweet": True}

ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "div": lambda a, b: a // b if b else 1,
    "mod": lambda a, b: a % b if b else 1,
}
COLLECTING: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], tuple[int, ...]]] = {
    "union": lambda a, b: (*a, *(x for x in b if x not in a)),
    "except": lambda a, b: tuple(x for x in a if x not in b),
    "intersect": lambda a, b: tuple(x for x in a if x in b),
}
COMPARING: dict[str, Callable[[int, int], bool]] = {
    "is": lambda a, b: a == b,
    "is not": lambda a, b: a != b,
    "is less than": lambda a, b: a < b,
    "is at least": lambda a, b: a >= b,
    "is more than": lambda a, b: a > b,
    "is at most": lambda a, b: a <= b,
}
SIGNS = {"=": "is", "!=": "is not", "<": "is less than", ">=": "is at least", ">": "is more than", "<=": "is at most"}


@cache
def prose() -> StatementText:
    text = 'game: {id: x, name: X, version: "1", language: 2, players: 2}\nscoring: {rank: ["0"]}\n'
    ruleset = load_text(text, Diagnostics())
    assert ruleset is not None
    return StatementText(Vocabulary(ruleset))


# ---------------------------------------------------------------- formulas, and what they come to


def name(word: str) -> ast.Expr:
    return ast.Name(S, word)


def worth(e: ast.Expr) -> Any:
    """What a formula comes to."""
    match e:
        case ast.Name(name=word):
            return {**NUMBERS, **LISTS, **TRUTHS}[word]
        case ast.IntLit(value=number):
            return number
        case ast.Unary(op=op, operand=operand):
            return -worth(operand) if op == "-" else not worth(operand)
        case ast.Binary(op=op, left=left, right=right):
            first, second = worth(left), worth(right)
            if op in ("and", "or"):
                return first and second if op == "and" else first or second
            return (
                COMPARING[SIGNS[op]](first, second) if op in SIGNS else {**ARITHMETIC, **COLLECTING}[op](first, second)
            )
        case ast.Call(callee=ast.Name(name=function), args=args):
            return (max if function == "larger" else min)(worth(a.value) for a in args)
        case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
            return worth(then) if worth(condition) else worth(otherwise)
        case ast.Comprehension(function=kind, source=source, body=body):
            return (any if kind == "any" else all)(worth(body) for _ in worth(source))
    raise TypeError(e)


# ---------------------------------------------------------------- the reader

WORDS = [
    "the rest of", "divided by", "the larger of", "the smaller of", "what is both in", ", and also", "and in", "except",
    "minus", ", otherwise", "if", "not for every n of", "for every n of", "for some n of", "for no n of",
    "does not hold", "holds", *sorted(COMPARING, key=len, reverse=True), "and", "or", "+", "−", "×", "(", ")", ",",
]  # fmt: skip
TOKEN = re.compile("|".join([*(re.escape(w) if not w[-1].isalpha() else rf"{re.escape(w)}\b" for w in WORDS), r"\w+"]))


class Reader:
    """Reads a told formula. ``far``: a phrase without an end goes on as long as it can."""

    def __init__(self, text: str, far: bool) -> None:
        text = text.replace(" (rounded down)", "").replace("“", "").replace("”", "")
        self.left = TOKEN.findall(text)
        assert "".join(self.left).replace(" ", "") == text.replace(" ", ""), text
        self.far = far

    def take(self, *words: str) -> str | None:
        return self.left.pop(0) if self.left and self.left[0] in words else None

    def must(self, word: str) -> None:
        assert self.take(word), f"{word} is expected before {self.left}"

    def whole(self, read: Callable[[], Any]) -> Any:
        found = read()
        assert not self.left, f"not read: {self.left}"
        return found

    def number(self) -> int:
        first = self.sum()
        if self.take("if"):
            holds = self.condition()
            self.must(", otherwise")
            second = self.number()
            return first if holds else second
        return first

    def sum(self) -> int:
        found = self.product()
        while op := self.take("+", "−"):
            found = ARITHMETIC["+" if op == "+" else "-"](found, self.product())
        return found

    def product(self) -> int:
        found = self.signed()
        while op := self.take("×", "divided by"):
            found = ARITHMETIC["*" if op == "×" else "div"](found, self.signed())
        return found

    def signed(self) -> int:
        if self.take("minus"):
            return -(self.product() if self.far else self.signed())
        if self.take("the rest of"):
            first = self.signed()
            self.must("divided by")
            return ARITHMETIC["mod"](first, self.sum() if self.far else self.signed())
        if function := self.take("the larger of", "the smaller of"):
            first = self.sum()
            self.must("and")
            second = self.sum() if self.far else self.signed()
            return (max if "larger" in function else min)(first, second)
        if self.take("("):
            found = self.number()
            self.must(")")
            return found
        word = self.left.pop(0)
        return NUMBERS[word] if word in NUMBERS else int(word)

    def list(self) -> tuple[int, ...]:
        found = self.lying()
        while op := self.take(", and also", "except"):
            found = COLLECTING["except" if op == "except" else "union"](
                found, self.list() if self.far else self.lying()
            )
        return found

    def lying(self) -> tuple[int, ...]:
        if self.take("what is both in"):
            first = self.lying()
            self.must("and in")
            return COLLECTING["intersect"](first, self.list() if self.far else self.lying())
        if self.take("("):
            found = self.list()
            self.must(")")
            return found
        return LISTS[self.left.pop(0)]

    def condition(self) -> bool:
        found, word = self.clause(), None
        while op := self.take("and", "or"):
            assert word in (None, op), "`and` and `or` side by side"
            word, right = op, self.clause()
            found = found and right if op == "and" else found or right
        return found

    def clause(self) -> bool:
        if kind := self.take("for some n of", "for no n of", "for every n of", "not for every n of"):
            items = LISTS[self.left.pop(0)]
            self.must(",")
            body = self.condition()  # the comma says that it goes on to the end
            found = any(body for _ in items) if kind in ("for some n of", "for no n of") else all(body for _ in items)
            return found is (kind in ("for some n of", "for every n of"))
        if self.left[0] == "(":
            before = list(self.left)
            try:
                self.take("(")
                found = self.condition()
                self.must(")")
                if not self.left or self.left[0] not in (*COMPARING, "+", "−", "×", "divided by"):
                    return found
            except (AssertionError, KeyError, ValueError, IndexError):
                pass
            self.left = before
        if self.left[0] in TRUTHS:
            truth = TRUTHS[self.left.pop(0)]
            return truth if self.take("holds") else not (self.must("does not hold") or truth)
        first = self.signed()
        sign = self.take(*COMPARING)
        assert sign, f"a comparison is expected before {self.left}"
        return COMPARING[sign](first, self.sum() if self.far else self.signed())


BOTH = pytest.mark.parametrize("far", [False, True], ids=["near", "far"])


@BOTH
@pytest.mark.parametrize("kind", ["number", "list", "condition"])
@settings(deadline=None)
@given(data=st.data())
def test_a_formula_is_told_as_it_is_worked_out(kind: str, far: bool, data: st.DataObject) -> None:
    formula = data.draw(made(f"{kind} 4", GRAMMAR))
    text = prose().say_condition(formula) if kind == "condition" else prose().say_value(formula)
    reader = Reader(text, far)
    assert reader.whole(getattr(reader, kind)) == worth(formula), text


@BOTH
@pytest.mark.parametrize("inner", [*ARITHMETIC])
@pytest.mark.parametrize("outer", [*ARITHMETIC])
def test_every_pair_of_operators(outer: str, inner: str, far: bool) -> None:
    """All pairs, each with the inner one on either side, and numbers that tell them apart."""
    for a, b, c in [("alpha", "delta", "gamma"), ("beta", "gamma", "delta"), ("delta", "beta", "alpha")]:
        pair = ast.Binary(S, inner, name(a), name(b))
        for formula in (ast.Binary(S, outer, pair, name(c)), ast.Binary(S, outer, name(c), pair)):
            reader = Reader(prose().say_value(formula), far)
            assert reader.whole(reader.number) == worth(formula), prose().say_value(formula)
