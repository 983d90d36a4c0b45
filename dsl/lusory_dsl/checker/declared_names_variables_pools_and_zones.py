"""Declare the names of a ruleset, and check the start values and visibility of variables, pools and zones.

Declarations come first, because any text can use any name. :class:`PlaceChecker` checks the texts afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import core
from ..core.board_geometry import DIRECTIONS
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import Diagnostics, name_subjects, replace_text
from ..source.source import NOWHERE, EmbeddedText, Span, humanise, prepend_article, quote_list, to_snake_case
from ..source.spelling_suggestions import suggest_name
from ..syntax.keywords_operators_and_mistaken_words import CALLABLE_KEYWORDS, KEYWORDS, SOFT_KEYWORDS, STATEMENTS
from ..types.builtin_functions_members_and_statements import CARD, FUNCTIONS, MEMBERS
from ..types.types import (
    BOOL,
    INT,
    INT_MAX,
    INT_MIN,
    PLAYER,
    ComponentType,
    EnumType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    get_default_value,
)
from .boards_and_pictures import BoardBuilder, PictureChecker, make_enum, make_space_enum
from .call_graph_and_size_limits import Owner, check_card_count
from .code_fields_templates_and_check_cache import TextChecker, check_value_text
from .context import LocalName, Notes, Routine, make_faulty
from .symbol_table import (
    ActionSymbol,
    BrokenSymbol,
    ComponentKind,
    ComputedTableSymbol,
    DurationSymbol,
    EffectSymbol,
    Names,
    OptionSymbol,
    Parameters,
    PlaceSymbol,
    PoolSymbol,
    QuerySymbol,
    SpanSymbol,
    Symbol,
    TableSymbol,
    TypeSymbol,
    VariableSymbol,
    WindowSymbol,
    ZoneSymbol,
)
from .variable_and_zone_access import check_pool_kind
from .written_types_tables_and_card_fields import DataChecker, make_entities

#: Names that the language itself defines in texts.
_RESERVED_NAMES = ("me", "it", "this", "players", "Int", "Bool", "Text", "Player", "List")


class Declarations:
    """Declare the names of all sections.

    Sections are read in dependency order, so that each finds the types that it needs.
    """

    def __init__(
        self, ruleset: model.Ruleset, names: Names, notes: Notes, diagnostics: Diagnostics, board_builder: BoardBuilder
    ) -> None:
        self.ruleset = ruleset
        self.board_builder = board_builder
        self.names = names
        self.notes = notes
        self.diagnostics = diagnostics
        self.data_checker = DataChecker(names, notes, diagnostics)
        self.data_checker.seats = ruleset.game.min_players
        self.options: list[core.Option] = []
        self.tables: dict[str, core.Table] = {}
        self.entities: list[core.Entity] = []
        self.field_types: dict[str, dict[str, Type]] = {}

    def declare(self) -> None:
        """Declare the names of all sections in ``names``, and report mistakes.

        Also fills ``options``, ``tables``, ``entities`` and ``field_types``. The order is enums, boards, components,
        options, tables, variables, zones, routines and layers. A name that is declared twice is reported, and one
        BrokenSymbol replaces both symbols. The name of a table, variable, zone, span, duration, query, option or type
        that is also an enum value, such as a space of a board, is reported, too. A BrokenSymbol replaces its symbol.
        Layers only go to ``names.layers``, without a check of their names. The names in ``ruleset.read_by_families``
        are added to ``notes.used_names`` and ``notes.read_names``.
        """
        self.notes.used_names |= self.ruleset.read_by_families
        self.notes.read_names |= self.ruleset.read_by_families
        self._declare_enums()
        self._declare_boards()
        self._declare_components()
        self._declare_options()
        self._declare_tables()
        self._declare_variables()
        self._declare_zones()
        self._declare_routines()
        self._declare_layers()
        self._check_enum_values()

    # ------------------------------------------------------------ names

    def _add_symbol(self, symbol: Symbol) -> None:
        """Declare a name.

        Reports a name that is a word of the language. A place or query that is written with a dot or parentheses can't
        have the name of a built-in function, which is reported, too. So is a second declaration. A name that is taken
        counts as broken: uses of it are not reported.
        """
        self.check_name(symbol.name, symbol.span)
        row = FUNCTIONS.get(symbol.name)
        is_called = isinstance(symbol, QuerySymbol) and bool(symbol.params)
        if row is not None and (is_called or (isinstance(symbol, PlaceSymbol | QuerySymbol) and symbol.is_per_player)):
            message = f"`{symbol.name}` is the name of a function: `{row.signature}`"
            self.diagnostics.add(codes.NAME_TAKEN, message, symbol.span, "give it another name")
            symbol = BrokenSymbol(symbol.name, symbol.span)
        first_symbol = self.names.symbols.get(symbol.name)
        if first_symbol is not None:
            self._report_duplicate(symbol.name, symbol.span, first_symbol.kind, first_symbol.span)
            symbol = BrokenSymbol(symbol.name, first_symbol.span)
        self.names.symbols[symbol.name] = symbol

    def _report_duplicate(self, name: str, span: Span, kind: str, first_span: Span) -> None:
        notes = [(first_span, "declared here")]
        message = f"`{name}` is already the name of {prepend_article(kind)}"
        self.diagnostics.add(codes.NAME_TAKEN, message, span, "give one of them another name", notes)

    def check_name(self, name: str, span: Span) -> None:
        """Report a declared name that rule texts can't use, because it is a word of the language."""
        if name in KEYWORDS or name in _RESERVED_NAMES:
            message = f"`{name}` is a word of the language and can't be a name"
            hint = f"write `{name}_` or another word" if name.islower() else "choose another word"
            self.diagnostics.add(codes.RESERVED_NAME, message, span, hint, subjects=name_subjects(name))

    def check_member_name(self, name: str, span: Span) -> None:
        """Report a member of a component kind that has the name of a built-in member of every card."""
        row = MEMBERS.get(name)
        if row is not None and row.params[0].type == CARD:
            message = f"every card has a member `{name}` already"
            self.diagnostics.add(codes.NAME_TAKEN, message, span, "give it another name")

    def _check_enum_values(self) -> None:
        """Report enum values that have the name of a place, query, option or type. A bare name would be ambiguous."""
        for name, values in self.names.values.items():
            symbol = self.names.symbols.get(name)
            if isinstance(symbol, PlaceSymbol | QuerySymbol | OptionSymbol | TypeSymbol):
                for value in values:
                    if value.span is not symbol.span and value.span is not NOWHERE:
                        description = f"value of `{value.enum}`"
                        self._report_duplicate(name, symbol.span, description, value.span)
                        self.names.symbols[name] = BrokenSymbol(name, symbol.span)

    # ------------------------------------------------------------ types

    def _declare_enums(self) -> None:
        for decl in self.ruleset.enums:
            values, spans = self._make_enum_values(decl)
            self._add_enum(core.Enum(decl.name.text, values), decl.name.span, spans)

    def _add_enum(self, enum: core.Enum, span: Span, spans: dict[str, Span]) -> None:
        self._add_symbol(TypeSymbol(enum.name, span, EnumType(enum.name), tuple(range(len(enum.values)))))
        if enum.name not in self.names.enums:
            self.names.add_enum(enum, spans)

    def _declare_boards(self) -> None:
        """Declare each board as an enum of its spaces, and the enums of its lines and directions.

        A faulty board becomes a broken symbol. Enums of directions are shared by boards.
        """
        direction_names = set[str]()
        for decl in self.ruleset.boards:
            name, span = decl.name.text, decl.name.span
            board = self.board_builder.build_board(decl)
            if board is None:
                self._add_symbol(BrokenSymbol(name, span))
                continue
            labels = {word.text: label for word, label in decl.labels}
            self._add_enum(make_space_enum(board, labels), span, dict.fromkeys(board.names, span))
            for lines, (enum, _) in zip(board.lines, decl.lines, strict=True):
                line_labels = {line: line.replace("_", "–") for line in lines.names}  # a1_a8: a1–a8
                self._add_enum(make_enum(lines.enum, line_labels), enum.span, {})
            if board.directions is not None and board.directions not in direction_names:
                direction_names.add(board.directions)
                direction_labels = {direction: humanise(direction) for direction in DIRECTIONS[board.directions]}
                self._add_enum(make_enum(board.directions, direction_labels), span, {})
                self.notes.used_names.add(board.directions)
            for space in board.names:
                self.check_name(space, span)
            self.names.boards.setdefault(name, board)

    def _make_enum_values(self, decl: model.EnumDecl) -> tuple[tuple[core.EnumValue, ...], dict[str, Span]]:
        """Return the values of an enum, and the positions of their names and plurals.

        Repeated names are reported and stay.
        """
        values: list[core.EnumValue] = []
        spans: dict[str, Span] = {}
        for value in decl.values:
            for word in (value.name, value.plural):
                if word is None or (word is value.plural and word.text == value.name.text):
                    continue
                self.check_name(word.text, word.span)
                if word.text in spans:
                    self._report_duplicate(word.text, word.span, f"value of `{decl.name.text}`", spans[word.text])
                spans.setdefault(word.text, word.span)
            name = value.name.text
            label = value.label if value.label is not None else humanise(name)
            short_label = value.short if value.short is not None else label
            values.append(core.EnumValue(name, label, value.plural.text if value.plural else None, short_label))
        return tuple(values), spans

    def _declare_components(self) -> None:
        """Declare component kinds and number their entities, kind by kind.

        Fields come last, because a field can hold any card.

        With too many cards, no entities are declared. The name of a card is a constant: its first copy.
        """
        cards = self.ruleset.cards
        labels = {card.id.text: humanise(card.id.text) if card.label is None else card.label for card in cards}
        cards_by_kind: dict[str, list[model.CardDecl]] = {}
        for card in cards if check_card_count(cards, self.diagnostics) else ():
            cards_by_kind.setdefault(card.kind.text, []).append(card)
        for decl in self.ruleset.components:
            name = decl.name.text
            kind_entities = make_entities(cards_by_kind.get(name, ()), len(self.entities), labels)
            first_number = len(self.entities)
            self.entities += kind_entities
            self.field_types[name] = {}
            self.names.kinds[name] = ComponentKind(
                name, decl.name.span, first_number, len(kind_entities), self.field_types[name]
            )
            numbers = tuple(entity.number for entity in kind_entities)
            self._add_symbol(TypeSymbol(name, decl.name.span, ComponentType(name), numbers))
        for decl in self.ruleset.components:
            for field, type in decl.fields:
                self.field_types[decl.name.text][field.text] = self.data_checker.check_type(type)
            self.data_checker.check_field_docs(decl, self.field_types[decl.name.text])
        for entity in self.entities:
            constant = core.Const(ComponentType(entity.kind), self.names.kinds[entity.kind].span, entity.number)
            self.names.constants.setdefault(entity.card, constant)
        self._declare_cards()

    def _declare_cards(self) -> None:
        """Fill the fields of all entities, and report cards of an unknown kind.

        The fields are those that the author gives, and ``original``, ``copies`` and the number of the pile.
        """
        fields: dict[str, dict[str, object]] = {}
        field_spans: dict[str, dict[str, Span]] = {}
        for card in self.ruleset.cards:
            kind = self.names.kinds.get(card.kind.text)
            if kind is None:
                kind_names = list(self.names.kinds)
                hint = suggest_name(card.kind.text, kind_names) or "declare it under `components`"
                message = f"there is no component kind `{card.kind.text}`"
                subjects = (*name_subjects(card.kind.text), *name_subjects(card.id.text))
                self.diagnostics.add(codes.UNKNOWN_TYPE, message, card.kind.span, hint, subjects=subjects)
                continue
            self.notes.used_names.add(kind.name)
            fields[card.id.text] = self.data_checker.check_fields(card, kind.fields, kind.span)
            field_spans[card.id.text] = {name.text: value.span for name, value in card.fields}
        numbers_by_card: dict[str, list[int]] = {}
        for entity in self.entities:
            numbers_by_card.setdefault(entity.card, []).append(entity.number)
        copies = {card: tuple(numbers) for card, numbers in numbers_by_card.items()}
        piles: dict[str, dict[str, int]] = {}  # kind -> card -> number of its pile
        for entity in self.entities:
            pile_numbers = piles.setdefault(entity.kind, {})
            entity.fields[core.PILE] = pile_numbers.setdefault(entity.card, len(pile_numbers))
            entity.fields.update(fields.get(entity.card, {}))
            entity.field_spans.update(field_spans.get(entity.card, {}))
            entity.fields.update(original=copies[entity.card][0], copies=copies[entity.card])
        self.names.copies.update((card, len(numbers)) for card, numbers in copies.items())

    # ------------------------------------------------------------ options and tables

    def _declare_options(self) -> None:
        """Declare the options. One with values gets an enum, named like the option in camel case."""
        for decl in self.ruleset.options:
            name = decl.name.text
            if decl.values:
                enum_name = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
                enum = make_enum(enum_name, {word.text: humanise(word.text) for word in decl.values})
                type: Type = EnumType(enum.name)
                names = tuple(word.text for word in decl.values)
                spans = {word.text: word.span for word in decl.values}
                for word in decl.values:
                    self.check_name(word.text, word.span)
                self._add_enum(enum, decl.name.span, spans)
                self.notes.used_names.add(enum.name)
            else:
                type, names = (BOOL if decl.type is not None and decl.type.text == "Bool" else INT), ()
            self._add_symbol(OptionSymbol(name, decl.name.span, type))
            low, high = decl.range if decl.range is not None else (None, None)
            option = core.Option(name, type, names, 0, low, high, decl.doc, decl.name.span)
            default = check_option_value(option, decl.default, self.diagnostics)
            self.options.append(option if default is None else replace(option, default=default))

    def _declare_tables(self) -> None:
        """Declare the tables. A faulty one becomes a broken symbol, also one with players or cards as a dimension."""
        for decl in self.ruleset.tables:
            name, span = decl.name.text, decl.name.span
            dims, type = self.data_checker.check_dims(decl.per), self.data_checker.check_type(decl.type)
            for word, dim in zip(decl.per, dims or (), strict=False):
                if isinstance(dim.source_type, PlayerType | ComponentType):
                    reason = "their number is not known" if isinstance(dim.type, PlayerType) else "use its fields"
                    message = f"a table can't have the dimension `{word.text}`: {reason}"
                    self.diagnostics.add(codes.BAD_DIMENSION, message, word.span)
                    dims = None
            if dims is None or isinstance(type, NothingType):
                self._add_symbol(BrokenSymbol(name, span))
                continue
            if decl.value is not None:
                self._add_symbol(self._make_computed_table(decl, dims, type))
                continue
            self._add_symbol(TableSymbol(name, span, dims, type))
            self.tables.setdefault(name, self.data_checker.check_table(decl, dims, type))

    def _make_computed_table(self, decl: model.TableDecl, dims: tuple[core.Dim, ...], type: Type) -> Symbol:
        """Return the symbol of a computed table.

        Its expression names each index by the index type, so each type occurs once.
        """
        types = [dim.type for dim in dims]
        for number, (word, dim) in enumerate(zip(decl.per, dims, strict=True)):
            if not isinstance(dim.type, EnumType) or dim.type in types[:number]:
                message = f"`value` can't name the index `{word.text}`; it can name each enum and each board once"
                hint = "write a query with parameters instead"
                self.diagnostics.add(codes.BAD_DIMENSION, message, word.span, hint)
                return BrokenSymbol(decl.name.text, decl.name.span)
        return ComputedTableSymbol(decl.name.text, decl.name.span, dims, type)

    # ------------------------------------------------------------ places

    def _declare_variables(self) -> None:
        for decl in self.ruleset.variables:
            dims, type = self.data_checker.check_dims(decl.per), self.data_checker.check_type(decl.type)
            if dims is None:
                self._add_symbol(BrokenSymbol(decl.name.text, decl.name.span))
            else:
                self._add_symbol(VariableSymbol(decl.name.text, decl.name.span, dims, type))

    def _declare_zones(self) -> None:
        """Declare each zone as a place for cards or counters.

        Reports one that holds another type, and makes its name a broken symbol.
        """
        start_spans: dict[str, Span] = {}
        for decl in self.ruleset.zones:
            dims, holds = self.data_checker.check_dims(decl.per), self.data_checker.check_type(decl.holds)
            if isinstance(holds, EnumType) and dims is not None:
                kinds = self._check_pool_kinds(decl, holds)
                self._add_symbol(PoolSymbol(decl.name.text, decl.name.span, dims, holds, kinds, decl.is_unlimited))
            elif isinstance(holds, ComponentType) and dims is not None:
                self._declare_card_zone(decl, holds, start_spans)
                self._add_symbol(ZoneSymbol(decl.name.text, decl.name.span, dims, holds, decl.is_sorted))
            else:
                if not isinstance(holds, NothingType | EnumType | ComponentType):
                    message = f"a zone holds an enum (counters) or a component kind, not `{decl.holds.text}`"
                    self.diagnostics.add(codes.BAD_ZONE, message, decl.holds.span)
                self._add_symbol(BrokenSymbol(decl.name.text, decl.name.span))

    def _check_pool_kinds(self, decl: model.ZoneDecl, kind_enum: EnumType) -> tuple[int, ...]:
        """Return the ordinals of the kinds that a pool may hold, in enum order.

        Reports unknown kinds, and keys that only zones of cards can have.
        """
        start_spans = [] if decl.start_kind is None else [decl.start_kind.span]
        start_spans += [] if decl.start_expression is None else [decl.start_expression.whole_span]
        for span in start_spans:
            message = f"`{decl.name.text}` is a pool of counters, so `start` needs a number for each kind"
            self.diagnostics.add(codes.BAD_ZONE, message, span, "write `start: {kind: number}`")
        if decl.is_sorted:
            message = f"`{decl.name.text}` is a pool of counters, and counters have no order"
            self.diagnostics.add(codes.BAD_ZONE, message, decl.name.span, "remove `sorted`")
        if decl.kinds is None:
            return tuple(range(len(self.names.enums[kind_enum.name].values)))
        ordinals: set[int] = set()
        for word in decl.kinds:
            ordinal = self.data_checker.resolve_value(kind_enum, word.text, word.span)
            if ordinal is not None:
                ordinals.add(ordinal)
        return tuple(sorted(ordinals))

    def _declare_card_zone(self, decl: model.ZoneDecl, holds: ComponentType, start_spans: dict[str, Span]) -> None:
        """Declare a zone of cards, and report keys and a start that don't fit.

        ``start_spans`` maps each kind that starts in a zone to that start; all cards of a kind can start only once.
        """
        name, span = decl.name.text, decl.name.span
        pool_keys = {"kinds": decl.kinds is not None, "unlimited": decl.is_unlimited, "moves": decl.moves is not None}
        for key in [key for key, is_given in pool_keys.items() if is_given]:
            message = f"`{name}` holds components, but `{key}` is only for pools of counters"
            self.diagnostics.add(codes.BAD_ZONE, message, span, f"remove `{key}`")
        if decl.start:
            message = f"`{name}` holds components, so it must start with all of a kind"
            self.diagnostics.add(codes.BAD_ZONE, message, decl.start[0][0].span, f"write `start: all {holds}`")
        if decl.start_kind is None:
            return
        start = decl.start_kind
        if start.text != holds.name:
            message = f"`{name}` holds `{holds}`, so `{start.text}` can't start there"
            self.diagnostics.add(codes.BAD_ZONE, message, start.span, f"write `start: all {holds}`")
        elif decl.per:
            message = f"`{name}` is several zones, but all `{holds}` must start in a single zone"
            self.diagnostics.add(codes.BAD_ZONE, message, start.span, "deal them in `setup`")
        elif holds.name in start_spans:
            message = f"all `{holds}` already start in another zone"
            notes = [(start_spans[holds.name], "here")]
            self.diagnostics.add(codes.BAD_ZONE, message, start.span, "remove one of the two", notes)
        start_spans.setdefault(start.text, start.span)

    # ------------------------------------------------------------ routines

    def _declare_routines(self) -> None:
        """Declare queries, effects, spans, durations, windows and actions, in this order."""
        for query in self.ruleset.queries:
            params = self.check_params(query.params)
            self._add_symbol(QuerySymbol(query.name.text, query.name.span, query.is_per_player, params))
        for effect in self.ruleset.effects:
            name, span = effect.name.text, effect.name.span
            if name in SOFT_KEYWORDS & set(STATEMENTS) - CALLABLE_KEYWORDS:  # a call would be parsed as the statement
                message = f"`{name}` begins a statement and can't be the name of an effect"
                self.diagnostics.add(codes.RESERVED_NAME, message, span, f"write `{name}_` or another word")
            self._add_symbol(EffectSymbol(name, span, effect.is_per_player, self.check_params(effect.params)))
        for state in self.ruleset.spans:
            dims = (core.Dim(PLAYER),) if state.is_per_player else ()
            self._add_symbol(SpanSymbol(state.name.text, state.name.span, dims, BOOL))
        for duration in self.ruleset.durations:
            dims = (core.Dim(PLAYER),) if duration.is_per_player else ()
            self._add_symbol(DurationSymbol(duration.name.text, duration.name.span, dims))
        for window in self.ruleset.windows:
            self._add_symbol(WindowSymbol(window.name.text, window.name.span, True, self.check_params(window.params)))
        for action in self.ruleset.actions:
            self._add_symbol(ActionSymbol(action.name.text, action.name.span))

    def check_params(self, params: Iterable[tuple[model.Word, model.Word]]) -> Parameters:
        """Return the names and types of parameters in order: ``{n: Int}`` gives ``(("n", INT),)``.

        Reports names that are words of the language, which stay in the result, and faulty types, which become NOTHING.
        A name that occurs twice stays twice, without a report.
        """
        parameters: list[tuple[str, Type]] = []
        for name, type in params:
            self.check_name(name.text, name.span)
            parameters.append((name.text, self.data_checker.check_type(type)))
        return tuple(parameters)

    def _declare_layers(self) -> None:
        for word in self.ruleset.layers:
            self.names.layers[word.text] = len(self.names.layers)


def check_option_value(option: core.Option, value: model.Value, report: Diagnostics) -> int | bool | None:
    """Return the value of an option: the index of ``value.data`` in ``option.values``, a whole number or a truth value.

    Returns None after reporting a value that the option can't have. ``option.default`` doesn't matter.
    """
    data, hint = value.data, None
    if option.values:
        if data in option.values:
            return option.values.index(str(data))
        message = f"the option `{option.name}` has no value `{data}`"
        hint = suggest_name(str(data), option.values) or f"its values are {quote_list(option.values)}"
    elif option.type == BOOL:
        if isinstance(data, bool):
            return data
        message = f"the option `{option.name}` is `true` or `false`"
    else:
        low, high = (INT_MIN, INT_MAX) if option.low is None or option.high is None else (option.low, option.high)
        if isinstance(data, int) and not isinstance(data, bool) and low <= data <= high:
            return data
        message = f"the option `{option.name}` is a whole number" + ("" if low == INT_MIN else f" from {low} to {high}")
    report.add(codes.BAD_OPTION, message, value.span, hint)
    return None


def _get_label(name: model.Word, label: str | None) -> str:
    """Return the written label, or the name in readable form."""
    return label if label is not None else humanise(name.text)


_VISIBLE = ("all", "owner", "nobody")


class PlaceChecker:
    """Check variables, pools and zones. Its methods return None if the name of the place is faulty."""

    def __init__(self, declarations: Declarations, texts: TextChecker, pictures: PictureChecker) -> None:
        self.declarations = declarations
        self.texts = texts
        self.names = texts.names
        self.report = texts.report
        self.pictures = pictures

    def _bind_indices(self, routine: Routine, symbol: PlaceSymbol, span: Span) -> None:
        """Bind the indices of a start value. Each has the name of its type in lower case; a player is also ``me``."""
        for dim in symbol.dims:
            name = to_snake_case(str(dim.source_type))
            if isinstance(dim.type, PlayerType) and routine.locals.find("me") is None:
                slot = routine.bind_me(span)
                routine.add_local(LocalName("player", slot, PLAYER, span, "player", is_exempt=True))
            elif dim.source_type == INT or routine.locals.find(name) or name in self.names.symbols:
                routine.locals.allocate_slot()
            else:
                routine.bind_unchecked(name, dim.source_type, span, "index")

    def check_variable(self, decl: model.VariableDecl) -> core.Variable | None:
        """Return a declared variable with its start value, visibility and label.

        Returns None without a report if its name is taken or an index is faulty, which was reported earlier. A missing
        start value is reported, even for an ``Int?``, and ``start`` is then a faulty expression. Not so if a picture of
        the board sets the variable: then ``start`` looks up the space in the picture. Where that has no entry, it is
        the written value, or else 0, false, empty or ``none``. A type without these is reported. A list of entries is
        looked up in the same way, and comes before the picture. A faulty start value or visibility is reported, too. An
        unknown word for the visibility then counts as ``all``. A variable of an unknown type has the type ``NOTHING``.
        """
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, VariableSymbol):
            return None
        routine = self.texts.make_routine(Owner("start", name))
        self._bind_indices(routine, symbol, decl.name.span)
        start = self._check_start(routine, decl, symbol)
        visible, phrase = self._check_visibility(decl.visible, symbol), "" if decl.phrase is None else decl.phrase.text
        place = _describe_place(decl, symbol, visible, routine.locals.n_slots)
        return core.Variable(*place, symbol.type, start, phrase=phrase)

    def _check_start(self, routine: Routine, decl: model.VariableDecl, symbol: VariableSymbol) -> core.Expr:
        """Return the start value of a variable, or a faulty expression after reporting that there is none.

        It comes from an expression, a list of entries or a picture of a board.
        """
        name, span = decl.name.text, decl.name.span
        entries = self.pictures.starts.get(name)
        if isinstance(decl.start, EmbeddedText):
            otherwise = check_value_text(routine, decl.start, symbol.type, f"to start `{name}` with")
        elif decl.start is not None or entries is not None:
            otherwise = self._make_default(symbol.type, decl)
        else:
            message = f"`variables.{name}`: `start` is missing"
            hint, subjects = "an expression: its value when the game begins", (f"start of {name}",)
            self.report.add(codes.MISSING_KEY, message, span, hint, subjects=subjects, is_consequence=True)
            return make_faulty(span)
        if isinstance(decl.start, tuple):
            entries = self._collect_entries(decl, decl.start, symbol)
        if entries is None or not symbol.dims:
            return otherwise
        return _make_entry_lookup(symbol.dims[0], entries, otherwise)

    def _make_default(self, type: Type, decl: model.VariableDecl) -> core.Expr:
        """Return the start value of entries that a list or picture leaves out, as a constant.

        It is 0, false, an empty text or list, or ``none`` for an optional type. Reports any other type, and returns a
        faulty expression.
        """
        value, span = get_default_value(type), decl.name.span
        if value is None and not isinstance(type, OptionalType):
            name, type_text = decl.name.text, prepend_article(f"`{type}`")
            message = f"`{name}` must begin with {type_text} wherever nothing is said of it"
            self.report.add(codes.WRONG_TYPE, message, span, f"make it a `{type}?`, or write a `start` for all")
            return make_faulty(span)
        return core.Const(type, span, value)

    def _collect_entries(
        self, decl: model.VariableDecl, listed_entries: Sequence[tuple[model.Word, model.Value]], symbol: VariableSymbol
    ) -> dict[int, object]:
        """Return the listed start values by index number.

        Returns {} after reporting that the variable has not just one enum as index.
        """
        values: dict[int, object] = {}
        index = symbol.dims[0].type if len(symbol.dims) == 1 else None
        if not isinstance(index, EnumType):
            message = f"`{decl.name.text}` can't begin with entries: it is not per one board or enum"
            self.report.add(codes.WRONG_TYPE, message, decl.name.span, "write an expression")
            return values
        check_value = self.declarations.data_checker.check_value
        for word, value in listed_entries:
            index_value = check_value(index, model.Value(word.text, False, word.span), "an index")
            if isinstance(index_value, int):
                values[index_value] = check_value(symbol.type, value, f"the entry `{word.text}` of `{decl.name.text}`")
        return values

    def check_pool(self, decl: model.ZoneDecl) -> core.Pool | None:
        """Return a declared pool with its start and visibility.

        The start has an expression for each value of the enum, in its order, and None for a kind without a written
        start: ``(None, Const 3)`` if only the second kind starts with 3. Returns None without a report for a zone of
        cards or a faulty declaration. Returns the pool after all other reports. Reports the keys ``top`` and ``bottom``
        in ``visible``, and other faults in ``visible`` and ``moves``. In the start, reports unknown kinds, which it
        leaves out, and values that are no Int, which become faulty expressions. Also reports kinds that the pool never
        holds and, if it is not unlimited, negative constants such as ``-3``; both stay in the start. Of a kind that is
        given by its name and its plural, the last value counts, after a report.
        """
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, PoolSymbol):
            return None
        for text in (decl.top, decl.bottom):
            if text is not None:
                message = "a pool has no top and no bottom, because counters have no order"
                hint = "write who sees the whole pool"
                self.report.add(codes.BAD_ZONE, message, text.whole_span, hint)
        routine = self.texts.make_routine(Owner("start", name))
        self._bind_indices(routine, symbol, decl.name.span)
        start: list[core.Expr | None] = [None] * len(self.names.list_value_names(symbol.holds))
        for word, text in decl.start:
            value = check_value_text(routine, text, INT, f"to start `{name}` with")
            ordinal = self.declarations.data_checker.resolve_value(symbol.holds, word.text, word.span)
            if ordinal is not None:
                check_pool_kind(routine, symbol, core.Const(symbol.holds, word.span, ordinal))
                if start[ordinal] is not None:
                    message = f"`{word.text}` is given twice, by its name and its plural"
                    self.report.add(codes.DUPLICATE_KEY, message, word.span, "remove one of the two")
                start[ordinal] = value
            if (
                isinstance(value, core.Const)
                and isinstance(value.value, int)
                and value.value < 0
                and not symbol.is_unlimited
            ):
                message = f"`{name}` can't begin with fewer than 0 of `{word.text}`"
                self.report.add(codes.OUT_OF_RANGE, message, value.span)
        visible, moves = self._check_visibility(decl.visible, symbol), self._check_visibility(decl.moves, symbol)
        place = _describe_place(decl, symbol, visible, routine.locals.n_slots)
        return core.Pool(*place, symbol.holds, symbol.kinds, tuple(start), symbol.is_unlimited, moves)

    def check_card_zone(self, decl: model.ZoneDecl) -> core.CardZone | None:
        """Return a declared zone of cards with its start and visibility.

        For ``all KIND``, even a wrong KIND, its ``start`` is the entity numbers of all cards that the zone can hold, in
        order, else (). An expression as start is its ``part_start``. ``top`` and ``bottom`` are None if their
        visibility is not declared. Returns None, without a report, for a zone of counters. It also does so for faults
        that were reported before: a name that is taken, or a faulty ``per`` or ``holds``. A wrong KIND and a reserved
        name such as ``if`` were reported before, too, but give a zone. Reports faults in an expression as start and in
        visibilities. Also reports an end that fewer players see than the rest, and any condition as an end of a zone
        that ``all`` see. After these reports it still returns the zone.
        """
        name = decl.name.text
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, ZoneSymbol):
            return None
        kind = self.names.kinds[symbol.holds.name]
        start = tuple(range(kind.start, kind.start + kind.size)) if decl.start_kind is not None else ()
        visible, top, bottom = (self._check_visibility(text, symbol) for text in (decl.visible, decl.top, decl.bottom))
        end_visibilities = None if decl.top is None else top, None if decl.bottom is None else bottom
        for text, end in ((decl.top, top), (decl.bottom, bottom)):
            if text is not None and _is_less_visible(end, visible):
                message = "fewer players see the card at this end than the rest of the zone"
                hint = "let everybody who sees the zone also see its ends"
                self.report.add(codes.HIDDEN_END, message, text.whole_span, hint)
        start_of, n_slots = None, 0
        if decl.start_expression is not None:
            routine = self.texts.make_routine(Owner("start", name))
            self._bind_indices(routine, symbol, decl.name.span)
            start_of = check_value_text(routine, decl.start_expression, ListType(symbol.holds), f"to begin in `{name}`")
            n_slots = routine.locals.n_slots
        place = _describe_place(decl, symbol, visible, n_slots)
        return core.CardZone(*place, symbol.holds, start, *end_visibilities, start_of, decl.is_sorted)

    def _check_visibility(self, text: EmbeddedText | None, symbol: PlaceSymbol) -> core.Visibility:
        """Return the visibility of a place: ``all`` without a text.

        It is written as a word (``all``, ``owner``, ``nobody``), or as a condition on ``viewer`` and ``owner``, which
        have the slots 0 and 1. An unknown word is reported and counts as ``all``.
        """
        if text is None:
            return core.Visibility("all", None)
        word = text.text.strip()
        if word in _VISIBLE:
            if word == "owner" and not symbol.is_per_player:
                message = f"`{symbol.name}` has no owner: its first dimension is not `Player`"
                self.report.add(codes.BAD_DIMENSION, message, text.whole_span, "write `all`, `nobody` or a condition")
            return core.Visibility(word, None)
        if hint := _suggest_visibility(word, [*self.names.symbols, "viewer", "owner", "true", "false"]):
            fixes = [replace_text(text.whole_span, visibility_word) for visibility_word in _VISIBLE[::-1]]
            if "mean" in hint:  # it suggests one of them
                fixes = []
            message, subjects = f"unknown name `{word}`", name_subjects(word)
            self.report.add(codes.UNKNOWN_NAME, message, text.whole_span, hint, subjects=subjects, fixes=fixes)
            return core.Visibility("all", None)
        routine = self.texts.make_routine(Owner("visible", symbol.name))
        routine.bind_unchecked("viewer", PLAYER, text.whole_span, "player")
        routine.bind_unchecked("owner", PLAYER, text.whole_span, "player")
        condition = check_value_text(routine, text, BOOL, "as a condition")
        return core.Visibility(None, condition, routine.locals.n_slots)


def _describe_place(
    decl: model.VariableDecl | model.ZoneDecl, symbol: PlaceSymbol, visible: core.Visibility, n_slots: int
) -> tuple[str, tuple[core.Dim, ...], core.Visibility, str, str, int]:
    """Return the fields that all places have."""
    return symbol.name, symbol.dims, visible, _get_label(decl.name, decl.label), decl.doc, n_slots


def _is_less_visible(end: core.Visibility, zone: core.Visibility) -> bool:
    """Return whether fewer players see an end of a zone than the rest of it.

    Conditions are compared only as far as they are known.
    """
    if end.constant is None or zone.constant is None:
        return zone.constant == "all" or end.constant == "nobody"
    return _VISIBLE.index(end.constant) > _VISIBLE.index(zone.constant)


def _make_entry_lookup(dim: core.Dim, entries: Mapping[int, object], otherwise: core.Expr) -> core.Expr:
    """Return an expression that looks up the index in slot 0 among entries, or gives ``otherwise``.

    Entries with the same value share a branch: ``if index in [a1, b1] then P1 else …``. Branches are in the order in
    which the entries first have their value. Without entries, returns ``otherwise``.
    """
    numbers: dict[object, list[int]] = {}
    for number, value in entries.items():
        numbers.setdefault(value, []).append(number)
    span, type, lookup = otherwise.span, otherwise.type, otherwise
    index = core.Local(dim.type, span, 0, to_snake_case(str(dim.type)))
    for value, numbers_of_value in reversed(numbers.items()):
        indices = core.Const(ListType(dim.type), span, tuple(numbers_of_value))
        is_listed = core.Binary(BOOL, span, "in", index, indices)
        lookup = core.IfExpr(type, span, is_listed, core.Const(type, span, value), lookup)
    return lookup


def _suggest_visibility(word: str, known_names: Sequence[str]) -> str | None:
    """Return a hint for an unknown word in place of a visibility. None if it is a known name or an expression."""
    if not word.isidentifier() or word in known_names:
        return None
    return suggest_name(word, _VISIBLE) or (
        "write `all`, `owner` (the player it belongs to), `nobody`, or a condition such as `viewer is owner.next`"
    )
