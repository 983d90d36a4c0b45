"""Check choices: of one option, of several items, of named alternatives, and of all players at once.

Choices at once are lowered here. All players are asked first, and hidden variables store the answers. Then the answers
are revealed, and the block runs for each player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from .. import core
from ..core.expression_bounds import Bounds
from ..core.generated_part_origins import AT_ONCE, CHOICES, UNSEEN_PICK, Origin
from ..core.internal_names_and_internal_variables import make_hidden_variable, make_internal_name
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record, ValueRecord, replace
from ..source.source import Span, humanise, make_title
from ..syntax import ast
from ..types.integer_intervals import INT_RANGE, Interval
from ..types.types import BOOL, INT, INT_MAX, PLAYER, TEXT, ComponentType, ListType, NothingType, OptionalType, Type
from .code_fields_templates_and_check_cache import check_template, make_plain_template
from .coercions import assume_condition, check_expected, check_list, get_item_type
from .context import UNSEEN_CARD, Routine, Stmts, is_faulty
from .list_expressions_and_connected_regions import check_item_condition
from .symbol_table import PoolSymbol

#: Upper bound for a number of items, greater than the length of any list.
ALL_ITEMS = 2**31 - 1
_BLOCK_ORIGIN = Origin(CHOICES, part="some with a block")
_UNSEEN_ORIGIN = Origin(CHOICES, part=UNSEEN_PICK)


class Clauses(ValueRecord):
    """The clauses that every choice has: the player who chooses, and the question."""

    chooser: core.Expr
    prompt: core.TextTemplate


def check_choose(routine: Routine, node: ast.Choose) -> list[core.Stmt]:
    """Check a choice of one option among all values that the variables allow.

    Returns one Ask with a single alternative, whose ``name`` is None. The alternative's body is the block, in which the
    variables are in scope. With ``unseen`` cards, the body is a Random around it (:func:`check_unseen_block`). The
    Ask's ``otherwise`` is what happens without an option. Without a block, the body is (), the variables stay in scope,
    and each variable that has a condition, or a list that can be empty, is reported. The Ask's default prompt joins all
    variables with “and”: “Choose red card and place and row” for ``red_card``, ``place``, ``row``.
    """
    default = "Choose " + " and ".join(humanise(var.name) for var in node.vars)
    clauses = check_clauses(routine, node.by, node.prompt, default, node.span)
    body: Stmts = ()
    if node.body is None:
        vars = check_choice_vars(routine, node.vars)
        require_option(routine, vars)
        label = None if node.label is None else check_template(routine, node.label)
    else:
        with routine.open_scope(), routine.restore_narrowing():
            unseen_cards: list[UnseenCard] = []
            vars = check_choice_vars(routine, node.vars, unseen_cards)
            label = None if node.label is None else check_template(routine, node.label)
            body = check_unseen_block(routine, unseen_cards, partial(routine.check_block, node.body))
    alternative = core.Alternative(None, label, (), vars, body, node.span)
    otherwise = routine.check_block(node.otherwise)
    return [make_ask(routine, node.span, clauses, [alternative], otherwise)]


def check_choose_some(routine: Routine, node: ast.ChooseSome) -> list[core.Stmt]:
    """Check a choice of several items of a list, or of an order for all of them.

    For the name ``cards``, the default prompt is “Choose cards”, or “Order cards” for an order. The name holds the list
    of picked items. Without a block, returns one AskMany, and the name stays in scope. With one, returns a Let that
    notes whether any item can be picked, the AskMany, and an If. The If runs the block if any item could be picked, and
    the ``otherwise`` block if none could.

    For ``any``, ``low`` of the AskMany is a Const 0 and ``high`` a Const ALL_ITEMS. ``up to 3`` gives 0 and 3, and
    ``3`` alone gives 3 and 3. An order always takes all items: there both are a Const ALL_ITEMS.
    """
    if node.body is None:
        return [_make_ask_many(routine, node)]
    with routine.open_scope(), routine.restore_narrowing():
        ask_many = _make_ask_many(routine, node)
        body = routine.check_block(node.body)
    otherwise = routine.check_block(node.otherwise)
    has_some = core.Local(BOOL, node.span, routine.locals.allocate_slot(), "some")
    note = core.Let(node.span, has_some.slot, has_some.name, _make_pick_test(ask_many), origin=_BLOCK_ORIGIN)
    return [note, ask_many, core.If(node.span, ((has_some, body),), otherwise, origin=_BLOCK_ORIGIN)]


def _make_ask_many(routine: Routine, node: ast.ChooseSome) -> core.AskMany:
    """Check a choice of several items, without the blocks that may follow, and record it for the lints.

    Binds the name to the list of picked items from then on. Without bounds, any number may be picked, or all items if
    they are ordered. The default prompt is “Choose” or “Order” with the name. The site number is new.
    """
    var = node.var
    if var.is_unseen:
        _report_misplaced_unseen(routine, var)
    default = f"{'Order' if node.is_ordered else 'Choose'} {humanise(var.name)}"
    clauses = check_clauses(routine, node.by, node.prompt, default, node.span)
    source = check_list(routine, var.domain)
    low = _check_bound(routine, node.low, ALL_ITEMS if node.is_ordered else 0, node.span)
    high = _check_bound(routine, node.high, ALL_ITEMS, node.span)
    with routine.open_scope(), routine.restore_narrowing():
        item_slot = routine.bind(var.name, get_item_type(source), var.name_span, is_exempt=True)
        routine.local_facts.sources[item_slot] = source
        condition = check_item_condition(routine, var.condition, item_slot, get_item_type(source))
        label = None if node.label is None else check_template(routine, node.label)
    # a name that hides another one was already reported, when the single item was bound
    slot = routine.bind_unchecked(var.name, ListType(get_item_type(source)), var.name_span, is_exempt=False)
    ask_many = core.AskMany(
        node.span,
        routine.notes.allocate_site(),
        clauses.chooser,
        clauses.prompt,
        slot,
        var.name,
        source,
        condition,
        low,
        high,
        node.is_ordered,
        var.is_secret,
        item_slot,
        label,
    )
    routine.notes.choices.append((routine.local_facts, ask_many))
    return ask_many


def _make_pick_test(ask_many: core.AskMany) -> core.Expr:
    """Return a Bool expression that says whether a choice of several items has any item to pick.

    It is false if no item matches the condition, or if the maximum is 0 or less.
    """
    span, candidates = ask_many.span, ask_many.source
    if ask_many.condition is not None:
        candidates = core.Filter(candidates.type, span, ask_many.item_slot, candidates, ask_many.condition)
    zero, number = core.Const(INT, span, 0), core.CallBuiltin(INT, span, "count", (candidates,))
    return core.Binary(BOOL, span, ">", core.CallBuiltin(INT, span, "smaller", (number, ask_many.high)), zero)


def _check_bound(routine: Routine, node: ast.Expr | None, default: int, span: Span) -> core.Expr:
    return (
        core.Const(INT, span, default) if node is None else check_expected(routine, node, INT, "as a number of items")
    )


def check_choose_option(routine: Routine, node: ast.ChooseOption) -> list[core.Stmt]:
    """Check ``choose option`` and return one Ask, with a named alternative for each option in order.

    Reports NAME_TAKEN for a repeated option name, and keeps both options. The default prompt is “Choose”.
    """
    clauses = check_clauses(routine, node.by, node.prompt, "Choose", node.span)
    option_spans: dict[str, Span] = {}
    alternatives = []
    for option in node.options:
        if option.name in option_spans:
            message = f"this choice already has an option `{option.name}`"
            notes = [(option_spans[option.name], "first here")]
            routine.report_error(codes.NAME_TAKEN, message, option.name_span, "give it another name", notes)
        option_spans.setdefault(option.name, option.name_span)
        with routine.open_scope(), routine.restore_narrowing():
            conditions = check_conditions(routine, [] if option.condition is None else [option.condition])
            unseen_cards: list[UnseenCard] = []
            choice_vars = check_choice_vars(routine, option.vars, unseen_cards)
            written_label = None if option.label is None else check_template(routine, option.label)
            label = written_label or make_option_label(option.name, choice_vars, option.name_span)
            body = check_unseen_block(routine, unseen_cards, partial(routine.check_block, option.body))
        alternatives.append(core.Alternative(option.name, label, conditions, choice_vars, body, option.span))
    return [make_ask(routine, node.span, clauses, alternatives, ())]


def check_may(routine: Routine, node: ast.May) -> list[core.Stmt]:
    """Check ``may``: a choice between ``yes`` and ``no``, each with a block.

    Returns one Ask with these two alternatives, labelled “Yes” and “No”, which asks even if ``no`` has an empty block.
    Its prompt is the question, without which ``may`` doesn't parse.
    """
    clauses = check_clauses(routine, node.by, node.prompt, "", node.span)
    span = node.span
    yes = core.Alternative("yes", make_plain_template("Yes", span), (), (), routine.check_block(node.body), span)
    no = core.Alternative("no", make_plain_template("No", span), (), (), routine.check_block(node.otherwise), span)
    return [make_ask(routine, span, clauses, [yes, no], ())]


def make_ask(
    routine: Routine, span: Span, clauses: Clauses, alternatives: Sequence[core.Alternative], otherwise: Stmts
) -> core.Ask:
    """Return a choice with a new choice site, and with the chooser and the prompt of ``clauses``, unchanged.

    ``clauses`` holds them as checked core expressions, and nothing is checked here. The number of the site is
    ``routine.notes.site_count``, which rises by 1. Appends the pair of ``routine.local_facts`` and this choice to
    ``routine.notes.choices``, for the lints.
    """
    choice = core.Ask(
        span, routine.notes.allocate_site(), clauses.chooser, clauses.prompt, tuple(alternatives), otherwise
    )
    routine.notes.choices.append((routine.local_facts, choice))
    return choice


def check_chooser(routine: Routine, chooser: ast.Expr | None, span: Span) -> core.Expr:
    """Return the player who chooses: the one after ``by``, or ``me``.

    Returns a faulty expression after a report if there is neither, or if ``chooser`` is no player.
    """
    if chooser is not None:
        return check_expected(routine, chooser, PLAYER, "after `by`")
    return routine.get_actor(span, "a choice needs a player", "say who chooses: `by player`")


def check_clauses(
    routine: Routine, chooser_node: ast.Expr | None, prompt: ast.TextLit | None, default: str, span: Span
) -> Clauses:
    """Check who chooses, and the prompt, and return both as Clauses.

    ``chooser_node`` is the player as written; None stands for ``me``. If ``prompt`` is None, ``default`` is the text of
    the prompt. Without a player, reports that, and the chooser is a faulty expression.
    """
    chooser = check_chooser(routine, chooser_node, span)
    return Clauses(
        chooser, check_template(routine, prompt) if prompt is not None else make_plain_template(default, span)
    )


class UnseenCard(ValueRecord):
    """A card that is chosen unseen: its name in the text, and the cards to choose from."""

    var: ast.ChoiceVar
    cards: core.Expr


def _check_unseen(routine: Routine, var: ast.ChoiceVar) -> tuple[core.ChoiceVar, UnseenCard]:
    """Check a variable for a card that is chosen unseen.

    The player chooses a number instead of a card, because the order of the cards is hidden.
    """
    cards = check_list(routine, var.domain)
    with routine.open_scope(), routine.restore_narrowing():
        item = routine.bind(var.name, get_item_type(cards), var.name_span, UNSEEN_CARD, is_exempt=True)
        condition = check_item_condition(routine, var.condition, item, get_item_type(cards))
    if not isinstance(get_item_type(cards), ComponentType | NothingType):
        message = "only cards can be chosen unseen"
        routine.report_error(codes.UNSEEN_CARDS, message, var.domain.span, "remove `unseen`")
    if condition is not None:
        cards = core.Filter(cards.type, var.span, item, cards, condition)
    span = var.span
    numbers = core.Range(ListType(INT), span, core.Const(INT, span, 1), core.CallBuiltin(INT, span, "count", (cards,)))
    return core.ChoiceVar(routine.locals.allocate_slot(), var.name, numbers, None, False, span), UnseenCard(var, cards)


def check_unseen_block(routine: Routine, unseen_cards: Sequence[UnseenCard], block: Callable[[], Stmts]) -> Stmts:
    """Check the block of a choice of unseen cards, in which their names are bound.

    Chance assigns the cards, since no player can tell the numbers apart. Returns a tuple of one Random, which picks the
    first card. Its body is the Random for the next card, and so on; the innermost body is the block. Each Random picks
    from the list ``cards`` of its own card, even a card that an earlier one picked. If ``unseen_cards`` is empty, the
    block is returned alone. Each Random is secret, without an ``actor``: nobody learns the card. Its stream is
    ``picks``, or ``setup`` in the setup.
    """
    names = [
        (unseen_card, routine.bind(unseen_card.var.name, get_item_type(unseen_card.cards), unseen_card.var.name_span))
        for unseen_card in unseen_cards
    ]
    body = block()
    stream = "setup" if routine.is_setup else "picks"
    for unseen_card, slot in reversed(names):
        pick = core.Random(
            unseen_card.var.span,
            slot,
            unseen_card.var.name,
            unseen_card.cards,
            None,
            stream,
            body,
            (),
            True,
            origin=_UNSEEN_ORIGIN,
        )
        body = (pick,)
    return body


def check_choice_vars(
    routine: Routine, vars: Sequence[ast.ChoiceVar], unseen_cards: list[UnseenCard] | None = None
) -> tuple[core.ChoiceVar, ...]:
    """Bind the variables of a choice in the current scope, and return them in order.

    Later domains may use earlier variables. A variable with ``is_unseen`` becomes a number: a ChoiceVar of the same
    name without a condition, and not secret. Its domain is the Range from 1 to the number of cards that meet the
    condition. The name is not bound, and ``UnseenCard(var, cards)`` is appended to ``unseen_cards``, where ``cards`` is
    the list of these cards. With None for ``unseen_cards``, such a variable is reported and otherwise treated like any
    other. A domain that may be none becomes a list of one item or no item. Any other domain that is no list is
    reported, and the variable gets a faulty expression as its domain.
    """
    variables: list[core.ChoiceVar] = []
    for var in vars:
        if var.is_unseen and unseen_cards is not None:
            number, card = _check_unseen(routine, var)
            variables.append(number)
            unseen_cards.append(card)
            continue
        if var.is_unseen:
            _report_misplaced_unseen(routine, var)
        domain = check_list(routine, var.domain)
        slot = routine.bind(var.name, get_item_type(domain), var.name_span)
        routine.local_facts.sources[slot] = domain
        condition = check_item_condition(routine, var.condition, slot, get_item_type(domain))
        variables.append(core.ChoiceVar(slot, var.name, domain, condition, var.is_secret, var.span))
    return tuple(variables)


def _report_misplaced_unseen(routine: Routine, var: ast.ChoiceVar) -> None:
    message = "`unseen` works only for one card at a time, in a `choose` with a block or in an option"
    routine.report_error(codes.WRONG_CLAUSE, message, var.span, f"write `choose unseen {var.name} in list: …`")


def require_option(routine: Routine, vars: Sequence[core.ChoiceVar]) -> None:
    """Report each variable of a choice for which there may be nothing to choose.

    This is so if it has a condition, or if its list can be empty. Used where the names stay in scope, so that the
    choice must always have an option.
    """
    bounds = _TextBounds(routine)
    for var in vars:
        can_be_empty = not is_faulty(var.domain) and bounds.bound_size(var.domain)[0] == 0
        if var.condition is not None or can_be_empty:
            reason = "no item might match its condition" if var.condition is not None else "the list can be empty"
            routine.report.add(
                codes.MAY_BE_EMPTY,
                f"there might be no `{var.name}` to choose: {reason}",
                var.span,
                "end this line with `:` and indent what depends on the choice; "
                "lusory skips it if there is nothing to choose",
            )


class _TextBounds(Record, Bounds):
    """Bounds of values in a text that is being checked, from declarations and from the locals of the text."""

    routine: Routine

    def bound_local(self, expr: core.Local) -> Interval:
        """Return the bounds of the value of a ``let``. A local without a known value gives all integers."""
        value = self.routine.local_facts.values.get(expr.slot)
        return INT_RANGE if value is None else self.bound_number(value)

    def bound_place(self, place: str, indices: tuple[core.Expr, ...]) -> Interval:
        """Return the bounds of a count in a pool, or all integers for other places."""
        return self.bound_pool_total(place)

    def bound_pool_total(self, pool: str) -> Interval:
        """Return ``(0, INT_MAX)`` for a pool that is not unlimited, and the 64-bit ``INT_RANGE`` for any other name."""
        symbol = self.routine.names.symbols.get(pool)
        is_never_negative = isinstance(symbol, PoolSymbol) and not symbol.is_unlimited
        return (0, INT_MAX) if is_never_negative else INT_RANGE


def check_conditions(routine: Routine, nodes: Sequence[ast.Expr]) -> tuple[core.Expr, ...]:
    """Check conditions that are evaluated in order, and return them.

    Later ones may rely on the earlier ones, and so does what follows in the routine. A faulty condition is reported and
    stays in the result as a faulty expression.
    """
    return tuple([assume_condition(routine, node) for node in nodes])


def make_option_label(name: str, vars: Sequence[core.ChoiceVar], span: Span) -> core.TextTemplate:
    """Return the label of an alternative without a written one, from its name and variables.

    Its parts are the name, with blanks for underscores and a capital first letter, and then for each variable a blank
    and its Local. ``buy_VP`` with the variable ``n`` has the parts ``("Buy VP", " ", Local n)``.
    """
    parts: list[str | core.Expr] = [make_title(name)]
    for var in vars:
        parts += [" ", core.Local(get_item_type(var.domain), var.span, var.slot, var.name)]
    return core.TextTemplate(TEXT, span, tuple(parts))


_SIMULTANEOUS_ORIGIN = Origin(AT_ONCE)

Choice = ast.Choose | ast.ChooseSome


class StoredPick(ValueRecord):
    """A value that a player picks: its name in the text, its type, and the variable that stores it."""

    var: ast.ChoiceVar
    type: Type
    variable: core.Variable


class SimultaneousChoice(ValueRecord):
    """A choice of all players at once: the picked values, and the variable that says whether an option existed."""

    choice: Choice
    picks: tuple[StoredPick, ...]
    has_option: core.Variable


def check_at_once(routine: Routine, node: ast.EachPlayer, source: core.Expr) -> list[core.Stmt]:
    """Check ``each player at once``: first ask all players, then run the block for each.

    Returns five statements: ``[Let, SetCell, ForEach, SetCell, ForEach]``. The Let binds the players of the list
    ``source`` who match the condition. The first SetCell hides the answers, a ForEach asks each of the players, and the
    second SetCell reveals the answers. The last ForEach runs the rest of the block for each of the players. The
    questions are each Choose and ChooseSome at the beginning of the block, up to and including the first one with a
    block of its own. That block belongs to the rest. Reports NOT_AT_ONCE if there is no question, also for a
    ChooseOption (``choose:`` with options), and WRONG_CLAUSE for a question with ``by``. Returns all five even then.
    """
    span = node.span
    choices, later_block = _split_choices(routine, node)
    builder = _SimultaneousBuilder(routine, span)
    players = core.Local(source.type, span, routine.locals.allocate_slot(), "players")
    with routine.open_scope(), routine.restore_narrowing():
        asked_slot = routine.bind_me(span)
        condition = check_item_condition(routine, node.condition, asked_slot, PLAYER)
    asked_players = source if condition is None else core.Filter(source.type, span, asked_slot, source, condition)
    with routine.open_scope(), routine.restore_narrowing():
        me = routine.bind_me(span)
        asks = tuple(stmt for choice in choices for stmt in builder._check_choice(choice))
        for choice in choices:
            vars = choice.vars if isinstance(choice, ast.Choose) else (choice.var,)
            for local in routine.locals.find_all(var.name for var in vars):
                local.is_used = True  # an unused name is reported once, for the block
    routine.loops += 1
    with routine.open_scope(), routine.restore_narrowing():
        player_slot = routine.bind_me(span)
        body = builder._check_later_block(later_block)
    routine.loops -= 1
    return [
        core.Let(span, players.slot, players.name, asked_players, origin=_SIMULTANEOUS_ORIGIN),
        builder._make_reveal(False),
        core.ForEach(span, me, "me", players, None, asks, origin=_SIMULTANEOUS_ORIGIN),
        builder._make_reveal(True),
        core.ForEach(span, player_slot, "me", players, None, body),
    ]


def _split_choices(routine: Routine, node: ast.EachPlayer) -> tuple[list[Choice], ast.Block]:
    """Split a block into the choices at its beginning and the rest. A choice with a block of its own is the last.

    Reports a ``by`` of a choice, and a block that begins with no choice.
    """
    choices: list[Choice] = []
    for stmt in node.body:
        if not isinstance(stmt, Choice):
            break
        choices.append(stmt)
        if stmt.by is not None:
            message = "players who choose at once choose for themselves"
            routine.report_error(codes.WRONG_CLAUSE, message, stmt.by.span, "remove `by`")
        if stmt.body is not None:
            break
    if not choices:
        message = "this would happen before all players have chosen"
        hint = "move these lines above `each player at once`, so that its block begins with `choose`"
        routine.report_error(codes.NOT_AT_ONCE, message, node.body[0].span, hint)
    return choices, node.body[len(choices) :]


class _SimultaneousBuilder:
    """Ask all players, and store their answers until the last one has answered."""

    def __init__(self, routine: Routine, span: Span) -> None:
        self.routine = routine
        self.span = span
        self.number = routine.notes.site_count
        self.choices: list[SimultaneousChoice] = []
        self._shown_variable = self._declare_variable("Shown", BOOL, False, core.Visibility("all", None), ())

    def _make_reveal(self, is_revealed: bool) -> core.Stmt:
        """Return a statement that reveals the answers to others, or hides them if ``is_revealed`` is False."""
        return self._make_assignment(self._shown_variable, (), core.Const(BOOL, self.span, is_revealed))

    # ------------------------------------------------------------ before all have chosen

    def _check_choice(self, choice: Choice) -> list[core.Stmt]:
        """Return the statements that ask one player and store the answer, without the block of the choice.

        Their choice sites are private: the other players learn the answer only after everybody has chosen.
        """
        first_site = self.routine.notes.site_count
        statements = self._check_choose(choice) if isinstance(choice, ast.Choose) else self._check_choose_some(choice)
        self.routine.notes.private_sites.update(range(first_site, self.routine.notes.site_count))
        return statements

    def _check_choose(self, node: ast.Choose) -> list[core.Stmt]:
        """Return the statements that ask one player for values and store them.

        They first note that there was no option. If the choice has a block, the values are stored only if one was
        chosen.
        """
        routine = self.routine
        default = "Choose " + " and ".join(humanise(var.name) for var in node.vars)
        clauses = check_clauses(routine, None, node.prompt, default, node.span)
        vars = check_choice_vars(routine, node.vars)
        if node.body is None:
            require_option(routine, vars)
        label = None if node.label is None else check_template(routine, node.label)
        picked_values = [
            (var, get_item_type(variable.domain), variable.slot) for var, variable in zip(node.vars, vars, strict=True)
        ]
        stores = self._store_picks(node, picked_values)
        body, statements_after = ((), stores) if node.body is None else (stores, ())
        alternative = core.Alternative(None, label, (), vars, body, node.span)
        choice = replace(make_ask(routine, node.span, clauses, [alternative], ()), origin=_SIMULTANEOUS_ORIGIN)
        return [self._make_option_note(False), choice, *statements_after]

    def _check_choose_some(self, node: ast.ChooseSome) -> list[core.Stmt]:
        ask_many = _make_ask_many(self.routine, replace(node, by=None))
        picks = [(node.var, ListType(get_item_type(ask_many.source)), ask_many.slot)]
        *stores, _ = self._store_picks(node, picks)
        note = self._make_assignment(self.choices[-1].has_option, (self._make_me(),), _make_pick_test(ask_many))
        return [note, replace(ask_many, origin=_SIMULTANEOUS_ORIGIN), *stores]

    def _store_picks(self, choice: Choice, values: Sequence[tuple[ast.ChoiceVar, Type, int]]) -> tuple[core.Stmt, ...]:
        """Return statements that store the picked values, and that an option existed.

        Declares a variable for each value, which others see after the reveal unless it is secret, and one for the
        option.
        """
        picks = []
        number, dims = len(self.choices), (core.Dim(PLAYER),)
        for n, (var, type, _) in enumerate(values):
            is_list = isinstance(type, ListType)
            visibility = core.Visibility("owner", None)
            if not var.is_secret:
                viewer, owner = core.Local(PLAYER, self.span, 0, "viewer"), core.Local(PLAYER, self.span, 1, "owner")
                is_own = core.Binary(BOOL, self.span, "=", viewer, owner)
                is_shown = core.ReadCell(BOOL, self.span, self._shown_variable.name, ())
                visibility = core.Visibility(None, core.Binary(BOOL, self.span, "or", is_own, is_shown))
            stored_type, start = (type, ()) if is_list else (OptionalType(type), None)
            variable = self._declare_variable(f"Pick{number}x{n}", stored_type, start, visibility, dims)
            picks.append(StoredPick(var, type, variable))
        has_option = self._declare_variable(f"Made{number}", BOOL, False, core.Visibility("owner", None), dims)
        self.choices.append(SimultaneousChoice(choice, tuple(picks), has_option))
        pairs = zip(picks, values, strict=True)
        stores = [
            self._make_assignment(pick.variable, (self._make_me(),), core.Local(type, self.span, slot, var.name))
            for pick, (var, type, slot) in pairs
        ]
        return (*stores, self._make_option_note(True))

    def _make_option_note(self, has_option: bool) -> core.Stmt:
        variable = self.choices[-1].has_option
        return self._make_assignment(variable, (self._make_me(),), core.Const(BOOL, self.span, has_option))

    # ------------------------------------------------------------ when all have chosen

    def _check_later_block(self, later_block: ast.Block) -> Stmts:
        """Return the statements that run for each player after all choices.

        For each choice they announce the answer, unless it is secret or the player had no option, and bind the picked
        values. Only the last choice can have a block. Then an ``If`` follows. If the player had an option, it binds the
        values and runs the block. Otherwise it runs the ``otherwise`` block. The statements of ``later_block`` follow.
        """
        routine, statements = self.routine, list[core.Stmt]()
        for choice in self.choices:
            statements += self._make_announcements(choice)
            if choice.choice.body is None:
                statements += self._make_lets(choice)
        for choice in self.choices[-1:]:
            if choice.choice.body is not None:
                with routine.open_scope(), routine.restore_narrowing():
                    names = self._make_lets(choice)
                    body = (*names, *routine.check_block(choice.choice.body))
                otherwise = routine.check_block(choice.choice.otherwise)
                had_option = core.ReadCell(BOOL, self.span, choice.has_option.name, (self._make_me(),))
                statements.append(
                    core.If(choice.choice.span, ((had_option, body),), otherwise, origin=_SIMULTANEOUS_ORIGIN)
                )
        return (*statements, *routine.check_block(later_block))

    def _make_announcements(self, choice: SimultaneousChoice) -> list[core.Stmt]:
        """Return the announcement of the public answers to a choice."""
        text_parts: list[str | core.Expr] = [self._make_me(), ": "]
        for pick in choice.picks:
            if not pick.var.is_secret:
                text_parts += [*([" "] if len(text_parts) > 2 else []), self._make_read(pick)]
        if len(text_parts) == 2:
            return []
        span = choice.choice.span
        line = core.Announce(span, core.TextTemplate(TEXT, span, tuple(text_parts)), None, origin=_SIMULTANEOUS_ORIGIN)
        had_option = core.ReadCell(BOOL, span, choice.has_option.name, (self._make_me(),))
        return [core.If(span, ((had_option, (line,)),), (), origin=_SIMULTANEOUS_ORIGIN)]

    def _make_lets(self, choice: SimultaneousChoice) -> list[core.Stmt]:
        statements: list[core.Stmt] = []
        for pick in choice.picks:
            value = self._make_read(pick)
            slot = self.routine.bind(pick.var.name, pick.type, pick.var.name_span)
            statements.append(core.Let(pick.var.span, slot, pick.var.name, value, origin=_SIMULTANEOUS_ORIGIN))
        return statements

    # ------------------------------------------------------------ help

    def _make_read(self, pick: StoredPick) -> core.Expr:
        return core.ReadCell(pick.type, pick.var.span, pick.variable.name, (self._make_me(),))

    def _make_me(self) -> core.Expr:
        return self.routine.get_actor(self.span, "")

    def _make_assignment(self, variable: core.Variable, indices: tuple[core.Expr, ...], value: core.Expr) -> core.Stmt:
        return core.SetCell(self.span, variable.name, indices, "set", value, origin=_SIMULTANEOUS_ORIGIN)

    def _declare_variable(
        self, suffix: str, type: Type, start: object, visibility: core.Visibility, dims: tuple[core.Dim, ...]
    ) -> core.Variable:
        name = make_internal_name(f"at_once{self.number}", suffix)
        variable = make_hidden_variable(name, type, start, self.span, Origin(AT_ONCE, str(self.number), suffix), dims)
        self.routine.notes.hidden_variables[name] = replace(variable, visible=visibility)
        return self.routine.notes.hidden_variables[name]
