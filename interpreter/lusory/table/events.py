"""What happened, in order: plain tuples, the same on every engine, made only when a log is asked for.

=======================================================================  =============================================
``("phase", phase_id)``                                                  a pass of any phase begins, also of the setup
``("choice", seat, site, alternative, values, forced)``                  an option is taken
``("set", place, indices, value, seats)``                                a variable has a new value
``("move", kind, n, source, indices, target, indices, seats)``           counters move from pool to pool
``("cards", entities, target, indices, position, sources, seats)``       components move; ``sources`` holds the
                                                                         (zone, indices) or None each came from
``("shuffle", zone, indices)``                                           a zone is shuffled
``("random", name, value, seats)``                                       chance has decided
``("announce", text, seats)``                                            words of the rules
``("end", reason)``                                                      the game is over
=======================================================================  =============================================

``seats`` has a bit for each seat that learns what is hidden from the others: of a set variable those that see it now;
of counters those that both pools let know; of components those that see where they are or saw where they all were.

That something happened can tell as much as what it was, so that a seat learns of an event where it shows what can be
seen at the table: a card on its way (how many lie where is public), counters of a pool that is open, a choice that
somebody was bound to make. It learns nothing of a hidden variable that is set, of what moves within a hidden zone, of
chance that is kept from it, of a secret choice which there might have been no option for, nor of a `pass`; nor
who else heard the same words, which may be told in part. Shuffles are done in the open: who saw where a card lay must
know that it lies elsewhere now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Protocol

from lusory_dsl import core
from lusory_dsl.core.knowledge import is_pass, knowledge_of
from lusory_dsl.language.types import PlayerType

from .setting import HIDDEN, Indices, Setting, fixed_text, item_type, label_of, type_of_place

Event = tuple[Any, ...]

UNHEARD: Event = ("announce", None, 0)

_MERGED = {"choice", "move"}  # see `same_again`
_WITH_SEATS = {"set", "move", "cards", "random", "announce"}  # their last entry is the seats


class HasSetting(Protocol):
    """A game, as far as events need one."""

    @property
    def setting(self) -> Setting: ...


def redact(event: Event, seat: int, game: HasSetting) -> Event:
    """The event as a seat learns of it: what is hidden from it is None (of components: a None for each; of a choice the
    value is ``?``). Where nothing of it may be told it is words that the seat does not hear."""
    kind = event[0]
    if kind == "choice":
        return _redact_choice(event, seat, game.setting)
    if kind not in _WITH_SEATS:
        return event
    if event[-1] >> seat & 1:
        return (*event[:-1], 1 << seat) if kind == "announce" else event
    if kind == "move":
        pools = game.setting.program.pools
        is_open = any(_is_open(pools[pool], at, seat) for pool, at in (event[3:5], event[5:7]))
        return (kind, None, None, *event[3:]) if is_open else UNHEARD
    if kind == "cards":
        sources = tuple(sorted((one for one in event[5] if one != (event[2], event[3])), key=_in_order))
        return (kind, (None,) * len(sources), *event[2:5], sources, event[6]) if sources else UNHEARD
    return UNHEARD


def _in_order(source: tuple[str, Indices] | None) -> tuple[str, Indices]:
    """Where hidden components come from is told zone by zone: the order in which they go would tell which they are."""
    return source or ("", ())


def _is_open(pool: core.Pool, indices: Indices, seat: int) -> bool:
    """Whether a seat sees at all times what lies in a pool."""
    if pool.visible.constant == "owner":
        owners = (i for i, dim in zip(indices, pool.dims, strict=False) if isinstance(dim.type, PlayerType))
        return next(owners, seat) == seat
    return pool.visible.constant == "all"


def _redact_choice(event: Event, seat: int, setting: Setting) -> Event:
    kind, chooser, site, alternative, values, forced = event
    hidden = _hidden_values(setting, site, alternative, len(values), seat == chooser)
    if hidden is None:
        return UNHEARD
    return (kind, chooser, site, alternative, _masked(values, hidden), forced if seat == chooser else None)


@lru_cache(maxsize=4096)
def _hidden_values(setting: Setting, site: int, alternative: int, n: int, is_own: bool) -> tuple[bool, ...] | None:
    """Of an answer with ``n`` values, which are hidden from a seat, that of who chose or another; None: it learns
    nothing of it."""
    ask, known = setting.sites[site], knowledge_of(setting.program)
    unseen = tuple((alternative, one) in known.unseen[site] for one in range(n))
    if is_own:
        return unseen
    if site in setting.program.private_sites or _says_nothing(setting, ask, alternative):
        return None
    secrets = _secrets(ask, alternative)
    if secrets and all(secrets) and site in known.telling:
        return None
    return tuple(map(any, zip(unseen, secrets or unseen, strict=True)))


def _masked(values: tuple[Any, ...], hidden: tuple[bool, ...]) -> tuple[Any, ...]:
    if True not in hidden:
        return values
    return tuple([HIDDEN if is_hidden else value for value, is_hidden in zip(values, hidden, strict=True)])


def _says_nothing(setting: Setting, ask: core.Ask | core.AskMany, alternative: int) -> bool:
    """Whether an answer is that there is no more to pick, or that a window passes: that somebody was asked at all would
    tell that there was something else."""
    if isinstance(ask, core.AskMany):
        return alternative == 1
    by, _ = setting.asked_in.get(ask.site, (None, ()))
    effect = None if by is None else setting.program.effects[by]
    return effect is not None and effect.is_window and is_pass(ask.alternatives[alternative])


def _secrets(ask: core.Ask | core.AskMany, alternative: int) -> tuple[bool, ...]:
    """Which values of an answer are secret."""
    if isinstance(ask, core.AskMany):
        return (ask.secret,) if alternative == 0 else ()
    return tuple(variable.secret for variable in ask.alternatives[alternative].vars)


def without_seats(event: Event) -> Event:
    """The event without who learns of it."""
    return event[:-1] if event[0] in _WITH_SEATS else event


def redacted(log: Iterable[Event], seat: int, game: HasSetting) -> list[Event]:
    """A log as a seat learns of it. Hidden moves between the same pools are one, lest their number tells the kinds, and
    so are secret picks of one choice."""
    found: list[Event] = []
    for event in log:
        seen = redact(event, seat, game)
        if seen[0] == "announce" and seen[1] is None:
            continue
        if seen[0] in _MERGED and found and found[-1] == seen and same_again(seen, game):
            continue
        found.append(seen)
    return found


def same_again(seen: Event, game: HasSetting) -> bool:
    """Whether an event that is told a second time says nothing more."""
    if seen[0] == "choice":
        return isinstance(game.setting.sites[seen[2]], core.AskMany) and seen[4] == (HIDDEN,)
    return seen[0] == "move" and seen[1] is None


# ---------------------------------------------------------------- in words


def describe(event: Event, game: HasSetting, seat: int | None = None) -> str | None:
    """One readable line; None: not worth showing. With a seat, as that seat learns of it."""
    if seat is not None:
        event = redact(event, seat, game)
    hidden = seat is not None and event[0] in _WITH_SEATS and not event[-1] >> seat & 1
    return _DESCRIBE[event[0]](game.setting, event, hidden)


def _phase(setting: Setting, event: Event, hidden: bool) -> str:
    phase = setting.phases[event[1]][-1]
    return f"— {fixed_text(phase.label) or _words(phase.id).capitalize()} —"


def _choice(setting: Setting, event: Event, hidden: bool) -> str:
    _, seat, site, alternative, values, _ = event
    ask = setting.sites[site]
    domains = [ask.source] if isinstance(ask, core.AskMany) else [v.domain for v in ask.alternatives[alternative].vars]
    labels = [
        HIDDEN if value == HIDDEN else label_of(setting, value, item_type(domain.type))
        for value, domain in zip(values, domains, strict=False)
    ]
    if isinstance(ask, core.AskMany):
        return f"P{seat + 1}: {labels[0] if labels else 'done'}"
    return f"P{seat + 1}: {_answer(ask.alternatives[alternative], labels)}"


def _answer(alternative: core.Alternative, labels: list[str]) -> str:
    """The option's own label, if it speaks of nothing but its variables, else the labels of name and values."""
    by_slot = {variable.slot: label for variable, label in zip(alternative.vars, labels, strict=True)}
    words: list[str] = []
    for part in alternative.label.parts if alternative.label is not None else ():
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, core.Local) and part.slot in by_slot:
            words.append(by_slot[part.slot])
        else:
            break
    else:
        if words:
            return "".join(words)
    return " ".join([_words(alternative.name), *labels] if alternative.name is not None else labels)


def _set(setting: Setting, event: Event, hidden: bool) -> str | None:
    _, name, indices, value, _ = event
    if is_bookkeeping(setting, name):
        return None
    words = HIDDEN if hidden else label_of(setting, value, type_of_place(setting.program, name))
    return f"{place_label(setting, name, indices)}: {words}"


def is_bookkeeping(setting: Setting, name: str) -> bool:
    """Whether a variable is one that its author gave no label: nothing to be told of."""
    return setting.program.place(name).label.lower() in ("", name.lower(), _words(name).lower())


def _move(setting: Setting, event: Event, hidden: bool) -> str:
    _, kind, n, source, source_indices, target, target_indices, _ = event
    counters = "hidden counters" if hidden else f"{n} {counted(setting, source, kind, n)}"
    return (
        f"{counters}: {place_label(setting, source, source_indices)} → {place_label(setting, target, target_indices)}"
    )


def counted(setting: Setting, pool: str, kind: int, n: int) -> str:
    """What so many counters of a kind are called."""
    value = setting.program.enums[str(setting.program.pools[pool].holds)].values[kind]
    if n == 1 or value.plural is None:
        return value.label
    if value.plural.startswith(value.name):  # the word as players read it, with the same ending
        return value.label + value.plural[len(value.name) :]
    is_capital = value.label[:1].isupper()
    return value.plural[:1].upper() + value.plural[1:] if is_capital else value.plural


def _cards(setting: Setting, event: Event, hidden: bool) -> str:
    _, entities, target, indices, position, sources, _ = event
    groups: list[tuple[Any, list[int | None]]] = []
    for entity, source in zip(entities, sources, strict=True):
        if not groups or groups[-1][0] != source:
            groups.append((source, []))
        groups[-1][1].append(entity)
    where = place_label(setting, target, indices)
    lines = []
    for source, members in groups:
        what = f"{len(members)} hidden" if hidden else ", ".join(_entity(setting, entity) for entity in members)
        whence = f"{place_label(setting, *source)} → " if source is not None else "→ "
        lines.append(f"{what}: {whence}{'top of ' if position == 'top' else ''}{where}")
    return "; ".join(lines)


def _entity(setting: Setting, entity: int | None) -> str:
    return HIDDEN if entity is None else setting.program.entities[entity].label


def _shuffle(setting: Setting, event: Event, hidden: bool) -> str:
    return f"{place_label(setting, event[1], event[2])} is shuffled"


def _random(setting: Setting, event: Event, hidden: bool) -> str:
    _, name, value, _ = event
    type = setting.chances.get(name)
    words = HIDDEN if hidden else str(value) if type is None else label_of(setting, value, type)
    return f"By chance: {_words(name)} {words}"


def _announce(setting: Setting, event: Event, hidden: bool) -> str | None:
    text: str | None = None if hidden else event[1] or None  # of nothing said nothing is told
    return text


def _end(setting: Setting, event: Event, hidden: bool) -> str:
    return "The game is over" if event[1] is None else f"The game is over: {event[1]}"


_DESCRIBE: dict[str, Callable[[Setting, Event, bool], str | None]] = {
    "phase": _phase,
    "choice": _choice,
    "set": _set,
    "move": _move,
    "cards": _cards,
    "shuffle": _shuffle,
    "random": _random,
    "announce": _announce,
    "end": _end,
}


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def place_label(setting: Setting, name: str, indices: Indices) -> str:
    """A place as a person reads it: ``Stock``, ``P1's ready pile``, ``P1's boost (left Engine)``."""
    declared = setting.program.place(name)
    labels = [
        label_of(setting, dim.meant(value), dim.given) for value, dim in zip(indices, declared.dims, strict=False)
    ]
    owner = ""
    if labels and isinstance(declared.dims[0].type, PlayerType):
        owner = f"{labels.pop(0)}'s "
    rest = f" ({', '.join(labels)})" if labels else ""
    return f"{owner}{declared.label or _words(name)}{rest}"
