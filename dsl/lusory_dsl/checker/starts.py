"""The places that a ruleset declares: how they begin, and who sees them. A part of the checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import core
from ..language.types import BOOL, INT, PLAYER, EnumType, ListType, OptionalType, PlayerType, Type, nothing
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Embedded, Span
from ..text.spelling import article, snake_case
from .call_graph import Owner
from .declarations import Declarations, label_of, place_type
from .locals import LocalName
from .names import PlaceSymbol, PoolSymbol, ZoneSymbol
from .pictures import Pictures
from .places import check_held
from .routine import Routine, faulty
from .texts import Texts, value_in

_VISIBLE = ("all", "owner", "nobody")


class Starts:
    """Variables, pools and zones; None of each whose name is faulty."""

    def __init__(self, declared: Declarations, texts: Texts, pictures: Pictures) -> None:
        self.declared = declared
        self.texts = texts
        self.names = texts.names
        self.report = texts.report
        self.pictures = pictures

    def _indices(self, routine: Routine, symbol: PlaceSymbol, span: Span) -> None:
        """The indices of a start value, under the names of their types."""
        for dim in symbol.dims:
            name = snake_case(str(dim.given))
            if isinstance(dim.type, PlayerType) and routine.locals.find("me") is None:
                slot = routine.bind_me(span)
                routine.put_in_sight(LocalName("player", slot, PLAYER, span, "player", exempt=True))
            elif dim.given == INT or routine.locals.find(name) or name in self.names.symbols:
                routine.locals.slot()
            else:
                routine.bind_quietly(name, dim.given, span, "index")

    def variable(self, decl: model.VariableDecl) -> core.Variable | None:
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, PlaceSymbol):
            return None
        routine = self.texts.routine(Owner("start", name))
        self._indices(routine, symbol, decl.name.span)
        type = place_type(symbol)
        start = self._start(routine, decl, symbol, type)
        return core.Variable(
            name,
            symbol.dims,
            type,
            start,
            routine.locals.n_slots,
            self._visibility(decl.visible, symbol),
            label_of(decl.name, decl.label),
            decl.doc,
        )

    def _start(self, routine: Routine, decl: model.VariableDecl, symbol: PlaceSymbol, type: Type) -> core.Expr:
        """What a variable is at the start: as an expression says, as entries list, as a picture of a board shows."""
        name, span = decl.name.text, decl.name.span
        pictured = self.pictures.starts.get(name)
        role = f"to start `{name}` with"
        if isinstance(decl.start, Embedded):
            otherwise = value_in(routine, decl.start, type, role)
        elif decl.start is not None or pictured is not None:
            otherwise = self.nothing(type, decl)
        else:
            message = f"`variables.{name}`: `start` is missing"
            hint, about = "an expression: its value when the game begins", (f"start of {name}",)
            self.report.add(codes.MISSING_KEY, message, span, hint, about=about, follows=True)
            return faulty(span)
        entries = pictured
        if isinstance(decl.start, tuple):
            entries = self._entries(decl, decl.start, symbol, type)
        return otherwise if entries is None or not symbol.dims else by_entries(symbol.dims[0], entries, otherwise)

    def nothing(self, type: Type, decl: model.VariableDecl) -> core.Expr:
        """What entries are that nothing is said of."""
        value, span = nothing(type), decl.name.span
        if value is None and not isinstance(type, OptionalType):
            message = f"`{decl.name.text}` must begin with {article(f'`{type}`')} wherever nothing is said of it"
            self.report.add(codes.WRONG_TYPE, message, span, f"make it a `{type}?`, or write a `start` for all")
            return faulty(span)
        return core.Const(type, span, value)

    def _entries(
        self,
        decl: model.VariableDecl,
        written: Sequence[tuple[model.Word, model.Value]],
        symbol: PlaceSymbol,
        type: Type,
    ) -> dict[int, object]:
        """Values by the number of an index."""
        found: dict[int, object] = {}
        index = symbol.dims[0].type if len(symbol.dims) == 1 else None
        if not isinstance(index, EnumType):
            message = f"`{decl.name.text}` can't begin with entries: it is not per one board or enum"
            self.report.add(codes.WRONG_TYPE, message, decl.name.span, "write an expression")
            return found
        for word, value in written:
            at = self.declared.data.value(index, model.Value(word.text, False, word.span), "an index")
            if isinstance(at, int):
                found[at] = self.declared.data.value(type, value, f"the entry `{word.text}` of `{decl.name.text}`")
        return found

    def pool(self, decl: model.ZoneDecl) -> core.Pool | None:
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, PoolSymbol):
            return None
        for text in (decl.top, decl.bottom):
            if text is not None:
                message, hint = "counters lie in no order: a pool has no top and no bottom", "say who sees all of it"
                self.report.add(codes.BAD_ZONE, message, text.whole, hint)
        routine = self.texts.routine(Owner("start", name))
        self._indices(routine, symbol, decl.name.span)
        start: list[core.Expr | None] = [None] * len(self.names.value_names(symbol.holds))
        for word, text in decl.start:
            value = value_in(routine, text, INT, f"to start `{name}` with")
            ordinal = self.declared.kind_of(word, symbol.holds)
            if ordinal is not None:
                check_held(routine, symbol, core.Const(symbol.holds, word.span, ordinal))
                start[ordinal] = value
            if (
                isinstance(value, core.Const)
                and isinstance(value.value, int)
                and value.value < 0
                and not symbol.unlimited
            ):
                message = f"`{name}` can't begin with fewer than 0 of `{word.text}`"
                self.report.add(codes.OUT_OF_RANGE, message, value.span)
        return core.Pool(
            name,
            symbol.dims,
            symbol.holds,
            symbol.kinds,
            tuple(start),
            routine.locals.n_slots,
            symbol.unlimited,
            self._visibility(decl.visible, symbol),
            self._visibility(decl.moves, symbol),
            label_of(decl.name, decl.label),
            decl.doc,
        )

    def card_zone(self, decl: model.ZoneDecl) -> core.CardZone | None:
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, ZoneSymbol):
            return None
        kind = self.names.kinds[symbol.holds.name]
        start = tuple(range(kind.first, kind.first + kind.size)) if decl.start_all is not None else ()
        visible, top, bottom = (self._visibility(text, symbol) for text in (decl.visible, decl.top, decl.bottom))
        seen = None if decl.top is None else top, None if decl.bottom is None else bottom
        for text, end in ((decl.top, top), (decl.bottom, bottom)):
            if text is not None and _shows_less(end, visible):
                message, hint = (
                    "the card at an end is shown to fewer than the rest",
                    "whoever sees the rest sees its ends",
                )
                self.report.add(codes.HIDDEN_END, message, text.whole, hint)
        start_of, slots = None, 0
        if decl.start_of is not None:
            routine = self.texts.routine(Owner("start", name))
            self._indices(routine, symbol, decl.name.span)
            start_of = value_in(routine, decl.start_of, ListType(symbol.holds), f"to begin in `{name}`")
            slots = routine.locals.n_slots
        label = label_of(decl.name, decl.label)
        of = name, symbol.dims, symbol.holds
        return core.CardZone(*of, start, visible, label, decl.doc, *seen, start_of, slots, decl.is_sorted)

    def _visibility(self, text: Embedded | None, symbol: PlaceSymbol) -> core.Visibility:
        """Who sees a place: a word, or a condition on `viewer` and `owner`."""
        if text is None:
            return core.Visibility("all", None)
        word = text.text.strip()
        if word in _VISIBLE:
            if word == "owner" and not symbol.of_player:
                message = f"`{symbol.name}` has no owner: its first dimension is not `Player`"
                self.report.add(codes.BAD_DIMENSION, message, text.whole, "write `all`, `nobody` or a condition")
            return core.Visibility(word, None)
        if near := _misspelt_visibility(word, [*self.names.symbols, "viewer", "owner", "true", "false"]):
            self.report.add(codes.UNKNOWN_NAME, f"unknown name `{word}`", text.whole, near, about=about_name(word))
            return core.Visibility("all", None)
        routine = self.texts.routine(Owner("visible", symbol.name))
        routine.bind_quietly("viewer", PLAYER, text.whole, "player")
        routine.bind_quietly("owner", PLAYER, text.whole, "player")
        condition = value_in(routine, text, BOOL, "as a condition")
        return core.Visibility(None, condition, routine.locals.n_slots)


def _shows_less(end: core.Visibility, rest: core.Visibility) -> bool:
    """Whether fewer see an end of a zone than its rest, as far as words say it."""
    if end.constant is None or rest.constant is None:
        return rest.constant == "all" or end.constant == "nobody"
    return _VISIBLE.index(end.constant) > _VISIBLE.index(rest.constant)


def by_entries(dim: core.Dim, entries: Mapping[int, object], otherwise: core.Expr) -> core.Expr:
    """What an index of a start, in the first slot, has in entries: `if index in [a1, b1] then P1 else …`."""
    numbers: dict[object, list[int]] = {}
    for number, value in entries.items():
        numbers.setdefault(value, []).append(number)
    span, type, found = otherwise.span, otherwise.type, otherwise
    index = core.Local(dim.type, span, 0, snake_case(str(dim.type)))
    for value, at in reversed(numbers.items()):
        listed = core.Const(ListType(dim.type), span, tuple(at))
        is_there = core.Binary(BOOL, span, "in", index, listed)
        found = core.IfExpr(type, span, is_there, core.Const(type, span, value), found)
    return found


def _misspelt_visibility(word: str, known: Sequence[str]) -> str | None:
    """Which word for who sees a place is meant by one that nothing knows."""
    if not word.isidentifier() or word in known:
        return None
    return did_you_mean(word, _VISIBLE) or (
        "write `all`, `owner` (the player it belongs to), `nobody`, or a condition such as `viewer is owner.next`"
    )
