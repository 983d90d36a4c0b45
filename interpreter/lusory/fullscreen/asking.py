"""What a table asks in words, and where the answers go: to a page, or beside the table for what the cursor rests on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from textual.timer import Timer

from ..hosting.messages import Ask, Topic
from ..hosting.sitting import WORD
from ..screen.lines import as_text
from ..screen.text import Line, plain
from .sheet import Sheet

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
