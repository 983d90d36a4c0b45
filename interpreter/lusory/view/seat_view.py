"""Build the view of a seat on a redacted state: texts, boards, options, and plain data for clients.

The module also redacts announcements.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from lusory_dsl import core
from lusory_dsl.core.knowledge_levels_and_knowledge_results import Levels, TextStatement
from lusory_dsl.core.knowledge_of_locals import find_informed_players, get_knowledge
from lusory_dsl.source.dataclass_with_lazy_methods import ValueRecord
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import (
    TOO_LONG_TEXT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    OptionalType,
    PlayerType,
    Type,
)

from ..evaluator.expressions import Reader, Slots, pad_slots
from ..state import events_redaction_and_text as events
from ..state.decisions_outcomes_and_faults import Decision, RulesetFault
from ..state.events_redaction_and_text import Announced
from ..state.setting_value_limits_builtins_and_names import (
    HIDDEN,
    TEXTS_LIMIT,
    TOO_LONG_TEXTS,
    Indices,
    Setting,
    Value,
    format_index_names,
    format_name,
    format_place_name,
    get_place_type,
)
from ..state.state import State
from .redacted_state import HiddenValue, RedactedState, Unknown, redact_locals, redact_state
from .table_and_option_text import (
    AnnotatedText,
    TextPiece,
    format_option_label,
    format_table_lines,
    join_annotated,
    list_option_ids,
)

_REFERABLE_TYPES = (ComponentType, EnumType, OptionalType, PlayerType)


class SeatReader(Reader):
    """Evaluate expressions on the view of a seat. Raise :class:`HiddenValue` for hidden values."""

    characters = 0  # number of characters of the texts read so far

    def __init__(self, redacted_state: RedactedState) -> None:
        super().__init__(redacted_state.setting, redacted_state.cells, redacted_state.zones)
        self.redacted_state = redacted_state

    def format_value(self, expr: core.Expr, slots: Slots) -> str:
        """Return the value of an expression as players read it: ``?`` if it is hidden.

        If the rules fail in it, such as for the top card of an empty deck, return :attr:`none_text`. Raise RulesetFault
        only for a text that is too long.
        """
        try:
            return self.label(self.evaluate(expr, slots), expr.type)
        except HiddenValue:
            return HIDDEN
        except RulesetFault as fault:
            if fault.message in (TOO_LONG_TEXT, TOO_LONG_TEXTS):
                raise
            # The text has no value, for example for the top card of an empty deck.
            return self.none_text

    def fill(self, template: core.TextTemplate, slots: Slots) -> str:
        """Return the text of a template, with ``?`` for hidden values.

        For ``none`` and an empty list, and where the rules fail, it has :attr:`none_text`: ``none``, or ``–`` in texts
        of a table. A list of components with a hidden one has a ``?`` for each of them: ``?, ?``. The text is an
        AnnotatedText: its pieces for players, enum values and components remember their value. Its length is added to
        :attr:`characters`. Raise RulesetFault if the text has more than ``TEXT_LIMIT`` characters, or if ``characters``
        is above ``TEXTS_LIMIT``.
        """
        parts = (part if isinstance(part, str) else self.format_value(part, slots) for part in template.parts)
        text: AnnotatedText = self.call_at(template.span, join_annotated, parts, "")
        self.count_characters(len(text), template.span)
        return text

    def count_characters(self, character_count: int, span: Span) -> None:
        """Count the characters of a text. Raise RulesetFault if the texts of one view become too long."""
        self.characters += character_count
        if self.characters > TEXTS_LIMIT:
            self.fail(TOO_LONG_TEXTS, span)

    def label(self, value: Value, type: Type) -> str:
        """Return a value as players read it, such as ``P1``, ``yes``, ``3`` or ``Guard``, or ``?`` if it is hidden.

        A list joins its items with ``, ``. If any item of a list is hidden, each item is ``?``. ``none`` and an empty
        list are :attr:`none_text`. An AnnotatedText as ``value`` is returned itself. The label of a player, enum value
        or component is an AnnotatedText with the piece ``TextPiece(label, type, value)``. So is that of any value of an
        optional type except ``none``.
        """
        if isinstance(value, tuple) and any(isinstance(item, Unknown) for item in value):
            return ", ".join(HIDDEN for _ in value)
        if isinstance(value, Unknown):
            return HIDDEN
        if isinstance(value, tuple) and isinstance(type, ListType) and value:
            return join_annotated((self.label(item, type.item) for item in value), ", ")
        if isinstance(value, AnnotatedText):
            return value
        label = super().label(value, type)
        return (
            AnnotatedText([TextPiece(label, type, value)])
            if isinstance(type, _REFERABLE_TYPES) and value is not None
            else label
        )

    def eval_CallQuery(self, expr: core.CallQuery, slots: Slots) -> Value:
        """Return the value of a query. A text is a plain ``str`` without pieces: it says nothing about a choice."""
        value = super().eval_CallQuery(expr, slots)
        return str(value) if isinstance(value, AnnotatedText) else value

    def eval_CallBuiltin(self, expr: core.CallBuiltin, slots: Slots) -> Value:
        if expr.name != "lines":
            return super().eval_CallBuiltin(expr, slots)
        return self.call_at(expr.span, join_annotated, self.require(expr.args[0], slots), "\n")

    def fail(self, message: str, span: Span) -> NoReturn:
        """Raise RulesetFault with this message and place."""
        raise RulesetFault(message, span)

    def eval_ReadCell(self, expr: core.ReadCell, slots: Slots) -> Value:
        """Return the value of a place. Raise HiddenValue if the seat may not see it or an index.

        As without a view, indices are evaluated up to the first one of an optional type that is ``none``. This one
        gives the default of the type of ``expr``, such as 0 for Int, even if the seat may not see the place. Raise
        RulesetFault if that type has no default, such as an enum. Raise it, too, for ``none`` in an index of another
        type, for an index out of range if none is ``none``, and for a value ``none`` if the type of ``expr`` is not
        optional.
        """
        value = super().eval_ReadCell(expr, slots)
        if isinstance(value, Unknown):
            raise HiddenValue
        return value

    def eval_LiesIn(self, expr: core.LiesIn, slots: Slots) -> Value:
        """Return whether a component is in a zone. A component at a hidden place is not in a zone seen in full.

        Raise HiddenValue if the seat can't know that, or does not know which component it is. A zone with indices is
        seen in full only if the seat sees it at all of them.
        """
        try:
            return super().eval_LiesIn(expr, slots)
        except HiddenValue:
            is_unknown = isinstance(self.evaluate(expr.component, slots), Unknown)
            if not is_unknown and self.redacted_state.can_see_all_of(expr.zone):
                # The seat sees all of the zone, so the component is not there.
                return False
            raise


class _TableReader(SeatReader):
    """Evaluate the texts of a table. They also remember the values that queries name in them."""

    none_text = "–"
    eval_CallQuery = Reader.eval_CallQuery


class View(ValueRecord):
    """Show the table as a seat sees it. The data contains nothing that the seat may not know.

    Attributes:
        redacted_state: The redacted position. Its seat is None for a spectator, who sees only what all seats see.
        phase: The id of the running leaf phase, or None.
        waiting_for: The seat that decides, or None if the game is over.
        decision: The current decision, if this seat makes it, without what the seat may not know.
        slots: The local values of the routine that asks, as far as the seat knows them.
        picks: The indices of the items that a choice of several has picked so far.
    """

    redacted_state: RedactedState
    phase: str | None
    waiting_for: int | None
    decision: Decision | None
    slots: tuple[Value, ...] = ()
    picks: tuple[int, ...] = ()

    @property
    def setting(self) -> Setting:
        """The setting of the game."""
        return self.redacted_state.setting

    @property
    def seat(self) -> int | None:
        """The seat that sees, or None for a spectator."""
        return self.redacted_state.seat

    @cached_property
    def question(self) -> dict[str, Any] | None:
        """A dict with ``prompt``, ``options`` (their ids) and ``labels``, or None if this seat has no decision.

        It is a cached property, computed once for each view.
        """
        if self.decision is None:
            return None
        return {"prompt": self.prompt(), "options": self.option_ids(), "labels": self.option_labels()}

    def prompt(self) -> str:
        """Return the question for this seat as text. It is empty if this seat has no decision to make."""
        return "" if self.decision is None else self.question_reader.fill(self.ask.prompt, list(self.slots))

    def option_ids(self) -> list[str]:
        """Return the text to type for each option, in the order of the options. Each is unique.

        The list is empty if this seat has no decision to make.
        """
        return [] if self.decision is None else list_option_ids(self.setting, self.ask, self.decision.options)

    def option_labels(self) -> list[str]:
        """Return the text that a player reads for each option, in the order of the options.

        Equal texts are possible. The list is empty if this seat has no decision to make.
        """
        if self.decision is None:
            return []
        reader, ask = self.question_reader, self.ask
        return [format_option_label(reader, ask, option, self.slots) for option in self.decision.options]

    @property
    def ask(self) -> core.Ask | core.AskMany:
        """The choice that this seat makes. There must be a decision."""
        assert self.decision is not None, "no player has to decide"
        return self.setting.sites[self.decision.site]

    @cached_property
    def question_reader(self) -> SeatReader:
        """A reader for the texts of the question."""
        return SeatReader(self.redacted_state)

    @cached_property
    def _reader(self) -> SeatReader:
        return _TableReader(self.redacted_state)

    def text(self, template: core.TextTemplate, slots: Sequence[Value] = ()) -> str:
        """Return the text of a template as this seat sees it, with ``?`` for hidden values and ``–`` for ``none``.

        ``slots`` holds the first locals of the template; the others are None. Raise RulesetFault if the text, or all
        texts of this view together, become too long.
        """
        return self._reader.fill(template, pad_slots(slots, self.setting.layout_slots))

    def get_variable_value(self, name: str, indices: Indices) -> Value:
        """Return the value of the variable with this name at these indices, or None for ``none``.

        In values and indices, a player is the number of a seat, an enum value its ordinal, and a component its number,
        each from 0. An index that is a number is itself: 1 is the first of ``per: [1..3]``. A list is a tuple. Raise
        HiddenValue if this seat may not see the value, and KeyError for an unknown name. Raise ValueError for too few
        or too many indices, or IndexError if one of them is out of the range at its place: for ``per: [1..3]``,
        ``(0, 1)`` raises IndexError, and ``(1, 0)`` ValueError.
        """
        value = self.redacted_state.cells[self.setting.layout.places[name].at(indices)]
        if isinstance(value, Unknown):
            raise HiddenValue
        return value

    def list_counters(self, pool: core.PoolTotal, slots: Sequence[Value] = ()) -> list[tuple[str, int | None]]:
        """Return the label and the number of each kind of counters that a pool may hold, in the order of its enum.

        ``[("Wheat", 2), ("Axe", 0)]`` is a pool without axes. The number is None if this seat may not know it, or may
        not know an index of the pool, and if the rules fail. The list is empty if an optional index is ``none``.
        ``slots`` holds the locals that its index expressions read; further locals are None.
        """
        declaration = self.setting.program.pools[pool.zone]
        type, all_slots = declaration.holds, pad_slots(slots, self.setting.layout_slots)
        try:
            counts = self._reader.list_counts(pool.zone, pool.indices, all_slots, pool.span)
        except (HiddenValue, RulesetFault):
            return [(self.label(kind, type), None) for kind in declaration.kinds]
        return [(self.label(kind, type), None if isinstance(n, Unknown) else n) for kind, n in counts]

    def holds(self, condition: core.Expr | None, slots: Sequence[Value] = ()) -> bool:
        """Return whether a condition of the table layout holds. A missing condition holds.

        Return False if this seat may not know it, or if the rules fail. Locals beyond ``slots`` are None.
        """
        try:
            return self._reader.holds(condition, pad_slots(slots, self.setting.layout_slots))
        except (HiddenValue, RulesetFault):
            return False

    def value(self, expr: core.Expr, slots: Sequence[Value] = ()) -> Value:
        """Return the value of an expression. ``slots`` holds its first locals, and the others are None.

        It needs a slot for each of its locals if it has more than ``setting.layout_slots``. The value ``none`` is None,
        and a list is a tuple. A player, enum value or card is its number, from 0. In a list, each hidden card is an
        :class:`Unknown`: a hidden hand of two cards gives a tuple of two. Raise HiddenValue for a single hidden value,
        and where a hidden one is read, as in ``deck where it.rank > 1``. Raise RulesetFault if the rules fail.
        """
        value = self._reader.evaluate(expr, pad_slots(slots, self.setting.layout_slots))
        if isinstance(value, Unknown):
            raise HiddenValue
        return value

    def label(self, value: Value, type: Type) -> str:
        """Return a value as players read it: ``?`` if it is hidden, ``–`` for ``none`` and an empty list."""
        return self._reader.label(value, type)

    @property
    def phase_label(self) -> str:
        """The labels of the running phases that have one, outermost first: ``Round 3 of 8 · Plan``.

        Equal labels occur once, at the first place. A value in them that the seat may not know is ``?``. The text is
        empty if ``phase`` is None, or if neither this phase nor one around it has a label.
        """
        path = self.setting.phases[self.phase] if self.phase is not None else ()
        labels = [
            self._reader.fill(phase.label, pad_slots((), phase.n_slots)) for phase in path if phase.label is not None
        ]
        return " · ".join(dict.fromkeys(labels))

    def can_see(self, name: str, indices: Indices = ()) -> bool:
        """Return whether this seat sees the content of a place. The indices of a pool don't include the kind."""
        return self.redacted_state.can_see(name, indices)

    # ------------------------------------------------------------ as data

    def to_json(self) -> dict[str, Any]:
        """Return the view as plain data, with values named as authors name them. Seats are ``P1``, ``P2``, …

        The keys are ``seat``, ``phase``, ``waiting_for``, ``variables`` (with the pools), ``zones`` and ``decision``.
        Hidden content is ``{"hidden": True}``. A hidden card zone adds its ``count``, and the component that is visible
        at an end. A place with dimensions has a nested mapping for each dimension. ``seat`` is None for a spectator,
        and ``decision`` is None unless this seat decides.
        """
        program = self.setting.program
        return {
            "seat": None if self.seat is None else f"P{self.seat + 1}",
            "phase": self.phase,
            "waiting_for": None if self.waiting_for is None else f"P{self.waiting_for + 1}",
            "variables": {name: self._nest_content(name) for name in self._authored_places},
            "zones": {name: self._nest_content(name) for name in program.zones},
            "decision": self.question,
        }

    @cached_property
    def _authored_places(self) -> list[str]:
        """The variables that authors declared, and the pools."""
        program = self.setting.program
        variables = (variable.name for variable in program.variables.values() if variable.origin.is_authored)
        return [*variables, *program.pools]

    def _nest_content(self, name: str) -> Any:
        """Return the content of a place for :meth:`to_json`.

        It is one mapping for each dimension, with index names as keys. A place without dimensions gives its content
        itself, and one without any index tuple an empty mapping.
        """
        tree: dict[str, Any] = {}
        for path, content in zip(_list_paths(self.setting, name), self._list_contents(name), strict=True):
            branch = tree
            for step in path[:-1]:
                branch = branch.setdefault(step, {})
            branch[path[-1]] = content
        return tree.get(name, {})

    def _list_contents(self, name: str) -> list[Any]:
        """Return the content of a place at each of its index tuples, in their order, as a JSON value.

        A pool gives a mapping from the name of each kind to its number. A zone gives a list of names. Hidden content is
        a mapping with the key ``hidden``.
        """
        program, index_tuples = self.setting.program, self.setting.list_indices(name)
        if name in program.zones:
            return [self._list_zone_content(name, indices) for indices in index_tuples]
        place, state = self.setting.layout.place(name), self.redacted_state
        cells, hidden_places = state.cells, state.hidden_places
        type, pool = get_place_type(program, name), program.pools.get(name)
        values = [] if pool is None else program.enums[str(pool.holds)].values
        contents: list[Any] = []
        for indices in index_tuples:
            if (name, indices) in hidden_places:
                contents.append({"hidden": True})
            elif pool is not None:
                contents.append({values[kind].name: cells[place.at((*indices, kind))] for kind in pool.kinds})
            else:
                value = cells[place.numbers[indices]]
                is_plain = value is None or isinstance(type, IntType | BoolType)
                contents.append(value if is_plain else format_name(self.setting, value, type))
        return contents

    def _list_zone_content(self, name: str, indices: Indices) -> Any:
        entities = self.redacted_state.zones[self.setting.layout.zones[name].at(indices)]
        names = self.setting.program.entities
        if self.can_see(name, indices):
            return [names[entity].name for entity in entities]
        ends = ((end, entities[place]) for end, place in (("top", 0), ("bottom", -1)) if entities)
        visible_ends = {end: names[card].name for end, card in ends if isinstance(card, int)}
        return {"hidden": True, "count": len(entities), **visible_ends}

    # ------------------------------------------------------------ as text

    def list_places(self) -> list[str]:
        """Return one line for each declared variable, pool and zone, at each of its indices, in this order.

        They are like ``P1.engine[left] = ?``, ``gold = 3`` and ``P1.hand = [axe, bow]``.
        """
        return [
            f"{place_name} = {_format_content(content)}"
            for name in (*self._authored_places, *self.setting.program.zones)
            for place_name, content in zip(_list_names(self.setting, name), self._list_contents(name), strict=True)
        ]

    def table(self) -> list[str]:
        """Return the table as lines of plain text in the author's layout. Without a layout, list every place."""
        return format_table_lines(self) or self.list_places()


def _format_content(content: Any) -> str:
    """Return the content of a place for :meth:`View.list_places`.

    Examples: ``? (5)``, ``3 wood, 1 gold``, ``[knight, pawn]``, ``none``.
    """
    if isinstance(content, dict) and "hidden" in content:
        ends = "".join(f", {end} {name}" for end, name in content.items() if isinstance(name, str))
        return f"{HIDDEN} ({content['count']}{ends})" if "count" in content else HIDDEN
    if isinstance(content, dict):
        return ", ".join(f"{n} {kind}" for kind, n in content.items())
    if isinstance(content, list):
        return f"[{', '.join(content)}]"
    if content is None or isinstance(content, bool):
        return "none" if content is None else str(content).lower()
    return str(content)


@lru_cache(maxsize=512)
def _list_paths(setting: Setting, name: str) -> tuple[tuple[str, ...], ...]:
    """Return, for each index tuple of a place, the path of names to its content. The path begins with the place."""
    place = setting.layout.place(name)
    return tuple((name, *format_index_names(setting, place, indices)) for indices in setting.list_indices(name))


@lru_cache(maxsize=512)
def _list_names(setting: Setting, name: str) -> tuple[str, ...]:
    """Return, for each index tuple of a place, how authors write it."""
    place = setting.layout.place(name)
    return tuple(format_place_name(setting, place, indices) for indices in setting.list_indices(name))


def redact_announcement(
    setting: Setting,
    position: State,
    stmt: core.Announce,
    slots: Sequence[Value],
    seats: int,
    listening_seat: int | None = None,
) -> list[Announced]:
    """Return the events of an announcement to ``seats``, each as Announced(kind, text, seats). Nothing is logged.

    Masks have bit 0 for seat 0. The first event has the full text and the mask of the seats that may know all of it, or
    0 if none may. One event for each different redacted text follows, in the order of its lowest seat. With
    ``listening_seat``, only the event of this seat is returned, with only its bit, or [] if it is not in ``seats``.
    Raise KeyError if every seat may know the text of ``stmt``. ``slots`` holds the local values of its routine.

    Example: of three seats, seat 0 draws an ace. Events: ``("announce", "P1 draws Ace", 0b001)`` and
    ``("announce", "P1 draws ?", 0b110)``. With ``listening_seat`` 1, only ``("announce", "P1 draws ?", 0b010)``.
    """
    levels = get_knowledge(setting.program).text_levels[stmt]
    seats_by_text = dict[str, int]()
    if listening_seat is None:
        seats_by_text[Reader(setting, position.cells, position.zones).fill(stmt.text, list(slots))] = 0
    for seat in range(setting.players):
        if seats >> seat & 1 and listening_seat in (None, seat):
            text = _redact_text(setting, position, stmt.text, slots, levels, seat)
            seats_by_text[text] = seats_by_text.get(text, 0) | 1 << seat
    return [events.announced(text, mask) for text, mask in seats_by_text.items()]


def format_public_end_reason(setting: Setting, position: State, stmt: core.EndGame, slots: Sequence[Value]) -> str:
    """Return the reason of an ending as a spectator may know it, with ``?`` for what only some seats may know.

    ``slots`` holds the local values of the routine that contains ``stmt``. The statement must have a reason.
    """
    assert stmt.reason is not None, "a reason that hides something is one"
    return _redact_text(setting, position, stmt.reason, slots, get_knowledge(setting.program).text_levels[stmt], None)


def _redact_text(
    setting: Setting, position: State, text: core.TextTemplate, slots: Sequence[Value], levels: Levels, seat: int | None
) -> str:
    redacted_state = redact_state(setting, position, seat)
    return SeatReader(redacted_state).fill(text, redact_locals(redacted_state, slots, levels))


def find_locals_of_text(program: core.Program, stmt: TextStatement) -> set[int]:
    """Return the slots of the locals that a seat needs to redact the text of an announcement or ending.

    They are the slots that the text reads, and those of the players who may know the values read, or of the components
    that a seat must see to know them. Example: only the player in local 0 may know local 2.
    Then a text that reads locals 2 and 3 gives {0, 2, 3}. Raise KeyError if everyone may know the text.
    """
    text = stmt.text if isinstance(stmt, core.Announce) else stmt.reason
    slots = core.collect_locals(text) if text is not None else set()
    return slots | find_informed_players(slots, get_knowledge(program).text_levels[stmt])
