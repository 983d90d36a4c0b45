"""Find the likely cause of a syntax error, and turn it into a message and a hint.

:func:`explain_fault` tries a list of functions. Each recognises one kind of mistake, from the unexpected word, its
neighbours and the expected terminals. Then :func:`lusory_dsl.syntax.syntax_repairs.correct_misspelling`
checks if a misspelt word before the error explains it better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import ValueRecord
from ..source.diagnostics import Code
from ..source.spelling_suggestions import find_nearest
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


KIND = "KIND"
"""A placeholder for a kind of counter in hints, because the grammar does not know the kinds of a game."""
LINE_ENDS = frozenset(["_NL", "_INDENT", "_DEDENT", "$END"])


class FaultContext:
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
        self.is_in_text = bool(self.expected & {"WORDS", "TEMPLATE_WORDS"})

    @property
    def open_bracket(self) -> Place | None:
        """Return the start and end offset of the innermost open bracket, or None."""
        bracket = next((t for t in reversed(self.fault.layout.open) if t.type in OPENING), None)
        return None if bracket is None else (bracket.start_pos, bracket.end_pos)

    @property
    def notation_hint(self) -> str | None:
        """Return a hint that shows the notation of the statement, or None if its first word is unknown."""
        shape = NOTATIONS.get(self.first_word)
        return f"write it like this: `{shape}`" if shape else None

    def refuse(
        self,
        hint: str | None,
        message: str = "",
        place: Place | None = None,
        fix: tuple[Place, str] | None = None,
        is_certain: bool = False,
    ) -> SyntaxFinding:
        """Return a finding with the code UNEXPECTED_WORD: “`WORD` doesn't fit here”, at the place of that word.

        The arguments ``message`` and ``place`` replace these.
        """
        message = message or f"`{self.word}` doesn't fit here"
        place = place or self.place
        return SyntaxFinding(codes.UNEXPECTED_WORD, message, place, hint, fix=fix, is_certain=is_certain)

    def get_line_number(self, offset: int) -> int:
        """Return the number of the line that contains an offset, from 0."""
        return self.text.count("\n", 0, offset)


EVENT_RULE_HEAD = re.compile(r"(when|instead of)[ \t]+([^:\n]*?)[ \t]*(?:\bif\b[^:\n]*)?:")
"""Matches the head of an event rule: its first word, and the event up to its condition or colon."""

EVENT_NOTATIONS = (
    "an event is `effect(…)`, `card enters zone`, `card leaves zone`, `phase begins`, `phase ends` or `value changes`"
)
_ARTICLES = frozenset(("a", "an", "the", "each", "every", "some", "one"))
_EVENT_VERBS = {
    "arrives": "enters", "comes": "enters", "enter": "enters", "entered": "enters", "goes": "enters",
    "moves": "enters", "joins": "enters", "leave": "leaves", "left": "leaves", "exits": "leaves", "start": "begins",
    "starts": "begins", "begin": "begins", "began": "begins", "started": "begins", "finishes": "ends",
    "ended": "ends", "stops": "ends", "change": "changes", "changed": "changes", "becomes": "changes",
}  # fmt: skip
_RULE_WORDS = {"after": "when", "on": "when", "upon": "when", "once": "when", "before": "instead of",
          "at": "when", "always": "while"}  # fmt: skip


def _suggest_event(head: str) -> str | None:
    """Return what to write in place of an invalid event, or None if the words are not recognised.

    ``head`` is the text between `when` and the condition or colon. A verb that can be an event must follow a subject;
    articles don't count. The result is in backticks, and may end with an explanation. Examples: ``score changes to 3``
    gives ``when score changes if score is 3``, and ``the main phase starts`` gives ``when main begins``.
    """
    words = head.split()
    content_words = [word for word in words if word not in _ARTICLES]
    verb = next(
        (
            index
            for index, word in enumerate(content_words)
            if index and (word in _EVENT_VERBS or word in _EVENT_VERBS.values())
        ),
        None,
    )
    if verb is None:
        return None
    event_verb = _EVENT_VERBS.get(content_words[verb], content_words[verb])
    if event_verb in ("enters", "leaves"):
        return _suggest_zone_event(content_words[:verb], event_verb, content_words[verb + 1 :])
    if not all(map(_is_name, content_words[:verb])):
        return None
    if event_verb == "changes":
        words_after = content_words[verb + 1 :]
        place = " ".join(content_words[:verb])
        return f"`when {place} changes if {place} is {words_after[-1]}`" if words_after else f"`when {place} changes`"
    phase = [word for word in content_words[:verb] if word not in ("phase", "of")]
    return f"`when {'-'.join(phase) or 'phase'} {event_verb}`"


def _suggest_zone_event(subject: list[str], verb: str, words_after: list[str]) -> str | None:
    zones = [word for word in words_after if word not in ("in", "into", "to", "from", "of", "zone", "play")]
    if not all(map(_is_name, [*subject[:1], *zones[:1]])):
        return None
    shown = f"`when {subject[0]} {verb} {zones[0] if zones else 'zone'}`"
    return f"{shown}; `{subject[0]}` is a name for whatever card it is, and a condition says which ones"


def _is_name(word: str) -> bool:
    return re.fullmatch(r"\w+(\[\w+\])?", word) is not None


def _suggest_rule_word(word: str) -> str | None:
    """Return a hint if ``word`` is an English word that authors write at the start of a rule, or None."""
    rule_word = _RULE_WORDS.get(word)
    return None if rule_word is None else f"write `{rule_word} …: …`"


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

    They come from the first function of :data:`RECOGNISERS` that knows the mistake; the last one knows every mistake.
    """
    context = FaultContext(text, fault)
    return next(finding for recognise in RECOGNISERS if (finding := recognise(context)) is not None)


# ---------------------------------------------------------------- texts and characters


def _match_unfinished_text(s: FaultContext) -> SyntaxFinding | None:
    """Find a text that is still open at the end of its line, or None. Its place begins at the quotation mark."""
    quote = next((t for t in reversed(s.fault.layout.open) if t.type == "QUOTE"), None)
    if quote is None or not s.is_at_line_end:
        return None
    start = quote.start_pos
    return SyntaxFinding(
        codes.UNFINISHED_TEXT,
        "this text has no closing quotation mark",
        (start, max(s.fault.end, start + 1)),
        hint='a text begins and ends with `"`, on one line',
    )


def _match_bad_escape(s: FaultContext) -> SyntaxFinding | None:
    """Find a ``}`` or a backslash inside a text that has no meaning there, or None."""
    if not s.is_in_text or s.word not in ("\\", "}"):
        return None
    if s.word == "}":
        return SyntaxFinding(
            codes.BAD_ESCAPE, "this `}` has no `{` before it", s.place, hint="to show a brace, write `}}`"
        )
    escape = s.text[s.fault.start : s.fault.start + 2]
    return SyntaxFinding(
        codes.BAD_ESCAPE,
        f"`{escape}` has no meaning in a text",
        (s.fault.start, s.fault.start + len(escape)),
        hint='only `\\"` and `\\\\` are written with a backslash',
    )


def _match_fraction(s: FaultContext) -> SyntaxFinding | None:
    if s.previous_word == "." and s.word.isdigit():
        start = s.previous_place[0]
        return SyntaxFinding(
            codes.FOREIGN_OPERATOR,
            "numbers must be whole",
            (start, s.place[1]),
            hint="write a range with two dots: `1..6`",
        )
    return None


def _match_foreign_operator(s: FaultContext) -> SyntaxFinding | None:
    """Find an operator or quotation mark of other languages, with the spelling of this one as fix. None for others."""
    start_offset = s.fault.start
    if s.is_in_text or s.is_at_line_end:
        return None
    if s.text[start_offset : start_offset + 2] in ("+=", "-="):
        verb = "increase" if s.word == "+" else "decrease"
        message = f"`{s.word}=` is not an operator here"
        fix = _rewrite_change(s, verb)
        return SyntaxFinding(
            codes.FOREIGN_OPERATOR,
            message,
            (start_offset, start_offset + 2),
            hint=f"write `{fix[1] if fix else NOTATIONS[verb]}`",
            fix=fix,
        )
    for start, end in (
        (max(start_offset - 1, 0), start_offset + 1),
        (start_offset, start_offset + 2),
        (start_offset, start_offset + 1),
    ):
        written = s.text[start:end]
        operator = FOREIGN_OPERATORS.get(written)
        if operator is not None:
            kind = "quotation mark" if operator == '"' else "operator"
            message = f"`{written}` is not {'a' if kind[0] == 'q' else 'an'} {kind} here"
            return SyntaxFinding(
                codes.FOREIGN_OPERATOR,
                message,
                (start, start + len(written)),
                hint=f"write `{operator}`",
                fix=((start, start + len(written)), operator),
            )
    return None


def _rewrite_change(s: FaultContext, verb: str) -> tuple[Place, str] | None:
    """Return the fix that turns `place += number` into a statement with ``verb``."""
    if not s.statement:
        return None
    start = s.statement[0].start_pos
    number = re.compile(r"[^\n#;]*").match(s.text, s.fault.start + 2)[0]  # type: ignore[index]
    place = s.text[start : s.fault.start].strip()
    return (start, s.fault.start + 2 + len(number.rstrip())), f"{verb} {place} by {number.strip()}"


def _match_chained_comparison(s: FaultContext) -> SyntaxFinding | None:
    has_comparison = any(t.type in COMPARISONS for t in s.statement)
    if s.word not in ("=", "<", ">", "!") or not has_comparison or "AND" not in s.expected or "TO" in s.expected:
        return None
    return s.refuse("join two comparisons with `and`: `1 <= n and n <= 6`", "a comparison has only two sides")


def _match_assignment(s: FaultContext) -> SyntaxFinding | None:
    """Find a ``=`` used as an assignment: in ``set``, or after a name at the start of a statement. None for others."""
    if s.word != "=":
        return None
    if s.first_word == "set" and "TO" in s.expected:
        return s.refuse("write `to`: `set place to value`")
    if s.statement and s.statement[0].type == "NAME" and "COLON" not in s.expected:
        place = s.text[s.statement[0].start_pos : s.fault.start].strip()
        naming = f"; to name a value, `let {place} = …`" if place.isidentifier() else ""
        return SyntaxFinding(
            codes.UNKNOWN_STATEMENT,
            "`=` compares; it doesn't change anything",
            s.place,
            hint=f"to change it, write `set {place} to …`{naming}",
        )
    return None


def _match_stray_character(s: FaultContext) -> SyntaxFinding | None:
    """Find a character or word that is no token at all, such as ``$`` or ``2d6``, or None."""
    if not s.word or s.fault.type:
        return None
    if re.match(r"\d+\w", s.word):
        dice = re.fullmatch(r"\d*[dDwW](\d+)", s.word)
        hint = f"to roll dice, write `roll name in 1..{dice[1]}`" if dice else "names begin with a letter"
        return SyntaxFinding(codes.STRAY_CHARACTER, f"`{s.word}` is neither a number nor a name", s.place, hint)
    if s.word in GRAMMAR_SIGNS or s.word.isidentifier() or s.word.isdecimal():
        return None
    return SyntaxFinding(codes.STRAY_CHARACTER, f"`{s.word}` has no meaning here", s.place)


# ---------------------------------------------------------------- brackets


def _match_closing_bracket(s: FaultContext) -> SyntaxFinding | None:
    """Find a closing bracket that has no opening bracket or the wrong one, or None."""
    if s.fault.type not in CLOSING and s.word not in (")", "]", "}"):
        return None
    if s.open_bracket is None:
        return SyntaxFinding(codes.UNMATCHED_BRACKET, f"`{s.word}` has no opening bracket", s.place)
    opening = s.text[s.open_bracket[0]]
    if {"(": ")", "[": "]", "{": "}"}[opening] == s.word:
        return None
    return SyntaxFinding(
        codes.UNMATCHED_BRACKET,
        f"`{s.word}` does not close `{opening}`",
        s.place,
        notes=((s.open_bracket, "opened here"),),
    )


def _match_open_bracket(s: FaultContext) -> SyntaxFinding | None:
    if s.open_bracket is None or s.is_in_text:
        return None
    is_on_later_line = s.is_at_line_end or s.get_line_number(s.open_bracket[0]) < s.get_line_number(s.fault.start)
    if not is_on_later_line and not (s.word == ":" and s.expected & CLOSING and s.text[s.open_bracket[0]] != "{"):
        return None
    bracket = s.text[s.open_bracket[0]]
    hint = f"`{bracket}` in a text begins a value; to show a brace, write `{{{{`" if bracket == "{" else None
    return SyntaxFinding(codes.UNMATCHED_BRACKET, f"this `{bracket}` is not closed", s.open_bracket, hint)


# ---------------------------------------------------------------- lines and blocks


def _match_empty_block(s: FaultContext) -> SyntaxFinding | None:
    if s.expected != {"_INDENT"} and not ("_INDENT" in s.expected and s.previous_word == ":"):
        return None
    return SyntaxFinding(
        codes.EMPTY_BLOCK,
        "this block is empty",
        s.previous_place,
        hint="indent its statements below this line, or write one after the colon",
    )


def _match_missing_comma_at_end(s: FaultContext) -> SyntaxFinding | None:
    """Recognise a line without a final comma before a clause of the same statement."""
    clause = re.compile(r"[ \t]*(#[^\n]*)?\n\s*(by|prompt|label)\b").match(s.text, s.previous_place[1])
    if not s.is_at_line_end or clause is None:
        return None
    message = "a comma is missing at the end of this line"
    place = (s.previous_place[1], s.previous_place[1] + 1)
    return s.refuse(s.notation_hint, message, place, is_certain=True)


def _match_invalid_event(s: FaultContext) -> SyntaxFinding | None:
    """Recognise an event that is written in free English."""
    if s.first_word not in ("when", "instead") or s.open_bracket:
        return None
    head = EVENT_RULE_HEAD.match(s.text, s.statement[0].start_pos)
    if head is None or s.fault.start > head.end(2) or "(" in head[2]:
        return None
    suggestion = _suggest_event(head[2])
    if (
        suggestion is None
        and s.word not in KEYWORDS
        and find_nearest(s.word, [get_terminal_spellings().get(name, "") for name in s.expected])
    ):
        return None
    hint = EVENT_NOTATIONS if suggestion is None else f"write {suggestion}"
    return s.refuse(hint, f"`{head[2]}` is not an event", (head.start(2), head.end(2)), is_certain=True)


def _match_invalid_rule(s: FaultContext) -> SyntaxFinding | None:
    """Recognise an English word in place of the first word of a rule."""
    suggestion = _suggest_rule_word(s.word) if not s.statement and {"WHEN", "WHILE"} <= s.expected else None
    if suggestion is None:
        return None
    return s.refuse(suggestion, f"no rule begins with `{s.word}`")


def _match_missing_colon(s: FaultContext) -> SyntaxFinding | None:
    """Find a line such as ``if x`` without its colon, at the unexpected word or at the block below. None for others."""
    if "COLON" in s.expected and not s.open_bracket and s.first_word in BLOCK_HEADS:
        if s.is_at_line_end:
            return _make_missing_colon(s.previous_place)
        fits = [get_terminal_spellings().get(name, "") for name in s.expected]
        starts = s.word in STATEMENTS or (s.fault.type == "NAME" and not s.fault.is_reserved)
        if starts and not find_nearest(s.word, fits):
            return _make_missing_colon(s.previous_place, f" before `{s.word}`")
    header = s.fault.layout.header
    if s.fault.type == "_INDENT" and header and header[0] in BLOCK_HEADS and header[-1].type != "COLON":
        return _make_missing_colon((header[-1].start_pos, header[-1].end_pos))
    return None


def _make_missing_colon(after: Place, where: str = "") -> SyntaxFinding:
    message = f"a colon is missing{where}" if where else "a colon is missing at the end of this line"
    return SyntaxFinding(codes.MISSING_COLON, message, (after[1], after[1] + 1), hint="write `:` here")


def _match_unexpected_indent(s: FaultContext) -> SyntaxFinding | None:
    if s.fault.type != "_INDENT":
        return None
    start = s.fault.start + re.match(r"(\s|#.*)*", s.text[s.fault.start :]).end()  # type: ignore[union-attr]
    return SyntaxFinding(
        codes.BAD_INDENTATION,
        "this line is indented, but the line above does not start a block",
        (start, start + 1),
        hint=COLUMN_HINT,
    )


def _match_block_in_line(s: FaultContext) -> SyntaxFinding | None:
    """Recognise a block on the same line as the colon of another block."""
    is_block_start = s.word in BLOCK_HEADS and not s.statement and "LET" in s.expected and bool(s.fault.layout.header)
    is_block_colon = s.word == ":" and s.first_word in BLOCK_HEADS and "SEMICOLON" in s.expected
    if is_block_start and s.word in MISTAKEN_WORDS:
        return _make_unknown_statement(s.word, s.place)
    is_choice_clause = s.word in ("by", "prompt") and s.previous_word == "choose"
    if not (is_block_start or is_block_colon or is_choice_clause):
        return None
    first = s.statement[0] if s.statement else None
    return s.refuse(
        "put it below, indented under the colon",
        f"`{s.word if first is None else s.first_word}` must start on its own line",
        s.place if first is None else (first.start_pos, first.end_pos),
    )


def _match_two_statements(s: FaultContext) -> SyntaxFinding | None:
    if s.word.isidentifier() and "SEMICOLON" in s.expected and s.previous_word in (")", "stop"):
        return s.refuse(
            "put a `;` between the two, or begin a new line", f"a new statement begins at `{s.word}` on the same line"
        )
    return None


def _match_stray_else(s: FaultContext) -> SyntaxFinding | None:
    """Find an ``else`` before ``then``, below options, or not directly below a suitable block. None for others."""
    if s.word != "else":
        return None
    if "THEN" in s.expected:
        return s.refuse("`if c then a else b`", "`else` comes after `then`")
    if not s.statement and _is_below_options(s.text, s.fault.start):
        return SyntaxFinding(
            codes.STRAY_ELSE,
            "a `choose` with options has no `else`",
            s.place,
            hint='add an option without a condition, such as `option pass "Pass": …`',
            is_certain=True,
        )
    if s.statement or s.expected & {"LET"} == set():
        return None
    return SyntaxFinding(
        codes.STRAY_ELSE,
        "this `else` does not follow a block that can have one",
        s.place,
        hint="put it directly after the block of an `if`, `choose`, `may` or `pick`, in the same column",
    )


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


def _match_missing_comma(s: FaultContext) -> SyntaxFinding | None:
    if s.word in ("by", "prompt", "label", "secret") and "COMMA" in s.expected and s.first_word in NOTATIONS:
        return s.refuse(s.notation_hint, f"a comma is missing before `{s.word}`")
    return None


def _match_misspelt_clause(s: FaultContext) -> SyntaxFinding | None:
    """Find a text after a word that resembles ``prompt``, ``label`` or ``because``, or None."""
    if s.word != '"' or not s.previous_word.isidentifier() or s.previous_word in KEYWORDS:
        return None
    near = find_nearest(s.previous_word, ("prompt", "label", "because"))
    if near is None:
        return None
    return s.refuse(f"did you mean `{near}`?", f"`{s.previous_word}` doesn't fit here", s.previous_place)


def _match_clause_order(s: FaultContext) -> SyntaxFinding | None:
    """Find a clause of a choice that is too early (inside its names) or too late (after ``by``, …), or None."""
    if s.word in ("by", "prompt", "label") and "SECRET" in s.expected and s.word.upper() not in s.expected:
        return SyntaxFinding(
            codes.WRONG_CLAUSE,
            f"only names and their lists are allowed here, not `{s.word}`",
            s.place,
            hint="write `name in list where condition`",
        )
    clauses_only = {"BY", "PROMPT", "LABEL"} <= s.expected and "LET" not in s.expected
    if clauses_only and s.fault.type in ("NAME", "SECRET") and find_nearest(s.word, ("by", "prompt", "label")) is None:
        message = "the list must come before `by`, `prompt` and `label`"
        return SyntaxFinding(codes.WRONG_CLAUSE, message, s.place, hint=s.notation_hint)
    return None


def _match_missing_amount(s: FaultContext) -> SyntaxFinding | None:
    """Find a ``move`` without an amount, or without a kind of counter, or None."""
    is_read_as_kind = s.previous_word == "from" and "FROM" in s.expected
    if s.first_word == "move" and (is_read_as_kind or (s.word == "from" and "TO" in s.expected)):
        end = s.previous_place[0] if is_read_as_kind else s.fault.start
        moved = s.text[s.statement[0].end_pos : end].strip()
        if moved and not moved.isidentifier():
            return _make_missing_kind(s, moved, end)
        return SyntaxFinding(
            codes.MISSING_AMOUNT,
            "this does not say how many to move",
            (end - 1 - len(moved), end - 1) if moved else s.place,
            hint=f"write `move 1 {moved} from …` or `move all {moved} from …`",
        )
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


def _match_sentence(s: FaultContext) -> SyntaxFinding | None:
    """Find a statement worded as on a printed card, such as ``end the game``, or None."""
    if not s.statement:
        return None
    for pattern, template in _SENTENCES:
        found = pattern.match(s.text, s.statement[0].start_pos)
        if found is not None and found.end() >= s.place[0]:
            hint = f"write `{found.expand(template)}`"
            return s.refuse(hint)
    return None


def _match_comparison_in_words(s: FaultContext) -> SyntaxFinding | None:
    """Find a comparison in words, such as ``is more than`` or ``is at least``, or None."""
    word = s.previous_word if s.word == "than" else s.word if s.previous_word == "at" else ""
    if word not in _COMPARISONS:
        return None
    phrase = re.compile(r"(?:is +)?(?:\w+ +than|at +\w+)").search(s.text, max(0, s.previous_place[0] - 4))
    hint = f"write `{_COMPARISONS[word]}`" + (f" instead of `{phrase[0]}`" if phrase else "")
    return s.refuse(hint)


def _match_bare_amount(s: FaultContext) -> SyntaxFinding | None:
    """Find a text that is only an amount with a word, such as ``3 gold`` as a cost, or None."""
    amount = re.fullmatch(r"\s*(\d+) +([a-z]\w*)\s*", s.text)
    if amount is None or s.word != amount[2]:
        return None
    hint = f"to pay, write `move {amount[1]} {amount[2]} from pool to pool`"
    return s.refuse(hint)


def _make_missing_kind(s: FaultContext, amount: str, end: int) -> SyntaxFinding:
    """Explain a move without a kind of counter, such as `move 2 from heap to pot`."""
    rest = re.compile(r"from\b[^\n#;]*").match(s.text, end)
    origin = rest[0].strip() if rest else "from …"
    hint = f"write `move {amount} {KIND} {origin}`; `{KIND}` is a kind of counter"
    if zones := re.fullmatch(r"from +([\w.]+) +to +([\w.]+)", origin):
        hint += f". Cards: `move take({zones[1]}, {amount}) to {zones[2]}`"
    place = (end - 1 - len(amount), end - 1)
    return SyntaxFinding(codes.MISSING_AMOUNT, "this does not say which counters to move", place, hint)


def _match_unknown_statement(s: FaultContext) -> SyntaxFinding | None:
    """Recognise an unknown first word of a statement, which is not followed by the arguments of a call."""
    if not s.statement and s.word in MISTAKEN_WORDS and "LET" in s.expected:
        return _make_unknown_statement(s.word, s.place)
    if (
        len(s.statement) != 1
        or s.statement[0].type != "NAME"
        or (s.is_at_line_end and s.first_word not in MISTAKEN_WORDS)
    ):
        return None
    if not {"SEMICOLON", "_NL"} & s.expected:
        return None
    return _make_unknown_statement(s.first_word, s.previous_place)


def _make_unknown_statement(word: str, place: Place) -> SyntaxFinding:
    near = find_nearest(word, STATEMENTS)
    if word in MISTAKEN_WORDS:
        hint = f"write `{MISTAKEN_WORDS[word]}`"
    elif near is not None:
        hint = f"did you mean `{near}`?"
    else:
        hint = f"to call an effect, write `{word}(…)`"
    return SyntaxFinding(codes.UNKNOWN_STATEMENT, f"no statement begins with `{word}`", place, hint)


def _match_keyword_declaration(s: FaultContext) -> SyntaxFinding | None:
    """Recognise a keyword as the name of a new variable.

    It follows a word such as `let`, and precedes `in`, `=` or `over`.
    """
    if s.word not in KEYWORDS or s.previous_word not in DECLARING_WORDS or not {"NAME", "SECRET"} & s.expected:
        return None
    behind = re.compile(r"\s+in\b|\s*=(?!=)|\s+over\b").match(s.text, s.place[1])
    if behind is None:
        return None
    hint = f"give it another name, such as `{s.word}_one`"
    message = f"`{s.word}` is a word of the language and can't be a name"
    return SyntaxFinding(codes.KEYWORD_AS_NAME, message, s.place, hint, is_certain=True)


def _match_list_without_brackets(s: FaultContext) -> SyntaxFinding | None:
    """Recognise `with most`, `with least` or `with distinct` behind the list of a choice or loop. It needs brackets."""
    if s.word != "with" or "WHERE" not in s.expected:
        return None
    in_index = next((i for i in range(len(s.statement) - 1, -1, -1) if str(s.statement[i]) == "in"), None)
    if in_index is None:
        return None
    source = s.text[s.statement[in_index].end_pos : s.fault.start].strip()
    words = re.compile(r"with\s+\w+").match(s.text, s.fault.start)
    hint = f"put the list in brackets: `in ({source} {words.group() if words else 'with most'} …)`"
    message = "`with` can't follow this list without brackets"
    return s.refuse(hint, message, is_certain=True)


def _match_list_after_from(s: FaultContext) -> SyntaxFinding | None:
    """Recognise `from` or `of` in place of `in`, as in `choose n from 0..9`."""
    if not s.statement or s.is_in_text:
        return None
    head = re.compile(r"(?:choose|order|pick|roll|for each)\s+(?:secret\s+)?(\w+)\s+(from|of)\s+(?!in\b)([^,:#\n]+)")
    match = head.match(s.text, s.statement[0].start_pos)
    if match is None or s.fault.start < match.start(1) or s.fault.start > match.end():
        return None
    message = f"after `{match[1]}` comes `in`, not `{match[2]}`"
    hint = f"write `{s.text[match.start() : match.end(1)]} in {match[3].strip()}`"
    place = match.span(2)
    return s.refuse(hint, message, place, fix=(place, "in"), is_certain=True)


def _match_chance_as_value(s: FaultContext) -> SyntaxFinding | None:
    """Recognise a random draw inside of an expression, as in `set die to roll 1..6`. Draws are statements."""
    if s.previous_word not in ("roll", "pick") or len(s.statement) < 2 or s.word in ("", "in"):
        return None
    line_end = re.compile(r"[^\n#]*").match(s.text, s.fault.start)
    source = line_end[0].strip() if line_end else ""
    statement_start = s.text[s.statement[0].start_pos : s.previous_place[0]].strip()
    ending = " at random" if s.previous_word == "pick" else ""
    statement = f"{s.previous_word} n in {source.removesuffix('at random').strip()}{ending}"
    whole = f"{statement}: {statement_start} n" if s.first_word != "let" else statement
    fix = (s.statement[0].start_pos, s.fault.start + len(source)), whole
    message = f"`{s.previous_word}` begins a statement; it is not a value"
    code, place = codes.UNEXPECTED_WORD, s.previous_place
    return SyntaxFinding(code, message, place, f"write `{whole}`", fix=fix, is_certain=True)


def _match_text_without_quotes(s: FaultContext) -> SyntaxFinding | None:
    """Recognise a text without quotation marks behind `prompt`, `label`, `because` or `may`."""
    previous_keyword = str(s.statement[-2]) if len(s.statement) > 1 else ""
    is_clause = s.previous_word in ("prompt", "label") and previous_keyword in (",", "choose", "order")
    # a single word after `because` is the name of an ending
    is_second_word = previous_keyword == "because" and s.word.isidentifier()
    keyword, place = (previous_keyword, s.previous_place) if is_second_word else (s.previous_word, s.place)
    if not (is_clause or keyword in ("because", "may")) or s.is_at_line_end or s.word in (*'":,', "="):
        return None
    words = re.compile(r"((?!, *(?:by|prompt|label)\b)[^\n\"#])*").match(s.text, place[0])
    text = words[0].strip().removesuffix(":") if words else ""
    message = f"the text after `{keyword}` has no quotation marks"
    end = place[0] + len(text)
    is_closed = s.text[place[0] + len(words[0]) :][:1] == '"' if words else False
    fix = ((place[0], place[0]), '"') if is_closed else ((place[0], end), f'"{text}"')
    hint = f'write `{keyword} "{text}"`'
    return s.refuse(hint, message, place, fix=fix, is_certain=True)


def _match_choice_of_several(s: FaultContext) -> SyntaxFinding | None:
    """Recognise a wrong word order in a choice of several values, such as `choose secret 2 x in xs`."""
    if s.first_word != "choose" or len(s.statement) < 2:
        return None
    if s.previous_word == "secret" and (s.word in ("any", "up") or s.word.isdigit()):
        amount = "up to 2" if s.word == "up" else s.word
        hint = f"write `choose {amount} secret name in list`"
        return s.refuse(hint, "`secret` must stand right before the name", s.previous_place, is_certain=True)
    if s.previous_word == "count" and s.statement[1] == "count" and (s.word.isidentifier() or s.word.isdigit()):
        hint = "write how many: `choose 2 name in list`, `choose up to 2 name in list` or `choose any name in list`"
        return s.refuse(hint, "`count` is not allowed here", s.previous_place, is_certain=True)
    return None


def _match_keyword_as_name(s: FaultContext) -> SyntaxFinding | None:
    if s.word in KEYWORDS and "NAME" in s.expected and not s.expected & {"LPAR", "LET"}:
        return SyntaxFinding(
            codes.KEYWORD_AS_NAME,
            f"`{s.word}` is a word of the language and can't be a name",
            s.place,
            hint=f"choose another name, such as `{s.word}_one`",
        )
    return None


def _match_missing_value(s: FaultContext) -> SyntaxFinding | None:
    """Find a place where a value must begin but another word or the line's end follows, or None."""
    if not s.expects_value:
        return None
    behind = f" after `{s.previous_word}`" if s.previous_word else ""
    if s.is_at_line_end:
        return SyntaxFinding(codes.UNFINISHED, f"a value is missing{behind}", _place_after(s), s.notation_hint)
    if s.fault.is_reserved or s.word in KEYWORDS or s.fault.type not in VALUE_STARTS:
        return s.refuse(s.notation_hint, f"a value is missing before `{s.word}`")
    return None


def _match_misspelt_word(s: FaultContext) -> SyntaxFinding | None:
    if s.fault.type != "NAME" or s.fault.is_reserved:
        return None
    near = find_nearest(s.word, [word for word in map(_get_spelling, s.expected) if word.isidentifier()])
    if near is None:
        return None
    return s.refuse(f"did you mean `{near}`?")


def _match_any(s: FaultContext) -> SyntaxFinding:
    expectation = _describe_expected(s.expected)
    if s.is_at_line_end:
        message = "this ends too early" if s.previous_word else "there is nothing here"
        return SyntaxFinding(codes.UNFINISHED, message + expectation, _place_after(s), s.notation_hint)
    return s.refuse(s.notation_hint, f"`{s.word}` doesn't fit here{expectation}")


def _place_after(s: FaultContext) -> Place:
    """Return the place just behind the last word, or the start of an empty text."""
    return (s.previous_place[1], s.previous_place[1] + 1) if s.previous_word else (0, 1)


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
    if not words or len(words) > 5:
        return ""
    return f": expected {' or '.join([', '.join(words[:-1]), words[-1]] if len(words) > 1 else words)}"


RECOGNISERS: tuple[Callable[[FaultContext], SyntaxFinding | None], ...] = (
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
    _match_choice_of_several,
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
