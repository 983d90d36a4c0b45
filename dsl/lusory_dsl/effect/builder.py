"""Trees of the grammar → nodes. Works bottom-up without recursion, so that depth is a diagnostic and never a crash.

One method a rule or alias of ``effect.lark``, of the same name; ``items`` are its children, already built, without
the words and signs that the grammar names in quotation marks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.records import dataclass, replace
from ..text.source import Embedded, Span
from . import nodes, patterns
from .expression_builder import ExpressionBuilder
from .trees import Items, Token, Tree, span_of


@dataclass(frozen=True)
class Clause:
    """``by p``, ``prompt "…"`` or ``label "…"`` of a choice."""

    kind: str
    span: Span
    value: nodes.Expr


Clauses = dict[str, nodes.Expr]


def build(tree: Tree, embedded: Embedded, diagnostics: Diagnostics) -> object:
    """What a tree stands for: a block, expression, text, rule or the variables of a choice."""
    builders = (_Builder(embedded, diagnostics), ExpressionBuilder(embedded, diagnostics))
    methods: dict[str, Any] = {}
    order: list[Tree | Token] = []  # parents before their children, the last child first
    todo: Items = [tree]
    while todo:
        part = todo.pop()
        order.append(part)
        if isinstance(part, Tree):
            todo += part.children
    built: Items = []
    for part in reversed(order):
        if isinstance(part, Tree):
            first = len(built) - len(part.children)
            items = built[first:]
            del built[first:]
            if part.data not in methods:
                methods[part.data] = next(found for one in builders if (found := getattr(one, part.data, None)))
            built.append(methods[part.data](part, items))
        else:
            built.append(part)
    return built[0]


class _Builder:
    """One method a rule. Not a transformer of Lark, which takes longer to call a method than most of them run."""

    def __init__(self, embedded: Embedded, diagnostics: Diagnostics) -> None:
        self._embedded = embedded
        self._diagnostics = diagnostics

    # ------------------------------------------------------------ help

    def _span(self, place: Tree | Token) -> Span:
        return span_of(self._embedded, place)

    def _clauses(self, items: Iterable[object], allowed: tuple[str, ...]) -> Clauses:
        """The clauses among the children, each at most once and only those that the choice can use."""
        found: dict[str, Clause] = {}
        for clause in items:
            if not isinstance(clause, Clause):
                continue
            if clause.kind in found:
                self._diagnostics.add(
                    codes.WRONG_CLAUSE,
                    f"`{clause.kind}` is said twice",
                    clause.span,
                    notes=[(found[clause.kind].span, "first said here")],
                )
            elif clause.kind not in allowed:
                self._diagnostics.add(
                    codes.WRONG_CLAUSE,
                    f"this choice has no use for `{clause.kind}`",
                    clause.span,
                    hint=f"it can say {' and '.join(f'`{kind}`' for kind in allowed)}",
                )
            found.setdefault(clause.kind, clause)
        return {kind: clause.value for kind, clause in found.items()}

    def _text(self, clauses: Clauses, kind: str) -> nodes.TextLit | None:
        return cast("nodes.TextLit | None", clauses.get(kind))

    # ------------------------------------------------------------ entry points

    def block(self, meta: Tree, items: Items) -> nodes.Block:
        """Statements; those of one line come as a tuple of their own."""
        return tuple(s for item in items for s in (item if isinstance(item, tuple) else (item,)))

    line = suite = inline = block

    def rule(self, meta: Tree, items: Items) -> patterns.AnyRule:
        return cast("patterns.AnyRule", items[0])

    def choice_vars(self, meta: Tree, items: Items) -> tuple[nodes.ChoiceVar, ...]:
        return tuple(items)

    option_vars = choice_vars

    # ------------------------------------------------------------ rules

    def _event_rule(self, kind: str, meta: Tree, items: Items) -> nodes.EventRule:
        (name, span, bindings), condition, body = items
        return nodes.EventRule(self._span(meta), kind, name, span, bindings, condition, body)

    def when_rule(self, meta: Tree, items: Items) -> nodes.EventRule:
        return self._event_rule("when", meta, items)

    def instead_rule(self, meta: Tree, items: Items) -> nodes.EventRule:
        return self._event_rule("instead", meta, items)

    def _zone_rule(self, verb: str, meta: Tree, items: Items) -> patterns.ZoneRule:
        card, zone, other, condition, body = items
        return patterns.ZoneRule(self._span(meta), verb, str(card), self._span(card), zone, other, condition, body)

    def enters_rule(self, meta: Tree, items: Items) -> patterns.ZoneRule:
        return self._zone_rule("enters", meta, items)

    def leaves_rule(self, meta: Tree, items: Items) -> patterns.ZoneRule:
        return self._zone_rule("leaves", meta, items)

    def entering_rule(self, meta: Tree, items: Items) -> patterns.ZoneRule:
        return self._zone_rule("entering", meta, items)

    def zone(self, meta: Tree, items: Items) -> patterns.ZoneName:
        word, name = items
        return patterns.ZoneName(self._span(name), str(name), word is not None)

    def phase_rule(self, meta: Tree, items: Items) -> patterns.PhaseRule:
        (phase, span), verb, condition, body = items
        return patterns.PhaseRule(self._span(meta), str(verb), phase, span, condition, body)

    def phase_id(self, meta: Tree, items: Items) -> tuple[str, Span]:
        return "".join(map(str, items)), self._span(meta)

    def change_rule(self, meta: Tree, items: Items) -> patterns.ChangeRule:
        place, indices, kind, condition, body = items
        named = None if kind is None else nodes.Name(self._span(kind), str(kind))
        return patterns.ChangeRule(
            self._span(meta), str(place), self._span(place), indices or (), named, condition, body
        )

    def names(self, meta: Tree, items: Items) -> tuple[nodes.Name, ...]:
        return tuple(nodes.Name(self._span(item), str(item)) for item in items)

    def while_rule(self, meta: Tree, items: Items) -> nodes.WhileRule | nodes.GainRule:
        condition, (subject, what, _in_layer, layer) = items
        name = None if layer is None else str(layer)
        place = None if layer is None else self._span(layer)
        if isinstance(subject, Token):
            return nodes.GainRule(self._span(meta), condition, str(subject), self._span(subject), what, name, place)
        query, span, bindings = subject
        return nodes.WhileRule(self._span(meta), condition, query, span, bindings, what, name, place)

    def whenever_rule(self, meta: Tree, items: Items) -> nodes.WheneverRule:
        return nodes.WheneverRule(self._span(meta), *items)

    def change(self, meta: Tree, items: Items) -> Items:
        pattern, _is, *rest = items
        return [pattern, *rest]

    def change_of(self, meta: Tree, items: Items) -> Items:
        return items

    def recipient(self, meta: Tree, items: Items) -> nodes.Recipient:
        name, condition = items
        return nodes.Recipient(self._span(meta), str(name), self._span(name), condition)

    def gains(self, meta: Tree, items: Items) -> tuple[nodes.Gain, ...]:
        return tuple(items)

    def gain_word(self, meta: Tree, items: Items) -> nodes.Gain:
        return self._gain(meta, "", items[0], None)

    def gain_number(self, meta: Tree, items: Items) -> nodes.Gain:
        sign, amount, name = items
        return self._gain(meta, str(sign), name, amount)

    def gain_items(self, meta: Tree, items: Items) -> nodes.Gain:
        name, *values = items
        list_span = self._embedded.span(name.end_pos, meta.end_pos)
        return self._gain(meta, "()", name, nodes.ListLit(list_span, tuple(values)))

    def gain_value(self, meta: Tree, items: Items) -> nodes.Gain:
        name, _is, value = items
        return self._gain(meta, "is", name, value)

    def gain_keywords(self, meta: Tree, items: Items) -> nodes.Gain:
        (card,) = items
        span = self._span(meta)
        return nodes.Gain(span, "keywords", "keywords", span, card)

    def _gain(self, meta: Tree, how: str, name: Token, value: nodes.Expr | None) -> nodes.Gain:
        return nodes.Gain(self._span(meta), how, str(name), self._span(name), value)

    def pattern(self, meta: Tree, items: Items) -> tuple[str, Span, tuple[nodes.Binding, ...]]:
        first, member, bindings = items
        last = first if member is None else member
        span = self._embedded.span(first.start_pos, last.end_pos)
        return str(first) if member is None else f"{first}.{member}", span, bindings or ()

    def bindings(self, meta: Tree, items: Items) -> tuple[nodes.Binding, ...]:
        return tuple(items)

    def binding(self, meta: Tree, items: Items) -> nodes.Binding:
        parameter, name = items
        return nodes.Binding(self._span(meta), str(parameter), str(name or parameter))

    # ------------------------------------------------------------ statements

    def let(self, meta: Tree, items: Items) -> nodes.Let:
        name, value = items
        return nodes.Let(self._span(meta), str(name), self._span(name), value)

    def set_to(self, meta: Tree, items: Items) -> nodes.SetTo:
        return nodes.SetTo(self._span(meta), "set", *items)

    def until(self, meta: Tree, items: Items) -> nodes.Until:
        _in_layer, layer, duration = items
        name, span = (None, None) if layer is None else (str(layer), self._span(layer))
        return nodes.Until(self._span(meta), duration, name, span)

    def end_duration(self, meta: Tree, items: Items) -> nodes.EndDuration:
        return nodes.EndDuration(self._span(meta), items[0])

    def add_to(self, meta: Tree, items: Items) -> nodes.AddTo:
        return nodes.AddTo(self._span(meta), *items)

    def remove_from(self, meta: Tree, items: Items) -> nodes.RemoveFrom:
        return nodes.RemoveFrom(self._span(meta), *items)

    def increase(self, meta: Tree, items: Items) -> nodes.SetTo:
        return nodes.SetTo(self._span(meta), "add", *items)

    def decrease(self, meta: Tree, items: Items) -> nodes.SetTo:
        return nodes.SetTo(self._span(meta), "sub", *items)

    def move_count(self, meta: Tree, items: Items) -> nodes.MoveCount:
        return nodes.MoveCount(self._span(meta), *items)

    def move_all(self, meta: Tree, items: Items) -> nodes.MoveCount:
        return nodes.MoveCount(self._span(meta), None, *items)

    def move_cards(self, meta: Tree, items: Items) -> nodes.MoveCards:
        cards, position, target = items
        return nodes.MoveCards(self._span(meta), cards, target, "bottom" if position is None else str(position))

    def shuffle(self, meta: Tree, items: Items) -> nodes.Shuffle:
        return nodes.Shuffle(self._span(meta), *items)

    def stop(self, meta: Tree, items: Items) -> nodes.Stop:
        return nodes.Stop(self._span(meta))

    def if_stmt(self, meta: Tree, items: Items) -> nodes.If:
        pairs, otherwise = (items, ()) if len(items) % 2 == 0 else (items[:-1], items[-1])
        return nodes.If(self._span(meta), tuple(zip(pairs[::2], pairs[1::2], strict=True)), otherwise)

    def for_each(self, meta: Tree, items: Items) -> nodes.ForEach:
        name, source, condition, body = items
        return nodes.ForEach(self._span(meta), str(name), self._span(name), source, condition, body)

    def each_player(self, meta: Tree, items: Items) -> nodes.EachPlayer:
        start, direction, condition, body = items
        return nodes.EachPlayer(self._span(meta), start, str(direction or "clockwise"), None, condition, body)

    def each_player_in(self, meta: Tree, items: Items) -> nodes.EachPlayer:
        source, condition, body = items
        return nodes.EachPlayer(self._span(meta), None, "clockwise", source, condition, body)

    def each_player_at_once(self, meta: Tree, items: Items) -> nodes.EachPlayer:
        return replace(self.each_player_in(meta, items), at_once=True)

    def by(self, meta: Tree, items: Items) -> nodes.By:
        return nodes.By(self._span(meta), *items)

    def privately(self, meta: Tree, items: Items) -> nodes.Privately:
        (body,) = items
        return nodes.Privately(self._span(meta), body)

    def repeat_times(self, meta: Tree, items: Items) -> nodes.Repeat:
        times, body = items
        return nodes.Repeat(self._span(meta), times, None, False, None, body)

    def repeat_while(self, meta: Tree, items: Items) -> nodes.Repeat:
        word, condition, bound, body = items
        return nodes.Repeat(self._span(meta), None, condition, word == "until", bound, body)

    # ------------------------------------------------------------ choices

    def var(self, meta: Tree, items: Items) -> nodes.ChoiceVar:
        hidden, name, domain, condition = items
        words = (hidden == "secret", hidden == "unseen")
        return nodes.ChoiceVar(self._span(meta), str(name), self._span(name), domain, condition, *words)

    def by_clause(self, meta: Tree, items: Items) -> Clause:
        return Clause("by", self._span(meta), items[0])

    def text_clause(self, meta: Tree, items: Items) -> Clause:
        word, text = items
        return Clause(str(word), self._span(meta), text)

    def choose(self, meta: Tree, items: Items) -> nodes.Choose:
        clauses = self._clauses(items, ("by", "prompt", "label"))
        return nodes.Choose(
            self._span(meta),
            tuple(item for item in items if isinstance(item, nodes.ChoiceVar)),
            clauses.get("by"),
            self._text(clauses, "prompt"),
            self._text(clauses, "label"),
            None,
            (),
        )

    def choose_block(self, meta: Tree, items: Items) -> nodes.Choose:
        head, body, *otherwise = items
        assert isinstance(head, nodes.Choose)
        return replace(head, span=self._span(meta), body=body, otherwise=otherwise[0] if otherwise else ())

    def choose_option(self, meta: Tree, items: Items) -> nodes.ChooseOption:
        clauses = self._clauses(items, ("by", "prompt"))
        options = tuple(item for item in items if isinstance(item, nodes.OptionClause))
        return nodes.ChooseOption(self._span(meta), clauses.get("by"), self._text(clauses, "prompt"), options)

    def option(self, meta: Tree, items: Items) -> nodes.OptionClause:
        name, label, variables, condition, body = items
        return nodes.OptionClause(
            self._span(meta), str(name), self._span(name), label, variables or (), condition, body
        )

    def _choose_some(
        self, meta: Tree, low: nodes.Expr | None, high: nodes.Expr | None, items: Items, ordered: bool = False
    ) -> nodes.ChooseSome:
        var, *rest = items
        clauses = self._clauses(rest, ("by", "prompt", "label"))
        prompt, label = self._text(clauses, "prompt"), self._text(clauses, "label")
        return nodes.ChooseSome(self._span(meta), low, high, ordered, var, clauses.get("by"), prompt, label)

    def choose_some_block(self, meta: Tree, items: Items) -> nodes.ChooseSome:
        head, body, *otherwise = items
        assert isinstance(head, nodes.ChooseSome)
        return replace(head, span=self._span(meta), body=body, otherwise=otherwise[0] if otherwise else ())

    def choose_up_to(self, meta: Tree, items: Items) -> nodes.ChooseSome:
        return self._choose_some(meta, None, items[0], items[1:])

    def choose_exactly(self, meta: Tree, items: Items) -> nodes.ChooseSome:
        return self._choose_some(meta, items[0], items[0], items[1:])

    def choose_between(self, meta: Tree, items: Items) -> nodes.ChooseSome:
        low, high, *rest = items
        return self._choose_some(meta, low, high, rest)

    def choose_any(self, meta: Tree, items: Items) -> nodes.ChooseSome:
        return self._choose_some(meta, None, None, items)

    def order(self, meta: Tree, items: Items) -> nodes.ChooseSome:
        return self._choose_some(meta, None, None, items, ordered=True)

    def split(self, meta: Tree, items: Items) -> nodes.Split:
        amount, name, item, source, condition, most, *rest, body = items
        clauses = self._clauses(rest, ("by", "prompt", "label"))
        return nodes.Split(
            self._span(meta),
            amount,
            str(name),
            self._span(name),
            str(item),
            self._span(item),
            source,
            condition,
            most,
            clauses.get("by"),
            self._text(clauses, "prompt"),
            self._text(clauses, "label"),
            body,
        )

    def may(self, meta: Tree, items: Items) -> nodes.May:
        prompt, *rest = items
        clauses = self._clauses(rest, ("by",))
        body, *otherwise = (item for item in rest if isinstance(item, tuple))
        return nodes.May(self._span(meta), prompt, clauses.get("by"), body, otherwise[0] if otherwise else ())

    def take_action(self, meta: Tree, items: Items) -> nodes.TakeAction:
        clauses = self._clauses(items, ("by", "prompt"))
        offers = tuple(item for item in items if isinstance(item, nodes.Offer))
        return nodes.TakeAction(self._span(meta), offers, clauses.get("by"), self._text(clauses, "prompt"))

    def take_action_from(self, meta: Tree, items: Items) -> nodes.TakeAction:
        menu, *rest = items
        clauses = self._clauses(rest, ("by", "prompt"))
        name = nodes.Name(self._span(menu), str(menu))
        return nodes.TakeAction(self._span(meta), (), clauses.get("by"), self._text(clauses, "prompt"), name)

    def offer(self, meta: Tree, items: Items) -> nodes.Offer:
        name, cards = items
        return nodes.Offer(self._span(meta), str(name), self._span(name), cards)

    def use_action(self, meta: Tree, items: Items) -> nodes.UseAction:
        name, card, *rest = items
        clauses = self._clauses(rest, ("by", "prompt"))
        prompt = self._text(clauses, "prompt")
        return nodes.UseAction(self._span(meta), str(name), self._span(name), card, clauses.get("by"), prompt)

    def roll(self, meta: Tree, items: Items) -> nodes.Random:
        return nodes.Random(self._span(meta), "dice", items[0], None, ())

    def pick(self, meta: Tree, items: Items) -> nodes.Random:
        return nodes.Random(self._span(meta), "picks", items[0], None, ())

    def random_block(self, meta: Tree, items: Items) -> nodes.Random:
        head, body, *otherwise = items
        assert isinstance(head, nodes.Random)
        return replace(head, span=self._span(meta), body=body, otherwise=otherwise[0] if otherwise else ())

    # ------------------------------------------------------------ other statements

    def do(self, meta: Tree, items: Items) -> nodes.Stmt:
        value = items[0]
        if isinstance(value, nodes.Call):
            return nodes.Do(self._span(meta), value)
        name = value.name if isinstance(value, nodes.Name | nodes.Member) else None
        self._diagnostics.add(
            codes.NOT_A_STATEMENT,
            "this is a value, and nothing happens with it",
            self._span(meta),
            hint=f"an effect is called with parentheses: `{name}()`" if name else "statements begin with a verb",
        )
        return nodes.Stop(self._span(meta))

    def announce(self, meta: Tree, items: Items) -> nodes.Announce:
        return nodes.Announce(self._span(meta), *items)

    def end_game(self, meta: Tree, items: Items) -> nodes.EndGame:
        chart, players, reason = items
        named = None if chart is None else nodes.Name(self._span(chart), str(chart))
        return nodes.EndGame(self._span(meta), reason, named, players)

    # ------------------------------------------------------------ windows and spans

    def open(self, meta: Tree, items: Items) -> nodes.Open:
        call = items[0]
        if not isinstance(call, nodes.Call) or not isinstance(call.callee, nodes.Name):
            if not isinstance(call, nodes.Name):
                hint = "a window is opened by its name: `open name(arguments): …`"
                self._diagnostics.add(codes.UNEXPECTED_WORD, "this is not the name of a window", call.span, hint)
            name = call if isinstance(call, nodes.Name) else nodes.Name(call.span, "")
            call = nodes.Call(call.span, name, ())
        return nodes.Open(self._span(meta), call, None, ())

    def open_block(self, meta: Tree, items: Items) -> nodes.Open:
        head, body, *otherwise = items
        assert isinstance(head, nodes.Open)
        return replace(head, span=self._span(meta), body=body, otherwise=otherwise[0] if otherwise else ())

    def cancel(self, meta: Tree, items: Items) -> nodes.Cancel:
        return nodes.Cancel(self._span(meta))

    def begin(self, meta: Tree, items: Items) -> nodes.Begin:
        return nodes.Begin(self._span(meta), items[0])
