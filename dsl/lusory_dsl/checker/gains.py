"""What cards get in the words of a card: `u gets +2 attack, venom`, and keywords that give it to others. Sugar: each
gain is a `while` rule for the query that it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..effect import nodes
from ..language.types import BoolType, IntType, ListType, Type
from ..text import codes
from ..text.diagnostics import Diagnostics, about_name, did_you_mean
from ..text.spelling import listed
from .names import KeywordSymbol, Names, QuerySymbol


def rules_of(
    rule: nodes.GainRule, kind: str | None, given: Mapping[str, Sequence[str]], names: Names, report: Diagnostics
) -> Iterator[nodes.WhileRule]:
    """The rules that a rule with gains stands for. ``kind``: the component kind of the card on which it stands;
    ``given``: the keywords of each kind that cards can get with those of another, which are data."""
    if rule.name in names.constants:
        message = f"`{rule.name}` is a card or value, and stands for whatever gets something"
        hint = f"give it another name, and say in the condition which it is: `while u is {rule.name}: u gets …`"
        report.add(codes.NAME_TAKEN, message, rule.name_span, hint)
        return
    for gain in rule.gains:
        if gain.how == "keywords":
            changes = _all_keywords(gain, kind, given, names, report)
        else:
            query = _query(gain, kind, names, report)
            changes = [] if query is None else [(query, _value(gain))]
        bindings = (nodes.Binding(rule.name_span, "this", rule.name),)
        for query, change in changes:
            yield nodes.WhileRule(
                gain.span, rule.condition, query, gain.name_span, bindings, change, rule.layer, rule.layer_span
            )


def _all_keywords(
    gain: nodes.Gain, kind: str | None, given: Mapping[str, Sequence[str]], names: Names, report: Diagnostics
) -> list[tuple[str, nodes.Expr]]:
    """Each keyword of the kind that is data, with what it is where a card has those of another as well: of a number
    the larger, of a list both, of other values its own if it has one. What is *printed* on the other counts, so that
    nothing turns in a ring."""
    kinds = [kind] if kind is not None else [name for name, words in given.items() if words]
    if len(kinds) != 1:
        hint = "write the rule on a card, under `rules` of a kind, or behind a keyword"
        report.add(codes.AMBIGUOUS_VALUE, "nothing says of which kind the keywords are", gain.span, hint)
        return []
    found = []
    for word in given.get(kinds[0], ()):
        symbol = names.symbols.get(f"{kinds[0]}.{word}")
        if isinstance(symbol, KeywordSymbol):
            found.append((symbol.name, _with_that_of(gain, word, symbol.type)))
    return found


def _with_that_of(gain: nodes.Gain, word: str, type: Type) -> nodes.Expr:
    span, other = gain.span, gain.value
    assert other is not None
    it = nodes.Name(span, "it")
    printed = nodes.Member(span, nodes.Member(span, other, "printed", span), word, span)
    match type:
        case BoolType():
            return nodes.Binary(span, "or", it, printed)
        case IntType():
            arguments = (nodes.Argument(span, None, it), nodes.Argument(span, None, printed))
            return nodes.Call(span, nodes.Name(span, "larger"), arguments)
        case ListType():
            return nodes.Binary(span, "union", it, printed)
    nothing = nodes.Binary(span, "=", it, nodes.NoneLit(span))
    return nodes.IfExpr(span, nothing, printed, it)


def _query(gain: nodes.Gain, kind: str | None, names: Names, report: Diagnostics) -> str | None:
    """The query or keyword of a kind that a gain changes; None where it has been reported that there is none."""
    kinds = [name for name in names.kinds if _known(gain, name, names)]
    if kind in kinds:
        return f"{kind}.{gain.name}"
    if len(kinds) == 1:
        return f"{kinds[0]}.{gain.name}"
    if kinds:
        said = listed(kinds)
        hint = f"say which: `while …: {kinds[0]}.{gain.name}(this: u) is …`"
        report.add(codes.AMBIGUOUS_VALUE, f"`{gain.name}` is a query of {said}", gain.name_span, hint)
        return None
    full = [name for name, symbol in names.symbols.items() if isinstance(symbol, QuerySymbol) and "." in name]
    hint = did_you_mean(gain.name, [name.partition(".")[2] for name in full]) or (
        "cards get keywords, and what their kind declares under `queries`"
    )
    message = f"there is nothing called `{gain.name}` that a card can get"
    report.add(codes.UNKNOWN_NAME, message, gain.name_span, hint, about=about_name(gain.name))
    return None


def _known(gain: nodes.Gain, kind: str, names: Names) -> bool:
    return isinstance(names.symbols.get(f"{kind}.{gain.name}"), QuerySymbol)


def _value(gain: nodes.Gain) -> nodes.Expr:
    """What the query is, by what it would be otherwise: `it`."""
    if gain.value is None:
        return nodes.BoolLit(gain.span, True)
    if gain.how == "is":
        return gain.value
    operator = "union" if gain.how == "()" else gain.how
    return nodes.Binary(gain.span, operator, nodes.Name(gain.span, "it"), gain.value)
