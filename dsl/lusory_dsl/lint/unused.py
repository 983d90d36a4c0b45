"""A lint: definitions that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from ..checker.names import BrokenSymbol
from ..checker.notes import Notes
from ..checker.stages import Checked
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics

_HINTS = {
    "effect": "call it, or remove it",
    "keyword": "write it under `keywords` of a card, or remove it",
    "action": "offer it with `take action`, or remove it",
    "window": "open it, or remove it",
    "zone": "move something there, or remove it",
    "pool": "move something there, or remove it",
}

_CHANGED = {"variable": "written", "span": "begun", "zone": "filled"}  # counters must go somewhere
_READ_HINT = "read it somewhere, or remove it"
_READ_HINTS = {"zone": "read it, or show it under `view`; a name that begins with `_` is for what is put away"}


def never_used(checked: Checked, report: Diagnostics) -> None:
    """Warns of each declared name that nothing uses, and of variables that nothing reads. A name that begins with
    `_` is meant to be unused."""
    ruleset, names, notes = checked.ruleset, checked.names, checked.notes
    for local in notes.unused_locals:
        hint = f"remove it, or call it `_{local.name}` if it is meant"
        report.add(codes.UNUSED_LOCAL, f"`{local.name}` is never used", local.span, hint)
    begun = {
        zone.name.text for zone in ruleset.zones if zone.start_all is not None or zone.start_of is not None
    }  # and emptied card by card
    for ability in names.kind_actions.values():
        if not ability.cards and ability.name in notes.used:
            written = ability.decl.name
            message = f"no {ability.kind} has the action `{written.text}`"
            hint = f"write it under `{'keywords' if ability.keyword else 'actions'}` of a card, or remove it"
            report.add(codes.UNUSED_DEFINITION, message, written.span, hint)
    for name, word in _declared(ruleset):
        symbol = names.symbols.get(name)
        if symbol is None or isinstance(symbol, BrokenSymbol) or symbol.span is not word.span or word.text[0] == "_":
            continue
        if symbol.what == "span" and name not in notes.begun:
            hint = f"write `begin {name}` where it starts, or remove it"
            report.add(codes.UNUSED_DEFINITION, f"the span `{name}` is never begun", word.span, hint)
        elif name not in notes.used and name not in notes.taken_actions:
            hint = _HINTS.get(symbol.what, "use it, or remove it")
            message = f"the {symbol.what} `{name}` is never used"
            report.add(codes.UNUSED_DEFINITION, message, word.span, hint)
        elif symbol.what in _CHANGED and name not in notes.read | begun:
            message = f"the {symbol.what} `{name}` is {_CHANGED[symbol.what]}, but never read"
            report.add(codes.NEVER_READ, message, word.span, _READ_HINTS.get(symbol.what, _READ_HINT))
        elif symbol.what == "variable" and name not in notes.written:
            message = f"the variable `{name}` never changes"
            hint = "set it somewhere; what stays as it is can be a query, a table or an option"
            report.add(codes.NEVER_WRITTEN, message, word.span, hint)

    _report_parts(ruleset, notes, report)
    for chart in names.charts.values():
        if chart.name.text not in notes.used_charts:
            message = f"the chart `{chart.name.text}` is never used"
            hint = f"write `end game by {chart.name.text}`, or remove it"
            report.add(codes.UNUSED_DEFINITION, message, chart.name.span, hint)
    for menu in names.menus.values():
        if menu.name.text not in notes.opened_menus:
            message = f"nothing takes an action from the menu `{menu.name.text}`"
            hint = f"write `take action from {menu.name.text}`, or remove it"
            report.add(codes.UNOPENED_MENU, message, menu.name.span, hint)


def _report_parts(ruleset: model.Ruleset, notes: Notes, report: Diagnostics) -> None:
    """Warns of unused parts of definitions: values of enums, fields of cards, layers."""
    add = report.add
    for enum in ruleset.enums:
        whole = enum.name.text in notes.read or enum.name.text not in notes.used  # which is reported
        for ordinal, value in enumerate(enum.values):
            word = value.name
            if not whole and (enum.name.text, ordinal) not in notes.used_values and word.text[0] != "_":
                message = f"the value `{word.text}` of `{enum.name.text}` is never used"
                add(codes.UNUSED_DEFINITION, message, word.span, "use it, or remove it")
    for kind in ruleset.components:
        for field, _ in kind.fields:
            if (kind.name.text, field.text) not in notes.used_fields and field.text[0] != "_":
                message = f"the field `{field.text}` of `{kind.name.text}` is never read"
                add(codes.UNUSED_DEFINITION, message, field.span, "read it somewhere, or remove it")
    for layer in ruleset.layers:
        if layer.text not in notes.used_layers:
            message = f"no rule is in the layer `{layer.text}`"
            add(codes.UNUSED_DEFINITION, message, layer.span, f"write `… in layer {layer.text}`, or remove it")


def _declared(ruleset: model.Ruleset) -> Iterator[tuple[str, model.Word]]:
    """The names of symbols, with the words that declare them."""
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
