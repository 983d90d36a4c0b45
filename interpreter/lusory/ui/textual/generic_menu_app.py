"""Show menus: pages of entries for keys and mouse. This module knows nothing about games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal

from ...explain.styled_text_wrapping_and_values import Line, Run, cut_line, to_text, wrap_lines
from ..model.option_tree_and_choice_in_progress import match_names
from ..session.server import run_in_thread
from .choice_input_state_preview_and_key_hints import Hint, draw_key_line
from .scrollable_lines_and_cursor_movement import Sheet
from .terminal_and_signal_handling import FullApp

Gives = tuple[str, ...]
INTERRUPTS: Gives = ("Ctrl-C",)
"""The result of a menu that is interrupted with Ctrl-C."""
NOTHING: tuple[Line, ...] = ((Run(" Nothing fits; Escape clears what is typed.", dim=True),),)
WAYS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -100_000, "end": 100_000}
"""Key -> number of entries, or lines of text, to move by."""


@dataclass(frozen=True)
class Entry:
    """Hold an entry of a menu.

    Attributes:
        about: A description, shown beside the entry.
        opens: Makes another page.
        turns: Returns the page after a step of +1 or -1 through the values of the entry.
        gives: The result of the menu.
    """

    words: Line
    about: tuple[Line, ...] = ()
    opens: Callable[[], Page] | None = None
    turns: Callable[[int], Page] | None = None
    gives: Gives | None = None


@dataclass(frozen=True)
class Page:
    """Hold a page: entries, of which the one with index ``cursor`` is highlighted, or else ``text``."""

    title: str
    entries: tuple[Entry, ...] = ()
    text: tuple[Line, ...] = ()
    cursor: int = 0


class MenuApp(FullApp[Gives]):
    """Show a menu. ``pages`` holds the open pages, and the last one is visible."""

    CSS = """
    #title, #keys { height: 1; background: $panel; }
    #middle { height: 1fr; }
    #entries { width: 2fr; padding: 1; }
    #about { width: 3fr; padding: 1; border-left: solid $panel; }
    """

    def __init__(self, root: Callable[[], Page]) -> None:
        super().__init__()
        self.root = root
        self.pages: list[Page] = []
        self.filter_text = ""
        self.note = ""
        self.is_busy = False

    def compose(self) -> ComposeResult:
        yield Sheet(id="title")
        with Horizontal(id="middle"):
            yield Sheet(id="entries")
            yield Sheet(id="about")
        yield Sheet(id="keys")

    def on_mount(self) -> None:
        """Open the first page."""
        self.open(self.root)

    @work(exit_on_error=False)
    async def open(self, make: Callable[[], Page]) -> None:
        """Make a page in a thread, and show it. If that fails, the last line says why, and the page before stays."""
        self.is_busy, self.note = True, "One moment …"
        self.draw()
        try:
            page = await run_in_thread(make)
        except Exception as problem:
            self.is_busy, self.note = False, f"That can't be: {problem}"
        else:
            self.is_busy, self.note, self.filter_text = False, "", ""
            self.pages.append(page)
        self.draw()

    # ------------------------------------------------------------ display

    @property
    def page(self) -> Page:
        """The visible page."""
        return self.pages[-1]

    @property
    def _matching_indices(self) -> list[int]:
        """The indices of the entries that match the typed text, in order; all if nothing is typed."""
        texts = [[to_text(entry.words)] for entry in self.page.entries]
        return match_names(self.filter_text, texts) if self.filter_text else list(range(len(texts)))

    def draw(self) -> None:
        """Draw the titles of the open pages (``Games › Chess``), the visible page, and the footer.

        The footer has ``note``, behind two blanks, and then the keys that fit. If ``note`` is empty, it has
        ``filter_text`` instead, as `` > che▏`` or `` > ▏``. The titles begin with a blank. While ``pages`` is empty,
        the line of titles is blank and no page is drawn.
        """
        columns = self.size.width
        path = " › ".join(page.title for page in self.pages)
        self.query_one("#title", Sheet).show([(Run(f" {path}", bold=True),)])
        line: Line = (Run(f" {self.note}", bold=True),) if self.note else (Run(f"> {self.filter_text}▏"),)
        hints = [Hint("enter", "Enter opens"), Hint("right", "← → change")]
        hints += [Hint("", "letters find"), Hint("escape", "Escape back"), Hint("ctrl+c", "^C leaves")]
        self.query_one("#keys", Sheet).show([draw_key_line(columns, line, hints)])
        if self.pages:
            self._draw_page()

    def _draw_page(self) -> None:
        page, entries, about = self.page, self.query_one("#entries", Sheet), self.query_one("#about", Sheet)
        entries.display = bool(page.entries)
        if not page.entries:
            width = min(max(self.size.width - 6, 20), 100)
            about.show(wrap_lines(page.text, width, 2))
            return
        fitting = self._matching_indices
        width = max(self.size.width * 2 // 5 - 3, 10)
        rows: list[Line] = []
        for index in fitting:
            mark = "↔" if page.entries[index].turns is not None else " "
            rows.append(cut_line((Run(f" {mark} ", dim=True), *page.entries[index].words), width))
        entries.show(rows or wrap_lines(NOTHING, width))
        row = fitting.index(page.cursor) if page.cursor in fitting else 0
        entries.point(row if fitting else None)
        lines = page.entries[fitting[row]].about if fitting else ()
        width = max(self.size.width * 3 // 5 - 5, 10)
        about.show(wrap_lines(lines, width))
        about.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Draw for another size."""
        self.call_after_refresh(self.draw)

    # ------------------------------------------------------------ input

    async def on_event(self, event: events.Event) -> None:
        """Handle all keys here."""
        if isinstance(event, events.Key):
            event.stop()
            self.key(event.key, event.character if event.is_printable else None)
            return
        await super().on_event(event)

    def key(self, key: str, character: str | None) -> None:
        """Handle a key; ``character`` is the text that it types, or None.

        Characters are added to ``filter_text``, which filters the entries. A ``page.cursor`` on an entry that no longer
        fits then moves to the first that does. Backspace takes one character back. The keys of :data:`WAYS` (Up,
        PageDown, Home and so on) move the cursor; only Up and Down wrap around. Right and Enter change or open the
        entry, or exit with what it gives. Left changes it, or acts like Escape if it can't be changed. If no entry
        fits, these three do nothing. Escape clears what was typed, or else goes back a page, or exits with None on the
        first page. On a page of text, the keys of :data:`WAYS` and the space bar scroll, and any other key acts like
        Escape. Ctrl-C exits with :data:`INTERRUPTS`, and Ctrl-Q with None. All other keys clear ``note``, but before
        the first page, and with ``is_busy``, they do nothing.
        """
        if key in ("ctrl+c", "ctrl+q"):
            self.exit(INTERRUPTS if key == "ctrl+c" else None)
            return
        if self.is_busy or not self.pages:
            return
        self.note = ""
        if not self.page.entries:
            self._read(key)
        elif key in WAYS:
            self._move(WAYS[key])
        elif key in ("left", "right", "enter"):
            self._choose(key)
        elif key == "escape":
            self._go_back()
        elif key == "backspace":
            self.filter_text = self.filter_text[:-1]
        elif character is not None:
            self.filter_text += character
            fitting = self._matching_indices
            if fitting and self.page.cursor not in fitting:
                self._move_to(fitting[0])
        self.draw()

    def _read(self, key: str) -> None:
        steps = 15 if key == "space" else WAYS.get(key)
        if steps is None:
            self._go_back()
        else:
            self.query_one("#about", Sheet).scroll_relative(y=steps, animate=False)

    def _move_to(self, cursor: int) -> None:
        self.pages[-1] = replace(self.page, cursor=cursor)

    def _move(self, steps: int) -> None:
        fitting = self._matching_indices
        if fitting:
            row = fitting.index(self.page.cursor) if self.page.cursor in fitting else 0
            self._move_to(
                fitting[(row + steps) % len(fitting) if abs(steps) == 1 else min(max(row + steps, 0), len(fitting) - 1)]
            )

    def _go_back(self) -> None:
        if self.filter_text:
            self.filter_text = ""
        elif len(self.pages) > 1:
            self.pages.pop()
        else:
            self.exit(None)

    def _choose(self, key: str) -> None:
        fitting = self._matching_indices
        if not fitting:
            return
        index = self.page.cursor if self.page.cursor in fitting else fitting[0]
        entry = self.page.entries[index]
        if entry.turns is not None:
            self.pages[-1] = replace(entry.turns(-1 if key == "left" else 1), cursor=index)
        elif key == "left":
            self._go_back()
        elif entry.opens is not None:
            self._move_to(index)
            self.open(entry.opens)
        elif entry.gives is not None:
            self.exit(entry.gives)

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """Handle a click: on a key, press it, and on an entry, choose it."""
        if event.sheet.id == "keys" and event.reference:
            self.key(event.reference, None)
        if event.sheet.id == "entries" and not self.is_busy and event.row < len(self._matching_indices):
            self._move_to(self._matching_indices[event.row])
            self._choose("enter")
            self.draw()


def make_page(title: str, lines: Sequence[str]) -> Page:
    """Return a page of plain text, without entries."""
    return Page(title, text=tuple((Run(line),) for line in lines))
