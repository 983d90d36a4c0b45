"""Help to cure mistakes in effect text.

:func:`correct_misspelling` improves a message if a misspelt keyword before the error explains it. The other functions
serve the editor's search for edits that cure an error.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import takewhile
from operator import eq

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import replace
from ..source.source import count_indent
from ..source.spelling_suggestions import compute_edit_distance
from .keywords_operators_and_mistaken_words import KEYWORDS, SOFT_KEYWORDS
from .lark_parse_trees_and_indentation import ParseFault, parse_tree
from .syntax_error_explanations import SyntaxFinding


def find_statement(start: str, text: str, fault: ParseFault) -> tuple[int, int]:
    r"""Return the offsets of the start and end of the lines of the faulty statement with its block.

    Empty lines below it are included, but not the line break before the next statement. The error in line 2 of
    ``set a to 1\nset b 1\n\nset c to 1`` gives ``(11, 19)``. For a faulty ``else``, option or clause, the lines begin
    with the nearest ``else`` or option above it whose block stands below it, otherwise with the whole statement. If the
    first word, such as ``)``, can't stand there, or is wrongly indented, the lines begin two statements earlier. For
    ``set a to 1\nset b to 1\nset c to 1\n)`` they begin with ``set b``. If the start rule ``start`` is
    not ``block``, the lines are the whole text.
    """
    if start != "block":
        return 0, len(text)
    lines = text.split("\n")
    tokens = fault.layout.statement or fault.layout.header
    number = text.count("\n", 0, min(tokens[0].start_pos, fault.start) if tokens else fault.start)
    if fault.type in ("_INDENT", "_DEDENT") or not fault.layout.statement:
        number = max(number - 1, 0)
    while number and (not lines[number].strip() or re.match(r" *(else|option|by .*,|prompt|label)\b", lines[number])):
        number -= 1
    end = text.count("\n", 0, fault.start) + 1
    indent = min((count_indent(line) for line in lines[number:end] if line.strip()), default=0)
    while number and count_indent(lines[number]) > indent:
        number -= 1
    for line in lines[end:]:
        width = count_indent(line)
        if line.strip() and width <= indent and not (width == indent and re.match(r" *else\b", line)):
            break
        end += 1
    first = sum(len(line) + 1 for line in lines[:number])
    return first, first + sum(len(line) + 1 for line in lines[number:end]) - 1


def space_word(text: str, position: int, word: str) -> str:
    """Return a word or sign to insert at ``position`` of ``text``, with the blanks that it needs.

    A word, a number or one of ``= + - * < > <= >=`` gets a blank before it. It gets none at the start of the text, or
    after a blank, a line break, an opening bracket or a dot. The same ones, a comma and a colon get a blank behind
    them. They get none at the end, or before a blank, a line break, a closing bracket, a comma or a colon. Other signs
    get no blanks. Examples: ``+`` at 1 in ``ab`` gives ``" + "``, ``c`` at 1 in ``a b`` gives ``" c"``.
    """
    left_character, right_character = text[:position][-1:], text[position : position + 1]
    is_word = word.isidentifier() or word.isdigit() or word in _SPACED
    lead = " " if is_word and left_character not in ("", " ", "\n", "(", "[", "{", ".") else ""
    has_tail = is_word or word in (",", ":")
    tail = " " if has_tail and right_character not in ("", " ", "\n", ")", "]", "}", ",", ":") else ""
    return f"{lead}{word}{tail}"


_SPACED = ("=", "+", "-", "*", "<", ">", "<=", ">=")


MAX_CHECKED_NAMES = 4
"""Number of names before the error that are checked for misspellings."""
MAX_CHECKED_CHARACTERS = 5_000
"""Longer texts are not checked for misspellings, because each candidate needs another parse."""

_WORDS = sorted(KEYWORDS | SOFT_KEYWORDS)
# fmt: off
_UNCERTAIN_CODES = {
    codes.UNEXPECTED_WORD, codes.UNKNOWN_STATEMENT, codes.MISSING_COLON, codes.MISSING_AMOUNT, codes.UNFINISHED,
    codes.STRAY_CHARACTER, codes.WRONG_CLAUSE, codes.KEYWORD_AS_NAME, codes.STRAY_ELSE, codes.BAD_INDENTATION,
}
# fmt: on


def correct_misspelling(start: str, text: str, fault: ParseFault, finding: SyntaxFinding) -> SyntaxFinding:
    """Return ``finding``, or a better one if a misspelt keyword at the error, or before it, explains the error.

    The word at the error is tried, then the last ``MAX_CHECKED_NAMES`` names (no keywords) before it in the statement,
    the nearest first. If the error is at the first word, these are the names of the previous statement. Each is
    replaced by the similar keyword that gets the parser furthest. The search ends at the first word with which the
    parser gets beyond the error. If that word is at ``finding.place``, the result is a copy of ``finding`` with another
    ``hint``. Otherwise it is a new finding at the word, with the code ``UNEXPECTED_WORD``. For ``move c ot deck`` it
    says `` `ot` doesn't fit here``, with the hint ``did you mean `to`?``. Without such a word, ``finding`` itself is
    returned. So is one with ``is_certain``, with a code that isn't among ``_UNCERTAIN_CODES``, or in a text longer than
    ``MAX_CHECKED_CHARACTERS``.
    """
    if finding.is_certain or finding.code not in _UNCERTAIN_CODES or len(text) > MAX_CHECKED_CHARACTERS:
        return finding
    # the names at and before the error, the nearest first
    statement = fault.layout.statement or fault.layout.header
    name_tokens = [token for token in statement if token.type == "NAME"][-MAX_CHECKED_NAMES:]
    places = [(token.start_pos, token.end_pos) for token in reversed(name_tokens)]
    if text[fault.start : fault.end].isidentifier() and (fault.start, fault.end) not in places:
        places.insert(0, (fault.start, fault.end))
    for place in places:
        name = text[place[0] : place[1]]
        keyword = max(
            _find_similar_keywords(name), key=lambda word: _measure_progress(start, text, place, word), default=None
        )
        if keyword is not None and _measure_progress(start, text, place, keyword) > fault.end:
            hint = f"did you mean `{keyword}`?"
            if finding.place == place:
                return replace(finding, hint=hint)
            return SyntaxFinding(codes.UNEXPECTED_WORD, f"`{name}` doesn't fit here", place, hint)
    return finding


def _find_similar_keywords(name: str) -> list[str]:
    """Return the keywords that are similar to a name, the nearest first."""
    limit = max(1, len(name) // 3)
    lengths = range(len(name) - limit, len(name) + limit + 1)
    candidates = [
        (compute_edit_distance(name.lower(), word), word) for word in _WORDS if len(word) in lengths and word != name
    ]
    return [word for number, word in sorted(candidates) if number <= limit]


@lru_cache(maxsize=64)
def _measure_progress(start: str, text: str, place: tuple[int, int], keyword: str) -> int:
    """Return how far the text parses if ``keyword`` replaces the characters at ``place``.

    The result is an offset of the original text.
    """
    result, _ = parse_tree(start, text[: place[0]] + keyword + text[place[1] :])
    shift = len(keyword) - (place[1] - place[0])
    return result.start - shift if isinstance(result, ParseFault) else len(text) + 1


_ANY_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\.\.|[<>!]=|\n *|[^\s\w]")
MAX_PREDICTION_CHARACTERS = 200_000
"""A longer file gives no predictions."""
MAX_PLACES = 600
"""Maximum number of places on each side that are compared, those nearest to the mistake."""
REACH = 3
"""Number of neighbours on each side that are compared."""


def predict_tokens(text: str, start: int, end: int) -> dict[str, float]:
    r"""Return tokens that could stand in place of ``text[start:end]``, each with its likeness, the best first.

    A token is likely if it stands between the same neighbours in another place of the text. ``l`` tokens in sequence
    are equal on the left and ``r`` on the right, at most ``REACH`` each. The likeness is then (l² + r² + lr) / 10. Each
    further place of the token raises it to that place's likeness, but by at least 0.01. For each neighbour, only its
    nearest places count: at most ``MAX_PLACES // 2`` (300) before the gap and as many from it on. A line break counts
    as a neighbour, but is never returned. Returns {} if no place has at least two equal neighbours, or if the text is
    longer than ``MAX_PREDICTION_CHARACTERS``. Example: the gap before the last ``1`` of ``set a to 1\nset b 1\n`` gives
    ``{"to": 0.4}``. On its left, ``a`` and ``b`` differ, and on its right, two tokens are equal.
    """
    if len(text) > MAX_PREDICTION_CHARACTERS:
        return {}
    tokens, places, numbers = _index_tokens(text)
    first = bisect_left(places, start)
    last = bisect_left(places, end, first)
    left_tokens, right_tokens = tokens[max(first - REACH, 0) : first][::-1], tokens[last : last + REACH]
    similar = {number + 1 for number in _list_near(numbers.get(left_tokens[0], []) if left_tokens else [], first)}
    similar |= {number - 1 for number in _list_near(numbers.get(right_tokens[0], []) if right_tokens else [], first)}
    likeness: dict[str, float] = {}
    for index in sorted(similar - {-1, len(tokens)}):
        token = tokens[index]
        if min(first, last - 1) <= index < max(last, first + 1) or token.startswith("\n"):
            continue
        left_count = sum(takewhile(bool, map(eq, left_tokens, tokens[max(index - REACH, 0) : index][::-1])))
        right_count = sum(takewhile(bool, map(eq, right_tokens, tokens[index + 1 : index + 1 + REACH])))
        if left_count + right_count > 1:
            value = (left_count * left_count + right_count * right_count + left_count * right_count) / 10
            likeness[token] = max(value, likeness.get(token, 0) + 0.01)
    return dict(sorted(likeness.items(), key=lambda item: -item[1]))


@lru_cache(maxsize=4)
def _index_tokens(text: str) -> tuple[list[str], list[int], dict[str, list[int]]]:
    """Return the tokens of a text, the offset of each, and the numbers of the tokens with each spelling."""
    matches = list(_ANY_TOKEN.finditer(text))
    tokens = [match[0].rstrip(" ") for match in matches]
    numbers: dict[str, list[int]] = {}
    for number, token in enumerate(tokens):
        numbers.setdefault(token, []).append(number)
    return tokens, [match.start() for match in matches], numbers


def _list_near(numbers: list[int], number: int) -> list[int]:
    """Return the numbers nearest to one: at most ``MAX_PLACES`` of a sorted list."""
    middle = bisect_left(numbers, number)
    return numbers[max(middle - MAX_PLACES // 2, 0) : middle + MAX_PLACES // 2]
