"""Check reaction windows, the actions that answer them, and spans.

A span is a state that ends when its condition fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import core
from ..core.provenance import SPANS, WINDOWS, Origin
from ..core.sugar import CANCELLED, HOLDS, Answer, LastingCondition, Round, Window, kept_name
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics, about_name, did_you_mean
from ..source.lazy_dataclass import replace
from ..source.source import Embedded, article, humanised
from ..syntax import ast
from ..syntax.parser import parse_offer
from ..types.types import BOOL, PLAYER, ListType
from .actions import answering, offered
from .calls import arguments, owner_of
from .context import Notes, Routine
from .limits import Owner
from .rules import Rules
from .symbols import BrokenSymbol, SpanSymbol, WindowSymbol
from .texts import Texts, template_in, value_in, words


def open_window(r: Routine, node: ast.Open) -> list[core.Stmt]:
    """Check ``open``: players may answer before the block runs, and an answer can cancel the block.

    Example: ``open attack(card): BODY`` becomes a call of the window's effect, then ``if not cancelled: BODY``.
    """
    callee = node.call.callee
    assert isinstance(callee, ast.Name)
    opened = _opened(r, callee, node.call)
    body, otherwise = r.block(node.body or ()), r.block(node.otherwise)
    if opened is None:
        return []
    if not body and not otherwise:
        return [opened]
    cancelled = core.ReadCell(BOOL, node.span, kept_name(callee.name, CANCELLED), ())
    happens = core.Unary(BOOL, node.span, "not", cancelled)
    return [opened, core.If(node.span, ((happens, body),), otherwise, origin=Origin(WINDOWS, part="happens"))]


def _opened(r: Routine, name: ast.Name, call: ast.Call) -> core.Stmt | None:
    """Return the call that opens a window, or None after a report."""
    symbol = r.names.symbols.get(name.name)
    if not isinstance(symbol, WindowSymbol):
        for argument in call.args:
            r.operand(argument.value)
        if not isinstance(symbol, BrokenSymbol):
            hint = did_you_mean(name.name, r.names.named(WindowSymbol)) or "declare it under `windows`"
            notes = [(symbol.span, "declared here")] if symbol is not None else []
            what = f"`{name.name}` is {article(symbol.what)}" if symbol else f"there is no window `{name.name}`"
            code = diagnostic_codes.UNKNOWN_NAME if symbol is None else diagnostic_codes.VALUE_AS_STATEMENT
            message = f"{what}; only windows are opened" if symbol else what
            r.error(code, message, name.span, hint, notes, about_name(name.name))
        return None
    owner = owner_of(r, symbol, None, name.span)
    values = arguments(r, symbol, symbol.params, call.args, call.span)
    r.use(symbol, name.span)
    r.notes.graph.call(r.owner, Owner("window", name.name), name.span)
    return None if values is None else core.CallEffect(call.span, name.name, (*owner, *values))


def cancel(r: Routine, node: ast.Cancel) -> list[core.Stmt]:
    """Check ``cancel``, which keeps the block of the opened window from running."""
    if r.window is None:
        hint = "it stands in the `do` of an action that a window lists under `actions`"
        r.error(diagnostic_codes.CANCEL_OUTSIDE_ANSWER, "there is nothing to cancel here", node.span, hint)
        return []
    yes = core.Const(BOOL, node.span, True)
    return [core.SetCell(node.span, kept_name(r.window.name, CANCELLED), (), "set", yes)]


def span_of(decl: model.SpanDecl, texts: Texts) -> tuple[core.Variable, core.Query, LastingCondition] | None:
    """Return the variable of a span, the query for its condition, and its entry in the sugar.

    None if its name is faulty.
    """
    name, place = decl.name.text, decl.name.span
    symbol = texts.names.symbols.get(name)
    if not isinstance(symbol, SpanSymbol):
        return None
    routine = texts.routine(Owner("span", name))
    params = (core.Param(routine.bind_me(place), "me", PLAYER),) if decl.per_player else ()
    value = value_in(routine, decl.holds, BOOL, "as a condition")
    origin = Origin(SPANS, name, HOLDS)
    query = core.Query(kept_name(name, HOLDS), decl.per_player, params, BOOL, routine.locals.n_slots, value, (), origin)
    start, visible = core.Const(BOOL, place, False), core.Visibility("all", None)
    variable = core.Variable(name, symbol.dims, BOOL, start, len(symbol.dims), visible, "", decl.doc)
    return variable, query, LastingCondition(name, query.name, place)


def claim_answers(decls: Iterable[model.WindowDecl], notes: Notes, report: Diagnostics) -> None:
    """Record which action of the ruleset answers which window. Reports an action that answers two windows.

    Actions of cards are not included. They are recorded when their window is checked.
    """
    for decl in decls:
        for text in (*decl.forced, *decl.actions):
            offer = parse_offer(text, Diagnostics())
            if offer is None or offer.cards is not None:
                continue
            name = offer.name
            if name in notes.answers:
                first, span = notes.answers[name]
                message = f"`{name}` already answers the window `{first}`"
                hint = "let it stand in one list; make an effect of what two actions have in common"
                report.add(diagnostic_codes.WRONG_ANSWER, message, offer.span, hint, [(span, "here")])
            else:
                notes.answers[name] = (decl.name.text, offer.span)


class Windows:
    """Check declared windows.

    Opening a window is an effect without a body. ``found`` collects the windows themselves, which a later pass lowers.
    """

    def __init__(self, texts: Texts, rules: Rules, most_players: int) -> None:
        self.texts = texts
        self.rules = rules
        self.most_players = most_players
        self.found: list[Window] = []

    def effect(self, decl: model.WindowDecl) -> core.Effect | None:
        """Check a window and return the effect that opens it. None if its name is faulty."""
        name, span = decl.name.text, decl.name.span
        symbol = self.texts.names.symbols.get(name)
        if not isinstance(symbol, WindowSymbol):
            return None
        routine = self.texts.routine(Owner("window", name))
        with routine.frame():
            params = [core.Param(routine.bind_me(span), "me", PLAYER)]
            for (parameter, type), (word, _) in zip(symbol.params, decl.params, strict=True):
                slot = routine.bind(parameter, type, word.span, "parameter", exempt=True)
                params.append(core.Param(slot, parameter, type))
            routine.window = symbol
            self.found.append(self._window(decl, routine))
        effect = core.Effect(name, True, tuple(params), routine.locals.n_slots, (), is_window=True)
        instead, when = self.rules.answers(effect)
        return replace(effect, instead=instead, when=when)

    def _window(self, decl: model.WindowDecl, routine: Routine) -> Window:
        name, span = decl.name.text, decl.name.span
        me, players, number = (routine.locals.slot() for _ in range(3))
        who = value_in(routine, decl.who, ListType(PLAYER), "as the players who are asked")
        with answering(routine, me, span):
            prompt = template_in(routine, decl.prompt)
        prompt = prompt or words(f"Answer {humanised(name)}?", span)
        before, answers = self._answers(decl.forced, decl, routine, me)
        forced = Round(self.texts.notes.site(), before, answers) if answers else None
        before, answers = self._answers(decl.actions, decl, routine, me)
        free = Round(self.texts.notes.site(), before, answers)
        room = decl.at_most or self.most_players * (2 if decl.forced else 1)
        ways = decl.last_first, decl.until_all_pass
        return Window(name, who, prompt, forced, free, room, *ways, me, players, number, span)

    def _answers(
        self, texts: Sequence[Embedded], decl: model.WindowDecl, routine: Routine, me: int
    ) -> tuple[tuple[core.Stmt, ...], tuple[Answer, ...]]:
        """Check the actions that a window lists.

        Returns the statements to run before they are offered, and the answers.
        """
        before: list[core.Stmt] = []
        answers: list[Answer] = []
        for text in texts:
            offer = parse_offer(text, self.texts.report)
            if offer is not None:
                with answering(routine, me, decl.name.span):
                    first, laid = offered(routine, offer, me, decl.name.text)
                before += first
                answers += (Answer(action.alternative, action.cost) for action in laid)
        return tuple(before), tuple(answers)
