"""Find the likely cause of a syntax error, and turn it into a message and a hint.

:func:`explain` tries a list of functions. Each recognises one kind of mistake, from the unexpected word, its
neighbours and the expected terminals. Then :func:`respelt` checks if a misspelt word before the error explains it
better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from ..source import diagnostic_codes
from ..source.diagnostics import Code, nearest, slips
from ..source.lazy_dataclass import dataclass, replace
from .grammar import CLOSING, OPENING, Fault, run, spellings
from .keywords import BLOCK_HEADS, FOREIGN_OPERATORS, KEYWORDS, MISTAKEN_WORDS, SHAPES, SOFT_KEYWORDS, STATEMENTS

Place = tuple[int, int]


@dataclass(frozen=True)
class SyntaxFault:
    """A diagnostic with places that are offsets in the effect text.

    :func:`respelt` does not replace it if ``certain`` is true.
    """

    code: Code
    message: str
    place: Place
    hint: str | None = None
    notes: tuple[tuple[Place, str], ...] = ()
    certain: bool = False  # true if no misspelt word before it can be the cause


KIND = "KIND"
"""A placeholder for a kind of counter in hints, because the grammar does not know the kinds of a game."""
LINE_ENDS = frozenset(["_NL", "_INDENT", "_DEDENT", "$END"])


class FaultContext:
    """A syntax error with the words around it.

    ``found`` is the unexpected word, ``first`` the first word of its statement, and ``last`` the word before it.
    """

    def __init__(self, text: str, fault: Fault) -> None:
        self.text = text
        self.fault = fault
        self.expected = fault.expected
        self.place: Place = (fault.start, fault.end)
        self.at_line_end = fault.type in LINE_ENDS
        match = re.compile(r"\w+|\S").match(text, fault.start)
        self.found = "" if self.at_line_end or match is None else match.group()
        if self.found:
            self.place = (fault.start, fault.start + len(self.found))
        self.statement = fault.layout.statement
        self.first = str(self.statement[0]) if self.statement else ""
        last = fault.layout.last
        self.last = str(last) if last is not None else ""
        self.last_place: Place = (last.start_pos, last.end_pos) if last is not None else self.place
        self.wants_value = {"LPAR", "INT"} <= self.expected and not self.expected & {"SET", "EQ"}
        self.in_text = bool(self.expected & {"WORDS", "TEMPLATE_WORDS"})

    @property
    def opened(self) -> Place | None:
        """Return the place of the innermost open bracket, or None."""
        bracket = next((t for t in reversed(self.fault.layout.open) if t.type in OPENING), None)
        return None if bracket is None else (bracket.start_pos, bracket.end_pos)

    @property
    def shape(self) -> str | None:
        """Return a hint that shows the notation of the statement, or None if its first word is unknown."""
        shape = SHAPES.get(self.first)
        return f"it looks like this: `{shape}`" if shape else None

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset)


HEADS = re.compile(r"(when|instead of)[ \t]+([^:\n]*?)[ \t]*(?:\bif\b[^:\n]*)?:")
"""Matches the head of an event rule: its first word, and the event up to its condition or colon."""

FORMS = (
    "an event is `effect(…)`, `card enters zone`, `card leaves zone`, `phase begins`, `phase ends` or `value changes`"
)
_ARTICLES = frozenset(("a", "an", "the", "each", "every", "some", "one"))
_MEANT = {
    "arrives": "enters", "comes": "enters", "enter": "enters", "entered": "enters", "goes": "enters",
    "moves": "enters", "joins": "enters", "leave": "leaves", "left": "leaves", "exits": "leaves", "start": "begins",
    "starts": "begins", "begin": "begins", "began": "begins", "started": "begins", "finishes": "ends",
    "ended": "ends", "stops": "ends", "change": "changes", "changed": "changes", "becomes": "changes",
}  # fmt: skip
_FIRST = {"after": "when", "on": "when", "upon": "when", "once": "when", "before": "instead of",
          "at": "when", "always": "while"}  # fmt: skip


def cure_of_event(head: str) -> str | None:
    """Return what to write in place of an invalid event, or None if the words are not recognised.

    ``head`` is the text between `when` and the condition or colon.
    """
    words = head.split()
    plain = [word for word in words if word not in _ARTICLES]
    verb = next((at for at, word in enumerate(plain) if at and (word in _MEANT or word in _MEANT.values())), None)
    if verb is None:
        return None
    meant = _MEANT.get(plain[verb], plain[verb])
    if meant in ("enters", "leaves"):
        return _zone_event(plain[:verb], meant, plain[verb + 1 :])
    if not all(map(_is_name, plain[:verb])):
        return None
    if meant == "changes":
        behind = plain[verb + 1 :]
        place = " ".join(plain[:verb])
        return f"`when {place} changes if {place} is {behind[-1]}`" if behind else f"`when {place} changes`"
    phase = [word for word in plain[:verb] if word not in ("phase", "of")]
    return f"`when {'-'.join(phase) or 'phase'} {meant}`"


def _zone_event(before: list[str], verb: str, behind: list[str]) -> str | None:
    zones = [word for word in behind if word not in ("in", "into", "to", "from", "of", "zone", "play")]
    if not all(map(_is_name, [*before[:1], *zones[:1]])):
        return None
    shown = f"`when {before[0]} {verb} {zones[0] if zones else 'zone'}`"
    return f"{shown}; `{before[0]}` is a name for whatever card it is, and a condition says which ones"


def _is_name(word: str) -> bool:
    return re.fullmatch(r"\w+(\[\w+\])?", word) is not None


def cure_of_first(word: str) -> str | None:
    """Return a hint if ``word`` is an English word that authors write at the start of a rule, or None."""
    ours = _FIRST.get(word)
    return None if ours is None else f"write `{ours} …: …`"


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
NAMING = ("choose", "each", "let", "roll", "pick", "order", "split", "for", "with", "any", "secret", "as", ",", "(")
"""Words and signs that can precede the declaration of a name."""
COLUMNS = "statements of one block begin in the same column"
SIGNS = '(){}[]:;,."=<>+-*'
NAMED = {"NAME": "a name", "INT": "a number", "QUOTE": 'a text in `"`', "_NL": "the end of the line", "$END": "the end"}


def explain(text: str, fault: Fault) -> SyntaxFault:
    """Return the message and hint for a syntax error."""
    scene = FaultContext(text, fault)
    return next(finding for recognise in RECOGNISERS if (finding := recognise(scene)) is not None)


# ---------------------------------------------------------------- texts and characters


def _unfinished_text(s: FaultContext) -> SyntaxFault | None:
    quote = next((t for t in reversed(s.fault.layout.open) if t.type == "QUOTE"), None)
    if quote is None or not s.at_line_end:
        return None
    start = quote.start_pos
    return SyntaxFault(
        diagnostic_codes.UNFINISHED_TEXT,
        "this text has no closing quotation mark",
        (start, max(s.fault.end, start + 1)),
        hint='a text begins and ends with `"`, on one line',
    )


def _bad_escape(s: FaultContext) -> SyntaxFault | None:
    if not s.in_text or s.found not in ("\\", "}"):
        return None
    if s.found == "}":
        return SyntaxFault(diagnostic_codes.BAD_ESCAPE, "a `}` without a `{`", s.place, hint="`}}` writes a brace")
    escape = s.text[s.fault.start : s.fault.start + 2]
    return SyntaxFault(
        diagnostic_codes.BAD_ESCAPE,
        f"`{escape}` means nothing in a text",
        (s.fault.start, s.fault.start + len(escape)),
        hint='only `\\"` and `\\\\` are written with a backslash',
    )


def _fraction(s: FaultContext) -> SyntaxFault | None:
    if s.last == "." and s.found.isdigit():
        start = s.last_place[0]
        return SyntaxFault(
            diagnostic_codes.FOREIGN_OPERATOR,
            "there are only whole numbers",
            (start, s.place[1]),
            hint="a range is written with two dots: `1..6`",
        )
    return None


def _foreign_operator(s: FaultContext) -> SyntaxFault | None:
    at = s.fault.start
    if s.in_text or s.at_line_end:
        return None
    if s.text[at : at + 2] in ("+=", "-="):
        verb = "increase" if s.found == "+" else "decrease"
        message = f"`{s.found}=` is not an operator here"
        return SyntaxFault(diagnostic_codes.FOREIGN_OPERATOR, message, (at, at + 2), hint=f"write `{SHAPES[verb]}`")
    for start, end in ((max(at - 1, 0), at + 1), (at, at + 2), (at, at + 1)):
        written = s.text[start:end]
        ours = FOREIGN_OPERATORS.get(written)
        if ours is not None:
            kind = "quotation mark" if ours == '"' else "operator"
            message = f"`{written}` is not {'a' if kind[0] == 'q' else 'an'} {kind} here"
            return SyntaxFault(
                diagnostic_codes.FOREIGN_OPERATOR, message, (start, start + len(written)), hint=f"write `{ours}`"
            )
    return None


def _chained_comparison(s: FaultContext) -> SyntaxFault | None:
    compared = any(t.type in COMPARISONS for t in s.statement)
    if s.found not in ("=", "<", ">", "!") or not compared or "AND" not in s.expected or "TO" in s.expected:
        return None
    return SyntaxFault(
        diagnostic_codes.UNEXPECTED_WORD,
        "two things are compared at a time",
        s.place,
        hint="join two comparisons with `and`: `1 <= n and n <= 6`",
    )


def _assignment(s: FaultContext) -> SyntaxFault | None:
    if s.found != "=":
        return None
    if s.first == "set" and "TO" in s.expected:
        return SyntaxFault(
            diagnostic_codes.UNEXPECTED_WORD, "`=` doesn't fit here", s.place, hint="write `to`: `set place to value`"
        )
    if s.statement and s.statement[0].type == "NAME" and "COLON" not in s.expected:
        place = s.text[s.statement[0].start_pos : s.fault.start].strip()
        return SyntaxFault(
            diagnostic_codes.UNKNOWN_STATEMENT,
            "`=` compares; it doesn't change anything",
            s.place,
            hint=f"to change it, write `set {place} to …`; to name a value, `let {place} = …`",
        )
    return None


def _stray_character(s: FaultContext) -> SyntaxFault | None:
    if not s.found or s.fault.type:
        return None
    if re.match(r"\d+\w", s.found):
        dice = re.fullmatch(r"\d*[dDwW](\d+)", s.found)
        hint = f"dice are rolled by a statement: `roll name in 1..{dice[1]}`" if dice else "names begin with a letter"
        return SyntaxFault(
            diagnostic_codes.STRAY_CHARACTER, f"`{s.found}` is neither a number nor a name", s.place, hint
        )
    if s.found in SIGNS or s.found.isidentifier() or s.found.isdecimal():
        return None
    return SyntaxFault(diagnostic_codes.STRAY_CHARACTER, f"`{s.found}` means nothing here", s.place)


# ---------------------------------------------------------------- brackets


def _closing_bracket(s: FaultContext) -> SyntaxFault | None:
    if s.fault.type not in CLOSING and s.found not in (")", "]", "}"):
        return None
    if s.opened is None:
        return SyntaxFault(diagnostic_codes.UNMATCHED_BRACKET, f"`{s.found}` closes nothing", s.place)
    opening = s.text[s.opened[0]]
    if {"(": ")", "[": "]", "{": "}"}[opening] == s.found:
        return None
    return SyntaxFault(
        diagnostic_codes.UNMATCHED_BRACKET,
        f"`{s.found}` does not close `{opening}`",
        s.place,
        notes=((s.opened, "opened here"),),
    )


def _open_bracket(s: FaultContext) -> SyntaxFault | None:
    if s.opened is None or s.in_text:
        return None
    later = s.at_line_end or s.line_of(s.opened[0]) < s.line_of(s.fault.start)
    if not later and not (s.found == ":" and s.expected & CLOSING and s.text[s.opened[0]] != "{"):
        return None
    bracket = s.text[s.opened[0]]
    hint = f"`{bracket}` in a text begins a value; `{{{{` writes a brace" if bracket == "{" else None
    return SyntaxFault(diagnostic_codes.UNMATCHED_BRACKET, f"this `{bracket}` is not closed", s.opened, hint)


# ---------------------------------------------------------------- lines and blocks


def _empty_block(s: FaultContext) -> SyntaxFault | None:
    if s.expected != {"_INDENT"} and not ("_INDENT" in s.expected and s.last == ":"):
        return None
    return SyntaxFault(
        diagnostic_codes.EMPTY_BLOCK,
        "nothing stands in this block",
        s.last_place,
        hint="what belongs to it is indented under the colon, or stands behind it",
    )


def _missing_comma_at_end(s: FaultContext) -> SyntaxFault | None:
    """Recognise a line without a final comma before a clause of the same statement."""
    clause = re.compile(r"[ \t]*(#[^\n]*)?\n\s*(by|prompt|label)\b").match(s.text, s.last_place[1])
    if not s.at_line_end or clause is None:
        return None
    message = "a comma is missing at the end of this line"
    place = (s.last_place[1], s.last_place[1] + 1)
    return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, message, place, s.shape, certain=True)


def _not_an_event(s: FaultContext) -> SyntaxFault | None:
    """Recognise an event that is written in free English."""
    if s.first not in ("when", "instead") or s.opened:
        return None
    head = HEADS.match(s.text, s.statement[0].start_pos)
    if head is None or s.fault.start > head.end(2) or "(" in head[2]:
        return None
    cure = cure_of_event(head[2])
    if (
        cure is None
        and s.found not in KEYWORDS
        and nearest(s.found, [spellings().get(name, "") for name in s.expected])
    ):
        return None
    hint = FORMS if cure is None else f"write {cure}"
    return SyntaxFault(
        diagnostic_codes.UNEXPECTED_WORD, f"`{head[2]}` is no event", (head.start(2), head.end(2)), hint, certain=True
    )


def _not_a_rule(s: FaultContext) -> SyntaxFault | None:
    """Recognise an English word in place of the first word of a rule."""
    cure = cure_of_first(s.found) if not s.statement and {"WHEN", "WHILE"} <= s.expected else None
    if cure is None:
        return None
    return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, f"no rule begins with `{s.found}`", s.place, cure)


def _missing_colon(s: FaultContext) -> SyntaxFault | None:
    if "COLON" in s.expected and not s.opened and s.first in BLOCK_HEADS:
        if s.at_line_end:
            return _colon(s.last_place)
        fits = [spellings().get(name, "") for name in s.expected]
        starts = s.found in STATEMENTS or (s.fault.type == "NAME" and not s.fault.reserved)
        if starts and not nearest(s.found, fits):
            return _colon(s.last_place, f" before `{s.found}`")
    header = s.fault.layout.header
    if s.fault.type == "_INDENT" and header and header[0] in BLOCK_HEADS and header[-1].type != "COLON":
        return _colon((header[-1].start_pos, header[-1].end_pos))
    return None


def _colon(after: Place, where: str = "") -> SyntaxFault:
    message = f"a colon is missing{where}" if where else "a colon is missing at the end of this line"
    return SyntaxFault(
        diagnostic_codes.MISSING_COLON, message, (after[1], after[1] + 1), hint="what follows the colon belongs to it"
    )


def _unexpected_indent(s: FaultContext) -> SyntaxFault | None:
    if s.fault.type != "_INDENT":
        return None
    start = s.fault.start + re.match(r"(\s|#.*)*", s.text[s.fault.start :]).end()  # type: ignore[union-attr]
    return SyntaxFault(
        diagnostic_codes.BAD_INDENTATION,
        "this line is indented, but the line before it opens no block",
        (start, start + 1),
        hint=COLUMNS,
    )


def _block_in_line(s: FaultContext) -> SyntaxFault | None:
    """Recognise a block on the same line as the colon of another block."""
    begins = s.found in BLOCK_HEADS and not s.statement and "LET" in s.expected and bool(s.fault.layout.header)
    opens = s.found == ":" and s.first in BLOCK_HEADS and "SEMICOLON" in s.expected
    offers = s.found in ("by", "prompt") and s.last == "choose"
    if not (begins or opens or offers):
        return None
    first = s.statement[0] if s.statement else None
    return SyntaxFault(
        diagnostic_codes.UNEXPECTED_WORD,
        f"`{s.found if first is None else s.first}` can't begin a block on the line of another",
        s.place if first is None else (first.start_pos, first.end_pos),
        hint="begin a new line, indented under the colon",
    )


def _two_statements(s: FaultContext) -> SyntaxFault | None:
    if s.found.isidentifier() and "SEMICOLON" in s.expected and s.last in (")", "stop"):
        return SyntaxFault(
            diagnostic_codes.UNEXPECTED_WORD,
            f"a new statement begins at `{s.found}` on the same line",
            s.place,
            hint="put a `;` between the two, or begin a new line",
        )
    return None


def _stray_else(s: FaultContext) -> SyntaxFault | None:
    if s.found != "else":
        return None
    if "THEN" in s.expected:
        return SyntaxFault(
            diagnostic_codes.UNEXPECTED_WORD, "`else` comes after `then`", s.place, hint="`if c then a else b`"
        )
    if not s.statement and _stands_below_options(s.text, s.fault.start):
        return SyntaxFault(
            diagnostic_codes.STRAY_ELSE,
            "an `else` can't follow the `option`s of a `choose`",
            s.place,
            hint='write one more option without a condition instead, such as `option pass "Pass": …`; an `else` stands '
            "below an `if`, `may`, `pick` or `choose name in list` with a block",
            certain=True,
        )
    if s.statement or s.expected & {"LET"} == set():
        return None
    return SyntaxFault(
        diagnostic_codes.STRAY_ELSE,
        "this `else` belongs to nothing",
        s.place,
        hint="it stands under an `if`, `may`, `pick` or `choose name in list` with a block, in the same column",
    )


def _stands_below_options(text: str, offset: int) -> bool:
    """Return whether the block above an `else` holds the options of a `choose`, or is one of them."""
    *above, line = text[:offset].split("\n")
    for upper in reversed(above):
        if re.match(r" *option\b", upper) and upper.index("option") >= len(line):
            return True
        if upper.strip() and len(upper) - len(upper.lstrip()) <= len(line):
            break
    return False


# ---------------------------------------------------------------- statements and words


def _missing_comma(s: FaultContext) -> SyntaxFault | None:
    if s.found in ("by", "prompt", "label", "secret") and "COMMA" in s.expected and s.first in SHAPES:
        return SyntaxFault(
            diagnostic_codes.UNEXPECTED_WORD,
            f"a comma is missing before `{s.found}`",
            s.place,
            hint=s.shape,
        )
    return None


def _misspelt_clause(s: FaultContext) -> SyntaxFault | None:
    if s.found != '"' or not s.last.isidentifier() or s.last in KEYWORDS:
        return None
    near = nearest(s.last, ("prompt", "label", "because"))
    if near is None:
        return None
    return SyntaxFault(
        diagnostic_codes.UNEXPECTED_WORD, f"`{s.last}` doesn't fit here", s.last_place, hint=f"did you mean `{near}`?"
    )


def _clause_order(s: FaultContext) -> SyntaxFault | None:
    if s.found in ("by", "prompt", "label") and "SECRET" in s.expected and s.found.upper() not in s.expected:
        return SyntaxFault(
            diagnostic_codes.WRONG_CLAUSE,
            f"only what is chosen can stand here, not `{s.found}`",
            s.place,
            hint="each part is `name in list where condition`",
        )
    clauses_only = {"BY", "PROMPT", "LABEL"} <= s.expected and "LET" not in s.expected
    if clauses_only and s.fault.type in ("NAME", "SECRET") and nearest(s.found, ("by", "prompt", "label")) is None:
        message = "what is chosen comes before `by`, `prompt` and `label`"
        return SyntaxFault(diagnostic_codes.WRONG_CLAUSE, message, s.place, hint=s.shape)
    return None


def _missing_amount(s: FaultContext) -> SyntaxFault | None:
    taken_for_a_kind = s.last == "from" and "FROM" in s.expected
    if s.first == "move" and (taken_for_a_kind or (s.found == "from" and "TO" in s.expected)):
        end = s.last_place[0] if taken_for_a_kind else s.fault.start
        what = s.text[s.statement[0].end_pos : end].strip()
        if what and not what.isidentifier():
            return _missing_kind(s, what, end)
        return SyntaxFault(
            diagnostic_codes.MISSING_AMOUNT,
            "this does not say how many to move",
            (end - 1 - len(what), end - 1) if what else s.place,
            hint=f"`move 1 {what} from …`, or `move all {what} from …`",
        )
    return None


def _missing_kind(s: FaultContext, amount: str, end: int) -> SyntaxFault:
    """Explain a move without a kind of counter, such as `move 2 from heap to pot`."""
    rest = re.compile(r"from\b[^\n#;]*").match(s.text, end)
    hint = f"write `move {amount} {KIND} {rest[0].strip() if rest else 'from …'}`; `{KIND}` is a kind of counter"
    place = (end - 1 - len(amount), end - 1)
    return SyntaxFault(diagnostic_codes.MISSING_AMOUNT, "this does not say which counters to move", place, hint)


def _unknown_statement(s: FaultContext) -> SyntaxFault | None:
    """Recognise an unknown first word of a statement, which is not followed by the arguments of a call."""
    if not s.statement and s.found in MISTAKEN_WORDS and "LET" in s.expected:
        return _not_a_statement(s.found, s.place)
    if len(s.statement) != 1 or s.statement[0].type != "NAME" or (s.at_line_end and s.first not in MISTAKEN_WORDS):
        return None
    if not {"SEMICOLON", "_NL"} & s.expected:
        return None
    return _not_a_statement(s.first, s.last_place)


def _not_a_statement(word: str, place: Place) -> SyntaxFault:
    near = nearest(word, STATEMENTS)
    if word in MISTAKEN_WORDS:
        hint = f"here it is written `{MISTAKEN_WORDS[word]}`"
    elif near is not None:
        hint = f"did you mean `{near}`?"
    else:
        hint = f"an effect is called with parentheses: `{word}(…)`"
    return SyntaxFault(diagnostic_codes.UNKNOWN_STATEMENT, f"no statement begins with `{word}`", place, hint)


def _name_that_is_taken(s: FaultContext) -> SyntaxFault | None:
    """Recognise a keyword as the name of a new variable.

    It follows a word such as `let`, and precedes `in`, `=` or `over`.
    """
    if s.found not in KEYWORDS or s.last not in NAMING or not {"NAME", "SECRET"} & s.expected:
        return None
    behind = re.compile(r"\s+in\b|\s*=(?!=)|\s+over\b").match(s.text, s.place[1])
    if behind is None:
        return None
    hint = f"give it another name, such as `{s.found}_one`"
    message = f"`{s.found}` is a word of the language and can't be a name"
    return SyntaxFault(diagnostic_codes.KEYWORD_AS_NAME, message, s.place, hint, certain=True)


def _list_without_brackets(s: FaultContext) -> SyntaxFault | None:
    """Recognise `with most`, `with least` or `with distinct` behind the list of a choice or loop. It needs brackets."""
    if s.found != "with" or "WHERE" not in s.expected:
        return None
    before = next((i for i in range(len(s.statement) - 1, -1, -1) if str(s.statement[i]) == "in"), None)
    if before is None:
        return None
    source = s.text[s.statement[before].end_pos : s.fault.start].strip()
    words = re.compile(r"with\s+\w+").match(s.text, s.fault.start)
    hint = f"put the list in brackets: `in ({source} {words.group() if words else 'with most'} …)`"
    message = "`with` can't follow this list without brackets"
    return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, message, s.place, hint, certain=True)


def _list_behind_from(s: FaultContext) -> SyntaxFault | None:
    """Recognise `from` or `of` in place of `in`, as in `choose n from 0..9`."""
    if not s.statement or s.in_text:
        return None
    head = re.compile(r"(?:choose|order|pick|roll|for each)\s+(?:secret\s+)?(\w+)\s+(from|of)\s+(?!in\b)([^,:#\n]+)")
    found = head.match(s.text, s.statement[0].start_pos)
    if found is None or s.fault.start < found.start(1) or s.fault.start > found.end():
        return None
    message = f"what follows `{found[1]}` begins with `in`, not with `{found[2]}`"
    hint = f"write `{s.text[found.start() : found.end(1)]} in {found[3].strip()}`"
    return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, message, found.span(2), hint, certain=True)


def _chance_as_value(s: FaultContext) -> SyntaxFault | None:
    """Recognise a random draw inside of an expression, as in `set die to roll 1..6`. Draws are statements."""
    if s.last not in ("roll", "pick") or len(s.statement) < 2 or s.found in ("", "in"):
        return None
    line_end = re.compile(r"[^\n#]*").match(s.text, s.fault.start)
    source = line_end[0].strip() if line_end else ""
    before = s.text[s.statement[0].start_pos : s.last_place[0]].strip()
    statement = f"{s.last} n in {source.removesuffix('at random').strip()}{' at random' if s.last == 'pick' else ''}"
    hint = f"write `{statement}: {before} n`" if s.first != "let" else f"write `{statement}`"
    message = f"`{s.last}` begins a statement and is no value"
    return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, message, s.last_place, hint, certain=True)


def _words_without_quotes(s: FaultContext) -> SyntaxFault | None:
    """Recognise a text without quotation marks behind `prompt`, `label`, `because` or `may`."""
    before = str(s.statement[-2]) if len(s.statement) > 1 else ""
    is_clause = s.last in ("prompt", "label") and before in (",", "choose", "order")
    if not (is_clause or s.last in ("because", "may")) or s.at_line_end or s.found in (*'":,', "="):
        return None
    words = re.compile(r"((?!, *(?:by|prompt|label)\b)[^\n\"#])*").match(s.text, s.fault.start)
    text = words[0].strip().removesuffix(":") if words else ""
    message = f"the text behind `{s.last}` has no quotation marks"
    return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, message, s.place, f'write `{s.last} "{text}"`', certain=True)


def _choice_of_several(s: FaultContext) -> SyntaxFault | None:
    """Recognise a wrong word order in a choice of several values, such as `choose secret 2 x in xs`."""
    if s.first != "choose" or len(s.statement) < 2:
        return None
    if s.last == "secret" and (s.found in ("any", "up") or s.found.isdigit()):
        many = "up to 2" if s.found == "up" else s.found
        hint = f"write `choose {many} secret name in list`"
        return SyntaxFault(
            diagnostic_codes.UNEXPECTED_WORD, "`secret` stands before the name", s.last_place, hint, certain=True
        )
    if s.last == "count" and s.statement[1] == "count" and (s.found.isidentifier() or s.found.isdigit()):
        hint = "write how many: `choose 2 name in list`, `choose up to 2 name in list` or `choose any name in list`"
        return SyntaxFault(
            diagnostic_codes.UNEXPECTED_WORD, "`count` does not stand here", s.last_place, hint, certain=True
        )
    return None


def _keyword_as_name(s: FaultContext) -> SyntaxFault | None:
    if s.found in KEYWORDS and "NAME" in s.expected and not s.expected & {"LPAR", "LET"}:
        return SyntaxFault(
            diagnostic_codes.KEYWORD_AS_NAME,
            f"`{s.found}` is a word of the language and can't be a name",
            s.place,
            hint=f"choose another name, such as `{s.found}_one`",
        )
    return None


def _missing_value(s: FaultContext) -> SyntaxFault | None:
    if not s.wants_value:
        return None
    behind = f" after `{s.last}`" if s.last else ""
    if s.at_line_end:
        return SyntaxFault(diagnostic_codes.UNFINISHED, f"a value is missing{behind}", _behind(s), s.shape)
    if s.fault.reserved or s.found in KEYWORDS or s.fault.type not in VALUE_STARTS:
        return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, f"a value is missing before `{s.found}`", s.place, s.shape)
    return None


def _misspelt(s: FaultContext) -> SyntaxFault | None:
    if s.fault.type != "NAME" or s.fault.reserved:
        return None
    near = nearest(s.found, [word for word in map(_spelling, s.expected) if word.isidentifier()])
    if near is None:
        return None
    return SyntaxFault(
        diagnostic_codes.UNEXPECTED_WORD, f"`{s.found}` doesn't fit here", s.place, hint=f"did you mean `{near}`?"
    )


def _anything(s: FaultContext) -> SyntaxFault:
    wanted = _wanted(s.expected)
    if s.at_line_end:
        message = "this ends too early" if s.last else "nothing stands here"
        return SyntaxFault(diagnostic_codes.UNFINISHED, message + wanted, _behind(s), s.shape)
    return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, f"`{s.found}` doesn't fit here{wanted}", s.place, s.shape)


def _behind(s: FaultContext) -> Place:
    """Return the place just behind the last word, or the start of an empty text."""
    return (s.last_place[1], s.last_place[1] + 1) if s.last else (0, 1)


def _spelling(terminal: str) -> str:
    return spellings().get(terminal, "")


def _wanted(expected: Iterable[str]) -> str:
    """Return ``: expected …`` with the words that are valid here, or an empty text if there are too many."""
    left = set(expected) - {"_INDENT", "_DEDENT"}
    if "LET" in left:
        return ": expected a statement"
    words = []
    if {"LPAR", "INT"} <= left:
        words.append("a value")
        left -= VALUE_STARTS
    if {"DOT", "LSQB"} <= left:
        left -= OPERATORS
        if not left - LINE_ENDS - {"SEMICOLON"}:
            return ": expected an operator or the end" if left else ""
    left -= {"SEMICOLON", "$END"} if "_NL" in left or len(left) > 1 else set()
    words += sorted(NAMED.get(name) or f"`{_spelling(name) or name.lower()}`" for name in left)
    if not words or len(words) > 5:
        return ""
    return f": expected {' or '.join([', '.join(words[:-1]), words[-1]] if len(words) > 1 else words)}"


RECOGNISERS: tuple[Callable[[FaultContext], SyntaxFault | None], ...] = (
    _unfinished_text,
    _bad_escape,
    _fraction,
    _chained_comparison,
    _assignment,
    _foreign_operator,
    _stray_character,
    _closing_bracket,
    _open_bracket,
    _empty_block,
    _name_that_is_taken,
    _list_without_brackets,
    _list_behind_from,
    _missing_comma,
    _missing_comma_at_end,
    _not_an_event,
    _not_a_rule,
    _missing_colon,
    _unexpected_indent,
    _stray_else,
    _chance_as_value,
    _words_without_quotes,
    _choice_of_several,
    _block_in_line,
    _two_statements,
    _misspelt_clause,
    _clause_order,
    _missing_amount,
    _unknown_statement,
    _keyword_as_name,
    _missing_value,
    _misspelt,
    _anything,
)
"""Functions that each recognise one kind of mistake, in the order of trial: from the most specific to the fallback."""


MOST_NAMES = 4
"""Number of names before the error that are checked for misspellings."""
MOST_CHARACTERS = 5_000
"""Longer texts are not checked for misspellings, because each candidate needs another parse."""

_WORDS = sorted(KEYWORDS | SOFT_KEYWORDS)
_DOUBTED = {
    diagnostic_codes.UNEXPECTED_WORD,
    diagnostic_codes.UNKNOWN_STATEMENT,
    diagnostic_codes.MISSING_COLON,
    diagnostic_codes.MISSING_AMOUNT,
    diagnostic_codes.UNFINISHED,
    diagnostic_codes.STRAY_CHARACTER,
    diagnostic_codes.WRONG_CLAUSE,
    diagnostic_codes.KEYWORD_AS_NAME,
    diagnostic_codes.STRAY_ELSE,
    diagnostic_codes.BAD_INDENTATION,
}


def respelt(start: str, text: str, fault: Fault, finding: SyntaxFault) -> SyntaxFault:
    """Return ``finding``, or a better one if a misspelt word before the error explains it.

    A keyword similar to a name replaces it, and the text is parsed again. The correction is accepted if the parser
    then gets beyond the error.
    """
    if finding.certain or finding.code not in _DOUBTED or len(text) > MOST_CHARACTERS:
        return finding
    for place in _names(text, fault):
        written = text[place[0] : place[1]]
        word = max(_near(written), key=lambda word: _progress(start, text, place, word), default=None)
        if word is not None and _progress(start, text, place, word) > fault.end:
            hint = f"did you mean `{word}`?"
            if finding.place == place:
                return replace(finding, hint=hint)
            return SyntaxFault(diagnostic_codes.UNEXPECTED_WORD, f"`{written}` doesn't fit here", place, hint)
    return finding


def _near(written: str) -> list[str]:
    """Return the keywords that are similar to a name, the nearest first."""
    most = max(1, len(written) // 3)
    lengths = range(len(written) - most, len(written) + most + 1)
    near = [(slips(written.lower(), word), word) for word in _WORDS if len(word) in lengths and word != written]
    return [word for number, word in sorted(near) if number <= most]


def _names(text: str, fault: Fault) -> list[tuple[int, int]]:
    """Return the places of the names at and before the error, the nearest first."""
    statement = fault.layout.statement or fault.layout.header
    before = [t for t in statement if t.type == "NAME"][-MOST_NAMES:]
    places = [(t.start_pos, t.end_pos) for t in reversed(before)]
    if text[fault.start : fault.end].isidentifier() and (fault.start, fault.end) not in places:
        places.insert(0, (fault.start, fault.end))
    return places


@lru_cache(maxsize=64)
def _progress(start: str, text: str, place: tuple[int, int], word: str) -> int:
    """Return how far the text parses if ``word`` replaces the characters at ``place``.

    The result is an offset of the original text.
    """
    result, _ = run(start, text[: place[0]] + word + text[place[1] :])
    shift = len(word) - (place[1] - place[0])
    return result.start - shift if isinstance(result, Fault) else len(text) + 1
