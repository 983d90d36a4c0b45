"""Check queries, effects, phases, invariants and scoring, and the sections for bots and balance."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.generated_part_origins import ENDINGS as ENDING_ORIGIN, Origin
from ..core.internal_names_and_internal_variables import make_hidden_variable
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import Diagnostics
from ..source.nesting_limits import MAX_CALL_DEPTH
from ..source.source import EmbeddedText, Span, count_noun, make_title, to_snake_case
from ..source.spelling_suggestions import suggest_name
from ..syntax.parser import parse_choice_vars
from ..types.types import BOOL, INT, NOTHING, PLAYER, TEXT, ListType, Type, join
from .call_graph_and_size_limits import Owner, report_too_deep
from .card_members_keywords_and_gains import CardMembers, Keywords
from .choices_and_simultaneous_choices import check_choice_vars
from .code_fields_templates_and_check_cache import (
    TextChecker,
    check_block_text,
    check_condition_text,
    check_says,
    check_template_text,
    check_value_text,
)
from .context import Routine
from .rules_triggers_and_modifiers import Rules
from .symbol_table import ComputedTableSymbol, EffectSymbol, QuerySymbol, report_unknown

MULTIPLAYER_STATISTICS = ("win_rate", "draws")
"""Balance figures that only games with several seats have."""

SOLITAIRE_STATISTIC = "result"
"""Balance figure that only solitaire games have."""

BALANCE_ENDINGS = "endings"


def check_seats(n_seats: int, count_phrase: str, span: Span, game: model.GameDecl, report: Diagnostics) -> bool:
    """Return whether a number of players can play. If not, report VALUE_NOT_ALLOWED at ``span``.

    ``count_phrase`` says the number and begins the message. With ``5 seats are named``, it is ``5 seats are named, and
    2 to 4 can play``, or ``…, and 2 can play`` in a game for exactly 2.
    """
    min_seats, max_seats = game.min_players, game.max_players
    if min_seats <= n_seats <= max_seats:
        return True
    message = f"{count_phrase}, and {min_seats if min_seats == max_seats else f'{min_seats} to {max_seats}'} can play"
    report.add(codes.VALUE_NOT_ALLOWED, message, span, "name who sits on each seat")
    return False


def check_balance(ruleset: model.Ruleset, texts: TextChecker) -> core.Balance:
    """Check the section ``balance``, and return it as a Balance. Returns ``NO_BALANCE`` without the section.

    Its ``seats`` are the written names, one for each seat. ``games`` is the number of games, or None, and ``within``
    and ``change`` are tuples of Thresholds. ``win_rate: {each: 35..65%}`` is ``Threshold("win_rate", "each", 35, 65)``,
    and without a subject its second field is "". Under ``change``, ``length: 40`` is a Threshold from -40 to 40.
    Reports too many or too few seats. If their number fits and ``texts.report`` has no error of any kind, the figures
    are checked, too. An unknown ending is UNKNOWN_NAME. A seat such as ``P5`` of four, or a figure that games with so
    many seats don't have, is VALUE_NOT_ALLOWED, and so is a wrong number of seats. Returns the section in any case.
    ``texts.notes.ending_reasons`` must already hold the words of all endings.
    """
    decl = ruleset.balance
    if decl is None:
        return core.NO_BALANCE
    report = texts.report
    n_seats = len(decl.seats)
    count_phrase = f"{count_noun(n_seats, 'seat')} {'is' if n_seats == 1 else 'are'} named"
    can_play = check_seats(n_seats, count_phrase, decl.seats[0].span, ruleset.game, report)
    if can_play and not report.has_errors:
        for threshold in (*decl.within, *decl.change):
            _check_threshold(threshold, n_seats, texts.notes.ending_reasons, report)
    names = tuple(seat.text for seat in decl.seats)
    return core.Balance(names, decl.games, _make_thresholds(decl.within), _make_thresholds(decl.change))


def _make_thresholds(decls: Sequence[model.ThresholdDecl]) -> tuple[core.Threshold, ...]:
    return tuple(
        core.Threshold(decl.figure.text, "" if decl.subject is None else decl.subject.text, decl.low, decl.high)
        for decl in decls
    )


def _check_threshold(threshold: model.ThresholdDecl, n_seats: int, endings: set[str], report: Diagnostics) -> None:
    """Report a balance figure that games with this number of seats do not have, or an unknown ending."""

    def refuse(message: str, span: Span, hint: str) -> None:
        report.add(codes.VALUE_NOT_ALLOWED, message, span, hint)

    name, subject = threshold.figure, threshold.subject
    if name.text in MULTIPLAYER_STATISTICS and n_seats == 1:
        refuse(f"a game for one has no `{name.text}`", name.span, "`result` says what it comes to")
    elif name.text == SOLITAIRE_STATISTIC and n_seats > 1:
        refuse("only a game for one has a `result`", name.span, "`win_rate` says who wins")
    elif subject is None:
        return
    elif name.text == BALANCE_ENDINGS and subject.text not in endings:
        hint = suggest_name(subject.text, endings)
        hint = hint or "the words behind `because` are meant, with `{}` for what is in braces"
        report.add(codes.UNKNOWN_NAME, f"no game ends with the words `{subject.text}`", subject.span, hint)
    elif name.text != BALANCE_ENDINGS and subject.text[0] == "P" and int(subject.text[1:]) > n_seats:
        hint = f"`P1` to `P{n_seats}`, `first` or `each`"
        refuse(f"there is no seat {subject.text} of {n_seats}", subject.span, hint)


def check_advice(ruleset: model.Ruleset, texts: TextChecker) -> core.Advice:
    """Check the section ``bots``. Returns ``NO_ADVICE`` without the section.

    ``value``, the value of a position, is an Int and may use ``me``; it is None if not declared. ``weights`` are pairs
    of a name and a number: first those under ``likely``, then those under ``never`` with 0. ``levels`` are pairs of a
    bot level and its simulations. ``horizon`` is the declared number, or None. Reports DECLARED_TWICE for names that
    are under both ``likely`` and ``never``. If no error was reported before, it also reports UNKNOWN_NAME for names
    that no action or option has. Reported names stay in ``weights``. All texts that contain choices must be checked
    before.
    """
    decl = ruleset.bots
    if decl is None:
        return core.NO_ADVICE
    routine = texts.make_routine(Owner("bots"))
    routine.bind_me(decl.span)
    value = None if decl.value is None else check_value_text(routine, decl.value, INT, "as what a position is worth")
    weights = (*((name.text, weight) for name, weight in decl.likely), *((name.text, 0) for name in decl.never))
    _check_names(decl, texts)
    levels = tuple((level.text, simulations) for level, simulations in decl.levels)
    return core.Advice(value, routine.locals.n_slots, decl.horizon, weights, levels)


def _check_names(decl: model.BotsDecl, texts: TextChecker) -> None:
    """Report names in ``bots`` that no action or option has, and names that are both likely and never taken."""
    asks = (ask for _, ask in texts.notes.choices if isinstance(ask, core.Ask))
    names = {alternative.name for ask in asks for alternative in ask.alternatives if alternative.name is not None}
    names |= set(texts.names.actions)
    likely_names = {name.text: name for name, _ in decl.likely}
    are_names_known = not texts.report.has_errors
    for name in (*likely_names.values(), *decl.never):
        if name is not likely_names.get(name.text) and name.text in likely_names:
            notes = [(likely_names[name.text].span, "here, too")]
            message = f"`{name.text}` is both likely and never taken"
            texts.report.add(codes.DECLARED_TWICE, message, name.span, "keep one of them", notes)
        elif name.text not in names and are_names_known:
            hint = "actions and options are named here"
            report_unknown(texts.report, "action or option", name.text, name.span, names, hint)


class Definitions:
    """Check queries, computed tables and effects.

    A query is checked when something first asks for its type. ``queries`` maps names to the checked queries, in the
    order in which their checks ended.
    """

    def __init__(
        self,
        decls: Sequence[model.QueryDecl],
        tables: Sequence[model.TableDecl],
        texts: TextChecker,
        cards: CardMembers,
        keywords: Keywords,
        rules: Rules,
    ) -> None:
        self.decls = {decl.name.text: decl for decl in reversed(decls)}
        self.tables = {decl.name.text: decl for decl in tables if decl.value is not None}
        self.texts = texts
        self.cards = cards
        self.keywords = keywords
        self.rules = rules
        self.names = texts.names
        self.report = texts.report
        self.queries: dict[str, core.Query] = {}
        self._in_progress: list[str] = []  # callers first
        self._is_too_deep = False

    def _bind_params(
        self, routine: Routine, decl: model.QueryDecl | model.EffectDecl, is_exempt: bool
    ) -> tuple[core.Param, ...]:
        """Bind ``me``, for a ``per: Player`` declaration, and the parameters in the first slots."""
        symbol = self.names.symbols.get(decl.name.text)
        types = dict(symbol.params) if isinstance(symbol, QuerySymbol | EffectSymbol) else {}
        params = ((name.text, types.get(name.text, NOTHING), name.span) for name, _ in decl.params)
        return routine.bind_parameters(decl.is_per_player, decl.name.span, params, is_exempt)

    def get_query_type(self, name: str) -> Type:
        """Return the type of a query. The first call for a query checks it and its ``while`` rules.

        The value of a rule can only complete the type of the query's own value: ``[]`` with the rule ``while true: q
        is [1]`` is a List[Int], and without a rule a List[Nothing]. A rule whose value does not fit is reported, and
        does not change the type. A query whose whole value is faulty, such as ``unknown``, has the type of its first
        rule, or NOTHING without rules; ``unknown + 1`` is an Int. Returns NOTHING without a report for an unknown query
        and inside a cycle of calls. Also returns NOTHING when calls are nested too deeply, which is reported once.
        """
        if name in self.queries:
            return self.queries[name].type
        if name in self._in_progress or self._report_deep_query(name):
            return NOTHING
        self._in_progress.append(name)
        query = self.keywords.queries.get(name)
        if query is None:
            query = self._check_query(self.decls[name]) if name in self.decls else self.cards.make_query(name)
        if query is None:
            self._in_progress.remove(name)
            return NOTHING
        modifiers = self.rules.check_modifiers(query)
        type = query.type
        for modifier in modifiers:
            type = join(type, modifier.value.type) or type
        self.queries[name] = replace(query, type=type, modifiers=modifiers) if modifiers else query
        self._in_progress.remove(name)
        return type

    def _report_deep_query(self, name: str) -> bool:
        """Return whether calls are nested too deeply to check the query ``name``.

        The first time, it reports the query that begins the chain of calls. It reports ``name`` if no query does.
        """
        if self.names.queries.depth <= MAX_CALL_DEPTH:
            return False
        if not self._is_too_deep:
            first_name = (*self._in_progress, name)[0]
            report_too_deep(f"the query `{first_name}`", self.names.symbols[first_name].span, self.report)
        self._is_too_deep = True
        return True

    def _check_query(self, decl: model.QueryDecl) -> core.Query:
        name = decl.name.text
        owner = Owner("query", name)

        def check(texts: TextChecker) -> core.Query:
            routine = texts.make_routine(owner)
            with routine.open_scope():
                params = self._bind_params(routine, decl, is_exempt=False)
                value = check_value_text(routine, decl.value)
            phrase, n_slots = "" if decl.phrase is None else decl.phrase.text, routine.locals.n_slots
            return core.Query(name, decl.is_per_player, params, value.type, n_slots, value, phrase=phrase)

        parts = (decl.name, decl.is_per_player, decl.params, decl.value, decl.phrase)
        return self.texts.check_declaration(owner, parts, check)

    def check_table(self, decl: model.TableDecl) -> core.Query | None:
        """Check a computed table and return it as a query of its indices, with the name and type of the table.

        Each parameter has the name of its index type in snake case, such as ``side`` for ``Side``. The first slots hold
        them in order. No two indices of a faultless declaration have the same type. Returns None if its declaration is
        faulty or has no ``value``. A faulty value is reported, and the query is returned.
        """
        name, symbol = decl.name.text, self.names.symbols.get(decl.name.text)
        if not isinstance(symbol, ComputedTableSymbol) or decl.value is None:
            return None
        routine = self.texts.make_routine(Owner("table", name))
        params = []
        with routine.open_scope():
            for dim in symbol.dims:
                index = to_snake_case(str(dim.type))
                slot = routine.bind_unchecked(index, dim.type, decl.name.span, "index")
                params.append(core.Param(slot, index, dim.type))
            value = check_value_text(routine, decl.value, symbol.type, f"as a value of `{name}`")
        return core.Query(name, False, tuple(params), symbol.type, routine.locals.n_slots, value, is_table=True)

    def check_effect(self, decl: model.EffectDecl) -> core.Effect | None:
        """Return a declared effect with its statements in ``body``, and the rules on it in ``instead`` and ``when``.

        The body begins with the announcement of ``says``, if there is one. It has no other statements if the text of
        ``do`` can't be parsed, which is reported. Returns None, without a report, if ``names.symbols`` has no
        EffectSymbol for its name, because a second effect, a zone or a query has it, too. The effect may share its name
        with a phase, an enum value or a function such as ``count``.
        """
        name = decl.name.text
        if not isinstance(self.names.symbols.get(name), EffectSymbol):
            return None
        owner = Owner("effect", name)

        def check(texts: TextChecker) -> core.Effect:
            routine = texts.make_routine(owner)
            with routine.open_scope():
                params = self._bind_params(routine, decl, is_exempt=True)
                body = (*check_says(routine, decl.says), *check_block_text(routine, decl.do))
            return core.Effect(name, decl.is_per_player, params, routine.locals.n_slots, body)

        key = (decl.name, decl.is_per_player, decl.params, decl.says, decl.do)
        return self.rules.attach_rules(self.texts.check_declaration(owner, key, check))


def check_invariant(decl: model.InvariantDecl, text_checker: TextChecker) -> core.Invariant:
    """Check an invariant, and return it even if a part is faulty.

    If ``always`` can't be parsed, is no Bool or only an unknown name, that is reported, and ``condition`` is
    ``core.Const(NOTHING, span, None)``. An unknown name in a larger Bool makes only its part faulty. ``vars`` holds the
    variables of ``for`` in order. It is () without variables, and after reporting a syntax error in them. ``because``
    is the checked text of the reason, or None if there is none or it has a syntax error.
    """
    owner = Owner("invariant", decl.id.text)

    def check(texts: TextChecker) -> core.Invariant:
        routine = texts.make_routine(owner)
        trees = () if decl.for_each is None else parse_choice_vars(decl.for_each, texts.report)
        with routine.open_scope(), routine.restore_narrowing():
            if trees is None:
                routine.locals.mark_unparsed()
            vars = check_choice_vars(routine, trees or ())
            condition = check_value_text(routine, decl.always, BOOL, "as a condition")
            because = check_template_text(routine, decl.because)
        return core.Invariant(decl.id.text, condition, routine.locals.n_slots, decl.doc, vars, because)

    key = (decl.id, decl.for_each, decl.always, decl.because, decl.doc)
    return text_checker.check_declaration(owner, key, check)


def check_setup(ruleset: model.Ruleset, texts: TextChecker) -> core.Phase:
    """Check the setup blocks and return them as one phase with the id ``setup`` and the ``bound`` 1.

    Its ``body`` has the statements of the ruleset's block, and then those of each pack's block. Each block is a scope
    of its own. Without any block the body is ``()``.
    """
    routine = texts.make_routine(Owner("phase", "setup"), is_setup=True)
    text = ruleset.setup
    more_statements = (stmt for block in ruleset.more_setups for stmt in check_block_text(routine, block))
    body = (*check_block_text(routine, text), *more_statements)
    span = ruleset.game.span if text is None else text.whole_span
    return core.Phase("setup", None, routine.locals.n_slots, None, None, 1, body, (), span)


def check_phase(decl: model.PhaseDecl, texts: TextChecker) -> core.Phase:
    """Check a phase and its inner phases, and return it in any case.

    Its ``bound`` is the written ``at_most``, or else 1. Its ``repeat`` is the condition that is written as ``while``.
    Without ``while``, it is ``core.Const(BOOL, decl.span, True)`` if ``at_most`` is written: the phase runs again until
    the game ends. Without both, it is None. A pass beyond ``bound`` is a fault of the game. Faulty parts are reported
    and left faulty or empty. Also reports a phase with both or neither of ``do`` and ``phases``, and one called
    ``setup``.
    """
    routine = texts.make_routine(Owner("phase", decl.id.text))
    _check_phase(decl, texts.report)
    condition = check_condition_text(routine, decl.condition)
    repeat = check_condition_text(routine, decl.repeat)
    if repeat is None and decl.at_most is not None:  # repeat until the game ends
        repeat = core.Const(BOOL, decl.span, True)
    label = check_template_text(routine, decl.label)
    body = check_block_text(routine, decl.do)
    return core.Phase(
        decl.id.text,
        label,
        routine.locals.n_slots,
        condition,
        repeat,
        decl.at_most if decl.at_most is not None else 1,
        body,
        tuple(check_phase(child, texts) for child in decl.phases),
        decl.span,
    )


def _check_phase(decl: model.PhaseDecl, report: Diagnostics) -> None:
    """Report a phase without ``do`` and ``phases``, or with both, and one called ``setup``."""
    name, span = decl.id.text, decl.id.span
    if decl.do is None and not decl.phases:
        hint = "add `do` or `phases`"
        report.add(codes.BAD_PHASE, f"the phase `{name}` has neither `do` nor `phases`", span, hint)
    elif decl.do is not None and decl.phases:
        hint = "move the `do` into a separate phase"
        report.add(codes.BAD_PHASE, f"the phase `{name}` has both `do` and `phases`", span, hint)
    if name == "setup":
        hint = "`setup` is the phase before the first; give this another name"
        report.add(codes.NAME_TAKEN, "a phase can't be called `setup`", span, hint)


def _make_sum_invariant(
    items: Sequence[core.ScoreItem], first_rank: core.Expr, n_slots: int, span: Span
) -> core.Invariant:
    """Return the invariant that the items of the score add up to it, for each player."""
    total = items[0].value
    for item in items[1:]:
        total = core.Binary(INT, span, "+", total, item.value)
    player_var = core.ChoiceVar(0, "me", core.Players(ListType(PLAYER), span), None, False, span)
    because = core.TextTemplate(
        TEXT, span, ("the items add up to ", total, ", and the first of `rank` is ", first_rank)
    )
    condition = core.Binary(BOOL, span, "=", total, first_rank)
    return core.Invariant(
        "items-add-up", condition, n_slots, "The items add up to the first of `rank`.", (player_var,), because
    )


ZERO_SUM = "zero_sum"
"""The ``payoff`` of games in which the losers pay the winners."""


class Endings:
    """Check scoring, which decides who wins when the game ends.

    All texts that can end the game must be checked before.
    """

    def __init__(self, ruleset: model.Ruleset, texts: TextChecker) -> None:
        self.ruleset = ruleset
        self.texts = texts
        self.invariants: list[core.Invariant] = []  # that items add up to the score
        self.is_selective = bool(texts.names.charts) or texts.notes.has_ending_with_winner  # an ending may name winners

    def check_scoring(self) -> core.Scoring:
        """Check the section ``scoring``.

        The result has a single ``rank`` for all endings. If there are charts, or any ending names winners, the first
        value of ``rank`` is 1 for players who can win, else 0. The steps of the chosen chart, or else of the section's
        ``rank``, follow, with 0 for each step that only another of these lists has. ``columns`` holds the pairs (title,
        value) of ``show``. With items that fit ``rank``, it holds the items, ``Total`` and the ties instead. Then
        ``invariants`` gets one more: the items add up to the total. Items or ties that don't fit are reported.
        ``payoff`` is None for ``zero_sum``, and without a payoff. Without the section, reports that, and returns a
        scoring with an empty ``rank``. A section without ``rank`` is reported if no ending names winners or a chart. If
        some do, each other ending is reported. After other errors, neither is reported.
        """
        decl = self.ruleset.scoring
        routine = self.texts.make_routine(Owner("scoring"))
        routine.bind_me(self.ruleset.game.span)
        if decl is None:
            hint = "add `scoring` with `rank`: a list of values, most important first"
            self.texts.report.add(codes.NO_SCORING, "the ruleset doesn't say who wins", self.ruleset.game.span, hint)
            return core.Scoring((), None, (), 1)
        rank = tuple(check_value_text(routine, text, INT, "to rank players by") for text in decl.rank)
        if not rank:
            self._check_endings(decl.span)
        is_zero_sum = decl.payoff is not None and decl.payoff.text.strip() == ZERO_SUM and not self._is_named(ZERO_SUM)
        payoff = None if decl.payoff is None or is_zero_sum else self._check_payoff(routine, decl.payoff)
        columns = tuple((title, check_value_text(routine, text, INT, "to be shown")) for title, text in decl.show)
        items = []
        for item in decl.items:
            value = check_value_text(routine, item.value, INT, "as an item")
            items.append(core.ScoreItem(item.title, value, check_template_text(routine, item.why)))
        ties = tuple(tie.text for tie in decl.ties)
        if ties and not items:
            message = "`ties` names what follows the total of `items`, and there are no `items`"
            self.texts.report.add(codes.MISSING_KEY, message, decl.ties[0].span, "add `items`, or leave `ties` out")
        if items and self._check_items(decl):
            parts = ((item.title, item.value) for item in items)
            columns = (*parts, ("Total", rank[0]), *zip(ties, rank[1:], strict=False))
            self.invariants.append(_make_sum_invariant(items, rank[0], routine.locals.n_slots, decl.span))
        charts = tuple(self._check_chart(routine, chart) for chart in decl.charts)
        rank = self._make_ranking(rank, charts, decl.span)
        return core.Scoring(
            rank, payoff, columns, routine.locals.n_slots, charts, self.is_selective, is_zero_sum, tuple(items), ties
        )

    def _check_payoff(self, routine: Routine, text: EmbeddedText) -> core.Expr:
        """Check an expression as payoff. Reports a misspelt ``zero_sum``."""
        name = text.text.strip()
        hint = suggest_name(name, [ZERO_SUM]) if name.isidentifier() and not self._is_named(name) else None
        if hint is not None:
            message = f"unknown name `{name}`"
            self.texts.report.add(codes.UNKNOWN_NAME, message, text.whole_span, hint)
        return check_value_text(routine, text, INT, "as payoff")

    def _check_items(self, decl: model.ScoringDecl) -> bool:
        """Return whether ``items`` and ``ties`` fit ``rank``. Report what doesn't fit."""
        place, report = decl.items[0].value.whole_span, self.texts.report
        if decl.show:
            message = "`items` stand in place of `show`"
            report.add(codes.KEYS_EXCLUDE, message, place, "keep one of them")
        elif not decl.rank:
            message = "`items` add up to the first of `rank`, and there is no `rank`"
            report.add(codes.MISSING_KEY, message, place, "add `rank`, or write `show`")
        elif len(decl.ties) >= len(decl.rank):
            message = f"`ties` names {len(decl.ties)}, and `rank` has {len(decl.rank) - 1} behind the first"
            report.add(codes.VALUE_NOT_ALLOWED, message, decl.ties[-1].span, "name each of them once")
        else:
            return True
        return False

    def _is_named(self, name: str) -> bool:
        return name in self.texts.names.symbols

    def _check_endings(self, span: Span) -> None:
        """Report endings that name no winner, if there is no ``rank``.

        The end of the last phase then counts as a draw.
        """
        report, notes = self.texts.report, self.texts.notes
        if report.has_errors:  # a text that could not be parsed may name a winner
            return
        if not notes.has_ending_with_winner:
            hint = "add `rank`, a list of values, most important first; or name the winner: `end game for [me]`"
            report.add(codes.NO_SCORING, "the ruleset doesn't say who wins", span, hint)
            return
        hint = "name the winner: `end game for [me]`, or `end game for players` for a draw; or add `rank`"
        for place in notes.endings_without_winner:
            report.add(codes.NO_SCORING, "this ending has no winner, and there is no `rank`", place, hint)

    def _check_chart(self, routine: Routine, decl: model.ChartDecl) -> core.Chart:
        title = decl.title or make_title(decl.name.text)
        steps = tuple((step, check_value_text(routine, text, INT, "to rank players by")) for step, text in decl.steps)
        return core.Chart(decl.name.text, title, steps)

    def _make_ranking(
        self, rank: Sequence[core.Expr], charts: Sequence[core.Chart], span: Span
    ) -> tuple[core.Expr, ...]:
        """Return a single ranking for all endings, most important first.

        Players who can win come first, then the steps of the chosen chart decide, or those of ``rank`` if no chart is
        chosen. A missing step counts as 0. Returns ``rank`` itself if no ending selects a chart or winners.
        """
        if not self.is_selective:
            return tuple(rank)
        zero, me = core.Const(INT, span, 0), core.Local(PLAYER, span, 0, "me")
        can_win = core.ReadCell(BOOL, span, core.CAN_WIN_VARIABLE, (me,))
        ranking: list[core.Expr] = [core.IfExpr(INT, span, can_win, core.Const(INT, span, 1), zero)]
        columns = [[value for _, value in chart.steps] for chart in charts]
        for step in range(max(map(len, (rank, *columns)))):
            value = rank[step] if step < len(rank) else zero
            for number, column in enumerate(columns, 1):
                is_chosen = core.Binary(
                    BOOL, span, "=", core.ReadCell(INT, span, core.ENDING_VARIABLE, ()), core.Const(INT, span, number)
                )
                value = core.IfExpr(INT, span, is_chosen, column[step] if step < len(column) else zero, value)
            ranking.append(value)
        return tuple(ranking)

    def make_variables(self) -> list[core.Variable]:
        """Return the variables in which an ending stores its chart and whether each player can win, in this order.

        They are ``scoring_Chart``, an Int that begins with 0, and ``scoring_CanWin``, a Bool for each player that
        begins true. Returns both if the scoring declares a chart, used or not, or if any ending names winners.
        Otherwise returns [].
        """
        if not self.is_selective:
            return []
        span = self.ruleset.game.span
        players = (core.Dim(PLAYER),)
        chart = make_hidden_variable(core.ENDING_VARIABLE, INT, 0, span, Origin(ENDING_ORIGIN, part="chart"))
        return [
            chart,
            make_hidden_variable(
                core.CAN_WIN_VARIABLE, BOOL, True, span, Origin(ENDING_ORIGIN, part="can win"), players
            ),
        ]
