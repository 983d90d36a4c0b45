"""Find the likely cause of a syntax error, and turn it into a message and a hint.

:func:`explain_fault` tries a list of functions. Each recognises one kind of mistake, from the unexpected word, its
neighbours and the expected terminals. Then ``correct_misspelling`` in the module
``misspelt_keywords_and_token_prediction`` checks if a misspelt word before the error explains it better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import ValueRecord, replace
from ..source.diagnostics import Code
from ..source.source import join_items
from ..source.spelling_suggestions import find_nearest, suggest_name
from .keywords_operators_and_mistaken_words import (
    BLOCK_HEADS,
    FOREIGN_OPERATORS,
    KEYWORDS,
    MISTAKEN_WORDS,
    NOTATIONS,
    STATEMENTS,
)
from .lark_parse_trees_and_indentation import CLOSING, OPENING, ParseFault, get_terminal_spellings

Place = tuple[int, int]


class SyntaxFinding(ValueRecord):
    """A diagnostic with places that are offsets in the effect text.

    A misspelt keyword before the error does not replace it if ``is_certain`` is true.
    """

    code: Code
    message: str
    place: Place
    hint: str | None = None
    notes: tuple[tuple[Place, str], ...] = ()
    fix: tuple[Place, str] | None = None  # the characters to replace, and by what
    is_certain: bool = False  # true if no misspelt word before it can be the cause


LINE_ENDS = frozenset(["_NL", "_INDENT", "_DEDENT", "$END"])


class _FaultContext:
    """A syntax error with the words around it.

    ``word`` is the unexpected word, ``first_word`` the first word of its statement, and ``previous_word`` the word
    before it."""

    def __init__(self, text: str, fault: ParseFault) -> None:
        self.text = text
        self.fault = fault
        self.expected = fault.expected
        self.place: Place = (fault.start, fault.end)
        self.is_at_line_end = fault.type in LINE_ENDS
        match = re.compile(r"\w+|\S").match(text, fault.start)
        self.word = "" if self.is_at_line_end or match is None else match.group()
        if self.word:
            self.place = (fault.start, fault.start + len(self.word))
        self.statement = fault.layout.statement
        self.first_word = str(self.statement[0]) if self.statement else ""
        last = fault.layout.last_token
        self.previous_word = str(last) if last is not None else ""
        self.previous_place: Place = (last.start_pos, last.end_pos) if last is not None else self.place
        self.expects_value = {"LPAR", "INT"} <= self.expected and not self.expected & {"SET", "EQ"}
        self.is_in_quotes = bool(self.expected & {"WORDS", "TEMPLATE_WORDS"})
        self.expected_words = [_get_spelling(terminal) for terminal in self.expected]

    @property
    def open_bracket(self) -> Place | None:
        """The start and end offset of the innermost open bracket, or None."""
        bracket = next((token for token in reversed(self.fault.layout.open) if token.type in OPENING), None)
        return None if bracket is None else (bracket.start_pos, bracket.end_pos)

    @property
    def notation_hint(self) -> str | None:
        """A hint that shows the notation of the statement, or None if its first word is unknown."""
        shape = NOTATIONS.get(self.first_word)
        return f"write it like this: `{shape}`" if shape else None

    def explain(
        self,
        hint: str | None,
        message: str = "",
        place: Place | None = None,
        fix: tuple[Place, str] | None = None,
        is_certain: bool = False,
    ) -> SyntaxFinding:
        """Return a finding with the code UNEXPECTED_WORD. The arguments become its fields of the same names.

        The default message is “`WORD` doesn't fit here” with ``self.word``. At the end of a line this word is empty, so
        pass a message there; nothing checks that. The default place is ``self.place``. ``fix`` is a place and the text
        to put there.
        """
        message = message or f"`{self.word}` doesn't fit here"
        place = place or self.place
        return SyntaxFinding(codes.UNEXPECTED_WORD, message, place, hint, fix=fix, is_certain=is_certain)

    def get_line_number(self, offset: int) -> int:
        """Return the number of the line that contains an offset, from 0."""
        return self.text.count("\n", 0, offset)


_EVENT_RULE_HEAD = re.compile(r"(when|instead of)[ \t]+([^:\n]*?)[ \t]*(?:\bif\b[^:\n]*)?:")
"""Matches the head of an event rule: its first word, and the event up to its condition or colon."""

_EVENT_NOTATIONS = (
    "an event is `effect(…)`, `card enters zone`, `card leaves zone`, `phase begins`, `phase ends` or `value changes`"
)
_RULE_WORDS = {"after": "when", "on": "when", "upon": "when", "once": "when", "before": "instead of",
          "at": "when", "always": "while"}  # fmt: skip


# fmt: off
VALUE_STARTS = frozenset((
    "NAME", "INT", "LPAR", "LSQB", "QUOTE", "NOT", "MINUS", "IF", "TRUE", "FALSE", "NONE", "ANY", "ALL",
))
OPERATORS = frozenset((
    "OR", "AND", "NOT", "IS", "IN", "EQ", "NE", "LT", "LE", "GT", "GE", "UNION", "EXCEPT", "INTERSECT", "DOTS",
    "PLUS", "MINUS", "STAR", "DIV", "MOD", "DOT", "LSQB", "LPAR", "WHERE", "WITH",
))
# fmt: on
COMPARISONS = frozenset(("EQ", "NE", "LT", "LE", "GT", "GE", "IS"))
DECLARING_WORDS = (
    "choose", "each", "let", "roll", "pick", "order", "split", "for", "with", "any", "secret", "as", ",", "(",
)  # fmt: skip
"""Words and signs that can precede the declaration of a name."""
COLUMN_HINT = "statements of one block begin in the same column"
GRAMMAR_SIGNS = '(){}[]:;,."=<>+-*'
TERMINAL_NAMES = {
    "NAME": "a name",
    "INT": "a number",
    "QUOTE": 'a text in `"`',
    "_NL": "the end of the line",
    "$END": "the end",
}


def explain_fault(text: str, fault: ParseFault) -> SyntaxFinding:
    """Return the message and hint for a syntax error.

    They come from the first function of :data:`_RECOGNISERS` that knows the mistake; the last one knows every mistake.
    """
    context = _FaultContext(text, fault)
    return next(finding for recognise in _RECOGNISERS if (finding := recognise(context)) is not None)


# ---------------------------------------------------------------- texts and characters


def _match_unfinished_text(site: _FaultContext) -> SyntaxFinding | None:
    """Find a text that is still open at the end of its line, or None. Its place begins at the quotation mark."""
    quote = next((token for token in reversed(site.fault.layout.open) if token.type == "QUOTE"), None)
    if quote is None or not site.is_at_line_end:
        return None
    place = (quote.start_pos, max(site.fault.end, quote.start_pos + 1))
    message, hint = "this text has no closing quotation mark", 'a text begins and ends with `"`, on one line'
    return SyntaxFinding(codes.UNFINISHED_TEXT, message, place, hint)


def _match_bad_escape(site: _FaultContext) -> SyntaxFinding | None:
    """Find a ``}`` or a backslash inside a text that has no meaning there, or None."""
    if not site.is_in_quotes or site.word not in ("\\", "}"):
        return None
    if site.word == "}":
        message, hint = "this `}` has no `{` before it", "to show a brace, write `}}`"
        return SyntaxFinding(codes.BAD_ESCAPE, message, site.place, hint)
    escape = site.text[site.fault.start : site.fault.start + 2]
    place = (site.fault.start, site.fault.start + len(escape))
    hint = 'only `\\"` and `\\\\` are written with a backslash'
    return SyntaxFinding(codes.BAD_ESCAPE, f"`{escape}` has no meaning in a text", place, hint)


def _match_fraction(site: _FaultContext) -> SyntaxFinding | None:
    if site.previous_word != "." or not site.word.isdigit():
        return None
    place, hint = (site.previous_place[0], site.place[1]), "write a range with two dots: `1..6`"
    return SyntaxFinding(codes.FOREIGN_OPERATOR, "numbers must be whole", place, hint)


def _match_foreign_operator(site: _FaultContext) -> SyntaxFinding | None:
    """Find an operator or quotation mark of another language. The fix is its spelling here. None for other faults."""
    start_offset = site.fault.start
    if site.is_in_quotes or site.is_at_line_end:
        return None
    if site.text[start_offset : start_offset + 2] in ("+=", "-="):
        verb = "increase" if site.word == "+" else "decrease"
        fix = _rewrite_change(site, verb)
        message, hint = f"`{site.word}=` is not an operator here", f"write `{fix[1] if fix else NOTATIONS[verb]}`"
        return SyntaxFinding(codes.FOREIGN_OPERATOR, message, (start_offset, start_offset + 2), hint, fix=fix)
    for start, end in (
        (max(start_offset - 1, 0), start_offset + 1),
        (start_offset, start_offset + 2),
        (start_offset, start_offset + 1),
    ):
        sign = site.text[start:end]
        operator = FOREIGN_OPERATORS.get(sign)
        if operator is not None:
            place = (start, start + len(sign))
            kind = "a quotation mark" if operator == '"' else "an operator"
            message, hint = f"`{sign}` is not {kind} here", f"write `{operator}`"
            return SyntaxFinding(codes.FOREIGN_OPERATOR, message, place, hint, fix=(place, operator))
    return None


def _rewrite_change(site: _FaultContext, verb: str) -> tuple[Place, str] | None:
    """Return the fix that turns `place += number` or `set place += number` into a statement with ``verb``."""
    if not site.statement:
        return None
    start = site.statement[0].start_pos
    number = re.compile(r"[^\n#;]*").match(site.text, site.fault.start + 2)[0]  # type: ignore[index]
    place = site.text[start : site.fault.start].strip().removeprefix("set ").lstrip()
    return (start, site.fault.start + 2 + len(number.rstrip())), f"{verb} {place} by {number.strip()}"


def _match_chained_comparison(site: _FaultContext) -> SyntaxFinding | None:
    has_comparison = any(token.type in COMPARISONS for token in site.statement)
    can_join = "AND" in site.expected and "TO" not in site.expected
    if site.word not in ("=", "<", ">", "!") or not has_comparison or not can_join:
        return None
    return site.explain("join two comparisons with `and`: `1 <= n and n <= 6`", "a comparison has only two sides")


def _match_assignment(site: _FaultContext) -> SyntaxFinding | None:
    """Find a ``=`` used as an assignment: in ``set``, or after a name at the start of a statement. None for others."""
    if site.word != "=" or site.previous_word == "=":
        return None
    if site.first_word == "set" and "TO" in site.expected:
        return site.explain("write `to`: `set place to value`")
    if site.statement and site.statement[0].type == "NAME" and "COLON" not in site.expected:
        place = site.text[site.statement[0].start_pos : site.fault.start].strip()
        let_hint = f"; to name a value, `let {place} = …`" if place.isidentifier() else ""
        message, hint = "`=` compares; it doesn't change anything", f"to change it, write `set {place} to …`{let_hint}"
        return SyntaxFinding(codes.UNKNOWN_STATEMENT, message, site.place, hint)
    return None


def _match_stray_character(site: _FaultContext) -> SyntaxFinding | None:
    """Find a character or word that is no token at all, such as ``$`` or ``2d6``, or None."""
    if not site.word or site.fault.type:
        return None
    if re.match(r"\d+\w", site.word):
        dice = re.fullmatch(r"\d*[dDwW](\d+)", site.word)
        hint = f"to roll dice, write `roll name in 1..{dice[1]}`" if dice else "names begin with a letter"
        return SyntaxFinding(codes.STRAY_CHARACTER, f"`{site.word}` is neither a number nor a name", site.place, hint)
    if site.word in GRAMMAR_SIGNS or site.word.isidentifier() or site.word.isdecimal():
        return None
    return SyntaxFinding(codes.STRAY_CHARACTER, f"`{site.word}` has no meaning here", site.place)


# ---------------------------------------------------------------- brackets


def _match_closing_bracket(site: _FaultContext) -> SyntaxFinding | None:
    """Find a closing bracket that has no opening bracket or the wrong one, or None."""
    if site.fault.type not in CLOSING and site.word not in (")", "]", "}"):
        return None
    if site.open_bracket is None:
        return SyntaxFinding(codes.UNMATCHED_BRACKET, f"`{site.word}` has no opening bracket", site.place)
    open_sign = site.text[site.open_bracket[0]]
    if {"(": ")", "[": "]", "{": "}"}[open_sign] == site.word:
        return None
    message, notes = f"`{site.word}` does not close `{open_sign}`", ((site.open_bracket, "opened here"),)
    return SyntaxFinding(codes.UNMATCHED_BRACKET, message, site.place, notes=notes)


def _match_open_bracket(site: _FaultContext) -> SyntaxFinding | None:
    if site.open_bracket is None or site.is_in_quotes:
        return None
    start, bracket = site.open_bracket[0], site.text[site.open_bracket[0]]
    is_on_later_line = site.is_at_line_end or site.get_line_number(start) < site.get_line_number(site.fault.start)
    if not is_on_later_line and not (site.word == ":" and site.expected & CLOSING and bracket != "{"):
        return None
    hint = f"`{bracket}` in a text begins a value; to show a brace, write `{{{{`" if bracket == "{" else None
    return SyntaxFinding(codes.UNMATCHED_BRACKET, f"this `{bracket}` is not closed", site.open_bracket, hint)


# ---------------------------------------------------------------- lines and blocks


def _match_empty_block(site: _FaultContext) -> SyntaxFinding | None:
    if site.expected != {"_INDENT"} and not ("_INDENT" in site.expected and site.previous_word == ":"):
        return None
    hint = "indent its statements below this line, or write one after the colon"
    return SyntaxFinding(codes.EMPTY_BLOCK, "this block is empty", site.previous_place, hint)


def _match_missing_comma_at_end(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise a line without a final comma before a clause of the same statement."""
    clause = re.compile(r"[ \t]*(#[^\n]*)?\n\s*(by|prompt|label)\b").match(site.text, site.previous_place[1])
    if not site.is_at_line_end or clause is None:
        return None
    message = "a comma is missing at the end of this line"
    place = (site.previous_place[1], site.previous_place[1] + 1)
    return site.explain(site.notation_hint, message, place, is_certain=True)


def _match_invalid_event(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise an event that is written in free English."""
    if site.first_word not in ("when", "instead") or site.open_bracket:
        return None
    head = _EVENT_RULE_HEAD.match(site.text, site.statement[0].start_pos)
    if head is None or site.fault.start > head.end(2) or "(" in head[2]:
        return None
    if site.word not in KEYWORDS and find_nearest(site.word, site.expected_words):
        return None
    message, place = f"`{head[2]}` is not an event", (head.start(2), head.end(2))
    return site.explain(_EVENT_NOTATIONS, message, place, is_certain=True)


def _match_invalid_rule(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise an English word in place of the first word of a rule."""
    if site.statement or not {"WHEN", "WHILE"} <= site.expected or site.word not in _RULE_WORDS:
        return None
    return site.explain(f"write `{_RULE_WORDS[site.word]} …: …`", f"no rule begins with `{site.word}`")


def _match_missing_colon(site: _FaultContext) -> SyntaxFinding | None:
    """Find a line such as ``if x`` without its colon, at the unexpected word or at the block below. None for others."""
    if "COLON" in site.expected and not site.open_bracket and site.first_word in BLOCK_HEADS:
        if site.is_at_line_end:
            return _make_missing_colon(site.previous_place)
        begins_statement = site.word in STATEMENTS or (site.fault.type == "NAME" and not site.fault.is_reserved)
        # `if deck is empty end game` lacks a colon, but in `if a end b:` the `end` is a misspelt `and`
        is_certain = site.word in STATEMENTS and ":" not in site.text[site.place[1] :].partition("\n")[0]
        if begins_statement and (is_certain or not find_nearest(site.word, site.expected_words)):
            return replace(_make_missing_colon(site.previous_place, f" before `{site.word}`"), is_certain=is_certain)
    header = site.fault.layout.header
    if site.fault.type == "_INDENT" and header and header[0] in BLOCK_HEADS and header[-1].type != "COLON":
        return _make_missing_colon((header[-1].start_pos, header[-1].end_pos))
    return None


def _make_missing_colon(place: Place, location: str = "") -> SyntaxFinding:
    message = f"a colon is missing{location}" if location else "a colon is missing at the end of this line"
    fix = ((place[1], place[1]), ":")
    return SyntaxFinding(codes.MISSING_COLON, message, (place[1], place[1] + 1), hint="write `:` here", fix=fix)


def _match_unexpected_indent(site: _FaultContext) -> SyntaxFinding | None:
    if site.fault.type != "_INDENT":
        return None
    start = site.fault.start + re.match(r"(\s|#.*)*", site.text[site.fault.start :]).end()  # type: ignore[union-attr]
    message = "this line is indented, but the line above does not start a block"
    return SyntaxFinding(codes.BAD_INDENTATION, message, (start, start + 1), COLUMN_HINT)


def _match_block_in_line(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise a block on the same line as the colon of another block."""
    is_first_word = not site.statement and "LET" in site.expected
    is_block_start = is_first_word and site.word in BLOCK_HEADS and bool(site.fault.layout.header)
    is_block_colon = site.word == ":" and site.first_word in BLOCK_HEADS and "SEMICOLON" in site.expected
    if is_block_start and site.word in MISTAKEN_WORDS:
        return _make_unknown_statement(site.word, site.place)
    is_choice_clause = site.word in ("by", "prompt") and site.previous_word == "choose"
    if not (is_block_start or is_block_colon or is_choice_clause):
        return None
    first = site.statement[0] if site.statement else None
    return site.explain(
        "put it below, indented under the colon",
        f"`{site.word if first is None else site.first_word}` must start on its own line",
        site.place if first is None else (first.start_pos, first.end_pos),
    )


def _match_two_statements(site: _FaultContext) -> SyntaxFinding | None:
    if site.word.isidentifier() and "SEMICOLON" in site.expected and site.previous_word in (")", "stop"):
        message = f"a new statement begins at `{site.word}` on the same line"
        return site.explain("put a `;` between the two, or begin a new line", message)
    return None


def _match_stray_else(site: _FaultContext) -> SyntaxFinding | None:
    """Find an ``else`` before ``then``, below options, or not directly below a suitable block. None for others."""
    if site.word != "else":
        return None
    if "THEN" in site.expected:
        return site.explain("`if c then a else b`", "`else` comes after `then`")
    if not site.statement and _is_below_options(site.text, site.fault.start):
        hint = 'add an option without a condition, such as `option pass "Pass": …`'
        message = "a `choose` with options has no `else`"
        return SyntaxFinding(codes.STRAY_ELSE, message, site.place, hint, is_certain=True)
    if site.statement or "LET" not in site.expected:
        return None
    hint = "put it directly after the block of an `if`, `choose`, `may` or `pick`, in the same column"
    message = "this `else` does not follow a block that can have one"
    return SyntaxFinding(codes.STRAY_ELSE, message, site.place, hint)


def _is_below_options(text: str, offset: int) -> bool:
    """Return whether the block above an `else` holds the options of a `choose`, or is one of them."""
    *above, line = text[:offset].split("\n")
    for upper in reversed(above):
        if re.match(r" *option\b", upper) and upper.index("option") >= len(line):
            return True
        if upper.strip() and len(upper) - len(upper.lstrip()) <= len(line):
            break
    return False


# ---------------------------------------------------------------- statements and words


def _match_missing_comma(site: _FaultContext) -> SyntaxFinding | None:
    if site.word in ("by", "prompt", "label", "secret") and "COMMA" in site.expected and site.first_word in NOTATIONS:
        fix = ((site.previous_place[1], site.previous_place[1]), ",")
        return site.explain(site.notation_hint, f"a comma is missing before `{site.word}`", fix=fix)
    if site.word in ("or", "and") and "COMMA" in site.expected and site.first_word == "take":
        fix = ((site.previous_place[1], site.place[1]), ",")
        return site.explain("write `,` between actions", fix=fix, is_certain=True)
    return None


def _match_misspelt_clause(site: _FaultContext) -> SyntaxFinding | None:
    """Find a text after a word that resembles ``prompt``, ``label`` or ``because``, or None."""
    if site.word != '"' or not site.previous_word.isidentifier() or site.previous_word in KEYWORDS:
        return None
    hint = suggest_name(site.previous_word, ("prompt", "label", "because"))
    message = f"`{site.previous_word}` doesn't fit here"
    return None if hint is None else site.explain(hint, message, site.previous_place)


def _match_clause_order(site: _FaultContext) -> SyntaxFinding | None:
    """Find a clause of a choice that is too early (inside its names) or too late (after ``by``, …), or None."""
    if site.word in ("by", "prompt", "label") and "SECRET" in site.expected and site.word.upper() not in site.expected:
        message = f"only names and their lists are allowed here, not `{site.word}`"
        return SyntaxFinding(codes.WRONG_CLAUSE, message, site.place, "write `name in list where condition`")
    clauses_only = {"BY", "PROMPT", "LABEL"} <= site.expected and "LET" not in site.expected
    is_name = site.fault.type in ("NAME", "SECRET")
    if clauses_only and is_name and find_nearest(site.word, ("by", "prompt", "label")) is None:
        message = "the list must come before `by`, `prompt` and `label`"
        return SyntaxFinding(codes.WRONG_CLAUSE, message, site.place, hint=site.notation_hint)
    return None


def _match_missing_amount(site: _FaultContext) -> SyntaxFinding | None:
    """Find a ``move`` without an amount, or without a kind of counter, or None."""
    is_read_as_kind = site.previous_word == "from" and "FROM" in site.expected
    if site.first_word == "move" and (is_read_as_kind or (site.word == "from" and "TO" in site.expected)):
        end = site.previous_place[0] if is_read_as_kind else site.fault.start
        amount = site.text[site.statement[0].end_pos : end].strip()
        if amount and not amount.isidentifier():
            return _make_missing_kind(site, amount, end)
        place = (end - 1 - len(amount), end - 1) if amount else site.place
        hint = f"write `move 1 {amount} from …` or `move all {amount} from …`"
        return SyntaxFinding(codes.MISSING_AMOUNT, "this does not say how many to move", place, hint)
    return None


_OTHERS = "each player in players except [me]: …"
_PLACES = r"(?:of|from|in) (?:the )?([\w.]+) to (?:the )?([\w.]+)"
_SENTENCES = tuple(
    (re.compile(pattern), template)
    for pattern, template in (
        (r"each (?:other|opponent|enemy)", _OTHERS),
        (r"each player (?:except|but|other than) ", _OTHERS),
        (r"end (?:the )?game (?:if|when) ([^\n:;]+)", r"if \1: end game"),
        (r"end the game", "end game"),
        (rf"move (?:the )?top (\d+) (?:\w+ )?{_PLACES}", r"move take(\2, \1) to \3"),
        (r"move (\d+) \w+ (?:of|in) (?:the )?([\w.]+) to (?:the )?([\w.]+)", r"move take(\2, \1) to \3"),
        (r"shuffle ([\w.]+) (?:into|in|to) (?:the )?([\w.]+)", r"move \1 to \2; shuffle \2"),
    )
)
"""Beginnings of statements as a printed card says them, each with the statement in the language."""
_COMPARISONS = {"more": ">", "greater": ">", "larger": ">", "higher": ">", "less": "<", "fewer": "<", "smaller": "<",
                "lower": "<", "least": ">=", "most": "<="}  # fmt: skip


def _match_sentence(site: _FaultContext) -> SyntaxFinding | None:
    """Find a statement worded as on a printed card, such as ``end the game``, or None."""
    if not site.statement:
        return None
    for pattern, template in _SENTENCES:
        sentence = pattern.match(site.text, site.statement[0].start_pos)
        if sentence is not None and sentence.end() >= site.place[0]:
            return site.explain(f"write `{sentence.expand(template)}`")
    return None


def _match_comparison_in_words(site: _FaultContext) -> SyntaxFinding | None:
    """Find a comparison in words, such as ``is more than`` or ``is at least``, or None."""
    word = site.previous_word if site.word == "than" else site.word if site.previous_word == "at" else ""
    if word not in _COMPARISONS:
        return None
    phrase = re.compile(r"(?:is +)?(?:\w+ +than|at +\w+)").search(site.text, max(0, site.previous_place[0] - 4))
    return site.explain(f"write `{_COMPARISONS[word]}`" + (f" instead of `{phrase[0]}`" if phrase else ""))


def _match_bare_amount(site: _FaultContext) -> SyntaxFinding | None:
    """Find a text that is only an amount with a word, such as ``3 gold`` as a cost, or None."""
    amount = re.fullmatch(r"\s*(\d+) +([a-z]\w*)\s*", site.text)
    if amount is None or site.word != amount[2]:
        return None
    return site.explain(f"to pay, write `move {amount[1]} {amount[2]} from pool to pool`")


def _make_missing_kind(site: _FaultContext, amount: str, end: int) -> SyntaxFinding:
    """Explain a move without a kind of counter, such as `move 2 from heap to pot`."""
    source = re.compile(r"from\b[^\n#;]*").match(site.text, end)
    origin = source[0].strip() if source else "from …"
    hint = f"write `move {amount} KIND {origin}`, where `KIND` is a kind of counter"
    if zones := re.fullmatch(r"from +([\w.]+) +to +([\w.]+)", origin):
        hint += f". Cards: `move take({zones[1]}, {amount}) to {zones[2]}`"
    place = (end - 1 - len(amount), end - 1)
    return SyntaxFinding(codes.MISSING_AMOUNT, "this does not say which counters to move", place, hint)


def _match_unknown_statement(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise an unknown first word of a statement, which is not followed by the arguments of a call."""
    if not site.statement and site.word in MISTAKEN_WORDS and "LET" in site.expected:
        return _make_unknown_statement(site.word, site.place)
    is_name = len(site.statement) == 1 and site.statement[0].type == "NAME"
    if not is_name or (site.is_at_line_end and site.first_word not in MISTAKEN_WORDS):
        return None
    if not {"SEMICOLON", "_NL"} & site.expected:
        return None
    return _make_unknown_statement(site.first_word, site.previous_place)


def _make_unknown_statement(word: str, place: Place) -> SyntaxFinding:
    hint = suggest_name(word, STATEMENTS) or f"to call an effect, write `{word}(…)`"
    if word in MISTAKEN_WORDS:
        hint = f"write `{MISTAKEN_WORDS[word]}`"
    return SyntaxFinding(codes.UNKNOWN_STATEMENT, f"no statement begins with `{word}`", place, hint)


def _match_keyword_declaration(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise a keyword as the name of a new variable.

    It follows a word such as `let`, and precedes `in`, `=` or `over`.
    """
    if site.word not in KEYWORDS or site.previous_word not in DECLARING_WORDS or not {"NAME", "SECRET"} & site.expected:
        return None
    follower = re.compile(r"\s+in\b|\s*=(?!=)|\s+over\b").match(site.text, site.place[1])
    if follower is None:
        return None
    hint = f"give it another name, such as `{site.word}_one`"
    message = f"`{site.word}` is a word of the language and can't be a name"
    return SyntaxFinding(codes.KEYWORD_AS_NAME, message, site.place, hint, is_certain=True)


def _match_list_without_brackets(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise `with most`, `with least` or `with distinct` behind the list of a choice or loop. It needs brackets."""
    if site.word != "with" or "WHERE" not in site.expected:
        return None
    in_index = next((i for i in range(len(site.statement) - 1, -1, -1) if str(site.statement[i]) == "in"), None)
    if in_index is None:
        return None
    source = site.text[site.statement[in_index].end_pos : site.fault.start].strip()
    phrase = re.compile(r"with\s+\w+").match(site.text, site.fault.start)
    hint = f"put the list in brackets: `in ({source} {phrase.group() if phrase else 'with most'} …)`"
    message = "`with` can't follow this list without brackets"
    return site.explain(hint, message, is_certain=True)


def _match_list_after_from(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise `from` or `of` in place of `in`, as in `choose n from 0..9`."""
    if not site.statement or site.is_in_quotes:
        return None
    pattern = re.compile(r"(?:choose|order|pick|roll|for each)\s+(?:secret\s+)?(\w+)\s+(from|of)\s+(?!in\b)([^,:#\n]+)")
    match = pattern.match(site.text, site.statement[0].start_pos)
    if match is None or site.fault.start < match.start(1) or site.fault.start > match.end():
        return None
    message = f"after `{match[1]}` comes `in`, not `{match[2]}`"
    hint = f"write `{site.text[match.start() : match.end(1)]} in {match[3].strip()}`"
    place = match.span(2)
    return site.explain(hint, message, place, fix=(place, "in"), is_certain=True)


def _match_chance_as_value(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise a random draw inside of an expression, as in `set die to roll 1..6`. Draws are statements.

    The correction of `let x = roll 1..6` is `roll x in 1..6`.
    """
    if site.previous_word not in ("roll", "pick") or len(site.statement) < 2 or site.word in ("", "in"):
        return None
    line_end = re.compile(r"[^\n#]*").match(site.text, site.fault.start)
    source = line_end[0].strip() if line_end else ""
    statement_start = site.text[site.statement[0].start_pos : site.previous_place[0]].strip()
    ending = " at random" if site.previous_word == "pick" else ""
    let = re.match(r"let (\w+) *=$", statement_start)
    name = let[1] if let else "n"
    statement = f"{site.previous_word} {name} in {source.removesuffix('at random').strip()}{ending}"
    correction = f"{statement}: {statement_start} n" if site.first_word != "let" else statement
    fix = (site.statement[0].start_pos, site.fault.start + len(source)), correction
    message = f"`{site.previous_word}` begins a statement; it is not a value"
    return site.explain(f"write `{correction}`", message, site.previous_place, fix, is_certain=True)


def _match_text_without_quotes(site: _FaultContext) -> SyntaxFinding | None:
    """Recognise a text without quotation marks behind `prompt`, `label`, `because` or `may`."""
    previous_keyword = str(site.statement[-2]) if len(site.statement) > 1 else ""
    is_clause = site.previous_word in ("prompt", "label") and previous_keyword in (",", "choose", "order")
    # a single word after `because` is the name of an ending
    is_second_word = previous_keyword == "because" and site.word.isidentifier()
    keyword, place = (previous_keyword, site.previous_place) if is_second_word else (site.previous_word, site.place)
    if not (is_clause or keyword in ("because", "may")) or site.is_at_line_end or site.word in (*'":,', "="):
        return None
    match = re.compile(r"((?!, *(?:by|prompt|label)\b)[^\n\"#])*").match(site.text, place[0])
    text = match[0].strip().removesuffix(":") if match else ""
    message = f"the text after `{keyword}` has no quotation marks"
    end = place[0] + len(text)
    is_closed = site.text[place[0] + len(match[0]) :][:1] == '"' if match else False
    fix = ((place[0], place[0]), '"') if is_closed else ((place[0], end), f'"{text}"')
    hint = f'write `{keyword} "{text}"`'
    return site.explain(hint, message, place, fix=fix, is_certain=True)


def _match_keyword_as_name(site: _FaultContext) -> SyntaxFinding | None:
    if site.word not in KEYWORDS or "NAME" not in site.expected or site.expected & {"LPAR", "LET"}:
        return None
    message = f"`{site.word}` is a word of the language and can't be a name"
    hint = f"choose another name, such as `{site.word}_one`"
    return SyntaxFinding(codes.KEYWORD_AS_NAME, message, site.place, hint)


def _match_missing_value(site: _FaultContext) -> SyntaxFinding | None:
    """Find a place where a value must begin but another word or the line's end follows, or None."""
    if not site.expects_value:
        return None
    location = f" after `{site.previous_word}`" if site.previous_word else ""
    if site.is_at_line_end:
        message = f"a value is missing{location}"
        return SyntaxFinding(codes.UNFINISHED, message, _get_place_after(site), site.notation_hint)
    if site.fault.is_reserved or site.word in KEYWORDS or site.fault.type not in VALUE_STARTS:
        return site.explain(site.notation_hint, f"a value is missing before `{site.word}`")
    return None


def _match_misspelt_word(site: _FaultContext) -> SyntaxFinding | None:
    if site.fault.type != "NAME" or site.fault.is_reserved:
        return None
    suggestion = suggest_name(site.word, filter(str.isidentifier, site.expected_words))
    return None if suggestion is None else site.explain(suggestion)


def _match_any(site: _FaultContext) -> SyntaxFinding:
    expectation = _describe_expected(site.expected)
    if site.is_at_line_end:
        message = "this ends too early" if site.previous_word else "there is nothing here"
        return SyntaxFinding(codes.UNFINISHED, message + expectation, _get_place_after(site), site.notation_hint)
    return site.explain(site.notation_hint, f"`{site.word}` doesn't fit here{expectation}")


def _get_place_after(site: _FaultContext) -> Place:
    """Return the place just behind the last word, or the start of an empty text."""
    return (site.previous_place[1], site.previous_place[1] + 1) if site.previous_word else (0, 1)


def _get_spelling(terminal: str) -> str:
    return get_terminal_spellings().get(terminal, "")


def _describe_expected(expected: Iterable[str]) -> str:
    """Return ``: expected …`` with the words that are valid here, or an empty text if there are too many."""
    terminals = set(expected) - {"_INDENT", "_DEDENT"}
    if "LET" in terminals:
        return ": expected a statement"
    words = []
    if {"LPAR", "INT"} <= terminals:
        words.append("a value")
        terminals -= VALUE_STARTS
    if {"DOT", "LSQB"} <= terminals:
        terminals -= OPERATORS
        if not terminals - LINE_ENDS - {"SEMICOLON"}:
            return ": expected an operator or the end" if terminals else ""
    terminals -= {"SEMICOLON", "$END"} if "_NL" in terminals or len(terminals) > 1 else set()
    words += sorted(TERMINAL_NAMES.get(name) or f"`{_get_spelling(name) or name.lower()}`" for name in terminals)
    return f": expected {join_items(words, 'or')}" if 0 < len(words) <= 5 else ""


_RECOGNISERS: tuple[Callable[[_FaultContext], SyntaxFinding | None], ...] = (
    _match_unfinished_text,
    _match_bad_escape,
    _match_fraction,
    _match_chained_comparison,
    _match_assignment,
    _match_foreign_operator,
    _match_stray_character,
    _match_closing_bracket,
    _match_open_bracket,
    _match_empty_block,
    _match_keyword_declaration,
    _match_list_without_brackets,
    _match_list_after_from,
    _match_missing_comma,
    _match_missing_comma_at_end,
    _match_invalid_event,
    _match_invalid_rule,
    _match_comparison_in_words,
    _match_sentence,
    _match_missing_colon,
    _match_unexpected_indent,
    _match_stray_else,
    _match_chance_as_value,
    _match_text_without_quotes,
    _match_block_in_line,
    _match_two_statements,
    _match_misspelt_clause,
    _match_clause_order,
    _match_missing_amount,
    _match_bare_amount,
    _match_unknown_statement,
    _match_keyword_as_name,
    _match_missing_value,
    _match_misspelt_word,
    _match_any,
)
"""Functions that each recognise one kind of mistake, in the order of trial: from the most specific to the fallback."""
