"""Choices and chance: `choose`, `order`, `may`, `take action`, `roll`, `pick`. A part of the checker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import codes, core, model, nodes
from .checker_expressions import Expressions
from .checker_routine import ALL_OF_THEM, KindAction, article, is_faulty
from .diagnostics import did_you_mean
from .parser import parse_block, parse_choice_vars, parse_expression, parse_template
from .scope import ActionSymbol, BrokenSymbol, LocalName, TableSymbol
from .source import Span
from .types import BOOL, INT, PLAYER, TEXT, ComponentType, ListType, OptionalType, Type

Stmts = tuple[core.Stmt, ...]


@dataclass(frozen=True)
class _Clauses:
    """What every choice has: who picks, and the question."""

    chooser: core.Expr
    prompt: core.TextTemplate


class Choices(Expressions):
    """Turns the statements that stop for a person or for chance into core."""

    def block(self, block: nodes.Block) -> Stmts:
        """The statements of a block, with a frame of locals of their own."""
        raise NotImplementedError

    # ------------------------------------------------------------ what choices share

    def _chooser(self, by: nodes.Expr | None, span: Span) -> core.Expr:
        if by is not None:
            return self.expect(by, PLAYER, "after `by`")
        hint = "say who chooses: `by player`, or put it inside of `each player:`"
        return self.actor(span, "a choice needs a player", hint)

    def _clauses(self, by: nodes.Expr | None, prompt: nodes.TextLit | None, default: str, span: Span) -> _Clauses:
        chooser = self._chooser(by, span)
        return _Clauses(chooser, self.template(prompt) if prompt is not None else words(default, span))

    def choice_vars(self, vars: Sequence[nodes.ChoiceVar]) -> tuple[core.ChoiceVar, ...]:
        """The variables of a choice, bound in the current frame; later domains may read earlier ones."""
        found: list[core.ChoiceVar] = []
        for var in vars:
            domain = self.list_value(var.domain)
            slot = self.bind(var.name, self.item_type(domain), var.name_span)
            condition = self.item_condition(var.condition, slot, self.item_type(domain))
            found.append(core.ChoiceVar(slot, var.name, domain, condition, var.secret, var.span))
        return tuple(found)

    def _demand_option(self, vars: Sequence[core.ChoiceVar]) -> None:
        """A choice whose names live on must always have an option."""
        for var in vars:
            if var.condition is not None or not self._never_empty(var.domain):
                why = "its condition may leave none" if var.condition is not None else "its list may be empty"
                self.context.diagnostics.add(
                    codes.MAY_BE_EMPTY,
                    f"there may be no `{var.name}` to choose: {why}",
                    var.span,
                    "give the choice a block, which is skipped when there is no option: end it with `:`",
                )

    def _never_empty(self, expr: core.Expr) -> bool:
        """Whether a list is sure to have an item."""
        match expr:
            case core.Players():
                return True
            case core.Const(value=tuple() as items):
                return bool(items)
            case core.ListLit(items=items):
                return bool(items)
            case core.Range(low=core.Const(value=int() as low), high=core.Const(value=int() as high)):
                return low <= high
            case core.Binary(op=("union" | "join"), left=left, right=right):
                return self._never_empty(left) or self._never_empty(right)
            case core.IfExpr(then=then, otherwise=otherwise):
                return self._never_empty(then) and self._never_empty(otherwise)
            case core.CallBuiltin(name=("clockwise_from" | "anticlockwise_from")):
                return True
            case core.CallBuiltin(name=("reverse" | "unique"), args=(inner,)):
                return self._never_empty(inner)
            case core.Extreme(source=source) | core.MapList(source=source, condition=None):
                return self._never_empty(source)
            case core.TableRead(table=name):
                table = self.scope.symbols[name]
                return isinstance(table, TableSymbol) and table.never_empty
        return is_faulty(expr)

    # ------------------------------------------------------------ choose

    def _Choose(self, node: nodes.Choose) -> list[core.Stmt]:
        default = "Choose " + " and ".join(humanised(v.name) for v in node.vars)
        clauses = self._clauses(node.by, node.prompt, default, node.span)
        if node.body is None:
            vars = self.choice_vars(node.vars)
            self._demand_option(vars)
            label = None if node.label is None else self.template(node.label)
            return [self._ask(node.span, clauses, [core.Alternative(None, label, (), vars, (), node.span)], ())]
        with self.frame(), self.narrowing():
            vars = self.choice_vars(node.vars)
            label = None if node.label is None else self.template(node.label)
            body = self.block(node.body)
        otherwise = self.block(node.otherwise)
        return [self._ask(node.span, clauses, [core.Alternative(None, label, (), vars, body, node.span)], otherwise)]

    def _ask(
        self, span: Span, clauses: _Clauses, alternatives: Sequence[core.Alternative], otherwise: Stmts
    ) -> core.Ask:
        return core.Ask(span, self.context.site(), clauses.chooser, clauses.prompt, tuple(alternatives), otherwise)

    def _ChooseSome(self, node: nodes.ChooseSome) -> list[core.Stmt]:
        var = node.var
        default = f"{'Order' if node.ordered else 'Choose'} {humanised(var.name)}"
        clauses = self._clauses(node.by, node.prompt, default, node.span)
        source = self.list_value(var.domain)
        low = self._bound(node.low, ALL_OF_THEM if node.ordered else 0, node.span)
        high = self._bound(node.high, ALL_OF_THEM, node.span)
        with self.frame(), self.narrowing():
            item_slot = self.bind(var.name, self.item_type(source), var.name_span, exempt=True)
            condition = self.item_condition(var.condition, item_slot, self.item_type(source))
        slot = self.bind_some(var, self.item_type(source))
        return [
            core.AskMany(
                node.span,
                self.context.site(),
                clauses.chooser,
                clauses.prompt,
                slot,
                var.name,
                source,
                condition,
                low,
                high,
                node.ordered,
                var.secret,
                item_slot,
            )
        ]

    def bind_some(self, var: nodes.ChoiceVar, item: Type) -> int:
        """The name of the picked list; what it hides was reported with its candidate."""
        return self.bind_quietly(var.name, ListType(item), var.name_span, exempt=False)

    def _bound(self, node: nodes.Expr | None, default: int, span: Span) -> core.Expr:
        return core.Const(INT, span, default) if node is None else self.expect(node, INT, "as a number of items")

    def _ChooseOption(self, node: nodes.ChooseOption) -> list[core.Stmt]:
        clauses = self._clauses(node.by, node.prompt, "Choose", node.span)
        seen: dict[str, Span] = {}
        alternatives = []
        for option in node.options:
            if option.name in seen:
                self.error(
                    codes.NAME_TAKEN,
                    f"this choice already has an option `{option.name}`",
                    option.name_span,
                    "give it another name",
                    [(seen[option.name], "first here")],
                )
            seen.setdefault(option.name, option.name_span)
            with self.frame(), self.narrowing():
                conditions = self._conditions([] if option.condition is None else [option.condition])
                vars = self.choice_vars(option.vars)
                written = None if option.label is None else self.template(option.label)
                label = self._label(option.name, written, vars, option.name_span)
                body = self.block(option.body)
            alternatives.append(core.Alternative(option.name, label, conditions, vars, body, option.span))
        return [self._ask(node.span, clauses, alternatives, ())]

    def _conditions(self, nodes: Sequence[nodes.Expr]) -> tuple[core.Expr, ...]:
        found = []
        for node in nodes:
            condition = self.expect(node, BOOL, "as a condition")
            self.assume(condition, True)
            found.append(condition)
        return tuple(found)

    def _label(
        self, name: str, label: core.TextTemplate | None, vars: Sequence[core.ChoiceVar], span: Span
    ) -> core.TextTemplate:
        """The written label of a named alternative, or its name and the values of its variables."""
        if label is not None:
            return label
        parts: list[str | core.Expr] = [humanised(name).capitalize()]
        for var in vars:
            parts += [" ", core.Local(self.item_type(var.domain), var.span, var.slot, var.name)]
        return core.TextTemplate(TEXT, span, tuple(parts))

    def _May(self, node: nodes.May) -> list[core.Stmt]:
        clauses = self._clauses(node.by, node.prompt, "", node.span)
        span = node.span
        yes = core.Alternative("yes", words("Yes", span), (), (), self.block(node.body), span)
        no = core.Alternative("no", words("No", span), (), (), self.block(node.otherwise), span)
        return [self._ask(span, clauses, [yes, no], ())]

    # ------------------------------------------------------------ actions

    def _TakeAction(self, node: nodes.TakeAction) -> list[core.Stmt]:
        before, clauses, me = self._taker(node)
        alternatives: list[core.Alternative] = []
        for offer in node.offers:
            if offer.cards is None:
                alternative = self._action(nodes.Name(offer.name_span, offer.name), me)
                alternatives += [] if alternative is None else [alternative]
                continue
            cards = self.list_value(offer.cards)
            ability = self.ability(self.item_type(cards), offer.name, offer.name_span, cards.span)
            if ability is not None and not is_faulty(cards):
                found, slot = self.locals.slot(), me
                before.append(core.Let(offer.span, found, "cards", cards))
                local = core.Local(cards.type, offer.span, found, "cards")
                alternatives += self._card_actions(ability, local, slot, offer.name_span)
        return [*before, self._ask(node.span, clauses, alternatives, ())]

    def _taker(self, node: nodes.TakeAction | nodes.UseAction) -> tuple[list[core.Stmt], _Clauses, int]:
        """Who takes an action, and the slot in which that player is `me`; with what must be done before."""
        before: list[core.Stmt] = []
        player = self._chooser(node.by, node.span)
        prompt = self.template(node.prompt) if node.prompt is not None else words("Choose an action", node.span)
        if node.by is not None:
            slot = self.locals.slot()
            before = [core.Let(node.span, slot, "me", player)]
        else:
            slot = player.slot if isinstance(player, core.Local) else self.locals.slot()
        return before, _Clauses(core.Local(PLAYER, player.span, slot, "me"), prompt), slot

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
        alternatives = self._card_actions(ability, local, me, node.action_span)
        return [*before, self._ask(node.span, clauses, alternatives, ())] if alternatives else []

    # ------------------------------------------------------------ actions of cards

    def _card_actions(self, ability: KindAction, cards: core.Local, me: int, span: Span) -> list[core.Alternative]:
        """One alternative for each card that has the action, laid into the routine that offers it."""
        owner = f"action {ability.name}"
        self.context.graph.call(self.owner, owner, span)
        if owner in self.laid_in:
            return []
        found: list[core.Alternative] = []
        self.laid_in.append(owner)
        outer, self.owner = self.owner, owner
        for original, action in ability.cards:
            with self.out_of_sight(), self.narrowing():
                self.locals.bind(LocalName("me", me, PLAYER, span, "player", exempt=True))
                found.append(self._lay_in_card(ability, action, original, cards))
        self.laid_in.pop()
        self.owner = outer
        return found

    def _lay_in_card(
        self, ability: KindAction, action: model.ActionDecl, original: int, cards: core.Local
    ) -> core.Alternative:
        kind, name, span = ComponentType(ability.kind), ability.decl.name.text, action.name.span
        diagnostics = self.context.diagnostics
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
            text = self._label(name, None if parsed is None else self.template(parsed), (), span)
            if parsed is None:
                shown: list[str | core.Expr] = [" ", core.Local(kind, span, this, "this")]
                for var in vars:
                    shown += [" ", core.Local(self.item_type(var.domain), var.span, var.slot, var.name)]
                text = core.TextTemplate(TEXT, span, (*text.parts, *shown))
            first = self.block(() if ability.decl.first is None else parse_block(ability.decl.first, diagnostics) or ())
            body = self.block(parse_block(action.do, diagnostics) or ())
        card = core.ChoiceVar(this, "card", copies, condition, False, span)
        return core.Alternative(name, text, (), (card, *vars), first + body, span, original)

    def _card_conditions(self, ability: KindAction, action: model.ActionDecl) -> tuple[core.Expr, ...]:
        texts = (*ability.decl.conditions, *action.conditions)
        parsed = [c for text in texts if (c := parse_expression(text, self.context.diagnostics)) is not None]
        return self._conditions(parsed)

    def _all_hold(self, conditions: Sequence[core.Expr]) -> core.Expr | None:
        found: core.Expr | None = None
        for condition in conditions:
            found = condition if found is None else core.Binary(BOOL, condition.span, "and", found, condition)
        return found

    def has_option(self, ability: KindAction, action: model.ActionDecl) -> core.Expr:
        """Whether the action of the card `this` has an option now, with `me` and `this` in sight."""
        conditions = self._card_conditions(ability, action)
        written = parse_choice_vars(action.choose, self.context.diagnostics) if action.choose is not None else ()
        vars = self.choice_vars(written or ())
        for var in written or ():
            local = self.locals.find(var.name)
            assert local is not None
            local.used = True
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

    def _action(self, name: nodes.Name, me: int) -> core.Alternative | None:
        """A declared action, laid into the routine that offers it."""
        symbol = self.scope.symbols.get(name.name)
        if isinstance(symbol, BrokenSymbol):
            return None
        if not isinstance(symbol, ActionSymbol):
            of_cards = next((a for a in self.context.kind_actions.values() if a.decl.name.text == name.name), None)
            if of_cards is not None:
                self.scope.used.add(of_cards.name)
            hint = (
                f"it is an action of cards: write `{name.name} of` and a list of {article(f'`{of_cards.kind}`')}"
                if of_cards is not None
                else did_you_mean(name.name, self.scope.named(ActionSymbol)) or "declare it under `actions`"
            )
            self.error(codes.UNKNOWN_NAME, f"there is no action `{name.name}`", name.span, hint)
            return None
        self.use(symbol, name.span)
        self.context.taken_actions.add(name.name)
        owner = f"action {name.name}"
        self.context.graph.call(self.owner, owner, name.span)
        if owner in self.laid_in:
            return None
        self.laid_in.append(owner)
        outer, self.owner = self.owner, owner
        try:
            with self.out_of_sight(), self.narrowing():
                self.locals.bind(LocalName("me", me, PLAYER, name.span, "player", exempt=True))
                return self._lay_in(name.name)
        finally:
            self.laid_in.pop()
            self.owner = outer

    def check_action(self, name: str, span: Span) -> None:
        """Checks an action that nobody offers."""
        me = self.bind_me(span)
        self._action(nodes.Name(span, name), me)

    def _lay_in(self, name: str) -> core.Alternative:
        decl = self.context.actions[name]
        diagnostics = self.context.diagnostics
        parsed = [c for text in decl.conditions if (c := parse_expression(text, diagnostics)) is not None]
        conditions = self._conditions(parsed)
        written = parse_choice_vars(decl.choose, diagnostics) if decl.choose is not None else ()
        with self.frame():
            vars = self.choice_vars(written or ())
            label = parse_template(decl.label, diagnostics) if decl.label is not None else None
            text = self._label(name, None if label is None else self.template(label), vars, decl.name.span)
            body = self.block(parse_block(decl.do, diagnostics) or ())
        return core.Alternative(name, text, conditions, vars, body, decl.name.span)

    # ------------------------------------------------------------ chance

    def _Random(self, node: nodes.Random) -> list[core.Stmt]:
        stream = "setup" if self.setup else node.stream
        if node.body is None:
            (var,) = self.choice_vars((node.var,))
            self._demand_option((var,))
            return [self._random(node.span, var, stream, (), ())]
        with self.frame(), self.narrowing():
            (var,) = self.choice_vars((node.var,))
            body = self.block(node.body)
        return [self._random(node.span, var, stream, body, self.block(node.otherwise))]

    def _random(self, span: Span, var: core.ChoiceVar, stream: str, body: Stmts, otherwise: Stmts) -> core.Random:
        return core.Random(span, var.slot, var.name, var.domain, var.condition, stream, body, otherwise, var.secret)


def words(text: str, span: Span) -> core.TextTemplate:
    """A text without values."""
    return core.TextTemplate(TEXT, span, (text,))


def humanised(name: str) -> str:
    """A name as people read it: ``start_player`` is ``start player``."""
    return name.replace("_", " ").replace("-", " ").strip()
