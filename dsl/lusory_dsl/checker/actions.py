"""Actions: `take action`, `use`, their costs, and the windows in which they are answers. A part of the checker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce

from .. import core
from ..effect import nodes
from ..effect.parser import parse_block, parse_choice_vars, parse_expression, parse_template
from ..language.types import BOOL, PLAYER, TEXT, ComponentType, ListType, OptionalType
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.source import Embedded, Span
from ..text.spelling import article
from .choices import Clauses, Stmts, words
from .costs import demands
from .locals import LocalName
from .names import ActionSymbol, BrokenSymbol, KindAction, WindowSymbol
from .routine import CANCELLED, hidden, is_faulty
from .split import Splits


@dataclass(frozen=True)
class Laid:
    """An action that is laid into a routine: the alternative with what it does, and its cost, which comes first."""

    alternative: core.Alternative
    cost: Stmts


class Actions(Splits):
    """Lays actions into the routines that offer them."""

    def _TakeAction(self, node: nodes.TakeAction) -> list[core.Stmt]:
        before, clauses, me = self._taker(node)
        alternatives: list[core.Alternative] = []
        for offer in node.offers:
            first, laid = self.offered(offer, me)
            before += first
            alternatives += map(_with_cost, laid)
        return [*before, self.ask(node.span, clauses, alternatives, ())]

    def offered(self, offer: nodes.Offer, me: int, window: str | None = None) -> tuple[list[core.Stmt], list[Laid]]:
        """What one part of a `take action`, or one line of a window, offers to the player in the slot ``me``, and what
        is done before."""
        if offer.cards is None:
            laid = self._action(nodes.Name(offer.name_span, offer.name), me)
            return [], [] if laid is None else [laid]
        cards = self.list_value(offer.cards)
        ability = self.ability(self.item_type(cards), offer.name, offer.name_span, cards.span)
        if ability is None or is_faulty(cards):
            return [], []
        if window is not None:
            self.notes.answers.setdefault(ability.name, (window, offer.name_span))
        local = core.Local(cards.type, offer.span, self.locals.slot(), "cards")
        return [core.Let(offer.span, local.slot, "cards", cards)], self._card_actions(
            ability, local, me, offer.name_span
        )

    def _taker(self, node: nodes.TakeAction | nodes.UseAction) -> tuple[list[core.Stmt], Clauses, int]:
        """Who takes an action, and the slot in which that player is `me`; with what must be done before."""
        before: list[core.Stmt] = []
        player = self.chooser(node.by, node.span)
        prompt = self.template(node.prompt) if node.prompt is not None else words("Choose an action", node.span)
        if node.by is not None:
            slot = self.locals.slot()
            before = [core.Let(node.span, slot, "me", player)]
        else:
            slot = player.slot if isinstance(player, core.Local) else self.locals.slot()
        return before, Clauses(core.Local(PLAYER, player.span, slot, "me"), prompt), slot

    def _UseAction(self, node: nodes.UseAction) -> list[core.Stmt]:
        before, clauses, me = self._taker(node)
        card = self.expression(node.card)
        if isinstance(card.type, OptionalType):
            card = self.fit(card, card.type.item, "after `of`")
        ability = self.ability(card.type, node.action, node.action_span, card.span)
        if ability is None or is_faulty(card):
            return []
        slot = self.locals.slot()
        cards = ListType(card.type)
        before.append(core.Let(node.span, slot, "cards", core.ListLit(cards, card.span, (card,))))
        local = core.Local(cards, card.span, slot, "cards")
        alternatives = [_with_cost(laid) for laid in self._card_actions(ability, local, me, node.action_span)]
        return [*before, self.ask(node.span, clauses, alternatives, ())] if alternatives else []

    # ------------------------------------------------------------ actions of cards

    def _card_actions(self, ability: KindAction, cards: core.Local, me: int, span: Span) -> list[Laid]:
        """One alternative for each card that has the action, laid into the routine that offers it."""
        owner = f"action {ability.name}"
        self.notes.graph.call(self.owner, owner, span)
        if owner in self.laid_in or not self._is_answered_here(ability.name, ability.decl.name.text, span):
            return []
        found: list[Laid] = []
        self.laid_in.append(owner)
        outer, self.owner = self.owner, owner
        for original, action in ability.cards:
            with self.answering(me, span), self.narrowing():
                found.append(self._lay_in_card(ability, action, original, cards))
        self.laid_in.pop()
        self.owner = outer
        return found

    def _lay_in_card(self, ability: KindAction, action: model.ActionDecl, original: int, cards: core.Local) -> Laid:
        kind, name, span = ComponentType(ability.kind), ability.decl.name.text, action.name.span
        diagnostics = self.report
        this, it = self.bind_quietly("this", kind, span, "card"), self.locals.slot()
        printed = core.Field(kind, span, core.Local(kind, span, it, "it"), "original")
        is_copy = core.Binary(BOOL, span, "=", printed, core.Const(kind, span, original))
        copies = core.Filter(cards.type, span, it, cards, is_copy)
        condition = self._all_hold(self._card_conditions(ability, action))
        written = parse_choice_vars(action.choose, diagnostics) if action.choose is not None else ()
        with self.frame():
            vars = self.choice_vars(written or ())
            label = action.label or ability.decl.label
            parsed = parse_template(label, diagnostics) if label is not None else None
            text = self.option_label(name, None if parsed is None else self.template(parsed), (), span)
            if parsed is None:
                shown: list[str | core.Expr] = [" ", core.Local(kind, span, this, "this")]
                for var in vars:
                    shown += [" ", core.Local(self.item_type(var.domain), var.span, var.slot, var.name)]
                text = core.TextTemplate(TEXT, span, (*text.parts, *shown))
            cost = self._cost(ability.decl.cost, action.cost)
            body = self.block(parse_block(action.do, diagnostics) or ())
        card = core.ChoiceVar(this, "card", copies, condition, False, span)
        _, vars = self._payable(cost, (), (card, *vars))
        return Laid(core.Alternative(name, text, (), vars, body, span, original), cost)

    def _cost(self, *texts: Embedded | None) -> Stmts:
        """What is paid for an action, in order."""
        parsed = (parse_block(text, self.report) for text in texts if text is not None)
        return tuple(stmt for block in parsed for stmt in self.block(block or ()))

    def _card_conditions(self, ability: KindAction, action: model.ActionDecl) -> tuple[core.Expr, ...]:
        texts = (*ability.decl.conditions, *action.conditions)
        parsed = [c for text in texts if (c := parse_expression(text, self.report)) is not None]
        this, kind, span = self.locals.find("this"), ComponentType(ability.kind), action.name.span
        if ability.keyword and this is not None:
            has_it = self.is_not_blank(kind, core.Local(kind, span, this.slot, "this"), span)
            return (*(() if has_it is None else (has_it,)), *self.conditions(parsed))
        return self.conditions(parsed)

    def _all_hold(self, conditions: Sequence[core.Expr]) -> core.Expr | None:
        found: core.Expr | None = None
        for condition in conditions:
            found = condition if found is None else core.Binary(BOOL, condition.span, "and", found, condition)
        return found

    def has_option(self, ability: KindAction, action: model.ActionDecl) -> core.Expr:
        """Whether the action of the card `this` has an option now, with `me` and `this` in sight."""
        conditions = self._card_conditions(ability, action)
        written = parse_choice_vars(action.choose, self.report) if action.choose is not None else ()
        vars = self.choice_vars(written or ())
        for var in written or ():
            local = self.locals.find(var.name)
            assert local is not None
            local.used = True
        conditions, vars = self._payable(self._cost(ability.decl.cost, action.cost), conditions, vars)
        found: core.Expr = core.Const(BOOL, action.name.span, True)
        for chosen in reversed(vars):
            found = core.Fold(BOOL, chosen.span, "any", chosen.slot, chosen.domain, chosen.condition, found)
        whole = (*conditions, found) if vars or not conditions else conditions
        return self._all_hold(whole) or found

    def check_card_action(self, ability: KindAction) -> None:
        """Checks an action of cards that nobody offers."""
        span = ability.decl.name.span
        me = self.bind_me(span)
        type = ListType(ComponentType(ability.kind))
        self._card_actions(ability, core.Local(type, span, self.locals.slot(), "cards"), me, span)

    # ------------------------------------------------------------ actions of the ruleset

    def _action(self, name: nodes.Name, me: int) -> Laid | None:
        """A declared action, laid into the routine that offers it."""
        symbol = self.names.symbols.get(name.name)
        if isinstance(symbol, BrokenSymbol):
            return None
        if not isinstance(symbol, ActionSymbol):
            of_cards = next((a for a in self.names.kind_actions.values() if a.decl.name.text == name.name), None)
            if of_cards is not None:
                self.notes.used.add(of_cards.name)
            hint = (
                f"it is an action of cards: write `{name.name} of` and a list of {article(f'`{of_cards.kind}`')}"
                if of_cards is not None
                else did_you_mean(name.name, self.names.named(ActionSymbol)) or "declare it under `actions`"
            )
            self.error(codes.UNKNOWN_NAME, f"there is no action `{name.name}`", name.span, hint)
            return None
        self.use(symbol, name.span)
        self.notes.taken_actions.add(name.name)
        if not self._is_answered_here(name.name, name.name, name.span):
            return None
        owner = f"action {name.name}"
        self.notes.graph.call(self.owner, owner, name.span)
        if owner in self.laid_in:
            return None
        self.laid_in.append(owner)
        outer, self.owner = self.owner, owner
        try:
            with self.answering(me, name.span), self.narrowing():
                return self._lay_in(name.name)
        finally:
            self.laid_in.pop()
            self.owner = outer

    @contextmanager
    def answering(self, me: int, span: Span) -> Iterator[None]:
        """In sight are only the player who acts and, in a window, its parameters."""
        given = [] if self.window is None else self.locals.named(name for name, _ in self.window.params)
        with self.out_of_sight():
            for local in (*given, LocalName("me", me, PLAYER, span, "player", exempt=True)):
                self.locals.bind(local)
            yield

    def _is_answered_here(self, action: str, name: str, span: Span) -> bool:
        """An answer to a window is offered by that window alone; else a report."""
        window, listed = self.notes.answers.get(action, (None, span))
        if window is None or (self.window is not None and self.window.name == window):
            return True
        message = f"`{name}` answers the window `{window}`, which offers it when it opens"
        hint = f"write `open {window}(…)`, or take `{name}` out of its `actions`"
        self.error(codes.WRONG_ANSWER, message, span, hint, [(listed, "listed here")])
        return False

    def check_action(self, name: str, span: Span) -> None:
        """Checks an action that nobody offers."""
        me = self.bind_me(span)
        self._action(nodes.Name(span, name), me)

    def _lay_in(self, name: str) -> Laid:
        decl = self.names.actions[name]
        diagnostics = self.report
        parsed = [c for text in decl.conditions if (c := parse_expression(text, diagnostics)) is not None]
        conditions = self.conditions(parsed)
        written = parse_choice_vars(decl.choose, diagnostics) if decl.choose is not None else ()
        with self.frame():
            vars = self.choice_vars(written or ())
            label = parse_template(decl.label, diagnostics) if decl.label is not None else None
            text = self.option_label(name, None if label is None else self.template(label), vars, decl.name.span)
            cost = self._cost(decl.cost)
            body = self.block(parse_block(decl.do, diagnostics) or ())
        conditions, vars = self._payable(cost, conditions, vars)
        return Laid(core.Alternative(name, text, conditions, vars, body, decl.name.span), cost)

    @staticmethod
    def _payable(
        cost: Stmts, conditions: tuple[core.Expr, ...], vars: tuple[core.ChoiceVar, ...]
    ) -> tuple[tuple[core.Expr, ...], tuple[core.ChoiceVar, ...]]:
        """The conditions and variables of an action that is offered only where its cost can be paid."""
        needed = tuple(demands(cost))
        if not needed or not vars:
            return (*conditions, *needed), vars
        *before, last = vars
        found = [*([] if last.condition is None else [last.condition]), *needed]
        condition = reduce(lambda a, b: core.Binary(BOOL, b.span, "and", a, b), found)
        return conditions, (*before, replace(last, condition=condition))

    # ------------------------------------------------------------ windows

    def _Open(self, node: nodes.Open) -> list[core.Stmt]:
        callee = node.call.callee
        assert isinstance(callee, nodes.Name)
        opened = self._opened(callee, node.call)
        body, otherwise = self.block(node.body or ()), self.block(node.otherwise)
        if opened is None:
            return []
        if not body and not otherwise:
            return [opened]
        cancelled = core.ReadCell(BOOL, node.span, hidden(callee.name, CANCELLED), ())
        happens = core.Unary(BOOL, node.span, "not", cancelled)
        return [opened, core.If(node.span, ((happens, body),), otherwise)]

    def _opened(self, name: nodes.Name, call: nodes.Call) -> core.Stmt | None:
        """The opening of a window, or None after a report."""
        symbol = self.names.symbols.get(name.name)
        if not isinstance(symbol, WindowSymbol):
            for argument in call.args:
                self.operand(argument.value)
            if not isinstance(symbol, BrokenSymbol):
                hint = did_you_mean(name.name, self.names.named(WindowSymbol)) or "declare it under `windows`"
                notes = [(symbol.span, "declared here")] if symbol is not None else []
                what = f"`{name.name}` is {article(symbol.what)}" if symbol else f"there is no window `{name.name}`"
                code = codes.UNKNOWN_NAME if symbol is None else codes.VALUE_AS_STATEMENT
                self.error(code, f"{what}; only windows are opened" if symbol else what, name.span, hint, notes)
            return None
        owner = self.owner_of(symbol, None, name.span)
        values = self.arguments(symbol, symbol.params, call.args, call.span)
        self.use(symbol, name.span)
        self.notes.graph.call(self.owner, f"window {name.name}", name.span)
        return None if values is None else core.CallEffect(call.span, name.name, (*owner, *values))

    def _Cancel(self, node: nodes.Cancel) -> list[core.Stmt]:
        if self.window is None:
            hint = "it stands in the `do` of an action that a window lists under `actions`"
            self.error(codes.CANCEL_OUTSIDE_ANSWER, "there is nothing to cancel here", node.span, hint)
            return []
        yes = core.Const(BOOL, node.span, True)
        return [core.SetCell(node.span, hidden(self.window.name, CANCELLED), (), "set", yes)]


def _with_cost(laid: Laid) -> core.Alternative:
    """The alternative as a choice has it: the cost is paid before anything else."""
    return replace(laid.alternative, body=(*laid.cost, *laid.alternative.body))
