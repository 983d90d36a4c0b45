"""The checker: a ruleset's model and its effect text → a program, or diagnostics. Called by :mod:`lusory_dsl.pipeline`.

Stages, in order: declarations (names, types, plain data), texts (each a routine), the call graph, lints. A mistake is
reported once; what depends on it goes on with a faulty expression that fits everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from . import core
from .checker.actions import check_action
from .checker.cards import Cards
from .checker.declarations import Declarations, label_of, place_type
from .checker.depth import report_depth, report_too_deep
from .checker.forms import FORMS
from .checker.invariants import invariant_of, judged
from .checker.keywords import Keywords
from .checker.locals import LocalName
from .checker.names import EffectSymbol, OpenNames, PlaceSymbol, PoolSymbol, QuerySymbol, QueryTypes, ZoneSymbol
from .checker.notes import Notes
from .checker.places import check_held
from .checker.routine import Routine, hidden_variable
from .checker.rules import Rules
from .checker.sizes import report_cells
from .checker.texts import Texts, block_in, condition_in, template_in, value_in
from .checker.view import layout
from .checker.windows import Windows, claim_answers
from .core.accesses import routines_of
from .core.bounds import facts_of
from .core.origin import ENDINGS, Origin
from .expand.durations import ending, timed_query, variables_of
from .expand.spans import Weaver, span_of
from .expand.state_checks import CheckWeaver, state_checks
from .language.depth import MAX_CALL_DEPTH
from .language.types import BOOL, INT, NOTHING, PLAYER, PlayerType, Type, join
from .lint.certainties import Certainties, report_unreachable
from .lint.early_endings import report_early_endings
from .lint.late_conditions import report_late_conditions
from .lint.no_holders import report_no_holders
from .lint.secrets import report_secrets
from .lint.stale_numbers import report_wording
from .lint.unused import report_unused
from .ruleset import model
from .text import codes
from .text.diagnostics import Diagnostics, did_you_mean
from .text.source import Embedded, Span
from .text.spelling import humanised, snake_case


class _Named(Protocol):
    @property
    def name(self) -> model.Word: ...


_VISIBLE = ("all", "owner", "nobody")
_D = TypeVar("_D", bound=_Named)
_T = TypeVar("_T")


def check_ruleset(ruleset: model.Ruleset, diagnostics: Diagnostics) -> core.Program | None:
    """The program that a ruleset is; None when it has errors."""
    program = None
    with diagnostics.stopping():
        program = Checker(ruleset, diagnostics).check()
    return None if diagnostics.has_errors else program


class Checker:
    """One run over one ruleset."""

    def __init__(self, ruleset: model.Ruleset, diagnostics: Diagnostics) -> None:
        self.ruleset = ruleset
        self.diagnostics = diagnostics
        self.names = OpenNames(QueryTypes(self.query_type))
        self.notes = Notes()
        self.names.actions.update((a.name.text, a) for a in reversed(ruleset.actions))
        self.texts = Texts(self.names, self.notes, diagnostics, FORMS)
        self.declared = Declarations(ruleset, self.names, self.notes, diagnostics)
        self.cards = Cards(ruleset, self.declared, self.texts)
        self.keywords = Keywords(ruleset, self.declared, self.texts)
        self.rules = Rules(self.texts, ruleset, self.keywords)
        self.query_decls = {q.name.text: q for q in reversed(ruleset.queries)}
        self.queries: dict[str, core.Query] = {}
        self._in_progress: set[str] = set()
        self._is_too_deep = False

    def check(self) -> core.Program | None:
        """All stages; None after a report that the later ones can't go on from."""
        ruleset, declared = self.ruleset, self.declared
        declared.declare()
        self.cards.declare()
        if ruleset.scoring is not None:
            self.names.charts.update((chart.name.text, chart) for chart in ruleset.scoring.charts)
        claim_answers(ruleset.windows, self.notes, self.diagnostics)
        self.keywords.declare()
        self.rules.read()
        variables = self._named(ruleset.variables, self._variable)
        pools = self._named(ruleset.zones, self._pool)
        zones = self._named(ruleset.zones, self._card_zone)
        for name in (*self.query_decls, *self.cards.queries, *self.keywords.queries):
            self.query_type(name)
        windows = Windows(self.texts, self.rules, ruleset.game.max_players)
        effects = self._named(ruleset.windows, windows.effect)
        variables |= {v.name: v for v in windows.variables}
        effects |= self._named(ruleset.effects, self._effect)
        effects |= {name: self._answered(effect) for name in self.cards.effects if (effect := self.cards.effect(name))}
        spans = [span for decl in ruleset.spans if (span := span_of(decl, self.texts)) is not None]
        variables |= {span.variable.name: span.variable for span in spans}
        checks = state_checks(self.rules, zones)
        setup = self._setup()
        phases = tuple(self._phase(phase) for phase in ruleset.phases)
        scoring = self._scoring()
        variables |= {v.name: v for v in self._ending_variables()} | self.notes.kept
        invariants = [invariant_of(decl, self.texts) for decl in ruleset.invariants]
        view = layout(self.texts, ruleset.view)
        self._untaken_actions()
        self.cards.check_unused()
        starts = [f"start {name}" for name in (*variables, *pools)]
        self.notes.graph.report_cycles(self.diagnostics)
        self.notes.graph.report_early_reads(starts, self.diagnostics)
        queries = {**{q.name.text: self.queries[q.name.text] for q in ruleset.queries}, **self.queries}
        queries |= {span.condition.name: span.condition for span in spans} | checks.queries
        if not self.diagnostics.has_errors:  # there are no rings
            report_depth(queries, effects | checks.effects, (setup, *phases), self.diagnostics)
        if self.diagnostics.has_errors:  # what follows goes along calls, and lints would need what faulty texts use
            return None
        timed = [t for d in ruleset.durations for t in self.notes.temporary.values() if t.duration == d.name.text]
        for name in dict.fromkeys(t.query for t in timed):
            queries[name] = timed_query(queries[name], [t for t in timed if t.query == name], self.names.layers)
        for decl in ruleset.durations:
            kept = variables_of(decl, [t for t in timed if t.duration == decl.name.text])
            variables |= {variable.name: variable for variable in kept}
            end = ending(decl, kept)
            effects[end.name] = end
        for name in self.keywords.queries:
            queries |= self.keywords.unless_blank(queries[name])
        places = [place for group in (variables, pools, zones) for place in group.values()]
        report_cells(
            ((place, self._declared_at(place)) for place in places), ruleset.game.max_players, self.diagnostics
        )
        if self.diagnostics.has_errors:
            return None
        self._report_lints(queries, pools, zones, effects, checks.effects, (setup, *phases))
        report_secrets((setup, *phases), effects.values(), {**variables, **pools, **zones}, self.diagnostics)
        weaver = Weaver(spans, queries, zones)
        effects = {name: weaver.effect(effect) for name, effect in effects.items()}
        effects |= {span.check.name: span.check for span in spans}
        checking = CheckWeaver(checks, effects, queries, zones)
        effects = checking.woven()
        game = ruleset.game
        return core.Program(
            id=game.id.text,
            name=game.name,
            version=game.version,
            digest=ruleset.digest,
            min_players=game.min_players,
            max_players=game.max_players,
            about=game.about,
            options=tuple(declared.options),
            enums=dict(self.names.enums),
            tables=declared.tables,
            variables=variables,
            pools=pools,
            zones=zones,
            entities=tuple(declared.entities),
            component_kinds={k.name: (k.first, k.size) for k in self.names.kinds.values()},
            component_fields=declared.field_types,
            queries=queries,
            effects=effects,
            setup=checking.phase(weaver.phase(setup)),
            phases=tuple(checking.phase(weaver.phase(phase)) for phase in phases),
            scoring=scoring,
            invariants=tuple(judged(invariant, queries, zones) for invariant in invariants),
            layout=view,
            directory=ruleset.directory,
            private_sites=frozenset(self.notes.private_sites),
            keywords=tuple(self.keywords.queries),
            packs=tuple(core.Pack(p.name, tuple(word.text for word in p.replaces)) for p in ruleset.packs),
        )

    def _report_lints(
        self,
        queries: dict[str, core.Query],
        pools: dict[str, core.Pool],
        zones: dict[str, core.CardZone],
        effects: dict[str, core.Effect],
        checks: dict[str, core.Effect],
        phases: Sequence[core.Phase],
    ) -> None:
        """What is right, and yet hardly meant. ``phases``: with the setup before them."""
        report_unused(self.ruleset, self.names, self.notes, self.diagnostics)
        game, declared = self.ruleset.game, self.declared
        places = pools, zones, declared.entities
        players = (game.min_players, game.max_players)
        facts = facts_of(players, declared.options, *places, queries, self.notes.written)
        certainties = Certainties(self.notes, facts, self.ruleset.cards, self.diagnostics)
        certainties.report()
        certainties.report_endless({n: e for n, e in checks.items() if n in queries}, effects)
        report_unreachable(phases[1:], effects, self.diagnostics)
        report_early_endings(phases, effects, checks.values(), self.diagnostics)
        routines = list(routines_of(phases, effects, queries))
        report_late_conditions(routines, queries, zones, self.diagnostics)
        report_no_holders(routines, zones, self.diagnostics)
        report_wording(self.ruleset, self.diagnostics)

    def _declared_at(self, place: core.Variable | core.Pool | core.CardZone) -> Span:
        symbol = self.names.symbols.get(place.name)
        if symbol is not None:
            return symbol.span
        return place.start.span if isinstance(place, core.Variable) else self.ruleset.game.span

    def _named(self, decls: Sequence[_D], make: Callable[[_D], _T | None]) -> dict[str, _T]:
        found: dict[str, _T] = {}
        for decl in decls:
            made = make(decl)
            if made is not None:
                found.setdefault(decl.name.text, made)
        return found

    # ------------------------------------------------------------ places

    def _indices(self, routine: Routine, symbol: PlaceSymbol, span: Span) -> None:
        """The indices of a start value, under the names of their types."""
        for dim in symbol.dims:
            name = snake_case(str(dim.type))
            if isinstance(dim.type, PlayerType) and routine.locals.find("me") is None:
                slot = routine.bind_me(span)
                routine.put_in_sight(LocalName("player", slot, PLAYER, span, "player", exempt=True))
            elif dim.type == INT or routine.locals.find(name) or name in self.names.symbols:
                routine.locals.slot()
            else:
                routine.bind_quietly(name, dim.type, span, "index")

    def _variable(self, decl: model.VariableDecl) -> core.Variable | None:
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, PlaceSymbol):
            return None
        routine = self.texts.routine(f"start {name}")
        self._indices(routine, symbol, decl.name.span)
        type = place_type(symbol)
        start = value_in(routine, decl.start, type, f"to start `{name}` with")
        return core.Variable(
            name,
            symbol.dims,
            type,
            start,
            routine.locals.n_slots,
            self._visibility(decl.visible, symbol),
            label_of(decl.name, decl.label),
            decl.doc,
        )

    def _pool(self, decl: model.ZoneDecl) -> core.Pool | None:
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, PoolSymbol):
            return None
        routine = self.texts.routine(f"start {name}")
        self._indices(routine, symbol, decl.name.span)
        start: list[core.Expr | None] = [None] * len(self.names.value_names(symbol.holds))
        for word, text in decl.start:
            value = value_in(routine, text, INT, f"to start `{name}` with")
            ordinal = self.declared.kind_of(word, symbol.holds)
            if ordinal is not None:
                check_held(routine, symbol, core.Const(symbol.holds, word.span, ordinal))
                start[ordinal] = value
        return core.Pool(
            name,
            symbol.dims,
            symbol.holds,
            symbol.kinds,
            tuple(start),
            routine.locals.n_slots,
            symbol.unlimited,
            self._visibility(decl.visible, symbol),
            self._visibility(decl.moves, symbol),
            label_of(decl.name, decl.label),
            decl.doc,
        )

    def _card_zone(self, decl: model.ZoneDecl) -> core.CardZone | None:
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, ZoneSymbol):
            return None
        kind = self.names.kinds[symbol.holds.name]
        start = tuple(range(kind.first, kind.first + kind.size)) if decl.start_all is not None else ()
        visible = self._visibility(decl.visible, symbol)
        return core.CardZone(name, symbol.dims, symbol.holds, start, visible, label_of(decl.name, decl.label), decl.doc)

    def _visibility(self, text: Embedded | None, symbol: PlaceSymbol) -> core.Visibility:
        """Who sees a place: a word, or a condition on `viewer` and `owner`."""
        if text is None:
            return core.Visibility("all", None)
        word = text.text.strip()
        if word in _VISIBLE:
            if word == "owner" and not symbol.of_player:
                message = f"`{symbol.name}` has no owner: its first dimension is not `Player`"
                self.diagnostics.add(codes.BAD_DIMENSION, message, text.whole, "write `all`, `nobody` or a condition")
            return core.Visibility(word, None)
        if near := _misspelt_visibility(word, [*self.names.symbols, "viewer", "owner", "true", "false"]):
            self.diagnostics.add(codes.UNKNOWN_NAME, f"unknown name `{word}`", text.whole, near)
            return core.Visibility("all", None)
        routine = self.texts.routine(f"visible {symbol.name}")
        routine.bind_quietly("viewer", PLAYER, text.whole, "player")
        routine.bind_quietly("owner", PLAYER, text.whole, "player")
        condition = value_in(routine, text, BOOL, "as a condition")
        return core.Visibility(None, condition, routine.locals.n_slots)

    # ------------------------------------------------------------ queries and effects

    def bind_params(
        self, routine: Routine, decl: model.QueryDecl | model.EffectDecl, exempt: bool
    ) -> tuple[core.Param, ...]:
        """`me` and the parameters, in the first slots."""
        symbol = self.names.symbols.get(decl.name.text)
        types = dict(symbol.params) if isinstance(symbol, QuerySymbol | EffectSymbol) else {}
        found: list[core.Param] = []
        if decl.per_player:
            found.append(core.Param(routine.bind_me(decl.name.span), "me", PLAYER))
        for name, _ in decl.params:
            type = types.get(name.text, NOTHING)
            slot = routine.bind(name.text, type, name.span, "parameter", exempt)
            found.append(core.Param(slot, name.text, type))
        return tuple(found)

    def query_type(self, name: str) -> Type:
        """The type of a query, which is checked when it is first asked for; NOTHING inside of a ring of calls."""
        if name in self.queries:
            return self.queries[name].type
        if name in self._in_progress or self._too_deep(name):
            return NOTHING
        self._in_progress.add(name)
        query = self.keywords.queries.get(name)
        if query is None:
            query = self._query(self.query_decls[name]) if name in self.query_decls else self.cards.query(name)
        if query is None:
            return NOTHING
        modifiers = self.rules.modifiers(query)
        type = query.type
        for modifier in modifiers:
            type = join(type, modifier.value.type) or type
        self.queries[name] = replace(query, type=type, modifiers=modifiers)
        self._in_progress.discard(name)
        return type

    def _too_deep(self, name: str) -> bool:
        """Whether queries ask for each other in a chain so long that this one can't be checked behind it."""
        if self.names.queries.depth <= MAX_CALL_DEPTH:
            return False
        if not self._is_too_deep:
            report_too_deep(f"the query `{name}`", self.names.symbols[name].span, self.diagnostics)
        self._is_too_deep = True
        return True

    def _query(self, decl: model.QueryDecl) -> core.Query:
        name = decl.name.text
        routine = self.texts.routine(f"query {name}")
        with routine.frame():
            params = self.bind_params(routine, decl, exempt=False)
            value = value_in(routine, decl.value)
        return core.Query(name, decl.per_player, params, value.type, routine.locals.n_slots, value)

    def _effect(self, decl: model.EffectDecl) -> core.Effect | None:
        name = decl.name.text
        if not isinstance(self.names.symbols.get(name), EffectSymbol):
            return None
        routine = self.texts.routine(f"effect {name}")
        with routine.frame():
            params = self.bind_params(routine, decl, exempt=True)
            body = block_in(routine, decl.do)
        return self._answered(core.Effect(name, decl.per_player, params, routine.locals.n_slots, body))

    def _answered(self, effect: core.Effect) -> core.Effect:
        """The effect with the rules that answer to it."""
        instead, when = self.rules.answers(effect)
        return replace(effect, instead=instead, when=when)

    def _untaken_actions(self) -> None:
        """Actions that nobody offers are checked all the same, in a routine that is thrown away."""
        for action in self.ruleset.actions:
            name = action.name.text
            if name not in self.notes.taken_actions:
                routine = self.texts.routine(f"offer {name}")
                check_action(routine, name, action.name.span)

    # ------------------------------------------------------------ phases and the rest

    def _setup(self) -> core.Phase:
        routine = self.texts.routine("phase setup", setup=True)
        text = self.ruleset.setup
        more = (stmt for block in self.ruleset.more_setups for stmt in block_in(routine, block))
        body = (*block_in(routine, text), *more)
        span = self.ruleset.game.span if text is None else text.whole
        return core.Phase("setup", None, routine.locals.n_slots, None, None, 1, body, (), span)

    def _phase(self, decl: model.PhaseDecl) -> core.Phase:
        routine = self.texts.routine(f"phase {decl.id.text}")
        self._check_phase(decl)
        condition = condition_in(routine, decl.condition)
        repeat = condition_in(routine, decl.repeat)
        label = template_in(routine, decl.label)
        body = block_in(routine, decl.do)
        return core.Phase(
            decl.id.text,
            label,
            routine.locals.n_slots,
            condition,
            repeat,
            decl.at_most if decl.at_most is not None else 1,
            body,
            tuple(self._phase(child) for child in decl.phases),
            decl.span,
        )

    def _check_phase(self, decl: model.PhaseDecl) -> None:
        name, span = decl.id.text, decl.id.span
        if decl.do is None and not decl.phases:
            hint = "give it `do` or `phases`"
            self.diagnostics.add(codes.BAD_PHASE, f"in the phase `{name}` nothing happens", span, hint)
        elif decl.do is not None and decl.phases:
            hint = "put the block into a phase of its own"
            self.diagnostics.add(codes.BAD_PHASE, f"the phase `{name}` has both `do` and `phases`", span, hint)
        if name == "setup":
            hint = "`setup` is the phase before the first; give this another name"
            self.diagnostics.add(codes.NAME_TAKEN, "a phase can't be called `setup`", span, hint)

    def _scoring(self) -> core.Scoring:
        decl = self.ruleset.scoring
        routine = self.texts.routine("scoring")
        routine.bind_me(self.ruleset.game.span)
        if decl is None:
            hint = "add `scoring` with `rank`: what counts, most important first"
            self.diagnostics.add(codes.NO_SCORING, "nothing says who wins", self.ruleset.game.span, hint)
            return core.Scoring((), None, (), 1)
        rank = tuple(value_in(routine, text, INT, "to rank players by") for text in decl.rank)
        payoff = None if decl.payoff is None else value_in(routine, decl.payoff, INT, "as payoff")
        show = tuple((title, value_in(routine, text, INT, "to be shown")) for title, text in decl.show)
        charts = tuple(self._chart(routine, chart) for chart in decl.charts)
        rank = self._ranking(rank, charts, decl.span)
        return core.Scoring(rank, payoff, show, routine.locals.n_slots, charts, self._selective)

    def _chart(self, routine: Routine, decl: model.ChartDecl) -> core.Chart:
        title = decl.title or humanised(decl.name.text).capitalize()
        steps = tuple((step, value_in(routine, text, INT, "to rank players by")) for step, text in decl.steps)
        return core.Chart(decl.name.text, title, steps)

    def _ranking(self, rank: Sequence[core.Expr], charts: Sequence[core.Chart], span: Span) -> tuple[core.Expr, ...]:
        """One ranking for all endings: who can win before the others, then by the steps of the chart that counts."""
        if not self._selective:
            return tuple(rank)
        zero, one = core.Const(INT, span, 0), core.Const(INT, span, 1)
        me = core.Local(PLAYER, span, 0, "me")
        found: list[core.Expr] = [core.IfExpr(INT, span, core.ReadCell(BOOL, span, core.CAN_WIN, (me,)), one, zero)]
        columns = [[value for _, value in chart.steps] for chart in charts]
        for step in range(max(map(len, (rank, *columns)))):
            value = rank[step] if step < len(rank) else zero
            for number, column in enumerate(columns, 1):
                this = core.Binary(
                    BOOL, span, "=", core.ReadCell(INT, span, core.ENDING, ()), core.Const(INT, span, number)
                )
                value = core.IfExpr(INT, span, this, column[step] if step < len(column) else zero, value)
            found.append(value)
        return tuple(found)

    @property
    def _selective(self) -> bool:
        """Whether an ending says who can win."""
        return bool(self.names.charts) or self.notes.ends_for_some

    def _ending_variables(self) -> list[core.Variable]:
        """What an ending notes for the ranking."""
        if not self._selective:
            return []
        span = self.ruleset.game.span
        players = (core.Dim(PLAYER),)
        chart = hidden_variable(core.ENDING, INT, 0, span, Origin(ENDINGS, part="chart"))
        return [chart, hidden_variable(core.CAN_WIN, BOOL, True, span, Origin(ENDINGS, part="can win"), players)]


def _misspelt_visibility(word: str, known: Sequence[str]) -> str | None:
    """Which word for who sees a place is meant by one that nothing knows."""
    return did_you_mean(word, _VISIBLE) if word.isidentifier() and word not in known else None
