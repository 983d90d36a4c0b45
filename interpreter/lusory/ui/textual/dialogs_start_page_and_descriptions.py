"""Show dialogs and pages over the table, and ask the match for explanations of things under the cursor.

One of the pages is the start page of a game, with the choice of the set-up. Its text comes from
:mod:`lusory.ui.model.game_introduction_page`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal, Protocol, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer

from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    pad_line,
    restyle,
    to_text,
    wrap_line,
    wrap_lines,
    wrap_with_hanging_indent,
)
from ...play.bot_kinds_python_players_and_recordings import HUMAN
from ..model.game_introduction_page import SetUps, Start, is_heading, list_start_keys, measure_hanging_indent
from ..model.look_and_why import NOW, parse_save_file
from ..model.option_tree_and_choice_in_progress import begin as begin_choice
from ..model.screen import Answer, Question as TableQuestion, Screen
from ..model.screen_layout import draw_title_bar
from ..session.match_service_answering_seat_requests import HISTORY_WORD
from ..session.messages import Ask, Leave, Link, Save, Topic
from ..session.same_process_link import LocalLink
from .choice_input_state_preview_and_key_hints import FINGER, Hint, draw_footer
from .keys_and_commands import THROUGH
from .scrollable_lines_and_cursor_movement import TALL, Sheet
from .terminal_and_signal_handling import FullApp, TableResult

PATIENCE = 0.04
"""Seconds for which the cursor rests before its thing is described."""
THINKING = "Thinking … Esc stops it."
"""The line while a bot searches for a hint."""
Place = Literal["page", "story", "beside"]


class DescriptionHost(Protocol):
    """Describe what :class:`Descriptions` needs from the table."""

    def send(self, request: Ask) -> object:
        """Send a question to the match."""

    def turn_to(self, title: str, lines: tuple[Line, ...], is_at_end: bool) -> None:
        """Show a page."""

    def say(self, words: str) -> None:
        """Show a line until the next key."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call a function later."""

    @property
    def is_there(self) -> bool:
        """True if the application is still running."""

    @property
    def subject(self) -> str:
        """The reference under the cursor, or ""."""

    def describe(self, lines: tuple[Line, ...]) -> None:
        """Show a description below the preview."""


class Descriptions:
    """Ask for descriptions, and cache those of references until the position changes."""

    def __init__(self, table: DescriptionHost) -> None:
        self.table = table
        self._number = 0
        self._questions: dict[int, tuple[Place, Topic, str, tuple[Line, ...], tuple[Line, ...]]] = {}
        self._description_cache: dict[str, tuple[Line, ...]] = {}
        self._rest_timer: Timer | None = None
        self._target = ""
        self._is_for_mouse = False
        # The number of the question whose answer takes long, or 0.
        self._hint_number = 0

    @property
    def is_thinking(self) -> bool:
        """True if the player waits for a hint."""
        return self._hint_number > 0

    def request_hint(self) -> None:
        """Ask for a hint, and say that a bot searches for it."""
        if not self.is_thinking:
            self.ask("hint", "", "page")
            self._hint_number = self._number
            self.table.say(THINKING)

    def stop_hint(self) -> None:
        """Wait for the hint no longer. Its answer is dropped."""
        if self.is_thinking:
            self._questions.pop(self._hint_number, None)
            self._hint_number = 0
            self.table.say("")

    def forget(self) -> None:
        """Clear the cache after a change of position, and ignore descriptions of the old one that are still to come."""
        self._description_cache.clear()
        self._questions = {number: question for number, question in self._questions.items() if question[0] != "beside"}

    def ask(
        self, topic: Topic, words: str, place: Place, tail: tuple[Line, ...] = (), head: tuple[Line, ...] = ()
    ) -> None:
        """Send a question to the match, as ``Ask(number, topic, words)``. Questions are numbered from 1.

        ``place`` says where :meth:`show_answer`, called with the same number, shows the answer. On a page, ``head``
        stands before the answer, and ``tail`` after it. Beside the table, neither is shown.
        """
        self._number += 1
        self._questions[self._number] = (place, topic, words, tail, head)
        self.table.send(Ask(self._number, topic, words))

    def show_answer(self, number: int, lines: tuple[Line, ...]) -> None:
        """Show the answer to a question of :meth:`ask` at its place: on a page, or beside the table.

        A page has the lines ``head``, the answer, and ``tail``. Its title is such as ``Why axe``, and for ``log``
        ``What happened``. For ``look`` it is ``words`` alone, but ``Card:axe`` gives the first line of the answer up to
        its colon. If the answer is empty, the title is the first line of ``head``, which the page still has. If
        ``head`` is empty, too, no page opens. The place ``story`` is a page scrolled to its end.
        An answer beside the table is cached, and shown only if the cursor or mouse is still at the thing. A single line
        without a colon is only a name, and not shown. The answer to a hint ends ``is_thinking`` and clears the line
        ``THINKING``. A second answer to a question, or one to an unknown number, is ignored.
        """
        if number not in self._questions:
            return
        place, topic, words, tail, head = self._questions.pop(number)
        if number == self._hint_number:
            self.stop_hint()
        if place == "beside":
            self._description_cache[words] = lines
            if self._target == words:
                self._tell(words, lines)
        elif lines or head:
            title = _make_title(topic, words, lines) if lines else to_text(head[0]).strip()
            self.table.turn_to(title, (*head, *lines, *tail), place == "story")

    def describe_soon(self, reference: str | None = None) -> None:
        """Describe the thing of a reference once the mouse has rested on it for ``PATIENCE`` seconds.

        None stands for the thing that is then under the cursor. A new call replaces the last one.
        """
        if self._rest_timer is not None:
            self._rest_timer.stop()
        self._rest_timer = self.table.set_timer(PATIENCE, lambda: self._describe_at_rest(reference))

    def _describe_at_rest(self, reference: str | None) -> None:
        """Describe the thing under the mouse or cursor, unless the application has ended."""
        if self.table.is_there:
            self._is_for_mouse = reference is not None
            self._look_at(self.table.subject if reference is None else reference)

    def _look_at(self, reference: str) -> None:
        """Describe the thing of a reference below the preview, or in the last line if the mouse points at it.

        An empty reference clears the description.
        """
        self._target = reference
        if not reference or reference in self._description_cache:
            self._tell(reference, self._description_cache.get(reference, ()))
        else:
            self.ask("look", reference, "beside")

    def _tell(self, reference: str, lines: tuple[Line, ...]) -> None:
        # The list of options and the preview already say what can be done now.
        description = [line for line in lines if to_text(line).strip() and not to_text(line).startswith(NOW)]
        if len(description) == 1 and ":" not in to_text(description[0]):
            # Only its name is known.
            description = []
        if reference.startswith(f"{HISTORY_WORD}:") and not description:
            # An ordinary word without a description.
            return
        if not self._is_for_mouse:
            self.table.describe(tuple(description))
        elif description:
            self.table.say(" ".join(to_text(line).strip() for line in description[:2]))


def _make_title(topic: Topic, words: str, lines: tuple[Line, ...]) -> str:
    """Return the title of an answer."""
    if topic == "look":
        first = next((to_text(line).strip() for line in lines if to_text(line).strip()), "")
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
"""Keys of a page."""
BORDERS = 2
"""Rows of the border of a page."""
INTERRUPT = "ctrl+c"
LEAVES = "ctrl+q"

Result = TypeVar("Result")


class _Dialog(ModalScreen[Result]):
    """Cover the table until the dialog is answered. Later keys are ignored."""

    def answer(self, result: Result) -> None:
        """Close the dialog with a result."""
        if self.app.screen is self:
            self.dismiss(result)


class Question(_Dialog[str]):
    """Show lines, and keys with their meaning, as a dialog. The result is the key.

    Escape gives ``escape_key``, or is ignored if that is None, and Ctrl-C gives :data:`INTERRUPT`. Other keys are
    ignored. A click on an answer gives its key.
    """

    DEFAULT_CSS = """
    Question { align: center middle; background: $background; }
    Question Vertical { width: 70; max-width: 96%; height: auto; border: round $accent; padding: 0 1; }
    Question Sheet { height: auto; }
    """

    def __init__(self, lines: Sequence[Line], answers: Mapping[str, str], escape_key: str | None) -> None:
        super().__init__()
        self.lines, self.answers, self.escape_key = lines, answers, escape_key

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Sheet(id="words")

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = min(66, max(self.app.size.width * 9 // 10 - 4, 20))
        lines = wrap_lines(self.lines, width)
        for number, (key, meaning) in enumerate(self.answers.items()):
            lines += self._answer(number, key, meaning, width)
        sheet = self.query_one(Sheet)
        sheet.styles.height = min(len(lines), max(self.app.size.height - 2, 1))
        sheet.show(lines)

    def _answer(self, number: int, key: str, meaning: str, width: int) -> list[Line]:
        """Return the lines of an answer, which can be clicked."""
        key_name = {"enter": "Enter", "ctrl+q": "Ctrl-Q"}.get(key, key)
        answer: Line = (Run(f" {key_name:>6} ", bold=True), Run(meaning))
        if not has_touch(self.app):
            return [restyle(answer, of=key)]
        back = "" if number % 2 else "shade"
        lines_above = FINGER // 2
        lines = [*[()] * lines_above, answer, *[()] * (FINGER - lines_above - 1)]
        return [restyle(pad_line(line, width), of=key, back=back) for line in lines]

    def on_key(self, event: events.Key) -> None:
        """Close the dialog with the pressed key as its result if it is in ``answers`` or :data:`INTERRUPT` (Ctrl-C).

        Escape gives ``escape_key``. Any other key is ignored, and so is Escape if ``escape_key`` is None. Capitals
        count: ``Y`` is not ``y``. No key reaches the screen below.
        """
        event.stop()
        event.prevent_default()
        if event.key == "escape" and self.escape_key is not None:
            self.answer(self.escape_key)
        elif event.key in (*self.answers, INTERRUPT):
            self.answer(event.key)

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """Accept a click on an answer."""
        event.stop()
        if event.reference in self.answers:
            self.answer(event.reference)


class HandOver(Question):
    """Ask for the keyboard to be passed to another person. Nothing of the previous screen is visible.

    The result is the name of the key: Enter, Ctrl-Q or Ctrl-C. Escape would show another player's screen.
    """

    def __init__(self, name: str) -> None:
        words: Line = (Run("Pass the keyboard to "), Run(name, bold=True), Run("."))
        super().__init__([words, ()], {"enter": f"{name} is here: show the table", LEAVES: "leaves the game"}, None)


def _drop_scrolling(hints: Sequence[Hint]) -> list[Hint]:
    """Return the key hints of a page that shows everything: those that don't scroll."""
    return [hint for hint in hints if hint.key not in Page.WAYS]


class Page(_Dialog[None]):
    """Show lines to read. Arrow and page keys scroll, and any other key closes the page.

    Some keys go to another page or leave the game. Typed letters and numbers also go to the table.
    """

    DEFAULT_CSS = """
    Page { align: center middle; background: $background; }
    Page Vertical { width: 100%; max-width: 100; height: 100%; border: round $accent; padding: 0 1; }
    Page #words { height: 1fr; }
    """
    WAYS: ClassVar = {"up": -1, "down": 1, "pageup": -15, "pagedown": 15, "space": 15, "home": -100_000, "end": 100_000}

    def __init__(self, title: str, lines: Sequence[Line], is_at_end: bool = False) -> None:
        super().__init__()
        self.heading, self.lines, self.is_at_end = title, lines, is_at_end

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            # The title can contain typed text, so it is not parsed as markup.
            box.border_title = Content(self.heading)
            yield Sheet(id="words")
            yield Sheet(id="keys")

    def on_mount(self) -> None:
        self._draw()
        if self.is_at_end:
            self.call_after_refresh(self.words.scroll_end, animate=False)

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = min(self.app.size.width, 100) - 5
        text = [part for line in self.lines for part in wrap_with_hanging_indent(line, width)]
        self.words.show(text)
        row_limit = 2 if self.app.size.height >= TALL else 1
        lines = draw_footer(width, (), FOOT, has_touch(self.app), row_limit)
        if len(text) <= self.app.size.height - BORDERS - len(lines):
            lines = draw_footer(width, (), _drop_scrolling(FOOT), has_touch(self.app), row_limit)
        keys = self.query_one("#keys", Sheet)
        keys.styles.height = len(lines)
        keys.show(lines)

    @property
    def words(self) -> Sheet:
        """The widget with the text."""
        return self.query_one("#words", Sheet)

    def is_typed_on(self, event: events.Key) -> bool:
        """Return whether a key is input for the table: it types a character other than ``?`` and scrolls nothing."""
        return event.is_printable and event.character != "?" and event.key not in self.WAYS

    def on_key(self, event: events.Key) -> None:
        """Scroll for a key of :attr:`WAYS`. Any other key closes the page.

        One of :data:`THROUGH` then also does what it does at the table. This method passes on no other key. Characters
        for which :meth:`is_typed_on` is true never come here while the table asks: the app gives them to the table.
        """
        event.stop()
        event.prevent_default()
        self._handle_key(event.key)

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """Handle a click on a key hint."""
        event.stop()
        if event.sheet.id == "keys" and event.reference:
            self._handle_key(event.reference)

    def _handle_key(self, key: str) -> None:
        if key in self.WAYS:
            self.words.scroll_relative(y=self.WAYS[key], animate=False)
        else:
            self.answer(None)
            if key in THROUGH:
                self.app.call_later(self.app.simulate_key, key)


def has_touch(app: App[object]) -> bool:
    """Return whether the screen is used by touch. False for applications that are no :class:`FullApp`."""
    return isinstance(app, FullApp) and app.has_touch


def ask_to_leave(
    app: FullApp[TableResult],
    link: Link,
    send: Callable[[Leave], object],
    is_interrupted: bool,
    has_seat: bool = True,
    back: Callable[[], None] = lambda: None,
) -> None:
    """Ask what to do with the game, and exit the application with ``TableResult("left", is_kept, is_interrupted)``.

    Enter keeps it, ``d`` throws it away (only with ``link.is_own``), and ``b`` and Escape call ``back`` and stay.
    ``send`` gets a :class:`Leave` only on Enter without ``link.is_own``, from a guest. Ctrl-C keeps the game, and its
    ``is_interrupted`` is always True. ``has_seat`` only changes the words that a guest reads: with it, they say that a
    bot takes the seat.
    """

    def handle_answer(key: str | None) -> None:
        if key == "enter" and not link.is_own:
            send(Leave())
        if key in ("enter", "d"):
            app.exit(TableResult("left", is_kept=key == "enter", is_interrupted=is_interrupted))
        elif key == INTERRUPT:
            app.exit(TableResult("left", is_kept=True, is_interrupted=True))
        else:
            back()

    if link.is_own:
        answers = {"enter": "saves the game", "d": "throws the game away", "b": "goes back to it"}
    else:
        answers = {"enter": "leaves: a bot takes the seat" if has_seat else "leaves", "b": "goes back to the game"}
    app.push_screen(Question([(Run("Leave the game?", bold=True),), ()], answers, "b"), handle_answer)


def ask_without_journal(app: FullApp[TableResult], link: Link, words: str) -> None:
    """Ask what to do after the journal failed: try again, play without it, or leave and keep the game.

    ``words`` says what failed. Enter, Escape and Ctrl-C only close the question, so that the player can try again.
    ``p`` closes it, too, and deletes the journal if ``link`` is a LocalLink, whose ``journal`` then is None. ``q``
    exits the app with ``TableResult("left", is_kept=True)``.
    """
    lines: list[Line] = [(Run(f"Not kept, and so not decided: {words}", colour="red", bold=True),), ()]

    def handle_answer(key: str | None) -> None:
        if key == "p" and isinstance(link, LocalLink):
            link.drop_journal()
        elif key == "q":
            app.exit(TableResult("left", is_kept=True))

    answers = {"enter": "goes back to try again", "p": "plays on without a journal", "q": "leaves the game"}
    app.push_screen(Question(lines, answers, "enter"), handle_answer)


def save_as(words: str, link: Link, send: Callable[[Save], object], say: Callable[[str], None]) -> None:
    """Send ``Save(FILE)`` with the typed file name, or ``Save("")`` for a new one if ``words`` is blank.

    Sends nothing, and says why, if the words begin with ``--``, or if the match is not in this process.
    """
    try:
        file = parse_save_file(words)
    except ValueError as problem:
        say(str(problem))
        return
    if link.is_own:
        send(Save(file))
    else:
        say("Only the host can save the game.")


# ---------------------------------------------------------------- the start page


START_KEYS = (
    Hint("enter", "Enter: start", "Start"),
    Hint("pagedown", "PgDn ↓", " ↓ "),
    Hint("", "F1 shows this page again"),
    Hint("f5", "F5 rules", "Rules"),
    Hint("f7", "F7 words", "Words"),
    Hint("escape", "Esc: leave", "Leave"),
    Hint("pageup", "PgUp ↑", " ↑ "),
)
TO_TABLE = frozenset(("f2", "f3", "f5", "f7", LEAVES, INTERRUPT))
"""Keys that do here what they do at the table. The pages that they open return to this one."""
QUICK_WORDS = "Play at once: the table makes the choices of the set-up"
FULL_WORDS = "Answer the set-up questions yourself"


def _list_starts(set_ups: SetUps, screen: Screen) -> list[Start]:
    """Return the ways to start a game, the recommended one first.

    If the user has chosen players or options, their game comes first, then the recommended ones. If the game that is
    set up is one of these, it comes first. Otherwise the first recommended game does, and the game that is set up is
    left out. A set-up with questions offers to play at once and to answer them.
    """
    quick = [Start(QUICK_WORDS, answers_setup=True), Start(FULL_WORDS)] if screen.is_set_up else []
    own_starts = quick or [Start("Start this game")]
    games = [Start(game.name, game, screen.is_set_up) for game in set_ups.games]
    if set_ups.current is None and not (set_ups.is_default and games):
        return [*own_starts, *games]
    first = set_ups.current or 0
    other_starts = [start for i, start in enumerate(games) if i != first]
    is_current = first == set_ups.current
    recommended, *further_starts = own_starts if is_current else [games[first]]
    words = QUICK_WORDS if is_current and quick else games[first].words
    return [recommended._replace(words=f"Recommended: {words[:1].lower()}{words[1:]}"), *further_starts, *other_starts]


def choose_first_answer(question: TableQuestion) -> Answer:
    """Return a tuple with the id of the first option, or the first ``least`` ids if ``question.takes_several``.

    With ``takes_several``, ``DONE`` follows if ``question.most`` is higher than ``question.least``: ``("axe", DONE)``
    for one or two options. Raises IndexError if there are fewer options than must be taken.
    """
    choosing = begin_choice(question)
    if not question.takes_several:
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
        self.starts = _list_starts(set_ups, screen)
        self.begin = begin
        self.cursor = 0

    def compose(self) -> ComposeResult:
        with Vertical():
            for name in ("head", "words", "starts", "keys"):
                yield Sheet(id=name)

    def _draw(self) -> None:
        columns, rows = self.app.size
        options: list[Line] = []
        for i, start in enumerate(self.starts):
            line = (Run(f"{'▸' if i == self.cursor else ' '}{i + 1} ", bold=True), Run(start.words))
            # A click on this line chooses the way to start with this number.
            options.append(restyle(line, of=str(i + 1), reverse=i == self.cursor))
        footer = draw_footer(columns, (), START_KEYS, has_touch(self.app))
        room = rows - 1 - len(options) - len(footer)
        page = self._list_page_lines()
        keys_index = max(i for i, line in enumerate(page) if is_heading(line)) - 1
        forms = (
            _wrap_start_page((*page[:keys_index], *keys_lines, *page[keys_index:]), columns, keeps_blank_lines)
            for keys_lines in (list_start_keys(), ())
            for keeps_blank_lines in (True, False)
        )
        page_lines = next((form for form in forms if len(form) <= room), _wrap_start_page(page, columns, False))
        if len(page_lines) <= room:
            footer = draw_footer(columns, (), _drop_scrolling(START_KEYS), has_touch(self.app))
        head: Line = (Run(f" {self.heading}", bold=True),)
        parts: dict[str, Sequence[Line]] = {"head": [head], "words": page_lines, "starts": options, "keys": footer}
        for name, lines in parts.items():
            sheet = self.query_one(f"#{name}", Sheet)
            sheet.styles.height = max(min(len(lines), room), 1) if name == "words" else len(lines)
            sheet.show(lines)

    def _list_page_lines(self) -> Sequence[Line]:
        """Return the lines of the page. Its last line is about the players of the highlighted way to start."""
        game = self.starts[self.cursor].game
        if game is None or not game.seats or is_heading(self.lines[-1]):
            return self.lines
        return (*self.lines[:-1], (Run(f"  {describe_company(game.seats)}"),))

    def is_typed_on(self, event: events.Key) -> bool:
        """Return False: letters and numbers don't go to the table."""
        return False

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """Handle a click on an option or a key hint."""
        event.stop()
        if event.reference:
            self._handle_key(event.reference)

    def _handle_key(self, key: str) -> None:
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
            super()._handle_key(key)
            return
        elif key == "escape" or key in TO_TABLE:
            self.press(LEAVES if key == "escape" else key)
            return
        self._draw()

    def _start(self) -> None:
        self.answer(None)
        self.begin(self.starts[self.cursor])


def describe_company(seats: Sequence[str]) -> str:
    """Return a sentence about the other players of a game: ``You play with 2 other people against 1 bot.``

    ``seats`` holds the kind of each player: ``human`` for a person, of whom there is at least one, any other for a
    bot. The first person is the reader. A part about nobody is left out; without others, it is ``You play alone.``
    """
    people = sum(kind == HUMAN for kind in seats) - 1
    bots = len(seats) - people - 1
    parts = [
        *([f"with {people} other {'person' if people == 1 else 'people'}"] if people > 0 else []),
        *([f"against {bots} bot{'' if bots == 1 else 's'}"] if bots else []),
    ]
    return f"You play {' '.join(parts) or 'alone'}."


def _wrap_start_page(lines: Sequence[Line], columns: int, has_blanks: bool) -> list[Line]:
    """Wrap the lines of a start page, with its headings as bars over all ``columns``.

    Text is at most 119 columns wide, with further lines below the sentence after its title. Blank lines are left out
    unless ``has_blanks``.
    """
    wide = min(columns, 120)
    text: list[Line] = []
    for line in lines:
        if not to_text(line).strip():
            text += [()] if has_blanks else []
        elif is_heading(line):
            text.append(draw_title_bar(line, columns))
        else:
            text += wrap_line(line, wide - 1, measure_hanging_indent(line))
    return text
