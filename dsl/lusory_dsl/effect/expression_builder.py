"""Trees of the grammar → nodes: expressions and texts. Used by the builder, which calls methods by the rules' names."""

from __future__ import annotations

import re
from typing import cast

from ..language.builtins import COMPREHENSIONS, REACHING
from ..language.types import TEXT_LIMIT
from ..text import codes
from ..text.diagnostics import Diagnostics, did_you_mean
from ..text.source import Embedded, Span
from . import nodes
from .trees import Items, Token, Tree, span_of

MAX_DIGITS = 18


class ExpressionBuilder:
    """One method a rule, as in :class:`lusory_dsl.effect.builder`."""

    def __init__(self, embedded: Embedded, diagnostics: Diagnostics) -> None:
        self._embedded = embedded
        self._diagnostics = diagnostics

    def _span(self, place: Tree | Token) -> Span:
        return span_of(self._embedded, place)

    def expression(self, meta: Tree, items: Items) -> nodes.Expr:
        """A value, with the names that stand before it, from the last to the first."""
        *names, found = items
        while names:
            *names, name, value = names
            found = nodes.LetExpr(self._span(meta), str(name), self._span(name), value, found)
        return cast(nodes.Expr, found)

    let_expr = expression

    def name(self, meta: Tree, items: Items) -> nodes.Name:
        return nodes.Name(self._span(meta), str(items[0]))

    quantifier = name

    def number(self, meta: Tree, items: Items) -> nodes.IntLit:
        digits = str(items[0])
        if len(digits) > MAX_DIGITS:
            message = f"this number has {len(digits)} digits; {MAX_DIGITS} are allowed"
            self._diagnostics.add(codes.NUMBER_TOO_LARGE, message, self._span(meta))
            digits = digits[:MAX_DIGITS]
        return nodes.IntLit(self._span(meta), int(digits))

    def boolean(self, meta: Tree, items: Items) -> nodes.BoolLit:
        return nodes.BoolLit(self._span(meta), items[0] == "true")

    def none(self, meta: Tree, items: Items) -> nodes.NoneLit:
        return nodes.NoneLit(self._span(meta))

    def list_literal(self, meta: Tree, items: Items) -> nodes.ListLit:
        return nodes.ListLit(self._span(meta), tuple(items))

    def member(self, meta: Tree, items: Items) -> nodes.Member:
        subject, name = items
        return nodes.Member(self._span(meta), subject, str(name), self._span(name))

    def index(self, meta: Tree, items: Items) -> nodes.Index:
        return nodes.Index(self._span(meta), items[0], tuple(items[1:]))

    def call(self, meta: Tree, items: Items) -> nodes.Call:
        return nodes.Call(self._span(meta), items[0], tuple(items[1:]))

    def arg(self, meta: Tree, items: Items) -> nodes.Argument:
        name, value = items
        return nodes.Argument(self._span(meta), None if name is None else str(name), value)

    def comprehension(self, meta: Tree, items: Items) -> nodes.Comprehension:
        function, body, first, *more = items
        word = function.name if isinstance(function, nodes.Name) else ""
        if word not in COMPREHENSIONS:
            self._diagnostics.add(
                codes.NOT_A_LIST_FUNCTION,
                f"`{word}` can't go through a list with `for`" if word else "only a function can go through a list",
                function.span,
                hint=did_you_mean(word, COMPREHENSIONS) or f"these can: {', '.join(COMPREHENSIONS)}",
            )
        name, name_span, source, condition = first.name, first.name_span, first.source, first.condition
        return nodes.Comprehension(
            self._span(meta), word, function.span, body, name, name_span, source, condition, tuple(more)
        )

    def reach(self, meta: Tree, items: Items) -> nodes.Reach:
        function, body, name, source, bound = items
        word = function.name if isinstance(function, nodes.Name) else ""
        if word not in REACHING:
            self._diagnostics.add(
                codes.NOT_A_LIST_FUNCTION,
                f"`{word}` can't go on `from` somewhere" if word else "only a function can go on `from` somewhere",
                function.span,
                hint=did_you_mean(word, REACHING) or "`reach` and `steps` can; others go through a list: `for x in xs`",
            )
        return nodes.Reach(self._span(meta), word, function.span, body, str(name), self._span(name), source, bound)

    def each(self, meta: Tree, items: Items) -> nodes.Each:
        name, source, condition = items
        return nodes.Each(self._span(meta), str(name), self._span(name), source, condition)

    def unary(self, meta: Tree, items: Items) -> nodes.Unary:
        word, operand = items
        return nodes.Unary(self._span(meta), str(word), operand)

    def binary(self, meta: Tree, items: Items) -> nodes.Binary:
        left, *words, right = items
        op = " ".join(words)
        return nodes.Binary(self._span(meta), {"is": "=", "is not": "!="}.get(op, op), left, right)

    def is_empty(self, meta: Tree, items: Items) -> nodes.IsEmpty:
        subject, *words = items
        return nodes.IsEmpty(self._span(meta), subject, negated="not" in words)

    def lies_in(self, meta: Tree, items: Items) -> nodes.LiesIn:
        card, *words, name = items
        return nodes.LiesIn(self._span(meta), card, str(name), self._span(name), negated="not" in words)

    def has_action(self, meta: Tree, items: Items) -> nodes.HasAction:
        card, word, name = items
        return nodes.HasAction(self._span(meta), card, str(name), self._span(name), now=word == "can")

    def if_expr(self, meta: Tree, items: Items) -> nodes.IfExpr:
        return nodes.IfExpr(self._span(meta), *items)

    def is_copy(self, meta: Tree, items: Items) -> nodes.IsCopy:
        card, *words, name = items
        return nodes.IsCopy(self._span(meta), card, str(name), self._span(name), negated="not" in words)

    def where(self, meta: Tree, items: Items) -> nodes.Where:
        return nodes.Where(self._span(meta), *items)

    def where_as(self, meta: Tree, items: Items) -> nodes.Where:
        source, item, condition = items
        return nodes.Where(self._span(meta), source, condition, self._item(item))

    def as_long(self, meta: Tree, items: Items) -> nodes.AsLong:
        return nodes.AsLong(self._span(meta), *items)

    def as_long_as(self, meta: Tree, items: Items) -> nodes.AsLong:
        source, item, condition = items
        return nodes.AsLong(self._span(meta), source, condition, self._item(item))

    def with_key(self, meta: Tree, items: Items) -> nodes.WithKey:
        source, kind, key = items
        return nodes.WithKey(self._span(meta), source, str(kind), key)

    def with_key_as(self, meta: Tree, items: Items) -> nodes.WithKey:
        source, item, kind, key = items
        return nodes.WithKey(self._span(meta), source, str(kind), key, self._item(item))

    def sorted(self, meta: Tree, items: Items) -> nodes.Sorted:
        return nodes.Sorted(self._span(meta), *items)

    def sorted_as(self, meta: Tree, items: Items) -> nodes.Sorted:
        source, item, key = items
        return nodes.Sorted(self._span(meta), source, key, self._item(item))

    def _item(self, name: Token) -> nodes.Item:
        return nodes.Item(self._span(name), str(name))

    # ------------------------------------------------------------ texts

    def text(self, meta: Tree, items: Items) -> nodes.TextLit:
        return self._of_parts(meta, items[1:-1])

    def template(self, meta: Tree, items: Items) -> nodes.TextLit:
        return self._of_parts(meta, items)

    def _of_parts(self, meta: Tree, items: Items) -> nodes.TextLit:
        parts = tuple(_unescaped(i) for i in items)
        length = sum(len(part) for part in parts if isinstance(part, str))
        if length > TEXT_LIMIT:
            message = f"this text has {length:,} characters; {TEXT_LIMIT:,} are allowed"
            self._diagnostics.add(codes.TOO_LARGE, message, self._span(meta), "divide it into several texts")
        return nodes.TextLit(self._span(meta), parts)

    def hole(self, meta: Tree, items: Items) -> nodes.Expr:
        return cast(nodes.Expr, items[0])

    template_hole = hole


def _unescaped(part: Token | nodes.Expr) -> str | nodes.Expr:
    """The characters that a stretch of text stands for; in a template a backslash is just a backslash."""
    if not isinstance(part, Token):
        return part
    escape = r"\{\{|\}\}|\\[\"\\]" if part.type == "WORDS" else r"\{\{|\}\}"
    return re.sub(escape, lambda m: m.group()[-1], part)
