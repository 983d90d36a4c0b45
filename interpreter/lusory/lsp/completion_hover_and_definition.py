"""Answer questions about a place in a buffer: what can stand there, what stands there, and where it is declared.

The answers come from the buffer and the last check, and know nothing of the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from lusory_dsl.checker.symbol_table import (
    ActionSymbol,
    CallableSymbol,
    EffectSymbol,
    PlaceSymbol,
    PoolSymbol,
    Symbol,
    VariableSymbol,
    ZoneSymbol,
)
from lusory_dsl.core import Program
from lusory_dsl.core.board_geometry import COMPASS, DIRECTIONS
from lusory_dsl.formatter.yaml_layout import SchemaField
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import Source, Span
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS, NOTATIONS, STATEMENTS
from lusory_dsl.syntax.lark_parse_trees_and_indentation import ParseFault, get_terminal_spellings, parse_tree
from lusory_dsl.types.builtin_functions_members_and_statements import (
    BUILTINS,
    FUNCTIONS,
    MEMBERS,
    SPACE_MEMBERS,
    SubjectKind,
)
from lusory_dsl.types.types import PLAYER, ComponentType, EnumType, ListType, OptionalType, PlayerType, Type
from lusory_dsl.yaml.reader import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    list_entries,
    read_text,
    to_plain_data,
    walk_nodes,
)

from .cursor_context import Cursor, blank_quoted_words
from .name_index import LANGUAGE_NAMES, FileIndex, Index, get_symbol_type
from .project_lookup_and_checks import CheckResult

MOST_ITEMS = 500
_RECEIVER = re.compile(r"(?:\b(\w+)|(\)|\]))\.\w*$")
_NEW_NAME = re.compile(r"\b(?:let|each|as|for|option|over)\s+$")
_STATEMENT_HEADS = ("stop", "option", "whenever")
"""Words that the grammar allows only where a statement, an option or a rule begins."""
_BEFORE_EVENT = re.compile(r"(?:^|\n)\s*(?:when|instead\s+of)\s+$")
_NAME_AT_END = re.compile(r"\w+$")
_MOVES = re.compile(r"\b(?:(?:move|enters|leaves|entering)\b.*\b(?:to|from)|enters|leaves|entering|in|any)\s+\w*$")
_COMPARES = re.compile(r"(\w+)\s*(?:=|!=|\bis\b|\bto\b)\s*\w*$")
_NEXT_SPACE = "The next space in this direction; `none` beyond the edge."
_DECIDING = ("do", "legal", "legal_includes", "illegal")
# fmt: off
PROSE = frozenset((
    "label", "doc", "text", "title", "plural", "about", "name", "aim", "know", "preparation", "end", "because",
    "phrase", "says", "id",
))
# fmt: on
"""Keys whose values are for people, not for the rules."""
_VERBS = {builtin.name: builtin for builtin in BUILTINS if builtin.kind == "verb"}
_CONSTANTS = {
    "me": "The player who acts.",
    "players": "All players, in the order of seats.",
    "true": "The condition holds.",
    "false": "The condition does not hold.",
    "none": "No value.",
    "this": "The card that has this text.",
    "it": "The item that a condition with `where` is about.",
}


@dataclass(frozen=True)
class Item:
    """Something that can be written at the cursor.

    Attributes:
        kind: The kind of thing, such as ``variable``, ``key`` or ``statement``.
        detail: Its type or signature.
        doc: A sentence about it.
        insert: The text to write, if it differs from ``label``. ``$1`` marks a place to fill in.
    """

    label: str
    kind: str
    detail: str = ""
    doc: str = ""
    insert: str | None = None


# ---------------------------------------------------------------- completion


def complete(cursor: Cursor, file: FileIndex, offset: int, check: CheckResult) -> list[Item]:
    """Return what can be written at a cursor: items whose label begins with ``cursor.word``, whatever the case.

    The most likely come first. There are at most :data:`MOST_ITEMS`, and only the first of each label. Without a word,
    all items fit. ``check`` is the last check, ``file`` its index of the cursor's file, and ``offset`` the cursor's
    place in that file.
    """
    prefix = cursor.word.casefold()
    items: dict[str, Item] = {}
    for item in _iterate_candidates(cursor, file, offset, check):
        if item.label.casefold().startswith(prefix):
            items.setdefault(item.label, item)
    return list(items.values())[:MOST_ITEMS]


def _iterate_candidates(cursor: Cursor, file: FileIndex, offset: int, check: CheckResult) -> Iterator[Item]:
    """Yield what can be written at a cursor, the most likely first. The same name can occur twice.

    At a key these are the keys of the schema, and at other data its values. Behind a dot they are members, and
    elsewhere in effect text what the grammar allows.
    """
    index = check.index
    if cursor.is_key:
        for key, description in cursor.field.keys.items():
            yield Item(key, "key", doc=description, insert=f"{key}: ")
        if cursor.is_in_case and check.program is not None:
            yield from _iterate_case_keys(cursor, check.program, index)
    if cursor.is_key and cursor.text is None:
        return
    if not cursor.is_code and not cursor.is_key:
        yield from (Item(word, "value") for word in cursor.field.values)
        if cursor.is_in_case and check.program is not None:
            yield from _iterate_case_values(cursor, check.program, index)
        elif cursor.field.language is None and not cursor.field.values:
            yield from _iterate_data(cursor, index)
    elif (receiver := _RECEIVER.search(cursor.before)) is not None:
        card_type = _find_type_of_this(cursor, index) if receiver[1] == "this" else None
        yield from list_members(card_type or find_type(receiver[1] or "", file, offset, index), index)
    else:
        yield from _iterate_allowed(cursor, file, offset, index)


def _iterate_allowed(cursor: Cursor, file: FileIndex, offset: int, index: Index) -> Iterator[Item]:
    """Yield the statements, events, parameters or values that the grammar allows, and the words of the language.

    Where a new name comes next, only words of the language are yielded. After a mistake in the same text, the grammar
    excludes nothing.
    """
    text = cursor.text or ""
    expected = find_expected(cursor.start_rule, text)
    words = _spell(expected) if expected else KEYWORDS.union(STATEMENTS)
    if not expected or not words.isdisjoint(_STATEMENT_HEADS):
        yield from _iterate_statements(words)
    if _BEFORE_EVENT.search(text):
        yield from _iterate_events(index)
    elif "INT" not in expected and (call := find_call(cursor, index)) is not None:
        yield from (Item(name, "parameter", type) for name, _, type in (param.partition(": ") for param in call[1]))
    elif not expected or ("NAME" in expected and not _is_name_due(text, expected)):
        yield from _iterate_zones_and_enum_values(cursor, file, offset, index)
        yield from _iterate_values(cursor, file, offset, index)
    yield from (Item(word, "keyword") for word in sorted(words - _CONSTANTS.keys()))


def find_expected(start: str, text: str) -> frozenset[str]:
    """Return the names of the grammar's terminals that can follow ``text``, such as ``NAME`` and ``INT``. Empty if
    ``text`` has a mistake.

    ``start`` is the start rule of the grammar, such as ``block``.
    """
    result, _ = parse_tree(start, f"{text}\u00a4")
    return result.expected if isinstance(result, ParseFault) and result.start >= len(text) else frozenset()


def _is_name_due(text: str, expected: frozenset[str]) -> bool:
    """Return whether a new name comes next, of a local or an option."""
    return "SECRET" in expected or ("INT" not in expected and _NEW_NAME.search(text) is not None)


def _spell(terminals: frozenset[str]) -> frozenset[str]:
    spellings = get_terminal_spellings()
    return frozenset(word for terminal in terminals if (word := spellings.get(terminal, "")).isalpha())


def _iterate_events(index: Index) -> Iterator[Item]:
    """Yield the effects, phases and variables that a rule can react to."""
    for name, symbol in index.names.symbols.items():
        if isinstance(symbol, EffectSymbol):
            yield Item(name, symbol.kind, _format_signature(name, symbol), _get_doc(symbol.span))
    for phase in index.names.phases:
        yield from (Item(f"{phase} {verb}", "phase") for verb in ("begins", "ends"))
    for name, symbol in index.names.symbols.items():
        if isinstance(symbol, VariableSymbol):
            yield Item(f"{name} changes", symbol.kind, str(symbol.type), _get_doc(symbol.span))
    yield Item("this", "constant", doc=_CONSTANTS["this"])


def _iterate_case_keys(cursor: Cursor, program: Program, index: Index) -> Iterator[Item]:
    """Yield seats, and in a position also the places and cards that can have a content."""
    is_position = not {"given", "position", "positions"}.isdisjoint(cursor.keys)
    if is_position or cursor.field.has_key_pattern("P1"):
        yield from (Item(seat, "player", insert=f"{seat}: ") for seat in _list_seats(program))
    if is_position:
        for name, symbol in index.names.symbols.items():
            if isinstance(symbol, PlaceSymbol) and "." not in name:
                yield Item(name, symbol.kind, insert=f"{name}: ")


def _iterate_case_values(cursor: Cursor, program: Program, index: Index) -> Iterator[Item]:
    """Yield the words that the ids of options have, or what can be in a place of a position."""
    if any(key in _DECIDING for key in cursor.keys):
        for name, symbol in index.names.symbols.items():
            if isinstance(symbol, ActionSymbol):
                yield Item(name.rpartition(".")[2], "action", doc=_get_doc(symbol.span))
        yield Item("none", "option", doc="Choose nothing, or stop choosing.")
    elif not {"given", "position", "positions"} & set(cursor.keys):
        return
    yield from (Item(name, "card") for name in index.names.constants)
    yield from _iterate_enum_values(index)
    yield from (Item(seat, "player") for seat in _list_seats(program))


def _list_seats(program: Program) -> list[str]:
    return [f"P{number}" for number in range(1, program.max_players + 1)]


def _iterate_data(cursor: Cursor, index: Index) -> Iterator[Item]:
    """Yield the values of a card's field of an enum type. At any other key yield all names, or none if it is prose."""
    for kind in index.names.kinds.values():
        type = kind.fields.get(cursor.keys[-1] or "") if cursor.keys else None
        if isinstance(type, EnumType):
            yield from _iterate_enum_values(index, type)
            return
    if not cursor.keys or cursor.keys[-1] not in PROSE:
        yield from (Item(name, "type") for name in index.names.list_type_names())
        yield from (Item(name, symbol.kind) for name, symbol in index.names.symbols.items() if "." not in name)


def _iterate_zones_and_enum_values(cursor: Cursor, file: FileIndex, offset: int, index: Index) -> Iterator[Item]:
    """Yield what the words in front of the cursor ask for: zones to move between, or values of an enumeration."""
    if _MOVES.search(cursor.before):
        for name, symbol in index.names.symbols.items():
            if isinstance(symbol, ZoneSymbol | PoolSymbol) and "." not in name:
                yield Item(name, symbol.kind, _format_signature(name, symbol), _get_doc(symbol.span))
    comparison = _COMPARES.search(cursor.before)
    type = None if comparison is None else find_type(comparison[1], file, offset, index)
    type = type.item if isinstance(type, OptionalType) else type
    if isinstance(type, EnumType):
        yield from _iterate_enum_values(index, type)


def _iterate_enum_values(index: Index, type: EnumType | None = None) -> Iterator[Item]:
    """Yield the values of an enumeration, or of all if ``type`` is None."""
    for value in chain.from_iterable(index.names.values.values()):
        if type is None or value.enum.name == type.name:
            yield Item(value.name, "value", value.enum.name)


def _iterate_statements(words: frozenset[str]) -> Iterator[Item]:
    for word in (word for word in NOTATIONS if word in words):
        shape = NOTATIONS[word].split("`")[0]
        doc = _VERBS[word].doc if word in _VERBS else ""
        # as a snippet, in which what follows the first word is selected
        first_word, *other_words = shape.replace("…", "").rstrip().split(" ")
        snippet = f"{first_word} ${{1:{' '.join(other_words)}}}".replace("}", "\\}", shape.count("}"))
        yield Item(word, "statement", shape, doc, snippet if other_words else shape)


def _iterate_values(cursor: Cursor, file: FileIndex, offset: int, index: Index) -> Iterator[Item]:
    kind = _find_type_of_this(cursor, index)
    if kind is not None:
        yield Item("this", "constant", str(kind), _CONSTANTS["this"])
    for name, local in file.find_locals(offset).items():
        yield Item(name, "local", str(local.type), f"A {local.kind} of this text.")
    for name, symbol in index.names.symbols.items():
        if "." not in name:
            yield Item(name, symbol.kind, _format_signature(name, symbol), _get_doc(symbol.span))
    yield from _iterate_enum_values(index)
    yield from (Item(name, "card") for name in index.names.constants)
    yield from (Item(name, "constant", doc=doc) for name, doc in _CONSTANTS.items() if name != "this")
    for name, builtin in FUNCTIONS.items():
        yield Item(name, "function", builtin.signature, builtin.doc, f"{name}($1)")


def _find_type_of_this(cursor: Cursor, index: Index) -> Type | None:
    """Return the kind of the card that ``this`` means in a text of a card or a kind, or None elsewhere."""
    section, name = (key or "" for key in (*cursor.keys, "", "")[:2])
    if section not in ("cards", "components"):
        return None
    card = index.names.constants.get(name) if section == "cards" else None
    return card.type if card is not None else ComponentType(name) if name in index.names.kinds else None


def list_members(type: Type | None, index: Index) -> Iterator[Item]:
    """Yield the members of a value of ``type``, or those of all types if ``type`` is None.

    First come the fields of a component's kind and the names that the ruleset declares for it. For a player, the first
    are the names declared for players. Then come the built-in members that fit the type, and the directions of a
    space's board. The rows of ``SPACE_MEMBERS`` that fit come last. Each is for one sort of subject: a space, a
    direction, a line, a list of spaces, or a player if a board has ``facing``. If ``type`` is None, all rows fit. In a
    ruleset without a board, no row fits. An optional type counts as its item. The same name can occur twice.
    """
    names = index.names
    if isinstance(type, OptionalType):
        type = type.item
    if isinstance(type, ComponentType | None):
        kinds = [kind for kind in names.kinds if type is None or kind == type.name]
        for kind in kinds:
            yield from (Item(name, "field", str(field)) for name, field in names.kinds[kind].fields.items())
        for name, symbol in names.symbols.items():
            kind, _, member = name.partition(".")
            if member and kind in kinds and " " not in member:
                yield Item(member, symbol.kind, _format_signature(member, symbol), _get_doc(symbol.span))
    if isinstance(type, PlayerType | None):
        for name, symbol in names.symbols.items():
            if getattr(symbol, "is_per_player", False) and "." not in name:
                yield Item(name, symbol.kind, _format_signature(name, symbol), _get_doc(symbol.span))
    for name, builtin in MEMBERS.items():
        if type is None or _fits(str(builtin.params[0].type), type):
            yield Item(name, "member", builtin.signature, builtin.doc)
    for board in names.boards.values():
        if type is None or str(type) == board.name:
            for number in board.direction_indices:
                direction = DIRECTIONS[board.directions or COMPASS][number]
                yield Item(direction, "member", f"{board.name}?", _NEXT_SPACE)
    subject_kind = _find_subject_kind(type, index)
    for row in SPACE_MEMBERS if names.boards else ():
        if type is None or row.subject_kind == subject_kind:
            yield Item(row.name, "member", row.type, row.doc)


def _find_subject_kind(type: Type | None, index: Index) -> SubjectKind | None:
    """Return which rows of ``SPACE_MEMBERS`` are members of a type that is not optional, or None if none are."""
    boards = index.names.boards
    match type:
        case PlayerType() if any(board.facing for board in boards.values()):
            return "seat"
        case ListType(item=EnumType(name=name)) if name in boards:
            return "list"
        case EnumType(name=name) if name in boards:
            return "space"
        case EnumType(name=name) if name in DIRECTIONS:
            return "direction"
        case EnumType(name=name) if any(lines.enum == name for board in boards.values() for lines in board.lines):
            return "line"
    return None


def _fits(expected: str, type: Type) -> bool:
    match type:
        case ListType():
            return expected.startswith("List") or expected in ("zone", "kind")
        case ComponentType():
            return expected == "card"
        case EnumType():
            return expected in ("enum", "pool")
    return expected == str(type)


def find_type(name: str, file: FileIndex, offset: int, index: Index) -> Type | None:
    """Return the type of a name's value, or None if it is unknown or the name has no value.

    The first of these counts: a local in scope at ``offset``, the use of the name nearest to ``offset``, the word
    ``holder``, which is a Player, and a name of the ruleset. The type of a zone is a list of its cards, and that of a
    pool the enum that it holds. A query without any use gives None. A component kind or enum without any use gives the
    type of its items: Card, and with a use ``List[Card]``.
    """
    local = file.find_locals(offset).get(name)
    if local is not None:
        return local.type
    use = file.find_nearest(name, offset)
    if use is None and name == "holder":
        return PLAYER
    named = use or index.names.symbols.get(name)
    type = get_symbol_type(named)
    return ListType(type) if type is not None and named is not None and named.kind == "zone" else type


def _format_signature(name: str, symbol: Symbol) -> str:
    if isinstance(symbol, CallableSymbol):
        params = ", ".join(f"{param}: {type}" for param, type in symbol.params)
        return f"{name}({params})"
    type = get_symbol_type(symbol)
    return "" if type is None else str(type)


# ---------------------------------------------------------------- hover and signatures


def describe(word: str, file: FileIndex, offset: int, index: Index, cursor: Cursor) -> str | None:
    """Return Markdown about a name, or None if it is unknown.

    It begins with a fenced block of the language ``text``, such as ``variable coins: Int`` between the fences. An empty
    line and the doc follow if there is one. In effect text, the use nearest to ``offset`` counts if it has a
    declaration. Otherwise words of the language come before names of the ruleset. Functions, most members and most
    statements have an example after the doc. Members of spaces and constants such as ``me`` have no example, and
    ``move`` and ``for``, for instance, only the block. A keyword in a statement, such as ``by``, gives only a block
    with all notations of that statement, one a line. A keyword in no notation, such as ``empty``, gives None, and so
    does a new name unless the last check knows it there. Outside effect text, a key of the schema gives its description
    without a block, and any other word is looked up among the names of the ruleset.
    """
    if not cursor.is_code:
        return (cursor.field.keys.get(word) if cursor.is_key else None) or _describe_declaration(word, index)
    start, text = offset - len(cursor.word), cursor.text or ""
    use = file.find_nearest(word, start)
    if use is None or start not in (use.start, use.definition and use.definition.start):
        expected = find_expected(cursor.start_rule, text)
        words = _spell(expected)
        is_function = word in FUNCTIONS and "secret" not in words
        if word in words and not is_function and word not in _CONSTANTS and words.isdisjoint(_STATEMENT_HEADS):
            # the notation of the last statement in the text whose notation has the word
            heads = reversed(re.findall(r"\w+", text))
            notations = (NOTATIONS[head].replace("` or `", "\n") for head in heads if head in NOTATIONS)
            notation = next((notation for notation in notations if re.search(rf"\b{word}\b", notation)), None)
            return None if notation is None else _format_markdown(notation, "")
        if word not in words and _is_name_due(text, expected):
            return None
    type = "" if use is None or use.type is None else f": {use.type}"
    if use is not None and use.definition is not None:
        symbol = index.names.symbols.get(word)
        detail = _format_signature(word, symbol) if isinstance(symbol, CallableSymbol) else f"{word}{type}"
        return _format_markdown(f"{use.kind} {detail}", _get_doc(use.definition))
    for table in (FUNCTIONS, MEMBERS, _VERBS):
        if word in table:
            row = table[word]
            signature = NOTATIONS.get(word, word).split("`")[0] if row.kind == "verb" else row.signature
            return _format_markdown(signature, f"{row.doc}\n\nExample: `{row.example}`")
    for space_member in SPACE_MEMBERS:
        if space_member.name == word:
            return _format_markdown(f"{word} -> {space_member.type}", space_member.doc)
    if word in NOTATIONS:
        return _format_markdown(NOTATIONS[word].split("`")[0], "")
    if word in _CONSTANTS:
        return _format_markdown(f"{word}{type}", _CONSTANTS[word])
    if use is not None:
        return _format_markdown(f"{use.kind} {word}{type}", "")
    return _describe_declaration(word, index)


def _describe_declaration(word: str, index: Index) -> str | None:
    symbol = index.names.symbols.get(word)
    if symbol is None:
        return None
    detail = _format_signature(word, symbol)
    signature = detail if detail.startswith(word) else f"{word}: {detail}" if detail else word
    return _format_markdown(f"{symbol.kind} {signature}", _get_doc(symbol.span))


def _format_markdown(code: str, doc: str) -> str:
    return f"```text\n{code}\n```\n\n{doc}".strip()


def find_call(cursor: Cursor, index: Index) -> tuple[str, list[str], int, str] | None:
    """Return the innermost open call around a cursor: its signature, its parameters, the current one, and its doc.

    Behind ``max(1, `` the first three are ``"max(xs: List[Int]) -> Int", ["xs: List[Int]"], 1``: the current parameter
    is a number from 0, which is too large if there are more arguments. Calls of effects and queries of the ruleset have
    no ``->``. The doc is "" if there is none. Returns None outside effect text, if the name of the innermost call can't
    be called, and without a call that is opened on the cursor's line.
    """
    open_call = _open_call(blank_quoted_words(cursor.before, cursor.field.language)) if cursor.is_code else None
    if open_call is None:
        return None
    name, number = open_call
    if name in FUNCTIONS:
        row = FUNCTIONS[name]
        return row.signature, [f"{parameter.name}: {parameter.type}" for parameter in row.params], number, row.doc
    symbol = index.names.symbols.get(name)
    if not isinstance(symbol, CallableSymbol):
        return None
    params = [f"{param}: {type}" for param, type in symbol.params]
    return f"{name}({', '.join(params)})", params, number, _get_doc(symbol.span)


def _open_call(text: str) -> tuple[str, int] | None:
    """Return the name of the innermost call that effect text leaves open, and how many commas it has so far."""
    depth = commas = 0
    for position in range(len(text) - 1, -1, -1):
        character = text[position]
        if character in ")]}":
            depth += 1
        elif character in "([{" and depth:
            depth -= 1
        elif character == "(":
            if (name := _NAME_AT_END.search(text[:position])) is not None:
                return name[0], commas
            commas = 0
        elif character in "[{":
            commas = 0
        elif character == "," and depth == 0:
            commas += 1
    return None


# ---------------------------------------------------------------- declarations


def find_definition(word: str, file: FileIndex, offset: int, index: Index, is_code: bool) -> Span | None:
    """Return the span of the declaration of ``word``, or None.

    With ``is_code`` (effect text), the use of ``word`` nearest to ``offset`` counts (of two, the earlier one), if it
    has a declaration. Otherwise a local in scope at ``offset`` counts, or else a name of the ruleset. Without
    ``is_code``, only names of the ruleset count, which are the keys of ``index.names.symbols``. An enum value is none
    of them, so only its use leads to it. Cards, phases, fields of components and names that the language defines give
    None, unless something that counts has the same name: ``card.gold`` leads to a variable ``gold``, if there is one.
    """
    if is_code:
        use = file.find_nearest(word, offset)
        if use is not None and use.definition is not None:
            return use.definition
        local = file.find_locals(offset).get(word)
        if local is not None and word not in LANGUAGE_NAMES:
            return local.span
    symbol = index.names.symbols.get(word)
    return None if symbol is None or not symbol.span.end else symbol.span


def read_docs(index: Index) -> None:
    """Read the texts in ``doc`` of all declarations that completion may show, so that no question waits for them."""
    for symbol in index.names.symbols.values():
        _get_doc(symbol.span)


def _get_doc(span: Span) -> str:
    """Return the text in ``doc`` of the declaration whose name is at ``span``, or ""."""
    return _read_docs(span.source).get(span.start, "")


@lru_cache(maxsize=64)
def _read_docs(source: Source) -> dict[int, str]:
    """Return the texts in ``doc`` of the declarations in a file, by the start of the declared name."""
    docs: dict[int, str] = {}
    for node in walk_tree(source):
        for key, value in list_entries(node):
            doc = value.get("doc") if isinstance(value, YamlMapping) else None
            if isinstance(doc, YamlScalar):
                docs[key.span.start] = str(to_plain_data(doc))
    return docs


def walk_scalars(source: Source) -> Iterator[tuple[YamlScalar, str | None, bool]]:
    """Yield each scalar of a file in order, with its language and whether it is prose.

    The language is None for a key, and for a value without effect text. Values of the keys in :data:`PROSE` are prose,
    and so are keys that the schema lists. Yields nothing if the file can't be read.
    """
    root = read_tree(source)
    if root is not None:
        yield from _walk_scalars_in(root, SchemaField.load_for_file(root))


def _walk_scalars_in(
    node: YamlNode, field: SchemaField, is_prose: bool = False
) -> Iterator[tuple[YamlScalar, str | None, bool]]:
    match node:
        case YamlScalar():
            yield node, field.language, is_prose
        case YamlSequence(items=items):
            for item in items:
                yield from _walk_scalars_in(item, field.descend_to_item(), is_prose)
        case YamlMapping(entries=entries):
            for key, value in entries:
                yield key, None, field.lists_key(key.text)
                yield from _walk_scalars_in(value, field.descend_to_key(key.text), key.text in PROSE)


def walk_tree(source: Source) -> Iterator[YamlNode]:
    """Yield all nodes of a file in order, as :func:`walk_nodes` does. Yields nothing if it can't be read."""
    root = read_tree(source)
    return iter(()) if root is None else walk_nodes(root)


@lru_cache(maxsize=64)
def read_tree(source: Source) -> YamlNode | None:
    """Return the YAML tree of a file, from a small cache. None if the text can't be read or is a sheet."""
    return None if source.name.endswith(".csv") else read_text(source, Diagnostics())
