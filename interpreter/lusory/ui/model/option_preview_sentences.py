"""Say in sentences what an option would change for the player who chooses.

The rules run on a copy of what the player sees, up to the first thing that the player can't know. A preview therefore
depends on nothing hidden. Costs are the counters that the player loses; all other changes are effects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import SAYS
from lusory_dsl.core.program_reads_and_value_bounds import collect_reads
from lusory_dsl.source.source import humanise
from lusory_dsl.types.types import BoolType, ComponentType, IntType, PlayerType

from ...evaluator.expressions import pad_slots
from ...evaluator.option_preview import NextQuestion, Prediction
from ...explain.net_changes import Changes, Place
from ...explain.sentences_to_the_viewer_and_of_choices import address_viewer
from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    capitalize_line,
    end_sentence,
    join_as_list,
    make_line,
    name_player,
    to_text,
)
from ...game import Game
from ...state.decisions_outcomes_and_faults import Option, RulesetFault
from ...state.events_redaction_and_text import (
    Announced,
    ChoiceMade,
    ComponentsMoved,
    Event,
    GameEnded,
    PhaseBegan,
    VariableSet,
    format_counter_label,
    format_place_label,
    is_bookkeeping,
)
from ...state.flattened_phases import find_ask_sites
from ...state.setting_value_limits_builtins_and_names import format_value_label, get_place_type, unwrap_list_type
from ...view.redacted_state import HiddenValue
from ...view.seat_view import SeatReader, View
from .option_tree_and_choice_in_progress import fold_text
from .screen import SENTENCE, Option as ShownOption

MOST_SENTENCES = 6
"""Maximum number of effects in a preview."""
MOST_OPTIONS = 150
"""Decisions with more options have no previews."""

_OUTCOME = re.compile(r"\(((?:nothing|you would|you will) [^()]*)\)$")
"""Remark at the end of a label that says the whole outcome of an option."""
_VAIN = re.compile(r"\((ends [^()]*\)$|no [^():]*[;)])")
"""Remark in a label that says that no other option can follow, at its end, or what the option doesn't bring."""
_PLACED = re.compile(r" (beside|in|into|on|onto|to|under) ")
"""Words after a card in a sentence that says where the card goes."""
_REMARK = re.compile(r"^ \([^()]*\)")
_NUMBER = re.compile(r"\d+")
NOTHING = "It does nothing now."
OPEN = "What follows is not known yet."


class Preview(NamedTuple):
    """Hold the sentences about what an option would change, and whether it is useful and may bring a gain."""

    sentences: tuple[Line, ...] = ()
    is_useful: bool = True
    has_gain: bool = True


def predict_consequences(game: Game, view: View, option: Option) -> Prediction | None:
    """Return the certain consequences of an option as a Prediction, or None if options get no previews.

    The result is None in a choice of several picks (``view.ask`` is an AskMany), and if the decision has more than
    ``MOST_OPTIONS`` options. Otherwise it is ``game.predict_consequences(view, option)``. ``view`` must be that of the
    seat that decides. The fields are ``events``, ``is_complete``, ``next_question`` and ``result``: a Reader of the
    position after the events, or None if the rules keep secret from the seat which choice this is. ``is_complete`` is
    False if chance, a choice of several options, a secret, a fault or the limit of work ends the events early.
    ``next_question`` is None unless a choice does.

    Example: an option does ``set mark[a1] to me`` and ``set turn to me.next``. Then ``events`` holds two VariableSet
    events, of ``mark`` and ``turn``. ``is_complete`` is True, and ``next_question`` is None.
    """
    assert view.decision is not None, "somebody is asked"
    if isinstance(view.ask, core.AskMany) or len(view.decision.options) > MOST_OPTIONS:
        return None
    return game.predict_consequences(view, option)


def preview_option(
    forecast: Prediction | None, view: View, choice: Option, label: str, names: Sequence[str], is_printed: bool = False
) -> Preview:
    """Return a Preview of an option: ``sentences`` about what it would change, ``is_useful`` and ``has_gain``.

    First comes ``Costs 2 Coins (3 → 1).``, or ``First costs …`` before a question to the player. At most
    ``MOST_SENTENCES`` effects such as ``+1 VP (0 → 1).`` follow, without those that only repeat the option. If a
    question comes next and no effect is left out, the last is ``Then: Choose n.`` or ``Then Ann decides.`` Otherwise
    ``OPEN`` follows such sentences if effects are left out or unknown, unless ``is_printed``. An outcome in ``label``
    (:func:`find_outcome`) is the only sentence. An option is useless if it changes only numbers and flags that its own
    conditions read, and no cost or effect shows them: ``NOTHING``, or the outcome. It has no gain, nor has one that
    only gives up cards, chooses only ``none``, or has a label like ``(no damage)``, ``(ends it)`` or
    ``(you would lose)``. Secret effects or no forecast give ``((), True, True)``, for ``none`` ``((), True, False)``.
    """
    is_declined = bool(choice.values) and all(value is None for value in choice.values)
    if forecast is None:
        return Preview(has_gain=not is_declined)
    assert isinstance(view.ask, core.Ask), "nothing is found in a choice of several"
    option = view.ask.alternatives[choice.alternative]
    preview = _Preview(view, option, choice, names)
    events = list(forecast.events)
    announcement = next((event for event in events if isinstance(event, Announced)), None)
    if announcement is not None and option.body and _is_announced(option) and not _is_bare(view, option, choice, label):
        # The announcement repeats the option for the other players.
        preview.own_announcements = [make_line(str(announcement.text), names)]
        events.remove(announcement)
    try:
        for event in events:
            preview._add_event(event)
        text = f"{label} {view.prompt()}"
        effects = [row for row in preview._list_effects() if not preview._repeats_choice(row, label, text)]
        effects = [*preview._describe_computed_values(forecast), *(row for row in effects if to_text(row).strip())]
        costs = _name_place_once([*preview._list_costs()])
    # The effects concern something that this seat may not know.
    except HiddenValue:
        return Preview(has_gain=not is_declined)
    next_line = _write_next_question(forecast.next_question, view.seat, names)
    is_begun = bool(next_line) and forecast.next_question is not None and forecast.next_question.seat == view.seat
    outcome = find_outcome(label)
    is_vain = is_declined or outcome.startswith(("Nothing", "You would")) or _VAIN.search(label) is not None
    if not effects and not costs and not next_line:
        is_useless = forecast.is_complete and _is_merely_used(view, option, forecast.events)
        sentence = outcome or (NOTHING if is_useless else "")
        return Preview(((Run(sentence),),) if sentence else (), not is_useless, not is_useless and not is_vain)
    is_open = not forecast.is_complete or len(effects) > MOST_SENTENCES
    # The answers to the next question may cost more. A narrow screen never cuts a cost.
    lines = [(Run("First costs " if is_begun else "Costs "), *join_as_list(costs))] if costs else []
    lines += [address_viewer(line, view.seat) for line in effects[:MOST_SENTENCES]]
    sentences = [_make_sentence(line) for line in lines]
    # An announcement about cards that are given up is no gain.
    lost_cards = preview._lost_cards
    gains = [line for line in effects if not lost_cards or line not in preview.announcements]
    has_gain = not is_vain and (is_open or not lost_cards or len(gains) != lost_cards)
    if outcome:
        return Preview(((Run(outcome),),), has_gain=has_gain)
    if is_open and next_line and len(effects) <= MOST_SENTENCES:
        sentences.append(next_line)
    elif is_open and not is_printed:
        sentences.append((Run(OPEN),))
    return Preview(tuple(sentences), has_gain=has_gain)


def _name_place_once(costs: list[Line]) -> list[Line]:
    """Return costs that all come from one place with its name at the end: ``2 gold (5 → 3), 1 ore (1 → 0) from Mine``.

    Other costs, and a single one, come back unchanged.
    """
    places = [line[1:-1] for line in costs]
    if len(costs) < 2 or not to_text(places[0]).startswith(" from ") or len({*map(to_text, places)}) > 1:
        return costs
    return [(line[0], line[-1], *(places[0] if line is costs[-1] else ())) for line in costs]


def find_outcome(label: str) -> str:
    """Return the outcome in brackets at the end of a label as a sentence, or "".

    Only brackets that begin with ``nothing``, ``you would`` or ``you will`` say an outcome: ``Play Priest (nothing
    happens: all others are safe)`` gives ``Nothing happens: all others are safe.``
    """
    match = _OUTCOME.search(label)
    return f"{match[1][:1].upper()}{match[1][1:]}." if match else ""


def add_moved_card(
    forecast: Prediction | None, view: View, choice: Option, option: ShownOption, prompt: Line
) -> ShownOption:
    """Return a copy of ``option`` whose ``moved_card`` is the reference of the card that it moves: ``Spell:bolt``.

    ``choice`` is the same option for the evaluator. ``forecast`` is its predicted result, or None for an AskMany. A
    card counts if a ComponentsMoved in ``forecast.events`` names it, and if it has a printed text. The first value of
    the option that counts is taken. If none does, it is a card to which a run of ``prompt`` refers and that counts. Of
    several, that is the one with the alphabetically first reference. Returns ``option`` itself without such a card or a
    forecast.
    """
    if forecast is None:
        return option
    assert isinstance(view.ask, core.Ask), "nothing is found in a choice of several"
    numbers = {card for event in forecast.events if isinstance(event, ComponentsMoved) for card in event.components}
    values = zip(view.ask.alternatives[choice.alternative].vars, choice.values, option.path[1:], strict=True)
    for variable, value, step in values:
        is_card = isinstance(unwrap_list_type(variable.domain.type), ComponentType)
        if is_card and value in numbers and get_printed_text(view.setting.program, step.of):
            return replace(option, moved_card=step.of)
    cards = [view.setting.program.entities[number] for number in numbers if number is not None]
    references = {run.of for run in prompt}.intersection(f"{card.kind}:{card.name}" for card in cards)
    with_text = [reference for reference in sorted(references) if get_printed_text(view.setting.program, reference)]
    return replace(option, moved_card=with_text[0]) if with_text else option


def find_component(program: core.Program, reference: str) -> core.Entity | None:
    """Return the component with a reference, or None.

    ``Card:axe`` refers to the first copy of the card ``axe`` of the kind ``Card``, and ``Card:axe-2`` to the second.
    """
    kind, _, name = reference.partition(":")
    entities = program.entities if kind in program.component_kinds else ()
    return next((entity for entity in entities if (entity.kind, entity.name) == (kind, name)), None)


def get_printed_text(program: core.Program, reference: str) -> str:
    """Return the text that the author has printed on a component, or for the value of an enum, as one line.

    ``reference`` is one such as ``Card:axe`` or ``Action:arm``. The entries of a list, also blank ones, are joined as
    in ``Draw a card. · Gain 1 gold.`` Line breaks and blanks that follow each other in an entry become one blank,
    and those at its ends are dropped. Other references, and things without a text, give "".
    """
    card, texts = find_component(program, reference), program.printed_texts
    lines: Sequence[str] = texts.values.get(reference.replace(":", "."), ())
    lines = lines if card is None else texts.cards.get(card.card, ())
    return SENTENCE.join(" ".join(line.split()) for line in lines)


def introduce_text(name: str, use: str, text: str) -> str:
    """Return the printed ``text`` after the name of its card, with the use ``play`` as ``Axe, when you play it: TEXT``.

    The part about the ``use`` is left out if ``use`` is empty, or if the text begins with the use as a whole word, in
    small or capital letters: ``Play: Draw``. It is also left out if a colon and a blank stand together in the text,
    before the first full stop that a blank follows: ``At night: Draw.``
    """
    says_when = re.match(rf"{re.escape(use)}\b", text, re.IGNORECASE) or ": " in text.partition(". ")[0]
    when = f", when you {use} it" if use and not says_when else ""
    return f"{name}{when}: {text}"


def action_of_text(program: core.Program, ask: core.Ask | core.AskMany, choice: Option, subject: str) -> str:
    """Return the action that the text of a card describes, such as ``play``, if an option is no action of a card.

    It is in words: ``pick up`` for an action ``pick_up``. ``subject`` is the reference of the card, such as
    ``Spell:bolt``. The option need not concern this card. Returns "" for an option that is an action of any card. Also
    returns "" if all choices of the program together offer no action of the card, or several, and for a reference that
    no card has.
    """
    card = find_component(program, subject)
    if card is None or (isinstance(ask, core.Ask) and ask.alternatives[choice.alternative].original is not None):
        return ""
    actions = {
        str(alternative.name)
        for site in find_ask_sites(program).values()
        if isinstance(site, core.Ask)
        for alternative in site.alternatives
        if alternative.original == card.fields["original"]
    }
    return humanise(actions.pop()).lower() if len(actions) == 1 else ""


def is_only_mentioned(ask: core.Ask | core.AskMany, choice: Option, subject: str) -> bool:
    """Return whether an option names a thing that its effects at most test in conditions of ``if`` or announce.

    Only the kind in ``subject`` counts, such as ``Card`` in ``Card:axe``. The option has values of that kind, and no
    other statement reads any of them. The list and conditions of a later core.Ask don't count, but those of a later
    core.AskMany do, and so do the chooser and the prompt of either. Returns False for the action of a card, and for an
    option without a value of that kind. An option without effects also gives False, because its value decides later,
    and so does a core.AskMany.
    """
    alternative = ask.alternatives[choice.alternative] if isinstance(ask, core.Ask) else None
    if alternative is None or alternative.original is not None or not alternative.body:
        return False
    kind = subject.partition(":")[0]
    slots = [var.slot for var in alternative.vars if kind and str(unwrap_list_type(var.domain.type)) == kind]
    effects = (stmt for stmt in core.walk_statements(alternative.body) if not isinstance(stmt, core.If | core.Announce))
    read_slots = {slot for stmt in effects for expr in core.get_children(stmt) for slot in _list_slots(expr)}
    return bool(slots) and not read_slots & set(slots)


def _list_slots(node: object) -> Iterator[int]:
    """Yield the slots of the locals in an expression. A statement, which a block holds, gives none."""
    if isinstance(node, core.Local):
        yield node.slot
    elif isinstance(node, core.Expr):
        for child in core.get_children(node):
            yield from _list_slots(child)


def _write_next_question(question: NextQuestion | None, seat: int | None, names: Sequence[str]) -> Line:
    """Return a sentence about the question that follows an option: ``Then: How many do you take?``

    For another player it is ``Then Ann decides.`` Returns () without a question, and if its prompt may hold a secret.
    """
    if question is None or (question.seat == seat and not question.prompt):
        return ()
    if question.seat != seat:
        return (Run("Then "), name_player(question.seat, names), Run(" decides."))
    return _make_sentence((Run("Then: "), *capitalize_line(make_line(question.prompt, names))))


def _make_sentence(line: Line) -> Line:
    """Return a line with a capital at its start and a full stop at its end, if it has no other mark there."""
    return capitalize_line(end_sentence(line))


def _is_announced(option: core.Alternative) -> bool:
    """Return whether the option announces itself to others.

    It does so with ``says``, or, if its values are secret, with an announcement as its first statement.
    """
    says = any(isinstance(stmt, core.Announce) and stmt.origin.generator == SAYS for stmt in option.body)
    is_secret = any(variable.is_secret for variable in option.vars)
    return says or (is_secret and isinstance(option.body[0], core.Announce))


def _is_bare(view: View, option: core.Alternative, choice: Option, label: str) -> bool:
    """Return whether the label of an option is only one of its values, such as ``a7``, and not what happens to it."""
    values = zip(option.vars, choice.values, strict=True)
    is_public = not any(variable.is_secret for variable in option.vars)
    return is_public and label in [view.label(value, unwrap_list_type(var.domain.type)) for var, value in values]


class _Preview:
    """Collect the changes caused by one option, and say them to the player who chooses."""

    def __init__(self, view: View, option: core.Alternative, choice: Option, names: Sequence[str]) -> None:
        self.view, self.names = view, names
        self.setting = view.setting
        self.seat = view.seat
        self.changes = Changes(self.setting, names)
        self.announcements: list[Line] = []
        self.own_announcements: list[Line] = []
        # The types and values of the option, which its label says, and the player who chooses.
        types = (str(unwrap_list_type(variable.domain.type)) for variable in option.vars)
        values: Iterable[tuple[str, object]] = zip(types, choice.values, strict=True)
        self.choices = {(str(PlayerType()), view.seat), *values}

    def _add_event(self, event: Event) -> None:
        """Record an event: announcements and the end of the game as sentences, everything else as a change.

        Choices, the beginnings of phases, and announcements without text are ignored.
        """
        match event:
            case Announced(text=str(words)):
                self.announcements.append(make_line(words, self.names))
            case GameEnded(reason=reason):
                words = f"the game ends: {reason}" if reason else "the game ends"
                self.announcements.append(make_line(words, self.names))
            case ChoiceMade() | PhaseBegan() | Announced():
                pass
            case _:
                self.changes.add_event(event)

    def _repeats_choice(self, line: Line, label: str, text: str) -> bool:
        """Return whether a line only repeats what the player chooses.

        It does if it is one of :attr:`announcements`, begins with the player, and all its other words are in ``text``.
        Example: ``Ann discards Axe``, and the text ``Discard the Axe``. Words are compared whatever their case, without
        a final -s or -e, and with ``your`` as ``the``. Any line ``Mill goes to the …`` repeats it, too, if ``label``
        names a place behind Mill: ``Build Mill (2 gold) beside Inn``.
        """
        name, goes, _ = to_text(line).partition(" goes to the ")
        if goes and _PLACED.match(_REMARK.sub("", label.partition(name)[2], count=1)):
            return True
        if self.seat is None or line not in self.announcements or line[:1] != (name_player(self.seat, self.names),):
            return False
        return set(_list_stems(to_text(line[1:]))) <= set(_list_stems(text))

    # ------------------------------------------------------------ counters

    def _list_counter_changes(self, seat: int | None) -> Iterator[tuple[int, Place, int]]:
        """Yield the kind, pool and change of each counter that ``seat`` gains or loses, without changes of 0."""
        for kind, changes in self.changes.counters.items():
            for pool, change in changes.items():
                if change and self._get_owner(pool) == seat:
                    yield kind, pool, change

    def _list_costs(self) -> Iterator[Line]:
        """Yield each kind of counter that the player loses, summed over the player's pools: ``2 gold (5 → 3)``.

        The numbers in brackets are the sums of the pools that change; they are missing if the player can't see one. If
        all these pools lose and belong to nobody, each has its part: ``2 gold from Mine (5 → 3)``. Counters of the kind
        that the option also brings are subtracted.
        """
        for kind, changes in self.changes.counters.items():
            parts = {pool: change for pool, change in changes.items() if change and self._get_owner(pool) == self.seat}
            total = sum(parts.values())
            if all(change < 0 and not self._is_owned(pool[0]) for pool, change in parts.items()):
                for pool, change in parts.items():
                    yield (
                        *self._format_counters(kind, pool, -change),
                        *self._format_place(pool, "from"),
                        *self._format_change(kind, pool),
                    )
            elif total < 0:
                first = next(pool for pool, change in parts.items() if change < 0)
                yield (*self._format_counters(kind, first, -total), *self._format_change(kind, *parts))

    def _list_effects(self) -> Iterator[Line]:
        """Yield the changes but the costs: the player's gains, others' counters, values, announcements, cards.

        Gains read ``+2 gold (3 → 5)``, or ``+2 gold in your vault (3 → 5)`` if players have several pools. Changes of
        other players read ``Ann: –2 gold``, values ``round: 3 → 4`` or ``leader: Ann``. Moves read
        ``Axe goes to your hand``. A pool that gains gives a line if all pools of the player together gain of this kind.
        Counters of nobody, bookkeeping, and what the option itself chooses are left out. A move is also left out if an
        announcement says that the card comes to the player.
        """
        gains: dict[int, int] = {}
        for kind, _, change in self._list_counter_changes(self.seat):
            gains[kind] = gains.get(kind, 0) + change
        for kind, pool, change in self._list_counter_changes(self.seat):
            if change > 0 and gains[kind] > 0:
                line = (Run("+"), *self._format_counters(kind, pool, change))
                yield (*line, *self._format_place(pool), *self._format_change(kind, pool))
        for seat in range(self.setting.players):
            for kind, pool, change in self._list_counter_changes(seat) if seat != self.seat else ():
                sign = "+" if change > 0 else "–"
                yield (name_player(seat, self.names), Run(f": {sign}"), *self._format_counters(kind, pool, abs(change)))
        yield from self._describe_variables()
        # The author's words often name a card that only changes its place.
        yield from self.announcements
        yield from self._describe_moves()

    def _format_counters(self, kind: int, where: Place, n: int) -> Line:
        return make_line(f"{n} {format_counter_label(self.setting, where[0], kind, n)}")

    def _format_place(self, where: Place, preposition: str = "in") -> Line:
        """Return words such as ``in your vault`` after a blank, or () for the players' only pool without other indices.

        A pool of nobody is named by its index, such as ``in Mine``, or else by its name.
        """
        if not self._is_owned(where[0]):
            place, bracket, index = self._label(where).partition(" (")
            return make_line(f" {preposition} {index.removesuffix(')') if bracket else place}")
        pools = [pool for pool in self.setting.program.pools.values() if self._is_owned(pool.name)]
        return () if len(pools) == 1 and len(where[1]) == 1 else make_line(f" {preposition} your {self._label(where)}")

    def _format_change(self, kind: int, *pools: Place) -> Line:
        """Return the number in some pools before and after the option, in brackets, or () if one is hidden."""
        if not all(self.view.can_see(*pool) for pool in pools):
            return ()
        place = self.setting.layout.place
        counts = [self.view.redacted_state.cells[place(name).at((*indices, kind))] for name, indices in pools]
        if not all(isinstance(number, int) for number in counts):
            return ()
        before, change = sum(counts), sum(self.changes.counters[kind][pool] for pool in pools)
        return (Run(f" ({before} → {before + change})", dim=True),)

    # ------------------------------------------------------------ values and components

    def _describe_computed_values(self, forecast: Prediction) -> Iterator[Line]:
        """Yield what changes of the computed values on the table: ``Axe: attack 2 → 4``, ``Streets: 1 → 0 of 4``.

        First come the numbers of the components that the option chooses, if they are printed or have a phrase. Then
        come the values of players whose texts call a query, the viewer's first. A value of another player begins with
        the name: ``Bo: Streets 1 → 0 of 4``. Texts that differ in more than their numbers, or that the seat can't know
        before or after, give nothing. Nothing at all if a secret, chance or the limit of work ended the prediction.
        """
        program, after = self.setting.program, forecast.result
        if after is None or not (forecast.is_complete or forecast.next_question):
            return
        readers = SeatReader(self.view.redacted_state), after
        for card in program.entities:
            for query in _list_number_queries(program, card.kind) if (card.kind, card.number) in self.choices else ():
                name = humanise(query.name.partition(".")[2]).lower()
                for change in _compare(str(reader.evaluate_query(query, [card.number])) for reader in readers):
                    yield make_line(f"{card.label}: {name} {change}")
        for seat in sorted(range(self.setting.players), key=lambda seat: seat != self.seat):
            # The viewer's values have no name before them: ``Streets: 1 → 0``, but ``Ann: Streets 1 → 0``.
            owner: Line = () if seat == self.seat else (name_player(seat, self.names), Run(": "))
            for item in program.layout.player:
                if item.title and any(isinstance(part, core.CallQuery) for part in item.text.parts):
                    slots, text, condition = pad_slots((seat,), item.n_slots), item.text, item.condition
                    texts = (reader.fill(text, slots) if reader.holds(condition, slots) else "" for reader in readers)
                    for change in _compare(texts):
                        yield (*owner, *make_line(f"{item.title}{'' if owner else ':'} {change}", self.names))

    def _describe_variables(self) -> Iterator[Line]:
        """Yield the new value of each changed variable: ``round: 3 → 4`` for visible numbers, else ``leader: Ann``.

        Bookkeeping, values that the option's label says, and variables that visibly keep their value are left out.
        """
        for (name, indices), value in self.changes.values.items():
            if is_bookkeeping(self.setting, name):
                continue
            type = get_place_type(self.setting.program, name)
            dims = self.setting.program.get_place(name).dims
            values = {(str(dim.type), index) for dim, index in zip(dims, indices, strict=False)}
            # A number that equals a chosen one is still news.
            if not isinstance(type, IntType) and values | {(str(type), value)} <= self.choices:
                continue
            before = self.view.redacted_state.cells[self.setting.layout.place(name).at(indices)]
            is_known = self.view.can_see(name, indices)
            if is_known and before == value:
                continue
            now = format_value_label(self.setting, value, type)
            if is_known and isinstance(type, IntType):
                now = f"{format_value_label(self.setting, before, type)} → {now}"
            yield make_line(f"{self._label((name, indices))}: {now}", self.names)

    @property
    def _lost_cards(self) -> int:
        """The number of times that cards of the player go to a place without indices, such as the discard pile.

        Cards that go together from one place to another count once.
        """
        ways = ((source, target) for source, target in self._group_moves() if source is not None)
        return sum(self._get_owner(source) == self.seat and not target[1] for source, target in ways)

    def _group_moves(self) -> dict[tuple[Place | None, Place], list[int]]:
        """Map source and target to the cards that go from one to the other."""
        groups: dict[tuple[Place | None, Place], list[int]] = {}
        for card, (source, target, _) in self.changes.cards.items():
            if source != target:
                groups.setdefault((source, target), []).append(card)
        return groups

    def _describe_moves(self) -> Iterator[Line]:
        """Yield a sentence for each group of cards with one source and target: ``Axe and Sword go to your hand``.

        A group is left out if it stays with the player, or comes to the player, and an announcement about the player
        says so. It is also left out if its cards and new place are chosen.
        """
        for (_, target), cards in self._group_moves().items():
            owner = self._get_owner(target)
            dims = self.setting.program.get_place(target[0]).dims
            values = {(str(dim.type), i) for dim, i in zip(dims, target[1], strict=True)} - {(str(PlayerType()), owner)}
            if values and values | {(self.setting.program.entities[card].kind, card) for card in cards} <= self.choices:
                continue
            if owner is not None and owner == self.seat and self._are_announced(cards):
                continue
            is_space = len(dims) == 1 and str(dims[0].type) in self.setting.program.boards
            owner_prefix: Line = () if is_space else (Run("the "),) if owner is None else (Run("your "),)
            if owner is not None and owner != self.seat:
                owner_prefix = (name_player(owner, self.names), Run("'s "))
            verb = " goes to " if len(cards) == 1 else " go to "
            place = self._label(target)
            place = place.partition(" (")[2].removesuffix(")") if is_space else place
            yield (*self.changes.name_components(cards), Run(verb), *owner_prefix, Run(place))

    def _are_announced(self, cards: Sequence[int]) -> bool:
        """Return whether an announcement that begins with the player says of each of some cards where it goes.

        A preposition such as ``under`` must follow the name of the card.
        """
        assert self.seat is not None, "the player's cards are meant"
        announcements = (*self.own_announcements, *self.announcements)
        own_lines = [to_text(line[1:]) for line in announcements if line[:1] == (name_player(self.seat, self.names),)]
        names = [to_text(self.changes.name_components([card])) for card in cards]
        return any(all(name in line and _PLACED.match(line.partition(name)[2]) for name in names) for line in own_lines)

    # ------------------------------------------------------------ places

    def _label(self, where: Place) -> str:
        """Return the label of a place without its owner."""
        label = format_place_label(self.setting, *where)
        return label.partition("'s ")[2] if self._is_owned(where[0]) else label

    def _get_owner(self, where: Place) -> int | None:
        """Return the player to whom a place belongs, or None. A player alone owns all pools but the unlimited ones."""
        if self._is_owned(where[0]):
            return where[1][0]
        pool = self.setting.program.pools.get(where[0])
        return 0 if self.setting.players == 1 and pool is not None and not pool.is_unlimited else None

    def _is_owned(self, name: str) -> bool:
        dims = self.setting.program.get_place(name).dims
        return bool(dims) and isinstance(dims[0].type, PlayerType)


def _is_merely_used(view: View, option: core.Alternative, events: Sequence[Event]) -> bool:
    """Return whether an option changes only the numbers and flags that control its own availability."""
    program = view.setting.program
    names = {event.variable for event in events if isinstance(event, VariableSet)}
    if not all(isinstance(get_place_type(program, name), IntType | BoolType) for name in names):
        return False
    has_other_events = not all(isinstance(event, VariableSet | ChoiceMade | PhaseBegan) for event in events)
    return bool(names) and not has_other_events and names <= _list_required_places(program, option)


@lru_cache(maxsize=256)
def _list_required_places(program: core.Program, alternative: core.Alternative) -> set[str]:
    """Return the places that the availability of an alternative depends on."""
    conditions = [*alternative.conditions, *(var.condition for var in alternative.vars if var.condition is not None)]
    return set().union(*(collect_reads(condition, program.queries, program.zones) for condition in conditions))


@lru_cache(maxsize=256)
def _list_number_queries(program: core.Program, kind: str) -> tuple[core.Query, ...]:
    """Return the queries for numbers of components of a kind: printed ones, and others for which there is a phrase."""
    return tuple(
        query
        for query in program.queries.values()
        if query.name.startswith(f"{kind}.") and len(query.params) == 1 and isinstance(query.type, IntType)
        if query.origin.is_authored
        if query.phrase or (isinstance(query.value, core.Field | core.ByCard) and query.name not in program.keywords)
    )


def _compare(texts: Iterable[str]) -> Iterator[str]:
    """Yield ``1 → 0 of 4`` for the texts before and after an option, ``1 of 4`` and ``0 of 4``.

    Nothing if they differ in more than numbers or not at all, or if the seat can't know both.
    """
    with suppress(HiddenValue, RulesetFault):
        before, now = texts
        if before != now and _NUMBER.sub("", before) == _NUMBER.sub("", now):
            words = before.split()
            pairs = zip(reversed(words), reversed(now.split()), strict=True)
            same_count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            yield f"{' '.join(words[: len(words) - same_count])} → {now}"


def _list_stems(words: str) -> Iterator[str]:
    """Yield the stems of words, so that imperative and third person match: ``discards your``, ``discard the``."""
    for word in fold_text(words).replace(".", " ").split():
        yield ("the" if word == "your" else word).removesuffix("s").removesuffix("e")
