"""Choices and chance: `choose`, `order`, `may`, `roll`, `pick`. A part of the checker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import core
from ..effect import nodes
from ..language.types import INT, PLAYER, TEXT, ListType, Type
from ..text import codes
from ..text.source import Span
from ..text.spelling import humanised
from .expressions import Expressions
from .names import TableSymbol
from .routine import ALL_OF_THEM, is_faulty

Stmts = tuple[core.Stmt, ...]


@dataclass(frozen=True)
class Clauses:
    """What every choice has: who picks, and the question."""

    chooser: core.Expr
    prompt: core.TextTemplate


class Choices(Expressions):
    """Turns the statements that stop for a person or for chance into core."""

    def block(self, block: nodes.Block) -> Stmts:
        """The statements of a block, with a frame of locals of their own."""
        raise NotImplementedError

    # ------------------------------------------------------------ what choices share

    def chooser(self, by: nodes.Expr | None, span: Span) -> core.Expr:
        if by is not None:
            return self.expect(by, PLAYER, "after `by`")
        hint = "say who chooses: `by player`, or put it inside of `each player:`"
        return self.actor(span, "a choice needs a player", hint)

    def _clauses(self, by: nodes.Expr | None, prompt: nodes.TextLit | None, default: str, span: Span) -> Clauses:
        chooser = self.chooser(by, span)
        return Clauses(chooser, self.template(prompt) if prompt is not None else words(default, span))

    def choice_vars(self, vars: Sequence[nodes.ChoiceVar]) -> tuple[core.ChoiceVar, ...]:
        """The variables of a choice, bound in the current frame; later domains may read earlier ones."""
        found: list[core.ChoiceVar] = []
        for var in vars:
            domain = self.list_value(var.domain)
            slot = self.bind(var.name, self.item_type(domain), var.name_span)
            self.known.sources[slot] = domain
            condition = self.item_condition(var.condition, slot, self.item_type(domain))
            found.append(core.ChoiceVar(slot, var.name, domain, condition, var.secret, var.span))
        return tuple(found)

    def _demand_option(self, vars: Sequence[core.ChoiceVar]) -> None:
        """A choice whose names live on must always have an option."""
        for var in vars:
            if var.condition is not None or not self._never_empty(var.domain):
                why = "its condition may leave none" if var.condition is not None else "its list may be empty"
                self.report.add(
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
            case core.Extreme(source=source) | core.Distinct(source=source):
                return self._never_empty(source)
            case core.MapList(source=source, condition=None):
                return self._never_empty(source)
            case core.TableRead(table=name):
                table = self.names.symbols[name]
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
            return [self.ask(node.span, clauses, [core.Alternative(None, label, (), vars, (), node.span)], ())]
        with self.frame(), self.narrowing():
            vars = self.choice_vars(node.vars)
            label = None if node.label is None else self.template(node.label)
            body = self.block(node.body)
        otherwise = self.block(node.otherwise)
        return [self.ask(node.span, clauses, [core.Alternative(None, label, (), vars, body, node.span)], otherwise)]

    def ask(self, span: Span, clauses: Clauses, alternatives: Sequence[core.Alternative], otherwise: Stmts) -> core.Ask:
        made = core.Ask(span, self.notes.site(), clauses.chooser, clauses.prompt, tuple(alternatives), otherwise)
        self.notes.choices.append((self.known, made))
        return made

    def _ChooseSome(self, node: nodes.ChooseSome) -> list[core.Stmt]:
        var = node.var
        default = f"{'Order' if node.ordered else 'Choose'} {humanised(var.name)}"
        clauses = self._clauses(node.by, node.prompt, default, node.span)
        source = self.list_value(var.domain)
        low = self._bound(node.low, ALL_OF_THEM if node.ordered else 0, node.span)
        high = self._bound(node.high, ALL_OF_THEM, node.span)
        with self.frame(), self.narrowing():
            item_slot = self.bind(var.name, self.item_type(source), var.name_span, exempt=True)
            self.known.sources[item_slot] = source
            condition = self.item_condition(var.condition, item_slot, self.item_type(source))
            label = None if node.label is None else self.template(node.label)
        slot = self.bind_some(var, self.item_type(source))
        made = core.AskMany(
            node.span,
            self.notes.site(),
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
            label,
        )
        self.notes.choices.append((self.known, made))
        return [made]

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
                conditions = self.conditions([] if option.condition is None else [option.condition])
                vars = self.choice_vars(option.vars)
                written = None if option.label is None else self.template(option.label)
                label = self.option_label(option.name, written, vars, option.name_span)
                body = self.block(option.body)
            alternatives.append(core.Alternative(option.name, label, conditions, vars, body, option.span))
        return [self.ask(node.span, clauses, alternatives, ())]

    def conditions(self, nodes: Sequence[nodes.Expr]) -> tuple[core.Expr, ...]:
        found = []
        for node in nodes:
            condition = self.condition(node)
            self.assume(condition, True)
            found.append(condition)
        return tuple(found)

    def option_label(
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
        return [self.ask(span, clauses, [yes, no], ())]

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
        me = self.locals.find("me") if var.secret else None
        actor = None if me is None else core.Local(PLAYER, span, me.slot, "me")
        made = core.Random(
            span, var.slot, var.name, var.domain, var.condition, stream, body, otherwise, var.secret, actor
        )
        self.notes.choices.append((self.known, made))
        return made


def words(text: str, span: Span) -> core.TextTemplate:
    """A text without values."""
    return core.TextTemplate(TEXT, span, (text,))
