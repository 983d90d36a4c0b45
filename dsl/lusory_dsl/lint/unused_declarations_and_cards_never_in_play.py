"""Lint unused declarations, variables that are never read or changed, and cards that never come into play."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .. import core
from ..checker.check import CheckedRuleset
from ..checker.context import PARAMETER_OF_EVENT, Notes
from ..checker.symbol_table import BrokenSymbol
from ..core.generated_part_origins import RULES, STATE_CHECKS
from ..core.program_reads_and_value_bounds import iterate_routines
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics, remove_item
from ..source.in_memory_cache_of_parsed_and_checked_texts import get_cached
from ..types.types import ComponentType, ListType, is_component


def report_cards_never_in_play(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about cards that no zone starts with and no rule names.

    A rule that names a kind names all its cards, and one that reads a table names all cards in it. Names in the view,
    the scoring, invariants and actions that nothing offers don't count, but those in any effect or query do. A card in
    play brings all its copies, and the cards that its fields hold. If no card of a kind that a zone holds comes into
    play, warn once, at the first zone for that kind. Otherwise warn at each card of the kind that never does, once for
    all its copies. Kinds that no zone holds are skipped.
    """
    program = checked_ruleset.program
    zones_by_kind = {str(zone.holds): zone for zone in reversed(program.zones.values())}
    reached_cards = _find_reached_cards(checked_ruleset)
    for kind, zone in zones_by_kind.items():
        start, size = program.component_kinds[kind]
        unreached_cards = [card for card in program.entities[start : start + size] if card.number not in reached_cards]
        if unreached_cards and len(unreached_cards) == size:
            message = f"no `{kind}` ever comes into play: no zone starts with any"
            hint = f"write `start: all {kind}` in the zone where they start"
            report.add(codes.NEVER_IN_PLAY, message, checked_ruleset.get_declaration_span(zone), hint)
            continue
        for card in {entity.card: entity for entity in reversed(unreached_cards)}.values():
            message = f"the card `{card.card}` never comes into play: no zone starts with it, and no rule names it"
            report.add(codes.NEVER_IN_PLAY, message, card.span, _suggest_start(program, kind))


def _suggest_start(program: core.Program, kind: str) -> str:
    """Return a hint about how other cards of the same kind come into play."""
    tables = [table.name for table in program.tables.values() if table.type == ListType(ComponentType(kind))]
    if tables:
        return f"add it to the table `{tables[0]}`, which lists other cards, or to the `start` of a zone"
    return f"add it to the `start` of a zone, as in `start: all {kind}`, or move it there in `setup`"


def _find_reached_cards(checked_ruleset: CheckedRuleset) -> set[int]:
    """Return the numbers of the cards that can come into play.

    These are the cards that start in a zone, those that the rules name, and those that the fields of these hold.
    """
    program = checked_ruleset.program
    reached_cards = {card for zone in program.zones.values() for card in zone.start}
    tables = tuple((table.name, table.values) for table in program.tables.values())
    places = get_cached(("cards of places", tables), object)
    for root in _iterate_roots(checked_ruleset):
        reached_cards |= get_cached(("cards", places, root), partial(_find_named_cards, program, root))
    card_fields = {
        kind: ["copies", *(name for name, type in fields.items() if is_component(type))]
        for kind, fields in program.component_fields.items()
    }
    pending, visited_cards = list(reached_cards), set[str]()
    while pending:
        card = program.entities[pending.pop()]
        if card.card in visited_cards:  # all copies of a card have the same fields
            continue
        visited_cards.add(card.card)
        linked_cards = {number for name in card_fields[card.kind] for number in _list_numbers(card.fields.get(name))}
        pending += linked_cards - reached_cards
        reached_cards |= linked_cards
    return reached_cards


def _find_named_cards(program: core.Program, root: core.Expr | core.Stmt) -> set[int]:
    """Return the cards that an expression or statement names, by themselves, by their kind or through a table.

    Searches for cards with an active rule, which the checker generates, don't count.
    """
    cards: set[int] = set()
    stack: list[object] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, core.Let) and _searches_active_cards(node):
            continue
        match node:
            case core.Const(type=type, value=value) if is_component(type):
                cards.update(_list_numbers(value))
            case core.TableRead(type=type, table=table) if is_component(type):
                cards.update(_list_numbers(program.get_table(table).values))
        searched_list = node.source if isinstance(node, core.ForEach) and _searches_active_cards(node) else None
        stack += [child for child in core.get_children(node) if child is not searched_list]
    return cards


def _searches_active_cards(stmt: core.ForEach | core.Let) -> bool:
    """Return whether a generated statement searches the copies of a card for those with an active rule."""
    condition = stmt.value if isinstance(stmt, core.Let) else core.split_rule_loop(stmt)[1]
    if condition is None or stmt.origin.generator not in (RULES, STATE_CHECKS):
        return False
    return any(isinstance(node, core.LiesIn | core.ReadZone | core.IndexOfPlace) for node in core.walk(condition))


def _iterate_roots(checked_ruleset: CheckedRuleset) -> Iterator[core.Expr | core.Stmt]:
    """Yield the expressions and statements that can bring a card into play."""
    program = checked_ruleset.program
    for variable in program.variables.values():
        yield variable.start
    for zone in program.zones.values():
        if zone.part_start is not None:
            yield zone.part_start
    for routine in iterate_routines(checked_ruleset.phases, checked_ruleset.effects, program.queries):
        yield from routine


def _list_numbers(value: object) -> list[int]:
    """Return the integers in a value and in nested tuples, in order."""
    if isinstance(value, tuple):
        return [number for item in value for number in ((item,) if type(item) is int else _list_numbers(item))]
    return [value] if isinstance(value, int) else []


_HINTS = {
    "effect": "call it, or remove it",
    "keyword": "write it under `keywords` of a card, or remove it",
    "action": "offer it with `take action`, or remove it",
    "window": "open it, or remove it",
    "zone": "move something there, or remove it",
    "pool": "move something there, or remove it",
}

# Without pools, because counters may end in a pool that nothing reads.
_CHANGED = {"variable": "written", "span": "begun", "zone": "filled"}
_READ_HINT = "read it somewhere, or remove it"
_READ_HINTS = {"zone": "read it, show it under `view`, or begin its name with `_` if the cards are out of the game"}


def report_unused(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Add warnings about unused names to ``report``, with the code UNUSED_DEFINITION except as stated.

    The locals in ``notes.unused_locals`` come first (UNUSED_LOCAL). Then come actions of a kind, such as ``Card.sell``,
    that the rules use, but that no card has, even ``Card._sell``. Other names follow: members of kinds, keywords,
    durations, options, enums, kinds, tables, variables, zones and pools, queries, effects, actions, windows and spans.
    Each gets only the first warning that fits: a span that nothing begins, a name that nothing uses, a variable, zone
    or span that is never read (NEVER_READ), a variable that never changes (NEVER_WRITTEN). Pools, and zones that start
    with cards, need no read. Enum values, fields, layers, charts, endings and menus (UNOPENED_MENU) come last. Any
    other name that begins with ``_`` is exempt, but not the layers, charts, endings and menus. No value is reported if
    its enum is unused, or used as the list of all its values.
    """
    ruleset, names, notes = checked_ruleset.ruleset, checked_ruleset.names, checked_ruleset.notes
    _report_unused_locals(notes, report)
    # Zones that start with cards need no read, because the rules can take the cards one by one.
    filled_zones = {
        zone.name.text for zone in ruleset.zones if zone.start_kind is not None or zone.start_expression is not None
    }
    for ability in names.kind_actions.values():
        if not ability.cards and ability.name in notes.used_names:
            name_word = ability.decl.name
            message = f"no {ability.kind} has the action `{name_word.text}`"
            hint = f"write it under `{'keywords' if ability.is_keyword else 'actions'}` of a card, or remove it"
            report.add(codes.UNUSED_DEFINITION, message, name_word.span, hint)
    for name, word in _iterate_names(ruleset):
        symbol = names.symbols.get(name)
        if symbol is None or isinstance(symbol, BrokenSymbol) or symbol.span is not word.span or word.text[0] == "_":
            continue
        if symbol.kind == "span" and name not in notes.begun_spans:
            hint = f"write `begin {name}` where it starts, or remove it"
            report.add(codes.UNUSED_DEFINITION, f"nothing begins the span `{name}`", word.span, hint)
        elif name not in notes.used_names and name not in notes.taken_actions:
            hint = _HINTS.get(symbol.kind, "use it, or remove it")
            message = f"the {symbol.kind} `{name}` is never used"
            report.add(codes.UNUSED_DEFINITION, message, word.span, hint)
        elif symbol.kind in _CHANGED and name not in notes.read_names | filled_zones:
            message = f"the {symbol.kind} `{name}` is {_CHANGED[symbol.kind]}, but never read"
            report.add(codes.NEVER_READ, message, word.span, _READ_HINTS.get(symbol.kind, _READ_HINT))
        elif symbol.kind == "variable" and name not in notes.written_places:
            message = f"the variable `{name}` never changes"
            hint = "set it somewhere, or declare it as a query, a table or an option"
            report.add(codes.NEVER_WRITTEN, message, word.span, hint)

    for word, message, hint in _iterate_unused_parts(checked_ruleset):
        report.add(codes.UNUSED_DEFINITION, message, word.span, hint)
    for menu in names.menus.values():
        if menu.name.text not in notes.opened_menus:
            message = f"no statement opens the menu `{menu.name.text}`"
            hint = f"write `take action from {menu.name.text}`, or remove it"
            report.add(codes.UNOPENED_MENU, message, menu.name.span, hint)


def _report_unused_locals(notes: Notes, report: Diagnostics) -> None:
    for local in notes.unused_locals:
        hint, fixes = f"remove it, or rename it to `_{local.name}` if you don't need it", []
        if local.kind == PARAMETER_OF_EVENT:
            hint = "remove it: a rule names only the parameters that it needs"
            fixes = [remove_item(local.span)]
        message = f"the name `{local.name}` is never used"
        report.add(codes.UNUSED_LOCAL, message, local.span, hint, fixes=fixes)


def _iterate_unused_parts(checked_ruleset: CheckedRuleset) -> Iterator[tuple[model.Word, str, str]]:
    """Yield the name, message and hint of each unused value of an enum, field of cards, layer, chart and ending."""
    ruleset, names, notes = checked_ruleset.ruleset, checked_ruleset.names, checked_ruleset.notes
    for enum in ruleset.enums:
        # An enum that is unused as a whole has a warning of its own.
        is_used_whole = enum.name.text in notes.read_names or enum.name.text not in notes.used_names
        for ordinal, value in enumerate(enum.values):
            word = value.name
            if not is_used_whole and (enum.name.text, ordinal) not in notes.used_values and word.text[0] != "_":
                yield word, f"the value `{word.text}` of `{enum.name.text}` is never used", "use it, or remove it"
    for kind in ruleset.components:
        for field, _ in kind.fields:
            if (kind.name.text, field.text) not in notes.used_fields and field.text[0] != "_":
                message = f"the field `{field.text}` of `{kind.name.text}` is never read"
                yield field, message, "read it somewhere, or remove it"
    for layer in ruleset.layers:
        if layer.text not in notes.used_layers:
            hint = f"write `… in layer {layer.text}`, or remove it"
            yield layer, f"the layer `{layer.text}` has no rule", hint
    for chart in names.charts.values():
        if chart.name.text not in notes.used_charts:
            hint = f"write `end game by {chart.name.text}`, or remove it"
            yield chart.name, f"the chart `{chart.name.text}` is never used", hint
    for ending in ruleset.endings:
        if ending.name.text not in notes.used_endings:
            hint = f"write `end game because {ending.name.text}`, or remove it"
            yield ending.name, f"the game never ends because of `{ending.name.text}`", hint


def _iterate_names(ruleset: model.Ruleset) -> Iterator[tuple[str, model.Word]]:
    """Yield the name of each symbol, with the word that declares it."""
    for kind in ruleset.components:
        for member in kind.members:
            yield f"{kind.name.text}.{member.name.text}", member.name
    for keyword in ruleset.keywords:
        yield f"{keyword.kind.text}.{keyword.name.text}", keyword.name
    for section in (
        ruleset.durations,
        ruleset.options,
        ruleset.enums,
        ruleset.components,
        ruleset.tables,
        ruleset.variables,
        ruleset.zones,
        ruleset.queries,
        ruleset.effects,
        ruleset.actions,
        ruleset.windows,
        ruleset.spans,
    ):
        for decl in section:
            yield decl.name.text, decl.name
