"""The events of the game log, what a seat learns of each, and their words.

All engines make the same events, and only when a log is asked for. Each kind of event is a class below. An event is a
tuple as well, whose first entry is its kind: so events compare, hash, unpack and turn into JSON as tuples do.

``seats`` has a bit for each seat that learns what the others don't. For a set variable these are the seats that see it
now. For counters they are the seats that both pools tell. For components they are the seats that see where the
components are now or saw where all of them were.

That something happened can tell as much as what it was. So a seat learns of an event if it shows what can be seen at
the table: a card on its way (how many lie where is public), counters of an open pool, a choice that somebody had to
make. A seat doesn't learn that a hidden variable was set, what moves within a hidden zone, what chance keeps from it, a
secret choice that may have had no options, or a `pass`. It doesn't learn either who else hears the same words, since
some may hear only a part. Everyone learns of a shuffle: a seat that saw where a card lay must know that this is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, Protocol, assert_never, get_args, get_type_hints

from lusory_dsl import core
from lusory_dsl.core.information_flow import is_pass, knowledge_of
from lusory_dsl.types.types import PlayerType

from .setting import HIDDEN, Indices, Setting, fixed_text, item_type, label_of, type_of_place

Source = tuple[str, Indices]
"""A zone and its indices."""


class PhaseBegan(NamedTuple):
    """A pass of a phase begins, also of the setup."""

    kind: Literal["phase"]
    phase: str


class ChoiceMade(NamedTuple):
    """A seat takes an option. ``values``: those of the alternative's variables, ``?`` for what the reader may not know.
    ``is_forced``: it was the only option; None for other seats, which don't learn it."""

    kind: Literal["choice"]
    seat: int
    site: int
    alternative: int
    values: tuple[Any, ...]
    is_forced: bool | None


class VariableSet(NamedTuple):
    """A variable has a new value."""

    kind: Literal["set"]
    variable: str
    indices: Indices
    value: Any
    seats: int


class CountersMoved(NamedTuple):
    """Counters move from pool to pool. ``counter``: their kind, and ``amount``: both are None for whoever may not know
    them."""

    kind: Literal["move"]
    counter: int | None
    amount: int | None
    source: str
    source_indices: Indices
    target: str
    target_indices: Indices
    seats: int


class ComponentsMoved(NamedTuple):
    """Components move to a zone. ``components``: None for each that the reader may not know. ``position``: ``top`` or
    ``bottom``. ``sources``: where each came from; None: from no zone."""

    kind: Literal["cards"]
    components: tuple[int | None, ...]
    target: str
    indices: Indices
    position: str
    sources: tuple[Source | None, ...]
    seats: int


class ZoneShuffled(NamedTuple):
    """A zone is shuffled."""

    kind: Literal["shuffle"]
    zone: str
    indices: Indices


class ChanceDecided(NamedTuple):
    """Chance has decided on the value of a name."""

    kind: Literal["random"]
    name: str
    value: Any
    seats: int


class Announced(NamedTuple):
    """Words of the rules. ``text``: None where nothing is heard."""

    kind: Literal["announce"]
    text: str | None
    seats: int


class GameEnded(NamedTuple):
    """The game is over, perhaps for a reason."""

    kind: Literal["end"]
    reason: str | None


Restricted = VariableSet | CountersMoved | ComponentsMoved | ChanceDecided | Announced
"""The events that not all seats may know: those with ``seats``."""

Event = PhaseBegan | ChoiceMade | ZoneShuffled | GameEnded | Restricted
Log = list[Event]

KINDS: dict[type[Event], str] = {of: get_args(get_type_hints(of)["kind"])[0] for of in get_args(Event)}
"""The first entry of the events of each class."""
_CLASSES = {kind: of for of, kind in KINDS.items()}

# The constructors: a class with its kind filled in.
phase_began = partial(PhaseBegan, "phase")
choice_made = partial(ChoiceMade, "choice")
variable_set = partial(VariableSet, "set")
counters_moved = partial(CountersMoved, "move")
components_moved = partial(ComponentsMoved, "cards")
zone_shuffled = partial(ZoneShuffled, "shuffle")
chance_decided = partial(ChanceDecided, "random")
announced = partial(Announced, "announce")
game_ended = partial(GameEnded, "end")

UNHEARD = announced(None, 0)
"""What a seat gets in place of an event that it learns nothing of."""


class HasSetting(Protocol):
    """A game, as far as events need one."""

    @property
    def setting(self) -> Setting: ...


def event_of(entries: Sequence[Any]) -> Event:
    """Return the event with these entries, the kind first, as ``tuple`` of an event gives them."""
    return _CLASSES[entries[0]]._make(entries)


def redact(event: Event, seat: int, game: HasSetting) -> Event:
    """Return the event as a seat learns of it: what is hidden from the seat is None, each component on its own, and
    ``?`` for values of a choice. Return UNHEARD where the seat learns nothing."""
    match event:
        case ChoiceMade():
            return _redact_choice(event, seat, game.setting)
        case PhaseBegan() | ZoneShuffled() | GameEnded():
            return event
    if event.seats >> seat & 1:
        return event._replace(seats=1 << seat) if isinstance(event, Announced) else event
    match event:
        case CountersMoved(source=source, source_indices=at, target=target, target_indices=to):
            pools = game.setting.program.pools
            is_open = _is_open(pools[source], at, seat) or _is_open(pools[target], to, seat)
            return event._replace(counter=None, amount=None) if is_open else UNHEARD
        case ComponentsMoved():
            return _redact_cards(event)
        case VariableSet() | ChanceDecided() | Announced():
            return UNHEARD
        case _:
            assert_never(event)


def _redact_cards(event: ComponentsMoved) -> Event:
    target = event.target, event.indices
    sources = tuple(sorted((one for one in event.sources if one != target), key=_in_order))
    return event._replace(components=(None,) * len(sources), sources=sources) if sources else UNHEARD


def _in_order(source: Source | None) -> Source:
    """Where hidden components come from is told zone by zone: the order in which they go would tell which they are."""
    return source or ("", ())


def _is_open(pool: core.Pool, indices: Indices, seat: int) -> bool:
    """Whether a seat sees at all times what lies in a pool."""
    owner = pool.visible.owner_dim(pool.dims)
    return pool.visible.is_open(pool.dims) or (owner is not None and indices[owner] == seat)


def _redact_choice(event: ChoiceMade, seat: int, setting: Setting) -> Event:
    is_own = seat == event.seat
    hidden = _hidden_values(setting, event.site, event.alternative, len(event.values), is_own)
    if hidden is None:
        return UNHEARD
    return event._replace(values=_masked(event.values, hidden), is_forced=event.is_forced if is_own else None)


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


def without_seats(event: Event) -> tuple[Any, ...]:
    """The entries of an event but for who learns of it."""
    return event[:-1] if isinstance(event, Restricted) else event


def redacted(log: Iterable[Event], seat: int, game: HasSetting) -> Log:
    """A log as a seat learns of it. Hidden moves between the same pools are one, lest their number tells the kinds, and
    so are secret picks of one choice."""
    found: Log = []
    for event in log:
        seen = redact(event, seat, game)
        if is_unheard(seen) or (found and found[-1] == seen and same_again(seen, game)):
            continue
        found.append(seen)
    return found


def is_unheard(seen: Event) -> bool:
    """Whether a seat learns nothing of an event that was redacted for it."""
    return isinstance(seen, Announced) and seen.text is None


def same_again(seen: Event, game: HasSetting) -> bool:
    """Whether an event that is told a second time says nothing more."""
    if isinstance(seen, ChoiceMade):
        return isinstance(game.setting.sites[seen.site], core.AskMany) and seen.values == (HIDDEN,)
    return isinstance(seen, CountersMoved) and seen.counter is None


# ---------------------------------------------------------------- in words


def describe(event: Event, game: HasSetting, seat: int | None = None) -> str | None:
    """One readable line; None: not worth showing. With a seat, as that seat learns of it."""
    if seat is not None:
        event = redact(event, seat, game)
    hidden = seat is not None and isinstance(event, Restricted) and not event.seats >> seat & 1
    setting = game.setting
    match event:
        case PhaseBegan(phase=id):
            phase = setting.phases[id][-1]
            return f"— {fixed_text(phase.label) or _words(phase.id).capitalize()} —"
        case ChoiceMade():
            return _choice(setting, event)
        case VariableSet():
            return _set(setting, event, hidden)
        case CountersMoved():
            return _move(setting, event)
        case ComponentsMoved():
            return _cards(setting, event, hidden)
        case ZoneShuffled(zone=zone, indices=indices):
            return f"{place_label(setting, zone, indices)} is shuffled"
        case ChanceDecided():
            return _random(setting, event, hidden)
        case Announced(text=text):
            return None if hidden else text or None  # of nothing said nothing is told
        case GameEnded(reason=reason):
            return "The game is over" if reason is None else f"The game is over: {reason}"
        case _:
            assert_never(event)


def _choice(setting: Setting, event: ChoiceMade) -> str:
    ask = setting.sites[event.site]
    alternative = event.alternative
    domains = [ask.source] if isinstance(ask, core.AskMany) else [v.domain for v in ask.alternatives[alternative].vars]
    labels = [
        HIDDEN if value == HIDDEN else label_of(setting, value, item_type(domain.type))
        for value, domain in zip(event.values, domains, strict=False)
    ]
    if isinstance(ask, core.AskMany):
        return f"P{event.seat + 1}: {labels[0] if labels else 'done'}"
    return f"P{event.seat + 1}: {_answer(ask.alternatives[alternative], labels)}"


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


def _set(setting: Setting, event: VariableSet, hidden: bool) -> str | None:
    name = event.variable
    if is_bookkeeping(setting, name):
        return None
    words = HIDDEN if hidden else label_of(setting, event.value, type_of_place(setting.program, name))
    return f"{place_label(setting, name, event.indices)}: {words}"


def is_bookkeeping(setting: Setting, name: str) -> bool:
    """Whether a variable is one that its author gave no label: nothing to be told of."""
    return setting.program.place(name).label.lower() in ("", name.lower(), _words(name).lower())


def _move(setting: Setting, event: CountersMoved) -> str:
    if event.counter is None or event.amount is None:
        counters = "hidden counters"
    else:
        counters = f"{event.amount} {counted(setting, event.source, event.counter, event.amount)}"
    source = place_label(setting, event.source, event.source_indices)
    return f"{counters}: {source} → {place_label(setting, event.target, event.target_indices)}"


def counted(setting: Setting, pool: str, kind: int, n: int) -> str:
    """What so many counters of a kind are called."""
    value = setting.program.enums[str(setting.program.pools[pool].holds)].values[kind]
    if n == 1 or value.plural is None:
        return value.label
    if value.plural.startswith(value.name):  # the word as players read it, with the same ending
        return value.label + value.plural[len(value.name) :]
    is_capital = value.label[:1].isupper()
    return value.plural[:1].upper() + value.plural[1:] if is_capital else value.plural


def _cards(setting: Setting, event: ComponentsMoved, hidden: bool) -> str:
    groups: list[tuple[Source | None, list[int | None]]] = []
    for entity, source in zip(event.components, event.sources, strict=True):
        if not groups or groups[-1][0] != source:
            groups.append((source, []))
        groups[-1][1].append(entity)
    where = f"{'top of ' if event.position == 'top' else ''}{place_label(setting, event.target, event.indices)}"
    lines = []
    for source, members in groups:
        what = f"{len(members)} hidden" if hidden else ", ".join(_entity(setting, entity) for entity in members)
        whence = f"{place_label(setting, *source)} → " if source is not None else "→ "
        lines.append(f"{what}: {whence}{where}")
    return "; ".join(lines)


def _entity(setting: Setting, entity: int | None) -> str:
    return HIDDEN if entity is None else setting.program.entities[entity].label


def _random(setting: Setting, event: ChanceDecided, hidden: bool) -> str:
    type = setting.chances.get(event.name)
    words = HIDDEN if hidden else str(event.value) if type is None else label_of(setting, event.value, type)
    return f"By chance: {_words(event.name)} {words}"


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
