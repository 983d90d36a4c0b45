"""Check a whole ruleset: declare all names, then check all texts and build the core program.

:mod:`lusory_dsl.pipeline` calls this module. It first calls :func:`declare_names`, then :func:`check_texts` and
:func:`report_limits`.

Each mistake is reported once. A faulty expression takes the place of the mistake. Its type fits everywhere, so it
causes no further reports.

It also checks and collects the start page and the texts printed on cards and actions.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from .. import core
from ..core.generated_part_origins import STATE_CHECKS
from ..core.program_reads_and_value_bounds import Facts, collect_facts
from ..core.zone_phase_and_value_triggers import Triggers
from ..desugar.durations_and_state_checks import add_temporary_changes, make_check_effects, make_duration
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record
from ..source.diagnostics import Diagnostics
from ..source.source import EmbeddedText, Span, make_title
from ..source.spelling_suggestions import suggest_name
from .actions_and_offers import check_action, check_menu
from .boards_and_pictures import BoardBuilder, PictureChecker
from .call_graph_and_size_limits import Owner, report_cells, report_depth, report_expanded_size
from .card_members_keywords_and_gains import CardMembers, Keywords
from .code_fields_templates_and_check_cache import TextChecker
from .context import Notes, Observer
from .declared_names_variables_pools_and_zones import Declarations, PlaceChecker, check_option_value
from .dispatch import FORMS
from .queries_effects_phases_scoring_and_bots import (
    Definitions,
    Endings,
    check_advice,
    check_balance,
    check_invariant,
    check_phase,
    check_seats,
    check_setup,
)
from .reaction_windows import WindowChecker, check_span, record_window_actions
from .rules_triggers_and_modifiers import EventChecker, Rules, check_whenever_rule
from .symbol_table import Names, QueryTypes, report_unknown
from .view_section import check_layout, report_phrases

_D = TypeVar("_D", bound=model.NamedDecl)
_T = TypeVar("_T")


class DeclaredRuleset(Record):
    """Everything that has a name in a ruleset, and the checkers of the texts behind these names."""

    ruleset: model.Ruleset
    texts: TextChecker
    declarations: Declarations
    cards: CardMembers
    keywords: Keywords
    rules: Rules
    definitions: Definitions


class CheckedRuleset(Record):
    """A ruleset whose texts have been checked.

    Attributes:
        program: The core program. It lacks the calls of rules that other statements trigger, of state checks and of
            the effects that end spans.
        triggers: The events that trigger rules.
        notes: Facts that checking collected, such as the names in use and the call graph.
    """

    ruleset: model.Ruleset
    names: Names
    notes: Notes
    program: core.Program
    triggers: Triggers

    @property
    def phases(self) -> tuple[core.Phase, ...]:
        """The setup, followed by the phases."""
        return (self.program.setup, *self.program.phases)

    @property
    def effects(self) -> Mapping[str, core.Effect]:
        """All effects except those of state checks, by name."""
        return {key: effect for key, effect in self.program.effects.items() if effect.origin.generator != STATE_CHECKS}

    @property
    def state_checks(self) -> Mapping[str, core.Effect]:
        """The effect of each state check, keyed by its name.

        The query for the check's condition has the same name.
        """
        return {name: effect for name, effect in self.program.effects.items() if effect.origin.part == "rule"}

    @cached_property
    def constant_facts(self) -> Facts:
        """The facts of :func:`collect_facts`, which are computed once."""
        return collect_facts(self.program)

    def get_declaration_span(self, place: core.Place) -> Span:
        """Return the span of a place's name in its declaration.

        A place that the compiler made has no declaration. For such a variable, return the span of its start value,
        which is that of the construct that needs it, such as ``each player at once``. For the variables of the scoring
        and for any other such place, it is the span of the key ``game``.
        """
        symbol = self.names.symbols.get(place.name)
        if symbol is not None:
            return symbol.span
        return place.start.span if isinstance(place, core.Variable) else self.ruleset.game.span


def declare_names(ruleset: model.Ruleset, report: Diagnostics, observer: Observer | None = None) -> DeclaredRuleset:
    """Declare all names of a ruleset, with their types and plain data.

    Mistakes go to ``report``, and the result is returned all the same. Its ``texts.names`` has the names. The type of a
    query is ``texts.names.queries.find_type(NAME)``; the first call for a query checks its text. An unknown query has
    the type NOTHING. ``observer`` receives the expressions and statements of a text when it is checked, through its
    methods ``start_part``, ``record_expression``, ``record_statement`` and ``add_part``.
    """
    names = Names(QueryTypes(lambda name: definitions.get_query_type(name)))
    texts = TextChecker(names, Notes(observer=observer), report, FORMS)
    names.actions.update((action.name.text, action) for action in reversed(ruleset.actions))
    data = Declarations(ruleset, names, texts.notes, report, BoardBuilder(ruleset, texts))
    cards, keywords = CardMembers(ruleset, data, texts), Keywords(ruleset, data, texts)
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
    names.phases.extend(name for name, _ in _iterate_phases(ruleset.phases))
    record_window_actions(ruleset.windows, texts.notes, report)
    keywords.declare()
    texts.environment.close(names, texts.notes)
    rules.parse_rules()
    report_phrases(ruleset, report)
    return DeclaredRuleset(ruleset, texts, data, cards, keywords, rules, definitions)


def check_texts(declared_ruleset: DeclaredRuleset) -> CheckedRuleset | None:
    """Check all texts of a ruleset and return a CheckedRuleset.

    Returns None if ``declared_ruleset.texts.report`` then has any error, also one from before. The program does not
    call rules, state checks and ends of spans yet. The actions and menus that nothing offers are checked, too. Also
    reports call cycles, and start values and computed tables that read state.
    """
    ruleset, texts, cards = declared_ruleset.ruleset, declared_ruleset.texts, declared_ruleset.cards
    definitions, rules, notes = declared_ruleset.definitions, declared_ruleset.rules, texts.notes
    picture_checker = PictureChecker(ruleset, texts.names, declared_ruleset.declarations.data_checker, texts.report)
    place_checker = PlaceChecker(declared_ruleset.declarations, texts, picture_checker)
    variables = _make_by_name(ruleset.variables, place_checker.check_variable)
    pools = _make_by_name(ruleset.zones, place_checker.check_pool)
    zones = _make_by_name(ruleset.zones, place_checker.check_card_zone)
    for name in (*definitions.decls, *cards.queries, *declared_ruleset.keywords.queries):
        definitions.get_query_type(name)
    computed_tables = _make_by_name(ruleset.tables, definitions.check_table)
    window_checker = WindowChecker(texts, rules, ruleset.game.max_players)
    effects = _make_by_name(ruleset.windows, window_checker.check_effect)
    effects |= _make_by_name(ruleset.effects, definitions.check_effect)
    effects |= {name: rules.attach_rules(effect) for name in cards.effects if (effect := cards.make_effect(name))}
    variables |= window_checker.variables
    spans = [span for decl in ruleset.spans if (span := check_span(decl, texts)) is not None]
    variables |= {variable.name: variable for variable, _ in spans}
    events = EventChecker(rules)
    effects |= events.effects
    checks = [check_whenever_rule(rules, source, rule) for source, rule in rules.checks]
    setup = check_setup(ruleset, texts)
    phases = tuple(check_phase(phase, texts) for phase in ruleset.phases)
    endings = Endings(ruleset, texts)
    scoring = endings.check_scoring()
    advice, balance = check_advice(ruleset, texts), check_balance(ruleset, texts)
    variables |= {variable.name: variable for variable in endings.make_variables()} | notes.hidden_variables
    invariants = (*(check_invariant(decl, texts) for decl in ruleset.invariants), *endings.invariants)
    view = check_layout(texts, ruleset.view, picture_checker.pictures)
    _check_untaken_actions(ruleset, texts)
    cards.check_unused()
    _report_calls(texts, events, zones, [*variables, *pools, *zones], computed_tables)
    if texts.report.has_errors:  # later passes follow calls, and lints need every use of a name
        return None
    queries = {decl.name.text: definitions.queries[decl.name.text] for decl in ruleset.queries} | definitions.queries
    queries |= computed_tables | {query.name: query for _, query in spans}
    _add_lowered_parts(declared_ruleset, checks, queries, variables, effects)
    program = _make_program(
        declared_ruleset,
        variables=variables,
        pictures=picture_checker.pictures,
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
    )
    return CheckedRuleset(ruleset, texts.names, notes, program, events.answers)


def _report_calls(
    texts: TextChecker,
    events: EventChecker,
    zones: Mapping[str, core.CardZone],
    start_values: Iterable[str],
    computed_tables: Iterable[str],
) -> None:
    """Report mistakes that show only once all calls are known.

    These are call cycles, start values that read state, and tables that read state. ``start_values`` names the
    variables, pools and zones, ``computed_tables`` the computed tables.
    """
    graph = texts.notes.graph
    for owner, stmt in texts.notes.rule_causes if events.answers else ():
        for rule, cause in events.answers.find_triggered_rules(stmt, zones):
            graph.add_trigger(owner, Owner("rule", rule), stmt.span, cause)
    graph.report_cycles(texts.report)
    graph.report_early_reads("start", start_values, texts.report)
    graph.report_early_reads("table", computed_tables, texts.report)


def _make_program(declared_ruleset: DeclaredRuleset, **parts: Any) -> core.Program:
    """Return the core program of the declared data and of ``parts``, the fields that the checks have built."""
    ruleset, declarations, texts = declared_ruleset.ruleset, declared_ruleset.declarations, declared_ruleset.texts
    game, names = ruleset.game, texts.names
    return core.Program(
        id=game.id.text,
        name=game.name,
        version=game.version,
        digest=ruleset.digest,
        min_players=game.min_players,
        max_players=game.max_players,
        about=game.about,
        options=tuple(declarations.options),
        enums=dict(names.enums),
        boards=dict(names.boards),
        tables=declarations.tables,
        entities=tuple(declarations.entities),
        component_kinds={kind.name: (kind.start, kind.size) for kind in names.kinds.values()},
        component_fields=declarations.field_types,
        directory=ruleset.directory,
        keywords=tuple(declared_ruleset.keywords.queries),
        component_plurals={kind.name.text: kind.plural for kind in ruleset.components if kind.plural is not None},
        printed_texts=_collect_player_texts(ruleset, declarations.options, texts),
        private_sites=frozenset(texts.notes.private_sites),
        packs=tuple(core.Pack(pack.name, tuple(word.text for word in pack.replaces)) for pack in ruleset.packs),
        **parts,
    )


def report_limits(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Report what exceeds a limit of size: first at most one TOO_DEEP, for a block, phase or routine nested too deeply.

    If the report then has no errors, also none from before, two checks follow. The first reports TOO_LARGE for each
    expression or outermost statement of a routine that is too large when each core.Named in it is expanded. Nothing
    without a core.Named is reported, and the statement ``let`` makes none. Two large expressions in one ``if`` give
    one error at this ``if``. The second check, also after such errors, reports TOO_MANY for the first place that makes
    a state too large: variables come before pools, and pools before zones. The call graph must have no cycles.
    """
    program = checked_ruleset.program
    report_depth(program, checked_ruleset.phases, report)
    if not report.has_errors:
        report_expanded_size(program, checked_ruleset.phases, report)
        places = [place for group in (program.variables, program.pools, program.zones) for place in group.values()]
        places_and_spans = ((place, checked_ruleset.get_declaration_span(place)) for place in places)
        report_cells(places_and_spans, checked_ruleset.ruleset.game.max_players, report)


def _add_lowered_parts(
    declared_ruleset: DeclaredRuleset,
    checks: Sequence[tuple[core.Query, core.Effect]],
    queries: dict[str, core.Query],
    variables: dict[str, core.Variable],
    effects: dict[str, core.Effect],
) -> None:
    """Add the queries, variables and effects of state checks and durations, and let blank cards have no keywords.

    Changed queries get modifiers that read the variables of durations.
    """
    queries |= {query.name: query for query, _ in checks}
    if checks:
        effects |= make_check_effects([effect for _, effect in checks])
    texts, decls = declared_ruleset.texts, declared_ruleset.ruleset.durations
    all_changes = texts.notes.temporary_changes.values()
    changes = {
        decl.name.text: [change for change in all_changes if change.duration == decl.name.text] for decl in decls
    }
    queries |= add_temporary_changes(queries, [*chain(*changes.values())], texts.names.layers)
    for decl in decls:
        duration_variables, ending = make_duration(decl, changes[decl.name.text])
        variables |= {variable.name: variable for variable in duration_variables}
        effects[ending.name] = ending
    queries |= declared_ruleset.keywords.make_blankable(queries)


def _make_by_name(decls: Sequence[_D], make_part: Callable[[_D], _T | None]) -> dict[str, _T]:
    results: dict[str, _T] = {}
    for decl in decls:
        result = make_part(decl)
        if result is not None:
            results.setdefault(decl.name.text, result)
    return results


def _check_untaken_actions(ruleset: model.Ruleset, texts: TextChecker) -> None:
    """Check actions and menus that nothing offers. The routine that results is discarded."""
    for action in ruleset.actions:
        name = action.name.text
        if name not in texts.notes.taken_actions:
            check_action(texts.make_routine(Owner("offer", name)), name, action.name.span)
    for menu in ruleset.menus:
        if menu.name.text not in texts.notes.opened_menus:
            check_menu(texts.make_routine(Owner("offer", menu.name.text)), menu)


COLUMNS, ROWS = 78, 20
"""The room for a start page on a terminal of 80 by 24."""


def _collect_player_texts(
    ruleset: model.Ruleset, options: Sequence[core.Option], texts: TextChecker
) -> core.PrintedTexts:
    """Collect all texts for players.

    All texts that can end the game must be checked before.

    Each mapping goes from a declared name (``ENUM.VALUE`` for values) to a tuple of the lines of its text, in declared
    order. The lines have no surplus blanks. For an ending they are in a core.Ending. Declarations without a text are
    left out, except endings, and so are endings that nothing reaches. ``frames`` has the fields above the text of each
    kind of component: those that its ``frame`` lists, else those without a default. Reports names in frames that are no
    fields, and a start page that is faulty or too large.
    """
    charts = () if ruleset.scoring is None else ruleset.scoring.charts
    phases = dict(_iterate_phases(ruleset.phases))
    used_endings = texts.notes.used_endings
    _check_frames(ruleset, texts)
    return core.PrintedTexts(
        start_page=_check_start_page(ruleset, phases, options, texts),
        cards={card.id.text: _join_lines(card.text) for card in ruleset.cards if card.text},
        actions={action.name.text: _join_lines(action.text) for action in ruleset.actions if action.text},
        effects={effect.name.text: _join_lines(effect.text) for effect in ruleset.effects if effect.text},
        values={
            f"{enum.name.text}.{value.name.text}": _join_lines(value.text)
            for enum in ruleset.enums
            for value in enum.values
            if value.text
        },
        phases={name: _join_lines(phase.text) for name, phase in phases.items() if phase.text},
        charts={chart.name.text: _join_lines(chart.text) for chart in charts if chart.text},
        endings={
            ending.name.text: core.Ending(used_endings[ending.name.text], _join_lines(ending.text))
            for ending in ruleset.endings
            if ending.name.text in used_endings
        },
        frames={kind.name.text: kind.frame for kind in ruleset.components},
    )


def _check_frames(ruleset: model.Ruleset, texts: TextChecker) -> None:
    """Report names in frames that are no fields of their kind."""
    for kind in ruleset.components:
        fields = [name.text for name, _ in kind.fields]
        for name in kind.frame_names or ():
            if name.text not in fields:
                message, hint = f"a `{kind.name.text}` has no field `{name.text}`", suggest_name(name.text, fields)
                texts.report.add(codes.UNKNOWN_NAME, message, name.span, hint or "name a field")


def _join_lines(text: Iterable[EmbeddedText]) -> tuple[str, ...]:
    return tuple(" ".join(line.text.split()) for line in text)


def _iterate_phases(phases: Iterable[model.PhaseDecl]) -> Iterator[tuple[str, model.PhaseDecl]]:
    for phase in phases:
        yield phase.id.text, phase
        yield from _iterate_phases(phase.phases)


def _check_start_page(
    ruleset: model.Ruleset, phases: dict[str, model.PhaseDecl], options: Sequence[core.Option], texts: TextChecker
) -> core.StartPage | None:
    """Return the start page, or None without one.

    Reports unknown phases, which are left out, and a page with more than ``ROWS`` lines.
    """
    decl = ruleset.game.start_page
    if decl is None:
        return None
    turn: list[tuple[str, str]] = []
    for name, line in decl.turn:
        if name is not None and name.text not in phases:
            hint = "`turn` names phases; it may also be a list of lines"
            report_unknown(texts.report, "phase", name.text, name.span, phases, hint)
        else:
            turn.append(("" if name is None else _make_phase_title(phases[name.text]), line))
    recommended_games = tuple(_check_recommended_game(game, ruleset.game, options, texts) for game in decl.recommended)
    turn_lines = (f"{title}: {line}" if title else line for title, line in turn)
    lines = (decl.aim, *turn_lines, *decl.know, *(game.name for game in recommended_games))
    rows = sum(len(textwrap.wrap(line, COLUMNS)) for line in lines)
    if rows > ROWS:
        message = f"the start page has {rows} lines on a terminal of 80 columns, and {ROWS} fit"
        texts.report.add(codes.TOO_LARGE, message, decl.span, "say less: the rulebook holds the rest")
    return core.StartPage(decl.aim, tuple(turn), decl.know, recommended_games)


def _make_phase_title(phase: model.PhaseDecl) -> str:
    """Return the label of a phase up to its first inserted value, or else its id in words."""
    label = "" if phase.label is None else phase.label.text.partition("{")[0].strip(" :,–-·")
    return label or make_title(phase.id.text)


def _check_recommended_game(
    decl: model.RecommendedDecl, game: model.GameDecl, options: Sequence[core.Option], texts: TextChecker
) -> core.RecommendedGame:
    """Check a recommended game against the number of players and the options, and return it.

    Its options are as authors write them; faulty ones are reported and left out.
    """
    report, n_seats = texts.report, len(decl.seats)
    check_seats(n_seats, f"`{decl.name}` has {n_seats} seats", decl.span, game, report)
    options_by_name = {option.name: option for option in options}
    option_values: dict[str, bool | int | str] = {}
    for name, value in decl.options:
        option = options_by_name.get(name.text)
        if option is None:
            report_unknown(report, "option", name.text, name.span, options_by_name, "name one of the `options`")
        elif check_option_value(option, value, report) is not None and isinstance(value.data, bool | int | str):
            option_values[name.text] = value.data
    return core.RecommendedGame(decl.name, decl.seats, option_values)
