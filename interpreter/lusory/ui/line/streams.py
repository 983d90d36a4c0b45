"""The standard streams, for what needs no layout: lines for people, text for programs. With the terminal the only door
to them; what steers a terminal does not pass. Imports nothing slow."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from lusory_dsl.source.source import one_line, printable

LEAST_COLUMNS, LEAST_ROWS = 60, 20
"""The smallest terminal that carries a full screen."""
SUBSTITUTED = "lusory.substituted"
"""The name under which Python knows what is written for letters that an encoding lacks."""
SUITS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S", "♧": "C", "♢": "D", "♡": "H", "♤": "S"}
_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


def prepare() -> None:
    """Make the streams of this process fit to be used: one that is closed is an empty one, and what a narrow encoding
    lacks is shown by letters that it has."""
    codecs.register_error(SUBSTITUTED, _substitute)
    for name, mode in _MODES.items():
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=SUBSTITUTED)


def _substitute(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in ASCII: ``C`` for ♣, ``e`` for é, else ``*``. Never ``?``, which stands for what
    is hidden."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(SUITS.get(letter) or _plain_letter(letter) for letter in lacking), error.end


def _plain_letter(letter: str) -> str:
    first = unicodedata.normalize("NFKD", letter)[0]
    return first if first.isascii() and first.isprintable() and first != "?" else "*"


_doing = ""
"""The words that stand on the terminal's last line, to be wiped."""
_is_covered = False


def doing(words: str) -> None:
    """Tell a person who waits what is being done, in a line that goes once something else is said. Where nobody
    watches, or a full screen or a bar covers the line, nothing; where no line can be wiped, it stays."""
    global _doing
    if words == _doing or _is_covered or not somebody_watches():
        return
    done()
    if os.environ.get("TERM", "") in ("", "dumb", "unknown") or os.environ.get("ACCESSIBLE"):
        print(one_line(words), file=sys.stderr, flush=True)
        return
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:  # a full screen has put something else in the place of the terminal
        return
    print(one_line(words)[: columns - 1], end="", file=sys.stderr, flush=True)
    _doing = words


def done() -> None:
    """What was being done is done, or something else is about to be said."""
    global _doing
    if _doing:
        _doing = ""
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def covered() -> Iterator[None]:
    """Within this, a full screen covers all lines, or a bar the last one."""
    global _is_covered
    done()
    _is_covered = True
    try:
        yield
    finally:
        _is_covered = False


def put(text: str = "") -> None:
    """Text and a line break to standard output."""
    done()
    print(printable(text))


def put_text(text: str) -> None:
    """A text that ends in a line break to standard output: a report, say."""
    done()
    print(printable(text), end="")


def put_exactly(content: str | bytes) -> None:
    """A file's content to standard output: every character of it, unless the reader is a terminal."""
    done()
    if isinstance(content, str):
        sys.stdout.write(printable(content) if sys.stdout.isatty() else content)
    elif sys.stdout.isatty():
        sys.stdout.write(printable(content.decode("utf-8", "replace")))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def remark(text: str = "") -> None:
    """Text and a line break to standard error."""
    done()
    print(printable(text), file=sys.stderr)


def complain(message: str, hint: str | None = None, details: Sequence[str] = ()) -> None:
    """What is wrong, in a line, with a line for each of some details, and what helps, in another, to standard error."""
    remark(f"lusory: {one_line(message)}")
    for line in details:
        remark(f"  {one_line(line)}")
    if hint:
        remark(f"  help: {one_line(hint)}")


def taken(limit: int) -> bytes | None:
    """What standard input holds, or None where it is more than ``limit`` bytes."""
    content = sys.stdin.buffer.read(limit + 1)
    return content if len(content) <= limit else None


def somebody_watches() -> bool:
    """Whether standard error is a person's terminal."""
    return sys.stderr.isatty()


def somebody_sits_here() -> bool:
    """Whether all standard streams are a person's terminal."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def carry_full_screen() -> bool:
    """Whether the standard streams are a terminal that can show a full screen, and its reader wants one: screen
    readers, for which ``ACCESSIBLE`` is set, follow lines."""
    return not why_no_full_screen()


def why_no_full_screen() -> str:
    """Why the standard streams carry no full screen; nothing, where they do."""
    if not somebody_sits_here():
        return "input or output is no terminal"
    if os.environ.get("ACCESSIBLE"):
        return "ACCESSIBLE is set"
    if os.name == "posix" and os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return f"TERM is `{os.environ.get('TERM', '')}`"
    return too_small(*os.get_terminal_size(sys.stdout.fileno()))


def too_small(columns: int, rows: int) -> str:
    """That a terminal has too little room for a full screen; nothing, where it has enough."""
    small = columns < LEAST_COLUMNS or rows < LEAST_ROWS
    return f"{columns}×{rows} is too small: {LEAST_COLUMNS}×{LEAST_ROWS} is the least" if small else ""


def in_browser() -> bool:
    """Whether who has started this process carries a full screen to a browser."""
    return os.environ.get("TEXTUAL_DRIVER", "") == "textual.drivers.web_driver:WebDriver"


def flush() -> None:
    """Whatever was put reaches its reader; raises OSError where it can't."""
    sys.stdout.flush()


def terminal_is_gone() -> None:
    """Nobody sees this process any more: whatever it still says goes nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(null, stream.fileno())
    os.close(null)


def reader_is_gone() -> None:
    """Nobody reads standard output any more: give the interpreter nothing to flush into it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
