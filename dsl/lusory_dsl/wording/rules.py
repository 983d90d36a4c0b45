"""Rules in words: `when`, `instead of`, `while` and `whenever`, and what cards get."""

from __future__ import annotations

from collections.abc import Iterable

from ..effect import nodes, patterns
from ..effect.patterns import AnyRule, Pattern
from ..text.spelling import humanised
from .prose import Prose
from .words import listed


def rule_lines(say: Prose, rule: AnyRule) -> list[str]:
    """A rule as lines."""
    if isinstance(rule, nodes.WhileRule | nodes.GainRule):
        return [_as_long_as(say, rule.condition, _change(say, rule))]
    if isinstance(rule, nodes.WheneverRule):
        return [f"Whenever {say.condition(rule.condition)}:", *say.block(rule.body, 1)]
    condition = f", if {say.condition(rule.condition)}" if rule.condition is not None else ""
    if not isinstance(rule, nodes.EventRule):
        return [f"{_event(say, rule)}{condition}:", *say.block(rule.body, 1)]
    about = listed(_bound(b) for b in rule.bindings)
    bound = f" with its {about}" if rule.bindings else ""
    word = "After" if rule.kind == "when" else "Instead of"
    return [f"{word} “{humanised(rule.event)}”{bound}{condition}:", *say.block(rule.body, 1)]


def _event(say: Prose, rule: Pattern) -> str:
    """What a rule answers to that is no effect: “When a card enters your hand”."""
    match rule:
        case patterns.ZoneRule(verb=verb, card=card, zone=zone, other=other):
            who = "this card" if card == "this" else _called(say.held(zone.name), card)
            whence = "" if other is None else f" {'to' if verb == 'leaves' else 'from'} {say.zone(other.name, 'any')}"
            does = f"{'Instead of' if verb == 'entering' else 'When'} {who} {verb} {say.zone(zone.name, 'your')}"
            return f"{does}{whence}"
        case patterns.PhaseRule(phase=phase, verb=verb):
            return f"When the phase “{humanised(phase)}” {verb}"
        case patterns.ChangeRule(place=place, indices=indices, kind=kind):
            what = "" if kind is None else f"{humanised(kind.name)} in "
            named = f" of {listed(_who(name.name) for name in indices)}" if indices else ""
            return f"At a change of {what}{say.zone(place, 'your')}{named}"
    raise AssertionError(rule)


def _called(what: str, name: str) -> str:
    """Something by the name that a rule gives it, unless it is called so anyway."""
    return what if what.split()[-1] == humanised(name) else f"{what} (called {humanised(name)})"


def gains(say: Prose, found: Iterable[nodes.Gain]) -> str:
    """What cards get: “+1 attack and venom”."""
    return listed(_gain(say, gain) for gain in found)


def recipient(say: Prose, node: nodes.Recipient) -> str:
    """Who gets what stands behind a keyword."""
    return f"each {humanised(node.name)} for which {say.condition(node.condition)}"


def _as_long_as(say: Prose, condition: nodes.Expr, change: str) -> str:
    if isinstance(condition, nodes.BoolLit) and condition.value:
        return f"Always: {change}."
    return f"While {say.condition(condition)}: {change}."


def _change(say: Prose, rule: nodes.WhileRule | nodes.GainRule) -> str:
    layer = f" (layer {humanised(rule.layer)})" if rule.layer else ""
    if isinstance(rule, nodes.GainRule):
        return f"{_who(rule.name)} gets {gains(say, rule.gains)}{layer}"
    query = say.called(rule.query)
    about = f" for {listed(_who(b.name) for b in rule.bindings)}" if rule.bindings else ""
    if isinstance(rule.value, nodes.BoolLit):
        return f"“{query}” {'holds' if rule.value.value else 'does not hold'}{about}{layer}"
    reads_it = any(isinstance(n, nodes.Name) and n.name == "it" for n in nodes.walk(rule.value))
    so_far = ", where “it” is what it would be otherwise" if reads_it else ""
    return f"“{query}”{about} becomes {say.value(rule.value)}{layer}{so_far}"


def _who(name: str) -> str:
    return "this card" if name == "this" else humanised(name)


def _gain(say: Prose, gain: nodes.Gain) -> str:
    name = say.called(gain.name)
    match gain.how, gain.value:
        case "", _:
            return name
        case "()", nodes.ListLit(items=items):
            return f"{name} ({listed(map(say.value, items))})"
        case "keywords", nodes.Expr() as card:
            return f"the keywords of {say.value(card)}"
        case "is", nodes.Expr() as value:
            return f"“{name}” as {say.value(value)}"
        case sign, nodes.Expr() as amount:
            return f"{sign.replace('-', '−')}{say.operand(amount)} {name}"
    raise AssertionError(gain)


def _bound(binding: nodes.Binding) -> str:
    """A parameter of an event, by the name that a rule gives it."""
    parameter, name = humanised(binding.parameter), humanised(binding.name)
    if binding.name == "this":
        return "this card" if binding.parameter == "this" else f"{parameter} (this card)"
    return name if binding.name == binding.parameter else f"{parameter} (called {name})"
