"""Check a whole ruleset: declare all names, then check all texts and build the core program.

:mod:`lusory_dsl.pipeline` calls this module. It first calls :func:`declare`, then :func:`check_texts` and
:func:`report_limits`.

Each mistake is reported once. A faulty expression takes the place of the mistake. Its type fits everywhere, so it
causes no further reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from .. import core
from ..core.constant_analysis import Facts, facts_of
from ..core.provenance import STATE_CHECKS
from ..core.sugar import Duration, LastingCondition, StateCheck, Sugar, Window
from ..core.triggers import Answers
from ..ruleset import model
from ..source.diagnostics import Diagnostics
from ..source.lazy_dataclass import dataclass, replace
from ..source.source import Span
from .actions import check_action, check_menu
from .boards import Boards, Pictures
from .card_rules import Cards, Keywords
from .context import Notes, Observer
from .declarations import Declarations, Starts
from .dispatch import FORMS
from .limits import Owner, report_cells, report_depth, report_written_out
from .printed_texts import printed_texts
from .rules import Events, Rules, state_check
from .sections import Definitions, Endings, advice_of, balance_of, invariant_of, phase_of, setup_of
from .symbols import Names, OpenNames, QueryTypes
from .texts import Texts
from .view_section import layout, report_phrases
from .windows import Windows, claim_answers, span_of


class _Named(Protocol):
    @property
    def name(self) -> model.Word: ...


_D = TypeVar("_D", bound=_Named)
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Declared:
    """Everything that has a name in a ruleset, and the checkers of the texts behind these names."""

    ruleset: model.Ruleset
    texts: Texts
    data: Declarations
    cards: Cards
    keywords: Keywords
    rules: Rules
    definitions: Definitions


@dataclass(frozen=True, eq=False)
class Checked:
    """A ruleset whose texts have been checked.

    Attributes:
        program: The core program before desugaring. It lacks everything that ``sugar`` describes.
        sugar: The constructs that later passes lower to plain core.
        notes: Facts that checking collected, such as the names in use and the call graph.
    """

    ruleset: model.Ruleset
    names: Names
    notes: Notes
    program: core.Program
    sugar: Sugar

    @property
    def phases(self) -> tuple[core.Phase, ...]:
        """Return the setup, followed by the phases."""
        return (self.program.setup, *self.program.phases)

    @property
    def effects(self) -> Mapping[str, core.Effect]:
        """Return all effects except those of state checks, by name."""
        return {n: e for n, e in self.program.effects.items() if e.origin.maker != STATE_CHECKS}

    @property
    def state_checks(self) -> Mapping[str, core.Effect]:
        """Return the effect of each state check, keyed by its name.

        The query for the check's condition has the same name.
        """
        return {name: e for name, e in self.program.effects.items() if e.origin.part == "rule"}

    @cached_property
    def facts(self) -> Facts:
        """Return the results of constant analysis: facts about values that hold in every game."""
        program = self.program
        players = (program.min_players, program.max_players)
        places = (program.pools, program.zones, program.entities)
        return facts_of(players, program.options, *places, program.queries)

    def declared_at(self, place: core.Variable | core.Pool | core.CardZone) -> Span:
        """Return the span of a place's declaration.

        A variable that the compiler made has no declaration. For it, return the span of the construct that needs it.
        """
        symbol = self.names.symbols.get(place.name)
        if symbol is not None:
            return symbol.span
        return place.start.span if isinstance(place, core.Variable) else self.ruleset.game.span


def declare(ruleset: model.Ruleset, report: Diagnostics, observer: Observer | None = None) -> Declared:
    """Declare all names of a ruleset, with their types and plain data.

    The type of a query is found by checking its text, when something first asks for that type.
    """
    names = OpenNames(QueryTypes(lambda name: definitions.type_of(name)))
    texts = Texts(names, Notes(observer=observer), report, FORMS)
    names.actions.update((a.name.text, a) for a in reversed(ruleset.actions))
    data = Declarations(ruleset, names, texts.notes, report, Boards(ruleset, texts))
    cards, keywords = Cards(ruleset, data, texts), Keywords(ruleset, data, texts)
    rules = Rules(texts, ruleset, keywords)
    definitions = Definitions(ruleset.queries, ruleset.tables, texts, cards, keywords, rules)
    data.declare()
    cards.declare()
    if ruleset.scoring is not None:
        names.charts.update((chart.name.text, chart) for chart in ruleset.scoring.charts)
    for ending in ruleset.endings:
        data.check_name(ending.name.text, ending.name.span)
        names.endings[ending.name.text] = ending
    for menu in ruleset.menus:
        data.check_name(menu.name.text, menu.name.span)
        names.menus.setdefault(menu.name.text, menu)
    claim_answers(ruleset.windows, texts.notes, report)
    keywords.declare()
    rules.read()
    report_phrases(ruleset, report)
    return Declared(ruleset, texts, data, cards, keywords, rules, definitions)


def check_texts(declared: Declared) -> Checked | None:
    """Check all texts in the order of the sections and return the core program, or None after an error."""
    ruleset, texts, cards, definitions = declared.ruleset, declared.texts, declared.cards, declared.definitions
    notes = texts.notes
    pictures = Pictures(ruleset, texts.names, declared.data.data, texts.report)
    starts = Starts(declared.data, texts, pictures)
    variables = _named(ruleset.variables, starts.variable)
    pools = _named(ruleset.zones, starts.pool)
    zones = _named(ruleset.zones, starts.card_zone)
    for name in (*definitions.decls, *cards.queries, *declared.keywords.queries):
        definitions.type_of(name)
    worked_out = _named(ruleset.tables, definitions.table)
    windows = Windows(texts, declared.rules, ruleset.game.max_players)
    effects = _named(ruleset.windows, windows.effect)
    effects |= _named(ruleset.effects, definitions.effect)
    effects |= {name: definitions.answered(effect) for name in cards.effects if (effect := cards.effect(name))}
    spans = [span for decl in ruleset.spans if (span := span_of(decl, texts)) is not None]
    variables |= {variable.name: variable for variable, _, _ in spans}
    events = Events(declared.rules, _ids(ruleset.phases))
    effects |= events.effects
    checks = tuple(state_check(declared.rules, source, rule) for source, rule in declared.rules.checks)
    setup = setup_of(ruleset, texts)
    phases = tuple(phase_of(phase, texts) for phase in ruleset.phases)
    endings = Endings(ruleset, texts)
    scoring = endings.scoring()
    advice, balance = advice_of(ruleset, texts), balance_of(ruleset, texts)
    variables |= {v.name: v for v in endings.variables()} | notes.kept
    invariants = (*(invariant_of(decl, texts) for decl in ruleset.invariants), *endings.invariants)
    view = layout(texts, ruleset.view, pictures.found)
    _check_untaken_actions(ruleset, texts)
    cards.check_unused()
    _report_calls(texts, events, zones, [*variables, *pools, *zones], worked_out)
    if texts.report.has_errors:  # later passes follow calls, and lints need every use of a name
        return None
    queries = {**{q.name.text: definitions.found[q.name.text] for q in ruleset.queries}, **definitions.found}
    queries |= worked_out | {query.name: query for _, query, _ in spans}
    program = replace(
        _without_texts(declared),
        variables=variables,
        pictures=pictures.found,
        pools=pools,
        zones=zones,
        queries=queries,
        effects=effects,
        setup=setup,
        phases=phases,
        scoring=scoring,
        advice=advice,
        balance=balance,
        invariants=invariants,
        layout=view,
        printed=printed_texts(ruleset, declared.data.options, texts),
        private_sites=frozenset(notes.private_sites),
    )
    sugar = _sugar(declared, [span for _, _, span in spans], checks, windows.found, events.answers)
    return Checked(ruleset, texts.names, notes, program, sugar)


def _report_calls(
    texts: Texts,
    events: Events,
    zones: Mapping[str, core.CardZone],
    started: Iterable[str],
    worked_out: Iterable[str],
) -> None:
    """Report mistakes that show only once all calls are known.

    These are call cycles, start values that read state, and tables that read state. ``started`` names the variables,
    pools and zones. ``worked_out`` names the computed tables.
    """
    graph = texts.notes.graph
    for owner, stmt in texts.notes.touched if events.answers else ():
        for rule, does in events.answers.set_off_by(stmt, zones):
            graph.set_off(owner, Owner("rule", rule), stmt.span, does)
    fields = ((kind, field) for kind in texts.names.kinds for field in texts.names.kinds[kind].fields)
    printed = {f"{kind}.{field.removeprefix('base_')}": field for kind, field in fields if field.startswith("base_")}
    graph.report_cycles(texts.report, printed)
    graph.report_early_reads([Owner("start", name) for name in started], texts.report)
    graph.report_state_in_tables([Owner("table", name) for name in worked_out], texts.report)


def _without_texts(declared: Declared) -> core.Program:
    """Return a core program with only the data that is known before texts are checked. Everything else is empty."""
    ruleset, data, names = declared.ruleset, declared.data, declared.texts.names
    game = ruleset.game
    return core.Program(
        id=game.id.text,
        name=game.name,
        version=game.version,
        digest=ruleset.digest,
        min_players=game.min_players,
        max_players=game.max_players,
        about=game.about,
        options=tuple(data.options),
        enums=dict(names.enums),
        boards=dict(names.boards),
        pictures={},
        tables=data.tables,
        variables={},
        pools={},
        zones={},
        entities=tuple(data.entities),
        component_kinds={k.name: (k.first, k.size) for k in names.kinds.values()},
        component_fields=data.field_types,
        queries={},
        effects={},
        setup=core.Phase("setup", None, 0, None, None, 1, (), (), game.span),
        phases=(),
        scoring=core.Scoring((), None, (), 1),
        invariants=(),
        layout=core.ViewLayout((), (), (), (), ()),
        directory=ruleset.directory,
        keywords=tuple(declared.keywords.queries),
        component_plurals={kind.name.text: kind.plural for kind in ruleset.components if kind.plural is not None},
        packs=tuple(core.Pack(p.name, tuple(word.text for word in p.replaces)) for p in ruleset.packs),
    )


def report_limits(checked: Checked, report: Diagnostics) -> None:
    """Report routines that are nested too deeply, and programs that are too large.

    The call graph must have no cycles.
    """
    program = checked.program
    report_depth(program.queries, program.effects, checked.phases, report)
    if not report.has_errors:
        report_written_out(program, checked.phases, report)
        places = [place for group in (program.variables, program.pools, program.zones) for place in group.values()]
        at = ((place, checked.declared_at(place)) for place in places)
        report_cells(at, checked.ruleset.game.max_players, report)


def _sugar(
    declared: Declared,
    spans: Sequence[LastingCondition],
    checks: tuple[StateCheck, ...],
    windows: Sequence[Window],
    answers: Answers,
) -> Sugar:
    """Collect the constructs that later passes lower to plain core."""
    decls, changes = declared.ruleset.durations, declared.texts.notes.temporary.values()
    return Sugar(
        tuple(spans),
        tuple(Duration(decl.name.text, decl.per_player, decl.name.span) for decl in decls),
        tuple(change for decl in decls for change in changes if change.duration == decl.name.text),
        checks,
        declared.keywords.blankable(),
        tuple(declared.texts.names.layers),
        tuple(windows),
        answers,
    )


def _ids(phases: Iterable[model.PhaseDecl]) -> Iterator[str]:
    for phase in phases:
        yield phase.id.text
        yield from _ids(phase.phases)


def _named(decls: Sequence[_D], make: Callable[[_D], _T | None]) -> dict[str, _T]:
    found: dict[str, _T] = {}
    for decl in decls:
        made = make(decl)
        if made is not None:
            found.setdefault(decl.name.text, made)
    return found


def _check_untaken_actions(ruleset: model.Ruleset, texts: Texts) -> None:
    """Check actions and menus that nothing offers. The routine that results is discarded."""
    for action in ruleset.actions:
        name = action.name.text
        if name not in texts.notes.taken_actions:
            check_action(texts.routine(Owner("offer", name)), name, action.name.span)
    for menu in ruleset.menus:
        if menu.name.text not in texts.notes.opened_menus:
            check_menu(texts.routine(Owner("offer", menu.name.text)), menu)
