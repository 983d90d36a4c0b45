"""Check reaction windows, the actions that answer them, and spans.

A span is a state that ends when its condition fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import core
from ..core.generated_part_origins import SPANS, WINDOWS, Origin
from ..core.internal_names_and_internal_variables import CANCELLED_SUFFIX, HOLDS_SUFFIX, make_internal_name
from ..desugar.reaction_windows import OfferedAction, Round, Window, WindowBuilder
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics, name_subjects
from ..source.source import EmbeddedText, humanise, prepend_article
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..syntax.parser import parse_offer
from ..types.types import BOOL, PLAYER, ListType
from .actions_and_offers import check_offer, hide_locals
from .bare_names_and_calls import check_all_arguments
from .call_graph_and_size_limits import Owner
from .code_fields_templates_and_check_cache import (
    TextChecker,
    check_template_text,
    check_value_text,
    make_plain_template,
)
from .context import Notes, Routine
from .rules_triggers_and_modifiers import Rules
from .symbol_table import BrokenSymbol, SpanSymbol, WindowSymbol, report_unknown


def check_open(routine: Routine, node: ast.Open) -> list[core.Stmt]:
    """Check ``open``: players may answer before the block runs, and an answer can cancel the block.

    Returns a CallEffect of the window's effect, then an If: ``open attack(card): BODY else: REST`` becomes
    ``attack(card)`` and ``if not attack_Cancelled: BODY else: REST``. The arguments of the call are ``me`` and the
    written ones, ``(me, card)``. ``attack_Cancelled`` is a ReadCell of the window's hidden variable. Returns only the
    call if the check of the blocks leaves no statements. After reporting a name that is no window, returns []; the
    blocks are still checked. A name with a BrokenSymbol, such as one that is declared twice, gives [] without a report.
    A missing ``me``, and an argument of the wrong type, are reported and become faulty expressions. After reporting
    surplus, unknown, repeated or missing arguments, only ``me`` is left in the call.
    """
    callee = node.call.callee
    assert isinstance(callee, ast.Name)
    call = _check_opened(routine, callee, node.call)
    body, otherwise = routine.check_block(node.body or ()), routine.check_block(node.otherwise)
    if call is None:
        return []
    if not body and not otherwise:
        return [call]
    is_cancelled = core.ReadCell(BOOL, node.span, make_internal_name(callee.name, CANCELLED_SUFFIX), ())
    is_not_cancelled = core.Unary(BOOL, node.span, "not", is_cancelled)
    return [call, core.If(node.span, ((is_not_cancelled, body),), otherwise, origin=Origin(WINDOWS, part="happens"))]


def _check_opened(routine: Routine, name: ast.Name, call: ast.Call) -> core.Stmt | None:
    """Return the call that opens a window, or None after a report. A broken window gives None without one."""
    symbol = routine.names.symbols.get(name.name)
    if not isinstance(symbol, WindowSymbol):
        for argument in call.args:
            routine.check_operand(argument.value)
        windows, hint = routine.names.list_named(WindowSymbol), "declare it under `windows`"
        if symbol is None:
            report_unknown(routine.report, "window", name.name, name.span, windows, hint)
        elif not isinstance(symbol, BrokenSymbol):
            hint = suggest_name(name.name, windows) or hint
            message = f"`{name.name}` is {prepend_article(symbol.kind)}; only windows are opened"
            subjects = name_subjects(name.name)
            routine.report_error(codes.VALUE_AS_STATEMENT, message, name.span, hint, symbol.notes, subjects)
        return None
    values = check_all_arguments(routine, symbol, None, call.args, call.span, name.span)
    routine.record_use(symbol, name.span)
    routine.notes.graph.add_call(routine.owner, Owner("window", name.name), name.span)
    return core.CallEffect(call.span, name.name, values)


def check_cancel(routine: Routine, node: ast.Cancel) -> list[core.Stmt]:
    """Check ``cancel``, which keeps the block of the opened window from running.

    Returns one SetCell, which sets the window's hidden variable to true: ``attack_Cancelled`` for the window
    ``attack``. Outside an answer to a window, returns [] after a report.
    """
    if routine.window is None:
        message = "this `cancel` is not in an answer to a window"
        hint = "write `cancel` only in the `do` of an action that a window lists under `actions`"
        routine.report_error(codes.CANCEL_OUTSIDE_ANSWER, message, node.span, hint)
        return []
    true = core.Const(BOOL, node.span, True)
    return [core.SetCell(node.span, make_internal_name(routine.window.name, CANCELLED_SUFFIX), (), "set", true)]


def check_span(decl: model.SpanDecl, texts: TextChecker) -> tuple[core.Variable, core.Query] | None:
    """Return the variable and the query of a span: for ``night`` they are called ``night`` and ``night_Holds``.

    The variable begins false, and everybody sees it. If the span is per player, the variable has one Player in its
    ``dims``, and the query a parameter ``me``. Otherwise both have none. The query gives the value of the span's
    condition. A condition that is no Bool is reported, and becomes a faulty expression. Returns None without a report
    if ``texts.names.symbols`` has no SpanSymbol of this name, as for a name that is declared twice.
    """
    name, place = decl.name.text, decl.name.span
    symbol = texts.names.symbols.get(name)
    if not isinstance(symbol, SpanSymbol):
        return None
    routine = texts.make_routine(Owner("span", name))
    params = (core.Param(routine.bind_me(place), "me", PLAYER),) if decl.is_per_player else ()
    value = check_value_text(routine, decl.holds, BOOL, "as a condition")
    origin = Origin(SPANS, name, HOLDS_SUFFIX)
    query_name, n_slots = make_internal_name(name, HOLDS_SUFFIX), routine.locals.n_slots
    query = core.Query(query_name, decl.is_per_player, params, BOOL, n_slots, value, (), origin)
    start, visible = core.Const(BOOL, place, False), core.Visibility("all", None)
    variable = core.Variable(name, symbol.dims, visible, "", decl.doc, len(symbol.dims), BOOL, start)
    return variable, query


def record_window_actions(decls: Iterable[model.WindowDecl], notes: Notes, report: Diagnostics) -> None:
    """Record which action of the ruleset answers which window, and where, in ``notes.window_actions``.

    Reports an action that answers two windows, or one window twice; the first window stays recorded. Actions of cards
    are not included. They are recorded when their window is checked. Offers that don't parse are skipped without a
    report.
    """
    for decl in decls:
        for text in (*decl.forced, *decl.actions):
            offer = parse_offer(text, Diagnostics())
            if offer is None or offer.cards is not None:
                continue
            name = offer.name
            if name in notes.window_actions:
                first_window, span = notes.window_actions[name]
                message = f"`{name}` already answers the window `{first_window}`"
                hint = "list it in one window; put what two actions share into an effect"
                report.add(codes.WRONG_ANSWER, message, offer.span, hint, [(span, "here")])
            else:
                notes.window_actions[name] = (decl.name.text, offer.span)


class WindowChecker:
    """Check declared windows.

    A window becomes an effect that asks players for answers. ``variables`` collects the hidden variables of these
    effects.
    """

    def __init__(self, texts: TextChecker, rules: Rules, max_players: int) -> None:
        self.texts = texts
        self.rules = rules
        self.max_players = max_players
        self.variables: dict[str, core.Variable] = {}

    def check_effect(self, decl: model.WindowDecl) -> core.Effect | None:
        """Check a window, and return the effect of the same name that opens it.

        Its parameters are ``me`` and those of the window. Rules about it are in its ``instead`` and ``when``, not in
        its body. Adds the hidden variables of the window, such as ``attack_Cancelled``, to ``self.variables`` by name.
        Returns None without a report if the name of the window is faulty, for example if it is taken.
        """
        name, span = decl.name.text, decl.name.span
        symbol = self.texts.names.symbols.get(name)
        if not isinstance(symbol, WindowSymbol):
            return None
        routine = self.texts.make_routine(Owner("window", name))
        with routine.open_scope():
            pairs = zip(symbol.params, decl.params, strict=True)
            params = routine.bind_parameters(True, span, ((*param, word.span) for param, (word, _) in pairs))
            routine.window = symbol
            builder = WindowBuilder(self._check_window(decl, routine))
        body, n_slots = builder.build_body(), routine.locals.n_slots
        self.variables |= {variable.name: variable for variable in builder.variables}
        return self.rules.attach_rules(core.Effect(name, True, params, n_slots, body, is_window=True))

    def _check_window(self, decl: model.WindowDecl, routine: Routine) -> Window:
        """Check a window: who is asked, its prompt, its forced answers and its free ones.

        Without ``at_most``, there is room for one answer per player, or for two if some are forced.
        """
        name, span = decl.name.text, decl.name.span
        me, players, number = (routine.locals.allocate_slot() for _ in range(3))
        asked_players = check_value_text(routine, decl.who, ListType(PLAYER), "as the players who are asked")
        with hide_locals(routine, me, span):
            prompt = check_template_text(routine, decl.prompt)
        prompt = prompt or make_plain_template(f"Answer {humanise(name)}?", span)
        prelude, answers = self._check_answers(decl.forced, decl, routine, me)
        forced_round = Round(self.texts.notes.allocate_site(), prelude, answers) if answers else None
        prelude, answers = self._check_answers(decl.actions, decl, routine, me)
        free_round = Round(self.texts.notes.allocate_site(), prelude, answers)
        limit = decl.at_most or self.max_players * (2 if decl.forced else 1)
        flags = decl.is_last_first, decl.lasts_until_all_pass
        return Window(name, asked_players, prompt, forced_round, free_round, limit, *flags, me, players, number, span)

    def _check_answers(
        self, texts: Sequence[EmbeddedText], decl: model.WindowDecl, routine: Routine, me: int
    ) -> tuple[tuple[core.Stmt, ...], tuple[OfferedAction, ...]]:
        """Check the actions that a window lists.

        Returns the statements to run before they are offered, and the answers.
        """
        prelude: list[core.Stmt] = []
        answers: list[OfferedAction] = []
        for text in texts:
            offer = parse_offer(text, self.texts.report)
            if offer is not None:
                with hide_locals(routine, me, decl.name.span):
                    offer_prelude, actions = check_offer(routine, offer, me, decl.name.text)
                prelude += offer_prelude
                answers += actions
        return tuple(prelude), tuple(answers)
