"""Find the edit that cures a syntax error in effect text: a word, a sign or an indentation.

Edits near the error are tried, the most likely first. An edit is a cure if the statement parses afterwards. Names that
stand elsewhere in the same file help to choose between several cures. :func:`predict_tokens` finds what stands
between the same words elsewhere. :func:`correct_misspelling` improves a message
if a misspelt keyword before the error explains it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from operator import eq

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import ValueRecord, replace
from ..source.source import EmbeddedText, count_indent
from ..source.spelling_suggestions import compute_edit_distance
from .keywords_operators_and_mistaken_words import KEYWORDS, SOFT_KEYWORDS
from .lark_parse_trees_and_indentation import OPENING, ParseFault, Token, get_terminal_spellings, parse_tree
from .syntax_error_explanations import SyntaxFinding

MAX_ATTEMPTS = 60
MAX_CHARACTERS = 1_500
"""Limits of the work for one error: parses, and characters of the statement that is parsed."""
MAX_TOKENS = 12
"""Number of words before the error at which edits are tried."""


class Repair(ValueRecord):
    """An edit of an effect text: replace the characters ``start`` to ``end`` by ``text``. A low cost is likely."""

    cost: float
    start: int
    end: int
    text: str

    def apply(self, text: str) -> str:
        """Return ``text`` with the edit made."""
        return text[: self.start] + self.text + text[self.end :]


def find_repair(start: str, embedded: EmbeddedText, fault: ParseFault) -> Repair | None:
    """Return the cheapest edit that cures a syntax error, or None.

    An edit inserts a word or sign, or changes the indentation of a line. It must lie inside the statement around the
    error, which must parse with it. At most ``MAX_ATTEMPTS`` edits are tried, and none if the statement is longer than
    ``MAX_CHARACTERS``. ``start`` is the start rule of the grammar for the effect text, such as ``block``. Offsets are
    those of the whole effect text. ``fault`` needs its ``expected`` words. Example: ``set a 1`` gives ``Repair(1.06, 6,
    6, "to ")``. A repaired text only parses, and may make no sense: ``set a to 1 1`` becomes ``set a to 1 in 1``.
    """
    text, file_text = embedded.text, embedded.source.text
    first, last = find_statement(start, text, fault)
    if last - first > MAX_CHARACTERS:
        return None
    option_head = "choose:\n" if re.match(r" *option\b", text[first:last]) else ""
    candidates = [*_list_repairs(text, fault, file_text), *_match_brackets(text, first, last)]
    candidates += _insert_predicted(embedded, fault)
    candidates.sort(key=lambda repair: -repair.cost)
    repairs = {(repair.start, repair.end, repair.text): repair for repair in candidates}
    for repair in sorted(repairs.values(), key=lambda repair: repair.cost)[:MAX_ATTEMPTS]:
        if first <= repair.start and repair.end <= last:
            changed_text = repair.apply(text)[first : last + len(repair.text) - (repair.end - repair.start)]
            result, layout = parse_tree(start, option_head + changed_text, is_trial=True)
            if not isinstance(result, ParseFault) and not layout.odd_indents:
                return repair
    return None


def find_statement(start: str, text: str, fault: ParseFault) -> tuple[int, int]:
    r"""Return the offsets of the start and end of the lines of the faulty statement with its block.

    Empty lines below it are included, but not the line break before the next statement. The error in line 2 of
    ``set a to 1\nset b 1\n\nset c to 1`` gives ``(11, 19)``. The lines begin with the statement to which an ``else``,
    option or clause belongs. They begin with the statement before if the error is at the first word. If the start rule
    ``start`` is not ``block``, the lines are the whole text.
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


# ---------------------------------------------------------------- the edits to try

# fmt: off
_LIKELY = (
    ")", "]", "}", '"', ":", ",", "to", "by", "from", "for", "then", "else", "each", "player", "in", "prompt", "label",
    "at", "random", "where", "is", "=", ".", "and", "of", "or", "not", "if", "times", "while", "until", "over", "as",
    "(", "[", "+", "-", "*", "<", ">", "<=", ">=", "..",
)
"""Words and signs that can be missing just before an error, the most likely first."""
_HEADS = ("let", "set", "if", "by", "move", "choose", "for", "increase", "decrease", "announce", "take", "add", "roll",
          "pick", "order", "shuffle", "repeat", "may", "option", "end", "when", "while", "instead", "else")
"""Words that can be missing at the start of a statement."""
_LIKELY_LINES = {
    "if": r".*([<>=]| is | in | and | or | not ).*:\s*$",
    "by": r"(?!.*([<>=]| is | in | and | or | not )).*:\s*$",
    "move": r"\d+ |all | top ",
    "choose": r".*,\s*(prompt|label)?$",
    "for": r"each",
    "else": r":|if",
}
"""Word of ``_HEADS`` -> the beginning of a line before which it is likely to be missing."""
# fmt: on
_RANKS = {word: rank for rank, word in enumerate(_LIKELY)}


def _list_repairs(text: str, fault: ParseFault, file_text: str) -> Iterator[Repair]:
    tokens = [*fault.layout.header, *fault.layout.statement][-MAX_TOKENS:]
    if not fault.layout.statement or "_INDENT" in fault.expected or fault.layout.odd_indents:
        yield from _move_lines(text, fault)
    yield from _insert_expected(text, fault, tokens)
    yield from _insert_head(text, fault)
    yield from _insert_bracket(text, fault, tokens, file_text)
    yield from _insert_if(text, tokens)


def insert_word(text: str, position: int, word: str, cost: float) -> Repair:
    """Return a repair that inserts a word or sign at ``position`` of ``text``, with the blanks that it needs.

    A word, a number or one of ``= + - * < > <= >=`` gets a blank before it. It gets none at the start of the text, or
    after a blank, a line break, an opening bracket or a dot. The same ones, a comma and a colon get a blank behind
    them. They get none at the end, or before a blank, a line break, a closing bracket, a comma or a colon. Other signs
    get no blanks. Examples: ``+`` at 1 in ``ab`` gives ``Repair(cost, 1, 1, " + ")``, ``c`` at 1 in ``a b`` the text
    ``" c"``.
    """
    left_character, right_character = text[:position][-1:], text[position : position + 1]
    is_word = word.isidentifier() or word.isdigit()
    lead = " " if (is_word or word in _SPACED) and left_character not in ("", " ", "\n", "(", "[", "{", ".") else ""
    tail = (
        " "
        if (is_word or word in (*_SPACED, ",", ":")) and right_character not in ("", " ", "\n", ")", "]", "}", ",", ":")
        else ""
    )
    return Repair(cost, position, position, lead + word + tail)


_SPACED = ("=", "+", "-", "*", "<", ">", "<=", ">=")


def _insert_expected(text: str, fault: ParseFault, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the words and signs that the grammar expects at the error, before the unexpected word."""
    last = fault.layout.last_token
    end = last.end_pos if last is not None else 0
    is_glued = end == fault.start and end > 0
    spellings = get_terminal_spellings()
    if is_glued:
        yield Repair(0.8, end, end, ".")
    for terminal in fault.expected:
        word = spellings.get(terminal)
        if word not in _RANKS:
            continue
        cost = 1 + _RANKS[word] / 100 + _rate_misfit(word, text, fault, tokens)
        is_sign = not word.isalpha() and word not in _SPACED
        yield insert_word(text, end if is_sign and word not in ("(", "[", "{") else fault.start, word, cost)


def _rate_misfit(word: str, text: str, fault: ParseFault, tokens: list[Token]) -> float:
    """Return how badly a missing word fits between its neighbours, from 0 to 1."""
    next_word = re.compile(r"\w+|\S|").match(text, fault.start)[0]  # type: ignore[index]
    words = {str(token) for token in tokens}
    match word:
        case "is":
            return 0.0 if next_word in ("none", "not", "empty", "any", "true", "false", "me") else 0.02
        case "=" if next_word.isdigit():
            return -0.05
        case "where":
            return 0.5 if "where" in words else -0.02 if words & {"choose", "each", "count", "in"} else 0.1
        case "prompt" | "label":
            return 0.5 if word in words else 0.0
        case "," if next_word in ("prompt", "label", "by"):
            return -0.5
    return 0.0


def _insert_head(text: str, fault: ParseFault) -> Iterator[Repair]:
    """Yield the words that can be missing at the start of the statement. ``for`` can be only before ``each``."""
    statement = fault.layout.statement
    start = statement[0].start_pos if statement else fault.start
    line = text[start:].partition("\n")[0]
    for rank, word in enumerate(_HEADS):
        is_likely = word in _LIKELY_LINES and re.match(_LIKELY_LINES[word], line) is not None
        if is_likely or word != "for":
            yield insert_word(text, start, word, 1.3 + rank / 100 - 0.2 * is_likely)


def _insert_if(text: str, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the places where the `if` of an expression can be missing."""
    for distance, token in enumerate(reversed(tokens)):
        if token.type != "COLON" and text[: token.start_pos].rstrip()[-1:] in ("", *"=([{,:><+"):
            yield insert_word(text, token.start_pos, "if", 1.6 + distance / 100)


def _insert_bracket(text: str, fault: ParseFault, tokens: list[Token], file_text: str) -> Iterator[Repair]:
    """Yield the places for a bracket or a quotation mark that has lost its partner."""
    open_token = next((token for token in reversed(fault.layout.open) if token.type in OPENING), None)
    if open_token is not None:
        closing = {"(": ")", "[": "]", "{": "}"}[str(open_token)]
        inner_tokens = [token for token in tokens if token.start_pos >= open_token.end_pos]
        line_end = text.find("\n", open_token.end_pos)
        for position in (open_token.end_pos, line_end if line_end >= 0 else len(text)):
            yield Repair(0.95, position, position, closing)
        for token in inner_tokens:
            bracketed_text = text[open_token.start_pos : token.end_pos] + closing
            is_known = bracketed_text in file_text
            shortness = (token.end_pos - open_token.end_pos) / 1000
            cost = 0.6 + shortness if closing == "]" else 0.9 - shortness
            yield Repair(cost - 0.5 * is_known - len(bracketed_text) / 10000, token.end_pos, token.end_pos, closing)
    for distance, token in enumerate(reversed(tokens)):
        if token.type == "NAME":
            yield from _split_name(token, distance, file_text)
    for distance, token in enumerate(reversed(tokens[-6:])):
        yield Repair(1.5 + distance / 100, token.start_pos, token.start_pos, '"')
    yield Repair(1.5, fault.start, fault.start, '"')
    text_before = text[: fault.start].rstrip()
    if text_before[-1:] in (",", ":"):
        yield Repair(1.01, len(text_before) - 1, len(text_before) - 1, '"')


_TOKEN = re.compile(r'"[^"\n]*"|\w+|[^\s\w]')


def _match_brackets(text: str, first: int, last: int) -> Iterator[Repair]:
    """Yield the places for the opening bracket of a closing one that has none, in ``text[first:last]``."""
    open_brackets: list[str] = []
    starts: list[int] = []
    for match in _TOKEN.finditer(text, first, last):
        if match[0] in ("(", "[", "{"):
            open_brackets.append(match[0])
        elif match[0] in (")", "]", "}"):
            opening = {")": "(", "]": "[", "}": "{"}[match[0]]
            if open_brackets[-1:] == [opening]:
                open_brackets.pop()
            else:
                for distance, start in enumerate(reversed(starts[-MAX_TOKENS:])):
                    yield Repair(1.0 + distance / 100, start, start, opening)
                return
        starts.append(match.start())


def _insert_predicted(embedded: EmbeddedText, fault: ParseFault) -> Iterator[Repair]:
    """Yield what stands between the same words elsewhere in the file, at the error and before its neighbours."""
    text, file_text = embedded.text, embedded.source.text
    tokens = [*fault.layout.header, *fault.layout.statement][-3:]
    positions = dict.fromkeys([fault.start, *(token.start_pos for token in reversed(tokens))])
    for distance, position in enumerate(positions):
        file_offset = embedded.base.start + embedded.offsets[min(position, len(embedded.offsets) - 1)]
        predictions = list(predict_tokens(file_text, file_offset, file_offset).items())[:6]
        for word, likeness in predictions:
            if word == "." and _KEYWORD.match(text, position):
                continue
            is_open = text[:position][-1:] in ("(", "[", "{", ".", " ", "\n", "")
            spot = position if is_open or word.isalnum() else len(text[:position].rstrip())
            yield insert_word(text, spot, word, 1.02 - likeness / 4 + distance / 4)


def _split_name(token: Token, distance: int, file_text: str) -> Iterator[Repair]:
    """Yield the brackets between two names that were written as one."""
    for split in range(1, len(token)):
        first, second = token[:split], token[split:]
        for opening in "([":
            if f"{first}{opening}" in file_text and (second.isdigit() or re.search(rf"\b{second}\b", file_text)):
                cost = 0.5 if f"{first}{opening}{second}" in file_text else 0.8
                start = token.start_pos + split
                yield Repair(cost + distance / 100 - split / 1000, start, start, opening)


def _move_lines(text: str, fault: ParseFault) -> Iterator[Repair]:
    """Yield other indentations of the lines at the error."""
    lines = text.split("\n")
    odd_indents = fault.layout.odd_indents
    offset = odd_indents[0].end_pos if odd_indents else fault.start
    number = text.count("\n", 0, offset)
    for distance, line in ((0, number + (fault.type == "_INDENT" and not odd_indents)), (1, number), (2, number - 1)):
        if not 0 <= line < len(lines) or not lines[line].strip():
            continue
        start = sum(len(row) + 1 for row in lines[:line])
        own_width = count_indent(lines[line])
        nearby = {count_indent(row) for row in lines[max(line - 4, 0) : line + 3] if row.strip()}
        inner = {count_indent(row) + 2 for row in lines[max(line - 2, 0) : line] if row.rstrip().endswith(":")}
        for width in (nearby | inner) - {own_width}:
            yield Repair(0.2 + distance / 2 + abs(width - own_width) / 10, start, start + own_width, " " * width)


MAX_CHECKED_NAMES = 4
"""Number of names before the error that are checked for misspellings."""
MAX_CHECKED_CHARACTERS = 5_000
"""Longer texts are not checked for misspellings, because each candidate needs another parse."""

_KEYWORD = re.compile(rf"\s*(?:{'|'.join(KEYWORDS)})\b")
_WORDS = sorted(KEYWORDS | SOFT_KEYWORDS)
# fmt: off
_UNCERTAIN_CODES = {
    codes.UNEXPECTED_WORD, codes.UNKNOWN_STATEMENT, codes.MISSING_COLON, codes.MISSING_AMOUNT, codes.UNFINISHED,
    codes.STRAY_CHARACTER, codes.WRONG_CLAUSE, codes.KEYWORD_AS_NAME, codes.STRAY_ELSE, codes.BAD_INDENTATION,
}
# fmt: on


def correct_misspelling(start: str, text: str, fault: ParseFault, finding: SyntaxFinding) -> SyntaxFinding:
    """Return ``finding``, or a better one if a misspelt keyword at the error, or before it, explains the error.

    Each of the last ``MAX_CHECKED_NAMES`` names in the statement up to there, the nearest first, is replaced by similar
    keywords, and the text is parsed again. A name counts if the parser then gets beyond the error, with the keyword
    that gets it furthest. If this name is at the place of ``finding``, the result is a copy of ``finding`` with another
    hint. Otherwise it is a new finding at the name, with the code ``UNEXPECTED_WORD``. Its message is `` `NAME` doesn't
    fit here``. The hint is ``did you mean `KEYWORD`?``. A finding that is certain, or whose code isn't among
    ``_UNCERTAIN_CODES``, is returned as it is, without a search. So is any finding in a text longer than
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
    further place of the token raises it to that place's likeness, but by at least 0.01. The replaced token is returned,
    too, if it is likely. A line break counts as a neighbour, but is never returned. Returns {} if no place has at least
    two equal neighbours, or if the text is longer than ``MAX_PREDICTION_CHARACTERS``. Example: the gap before the last
    ``1`` of ``set a to 1\nset b 1\n`` gives ``{"to": 0.4}``. On its left, ``a`` and ``b`` differ, and on its right,
    two tokens are equal.
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
