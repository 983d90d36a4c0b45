"""What is asked where a person leaves the table, or nothing can be kept; what is kept when they say so."""

from __future__ import annotations

from collections.abc import Callable

from ..hosting.keyboard import Keyboard
from ..hosting.link import Link
from ..hosting.messages import Leave, Save
from ..screen.asking import file_to_save
from ..screen.text import Line, Run
from .app import FullApp
from .dialogs import INTERRUPT, Question
from .went import Went


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
