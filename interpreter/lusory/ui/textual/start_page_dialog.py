"""Show the start page of a game on the whole screen, and choose the set-up there.

Its text comes from :mod:`lusory.ui.model.game_start_page`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from ...play.player_factory import HUMAN
from ..model.game_start_page import SetUps, Start, hanging, is_heading, keys_of
from ..model.option_tree import begin as begin_choice
from ..model.screen import Answer, Question, Screen
from ..model.screen_regions import bar
from ..model.styled_text import Line, Run, plain, styled, wrapped
from .choice_input_and_key_hints import Hint, foot
from .dialogs import INTERRUPT, LEAVES, Page, has_touch, without_scrolling
from .scrollable_lines import Sheet

KEYS = (
    Hint("enter", "Enter: start", "Start"),
    Hint("", "F1 shows this page again"),
    Hint("f5", "F5 rules", "Rules"),
    Hint("f7", "F7 words", "Words"),
    Hint("escape", "Esc: leave", "Leave"),
    Hint("pageup", "PgUp ↑", " ↑ "),
    Hint("pagedown", "PgDn ↓", " ↓ "),
)
TO_TABLE = frozenset(("f2", "f3", "f5", "f7", LEAVES, INTERRUPT))
"""Keys that do here what they do at the table. The pages that they open return to this one."""
QUICK_WORDS = "Play at once: the table makes the choices of the set-up"
FULL_WORDS = "Answer the set-up questions yourself"


def starts(set_ups: SetUps, screen: Screen) -> list[Start]:
    """Return the ways to start a game, the recommended one first.

    If the user has chosen players or options, their game comes first, then the recommended ones. If the game that is
    set up is one of these, it comes first. Otherwise the first recommended game does, and the game that is set up is
    left out. A set-up with questions offers to play at once and to answer them.
    """
    quick = [Start(QUICK_WORDS, is_quick=True), Start(FULL_WORDS)] if screen.is_set_up else []
    own = quick or [Start("Start this game")]
    games = [Start(game.name, game, screen.is_set_up) for game in set_ups.games]
    if set_ups.current is None and not (set_ups.is_default and games):
        return [*own, *games]
    first = set_ups.current or 0
    others = [start for at, start in enumerate(games) if at != first]
    if first == set_ups.current:
        return [own[0]._replace(words=_recommended(QUICK_WORDS if quick else games[first].words)), *own[1:], *others]
    return [games[first]._replace(words=_recommended(games[first].words)), *others]


def _recommended(words: str) -> str:
    return f"Recommended: {words[:1].lower()}{words[1:]}"


def first_answer(question: Question) -> Answer:
    """Return the id of the first option of a question, or, in a choice of several, of as many as must be picked.

    ``DONE`` follows if more could be picked.
    """
    choosing = begin_choice(question)
    if not question.several:
        return (question.options[0].id,)
    return replace(choosing, picks=tuple(range(question.least))).answer


class StartPage(Page):
    """Show the aim, a turn and what to know, and below them the ways to start. The table waits for one of them.

    Only a way to start closes the page. Escape asks whether to leave, and unknown keys do nothing.
    """

    DEFAULT_CSS = """
    StartPage Vertical { max-width: 100%; border: none; padding: 0; }
    StartPage Sheet { height: auto; }
    StartPage #keys { dock: bottom; }
    StartPage #head, StartPage #keys { background: $panel; }
    """
    MOVES: ClassVar = {"up": -1, "down": 1}
    WAYS: ClassVar = {key: rows for key, rows in Page.WAYS.items() if key not in ("up", "down")}

    def __init__(
        self, screen: Screen, set_ups: SetUps, begin: Callable[[Start], None], press: Callable[[str], None]
    ) -> None:
        """Show the page of ``screen``. ``begin`` starts a game, and ``press`` gives a key to the table."""
        super().__init__(screen.title, screen.introduction)
        self.press = press
        self.starts = starts(set_ups, screen)
        self.begin = begin
        self.cursor = 0

    def compose(self) -> ComposeResult:
        with Vertical():
            for name in ("head", "words", "starts", "keys"):
                yield Sheet(id=name)

    def _draw(self) -> None:
        columns, rows = self.app.size
        options = [self._option(at, columns) for at in range(len(self.starts))]
        keys = foot(columns, (), KEYS, has_touch(self.app))
        room = rows - 1 - len(options) - len(keys)
        page = self._page()
        end = max(at for at, line in enumerate(page) if is_heading(line)) - 1
        forms = (
            text_of((*page[:end], *more, *page[end:]), columns, has_blanks)
            for more in (keys_of(), ())
            for has_blanks in (True, False)
        )
        text = next((form for form in forms if len(form) <= room), text_of(page, columns, False))
        if len(text) <= room:
            keys = foot(columns, (), without_scrolling(KEYS), has_touch(self.app))
        head: Line = (Run(f" {self.heading}", bold=True),)
        parts: dict[str, Sequence[Line]] = {"head": [head], "words": text, "starts": options, "keys": keys}
        for name, lines in parts.items():
            sheet = self.query_one(f"#{name}", Sheet)
            sheet.styles.height = max(min(len(lines), room), 1) if name == "words" else len(lines)
            sheet.show(lines)

    def _page(self) -> Sequence[Line]:
        """Return the lines of the page. Its last line is about the players of the highlighted way to start."""
        game = self.starts[self.cursor].game
        if game is None or not game.seats or is_heading(self.lines[-1]):
            return self.lines
        return (*self.lines[:-1], (Run(f"  {company_of(game.seats)}"),))

    def _option(self, at: int, columns: int) -> Line:
        """Return a way to start as a line with its number. Clicks choose it."""
        start = self.starts[at]
        line: Line = (Run(f"{'▸' if at == self.cursor else ' '}{at + 1} ", bold=True), Run(start.words))
        return styled(line, of=str(at + 1), reverse=at == self.cursor)

    def is_typed_on(self, event: events.Key) -> bool:
        """Return False: letters and numbers don't go to the table."""
        return False

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """Handle a click on an option or a key hint."""
        event.stop()
        if event.of:
            self._key(event.of)

    def _key(self, key: str) -> None:
        if key in self.MOVES:
            self.cursor = (self.cursor + self.MOVES[key]) % len(self.starts)
        elif key.isdecimal() and 0 < int(key) <= len(self.starts):
            if self.cursor == int(key) - 1:
                self._start()
                return
            self.cursor = int(key) - 1
        elif key == "enter":
            self._start()
            return
        elif key in self.WAYS:
            super()._key(key)
            return
        elif key == "escape" or key in TO_TABLE:
            self.press(LEAVES if key == "escape" else key)
            return
        self._draw()

    def _start(self) -> None:
        self.answer(None)
        self.begin(self.starts[self.cursor])


def company_of(seats: Sequence[str]) -> str:
    """Return a sentence about the other players of a game: ``You play with 1 other person against 3 bots.``

    ``seats`` holds the kind of each player, of which at least one is a person; the first person is the reader. A part
    about nobody is left out; without others, it is ``You play alone.``
    """
    people = sum(kind == HUMAN for kind in seats) - 1
    bots = len(seats) - people - 1
    parts = [
        *([f"with {people} other {'person' if people == 1 else 'people'}"] if people > 0 else []),
        *([f"against {bots} bot{'' if bots == 1 else 's'}"] if bots else []),
    ]
    return f"You play {' '.join(parts) or 'alone'}."


def text_of(lines: Sequence[Line], columns: int, has_blanks: bool) -> list[Line]:
    """Wrap the lines of a start page, with its headings as bars over all ``columns``.

    Text is at most 119 columns wide, with further lines below the sentence after its title. Blank lines are left out
    unless ``has_blanks``.
    """
    wide = min(columns, 120)
    text: list[Line] = []
    for line in lines:
        if not plain(line).strip():
            text += [()] if has_blanks else []
        elif is_heading(line):
            text.append(bar(line, columns))
        else:
            text += wrapped(line, wide - 1, hanging(line))
    return text
