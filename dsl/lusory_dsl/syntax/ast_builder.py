"""Build the abstract syntax tree from Lark's parse tree.

:func:`build_ast` goes through the rules of the parse tree, children first. Most rules have a row in ``_NODES``. Any
other ``RULE`` has a method ``_build_RULE``, which takes the parse tree of the rule and the results of its children.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any, cast

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import ValueRecord, fields, replace
from ..source.diagnostics import Diagnostics
from ..source.source import EmbeddedText, Span
from ..source.spelling_suggestions import suggest_name
from ..types.builtin_functions_members_and_statements import COMPREHENSIONS, GRAPH_SEARCHES
from ..types.types import TEXT_LIMIT
from . import ast
from .lark_parse_trees_and_indentation import Items, Token, Tree

MAX_DIGITS = 18


class Clause(ValueRecord):
    """A clause of a choice: ``by p``, ``prompt "…"`` or ``label "…"``."""

    span: Span
    kind: str
    value: ast.Expr


_NODES: dict[str, tuple[type[ast.Node | Clause], str]] = {
    # expressions
    "name": (ast.Name, "name"),
    "quantifier": (ast.Name, "name"),
    "none": (ast.NoneLit, ""),
    "true": (ast.BoolLit, "value"),
    "false": (ast.BoolLit, "_"),
    "list_literal": (ast.ListLit, "*items"),
    "member": (ast.Member, "subject name"),
    "index": (ast.Index, "subject *indices"),
    "call": (ast.Call, "callee *args"),
    "arg": (ast.Argument, "name value"),
    "each": (ast.Each, "name source condition"),
    "unary": (ast.Unary, "op operand"),
    "is_empty": (ast.IsEmpty, "subject _ is_negated _"),
    "lies_in": (ast.LiesIn, "card is_negated _ _ zone"),
    "is_copy": (ast.IsCopy, "card _ is_negated _ name"),
    "has_action": (ast.HasAction, "card _ action"),
    "can_use": (ast.HasAction, "card is_usable action"),
    "where": (ast.Where, "source item condition"),
    "as_long": (ast.AsLong, "source item condition"),
    "with_key": (ast.WithKey, "source item kind key"),
    "sorted": (ast.Sorted, "source item key"),
    "if_expr": (ast.IfExpr, "condition then otherwise"),
    # rules
    "enters_rule": (ast.ZoneRule, "verb=enters card _ zone _ other_zone condition body"),
    "leaves_rule": (ast.ZoneRule, "verb=leaves card _ zone _ other_zone condition body"),
    "entering_rule": (ast.ZoneRule, "verb=entering card _ zone _ other_zone condition body"),
    "phase_rule": (ast.PhaseRule, "phase verb condition body"),
    "change_rule": (ast.ChangeRule, "place indices kind condition body"),
    "whenever_rule": (ast.WheneverRule, "condition body"),
    "gain_word": (ast.Gain, "name"),
    "gain_number": (ast.Gain, "form value name"),
    "gain_value": (ast.Gain, "name form value"),
    "recipient": (ast.Recipient, "name condition"),
    # statements
    "let": (ast.Let, "name value"),
    "set_to": (ast.SetTo, "op=set place value until"),
    "increase": (ast.SetTo, "op=add place value until"),
    "decrease": (ast.SetTo, "op=sub place value until"),
    "until": (ast.Until, "_ layer duration"),
    "add_to": (ast.AddTo, "value place"),
    "remove_from": (ast.RemoveFrom, "value place"),
    "move_count": (ast.MoveCount, "amount kind source target"),
    "move_all": (ast.MoveCount, "kind source target"),
    "move_cards": (ast.MoveCards, "position=bottom cards position target"),
    "shuffle": (ast.Shuffle, "zone"),
    "stop": (ast.Stop, ""),
    "for_each": (ast.ForEach, "name source condition body"),
    "each_player": (ast.EachPlayer, "direction=clockwise start direction condition body"),
    "each_player_in": (ast.EachPlayer, "direction=clockwise source condition body"),
    "each_player_at_once": (ast.EachPlayer, "direction=clockwise is_simultaneous=yes source condition body"),
    "repeat_times": (ast.Repeat, "times body"),
    "repeat_while": (ast.Repeat, "condition bound body"),
    "repeat_until": (ast.Repeat, "is_until=yes condition bound body"),
    "by": (ast.By, "player body"),
    "privately": (ast.Privately, "body"),
    "clause": (Clause, "kind value"),
    "choose": (ast.Choose, "*vars"),
    "choose_option": (ast.ChooseOption, "*options"),
    "option": (ast.OptionClause, "name label vars condition body"),
    "choose_up_to": (ast.ChooseSome, "high var"),
    "choose_between": (ast.ChooseSome, "low high var"),
    "choose_any": (ast.ChooseSome, "var"),
    "order": (ast.ChooseSome, "is_ordered=yes var"),
    "split": (ast.Split, "amount name item source condition limit body"),
    "may": (ast.May, "prompt body otherwise"),
    "offer": (ast.Offer, "name cards"),
    "take_action": (ast.TakeAction, "*offers"),
    "take_action_from": (ast.TakeAction, "menu"),
    "use_action": (ast.UseAction, "action card"),
    "roll": (ast.Random, "stream=dice var"),
    "pick": (ast.Random, "stream=picks var"),
    "announce": (ast.Announce, "text to"),
    "end_game": (ast.EndGame, "chart players reason"),
    "cancel": (ast.Cancel, ""),
    "begin": (ast.Begin, "place"),
    "end_duration": (ast.EndDuration, "duration"),
}
"""Rules of the grammar -> the class of their node, and the fields that their children give, in order.

``_`` stands for a word that gives no field, and ``*`` stands before a field that takes all further children.
``field=word`` is a value that the rule itself gives, unless a child gives one. A word of the grammar gives a text, a
name or an item, as the field needs. It also gives its span if the class has a field for that. The word of a truth value
gives True. Clauses give the fields ``by``, ``prompt`` and ``label``, wherever they stand. Parts that aren't written are
False, "", () or None.
"""

_TOKEN_NODES = {"Name": ast.Name, "Item": ast.Item}


class _Row(ValueRecord):
    """A row of ``_NODES``, with what the class says of its fields.

    ``values`` holds the value of each field that isn't written. ``clauses`` are the kinds of clauses that the rule can
    have.
    """

    node_class: Callable[..., object]
    names: tuple[str, ...]
    types: dict[str, str]
    values: dict[str, object]
    clauses: tuple[str, ...]


@cache
def _read_row(rule: str) -> _Row:
    node_class, children = _NODES[rule]
    types = {node_field.name: str(node_field.type) for node_field in fields(node_class) if node_field.name != "span"}
    values: dict[str, object] = {}
    for name, type in types.items():
        is_list = type == "Block" or type.startswith("tuple[")
        values[name] = () if is_list else {"bool": False, "str": ""}.get(type)
    names = []
    for child in children.split():
        name, is_given, word = child.partition("=")
        if is_given:
            values[name] = types[name] == "bool" or word
        else:
            names.append(name)
    clauses = tuple(kind for kind in ("by", "prompt", "label") if kind in types and kind not in names)
    return _Row(node_class, tuple(names), types, values, clauses)


class _Builder:
    """``_build_RULE`` builds the result of the grammar rule RULE from those of its children.

    Rules in ``_NODES`` need no method.

    This is not a Lark transformer, because calling a transformer's method takes longer than most methods run.
    """

    def __init__(self, embedded: EmbeddedText, diagnostics: Diagnostics) -> None:
        self._embedded = embedded
        self._diagnostics = diagnostics

    def _make_span(self, place: Tree | Token) -> Span:
        """Return the span in the YAML file of a rule or word of the text."""
        return self._embedded.make_span(place.start_pos, place.end_pos)

    def _build_expression(self, tree: Tree, items: Items) -> ast.Expr:
        """Build the nested LetExpr nodes of an expression, the first ``let`` outermost.

        ``items`` holds the name and value of each ``let`` in turn, then the body. Each LetExpr has the span of the
        whole. Returns the body itself if there is no ``let``.
        """
        *names, result = items
        while names:
            *names, name, value = names
            result = ast.LetExpr(self._make_span(tree), str(name), self._make_span(name), value, result)
        return cast(ast.Expr, result)

    _build_let_expr = _build_expression

    def _build_number(self, tree: Tree, items: Items) -> ast.IntLit:
        """Build a number. Reports one of more than :data:`MAX_DIGITS` digits, and cuts it off there."""
        digits = str(items[0])
        if len(digits) > MAX_DIGITS:
            message = f"this number has {len(digits)} digits; at most {MAX_DIGITS} are allowed"
            self._diagnostics.add(codes.NUMBER_TOO_LARGE, message, self._make_span(tree))
            digits = digits[:MAX_DIGITS]
        return ast.IntLit(self._make_span(tree), int(digits))

    def _build_comprehension(self, tree: Tree, items: Items) -> ast.Comprehension:
        """Build ``sum(x.cost for x in xs where …)``. Reports a function that can't be used with ``for``, and builds the
        node all the same; its function is "" if it is no name.

        The first ``for`` gives the name, source and condition of the node, and further ones its ``more``.
        """
        function, body, first, *more = items
        word = self._get_function(function, COMPREHENSIONS, "for", f"use one of these: {', '.join(COMPREHENSIONS)}")
        name, name_span, source, condition = first.name, first.name_span, first.source, first.condition
        return ast.Comprehension(self._make_span(tree), name, name_span, word, body, source, condition, tuple(more))

    def _build_reach(self, tree: Tree, items: Items) -> ast.Reach:
        """Build ``reach(… for x from start within bound)``. Without ``within``, the bound is None.

        Reports a function other than ``reach`` and ``steps``, and builds the node all the same; its function is "" if
        it is no name.
        """
        function, body, name, source, bound = items
        hint = "use `reach` or `steps`; other functions take a list: `for x in xs`"
        word = self._get_function(function, GRAPH_SEARCHES, "from", hint)
        return ast.Reach(self._make_span(tree), str(name), self._make_span(name), word, body, source, bound)

    def _get_function(self, function: ast.Expr, functions: Collection[str], keyword: str, hint: str) -> str:
        """Return the name of a function, or "" if it has none. Reports one that is not in ``functions``."""
        word = function.name if isinstance(function, ast.Name) else ""
        if word not in functions:
            problem = f"`{word}` can't" if word else "only a function can"
            message, hint = f"{problem} be used with `{keyword}`", suggest_name(word, functions) or hint
            self._diagnostics.add(codes.NOT_A_LIST_FUNCTION, message, function.span, hint)
        return word

    def _build_binary(self, tree: Tree, items: Items) -> ast.Binary:
        """Build an expression with an operator.

        ``is`` becomes ``=``, ``is not`` ``!=``, and ``not in`` stays one operator.
        """
        left, *words, right = items
        op = " ".join(words)
        return ast.Binary(self._make_span(tree), {"is": "=", "is not": "!="}.get(op, op), left, right)

    # ------------------------------------------------------------ texts

    def _build_text(self, tree: Tree, items: Items) -> ast.TextLit:
        """Build a text from its words and the expressions of its holes, in order and without the quotes.

        Escapes in the words are resolved: ``{{`` becomes ``{``. A text whose words have more than TEXT_LIMIT characters
        together is reported, and built all the same.
        """
        parts: list[str | ast.Expr] = []
        for item in items:
            if not isinstance(item, Token):
                parts.append(item)
            elif item.type != "QUOTE":
                # a template has no backslash escapes
                escape = r"\{\{|\}\}|\\[\"\\]" if item.type == "WORDS" else r"\{\{|\}\}"
                parts.append(re.sub(escape, lambda match: match[0][-1], item))
        length = sum(len(string) for string in parts if isinstance(string, str))
        if length > TEXT_LIMIT:
            message = f"this text has {length:,} characters; at most {TEXT_LIMIT:,} are allowed"
            self._diagnostics.add(codes.TOO_LARGE, message, self._make_span(tree), "divide it into several texts")
        return ast.TextLit(self._make_span(tree), tuple(parts))

    _build_template = _build_text

    # ------------------------------------------------------------ statements and their parts

    def _build_from_row(self, rule: str, tree: Tree, items: Items) -> Any:
        """Build the node that the row of a grammar rule describes, from the results of the rule's children.

        Reports a repeated clause, and uses the first one. Reports a clause that the rule can't have, and leaves it out.
        """
        row = _read_row(rule)
        values = {"span": self._make_span(tree), **row.values}
        if row.clauses:
            values |= self._collect_clauses(items, row.clauses)
            items = [item for item in items if not isinstance(item, Clause)]
        for name, item in zip(row.names, items, strict=False):
            if name.startswith("*"):
                values[name[1:]] = tuple(items[len(row.names) - 1 :])
            elif isinstance(item, Token):
                values |= {} if name == "_" else self._convert_token(item, name, row.types)
            elif item is not None:
                values[name] = item
        return row.node_class(**values)

    def _convert_token(self, token: Token, name: str, types: Mapping[str, str]) -> dict[str, object]:
        """Return the value that a word gives to a field, and also that of the field for its span if there is one."""
        kinds = types[name].split(" | ")
        if kinds == ["bool"]:
            return {name: True}
        for kind in kinds:
            if kind in _TOKEN_NODES:
                return {name: _TOKEN_NODES[kind](self._make_span(token), str(token))}
        span_field = f"{name}_span"
        return {name: str(token), span_field: self._make_span(token)} if span_field in types else {name: str(token)}

    def _collect_clauses(self, items: Iterable[object], kinds: tuple[str, ...]) -> dict[str, object]:
        """Return the clauses among ``items`` by their kind, without those that are not in ``kinds``.

        Reports these, and duplicates.
        """
        clauses: dict[str, Clause] = {}
        for clause in items:
            if not isinstance(clause, Clause):
                continue
            if clause.kind in clauses:
                self._diagnostics.add(
                    codes.WRONG_CLAUSE,
                    f"`{clause.kind}` is given twice",
                    clause.span,
                    notes=[(clauses[clause.kind].span, "first given here")],
                )
            elif clause.kind not in kinds:
                self._diagnostics.add(
                    codes.WRONG_CLAUSE,
                    f"this choice can't have `{clause.kind}`",
                    clause.span,
                    hint=f"it can have {' and '.join(f'`{kind}`' for kind in kinds)}",
                )
            clauses.setdefault(clause.kind, clause)
        return {kind: clause.value for kind, clause in clauses.items() if kind in kinds}

    def _build_block(self, tree: Tree, items: Items) -> ast.Block:
        """Return the statements as one tuple. Statements on the same line arrive as a nested tuple."""
        return tuple(statement for item in items for statement in (item if isinstance(item, tuple) else (item,)))

    _build_line = _build_suite = _build_inline = _build_block

    def _build_names(self, tree: Tree, items: Items) -> tuple[Any, ...]:
        """Return the parts in order.

        A change has four: its pattern or name, the new value or gains, the words ``in layer``, and the layer.
        """
        return tuple(items)

    _build_choice_vars = _build_option_vars = _build_gains = _build_bindings = _build_change = _build_names

    # ------------------------------------------------------------ rules

    def _build_when_rule(self, tree: Tree, items: Items) -> ast.EventRule:
        """Build ``when event: …`` or ``instead of event: …``. Its kind is ``when`` or ``instead``."""
        (name, span, bindings), condition, body = items
        kind = tree.data.removesuffix("_rule")
        return ast.EventRule(self._make_span(tree), condition, body, kind, name, span, bindings)

    _build_instead_rule = _build_when_rule

    def _build_phase_id(self, tree: Tree, items: Items) -> Token:
        """Return the id of a phase as one word. It may contain hyphens."""
        return Token("NAME", "".join(items), tree.start_pos, end_pos=tree.end_pos)

    def _build_while_rule(self, tree: Tree, items: Items) -> ast.WhileRule | ast.GainRule:
        """Build ``while condition: query is value`` or, for gains, ``while condition: name gets …``.

        The layer and its span are None if the rule names no layer.
        """
        condition, (subject, value, _in_layer, layer) = items
        name = None if layer is None else str(layer)
        layer_span = None if layer is None else self._make_span(layer)
        if isinstance(subject, Token):
            return ast.GainRule(
                self._make_span(tree), str(subject), self._make_span(subject), condition, value, name, layer_span
            )
        query, span, bindings = subject
        return ast.WhileRule(self._make_span(tree), condition, query, span, bindings, value, name, layer_span)

    def _build_gain_items(self, tree: Tree, items: Items) -> ast.Gain:
        """Build a gain such as ``colours (red, blue)``. Its ``form`` is ``"()"``, and its value an ``ast.ListLit``."""
        name, *values = items
        list_span = self._embedded.make_span(name.end_pos, tree.end_pos)
        value = ast.ListLit(list_span, tuple(values))
        return ast.Gain(self._make_span(tree), str(name), self._make_span(name), "()", value)

    def _build_gain_keywords(self, tree: Tree, items: Items) -> ast.Gain:
        """Build the gain ``keywords of card``. Its value is the card; ``form`` and the name are both ``keywords``.

        The span of the name is that of the whole gain.
        """
        (card,) = items
        span = self._make_span(tree)
        return ast.Gain(span, "keywords", span, "keywords", card)

    def _build_pattern(self, tree: Tree, items: Items) -> tuple[str, Span, tuple[ast.Binding, ...]]:
        """Return the name of an event, its span, and the bindings of its parameters.

        The name is ``effect`` or ``Kind.effect``. Without bindings, they are ().
        """
        first, member, bindings = items
        last = first if member is None else member
        span = self._embedded.make_span(first.start_pos, last.end_pos)
        return str(first) if member is None else f"{first}.{member}", span, bindings or ()

    def _build_binding(self, tree: Tree, items: Items) -> ast.Binding:
        """Build ``parameter: name``. Without a name, the parameter's name is used."""
        parameter, name = items
        return ast.Binding(self._make_span(tree), str(parameter), str(name or parameter))

    # ------------------------------------------------------------ statements

    def _build_if_stmt(self, tree: Tree, items: Items) -> ast.If:
        """Build an ``if`` with its branches as (condition, block) in order. Without ``else``, ``otherwise`` is ()."""
        pairs, otherwise = (items, ()) if len(items) % 2 == 0 else (items[:-1], items[-1])
        return ast.If(self._make_span(tree), tuple(zip(pairs[::2], pairs[1::2], strict=True)), otherwise)

    # ------------------------------------------------------------ choices

    def _build_var(self, tree: Tree, items: Items) -> ast.ChoiceVar:
        """Build a variable of a choice: ``name in domain where condition``, which may begin with ``secret`` or
        ``unseen``.
        """
        secrecy, name, domain, condition = items
        words = (secrecy == "secret", secrecy == "unseen")
        return ast.ChoiceVar(self._make_span(tree), str(name), self._make_span(name), domain, condition, *words)

    def _build_choose_block(self, tree: Tree, items: Items) -> ast.Stmt:
        """Return a choice, a random draw or an ``open`` with the block below it as ``body``.

        The block of its ``else``, or (), becomes ``otherwise``.
        """
        choice, body, *otherwise = items
        assert isinstance(choice, ast.Choose | ast.ChooseSome | ast.Random | ast.Open)
        return replace(choice, span=self._make_span(tree), body=body, otherwise=otherwise[0] if otherwise else ())

    _build_choose_some_block = _build_random_block = _build_open_block = _build_choose_block

    def _build_choose_exactly(self, tree: Tree, items: Items) -> ast.ChooseSome:
        """Build ``choose n x in xs``. Both bounds are the same node."""
        choice: ast.ChooseSome = self._build_from_row("choose_up_to", tree, items)
        return replace(choice, low=choice.high)

    # ------------------------------------------------------------ other statements

    def _build_do(self, tree: Tree, items: Items) -> ast.Stmt:
        """Build a Do for a call that stands alone, such as ``pay(2)``.

        Any other value is no statement. It is reported, and a Stop is returned in its place.
        """
        value = items[0]
        if isinstance(value, ast.Call):
            return ast.Do(self._make_span(tree), value)
        name = value.name if isinstance(value, ast.Name | ast.Member) else None
        self._diagnostics.add(
            codes.NOT_A_STATEMENT,
            "this is only a value and does nothing",
            self._make_span(tree),
            hint=f"to call an effect, write `{name}()`" if name else "statements begin with a verb",
        )
        return ast.Stop(self._make_span(tree))

    # ------------------------------------------------------------ windows and spans

    def _build_open(self, tree: Tree, items: Items) -> ast.Open:
        """Build an ``open`` without a block: its ``body`` is None. A bare name becomes a call without arguments.

        Reports what is not the name of a window, and replaces it by a call of the name "".
        """
        target = items[0]
        if not isinstance(target, ast.Call) or not isinstance(target.callee, ast.Name):
            if not isinstance(target, ast.Name):
                hint = "to open a window, write `open name(arguments): …`"
                self._diagnostics.add(codes.UNEXPECTED_WORD, "this is not the name of a window", target.span, hint)
            name = target if isinstance(target, ast.Name) else ast.Name(target.span, "")
            target = ast.Call(target.span, name, ())
        return ast.Open(self._make_span(tree), target, None, ())


def build_ast(tree: Tree, embedded: EmbeddedText, diagnostics: Diagnostics) -> object:
    """Return the syntax tree for a parse tree: a node, or a tuple of nodes for a block, choice variables or gains.

    The nodes are those of :mod:`lusory_dsl.syntax.ast`: ``1 + 2`` gives a Binary with two of IntLit. Reports faults
    that the grammar can't refuse, such as a number with too many digits, or a repeated clause. The tree is returned
    even then: the number is cut off at ``MAX_DIGITS`` digits. Nodes are built without recursion, children first.
    """
    builder = _Builder(embedded, diagnostics)
    order: list[Tree | Token] = []  # parents before children, children from last to first
    stack: Items = [tree]
    while stack:
        node = stack.pop()
        order.append(node)
        if isinstance(node, Tree):
            stack += node.children
    results: Items = []
    for node in reversed(order):
        if not isinstance(node, Tree):
            results.append(node)
            continue
        first = len(results) - len(node.children)
        items = results[first:]
        del results[first:]
        if node.data in _NODES:
            results.append(builder._build_from_row(node.data, node, items))
        else:
            results.append(getattr(builder, f"_build_{node.data}")(node, items))
    return results[0]
