"""Choices of people: `choose`, `order`, `may`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from .. import core
from ..core.bounds import Bounds
from ..core.origin import CHOICES, UNSEEN, Origin
from ..effect import nodes
from ..language.builtins import RUNTIME
from ..language.intervals import ANY, Interval
from ..language.types import BOOL, INT, INT_MAX, PLAYER, TEXT, ComponentType, ListType, NothingType, Type
from ..text import codes
from ..text.records import dataclass
from ..text.source import Span
from ..text.spelling import humanised
from .lists import item_condition
from .names import PoolSymbol, TableSymbol
from .routine import Routine, Stmts, is_faulty
from .templates import text_template, words
from .values import expect, item_type, list_value, written_condition

#: Stands for "all there are" where a number is asked for: more than any list is long.
ALL_OF_THEM = 2**31 - 1
_MADE = Origin(CHOICES, part="some with a block")
_DRAWN = Origin(CHOICES, part=UNSEEN)


@dataclass(frozen=True)
class Clauses:
    """What every choice has: who picks, and the question."""

    chooser: core.Expr
    prompt: core.TextTemplate


def choose(r: Routine, node: nodes.Choose) -> list[core.Stmt]:
    """One option of all that the variables allow."""
    default = "Choose " + " and ".join(humanised(v.name) for v in node.vars)
    clauses = common_clauses(r, node.by, node.prompt, default, node.span)
    unseen: list[Unseen] = []
    if node.body is None:
        vars = choice_vars(r, node.vars)
        demand_option(r, vars)
        label = None if node.label is None else text_template(r, node.label)
        return [ask(r, node.span, clauses, [core.Alternative(None, label, (), vars, (), node.span)], ())]
    with r.frame(), r.narrowing():
        vars = choice_vars(r, node.vars, unseen)
        label = None if node.label is None else text_template(r, node.label)
        body = drawn(r, unseen, partial(r.block, node.body))
    otherwise = r.block(node.otherwise)
    return [ask(r, node.span, clauses, [core.Alternative(None, label, (), vars, body, node.span)], otherwise)]


def choose_some(r: Routine, node: nodes.ChooseSome) -> list[core.Stmt]:
    """Several items of a list, or all of them in an order."""
    if node.body is None:
        return [ask_some(r, node)]
    with r.frame(), r.narrowing():
        asked = ask_some(r, node)
        body = r.block(node.body)
    return _with_block(r, asked, body, r.block(node.otherwise))


def ask_some(r: Routine, node: nodes.ChooseSome) -> core.AskMany:
    """Such a choice without the blocks that may follow."""
    var = node.var
    if var.unseen:
        _misplaced(r, var)
    default = f"{'Order' if node.ordered else 'Choose'} {humanised(var.name)}"
    clauses = common_clauses(r, node.by, node.prompt, default, node.span)
    source = list_value(r, var.domain)
    low = _bound(r, node.low, ALL_OF_THEM if node.ordered else 0, node.span)
    high = _bound(r, node.high, ALL_OF_THEM, node.span)
    with r.frame(), r.narrowing():
        item_slot = r.bind(var.name, item_type(source), var.name_span, exempt=True)
        r.known.sources[item_slot] = source
        condition = item_condition(r, var.condition, item_slot, item_type(source))
        label = None if node.label is None else text_template(r, node.label)
    slot = _bind_some(r, var, item_type(source))
    asked = core.AskMany(
        node.span,
        r.notes.site(),
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
    r.notes.choices.append((r.known, asked))
    return asked


def _with_block(r: Routine, asked: core.AskMany, body: Stmts, otherwise: Stmts) -> list[core.Stmt]:
    """A choice of several, and what is done with them; the other block, where not one could be picked."""
    span = asked.span
    some = core.Local(BOOL, span, r.locals.slot(), "some")
    noted = core.Let(span, some.slot, some.name, can_pick(asked), origin=_MADE)
    return [noted, asked, core.If(span, ((some, body),), otherwise, origin=_MADE)]


def can_pick(asked: core.AskMany) -> core.Expr:
    """Whether there is something to pick in a choice of several."""
    span, found = asked.span, asked.source
    if asked.condition is not None:
        found = core.Filter(found.type, span, asked.item_slot, found, asked.condition)
    zero, number = core.Const(INT, span, 0), core.CallBuiltin(INT, span, "count", (found,))
    return core.Binary(BOOL, span, ">", core.CallBuiltin(INT, span, "smaller", (number, asked.high)), zero)


def _bind_some(r: Routine, var: nodes.ChoiceVar, item: Type) -> int:
    """The name of the picked list; what it hides was reported with its candidate."""
    return r.bind_quietly(var.name, ListType(item), var.name_span, exempt=False)


def _bound(r: Routine, node: nodes.Expr | None, default: int, span: Span) -> core.Expr:
    return core.Const(INT, span, default) if node is None else expect(r, node, INT, "as a number of items")


def choose_option(r: Routine, node: nodes.ChooseOption) -> list[core.Stmt]:
    """One of some named alternatives, each with a condition, variables and a block."""
    clauses = common_clauses(r, node.by, node.prompt, "Choose", node.span)
    seen: dict[str, Span] = {}
    alternatives = []
    for option in node.options:
        if option.name in seen:
            r.error(
                codes.NAME_TAKEN,
                f"this choice already has an option `{option.name}`",
                option.name_span,
                "give it another name",
                [(seen[option.name], "first here")],
            )
        seen.setdefault(option.name, option.name_span)
        with r.frame(), r.narrowing():
            conditions = written_conditions(r, [] if option.condition is None else [option.condition])
            unseen: list[Unseen] = []
            vars = choice_vars(r, option.vars, unseen)
            written = None if option.label is None else text_template(r, option.label)
            label = option_label(option.name, written, vars, option.name_span)
            body = drawn(r, unseen, partial(r.block, option.body))
        alternatives.append(core.Alternative(option.name, label, conditions, vars, body, option.span))
    return [ask(r, node.span, clauses, alternatives, ())]


def may(r: Routine, node: nodes.May) -> list[core.Stmt]:
    """Yes or no."""
    clauses = common_clauses(r, node.by, node.prompt, "", node.span)
    span = node.span
    yes = core.Alternative("yes", words("Yes", span), (), (), r.block(node.body), span)
    no = core.Alternative("no", words("No", span), (), (), r.block(node.otherwise), span)
    return [ask(r, span, clauses, [yes, no], ())]


def ask(
    r: Routine, span: Span, clauses: Clauses, alternatives: Sequence[core.Alternative], otherwise: Stmts
) -> core.Ask:
    """A choice with a number of its own, noted for the lints."""
    made = core.Ask(span, r.notes.site(), clauses.chooser, clauses.prompt, tuple(alternatives), otherwise)
    r.notes.choices.append((r.known, made))
    return made


def choosing_player(r: Routine, by: nodes.Expr | None, span: Span) -> core.Expr:
    """Who chooses: the player behind `by`, or `me`."""
    if by is not None:
        return expect(r, by, PLAYER, "after `by`")
    hint = "say who chooses: `by player`, or put it inside of `each player:`"
    return r.actor(span, "a choice needs a player", hint)


def common_clauses(
    r: Routine, by: nodes.Expr | None, prompt: nodes.TextLit | None, default: str, span: Span
) -> Clauses:
    chooser = choosing_player(r, by, span)
    return Clauses(chooser, text_template(r, prompt) if prompt is not None else words(default, span))


@dataclass(frozen=True)
class Unseen:
    """A card that is chosen unseen: what the author calls it, and among which."""

    var: nodes.ChoiceVar
    cards: core.Expr


def _unseen(r: Routine, var: nodes.ChoiceVar) -> tuple[core.ChoiceVar, Unseen]:
    """A card by its number, in an order that nobody knows, and the cards."""
    cards = list_value(r, var.domain)
    with r.frame(), r.narrowing():
        item = r.bind(var.name, item_type(cards), var.name_span, exempt=True)
        condition = item_condition(r, var.condition, item, item_type(cards))
    if not isinstance(item_type(cards), ComponentType | NothingType):
        message = "only cards can be chosen unseen: other values are the same wherever they are"
        r.error(codes.UNSEEN_CARDS, message, var.domain.span, "leave `unseen` out")
    if condition is not None:
        cards = core.Filter(cards.type, var.span, item, cards, condition)
    span = var.span
    numbers = core.Range(ListType(INT), span, core.Const(INT, span, 1), core.CallBuiltin(INT, span, "count", (cards,)))
    return core.ChoiceVar(r.locals.slot(), var.name, numbers, None, False, span), Unseen(var, cards)


def drawn(r: Routine, unseen: Sequence[Unseen], block: Callable[[], Stmts]) -> Stmts:
    """A block for cards that were chosen unseen. Which one has a number is left to chance: nobody can tell."""
    names = [(one, r.bind(one.var.name, item_type(one.cards), one.var.name_span)) for one in unseen]
    body = block()
    stream = "setup" if r.setup else "picks"
    for one, slot in reversed(names):
        pick = core.Random(one.var.span, slot, one.var.name, one.cards, None, stream, body, (), True, origin=_DRAWN)
        body = (pick,)
    return body


def choice_vars(
    r: Routine, vars: Sequence[nodes.ChoiceVar], unseen: list[Unseen] | None = None
) -> tuple[core.ChoiceVar, ...]:
    """The variables of a choice, bound in the current frame; later domains may read earlier ones. ``unseen``: where
    cards can be chosen that are not seen, takes them."""
    found: list[core.ChoiceVar] = []
    for var in vars:
        if var.unseen and unseen is not None:
            number, card = _unseen(r, var)
            found.append(number)
            unseen.append(card)
            continue
        if var.unseen:
            _misplaced(r, var)
        domain = list_value(r, var.domain)
        slot = r.bind(var.name, item_type(domain), var.name_span)
        r.known.sources[slot] = domain
        condition = item_condition(r, var.condition, slot, item_type(domain))
        found.append(core.ChoiceVar(slot, var.name, domain, condition, var.secret, var.span))
    return tuple(found)


def _misplaced(r: Routine, var: nodes.ChoiceVar) -> None:
    message = "a card is chosen unseen by `choose` with a block, one at a time"
    r.error(codes.WRONG_CLAUSE, message, var.span, f"write `choose unseen {var.name} in list: …`")


def demand_option(r: Routine, vars: Sequence[core.ChoiceVar]) -> None:
    """A choice whose names live on must always have an option."""
    for var in vars:
        if var.condition is not None or not _never_empty(r, var.domain):
            why = "its condition may leave none" if var.condition is not None else "its list may be empty"
            r.report.add(
                codes.MAY_BE_EMPTY,
                f"there may be no `{var.name}` to choose: {why}",
                var.span,
                "give the choice a block, which is skipped when there is no option: end it with `:`",
            )


@dataclass(frozen=True, eq=False)
class _DeclaredBounds(Bounds):
    """What numbers can be, as far as declarations and the locals of a text tell."""

    r: Routine

    def local(self, e: core.Local) -> Interval:
        given = self.r.known.values.get(e.slot)
        return ANY if given is None else self.interval(given)

    def held(self, place: str, indices: tuple[core.Expr, ...]) -> Interval:
        return self.total(place)

    def total(self, pool: str) -> Interval:
        symbol = self.r.names.symbols.get(pool)
        is_never_negative = isinstance(symbol, PoolSymbol) and not symbol.unlimited
        return (0, INT_MAX) if is_never_negative else ANY


def _never_empty(r: Routine, expr: core.Expr) -> bool:
    """Whether a list is sure to have an item."""
    match expr:
        case core.Players():
            return True
        case core.Const(value=tuple() as items):
            return bool(items)
        case core.ListLit(items=items):
            return bool(items)
        case core.Range(low=low, high=high):
            bounds = _DeclaredBounds(r)
            return bounds.interval(low)[1] <= bounds.interval(high)[0]
        case core.Binary(op=("union" | "join"), left=left, right=right):
            return _never_empty(r, left) or _never_empty(r, right)
        case core.IfExpr(then=then, otherwise=otherwise):
            return _never_empty(r, then) and _never_empty(r, otherwise)
        case core.CallBuiltin(name=name, args=(inner, *_)):
            function = RUNTIME[name]
            return function.gives_seats or (function.keeps_some and _never_empty(r, inner))
        case core.Extreme(source=source) | core.Distinct(source=source):
            return _never_empty(r, source)
        case core.MapList(source=source, condition=None):
            return _never_empty(r, source)
        case core.TableRead(table=name):
            table = r.names.symbols.get(name)  # what is asked of a board has no symbol
            return isinstance(table, TableSymbol) and table.never_empty
    return is_faulty(expr)


def written_conditions(r: Routine, nodes: Sequence[nodes.Expr]) -> tuple[core.Expr, ...]:
    """Conditions that hold one after the other, so that the later ones may rely on the earlier."""
    found = []
    for node in nodes:
        condition = written_condition(r, node)
        r.assume(condition, True)
        found.append(condition)
    return tuple(found)


def option_label(
    name: str, label: core.TextTemplate | None, vars: Sequence[core.ChoiceVar], span: Span
) -> core.TextTemplate:
    """The written label of a named alternative, or its name and the values of its variables."""
    if label is not None:
        return label
    parts: list[str | core.Expr] = [humanised(name).capitalize()]
    for var in vars:
        parts += [" ", core.Local(item_type(var.domain), var.span, var.slot, var.name)]
    return core.TextTemplate(TEXT, span, tuple(parts))
