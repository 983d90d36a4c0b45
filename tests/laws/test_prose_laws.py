"""Law of rules in words: the English text of a formula, read by an independent parser, has the value of the formula.

The parser reads × and “divided by” before + and −, from left to right, and respects parentheses. Some phrases have an
open end: “the larger of … and …”, “the rest of …”, “minus …”. The parser reads each of them as short as possible, and
then as long as possible. Both readings must give the same value.
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
from test_syntax_laws import draw_nodes

from lusory.explain.declaration_names_and_lookup import Vocabulary
from lusory.explain.statements_rules_and_declaration_parts import StatementText
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import NOWHERE
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
def create_describer() -> StatementText:
    text = 'game: {id: x, name: X, version: "1", language: 2, players: 2}\nscoring: {rank: ["0"]}\n'
    ruleset = load_text(text, Diagnostics())
    assert ruleset is not None
    return StatementText(Vocabulary(ruleset))


# ---------------------------------------------------------------- formulas and their values


def create_name(word: str) -> ast.Expr:
    return ast.Name(NOWHERE, word)


def evaluate(formula: ast.Expr) -> Any:
    """Return the value of a formula."""
    match formula:
        case ast.Name(name=word):
            return {**NUMBERS, **LISTS, **TRUTHS}[word]
        case ast.IntLit(value=number):
            return number
        case ast.Unary(op=op, operand=operand):
            return -evaluate(operand) if op == "-" else not evaluate(operand)
        case ast.Binary(op=op, left=left, right=right):
            first, second = evaluate(left), evaluate(right)
            if op in ("and", "or"):
                return first and second if op == "and" else first or second
            return (
                COMPARING[SIGNS[op]](first, second) if op in SIGNS else {**ARITHMETIC, **COLLECTING}[op](first, second)
            )
        case ast.Call(callee=ast.Name(name=function), args=args):
            return (max if function == "larger" else min)(evaluate(argument.value) for argument in args)
        case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
            return evaluate(then) if evaluate(condition) else evaluate(otherwise)
        case ast.Comprehension(function=kind, source=source, body=body):
            return (any if kind == "any" else all)(evaluate(body) for _ in evaluate(source))
    raise TypeError(formula)


# ---------------------------------------------------------------- the reader

WORDS = [
    "the rest of", "divided by", "the larger of", "the smaller of", "what is both in", ", and also", "and in", "except",
    "minus", ", otherwise", "if", "not for every n of", "for every n of", "for some n of", "for no n of",
    "does not hold", "holds", *sorted(COMPARING, key=len, reverse=True), "and", "or", "+", "−", "×", "(", ")", ",",
]  # fmt: skip
TOKENS = [rf"{re.escape(word)}\b" if word[-1].isalpha() else re.escape(word) for word in WORDS]
TOKEN = re.compile("|".join([*TOKENS, r"\w+"]))


class TextEvaluator:
    """Evaluates a formula from its English text. With ``is_greedy``, open-ended phrases extend as far as possible."""

    def __init__(self, text: str, is_greedy: bool) -> None:
        text = text.replace(" (rounded down)", "").replace("“", "").replace("”", "")
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens).replace(" ", "") == text.replace(" ", ""), text
        self.is_greedy = is_greedy

    def take(self, *words: str) -> str | None:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in words else None

    def expect(self, word: str) -> None:
        assert self.take(word), f"{word} is expected before {self.tokens}"

    def read_all(self, read_part: Callable[[], Any]) -> Any:
        value = read_part()
        assert not self.tokens, f"not read: {self.tokens}"
        return value

    def read_number(self) -> int:
        first = self.read_sum()
        if self.take("if"):
            holds = self.read_condition()
            self.expect(", otherwise")
            second = self.read_number()
            return first if holds else second
        return first

    def read_sum(self) -> int:
        value = self.read_product()
        while op := self.take("+", "−"):
            value = ARITHMETIC["+" if op == "+" else "-"](value, self.read_product())
        return value

    def read_product(self) -> int:
        value = self.read_signed()
        while op := self.take("×", "divided by"):
            value = ARITHMETIC["*" if op == "×" else "div"](value, self.read_signed())
        return value

    def read_signed(self) -> int:
        if self.take("minus"):
            return -(self.read_product() if self.is_greedy else self.read_signed())
        if self.take("the rest of"):
            first = self.read_signed()
            self.expect("divided by")
            return ARITHMETIC["mod"](first, self.read_sum() if self.is_greedy else self.read_signed())
        if function := self.take("the larger of", "the smaller of"):
            first = self.read_sum()
            self.expect("and")
            second = self.read_sum() if self.is_greedy else self.read_signed()
            return (max if "larger" in function else min)(first, second)
        if self.take("("):
            value = self.read_number()
            self.expect(")")
            return value
        word = self.tokens.pop(0)
        return NUMBERS[word] if word in NUMBERS else int(word)

    def read_list(self) -> tuple[int, ...]:
        items = self.read_list_term()
        while op := self.take(", and also", "except"):
            items = COLLECTING["except" if op == "except" else "union"](
                items, self.read_list() if self.is_greedy else self.read_list_term()
            )
        return items

    def read_list_term(self) -> tuple[int, ...]:
        if self.take("what is both in"):
            first = self.read_list_term()
            self.expect("and in")
            return COLLECTING["intersect"](first, self.read_list() if self.is_greedy else self.read_list_term())
        if self.take("("):
            items = self.read_list()
            self.expect(")")
            return items
        return LISTS[self.tokens.pop(0)]

    def read_condition(self) -> bool:
        value, last_operator = self.read_clause(), None
        while op := self.take("and", "or"):
            assert last_operator in (None, op), "`and` and `or` side by side"
            last_operator, right = op, self.read_clause()
            value = value and right if op == "and" else value or right
        return value

    def read_clause(self) -> bool:
        if kind := self.take("for some n of", "for no n of", "for every n of", "not for every n of"):
            items = LISTS[self.tokens.pop(0)]
            self.expect(",")
            body = self.read_condition()  # after the comma it extends to the end
            value = any(body for _ in items) if kind in ("for some n of", "for no n of") else all(body for _ in items)
            return value is (kind in ("for some n of", "for every n of"))
        if self.tokens[0] == "(":
            saved_tokens = list(self.tokens)
            try:
                self.take("(")
                value = self.read_condition()
                self.expect(")")
                if not self.tokens or self.tokens[0] not in (*COMPARING, "+", "−", "×", "divided by"):
                    return value
            except (AssertionError, KeyError, ValueError, IndexError):
                pass
            self.tokens = saved_tokens
        if self.tokens[0] in TRUTHS:
            truth = TRUTHS[self.tokens.pop(0)]
            return truth if self.take("holds") else not (self.expect("does not hold") or truth)
        first = self.read_signed()
        sign = self.take(*COMPARING)
        assert sign, f"a comparison is expected before {self.tokens}"
        return COMPARING[sign](first, self.read_sum() if self.is_greedy else self.read_signed())


both_readings = pytest.mark.parametrize("is_greedy", [False, True], ids=["short", "long"])


@both_readings
@pytest.mark.parametrize("kind", ["number", "list", "condition"])
@settings(deadline=None)
@given(data=st.data())
def test_the_text_of_a_formula_has_its_value(kind: str, is_greedy: bool, data: st.DataObject) -> None:
    formula = data.draw(draw_nodes(f"{kind} 4", GRAMMAR))
    text = create_describer().say_condition(formula) if kind == "condition" else create_describer().say_value(formula)
    reader = TextEvaluator(text, is_greedy)
    assert reader.read_all(getattr(reader, f"read_{kind}")) == evaluate(formula), text


@both_readings
@pytest.mark.parametrize("inner", [*ARITHMETIC])
@pytest.mark.parametrize("outer", [*ARITHMETIC])
def test_every_pair_of_operators_is_grouped_correctly(outer: str, inner: str, is_greedy: bool) -> None:
    """The inner operator stands on either side. The numbers give a different value for each grouping."""
    for left, middle, right in [("alpha", "delta", "gamma"), ("beta", "gamma", "delta"), ("delta", "beta", "alpha")]:
        pair = ast.Binary(NOWHERE, inner, create_name(left), create_name(middle))
        for formula in (
            ast.Binary(NOWHERE, outer, pair, create_name(right)),
            ast.Binary(NOWHERE, outer, create_name(right), pair),
        ):
            reader = TextEvaluator(create_describer().say_value(formula), is_greedy)
            assert reader.read_all(reader.read_number) == evaluate(formula), create_describer().say_value(formula)
