"""What covers the table for a moment: a question with a few answers, a page to read, the keyboard's way to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ..screen.lines import as_text, padded, styled, wrapped
from ..screen.text import Line, Run
from .app import FullApp
from .arranging import TALL
from .choices import FINGER
from .footer import Hint, foot
from .help import THROUGH
from .sheet import Sheet

FOOT = (
    Hint("escape", "Escape closes", "Close"),
    Hint("pageup", "PgUp ↑", " ↑ "),
    Hint("pagedown", "PgDn ↓", " ↓ "),
    Hint("ctrl+q", "^Q leave", "Leave"),
    Hint("f2", "F2 table", "Table"),
    Hint("f3", "F3 story", "Story"),
    Hint("f5", "F5 rules", "Rules"),
    Hint("f7", "F7 words", "Words"),
)
"""The keys of a page."""
INTERRUPT = "ctrl+c"
LEAVES = "ctrl+q"

Result = TypeVar("Result")


class _Dialog(ModalScreen[Result]):
    """Covers the table until it is answered, once: another key that came with the answer is not for it."""

    def answer(self, result: Result) -> None:
        """Go, and say this."""
        if self.app.screen is self:
            self.dismiss(result)


class Question(_Dialog[str]):
    """Lines, and the keys that answer: each with what it means. Escape gives ``away``, Ctrl-C :data:`INTERRUPT`."""

    DEFAULT_CSS = """
    Question { align: center middle; background: $background; }
    Question Vertical { width: 70; max-width: 96%; height: auto; border: round $accent; padding: 0 1; }
    Question Sheet { height: auto; }
    """

    def __init__(self, lines: Sequence[Line], answers: Mapping[str, str], away: str) -> None:
        super().__init__()
        self.lines, self.answers, self.away = lines, answers, away

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Sheet(id="words")

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = min(66, max(self.app.size.width * 9 // 10 - 4, 20))
        lines = [part for line in self.lines for part in wrapped(line, width)]
        for number, (key, meaning) in enumerate(self.answers.items()):
            lines += self._answer(number, key, meaning, width)
        sheet = self.query_one(Sheet)
        sheet.styles.height = min(len(lines), max(self.app.size.height - 2, 1))
        sheet.show(lines)

    def _answer(self, number: int, key: str, meaning: str, width: int) -> list[Line]:
        """The lines of an answer, which can be clicked."""
        answer: Line = (Run(f" {_called(key):>6} ", bold=True), Run(meaning))
        if not has_touch(self.app):
            return [styled(answer, of=key)]
        back = "" if number % 2 else "shade"
        above = FINGER // 2
        lines = [*[()] * above, answer, *[()] * (FINGER - above - 1)]
        return [styled(padded(line, width), of=key, back=back) for line in lines]

    def on_key(self, event: events.Key) -> None:
        """One of the answers, or none."""
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.answer(self.away)
        elif event.key == "ctrl+c":
            self.answer(INTERRUPT)
        elif event.key in self.answers:
            self.answer(event.key)

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """The mouse gives an answer too."""
        event.stop()
        if event.of in self.answers:
            self.answer(event.of)


class HandOver(Question):
    """The keyboard goes to another person: nothing of the one before is left behind it."""

    def __init__(self, name: str) -> None:
        words: Line = (Run("Pass the keyboard to "), Run(name, bold=True), Run("."))
        answers = {"enter": f"{name} is here: show the table", LEAVES: "leaves the game"}
        super().__init__([words, ()], answers, "")

    def on_key(self, event: events.Key) -> None:
        """Only Enter goes on: Escape would show what is another's."""
        event.stop()
        event.prevent_default()
        if event.key in (*self.answers, INTERRUPT):
            self.answer(event.key)


class Page(_Dialog[None]):
    """Lines to read: arrows and pages scroll, any other key goes back, some to another page, or out of the game.
    At the table a letter or number also goes to where words are typed. Keys at its foot can be clicked."""

    DEFAULT_CSS = """
    Page { align: center middle; background: $background; }
    Page Vertical { width: 100%; max-width: 100; height: 100%; border: round $accent; padding: 0 1; }
    Page #words { height: 1fr; }
    """
    WAYS: ClassVar = {"up": -1, "down": 1, "pageup": -15, "pagedown": 15, "space": 15, "home": -100_000, "end": 100_000}

    def __init__(self, title: str, lines: Sequence[Line], at_end: bool = False) -> None:
        super().__init__()
        self.heading, self.lines, self.at_end = title, lines, at_end

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(self.heading)  # what anybody has typed is no markup
            yield Sheet(id="words")
            yield Sheet(id="keys")

    def on_mount(self) -> None:
        self._draw()
        if self.at_end:
            self.call_after_refresh(self.words.scroll_end, animate=False)

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = min(self.app.size.width, 100) - 5
        self.words.show([part for line in self.lines for part in as_text(line, width)])
        lines = foot(width, (), FOOT, has_touch(self.app), 2 if self.app.size.height >= TALL else 1)
        keys = self.query_one("#keys", Sheet)
        keys.styles.height = len(lines)
        keys.show(lines)

    @property
    def words(self) -> Sheet:
        """What is read."""
        return self.query_one("#words", Sheet)

    def is_typed_on(self, event: events.Key) -> bool:
        """Whether a key begins words, rather than scroll the page."""
        return event.is_printable and event.character != "?" and event.key not in self.WAYS

    def on_key(self, event: events.Key) -> None:
        """Scroll or go back."""
        event.stop()
        event.prevent_default()
        self._key(event.key)

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """A click on a key does what the key does; nothing behind the page is clicked."""
        event.stop()
        if event.sheet.id == "keys" and event.of:
            self._key(event.of)

    def _key(self, key: str) -> None:
        if key in self.WAYS:
            self.words.scroll_relative(y=self.WAYS[key], animate=False)
        else:
            self.answer(None)
            if key in THROUGH:
                self.app.call_later(self.app.simulate_key, key)


def has_touch(app: App[object]) -> bool:
    """Whether fingers use the screen."""
    return isinstance(app, FullApp) and app.has_touch


def _called(key: str) -> str:
    return {"enter": "Enter", "escape": "Esc", "ctrl+c": "Ctrl-C", "ctrl+q": "Ctrl-Q"}.get(key, key)
