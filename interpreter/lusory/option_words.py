"""What the options of a decision are called, and why something is not one of them. Used by the game."""

from __future__ import annotations

from collections.abc import Sequence

from lusory_dsl import core
from lusory_dsl.diagnostics import did_you_mean
from lusory_dsl.types import BoolType, ComponentType, EnumType, IntType, OptionalType, PlayerType, Type

from .choices import Option, Reason
from .expressions import Reader, Slots, excerpt
from .runtime import Setting, Value, item_type, name_of


def option_id(setting: Setting, ask: core.Ask | core.AskMany, option: Option) -> str:
    """What an author types: the alternative's name and the names of the values; of some, the item or ``done``."""
    if isinstance(ask, core.AskMany):
        return name_of(setting, option.values[0], item_type(ask.source.type)) if option.alternative == 0 else "done"
    alternative = ask.alternatives[option.alternative]
    names = [alternative.name] if alternative.name is not None else []
    for variable, value in zip(alternative.vars, option.values, strict=True):
        names.append(name_of(setting, value, item_type(variable.domain.type)))
    return " ".join(names)


def unique(ids: Sequence[str]) -> list[str]:
    """The ids, further ones of the same words told apart by ``#2``, ``#3``, …"""
    seen: dict[str, int] = {}
    found = []
    for id in ids:
        seen[id] = seen.get(id, 0) + 1
        found.append(id if seen[id] == 1 else f"{id}#{seen[id]}")
    return found


def option_label(reader: Reader, ask: core.Ask | core.AskMany, option: Option, slots: Sequence[Value]) -> str:
    """What a person reads: the alternative's label with the values filled in, else its name and the values' labels."""
    if isinstance(ask, core.AskMany):
        return "done" if option.alternative == 1 else reader.label(option.values[0], item_type(ask.source.type))
    alternative = ask.alternatives[option.alternative]
    filled = list(slots)
    for variable, value in zip(alternative.vars, option.values, strict=True):
        filled[variable.slot] = value
    if alternative.label is not None:
        return reader.text(alternative.label, filled)
    words = [alternative.name.replace("_", " ")] if alternative.name is not None else []
    for variable, value in zip(alternative.vars, option.values, strict=True):
        words.append(reader.label(value, item_type(variable.domain.type)))
    return " ".join(words)


# ---------------------------------------------------------------- why not


def reasons_against(
    reader: Reader, ask: core.Ask | core.AskMany, slots: Slots, wanted: str, ids: Sequence[str]
) -> list[Reason]:
    """Why ``wanted`` is not among the options ``ids``. ``slots``: the locals of the routine that asks."""
    if isinstance(ask, core.AskMany):
        return _against_pick(reader, ask, slots, wanted, ids)
    found: list[Reason] = []
    words = wanted.partition("#")[0].split()
    for alternative in ask.alternatives:
        rest = words
        if _is_of_another_card(reader.setting, alternative, words[1:2]):
            continue
        if alternative.name is not None:
            if words[:1] != [alternative.name]:
                continue
            rest = words[1:]
        found += _against_alternative(reader, alternative, list(slots), rest)
    return found or _against_card(reader.setting, ask, words) or [_unknown(wanted, ids)]


def _against_card(setting: Setting, ask: core.Ask, words: Sequence[str]) -> list[Reason]:
    """That a card does not have an action which others have."""
    named = words[1:2]
    offered = [a for a in ask.alternatives if a.original is not None and [a.name] == list(words[:1])]
    if not offered or not any(entity.name in named for entity in setting.program.entities):
        return []
    return [Reason(f"`{named[0]}` has no action `{words[0]}`")]


def _is_of_another_card(setting: Setting, alternative: core.Alternative, card: Sequence[str]) -> bool:
    """Whether an alternative is the action of a card, and not of the one that is named."""
    entities = setting.program.entities
    return alternative.original is not None and not any(
        entity.fields["original"] == alternative.original for entity in entities if entity.name in card
    )


def _unknown(wanted: str, ids: Sequence[str]) -> Reason:
    hint = did_you_mean(wanted, ids)
    return Reason(f"there is no option `{wanted}`" + (f": {hint}" if hint else f"; there are: {', '.join(ids)}"))


def _against_alternative(
    reader: Reader, alternative: core.Alternative, slots: Slots, words: Sequence[str]
) -> list[Reason]:
    broken = [reason for condition in alternative.conditions for reason in broken_parts(reader, condition, slots)]
    if broken:
        return broken
    if len(words) != len(alternative.vars):
        if alternative.name is None:
            return []
        names = " ".join([alternative.name, *(f"<{variable.name}>" for variable in alternative.vars)])
        return [Reason(f"write it as `{names}`", alternative.span)]
    for variable, word in zip(alternative.vars, words, strict=True):
        value, reasons = _find(reader, variable.domain, variable.slot, variable.condition, slots, word, variable.name)
        if reasons:
            return reasons
        slots[variable.slot] = value
    return []


def _against_pick(reader: Reader, ask: core.AskMany, slots: Slots, wanted: str, ids: Sequence[str]) -> list[Reason]:
    if wanted == "done":
        return [Reason(f"at least {reader.value(ask.low, list(slots))} are to be picked", ask.low.span)]
    _, reasons = _find(reader, ask.source, ask.item_slot, ask.condition, list(slots), wanted, ask.name)
    return reasons or [Reason(f"`{wanted}` cannot be picked any more; there are: {', '.join(ids)}", ask.span)]


def _find(
    reader: Reader,
    domain: core.Expr,
    slot: int,
    condition: core.Expr | None,
    slots: Slots,
    word: str,
    name: str,
) -> tuple[Value, list[Reason]]:
    """The value that ``word`` means in a domain, or why it is not to be had."""
    setting, type = reader.setting, item_type(domain.type)
    values = list(reader.value(domain, slots))
    names = [name_of(setting, value, type) for value in values]
    if word not in names:
        every = {name_of(setting, value, type): value for value in all_values(setting, type)}
        if word not in every and not _is_number(word, type):
            hint = did_you_mean(word, [*every, *names]) or f"it is one of: {', '.join(names)}"
            return None, [Reason(f"`{word}` is no {name}: {hint}", domain.span)]
        value = every[word] if word in every else int(word)
        why = absence(reader, domain, value, slots)
        return None, why or [Reason(f"`{word}` is not in `{excerpt(domain.span)}`", domain.span)]
    value = values[names.index(word)]
    slots[slot] = value
    return value, [] if condition is None else broken_parts(reader, condition, slots)


def _is_number(word: str, type: Type) -> bool:
    base = type.item if isinstance(type, OptionalType) else type
    return isinstance(base, IntType) and word.lstrip("-").isdecimal()


def all_values(setting: Setting, type: Type) -> list[Value]:
    """Every value of a type that has finitely many; of others none."""
    if isinstance(type, OptionalType):
        return [None, *all_values(setting, type.item)]
    if isinstance(type, BoolType):
        return [False, True]
    if isinstance(type, PlayerType):
        return list(range(setting.players))
    if isinstance(type, EnumType):
        return list(range(len(setting.program.enums[type.name].values)))
    if isinstance(type, ComponentType):
        first, n = setting.program.component_kinds[type.name]
        return list(range(first, first + n))
    return []


def broken_parts(reader: Reader, condition: core.Expr, slots: Slots) -> list[Reason]:
    """The parts of a condition that do not hold: a chain of ``and`` part by part, up to the first that is false and
    may guard the rest; a query by its own parts."""
    if isinstance(condition, core.Binary) and condition.op == "and":
        return broken_parts(reader, condition.left, slots) or broken_parts(reader, condition.right, slots)
    if reader.holds(condition, slots):
        return []
    if isinstance(condition, core.CallQuery):
        inner = _inside(reader, condition, slots)
        if inner is not None and isinstance(inner[0], core.Binary) and inner[0].op == "and":
            return broken_parts(reader, *inner)
    return [Reason(f"`{excerpt(condition.span)}` does not hold", condition.span)]


def absence(reader: Reader, domain: core.Expr, value: Value, slots: Slots) -> list[Reason]:
    """Why a value is not in a list, as far as the list's own making tells."""
    if isinstance(domain, core.CallQuery):
        inner = _inside(reader, domain, slots)
        return [] if inner is None else absence(reader, inner[0], value, inner[1])
    if isinstance(domain, core.Filter):
        if value not in reader.value(domain.source, slots):
            return absence(reader, domain.source, value, slots)
        slots[domain.slot] = value
        return broken_parts(reader, domain.condition, slots)
    if isinstance(domain, core.Binary) and domain.op == "except" and value in reader.value(domain.left, slots):
        return [Reason(f"it is excepted by `{excerpt(domain.right.span)}`", domain.right.span)]
    if isinstance(domain, core.Binary) and domain.op == "except":
        return absence(reader, domain.left, value, slots)
    return []


def _inside(reader: Reader, call: core.CallQuery, slots: Slots) -> tuple[core.Expr, Slots] | None:
    """The expression of a query and its locals; None where rules change its value."""
    query = reader.program.queries[call.query]
    if query.modifiers:
        return None
    args = [reader.value(arg, slots) for arg in call.args]
    return query.value, args + [None] * (query.n_slots - len(args))
