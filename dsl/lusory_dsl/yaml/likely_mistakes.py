"""Find the likely cause of YAML syntax errors, and report YAML that looks like a mistake.

PyYAML reports an error where it noticed it, often far behind the mistake. :func:`explain_syntax_error` searches for
the mistake and adds a diagnostic there. The other functions find scalars and tabs that other YAML readers read
differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from ..source import diagnostic_codes
from ..source.diagnostics import Code, Diagnostics
from ..source.source import Source, Span, count_indent

_SIGNS = re.compile(r" *(\S +)*\S *")
"""Matches a row of a diagram: single characters separated by spaces."""


def _find_diagram_indent(lines: list[str], fault: int) -> int | None:
    """Return the indentation indicator that a diagram in a block scalar needs, or None.

    YAML takes the indentation of a block scalar from its first line. If line ``fault``, counted from 0, of a diagram is
    indented less, the author must write the number of columns behind the ``|``. Returns None if ``fault`` is not a row
    of such a diagram, or if its rows are not indented more than the key. Example: below ``map: |``, rows with 6 and 4
    spaces need ``|4``.
    """
    head = next((n for n in range(fault - 1, -1, -1) if not _SIGNS.fullmatch(lines[n])), None)
    if head is None or head == fault - 1 or not lines[head].rstrip().endswith("|"):
        return None
    if not _SIGNS.fullmatch(lines[fault]):
        return None
    head_indent = count_indent(lines[head])
    rows = takewhile(lambda line: count_indent(line) > head_indent and _SIGNS.fullmatch(line), lines[head + 1 :])
    row_indent = min(map(count_indent, rows), default=head_indent)
    return row_indent - head_indent if head_indent < row_indent < count_indent(lines[head + 1]) else None


STRANGE_SPACE = re.compile("[\xa0\u2000-\u200a\u202f\u3000]")
_KEY = re.compile(r"\s*(?:- +)*(?:[^\s:#'\"\[{][^:#]*:\s+)?")
"""Matches the start of a line up to its value: indentation, dashes and a key."""


def describe_strange_space(space: str) -> str:
    """Return the message “this is not an ordinary space (U+00A0): YAML takes it for a letter” for such a space."""
    return f"this is not an ordinary space (U+{ord(space):04X}): YAML takes it for a letter"


def explain_syntax_error(
    source: Source, problem: str, offset: int, context: int | None, diagnostics: Diagnostics
) -> None:
    """Add one diagnostic for a syntax error of PyYAML, at the likely mistake.

    ``problem`` joins PyYAML's context and its problem: ``while scanning a tag: expected '!'``, or ``: expected '!'``
    without a context. ``offset`` is the place where it stopped; an offset behind the text is taken for its end.
    ``context`` is the start of the construct that it was reading, or None. If no mistake is recognised, the diagnostic
    is YAML_SYNTAX at ``offset``, with the message ``this is not valid YAML: PROBLEM``, in which ``problem`` has no
    leading colon.
    """
    fault = _SyntaxError(source, problem, min(offset, len(source.text)), context, diagnostics)
    explanations = (
        fault._explain_tab,
        fault._explain_unclosed,
        fault._explain_trailing_text,
        fault._explain_special_character,
        fault._explain_colon,
        fault._explain_missing_value,
        fault._explain_line,
    )
    if not any(explain() for explain in explanations):
        fault.report(f"this is not valid YAML: {problem.removeprefix(': ')}", fault.offset)


class _SyntaxError:
    """One syntax error. Each method ``_explain_…`` tests for a family of mistakes.

    If the error belongs to its family, the method adds a diagnostic and returns True.
    """

    def __init__(
        self, source: Source, problem: str, offset: int, context: int | None, diagnostics: Diagnostics
    ) -> None:
        self.source, self.text, self.problem, self.diagnostics = source, source.text, problem, diagnostics
        self.offset, self.context = offset, context
        self.line_start = self.text.rfind("\n", 0, offset) + 1
        line_end = self.text.find("\n", offset)
        self.line_text = self.text[self.line_start : len(self.text) if line_end < 0 else line_end]
        self.indent = len(self.line_text) - len(self.line_text.lstrip())
        self.value_start = self.line_start + len(_KEY.match(self.line_text)[0])  # type: ignore[index]

    def report(
        self,
        message: str,
        start: int,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
        code: Code = diagnostic_codes.YAML_SYNTAX,
        width: int = 1,
    ) -> bool:
        """Report an error of ``width`` characters at ``start``, and return True."""
        self.diagnostics.add(code, message, Span(self.source, start, start + width), hint, notes)
        return True

    def _explain_tab(self) -> bool:
        """Report a tab in the indentation, else a tab where a value begins, else an unusual space in the line.

        Returns whether there was one. Example: “this line is indented with a tab”.
        """
        lead = self.text[self.line_start : self.line_start + self.indent]
        if "\t" in lead:
            place = self.line_start + lead.index("\t")
            return self.report("this line is indented with a tab", place, "use spaces", code=diagnostic_codes.YAML_TAB)
        if self.text[self.offset : self.offset + 1] == "\t":
            return self.report("a tab where a value begins", self.offset, "use spaces", code=diagnostic_codes.YAML_TAB)
        return self._explain_strange_space(self.line_text, self.line_start)

    def _explain_strange_space(self, line: str, start: int) -> bool:
        """Report the first unusual space in a line that begins at ``start``. Returns whether there is one."""
        space = STRANGE_SPACE.search(line)
        if space is None:
            return False
        message, code = describe_strange_space(space[0]), diagnostic_codes.CONTROL_CHARACTER
        return self.report(message, start + space.start(), "type a space instead", code=code)

    def _explain_unclosed(self) -> bool:
        """Report an unclosed quote or bracket, an invalid escape in double quotes, or a sign that can't stand in the
        open brackets. Returns whether it was one of these. Example: “this `[` is never closed”.
        """
        if self.context is None:
            return False
        opening = self.text[self.context : self.context + 1]
        if "quoted scalar" in self.problem and ("end of stream" in self.problem or "document" in self.problem):
            return self.report("this quote is never closed", self.context, f"end the text with `{opening}`")
        if "quoted scalar" in self.problem and opening == '"':
            backslash = self.text.rfind("\\", 0, self.offset + 1)
            escape = self.text[backslash : backslash + 2]
            hint = "write `\\\\` for a backslash, or use single quotes"
            begins_code = escape in ("\\x", "\\u", "\\U")
            message = "begins a character code, but no valid one follows" if begins_code else "means nothing"
            return self.report(f"in double quotes, `{escape}` {message}", backslash, hint, width=2)
        if "flow" in self.problem and opening in ("[", "{"):
            closing = "]" if opening == "[" else "}"
            notes = [(Span(self.source, self.context, self.context + 1), f"the `{opening}` that is open here")]
            if self.offset >= len(self.text.rstrip()) or self.context < self.line_start:
                return self.report(f"this `{opening}` is never closed", self.context, f"close it with `{closing}`")
            character = self.text[self.offset]
            if character in "[{" and self._explain_unquoted_bracket(opening, character):
                return True
            signs = "a `?`" if character == "?" else "brackets, commas or `: `"
            hint = f"close it with `{closing}`, or put text with {signs} in quotes"
            message = f"`{character}` is not allowed here: `,` or `{closing}` is missing before it"
            return self.report(message, self.offset, hint, notes)
        return False

    def _explain_unquoted_bracket(self, opening: str, bracket: str) -> bool:
        """Report a text with brackets in it, such as ``x[it]``, that lacks quotes inside of brackets or braces.

        ``opening`` is the enclosing bracket and ``bracket`` the bracket in the text. Returns false if no such text is
        found.
        """
        start = max(self.text.rfind(sign, 0, self.offset) + len(sign) for sign in (", ", ": ", "{", "[", "\n"))
        start += len(self.text[start : self.offset]) - len(self.text[start : self.offset].lstrip())
        if start == self.offset:
            return False
        end, depth = self.offset, 0
        while self.text[end : end + 1] not in ("", "\n") and (depth or self.text[end] not in ",]}"):
            depth += (self.text[end] in "[{(") - (self.text[end] in "]})")
            end += 1
        text = self.text[start:end].strip()
        quoted_text = f"'{text}'" if '"' in text else f'"{text}"'
        message = f"a text with `{bracket}` in it needs quotes here, inside `{opening}`"
        hint = f"put the whole text in quotes: `{quoted_text}`"
        return self.report(message, start, hint, width=self.offset + 1 - start)

    def _explain_special_character(self) -> bool:
        """Report a text that begins with a character that has a meaning in YAML. Returns whether it was that.

        A ``*`` or ``&`` without a name gives “`*` begins a YAML alias” (or anchor). A ``%`` at the start of a line
        gives “a YAML directive”. A text behind ``|`` or ``>`` gives “nothing may follow `|` on its line”. A character
        that can begin no value gives “a text can't begin with a backtick”. Also reports a sign such as ``,`` where a
        value is missing before it.
        """
        if "alias" in self.problem or "anchor" in self.problem:
            start = self.value_start if self.context is None else self.context
            sign = self.text[start]
            hint = f"a text that begins with `{sign}` needs quotes"
            name = "alias" if sign == "*" else "anchor"
            return self.report(f"`{sign}` begins a YAML {name}", start, hint, code=diagnostic_codes.ANCHOR_OR_ALIAS)
        if "directive" in self.problem or self.text.startswith("%", self.line_start):
            return self.report("a YAML directive", self.line_start, "delete the line", code=diagnostic_codes.YAML_TAG)
        if "block scalar" in self.problem:
            sign = self.text[self.context] if self.context is not None else "|"
            hint = f"begin the text on the next line, indented; a text that begins with `{sign}` needs quotes"
            return self.report(f"nothing may follow `{sign}` on its line", self.offset, hint)
        character = self.text[self.offset : self.offset + 1]
        if "cannot start any token" in self.problem:
            name = "a backtick" if character == "`" else f"`{character}`"
            hint = f"a text that begins with {name} needs quotes"
            return self.report(f"a text can't begin with {name}", self.offset, hint)
        if "node content" in self.problem:
            return self.report(f"something is missing before `{character}`", self.offset, "write a value, or quotes")
        return False

    def _explain_colon(self) -> bool:
        """Report the likely mistake behind PyYAML's ``mapping values``, and return whether it was that problem.

        The first of these counts:

        1. A colon is missing in the line above, or in this one before ``[`` or ``{``: “a `:` is missing after `do`”.
        2. This line has a second colon.
        3. The line above has an unusual space, or none after a colon.
        4. The indentation of this line is wrong.
        """
        if "mapping values" not in self.problem:
            return False
        key = self.line_text[: self.offset - self.line_start].strip().removeprefix("- ")
        text_above = self.text[: self.line_start].rstrip("\n")
        previous = text_above.rpartition("\n")[2]
        previous_start = len(text_above) - len(previous)
        if self._explain_missing_colon(previous, previous_start):
            return True
        begins_bracket = re.match(r" *(- +)*[\w-]+ +[\[{]", self.line_text) is not None
        if begins_bracket and self._explain_missing_colon(self.line_text, self.line_start):
            return True
        if self.value_start < self.offset:
            hint = "a text that contains `: ` needs quotes, or a block under `|`"
            return self.report("a second `:` on this line", self.offset, hint)
        if self._explain_strange_space(previous, previous_start):
            return True
        if match := re.fullmatch(r"\s*(?:- +)*([\w-]+):(\S.*)", previous):
            place = previous_start + match.end(1)
            return self.report("a space is missing after this `:`", place, f"write `{match[1]}: {match[2]}`")
        start = self.line_start + self.indent
        hint = "line it up with the keys it belongs to; a text over several lines needs `|` or quotes"
        return self.report(f"the key `{key}` is indented like a part of the text above", start, hint, width=len(key))

    def _explain_missing_colon(self, line: str, start: int) -> bool:
        """Report a line that is a key, or a key and a value, without a colon. ``start`` is the offset of the line.

        Returns false if the line has another form.
        """
        content = re.sub(r"\s+#.*", "", line).rstrip()
        match = re.fullmatch(r"( *(?:- +)*)([A-Za-z][\w-]*)( +[\[{].*| +[^:]*|)", content)
        if match is None:
            return False
        place = start + match.end(2)
        value = match[3].strip()
        hint = f"write `{match[2]}: {value}`" if value else f"write `{match[2]}:`"
        return self.report(f"a `:` is missing after `{match[2]}`", place, hint)

    def _explain_missing_value(self) -> bool:
        """Report a key without a value in braces that begin further up. Returns whether it was that.

        Example: a line ``start:}`` gives “`start` has no value”.
        """
        key = re.search(r"[\w-]+$", self.text[self.line_start : self.offset])
        if key is None or self.text[self.offset : self.offset + 2] not in (":,", ":}"):
            return False
        return self.report(f"`{key[0]}` has no value", self.offset, f"write a value behind `{key[0]}:`")

    def _explain_trailing_text(self) -> bool:
        """Report text behind a quoted text, list or mapping that is already complete. Returns whether it was that.

        The message is “the value is already complete before this”. But if the quote before the text has no partner on
        its line, it ends a text from further up. The message is then “a `"` is missing on this line”. It stands at the
        last quote of the nearest line above with an odd number of such quotes. Without such a line, it is “the `"`
        before this ends a text that began further up”.
        """
        before = self.text[self.line_start : self.offset].rstrip()
        if before.endswith(("'", '"')) and before.count(before[-1]) % 2:
            return self._explain_odd_quote(before[-1])
        opening = self.text[self.value_start : self.value_start + 1]
        if self.value_start < self.offset and opening and opening in "{['\"":
            hint = f"a text that begins with `{opening}` needs quotes around all of it"
            if opening in "'\"":
                sign = "'" if opening == '"' else '"'
                value = self.line_text[self.value_start - self.line_start :].strip()
                hint = f"put all of it in quotes: {sign}{value}{sign}"
            return self.report("the value is already complete before this", self.offset, hint)
        return False

    def _explain_odd_quote(self, quote: str) -> bool:
        """Report the nearest line above that has an odd number of ``quote``."""
        lines_above = self.text[: self.line_start].split("\n")
        while lines_above:
            line = lines_above.pop()
            if len(re.findall(r"(?<!\\)" + quote, line)) % 2:
                place = sum(len(other_line) + 1 for other_line in lines_above) + line.rindex(quote)
                hint = f"a text begins and ends with `{quote}`"
                return self.report(f"a `{quote}` is missing on this line", place, hint)
        hint = f"look further up for a text whose closing `{quote}` is missing"
        return self.report(f"the `{quote}` before this ends a text that began further up", self.offset, hint)

    def _explain_line(self) -> bool:
        """Report a line that is neither a key nor an item, a colon without a key, or a line with wrong indentation.

        Returns whether it was that. Example: “this line has no `:` and is no list item”.
        """
        start = self.line_start + self.indent
        width = max(len(self.line_text.strip()), 1)
        if "expected ':'" in self.problem and self.context is not None:
            context = _SyntaxError(self.source, "", self.context, None, self.diagnostics)
            start, width = context.line_start + context.indent, len(context.line_text.strip())
            hint = "write `key: value`, or `- item` in a list; a text over several lines needs `|` or quotes"
            return self.report("this line has no `:` and is no list item", start, hint, width=width)
        first = re.match(r"(?:\s*(?:#.*)?\n)*( *)\S", self.text)
        if "document start" in self.problem and first is not None and first[1]:
            line = self.text[first.start(1) :].partition("\n")[0]
            hint = "a ruleset is one mapping, whose sections begin at the left edge"
            message = "this line is indented more than the lines below it"
            return self.report(message, first.end(1), hint, width=len(line.strip()))
        if "document start" in self.problem:
            hint = "indent it, or give it a key; a ruleset is one mapping from its first line to its last"
            return self.report("this line does not continue the lines above", start, hint, width=width)
        if "block collection" in self.problem:
            hint = "begin it with `- `, or line it up with the keys it belongs to"
            return self.report("this line is in a list but is not an item", start, hint, width=width)
        if "block mapping" in self.problem:
            if self.text[self.offset : self.offset + 1] == ":":
                return self.report("the key before this `:` is missing", self.offset)
            return self._explain_misindented_line()
        return False

    def _explain_misindented_line(self) -> bool:
        """Report a line that is indented wrongly, or that lacks its colon or key. Always reports, and returns True."""
        lines = self.text.split("\n")
        number = self.text.count("\n", 0, self.line_start)
        if (columns := _find_diagram_indent(lines, number)) is not None:
            hint = f"if the first line is indented more than others, begin the picture with `|{columns}` instead of `|`"
            start = self.line_start + self.indent
            return self.report("this line is indented less than the first line of its picture", start, hint)
        if sign := re.fullmatch(r" *([|>][+-]?) *(#.*)?", lines[number]):
            hint = f"write the key that the text below belongs to, such as `do: {sign[1]}`"
            return self.report(f"the key before this `{sign[1]}` is missing", self.line_start + sign.start(1), hint)
        if self._explain_missing_colon(self.line_text, self.line_start):
            return True
        hint = "line it up with the keys above that it belongs to"
        start, width = self.line_start + self.indent, max(len(self.line_text.strip()), 1)
        return self.report("the indentation of this line matches no line above it", start, hint, width=width)


_YAML_1_1 = {
    "a truth value": r"(?i:yes|no|on|off)",
    "a number": r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[0-9][0-9_.]*_[0-9_.]*|\.(?i:inf))|\.(?i:nan)",
    "a date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*",
    "a sign of YAML": r"=|<<",
}
"""Kind of value in other YAML readers -> regular expression of the plain scalars that they read as such."""
_MISREAD_TEXT = [(kind, re.compile(spelling)) for kind, spelling in _YAML_1_1.items()]
ANOTHER_NUMBER = "another value"
"""The kind of a number that other readers spell differently, so that they may read another value."""
_MAY_BE_MISREAD = re.compile(r"[-+.0-9=<yYnNoO]")

_PORTABLE_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*|[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?)|\.[0-9]+(?:[eE][-+][0-9]+)?")

_COMMENT_OR_TAB = re.compile(r"(?<!\S)#[^\n]*|\t")


def find_misreading(text: str, value: object, is_key: bool = False) -> str | None:
    """Return what other YAML readers take a plain scalar for, or None if they read it as lusory does.

    ``text`` is the scalar as written, and ``value`` what lusory reads where it is no key. The texts ``yes`` and ``off``
    give ``a truth value``, ``1:30`` and ``0x1F`` ``a number``, ``2024-01-31`` ``a date``, and ``=`` and ``<<``
    ``a sign of YAML``. The numbers ``012`` and ``1e3`` give :data:`ANOTHER_NUMBER`. Other texts, such as ``y``, most
    numbers, ``true``, ``false``, ``null`` and ``~`` give None.

    lusory reads every key as a text. With ``is_key``, the value None therefore gives ``nothing``, and True and False
    give ``a truth value``. Numbers as Python writes them, such as ``12`` and ``12.0``, give None. Others, such as
    ``+12`` and ``.5``, give ANOTHER_NUMBER.
    """
    if isinstance(value, str):
        if not _MAY_BE_MISREAD.match(text):
            return None
        return next((kind for kind, spelling in _MISREAD_TEXT if spelling.fullmatch(text)), None)
    if value is None or isinstance(value, bool):
        return ("nothing" if value is None else "a truth value") if is_key else None
    is_portable = text == str(value) if is_key else _PORTABLE_NUMBER.fullmatch(text)
    return None if is_portable else ANOTHER_NUMBER


def format_portable_number(value: float) -> str | None:
    """Return a spelling of a number that all YAML readers read alike, or None if it is too large or too small."""
    text = repr(value)
    return text if _PORTABLE_NUMBER.fullmatch(text) else None


def find_tabs(text: str, quoted_ranges: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the offsets of tabs that are neither in a comment nor in a quoted text or block, in ascending order.

    ``quoted_ranges`` holds the start and end of each quoted text and block scalar, in any order.
    """
    position = 0
    for start, end in [*sorted(quoted_ranges), (len(text), len(text))]:
        yield from (match.start() for match in _COMMENT_OR_TAB.finditer(text, position, start) if match[0] == "\t")
        position = end
