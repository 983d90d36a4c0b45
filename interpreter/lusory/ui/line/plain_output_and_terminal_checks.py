"""Write plain text and errors to the standard streams, read standard input, and find out what the terminal can do.

All text is made safe for terminals, so that control characters can't reach them. Only this module and
:mod:`lusory.ui.line.terminal_output_and_line_editing` use the standard streams. It imports nothing slow.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from lusory_dsl.source.source import make_one_line, make_printable

MIN_COLUMNS, MIN_ROWS = 60, 20
"""Minimum size of a terminal for a full-screen interface."""
SUBSTITUTED = "lusory.substituted"
"""Name of the error handler that replaces characters an encoding lacks."""
_FORMS = {
    "C": "♣♧",
    "D": "♦♢",
    "H": "♥♡",
    "S": "♠♤",
    "|": "│┃║╵╷▏",
    "-": "─━═╴╶–—−",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝╠╣╦╩╬±",
    "/": "╱",
    "\\": "╲",
    "X": "╳",
    ">": "▸►▶→›≥",
    "<": "◂◄◀←≤",
    "^": "▲△↑",
    "v": "▼▽↓✓",
    "=": "↔",
    "@": "↺●",
    "o": "○◦",
    "#": "◆□■▒▁▂▃▄▅▆▇█",
    "*": "★☆•",
    ".": "…·",
    "x": "×",
    '"': "“”",
    "'": "‘’",
}
SIGNS = {sign: form for form, signs in _FORMS.items() for sign in signs}
"""Sign -> the ASCII letter that stands for it, in one column."""
_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


_is_ascii = False


def is_ascii() -> bool:
    """Return whether the terminal shows ASCII only.

    It does after :func:`write_ascii`, or if the encoding of standard output is unknown or lacks ``│`` or ``▸``. So
    cp437, which has box lines but no ``▸``, counts as ASCII.
    """
    if _is_ascii:
        return True
    try:
        "│▸".encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeError):
        return True
    return False


def write_ascii() -> None:
    """Let standard output and standard error write ASCII characters only, one for each other character.

    They write ``>`` for ``→`` and ``e`` for ``é``. A character without a similar one becomes ``*``: see
    :func:`make_ascii`. Requires :func:`prepare`. A stream without ``reconfigure`` stays as it is. From then on,
    :func:`is_ascii` returns True.
    """
    global _is_ascii
    _is_ascii = True
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="ascii", errors=SUBSTITUTED)


def make_ascii(text: str) -> str:
    """Return a text with one ASCII character for each character: see :data:`SIGNS`, ``e`` for ``é``, or ``*``."""
    return text if text.isascii() else "".join(map(_replace_letter, text))


def prepare() -> None:
    """Prepare the standard streams.

    Closed streams are replaced by the null device. Characters that the encoding of the output lacks are written as
    :func:`make_ascii` gives them.
    """
    codecs.register_error(SUBSTITUTED, _substitute)
    for name, mode in _MODES.items():
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=SUBSTITUTED)


def _substitute(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks: ``C`` for ♣, ``e`` for é, otherwise ``*``.

    Never uses ``?``, which marks hidden information.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return make_ascii(lacking), error.end


def _replace_letter(letter: str) -> str:
    if letter.isascii() or letter in SIGNS:
        return SIGNS.get(letter, letter)
    first = unicodedata.normalize("NFKD", letter)[0]
    return first if first.isascii() and first.isprintable() and first != "?" else "*"


_doing = ""
"""The transient status text on the terminal's last line, or ""."""
_cover_count = 0
"""The number of contexts that suppress status lines."""


def show_status(words: str) -> None:
    """Show a transient status line on standard error. The next output wipes it.

    Prints the words as :func:`make_one_line` returns them, without a line break, cut to one column less than the
    terminal has (80 if it says 0). Does nothing if standard error is no terminal or its size can't be read, if the
    words stand there already, or during :func:`suppress_status`. If the variable ``TERM`` is missing, empty, ``dumb``
    or ``unknown``, or if ``ACCESSIBLE`` is not empty, the words become an ordinary line instead. It is not cut, stays,
    and comes again for the same words.
    """
    global _doing
    if words == _doing or _cover_count or not is_error_terminal():
        return
    clear_status()
    if os.environ.get("TERM", "") in ("", "dumb", "unknown") or os.environ.get("ACCESSIBLE"):
        print(make_one_line(words), file=sys.stderr, flush=True)
        return
    try:
        # A terminal that doesn't know its size says 0.
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    # A full screen has replaced standard error.
    except OSError:
        return
    # Import it late: rich is not needed by commands that print only plain text.
    from rich.cells import cell_len, set_cell_size

    line = make_one_line(words)
    print(set_cell_size(line, min(cell_len(line), columns - 1)), end="", file=sys.stderr, flush=True)
    _doing = words


def clear_status() -> None:
    """Wipe the status line, if there is one."""
    global _doing
    if _doing:
        _doing = ""
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def suppress_status() -> Iterator[None]:
    """Wipe the status line, and let :func:`show_status` do nothing while this context is active.

    Full screens and progress bars use it. Contexts can nest, and then all must end. An exception ends one as well. The
    wiped line does not come back.
    """
    global _cover_count
    clear_status()
    _cover_count += 1
    try:
        yield
    finally:
        _cover_count -= 1


def write_line(text: str = "") -> None:
    """Write printable text and a line break to standard output. The status line is wiped first."""
    clear_status()
    print(make_printable(text))


def write_lines(text: str) -> None:
    """Write printable text that ends with a line break to standard output. The status line is wiped first."""
    clear_status()
    print(make_printable(text), end="")


def write_content(content: str | bytes) -> None:
    """Write the exact content of a file to standard output, without a further line break.

    A terminal gets it as printable text: bytes are decoded as UTF-8.
    """
    clear_status()
    if isinstance(content, str):
        sys.stdout.write(make_printable(content) if sys.stdout.isatty() else content)
    elif sys.stdout.isatty():
        sys.stdout.write(make_printable(content.decode("utf-8", "replace")))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def write_error_line(text: str = "") -> None:
    """Write printable text and a line break to standard error. The status line is wiped first."""
    clear_status()
    print(make_printable(text), file=sys.stderr)


def report_error(message: str, hint: str | None = None, details: Sequence[str] = ()) -> None:
    """Write an error to standard error: ``lusory: MESSAGE``, then the details, then ``help: HINT`` if there is a hint.

    Details and the hint are indented by two blanks. Each part is one line, as :func:`make_one_line` makes it: a tab
    becomes four blanks, and U+FFFD replaces each line feed and each other unsafe character. In a terminal, lines are
    broken at its width, see :func:`wrap_message`.
    """
    lines = [f"lusory: {make_one_line(message)}", *(f"  {make_one_line(line)}" for line in details)]
    lines += [f"  help: {make_one_line(hint)}"] if hint else []
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    # Standard error is no terminal.
    except (OSError, ValueError):
        width = 0
    for line in lines:
        for part in wrap_message(line, width) if width else (line,):
            write_error_line(part)


def wrap_message(line: str, width: int) -> list[str]:
    """Return the lines of a message broken between words, so that the terminal doesn't break it inside of one.

    ``wrap_message("aaa  bbb ccc", 8)`` gives ``["aaa  bbb", "    ccc"]``: blanks within a line stay, and those at the
    end of a line go. Those at the start stay, unless the first word doesn't fit beside them. Further lines are indented
    by four blanks. A command between back-quotes stays whole, with the punctuation around it, if both fit into a
    further line. A word that fits into neither the current line nor a further one stands alone, in a line that exceeds
    ``width``. A blank message gives an empty list.
    """
    import textwrap  # only messages at a terminal need it

    def join_command(match: re.Match[str]) -> str:
        return match[0].replace(" ", "\0") if len(match[0]) <= width - 4 else match[0]

    text = re.sub(r"[^`\s]*`[^`]*`[^`\s]*", join_command, line)
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
    return [part.replace("\0", " ") for part in wrapper.wrap(text)]


def read_input(limit: int) -> bytes | None:
    """Read standard input to its end, as bytes. Returns None if it has more than ``limit`` bytes."""
    content = sys.stdin.buffer.read(limit + 1)
    return content if len(content) <= limit else None


def is_error_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr.isatty()


def is_interactive() -> bool:
    """Return whether standard input, output and error all are terminals."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def can_show_full_screen() -> bool:
    """Return whether a full-screen interface is possible and wanted.

    Users of screen readers set ``ACCESSIBLE`` and get lines instead.
    """
    return not explain_no_full_screen()


def explain_no_full_screen() -> str:
    """Return why a full-screen interface is not possible or not wanted, or "" if nothing stands against it.

    The first reason that holds counts:

    - ``input or output is no terminal``, also if this holds only for standard error
    - ``ACCESSIBLE is set``, unless its value is empty
    - ``TERM is `dumb```, which quotes ``dumb``, ``unknown``, or nothing if it is empty or missing; not on Windows
    - ``50×10 is too small: 60×20 is the least``
    """
    if not is_interactive():
        return "input or output is no terminal"
    if os.environ.get("ACCESSIBLE"):
        return "ACCESSIBLE is set"
    if os.name == "posix" and os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return f"TERM is `{os.environ.get('TERM', '')}`"
    return explain_small_terminal(*os.get_terminal_size(sys.stdout.fileno()))


def explain_small_terminal(columns: int, rows: int) -> str:
    """Return why a terminal is too small for a full-screen interface, or "" if it is not.

    The words are ``50×10 is too small: 60×20 is the least``.
    """
    is_too_small = columns < MIN_COLUMNS or rows < MIN_ROWS
    return f"{columns}×{rows} is too small: {MIN_COLUMNS}×{MIN_ROWS} is the least" if is_too_small else ""


def is_in_browser() -> bool:
    """Return whether this process runs behind a browser page, by the driver in ``TEXTUAL_DRIVER``."""
    return os.environ.get("TEXTUAL_DRIVER", "") == "textual.drivers.web_driver:WebDriver"


def flush() -> None:
    """Flush standard output. Raises OSError if that fails."""
    # The library of the language server closes the stream at the end.
    if not sys.stdout.closed:
        sys.stdout.flush()


def redirect_all_output() -> None:
    """Redirect standard output and error to the null device, for the time after the terminal has closed.

    Streams without a file descriptor stay as they are, also None.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            os.dup2(null, stream.fileno())
    os.close(null)


def redirect_output() -> None:
    """Redirect standard output to nowhere after its reader has closed, so that flushing at exit can't fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
