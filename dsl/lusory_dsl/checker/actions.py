"""Check actions and menus, and the statements that offer them.

An offered action is inlined into the routine that offers it, as an alternative of a choice. It is offered only if its
cost can be paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce

from .. import core
from ..core.provenance import ACTIONS, COSTS, Origin
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import about_name, did_you_mean
from ..source.lazy_dataclass import dataclass, replace
from ..source.source import Embedded, Span, article
from ..syntax import ast
from ..syntax.parser import parse_block, parse_choice_vars, parse_expression, parse_offer, parse_template
from ..syntax.unparser import print_offer
from ..types.types import BOOL, INT, PLAYER, TEXT, ComponentType, ListType, OptionalType
from .choices import (
    ALL_OF_THEM,
    Clauses,
    Unseen,
    ask,
    choice_vars,
    choosing_player,
    drawn,
    option_label,
    written_conditions,
)
from .coercions import expression, fit, item_type, list_value
from .context import LocalName, Routine, Stmts, is_faulty
from .limits import LEAST_OFFERED, MOST_OFFERED, Owner
from .members import is_not_blank, kind_action
from .symbols import ActionSymbol, BrokenSymbol, KindAction
from .texts import text_template, told_in, words

_DEMAND = Origin(COSTS, part="demand")


def demands(cost: Sequence[core.Stmt]) -> Iterator[core.Expr]:
    """Yield the conditions under which the statements of a cost can be paid in full.

    Examples: a pool holds the counters to move, a variable is large enough to subtract from, or a list has enough
    items. A condition is left out if it depends on a local that the cost itself binds.
    """
    found_out: set[int] = set()
    for stmt in cost:
        demand = _demand(stmt)
        if demand is not None and not core.locals_in(demand) & found_out:
            yield demand
        found_out |= core.leaves_bound(stmt)


def _demand(stmt: core.Stmt) -> core.Expr | None:
    """Return the condition under which one statement of a cost can be paid. None if it always can."""
    span = stmt.span
    match stmt:
        case core.MoveCount(
            kind=core.Expr() as kind, amount=core.Expr() as amount, source=pool, source_indices=indices
        ):
            held = core.ReadCell(INT, span, pool, (*indices, kind))
            return core.Binary(BOOL, span, ">=", held, amount, origin=_DEMAND)
        case core.SetCell(op="sub", place=place, indices=indices, value=amount):
            return core.Binary(BOOL, span, ">=", core.ReadCell(INT, span, place, indices), amount, origin=_DEMAND)
        case core.AskMany(low=low) if not isinstance(low, core.Const) or low.value not in (0, ALL_OF_THEM):
            return _enough(stmt, stmt.source, stmt.condition, stmt.item_slot, low)
        case core.Ask(alternatives=(core.Alternative(name=None, vars=(var,)),), otherwise=()):
            return _enough(stmt, var.domain, var.condition, var.slot, core.Const(INT, span, 1))
    return None


def _enough(stmt: core.Stmt, source: core.Expr, condition: core.Expr | None, slot: int, number: core.Expr) -> core.Expr:
    """Return the condition that a list has at least ``number`` items that meet ``condition``."""
    body = condition if condition is not None else core.Const(BOOL, stmt.span, True)
    count = core.Fold(INT, stmt.span, "count", slot, source, None, body)
    return core.Binary(BOOL, stmt.span, ">=", count, number, origin=_DEMAND)


_BOTH = Origin(ACTIONS, part="and")


@dataclass(frozen=True)
class OfferedAction:
    """An action inlined into a routine. The cost runs before the body of the alternative."""

    alternative: core.Alternative
    cost: Stmts


def declared_action(r: Routine, name: ast.Name, me: int) -> OfferedAction | None:
    """Inline a declared action into the routine that offers it. Returns None after a report."""
    symbol = r.names.symbols.get(name.name)
    if isinstance(symbol, BrokenSymbol):
        return None
    if not isinstance(symbol, ActionSymbol):
        of_cards = next((a for a in r.names.kind_actions.values() if a.decl.name.text == name.name), None)
        if of_cards is not None:
            r.notes.used.add(of_cards.name)
        hint = (
            f"it is an action of cards: write `{name.name} of` and a list of {article(f'`{of_cards.kind}`')}"
            if of_cards is not None
            else did_you_mean(name.name, r.names.named(ActionSymbol)) or "declare it under `actions`"
        )
        message = f"there is no action `{name.name}`"
        r.error(diagnostic_codes.UNKNOWN_NAME, message, name.span, hint, about=about_name(name.name))
        return None
    r.use(symbol, name.span)
    r.notes.taken_actions.add(name.name)
    return _laid_in(r, name, me)


def check_action(r: Routine, name: str, span: Span) -> None:
    """Check an action that nothing offers. The result is discarded."""
    if isinstance(r.names.symbols.get(name), ActionSymbol):
        _laid_in(r, ast.Name(span, name), r.bind_me(span))


def _laid_in(r: Routine, name: ast.Name, me: int) -> OfferedAction | None:
    """Inline a declared action into a routine. Returns None if it can't be offered there."""
    if not _is_answered_here(r, name.name, name.name, name.span):
        return None
    owner = Owner("action", name.name)
    r.notes.graph.call(r.owner, owner, name.span)
    decl = r.names.actions[name.name]
    texts = (*decl.conditions, decl.choose, decl.label, decl.cost, decl.says, decl.do)
    if owner in r.laid_in or not _has_room(r, texts, name.span):
        return None
    r.laid_in.append(owner)
    outer, r.owner = r.owner, owner
    try:
        with answering(r, me, name.span), r.narrowing():
            return _lay_in(r, decl)
    finally:
        r.laid_in.pop()
        r.owner = outer


def _lay_in(r: Routine, decl: model.ActionDecl) -> OfferedAction:
    """Check the parts of a declared action, in the order in which later parts can use names of earlier ones."""
    name, diagnostics = decl.name.text, r.report
    parsed = [c for text in decl.conditions if (c := parse_expression(text, diagnostics)) is not None]
    conditions = written_conditions(r, parsed)
    with r.frame():
        unseen: list[Unseen] = []
        vars = choice_vars(r, _chosen(r, decl.choose), unseen)
        label = parse_template(decl.label, diagnostics) if decl.label is not None else None
        text = option_label(name, None if label is None else text_template(r, label), vars, decl.name.span)
        cost = _paid(r, decl.cost)
        body = drawn(r, unseen, partial(_deed, r, decl))
    conditions, vars = _payable(cost, conditions, vars)
    return OfferedAction(core.Alternative(name, text, conditions, vars, body, decl.name.span), cost)


def card_actions(r: Routine, ability: KindAction, cards: core.Local, me: int, span: Span) -> list[OfferedAction]:
    """Inline a card action into the routine that offers it.

    Returns one alternative for each card that has the action.
    """
    owner = Owner("action", ability.name)
    r.notes.graph.call(r.owner, owner, span)
    if owner in r.laid_in or not _is_answered_here(r, ability.name, ability.decl.name.text, span):
        return []
    found: list[OfferedAction] = []
    r.laid_in.append(owner)
    outer, r.owner = r.owner, owner
    for original, action in ability.cards:
        common = (*ability.decl.conditions, ability.decl.cost, action.says or ability.decl.says)
        texts = (*common, *action.conditions, action.choose, action.cost, action.do)
        if not _has_room(r, texts, span):
            break
        with answering(r, me, span), r.narrowing():
            found.append(_lay_in_card(r, ability, action, original, cards))
    r.laid_in.pop()
    r.owner = outer
    return found


def _has_room(r: Routine, texts: Iterable[Embedded | None], span: Span) -> bool:
    """Return whether one more offer is within the size limit. The first offer beyond it is reported.

    Actions that offer actions, each twice, would double the size of the program with each level.
    """
    before = r.notes.offered
    r.notes.offered += LEAST_OFFERED + sum(len(text.text) for text in texts if text is not None)
    if before <= MOST_OFFERED < r.notes.offered:
        message = f"what is offered is more than {MOST_OFFERED:,} characters together, counted wherever it is offered"
        r.error(
            diagnostic_codes.TOO_MANY, message, span, "offer actions in fewer places: in an effect that others call"
        )
    return r.notes.offered <= MOST_OFFERED


def check_card_action(r: Routine, ability: KindAction) -> None:
    """Check an action of cards that nothing offers."""
    span = ability.decl.name.span
    me = r.bind_me(span)
    type = ListType(ComponentType(ability.kind))
    card_actions(r, ability, core.Local(type, span, r.locals.slot(), "cards"), me, span)


def _lay_in_card(
    r: Routine, ability: KindAction, action: model.ActionDecl, original: int, cards: core.Local
) -> OfferedAction:
    kind, name, span = ComponentType(ability.kind), ability.decl.name.text, action.name.span
    diagnostics = r.report
    this, it = r.bind_quietly("this", kind, span, "card"), r.locals.slot()
    printed = core.Field(kind, span, core.Local(kind, span, it, "it"), "original")
    is_copy = core.Binary(BOOL, span, "=", printed, core.Const(kind, span, original), origin=Origin(ACTIONS, name))
    copies = core.Filter(cards.type, span, it, cards, is_copy)
    condition = _all_hold(_card_conditions(r, ability, action))
    with r.frame():
        unseen: list[Unseen] = []
        vars = choice_vars(r, _chosen(r, action.choose), unseen)
        label = action.label or ability.decl.label
        parsed = parse_template(label, diagnostics) if label is not None else None
        text = option_label(name, None if parsed is None else text_template(r, parsed), (), span)
        if parsed is None:
            shown: list[str | core.Expr] = [" ", core.Local(kind, span, this, "this")]
            for var in vars:
                shown += [" ", core.Local(item_type(var.domain), var.span, var.slot, var.name)]
            text = core.TextTemplate(TEXT, span, (*text.parts, *shown))
        cost = _paid(r, ability.decl.cost, action.cost)
        body = drawn(r, unseen, partial(_deed, r, replace(action, says=action.says or ability.decl.says)))
    card = core.ChoiceVar(this, "card", copies, condition, False, span)
    _, vars = _payable(cost, (), (card, *vars))
    return OfferedAction(core.Alternative(name, text, (), vars, body, span, original), cost)


def _deed(r: Routine, decl: model.ActionDecl) -> Stmts:
    """Return the announcement of an action, followed by its statements."""
    return (*told_in(r, decl.says), *r.block(parse_block(decl.do, r.report) or ()))


def _chosen(r: Routine, text: Embedded | None) -> tuple[ast.ChoiceVar, ...]:
    """Parse the variables that are chosen along with an action. After a syntax error, their names stay unknown."""
    written = () if text is None else parse_choice_vars(text, r.report)
    if written is None:
        r.locals.leave_unread()
    return written or ()


def _card_conditions(r: Routine, ability: KindAction, action: model.ActionDecl) -> tuple[core.Expr, ...]:
    texts = (*ability.decl.conditions, *action.conditions)
    parsed = [c for text in texts if (c := parse_expression(text, r.report)) is not None]
    this, kind, span = r.locals.find("this"), ComponentType(ability.kind), action.name.span
    if ability.keyword and this is not None:
        has_it = is_not_blank(r, kind, core.Local(kind, span, this.slot, "this"), span, Origin(ACTIONS, ability.name))
        return (*(() if has_it is None else (has_it,)), *written_conditions(r, parsed))
    return written_conditions(r, parsed)


def has_option(r: Routine, ability: KindAction, action: model.ActionDecl) -> core.Expr:
    """Return an expression that says whether the action of the card ``this`` has an option now.

    Needs ``me`` and ``this`` in scope.
    """
    conditions = _card_conditions(r, ability, action)
    written = _chosen(r, action.choose)
    vars = choice_vars(r, written, [])
    for var in written:
        if var.unseen:
            continue
        local = r.locals.find(var.name)
        assert local is not None
        local.used = True
    conditions, vars = _payable(_paid(r, ability.decl.cost, action.cost), conditions, vars)
    found: core.Expr = core.Const(BOOL, action.name.span, True)
    for chosen in reversed(vars):
        found = core.Fold(BOOL, chosen.span, "any", chosen.slot, chosen.domain, chosen.condition, found)
    whole = (*conditions, found) if vars or not conditions else conditions
    return _all_hold(whole) or found


def _paid(r: Routine, *texts: Embedded | None) -> Stmts:
    """Check the costs of an action and return their statements in order."""
    parsed = (parse_block(text, r.report) for text in texts if text is not None)
    return tuple(stmt for block in parsed for stmt in r.block(block or ()))


def _payable(
    cost: Stmts, conditions: tuple[core.Expr, ...], vars: tuple[core.ChoiceVar, ...]
) -> tuple[tuple[core.Expr, ...], tuple[core.ChoiceVar, ...]]:
    """Add the demands of a cost to the conditions of an action.

    They go to the condition of the last variable if there is one, because they may depend on the variables.
    """
    needed = tuple(demands(cost))
    if not needed or not vars:
        return (*conditions, *needed), vars
    *before, last = vars
    found = [*([] if last.condition is None else [last.condition]), *needed]
    condition = reduce(lambda a, b: core.Binary(BOOL, b.span, "and", a, b, origin=_BOTH), found)
    return conditions, (*before, replace(last, condition=condition))


def _all_hold(conditions: Sequence[core.Expr]) -> core.Expr | None:
    found: core.Expr | None = None
    for condition in conditions:
        found = condition if found is None else core.Binary(BOOL, condition.span, "and", found, condition, origin=_BOTH)
    return found


@contextmanager
def answering(r: Routine, me: int, span: Span) -> Iterator[None]:
    """Hide the locals of a routine for the duration of a ``with`` block.

    The acting player stays in scope, and so do the parameters of an open window.
    """
    given = [] if r.window is None else r.locals.named(name for name, _ in r.window.params)
    with r.out_of_sight():
        for local in (*given, LocalName("me", me, PLAYER, span, "player", exempt=True)):
            r.put_in_sight(local)
        yield


def _is_answered_here(r: Routine, action: str, name: str, span: Span) -> bool:
    """Return whether an action may be offered here. An action that answers a window is offered only by that window."""
    window, listed = r.notes.answers.get(action, (None, span))
    if window is None or (r.window is not None and r.window.name == window):
        return True
    message = f"`{name}` answers the window `{window}`, which offers it when it opens"
    hint = f"write `open {window}(…)`, or take `{name}` out of its `actions`"
    r.error(diagnostic_codes.WRONG_ANSWER, message, span, hint, [(listed, "listed here")])
    return False


_MADE = Origin(ACTIONS, part="offer")


def take_action(r: Routine, node: ast.TakeAction) -> list[core.Stmt]:
    """Check a choice among the actions that the statement names, or that its menu lists.

    Returns one Ask, after any statements that it needs, such as a Let that binds ``me`` if ``by`` is given. Returns
    nothing
    if the menu is unknown. Each alternative pays its costs first.
    """
    if node.menu is not None:
        return _from_menu(r, node, node.menu)
    before, clauses, me = _taker(r, node)
    return _offer(r, node, node.offers, before, clauses, me)


def _offer(
    r: Routine,
    node: ast.TakeAction,
    offers: Sequence[ast.Offer],
    before: list[core.Stmt],
    clauses: Clauses,
    me: int,
) -> list[core.Stmt]:
    alternatives: list[core.Alternative] = []
    for offer in offers:
        first, laid = offered(r, offer, me)
        before += first
        alternatives += map(_with_cost, laid)
    return [*before, ask(r, node.span, clauses, alternatives, ())]


def _from_menu(r: Routine, node: ast.TakeAction, name: ast.Name) -> list[core.Stmt]:
    """Check a choice among the actions of a menu. In its texts, ``me`` is the player who chooses."""
    menu = r.names.menus.get(name.name)
    if menu is None:
        hint = did_you_mean(name.name, r.names.menus) or "declare it under `menus`, or name the actions"
        message = f"there is no menu `{name.name}`"
        r.error(diagnostic_codes.UNKNOWN_NAME, message, name.span, hint, about=about_name(name.name))
        return []
    r.notes.opened_menus.add(name.name)
    before, clauses, me = _taker(r, node)
    with answering(r, me, node.span):
        if node.prompt is None and menu.prompt is not None:
            prompt = parse_template(menu.prompt, r.report)
            clauses = clauses if prompt is None else replace(clauses, prompt=text_template(r, prompt))
        return _offer(r, node, offers_of(r, menu), before, clauses, me)


def check_menu(r: Routine, menu: model.MenuDecl) -> None:
    """Check a menu that nothing opens. The result is discarded."""
    me = r.bind_me(menu.name.span)
    for offer in offers_of(r, menu):
        offered(r, offer, me)


def offers_of(r: Routine, menu: model.MenuDecl) -> list[ast.Offer]:
    """Parse the offers of a menu. Reports an action that occurs twice, and one that answers a window.

    An answer to a window can't be in a menu, because ``me`` would be a different player.
    """
    found: dict[str, ast.Offer] = {}
    for text in menu.actions:
        offer = parse_offer(text, r.report)
        if offer is None:
            continue
        first = found.setdefault(print_offer(offer), offer)
        answers = r.notes.answers.get(offer.name) if offer.cards is None else None
        if first is not offer:
            notes = [(first.span, "first here")]
            r.error(
                diagnostic_codes.MENU_ACTION,
                f"`{menu.name.text}` offers `{offer.name}` twice",
                offer.span,
                "leave out one",
                notes,
            )
        elif answers is not None:
            message = f"`{offer.name}` answers the window `{answers[0]}`, and can't be taken from a menu"
            hint = "make an effect of what both do, and an action of its own for the menu"
            r.error(diagnostic_codes.MENU_ACTION, message, offer.span, hint, [(answers[1], "it answers here")])
            del found[print_offer(offer)]
    return list(found.values())


def use_action(r: Routine, node: ast.UseAction) -> list[core.Stmt]:
    """Check ``use``: a choice that offers an action of one card, if it is legal now."""
    before, clauses, me = _taker(r, node)
    card = expression(r, node.card)
    if isinstance(card.type, OptionalType):
        card = fit(r, card, card.type.item, "after `of`")
    ability = kind_action(r, card.type, node.action, node.action_span, card.span)
    if ability is None or is_faulty(card):
        return []
    slot = r.locals.slot()
    cards = ListType(card.type)
    before.append(core.Let(node.span, slot, "cards", core.ListLit(cards, card.span, (card,)), origin=_MADE))
    local = core.Local(cards, card.span, slot, "cards")
    alternatives = [_with_cost(laid) for laid in card_actions(r, ability, local, me, node.action_span)]
    return [*before, ask(r, node.span, clauses, alternatives, ())] if alternatives else []


def offered(
    r: Routine, offer: ast.Offer, me: int, window: str | None = None
) -> tuple[list[core.Stmt], list[OfferedAction]]:
    """Check one offer of ``take action`` or of a window, for the player in slot ``me``.

    Returns statements to run before the choice, and the inlined actions.
    """
    if offer.cards is None:
        laid = declared_action(r, ast.Name(offer.name_span, offer.name), me)
        return [], [] if laid is None else [laid]
    cards = list_value(r, offer.cards)
    ability = kind_action(r, item_type(cards), offer.name, offer.name_span, cards.span)
    if ability is None or is_faulty(cards):
        return [], []
    if window is not None:
        r.notes.answers.setdefault(ability.name, (window, offer.name_span))
    local = core.Local(cards.type, offer.span, r.locals.slot(), "cards")
    offered_cards = core.Let(offer.span, local.slot, "cards", cards, origin=_MADE)
    return [offered_cards], card_actions(r, ability, local, me, offer.name_span)


def _taker(r: Routine, node: ast.TakeAction | ast.UseAction) -> tuple[list[core.Stmt], Clauses, int]:
    """Return the statements that bind ``me`` to the chooser, the clauses of the choice, and the slot of ``me``."""
    before: list[core.Stmt] = []
    player = choosing_player(r, node.by, node.span)
    prompt = text_template(r, node.prompt) if node.prompt is not None else words("Choose an action", node.span)
    if node.by is not None:
        slot = r.locals.slot()
        before = [core.Let(node.span, slot, "me", player, origin=_MADE)]
    else:
        slot = player.slot if isinstance(player, core.Local) else r.locals.slot()
    return before, Clauses(core.Local(PLAYER, player.span, slot, "me"), prompt), slot


def _with_cost(laid: OfferedAction) -> core.Alternative:
    """Return the alternative with its cost at the beginning of its body."""
    return replace(laid.alternative, body=(*laid.cost, *laid.alternative.body))
