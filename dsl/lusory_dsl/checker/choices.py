"""Check choices: of one option, of several items, of named alternatives, and of all players at once.

Choices at once are lowered here. All players are asked first, and hidden variables store the answers. Then the answers
are revealed, and the block runs for each player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from .. import core
from ..core.provenance import AT_ONCE, CHOICES, UNSEEN, Origin
from ..core.sugar import kept_name, kept_variable
from ..core.value_ranges import Bounds
from ..source import diagnostic_codes
from ..source.lazy_dataclass import dataclass, replace
from ..source.source import Span, humanised
from ..syntax import ast
from ..types.builtins import RUNTIME
from ..types.types import (
    ANY,
    BOOL,
    INT,
    INT_MAX,
    PLAYER,
    TEXT,
    ComponentType,
    Interval,
    ListType,
    NothingType,
    OptionalType,
    Type,
)
from .coercions import expect, item_type, list_value, written_condition
from .context import Routine, Stmts, is_faulty
from .lists import item_condition
from .symbols import PoolSymbol, TableSymbol
from .texts import text_template, words

#: Upper bound for a number of items, greater than the length of any list.
ALL_OF_THEM = 2**31 - 1
_MADE = Origin(CHOICES, part="some with a block")
_DRAWN = Origin(CHOICES, part=UNSEEN)


@dataclass(frozen=True)
class Clauses:
    """The clauses that every choice has: the player who chooses, and the question."""

    chooser: core.Expr
    prompt: core.TextTemplate


def choose(r: Routine, node: ast.Choose) -> list[core.Stmt]:
    """Check a choice of one option among all values that the variables allow."""
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


def choose_some(r: Routine, node: ast.ChooseSome) -> list[core.Stmt]:
    """Check a choice of several items of a list, or of an order for all of them."""
    if node.body is None:
        return [ask_some(r, node)]
    with r.frame(), r.narrowing():
        asked = ask_some(r, node)
        body = r.block(node.body)
    return _with_block(r, asked, body, r.block(node.otherwise))


def ask_some(r: Routine, node: ast.ChooseSome) -> core.AskMany:
    """Check a choice of several items, without the blocks that may follow."""
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
    """Return a choice of several items with its blocks. The ``otherwise`` block runs if no item could be picked."""
    span = asked.span
    some = core.Local(BOOL, span, r.locals.slot(), "some")
    noted = core.Let(span, some.slot, some.name, can_pick(asked), origin=_MADE)
    return [noted, asked, core.If(span, ((some, body),), otherwise, origin=_MADE)]


def can_pick(asked: core.AskMany) -> core.Expr:
    """Return an expression that says whether a choice of several items has any item to pick."""
    span, found = asked.span, asked.source
    if asked.condition is not None:
        found = core.Filter(found.type, span, asked.item_slot, found, asked.condition)
    zero, number = core.Const(INT, span, 0), core.CallBuiltin(INT, span, "count", (found,))
    return core.Binary(BOOL, span, ">", core.CallBuiltin(INT, span, "smaller", (number, asked.high)), zero)


def _bind_some(r: Routine, var: ast.ChoiceVar, item: Type) -> int:
    """Bind the name of the list of picked items.

    A name that hides another one was already reported, when the single item was bound.
    """
    return r.bind_quietly(var.name, ListType(item), var.name_span, exempt=False)


def _bound(r: Routine, node: ast.Expr | None, default: int, span: Span) -> core.Expr:
    return core.Const(INT, span, default) if node is None else expect(r, node, INT, "as a number of items")


def choose_option(r: Routine, node: ast.ChooseOption) -> list[core.Stmt]:
    """Check ``choose option`` and return one Ask. Reports a repeated option name, and keeps both options."""
    clauses = common_clauses(r, node.by, node.prompt, "Choose", node.span)
    seen: dict[str, Span] = {}
    alternatives = []
    for option in node.options:
        if option.name in seen:
            r.error(
                diagnostic_codes.NAME_TAKEN,
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


def may(r: Routine, node: ast.May) -> list[core.Stmt]:
    """Check ``may``: a choice between yes and no."""
    clauses = common_clauses(r, node.by, node.prompt, "", node.span)
    span = node.span
    yes = core.Alternative("yes", words("Yes", span), (), (), r.block(node.body), span)
    no = core.Alternative("no", words("No", span), (), (), r.block(node.otherwise), span)
    return [ask(r, span, clauses, [yes, no], ())]


def ask(
    r: Routine, span: Span, clauses: Clauses, alternatives: Sequence[core.Alternative], otherwise: Stmts
) -> core.Ask:
    """Return a choice with a new choice site, and record it for the lints."""
    made = core.Ask(span, r.notes.site(), clauses.chooser, clauses.prompt, tuple(alternatives), otherwise)
    r.notes.choices.append((r.known, made))
    return made


def choosing_player(r: Routine, by: ast.Expr | None, span: Span) -> core.Expr:
    """Return the player who chooses: the one after ``by``, or ``me``."""
    if by is not None:
        return expect(r, by, PLAYER, "after `by`")
    hint = "say who chooses: `by player`, or put it inside of `each player:`"
    return r.actor(span, "a choice needs a player", hint)


def common_clauses(r: Routine, by: ast.Expr | None, prompt: ast.TextLit | None, default: str, span: Span) -> Clauses:
    chooser = choosing_player(r, by, span)
    return Clauses(chooser, text_template(r, prompt) if prompt is not None else words(default, span))


@dataclass(frozen=True)
class Unseen:
    """A card that is chosen unseen: its name in the text, and the cards to choose from."""

    var: ast.ChoiceVar
    cards: core.Expr


def _unseen(r: Routine, var: ast.ChoiceVar) -> tuple[core.ChoiceVar, Unseen]:
    """Check a variable for a card that is chosen unseen.

    The player chooses a number instead of a card, because the order of the cards is hidden.
    """
    cards = list_value(r, var.domain)
    with r.frame(), r.narrowing():
        item = r.bind(var.name, item_type(cards), var.name_span, exempt=True)
        condition = item_condition(r, var.condition, item, item_type(cards))
    if not isinstance(item_type(cards), ComponentType | NothingType):
        message = "only cards can be chosen unseen: other values are the same wherever they are"
        r.error(diagnostic_codes.UNSEEN_CARDS, message, var.domain.span, "leave `unseen` out")
    if condition is not None:
        cards = core.Filter(cards.type, var.span, item, cards, condition)
    span = var.span
    numbers = core.Range(ListType(INT), span, core.Const(INT, span, 1), core.CallBuiltin(INT, span, "count", (cards,)))
    return core.ChoiceVar(r.locals.slot(), var.name, numbers, None, False, span), Unseen(var, cards)


def drawn(r: Routine, unseen: Sequence[Unseen], block: Callable[[], Stmts]) -> Stmts:
    """Check the block of a choice of unseen cards.

    Chance assigns the cards, since no player can tell the numbers apart.
    """
    names = [(one, r.bind(one.var.name, item_type(one.cards), one.var.name_span)) for one in unseen]
    body = block()
    stream = "setup" if r.setup else "picks"
    for one, slot in reversed(names):
        pick = core.Random(one.var.span, slot, one.var.name, one.cards, None, stream, body, (), True, origin=_DRAWN)
        body = (pick,)
    return body


def choice_vars(
    r: Routine, vars: Sequence[ast.ChoiceVar], unseen: list[Unseen] | None = None
) -> tuple[core.ChoiceVar, ...]:
    """Bind the variables of a choice in the current scope. Later domains may use earlier variables.

    ``unseen`` collects the cards that are chosen unseen. If it is None, such a card is reported.
    """
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


def _misplaced(r: Routine, var: ast.ChoiceVar) -> None:
    message = "a card is chosen unseen by `choose` with a block, one at a time"
    r.error(diagnostic_codes.WRONG_CLAUSE, message, var.span, f"write `choose unseen {var.name} in list: …`")


def demand_option(r: Routine, vars: Sequence[core.ChoiceVar]) -> None:
    """Report a choice that may have no option. Its names stay in scope, so it must always have one."""
    for var in vars:
        if var.condition is not None or not _never_empty(r, var.domain):
            why = "its condition may leave none" if var.condition is not None else "its list may be empty"
            r.report.add(
                diagnostic_codes.MAY_BE_EMPTY,
                f"there may be no `{var.name}` to choose: {why}",
                var.span,
                "give the choice a block, which is skipped when there is no option: end it with `:`",
            )


@dataclass(frozen=True, eq=False)
class _DeclaredBounds(Bounds):
    """Value ranges of numbers, from declarations and from the locals of a text."""

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
    """Return whether a list certainly has an item."""
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
            table = r.names.symbols.get(name)  # tables of board queries have no symbol
            return isinstance(table, TableSymbol) and table.never_empty
    return is_faulty(expr)


def written_conditions(r: Routine, nodes: Sequence[ast.Expr]) -> tuple[core.Expr, ...]:
    """Check conditions that are evaluated in order. Later ones may rely on the earlier ones."""
    found = []
    for node in nodes:
        condition = written_condition(r, node)
        r.assume(condition, True)
        found.append(condition)
    return tuple(found)


def option_label(
    name: str, label: core.TextTemplate | None, vars: Sequence[core.ChoiceVar], span: Span
) -> core.TextTemplate:
    """Return the written label of a named alternative, or its name followed by the values of its variables."""
    if label is not None:
        return label
    parts: list[str | core.Expr] = [humanised(name).capitalize()]
    for var in vars:
        parts += [" ", core.Local(item_type(var.domain), var.span, var.slot, var.name)]
    return core.TextTemplate(TEXT, span, tuple(parts))


_SIMULTANEOUS_MADE = Origin(AT_ONCE)

Choice = ast.Choose | ast.ChooseSome


@dataclass(frozen=True)
class Pick:
    """A value that a player picks: its name in the text, its type, and the variable that stores it."""

    var: ast.ChoiceVar
    type: Type
    kept: core.Variable


@dataclass(frozen=True)
class Asked:
    """A choice of all players at once: the picked values, and the variable that says whether an option existed."""

    choice: Choice
    picks: tuple[Pick, ...]
    made: core.Variable


def at_once(r: Routine, node: ast.EachPlayer, source: core.Expr) -> list[core.Stmt]:
    """Check ``each player at once``: first ask all players, then run the block for each."""
    span = node.span
    choices, rest = _divided(r, node)
    asking = _Asking(r, span)
    who = core.Local(source.type, span, r.locals.slot(), "players")
    with r.frame(), r.narrowing():
        one = r.bind_me(span)
        condition = item_condition(r, node.condition, one, PLAYER)
    wanted = source if condition is None else core.Filter(source.type, span, one, source, condition)
    with r.frame(), r.narrowing():
        me = r.bind_me(span)
        asks = tuple(stmt for choice in choices for stmt in asking.asked(choice))
        for local in r.locals.named(var.name for choice in choices for var in _vars(choice)):
            local.used = True  # an unused name is reported once, for the block
    r.loops += 1
    with r.frame(), r.narrowing():
        own = r.bind_me(span)
        body = asking.answered(rest)
    r.loops -= 1
    return [
        core.Let(span, who.slot, who.name, wanted, origin=_SIMULTANEOUS_MADE),
        asking.shown(False),
        core.ForEach(span, me, "me", who, None, asks, origin=_SIMULTANEOUS_MADE),
        asking.shown(True),
        core.ForEach(span, own, "me", who, None, body),
    ]


def _divided(r: Routine, node: ast.EachPlayer) -> tuple[list[Choice], ast.Block]:
    """Split a block into the choices at its beginning and the rest. A choice with a block of its own is the last."""
    found: list[Choice] = []
    for stmt in node.body:
        if not isinstance(stmt, Choice):
            break
        found.append(stmt)
        if stmt.by is not None:
            message = "those who choose at once choose for themselves"
            r.error(diagnostic_codes.WRONG_CLAUSE, message, stmt.by.span, "leave `by` out")
        if stmt.body is not None:
            break
    if not found:
        hint = "the block begins with `choose`; put what comes first before `each player at once`"
        r.error(diagnostic_codes.NOT_AT_ONCE, "this would happen before all have chosen", node.body[0].span, hint)
    return found, node.body[len(found) :]


def _vars(choice: Choice) -> tuple[ast.ChoiceVar, ...]:
    return choice.vars if isinstance(choice, ast.Choose) else (choice.var,)


class _Asking:
    """Ask all players, and store their answers until the last one has answered."""

    def __init__(self, r: Routine, span: Span) -> None:
        self.r = r
        self.span = span
        self.number = r.notes.sites
        self.found: list[Asked] = []
        self._shown = self._kept("Shown", BOOL, False, core.Visibility("all", None), ())

    def shown(self, value: bool) -> core.Stmt:
        """Return a statement that reveals the answers to the other players, or hides them again."""
        return self._set(self._shown, (), core.Const(BOOL, self.span, value))

    # ------------------------------------------------------------ before all have chosen

    def asked(self, choice: Choice) -> list[core.Stmt]:
        """Check a choice without its block. The others learn the answer only after everybody has chosen."""
        first = self.r.notes.sites
        made = self._choose(choice) if isinstance(choice, ast.Choose) else self._choose_some(choice)
        self.r.notes.private_sites.update(range(first, self.r.notes.sites))
        return made

    def _choose(self, node: ast.Choose) -> list[core.Stmt]:
        r = self.r
        default = "Choose " + " and ".join(humanised(v.name) for v in node.vars)
        clauses = common_clauses(r, None, node.prompt, default, node.span)
        vars = choice_vars(r, node.vars)
        if node.body is None:
            demand_option(r, vars)
        label = None if node.label is None else text_template(r, node.label)
        picked = [(var, item_type(found.domain), found.slot) for var, found in zip(node.vars, vars, strict=True)]
        keep = self._keep(node, picked)
        inside, behind = ((), keep) if node.body is None else (keep, ())
        alternative = core.Alternative(None, label, (), vars, inside, node.span)
        asked = replace(ask(r, node.span, clauses, [alternative], ()), origin=_SIMULTANEOUS_MADE)
        return [self._note(False), asked, *behind]

    def _choose_some(self, node: ast.ChooseSome) -> list[core.Stmt]:
        asked = ask_some(self.r, replace(node, by=None))
        picks = [(node.var, ListType(item_type(asked.source)), asked.slot)]
        *keep, _ = self._keep(node, picks)
        noted = self._set(self.found[-1].made, (self._me(),), can_pick(asked))
        return [noted, replace(asked, origin=_SIMULTANEOUS_MADE), *keep]

    def _keep(self, choice: Choice, picked: Sequence[tuple[ast.ChoiceVar, Type, int]]) -> tuple[core.Stmt, ...]:
        """Return statements that store the picked values, and store that an option existed."""
        picks = []
        number, dims = len(self.found), (core.Dim(PLAYER),)
        for n, (var, type, _) in enumerate(picked):
            is_list = isinstance(type, ListType)
            seen = core.Visibility("owner", None) if var.secret else core.Visibility(None, self._is_shown())
            kept = self._kept(
                f"Pick{number}x{n}", type if is_list else OptionalType(type), () if is_list else None, seen, dims
            )
            picks.append(Pick(var, type, kept))
        made = self._kept(f"Made{number}", BOOL, False, core.Visibility("owner", None), dims)
        self.found.append(Asked(choice, tuple(picks), made))
        given = zip(picks, picked, strict=True)
        keep = [
            self._set(pick.kept, (self._me(),), core.Local(type, self.span, slot, var.name))
            for pick, (var, type, slot) in given
        ]
        return (*keep, self._note(True))

    def _note(self, value: bool) -> core.Stmt:
        return self._set(self.found[-1].made, (self._me(),), core.Const(BOOL, self.span, value))

    def _is_shown(self) -> core.Expr:
        viewer, owner = (core.Local(PLAYER, self.span, slot, name) for slot, name in enumerate(("viewer", "owner")))
        own = core.Binary(BOOL, self.span, "=", viewer, owner)
        return core.Binary(BOOL, self.span, "or", own, core.ReadCell(BOOL, self.span, self._shown.name, ()))

    # ------------------------------------------------------------ when all have chosen

    def answered(self, rest: ast.Block) -> Stmts:
        """Return the statements that run for each player after all choices.

        They begin with announcements of the public answers.
        """
        r, found = self.r, list[core.Stmt]()
        for asked in self.found:
            found += self._told(asked)
            if asked.choice.body is None:
                found += self._named(asked)
        for asked in self.found[-1:]:
            if asked.choice.body is not None:
                with r.frame(), r.narrowing():
                    names = self._named(asked)
                    body = (*names, *r.block(asked.choice.body))
                otherwise = r.block(asked.choice.otherwise)
                made = core.ReadCell(BOOL, self.span, asked.made.name, (self._me(),))
                found.append(core.If(asked.choice.span, ((made, body),), otherwise, origin=_SIMULTANEOUS_MADE))
        return (*found, *r.block(rest))

    def _told(self, asked: Asked) -> list[core.Stmt]:
        """Return the announcement of the public answers to a choice."""
        shown: list[str | core.Expr] = [self._me(), ": "]
        for pick in asked.picks:
            if not pick.var.secret:
                shown += [*([" "] if len(shown) > 2 else []), self._read(pick)]
        if len(shown) == 2:
            return []
        span = asked.choice.span
        line = core.Announce(span, core.TextTemplate(TEXT, span, tuple(shown)), None, origin=_SIMULTANEOUS_MADE)
        made = core.ReadCell(BOOL, span, asked.made.name, (self._me(),))
        return [core.If(span, ((made, (line,)),), (), origin=_SIMULTANEOUS_MADE)]

    def _named(self, asked: Asked) -> list[core.Stmt]:
        found: list[core.Stmt] = []
        for pick in asked.picks:
            value = self._read(pick)
            slot = self.r.bind(pick.var.name, pick.type, pick.var.name_span)
            found.append(core.Let(pick.var.span, slot, pick.var.name, value, origin=_SIMULTANEOUS_MADE))
        return found

    # ------------------------------------------------------------ help

    def _read(self, pick: Pick) -> core.Expr:
        return core.ReadCell(pick.type, pick.var.span, pick.kept.name, (self._me(),))

    def _me(self) -> core.Expr:
        return self.r.actor(self.span, "", "")

    def _set(self, variable: core.Variable, indices: tuple[core.Expr, ...], value: core.Expr) -> core.Stmt:
        return core.SetCell(self.span, variable.name, indices, "set", value, origin=_SIMULTANEOUS_MADE)

    def _kept(
        self, what: str, type: Type, start: object, visible: core.Visibility, dims: tuple[core.Dim, ...]
    ) -> core.Variable:
        name = kept_name(f"at_once{self.number}", what)
        made = kept_variable(name, type, start, self.span, Origin(AT_ONCE, str(self.number), what), dims)
        self.r.notes.kept[name] = replace(made, visible=visible)
        return self.r.notes.kept[name]
