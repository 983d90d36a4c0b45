"""Laws of the syntax: what is printed parses to the same nodes, printing twice changes nothing, and no text whatever
crashes the parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest
import unparser
from hypothesis import given, settings, strategies as st

from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import NOWHERE, EmbeddedText, Source
from lusory_dsl.syntax import ast, parser
from lusory_dsl.syntax.ast import strip_spans
from lusory_dsl.syntax.lark_parse_trees_and_indentation import get_terminal_spellings

S = NOWHERE
T = TypeVar("T")


def embedded(text: str) -> EmbeddedText:
    return EmbeddedText(Source("law.yaml", text), text, tuple(range(len(text) + 1)))


def parsed(parse: Callable[[EmbeddedText, Diagnostics], Any], text: str) -> Any:
    diagnostics = Diagnostics()
    result = parse(embedded(text), diagnostics)
    found = [f"{d.span}: {d.message}" for d in diagnostics.list_sorted()]
    assert not found, f"{found}\n{text}"
    return result


@pytest.mark.parametrize("other", ["a - b", "a + c", "(a)", "a + b + 1", "1", "[a, b]"])
def test_shapes_tell_texts_apart(other: str) -> None:
    """What the laws below compare nodes by."""
    assert strip_spans(parsed(parser.parse_expression, "a  +  b")) == strip_spans(
        parsed(parser.parse_expression, "a + b")
    )
    assert strip_spans(parsed(parser.parse_expression, other)) != strip_spans(parsed(parser.parse_expression, "a + b"))


# ---------------------------------------------------------------- any nodes

NAMES = ["a", "me", "it", "players", "ready_1", "Resource", "éclair", "at", "player", "x2", "times"]
MEMBERS = [*NAMES, "top", "next", "first", "all", "if"]
LETTERS = 'abc "\\{}#:;()é'


class Maker:
    """Draws nodes that the language can write; ``depth`` bounds what is still to be nested."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one_of(self, items: Sequence[T]) -> T:
        return self._draw(st.sampled_from(items))

    def maybe(self, make: Callable[..., T], *args: Any) -> T | None:
        return make(*args) if self._draw(st.booleans()) else None

    def many(self, make: Callable[..., T], *args: Any, least: int = 0) -> tuple[T, ...]:
        return tuple(make(*args) for _ in range(self._draw(st.integers(least, 2))))

    def name(self) -> str:
        return self.one_of(NAMES)

    def member(self) -> str:
        return self.one_of(MEMBERS)

    # values

    def value(self, depth: int = 3) -> ast.Expr:
        makers = [self.number, self.word, self.boolean]
        if depth > 0:
            makers += [self.text, self.postfix, self.list_function, self.operation, self.operation, self.selection]
        return self.one_of(makers)(depth - 1)

    def number(self, depth: int) -> ast.Expr:
        return ast.IntLit(S, self.one_of([0, 7, 10**17]))

    def word(self, depth: int) -> ast.Expr:
        return ast.Name(S, self.name())

    def boolean(self, depth: int) -> ast.Expr:
        return self.one_of([ast.BoolLit(S, True), ast.BoolLit(S, False), ast.NoneLit(S)])

    def text(self, depth: int = 1) -> ast.TextLit:
        parts: list[str | ast.Expr] = []
        for _ in range(self._draw(st.integers(0, 3))):
            words = self._draw(st.text(LETTERS, max_size=4))
            if words and not (parts and isinstance(parts[-1], str)):
                parts.append(words)
            else:
                parts.append(self.value(depth))
        return ast.TextLit(S, tuple(parts))

    def postfix(self, depth: int) -> ast.Expr:
        kind = self.one_of(["list", "member", "index", "call"])
        if kind == "list":
            return ast.ListLit(S, self.many(self.value, depth))
        if kind == "member":
            return ast.Member(S, self.value(depth), self.member(), S)
        if kind == "index":
            return ast.Index(S, self.value(depth), self.many(self.value, depth, least=1))
        return self.call(depth)

    def call(self, depth: int) -> ast.Call:
        callee = self.one_of([self.word, self.value])(depth)
        callee = ast.Name(S, "any") if isinstance(callee, ast.NoneLit) else callee
        return ast.Call(S, callee, self.many(self.argument, depth))

    def argument(self, depth: int) -> ast.Argument:
        return ast.Argument(S, self.maybe(self.one_of, [*NAMES, "by", "from"]), self.value(depth))

    def list_function(self, depth: int) -> ast.Expr:
        if self._draw(st.booleans()):
            word, body, start = self.one_of(["reach", "steps"]), self.value(depth), self.value(depth)
            return ast.Reach(S, word, body, self.name(), S, start, self.maybe(self.value, depth))
        function, body = self.one_of(["sum", "any", "all", "count", "list"]), self.value(depth)
        condition = self.maybe(self.value, depth)
        return ast.Comprehension(S, function, body, self.name(), S, self.value(depth), condition)

    def operation(self, depth: int) -> ast.Expr:
        kind = self.one_of(["binary", "binary", "unary", "empty", "has"])
        if kind == "unary":
            return ast.Unary(S, self.one_of(["not", "-"]), self.value(depth))
        if kind == "empty":
            return ast.IsEmpty(S, self.value(depth), self._draw(st.booleans()))
        if kind == "has":
            if self._draw(st.booleans()):
                return ast.LiesIn(S, self.value(depth), self.name(), S, self._draw(st.booleans()))
            return ast.HasAction(S, self.value(depth), self.name(), S, self._draw(st.booleans()))
        return ast.Binary(S, self.one_of(sorted(unparser.BINARY)), self.value(depth), self.value(depth))

    def selection(self, depth: int) -> ast.Expr:
        kind = self.one_of(["if", "where", "with"])
        if kind == "if":
            return ast.IfExpr(S, self.value(depth), self.value(depth), self.value(depth))
        if kind == "where":
            return ast.Where(S, self.value(depth), self.value(depth))
        return ast.WithKey(S, self.value(depth), self.one_of(["most", "least", "distinct"]), self.value(depth))

    # statements

    def block(self, depth: int) -> ast.Block:
        return self.many(self.statement, depth, least=1)

    def otherwise(self, depth: int) -> ast.Block:
        return self.many(self.statement, depth)

    def statement(self, depth: int) -> ast.Stmt:
        makers = [self.change, self.move, self.choice, self.other]
        if depth > 0:
            makers += [self.loop, self.branch, self.choice_block]
        return self.one_of(makers)(depth - 1)

    def change(self, depth: int) -> ast.Stmt:
        if self._draw(st.booleans()):
            return ast.Let(S, self.name(), S, self.value())
        until = None
        if self._draw(st.booleans()):
            until = ast.Until(S, self.value(2), self.maybe(self.name), None)
        return ast.SetTo(S, self.one_of(["set", "add", "sub"]), self.value(2), self.value(), until)

    def move(self, depth: int) -> ast.Stmt:
        source, target = self.value(1), self.value(1)
        kind = self.one_of(["cards", "count", "all"])
        if kind == "cards":
            return ast.MoveCards(S, self.value(), target, self.one_of(["top", "bottom"]))
        if kind == "count":
            return ast.MoveCount(S, self.value(2), self.kind(), source, target)
        return ast.MoveCount(S, None, self.maybe(self.kind), source, target)

    def kind(self) -> ast.Expr:
        name = ast.Name(S, self.name())
        return self.one_of([name, ast.Member(S, name, self.member(), S)])

    def var(self) -> ast.ChoiceVar:
        condition = self.maybe(self.value, 2)
        words = self.one_of([(False, False), (True, False), (False, True)])
        return ast.ChoiceVar(S, self.name(), S, self.value(2), condition, *words)

    def vars(self) -> tuple[ast.ChoiceVar, ...]:
        return self.many(self.var, least=1)

    def choice(self, depth: int) -> ast.Stmt:
        by, prompt = self.maybe(self.value, 2), self.maybe(self.text)
        kind = self.one_of(["choose", "some", "order", "action", "use", "random"])
        if kind == "choose":
            return ast.Choose(S, self.vars(), by, prompt, self.maybe(self.text), None, ())
        if kind == "action" and self._draw(st.booleans()):
            return ast.TakeAction(S, (), by, prompt, ast.Name(S, self.name()))
        if kind == "action":
            return ast.TakeAction(S, self.many(self.offer, least=1), by, prompt)
        if kind == "use":
            return ast.UseAction(S, self.name(), S, self.value(2), by, prompt)
        if kind == "random":
            return ast.Random(S, self.one_of(["dice", "picks"]), self.var(), None, ())
        high = self.maybe(self.value, 2) if kind == "some" else None
        low = self.maybe(self.value, 2) if high is not None else None
        return ast.ChooseSome(S, low, high, kind == "order", self.var(), by, prompt, self.maybe(self.text))

    def offer(self) -> ast.Offer:
        return ast.Offer(S, self.name(), S, self.maybe(self.value, 2))

    def other(self, depth: int) -> ast.Stmt:
        return self.one_of(
            [
                ast.Stop(S),
                ast.Shuffle(S, self.value(1)),
                ast.Do(S, self.call(1)),
                ast.Announce(S, self.text(), self.maybe(self.value)),
                ast.EndGame(S, self.maybe(self.text), self.maybe(self.label_name), self.maybe(self.value)),
                ast.Open(S, self.opening(), None, ()),
                ast.Cancel(S),
                ast.Begin(S, self.value(1)),
            ]
        )

    def label_name(self) -> ast.Name:
        return ast.Name(S, self.name())

    def opening(self) -> ast.Call:
        return ast.Call(S, ast.Name(S, self.name()), self.many(self.argument, 1))

    def loop(self, depth: int) -> ast.Stmt:
        value, condition, body = self.value(2), self.maybe(self.value, 2), self.block(depth)
        start, direction = self.maybe(self.value, 2), self.one_of(["clockwise", "anticlockwise"])
        return self.one_of(
            [
                ast.ForEach(S, self.name(), S, value, condition, body),
                ast.EachPlayer(S, start, direction, None, condition, body),
                ast.EachPlayer(S, None, "clockwise", value, condition, body),
                ast.EachPlayer(S, None, "clockwise", self.maybe(self.value, 2), condition, body, at_once=True),
                ast.By(S, value, body),
                ast.Privately(S, body),
                ast.Repeat(S, value, None, False, None, body),
                ast.Repeat(S, None, value, self._draw(st.booleans()), self.value(1), body),
            ]
        )

    def branch(self, depth: int) -> ast.Stmt:
        return ast.If(S, self.many(self.arm, depth, least=1), self.otherwise(depth))

    def arm(self, depth: int) -> tuple[ast.Expr, ast.Block]:
        return self.value(2), self.block(depth)

    def choice_block(self, depth: int) -> ast.Stmt:
        by, prompt = self.maybe(self.value, 2), self.maybe(self.text)
        kind = self.one_of(["choose", "some", "options", "split", "may", "open", "roll", "pick"])
        if kind == "split":
            amount, source, most, condition = self.value(2), self.value(2), self.value(2), self.maybe(self.value, 2)
            label, body, names = self.maybe(self.text), self.block(depth), (self.name(), S, self.name(), S)
            return ast.Split(S, amount, *names, source, condition, most, by, prompt, label, body)
        if kind == "open":
            return ast.Open(S, self.opening(), self.block(depth), self.otherwise(depth))
        if kind == "choose":
            label = self.maybe(self.text)
            return ast.Choose(S, self.vars(), by, prompt, label, self.block(depth), self.otherwise(depth))
        if kind == "some":
            high, var, label = self.maybe(self.value, 2), self.var(), self.maybe(self.text)
            blocks = (self.block(depth), self.otherwise(depth))
            return ast.ChooseSome(S, None, high, False, var, by, prompt, label, *blocks)
        if kind == "options":
            return ast.ChooseOption(S, by, prompt, self.many(self.option, depth, least=1))
        if kind == "may":
            return ast.May(S, self.text(), by, self.block(depth), self.otherwise(depth))
        if kind == "roll":
            return ast.Random(S, "dice", self.var(), self.block(depth), ())
        return ast.Random(S, "picks", self.var(), self.block(depth), self.otherwise(depth))

    def option(self, depth: int) -> ast.OptionClause:
        label, condition = self.maybe(self.text), self.maybe(self.value, 2)
        return ast.OptionClause(S, self.member(), S, label, self.many(self.var), condition, self.block(depth))

    # rules

    def binding(self) -> ast.Binding:
        return ast.Binding(S, self.member(), self.name())

    def pattern(self) -> ast.Pattern:
        condition, body = self.maybe(self.value), self.block(1)
        kind = self.one_of(["zone", "phase", "change"])
        if kind == "phase":
            return ast.PhaseRule(S, self.one_of(["begins", "ends"]), self.name(), S, condition, body)
        if kind == "zone":
            verb = self.one_of(["enters", "leaves", "entering"])
            return ast.ZoneRule(S, verb, self.name(), S, self.zone(), self.maybe(self.zone), condition, body)
        indices = self.many(lambda: ast.Name(S, self.name()))
        return ast.ChangeRule(S, self.name(), S, indices, self.maybe(self.label_name), condition, body)

    def zone(self) -> ast.ZoneName:
        return ast.ZoneName(S, self.name(), self._draw(st.booleans()))

    def rule(self) -> ast.AnyRule:
        if self._draw(st.booleans()):
            return self.pattern()
        name, bindings = self.name(), self.many(self.binding)
        if self._draw(st.booleans()):
            kind, condition = self.one_of(["when", "instead"]), self.maybe(self.value)
            return ast.EventRule(S, kind, name, S, bindings, condition, self.block(1))
        if self._draw(st.booleans()):
            return ast.WheneverRule(S, self.value(), self.block(1))
        layer = self.maybe(self.name)
        if self._draw(st.booleans()):
            return ast.GainRule(S, self.value(), name, S, self.gains(), layer, None)
        return ast.WhileRule(S, self.value(), name, S, bindings, self.value(), layer, None)

    def gains(self) -> tuple[ast.Gain, ...]:
        return (self.gain(), *self.many(self.gain))

    def gain(self) -> ast.Gain:
        match how := self.one_of(["", "+", "-", "()", "is", "keywords"]):
            case "":
                value = None
            case "keywords":
                return ast.Gain(S, how, "keywords", S, self.value())
            case "()":
                value = ast.ListLit(S, (self.value(), *self.many(self.value)))
            case _:
                value = self.value()
        return ast.Gain(S, how, self.name(), S, value)

    def recipient(self) -> ast.Recipient:
        return ast.Recipient(S, self.name(), S, self.value())


@st.composite
def made(draw: st.DrawFn, what: str, *args: Any) -> Any:
    """What the method ``what`` of a maker makes."""
    return getattr(Maker(draw), what)(*args)


KINDS: dict[str, tuple[tuple[int, ...], Callable[[Any], str], Callable[[EmbeddedText, Diagnostics], Any]]] = {
    "value": ((), unparser.print_expression, parser.parse_expression),
    "block": ((2,), unparser.print_block, parser.parse_block),
    "text": ((2,), unparser.print_template, parser.parse_template),
    "rule": ((), unparser.print_rule, parser.parse_rule),
    "vars": ((), unparser.print_choice_vars, parser.parse_choice_vars),
}
"""What a maker makes -> arguments of its method, and how it is printed and parsed."""


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@given(data=st.data())
def test_what_is_printed_parses_to_itself(kind: str, data: st.DataObject) -> None:
    arguments, to_text, parse = KINDS[kind]
    nodes = data.draw(made(kind, *arguments))
    text = to_text(nodes)
    again = parsed(parse, text)

    assert strip_spans(again) == strip_spans(nodes), text
    assert to_text(again) == text


# ---------------------------------------------------------------- any text

PARSERS = [
    parser.parse_block,
    parser.parse_expression,
    parser.parse_template,
    parser.parse_rule,
    parser.parse_choice_vars,
    parser.parse_offer,
]
LOOSE = ["x", "xs", "7", "{", "}", "$", "==", "\\n", "\n", "\n  ", "\n    ", "\n\t", "#"]
pieces = st.sampled_from([*sorted(set(get_terminal_spellings().values())), *LOOSE])
soups = st.lists(pieces, max_size=25).map(" ".join)


@pytest.mark.parametrize("parse", PARSERS)
@settings(deadline=None, max_examples=80)
@given(text=soups | st.text(max_size=20))
def test_every_text_is_parsed_or_refused_at_a_place_inside_it(parse: Callable[..., Any], text: str) -> None:
    diagnostics = Diagnostics()
    result = parse(embedded(text), diagnostics)

    assert (result is None) == bool(len(diagnostics))
    for d in diagnostics.list_sorted():
        for span in (d.span, *(note[0] for note in d.notes)):
            assert 0 <= span.start <= len(text)
            assert span.start < span.end <= len(text) + 1


@settings(deadline=None, max_examples=80)
@given(made("block", 2), st.data())
def test_a_damaged_block_is_never_taken_for_another_without_a_word(block: ast.Block, data: st.DataObject) -> None:
    """One character lost or doubled: the parser answers, and what it accepts can be printed and read again."""
    text = unparser.print_block(block)
    at = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:at] + data.draw(st.sampled_from(["", text[at] * 2])) + text[at + 1 :]
    diagnostics = Diagnostics()
    result = parser.parse_block(embedded(damaged), diagnostics)

    if result is not None:
        assert strip_spans(parsed(parser.parse_block, unparser.print_block(result))) == strip_spans(result)
    else:
        assert len(diagnostics)
