"""Build the abstract syntax tree from Lark's parse tree.

:func:`build_ast` goes through the rules of the parse tree, children first. Most rules have a method of their name,
which takes the parse tree of the rule and the results of its children. The rules in ``_NODES`` need none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import cast

from ..source import diagnostic_codes
from ..source.dataclass_with_lazy_methods import ValueRecord, replace
from ..source.diagnostics import Diagnostics
from ..source.source import EmbeddedText, Span
from ..source.spelling_suggestions import suggest_name
from ..types.builtin_functions_members_and_statements import COMPREHENSIONS, GRAPH_SEARCHES
from ..types.types import TEXT_LIMIT
from . import ast
from .lark_parse_trees_and_indentation import Items, Token, Tree, make_span

MAX_DIGITS = 18

_NODES: dict[str, Callable[..., ast.Node]] = {
    "none": ast.NoneLit,
    "member": ast.Member,
    "each": ast.Each,
    "if_expr": ast.IfExpr,
    "whenever_rule": ast.WheneverRule,
    "recipient": ast.Recipient,
    "let": ast.Let,
    "add_to": ast.AddTo,
    "remove_from": ast.RemoveFrom,
    "move_count": ast.MoveCount,
    "shuffle": ast.Shuffle,
    "stop": ast.Stop,
    "for_each": ast.ForEach,
    "by": ast.By,
    "privately": ast.Privately,
    "offer": ast.Offer,
    "announce": ast.Announce,
    "cancel": ast.Cancel,
    "begin": ast.Begin,
    "end_duration": ast.EndDuration,
}
"""Rules of the grammar whose children are the fields of a node, in order, behind its span.

A name gives two fields: the name and its span.
"""

_ASSIGNMENTS = {"set_to": "set", "increase": "add", "decrease": "sub"}


class _ExpressionBuilder:
    """Methods for the grammar rules of expressions and texts."""

    def __init__(self, embedded: EmbeddedText, diagnostics: Diagnostics) -> None:
        self._embedded = embedded
        self._diagnostics = diagnostics

    def _make_span(self, place: Tree | Token) -> Span:
        return make_span(self._embedded, place)

    def expression(self, meta: Tree, items: Items) -> ast.Expr:
        """Build the nested LetExpr nodes of an expression, the first ``let`` outermost.

        ``items`` holds the name and value of each ``let`` in turn, then the body. Each LetExpr has the span of the
        whole. Returns the body itself if there is no ``let``.
        """
        *names, result = items
        while names:
            *names, name, value = names
            result = ast.LetExpr(self._make_span(meta), str(name), self._make_span(name), value, result)
        return cast(ast.Expr, result)

    let_expr = expression

    def name(self, meta: Tree, items: Items) -> ast.Name:
        """Build a name."""
        return ast.Name(self._make_span(meta), str(items[0]))

    quantifier = name

    def number(self, meta: Tree, items: Items) -> ast.IntLit:
        """Build a number. Reports one of more than :data:`MAX_DIGITS` digits, and cuts it off there."""
        digits = str(items[0])
        if len(digits) > MAX_DIGITS:
            message = f"this number has {len(digits)} digits; at most {MAX_DIGITS} are allowed"
            self._diagnostics.add(diagnostic_codes.NUMBER_TOO_LARGE, message, self._make_span(meta))
            digits = digits[:MAX_DIGITS]
        return ast.IntLit(self._make_span(meta), int(digits))

    def boolean(self, meta: Tree, items: Items) -> ast.BoolLit:
        """Build ``true`` or ``false``."""
        return ast.BoolLit(self._make_span(meta), items[0] == "true")

    def list_literal(self, meta: Tree, items: Items) -> ast.ListLit:
        """Build ``[a, b]``, or an empty list."""
        return ast.ListLit(self._make_span(meta), tuple(items))

    def index(self, meta: Tree, items: Items) -> ast.Index:
        """Build ``subject[a, b]``."""
        return ast.Index(self._make_span(meta), items[0], tuple(items[1:]))

    def call(self, meta: Tree, items: Items) -> ast.Call:
        """Build ``callee(a, name: b)``."""
        return ast.Call(self._make_span(meta), items[0], tuple(items[1:]))

    def arg(self, meta: Tree, items: Items) -> ast.Argument:
        """Build an argument of a call. Its name is None if it isn't written."""
        name, value = items
        return ast.Argument(self._make_span(meta), None if name is None else str(name), value)

    def comprehension(self, meta: Tree, items: Items) -> ast.Comprehension:
        """Build ``sum(x.cost for x in xs where …)``. Reports a function that can't be used with ``for``, and builds the
        node all the same; its function is "" if it is no name.

        The first ``for`` gives the name, source and condition of the node, and further ones its ``more``.
        """
        function, body, first, *more = items
        word = function.name if isinstance(function, ast.Name) else ""
        if word not in COMPREHENSIONS:
            self._diagnostics.add(
                diagnostic_codes.NOT_A_LIST_FUNCTION,
                f"`{word}` can't be used with `for`" if word else "only a function can be used with `for`",
                function.span,
                hint=suggest_name(word, COMPREHENSIONS) or f"use one of these: {', '.join(COMPREHENSIONS)}",
            )
        name, name_span, source, condition = first.name, first.name_span, first.source, first.condition
        return ast.Comprehension(self._make_span(meta), word, body, name, name_span, source, condition, tuple(more))

    def reach(self, meta: Tree, items: Items) -> ast.Reach:
        """Build ``reach(… for x from start within bound)``. Without ``within``, the bound is None.

        Reports a function other than ``reach`` and ``steps``, and builds the node all the same; its function is "" if
        it is no name.
        """
        function, body, name, source, bound = items
        word = function.name if isinstance(function, ast.Name) else ""
        if word not in GRAPH_SEARCHES:
            self._diagnostics.add(
                diagnostic_codes.NOT_A_LIST_FUNCTION,
                f"`{word}` can't be used with `from`" if word else "only a function can be used with `from`",
                function.span,
                hint=suggest_name(word, GRAPH_SEARCHES)
                or "use `reach` or `steps`; other functions take a list: `for x in xs`",
            )
        return ast.Reach(self._make_span(meta), word, body, str(name), self._make_span(name), source, bound)

    def unary(self, meta: Tree, items: Items) -> ast.Unary:
        """Build ``not x`` or ``-x``."""
        word, operand = items
        return ast.Unary(self._make_span(meta), str(word), operand)

    def binary(self, meta: Tree, items: Items) -> ast.Binary:
        """Build an expression with an operator.

        ``is`` becomes ``=``, ``is not`` ``!=``, and ``not in`` stays one operator.
        """
        left, *words, right = items
        op = " ".join(words)
        return ast.Binary(self._make_span(meta), {"is": "=", "is not": "!="}.get(op, op), left, right)

    def is_empty(self, meta: Tree, items: Items) -> ast.IsEmpty:
        """Build ``x is empty`` or ``x is not empty``."""
        subject, *words = items
        return ast.IsEmpty(self._make_span(meta), subject, negated="not" in words)

    def lies_in(self, meta: Tree, items: Items) -> ast.LiesIn:
        """Build ``card in any zone`` or ``card not in any zone``."""
        card, *words, name = items
        return ast.LiesIn(self._make_span(meta), card, str(name), self._make_span(name), negated="not" in words)

    def has_action(self, meta: Tree, items: Items) -> ast.HasAction:
        """Build ``card has action``, or ``card can action``, for which ``now`` is true."""
        card, word, name = items
        return ast.HasAction(self._make_span(meta), card, str(name), self._make_span(name), now=word == "can")

    def is_copy(self, meta: Tree, items: Items) -> ast.IsCopy:
        """Build ``card is any name`` or ``card is not any name``."""
        card, *words, name = items
        return ast.IsCopy(self._make_span(meta), card, str(name), self._make_span(name), negated="not" in words)

    def where(self, meta: Tree, items: Items) -> ast.Where:
        """Build ``xs where condition``, or ``xs as x where condition``, whose condition calls the item ``x``."""
        source, item, condition = items
        return ast.Where(self._make_span(meta), source, condition, self._make_item(item))

    def as_long(self, meta: Tree, items: Items) -> ast.AsLong:
        """Build ``xs while condition`` or ``xs as x while condition``."""
        source, item, condition = items
        return ast.AsLong(self._make_span(meta), source, condition, self._make_item(item))

    def with_key(self, meta: Tree, items: Items) -> ast.WithKey:
        """Build ``xs with most key``, ``least`` or ``distinct``, also behind ``xs as x``."""
        source, item, kind, key = items
        return ast.WithKey(self._make_span(meta), source, str(kind), key, self._make_item(item))

    def sorted(self, meta: Tree, items: Items) -> ast.Sorted:
        """Build ``xs sorted by key`` or ``xs as x sorted by key``."""
        source, item, key = items
        return ast.Sorted(self._make_span(meta), source, key, self._make_item(item))

    def _make_item(self, name: Token | None) -> ast.Item | None:
        return None if name is None else ast.Item(self._make_span(name), str(name))

    # ------------------------------------------------------------ texts

    def text(self, meta: Tree, items: Items) -> ast.TextLit:
        """Build a text in quotation marks, with its words and holes in order."""
        return self._make_text(meta, items[1:-1])

    def template(self, meta: Tree, items: Items) -> ast.TextLit:
        """Build a text without quotation marks, with its words and holes in order."""
        return self._make_text(meta, items)

    def _make_text(self, meta: Tree, items: Items) -> ast.TextLit:
        parts = tuple(_unescape(i) for i in items)
        length = sum(len(part) for part in parts if isinstance(part, str))
        if length > TEXT_LIMIT:
            message = f"this text has {length:,} characters; at most {TEXT_LIMIT:,} are allowed"
            self._diagnostics.add(
                diagnostic_codes.TOO_LARGE, message, self._make_span(meta), "divide it into several texts"
            )
        return ast.TextLit(self._make_span(meta), parts)

    def hole(self, meta: Tree, items: Items) -> ast.Expr:
        """Return the expression of a hole."""
        return cast(ast.Expr, items[0])

    template_hole = hole


def _unescape(part: Token | ast.Expr) -> str | ast.Expr:
    """Resolve the escapes in a part of a text.

    Templates have no backslash escapes. Expressions are returned unchanged.
    """
    if not isinstance(part, Token):
        return part
    escape = r"\{\{|\}\}|\\[\"\\]" if part.type == "WORDS" else r"\{\{|\}\}"
    return re.sub(escape, lambda m: m.group()[-1], part)


class Clause(ValueRecord):
    """A clause of a choice: ``by p``, ``prompt "…"`` or ``label "…"``."""

    kind: str
    span: Span
    value: ast.Expr


Clauses = dict[str, ast.Expr]


def build_ast(tree: Tree, embedded: EmbeddedText, diagnostics: Diagnostics) -> object:
    """Return the syntax tree for a parse tree: a block, expression, text, rule, or tuple of a choice's variables.

    Reports faults that the grammar can't refuse, such as a number with too many digits or a repeated clause, and
    returns the tree all the same. Nodes are built without recursion, children first.
    """
    builder = _StatementBuilder(embedded, diagnostics)
    order: list[Tree | Token] = []  # parents before children, children from last to first
    pending: Items = [tree]
    while pending:
        part = pending.pop()
        order.append(part)
        if isinstance(part, Tree):
            pending += part.children
    results: Items = []
    for part in reversed(order):
        if not isinstance(part, Tree):
            results.append(part)
            continue
        first = len(results) - len(part.children)
        items = results[first:]
        del results[first:]
        if part.data in _NODES:
            values: Items = []
            for item in items:
                values += (str(item), make_span(embedded, item)) if isinstance(item, Token) else (item,)
            results.append(_NODES[part.data](make_span(embedded, part), *values))
        else:
            results.append(getattr(builder, part.data)(part, items))
    return results[0]


class _StatementBuilder(_ExpressionBuilder):
    """Methods for the grammar rules of statements and rules, and those of expressions.

    This is not a Lark transformer, because calling a transformer's method takes longer than most methods run.
    """

    def _collect_clauses(self, items: Iterable[object], allowed: tuple[str, ...]) -> Clauses:
        """Return the clauses among ``items`` by their kind.

        Reports duplicates and kinds that are not in ``allowed``.
        """
        clauses: dict[str, Clause] = {}
        for clause in items:
            if not isinstance(clause, Clause):
                continue
            if clause.kind in clauses:
                self._diagnostics.add(
                    diagnostic_codes.WRONG_CLAUSE,
                    f"`{clause.kind}` is given twice",
                    clause.span,
                    notes=[(clauses[clause.kind].span, "first given here")],
                )
            elif clause.kind not in allowed:
                self._diagnostics.add(
                    diagnostic_codes.WRONG_CLAUSE,
                    f"this choice can't have `{clause.kind}`",
                    clause.span,
                    hint=f"it can have {' and '.join(f'`{kind}`' for kind in allowed)}",
                )
            clauses.setdefault(clause.kind, clause)
        return {kind: clause.value for kind, clause in clauses.items()}

    def _get_text(self, clauses: Clauses, kind: str) -> ast.TextLit | None:
        return cast("ast.TextLit | None", clauses.get(kind))

    # ------------------------------------------------------------ entry points

    def block(self, meta: Tree, items: Items) -> ast.Block:
        """Return the statements as one tuple. Statements on the same line arrive as a nested tuple."""
        return tuple(s for item in items for s in (item if isinstance(item, tuple) else (item,)))

    line = suite = inline = block

    def rule(self, meta: Tree, items: Items) -> ast.AnyRule:
        """Return the rule itself."""
        return cast("ast.AnyRule", items[0])

    def choice_vars(self, meta: Tree, items: Items) -> tuple[ast.ChoiceVar, ...]:
        """Return the variables of a choice in order."""
        return tuple(items)

    option_vars = choice_vars

    # ------------------------------------------------------------ rules

    def when_rule(self, meta: Tree, items: Items) -> ast.EventRule:
        """Build ``when event: …`` or ``instead of event: …``. Its kind is ``when`` or ``instead``."""
        (name, span, bindings), condition, body = items
        kind = meta.data.removesuffix("_rule")
        return ast.EventRule(self._make_span(meta), kind, name, span, bindings, condition, body)

    instead_rule = when_rule

    def enters_rule(self, meta: Tree, items: Items) -> ast.ZoneRule:
        """Build a rule about a card that moves between zones, from ``when card enters zone from other: …``, ``when card
        leaves zone to other: …`` or ``instead of card entering zone from other: …``.

        Its ``verb`` is ``enters``, ``leaves`` or ``entering``. A condition or an ``other`` that is missing is None.
        """
        card, zone, other_zone, condition, body = items
        verb = meta.data.removesuffix("_rule")
        return ast.ZoneRule(
            self._make_span(meta), verb, str(card), self._make_span(card), zone, other_zone, condition, body
        )

    leaves_rule = entering_rule = enters_rule

    def zone(self, meta: Tree, items: Items) -> ast.ZoneName:
        """Build the zone of a zone rule, which may begin with ``any``."""
        word, name = items
        return ast.ZoneName(self._make_span(name), str(name), word is not None)

    def phase_rule(self, meta: Tree, items: Items) -> ast.PhaseRule:
        """Build ``when phase begins: …`` or ``when phase ends: …``."""
        (phase, span), verb, condition, body = items
        return ast.PhaseRule(self._make_span(meta), str(verb), phase, span, condition, body)

    def phase_id(self, meta: Tree, items: Items) -> tuple[str, Span]:
        """Return the id of a phase, which may contain hyphens, and its span."""
        return "".join(map(str, items)), self._make_span(meta)

    def change_rule(self, meta: Tree, items: Items) -> ast.ChangeRule:
        """Build ``when place[a, b].kind changes if condition: …``.

        Without names for indices they are (), and a missing kind or condition is None.
        """
        place, indices, kind, condition, body = items
        kind_name = None if kind is None else ast.Name(self._make_span(kind), str(kind))
        return ast.ChangeRule(
            self._make_span(meta), str(place), self._make_span(place), indices or (), kind_name, condition, body
        )

    def names(self, meta: Tree, items: Items) -> tuple[ast.Name, ...]:
        """Build a list of names."""
        return tuple(ast.Name(self._make_span(item), str(item)) for item in items)

    def while_rule(self, meta: Tree, items: Items) -> ast.WhileRule | ast.GainRule:
        """Build ``while condition: query is value`` or, for gains, ``while condition: name gets …``.

        The layer and its span are None if the rule names no layer.
        """
        condition, (subject, value, _in_layer, layer) = items
        name = None if layer is None else str(layer)
        place = None if layer is None else self._make_span(layer)
        if isinstance(subject, Token):
            return ast.GainRule(
                self._make_span(meta), condition, str(subject), self._make_span(subject), value, name, place
            )
        query, span, bindings = subject
        return ast.WhileRule(self._make_span(meta), condition, query, span, bindings, value, name, place)

    def change(self, meta: Tree, items: Items) -> Items:
        """Return [pattern, value, words ``in layer``, layer] of a change of a query."""
        pattern, _is, *rest = items
        return [pattern, *rest]

    def change_of(self, meta: Tree, items: Items) -> Items:
        """Return [name, gains, words ``in layer``, layer] of a change by gains."""
        return items

    def gains(self, meta: Tree, items: Items) -> tuple[ast.Gain, ...]:
        """Return the gains in order."""
        return tuple(items)

    def gain_word(self, meta: Tree, items: Items) -> ast.Gain:
        """Build a gain of a keyword without a value."""
        return self._make_gain(meta, "", items[0], None)

    def gain_number(self, meta: Tree, items: Items) -> ast.Gain:
        """Build a gain such as ``+2 strength``, with the sign in ``how``."""
        sign, amount, name = items
        return self._make_gain(meta, str(sign), name, amount)

    def gain_items(self, meta: Tree, items: Items) -> ast.Gain:
        """Build a gain such as ``colours (red, blue)``. Its ``how`` is ``"()"``, and its value a list literal."""
        name, *values = items
        list_span = self._embedded.make_span(name.end_pos, meta.end_pos)
        return self._make_gain(meta, "()", name, ast.ListLit(list_span, tuple(values)))

    def gain_value(self, meta: Tree, items: Items) -> ast.Gain:
        """Build a gain such as ``strength is 3``."""
        name, _is, value = items
        return self._make_gain(meta, "is", name, value)

    def gain_keywords(self, meta: Tree, items: Items) -> ast.Gain:
        """Build the gain ``keywords of card``. Its value is the card; ``how`` and the name are both ``keywords``."""
        (card,) = items
        span = self._make_span(meta)
        return ast.Gain(span, "keywords", "keywords", span, card)

    def _make_gain(self, meta: Tree, how: str, name: Token, value: ast.Expr | None) -> ast.Gain:
        return ast.Gain(self._make_span(meta), how, str(name), self._make_span(name), value)

    def pattern(self, meta: Tree, items: Items) -> tuple[str, Span, tuple[ast.Binding, ...]]:
        """Return the name of an event, its span, and the bindings of its parameters.

        The name is ``effect`` or ``Kind.effect``. Without bindings, they are ().
        """
        first, member, bindings = items
        last = first if member is None else member
        span = self._embedded.make_span(first.start_pos, last.end_pos)
        return str(first) if member is None else f"{first}.{member}", span, bindings or ()

    def bindings(self, meta: Tree, items: Items) -> tuple[ast.Binding, ...]:
        """Return the bindings in order."""
        return tuple(items)

    def binding(self, meta: Tree, items: Items) -> ast.Binding:
        """Build ``parameter: name``. Without a name, the parameter's name is used."""
        parameter, name = items
        return ast.Binding(self._make_span(meta), str(parameter), str(name or parameter))

    # ------------------------------------------------------------ statements

    def set_to(self, meta: Tree, items: Items) -> ast.SetTo:
        """Build ``set place to value``, or ``increase`` or ``decrease place by value``, with the operator ``set``,
        ``add`` or ``sub``. ``until`` may be None.
        """
        return ast.SetTo(self._make_span(meta), _ASSIGNMENTS[meta.data], *items)

    increase = decrease = set_to

    def until(self, meta: Tree, items: Items) -> ast.Until:
        """Build ``in layer name until duration ends``. The layer and its span are None if it isn't named."""
        _in_layer, layer, duration = items
        name, span = (None, None) if layer is None else (str(layer), self._make_span(layer))
        return ast.Until(self._make_span(meta), duration, name, span)

    def move_all(self, meta: Tree, items: Items) -> ast.MoveCount:
        """Build ``move all kind from source to target``. Its amount is None, and so is the kind if it isn't written."""
        return ast.MoveCount(self._make_span(meta), None, *items)

    def move_cards(self, meta: Tree, items: Items) -> ast.MoveCards:
        """Build ``move cards to target``. The position is ``top`` or ``bottom``, which is the default."""
        cards, position, target = items
        return ast.MoveCards(self._make_span(meta), cards, target, "bottom" if position is None else str(position))

    def if_stmt(self, meta: Tree, items: Items) -> ast.If:
        """Build an ``if`` with its branches as (condition, block) in order. Without ``else``, ``otherwise`` is ()."""
        pairs, otherwise = (items, ()) if len(items) % 2 == 0 else (items[:-1], items[-1])
        return ast.If(self._make_span(meta), tuple(zip(pairs[::2], pairs[1::2], strict=True)), otherwise)

    def each_player(self, meta: Tree, items: Items) -> ast.EachPlayer:
        """Build ``each player from start anticlockwise where condition: …``.

        The direction is clockwise if it isn't written.
        """
        start, direction, condition, body = items
        return ast.EachPlayer(self._make_span(meta), start, str(direction or "clockwise"), None, condition, body)

    def each_player_in(self, meta: Tree, items: Items) -> ast.EachPlayer:
        """Build ``each player in source where condition: …``."""
        source, condition, body = items
        return ast.EachPlayer(self._make_span(meta), None, "clockwise", source, condition, body)

    def each_player_at_once(self, meta: Tree, items: Items) -> ast.EachPlayer:
        """Build ``each player at once in source where condition: …``. The source may be None."""
        return replace(self.each_player_in(meta, items), at_once=True)

    def repeat_times(self, meta: Tree, items: Items) -> ast.Repeat:
        """Build ``repeat n times: …``."""
        times, body = items
        return ast.Repeat(self._make_span(meta), times, None, False, None, body)

    def repeat_while(self, meta: Tree, items: Items) -> ast.Repeat:
        """Build ``repeat while condition, at most n times: …``. With ``until``, it is negated."""
        word, condition, bound, body = items
        return ast.Repeat(self._make_span(meta), None, condition, word == "until", bound, body)

    # ------------------------------------------------------------ choices

    def var(self, meta: Tree, items: Items) -> ast.ChoiceVar:
        """Build a variable of a choice: ``name in domain where condition``, which may begin with ``secret`` or
        ``unseen``.
        """
        hidden, name, domain, condition = items
        words = (hidden == "secret", hidden == "unseen")
        return ast.ChoiceVar(self._make_span(meta), str(name), self._make_span(name), domain, condition, *words)

    def by_clause(self, meta: Tree, items: Items) -> Clause:
        """Build the clause ``by player``."""
        return Clause("by", self._make_span(meta), items[0])

    def text_clause(self, meta: Tree, items: Items) -> Clause:
        """Build the clause ``prompt "…"`` or ``label "…"``."""
        word, text = items
        return Clause(str(word), self._make_span(meta), text)

    def choose(self, meta: Tree, items: Items) -> ast.Choose:
        """Build a ``choose`` with its variables in order.

        Its body is None and its ``otherwise`` (): a block is added later. A missing ``by``, ``prompt`` or ``label`` is
        None.
        """
        clauses = self._collect_clauses(items, ("by", "prompt", "label"))
        return ast.Choose(
            self._make_span(meta),
            tuple(item for item in items if isinstance(item, ast.ChoiceVar)),
            clauses.get("by"),
            self._get_text(clauses, "prompt"),
            self._get_text(clauses, "label"),
            None,
            (),
        )

    def choose_block(self, meta: Tree, items: Items) -> ast.Stmt:
        """Return a choice, a random draw or an ``open`` with its block as ``body`` and the block of its ``else``, or
        (), as ``otherwise``.
        """
        head, body, *otherwise = items
        assert isinstance(head, ast.Choose | ast.ChooseSome | ast.Random | ast.Open)
        return replace(head, span=self._make_span(meta), body=body, otherwise=otherwise[0] if otherwise else ())

    choose_some_block = random_block = open_block = choose_block

    def choose_option(self, meta: Tree, items: Items) -> ast.ChooseOption:
        """Build a ``choose`` with options, in order. A missing ``by`` or ``prompt`` is None.

        Reports a repeated clause, of which the first counts, and any other clause, which is left out.
        """
        clauses = self._collect_clauses(items, ("by", "prompt"))
        options = tuple(item for item in items if isinstance(item, ast.OptionClause))
        return ast.ChooseOption(self._make_span(meta), clauses.get("by"), self._get_text(clauses, "prompt"), options)

    def option(self, meta: Tree, items: Items) -> ast.OptionClause:
        """Build ``option name "label" with vars if condition: …``. Missing parts are None, and missing variables ()."""
        name, label, variables, condition, body = items
        return ast.OptionClause(
            self._make_span(meta), str(name), self._make_span(name), label, variables or (), condition, body
        )

    def _make_choose_some(
        self, meta: Tree, low: ast.Expr | None, high: ast.Expr | None, items: Items, is_ordered: bool = False
    ) -> ast.ChooseSome:
        var, *rest = items
        clauses = self._collect_clauses(rest, ("by", "prompt", "label"))
        prompt, label = self._get_text(clauses, "prompt"), self._get_text(clauses, "label")
        return ast.ChooseSome(self._make_span(meta), low, high, is_ordered, var, clauses.get("by"), prompt, label)

    def choose_up_to(self, meta: Tree, items: Items) -> ast.ChooseSome:
        """Build ``choose up to n x in xs``. Its lower bound is None."""
        return self._make_choose_some(meta, None, items[0], items[1:])

    def choose_exactly(self, meta: Tree, items: Items) -> ast.ChooseSome:
        """Build ``choose n x in xs``. Both bounds are the same node."""
        return self._make_choose_some(meta, items[0], items[0], items[1:])

    def choose_between(self, meta: Tree, items: Items) -> ast.ChooseSome:
        """Build ``choose a..b x in xs``."""
        low, high, *rest = items
        return self._make_choose_some(meta, low, high, rest)

    def choose_any(self, meta: Tree, items: Items) -> ast.ChooseSome:
        """Build ``choose any x in xs``, without bounds."""
        return self._make_choose_some(meta, None, None, items)

    def order(self, meta: Tree, items: Items) -> ast.ChooseSome:
        """Build ``order x in xs``, a choice of all items in an order."""
        return self._make_choose_some(meta, None, None, items, is_ordered=True)

    def split(self, meta: Tree, items: Items) -> ast.Split:
        """Build a ``split``, whose clauses ``by``, ``prompt`` and ``label`` are in any order, and None if they are
        missing. Reports a repeated clause, of which the first counts.
        """
        amount, name, item, source, condition, most, *rest, body = items
        clauses = self._collect_clauses(rest, ("by", "prompt", "label"))
        return ast.Split(
            self._make_span(meta),
            amount,
            str(name),
            self._make_span(name),
            str(item),
            self._make_span(item),
            source,
            condition,
            most,
            clauses.get("by"),
            self._get_text(clauses, "prompt"),
            self._get_text(clauses, "label"),
            body,
        )

    def may(self, meta: Tree, items: Items) -> ast.May:
        """Build ``may "…": …``. Without an ``else``, ``otherwise`` is (); a missing ``by`` is None.

        Reports a repeated ``by``, of which the first counts, and any other clause, which is left out.
        """
        prompt, *rest = items
        clauses = self._collect_clauses(rest, ("by",))
        body, *otherwise = (item for item in rest if isinstance(item, tuple))
        return ast.May(self._make_span(meta), prompt, clauses.get("by"), body, otherwise[0] if otherwise else ())

    def take_action(self, meta: Tree, items: Items) -> ast.TakeAction:
        """Build ``take action a, b of card``, with its offers in order.

        Its menu is None, and so is a missing ``by`` or ``prompt``. Reports a repeated clause, of which the first
        counts, and any other clause, which is left out.
        """
        clauses = self._collect_clauses(items, ("by", "prompt"))
        offers = tuple(item for item in items if isinstance(item, ast.Offer))
        return ast.TakeAction(self._make_span(meta), offers, clauses.get("by"), self._get_text(clauses, "prompt"))

    def take_action_from(self, meta: Tree, items: Items) -> ast.TakeAction:
        """Build ``take action from menu``, without offers. A missing ``by`` or ``prompt`` is None.

        Reports a repeated clause, of which the first counts, and any other clause, which is left out.
        """
        menu, *rest = items
        clauses = self._collect_clauses(rest, ("by", "prompt"))
        name = ast.Name(self._make_span(menu), str(menu))
        return ast.TakeAction(self._make_span(meta), (), clauses.get("by"), self._get_text(clauses, "prompt"), name)

    def use_action(self, meta: Tree, items: Items) -> ast.UseAction:
        """Build ``use action of card, by p, prompt "…"``. A missing ``by`` or ``prompt`` is None.

        Reports a repeated clause, of which the first counts, and any other clause, which is left out.
        """
        name, card, *rest = items
        clauses = self._collect_clauses(rest, ("by", "prompt"))
        prompt = self._get_text(clauses, "prompt")
        return ast.UseAction(self._make_span(meta), str(name), self._make_span(name), card, clauses.get("by"), prompt)

    def roll(self, meta: Tree, items: Items) -> ast.Random:
        """Build ``roll x in xs`` or ``pick x in xs at random``, without a block.

        The numbers of ``roll`` come from the stream ``dice``, and those of ``pick`` from ``picks``.
        """
        stream = "dice" if meta.data == "roll" else "picks"
        return ast.Random(self._make_span(meta), stream, items[0], None, ())

    pick = roll

    # ------------------------------------------------------------ other statements

    def do(self, meta: Tree, items: Items) -> ast.Stmt:
        """Build a Do for an expression that stands alone, such as ``pay(2)``. Only a call may: reports any other value
        as no statement, and returns a Stop in its place.
        """
        value = items[0]
        if isinstance(value, ast.Call):
            return ast.Do(self._make_span(meta), value)
        name = value.name if isinstance(value, ast.Name | ast.Member) else None
        self._diagnostics.add(
            diagnostic_codes.NOT_A_STATEMENT,
            "this is only a value and does nothing",
            self._make_span(meta),
            hint=f"to call an effect, write `{name}()`" if name else "statements begin with a verb",
        )
        return ast.Stop(self._make_span(meta))

    def end_game(self, meta: Tree, items: Items) -> ast.EndGame:
        """Build ``end game by chart for players because reason``.

        The reason is a text or a name. Missing parts are None.
        """
        chart, players, reason = items
        chart_name = None if chart is None else ast.Name(self._make_span(chart), str(chart))
        if reason is not None and not isinstance(reason, ast.TextLit):
            reason = ast.Name(self._make_span(reason), str(reason))
        return ast.EndGame(self._make_span(meta), reason, chart_name, players)

    # ------------------------------------------------------------ windows and spans

    def open(self, meta: Tree, items: Items) -> ast.Open:
        """Build an ``open`` without a block. A bare name is a call without arguments.

        Reports what is not the name of a window, and gives it the name "".
        """
        call = items[0]
        if not isinstance(call, ast.Call) or not isinstance(call.callee, ast.Name):
            if not isinstance(call, ast.Name):
                hint = "to open a window, write `open name(arguments): …`"
                self._diagnostics.add(
                    diagnostic_codes.UNEXPECTED_WORD, "this is not the name of a window", call.span, hint
                )
            name = call if isinstance(call, ast.Name) else ast.Name(call.span, "")
            call = ast.Call(call.span, name, ())
        return ast.Open(self._make_span(meta), call, None, ())
