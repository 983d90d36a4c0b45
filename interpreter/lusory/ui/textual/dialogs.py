"""Dialogs and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal, Protocol, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer

from ..model.help_topics import file_to_save
from ..model.text import Line, Run, as_text, padded, plain, styled, wrapped
from ..session.local_session import Keyboard
from ..session.protocol import Ask, Leave, Save, Topic
from ..session.session import WORD, Link
from .app import FullApp, Went
from .board_widget import TALL, Sheet
from .choice_list import FINGER, THROUGH, Hint, foot

PATIENCE = 0.04
"""Seconds for which the cursor rests before what it is on is looked at."""
Where = Literal["page", "story", "beside"]


class Asker(Protocol):
    """The table that asks."""

    def send(self, request: Ask) -> object:
        """Ask whoever holds the game."""

    def turn_to(self, title: str, lines: tuple[Line, ...], at_end: bool) -> None:
        """Show a page."""

    def say(self, words: str) -> None:
        """Tell a line, until the next key."""

    def sheet(self, name: str) -> Sheet:
        """A part of the table."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call later."""

    @property
    def is_there(self) -> bool:
        """Whether it has not ended."""

    @property
    def under(self) -> str:
        """What the cursor is on; "" for nothing."""

    @property
    def is_wide(self) -> bool:
        """Whether there is room beside the table."""

    @property
    def has_moved(self) -> bool:
        """Whether the cursor was moved since the question was asked."""

    @property
    def facts(self) -> list[Line]:
        """What is known of what the cursor is on and has no room in the list."""


class Asking:
    """Answers are kept as long as the position stands: the cursor comes back to what it was on."""

    def __init__(self, table: Asker) -> None:
        self.table = table
        self._number = 0
        self._waiting: dict[int, tuple[Where, Topic, str, tuple[Line, ...]]] = {}
        self._looked: dict[str, tuple[Line, ...]] = {}
        self._resting: Timer | None = None
        self._wanted = ""
        self._by_mouse = False

    def forget(self) -> None:
        """The position is another one."""
        self._looked.clear()

    def ask(self, topic: Topic, words: str, where: Where, more: tuple[Line, ...] = ()) -> None:
        """Ask; the answer comes later. ``more`` is told behind it."""
        self._number += 1
        self._waiting[self._number] = (where, topic, words, more)
        self.table.send(Ask(self._number, topic, words))

    def told(self, number: int, lines: tuple[Line, ...]) -> None:
        """An answer has come."""
        if number not in self._waiting:
            return
        where, topic, words, more = self._waiting.pop(number)
        if where == "beside":
            self._looked[words] = lines
            if self._wanted == words:
                self._tell(words, lines)
        elif lines:
            self.table.turn_to(_title(topic, words, lines), (*lines, *more), where == "story")

    def rest(self) -> None:
        """The cursor is on something else: once it rests, that is looked at; where the story has to make room for it,
        only when somebody has moved the cursor."""
        if self._resting is not None:
            self._resting.stop()
        if self.table.is_wide or self.table.has_moved:
            self._resting = self.table.set_timer(PATIENCE, lambda: self._rested(None))

    def point(self, of: str) -> None:
        """The mouse is over something else: once it rests, that is looked at."""
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.table.set_timer(PATIENCE, lambda: self._rested(of))

    def _rested(self, of: str | None) -> None:
        """The cursor, or the mouse over something, has rested; the table may have ended meanwhile."""
        if self.table.is_there:
            self._by_mouse = of is not None
            self.look_at(self.table.under if of is None else of)

    def look_at(self, of: str) -> None:
        """Tell what stands behind a reference: beside the table; where there is no room, in place of the story, of what
        the mouse is over in the last line."""
        self._wanted = of
        if not of or of in self._looked:
            self._tell(of, self._looked.get(of, ()))
        else:
            self.ask("look", of, "beside")

    def _tell(self, of: str, lines: tuple[Line, ...]) -> None:
        told = [line for line in lines if plain(line).strip()]
        if of.startswith(f"{WORD}:") and not told:
            return  # a word of everyday language
        if self.table.is_wide or not self._by_mouse:
            self._draw(lines if self._by_mouse else (*self.table.facts, *lines))
        elif told:
            self.table.say(" ".join(plain(line).strip() for line in told[:2]))

    def _draw(self, lines: tuple[Line, ...]) -> None:
        look = self.table.sheet("look")
        story = self.table.sheet("story")
        side = (story if story.display else look).container_size  # a sheet that is not shown has no size
        width = max(side.width - 3, 20)
        shown = [part for line in lines for part in as_text(line, width)]
        while shown and not plain(shown[0]).strip():
            del shown[0]
        look.display = bool(shown)
        if self.table.is_wide:
            height = min(len(shown) + 1, max(self.table.sheet("table").size.height * 6 // 10, 3))
        else:  # in place of the story, which comes again with the next question
            height = min(len(shown), max(side.height, 1))
            story.display = height < side.height
        look.styles.height = height
        look.show(shown)
        look.call_after_refresh(self.table.sheet("story").scroll_end, animate=False)


def _title(topic: Topic, words: str, lines: tuple[Line, ...]) -> str:
    """What stands over an answer: what was asked, of what a reference stands for what it is called."""
    if topic == "look":
        first = next((plain(line).strip() for line in lines if plain(line).strip()), "")
        return first.partition(":")[0] if ":" in words else words
    return {"log": "What happened"}.get(topic, f"{topic.capitalize()} {words}".strip())


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


def ask_to_leave(
    app: FullApp[Went],
    link: Link,
    send: Callable[[Leave], object],
    interrupted: bool,
    sits: bool = True,
    back: Callable[[], None] = lambda: None,
) -> None:
    """Ask what becomes of the game. ``sits``: who leaves has a seat; ``back``: where who stays goes back to."""

    def answered(key: str | None) -> None:
        if key == "enter" and not link.is_own:
            send(Leave())
        if key in ("enter", "d"):
            app.exit(Went("left", keep=key == "enter", interrupted=interrupted))
        elif key == INTERRUPT:
            app.exit(Went("left", keep=True, interrupted=True))
        else:
            back()

    if link.is_own:
        answers = {"enter": "saves the game", "d": "throws the game away", "b": "goes back to it"}
    else:
        answers = {"enter": "leaves: a bot takes the seat" if sits else "leaves", "b": "goes back to the game"}
    app.push_screen(Question([(Run("Leave the game?", bold=True),), ()], answers, "b"), answered)


def ask_without_journal(app: FullApp[Went], link: Link, words: str) -> None:
    """The journal could not be written: try again, go on without it, or leave."""
    lines: list[Line] = [(Run(f"Not kept, and so not decided: {words}", colour="red", bold=True),), ()]

    def answered(key: str | None) -> None:
        if key == "p" and isinstance(link, Keyboard):
            link.without_journal()
        elif key == "q":
            app.exit(Went("left", keep=True))

    answers = {"enter": "goes back to try again", "p": "plays on without a journal", "q": "leaves the game"}
    app.push_screen(Question(lines, answers, "enter"), answered)


def save_as(words: str, link: Link, send: Callable[[Save], object], say: Callable[[str], None]) -> None:
    """Have the game saved as typed."""
    try:
        file = file_to_save(words)
    except ValueError as problem:
        say(str(problem))
        return
    if link.is_own:
        send(Save(file))
    else:
        say("Who holds the game saves it.")
