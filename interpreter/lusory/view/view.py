"""What a seat sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, NoReturn

from lusory_dsl import core
from lusory_dsl.core.information_flow import Levels, Teller, knowledge_of, players_in
from lusory_dsl.source.dataclasses import dataclass
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import (
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NoneType,
    OptionalType,
    PlayerType,
    Type,
)

from ..evaluator.expressions import Reader, Slots
from ..state import event_log
from ..state.decision import Decision, RulesetFault
from ..state.event_log import Announced, Event, HasSetting, redacted
from ..state.setting import (
    HIDDEN,
    TEXTS_LIMIT,
    TOO_LONG_TEXT,
    TOO_LONG_TEXTS,
    Indices,
    Setting,
    Value,
    index_names,
    item_type,
    name_of,
    place_name,
)
from ..state.state import State
from .text import Grid, Marked, Piece, board_grid, marked_join, option_ids, option_labels, sheet, table_lines
from .visibility import Hidden, Seen, Unknown, known_to, seen_by

LISTS = 1024  # of which it is known whether they can be narrowed down


class Narrowed(NamedTuple):
    """What is compared first: a ``place`` of which each item has a cell, with a ``value`` that is the same for all
    items. ``may_be_none``: the cell may hold nothing."""

    place: str
    value: core.Expr
    may_be_none: bool


@lru_cache(maxsize=LISTS)
def narrowed(condition: core.Expr, slot: int) -> Narrowed | None:
    """What a condition on the item in ``slot`` compares first; None: something else."""
    first = core.chain(condition, "and")[0]
    if not isinstance(first, core.Binary) or first.op != "=" or not isinstance(first.left, core.ReadCell):
        return None
    read = first.left
    is_own = [isinstance(index, core.Local) and index.slot == slot for index in read.indices] == [True]
    if not is_own or slot in core.locals_in(first.right):
        return None
    return Narrowed(read.place, first.right, isinstance(read.type, OptionalType | NoneType))


NOT_YET: Value = object()
_POINTED = (ComponentType, EnumType, OptionalType, PlayerType)


class SeatReader(Reader):
    """Reads expressions as a seat sees the table; raises :class:`Hidden` where it may not look."""

    characters = 0  # of the texts read so far

    def __init__(self, seen: Seen, none_text: str = "none") -> None:
        super().__init__(seen.setting, seen.cells, seen.zones)
        self.none_text = none_text
        self.seen = seen

    def shown(self, expr: core.Expr, slots: Slots) -> str:
        try:
            return self.label(self.value(expr, slots), expr.type)
        except Hidden:
            return HIDDEN
        except RulesetFault as fault:
            if fault.message in (TOO_LONG_TEXT, TOO_LONG_TEXTS):
                raise
            return self.none_text  # the top card of an empty deck, and the like

    def text(self, template: core.TextTemplate, slots: Slots) -> str:
        """A template filled in, which remembers what its words stand for."""
        parts = (part if isinstance(part, str) else self.shown(part, slots) for part in template.parts)
        text: Marked = self.placed(template.span, marked_join, parts, "")
        self.count_characters(len(text), template.span)
        return text

    def count_characters(self, characters: int, span: Span) -> None:
        self.characters += characters
        if self.characters > TEXTS_LIMIT:
            self.fault(TOO_LONG_TEXTS, span)

    def label(self, value: Value, type: Type) -> str:
        """How a person reads a value, ``?`` for what is hidden; it remembers the value."""
        if isinstance(value, tuple) and any(isinstance(item, Unknown) for item in value):
            return ", ".join(HIDDEN for _ in value)
        if isinstance(value, Unknown):
            return HIDDEN
        if isinstance(value, tuple) and isinstance(type, ListType) and value:
            return marked_join((self.label(item, type.item) for item in value), ", ")
        if isinstance(value, Marked):
            return value
        label = super().label(value, type)
        return Marked([Piece(label, type, value)]) if isinstance(type, _POINTED) and value is not None else label

    def eval_CallBuiltin(self, expr: core.CallBuiltin, slots: Slots) -> Value:
        if expr.name != "lines":
            return super().eval_CallBuiltin(expr, slots)
        return self.placed(expr.span, marked_join, self.present(expr.args[0], slots), "\n")

    def items(self, slot: int, source: core.Expr, condition: core.Expr | None, slots: Slots) -> Iterable[Value]:
        first = None if condition is None else narrowed(condition, slot)
        if first is None or condition is None:
            yield from super().items(slot, source, condition, slots)
            return
        items = self.value(source, slots)
        self.visit(len(items), source.span)
        numbers, cells, wanted = self.layout.places[first.place].numbers, self.cells, NOT_YET
        for item in items:
            slots[slot] = item
            number = numbers.get((item,)) if item.__class__ is int else None
            held = NOT_YET if number is None else cells[number]
            if held.__class__ is int or (held is None and first.may_be_none):
                wanted = self.value(first.value, slots) if wanted is NOT_YET else wanted
                if held != wanted:
                    continue
            if self.value(condition, slots):
                yield item

    def fault(self, message: str, span: Span) -> NoReturn:
        raise RulesetFault(message, span)

    def eval_ReadCell(self, expr: core.ReadCell, slots: Slots) -> Value:
        value = super().eval_ReadCell(expr, slots)
        if isinstance(value, Unknown):
            raise Hidden
        return value

    def lies_at(self, card: core.Expr, slots: Slots) -> tuple[str, tuple[int, ...]] | None:
        number = self.cells[self.layout.location + self.present(card, slots)]
        if isinstance(number, Unknown):
            raise Hidden
        return None if number is None else self.layout.zone_at(number)

    def eval_LiesIn(self, expr: core.LiesIn, slots: Slots) -> Value:
        try:
            return super().eval_LiesIn(expr, slots)
        except Hidden:
            if self.seen.sees_all(expr.zone):
                return False  # it would be seen
            raise

    def eval_Field(self, expr: core.Field, slots: Slots) -> Value:
        if isinstance(self.value(expr.component, slots), Unknown):
            raise Hidden
        return super().eval_Field(expr, slots)


@dataclass(frozen=True)
class View:
    """The table as a seat sees it (``seat`` None: a spectator, who sees only what everybody sees): data, with nothing
    behind it that the seat may not know.

    ``waiting_for``: the seat that decides, None when the game is over. ``decision``: the pending one when this seat
    decides, as it may know it; ``slots``: what it knows of the locals of the routine that asks."""

    seen: Seen
    phase: str | None
    waiting_for: int | None
    decision: Decision | None
    slots: tuple[Value, ...] = ()

    @property
    def setting(self) -> Setting:
        return self.seen.setting

    @property
    def seat(self) -> int | None:
        return self.seen.seat

    @cached_property
    def question(self) -> dict[str, Any] | None:
        """Prompt, option ids and labels of the pending decision, when this seat decides."""
        if self.decision is None:
            return None
        return {"prompt": self.prompt(), "options": self.option_ids(), "labels": self.option_labels()}

    def prompt(self) -> str:
        """The question that this seat is asked."""
        return "" if self.decision is None else self.asker.text(self.ask.prompt, list(self.slots))

    def option_ids(self) -> list[str]:
        """What is typed for each option; unique within the decision."""
        return [] if self.decision is None else option_ids(self.setting, self.ask, self.decision.options)

    def option_labels(self) -> list[str]:
        """What a person reads for each option."""
        if self.decision is None:
            return []
        return option_labels(self.asker, self.ask, self.decision.options, self.slots)

    @property
    def ask(self) -> core.Ask | core.AskMany:
        """The choice that this seat is asked. Only where there is a decision."""
        assert self.decision is not None, "nothing is asked"
        return self.setting.sites[self.decision.site]

    @cached_property
    def asker(self) -> SeatReader:
        """Reads the words of the question."""
        return SeatReader(self.seen)

    @cached_property
    def _reader(self) -> SeatReader:
        return SeatReader(self.seen, none_text="–")

    def text(self, template: core.TextTemplate, slots: Sequence[Value] = ()) -> str:
        """A template as this seat sees it, ``?`` for what it may not see. ``slots`` are the first locals."""
        return self._reader.text(template, padded(slots, self.setting.layout_slots))

    def placed(self, name: str, indices: Indices) -> Value:
        """The value of a variable. Raises Hidden where this seat may not see it."""
        value = self.seen.cells[self.setting.layout.place(name).at(indices)]
        if isinstance(value, Unknown):
            raise Hidden
        return value

    def counters(self, pool: core.PoolTotal, slots: Sequence[Value] = ()) -> list[tuple[Type, int, int | None]]:
        """What lies in a pool: type and value of each kind, and how many; None for what this seat may not know."""
        type = self.setting.program.pools[pool.zone].holds
        room = padded(slots, self.setting.layout_slots)
        found = self._reader.counts(pool.zone, pool.indices, room, pool.span)
        return [(type, kind, None if isinstance(n, Unknown) else n) for kind, n in found]

    def holds(self, condition: core.Expr | None, slots: Sequence[Value] = ()) -> bool:
        """Whether a condition of the table's layout holds, and this seat may know it."""
        try:
            return self._reader.holds(condition, padded(slots, self.setting.layout_slots))
        except (Hidden, RulesetFault):
            return False

    def grid(self, board: core.BoardView) -> Grid | None:
        """A board with all its texts; None where it is not to be shown, or this seat may not know its lists."""
        if not self.holds(board.condition):
            return None
        try:
            rows = self._side(board.rows, board.n_slots)
            columns = [] if board.columns is None else self._side(board.columns, board.n_slots)
        except (Hidden, RulesetFault):
            return None
        if board.columns is None:
            texts = [_block(self.text(board.text, (item,))) for item, _ in rows]
            return sheet(texts, board.width) if board.board is None else self._spaces(board, board.board, texts)
        cells = [
            (label, [_block(self.text(board.text, (row, column))) for column, _ in columns]) for row, label in rows
        ]
        return Grid([label for _, label in columns], cells)

    def _spaces(self, view: core.BoardView, name: str, texts: list[str]) -> Grid:
        """A board of spaces as it lies."""
        return board_grid(self.setting.program.boards[name], texts, view.crop)

    def _side(self, side: core.Expr, n_slots: int) -> list[tuple[Value, str]]:
        """The items of a list, with their labels."""
        items = self.value(side, padded((), n_slots))
        return [(item, self._reader.label(item, item_type(side.type))) for item in items]

    def value(self, expr: core.Expr, slots: Sequence[Value] = ()) -> Value:
        """The value of an expression; ``slots`` are all of its locals. Raises :class:`Hidden` where this seat may not
        know it."""
        value = self._reader.value(expr, list(slots))
        if isinstance(value, Unknown):
            raise Hidden
        return value

    def label(self, value: Value, type: Type) -> str:
        """How this seat reads a value that it was given."""
        return self._reader.label(value, type)

    @property
    def phase_label(self) -> str:
        """The phases under way that have a label, outermost first: ``Round 3 of 8 · Plan``."""
        path = self.setting.phases[self.phase] if self.phase is not None else ()
        labels = [self._reader.text(p.label, padded((), p.n_slots)) for p in path if p.label is not None]
        return " · ".join(dict.fromkeys(labels))

    def sees(self, name: str, indices: Indices = ()) -> bool:
        """Whether this seat sees the content of a place (of a pool: without the kind)."""
        return self.seen.sees(name, indices)

    # ------------------------------------------------------------ as data

    def to_json(self) -> dict[str, Any]:
        """Plain data, values by the names that authors use. What is hidden is ``{"hidden": true}``, a hidden zone of
        cards also tells its ``count``, and what is seen at an end; a place with dimensions is a mapping for each of
        them."""
        program = self.setting.program
        return {
            "seat": None if self.seat is None else f"P{self.seat + 1}",
            "phase": self.phase,
            "waiting_for": None if self.waiting_for is None else f"P{self.waiting_for + 1}",
            "variables": {name: self._nested(name) for name in self._counted},
            "zones": {name: self._nested(name) for name in program.zones},
            "decision": self.question,
        }

    @cached_property
    def _counted(self) -> list[str]:
        """The variables that authors name, and the pools."""
        program = self.setting.program
        return [*(v.name for v in program.variables.values() if v.origin.is_written), *program.pools]

    def _nested(self, name: str) -> Any:
        top: dict[str, Any] = {}
        for path, content in zip(_paths(self.setting, name), self._contents(name), strict=True):
            inner = top
            for step in path[:-1]:
                inner = inner.setdefault(step, {})
            inner[path[-1]] = content
        return top.get(name, {})

    def _contents(self, name: str) -> list[Any]:
        """What lies at each index of a place, in the order of its indices."""
        program, indices = self.setting.program, self.setting.indices(name)
        if name in program.zones:
            return [self._cards(name, at) for at in indices]
        place, cells, hidden = self.setting.layout.place(name), self.seen.cells, self.seen.hidden
        pool = program.pools.get(name)
        if pool is not None:
            kinds = [(kind, program.enums[str(pool.holds)].values[kind].name) for kind in pool.kinds]
            return [
                {"hidden": True}
                if (name, at) in hidden
                else {kind: cells[place.at((*at, number))] for number, kind in kinds}
                for at in indices
            ]
        type = program.variables[name].type
        is_plain = isinstance(type, IntType | BoolType)
        found: list[Any] = []
        for at in indices:
            value = {"hidden": True} if (name, at) in hidden else cells[place.numbers[at]]
            is_done = is_plain or value is None or isinstance(value, dict)
            found.append(value if is_done else name_of(self.setting, value, type))
        return found

    def _cards(self, name: str, at: Indices) -> Any:
        entities = self.seen.zones[self.setting.layout.zones[name].at(at)]
        names = self.setting.program.entities
        if self.sees(name, at):
            return [names[entity].name for entity in entities]
        ends = ((end, entities[place]) for end, place in (("top", 0), ("bottom", -1)) if entities)
        seen = {end: names[card].name for end, card in ends if isinstance(card, int)}
        return {"hidden": True, "count": len(entities), **seen}

    # ------------------------------------------------------------ as text

    def listing(self) -> list[str]:
        """Every place, one a line, as an author writes it: ``P1.engine[left] = ?``."""
        return [
            f"{written} = {_written(content)}"
            for name in (*self._counted, *self.setting.program.zones)
            for written, content in zip(_names(self.setting, name), self._contents(name), strict=True)
        ]

    def table(self) -> list[str]:
        """The table as its author lays it out, as lines of plain text; every place where there is no layout."""
        return table_lines(self) or self.listing()


def _block(text: str) -> str:
    """The lines of a cell, without the spaces round them."""
    return "\n".join(line.strip() for line in text.removesuffix("\n").split("\n"))


def _written(content: Any) -> str:
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


def padded(slots: Sequence[Value], n_slots: int) -> Slots:
    """Locals for a routine of (at least) ``n_slots``, the first ones given."""
    return [*slots, *[None] * (n_slots - len(slots))]


def information_state(game: HasSetting, view: View, log: Sequence[Event]) -> str:
    """All that a seat knows, as one text: the table as it sees it, and what it was told since the game began."""
    seat = view.seat
    if seat is None:
        raise ValueError("a spectator has no information state: ask for the view of a seat")
    told = [repr(tuple(event)) for event in redacted(log, seat, game)]
    return "\n".join([f"seat {seat + 1}", *view.listing(), *told])


@lru_cache(maxsize=512)
def _paths(setting: Setting, name: str) -> tuple[tuple[str, ...], ...]:
    """For each index of a place the names on the way to what lies there, the place's own first."""
    place = setting.layout.place(name)
    return tuple((name, *index_names(setting, place, at)) for at in setting.indices(name))


@lru_cache(maxsize=512)
def _names(setting: Setting, name: str) -> tuple[str, ...]:
    """For each index of a place how an author writes the place with it."""
    place = setting.layout.place(name)
    return tuple(place_name(setting, place, at) for at in setting.indices(name))


def announced(
    setting: Setting, position: State, stmt: core.Announce, slots: Sequence[Value], seats: int, hears: int | None = None
) -> list[Announced]:
    """The events of an announcement to ``seats``: all the words, for those who may know them, and one for each way in
    which the others hear them. ``hears``: the seat for which alone it is told; None: for all."""
    levels = knowledge_of(setting.program).tellers[stmt]
    heard = dict[str, int]()
    if hears is None:
        heard[Reader(setting, position.cells, position.zones).text(stmt.text, list(slots))] = 0
    for seat in range(setting.players):
        if seats >> seat & 1 and hears in (None, seat):
            words = _read(setting, position, stmt.text, slots, levels, seat)
            heard[words] = heard.get(words, 0) | 1 << seat
    return [event_log.announced(words, mask) for words, mask in heard.items()]


def openly(setting: Setting, position: State, stmt: core.EndGame, slots: Sequence[Value]) -> str:
    """The reason of an ending as everybody may know it."""
    assert stmt.reason is not None, "a reason that hides something is one"
    return _read(setting, position, stmt.reason, slots, knowledge_of(setting.program).tellers[stmt], None)


def _read(
    setting: Setting, position: State, text: core.TextTemplate, slots: Sequence[Value], levels: Levels, seat: int | None
) -> str:
    seen = seen_by(setting, position, seat)
    return SeatReader(seen).text(text, known_to(seen, slots, levels))


def read_by(program: core.Program, stmt: Teller) -> set[int]:
    """The locals that a text reads, and those that hold who may know them."""
    text = stmt.text if isinstance(stmt, core.Announce) else stmt.reason
    read = core.locals_in(text) if text is not None else set()
    return read | players_in(program, read, knowledge_of(program).tellers[stmt])
