"""Define the events of the game log, redact them for a seat, and describe them as text.

All engines emit the same events, but only if the caller asks for a log. Each kind of event has a class below. An event
is also a tuple whose first entry is its kind. Events therefore compare, hash, unpack and serialize to JSON like tuples.

The field ``seats`` is a bit mask of the seats that learn what other seats don't. For a variable these are the seats
that see it now. For counters they are the seats that see both pools. For components they are the seats that see the new
places, and the seats that saw all old places.

An event can reveal something by the mere fact that it happened. A seat therefore gets a redacted event only if it shows
something that everybody at the table can see. Examples are the number of cards that move, counters of an open pool, and
a choice that somebody had to make. A seat gets no event at all for these:

- a hidden variable that changes;
- a move within a hidden zone;
- a random result that is hidden from the seat;
- a secret choice that may have had no options;
- a `pass`.

A seat doesn't learn who else hears an announcement either. Everyone learns of a shuffle, because a seat that knew the
place of a card must stop relying on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, Protocol, assert_never, get_args, get_type_hints

from lusory_dsl import core
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.source.source import capitalize
from lusory_dsl.types.types import PlayerType

from .setting_value_limits_builtins_and_names import (
    HIDDEN,
    Indices,
    Setting,
    format_value_label,
    get_constant_text,
    get_place_type,
    list_value_types,
)

ZoneAddress = tuple[str, Indices]
"""The name and the indices of a card zone."""


class PhaseBegan(NamedTuple):
    """A phase begins one pass. The setup is a phase, too."""

    kind: Literal["phase"]
    phase: str


class ChoiceMade(NamedTuple):
    """A seat chooses an option.

    Attributes:
        values: The values of the alternative's variables. A value is ``?`` if the reader may not know it.
        is_forced: Whether it was the only option. None for other seats, which don't learn it.
    """

    kind: Literal["choice"]
    seat: int
    site: int
    alternative: int
    values: tuple[Any, ...]
    is_forced: bool | None


class VariableSet(NamedTuple):
    """A variable gets a new value."""

    kind: Literal["set"]
    variable: str
    indices: Indices
    value: Any
    seats: int


class CountersMoved(NamedTuple):
    """Counters move from one pool to another.

    ``counter`` is the kind of counter, and ``amount`` their number. Both are None for a reader that may not know them.
    """

    kind: Literal["move"]
    counter: int | None
    amount: int | None
    source: str
    source_indices: Indices
    target: str
    target_indices: Indices
    seats: int


class ComponentsMoved(NamedTuple):
    """Components move to a zone.

    Attributes:
        components: The moved components. An entry is None if the reader may not know it.
        position: ``top`` or ``bottom``.
        sources: The zone that each component comes from, or None if it comes from no zone.
    """

    kind: Literal["cards"]
    components: tuple[int | None, ...]
    target: str
    indices: Indices
    position: str
    sources: tuple[ZoneAddress | None, ...]
    seats: int


class ZoneShuffled(NamedTuple):
    """A zone is shuffled."""

    kind: Literal["shuffle"]
    zone: str
    indices: Indices


class ChanceDecided(NamedTuple):
    """Chance determines the value of a name."""

    kind: Literal["random"]
    name: str
    value: Any
    seats: int


class Announced(NamedTuple):
    """The rules announce a text. ``text`` is None if the reader hears nothing."""

    kind: Literal["announce"]
    text: str | None
    seats: int


class GameEnded(NamedTuple):
    """The game ends. ``reason`` is None if the rules give none."""

    kind: Literal["end"]
    reason: str | None


RestrictedEvent = VariableSet | CountersMoved | ComponentsMoved | ChanceDecided | Announced
"""The events that some seats may not know. All have the field ``seats``."""

Event = PhaseBegan | ChoiceMade | ZoneShuffled | GameEnded | RestrictedEvent
Log = list[Event]

KINDS: dict[type[Event], str] = {event: get_args(get_type_hints(event)["kind"])[0] for event in get_args(Event)}
"""Event class -> its kind, which is the first entry of its events."""

# Constructors: each is an event class with its kind filled in.
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
"""The event that a seat gets in place of one that it learns nothing about."""


class HasSetting(Protocol):
    """Describe the part of a game that the functions for events need."""

    @property
    def setting(self) -> Setting: ...


def redact(event: Event, seat: int, game: HasSetting) -> Event:
    """Return the event as a seat learns it, or :data:`UNHEARD` if the seat learns nothing. ``event`` stays unchanged.

    All seats learn of phases, shuffles and the end. A seat in the event's ``seats`` learns all of any other event, but
    ``seats`` of an announcement then has only its own bit. To another seat, components that stay in their zone are left
    out, and all others are None. Their sources are sorted by zone, with None (no source) first. If no component is
    left, the move is UNHEARD. A move of counters has None as ``counter`` and ``amount`` if that seat always sees one of
    the two pools. Otherwise it is UNHEARD, as are VariableSet, ChanceDecided and Announced. In a choice, values that
    the seat may not know become :data:`HIDDEN`, and ``is_forced`` is None for all but the chooser. UNHEARD to the
    others are private choices, "done" in a choice of several, and a pass in a window. So are choices whose values are
    all secret, if what is offered depends on hidden information.
    """
    match event:
        case ChoiceMade():
            return _redact_choice(event, seat, game.setting)
        case PhaseBegan() | ZoneShuffled() | GameEnded():
            return event
    if event.seats >> seat & 1:
        return event._replace(seats=1 << seat) if isinstance(event, Announced) else event
    match event:
        case CountersMoved(source=source, source_indices=source_indices, target=target, target_indices=target_indices):
            pools = game.setting.program.pools
            is_open = _is_open(pools[source], source_indices, seat) or _is_open(pools[target], target_indices, seat)
            return event._replace(counter=None, amount=None) if is_open else UNHEARD
        case ComponentsMoved():
            zone = event.target, event.indices
            # Sorted by zone, with a missing source first: the order of the components would reveal which they are.
            sources = tuple(sorted((source for source in event.sources if source != zone), key=lambda s: s or ("", ())))
            return event._replace(components=(None,) * len(sources), sources=sources) if sources else UNHEARD
        case VariableSet() | ChanceDecided() | Announced():
            return UNHEARD
        case _:
            assert_never(event)


def _is_open(pool: core.Pool, indices: Indices, seat: int) -> bool:
    """Return whether a seat can always see the contents of a pool."""
    owner = pool.visible.find_owner_dim(pool.dims)
    return pool.visible.is_open(pool.dims) or (owner is not None and indices[owner] == seat)


def _redact_choice(event: ChoiceMade, seat: int, setting: Setting) -> Event:
    """Return a choice as ``seat`` learns it, or :data:`UNHEARD`. Only the chooser learns whether the choice was
    forced.
    """
    is_own = seat == event.seat
    flags = _find_hidden_values(setting, event.site, event.alternative, len(event.values), is_own)
    if flags is None:
        return UNHEARD
    return event._replace(values=_hide_values(event.values, flags), is_forced=event.is_forced if is_own else None)


@lru_cache(maxsize=4096)
def _find_hidden_values(setting: Setting, site: int, alternative: int, n: int, is_own: bool) -> tuple[bool, ...] | None:
    """Return which of the ``n`` values of a choice are hidden from a seat, or None if the seat learns nothing of it.

    ``is_own`` says whether the seat made the choice itself.
    """
    ask, knowledge = setting.sites[site], get_knowledge(setting.program)
    unseen = tuple((alternative, number) in knowledge.unseen_variables[site] for number in range(n))
    if is_own:
        return unseen
    if site in setting.program.private_sites or _is_withheld(setting, ask, alternative):
        return None
    secrets = _list_secret_flags(ask, alternative)
    if secrets and all(secrets) and site in knowledge.revealing_sites:
        return None
    return tuple(map(any, zip(unseen, secrets or unseen, strict=True)))


def _hide_values(values: tuple[Any, ...], hidden_flags: tuple[bool, ...]) -> tuple[Any, ...]:
    """Return the values with ``?`` in place of each one whose entry in ``hidden_flags`` is True. Both tuples have the
    same length.
    """
    if True not in hidden_flags:
        return values
    return tuple([HIDDEN if is_hidden else value for value, is_hidden in zip(values, hidden_flags, strict=True)])


def _is_withheld(setting: Setting, ask: core.Ask | core.AskMany, alternative: int) -> bool:
    """Return whether an answer means "no more picks", or passes in a window.

    Other seats don't learn of such an answer, because the question alone would reveal that the seat had other options.
    """
    if isinstance(ask, core.AskMany):
        return alternative == 1
    effect_name, _ = setting.ask_contexts.get(ask.site, (None, ()))
    effect = None if effect_name is None else setting.program.effects[effect_name]
    return effect is not None and effect.is_window and ask.alternatives[alternative].is_pass


def _list_secret_flags(ask: core.Ask | core.AskMany, alternative: int) -> tuple[bool, ...]:
    """Return, for each value of an answer, whether it is secret."""
    if isinstance(ask, core.AskMany):
        return (ask.is_secret,) if alternative == 0 else ()
    return tuple(variable.is_secret for variable in ask.alternatives[alternative].vars)


def remove_seats(event: Event) -> tuple[Any, ...]:
    """Return the entries of an event as a tuple, without ``seats`` if the event has that field. ``kind`` comes
    first.
    """
    return event[:-1] if isinstance(event, RestrictedEvent) else event


def redact_log(log: Iterable[Event], seat: int, game: HasSetting) -> Log:
    """Return a new log with the events as ``seat`` (from 0) learns them, in order.

    Each is redacted by :func:`redact`, and left out if that gives ``UNHEARD``. A seat that always sees just one of two
    pools learns only that counters move: its ``CountersMoved`` has None as ``counter`` and ``amount``. Several such
    events with equal pools and indices, and no event that the seat learns between them, give one. In the same way,
    another seat's secret picks at the site of a choice of several items give one ``ChoiceMade`` whose ``values`` are
    ``(HIDDEN,)``. So do the seat's own picks of cards that it may not see. A loop that asks this choice twice gives
    one, too, if the seat learns no event between the picks. The number of such events could reveal something. All other
    equal events stay.
    """
    seat_log: Log = []
    for event in log:
        seat_event = redact(event, seat, game)
        if seat_event == UNHEARD or (seat_log[-1:] == [seat_event] and is_merged_if_repeated(seat_event, game)):
            continue
        seat_log.append(seat_event)
    return seat_log


def is_merged_if_repeated(event: Event, game: HasSetting) -> bool:
    """Return whether an event that repeats ``event`` must be left out of a redacted log, because it would reveal a
    number.

    This holds for hidden picks of one choice of several items, and for hidden moves of counters.
    """
    if isinstance(event, ChoiceMade):
        return isinstance(game.setting.sites[event.site], core.AskMany) and event.values == (HIDDEN,)
    return isinstance(event, CountersMoved) and event.counter is None


# ---------------------------------------------------------------- text


def describe(event: Event, game: HasSetting, seat: int | None = None) -> str | None:
    """Describe an event in one readable line in English, or return None if it is not worth a line.

    None stands for an empty announcement, and for an event of which ``seat`` learns nothing. It also stands for an
    assignment to a variable whose label is empty or only its name (``Top bid`` for ``top_bid``). If ``seat`` (from 0)
    is given, the event is redacted first. If it is None, nothing is hidden. An announcement stays as it is, also with
    line breaks. A move of components has ``top of``, even if they are hidden, if its ``position`` is ``top``. Examples:
    ``P1: take 3``, ``P1's highest bid: 3``, ``2 coins: Stock → P1's purse``, ``hidden counters: Stock → P1's purse``,
    ``Ace: Deck → top of P1's hand``, ``2 hidden: Deck → top of P1's hand``, ``Deck is shuffled``,
    ``By chance: roll 4``, ``— Market —``, ``The game is over: the deck is empty``.
    """
    if seat is not None:
        event = redact(event, seat, game)
    setting = game.setting
    match event:
        case PhaseBegan(phase=id):
            phase = setting.phases[id][-1]
            return f"— {get_constant_text(phase.label) or capitalize(_split_name(phase.id))} —"
        case ChoiceMade():
            return _describe_choice(setting, event)
        case VariableSet():
            return _describe_assignment(setting, event)
        case CountersMoved():
            return _describe_counters(setting, event)
        case ComponentsMoved():
            return _describe_components(setting, event, seat is not None and not event.seats >> seat & 1)
        case ZoneShuffled(zone=zone, indices=indices):
            return f"{format_place_label(setting, zone, indices)} is shuffled"
        case ChanceDecided():
            type = setting.chance_types.get(event.name)
            value_label = str(event.value) if type is None else format_value_label(setting, event.value, type)
            return f"By chance: {_split_name(event.name)} {value_label}"
        case Announced(text=text):
            # An empty announcement gets no line, nor does one that the seat does not hear.
            return text or None
        case GameEnded(reason=reason):
            return "The game is over" if reason is None else f"The game is over: {reason}"
        case _:
            assert_never(event)


def _describe_choice(setting: Setting, event: ChoiceMade) -> str:
    ask = setting.sites[event.site]
    labels = [
        HIDDEN if value == HIDDEN else format_value_label(setting, value, type)
        for value, type in zip(event.values, list_value_types(ask)[event.alternative], strict=False)
    ]
    if isinstance(ask, core.AskMany):
        return f"P{event.seat + 1}: {labels[0] if labels else 'done'}"
    return f"P{event.seat + 1}: {_describe_answer(ask.alternatives[event.alternative], labels)}"


def _describe_answer(alternative: core.Alternative, labels: list[str]) -> str:
    """Return a choice as text: the name of the alternative, then ``labels``, the labels of its values in order.

    If the alternative has a label with placeholders, the labels fill them in.
    """
    by_slot = {variable.slot: label for variable, label in zip(alternative.vars, labels, strict=True)}
    pieces: list[str] = []
    for piece in alternative.label.parts if alternative.label is not None else ():
        if isinstance(piece, str):
            pieces.append(piece)
        elif isinstance(piece, core.Local) and piece.slot in by_slot:
            pieces.append(by_slot[piece.slot])
        else:
            break
    else:
        if pieces:
            return "".join(pieces)
    return " ".join([_split_name(alternative.name), *labels] if alternative.name is not None else labels)


def _describe_assignment(setting: Setting, event: VariableSet) -> str | None:
    name = event.variable
    if is_bookkeeping(setting, name):
        return None
    value_label = format_value_label(setting, event.value, get_place_type(setting.program, name))
    return f"{format_place_label(setting, name, event.indices)}: {value_label}"


def is_bookkeeping(setting: Setting, name: str) -> bool:
    """Return whether a variable's label is empty or just its name, ignoring case. Players get no line about it.

    ``-`` and ``_`` in the name may be spaces in the label.
    """
    return setting.program.get_place(name).label.lower() in ("", name.lower(), _split_name(name).lower())


def _describe_counters(setting: Setting, event: CountersMoved) -> str:
    if event.counter is None or event.amount is None:
        counters = "hidden counters"
    else:
        counters = f"{event.amount} {format_counter_label(setting, event.source, event.counter, event.amount)}"
    source = format_place_label(setting, event.source, event.source_indices)
    return f"{counters}: {source} → {format_place_label(setting, event.target, event.target_indices)}"


def format_counter_label(setting: Setting, pool: str, kind: int, n: int) -> str:
    """Return the label for ``n`` counters of the kind with number ``kind`` in a pool, in the plural unless ``n`` is 1.

    The label does not contain ``n``. If the declared plural adds an ending to the value's name, the label gets the same
    ending: ``gold coins`` for the label ``gold coin``, the name ``coin`` and the plural ``coins``. Any other plural is
    returned itself, and begins with a capital letter if the label does. Without a plural, the label serves for every
    number.
    """
    value = setting.program.enums[str(setting.program.pools[pool].holds)].values[kind]
    if n == 1 or value.plural is None:
        return value.label
    # The plural only adds an ending to the name, so add the same ending to the label.
    if value.plural.startswith(value.name):
        return value.label + value.plural[len(value.name) :]
    is_capital = value.label[:1].isupper()
    return value.plural[:1].upper() + value.plural[1:] if is_capital else value.plural


def _describe_components(setting: Setting, event: ComponentsMoved, is_hidden: bool) -> str:
    """Describe a move of components. Components from the same zone are grouped: ``2 hidden: Stock → top of P1's
    deck``.
    """
    groups: list[tuple[ZoneAddress | None, list[int | None]]] = []
    for entity, source in zip(event.components, event.sources, strict=True):
        if not groups or groups[-1][0] != source:
            groups.append((source, []))
        groups[-1][1].append(entity)
    destination = (
        f"{'top of ' if event.position == 'top' else ''}{format_place_label(setting, event.target, event.indices)}"
    )
    lines = []
    for source, components in groups:
        subject = (
            f"{len(components)} hidden"
            if is_hidden
            else ", ".join(HIDDEN if card is None else setting.program.entities[card].label for card in components)
        )
        origin = f"{format_place_label(setting, *source)} → " if source is not None else "→ "
        lines.append(f"{subject}: {origin}{destination}")
    return "; ".join(lines)


def _split_name(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def format_place_label(setting: Setting, name: str, indices: Indices) -> str:
    """Describe a place for players, such as ``Stock``, ``P1's ready pile`` or ``P1's boost (left Engine)``.

    ``name`` is a variable, pool or card zone. ``indices`` has one value for each of its dimensions, but none for a
    pool's kind: ``(1, 0)`` is the first enum value of P2, and a number is itself. A first index that is a player stands
    in front; the others follow in brackets, separated by ``, ``, each with its label (:func:`format_value_label`). The
    label of the place stands as it is declared, also after ``P1's``. A place without one is called by its name, with
    blanks for ``_`` and ``-``: ``draw pile``.
    """
    declaration = setting.program.get_place(name)
    labels = [
        format_value_label(setting, dim.to_source_value(value), dim.source_type)
        for value, dim in zip(indices, declaration.dims, strict=False)
    ]
    owner = ""
    if labels and isinstance(declaration.dims[0].type, PlayerType):
        owner = f"{labels.pop(0)}'s "
    other_labels = f" ({', '.join(labels)})" if labels else ""
    return f"{owner}{declaration.label or _split_name(name)}{other_labels}"
