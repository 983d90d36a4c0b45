"""Describe a whole buffer: its colours, the parts that can be folded, hints between words, and cases.

Everything comes from the buffer as it is now. The last check only says what the names stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lusory_dsl.checker.symbol_table import ActionSymbol, CallableSymbol, Names
from lusory_dsl.source.source import Source
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS, STATEMENTS
from lusory_dsl.types.builtin_functions_members_and_statements import FUNCTIONS
from lusory_dsl.yaml.reader import YamlMapping, YamlScalar, YamlSequence, list_entries

from .completion_hover_and_definition import read_tree, walk_scalars, walk_tree
from .name_index import Index

KEYWORD, NUMBER, STRING, COMMENT, FUNCTION = "keyword", "number", "string", "comment", "function"
METHOD, VARIABLE, VALUE, PROPERTY = "method", "variable", "enumMember", "property"
TOKEN_KINDS = (KEYWORD, NUMBER, STRING, COMMENT, FUNCTION, METHOD, VARIABLE, VALUE, PROPERTY)
"""The kinds of tokens, by their names in the protocol."""

_TOKEN = re.compile(r'(?P<comment>#[^\n]*)|(?P<string>"[^"\n]*"?)|(?P<number>\d+)|(?P<dot>\.?)(?P<name>[A-Za-z_]\w*)')
_BRACES = re.compile(r"\{([^{}]*)\}")
_CALL = re.compile(r"(?<![\w.])([a-z_]\w*)\(")


@dataclass(frozen=True)
class Token:
    """A coloured word: characters ``start`` to ``end`` of a text, in one line. ``kind`` is in :data:`TOKEN_KINDS`."""

    start: int
    end: int
    kind: str


# ---------------------------------------------------------------- effect texts


def _find_ranges(source: Source) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each effect text in a file, in order and without quotes around it.

    In texts for players, these are the parts in braces. Nothing is yielded if the file can't be read.
    """
    for scalar, language, _ in walk_scalars(source):
        start, end = scalar.span.start, scalar.span.end
        if language is None or start == end:
            continue
        if source.text[start] in "\"'":
            start, end = start + 1, end - 1
        if language != "template":
            yield start, end
        else:
            yield from ((braces.start(1), braces.end(1)) for braces in _BRACES.finditer(source.text, start, end))


def list_tokens(source: Source, index: Index) -> list[Token]:
    """Return the coloured words of all effect texts in a file, in order. Empty if the file can't be read.

    Words that the last check did not know are left to the grammar of the editor.
    """
    tokens = [token for start, end in _find_ranges(source) for token in _scan_tokens(source.text, start, end, index)]
    return sorted(tokens, key=lambda token: token.start)


def _scan_tokens(text: str, start: int, end: int, index: Index) -> Iterator[Token]:
    for match in _TOKEN.finditer(text, start, end):
        if match["name"]:
            kind = PROPERTY if match["dot"] else _classify_name(match["name"], index)
            if kind is not None:
                yield Token(match.start("name"), match.end(), kind)
        elif match["string"]:
            segment_start = match.start()
            for braces in _BRACES.finditer(text, match.start(), match.end()):
                yield Token(segment_start, braces.start(1), STRING)
                yield from _scan_tokens(text, braces.start(1), braces.end(1), index)
                segment_start = braces.end(1)
            yield Token(segment_start, match.end(), STRING)
        else:
            yield Token(match.start(), match.end(), COMMENT if match["comment"] else NUMBER)


def _classify_name(name: str, index: Index) -> str | None:
    names = index.names
    symbol = names.symbols.get(name)
    if isinstance(symbol, CallableSymbol | ActionSymbol):
        return METHOD
    if symbol is not None or name in index.local_names:
        return VARIABLE
    if name in KEYWORDS or name in STATEMENTS:
        return KEYWORD
    if name in FUNCTIONS:
        return FUNCTION
    return VALUE if name in names.constants or name in names.values else None


# ---------------------------------------------------------------- hints


def list_argument_hints(source: Source, names: Names) -> Iterator[tuple[int, str]]:
    """Yield the offset of each argument of an effect or query, behind blanks, with the name of its parameter, in order.

    Arguments that contain this name as a word are left out. ``names`` are the declared ones.
    """
    for start, end in _find_ranges(source):
        for call in _CALL.finditer(source.text, start, end):
            symbol = names.symbols.get(call[1])
            if not isinstance(symbol, CallableSymbol):
                continue
            arguments = _split_arguments(source.text, call.end(), end)
            for (offset, argument), (param, _) in zip(arguments, symbol.params, strict=False):
                if argument.strip() and param not in re.findall(r"\w+", argument):
                    yield offset + len(argument) - len(argument.lstrip()), param


def _split_arguments(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the start and text of each argument, from behind the opening parenthesis to the closing one."""
    depth, argument_start, is_quoted = 0, start, False
    for position in range(start, end):
        character = text[position]
        if character == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif character in "([{":
            depth += 1
        elif (character == "," and depth == 0) or (character in ")]}" and depth == 0):
            yield argument_start, text[argument_start:position]
            argument_start = position + 1
            if character != ",":
                return
        elif character in ")]}":
            depth -= 1


# ---------------------------------------------------------------- folding and cases


def list_folds(source: Source) -> list[tuple[int, int]]:
    """Return (first line, last line) of each key with its value, and of each list item, if it has several lines.

    Lines count from 0, and the pairs are sorted. A list item begins at its content, not at its dash. If several begin
    in the same line, only the outermost counts. The list is empty if the file can't be read. Example: ``a:``, ``- b``,
    ``- c: 1``, ``  d: 2`` gives [(0, 3), (2, 3)].
    """
    folds: dict[int, int] = {}
    for node in walk_tree(source):
        items = node.items if isinstance(node, YamlSequence) else ()
        for first, value in (*list_entries(node), *((item, item) for item in items)):
            start = first.span.start
            last = len(source.text[start : value.span.end].rstrip()) + start
            lines = source.locate(start)[0] - 1, source.locate(last)[0] - 1
            if lines[0] < lines[1]:
                folds.setdefault(lines[0], lines[1])
    return sorted(folds.items())


def list_cases(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of the id of each case in a case file, in order.

    The offset counts characters. A quoted id has the offset of its quote, and the text has no quotes. ``id:`` alone
    gives the text "" and the offset after the colon. A case without the key ``id`` is left out, and so is one whose id
    is a list or mapping. Invalid YAML gives none, and so does a file without a list ``cases``.
    """
    root = read_tree(source)
    cases = root.get("cases") if isinstance(root, YamlMapping) else None
    for case in cases.items if isinstance(cases, YamlSequence) else ():
        id = case.get("id") if isinstance(case, YamlMapping) else None
        if isinstance(id, YamlScalar):
            yield id.span.start, id.text
