"""Check actions and menus, and the statements that offer them.

An offered action is inlined into the routine that offers it, as an alternative of a choice. It is offered only if its
cost can be paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial, reduce

from .. import core
from ..core.generated_part_origins import ACTIONS, COSTS, Origin
from ..desugar.reaction_windows import OfferedAction
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.source import EmbeddedText, Span, prepend_article
from ..syntax import ast
from ..syntax.parser import parse_block, parse_choice_vars, parse_expression, parse_offer
from ..types.types import BOOL, INT, NOTHING, PLAYER, ComponentType, ListType, OptionalType
from .call_graph_and_size_limits import MAX_INLINED, MIN_INLINED, Owner
from .choices_and_simultaneous_choices import (
    ALL_ITEMS,
    Clauses,
    UnseenCard,
    check_choice_vars,
    check_clauses,
    check_conditions,
    check_unseen_block,
    make_ask,
    make_option_label,
)
from .code_fields_templates_and_check_cache import check_says, check_template_text
from .coercions import check_expression, check_list, convert_to, get_item_type
from .context import CHOSEN_LATER, LocalName, Routine, Stmts
from .member_access_and_card_tests import find_kind_action, make_not_blank_test
from .symbol_table import ActionSymbol, BrokenSymbol, KindAction, Names, PoolSymbol, report_unknown

_DEMAND = Origin(COSTS, part="demand")


def _list_demands(names: Names, cost: Sequence[core.Stmt]) -> Iterator[core.Expr]:
    """Yield the conditions under which the statements of a cost can be paid in full, in order.

    The conditions are that a pool holds the counters to move, that a variable is large enough to subtract from, or that
    a list has enough items to choose. An unlimited pool, or any other statement that can always be paid, yields none.
    Each statement is judged by itself, from the state before the cost. A condition is left out if it depends on a local
    that the cost itself binds.
    """
    bound_slots: set[int] = set()
    for stmt in cost:
        demand = _make_demand(names, stmt)
        if demand is not None and not core.collect_locals(demand) & bound_slots:
            yield demand
        bound_slots |= core.get_slots_bound_after(stmt)


def _make_demand(names: Names, stmt: core.Stmt) -> core.Expr | None:
    """Return the condition under which one statement of a cost can be paid. None if it always can."""
    span = stmt.span
    match stmt:
        case core.MoveCount(
            kind=core.Expr() as kind, amount=core.Expr() as amount, source=source, source_indices=indices
        ):
            pool = names.symbols.get(source)
            if isinstance(pool, PoolSymbol) and pool.is_unlimited:
                return None
            count = core.ReadCell(INT, span, source, (*indices, kind))
            return core.Binary(BOOL, span, ">=", count, amount, origin=_DEMAND)
        case core.SetCell(op="sub", place=place, indices=indices, value=amount):
            return core.Binary(BOOL, span, ">=", core.ReadCell(INT, span, place, indices), amount, origin=_DEMAND)
        case core.AskMany(low=low) if not isinstance(low, core.Const) or low.value not in (0, ALL_ITEMS):
            return _make_enough(stmt, stmt.source, stmt.condition, stmt.item_slot, low)
        case core.Ask(alternatives=(core.Alternative(name=None, vars=(var,)),), otherwise=()):
            return _make_enough(stmt, var.domain, var.condition, var.slot, core.Const(INT, span, 1))
    return None


def _make_enough(
    stmt: core.Stmt, source: core.Expr, condition: core.Expr | None, slot: int, number: core.Expr
) -> core.Expr:
    """Return the condition that a list has at least ``number`` items that meet ``condition``."""
    body = condition if condition is not None else core.Const(BOOL, stmt.span, True)
    count = core.Fold(INT, stmt.span, slot, source, "count", None, body)
    return core.Binary(BOOL, stmt.span, ">=", count, number, origin=_DEMAND)


_AND_ORIGIN = Origin(ACTIONS, part="and")


def _inline_declared_action(routine: Routine, name: ast.Name, me: int) -> OfferedAction | None:
    """Inline a declared action into the routine that offers it, and record its use.

    ``me`` is the slot of the player who takes the action. Returns None after a report: the name is unknown or no
    action, the action answers another window, or it is too large to inline. Also returns None, without a report, if its
    declaration is faulty or the action is being inlined already.
    """
    symbol = routine.names.symbols.get(name.name)
    if isinstance(symbol, BrokenSymbol):
        return None
    if not isinstance(symbol, ActionSymbol):
        actions, hint = routine.names.list_named(ActionSymbol), "declare it under `actions`"
        abilities = routine.names.kind_actions.values()
        ability = next((ability for ability in abilities if ability.decl.name.text == name.name), None)
        if ability is not None:
            routine.notes.used_names.add(ability.name)
            kind = prepend_article(f"`{ability.kind}`")
            actions, hint = [], f"it is an action of cards: write `{name.name} of` and a list of {kind}"
        report_unknown(routine.report, "action", name.name, name.span, actions, hint)
        return None
    routine.record_use(symbol, name.span)
    routine.notes.taken_actions.add(name.name)
    return _inline_action(routine, name, me)


def check_action(routine: Routine, name: str, span: Span) -> None:
    """Report mistakes in a declared action that nothing offers. The result is discarded. Ignores any other name."""
    if isinstance(routine.names.symbols.get(name), ActionSymbol):
        _inline_action(routine, ast.Name(span, name), routine.bind_me(span))


def _inline_action(routine: Routine, name: ast.Name, me: int) -> OfferedAction | None:
    """Inline a declared action into a routine, and record a call of it.

    Returns None after reporting that it answers another window or is too large, and without a report if it is being
    inlined already.
    """
    if not _check_window(routine, name.name, name.name, name.span):
        return None
    owner = Owner("action", name.name)
    routine.notes.graph.add_call(routine.owner, owner, name.span)
    decl = routine.names.actions[name.name]
    texts = (*decl.conditions, decl.choose, decl.label, decl.cost, decl.says, decl.do)
    if owner in routine.inlined_owners or not _can_inline(routine, texts, name.span):
        return None
    with _enter_action(routine, owner), hide_locals(routine, me, name.span), routine.restore_narrowing():
        return _check_action_parts(routine, decl)


@contextmanager
def _enter_action(routine: Routine, owner: Owner) -> Iterator[None]:
    """Let the routine belong to an action while the body runs, so that the action is not inlined again in itself."""
    routine.inlined_owners.append(owner)
    outer_owner, routine.owner = routine.owner, owner
    yield
    routine.inlined_owners.pop()
    routine.owner = outer_owner


def _check_action_parts(routine: Routine, decl: model.ActionDecl) -> OfferedAction:
    """Check the parts of a declared action, in the order in which later parts can use names of earlier ones."""
    name = decl.name.text
    trees = [tree for text in decl.conditions if (tree := parse_expression(text, routine.report)) is not None]
    with routine.open_scope():
        choice_vars = _parse_choose(routine, decl.choose)
        # Messages about the conditions say that the names of the variables are chosen only later.
        closed_locals = routine.locals.closed_locals
        later_locals = {var.name: LocalName(var.name, 0, NOTHING, var.name_span, CHOSEN_LATER) for var in choice_vars}
        routine.locals.closed_locals = closed_locals | later_locals
        conditions = check_conditions(routine, trees)
        routine.locals.closed_locals = closed_locals
        unseen_cards: list[UnseenCard] = []
        vars = check_choice_vars(routine, choice_vars, unseen_cards)
        text = check_template_text(routine, decl.label) or make_option_label(name, vars, decl.name.span)
        cost = _check_costs(routine, decl.cost)
        body = check_unseen_block(routine, unseen_cards, partial(_check_effects, routine, decl))
    conditions, vars = _add_demands(routine, cost, conditions, vars)
    return OfferedAction(core.Alternative(name, text, conditions, vars, body, decl.name.span), cost)


def _inline_card_actions(
    routine: Routine, ability: KindAction, cards: core.Local, me: int, span: Span
) -> list[OfferedAction]:
    """Inline a card action into the routine that offers it.

    ``cards`` is the local that holds the offered cards, ``me`` the slot of the player who takes the action. Returns one
    alternative for each declared card that has the action, in declared order. Returns [] if no card has it, if the
    action is being inlined already, or after reporting that it answers another window. When the inlined texts become
    too large, this is reported and the remaining cards are left out. The call graph records the call in every case.
    """
    owner = Owner("action", ability.name)
    routine.notes.graph.add_call(routine.owner, owner, span)
    if owner in routine.inlined_owners or not _check_window(routine, ability.name, ability.decl.name.text, span):
        return []
    offers: list[OfferedAction] = []
    with _enter_action(routine, owner):
        for original, action in ability.cards:
            kind_texts = (*ability.decl.conditions, ability.decl.cost, action.says or ability.decl.says)
            texts = (*kind_texts, *action.conditions, action.choose, action.cost, action.do)
            if not _can_inline(routine, texts, span):
                break
            with hide_locals(routine, me, span), routine.restore_narrowing():
                offers.append(_inline_card_action(routine, ability, action, original, cards))
    return offers


def _can_inline(routine: Routine, texts: Iterable[EmbeddedText | None], span: Span) -> bool:
    """Return whether one more offer is within the size limit. The first offer beyond it is reported.

    Actions that offer actions, each twice, would double the size of the program with each level.
    """
    count_before = routine.notes.inlined_nodes
    routine.notes.inlined_nodes += MIN_INLINED + sum(len(text.text) for text in texts if text is not None)
    if count_before <= MAX_INLINED < routine.notes.inlined_nodes:
        message = f"the offered actions have more than {MAX_INLINED:,} characters, counted at each offer"
        hint = "offer actions in one effect, and call it from the other places"
        routine.report_error(codes.TOO_MANY, message, span, hint)
    return routine.notes.inlined_nodes <= MAX_INLINED


def check_card_action(routine: Routine, ability: KindAction) -> None:
    """Report mistakes in an action of cards that nothing offers, in the texts of the kind and of each card that has it.

    If no card has the action, nothing is checked, not even the texts of the kind. ``routine`` must be a new one. It is
    checked as if it offered the action to ``me``, who stays bound, but its statements are dropped.
    """
    span = ability.decl.name.span
    me = routine.bind_me(span)
    type = ListType(ComponentType(ability.kind))
    _inline_card_actions(routine, ability, core.Local(type, span, routine.locals.allocate_slot(), "cards"), me, span)


def _inline_card_action(
    routine: Routine, ability: KindAction, action: model.ActionDecl, original: int, cards: core.Local
) -> OfferedAction:
    """Return the action of one card as an alternative, and its cost apart.

    Its first variable is ``card``, whose domain is the copies of the card among ``cards``; ``this`` in its texts is
    that copy. Conditions of the kind and of the card are those of the variable. Without a label, the name and the card,
    and what is chosen, are its label.
    """
    kind, name, span = ComponentType(ability.kind), ability.decl.name.text, action.name.span
    this_slot, item_slot = routine.bind_unchecked("this", kind, span, "card"), routine.locals.allocate_slot()
    item_original = core.Field(kind, span, core.Local(kind, span, item_slot, "it"), "original")
    original_card, origin = core.Const(kind, span, original), Origin(ACTIONS, name)
    is_copy = core.Binary(BOOL, span, "=", item_original, original_card, origin=origin)
    copies = core.Filter(cards.type, span, item_slot, cards, is_copy)
    condition = _make_conjunction(_check_card_conditions(routine, ability, action))
    with routine.open_scope():
        unseen_cards: list[UnseenCard] = []
        vars = check_choice_vars(routine, _parse_choose(routine, action.choose), unseen_cards)
        vars = (core.ChoiceVar(this_slot, "card", copies, condition, False, span), *vars)
        label = check_template_text(routine, action.label or ability.decl.label)
        text = label or make_option_label(name, vars, span)
        cost = _check_costs(routine, ability.decl.cost, action.cost)
        says = action.says or ability.decl.says
        body = check_unseen_block(routine, unseen_cards, partial(_check_effects, routine, replace(action, says=says)))
    _, vars = _add_demands(routine, cost, (), vars)
    return OfferedAction(core.Alternative(name, text, (), vars, body, span, original), cost)


def _check_effects(routine: Routine, decl: model.ActionDecl) -> Stmts:
    """Return the announcement of an action, followed by its statements."""
    return (*check_says(routine, decl.says), *routine.check_block(parse_block(decl.do, routine.report) or ()))


def _parse_choose(routine: Routine, text: EmbeddedText | None) -> tuple[ast.ChoiceVar, ...]:
    """Parse the variables that are chosen along with an action. After a syntax error, their names stay unknown."""
    variables = () if text is None else parse_choice_vars(text, routine.report)
    if variables is None:
        routine.locals.mark_unparsed()
    return variables or ()


def _check_card_conditions(routine: Routine, ability: KindAction, action: model.ActionDecl) -> tuple[core.Expr, ...]:
    texts = (*ability.decl.conditions, *action.conditions)
    trees = [tree for text in texts if (tree := parse_expression(text, routine.report)) is not None]
    this_local, kind, span = routine.locals.find("this"), ComponentType(ability.kind), action.name.span
    not_blank_test = None
    if ability.is_keyword and this_local is not None:
        this_card = core.Local(kind, span, this_local.slot, "this")
        not_blank_test = make_not_blank_test(routine, kind, this_card, span, Origin(ACTIONS, ability.name))
    return (*(() if not_blank_test is None else (not_blank_test,)), *check_conditions(routine, trees))


def make_option_test(routine: Routine, ability: KindAction, action: model.ActionDecl) -> core.Expr:
    """Return a Boolean expression that says whether the action of the card ``this`` has an option now.

    It joins these conditions by ``and``, in this order:

    1. For a keyword of a kind that can be blank, the card is not blank.
    2. The conditions of the kind's action hold, and then those of the card's.
    3. Without choices, the cost can be paid, such as ``gold >= 2``.
    4. With choices, there is an option: a Fold with ``any`` for each choice, inside that of the choice before it. The
       innermost Fold has the body ``true``, and its condition says that the cost can be paid, too.

    Without any of these, it is the constant ``true``. Needs ``me`` and ``this`` in scope, and binds the names of the
    choices there.
    """
    conditions = _check_card_conditions(routine, ability, action)
    choice_vars = _parse_choose(routine, action.choose)
    vars = check_choice_vars(routine, choice_vars, [])
    for var in choice_vars:
        if var.is_unseen:
            continue
        local = routine.locals.find(var.name)
        assert local is not None
        local.is_used = True
    cost = _check_costs(routine, ability.decl.cost, action.cost)
    conditions, vars = _add_demands(routine, cost, conditions, vars)
    test: core.Expr = core.Const(BOOL, action.name.span, True)
    for choice_var in reversed(vars):
        test = core.Fold(BOOL, choice_var.span, choice_var.slot, choice_var.domain, "any", choice_var.condition, test)
    all_conditions = (*conditions, test) if vars or not conditions else conditions
    return _make_conjunction(all_conditions) or test


def _check_costs(routine: Routine, *texts: EmbeddedText | None) -> Stmts:
    """Check the costs of an action and return their statements in order."""
    blocks = (parse_block(text, routine.report) for text in texts if text is not None)
    return tuple(stmt for block in blocks for stmt in routine.check_block(block or ()))


def _add_demands(
    routine: Routine, cost: Stmts, conditions: tuple[core.Expr, ...], vars: tuple[core.ChoiceVar, ...]
) -> tuple[tuple[core.Expr, ...], tuple[core.ChoiceVar, ...]]:
    """Add the demands of a cost to the conditions of an action.

    They go to the condition of the last variable if there is one, because they may depend on the variables.
    """
    demands = tuple(_list_demands(routine.names, cost))
    if not demands or not vars:
        return (*conditions, *demands), vars
    *earlier_vars, last_var = vars
    condition = _make_conjunction([*([] if last_var.condition is None else [last_var.condition]), *demands])
    return conditions, (*earlier_vars, replace(last_var, condition=condition))


def _make_conjunction(conditions: Sequence[core.Expr]) -> core.Expr | None:
    if not conditions:
        return None
    return reduce(lambda left, right: core.Binary(BOOL, right.span, "and", left, right, origin=_AND_ORIGIN), conditions)


@contextmanager
def hide_locals(routine: Routine, me: int, span: Span) -> Iterator[None]:
    """Hide the locals of a routine for the duration of a ``with`` block.

    The player in slot ``me`` is in scope as ``me``, and so are the parameters of an open window. Loops are hidden as
    well, so that ``stop`` can't leave them.
    """
    window_params = [] if routine.window is None else routine.locals.find_all(name for name, _ in routine.window.params)
    with routine.hide_outer_scopes():
        for local in (*window_params, LocalName("me", me, PLAYER, span, "player", is_exempt=True)):
            routine.add_local(local)
        yield


def _check_window(routine: Routine, action: str, name: str, span: Span) -> bool:
    """Return whether an action may be offered here. An action that answers a window is offered only by that window."""
    window, listing_span = routine.notes.window_actions.get(action, (None, span))
    if window is None or (routine.window is not None and routine.window.name == window):
        return True
    message = f"`{name}` answers the window `{window}`, so nothing else can offer it"
    hint = f"write `open {window}(…)`, or remove `{name}` from the `actions` of the window"
    routine.report_error(codes.WRONG_ANSWER, message, span, hint, [(listing_span, "listed here")])
    return False


_OFFER_ORIGIN = Origin(ACTIONS, part="offer")


def check_take_action(routine: Routine, node: ast.TakeAction) -> list[core.Stmt]:
    """Check a choice among the actions that the statement names, or that its menu lists.

    Returns a Let of ``me`` if ``by`` is given, a Let of the offered cards for each offer of cards, and at last the Ask.
    A declared action is one alternative of the Ask. An action of cards is one for each declared card that has it. The
    body of each alternative begins with the statements of its cost. An offer may give no alternative, and then mostly
    no Let, as :func:`check_offer` says: one of an unknown action is reported, and an action inside itself is not
    reported here. So the Ask may have no alternatives. A mistake in the texts of an action is only reported. Returns []
    after a report if the menu is unknown. Without a prompt, that of the menu is used, or else “Choose an action”.
    """
    name, menu = node.menu, None
    if name is not None:
        menu = routine.names.menus.get(name.name)
        if menu is None:
            hint = "declare it under `menus`, or name the actions"
            report_unknown(routine.report, "menu", name.name, name.span, routine.names.menus, hint)
            return []
        routine.notes.opened_menus.add(name.name)
    prelude, clauses, me = _bind_taker(routine, node)
    alternatives: list[core.Alternative] = []
    with nullcontext() if menu is None else hide_locals(routine, me, node.span):
        if menu is not None and menu.prompt is not None and node.prompt is None:
            clauses = replace(clauses, prompt=check_template_text(routine, menu.prompt) or clauses.prompt)
        for offer in node.offers if menu is None else _parse_menu_offers(routine, menu):
            offer_prelude, actions = check_offer(routine, offer, me)
            prelude += offer_prelude
            alternatives += map(_prepend_cost, actions)
    return [*prelude, make_ask(routine, node.span, clauses, alternatives, ())]


def check_menu(routine: Routine, menu: model.MenuDecl) -> None:
    """Report mistakes in a menu that nothing opens, with ``me`` as the player who chooses. The result is discarded."""
    me = routine.bind_me(menu.name.span)
    for offer in _parse_menu_offers(routine, menu):
        check_offer(routine, offer, me)


def _parse_menu_offers(routine: Routine, menu: model.MenuDecl) -> list[ast.Offer]:
    """Return the offers of a menu, parsed, in order.

    Reports an offer that can't be parsed, and leaves it out. Reports an offer that occurs twice, wherever it was
    written, and keeps the first. Reports and leaves out a declared action that answers a window, because ``me`` would
    be a different player.
    """
    offers: dict[object, ast.Offer] = {}
    for text in menu.actions:
        offer = parse_offer(text, routine.report)
        if offer is None:
            continue
        first_offer = offers.setdefault(ast.strip_spans(offer), offer)
        window = routine.notes.window_actions.get(offer.name) if offer.cards is None else None
        if first_offer is not offer:
            message, notes = f"`{menu.name.text}` offers `{offer.name}` twice", [(first_offer.span, "first here")]
            routine.report_error(codes.MENU_ACTION, message, offer.span, "remove one of them", notes)
        elif window is not None:
            message = f"`{offer.name}` answers the window `{window[0]}`, so a menu can't offer it"
            hint = "put what both do into an effect, and declare another action for the menu"
            routine.report_error(codes.MENU_ACTION, message, offer.span, hint, [(window[1], "it answers here")])
            del offers[ast.strip_spans(offer)]
    return list(offers.values())


def check_use_action(routine: Routine, node: ast.UseAction) -> list[core.Stmt]:
    """Check ``use``: a choice that offers an action of one card, if it is legal now.

    Returns a Let of a list with only this card, after a Let of ``me`` if ``by`` is given, and then one Ask. The Ask has
    an alternative for each declared card that has the action. Beyond ``MAX_INLINED`` characters, the remaining cards
    are left out after a report. Its default prompt is “Choose an action”. Returns [] after a report if the card is
    faulty, if its kind doesn't have the action, or if the action answers another window. Also returns [], without a
    report, if no card has the action, and while the action is in ``inlined_owners``.
    """
    prelude, clauses, me = _bind_taker(routine, node)
    card = check_expression(routine, node.card)
    if isinstance(card.type, OptionalType):
        card = convert_to(routine, card, card.type.item, "after `of`")
    ability = find_kind_action(routine, card.type, node.action, node.action_span, card.span)
    if ability is None:
        return []
    slot = routine.locals.allocate_slot()
    cards = ListType(card.type)
    prelude.append(core.Let(node.span, slot, "cards", core.ListLit(cards, card.span, (card,)), origin=_OFFER_ORIGIN))
    local = core.Local(cards, card.span, slot, "cards")
    alternatives = list(map(_prepend_cost, _inline_card_actions(routine, ability, local, me, node.action_span)))
    return [*prelude, make_ask(routine, node.span, clauses, alternatives, ())] if alternatives else []


def check_offer(
    routine: Routine, offer: ast.Offer, me: int, window: str | None = None
) -> tuple[list[core.Stmt], list[OfferedAction]]:
    """Check one offer of ``take action``, a menu or a window, for the player in slot ``me``.

    Returns statements to run before the choice, and the inlined actions. A declared action gives ``([], [action])``. An
    action of cards gives one Let, which binds the offered cards, and an action for each declared card that has it, in
    declared order. It gives ``([Let], [])`` if no card has it, or after reporting that it answers another window. After
    a report of faulty cards, a kind without this action, or a declared action that is unknown or answers another
    window, the result is ``([], [])``. If an action offers itself, the inner offer gives no action and no report:
    ``([Let], [])`` for cards, otherwise ``([], [])``. A declared action with a faulty declaration gives ``([], [])``,
    too. Actions beyond ``MAX_INLINED`` characters in all offers are left out after one report. An action with mistakes
    in its texts is reported, but stays. With ``window``, ``routine.notes.window_actions`` gets an entry for an action
    of cards, unless it has one: ``"Card.dig"`` is mapped to ``(window, offer.name_span)``.
    """
    if offer.cards is None:
        action = _inline_declared_action(routine, ast.Name(offer.name_span, offer.name), me)
        return [], [] if action is None else [action]
    cards = check_list(routine, offer.cards)
    ability = find_kind_action(routine, get_item_type(cards), offer.name, offer.name_span, cards.span)
    if ability is None:
        return [], []
    if window is not None:
        routine.notes.window_actions.setdefault(ability.name, (window, offer.name_span))
    local = core.Local(cards.type, offer.span, routine.locals.allocate_slot(), "cards")
    offered_cards = core.Let(offer.span, local.slot, "cards", cards, origin=_OFFER_ORIGIN)
    return [offered_cards], _inline_card_actions(routine, ability, local, me, offer.name_span)


def _bind_taker(routine: Routine, node: ast.TakeAction | ast.UseAction) -> tuple[list[core.Stmt], Clauses, int]:
    """Return the statements that bind ``me`` to the chooser, the clauses of the choice, and the slot of ``me``."""
    prelude: list[core.Stmt] = []
    clauses = check_clauses(routine, node.by, node.prompt, "Choose an action", node.span)
    player = clauses.chooser
    if node.by is not None:
        slot = routine.locals.allocate_slot()
        prelude = [core.Let(node.span, slot, "me", player, origin=_OFFER_ORIGIN)]
    else:
        slot = player.slot if isinstance(player, core.Local) else routine.locals.allocate_slot()
    return prelude, replace(clauses, chooser=core.Local(PLAYER, player.span, slot, "me")), slot


def _prepend_cost(action: OfferedAction) -> core.Alternative:
    """Return the alternative with its cost at the beginning of its body."""
    return replace(action.alternative, body=(*action.cost, *action.alternative.body))
