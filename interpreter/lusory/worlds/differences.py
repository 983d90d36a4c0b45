"""What differs between what a seat was told and shown, and what it would have been in a world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lusory_dsl.core import AskMany
from lusory_dsl.core.knowledge import is_component

from ..table.events import Event
from ..table.setting import HIDDEN, Setting, item_type, type_of_place
from ..table.state import State
from .observed import NOT_SEEN
from .wanted import Pairs, Wanted


def differences(setting: Setting, told: Sequence[Event], state: State, wanted: Wanted) -> Pairs | None:
    """What differs first between what a seat is told in a world and sees afterwards, and what it was told and saw;
    empty: nothing does. None: it is not that components lie in each other's places."""
    heard = wanted.seen.events
    for event, other in zip(told, heard, strict=False):
        if event != other:
            return _in_events(setting, event, other)
    return wanted.differences(state) if len(told) == len(heard) else None


def agreement(told: Sequence[Event], heard: Sequence[Event]) -> tuple[int, int]:
    """How far what is told in a world is what was told: so many events, and so many components of the next."""
    for number, (event, other) in enumerate(zip(told, heard, strict=False)):
        if event != other:
            is_like = event[0] == other[0] == "cards"
            return number, sum(one == two for one, two in zip(event[1], other[1], strict=False)) if is_like else 0
    return len(heard), 0


def _in_events(setting: Setting, event: Event, other: Event) -> Pairs | None:
    pairs: Pairs = []
    if event[0] != other[0]:
        return None
    match event[0]:
        case "cards" if event[2:6] == other[2:6] and len(event[1]) == len(other[1]):
            pairs = _pairs(event[1], other[1])
        case "random" if event[1] == other[1]:
            type = setting.chances.get(event[1])
            pairs = _pairs(event[2:3], other[2:3]) if type is not None and is_component(type) else []
        case "set" if event[1:3] == other[1:3] and is_component(type_of_place(setting.program, event[1])):
            pairs = _pairs(_listed(event[3]), _listed(other[3]))
        case "choice" if event[1:4] == other[1:4]:
            ask = setting.sites[event[2]]
            domains = [ask.source] if isinstance(ask, AskMany) else [v.domain for v in ask.alternatives[event[3]].vars]
            for domain, value, wanted in zip(domains, event[4], other[4], strict=False):
                if is_component(item_type(domain.type)) and HIDDEN not in (value, wanted):
                    pairs += _pairs((value,), (wanted,))
        case "announce":
            pairs = _in_words(setting, event[1], other[1])
    return pairs or None


@lru_cache(8)
def _labels(setting: Setting) -> tuple[dict[str, list[int]], re.Pattern[str]]:
    """The components of each label, and what finds labels in a text."""
    called = dict[str, list[int]]()
    for entity in setting.program.entities:
        called.setdefault(entity.label, []).append(entity.number)
    return called, re.compile("(" + "|".join(map(re.escape, sorted(called, key=len, reverse=True))) + ")")


def _in_words(setting: Setting, words: str | None, others: str | None) -> Pairs:
    """The components that a text names in the place of others: whichever of those that are called so."""
    if words is None or others is None:
        return []
    called, labels = _labels(setting)
    here, wanted = labels.split(words), labels.split(others)
    if here[::2] != wanted[::2]:
        return []
    named = zip(here[1::2], wanted[1::2], strict=True)
    return [(tuple(called[one]), tuple(called[other])) for one, other in named if one != other]


def _listed(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _pairs(here: Sequence[Any], wanted: Sequence[Any]) -> Pairs:
    """The components that are others than those wanted."""
    return [
        ((one,), (other,))
        for one, other in zip(here, wanted, strict=False)
        if one != other and isinstance(one, int) and isinstance(other, int) and NOT_SEEN not in (one, other)
    ]
